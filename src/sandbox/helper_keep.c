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
 * Before a command that is known to only read begins, the first process has it make the rest read-only.
 *
 * It has nothing open but lists, hears of the first process only and blocks all signals; the first process ends the
 * sandbox when it is killed or stopped (helper_inner.c), or ends because something cannot be covered.
 */
#include "sandbox/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/mount.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
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
    int mounts, first; /* the list; a socket to the first process */
    const char *plan;
    bool minds_sockets; /* those of the machine */
};

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
        cover->mount = helper_mount_id(cover->path);
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
    cover->mount = helper_mount_id(cover->path);
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

/* ---- commands that only read --------------------------------------------------------------------------- */

static bool set_writable(const char *path, bool writable)
{
    struct mount_attr change = {.attr_set = writable ? 0 : MOUNT_ATTR_RDONLY,
                                .attr_clr = writable ? MOUNT_ATTR_RDONLY : 0};
    return syscall(SYS_mount_setattr, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW | (writable ? 0 : AT_RECURSIVE), &change,
                   sizeof change) == 0;
}

/* The folder for temporary files, and what shows it elsewhere. Where "/" is writable the devices go with it. */
static bool is_temporary(const char *plan, const struct item *item, bool has_source)
{
    struct item temporary = item_find(plan, HELPER_TEMPORARY);
    return has_source || (item->len == temporary.len && memcmp(item->text, temporary.text, item->len) == 0);
}

/* All that can be written first, and then the temporary files again, which may lie in it. */
static bool lock_all(const char *plan)
{
    struct item root = item_find(plan, HELPER_ROOT);
    bool done = *root.text != HELPER_WRITES || (set_writable("/", false) && set_writable("/dev", true));
    for (int temporary = 0; temporary < 2; temporary++) {
        struct item from = {0};
        for (struct item item = item_next(plan); done && item.kind; item = item_next(item.rest)) {
            bool has_source = from.kind != 0;
            from = item.kind == HELPER_SOURCE ? item : (struct item){0};
            if (item.kind != HELPER_BIND || is_temporary(plan, &item, has_source) != (temporary == 1))
                continue;
            char *path = item_text(&item);
            done = set_writable(path, temporary == 1) || errno == ENOENT;
            free(path);
        }
    }
    return done;
}

void lock_view(int socket)
{
    char done = 0;
    ssize_t got = -1;
    if (send(socket, &done, 1, MSG_NOSIGNAL) == 1)
        do
            got = recv(socket, &done, 1, 0);
        while (got < 0 && errno == EINTR);
    if (got != 1 || !done)
        fail(HELPER_EXIT_SANDBOX, "cannot make the workspace read-only", "");
}

static void hear(const char *plan, struct pollfd *first)
{
    char done;
    if (recv(first->fd, &done, 1, MSG_DONTWAIT) == 1) {
        done = lock_all(plan);
        (void)!send(first->fd, &done, 1, MSG_NOSIGNAL);
    }
    first->fd = -1; /* that is all it says */
}

/* The system's loopback and all that is behind it; a local socket is a file. */
bool refuse_network(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENETUNREACH),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* ---- the process --------------------------------------------------------------------------------------- */

__attribute__((noreturn)) static void keep(struct keeper *keeper)
{
    enum { FIRST = 1, SOCKETS = 2 };
    struct pollfd watched[] = {{0, POLLPRI, 0}, {FIRST, POLLIN, 0}};
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_NAME, "hv-keeper");
    if (setsid() < 0 || dup2(keeper->mounts, 0) || dup2(keeper->first, FIRST) != FIRST ||
        (keeper->minds_sockets && dup2(HELPER_FD_SOCKETS, SOCKETS) != SOCKETS) ||
        syscall(SYS_close_range, keeper->minds_sockets ? SOCKETS + 1 : FIRST + 1, ~0U, 0) || chdir("/"))
        _exit(HELPER_EXIT_SANDBOX);
    /* The kernel tells of it before the new file is there: what follows a change is looked at closely. */
    for (int wait_ms = LOOK_EVERY_MS;;) {
        bool changed = poll(watched, 2, wait_ms) > 0 && watched[0].revents;
        if (watched[1].revents)
            hear(keeper->plan, &watched[1]);
        wait_ms = changed ? 1 : wait_ms < LOOK_EVERY_MS / 2 ? 2 * wait_ms : LOOK_EVERY_MS;
        for (size_t i = 0; i < keeper->count; i++)
            if (helper_mount_id(keeper->covers[i].path) != keeper->covers[i].mount)
                cover_again(&keeper->covers[i]);
        if (keeper->minds_sockets && !changed)
            cover_sockets(keeper, SOCKETS);
        for (size_t i = 0; i < keeper->forbidden_count; i++)
            (void)!unlink(keeper->forbidden[i]);
    }
}

pid_t keep_view(const char *plan, int *socket)
{
    struct keeper keeper = {.mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC), .plan = plan};
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
        fail(HELPER_EXIT_SANDBOX, "cannot make a socket", "");
    *socket = ends[0];
    keeper.first = ends[1];
    find_covers(plan, &keeper);
    find_forbidden(plan, &keeper);
    if (item_find(plan, HELPER_SOCKETS).kind) {
        keeper.minds_sockets = true;
        cover_sockets(&keeper, HELPER_FD_SOCKETS);
    }
    /* Without a signal at its end it is no child that is waited for like others. */
    pid_t child = keeper.mounts < 0 ? -1 : (pid_t)syscall(SYS_clone, 0, 0, 0, 0, 0);
    if (child == 0)
        keep(&keeper);
    if (child < 0)
        fail(HELPER_EXIT_SANDBOX, "cannot start a process", "");
    close(keeper.mounts);
    close(keeper.first);
    close(HELPER_FD_SOCKETS);
    return child;
}
