/*
 * test_scan_parted.c: scans whose threads have tables of open files of their own: they visit the same, keep nothing of
 * others open, never follow a link that a directory was replaced by, and read each file from the directory it was
 * listed in.
 */
#include "scanning.h"

#include "base/cleanup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

enum { WIDE = 16, LONG = 6000 /* too many for a piece */, PATIENCE_S = 20 };

static void put_numbered(struct folder *folder, const char *directory, int count)
{
    folder_make(folder, directory);
    CLEANUP_FD int at = open(folder_cpath(folder, directory), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "a-file-that-has-the-number-%d", i);
        close(openat(at, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    }
}

/* Directories in directories, of all sizes, one with many files, and a chain that is deep. */
static void make_tree(struct folder *folder, int long_count)
{
    char name[4096] = "tree";
    for (int i = 0; i < WIDE; i++) {
        snprintf(name, sizeof name, "tree/part-%d/in/some/way", i);
        put_numbered(folder, name, i * 4);
        snprintf(name, sizeof name, "tree/part-%d/in/other", i);
        put_numbered(folder, name, 40);
    }
    put_numbered(folder, "tree/long", long_count);
    PUT_FILES(folder, "tree/long/below/x", "tree/long/below/more/y");
    snprintf(name, sizeof name, "tree/deep");
    for (size_t i = 0; i < 150; i++)
        snprintf(name + strlen(name), sizeof name - strlen(name), "/level");
    put_numbered(folder, name, 5);
}

static size_t count_open(void)
{
    size_t count = 0;
    DIR *directory = opendir("/proc/self/fd");
    if (!directory)
        return 0;
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

static void a_large_tree_is_visited_as_before(void **state)
{
    struct folder *folder = *state;
    make_tree(folder, LONG);
    struct scanning scanning = {0};
    struct fs_scan_options options = {.root = folder_path(folder, "tree"), .threads = 1, .directories = true};
    const char *alone = scanning_run(&scanning, folder, &options);
    size_t before = count_open();
    for (unsigned threads = 2; threads <= 6; threads += 2)
        for (size_t after = 1; after < 2000; after *= 10) {
            struct scanning parted = {0};
            options.threads = threads;
            options.part_after = after;
            assert_string_equal(scanning_run(&parted, folder, &options), alone);
            assert_int_equal(parted.outcome.visited, scanning.outcome.visited);
            assert_int_equal(parted.outcome.unreadable, 0);
            assert_int_equal(count_open(), before);
        }
}

static int scan_with_few_descriptors(struct folder *folder)
{
    struct rlimit few = {.rlim_cur = 24, .rlim_max = 24};
    setrlimit(RLIMIT_NOFILE, &few);
    struct scanning one = {0}, four = {0};
    struct fs_scan_options options = {.root = folder_path(folder, "tree"), .threads = 1, .part_after = 1};
    const char *alone = scanning_run(&one, folder, &options);
    options.threads = 4;
    return strcmp(scanning_run(&four, folder, &options), alone) == 0 && four.outcome.unreadable == 0 ? 0 : 1;
}

static void few_descriptors_are_enough(void **state)
{
    struct folder *folder = *state;
    make_tree(folder, 100);
    assert_int_equal(in_child(scan_with_few_descriptors, folder, false), 0);
}

/* ---- a pipe of others -------------------------------------------------------------------------------------- */

struct piping {
    int read_end, write_end;
    atomic_bool asked;
    sem_t parted, ended;
    bool got_end;
};

static bool wait_for(sem_t *semaphore)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    while (sem_timedwait(semaphore, &until))
        if (errno != EINTR)
            return false;
    return true;
}

/* Closes the only writing end that the process has, while a scanning thread with its own table is at work. */
static void *close_pipe(void *user)
{
    struct piping *piping = user;
    if (!wait_for(&piping->parted))
        return NULL;
    close(piping->write_end);
    struct pollfd watched = {.fd = piping->read_end, .events = POLLIN};
    char byte;
    /* Less long than the thread stays: what it keeps open, is open. */
    piping->got_end = poll(&watched, 1, PATIENCE_S * 1000 / 2) == 1 && read(piping->read_end, &byte, 1) == 0;
    sem_post(&piping->ended);
    return NULL;
}

/* What the thread opens does not show up among the process's open files. */
static bool has_parted(const struct fs_scan_entry *entry)
{
    char name[64], target[8];
    CLEANUP_FD int fd = fcntl(entry->directory, F_DUPFD_CLOEXEC, 300);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    return fd >= 0 && readlink(name, target, sizeof target) < 0 && access("/proc/self/fd", F_OK) == 0;
}

/* The first thread that has parted stays until the other has seen the end of the pipe, or has waited too long. */
static enum fs_scan_action hold(void *user, const struct fs_scan_entry *entry)
{
    struct piping *piping = user;
    if (entry->worker && has_parted(entry) && !atomic_exchange(&piping->asked, true)) {
        sem_post(&piping->parted);
        (void)wait_for(&piping->ended);
    }
    return FS_SCAN_ON;
}

static void a_pipe_ends_while_a_scan_goes_on(void **state)
{
    struct folder *folder = *state;
    make_tree(folder, 100);
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    struct piping piping = {.read_end = ends[0], .write_end = ends[1]};
    sem_init(&piping.parted, 0, 0);
    sem_init(&piping.ended, 0, 0);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, close_pipe, &piping), 0);
    struct fs_scan_options options = {.root = folder_path(folder, "tree"), .threads = 3, .part_after = 1};
    struct fs_scan_outcome outcome;
    assert_int_equal(fs_scan(&options, hold, &piping, &folder->arena, &outcome, NULL), HV_OK);
    if (!atomic_load(&piping.asked)) /* a kernel without such tables: nothing holds the pipe, then */
        sem_post(&piping.parted);
    pthread_join(thread, NULL);
    assert_true(piping.got_end);
    close(piping.read_end);
    sem_destroy(&piping.parted);
    sem_destroy(&piping.ended);
}

/* ---- directories that are replaced --------------------------------------------------------------------------- */

enum { PATH_ROOM = 512, ROUNDS = 6 };

struct replacing {
    const char *tree, *aside; /* absolute: threads with tables of their own have no descriptor of the test's */
    atomic_size_t files, wrong, replaced;
    ino_t inode; /* of the directory that is replaced */
};

/* What was listed goes aside, and a link to what lies outside takes its place, before anything in it is opened. */
static enum fs_scan_action replace_by_link(void *user, const struct fs_scan_entry *entry)
{
    struct replacing *replacing = user;
    char listed[PATH_ROOM], aside[PATH_ROOM];
    atomic_fetch_add(&replacing->wrong, hv_str_is(entry->name, "secret"));
    if (entry->kind != HV_FILE_DIRECTORY || entry->depth != 2)
        return FS_SCAN_ON;
    int len = (int)(entry->path.len - entry->name.len - 1);
    snprintf(listed, sizeof listed, "%s/%.*s", replacing->tree, len, entry->path.ptr);
    snprintf(aside, sizeof aside, "%s/%.*s", replacing->aside, len, entry->path.ptr);
    if (rename(listed, aside) == 0 && symlink("../outside", listed) == 0)
        atomic_fetch_add(&replacing->replaced, 1);
    return FS_SCAN_ON;
}

static void replace_directories(struct folder *folder, int round)
{
    char name[64];
    for (int i = 0; i < WIDE; i++) {
        snprintf(name, sizeof name, "round-%d/tree/part-%d/in/some", round, i);
        put_numbered(folder, name, 3);
    }
    snprintf(name, sizeof name, "round-%d/outside/in/some/secret", round);
    folder_put(folder, name, "x");
    snprintf(name, sizeof name, "round-%d/aside", round);
    folder_make(folder, name);
    struct replacing replacing = {.aside = folder_cpath(folder, name)};
    snprintf(name, sizeof name, "round-%d/tree", round);
    replacing.tree = folder_cpath(folder, name);
    struct fs_scan_options options = {
        .root = folder_path(folder, name), .threads = 3, .part_after = 1, .directories = true};
    struct fs_scan_outcome outcome;
    assert_int_equal(fs_scan(&options, replace_by_link, &replacing, &folder->arena, &outcome, NULL), HV_OK);
    assert_int_equal(atomic_load(&replacing.wrong), 0);
    assert_int_equal(atomic_load(&replacing.replaced), WIDE);
    assert_int_equal(outcome.unreadable, 0);
}

static void a_directory_that_a_link_replaced_is_not_entered_through_it(void **state)
{
    for (int round = 0; round < ROUNDS; round++)
        replace_directories(*state, round);
}

/* The directory at hand gets another name, and another one its own. */
static enum fs_scan_action replace_by_another(void *user, const struct fs_scan_entry *entry)
{
    struct replacing *replacing = user;
    struct stat directory;
    if (entry->kind == HV_FILE_DIRECTORY || entry->depth != 2)
        return FS_SCAN_ON;
    if (atomic_fetch_add(&replacing->files, 1) == 0)
        atomic_store(&replacing->replaced,
                     rename(replacing->tree, replacing->aside) == 0 && mkdir(replacing->tree, 0700) == 0);
    atomic_fetch_add(&replacing->wrong,
                     fstat(entry->directory, &directory) != 0 || directory.st_ino != replacing->inode);
    return FS_SCAN_ON;
}

static void files_are_visited_in_the_directory_that_was_listed(void **state)
{
    struct folder *folder = *state;
    put_numbered(folder, "tree/long", LONG);
    for (int round = 0; round < ROUNDS; round++) {
        struct replacing replacing = {.tree = folder_cpath(folder, "tree/long"),
                                      .aside = folder_cpath(folder, "aside")};
        struct stat directory;
        assert_int_equal(stat(replacing.tree, &directory), 0);
        replacing.inode = directory.st_ino;
        struct fs_scan_options options = {.root = folder_path(folder, "tree"), .threads = 3, .part_after = 1};
        struct fs_scan_outcome outcome;
        assert_int_equal(fs_scan(&options, replace_by_another, &replacing, &folder->arena, &outcome, NULL), HV_OK);
        assert_int_equal(atomic_load(&replacing.wrong), 0);
        assert_int_equal(atomic_load(&replacing.files), LONG);
        assert_int_equal(atomic_load(&replacing.replaced), 1);
        assert_int_equal(rmdir(replacing.tree), 0);
        assert_int_equal(rename(replacing.aside, replacing.tree), 0);
    }
}

/* ---- opening and closing --------------------------------------------------------------------------------------- */

static enum fs_scan_action read_one(void *user, const struct fs_scan_entry *entry)
{
    atomic_size_t *read_right = user;
    char byte = 0;
    int fd = fs_scan_open(entry);
    if (fd >= 0 && read(fd, &byte, 1) == 1 && byte == 'x')
        atomic_fetch_add(read_right, 1);
    if (fd >= 0)
        fs_scan_close(entry, fd);
    return FS_SCAN_ON;
}

static void files_are_read_without_a_trace_and_closed(void **state)
{
    enum { FILES = 100 };
    struct folder *folder = *state;
    struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 2000}};
    char name[32];
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "t%d/file-%d", i % 3, i);
        folder_put(folder, name, "x");
        assert_int_equal(utimensat(AT_FDCWD, folder_cpath(folder, name), times, 0), 0);
    }
    for (unsigned threads = 1; threads <= 4; threads++) {
        atomic_size_t read_right = 0;
        struct fs_scan_options options = {.root = folder->path, .threads = threads, .part_after = threads % 2};
        struct fs_scan_outcome outcome;
        size_t before = count_open();
        assert_int_equal(fs_scan(&options, read_one, &read_right, &folder->arena, &outcome, NULL), HV_OK);
        assert_int_equal(atomic_load(&read_right), FILES);
        assert_int_equal(count_open(), before);
    }
    struct stat status;
    assert_int_equal(stat(folder_cpath(folder, name), &status), 0);
    assert_int_equal(status.st_atim.tv_sec, 1000);
}

/* Threads that get tables of their own have files open in that of all just then, which are closed there. */
static void what_is_open_when_threads_part_is_closed(void **state)
{
    enum { DIRECTORIES = 60, FILES = 8, TIMES = 30 };
    struct folder *folder = *state;
    char name[32];
    for (int i = 0; i < DIRECTORIES * FILES; i++) {
        snprintf(name, sizeof name, "t%d/file-%d", i % DIRECTORIES, i);
        folder_put(folder, name, "x");
    }
    for (size_t round = 0; round < TIMES; round++) {
        atomic_size_t read_right = 0;
        struct fs_scan_options options = {.root = folder->path, .threads = 3, .part_after = 1 + round % 20};
        struct fs_scan_outcome outcome;
        size_t before = count_open();
        assert_int_equal(fs_scan(&options, read_one, &read_right, &folder->arena, &outcome, NULL), HV_OK);
        assert_int_equal(atomic_load(&read_right), DIRECTORIES * FILES);
        assert_int_equal(count_open(), before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_large_tree_is_visited_as_before, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(few_descriptors_are_enough, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(a_pipe_ends_while_a_scan_goes_on, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(a_directory_that_a_link_replaced_is_not_entered_through_it, folder_setup,
                                        folder_teardown),
        cmocka_unit_test_setup_teardown(files_are_visited_in_the_directory_that_was_listed, folder_setup,
                                        folder_teardown),
        cmocka_unit_test_setup_teardown(files_are_read_without_a_trace_and_closed, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(what_is_open_when_threads_part_is_closed, folder_setup, folder_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
