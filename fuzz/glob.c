/*
 * glob.c: patterns and names: PATTERN 0x1e TEXT. A name with all special bytes escaped matches itself and nothing
 * else; a set matches what one of its alternatives matches; by characters ASCII is matched as by bytes; what fnmatch of
 * the C library understands in the same way matches there, too.
 */
#include "text/glob.h"
#include "base/cleanup.h"
#include "base/utf8.h"
#include "parts.h"

#include <ctype.h>
#include <fnmatch.h>

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

enum { SHARED_MAX = 60, SHARED_STARS_MAX = 5 }; /* fnmatch takes exponential time */

/* The end of a bracket expression with letters and digits only, perhaps turned round; 0 when it is another one. */
static size_t plain_bracket(struct hv_str pattern, size_t at)
{
    size_t first = at + 1;
    if (first < pattern.len && (pattern.ptr[first] == '!' || pattern.ptr[first] == '^'))
        first++;
    size_t end = first;
    while (end < pattern.len && isalnum((unsigned char)pattern.ptr[end]))
        end++;
    return end > first && end < pattern.len && pattern.ptr[end] == ']' ? end : 0;
}

/*
 * fnmatch means the same by it: no "**", no bracket expressions but plain ones. With FNM_PATHNAME glibc's does not find
 * an escaped slash after a star (a star, a backslash, "/b" on a/b), though bash and git do, as glob_match does.
 */
static bool is_shared(struct hv_str pattern, unsigned flags)
{
    size_t stars = 0;
    for (size_t i = 0; i < pattern.len; i++) {
        char byte = pattern.ptr[i];
        stars += byte == '*';
        if (!byte || (byte == '*' && i && pattern.ptr[i - 1] == '*'))
            return false;
        if (byte == '[' && !(i = plain_bracket(pattern, i)))
            return false;
        if (byte == '\\' && (++i == pattern.len || !pattern.ptr[i]))
            return false;
        if (byte == '\\' && pattern.ptr[i] == '/' && stars && flags & GLOB_PATHNAME)
            return false;
    }
    return pattern.len <= SHARED_MAX && stars <= SHARED_STARS_MAX;
}

static void check_against_library(struct hv_arena *arena, struct hv_str pattern, struct hv_str text, unsigned flags)
{
    if (!is_shared(pattern, flags) || text.len > SHARED_MAX || hv_str_find_byte(text, '\0', 0) != SIZE_MAX)
        return;
    int how = (flags & GLOB_PATHNAME ? FNM_PATHNAME : 0) | (flags & GLOB_ICASE ? FNM_CASEFOLD : 0);
    bool matches = fnmatch(hv_arena_cstr(arena, pattern), hv_arena_cstr(arena, text), how) == 0;
    FUZZ_CHECK(glob_match(pattern, text, flags) == matches);
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
        check_literal(&arena, text, pattern, flags | GLOB_CHARACTERS);
        bool by_characters = glob_match(pattern, text, flags | GLOB_CHARACTERS);
        FUZZ_CHECK(!utf8_is_ascii(text) || by_characters == matches);
        check_against_library(&arena, pattern, text, flags);
        if (size < 1000) {
            check_set(&arena, pattern, text, flags);
            check_set(&arena, pattern, text, flags | GLOB_CHARACTERS);
        }
    }
    FUZZ_CHECK(hv_str_starts(pattern, glob_fixed_directory(pattern)));
    return 0;
}
