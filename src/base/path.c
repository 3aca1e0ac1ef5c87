/* path.c: see path.h. */
#include "base/path.h"

#include <string.h>

/* One of the eight bytes from `at` on, of which there are nine, is a slash before another one or a dot; also true now
 * and then where none is. Slash and dot differ in one bit. */
static inline bool has_untidy(const char *at)
{
    const uint64_t ones = 0x0101010101010101ull;
    uint64_t here, next;
    memcpy(&here, at, sizeof here);
    memcpy(&next, at + 1, sizeof next);
    here ^= ones * '/';
    next = (next | ones) ^ (ones * '/');
    return (here - ones) & ~here & (next - ones) & ~next & (ones * 0x80);
}

/* No component is empty, and none begins with a dot: it stays as it is. False says nothing. */
static bool is_tidy(struct hv_str path)
{
    size_t at = 0;
    if (!path.len || path.ptr[0] == '.' || path.ptr[path.len - 1] == '/')
        return false;
    for (; at + sizeof(uint64_t) < path.len; at += sizeof(uint64_t))
        if (has_untidy(path.ptr + at))
            return false;
    for (; at + 1 < path.len; at++)
        if (path.ptr[at] == '/' && (path.ptr[at + 1] == '/' || path.ptr[at + 1] == '.'))
            return false;
    return true;
}

struct hv_str path_join(struct hv_arena *arena, struct hv_str directory, struct hv_str name)
{
    char *out = hv_arena_alloc(arena, directory.len + name.len + 2);
    if (directory.len)
        memcpy(out, directory.ptr, directory.len);
    out[directory.len] = '/';
    if (name.len)
        memcpy(out + directory.len + 1, name.ptr, name.len);
    out[directory.len + 1 + name.len] = '\0';
    return (struct hv_str){out, directory.len + 1 + name.len};
}

/* The components of path behind the `len` bytes of out, which are those of others: the new length. Most are short, so
 * that they are copied on the way to their end. */
static size_t add_components(char *out, size_t len, struct hv_str path)
{
    for (size_t at = 0; at < path.len; at++) {
        size_t start = len;
        out[len++] = '/';
        while (at < path.len && path.ptr[at] != '/')
            out[len++] = path.ptr[at++];
        struct hv_str part = hv_str_of(out + start + 1, len - start - 1);
        bool up = hv_str_is(part, "..");
        if (part.len == 0 || up || hv_str_is(part, "."))
            len = start;
        while (up && len > 0 && out[--len] != '/')
            ;
    }
    return len;
}

struct hv_str path_expand(struct hv_arena *arena, struct hv_str path, struct hv_str directory, struct hv_str home)
{
    struct hv_str base = {0};
    bool from_home = path.len && path.ptr[0] == '~' && (path.len == 1 || path.ptr[1] == '/') && home.len;
    if (from_home) {
        base = home;
        path = hv_str_slice(path, 1, path.len);
    } else if (!path.len || path.ptr[0] != '/') {
        base = directory;
    }
    bool absolute = path.len && path.ptr[0] == '/';
    if (!base.len && absolute && is_tidy(path))
        return hv_arena_str(arena, path);
    if (base.len && base.ptr[0] == '/' && !absolute && is_tidy(base) && is_tidy(path))
        return path_join(arena, base, path);
    char *out = hv_arena_alloc(arena, base.len + path.len + 3);
    size_t len = add_components(out, 0, base);
    len = add_components(out, len, path);
    if (len == 0)
        out[len++] = '/';
    out[len] = '\0';
    return (struct hv_str){out, len};
}

bool path_names_directory(struct hv_str path)
{
    return hv_str_ends(path, HV_STR("/")) || hv_str_ends(path, HV_STR("/."));
}

struct hv_str path_name(struct hv_str path)
{
    size_t slash = hv_str_rfind_byte(path, '/');
    return slash == SIZE_MAX ? path : hv_str_slice(path, slash + 1, path.len);
}

struct hv_str path_parent(struct hv_str path)
{
    size_t slash = hv_str_rfind_byte(path, '/');
    return slash == SIZE_MAX || slash == 0 ? HV_STR("/") : hv_str_slice(path, 0, slash);
}

struct hv_str path_relative(struct hv_str path, struct hv_str directory)
{
    if (!path_inside(path, directory))
        return path;
    if (path.len == directory.len)
        return HV_STR(".");
    size_t skip = directory.len == 1 ? 1 : directory.len + 1;
    return hv_str_slice(path, skip, path.len);
}
