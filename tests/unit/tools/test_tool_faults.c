/*
 * test_tool_faults.c: each tool that changes files stopped at its system calls in turn, as test_faults.c does with
 * fs_write. Killed there and looked after by the next start, the files have their old bytes or their new ones, and
 * nothing else stands beside them. (Failing calls: tests/unit/fs/test_faults.c.)
 */
#include "harness.h"

#include "fs/transaction.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern const struct hv_tool tool_read, tool_write, tool_edit, tool_multiedit, tool_apply_patch, tool_notebook_edit;

enum { CALLS_MAX = 3000, FINE = 0, FAILED = 1, NO_TRACING = 77 };

#define CELL(text)                                                                                                     \
    "{\"cells\":[{\"cell_type\":\"markdown\",\"id\":\"a\",\"metadata\":{},\"source\":\"" text                          \
    "\"}],\"metadata\":{},\"nbformat\":4,\"nbformat_minor\":5}\n"

/* A tool, what it is asked, and the two files before and after; NULL: there is none. */
static const struct attempt {
    const char *name;
    const struct hv_tool *tool;
    const char *input;
    const char *file, *before, *after, *other_before, *other_after; /* the other file is "other" */
    bool linked;                                                    /* has another name, "linked" */
    size_t step;                                                    /* every so many calls: long ones take samples */
} attempts[] = {
    {"Write", &tool_write, "{'file_path':'file','content':'new text\\n'}", "file", "old\n", "new text\n", NULL, NULL,
     false, 1},
    {"Write makes", &tool_write, "{'file_path':'file','content':'new\\n'}", "file", NULL, "new\n", NULL, NULL, false,
     1},
    {"Edit", &tool_edit, "{'file_path':'file','old_string':'old','new_string':'new text'}", "file", "the old\n",
     "the new text\n", NULL, NULL, false, 1},
    {"Edit in place", &tool_edit, "{'file_path':'file','old_string':'old','new_string':'a'}", "file", "the old\n",
     "the a\n", NULL, NULL, true, 2},
    {"MultiEdit", &tool_multiedit,
     "{'file_path':'file','edits':[{'old_string':'old','new_string':'new'},{'old_string':'new','new_string':'newer'}]}",
     "file", "the old\n", "the newer\n", NULL, NULL, false, 2},
    {"ApplyPatch", &tool_apply_patch,
     "{'patch':'*** Begin Patch\\n*** Update File: file\\n@@\\n-old\\n+new\\n*** Add File: other\\n+made\\n*** End "
     "Patch'}",
     "file", "old\n", "new\n", NULL, "made\n", false, 5},
    {"ApplyPatch removes", &tool_apply_patch,
     "{'patch':'*** Begin Patch\\n*** Update File: file\\n@@\\n-old\\n+new\\n*** Delete File: other\\n*** End Patch'}",
     "file", "old\n", "new\n", "gone\n", NULL, false, 5},
    {"NotebookEdit", &tool_notebook_edit, "{'notebook_path':'file.ipynb','cell_id':'a','new_source':'new'}",
     "file.ipynb", CELL("old"), CELL("new"), NULL, NULL, false, 2},
};
enum { ATTEMPTS = sizeof attempts / sizeof *attempts };

static bool traced = true;

static void remove_all(struct session *session)
{
    static const char *const names[] = {"file", "file.ipynb", "other", "linked"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        (void)unlink(file_path(session, names[i]));
}

static bool holds(struct session *session, const char *name, const char *text)
{
    return text ? file_exists(session, name) && hv_str_is(file_get(session, name), text) : !file_exists(session, name);
}

/* Files as before, read as the tools demand. */
static void prepare(struct session *session, const struct attempt *attempt)
{
    remove_all(session);
    if (attempt->before)
        file_put(session, attempt->file, attempt->before);
    if (attempt->linked)
        assert_int_equal(link(file_path(session, attempt->file), file_path(session, "linked")), 0);
    if (attempt->other_before)
        file_put(session, "other", attempt->other_before);
    if (attempt->before) {
        call(session, &tool_read, hv_arena_format(&session->own, "{'file_path':'%s'}", attempt->file).ptr);
        expect_fine(session);
    }
}

static bool stands(struct session *session, const struct attempt *attempt, bool after)
{
    return holds(session, attempt->file, after ? attempt->after : attempt->before) &&
           holds(session, "other", after ? attempt->other_after : attempt->other_before) &&
           (!attempt->linked || hv_str_eq(file_get(session, "linked"), file_get(session, attempt->file)));
}

static size_t entries(const char *path)
{
    size_t count = 0;
    DIR *directory = opendir(path);
    for (const struct dirent *entry; directory && (entry = readdir(directory));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    if (directory)
        closedir(directory);
    return count;
}

/* What the next start does; nothing may be left but the files. */
static void recover(struct session *session, const struct attempt *attempt, size_t number)
{
    struct fs_recovery recovery;
    static const char *const names[] = {"file", "file.ipynb", "other", "linked", "journal"};
    size_t wanted = 0;
    fs_recover_changes(session->context.changes_directory, &recovery);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        wanted += file_exists(session, names[i]);
    if (recovery.conflicts || entries(session->root.ptr) != wanted || entries(file_path(session, "journal")))
        fail_msg("%s, call %zu: something is left", attempt->name, number);
}

static pid_t start(struct session *session, const struct attempt *attempt)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
            _exit(NO_TRACING);
        raise(SIGSTOP);
        call(session, attempt->tool, attempt->input);
        _exit(session->failed ? FAILED : FINE);
    }
    return child;
}

static bool next_stop(pid_t child, int *status)
{
    assert_int_equal(ptrace(PTRACE_SYSCALL, child, NULL, NULL), 0);
    assert_int_equal(waitpid(child, status, 0), child);
    return WIFSTOPPED(*status);
}

/* A child that is about to enter its call of that number; 0 when it has ended before, with its *status. */
static pid_t start_to_call(struct session *session, const struct attempt *attempt, size_t number, int *status)
{
    pid_t child = start(session, attempt);
    assert_int_equal(waitpid(child, status, 0), child);
    if (!WIFSTOPPED(*status)) {
        print_message("# tracing is not allowed here\n");
        traced = false;
        return 0;
    }
    for (size_t stops = 0; stops < 2 * number - 1; stops++)
        if (!next_stop(child, status))
            return 0;
    return child;
}

static void killed_at_system_calls(void **state)
{
    struct session *session = *state;
    for (size_t i = 0; i < ATTEMPTS; i++) {
        const struct attempt *attempt = &attempts[i];
        size_t number = 1, before = 0;
        for (int status; traced && number < CALLS_MAX; number += attempt->step) {
            prepare(session, attempt);
            pid_t child = start_to_call(session, attempt, number, &status);
            if (!child)
                break;
            assert_int_equal(kill(child, SIGKILL), 0);
            assert_int_equal(waitpid(child, &status, 0), child);
            recover(session, attempt, number);
            if (!stands(session, attempt, false) && !stands(session, attempt, true))
                fail_msg("%s killed at call %zu: %.*s", attempt->name, number,
                         HV_STR_ARG(file_get(session, attempt->file)));
            before += stands(session, attempt, false);
        }
        if (!traced)
            return;
        assert_true(stands(session, attempt, true)); /* the last run went through */
        assert_true(before > 3);
    }
}

static int open_session(void **state)
{
    static struct session session;
    session_open(&session);
    session.context.changes_directory = hv_arena_format(&session.own, "%.*s/journal", HV_STR_ARG(session.root));
    *state = &session;
    return 0;
}

static int close_session(void **state)
{
    session_close(*state);
    return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_session, close_session)

int main(void)
{
    /* Hundreds of runs that wait for the disk would take minutes; in memory the system calls are the same. */
    if (access("/dev/shm", W_OK) == 0)
        (void)setenv("TMPDIR", "/dev/shm", 0);
    const struct CMUnitTest tests[] = {CASE(killed_at_system_calls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
