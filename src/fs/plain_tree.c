/* plain_tree.c: see plain_tree.h. */
#include "fs/plain_tree.h"

#include "base/path.h"
#include "base/vec.h"

#include <string.h>

struct waiting {
    const struct fs_tree *tree;
    struct fs_tree_entry *entry; /* there */
    unsigned level;              /* of the names in it: 1 in the directory that is looked at */
};

struct looking {
    struct fs_trees *trees;
    struct hv_str root;
    const struct fs_names *names; /* that are looked for */
    VEC(struct waiting) waiting;  /* directories that are still to be gone through */
    size_t entries;
};

static bool is_one_word(const char *name)
{
    static const bool divides[256] = {
        [0 ... ' '] = true, [127] = true, ['\''] = true, ['"'] = true, ['\\'] = true, ['*'] = true,
        ['?'] = true,       ['['] = true, [']'] = true,  ['$'] = true, ['`'] = true,
    };
    while (*name && !divides[(unsigned char)*name])
        name++;
    return !*name;
}

static bool is_one_line(const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] < ' ' || name[i] == 127)
            return false;
    return length && name[0] != ' ' && name[length - 1] != ' ';
}

static bool is_of_the_system(struct hv_str path)
{
    static const char *const trees[] = {"/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt"};
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
        if (path_inside(path, hv_str_from(trees[i])))
            return true;
    return false;
}

static bool link_stays(const struct looking *looking, const struct fs_tree *tree, struct fs_tree_entry *entry)
{
    const struct fs_tree_link *link = fs_trees_follow(looking->trees, tree, entry);
    if (!link->real.len)
        return !link->is_there; /* it leads nowhere */
    return path_inside(link->real, looking->root) || is_of_the_system(link->real);
}

static void look_later(struct looking *looking, const struct fs_tree *tree, struct fs_tree_entry *entry, unsigned level)
{
    *vec_push(&looking->waiting) = (struct waiting){tree, entry, level};
}

bool fs_name_is_plain(const char *name, unsigned level, const struct fs_plain *wanted)
{
    return !((wanted->no_option && level == 1 && strchr("-+@!(=", *name)) ||
             ((wanted->words || (wanted->names && level == 1)) && !is_one_word(name)) ||
             (wanted->lines && !is_one_line(name)) || (wanted->no_dash && strchr("-+", *name)));
}

static bool take_entry(struct looking *looking, const void *wanted_names, const struct fs_tree *tree, unsigned level,
                       struct fs_tree_entry *entry)
{
    const struct fs_plain *wanted = wanted_names;
    if (!fs_name_is_plain(entry->name.ptr, level, wanted))
        return false;
    if (!wanted->words && !wanted->lines && !wanted->no_dash && !wanted->links)
        return true;
    switch (entry->kind) {
    case HV_FILE_DIRECTORY: look_later(looking, tree, entry, level + 1); return true;
    case HV_FILE_SYMLINK: return !wanted->links || link_stays(looking, tree, entry);
    case HV_FILE_UNKNOWN: return false;
    default: return true;
    }
}

typedef bool take_one(struct looking *looking, const void *wanted, const struct fs_tree *tree, unsigned level,
                      struct fs_tree_entry *entry);

static bool has_byte(const uint64_t *bytes, char byte)
{
    return bytes[(unsigned char)byte / 64] >> (unsigned char)byte % 64 & 1;
}

/* No name in tree begins or ends as those that are looked for do. */
static bool has_none(const struct fs_names *names, const struct fs_tree *tree, unsigned level)
{
    struct hv_str prefix = names->prefix, suffix = names->suffix;
    return (level == 1 && prefix.len && !has_byte(tree->first, prefix.ptr[0])) ||
           (level == names->depth && suffix.len && !has_byte(tree->last, suffix.ptr[suffix.len - 1]));
}

static bool take_directory(struct looking *looking, take_one *take, const void *wanted, struct fs_tree *tree,
                           unsigned level)
{
    bool plain = tree->is_readable;
    if (plain && has_none(looking->names, tree, level)) {
        looking->entries += tree->count;
        return looking->entries <= FS_TREE_ENTRIES_MAX && fs_trees_may_look(looking->trees);
    }
    for (size_t i = 0; plain && i < tree->count; i++)
        plain = ++looking->entries <= FS_TREE_ENTRIES_MAX && fs_trees_may_look(looking->trees) &&
                take(looking, wanted, tree, level, &tree->entries[i]);
    return plain;
}

/* All in tree and below, as far as `take` wants to see it. */
static bool look_through(struct fs_trees *trees, struct fs_tree *tree, take_one *take, const void *wanted,
                         const struct fs_names *names)
{
    struct looking looking = {.trees = trees, .root = tree->path, .names = names};
    bool plain = take_directory(&looking, take, wanted, tree, 1);
    while (plain && looking.waiting.count) {
        struct waiting next = looking.waiting.items[--looking.waiting.count];
        plain = take_directory(&looking, take, wanted, fs_trees_below(trees, next.tree, next.entry), next.level);
    }
    vec_release(&looking.waiting);
    return plain;
}

bool fs_is_plain(struct fs_trees *trees, struct hv_str directory, const struct fs_plain *wanted)
{
    static const struct fs_names any = {0};
    struct fs_tree *tree;
    return fs_trees_find(trees, directory, &tree) == FS_TREE_DIRECTORY &&
           look_through(trees, tree, take_entry, wanted, &any);
}

/* ---- names that a pattern takes ---------------------------------------------------------------------------------- */

/* The pattern surely does not take name, the level-th component behind the directory. */
static bool is_left_out(const struct fs_names *names, struct hv_str name, unsigned level)
{
    return (level == 1 && !hv_str_starts(name, names->prefix)) ||
           (level == names->depth && !hv_str_ends(name, names->suffix)) || (names->depth && level > names->depth);
}

static bool follow_entry(struct looking *looking, const void *wanted, const struct fs_tree *tree, unsigned level,
                         struct fs_tree_entry *entry)
{
    const struct fs_names *names = wanted;
    if (is_left_out(names, entry->name, level))
        return true;
    bool last = level == names->depth;
    switch (entry->kind) {
    case HV_FILE_DIRECTORY:
        if (!last)
            look_later(looking, tree, entry, level + 1);
        return true;
    case HV_FILE_SYMLINK:
        /* What lies behind a link in the middle is not looked at. */
        return link_stays(looking, tree, entry) &&
               (last || !names->depth || !fs_trees_follow_to_directory(looking->trees, tree, entry));
    case HV_FILE_UNKNOWN: return false;
    default: return true;
    }
}

bool fs_names_stay(struct fs_trees *trees, struct hv_str directory, const struct fs_names *names)
{
    struct fs_tree *tree;
    switch (fs_trees_find(trees, directory, &tree)) {
    case FS_TREE_DIRECTORY: return look_through(trees, tree, follow_entry, names, names);
    case FS_TREE_HIDDEN: return false;
    default: return true;
    }
}

struct name_search {
    const struct fs_names *names;
    fs_name_wanted *wanted;
    void *user;
    struct hv_arena *arena;
    struct hv_str *found;
};

static bool take_found(const struct name_search *search, struct hv_str path)
{
    bool wanted = search->wanted(search->user, path);
    if (wanted)
        *search->found = hv_arena_str(search->arena, path);
    return wanted;
}

static bool is_wanted(struct looking *looking, const struct name_search *search, const struct fs_tree *tree,
                      struct fs_tree_entry *entry)
{
    if (entry->is_unwanted)
        return false;
    if (take_found(search, fs_tree_path(&looking->trees->arena, tree, entry)))
        return true;
    if (entry->kind == HV_FILE_SYMLINK) {
        struct hv_str real = fs_trees_follow(looking->trees, tree, entry)->real;
        if (real.len && take_found(search, real))
            return true;
    }
    entry->is_unwanted = true;
    return false;
}

static bool search_entry(struct looking *looking, const void *wanted_name, const struct fs_tree *tree, unsigned level,
                         struct fs_tree_entry *entry)
{
    const struct name_search *search = wanted_name;
    const struct fs_names *names = search->names;
    if (is_left_out(names, entry->name, level))
        return true;
    bool last = level == names->depth;
    bool ends = last || (!names->depth && hv_str_ends(entry->name, names->suffix));
    if (ends && (!names->takes || names->takes(names->user, entry->name)) && is_wanted(looking, search, tree, entry))
        return false;
    if (!last && entry->kind == HV_FILE_DIRECTORY)
        look_later(looking, tree, entry, level + 1);
    return true;
}

struct hv_str fs_names_find(struct fs_trees *trees, struct hv_arena *arena, struct hv_str directory,
                            const struct fs_names *names, fs_name_wanted *wanted, void *user)
{
    struct hv_str found = {0};
    struct fs_tree *tree;
    if (fs_trees_find(trees, directory, &tree) == FS_TREE_DIRECTORY)
        (void)look_through(trees, tree, search_entry, &(struct name_search){names, wanted, user, arena, &found}, names);
    return found;
}
