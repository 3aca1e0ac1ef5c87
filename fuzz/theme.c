/*
 * theme.c: a theme file of any bytes. Each fault is a line that names its place; each style is a list of numbers that a
 * terminal takes, and what ends it is one, too.
 */
#include "ui/text/theme.h"

#include <string.h>

#include "base/cleanup.h"
#include "parts.h"

static bool is_place(struct hv_str line)
{
    struct hv_str rest = line, number;
    int64_t value;
    return hv_str_split(&rest, ':', &number) && hv_str_to_int64(number, &value) && value > 0 &&
           hv_str_split(&rest, ':', &number) && hv_str_to_int64(number, &value) && value > 0 && rest.len > 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_BUF struct hv_buf faults = {.max = 64 << 20};
    struct paint_palette palette;
    struct hv_str rest, line;
    theme_read(hv_str_of((const char *)data, size), &palette, &faults);
    for (rest = hv_buf_str(&faults); paint_next_line(&rest, &line);)
        FUZZ_CHECK(is_place(line));
    const struct paint_theme theme = {.colour = true, .palette = &palette};
    for (int style = 0; style < PAINT_STYLE_COUNT; style++) {
        CLEANUP_BUF struct hv_buf out = {.max = 1000};
        FUZZ_CHECK(memchr(palette.codes[style], 0, PAINT_CODE_MAX) &&
                   strspn(palette.codes[style], "0123456789;") == strlen(palette.codes[style]));
        paint_put(&theme, (enum paint_style)style, HV_STR("x"), &out);
        FUZZ_CHECK(paint_width(hv_buf_str(&out)) == 1);
    }
    return 0;
}
