/*
 * request.h: HTTP requests of workers (hooks, tools). The clients live on the loop; a worker posts its request there
 * and waits. It stops waiting when its call or the session is cancelled, whatever the loop does then (it may be waiting
 * for this very worker); what is left of the request belongs to the loop alone.
 */
#ifndef RUNTIME_REQUEST_H
#define RUNTIME_REQUEST_H

#include "runtime/call.h"

/* What may be reached. Each has a pool of connections of its own (struct runtime). */
enum request_class {
    REQUEST_GUARDED = 0, /* public addresses only */
    REQUEST_OPENED,      /* a rule opened the host: any address */
    REQUEST_OWN,         /* the person's configuration names the address: any, by the proxies of the environment */
};

struct request {
    enum request_class class;
    struct hv_str url, method, proxy; /* as in struct http_request */
    const struct hv_str *headers;
    size_t header_count;
    struct hv_str body; /* absent: none */
    bool compressed;
    uint64_t timeout_ms, max_body;
};

/*
 * Send it and wait. Everything is copied; the answer is in arena. Errors as http_send and its on_end; HV_ECANCELLED;
 * HV_EAGAIN when called on the loop's own thread. Any worker thread.
 */
enum hv_code request_send(struct runtime *runtime, const struct request *request, const struct hv_cancel *cancel,
                          struct hv_arena *arena, struct hv_http_answer *answer, struct hv_error *err) HV_MUST_CHECK;

/* hv_services.request */
enum hv_code request_of_tool(struct hv_context *context, const struct hv_http_request *request,
                             struct hv_http_answer *answer, struct hv_error *err);
/* hv_services.may_request */
enum hv_code request_may_be_sent(struct hv_context *context, struct hv_str url, struct hv_error *err);

#endif
