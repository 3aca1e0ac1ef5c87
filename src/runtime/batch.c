/*
 * batch.c: the calls of one model message: taken in on the loop, walked by workers, handed back in order.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "loop/workers.h"
#include "runtime/call.h"

#include <string.h>

/* How often calls are checked for being over their time. */
enum { WATCH_INTERVAL_MS = 200 };

struct batch *batch_new(struct runtime *runtime, const struct batch_handlers *handlers)
{
    struct batch *batch = hv_calloc(1, sizeof *batch);
    batch->runtime = runtime;
    *vec_push(&runtime->batches) = batch;
    batch->handlers = *handlers;
    batch->cancel_reason = "the turn was cancelled";
    hv_buf_init(&batch->messages, 16u << 20);
    hv_buf_init(&batch->stop_reason, 64u << 10);
    pthread_mutex_init(&batch->lock, NULL);
    return batch;
}

static void call_free(struct call *call)
{
    effects_free(call);
    pool_unref(call->pool);
    hv_cancel_free(call->cancel);
    pthread_cond_destroy(&call->admitted);
    hides_free(call->hides);
    hv_arena_release(&call->arena);
    free(call);
}

static void batch_free(struct batch *batch)
{
    if (batch->watch)
        loop_timer_stop(batch->watch);
    for (size_t i = 0; i < batch->calls.count; i++)
        call_free(batch->calls.items[i]);
    vec_release(&batch->calls);
    map_release(&batch->ids);
    hv_buf_release(&batch->messages);
    hv_buf_release(&batch->stop_reason);
    hv_arena_release(&batch->arena);
    pthread_mutex_destroy(&batch->lock);
    free(batch);
}

/* ---- delivery: loop thread ------------------------------------------------------------------------------------ */

/* What one turn's results may hold together; over it the largest that were not handed on yet are stored. */
enum { TURN_CHARS_MAX = 200000, TURN_PREVIEW_CHARS = 2000 };

static void fit_turn(struct batch *batch, size_t until)
{
    for (;;) {
        size_t total = batch->total_chars;
        struct call *largest = NULL;
        for (size_t i = batch->delivered; i < until; i++) {
            struct call *call = batch->calls.items[i];
            total += call->chars;
            if (call->chars > TURN_PREVIEW_CHARS && (!largest || call->chars > largest->chars))
                largest = call;
        }
        if (total <= TURN_CHARS_MAX || !largest)
            return;
        size_t before = largest->chars;
        result_shrink(largest, TURN_PREVIEW_CHARS, "the results of this turn together are over their limit");
        if (largest->chars >= before)
            return;
    }
}

static void deliver(struct batch *batch, struct call *call)
{
    struct batch_result result = {
        .index = call->index,
        .call_id = call->id,
        .tool = call->tool ? hv_str_from(call->tool->name) : call->name,
        .input = call->input_json.ptr ? call->input_json : call->raw,
        .block = call->block,
        .text = call->text,
        .result = &call->result,
        .is_error = call->result.is_error,
        .ends_turn = call->result.ends_turn,
        .duration_ns = call->duration_ns,
    };
    CLEANUP_BUF struct hv_buf data = {.max = 64u << 20};
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &data);
    hv_json_begin_object(&writer);
    if (call->result.summary.ptr)
        hv_json_member_string(&writer, "summary", call->result.summary);
    if (call->result.diff.ptr)
        hv_json_member_string(&writer, "diff", call->result.diff);
    if (call->stored.ptr)
        hv_json_member_string(&writer, "stored", call->stored);
    if (call->shown.ptr)
        hv_json_member_raw(&writer, "show", call->shown);
    hv_json_end_object(&writer);
    call_emit(call, (struct hv_event){.type = HV_EVENT_RESULT,
                                      .json = call->block,
                                      .data = hv_buf_str(&data),
                                      .duration_ns = call->duration_ns,
                                      .ok = !call->result.is_error});
    batch->total_chars += call->chars;
    call->delivered = true;
    batch->handlers.on_result(batch->handlers.user, &result);
    /* What was handed on need not stay in memory until the whole batch is done. */
    hv_arena_release(&call->arena);
}

static void forget(struct batch *batch)
{
    struct runtime *runtime = batch->runtime;
    size_t at = 0;
    while (runtime->batches.items[at] != batch)
        at++;
    runtime->batches.items[at] = runtime->batches.items[--runtime->batches.count];
}

static void finish(struct batch *batch)
{
    pthread_mutex_lock(&batch->lock);
    effects_apply(batch, batch->calls.count);
    pthread_mutex_unlock(&batch->lock);
    CLEANUP_BUF struct hv_buf messages = {.max = batch->messages.max + 2};
    if (batch->messages.len) {
        hv_buf_add_byte(&messages, '[');
        hv_buf_add_str(&messages, hv_buf_str(&batch->messages));
        hv_buf_add_byte(&messages, ']');
    }
    CLEANUP_BUF struct hv_buf reason = {.max = batch->stop_reason.max};
    hv_buf_add_str(&reason, hv_buf_str(&batch->stop_reason));
    bool stop = batch->stop;
    struct batch_handlers handlers = batch->handlers;
    forget(batch);
    batch_free(batch);
    handlers.on_done(handlers.user, messages.len ? hv_buf_str(&messages) : (struct hv_str){0}, stop,
                     hv_buf_str(&reason));
}

/* Hand on every result whose turn has come. Posted to the loop after each call and by batch_close. */
static void advance(void *data)
{
    struct batch *batch = data;
    if (!batch->runtime) { /* dropped: this was the last that knew of it */
        batch_free(batch);
        return;
    }
    pthread_mutex_lock(&batch->lock);
    size_t until = batch->first_unfinished;
    batch->done_posted = false;
    bool over = batch->closed && until == batch->calls.count;
    pthread_mutex_unlock(&batch->lock);
    fit_turn(batch, until);
    while (batch->delivered < until)
        deliver(batch, batch->calls.items[batch->delivered++]);
    if (over)
        finish(batch);
}

/* Batch lock held. */
static void post_advance(struct batch *batch)
{
    if (batch->done_posted)
        return;
    batch->done_posted = true;
    loop_post(batch->runtime->loop, advance, batch);
}

/* ---- the worker's part ------------------------------------------------------------------------------------------ */

static void run_call(void *data)
{
    struct call *call = data;
    struct batch *batch = call->batch;
    pthread_mutex_lock(&batch->lock);
    batch->started = call->index + 1 > batch->started ? call->index + 1 : batch->started;
    call->cancel = hv_cancel_new();
    call->context.cancel = call->cancel;
    if (call_is_cancelled(call))
        hv_cancel_raise(call->cancel);
    pthread_mutex_unlock(&batch->lock);
    pipeline_run(call);
    /* One section: as soon as the call counts as done and the lock is free, the loop may free it and the batch. */
    pthread_mutex_lock(&batch->lock);
    hv_cancel_free(call->cancel);
    hv_cancel_free(call->background);
    call->cancel = call->background = NULL;
    schedule_done(call);
    post_advance(batch);
    pthread_mutex_unlock(&batch->lock);
}

/* ---- time limits ------------------------------------------------------------------------------------------------- */

static void watch(void *data)
{
    struct batch *batch = data;
    uint64_t now = clock_monotonic_ns();
    pthread_mutex_lock(&batch->lock);
    for (size_t i = batch->first_unfinished; i < batch->started; i++) {
        struct call *call = batch->calls.items[i];
        uint64_t deadline = atomic_load(&call->deadline_ns);
        if (call->state == CALL_RUNNING && deadline && now > deadline && call->cancel) {
            call->timed_out = true;
            hv_cancel_raise(call->cancel);
        }
    }
    pthread_mutex_unlock(&batch->lock);
    batch->watch = loop_timer_start(batch->runtime->loop, WATCH_INTERVAL_MS * CLOCK_MILLISECOND, watch, batch);
}

/* ---- the loop's part --------------------------------------------------------------------------------------------- */

static struct call *call_new(struct batch *batch, struct hv_str id, struct hv_str name, struct hv_str raw)
{
    struct runtime *runtime = batch->runtime;
    struct call *call = hv_calloc(1, sizeof *call);
    call->runtime = runtime;
    call->batch = batch;
    call->id = hv_arena_str(&batch->arena, id.ptr ? id : HV_STR(""));
    call->name = hv_arena_str(&batch->arena, name);
    call->raw = hv_arena_str(&call->arena, raw);
    call->effects_end = &call->effects;
    call->exclusive = true;
    pthread_cond_init(&call->admitted, NULL);
    call->hides = hides_new();
    call->context = (struct hv_context){
        .arena = &call->arena,
        .host = runtime->host,
        .services = &runtime_services,
        .call_id = call->id,
        .home = runtime->options.home,
        .roots = runtime->options.roots,
        .root_count = runtime->options.root_count,
        .sandbox = runtime->sandbox,
        .only_call = runtime->options.one_call.len > 0,
    };
    return call;
}

static void add(struct batch *batch, struct hv_str id, struct hv_str name, struct hv_str raw_input, bool cut)
{
    struct call *call = call_new(batch, id, name, raw_input);
    call->cut = cut;
    call_emit(call, (struct hv_event){.type = HV_EVENT_CALL, .tool = name, .json = raw_input});
    pthread_mutex_lock(&batch->lock);
    call->index = batch->calls.count;
    *vec_push(&batch->calls) = call;
    call->duplicate = map_get(&batch->ids, call->id) != NULL;
    if (!call->duplicate)
        map_set(&batch->ids, call->id, call);
    atomic_store(&call->cancelled, batch->cancelled);
    pthread_mutex_unlock(&batch->lock);
    if (!batch->watch)
        batch->watch = loop_timer_start(batch->runtime->loop, WATCH_INTERVAL_MS * CLOCK_MILLISECOND, watch, batch);
    /* No thread to be had at all: run it here; late is better than never. */
    if (workers_submit(batch->runtime->workers, run_call, call, NULL) != HV_OK)
        run_call(call);
}

void batch_add(struct batch *batch, struct hv_str id, struct hv_str name, struct hv_str raw_input)
{
    add(batch, id, name, raw_input, false);
}

void batch_add_cut(struct batch *batch, struct hv_str id, struct hv_str name, struct hv_str raw_input)
{
    add(batch, id, name, raw_input, true);
}

void batch_close(struct batch *batch)
{
    LOCK_SCOPE(&batch->lock);
    batch->closed = true;
    if (batch->first_unfinished == batch->calls.count)
        post_advance(batch);
}

void batch_cancel(struct batch *batch, const char *reason)
{
    LOCK_SCOPE(&batch->lock);
    batch->cancelled = true;
    batch->cancel_reason = reason;
    for (size_t i = batch->first_unfinished; i < batch->calls.count; i++) {
        struct call *call = batch->calls.items[i];
        atomic_store(&call->cancelled, true);
        hv_cancel_raise(call->cancel);
        pthread_cond_signal(&call->admitted);
    }
}

bool runtime_can_background(struct runtime *runtime, struct hv_str call_id)
{
    bool can = false;
    for (size_t i = 0; i < runtime->batches.count && !can; i++) {
        struct batch *batch = runtime->batches.items[i];
        LOCK_SCOPE(&batch->lock);
        for (size_t j = batch->first_unfinished; j < batch->started && !can; j++) {
            struct call *call = batch->calls.items[j];
            can = call->background && !hv_cancelled(call->background) && hv_str_eq(call->id, call_id);
        }
    }
    return can;
}

size_t runtime_send_to_background(struct runtime *runtime)
{
    size_t sent = 0;
    for (size_t i = 0; i < runtime->batches.count; i++) {
        struct batch *batch = runtime->batches.items[i];
        LOCK_SCOPE(&batch->lock);
        for (size_t j = batch->first_unfinished; j < batch->started; j++) {
            struct call *call = batch->calls.items[j];
            sent += call->background && !hv_cancelled(call->background);
            hv_cancel_raise(call->background);
        }
    }
    return sent;
}

void batches_cancel(struct runtime *runtime)
{
    for (size_t i = 0; i < runtime->batches.count; i++)
        batch_cancel(runtime->batches.items[i], "the session has ended");
}

void batches_drop(struct runtime *runtime)
{
    for (size_t i = 0; i < runtime->batches.count; i++) {
        struct batch *batch = runtime->batches.items[i];
        batch->runtime = NULL;
        loop_timer_stop(batch->watch);
        batch->watch = NULL;
        if (!batch->done_posted)
            batch_free(batch);
    }
    vec_release(&runtime->batches);
}
