/* proxy_connection.c: one connection through the proxy, from its first byte to its last; see proxy.h. */
#include "base/address.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "sandbox/proxy_head.h"
#include "sandbox/proxy_inner.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

enum { HEAD_S = 30, CONNECT_S = 10, IDLE_S = 600, ADDRESSES_MAX = 8, PIECE = 16 * 1024, TEXT_SIZE = 512 };

/* Wait for a descriptor; false: the time is over, or helve ends. */
static bool wait_for(const struct connection *connection, int fd, short events, unsigned seconds)
{
    struct pollfd watched[] = {{fd, events, 0}, {connection->proxy->wake, POLLIN, 0}};
    int ready;
    do
        ready = poll(watched, 2, (int)seconds * 1000);
    while (ready < 0 && errno == EINTR);
    return ready > 0 && !watched[1].revents;
}

static bool send_all(const struct connection *connection, int fd, struct hv_str bytes)
{
    while (bytes.len) {
        ssize_t sent = send(fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);
        if (sent >= 0)
            bytes = hv_str_slice(bytes, (size_t)sent, bytes.len);
        else if (errno != EINTR && (errno != EAGAIN || !wait_for(connection, fd, POLLOUT, HEAD_S)))
            return false;
    }
    return true;
}

static void answer(const struct connection *connection, const char *status, const char *text)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    if (connection->machine_port) /* who speaks there speaks any language */
        return;
    struct hv_str reply =
        hv_arena_format(&arena,
                        "HTTP/1.1 %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\nX-Proxy-Error: "
                        "blocked-by-sandbox\r\nConnection: close\r\n\r\n%s\n",
                        status, strlen(text) + 1, text);
    (void)!send_all(connection, connection->client, reply);
}

static void refuse(const struct connection *connection, const struct proxy_request *request, const char *why)
{
    char text[TEXT_SIZE];
    snprintf(text, sizeof text, "%.*s:%u (%s)", HV_STR_ARG(request->host), request->port, why);
    proxy_note_refusal(connection, text);
    snprintf(text, sizeof text, "The sandbox does not let commands reach %.*s:%u: %s.", HV_STR_ARG(request->host),
             request->port, why);
    answer(connection, "403 Forbidden", text);
}

/* ---- the head ------------------------------------------------------------------------------------------ */

/* Read until the head is complete. False: there will be none; whoever can be told has been. */
static bool read_head(const struct connection *connection, struct hv_arena *arena, struct hv_buf *bytes,
                      struct proxy_request *request)
{
    struct hv_error err;
    uint64_t end = clock_monotonic_ns() + HEAD_S * CLOCK_SECOND;
    for (;;) {
        char *room = hv_buf_reserve(bytes, 4096);
        if (!room || clock_monotonic_ns() > end || !wait_for(connection, connection->client, POLLIN, HEAD_S))
            return false;
        ssize_t got = recv(connection->client, room, 4096, 0);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            return false;
        hv_buf_commit(bytes, got > 0 ? (size_t)got : 0);
        enum hv_code code = proxy_head_read(arena, hv_buf_str(bytes), request, &err);
        if (code == HV_OK)
            return true;
        if (code == HV_EAGAIN)
            continue;
        answer(connection, code == HV_ETOOBIG ? "431 Request Header Fields Too Large" : "400 Bad Request", err.message);
        return false;
    }
}

/* ---- connecting ---------------------------------------------------------------------------------------- */

static int connect_to(const struct connection *connection, const struct sockaddr *address, socklen_t size)
{
    int failed = 0;
    socklen_t length = sizeof failed;
    CLEANUP_FD int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    if (connect(fd, address, size) == 0)
        return take_fd(&fd);
    if (errno != EINPROGRESS || !wait_for(connection, fd, POLLOUT, CONNECT_S) ||
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &length) || failed)
        return -1;
    return take_fd(&fd);
}

/* As a rule would name it. */
static struct hv_str address_text(const struct sockaddr *address, char *text, size_t size)
{
    const void *bytes = address->sa_family == AF_INET6
                            ? (const void *)&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr
                            : (const void *)&((const struct sockaddr_in *)(const void *)address)->sin_addr;
    return inet_ntop(address->sa_family, bytes, text, (socklen_t)size) ? hv_str_from(text) : (struct hv_str){0};
}

/* One of this machine or its network, by itself: a rule for a name says nothing of where its owner lets it point. */
static bool is_named(const struct connection *connection, struct hv_str address, unsigned port)
{
    struct sandbox_domain domain = sandbox_domain_of(connection->proxy->options, address, port);
    return address.len && domain.allowed && domain.named;
}

/* Somebody who was asked said no, or the client did not wait: nothing more is offered for the first, and of the second
 * the result says that the question is open. */
static bool settle_asked(const struct connection *connection, const struct proxy_request *request,
                         enum proxy_leave leave, struct hv_str words)
{
    char why[TEXT_SIZE / 2];
    if (leave == PROXY_LEAVE_REFUSED) {
        snprintf(why, sizeof why, "%.*s", HV_STR_ARG(words));
        refuse(connection, request, why);
    }
    return leave == PROXY_LEAVE_REFUSED || leave == PROXY_LEAVE_GONE;
}

/* As an element of allowedDomains names one port of an address. */
static struct hv_str with_port(struct hv_arena *arena, struct hv_str host, unsigned port)
{
    bool colons = hv_str_find_byte(host, ':', 0) != SIZE_MAX;
    return hv_arena_format(arena, "%s%.*s%s:%u", colons ? "[" : "", HV_STR_ARG(host), colons ? "]" : "", port);
}

static void refuse_private(const struct connection *connection, const struct proxy_request *request,
                           const struct sandbox_connection *what)
{
    char why[256];
    snprintf(why, sizeof why,
             "it leads to %.*s, of this machine or its network; sandbox.network.allowedDomains: [\"%.*s\"] in the "
             "settings would allow that",
             HV_STR_ARG(what->address), HV_STR_ARG(what->rule));
    refuse(connection, request, why);
}

/* The name may be reached, and leads inside: that is a question of its own. */
static int connect_private(const struct connection *connection, const struct proxy_request *request,
                           const struct addrinfo *at)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    char text[INET6_ADDRSTRLEN];
    struct hv_str address = address_text(at->ai_addr, text, sizeof text), words = {0};
    struct sandbox_connection what = {.host = request->host, .port = request->port, .address = address};
    what.rule = with_port(&arena, address, request->port);
    enum proxy_leave leave = address.len ? proxy_ask(connection, what, &arena, &words) : PROXY_LEAVE_NONE;
    if (settle_asked(connection, request, leave, words))
        return -1;
    if (leave == PROXY_LEAVE_NONE) {
        refuse_private(connection, request, &what);
        return -1;
    }
    int fd = connect_to(connection, at->ai_addr, at->ai_addrlen);
    if (fd < 0)
        answer(connection, "502 Bad Gateway", "The host cannot be reached.");
    return fd;
}

/* The decision is made on the address that is connected to, not on one looked up before. */
static int connect_host(const struct connection *connection, const struct proxy_request *request,
                        const struct sandbox_domain *domain)
{
    char host[PROXY_HOST_MAX + 1], port[8], text[INET6_ADDRSTRLEN];
    const struct addrinfo *private = NULL;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV}, *list = NULL;
    int fd = -1, count = 0;
    snprintf(host, sizeof host, "%.*s", HV_STR_ARG(request->host));
    snprintf(port, sizeof port, "%u", request->port);
    if (getaddrinfo(host, port, &hints, &list)) {
        answer(connection, "502 Bad Gateway", "There is no such host.");
        return -1;
    }
    for (const struct addrinfo *at = list; at && fd < 0 && count < ADDRESSES_MAX; at = at->ai_next, count++) {
        if (domain->named || address_is_public(at->ai_addr) ||
            is_named(connection, address_text(at->ai_addr, text, sizeof text), request->port))
            fd = connect_to(connection, at->ai_addr, at->ai_addrlen);
        else if (!private)
        private = at;
    }
    if (fd < 0 && private)
        fd = connect_private(connection, request, private);
    else if (fd < 0)
        answer(connection, "502 Bad Gateway", "The host cannot be reached.");
    freeaddrinfo(list);
    return fd;
}

static bool is_literal(struct hv_str host)
{
    char text[64];
    unsigned char bytes[16];
    snprintf(text, sizeof text, "%.*s", HV_STR_ARG(host));
    return inet_pton(AF_INET, text, bytes) == 1 || inet_pton(AF_INET6, text, bytes) == 1;
}

/* A rule for a name says nothing of where its owner lets it point; one for "localhost" or an address does. */
static bool names_an_address(struct hv_str host)
{
    return is_literal(host) || hv_str_eq_nocase(host, HV_STR("localhost"));
}

/* Nothing is looked up for that: the name alone may say what a command wants to tell. */
static bool is_inside(struct hv_str host)
{
    char text[64];
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    snprintf(text, sizeof text, "%.*s", HV_STR_ARG(host));
    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
        return !address_is_public((const struct sockaddr *)&v4);
    if (inet_pton(AF_INET6, text, &v6.sin6_addr) == 1)
        return !address_is_public((const struct sockaddr *)&v6);
    return hv_str_eq_nocase(host, HV_STR("localhost"));
}

struct hv_str proxy_rule_of(struct hv_arena *arena, struct hv_str host, unsigned port)
{
    return is_inside(host) ? with_port(arena, host, port) : host;
}

/* No rule speaks of the host: ask. */
static bool get_leave(const struct connection *connection, const struct proxy_request *request)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str host = request->host, words = {0};
    if (host.len > 1 && host.ptr[host.len - 1] == '.') /* the root of names may be written */
        host.len--;
    struct sandbox_connection what = {.host = host, .port = request->port};
    what.rule = proxy_rule_of(&arena, host, request->port);
    enum proxy_leave leave = proxy_ask(connection, what, &arena, &words);
    if (leave == PROXY_LEAVE_GIVEN)
        return true;
    if (!settle_asked(connection, request, leave, words))
        refuse(connection, request, "no rule of sandbox.network.allowedDomains in the settings allows it");
    return false;
}

static int connect_server(const struct connection *connection, const struct proxy_request *request)
{
    struct sandbox_domain domain = sandbox_domain_of(connection->proxy->options, request->host, request->port);
    if (domain.denied_by.len) {
        refuse(connection, request, "a rule of sandbox.network.deniedDomains forbids it");
        return -1;
    }
    if (!domain.allowed) {
        if (!get_leave(connection, request))
            return -1;
        domain.named = true; /* asked by its very name */
    }
    domain.named = domain.named && names_an_address(request->host);
    return connect_host(connection, request, &domain);
}

/* ---- passing on ---------------------------------------------------------------------------------------- */

/* One direction. */
struct flow {
    int from, to;
    size_t at, len; /* what is still to be sent */
    bool ended;     /* nothing more comes, and that was passed on */
    char bytes[PIECE];
};

/* False: the direction is broken. */
static bool move(struct flow *flow)
{
    if (flow->at == flow->len && !flow->ended) {
        ssize_t got = recv(flow->from, flow->bytes, sizeof flow->bytes, 0);
        if (got < 0)
            return errno == EAGAIN || errno == EINTR;
        flow->at = 0;
        flow->len = (size_t)got;
        if (got == 0) {
            flow->ended = true;
            shutdown(flow->to, SHUT_WR);
        }
    }
    if (flow->at < flow->len) {
        ssize_t sent = send(flow->to, flow->bytes + flow->at, flow->len - flow->at, MSG_NOSIGNAL);
        if (sent < 0)
            return errno == EAGAIN || errno == EINTR;
        flow->at += (size_t)sent;
    }
    return true;
}

static short wanted(const struct flow *reads, const struct flow *writes)
{
    return (short)((reads->at == reads->len && !reads->ended ? POLLIN : 0) | (writes->at < writes->len ? POLLOUT : 0));
}

static void pass_on(const struct connection *connection, int server)
{
    struct flow *up = hv_calloc(1, sizeof *up), *down = hv_calloc(1, sizeof *down);
    up->from = down->to = connection->client;
    up->to = down->from = server;
    while (!up->ended || !down->ended || up->at < up->len || down->at < down->len) {
        struct pollfd watched[] = {{connection->client, wanted(up, down), 0},
                                   {server, wanted(down, up), 0},
                                   {connection->proxy->wake, POLLIN, 0}};
        for (int i = 0; i < 2; i++) /* a side of which nothing is wanted would report its hang-up for ever */
            watched[i].fd = watched[i].events ? watched[i].fd : -1;
        int ready = poll(watched, 3, IDLE_S * 1000);
        if (ready == 0 || watched[2].revents || (ready < 0 && errno != EINTR) || !move(up) || !move(down))
            break;
    }
    free(up);
    free(down);
}

static void be_proxy(const struct connection *connection)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf bytes = {0};
    struct proxy_request request;
    hv_buf_init(&bytes, PROXY_HEAD_MAX + 8192);
    if (!read_head(connection, &arena, &bytes, &request))
        return;
    CLEANUP_FD int server = connect_server(connection, &request);
    if (server < 0)
        return;
    if (request.connect ? !send_all(connection, connection->client, HV_STR("HTTP/1.1 200 Connected\r\n\r\n"))
                        : !send_all(connection, server, request.head))
        return;
    struct hv_str rest = hv_str_slice(hv_buf_str(&bytes), request.consumed, bytes.len);
    if (send_all(connection, server, rest))
        pass_on(connection, server);
}

static void be_relay(const struct connection *connection, unsigned port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    CLEANUP_FD int server = connect_to(connection, (const struct sockaddr *)&address, sizeof address);
    if (server >= 0)
        pass_on(connection, server);
}

/* That a listener is for a port comes from inside: rules, or who is asked, decide. */
static void lead_to_machine(const struct connection *connection)
{
    const struct proxy_request request = {.host = HV_STR("localhost"), .port = connection->machine_port};
    enum machine_port_leave leave = machine_port_leave(connection->proxy->options, request.port);
    if (leave == MACHINE_PORT_DENIED)
        refuse(connection, &request, "a rule of sandbox.network.deniedDomains forbids it");
    else if (leave == MACHINE_PORT_ALLOWED || get_leave(connection, &request))
        be_relay(connection, request.port);
}

void connection_serve(struct connection *connection)
{
    if (connection->machine_port)
        lead_to_machine(connection);
    else if (connection->relay_port)
        be_relay(connection, connection->relay_port);
    else
        be_proxy(connection);
    cleanup_fd(&connection->client);
    free(connection);
}
