/* print_output.c: events and outcomes as lines of JSON, in the shapes of Claude Code's stream-json. See print.h. */
#include <helve/helve.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "cli/print.h"

enum { LINE_MAX_BYTES = 1 << 30 };

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* output_lock held. */
static void write_now(struct print *print, struct hv_str line)
{
    if (print->output_errno)
        return;
    print->output_errno = cli_write(1, line);
    if (print->output_errno && print->session)
        session_interrupt(print->session);
}

void print_line(struct print *print, const struct hv_buf *line)
{
    LOCK_SCOPE(&print->output_lock);
    if (print->ended)
        return;
    if (print->held)
        hv_buf_add_str(&print->waiting_lines, hv_buf_str(line));
    else
        write_now(print, hv_buf_str(line));
}

/* No turn follows the one that ends now. */
static bool is_last_turn(const struct print *print)
{
    bool may_go_on = print->flags->input == 2 && !print->signal && !print->output_errno;
    return !may_go_on || (print->input.ended && print->input.waiting.count == 0);
}

void print_begin_close(struct print *print)
{
    LOCK_SCOPE(&print->output_lock);
    print->ended = print->has_result && print->last_line.len == 0;
}

void print_last_line(struct print *print)
{
    LOCK_SCOPE(&print->output_lock);
    if (print->last_line.len > 0 && !print->output_errno)
        print->output_errno = cli_write(1, hv_buf_str(&print->last_line));
    hv_buf_clear(&print->last_line);
    print->ended = print->has_result;
}

static bool has_ended(struct print *print)
{
    LOCK_SCOPE(&print->output_lock);
    return print->ended;
}

void print_begin(struct hv_json_writer *writer, struct hv_buf *buf, const char *type, const char *subtype)
{
    hv_buf_init(buf, LINE_MAX_BYTES);
    hv_json_writer_init(writer, buf);
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "type", type);
    if (subtype)
        hv_json_member_cstr(writer, "subtype", subtype);
}

/* The last members of a line, under its own id. */
static void end_line(struct print *print, struct hv_json_writer *writer, struct hv_str uuid)
{
    hv_json_member_string(writer, "session_id", print->session_id);
    hv_json_member_string(writer, "uuid", uuid);
    hv_json_end_object(writer);
    hv_buf_add_byte(writer->buf, '\n');
}

static void end_as(struct print *print, struct hv_json_writer *writer, struct hv_str uuid)
{
    end_line(print, writer, uuid);
    print_line(print, writer->buf);
}

void print_end(struct print *print, struct hv_json_writer *writer)
{
    char uuid[SESSION_ID_SIZE];
    session_id_new(uuid);
    end_as(print, writer, hv_str_from(uuid));
}

/* A result after which another turn may come is written at once, the last one when the session is closed. */
static void end_result(struct print *print, struct hv_json_writer *writer)
{
    char uuid[SESSION_ID_SIZE];
    session_id_new(uuid);
    end_line(print, writer, hv_str_from(uuid));
    LOCK_SCOPE(&print->output_lock);
    print->has_result = true;
    hv_buf_clear(&print->last_line);
    if (is_last_turn(print))
        hv_buf_add_str(&print->last_line, hv_buf_str(writer->buf));
    else
        write_now(print, hv_buf_str(writer->buf));
}

/* ---- init -------------------------------------------------------------------------------------------------------- */

static void put_empty_array(struct hv_json_writer *writer, const char *name)
{
    hv_json_name(writer, name);
    hv_json_begin_array(writer);
    hv_json_end_array(writer);
}

static void put_tools(struct print *print, struct hv_json_writer *writer)
{
    size_t count, stable;
    uint64_t generation;
    const struct runtime_tool *tools = runtime_tools(session_runtime(print->session), &count, &stable, &generation);
    hv_json_name(writer, "tools");
    hv_json_begin_array(writer);
    for (size_t i = 0; i < count; i++)
        hv_json_put_cstr(writer, tools[i].tool->name);
    hv_json_end_array(writer);
}

static const char *key_source(const struct setup *setup)
{
    const struct model_variables *variables = model_variables(model_provider_name(setup->model));
    return variables && setup_variable(setup, variables->key).ptr ? variables->key : "none";
}

void print_init(struct print *print)
{
    CLEANUP_BUF struct hv_buf line = {0};
    struct hv_json_writer writer;
    struct runtime *runtime = session_runtime(print->session);
    struct policy *policy = runtime_policy(runtime);
    pthread_mutex_lock(&print->output_lock);
    print->held = false;
    pthread_mutex_unlock(&print->output_lock);
    print_begin(&writer, &line, "system", "init");
    hv_json_member_string(&writer, "cwd", runtime_directory(runtime));
    put_tools(print, &writer);
    put_empty_array(&writer, "mcp_servers");
    hv_json_member_string(&writer, "model", print->start_model);
    hv_json_member_cstr(&writer, "permissionMode", policy_mode_name(policy_mode_of(policy)));
    put_empty_array(&writer, "slash_commands");
    put_empty_array(&writer, "agents");
    put_empty_array(&writer, "skills");
    put_empty_array(&writer, "plugins");
    hv_json_member_cstr(&writer, "apiKeySource", key_source(&print->setup));
    hv_json_member_cstr(&writer, "helve_version", HELVE_VERSION);
    hv_json_member_cstr(&writer, "output_style", "default");
    print_end(print, &writer);
    policy_unref(policy);
    LOCK_SCOPE(&print->output_lock);
    if (print->waiting_lines.len > 0)
        write_now(print, hv_buf_str(&print->waiting_lines));
    hv_buf_release(&print->waiting_lines);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static void put_copy(struct hv_json_writer *writer, const struct hv_json *object, const char *name)
{
    const struct hv_json *value = hv_json_get(object, name);
    hv_json_name(writer, name);
    if (value)
        hv_json_put_value(writer, value);
    else
        hv_json_put_null(writer);
}

static void assistant_line(struct print *print, const struct hv_event *event, const struct hv_json *data)
{
    CLEANUP_BUF struct hv_buf line = {0};
    struct hv_json_writer writer;
    print_begin(&writer, &line, "assistant", NULL);
    hv_json_name(&writer, "message");
    hv_json_begin_object(&writer);
    put_copy(&writer, data, "id");
    hv_json_member_cstr(&writer, "type", "message");
    hv_json_member_cstr(&writer, "role", "assistant");
    put_copy(&writer, data, "model");
    hv_json_member_raw(&writer, "content", event->json);
    put_copy(&writer, data, "stop_reason");
    hv_json_name(&writer, "stop_sequence");
    hv_json_put_null(&writer);
    put_copy(&writer, data, "usage");
    hv_json_end_object(&writer);
    hv_json_name(&writer, "parent_tool_use_id");
    hv_json_put_null(&writer);
    print_end(print, &writer);
}

static void user_line(struct print *print, const struct hv_event *event, bool is_prompt, const struct hv_json *data)
{
    struct hv_str uuid = hv_json_get_string(data, "uuid");
    CLEANUP_BUF struct hv_buf line = {0};
    struct hv_json_writer writer;
    print_begin(&writer, &line, "user", NULL);
    hv_json_name(&writer, "message");
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "role", "user");
    hv_json_member_raw(&writer, "content", event->json);
    hv_json_end_object(&writer);
    hv_json_name(&writer, "parent_tool_use_id");
    hv_json_put_null(&writer);
    if (is_prompt)
        hv_json_member_bool(&writer, "isReplay", true);
    if (hv_json_bool(hv_json_get(data, "synthetic"), false))
        hv_json_member_bool(&writer, "isSynthetic", true);
    if (uuid.len)
        end_as(print, &writer, uuid);
    else
        print_end(print, &writer);
}

static void message_lines(struct print *print, const struct hv_event *event, const struct hv_json *data)
{
    bool is_prompt = hv_json_bool(hv_json_get(data, "prompt"), false);
    if (hv_json_bool(hv_json_get(data, "inherited"), false))
        return;
    if (hv_str_is(event->name, "assistant"))
        assistant_line(print, event, data);
    else if (!is_prompt || print->flags->replay_user)
        user_line(print, event, is_prompt, data);
}

/* ---- other events ------------------------------------------------------------------------------------------------ */

struct open_call *print_find_call(struct print *print, struct hv_str id)
{
    for (size_t i = 0; i < print->calls.count; i++)
        if (hv_str_eq(print->calls.items[i].id, id))
            return &print->calls.items[i];
    return NULL;
}

static void raw_line(struct print *print, const struct hv_event *event)
{
    CLEANUP_BUF struct hv_buf line = {0};
    struct hv_json_writer writer;
    print_begin(&writer, &line, "stream_event", NULL);
    hv_json_member_raw(&writer, "event", event->json);
    hv_json_name(&writer, "parent_tool_use_id");
    hv_json_put_null(&writer);
    print_end(print, &writer);
}

static void retry_line(struct print *print, const struct hv_event *event, const struct hv_json *data)
{
    CLEANUP_BUF struct hv_buf line = {0};
    struct hv_json_writer writer;
    int64_t status = 0;
    print_begin(&writer, &line, "system", "api_retry");
    put_copy(&writer, data, "attempt");
    put_copy(&writer, data, "max_retries");
    hv_json_name(&writer, "retry_delay_ms");
    hv_json_put_value(&writer, hv_json_get(data, "delay_ms"));
    hv_json_name(&writer, "error_status");
    if (hv_json_int64(hv_json_get(data, "status"), &status) && status > 0)
        hv_json_put_int(&writer, status);
    else
        hv_json_put_null(&writer);
    hv_json_member_string(&writer, "error", event->text);
    print_end(print, &writer);
}

static void notice_line(struct print *print, const struct hv_event *event)
{
    CLEANUP_BUF struct hv_buf line = {0};
    struct hv_json_writer writer;
    if (has_ended(print)) {
        cli_note("%.*s", HV_STR_ARG(event->text));
        return;
    }
    print_begin(&writer, &line, "system", "informational");
    hv_json_member_string(&writer, "content", event->text);
    hv_json_member_string(&writer, "level", event->name);
    print_end(print, &writer);
}

static void denied_line(struct print *print, const struct hv_event *event, const struct hv_json *data)
{
    CLEANUP_BUF struct hv_buf line = {0};
    struct hv_json_writer writer;
    print_begin(&writer, &line, "system", "permission_denied");
    hv_json_member_string(&writer, "tool_name", event->tool);
    hv_json_member_string(&writer, "tool_use_id", event->call_id);
    hv_json_member_string(&writer, "decision_reason_type", hv_json_get_string(data, "stage"));
    hv_json_member_string(&writer, "message", event->text);
    print_end(print, &writer);
}

static void hook_line(struct print *print, const struct hv_event *event, const struct hv_json *data)
{
    CLEANUP_BUF struct hv_buf line = {0};
    struct hv_json_writer writer;
    print_begin(&writer, &line, "system", "hook_response");
    hv_json_member_string(&writer, "hook_name", event->name);
    hv_json_member_string(&writer, "hook_event", event->name);
    hv_json_member_string(&writer, "command", event->text);
    hv_json_name(&writer, "exit_code");
    hv_json_put_value(&writer, hv_json_get(data, "exit"));
    hv_json_member_string(&writer, "outcome", hv_json_get_string(data, "verdict"));
    hv_json_member_int(&writer, "duration_ms", (int64_t)(event->duration_ns / CLOCK_MILLISECOND));
    print_end(print, &writer);
}

static void progress_line(struct print *print, const struct hv_event *event)
{
    CLEANUP_BUF struct hv_buf line = {0};
    struct hv_json_writer writer;
    print_begin(&writer, &line, "tool_progress", NULL);
    hv_json_member_string(&writer, "tool_use_id", event->call_id);
    hv_json_member_string(&writer, "tool_name", event->tool);
    hv_json_name(&writer, "parent_tool_use_id");
    hv_json_put_null(&writer);
    hv_json_member_string(&writer, "content", event->text);
    print_end(print, &writer);
}

void print_stream_event(struct print *print, const struct hv_event *event)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    const struct hv_json *data = NULL;
    if (event->data.len > 0 && event->type != HV_EVENT_RESULT &&
        hv_json_parse(&scratch, event->data, HV_JSON_STRICT, &data, NULL) != HV_OK)
        data = NULL;
    switch (event->type) {
    case HV_EVENT_MESSAGE: message_lines(print, event, data); break;
    case HV_EVENT_STREAM_EVENT: raw_line(print, event); break;
    case HV_EVENT_RETRY: retry_line(print, event, data); break;
    case HV_EVENT_NOTICE: notice_line(print, event); break;
    case HV_EVENT_PROGRESS: progress_line(print, event); break;
    case HV_EVENT_TASK: print_task_event(print, event, data); break;
    case HV_EVENT_HOOK:
        if (print->flags->hook_events)
            hook_line(print, event, data);
        break;
    case HV_EVENT_DECISION:
        if (!event->ok)
            denied_line(print, event, data);
        break;
    default: break;
    }
}

void print_note_denial(struct print *print, const struct hv_event *event)
{
    struct open_call *call = print_find_call(print, event->call_id);
    CLEANUP_ARENA struct hv_arena scratch = {0};
    const struct hv_json *input;
    struct hv_json_writer writer;
    if (call)
        call->denied = true;
    if (print->denials.len > 0)
        hv_buf_add_byte(&print->denials, ',');
    hv_json_writer_init(&writer, &print->denials);
    hv_json_begin_object(&writer);
    hv_json_member_string(&writer, "tool_name", event->tool);
    hv_json_member_string(&writer, "tool_use_id", event->call_id);
    hv_json_name(&writer, "tool_input");
    if (call &&
        hv_json_parse(&scratch, call->input, HV_JSON_REPAIR_SURROGATES | HV_JSON_REPAIR_UTF8, &input, NULL) == HV_OK)
        hv_json_put_value(&writer, input);
    else
        hv_json_put_string(&writer, call ? call->input : HV_STR(""));
    hv_json_end_object(&writer);
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

static void put_usage(struct hv_json_writer *writer, const struct model_usage *usage)
{
    hv_json_name(writer, "usage");
    hv_json_begin_object(writer);
    hv_json_member_int(writer, "input_tokens", usage->input_tokens);
    hv_json_member_int(writer, "cache_creation_input_tokens", usage->cache_write_tokens);
    hv_json_member_int(writer, "cache_read_input_tokens", usage->cache_read_tokens);
    hv_json_member_int(writer, "output_tokens", usage->output_tokens);
    hv_json_end_object(writer);
}

static void put_usage_of(struct hv_json_writer *writer, const struct model *model, struct hv_str name,
                         const struct model_usage *usage, double cost)
{
    hv_json_name_str(writer, name);
    hv_json_begin_object(writer);
    hv_json_member_int(writer, "inputTokens", usage->input_tokens);
    hv_json_member_int(writer, "outputTokens", usage->output_tokens);
    hv_json_member_int(writer, "cacheReadInputTokens", usage->cache_read_tokens);
    hv_json_member_int(writer, "cacheCreationInputTokens", usage->cache_write_tokens);
    hv_json_member_int(writer, "webSearchRequests", usage->searches);
    if (usage->searches)
        hv_json_member_int(writer, "webSearchRequests", usage->searches);
    hv_json_member_double(writer, "costUSD", cost);
    hv_json_member_int(writer, "contextWindow", model_context_window(model));
    hv_json_end_object(writer);
}

static void put_model_usage(struct print *print, struct hv_json_writer *writer)
{
    struct model_usage usage, side;
    double cost, side_cost;
    const struct model *small = print->setup.small_model;
    session_totals(print->session, &usage, &cost);
    session_side_totals(print->session, &side, &side_cost);
    hv_json_member_double(writer, "total_cost_usd", cost);
    hv_json_name(writer, "modelUsage");
    hv_json_begin_object(writer);
    bool apart =
        small && (side.input_tokens || side.output_tokens) && !hv_str_eq(model_name(small), print->start_model);
    put_usage_of(writer, print->setup.model, print->start_model, &usage, apart ? cost - side_cost : cost);
    if (apart)
        put_usage_of(writer, small, model_name(small), &side, side_cost);
    hv_json_end_object(writer);
}

static void put_errors(struct hv_json_writer *writer, const struct session_outcome *outcome, bool gave_up)
{
    hv_json_name(writer, "errors");
    hv_json_begin_array(writer);
    if (outcome->error.message[0]) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        const char *hint = outcome->error.hint;
        hv_json_put_string(writer,
                           hv_arena_format(&arena, "%s%s%s", outcome->error.message, hint[0] ? "; " : "", hint));
    }
    if (gave_up)
        hv_json_put_cstr(writer, "the model gave no answer that fits the schema");
    hv_json_end_array(writer);
}

/* The words of Claude Code: a failing API is a "success" that is an error; only helve's own limits have names. */
static const char *subtype_of(const struct session_outcome *outcome, bool gave_up)
{
    if (gave_up)
        return "error_max_structured_output_retries";
    return outcome->ending == SESSION_FAILED && outcome->status > 0 ? "success" : session_ending_name(outcome->ending);
}

void print_result(struct print *print, const struct session_outcome *outcome, struct hv_str structured, bool gave_up)
{
    CLEANUP_BUF struct hv_buf line = {0};
    struct hv_json_writer writer;
    bool failed = gave_up || outcome->ending != SESSION_DONE;
    const char *subtype = subtype_of(outcome, gave_up);
    print_begin(&writer, &line, "result", subtype);
    hv_json_member_bool(&writer, "is_error", failed);
    hv_json_member_int(&writer, "duration_ms", (int64_t)(outcome->duration_ns / CLOCK_MILLISECOND));
    hv_json_member_int(&writer, "duration_api_ms", (int64_t)(outcome->api_duration_ns / CLOCK_MILLISECOND));
    hv_json_member_int(&writer, "num_turns", outcome->turns);
    if (hv_str_is(HV_STR("success"), subtype))
        hv_json_member_string(&writer, "result",
                              failed && outcome->text.len == 0 ? hv_str_from(outcome->error.message) : outcome->text);
    if (structured.ptr)
        hv_json_member_raw(&writer, "structured_output", structured);
    hv_json_name(&writer, "stop_reason");
    hv_json_put_string(&writer, outcome->stop_reason.len > 0 ? outcome->stop_reason : (struct hv_str){0});
    put_usage(&writer, &outcome->usage);
    put_model_usage(print, &writer);
    hv_json_name(&writer, "permission_denials");
    hv_json_begin_array(&writer);
    if (print->denials.len > 0)
        hv_json_put_raw(&writer, hv_buf_str(&print->denials));
    hv_json_end_array(&writer);
    if (failed)
        put_errors(&writer, outcome, gave_up);
    hv_buf_clear(&print->denials);
    end_result(print, &writer);
}
