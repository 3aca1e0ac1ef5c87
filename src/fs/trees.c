/* trees.c: see trees.h. */
#include "fs/trees.h"

#include "base/cleanup.h"
#include "base/vec.h"
#include "fs/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names to be read in all, where a directory costs as much as many names; names to be looked at; links in a row. */
enum { READ_MAX = 1 << 17, DIRECTORY_COST = 16, LOOKED_AT_MAX = 1 << 18, LINKS_MAX = 40 };

/* A directory by one of its names. */
struct place {
    enum fs_tree_kind kind;
    struct fs_tree *tree; /* of a directory */
};

/* What fs_trees_real said of a directory. */
struct position {
    struct hv_str real, there;
};

void fs_trees_release(struct fs_trees *trees)
{
    map_release(&trees->places);
    map_release(&trees->directories);
    map_release(&trees->folders);
    map_release(&trees->positions);
    map_release(&trees->answers);
    hv_arena_release(&trees->arena);
    *trees = (struct fs_trees){0};
}

struct hv_str fs_tree_path(struct hv_arena *arena, const struct fs_tree *tree, const struct fs_tree_entry *entry)
{
    size_t start = hv_str_is(tree->path, "/") ? 0 : tree->path.len, size = start + 1 + entry->name.len;
    char *path = hv_arena_alloc(arena, size + 1);
    memcpy(path, tree->path.ptr, start);
    path[start] = '/';
    memcpy(path + start + 1, entry->name.ptr, entry->name.len + 1);
    return hv_str_of(path, size);
}

bool fs_trees_may_look(struct fs_trees *trees)
{
    trees->exhausted |= ++trees->looked_at > LOOKED_AT_MAX;
    return !trees->exhausted;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static void read_names(struct fs_trees *trees, struct fs_tree *tree, int fd)
{
    VEC(struct fs_tree_entry) entries = {0};
    struct fs_directory directory;
    struct hv_directory_entry named;
    fs_directory_init(&directory, fd);
    while (entries.count <= FS_TREE_ENTRIES_MAX && fs_directory_next(&directory, &named) > 0) {
        struct hv_str name = hv_arena_str(&trees->arena, named.name);
        *vec_push(&entries) = (struct fs_tree_entry){.name = name, .kind = named.kind};
        unsigned char first = (unsigned char)name.ptr[0], last = (unsigned char)name.ptr[name.len - 1];
        tree->first[first / 64] |= (uint64_t)1 << first % 64;
        tree->last[last / 64] |= (uint64_t)1 << last % 64;
    }
    fs_directory_release(&directory);
    tree->entries = hv_arena_array(&trees->arena, struct fs_tree_entry, entries.count);
    tree->count = entries.count;
    if (entries.count)
        memcpy(tree->entries, entries.items, entries.count * sizeof *entries.items);
    vec_release(&entries);
}

static struct fs_tree *read_tree(struct fs_trees *trees, struct hv_str path)
{
    struct fs_tree *tree = map_get(&trees->directories, path);
    if (tree)
        return tree;
    tree = hv_arena_new(&trees->arena, struct fs_tree);
    tree->path = hv_arena_str(&trees->arena, path);
    (void)map_set(&trees->directories, tree->path, tree);
    trees->exhausted |= trees->read > READ_MAX;
    CLEANUP_FD int fd = trees->exhausted ? -1 : open(tree->path.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    tree->is_readable = fd >= 0;
    if (!tree->is_readable)
        return tree;
    read_names(trees, tree, fd);
    trees->read += DIRECTORY_COST + tree->count;
    return tree;
}

static enum fs_tree_kind look(struct fs_trees *trees, const char *directory, struct fs_tree **tree)
{
    struct stat status;
    char real[PATH_MAX];
    if (stat(directory, &status) != 0)
        return errno == ENOENT || errno == ENOTDIR ? FS_TREE_NONE : FS_TREE_HIDDEN;
    if (!S_ISDIR(status.st_mode))
        return FS_TREE_OTHER;
    if (!realpath(directory, real))
        return FS_TREE_HIDDEN;
    *tree = read_tree(trees, hv_str_from(real));
    return FS_TREE_DIRECTORY;
}

enum fs_tree_kind fs_trees_find(struct fs_trees *trees, struct hv_str directory, struct fs_tree **tree)
{
    struct place *place = map_get(&trees->places, directory);
    if (!place) {
        struct hv_str name = hv_arena_str(&trees->arena, directory);
        place = hv_arena_new(&trees->arena, struct place);
        if (hv_str_find_byte(name, '\0', 0) == SIZE_MAX)
            place->kind = look(trees, name.ptr, &place->tree);
        (void)map_set(&trees->places, name, place);
    }
    *tree = place->tree;
    return place->kind;
}

struct fs_tree *fs_trees_below(struct fs_trees *trees, const struct fs_tree *tree, struct fs_tree_entry *entry)
{
    if (!entry->behind)
        entry->behind = read_tree(trees, fs_tree_path(&trees->arena, tree, entry));
    return entry->behind;
}

/* ---- links ------------------------------------------------------------------------------------------------------- */

/* Where directory really is; absent: nowhere. Many links lead into few directories. */
static struct hv_str folder_of(struct fs_trees *trees, struct hv_str directory)
{
    char real[PATH_MAX];
    struct hv_str *known = map_get(&trees->folders, directory);
    if (!known) {
        struct hv_str name = hv_arena_str(&trees->arena, directory);
        known = hv_arena_new(&trees->arena, struct hv_str);
        if (realpath(name.ptr, real))
            *known = hv_arena_str(&trees->arena, hv_str_from(real));
        (void)map_set(&trees->folders, name, known);
    }
    return *known;
}

static struct hv_str parent_of(struct hv_str path)
{
    size_t slash = hv_str_rfind_byte(path, '/');
    return hv_str_slice(path, 0, slash ? slash : 1);
}

/* The last directory on the way along path (with a NUL behind it), from the root on, below which the next is missing.
 */
static struct hv_str find_there(struct hv_str path)
{
    struct stat status;
    char name[PATH_MAX];
    for (size_t at = 1; at < path.len && at < sizeof name; at++) {
        size_t slash = hv_str_find_byte(path, '/', at);
        size_t end = slash == SIZE_MAX ? path.len : slash;
        if (end >= sizeof name)
            return path;
        memcpy(name, path.ptr, end);
        name[end] = '\0';
        if (lstat(name, &status) != 0)
            return errno == ENOENT ? parent_of(hv_str_slice(path, 0, end)) : path;
        at = end;
    }
    return path;
}

static bool has_dots(struct hv_str path)
{
    struct hv_str part;
    while (hv_str_split(&path, '/', &part))
        if (hv_str_is(part, ".") || hv_str_is(part, ".."))
            return true;
    return false;
}

/* Of path, with a NUL behind it. */
static struct hv_str find_real(struct fs_trees *trees, struct hv_str path, struct hv_str *there)
{
    struct stat status;
    size_t slash = hv_str_rfind_byte(path, '/');
    struct hv_str name = hv_str_slice(path, slash + 1, path.len);
    const struct hv_str *known = map_get(&trees->folders, path);
    if (known && known->len)
        return *there = *known;
    *there = path;
    if (slash && name.len && !hv_str_is(name, ".") && !hv_str_is(name, "..")) {
        struct hv_str folder = folder_of(trees, hv_str_slice(path, 0, slash));
        if (!folder.len) {
            *there = has_dots(path) ? path : find_there(path);
            return path;
        }
        struct hv_str own = hv_arena_format(&trees->arena, "%.*s/%.*s", hv_str_is(folder, "/") ? 0 : (int)folder.len,
                                            folder.ptr, HV_STR_ARG(name));
        if (lstat(own.ptr, &status) != 0) {
            *there = errno == ENOENT ? parent_of(path) : path;
            return path;
        }
        if (!S_ISLNK(status.st_mode))
            return *there = own;
    }
    struct hv_str real = folder_of(trees, path);
    return *there = real.len ? real : path;
}

struct hv_str fs_trees_real(struct fs_trees *trees, struct hv_str directory, struct hv_str *there)
{
    struct position *position = map_get(&trees->positions, directory);
    if (!position) {
        struct hv_str path = hv_arena_str(&trees->arena, directory);
        position = hv_arena_new(&trees->arena, struct position);
        position->real = find_real(trees, path, &position->there);
        (void)map_set(&trees->positions, path, position);
    }
    *there = position->there;
    return position->real;
}

bool *fs_trees_answer(struct fs_trees *trees, struct hv_str directory, struct hv_str about, bool *is_new)
{
    size_t size = sizeof directory.len + directory.len + about.len;
    char *key = hv_arena_alloc(&trees->arena, size);
    memcpy(key, &directory.len, sizeof directory.len);
    memcpy(key + sizeof directory.len, directory.ptr, directory.len);
    memcpy(key + size - about.len, about.ptr, about.len);
    bool *answer = map_get(&trees->answers, hv_str_of(key, size));
    *is_new = !answer;
    if (!answer) {
        answer = hv_arena_new(&trees->arena, bool);
        (void)map_set(&trees->answers, hv_str_of(key, size), answer);
    }
    return answer;
}

/* The directory and the name of what a link in `from` leads to: false when its text does not end in a plain name. */
static bool split_target(struct fs_trees *trees, struct hv_str from, struct hv_str target, struct hv_str *folder,
                         struct hv_str *name)
{
    size_t slash = hv_str_rfind_byte(target, '/');
    *name = slash == SIZE_MAX ? target : hv_str_slice(target, slash + 1, target.len);
    if (!name->len || hv_str_is(*name, ".") || hv_str_is(*name, ".."))
        return false;
    if (slash == SIZE_MAX)
        *folder = from;
    else if (slash == 0)
        *folder = HV_STR("/");
    else if (target.ptr[0] == '/')
        *folder = folder_of(trees, hv_str_slice(target, 0, slash));
    else
        *folder =
            folder_of(trees, hv_arena_format(&trees->arena, "%.*s/%.*s", HV_STR_ARG(from), (int)slash, target.ptr));
    return true;
}

/* What realpath says of path, which stands in the real directory folder. */
static struct hv_str real_path(struct fs_trees *trees, struct hv_str folder, struct hv_str path)
{
    char target[PATH_MAX], real[PATH_MAX];
    struct hv_str at = path, name;
    for (int links = 0; links < LINKS_MAX && at.len < PATH_MAX; links++) {
        ssize_t length = readlink(at.ptr, target, sizeof target);
        if (length < 0 && errno == EINVAL)
            return at;
        if (length < 0 && errno == ENOENT)
            return (struct hv_str){0};
        if (length <= 0 || (size_t)length == sizeof target ||
            !split_target(trees, folder, hv_str_of(target, (size_t)length), &folder, &name))
            break;
        if (!folder.len)
            return folder;
        at = hv_arena_format(&trees->arena, "%.*s/%.*s", hv_str_is(folder, "/") ? 0 : (int)folder.len, folder.ptr,
                             HV_STR_ARG(name));
    }
    return realpath(path.ptr, real) ? hv_arena_str(&trees->arena, hv_str_from(real)) : (struct hv_str){0};
}

const struct fs_tree_link *fs_trees_follow(struct fs_trees *trees, const struct fs_tree *tree,
                                           struct fs_tree_entry *entry)
{
    struct stat status;
    if (entry->behind)
        return entry->behind;
    struct fs_tree_link *link = hv_arena_new(&trees->arena, struct fs_tree_link);
    struct hv_str path = fs_tree_path(&trees->arena, tree, entry);
    link->real = real_path(trees, tree->path, path);
    link->is_there = link->real.len || stat(path.ptr, &status) == 0;
    entry->behind = link;
    return link;
}

bool fs_trees_follow_to_directory(struct fs_trees *trees, const struct fs_tree *tree, struct fs_tree_entry *entry)
{
    struct fs_tree_link *link = (struct fs_tree_link *)fs_trees_follow(trees, tree, entry);
    struct stat status;
    if (link->is_there && !link->was_looked_at)
        link->is_directory =
            stat(fs_tree_path(&trees->arena, tree, entry).ptr, &status) == 0 && S_ISDIR(status.st_mode);
    link->was_looked_at = true;
    return link->is_directory;
}
