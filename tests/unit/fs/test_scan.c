/*
 * test_scan.c: scanning trees with several threads: what is visited, ends before the time, links, what cannot be read,
 * very deep and very broad trees, few descriptors, names of any bytes.
 */
#include "scanning.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "fs/newest.h"
#include "fs/scan_warm.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

static int open_folder(void **state)
{
    static struct folder folder;
    folder_open(&folder);
    PUT_FILES(&folder, "b/two", "b/c/three", "a", "d", ".dot/x", "b/.hid", ".helve-tmp-0123456789abcdef");
    *state = &folder;
    return 0;
}

static int close_folder(void **state)
{
    folder_close(*state);
    return 0;
}

static void each_file_is_visited_once(void **state)
{
    struct folder *folder = *state;
    assert_string_equal(scanning_shown(folder, "", (struct fs_scan_options){0}), "a\nb/c/three\nb/two\nd\n");
    assert_string_equal(scanning_shown(folder, "b", (struct fs_scan_options){.directories = true}),
                        "c/\nc/three\ntwo\n");
    struct scanning scanning = {0};
    const char *text = scanning_run(&scanning, folder, &(struct fs_scan_options){.root = folder->path});
    assert_string_equal(text, "a\nb/c/three\nb/two\nd\n");
    assert_int_equal(scanning.outcome.visited, 9);
    assert_int_equal(scanning.outcome.unreadable, 0);
    assert_int_equal(scanning.outcome.unreached, 0);
    assert_false(scanning.outcome.stopped || scanning.outcome.timed_out || scanning.outcome.cancelled);
}

static void hidden_files_are_visited_when_asked_for_and_temporary_ones_never(void **state)
{
    struct folder *folder = *state;
    folder_put(folder, ".git/HEAD", "x");
    assert_string_equal(scanning_shown(folder, "", (struct fs_scan_options){.hidden = true}),
                        ".dot/x\na\nb/.hid\nb/c/three\nb/two\nd\n");
}

static void depth_is_bounded_and_directories_skipped(void **state)
{
    struct folder *folder = *state;
    assert_string_equal(scanning_shown(folder, "", (struct fs_scan_options){.depth_max = 2}), "a\nb/two\nd\n");
    struct scanning scanning = {.skip = "c"};
    struct fs_scan_options options = {.root = folder->path, .directories = true, .threads = 2};
    assert_string_equal(scanning_run(&scanning, folder, &options), "a\nb/\nb/c/\nb/two\nd\n");
    assert_false(scanning.outcome.stopped);
    scanning = (struct scanning){.stop = "b"};
    (void)scanning_run(&scanning, folder, &options);
    assert_true(scanning.outcome.stopped);
    assert_true(atomic_load(&scanning.count) <= 3);
}

/* What is seen one after another; a directory is not wanted any more when it is asked about for the second time. */
struct seen {
    struct hv_buf text;
    const char *unwanted;
};

static enum fs_scan_action note_order(void *user, const struct fs_scan_entry *entry)
{
    struct seen *seen = user;
    bool again = entry->directory < 0;
    hv_buf_addf(&seen->text, "%.*s%s\n", HV_STR_ARG(entry->path), again ? "?" : "");
    return again && seen->unwanted && hv_str_is(entry->path, seen->unwanted) ? FS_SCAN_SKIP : FS_SCAN_ON;
}

static void by_name_the_first_ones_come_first_and_directories_are_asked_about_again(void **state)
{
    struct folder *folder = *state;
    PUT_FILES(folder, "b/q", "b/c/four", "b/a", "b/z", "b/n", "b/e/five", "b/m", "0/file", "c");
    for (int again = 0; again < 2; again++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct fs_scan_outcome outcome;
        struct seen seen = {.unwanted = again ? "b/c" : NULL};
        hv_buf_init(&seen.text, 4096);
        struct fs_scan_options options = {.root = folder->path, .by_name = true, .directories = true, .threads = 1};
        assert_int_equal(fs_scan(&options, note_order, &seen, &arena, &outcome, NULL), HV_OK);
        const char *at = strstr(seen.text.data, "a\nc\nd\n0?\n0/file\nb?\n"), *in_b = strstr(seen.text.data, "b/a\n");
        assert_non_null(at);
        assert_non_null(in_b);
        assert_string_equal(in_b, again
                                      ? "b/a\nb/m\nb/n\nb/q\nb/two\nb/z\nb/c?\nb/e?\nb/e/five\n"
                                      : "b/a\nb/m\nb/n\nb/q\nb/two\nb/z\nb/c?\nb/c/four\nb/c/three\nb/e?\nb/e/five\n");
        assert_int_equal(outcome.unreached + outcome.unreadable, 0);
        hv_buf_release(&seen.text);
    }
}

static void by_name_each_file_is_visited_once_by_several_threads(void **state)
{
    struct folder *folder = *state;
    CLEANUP_BUF struct hv_buf expected = {0};
    hv_buf_init(&expected, 1 << 16);
    for (int i = 0; i < 700; i++) {
        char name[32];
        snprintf(name, sizeof name, "many/%03d", i * 37 % 700);
        folder_put(folder, name, "x");
        hv_buf_addf(&expected, "%03d\n", i);
    }
    assert_string_equal(scanning_shown(folder, "many", (struct fs_scan_options){.by_name = true}), expected.data);
}

static void links_are_shown_and_never_followed(void **state)
{
    struct folder *folder = *state;
    assert_int_equal(symlink("..", folder_cpath(folder, "b/up")), 0);
    assert_int_equal(symlink(".", folder_cpath(folder, "b/self")), 0);
    assert_int_equal(symlink("nothing", folder_cpath(folder, "b/dangling")), 0);
    assert_int_equal(symlink("/", folder_cpath(folder, "b/c/root")), 0);
    assert_string_equal(scanning_shown(folder, "", (struct fs_scan_options){0}),
                        "a\nb/c/root\nb/c/three\nb/dangling\nb/self\nb/two\nb/up\nd\n");
    /* Only the root itself may be a link. */
    assert_int_equal(symlink("b/c", folder_cpath(folder, "link")), 0);
    assert_string_equal(scanning_shown(folder, "link", (struct fs_scan_options){0}), "root\nthree\n");
}

static void names_may_be_any_bytes(void **state)
{
    struct folder *folder = *state;
    PUT_FILES(folder, "odd/\xff\xfe", "odd/a\tb", "odd/\xc3\x28/-x", "odd/ ", "odd/*[");
    folder_put(folder, "odd/.gitignore", "\xff*\n");
    assert_string_equal(scanning_shown(folder, "odd", (struct fs_scan_options){0}), " \n*[\na\tb\n\xc3\x28/-x\n");
}

static void time_and_cancellation_end_a_scan(void **state)
{
    struct folder *folder = *state;
    struct scanning scanning = {0};
    struct fs_scan_options options = {.root = folder->path, .deadline_ns = 1, .threads = 4};
    assert_string_equal(scanning_run(&scanning, folder, &options), "");
    assert_true(scanning.outcome.timed_out);
    assert_int_equal(scanning.outcome.unreached, 1);
    assert_int_equal(scanning.outcome.unreached_named, 1);
    assert_true(hv_str_is(scanning.outcome.unreached_names[0].path, "."));
    struct hv_cancel *cancel = hv_cancel_new();
    for (unsigned threads = 1; threads <= 4; threads *= 4) {
        scanning = (struct scanning){.cancel_at_first = cancel};
        options = (struct fs_scan_options){
            .root = folder->path, .cancel = cancel, .threads = threads, .directories = true, .hidden = true};
        (void)scanning_run(&scanning, folder, &options);
        assert_true(scanning.outcome.cancelled);
        assert_true(scanning.outcome.unreached > 0);
        hv_cancel_free(cancel);
        cancel = hv_cancel_new();
    }
    hv_cancel_free(cancel);
}

static void a_root_that_is_no_directory_is_refused(void **state)
{
    struct folder *folder = *state;
    struct fs_scan_outcome outcome = {.visited = 77};
    const char *const names[] = {"no", "a", "no/where"};
    for (size_t i = 0; i < 3; i++) {
        struct fs_scan_options options = {.root = folder_path(folder, names[i])};
        assert_int_not_equal(fs_scan(&options, NULL, NULL, &folder->arena, &outcome, NULL), HV_OK);
    }
    assert_int_equal(outcome.visited, 77);
}

static int scan_what_is_closed(struct folder *folder)
{
    struct scanning scanning = {0};
    const char *text = scanning_run(&scanning, folder, &(struct fs_scan_options){.root = folder->path, .threads = 2});
    const struct fs_scan_outcome *outcome = &scanning.outcome;
    if (strcmp(text, "a\nb/two\nd\n") != 0 || outcome->unreadable != 1 || outcome->unreadable_named != 1)
        return 1;
    return hv_str_is(outcome->unreadable_names[0].path, "b/c") && outcome->unreadable_names[0].sys_errno == EACCES ? 0
                                                                                                                   : 2;
}

static void what_cannot_be_read_is_counted_and_named_once(void **state)
{
    struct folder *folder = *state;
    assert_int_equal(chmod(folder->path.ptr, 0755), 0);
    assert_int_equal(chmod(folder_cpath(folder, "b/c"), 0), 0);
    assert_int_equal(in_child(scan_what_is_closed, folder, true), 0);
}

static void kernel_file_systems_are_not_entered(void **state)
{
    struct folder *folder = *state;
    struct scanning scanning = {.no_check = true};
    struct fs_scan_options options = {.root = HV_STR("/"), .directories = true, .depth_max = 2, .threads = 2};
    const char *text = scanning_run(&scanning, folder, &options);
    assert_non_null(strstr(text, "proc/\n"));
    assert_null(strstr(text, "proc/self"));
    assert_null(strstr(text, "proc/version"));
}

/* ---- large trees ----------------------------------------------------------------------------------------- */

enum { DEEP = 10000, BROAD = 24000, LEVELS = 700 }; /* BROAD: four pieces of a directory (PIECE_SIZE) and more */

/* A chain of directories; each with some more beside, so that many wait while the scan is at the bottom. */
static void make_chain(struct folder *folder, const char *name, int depth, int beside)
{
    folder_make(folder, name);
    int at = open(folder_cpath(folder, name), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < depth; i++) {
        for (int j = 0; j < beside; j++) {
            char side[16];
            snprintf(side, sizeof side, "side%d", j);
            assert_int_equal(mkdirat(at, side, 0700), 0);
            CLEANUP_FD int inner = openat(at, side, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            close(openat(inner, "leaf", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
        }
        assert_int_equal(mkdirat(at, "deeper", 0700), 0);
        int below = openat(at, "deeper", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(at);
        at = below;
    }
    close(openat(at, "bottom", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    close(at);
}

static void a_deep_tree_costs_no_stack(void **state)
{
    struct folder *folder = *state;
    make_chain(folder, "b/c", DEEP, 0);
    struct scanning scanning = {0};
    const char *text = scanning_run(&scanning, folder, &(struct fs_scan_options){.root = folder->path, .threads = 2});
    assert_int_equal(atomic_load(&scanning.deepest), DEEP + 3);
    assert_int_equal(scanning.outcome.unreadable, 0);
    assert_non_null(strstr(text, "/deeper/bottom\n"));
}

/* With a limit so low that nearly every directory has to be found again from above. */
static int scan_with_few_descriptors(struct folder *folder)
{
    struct rlimit few = {.rlim_cur = 24, .rlim_max = 24};
    setrlimit(RLIMIT_NOFILE, &few);
    struct scanning scanning = {0};
    struct fs_scan_options options = {.root = folder_path(folder, "chain"), .threads = 4};
    (void)scanning_run(&scanning, folder, &options);
    return scanning.outcome.unreadable == 0 && atomic_load(&scanning.count) == 2 * LEVELS + 1 ? 0 : 1;
}

static void few_descriptors_are_enough_for_any_tree(void **state)
{
    struct folder *folder = *state;
    make_chain(folder, "chain", LEVELS, 2);
    assert_int_equal(in_child(scan_with_few_descriptors, folder, false), 0);
}

enum { AT_ONCE = 10, CROWD = 100 };

struct crowd {
    struct hv_str root;
    struct fs_warm *warm;
    atomic_int wrong;
};

/* Takes its time, so that all are at it at once. */
static enum fs_scan_action count_slowly(void *user, const struct fs_scan_entry *entry)
{
    (void)entry;
    atomic_fetch_add((atomic_int *)user, 1);
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    return FS_SCAN_ON;
}

static void *scan_in_crowd(void *data)
{
    struct crowd *crowd = data;
    struct hv_arena arena = {0};
    struct fs_scan_outcome outcome;
    atomic_int count = 0;
    struct fs_scan_options options = {.root = crowd->root, .threads = 2, .warm = crowd->warm};
    if (fs_scan(&options, count_slowly, &count, &arena, &outcome, NULL) || outcome.unreadable ||
        atomic_load(&count) != 2 * CROWD + 1)
        atomic_fetch_add(&crowd->wrong, 1);
    hv_arena_release(&arena);
    return NULL;
}

static int scan_at_once(struct folder *folder)
{
    struct rlimit few = {.rlim_cur = 32, .rlim_max = 32};
    setrlimit(RLIMIT_NOFILE, &few);
    struct fs_warm warm;
    fs_warm_init(&warm);
    struct crowd crowd = {.root = folder_path(folder, "crowd"), .warm = &warm};
    pthread_t threads[AT_ONCE];
    for (int i = 0; i < AT_ONCE; i++)
        if (pthread_create(&threads[i], NULL, scan_in_crowd, &crowd))
            return 2;
    for (int i = 0; i < AT_ONCE; i++)
        pthread_join(threads[i], NULL);
    fs_warm_release(&warm);
    return atomic_load(&crowd.wrong) ? 1 : 0;
}

static void scans_at_once_share_few_descriptors(void **state)
{
    struct folder *folder = *state;
    make_chain(folder, "crowd", CROWD, 2);
    assert_int_equal(in_child(scan_at_once, folder, false), 0);
}

static int scan_without_room(struct folder *folder)
{
    struct rlimit few = {.rlim_cur = 24, .rlim_max = 24};
    setrlimit(RLIMIT_NOFILE, &few);
    struct fs_warm warm;
    fs_warm_init(&warm);
    struct hv_arena arena = {0};
    struct fs_scan_outcome outcome = {0};
    struct scan_room first, second;
    atomic_int count = 0;
    struct fs_scan_options options = {.root = folder->path, .warm = &warm, .threads = 2};
    while (warm.rooms.taken + 8 <= warm.rooms.all || !warm.rooms.scans)
        scan_room_take(&first, &options); /* never given back */
    options.deadline_ns = clock_monotonic_ns() + 20 * CLOCK_MILLISECOND;
    bool late = !fs_scan(&options, count_slowly, &count, &arena, &outcome, NULL) && outcome.timed_out;
    options.deadline_ns = clock_monotonic_ns();
    scan_room_take(&second, &options);
    bool least = second.threads == 1 && !second.kept;
    hv_arena_release(&arena);
    return late && least && !atomic_load(&count) ? 0 : 1;
}

static void a_scan_that_finds_no_room_ends_at_its_deadline(void **state)
{
    assert_int_equal(in_child(scan_without_room, *state, false), 0);
}

static void a_broad_directory_is_read_in_pieces_and_shared(void **state)
{
    struct folder *folder = *state;
    folder_make(folder, "broad/dir");
    CLEANUP_FD int at = open(folder_cpath(folder, "broad"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < BROAD; i++) {
        char name[48];
        snprintf(name, sizeof name, "a-name-of-some-length-%d%s", i, i % 10 ? "" : ".o");
        close(openat(at, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    }
    PUT_FILES(folder, "broad/dir/below", "broad/dir/x.o");
    folder_put(folder, "broad/.gitignore", "*.o\n"); /* lies anywhere in the list, but counts for all */
    for (unsigned threads = 1; threads <= 4; threads++) {
        struct scanning scanning = {0};
        struct fs_scan_options options = {.root = folder_path(folder, "broad"), .threads = threads};
        (void)scanning_run(&scanning, folder, &options);
        assert_int_equal(atomic_load(&scanning.count), BROAD / 10 * 9 + 1);
        assert_int_equal(scanning.outcome.ignored, BROAD / 10 + 1);
        assert_true((atomic_load(&scanning.other_threads) > 0) <= (threads > 1));
    }
}

/* ---- a tree that changes --------------------------------------------------------------------------------- */

struct changing {
    int root;
    atomic_bool over;
};

/* Again and again a directory becomes a link to what lies outside, a file comes and goes, a directory moves away. */
static void *change(void *data)
{
    struct changing *changing = data;
    int root = changing->root;
    while (!atomic_load(&changing->over)) {
        renameat(root, "swap", root, "aside/swap");
        (void)!symlinkat("../outside", root, "swap");
        close(openat(root, "aside/new", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
        renameat(root, "aside", root, "moved");
        unlinkat(root, "swap", 0);
        renameat(root, "moved", root, "aside");
        renameat(root, "aside/swap", root, "swap");
        unlinkat(root, "aside/new", 0);
    }
    return NULL;
}

static void a_tree_that_changes_does_no_harm(void **state)
{
    struct folder *folder = *state;
    PUT_FILES(folder, "tree/swap/in/a", "tree/swap/in/deep/b", "tree/aside/c", "outside/in/secret", "outside/secret");
    struct changing changing = {.root = open(folder_cpath(folder, "tree"), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, change, &changing), 0);
    for (int i = 0; i < 300; i++) {
        struct scanning scanning = {.no_check = true};
        struct fs_scan_options options = {.root = folder_path(folder, "tree"), .threads = 1 + (unsigned)i % 3};
        const char *text = scanning_run(&scanning, folder, &options);
        assert_null(strstr(text, "secret"));
        assert_int_equal(scanning.outcome.unreadable, 0);
    }
    atomic_store(&changing.over, true);
    pthread_join(thread, NULL);
    close(changing.root);
}

/* ---- order by time --------------------------------------------------------------------------------------- */

static enum fs_scan_action add_newest(void *user, const struct fs_scan_entry *entry)
{
    struct fs_newest *newest = user;
    int64_t mtime_ns;
    if (fs_scan_mtime(entry, &mtime_ns))
        fs_newest_add(&newest[entry->worker], entry->path, mtime_ns);
    else
        newest[entry->worker].total++;
    return FS_SCAN_ON;
}

static void the_newest_files_are_kept_in_order(void **state)
{
    struct folder *folder = *state;
    for (int i = 0; i < 200; i++) {
        char name[32];
        snprintf(name, sizeof name, "t%d/f%d", i % 7, i);
        folder_put(folder, name, "x");
        int age = i * 37 % 100; /* each age twice */
        struct timespec times[2] = {{.tv_sec = 2000000000 - age}, {.tv_sec = 2000000000 - age}};
        assert_int_equal(utimensat(AT_FDCWD, folder_cpath(folder, name), times, 0), 0);
    }
    struct fs_newest newest[3] = {{.max = 5}, {.max = 5}, {.max = 5}};
    struct fs_scan_outcome outcome;
    struct fs_scan_options options = {.root = folder->path, .threads = 3};
    assert_int_equal(fs_scan(&options, add_newest, newest, &folder->arena, &outcome, NULL), HV_OK);
    fs_newest_merge(&newest[0], &newest[1]);
    fs_newest_merge(&newest[0], &newest[2]);
    fs_newest_sort(&newest[0]);
    assert_int_equal(newest[0].count, 5);
    assert_int_equal(newest[0].total, 204);
    const char *const expected[] = {"t0/f0", "t2/f100", "t3/f73", "t5/f173", "t4/f46"};
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(newest[0].items[i].path, expected[i]);
    fs_newest_release(&newest[0]);
    assert_int_equal(newest[1].count + newest[2].count, 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_folder, close_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(each_file_is_visited_once),
        CASE(hidden_files_are_visited_when_asked_for_and_temporary_ones_never),
        CASE(depth_is_bounded_and_directories_skipped),
        CASE(by_name_the_first_ones_come_first_and_directories_are_asked_about_again),
        CASE(by_name_each_file_is_visited_once_by_several_threads),
        CASE(links_are_shown_and_never_followed),
        CASE(names_may_be_any_bytes),
        CASE(time_and_cancellation_end_a_scan),
        CASE(a_root_that_is_no_directory_is_refused),
        CASE(what_cannot_be_read_is_counted_and_named_once),
        CASE(kernel_file_systems_are_not_entered),
        CASE(a_deep_tree_costs_no_stack),
        CASE(few_descriptors_are_enough_for_any_tree),
        CASE(scans_at_once_share_few_descriptors),
        CASE(a_scan_that_finds_no_room_ends_at_its_deadline),
        CASE(a_broad_directory_is_read_in_pieces_and_shared),
        CASE(a_tree_that_changes_does_no_harm),
        CASE(the_newest_files_are_kept_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
