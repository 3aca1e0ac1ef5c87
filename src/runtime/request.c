/* request.c: see request.h. */
#include "runtime/request.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "net/address_guard.h"
#include "net/http.h"

#include <netdb.h>
#include <string.h>

enum { POLL_MS = 20 };

/* Shared by the worker and the loop; the last of them frees it. */
struct post {
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t over;
    unsigned references;
    bool abandoned, done;
    enum hv_code code;
    struct hv_error err;
    int status;
    struct hv_buf headers, body;

    struct runtime *runtime;    /* valid unless abandoned */
    struct http_transfer *sent; /* loop thread */
    struct hv_arena arena;      /* of what is sent */
    struct request request;
};

static void post_unref(struct post *post)
{
    pthread_mutex_lock(&post->lock);
    bool last = --post->references == 0;
    pthread_mutex_unlock(&post->lock);
    if (!last)
        return;
    pthread_mutex_destroy(&post->lock);
    pthread_cond_destroy(&post->over);
    hv_buf_release(&post->headers);
    hv_buf_release(&post->body);
    hv_arena_release(&post->arena);
    free(post);
}

/* ---- loop thread ------------------------------------------------------------------------------------------------ */

static void on_status(void *user, int status, const struct http_headers *headers)
{
    struct post *post = user;
    LOCK_SCOPE(&post->lock);
    post->status = status;
    hv_buf_add_str(&post->headers, http_header_lines(headers));
}

static void on_body(void *user, struct hv_str bytes)
{
    struct post *post = user;
    LOCK_SCOPE(&post->lock);
    hv_buf_add_str(&post->body, bytes);
}

static void finish(struct post *post, enum hv_code code, const struct hv_error *err)
{
    pthread_mutex_lock(&post->lock);
    post->code = code;
    if (err && code != HV_OK)
        post->err = *err;
    post->done = true;
    post->sent = NULL;
    pthread_cond_signal(&post->over);
    pthread_mutex_unlock(&post->lock);
    post_unref(post);
}

static void on_end(void *user, enum hv_code code, const struct hv_error *err)
{
    finish(user, code, err);
}

static enum hv_code send_post(struct post *post, struct hv_error *err)
{
    struct runtime *runtime = post->runtime;
    const struct request *request = &post->request;
    struct http_client **client = &runtime->http[request->class];
    const struct http_client_options options = {
        .use_proxy = request->class == REQUEST_OWN,
        .address_allowed = request->class == REQUEST_GUARDED ? guard_allows_address : NULL,
    };
    if (!*client && http_client_new(runtime->loop, &options, client, err) != HV_OK)
        return err->code;
    const struct http_request sent = {
        .method = request->method,
        .url = request->url,
        .proxy = request->proxy,
        .headers = request->headers,
        .header_count = request->header_count,
        .body = &request->body,
        .body_count = request->body.ptr ? 1 : 0,
        .compressed = request->compressed,
        .total_timeout_ms = request->timeout_ms,
        .max_body = request->max_body,
    };
    const struct http_handlers handlers = {on_status, on_body, on_end, post};
    return http_send(*client, &sent, &handlers, &post->sent, err);
}

static void start(void *data)
{
    struct post *post = data;
    struct hv_error err = {0};
    pthread_mutex_lock(&post->lock);
    bool abandoned = post->abandoned;
    pthread_mutex_unlock(&post->lock);
    enum hv_code code = abandoned ? hv_fail(&err, HV_ECANCELLED, "was cancelled") : send_post(post, &err);
    if (code != HV_OK)
        finish(post, code, &err);
}

static void stop(void *data)
{
    struct post *post = data;
    if (post->sent)
        http_cancel(post->sent);
    post_unref(post);
}

/* ---- worker ------------------------------------------------------------------------------------------------------ */

static struct post *post_new(struct runtime *runtime, const struct request *request)
{
    struct post *post = hv_calloc(1, sizeof *post);
    struct hv_arena *arena = &post->arena;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&post->lock, NULL);
    pthread_cond_init(&post->over, &attributes);
    pthread_condattr_destroy(&attributes);
    hv_buf_init(&post->headers, HTTP_ANSWER_HEADERS_MAX);
    hv_buf_init(&post->body, request->max_body);
    post->runtime = runtime;
    post->references = 2;
    post->request = *request;
    post->request.url = hv_arena_str(arena, request->url);
    post->request.method = hv_arena_str(arena, request->method);
    post->request.proxy = hv_arena_str(arena, request->proxy);
    post->request.body = hv_arena_str(arena, request->body);
    struct hv_str *headers = hv_arena_array(arena, struct hv_str, request->header_count + 1);
    for (size_t i = 0; i < request->header_count; i++)
        headers[i] = hv_arena_str(arena, request->headers[i]);
    post->request.headers = headers;
    return post;
}

/* Post lock held. True when the answer is there, false when it is no longer wanted. */
static bool wait_for_answer(struct post *post, const struct hv_cancel *cancel)
{
    while (!post->done && !hv_cancelled(cancel)) {
        struct timespec until;
        uint64_t at = clock_monotonic_ns() + POLL_MS * CLOCK_MILLISECOND;
        until.tv_sec = (time_t)(at / CLOCK_SECOND);
        until.tv_nsec = (long)(at % CLOCK_SECOND);
        pthread_cond_timedwait(&post->over, &post->lock, &until);
    }
    return post->done;
}

enum hv_code request_send(struct runtime *runtime, const struct request *request, const struct hv_cancel *cancel,
                          struct hv_arena *arena, struct hv_http_answer *answer, struct hv_error *err)
{
    if (loop_is_current(runtime->loop))
        return hv_fail(err, HV_EAGAIN, "could not be sent: the system allows no further thread");
    struct post *post = post_new(runtime, request);
    loop_post(runtime->loop, start, post);
    pthread_mutex_lock(&post->lock);
    enum hv_code code = HV_ECANCELLED;
    bool answered = wait_for_answer(post, cancel);
    if (answered) {
        code = post->code;
        if (code)
            *err = post->err;
        answer->status = post->status;
        answer->headers = hv_arena_str(arena, hv_buf_str(&post->headers));
        answer->body = hv_arena_str(arena, hv_buf_str(&post->body));
    } else {
        hv_fail(err, HV_ECANCELLED, "was cancelled");
        post->abandoned = true;
        post->references++;
    }
    pthread_mutex_unlock(&post->lock);
    if (!answered)
        loop_post(runtime->loop, stop, post);
    post_unref(post);
    return code;
}

/* ---- tools ------------------------------------------------------------------------------------------------------- */

/* No tool reaches what is closed by its very spelling. */
static enum hv_code judge_spelling(const struct hv_tool *tool, const struct url *url, struct hv_error *err)
{
    const char *kind = guard_closed_kind(url);
    if (!kind)
        return HV_OK;
    hv_fail(err, HV_EDENIED, "%.*s may not be reached: it is %s", HV_STR_ARG(url->host), kind);
    hv_error_hint(err, "Use another address: only the person can open this one, by the rule %s(domain:%.*s).",
                  tool->name, HV_STR_ARG(url->host));
    return HV_EDENIED;
}

/* A proxy looks names up itself: helve looks first, and does not send it where it would not go. What only the proxy can
 * find is left to it. */
static enum hv_code judge_for_proxy(struct hv_arena *arena, struct hv_str host, struct hv_error *err)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    struct hv_str bare = host.len > 2 && host.ptr[0] == '[' ? hv_str_slice(host, 1, host.len - 1) : host;
    bool fine = true;
    if (getaddrinfo(hv_arena_cstr(arena, bare), NULL, &hints, &found) == 0) {
        for (struct addrinfo *at = found; at && fine; at = at->ai_next)
            fine = guard_allows_address(NULL, at->ai_addr);
        freeaddrinfo(found);
    }
    if (fine)
        return HV_OK;
    hv_fail(err, HV_EDENIED, "%.*s is at an address that may not be reached", HV_STR_ARG(host));
    hv_error_hint(err, "Private and local addresses are closed to tools unless a rule allows them.");
    return HV_EDENIED;
}

static struct policy *policy_now(struct runtime *runtime)
{
    LOCK_SCOPE(&runtime->lock);
    return policy_ref(runtime->policy);
}

static bool is_opened(struct runtime *runtime, const struct hv_tool *tool, struct hv_str host)
{
    struct policy *policy = policy_now(runtime);
    bool opened = policy_opens_host(policy, tool, host);
    policy_unref(policy);
    return opened;
}

enum hv_code request_of_tool(struct hv_context *context, const struct hv_http_request *request,
                             struct hv_http_answer *answer, struct hv_error *err)
{
    struct call *call = call_of(context);
    struct url url;
    enum hv_code code = url_parse(context->arena, request->url, &url, err);
    if (code)
        return code;
    struct request sent = {
        .class = request->person_wrote_it                            ? REQUEST_OWN
                 : is_opened(call->runtime, context->tool, url.host) ? REQUEST_OPENED
                                                                     : REQUEST_GUARDED,
        .url = request->person_wrote_it ? request->url : url.text,
        .method = request->method,
        .headers = request->headers,
        .header_count = request->header_count,
        .body = request->body,
        .compressed = true,
        .timeout_ms = request->timeout_ms,
        .max_body = request->max_body,
    };
    if (sent.class == REQUEST_GUARDED) {
        code = judge_spelling(context->tool, &url, err);
        sent.proxy = guard_proxy(context->environment, &url);
    }
    if (!code && sent.proxy.len)
        code = judge_for_proxy(context->arena, url.host, err);
    return code ? code : request_send(call->runtime, &sent, context->cancel, context->arena, answer, err);
}

enum hv_code request_may_be_sent(struct hv_context *context, struct hv_str text, struct hv_error *err)
{
    struct url url;
    const struct hv_tool *tool = context->tool;
    enum hv_code code = url_parse(context->arena, text, &url, err);
    if (code)
        return code;
    struct policy *policy = policy_now(call_of(context)->runtime);
    bool denied = policy_denies_host(policy, tool, url.host, context->arena);
    bool opened = policy_opens_host(policy, tool, url.host);
    policy_unref(policy);
    if (!denied)
        return opened ? HV_OK : judge_spelling(tool, &url, err);
    hv_fail(err, HV_EDENIED, "a rule denies %.*s", HV_STR_ARG(url.host));
    hv_error_hint(err, "Use another address.");
    return HV_EDENIED;
}
