/* test_editorconfig.c: patterns of .editorconfig and what its files come to. The table was made with the program
 * editorconfig (libeditorconfig 0.12). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "text/editorconfig.h"

static const struct {
    const char *pattern, *path;
    bool matches;
} rows[] = {
    {"*", "a.c", true},
    {"*", "d/e/a.c", true},
    {"*.c", "a.c", true},
    {"*.c", "d/a.c", true},
    {"*.c", "a.cc", false},
    {"a.c", "d/a.c", true},
    {"/a.c", "d/a.c", false},
    {"/a.c", "a.c", true},
    {"d/*.c", "d/a.c", true},
    {"d/*.c", "d/e/a.c", false},
    {"d/*.c", "x/d/a.c", false},
    {"d/**.c", "d/e/a.c", true},
    {"d/**/a.c", "d/a.c", true},
    {"d/**/a.c", "d/e/f/a.c", true},
    {"d/**", "d/e/f", true},
    {"**/x", "d/x", true},
    {"?.c", "a.c", true},
    {"?.c", "ab.c", false},
    {"d?a.c", "d/a.c", false},
    {"[ab].c", "b.c", true},
    {"[!ab].c", "b.c", false},
    {"[!ab].c", "c.c", true},
    {"[a-c].c", "b.c", true},
    {"[a-c].c", "d.c", false},
    {"[a.c", "[a.c", true},
    {"{a,b}.c", "b.c", true},
    {"{a,b}.c", "c.c", false},
    {"{*.c,*.py}", "d/x.py", true},
    {"{a,{b,cd}}", "cd", true},
    {"{,x}a", "a", true},
    {"{,x}a", "xa", true},
    {"{single}", "{single}", true},
    {"{single}", "single", false},
    {"{a", "{a", true},
    {"{Makefile,**.mk}", "d/rules.mk", true},
    {"{d,lib}/**.js", "lib/e/x.js", true},
    {"file{1..12}", "file7", true},
    {"file{1..12}", "file12", true},
    {"file{1..12}", "file13", false},
    {"file{1..12}", "file007", false},
    {"file{12..1}", "file7", true},
    {"file{-3..2}", "file-2", true},
    {"\\*", "*", true},
    {"\\*", "a", false},
    {"", "a", false},
};

static void patterns_match_as_the_program_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (editorconfig_match(hv_str_from(rows[i].pattern), hv_str_from(rows[i].path)) != rows[i].matches)
            fail_msg("[%s] %s", rows[i].pattern, rows[i].path);
}

static void what_is_said_later_wins(void **state)
{
    (void)state;
    static const char text[] =
        "\xef\xbb\xbf; a comment\nroot = TRUE\n\n[*]\nend_of_line = CRLF ; so\ncharset=latin1\r\n"
        "insert_final_newline = true\nindent_size = 4\n[*.c]\nEnd_Of_Line: lf\n# [*]\n[*.bat\n[d/**]\n"
        "charset = unset\ninsert_final_newline=false\n";
    struct editorconfig settings = {0};
    assert_true(editorconfig_is_root(hv_str_from(text)));
    editorconfig_apply(hv_str_from(text), HV_STR("a.txt"), &settings);
    assert_int_equal(settings.end, EDITORCONFIG_CRLF);
    assert_int_equal(settings.charset, EDITORCONFIG_LATIN1);
    assert_true(settings.final_newline);
    settings = (struct editorconfig){0};
    editorconfig_apply(hv_str_from(text), HV_STR("d/a.c"), &settings);
    assert_int_equal(settings.end, EDITORCONFIG_LF);
    assert_int_equal(settings.charset, EDITORCONFIG_CHARSET_UNSET);
    assert_false(settings.final_newline);
    assert_false(editorconfig_is_root(HV_STR("[*]\nroot = true\n")));
    assert_false(editorconfig_is_root(HV_STR("root = false\n")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_match_as_the_program_says),
        cmocka_unit_test(what_is_said_later_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
