/*
 * test_scan_marks.c: searches that remember what they found out about contents (fs/scan_marks.h). Whatever is changed
 * between two searches, or during one, a search that remembers finds what one does that opens every file.
 */
#include "folder.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "fs/directory.h"
#include "fs/scan.h"
#include "fs/scan_warm.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DIRECTORIES = 3, FILES = 8, TICKS_NS = 30 * 1000 * 1000 };

static const char *const words[] = {"alpha", "beta", "gamma", "alphabet", "delta", "eta"};
static const char *const patterns[] = {"alpha", "beta",  "alphabet", "alpha|gamma", "gamma\\w", "\\bdelta\\b", "eta",
                                       "nope",  "ALPHA", "d.lta",    "^eta",        "(?i)beta", "\\p{Greek}"};
enum { WORDS = 6, PATTERNS = 13 };

struct memory {
    struct folder folder;
    struct fs_warm warm;
    uint32_t random;
    bool works; /* the file system takes part */
};

static uint32_t next_random(struct memory *memory, uint32_t below)
{
    memory->random = memory->random * 1664525u + 1013904223u;
    return (memory->random >> 12) % below;
}

/* Long enough for directories not to have changed lately. */
static void let_rest(void)
{
    struct timespec pause = {.tv_sec = 3, .tv_nsec = 100000000};
    while (nanosleep(&pause, &pause))
        continue;
}

static void file_name(char *name, size_t size, unsigned number)
{
    snprintf(name, size, "t/%u/f%u", number % DIRECTORIES, number / DIRECTORIES);
}

static void write_words(struct memory *memory, const char *path, int flags)
{
    CLEANUP_FD int fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0600);
    char text[256];
    int len = 0;
    for (uint32_t left = next_random(memory, 5); left > 0; left--)
        len += snprintf(text + len, 32, "%s%c", words[next_random(memory, WORDS)], " \n_"[next_random(memory, 3)]);
    if (next_random(memory, 12) == 0)
        len += snprintf(text + len, 32, "\xce\xb1\n");
    if (fd >= 0)
        assert_int_equal(write(fd, text, (size_t)len), len);
}

static int open_memory(void **state)
{
    static struct memory memory;
    folder_open(&memory.folder);
    fs_warm_init(&memory.warm);
    memory.warm.marks.late_ns = TICKS_NS;
    memory.random = 5;
    CLEANUP_FD int fd = open(memory.folder.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    memory.works = fs_tells_changes(fd);
    for (unsigned i = 0; i < DIRECTORIES; i++) {
        char name[32];
        snprintf(name, sizeof name, "t/%u", i);
        folder_make(&memory.folder, name);
    }
    for (unsigned i = 0; i < DIRECTORIES * FILES; i++) {
        char name[32];
        file_name(name, sizeof name, i);
        write_words(&memory, folder_cpath(&memory.folder, name), O_CREAT);
    }
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

/* ---- searching -------------------------------------------------------------------------------------------------- */

struct searching {
    struct fs_marks_use use;
    const struct find *find;
    pthread_mutex_t lock;
    char found[DIRECTORIES * FILES * 2];  /* by the number of the file: 'x' where there is a match */
    bool no_texts;                        /* keep none */
    atomic_size_t skipped, known, opened; /* files that were ruled out, whose text was known, and others */
};

static void note_found(struct searching *searching, struct hv_str path)
{
    unsigned directory, file;
    if (sscanf(path.ptr, "%u/f%u", &directory, &file) == 2 && directory < DIRECTORIES && file < FILES)
        searching->found[file * DIRECTORIES + directory] = 'x';
}

static enum fs_scan_action search_file(void *user, const struct fs_scan_entry *entry)
{
    struct searching *searching = user;
    char text[4096];
    size_t clear;
    int64_t mtime_ns;
    struct hv_str all;
    struct find_match match;
    if (entry->kind != HV_FILE_REGULAR)
        return FS_SCAN_ON;
    enum fs_known known = fs_marks_look(&searching->use, entry, &all, &mtime_ns);
    atomic_fetch_add(known == FS_RULED_OUT ? &searching->skipped
                     : known == FS_READ    ? &searching->known
                                           : &searching->opened,
                     1);
    if (known == FS_RULED_OUT)
        return FS_SCAN_ON;
    if (known == FS_UNKNOWN) {
        CLEANUP_FD int fd = openat(entry->directory, entry->name.ptr, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text);
        if (got < 0)
            return FS_SCAN_ON;
        all = hv_str_of(text, (size_t)got);
        if (!searching->no_texts)
            fs_marks_keep_text(&searching->use, entry, all);
    }
    struct find_scratch *scratch = find_scratch_new(searching->find, NULL, NULL);
    bool is_out = find_rules_out(scratch, all, &clear);
    if (is_out)
        fs_marks_ruled_out(&searching->use, entry);
    if (!is_out && find_next(scratch, all, 0, &match) == FIND_FOUND) {
        LOCK_SCOPE(&searching->lock);
        note_found(searching, entry->path);
    }
    find_scratch_free(scratch);
    return FS_SCAN_ON;
}

static void search(struct fs_warm *warm, struct hv_str root, const char *pattern, struct searching *searching)
{
    struct find *find;
    struct hv_arena arena = {0};
    struct fs_scan_outcome outcome;
    struct fs_scan_options options = {.root = root, .threads = 2, .warm = warm};
    *searching = (struct searching){.lock = PTHREAD_MUTEX_INITIALIZER, .no_texts = searching->no_texts};
    assert_int_equal(find_compile(hv_str_from(pattern), &(struct find_options){0}, &find, NULL), HV_OK);
    searching->find = find;
    if (warm)
        fs_marks_begin(warm, find, &searching->use);
    assert_int_equal(fs_scan(&options, search_file, searching, &arena, &outcome, NULL), HV_OK);
    fs_marks_end(&searching->use);
    find_release(find);
    hv_arena_release(&arena);
}

/* Search with what is remembered and without; how many files were ruled out by marks, how many texts were known. */
static void compare_both(struct memory *memory, const char *pattern, bool no_texts, size_t *skipped, size_t *known)
{
    struct searching remembering = {.no_texts = no_texts}, plain = {0};
    struct hv_str root = folder_path(&memory->folder, "t");
    search(&memory->warm, root, pattern, &remembering);
    search(NULL, root, pattern, &plain);
    if (memcmp(remembering.found, plain.found, sizeof plain.found) != 0)
        fail_msg("a search for \"%s\" that remembers finds something else", pattern);
    assert_int_equal(remembering.opened + remembering.known + remembering.skipped, plain.opened);
    *skipped = remembering.skipped;
    *known = remembering.known;
}

static size_t compare(struct memory *memory, const char *pattern)
{
    size_t skipped, known;
    compare_both(memory, pattern, true, &skipped, &known);
    assert_int_equal(known, 0);
    return skipped;
}

static size_t compare_texts(struct memory *memory, const char *pattern)
{
    size_t skipped, known;
    compare_both(memory, pattern, false, &skipped, &known);
    return known;
}

/* ---- changes ---------------------------------------------------------------------------------------------------- */

/* Write over it what is as long, and set its times back. */
static void change_in_secret(struct memory *memory, const char *path)
{
    struct stat before;
    char text[256];
    CLEANUP_FD int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &before))
        return;
    ssize_t len = pread(fd, text, sizeof text, 0);
    for (ssize_t i = 0; i < len; i++)
        text[i] = "alph\n"[(i + (ssize_t)next_random(memory, 2)) % 5];
    if (len >= 5 && next_random(memory, 2))
        memcpy(text, "alpha", 5);
    if (len > 0)
        assert_int_equal(pwrite(fd, text, (size_t)len, 0), len);
    struct timespec times[2] = {before.st_atim, before.st_mtim};
    assert_int_equal(futimens(fd, times), 0);
}

/* One change somewhere; it may fail. */
static void change(struct memory *memory)
{
    char name[32], other[32];
    struct stat status;
    file_name(name, sizeof name, next_random(memory, DIRECTORIES * FILES));
    file_name(other, sizeof other, next_random(memory, DIRECTORIES * FILES));
    const char *path = folder_cpath(&memory->folder, name), *second = folder_cpath(&memory->folder, other);
    switch (next_random(memory, 9)) {
    case 0: (void)!truncate(path, next_random(memory, 20)); break;
    case 1: write_words(memory, path, O_TRUNC); break;
    case 2: write_words(memory, path, O_APPEND); break;
    case 3: write_words(memory, path, 0); break;
    case 4: (void)!chmod(path, 0640); break;
    case 5:
        if (next_random(memory, 4) == 0) /* its directory is read anew for a while */
            (void)!rename(path, second);
        break;
    case 6:
        if (next_random(memory, 4) == 0 && stat(second, &status) && link(path, second) == 0)
            write_words(memory, second, O_APPEND);
        break;
    default: change_in_secret(memory, path); break;
    }
}

/* ---- tests ------------------------------------------------------------------------------------------------------ */

static void a_file_that_was_ruled_out_is_not_opened_again(void **state)
{
    struct memory *memory = *state;
    let_rest();
    assert_int_equal(compare(memory, "nope"), 0);
    size_t all = memory->works ? DIRECTORIES * FILES : 0;
    /* An empty file holds nothing either. */
    assert_int_equal(compare(memory, "nope"), all);
    assert_int_equal(compare(memory, "a nope"), all);
    assert_int_equal(compare(memory, "nop"), 0);
    assert_int_equal(compare(memory, "nope_2|nope_1"), all);
    /* One changes; it gets its mark again only when the marks are new. */
    folder_put(&memory->folder, "t/0/f0", "nope nope_1\n");
    assert_true(compare(memory, "nope") < all || !all);
    compare_texts(memory, "nope_1");
}

static void a_file_that_changed_lately_is_opened(void **state)
{
    struct memory *memory = *state;
    memory->warm.marks.late_ns = 3600 * (int64_t)CLOCK_SECOND;
    let_rest();
    assert_int_equal(compare(memory, "nope"), 0);
    assert_int_equal(compare(memory, "nope"), 0);
    assert_int_equal(compare_texts(memory, "."), 0);
    assert_int_equal(compare_texts(memory, "."), 0);
}

static void a_text_that_is_known_is_not_read_again(void **state)
{
    struct memory *memory = *state;
    size_t all = memory->works ? DIRECTORIES * FILES : 0;
    let_rest();
    assert_int_equal(compare_texts(memory, "."), 0);
    assert_int_equal(compare_texts(memory, "^"), all);
    assert_int_equal(compare_texts(memory, "[a-z]"), all);
    assert_true(memory->warm.marks.texts > 0 || !all);
    folder_put(&memory->folder, "t/0/f0", "another\n"); /* what was known of it is replaced */
    assert_int_equal(compare_texts(memory, "."), all ? all - 1 : 0);
    struct timespec pause = {.tv_nsec = 3 * TICKS_NS};
    while (nanosleep(&pause, &pause))
        continue;
    assert_int_equal(compare_texts(memory, "."), all ? all - 1 : 0);
    assert_int_equal(compare_texts(memory, "."), all);
}

static void texts_are_bounded(void **state)
{
    struct memory *memory = *state;
    struct searching searching = {0};
    char large[900];
    memset(large, 'x', sizeof large);
    large[sizeof large - 1] = '\0';
    for (unsigned i = 0; i < 2 * FILES; i++) {
        char name[32];
        snprintf(name, sizeof name, "t/%u/large%u", i / FILES, i);
        folder_put(&memory->folder, name, large);
    }
    let_rest();
    size_t max = memory->warm.marks.texts_max = (FILES + 1) * (sizeof(struct fs_text) + sizeof large);
    compare_texts(memory, "x");
    assert_true(memory->warm.marks.texts <= max / 4); /* there may not be another search */
    compare_texts(memory, "x");
    assert_true(memory->warm.marks.texts <= max && (memory->warm.marks.texts > max / 4 || !memory->works));
    size_t known = compare_texts(memory, "x");
    assert_true(known > FILES / 2 || !memory->works);
    /* What is not searched any more makes room: all of these fit. */
    for (unsigned i = 0; i < 2; i++) {
        char name[8];
        snprintf(name, sizeof name, "t/%u", i);
        for (int again = 0; again < 3; again++)
            search(&memory->warm, folder_path(&memory->folder, name), "x", &searching);
        assert_true(searching.opened <= FILES || !memory->works);
        assert_true(searching.known >= FILES || !memory->works);
        assert_true(memory->warm.marks.texts <= max);
    }
    /* Those of a directory go with it. */
    fs_warm_release(&memory->warm);
    assert_int_equal(memory->warm.marks.texts, 0);
    fs_warm_init(&memory->warm);
}

static void whatever_changes_between_searches_is_seen(void **state)
{
    struct memory *memory = *state;
    size_t skipped = 0, known = 0;
    memory->warm.marks.fresh_ns = 2 * TICKS_NS;
    for (int rest = 0; rest < 2; rest++) {
        let_rest();
        for (int i = 0; i < 400; i++) {
            for (uint32_t changes = next_random(memory, 3); changes > 0 && i > 20; changes--)
                change(memory);
            size_t more_skipped, more_known;
            compare_both(memory, patterns[next_random(memory, PATTERNS)], next_random(memory, 2), &more_skipped,
                         &more_known);
            skipped += more_skipped;
            known += more_known;
        }
    }
    assert_true((skipped > 500 && known > 500) || !memory->works);
}

/* More of them than there are marks. */
static void many_patterns_take_turns(void **state)
{
    struct memory *memory = *state;
    let_rest();
    compare(memory, "word0");
    for (int i = 0; i < 3 * FS_MARKS; i++) {
        char pattern[32];
        snprintf(pattern, sizeof pattern, "%s%d", i % 2 ? "alpha" : "word", i);
        compare(memory, pattern);
        assert_int_equal(compare(memory, pattern), memory->works ? DIRECTORIES * FILES : 0);
    }
    struct searching searching = {.no_texts = true}; /* the first was forgotten long ago */
    search(&memory->warm, folder_path(&memory->folder, "t"), "word0x", &searching);
    assert_int_equal(searching.skipped, 0);
}

static void nothing_is_remembered_when_the_clock_was_set(void **state)
{
    struct memory *memory = *state;
    let_rest();
    compare(memory, "nope");
    if (!memory->works)
        return;
    assert_true(compare(memory, "nope") > 0);
    compare_texts(memory, ".");
    assert_true(compare_texts(memory, ".") > 0);
    assert_true(memory->warm.marks.clock >= 0);
    close(memory->warm.marks.clock);
    memory->warm.marks.clock = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK); /* has something to tell, and takes no time */
    assert_int_equal(compare_texts(memory, "nope"), 0);
    assert_int_equal(compare_texts(memory, "nope"), 0); /* begins anew */
    assert_true(compare(memory, "nope") > 0);
    assert_true(compare_texts(memory, ".") > 0);
}

struct changing {
    struct memory *memory;
    unsigned files; /* that change */
    atomic_bool over;
};

/* Contents alone, so that directories stay remembered. */
static void *keep_changing(void *data)
{
    struct changing *changing = data;
    for (unsigned i = 0; !atomic_load(&changing->over); i++) {
        char name[32], path[128];
        file_name(name, sizeof name, i % changing->files);
        snprintf(path, sizeof path, "%s/%s", changing->memory->folder.path.ptr, name);
        int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
        if (fd >= 0) {
            (void)!write(fd, i % 3 ? "alpha\n" : "beta\n", i % 3 ? 6 : 5);
            close(fd);
        }
    }
    return NULL;
}

static void changes_during_searches_are_seen_afterwards(void **state)
{
    struct memory *memory = *state;
    struct changing changing = {.memory = memory, .files = DIRECTORIES * FILES};
    struct searching searching = {0};
    pthread_t thread;
    struct hv_str root = folder_path(&memory->folder, "t");
    let_rest();
    for (int round = 0; round < 5; round++) {
        atomic_store(&changing.over, false);
        assert_int_equal(pthread_create(&thread, NULL, keep_changing, &changing), 0);
        for (int i = 0; i < 20; i++)
            search(&memory->warm, root, patterns[i % 3], &searching);
        atomic_store(&changing.over, true);
        pthread_join(thread, NULL);
        for (int i = 0; i < 6; i++)
            compare_texts(memory, patterns[i % 3]);
    }
}

struct asking {
    struct memory *memory;
    unsigned number;
};

static void *search_often(void *data)
{
    const struct asking *asking = data;
    struct searching searching = {0};
    char root[128], pattern[32];
    snprintf(root, sizeof root, "%s/t", asking->memory->folder.path.ptr);
    for (unsigned i = 0; i < 200; i++) {
        snprintf(pattern, sizeof pattern, i % 4 ? "word%u" : "alpha", i * asking->number);
        search(&asking->memory->warm, hv_str_from(root), pattern, &searching);
    }
    return NULL;
}

static void several_searches_share_the_marks(void **state)
{
    struct memory *memory = *state;
    pthread_t threads[3], changer;
    struct asking asking[3];
    struct changing changing = {.memory = memory, .files = 3};
    let_rest();
    memory->warm.marks.texts_max =
        (DIRECTORIES * FILES - 4) * (sizeof(struct fs_text) + 16); /* so that texts come and go */
    assert_int_equal(pthread_create(&changer, NULL, keep_changing, &changing), 0);
    for (unsigned i = 0; i < 3; i++) {
        asking[i] = (struct asking){memory, i + 1};
        assert_int_equal(pthread_create(&threads[i], NULL, search_often, &asking[i]), 0);
    }
    for (size_t i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    atomic_store(&changing.over, true);
    pthread_join(changer, NULL);
    for (size_t i = 0; i < FS_MARKS; i++)
        assert_int_equal(memory->warm.marks.marks[i].users, 0);
    assert_int_equal(memory->warm.marks.under_way, 0);
    for (unsigned i = 0; i < PATTERNS; i++)
        compare_texts(memory, patterns[i]);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_memory, close_memory)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_file_that_was_ruled_out_is_not_opened_again),
        CASE(a_file_that_changed_lately_is_opened),
        CASE(a_text_that_is_known_is_not_read_again),
        CASE(texts_are_bounded),
        CASE(whatever_changes_between_searches_is_seen),
        CASE(many_patterns_take_turns),
        CASE(nothing_is_remembered_when_the_clock_was_set),
        CASE(changes_during_searches_are_seen_afterwards),
        CASE(several_searches_share_the_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
