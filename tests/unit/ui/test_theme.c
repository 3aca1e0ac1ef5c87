/* test_theme.c: palettes: what a file says, what is wrong in it, what can be read on which background. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "ui/text/theme.h"

static void test_a_file_changes_what_it_names_and_its_faults_have_places(void **state)
{
    static const struct {
        const char *text, *heading, *added, *faults;
    } cases[] = {
        {"{\"heading\": \"bold red\"}", "1;31", "32", ""},
        {"{\"base\": \"light\", \"heading\": \"underline #0a10ff\"}", "4;38;2;10;16;255", "38;5;22", ""},
        {"{\"heading\": \"plain\", \"added\": \"bright-blue italic\"}", "", "94;3", ""},
        {"{\n  \"heading\": \"bold blurple\",\n  \"added\": \"7\"\n}", "1;36", "38;5;7", "2:14: \"blurple\" is"},
        {"{\"heading\": 3}", "1;36", "32", "1:13: \"heading\" must be a text\n"},
        {"{\"haeding\": \"red\"}", "1;36", "32", "1:2: there is no style \"haeding\"; \"heading\"?\n"},
        {"{\"head\\ning\": \"red\"}", "1;36", "32", "1:2: there is no style \"head\\u{a}ing\""},
        {"{\"base\": \"grey\"}", "1;36", "32", "1:10: \"base\" is \"dark\" or \"light\"\n"},
        {"{\"added\": \"256\", \"heading\": \"#12345\"}", "1;36", "32", "1:11: \"256\" is"},
        {"{\n \"heading\" \"red\"}", "1;36", "32", "2:12: "},
        {"[]", "1;36", "32", "1:1: a theme is an object\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CLEANUP_BUF struct hv_buf faults = {.max = 64 << 10};
        struct paint_palette palette;
        theme_read(hv_str_from(cases[i].text), &palette, &faults);
        hv_buf_add_byte(&faults, '\0');
        assert_string_equal(palette.codes[PAINT_HEADING], cases[i].heading);
        assert_string_equal(palette.codes[PAINT_ADDED], cases[i].added);
        if (strncmp(faults.data, cases[i].faults, strlen(cases[i].faults)) != 0 ||
            (!*cases[i].faults && faults.data[0]))
            fail_msg("%s: %s", cases[i].text, faults.data);
    }
}

static void test_a_style_ends_what_it_began_and_no_more(void **state)
{
    static const struct {
        const char *style, *painted;
    } cases[] = {
        {"bold red", "\033[1;31mx\033[22;39m"},
        {"#0102ff bold", "\033[38;2;1;2;255;1mx\033[39;22m"},
        {"200 underline strike", "\033[38;5;200;4;9mx\033[39;24;29m"},
        {"bright-cyan", "\033[96mx\033[39m"},
        {"plain", "x"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CLEANUP_BUF struct hv_buf faults = {.max = 1000}, out = {.max = 1000}, text = {.max = 1000};
        struct paint_palette palette;
        struct paint_theme theme = {.colour = true, .palette = &palette};
        hv_buf_addf(&text, "{\"code\": \"%s\"}", cases[i].style);
        theme_read(hv_buf_str(&text), &palette, &faults);
        paint_put(&theme, PAINT_CODE, HV_STR("x"), &out);
        hv_buf_add_byte(&out, '\0');
        assert_string_equal(out.data, cases[i].painted);
    }
}

static void test_the_terminal_tells_its_background(void **state)
{
    (void)state;
    assert_true(theme_is_light_variable("0;15"));
    assert_true(theme_is_light_variable("0;default;7"));
    assert_false(theme_is_light_variable("15;0"));
    assert_false(theme_is_light_variable("12;8"));
    assert_false(theme_is_light_variable("default;default"));
    assert_false(theme_is_light_variable("15"));
    assert_false(theme_is_light_variable(NULL));
    assert_true(theme_is_light_colour(0xffffff));
    assert_true(theme_is_light_colour(0xfdf6e3));
    assert_false(theme_is_light_colour(0x002b36));
    assert_false(theme_is_light_colour(0x000000));
}

static double linear(unsigned value)
{
    double share = value / 255.0;
    return share <= 0.03928 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4);
}

/* How bright one of the 256 colours is, as WCAG counts it. */
static double luminance(unsigned index)
{
    static const unsigned steps[] = {0, 95, 135, 175, 215, 255};
    unsigned cube = index - 16, grey = 8 + 10 * (index - 232);
    if (index >= 232)
        return linear(grey);
    return 0.2126 * linear(steps[cube / 36]) + 0.7152 * linear(steps[cube / 6 % 6]) + 0.0722 * linear(steps[cube % 6]);
}

static void test_each_colour_of_the_light_palette_can_be_read_on_white(void **state)
{
    const struct paint_palette *light = theme_built_in(HV_STR("light"));
    size_t coloured = 0;
    (void)state;
    for (int style = 0; style < PAINT_STYLE_COUNT; style++) {
        const char *colour = strstr(light->codes[style], "38;5;");
        unsigned index;
        if (!colour) { /* an attribute alone: the terminal's own colour */
            assert_true(strlen(light->codes[style]) <= 1);
            continue;
        }
        assert_int_equal(sscanf(colour, "38;5;%u", &index), 1);
        coloured++;
        if (1.05 / (luminance(index) + 0.05) < 4.5)
            fail_msg("style %d: %u", style, index);
    }
    assert_int_equal(coloured, 14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_file_changes_what_it_names_and_its_faults_have_places),
        cmocka_unit_test(test_a_style_ends_what_it_began_and_no_more),
        cmocka_unit_test(test_the_terminal_tells_its_background),
        cmocka_unit_test(test_each_colour_of_the_light_palette_can_be_read_on_white),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
