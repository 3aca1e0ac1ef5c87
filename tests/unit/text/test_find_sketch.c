/*
 * test_find_sketch.c: which texts cannot match by their sketch (text/find_sketch.h). A text that holds a match is never
 * ruled out, whatever the pattern and its engine; most others are.
 */
#include "text/find_sketch.h"

#include "base/cleanup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
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

static struct find_sketch sketch_of(struct find_sketcher *sketcher, struct hv_str text, size_t piece)
{
    find_sketcher_begin(sketcher, text.len);
    for (size_t at = 0; at < text.len; at += piece)
        find_sketcher_add(sketcher, hv_str_slice(text, at, at + piece < text.len ? at + piece : text.len));
    return find_sketcher_end(sketcher);
}

/* Is the text ruled out? */
static bool asked(const char *pattern, const char *text)
{
    struct find_sketcher *sketcher = find_sketcher_new();
    struct find *find = compiled(pattern);
    struct find_ask *ask = find_ask_new(find);
    struct find_sketch sketch = sketch_of(sketcher, hv_str_from(text), 7);
    bool is_out = ask && find_ask_rules_out(ask, &sketch);
    find_ask_free(ask);
    find_release(find);
    find_sketcher_free(sketcher);
    return is_out;
}

/* Patterns: "=" before a text, "~" before one that ignores case. */
static void a_text_without_the_words_of_a_pattern_is_ruled_out(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
        bool is_out;
    } cases[] = {
        {"foobar", "some other words", true},
        {"foobar", "foo", true},
        {"foobar", "a foobar", false},
        {"foobar", "a FooBar", false}, /* sketches know no case */
        {"~FOOBAR", "some other words", true},
        {"~FOOBAR", "foobar", false},
        {"foobar", "", true},
        {"foo|quux", "some other words", true},
        {"foo|quux", "the quux", false},
        {"(foo|quux)_bar", "the quux", true},
        {"\\w+_init\\s*\\(", "some other words", true},
        {"\\w+_init\\s*\\(", "x_init(", false},
        {"~task", "ta\xc5\xbf\xe2\x84\xaa", false}, /* the long s and the Kelvin sign */
        {"~ask_me", "a\xc5\xbf\xe2\x84\xaa_me", false},
        {"~task_runner", "some other words", true},
        {"\\p{Greek}", "some other words", true},
        {"\\p{Greek}", "gr\xc3\xbc\xc3\x9f", false},
        {"=foo(bar)", "some other words", true},
        {"foo[0-9]bar", "some foo1 and bar", true},
        {"foo[0-9]bar", "foo1bar", false},
        {"-> *foo", "->foo", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (asked(cases[i].pattern, cases[i].text) != cases[i].is_out)
            fail_msg("\"%s\" in \"%s\"", cases[i].pattern, cases[i].text);
}

static void a_pattern_without_a_word_asks_nothing(void **state)
{
    (void)state;
    static const char *const patterns[] = {"^\\s*$", ".", "a*", "(foo|)", "ab", "=->", "[a-z]{3}", "f.o"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        struct find *find = compiled(patterns[i]);
        struct find_ask *ask = find_ask_new(find);
        if (ask)
            fail_msg("\"%s\" asks", patterns[i]);
        find_ask_free(ask);
        find_release(find);
    }
    find_ask_free(NULL);
    find_sketcher_free(NULL);
}

static uint32_t next_random(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 12) % below;
}

/* A sketch is the same in whatever pieces the text came, and large enough for a long text to tell something. */
static void pieces_do_not_matter(void **state)
{
    (void)state;
    enum { LEN = 100000 };
    char *text = hv_malloc(LEN);
    uint32_t seed = 3;
    struct find_sketcher *one = find_sketcher_new(), *two = find_sketcher_new();
    for (size_t i = 0; i < LEN; i++)
        text[i] = "etaoinshrdlu_ ->(){};\n\t "[next_random(&seed, 24)];
    for (size_t len = 0; len <= LEN; len = 3 * len + 1) {
        struct find_sketch whole = sketch_of(one, hv_str_of(text, len), LEN);
        for (size_t piece = 1; piece < 10000; piece = piece * 5 + 2) {
            struct find_sketch parts = sketch_of(two, hv_str_of(text, len), piece);
            assert_int_equal(parts.size, whole.size);
            assert_true(parts.is_ascii);
            assert_memory_equal(parts.bits, whole.bits, find_sketch_bytes(whole.size));
        }
        assert_true(whole.size >= FIND_SKETCH_MIN && whole.size <= FIND_SKETCH_MAX);
        unsigned set = 0;
        for (size_t i = 0; i < find_sketch_bytes(whole.size); i++)
            set += (unsigned)__builtin_popcount(whole.bits[i]);
        assert_true(2 * set <= 1u << whole.size);
    }
    find_sketcher_free(one);
    find_sketcher_free(two);
    free(text);
}

/* Words of few letters, so that much is found; now and then what makes a pattern of them. */
static void random_text(uint32_t *seed, char *out, size_t max, bool is_pattern)
{
    static const char *const parts[] = {"abc", "b", "bca", "ABC",  "_ab", "-",        "0a1",          "\xce\xb1", "ask",
                                        "SK",  "k", " ",   "kasb", "a_b", "\xc5\xbf", "\xe2\x84\xaa", "\n"};
    static const char *const more[] = {"[ab]",  "|",    "\\w", ".",     "(abc|bca)", "(a|b_)",
                                       "[0-9]", "\\s",  "b+",  "(?=a)", "(ask)?",    "(abc|cab|kas)x?",
                                       "\\b",   "[^a]", "(?i)"};
    size_t len = 0;
    for (uint32_t left = 1 + next_random(seed, is_pattern ? 6 : 24); left > 0; left--) {
        bool special = is_pattern && next_random(seed, 4) == 0;
        const char *part = special ? more[next_random(seed, 15)] : parts[next_random(seed, is_pattern ? 16 : 17)];
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
    struct find_options options = {.fixed = next_random(seed, 3) == 0,
                                   .ignore_case = next_random(seed, 3) == 0,
                                   .multiline = next_random(seed, 4) == 0,
                                   .word = next_random(seed, 8) == 0,
                                   .no_machine = next_random(seed, 4) == 0,
                                   .portable = next_random(seed, 4) == 0};
    random_text(seed, pattern, size, !options.fixed);
    return find_compile(hv_str_from(pattern), &options, &find, NULL) ? NULL : find;
}

static void what_is_ruled_out_holds_no_match(void **state)
{
    (void)state;
    uint32_t seed = 17;
    size_t out = 0, in = 0;
    struct find_sketcher *sketcher = find_sketcher_new();
    for (int round = 0; round < 40000; round++) {
        char pattern[128];
        struct find *find = random_find(&seed, pattern, sizeof pattern);
        struct find_ask *ask = find ? find_ask_new(find) : NULL;
        for (int texts = 0; ask && texts < 8; texts++) {
            char text[256];
            struct find_match match;
            random_text(&seed, text, sizeof text, false);
            struct find_sketch sketch = sketch_of(sketcher, hv_str_from(text), 1 + next_random(&seed, 40));
            struct find_scratch *scratch = find_scratch_new(find, NULL, NULL);
            bool is_out = find_ask_rules_out(ask, &sketch);
            bool found = find_next(scratch, hv_str_from(text), 0, &match) == FIND_FOUND;
            if (is_out && found)
                fail_msg("\"%s\" was ruled out in \"%s\"", pattern, text);
            out += is_out;
            in += found;
            find_scratch_free(scratch);
        }
        find_ask_free(ask);
        find_release(find);
    }
    find_sketcher_free(sketcher);
    assert_true(out > 1000 && in > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_without_the_words_of_a_pattern_is_ruled_out),
        cmocka_unit_test(a_pattern_without_a_word_asks_nothing),
        cmocka_unit_test(pieces_do_not_matter),
        cmocka_unit_test(what_is_ruled_out_holds_no_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
