/* test_process.c: commands that are attended to in parts: terminals, open stdin, what lingers, who waits for input. */
#include "base/clock.h"
#include "proc/children.h"
#include "proc/process.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "descriptors.h"

/* A process under test, and what it wrote. */
struct subject {
    struct hv_process *process;
    struct hv_buf output;
    struct hv_exit ended;
};

static const struct hv_processes *const on = &proc_processes;

static bool on_output(void *user, enum hv_stream stream, struct hv_str bytes)
{
    (void)stream;
    hv_buf_add_str(&((struct subject *)user)->output, bytes);
    return true;
}

static void start(struct subject *subject, const char *script, struct hv_command command)
{
    const char *argv[] = {"bash", "--norc", "-c", script, NULL};
    struct hv_error err;
    hv_buf_init(&subject->output, 1 << 20);
    command.argv = argv;
    command.on_output = on_output;
    command.user = subject;
    enum hv_code code = on->start(NULL, &command, &subject->process, &err);
    if (code)
        print_error("%s (%s)\n", err.message, err.hint);
    assert_int_equal(code, HV_OK);
}

static void finish(struct subject *subject)
{
    assert_int_equal(on->finish(subject->process, &subject->ended, NULL), HV_OK);
    subject->process = NULL;
}

static void release(struct subject *subject)
{
    hv_buf_release(&subject->output);
}

static bool said(const struct subject *subject, const char *text)
{
    return hv_str_find(hv_buf_str(&subject->output), hv_str_from(text), 0) != SIZE_MAX;
}

static uint64_t in_ms(uint64_t ms)
{
    return clock_monotonic_ns() + ms * CLOCK_MILLISECOND;
}

/* Attend until it has said this; a minute is more than any of these takes, on a busy machine, too. */
static void expect(struct subject *subject, const char *text)
{
    uint64_t end = in_ms(60000);
    while (!said(subject, text) && clock_monotonic_ns() < end)
        if (on->attend(subject->process, in_ms(20)) == HV_PROCESS_ENDED)
            break;
    if (!said(subject, text))
        print_error("no \"%s\" in: %s\n", text, subject->output.data ? subject->output.data : "");
    assert_true(said(subject, text));
}

static bool waits_within(struct subject *subject, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        (void)on->attend(subject->process, in_ms(20));
        if (on->waits(subject->process))
            return true;
    }
    return false;
}

static bool comes_to_wait(struct subject *subject)
{
    return waits_within(subject, 3000);
}

static void type(struct subject *subject, const char *text)
{
    assert_int_equal(on->write(subject->process, hv_str_from(text), NULL), HV_OK);
}

static enum hv_process_state attend_to_end(struct subject *subject)
{
    return on->attend(subject->process, in_ms(60000));
}

static bool is_alive(struct hv_str text)
{
    int64_t pid = 0;
    assert_true(hv_str_to_int64(hv_str_trim(text), &pid));
    return kill((pid_t)pid, 0) == 0;
}

/* ---- terminals ----------------------------------------------------------------------------------------- */

static void a_terminal_is_the_commands_own_and_has_a_size(void **state)
{
    struct subject subject = {0};
    (void)state;
    start(&subject, "test -t 0 -a -t 1 -a -t 2 && tty && stty size && echo to >/dev/tty && ps -o tpgid= -p $$",
          (struct hv_command){.tty = true, .rows = 33, .columns = 77});
    assert_int_equal(attend_to_end(&subject), HV_PROCESS_ENDED);
    finish(&subject);
    assert_int_equal(subject.ended.code, 0);
    assert_true(said(&subject, "/dev/pts/"));
    assert_true(said(&subject, "33 77"));
    assert_true(said(&subject, "to\r\n"));
    release(&subject);
}

static void a_prompt_is_seen_answered_and_echoed(void **state)
{
    struct subject subject = {0};
    (void)state;
    start(&subject, "read -p 'name? ' name; echo \"hello $name\"", (struct hv_command){.tty = true});
    assert_true(comes_to_wait(&subject));
    expect(&subject, "name? "); /* it may wait before what it wrote was read */
    type(&subject, "World\n");
    assert_int_equal(attend_to_end(&subject), HV_PROCESS_ENDED);
    finish(&subject);
    assert_true(said(&subject, "hello World")); /* what was left to be read comes with the end */
    release(&subject);
}

static void an_interpreter_can_be_talked_to(void **state)
{
    struct subject subject = {0};
    (void)state;
    start(&subject, "exec python3 -q", (struct hv_command){.tty = true});
    expect(&subject, ">>> ");
    assert_true(comes_to_wait(&subject));
    type(&subject, "print(6 * 7)\n");
    expect(&subject, "42");
    on->close_input(subject.process); /* Ctrl-D */
    assert_int_equal(attend_to_end(&subject), HV_PROCESS_ENDED);
    finish(&subject);
    assert_int_equal(subject.ended.code, 0);
    release(&subject);
}

static void ctrl_c_reaches_what_runs_in_the_terminal(void **state)
{
    struct subject subject = {0};
    (void)state;
    start(&subject, "trap 'echo caught; exit 3' INT; echo ready; while :; do sleep 0.05; done",
          (struct hv_command){.tty = true});
    expect(&subject, "ready");
    type(&subject, "\x03");
    assert_int_equal(attend_to_end(&subject), HV_PROCESS_ENDED);
    finish(&subject);
    assert_true(said(&subject, "caught"));
    assert_int_equal(subject.ended.code, 3);
    release(&subject);
}

static void work_is_not_taken_for_waiting(void **state)
{
    struct subject subject = {0};
    (void)state;
    start(&subject, "echo busy; sleep 30", (struct hv_command){.tty = true});
    expect(&subject, "busy");
    for (int i = 0; i < 5; i++) {
        (void)on->attend(subject.process, in_ms(20));
        assert_false(on->waits(subject.process));
    }
    finish(&subject);
    assert_true(subject.ended.signal == SIGTERM || subject.ended.signal == SIGKILL);
    release(&subject);
}

static bool waits_after(const char *python, int rounds)
{
    struct subject subject = {0};
    char command[256];
    snprintf(command, sizeof command, "exec python3 -c 'import select; print(\"ready\", flush=True); %s'", python);
    start(&subject, command, (struct hv_command){.tty = true});
    expect(&subject, "ready\r\n");
    bool waits = waits_within(&subject, rounds);
    finish(&subject);
    release(&subject);
    return waits;
}

static void who_looks_at_nothing_but_the_input_waits_without_a_prompt(void **state)
{
    (void)state;
    assert_true(waits_after("select.select([0], [], [])", 3000));
    assert_true(waits_after("p = select.poll(); p.register(0, select.POLLIN); p.poll()", 3000));
}

static void who_looks_at_more_than_the_input_or_not_for_long_does_not_wait(void **state)
{
    (void)state;
    assert_false(waits_after("import os; select.select([0, os.pipe()[0]], [], [])", 20));
    assert_false(waits_after("select.select([0], [], [], 60)", 20));
    assert_false(waits_after("p = select.poll(); p.register(0, select.POLLIN); p.poll(60000)", 20));
}

/* ---- stdin that stays open ----------------------------------------------------------------------------- */

static void an_open_stdin_takes_text_and_an_end(void **state)
{
    struct subject subject = {0};
    struct hv_error err;
    (void)state;
    start(&subject, "cat; echo over", (struct hv_command){.keeps_input = true});
    assert_true(comes_to_wait(&subject));
    type(&subject, "one\n");
    expect(&subject, "one\n");
    on->close_input(subject.process);
    assert_int_equal(attend_to_end(&subject), HV_PROCESS_ENDED);
    assert_true(said(&subject, "over"));
    assert_int_equal(on->write(subject.process, HV_STR("x"), &err), HV_EUNSUPPORTED);
    finish(&subject);
    release(&subject);
}

static void an_empty_stdin_takes_nothing_and_nobody_waits_for_it(void **state)
{
    struct subject subject = {0};
    struct hv_error err;
    (void)state;
    start(&subject, "cat; sleep 30", (struct hv_command){0});
    (void)on->attend(subject.process, in_ms(50));
    assert_false(on->waits(subject.process));
    assert_int_equal(on->write(subject.process, HV_STR("x"), &err), HV_EUNSUPPORTED);
    assert_true(err.hint[0]);
    finish(&subject);
    release(&subject);
}

static void a_full_pipe_is_told_not_waited_for(void **state)
{
    struct subject subject = {0};
    struct hv_error err;
    struct hv_buf much;
    (void)state;
    hv_buf_init(&much, 1 << 20);
    for (int i = 0; i < 200000; i++)
        hv_buf_add_byte(&much, 'x');
    start(&subject, "sleep 30", (struct hv_command){.keeps_input = true});
    assert_int_equal(on->write(subject.process, hv_buf_str(&much), &err), HV_EAGAIN);
    finish(&subject);
    hv_buf_release(&much);
    release(&subject);
}

static void an_interrupt_reaches_a_command_without_a_terminal(void **state)
{
    struct subject subject = {0};
    (void)state;
    start(&subject, "trap 'echo caught; exit 4' INT; echo ready; while :; do sleep 0.05; done", (struct hv_command){0});
    expect(&subject, "ready");
    on->interrupt(subject.process);
    assert_int_equal(attend_to_end(&subject), HV_PROCESS_ENDED);
    finish(&subject);
    assert_int_equal(subject.ended.code, 4);
    release(&subject);
}

/* ---- what lingers -------------------------------------------------------------------------------------- */

static void what_is_left_behind_may_live_on_and_end_by_itself(void **state)
{
    struct subject subject = {0};
    (void)state;
    start(&subject, "(sleep 2; echo later) & echo now; exit 5", (struct hv_command){.lingers = true});
    assert_int_equal(attend_to_end(&subject), HV_PROCESS_LINGERING);
    assert_true(said(&subject, "now"));
    assert_false(said(&subject, "later"));
    assert_int_equal(attend_to_end(&subject), HV_PROCESS_ENDED);
    assert_true(said(&subject, "later"));
    finish(&subject);
    assert_int_equal(subject.ended.code, 5);
    assert_true(subject.ended.left_running);
    release(&subject);
}

static void what_lingers_ends_on_order_though_it_ignores_term(void **state)
{
    struct subject subject = {0};
    (void)state;
    start(&subject,
          "(trap '' TERM; setsid bash -c 'trap \"\" TERM; echo $$; exec sleep 60') & wait -n 2>/dev/null & sleep 0.2",
          (struct hv_command){.lingers = true});
    assert_int_equal(attend_to_end(&subject), HV_PROCESS_LINGERING);
    assert_true(is_alive(hv_buf_str(&subject.output)));
    on->stop(subject.process, 100 * CLOCK_MILLISECOND);
    assert_int_equal(attend_to_end(&subject), HV_PROCESS_ENDED);
    finish(&subject);
    assert_false(is_alive(hv_buf_str(&subject.output)));
    release(&subject);
}

/* Two levels below what has left the group, in a session of its own. Its trap takes the place of closing files. */
#define DAEMON_THAT(STOPS)                                                                                             \
    "setsid bash -c 'setsid bash -c \"trap \\\"echo asked; exit\\\" TERM; echo up; " STOPS                             \
    "while :; do sleep 0.05; done\" & "                                                                                \
    "trap : TERM; wait; wait; sleep 60' & "
#define DAEMON DAEMON_THAT("")
#define STOPPED DAEMON_THAT("kill -STOP \\$\\$; ")

static void check_asked(const char *script, bool lingers)
{
    struct subject subject = {0};
    start(&subject, script, (struct hv_command){.lingers = lingers});
    expect(&subject, "up");
    /* Only a change ends a wait, and this one may have come together with the output. */
    if (lingers && on->attend(subject.process, in_ms(0)) == HV_PROCESS_RUNNING)
        assert_int_equal(attend_to_end(&subject), HV_PROCESS_LINGERING);
    on->stop(subject.process, CLOCK_SECOND);
    assert_int_equal(attend_to_end(&subject), HV_PROCESS_ENDED);
    assert_true(said(&subject, "asked"));
    finish(&subject);
    release(&subject);
}

static void what_left_the_group_is_asked_to_end_however_deep_it_lies(void **state)
{
    (void)state;
    check_asked("trap : TERM; " DAEMON "wait; sleep 60", false);
    check_asked(DAEMON "exit 0", true);
}

static void what_is_stopped_there_goes_on_to_end(void **state)
{
    (void)state;
    check_asked("trap : TERM; " STOPPED "wait; sleep 60", false);
}

static void a_handle_that_is_let_go_of_leaves_nothing(void **state)
{
    struct subject subject = {0};
    (void)state;
    start(&subject, "setsid bash -c 'echo $$; exec sleep 60' & wait", (struct hv_command){0});
    expect(&subject, "\n");
    finish(&subject);
    assert_false(is_alive(hv_buf_str(&subject.output)));
    release(&subject);
}

static void another_cancellation_can_take_over(void **state)
{
    struct subject subject = {0};
    struct hv_cancel *first = hv_cancel_new(), *second = hv_cancel_new();
    (void)state;
    start(&subject, "echo up; sleep 60", (struct hv_command){.cancel = first, .timeout_ns = CLOCK_SECOND});
    expect(&subject, "up");
    on->adopt(subject.process, second, false);
    hv_cancel_free(first);
    assert_int_equal(on->attend(subject.process, in_ms(1200)), HV_PROCESS_RUNNING); /* nor does the time-out hold */
    hv_cancel_raise(second);
    assert_int_equal(attend_to_end(&subject), HV_PROCESS_ENDED);
    finish(&subject);
    assert_true(subject.ended.cancelled);
    hv_cancel_free(second);
    release(&subject);
}

/* ---- killed guards ------------------------------------------------------------------------------------- */

/* Only when the other is known to be there, and out of the group. */
#define LEAVES_AND_KILLS_GUARD                                                                                         \
    "exec 9< <(setsid bash -c 'echo $$; exec sleep 60'); read -u 9 pid; echo $pid; kill -9 $PPID; sleep 60"

static void what_left_its_group_dies_though_the_command_kills_its_guard(void **state)
{
    struct subject subject = {0};
    (void)state;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    start(&subject, LEAVES_AND_KILLS_GUARD, (struct hv_command){0});
    assert_int_equal(attend_to_end(&subject), HV_PROCESS_ENDED);
    finish(&subject);
    assert_int_equal(subject.ended.signal, SIGKILL);
    assert_false(is_alive(hv_buf_str(&subject.output)));
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
    release(&subject);
}

enum { STARTERS = 3, STARTS = 20 };

static void *start_many(void *unused)
{
    size_t good = 0;
    (void)unused;
    for (int i = 0; i < STARTS; i++) {
        const char *argv[] = {"true", NULL};
        struct hv_process *process = NULL;
        struct hv_exit ended = {.code = -1};
        if (on->start(NULL, &(struct hv_command){.argv = argv}, &process, NULL) == HV_OK &&
            on->attend(process, in_ms(60000)) == HV_PROCESS_ENDED && on->finish(process, &ended, NULL) == HV_OK)
            good += ended.code == 0;
    }
    return (void *)(uintptr_t)good;
}

/* A guard that is just being started has no name yet that would tell it from what a command left behind. */
static void looking_for_what_was_left_ends_nothing_that_was_started(void **state)
{
    pthread_t threads[STARTERS];
    struct subject editor = {0};
    (void)state;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    children_begin_start();
    pid_t own = fork();
    if (own == 0) {
        (void)pause();
        _exit(0);
    }
    children_end_start(own);
    for (int i = 0; i < STARTERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, start_many, NULL), 0);
    start(&editor, "cat", (struct hv_command){.input = HV_STR("x")});
    for (int i = 0; i < 100; i++)
        orphans_end();
    assert_int_equal(attend_to_end(&editor), HV_PROCESS_ENDED);
    finish(&editor);
    assert_int_equal(editor.ended.code, 0);
    for (int i = 0; i < STARTERS; i++) {
        void *good;
        assert_int_equal(pthread_join(threads[i], &good), 0);
        assert_int_equal((uintptr_t)good, STARTS);
    }
    assert_int_equal(kill(own, SIGKILL), 0);
    assert_int_equal(waitpid(own, NULL, 0), own);
    children_forget(own);
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
    release(&editor);
}

/* Where a control group can be made, it needs no reaper to reach what left the group. */
static void what_left_its_group_dies_by_its_control_group(void **state)
{
    struct subject subject = {0};
    struct hv_arena arena = {0};
    struct cage cage;
    (void)state;
    cage_make(&cage, &arena);
    bool has_cages = cage.path != NULL;
    cage_remove(&cage);
    if (has_cages) {
        start(&subject, LEAVES_AND_KILLS_GUARD, (struct hv_command){0});
        const char *folder = hv_arena_cstr(&arena, hv_str_from(subject.process->cage.path));
        assert_int_equal(access(folder, F_OK), 0);
        assert_int_equal(attend_to_end(&subject), HV_PROCESS_ENDED);
        finish(&subject);
        for (int tries = 0; is_alive(hv_buf_str(&subject.output)) && tries < 500; tries++)
            usleep(10000); /* it is killed; its new parent has to take it away */
        assert_false(is_alive(hv_buf_str(&subject.output)));
        assert_int_not_equal(access(folder, F_OK), 0);
        release(&subject);
    } else {
        print_message("no control groups (version 2) can be made here: not tried\n");
    }
    hv_arena_release(&arena);
}

/* helve, in a process of its own so that it can be killed: holds a command whose guard is stopped. */
static void hold(int report)
{
    struct subject subject = {0};
    start(&subject, "setsid bash -c 'echo $$; exec sleep 60' & sleep 0.2; kill -STOP $PPID; sleep 60",
          (struct hv_command){.tty = true});
    expect(&subject, "\n");
    (void)on->attend(subject.process, in_ms(600));
    if (write(report, subject.output.data, subject.output.len) < 0)
        _exit(1);
    for (;;)
        pause();
}

static void a_stopped_guard_still_ends_its_tree_when_helve_is_killed(void **state)
{
    int ends[2];
    char text[64] = "";
    (void)state;
    assert_int_equal(pipe(ends), 0);
    pid_t helve = fork();
    if (helve == 0)
        hold(ends[1]);
    assert_true(read(ends[0], text, sizeof text - 1) > 0);
    assert_true(is_alive(hv_str_from(text)));
    kill(helve, SIGKILL);
    waitpid(helve, NULL, 0);
    for (int i = 0; i < 500 && is_alive(hv_str_from(text)); i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    assert_false(is_alive(hv_str_from(text)));
    close(ends[0]);
    close(ends[1]);
}

/* ---- faults -------------------------------------------------------------------------------------------- */

static void control_groups_of_processes_that_are_gone_are_removed(void **state)
{
    struct hv_arena arena = {0};
    struct cage cage;
    struct stat found;
    (void)state;
    cage_make(&cage, &arena);
    if (!cage.path) { /* none can be made here */
        hv_arena_release(&arena);
        return;
    }
    struct hv_str parent = hv_str_of(cage.path, (size_t)(strrchr(cage.path, '/') - cage.path));
    const char *dead = hv_arena_format(&arena, "%.*s/helve-2147483646-1", HV_STR_ARG(parent)).ptr;
    const char *other = hv_arena_format(&arena, "%.*s/helve-run-2147483646", HV_STR_ARG(parent)).ptr;
    assert_int_equal(mkdir(dead, 0755), 0);
    assert_int_equal(mkdir(other, 0755), 0);
    const char *prefix = cage_prefix(&arena);
    assert_non_null(prefix);
    assert_true(hv_str_starts(hv_str_from(cage.path), hv_str_from(prefix)));
    assert_int_equal(stat(dead, &found), -1);
    assert_int_equal(stat(cage.path, &found), 0); /* ours, though nothing lives in it */
    assert_int_equal(rmdir(other), 0);
    cage_remove(&cage);
    hv_arena_release(&arena);
}

static void a_program_that_is_not_there_is_told_at_the_end(void **state)
{
    const char *argv[] = {"/no/such/program", NULL};
    struct hv_process *process;
    struct hv_exit ended;
    struct hv_error err;
    (void)state;
    size_t before = open_descriptors();
    assert_int_equal(on->start(NULL, &(struct hv_command){.argv = argv, .tty = true}, &process, &err), HV_OK);
    assert_int_equal(on->attend(process, 0), HV_PROCESS_ENDED);
    assert_int_equal(on->finish(process, &ended, &err), HV_ENOTFOUND);
    assert_non_null(strstr(err.message, "/no/such/program"));
    assert_int_equal(open_descriptors(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_terminal_is_the_commands_own_and_has_a_size),
        cmocka_unit_test(a_prompt_is_seen_answered_and_echoed),
        cmocka_unit_test(an_interpreter_can_be_talked_to),
        cmocka_unit_test(ctrl_c_reaches_what_runs_in_the_terminal),
        cmocka_unit_test(work_is_not_taken_for_waiting),
        cmocka_unit_test(who_looks_at_nothing_but_the_input_waits_without_a_prompt),
        cmocka_unit_test(who_looks_at_more_than_the_input_or_not_for_long_does_not_wait),
        cmocka_unit_test(an_open_stdin_takes_text_and_an_end),
        cmocka_unit_test(an_empty_stdin_takes_nothing_and_nobody_waits_for_it),
        cmocka_unit_test(a_full_pipe_is_told_not_waited_for),
        cmocka_unit_test(an_interrupt_reaches_a_command_without_a_terminal),
        cmocka_unit_test(what_is_left_behind_may_live_on_and_end_by_itself),
        cmocka_unit_test(what_lingers_ends_on_order_though_it_ignores_term),
        cmocka_unit_test(what_left_the_group_is_asked_to_end_however_deep_it_lies),
        cmocka_unit_test(what_is_stopped_there_goes_on_to_end),
        cmocka_unit_test(a_handle_that_is_let_go_of_leaves_nothing),
        cmocka_unit_test(another_cancellation_can_take_over),
        cmocka_unit_test(what_left_its_group_dies_though_the_command_kills_its_guard),
        cmocka_unit_test(looking_for_what_was_left_ends_nothing_that_was_started),
        cmocka_unit_test(what_left_its_group_dies_by_its_control_group),
        cmocka_unit_test(a_stopped_guard_still_ends_its_tree_when_helve_is_killed),
        cmocka_unit_test(control_groups_of_processes_that_are_gone_are_removed),
        cmocka_unit_test(a_program_that_is_not_there_is_told_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
