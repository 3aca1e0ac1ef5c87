/*
 * http_server.h: an HTTP server for tests: a thread per connection on a port of the loopback, that answers each path
 * with fixed bytes, well-formed or not. It remembers the requests.
 */
#ifndef TESTS_HTTP_SERVER_H
#define TESTS_HTTP_SERVER_H

#include <helve/str.h>
#include <pthread.h>

enum after {
    KEEP,       /* wait for the next request */
    CLOSE,      /* close after the answer */
    HANG,       /* stay silent until the peer goes */
    CLOSE_LATER /* pretend to keep the connection, but close it */
};

/* What a path is answered with. The request of a path that is not in the table is answered with its own body. */
struct answer {
    const char *path;
    struct hv_str bytes;
    enum after after;
};

enum { SERVER_CONNECTIONS_MAX = 64 };

struct server {
    const struct answer *answers;
    size_t count;
    int listener, port;
    pthread_t thread;
    pthread_mutex_t mutex; /* guards what follows */
    int fds[SERVER_CONNECTIONS_MAX];
    pthread_t threads[SERVER_CONNECTIONS_MAX];
    size_t connections, requests;
    struct hv_buf last; /* head and body of the last request */
};

void server_start(struct server *server, const struct answer *answers, size_t count);
void server_stop(struct server *server);
/* Connections accepted and requests read so far. */
size_t server_connections(struct server *server);
size_t server_requests(struct server *server);

#endif
