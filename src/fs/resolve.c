/*
 * resolve.c: a path with all its links resolved, whether or not it exists to its end. Policy judges the outcome, so
 * it must be where the kernel would go: links are read one component at a time, ".." is applied after resolution,
 * and the links that /proc invents (to descriptors, roots, executables) are refused, since their text is not a place.
 */
#include "base/cleanup.h"
#include "fs/host_files.h"
#include "fs/open.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { LINKS_MAX = 40 }; /* as the kernel */

struct resolver {
    char done[FS_PATH_MAX]; /* resolved so far: "" for the root, else "/a/b" */
    size_t len;
    size_t missing; /* components at the end of done that do not exist */
    char rest[2 * FS_PATH_MAX];
    struct hv_str todo; /* in rest */
    int links;
};

/* A link whose target is an object rather than a text. Only /proc has them. Where the kernel cannot be asked (before
 * 5.6), none but those at its top are taken for texts (self, mounts). */
static bool is_magic(const char *path)
{
    enum { PROC_TOP = 1 }; /* the number of that folder */
    struct statfs system;
    struct stat status;
    char parent[FS_PATH_MAX];
    size_t cut = (size_t)(strrchr(path, '/') - path);
    memcpy(parent, path, cut);
    parent[cut] = '\0';
    if (statfs(cut ? parent : "/", &system) || system.f_type != PROC_SUPER_MAGIC)
        return false;
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS};
    CLEANUP_FD int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
    if (fd < 0 && (errno == ENOSYS || errno == EPERM))
        return stat(cut ? parent : "/", &status) || status.st_ino != PROC_TOP;
    return fd < 0 && errno != ENOENT;
}

static enum hv_code follow(struct resolver *state, size_t parent_len, struct hv_str whole, struct hv_error *err)
{
    char target[FS_PATH_MAX];
    ssize_t len = readlink(state->done, target, sizeof target);
    if (len < 0)
        return hv_fail_errno(err, errno, "Cannot read the link %s", state->done);
    if (++state->links > LINKS_MAX) {
        hv_fail(err, HV_EINVAL, "The links in %.*s form a loop", HV_STR_ARG(whole));
        hv_error_hint(err, "Look at the link %s", state->done);
        return HV_EINVAL;
    }
    if (is_magic(state->done))
        return hv_fail(err, HV_EUNSUPPORTED, "%s stands for an open file of a process, not for a path", state->done);
    char joined[2 * FS_PATH_MAX];
    if ((size_t)len + 1 + state->todo.len >= sizeof joined)
        return hv_fail(err, HV_EINVAL, "The path %.*s is too long with its links resolved", HV_STR_ARG(whole));
    memcpy(joined, target, (size_t)len);
    joined[len] = '/';
    if (state->todo.len)
        memcpy(joined + len + 1, state->todo.ptr, state->todo.len);
    memcpy(state->rest, joined, (size_t)len + 1 + state->todo.len);
    state->todo = hv_str_of(state->rest, (size_t)len + 1 + state->todo.len);
    state->len = target[0] == '/' ? 0 : parent_len;
    state->done[state->len] = '\0';
    return HV_OK;
}

static void go_up(struct resolver *state)
{
    if (state->missing)
        state->missing--;
    while (state->len > 0 && state->done[--state->len] != '/')
        ;
    state->done[state->len] = '\0';
}

static enum hv_code step(struct resolver *state, struct hv_str part, struct hv_str whole, struct hv_error *err)
{
    size_t parent_len = state->len;
    if (part.len + 1 + state->len >= FS_PATH_MAX || part.len > 255)
        return hv_fail(err, HV_EINVAL, "The path %.*s is too long, or one of its names is", HV_STR_ARG(whole));
    state->done[state->len++] = '/';
    memcpy(state->done + state->len, part.ptr, part.len);
    state->len += part.len;
    state->done[state->len] = '\0';
    if (state->missing) {
        state->missing++;
        return HV_OK;
    }
    struct stat status;
    if (lstat(state->done, &status)) {
        if (errno != ENOENT && errno != ENOTDIR)
            return hv_fail_errno(err, errno, "Cannot look at %s", state->done);
        state->missing = 1;
        return HV_OK;
    }
    return S_ISLNK(status.st_mode) ? follow(state, parent_len, whole, err) : HV_OK;
}

static bool is_tidy(struct hv_str path)
{
    struct hv_str rest = hv_str_slice(path, 1, path.len), part;
    bool tidy = rest.len && !hv_str_ends(rest, HV_STR("/"));
    while (tidy && hv_str_split(&rest, '/', &part))
        tidy = part.len && !hv_str_is(part, ".") && !hv_str_is(part, "..");
    return tidy;
}

/* The kernel says in one step that the path exists and leads over no link, as most do; else nobody knows yet. */
static bool is_resolved(const char *path)
{
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS};
    CLEANUP_FD int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
    return fd >= 0;
}

enum hv_code fs_host_resolve(const struct hv_host *host, struct hv_arena *arena, struct hv_str path, struct hv_str *out,
                             struct hv_error *err)
{
    (void)host;
    struct resolver state = {.len = 0};
    enum hv_code code = fs_path_cstr(path, state.rest, err);
    if (code)
        return code;
    if (path.ptr[0] != '/')
        return hv_fail(err, HV_EINVAL, "The path %.*s is not absolute", HV_STR_ARG(path));
    if (is_tidy(path) && is_resolved(state.rest)) {
        *out = hv_arena_str(arena, path);
        return HV_OK;
    }
    state.todo = hv_str_of(state.rest, path.len);
    struct hv_str part;
    while (hv_str_split(&state.todo, '/', &part)) {
        if (part.len == 0 || hv_str_is(part, "."))
            continue;
        if (hv_str_is(part, "..")) {
            go_up(&state);
            continue;
        }
        code = step(&state, part, path, err);
        if (code)
            return code;
    }
    *out = hv_arena_str(arena, state.len ? hv_str_of(state.done, state.len) : HV_STR("/"));
    return HV_OK;
}
