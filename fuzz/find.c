/*
 * find.c: the search engine's matcher against PCRE2 alone. First byte: options; then the pattern, up to a NUL; the rest
 * is the text. Whatever engine was chosen, and with and without the vectors of the machine, the matches are those that
 * PCRE2 finds in each line (with multiline: in the text), unless that was too hard for one of them.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/find.h"

#include "../tests/unit/text/find_oracle.h"
#include "base/cleanup.h"
#include "parts.h"

enum { FIXED = 1, IGNORE_CASE = 2, MULTILINE = 4, WORD = 8, PORTABLE = 16, NO_AVX2 = 32, NO_MACHINE = 64 };

static void compare(const struct find *find, struct oracle *oracle, struct hv_str text)
{
    CLEANUP_BUF struct hv_buf found = {.max = 64 << 20}, expected = {.max = 64 << 20};
    oracle_all(oracle, text, &expected);
    bool complete = find_all(find, text, &found);
    if (complete && !oracle->failed)
        FUZZ_CHECK(hv_str_eq(hv_buf_str(&found), hv_buf_str(&expected)));
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
                                   .portable = data[0] & PORTABLE,
                                   .no_avx2 = data[0] & NO_AVX2,
                                   .no_machine = data[0] & NO_MACHINE};
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
    oracle_release(&oracle);
    find_release(find);
    return 0;
}
