/*
 * lookups.c: see lookups.h. A directory is resolved once; a file in it then costs one look at itself, unless it is a
 * link, and nothing where the directory is missing or cannot be resolved. Of a directory that many files are asked for
 * in, the names are read. Where files stand in many directories, these are looked up as files of theirs.
 */
#include "policy/lookups.h"

#include "base/path.h"
#include "fs/listing.h"

enum {
    SHORT = 1024,       /* longer paths may be refused for their length alone: by the host */
    LISTED_FROM = 16,   /* looks into a directory before its names are read: when they are no more than */
    LISTED_FACTOR = 16, /* so many times the looks; tried again at a multiple of these looks, LISTED_AGAIN */
    LISTED_AGAIN = 8,
    CLIMBS_FROM = 4, /* directories that the host resolves at a stroke, before they are looked up by their own ones */
};

/* A directory that paths were found in. */
struct lookup_directory {
    struct hv_str path; /* as it was named */
    const struct lookup *where;
    bool is_missing;
    size_t looks, listed_from; /* how many names were looked at; and when its names are read */
    const struct fs_listing *listing;
};

void lookups_release(struct lookups *lookups)
{
    map_release(&lookups->found);
    map_release(&lookups->directories);
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

static const struct lookup *find_directory(struct lookups *lookups, struct hv_str path)
{
    const struct lookup *known = map_get(&lookups->found, path);
    if (known)
        return known;
    return lookups->asked++ < CLIMBS_FROM ? resolve(lookups, path) : lookups_find(lookups, path);
}

static struct lookup_directory *directory_of(struct lookups *lookups, struct hv_str path)
{
    if (lookups->last && hv_str_eq(lookups->last->path, path))
        return lookups->last;
    struct lookup_directory *directory = map_get(&lookups->directories, path);
    if (!directory) {
        directory = hv_arena_new(lookups->arena, struct lookup_directory);
        directory->path = hv_arena_str(lookups->arena, path);
        directory->where = find_directory(lookups, directory->path);
        directory->is_missing = directory->where->is_missing;
        directory->listed_from = LISTED_FROM;
        (void)map_set(&lookups->directories, directory->path, directory);
    }
    return lookups->last = directory;
}

static bool is_missing(const struct lookups *lookups, struct hv_str path)
{
    struct hv_file_stat stat;
    return lookups->host->stat(lookups->host, path, false, &stat, NULL) == HV_ENOTFOUND;
}

/* Once it is worth it, see that directory is missing or read the names in it: other hosts than this machine are asked
 * one by one. */
static void list(const struct lookups *lookups, struct lookup_directory *directory)
{
    const struct hv_host *local = hv_host_local();
    if (directory->listing || ++directory->looks < directory->listed_from)
        return;
    directory->listed_from *= LISTED_AGAIN;
    if (lookups->host->stat != local->stat || lookups->host->resolve != local->resolve)
        return;
    directory->is_missing = is_missing(lookups, directory->where->resolved);
    if (!directory->is_missing)
        directory->listing =
            fs_listing_read(lookups->arena, directory->where->resolved, LISTED_FACTOR * directory->looks);
}

/* What stands in directory under that name, where own says so, without following a link: false when that is not known,
 * or a link. */
static bool look(const struct lookups *lookups, struct lookup_directory *directory, struct hv_str name,
                 struct hv_str own, enum hv_file_kind *kind)
{
    struct hv_file_stat stat;
    if (!directory->is_missing)
        list(lookups, directory);
    if (directory->is_missing || (directory->listing && fs_listing_tells(directory->listing, name, kind)))
        return true;
    enum hv_code code = lookups->host->stat(lookups->host, own, false, &stat, NULL);
    bool is_file = code == HV_OK && stat.kind != HV_FILE_SYMLINK && stat.kind != HV_FILE_UNKNOWN;
    *kind = is_file ? stat.kind : HV_FILE_UNKNOWN;
    if (!is_file && code != HV_ENOTFOUND)
        directory->looks = 0; /* links ask for more than names; and what may be listed need not be searchable */
    return is_file || code == HV_ENOTFOUND;
}

/* path by the directory that it stands in: true when that is enough. */
static bool find_in_directory(struct lookups *lookups, struct hv_str path, struct lookup *out)
{
    size_t slash = hv_str_rfind_byte(path, '/');
    if (slash == SIZE_MAX || path.len > SHORT)
        return false;
    struct hv_str name = hv_str_slice(path, slash + 1, path.len), parent = hv_str_slice(path, 0, slash ? slash : 1);
    if ((!name.len || hv_str_is(name, ".")) && path.len > 1) {
        *out = *lookups_find(lookups, parent);
        return true;
    }
    if (!name.len || hv_str_is(name, ".."))
        return false;
    struct lookup_directory *directory = directory_of(lookups, parent);
    if (directory->where->code) {
        out->code = directory->where->code; /* who goes on from there comes no further */
        return true;
    }
    struct hv_str start = directory->where->resolved;
    bool is_root = hv_str_is(start, "/");
    if (!is_root && hv_str_eq(start, parent))
        out->resolved = path;
    else
        out->resolved = path_join(lookups->arena, is_root ? HV_STR("") : start, name);
    out->has_kind = true;
    bool found = look(lookups, directory, name, out->resolved, &out->kind);
    out->is_missing = found && out->kind == HV_FILE_UNKNOWN;
    return found;
}

struct lookup *lookups_find(struct lookups *lookups, struct hv_str path)
{
    struct lookup *known = map_get(&lookups->found, path), found = {0};
    if (known)
        return known;
    path = hv_arena_str(lookups->arena, path);
    if (!find_in_directory(lookups, path, &found))
        return resolve(lookups, path);
    known = hv_arena_new(lookups->arena, struct lookup);
    *known = found;
    (void)map_set(&lookups->found, path, known);
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
