/*
 * helper_late.c: a sandbox that was started ahead of its command: it waits on a socket for the rest. Between then and
 * now somebody may have exchanged a file over which something is mounted, which takes the mount away: the list of
 * mounts is read when the sandbox is ready and again when the command has come, and a command does not run under
 * another list.
 */
#include "sandbox/helper.h"

#include "proc/guard_protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

extern char **environ;

enum { MOUNTS_SIZE = 1 << 20 };

/* The list of mounts as the kernel writes it, with its length; NULL when it cannot be told in full. */
static char *list_mounts(size_t *len)
{
    char *text = malloc(MOUNTS_SIZE);
    int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
    ssize_t got = -1;
    for (*len = 0; text && fd >= 0 && *len < MOUNTS_SIZE; *len += (size_t)got)
        if ((got = read(fd, text + *len, MOUNTS_SIZE - *len)) <= 0)
            break;
    close(fd);
    if (got == 0 && *len)
        return text;
    free(text);
    return NULL;
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
    size_t before_len, now_len, size;
    fcntl(HELPER_FD_LATE, F_SETFD, FD_CLOEXEC);
    char *before = list_mounts(&before_len);
    if (!before)
        give_up();
    answer(GUARD_LATE_READY);
    int file = receive_file();
    if (file < 0)
        _exit(HELPER_EXIT_SANDBOX);
    char *text = read_all(file, &size), *now = list_mounts(&now_len);
    if (!now || now_len != before_len || memcmp(now, before, now_len) != 0)
        give_up();
    char **argv = take_command(text, size);
    if (!argv)
        give_up();
    free(before);
    free(now);
    answer(GUARD_LATE_TAKEN);
    close(HELPER_FD_LATE);
    return argv;
}
