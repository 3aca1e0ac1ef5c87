/* proxy_inner.h: what the two halves of the proxy share: proxy.c takes connections, proxy_connection.c serves one. */
#ifndef SANDBOX_PROXY_INNER_H
#define SANDBOX_PROXY_INNER_H

#include "sandbox/proxy.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/vec.h"
#include "sandbox/sandbox.h"

struct refusal {
    uint64_t run;
    char *text;
};

/* What somebody who was asked has said. */
struct grant {
    uint64_t run; /* 0: the whole session; GRANT_NEXT: whoever connects next */
    char *rule;
    bool refused;
    char *words; /* of a refusal, or NULL */
};
#define GRANT_NEXT UINT64_MAX

struct named_run {
    uint64_t run;
    char *command; /* its beginning */
};

/* proxy_ask.c */
struct proxy_questions {
    VEC(struct grant) grants;
    VEC(struct question *) open;
    VEC(struct named_run) runs;
    size_t threads; /* that ask */
    bool ending;    /* none is asked any more */
    pthread_cond_t thread_ended;
};

struct proxy {
    const struct sandbox_options *options;
    const struct sandbox_setup *setup;
    char name[PROXY_NAME_SIZE];
    int listener, wake; /* wake: readable from the end on */
    pthread_t thread;
    bool serves; /* the thread is there */
    atomic_uint references, connections;
    pthread_mutex_t lock; /* guards what follows */
    VEC(struct refusal) refusals;
    struct proxy_questions questions;
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
    unsigned relay_port;   /* of a proxy on this machine that the person named; 0: we are the proxy … */
    unsigned machine_port; /* … or, where this is not 0, the way to a service on the machine's loopback */
};

/* ---- machine_ports.c */

enum machine_port_leave { MACHINE_PORT_UNNAMED = 0, MACHINE_PORT_ALLOWED, MACHINE_PORT_DENIED };
/* What rules say of that port of the machine's loopback, by any of its names. Pure. */
enum machine_port_leave machine_port_leave(const struct sandbox_options *options, unsigned port);

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

/* Remember that something was refused to a run; of a port of the machine, to each that may have connected. */
void proxy_note_refusal(const struct connection *connection, const char *text);
void proxy_ref(struct proxy *proxy);
void proxy_unref(struct proxy *proxy);

/* ---- proxy_ask.c: what no rule speaks of */

enum proxy_leave {
    PROXY_LEAVE_NONE = 0, /* nobody can be asked, or nobody has answered */
    PROXY_LEAVE_GIVEN,
    PROXY_LEAVE_REFUSED,
    PROXY_LEAVE_GONE, /* the client is, or helve ends */
};

/* May this connection be made? By what was answered already, or by asking: one question for all that wait for the same
 * rule. what->command is filled in. *words: of who refused it, in arena. Blocks. */
enum proxy_leave proxy_ask(const struct connection *connection, struct sandbox_connection what, struct hv_arena *arena,
                           struct hv_str *words);
/* The element of allowedDomains that a question about a host is about: of this machine and its network with the port.
 */
struct hv_str proxy_rule_of(struct hv_arena *arena, struct hv_str host, unsigned port);
/* Append a line for each question that is open and that the run waits for, or waited. Under the lock. */
struct hv_str proxy_questions_describe(const struct proxy *proxy, uint64_t run, struct hv_arena *arena);
/* End all questions, and wait until nobody asks. */
void proxy_questions_end(struct proxy *proxy);
void proxy_questions_release(struct proxy *proxy);

/* Serve a connection to its end, and free it. */
void connection_serve(struct connection *connection);

#endif
