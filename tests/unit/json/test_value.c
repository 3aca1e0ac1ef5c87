/* test_value.c: looking things up in parsed JSON, the values of numbers, and equality. */
#include "base/cleanup.h"

#include <helve/json.h>

// clang-format off
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

static const struct hv_json *must_parse(struct hv_arena *arena, const char *text)
{
    const struct hv_json *value = NULL;
    struct hv_error err;
    if (hv_json_parse(arena, hv_str_from(text), HV_JSON_STRICT, &value, &err))
        fail_msg("%s: %s", text, err.message);
    return value;
}

static void look_ups_find_members_and_elements(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *root =
        must_parse(&arena, "{\"a\":[10,\"x\",{\"b\":true}],\"t\":\"first\",\"t\":\"last\",\"\":0,\"n\\u0000l\":1}");
    assert_true(hv_str_is(hv_json_get_string(root, "t"), "last"));
    assert_int_equal(hv_json_type_of(hv_json_get(root, "")), HV_JSON_NUMBER);
    assert_non_null(hv_json_get_str(root, HV_STR("n\0l")));
    assert_null(hv_json_get(root, "n"));
    assert_null(hv_json_get(root, "A"));
    const struct hv_json *array = hv_json_get(root, "a");
    assert_int_equal(array->count, 3);
    assert_true(hv_str_is(hv_json_string(hv_json_at(array, 1)), "x"));
    assert_null(hv_json_at(array, 3));
    assert_true(hv_json_bool(hv_json_get(hv_json_at(array, 2), "b"), false));
    size_t count = 0;
    hv_json_each(member, root) count++;
    assert_int_equal(count, root->count);
}

static void look_ups_in_what_is_absent_or_of_another_type_are_absent(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *values[] = {NULL, must_parse(&arena, "\"text\""), must_parse(&arena, "3"),
                                      must_parse(&arena, "null")};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        assert_null(hv_json_get(values[i], "a"));
        assert_null(hv_json_at(values[i], 0));
        assert_null(hv_json_get_string(values[i], "a").ptr);
        assert_null(hv_json_get(hv_json_at(hv_json_get(values[i], "a"), 1), "b"));
        assert_true(hv_json_bool(values[i], true));
        assert_false(hv_json_bool(values[i], false));
    }
    assert_null(hv_json_at(must_parse(&arena, "{\"0\":1}"), 0));
    assert_null(hv_json_get(must_parse(&arena, "[\"a\"]"), "a"));
    assert_null(hv_json_string(must_parse(&arena, "3")).ptr);
    hv_json_each(none, (const struct hv_json *)NULL) fail();
}

static void every_type_has_a_name(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    static const char *const rows[][2] = {{"null", "null"}, {"true", "boolean"}, {"false", "boolean"},
                                          {"1", "number"},  {"\"\"", "string"},  {"[]", "array"},
                                          {"{}", "object"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(hv_json_type_name(must_parse(&arena, rows[i][0])), rows[i][1]);
    assert_string_equal(hv_json_type_name(NULL), "nothing");
}

static const struct {
    const char *text;
    bool whole;
    int64_t value;
} integers[] = {
    {"0", true, 0},
    {"-0", true, 0},
    {"0.0e7", true, 0},
    {"7", true, 7},
    {"-7", true, -7},
    {"1.0", true, 1},
    {"1e3", true, 1000},
    {"1.50e1", true, 15},
    {"1200e-2", true, 12},
    {"9223372036854775807", true, INT64_MAX},
    {"-9223372036854775808", true, INT64_MIN},
    {"9223372036854775808", false, 0},
    {"-9223372036854775809", false, 0},
    {"9.223372036854775807e18", true, INT64_MAX},
    {"1e18", true, 1000000000000000000},
    {"1e19", false, 0},
    {"0e999999999999", true, 0},
    {"1e999999999999", false, 0},
    {"1e-999999999999", false, 0},
    {"1.5", false, 0},
    {"0.1", false, 0},
    {"12e-1", false, 0},
};

static void a_whole_number_is_one_however_it_is_written(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        int64_t value = 77;
        if (hv_json_int64(must_parse(&arena, integers[i].text), &value) != integers[i].whole)
            fail_msg("%s", integers[i].text);
        assert_int_equal(value, integers[i].whole ? integers[i].value : 77);
    }
    int64_t value;
    assert_false(hv_json_int64(must_parse(&arena, "\"1\""), &value));
    assert_false(hv_json_int64(NULL, &value));
}

static void a_double_is_the_nearest_whatever_the_locale(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    const char *former = setlocale(LC_ALL, "de_DE.UTF-8"); /* where it is installed */
    (void)former;
    double value = 77;
    assert_true(hv_json_double(must_parse(&arena, "0.1"), &value) && value == 0.1);
    assert_true(hv_json_double(must_parse(&arena, "-2.5e-3"), &value) && value == -0.0025);
    assert_true(hv_json_double(must_parse(&arena, "1e-999"), &value) && value == 0);
    value = 77;
    assert_false(hv_json_double(must_parse(&arena, "1e999"), &value));
    assert_false(hv_json_double(must_parse(&arena, "\"1\""), &value));
    assert_true(value == 77);
    CLEANUP_BUF struct hv_buf digits = {.max = 10000};
    hv_buf_add_cstr(&digits, "0.");
    for (int i = 0; i < 3000; i++)
        hv_buf_add_byte(&digits, '3');
    assert_true(hv_json_double(must_parse(&arena, digits.data), &value) && value == 1.0 / 3);
    setlocale(LC_ALL, "C");
}

static const struct {
    const char *a, *b;
    bool equal;
} pairs[] = {
    {"1", "1.0", true},
    {"10e-1", "1", true},
    {"0", "-0.0", true},
    {"1", "-1", false},
    {"100", "1e2", true},
    {"0.30", "0.3", true},
    {"1", "1.0000000000000000000000001", false},
    {"123456789012345678901234567890", "123456789012345678901234567891", false},
    {"1e99999999999", "1e99999999999", true},
    {"1e99999999999", "10e99999999998", false}, /* beyond all sense, only the text counts */
    {"\"a\"", "\"\\u0061\"", true},
    {"\"a\"", "\"A\"", false},
    {"1", "\"1\"", false},
    {"true", "1", false},
    {"null", "false", false},
    {"[1,2]", "[1,2]", true},
    {"[1,2]", "[2,1]", false},
    {"[1]", "[1,1]", false},
    {"[]", "{}", false},
    {"{\"a\":1,\"b\":[2]}", "{\"b\":[2.0],\"a\":1}", true},
    {"{\"a\":1}", "{\"a\":1,\"b\":2}", false},
    {"{\"a\":1}", "{\"b\":1}", false},
    {"{\"a\":0,\"a\":1}", "{\"a\":1}", true}, /* the last of a name counts */
    {"{\"a\":1,\"a\":0}", "{\"a\":1}", false},
    {"[[[{\"a\":[{}]}]]]", "[[[{\"a\":[{}]}]]]", true},
    {"[[[{\"a\":[{}]}]]]", "[[[{\"a\":[[]]}]]]", false},
};

static void equality_is_that_of_json_values(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct hv_json *a = must_parse(&arena, pairs[i].a), *b = must_parse(&arena, pairs[i].b);
        if (hv_json_equal(a, b) != pairs[i].equal || hv_json_equal(b, a) != pairs[i].equal)
            fail_msg("%s and %s", pairs[i].a, pairs[i].b);
        assert_true(hv_json_equal(a, a));
    }
    assert_true(hv_json_equal(NULL, NULL));
    assert_false(hv_json_equal(NULL, must_parse(&arena, "null")));
}

static void deep_and_wide_values_are_compared_without_recursion(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf text = {.max = 1 << 22};
    for (int i = 0; i < HV_JSON_DEPTH_MAX - 1; i++)
        hv_buf_add_cstr(&text, "[");
    hv_buf_add_cstr(&text, "{");
    for (int i = 0; i < 20000; i++)
        hv_buf_addf(&text, "%s\"name%d\":%d", i ? "," : "", i * 7919 % 20000, i);
    hv_buf_add_cstr(&text, "}");
    for (int i = 0; i < HV_JSON_DEPTH_MAX - 1; i++)
        hv_buf_add_cstr(&text, "]");
    assert_true(hv_json_equal(must_parse(&arena, text.data), must_parse(&arena, text.data)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(look_ups_find_members_and_elements),
        cmocka_unit_test(look_ups_in_what_is_absent_or_of_another_type_are_absent),
        cmocka_unit_test(every_type_has_a_name),
        cmocka_unit_test(a_whole_number_is_one_however_it_is_written),
        cmocka_unit_test(a_double_is_the_nearest_whatever_the_locale),
        cmocka_unit_test(equality_is_that_of_json_values),
        cmocka_unit_test(deep_and_wide_values_are_compared_without_recursion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
