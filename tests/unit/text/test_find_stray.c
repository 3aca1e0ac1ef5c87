/*
 * test_find_stray.c: matches beside bytes that should be UTF-8 and are not. None begins at a stray continuation byte,
 * wherever the search began: all engines, and PCRE2 told so, agree on lines and texts full of them.
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

/* What a pattern finds, or, with an oracle's eyes, should. */
static void expect_same(const char *pattern, struct find_options options, struct hv_str text)
{
    CLEANUP_BUF struct hv_buf expected = {.max = 64 << 20}, found = {.max = 64 << 20}, described = {.max = 4096};
    struct find *find = NULL;
    struct oracle oracle;
    assert_int_equal(find_compile(hv_str_from(pattern), &options, &find, NULL), HV_OK);
    assert_true(oracle_init(&oracle, hv_str_from(pattern), &options));
    oracle_all(&oracle, text, &expected);
    assert_false(oracle.failed);
    assert_true(find_all(find, text, &found));
    find_describe(find, &described);
    size_t same = 0;
    while (same < found.len && same < expected.len && found.data[same] == expected.data[same])
        same++;
    if (found.len != expected.len || same != found.len)
        fail_msg("%s, %s, %zu bytes: %.30s… for %.30s…", pattern, described.data, text.len, found.data + same,
                 expected.data + same);
    oracle_release(&oracle);
    find_release(find);
}

static const char *const patterns[] = {
    "(?<=a)",   "\\b",        "\\B",     "(?!b)", "(?<!b)(?!c)", "x*",    "a\\K",     "(?<=a)|zz_quiz", "c?",
    "$|(?<=a)", "\\b\\B|\\w", "(?=.|$)", "\\W",   ".",           "a|\\B", "(?<=\\W)", "(?<=a)(?:quiz)?"};

/* PCRE2's interpreter finds other empty matches at ends of well-formed text than its compiled code, but none there. */
static void expect_no_stray(const char *pattern, struct hv_str text)
{
    struct find *find = NULL;
    struct find_match match;
    if (strstr(pattern, "\\K"))
        return;
    assert_int_equal(
        find_compile(hv_str_from(pattern), &(struct find_options){.no_scan = true, .no_jit = true}, &find, NULL),
        HV_OK);
    struct find_scratch *scratch = find_scratch_new(find, NULL, NULL);
    for (size_t at = 0; find_next(scratch, text, at, &match) == FIND_FOUND; at = match.next)
        assert_false(match.from < text.len && (text.ptr[match.from] & 0xc0) == 0x80);
    find_scratch_free(scratch);
    find_release(find);
}

static void expect_all_same(struct hv_str text)
{
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        expect_same(patterns[i], (struct find_options){0}, text);
        expect_same(patterns[i], (struct find_options){.no_machine = true}, text);
        expect_same(patterns[i], (struct find_options){.no_scan = true}, text);
        expect_same(patterns[i], (struct find_options){.streams = true}, text);
        expect_same(patterns[i], (struct find_options){.multiline = true}, text);
        expect_same(patterns[i], (struct find_options){.word = true}, text);
        expect_no_stray(patterns[i], text);
    }
}

static void no_match_begins_at_a_stray_continuation_byte(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text, *matches;
        bool multiline;
    } rows[] = {
        {"(?<=a)", "a\xa9z", "", false},        {"(?<=a)", "a\xffz", "1-1 ", false},
        {"(?<=a)", "a\xc3\xa9", "1-1 ", false}, {"\\b", "a\xa9z", "0-0 2-2 ", false},
        {"x*", "\xa9\xa9", "2-2 ", false},      {"(?!b)", "b\xa9z\n\xa9", "2-2 3-3 5-5 ", false},
        {"^", "x\n\xa9", "0-0 ", false},        {"^", "x\n\xa9", "0-0 ", true},
        {"a\\K", "a\xa9z", "1-1 ", false},      {"a\\K", "a\xa9z", "1-1 ", true},
        {"^|z", "\n\xa9z", "0-0 2-3 ", true},
    };
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        CLEANUP_BUF struct hv_buf found = {.max = 4096};
        struct find_options options = {.no_scan = i % 2, .multiline = rows[i / 2].multiline};
        struct find *find = NULL;
        assert_int_equal(find_compile(hv_str_from(rows[i / 2].pattern), &options, &find, NULL), HV_OK);
        assert_true(find_all(find, hv_str_from(rows[i / 2].text), &found));
        if (!hv_str_is(hv_buf_str(&found), rows[i / 2].matches))
            fail_msg("%s in %s: %s", rows[i / 2].pattern, rows[i / 2].text, found.len ? found.data : "nothing");
        find_release(find);
    }
}

static void engines_agree_on_lines_of_stray_bytes(void **state)
{
    (void)state;
    static const char *const pieces[] = {"a",    "b",    "\xa9",     "\xa9", "\xa9\xa9\xa9",
                                         "\xc3", "\xff", "\xc3\xa9", " ",    "\n"};
    uint64_t random = 20261122;
    for (unsigned i = 0; i < 40; i++) {
        CLEANUP_BUF struct hv_buf text = {.max = 1 << 20};
        for (unsigned left = i; left; left--) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            hv_buf_add_cstr(&text, pieces[(random >> 33) % (sizeof pieces / sizeof *pieces)]);
        }
        expect_all_same(hv_buf_str(&text));
    }
}

/* So long that a search takes several turns, each of which may begin anywhere. */
static void where_a_turn_of_the_search_begins_makes_no_difference(void **state)
{
    (void)state;
    static const char *const pieces[] = {"a\xa9",
                                         "a\xa9"
                                         "b",
                                         "b\xa9",
                                         "\xa9\xa9"
                                         "a"};
    for (unsigned i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        CLEANUP_BUF struct hv_buf text = {.max = 1 << 20};
        hv_buf_add_cstr(&text, "c");
        while (text.len < 70 * 1000)
            hv_buf_add_cstr(&text, pieces[i]);
        for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++) {
            expect_same(patterns[k], (struct find_options){.no_machine = true}, hv_buf_str(&text));
            expect_same(patterns[k], (struct find_options){.no_scan = true}, hv_buf_str(&text));
        }
        for (size_t at = 99; at < text.len; at += 100)
            text.data[at] = '\n';
        for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++)
            expect_same(patterns[k], (struct find_options){.no_machine = true}, hv_buf_str(&text));
    }
}

/* \G holds where a search begins and where its last match ended, not where a turn of it begins; a verb ends all. */
static void the_beginning_of_a_search_is_not_that_of_a_turn(void **state)
{
    (void)state;
    static const char *const asking[] = {
        "(?<=z\\G)x",  "$\\G", "\\b\\Gx", "(?!\\G)zx", "x?\\Gz|\\Gq", "q|z(*COMMIT)q", "(*NOTEMPTY_ATSTART)x*",
        "[(*]|\\(*z|q"};
    static const char *const texts[] = {"i", "zx\r\nzx\r\n", "xz", "zx", "q\r\nq"};
    for (unsigned i = 0; i < 2 * sizeof texts / sizeof *texts; i++) {
        CLEANUP_BUF struct hv_buf text = {.max = 1 << 20};
        do
            hv_buf_add_cstr(&text, texts[i / 2]);
        while (i % 2 && text.len < 70 * 1000);
        for (size_t k = 0; k < sizeof asking / sizeof *asking; k++) {
            expect_same(asking[k], (struct find_options){0}, hv_buf_str(&text));
            expect_same(asking[k], (struct find_options){.multiline = true}, hv_buf_str(&text));
            expect_same(asking[k], (struct find_options){.multiline = true, .word = true}, hv_buf_str(&text));
            expect_same(asking[k], (struct find_options){.multiline = true, .fixed = true}, hv_buf_str(&text));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_match_begins_at_a_stray_continuation_byte),
        cmocka_unit_test(engines_agree_on_lines_of_stray_bytes),
        cmocka_unit_test(where_a_turn_of_the_search_begins_makes_no_difference),
        cmocka_unit_test(the_beginning_of_a_search_is_not_that_of_a_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
