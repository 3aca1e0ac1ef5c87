/* test_front_matter.c: front matter as people write it, and what is wrong with it. */
#include "text/front_matter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"

static void test_fields_are_read(void **state)
{
    static const struct {
        const char *text, *shown; /* name=value| … body */
    } cases[] = {
        {"no front matter\n", "no front matter\n"},
        {"---\n---\nbody", "body"},
        {"---\ndescription: Fix: use this @x\nargument-hint: [issue]\n---\nDo $1\n",
         "description=Fix: use this @x|argument-hint=issue|Do $1\n"},
        {"---\r\na: 'it''s'\r\nb: \"x\\n\\\"y\\\"\" # why\r\n---\r\nbody", "a=it's|b=x\n\"y\"|body"},
        {"---\nallowed-tools: [Bash(git add:*, x), \"Read\"]\nn: 1 # one\n---\n", "allowed-tools=Bash(git add:*, x), "
                                                                                  "Read|n=1|"},
        {"---\ntools:\n  - Read\n  - 'Bash(ls:*)'\nx: y\n---\n", "tools=Read, Bash(ls:*)|x=y|"},
        {"---\na: >\n  one\n  two\n\n  three\nb: |\n  x\n    y\n---\n", "a=one two\n three|b=x\n  y|"},
        {"---\na: one\n  two\nhooks:\n  deep:\n    er: 1\nb: 2\n---\n", "a=one two|hooks=|b=2|"},
        {"\xef\xbb\xbf---\n# comment\na: \"b\" and \"c\"\n---\nx", "a=\"b\" and \"c\"|x"},
        {"---\na: b\n", "1: the second"},
        {"---\na: b\nnonsense\n---\nbody", "3: the line"},
        {"---\na: \"b\n---\nbody", "2: a quote"},
        {"---\na: [b\n---\nbody", "2: a list"},
        {"---\na: \xff\n---\nbody", "1: it is no UTF-8"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        CLEANUP_BUF struct hv_buf shown = {.max = 4096};
        struct front_matter matter;
        front_matter_read(&arena, hv_str_from(cases[i].text), &matter);
        for (size_t k = 0; k < matter.count && !matter.fault; k++)
            hv_buf_addf(&shown, "%.*s=%.*s|", HV_STR_ARG(matter.fields[k].name), HV_STR_ARG(matter.fields[k].value));
        if (matter.fault)
            hv_buf_addf(&shown, "%u: %s", matter.fault_line, matter.fault);
        else
            hv_buf_add_str(&shown, matter.body);
        struct hv_str wanted = hv_str_from(cases[i].shown), found = hv_buf_str(&shown);
        if (matter.fault ? !hv_str_starts(found, wanted) : !hv_str_eq(found, wanted))
            fail_msg("case %zu: %.*s", i, HV_STR_ARG(found));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fields_are_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
