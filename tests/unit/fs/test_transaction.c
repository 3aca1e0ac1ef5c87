/*
 * test_transaction.c: several files change, all or none: at a fault in the middle, and when the process is killed at
 * its system calls in turn and the next one looks after what it left.
 */
#include "folder.h"

#include "fs/transaction.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS_MAX = 2000, NO_TRACING = 77, CHANGES = 5 };

static const struct {
    const char *name, *before, *after;
} files[CHANGES] = {
    {"changed", "old\n", "new and longer\n"},
    {"sub/deep/created", NULL, "created\n"},
    {"gone", "gone\n", NULL},
    {"last", "1\n", "2\n"},
    {"linked", "a text that becomes shorter\n", "short\n"}, /* has another name: written in place */
};

/* The files as each run finds them, and the changes that are asked for. */
static void prepare(struct folder *folder, struct hv_file_change changes[CHANGES])
{
    for (size_t i = 0; i < CHANGES; i++) {
        if (files[i].before)
            folder_put(folder, files[i].name, files[i].before);
        else
            (void)unlink(folder_cpath(folder, files[i].name));
        changes[i] = (struct hv_file_change){
            .path = folder_path(folder, files[i].name),
            .bytes = files[i].after ? hv_str_from(files[i].after) : (struct hv_str){0},
            .options = {.make_parents = true},
        };
    }
    (void)rmdir(folder_cpath(folder, "sub/deep"));
    (void)rmdir(folder_cpath(folder, "sub"));
    if (!folder_has(folder, "name"))
        assert_int_equal(link(folder_cpath(folder, "linked"), folder_cpath(folder, "name")), 0);
}

/* Beside what is asked for there is nothing but the journal. */
static bool nothing_else(struct folder *folder, bool after)
{
    bool journal = folder_has(folder, "journal");
    return folder_has(folder, "sub") == after && (!journal || folder_count(folder, "journal") == 0) &&
           folder_count(folder, "") == 5u + journal && (!after || folder_count(folder, "sub/deep") == 1);
}

static bool stand(struct folder *folder, bool after)
{
    for (size_t i = 0; i < CHANGES; i++) {
        const char *wanted = after ? files[i].after : files[i].before;
        if (folder_has(folder, files[i].name) != (wanted != NULL) ||
            (wanted && !hv_str_is(folder_get(folder, files[i].name), wanted)))
            return false;
    }
    return true;
}

static enum hv_code change(struct folder *folder, struct hv_file_change *changes, struct hv_error *err)
{
    return fs_change_files(changes, CHANGES, folder_path(folder, "journal"), err);
}

static void all_files_change(void **state)
{
    struct folder *folder = *state;
    struct hv_file_change changes[CHANGES];
    struct hv_error err;
    prepare(folder, changes);
    assert_int_equal(chmod(folder_cpath(folder, "changed"), 0741), 0);
    assert_int_equal(change(folder, changes, &err), HV_OK);
    assert_true(stand(folder, true));
    struct stat status;
    assert_int_equal(stat(folder_cpath(folder, "changed"), &status), 0);
    assert_int_equal(status.st_mode & 07777, 0741);
    assert_int_equal(changes[0].after.size, strlen(files[0].after));
    assert_int_equal(folder_count(folder, "journal"), 0);
}

static void a_fault_takes_back_what_was_done(void **state)
{
    struct folder *folder = *state;
    struct hv_file_change changes[CHANGES];
    struct hv_error err;
    prepare(folder, changes);
    folder_make(folder, "directory");
    changes[3].path = folder_path(folder, "directory/none/file");
    changes[3].options.make_parents = false;
    assert_int_equal(change(folder, changes, &err), HV_ENOTFOUND);
    assert_true(stand(folder, false));
    assert_false(folder_has(folder, "sub"));
    assert_int_equal(folder_count(folder, "journal"), 0);
    /* What somebody else changed since it was read is seen before anything is written. */
    struct hv_file_stat seen = {.inode = 1};
    prepare(folder, changes);
    changes[2].options.expected = &seen;
    assert_int_equal(change(folder, changes, &err), HV_ECONFLICT);
    assert_true(stand(folder, false));
    prepare(folder, changes);
    changes[0].options.must_not_exist = true;
    assert_int_equal(change(folder, changes, &err), HV_EEXIST);
    assert_true(stand(folder, false));
    assert_int_equal(folder_count(folder, "journal"), 0);
}

/* A child that stops, then makes the change; killed at its call number `calls`. False: it had ended before. */
static bool kill_at(struct folder *folder, struct hv_file_change *changes, size_t calls, int *status)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
            _exit(NO_TRACING);
        raise(SIGSTOP);
        _exit(change(folder, changes, NULL) != HV_OK);
    }
    assert_int_equal(waitpid(child, status, 0), child);
    for (size_t i = 0; i < calls && WIFSTOPPED(*status); i++) {
        assert_int_equal(ptrace(PTRACE_SYSCALL, child, NULL, NULL), 0);
        assert_int_equal(waitpid(child, status, 0), child);
    }
    if (!WIFSTOPPED(*status))
        return false;
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, status, 0), child);
    return true;
}

static void a_kill_at_any_system_call_leaves_all_or_none(void **state)
{
    struct folder *folder = *state;
    size_t undone = 0, completed = 0, kills = 0;
    int status = 0;
    /* Every second call (each stops twice): test_faults.c takes every one of a single write. */
    for (size_t calls = 1; calls < CALLS_MAX; calls += 4) {
        struct hv_file_change changes[CHANGES];
        struct fs_recovery recovery;
        prepare(folder, changes);
        if (!kill_at(folder, changes, calls, &status))
            break;
        fs_recover_changes(folder_path(folder, "journal"), &recovery);
        bool before = stand(folder, false), after = stand(folder, true);
        if (!before && !after)
            print_message("killed at stop %zu\n", calls);
        assert_true(before || after);
        assert_int_equal(recovery.conflicts, 0);
        assert_true(nothing_else(folder, after));
        assert_true(hv_str_eq(folder_get(folder, "name"), folder_get(folder, "linked")));
        undone += recovery.undone;
        completed += recovery.completed;
        kills++;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_TRACING) {
        print_message("this machine lets nobody trace: no kill was tried\n");
        return;
    }
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_true(stand(folder, true));
    assert_true(kills > 50 && undone > 5 && completed > 0);
}

static void what_somebody_changed_meanwhile_is_left_alone(void **state)
{
    struct folder *folder = *state;
    struct hv_file_change changes[CHANGES];
    struct fs_recovery recovery = {0};
    int status;
    bool seen = false;
    for (size_t calls = 1; calls < CALLS_MAX && !seen; calls += 2) {
        prepare(folder, changes);
        if (!kill_at(folder, changes, calls, &status))
            break;
        seen = folder_has(folder, "sub/deep/created");
        if (seen)
            folder_put(folder, "changed", "by a person\n");
        fs_recover_changes(folder_path(folder, "journal"), &recovery);
    }
    if (!seen)
        return; /* no tracing: told above */
    assert_int_equal(recovery.conflicts, 1);
    assert_true(hv_str_is(folder_get(folder, "changed"), "by a person\n"));
    assert_false(folder_has(folder, "sub/deep/created"));
    fs_recover_changes(folder_path(folder, "journal"), &recovery);
    assert_int_equal(recovery.conflicts + recovery.undone + recovery.completed, 0);
}

int main(void)
{
    /* Hundreds of runs that wait for the disk would take minutes; in memory the system calls are the same. */
    if (access("/dev/shm", W_OK) == 0)
        (void)setenv("TMPDIR", "/dev/shm", 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_files_change, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(a_fault_takes_back_what_was_done, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(a_kill_at_any_system_call_leaves_all_or_none, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(what_somebody_changed_meanwhile_is_left_alone, folder_setup, folder_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
