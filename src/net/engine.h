/*
 * engine.h: what crosses the border between http.c (in the program) and the module net.so (engine.c, over libcurl).
 *
 * The engine knows curl and no event loop; http.c knows the loop and no curl. The host lends the engine a way to watch
 * sockets and to be called after some time; the engine reports what happens to each transfer. Plain structs only.
 *
 * One thread at a time (the loop's). Functions of the engine may not be called from inside its reports.
 */
#ifndef NET_ENGINE_H
#define NET_ENGINE_H

#include "net/http.h"

struct net_engine;
struct net_transfer;

enum { NET_READ = 1, NET_WRITE = 2, NET_ERROR = 4 };

/* What the host lends to an engine. */
struct net_host {
    void *user;
    /* Watch a socket for events (NET_READ, NET_WRITE), in place of what was watched before. watcher is what the last
     * call for this socket returned, NULL at first. events 0: stop, the socket will be closed. NULL: it cannot. */
    void *(*watch)(void *user, void *watcher, int fd, int events);
    /* Call act(engine, -1, 0) after so many milliseconds; replaces the former wish; negative: no longer. */
    void (*set_timer)(void *user, int64_t milliseconds);
};

/* What an engine reports of one transfer. */
struct net_reports {
    void *user;
    void (*on_activity)(void *user);                                  /* bytes went out or came in */
    bool (*on_status)(void *user, int status, struct hv_str headers); /* final header lines; false: end it */
    bool (*on_body)(void *user, struct hv_str bytes);                 /* false: end it */
    void (*on_done)(void *user, enum hv_code code,
                    const struct hv_error *err); /* once, last; not after transfer_free */
};

/* The table of functions of the module "net". */
struct net_functions {
    /* Set up libcurl. Any thread, any number of times. HV_EUNSUPPORTED: this libcurl cannot be used. */
    enum hv_code (*init)(struct hv_error *err);
    /* host is copied, options too. Free with engine_free, after its transfers. */
    enum hv_code (*engine_new)(const struct net_host *host, const struct http_client_options *options,
                               struct net_engine **out, struct hv_error *err);
    void (*engine_free)(struct net_engine *engine);
    /* A watched socket has events, or (fd -1) the time has come. */
    void (*act)(struct net_engine *engine, int fd, int events);
    /* Prepare a request (copied but for the body's bytes); sends nothing yet. Errors as http_send. */
    enum hv_code (*transfer_new)(struct net_engine *engine, const struct http_request *request,
                                 const struct net_reports *reports, struct net_transfer **out, struct hv_error *err);
    enum hv_code (*transfer_start)(struct net_transfer *transfer, struct hv_error *err);
    void (*transfer_free)(struct net_transfer *transfer); /* in any state; never waits for the network */
};

#endif
