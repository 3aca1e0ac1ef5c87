/* test_str.c: views of bytes, paths as text, and the table of byte strings. */
#include "base/cleanup.h"
#include "base/map.h"
#include "base/path.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

static const struct hv_str absent = {NULL, 0};

static void absent_and_empty_views_are_safe_everywhere(void **state)
{
    (void)state;
    assert_null(hv_str_from(NULL).ptr);
    assert_true(hv_str_eq(absent, HV_STR("")));
    assert_true(hv_str_is(absent, "") && hv_str_is(absent, NULL));
    assert_true(hv_str_starts(absent, absent) && hv_str_ends(HV_STR("a"), absent));
    assert_int_equal(hv_str_compare(absent, HV_STR("a")), -1);
    assert_int_equal(hv_str_find(absent, HV_STR("a"), 0), SIZE_MAX);
    assert_int_equal(hv_str_find(absent, absent, 0), 0);
    assert_int_equal(hv_str_find_byte(absent, 'a', 0), SIZE_MAX);
    assert_int_equal(hv_str_rfind_byte(absent, 'a'), SIZE_MAX);
    assert_int_equal(hv_str_slice(absent, 1, 5).len, 0);
    assert_int_equal(hv_str_trim(absent).len, 0);
    struct hv_str rest = absent, part;
    assert_false(hv_str_split(&rest, ',', &part));
}

static void bytes_are_compared_and_found(void **state)
{
    (void)state;
    assert_true(hv_str_eq(HV_STR("a\0b"), HV_STR("a\0b")));
    assert_false(hv_str_eq(HV_STR("a\0b"), HV_STR("a\0c")));
    assert_true(hv_str_eq_nocase(HV_STR("aZ-1"), HV_STR("Az-1")));
    assert_false(hv_str_eq_nocase(HV_STR("@"), HV_STR("`")));
    assert_true(hv_str_compare(HV_STR("a"), HV_STR("ab")) < 0);
    assert_true(hv_str_compare(HV_STR("\xff"), HV_STR("a")) > 0);
    assert_int_equal(hv_str_compare(HV_STR("a"), HV_STR("a")), 0);
    assert_int_equal(hv_str_find(HV_STR("abcabc"), HV_STR("bc"), 2), 4);
    assert_int_equal(hv_str_find(HV_STR("abc"), HV_STR(""), 3), 3);
    assert_int_equal(hv_str_find(HV_STR("abc"), HV_STR(""), 4), SIZE_MAX);
    assert_int_equal(hv_str_find(HV_STR("abc"), HV_STR("abcd"), 0), SIZE_MAX);
    assert_int_equal(hv_str_find_byte(HV_STR("abca"), 'a', 1), 3);
    assert_int_equal(hv_str_find_byte(HV_STR("abca"), 'a', 4), SIZE_MAX);
    assert_int_equal(hv_str_rfind_byte(HV_STR("abca"), 'a'), 3);
    assert_true(hv_str_is(hv_str_slice(HV_STR("abc"), 1, SIZE_MAX), "bc"));
    assert_true(hv_str_is(hv_str_slice(HV_STR("abc"), 2, 1), ""));
    assert_true(hv_str_is(hv_str_trim(HV_STR(" \t a b \r\n")), "a b"));
}

static void a_text_is_split_at_each_separator(void **state)
{
    (void)state;
    static const struct {
        const char *text, *parts; /* joined by '|' */
    } rows[] = {{"a,b,c", "a|b|c"}, {"a", "a"}, {"", ""}, {",", "|"}, {"a,,b,", "a||b|"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CLEANUP_BUF struct hv_buf out = {.max = 100};
        struct hv_str rest = hv_str_from(rows[i].text), part;
        for (size_t count = 0; hv_str_split(&rest, ',', &part); count++) {
            hv_buf_add_cstr(&out, count ? "|" : "");
            hv_buf_add_str(&out, part);
        }
        assert_string_equal(out.data, rows[i].parts);
    }
}

static void integers_are_read_whole_or_not_at_all(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
        int64_t value;
    } rows[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"007", true, 7},
        {"-42", true, -42},
        {"9223372036854775807", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"9223372036854775808", false, 0},
        {"-9223372036854775809", false, 0},
        {"99999999999999999999999999", false, 0},
        {"", false, 0},
        {"-", false, 0},
        {"+1", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"1.0", false, 0},
        {"--1", false, 0},
        {"1/", false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t value = 77;
        assert_int_equal(hv_str_to_int64(hv_str_from(rows[i].text), &value), rows[i].good);
        assert_int_equal(value, rows[i].good ? rows[i].value : 77);
    }
}

static void hashes_depend_on_every_byte_and_the_length(void **state)
{
    (void)state;
    char text[40] = {0};
    for (size_t len = 0; len < sizeof text; len++) {
        uint64_t hash = hv_str_hash(hv_str_of(text, len));
        assert_true(len == 0 || hash != hv_str_hash(hv_str_of(text, len - 1)));
        for (size_t i = 0; i < len; i++) {
            text[i] ^= 1;
            assert_true(hash != hv_str_hash(hv_str_of(text, len)));
            text[i] ^= 1;
        }
    }
}

/* ---- paths ---- */

static void a_path_becomes_absolute_and_tidy(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"/a/b", "/a/b"},
        {"b", "/ws/b"},
        {"./b/", "/ws/b"},
        {"../b", "/b"},
        {"../../../b", "/b"},
        {"/a//b///c/", "/a/b/c"},
        {"/a/./b/../c", "/a/c"},
        {"/", "/"},
        {"", "/ws"},
        {".", "/ws"},
        {"..", "/"},
        {"~", "/home/me"},
        {"~/x", "/home/me/x"},
        {"~you", "/ws/~you"},
        {"a/~", "/ws/a/~"},
        {"/..", "/"},
        {"/...", "/..."},
        {"/.a", "/.a"},
        {"~/..", "/home"},
        {"/a/..b", "/a/..b"},
    };
    CLEANUP_ARENA struct hv_arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hv_str path = path_expand(&arena, hv_str_from(rows[i][0]), HV_STR("/ws"), HV_STR("/home/me"));
        if (!hv_str_is(path, rows[i][1]) || path.ptr[path.len])
            fail_msg("\"%s\" gave \"%.*s\"", rows[i][0], HV_STR_ARG(path));
    }
    assert_true(hv_str_is(path_expand(&arena, HV_STR("~/x"), HV_STR("/ws"), absent), "/ws/~/x"));
}

static void a_path_lies_inside_by_whole_components(void **state)
{
    (void)state;
    static const struct {
        const char *path, *directory;
        bool inside;
        const char *relative;
    } rows[] = {
        {"/a/b", "/a", true, "b"},   {"/a", "/a", true, "."},        {"/ab", "/a", false, "/ab"},
        {"/a", "/a/b", false, "/a"}, {"/a/b/c", "/", true, "a/b/c"}, {"/", "/", true, "."},
        {"/b", "/a", false, "/b"},   {"/a", "", false, "/a"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hv_str path = hv_str_from(rows[i].path), directory = hv_str_from(rows[i].directory);
        assert_int_equal(path_inside(path, directory), rows[i].inside);
        assert_true(hv_str_is(path_relative(path, directory), rows[i].relative));
    }
    assert_true(hv_str_is(path_name(HV_STR("/a/b")), "b") && hv_str_is(path_name(HV_STR("/")), ""));
    assert_true(hv_str_is(path_parent(HV_STR("/a/b")), "/a") && hv_str_is(path_parent(HV_STR("/a")), "/"));
    assert_true(hv_str_is(path_parent(HV_STR("/")), "/"));
}

/* ---- tables ---- */

static void a_table_finds_what_was_set_last(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct map map = {0};
    assert_null(map_get(&map, HV_STR("a")));
    for (uintptr_t i = 1; i <= COUNT; i++)
        assert_null(map_set(&map, hv_arena_format(&arena, "key %zu", (size_t)i), (void *)i));
    for (uintptr_t i = 1; i <= COUNT; i++)
        assert_ptr_equal(map_get(&map, hv_arena_format(&arena, "key %zu", (size_t)i)), (void *)i);
    assert_null(map_get(&map, HV_STR("key 0")));
    assert_int_equal(map.count, COUNT);
    assert_ptr_equal(map_set(&map, HV_STR("key 7"), (void *)70), (void *)7);
    assert_ptr_equal(map_get(&map, HV_STR("key 7")), (void *)70);
    assert_int_equal(map.count, COUNT);
    assert_null(map_set(&map, HV_STR(""), (void *)1));
    assert_ptr_equal(map_get(&map, HV_STR("")), (void *)1);
    assert_null(map_get(&map, HV_STR("key 7\0")));
    map_release(&map);
    assert_null(map_get(&map, HV_STR("key 7")));
}

static size_t find_slowly(struct hv_str s, struct hv_str needle, size_t from)
{
    for (; from + needle.len <= s.len; from++)
        if (memcmp(s.ptr + from, needle.ptr, needle.len) == 0)
            return from;
    return SIZE_MAX;
}

/* Texts of few letters, in which much looks like a beginning; of all lengths around those of vectors. */
static void a_needle_is_found_where_a_slow_search_finds_it(void **state)
{
    (void)state;
    char text[700];
    uint32_t random = 7;
    for (size_t len = 0; len < sizeof text; len += len < 300 ? 7 : 1) {
        char *end = malloc(len ? len : 1); /* so that a sanitizer sees what is read past its end */
        for (size_t i = 0; i < len; i++) {
            random = random * 1664525 + 1013904223;
            end[i] = (char)('a' + (random >> 24) % (len % 3 + 1));
        }
        for (size_t needle = 1; needle < 40 && needle <= len; needle += 1 + needle / 5)
            for (size_t from = 0; from < len; from += 1 + len / 9) {
                size_t place = (from * 7 + needle) % (len - needle + 1);
                struct hv_str wanted = hv_str_of(end + place, needle), all = hv_str_of(end, len);
                assert_int_equal(hv_str_find(all, wanted, from), find_slowly(all, wanted, from));
                memcpy(text, wanted.ptr, needle);
                text[needle - 1] = 'z';
                assert_int_equal(hv_str_find(all, hv_str_of(text, needle), from), SIZE_MAX);
            }
        free(end);
    }
}

/* Where every place begins like the needle, finding must not take the product of both lengths. */
static void a_text_that_misleads_the_search_is_searched_all_the_same(void **state)
{
    (void)state;
    enum { LEN = 2000000, NEEDLE = 100000 };
    char *text = malloc(LEN), *needle = malloc(NEEDLE);
    memset(text, 'a', LEN);
    memset(needle, 'a', NEEDLE);
    needle[NEEDLE / 2] = 'b';
    assert_int_equal(hv_str_find(hv_str_of(text, LEN), hv_str_of(needle, NEEDLE), 0), SIZE_MAX);
    text[LEN - NEEDLE / 2] = 'b';
    assert_int_equal(hv_str_find(hv_str_of(text, LEN), hv_str_of(needle, NEEDLE), 0), LEN - NEEDLE);
    free(text);
    free(needle);
}

static void long_strings_that_differ_in_one_byte_have_different_hashes(void **state)
{
    (void)state;
    char text[1000];
    memset(text, 'x', sizeof text);
    uint64_t whole = hv_str_hash(hv_str_of(text, sizeof text));
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = 'y';
        assert_true(hv_str_hash(hv_str_of(text, sizeof text)) != whole);
        text[i] = 'x';
        assert_true(hv_str_hash(hv_str_of(text, i)) != whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(absent_and_empty_views_are_safe_everywhere),
        cmocka_unit_test(bytes_are_compared_and_found),
        cmocka_unit_test(a_text_is_split_at_each_separator),
        cmocka_unit_test(integers_are_read_whole_or_not_at_all),
        cmocka_unit_test(hashes_depend_on_every_byte_and_the_length),
        cmocka_unit_test(a_path_becomes_absolute_and_tidy),
        cmocka_unit_test(a_path_lies_inside_by_whole_components),
        cmocka_unit_test(a_table_finds_what_was_set_last),
        cmocka_unit_test(a_needle_is_found_where_a_slow_search_finds_it),
        cmocka_unit_test(a_text_that_misleads_the_search_is_searched_all_the_same),
        cmocka_unit_test(long_strings_that_differ_in_one_byte_have_different_hashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
