/*
 * resolve.c: a path with all its links resolved, whether or not it exists to its end. Policy judges the outcome, so
 * it must be where the kernel would go: links are read one component at a time, ".." is applied after resolution,
 * and the links that /proc invents (to descriptors, roots, executables) are refused, since their text is not a place.
 */
#include "fs/resolve.h"

#include "base/cleanup.h"
#include "base/path.h"
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
    bool keeps_last;                    /* a link that is the last name is not followed */
    const struct fs_stand_in *stand_in; /* or NULL */
    struct hv_str folder;               /* of which something was taken in its place; absent: nothing was yet */
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

static void set_done(struct resolver *state, struct hv_str path)
{
    memcpy(state->done, path.ptr, path.len);
    state->done[path.len] = '\0';
    state->len = path.len;
}

/* What is next, or with an absent name done itself, may lie in the folder that stands in for done. */
static void enter_stand_in(struct resolver *state, struct hv_str name)
{
    struct hv_str folder;
    const struct fs_stand_in *stand_in = state->stand_in;
    if (!stand_in || state->missing || !hv_str_eq(hv_str_of(state->done, state->len), stand_in->path) ||
        !stand_in->takes(stand_in->user, name, &folder) || folder.len >= FS_PATH_MAX)
        return;
    state->folder = folder;
    set_done(state, folder);
}

/* Back in that folder, by "..", or for the target of a link: it is where it stands, so that ".." leads above that. */
static void leave_stand_in(struct resolver *state)
{
    if (state->folder.len && hv_str_eq(hv_str_of(state->done, state->len), state->folder))
        set_done(state, state->stand_in->path);
}

static void go_up(struct resolver *state)
{
    leave_stand_in(state);
    if (state->missing)
        state->missing--;
    while (state->len > 0 && state->done[--state->len] != '/')
        ;
    state->done[state->len] = '\0';
}

static enum hv_code step(struct resolver *state, struct hv_str part, struct hv_str whole, struct hv_error *err)
{
    leave_stand_in(state);
    enter_stand_in(state, part);
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
    bool follows = S_ISLNK(status.st_mode) && !(state->keeps_last && !state->todo.len);
    return follows ? follow(state, parent_len, whole, err) : HV_OK;
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

static enum hv_code walk(struct resolver *state, struct hv_arena *arena, struct hv_str path, struct hv_str *out,
                         struct hv_error *err)
{
    enum hv_code code = fs_path_cstr(path, state->rest, err);
    if (code)
        return code;
    if (path.ptr[0] != '/')
        return hv_fail(err, HV_EINVAL, "The path %.*s is not absolute", HV_STR_ARG(path));
    bool passes = state->stand_in && path_inside(path, state->stand_in->path);
    if (!passes && is_tidy(path) && is_resolved(state->rest)) {
        *out = hv_arena_str(arena, path);
        return HV_OK;
    }
    state->todo = hv_str_of(state->rest, path.len);
    struct hv_str part;
    while (hv_str_split(&state->todo, '/', &part)) {
        if (part.len == 0 || hv_str_is(part, "."))
            continue;
        if (hv_str_is(part, "..")) {
            go_up(state);
            continue;
        }
        code = step(state, part, path, err);
        if (code)
            return code;
    }
    leave_stand_in(state);
    enter_stand_in(state, (struct hv_str){0});
    *out = hv_arena_str(arena, state->len ? hv_str_of(state->done, state->len) : HV_STR("/"));
    return HV_OK;
}

enum hv_code fs_host_resolve(const struct hv_host *host, struct hv_arena *arena, struct hv_str path, struct hv_str *out,
                             struct hv_error *err)
{
    (void)host;
    return walk(&(struct resolver){.len = 0}, arena, path, out, err);
}

enum hv_code fs_resolve(const struct fs_stand_in *stand_in, struct hv_arena *arena, struct hv_str path, bool keeps_last,
                        struct hv_str *out, struct hv_error *err)
{
    return walk(&(struct resolver){.stand_in = stand_in, .keeps_last = keeps_last}, arena, path, out, err);
}
