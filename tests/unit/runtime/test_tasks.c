/*
 * test_tasks.c: tasks in the background of a real runtime, with real commands: what the model reads of them, what it is
 * told, and that they end with the session. Runs under ThreadSanitizer, too.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "descriptors.h"
#include "harness.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct harness h;
static unsigned wakes;

extern const struct hv_tool tool_bash, tool_task_output, tool_task_stop, tool_task_input, tool_monitor, tool_sleep;

static const struct hv_tool *const tools[] = {
    &tool_bash, &tool_task_output, &tool_task_stop, &tool_task_input, &tool_monitor, &tool_sleep, NULL};

static const char settings[] = "{\"permissions\":{\"defaultMode\":\"bypassPermissions\"},"
                               "\"sandbox\":{\"enabled\":false},\"env\":{\"HELVE_MAX_OUTPUT_BYTES\":\"200000\"}}";

static void on_note(void *user)
{
    (void)user;
    wakes++;
}

static int open_session(void **state)
{
    (void)state;
    wakes = 0;
    harness_open(&h, settings);
    h.options.on_note = on_note;
    harness_start(&h, tools);
    return 0;
}

static int close_session(void **state)
{
    (void)state;
    harness_close(&h);
    return 0;
}

static void run(const char *tool, const char *input)
{
    harness_run(&h, "c", tool, input, NULL);
}

static void expect(const char *part)
{
    assert_contains(harness_result(&h, "c")->text, part);
}

/* Let the loop run until there is a note, or a while has passed. */
static bool comes_note(struct hv_buf *block)
{
    for (int i = 0; i < 1000; i++) {
        if (runtime_take_notes(h.runtime, block))
            return true;
        loop_run_once(h.loop, 10 * CLOCK_MILLISECOND);
    }
    return false;
}

static void let_loop_run(uint64_t ms)
{
    uint64_t end = clock_monotonic_ns() + ms * CLOCK_MILLISECOND;
    while (clock_monotonic_ns() < end)
        loop_run_once(h.loop, 10 * CLOCK_MILLISECOND);
}

/* ---- what is read ------------------------------------------------------------------------------------------------ */

static void output_comes_once_and_then_only_what_is_new(void **state)
{
    (void)state;
    run("Bash", "{\"command\":\"echo one; cat; echo two\",\"run_in_background\":true,\"stdin\":\"open\"}");
    expect("bash_1");
    run("TaskOutput", "{\"task_id\":\"bash_1\"}");
    expect("one\n");
    run("TaskOutput", "{\"task_id\":\"bash_1\",\"block\":false}");
    expect("(no new output)");
    run("TaskInput", "{\"task_id\":\"bash_1\",\"text\":\"typed\\n\"}");
    expect("typed\n");
    run("TaskInput", "{\"task_id\":\"bash_1\",\"keys\":[\"ctrl-d\"]}");
    expect("two");
    expect("exit code 0");
}

static void a_filter_shows_only_lines_that_match(void **state)
{
    (void)state;
    run("Bash", "{\"command\":\"echo apple; echo pear; echo apricot\",\"run_in_background\":true}");
    run("TaskOutput", "{\"task_id\":\"bash_1\",\"block\":true,\"filter\":\"^ap\"}");
    expect("apple\napricot");
    assert_lacks(harness_result(&h, "c")->text, "\npear");
    run("TaskOutput", "{\"task_id\":\"bash_1\",\"filter\":\"(\"}");
    assert_true(harness_result(&h, "c")->is_error);
}

static void much_output_is_cut_at_its_beginning_and_told(void **state)
{
    (void)state;
    run("Bash", "{\"command\":\"seq 1 20000; echo end\",\"run_in_background\":true}");
    run("TaskOutput", "{\"task_id\":\"bash_1\",\"block\":true}");
    expect("bytes before this are only in ");
    expect("20000\nend");
    assert_lacks(harness_result(&h, "c")->text, "\n17\n");
}

static void a_flood_ends_its_task(void **state)
{
    (void)state;
    run("Bash", "{\"command\":\"yes\",\"run_in_background\":true}");
    run("TaskOutput", "{\"task_id\":\"bash_1\",\"block\":true,\"timeout\":60000}");
    expect("failed: it wrote too much");
}

static void what_has_ended_keeps_no_descriptor(void **state)
{
    size_t before = 0;
    char input[64];
    (void)state;
    for (int i = 1; i <= 6; i++) {
        run("Bash", "{\"command\":\"echo said\",\"run_in_background\":true}");
        snprintf(input, sizeof input, "{\"task_id\":\"bash_%d\",\"block\":true}", i);
        run("TaskOutput", input);
        expect("exit code 0");
        let_loop_run(20);
        if (i == 2)
            before = open_descriptors();
    }
    assert_in_range(open_descriptors(), 0, before);
    run("TaskStop", "{\"task_id\":\"bash_1\"}"); /* which has nothing left that could be raised */
    run("TaskOutput", "{\"task_id\":\"bash_1\"}");
    expect("completed");
}

/* ---- what is told ------------------------------------------------------------------------------------------------ */

static void the_end_of_a_task_is_told_once(void **state)
{
    CLEANUP_BUF struct hv_buf block = {.max = 1 << 20};
    (void)state;
    run("Bash", "{\"command\":\"echo said; exit 9\",\"run_in_background\":true}");
    for (int i = 0; i < 1000 && !wakes; i++) /* nobody takes the note before it was told that there is one */
        loop_run_once(h.loop, 10 * CLOCK_MILLISECOND);
    assert_int_equal(wakes, 1);
    assert_true(runtime_take_notes(h.runtime, &block));
    assert_contains(block.data, "<task_notification>");
    assert_contains(block.data, "exit code 9");
    let_loop_run(50);
    assert_int_equal(wakes, 1);
    assert_false(runtime_take_notes(h.runtime, &block));
    const struct harness_event *ended = harness_event(&h, HV_EVENT_TASK, NULL, "ended");
    assert_non_null(ended);
    assert_contains(ended->data, "\"exit_code\":9");
    assert_string_equal(ended->call_id, "c");
    assert_non_null(harness_event(&h, HV_EVENT_TASK, NULL, "started"));
}

static void what_the_model_has_seen_itself_is_not_told(void **state)
{
    CLEANUP_BUF struct hv_buf block = {.max = 1 << 20};
    (void)state;
    run("Bash", "{\"command\":\"true\",\"run_in_background\":true}");
    run("TaskOutput", "{\"task_id\":\"bash_1\",\"block\":true}");
    run("Bash", "{\"command\":\"sleep 60\",\"run_in_background\":true}");
    run("TaskStop", "{\"task_id\":\"bash_2\"}");
    expect("stopped");
    let_loop_run(100);
    assert_false(runtime_take_notes(h.runtime, &block));
}

static void a_person_may_stop_a_task_and_the_model_is_told(void **state)
{
    CLEANUP_BUF struct hv_buf block = {.max = 1 << 20};
    (void)state;
    run("Bash", "{\"command\":\"sleep 60\",\"run_in_background\":true}");
    assert_false(runtime_stop_task(h.runtime, HV_STR("bash_2")));
    assert_true(runtime_stop_task(h.runtime, HV_STR("bash_1")));
    assert_true(comes_note(&block));
    assert_contains(block.data, "was stopped");
    assert_int_equal(runtime_running_tasks(h.runtime), 0);
}

static void waiting_for_input_is_told_when_nobody_looks(void **state)
{
    CLEANUP_BUF struct hv_buf block = {.max = 1 << 20};
    (void)state;
    run("Bash", "{\"command\":\"sleep 0.3; read -p 'Who? ' x\",\"run_in_background\":true,\"tty\":true}");
    assert_true(comes_note(&block));
    assert_contains(block.data, "waits for input");
    assert_contains(block.data, "Who?");
}

/* The first look at whether a command waits comes late, as on a busy machine. */
static atomic_bool looks_late;

static bool look_late(struct hv_process *process)
{
    if (atomic_exchange(&looks_late, false))
        nanosleep(&(struct timespec){.tv_sec = 2}, NULL);
    return hv_host_local()->processes->waits(process);
}

static int open_late_session(void **state)
{
    static struct hv_processes processes;
    static struct hv_host host;
    (void)state;
    processes = *hv_host_local()->processes;
    processes.waits = look_late;
    host = *hv_host_local();
    host.processes = &processes;
    atomic_store(&looks_late, true);
    harness_open(&h, settings);
    h.options.host = &host;
    harness_start(&h, tools);
    return 0;
}

static void a_prompt_is_read_before_it_is_told_that_the_command_waits(void **state)
{
    (void)state;
    run("Bash", "{\"command\":\"sleep 0.6; read -p 'Who? ' x\",\"tty\":true}");
    expect("waits for input");
    expect("Who? ");
}

static void a_sleeper_is_woken_by_news(void **state)
{
    (void)state;
    run("Bash", "{\"command\":\"sleep 0.3\",\"run_in_background\":true}");
    run("Sleep", "{\"duration_ms\":60000}");
    expect("Woken");
}

static void a_sleeper_ends_with_its_turn(void **state)
{
    (void)state;
    struct batch *batch = harness_begin(&h);
    batch_add(batch, HV_STR("c"), HV_STR("Sleep"), HV_STR("{\"duration_ms\":600000}"));
    let_loop_run(100);
    batch_cancel(batch, "the user interrupted the turn");
    harness_finish(&h, batch);
    assert_true(harness_result(&h, "c")->is_error);
}

/* ---- many, and the end ------------------------------------------------------------------------------------------- */

static void many_tasks_at_once_are_read_and_stopped_by_many_calls(void **state)
{
    char input[12][160], ids[48][8];
    (void)state;
    struct batch *batch = harness_begin(&h);
    for (int i = 0; i < 12; i++) {
        snprintf(ids[i], sizeof ids[i], "s%d", i);
        batch_add(batch, hv_str_from(ids[i]), HV_STR("Bash"),
                  HV_STR("{\"command\":\"for i in 1 2 3 4 5 6 7 8; do echo line $i; sleep 0.05; done; read x\","
                         "\"run_in_background\":true,\"stdin\":\"open\"}"));
    }
    harness_finish(&h, batch);
    batch = harness_begin(&h);
    for (int i = 0; i < 36; i++) {
        static const char *const names[] = {"TaskOutput", "TaskOutput", "TaskStop"};
        snprintf(ids[12 + i], sizeof ids[0], "r%d", i);
        snprintf(input[i % 12], sizeof input[0], "{\"task_id\":\"bash_%d\"}", i % 12 + 1);
        batch_add(batch, hv_str_from(ids[12 + i]), hv_str_from(names[i / 12]), hv_str_from(input[i % 12]));
    }
    harness_finish(&h, batch);
    for (int i = 24; i < 36; i++)
        assert_contains(harness_result(&h, ids[12 + i])->text, "bash_");
    assert_int_equal(runtime_running_tasks(h.runtime), 0);
}

static void too_many_tasks_are_refused(void **state)
{
    (void)state;
    for (int i = 0; i < 64; i++)
        run("Monitor", "{\"file\":\"/no/such/file\",\"persistent\":true}");
    run("Monitor", "{\"file\":\"/no/such/file\"}");
    assert_true(harness_result(&h, "c")->is_error);
    expect("64 tasks run");
}

static void everything_ends_with_the_session(void **state)
{
    (void)state;
    harness_open(&h, settings);
    harness_start(&h, tools);
    run("Bash",
        "{\"command\":\"echo $$ > pid; trap '' TERM; (setsid sleep 60 &); sleep 60\",\"run_in_background\":true}");
    run("Monitor", "{\"command\":\"sleep 60\"}");
    run("Monitor", "{\"file\":\"f\"}");
    char *pid = NULL;
    for (int i = 0; i < 500 && !(pid && *pid); i++) {
        free(pid);
        let_loop_run(10);
        pid = harness_read(&h, "pid");
    }
    assert_non_null(pid);
    assert_int_equal(runtime_running_tasks(h.runtime), 3);
    pid_t process = (pid_t)strtol(pid, NULL, 10);
    assert_true(process > 1 && kill(process, 0) == 0);
    free(pid);
    harness_close(&h);
    assert_true(kill(process, 0) != 0 && errno == ESRCH);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_session, close_session)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(output_comes_once_and_then_only_what_is_new),
        CASE(a_filter_shows_only_lines_that_match),
        CASE(much_output_is_cut_at_its_beginning_and_told),
        CASE(a_flood_ends_its_task),
        CASE(what_has_ended_keeps_no_descriptor),
        CASE(the_end_of_a_task_is_told_once),
        CASE(what_the_model_has_seen_itself_is_not_told),
        CASE(a_person_may_stop_a_task_and_the_model_is_told),
        CASE(waiting_for_input_is_told_when_nobody_looks),
        cmocka_unit_test_setup_teardown(a_prompt_is_read_before_it_is_told_that_the_command_waits, open_late_session,
                                        close_session),
        CASE(a_sleeper_is_woken_by_news),
        CASE(a_sleeper_ends_with_its_turn),
        CASE(many_tasks_at_once_are_read_and_stopped_by_many_calls),
        CASE(too_many_tasks_are_refused),
        cmocka_unit_test(everything_ends_with_the_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
