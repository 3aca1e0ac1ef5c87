/*
 * turn.c: one turn, from the prompt to its end: hooks around it, requests, limits, retries' waiting, interruption.
 * What a response brings is handled in response.c. See session.h.
 */
#include "agent/session_inner.h"
#include "base/cleanup.h"

enum { CONTENT_MAX = 256 << 20, TEXT_MAX = 32 << 20 };

/* ---- messages -------------------------------------------------------------------------------------------------- */

static enum hv_code append_to_last(struct session *session, struct hv_str content, struct hv_error *err)
{
    size_t count = model_conversation_count(session->conversation);
    struct hv_buf *last = &session->last_content;
    if (content.len <= 2)
        return HV_OK; /* "[]" */
    last->data[last->len - 1] = ',';
    hv_buf_add_str(last, hv_str_slice(content, 1, content.len));
    if (last->failed)
        return hv_fail(err, HV_ETOOBIG, "the message is larger than %d MiB", CONTENT_MAX >> 20);
    model_conversation_truncate(session->conversation, count - 1);
    return model_conversation_append(session->conversation, session->last_role, hv_buf_str(last), err);
}

enum hv_code turn_append(struct session *session, enum model_role role, struct hv_str content, struct hv_error *err)
{
    if (role == session->last_role && session->last_content.len > 2)
        return append_to_last(session, content, err);
    session->last_role = role;
    hv_buf_clear(&session->last_content);
    hv_buf_add_str(&session->last_content, content);
    return model_conversation_append(session->conversation, role, content, err);
}

enum hv_code turn_add_message(struct session *session, enum model_role role, struct hv_str content, struct hv_str data)
{
    struct hv_error err;
    /* The journal first: what the model is told later was written before. */
    session_emit(session, (struct hv_event){
                              .type = HV_EVENT_MESSAGE,
                              .name = role == MODEL_ASSISTANT ? HV_STR("assistant") : HV_STR("user"),
                              .json = content,
                              .data = data,
                          });
    enum hv_code code = turn_append(session, role, content, &err);
    if (code != HV_OK)
        turn_finish(session, SESSION_FAILED, &err);
    return code;
}

static void put_text_block(struct hv_json_writer *writer, struct hv_str text)
{
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "type", "text");
    hv_json_member_string(writer, "text", text);
    hv_json_end_object(writer);
}

static void put_context_block(struct hv_json_writer *writer, struct hv_str context)
{
    if (context.len == 0)
        return;
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, TEXT_MAX);
    hv_buf_addf(&text, "<hook_context>\n%.*s\n</hook_context>", HV_STR_ARG(context));
    put_text_block(writer, hv_buf_str(&text));
}

/* The message is added under its id, which is used up. */
static enum hv_code add_named(struct session *session, struct hv_str content)
{
    char data[SESSION_MESSAGE_ID_SIZE + 40], id[SESSION_ID_SIZE];
    session_id_new(id);
    int len = snprintf(data, sizeof data, "{\"prompt\":true,\"uuid\":\"%s\"}",
                       session->prompt_id[0] ? session->prompt_id : id);
    session->prompt_id[0] = '\0';
    return turn_add_message(session, MODEL_USER, content, hv_str_of(data, (size_t)len));
}

/* Add the prompt, with what hooks had to say before it. */
static enum hv_code add_prompt(struct session *session, struct hv_str hook_context)
{
    CLEANUP_BUF struct hv_buf content = {0};
    struct hv_json_writer writer;
    CLEANUP_BUF struct hv_buf notes = {.max = TEXT_MAX};
    struct hv_str prompt = hv_buf_str(&session->prompt);
    bool has_notes = runtime_take_notes(session->runtime, &notes);
    if (session->start_context.len == 0 && hook_context.len == 0 && !has_notes)
        return add_named(session, prompt);
    hv_buf_init(&content, CONTENT_MAX);
    hv_json_writer_init(&writer, &content);
    hv_json_begin_array(&writer);
    if (has_notes)
        hv_json_put_raw(&writer, hv_buf_str(&notes));
    put_context_block(&writer, session->start_context);
    put_context_block(&writer, hook_context);
    if (prompt.len > 2)
        hv_json_put_raw(&writer, hv_str_slice(prompt, 1, prompt.len - 1));
    hv_json_end_array(&writer);
    session->start_context = (struct hv_str){0};
    return add_named(session, hv_buf_str(&content));
}

/* The text of the prompt, for hooks. */
static void put_prompt_text(struct session *session, struct hv_buf *text)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    const struct hv_json *blocks;
    if (hv_json_parse(&scratch, hv_buf_str(&session->prompt), HV_JSON_STRICT, &blocks, NULL) != HV_OK)
        return;
    hv_json_each(block, blocks)
    {
        struct hv_str part = hv_json_get_string(block, "text");
        if (part.len > 0 && text->len > 0)
            hv_buf_add_byte(text, '\n');
        hv_buf_add_str(text, part);
    }
}

/* ---- the beginning --------------------------------------------------------------------------------------------- */

static void prompt_hooks_done(void *user, const struct runtime_hook_outcome *outcome)
{
    struct session *session = user;
    if (session->interrupted) {
        turn_finish(session, SESSION_INTERRUPTED, NULL);
        return;
    }
    if (outcome->block || outcome->stop) {
        struct hv_error err;
        hv_fail(&err, HV_EDENIED, "a UserPromptSubmit hook did not let the prompt through: %.*s",
                HV_STR_ARG(outcome->reason));
        turn_finish(session, SESSION_BLOCKED, &err);
        return;
    }
    if (add_prompt(session, outcome->context) == HV_OK)
        turn_request(session);
}

static void run_prompt_hooks(struct session *session)
{
    CLEANUP_BUF struct hv_buf text = {0}, members = {0};
    struct hv_json_writer writer;
    hv_buf_init(&text, TEXT_MAX);
    hv_buf_init(&members, TEXT_MAX);
    put_prompt_text(session, &text);
    hv_json_writer_init(&writer, &members);
    hv_json_begin_object(&writer);
    hv_json_member_string(&writer, "prompt", hv_buf_str(&text));
    hv_json_end_object(&writer);
    runtime_run_hooks(session->runtime, "UserPromptSubmit", (struct hv_str){0}, hv_buf_str(&members), prompt_hooks_done,
                      session);
}

static void start_hooks_done(void *user, const struct runtime_hook_outcome *outcome)
{
    struct session *session = user;
    session->started = true;
    session->start_context = hv_arena_str(&session->arena, outcome->context);
    if (outcome->block && !outcome->stop)
        session_notice(session, "warning", "a SessionStart hook objects: %.*s", HV_STR_ARG(outcome->reason));
    if (outcome->stop) {
        struct hv_error err;
        hv_fail(&err, HV_EDENIED, "a SessionStart hook stopped the session: %.*s", HV_STR_ARG(outcome->reason));
        turn_finish(session, SESSION_BLOCKED, &err);
        return;
    }
    run_prompt_hooks(session);
}

static void run_start_hooks(struct session *session)
{
    CLEANUP_BUF struct hv_buf members = {0};
    struct hv_json_writer writer;
    hv_buf_init(&members, TEXT_MAX);
    hv_json_writer_init(&writer, &members);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "source", session->source);
    hv_json_member_string(&writer, "model", model_name(session->options.model));
    hv_json_end_object(&writer);
    runtime_run_hooks(session->runtime, "SessionStart", hv_str_from(session->source), hv_buf_str(&members),
                      start_hooks_done, session);
}

static void begin(struct session *session)
{
    session->outcome = (struct session_outcome){0};
    session->turn_started_ns = session_now(session);
    session->interrupted = false;
    runtime_begin_turn(session->runtime);
    session->attempts = session->stop_blocks = session->pauses = session->note_rounds = session->empty_answers =
        session->cut_answers = 0;
    hv_buf_clear(&session->last_text);
    hv_buf_clear(&session->structured);
    session->state = SESSION_IN_HOOK;
}

void turn_begin_with_notes(struct session *session, struct hv_str content)
{
    begin(session);
    if (turn_add_message(session, MODEL_USER, content, HV_STR("{\"synthetic\":true}")) == HV_OK)
        turn_request(session);
}

void turn_begin(struct session *session)
{
    begin(session);
    if (session->started)
        run_prompt_hooks(session);
    else
        run_start_hooks(session);
}

/* ---- requests -------------------------------------------------------------------------------------------------- */

/* Offer the pool's tools to the model, when they changed. */
static void update_tools(struct session *session)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    size_t count, stable, offered = 0, offered_stable = 0;
    uint64_t generation;
    const struct runtime_tool *tools = runtime_tools(session->runtime, &count, &stable, &generation);
    if (session->tools_set && generation == session->tools_generation)
        return;
    struct model_tool *list = hv_arena_array(&scratch, struct model_tool, count);
    for (size_t i = 0; i < count; i++) {
        if (tools[i].deferred)
            continue;
        list[offered++] = (struct model_tool){
            .name = hv_str_from(tools[i].tool->name),
            .description = hv_str_from(tools[i].tool->description),
            .input_schema = tools[i].input_schema,
        };
        offered_stable += i < stable;
    }
    model_conversation_set_tools(session->conversation, list, offered, offered_stable);
    session->tools_generation = generation;
    session->tools_set = true;
}

static void emit_request(struct session *session)
{
    CLEANUP_BUF struct hv_buf data = {0};
    struct hv_json_writer writer;
    hv_buf_init(&data, TEXT_MAX);
    hv_json_writer_init(&writer, &data);
    hv_json_begin_object(&writer);
    hv_json_member_string(&writer, "model", model_name(session->options.model));
    hv_json_member_int(&writer, "bytes", (int64_t)model_conversation_bytes(session->conversation));
    hv_json_member_int(&writer, "messages", (int64_t)model_conversation_count(session->conversation));
    hv_json_member_int(&writer, "attempt", session->attempts + 1);
    hv_json_end_object(&writer);
    session_emit(session, (struct hv_event){.type = HV_EVENT_REQUEST, .data = hv_buf_str(&data)});
}

static bool limits_reached(struct session *session)
{
    struct hv_error err;
    if (session->options.max_turns > 0 && session->outcome.turns >= session->options.max_turns) {
        hv_fail(&err, HV_ETOOBIG, "reached the limit of %u turns", session->options.max_turns);
        hv_error_hint(&err, "raise --max-turns, or go on with --resume %.*s", HV_STR_ARG(session->id));
        turn_finish(session, SESSION_MAX_TURNS, &err);
        return true;
    }
    if (session->options.max_cost > 0 && session->total_cost >= session->options.max_cost) {
        hv_fail(&err, HV_ETOOBIG, "reached the budget: $%.4f of $%.4f", session->total_cost, session->options.max_cost);
        hv_error_hint(&err, "raise --max-budget-usd, or go on with --resume %.*s", HV_STR_ARG(session->id));
        turn_finish(session, SESSION_OVER_BUDGET, &err);
        return true;
    }
    return false;
}

void turn_request(struct session *session)
{
    struct hv_error err;
    if (session->interrupted) {
        turn_finish(session, SESSION_INTERRUPTED, NULL);
        return;
    }
    if (limits_reached(session))
        return;
    update_tools(session);
    response_reset(&session->response);
    session->response.started_ns = session_now(session);
    session->state = SESSION_STREAMING;
    emit_request(session);
    struct model_stream_handlers handlers = {
        .on_event = response_on_event,
        .on_raw = session->options.raw_events ? response_on_raw : NULL,
        .on_end = response_on_end,
        .user = session,
    };
    if (model_send(session->conversation, &handlers, &session->stream, &err) != HV_OK) {
        session->stream = NULL;
        turn_finish(session, SESSION_FAILED, &err);
    }
}

/* ---- interruption ---------------------------------------------------------------------------------------------- */

void turn_interrupt(struct session *session)
{
    if (session->state == SESSION_IDLE || session->interrupted)
        return;
    session->interrupted = true;
    if (session->batch)
        batch_cancel(session->batch, "the user interrupted the turn");
    if (session->stream) {
        model_stream_cancel(session->stream);
    } else if (session->timer) {
        loop_timer_stop(session->timer);
        session->timer = NULL;
        turn_finish(session, SESSION_INTERRUPTED, NULL);
    } else if (session->state == SESSION_IN_HOOK) {
        runtime_cancel_hooks(session->runtime);
    }
    /* After a hook or the tools their callbacks see the flag. */
}

/* ---- the end --------------------------------------------------------------------------------------------------- */

static void emit_turn_end(struct session *session)
{
    CLEANUP_BUF struct hv_buf data = {0};
    struct hv_json_writer writer;
    const struct session_outcome *outcome = &session->outcome;
    hv_buf_init(&data, TEXT_MAX);
    hv_json_writer_init(&writer, &data);
    hv_json_begin_object(&writer);
    hv_json_member_int(&writer, "turns", outcome->turns);
    session_put_usage(&writer, &outcome->usage);
    hv_json_member_double(&writer, "cost", outcome->cost);
    if (outcome->error.message[0])
        hv_json_member_cstr(&writer, "error", outcome->error.message);
    hv_json_end_object(&writer);
    session_emit(session, (struct hv_event){.type = HV_EVENT_TURN_END,
                                            .text = hv_str_from(session_ending_name(outcome->ending)),
                                            .duration_ns = outcome->duration_ns,
                                            .data = hv_buf_str(&data)});
}

void turn_finish(struct session *session, enum session_ending ending, const struct hv_error *error)
{
    if (session->state == SESSION_IDLE)
        return;
    struct session_outcome *outcome = &session->outcome;
    session->state = SESSION_IDLE;
    outcome->ending = ending;
    outcome->error = (struct hv_error){0};
    if (error)
        outcome->error = *error;
    else if (ending == SESSION_INTERRUPTED)
        hv_fail(&outcome->error, HV_ECANCELLED, "interrupted");
    outcome->text = hv_buf_str(&session->last_text);
    outcome->structured = session->structured.len > 0 ? hv_buf_str(&session->structured) : (struct hv_str){0};
    outcome->stop_reason = hv_str_from(outcome->stop_reason.ptr ? outcome->stop_reason.ptr : "");
    outcome->duration_ns = session_now(session) - session->turn_started_ns;
    emit_turn_end(session);
    runtime_end_turn(session->runtime);
    session->options.on_turn_end(session->options.user, outcome);
}
