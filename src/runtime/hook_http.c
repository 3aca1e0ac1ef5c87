/* hook_http.c: hooks that are an HTTP POST (request.h). */
#include "base/cleanup.h"
#include "base/clock.h"
#include "runtime/request.h"

enum { ANSWER_MAX = 1 << 20 };

enum hv_code hook_post(struct runtime *runtime, const struct settings_hook *hook, struct hv_str body,
                       const struct hv_cancel *cancel, struct hv_buf *answer, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_http_answer got = {0};
    struct hv_str *headers = hv_arena_array(&arena, struct hv_str, hook->header_count + 1);
    headers[0] = HV_STR("Content-Type: application/json");
    for (size_t i = 0; i < hook->header_count; i++)
        headers[1 + i] = hook->headers[i];
    const struct request request = {
        .class = REQUEST_OWN,
        .url = hook->url,
        .headers = headers,
        .header_count = hook->header_count + 1,
        .body = body,
        .timeout_ms = hook->timeout_ns / CLOCK_MILLISECOND,
        .max_body = ANSWER_MAX,
    };
    enum hv_code code = request_send(runtime, &request, cancel, &arena, &got, err);
    hv_buf_add_str(answer, got.body);
    if (code == HV_OK && (got.status < 200 || got.status > 299))
        code = hv_fail(err, HV_EPROTO, "was answered with HTTP status %d", got.status);
    return code;
}
