/* guard_family.c: see guard_family.h. */
#include "proc/guard_family.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MEMBERS_MAX = 4096, DEPTH_MAX = 256, PATH_SIZE = 64, LIST_SIZE = 4096, NAME_SIZE = 24 };

struct family {
    size_t count;
    pid_t members[MEMBERS_MAX]; /* parents before their children */
};

pid_t family_parent(const char *name)
{
    char path[PATH_SIZE], text[512];
    snprintf(path, sizeof path, "/proc/%.20s/stat", name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (len <= 0)
        return -1;
    text[len] = '\0';
    char *name_end = strrchr(text, ')'); /* "pid (name) state parent …", and the name may hold anything */
    return name_end && strlen(name_end) > 4 ? (pid_t)strtol(name_end + 4, NULL, 10) : -1;
}

/* The children of one thread. */
static void add_children(struct family *family, pid_t of, const char *thread)
{
    char path[PATH_SIZE], text[LIST_SIZE];
    pid_t child = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%.20s/children", of, thread);
    int list = open(path, O_RDONLY | O_CLOEXEC);
    if (list < 0)
        return;
    for (ssize_t got; (got = read(list, text, sizeof text)) > 0;)
        for (ssize_t i = 0; i < got; i++) {
            if (isdigit((unsigned char)text[i])) {
                child = child * 10 + (text[i] - '0');
                continue;
            }
            if (child && family->count < MEMBERS_MAX) /* each number has a blank behind it */
                family->members[family->count++] = child;
            child = 0;
        }
    close(list);
}

static void add_children_of(struct family *family, pid_t of)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "/proc/%d/task", of);
    DIR *threads = opendir(path);
    if (!threads)
        return;
    for (struct dirent *entry; (entry = readdir(threads));)
        if (isdigit((unsigned char)entry->d_name[0]))
            add_children(family, of, entry->d_name);
    closedir(threads);
}

/* The guard is a reaper: whoever has lost its parent still descends from it. */
static bool descends(pid_t who, pid_t from)
{
    char name[NAME_SIZE];
    for (int depth = 0; who > 1 && depth < DEPTH_MAX; depth++) {
        snprintf(name, sizeof name, "%d", who);
        who = family_parent(name);
        if (who == from)
            return true;
    }
    return false;
}

static void send(int handle, pid_t member, int number)
{
    if (handle >= 0)
        (void)syscall(SYS_pidfd_send_signal, handle, number, NULL, 0);
    else
        kill(member, number);
}

/* By a handle, where the kernel has any (5.3), and only then looked at: its number may be another's by now. */
static void ask_member(pid_t member, pid_t self, pid_t group)
{
    int handle = (int)syscall(SYS_pidfd_open, member, 0);
    if (handle < 0 && errno == ESRCH)
        return;
    if ((!group || getpgid(member) != group) && descends(member, self)) {
        send(handle, member, SIGTERM);
        send(handle, member, SIGCONT);
    }
    if (handle >= 0)
        close(handle);
}

/* All are known before the first is asked: whoever ends leaves its children to somebody else. */
bool family_ask_to_end(pid_t group)
{
    static struct family family;
    pid_t self = getpid();
    if (access("/proc/thread-self/children", R_OK))
        return false;
    family.count = 0;
    add_children_of(&family, self);
    for (size_t i = 0; i < family.count; i++)
        add_children_of(&family, family.members[i]);
    if (group) {
        kill(-group, SIGTERM);
        kill(-group, SIGCONT);
    }
    for (size_t i = 0; i < family.count; i++)
        ask_member(family.members[i], self, group);
    return true;
}
