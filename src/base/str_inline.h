/*
 * str_inline.h: the bodies of the shortest functions of helve/str.h once more, for the compiler to look into: for files
 * that compare words all day. A length that is known, as that of a literal, then costs nothing. str.c has them for all
 * others.
 */
#ifndef BASE_STR_INLINE_H
#define BASE_STR_INLINE_H

#include <helve/str.h>
#include <string.h>

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

#undef STR_INLINE

#endif
