/*
 * sse.h: the one reader of event streams (text/event-stream, as the HTML standard defines it): models and MCP servers
 * speak through it. Bytes are pushed in as they arrive, cut anywhere; whole events come out through a callback.
 *
 * An event whose bytes lie in one chunk is not copied. Memory is bounded by the maximum given at birth. Bytes are
 * passed on as they are: a reader of JSON decides what to do about invalid UTF-8.
 * One thread at a time; nothing blocks; not re-entrant (a callback must not feed its own reader).
 */
#ifndef NET_SSE_H
#define NET_SSE_H

#include <helve/str.h>

/* One event. The views are valid during the callback only. */
struct sse_event {
    struct hv_str name; /* the event field, or "message" */
    struct hv_str data; /* the data lines joined by \n; may be empty, never absent */
    struct hv_str id;   /* the stream's last id as of this event; empty when none was ever set */
    int64_t retry_ms;   /* the reconnection time that this event brought, or -1 */
};

/* Called for each event, in order. Any code but HV_OK ends the feeding and is handed on, with err, to its caller. */
typedef enum hv_code (*sse_callback)(void *user, const struct sse_event *event, struct hv_error *err);

/* Inner state; use the functions. */
struct sse {
    size_t max;
    struct hv_buf line;       /* a line whose end did not arrive yet */
    struct hv_buf data, name; /* copies of the open event's parts, made when its chunk ends */
    struct hv_str data_view, name_view;
    struct hv_buf id, last_id;     /* of the open event; of the stream */
    int64_t event_retry, retry_ms; /* of the open event; of the stream; -1: none */
    bool has_data, owns_data, started, after_cr, open;
};

/* max bounds a line and the joined data of one event, in bytes (at most SIZE_MAX / 4). Allocates nothing. */
void sse_init(struct sse *sse, size_t max);
void sse_release(struct sse *sse);

/*
 * Read the next bytes of the stream. HV_ETOOBIG when a line or an event passes the maximum; else what the callback
 * returned. After an error the reader may only be released. The end of the stream needs no call: an event that was
 * not ended by a blank line is dropped, as the standard asks.
 */
enum hv_code sse_feed(struct sse *sse, struct hv_str bytes, sse_callback callback, void *user,
                      struct hv_error *err) HV_MUST_CHECK;

/* True when the bytes so far end within an event: a stream that ends now was cut. */
bool sse_is_open(const struct sse *sse);
/* The last id (for Last-Event-ID), empty when there is none; valid until the next feed. */
struct hv_str sse_last_id(const struct sse *sse);
/* The last reconnection time in milliseconds, or -1. */
int64_t sse_retry_ms(const struct sse *sse);

#endif
