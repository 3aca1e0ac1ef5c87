/* test_loop.c: the mailbox, timers, signals and the end of a loop. */
#include "base/clock.h"
#include "loop/loop.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <uv.h>

#include <cmocka.h>

enum { THREADS = 4, LETTERS = 2000 };

struct log {
    struct loop *loop;
    char text[64]; /* what happened, a letter each */
    size_t len;
    unsigned next[THREADS], received;
    bool off_thread;
};

static void note(struct log *log, char what)
{
    log->off_thread |= !loop_is_current(log->loop);
    log->text[log->len++] = what;
}

static void note_a(void *data)
{
    note(data, 'a');
}
static void note_b(void *data)
{
    note(data, 'b');
}
static void note_c(void *data)
{
    note(data, 'c');
}
static void stop(void *data)
{
    loop_stop(((struct log *)data)->loop);
}

static void post_more(void *data)
{
    struct log *log = data;
    note(log, 'p');
    loop_post(log->loop, note_b, log);
    note(log, 'q');
}

static int set_up(void **state)
{
    struct log *log = hv_calloc(1, sizeof *log);
    assert_int_equal(loop_new(&log->loop, NULL), HV_OK);
    *state = log;
    return 0;
}

static int tear_down(void **state)
{
    struct log *log = *state;
    loop_free(log->loop);
    free(log);
    return 0;
}

static void letters_are_called_in_order_and_never_inside_post(void **state)
{
    struct log *log = *state;
    loop_post(log->loop, note_a, log);
    loop_post(log->loop, post_more, log);
    loop_post(log->loop, note_c, log);
    loop_post(log->loop, stop, log);
    assert_string_equal(log->text, "");
    loop_run(log->loop);
    assert_memory_equal(log->text, "apqc", 4);
    loop_run_once(log->loop, 0);
    loop_run_once(log->loop, 0);
    assert_string_equal(log->text, "apqcb");
    assert_false(log->off_thread);
}

struct letter {
    struct log *log;
    unsigned sender, number;
};

static void receive(void *data)
{
    struct letter *letter = data;
    struct log *log = letter->log;
    log->off_thread |= !loop_is_current(log->loop);
    log->off_thread |= letter->number != log->next[letter->sender]++;
    free(letter);
    if (++log->received == THREADS * LETTERS)
        loop_stop(log->loop);
}

struct sender {
    pthread_t thread;
    struct log *log;
    unsigned number;
};

static void *send_letters(void *data)
{
    struct sender *sender = data;
    for (unsigned i = 0; i < LETTERS; i++) {
        struct letter *letter = hv_malloc(sizeof *letter);
        *letter = (struct letter){sender->log, sender->number, i};
        loop_post(sender->log->loop, receive, letter);
    }
    return NULL;
}

static void letters_of_many_threads_all_arrive_each_threads_in_order(void **state)
{
    struct log *log = *state;
    struct sender senders[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        senders[i] = (struct sender){.log = log, .number = i};
        assert_int_equal(pthread_create(&senders[i].thread, NULL, send_letters, &senders[i]), 0);
    }
    loop_run(log->loop);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(senders[i].thread, NULL);
    assert_int_equal(log->received, THREADS * LETTERS);
    assert_false(log->off_thread);
}

static void timers_fire_once_in_the_order_of_their_delays(void **state)
{
    struct log *log = *state;
    loop_timer_start(log->loop, 60 * CLOCK_MILLISECOND, stop, log);
    loop_timer_start(log->loop, 40 * CLOCK_MILLISECOND, note_c, log);
    loop_timer_start(log->loop, 0, note_a, log);
    struct loop_timer *never = loop_timer_start(log->loop, 20 * CLOCK_MILLISECOND, note_a, log);
    loop_timer_start(log->loop, 1, note_b, log);
    loop_timer_stop(never);
    loop_timer_stop(NULL);
    loop_run(log->loop);
    assert_string_equal(log->text, "abc");
}

static void one_turn_waits_no_longer_than_told(void **state)
{
    struct log *log = *state;
    loop_timer_start(log->loop, 1000 * CLOCK_SECOND, note_a, log);
    loop_run_once(log->loop, 5 * CLOCK_MILLISECOND);
    loop_run_once(log->loop, 0);
    assert_string_equal(log->text, "");
}

static void on_signal(void *data, int number)
{
    struct log *log = data;
    note(log, number == SIGUSR1 ? 'u' : '?');
    if (log->len == 2)
        loop_stop(log->loop);
}

static void raise_signal(void *data)
{
    (void)data;
    raise(SIGUSR1);
}

static void signals_arrive_on_the_loops_thread(void **state)
{
    struct log *log = *state;
    struct loop_signal *watch = loop_signal_start(log->loop, SIGUSR1, on_signal, log);
    assert_non_null(watch);
    assert_null(loop_signal_start(log->loop, SIGKILL, on_signal, log));
    raise(SIGUSR1);
    loop_timer_start(log->loop, 20 * CLOCK_MILLISECOND, raise_signal, NULL);
    loop_run(log->loop);
    assert_string_equal(log->text, "uu");
    assert_false(log->off_thread);
    loop_signal_stop(watch);
    loop_signal_stop(NULL);
}

static void set_flag(uv_handle_t *handle)
{
    *(bool *)handle->data = true;
}

/* The leak check of the build says whether timers, signals and letters are freed. */
static void the_end_calls_what_was_posted_and_closes_what_is_open(void **state)
{
    struct log *log = *state;
    struct loop *loop = log->loop;
    bool closed = false;
    uv_idle_t foreign, closing;
    uv_idle_init(loop_uv(loop), &foreign);
    uv_idle_init(loop_uv(loop), &closing);
    closing.data = &closed;
    uv_close((uv_handle_t *)&closing, set_flag);
    loop_post(loop, note_a, log);
    loop_post(loop, post_more, log);
    loop_timer_start(loop, CLOCK_SECOND, note_c, log);
    assert_non_null(loop_signal_start(loop, SIGUSR2, on_signal, log));
    loop_free(loop);
    assert_string_equal(log->text, "apqb");
    assert_true(closed);
    assert_int_equal(loop_new(&log->loop, NULL), HV_OK);
    loop_free(NULL);
}

int main(void)
{
#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(letters_are_called_in_order_and_never_inside_post),
        CASE(letters_of_many_threads_all_arrive_each_threads_in_order),
        CASE(timers_fire_once_in_the_order_of_their_delays),
        CASE(one_turn_waits_no_longer_than_told),
        CASE(signals_arrive_on_the_loops_thread),
        CASE(the_end_calls_what_was_posted_and_closes_what_is_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
