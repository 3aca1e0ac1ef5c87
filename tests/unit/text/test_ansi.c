/* test_ansi.c: what is left of terminal output, however the stream is cut. */
#include "base/cleanup.h"
#include "text/ansi.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

#define T(input, output)                                                                                               \
    {                                                                                                                  \
        {"" input, sizeof(input) - 1},                                                                                 \
        {                                                                                                              \
            "" output, sizeof(output) - 1                                                                              \
        }                                                                                                              \
    }

static const struct {
    struct hv_str input, output;
} cases[] = {
    /* plain text */
    T("", ""),
    T("plain", "plain"),
    T("a\nb\n", "a\nb\n"),
    T("\n\n\n", "\n\n\n"),
    T("tab\there", "tab\there"),
    T("gr\xc3\xbc\xc3\x9f \xe4\xbd\xa0\xe5\xa5\xbd \xf0\x9f\x98\x80\n",
      "gr\xc3\xbc\xc3\x9f \xe4\xbd\xa0\xe5\xa5\xbd \xf0\x9f\x98\x80\n"),
    /* control characters */
    T("a\ab\vc\fd\0e\x7f"
      "f\x01",
      "abcdef"),
    T("\x0e\x0fshift", "shift"),
    /* CSI */
    T("\x1b[31mred\x1b[0m\n", "red\n"),
    T("\x1b[1;38;5;208mx\x1b[m", "x"),
    T("\x1b[38:2::1:2:3mx", "x"),
    T("\x1b[?25lhidden cursor\x1b[?25h", "hidden cursor"),
    T("\x1b[>4;1mx", "x"),
    T("\x1b[2 qx", "x"),
    T("\x1b[!px", "x"),
    T("a\x1b[10;20Hb", "ab"),
    T("\x1b[2J\x1b[Hcleared", "cleared"),
    T("\xc2\x9b"
      "31mred",
      "red"),
    T("\x1b[31", ""),
    T("\x1b[3\n1mx", "\nx"),
    T("\x1b[3\x18"
      "1mx",
      "1mx"),
    T("\x1b[3\x1b[1mx", "x"),
    T("\x1b[3\xc3\xbc", "\xc3\xbc"),
    T("\x1b[99999999999999999999mx", "x"),
    /* other escapes */
    T("\x1b(Bx\x1b)0y", "xy"),
    T("\x1b"
      "7x\x1b"
      "8\x1b=\x1b>y\x1b"
      "c",
      "xy"),
    T("\x1b#8x", "x"),
    T("\x1bOAx\x1bOBy", "xy"),
    T("\x1bNqx", "x"),
    T("\xc2\x8fqx", "x"),
    T("\x1b\x1b[1mx", "x"),
    T("\x1b", ""),
    T("\xc2\x84\xc2\x85x", "x"),
    /* strings */
    T("\x1b]0;title\ax", "x"),
    T("\x1b]0;title\x1b\\x", "x"),
    T("\x1b]0;title\xc2\x9cx", "x"),
    T("\xc2\x9d"
      "0;title\ax",
      "x"),
    T("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\.", "link."),
    T("\x1b]0;gr\xc3\xbc\xc3\x9f\ax", "x"),
    T("\x1b]0;cut off\nnext", "\nnext"),
    T("\x1b]0;cut off", ""),
    T("\x1bPq#0;2;0\n0;0~-\x1b\\after", "after"),
    T("\xc2\x90q\xc2\x9c"
      "after",
      "after"),
    T("\x1b_apc\x1b\\\x1b^pm\x1b\\\x1bXsos\x1b\\x", "x"),
    T("\x1bktitle\x1b\\x", "x"),
    T("\x1b]0;a\x1b[31mx", "x"),
    T("\x1b]0;a\x18x", "x"),
    /* carriage return */
    T("a\r\nb\r\n", "a\nb\n"),
    T("a\r\r\nb", "a\nb"),
    T("10%\r20%\r100%\ndone", "100%\ndone"),
    T("long text\rx", "x"),
    T("kept\r", "kept"),
    T("kept\r\x1b[31m\n", "kept\n"),
    T("a\r\tb", "\tb"),
    T("\rx", "x"),
    T("a\r\bx", "x"),
    /* erasing */
    T("abc\r\x1b[Kx\n", "x\n"),
    T("abc\r\x1b[K\n", "\n"),
    T("abc\x1b[K\n", "abc\n"),
    T("abc\x1b[2Kx", "x"),
    T("abc\b\b\x1b[K!", "a!"),
    T("abc\x1b[1K!", "   !"),
    T("abc\r\x1b[1K\n", "abc\n"),
    T("abc\x1b[1G\x1b[0Kx", "x"),
    T("abc\x1b[Gx", "x"),
    T("abc\x1b[5Gx", "abcx"),
    T("abc\r\x1b[?Kx", "x"),
    T("abc\x1b[?K\n", "abc\n"),
    T("abc\b\x1b[?K\n", "abc\n"),
    /* struck over */
    T("_\bA_\bB\n", "AB\n"),
    T("A\bA\n", "A\n"),
    T("abc\b\bX\n", "aXc\n"),
    T("abc\b\b\b\b\bX\n", "Xbc\n"),
    T("a\xc3\xbc\bx", "ax"),
    T("abc\b\b\xf0\x9f\x98\x80", "a\xf0\x9f\x98\x80"
                                 "c"),
    T("-\b\\\b|\b/\b\n", "/\n"),
    T("\b\bx", "x"),
    T("a\n\bb", "a\nb"),
    /* invalid UTF-8 */
    T("a\x80"
      "b",
      "a\xef\xbf\xbd"
      "b"),
    T("\xff\xfe", "\xef\xbf\xbd\xef\xbf\xbd"),
    T("\xe2\x82", "\xef\xbf\xbd"),
    T("\xe2\x82x", "\xef\xbf\xbdx"),
    T("\xe2\x82\xe2\x82\xac", "\xef\xbf\xbd\xe2\x82\xac"),
    T("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"),
    T("\xf0\x9f\x98\n", "\xef\xbf\xbd\n"),
    T("\xc0\x9b"
      "31m",
      "\xef\xbf\xbd\xef\xbf\xbd"
      "31m"),
    T("\x9b"
      "31m",
      "\xef\xbf\xbd"
      "31m"),
};

static void check(struct hv_str input, const struct hv_buf *out, struct hv_str output, size_t cut)
{
    if (out->failed || !hv_str_eq(hv_buf_str(out), output))
        fail_msg("\"%.*s\" cut at %zu gave \"%.*s\", not \"%.*s\"", HV_STR_ARG(input), cut, HV_STR_ARG(hv_buf_str(out)),
                 HV_STR_ARG(output));
}

static void terminal_output_becomes_what_would_be_seen(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CLEANUP_BUF struct hv_buf out = {.max = 1000};
        ansi_clean(cases[i].input, &out);
        check(cases[i].input, &out, cases[i].output, 0);
    }
}

static void the_result_does_not_depend_on_how_the_stream_is_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hv_str input = cases[i].input;
        for (size_t cut = 0; cut <= input.len; cut++) {
            CLEANUP_BUF struct hv_buf out = {.max = 1000};
            struct ansi_cleaner cleaner = {0};
            ansi_feed(&cleaner, hv_str_slice(input, 0, cut), &out);
            ansi_feed(&cleaner, hv_str_slice(input, cut, input.len), &out);
            ansi_finish(&cleaner, &out);
            check(input, &out, cases[i].output, cut);
            hv_buf_clear(&out);
            for (size_t at = 0; at < input.len; at++) /* the same cleaner anew, byte by byte */
                ansi_feed(&cleaner, hv_str_slice(input, at, at + 1), &out);
            ansi_finish(&cleaner, &out);
            check(input, &out, cases[i].output, input.len);
            ansi_release(&cleaner);
        }
    }
}

static void what_is_clean_stays_as_it_is_and_what_was_cleaned_is_clean(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CLEANUP_BUF struct hv_buf out = {.max = 1000};
        ansi_clean(cases[i].input, &out);
        assert_true(ansi_is_clean(hv_buf_str(&out)));
        bool same = hv_str_eq(cases[i].input, cases[i].output);
        if (ansi_is_clean(cases[i].input) && !same)
            fail_msg("\"%.*s\" is not clean", HV_STR_ARG(cases[i].input));
        if (!ansi_is_clean(cases[i].input) && same)
            fail_msg("\"%.*s\" is clean", HV_STR_ARG(cases[i].input));
    }
    char text[600];
    memset(text, 'x', sizeof text);
    for (size_t at = 0; at < sizeof text; at++) { /* at every place of the blocks that are looked at together */
        text[at] = '\x1b';
        assert_false(ansi_is_clean(hv_str_of(text, sizeof text)));
        text[at] = '\x7f';
        assert_false(ansi_is_clean(hv_str_of(text, sizeof text)));
        text[at] = 'x';
    }
    assert_true(ansi_is_clean(hv_str_of(text, sizeof text)));
}

static void random_bytes_give_the_same_whole_and_in_pieces(void **state)
{
    (void)state;
    static const char alphabet[] = "ab\x1b\x1b[]KP0;2G\r\n\b\x07\\\xc2\x9b\x9d\xe2\x82\xac\xff\t_O";
    uint32_t seed = 1;
    for (size_t round = 0; round < 3000; round++) {
        char text[40];
        for (size_t i = 0; i < sizeof text; i++) {
            seed = seed * 1664525u + 1013904223u;
            text[i] = alphabet[(seed >> 16) % (sizeof alphabet - 1)];
        }
        CLEANUP_BUF struct hv_buf whole = {.max = 1000};
        CLEANUP_BUF struct hv_buf pieces = {.max = 1000};
        struct ansi_cleaner cleaner = {0};
        ansi_clean(hv_str_of(text, sizeof text), &whole);
        for (size_t at = 0; at < sizeof text; at += 1 + at % 3)
            ansi_feed(&cleaner, hv_str_slice(hv_str_of(text, sizeof text), at, at + 1 + at % 3), &pieces);
        ansi_finish(&cleaner, &pieces);
        ansi_release(&cleaner);
        assert_true(hv_str_eq(hv_buf_str(&whole), hv_buf_str(&pieces)));
        assert_true(ansi_is_clean(hv_buf_str(&whole)));
    }
}

static void a_full_buffer_holds_what_fitted(void **state)
{
    (void)state;
    for (size_t max = 0; max < 14; max++) {
        CLEANUP_BUF struct hv_buf out = {.max = max};
        ansi_clean(HV_STR("one\ntwo\x1b[m \xe2\x82\xac\n"), &out);
        assert_int_equal(out.failed, max < 12);
        size_t fits = max < 8 ? max : max < 11 ? 8 : max < 12 ? max : 12;
        assert_true(hv_str_eq(hv_buf_str(&out), hv_str_of("one\ntwo \xe2\x82\xac\n", fits)));
    }
}

static void a_line_without_end_takes_bounded_memory(void **state)
{
    (void)state;
    char piece[4096];
    memset(piece, 'x', sizeof piece);
    CLEANUP_BUF struct hv_buf out = {.max = 64 << 20};
    struct ansi_cleaner cleaner = {0};
    enum { PIECES = 2000 };
    for (size_t i = 0; i < PIECES; i++) {
        ansi_feed(&cleaner, hv_str_of(piece, sizeof piece), &out);
        ansi_feed(&cleaner, HV_STR("\x1b[1m"), &out);
        assert_true(cleaner.line.capacity < 1 << 20);
    }
    ansi_finish(&cleaner, &out);
    ansi_release(&cleaner);
    assert_int_equal(out.len, PIECES * sizeof piece);
}

static void a_long_line_is_not_cut_within_a_character(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf line = {.max = 4 << 20};
    while (line.len < 1 << 20)
        hv_buf_add_cstr(&line, "x\xe4\xbd\xa0\xc3\xbc\xf0\x9f\x98\x80");
    static const size_t steps[] = {1, 7, 4093, 100003, 1 << 21};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        CLEANUP_BUF struct hv_buf out = {.max = 4 << 20};
        struct ansi_cleaner cleaner = {0};
        ansi_feed(&cleaner, HV_STR("\x1b[m\a"), &out);
        for (size_t at = 0; at < line.len; at += steps[i])
            ansi_feed(&cleaner, hv_str_slice(hv_buf_str(&line), at, at + steps[i]), &out);
        ansi_finish(&cleaner, &out);
        ansi_release(&cleaner);
        assert_true(hv_str_eq(hv_buf_str(&line), hv_buf_str(&out)));
    }
}

static void a_string_without_end_does_not_swallow_the_rest(void **state)
{
    (void)state;
    static char text[3 << 20];
    memset(text, 'x', sizeof text);
    memcpy(text, "\x1bP", 2);
    CLEANUP_BUF struct hv_buf out = {.max = sizeof text};
    ansi_clean(hv_str_of(text, sizeof text), &out);
    assert_true(out.len > 1 << 20);
}

static void going_back_over_a_long_line_takes_bounded_time(void **state)
{
    (void)state;
    enum { CHARACTERS = 100000 };
    static char text[CHARACTERS * 4];
    memset(text, 'x', CHARACTERS);
    memset(text + CHARACTERS, '\b', CHARACTERS);
    for (size_t i = CHARACTERS; i < 2 * CHARACTERS; i++)
        memcpy(text + 2 * i, "\xc3\xbc", 2);
    CLEANUP_BUF struct hv_buf out = {.max = 8 << 20};
    ansi_clean(hv_str_of(text, sizeof text), &out);
    assert_true(out.len > CHARACTERS && ansi_is_clean(hv_buf_str(&out)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terminal_output_becomes_what_would_be_seen),
        cmocka_unit_test(the_result_does_not_depend_on_how_the_stream_is_cut),
        cmocka_unit_test(what_is_clean_stays_as_it_is_and_what_was_cleaned_is_clean),
        cmocka_unit_test(random_bytes_give_the_same_whole_and_in_pieces),
        cmocka_unit_test(a_full_buffer_holds_what_fitted),
        cmocka_unit_test(a_line_without_end_takes_bounded_memory),
        cmocka_unit_test(a_long_line_is_not_cut_within_a_character),
        cmocka_unit_test(a_string_without_end_does_not_swallow_the_rest),
        cmocka_unit_test(going_back_over_a_long_line_takes_bounded_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
