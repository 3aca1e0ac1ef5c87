/* test_diff.c: differences that rebuild the new text, are the smallest on small texts, and end in time on large ones.
 */
#include "base/cleanup.h"
#include "text/diff.h"
#include "text/lines.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

static uint32_t seed = 7;

static uint32_t any(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 12) % below;
}

/* ---- rebuilding ---- */

static size_t number_in(struct hv_str *rest)
{
    size_t value = 0, i = 0;
    for (; i < rest->len && rest->ptr[i] >= '0' && rest->ptr[i] <= '9'; i++)
        value = value * 10 + (size_t)(rest->ptr[i] - '0');
    assert_true(i > 0);
    *rest = hv_str_slice(*rest, i, rest->len);
    return value;
}

static void expect(struct hv_str *rest, const char *text)
{
    if (!hv_str_starts(*rest, hv_str_from(text)))
        fail_msg("\"%s\" expected at \"%.*s\"", text, HV_STR_ARG(*rest));
    *rest = hv_str_slice(*rest, strlen(text), rest->len);
}

struct range {
    size_t start, count;
};

static struct range range_in(struct hv_str *rest)
{
    struct range range = {number_in(rest), 1};
    if (hv_str_starts(*rest, HV_STR(","))) {
        expect(rest, ",");
        range.count = number_in(rest);
    }
    range.start -= range.count > 0;
    return range;
}

/* What `patch` would make of old_text: strict, every line and every number has to fit. */
static void apply(struct hv_str old_text, struct hv_str patch, struct hv_buf *out)
{
    struct hv_str line, old_line;
    size_t old_at = 0, new_at = 0;
    while (patch.len) {
        expect(&patch, "@@ -");
        struct range old_range = range_in(&patch);
        expect(&patch, " +");
        struct range new_range = range_in(&patch);
        expect(&patch, " @@\n");
        for (; old_at < old_range.start; old_at++, new_at++) {
            assert_true(lines_next(&old_text, &old_line));
            hv_buf_add_str(out, old_line);
        }
        assert_int_equal(new_at, new_range.start);
        while (old_at < old_range.start + old_range.count || new_at < new_range.start + new_range.count) {
            assert_true(lines_next(&patch, &line));
            char sign = line.ptr[0];
            line = hv_str_slice(line, 1, line.len);
            struct hv_str note = HV_STR("\\ No newline at end of file\n");
            if (hv_str_starts(patch, note)) {
                patch = hv_str_slice(patch, note.len, patch.len);
                line.len--;
            }
            assert_non_null(strchr(" +-", sign));
            if (sign != '+') {
                assert_true(lines_next(&old_text, &old_line) && hv_str_eq(line, old_line));
                old_at++;
            }
            if (sign != '-') {
                hv_buf_add_str(out, line);
                new_at++;
            }
        }
    }
    hv_buf_add_str(out, old_text);
}

static void check_applies(struct hv_str old_text, struct hv_str new_text, size_t context)
{
    CLEANUP_BUF struct hv_buf patch = {.max = 64 << 20};
    CLEANUP_BUF struct hv_buf rebuilt = {.max = 64 << 20};
    struct diff_result result;
    diff_unified(old_text, new_text, &(struct diff_options){.context = context}, &patch, &result);
    assert_false(patch.failed || result.cut);
    assert_int_equal(patch.len == 0, hv_str_eq(old_text, new_text));
    apply(old_text, hv_buf_str(&patch), &rebuilt);
    if (!hv_str_eq(hv_buf_str(&rebuilt), new_text))
        fail_msg("from \"%.*s\" to \"%.*s\":\n%.*s", HV_STR_ARG(old_text), HV_STR_ARG(new_text),
                 HV_STR_ARG(hv_buf_str(&patch)));
}

/* ---- the smallest difference, by the plain table ---- */

enum { SMALL = 24 };

static size_t split(struct hv_str text, struct hv_str lines[SMALL])
{
    size_t count = 0;
    while (lines_next(&text, &lines[count]))
        count++;
    return count;
}

static size_t common_lines(struct hv_str old_text, struct hv_str new_text)
{
    struct hv_str old_lines[SMALL + 1], new_lines[SMALL + 1];
    size_t table[SMALL + 1][SMALL + 1] = {0};
    size_t old_count = split(old_text, old_lines), new_count = split(new_text, new_lines);
    for (size_t i = 1; i <= old_count; i++)
        for (size_t k = 1; k <= new_count; k++) {
            size_t skip = table[i - 1][k] > table[i][k - 1] ? table[i - 1][k] : table[i][k - 1];
            table[i][k] = hv_str_eq(old_lines[i - 1], new_lines[k - 1]) ? table[i - 1][k - 1] + 1 : skip;
        }
    return table[old_count][new_count];
}

static void check_smallest(struct hv_str old_text, struct hv_str new_text)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct diff diff;
    diff_lines(&arena, old_text, new_text, &diff);
    size_t common = common_lines(old_text, new_text);
    assert_false(diff.coarse);
    if (diff.removed != lines_count(old_text) - common || diff.added != lines_count(new_text) - common)
        fail_msg("\"%.*s\" to \"%.*s\": %zu removed, %zu added, %zu in common", HV_STR_ARG(old_text),
                 HV_STR_ARG(new_text), diff.removed, diff.added, common);
    for (size_t i = 0; i < diff.count; i++) {
        const struct diff_change *change = &diff.changes[i];
        assert_true(change->old_count || change->new_count);
        if (i) {
            const struct diff_change *before = change - 1;
            size_t old_gap = change->old_start - before->old_start - before->old_count;
            size_t new_gap = change->new_start - before->new_start - before->new_count;
            assert_true(old_gap > 0 && old_gap == new_gap && old_gap < SMALL);
        }
    }
}

static struct hv_str random_text(char *room, size_t lines, uint32_t words)
{
    size_t used = 0;
    for (size_t i = 0; i < lines; i++) {
        room[used++] = (char)('a' + any(words));
        room[used++] = '\n';
    }
    used -= used && any(4) == 0; /* sometimes without the last line end */
    return hv_str_of(room, used);
}

static void small_differences_are_the_smallest_and_rebuild_the_new_text(void **state)
{
    (void)state;
    for (size_t round = 0; round < 5000; round++) {
        char old_room[2 * SMALL], new_room[2 * SMALL];
        uint32_t words = 1 + any(5);
        struct hv_str old_text = random_text(old_room, any(SMALL), words);
        struct hv_str new_text = random_text(new_room, any(SMALL), words);
        check_smallest(old_text, new_text);
        check_applies(old_text, new_text, any(5));
    }
}

/* ---- what it looks like ---- */

static const struct {
    const char *old_text, *new_text;
    size_t context, max_lines;
    const char *expected;
} cases[] = {
    {"same\n", "same\n", 3, 0, ""},
    {"", "", 3, 0, ""},
    {"", "a\nb\n", 3, 0, "--- old\n+++ new\n@@ -0,0 +1,2 @@\n+a\n+b\n"},
    {"a\n", "", 3, 0, "--- old\n+++ new\n@@ -1 +0,0 @@\n-a\n"},
    {"a\nb\nc\n", "a\nx\nc\n", 3, 0, "--- old\n+++ new\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"},
    {"a\nb\nc\n", "a\nx\nc\n", 0, 0, "--- old\n+++ new\n@@ -2 +2 @@\n-b\n+x\n"},
    {"a", "a\n", 3, 0, "--- old\n+++ new\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
    {"a\nb", "a\nc", 3, 0,
     "--- old\n+++ new\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"},
    {"a\r\nb\r\n", "a\nb\r\n", 3, 0, "--- old\n+++ new\n@@ -1,2 +1,2 @@\n-a\r\n+a\n b\r\n"},
    /* changes six unchanged lines apart share a hunk, seven apart do not */
    {"x\n1\n2\n3\n4\n5\n6\ny\n", "X\n1\n2\n3\n4\n5\n6\nY\n", 3, 0,
     "--- old\n+++ new\n@@ -1,8 +1,8 @@\n-x\n+X\n 1\n 2\n 3\n 4\n 5\n 6\n-y\n+Y\n"},
    {"x\n1\n2\n3\n4\n5\n6\n7\ny\n", "X\n1\n2\n3\n4\n5\n6\n7\nY\n", 3, 0,
     "--- old\n+++ new\n@@ -1,4 +1,4 @@\n-x\n+X\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-y\n+Y\n"},
    /* a repeated block that is added stands behind the one it repeats */
    {"{\n}\n", "{\n}\n{\n}\n", 3, 0, "--- old\n+++ new\n@@ -1,2 +1,4 @@\n {\n }\n+{\n+}\n"},
    {"a\nb\nc\nd\n", "", 3, 2, "--- old\n+++ new\n@@ -1,4 +0,0 @@\n-a\n-b\n… 2 more lines\n"},
    {"a\nb\n", "", 3, 2, "--- old\n+++ new\n@@ -1,2 +0,0 @@\n-a\n-b\n"},
};

static void a_difference_is_printed_as_git_prints_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CLEANUP_BUF struct hv_buf out = {.max = 4096};
        struct diff_options options = {cases[i].context, cases[i].max_lines, HV_STR("old"), HV_STR("new")};
        diff_unified(hv_str_from(cases[i].old_text), hv_str_from(cases[i].new_text), &options, &out, NULL);
        if (!hv_str_is(hv_buf_str(&out), cases[i].expected))
            fail_msg("case %zu gave\n%.*s", i, HV_STR_ARG(hv_buf_str(&out)));
    }
}

static void the_result_counts_lines_and_hunks_also_of_what_is_not_shown(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf out = {.max = 4096};
    struct diff_result result;
    diff_unified(HV_STR("x\n1\n2\n3\ny\nz\n"), HV_STR("X\n1\n2\n3\nY\nY2\nZ\n"),
                 &(struct diff_options){.context = 1, .max_lines = 1}, &out, &result);
    assert_int_equal(result.removed, 3);
    assert_int_equal(result.added, 4);
    assert_int_equal(result.hunks, 2);
    assert_true(result.cut && !result.coarse);
}

static void of_long_lines_the_place_is_shown_where_they_differ(void **state)
{
    static const struct {
        const char *old_text, *new_text, *expected;
    } lines[] = {
        {"0123456789abcdefghij\n", "0123456789ABcdefghij\n",
         "@@ -1 +1 @@\n-… 6789abcd … [shown: 8 of the 20 bytes of this line, from byte 7 on]\n"
         "+… 6789ABcd … [shown: 8 of the 20 bytes of this line, from byte 7 on]\n"},
        {"0123456789\n", "x\n",
         "@@ -1 +1 @@\n-01234567 … [shown: 8 of the 10 bytes of this line, from byte 1 on]\n+x\n"},
        {"ééééééééééé", "éééééééééé!",
         "@@ -1 +1 @@\n-… éééé … [shown: 8 of the 22 bytes of this line, from byte 15 on]\n"
         "\\ No newline at end of file\n"
         "+… ééé! … [shown: 7 of the 21 bytes of this line, from byte 15 on]\n\\ No newline at end of file\n"},
        {"12345678\r\n", "1\r\n", "@@ -1 +1 @@\n-12345678\r\n+1\r\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        CLEANUP_BUF struct hv_buf out = {.max = 4096};
        const struct diff_options options = {.context = 1, .max_line_bytes = 8};
        diff_unified(hv_str_from(lines[i].old_text), hv_str_from(lines[i].new_text), &options, &out, NULL);
        if (!hv_str_is(hv_buf_str(&out), lines[i].expected))
            fail_msg("case %zu gave\n%.*s", i, HV_STR_ARG(hv_buf_str(&out)));
    }
}

static void no_line_begins_behind_the_most_bytes(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf out = {.max = 4096};
    struct diff_result result;
    diff_unified(HV_STR("1\n2\n3\n4\n"), HV_STR(""), &(struct diff_options){.context = 1, .max_bytes = 18}, &out,
                 &result);
    assert_true(result.cut);
    assert_true(hv_str_is(hv_buf_str(&out), "@@ -1,4 +0,0 @@\n-1\n… 3 more lines\n"));
}

static void a_full_buffer_says_so(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf out = {.max = 10};
    diff_unified(HV_STR("a\n"), HV_STR("b\n"), &(struct diff_options){.context = 3}, &out, NULL);
    assert_true(out.failed);
}

/* ---- large texts ---- */

enum { LARGE = 20000 };

static void add_lines(struct hv_buf *text, size_t count, uint32_t words)
{
    for (size_t i = 0; i < count; i++)
        hv_buf_addf(text, "%u\n", any(words));
}

static void a_small_change_in_a_large_text_stays_small(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf old_text = {.max = 64 << 20};
    CLEANUP_BUF struct hv_buf new_text = {.max = 64 << 20};
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct diff diff;
    add_lines(&old_text, LARGE, 1000);
    hv_buf_add_str(&new_text, hv_str_slice(hv_buf_str(&old_text), 0, old_text.len / 4));
    hv_buf_add_cstr(&new_text, "inserted\n");
    hv_buf_add_str(&new_text, hv_str_slice(hv_buf_str(&old_text), old_text.len / 4, old_text.len));
    memcpy(new_text.data + new_text.len / 2, "##", 2);
    diff_lines(&arena, hv_buf_str(&old_text), hv_buf_str(&new_text), &diff);
    assert_false(diff.coarse);
    assert_true(diff.added <= 6 && diff.removed <= 6);
    check_applies(hv_buf_str(&old_text), hv_buf_str(&new_text), 3);
}

static void texts_that_have_little_in_common_still_end(void **state)
{
    (void)state;
    for (uint32_t words = 2; words <= 20000; words *= 100) {
        CLEANUP_BUF struct hv_buf old_text = {.max = 64 << 20};
        CLEANUP_BUF struct hv_buf new_text = {.max = 64 << 20};
        add_lines(&old_text, LARGE, words);
        add_lines(&new_text, LARGE, words);
        check_applies(hv_buf_str(&old_text), hv_buf_str(&new_text), 3);
    }
}

static void more_lines_than_can_be_compared_are_replaced(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    size_t size = ((size_t)1 << 26) + 2;
    CLEANUP_FREE char *bytes = hv_malloc(size);
    struct diff diff;
    memset(bytes, '\n', size);
    diff_lines(&arena, hv_str_of(bytes, size), HV_STR("\nx"), &diff);
    assert_true(diff.coarse && diff.count == 1);
    assert_int_equal(diff.removed, size - 1);
    assert_int_equal(diff.added, 1);
    assert_int_equal(diff.changes[0].old_start, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_differences_are_the_smallest_and_rebuild_the_new_text),
        cmocka_unit_test(a_difference_is_printed_as_git_prints_it),
        cmocka_unit_test(the_result_counts_lines_and_hunks_also_of_what_is_not_shown),
        cmocka_unit_test(of_long_lines_the_place_is_shown_where_they_differ),
        cmocka_unit_test(no_line_begins_behind_the_most_bytes),
        cmocka_unit_test(a_full_buffer_says_so),
        cmocka_unit_test(a_small_change_in_a_large_text_stays_small),
        cmocka_unit_test(more_lines_than_can_be_compared_are_replaced),
        cmocka_unit_test(texts_that_have_little_in_common_still_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
