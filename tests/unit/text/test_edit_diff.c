/*
 * test_edit_diff.c: what an edit changes, told without the new text being put together, is what a comparison of both
 * whole texts tells; and its pieces are that text. On random files whose lines often repeat one another, since it is
 * there that a difference may stand at several places.
 */
#include "base/cleanup.h"
#include "text/edit_diff.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

static uint32_t seed = 11;

static uint32_t any(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 12) % below;
}

static const char *const lines[] = {"a\n",   "b\n", "\n", "a longer line that is the same each time\n",
                                    "a\r\n", "x",   "y"};
enum { LINE_COUNT = sizeof lines / sizeof *lines };

static void add_lines(struct hv_buf *out, size_t count, uint32_t kinds)
{
    for (size_t i = 0; i < count; i++)
        hv_buf_add_cstr(out, lines[any(kinds)]);
}

static void expect_same_diff(const struct diff *found, const struct diff *expected)
{
    struct diff_options options = {.context = 3, .old_name = HV_STR("f"), .new_name = HV_STR("f")};
    CLEANUP_BUF struct hv_buf one = {.max = 64 << 20}, other = {.max = 64 << 20};
    assert_int_equal(found->count, expected->count);
    assert_int_equal(found->added, expected->added);
    assert_int_equal(found->removed, expected->removed);
    if (found->count)
        assert_memory_equal(found->changes, expected->changes, found->count * sizeof *found->changes);
    diff_show(found, &options, &one, NULL);
    diff_show(expected, &options, &other, NULL);
    assert_true(hv_str_eq(hv_buf_str(&one), hv_buf_str(&other)));
}

static void check(struct hv_str file, const struct edit *edit)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf whole = {.max = 64 << 20}, joined = {.max = 64 << 20};
    struct diff found, expected;
    assert_true(edit_apply(file, edit, &whole));
    struct pieces pieces = edit_pieces(&arena, file, edit);
    assert_true(pieces_join(pieces, &joined));
    assert_true(hv_str_eq(hv_buf_str(&joined), hv_buf_str(&whole)));
    assert_true(pieces_hash(pieces) == hv_str_hash(hv_buf_str(&whole)));
    edit_diff(&arena, file, edit, &found);
    diff_lines(&arena, file, hv_buf_str(&whole), &expected);
    expect_same_diff(&found, &expected);
}

/* Some splices at random places, ascending and disjoint. */
static struct edit random_edit(struct hv_arena *arena, struct hv_str file, uint32_t kinds)
{
    size_t count = 1 + any(3), at = 0;
    struct edit edit = {.splices = hv_arena_array(arena, struct edit_splice, count), .size_after = file.len};
    for (size_t i = 0; i < count; i++) {
        CLEANUP_BUF struct hv_buf put = {.max = 1 << 20};
        size_t start = at + any((uint32_t)(file.len - at) + 1);
        size_t end = start + any(file.len - start < 40 ? (uint32_t)(file.len - start) + 1 : 40);
        add_lines(&put, any(4), kinds);
        edit.splices[i] = (struct edit_splice){start, end, hv_arena_str(arena, hv_buf_str(&put))};
        edit.size_after += put.len;
        edit.size_after -= end - start;
        at = end;
    }
    edit.count = count;
    return edit;
}

static void an_edit_and_a_comparison_of_both_texts_tell_the_same(void **state)
{
    (void)state;
    /* Few kinds of lines repeat much; the longest files are many times what is first looked at behind an edit. */
    static const size_t longest[] = {1, 6, 60, 8000};
    for (int round = 0; round < 3000; round++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        CLEANUP_BUF struct hv_buf file = {.max = 64 << 20};
        uint32_t kinds = 1 + any(LINE_COUNT);
        add_lines(&file, any((uint32_t)longest[any(50) ? any(3) : 3] + 1), kinds);
        struct edit edit = random_edit(&arena, hv_buf_str(&file), kinds);
        check(hv_buf_str(&file), &edit);
    }
}

static void a_line_put_among_its_like_is_shown_behind_the_last(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf file = {.max = 64 << 20};
    enum { COUNT = 300000 };
    for (size_t i = 0; i < COUNT; i++)
        hv_buf_add_cstr(&file, "a\n");
    hv_buf_add_cstr(&file, "b\n");
    struct edit_splice splice = {10, 10, HV_STR("a\n")};
    struct edit edit = {.splices = &splice, .count = 1, .size_after = file.len + 2};
    struct diff diff;
    edit_diff(&arena, hv_buf_str(&file), &edit, &diff);
    assert_int_equal(diff.count, 1);
    assert_int_equal(diff.changes->old_start, COUNT);
    check(hv_buf_str(&file), &edit);
}

static void pieces_have_the_hash_of_the_whole_wherever_they_are_cut(void **state)
{
    (void)state;
    char text[700];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)any(256);
    for (int round = 0; round < 20000; round++) {
        struct hv_str items[6], whole = hv_str_of(text, any(sizeof text + 1));
        size_t at = 0;
        for (size_t i = 0; i < 6; i++) {
            size_t end = i == 5 ? whole.len : at + any((any(2) ? 40 : (uint32_t)(whole.len - at)) + 1);
            items[i] = hv_str_slice(whole, at, end);
            at = end < whole.len ? end : whole.len;
        }
        assert_true(pieces_hash((struct pieces){items, 6}) == hv_str_hash(whole));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edit_and_a_comparison_of_both_texts_tell_the_same),
        cmocka_unit_test(a_line_put_among_its_like_is_shown_behind_the_last),
        cmocka_unit_test(pieces_have_the_hash_of_the_whole_wherever_they_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
