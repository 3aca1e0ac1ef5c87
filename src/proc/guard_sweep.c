/*
 * guard_sweep.c: `helve-guard sweep`: waits beside a session for its end. When helve ends in order it says so, and all
 * is gone already. When it was killed, what it had said to be on the disk is taken away: the folder for
 * temporary files, control groups with whatever still lives in them. See sweeper.h.
 */
#include "proc/guard_sweep.h"
#include "proc/guard_protocol.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SAID_MAX = 1 << 20, OPEN_MAX_AT_ONCE = 32, PATH_SIZE = 4096 };

/* All that is said until the end of file; *len is its length. What is too much is heard and forgotten: the next session
 * cleans up after it. True when helve has ended in order. */
static bool listen_to(char *said, size_t *len)
{
    char piece[PATH_SIZE], last = 0;
    ssize_t got;
    *len = 0;
    while ((got = read(SWEEP_FD, piece, sizeof piece)) > 0 || (got < 0 && errno == EINTR)) {
        if (got < 0)
            continue;
        last = piece[got - 1];
        if (*len + (size_t)got >= SAID_MAX)
            continue;
        memcpy(said + *len, piece, (size_t)got);
        *len += (size_t)got;
    }
    said[*len] = '\0';
    return last == SWEEP_DONE;
}

/* Nobody who lives holds it. */
static int open_unheld(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    (void)!remove(path);
    return 0;
}

static void remove_folder(const char *path)
{
    int fd = open_unheld(path);
    if (fd < 0)
        return;
    (void)!nftw(path, remove_entry, OPEN_MAX_AT_ONCE, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    close(fd);
}

static void end_group(int folder, const char *name)
{
    char file[PATH_SIZE];
    snprintf(file, sizeof file, "%s/cgroup.kill", name);
    int fd = openat(folder, file, O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)!write(fd, "1", 1);
        close(fd);
    }
    for (int tries = 0; tries < 50 && unlinkat(folder, name, AT_REMOVEDIR) && errno == EBUSY; tries++)
        usleep(10000);
}

/* Every group whose path begins like this. */
static void end_groups(char *prefix)
{
    char *name = strrchr(prefix, '/');
    if (!name)
        return;
    *name++ = '\0';
    DIR *directory = opendir(prefix);
    if (!directory)
        return;
    for (struct dirent *entry; (entry = readdir(directory));)
        if (strncmp(entry->d_name, name, strlen(name)) == 0)
            end_group(dirfd(directory), entry->d_name);
    closedir(directory);
}

int sweep_main(void)
{
    static char said[SAID_MAX];
    size_t len;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    prctl(PR_SET_NAME, GUARD_NAME);
    if (listen_to(said, &len))
        return 0;
    /* The guards are ending what runs: what protects from it must not go first. */
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    for (char *at = said; at < said + len; at += strlen(at) + 1)
        switch (*at) {
        case SWEEP_GROUPS: end_groups(at + 1); break;
        case SWEEP_FOLDER: remove_folder(at + 1); break;
        default: break;
        }
    return 0;
}
