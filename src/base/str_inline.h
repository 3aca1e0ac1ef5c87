/*
 * str_inline.h: the bodies of the shortest functions of helve/str.h once more, for the compiler to look into: for files
 * that compare words all day. A length that is known, as that of a literal, then costs nothing. str.c has them for all
 * others.
 */
#ifndef BASE_STR_INLINE_H
#define BASE_STR_INLINE_H

#include <helve/str.h>
#include <string.h>

enum { ARENA_ALIGNMENT = 16 };
/* hv_arena_alloc, also where a new block is needed. */
void *arena_alloc_slowly(struct hv_arena *arena, size_t size) __attribute__((malloc, returns_nonnull));

/* Never a function of its own: where it is not inlined, that of str.c is called. */
#define STR_INLINE extern inline __attribute__((gnu_inline))

STR_INLINE struct hv_str hv_str_from(const char *nul_terminated)
{
    return nul_terminated ? (struct hv_str){nul_terminated, strlen(nul_terminated)} : (struct hv_str){0};
}

STR_INLINE bool hv_str_eq(struct hv_str a, struct hv_str b)
{
    return a.len == b.len && (a.len == 0 || (a.ptr[0] == b.ptr[0] && memcmp(a.ptr, b.ptr, a.len) == 0));
}

STR_INLINE bool hv_str_is(struct hv_str a, const char *nul_terminated)
{
    return hv_str_eq(a, hv_str_from(nul_terminated));
}

STR_INLINE bool hv_str_starts(struct hv_str s, struct hv_str prefix)
{
    return s.len >= prefix.len &&
           (prefix.len == 0 || (s.ptr[0] == prefix.ptr[0] && memcmp(s.ptr, prefix.ptr, prefix.len) == 0));
}

STR_INLINE bool hv_str_ends(struct hv_str s, struct hv_str suffix)
{
    return s.len >= suffix.len && (suffix.len == 0 || memcmp(s.ptr + s.len - suffix.len, suffix.ptr, suffix.len) == 0);
}

STR_INLINE struct hv_str hv_str_slice(struct hv_str s, size_t from, size_t to)
{
    if (to > s.len)
        to = s.len;
    if (from > to)
        from = to;
    return s.ptr ? (struct hv_str){s.ptr + from, to - from} : s;
}

STR_INLINE size_t hv_str_find_byte(struct hv_str s, char byte, size_t from)
{
    const char *hit = from < s.len ? memchr(s.ptr + from, byte, s.len - from) : NULL;
    return hit ? (size_t)(hit - s.ptr) : SIZE_MAX;
}

STR_INLINE void hv_arena_init(struct hv_arena *arena)
{
    *arena = (struct hv_arena){0};
}

/* Where the sanitizer watches, memory.c puts red zones between what it gives out: then it gives out all. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STR_INLINE_WATCHED
#endif
#endif
#if !defined(__SANITIZE_ADDRESS__) && !defined(STR_INLINE_WATCHED)
STR_INLINE void *hv_arena_alloc(struct hv_arena *arena, size_t size)
{
    size_t room = (size_t)(arena->end - arena->next);
    if (size - 1 >= room || room - size < ARENA_ALIGNMENT) /* nothing is wanted, or perhaps more than there is */
        return arena_alloc_slowly(arena, size);
    char *memory = arena->next;
    size = (size + ARENA_ALIGNMENT - 1) & ~(size_t)(ARENA_ALIGNMENT - 1);
    arena->used += size;
    arena->next = memory + size;
    return memory;
}

STR_INLINE void *hv_arena_zalloc(struct hv_arena *arena, size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        total = SIZE_MAX; /* refused as what it is */
    return memset(hv_arena_alloc(arena, total), 0, total);
}
#endif

#undef STR_INLINE
#undef STR_INLINE_WATCHED

#endif
