/*
 * test_scan_sketch.c: sketches that are made between searches (fs/scan_sketch.h). Whatever is changed before they are
 * made, meanwhile and afterwards, a search that asks them finds what one does that opens every file.
 */
#include "searching.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "text/find_sketch.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ALL = DIRECTORIES * FILES, QUIET_MS = 2, ENOUGH = 24 << 20 };

static int open_sketches(void **state)
{
    open_memory(state);
    struct memory *memory = *state;
    struct fs_sketches *sketches = &memory->warm.marks.sketches;
    sketches->bytes_max = ENOUGH;
    sketches->wanted_min = 1;
    sketches->quiet_ns = QUIET_MS * CLOCK_MILLISECOND;
    return 0;
}

static void pause_ns(long ns)
{
    struct timespec pause = {.tv_nsec = ns};
    while (nanosleep(&pause, &pause))
        continue;
}

static bool is_busy(struct fs_sketches *sketches)
{
    LOCK_SCOPE(&sketches->lock);
    return sketches->state == SKETCH_RUNS;
}

/* Until what was begun is done. Returns how many sketches were made in all. */
static size_t wait_for_sketches(struct memory *memory)
{
    struct fs_sketches *sketches = &memory->warm.marks.sketches;
    while (is_busy(sketches))
        pause_ns(1000 * 1000);
    return atomic_load(&sketches->made);
}

/* A search for something else, and then sketches of all files it had to open. */
static size_t make_sketches(struct memory *memory)
{
    pause_ns(2 * TICKS_NS);
    compare(memory, "zeroth_word");
    return wait_for_sketches(memory);
}

static void a_file_without_the_word_is_not_opened(void **state)
{
    struct memory *memory = *state;
    size_t all = memory->works ? ALL : 0;
    let_rest();
    assert_int_equal(compare(memory, "first_word"), 0);
    assert_int_equal(wait_for_sketches(memory), all);
    assert_true(memory->warm.marks.sketches.bytes > 0 || !all);
    assert_int_equal(compare(memory, "another_word"), all);
    assert_int_equal(compare(memory, "(third|fourth)_word"), all);
    assert_int_equal(compare(memory, "al"), 0); /* too short to tell */
    assert_int_equal(wait_for_sketches(memory), all);
    /* Whichever has the word is opened. */
    size_t skipped = compare(memory, "alphabet");
    assert_true(skipped < ALL && (skipped > 0 || !all));
    /* The mark is set as if it had been opened. */
    assert_int_equal(compare(memory, "another_word"), all);
}

static void a_file_that_changed_is_opened(void **state)
{
    struct memory *memory = *state;
    size_t all = memory->works ? ALL : 0;
    const char *path = folder_cpath(&memory->folder, "t/0/f0");
    struct stat before;
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};
    folder_put(&memory->folder, "t/0/f0", "something of some length\n");
    let_rest();
    compare(memory, "first_word");
    assert_int_equal(wait_for_sketches(memory), all);
    assert_int_equal(stat(path, &before), 0);
    folder_put(&memory->folder, "t/0/f0", "needle_1, of same length\n");
    times[0] = before.st_atim;
    times[1] = before.st_mtim;
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    assert_int_equal(compare(memory, "needle_1"), all ? all - 1 : 0);
    /* It has another one when it was left alone. */
    assert_int_equal(make_sketches(memory), all ? all + 1 : 0);
    assert_int_equal(compare(memory, "needle_2"), all);
    assert_int_equal(compare(memory, "needle_1"), all ? all - 1 : 0);
}

static void a_page_that_is_written_is_seen(void **state)
{
    struct memory *memory = *state;
    enum { LEN = 16 };
    folder_put(&memory->folder, "t/1/f1", "nothing is here\n");
    CLEANUP_FD int fd = open(folder_cpath(&memory->folder, "t/1/f1"), O_RDWR | O_CLOEXEC);
    char *page = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(page != MAP_FAILED);
    let_rest();
    compare(memory, "first_word");
    assert_int_equal(wait_for_sketches(memory), memory->works ? ALL : 0);
    assert_int_equal(compare(memory, "needle_1"), memory->works ? ALL : 0);
    memcpy(page, "needle_2", 8);
    assert_int_equal(compare(memory, "needle_2"), memory->works ? ALL - 1 : 0);
    munmap(page, LEN);
}

static void another_file_of_the_name_is_opened(void **state)
{
    struct memory *memory = *state;
    folder_put(&memory->folder, "other", "a needle_1\n");
    let_rest();
    compare(memory, "first_word");
    wait_for_sketches(memory);
    const char *from = folder_cpath(&memory->folder, "other"), *to = folder_cpath(&memory->folder, "t/2/f2");
    assert_int_equal(rename(from, to), 0);
    /* Nothing of its directory counts now. */
    assert_int_equal(compare(memory, "needle_1"), memory->works ? ALL - FILES : 0);
}

static void a_file_that_changed_lately_has_none(void **state)
{
    struct memory *memory = *state;
    memory->warm.marks.late_ns = 3600 * (int64_t)CLOCK_SECOND;
    let_rest();
    compare(memory, "first_word");
    assert_int_equal(wait_for_sketches(memory), 0);
    assert_int_equal(compare(memory, "another_word"), 0);
}

static void what_is_no_plain_text_has_none(void **state)
{
    struct memory *memory = *state;
    static const char wide[] = "\xff\xfe"
                               "a\0b\0c\0\n\0",
                      nul[] = "text\0abc\n", latin[] = "gr\xfc\xdf gr\xfc\xdf\n";
    struct folder *folder = &memory->folder;
    folder_put_bytes(folder, "t/0/wide", hv_str_of(wide, sizeof wide - 1));
    folder_put_bytes(folder, "t/0/nul", hv_str_of(nul, sizeof nul - 1));
    folder_put_bytes(folder, "t/0/latin", hv_str_of(latin, sizeof latin - 1));
    folder_put(folder, "t/0/large", "abc");
    assert_int_equal(truncate(folder_cpath(folder, "t/0/large"), 5 << 20), 0);
    folder_put(folder, "t/0/empty", "");
    assert_int_equal(symlink("f0", folder_cpath(folder, "t/0/link")), 0);
    let_rest();
    compare(memory, "first_word");
    /* What never gets one is known for that, and not read again. */
    assert_int_equal(wait_for_sketches(memory), memory->works ? ALL + 5 : 0);
    assert_int_equal(compare(memory, "another_word"), memory->works ? ALL + 1 : 0);
    assert_int_equal(wait_for_sketches(memory), memory->works ? ALL + 5 : 0);
}

static void they_are_bounded(void **state)
{
    struct memory *memory = *state;
    struct fs_sketches *sketches = &memory->warm.marks.sketches;
    char text[20000];
    for (unsigned i = 0; i < 10; i++) {
        char name[32];
        for (size_t at = 0; at + 1 < sizeof text; at++)
            text[at] = (char)('a' + next_random(memory, 26));
        text[sizeof text - 1] = '\0';
        snprintf(name, sizeof name, "t/0/large%u", i);
        folder_put(&memory->folder, name, text);
    }
    let_rest();
    sketches->bytes_max = 5 * FIND_SKETCH_BYTES_MAX;
    for (int i = 0; i < 3; i++) {
        compare(memory, i % 2 ? "another_word" : "first_word");
        wait_for_sketches(memory);
        assert_true(sketches->bytes <= sketches->bytes_max);
        assert_true(sketches->bytes > 3 * FIND_SKETCH_BYTES_MAX || !memory->works);
    }
    assert_true(compare(memory, "third_word") < ALL + 10);
    wait_for_sketches(memory);
    /* Those of a directory go with it. */
    fs_warm_release(&memory->warm);
    assert_int_equal(sketches->bytes, 0);
    fs_warm_init(&memory->warm);
}

static void none_counts_when_the_clock_was_set(void **state)
{
    struct memory *memory = *state;
    let_rest();
    compare(memory, "first_word");
    wait_for_sketches(memory);
    if (!memory->works)
        return;
    assert_int_equal(compare(memory, "another_word"), ALL);
    assert_true(memory->warm.marks.clock >= 0);
    close(memory->warm.marks.clock);
    memory->warm.marks.clock = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK); /* has something to tell, and takes no time */
    assert_int_equal(compare(memory, "third_word"), 0);
    assert_int_equal(compare(memory, "fourth_word"), 0); /* begins anew */
    wait_for_sketches(memory);
    assert_int_equal(compare(memory, "fifth_word"), ALL);
}

static void whatever_changes_around_them_is_seen(void **state)
{
    struct memory *memory = *state;
    size_t skipped = 0;
    for (int rest = 0; rest < 2; rest++) {
        let_rest();
        for (int i = 0; i < 300; i++) {
            for (uint32_t changes = next_random(memory, 3); changes > 0 && i > 20; changes--)
                change(memory);
            size_t more, known;
            compare_both(memory, patterns[next_random(memory, PATTERNS)], next_random(memory, 4) > 0, &more, &known);
            skipped += more;
            if (next_random(memory, 4) == 0)
                wait_for_sketches(memory);
            else if (next_random(memory, 4) == 0)
                pause_ns((long)next_random(memory, 6) * 1000 * 1000);
        }
    }
    assert_true(skipped > 500 || !memory->works);
}

static void many_files(struct memory *memory)
{
    char text[2048];
    memset(text, 'w', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (unsigned i = 0; i < 600; i++) {
        char name[32];
        snprintf(name, sizeof name, "t/%u/many%u", i % DIRECTORIES, i);
        folder_put(&memory->folder, name, text);
    }
}

/* At any time: while it waits, in the middle, or when all is done. */
static void the_end_stops_what_goes_on(void **state)
{
    struct memory *memory = *state;
    struct searching searching = {.no_texts = true};
    many_files(memory);
    let_rest();
    for (long i = 0; i < 24; i++) {
        search(&memory->warm, folder_path(&memory->folder, "t"), "first_word", &searching);
        pause_ns(i * 400 * 1000);
        fs_warm_release(&memory->warm);
        assert_int_equal(memory->warm.marks.sketches.bytes, 0);
        assert_int_equal(memory->warm.marks.sketches.state, SKETCH_NO_THREAD);
        fs_warm_init(&memory->warm);
        memory->warm.marks.late_ns = TICKS_NS;
        memory->warm.marks.sketches.wanted_min = 1;
        memory->warm.marks.sketches.quiet_ns = QUIET_MS * CLOCK_MILLISECOND;
    }
}

static void another_search_takes_over(void **state)
{
    struct memory *memory = *state;
    struct searching searching = {.no_texts = true};
    char word[32];
    many_files(memory);
    let_rest();
    for (unsigned i = 0; i < 40; i++) {
        snprintf(word, sizeof word, "word_%u", i);
        search(&memory->warm, folder_path(&memory->folder, "t"), word, &searching);
        pause_ns((long)(i % 8) * 500 * 1000);
    }
    /* What was left is done in the end. */
    search(&memory->warm, folder_path(&memory->folder, "t"), "[a-z]", &searching);
    wait_for_sketches(memory);
    search(&memory->warm, folder_path(&memory->folder, "t"), "the_last", &searching);
    assert_int_equal(searching.skipped, memory->works ? ALL + 600 : 0);
}

static void *search_often(void *data)
{
    struct memory *memory = data;
    struct searching searching = {.no_texts = true};
    char root[128], word[32];
    snprintf(root, sizeof root, "%s/t", memory->folder.path.ptr);
    for (unsigned i = 0; i < 150; i++) {
        snprintf(word, sizeof word, i % 4 ? "word%u" : "alpha", i);
        search(&memory->warm, hv_str_from(root), word, &searching);
        if (i % 5 == 0)
            pause_ns(4 * 1000 * 1000);
    }
    return NULL;
}

static void searches_and_changes_at_the_same_time(void **state)
{
    struct memory *memory = *state;
    pthread_t threads[2], changer;
    struct changing changing = {.memory = memory, .files = 6};
    let_rest();
    assert_int_equal(pthread_create(&changer, NULL, keep_changing, &changing), 0);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, search_often, memory), 0);
    for (unsigned i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    atomic_store(&changing.over, true);
    pthread_join(changer, NULL);
    for (unsigned i = 0; i < PATTERNS; i++)
        compare(memory, patterns[i]);
    make_sketches(memory);
    for (unsigned i = 0; i < PATTERNS; i++)
        compare(memory, patterns[i]);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_sketches, close_memory)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_file_without_the_word_is_not_opened),
        CASE(a_file_that_changed_is_opened),
        CASE(a_page_that_is_written_is_seen),
        CASE(another_file_of_the_name_is_opened),
        CASE(a_file_that_changed_lately_has_none),
        CASE(what_is_no_plain_text_has_none),
        CASE(they_are_bounded),
        CASE(none_counts_when_the_clock_was_set),
        CASE(whatever_changes_around_them_is_seen),
        CASE(the_end_stops_what_goes_on),
        CASE(another_search_takes_over),
        CASE(searches_and_changes_at_the_same_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
