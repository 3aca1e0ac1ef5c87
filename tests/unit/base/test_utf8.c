/* test_utf8.c: what is well-formed UTF-8, against the table of the Unicode standard written out another way. */
#include "base/cleanup.h"
#include "base/utf8.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

/* Length of the well-formed character at the start of the bytes, 0 for none: by decoding and encoding again. */
static size_t plain_length(const unsigned char *b, size_t len)
{
    size_t want = b[0] < 0x80 ? 1 : b[0] >= 0xc0 && b[0] < 0xe0 ? 2 : b[0] >= 0xe0 && b[0] < 0xf0 ? 3 : 4;
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if ((b[0] >= 0x80 && b[0] < 0xc0) || b[0] >= 0xf8 || want > len)
        return 0;
    uint32_t value = want == 1 ? b[0] : b[0] & (0x7fu >> want);
    for (size_t i = 1; i < want; i++) {
        if ((b[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (b[i] & 0x3f);
    }
    return value < smallest[want] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000) ? 0 : want;
}

static void check_one(const unsigned char *bytes, size_t len)
{
    struct hv_str s = {(const char *)bytes, len};
    size_t expected = plain_length(bytes, len);
    uint32_t code_point;
    size_t length = utf8_decode(s, 0, &code_point);
    if (expected ? length != expected || code_point == UTF8_INVALID : code_point != UTF8_INVALID)
        fail_msg("%02x %02x %02x %02x", bytes[0], len > 1 ? bytes[1] : 0, len > 2 ? bytes[2] : 0,
                 len > 3 ? bytes[3] : 0);
    assert_true(length >= 1 && length <= (expected ? 4 : 3) && length <= len);
    assert_int_equal(utf8_valid(hv_str_of(s.ptr, length)), expected != 0);
    assert_true(expected || utf8_next_invalid(s, 0) == 0);
}

static void all_short_sequences_are_judged_by_the_table(void **state)
{
    (void)state;
    unsigned char b[4];
    for (unsigned first = 0; first < 256; first++) {
        b[0] = (unsigned char)first;
        check_one(b, 1);
        for (unsigned second = 0; second < 256; second++) {
            b[1] = (unsigned char)second;
            check_one(b, 2);
            for (unsigned third = 0x70; first >= 0xe0 && third < 0xd0; third++) {
                b[2] = (unsigned char)third;
                check_one(b, 3);
                static const unsigned char last[] = {0, 0x7f, 0x80, 0xbf, 0xc0, 0xff};
                for (size_t i = 0; first >= 0xf0 && i < sizeof last; i++) {
                    b[3] = last[i];
                    check_one(b, 4);
                }
            }
        }
    }
}

static void every_code_point_comes_back(void **state)
{
    (void)state;
    for (uint32_t code_point = 0; code_point <= 0x10ffff; code_point++) {
        char bytes[4];
        uint32_t back;
        size_t length = utf8_encode(bytes, code_point);
        assert_int_equal(utf8_decode(hv_str_of(bytes, length), 0, &back), length);
        bool surrogate = code_point >= 0xd800 && code_point < 0xe000;
        assert_int_equal(back, surrogate ? 0xfffd : code_point);
        assert_int_equal(length, code_point < 0x80                   ? 1
                                 : code_point < 0x800                ? 2
                                 : code_point < 0x10000 || surrogate ? 3
                                                                     : 4);
    }
    char bytes[4];
    assert_int_equal(utf8_encode(bytes, 0x110000), 3);
    assert_int_equal(utf8_encode(bytes, UTF8_INVALID), 3);
    assert_memory_equal(bytes, UTF8_REPLACEMENT, 3);
}

#define F UTF8_REPLACEMENT

static const struct {
    const char *text, *repaired;
} repairs[] = {
    {"", ""},
    {"plain", "plain"},
    {"\x80", F},
    {"\xff\xfe", F F},
    {"\xc0\xaf", F F},
    {"\xe0\x80\xaf", F F F},
    {"\xe2\x82", F},
    {"\xe2\x82x", F "x"},
    {"\xe2\x82\xe2\x82\xac", F "\xe2\x82\xac"},
    {"\xf0\x9f\x98", F},
    {"\xf0\x9f\x98\xf0\x9f\x98\x80", F "\xf0\x9f\x98\x80"},
    {"\xf0\x80\x80\x80", F F F F},
    {"\xed\xa0\x80\xed\xb0\x80", F F F F F F},
    {"\xf4\x91\x92\x93\xff", F F F F F},
    {"\x61\xf1\x80\x80\xe1\x80\xc2\x62\x80\x63\x80\xbf\x64", "a" F F F "b" F "c" F F "d"},
};

static void ill_formed_stretches_become_one_replacement_each_as_in_browsers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof repairs / sizeof *repairs; i++) {
        CLEANUP_BUF struct hv_buf out = {.max = 100};
        utf8_repair(&out, hv_str_from(repairs[i].text));
        assert_true(hv_str_is(hv_buf_str(&out), repairs[i].repaired));
        assert_int_equal(utf8_valid(hv_str_from(repairs[i].text)), !strcmp(repairs[i].text, repairs[i].repaired));
    }
}

static void a_fault_is_found_at_every_place(void **state)
{
    (void)state;
    char text[100];
    for (size_t before = 0; before < 60; before++)
        for (size_t from = 0; from <= before; from++) {
            memset(text, 'x', sizeof text);
            text[before] = '\x80';
            assert_int_equal(utf8_next_invalid(hv_str_of(text, sizeof text), from), before);
            assert_int_equal(utf8_next_invalid(hv_str_of(text, sizeof text), before + 1), SIZE_MAX);
            memcpy(text + before, "\xe2\x82\xac", 3);
            assert_true(utf8_valid(hv_str_of(text, sizeof text)));
            assert_int_equal(utf8_next_invalid(hv_str_of(text, before + 2), 0), before);
        }
}

static void ascii_is_told_from_the_rest_wherever_that_stands(void **state)
{
    (void)state;
    char text[300];
    for (size_t len = 0; len <= sizeof text; len++) {
        memset(text, 'x', sizeof text);
        assert_true(utf8_is_ascii(hv_str_of(text, len)));
        for (size_t at = 0; at < sizeof text; at += at % 128 < 2 || len - at < 3 ? 1 : 7) {
            text[at] = '\x80';
            assert_int_equal(utf8_is_ascii(hv_str_of(text, len)), at >= len);
            assert_int_equal(utf8_ascii_length(hv_str_of(text, len)), at < len ? at : len);
            text[at] = 'x';
        }
    }
}

static void the_beginning_of_a_character_at_the_end_is_kept_back(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t tail;
    } rows[] = {
        {"", 0},
        {"a", 0},
        {"\xc3", 1},
        {"a\xe2\x82", 2},
        {"\xe2\x82\xac", 0},
        {"\xf0", 1},
        {"\xf0\x9f", 2},
        {"\xf0\x9f\x98", 3},
        {"\xf0\x9f\x98\x80", 0},
        {"\x80", 0},
        {"\xff", 0},
        {"\xe0\x80", 0},
        {"\xed\xa0", 0},
        {"\xf4\x90", 0},
        {"\xc0", 0},
        {"\xe2\x82\x82\x82", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(utf8_incomplete_tail(hv_str_from(rows[i].text)), rows[i].tail);
}

static void characters_are_counted(void **state)
{
    static const struct {
        const char *text;
        size_t count;
    } rows[] = {{"", 0}, {"abc", 3}, {"ID\xe2\x80\xa6", 3}, {"\xf0\x9f\x98\x80\xc3\xa9", 2}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(utf8_count(hv_str_from(rows[i].text)), rows[i].count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_are_counted),
        cmocka_unit_test(all_short_sequences_are_judged_by_the_table),
        cmocka_unit_test(every_code_point_comes_back),
        cmocka_unit_test(ill_formed_stretches_become_one_replacement_each_as_in_browsers),
        cmocka_unit_test(a_fault_is_found_at_every_place),
        cmocka_unit_test(ascii_is_told_from_the_rest_wherever_that_stands),
        cmocka_unit_test(the_beginning_of_a_character_at_the_end_is_kept_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
