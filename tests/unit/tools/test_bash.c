/* test_bash.c: the tool Bash: output, exit codes, answers and failures, time, cancellation, the directory that lasts.
 */
#include "harness.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

extern const struct hv_tool tool_bash, tool_monitor;

static int open_session(void **state)
{
    static struct session session;
    session_open(&session);
    *state = &session;
    return 0;
}

static int close_session(void **state)
{
    session_close(*state);
    return 0;
}

/* Run a command as it is. */
static void bash(struct session *session, const char *command)
{
    struct hv_buf json;
    struct hv_json_writer writer;
    hv_buf_init(&json, 1 << 20);
    hv_json_writer_init(&writer, &json);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "command", command);
    hv_json_end_object(&writer);
    call_raw(session, &tool_bash, hv_buf_str(&json));
    hv_buf_release(&json);
}

static void expect_structured(struct session *session, const char *part)
{
    if (hv_str_find(session->result.structured, hv_str_from(part), 0) == SIZE_MAX)
        fail_msg("the structured result lacks %s: %.*s", part, HV_STR_ARG(session->result.structured));
}

/* The process whose number the file holds is gone within some seconds. */
static void expect_gone(struct session *session, const char *file)
{
    int64_t process;
    assert_true(hv_str_to_int64(hv_str_trim(file_get(session, file)), &process));
    for (int i = 0; i < 500 && kill((pid_t)process, 0) == 0; i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    assert_int_equal(kill((pid_t)process, 0), -1);
    assert_int_equal(errno, ESRCH);
}

static void both_streams_are_one_in_the_order_they_came(void **state)
{
    struct session *session = *state;
    for (int i = 0; i < 20; i++) {
        bash(session, "for i in 1 2 3; do echo o$i; echo e$i >&2; done");
        expect_fine(session);
        expect_text(session, "o1\ne1\no2\ne2\no3\ne3\n");
    }
    expect_structured(session, "\"stdout\":\"o1\\ne1\\no2\\ne2\\no3\\ne3\\n\"");
    expect_structured(session, "\"stderr\":\"\"");
    expect_structured(session, "\"exit_code\":0");
}

static void it_is_bash_and_stdin_is_empty(void **state)
{
    struct session *session = *state;
    bash(session, "[[ $BASH_VERSION ]] && a=(1 2) && echo ${#a[@]} <(:) | cut -c1; cat; read x; echo \"<$x>\"");
    expect_text(session, "2\n<>\n");
}

static void a_failure_says_the_exit_code(void **state)
{
    struct session *session = *state;
    bash(session, "echo out; echo err >&2; exit 3");
    expect_failure(session, "Command failed (exit code 3)");
    expect_has(session, "out\n");
    expect_has(session, "err\n");
    assert_true(hv_str_is(session->result.summary, "exit 3"));
    bash(session, "no_such_command_here");
    expect_failure(session, "Command failed (exit code 127)");
    bash(session, "--help"); /* a command too, and no option of what runs it */
    expect_failure(session, "Command failed (exit code 127)");
    bash(session, "echo 'unclosed");
    expect_failure(session, "Command failed");
}

static void answers_are_no_failures(void **state)
{
    struct session *session = *state;
    file_put(session, "f", "x\n");
    static const char *const commands[] = {"grep y f", "diff f /dev/null", "test -e nowhere", "[ 1 = 2 ]",
                                           "cmp f /dev/null"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        bash(session, commands[i]);
        expect_fine(session);
        expect_has(session, "(exit code 1)");
    }
    bash(session, "grep x nowhere");
    expect_failure(session, "Command failed (exit code 2)");
}

static void signals_are_named(void **state)
{
    struct session *session = *state;
    bash(session, "kill -SEGV $$");
    expect_failure(session, "ended by SIGSEGV");
    bash(session, "bash -c 'kill -TERM $$'");
    expect_failure(session, "SIGTERM");
}

static void a_time_out_ends_the_whole_group(void **state)
{
    struct session *session = *state;
    call(session, &tool_bash, "{'command':'sleep 300 & echo $! > child; echo begun; wait','timeout':700}");
    expect_failure(session, "timed out after 700 ms");
    expect_has(session, "begun");
    expect_gone(session, "child");
    expect_lacks(session, "SIGKILL");
    call(session, &tool_bash, "{'command':'trap : TERM; while :; do sleep 0.1; done','timeout':300}");
    expect_failure(session, "timed out after 300 ms and was ended (by SIGKILL, since it did not heed SIGTERM)");
    call(session, &tool_bash, "{'command':'true','timeout':600001}");
    expect_failure(session, "timeout");
    call(session, &tool_bash, "{'command':'true','timeout':0}");
    expect_failure(session, "timeout");
}

static void *cancel_when_begun(void *data)
{
    struct session *session = data;
    for (int i = 0; i < 1000 && !file_exists(session, "begun"); i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    hv_cancel_raise(session->cancel);
    return NULL;
}

static void cancellation_ends_grandchildren_too(void **state)
{
    struct session *session = *state;
    pthread_t thread;
    struct session other = {.root = session->root, .cancel = session->cancel}; /* with an arena of its own */
    assert_int_equal(pthread_create(&thread, NULL, cancel_when_begun, &other), 0);
    bash(session, "(setsid sleep 300 & echo $! > child; touch begun; wait) & wait");
    pthread_join(thread, NULL);
    hv_arena_release(&other.own);
    expect_failure(session, "cancelled");
    expect_gone(session, "child");
    assert_true(hv_str_is(session->result.summary, "cancelled"));
}

static void the_call_ends_with_the_shell_though_a_grandchild_keeps_the_pipe(void **state)
{
    struct session *session = *state;
    /* Were the sleeper waited for, this program would run into its time limit. */
    bash(session, "sleep 300 & echo $! > child; echo done");
    expect_fine(session);
    expect_has(session, "done\n");
    expect_has(session, "left in the background were ended");
    expect_gone(session, "child");
}

static void the_directory_lasts_inside_the_workspace(void **state)
{
    struct session *session = *state;
    directory_make(session, "sub dir");
    bash(session, "cd 'sub dir' && variable=1");
    expect_fine(session);
    assert_string_equal(session->directory.ptr, file_path(session, "sub dir"));
    session->context.directory = session->directory;
    bash(session, "pwd; echo \"<$variable>\"");
    expect_text(session, hv_arena_format(&session->own, "%s\n<>\n", session->directory.ptr).ptr);
    session->directory = (struct hv_str){0};
    bash(session, "cd /tmp");
    expect_has(session, "/tmp is outside the workspace");
    assert_null(session->directory.ptr);
    bash(session, "cd .. && exit 4");
    expect_failure(session, "exit code 4");
    assert_true(hv_str_eq(session->directory, session->root));
}

static void a_directory_that_is_gone_is_replaced_by_the_root(void **state)
{
    struct session *session = *state;
    session->context.directory = hv_str_from(file_path(session, "gone"));
    bash(session, "pwd");
    expect_has(session, session->root.ptr);
    expect_has(session, "no longer exists");
    assert_true(hv_str_eq(session->directory, session->root));
}

static void what_ends_within_a_word_is_told_as_bash_tells_it(void **state)
{
    static const char *const commands[] = {"cd .; echo 'a", "cd .; echo \"a", "cd .; echo ${a", "cd .; echo a \\"};
    struct session *session = *state;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        bash(session, commands[i]);
        if (i < 3)
            expect_has(session, "unexpected EOF while looking for matching");
        else
            expect_text(session, "a \\\n");
        expect_lacks(session, "helve");
    }
}

static void a_command_that_is_too_long_is_refused_with_advice(void **state)
{
    struct session *session = *state;
    struct hv_buf text;
    hv_buf_init(&text, 1 << 20);
    hv_buf_add_cstr(&text, "echo ");
    for (size_t i = 0; i < 140000; i++)
        hv_buf_add_byte(&text, 'x');
    bash(session, hv_arena_cstr(&session->own, hv_buf_str(&text)));
    hv_buf_release(&text);
    expect_has(session, "too long for the system");
    expect_has(session, "Write the text to a file");
}

static void no_helper_files_or_variables_show(void **state)
{
    struct session *session = *state;
    bash(session, "cd . ; ls -A \"$PWD\"; [[ -v helve_status ]] || env | grep -ci helve_status; true");
    assert_true(hv_str_starts(session->text, HV_STR("0\n")));
    DIR *directory = opendir(session->context.results_directory.ptr);
    assert_non_null(directory);
    size_t names = 0;
    for (const struct dirent *entry; (entry = readdir(directory));)
        names += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(directory);
    assert_int_equal(names, 0);
}

static size_t resident_kib(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return (size_t)usage.ru_maxrss;
}

static void a_flood_goes_to_a_file_in_constant_memory(void **state)
{
    struct session *session = *state;
    bash(session, "echo warm");
    size_t before = resident_kib();
    bash(session, "head -c 60000000 /dev/zero | tr '\\0' 'x' | fold -w 99; echo last");
    expect_fine(session);
    const struct hv_content *spool = session->result.first;
    while (spool && spool->type != HV_CONTENT_SPOOL)
        spool = spool->next;
    assert_non_null(spool);
    assert_int_equal(spool->size, 60000000 + 606060 + 5);
    assert_true(hv_str_ends(hv_str_trim(spool->tail), HV_STR("last")));
    assert_true(hv_str_starts(spool->head, HV_STR("xxxx")));
    struct stat status;
    assert_int_equal(stat(hv_arena_cstr(&session->own, spool->file), &status), 0);
    assert_int_equal(status.st_size, spool->size);
    assert_int_equal(status.st_mode & 077, 0);
    assert_true(resident_kib() - before < 30 * 1024); /* half of what came through */
}

static void invalid_utf8_and_escapes_reach_the_result_stage_as_they_are(void **state)
{
    struct session *session = *state;
    bash(session, "printf 'a\\xffb\\n'");
    expect_fine(session);
    expect_has(session, "a");
    expect_has(session, "b\n");
    const struct hv_json *value; /* the structured form is JSON all the same */
    assert_int_equal(hv_json_parse(&session->own, session->result.structured, HV_JSON_STRICT, &value, NULL), HV_OK);
}

static void silence_is_no_failure(void **state)
{
    struct session *session = *state;
    bash(session, "true");
    expect_fine(session);
    assert_true(hv_str_is(session->result.summary, "0 lines"));
}

static void long_work_tells_how_far_it_is(void **state)
{
    struct session *session = *state;
    bash(session, "echo working; sleep 2.5");
    expect_fine(session);
    assert_true(session->progress >= 1);
}

static void bad_commands_are_refused(void **state)
{
    struct session *session = *state;
    call(session, &tool_bash, "{'command':''}");
    expect_failure(session, "command");
    call(session, &tool_bash, "{'command':'  \\n '}");
    expect_failure(session, "empty");
    call(session, &tool_bash, "{'command':'a\\u0000b'}");
    expect_failure(session, "NUL");
    call(session, &tool_bash, "{'cmd':'echo x'}");
    expect_text(session, "x\n");
    assert_true(hv_tool_is_named(&tool_bash, HV_STR("run_shell")));
}

static enum hv_code stat_without_bash(const struct hv_host *host, struct hv_str path, bool follow,
                                      struct hv_file_stat *out, struct hv_error *err)
{
    (void)host;
    if (hv_str_ends(path, HV_STR("/bash")))
        return hv_fail(err, HV_ENOTFOUND, "there is none");
    return hv_host_local()->stat(hv_host_local(), path, follow, out, err);
}

static void without_a_bash_it_is_not_offered(void **state)
{
    struct session *session = *state;
    struct hv_host host = *session->context.host;
    struct hv_context context = session->context;
    assert_true(tool_bash.is_enabled(&context));
    assert_true(tool_monitor.is_enabled(&context));
    host.stat = stat_without_bash;
    context.host = &host;
    assert_false(tool_bash.is_enabled(&context));
    assert_false(tool_monitor.is_enabled(&context));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_session, close_session)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(both_streams_are_one_in_the_order_they_came),
        CASE(it_is_bash_and_stdin_is_empty),
        CASE(a_failure_says_the_exit_code),
        CASE(answers_are_no_failures),
        CASE(signals_are_named),
        CASE(a_time_out_ends_the_whole_group),
        CASE(cancellation_ends_grandchildren_too),
        CASE(the_call_ends_with_the_shell_though_a_grandchild_keeps_the_pipe),
        CASE(the_directory_lasts_inside_the_workspace),
        CASE(a_directory_that_is_gone_is_replaced_by_the_root),
        CASE(no_helper_files_or_variables_show),
        CASE(what_ends_within_a_word_is_told_as_bash_tells_it),
        CASE(a_command_that_is_too_long_is_refused_with_advice),
        CASE(a_flood_goes_to_a_file_in_constant_memory),
        CASE(invalid_utf8_and_escapes_reach_the_result_stage_as_they_are),
        CASE(silence_is_no_failure),
        CASE(long_work_tells_how_far_it_is),
        CASE(bad_commands_are_refused),
        CASE(without_a_bash_it_is_not_offered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
