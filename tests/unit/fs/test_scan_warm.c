/*
 * test_scan_warm.c: scans that remember directories (fs/scan_warm.h). Whatever changes between two scans, or during
 * one, a scan that remembers sees what one does that reads everything.
 */
#include "scanning.h"

#include "base/cleanup.h"
#include "fs/scan_warm.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct memory {
    struct folder folder;
    struct fs_warm warm;
    uint32_t random;
};

static const int64_t REST_NS = 30 * 1000 * 1000;  /* so long left alone, a directory counts */
static const int64_t NEVER_NS = INT64_C(1) << 50; /* no directory has been left alone for so long */

static int open_memory(void **state)
{
    static struct memory memory;
    folder_open(&memory.folder);
    fs_warm_init(&memory.warm);
    memory.warm.steady_ns = REST_NS;
    memory.random = 7;
    *state = &memory;
    return 0;
}

static int close_memory(void **state)
{
    struct memory *memory = *state;
    fs_warm_release(&memory->warm);
    folder_close(&memory->folder);
    return 0;
}

/* Not host->write, which waits for the disk each time. Nothing happens where the directory is not there. */
static void put(struct memory *memory, const char *name, const char *text)
{
    CLEANUP_FD int fd = open(folder_cpath(&memory->folder, name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd >= 0)
        assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static void make(struct memory *memory, const char *name)
{
    (void)!mkdir(folder_cpath(&memory->folder, name), 0700);
}

static void make_tree(struct memory *memory)
{
    static const char *const directories[] = {"t",   "t/a",   "t/a/x", "t/a/y",      "t/b",  "t/b/x",  "t/b/z", "t/.h",
                                              "t/c", "t/c/x", "t/c/y", "t/c/y/deep", "home", "t/.git", NULL};
    for (size_t i = 0; directories[i]; i++)
        make(memory, directories[i]);
    for (size_t i = 0; directories[i]; i++)
        for (int n = 0; n < 4; n++) {
            char name[64];
            snprintf(name, sizeof name, "%s/f%d.%c", directories[i], n, n % 2 ? 'o' : 'c');
            put(memory, name, "x");
        }
    put(memory, "t/.gitignore", "/a/x/*.o\n");
    put(memory, "t/b/.ignore", "f0.c\n");
}

/* Long enough for directories not to have changed lately. */
static void let_rest(void)
{
    struct timespec pause = {.tv_nsec = 2 * REST_NS};
    while (nanosleep(&pause, &pause))
        continue;
}

static struct fs_scan_options options_of(struct memory *memory, unsigned threads)
{
    return (struct fs_scan_options){.root = folder_path(&memory->folder, "t"),
                                    .home = folder_path(&memory->folder, "home"),
                                    .directories = true,
                                    .threads = threads};
}

/* Scan with what is remembered and without; the same must come out. Returns how many directories were remembered. */
static size_t compare(struct memory *memory, struct fs_scan_options options)
{
    struct scanning cold = {.no_check = true}, warm = {.no_check = true};
    options.warm = &memory->warm;
    const char *remembered = scanning_run(&warm, &memory->folder, &options);
    options.warm = NULL;
    const char *read = scanning_run(&cold, &memory->folder, &options);
    assert_string_equal(remembered, read);
    assert_int_equal(warm.outcome.visited, cold.outcome.visited);
    assert_int_equal(warm.outcome.ignored, cold.outcome.ignored);
    assert_int_equal(cold.outcome.remembered, 0);
    return warm.outcome.remembered;
}

static void what_has_not_changed_is_not_read_again(void **state)
{
    struct memory *memory = *state;
    make_tree(memory);
    memory->warm.steady_ns = NEVER_NS;
    assert_int_equal(compare(memory, options_of(memory, 2)), 0);
    assert_int_equal(compare(memory, options_of(memory, 2)), 0); /* changed just now: not remembered */
    memory->warm.steady_ns = REST_NS;
    let_rest();
    assert_int_equal(compare(memory, options_of(memory, 2)), 0);
    assert_int_equal(compare(memory, options_of(memory, 2)), 11);
    assert_int_equal(compare(memory, options_of(memory, 1)), 11);
    /* One changes. */
    put(memory, "t/c/x/new", "x");
    memory->warm.steady_ns = NEVER_NS;
    assert_int_equal(compare(memory, options_of(memory, 2)), 10);
    assert_int_equal(compare(memory, options_of(memory, 2)), 10);
    memory->warm.steady_ns = REST_NS;
    let_rest();
    /* Other options have memories of their own. */
    struct fs_scan_options other = options_of(memory, 2);
    other.hidden = true;
    assert_int_equal(compare(memory, other), 0);
    assert_int_equal(compare(memory, other), 12);
    other.no_ignore = true;
    assert_int_equal(compare(memory, other), 0);
    assert_int_equal(compare(memory, other), 12);
    /* Part of the tree is known, too: the rules there come from the same files. */
    other = options_of(memory, 2);
    other.root = folder_path(&memory->folder, "t/a");
    assert_int_equal(compare(memory, other), 3);
    other.root = folder_path(&memory->folder, "t/b");
    assert_int_equal(compare(memory, other), 3);
    /* The ways that do not remember. */
    struct scanning all = {.no_check = true};
    other.warm = &memory->warm;
    other.show_ignored = true;
    scanning_run(&all, &memory->folder, &other);
    assert_int_equal(all.outcome.remembered, 0);
}

static void rules_are_read_anew_each_time(void **state)
{
    struct memory *memory = *state;
    make_tree(memory);
    let_rest();
    compare(memory, options_of(memory, 2));
    assert_int_equal(compare(memory, options_of(memory, 2)), 11);
    put(memory, "t/.gitignore", "*.o\n"); /* the file changes, its directory does not */
    assert_int_equal(compare(memory, options_of(memory, 2)), 0);
    assert_int_equal(compare(memory, options_of(memory, 2)), 11);
    put(memory, "t/b/.ignore", "f1.o\n!f2.c\n");
    assert_int_equal(compare(memory, options_of(memory, 2)), 8);
    put(memory, "t/.git/config", "[core]\n\tignorecase = true\n");
    assert_int_equal(compare(memory, options_of(memory, 2)), 0);
    put(memory, "home/mine", "F1.O\n");
    put(memory, "home/.gitconfig", "[core]\n\texcludesFile = ~/mine\n");
    assert_int_equal(compare(memory, options_of(memory, 2)), 0);
    assert_int_equal(compare(memory, options_of(memory, 2)), 11);
    make(memory, "t/.git/info");
    put(memory, "t/.git/info/exclude", "deep\n");
    assert_int_equal(compare(memory, options_of(memory, 2)), 0);
    /* A directory that is moved takes the rules of its new place. */
    put(memory, "t/.gitignore", "/a/x/*.o\n/c/a/x/f0.c\n");
    compare(memory, options_of(memory, 2));
    assert_int_equal(rename(folder_cpath(&memory->folder, "t/a"), folder_cpath(&memory->folder, "t/c/a")), 0);
    compare(memory, options_of(memory, 2));
    /* A repository begins in the middle. */
    make(memory, "t/c/.git");
    compare(memory, options_of(memory, 2));
    assert_int_equal(rmdir(folder_cpath(&memory->folder, "t/c/.git")), 0);
    compare(memory, options_of(memory, 2));
}

static uint32_t next_random(struct memory *memory, uint32_t below)
{
    memory->random = memory->random * 1664525u + 1013904223u;
    return (memory->random >> 12) % below;
}

static void random_name(struct memory *memory, char *name, size_t size)
{
    static const char *const directories[] = {"t/a", "t/a/x", "t/b", "t/b/z", "t/c", "t/c/y", "t/c/y/deep", "t"};
    static const char *const names[] = {"x", "f0.c", "f1.o", "new", ".ignore", ".gitignore", "y", "z"};
    snprintf(name, size, "%s/%s", directories[next_random(memory, 8)], names[next_random(memory, 8)]);
}

/* One change somewhere; it may fail. */
static void change(struct memory *memory)
{
    static const char *const rules[] = {"*.o\n", "/f0.c\n!f1.o\n", "x\n", "new\n/a/\n", ""};
    char name[64], other[64];
    random_name(memory, name, sizeof name);
    random_name(memory, other, sizeof other);
    const char *path = folder_cpath(&memory->folder, name);
    switch (next_random(memory, 7)) {
    case 0: (void)!unlink(path); break;
    case 1: (void)!rmdir(path); break;
    case 2: make(memory, name); break;
    case 3: (void)!symlink("f0.c", path); break;
    case 4: (void)!rename(path, folder_cpath(&memory->folder, other)); break;
    default: put(memory, name, rules[next_random(memory, 5)]); break;
    }
}

static void whatever_changes_between_scans_is_seen(void **state)
{
    struct memory *memory = *state;
    size_t remembered = 0;
    make_tree(memory);
    for (int rest = 0; rest < 3; rest++) {
        let_rest();
        compare(memory, options_of(memory, 2));
        for (int i = 0; i < 60; i++) {
            for (uint32_t changes = next_random(memory, 3); changes > 0; changes--)
                change(memory);
            remembered += compare(memory, options_of(memory, 1 + i % 4));
        }
    }
    assert_true(remembered > 100);
}

/* A name that comes in the same tick of the clock in which the directory was read. */
static void a_change_in_the_same_tick_is_seen(void **state)
{
    struct memory *memory = *state;
    make(memory, "t");
    for (int i = 0; i < 200; i++) {
        char name[32];
        snprintf(name, sizeof name, "t/%d", i);
        put(memory, name, "x");
        assert_int_equal(compare(memory, options_of(memory, 1)), 0);
    }
}

struct changing {
    struct memory *memory;
    atomic_bool over;
};

static void *keep_changing(void *data)
{
    struct changing *changing = data;
    char names[3][8] = {"t/a/q", "t/c/q", "t/q"};
    for (unsigned i = 0; !atomic_load(&changing->over); i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", changing->memory->folder.path.ptr, names[i % 3]);
        int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (fd >= 0)
            close(fd);
        if (i % 2)
            (void)!unlink(path);
    }
    return NULL;
}

static void changes_during_scans_are_seen_afterwards(void **state)
{
    struct memory *memory = *state;
    struct changing changing = {.memory = memory};
    pthread_t thread;
    make_tree(memory);
    let_rest();
    assert_int_equal(pthread_create(&thread, NULL, keep_changing, &changing), 0);
    for (int i = 0; i < 100; i++) {
        struct scanning scanning = {.no_check = true};
        struct fs_scan_options options = options_of(memory, 2);
        options.warm = &memory->warm;
        scanning_run(&scanning, &memory->folder, &options);
    }
    atomic_store(&changing.over, true);
    pthread_join(thread, NULL);
    compare(memory, options_of(memory, 2));
    let_rest();
    compare(memory, options_of(memory, 2));
    assert_true(compare(memory, options_of(memory, 2)) > 8);
}

static void *scan_often(void *data)
{
    struct memory *memory = data;
    for (int i = 0; i < 30; i++) {
        struct fs_scan_options options = {.root = memory->folder.path, .threads = 2, .warm = &memory->warm};
        struct scanning scanning = {.no_check = true};
        struct folder own = {.path = memory->folder.path};
        scanning_run(&scanning, &own, &options);
        hv_arena_release(&own.arena);
    }
    return NULL;
}

static void several_scans_share_one_memory(void **state)
{
    struct memory *memory = *state;
    pthread_t threads[3];
    make_tree(memory);
    let_rest();
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, scan_often, memory), 0);
    for (size_t i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    compare(memory, options_of(memory, 2));
}

static void memory_is_bounded(void **state)
{
    struct memory *memory = *state;
    make_tree(memory);
    let_rest();
    atomic_store(&memory->warm.bytes_max, 1500);
    for (int i = 0; i < 3; i++) {
        struct fs_scan_options options = options_of(memory, 2);
        assert_true(compare(memory, options) < 11);
        options.hidden = true;
        compare(memory, options);
        assert_true(atomic_load(&memory->warm.bytes) <= 1500);
    }
    /* With room for one tree, the other one goes. */
    atomic_store(&memory->warm.bytes_max, 8000);
    struct fs_scan_options options = options_of(memory, 2);
    compare(memory, options);
    assert_int_equal(compare(memory, options), 11);
    options.hidden = options.no_ignore = true;
    compare(memory, options);
    assert_int_equal(compare(memory, options), 12); /* the hidden one, too */
    assert_true(atomic_load(&memory->warm.bytes) <= 8000);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_memory, close_memory)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(what_has_not_changed_is_not_read_again),
        CASE(rules_are_read_anew_each_time),
        CASE(whatever_changes_between_scans_is_seen),
        CASE(a_change_in_the_same_tick_is_seen),
        CASE(changes_during_scans_are_seen_afterwards),
        CASE(several_scans_share_one_memory),
        CASE(memory_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
