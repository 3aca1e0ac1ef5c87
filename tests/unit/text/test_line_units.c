/* test_line_units.c: lines of UTF-16 and UTF-32 are found where a slow look at each unit finds them. */
#include "text/line_units.h"

#include "base/cleanup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static const enum encoding_kind kinds[] = {ENCODING_UTF8,    ENCODING_SHIFT_JIS, ENCODING_UTF16LE,
                                           ENCODING_UTF16BE, ENCODING_UTF32LE,   ENCODING_UTF32BE};

/* Units of which many are newlines, and many hold the byte of one at another place. */
static void fill(struct hv_buf *bytes, enum encoding_kind kind, size_t units)
{
    struct line_unit unit = line_unit_of(kind);
    static const unsigned values[] = {'\n', 'a', 0x0a00, 0x0a0a, 0x10a, 'b', 'c', 0x0d};
    hv_buf_clear(bytes);
    for (size_t i = 0; i < units; i++) {
        unsigned value = values[(i * i + i / 7) % 8];
        for (unsigned at = 0; at < unit.size; at++)
            hv_buf_add_byte(bytes, (char)(value >> 8 * (unit.big ? unit.size - 1 - at : at)));
    }
}

static bool is_newline(struct hv_str bytes, size_t at, struct line_unit unit)
{
    for (unsigned i = 0; i < unit.size; i++)
        if (bytes.ptr[at + i] != (i == (unit.big ? unit.size - 1 : 0) ? '\n' : '\0'))
            return false;
    return true;
}

static void lines_of_all_units_are_found(void **state)
{
    (void)state;
    static const size_t lengths[] = {0, 1, 2, 7, 8, 9, 100, 1023, 1024, 1025, 5000, 20001};
    CLEANUP_BUF struct hv_buf bytes = {0};
    hv_buf_init(&bytes, 1 << 20);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            struct line_unit unit = line_unit_of(kinds[k]);
            fill(&bytes, kinds[k], lengths[l]);
            if (unit.size > 1)
                hv_buf_add_byte(&bytes, '\n'); /* a torn unit at the end */
            struct hv_str all = hv_buf_str(&bytes);
            size_t count = 0, last = SIZE_MAX;
            assert_int_equal(line_units_after(all, 0, unit), 0);
            for (size_t at = 0; at + unit.size <= all.len; at += unit.size)
                if (is_newline(all, at, unit)) {
                    last = at + unit.size;
                    count++;
                    if (count % 97 == 1)
                        assert_int_equal(line_units_after(all, count, unit), last);
                }
            assert_int_equal(line_units_count(all, unit), count);
            assert_int_equal(line_units_after_last(all, unit), last);
            if (count)
                assert_int_equal(line_units_after(all, count, unit), last);
            assert_true(line_units_after(all, count + 1, unit) == SIZE_MAX);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_of_all_units_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
