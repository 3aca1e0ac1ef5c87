/* handle.c: see handle.h. */
#include "fs/handle.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "fs/open.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

const struct hv_handle fs_root_handle = {.directory = -1};

static bool has_dots(struct hv_str path)
{
    struct hv_str part;
    while (hv_str_split(&path, '/', &part))
        if (hv_str_is(part, "..") || hv_str_is(part, "."))
            return true;
    return false;
}

int fs_open_at(const struct hv_handle *at, struct hv_str path, int flags)
{
    if (at->directory < 0)
        return fs_open_no_links(AT_FDCWD, path, flags);
    struct hv_str rest = hv_str_slice(path, at->above.len > 1 ? at->above.len : 0, path.len);
    while (rest.len && rest.ptr[0] == '/')
        rest = hv_str_slice(rest, 1, rest.len);
    /* A resolved path has none; one that was put together of names must not leave the directory by them. */
    if (!path_inside(path, at->above) || has_dots(rest)) {
        errno = EINVAL;
        return -1;
    }
    return fs_open_no_links(at->directory, rest, flags);
}

int fs_leaf_open(const struct hv_handle *at, struct hv_str path, struct fs_leaf *leaf)
{
    *leaf = (struct fs_leaf){.directory = -1};
    struct hv_str name = path_name(path), parent = path_parent(path);
    if (name.len > NAME_MAX || memchr(name.ptr, '\0', name.len)) {
        errno = name.len > NAME_MAX ? ENAMETOOLONG : EINVAL;
        return -1;
    }
    memcpy(leaf->name, name.len ? name.ptr : ".", name.len ? name.len : 1);
    leaf->is_own = at->directory < 0 || !hv_str_eq(parent, at->above);
    leaf->directory = leaf->is_own ? fs_open_at(at, parent, O_PATH | O_DIRECTORY) : at->directory;
    return leaf->directory < 0 ? -1 : 0;
}

void fs_leaf_release(struct fs_leaf *leaf)
{
    if (leaf->is_own)
        cleanup_fd(&leaf->directory);
}

enum hv_code fs_fail_at(struct hv_error *err, int reason, const char *doing, struct hv_str path)
{
    if (reason != ELOOP)
        return hv_fail_errno(err, reason, "%s %.*s", doing, HV_STR_ARG(path));
    hv_fail(err, HV_ECONFLICT, "%.*s, or a directory above it, was exchanged for a link after it was judged",
            HV_STR_ARG(path));
    hv_error_hint(err, "Find out what changes it, then try again");
    return HV_ECONFLICT;
}

enum hv_code fs_open_regular_at(const struct hv_handle *at, struct hv_str path, int *fd, struct hv_file_stat *stat,
                                struct hv_error *err)
{
    CLEANUP_LEAF struct fs_leaf leaf = {.directory = -1};
    char shown[FS_PATH_MAX];
    enum hv_code code = fs_path_cstr(path, shown, err);
    if (code)
        return code;
    if (fs_leaf_open(at, path, &leaf))
        return fs_fail_at(err, errno, "Cannot open", path);
    return fs_open_regular_in(leaf.directory, leaf.name, shown, fd, stat, err);
}

enum hv_code fs_stat_at(const struct hv_handle *at, struct hv_str path, struct hv_file_stat *out, struct hv_error *err)
{
    CLEANUP_LEAF struct fs_leaf leaf = {.directory = -1};
    struct stat status;
    if (fs_leaf_open(at, path, &leaf) || fstatat(leaf.directory, leaf.name, &status, AT_SYMLINK_NOFOLLOW))
        return fs_fail_at(err, errno, "Cannot look at", path);
    *out = fs_stat_from(&status);
    return HV_OK;
}

/* Open a directory, made where it is missing: -1 with errno. */
static int enter(int directory, const char *name)
{
    /* What is there may be a directory that is not ours to make in (EACCES, EROFS). */
    int reason = mkdirat(directory, name, 0777) && errno != EEXIST ? errno : 0;
    int fd = openat(directory, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat status;
    if (fd < 0 && errno == ENOTDIR && fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0)
        reason = S_ISLNK(status.st_mode) ? ELOOP : EEXIST;
    if (fd < 0 && reason)
        errno = reason;
    return fd;
}

enum hv_code fs_make_directories_at(const struct hv_handle *at, struct hv_str path, struct hv_error *err)
{
    bool is_held = at->directory >= 0;
    char name[NAME_MAX + 1];
    struct hv_str part, rest = hv_str_slice(path, is_held && at->above.len > 1 ? at->above.len : 0, path.len);
    CLEANUP_FD int held = fs_open_at(at, is_held ? at->above : HV_STR("/"), O_PATH | O_DIRECTORY);
    if (held < 0)
        return fs_fail_at(err, errno, "Cannot create the directory", path);
    while (hv_str_split(&rest, '/', &part)) {
        if (!part.len)
            continue;
        if (part.len > NAME_MAX || has_dots(part) || memchr(part.ptr, '\0', part.len))
            return hv_fail_errno(err, part.len > NAME_MAX ? ENAMETOOLONG : EINVAL, "Cannot create the directory %.*s",
                                 HV_STR_ARG(path));
        memcpy(name, part.ptr, part.len);
        name[part.len] = '\0';
        int next = enter(held, name);
        struct hv_str made = hv_str_of(path.ptr, (size_t)(part.ptr + part.len - path.ptr));
        if (next < 0 && errno == EEXIST)
            return hv_fail(err, HV_EEXIST, "%.*s exists and is not a directory", HV_STR_ARG(made));
        if (next < 0)
            return fs_fail_at(err, errno, "Cannot create the directory", made);
        close(held);
        held = next;
    }
    return HV_OK;
}

int fs_remove_at(const struct hv_handle *at, struct hv_str path, int flags)
{
    CLEANUP_LEAF struct fs_leaf leaf = {.directory = -1};
    return fs_leaf_open(at, path, &leaf) ? -1 : unlinkat(leaf.directory, leaf.name, flags);
}
