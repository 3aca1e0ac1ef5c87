/*
 * test_faults.c: fs_write stopped at each of its system calls in turn. Killed there, the file must have its old bytes
 * or its new ones (written in place: or a whole backup beside it), and with a journal the next start must leave nothing
 * else of it: no mixture, no temporary file, no directory. With that call failing (x86-64 only), an error must leave
 * the old bytes and nothing else, and success must have brought the new. The writer runs as a child under ptrace.
 */
#include "folder.h"

#include "fs/host_files.h"
#include "fs/transaction.h"
#include "fs/write.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define OLD "the old text\n"
#define NEW "the new text, which is longer than the old one\n"

enum { CALLS_MAX = 600, WROTE = 0, FAILED = 1, NO_TRACING = 77 };

enum shape { REPLACED, CREATED, IN_PLACE, REPLACED_KNOWN, CREATED_BELOW, IN_PLACE_KNOWN, SHRUNK_IN_PLACE };

static bool is_in_place(enum shape shape)
{
    return shape == IN_PLACE || shape == IN_PLACE_KNOWN || shape == SHRUNK_IN_PLACE;
}

static bool has_journal(enum shape shape)
{
    return shape >= REPLACED_KNOWN;
}

static bool creates(enum shape shape)
{
    return shape == CREATED || shape == CREATED_BELOW;
}

static const char *file_of(enum shape shape)
{
    return shape == CREATED_BELOW ? "new/deep/file" : "file";
}

static const char *old_of(enum shape shape)
{
    return shape == SHRUNK_IN_PLACE ? NEW : OLD;
}

static const char *new_of(enum shape shape)
{
    return shape == SHRUNK_IN_PLACE ? OLD : NEW;
}

static void empty(struct folder *folder, const char *name)
{
    struct hv_directory_entry *entries;
    size_t count;
    bool more;
    assert_int_equal(fs_host_list(NULL, &folder->arena, folder_path(folder, name), 1000, &entries, &count, &more, NULL),
                     HV_OK);
    for (size_t i = 0; i < count; i++) {
        const char *below = hv_arena_format(&folder->arena, "%s/%s", name, entries[i].name.ptr).ptr;
        if (entries[i].kind != HV_FILE_DIRECTORY) {
            assert_int_equal(unlink(folder_cpath(folder, below)), 0);
            continue;
        }
        empty(folder, below);
        assert_int_equal(rmdir(folder_cpath(folder, below)), 0);
    }
}

/* The folder as each run finds it: nothing in it but what the shape wants. */
static void prepare(struct folder *folder, enum shape shape)
{
    empty(folder, ".");
    if (!creates(shape))
        folder_put(folder, "file", old_of(shape));
    if (is_in_place(shape))
        assert_int_equal(link(folder_cpath(folder, "file"), folder_cpath(folder, "linked")), 0);
}

/* A child that stops, then writes the file. */
static pid_t start_writer(struct folder *folder, enum shape shape)
{
    struct hv_str path = folder_path(folder, file_of(shape)), journal = folder_path(folder, "journal");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
            _exit(NO_TRACING);
        const struct hv_write_options options = {.make_parents = creates(shape), .journal = journal};
        raise(SIGSTOP);
        enum hv_code code =
            fs_write(path, hv_str_from(new_of(shape)), has_journal(shape) ? &options : NULL, NULL, NULL);
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
    assert_int_equal(fs_host_list(NULL, &folder->arena, folder->path, 1000, &entries, &count, &more, NULL), HV_OK);
    for (size_t i = 0; i < count; i++)
        found |= fs_is_backup(entries[i].name) && holds(folder, entries[i].name.ptr, OLD);
    return found;
}

static bool is_old(struct folder *folder, enum shape shape)
{
    return creates(shape) ? !folder_has(folder, file_of(shape)) : holds(folder, "file", old_of(shape));
}

static bool is_new(struct folder *folder, enum shape shape)
{
    return holds(folder, file_of(shape), new_of(shape));
}

/* Nothing stands beside the file and, where it should, the journal, which is empty. */
static bool nothing_else(struct folder *folder, enum shape shape)
{
    bool journal = folder_has(folder, "journal");
    size_t wanted = (is_in_place(shape) ? 2 : !creates(shape) || is_new(folder, shape)) + journal;
    bool below = shape != CREATED_BELOW || !is_new(folder, shape) || folder_count(folder, "new/deep") == 1;
    return below && folder_count(folder, "") == wanted && (!journal || folder_count(folder, "journal") == 0);
}

/* What the next start does. */
static void recover(struct folder *folder)
{
    struct fs_recovery recovery;
    fs_recover_changes(folder_path(folder, "journal"), &recovery);
    assert_int_equal(recovery.conflicts, 0);
}

/* ---- kills ---------------------------------------------------------------------------------------------- */

/* Returns whether the writer came that far. */
static bool kill_at(struct folder *folder, enum shape shape, size_t number)
{
    int status;
    prepare(folder, shape);
    pid_t child = start_writer(folder, shape);
    if (!wait_for_start(child, &status))
        return no_tracing();
    bool reached = run_to_call_number(child, number, &status);
    if (reached) {
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
    }
    if (has_journal(shape))
        recover(folder);
    bool whole = is_old(folder, shape) || is_new(folder, shape);
    if (!whole && !(shape == IN_PLACE && has_backup(folder)))
        fail_msg("killed at call %zu: %.*s", number, HV_STR_ARG(folder_get(folder, file_of(shape))));
    if (has_journal(shape) && !nothing_else(folder, shape))
        fail_msg("killed at call %zu, something is left", number);
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
    assert_true(is_new(folder, shape)); /* the last run went through */
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

static void killed_at_each_call_while_replacing_with_a_journal(void **state)
{
    kill_at_every_call(*state, REPLACED_KNOWN);
}

static void killed_at_each_call_while_creating_with_parents(void **state)
{
    kill_at_every_call(*state, CREATED_BELOW);
}

static void killed_at_each_call_while_writing_in_place_with_a_journal(void **state)
{
    kill_at_every_call(*state, IN_PLACE_KNOWN);
}

static void killed_at_each_call_while_making_a_file_shorter_in_place(void **state)
{
    kill_at_every_call(*state, SHRUNK_IN_PLACE);
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
    pid_t child = start_writer(folder, shape);
    if (!wait_for_start(child, &status))
        return no_tracing();
    bool reached = run_to_call_number(child, number, &status);
    if (reached) {
        fail_call(child, reason);
        assert_int_equal(ptrace(PTRACE_DETACH, child, NULL, NULL), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
    }
    assert_true(WIFEXITED(status));
    bool wrote = WEXITSTATUS(status) == WROTE, now_new = is_new(folder, shape);
    if (has_journal(shape) && reached)
        recover(folder); /* of a file that could not be removed, say */
    /* An error after the new bytes stand (the directory could not be synced) is told, and they stay. */
    bool whole = is_old(folder, shape) || now_new || (shape == IN_PLACE && has_backup(folder));
    if (!whole || (wrote && !now_new))
        fail_msg("call %zu failed with %d: exit %d", number, reason, WEXITSTATUS(status));
    return reached;
}

/* Each call with two of the reasons in turn: the next runs, one call longer or shorter, bring the others. */
static void fail_at_every_call(struct folder *folder, enum shape shape)
{
    static const int reasons[] = {ENOSPC, EIO, EACCES, EROFS, EDQUOT, EINTR};
    enum { REASONS = sizeof reasons / sizeof *reasons };
    size_t number = 1;
    while (number < CALLS_MAX && fail_at(folder, shape, number, reasons[number % REASONS]) &&
           fail_at(folder, shape, number, reasons[(number / REASONS + number + 3) % REASONS])) {
        number++;
        hv_arena_reset(&folder->arena);
    }
    if (traced)
        assert_in_range(number, 10, CALLS_MAX - 1);
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

static void each_call_fails_while_replacing_with_a_journal(void **state)
{
    fail_at_every_call(*state, REPLACED_KNOWN);
}

static void each_call_fails_while_creating_with_parents(void **state)
{
    fail_at_every_call(*state, CREATED_BELOW);
}

static void each_call_fails_while_writing_in_place_with_a_journal(void **state)
{
    fail_at_every_call(*state, IN_PLACE_KNOWN);
}

static void each_call_fails_while_making_a_file_shorter_in_place(void **state)
{
    fail_at_every_call(*state, SHRUNK_IN_PLACE);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)

int main(void)
{
    /* Hundreds of runs that wait for the disk would take minutes; in memory the system calls are the same. */
    if (access("/dev/shm", W_OK) == 0)
        (void)setenv("TMPDIR", "/dev/shm", 0);
    const struct CMUnitTest tests[] = {
        CASE(killed_at_each_call_while_replacing),
        CASE(killed_at_each_call_while_creating),
        CASE(killed_at_each_call_while_writing_in_place),
        CASE(killed_at_each_call_while_replacing_with_a_journal),
        CASE(killed_at_each_call_while_creating_with_parents),
        CASE(killed_at_each_call_while_writing_in_place_with_a_journal),
        CASE(killed_at_each_call_while_making_a_file_shorter_in_place),
        CASE(each_call_fails_while_replacing),
        CASE(each_call_fails_while_creating),
        CASE(each_call_fails_while_writing_in_place),
        CASE(each_call_fails_while_replacing_with_a_journal),
        CASE(each_call_fails_while_creating_with_parents),
        CASE(each_call_fails_while_writing_in_place_with_a_journal),
        CASE(each_call_fails_while_making_a_file_shorter_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
