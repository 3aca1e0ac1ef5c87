/*
 * glob.c: patterns and names: PATTERN 0x1e TEXT. A name with all special bytes escaped matches itself and nothing
 * else; a set matches what one of its alternatives matches.
 */
#include "text/glob.h"
#include "base/cleanup.h"
#include "parts.h"

static void check_literal(struct hv_arena *arena, struct hv_str text, struct hv_str other, unsigned flags)
{
    CLEANUP_BUF struct hv_buf pattern = {.max = 1 << 20};
    for (size_t i = 0; i < text.len; i++) {
        hv_buf_add_byte(&pattern, '\\');
        hv_buf_add_byte(&pattern, text.ptr[i]);
    }
    struct hv_str escaped = fuzz_copy(arena, hv_buf_str(&pattern));
    FUZZ_CHECK(glob_match(escaped, text, flags));
    bool same = flags & GLOB_ICASE ? hv_str_eq_nocase(text, other) : hv_str_eq(text, other);
    FUZZ_CHECK(glob_match(escaped, other, flags) == same);
}

static void check_set(struct hv_arena *arena, struct hv_str pattern, struct hv_str text, unsigned flags)
{
    struct glob_set set = {0};
    struct hv_error err = {0};
    if (glob_expand(arena, pattern, &set, &err)) {
        FUZZ_CHECK(err.message[0] && !set.count);
        return;
    }
    FUZZ_CHECK(set.count && set.count <= GLOB_ALTERNATIVES_MAX);
    bool any = false;
    for (size_t i = 0; i < set.count; i++)
        any |= glob_match(set.alternatives[i].pattern, text, flags);
    FUZZ_CHECK(glob_set_match(&set, text, flags) == (any != set.negated));
    (void)glob_set_match(&set, text, flags | GLOB_BASENAME);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str rest = {(const char *)data, size};
    struct hv_str pattern = fuzz_part(&arena, &rest), text = fuzz_part(&arena, &rest);
    for (unsigned flags = 0; flags < 4; flags++) {
        bool matches = glob_match(pattern, text, flags);
        FUZZ_CHECK(glob_is_pattern(pattern) || flags & GLOB_ICASE || matches == hv_str_eq(pattern, text));
        check_literal(&arena, text, pattern, flags);
        if (size < 1000)
            check_set(&arena, pattern, text, flags);
    }
    FUZZ_CHECK(hv_str_starts(pattern, glob_fixed_directory(pattern)));
    return 0;
}
