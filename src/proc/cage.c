/* cage.c: see cage.h. */
#include "proc/cage.h"

#include "base/cleanup.h"
#include "base/clock.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PREFIX "helve-"

enum { TEXT_SIZE = 8192, REMOVE_TRIES = 50 };

/* Where version 2 is mounted: alone, or beside the controllers of version 1. */
static const char *const mounts[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified", NULL};

/* The group that this process is in: the line "0::PATH". False when there is none. */
static bool own_group(char text[TEXT_SIZE], struct hv_str *path)
{
    CLEANUP_FD int fd = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, text, TEXT_SIZE);
    struct hv_str rest = hv_str_of(text, len > 0 ? (size_t)len : 0), line;
    while (rest.len && hv_str_split(&rest, '\n', &line)) {
        if (!hv_str_starts(line, HV_STR("0::/")))
            continue;
        *path = hv_str_slice(line, line.len == 4 ? 4 : 3, line.len);
        return true;
    }
    return false;
}

/* A folder of version 2, new. Before Linux 5.14 it has no cgroup.kill; then it is of no use, and does no harm. */
static bool make_at(struct cage *cage, struct hv_arena *arena, struct hv_str prefix)
{
    struct hv_str path =
        hv_arena_format(arena, "%.*s%llx", HV_STR_ARG(prefix), (unsigned long long)clock_monotonic_ns());
    if (mkdir(path.ptr, 0755))
        return false;
    CLEANUP_FD int fd = open(path.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        (void)!rmdir(path.ptr);
        return false;
    }
    *cage = (struct cage){path.ptr, take_fd(&fd)};
    return true;
}

/* How the paths of this process's cages would begin in mounts[i]; absent where none can be there. */
static struct hv_str prefix_in(struct hv_arena *arena, const char *mount, struct hv_str group)
{
    char probe[64];
    snprintf(probe, sizeof probe, "%s/cgroup.procs", mount); /* a mount of version 1 has only folders here */
    if (access(probe, F_OK))
        return (struct hv_str){0};
    return hv_arena_format(arena, "%s%.*s/" PREFIX "%ld-", mount, HV_STR_ARG(group), (long)getpid());
}

void cage_make(struct cage *cage, struct hv_arena *arena)
{
    char text[TEXT_SIZE];
    struct hv_str group;
    *cage = (struct cage){.fd = -1};
    bool known = own_group(text, &group);
    for (size_t i = 0; known && mounts[i] && !cage->path; i++) {
        struct hv_str prefix = prefix_in(arena, mounts[i], group);
        if (prefix.len && make_at(cage, arena, prefix))
            return;
    }
}

/* What is called like ours, of a process that is gone; where something lives, the kernel keeps it. */
static void remove_dead(struct hv_arena *arena, struct hv_str prefix)
{
    size_t slash = hv_str_rfind_byte(prefix, '/');
    DIR *directory = opendir(hv_arena_cstr(arena, hv_str_slice(prefix, 0, slash)));
    if (!directory)
        return;
    for (struct dirent *entry; (entry = readdir(directory));) {
        char owner[64];
        bool ours = strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) == 0;
        long pid = ours ? strtol(entry->d_name + sizeof PREFIX - 1, NULL, 10) : 0;
        snprintf(owner, sizeof owner, "/proc/%ld", pid);
        if (pid > 0 && access(owner, F_OK))
            (void)!unlinkat(dirfd(directory), entry->d_name, AT_REMOVEDIR);
    }
    closedir(directory);
}

const char *cage_prefix(struct hv_arena *arena)
{
    char text[TEXT_SIZE];
    struct hv_str group;
    bool known = own_group(text, &group);
    for (size_t i = 0; known && mounts[i]; i++) {
        struct hv_str prefix = prefix_in(arena, mounts[i], group);
        size_t slash = hv_str_rfind_byte(prefix, '/');
        if (!prefix.len || access(hv_arena_cstr(arena, hv_str_slice(prefix, 0, slash)), W_OK | X_OK))
            continue;
        remove_dead(arena, prefix);
        return prefix.ptr;
    }
    return NULL;
}

void cage_kill(const struct cage *cage)
{
    CLEANUP_FD int fd = cage->path ? openat(cage->fd, "cgroup.kill", O_WRONLY | O_CLOEXEC) : -1;
    if (fd >= 0)
        (void)!write(fd, "1", 1);
}

void cage_remove(struct cage *cage)
{
    for (int tries = 0; cage->path && rmdir(cage->path) && errno == EBUSY && tries < REMOVE_TRIES; tries++) {
        cage_kill(cage);
        usleep(1000); /* the kernel is still taking its last process away */
    }
    cleanup_fd(&cage->fd);
    *cage = (struct cage){.fd = -1};
}
