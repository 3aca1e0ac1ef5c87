/*
 * pipeline.c: the way of one call, as a table. Every door, tool and mode walks this one path.
 *
 * Each stage fills its own part of struct call and says what comes next. The driver does what each would repeat: the
 * clock, the journal's event, the check for cancellation.
 */
#include "base/clock.h"
#include "runtime/call.h"

#include <string.h>

static const struct stage {
    const char *name;
    enum stage_outcome (*run)(struct call *call);
    bool closing; /* runs for every call, also for one that an earlier stage has settled */
} stages[] = {
    {"find", stage_find, false},          {"input", stage_input, false},
    {"hook", stage_hook, false},          {"permission", stage_permission, false},
    {"schedule", stage_schedule, false},  {"execute", stage_execute, false},
    {"result", stage_result, true},       {"post_hook", stage_post_hook, true},
    {"serialise", stage_serialise, true},
};

enum { STAGE_COUNT = sizeof stages / sizeof *stages, STAGE_INPUT = 1, BACK_LIMIT = 8 };

static void emit_stage(struct call *call, const struct stage *stage, uint64_t started)
{
    uint64_t now = call->runtime->host->monotonic_ns(call->runtime->host);
    call_emit(call, (struct hv_event){
                        .type = HV_EVENT_STAGE, .name = hv_str_from(stage->name), .duration_ns = now - started});
}

void pipeline_run(struct call *call)
{
    bool settled = false;
    unsigned backs = 0;
    for (size_t i = 0; i < STAGE_COUNT;) {
        const struct stage *stage = &stages[i];
        if (!stage->closing && !settled && call_is_cancelled(call)) {
            call_settle_error(call, "Cancelled before it ran: %s", call->batch->cancel_reason);
            settled = true;
        }
        if (settled && !stage->closing) {
            i++;
            continue;
        }
        uint64_t started = call->runtime->host->monotonic_ns(call->runtime->host);
        enum stage_outcome outcome = stage->run(call);
        emit_stage(call, stage, started);
        if (outcome == STAGE_BACK && backs++ < BACK_LIMIT) {
            i = STAGE_INPUT;
            continue;
        }
        if (outcome == STAGE_BACK)
            call_settle_error(
                call,
                "The input of this call kept changing under hooks or earlier calls; nothing was run. Try again alone.");
        settled = settled || outcome != STAGE_NEXT;
        i++;
    }
    call_drop_held(call);
}

enum stage_outcome call_settle_error(struct call *call, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct hv_str text = hv_arena_vformat(&call->arena, format, arguments);
    va_end(arguments);
    call->result = (struct hv_result){.is_error = true};
    hv_result_add_text(&call->result, &call->arena, text);
    return STAGE_SETTLED;
}

bool call_is_cancelled(const struct call *call)
{
    return atomic_load(&call->cancelled);
}

void call_emit(struct call *call, struct hv_event event)
{
    event.call_id = call->id;
    if (!event.tool.ptr)
        event.tool = call->tool ? hv_str_from(call->tool->name) : call->name;
    runtime_emit(call->runtime, &event);
}
