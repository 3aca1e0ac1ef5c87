/* test_open.c: opening and reading without surprises; the metadata and lists of the host. */
#include "folder.h"

#include "base/cleanup.h"
#include "fs/host_files.h"
#include "fs/open.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

static enum hv_code try_open(struct hv_str path)
{
    CLEANUP_FD int fd = -1;
    struct hv_error err;
    return fs_open_regular(path, &fd, NULL, &err);
}

static void regular_files_are_opened_through_links(void **state)
{
    struct folder *folder = *state;
    folder_put(folder, "file", "text");
    assert_int_equal(symlink("file", folder_cpath(folder, "link")), 0);
    CLEANUP_FD int fd = -1;
    struct hv_file_stat stat;
    assert_int_equal(fs_open_regular(folder_path(folder, "link"), &fd, &stat, NULL), HV_OK);
    assert_int_equal(stat.kind, HV_FILE_REGULAR);
    assert_int_equal(stat.size, 4);
    char bytes[8];
    assert_int_equal(fs_read_at(fd, bytes, sizeof bytes, 1), 3);
    assert_memory_equal(bytes, "ext", 3);
    assert_int_equal(fs_read_at(fd, bytes, sizeof bytes, 100), 0);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

static void nothing_else_is_opened_and_nothing_blocks(void **state)
{
    struct folder *folder = *state;
    folder_make(folder, "dir");
    assert_int_equal(mkfifo(folder_cpath(folder, "fifo"), 0600), 0);
    assert_int_equal(symlink("fifo", folder_cpath(folder, "to_fifo")), 0);
    CLEANUP_FD int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", folder_cpath(folder, "socket"));
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(try_open(folder_path(folder, "dir")), HV_EUNSUPPORTED);
    assert_int_equal(try_open(folder_path(folder, "fifo")), HV_EUNSUPPORTED);
    assert_int_equal(try_open(folder_path(folder, "to_fifo")), HV_EUNSUPPORTED);
    assert_int_equal(try_open(folder_path(folder, "socket")), HV_EUNSUPPORTED);
    assert_int_equal(try_open(HV_STR("/dev/zero")), HV_EUNSUPPORTED);
    assert_int_equal(try_open(HV_STR("/dev/tty")), HV_EUNSUPPORTED);
    assert_int_equal(try_open(HV_STR("/proc/kmsg")), HV_EUNSUPPORTED);
    assert_int_equal(try_open(HV_STR("/proc/self/mem")), HV_EUNSUPPORTED);
    assert_int_equal(try_open(HV_STR("/proc/self/status")), HV_OK);
    assert_int_equal(try_open(folder_path(folder, "nothing")), HV_ENOTFOUND);
    assert_int_equal(try_open(HV_STR("")), HV_EINVAL);
}

static void no_component_may_be_a_link_where_none_is_wanted(void **state)
{
    struct folder *folder = *state;
    folder_put(folder, "a/b/file", "x");
    assert_int_equal(symlink("b", folder_cpath(folder, "a/link")), 0);
    assert_int_equal(symlink("file", folder_cpath(folder, "a/b/last")), 0);
    CLEANUP_FD int root = open(folder->path.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CLEANUP_FD int fine = fs_open_no_links(root, HV_STR("a/b/file"), O_RDONLY);
    assert_true(fine >= 0);
    CLEANUP_FD int self = fs_open_no_links(root, HV_STR(""), O_RDONLY | O_DIRECTORY);
    assert_true(self >= 0);
    assert_int_equal(fs_open_no_links(root, HV_STR("a/link/file"), O_RDONLY), -1);
    assert_int_equal(errno, ELOOP);
    assert_int_equal(fs_open_no_links(root, HV_STR("a/b/last"), O_RDONLY), -1);
    assert_int_equal(errno, ELOOP);
    assert_int_equal(fs_open_no_links(root, HV_STR("a/b/none"), O_RDONLY), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(fs_open_no_links(root, HV_STR("a/b/last"), O_PATH), -1);
    assert_int_equal(errno, ELOOP);
    assert_int_equal(fs_open_no_links(root, HV_STR("a/link"), O_RDONLY | O_DIRECTORY), -1);
    assert_int_equal(errno, ELOOP);
    assert_int_equal(fs_open_no_links(root, HV_STR("a/b/file/none"), O_RDONLY), -1);
    assert_int_equal(errno, ENOTDIR);
    CLEANUP_FD int around = fs_open_no_links(root, HV_STR("a//b/../b/./file"), O_RDONLY);
    assert_true(around >= 0);
    CLEANUP_FD int ends = fs_open_no_links(root, HV_STR("a/b/"), O_RDONLY | O_DIRECTORY);
    assert_true(ends >= 0);
    CLEANUP_FD int absolute = fs_open_no_links(AT_FDCWD, folder_path(folder, "a/b/file"), O_RDONLY);
    assert_true(absolute >= 0);
    char byte;
    assert_int_equal(read(absolute, &byte, 1), 1);
}

enum { LEVELS = 60 };

static void a_path_longer_than_the_system_takes_is_opened(void **state)
{
    struct folder *folder = *state;
    char name[201];
    memset(name, 'd', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    struct hv_buf path;
    hv_buf_init(&path, 1 << 20);
    int at = open(folder->path.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < LEVELS; i++) {
        assert_int_equal(mkdirat(at, name, 0700), 0);
        int below = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(at);
        at = below;
        hv_buf_addf(&path, "%s%s", i ? "/" : "", name);
    }
    CLEANUP_FD int root = open(folder->path.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CLEANUP_FD int deep = fs_open_no_links(root, hv_buf_str(&path), O_RDONLY | O_DIRECTORY);
    struct stat one, other;
    assert_int_equal(fstat(at, &one), 0);
    assert_int_equal(fstat(deep, &other), 0);
    assert_int_equal(one.st_ino, other.st_ino);
    close(at);
    hv_buf_release(&path);
}

static void ranges_are_read_and_the_maximum_is_kept(void **state)
{
    struct folder *folder = *state;
    folder_put(folder, "file", "0123456789");
    struct hv_str path = folder_path(folder, "file");
    CLEANUP_BUF struct hv_buf bytes = {0};
    hv_buf_init(&bytes, 8);
    struct hv_file_stat stat;
    assert_int_equal(fs_host_read(NULL, path, 3, 4, &bytes, &stat, NULL), HV_OK);
    assert_string_equal(bytes.data, "3456");
    assert_int_equal(stat.size, 10);
    assert_int_equal(fs_host_read(NULL, path, 0, 100, &bytes, NULL, NULL), HV_ETOOBIG);
    assert_string_equal(bytes.data, "3456"); /* what was there stays, and only that */
    assert_int_equal(bytes.len, 4);
    assert_int_equal(fs_host_read(NULL, path, 6, 100, &bytes, NULL, NULL), HV_OK);
    assert_string_equal(bytes.data, "34566789");
    assert_int_equal(fs_host_read(NULL, path, 10, 5, &bytes, NULL, NULL), HV_OK);
    assert_int_equal(fs_host_read(NULL, path, UINT64_MAX - 2, 5, &bytes, NULL, NULL), HV_EINVAL);
    assert_int_equal(bytes.len, 8);
}

static void metadata_tells_kinds_and_sameness(void **state)
{
    struct folder *folder = *state;
    folder_put(folder, "file", "text");
    assert_int_equal(symlink("file", folder_cpath(folder, "link")), 0);
    struct hv_file_stat one, two;
    assert_int_equal(fs_host_stat(NULL, folder_path(folder, "link"), true, &one, NULL), HV_OK);
    assert_int_equal(one.kind, HV_FILE_REGULAR);
    assert_int_equal(fs_host_stat(NULL, folder_path(folder, "link"), false, &two, NULL), HV_OK);
    assert_int_equal(two.kind, HV_FILE_SYMLINK);
    assert_false(fs_stat_same(&one, &two));
    two = one;
    assert_true(fs_stat_same(&one, &two));
    two.mtime_ns++;
    assert_false(fs_stat_same(&one, &two));
    assert_int_equal(fs_host_stat(NULL, HV_STR("/dev/null"), true, &one, NULL), HV_OK);
    assert_int_equal(one.kind, HV_FILE_DEVICE);
    struct hv_error err;
    assert_int_equal(fs_host_stat(NULL, folder_path(folder, "none"), true, &one, &err), HV_ENOTFOUND);
    assert_int_equal(err.sys_errno, ENOENT);
}

static void lists_are_bounded(void **state)
{
    struct folder *folder = *state;
    char name[32];
    for (int i = 0; i < 500; i++) {
        snprintf(name, sizeof name, "dir/%d", i);
        folder_put(folder, name, "");
    }
    struct hv_directory_entry *entries;
    size_t count;
    bool more;
    struct hv_str path = folder_path(folder, "dir");
    assert_int_equal(fs_host_list(NULL, &folder->arena, path, 1000, &entries, &count, &more, NULL), HV_OK);
    assert_int_equal(count, 500);
    assert_false(more);
    assert_int_equal(entries[0].kind, HV_FILE_REGULAR);
    assert_int_equal(fs_host_list(NULL, &folder->arena, path, 500, &entries, &count, &more, NULL), HV_OK);
    assert_false(more);
    assert_int_equal(fs_host_list(NULL, &folder->arena, path, 10, &entries, &count, &more, NULL), HV_OK);
    assert_int_equal(count, 10);
    assert_true(more);
    assert_int_equal(fs_host_list(NULL, &folder->arena, folder_path(folder, "no"), 9, &entries, &count, &more, NULL),
                     HV_ENOTFOUND);
    assert_int_equal(fs_host_list(NULL, &folder->arena, folder_path(folder, "dir/1"), 9, &entries, &count, &more, NULL),
                     HV_ENOTFOUND);
}

static void directories_are_made_and_files_removed(void **state)
{
    struct folder *folder = *state;
    assert_int_equal(fs_host_make_directories(NULL, folder_path(folder, "a/b/c"), NULL), HV_OK);
    assert_int_equal(fs_host_make_directories(NULL, folder_path(folder, "a/b/c"), NULL), HV_OK);
    folder_put(folder, "a/file", "");
    assert_int_not_equal(fs_host_make_directories(NULL, folder_path(folder, "a/file"), NULL), HV_OK);
    assert_int_not_equal(fs_host_make_directories(NULL, folder_path(folder, "a/file/x"), NULL), HV_OK);
    assert_int_equal(fs_host_remove(NULL, folder_path(folder, "a/file"), NULL), HV_OK);
    assert_int_equal(fs_host_remove(NULL, folder_path(folder, "a/file"), NULL), HV_ENOTFOUND);
    assert_int_not_equal(fs_host_remove(NULL, folder_path(folder, "a"), NULL), HV_OK);
    assert_true(folder_has(folder, "a"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(regular_files_are_opened_through_links),
        CASE(nothing_else_is_opened_and_nothing_blocks),
        CASE(no_component_may_be_a_link_where_none_is_wanted),
        CASE(a_path_longer_than_the_system_takes_is_opened),
        CASE(ranges_are_read_and_the_maximum_is_kept),
        CASE(metadata_tells_kinds_and_sameness),
        CASE(lists_are_bounded),
        CASE(directories_are_made_and_files_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
