/* git_index.c: see git_index.h. */
#include "fs/git_index.h"

#include <string.h>

enum {
    HEADER_SIZE = 12,
    STAT_SIZE = 40,
    MODE_AT = 24,
    MODE_TYPE = 0170000,
    MODE_LINK = 0160000,
    MODE_TREE = 0040000,
    NAME_MAX_SIZE = 4096
};
enum { FLAG_EXTENDED = 0x4000 };

/* Where the reading of the entries stands. */
struct entries {
    struct hv_str bytes;
    size_t at, hash_size;
    unsigned version;
    char name[NAME_MAX_SIZE]; /* of the entry before, and then of this one */
    size_t name_len;
};

static unsigned long number(const char *bytes, size_t size)
{
    unsigned long value = 0;
    for (size_t at = 0; at < size; at++)
        value = value << 8 | (unsigned char)bytes[at];
    return value;
}

/* Version 4: how many bytes of the name before are dropped; as the offsets of packs are written. */
static bool read_dropped(struct entries *entries, size_t *dropped)
{
    *dropped = 0;
    for (bool first = true; entries->at < entries->bytes.len; first = false) {
        unsigned char byte = (unsigned char)entries->bytes.ptr[entries->at++];
        *dropped = ((*dropped + !first) << 7) | (byte & 0x7f);
        if (!(byte & 0x80))
            return *dropped <= entries->name_len;
        if (*dropped > NAME_MAX_SIZE)
            return false;
    }
    return false;
}

/* The rest of an entry: its name. begin is where the entry starts. */
static bool read_name(struct entries *entries, size_t begin)
{
    size_t kept = 0, dropped;
    if (entries->version == 4) {
        if (!read_dropped(entries, &dropped))
            return false;
        kept = entries->name_len - dropped;
    }
    size_t end = hv_str_find_byte(entries->bytes, '\0', entries->at);
    if (end == SIZE_MAX || kept + (end - entries->at) > NAME_MAX_SIZE)
        return false;
    memcpy(entries->name + kept, entries->bytes.ptr + entries->at, end - entries->at);
    entries->name_len = kept + (end - entries->at);
    entries->at = entries->version == 4 ? end + 1 : begin + ((end - begin + 8) & ~(size_t)7);
    return true;
}

static bool read_entry(struct entries *entries, unsigned long *mode)
{
    size_t begin = entries->at, fixed = STAT_SIZE + entries->hash_size + 2;
    if (entries->bytes.len < begin + fixed + 2)
        return false;
    *mode = number(entries->bytes.ptr + begin + MODE_AT, 4);
    unsigned long flags = number(entries->bytes.ptr + begin + fixed - 2, 2);
    entries->at = begin + fixed + (flags & FLAG_EXTENDED ? 2 : 0);
    return read_name(entries, begin);
}

/* The extensions after the entries; a split index has its entries in another file. */
static bool is_whole(struct hv_str bytes, size_t at, size_t hash_size)
{
    while (at + 8 + hash_size <= bytes.len) {
        if (!memcmp(bytes.ptr + at, "link", 4))
            return false;
        size_t size = number(bytes.ptr + at + 4, 4);
        if (size > bytes.len - at - 8)
            return false;
        at += 8 + size;
    }
    return true;
}

/* One entry; false: look no further. */
typedef bool take_name(void *user, unsigned long mode, struct hv_str name);

static bool read_index(struct hv_str bytes, size_t hash_size, take_name *take, void *user)
{
    if (bytes.len < HEADER_SIZE || memcmp(bytes.ptr, "DIRC", 4) != 0)
        return false;
    struct entries entries = {.bytes = bytes, .at = HEADER_SIZE, .hash_size = hash_size};
    entries.version = (unsigned)number(bytes.ptr + 4, 4);
    unsigned long count = number(bytes.ptr + 8, 4), mode;
    if (entries.version < 2 || entries.version > 4)
        return false;
    for (; count; count--)
        if (!read_entry(&entries, &mode) || !take(user, mode & MODE_TYPE, hv_str_of(entries.name, entries.name_len)))
            return false;
    return is_whole(bytes, entries.at, hash_size);
}

struct links_found {
    struct hv_arena *arena;
    struct git_index_links links;
};

static bool take_link(void *user, unsigned long mode, struct hv_str name)
{
    struct links_found *found = user;
    if (mode != MODE_LINK)
        return true;
    if (found->links.count == GIT_INDEX_LINKS_MAX)
        return false;
    found->links.paths[found->links.count++] = hv_arena_str(found->arena, name);
    return true;
}

bool git_index_links(struct hv_arena *arena, struct hv_str bytes, size_t hash_size, struct git_index_links *links)
{
    struct links_found found = {arena, {.paths = hv_arena_array(arena, struct hv_str, GIT_INDEX_LINKS_MAX)}};
    if (!read_index(bytes, hash_size, take_link, &found))
        return false;
    *links = found.links;
    return true;
}

/* ---- names ----------------------------------------------------------------------------------------------- */

struct names_wanted {
    struct hv_str directory;
    const struct fs_plain *plain;
};

/* path below the directory, component by component. */
static bool components_are_plain(struct hv_str path, const struct fs_plain *wanted)
{
    char name[NAME_MAX_SIZE + 1];
    struct hv_str component;
    for (unsigned level = 1; hv_str_split(&path, '/', &component); level++) {
        memcpy(name, component.ptr, component.len);
        name[component.len] = '\0';
        if (!fs_name_is_plain(name, level, wanted))
            return false;
    }
    return true;
}

static bool take_plain(void *user, unsigned long mode, struct hv_str name)
{
    const struct names_wanted *wanted = user;
    struct hv_str directory = wanted->directory;
    if (mode == MODE_TREE)
        return false;
    if (!directory.len)
        return components_are_plain(name, wanted->plain);
    if (name.len <= directory.len || !hv_str_starts(name, directory) || name.ptr[directory.len] != '/')
        return true;
    return components_are_plain(hv_str_slice(name, directory.len + 1, name.len), wanted->plain);
}

bool git_index_is_plain(struct hv_str bytes, size_t hash_size, struct hv_str directory, const struct fs_plain *wanted)
{
    struct names_wanted names = {directory, wanted};
    return read_index(bytes, hash_size, take_plain, &names);
}

struct name_search {
    struct hv_arena *arena;
    struct hv_str directory, found;
    fs_name_wanted *wanted;
    void *user;
};

static bool take_wanted(void *user, unsigned long mode, struct hv_str name)
{
    struct name_search *search = user;
    struct hv_str directory = search->directory;
    (void)mode;
    if (directory.len) {
        if (name.len <= directory.len || !hv_str_starts(name, directory) || name.ptr[directory.len] != '/')
            return true;
        name = hv_str_slice(name, directory.len + 1, name.len);
    }
    if (!search->wanted(search->user, name))
        return true;
    search->found = hv_arena_str(search->arena, name);
    return false;
}

struct hv_str git_index_find(struct hv_arena *arena, struct hv_str bytes, size_t hash_size, struct hv_str directory,
                             fs_name_wanted *wanted, void *user)
{
    struct name_search search = {arena, directory, {0}, wanted, user};
    (void)read_index(bytes, hash_size, take_wanted, &search);
    return search.found;
}
