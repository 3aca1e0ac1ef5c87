/* test_glob.c: patterns for names: a table, a plain recursive matcher to compare with, braces, and hostile patterns. */
#include "base/cleanup.h"
#include "text/glob.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

enum { PLAIN = 1, PATH = 2, BOTH = 3 }; /* without and with GLOB_PATHNAME */

static const struct {
    const char *pattern, *text;
    unsigned matches_in; /* in the other ways it does not */
} cases[] = {
    {"", "", BOTH},
    {"a", "a", BOTH},
    {"a", "", 0},
    {"", "a", 0},
    {"a", "A", 0},
    {"abc", "abcd", 0},
    {"?", "a", BOTH},
    {"?", "", 0},
    {"?", "/", PLAIN},
    {"a?c", "a/c", PLAIN},
    {"*", "", BOTH},
    {"*", "abc", BOTH},
    {"*", "a/b", PLAIN},
    {"*", ".hidden", BOTH},
    {"a*", "a", BOTH},
    {"*a", "bca", BOTH},
    {"*a", "bcab", 0},
    {"a*b*c", "axxbyyc", BOTH},
    {"a*b*c", "axxbyy", 0},
    {"*.c", "x.c", BOTH},
    {"*.c", "d/x.c", PLAIN},
    {"*/x.c", "d/x.c", BOTH},
    {"*/*", "a/b", BOTH},
    {"*\\/b", "a/b", BOTH}, /* as bash and git have it; fnmatch of glibc with FNM_PATHNAME does not */
    {"*?\\/b", "xa/b", BOTH},
    {"_*\\/", "_*\\/", BOTH},
    {"*/*", "a/b/c", PLAIN},
    {"a*", "ab/c", PLAIN},
    {"**", "a/b/c", BOTH},
    {"**", "", BOTH},
    {"**/c", "a/b/c", BOTH},
    {"**/c", "c", PATH},
    {"**/c", "xc", 0},
    {"a/**", "a/b/c", BOTH},
    {"a/**", "a/", BOTH},
    {"a/**", "a", 0},
    {"a/**/c", "a/c", PATH},
    {"a/**/c", "a/x/y/c", BOTH},
    {"a/**/c", "ac", 0},
    {"a/**/b/**/c", "a/b/c", PATH},
    {"a/**/b/**/c", "a/1/b/2/3/c", BOTH},
    {"a**c", "abbc", BOTH},
    {"a**c", "a/c", PLAIN},
    {"**a", "b/a", PLAIN},
    {"a/b**/c", "a/bx/c", BOTH},
    {"a/b**/c", "a/bx/y/c", PLAIN},
    {"**/*.c", "x.c", PATH},
    {"**/*.c", "a/b/x.c", BOTH},
    {"[abc]", "b", BOTH},
    {"[abc]", "d", 0},
    {"[a-c]", "b", BOTH},
    {"[a-c]", "-", 0},
    {"[c-a]", "b", 0},
    {"[a-]", "-", BOTH},
    {"[-a]", "-", BOTH},
    {"[!abc]", "d", BOTH},
    {"[^abc]", "a", 0},
    {"[!a]", "/", PLAIN},
    {"[/]", "/", PLAIN},
    {"[]]", "]", BOTH},
    {"[!]]", "x", BOTH},
    {"[\\]]", "]", BOTH},
    {"[\\-a]", "-", BOTH},
    {"[[:alpha:]]", "x", BOTH},
    {"[[:alpha:]]", "1", 0},
    {"[[:digit:][:upper:]]", "Q", BOTH},
    {"[[:alpha:]-z]", "-", BOTH},
    {"[[:wrong:]]", "w", 0},
    {"[[:alpha:]", "a", 0},
    {"[", "[", 0},
    {"a[", "a[", 0},
    {"[a", "a", 0},
    {"\\*", "*", BOTH},
    {"\\*", "x", 0},
    {"\\\\", "\\", BOTH},
    {"a\\", "a\\", 0},
    {"a\\", "a", 0},
    {"\\a", "a", BOTH},
    {"??", "\xc3\xbc", BOTH}, /* bytes, as git has it */
    {"[\xc3][\xbc]", "\xc3\xbc", BOTH},
};

static void a_pattern_matches_what_git_would_match(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned pathname = 0; pathname < 2; pathname++) {
            bool expected = cases[i].matches_in & (pathname ? PATH : PLAIN);
            unsigned flags = pathname ? GLOB_PATHNAME : 0;
            if (glob_match(hv_str_from(cases[i].pattern), hv_str_from(cases[i].text), flags) != expected)
                fail_msg("\"%s\" on \"%s\", pathname %u", cases[i].pattern, cases[i].text, pathname);
        }
}

static void case_is_folded_only_when_asked_for(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"abC", "AbC"},       {"[a-c]", "B"}, {"[A-C]", "b"},
                                           {"[[:upper:]]", "x"}, {"\\a", "A"},   {"[x]", "X"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_false(glob_match(hv_str_from(pairs[i][0]), hv_str_from(pairs[i][1]), 0));
        assert_true(glob_match(hv_str_from(pairs[i][0]), hv_str_from(pairs[i][1]), GLOB_ICASE));
    }
    assert_false(glob_match(HV_STR("@"), HV_STR("`"), GLOB_ICASE));
}

/* ---- the plain way ---- */

/* By recursion, for literals, '?', '*', "**" and '/' in GLOB_PATHNAME. begin: the pattern is at a component's begin. */
static bool plain_match(const char *pattern, const char *text, bool begin)
{
    if (!*pattern)
        return !*text;
    if (*pattern == '*') {
        size_t stars = strspn(pattern, "*");
        const char *after = pattern + stars;
        bool deep = stars > 1 && begin && (!*after || *after == '/');
        if (deep && *after == '/' && plain_match(after + 1, text, true))
            return true;
        for (;; text++) {
            if (plain_match(after, text, false))
                return true;
            if (!*text || (*text == '/' && !deep))
                return false;
        }
    }
    if (!*text || (*pattern == '?' ? *text == '/' : *pattern != *text))
        return false;
    return plain_match(pattern + 1, text + 1, *pattern == '/');
}

static uint32_t seed = 5;

static uint32_t any(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 12) % below;
}

static void random_patterns_match_as_the_plain_way(void **state)
{
    (void)state;
    size_t matches = 0;
    for (size_t round = 0; round < 200000; round++) {
        char pattern[12] = "", text[12] = "";
        for (size_t i = 0, len = any(10); i < len; i++)
            pattern[i] = "ab/**?*/"[any(8)];
        for (size_t i = 0, len = any(10); i < len; i++)
            text[i] = "ab/a"[any(4)];
        bool expected = plain_match(pattern, text, true);
        matches += expected;
        if (glob_match(hv_str_from(pattern), hv_str_from(text), GLOB_PATHNAME) != expected)
            fail_msg("\"%s\" on \"%s\" is %d in the plain way", pattern, text, expected);
    }
    assert_true(matches > 1000);
}

static void hostile_patterns_take_bounded_time(void **state)
{
    (void)state;
    char pattern[2001], text[20001];
    memset(text, 'a', sizeof text);
    for (size_t i = 0; i + 1 < sizeof pattern; i += 2)
        memcpy(pattern + i, "*a", 2);
    pattern[sizeof pattern - 1] = 'b';
    assert_false(glob_match(hv_str_of(pattern, sizeof pattern), hv_str_of(text, sizeof text), 0));
    assert_false(glob_match(hv_str_of(pattern, sizeof pattern), hv_str_of(text, sizeof text), GLOB_PATHNAME));
    for (size_t i = 0; i < sizeof text; i += 2)
        text[i] = '/';
    for (size_t i = 0; i + 5 <= sizeof pattern; i += 5)
        memcpy(pattern + i, "**/a/", 5);
    assert_false(glob_match(hv_str_of(pattern, sizeof pattern), hv_str_of(text, sizeof text), GLOB_PATHNAME));
}

/* ---- braces ---- */

static const struct {
    const char *pattern;
    const char *alternatives; /* separated by a blank */
} expansions[] = {
    {"a", "a"},
    {"{a,b}", "a b"},
    {"x{a,b}y", "xay xby"},
    {"{a,b}{c,d}", "ac ad bc bd"},
    {"{a,{b,c}}d", "ad bd cd"},
    {"{a,b{1,2},c}", "a b1 b2 c"},
    {"{,a}b", "b ab"},
    {"{a}", "{a}"},
    {"{}", "{}"},
    {"{a,b", "{a,b"},
    {"a,b}", "a,b}"},
    {"{{a,b}", "{a {b"},
    {"{a,b}}", "a} b}"},
    {"\\{a,b}", "\\{a,b}"},
    {"{a\\,b,c}", "a\\,b c"},
    {"{[,],b}", "[,] b"},
    {"*.{c,h}", "*.c *.h"},
    {"{{a},b}", "{a} b"},
};

static void braces_expand_as_in_bash(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof expansions / sizeof *expansions; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        CLEANUP_BUF struct hv_buf all = {.max = 1000};
        struct glob_set set;
        assert_int_equal(glob_expand(&arena, hv_str_from(expansions[i].pattern), &set, NULL), HV_OK);
        for (size_t k = 0; k < set.count; k++)
            hv_buf_addf(&all, k ? " %.*s" : "%.*s", HV_STR_ARG(set.alternatives[k].pattern));
        if (!hv_str_is(hv_buf_str(&all), expansions[i].alternatives))
            fail_msg("\"%s\" gave \"%s\"", expansions[i].pattern, all.data);
    }
}

static void a_set_matches_by_path_or_by_name_and_can_be_turned_around(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *path;
        unsigned flags;
        bool matches;
    } sets[] = {
        {"*.{c,h}", "a.h", GLOB_PATHNAME, true},
        {"*.{c,h}", "d/a.h", GLOB_PATHNAME, false},
        {"*.{c,h}", "d/a.h", GLOB_PATHNAME | GLOB_BASENAME, true},
        {"d/*.c", "d/a.c", GLOB_PATHNAME | GLOB_BASENAME, true},
        {"d/*.c", "x/d/a.c", GLOB_PATHNAME | GLOB_BASENAME, false},
        {"!*.c", "a.c", GLOB_PATHNAME, false},
        {"!*.{c,h}", "a.txt", GLOB_PATHNAME, true},
        {"\\!a", "!a", GLOB_PATHNAME, true},
        {"**/{a,b}/*", "x/b/c", GLOB_PATHNAME, true},
    };
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct glob_set set;
        assert_int_equal(glob_expand(&arena, hv_str_from(sets[i].pattern), &set, NULL), HV_OK);
        if (glob_set_match(&set, hv_str_from(sets[i].path), sets[i].flags) != sets[i].matches)
            fail_msg("\"%s\" on \"%s\"", sets[i].pattern, sets[i].path);
    }
}

/* Without the flag a '?' is a byte, as in git's ignore files. */
static void characters_count_where_that_is_asked_for(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
        bool characters, bytes;
    } characters[] = {
        {"?.c", "é.c", true, false},
        {"??.c", "é.c", false, true},
        {"???.c", "日.c", false, true},
        {"?.c", "\xf0\x9f\x98\x80.c", true, false},
        {"?", "/", false, false},
        {"[éà].c", "é.c", true, false},
        {"[!é].c", "é.c", false, false},
        {"[!é].c", "日.c", true, false},
        {"[一-龥]", "日", true, false},
        {"[a-é]", "é", true, false},
        {"[a-é]", "z", true, true},
        {"[\\é]", "é", true, false},
        {"*?", "é", true, true},
        {"*??", "é", false, true},
        {"*??", "日本", true, true},
        {"*???", "日本", false, true},
        {"*[本]", "日本", true, true},
        {"**/?", "é/日", true, false},
        {"**/??", "é/日", false, false},
        {"*é*", "aéb", true, true},
        {"?.c", "\xff.c", true, true},
        {"?.c", "\xe6\x97.c", true, false},
        {"[[:alpha:]]", "é", false, false},
        {"*[!x]y", "éy", true, true},
    };
    for (size_t i = 0; i < sizeof characters / sizeof *characters; i++) {
        struct hv_str pattern = hv_str_from(characters[i].pattern), text = hv_str_from(characters[i].text);
        if (glob_match(pattern, text, GLOB_PATHNAME | GLOB_CHARACTERS) != characters[i].characters)
            fail_msg("\"%s\" on \"%s\" by characters", characters[i].pattern, characters[i].text);
        if (glob_match(pattern, text, GLOB_PATHNAME) != characters[i].bytes)
            fail_msg("\"%s\" on \"%s\" by bytes", characters[i].pattern, characters[i].text);
    }
    assert_true(glob_match(HV_STR("é?"), HV_STR("éa"), GLOB_CHARACTERS | GLOB_ICASE));
    assert_true(glob_match(HV_STR("*?/?"), HV_STR("日/é/é"), GLOB_CHARACTERS));
    assert_false(glob_match(HV_STR("*??"), HV_STR("日"), GLOB_CHARACTERS));
}

static struct hv_str repeat(struct hv_arena *arena, const char *piece, size_t times)
{
    struct hv_buf out;
    hv_buf_init(&out, 1 << 20);
    for (size_t i = 0; i < times; i++)
        hv_buf_add_cstr(&out, piece);
    struct hv_str text = hv_arena_str(arena, hv_buf_str(&out));
    hv_buf_release(&out);
    return text;
}

static void patterns_over_a_limit_are_refused(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct glob_set set = {.count = 77};
    struct hv_error err;
    assert_int_equal(glob_expand(&arena, HV_STR(""), &set, &err), HV_EINVAL);
    assert_true(err.hint[0]);
    assert_int_equal(glob_expand(&arena, HV_STR("!"), &set, &err), HV_EINVAL);
    assert_int_equal(glob_expand(&arena, HV_STR("src/[a-"), &set, &err), HV_EINVAL);
    assert_true(hv_str_find(hv_str_from(err.message), HV_STR("character 5"), 0) != SIZE_MAX);
    assert_int_equal(glob_expand(&arena, HV_STR("日本/{[é,b}"), &set, &err), HV_EINVAL);
    assert_non_null(strstr(err.message, "The class \"[é,b}\" at character 5 of the pattern"));
    assert_int_equal(glob_expand(&arena, HV_STR("[[:nope:]]"), &set, &err), HV_EINVAL);
    assert_int_equal(glob_expand(&arena, repeat(&arena, "a", 4097), &set, &err), HV_ETOOBIG);
    assert_int_equal(glob_expand(&arena, repeat(&arena, "{a,b}", 11), &set, &err), HV_ETOOBIG);
    assert_int_equal(glob_expand(&arena, repeat(&arena, "{a,", 20), &set, &err), HV_OK); /* never closed: literal */
    struct hv_str deep = hv_arena_join(&arena, repeat(&arena, "{a,", 40), repeat(&arena, "}", 40));
    set.count = 77;
    assert_int_equal(glob_expand(&arena, deep, &set, &err), HV_ETOOBIG);
    assert_int_equal(set.count, 77);
    assert_int_equal(glob_expand(&arena, repeat(&arena, "{a,b}", 10), &set, &err), HV_OK);
    assert_int_equal(set.count, 1024);
    assert_int_equal(glob_expand(&arena, repeat(&arena, "{", 4096), &set, &err), HV_ETOOBIG);
}

static void the_fixed_part_of_a_pattern_is_known(void **state)
{
    (void)state;
    static const char *const rows[][2] = {{"src/lib/x*.c", "src/lib"}, {"*.c", ""},    {"src/a.c", "src"},
                                          {"src/{a,b}/c", "src"},      {"a", ""},      {"/abs/*", "/abs"},
                                          {"a/b\\*/c", "a"},           {"a/**/b", "a"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(hv_str_is(glob_fixed_directory(hv_str_from(rows[i][0])), rows[i][1]));
    assert_true(glob_is_pattern(HV_STR("a*")) && glob_is_pattern(HV_STR("a\\b")) && glob_is_pattern(HV_STR("[")));
    assert_false(glob_is_pattern(HV_STR("plain/name")) || glob_is_pattern(HV_STR("nul\0")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pattern_matches_what_git_would_match),
        cmocka_unit_test(case_is_folded_only_when_asked_for),
        cmocka_unit_test(random_patterns_match_as_the_plain_way),
        cmocka_unit_test(hostile_patterns_take_bounded_time),
        cmocka_unit_test(braces_expand_as_in_bash),
        cmocka_unit_test(a_set_matches_by_path_or_by_name_and_can_be_turned_around),
        cmocka_unit_test(characters_count_where_that_is_asked_for),
        cmocka_unit_test(patterns_over_a_limit_are_refused),
        cmocka_unit_test(the_fixed_part_of_a_pattern_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
