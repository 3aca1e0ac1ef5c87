/* looks.c: see looks.h. */
#include "sandbox/looks.h"

#include "base/path.h"

struct look {
    enum hv_code code; /* of stat, links not followed */
    struct hv_file_stat stat;
    struct hv_str real; /* absent: not known yet */
    const struct hv_directory_entry *entries;
    size_t count;
    bool listed; /* those are all that is in it */
};

/* Only of such a path the last name says where it lies. */
static bool is_tidy(struct looks *looks, struct hv_str path)
{
    return hv_str_starts(path, HV_STR("/")) &&
           hv_str_eq(path_expand(&looks->arena, path, HV_STR("/"), (struct hv_str){0}), path);
}

/* Some file systems find a name by other letters than it was given. */
static bool may_be_called(struct hv_str entry, struct hv_str name)
{
    bool ascii = true;
    for (size_t i = 0; i < entry.len; i++)
        ascii = ascii && (unsigned char)entry.ptr[i] < 0x80;
    return !ascii || hv_str_eq_nocase(entry, name);
}

static bool may_hold(const struct look *folder, struct hv_str name)
{
    if (folder->code == HV_ENOTFOUND)
        return false;
    if (folder->code || folder->stat.kind == HV_FILE_SYMLINK)
        return true;
    bool may = !folder->listed;
    for (size_t i = 0; !may && i < folder->count; i++)
        may = may_be_called(folder->entries[i].name, name);
    return may && folder->stat.kind == HV_FILE_DIRECTORY;
}

/* NULL: the path is not tidy. */
static struct look *see(struct looks *looks, struct hv_str path)
{
    struct look *found = map_get(&looks->seen, path);
    if (found || !is_tidy(looks, path))
        return found;
    const struct look *parent = path.len > 1 ? see(looks, path_parent(path)) : NULL;
    found = hv_arena_array(&looks->arena, struct look, 1);
    found->code = parent && !may_hold(parent, path_name(path))
                      ? HV_ENOTFOUND
                      : looks->machine->stat(looks->machine, path, false, &found->stat, NULL);
    map_set(&looks->seen, hv_arena_str(&looks->arena, path), found);
    return found;
}

static enum hv_code look_at(const struct hv_host *host, struct hv_str path, bool follow, struct hv_file_stat *out,
                            struct hv_error *err)
{
    struct looks *looks = host->data;
    const struct look *found = follow ? NULL : see(looks, path);
    if (!found || (found->code && found->code != HV_ENOTFOUND))
        return looks->machine->stat(looks->machine, path, follow, out, err);
    if (found->code)
        return hv_fail(err, HV_ENOTFOUND, "%.*s does not exist", HV_STR_ARG(path));
    *out = found->stat;
    return HV_OK;
}

/* Where nothing is, or no link, it lies where its folder does. Absent: the machine has to say it. */
static struct hv_str real_path(struct looks *looks, struct hv_str path)
{
    struct look *found = see(looks, path);
    if (!found || found->real.len)
        return found ? found->real : (struct hv_str){0};
    bool plain = found->code == HV_ENOTFOUND || (!found->code && found->stat.kind != HV_FILE_SYMLINK);
    struct hv_str folder = plain && path.len > 1 ? real_path(looks, path_parent(path)) : (struct hv_str){0};
    if (hv_str_is(path, "/"))
        found->real = HV_STR("/");
    else if (folder.len)
        found->real = path_join(&looks->arena, hv_str_is(folder, "/") ? (struct hv_str){0} : folder, path_name(path));
    else if (looks->machine->resolve(looks->machine, &looks->arena, path, &found->real, NULL) != HV_OK)
        found->real = (struct hv_str){0};
    return found->real;
}

static enum hv_code resolve(const struct hv_host *host, struct hv_arena *arena, struct hv_str path, struct hv_str *out,
                            struct hv_error *err)
{
    struct looks *looks = host->data;
    struct hv_str real = real_path(looks, path);
    if (!real.len)
        return looks->machine->resolve(looks->machine, arena, path, out, err);
    *out = hv_arena_str(arena, real);
    return HV_OK;
}

static enum hv_code list(const struct hv_host *host, struct hv_arena *arena, struct hv_str path, size_t limit,
                         struct hv_directory_entry **entries, size_t *count, bool *more, struct hv_error *err)
{
    struct looks *looks = host->data;
    struct look *folder = see(looks, path);
    enum hv_code code = looks->machine->list(looks->machine, &looks->arena, path, limit, entries, count, more, err);
    (void)arena; /* the entries live as long as the looks do */
    if (folder && !code && !*more) {
        folder->entries = *entries;
        folder->count = *count;
        folder->listed = true;
    }
    return code;
}

void looks_init(struct looks *looks, const struct hv_host *machine)
{
    *looks = (struct looks){.host = {.stat = look_at, .resolve = resolve}, .machine = machine};
    looks->host.data = looks;
    if (machine->list)
        looks->host.list = list;
}

void looks_release(struct looks *looks)
{
    map_release(&looks->seen);
    hv_arena_release(&looks->arena);
}
