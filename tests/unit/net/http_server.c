/* http_server.c: see http_server.h. */
#include "http_server.h"

#include "base/cleanup.h"

#include <arpa/inet.h>
#include <assert.h>
#include <string.h>
#include <sys/socket.h>

enum { REQUEST_MAX = 64 << 20 };

struct connection {
    struct server *server;
    int fd;
};

static bool read_more(int fd, struct hv_buf *request)
{
    char *room = hv_buf_reserve(request, 65536);
    ssize_t got = room ? recv(fd, room, 65536, 0) : -1;
    if (got > 0)
        hv_buf_commit(request, (size_t)got);
    return got > 0;
}

static size_t content_length(struct hv_str head)
{
    size_t at = hv_str_find(head, HV_STR("\r\nContent-Length: "), 0);
    return at == SIZE_MAX ? 0 : strtoul(head.ptr + at + 18, NULL, 10);
}

/* Read one request; its body starts at *body. False at the end of the connection. */
static bool read_request(int fd, struct hv_buf *request, size_t *body)
{
    hv_buf_clear(request);
    size_t end;
    while ((end = hv_str_find(hv_buf_str(request), HV_STR("\r\n\r\n"), 0)) == SIZE_MAX)
        if (!read_more(fd, request))
            return false;
    *body = end + 4;
    size_t length = content_length(hv_str_slice(hv_buf_str(request), 0, end + 2));
    while (request->len < *body + length)
        if (!read_more(fd, request))
            return false;
    return true;
}

static bool send_all(int fd, struct hv_str bytes)
{
    while (bytes.len) {
        ssize_t sent = send(fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        bytes = hv_str_slice(bytes, (size_t)sent, bytes.len);
    }
    return true;
}

static bool echo(int fd, struct hv_str body)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str head = hv_arena_format(&arena, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", body.len);
    return send_all(fd, head) && send_all(fd, body);
}

static const struct answer *find_answer(const struct server *server, struct hv_str request)
{
    size_t from = hv_str_find_byte(request, ' ', 0) + 1;
    struct hv_str path = hv_str_slice(request, from, hv_str_find_byte(request, ' ', from));
    for (size_t i = 0; i < server->count; i++)
        if (hv_str_is(path, server->answers[i].path))
            return &server->answers[i];
    return NULL;
}

static enum after answer(struct server *server, int fd, struct hv_str request, size_t body)
{
    const struct answer *found = find_answer(server, request);
    if (!found)
        return echo(fd, hv_str_slice(request, body, SIZE_MAX)) ? KEEP : CLOSE;
    return send_all(fd, found->bytes) ? found->after : CLOSE;
}

static void remember(struct server *server, struct hv_str request)
{
    LOCK_SCOPE(&server->mutex);
    server->requests++;
    hv_buf_clear(&server->last);
    hv_buf_add_str(&server->last, request);
}

static void *serve(void *data)
{
    struct connection connection = *(struct connection *)data;
    CLEANUP_BUF struct hv_buf request = {0};
    size_t body;
    free(data);
    hv_buf_init(&request, REQUEST_MAX);
    while (read_request(connection.fd, &request, &body)) {
        remember(connection.server, hv_buf_str(&request));
        enum after after = answer(connection.server, connection.fd, hv_buf_str(&request), body);
        if (after == HANG)
            continue; /* the next read waits for the peer's end */
        if (after != KEEP)
            break;
    }
    shutdown(connection.fd, SHUT_RDWR);
    return NULL;
}

static void *accept_all(void *data)
{
    struct server *server = data;
    for (;;) {
        int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0)
            return NULL;
        LOCK_SCOPE(&server->mutex);
        assert(server->connections < SERVER_CONNECTIONS_MAX);
        struct connection *connection = hv_calloc(1, sizeof *connection);
        *connection = (struct connection){server, fd};
        server->fds[server->connections] = fd;
        pthread_create(&server->threads[server->connections++], NULL, serve, connection);
    }
}

void server_start(struct server *server, const struct answer *answers, size_t count)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    *server = (struct server){.answers = answers, .count = count};
    hv_buf_init(&server->last, REQUEST_MAX);
    pthread_mutex_init(&server->mutex, NULL);
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int failed = bind(server->listener, (struct sockaddr *)&address, len) || listen(server->listener, 64) ||
                 getsockname(server->listener, (struct sockaddr *)&address, &len);
    assert(!failed);
    (void)failed;
    server->port = ntohs(address.sin_port);
    pthread_create(&server->thread, NULL, accept_all, server);
}

void server_stop(struct server *server)
{
    shutdown(server->listener, SHUT_RDWR);
    pthread_join(server->thread, NULL);
    close(server->listener);
    for (size_t i = 0; i < server->connections; i++) {
        shutdown(server->fds[i], SHUT_RDWR);
        pthread_join(server->threads[i], NULL);
        close(server->fds[i]);
    }
    pthread_mutex_destroy(&server->mutex);
    hv_buf_release(&server->last);
}

size_t server_connections(struct server *server)
{
    LOCK_SCOPE(&server->mutex);
    return server->connections;
}

size_t server_requests(struct server *server)
{
    LOCK_SCOPE(&server->mutex);
    return server->requests;
}
