/*
 * test_transaction.c: several files change, all or none: at a fault in the middle, and when the process is killed at
 * its system calls in turn, or one of these fails, and the next one looks after what it left. What comes back has its
 * owner, mode, attributes and time.
 */
#include "folder.h"
#include "killing.h"

#include "fs/transaction.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { CALLS_MAX = 2000, NO_TRACING = 77, CHANGES = 8, LINK_GOES = 5, LINK_COMES = 6, TIME = 1000000000, OWNER = 4321 };

static const struct {
    const char *name, *before, *after;
} files[CHANGES] = {
    {"changed", "old\n", "new and longer\n"},
    {"sub/deep/created", NULL, "created\n"},
    {"gone", "gone\n", NULL},
    {"last", "1\n", "2\n"},
    {"linked", "a text that becomes shorter\n", "short\n"}, /* has another name: written in place */
    [LINK_GOES] = {"link", "no/where", NULL},
    [LINK_COMES] = {"sub/link", NULL, "no/where"},
    {"went too", "went\n", NULL},
};

/* Set once: whether files here may have attributes of people. */
static bool has_attributes;

/* A mode, a time, an attribute and, where that may be, an owner that no new file would have. */
static void mark(struct folder *folder, const char *name)
{
    const char *path = folder_cpath(folder, name);
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = TIME, .tv_nsec = 5}};
    assert_true(geteuid() || chown(path, OWNER, OWNER) == 0);
    assert_int_equal(chmod(path, 0640), 0);
    has_attributes = setxattr(path, "user.mark", name, strlen(name), 0) == 0;
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool is_marked(struct folder *folder, const char *name)
{
    char value[100] = "";
    struct stat status;
    const char *path = folder_cpath(folder, name);
    if (stat(path, &status) || (status.st_mode & 07777) != 0640 || (!geteuid() && status.st_uid != OWNER) ||
        (!geteuid() && status.st_gid != OWNER) || status.st_mtim.tv_sec != TIME || status.st_mtim.tv_nsec != 5)
        return false;
    return !has_attributes || (getxattr(path, "user.mark", value, sizeof value - 1) > 0 && strcmp(value, name) == 0);
}

static bool is_link(struct folder *folder, const char *name)
{
    char text[100] = "";
    return readlink(folder_cpath(folder, name), text, sizeof text - 1) > 0 && strcmp(text, "no/where") == 0;
}

static bool is_there(struct folder *folder, const char *name)
{
    struct stat status;
    return lstat(folder_cpath(folder, name), &status) == 0;
}

/* The files as each run finds them, and the changes that are asked for. */
static void prepare(struct folder *folder, struct hv_file_change changes[CHANGES])
{
    for (size_t i = 0; i < CHANGES; i++) {
        (void)unlink(folder_cpath(folder, files[i].name));
        if (files[i].before && i != LINK_GOES) {
            folder_put(folder, files[i].name, files[i].before);
            mark(folder, files[i].name);
        }
        changes[i] = (struct hv_file_change){
            .path = folder_path(folder, files[i].name),
            .bytes = files[i].after ? hv_str_from(files[i].after) : (struct hv_str){0},
            .options = {.make_parents = true},
        };
    }
    assert_int_equal(symlink(files[LINK_GOES].before, folder_cpath(folder, files[LINK_GOES].name)), 0);
    changes[LINK_COMES].bytes = (struct hv_str){0};
    changes[LINK_COMES].link_like = changes[LINK_GOES].path;
    (void)unlink(folder_cpath(folder, "name"));
    (void)rmdir(folder_cpath(folder, "sub/deep"));
    (void)rmdir(folder_cpath(folder, "sub"));
    assert_int_equal(link(folder_cpath(folder, "linked"), folder_cpath(folder, "name")), 0);
    mark(folder, "linked"); /* its new name is none of its attributes, but counts as a change of it */
}

/* Beside what is asked for there is nothing but the journal. */
static bool nothing_else(struct folder *folder, bool after)
{
    bool journal = folder_has(folder, "journal");
    return folder_has(folder, "sub") == after && (!journal || folder_count(folder, "journal") == 0) &&
           folder_count(folder, "") == (after ? 5u : 7u) + journal && (!after || folder_count(folder, "sub/deep") == 1);
}

static bool stands(struct folder *folder, size_t i, bool after)
{
    const char *name = files[i].name, *wanted = after ? files[i].after : files[i].before;
    if (is_there(folder, name) != (wanted != NULL))
        return false;
    if (!wanted || i == LINK_GOES || i == LINK_COMES)
        return !wanted || is_link(folder, name);
    return hv_str_is(folder_get(folder, name), wanted) && (after || is_marked(folder, name));
}

static bool stand(struct folder *folder, bool after)
{
    for (size_t i = 0; i < CHANGES; i++)
        if (!stands(folder, i, after))
            return false;
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

struct run {
    struct folder *folder;
    struct hv_file_change changes[CHANGES];
};

static int run_change(void *data)
{
    struct run *run = data;
    return change(run->folder, run->changes, NULL) != HV_OK;
}

/* Every third: a run each. */
static void a_call_that_fails_leaves_all_or_none(void **state)
{
    struct run run = {.folder = *state};
    struct fs_recovery recovery;
    int status = 0;
    size_t failures = 0;
    for (size_t call = 1; call < CALLS_MAX; call += 3) {
        prepare(run.folder, run.changes);
        if (!fail_call(run_change, &run, call, EIO, false, &status))
            break;
        bool told = WIFEXITED(status) && WEXITSTATUS(status) != 0;
        fs_recover_changes(folder_path(run.folder, "journal"), &recovery);
        bool before = stand(run.folder, false), after = stand(run.folder, true);
        if (!before && !after)
            print_message("call %zu failed\n", call);
        assert_true(before || after);
        assert_true(told || after);
        assert_int_equal(recovery.conflicts + recovery.waiting, 0);
        failures += told && before;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == KILLING_NOT_POSSIBLE)
        print_message("this machine lets nobody trace: no call failed\n");
    else
        assert_true(failures > 50);
}

/* What was removed comes back as it was: the last change fails when all the others are done. */
static void a_removal_that_fails_brings_back_the_others(void **state)
{
    struct folder *folder = *state;
    struct hv_file_change changes[CHANGES];
    prepare(folder, changes);
    folder_make(folder, "directory");
    folder_put(folder, "directory/stays", "stays\n");
    changes[CHANGES - 1].path = folder_path(folder, "directory/stays");
    int fd = open(folder_cpath(folder, "directory"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(fd >= 0);
    unsigned flags = FS_APPEND_FL;
    bool is_held = geteuid() ? fchmod(fd, 0500) == 0 : ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0;
    enum hv_code code = change(folder, changes, NULL);
    flags = 0;
    (void)(geteuid() ? fchmod(fd, 0700) : ioctl(fd, FS_IOC_SETFLAGS, &flags));
    close(fd);
    if (!is_held) {
        print_message("nothing here keeps root from removing a file\n");
        assert_int_equal(code, HV_OK);
        return;
    }
    assert_int_not_equal(code, HV_OK);
    for (size_t i = 0; i < CHANGES - 1; i++)
        assert_true(stands(folder, i, false));
    assert_true(folder_has(folder, "directory/stays"));
    assert_int_equal(folder_count(folder, "journal"), 0);
}

int main(void)
{
    /* Hundreds of runs that wait for the disk would take minutes; in memory the system calls are the same. */
    if (access("/dev/shm", W_OK) == 0)
        (void)setenv("TMPDIR", "/dev/shm", 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_files_change, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(a_fault_takes_back_what_was_done, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(a_removal_that_fails_brings_back_the_others, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(a_call_that_fails_leaves_all_or_none, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(a_kill_at_any_system_call_leaves_all_or_none, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(what_somebody_changed_meanwhile_is_left_alone, folder_setup, folder_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
