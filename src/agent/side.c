/*
 * side.c: see side.h. A job is shared by the worker that waits and the loop; the last of them frees it. A worker whose
 * call is cancelled goes at once, and leaves the rest to the loop.
 */
#include "agent/side.h"

#include "agent/session_inner.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/vec.h"
#include "runtime/untrusted.h"
#include "text/truncate.h"

enum {
    POLL_MS = 20,
    ANSWER_MAX = 8 << 20,
    TEXT_MAX = 32 << 20,
    SECONDS = 120,
    ATTEMPTS_MAX = 3,
    RETRY_MS = 500,
    RETRY_AFTER_MAX_MS = 10000,
    ROUNDS_MAX = 4, /* of an answer that pauses */
    TOKENS_DEFAULT = 1000000,
    MATERIAL_MAX = 400000, /* bytes */
    BYTES_PER_TOKEN = 3,
};

struct side_job {
    pthread_mutex_t lock; /* guards up to `err` */
    pthread_cond_t over;
    unsigned references;
    bool abandoned, done;
    enum hv_code code;
    struct hv_error err;

    /* Loop thread; the worker reads text and blocks when done is set. */
    struct side *side; /* NULL: not started, or over */
    struct hv_arena arena;
    struct hv_side_request request;
    struct hv_str call_id, tool;
    size_t left_out; /* of the material's end */
    struct model *model;
    struct model_conversation *conversation;
    struct model_stream *stream;
    struct loop_timer *timer, *limit; /* before the next attempt; of the whole */
    struct hv_buf text, blocks, round;
    struct model_usage usage, round_usage;
    enum model_stop stop;
    unsigned attempts, rounds;
    uint64_t started_ns;
};

struct side {
    struct session *session;
    VEC(struct side_job *) jobs; /* under way */
    struct side_totals totals;
    int64_t tokens; /* used */
    struct side_tape *tape;
    bool tape_tried;
};

/* ---- jobs -------------------------------------------------------------------------------------------------------- */

static struct hv_str *copy_list(struct hv_arena *arena, const struct hv_str *list, size_t count)
{
    struct hv_str *copy = hv_arena_array(arena, struct hv_str, count);
    for (size_t i = 0; i < count; i++)
        copy[i] = hv_arena_str(arena, list[i]);
    return copy;
}

static struct side_job *job_new(const struct hv_context *context, const struct hv_side_request *request)
{
    struct side_job *job = hv_calloc(1, sizeof *job);
    struct hv_arena *arena = &job->arena;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&job->lock, NULL);
    pthread_cond_init(&job->over, &attributes);
    pthread_condattr_destroy(&attributes);
    hv_buf_init(&job->text, ANSWER_MAX);
    hv_buf_init(&job->blocks, ANSWER_MAX);
    hv_buf_init(&job->round, ANSWER_MAX);
    hv_arena_init(arena);
    job->references = 2;
    job->call_id = hv_arena_str(arena, context->call_id);
    job->tool = hv_str_from(context->tool->name);
    job->request = *request;
    job->request.instruction = hv_arena_str(arena, request->instruction);
    job->request.question = hv_arena_str(arena, request->question);
    job->request.material = hv_arena_str(arena, request->material);
    job->request.allowed_domains = copy_list(arena, request->allowed_domains, request->allowed_count);
    job->request.blocked_domains = copy_list(arena, request->blocked_domains, request->blocked_count);
    return job;
}

static void job_unref(struct side_job *job)
{
    pthread_mutex_lock(&job->lock);
    bool last = --job->references == 0;
    pthread_mutex_unlock(&job->lock);
    if (!last)
        return;
    pthread_mutex_destroy(&job->lock);
    pthread_cond_destroy(&job->over);
    hv_buf_release(&job->text);
    hv_buf_release(&job->blocks);
    hv_buf_release(&job->round);
    hv_arena_release(&job->arena);
    free(job);
}

/* Give the worker its answer, and end the loop's part. */
static void job_finish(struct side_job *job, enum hv_code code, const struct hv_error *err)
{
    model_conversation_free(job->conversation);
    job->conversation = NULL;
    pthread_mutex_lock(&job->lock);
    job->code = code;
    if (code != HV_OK)
        job->err = *err;
    job->done = true;
    pthread_cond_signal(&job->over);
    pthread_mutex_unlock(&job->lock);
    job_unref(job);
}

/* ---- what it costs, and the journal ------------------------------------------------------------------------------ */

static int64_t count_tokens(const struct model_usage *usage)
{
    return usage->input_tokens + usage->output_tokens + usage->cache_read_tokens + usage->cache_write_tokens;
}

static double account(struct side *side, struct side_job *job)
{
    struct session *session = side->session;
    double cost = job->model ? model_cost(job->model, &job->usage) : 0;
    if (!(cost > 0))
        cost = 0;
    side->tokens += count_tokens(&job->usage);
    session->outcome.cost += cost;
    session->total_cost += cost;
    if (job->model == session->options.model) {
        model_usage_add(&session->outcome.usage, &job->usage);
        model_usage_add(&session->total_usage, &job->usage);
    } else {
        model_usage_add(&side->totals.usage, &job->usage);
        side->totals.cost += cost;
    }
    return cost;
}

static void emit_side(struct side *side, struct side_job *job, double cost, const struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf data = {0};
    struct hv_json_writer writer;
    hv_buf_init(&data, TEXT_MAX);
    hv_json_writer_init(&writer, &data);
    hv_json_begin_object(&writer);
    if (job->model)
        hv_json_member_string(&writer, "model", model_name(job->model));
    hv_json_member_string(&writer, "question", job->request.question);
    hv_json_member_int(&writer, "material_bytes", (int64_t)job->request.material.len);
    if (job->left_out)
        hv_json_member_int(&writer, "material_left_out", (int64_t)job->left_out);
    hv_json_member_cstr(&writer, "stop_reason", model_stop_name(job->stop));
    session_put_usage(&writer, &job->usage);
    hv_json_member_double(&writer, "cost", cost);
    hv_json_end_object(&writer);
    session_emit(side->session, (struct hv_event){
                                    .type = HV_EVENT_SIDE,
                                    .call_id = job->call_id,
                                    .tool = job->tool,
                                    .name = hv_str_from(job->request.purpose),
                                    .text = err ? hv_str_from(err->message) : hv_buf_str(&job->text),
                                    .json = job->blocks.len ? hv_buf_str(&job->blocks) : (struct hv_str){0},
                                    .data = hv_buf_str(&data),
                                    .duration_ns = session_now(side->session) - job->started_ns,
                                    .ok = !err,
                                });
}

/* The job is over, with or without an answer: err NULL or why not. */
static void close_job(struct side_job *job, const struct hv_error *err)
{
    struct side *side = job->side;
    job->side = NULL;
    loop_timer_stop(job->timer);
    loop_timer_stop(job->limit);
    if (job->stream)
        model_stream_abandon(job->stream);
    job->stream = NULL;
    for (size_t i = 0; i < side->jobs.count; i++) {
        if (side->jobs.items[i] != job)
            continue;
        side->jobs.items[i] = side->jobs.items[--side->jobs.count];
        break;
    }
    model_usage_add(&job->usage, &job->round_usage);
    if (job->blocks.len)
        hv_buf_add_byte(&job->blocks, ']');
    emit_side(side, job, account(side, job), err);
    job_finish(job, err ? err->code : HV_OK, err);
}

static void close_with(struct side_job *job, enum hv_code code, const char *message, const char *hint)
{
    struct hv_error err = {0};
    hv_fail(&err, code, "%s", message);
    if (hint)
        hv_error_hint(&err, "%s", hint);
    close_job(job, &err);
}

/* ---- the stream -------------------------------------------------------------------------------------------------- */

static void send_job(struct side_job *job);

static void on_event(void *user, const struct model_event *event)
{
    struct side_job *job = user;
    switch (event->type) {
    case MODEL_TEXT: hv_buf_add_str(&job->text, event->text); break;
    case MODEL_BLOCK:
        hv_buf_add_byte(&job->round, job->round.len ? ',' : '[');
        hv_buf_add_str(&job->round, event->json);
        break;
    case MODEL_USAGE: job->round_usage = event->usage; break;
    case MODEL_STOP: job->stop = event->stop; break;
    default: break;
    }
}

/* The blocks of this round join those of the answer. */
static void take_round(struct side_job *job)
{
    struct hv_str blocks = hv_buf_str(&job->round);
    if (!blocks.len)
        return;
    hv_buf_add_byte(&job->blocks, job->blocks.len ? ',' : '[');
    hv_buf_add_str(&job->blocks, hv_str_slice(blocks, 1, blocks.len));
}

static void end_round(struct side_job *job)
{
    struct hv_error err;
    take_round(job);
    if (job->stop == MODEL_STOP_PAUSE && ++job->rounds < ROUNDS_MAX && job->round.len) {
        hv_buf_add_byte(&job->round, ']');
        if (model_conversation_append(job->conversation, MODEL_ASSISTANT, hv_buf_str(&job->round), &err) == HV_OK)
            send_job(job);
        else
            close_job(job, &err);
    } else if (job->text.failed || job->blocks.failed) {
        close_with(job, HV_ETOOBIG, "the model's answer is too large", NULL);
    } else if (job->stop == MODEL_STOP_REFUSAL) {
        close_with(job, HV_EDENIED, "the model declined to answer", NULL);
    } else if (job->stop == MODEL_STOP_CONTEXT) {
        close_with(job, HV_ETOOBIG, "the model's context window is full", NULL);
    } else if (!hv_str_trim(hv_buf_str(&job->text)).len && !job->request.searches) {
        close_with(job, HV_EPROTO, "the model answered nothing", NULL);
    } else {
        if (job->stop == MODEL_STOP_MAX_TOKENS)
            hv_buf_add_cstr(&job->text, "\n[The answer was cut at the limit of its length.]");
        close_job(job, NULL);
    }
}

static void try_again(void *data)
{
    struct side_job *job = data;
    job->timer = NULL;
    send_job(job);
}

static void on_end(void *user, enum hv_code code, const struct hv_error *err, int status, int64_t retry_after_ms)
{
    struct side_job *job = user;
    job->stream = NULL;
    if (code == HV_OK) {
        end_round(job);
        return;
    }
    bool passes = code == HV_EAGAIN || code == HV_ENET || code == HV_ETIMEOUT;
    uint64_t delay = retry_after_ms >= 0 ? (uint64_t)retry_after_ms : (uint64_t)RETRY_MS << job->attempts;
    if (model_conversation_leave_out(job->conversation, status, hv_str_from(err->message)))
        send_job(job);
    else if (passes && ++job->attempts < ATTEMPTS_MAX && delay <= RETRY_AFTER_MAX_MS)
        job->timer = loop_timer_start(job->side->session->options.loop, delay * CLOCK_MILLISECOND, try_again, job);
    else
        close_job(job, err);
}

static void send_job(struct side_job *job)
{
    const struct model_stream_handlers handlers = {.on_event = on_event, .on_end = on_end, .user = job};
    struct hv_error err;
    model_usage_add(&job->usage, &job->round_usage);
    job->round_usage = (struct model_usage){0};
    hv_buf_clear(&job->round);
    if (!job->rounds)
        hv_buf_clear(&job->text);
    if (model_send(job->conversation, &handlers, &job->stream, &err) != HV_OK) {
        job->stream = NULL;
        close_job(job, &err);
    }
}

/* ---- the beginning ----------------------------------------------------------------------------------------------- */

static void put_text(struct hv_json_writer *writer, struct hv_str text)
{
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "type", "text");
    hv_json_member_string(writer, "text", text);
    hv_json_end_object(writer);
}

/* The material goes first: a question is heeded better after a long text than before it. */
static void put_content(struct side_job *job, size_t material_max, struct hv_buf *out)
{
    CLEANUP_BUF struct hv_buf text = {.max = TEXT_MAX};
    struct hv_json_writer writer;
    struct hv_str material = truncate_head(job->request.material, material_max);
    job->left_out = job->request.material.len - material.len;
    hv_json_writer_init(&writer, out);
    hv_json_begin_array(&writer);
    if (material.len) {
        untrusted_put(&text, material);
        hv_buf_add_cstr(&text, job->left_out ? "\n[The material is longer: its end was left out.]" : "");
        put_text(&writer, hv_buf_str(&text));
    }
    put_text(&writer, job->request.question);
    hv_json_end_array(&writer);
}

static size_t material_max(const struct model *model)
{
    int64_t window = model_context_window(model) * BYTES_PER_TOKEN / 2;
    return window > 0 && window < MATERIAL_MAX ? (size_t)window : MATERIAL_MAX;
}

static struct model *choose_model(const struct session *session, bool searches)
{
    struct model *small = session->options.small_model, *main = session->options.model;
    if (!searches)
        return small;
    return small && model_searches(small) ? small : main && model_searches(main) ? main : NULL;
}

static bool is_over_budget(const struct side *side, size_t bytes, struct hv_error *err)
{
    const struct session_options *options = &side->session->options;
    int64_t limit = options->settings->small_model_tokens ? options->settings->small_model_tokens : TOKENS_DEFAULT;
    if (side->tokens + (int64_t)(bytes / (BYTES_PER_TOKEN + 1)) > limit) {
        hv_fail(err, HV_ETOOBIG, "the session's %lld tokens for side requests are used up", (long long)limit);
        hv_error_hint(err, "smallModelTokens in the settings raises it");
    } else if (options->max_cost > 0 && side->session->total_cost >= options->max_cost) {
        hv_fail(err, HV_ETOOBIG, "the session's budget of $%.4f is used up", options->max_cost);
    } else {
        return false;
    }
    return true;
}

static void limit_reached(void *data)
{
    struct side_job *job = data;
    job->limit = NULL;
    close_with(job, HV_ETIMEOUT, "the model did not answer in time", NULL);
}

/* Where a recorded session is the model, its answers are those that it had. */
static bool answer_from_tape(struct side *side, struct side_job *job)
{
    const struct model *model = side->session->options.model;
    struct side_record record;
    struct hv_error err = {0};
    if (!side->tape_tried && hv_str_is(model_provider_name(model), "replay") && !hv_str_is(model_name(model), "demo") &&
        side_tape_open(model_name(model), &side->tape, &err) != HV_OK)
        side->tape = NULL;
    side->tape_tried = true;
    if (!side->tape || !side_tape_take(side->tape, hv_str_from(job->request.purpose), job->request.question, &record))
        return false;
    job->left_out = record.left_out;
    hv_buf_add_str(&job->text, record.ok ? record.text : (struct hv_str){0});
    hv_buf_add_str(&job->blocks, hv_str_slice(record.blocks, 0, record.blocks.len ? record.blocks.len - 1 : 0));
    if (record.ok)
        close_job(job, NULL);
    else
        close_with(job, HV_EPROTO, hv_arena_cstr(&job->arena, record.text), NULL);
    return true;
}

static enum hv_code prepare(struct side *side, struct side_job *job, struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf content = {.max = TEXT_MAX};
    struct model *model = choose_model(side->session, job->request.searches);
    if (!model)
        return hv_fail(err, HV_EUNSUPPORTED, "%s",
                       job->request.searches ? "the model's provider does not search the web"
                                             : "no small model is configured");
    if (is_over_budget(side, job->request.material.len, err))
        return err->code;
    job->model = model;
    job->conversation = model_conversation_new(model);
    model_conversation_set_system(job->conversation, job->request.instruction);
    if (job->request.searches) {
        const struct hv_side_request *request = &job->request;
        const struct model_search search = {request->allowed_domains, request->blocked_domains, request->allowed_count,
                                            request->blocked_count};
        model_conversation_set_search(job->conversation, &search);
    }
    put_content(job, material_max(model), &content);
    return model_conversation_append(job->conversation, MODEL_USER, hv_buf_str(&content), err);
}

static void start(void *data)
{
    struct side_job *job = data;
    struct side *side = job->side;
    struct hv_error err = {0};
    pthread_mutex_lock(&job->lock);
    bool abandoned = job->abandoned;
    pthread_mutex_unlock(&job->lock);
    if (abandoned) {
        job->side = NULL; /* it may be gone */
        hv_fail(&err, HV_ECANCELLED, "was cancelled");
        job_finish(job, HV_ECANCELLED, &err);
        return;
    }
    *vec_push(&side->jobs) = job;
    job->started_ns = session_now(side->session);
    if (answer_from_tape(side, job))
        return;
    if (prepare(side, job, &err) != HV_OK) {
        close_job(job, &err);
        return;
    }
    job->limit = loop_timer_start(side->session->options.loop, SECONDS * CLOCK_SECOND, limit_reached, job);
    send_job(job);
}

static void stop(void *data)
{
    struct side_job *job = data;
    if (job->side)
        close_with(job, HV_ECANCELLED, "was cancelled", NULL);
    job_unref(job);
}

/* ---- worker ------------------------------------------------------------------------------------------------------ */

/* Job lock held. True when the answer is there, false when it is no longer wanted. */
static bool wait_for_answer(struct side_job *job, const struct hv_cancel *cancel)
{
    while (!job->done && !hv_cancelled(cancel)) {
        uint64_t at = clock_monotonic_ns() + POLL_MS * CLOCK_MILLISECOND;
        struct timespec until = {.tv_sec = (time_t)(at / CLOCK_SECOND), .tv_nsec = (long)(at % CLOCK_SECOND)};
        pthread_cond_timedwait(&job->over, &job->lock, &until);
    }
    return job->done;
}

enum hv_code side_ask(void *user, struct hv_context *context, const struct hv_side_request *request,
                      struct hv_side_answer *answer, struct hv_error *err)
{
    struct side *side = user;
    struct loop *loop = side->session->options.loop;
    enum hv_code code = HV_ECANCELLED;
    if (loop_is_current(loop))
        return hv_fail(err, HV_EAGAIN, "could not be asked: the system allows no further thread");
    struct side_job *job = job_new(context, request);
    job->side = side;
    loop_post(loop, start, job);
    pthread_mutex_lock(&job->lock);
    bool answered = wait_for_answer(job, context->cancel);
    if (answered) {
        code = job->code;
        if (code)
            *err = job->err;
        answer->text = hv_arena_str(context->arena, hv_buf_str(&job->text));
        answer->blocks = hv_arena_str(context->arena, hv_buf_str(&job->blocks));
        answer->left_out = job->left_out;
    } else {
        hv_fail(err, HV_ECANCELLED, "was cancelled");
        job->abandoned = true;
        job->references++;
    }
    pthread_mutex_unlock(&job->lock);
    if (!answered)
        loop_post(loop, stop, job);
    job_unref(job);
    return code;
}

enum hv_code side_ask_tape(void *user, struct hv_context *context, const struct hv_side_request *request,
                           struct hv_side_answer *answer, struct hv_error *err)
{
    struct side_record record;
    if (!side_tape_take(user, hv_str_from(request->purpose), request->question, &record))
        return hv_fail(err, HV_EUNSUPPORTED, "the recording holds no answer to this");
    if (!record.ok)
        return hv_fail(err, HV_EPROTO, "%.*s", HV_STR_ARG(record.text));
    answer->text = hv_arena_str(context->arena, record.text);
    answer->blocks = hv_arena_str(context->arena, record.blocks);
    answer->left_out = record.left_out;
    return HV_OK;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

struct side *side_new(struct session *session)
{
    struct side *side = hv_calloc(1, sizeof *side);
    side->session = session;
    return side;
}

void side_stop(struct side *side)
{
    struct hv_error err = {0};
    hv_fail(&err, HV_ECANCELLED, "the session ended");
    while (side->jobs.count)
        close_job(side->jobs.items[side->jobs.count - 1], &err);
}

void side_free(struct side *side)
{
    if (!side)
        return;
    vec_release(&side->jobs);
    side_tape_close(side->tape);
    free(side);
}

struct hv_side_models side_models(const struct side *side)
{
    const struct session *session = side->session;
    /* What a recording answers is known when it is asked. */
    bool recorded = hv_str_is(model_provider_name(session->options.model), "replay");
    return (struct hv_side_models){
        .answers = recorded || choose_model(session, false),
        .searches = recorded || choose_model(session, true),
    };
}

const struct side_totals *side_totals(const struct side *side)
{
    return &side->totals;
}
