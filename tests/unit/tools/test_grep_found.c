/* test_grep_found.c: the order of Grep's answer, and keeping as much of it as is needed. */
#include "tools/grep_found.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

static void files_come_before_directories_and_names_by_their_bytes(void **state)
{
    (void)state;
    static const char *const ordered[] = {"B",       "a.c",   "z",        "a/z",      "a/b/c",
                                          "a/b/c.d", "a.b/x", "ab/b/a/x", "ab/b/b/a", "ab/c/a"};
    for (size_t i = 0; i < sizeof ordered / sizeof *ordered; i++)
        for (size_t j = 0; j < sizeof ordered / sizeof *ordered; j++) {
            int order = found_compare(hv_str_from(ordered[i]), false, hv_str_from(ordered[j]));
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
}

static void a_directory_is_past_when_all_that_it_holds_is(void **state)
{
    (void)state;
    static const struct {
        const char *directory, *file;
        int order;
    } cases[] = {{"a", "a/b", 0},  {"a", "a/b/c", 0}, {"a", "b", 1},     {"a", "b/x", -1}, {"b", "a/x", 1},
                 {"ab", "abc", 1}, {"a", "ab/x", -1}, {"a/b", "a/c", 1}, {"a/b", "z", 1},  {"a/b", "a/b/x", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int order = found_compare(hv_str_from(cases[i].directory), true, hv_str_from(cases[i].file));
        assert_int_equal((order > 0) - (order < 0), cases[i].order);
    }
}

/* In the order of a walk: by components, of which the last is a file's. */
static int compare_slowly(struct hv_str a, struct hv_str b)
{
    struct hv_str left, right;
    for (;;) {
        bool left_is_file = hv_str_find_byte(a, '/', 0) == SIZE_MAX,
             right_is_file = hv_str_find_byte(b, '/', 0) == SIZE_MAX;
        if (left_is_file != right_is_file)
            return left_is_file ? -1 : 1;
        (void)hv_str_split(&a, '/', &left);
        (void)hv_str_split(&b, '/', &right);
        int order = hv_str_compare(left, right);
        if (order || left_is_file)
            return order;
    }
}

static void the_order_is_that_of_a_walk(void **state)
{
    (void)state;
    static const char *const parts[] = {"a", "ab", "a.c", "a-long-name", "a-long-namf", "/", "/", "B", "\xc3\xa9", "-"};
    uint32_t random = 7;
    for (unsigned i = 0; i < 20000; i++) {
        char paths[2][128] = {"x", "x"};
        for (unsigned k = 0; k < 2; k++)
            for (unsigned left = 1 + i % 7, slash = 0; left; left--) {
                random = random * 1664525u + 1013904223u;
                const char *part = parts[(random >> 12) % (sizeof parts / sizeof *parts)];
                if (*part == '/' && (slash || left == 1))
                    part = "a";
                slash = *part == '/';
                size_t len = strlen(paths[k]);
                memcpy(paths[k] + len, part, strlen(part) + 1);
            }
        struct hv_str a = hv_str_from(paths[0]), b = hv_str_from(paths[1]);
        int order = found_compare(a, false, b), expected = compare_slowly(a, b);
        if ((order > 0) - (order < 0) != (expected > 0) - (expected < 0))
            fail_msg("%s and %s: %d", paths[0], paths[1], order);
    }
}

static void what_was_found_moves_and_leaves_room_for_more(void **state)
{
    (void)state;
    struct found_file file = {.matches = 2, .entries = 2}, taken;
    hv_buf_init(&file.text, 1 << 20);
    for (unsigned round = 0; round < 3; round++) {
        hv_buf_add_cstr(&file.text, round ? "ab" : "abc");
        file.lines.items = hv_realloc(file.lines.items, 8 * sizeof *file.lines.items);
        file.lines.capacity = 8;
        file.lines.items[file.lines.count++] = (struct found_line){.end = file.text.len};
        found_file_name(&file, HV_STR("x/y"));
        found_file_take(&file, &taken);
        assert_true(hv_str_is(hv_buf_str(&taken.text), round ? "ab" : "abc"));
        assert_string_equal(taken.path, "x/y");
        assert_int_equal(taken.lines.count, 1);
        assert_int_equal(taken.lines.items[0].end, taken.text.len);
        assert_int_equal(file.lines.count + file.text.len + file.matches + file.entries, 0);
        assert_null(file.path);
        assert_int_equal(file.lines.capacity, 8);
        found_file_release(&taken);
    }
    found_file_release(&file);
}

static void add(struct grep_found *found, const char *path, size_t entries, size_t bytes)
{
    struct found_file file = {.entries = entries, .matches = entries};
    hv_buf_init(&file.text, 1 << 20);
    for (size_t i = 0; i < bytes; i++)
        hv_buf_add_byte(&file.text, 'x');
    found_file_name(&file, hv_str_from(path));
    found_add(found, &file, 1);
    assert_null(file.text.data);
}

static void the_first_files_are_kept_until_they_fill_the_answer(void **state)
{
    (void)state;
    struct grep_found found;
    found_init(&found, 5, 1 << 20);
    add(&found, "m", 3, 10);
    assert_false(found_is_past(&found, HV_STR("z"), false));
    add(&found, "x", 3, 10);
    assert_true(found_is_past(&found, HV_STR("z"), false)); /* six entries: enough */
    assert_false(found_is_past(&found, HV_STR("w"), false));
    add(&found, "z", 1, 10);
    add(&found, "c", 2, 10); /* x is not needed any more */
    assert_true(found_is_past(&found, HV_STR("n"), false));
    assert_true(found_is_past(&found, HV_STR("a"), true)); /* all directories come after all files */
    assert_false(found_is_past(&found, HV_STR("d"), false));
    found_sort(&found);
    assert_int_equal(found.files.count, 2);
    assert_string_equal(found.files.items[0].path, "c");
    assert_string_equal(found.files.items[1].path, "m");
    assert_false(found.is_cut);
    found_release(&found);
}

static void too_many_bytes_throw_away_the_last_files(void **state)
{
    (void)state;
    struct grep_found found;
    found_init(&found, 1000, 5000);
    add(&found, "b", 1, 2000);
    add(&found, "d", 1, 4000); /* and b: too much */
    assert_true(found.is_cut);
    assert_int_equal(found.files.count, 1);
    assert_true(found_is_past(&found, HV_STR("e"), false));
    assert_false(found_is_past(&found, HV_STR("c"), false));
    add(&found, "e", 1, 10); /* no gap: what comes after d does not come back */
    add(&found, "a", 1, 10);
    found_sort(&found);
    assert_int_equal(found.files.count, 2);
    assert_string_equal(found.files.items[0].path, "a");
    assert_string_equal(found.files.items[1].path, "b");
    found_release(&found);
}

/* In whatever order they are found, those of one directory together or not. */
static void many_files_are_put_in_the_order_of_a_walk(void **state)
{
    (void)state;
    enum { FILES = 600 };
    static const char *const directories[] = {"", "a/", "a/b/", "a/b/c/", "a/c/", "ab/", "b/", "b/a/", "z/z/z/"};
    struct grep_found found;
    unsigned seed = 12;
    found_init(&found, FILES, 1 << 20);
    for (unsigned i = 0; i < FILES; i++) {
        char path[64];
        seed = seed * 1103515245 + 12345;
        unsigned in = i % 7 ? i / 20 : seed >> 16; /* mostly in runs */
        snprintf(path, sizeof path, "%sf%u", directories[in % (sizeof directories / sizeof *directories)],
                 i * 211 % FILES);
        add(&found, path, 1, 1);
    }
    found_sort(&found);
    assert_int_equal(found.files.count, FILES);
    for (unsigned i = 1; i < FILES; i++) {
        const struct found_file *a = &found.files.items[i - 1], *b = &found.files.items[i];
        assert_true(found_compare(hv_str_of(a->path, a->path_len), false, hv_str_of(b->path, b->path_len)) < 0);
        assert_int_equal(strlen(b->path), b->path_len);
    }
    found_release(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_come_before_directories_and_names_by_their_bytes),
        cmocka_unit_test(the_order_is_that_of_a_walk),
        cmocka_unit_test(many_files_are_put_in_the_order_of_a_walk),
        cmocka_unit_test(what_was_found_moves_and_leaves_room_for_more),
        cmocka_unit_test(a_directory_is_past_when_all_that_it_holds_is),
        cmocka_unit_test(the_first_files_are_kept_until_they_fill_the_answer),
        cmocka_unit_test(too_many_bytes_throw_away_the_last_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
