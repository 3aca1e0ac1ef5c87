/*
 * test_faults.c: fs_write stopped at each of its system calls in turn. Killed there, the file must have its old bytes
 * or its new ones (written in place: or a whole backup beside it). With that call failing (x86-64 only), an error must
 * leave the old bytes, and success must have brought the new. The writer runs as a child under ptrace.
 */
#include "folder.h"

#include "fs/write.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define OLD "the old text\n"
#define NEW "the new text, which is longer than the old one\n"

enum { CALLS_MAX = 400, WROTE = 0, FAILED = 1, NO_TRACING = 77 };

enum shape { REPLACED, CREATED, IN_PLACE };

/* The folder as each run finds it: nothing in it but what the shape wants. */
static void prepare(struct folder *folder, enum shape shape)
{
    struct hv_directory_entry *entries;
    size_t count;
    bool more;
    const struct hv_host *host = hv_host_local();
    assert_int_equal(host->list(host, &folder->arena, folder->path, 1000, &entries, &count, &more, NULL), HV_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(unlink(folder_cpath(folder, entries[i].name.ptr)), 0);
    if (shape != CREATED)
        folder_put(folder, "file", OLD);
    if (shape == IN_PLACE)
        assert_int_equal(link(folder_cpath(folder, "file"), folder_cpath(folder, "linked")), 0);
}

/* A child that stops, then writes the file. */
static pid_t start_writer(struct folder *folder)
{
    struct hv_str path = folder_path(folder, "file");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
            _exit(NO_TRACING);
        raise(SIGSTOP);
        enum hv_code code = fs_write(path, HV_STR(NEW), NULL, NULL, NULL);
        _exit(code ? FAILED : WROTE);
    }
    return child;
}

/* Let the child run into its next stop at a system call; false when it has ended, with its *status. */
static bool run_to_call(pid_t child, int *status)
{
    assert_int_equal(ptrace(PTRACE_SYSCALL, child, NULL, NULL), 0);
    assert_int_equal(waitpid(child, status, 0), child);
    return WIFSTOPPED(*status);
}

/* Run up to the entry of the call of that number; false when there are not so many. */
static bool run_to_call_number(pid_t child, size_t number, int *status)
{
    for (size_t i = 0; i < number; i++)
        if (!run_to_call(child, status) || (i + 1 < number && !run_to_call(child, status)))
            return false;
    return true;
}

static bool wait_for_start(pid_t child, int *status)
{
    assert_int_equal(waitpid(child, status, 0), child);
    return WIFSTOPPED(*status);
}

static bool traced = true;

static bool no_tracing(void)
{
    print_message("# tracing is not allowed here\n");
    return traced = false;
}

static bool holds(struct folder *folder, const char *name, const char *text)
{
    return folder_has(folder, name) && hv_str_is(folder_get(folder, name), text);
}

static bool has_backup(struct folder *folder)
{
    struct hv_directory_entry *entries;
    size_t count;
    bool more, found = false;
    const struct hv_host *host = hv_host_local();
    assert_int_equal(host->list(host, &folder->arena, folder->path, 1000, &entries, &count, &more, NULL), HV_OK);
    for (size_t i = 0; i < count; i++)
        found |= fs_is_backup(entries[i].name) && holds(folder, entries[i].name.ptr, OLD);
    return found;
}

static bool is_old(struct folder *folder, enum shape shape)
{
    return shape == CREATED ? !folder_has(folder, "file") : holds(folder, "file", OLD);
}

/* ---- kills ---------------------------------------------------------------------------------------------- */

/* Returns whether the writer came that far. */
static bool kill_at(struct folder *folder, enum shape shape, size_t number)
{
    int status;
    prepare(folder, shape);
    pid_t child = start_writer(folder);
    if (!wait_for_start(child, &status))
        return no_tracing();
    bool reached = run_to_call_number(child, number, &status);
    if (reached) {
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
    }
    bool whole = is_old(folder, shape) || holds(folder, "file", NEW);
    if (!whole && !(shape == IN_PLACE && has_backup(folder)))
        fail_msg("killed at call %zu: %.*s", number, HV_STR_ARG(folder_get(folder, "file")));
    return reached;
}

static void kill_at_every_call(struct folder *folder, enum shape shape)
{
    size_t number = 1;
    while (number < CALLS_MAX && kill_at(folder, shape, number)) {
        number++;
        hv_arena_reset(&folder->arena);
    }
    if (!traced)
        return;
    assert_in_range(number, 10, CALLS_MAX - 1);
    assert_true(holds(folder, "file", NEW)); /* the last run went through */
}

static void killed_at_each_call_while_replacing(void **state)
{
    kill_at_every_call(*state, REPLACED);
}

static void killed_at_each_call_while_creating(void **state)
{
    kill_at_every_call(*state, CREATED);
}

static void killed_at_each_call_while_writing_in_place(void **state)
{
    kill_at_every_call(*state, IN_PLACE);
}

/* ---- failing calls ---------------------------------------------------------------------------------------- */

#ifdef __x86_64__

/* Calls that cannot fail so, or whose failure is the test's own doing. */
static bool may_fail(unsigned long long number)
{
    return number != SYS_exit_group && number != SYS_munmap && number != SYS_close && number != SYS_mmap &&
           number != SYS_madvise && number != SYS_rt_sigprocmask && number != SYS_brk && number != SYS_sigaltstack;
}

/* Make the call that the child is about to enter fail with reason. */
static void fail_call(pid_t child, int reason)
{
    int status;
    struct user_regs_struct registers;
    assert_int_equal(ptrace(PTRACE_GETREGS, child, NULL, &registers), 0);
    if (!may_fail(registers.orig_rax))
        return;
    registers.orig_rax = (unsigned long long)-1;
    assert_int_equal(ptrace(PTRACE_SETREGS, child, NULL, &registers), 0);
    assert_true(run_to_call(child, &status));
    assert_int_equal(ptrace(PTRACE_GETREGS, child, NULL, &registers), 0);
    registers.rax = (unsigned long long)-(long long)reason;
    assert_int_equal(ptrace(PTRACE_SETREGS, child, NULL, &registers), 0);
}

static bool fail_at(struct folder *folder, enum shape shape, size_t number, int reason)
{
    int status;
    prepare(folder, shape);
    pid_t child = start_writer(folder);
    if (!wait_for_start(child, &status))
        return no_tracing();
    bool reached = run_to_call_number(child, number, &status);
    if (reached) {
        fail_call(child, reason);
        assert_int_equal(ptrace(PTRACE_DETACH, child, NULL, NULL), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
    }
    assert_true(WIFEXITED(status));
    bool wrote = WEXITSTATUS(status) == WROTE, is_new = holds(folder, "file", NEW);
    /* An error after the new bytes stand (the directory could not be synced) is told, and they stay. */
    bool whole = is_old(folder, shape) || is_new || (shape == IN_PLACE && has_backup(folder));
    if (!whole || (wrote && !is_new))
        fail_msg("call %zu failed with %d: exit %d", number, reason, WEXITSTATUS(status));
    return reached;
}

static void fail_at_every_call(struct folder *folder, enum shape shape)
{
    static const int reasons[] = {ENOSPC, EIO, EACCES, EINTR};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        size_t number = 1;
        while (number < CALLS_MAX && fail_at(folder, shape, number, reasons[i])) {
            number++;
            hv_arena_reset(&folder->arena);
        }
        if (!traced)
            return;
        assert_in_range(number, 10, CALLS_MAX - 1);
    }
}

#else

static void fail_at_every_call(struct folder *folder, enum shape shape)
{
    (void)folder, (void)shape; /* making calls fail needs to know the machine's registers */
}

#endif

static void each_call_fails_while_replacing(void **state)
{
    fail_at_every_call(*state, REPLACED);
}

static void each_call_fails_while_creating(void **state)
{
    fail_at_every_call(*state, CREATED);
}

static void each_call_fails_while_writing_in_place(void **state)
{
    fail_at_every_call(*state, IN_PLACE);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(killed_at_each_call_while_replacing),
        CASE(killed_at_each_call_while_creating),
        CASE(killed_at_each_call_while_writing_in_place),
        CASE(each_call_fails_while_replacing),
        CASE(each_call_fails_while_creating),
        CASE(each_call_fails_while_writing_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
