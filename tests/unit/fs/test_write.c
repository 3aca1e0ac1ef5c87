/*
 * test_write.c: replacing files: what survives, what is refused, and that a kill or a full disk at any moment leaves
 * the old bytes or the new ones.
 */
#include "folder.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "fs/host_files.h"
#include "fs/open.h"
#include "fs/write.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>

/* Takes the place of the C library's. */
static unsigned syncs;

int fsync(int fd)
{
    syncs++;
    return (int)syscall(SYS_fsync, fd);
}

static enum hv_code put(struct folder *folder, const char *name, const char *text,
                        const struct hv_write_options *options, struct hv_error *err)
{
    return fs_write(folder_path(folder, name), hv_str_from(text), options, NULL, err);
}

static void expect_file(struct folder *folder, const char *name, const char *text)
{
    assert_string_equal(folder_get(folder, name).ptr, text);
}

static struct stat stat_of(struct folder *folder, const char *name)
{
    struct stat status;
    assert_int_equal(lstat(folder_cpath(folder, name), &status), 0);
    return status;
}

static void a_new_file_gets_the_mode_asked_for(void **state)
{
    struct folder *folder = *state;
    struct hv_file_stat after;
    assert_int_equal(fs_write(folder_path(folder, "a"), HV_STR("text"), NULL, &after, NULL), HV_OK);
    expect_file(folder, "a", "text");
    mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(stat_of(folder, "a").st_mode & 07777, 0666 & ~mask);
    assert_int_equal(after.inode, stat_of(folder, "a").st_ino);
    assert_int_equal(after.size, 4);
    struct hv_write_options options = {.mode = 0755};
    assert_int_equal(put(folder, "b", "", &options, NULL), HV_OK);
    assert_int_equal(stat_of(folder, "b").st_mode & 07777, 0755);
    assert_int_equal(folder_count(folder, ""), 2);
}

static void the_disk_is_waited_for_unless_told_not_to(void **state)
{
    struct folder *folder = *state;
    struct hv_write_options options = {.unsynced = true};
    syncs = 0;
    assert_int_equal(put(folder, "a", "text", NULL, NULL), HV_OK);
    assert_int_equal(syncs, 2); /* the file and its directory */
    assert_int_equal(put(folder, "a", "other", &options, NULL), HV_OK);
    assert_int_equal(put(folder, "b", "text", &options, NULL), HV_OK);
    assert_int_equal(syncs, 2);
    expect_file(folder, "a", "other");
    expect_file(folder, "b", "text");
}

static void parents_are_made_when_asked_for(void **state)
{
    struct folder *folder = *state;
    struct hv_error err;
    assert_int_equal(put(folder, "x/y/z", "1", NULL, &err), HV_ENOTFOUND);
    assert_string_equal(err.hint, "Create the directory first");
    struct hv_write_options options = {.make_parents = true};
    assert_int_equal(put(folder, "x/y/z", "1", &options, &err), HV_OK);
    expect_file(folder, "x/y/z", "1");
    assert_int_not_equal(put(folder, "x/y/z/below", "1", &options, &err), HV_OK);
}

static void what_must_not_exist_is_never_replaced(void **state)
{
    struct folder *folder = *state;
    struct hv_write_options options = {.must_not_exist = true};
    assert_int_equal(put(folder, "a", "1", &options, NULL), HV_OK);
    assert_int_equal(put(folder, "a", "2", &options, NULL), HV_EEXIST);
    expect_file(folder, "a", "1");
    assert_int_equal(folder_count(folder, ""), 1);
}

static void mode_attributes_and_owner_survive(void **state)
{
    struct folder *folder = *state;
    folder_put(folder, "a", "old");
    const char *path = folder_cpath(folder, "a");
    assert_int_equal(chmod(path, 04751), 0);
    bool has_attributes = setxattr(path, "user.one", "1", 1, 0) == 0 && setxattr(path, "user.two", "22", 2, 0) == 0;
    if (geteuid() == 0)
        assert_int_equal(chown(path, 12345, 23456), 0);
    struct stat before = stat_of(folder, "a");
    assert_int_equal(put(folder, "a", "new", NULL, NULL), HV_OK);
    struct stat after = stat_of(folder, "a");
    expect_file(folder, "a", "new");
    assert_int_equal(after.st_mode, before.st_mode);
    assert_int_equal(after.st_uid, before.st_uid);
    assert_int_equal(after.st_gid, before.st_gid);
    assert_int_not_equal(after.st_ino, before.st_ino);
    char value[4];
    if (has_attributes) {
        assert_int_equal(getxattr(path, "user.one", value, sizeof value), 1);
        assert_int_equal(getxattr(path, "user.two", value, sizeof value), 2);
    }
}

static void links_keep_pointing(void **state)
{
    struct folder *folder = *state;
    folder_put(folder, "dir/target", "old");
    assert_int_equal(symlink("dir/target", folder_cpath(folder, "one")), 0);
    assert_int_equal(symlink("one", folder_cpath(folder, "two")), 0);
    assert_int_equal(put(folder, "two", "new", NULL, NULL), HV_OK);
    expect_file(folder, "dir/target", "new");
    assert_true(S_ISLNK(stat_of(folder, "one").st_mode) && S_ISLNK(stat_of(folder, "two").st_mode));
    /* A link into nothing makes its target. */
    assert_int_equal(symlink("dir/fresh", folder_cpath(folder, "three")), 0);
    assert_int_equal(put(folder, "three", "fresh", NULL, NULL), HV_OK);
    expect_file(folder, "dir/fresh", "fresh");
    assert_int_equal(symlink("loop", folder_cpath(folder, "loop")), 0);
    assert_int_equal(put(folder, "loop", "x", NULL, NULL), HV_EINVAL);
}

static void hard_links_stay_together(void **state)
{
    struct folder *folder = *state;
    folder_put(folder, "one", "a long old text");
    assert_int_equal(link(folder_cpath(folder, "one"), folder_cpath(folder, "two")), 0);
    assert_int_equal(put(folder, "one", "new", NULL, NULL), HV_OK);
    expect_file(folder, "two", "new");
    assert_int_equal(stat_of(folder, "one").st_nlink, 2);
    assert_int_equal(folder_count(folder, ""), 2);
}

static void a_file_that_changed_is_left_alone(void **state)
{
    struct folder *folder = *state;
    folder_put(folder, "a", "one");
    struct hv_file_stat seen;
    assert_int_equal(fs_host_stat(NULL, folder_path(folder, "a"), true, &seen, NULL), HV_OK);
    struct hv_write_options options = {.expected = &seen};
    folder_put(folder, "a", "three");
    struct hv_error err;
    assert_int_equal(put(folder, "a", "new", &options, &err), HV_ECONFLICT);
    assert_string_equal(err.hint, "Read the file again, then repeat the change");
    expect_file(folder, "a", "three");
    assert_int_equal(unlink(folder_cpath(folder, "a")), 0);
    assert_int_equal(put(folder, "a", "new", &options, &err), HV_ECONFLICT);
    assert_false(folder_has(folder, "a"));
    assert_int_equal(folder_count(folder, ""), 0);
}

static void what_is_no_file_is_refused(void **state)
{
    struct folder *folder = *state;
    folder_make(folder, "dir");
    assert_int_equal(mkfifo(folder_cpath(folder, "fifo"), 0600), 0);
    assert_int_equal(put(folder, "dir", "x", NULL, NULL), HV_EUNSUPPORTED);
    assert_int_equal(put(folder, "fifo", "x", NULL, NULL), HV_EUNSUPPORTED);
    assert_int_equal(fs_write(HV_STR("/dev/null"), HV_STR("x"), NULL, NULL, NULL), HV_EUNSUPPORTED);
    assert_int_equal(fs_write(HV_STR("/"), HV_STR("x"), NULL, NULL, NULL), HV_EUNSUPPORTED);
    assert_int_equal(fs_write(HV_STR("relative"), HV_STR("x"), NULL, NULL, NULL), HV_EINVAL);
    assert_int_equal(fs_write(HV_STR(""), HV_STR("x"), NULL, NULL, NULL), HV_EINVAL);
    assert_int_equal(fs_write(HV_STR("/tmp/a\0b"), HV_STR("x"), NULL, NULL, NULL), HV_EINVAL);
    char name[300];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_int_not_equal(put(folder, name, "x", NULL, NULL), HV_OK);
    assert_int_equal(folder_count(folder, ""), 2);
}

static int write_what_is_protected(struct folder *folder)
{
    struct hv_error err;
    if (put(folder, "protected", "new", NULL, &err) != HV_EACCES)
        return 1;
    return put(folder, "closed/file", "new", NULL, &err) != HV_EACCES ? 2 : 0;
}

static void what_may_not_be_written_is_not(void **state)
{
    struct folder *folder = *state;
    folder_put(folder, "protected", "old");
    folder_put(folder, "closed/file", "old");
    assert_int_equal(chmod(folder_cpath(folder, ""), 0777), 0); /* a rename would be possible */
    assert_int_equal(chmod(folder_cpath(folder, "protected"), 0444), 0);
    assert_int_equal(chmod(folder_cpath(folder, "closed"), 0555), 0);
    assert_int_equal(chmod(folder_cpath(folder, "closed/file"), 0666), 0);
    assert_int_equal(in_child(write_what_is_protected, folder, true), 0);
    expect_file(folder, "protected", "old");
    expect_file(folder, "closed/file", "old");
}

/* ---- kills ---------------------------------------------------------------------------------------------- */

enum { KILLS = 100, SHORT_LEN = 70000, LONG_LEN = 300000 };

static struct hv_str version(struct hv_arena *arena, char letter)
{
    size_t len = letter == 'a' ? SHORT_LEN : LONG_LEN;
    char *bytes = hv_arena_alloc(arena, len);
    memset(bytes, letter, len);
    return hv_str_of(bytes, len);
}

/* Write the two versions in turn until killed. */
static int write_for_ever(struct folder *folder)
{
    struct hv_str path = folder_path(folder, "file"), a = version(&folder->arena, 'a'),
                  b = version(&folder->arena, 'b');
    for (;;)
        if (fs_write(path, a, NULL, NULL, NULL) || fs_write(path, b, NULL, NULL, NULL))
            return 1;
}

static bool is_whole(struct hv_str bytes)
{
    char letter = bytes.len == SHORT_LEN ? 'a' : 'b';
    if (bytes.len != SHORT_LEN && bytes.len != LONG_LEN)
        return false;
    return bytes.ptr[0] == letter && memcmp(bytes.ptr, bytes.ptr + 1, bytes.len - 1) == 0;
}

/* Start a writer and kill it after a while that differs each time. */
static void kill_a_writer(struct folder *folder, unsigned round)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(write_for_ever(folder));
    long pause = 1000000 + (long)(round * 7919u % 97u) * 60000;
    nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
    kill(child, SIGKILL);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

/* Whether some backup beside the file is whole; every other leftover must be known as a temporary file. */
static bool check_leftovers(struct folder *folder)
{
    struct hv_directory_entry *entries;
    size_t count;
    bool more, whole_backup = false;
    assert_int_equal(fs_host_list(NULL, &folder->arena, folder->path, 100000, &entries, &count, &more, NULL), HV_OK);
    for (size_t i = 0; i < count; i++) {
        if (hv_str_starts(entries[i].name, HV_STR("file")))
            continue;
        assert_true(fs_is_temporary(entries[i].name));
        const char *name = hv_arena_cstr(&folder->arena, entries[i].name);
        whole_backup |= fs_is_backup(entries[i].name) && is_whole(folder_get(folder, name));
        assert_int_equal(unlink(folder_cpath(folder, name)), 0);
    }
    return whole_backup;
}

static void a_kill_at_any_moment_leaves_old_or_new_bytes(void **state)
{
    struct folder *folder = *state;
    folder_put_bytes(folder, "file", version(&folder->arena, 'a'));
    for (unsigned round = 0; round < KILLS; round++) {
        kill_a_writer(folder, round);
        assert_true(is_whole(folder_get(folder, "file")));
        (void)check_leftovers(folder);
        hv_arena_reset(&folder->arena);
    }
}

static void a_kill_while_writing_in_place_leaves_a_backup(void **state)
{
    struct folder *folder = *state;
    folder_put_bytes(folder, "file", version(&folder->arena, 'a'));
    assert_int_equal(link(folder_cpath(folder, "file"), folder_cpath(folder, "file-too")), 0);
    for (unsigned round = 0; round < KILLS; round++) {
        kill_a_writer(folder, round);
        bool whole = is_whole(folder_get(folder, "file")), backup = check_leftovers(folder);
        assert_true(whole || backup);
        folder_put_bytes(folder, "file", version(&folder->arena, 'a'));
        hv_arena_reset(&folder->arena);
    }
}

/* ---- full disks ------------------------------------------------------------------------------------------ */

static int write_over_the_limit(struct folder *folder)
{
    struct rlimit limit = {100000, 100000};
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit))
        return 1;
    struct hv_error err;
    if (fs_write(folder_path(folder, "file"), version(&folder->arena, 'b'), NULL, NULL, &err) == HV_OK)
        return 2;
    if (fs_write(folder_path(folder, "linked"), version(&folder->arena, 'b'), NULL, NULL, &err) == HV_OK)
        return 3;
    return fs_write(folder_path(folder, "fresh"), version(&folder->arena, 'b'), NULL, NULL, &err) == HV_OK ? 4 : 0;
}

static void a_file_over_the_limit_of_size_changes_nothing(void **state)
{
    struct folder *folder = *state;
    folder_put_bytes(folder, "file", version(&folder->arena, 'a'));
    folder_put_bytes(folder, "linked", version(&folder->arena, 'a'));
    assert_int_equal(link(folder_cpath(folder, "linked"), folder_cpath(folder, "other")), 0);
    assert_int_equal(in_child(write_over_the_limit, folder, false), 0);
    assert_int_equal(folder_get(folder, "file").len, SHORT_LEN);
    assert_int_equal(folder_get(folder, "linked").len, SHORT_LEN);
    assert_true(is_whole(folder_get(folder, "file")) && is_whole(folder_get(folder, "linked")));
    assert_int_equal(folder_count(folder, ""), 3);
}

enum { NO_MOUNT = 77 };

static int fill_a_disk(struct folder *folder)
{
    const char *disk = folder_cpath(folder, "disk");
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("tmpfs", disk, "tmpfs", 0, "size=256k"))
        return NO_MOUNT;
    struct hv_str a = version(&folder->arena, 'a'), b = version(&folder->arena, 'b');
    struct hv_error err;
    if (fs_write(folder_path(folder, "disk/file"), a, NULL, NULL, &err))
        return 1;
    if (fs_write(folder_path(folder, "disk/file"), b, NULL, NULL, &err) != HV_ENOSPC)
        return 2;
    if (link(folder_cpath(folder, "disk/file"), folder_cpath(folder, "disk/too")))
        return 3;
    if (fs_write(folder_path(folder, "disk/file"), b, NULL, NULL, &err) != HV_ENOSPC)
        return 4;
    if (fs_write(folder_path(folder, "disk/fresh"), b, NULL, NULL, &err) != HV_ENOSPC)
        return 5;
    CLEANUP_FD int fd = open(folder_cpath(folder, "disk/file"), O_RDONLY);
    char *bytes = hv_arena_alloc(&folder->arena, LONG_LEN);
    ssize_t got = fs_read_at(fd, bytes, LONG_LEN, 0);
    if (got != SHORT_LEN || !is_whole(hv_str_of(bytes, SHORT_LEN)))
        return 6;
    return access(folder_cpath(folder, "disk/fresh"), F_OK) == 0 ? 7 : 0;
}

static void a_full_disk_changes_nothing(void **state)
{
    struct folder *folder = *state;
    folder_make(folder, "disk");
    int code = in_child(fill_a_disk, folder, false);
    assert_true(code == 0 || code == NO_MOUNT); /* not everybody may mount a small disk */
}

/* ---- several writers -------------------------------------------------------------------------------------- */

enum { COUNTERS = 4, STEPS = 25 };

/* Add one to the number in the file, again and again until nobody was in between. */
static int count_up(struct folder *folder)
{
    struct hv_str path = folder_path(folder, "number");
    for (int step = 0; step < STEPS;) {
        CLEANUP_BUF struct hv_buf bytes = {0};
        hv_buf_init(&bytes, 100);
        struct hv_file_stat seen;
        int64_t number;
        if (fs_host_read(NULL, path, 0, 100, &bytes, &seen, NULL) || !hv_str_to_int64(hv_buf_str(&bytes), &number))
            return 1;
        struct hv_write_options options = {.expected = &seen};
        char text[32];
        int len = snprintf(text, sizeof text, "%lld", (long long)number + 1);
        enum hv_code code = fs_write(path, hv_str_of(text, (size_t)len), &options, NULL, NULL);
        if (code && code != HV_ECONFLICT && code != HV_EAGAIN)
            return 2;
        step += code == HV_OK;
    }
    return 0;
}

static void no_update_is_lost_between_processes(void **state)
{
    struct folder *folder = *state;
    folder_put(folder, "number", "0");
    pid_t children[COUNTERS];
    for (size_t i = 0; i < COUNTERS; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0)
            _exit(count_up(folder));
    }
    for (size_t i = 0; i < COUNTERS; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    expect_file(folder, "number", "100");
    assert_int_equal(folder_count(folder, ""), 1);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_new_file_gets_the_mode_asked_for),
        CASE(the_disk_is_waited_for_unless_told_not_to),
        CASE(parents_are_made_when_asked_for),
        CASE(what_must_not_exist_is_never_replaced),
        CASE(mode_attributes_and_owner_survive),
        CASE(links_keep_pointing),
        CASE(hard_links_stay_together),
        CASE(a_file_that_changed_is_left_alone),
        CASE(what_is_no_file_is_refused),
        CASE(what_may_not_be_written_is_not),
        CASE(a_kill_at_any_moment_leaves_old_or_new_bytes),
        CASE(a_kill_while_writing_in_place_leaves_a_backup),
        CASE(a_file_over_the_limit_of_size_changes_nothing),
        CASE(a_full_disk_changes_nothing),
        CASE(no_update_is_lost_between_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
