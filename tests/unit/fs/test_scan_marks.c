/*
 * test_scan_marks.c: searches that remember what they found out about contents (fs/scan_marks.h). Whatever is changed
 * between two searches, or during one, a search that remembers finds what one does that opens every file.
 */
#include "searching.h"

#include "base/clock.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mount.h>
#include <time.h>
#include <unistd.h>

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
    memory->warm.marks.small.bytes_max = 0;
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

/* Write files of size bytes, numbers [from, to), in turns into the first directories. */
static void put_files(struct memory *memory, unsigned from, unsigned to, size_t size, unsigned directories)
{
    char text[2 * FS_TEXT_SMALL];
    memset(text, 'x', size);
    text[size] = '\0';
    for (unsigned i = from; i < to; i++) {
        char name[32];
        snprintf(name, sizeof name, "t/%u/file%u", i % directories, i);
        folder_put(&memory->folder, name, text);
    }
}

static void small_texts_have_room_of_their_own(void **state)
{
    struct memory *memory = *state;
    size_t all = memory->works ? DIRECTORIES * FILES : 0;
    memory->warm.marks.texts_max = 0;
    let_rest();
    assert_int_equal(compare_texts(memory, "."), 0);
    assert_int_equal(compare_texts(memory, "^"), all);
    assert_true(memory->warm.marks.texts > 0 || !all);
    assert_int_equal(memory->warm.marks.texts, memory->warm.marks.small_texts);
    put_files(memory, 0, 1, FS_TEXT_SMALL + 1, 1);
    let_rest();
    compare_texts(memory, "^");
    assert_int_equal(compare_texts(memory, "^"), all);
    memory->warm.marks.texts_max = 16 << 10;
    compare_texts(memory, "^");
    assert_int_equal(compare_texts(memory, "^"), all ? all + 1 : 0);
    fs_warm_release(&memory->warm);
    assert_int_equal(memory->warm.marks.texts, 0);
    assert_int_equal(memory->warm.marks.small_texts, 0);
    assert_int_equal(memory->warm.marks.text_count, 0);
    fs_warm_init(&memory->warm);
}

static void small_texts_are_bounded(void **state)
{
    enum { COUNT = 3 * TEXT_BLOCK / FS_TEXT_SMALL };
    struct memory *memory = *state;
    struct searching searching = {0};
    put_files(memory, 0, COUNT, FS_TEXT_SMALL - 100, 2);
    let_rest();
    size_t max = memory->warm.marks.small.bytes_max = 2 * TEXT_BLOCK;
    memory->warm.marks.texts_max = 0;
    for (int again = 0; again < 3; again++) {
        compare_texts(memory, "x");
        assert_true(memory->warm.marks.small.bytes <= max);
    }
    size_t known = compare_texts(memory, "x");
    assert_true((known > COUNT / 4 && known < COUNT) || !memory->works);
    /* What is not searched any more makes room. */
    for (unsigned i = 0; i < 2; i++) {
        char name[8];
        snprintf(name, sizeof name, "t/%u", i);
        /* How soon depends on which thread fills which block. */
        for (int again = 0; again < 6 || (searching.opened && memory->works && again < 100); again++)
            search(&memory->warm, folder_path(&memory->folder, name), "x", &searching);
        assert_true(searching.opened == 0 || !memory->works);
        assert_true(memory->warm.marks.small.bytes <= max);
    }
}

/* Blocks in which little is left are given up where there is no room for others. */
static void blocks_of_small_texts_do_not_stay_for_a_few_of_them(void **state)
{
    enum { COUNT = 4 * TEXT_BLOCK / FS_TEXT_SMALL, EACH = 8 };
    struct memory *memory = *state;
    put_files(memory, 0, COUNT, FS_TEXT_SMALL - 100, 2);
    let_rest();
    memory->warm.marks.texts_max = 0;
    memory->warm.marks.small.bytes_max = 6 * TEXT_BLOCK; /* each of two threads may have one that is not full */
    compare_texts(memory, "x");
    assert_int_equal(compare_texts(memory, "x"), memory->works ? COUNT : 0);
    for (unsigned i = 0; i < COUNT; i++) /* most of them grow too large: their directories do not change */
        if (i % EACH)
            put_files(memory, i, i + 1, FS_TEXT_SMALL + 1, 2);
    unsigned more = 0;
    for (unsigned i = COUNT; more < COUNT; i++) { /* all into another directory */
        if (i % DIRECTORIES != DIRECTORIES - 1)
            continue;
        put_files(memory, i, i + 1, FS_TEXT_SMALL - 100, DIRECTORIES);
        more++;
    }
    let_rest();
    for (int again = 0; again < 4; again++)
        compare_texts(memory, "x");
    assert_int_equal(compare_texts(memory, "x"), memory->works ? COUNT / EACH + more : 0);
}

/* Each change leaves a hole where the text was. */
static void changes_do_not_use_up_the_room_for_texts(void **state)
{
    enum { COUNT = 80, SIZE = FS_TEXT_SMALL + 1000, ROUNDS = 30 };
    struct memory *memory = *state;
    struct timespec pause = {.tv_nsec = 3 * TICKS_NS};
    memory->warm.marks.texts_max = 4 * COUNT * (SIZE + sizeof(struct fs_text));
    size_t max = memory->warm.marks.room.bytes_max = 5 * TEXT_BLOCK;
    put_files(memory, 0, COUNT, SIZE, 2);
    let_rest();
    for (int round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < COUNT; i++)
            if (next_random(memory, 2))
                put_files(memory, i, i + 1, SIZE - next_random(memory, 900), 2);
        while (nanosleep(&pause, &pause))
            continue;
        compare_texts(memory, "x");
        assert_true(memory->warm.marks.room.bytes <= max);
        assert_true(memory->warm.marks.room.filled <= max);
    }
    for (int again = 0; again < 3; again++)
        compare_texts(memory, "x");
    assert_int_equal(compare_texts(memory, "x"), memory->works ? COUNT : 0);
    assert_true(memory->warm.marks.room.filled > COUNT * FS_TEXT_SMALL || !memory->works);
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

enum { NO_MOUNT = 77 };

static bool finds_the_same(struct memory *memory, const char *pattern, bool no_texts)
{
    struct searching remembering = {.no_texts = no_texts}, plain = {0};
    struct hv_str root = folder_path(&memory->folder, "t");
    search(&memory->warm, root, pattern, &remembering);
    search(NULL, root, pattern, &plain);
    return memcmp(remembering.found, plain.found, sizeof plain.found) == 0;
}

/* Another file is mounted over one of the tree, searched, and taken away again, after which the first one lies there as
 * old as ever. */
static int search_what_is_mounted(struct folder *folder)
{
    struct memory *memory = (struct memory *)(void *)folder; /* its first member */
    const char *place = folder_cpath(folder, "t/0/f0");
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
        return NO_MOUNT;
    for (int no_texts = 0; no_texts < 2; no_texts++) {
        if (mount(folder_cpath(folder, "other"), place, NULL, MS_BIND, NULL))
            return NO_MOUNT;
        if (!finds_the_same(memory, "inside", no_texts) || !finds_the_same(memory, "inside", no_texts))
            return 1;
        if (umount2(place, MNT_DETACH))
            return 2;
        if (!finds_the_same(memory, "inside", no_texts))
            return 3;
    }
    return 0;
}

static void what_is_mounted_is_not_taken_for_what_lies_under_it(void **state)
{
    struct memory *memory = *state;
    folder_put(&memory->folder, "t/0/f0", "inside\n");
    folder_put(&memory->folder, "other", "another\n");
    let_rest();
    int code = in_child(search_what_is_mounted, &memory->folder, false);
    assert_true(code == 0 || code == NO_MOUNT); /* not everybody may mount */
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
    memory->warm.marks.small.bytes_max = 0;
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
        CASE(small_texts_have_room_of_their_own),
        CASE(small_texts_are_bounded),
        CASE(blocks_of_small_texts_do_not_stay_for_a_few_of_them),
        CASE(changes_do_not_use_up_the_room_for_texts),
        CASE(whatever_changes_between_searches_is_seen),
        CASE(many_patterns_take_turns),
        CASE(nothing_is_remembered_when_the_clock_was_set),
        CASE(what_is_mounted_is_not_taken_for_what_lies_under_it),
        CASE(changes_during_searches_are_seen_afterwards),
        CASE(several_searches_share_the_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
