/*
 * sse.c: the event stream reader. See net/sse.h.
 *
 * Lines are found with memchr, each byte being searched once for LF and once for CR. Parts of the open event are
 * views, of the chunk or of the kept line, until the feed ends; then they are copied (keep_event).
 */
#include "net/sse.h"

#include "base/str_inline.h"

void sse_init(struct sse *sse, size_t max)
{
    *sse = (struct sse){.max = max, .event_retry = -1, .retry_ms = -1};
    /* The sizes are checked before appending, so that these limits are never met. */
    hv_buf_init(&sse->line, SIZE_MAX / 2);
    hv_buf_init(&sse->data, SIZE_MAX / 2);
    hv_buf_init(&sse->name, SIZE_MAX / 2);
    hv_buf_init(&sse->id, SIZE_MAX / 2);
    hv_buf_init(&sse->last_id, SIZE_MAX / 2);
}

void sse_release(struct sse *sse)
{
    hv_buf_release(&sse->line);
    hv_buf_release(&sse->data);
    hv_buf_release(&sse->name);
    hv_buf_release(&sse->id);
    hv_buf_release(&sse->last_id);
}

bool sse_is_open(const struct sse *sse)
{
    return sse->open || sse->line.len > 0;
}
struct hv_str sse_last_id(const struct sse *sse)
{
    return hv_buf_str(&sse->last_id);
}
int64_t sse_retry_ms(const struct sse *sse)
{
    return sse->retry_ms;
}

static enum hv_code fail_too_big(const struct sse *sse, const char *what, struct hv_error *err)
{
    hv_fail(err, HV_ETOOBIG, "event stream: %s is longer than %zu bytes", what, sse->max);
    hv_error_hint(err, "the peer sends absurd sizes, or is no event stream at all");
    return HV_ETOOBIG;
}

/* ---- the open event ------------------------------------------------------------------------------------ */

static void copy(struct hv_buf *buf, struct hv_str text)
{
    hv_buf_clear(buf);
    hv_buf_add_str(buf, text);
}

static void own_data(struct sse *sse)
{
    if (sse->has_data && !sse->owns_data)
        copy(&sse->data, sse->data_view);
    sse->owns_data = sse->has_data;
}

/* The chunk goes away: copy what the open event still has there. */
static void keep_event(struct sse *sse)
{
    own_data(sse);
    if (sse->name_view.ptr && sse->name_view.ptr != sse->name.data) {
        copy(&sse->name, sse->name_view);
        sse->name_view = hv_buf_str(&sse->name);
    }
}

static enum hv_code add_data(struct sse *sse, struct hv_str value, struct hv_error *err)
{
    if (!sse->has_data) {
        sse->has_data = true;
        sse->data_view = value;
        return HV_OK;
    }
    own_data(sse);
    if (sse->data.len + 1 + value.len > sse->max)
        return fail_too_big(sse, "the data of one event", err);
    hv_buf_add_byte(&sse->data, '\n');
    hv_buf_add_str(&sse->data, value);
    return HV_OK;
}

static void set_retry(struct sse *sse, struct hv_str value)
{
    int64_t milliseconds;
    for (size_t i = 0; i < value.len; i++)
        if (value.ptr[i] < '0' || value.ptr[i] > '9')
            return;
    if (hv_str_to_int64(value, &milliseconds))
        sse->event_retry = sse->retry_ms = milliseconds;
}

/* A blank line: the event is complete. Without data it only sets the id. */
static enum hv_code end_event(struct sse *sse, sse_callback callback, void *user, struct hv_error *err)
{
    enum hv_code code = HV_OK;
    if (sse->id.len || sse->last_id.len)
        copy(&sse->last_id, hv_buf_str(&sse->id));
    if (sse->has_data) {
        struct sse_event event = {
            .name = sse->name_view.len ? sse->name_view : HV_STR("message"),
            .data = sse->owns_data ? hv_buf_str(&sse->data) : sse->data_view,
            .id = hv_buf_str(&sse->last_id),
            .retry_ms = sse->event_retry,
        };
        code = callback(user, &event, err);
    }
    sse->has_data = sse->owns_data = sse->open = false;
    sse->name_view = (struct hv_str){0};
    sse->event_retry = -1;
    return code;
}

/* ---- lines --------------------------------------------------------------------------------------------- */

static enum hv_code take_field(struct sse *sse, struct hv_str name, struct hv_str value, struct hv_error *err)
{
    sse->open = true;
    if (hv_str_is(name, "data"))
        return add_data(sse, value, err);
    if (hv_str_is(name, "event")) {
        sse->name_view = value;
    } else if (hv_str_is(name, "error")) {
        /* No field of the standard: what servers of models write when they fail (llama.cpp) is an event of that name.
         */
        sse->name_view = name;
        return add_data(sse, value, err);
    } else if (hv_str_is(name, "retry")) {
        set_retry(sse, value);
    } else if (hv_str_is(name, "id") && hv_str_find_byte(value, '\0', 0) == SIZE_MAX) {
        copy(&sse->id, value);
    }
    return HV_OK;
}

/* Take one line without its end. */
static enum hv_code take_line(struct sse *sse, struct hv_str line, sse_callback callback, void *user,
                              struct hv_error *err)
{
    if (line.len > sse->max)
        return fail_too_big(sse, "a line", err);
    if (!sse->started && hv_str_starts(line, HV_STR("\xef\xbb\xbf")))
        line = hv_str_slice(line, 3, line.len);
    sse->started = true;
    if (line.len == 0)
        return end_event(sse, callback, user, err);
    size_t colon = hv_str_find_byte(line, ':', 0);
    if (colon == 0) /* a comment */
        return HV_OK;
    if (colon == SIZE_MAX)
        return take_field(sse, line, HV_STR(""), err);
    size_t from = colon + 1 < line.len && line.ptr[colon + 1] == ' ' ? colon + 2 : colon + 1;
    return take_field(sse, hv_str_slice(line, 0, colon), hv_str_slice(line, from, line.len), err);
}

static const char *find(const char *at, const char *end, char byte)
{
    const char *hit = at < end ? memchr(at, byte, (size_t)(end - at)) : NULL;
    return hit ? hit : end;
}

enum hv_code sse_feed(struct sse *sse, struct hv_str bytes, sse_callback callback, void *user, struct hv_error *err)
{
    const char *at = bytes.ptr, *end = bytes.len ? bytes.ptr + bytes.len : at;
    if (at == end)
        return HV_OK;
    if (sse->after_cr && *at == '\n')
        at++;
    sse->after_cr = false;
    const char *lf = find(at, end, '\n'), *cr = find(at, end, '\r');
    while (at < end) {
        const char *stop = lf < cr ? lf : cr;
        struct hv_str part = hv_str_of(at, (size_t)(stop - at));
        if (stop == end || sse->line.len) {
            if (sse->line.len + part.len > sse->max)
                return fail_too_big(sse, "a line", err);
            if (stop == end) {
                keep_event(sse); /* views of the former line are copied before it changes */
                hv_buf_add_str(&sse->line, part);
                return HV_OK;
            }
            hv_buf_add_str(&sse->line, part);
            part = hv_buf_str(&sse->line);
            sse->line.len = 0; /* its bytes stay in place for the views until the feed ends */
        }
        enum hv_code code = take_line(sse, part, callback, user, err);
        if (code != HV_OK)
            return code;
        at = stop + 1;
        if (stop == cr && at < end && *at == '\n')
            at++;
        else if (stop == cr && at == end)
            sse->after_cr = true;
        lf = lf < at ? find(at, end, '\n') : lf;
        cr = cr < at ? find(at, end, '\r') : cr;
    }
    keep_event(sse);
    return HV_OK;
}
