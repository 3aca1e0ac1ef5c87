/* proxy_network.c: the network of a session, held for its sandboxes; see proxy_inner.h and helper_network.c. */
#include "base/cleanup.h"
#include "sandbox/helper_protocol.h"
#include "sandbox/proxy_inner.h"

#include <errno.h>
#include <sys/socket.h>

/* Dropped when the helper does not take it: it then hears of the end. */
static void send_answer(int control, char said, const int fds[2])
{
    size_t size = (fds[0] >= 0 ? sizeof(int) : 0) + (fds[1] >= 0 ? sizeof(int) : 0);
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(2 * sizeof(int))];
    } beside = {0};
    struct iovec data = {&said, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
    if (size) {
        message.msg_control = &beside;
        message.msg_controllen = CMSG_SPACE(size);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(size);
        memcpy(CMSG_DATA(header), fds, size);
    }
    (void)!sendmsg(control, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool network_answer(struct proxy_network *network, int control)
{
    static const int none[2] = {-1, -1};
    if (network->maker >= 0)
        return false;
    if (network->cannot)
        send_answer(control, HELPER_NETWORK_NONE, none);
    else if (network->fds[0] >= 0)
        send_answer(control, HELPER_NETWORK_GIVEN, network->fds);
    else
        send_answer(network->maker = control, HELPER_NETWORK_MAKE, none);
    return true;
}

bool network_take(struct proxy_network *network, int control, const int fds[2])
{
    if (control != network->maker || fds[0] < 0)
        return false;
    memcpy(network->fds, fds, sizeof network->fds);
    network->maker = -1;
    return true;
}

void network_heard(struct proxy_network *network, int control, bool gone)
{
    if (control != network->maker)
        return;
    network->maker = -1;
    network->cannot = !gone;
}

void network_release(struct proxy_network *network)
{
    cleanup_fd(&network->fds[0]);
    cleanup_fd(&network->fds[1]);
}
