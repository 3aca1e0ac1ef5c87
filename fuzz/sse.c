/*
 * sse.c: the event stream reader on any bytes. The first byte of the input chooses how the rest is cut into chunks and
 * the maximum; whatever the cut, the events must be those that a plain reader, which sees the whole stream, finds.
 */
#include "net/sse.h"

#include "parts.h"

#include <string.h>

struct found {
    struct hv_buf events;
    size_t count, stop_at; /* the callback fails at this event */
};

static void write_event(struct found *found, struct hv_str name, struct hv_str data, struct hv_str id)
{
    found->count++;
    hv_buf_addf(&found->events, "%zu:%zu:%zu:", name.len, data.len, id.len);
    hv_buf_add_str(&found->events, name);
    hv_buf_add_str(&found->events, data);
    hv_buf_add_str(&found->events, id);
}

static enum hv_code on_event(void *user, const struct sse_event *event, struct hv_error *err)
{
    struct found *found = user;
    FUZZ_CHECK(event->data.ptr && event->retry_ms >= -1);
    write_event(found, event->name, event->data, event->id);
    return found->count == found->stop_at ? hv_fail(err, HV_ECANCELLED, "enough") : HV_OK;
}

/* ---- the plain reader ---------------------------------------------------------------------------------------- */

struct plain {
    struct hv_str name;
    struct hv_buf data, id, last_id;
    bool has_data;
};

static void plain_line(struct plain *plain, struct found *found, struct hv_str line)
{
    if (line.len == 0) {
        hv_buf_clear(&plain->last_id);
        hv_buf_add_str(&plain->last_id, hv_buf_str(&plain->id));
        struct hv_str data = hv_str_slice(hv_buf_str(&plain->data), 0, plain->data.len - (plain->data.len > 0));
        if (plain->has_data)
            write_event(found, plain->name.len ? plain->name : HV_STR("message"), data, hv_buf_str(&plain->last_id));
        hv_buf_clear(&plain->data);
        plain->has_data = false;
        plain->name = HV_STR("");
        return;
    }
    size_t colon = hv_str_find_byte(line, ':', 0);
    struct hv_str field = hv_str_slice(line, 0, colon);
    struct hv_str value = colon == SIZE_MAX ? HV_STR("") : hv_str_slice(line, colon + 1, SIZE_MAX);
    value = hv_str_starts(value, HV_STR(" ")) ? hv_str_slice(value, 1, SIZE_MAX) : value;
    if (hv_str_is(field, "data") || hv_str_is(field, "error")) {
        plain->name = hv_str_is(field, "error") ? field : plain->name;
        hv_buf_add_str(&plain->data, value);
        hv_buf_add_byte(&plain->data, '\n');
        plain->has_data = true;
    } else if (hv_str_is(field, "event")) {
        plain->name = value;
    } else if (hv_str_is(field, "id") && hv_str_find_byte(value, '\0', 0) == SIZE_MAX) {
        hv_buf_clear(&plain->id);
        hv_buf_add_str(&plain->id, value);
    }
}

static void plain_read(struct found *found, struct hv_str stream)
{
    struct plain plain = {.name = HV_STR("")};
    hv_buf_init(&plain.data, SIZE_MAX / 4);
    hv_buf_init(&plain.id, SIZE_MAX / 4);
    hv_buf_init(&plain.last_id, SIZE_MAX / 4);
    if (hv_str_starts(stream, HV_STR("\xef\xbb\xbf")))
        stream = hv_str_slice(stream, 3, SIZE_MAX);
    size_t start = 0;
    for (size_t i = 0; i < stream.len; i++) {
        if (stream.ptr[i] != '\n' && stream.ptr[i] != '\r')
            continue;
        plain_line(&plain, found, hv_str_slice(stream, start, i));
        if (stream.ptr[i] == '\r' && i + 1 < stream.len && stream.ptr[i + 1] == '\n')
            i++;
        start = i + 1;
    }
    hv_buf_release(&plain.data);
    hv_buf_release(&plain.id);
    hv_buf_release(&plain.last_id);
}

/* ---- the reader under test ---------------------------------------------------------------------------------- */

/* Feed in chunks of changing size, each a copy of its own, so that a view kept too long is seen. */
static enum hv_code feed(struct found *found, struct hv_str stream, unsigned how, size_t max)
{
    struct sse sse;
    struct hv_error err;
    enum hv_code code = HV_OK;
    sse_init(&sse, max);
    for (size_t at = 0; at < stream.len && code == HV_OK;) {
        size_t step = how == 0 ? stream.len : 1 + (at * 7 + how) % (how * 3 + 1);
        struct hv_str part = hv_str_slice(stream, at, at + step);
        char *copy = malloc(part.len);
        memcpy(copy, part.ptr, part.len);
        code = sse_feed(&sse, hv_str_of(copy, part.len), on_event, found, &err);
        free(copy);
        at += part.len;
    }
    FUZZ_CHECK(sse.line.len <= max && sse.data.len <= max);
    sse_release(&sse);
    return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct found plain = {0}, found = {0}, small = {0};
    if (size == 0)
        return 0;
    struct hv_str stream = hv_str_of((const char *)data + 1, size - 1);
    hv_buf_init(&plain.events, SIZE_MAX / 4);
    hv_buf_init(&found.events, SIZE_MAX / 4);
    hv_buf_init(&small.events, SIZE_MAX / 4);
    plain_read(&plain, stream);
    enum hv_code code = feed(&found, stream, data[0] & 15, size * 2);
    FUZZ_CHECK(code == HV_OK);
    FUZZ_CHECK(hv_str_eq(hv_buf_str(&plain.events), hv_buf_str(&found.events)));
    small.stop_at = 3;
    code = feed(&small, stream, data[0] & 15, data[0] >> 4); /* only bounds and memory */
    FUZZ_CHECK(code == HV_OK || code == HV_ETOOBIG || code == HV_ECANCELLED);
    (void)code;
    hv_buf_release(&plain.events);
    hv_buf_release(&found.events);
    hv_buf_release(&small.events);
    return 0;
}
