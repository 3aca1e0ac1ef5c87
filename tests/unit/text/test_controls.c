/* test_controls.c: control characters made visible: nothing that follows or precedes one is lost. */
#include "text/controls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define BYTES(text)                                                                                                    \
    {                                                                                                                  \
        text, sizeof(text) - 1                                                                                         \
    }

static void controls_are_shown_and_nothing_is_lost(void **state)
{
    static const struct {
        struct hv_str bytes;
        const char *shown;
    } rows[] = {
        {BYTES(""), ""},
        {BYTES("plain\ttext\n"), "plain\ttext\n"},
        {BYTES("two\r\nlines\r\n"), "two\nlines\n"},
        {BYTES("hidden\rshown\n"), "hidden␍shown\n"},
        {BYTES("ends in\r"), "ends in␍"},
        {BYTES("a\r\r\nb"), "a␍\nb"},
        {BYTES("a\bb\x7f"), "a␈b␡"},
        {BYTES("nul\0here"), "nul␀here"},
        {BYTES("\x1b[31mred\x1b[0m"), "red"},
        {BYTES("gone?\x1b[2Kno"), "gone?no"},
        {BYTES("\x1b[31"), "␛[31"},
        {BYTES("\x1b["), "␛["},
        {BYTES("\x1b"), "␛"},
        {BYTES("\x1b[1\x01m"), "␛[1␁m"},
        {BYTES("\x1bPnever ended\nnext"), "␛Pnever ended\nnext"},
        {BYTES("\x1b]0;title\acontents"), "␛]0;title␇contents"},
        {BYTES("\xc2\x90text\xc2\x9b"
               "1m"),
         "\\u{90}text\\u{9b}1m"},
        {BYTES("gr\xc3\xbc\xc3\x9f\xe2\x82\xac"), "grüß€"},
        {BYTES("bad \xff\xc3 \xe2\x82"), "bad \xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hv_buf out;
        hv_buf_init(&out, 1000);
        controls_show(rows[i].bytes, &out);
        if (!hv_str_is(hv_buf_str(&out), rows[i].shown))
            fail_msg("row %zu: \"%.*s\"", i, HV_STR_ARG(hv_buf_str(&out)));
        hv_buf_release(&out);
    }
}

static void a_long_sequence_is_none(void **state)
{
    char bytes[200];
    struct hv_buf out;
    (void)state;
    memset(bytes, '1', sizeof bytes);
    memcpy(bytes, "\x1b[", 2);
    bytes[sizeof bytes - 1] = 'm';
    hv_buf_init(&out, 1000);
    controls_show(hv_str_of(bytes, sizeof bytes), &out);
    assert_int_equal(out.len, sizeof bytes + 2);
    hv_buf_release(&out);
}

static void a_full_buffer_ends_it(void **state)
{
    struct hv_buf out;
    (void)state;
    hv_buf_init(&out, 4);
    controls_show(HV_STR("\r\r\r\r"), &out);
    assert_true(out.failed);
    hv_buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(controls_are_shown_and_nothing_is_lost),
        cmocka_unit_test(a_long_sequence_is_none),
        cmocka_unit_test(a_full_buffer_ends_it),
    };
    return cmocka_run_group_tests_name("text_controls", tests, NULL, NULL);
}
