/*
 * test_tool_faults.c: each tool that changes files stopped at its system calls in turn, as test_faults.c does with
 * fs_write. Killed there, or told that the call failed, and looked after by the next start, the files have their old
 * bytes or their new ones, and nothing else stands beside them. What a tool calls done is done; what it says of a fault
 * names the next step.
 */
#include "harness.h"

#include "fs/transaction.h"

#include <dirent.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

extern const struct hv_tool tool_read, tool_write, tool_edit, tool_multiedit, tool_apply_patch, tool_notebook_edit;

/* Each run forks, which costs ten times as much under AddressSanitizer: there each tool skips other calls than the
 * next, and they share most of them. */
#ifdef __SANITIZE_ADDRESS__
enum { STRIDE = 3 };
#else
enum { STRIDE = 1 };
#endif
enum { CALLS_MAX = 3000, FINE = 0, FAILED = 1, FAILED_HELPLESS = 2, NO_TRACING = 77 };

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
} attempts[] = {
    {"Write", &tool_write, "{'file_path':'file','content':'new text\\n'}", "file", "old\n", "new text\n", NULL, NULL,
     false},
    {"Write makes", &tool_write, "{'file_path':'file','content':'new\\n'}", "file", NULL, "new\n", NULL, NULL, false},
    {"Write makes directories", &tool_write, "{'file_path':'made/deep/file','content':'new\\n'}", "made/deep/file",
     NULL, "new\n", NULL, NULL, false},
    {"Edit", &tool_edit, "{'file_path':'file','old_string':'old','new_string':'new text'}", "file", "the old\n",
     "the new text\n", NULL, NULL, false},
    {"Edit in place", &tool_edit, "{'file_path':'file','old_string':'old','new_string':'a'}", "file", "the old\n",
     "the a\n", NULL, NULL, true},
    {"MultiEdit", &tool_multiedit,
     "{'file_path':'file','edits':[{'old_string':'old','new_string':'new'},{'old_string':'new','new_string':'newer'}]}",
     "file", "the old\n", "the newer\n", NULL, NULL, false},
    {"ApplyPatch", &tool_apply_patch,
     "{'patch':'*** Begin Patch\\n*** Update File: file\\n@@\\n-old\\n+new\\n*** Add File: other\\n+made\\n*** End "
     "Patch'}",
     "file", "old\n", "new\n", NULL, "made\n", false},
    {"ApplyPatch removes", &tool_apply_patch,
     "{'patch':'*** Begin Patch\\n*** Update File: file\\n@@\\n-old\\n+new\\n*** Delete File: other\\n*** End Patch'}",
     "file", "old\n", "new\n", "gone\n", NULL, false},
    {"NotebookEdit", &tool_notebook_edit, "{'notebook_path':'file.ipynb','cell_id':'a','new_source':'new'}",
     "file.ipynb", CELL("old"), CELL("new"), NULL, NULL, false},
};
enum { ATTEMPTS = sizeof attempts / sizeof *attempts };

static bool traced = true;

static void remove_all(struct session *session)
{
    static const char *const names[] = {"file", "file.ipynb", "other", "linked"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        (void)unlink(file_path(session, names[i]));
    (void)unlink(file_path(session, "made/deep/file"));
    (void)rmdir(file_path(session, "made/deep"));
    (void)rmdir(file_path(session, "made"));
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
    static const char *const names[] = {"file", "file.ipynb", "other", "linked", "journal", "made/deep/file"};
    size_t wanted = 0;
    fs_recover_changes(session->context.changes_directory, &recovery);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        wanted += file_exists(session, names[i]);
    if (recovery.conflicts || entries(session->root.ptr) != wanted || entries(file_path(session, "journal")))
        fail_msg("%s, call %zu: something is left", attempt->name, number);
}

static int say_helpless(const struct session *session)
{
    print_message("# without a next step: %s\n", session->err.message);
    (void)fflush(NULL); /* _exit does not */
    return FAILED_HELPLESS;
}

/* Calls that change what others see: between two of them a kill finds the same. */
static const int changing[] = {
#ifdef SYS_open
    SYS_open,      SYS_creat,    SYS_rename,    SYS_link,      SYS_unlink,    SYS_symlink,
    SYS_mkdir,     SYS_rmdir,    SYS_chmod,
#endif
#ifdef SYS_renameat
    SYS_renameat,
#endif
    SYS_openat,    SYS_write,    SYS_writev,    SYS_pwrite64,  SYS_pwritev,   SYS_renameat2,
    SYS_linkat,    SYS_unlinkat, SYS_mkdirat,   SYS_symlinkat, SYS_fchmod,    SYS_fchmodat,
    SYS_fchown,    SYS_fchownat, SYS_ftruncate, SYS_truncate,  SYS_fallocate, SYS_fsync,
    SYS_fdatasync, SYS_flock,    SYS_fsetxattr, SYS_utimensat, SYS_close,     SYS_copy_file_range,
};

/* Calls that cannot fail so, or whose failure is the machine's and not the file system's. */
static const int unfailing[] = {SYS_exit_group, SYS_munmap,         SYS_close, SYS_mmap,
                                SYS_madvise,    SYS_rt_sigprocmask, SYS_brk,   SYS_sigaltstack};

/* From here on the process stops at each of these calls, or at all but these. */
static bool stop_at(const int *calls, size_t count, bool all_but)
{
    struct sock_filter program[64] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    unsigned short length = 1;
    for (size_t i = 0; i < count; i++) { /* each jumps to the last statement */
        program[length] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i], (unsigned char)(count - i), 0);
        length++;
    }
    program[length++] = (struct sock_filter)BPF_STMT(BPF_RET, all_but ? SECCOMP_RET_TRACE : SECCOMP_RET_ALLOW);
    program[length++] = (struct sock_filter)BPF_STMT(BPF_RET, all_but ? SECCOMP_RET_ALLOW : SECCOMP_RET_TRACE);
    struct sock_fprog filter = {length, program};
    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

static pid_t start(struct session *session, const struct attempt *attempt, bool to_kill)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
            _exit(NO_TRACING);
        raise(SIGSTOP);
        if (to_kill ? !stop_at(changing, sizeof changing / sizeof *changing, false)
                    : !stop_at(unfailing, sizeof unfailing / sizeof *unfailing, true))
            _exit(NO_TRACING);
        call(session, attempt->tool, attempt->input);
        _exit(!session->failed ? FINE : session->err.hint[0] ? FAILED : say_helpless(session));
    }
    return child;
}

/* Up to the next of the calls that the child stops at; false when it has ended, with its *status. */
static bool next_stop(pid_t child, int *status)
{
    assert_int_equal(ptrace(PTRACE_CONT, child, NULL, NULL), 0);
    assert_int_equal(waitpid(child, status, 0), child);
    return WIFSTOPPED(*status);
}

/* A child that is about to enter its call of that number; 0 when it has ended before, with its *status. */
static pid_t start_to_call(struct session *session, const struct attempt *attempt, bool to_kill, size_t number,
                           int *status)
{
    pid_t child = start(session, attempt, to_kill);
    assert_int_equal(waitpid(child, status, 0), child);
    bool going =
        WIFSTOPPED(*status) && !ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL);
    for (size_t i = 0; i < number && going; i++)
        going = next_stop(child, status);
    if (!going && WIFEXITED(*status) && WEXITSTATUS(*status) == NO_TRACING) {
        print_message("# tracing is not allowed here\n");
        traced = false;
    }
    return going ? child : 0;
}

static void killed_at_system_calls(void **state)
{
    struct session *session = *state;
    for (size_t i = 0; i < ATTEMPTS; i++) {
        const struct attempt *attempt = &attempts[i];
        size_t number = 1 + i % STRIDE, before = 0;
        for (int status; traced && number < CALLS_MAX; number += STRIDE) {
            prepare(session, attempt);
            pid_t child = start_to_call(session, attempt, true, number, &status);
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
        assert_true(before * STRIDE > 3);
    }
}

#ifdef __x86_64__

/* Make the call that the child is about to enter fail with reason. */
static void fail_call(pid_t child, int reason)
{
    struct user_regs_struct registers;
    assert_int_equal(ptrace(PTRACE_GETREGS, child, NULL, &registers), 0);
    registers.orig_rax = (unsigned long long)-1;
    registers.rax = (unsigned long long)-(long long)reason;
    assert_int_equal(ptrace(PTRACE_SETREGS, child, NULL, &registers), 0);
}

/* One run in which that call fails; false when there are not so many calls. */
static bool fail_at(struct session *session, const struct attempt *attempt, size_t number, int reason, size_t *failed)
{
    int status;
    prepare(session, attempt);
    pid_t child = start_to_call(session, attempt, false, number, &status);
    if (!child)
        return false;
    fail_call(child, reason);
    while (next_stop(child, &status)) /* without a tracer the calls would fail */
        continue;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    recover(session, attempt, number);
    bool is_new = stands(session, attempt, true);
    /* An error after the new bytes stand (the directory could not be synced) is told, and they stay. */
    if ((code != FINE && code != FAILED) || !(is_new || (code == FAILED && stands(session, attempt, false))))
        fail_msg("%s, call %zu failing with %s: exit %d", attempt->name, number, strerror(reason), code);
    *failed += code == FAILED;
    return true;
}

/* Each call with another reason than its neighbours; what the tools share fails with all of them in turn. */
static void each_system_call_fails(void **state)
{
    static const int reasons[] = {ENOSPC, EIO, EACCES, EROFS, EDQUOT, EINTR, EMFILE};
    enum { REASONS = sizeof reasons / sizeof *reasons };
    for (size_t i = 0; i < ATTEMPTS && traced; i++) {
        size_t number = 1 + i % STRIDE, failed = 0;
        while (number < CALLS_MAX && fail_at(*state, &attempts[i], number, reasons[(number + i) % REASONS], &failed))
            number += STRIDE;
        assert_true(!traced || failed * STRIDE > 3);
    }
}

#else

static void each_system_call_fails(void **state)
{
    (void)state; /* making calls fail needs to know the machine's registers */
}

#endif

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
    const struct CMUnitTest tests[] = {CASE(killed_at_system_calls), CASE(each_system_call_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
