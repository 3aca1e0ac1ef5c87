/*
 * lookups.c: see lookups.h. A directory is resolved once; a file in it then costs one look at itself, unless it is a
 * link.
 */
#include "policy/lookups.h"

#include "base/path.h"

enum { SHORT = 1024 }; /* longer paths may be refused for their length alone: by the host */

void lookups_release(struct lookups *lookups)
{
    map_release(&lookups->found);
}

static struct lookup *resolve(struct lookups *lookups, struct hv_str path)
{
    struct lookup *lookup = hv_arena_new(lookups->arena, struct lookup);
    lookup->code = lookups->host->resolve(lookups->host, lookups->arena, path, &lookup->resolved, NULL);
    if (lookup->code)
        lookup->resolved = (struct hv_str){0};
    (void)map_set(&lookups->found, hv_arena_str(lookups->arena, path), lookup);
    return lookup;
}

/* path by the directory that it stands in: true when that is enough. */
static bool find_in_directory(struct lookups *lookups, struct hv_str path, struct lookup *out)
{
    struct hv_file_stat stat;
    size_t slash = hv_str_rfind_byte(path, '/');
    if (slash == SIZE_MAX || slash == 0 || path.len > SHORT)
        return false;
    struct hv_str name = hv_str_slice(path, slash + 1, path.len), parent = hv_str_slice(path, 0, slash);
    if (!name.len || hv_str_is(name, ".") || hv_str_is(name, ".."))
        return false;
    const struct lookup *directory = map_get(&lookups->found, parent);
    if (!directory)
        directory = resolve(lookups, parent);
    if (directory->code)
        return false;
    struct hv_str start = hv_str_is(directory->resolved, "/") ? HV_STR("") : directory->resolved;
    struct hv_str own = path_join(lookups->arena, start, name);
    enum hv_code code = lookups->host->stat(lookups->host, own, false, &stat, NULL);
    bool is_file = code == HV_OK && stat.kind != HV_FILE_SYMLINK && stat.kind != HV_FILE_UNKNOWN;
    if (!is_file && code != HV_ENOTFOUND)
        return false;
    *out = (struct lookup){.resolved = own, .has_kind = true, .kind = is_file ? stat.kind : HV_FILE_UNKNOWN};
    return true;
}

struct lookup *lookups_find(struct lookups *lookups, struct hv_str path)
{
    struct lookup *known = map_get(&lookups->found, path), found;
    if (known)
        return known;
    if (!find_in_directory(lookups, path, &found))
        return resolve(lookups, path);
    known = hv_arena_new(lookups->arena, struct lookup);
    *known = found;
    (void)map_set(&lookups->found, hv_arena_str(lookups->arena, path), known);
    return known;
}

enum hv_file_kind lookups_kind(struct lookups *lookups, struct lookup *lookup)
{
    struct hv_file_stat stat;
    if (lookup->has_kind || lookup->code)
        return lookup->kind;
    lookup->has_kind = true;
    if (lookups->host->stat(lookups->host, lookup->resolved, true, &stat, NULL) == HV_OK)
        lookup->kind = stat.kind;
    return lookup->kind;
}
