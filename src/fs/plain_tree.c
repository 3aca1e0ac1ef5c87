/* plain_tree.c: see plain_tree.h. */
#include "fs/plain_tree.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ENTRIES_MAX = 20000 };

struct waiting {
    const char *path;
    unsigned level; /* of the names in it: 1 in the directory that is looked at */
};

struct looking {
    struct hv_arena arena;
    struct hv_str root;
    VEC(struct waiting) waiting; /* directories that are still to be read */
    size_t entries;
};

static bool is_one_word(const char *name)
{
    for (; *name; name++)
        if ((unsigned char)*name <= ' ' || *name == 127 || strchr("'\"\\*?[]$`", *name))
            return false;
    return true;
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

static bool link_stays(const struct looking *looking, const char *path)
{
    char real[PATH_MAX];
    struct stat status;
    if (!realpath(path, real))
        return stat(path, &status) != 0; /* it leads nowhere */
    return path_inside(hv_str_from(real), looking->root) || is_of_the_system(hv_str_from(real));
}

static int kind_of(const char *path, const struct dirent *entry)
{
    struct stat status;
    if (entry->d_type != DT_UNKNOWN || lstat(path, &status) != 0)
        return entry->d_type;
    return S_ISDIR(status.st_mode) ? DT_DIR : S_ISLNK(status.st_mode) ? DT_LNK : DT_REG;
}

static const char *path_of(struct looking *looking, const char *directory, const struct dirent *entry)
{
    return hv_arena_format(&looking->arena, "%s/%s", directory, entry->d_name).ptr;
}

static void look_later(struct looking *looking, const char *path, unsigned level)
{
    *vec_push(&looking->waiting) = (struct waiting){path, level};
}

bool fs_name_is_plain(const char *name, unsigned level, const struct fs_plain *wanted)
{
    return !((wanted->no_option && level == 1 && strchr("-+@!(=", *name)) ||
             ((wanted->words || (wanted->names && level == 1)) && !is_one_word(name)) ||
             (wanted->lines && !is_one_line(name)) || (wanted->no_dash && strchr("-+", *name)));
}

static bool take_entry(struct looking *looking, const void *wanted_names, const char *directory, unsigned level,
                       const struct dirent *entry)
{
    const struct fs_plain *wanted = wanted_names;
    if (!fs_name_is_plain(entry->d_name, level, wanted))
        return false;
    if (!wanted->words && !wanted->lines && !wanted->no_dash && !wanted->links)
        return true;
    const char *path = path_of(looking, directory, entry);
    switch (kind_of(path, entry)) {
    case DT_DIR: look_later(looking, path, level + 1); return true;
    case DT_LNK: return !wanted->links || link_stays(looking, path);
    case DT_UNKNOWN: return false;
    default: return true;
    }
}

typedef bool take_one(struct looking *looking, const void *wanted, const char *directory, unsigned level,
                      const struct dirent *entry);

static bool take_directory(struct looking *looking, take_one *take, const void *wanted, struct waiting of)
{
    const struct dirent *entry;
    bool plain = true;
    DIR *directory = opendir(of.path);
    if (!directory)
        return false;
    while (plain && (entry = readdir(directory)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            plain = ++looking->entries <= ENTRIES_MAX && take(looking, wanted, of.path, of.level, entry);
    closedir(directory);
    return plain;
}

/* All below directory, as far as `take` wants to see it. */
static bool look_through(struct hv_str directory, take_one *take, const void *wanted)
{
    char real[PATH_MAX];
    struct looking looking = {0};
    bool plain =
        hv_str_find_byte(directory, '\0', 0) == SIZE_MAX && realpath(hv_arena_cstr(&looking.arena, directory), real);
    if (plain) {
        looking.root = hv_str_from(real);
        plain = take_directory(&looking, take, wanted, (struct waiting){real, 1});
    }
    while (plain && looking.waiting.count)
        plain = take_directory(&looking, take, wanted, looking.waiting.items[--looking.waiting.count]);
    vec_release(&looking.waiting);
    hv_arena_release(&looking.arena);
    return plain;
}

bool fs_is_plain(struct hv_str directory, const struct fs_plain *wanted)
{
    return look_through(directory, take_entry, wanted);
}

/* ---- names that a pattern takes ---------------------------------------------------------------------------------- */

/* The pattern surely does not take name, the level-th component behind the directory. */
static bool is_left_out(const struct fs_names *names, struct hv_str name, unsigned level)
{
    return (level == 1 && !hv_str_starts(name, names->prefix)) ||
           (level == names->depth && !hv_str_ends(name, names->suffix)) || (names->depth && level > names->depth);
}

static bool follow_entry(struct looking *looking, const void *wanted, const char *directory, unsigned level,
                         const struct dirent *entry)
{
    const struct fs_names *names = wanted;
    struct stat status;
    if (is_left_out(names, hv_str_from(entry->d_name), level))
        return true;
    const char *path = path_of(looking, directory, entry);
    bool last = level == names->depth;
    switch (kind_of(path, entry)) {
    case DT_DIR:
        if (!last)
            look_later(looking, path, level + 1);
        return true;
    case DT_LNK:
        /* What lies behind a link in the middle is not looked at. */
        return link_stays(looking, path) &&
               (last || !names->depth || stat(path, &status) != 0 || !S_ISDIR(status.st_mode));
    case DT_UNKNOWN: return false;
    default: return true;
    }
}

bool fs_names_stay(struct hv_str directory, const struct fs_names *names)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    struct stat status;
    if (hv_str_find_byte(directory, '\0', 0) != SIZE_MAX)
        return false;
    if (stat(hv_arena_cstr(&scratch, directory), &status) != 0)
        return errno == ENOENT || errno == ENOTDIR;
    return !S_ISDIR(status.st_mode) || look_through(directory, follow_entry, names);
}

struct name_search {
    const struct fs_names *names;
    fs_name_wanted *wanted;
    void *user;
    struct hv_arena *arena;
    struct hv_str *found;
};

static bool take_found(const struct name_search *search, const char *path)
{
    bool wanted = search->wanted(search->user, hv_str_from(path));
    if (wanted)
        *search->found = hv_arena_str(search->arena, hv_str_from(path));
    return wanted;
}

static bool search_entry(struct looking *looking, const void *wanted_name, const char *directory, unsigned level,
                         const struct dirent *entry)
{
    const struct name_search *search = wanted_name;
    const struct fs_names *names = search->names;
    char real[PATH_MAX];
    if (is_left_out(names, hv_str_from(entry->d_name), level))
        return true;
    const char *path = path_of(looking, directory, entry);
    bool last = level == names->depth;
    int kind = kind_of(path, entry);
    if ((last || (!names->depth && hv_str_ends(hv_str_from(entry->d_name), names->suffix))) &&
        (take_found(search, path) || (kind == DT_LNK && realpath(path, real) && take_found(search, real))))
        return false;
    if (!last && kind == DT_DIR)
        look_later(looking, path, level + 1);
    return true;
}

struct hv_str fs_names_find(struct hv_arena *arena, struct hv_str directory, const struct fs_names *names,
                            fs_name_wanted *wanted, void *user)
{
    struct hv_str found = {0};
    (void)look_through(directory, search_entry, &(struct name_search){names, wanted, user, arena, &found});
    return found;
}
