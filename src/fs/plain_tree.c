/* plain_tree.c: see plain_tree.h. */
#include "fs/plain_tree.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/vec.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ENTRIES_MAX = 20000 };

struct looking {
    const struct fs_plain *wanted;
    struct hv_arena arena;
    struct hv_str root;
    VEC(const char *) waiting; /* directories that are still to be read */
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

static bool take_entry(struct looking *looking, const char *directory, bool top, const struct dirent *entry)
{
    const struct fs_plain *wanted = looking->wanted;
    if (++looking->entries > ENTRIES_MAX || (wanted->no_option && top && strchr("-+@!(=", *entry->d_name)) ||
        (wanted->words && !is_one_word(entry->d_name)) || (wanted->lines && !is_one_line(entry->d_name)) ||
        (wanted->no_dash && strchr("-+", *entry->d_name)))
        return false;
    if (!wanted->words && !wanted->lines && !wanted->no_dash && !wanted->links)
        return true;
    const char *path = hv_arena_format(&looking->arena, "%s/%s", directory, entry->d_name).ptr;
    switch (kind_of(path, entry)) {
    case DT_DIR: *(const char **)vec_push(&looking->waiting) = path; return true;
    case DT_LNK: return !wanted->links || link_stays(looking, path);
    case DT_UNKNOWN: return false;
    default: return true;
    }
}

static bool take_directory(struct looking *looking, const char *path, bool top)
{
    const struct dirent *entry;
    bool plain = true;
    DIR *directory = opendir(path);
    if (!directory)
        return false;
    while (plain && (entry = readdir(directory)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            plain = take_entry(looking, path, top, entry);
    closedir(directory);
    return plain;
}

bool fs_is_plain(struct hv_str directory, const struct fs_plain *wanted)
{
    char real[PATH_MAX];
    struct looking looking = {.wanted = wanted};
    bool plain =
        hv_str_find_byte(directory, '\0', 0) == SIZE_MAX && realpath(hv_arena_cstr(&looking.arena, directory), real);
    if (plain) {
        looking.root = hv_str_from(real);
        plain = take_directory(&looking, real, true);
    }
    while (plain && looking.waiting.count)
        plain = take_directory(&looking, looking.waiting.items[--looking.waiting.count], false);
    vec_release(&looking.waiting);
    hv_arena_release(&looking.arena);
    return plain;
}
