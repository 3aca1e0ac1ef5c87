/* test_edit_slip.c: the usual slips in an old_string are told with the place, and none is undone by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "text/edit.h"

#include <string.h>

#define FILE_TEXT                                                                                                      \
    "import os\nimport sys\n\n\tif x < 3 && y > 4:\n\t\traise E(\"none given\")\n\tjoin(\"\\n\".x)\n# end \u2013 of "  \
    "file\n"

static const struct {
    const char *old, *told; /* told NULL: none of the usual slips */
    size_t line;
} rows[] = {
    {"import os\\nimport sys", "escapes", 1},
    {"raise E(\\\"none given\\\")", "escapes", 5},
    {"# end \\u2013 of file", "escapes", 7},
    {"join(\"\n\".x)", "as two characters each", 6},
    {"if x &lt; 3 &amp;&amp; y &gt; 4:", "entities", 4},
    {"raise%20E(%22none given%22)", "entities", 5},
    {"1| import os\n2| import sys", "numbers", 1},
    {"1: import os\n2: import sys", "numbers", 1},
    {"-import os\n-import sys", "signs of a diff", 1},
    {" import os\n+import sys", "signs of a diff", 1},
    {"```python\nimport os\nimport sys\n```", "fence", 1},
    {"\nimport sys\n\n\n\n", "blank lines", 2},
    {"raise E('none given')", "quotes", 5},
    {"# end - of file", "look alike", 7},
    {"import\u00a0sys", "look alike", 2},
    {"import\u200b sys", "look alike", 2},
    {"if x \uff1c 3", "look alike", 4},
    {"import re", NULL, 0},
    {"Import os", NULL, 0},
};

static void usual_slips_are_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hv_arena arena = {0};
        struct edit edit;
        struct edit_failure failure;
        struct edit_request request = {hv_str_from(rows[i].old), HV_STR("import sys"), false};
        assert_int_equal(edit_compute(&arena, HV_STR(FILE_TEXT), (struct encoding){0}, &request, &edit, &failure),
                         HV_ENOTFOUND);
        if ((failure.slip != NULL) != (rows[i].told != NULL) || (rows[i].told && !strstr(failure.slip, rows[i].told)))
            fail_msg("%s: %s", rows[i].old, failure.slip ? failure.slip : "nothing");
        assert_int_equal(failure.slip_line, rows[i].line);
        assert_int_equal(failure.new_line, 2);
        struct hv_buf text;
        hv_buf_init(&text, 4096);
        edit_describe_failure(&failure, &text);
        assert_true(!rows[i].told || strstr(text.data, "It stands at line"));
        assert_non_null(strstr(text.data, "new_string stands at line 2 already"));
        hv_buf_release(&text);
        hv_arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(usual_slips_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
