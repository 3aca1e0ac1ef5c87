/* test_diff_words.c: words in which lines differ, and diffs painted with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "text/diff_words.h"

#include <string.h>

/* A line with its spans in brackets. */
static struct hv_str marked(struct hv_arena *arena, const char *line, const struct diff_spans *spans)
{
    struct hv_str text = HV_STR("");
    size_t at = 0;
    for (size_t i = 0; i < spans->count; i++) {
        text = hv_arena_format(arena, "%.*s%.*s[%.*s]", HV_STR_ARG(text), (int)(spans->items[i].start - at), line + at,
                               (int)(spans->items[i].end - spans->items[i].start), line + spans->items[i].start);
        at = spans->items[i].end;
    }
    return hv_arena_format(arena, "%.*s%s", HV_STR_ARG(text), line + at);
}

static void words_that_differ_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *old, *new, *old_marked, *new_marked;
    } rows[] = {
        {"int a = 1;", "int a = 2;", "int a = [1];", "int a = [2];"},
        {"call(first, second)", "call(first)", "call(first[, second])", "call(first)"},
        {"return old_name(x);", "return new_name(x);", "return [old_name](x);", "return [new_name](x);"},
        {"gr\u00fcn und blau", "gr\u00fcn und rot", "gr\u00fcn und [blau]", "gr\u00fcn und [rot]"},
        {"    x = 1", "        x = 1", "[    ]x = 1", "[        ]x = 1"},
        {"one two three", "quite another line altogether", "one two three", "quite another line altogether"},
        {"same", "same", "same", "same"},
        {"", "new", "", "new"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hv_arena arena = {0};
        struct diff_spans removed, added;
        (void)diff_words(hv_str_from(rows[i].old), hv_str_from(rows[i].new), &removed, &added);
        assert_string_equal(marked(&arena, rows[i].old, &removed).ptr, rows[i].old_marked);
        assert_string_equal(marked(&arena, rows[i].new, &added).ptr, rows[i].new_marked);
        hv_arena_release(&arena);
    }
}

static void diffs_are_painted_line_by_line(void **state)
{
    (void)state;
    struct hv_buf out;
    hv_buf_init(&out, 4096);
    diff_paint(HV_STR("--- a\n+++ a\n@@ -1,3 +1,3 @@\n same\n-int a = 1;\n-gone\n+int a = 2;\n+came\n\\ No newline at "
                      "end of file\n"),
               &out);
    assert_string_equal(out.data, "--- a\n+++ a\n\033[36m@@ -1,3 +1,3 @@\033[0m\n same\n"
                                  "\033[31m-int a = \033[7m1\033[27m;\033[0m\n\033[31m-gone\033[0m\n"
                                  "\033[32m+int a = \033[7m2\033[27m;\033[0m\n\033[32m+came\033[0m\n"
                                  "\\ No newline at end of file\n");
    hv_buf_clear(&out);
    diff_paint(HV_STR("@@ -1 +1,2 @@\n-- one\n++ two\n+three"), &out);
    assert_string_equal(out.data, "\033[36m@@ -1 +1,2 @@\033[0m\n\033[31m-- one\033[0m\n\033[32m++ two\033[0m\n"
                                  "\033[32m+three\033[0m\n");
    hv_buf_release(&out);
}

static void long_lines_are_painted_as_a_whole(void **state)
{
    (void)state;
    static char old[9000], new[9000];
    struct diff_spans removed, added;
    memset(old, 'a', sizeof old - 1);
    memset(new, 'b', sizeof new - 1);
    assert_false(diff_words(hv_str_from(old), hv_str_from(new), &removed, &added));
    assert_int_equal(removed.count + added.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_that_differ_are_told),
        cmocka_unit_test(diffs_are_painted_line_by_line),
        cmocka_unit_test(long_lines_are_painted_as_a_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
