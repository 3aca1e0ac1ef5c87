/*
 * response.c: what one response of the model brings, and what follows from it.
 *
 * Calls go to the runtime as soon as their block is complete. When the stream ends, the complete blocks become the
 * assistant message; when all calls have their results, these become the next user message. A stream that was cut
 * after complete calls keeps them (they have run, or run now) and the turn goes on; one that was cut before is dropped
 * and asked for again. So no call ever runs twice, and the conversation is valid at every moment.
 */
#include "agent/markup.h"
#include "agent/session_inner.h"
#include "base/cleanup.h"

#include <sys/random.h>

enum {
    BLOCKS_MAX = 256 << 20,
    ATTEMPTS_MAX = 8,
    PAUSES_MAX = 50,
    STOP_BLOCKS_MAX = 8,
    CUTS_MAX = 4,          /* answers in a row whose calls the limit of output tokens has cut */
    NOTE_ROUNDS_MAX = 100, /* further requests of one turn that only news of tasks have caused */
    BACKOFF_FIRST_MS = 500,
    BACKOFF_MAX_MS = 30000,
    RETRY_AFTER_MAX_MS = 300000, /* longer waits are no matter of trying again (fault.c) */
};

void response_init(struct response *response)
{
    *response = (struct response){0};
    hv_buf_init(&response->blocks, BLOCKS_MAX);
    hv_buf_init(&response->results, BLOCKS_MAX);
    hv_buf_init(&response->text, BLOCKS_MAX);
}

void response_reset(struct response *response)
{
    struct response empty = {
        .arena = response->arena, .blocks = response->blocks, .results = response->results, .text = response->text};
    *response = empty;
    hv_arena_reset(&response->arena);
    hv_buf_clear(&response->blocks);
    hv_buf_clear(&response->results);
    hv_buf_clear(&response->text);
}

void response_release(struct response *response)
{
    hv_buf_release(&response->blocks);
    hv_buf_release(&response->results);
    hv_buf_release(&response->text);
    hv_arena_release(&response->arena);
}

/* ---- results of the batch ---------------------------------------------------------------------------------------- */

static void on_result(void *user, const struct batch_result *result)
{
    struct session *session = user;
    struct hv_buf *results = &session->response.results;
    if (results->len > 0)
        hv_buf_add_byte(results, ',');
    hv_buf_add_str(results, result->block);
    session->response.ends_turn = session->response.ends_turn || result->ends_turn;
    if (result->ends_turn && result->result->structured.len > 0) {
        hv_buf_clear(&session->structured);
        hv_buf_add_str(&session->structured, result->result->structured);
    }
}

/* What the person said meanwhile. After an interruption it is a prompt of its own. */
static void add_words(struct session *session, struct hv_buf *message)
{
    if (session->interrupted || !session->options.take_words)
        return;
    hv_buf_add_byte(message, ',');
    if (!session->options.take_words(session->options.user, message))
        message->len--;
}

/* Results first, then what tools, hooks and helve itself want to say (the protocol asks for this order). */
static enum hv_code add_results(struct session *session, struct hv_str messages)
{
    struct hv_buf *content = &session->response.results;
    CLEANUP_BUF struct hv_buf message = {0};
    hv_buf_init(&message, BLOCKS_MAX);
    hv_buf_add_byte(&message, '[');
    hv_buf_add_str(&message, hv_buf_str(content));
    if (messages.len > 2) {
        hv_buf_add_byte(&message, ',');
        hv_buf_add_str(&message, hv_str_slice(messages, 1, messages.len - 1));
    }
    hv_buf_add_byte(&message, ',');
    if (!runtime_take_notes(session->runtime, &message))
        message.len--;
    add_words(session, &message);
    if (session->interrupted)
        hv_buf_add_cstr(&message, ",{\"type\":\"text\",\"text\":\"[The user interrupted this turn.]\"}");
    hv_buf_add_byte(&message, ']');
    return turn_add_message(session, MODEL_USER, hv_buf_str(&message), (struct hv_str){0});
}

static void on_done(void *user, struct hv_str messages, bool stop, struct hv_str stop_reason)
{
    struct session *session = user;
    session->batch = NULL;
    if (add_results(session, messages) != HV_OK)
        return;
    if (stop && !session->interrupted) {
        struct hv_error err;
        hv_fail(&err, HV_ECANCELLED, "a hook stopped the turn: %.*s", HV_STR_ARG(stop_reason));
        turn_finish(session, SESSION_BLOCKED, &err);
        return;
    }
    response_settled(session);
}

/* ---- the stream's events ----------------------------------------------------------------------------------------- */

static void start_call(struct session *session, const struct model_event *event)
{
    struct response *response = &session->response;
    response->call_count++;
    if (!session->batch) {
        struct batch_handlers handlers = {.on_result = on_result, .on_done = on_done, .user = session};
        session->batch = batch_new(session->runtime, &handlers);
    }
    if (event->cut) {
        response->cut_calls++;
        batch_add_cut(session->batch, event->id, event->name, event->json);
    } else {
        batch_add(session->batch, event->id, event->name, event->json);
    }
}

static void keep_block(struct session *session, struct hv_str json)
{
    struct response *response = &session->response;
    if (response->block_count++ > 0)
        hv_buf_add_byte(&response->blocks, ',');
    hv_buf_add_str(&response->blocks, json);
}

void response_on_event(void *user, const struct model_event *event)
{
    struct session *session = user;
    struct response *response = &session->response;
    if (!response->first_seen) {
        response->first_seen = true;
        session_emit(session, (struct hv_event){.type = HV_EVENT_FIRST_BYTE});
    }
    switch (event->type) {
    case MODEL_START:
        response->id = hv_arena_str(&response->arena, event->id);
        response->model = hv_arena_str(&response->arena, event->model);
        break;
    case MODEL_TEXT:
        hv_buf_add_str(&response->text, event->text);
        session_emit(session, (struct hv_event){.type = HV_EVENT_TEXT, .text = event->text});
        break;
    case MODEL_THINKING:
        session_emit(session, (struct hv_event){.type = HV_EVENT_THINKING, .text = event->text});
        break;
    case MODEL_TOOL_BEGIN: runtime_expect_call(session->runtime, event->name); break;
    case MODEL_TOOL_CALL: start_call(session, event); break;
    case MODEL_BLOCK: keep_block(session, event->json); break;
    case MODEL_USAGE: response->usage = event->usage; break;
    case MODEL_STOP:
        response->complete = true;
        response->empty = event->empty;
        response->stop = event->stop;
        response->stop_text = hv_arena_str(&response->arena, event->stop_text);
        if (event->stop_unknown)
            session_notice(session, "warning",
                           "the model's server ended the answer for a reason that is not known here: %.*s",
                           HV_STR_ARG(event->stop_text));
        break;
    default: break;
    }
}

void response_on_raw(void *user, struct hv_str json)
{
    session_emit(user, (struct hv_event){.type = HV_EVENT_STREAM_EVENT, .json = json});
}

/* ---- the stream's end -------------------------------------------------------------------------------------------- */

static void account(struct session *session)
{
    struct session_outcome *outcome = &session->outcome;
    struct response *response = &session->response;
    const struct model_usage *usage = &response->usage;
    model_usage_add(&outcome->usage, usage);
    model_usage_add(&session->total_usage, usage);
    double cost = model_cost(session->options.model, usage);
    if (cost > 0) {
        outcome->cost += cost;
        session->total_cost += cost;
    }
    outcome->api_duration_ns += session_now(session) - response->started_ns;
}

static void put_message_data(struct session *session, struct hv_buf *data)
{
    struct response *response = &session->response;
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, data);
    hv_json_begin_object(&writer);
    if (response->id.ptr)
        hv_json_member_string(&writer, "id", response->id);
    hv_json_member_string(&writer, "model", response->model.len ? response->model : model_name(session->options.model));
    hv_json_member_cstr(&writer, "stop_reason", response->complete ? model_stop_name(response->stop) : NULL);
    session_put_usage(&writer, &response->usage);
    hv_json_end_object(&writer);
}

static void emit_response(struct session *session, struct hv_str data)
{
    struct response *response = &session->response;
    session_emit(session, (struct hv_event){
                              .type = HV_EVENT_RESPONSE,
                              .text = hv_str_from(response->complete ? model_stop_name(response->stop) : "cut"),
                              .duration_ns = session_now(session) - response->started_ns,
                              .data = data,
                          });
}

/* The complete blocks become a message; then the calls' results are awaited. */
static void close_message(struct session *session)
{
    struct response *response = &session->response;
    CLEANUP_BUF struct hv_buf data = {0}, content = {0};
    hv_buf_init(&data, BLOCKS_MAX);
    hv_buf_init(&content, BLOCKS_MAX);
    put_message_data(session, &data);
    emit_response(session, hv_buf_str(&data));
    account(session);
    session->outcome.turns++;
    session->outcome.stop_reason = hv_str_from(response->complete ? model_stop_name(response->stop) : "");
    hv_buf_clear(&session->last_text);
    hv_buf_add_str(&session->last_text, hv_buf_str(&response->text));
    session->state = SESSION_IN_TOOLS;
    if (response->block_count > 0) {
        hv_buf_add_byte(&content, '[');
        hv_buf_add_str(&content, hv_buf_str(&response->blocks));
        hv_buf_add_byte(&content, ']');
        if (turn_add_message(session, MODEL_ASSISTANT, hv_buf_str(&content), hv_buf_str(&data)) != HV_OK) {
            return;
        }
    }
    if (response->cut_calls)
        session_notice(session, "warning",
                       "the answer was cut at the limit of output tokens, within a call, which did not run; "
                       "maxOutputTokens in the settings raises it");
    if (session->batch)
        batch_close(session->batch);
    else
        response_settled(session);
}

static void fail(struct session *session, const struct hv_error *err, int status)
{
    session->outcome.status = status;
    turn_finish(session, SESSION_FAILED, err);
}

static void finish_with(struct session *session, enum session_ending ending, enum hv_code code, const char *message,
                        const char *hint)
{
    struct hv_error err;
    hv_fail(&err, code, "%s", message);
    hv_error_hint(&err, "%s", hint);
    turn_finish(session, ending, &err);
}

/* ---- retries ----------------------------------------------------------------------------------------------------- */

static unsigned attempts_max(void)
{
    int64_t value;
    return hv_str_to_int64(hv_str_from(getenv("HELVE_MAX_RETRIES")), &value) && value >= 0 && value < 1000
               ? (unsigned)value
               : ATTEMPTS_MAX;
}

/* Exponential with up to a quarter taken off at random, so that many clients do not come back together. */
static uint64_t backoff_ms(unsigned attempts, int64_t retry_after_ms)
{
    if (retry_after_ms >= 0)
        return retry_after_ms < RETRY_AFTER_MAX_MS ? (uint64_t)retry_after_ms : RETRY_AFTER_MAX_MS;
    unsigned shift = attempts < 7 ? attempts : 7;
    uint64_t delay = (uint64_t)BACKOFF_FIRST_MS << shift;
    uint16_t noise = 0;
    if (getrandom(&noise, sizeof noise, GRND_NONBLOCK) < 0)
        noise = 0x8000;
    delay = delay < BACKOFF_MAX_MS ? delay : BACKOFF_MAX_MS;
    return delay - delay / 4 * noise / 0xffff;
}

static void retry_now(void *data)
{
    struct session *session = data;
    session->timer = NULL;
    turn_request(session);
}

static void retry_later(struct session *session, const struct hv_error *err, int status, int64_t retry_after_ms)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    uint64_t delay = backoff_ms(session->attempts, retry_after_ms);
    session->attempts++;
    struct hv_str data = hv_arena_format(&arena, "{\"attempt\":%u,\"max_retries\":%u,\"delay_ms\":%llu,\"status\":%d}",
                                         session->attempts, attempts_max(), (unsigned long long)delay, status);
    session_emit(session, (struct hv_event){.type = HV_EVENT_RETRY, .text = hv_str_from(err->message), .data = data});
    session->state = SESSION_WAITING;
    session->timer = loop_timer_start(session->options.loop, delay * 1000000, retry_now, session);
}

static bool has_words(const struct hv_error *err, const char *words)
{
    return hv_str_find(hv_str_from(err->message), hv_str_from(words), 0) != SIZE_MAX;
}

/* Nobody listens on this machine: waiting will not start the server. */
static bool is_not_started(const struct hv_error *err)
{
    bool here = has_words(err, "127.0.0.1") || has_words(err, "localhost") || has_words(err, "::1");
    return here && has_words(err, "Connection refused");
}

static bool may_retry(const struct session *session, enum hv_code code, const struct hv_error *err)
{
    unsigned max = attempts_max();
    if (max > 1 && is_not_started(err))
        max = 1;
    return (code == HV_EAGAIN || code == HV_ENET || code == HV_ETIMEOUT) && session->attempts < max;
}

/* A refusal that names a piece of the request: once more without it. The journal says so for those who go on. */
static bool ask_without(struct session *session, const struct hv_error *err, int status)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const char *what = model_conversation_leave_out(session->conversation, status, hv_str_from(err->message));
    if (!what)
        return false;
    session_notice(session, "warning", "the model's server refused the request because of its %s; asking without: %s",
                   what, err->message);
    struct hv_str data =
        hv_arena_format(&arena, "{\"origin\":\"%.*s\"}", HV_STR_ARG(model_origin(session->options.model)));
    session_emit(
        session,
        (struct hv_event){.type = HV_EVENT_STATE, .name = HV_STR("left_out"), .text = hv_str_from(what), .data = data});
    turn_request(session);
    return true;
}

/* Nothing was said: it happens (a server lost a call that it could not read), and once more often helps. */
static void ask_again_after_nothing(struct session *session)
{
    account(session);
    if (session->empty_answers++ == 0) {
        session_notice(session, "warning", "the model's answer was empty; asking once more");
        turn_request(session);
        return;
    }
    session->outcome.turns++;
    finish_with(session, SESSION_FAILED, HV_EPROTO, "the model answered with nothing, twice",
                "ask again in other words, or use another model; a server of one's own may lack the parser for the "
                "model's tool calls");
}

static bool is_nothing(const struct response *response)
{
    return response->empty && response->call_count == 0 &&
           (response->stop == MODEL_STOP_END_TURN || response->stop == MODEL_STOP_TOOL_USE ||
            response->stop == MODEL_STOP_SEQUENCE);
}

void response_on_end(void *user, enum hv_code code, const struct hv_error *err, int status, int64_t retry_after_ms)
{
    struct session *session = user;
    struct response *response = &session->response;
    session->stream = NULL;
    if (code == HV_OK && is_nothing(response) && !session->interrupted) {
        ask_again_after_nothing(session);
    } else if (code == HV_OK) {
        session->attempts = session->empty_answers = 0;
        session->cut_answers = response->cut_calls ? session->cut_answers + 1 : 0;
        close_message(session);
    } else if (response->call_count > 0) {
        /* Its calls have started: what is complete is kept, and the turn goes on from there. */
        if (!session->interrupted) {
            session->attempts++;
            session_notice(session, "warning", "the stream was cut after %zu complete calls; going on with these: %s",
                           response->call_count, err->message);
        }
        response->complete = false;
        close_message(session);
    } else if (session->interrupted) {
        turn_finish(session, SESSION_INTERRUPTED, NULL);
    } else if (ask_without(session, err, status)) {
        return;
    } else if (may_retry(session, code, err)) {
        retry_later(session, err, status, retry_after_ms);
    } else {
        fail(session, err, status);
    }
}

/* ---- what comes next --------------------------------------------------------------------------------------------- */

static void stop_hooks_done(void *user, const struct runtime_hook_outcome *outcome)
{
    struct session *session = user;
    if (session->interrupted) {
        turn_finish(session, SESSION_INTERRUPTED, NULL);
        return;
    }
    if (!outcome->block || outcome->stop || session->stop_blocks >= STOP_BLOCKS_MAX) {
        if (outcome->block && !outcome->stop)
            session_notice(session, "warning", "the Stop hooks asked to go on %d times in a row; stopping anyway",
                           STOP_BLOCKS_MAX);
        turn_finish(session, SESSION_DONE, NULL);
        return;
    }
    session->stop_blocks++;
    CLEANUP_BUF struct hv_buf content = {0};
    struct hv_json_writer writer;
    hv_buf_init(&content, BLOCKS_MAX);
    hv_json_writer_init(&writer, &content);
    hv_json_begin_array(&writer);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "type", "text");
    hv_json_member_string(&writer, "text",
                          outcome->reason.len ? outcome->reason : HV_STR("A Stop hook asks you to go on."));
    hv_json_end_object(&writer);
    hv_json_end_array(&writer);
    if (turn_add_message(session, MODEL_USER, hv_buf_str(&content), (struct hv_str){0}) == HV_OK)
        turn_request(session);
}

static void run_stop_hooks(struct session *session)
{
    CLEANUP_BUF struct hv_buf members = {0};
    struct hv_json_writer writer;
    hv_buf_init(&members, BLOCKS_MAX);
    hv_json_writer_init(&writer, &members);
    hv_json_begin_object(&writer);
    hv_json_member_bool(&writer, "stop_hook_active", session->stop_blocks > 0);
    hv_json_member_string(&writer, "last_assistant_message", hv_buf_str(&session->last_text));
    hv_json_end_object(&writer);
    session->state = SESSION_IN_HOOK;
    runtime_run_hooks(session->runtime, "Stop", (struct hv_str){0}, hv_buf_str(&members), stop_hooks_done, session);
}

/* The model would end its turn, but something has come of its tasks meanwhile: it is told, and goes on. */
static bool tell_notes(struct session *session)
{
    CLEANUP_BUF struct hv_buf content = {0};
    if (session->note_rounds >= NOTE_ROUNDS_MAX)
        return false;
    hv_buf_init(&content, BLOCKS_MAX);
    hv_buf_add_byte(&content, '[');
    if (!runtime_take_notes(session->runtime, &content))
        return false;
    hv_buf_add_byte(&content, ']');
    session->note_rounds++;
    if (turn_add_message(session, MODEL_USER, hv_buf_str(&content), HV_STR("{\"synthetic\":true}")) == HV_OK)
        turn_request(session);
    return true;
}

/* What the model meant as a call or as thinking came as text: its server lacks the parser for it. */
static void tell_markup(struct session *session)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    size_t count, stable;
    uint64_t generation;
    const struct runtime_tool *tools = runtime_tools(session->runtime, &count, &stable, &generation);
    struct hv_str *names = hv_arena_array(&arena, struct hv_str, count);
    for (size_t i = 0; i < count; i++)
        names[i] = hv_str_from(tools[i].tool->name);
    const char *markup = markup_find(hv_buf_str(&session->last_text), names, count);
    if (markup)
        session_notice(session, "warning",
                       "the answer holds %s as plain text: the model's server did not read it; switch on its parser of "
                       "tool calls and reasoning for this model (vLLM: --tool-call-parser, llama.cpp: --jinja)",
                       markup);
}

/* The message asked for no call: its stop reason decides. */
static void settle_without_calls(struct session *session)
{
    switch (session->response.stop) {
    case MODEL_STOP_PAUSE:
        if (session->pauses++ < PAUSES_MAX)
            turn_request(session);
        else
            finish_with(session, SESSION_FAILED, HV_EPROTO, "the model paused its turn again and again",
                        "try again, or use another model");
        break;
    case MODEL_STOP_REFUSAL:
        finish_with(session, SESSION_REFUSED, HV_EDENIED, "the model declined to answer (stop reason: refusal)",
                    "change the request, or use another model");
        break;
    case MODEL_STOP_CONTEXT:
        finish_with(session, SESSION_FAILED, HV_ETOOBIG, "the model's context window is full",
                    "start a new session, or use a model with a larger window");
        break;
    case MODEL_STOP_MAX_TOKENS:
        session_notice(session, "warning",
                       "the answer was cut at the limit of output tokens; maxOutputTokens in the settings "
                       "raises it");
        run_stop_hooks(session);
        break;
    default:
        tell_markup(session);
        if (!tell_notes(session))
            run_stop_hooks(session);
    }
}

void response_settled(struct session *session)
{
    struct response *response = &session->response;
    if (session->interrupted) {
        turn_finish(session, SESSION_INTERRUPTED, NULL);
    } else if (response->call_count == 0) {
        settle_without_calls(session);
    } else if (response->ends_turn) {
        turn_finish(session, SESSION_DONE, NULL);
    } else if (response->stop == MODEL_STOP_CONTEXT) {
        finish_with(session, SESSION_FAILED, HV_ETOOBIG, "the model's context window is full",
                    "start a new session, or use a model with a larger window");
    } else if (!response->complete && session->attempts >= attempts_max()) {
        finish_with(session, SESSION_FAILED, HV_ENET, "the model's streams were cut again and again",
                    "check the connection, then go on with --continue");
    } else if (session->cut_answers >= CUTS_MAX) {
        finish_with(session, SESSION_FAILED, HV_ETOOBIG,
                    "the limit of output tokens cut the model's calls again and again",
                    "raise maxOutputTokens in the settings, or ask for smaller parts, with --continue");
    } else {
        turn_request(session);
    }
}
