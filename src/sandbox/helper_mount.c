/*
 * helper_mount.c: what the command sees of the files, mounted by the inner half. Bubblewrap could do it by its words,
 * but it reads the list of all mounts after each one, which takes longer than all else together. So where the kernel
 * lets whole trees be copied and locked in one call (5.12), it makes the namespaces and leaves the inner half two
 * rights (sandbox_put_namespaces): the one to mount, and the one to give up for good what could be had again. Nothing
 * but this file runs with them, and what keeps the mounts in place (helper_keep.c).
 *
 * All that is shown is copied as it lies outside before anything is mounted or made read-only, so that no mount shows
 * another, and none gets rights that the host's has not. No link is followed on the way to what the plan names: it has
 * real paths, and whoever has exchanged a folder for a link since does not choose what is mounted where.
 */
#include "sandbox/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

static const char *const devices[] = {"null", "zero", "full", "random", "urandom", "tty"};
enum { DEVICE_COUNT = sizeof devices / sizeof *devices };

__attribute__((noreturn)) static void fail_at(const char *path)
{
    fail(HELPER_EXIT_SANDBOX, "cannot mount", path);
}

/* The system call: the header that has its function does not go with <linux/mount.h>. */
static bool mount_on(const char *path, const char *type, unsigned long flags, const char *options)
{
    return syscall(SYS_mount, type, path, type, flags, options) == 0;
}

/* ---- trees --------------------------------------------------------------------------------------------- */

int tree_open(const char *path)
{
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS};
    return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

int tree_copy(int at)
{
    if (at < 0)
        return -1;
    int tree = (int)syscall(SYS_open_tree, at, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE);
    int reason = errno;
    close(at);
    errno = reason;
    return tree;
}

bool tree_lock(int tree, uint64_t attributes)
{
    struct mount_attr change = {.attr_set = attributes};
    return syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &change, sizeof change) == 0;
}

bool tree_put(int tree, int over)
{
    bool put = tree >= 0 && over >= 0 &&
               syscall(SYS_move_mount, tree, "", over, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == 0;
    int reason = errno;
    close(tree);
    close(over);
    errno = reason;
    return put;
}

bool tree_is_folder(int tree)
{
    struct stat status;
    return fstat(tree, &status) == 0 && S_ISDIR(status.st_mode);
}

bool tree_memory(int over, const char *mode)
{
    char options[32], target[32];
    snprintf(options, sizeof options, "mode=%s", mode);
    snprintf(target, sizeof target, "/proc/self/fd/%d", over); /* nobody may need to enter it */
    return mount_on(target, "tmpfs", MS_NOSUID | MS_NODEV, options);
}

/* ---- /dev and /proc ------------------------------------------------------------------------------------ */

struct sources {
    int *trees; /* one for each item that is a mount, in the plan's order; -1: none */
    int devices[DEVICE_COUNT], terminal;
};

static void find_devices(struct sources *sources)
{
    char path[PATH_SIZE];
    for (size_t i = 0; i < DEVICE_COUNT; i++) {
        snprintf(path, sizeof path, "/dev/%s", devices[i]);
        sources->devices[i] = tree_copy(open(path, O_PATH | O_CLOEXEC));
        if (sources->devices[i] < 0)
            fail_at(path);
    }
    sources->terminal = ttyname_r(1, path, sizeof path) ? -1 : tree_copy(open(path, O_PATH | O_CLOEXEC));
}

static void put_device(const char *name, int tree)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "/dev/%s", name);
    close(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444));
    if (!tree_lock(tree, MOUNT_ATTR_NOSUID) || !tree_put(tree, tree_open(path)))
        fail_at(path);
}

/* The few devices that every program may use, terminals of its own, nothing else. */
static void make_devices(const struct sources *sources)
{
    static const char *const links[][2] = {{"/proc/self/fd/0", "/dev/stdin"},  {"/proc/self/fd/1", "/dev/stdout"},
                                           {"/proc/self/fd/2", "/dev/stderr"}, {"/proc/self/fd", "/dev/fd"},
                                           {"/proc/kcore", "/dev/core"},       {"pts/ptmx", "/dev/ptmx"}};
    if (!mount_on("/dev", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755"))
        fail_at("/dev");
    for (size_t i = 0; i < DEVICE_COUNT; i++)
        put_device(devices[i], sources->devices[i]);
    if (sources->terminal >= 0)
        put_device("console", sources->terminal);
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        if (symlink(links[i][0], links[i][1]))
            fail_at(links[i][1]);
    if (mkdir("/dev/shm", 0755) || mkdir("/dev/pts", 0755) ||
        !mount_on("/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620"))
        fail_at("/dev/pts");
}

/* What of the kernel can be changed there by whoever owns its files. */
static void make_proc(bool writable)
{
    static const char *const kernel[] = {"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus"};
    unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
    if (!mount_on("/proc", "proc", flags, NULL) ||
        (!writable && !mount_on("/proc", NULL, flags | MS_RDONLY | MS_REMOUNT | MS_BIND, NULL)))
        fail_at("/proc");
    for (size_t i = 0; writable && i < sizeof kernel / sizeof *kernel; i++) {
        if (access(kernel[i], W_OK))
            continue;
        int tree = tree_copy(tree_open(kernel[i]));
        if (tree < 0 || !tree_lock(tree, MOUNT_ATTR_RDONLY) || !tree_put(tree, tree_open(kernel[i])))
            fail_at(kernel[i]);
    }
}

/* ---- the plan's mounts --------------------------------------------------------------------------------- */

static bool is_mount(int kind)
{
    return kind == HELPER_BIND || kind == HELPER_BIND_READ_ONLY || kind == HELPER_BIND_LINK || kind == HELPER_MEMORY ||
           kind == HELPER_BIND_SOCKET;
}

/* A bind shows its own path, or that of the item HELPER_SOURCE before it. */
static void find_sources(const char *plan, struct sources *sources)
{
    struct item from = {0};
    size_t count = 0, i = 0;
    for (struct item item = item_next(plan); item.kind; item = item_next(item.rest))
        count += is_mount(item.kind);
    sources->trees = calloc(count + 1, sizeof *sources->trees);
    if (!sources->trees)
        fail(HELPER_EXIT_SANDBOX, "out of memory", "");
    for (struct item item = item_next(plan); item.kind; item = item_next(item.rest)) {
        if (item.kind == HELPER_SOURCE)
            from = item;
        if (!is_mount(item.kind))
            continue;
        char *path = item_text(from.kind ? &from : &item);
        sources->trees[i] = item.kind == HELPER_MEMORY        ? -1
                            : item.kind == HELPER_BIND_SOCKET ? tree_copy(open(path, O_PATH | O_CLOEXEC))
                            : item.kind == HELPER_BIND_LINK   ? tree_copy(open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC))
                                                              : tree_copy(tree_open(path));
        if (sources->trees[i++] < 0 && item.kind != HELPER_MEMORY && item.kind != HELPER_BIND_SOCKET)
            fail_at(path);
        from.kind = 0;
        free(path);
    }
    find_devices(sources);
}

static bool holds(const char *folder, size_t len, const char *path)
{
    return strncmp(folder, path, len) == 0 && path[len] == '/';
}

/* Does the place for item lie in a folder in memory (as /dev is), or in one that shows the session's own (its /tmp)?
 * Elsewhere it is there already, since it is shown as it lies outside; and if somebody has removed it since, making it
 * would make it on the host's disk, where nobody would take it away. The deepest mount above it decides, which is the
 * last. */
static bool is_made_here(const char *plan, const struct item *item, const char *path)
{
    struct item from = {0};
    bool made = holds("/dev", strlen("/dev"), path);
    for (struct item above = item_next(plan); above.text != item->text; above = item_next(above.rest)) {
        if (above.kind == HELPER_SOURCE)
            from = above;
        if (!is_mount(above.kind))
            continue;
        const char *mode = above.kind == HELPER_MEMORY ? memchr(above.text, ':', above.len) : NULL;
        const char *folder = mode ? mode + 1 : above.text;
        if (holds(folder, (size_t)(above.text + above.len - folder), path))
            made = mode || from.kind;
        from.kind = 0;
    }
    return made;
}

/* The folders on the way to path, which are missing where something writable has been mounted above. */
static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)!mkdir(path, 0755); /* what is missing then is seen when the path is opened */
        *slash = '/';
    }
}

/* Where something will lie: made, as a file or folder, when it is not there and may be. */
static int open_target(char *path, bool folder, bool may_be_made)
{
    int over = tree_open(path);
    if (over >= 0 || errno != ENOENT || !may_be_made)
        return over;
    make_folders(path);
    if (folder)
        (void)!mkdir(path, 0755);
    else
        close(open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444));
    return tree_open(path);
}

/* What was found there when the plan was made lies there still. A folder that was exchanged meanwhile has taken it
 * elsewhere, where nothing would lie upon it: then the command does not run. */
static int check_same(int over, const struct item *same, const char *path)
{
    char now[2 * 16 + 2];
    struct stat status;
    if (over < 0 || !same->kind)
        return over;
    if (fstat(over, &status))
        fail_at(path);
    int len =
        snprintf(now, sizeof now, "%llx:%llx", (unsigned long long)status.st_dev, (unsigned long long)status.st_ino);
    errno = 0;
    if ((size_t)len != same->len || memcmp(now, same->text, same->len) != 0)
        fail(HELPER_EXIT_SANDBOX, "something else came, since it was looked at, in the place of", path);
    return over;
}

static void put_bind(const char *plan, const struct item *item, const struct item *same, int tree)
{
    uint64_t locked = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
    char *path = item_text(item);
    if (item->kind != HELPER_BIND)
        locked |= MOUNT_ATTR_RDONLY;
    bool may_be_made = is_made_here(plan, item, path);
    int over = open_target(path, tree_is_folder(tree), may_be_made);
    if (!may_be_made)
        over = check_same(over, same, path);
    if (!tree_lock(tree, locked) || !tree_put(tree, over))
        fail_at(path);
    free(path);
}

/* Missing, it is a service that does not run; a place that cannot be made is none that could be reached. */
static void put_socket(const char *plan, const struct item *item, int tree)
{
    char *path = item_text(item);
    if (tree >= 0 && tree_lock(tree, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)) {
        if (is_made_here(plan, item, path)) {
            make_folders(path);
            close(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444));
        }
        (void)!tree_put(tree, open(path, O_PATH | O_CLOEXEC));
    }
    free(path);
}

/* A hidden folder in which something is shown: places for that are made in it first, by nobody with more rights. */
#define SHUT "0111"
#define SHUT_LATER "0311"

static void shut_memory(const char *plan)
{
    char target[32];
    for (struct item item = item_next(plan); item.kind; item = item_next(item.rest)) {
        if (item.kind != HELPER_MEMORY || strncmp(item.text, SHUT ":", strlen(SHUT ":")) != 0)
            continue;
        char *text = item_text(&item);
        int at = tree_open(text + strlen(SHUT ":"));
        snprintf(target, sizeof target, "/proc/self/fd/%d", at);
        if (at < 0 || chmod(target, 0111))
            fail_at(text);
        close(at);
        free(text);
    }
}

/* MODE:PATH, an empty folder in memory. */
static void put_memory(const char *plan, const struct item *item, const struct item *same)
{
    char *text = item_text(item), *path = strchr(text, ':');
    if (!path)
        fail_at(text);
    *path++ = '\0';
    bool may_be_made = is_made_here(plan, item, path);
    int over = open_target(path, true, may_be_made);
    if (!may_be_made)
        over = check_same(over, same, path);
    if (over < 0 || !tree_memory(over, strcmp(text, SHUT) == 0 ? SHUT_LATER : text))
        fail_at(path);
    close(over);
    free(text);
}

static void put_mounts(const char *plan, const struct sources *sources)
{
    struct item same = {0};
    size_t i = 0;
    for (struct item item = item_next(plan); item.kind; item = item_next(item.rest)) {
        if (item.kind == HELPER_SAME)
            same = item;
        if (!is_mount(item.kind))
            continue;
        int tree = sources->trees[i++];
        if (item.kind == HELPER_MEMORY)
            put_memory(plan, &item, &same);
        else if (item.kind == HELPER_BIND_SOCKET)
            put_socket(plan, &item, tree);
        else
            put_bind(plan, &item, &same, tree);
        same.kind = 0;
    }
    free(sources->trees);
    shut_memory(plan);
}

/* The directory lies below what has been mounted; by its name the one that the command is to see is found. A command
 * runs there or not at all; of one that is still to come, late, another directory may be said. */
static void enter(const char *directory, bool late)
{
    const char *home = getenv("HOME"), *entered = "/";
    if (chdir(directory) == 0)
        entered = directory;
    else if (!late)
        fail(HELPER_EXIT_SANDBOX, "cannot enter", directory);
    else if (home && chdir(home) == 0)
        entered = home;
    else if (chdir("/"))
        fail_at("/");
    if (setenv("PWD", entered, 1))
        fail(HELPER_EXIT_SANDBOX, "out of memory", "");
}

void make_view(const char *plan, bool late)
{
    char directory[PATH_SIZE];
    struct sources sources;
    struct item root = item_find(plan, HELPER_ROOT), proc = item_find(plan, HELPER_PROC);
    uint64_t locked = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
    mode_t mask = umask(0);
    bool is_there = getcwd(directory, sizeof directory);
    if (!is_there && !late)
        fail(HELPER_EXIT_SANDBOX, "cannot enter", "the working directory");
    if (!is_there)
        snprintf(directory, sizeof directory, "/");
    find_sources(plan, &sources);
    if (*root.text != HELPER_WRITES)
        locked |= MOUNT_ATTR_RDONLY;
    int all = open("/", O_PATH | O_CLOEXEC);
    if (all < 0 || !tree_lock(all, locked))
        fail_at("/");
    close(all);
    make_devices(&sources);
    make_proc(proc.kind && *proc.text == HELPER_WRITES);
    put_mounts(plan, &sources);
    umask(mask);
    enter(directory, late);
}

/* ---- rights -------------------------------------------------------------------------------------------- */

static void write_map(const char *file, const char *text)
{
    int fd = open(file, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
        fail(HELPER_EXIT_SANDBOX, "cannot write", file);
    close(fd);
}

/* As who one is outside: to mount terminals one had to be root in the namespace that bubblewrap made. */
static void become_user(const struct item *who)
{
    char *text = item_text(who), *group = strchr(text, ':'), map[64];
    if (!group || unshare(CLONE_NEWUSER))
        fail(HELPER_EXIT_SANDBOX, "cannot make a user namespace", "");
    *group++ = '\0';
    write_map("/proc/self/setgroups", "deny");
    snprintf(map, sizeof map, "%s 0 1\n", text);
    write_map("/proc/self/uid_map", map);
    snprintf(map, sizeof map, "%s 0 1\n", group);
    write_map("/proc/self/gid_map", map);
    free(text);
}

static bool has_none(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {0};
    if (syscall(SYS_capget, &header, data))
        return false;
    for (int i = 0; i < 2; i++)
        if (data[i].effective || data[i].permitted || data[i].inheritable)
            return false;
    return prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN, 0, 0, 0) == 0 && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
}

void give_up_rights(const char *plan)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2] = {0};
    struct item who = item_find(plan, HELPER_IDENTITY);
    if (who.kind)
        become_user(&who);
    for (unsigned long i = 0; prctl(PR_CAPBSET_READ, i, 0, 0, 0) >= 0; i++) /* up to the last that the kernel knows */
        if (prctl(PR_CAPBSET_DROP, i, 0, 0, 0))
            fail(HELPER_EXIT_SANDBOX, "cannot give up its rights", "");
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) || syscall(SYS_capset, &header, none) ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || !has_none())
        fail(HELPER_EXIT_SANDBOX, "cannot give up its rights", "");
    apply_filter(plan);
}
