/* test_walk.c: walking trees: order, depth, caps, links, what cannot be read, and very deep or broad trees. */
#include "folder.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "fs/walk.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

struct seen {
    struct hv_buf paths; /* each followed by a newline; directories by '/' before it */
    size_t count, deepest;
    const char *skip, *stop; /* names at which to do so */
    struct hv_cancel *cancel_at_first;
};

static enum fs_walk_action note(void *user, const struct fs_walk_entry *entry)
{
    struct seen *seen = user;
    struct stat status;
    assert_int_equal(fstatat(entry->directory, entry->name.ptr, &status, AT_SYMLINK_NOFOLLOW), 0);
    assert_true(hv_str_ends(entry->path, entry->name));
    hv_buf_add_str(&seen->paths, entry->path);
    hv_buf_add_cstr(&seen->paths, entry->kind == HV_FILE_DIRECTORY ? "/\n" : "\n");
    seen->count++;
    seen->deepest = entry->depth > seen->deepest ? entry->depth : seen->deepest;
    hv_cancel_raise(seen->cancel_at_first);
    if (seen->stop && hv_str_is(entry->name, seen->stop))
        return FS_WALK_STOP;
    return seen->skip && hv_str_is(entry->name, seen->skip) ? FS_WALK_SKIP : FS_WALK_ON;
}

static struct fs_walk_outcome walk(struct seen *seen, const struct fs_walk_options *options)
{
    struct fs_walk_outcome outcome;
    struct hv_error err;
    hv_buf_init(&seen->paths, 64 << 20);
    if (fs_walk(options, note, seen, &outcome, &err))
        fail_msg("%s", err.message);
    hv_buf_add_cstr(&seen->paths, "");
    return outcome;
}

static void expect_walk(const struct fs_walk_options *options, const char *expected)
{
    struct seen seen = {0};
    (void)walk(&seen, options);
    assert_string_equal(seen.paths.data ? seen.paths.data : "", expected);
    hv_buf_release(&seen.paths);
}

static int open_folder(void **state)
{
    static struct folder folder;
    folder_open(&folder);
    static const char *const names[] = {
        "b/two", "b/c/three", "a", "d", ".dot/x", "b/.hid", ".helve-tmp-0123456789abcdef"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        folder_put(&folder, names[i], "x");
    *state = &folder;
    return 0;
}

static int close_folder(void **state)
{
    folder_close(*state);
    return 0;
}

static void the_order_is_by_name_and_depth_first(void **state)
{
    struct folder *folder = *state;
    expect_walk(&(struct fs_walk_options){.root = folder->path}, "a\nd\nb/two\nb/c/three\n");
    expect_walk(&(struct fs_walk_options){.root = folder->path, .directories = true},
                "a\nb/\nd\nb/c/\nb/two\nb/c/three\n");
    expect_walk(&(struct fs_walk_options){.root = folder->path, .directories = true, .breadth_first = true},
                "a\nb/\nd\nb/c/\nb/two\nb/c/three\n");
    folder_put(folder, "a2/z/deep", "x");
    expect_walk(&(struct fs_walk_options){.root = folder->path, .breadth_first = true},
                "a\nd\nb/two\na2/z/deep\nb/c/three\n");
    expect_walk(&(struct fs_walk_options){.root = folder->path}, "a\nd\na2/z/deep\nb/two\nb/c/three\n");
}

static void hidden_and_temporary_files_are_visited_when_asked_for(void **state)
{
    struct folder *folder = *state;
    expect_walk(&(struct fs_walk_options){.root = folder->path, .hidden = true},
                "a\nd\n.dot/x\nb/.hid\nb/two\nb/c/three\n");
    expect_walk(&(struct fs_walk_options){.root = folder->path, .hidden = true, .temporaries = true, .depth_max = 1},
                ".helve-tmp-0123456789abcdef\na\nd\n");
}

static void depth_is_bounded_and_directories_skipped(void **state)
{
    struct folder *folder = *state;
    expect_walk(&(struct fs_walk_options){.root = folder->path, .depth_max = 2}, "a\nd\nb/two\n");
    struct seen seen = {.skip = "c"};
    struct fs_walk_outcome outcome = walk(&seen, &(struct fs_walk_options){.root = folder->path, .directories = true});
    assert_string_equal(seen.paths.data, "a\nb/\nd\nb/c/\nb/two\n");
    assert_false(outcome.stopped);
    hv_buf_release(&seen.paths);
    seen = (struct seen){.stop = "d"};
    outcome = walk(&seen, &(struct fs_walk_options){.root = folder->path});
    assert_string_equal(seen.paths.data, "a\nd\n");
    assert_true(outcome.stopped);
    hv_buf_release(&seen.paths);
}

static void links_are_shown_and_never_followed(void **state)
{
    struct folder *folder = *state;
    assert_int_equal(symlink("..", folder_cpath(folder, "b/up")), 0);
    assert_int_equal(symlink(".", folder_cpath(folder, "b/self")), 0);
    assert_int_equal(symlink("nothing", folder_cpath(folder, "b/dangling")), 0);
    assert_int_equal(symlink("/", folder_cpath(folder, "b/c/root")), 0);
    expect_walk(&(struct fs_walk_options){.root = folder->path},
                "a\nd\nb/dangling\nb/self\nb/two\nb/up\nb/c/root\nb/c/three\n");
    /* Only the root itself may be a link. */
    assert_int_equal(symlink("b/c", folder_cpath(folder, "link")), 0);
    expect_walk(&(struct fs_walk_options){.root = folder_path(folder, "link")}, "root\nthree\n");
}

static void time_and_cancellation_end_a_walk(void **state)
{
    struct folder *folder = *state;
    struct seen seen = {0};
    struct fs_walk_outcome outcome = walk(&seen, &(struct fs_walk_options){.root = folder->path, .deadline_ns = 1});
    assert_true(outcome.timed_out);
    assert_int_equal(seen.count, 0);
    hv_buf_release(&seen.paths);
    struct hv_cancel *cancel = hv_cancel_new();
    seen = (struct seen){.cancel_at_first = cancel};
    outcome = walk(&seen, &(struct fs_walk_options){.root = folder->path, .cancel = cancel});
    assert_true(outcome.cancelled);
    assert_true(seen.count < 4);
    hv_buf_release(&seen.paths);
    hv_cancel_free(cancel);
}

static void a_root_that_is_no_directory_is_refused(void **state)
{
    struct folder *folder = *state;
    struct fs_walk_outcome outcome;
    struct seen seen = {0};
    assert_int_equal(fs_walk(&(struct fs_walk_options){.root = folder_path(folder, "no")}, note, &seen, &outcome, NULL),
                     HV_ENOTFOUND);
    assert_int_not_equal(
        fs_walk(&(struct fs_walk_options){.root = folder_path(folder, "a")}, note, &seen, &outcome, NULL), HV_OK);
}

static int walk_what_is_closed(struct folder *folder)
{
    struct fs_walk_outcome outcome;
    struct seen seen = {0};
    hv_buf_init(&seen.paths, 1 << 20);
    if (fs_walk(&(struct fs_walk_options){.root = folder->path}, note, &seen, &outcome, NULL))
        return 1;
    bool fine = outcome.unreadable == 1 && strcmp(seen.paths.data, "a\nd\nb/two\n") == 0;
    hv_buf_release(&seen.paths);
    return fine ? 0 : 2;
}

static void what_cannot_be_read_is_counted_and_passed_over(void **state)
{
    struct folder *folder = *state;
    assert_int_equal(chmod(folder->path.ptr, 0755), 0);
    assert_int_equal(chmod(folder_cpath(folder, "b/c"), 0), 0);
    assert_int_equal(in_child(walk_what_is_closed, folder, true), 0);
}

static void kernel_file_systems_are_not_entered(void **state)
{
    (void)state;
    struct seen seen = {0};
    (void)walk(&seen, &(struct fs_walk_options){.root = HV_STR("/"), .directories = true, .depth_max = 2});
    assert_non_null(strstr(seen.paths.data, "proc/\n"));
    assert_null(strstr(seen.paths.data, "proc/self"));
    assert_null(strstr(seen.paths.data, "proc/version"));
    hv_buf_release(&seen.paths);
}

enum { DEEP = 1500, BROAD = 5000 };

static void a_deep_tree_costs_no_stack(void **state)
{
    struct folder *folder = *state;
    int at = open(folder_cpath(folder, "b/c"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < DEEP; i++) {
        assert_int_equal(mkdirat(at, "deeper", 0700), 0);
        int below = openat(at, "deeper", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(at);
        at = below;
    }
    close(openat(at, "bottom", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    close(at);
    struct seen seen = {0};
    struct fs_walk_outcome outcome = walk(&seen, &(struct fs_walk_options){.root = folder->path});
    assert_int_equal(seen.deepest, DEEP + 3);
    assert_int_equal(outcome.unreadable, 0);
    assert_true(hv_str_ends(hv_buf_str(&seen.paths), HV_STR("/bottom\n")));
    hv_buf_release(&seen.paths);
}

static void a_broad_directory_is_visited_whole(void **state)
{
    struct folder *folder = *state;
    folder_make(folder, "broad");
    CLEANUP_FD int at = open(folder_cpath(folder, "broad"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < BROAD; i++) {
        char name[32];
        snprintf(name, sizeof name, "f%d", i);
        close(openat(at, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    }
    struct seen seen = {0};
    (void)walk(&seen, &(struct fs_walk_options){.root = folder_path(folder, "broad")});
    assert_int_equal(seen.count, BROAD);
    hv_buf_release(&seen.paths);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_folder, close_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_order_is_by_name_and_depth_first),
        CASE(hidden_and_temporary_files_are_visited_when_asked_for),
        CASE(depth_is_bounded_and_directories_skipped),
        CASE(links_are_shown_and_never_followed),
        CASE(time_and_cancellation_end_a_walk),
        CASE(a_root_that_is_no_directory_is_refused),
        CASE(what_cannot_be_read_is_counted_and_passed_over),
        CASE(kernel_file_systems_are_not_entered),
        CASE(a_deep_tree_costs_no_stack),
        CASE(a_broad_directory_is_visited_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
