/* test_find.c: which engine a pattern gets, what is found by tables, errors, limits, and all engines against PCRE2. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "base/cleanup.h"
#include "find_oracle.h"
#include "text/find.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

enum {
    PLAIN = 0,
    FIXED = 1,
    NOCASE = 2,
    ACROSS = 4,
    WORD = 8,
    PORTABLE = 16,
    NO_AVX2 = 32,
    NO_MACHINE = 64,
    NO_SCAN = 128,
    NO_AVX512 = 256,
    OF_RANDOM = 127, /* and NO_AVX512 */
    KERNELS = 4,
};

/* Without any more than each of these allows. */
static const unsigned kernels[KERNELS] = {PLAIN, NO_AVX512, NO_AVX2, PORTABLE};

static struct find_options options_of(unsigned flags)
{
    return (struct find_options){.fixed = flags & FIXED,
                                 .ignore_case = flags & NOCASE,
                                 .multiline = flags & ACROSS,
                                 .word = flags & WORD,
                                 .portable = flags & PORTABLE,
                                 .no_avx2 = flags & NO_AVX2,
                                 .no_avx512 = flags & NO_AVX512,
                                 .no_machine = flags & NO_MACHINE,
                                 .no_scan = flags & NO_SCAN};
}

static struct find *compile(struct hv_str pattern, unsigned flags)
{
    struct find_options options = options_of(flags);
    struct find *find = NULL;
    struct hv_error err = {0};
    if (find_compile(pattern, &options, &find, &err))
        fail_msg("%.*s: %s", HV_STR_ARG(pattern), err.message);
    return find;
}

/* ---- engines --------------------------------------------------------------------------------------------- */

static const struct {
    const char *pattern;
    unsigned flags;
    const char *described;
} engines[] = {
    {"kmalloc_array", PLAIN, "literal \"kmalloc_array\""},
    {"kmalloc_array", PORTABLE, "literal \"kmalloc_array\": 13 bytes, by bytes 0 and 12 (plain)"},
#if defined(__x86_64__) || defined(__aarch64__)
    {"kmalloc_array", NO_AVX2, "literal \"kmalloc_array\": 13 bytes, by bytes 0 and 12 (16 bytes)"},
#endif
    {"foo\\.bar\\(", PLAIN, "literal \"foo.bar(\""},
    {"foo.bar(", FIXED, "literal \"foo.bar(\""},
    {"Suspend", NOCASE, "literal, ignoring case \"suspend\""},
    {"ask", NOCASE, "literal, ignoring case \"ask\": 2 bytes"},
    {"task", NOCASE, "literal, ignoring case \"task\": 3 bytes"},
    {"sks", NOCASE, "scan, then PCRE2 on the line, ignoring case"},
    {"kmalloc", WORD, "scan, then PCRE2 on the line"},
    {"\\w+_init\\s*\\(", PLAIN, "scan, then PCRE2 on the line: 5 bytes"}, /* not the letter before */
    /* " device_" and "*device_" in one; not by what all of "device" has */
    {"\\w+ \\*?device_", PLAIN, "scan, then PCRE2 on the line: 8 bytes, by bytes 3 and 7 "},
    {"(ab|elder)_jumpy", PLAIN, "scan, then PCRE2 on the line: 8 bytes"},
    {"alpha|beta|gamma", PLAIN, "scan, then PCRE2 on the line: 3 sequences"},
    {"\\d{4}-\\d{2}-\\d{2}", PLAIN, "scan, then PCRE2 on the line: "},
    {"[A-Z]{3,}_[0-9]+", PLAIN, "scan, then PCRE2 on the line: 5 bytes"},
    {"(static|extern) (inline )?[a-z]", PLAIN, "scan, then PCRE2 on the line: "},
    {"\\b[a-z]{14,}\\b", PLAIN, "scan, then PCRE2 on the line: 14 bytes"},
    {"\\p{Greek}", PLAIN, "scan, then PCRE2 on the line: 1 bytes"},
    {"foo(?=bar)", PLAIN, "scan, then PCRE2 on the line: 3 bytes"},
    {"^\\s*$", PLAIN, "a machine on each line, a machine of 2 states"},
    {"^\\s*$", NO_MACHINE, "PCRE2 on windows of lines"},
    {"[^q]*e[^q]{12}", PLAIN, "PCRE2 on windows of lines"}, /* would be thousands of states */
    {"a{3}|\\w*?", PLAIN, "a machine on each line"},
    {"a{3}|\\w*+", PLAIN, "PCRE2 on each line"},
    {"(?<=a).", PLAIN, "PCRE2 on each line"},
    {"(?-m)^\\w", PLAIN, "PCRE2 on each line"},
    {"(a)\\1", PLAIN, "PCRE2 on windows of lines"},
    {"(?x) a b c", PLAIN, "PCRE2 on each line"},
    {"struct.*uuid", ACROSS, "scan, then PCRE2 on the text"},
    {".*", ACROSS, "PCRE2 on the text"},
    {"kmalloc", NO_SCAN, "PCRE2 on each line"},
};

static void each_kind_of_pattern_gets_its_engine(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++) {
        CLEANUP_BUF struct hv_buf text = {.max = 4096};
        struct find *find = compile(hv_str_from(engines[i].pattern), engines[i].flags);
        find_describe(find, &text);
        if (!hv_str_starts(hv_buf_str(&text), hv_str_from(engines[i].described)))
            fail_msg("%s: %s", engines[i].pattern, text.data);
        find_release(find);
    }
}

/* ---- matches --------------------------------------------------------------------------------------------- */

#define BYTES(literal)                                                                                                 \
    {                                                                                                                  \
        literal, sizeof(literal) - 1                                                                                   \
    }

static const struct {
    const char *pattern;
    unsigned flags;
    struct hv_str text;
    const char *matches;
} cases[] = {
    {"a", PLAIN, BYTES(""), ""},
    {"", PLAIN, BYTES("ab\n"), "0-0 1-1 2-2 "},
    {"", PLAIN, BYTES(""), ""},
    {"", FIXED, BYTES("a"), "0-0 "},
    {"abc", PLAIN, BYTES("abcabc\nxabc"), "0-3 3-6 8-11 "},
    {"aa", PLAIN, BYTES("aaaaa"), "0-2 2-4 "},
    {"a$", PLAIN, BYTES("a\r\nba\nac\na"), "0-1 4-5 9-10 "},
    {"^a", PLAIN, BYTES("a\r\na\na"), "0-1 3-4 5-6 "},
    {"\\s+$", PLAIN, BYTES("x \r\ny\t\n\n"), "1-2 5-6 "},
    {"^$", PLAIN, BYTES("\n\r\n\nx\n"), "0-0 1-1 3-3 "},
    {"a\\s+b", PLAIN, BYTES("a\nb\na b"), "4-7 "},
    {"a\\s+b", ACROSS, BYTES("a\nb\na b"), "0-3 4-7 "},
    {"\r", PLAIN, BYTES("a\r\n\r\r\n\r"), "3-4 6-7 "},
    {"a.b", ACROSS, BYTES("a\nb"), "0-3 "},
    {"\\sb", ACROSS, BYTES("a\r\nb\r\n"), "2-4 "},
    {"[^a]b$", ACROSS, BYTES("a\r\nb\r\nab"), "2-4 "},
    {"(?x) \\W b # (", ACROSS, BYTES("a\r\nb"), "2-4 "},
    {"\\s\\Qb", ACROSS, BYTES("a\r\nb"), "2-4 "},
    {"(\\W)b\\1", ACROSS, BYTES("a\r\nb\nb"), "2-5 "},
    {"^b$", ACROSS, BYTES("a\r\nb\r\n"), "3-4 "},
    {"a.b", PLAIN, BYTES("a\nb"), ""},
    {"a\nb", FIXED | ACROSS, BYTES("xa\nb"), "1-4 "},
    {"[^a]", PLAIN, BYTES("a\na"), ""},
    {"(?<=\\s)b", PLAIN, BYTES("a\nb"), ""},
    {"\\Ab|a(?!\\s)", PLAIN, BYTES("a\nb"), "0-1 2-3 "},
    {"a\0b", FIXED, BYTES("a\0b"), "0-1 "},
    {"\\x00b", PLAIN, BYTES("a\0b"), "1-3 "},
    {".", PLAIN, BYTES("\xc3\xa9\xff\xe2\x84"), "0-2 "},
    {"\xc3\xa9", NOCASE, BYTES("\xc3\x89"), "0-2 "},
    {"kiss", NOCASE, BYTES("\xe2\x84\xaaI\xc5\xbfS kiss"), "0-7 8-12 "},
    {"spinlock", NOCASE, BYTES("SPINLOC\xe2\x84\xaa \xc5\xbfpinlock"), "0-10 11-20 "},
    {"foos", NOCASE, BYTES("foo\xc5\x9b\nFoos\nfoo\xc5\xbf\nfoo\xc5"), "6-10 11-16 "},
    {"kfoo", NOCASE,
     BYTES("\xc2\xaa"
           "foo\nkFoo\nfook"),
     "6-10 "},
    {"ab", WORD, BYTES("ab abc cab _ab ab"), "0-2 15-17 "},
    {"a|ab", WORD, BYTES("ab"), "0-2 "},
    {"(foo|bar)baz", PLAIN, BYTES("foobaz barbaz fooba"), "0-6 7-13 "},
    {"foo\\Kbar", PLAIN, BYTES("foobar"), "3-6 "},
    {"colou?r", PLAIN, BYTES("color colour colr"), "0-5 6-12 "},
    {"(?i)suspend(?-i)X", PLAIN, BYTES("SUSPENDX SUSPENDx"), "0-8 "},
    {"\\d{4}-\\d{2}-\\d{2}", PLAIN, BYTES("x 2024-01-31, 24-01-31"), "2-12 "},
};

/* Lines are counted as they are found one by one. */
static void compare_counts(const struct find *find, bool multiline, struct hv_str text, size_t max)
{
    struct find_scratch *scratch = find_scratch_new(find, NULL, NULL), *other = find_scratch_new(find, NULL, NULL);
    struct find_match match;
    size_t lines = 0, count = 0;
    for (size_t at = 0; (!max || lines < max) && find_next(other, text, at, &match) == FIND_FOUND; lines++)
        at = multiline ? match.next : match.end;
    assert_true(find_count(scratch, text, max, &count));
    if (!find_hard(scratch) && !find_hard(other))
        assert_int_equal(count, lines);
    size_t clear = 0;
    if (!find_rules_out(scratch, text, &clear) && clear) {
        assert_true(text.ptr[clear - 1] == '\n');
        assert_true(find_count(scratch, hv_str_slice(text, clear, text.len), max, &count));
        if (!find_hard(scratch) && !find_hard(other))
            assert_int_equal(count, lines);
    }
    find_scratch_free(scratch);
    find_scratch_free(other);
}

static void check_case(size_t i, unsigned more)
{
    CLEANUP_BUF struct hv_buf found = {.max = 4096};
    struct find *find = compile(hv_str_from(cases[i].pattern), cases[i].flags | more);
    assert_true(find_all(find, cases[i].text, &found));
    if (!hv_str_is(hv_buf_str(&found), cases[i].matches))
        fail_msg("case %zu, %s (%u): %s", i, cases[i].pattern, more, found.len ? found.data : "nothing");
    compare_counts(find, cases[i].flags & ACROSS, cases[i].text, 0);
    find_release(find);
}

static void matches_are_where_they_should_be(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (unsigned k = 0; k < KERNELS; k++)
            check_case(i, kernels[k]);
        check_case(i, NO_MACHINE);
        check_case(i, NO_SCAN);
    }
}

/* The only match, wherever in texts of any length up to some blocks it stands, right up to the edges. */
static void no_place_is_missed_at_the_edges_of_blocks(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
    } needles[] = {{"quux", "quux"},     {"qu[0-9]{3}", "qu123"},
                   {"[0-9]{4}", "2024"}, {"qux|vwz", "vwz"},
                   {"~", "~"},           {"[0-9A-F]{20}", "0123456789ABCDEF0123"}};
    char room[220];
    for (size_t i = 0; i < KERNELS * sizeof needles / sizeof needles[0]; i++) {
        struct hv_str needle = hv_str_from(needles[i / KERNELS].text);
        struct find *find = compile(hv_str_from(needles[i / KERNELS].pattern), kernels[i % KERNELS]);
        struct find_scratch *scratch = find_scratch_new(find, NULL, NULL);
        struct find_match match;
        for (size_t len = needle.len; len <= sizeof room; len += len < 150 ? 1 : 7) {
            char *text = hv_malloc(len);
            for (size_t at = 0; at + needle.len <= len; at++) {
                memset(text, 'e', len);
                memcpy(text + at, needle.ptr, needle.len);
                assert_int_equal(find_next(scratch, hv_str_of(text, len), 0, &match), FIND_FOUND);
                assert_int_equal(match.from, at);
                assert_int_equal(find_next(scratch, hv_str_of(text, len), at + 1, &match), FIND_NONE);
            }
            free(text);
        }
        find_scratch_free(scratch);
        find_release(find);
    }
}

/* ---- errors ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *pattern, *message, *hint;
} errors[] = {
    {"foo(bar", "at position 8: foo(bar ⟨here⟩ ", "foo\\(bar ("},
    {"foo)", "at position 4: foo ⟨here⟩ )", "foo\\) ("},
    {"a[b", "at position 4", "a\\[b ("},
    {"*foo", "position 1: ", "\\*foo ("},
    {"a|+b", "The pattern is not valid", "a|\\+b ("},
    {"x{3,1}", "The pattern is not valid", "x\\{3,1} ("},
    {"foo\\", "The pattern is not valid", "foo\\\\ ("},
    {"C:\\iron", "The pattern is not valid", "C:\\\\iron ("},
    {"(?what)", "The pattern is not valid", "\\(\\?what\\) ("},
    {"(?P=no)", "The pattern is not valid", "set fixed_strings"},
    {"a{1,100000}b", "The pattern is not valid", "a{1,}b (a count is at most 65535"},
    {"a{70000}", "The pattern is not valid", "a\\{70000} ("},
    {"\\u0041b", "The pattern is not valid", "\\x{0041}b ("},
    {"\\u{1F600}", "The pattern is not valid", "\\x{1F600} ("},
    {"C:\\Users", "The pattern is not valid", "C:\\\\Users ("},
    {"[\\w-.]+", "The pattern is not valid", "[\\w\\-.]+ ("},
    {"[a-\\d]", "The pattern is not valid", "[a\\-\\d] ("},
    {"[+-*]", "The pattern is not valid", "[+\\-*] ("},
    {"x[:alpha:]+", "The pattern is not valid", "x[[:alpha:]]+ ("},
    {"(*p)->x", "The pattern is not valid", "\\(\\*p\\)->x ("},
    {"foo(*", "The pattern is not valid", "foo\\(\\* ("},
    {"f(*NAME)", "The pattern is not valid", "f\\(\\*NAME\\) ("},
    {"((a{0,900}){0,900}){0,9}b", "too large", "smaller counts"},
    {"a\\nb", "holds a line end", "multiline"},
    {"\"%d\\n\", x", "holds a line end", "an n, as they stand in source code, are written \\\\n"},
    /* several faults, and what would be valid without finding the text */
    {"int (*fn)(", "The pattern is not valid", "mean int \\(\\*fn\\)\\( ("},
    {"foo(*args, **kwargs", "The pattern is not valid", "mean foo\\(\\*args, \\*\\*kwargs ("},
    {"useState<string[]>(", "The pattern is not valid", "mean useState<string\\[\\]>\\( ("},
    {"#[derive(", "The pattern is not valid", "mean #\\[derive\\( ("},
    {"operator()(", "The pattern is not valid", "mean operator\\(\\)\\( ("},
    {"x += y[", "The pattern is not valid", "mean x \\+= y\\[ ("},
    {"$('#id", "The pattern is not valid", "mean \\$\\('#id ("},
    {"[[ $x == (", "The pattern is not valid", "mean \\[\\[ \\$x == \\( ("},
    {"a || (b", "The pattern is not valid", "mean a \\|\\| \\(b ("},
    {"**/*.ts", "The pattern is not valid", "mean \\*\\*/\\*.ts ("},
    {"*.ts", "The pattern is not valid", "files are chosen by their names with glob"},
    {"foo|**bar", "The pattern is not valid", "mean foo|\\*\\*bar ("},
    {"^\\w+ (", "The pattern is not valid", "mean ^\\w+ \\( ("},
    {"[0-9]+(a", "The pattern is not valid", "mean [0-9]+\\(a ("},
    {"src\\main\\java", "The pattern is not valid", "mean src\\\\main\\\\java ("},
    {"C:\\Users\\foo", "The pattern is not valid", "mean C:\\\\Users\\\\foo ("},
    {"C:\\foo\\bar\\", "The pattern is not valid", "mean C:\\\\foo\\\\bar\\\\ ("},
    {"\\d+\\y", "The pattern is not valid", "mean \\d+\\\\y ("},
    {"(?:foo|bar", "The pattern is not valid", "mean (?:foo|bar) (a group"},
    {"a(?:b(?=c", "The pattern is not valid", "mean a(?:b(?=c)) (a group"},
    {"(?<name>a", "The pattern is not valid", "mean (?<name>a) (a group"},
    {"(?P<n>", "The pattern is not valid", "mean \\(\\?P<n> ("},
    {"(?i)f(", "The pattern is not valid", "mean (?i)f\\( ("},
    {"(?u)foo", "The pattern is not valid", "mean foo (the flags"},
    {"(?iu)foo", "The pattern is not valid", "mean (?i)foo (the flags"},
    {"(?<=a+)b", "The pattern is not valid", "mean a+\\Kb ("},
    {"(?<=\\(a|bc+)\\d", "The pattern is not valid", "mean (?:\\(a|bc+)\\K\\d ("},
    {"x(?<=a+)b", "The pattern is not valid", "What (?<=…) looks for must have one length; foo.*\\Kbar"},
    {"(?<!a.*)b", "The pattern is not valid", "What (?<!…) looks for must have one length; ^(?!.*foo"},
    {"[[:alpha:]+", "The pattern is not valid", "mean [[:alpha:]]+ ("},
    {"[[:letter:]]", "The pattern is not valid", "Named classes are alpha,"},
    {"\\U0001F600", "The pattern is not valid", "mean \\x{0001F600} ("},
    {"\\p{IsGreek}+", "The pattern is not valid", "mean \\p{Greek}+ ("},
    {"\\p{^Letter}", "The pattern is not valid", "mean \\p{^L} ("},
    {"\\p{Foo}", "The pattern is not valid", "Properties and scripts have PCRE2's names"},
    {"\\p", "The pattern is not valid", "escape special characters with \\"},
    {"\\pq", "The pattern is not valid", "A property is a letter or has braces"},
    {"a(b)\\2", "The pattern is not valid", "stand for a group in parentheses"},
    {"(?<a>x)(?<a>y)", "The pattern is not valid", "a name of its own"},
    {"xx(éééééééééééééééééééééééééy", "position 30: ééééééééééééééééééééy", "xx\\(é"},
    {"日本(é", "at position 5: 日本(é ⟨here⟩ ", "日本\\(é ("},
    {"a\xff", "not UTF-8, at position 2", ""},
};

static void an_invalid_pattern_is_answered_with_what_to_write_instead(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        struct find_options options = {0};
        struct find *find = NULL;
        struct hv_error err = {0};
        assert_int_equal(find_compile(hv_str_from(errors[i].pattern), &options, &find, &err), HV_EINVAL);
        assert_null(find);
        if (!strstr(err.message, errors[i].message) || !strstr(err.hint, errors[i].hint))
            fail_msg("%s: %s | %s", errors[i].pattern, err.message, err.hint);
    }
}

/* As a filter of another tool's has it, beside which there is nothing to set. */
static void advice_names_other_options_only_where_there_are_some(void **state)
{
    static const char *const patterns[] = {"foo(bar", "(?P=no)", "a\\nb", "*.ts"};
    (void)state;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        struct find_options options = {.plain_advice = true};
        struct find *find = NULL;
        struct hv_error err = {0};
        assert_int_equal(find_compile(hv_str_from(patterns[i]), &options, &find, &err), HV_EINVAL);
        if (!err.hint[0] || strstr(err.hint, "fixed_strings") || strstr(err.hint, "multiline"))
            fail_msg("%s: %s", patterns[i], err.hint);
    }
}

static void a_pattern_that_is_too_long_is_refused(void **state)
{
    (void)state;
    struct find_options options = {.fixed = true};
    struct find *find = NULL;
    CLEANUP_FREE char *pattern = hv_malloc(FIND_PATTERN_MAX + 1);
    memset(pattern, 'a', FIND_PATTERN_MAX + 1);
    assert_int_equal(find_compile(hv_str_of(pattern, FIND_PATTERN_MAX + 1), &options, &find, NULL), HV_ETOOBIG);
    assert_int_equal(find_compile(hv_str_of(pattern, FIND_PATTERN_MAX), &options, &find, NULL), HV_OK);
    find_release(find);
}

static bool stop_at_once(void *user)
{
    ++*(int *)user;
    return true;
}

static void a_pathological_pattern_ends_at_the_match_limit(void **state)
{
    (void)state;
    struct find *find = compile(HV_STR("(?=a)(a+)+$"), PLAIN);
    struct find_scratch *scratch = find_scratch_new(find, NULL, NULL);
    struct hv_str text = HV_STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\naa\n");
    struct find_match match;
    assert_int_equal(find_next(scratch, text, 0, &match), FIND_FOUND);
    assert_int_equal(match.from, text.len - 3);
    assert_int_equal(find_hard(scratch), 1);
    find_scratch_free(scratch);

    int asked = 0;
    scratch = find_scratch_new(find, stop_at_once, &asked);
    assert_int_equal(find_next(scratch, text, 0, &match), FIND_STOPPED);
    assert_int_equal(asked, 1);
    find_scratch_free(scratch);
    find_release(find);
}

/* ---- all engines against PCRE2 ---------------------------------------------------------------------------- */

struct random {
    uint64_t state;
};

static unsigned pick(struct random *random, unsigned below)
{
    random->state = random->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((random->state >> 33) % below);
}

#define PICK(random, table) (table)[pick((random), sizeof(table) / sizeof((table)[0]))]

static const char *const words[] = {"a",        "b",    "k",   "s",    "ab", "ka",   "zap",      "task",
                                    "quiz",     "init", "_x",  "q1",   "-",  "2024", "\xc3\xa9", "\xe2\x84\xaa",
                                    "\xc5\xbf", "Z",    "ZAP", "QuiZ", "\"", "=="};
static const char *const classes[] = {"[a-z]",  "[A-Z]",       "[0-9]",         "[^a]",  "[kz]",    "[]a]", "[^]q]",
                                      "\\d",    "\\w",         "\\s",           "\\W",   "\\S",     ".",    "[\\w-]",
                                      "\\p{L}", "[[:alpha:]]", "[[:^digit:]_]", "\\x7a", "\\x{e9}", "\\N",  "[a\\]q]",
                                      "\\h",    "[\xc3\xa9z]", "\\pN",          "\\-",   "\\R"};
static const char *const zero[] = {"^",      "$",      "\\b",  "\\B",   "(?=z)", "(?!z)",
                                   "(?<=a)", "(?<!q)", "(?i)", "(?-i)", "\\K",   "\\A"};
static const char *const quantifiers[] = {"*",     "+",  "?",  "{2}", "{1,3}", "{3,}", "{0}",
                                          "{0,1}", "+?", "*?", "++",  "{2}+",  "{",    "{,2}"};
static const char *const openings[] = {
    "(", "(?:", "(?i:", "(?>", "(?<n>", "(?=", "(?!", "(?<=", "(?s-i:", "(?|", "(?x: "};

static void add_branch(struct random *random, unsigned depth, struct hv_buf *out)
{
    for (unsigned count = 1 + pick(random, 4); count; count--) {
        unsigned kind = pick(random, 20);
        if (kind < 9) {
            hv_buf_add_cstr(out, PICK(random, words));
        } else if (kind < 14) {
            hv_buf_add_cstr(out, PICK(random, classes));
        } else if (kind < 16) {
            hv_buf_add_cstr(out, PICK(random, zero));
            continue;
        } else if (depth) {
            hv_buf_add_cstr(out, pick(random, 3) ? openings[0] : PICK(random, openings));
            for (unsigned branches = 1 + pick(random, 3); branches; branches--) {
                add_branch(random, depth - 1, out);
                if (branches > 1)
                    hv_buf_add_byte(out, '|');
            }
            hv_buf_add_byte(out, ')');
        } else {
            hv_buf_add_cstr(out, pick(random, 4) ? "z" : "\\1");
        }
        if (pick(random, 3) == 0)
            hv_buf_add_cstr(out, PICK(random, quantifiers));
    }
}

static void add_text(struct random *random, struct hv_buf *out)
{
    static const char *const others[] = {"\n",
                                         "\n",
                                         "\r\n",
                                         " ",
                                         "\t",
                                         "\xff",
                                         "\xe2\x84",
                                         "\xa9",
                                         "\xc3",
                                         "\r",
                                         "\xce\xb1",
                                         "ZZZZ",
                                         "aaaaaaaaaaaaaaaaaa",
                                         "12345678"};
    unsigned count = pick(random, 8) ? pick(random, 60) : pick(random, 600);
    while (count--) {
        if (pick(random, 3))
            hv_buf_add_cstr(out, PICK(random, words));
        else if (pick(random, 20))
            hv_buf_add_cstr(out, PICK(random, others));
        else
            hv_buf_add(out, "\0", 1);
    }
}

static bool rules_out(const struct find *find, struct hv_str text)
{
    struct find_scratch *scratch = find_scratch_new(find, NULL, NULL);
    size_t clear;
    bool out = find_rules_out(scratch, text, &clear);
    find_scratch_free(scratch);
    return out;
}

/* How many of the texts held a match. */
static unsigned compare(struct random *random, struct hv_str pattern, unsigned flags, unsigned texts)
{
    struct find_options options = options_of(flags);
    struct find *find = NULL;
    struct oracle oracle;
    unsigned matched = 0;
    if (find_compile(pattern, &options, &find, NULL))
        return 0;
    if (!oracle_init(&oracle, pattern, &options))
        fail_msg("only PCRE2 refuses %.*s", HV_STR_ARG(pattern));
    for (; texts; texts--) {
        CLEANUP_BUF struct hv_buf source = {.max = 1 << 20}, expected = {.max = 1 << 20}, found = {.max = 1 << 20},
                                  described = {.max = 4096};
        add_text(random, &source);
        char *text = hv_malloc(source.len + 1); /* of its own, so that reading beyond it is seen */
        memcpy(text, source.len ? source.data : "", source.len);
        text = hv_realloc(text, source.len ? source.len : 1);
        oracle.failed = false;
        oracle_all(&oracle, hv_str_of(text, source.len), &expected);
        bool complete = find_all(find, hv_str_of(text, source.len), &found);
        matched += expected.len > 0;
        if (complete && !oracle.failed && !hv_str_eq(hv_buf_str(&found), hv_buf_str(&expected))) {
            find_describe(find, &described);
            print_message(
                "# pattern: %.*s\n# flags: %u, %s\n# expected: %s\n# found: %s\n# text: ", HV_STR_ARG(pattern), flags,
                described.data, expected.len ? expected.data : "", found.len ? found.data : "");
            for (size_t i = 0; i < source.len; i++)
                print_message((unsigned char)text[i] >= 32 && (unsigned char)text[i] < 127 ? "%c" : "\\x%02x",
                              (unsigned char)text[i]);
            fail_msg("%s", "engines disagree");
        }
        if (expected.len)
            assert_false(rules_out(find, hv_str_of(text, source.len)));
        compare_counts(find, flags & ACROSS, hv_str_of(text, source.len), pick(random, 4));
        free(text);
    }
    oracle_release(&oracle);
    find_release(find);
    return matched;
}

static void all_engines_agree_with_pcre2_on_random_patterns_and_texts(void **state)
{
    (void)state;
    enum { PATTERNS = 3000, TEXTS = 3 };
    struct random random = {20240131};
    unsigned matched = 0;
    for (unsigned i = 0; i < PATTERNS; i++) {
        CLEANUP_BUF struct hv_buf pattern = {.max = 1 << 16};
        unsigned flags = pick(&random, OF_RANDOM + 1) | (i % 2 ? NO_AVX512 : 0);
        if (flags & FIXED)
            for (unsigned count = 1 + pick(&random, 5); count; count--)
                hv_buf_add_cstr(&pattern, PICK(&random, words));
        else
            add_branch(&random, 2, &pattern);
        if (!(flags & FIXED) && pick(&random, 2))
            hv_buf_add_cstr(&pattern, "|quiz");
        matched += compare(&random, hv_buf_str(&pattern), flags, TEXTS);
    }
    assert_true(matched > PATTERNS / 2);
}

/* Lines that hold the word, counted one by one. */
static size_t lines_with(struct hv_str text, struct hv_str word)
{
    struct hv_str line;
    size_t count = 0;
    while (lines_next(&text, &line))
        count += hv_str_find(line, word, 0) != SIZE_MAX;
    return count;
}

/* Texts in which words stand close together for a while, then seldom. */
static void fill_densely(struct random *random, char *text, size_t len)
{
    for (size_t i = 0; i < len;) {
        unsigned letters = 2 + pick(random, 3), rarely = 1 + pick(random, 40);
        for (size_t run = pick(random, 700); run && i < len; run--, i++)
            text[i] = pick(random, rarely) ? (char)('a' + pick(random, letters)) : pick(random, 2) ? '\n' : ' ';
        for (size_t run = pick(random, 8) ? 0 : pick(random, 4000); run && i < len; run--, i++) /* nothing for long */
            text[i] = pick(random, 50) ? 'z' : '\n';
    }
}

static void lines_are_counted_however_many_words_stand_in_them(void **state)
{
    (void)state;
    enum { LENGTH = 12000, TEXTS = 60, WORD_MAX = 11 };
    struct random random = {99};
    char *text = hv_malloc(LENGTH);
    size_t all = 0;
    for (unsigned i = 0; i < TEXTS * WORD_MAX; i++) {
        char letters[WORD_MAX];
        struct hv_str word = hv_str_of(letters, 1 + i % WORD_MAX), shown;
        for (size_t k = 0; k < word.len; k++)
            letters[k] = (char)('a' + pick(&random, word.len > 3 ? 2 : 4));
        fill_densely(&random, text, LENGTH);
        shown = hv_str_slice(hv_str_of(text, LENGTH), pick(&random, 100), LENGTH - pick(&random, 100));
        size_t expected = lines_with(shown, word), count;
        all += expected;
        for (unsigned kernel = 0; kernel < KERNELS; kernel++) {
            struct find *find = compile(word, kernels[kernel]);
            struct find_scratch *scratch = find_scratch_new(find, NULL, NULL);
            assert_true(find_count(scratch, shown, 0, &count));
            assert_int_equal(count, expected);
            assert_true(find_count(scratch, shown, 7, &count));
            assert_int_equal(count, expected < 7 ? expected : 7);
            find_scratch_free(scratch);
            find_release(find);
        }
    }
    assert_true(all > (size_t)TEXTS * WORD_MAX * 5);
    free(text);
}

/* What is searched for stands once, at every place of a text that scanners leap over. */
static void what_stands_in_quiet_text_is_found_at_every_place(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *match;
    } rows[] = {{"quiz_jumps", "quiz_jumps"},
                {"zebra|quiz|vexed|jumpy", "vexed"},
                {"qz|jx", "jx"},
                {"\\w+ \\*?quiz_", "a *quiz_"},
                {"(quiz|vexed)_jumpy", "vexed_jumpy"},
                {"\\p{Greek}", "\xce\xb1"},
                {"[0-9]{4}-[0-9]{2}", "2026-11"},
                {"(?i)quizjump", "QuizJump"},
                {"qz\xc3\xa9|jx\xc3\xb6", "jx\xc3\xb6"}};
    enum { LENGTH = 700 };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows * KERNELS; i++) {
        struct find *find = compile(hv_str_from(rows[i / KERNELS].pattern), kernels[i % KERNELS]);
        size_t len = strlen(rows[i / KERNELS].match);
        char *text = hv_malloc(LENGTH);
        for (size_t at = 0; at + len <= LENGTH; at++) {
            struct find_match match = {0};
            struct find_scratch *scratch = find_scratch_new(find, NULL, NULL);
            size_t clear;
            memset(text, '.', LENGTH);
            assert_int_equal(find_next(scratch, hv_str_of(text, LENGTH), 0, &match), FIND_NONE);
            assert_true(find_rules_out(scratch, hv_str_of(text, LENGTH), &clear));
            memcpy(text + at, rows[i / KERNELS].match, len);
            assert_int_equal(find_next(scratch, hv_str_of(text, LENGTH), 0, &match), FIND_FOUND);
            assert_int_equal(match.from, at);
            assert_false(find_rules_out(scratch, hv_str_of(text, LENGTH), &clear));
            find_scratch_free(scratch);
        }
        free(text);
        find_release(find);
    }
}

static void words_that_code_is_full_of_are_not_what_is_looked_for(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf described = {.max = 4096};
    struct find *find = compile(HV_STR("return \\w+ frobnicate"), 0);
    find_describe(find, &described);
    assert_non_null(strstr(described.data, "11 bytes")); /* " frobnicate" */
    find_release(find);
}

static void long_literals_and_many_choices_agree_with_pcre2(void **state)
{
    (void)state;
    struct random random = {7};
    for (unsigned i = 0; i < 600; i++) {
        CLEANUP_BUF struct hv_buf pattern = {.max = 1 << 16};
        for (unsigned count = 1 + pick(&random, 20); count; count--) {
            for (unsigned parts = 1 + pick(&random, 3); parts; parts--)
                hv_buf_add_cstr(&pattern, PICK(&random, words));
            if (count > 1 && i % 2)
                hv_buf_add_byte(&pattern, '|');
        }
        (void)compare(&random, hv_buf_str(&pattern),
                      i % 2 ? pick(&random, 2) * NOCASE : FIXED | pick(&random, 2) * NOCASE, 3);
    }
}

static void windows_of_lines_agree_with_pcre2_where_they_meet(void **state)
{
    (void)state;
    static const char *const patterns[] = {"^\\s*$",   "a$",   "^",      "\\b\\w+\\b$", ".+", "[^a]+$",
                                           "(\\w)\\1", "\\s+", "\\W\\W", "[^a]*\\w",    "$",  "e?e?e?$"};
    struct random random = {99};
    CLEANUP_BUF struct hv_buf source = {.max = 1 << 20};
    while (source.len < 90 * 1000)
        add_text(&random, &source);
    for (size_t i = 0; i < 2 * sizeof patterns / sizeof patterns[0]; i++) {
        CLEANUP_BUF struct hv_buf expected = {.max = 8 << 20}, found = {.max = 8 << 20};
        struct find_options options = {0};
        const char *pattern = patterns[i / 2];
        struct find *find = compile(hv_str_from(pattern), i % 2 ? PLAIN : NO_MACHINE);
        struct oracle oracle;
        assert_true(oracle_init(&oracle, hv_str_from(pattern), &options));
        oracle_all(&oracle, hv_buf_str(&source), &expected);
        assert_true(find_all(find, hv_buf_str(&source), &found));
        if (oracle.failed || !hv_str_eq(hv_buf_str(&found), hv_buf_str(&expected)))
            fail_msg("%s", pattern);
        oracle_release(&oracle);
        find_release(find);
    }
}

/* A line of megabytes with a match every few bytes: its ends must not be looked for at each of them. */
static void all_matches_of_one_long_line_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        unsigned flags;
    } patterns[] = {
        {"needle", PLAIN}, {"needle", ACROSS}, {"n[a-e]+le", PLAIN}, {"\\w\\W", PLAIN}, {"n[a-e]+le", ACROSS}};
    enum { COPIES = 200 * 1000 };
    CLEANUP_BUF struct hv_buf source = {.max = 8 << 20};
    for (int i = 0; i < COPIES; i++)
        hv_buf_add_cstr(&source, "a needle; ");
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        struct find *find = compile(hv_str_from(patterns[i].pattern), patterns[i].flags);
        struct find_scratch *scratch = find_scratch_new(find, NULL, NULL);
        struct find_match match;
        size_t count = 0;
        for (size_t at = 0; find_next(scratch, hv_buf_str(&source), at, &match) == FIND_FOUND; at = match.next)
            count++;
        assert_int_equal(count, i == 3 ? 2 * COPIES : COPIES);
        assert_int_equal(match.line, 0);
        assert_int_equal(match.end, source.len);
        find_scratch_free(scratch);
        find_release(find);
    }
}

struct searcher {
    const struct find *find;
    struct hv_str text;
    struct hv_buf found;
};

static void *search(void *user)
{
    struct searcher *searcher = user;
    for (int i = 0; i < 20; i++) {
        hv_buf_clear(&searcher->found);
        (void)find_all(searcher->find, searcher->text, &searcher->found);
    }
    return NULL;
}

static void threads_share_a_compiled_pattern(void **state)
{
    (void)state;
    static const char *const patterns[] = {"task", "zap|quiz|init", "[0-9]{4}[a-z]", "^\\w+"};
    enum { THREADS = 3 };
    struct random random = {3};
    CLEANUP_BUF struct hv_buf source = {.max = 1 << 20};
    while (source.len < 20 * 1000)
        add_text(&random, &source);
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        struct find *find = compile(hv_str_from(patterns[i]), NOCASE);
        struct searcher searchers[THREADS];
        pthread_t threads[THREADS];
        for (int k = 0; k < THREADS; k++) {
            searchers[k] = (struct searcher){find, hv_buf_str(&source), {.max = 1 << 20}};
            assert_int_equal(pthread_create(&threads[k], NULL, search, &searchers[k]), 0);
        }
        for (int k = 0; k < THREADS; k++) {
            assert_int_equal(pthread_join(threads[k], NULL), 0);
            assert_true(searchers[k].found.len > 0);
            assert_true(hv_str_eq(hv_buf_str(&searchers[k].found), hv_buf_str(&searchers[0].found)));
        }
        for (int k = 0; k < THREADS; k++)
            hv_buf_release(&searchers[k].found);
        find_release(find);
    }
}

int main(void)
{
#ifdef __SANITIZE_THREAD__ /* the others use one thread, and would take a hundred times as long as without */
    cmocka_set_test_filter("threads_*");
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_pattern_gets_its_engine),
        cmocka_unit_test(matches_are_where_they_should_be),
        cmocka_unit_test(no_place_is_missed_at_the_edges_of_blocks),
        cmocka_unit_test(an_invalid_pattern_is_answered_with_what_to_write_instead),
        cmocka_unit_test(advice_names_other_options_only_where_there_are_some),
        cmocka_unit_test(a_pattern_that_is_too_long_is_refused),
        cmocka_unit_test(a_pathological_pattern_ends_at_the_match_limit),
        cmocka_unit_test(all_engines_agree_with_pcre2_on_random_patterns_and_texts),
        cmocka_unit_test(what_stands_in_quiet_text_is_found_at_every_place),
        cmocka_unit_test(lines_are_counted_however_many_words_stand_in_them),
        cmocka_unit_test(words_that_code_is_full_of_are_not_what_is_looked_for),
        cmocka_unit_test(long_literals_and_many_choices_agree_with_pcre2),
        cmocka_unit_test(windows_of_lines_agree_with_pcre2_where_they_meet),
        cmocka_unit_test(all_matches_of_one_long_line_are_found),
        cmocka_unit_test(threads_share_a_compiled_pattern),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
