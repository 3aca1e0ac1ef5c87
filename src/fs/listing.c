/*
 * listing.c: see listing.h. Names are kept by their ASCII letters in lower case. Who asks for a name that is there in
 * that form alone is not answered; nor is one who asks for what is not there, once a letter beyond ASCII is in play, as
 * some of those are the same as an ASCII one without their case.
 */
#include "fs/listing.h"

#include "base/cleanup.h"
#include "base/map.h"
#include "base/path.h"
#include "fs/directory.h"
#include "fs/open.h"

#include <fcntl.h>
#include <limits.h>

struct fs_listing {
    struct map names;     /* in lower case: to struct listed */
    bool has_wider_names; /* with bytes beyond ASCII */
};

struct listed {
    struct hv_str name; /* as it is; of the first of several that differ in case alone */
    enum hv_file_kind kind;
    bool is_one_of_several;
};

/* name in lower case into out; false when it has bytes beyond ASCII, or a NUL, which no name has. */
static bool to_lower_case(struct hv_str name, char *out)
{
    bool is_narrow = true;
    for (size_t i = 0; i < name.len; i++) {
        signed char byte = (signed char)name.ptr[i];
        is_narrow &= byte > 0;
        out[i] = (char)(byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte);
    }
    return is_narrow;
}

static void keep(struct fs_listing *listing, struct hv_arena *arena, const struct hv_directory_entry *entry)
{
    struct listed *listed = hv_arena_new(arena, struct listed);
    *listed = (struct listed){.name = hv_arena_str(arena, entry->name), .kind = entry->kind};
    char *lower = hv_arena_alloc(arena, entry->name.len + 1);
    if (!to_lower_case(entry->name, lower))
        listing->has_wider_names = true;
    struct listed *former = map_set(&listing->names, hv_str_of(lower, entry->name.len), listed);
    listed->is_one_of_several = former != NULL;
}

static bool read_names(struct fs_listing *listing, struct hv_arena *arena, int fd, size_t limit)
{
    struct fs_directory directory;
    struct hv_directory_entry entry;
    size_t count = 0;
    int result;
    fs_directory_init(&directory, fd);
    while ((result = fs_directory_next(&directory, &entry)) > 0 && count++ < limit)
        keep(listing, arena, &entry);
    fs_directory_release(&directory);
    return result == 0;
}

static void release_names(void *names)
{
    map_release(names);
}

const struct fs_listing *fs_listing_read(struct hv_arena *arena, struct hv_str directory, size_t limit)
{
    char name[FS_PATH_MAX];
    if (path_inside(directory, HV_STR("/dev")) || fs_path_cstr(directory, name, NULL) != HV_OK)
        return NULL;
    CLEANUP_FD int fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || !fs_keeps_times(fd))
        return NULL;
    struct fs_listing *listing = hv_arena_new(arena, struct fs_listing);
    hv_arena_on_release(arena, release_names, &listing->names);
    return read_names(listing, arena, fd, limit) ? listing : NULL;
}

bool fs_listing_tells(const struct fs_listing *listing, struct hv_str name, enum hv_file_kind *kind)
{
    char lower[NAME_MAX];
    if (!name.len || name.len > sizeof lower)
        return false;
    bool is_narrow = to_lower_case(name, lower);
    const struct listed *listed = map_get(&listing->names, hv_str_of(lower, name.len));
    *kind = HV_FILE_UNKNOWN;
    if (!listed)
        return is_narrow && !listing->has_wider_names;
    *kind = listed->kind;
    return !listed->is_one_of_several && hv_str_eq(listed->name, name) && listed->kind != HV_FILE_SYMLINK &&
           listed->kind != HV_FILE_UNKNOWN;
}

bool fs_listing_has_none(const struct fs_listing *listing, struct hv_str beginning, struct hv_str ending)
{
    for (size_t i = 0; i < listing->names.capacity; i++) {
        struct hv_str name = listing->names.slots[i].key;
        if (name.ptr && name.len >= beginning.len + ending.len &&
            hv_str_eq_nocase(hv_str_slice(name, 0, beginning.len), beginning) &&
            hv_str_eq_nocase(hv_str_slice(name, name.len - ending.len, name.len), ending))
            return false;
    }
    return true;
}
