/* test_lines.c: where lines begin and end, and lines with their numbers. */
#include "base/cleanup.h"
#include "text/lines.h"
#include "text/number.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

static const struct {
    const char *text;
    size_t newlines, count;
    enum line_end end;
} texts[] = {
    {"", 0, 0, LINE_END_NONE},       {"a", 0, 1, LINE_END_NONE},
    {"\n", 1, 1, LINE_END_LF},       {"a\n", 1, 1, LINE_END_LF},
    {"a\nb", 1, 2, LINE_END_LF},     {"a\r\nb\r\n", 2, 2, LINE_END_CRLF},
    {"a\r\nb\n", 2, 2, LINE_END_LF}, {"a\r\nb\r\nc\n", 3, 3, LINE_END_CRLF},
    {"a\rb\r", 0, 1, LINE_END_NONE}, {"\r\n\n\r", 2, 3, LINE_END_LF},
    {"a\n\r", 1, 2, LINE_END_LF},
};

static void lines_are_counted_and_their_ends_known(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct hv_str text = hv_str_from(texts[i].text);
        assert_int_equal(lines_newlines(text), texts[i].newlines);
        assert_int_equal(lines_count(text), texts[i].count);
        assert_int_equal(lines_dominant_end(text), texts[i].end);
    }
    assert_string_equal(line_end_bytes(LINE_END_CRLF).ptr, "\r\n");
    assert_string_equal(line_end_bytes(LINE_END_LF).ptr, "\n");
    assert_int_equal(line_end_bytes(LINE_END_NONE).len, 0);
    assert_int_equal(lines_count(hv_str_of(NULL, 0)), 0);
}

static uint32_t seed = 9;

static uint32_t any(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 12) % below;
}

/* All look-ups agree with one walk, on texts longer than the blocks that are counted together. */
static void look_ups_agree_with_a_walk(void **state)
{
    (void)state;
    for (size_t round = 0; round < 60; round++) {
        size_t len = any(200) + (round % 20 == 0 ? 5000 : 0);
        char *bytes = hv_malloc(len + 1);
        for (size_t i = 0; i < len; i++)
            bytes[i] = "ab\r\n"[any(4)];
        struct hv_str text = hv_str_of(bytes, len), rest = text, line;
        size_t number = 0, at = 0;
        while (lines_next(&rest, &line)) {
            number++;
            assert_ptr_equal(line.ptr, bytes + at);
            assert_int_equal(lines_offset(text, number), at);
            for (size_t offset = at; offset < at + line.len; offset++) {
                assert_int_equal(lines_number_at(text, offset), number);
                assert_int_equal(lines_begin(text, offset), at);
                assert_int_equal(lines_finish(text, offset), at + line.len - hv_str_ends(line, HV_STR("\n")));
            }
            at += line.len;
        }
        assert_int_equal(at, len);
        assert_int_equal(lines_count(text), number);
        assert_int_equal(lines_offset(text, number + 1), SIZE_MAX);
        assert_int_equal(lines_offset(text, 0), SIZE_MAX);
        assert_int_equal(lines_number_at(text, SIZE_MAX), number ? number : 1);
        free(bytes);
    }
}

static void a_line_loses_its_end_and_nothing_else(void **state)
{
    (void)state;
    static const char *const rows[][2] = {{"a\n", "a"}, {"a\r\n", "a"}, {"a", "a"},         {"a\r", "a\r"}, {"\n", ""},
                                          {"\r\n", ""}, {"", ""},       {"a\r\r\n", "a\r"}, {"a \n", "a "}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(hv_str_is(lines_chop(hv_str_from(rows[i][0])), rows[i][1]));
}

/* ---- numbers ---- */

static void lines_are_numbered_as_cat_does(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf out = {.max = 1000};
    line_number_text(HV_STR("a\r\n\n\tb"), 9, &out);
    assert_string_equal(out.data, "     9\ta\n    10\t\n    11\t\tb\n");
    hv_buf_clear(&out);
    line_number_format(1234567, HV_STR("x"), &out);
    assert_string_equal(out.data, "1234567\tx\n");
    hv_buf_clear(&out);
    line_number_text(HV_STR(""), 1, &out);
    assert_int_equal(out.len, 0);
}

static void a_long_line_is_cut_at_a_character(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf line = {.max = 100000};
    CLEANUP_BUF struct hv_buf out = {.max = 100000};
    for (int i = 0; i < LINE_CHARACTERS_MAX; i++)
        hv_buf_add_cstr(&line, "\xe4\xbd\xa0");
    line_number_format(1, hv_buf_str(&line), &out);
    assert_int_equal(out.len, 7 + line.len + 1);
    hv_buf_add_cstr(&line, "\xe4\xbd\xa0z\n");
    hv_buf_clear(&out);
    line_number_format(1, hv_buf_str(&line), &out);
    assert_true(hv_str_ends(hv_buf_str(&out), HV_STR("\xe4\xbd\xa0\xe2\x80\xa6 [line cut: 2 more characters]\n")));
}

static void a_number_in_front_is_recognised_as_read_writes_it(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        size_t length, number;
    } rows[] = {
        {"     1\ta", 7, 1},
        {"1\ta", 2, 1},
        {"     12\xe2\x86\x92"
         "a",
         10, 12},
        {"    10\t", 7, 10},
        {"a", 0, 0},
        {"1", 0, 0},
        {"1 a", 0, 0},
        {"\t1\ta", 0, 0},
        {"x 1\ta", 0, 0},
        {"", 0, 0},
        {"     \ta", 0, 0},
        {"1234567890123456\t", 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t number = 0;
        if (line_number_prefix(hv_str_from(rows[i].line), &number) != rows[i].length || number != rows[i].number)
            fail_msg("\"%s\": number %zu", rows[i].line, number);
        assert_int_equal(line_number_prefix(hv_str_from(rows[i].line), NULL), rows[i].length);
    }
    for (size_t number = 1; number < 100000000; number *= 7) {
        CLEANUP_BUF struct hv_buf out = {.max = 100};
        size_t read = 0;
        line_number_format(number, HV_STR("text"), &out);
        size_t prefix = line_number_prefix(hv_buf_str(&out), &read);
        assert_true(read == number && hv_str_is(hv_str_slice(hv_buf_str(&out), prefix, out.len), "text\n"));
    }
}

static void newlines_of_a_block_are_bits_of_a_mask(void **state)
{
    (void)state;
    char *text = hv_malloc(3 * LINES_BLOCK); /* of its own, so that reading beyond it is seen */
    for (unsigned round = 1; round < 200; round++) {
        uint64_t expected = 0;
        size_t offset = round % (2 * LINES_BLOCK + 1);
        uint32_t random = round;
        for (size_t i = 0; i < (size_t)3 * LINES_BLOCK; i++) {
            random = random * 1664525u + 1013904223u;
            text[i] = (random >> 16) % (round % 9 + 1) ? (char)(random >> 24) : '\n';
            if (i >= offset && i - offset < LINES_BLOCK)
                expected |= (uint64_t)(text[i] == '\n') << (i - offset);
        }
        assert_true(lines_newline_mask(hv_str_of(text, (size_t)3 * LINES_BLOCK), offset) == expected);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_counted_and_their_ends_known),
        cmocka_unit_test(look_ups_agree_with_a_walk),
        cmocka_unit_test(a_line_loses_its_end_and_nothing_else),
        cmocka_unit_test(lines_are_numbered_as_cat_does),
        cmocka_unit_test(a_long_line_is_cut_at_a_character),
        cmocka_unit_test(a_number_in_front_is_recognised_as_read_writes_it),
        cmocka_unit_test(newlines_of_a_block_are_bits_of_a_mask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
