/* test_image_draw.c: what of a drawing reaches the terminal. The helper has read foreign bytes: it is not trusted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "media/image_draw.h"

static void test_only_cells_and_sixels_pass(void **state)
{
    static const struct {
        const char *bytes;
        enum image_draw_kind kind;
        bool passes;
    } cases[] = {
        {"\033[0m\033[38;5;18;48;5;24m\xe2\x96\x80\xe2\x96\x80 \033[0m\n\xe2\x96\x84", IMAGE_DRAW_256, true},
        {"\033[38;2;1;2;3m \033[0m", IMAGE_DRAW_TRUE_COLOUR, true},
        {"    ", IMAGE_DRAW_256, true},
        {"     ", IMAGE_DRAW_256, false},    /* wider than said */
        {" \n \n ", IMAGE_DRAW_256, false},  /* more rows than said */
        {"x", IMAGE_DRAW_256, false},        /* no part of a picture */
        {" \033[2J", IMAGE_DRAW_256, false}, /* erases the screen */
        {" \033[5b", IMAGE_DRAW_256, false}, /* repeats */
        {"\033]0;t\a", IMAGE_DRAW_256, false},
        {"\033[38;5", IMAGE_DRAW_256, false}, /* goes on in what follows it */
        {"\r ", IMAGE_DRAW_256, false},
        {"\033P0;1;0q\"1;1;8;6#0;2;5;1;50#0~~$-\033\\", IMAGE_DRAW_SIXELS, true},
        {"\033Pq~\033\\\033[2J\033\\", IMAGE_DRAW_SIXELS, false},
        {"\033P+q~\033\\", IMAGE_DRAW_SIXELS, false}, /* asks the terminal for what it can */
        {"\033Pq~", IMAGE_DRAW_SIXELS, false},
        {"GIF89a", IMAGE_DRAW_PNG, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct image_drawing drawing = {.kind = cases[i].kind, .columns = 4, .rows = 2};
        if (image_draw_is_harmless(&drawing, hv_str_from(cases[i].bytes)) != cases[i].passes)
            fail_msg("case %zu", i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_only_cells_and_sixels_pass)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
