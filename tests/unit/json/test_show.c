/* test_show.c: blocks for people: they are valid JSON, bounded, and keep what they promise to keep. */
#include "base/cleanup.h"
#include "base/utf8.h"

#include <helve/show.h>

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

static const struct hv_json *parse(struct hv_arena *arena, const struct hv_buf *buf)
{
    const struct hv_json *value = NULL;
    assert_false(buf->failed);
    assert_int_equal(hv_json_parse(arena, hv_buf_str(buf), HV_JSON_STRICT, &value, NULL), HV_OK);
    return value;
}

static void test_an_output_keeps_its_last_lines(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf buf = {.max = 1 << 20};
    struct hv_show show;
    int64_t above = 0;
    hv_show_begin(&show, &buf);
    hv_show_output(&show, HV_STR("one\ntwo\nthree\n\n"), 2);
    hv_show_output(&show, HV_STR(""), 2);
    hv_show_end(&show);
    const struct hv_json *blocks = parse(&arena, &buf);
    assert_true(hv_str_is(hv_json_get_string(hv_json_at(blocks, 0), "text"), "two\nthree"));
    assert_true(hv_json_int64(hv_json_get(hv_json_at(blocks, 0), "above"), &above));
    assert_int_equal(above, 1);
    assert_true(hv_json_bool(hv_json_get(hv_json_at(blocks, 0), "cut"), false));
    assert_false(hv_json_bool(hv_json_get(hv_json_at(blocks, 1), "cut"), false));
}

static void test_texts_are_cut_between_characters(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf buf = {.max = 1 << 20}, text = {.max = 1 << 20};
    struct hv_show show;
    hv_buf_add_cstr(&text, "x");
    while (text.len < 3 * HV_SHOW_TEXT_MAX)
        hv_buf_add_cstr(&text, "\xe2\x82\xac");
    hv_show_begin(&show, &buf);
    hv_show_text(&show, hv_buf_str(&text));
    hv_show_output(&show, hv_buf_str(&text), 5);
    hv_show_end(&show);
    const struct hv_json *blocks = parse(&arena, &buf);
    for (size_t i = 0; i < 2; i++) {
        struct hv_str cut = hv_json_get_string(hv_json_at(blocks, i), "text");
        assert_in_range(cut.len, HV_SHOW_TEXT_MAX - 4, HV_SHOW_TEXT_MAX);
        assert_int_equal(hv_str_find(cut, HV_STR(UTF8_REPLACEMENT), 0), SIZE_MAX);
    }
}

static void test_lists_and_tables_are_bounded(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf buf = {.max = 1 << 20};
    struct hv_show show;
    struct hv_show_item items[HV_SHOW_ITEMS_MAX + 1] = {{HV_STR("first"), HV_SHOW_DONE}};
    struct hv_str cells[2] = {HV_STR("a"), HV_STR("b")}, columns[2] = {HV_STR("A"), HV_STR("B")};
    hv_show_begin(&show, &buf);
    hv_show_list(&show, items, HV_SHOW_ITEMS_MAX + 1);
    hv_show_table(&show, columns, 2, cells, 1);
    hv_show_facts(&show, cells, 1);
    for (int i = 0; i < HV_SHOW_BLOCKS_MAX; i++)
        hv_show_text(&show, HV_STR("more"));
    hv_show_end(&show);
    const struct hv_json *blocks = parse(&arena, &buf), *list = hv_json_at(blocks, 0);
    assert_int_equal(blocks->count, HV_SHOW_BLOCKS_MAX);
    assert_int_equal(hv_json_get(list, "items")->count, HV_SHOW_ITEMS_MAX);
    assert_true(hv_str_is(hv_json_get_string(hv_json_at(hv_json_get(list, "items"), 0), "state"), "done"));
    assert_true(hv_json_bool(hv_json_get(list, "cut"), false));
    assert_true(
        hv_str_is(hv_json_string(hv_json_at(hv_json_at(hv_json_get(hv_json_at(blocks, 1), "rows"), 0), 1)), "b"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_output_keeps_its_last_lines),
        cmocka_unit_test(test_texts_are_cut_between_characters),
        cmocka_unit_test(test_lists_and_tables_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
