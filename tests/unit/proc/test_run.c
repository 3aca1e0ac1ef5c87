/* test_run.c: real commands through proc_host_run: how they end, what they leave behind, what they may not do. */
#include "base/clock.h"
#include "proc/run.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "descriptors.h"

/* What one run gave. */
struct outcome {
    struct hv_buf output, error, merged;
    struct hv_exit ended;
    struct hv_error fault;
    enum hv_code code;
    uint64_t bytes, stop_after; /* stop_after: on_output says false from that many bytes on; 0: never */
    unsigned calls_after_stop, ticks;
    bool stopped;
    struct hv_cancel *cancel_at_output; /* raised when the first output comes */
};

static bool on_output(void *user, enum hv_stream stream, struct hv_str bytes)
{
    struct outcome *outcome = user;
    outcome->calls_after_stop += outcome->stopped;
    outcome->bytes += bytes.len;
    hv_buf_add_str(stream == HV_STDOUT ? &outcome->output : &outcome->error, bytes);
    hv_buf_add_str(&outcome->merged, bytes);
    hv_cancel_raise(outcome->cancel_at_output);
    outcome->stopped = outcome->stop_after && outcome->bytes >= outcome->stop_after;
    return !outcome->stopped;
}

static void on_tick(void *user, uint64_t elapsed_ns)
{
    struct outcome *outcome = user;
    outcome->ticks++;
    assert_true(elapsed_ns > 0);
}

static void run(struct outcome *outcome, struct hv_command command)
{
    hv_buf_init(&outcome->output, 1 << 20);
    hv_buf_init(&outcome->error, 1 << 20);
    hv_buf_init(&outcome->merged, 1 << 20);
    command.on_output = on_output;
    command.user = outcome;
    outcome->code = proc_host_run(NULL, &command, &outcome->ended, &outcome->fault);
}

static void run_bash_with(struct outcome *outcome, const char *script, struct hv_command command)
{
    const char *argv[] = {"bash", "-c", script, NULL};
    command.argv = argv;
    run(outcome, command);
    if (outcome->code)
        print_error("%s (%s)\n", outcome->fault.message, outcome->fault.hint);
    assert_int_equal(outcome->code, HV_OK);
}

static void run_bash(struct outcome *outcome, const char *script)
{
    run_bash_with(outcome, script, (struct hv_command){0});
}

static void release(struct outcome *outcome)
{
    hv_buf_release(&outcome->output);
    hv_buf_release(&outcome->error);
    hv_buf_release(&outcome->merged);
}

static struct hv_str output(const struct outcome *outcome)
{
    return hv_buf_str(&outcome->output);
}

static void assert_output(const struct outcome *outcome, const char *expected)
{
    assert_string_equal(outcome->output.data ? outcome->output.data : "", expected);
}

/* The process whose number was printed is gone: not even a zombie. */
static bool is_alive(struct hv_str text)
{
    int64_t pid = 0;
    assert_true(hv_str_to_int64(hv_str_trim(text), &pid));
    assert_true(pid > 1);
    return kill((pid_t)pid, 0) == 0;
}

static void assert_dead(struct hv_str text)
{
    assert_false(is_alive(text));
}

/* ---- ends ---------------------------------------------------------------------------------------------- */

static void exit_codes_and_signals_are_told_apart(void **state)
{
    static const struct {
        const char *script;
        int code, signal;
    } rows[] = {{"exit 0", 0, 0},          {"exit 7", 7, 0},         {"exit 255", 255, 0},
                {"kill -TERM $$", -1, 15}, {"kill -KILL $$", -1, 9}, {"kill -SEGV $$", -1, 11}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct outcome outcome = {0};
        run_bash(&outcome, rows[i].script);
        assert_int_equal(outcome.ended.code, rows[i].code);
        assert_int_equal(outcome.ended.signal, rows[i].signal);
        assert_false(outcome.ended.timed_out || outcome.ended.cancelled || outcome.ended.stopped);
        assert_false(outcome.ended.left_running);
        release(&outcome);
    }
}

static void the_two_streams_arrive_apart_and_in_order(void **state)
{
    struct outcome outcome = {0};
    (void)state;
    run_bash(&outcome, "echo one; sleep 0.05; echo two >&2; sleep 0.05; echo three");
    assert_output(&outcome, "one\nthree\n");
    assert_string_equal(outcome.error.data, "two\n");
    assert_string_equal(outcome.merged.data, "one\ntwo\nthree\n");
    release(&outcome);
}

static void a_program_that_does_not_exist_is_an_error(void **state)
{
    static const char *const missing[] = {"no-such-program-anywhere", NULL}, *const folder[] = {"/etc", NULL};
    static const char *const nothing[] = {"", NULL};
    struct outcome outcome = {0};
    (void)state;
    run(&outcome, (struct hv_command){.argv = missing});
    assert_int_equal(outcome.code, HV_ENOTFOUND);
    assert_non_null(strstr(outcome.fault.message, "no-such-program-anywhere"));
    run(&outcome, (struct hv_command){.argv = folder});
    assert_int_equal(outcome.code, HV_EACCES);
    run(&outcome, (struct hv_command){.argv = nothing});
    assert_int_equal(outcome.code, HV_EINVAL);
}

static void write_script(const char *path, const char *text, mode_t mode)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(chmod(path, mode), 0);
}

static void expect_words(const char *program, const char *path, const char *expected)
{
    const char *argv[] = {program, "two words", "*", NULL}, *environment[] = {path, NULL};
    struct outcome outcome = {0};
    run(&outcome, (struct hv_command){.argv = argv, .environment = environment});
    assert_int_equal(outcome.code, HV_OK);
    assert_output(&outcome, expected);
    release(&outcome);
}

static void a_script_that_does_not_say_what_runs_it_is_given_to_the_shell(void **state)
{
    (void)state;
    char folder[] = "/tmp/helve-run-XXXXXX", script[64], other[64], path[256];
    assert_non_null(mkdtemp(folder));
    snprintf(script, sizeof script, "%s/says", folder);
    snprintf(other, sizeof other, "%s/bin", folder);
    snprintf(path, sizeof path, "PATH=/nowhere:%s:%s:/bin", other, folder);
    assert_int_equal(mkdir(other, 0700), 0);
    write_script(script, "echo \"$1|$2|$#\"\n", 0700);
    expect_words(script, "PATH=/bin", "two words|*|2\n");
    expect_words("says", path, "two words|*|2\n");
    snprintf(other, sizeof other, "%s/bin/says", folder);
    write_script(other, "echo mine\n", 0600); /* nobody may run it: the search goes on */
    expect_words("says", path, "two words|*|2\n");
    assert_int_equal(chmod(other, 0700), 0);
    expect_words("says", path, "mine\n");
    unlink(other);
    *strrchr(other, '/') = '\0';
    unlink(script);
    rmdir(other);
    rmdir(folder);
}

static void a_directory_that_does_not_exist_is_an_error_that_names_it(void **state)
{
    static const char *const argv[] = {"true", NULL};
    struct outcome outcome = {0};
    (void)state;
    run(&outcome, (struct hv_command){.argv = argv, .directory = "/no/such/directory"});
    assert_int_equal(outcome.code, HV_ENOTFOUND);
    assert_non_null(strstr(outcome.fault.message, "/no/such/directory"));
}

static void too_long_arguments_are_an_error(void **state)
{
    struct hv_arena arena = {0};
    char *text = hv_arena_alloc(&arena, 4 << 20);
    const char *argv[] = {"true", text, NULL};
    struct outcome outcome = {0};
    (void)state;
    memset(text, 'x', (4 << 20) - 1);
    text[(4 << 20) - 1] = '\0';
    run(&outcome, (struct hv_command){.argv = argv});
    assert_int_equal(outcome.code, HV_ETOOBIG);
    assert_true(outcome.fault.hint[0]);
    hv_arena_release(&arena);
}

static void directory_and_environment_are_those_of_the_command(void **state)
{
    static const char *const environment[] = {"PATH=/usr/bin:/bin", "COLOUR=green", NULL};
    struct outcome outcome = {0};
    (void)state;
    run_bash_with(&outcome, "echo $COLOUR $HOME; pwd",
                  (struct hv_command){.environment = environment, .directory = "/usr"});
    assert_output(&outcome, "green\n/usr\n");
    release(&outcome);
}

static void the_command_starts_with_clean_signals_and_descriptors(void **state)
{
    struct outcome outcome = {0};
    sigset_t blocked;
    (void)state;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    signal(SIGPIPE, SIG_IGN);
    int open_here = open("/dev/null", O_RDONLY); /* without close-on-exec, and must not be seen all the same */
    /* 32 and 33 belong to libc and may come ignored from whoever runs the tests */
    run_bash(&outcome,
             "grep -E '^Sig(Blk|Ign)' /proc/self/status | while read name value; do echo $((0x$value & ~0x180000000)); "
             "done; ls /proc/self/fd | tr '\\n' ' '");
    close(open_here);
    signal(SIGPIPE, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &blocked, NULL);
    assert_output(&outcome, "0\n0\n0 1 2 3 "); /* 3 is ls's own */
    release(&outcome);
}

/* ---- input and output ---------------------------------------------------------------------------------- */

static void a_command_that_reads_stdin_gets_its_end_at_once(void **state)
{
    struct outcome outcome = {0};
    (void)state;
    run_bash(&outcome, "cat; wc -c");
    assert_output(&outcome, "0\n");
    release(&outcome);
}

static void input_of_any_size_is_fed_whole_or_left_unread(void **state)
{
    struct hv_arena arena = {0};
    size_t size = 3 << 20;
    char *text = hv_arena_alloc(&arena, size);
    struct outcome outcome = {0}, unread = {0};
    (void)state;
    memset(text, 'y', size);
    run_bash_with(&outcome, "tee /dev/stderr | wc -c", (struct hv_command){.input = hv_str_of(text, size)});
    assert_output(&outcome, "3145728\n");
    run_bash_with(&unread, "exec <&-; echo done", (struct hv_command){.input = hv_str_of(text, size)});
    assert_output(&unread, "done\n");
    release(&outcome);
    release(&unread);
    hv_arena_release(&arena);
}

static void bytes_of_any_kind_come_through(void **state)
{
    struct outcome outcome = {0};
    (void)state;
    run_bash(&outcome, "printf 'a\\0b\\377\\n'");
    assert_true(hv_str_eq(output(&outcome), hv_str_of("a\0b\377\n", 5)));
    release(&outcome);
}

static void output_written_just_before_the_end_is_not_lost(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct outcome outcome = {0};
        run_bash(&outcome, "head -c 60000 /dev/zero; head -c 50000 /dev/zero >&2");
        assert_int_equal(outcome.output.len, 60000);
        assert_int_equal(outcome.error.len, 50000);
        release(&outcome);
    }
}

static void a_flood_is_stopped_by_its_reader(void **state)
{
    struct outcome outcome = {.stop_after = 500000};
    (void)state;
    run_bash(&outcome, "yes");
    assert_true(outcome.ended.stopped);
    assert_false(outcome.ended.cancelled || outcome.ended.timed_out);
    assert_int_equal(outcome.calls_after_stop, 0);
    assert_true(outcome.ended.signal == SIGTERM || outcome.ended.signal == SIGPIPE);
    release(&outcome);
}

static void nobody_needs_to_listen(void **state)
{
    static const char *const argv[] = {"bash", "-c", "head -c 1000000 /dev/zero", NULL};
    struct hv_command command = {.argv = argv};
    struct hv_exit ended;
    (void)state;
    assert_int_equal(proc_host_run(NULL, &command, &ended, NULL), HV_OK);
    assert_int_equal(ended.code, 0);
}

/* ---- limits of time ------------------------------------------------------------------------------------ */

static void a_time_out_ends_the_command_and_all_it_started(void **state)
{
    struct outcome outcome = {0};
    (void)state;
    run_bash_with(&outcome, "sleep 1000 & echo $!; sleep 1000", (struct hv_command){.timeout_ns = 2 * CLOCK_SECOND});
    assert_true(outcome.ended.timed_out);
    assert_false(outcome.ended.cancelled || outcome.ended.left_running);
    assert_int_equal(outcome.ended.signal, SIGTERM);
    assert_true(outcome.ended.duration_ns < 100 * CLOCK_SECOND);
    assert_dead(output(&outcome));
    release(&outcome);
}

static void a_command_that_ignores_term_is_killed_after_the_grace(void **state)
{
    struct outcome outcome = {0};
    (void)state;
    run_bash_with(&outcome, "trap '' TERM; while :; do sleep 0.01; done",
                  (struct hv_command){.timeout_ns = 2 * CLOCK_SECOND, .grace_ns = 200 * CLOCK_MILLISECOND});
    assert_true(outcome.ended.timed_out);
    assert_int_equal(outcome.ended.signal, SIGKILL);
    assert_true(outcome.ended.duration_ns >= 2200 * CLOCK_MILLISECOND);
    release(&outcome);
}

static void a_command_may_use_the_grace_to_tidy_up(void **state)
{
    struct outcome outcome = {0};
    (void)state;
    run_bash_with(&outcome, "trap 'echo tidy; exit 3' TERM; sleep 1000 & wait",
                  (struct hv_command){.timeout_ns = 2 * CLOCK_SECOND});
    assert_output(&outcome, "tidy\n");
    assert_int_equal(outcome.ended.code, 3);
    assert_true(outcome.ended.timed_out);
    release(&outcome);
}

static void a_stopped_command_ends_too(void **state)
{
    struct outcome outcome = {0};
    (void)state;
    run_bash_with(&outcome, "kill -STOP $$",
                  (struct hv_command){.timeout_ns = 200 * CLOCK_MILLISECOND, .grace_ns = 100 * CLOCK_SECOND});
    assert_int_equal(outcome.ended.signal, SIGTERM);
    release(&outcome);
}

static void cancel_ends_a_command_long_before_its_own_end(void **state)
{
    struct hv_cancel *cancel = hv_cancel_new();
    struct outcome outcome = {.cancel_at_output = cancel}, late = {0};
    static const char *const argv[] = {"true", NULL};
    (void)state;
    run_bash_with(&outcome, "echo started; sleep 1000", (struct hv_command){.cancel = cancel});
    assert_true(outcome.ended.cancelled);
    assert_int_equal(outcome.ended.signal, SIGTERM);
    assert_true(outcome.ended.duration_ns < 100 * CLOCK_SECOND);
    run(&late, (struct hv_command){.argv = argv, .cancel = cancel});
    assert_int_equal(late.code, HV_ECANCELLED);
    release(&outcome);
    hv_cancel_free(cancel);
}

static void ticks_come_while_it_runs(void **state)
{
    struct outcome outcome = {0};
    (void)state;
    run_bash_with(&outcome, "sleep 2.5", (struct hv_command){.on_tick = on_tick});
    assert_in_range(outcome.ticks, 1, outcome.ended.duration_ns / CLOCK_SECOND); /* 2, where nothing else runs */
    release(&outcome);
}

/* ---- what commands leave behind ------------------------------------------------------------------------ */

/* What is started in front goes on behind the command that ends, but not before it has told its number. */
#define ONCE_UP(start) "f=$(mktemp); " start " $f & until [ -s $f ]; do sleep 0.01; done; rm $f"

static void whatever_is_left_behind_is_ended(void **state)
{
    static const char *const scripts[] = {
        "sleep 99 & echo $!",                                                                   /* holds the pipe */
        ONCE_UP("setsid bash -c 'echo $$; echo up >$0; exec sleep 99'"),                        /* left the group */
        ONCE_UP("setsid bash -c '(echo $BASHPID; echo up >$0; exec sleep 99) &'"),              /* orphaned as well */
        ONCE_UP("env -i setsid bash -c 'echo $$; echo up >$0; exec sleep 99 >/dev/null 2>&1'"), /* without a trace */
        "trap '' TERM; sleep 99 & echo $!",                                                     /* does not mind TERM */
        ONCE_UP("setsid bash -c 'trap \"\" TERM HUP; echo $$; echo up >$0; while :; do sleep 0.01; done'"),
    };
    (void)state;
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        struct outcome outcome = {0};
        run_bash(&outcome, scripts[i]);
        assert_int_equal(outcome.ended.code, 0);
        assert_true(outcome.ended.left_running);
        assert_true(outcome.ended.duration_ns < 50 * CLOCK_SECOND);
        assert_dead(output(&outcome));
        release(&outcome);
    }
}

static void a_process_substitution_may_finish_its_work(void **state)
{
    struct outcome outcome = {0};
    (void)state;
    run_bash(&outcome, "echo hello > >(tr a-z A-Z)");
    assert_output(&outcome, "HELLO\n");
    assert_false(outcome.ended.left_running);
    release(&outcome);
}

/* A command that kills its own guard harms itself only. */
static void a_killed_guard_takes_the_command_along(void **state)
{
    struct outcome outcome = {0};
    (void)state;
    run_bash(&outcome, "sleep 99 & echo $!; sleep 0.1; kill -9 $PPID; sleep 99");
    assert_int_equal(outcome.ended.signal, SIGKILL);
    struct hv_str child = output(&outcome);
    for (int i = 0; i < 1000 && is_alive(child); i++)
        usleep(10000); /* its new parent reaps it when it likes */
    assert_dead(child);
    release(&outcome);
}

static void the_guard_does_not_bear_the_words_of_the_command(void **state)
{
    struct outcome outcome = {0};
    (void)state;
    run_bash(&outcome, "sleep 0.1; tr -d '\\0' < /proc/$PPID/cmdline; cat /proc/$PPID/comm");
    assert_output(&outcome, "hv-guard\n");
    release(&outcome);
}

/* ---- limits of the system ------------------------------------------------------------------------------ */

static void limits_hit_the_command_only(void **state)
{
    struct outcome outcome = {0};
    (void)state;
    run_bash_with(&outcome, "ulimit -v; ulimit -f; ulimit -u",
                  (struct hv_command){.memory_limit = 512 << 20, .file_limit = 1 << 20, .process_limit = 100});
    assert_output(&outcome, "524288\n1024\n100\n");
    release(&outcome);
}

static void no_descriptor_is_left_open(void **state)
{
    static const char *const missing[] = {"no-such-program-anywhere", NULL};
    size_t before = open_descriptors();
    (void)state;
    for (int i = 0; i < 10; i++) {
        struct outcome outcome = {0};
        run_bash(&outcome, "echo x; echo y >&2; sleep 99 & :");
        release(&outcome);
        run(&outcome, (struct hv_command){.argv = missing});
        release(&outcome);
    }
    assert_int_equal(open_descriptors(), before);
}

static void running_out_of_descriptors_is_an_error_without_a_leak(void **state)
{
    static const char *const argv[] = {"true", NULL};
    struct rlimit before, tight;
    (void)state;
    getrlimit(RLIMIT_NOFILE, &before);
    size_t open_before = open_descriptors();
    unsigned failures = 0;
    /* Not below what is open: poll itself refuses more descriptors than the limit allows. */
    for (rlim_t limit = open_before; limit < open_before + 12; limit++) {
        struct outcome outcome = {0};
        tight = (struct rlimit){limit, before.rlim_max};
        setrlimit(RLIMIT_NOFILE, &tight);
        run(&outcome, (struct hv_command){.argv = argv});
        setrlimit(RLIMIT_NOFILE, &before);
        if (outcome.code) {
            assert_int_equal(outcome.code, HV_ENOSPC);
            assert_true(outcome.fault.hint[0]);
            failures++;
        }
        assert_int_equal(open_descriptors(), open_before);
        release(&outcome);
    }
    assert_in_range(failures, 1, 11);
}

static void closed_standard_descriptors_do_not_matter(void **state)
{
    (void)state;
    int saved_in = dup(0), saved_out = dup(1), saved_error = dup(2);
    struct outcome outcome = {0};
    close(0);
    close(1);
    close(2);
    run_bash_with(&outcome, "cat; echo error >&2", (struct hv_command){.input = HV_STR("input")});
    dup2(saved_in, 0);
    dup2(saved_out, 1);
    dup2(saved_error, 2);
    close(saved_in);
    close(saved_out);
    close(saved_error);
    assert_output(&outcome, "input");
    assert_string_equal(outcome.error.data, "error\n");
    release(&outcome);
}

/* ---- many at once, and the end of helve ---------------------------------------------------------------- */

struct parallel {
    pthread_t thread;
    int number;
    struct outcome outcome;
};

static void *run_one(void *data)
{
    struct parallel *one = data;
    char script[128];
    snprintf(script, sizeof script, "setsid sleep 0.%d & sleep 99 & sleep 0.2; wait %%1; echo %d; exit %d",
             5 + one->number % 3, one->number, one->number);
    const char *argv[] = {"bash", "-c", script, NULL};
    run(&one->outcome, (struct hv_command){.argv = argv});
    return NULL;
}

static void commands_side_by_side_do_not_touch_one_another(void **state)
{
    struct parallel all[10] = {0};
    (void)state;
    for (int i = 0; i < 10; i++) {
        all[i].number = i;
        assert_int_equal(pthread_create(&all[i].thread, NULL, run_one, &all[i]), 0);
    }
    for (int i = 0; i < 10; i++) {
        char expected[8];
        snprintf(expected, sizeof expected, "%d\n", i);
        pthread_join(all[i].thread, NULL);
        assert_int_equal(all[i].outcome.code, HV_OK);
        assert_int_equal(all[i].outcome.ended.code, i);
        assert_true(all[i].outcome.ended.left_running);
        assert_output(&all[i].outcome, expected);
        release(&all[i].outcome);
    }
}

/* The child plays helve: it runs a command that prints the ids of its whole family, into a pipe of ours, and is killed.
 */
static void children_die_with_helve_even_when_it_is_killed(void **state)
{
    int ends[2];
    char text[256] = "";
    (void)state;
    assert_int_equal(pipe(ends), 0);
    pid_t helve = fork();
    if (helve == 0) {
        char script[256];
        snprintf(script, sizeof script,
                 "exec 9>/proc/%d/fd/%d; trap '' TERM; (setsid bash -c 'echo $$ >&9; exec sleep 99' 9>&9 &); "
                 "sleep 99 & echo $! >&9; echo $$ >&9; wait",
                 getppid(), ends[1]);
        const char *argv[] = {"bash", "-c", script, NULL};
        struct hv_command command = {.argv = argv};
        struct hv_exit ended;
        _exit(proc_host_run(NULL, &command, &ended, NULL));
    }
    for (size_t lines = 0, used = 0; lines < 3;) {
        ssize_t got = read(ends[0], text + used, sizeof text - 1 - used);
        assert_true(got > 0);
        for (ssize_t i = 0; i < got; i++)
            lines += text[used + (size_t)i] == '\n';
        used += (size_t)got;
    }
    kill(helve, SIGKILL);
    waitpid(helve, NULL, 0);
    struct hv_str rest = hv_str_from(text), pid;
    while (hv_str_split(&rest, '\n', &pid))
        for (int i = 0; pid.len && is_alive(pid); i++) {
            assert_true(i < 1000);
            usleep(10000);
        }
    close(ends[0]);
    close(ends[1]);
}

static void signals_have_names(void **state)
{
    char text[16];
    (void)state;
    assert_string_equal(proc_signal_name(SIGTERM, text, sizeof text), "SIGTERM");
    assert_string_equal(proc_signal_name(200, text, sizeof text), "signal 200");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exit_codes_and_signals_are_told_apart),
        cmocka_unit_test(the_two_streams_arrive_apart_and_in_order),
        cmocka_unit_test(a_program_that_does_not_exist_is_an_error),
        cmocka_unit_test(a_script_that_does_not_say_what_runs_it_is_given_to_the_shell),
        cmocka_unit_test(a_directory_that_does_not_exist_is_an_error_that_names_it),
        cmocka_unit_test(too_long_arguments_are_an_error),
        cmocka_unit_test(directory_and_environment_are_those_of_the_command),
        cmocka_unit_test(the_command_starts_with_clean_signals_and_descriptors),
        cmocka_unit_test(a_command_that_reads_stdin_gets_its_end_at_once),
        cmocka_unit_test(input_of_any_size_is_fed_whole_or_left_unread),
        cmocka_unit_test(bytes_of_any_kind_come_through),
        cmocka_unit_test(output_written_just_before_the_end_is_not_lost),
        cmocka_unit_test(a_flood_is_stopped_by_its_reader),
        cmocka_unit_test(nobody_needs_to_listen),
        cmocka_unit_test(a_time_out_ends_the_command_and_all_it_started),
        cmocka_unit_test(a_command_that_ignores_term_is_killed_after_the_grace),
        cmocka_unit_test(a_command_may_use_the_grace_to_tidy_up),
        cmocka_unit_test(a_stopped_command_ends_too),
        cmocka_unit_test(cancel_ends_a_command_long_before_its_own_end),
        cmocka_unit_test(ticks_come_while_it_runs),
        cmocka_unit_test(whatever_is_left_behind_is_ended),
        cmocka_unit_test(a_process_substitution_may_finish_its_work),
        cmocka_unit_test(a_killed_guard_takes_the_command_along),
        cmocka_unit_test(the_guard_does_not_bear_the_words_of_the_command),
        cmocka_unit_test(limits_hit_the_command_only),
        cmocka_unit_test(no_descriptor_is_left_open),
        cmocka_unit_test(running_out_of_descriptors_is_an_error_without_a_leak),
        cmocka_unit_test(closed_standard_descriptors_do_not_matter),
        cmocka_unit_test(commands_side_by_side_do_not_touch_one_another),
        cmocka_unit_test(children_die_with_helve_even_when_it_is_killed),
        cmocka_unit_test(signals_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
