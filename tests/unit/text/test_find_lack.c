/* test_find_lack.c: what a text lacks for one pattern tells about others (text/find_lack.h). */
#include "text/find_lack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
/* After what it needs. */
#include <cmocka.h>

static struct find *compiled(const char *pattern)
{
    struct find_options options = {.fixed = pattern[0] == '=', .ignore_case = pattern[0] == '~'};
    struct find *find = NULL;
    pattern += options.fixed || options.ignore_case;
    assert_int_equal(find_compile(hv_str_from(pattern), &options, &find, NULL), HV_OK);
    return find;
}

/* Patterns: "=" before a text, "~" before one that ignores case. */
static void what_contains_the_other_is_ruled_out_with_it(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second;
        bool rules_out;
    } cases[] = {
        {"foo", "foo", true},
        {"foo", "foo_bar", true},
        {"foo", "xfoo", true},
        {"foo", "foo\\(", true},
        {"foo", "foo\\b", true},
        {"foo", "=foo(", true},
        {"foo", "(foo|foobar)x", true},
        {"foo", "zfoo1|foo2", true},
        {"foo|quux", "quux", true},
        {"foo|quux", "foo|quux", true},
        {"~foo", "foo", true},
        {"~foo", "FOO", true},
        {"~foo", "~xfoo", true},
        {"[0-9]{4}-", "2026-11", true},
        {"\\p{Greek}", "\xce\xb1", true}, /* all ASCII */
        {"\\p{Greek}", "\\p{Greek}", true},
        {"raid5_make_request", "a_raid5_make_request_of_many_more_bytes_than_a_scanner_looks_for", true},
        {"foo_bar", "foo", false},
        {"foo", "fo", false},
        {"foo", "bar", false},
        {"foo", "~foo", false},
        {"foo", "foo|bar", false},
        {"foo", "(foo)?bar", false},
        {"foo|quux", "foo|bar", false},
        {"foo", "f.o", false},
        {"foo", "^\\s*$", false},
        {"foo", "\\p{Greek}", false},
        {"\\p{Greek}", "foo", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct find *first = compiled(cases[i].first), *second = compiled(cases[i].second);
        struct find_lack *lack = find_lack_new(first);
        assert_non_null(lack);
        if (find_lack_rules_out(lack, second) != cases[i].rules_out)
            fail_msg("\"%s\" and then \"%s\"", cases[i].first, cases[i].second);
        find_release(first);
        find_release(second);
        find_lack_free(lack);
    }
}

static void a_pattern_that_rules_nothing_out_has_none(void **state)
{
    (void)state;
    static const char *const patterns[] = {"^\\s*$", ".", "a*", "(foo|)"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        struct find *find = compiled(patterns[i]);
        assert_null(find_lack_new(find));
        find_release(find);
    }
    find_lack_free(NULL);
}

static void equal_is_what_says_the_same(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        bool equal;
    } cases[] = {{"foo", "foo", true},        {"foo", "=foo", true},        {"foo", "foo1", false},
                 {"foo|bar", "foo", false},   {"foo|bar", "bar|foo", true}, {"\\p{Greek}", "\\p{Greek}", true},
                 {"\\p{Greek}", "foo", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct find *a = compiled(cases[i].a), *b = compiled(cases[i].b);
        struct find_lack *of_a = find_lack_new(a), *of_b = find_lack_new(b);
        if (find_lack_equals(of_a, of_b) != cases[i].equal || find_lack_equals(of_b, of_a) != cases[i].equal)
            fail_msg("\"%s\" and \"%s\"", cases[i].a, cases[i].b);
        find_lack_free(of_a);
        find_lack_free(of_b);
        find_release(a);
        find_release(b);
    }
}

static uint32_t next_random(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 12) % below;
}

/* Some letters of few kinds, so that much is found; now and then what makes a pattern of them. */
static void random_text(uint32_t *seed, char *out, size_t max, bool is_pattern)
{
    static const char *const parts[] = {"a", "b", "ab", "A", "_", "-", "0", "\xce\xb1", "b_a", "c"};
    static const char *const more[] = {"[ab]", "|", "\\w", ".", "a?", "(a|b_)", "[0-9]", "\\s", "b+", "(?=a)"};
    size_t len = 0;
    for (uint32_t left = 1 + next_random(seed, is_pattern ? 6 : 24); left > 0; left--) {
        bool special = is_pattern && next_random(seed, 4) == 0;
        const char *part = special ? more[next_random(seed, 10)] : parts[next_random(seed, 10)];
        if (len + strlen(part) >= max)
            break;
        memcpy(out + len, part, strlen(part));
        len += strlen(part);
    }
    out[len] = '\0';
}

static struct find *random_find(uint32_t *seed, char *pattern, size_t size)
{
    struct find *find = NULL;
    struct find_options options = {.fixed = next_random(seed, 3) == 0, .ignore_case = next_random(seed, 3) == 0};
    random_text(seed, pattern, size, !options.fixed);
    return find_compile(hv_str_from(pattern), &options, &find, NULL) ? NULL : find;
}

static void what_is_ruled_out_holds_no_match(void **state)
{
    (void)state;
    uint32_t seed = 11;
    size_t told = 0;
    for (int round = 0; round < 60000; round++) {
        char a[128], b[128], text[256];
        size_t clear;
        struct find_match match;
        struct find *first = random_find(&seed, a, sizeof a), *second = random_find(&seed, b, sizeof b);
        struct find_lack *lack = first && second ? find_lack_new(first) : NULL;
        random_text(&seed, text, sizeof text, false);
        if (lack && find_lack_rules_out(lack, second)) {
            struct find_scratch *one = find_scratch_new(first, NULL, NULL), *two = find_scratch_new(second, NULL, NULL);
            bool is_out = find_rules_out(one, hv_str_from(text), &clear);
            told += is_out;
            if (is_out && find_next(two, hv_str_from(text), 0, &match) == FIND_FOUND)
                fail_msg("\"%s\" ruled out \"%s\" in \"%s\"", a, b, text);
            find_scratch_free(one);
            find_scratch_free(two);
        }
        find_lack_free(lack);
        find_release(first);
        find_release(second);
    }
    assert_true(told > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_contains_the_other_is_ruled_out_with_it),
        cmocka_unit_test(a_pattern_that_rules_nothing_out_has_none),
        cmocka_unit_test(equal_is_what_says_the_same),
        cmocka_unit_test(what_is_ruled_out_holds_no_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
