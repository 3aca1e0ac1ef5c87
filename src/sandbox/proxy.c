/* proxy.c: see proxy.h: the thread that takes connections. */
#include "base/cleanup.h"
#include "base/thread.h"
#include "sandbox/helper_protocol.h"
#include "sandbox/proxy_inner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { LISTENERS_MAX = 2 + HELPER_PORTS_MAX, STACK_SIZE = 512 * 1024, BACKLOG = 16, HELD_BACK_MS = 20 };

/* One sandbox: the socket of its helper, which ends with it, and what it listens on. */
struct sandbox_end {
    int control;
    struct {
        int fd, kind;
    } listeners[LISTENERS_MAX];
    size_t listener_count;
    bool waits; /* to hear which network it enters */
    uint64_t run;
    struct proxy_share *share;
};

struct taker {
    struct proxy *proxy;
    bool short_of_descriptors; /* nothing is taken until the next look */
    struct proxy_network network;
    struct sandbox_end ends[PROXY_SANDBOXES_MAX];
    size_t count;
};

/* ---- life ---------------------------------------------------------------------------------------------- */

void proxy_ref(struct proxy *proxy)
{
    atomic_fetch_add(&proxy->references, 1);
}

void proxy_unref(struct proxy *proxy)
{
    if (atomic_fetch_sub(&proxy->references, 1) != 1)
        return;
    for (size_t i = 0; i < proxy->refusals.count; i++)
        free(proxy->refusals.items[i].text);
    vec_release(&proxy->refusals);
    proxy_questions_release(proxy);
    cleanup_fd(&proxy->listener);
    cleanup_fd(&proxy->wake);
    pthread_mutex_destroy(&proxy->lock);
    free(proxy);
}

const char *proxy_name(const struct proxy *proxy)
{
    return proxy->name;
}

/* ---- refusals ------------------------------------------------------------------------------------------ */

/* Under the lock. */
static void note_refusal(struct proxy *proxy, uint64_t run, const char *text)
{
    size_t count = 0;
    for (size_t i = 0; i < proxy->refusals.count; i++) {
        if (proxy->refusals.items[i].run != run)
            continue;
        if (++count == PROXY_REFUSALS_MAX || strcmp(proxy->refusals.items[i].text, text) == 0)
            return;
    }
    *vec_push(&proxy->refusals) = (struct refusal){run, hv_strdup(text)};
}

void proxy_note_refusal(const struct connection *connection, const char *text)
{
    struct proxy *proxy = connection->proxy;
    LOCK_SCOPE(&proxy->lock);
    if (!connection->machine_port || proxy->questions.runs.count < 2) {
        note_refusal(proxy, connection->run, text);
        return;
    }
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str shared = hv_arena_format(&arena, "%s, by this command or by one that ran beside it", text);
    for (size_t i = 0; i < proxy->questions.runs.count; i++)
        note_refusal(proxy, proxy->questions.runs.items[i].run, shared.ptr);
}

struct hv_str proxy_take_refusals(struct proxy *proxy, uint64_t run, struct hv_arena *arena)
{
    struct hv_str all = {0};
    size_t kept = 0;
    LOCK_SCOPE(&proxy->lock);
    for (size_t i = 0; i < proxy->refusals.count; i++) {
        struct refusal *refusal = &proxy->refusals.items[i];
        if (refusal->run != run) {
            proxy->refusals.items[kept++] = *refusal;
            continue;
        }
        all = hv_arena_format(arena, "%.*s%s%s", HV_STR_ARG(all), all.len ? "\n" : "", refusal->text);
        free(refusal->text);
    }
    proxy->refusals.count = kept;
    struct hv_str asked = proxy_questions_describe(proxy, run, arena);
    return asked.len ? hv_arena_format(arena, "%.*s%s%.*s", HV_STR_ARG(all), all.len ? "\n" : "", HV_STR_ARG(asked))
                     : all;
}

/* ---- shares -------------------------------------------------------------------------------------------- */

static struct proxy_share *share_new(void)
{
    struct proxy_share *share = hv_calloc(1, sizeof *share);
    atomic_init(&share->references, 1);
    return share;
}

static void share_unref(struct proxy_share *share)
{
    if (atomic_fetch_sub(&share->references, 1) == 1)
        free(share);
}

static void share_take(struct proxy *proxy, struct proxy_share *share)
{
    atomic_fetch_add(&share->references, 1);
    atomic_fetch_add(&share->connections, 1);
    atomic_fetch_add(&proxy->connections, 1);
}

static void share_give_back(struct proxy *proxy, struct proxy_share *share)
{
    atomic_fetch_sub(&proxy->connections, 1);
    atomic_fetch_sub(&share->connections, 1);
    share_unref(share);
}

/* What comes then waits in the kernel. */
static bool is_held_back(const struct taker *taker, const struct sandbox_end *end)
{
    return taker->short_of_descriptors || atomic_load(&end->share->connections) >= PROXY_SHARE_MAX ||
           atomic_load(&taker->proxy->connections) >= PROXY_CONNECTIONS_MAX;
}

/* ---- taking -------------------------------------------------------------------------------------------- */

static void *serve(void *data)
{
    struct connection *connection = data;
    struct proxy *proxy = connection->proxy;
    struct proxy_share *share = connection->share;
    connection_serve(connection);
    share_give_back(proxy, share);
    proxy_unref(proxy);
    return NULL;
}

static unsigned relay_port(const struct sandbox_options *options, int kind)
{
    if (kind == HELPER_LISTEN_RELAY_HTTP)
        return (unsigned)options->http_port;
    return kind == HELPER_LISTEN_RELAY_SOCKS ? (unsigned)options->socks_port : 0;
}

static unsigned machine_port(int kind)
{
    return kind >= HELPER_LISTEN_MACHINE && kind <= HELPER_LISTEN_MACHINE + UINT16_MAX
               ? (unsigned)(kind - HELPER_LISTEN_MACHINE)
               : 0;
}

static void accept_client(struct taker *taker, const struct sandbox_end *end, size_t which)
{
    struct proxy *proxy = taker->proxy;
    if (is_held_back(taker, end))
        return;
    CLEANUP_FD int fd = accept4(end->listeners[which].fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    taker->short_of_descriptors = fd < 0 && errno != EAGAIN && errno != EINTR && errno != ECONNABORTED;
    if (fd < 0)
        return;
    struct connection *connection = hv_calloc(1, sizeof *connection);
    int kind = end->listeners[which].kind;
    *connection =
        (struct connection){proxy, end->share, fd, end->run, relay_port(proxy->options, kind), machine_port(kind)};
    proxy_ref(proxy);
    share_take(proxy, end->share);
    if (thread_start_detached(STACK_SIZE, serve, connection) == 0) {
        (void)take_fd(&fd);
        return;
    }
    free(connection);
    share_give_back(proxy, end->share);
    proxy_unref(proxy);
}

static void drop_end(struct taker *taker, size_t at)
{
    struct sandbox_end *end = &taker->ends[at];
    network_heard(&taker->network, end->control, true);
    for (size_t i = 0; i < end->listener_count; i++)
        cleanup_fd(&end->listeners[i].fd);
    cleanup_fd(&end->control);
    share_unref(end->share);
    *end = taker->ends[--taker->count];
}

/* Anybody on this machine may try; only processes of this user are listened to. */
static void accept_end(struct taker *taker)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    CLEANUP_FD int fd = accept4(taker->proxy->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.uid != geteuid() ||
        taker->count == PROXY_SANDBOXES_MAX)
        return;
    taker->ends[taker->count++] = (struct sandbox_end){.control = take_fd(&fd), .waits = true, .share = share_new()};
}

/* A listening socket from inside. Takes it when it is one. */
static bool take_listener(struct sandbox_end *end, struct helper_listener what, int fd)
{
    int listens = 0;
    socklen_t size = sizeof listens;
    if (fd < 0 || end->listener_count == LISTENERS_MAX || getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) ||
        !listens || fcntl(fd, F_SETFL, O_NONBLOCK))
        return false;
    end->run = what.run;
    end->listeners[end->listener_count].kind = what.kind;
    end->listeners[end->listener_count++].fd = fd;
    return true;
}

/* What a helper says. False: the sandbox is gone, or says something else. */
static bool receive(struct taker *taker, struct sandbox_end *end)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(2 * sizeof(int))];
    } control = {0};
    struct helper_listener what = {0};
    struct iovec data = {&what, sizeof what};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    int fds[2] = {-1, -1};
    ssize_t got = recvmsg(end->control, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (got < 0)
        return errno == EAGAIN || errno == EINTR;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len <= CMSG_LEN(sizeof fds))
        memcpy(fds, CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
    bool made = what.kind == HELPER_NETWORK_MADE;
    if (got == sizeof what &&
        (made ? network_take(&taker->network, end->control, fds) : fds[1] < 0 && take_listener(end, what, fds[0]))) {
        if (!made)
            network_heard(&taker->network, end->control, false);
        return true;
    }
    cleanup_fd(&fds[0]);
    cleanup_fd(&fds[1]);
    return false;
}

/* The number of those watched; *held_back: there are some of which none is taken now. */
static size_t watch_all(struct taker *taker, struct pollfd *watched, bool *held_back)
{
    size_t count = 0;
    *held_back = false;
    watched[count++] = (struct pollfd){taker->proxy->wake, POLLIN, 0};
    watched[count++] = (struct pollfd){taker->proxy->listener, POLLIN, 0};
    for (size_t i = 0; i < taker->count; i++) {
        bool held = is_held_back(taker, &taker->ends[i]);
        *held_back = *held_back || held;
        watched[count++] = (struct pollfd){taker->ends[i].control, POLLIN, 0};
        for (size_t j = 0; j < taker->ends[i].listener_count; j++)
            watched[count++] = (struct pollfd){held ? -1 : taker->ends[i].listeners[j].fd, POLLIN, 0};
    }
    taker->short_of_descriptors = false;
    return count;
}

/* From the last to the first, since an end that is dropped is replaced by the last. */
static void attend(struct taker *taker, const struct pollfd *watched, size_t count)
{
    for (size_t i = taker->count; i-- > 0;) {
        struct sandbox_end *end = &taker->ends[i];
        size_t listeners = end->listener_count;
        count -= 1 + listeners;
        for (size_t j = 0; j < listeners; j++)
            if (watched[count + 1 + j].revents)
                accept_client(taker, end, j);
        if (watched[count].revents && !receive(taker, end))
            drop_end(taker, i);
    }
    if (watched[1].revents)
        accept_end(taker);
    for (size_t i = 0; i < taker->count; i++)
        if (taker->ends[i].waits)
            taker->ends[i].waits = !network_answer(&taker->network, taker->ends[i].control);
}

static void *take(void *data)
{
    struct proxy *proxy = data;
    struct taker *taker = hv_calloc(1, sizeof *taker);
    struct pollfd watched[2 + PROXY_SANDBOXES_MAX * (1 + LISTENERS_MAX)];
    taker->proxy = proxy;
    taker->network = (struct proxy_network){.fds = {-1, -1}, .maker = -1};
    for (;;) {
        bool held_back;
        size_t count = watch_all(taker, watched, &held_back);
        if (poll(watched, count, held_back ? HELD_BACK_MS : -1) < 0 && errno != EINTR)
            break;
        if (watched[0].revents)
            break;
        attend(taker, watched, count);
    }
    while (taker->count)
        drop_end(taker, taker->count - 1);
    network_release(&taker->network);
    free(taker);
    proxy_unref(proxy);
    return NULL;
}

/* ---- starting and ending ------------------------------------------------------------------------------- */

static bool choose_name(struct proxy *proxy)
{
    unsigned char bytes[16];
    size_t at = (size_t)snprintf(proxy->name, sizeof proxy->name, "helve-proxy-");
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        at += (size_t)snprintf(proxy->name + at, sizeof proxy->name - at, "%02x", bytes[i]);
    return true;
}

static bool open_listener(struct proxy *proxy)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t len = strlen(proxy->name);
    memcpy(address.sun_path + 1, proxy->name, len);
    proxy->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    return proxy->listener >= 0 &&
           bind(proxy->listener, (struct sockaddr *)&address,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len)) == 0 &&
           listen(proxy->listener, BACKLOG) == 0;
}

enum hv_code proxy_new(const struct sandbox_setup *setup, struct proxy **out, struct hv_error *err)
{
    struct proxy *proxy = hv_calloc(1, sizeof *proxy);
    *proxy = (struct proxy){.options = setup->options, .setup = setup, .listener = -1, .wake = eventfd(0, EFD_CLOEXEC)};
    atomic_init(&proxy->references, 1);
    pthread_mutex_init(&proxy->lock, NULL);
    pthread_cond_init(&proxy->questions.thread_ended, NULL);
    if (proxy->wake >= 0 && choose_name(proxy) && open_listener(proxy)) {
        *out = proxy;
        return HV_OK;
    }
    enum hv_code code = hv_fail_errno(err, errno, "the proxy of the sandbox cannot be made");
    proxy_unref(proxy);
    return code;
}

bool proxy_serve(struct proxy *proxy)
{
    if (proxy->serves)
        return true;
    proxy_ref(proxy);
    proxy->serves = thread_start(&proxy->thread, STACK_SIZE, take, proxy) == 0;
    if (!proxy->serves)
        proxy_unref(proxy);
    return proxy->serves;
}

void proxy_free(struct proxy *proxy)
{
    if (!proxy)
        return;
    (void)!eventfd_write(proxy->wake, 1);
    proxy_questions_end(proxy);
    if (proxy->serves)
        pthread_join(proxy->thread, NULL);
    proxy_unref(proxy);
}
