/*
 * test_find_streams.c: which patterns lines are counted for by streams of bits, and that they give what PCRE2 gives on
 * one line after the other, wherever in a chunk lines and matches begin and end.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "base/cleanup.h"
#include "find_oracle.h"
#include "text/find.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

struct random {
    uint64_t state;
};

static unsigned pick(struct random *random, unsigned below)
{
    random->state = random->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((random->state >> 33) % below);
}

#define PICK(random, table) (table)[pick((random), sizeof(table) / sizeof((table)[0]))]

static struct find *compile(struct hv_str pattern, const struct find_options *options)
{
    struct find *find = NULL;
    struct hv_error err = {0};
    if (find_compile(pattern, options, &find, &err))
        fail_msg("%.*s: %s", HV_STR_ARG(pattern), err.message);
    return find;
}

static bool counts_by_streams(const struct find *find)
{
    CLEANUP_BUF struct hv_buf described = {.max = 4096};
    find_describe(find, &described);
    return hv_str_find(hv_buf_str(&described), HV_STR("counts by streams"), 0) != SIZE_MAX;
}

/* *hard becomes true when some line was too much for PCRE2. */
static size_t count(const struct find *find, struct hv_str text, size_t max, bool *hard)
{
    struct find_scratch *scratch = find_scratch_new(find, NULL, NULL);
    size_t lines = 0;
    assert_true(find_count(scratch, text, max, &lines));
    *hard |= find_hard(scratch) > 0;
    find_scratch_free(scratch);
    return lines;
}

/* ---- which patterns ---------------------------------------------------------------------------------------- */

static bool has_vectors(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("ssse3");
#elif defined(__aarch64__)
    return true;
#else
    return false;
#endif
}

static void patterns_in_which_only_classes_repeat_without_end_are_counted_by_streams(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        bool can, does; /* it can be done; it is, as nothing else is quicker */
    } rows[] = {
        {"^\\s*$", true, true},
        {"\\w+\\s*=\\s*\\w+;$", true, false},
        {"[a-z]+ [a-z]+", true, true},
        {"zq_no_such\\w+", true, false},
        {"(static|extern) (inline )?\\w+ \\*?device_", true, false},
        {"(ab)*c", true, true}, /* that is, "c" */
        {"a(bc)*d", false, false},
        {"(?=a)b", false, false},
        {"(a)\\1", false, false},
        {"\\w{70}", false, false},
        {"a+?b", true, false},
        {"a++b", false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned must = 0; must < 2; must++) {
            struct find *find = compile(hv_str_from(rows[i].pattern), &(struct find_options){.streams = must});
            if (counts_by_streams(find) != ((must ? rows[i].can : rows[i].does) && has_vectors()))
                fail_msg("%s, %u", rows[i].pattern, must);
            find_release(find);
        }
}

/* ---- what they count --------------------------------------------------------------------------------------- */

/* A line, alone in a text of newlines, or at its end, wherever in two chunks it begins. */
static void a_line_is_counted_wherever_it_stands(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *line;
        bool matches;
    } rows[] = {{"^a+$", "aaa", true},          {"^a+$", "aab", false},        {"^x.*y$", "x  y", true},
                {"^x.*y$", "x  y\r", true},     {"x$", "x\rx", true},          {"\\Bz\\b", "yz", true},
                {"\\bz\\B", "yz", false},       {"q[0-9]{3}q", "q12q", false}, {"q[0-9]{3}q", "q123q", true},
                {"^\\S+\\s\\S+$", "a b", true}, {"a(bc|d)?e", "abce", true},   {"a(bc|d)?e", "abde", false},
                {"[^\\n]\\r", "a\r", false},    {"a\\r\\w", "a\rb", true},     {"\\r$", "\r\r", true}};
    enum { LENGTH = 1200 };
    bool hard = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hv_str line = hv_str_from(rows[i].line);
        for (unsigned kernel = 0; kernel < 3; kernel++) {
            struct find *find =
                compile(hv_str_from(rows[i].pattern),
                        &(struct find_options){.streams = true, .no_avx512 = kernel == 1, .no_avx2 = kernel == 2});
            assert_true(counts_by_streams(find) || !has_vectors());
            for (size_t at = 0; at + line.len < LENGTH; at++) {
                char *text = hv_malloc(LENGTH);
                memset(text, '\n', LENGTH);
                memcpy(text + at, line.ptr, line.len);
                if (count(find, hv_str_of(text, LENGTH), 0, &hard) != rows[i].matches)
                    fail_msg("%s at %zu", rows[i].pattern, at);
                bool ends_in_return = line.ptr[line.len - 1] == '\r'; /* then it is no part of the line's end */
                text = hv_realloc(text, at + line.len);
                if (!ends_in_return && count(find, hv_str_of(text, at + line.len), 0, &hard) != rows[i].matches)
                    fail_msg("%s at %zu, at the end", rows[i].pattern, at);
                free(text);
            }
            find_release(find);
        }
    }
}

static const char *const atoms[] = {"a", "b",   "=",      "[a-c]", "[^a]",   "\\w",    "\\s",         "\\d",
                                    ".", "\\W", "[\\s=]", "ab",    "(a|bc)", "(a|b|)", "(?:(ab){2})", "(?:(a?b){0,2})"};
static const char *const repeats[] = {"", "", "", "", "*", "+", "?", "{2}", "{1,3}", "{3,}", "*?", "{0,2}"};
static const char *const places[] = {"^", "$", "\\b", "\\B"};

static void add_pattern(struct random *random, struct hv_buf *out)
{
    for (unsigned parts = 1 + pick(random, 5); parts; parts--) {
        if (pick(random, 4) == 0)
            hv_buf_add_cstr(out, PICK(random, places));
        hv_buf_add_cstr(out, PICK(random, atoms));
        hv_buf_add_cstr(out, PICK(random, repeats));
        if (parts > 1 && pick(random, 8) == 0)
            hv_buf_add_byte(out, '|');
    }
    if (pick(random, 4) == 0)
        hv_buf_add_cstr(out, PICK(random, places));
}

/* Short lines and long ones, runs of one byte that go through chunks, lone CRs, in some texts what is no ASCII. */
static void add_text(struct random *random, struct hv_buf *out)
{
    static const char *const pieces[] = {"a", "b", "c", "ab", "=", " ", "\t", "1", "\n", "\n", "\r\n", "\r", ";"};
    static const char *const others[] = {"\xc3\xa9", "\xff", "\xa9", "\xe2\x80\x89"};
    unsigned foreign = pick(random, 3) ? 0 : 1 + pick(random, 300);
    for (unsigned left = pick(random, 4) ? pick(random, 1500) : pick(random, 80); left; left--) {
        const char *piece = foreign && pick(random, foreign) == 0 ? PICK(random, others) : PICK(random, pieces);
        for (unsigned times = pick(random, 40) ? 1 : 1 + pick(random, 700); times; times--)
            hv_buf_add_cstr(out, piece);
    }
}

static void streams_agree_with_pcre2_on_random_patterns_and_texts(void **state)
{
    (void)state;
    enum { PATTERNS = 1500, TEXTS = 4 };
    struct random random = {20261122};
    unsigned by_streams = 0, matched = 0, too_hard = 0;
    for (unsigned i = 0; i < PATTERNS; i++) {
        CLEANUP_BUF struct hv_buf pattern = {.max = 4096};
        add_pattern(&random, &pattern);
        struct find_options options = {.streams = true, .no_avx512 = i % 3 == 1, .no_avx2 = i % 3 == 2};
        struct find *find = compile(hv_buf_str(&pattern), &options),
                    *oracle = compile(hv_buf_str(&pattern), &(struct find_options){.no_scan = true});
        by_streams += counts_by_streams(find);
        for (unsigned k = 0; k < TEXTS; k++) {
            CLEANUP_BUF struct hv_buf source = {.max = 8 << 20};
            add_text(&random, &source);
            char *text = hv_malloc(source.len ? source.len : 1); /* of its own, so that reading beyond it is seen */
            memcpy(text, source.len ? source.data : "", source.len);
            struct hv_str all = hv_str_of(text, source.len);
            bool hard = false;
            size_t max = pick(&random, 3) ? 0 : 1 + pick(&random, 20), expected = count(oracle, all, max, &hard),
                   found = count(find, all, max, &hard);
            if (!hard && found != expected)
                fail_msg("%.*s: %zu of %zu", HV_STR_ARG(hv_buf_str(&pattern)), found, expected);
            too_hard += hard;
            matched += expected > 0;
            free(text);
        }
        find_release(find);
        find_release(oracle);
    }
    assert_true(by_streams > PATTERNS / 2 || !has_vectors());
    assert_true(matched > PATTERNS);
    assert_true(too_hard < PATTERNS / 10);
}

/* With one scratch, which goes over to streams where lines to look at stand close, and back. */
static void dense_and_sparse_texts_are_counted_one_after_the_other(void **state)
{
    (void)state;
    static const char *const lines[] = {"int a;\n", "int a\n", "x\n", "int \xc3\xa9;\r\n", "int b;\r\n"};
    enum { TEXTS = 60, LINES = 400 };
    struct find *find = compile(HV_STR("int \\w+;$"), &(struct find_options){0});
    struct find_scratch *scratch = find_scratch_new(find, NULL, NULL);
    CLEANUP_BUF struct hv_buf described = {.max = 4096};
    struct random random = {7};
    find_describe(find, &described);
    assert_true(strstr(described.data, "counts what is dense") || !has_vectors());
    for (unsigned i = 0; i < TEXTS; i++) {
        CLEANUP_BUF struct hv_buf text = {.max = 1 << 20};
        size_t expected = 0, found = 0;
        for (unsigned k = 0; k < LINES; k++) {
            unsigned number = i / 10 % 2 ? 2 + !pick(&random, 100) : pick(&random, 5);
            hv_buf_add_cstr(&text, lines[number]);
            expected += number != 1 && number != 2;
        }
        assert_true(find_count(scratch, hv_buf_str(&text), 0, &found));
        assert_int_equal(found, expected);
    }
    find_scratch_free(scratch);
    find_release(find);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_in_which_only_classes_repeat_without_end_are_counted_by_streams),
        cmocka_unit_test(a_line_is_counted_wherever_it_stands),
        cmocka_unit_test(streams_agree_with_pcre2_on_random_patterns_and_texts),
        cmocka_unit_test(dense_and_sparse_texts_are_counted_one_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
