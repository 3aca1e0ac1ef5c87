/* execute.c: the stage that runs the tool, within its time. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "runtime/checkpoint.h"
#include "sandbox/sandbox.h"

#include <string.h>

enum { TIME_LIMIT_DEFAULT_MS = 120000 };

static uint64_t time_limit_ms(const struct call *call)
{
    const struct hv_tool *tool = call->tool;
    uint64_t limit = tool->time_limit ? tool->time_limit(call->input) : tool->time_limit_ms;
    return limit ? limit : TIME_LIMIT_DEFAULT_MS;
}

static void set_deadline(struct call *call)
{
    uint64_t limit = time_limit_ms(call);
    uint64_t deadline = limit == UINT64_MAX ? 0 : clock_monotonic_ns() + limit * CLOCK_MILLISECOND;
    call->context.deadline_ns = deadline;
    atomic_store(&call->deadline_ns, deadline);
}

/* From here on a person can send it to the background. */
static void watch_background(struct call *call)
{
    if (!call->tool->goes_to_background || !call->context.services->tasks)
        return;
    LOCK_SCOPE(&call->batch->lock);
    call->background = hv_cancel_new();
    call->context.background = call->background;
}

static bool was_timed_out(struct call *call)
{
    LOCK_SCOPE(&call->batch->lock);
    return call->timed_out;
}

/* A fault of the call as a result: what happened and what to do next. It may quote what came from outside. */
static void fault_result(struct call *call, enum hv_code code, struct hv_error *err)
{
    call->result = (struct hv_result){.untrusted = call->result.untrusted};
    if (code == HV_ECANCELLED && was_timed_out(call) && !call_is_cancelled(call)) {
        hv_fail(err, HV_ETIMEOUT, "%s did not end within %llu s and was stopped", call->tool->name,
                (unsigned long long)(time_limit_ms(call) / 1000));
        hv_error_hint(err, "Ask for less in one call, or raise its time limit where it has one");
    } else if (code == HV_ECANCELLED && call_is_cancelled(call)) {
        hv_fail(err, code, "Cancelled while it ran: %s", call->batch->cancel_reason);
    } else if (!err->message[0]) {
        hv_fail(err, code, "%s failed (%s)", call->tool->name, hv_code_name(code));
    }
    hv_result_error(&call->result, &call->arena, err);
}

/* What a tool writes by itself, no command has made. */
static void tell_sandbox(const struct call *call)
{
    for (size_t i = 0; !call->tool->contained && i < call->footprint.writes.count; i++)
        sandbox_note_written(call->runtime->sandbox, call->writes[i].resolved);
}

enum stage_outcome stage_execute(struct call *call)
{
    struct hv_error err = {0};
    set_deadline(call);
    watch_background(call);
    pool_note_use(call->runtime, call->tool);
    uint64_t started = clock_monotonic_ns();
    call->executed = true;
    tell_sandbox(call);
    checkpoint_before(call);
    enum hv_code code = call->tool->call(call->input, &call->context, &call->data, &call->result, &err);
    checkpoint_after(call);
    call->duration_ns = clock_monotonic_ns() - started;
    if (code != HV_OK)
        fault_result(call, code, &err);
    else if (call->tool->to_result && call->data)
        call->tool->to_result(call->data, &call->context, &call->result);
    return STAGE_NEXT;
}
