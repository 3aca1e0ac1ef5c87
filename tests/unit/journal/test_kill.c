/*
 * test_kill.c: a session that is killed at any moment loses nothing that it was told is written.
 *
 * A child writes numbered events and reports each number after journal_write returned; it is killed at a moment that
 * differs each time. Whatever was reported must be in the file, in order, and the file must be readable.
 */
#include "journal_test.h"

#include "base/clock.h"

#include <signal.h>
#include <sys/wait.h>

enum { ROUNDS = 50, MOST_EVENTS = 20000 };

/* Never returns. Bounded, should nobody kill it. */
static void write_until_killed(struct hv_str path, int report, int64_t number)
{
    static char text[3000];
    memset(text, 'x', sizeof text);
    struct journal_writer *writer;
    if (journal_writer_open(&(struct journal_writer_options){.path = path}, &writer, NULL) != HV_OK)
        _exit(2);
    for (int i = 0; i < MOST_EVENTS; i++, number++) {
        struct hv_event event = {
            .type = HV_EVENT_NOTICE, .wall_ms = number, .text = hv_str_of(text, (size_t)(number * 37 % 3000))};
        journal_write(writer, &event);
        if (write(report, &number, sizeof number) != (ssize_t)sizeof number)
            _exit(3);
    }
    _exit(0);
}

/* Run and kill one child; the last number it reported, or `first` - 1. */
static int64_t one_life(struct hv_str path, int64_t first, unsigned delay_us)
{
    int report[2];
    assert_int_equal(pipe(report), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(report[0]);
        write_until_killed(path, report[1], first);
    }
    close(report[1]);
    int64_t number, last = first - 1;
    /* The moment is counted from the first event, so that each life has some. */
    if (read(report[0], &number, sizeof number) == (ssize_t)sizeof number)
        last = number;
    uint64_t until = clock_monotonic_ns() + (uint64_t)delay_us * 1000;
    while (clock_monotonic_ns() < until && read(report[0], &number, sizeof number) == (ssize_t)sizeof number)
        last = number;
    kill(child, SIGKILL);
    while (read(report[0], &number, sizeof number) == (ssize_t)sizeof number)
        last = number;
    close(report[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return last;
}

static void nothing_that_was_acknowledged_is_lost_by_kill_9(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str path = scratch_path(&arena, "killed.jsonl");
    bool *acknowledged = hv_arena_zalloc(&arena, ROUNDS * (size_t)(MOST_EVENTS + 2), 1);
    int64_t next = 1;
    uint64_t seed = 42;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t last = one_life(path, next, below(&seed, 4000));
        assert_true(last >= next);
        for (int64_t number = next; number <= last; number++)
            acknowledged[number] = true;
        next = last + 2; /* one more may have been written, unacknowledged */
    }
    struct journal_reader *reader;
    struct hv_event event;
    assert_int_equal(journal_reader_open(path, &reader, NULL), HV_OK);
    int64_t former = 0;
    while (journal_reader_next(reader, &event)) {
        assert_true(event.wall_ms > former);
        former = event.wall_ms;
        acknowledged[former] = false;
    }
    assert_int_equal(journal_reader_faults(reader)->bad_lines, 0);
    journal_reader_close(reader);
    for (int64_t number = 0; number < next; number++)
        assert_false(acknowledged[number]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_that_was_acknowledged_is_lost_by_kill_9)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
