/*
 * proxy.h: the only way out of a sandbox: an HTTP proxy (CONNECT and plain requests) that lets through what the domain
 * rules allow, and refuses addresses of this machine and its network, checked at the very address it connects to.
 *
 * The sandboxes of a session share a network in which nothing but a loopback device exists; it is held here
 * (proxy_network.c). The helper inside makes a listening socket there and hands it out over a socket that it got from
 * outside; the proxy, in helve, takes the connections from it directly. So nothing runs inside, nothing lies in the
 * file system, and all ends with the sandbox or with helve.
 *
 * Threads: one that takes connections, and one for each of at most PROXY_CONNECTIONS_MAX of them, in plain blocking
 * code. More wait in the kernel until one has ended. All functions may be called from any thread.
 */
#ifndef SANDBOX_PROXY_H
#define SANDBOX_PROXY_H

#include "sandbox/options.h"

enum {
    PROXY_CONNECTIONS_MAX = 256,
    PROXY_SHARE_MAX = 128, /* connections of one sandbox: no command keeps the others from the network */
    PROXY_SANDBOXES_MAX = 128,
    PROXY_REFUSALS_MAX = 16, /* remembered for one run */
    PROXY_NAME_SIZE = 48,
};

struct proxy;
struct sandbox_setup; /* sandbox.h: options and ask are used */

/* Make the proxy: helpers may connect to it, and wait until it serves. setup must outlive it. Errors: HV_ENOSPC
 * (descriptors), HV_EIO. */
enum hv_code proxy_new(const struct sandbox_setup *setup, struct proxy **out, struct hv_error *err) HV_MUST_CHECK;
/* Have it serve, when it does not yet: false when no thread can be had for it. Not from two threads at once. */
bool proxy_serve(struct proxy *proxy) HV_MUST_CHECK;
/* End it, every connection and every question. Waits for none that looks up a name. NULL is fine. */
void proxy_free(struct proxy *proxy);

/* The name of its abstract socket, which only this user may connect to. */
const char *proxy_name(const struct proxy *proxy);

/* A run begins: command is shown to who is asked about its connections. */
void proxy_begin_run(struct proxy *proxy, uint64_t run, struct hv_str command);
/* Who let the run's command go has seen this address in it ("https://example.org/x"): where somebody would be asked,
 * its host counts as let through once. */
void proxy_let_reach(struct proxy *proxy, uint64_t run, struct hv_str address);
/* A run has ended: forget it, and what was allowed and refused to it alone. cancelled: what it alone waits for is not
 * asked any more. */
void proxy_end_run(struct proxy *proxy, uint64_t run, bool cancelled);
/* What was refused to a run, or waits for an answer, one line each ("example.org:443 (…)"), oldest first, without
 * repetition, in arena; absent when nothing was. It is forgotten by this. */
struct hv_str proxy_take_refusals(struct proxy *proxy, uint64_t run, struct hv_arena *arena);

#endif
