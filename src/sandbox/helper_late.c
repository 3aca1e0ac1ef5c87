/*
 * helper_late.c: a sandbox that was started ahead of its command: it waits on a socket for the rest. Between then and
 * now somebody may have exchanged a file over which something is mounted, which takes the mount away. The kernel tells
 * whoever has the list of mounts open that it is another one: it is opened when the sandbox is ready, and no command
 * runs once it was changed.
 */
#include "sandbox/helper.h"

#include "proc/guard_protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

extern char **environ;

/* The list of mounts is what it was when it was opened. */
static bool is_unchanged(int mounts)
{
    struct pollfd watched = {mounts, POLLPRI, 0};
    return poll(&watched, 1, 0) == 0;
}

static void answer(enum guard_late what)
{
    char byte = (char)what;
    while (send(HELPER_FD_LATE, &byte, 1, MSG_NOSIGNAL) < 0 && errno == EINTR)
        ;
}

__attribute__((noreturn)) static void give_up(void)
{
    answer(GUARD_LATE_REFUSED);
    _exit(HELPER_EXIT_SANDBOX);
}

/* The file that comes with the one message; -1: helve does not want us any more. */
static int receive_file(void)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    char byte;
    int fd = -1;
    ssize_t got;
    struct iovec data = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    do
        got = recvmsg(HELPER_FD_LATE, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    struct cmsghdr *header = got == 1 ? CMSG_FIRSTHDR(&message) : NULL;
    if (header && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof fd))
        memcpy(&fd, CMSG_DATA(header), sizeof fd);
    return fd;
}

/* Enter the directory, take the environment; the arguments. */
static char **take_command(char *text, size_t size)
{
    size_t count = 0;
    char *end = text + size, *number = text + strlen(text) + 1;
    if (number >= end)
        give_up();
    unsigned long arguments = strtoul(number, NULL, 10);
    char *at = number + strlen(number) + 1;
    for (char *byte = at; byte < end; byte++)
        count += *byte == '\0';
    if (!arguments || arguments > count || chdir(text))
        give_up();
    char **words = split_words(at, count), **argv = calloc(arguments + 1, sizeof *argv);
    if (!argv)
        give_up();
    memcpy(argv, words, arguments * sizeof *argv);
    environ = words + arguments;
    return setenv("PWD", text, 1) ? NULL : argv; /* as bubblewrap does */
}

const char *wait_for_plan(const char *beginning)
{
    size_t size, len = strlen(beginning);
    int file = receive_file();
    if (file < 0)
        _exit(HELPER_EXIT_SANDBOX);
    char *rest = read_all(file, &size), *plan = malloc(len + size + 1);
    if (!plan)
        give_up();
    memcpy(plan, beginning, len);
    memcpy(plan + len, rest, size + 1);
    free(rest);
    return plan;
}

char **wait_for_command(void)
{
    size_t size;
    fcntl(HELPER_FD_LATE, F_SETFD, FD_CLOEXEC);
    int mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
    if (mounts < 0)
        give_up();
    answer(GUARD_LATE_READY);
    int file = receive_file();
    if (file < 0)
        _exit(HELPER_EXIT_SANDBOX);
    char *text = read_all(file, &size);
    if (!is_unchanged(mounts))
        give_up();
    char **argv = take_command(text, size);
    if (!argv)
        give_up();
    close(mounts);
    answer(GUARD_LATE_TAKEN);
    return argv;
}

void tell_end(int status)
{
    struct guard_late_end end = {GUARD_LATE_ENDED, status};
    while (send(HELPER_FD_LATE, &end, sizeof end, MSG_NOSIGNAL) < 0 && errno == EINTR)
        ;
}
