/*
 * effects.c: what calls change in their session: recorded while they run, applied in call order. Also the
 * services that tools reach the session through.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "policy/visible.h"
#include "runtime/checkpoint.h"
#include "runtime/request.h"
#include "runtime/tasks.h"

#include <string.h>

static void record(struct hv_context *context, enum effect_type type, struct hv_str text)
{
    struct call *call = call_of(context);
    struct effect *effect = hv_calloc(1, sizeof *effect);
    effect->type = type;
    effect->text = hv_calloc(text.len + 1, 1);
    if (text.len)
        memcpy(effect->text, text.ptr, text.len);
    *call->effects_end = effect;
    call->effects_end = &effect->next;
}

static void set_directory(struct hv_context *context, struct hv_str path)
{
    record(context, EFFECT_DIRECTORY, path);
}
static void activate_tool(struct hv_context *context, struct hv_str name)
{
    record(context, EFFECT_ACTIVATE, name);
}
static void add_message(struct hv_context *context, struct hv_str text)
{
    record(context, EFFECT_MESSAGE, text);
}

static void *state(struct hv_context *context, const struct hv_state_key *key)
{
    struct runtime *runtime = call_of(context)->runtime;
    LOCK_SCOPE(&runtime->lock);
    for (size_t i = 0; i < runtime->states.count; i++)
        if (runtime->states.items[i].key == key)
            return runtime->states.items[i].value;
    void *value = hv_calloc(1, key->size);
    if (key->init)
        key->init(value);
    *vec_push(&runtime->states) = (struct runtime_state){key, value};
    return value;
}

static const struct hv_tool_set *tool_set(struct hv_context *context)
{
    return &call_of(context)->pool->set;
}

static void progress(struct hv_context *context, struct hv_str text)
{
    struct call *call = call_of(context);
    CLEANUP_BUF struct hv_buf line = {.max = 64 << 10}, visible = {.max = 1 << 20};
    if (call->tool->render_progress)
        call->tool->render_progress(call->input, context, text, &line);
    else
        hv_buf_add_str(&line, text);
    visible_add(&visible, hv_str_trim(hv_buf_str(&line)));
    call_emit(call, (struct hv_event){.type = HV_EVENT_PROGRESS, .name = hv_buf_str(&visible), .text = text});
}

static void ask(struct hv_context *context, const struct hv_question *question, struct hv_answer *answer)
{
    struct call *call = call_of(context);
    struct hv_question own = *question;
    own.call_id = call->id;
    own.subject = own.subject.len ? own.subject : hv_str_from(call->tool->name);
    /* The time of a person is none of the call's. */
    uint64_t began = clock_monotonic_ns(), deadline = atomic_exchange(&call->deadline_ns, 0);
    runtime_ask(call->runtime, &own, call->cancel, &call->arena, answer);
    context->deadline_ns = deadline ? deadline + (clock_monotonic_ns() - began) : 0;
    atomic_store(&call->deadline_ns, context->deadline_ns);
}

static void before_change(struct hv_context *context)
{
    checkpoint_wait(call_of(context));
}

static enum hv_code ask_model(struct hv_context *context, const struct hv_side_request *request,
                              struct hv_side_answer *answer, struct hv_error *err)
{
    const struct runtime_options *options = &call_of(context)->runtime->options;
    if (!options->ask_model)
        return hv_fail(err, HV_EUNSUPPORTED, "this session has no model");
    return options->ask_model(options->ask_model_user, context, request, answer, err);
}

const struct hv_services runtime_services = {
    .state = state,
    .tool_set = tool_set,
    .progress = progress,
    .set_directory = set_directory,
    .activate_tool = activate_tool,
    .add_message = add_message,
    .hides_path = hides_path,
    .hides_entry = hides_entry,
    .hides_by_rule = hides_by_rule,
    .tasks = &runtime_tasks,
    .before_change = before_change,
    .request = request_of_tool,
    .may_request = request_may_be_sent,
    .ask = ask,
    .ask_model = ask_model,
};

static void tell_hooks_of_directory(struct runtime *runtime, struct hv_str old, struct hv_str path)
{
    CLEANUP_BUF struct hv_buf members = {.max = 64 << 10};
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &members);
    hv_json_begin_object(&writer);
    hv_json_member_string(&writer, "old_cwd", old);
    hv_json_member_string(&writer, "new_cwd", path);
    hv_json_end_object(&writer);
    hook_tell(runtime, "CwdChanged", (struct hv_str){0}, hv_buf_str(&members));
}

static void change_directory(struct runtime *runtime, struct hv_str path)
{
    pthread_mutex_lock(&runtime->lock);
    struct hv_str old = runtime->directory; /* in the runtime's arena: it stays readable */
    bool changed = !hv_str_eq(old, path);
    if (changed) {
        runtime->directory = hv_arena_str(&runtime->arena, path);
        runtime->directory_epoch++;
    }
    pthread_mutex_unlock(&runtime->lock);
    if (!changed)
        return;
    runtime_emit(runtime, &(struct hv_event){.type = HV_EVENT_STATE, .name = HV_STR("cwd"), .text = path});
    tell_hooks_of_directory(runtime, old, path);
}

static void add_text_block(struct batch *batch, struct hv_str text)
{
    struct hv_json_writer writer;
    if (batch->messages.len)
        hv_buf_add_byte(&batch->messages, ',');
    hv_json_writer_init(&writer, &batch->messages);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "type", "text");
    hv_json_member_string(&writer, "text", text);
    hv_json_end_object(&writer);
}

void effects_apply(struct batch *batch, size_t until)
{
    for (; batch->effects_applied < until; batch->effects_applied++) {
        struct call *call = batch->calls.items[batch->effects_applied];
        for (struct effect *effect = call->effects; effect; effect = effect->next) {
            struct hv_str text = hv_str_from(effect->text);
            switch (effect->type) {
            case EFFECT_DIRECTORY: change_directory(batch->runtime, text); break;
            case EFFECT_ACTIVATE: pool_activate(batch->runtime, text); break;
            case EFFECT_MESSAGE: add_text_block(batch, text); break;
            }
        }
    }
}

void effects_free(struct call *call)
{
    while (call->effects) {
        struct effect *effect = call->effects;
        call->effects = effect->next;
        free(effect->text);
        free(effect);
    }
}
