/*
 * matcher.c: Grep's matcher on any pattern and text. First byte: options; then the pattern, up to a NUL; the rest is
 * the text. Matches lie in their lines and go forward; and the lines found by searching windows of many lines are those
 * found by trying each line alone (which a look-ahead that always holds makes it do).
 */
#include "tools/matcher.h"

#include "base/cleanup.h"
#include "parts.h"

enum { FIXED = 1, IGNORE_CASE = 2, MULTILINE = 4, STEPS_MAX = 2000 };

static unsigned steps;

/* Patterns may be as hard as they like: the search is given up before the fuzzer loses patience. */
static bool stop(void *user)
{
    (void)user;
    return ++steps > STEPS_MAX;
}

static struct matcher *compile(struct hv_str pattern, unsigned flags)
{
    struct matcher_options options = {.pattern = pattern,
                                      .fixed = flags & FIXED,
                                      .ignore_case = flags & IGNORE_CASE,
                                      .multiline = flags & MULTILINE,
                                      .stop = stop};
    struct matcher *matcher = NULL;
    struct hv_error err = {0};
    if (matcher_new(&options, &matcher, &err)) {
        FUZZ_CHECK(!matcher && err.message[0]);
        return NULL;
    }
    return matcher;
}

/* All lines with a match, as text; false when it was stopped or some line given up. */
static bool collect(struct matcher *matcher, struct hv_str text, bool multiline, struct hv_buf *out)
{
    struct match match;
    enum match_found found;
    steps = 0;
    for (size_t at = 0; (found = matcher_find(matcher, text, at, &match)) == MATCH_FOUND; at = match.next) {
        FUZZ_CHECK(match.line <= match.from && match.from <= match.until && match.until <= match.end);
        FUZZ_CHECK(match.end <= text.len && match.next > at);
        FUZZ_CHECK(match.line == 0 || text.ptr[match.line - 1] == '\n');
        FUZZ_CHECK(match.end == text.len || text.ptr[match.end - 1] == '\n');
        FUZZ_CHECK(multiline || match.line >= at);
        hv_buf_addf(out, "%zu\n", match.line);
    }
    return found == MATCH_NONE && !matcher_given_up(matcher);
}

/* The pattern can be put into a group and a look-ahead after it without changing what it means. */
static bool can_be_wrapped(struct hv_str pattern)
{
    return !hv_str_starts(pattern, HV_STR("(*")) && hv_str_find(pattern, HV_STR("\\Q"), 0) == SIZE_MAX &&
           hv_str_find_byte(pattern, '#', 0) == SIZE_MAX && hv_str_find(pattern, HV_STR("(?"), 0) == SIZE_MAX &&
           hv_str_find(pattern, HV_STR("(*"), 0) == SIZE_MAX && hv_str_find(pattern, HV_STR("\\c"), 0) == SIZE_MAX;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf usual = {.max = 64 << 20}, alone = {.max = 64 << 20};
    if (!size || size > 4096)
        return 0;
    struct hv_str rest = hv_str_of((const char *)data + 1, size - 1);
    size_t end = hv_str_find_byte(rest, '\0', 0);
    if (end == SIZE_MAX || end == 0)
        return 0;
    struct hv_str pattern = fuzz_copy(&arena, hv_str_slice(rest, 0, end));
    struct hv_str text = fuzz_copy(&arena, hv_str_slice(rest, end + 1, rest.len));
    struct matcher *matcher = compile(pattern, data[0]);
    if (!matcher)
        return 0;
    bool complete = collect(matcher, text, data[0] & MULTILINE, &usual);
    matcher_free(matcher);
    if (!complete || data[0] & (MULTILINE | FIXED) || !can_be_wrapped(pattern))
        return 0;
    struct hv_str wrapped = hv_arena_format(&arena, "(?:%.*s)(?=)", HV_STR_ARG(pattern));
    matcher = compile(wrapped, data[0]);
    if (matcher && collect(matcher, text, false, &alone))
        FUZZ_CHECK(hv_str_eq(hv_buf_str(&usual), hv_buf_str(&alone)));
    matcher_free(matcher);
    return 0;
}
