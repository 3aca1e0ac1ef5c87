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

static void draft_line(struct found_draft *draft, const char *text)
{
    draft->text.max = 1 << 20;
    hv_buf_add_cstr(&draft->text, text);
    draft->lines.items = hv_realloc(draft->lines.items, 8 * sizeof *draft->lines.items);
    draft->lines.capacity = 8;
    draft->lines.items[draft->lines.count++] = (struct found_line){.end = draft->text.len, .matches = 1};
}

static void what_was_found_moves_and_leaves_room_for_more(void **state)
{
    (void)state;
    struct found_draft draft = {0};
    struct found_names *names = NULL;
    struct found_file taken[3];
    for (unsigned round = 0; round < 3; round++) {
        draft.matches = draft.entries = 2;
        draft_line(&draft, round ? "ab" : "abc");
        draft_line(&draft, "\n");
        found_take(&draft, round == 1 ? NULL : &names, HV_STR("x/y"), &taken[round]);
        assert_int_equal(draft.lines.count + draft.text.len + draft.matches + draft.entries, 0);
        assert_int_equal(draft.lines.capacity, 8);
    }
    found_names_leave(names);
    found_draft_release(&draft);
    for (unsigned round = 0; round < 3; round++) {
        assert_true(hv_str_is(found_text(&taken[round]), round ? "ab\n" : "abc\n"));
        assert_string_equal(found_path(&taken[round]).ptr, "x/y");
        assert_int_equal(found_path(&taken[round]).len, 3);
        assert_int_equal(taken[round].lines->count, 2);
        assert_int_equal(taken[round].lines->items[0].end, round ? 2 : 3);
        assert_int_equal(taken[round].lines->items[1].end, found_text(&taken[round]).len);
        assert_int_equal(taken[round].matches, 2);
        assert_int_equal(taken[round].entries, 2);
        found_file_release(&taken[round]);
    }
}

static void paths_of_any_length_lie_together(void **state)
{
    (void)state;
    enum { FILES = 3000 };
    static struct found_file files[FILES];
    static char path[100000];
    struct found_draft draft = {0};
    struct found_names *names = NULL;
    memset(path, 'x', sizeof path);
    for (size_t i = 0; i < FILES; i++) {
        size_t len = i % 500 == 7 ? 20000 + i : 1 + i % 90;
        draft.matches = len;
        path[len / 2] = '/';
        found_take(&draft, &names, hv_str_of(path, len), &files[i]);
        assert_int_equal(files[i].name, len > 1 ? len / 2 + 1 : 1);
        assert_null(files[i].lines);
        path[len / 2] = 'x';
    }
    found_names_leave(names);
    for (size_t k = 0, i; k < FILES; k++) {
        i = k * 7 % FILES;
        struct hv_str text = found_path(&files[i]);
        assert_int_equal(text.len, files[i].matches);
        assert_int_equal(strlen(text.ptr), text.len);
        assert_int_equal(text.ptr[text.len / 2], '/');
        assert_int_equal(strspn(text.ptr, "x/"), text.len);
        found_file_release(&files[i]);
    }
    found_draft_release(&draft);
}

static void add(struct grep_found *found, const char *path, size_t entries, size_t bytes)
{
    struct found_draft draft = {.entries = entries, .matches = entries};
    struct found_file file;
    char text[8192] = {0};
    draft_line(&draft, memset(text, 'x', bytes));
    found_take(&draft, NULL, hv_str_from(path), &file);
    found_add(found, &file, 1);
    assert_null(file.lines);
    assert_null(file.names);
    found_draft_release(&draft);
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
    assert_string_equal(found_path(found_at(&found, 0)).ptr, "c");
    assert_string_equal(found_path(found_at(&found, 1)).ptr, "m");
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
    assert_string_equal(found_path(found_at(&found, 0)).ptr, "a");
    assert_string_equal(found_path(found_at(&found, 1)).ptr, "b");
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
        struct hv_str a = found_path(found_at(&found, i - 1)), b = found_path(found_at(&found, i));
        assert_true(found_compare(a, false, b) < 0);
        assert_int_equal(strlen(b.ptr), b.len);
    }
    found_release(&found);
}

/* As threads hand them over: batches of files, those of a directory together, directories in several of them. */
static void arranged_files_are_put_in_the_order_of_a_walk(void **state)
{
    (void)state;
    enum { FILES = 3000, BATCH = 200 };
    static const char *const directories[] = {"", "a/", "a/b/", "a/b/c/", "ab/", "long-name/of/a/directory/"};
    for (size_t most = 50; most <= FILES + 1; most += FILES + 1 - 50) {
        struct grep_found found;
        struct found_file files[BATCH];
        struct found_draft draft = {0};
        struct found_names *names = NULL;
        unsigned seed = 5, number = 0, in = 0;
        found_init(&found, most, 1 << 20);
        for (unsigned batch = 0; batch < FILES / BATCH; batch++) {
            for (unsigned i = 0; i < BATCH; i++, number++) {
                char path[64];
                seed = seed * 1103515245 + 12345;
                if ((seed >> 16) % 40 == 0)
                    in = seed >> 22;
                snprintf(path, sizeof path, "%sprefix-%u%s",
                         directories[in % (sizeof directories / sizeof *directories)], number * 211 % FILES,
                         number % 3 ? ".c" : "");
                draft.entries = draft.matches = 1;
                found_take(&draft, &names, hv_str_from(path), &files[i]);
            }
            found_arrange(files, BATCH);
            found_add(&found, files, BATCH);
        }
        found_names_leave(names);
        found_sort(&found);
        assert_int_equal(found.files.count, most < FILES ? most : FILES);
        for (unsigned i = 1; i < found.files.count; i++)
            assert_true(found_compare(found_path(found_at(&found, i - 1)), false, found_path(found_at(&found, i))) < 0);
        found_draft_release(&draft);
        found_release(&found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_come_before_directories_and_names_by_their_bytes),
        cmocka_unit_test(the_order_is_that_of_a_walk),
        cmocka_unit_test(many_files_are_put_in_the_order_of_a_walk),
        cmocka_unit_test(arranged_files_are_put_in_the_order_of_a_walk),
        cmocka_unit_test(what_was_found_moves_and_leaves_room_for_more),
        cmocka_unit_test(paths_of_any_length_lie_together),
        cmocka_unit_test(a_directory_is_past_when_all_that_it_holds_is),
        cmocka_unit_test(the_first_files_are_kept_until_they_fill_the_answer),
        cmocka_unit_test(too_many_bytes_throw_away_the_last_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
