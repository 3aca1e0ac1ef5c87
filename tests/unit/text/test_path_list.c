/* test_path_list.c: which paths a few letters find, and in which order. */
#include "text/path_list.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

static const char *const paths[] = {
    "src/deep/model.c",       "src/model.c", "src/Model_data.h", "model/a.c", "model.c",
    "docs/my_old_example.md", "x/moXdel.c",
};

static const struct {
    const char *words, *expected; /* the best first */
} cases[] = {
    {"model", "src/model.c src/Model_data.h src/deep/model.c model/a.c x/moXdel.c docs/my_old_example.md"},
    {"MODEL.", "model.c src/model.c src/deep/model.c model/a.c x/moXdel.c src/Model_data.h docs/my_old_example.md"},
    {"src/m", "src/Model_data.h src/deep/model.c"}, /* a listing of src has the other one */
    {"src/model.c/", ""},
    {"sdm", "src/deep/model.c docs/my_old_example.md"},
    {"zzz", ""},
    {"\xc3\xa4", ""},
};

static void find(const char *words, size_t most, char *out, size_t size)
{
    struct path_list list = {0};
    struct hv_str best[64];
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        assert_true(path_list_add(&list, hv_str_from(paths[i])));
    path_list_sort(&list);
    size_t count = path_list_find(&list, hv_str_from(words), best, most), at = 0;
    out[0] = '\0';
    for (size_t i = 0; i < count; i++)
        at += (size_t)snprintf(out + at, size - at, "%s%.*s", i ? " " : "", HV_STR_ARG(best[i]));
    path_list_release(&list);
}

static void letters_find_paths_the_best_first(void **state)
{
    (void)state;
    char found[1000];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        find(cases[i].words, 20, found, sizeof found);
        assert_string_equal(found, cases[i].expected);
    }
}

static void of_the_best_no_more_come_than_asked_for(void **state)
{
    (void)state;
    char found[1000];
    find("model", 2, found, sizeof found);
    assert_string_equal(found, "src/model.c src/Model_data.h");
    find("model", 0, found, sizeof found);
    assert_string_equal(found, "");
}

static void a_list_that_is_full_says_so_and_keeps_what_it_has(void **state)
{
    (void)state;
    struct path_list list = {0};
    struct hv_str best[1];
    char path[PATH_LIST_PATH_MAX + 2];
    memset(path, 'a', sizeof path);
    assert_true(path_list_add(&list, hv_str_of(path, sizeof path)));
    assert_int_equal(path_list_find(&list, HV_STR("a"), best, 1), 0);
    path[1] = '/';
    size_t count = 0;
    while (path_list_add(&list, hv_str_of(path, PATH_LIST_PATH_MAX)))
        count++;
    assert_int_equal(count, PATH_LIST_BYTES_MAX / PATH_LIST_PATH_MAX);
    path_list_sort(&list);
    assert_int_equal(path_list_find(&list, HV_STR("aaa"), best, 1), 1);
    path_list_release(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_find_paths_the_best_first),
        cmocka_unit_test(of_the_best_no_more_come_than_asked_for),
        cmocka_unit_test(a_list_that_is_full_says_so_and_keeps_what_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
