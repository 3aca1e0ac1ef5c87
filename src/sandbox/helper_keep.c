/*
 * helper_keep.c: what keeps in place, for as long as the command runs, what was mounted over single files and folders.
 * Whoever exchanges a file outside, as git does with its config and programs with their credentials, takes away what
 * is mounted over it everywhere: a server in the background would write to the new one, or read it. A process of its
 * own keeps the right to mount, is told by the kernel when the list of mounts is another one, and covers the new file.
 * Also it looks now and then: of a file that was moved away, and its mount with it, the kernel says nothing.
 *
 * Sockets of other programs are reached by their path whatever the network. A list that the outer half has opened names
 * those that are bound; what comes later is covered when it is looked at next.
 *
 * It has nothing open but lists, takes no input and blocks all signals; the first process ends the sandbox when it is
 * killed or stopped (helper_inner.c), or ends because something cannot be covered.
 */
#include "sandbox/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/mount.h>
#include <linux/stat.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LOOK_EVERY_MS = 500, SOCKETS_SIZE = 4 << 20 };

/* One that must be there. */
struct cover {
    char *path;
    uint64_t mount; /* its number: whatever else is seen at the path has another */
    bool hides;     /* else it is read-only */
    char mode[8];   /* hides: of the empty folder that lies there, where it was a folder */
};

struct keeper {
    struct cover *covers;
    size_t count;
    char **forbidden; /* files that nobody may make */
    size_t forbidden_count;
    int mounts;       /* the list */
    const char *plan; /* whose sockets it is about; NULL: none */
};

/* 0: there is nothing, or nothing that we could get at. */
static uint64_t mount_at(const char *path)
{
    struct statx found = {0};
    if (syscall(SYS_statx, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, STATX_MNT_ID, &found))
        return 0;
    return found.stx_mnt_id;
}

static void find_covers(const char *plan, struct keeper *out)
{
    struct item from = {0};
    size_t most = 0;
    for (struct item item = item_next(plan); item.kind; item = item_next(item.rest))
        most += item.kind == HELPER_BIND_READ_ONLY || item.kind == HELPER_BIND_LINK || item.kind == HELPER_MEMORY;
    out->covers = calloc(most + 1, sizeof *out->covers);
    if (!out->covers)
        fail(HELPER_EXIT_SANDBOX, "out of memory", "");
    for (struct item item = item_next(plan); item.kind; item = item_next(item.rest)) {
        struct cover *cover = &out->covers[out->count];
        bool hides = from.kind != 0;
        from = item.kind == HELPER_SOURCE ? item : (struct item){0};
        if (item.kind != HELPER_BIND_READ_ONLY && item.kind != HELPER_BIND_LINK && item.kind != HELPER_MEMORY)
            continue;
        if (item.kind == HELPER_BIND_LINK) /* what comes in its place is read-only */
            hides = false;
        char *text = item_text(&item), *colon = item.kind == HELPER_MEMORY ? strchr(text, ':') : NULL;
        if (colon)
            *colon = '\0';
        cover->hides = colon || hides;
        snprintf(cover->mode, sizeof cover->mode, "%s", colon ? text : "0000");
        cover->path = colon ? colon + 1 : text;
        cover->mount = mount_at(cover->path);
        out->count++;
    }
}

static void find_forbidden(const char *plan, struct keeper *out)
{
    size_t most = 0;
    for (struct item item = item_next(plan); item.kind; item = item_next(item.rest))
        most += item.kind == HELPER_FORBIDDEN;
    out->forbidden = calloc(most + 1, sizeof *out->forbidden);
    if (!out->forbidden)
        fail(HELPER_EXIT_SANDBOX, "out of memory", "");
    for (struct item item = item_next(plan); item.kind; item = item_next(item.rest))
        if (item.kind == HELPER_FORBIDDEN)
            out->forbidden[out->forbidden_count++] = item_text(&item);
}

/* False with errno. A device that may not be opened as one is a file that nobody may read. */
static bool put_cover(const struct cover *cover)
{
    int over = tree_open(cover->path);
    if (over < 0)
        return false;
    if (cover->hides && tree_is_folder(over)) {
        bool put = tree_memory(over, cover->mode);
        close(over);
        return put;
    }
    int tree = tree_copy(cover->hides ? open("/dev/null", O_PATH | O_CLOEXEC) : tree_open(cover->path));
    if (tree >= 0 && tree_lock(tree, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV))
        return tree_put(tree, over);
    int reason = errno;
    close(tree);
    close(over);
    errno = reason;
    return false;
}

/* What is not there, or cannot be got at, is looked for again. */
static void cover_again(struct cover *cover)
{
    if (!put_cover(cover)) {
        if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
            _exit(HELPER_EXIT_SANDBOX);
        return;
    }
    cover->mount = mount_at(cover->path);
}

/* ---- sockets ------------------------------------------------------------------------------------------- */

/* What shows it to the command lets it be reached: it lies in something writable, or is allowed itself. */
static bool may_be_reached(const struct keeper *keeper, const char *path)
{
    bool reached = false;
    for (struct item item = item_next(keeper->plan); item.kind; item = item_next(item.rest)) {
        bool at = strncmp(path, item.text, item.len) == 0, exact = at && !path[item.len];
        if (item.kind == HELPER_BIND_SOCKET && exact)
            return true;
        if ((item.kind == HELPER_BIND || item.kind == HELPER_BIND_READ_ONLY) && at && (exact || path[item.len] == '/'))
            reached = item.kind == HELPER_BIND;
    }
    return reached;
}

static void cover_socket(struct keeper *keeper, const char *name)
{
    char path[PATH_MAX];
    struct stat status;
    if (!realpath(name, path) || lstat(path, &status) || !S_ISSOCK(status.st_mode) || may_be_reached(keeper, path))
        return;
    for (size_t i = 0; i < keeper->count; i++)
        if (strcmp(keeper->covers[i].path, path) == 0)
            return; /* another has taken its place: that is seen with all others */
    struct cover *covers = realloc(keeper->covers, (keeper->count + 1) * sizeof *covers);
    if (!covers)
        _exit(HELPER_EXIT_SANDBOX);
    keeper->covers = covers;
    covers[keeper->count] = (struct cover){.path = strdup(path), .hides = true, .mode = "0000"};
    if (!covers[keeper->count].path)
        _exit(HELPER_EXIT_SANDBOX);
    cover_again(&covers[keeper->count++]);
}

/* Each line ends with the path, which is the first thing in it that has a slash. */
static void cover_sockets(struct keeper *keeper, int list)
{
    static char text[SOCKETS_SIZE];
    size_t len = 0;
    ssize_t got = lseek(list, 0, SEEK_SET) == 0;
    while (got > 0 && (got = read(list, text + len, sizeof text - 1 - len)) > 0)
        len += (size_t)got;
    if (got < 0 || len == sizeof text - 1)
        _exit(HELPER_EXIT_SANDBOX);
    text[len] = '\0';
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        char *name = strstr(line, " /");
        if (name && strncmp(name, " /run/", strlen(" /run/")) != 0)
            cover_socket(keeper, name + 1);
    }
}

/* ---- the process --------------------------------------------------------------------------------------- */

__attribute__((noreturn)) static void keep(struct keeper *keeper)
{
    struct pollfd watched = {0, POLLPRI, 0};
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_NAME, "hv-keeper");
    if (setsid() < 0 || dup2(keeper->mounts, 0) || (keeper->plan && dup2(HELPER_FD_SOCKETS, 1) != 1) ||
        syscall(SYS_close_range, keeper->plan ? 2 : 1, ~0U, 0) || chdir("/"))
        _exit(HELPER_EXIT_SANDBOX);
    /* The kernel tells of it before the new file is there: what follows a change is looked at closely. */
    for (int wait_ms = LOOK_EVERY_MS;;) {
        bool changed = poll(&watched, 1, wait_ms) > 0;
        wait_ms = changed ? 1 : wait_ms < LOOK_EVERY_MS / 2 ? 2 * wait_ms : LOOK_EVERY_MS;
        for (size_t i = 0; i < keeper->count; i++)
            if (mount_at(keeper->covers[i].path) != keeper->covers[i].mount)
                cover_again(&keeper->covers[i]);
        if (keeper->plan && !changed)
            cover_sockets(keeper, 1);
        for (size_t i = 0; i < keeper->forbidden_count; i++)
            (void)!unlink(keeper->forbidden[i]);
    }
}

pid_t keep_view(const char *plan)
{
    struct keeper keeper = {.mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)};
    find_covers(plan, &keeper);
    find_forbidden(plan, &keeper);
    if (item_find(plan, HELPER_SOCKETS).kind) {
        keeper.plan = plan;
        cover_sockets(&keeper, HELPER_FD_SOCKETS);
    }
    /* Without a signal at its end it is no child that is waited for like others. */
    pid_t child = keeper.mounts < 0 ? -1 : (pid_t)syscall(SYS_clone, 0, 0, 0, 0, 0);
    if (child == 0)
        keep(&keeper);
    if (child < 0)
        fail(HELPER_EXIT_SANDBOX, "cannot start a process", "");
    close(keeper.mounts);
    close(HELPER_FD_SOCKETS);
    return child;
}
