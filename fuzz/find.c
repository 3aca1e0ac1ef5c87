/*
 * find.c: the search engine's matcher against PCRE2 alone. First byte: options; then the pattern, up to a NUL; the rest
 * is the text. Whatever engine was chosen, and with and without the vectors of the machine, the matches are those that
 * PCRE2 finds in each line (with multiline: in the text), unless that was too hard for one of them.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/find.h"
#include "text/find_sketch.h"

#include "../tests/unit/text/find_oracle.h"
#include "base/cleanup.h"
#include "parts.h"

enum {
    FIXED = 1,
    IGNORE_CASE = 2,
    MULTILINE = 4,
    WORD = 8,
    PORTABLE = 16,
    NO_AVX2 = 32,
    NO_AVX512 = PORTABLE | NO_AVX2,
    NO_MACHINE = 64,
    STREAMS = 128
};

static void compare(const struct find *find, struct oracle *oracle, struct hv_str text)
{
    CLEANUP_BUF struct hv_buf found = {.max = 64 << 20}, expected = {.max = 64 << 20};
    oracle_all(oracle, text, &expected);
    bool complete = find_all(find, text, &found);
    if (complete && !oracle->failed)
        FUZZ_CHECK(hv_str_eq(hv_buf_str(&found), hv_buf_str(&expected)));
}

/* Counting gives as many as going from one to the next. */
static void compare_counts(const struct find *find, bool multiline, struct hv_str text)
{
    struct find_scratch *scratch = find_scratch_new(find, NULL, NULL), *other = find_scratch_new(find, NULL, NULL);
    struct find_match match;
    size_t one_by_one = 0, count = 0;
    for (size_t at = 0; find_next(other, text, at, &match) == FIND_FOUND; one_by_one++)
        at = multiline ? match.next : match.end;
    FUZZ_CHECK(find_count(scratch, text, 0, &count));
    FUZZ_CHECK(find_hard(scratch) || find_hard(other) || count == one_by_one);
    find_scratch_free(scratch);
    find_scratch_free(other);
}

/* A text that holds a match is not ruled out by its sketch. */
static void check_sketch(const struct find *find, struct hv_str text)
{
    struct find_sketcher *sketcher = find_sketcher_new();
    struct find_ask *ask = find_ask_new(find);
    struct find_scratch *scratch = find_scratch_new(find, NULL, NULL);
    struct find_match match;
    find_sketcher_begin(sketcher, text.len);
    find_sketcher_add(sketcher, text);
    struct find_sketch sketch = find_sketcher_end(sketcher);
    bool is_out = ask && find_ask_rules_out(ask, &sketch);
    FUZZ_CHECK(!is_out || find_next(scratch, text, 0, &match) != FIND_FOUND);
    find_scratch_free(scratch);
    find_ask_free(ask);
    find_sketcher_free(sketcher);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf described = {.max = 4096};
    if (!size || size > 2048)
        return 0;
    struct hv_str rest = hv_str_of((const char *)data + 1, size - 1);
    size_t end = hv_str_find_byte(rest, '\0', 0);
    if (end == SIZE_MAX)
        return 0;
    struct hv_str pattern = fuzz_copy(&arena, hv_str_slice(rest, 0, end));
    struct hv_str text = fuzz_copy(&arena, hv_str_slice(rest, end + 1, rest.len));
    struct find_options options = {.fixed = data[0] & FIXED,
                                   .ignore_case = data[0] & IGNORE_CASE,
                                   .multiline = data[0] & MULTILINE,
                                   .word = data[0] & WORD,
                                   .portable = (data[0] & (PORTABLE | NO_AVX2)) == PORTABLE,
                                   .no_avx2 = (data[0] & (PORTABLE | NO_AVX2)) == NO_AVX2,
                                   .no_avx512 = (data[0] & NO_AVX512) == NO_AVX512,
                                   .no_machine = data[0] & NO_MACHINE,
                                   .streams = data[0] & STREAMS};
    struct find *find = NULL;
    struct hv_error err = {0};
    struct oracle oracle;
    if (find_compile(pattern, &options, &find, &err)) {
        FUZZ_CHECK(!find && err.message[0]);
        return 0;
    }
    find_describe(find, &described);
    FUZZ_CHECK(described.len && oracle_init(&oracle, pattern, &options));
    compare(find, &oracle, text);
    compare_counts(find, options.multiline, text);
    check_sketch(find, text);
    oracle_release(&oracle);
    find_release(find);
    return 0;
}
