/*
 * helper_network.c: the network that the sandboxes of one session share. It has a loopback device and nothing else, so
 * that what one command serves the next one reaches. The first helper makes it, in a user namespace of its own where
 * it must, and gives helve both; every later one gets them from there, and enters before bubblewrap starts: then no
 * right over it is left. It is gone when neither helve nor a process holds it.
 */
#include "sandbox/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* What helve says, and the namespaces beside it: of the network and, where it has one, of its users. */
static bool receive(int proxy, char *said, int fds[2])
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(2 * sizeof(int))];
    } control = {0};
    struct iovec data = {said, 1};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t got;
    do
        got = recvmsg(proxy, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    struct cmsghdr *header = got == 1 ? CMSG_FIRSTHDR(&message) : NULL;
    if (header && header->cmsg_type == SCM_RIGHTS && header->cmsg_len <= CMSG_LEN(2 * sizeof(int)))
        memcpy(fds, CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
    return got == 1;
}

static bool send_namespaces(int proxy, const int fds[2])
{
    size_t size = (fds[1] < 0 ? 1 : 2) * sizeof(int);
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(2 * sizeof(int))];
    } control = {0};
    struct helper_listener what = {.kind = HELPER_NETWORK_MADE};
    struct iovec data = {&what, sizeof what};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_SPACE(size)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(header), fds, size);
    return sendmsg(proxy, &message, MSG_NOSIGNAL) == sizeof what;
}

static bool write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool wrote = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);
    return wrote;
}

/* With the loopback device up the kernel gives it its addresses. */
static bool start_loopback(void)
{
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool started = fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &request) == 0;
    close(fd);
    return started;
}

/* Everybody in it is who they are outside. */
static bool make_users(uid_t user, gid_t group)
{
    char map[64], groups[64];
    snprintf(map, sizeof map, "%lu %lu 1\n", (unsigned long)user, (unsigned long)user);
    snprintf(groups, sizeof groups, "%lu %lu 1\n", (unsigned long)group, (unsigned long)group);
    return unshare(CLONE_NEWUSER) == 0 && write_text("/proc/self/setgroups", "deny") &&
           write_text("/proc/self/uid_map", map) && write_text("/proc/self/gid_map", groups);
}

static bool make(int proxy)
{
    int fds[2] = {-1, -1};
    bool own_users = unshare(CLONE_NEWNET) != 0;
    if (own_users && (!make_users(geteuid(), getegid()) || unshare(CLONE_NEWNET)))
        return false;
    fds[0] = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    if (own_users)
        fds[1] = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
    return start_loopback() && fds[0] >= 0 && (!own_users || fds[1] >= 0) && send_namespaces(proxy, fds);
}

bool enter_network(int proxy)
{
    int fds[2] = {-1, -1};
    char said;
    if (proxy < 0 || !receive(proxy, &said, fds))
        return false;
    if (said == HELPER_NETWORK_MAKE)
        return make(proxy);
    return fds[0] >= 0 && (fds[1] < 0 || setns(fds[1], CLONE_NEWUSER) == 0) && setns(fds[0], CLONE_NEWNET) == 0;
}
