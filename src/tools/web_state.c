/* web_state.c: see web_state.h. */
#include "tools/web_state.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/vec.h"
#include "net/http.h"

enum { ENTRIES_MAX = 64, BYTES_MAX = 32 << 20, BURST = 20, REFILL_MS = 2000, HOSTS_MAX = 256, WAIT_MS = 50 };

struct entry {
    char *key, *headers, *body;
    size_t key_len, headers_len, body_len;
    uint64_t kept_ns;
};

/* How many requests a host may get at once, and since when. */
struct host {
    char *name;
    double tokens;
    uint64_t at_ns;
};

struct web_state {
    pthread_mutex_t lock;
    VEC(struct entry) entries; /* oldest first */
    VEC(struct host) hosts;
    size_t bytes;
};

static uint64_t web_now(const struct hv_context *context)
{
    return context->host->monotonic_ns(context->host);
}

static void state_init(void *state)
{
    pthread_mutex_init(&((struct web_state *)state)->lock, NULL);
}

static void drop(struct web_state *state, size_t index)
{
    struct entry *entry = &state->entries.items[index];
    state->bytes -= entry->key_len + entry->headers_len + entry->body_len;
    free(entry->key);
    free(entry->headers);
    free(entry->body);
    memmove(entry, entry + 1, (--state->entries.count - index) * sizeof *entry);
}

static void state_release(void *data)
{
    struct web_state *state = data;
    while (state->entries.count)
        drop(state, state->entries.count - 1);
    for (size_t i = 0; i < state->hosts.count; i++)
        free(state->hosts.items[i].name);
    vec_release(&state->entries);
    vec_release(&state->hosts);
    pthread_mutex_destroy(&state->lock);
}

static const struct hv_state_key state_key = {
    .name = "web", .size = sizeof(struct web_state), .init = state_init, .release = state_release};

static size_t find(const struct web_state *state, struct hv_str key)
{
    for (size_t i = 0; i < state->entries.count; i++)
        if (hv_str_eq(hv_str_of(state->entries.items[i].key, state->entries.items[i].key_len), key))
            return i;
    return SIZE_MAX;
}

bool web_cache_find(struct hv_context *context, struct hv_str key, struct hv_arena *arena, struct web_kept *out)
{
    struct web_state *state = hv_state(context, &state_key);
    LOCK_SCOPE(&state->lock);
    size_t at = find(state, key);
    if (at == SIZE_MAX)
        return false;
    const struct entry *entry = &state->entries.items[at];
    out->headers = hv_arena_str(arena, hv_str_of(entry->headers, entry->headers_len));
    out->body = hv_arena_str(arena, hv_str_of(entry->body, entry->body_len));
    out->fresh = web_now(context) - entry->kept_ns < WEB_CACHE_SECONDS * CLOCK_SECOND;
    return true;
}

static char *copy(struct hv_str text)
{
    char *bytes = hv_malloc(text.len + 1);
    if (text.len)
        memcpy(bytes, text.ptr, text.len);
    bytes[text.len] = '\0';
    return bytes;
}

void web_cache_keep(struct hv_context *context, struct hv_str key, struct hv_str headers, struct hv_str body)
{
    size_t size = key.len + headers.len + body.len;
    if (context->only_call || size > BYTES_MAX / 2)
        return;
    struct web_state *state = hv_state(context, &state_key);
    LOCK_SCOPE(&state->lock);
    size_t old = find(state, key);
    if (old != SIZE_MAX)
        drop(state, old);
    while (state->entries.count && (state->entries.count >= ENTRIES_MAX || state->bytes + size > BYTES_MAX))
        drop(state, 0);
    *vec_push(&state->entries) =
        (struct entry){copy(key), copy(headers), copy(body), key.len, headers.len, body.len, web_now(context)};
    state->bytes += size;
}

/* ---- turns ------------------------------------------------------------------------------------------------------- */

static struct host *find_host(struct web_state *state, struct hv_str name, uint64_t now)
{
    for (size_t i = 0; i < state->hosts.count; i++)
        if (hv_str_is(name, state->hosts.items[i].name))
            return &state->hosts.items[i];
    if (state->hosts.count == HOSTS_MAX) {
        free(state->hosts.items[0].name);
        state->hosts.items[0] = state->hosts.items[--state->hosts.count];
    }
    struct host *host = vec_push(&state->hosts);
    *host = (struct host){copy(name), BURST, now};
    return host;
}

/* Take a turn: 0, or for how many milliseconds there is none. */
static uint64_t take_turn(struct web_state *state, struct hv_str name, uint64_t at)
{
    LOCK_SCOPE(&state->lock);
    struct host *host = find_host(state, name, at);
    uint64_t passed = at > host->at_ns ? at - host->at_ns : 0; /* another call may have read the clock later */
    host->tokens += (double)passed / (REFILL_MS * (double)CLOCK_MILLISECOND);
    host->tokens = host->tokens > BURST ? BURST : host->tokens;
    host->at_ns += passed;
    if (host->tokens < 1)
        return (uint64_t)((1 - host->tokens) * REFILL_MS) + 1;
    host->tokens -= 1;
    return 0;
}

enum hv_code web_wait_turn(struct hv_context *context, struct hv_str host, uint64_t deadline_ns, struct hv_error *err)
{
    uint64_t wait_ms;
    if (context->only_call)
        return HV_OK;
    struct web_state *state = hv_state(context, &state_key);
    while ((wait_ms = take_turn(state, host, web_now(context)))) {
        if (hv_cancelled(context->cancel))
            return hv_fail(err, HV_ECANCELLED, "was cancelled");
        if (web_now(context) + wait_ms * CLOCK_MILLISECOND > deadline_ns) {
            hv_fail(err, HV_EAGAIN, "%.*s was asked too often of late", HV_STR_ARG(host));
            hv_error_hint(err, "Ask again in a minute, or for fewer pages.");
            return HV_EAGAIN;
        }
        hv_progress(context, "waiting: %.*s was asked often", HV_STR_ARG(host));
        uint64_t nap = wait_ms < WAIT_MS ? wait_ms : WAIT_MS;
        nanosleep(&(struct timespec){.tv_nsec = (long)(nap * CLOCK_MILLISECOND)}, NULL);
    }
    return HV_OK;
}

struct hv_str web_header(struct hv_str headers, const char *name)
{
    return http_header_in(headers, name);
}
