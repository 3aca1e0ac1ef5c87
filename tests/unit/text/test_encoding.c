/* test_encoding.c: which encoding bytes are in, and the way to UTF-8 and back. */
#include "base/cleanup.h"
#include "base/utf8.h"
#include "text/encoding.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

#define S(literal)                                                                                                     \
    {                                                                                                                  \
        "" literal, sizeof(literal) - 1                                                                                \
    }
#define FFFD "\xef\xbf\xbd"

static const struct {
    struct hv_str bytes;
    enum encoding_kind kind;
    size_t mark;
    struct hv_str text; /* as UTF-8 */
} cases[] = {
    {S(""), ENCODING_UTF8, 0, S("")},
    {S("plain"), ENCODING_UTF8, 0, S("plain")},
    {S("gr\xc3\xbc\xc3\x9f"), ENCODING_UTF8, 0, S("gr\xc3\xbc\xc3\x9f")},
    {S("\xef\xbb\xbf"
       "a"),
     ENCODING_UTF8, 3, S("a")},
    {S("\xef\xbb\xbf"), ENCODING_UTF8, 3, S("")},
    {S("\xef\xbb\xbf"
       "a\xff"),
     ENCODING_UTF8, 3, S("a" FFFD)},
    {S("caf\xe9"), ENCODING_8BIT, 0, S("caf\xc3\xa9")},
    {S("\x80\x93\x9f\xa0\xff"), ENCODING_8BIT, 0, S("\xe2\x82\xac\xe2\x80\x9c\xc5\xb8\xc2\xa0\xc3\xbf")},
    {S("o\x81p\x8dn\x8fs\x90o\x9ds"), ENCODING_8BIT, 0, S("o" FFFD "p" FFFD "n" FFFD "s" FFFD "o" FFFD "s")},
    {S("a\xc3"), ENCODING_8BIT, 0, S("a\xc3\x83")},
    {S("\xff\xfe"
       "a\0\xfc\0"),
     ENCODING_UTF16LE, 2, S("a\xc3\xbc")},
    {S("\xfe\xff\0a\0\xfc"), ENCODING_UTF16BE, 2, S("a\xc3\xbc")},
    {S("\xff\xfe\x3d\xd8\x00\xde"), ENCODING_UTF16LE, 2, S("\xf0\x9f\x98\x80")},
    {S("\xfe\xff\xd8\x3d\xde\x00"), ENCODING_UTF16BE, 2, S("\xf0\x9f\x98\x80")},
    {S("\xff\xfe\x3d\xd8"
       "a\0"),
     ENCODING_UTF16LE, 2, S(FFFD "a")},
    {S("\xff\xfe\x00\xde"
       "a\0"),
     ENCODING_UTF16LE, 2, S(FFFD "a")},
    {S("\xff\xfe\x3d\xd8"), ENCODING_UTF16LE, 2, S(FFFD)},
    {S("\xff\xfe"
       "a\0b"),
     ENCODING_UTF16LE, 2, S("a" FFFD)},
    {S("a\0b\0c\0\n\0"), ENCODING_UTF16LE, 0, S("abc\n")},
    {S("\0a\0b\0c\0\n"), ENCODING_UTF16BE, 0, S("abc\n")},
    {S("\xff\xfe\0\0a\0\0\0"), ENCODING_UTF32LE, 4, S("a")},
    {S("\0\0\xfe\xff\0\0\0a"), ENCODING_UTF32BE, 4, S("a")},
    {S("\xff\xfe\0\0\x00\xf6\x01\x00"), ENCODING_UTF32LE, 4, S("\xf0\x9f\x98\x80")},
    {S("\xff\xfe\0\0\x00\xd8\x00\x00\xff\xff\xff\xffz"), ENCODING_UTF32LE, 4, S(FFFD FFFD FFFD)},
    {S("\x7f"
       "ELF\x02\x01\x01\0\0\0\0"),
     ENCODING_BINARY, 0, S("")},
    {S("text\0more text here"), ENCODING_BINARY, 0, S("")},
    {S("\0"), ENCODING_BINARY, 0, S("")},
};

static void an_encoding_is_known_by_its_mark_its_nuls_or_its_validity(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct encoding encoding = encoding_detect(cases[i].bytes);
        if (encoding.kind != cases[i].kind || encoding.mark != cases[i].mark)
            fail_msg("case %zu is %s with a mark of %zu", i, encoding_name(encoding.kind), encoding.mark);
        CLEANUP_BUF struct hv_buf out = {.max = 1000};
        struct hv_error err;
        enum hv_code code = encoding_to_utf8(cases[i].bytes, encoding, &out, &err);
        assert_int_equal(code, encoding.kind == ENCODING_BINARY ? HV_EUNSUPPORTED : HV_OK);
        if (!hv_str_eq(hv_buf_str(&out), cases[i].text))
            fail_msg("case %zu gave \"%.*s\"", i, HV_STR_ARG(hv_buf_str(&out)));
        assert_true(utf8_valid(hv_buf_str(&out)));
    }
}

static void a_character_cut_at_the_end_of_a_beginning_is_forgiven(void **state)
{
    (void)state;
    assert_int_equal(encoding_detect_beginning(hv_str_of("\xe4\xbd\xa0\xe4\xbd", 5)).kind, ENCODING_UTF8);
    assert_int_equal(encoding_detect(hv_str_of("\xe4\xbd\xa0\xe4\xbd", 5)).kind, ENCODING_8BIT);
    assert_int_equal(encoding_detect_beginning(HV_STR("caf\xe9 ")).kind, ENCODING_8BIT);
}

static void text_comes_back_as_it_was_in_every_encoding(void **state)
{
    (void)state;
    static const enum encoding_kind wide[] = {ENCODING_UTF8, ENCODING_UTF16LE, ENCODING_UTF16BE, ENCODING_UTF32LE,
                                              ENCODING_UTF32BE};
    for (uint32_t code_point = 0; code_point <= 0x10ffff; code_point += code_point < 0x3000 ? 1 : 251) {
        if (code_point >= 0xd800 && code_point < 0xe000)
            continue;
        char bytes[4];
        struct hv_str text = hv_str_of(bytes, utf8_encode(bytes, code_point));
        for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
            CLEANUP_BUF struct hv_buf there = {.max = 100};
            CLEANUP_BUF struct hv_buf back = {.max = 100};
            assert_int_equal(encoding_from_utf8(text, wide[i], &there, NULL), HV_OK);
            assert_int_equal(encoding_to_utf8(hv_buf_str(&there), (struct encoding){wide[i], 0}, &back, NULL), HV_OK);
            assert_true(hv_str_eq(hv_buf_str(&back), text));
        }
    }
}

static void every_8_bit_byte_that_is_a_character_comes_back(void **state)
{
    (void)state;
    for (int byte = 0; byte < 256; byte++) {
        char c = (char)byte;
        CLEANUP_BUF struct hv_buf there = {.max = 100};
        CLEANUP_BUF struct hv_buf back = {.max = 100};
        assert_int_equal(encoding_to_utf8(hv_str_of(&c, 1), (struct encoding){ENCODING_8BIT, 0}, &there, NULL), HV_OK);
        bool open = hv_str_is(hv_buf_str(&there), FFFD);
        assert_int_equal(encoding_from_utf8(hv_buf_str(&there), ENCODING_8BIT, &back, NULL), open ? HV_EINVAL : HV_OK);
        assert_true(open || hv_str_eq(hv_buf_str(&back), hv_str_of(&c, 1)));
    }
}

static void what_cannot_be_encoded_leaves_the_buffer_as_it_was(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf out = {.max = 8};
    struct hv_error err;
    hv_buf_add_cstr(&out, "kept");
    assert_int_equal(encoding_from_utf8(HV_STR("ab\xe4\xbd\xa0"), ENCODING_8BIT, &out, &err), HV_EINVAL);
    assert_non_null(strstr(err.message, "U+4F60"));
    assert_true(hv_str_is(hv_buf_str(&out), "kept"));
    assert_int_equal(encoding_from_utf8(HV_STR("a\xff"), ENCODING_UTF16LE, &out, &err), HV_EINVAL);
    assert_non_null(strstr(err.message, "byte 2"));
    assert_true(hv_str_is(hv_buf_str(&out), "kept"));
    assert_int_equal(encoding_from_utf8(HV_STR("abc"), ENCODING_UTF16LE, &out, &err), HV_ETOOBIG);
    assert_true(hv_str_is(hv_buf_str(&out), "kept"));
    hv_buf_clear(&out);
    assert_int_equal(encoding_to_utf8(HV_STR("123456789"), (struct encoding){0}, &out, &err), HV_ETOOBIG);
    hv_buf_clear(&out);
    assert_int_equal(encoding_from_utf8(HV_STR("a"), ENCODING_BINARY, &out, &err), HV_EUNSUPPORTED);
}

static void every_encoding_has_a_name(void **state)
{
    (void)state;
    for (int kind = 0; kind <= ENCODING_BINARY; kind++)
        assert_true(encoding_name((enum encoding_kind)kind)[0]);
    assert_string_equal(encoding_name((enum encoding_kind)99), "unknown");
}

static void noise_and_records_are_binary_and_coloured_texts_are_not(void **state)
{
    (void)state;
    static const char noise[] = "\x8f\x01\xd2\x13\x40\x99\xfe\x05\x61\x17\xc8\x6e\x9a\x02\xb1\x1f\x33\xe7\x80\x44";
    assert_int_equal(encoding_detect(hv_str_of(noise, sizeof noise - 1)).kind, ENCODING_BINARY);
    static const char records[] = "abc\0def\nabc\0def\nabc\0def\nabc\0def\n";
    assert_int_equal(encoding_detect(hv_str_of(records, sizeof records - 1)).kind, ENCODING_BINARY);
    static const char single[] = "a\0b\0c\0dd\0e\0f\0gg\0h\0i\0jj\0k\0";
    assert_int_equal(encoding_detect(hv_str_of(single, sizeof single - 1)).kind, ENCODING_BINARY);
    static const char log[] = "\x1b[31mfehler\x1b[0m: gr\xfc\xdf\x65\n\x02wei\xdf\x02 nicht so viel Text\n";
    assert_int_equal(encoding_detect(hv_str_of(log, sizeof log - 1)).kind, ENCODING_8BIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_encoding_is_known_by_its_mark_its_nuls_or_its_validity),
        cmocka_unit_test(a_character_cut_at_the_end_of_a_beginning_is_forgiven),
        cmocka_unit_test(text_comes_back_as_it_was_in_every_encoding),
        cmocka_unit_test(every_8_bit_byte_that_is_a_character_comes_back),
        cmocka_unit_test(what_cannot_be_encoded_leaves_the_buffer_as_it_was),
        cmocka_unit_test(every_encoding_has_a_name),
        cmocka_unit_test(noise_and_records_are_binary_and_coloured_texts_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
