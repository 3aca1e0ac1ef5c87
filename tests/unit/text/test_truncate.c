/* test_truncate.c: previews of texts that are too long: whole characters, whole lines where they are near. */
#include "base/cleanup.h"
#include "base/utf8.h"
#include "text/lines.h"
#include "text/truncate.h"

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

static void random_text(struct hv_buf *out, size_t pieces)
{
    static const char *const alphabet[] = {"a", "bc", "\n", "\xc3\xbc", "\xe4\xbd\xa0", "\xf0\x9f\x98\x80", " "};
    for (size_t i = 0; i < pieces; i++)
        hv_buf_add_cstr(out, alphabet[any(7)]);
}

static void no_character_is_cut_and_no_byte_lost(void **state)
{
    (void)state;
    for (size_t round = 0; round < 20000; round++) {
        CLEANUP_BUF struct hv_buf buf = {.max = 1000};
        random_text(&buf, any(60));
        struct hv_str text = hv_buf_str(&buf);
        size_t max = any(100);
        struct hv_str head = truncate_head(text, max), tail = truncate_tail(text, max);
        assert_true(utf8_valid(head) && utf8_valid(tail));
        assert_true(head.len <= max && tail.len <= max);
        assert_true(hv_str_starts(text, head) && hv_str_ends(text, tail));
        assert_true(text.len <= max ? head.len == text.len : head.len + 3 >= max);
        assert_true(text.len <= max ? tail.len == text.len : tail.len + 3 >= max);

        struct truncate_parts parts = truncate_split(text, max);
        assert_true(utf8_valid(parts.head) && utf8_valid(parts.tail));
        assert_true(parts.head.len + parts.tail.len <= max || text.len <= max);
        assert_int_equal(parts.head.len + parts.omitted_bytes + parts.tail.len, text.len);
        assert_int_equal(parts.omitted_bytes == 0, text.len <= max);
        if (parts.omitted_bytes) {
            struct hv_str middle = hv_str_slice(text, parts.head.len, text.len - parts.tail.len);
            assert_int_equal(parts.omitted_lines, lines_count(middle));
        }
    }
}

static void parts_end_and_begin_with_whole_lines_where_these_are_near(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf text = {.max = 10000};
    for (int i = 1; i <= 100; i++)
        hv_buf_addf(&text, "line %d\n", i);
    struct truncate_parts parts = truncate_split(hv_buf_str(&text), 200);
    assert_true(hv_str_ends(parts.head, HV_STR("\n")));
    assert_true(hv_str_starts(parts.tail, HV_STR("line ")));
    assert_true(parts.head.len > parts.tail.len && parts.head.len > 120);
    CLEANUP_BUF struct hv_buf out = {.max = 10000};
    truncate_preview(hv_buf_str(&text), 200, &out);
    assert_true(hv_str_find(hv_buf_str(&out), HV_STR("\n[\xe2\x80\xa6 "), 0) != SIZE_MAX);
    assert_true(hv_str_find(hv_buf_str(&out), HV_STR(" bytes) left out \xe2\x80\xa6]\nline "), 0) != SIZE_MAX);
}

static void a_text_without_lines_is_cut_anywhere(void **state)
{
    (void)state;
    char bytes[5000];
    memset(bytes, 'x', sizeof bytes);
    struct truncate_parts parts = truncate_split(hv_str_of(bytes, sizeof bytes), 1000);
    assert_int_equal(parts.head.len, 700);
    assert_int_equal(parts.tail.len, 300);
    CLEANUP_BUF struct hv_buf out = {.max = 10000};
    truncate_preview(hv_str_of(bytes, sizeof bytes), 1000, &out);
    assert_true(hv_str_find(hv_buf_str(&out), HV_STR("x\n[\xe2\x80\xa6 1 line (4,000 bytes) left out \xe2\x80\xa6]\nx"),
                            0) != SIZE_MAX);
}

static void what_fits_is_shown_whole(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf out = {.max = 100};
    truncate_preview(HV_STR("short\n"), 6, &out);
    assert_string_equal(out.data, "short\n");
    struct truncate_parts parts = truncate_split(HV_STR("longer"), 0);
    assert_int_equal(parts.omitted_bytes, 6);
}

static void characters_are_counted_not_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t max;
        const char *expected;
    } rows[] = {
        {"abc", 2, "ab"},
        {"abc", 3, "abc"},
        {"\xc3\xbc\xc3\xa4x", 2, "\xc3\xbc\xc3\xa4"},
        {"\xf0\x9f\x98\x80z", 1, "\xf0\x9f\x98\x80"},
        {"\xff\xff\xff\xff", 2, "\xff\xff"},
        {"", 5, ""},
        {"abc", 0, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(hv_str_is(truncate_characters(hv_str_from(rows[i].text), rows[i].max), rows[i].expected));
}

static void invalid_bytes_do_not_make_a_cut_go_far(void **state)
{
    (void)state;
    char bytes[100];
    memset(bytes, '\x80', sizeof bytes);
    assert_true(truncate_head(hv_str_of(bytes, 100), 50).len >= 47);
    assert_true(truncate_tail(hv_str_of(bytes, 100), 50).len >= 47);
}

static void of_a_long_line_the_place_is_shown(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t place;
        const char *expected; /* of 6 bytes, 2 in front */
    } rows[] = {
        {"abcdef", 3, "abcdef"},
        {"abcdefgh", 0, "abcdef [… 2 bytes]"},
        {"abcdefghij", 4, "[… 2 bytes] cdefgh [… 2 bytes]"},
        {"abcdefghij", 9, "[… 4 bytes] efghij"},
        {"a\xc3\xbc"
         "defghij",
         4, "[… 3 bytes] defgh [… 2 bytes]"}, /* the cut moves behind the character */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CLEANUP_BUF struct hv_buf out = {.max = 200};
        truncate_around(hv_str_from(rows[i].text), rows[i].place, 6, 2, &out);
        if (!hv_str_is(hv_buf_str(&out), rows[i].expected))
            fail_msg("row %zu: %s", i, out.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_character_is_cut_and_no_byte_lost),
        cmocka_unit_test(parts_end_and_begin_with_whole_lines_where_these_are_near),
        cmocka_unit_test(a_text_without_lines_is_cut_anywhere),
        cmocka_unit_test(what_fits_is_shown_whole),
        cmocka_unit_test(characters_are_counted_not_bytes),
        cmocka_unit_test(of_a_long_line_the_place_is_shown),
        cmocka_unit_test(invalid_bytes_do_not_make_a_cut_go_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
