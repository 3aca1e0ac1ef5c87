/* proxy_inner.h: what the two halves of the proxy share: proxy.c takes connections, proxy_connection.c serves one. */
#ifndef SANDBOX_PROXY_INNER_H
#define SANDBOX_PROXY_INNER_H

#include "sandbox/proxy.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/vec.h"

struct refusal {
    uint64_t run;
    char *text;
};

struct proxy {
    const struct sandbox_options *options;
    char name[PROXY_NAME_SIZE];
    int listener, wake; /* wake: readable from the end on */
    pthread_t thread;
    bool serves; /* the thread is there */
    atomic_uint references, connections;
    pthread_mutex_t lock; /* guards refusals */
    VEC(struct refusal) refusals;
};

/* What the connections of one sandbox are counted in; freed by the last of them, or with the sandbox. */
struct proxy_share {
    atomic_uint references, connections;
};

/* One accepted connection; owned by its thread. */
struct connection {
    struct proxy *proxy;
    struct proxy_share *share;
    int client;
    uint64_t run;
    unsigned relay_port; /* of a proxy on this machine that the person named; 0: we are the proxy */
};

/* Remember that something was refused to a run. */
void proxy_note_refusal(struct proxy *proxy, uint64_t run, const char *text);
/* Serve a connection to its end, and free it. */
void connection_serve(struct connection *connection);

#endif
