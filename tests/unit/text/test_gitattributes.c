/* test_gitattributes.c: what .gitattributes files say, as git check-attr tells it (git 2.39). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "text/gitattributes.h"

static const struct {
    const char *text, *path, *expected; /* text, eol, working-tree-encoding */
} rows[] = {
    {"* text=auto\n", "a", "auto - -"},
    {"* text=auto\n*.c text eol=lf\n", "d/a.c", "set lf -"},
    {"*.c text eol=lf\n* text=auto\n", "a.c", "auto lf -"},
    {"*.bat text eol=crlf\r\n", "d/x.bat", "set crlf -"},
    {"*.png binary\n", "x.png", "unset - -"},
    {"*.png binary\n*.png text\n", "x.png", "set - -"},
    {"* text\n*.png binary\n", "x.png", "unset - -"},
    {"*.png binary\n*.png -binary\n", "x.png", "- - -"},
    {"* -text\na !text\n", "a", "- - -"},
    {"[attr]win text eol=crlf\n*.ini win\n", "x.ini", "set crlf -"},
    {"[attr]win text eol=crlf\n*.ini win eol=lf\n", "x.ini", "set lf -"},
    {"*.txt working-tree-encoding=UTF-16LE-BOM eol=crlf\n", "a.txt", "- crlf UTF-16LE-BOM"},
    {"/a text\n", "d/a", "- - -"},
    {"/a text\n", "a", "set - -"},
    {"d/*.c text\n", "d/e/a.c", "- - -"},
    {"d/**/a.c text\n", "d/e/f/a.c", "set - -"},
    {"d/ text\n", "d/a", "- - -"},
    {"d/** text\n", "d/e/a", "set - -"},
    {"\"a b.c\" text\n", "a b.c", "set - -"},
    {"\"x\\\"y\" text\n", "x\"y", "set - -"},
    {"!a text\n", "a", "- - -"},
    {"# * text\n  *.c text\n", "x.c", "set - -"},
    {"[attr]loop loop text\n* loop\n", "a", "set - -"},
};

static struct hv_str shown(struct hv_arena *arena, struct gitattributes_value value)
{
    static const char *const words[] = {"-", "set", "unset"};
    return value.state == GITATTRIBUTES_VALUE ? value.value : hv_arena_format(arena, "%s", words[value.state]);
}

static void attributes_are_those_that_git_tells(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hv_arena arena = {0};
        struct gitattributes attributes = {0};
        gitattributes_learn(&attributes, hv_str_from(rows[i].text));
        gitattributes_apply(&attributes, hv_str_from(rows[i].text), hv_str_from(rows[i].path));
        struct hv_str got =
            hv_arena_format(&arena, "%.*s %.*s %.*s", HV_STR_ARG(shown(&arena, attributes.text)),
                            HV_STR_ARG(shown(&arena, attributes.eol)), HV_STR_ARG(shown(&arena, attributes.encoding)));
        if (!hv_str_is(got, rows[i].expected))
            fail_msg("%s %s: %s", rows[i].text, rows[i].path, got.ptr);
        hv_arena_release(&arena);
    }
}

static void the_file_that_is_told_first_counts_most(void **state)
{
    (void)state;
    struct gitattributes attributes = {0};
    gitattributes_apply(&attributes, HV_STR("*.c eol=crlf\n"), HV_STR("a.c"));
    gitattributes_apply(&attributes, HV_STR("*.c text eol=lf\n"), HV_STR("d/a.c"));
    assert_int_equal(attributes.text.state, GITATTRIBUTES_SET);
    assert_true(hv_str_is(attributes.eol.value, "crlf"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attributes_are_those_that_git_tells),
        cmocka_unit_test(the_file_that_is_told_first_counts_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
