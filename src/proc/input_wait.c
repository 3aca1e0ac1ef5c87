/*
 * input_wait.c: does a command wait for input right now? Each thread of it tells in /proc/PID/task/TID/syscall which
 * call of the kernel it is blocked in. A read of a descriptor that is our terminal or our pipe is certain, and so is a
 * poll or select of nothing else that has no time-out. In a poll, select or epoll_wait of several things that
 * descriptor is one, as far as the arguments can be read. Where the kernel keeps this to itself (another user's
 * process, a hardened machine), the name of the function it sleeps in is taken.
 */
#include "base/cleanup.h"
#include "proc/process.h"

#include <ctype.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

enum { PROCESSES_MAX = 256, THREADS_MAX = 64, POLLED_MAX = 256 };

/* What is looked for, and the processes that are still to be looked at. */
struct search {
    dev_t device; /* of the terminal; 0: a pipe */
    ino_t inode;
    pid_t queue[PROCESSES_MAX];
    size_t head, count;
};

static ssize_t read_text(const char *path, char *text, size_t size)
{
    CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, text, size - 1);
    text[len > 0 ? len : 0] = '\0';
    return len;
}

/* Descriptor fd of the process is the terminal or pipe in question. */
static bool is_input(const struct search *search, pid_t pid, long fd)
{
    char path[64];
    struct stat info;
    snprintf(path, sizeof path, "/proc/%d/fd/%ld", pid, fd);
    if (fd < 0 || stat(path, &info))
        return false;
    return search->device ? S_ISCHR(info.st_mode) && info.st_rdev == search->device
                          : S_ISFIFO(info.st_mode) && info.st_ino == search->inode;
}

/* /dev/tty is another name of the process's own terminal. */
static bool is_input_or_tty(const struct search *search, pid_t pid, long fd)
{
    char path[64];
    struct stat info, tty;
    if (is_input(search, pid, fd))
        return true;
    snprintf(path, sizeof path, "/proc/%d/fd/%ld", pid, fd);
    return search->device && fd >= 0 && !stat(path, &info) && !stat("/dev/tty", &tty) && S_ISCHR(info.st_mode) &&
           info.st_rdev == tty.st_rdev;
}

static bool copy_from(pid_t pid, unsigned long long from, void *to, size_t size)
{
    struct iovec local = {to, size}, remote = {(void *)(uintptr_t)from, size};
    return from && process_vm_readv(pid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

static enum input_wait polls_input(const struct search *search, pid_t pid, const unsigned long long *arguments,
                                   bool has_end)
{
    struct pollfd polled[POLLED_MAX];
    size_t count = arguments[1] < POLLED_MAX ? (size_t)arguments[1] : POLLED_MAX;
    if (!count || !copy_from(pid, arguments[0], polled, count * sizeof *polled))
        return INPUT_NOT_AWAITED;
    for (size_t i = 0; i < count; i++)
        if (polled[i].events & POLLIN && is_input_or_tty(search, pid, polled[i].fd))
            return count == 1 && !has_end ? INPUT_READ : INPUT_POLLED;
    return INPUT_NOT_AWAITED;
}

/* Descriptors, those that are read, written, and have news; the time-out. bc waits so, and leaves no prompt. */
static enum input_wait selects_input(const struct search *search, pid_t pid, const unsigned long long *arguments)
{
    fd_set set;
    bool is_one = false;
    int others = 0;
    int count = arguments[0] < FD_SETSIZE ? (int)arguments[0] : FD_SETSIZE;
    FD_ZERO(&set);
    if (count <= 0 || !copy_from(pid, arguments[1], &set, ((size_t)count + 63) / 64 * 8))
        return INPUT_NOT_AWAITED;
    for (int fd = 0; fd < count; fd++)
        if (FD_ISSET(fd, &set)) {
            bool is_it = is_input_or_tty(search, pid, fd);
            is_one |= is_it;
            others += !is_it;
        }
    if (!is_one)
        return INPUT_NOT_AWAITED;
    return others || arguments[2] || arguments[4] ? INPUT_POLLED : INPUT_READ;
}

/* The descriptors of an epoll set are the lines "tfd: 0 …" of its fdinfo. */
static bool epolls_input(const struct search *search, pid_t pid, long epoll)
{
    char path[64], line[256];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/fdinfo/%ld", pid, epoll);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    while (!found && fgets(line, sizeof line, file))
        found = strncmp(line, "tfd:", 4) == 0 && is_input_or_tty(search, pid, strtol(line + 4, NULL, 10));
    fclose(file);
    return found;
}

static enum input_wait call_reads_input(const struct search *search, pid_t pid, long call,
                                        const unsigned long long *arguments)
{
    switch (call) {
    case SYS_read:
    case SYS_readv: return is_input_or_tty(search, pid, (long)arguments[0]) ? INPUT_READ : INPUT_NOT_AWAITED;
#ifdef SYS_poll
    case SYS_poll: return polls_input(search, pid, arguments, (int)arguments[2] >= 0);
#endif
    case SYS_ppoll: return polls_input(search, pid, arguments, arguments[2] != 0);
#ifdef SYS_select
    case SYS_select:
#endif
    case SYS_pselect6: return selects_input(search, pid, arguments);
#ifdef SYS_epoll_wait
    case SYS_epoll_wait:
#endif
    case SYS_epoll_pwait:
#ifdef SYS_epoll_pwait2
    case SYS_epoll_pwait2:
#endif
        return epolls_input(search, pid, (long)arguments[0]) ? INPUT_POLLED : INPUT_NOT_AWAITED;
    default: return INPUT_NOT_AWAITED;
    }
}

/* Only the name of the kernel's function is known: enough for a terminal, which nothing else of ours reads. */
static bool sleeps_in_terminal(const struct search *search, const char *task)
{
    char path[96], text[64];
    snprintf(path, sizeof path, "%s/wchan", task);
    return search->device && read_text(path, text, sizeof text) > 0 &&
           (strstr(text, "n_tty_read") || strstr(text, "tty_read"));
}

static enum input_wait thread_waits(const struct search *search, pid_t pid, const char *thread)
{
    char task[64], path[96], text[256];
    long call;
    unsigned long long arguments[5];
    snprintf(task, sizeof task, "/proc/%d/task/%.20s", pid, thread);
    snprintf(path, sizeof path, "%s/syscall", task);
    if (read_text(path, text, sizeof text) <= 0)
        return sleeps_in_terminal(search, task) ? INPUT_READ : INPUT_NOT_AWAITED;
    if (sscanf(text, "%ld %llx %llx %llx %llx %llx", &call, &arguments[0], &arguments[1], &arguments[2], &arguments[3],
               &arguments[4]) != 6)
        return INPUT_NOT_AWAITED; /* "running" */
    return call_reads_input(search, pid, call, arguments);
}

static void add_children(struct search *search, pid_t pid, const char *thread)
{
    char path[96];
    int child;
    snprintf(path, sizeof path, "/proc/%d/task/%.20s/children", pid, thread);
    FILE *list = fopen(path, "re");
    if (!list)
        return;
    while (search->count < PROCESSES_MAX && fscanf(list, "%d", &child) == 1)
        search->queue[search->count++] = child;
    fclose(list);
}

static enum input_wait process_waits(struct search *search, pid_t pid)
{
    char path[64];
    enum input_wait most = INPUT_NOT_AWAITED;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *threads = opendir(path);
    if (!threads)
        return most;
    int left = THREADS_MAX;
    for (struct dirent *entry; left > 0 && (entry = readdir(threads));) {
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        left--;
        enum input_wait found = thread_waits(search, pid, entry->d_name);
        most = found > most ? found : most;
        add_children(search, pid, entry->d_name);
    }
    closedir(threads);
    return most;
}

enum input_wait input_wait_of(pid_t root, dev_t device, ino_t inode)
{
    struct search search = {.device = device, .inode = inode, .queue = {root}, .count = 1};
    enum input_wait most = INPUT_NOT_AWAITED;
    while (most < INPUT_READ && search.head < search.count) {
        enum input_wait found = process_waits(&search, search.queue[search.head++]);
        most = found > most ? found : most;
    }
    return most;
}
