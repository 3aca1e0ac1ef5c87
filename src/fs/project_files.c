/* project_files.c: see project_files.h. */
#include "fs/project_files.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "fs/listing.h"
#include "fs/open.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_MAX = 4 << 20 };

static bool is_letter(char byte)
{
    return ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') || byte == '_';
}

static bool is_of_word(char byte)
{
    return is_letter(byte) || (byte >= '0' && byte <= '9');
}

/* What stands at `at` is "=", after a quote and blanks: a key has ended there. */
static bool is_set(struct hv_str bytes, size_t at)
{
    at += at < bytes.len && (bytes.ptr[at] == '"' || bytes.ptr[at] == '\'');
    while (at < bytes.len && (bytes.ptr[at] == ' ' || bytes.ptr[at] == '\t'))
        at++;
    return at < bytes.len && bytes.ptr[at] == '=';
}

static bool has_text(struct hv_str bytes, struct hv_str text)
{
    bool key = text.len > 1 && text.ptr[text.len - 1] == '=';
    text.len -= key;
    bool word = text.len && is_letter(text.ptr[0]);
    for (size_t at = 0; at + text.len <= bytes.len; at++) {
        if (!hv_str_eq_nocase(hv_str_slice(bytes, at, at + text.len), text) || (key && !is_set(bytes, at + text.len)))
            continue;
        size_t end = at + text.len;
        if (!word || ((!at || !is_of_word(bytes.ptr[at - 1])) && (end == bytes.len || !is_of_word(bytes.ptr[end]))))
            return true;
    }
    return false;
}

/* The file has the text in it, or it cannot be told. */
static bool may_hold(const char *path, const struct stat *status, struct hv_str text)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    if (!S_ISREG(status->st_mode) || status->st_size > READ_MAX)
        return true;
    CLEANUP_FD int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
    char *bytes = hv_arena_alloc(&scratch, (size_t)status->st_size + 1);
    ssize_t got = fd < 0 ? -1 : fs_read_at(fd, bytes, (size_t)status->st_size + 1, 0);
    return got != status->st_size || has_text(hv_str_of(bytes, (size_t)got), text);
}

static bool is_there(struct hv_arena *arena, struct hv_str directory, struct hv_str name);

/* "test*" and "/conftest.py": in some directory that begins so. What cannot be read may hold it. */
static bool is_in_some(struct hv_arena *arena, struct hv_str directory, struct hv_str beginning, struct hv_str rest)
{
    const struct dirent *entry;
    bool found = false;
    DIR *names = opendir(hv_arena_cstr(arena, directory));
    if (!names)
        return errno != ENOENT && errno != ENOTDIR;
    while (!found && (entry = readdir(names)))
        found = hv_str_starts(hv_str_from(entry->d_name), beginning) &&
                is_there(arena, directory, hv_arena_format(arena, "%s%.*s", entry->d_name, HV_STR_ARG(rest)));
    closedir(names);
    return found;
}

/* "dir/name*.so": some name in dir that begins and ends so. What cannot be read may hold it. */
static bool is_some_name(struct hv_arena *arena, struct hv_str directory, struct hv_str beginning, struct hv_str ending)
{
    size_t slash = hv_str_rfind_byte(beginning, '/'), length = slash == SIZE_MAX ? 0 : slash + 1;
    const struct dirent *entry;
    bool found = false;
    DIR *names = opendir(hv_arena_format(arena, "%.*s/%.*s", HV_STR_ARG(directory), (int)length, beginning.ptr).ptr);
    if (!names)
        return errno != ENOENT && errno != ENOTDIR;
    beginning = hv_str_slice(beginning, length, beginning.len);
    while (!found && (entry = readdir(names))) {
        struct hv_str name = hv_str_from(entry->d_name);
        found = name.len >= beginning.len + ending.len && hv_str_starts(name, beginning) && hv_str_ends(name, ending);
    }
    closedir(names);
    return found;
}

static bool is_there(struct hv_arena *arena, struct hv_str directory, struct hv_str name)
{
    struct stat status;
    size_t star = hv_str_find(name, HV_STR("*/"), 0);
    if (star != SIZE_MAX)
        return is_in_some(arena, directory, hv_str_slice(name, 0, star), hv_str_slice(name, star + 1, name.len));
    size_t colon = hv_str_find_byte(name, ':', 0);
    star = hv_str_find_byte(name, '*', 0);
    if (star != SIZE_MAX && colon == SIZE_MAX)
        return is_some_name(arena, directory, hv_str_slice(name, 0, star), hv_str_slice(name, star + 1, name.len));
    struct hv_str file = hv_str_slice(name, 0, colon);
    struct hv_str path = hv_arena_format(arena, "%.*s/%.*s", HV_STR_ARG(directory), HV_STR_ARG(file));
    if (lstat(path.ptr, &status) != 0)
        return false;
    return colon == SIZE_MAX || may_hold(path.ptr, &status, hv_str_slice(name, colon + 1, name.len));
}

/* The directory's own names say that there is none of that name. */
static bool is_not_listed(const struct fs_listing *listing, struct hv_str name)
{
    enum hv_file_kind kind;
    size_t end = 0;
    while (end < name.len && name.ptr[end] != '/' && name.ptr[end] != ':' && name.ptr[end] != '*')
        end++;
    struct hv_str first = hv_str_slice(name, 0, end), rest = hv_str_slice(name, end, name.len);
    bool is_own = first.len && !hv_str_is(first, ".") && !hv_str_is(first, "..");
    if (listing && hv_str_starts(rest, HV_STR("*")) && hv_str_find_byte(rest, '/', 0) == SIZE_MAX &&
        hv_str_find_byte(rest, ':', 0) == SIZE_MAX)
        return fs_listing_has_none(listing, first, hv_str_slice(rest, 1, rest.len));
    return listing && is_own && (end == name.len || name.ptr[end] != '*') && fs_listing_tells(listing, first, &kind) &&
           kind == HV_FILE_UNKNOWN;
}

/* Some lists have a hundred names: then those in a small directory are read at once. */
static const struct fs_listing *list(struct hv_arena *scratch, struct hv_str directory, struct hv_str names)
{
    enum { LISTED_FROM = 16, LISTED_FACTOR = 4 };
    size_t count = 1;
    for (size_t i = 0; i < names.len; i++)
        count += names.ptr[i] == ' ';
    return count < LISTED_FROM ? NULL : fs_listing_read(scratch, directory, LISTED_FACTOR * count);
}

/* The directory itself holds none of names. */
static bool holds_none(struct fs_trees *trees, struct hv_arena *scratch, struct hv_str directory, const char *names)
{
    bool is_new;
    struct hv_str rest = hv_str_from(names), name;
    bool *none = fs_trees_answer(trees, directory, rest, &is_new);
    if (!is_new)
        return *none;
    const struct fs_listing *listing = list(scratch, directory, rest);
    *none = true;
    while (*none && hv_str_split(&rest, ' ', &name))
        *none = !name.len || is_not_listed(listing, name) || !is_there(scratch, directory, name);
    return *none;
}

bool fs_holds_none(struct fs_trees *trees, struct hv_str directory, struct hv_str home, const char *names)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    struct hv_str at, home_there;
    bool none = true, only_here = hv_str_starts(hv_str_from(names), HV_STR(". "));
    names += only_here ? 2 : 0;
    if (!hv_str_starts(directory, HV_STR("/")) || hv_str_find_byte(directory, '\0', 0) != SIZE_MAX)
        return false;
    struct hv_str real = fs_trees_real(trees, directory, &at);
    home = home.len ? fs_trees_real(trees, home, &home_there) : home;
    if (only_here)
        return holds_none(trees, &scratch, at, names);
    if (home.len > at.len && path_inside(real, home))
        return true; /* what is there of it is the home's, or above it */
    for (; none && !hv_str_eq(at, home); at = path_parent(at)) {
        none = holds_none(trees, &scratch, at, names);
        if (at.len <= 1)
            break;
    }
    return none;
}
