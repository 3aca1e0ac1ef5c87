/* sleep.c: Sleep: do nothing for a while, or until there is something to tell the model. */
#include "base/clock.h"
#include "tools/task_text.h"

enum { DURATION_MAX_MS = 3600000 };

struct sleep_input {
    int64_t duration_ms;
};

static const char *const duration_aliases[] = {"duration", "ms", NULL};

static const struct hv_field sleep_fields[] = {{.name = "duration_ms",
                                                .description = "Milliseconds; at most 3600000",
                                                .type = HV_FIELD_INTEGER,
                                                .flags = HV_REQUIRED,
                                                .offset = offsetof(struct sleep_input, duration_ms),
                                                .aliases = duration_aliases,
                                                .minimum = 1,
                                                .maximum = DURATION_MAX_MS},
                                               {0}};

static enum hv_code sleep_call(const void *input, struct hv_context *context, void **data, struct hv_result *result,
                               struct hv_error *err)
{
    (void)data;
    const struct sleep_input *in = input;
    const struct hv_tasks *tasks = task_text_service(context, err);
    if (!tasks)
        return HV_EUNSUPPORTED;
    uint64_t started = clock_monotonic_ns();
    bool woken = tasks->wait_for_note(context, (uint64_t)in->duration_ms * CLOCK_MILLISECOND);
    unsigned long long slept = (clock_monotonic_ns() - started) / CLOCK_MILLISECOND;
    if (hv_cancelled(context->cancel))
        return hv_fail(err, HV_ECANCELLED, "woken after %llu ms: the turn was interrupted", slept);
    hv_result_addf(result, context->arena, woken ? "Woken after %llu ms: there is news of a task." : "Slept %llu ms.",
                   slept);
    result->summary = woken ? HV_STR("woken") : HV_STR("slept");
    return HV_OK;
}

static void sleep_footprint(const void *input, const struct hv_context *context, struct hv_footprint *out)
{
    (void)input, (void)context;
    out->limited = true;
}

static bool always(const void *input, const struct hv_context *context)
{
    (void)input, (void)context;
    return true;
}

static enum hv_verdict sleep_check(const void *input, const struct hv_context *context, struct hv_str *reason)
{
    (void)input, (void)context;
    *reason = HV_STR("it only waits");
    return HV_ALLOW;
}

static void sleep_render(const void *input, const struct hv_context *context, struct hv_buf *out)
{
    (void)context;
    hv_buf_addf(out, "%lld ms", (long long)((const struct sleep_input *)input)->duration_ms);
}

static const char *const sleep_aliases[] = {"sleep", NULL};

const struct hv_tool tool_sleep = {
    .name = "Sleep",
    .aliases = sleep_aliases,
    .title = "Wait",
    .search_hint = "wait a while, or until a background task has news",
    .description =
        "Waits for the given time. Ends early as soon as a background task ends or a monitor has something to "
        "tell. Better than the shell's sleep, which nothing wakes.",
    .deferred = true,
    .fields = sleep_fields,
    .input_size = sizeof(struct sleep_input),
    .time_limit_ms = UINT64_MAX,
    .footprint = sleep_footprint,
    .read_only = always,
    .concurrency_safe = always,
    .check_permission = sleep_check,
    .call = sleep_call,
    .render_use = sleep_render,
};
