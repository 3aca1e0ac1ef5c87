/* path.c: see path.h. */
#include "base/path.h"

#include <string.h>

/* No component is empty, and none begins with a dot: it stays as it is. */
static bool is_tidy(struct hv_str path)
{
    if (!path.len || path.ptr[0] == '.')
        return false;
    for (const char *at = path.ptr, *end = at + path.len; at < end; at++) {
        at = memchr(at, '/', (size_t)(end - at));
        if (!at)
            break;
        if (at + 1 == end || at[1] == '/' || at[1] == '.')
            return false;
    }
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
    size_t len = 0;
    struct hv_str pieces[] = {base, path};
    for (size_t i = 0; i < 2; i++) {
        struct hv_str rest = pieces[i], part;
        while (hv_str_split(&rest, '/', &part)) {
            if (part.len == 0 || hv_str_is(part, "."))
                continue;
            if (hv_str_is(part, "..")) {
                while (len > 0 && out[--len] != '/')
                    ;
                continue;
            }
            out[len++] = '/';
            memcpy(out + len, part.ptr, part.len);
            len += part.len;
        }
    }
    if (len == 0)
        out[len++] = '/';
    out[len] = '\0';
    return (struct hv_str){out, len};
}

bool path_names_directory(struct hv_str path)
{
    return hv_str_ends(path, HV_STR("/")) || hv_str_ends(path, HV_STR("/."));
}

bool path_inside(struct hv_str path, struct hv_str directory)
{
    if (directory.len == 1 && directory.ptr[0] == '/')
        return path.len && path.ptr[0] == '/';
    return directory.len && hv_str_starts(path, directory) &&
           (path.len == directory.len || path.ptr[directory.len] == '/');
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
