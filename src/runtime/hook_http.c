/*
 * hook_http.c: hooks that are an HTTP POST. The client lives on the loop, hooks run on workers: a worker posts its
 * request to the loop and waits. It stops waiting when its call or the session is cancelled, whatever the loop does
 * then (it may be waiting for this very worker); what is left of the request belongs to the loop alone.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "net/http.h"
#include "runtime/call.h"

enum { ANSWER_MAX = 1 << 20, POLL_MS = 20 };

/* Shared by the worker and the loop; the last of them frees it. */
struct post {
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t over;
    unsigned references;
    bool abandoned, done;
    enum hv_code code;
    struct hv_error err;
    int status;
    struct hv_buf answer;

    struct runtime *runtime;    /* valid unless abandoned */
    struct http_transfer *sent; /* loop thread */
    struct hv_arena arena;      /* of what is sent */
    struct hv_str url, body;
    const struct hv_str *headers;
    size_t header_count;
    uint64_t timeout_ms;
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
    hv_buf_release(&post->answer);
    hv_arena_release(&post->arena);
    free(post);
}

/* ---- loop thread ------------------------------------------------------------------------------------------------ */

static void on_status(void *user, int status, const struct http_headers *headers)
{
    struct post *post = user;
    (void)headers;
    post->status = status;
}

static void on_body(void *user, struct hv_str bytes)
{
    struct post *post = user;
    LOCK_SCOPE(&post->lock);
    hv_buf_add_str(&post->answer, bytes);
}

static void finish(struct post *post, enum hv_code code, const struct hv_error *err)
{
    pthread_mutex_lock(&post->lock);
    post->code = code;
    if (err && code != HV_OK)
        post->err = *err;
    if (code == HV_OK && (post->status < 200 || post->status > 299))
        post->code = hv_fail(&post->err, HV_EPROTO, "was answered with HTTP status %d", post->status);
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
    const struct http_client_options options = {.use_proxy = true};
    if (!runtime->http && http_client_new(runtime->loop, &options, &runtime->http, err) != HV_OK)
        return err->code;
    const struct http_request request = {
        .url = post->url,
        .headers = post->headers,
        .header_count = post->header_count,
        .body = &post->body,
        .body_count = 1,
        .total_timeout_ms = post->timeout_ms,
        .max_body = ANSWER_MAX,
    };
    const struct http_handlers handlers = {on_status, on_body, on_end, post};
    return http_send(runtime->http, &request, &handlers, &post->sent, err);
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

static struct post *post_new(struct runtime *runtime, const struct settings_hook *hook, struct hv_str body)
{
    struct post *post = hv_calloc(1, sizeof *post);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&post->lock, NULL);
    pthread_cond_init(&post->over, &attributes);
    pthread_condattr_destroy(&attributes);
    hv_buf_init(&post->answer, ANSWER_MAX);
    post->runtime = runtime;
    post->references = 2;
    post->url = hv_arena_str(&post->arena, hook->url);
    post->body = hv_arena_str(&post->arena, body);
    struct hv_str *headers = hv_arena_array(&post->arena, struct hv_str, hook->header_count + 1);
    headers[0] = HV_STR("Content-Type: application/json");
    for (size_t i = 0; i < hook->header_count; i++)
        headers[1 + i] = hv_arena_str(&post->arena, hook->headers[i]);
    post->headers = headers;
    post->header_count = hook->header_count + 1;
    post->timeout_ms = hook->timeout_ns / CLOCK_MILLISECOND;
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

enum hv_code hook_post(struct runtime *runtime, const struct settings_hook *hook, struct hv_str body,
                       const struct hv_cancel *cancel, struct hv_buf *answer, struct hv_error *err)
{
    if (loop_is_current(runtime->loop))
        return hv_fail(err, HV_EAGAIN, "could not be sent: the system allows no further thread");
    struct post *post = post_new(runtime, hook, body);
    loop_post(runtime->loop, start, post);
    pthread_mutex_lock(&post->lock);
    enum hv_code code = HV_ECANCELLED;
    bool answered = wait_for_answer(post, cancel);
    if (answered) {
        hv_buf_add_str(answer, hv_buf_str(&post->answer));
        code = post->code;
        *err = post->err;
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
