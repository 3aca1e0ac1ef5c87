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

/* ---- proxy_network.c: the network that the sandboxes of one session share; touched by the taking thread only. The
 * first helper that connects makes it, others wait meanwhile. */

struct proxy_network {
    int fds[2];  /* namespaces of the network and, where it has one, of its users; -1 */
    int maker;   /* the socket of the helper that makes it; -1: none does */
    bool cannot; /* one has tried in vain: each sandbox has its own */
};

/* Tell a helper which network it enters. False: it has to wait. */
bool network_answer(struct proxy_network *network, int control);
/* A helper has made it; false: nobody has asked that one to. Takes the descriptors when it is true. */
bool network_take(struct proxy_network *network, int control, const int fds[2]);
/* A helper goes on without having made it, or is gone. */
void network_heard(struct proxy_network *network, int control, bool gone);
void network_release(struct proxy_network *network);

/* ---- proxy.c and proxy_connection.c */

/* Remember that something was refused to a run. */
void proxy_note_refusal(struct proxy *proxy, uint64_t run, const char *text);
/* Serve a connection to its end, and free it. */
void connection_serve(struct connection *connection);

#endif
