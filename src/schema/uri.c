/* uri.c: parsing and resolving URI references. See uri.h. */
#include "schema/uri.h"

#include <string.h>

/* Absent views are components that are not there, which differs from empty ones (RFC 3986, 5.2.1). */
struct parts {
    struct hv_str scheme, authority, path, query, fragment;
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_scheme_char(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
}

static struct hv_str rest_from(struct hv_str s, size_t from)
{
    return hv_str_slice(s, from, s.len);
}

/* Cut s at the first separator: what is behind it becomes *tail. */
static struct hv_str cut(struct hv_str s, char separator, struct hv_str *tail)
{
    size_t at = hv_str_find_byte(s, separator, 0);
    if (at == SIZE_MAX)
        return s;
    *tail = hv_str_of(s.ptr + at + 1, s.len - at - 1);
    return hv_str_slice(s, 0, at);
}

static struct parts parse(struct hv_str uri)
{
    struct parts parts = {0};
    size_t colon = 0;
    uri = cut(uri, '#', &parts.fragment);
    uri = cut(uri, '?', &parts.query);
    while (colon < uri.len && is_scheme_char(uri.ptr[colon]))
        colon++;
    if (colon > 0 && colon < uri.len && uri.ptr[colon] == ':' && is_letter(uri.ptr[0])) {
        parts.scheme = hv_str_slice(uri, 0, colon);
        uri = rest_from(uri, colon + 1);
    }
    if (hv_str_starts(uri, HV_STR("//"))) {
        size_t end = hv_str_find_byte(uri, '/', 2);
        parts.authority = hv_str_slice(uri, 2, end);
        uri = rest_from(uri, end == SIZE_MAX ? uri.len : end);
    }
    parts.path = uri;
    return parts;
}

/* Remove "." and ".." segments (RFC 3986, 5.2.4), in place; returns the new length. */
static size_t remove_dot_segments(char *path, size_t len)
{
    size_t in = 0, out = 0;
    bool rooted = len > 0 && path[0] == '/';
    while (in < len) {
        size_t end = in + (path[in] == '/');
        while (end < len && path[end] != '/')
            end++;
        struct hv_str segment = {path + in + (path[in] == '/'), end - in - (path[in] == '/')};
        bool last = end == len;
        if (hv_str_is(segment, ".") || hv_str_is(segment, "..")) {
            if (segment.len == 2)
                while (out > 0 && path[--out] != '/')
                    continue;
            if (last && (rooted || out > 0))
                path[out++] = '/';
        } else {
            /* A relative path stays relative when its first segments fall away. */
            size_t from = in + (out == 0 && !rooted && path[in] == '/');
            memmove(path + out, path + from, end - from);
            out += end - from;
        }
        in = end;
    }
    return out;
}

/* The reference's path behind the base's directory (RFC 3986, 5.2.3). */
static struct hv_str merge_paths(struct hv_arena *arena, const struct parts *base, struct hv_str path)
{
    if (base->authority.ptr && base->path.len == 0)
        return hv_arena_join(arena, HV_STR("/"), path);
    size_t slash = hv_str_rfind_byte(base->path, '/');
    return hv_arena_join(arena, hv_str_slice(base->path, 0, slash == SIZE_MAX ? 0 : slash + 1), path);
}

static struct hv_str tidy_path(struct hv_arena *arena, struct hv_str path)
{
    char *copy = hv_arena_cstr(arena, path);
    return hv_str_of(copy, remove_dot_segments(copy, path.len));
}

static struct hv_str put_together(struct hv_arena *arena, const struct parts *parts)
{
    struct hv_buf buf = {.max = 4 * (size_t)URI_MAX};
    if (parts->scheme.ptr)
        hv_buf_addf(&buf, "%.*s:", HV_STR_ARG(parts->scheme));
    if (parts->authority.ptr)
        hv_buf_addf(&buf, "//%.*s", HV_STR_ARG(parts->authority));
    hv_buf_add_str(&buf, parts->path);
    if (parts->query.ptr)
        hv_buf_addf(&buf, "?%.*s", HV_STR_ARG(parts->query));
    if (parts->fragment.ptr)
        hv_buf_addf(&buf, "#%.*s", HV_STR_ARG(parts->fragment));
    struct hv_str uri = hv_arena_str(arena, hv_buf_str(&buf));
    hv_buf_release(&buf);
    return uri;
}

struct hv_str uri_resolve(struct hv_arena *arena, struct hv_str base, struct hv_str reference)
{
    struct parts from = parse(base), to = parse(reference), target = to;
    if (!to.scheme.ptr) {
        target.scheme = from.scheme;
        if (!to.authority.ptr) {
            target.authority = from.authority;
            if (to.path.len == 0) {
                target.path = from.path;
                target.query = to.query.ptr ? to.query : from.query;
            } else if (to.path.ptr[0] != '/') {
                target.path = merge_paths(arena, &from, to.path);
            }
        }
    }
    /* Paths of URNs and the like have no segments. */
    if (target.authority.ptr || hv_str_starts(target.path, HV_STR("/")) || !target.scheme.ptr)
        target.path = tidy_path(arena, target.path);
    return put_together(arena, &target);
}

void uri_split(struct hv_str uri, struct hv_str *without_fragment, struct hv_str *fragment)
{
    *fragment = (struct hv_str){0};
    *without_fragment = cut(uri, '#', fragment);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

struct hv_str uri_percent_decode(struct hv_arena *arena, struct hv_str s)
{
    if (hv_str_find_byte(s, '%', 0) == SIZE_MAX)
        return s;
    char *out = hv_arena_alloc(arena, s.len + 1);
    size_t len = 0;
    for (size_t i = 0; i < s.len; i++) {
        bool escape = s.ptr[i] == '%' && s.len - i > 2 && hex_digit(s.ptr[i + 1]) >= 0 && hex_digit(s.ptr[i + 2]) >= 0;
        out[len++] = escape ? (char)(hex_digit(s.ptr[i + 1]) * 16 + hex_digit(s.ptr[i + 2])) : s.ptr[i];
        i += escape ? 2 : 0;
    }
    return hv_str_of(out, len);
}
