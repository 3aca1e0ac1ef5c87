/*
 * http.c: the loop's side of the HTTP client: sockets and timers of libuv, the life of a transfer. See http.h.
 *
 * A transfer is queued, running, or ended. What ends it (the engine, a timeout, a cancel) only decides how; telling the
 * caller (deliver) happens at the bottom of a turn of the loop, so that on_end never comes from inside the caller's own
 * calls. While the engine acts it must not be called: what handlers start or cancel then waits until it returns.
 */
#include "net/http.h"

#include "loop/loop.h"
#include "module/module.h"
#include "net/engine.h"

#include <uv.h>

#define PACKAGE "libcurl4"

enum { CONNECT_TIMEOUT_MS = 30 * 1000 };

enum transfer_state { TRANSFER_QUEUED, TRANSFER_RUNNING, TRANSFER_ENDED };

struct http_transfer {
    struct http_client *client;
    struct net_transfer *net;
    struct http_handlers handlers;
    enum transfer_state state;
    uv_timer_t timer;                   /* fires at the earlier of the idle and the total limit */
    uint64_t active_at, started_at;     /* loop time, milliseconds */
    uint64_t idle_ms, total_ms;         /* 0: none */
    struct hv_error err;                /* once ended */
    struct http_transfer *next, **link; /* in the client's list */
};

struct http_client {
    const struct net_functions *functions;
    struct net_engine *engine;
    uv_loop_t *uv;
    uv_timer_t engine_timer; /* the engine's wish */
    uv_timer_t turn;         /* work is left for the next turn */
    int open_timers;
    bool acting, closing;
    struct http_transfer *transfers; /* newest first */
};

struct watcher {
    uv_poll_t poll;
    struct http_client *client;
    int fd;
};

struct http_headers {
    struct hv_str lines;
};

/* ---- the module ---------------------------------------------------------------------------------------------- */

static enum hv_code load(const struct net_functions **functions, struct hv_error *err)
{
    const void *table;
    enum hv_code code = module_load("net", PACKAGE, &table, err);
    if (code != HV_OK)
        return code;
    *functions = table;
    return (*functions)->init(err);
}

enum hv_code http_preload(struct hv_error *err)
{
    const struct net_functions *functions;
    return load(&functions, err);
}

/* ---- ends ---------------------------------------------------------------------------------------------------- */

static void on_turn(uv_timer_t *timer);

static void wish_turn(struct http_client *client)
{
    uv_timer_start(&client->turn, on_turn, 0, 0);
}

/* Decide how a transfer ends; the caller is told later. Only the first reason counts. */
static void end(struct http_transfer *transfer, const struct hv_error *err)
{
    if (transfer->state == TRANSFER_ENDED)
        return;
    transfer->state = TRANSFER_ENDED;
    if (err)
        transfer->err = *err;
    uv_timer_stop(&transfer->timer);
    if (!transfer->client->acting)
        wish_turn(transfer->client);
}

static void on_transfer_closed(uv_handle_t *handle)
{
    free(handle->data);
}

static void tell(struct http_transfer *transfer)
{
    transfer->client->functions->transfer_free(transfer->net);
    transfer->net = NULL;
    *transfer->link = transfer->next;
    if (transfer->next)
        transfer->next->link = transfer->link;
    transfer->handlers.on_end(transfer->handlers.user, transfer->err.code, transfer->err.code ? &transfer->err : NULL);
    uv_close((uv_handle_t *)&transfer->timer, on_transfer_closed);
}

static struct http_transfer *find_state(struct http_client *client, enum transfer_state state)
{
    struct http_transfer *oldest = NULL;
    for (struct http_transfer *transfer = client->transfers; transfer; transfer = transfer->next)
        if (transfer->state == state)
            oldest = transfer;
    return oldest;
}

static void start(struct http_transfer *transfer)
{
    struct hv_error err;
    transfer->state = TRANSFER_RUNNING;
    if (transfer->client->functions->transfer_start(transfer->net, &err) != HV_OK)
        end(transfer, &err);
}

/* Do what handlers asked for while the engine acted, and tell the ends. */
static void deliver(struct http_client *client)
{
    struct http_transfer *transfer;
    while ((transfer = find_state(client, TRANSFER_QUEUED)))
        start(transfer);
    while ((transfer = find_state(client, TRANSFER_ENDED)))
        tell(transfer);
}

static void on_turn(uv_timer_t *timer)
{
    deliver(timer->data);
}

/* ---- the engine's host --------------------------------------------------------------------------------------- */

static void act(struct http_client *client, int fd, int events)
{
    client->acting = true;
    client->functions->act(client->engine, fd, events);
    client->acting = false;
    deliver(client);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct watcher *watcher = poll->data;
    int seen = status < 0 ? NET_ERROR : 0;
    if (events & UV_READABLE)
        seen |= NET_READ;
    if (events & UV_WRITABLE)
        seen |= NET_WRITE;
    act(watcher->client, watcher->fd, seen);
}

static void on_watcher_closed(uv_handle_t *handle)
{
    free(handle->data);
}

static struct watcher *watcher_new(struct http_client *client, int fd)
{
    struct watcher *watcher = hv_calloc(1, sizeof *watcher);
    if (uv_poll_init(client->uv, &watcher->poll, fd)) {
        free(watcher);
        return NULL;
    }
    watcher->poll.data = watcher;
    watcher->client = client;
    watcher->fd = fd;
    return watcher;
}

static void *watch(void *user, void *old, int fd, int events)
{
    struct watcher *watcher = old;
    if (events == 0) {
        if (watcher)
            uv_close((uv_handle_t *)&watcher->poll, on_watcher_closed);
        return NULL;
    }
    if (!watcher && !(watcher = watcher_new(user, fd)))
        return NULL;
    int wanted = (events & NET_READ ? UV_READABLE : 0) | (events & NET_WRITE ? UV_WRITABLE : 0);
    uv_poll_start(&watcher->poll, wanted, on_poll);
    return watcher;
}

static void on_engine_timer(uv_timer_t *timer)
{
    act(timer->data, -1, 0);
}

static void set_timer(void *user, int64_t milliseconds)
{
    struct http_client *client = user;
    if (milliseconds < 0)
        uv_timer_stop(&client->engine_timer);
    else
        uv_timer_start(&client->engine_timer, on_engine_timer, (uint64_t)milliseconds, 0);
}

/* ---- reports ------------------------------------------------------------------------------------------------- */

static void on_activity(void *user)
{
    struct http_transfer *transfer = user;
    transfer->active_at = uv_now(transfer->client->uv);
}

static bool on_status(void *user, int status, struct hv_str lines)
{
    struct http_transfer *transfer = user;
    struct http_headers headers = {lines};
    if (transfer->state == TRANSFER_RUNNING && transfer->handlers.on_status)
        transfer->handlers.on_status(transfer->handlers.user, status, &headers);
    return transfer->state == TRANSFER_RUNNING;
}

static bool on_body(void *user, struct hv_str bytes)
{
    struct http_transfer *transfer = user;
    if (transfer->state == TRANSFER_RUNNING && transfer->handlers.on_body)
        transfer->handlers.on_body(transfer->handlers.user, bytes);
    return transfer->state == TRANSFER_RUNNING;
}

static void on_done(void *user, enum hv_code code, const struct hv_error *err)
{
    end(user, code ? err : NULL);
}

/* ---- time limits --------------------------------------------------------------------------------------------- */

static void set_limit(struct http_transfer *transfer);

static void on_limit(uv_timer_t *timer)
{
    struct http_transfer *transfer = timer->data;
    uint64_t now = uv_now(transfer->client->uv);
    struct hv_error err;
    if (transfer->total_ms && now - transfer->started_at >= transfer->total_ms) {
        hv_fail(&err, HV_ETIMEOUT, "the answer did not end within %g s", (double)transfer->total_ms / 1000);
        hv_error_hint(&err, "The server is slow, or hangs: try again later, or ask it for less.");
        end(transfer, &err);
    } else if (transfer->idle_ms && now - transfer->active_at >= transfer->idle_ms) {
        hv_fail(&err, HV_ETIMEOUT, "the server sent nothing for %g s", (double)transfer->idle_ms / 1000);
        end(transfer, &err);
    } else {
        set_limit(transfer);
    }
}

/* The idle limit moves with every byte; the timer is set again only when it fires too early. */
static void set_limit(struct http_transfer *transfer)
{
    uint64_t at = UINT64_MAX;
    if (transfer->idle_ms)
        at = transfer->active_at + transfer->idle_ms;
    if (transfer->total_ms && transfer->started_at + transfer->total_ms < at)
        at = transfer->started_at + transfer->total_ms;
    if (at != UINT64_MAX)
        uv_timer_start(&transfer->timer, on_limit, at - uv_now(transfer->client->uv), 0);
}

/* ---- requests ------------------------------------------------------------------------------------------------ */

static bool is_token(struct hv_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c <= ' ' || c >= 0x7f || strchr("()<>@,;:\\\"/[]?={}", c))
            return false;
    }
    return text.len > 0;
}

static bool is_header(struct hv_str line)
{
    for (size_t i = 0; i < line.len; i++)
        if (line.ptr[i] == '\r' || line.ptr[i] == '\n' || line.ptr[i] == '\0')
            return false;
    size_t colon = hv_str_find_byte(line, ':', 0);
    return colon != SIZE_MAX && is_token(hv_str_slice(line, 0, colon));
}

/* Messages name no value: a key may sit in it. */
static enum hv_code check(const struct http_request *request, struct hv_error *err)
{
    size_t bytes = 0;
    if (request->url.len > HTTP_URL_MAX || request->url.len == 0 ||
        hv_str_find_byte(request->url, '\0', 0) != SIZE_MAX) {
        if (request->url.len > HTTP_URL_MAX)
            hv_fail(err, HV_ETOOBIG, "the address is longer than %d bytes", HTTP_URL_MAX);
        else
            hv_fail(err, HV_EINVAL, "the address is empty or holds a NUL byte");
        hv_error_hint(err, "An address looks like https://host/path.");
        return err->code;
    }
    if (request->method.ptr && (!is_token(request->method) || request->method.len > 32))
        return hv_fail(err, HV_EINVAL, "the HTTP method is not a word");
    for (size_t i = 0; i < request->header_count; i++) {
        bytes += request->headers[i].len;
        if (!is_header(request->headers[i])) {
            hv_fail(err, HV_EINVAL, "request header %zu is not of the form \"Name: value\" in one line", i + 1);
            hv_error_hint(err, "Look for a line break in a key or a header of the settings.");
            return HV_EINVAL;
        }
    }
    if (bytes <= HTTP_REQUEST_HEADERS_MAX)
        return HV_OK;
    hv_fail(err, HV_ETOOBIG, "the request headers are longer than %d bytes", HTTP_REQUEST_HEADERS_MAX);
    hv_error_hint(err, "Leave headers out of the settings, or shorten them.");
    return HV_ETOOBIG;
}

static struct http_transfer *transfer_new(struct http_client *client, const struct http_request *request,
                                          const struct http_handlers *handlers)
{
    struct http_transfer *transfer = hv_calloc(1, sizeof *transfer);
    uv_update_time(client->uv); /* the limits count from now, not from the start of this turn */
    transfer->client = client;
    transfer->handlers = *handlers;
    transfer->idle_ms = request->idle_timeout_ms;
    transfer->total_ms = request->total_timeout_ms;
    transfer->active_at = transfer->started_at = uv_now(client->uv);
    return transfer;
}

static void add(struct http_client *client, struct http_transfer *transfer)
{
    uv_timer_init(client->uv, &transfer->timer);
    transfer->timer.data = transfer;
    transfer->next = client->transfers;
    transfer->link = &client->transfers;
    if (transfer->next)
        transfer->next->link = &transfer->next;
    client->transfers = transfer;
    set_limit(transfer);
}

enum hv_code http_send(struct http_client *client, const struct http_request *request,
                       const struct http_handlers *handlers, struct http_transfer **out, struct hv_error *err)
{
    if (client->closing)
        return hv_fail(err, HV_ECANCELLED, "the HTTP client is being closed");
    enum hv_code code = check(request, err);
    if (code != HV_OK)
        return code;
    struct http_request checked = *request;
    checked.connect_timeout_ms = request->connect_timeout_ms ? request->connect_timeout_ms : CONNECT_TIMEOUT_MS;
    struct http_transfer *transfer = transfer_new(client, request, handlers);
    struct net_reports reports = {transfer, on_activity, on_status, on_body, on_done};
    code = client->functions->transfer_new(client->engine, &checked, &reports, &transfer->net, err);
    if (code != HV_OK) {
        free(transfer);
        return code;
    }
    add(client, transfer);
    if (!client->acting)
        start(transfer);
    *out = transfer;
    return HV_OK;
}

void http_cancel(struct http_transfer *transfer)
{
    struct hv_error err;
    hv_fail(&err, HV_ECANCELLED, "the request was cancelled");
    end(transfer, &err);
}

/* ---- headers ------------------------------------------------------------------------------------------------- */

/* The value when the line is a header of that name, else absent. */
static struct hv_str value_of(struct hv_str line, struct hv_str name)
{
    size_t colon = hv_str_find_byte(line, ':', 0);
    if (colon == SIZE_MAX || !hv_str_eq_nocase(hv_str_slice(line, 0, colon), name))
        return (struct hv_str){0};
    return hv_str_trim(hv_str_slice(line, colon + 1, SIZE_MAX));
}

struct hv_str http_header_in(struct hv_str lines, const char *name)
{
    struct hv_str rest = lines, line, found = {0};
    while (hv_str_split(&rest, '\n', &line)) {
        struct hv_str value = value_of(line, hv_str_from(name));
        if (value.ptr)
            found = value;
    }
    return found;
}

struct hv_str http_header(const struct http_headers *headers, const char *name)
{
    return http_header_in(headers->lines, name);
}

struct hv_str http_header_lines(const struct http_headers *headers)
{
    return headers->lines;
}

/* ---- clients ------------------------------------------------------------------------------------------------- */

enum hv_code http_client_new(struct loop *loop, const struct http_client_options *options, struct http_client **out,
                             struct hv_error *err)
{
    const struct http_client_options none = {0};
    const struct net_functions *functions;
    enum hv_code code = load(&functions, err);
    if (code != HV_OK)
        return code;
    struct http_client *client = hv_calloc(1, sizeof *client);
    client->uv = loop_uv(loop);
    struct net_host host = {client, watch, set_timer};
    code = functions->engine_new(&host, options ? options : &none, &client->engine, err);
    if (code != HV_OK) {
        free(client);
        return code;
    }
    client->functions = functions;
    uv_timer_init(client->uv, &client->engine_timer);
    uv_timer_init(client->uv, &client->turn);
    client->engine_timer.data = client->turn.data = client;
    client->open_timers = 2;
    *out = client;
    return HV_OK;
}

static void on_client_timer_closed(uv_handle_t *handle)
{
    struct http_client *client = handle->data;
    if (--client->open_timers == 0)
        free(client);
}

void http_client_free(struct http_client *client)
{
    if (!client)
        return;
    client->closing = true;
    for (struct http_transfer *transfer = client->transfers; transfer; transfer = transfer->next)
        http_cancel(transfer);
    deliver(client);
    client->functions->engine_free(client->engine);
    uv_close((uv_handle_t *)&client->engine_timer, on_client_timer_closed);
    uv_close((uv_handle_t *)&client->turn, on_client_timer_closed);
}
