/* test_nearest.c: which known name is suggested for a wrong one. */
#include "base/nearest.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on

static const struct hv_str names[] = {
    HV_STR("file_path"), HV_STR("old_string"), HV_STR("new_string"), HV_STR("replace_all"),
    HV_STR("limit"),     HV_STR("offset"),     HV_STR("Read"),       HV_STR("-i"),
};

static const struct {
    const char *wanted, *nearest; /* NULL: none */
} cases[] = {
    {"file_path", "file_path"},
    {"filePath", "file_path"},
    {"FILE-PATH", "file_path"},
    {"fil_path", "file_path"},
    {"flie_path", "file_path"},
    {"path", "file_path"},
    {"old_str", "old_string"},
    {"oldString", "old_string"},
    {"newstring", "new_string"},
    {"neu_string", "new_string"},
    {"limits", "limit"},
    {"lmiit", "limit"},
    {"replaceAll", "replace_all"},
    {"replace", "replace_all"},
    {"read", "Read"},
    {"Raed", "Read"},
    {"i", "-i"},
    {"command", NULL},
    {"x", NULL},
    {"", NULL},
    {"th", NULL},
    {"line_limit", "limit"},
    {"unlimited", NULL},
};

static void a_wrong_name_gets_the_suggestion_a_person_would_give(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hv_str nearest = nearest_name(hv_str_from(cases[i].wanted), names, sizeof names / sizeof *names);
        if (cases[i].nearest ? !hv_str_is(nearest, cases[i].nearest) : nearest.ptr != NULL)
            fail_msg("\"%s\": got \"%.*s\"", cases[i].wanted, HV_STR_ARG(nearest));
    }
}

static void of_equally_near_names_the_first_wins(void **state)
{
    (void)state;
    const struct hv_str pair[] = {HV_STR("cat"), HV_STR("car")};
    assert_ptr_equal(nearest_name(HV_STR("cab"), pair, 2).ptr, pair[0].ptr);
    assert_ptr_equal(nearest_name(HV_STR("car"), pair, 2).ptr, pair[1].ptr);
}

static void very_long_names_are_near_nothing(void **state)
{
    (void)state;
    char text[4096];
    memset(text, 'a', sizeof text);
    struct hv_str name = {text, sizeof text};
    assert_null(nearest_name(name, names, 8).ptr);
    assert_null(nearest_name(HV_STR("aaaa"), &name, 1).ptr);
    assert_null(nearest_name(HV_STR("a"), NULL, 0).ptr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_name_gets_the_suggestion_a_person_would_give),
        cmocka_unit_test(of_equally_near_names_the_first_wins),
        cmocka_unit_test(very_long_names_are_near_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
