/* test_scan_ordered.c: a scan in order: level by level, names sorted, on the calling thread, in bounded memory. */
#include "scanning.h"

#include "base/cleanup.h"
#include "fs/scan_names.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the visits saw, in their order. */
struct seen {
    struct hv_buf paths;
    size_t count, stop_after;
    const char *skip;
    pthread_t thread;
};

static int open_tree(void **state)
{
    static struct folder folder;
    folder_open(&folder);
    PUT_FILES(&folder, "b/two", "b/c/three", "a", "d", "a2/z/deep", "a.c", "B");
    *state = &folder;
    return 0;
}

static int close_tree(void **state)
{
    folder_close(*state);
    return 0;
}

static enum fs_scan_action note(void *user, const struct fs_scan_entry *entry)
{
    struct seen *seen = user;
    assert_true(pthread_equal(pthread_self(), seen->thread));
    assert_int_equal(entry->worker, 0);
    struct stat status;
    assert_int_equal(fstatat(entry->directory, entry->name.ptr, &status, AT_SYMLINK_NOFOLLOW), 0);
    hv_buf_add_str(&seen->paths, entry->path);
    hv_buf_add_cstr(&seen->paths, entry->kind == HV_FILE_DIRECTORY ? "/\n" : "\n");
    if (++seen->count == seen->stop_after)
        return FS_SCAN_STOP;
    return seen->skip && hv_str_is(entry->name, seen->skip) ? FS_SCAN_SKIP : FS_SCAN_ON;
}

static const char *scan(struct folder *folder, struct seen *seen, struct fs_scan_options options,
                        struct fs_scan_outcome *outcome)
{
    struct hv_error err;
    options.ordered = true;
    options.threads = 4; /* which are not used */
    seen->thread = pthread_self();
    hv_buf_init(&seen->paths, 64 << 20);
    if (fs_scan(&options, note, seen, &folder->arena, outcome, &err))
        fail_msg("%s", err.message);
    const char *text = hv_arena_cstr(&folder->arena, hv_buf_str(&seen->paths));
    hv_buf_release(&seen->paths);
    return text;
}

static void a_level_comes_before_the_next_and_names_are_sorted(void **state)
{
    struct folder *folder = *state;
    struct seen seen = {0};
    struct fs_scan_outcome outcome;
    struct fs_scan_options options = {.root = folder->path, .directories = true};
    assert_string_equal(scan(folder, &seen, options, &outcome),
                        "B\na\na.c\na2/\nb/\nd\na2/z/\nb/c/\nb/two\na2/z/deep\nb/c/three\n");
    seen = (struct seen){0};
    options.directories = false;
    assert_string_equal(scan(folder, &seen, options, &outcome), "B\na\na.c\nd\nb/two\na2/z/deep\nb/c/three\n");
    assert_int_equal(outcome.visited, 11);
    assert_false(outcome.stopped);
}

static void directories_are_skipped_and_depth_bounded(void **state)
{
    struct folder *folder = *state;
    struct seen seen = {.skip = "b"};
    struct fs_scan_outcome outcome;
    struct fs_scan_options options = {.root = folder->path, .directories = true};
    assert_string_equal(scan(folder, &seen, options, &outcome), "B\na\na.c\na2/\nb/\nd\na2/z/\na2/z/deep\n");
    seen = (struct seen){0};
    options.depth_max = 2;
    assert_string_equal(scan(folder, &seen, options, &outcome), "B\na\na.c\na2/\nb/\nd\na2/z/\nb/c/\nb/two\n");
}

static void a_stop_ends_it_at_once(void **state)
{
    struct folder *folder = *state;
    struct seen seen = {.stop_after = 3};
    struct fs_scan_outcome outcome;
    assert_string_equal(scan(folder, &seen, (struct fs_scan_options){.root = folder->path}, &outcome), "B\na\na.c\n");
    assert_true(outcome.stopped);
    /* With directories: those below the place where it ended are known and not visited. */
    seen = (struct seen){.stop_after = 5};
    scan(folder, &seen, (struct fs_scan_options){.root = folder->path, .directories = true}, &outcome);
    assert_int_equal(outcome.unreached, 2);
    assert_true(hv_str_is(outcome.unreached_names[0].path, "."));
    assert_true(hv_str_is(outcome.unreached_names[1].path, "a2"));
}

static void ignore_rules_hold_in_order_too(void **state)
{
    struct folder *folder = *state;
    struct seen seen = {0};
    struct fs_scan_outcome outcome;
    folder_put(folder, ".ignore", "c/\n/a*\n!a.c\n");
    assert_string_equal(scan(folder, &seen, (struct fs_scan_options){.root = folder->path}, &outcome),
                        "B\na.c\nd\nb/two\n");
    assert_int_equal(outcome.ignored, 3);
}

enum { BROAD = 20000, MANY = 400, DEEP = 1200 };

static void a_broad_directory_is_sorted_over_all_its_pieces(void **state)
{
    struct folder *folder = *state;
    struct seen seen = {0};
    struct fs_scan_outcome outcome;
    folder_make(folder, "broad");
    CLEANUP_FD int at = open(folder_cpath(folder, "broad"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CLEANUP_BUF struct hv_buf expected = {0};
    hv_buf_init(&expected, 1 << 24);
    for (int i = 0; i < BROAD; i++) {
        char name[32];
        snprintf(name, sizeof name, "name%05d", i);
        hv_buf_addf(&expected, "%s\n", name);
        snprintf(name, sizeof name, "name%05d", (i * 7919) % BROAD); /* in another order */
        close(openat(at, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    }
    struct fs_scan_options options = {.root = folder_path(folder, "broad")};
    const char *text = scan(folder, &seen, options, &outcome);
    assert_true(strcmp(text, expected.data) == 0);
    assert_int_equal(outcome.dropped, 0);
}

/* More directories in one level than descriptors are kept, each with something inside. */
static void a_broad_level_needs_few_descriptors(void **state)
{
    struct folder *folder = *state;
    struct seen seen = {0};
    struct fs_scan_outcome outcome;
    folder_make(folder, "many");
    CLEANUP_FD int at = open(folder_cpath(folder, "many"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < MANY; i++) {
        char name[48];
        snprintf(name, sizeof name, "d%03d", i);
        assert_int_equal(mkdirat(at, name, 0700), 0);
        snprintf(name, sizeof name, "d%03d/in", i);
        assert_int_equal(mkdirat(at, name, 0700), 0);
        snprintf(name, sizeof name, "d%03d/in/file", i);
        close(openat(at, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    }
    const char *text = scan(folder, &seen, (struct fs_scan_options){.root = folder_path(folder, "many")}, &outcome);
    assert_int_equal(seen.count, MANY);
    assert_int_equal(outcome.unreadable, 0);
    assert_true(hv_str_starts(hv_str_from(text), HV_STR("d000/in/file\nd001/in/file\n")));
}

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
    struct fs_scan_outcome outcome;
    const char *text = scan(folder, &seen, (struct fs_scan_options){.root = folder->path}, &outcome);
    assert_true(hv_str_ends(hv_str_from(text), HV_STR("/deeper/bottom\n")));
    assert_int_equal(outcome.unreadable, 0);
}

static void names_that_do_not_fit_are_dropped_from_the_end(void **state)
{
    (void)state;
    struct scan_names names = {.bytes_max = 1000};
    scan_names_clear(&names);
    for (int i = 0; i < 5000; i++) {
        char name[16];
        snprintf(name, sizeof name, "%04d", (i * 2741) % 5000);
        scan_names_add(&names, hv_str_from(name), HV_FILE_REGULAR, i % 2);
    }
    scan_names_sort(&names);
    assert_true(names.count >= 100 && names.count <= 200);
    assert_int_equal(names.count + names.dropped, 5000);
    for (size_t i = 0; i < names.count && i < 100; i++) {
        char name[16];
        snprintf(name, sizeof name, "%04zu", i);
        assert_string_equal(scan_names_text(&names, &names.items[i]).ptr, name);
    }
    scan_names_clear(&names);
    assert_int_equal(names.dropped, 0);
    scan_names_release(&names);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_tree, close_tree)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_level_comes_before_the_next_and_names_are_sorted),
        CASE(directories_are_skipped_and_depth_bounded),
        CASE(a_stop_ends_it_at_once),
        CASE(ignore_rules_hold_in_order_too),
        CASE(a_broad_directory_is_sorted_over_all_its_pieces),
        CASE(a_broad_level_needs_few_descriptors),
        CASE(a_deep_tree_costs_no_stack),
        cmocka_unit_test(names_that_do_not_fit_are_dropped_from_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
