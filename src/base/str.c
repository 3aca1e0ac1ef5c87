/* str.c: views of bytes. See helve/str.h. */
#include <helve/str.h>
#include <string.h>

struct hv_str hv_str_from(const char *nul_terminated)
{
    return nul_terminated ? (struct hv_str){nul_terminated, strlen(nul_terminated)} : (struct hv_str){0};
}

struct hv_str hv_str_of(const char *ptr, size_t len)
{
    return (struct hv_str){ptr, len};
}

bool hv_str_eq(struct hv_str a, struct hv_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

bool hv_str_is(struct hv_str a, const char *nul_terminated)
{
    return hv_str_eq(a, hv_str_from(nul_terminated));
}

static unsigned char lower(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

bool hv_str_eq_nocase(struct hv_str a, struct hv_str b)
{
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++)
        if (lower(a.ptr[i]) != lower(b.ptr[i]))
            return false;
    return true;
}

int hv_str_compare(struct hv_str a, struct hv_str b)
{
    size_t shared = a.len < b.len ? a.len : b.len;
    int order = shared ? memcmp(a.ptr, b.ptr, shared) : 0;
    return order ? order : a.len < b.len ? -1 : a.len > b.len;
}

bool hv_str_starts(struct hv_str s, struct hv_str prefix)
{
    return s.len >= prefix.len && (prefix.len == 0 || memcmp(s.ptr, prefix.ptr, prefix.len) == 0);
}

bool hv_str_ends(struct hv_str s, struct hv_str suffix)
{
    return s.len >= suffix.len && (suffix.len == 0 || memcmp(s.ptr + s.len - suffix.len, suffix.ptr, suffix.len) == 0);
}

size_t hv_str_find_byte(struct hv_str s, char byte, size_t from)
{
    if (from >= s.len)
        return SIZE_MAX;
    const char *hit = memchr(s.ptr + from, byte, s.len - from);
    return hit ? (size_t)(hit - s.ptr) : SIZE_MAX;
}

size_t hv_str_rfind_byte(struct hv_str s, char byte)
{
    const char *hit = s.len ? memrchr(s.ptr, byte, s.len) : NULL;
    return hit ? (size_t)(hit - s.ptr) : SIZE_MAX;
}

struct hv_str hv_str_slice(struct hv_str s, size_t from, size_t to)
{
    if (to > s.len)
        to = s.len;
    if (from > to)
        from = to;
    return s.ptr ? (struct hv_str){s.ptr + from, to - from} : s;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct hv_str hv_str_trim(struct hv_str s)
{
    while (s.len && is_blank(s.ptr[0]))
        s = (struct hv_str){s.ptr + 1, s.len - 1};
    while (s.len && is_blank(s.ptr[s.len - 1]))
        s.len--;
    return s;
}

bool hv_str_split(struct hv_str *rest, char separator, struct hv_str *part)
{
    if (!rest->ptr)
        return false;
    size_t at = hv_str_find_byte(*rest, separator, 0);
    if (at == SIZE_MAX) {
        *part = *rest;
        *rest = (struct hv_str){0};
        /* "a," has the parts "a" and "", but the empty text has none. */
        return true;
    }
    *part = hv_str_slice(*rest, 0, at);
    *rest = (struct hv_str){rest->ptr + at + 1, rest->len - at - 1};
    return true;
}

bool hv_str_to_int64(struct hv_str s, int64_t *value)
{
    bool negative = s.len && s.ptr[0] == '-';
    uint64_t magnitude = 0, limit = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
    if (s.len == (size_t)negative)
        return false;
    for (size_t i = negative; i < s.len; i++) {
        unsigned digit = (unsigned)(s.ptr[i] - '0');
        if (digit > 9 || magnitude > (limit - digit) / 10)
            return false;
        magnitude = magnitude * 10 + digit;
    }
    *value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}
