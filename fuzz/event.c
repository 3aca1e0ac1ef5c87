/*
 * event.c: lines of a journal, from any bytes. An event that was read is one line of JSON when written, and reads as
 * the same event.
 */
#include "base/cleanup.h"
#include "parts.h"

#include <helve/event.h>

static void check_same(const struct hv_event *a, const struct hv_event *b)
{
    FUZZ_CHECK(a->type == b->type && a->time_ns == b->time_ns && a->duration_ns == b->duration_ns);
    FUZZ_CHECK(a->wall_ms == b->wall_ms);
    FUZZ_CHECK(hv_str_eq(a->call_id, b->call_id) && hv_str_eq(a->tool, b->tool) && hv_str_eq(a->name, b->name));
    FUZZ_CHECK(hv_str_eq(a->text, b->text) && a->json.len == b->json.len && a->data.len == b->data.len);
    bool has_ok = a->type == HV_EVENT_RESULT || a->type == HV_EVENT_HOOK;
    FUZZ_CHECK(!has_ok || a->ok == b->ok);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf line = {.max = 64 << 20};
    struct hv_event event = {0}, again = {0};
    struct hv_error err = {0};
    enum hv_code code = hv_event_read(&arena, fuzz_copy(&arena, hv_str_of((const char *)data, size)), &event, &err);
    FUZZ_CHECK(code == HV_OK || err.message[0]);
    if (code)
        return 0;
    hv_event_write(&line, &event);
    FUZZ_CHECK(!line.failed && hv_str_find_byte(hv_buf_str(&line), '\n', 0) == line.len - 1);
    FUZZ_CHECK(hv_event_read(&arena, hv_str_slice(hv_buf_str(&line), 0, line.len - 1), &again, &err) == HV_OK);
    check_same(&event, &again);
    return 0;
}
