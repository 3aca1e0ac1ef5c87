/* session.c: making, closing and asking a session; the turn itself is in turn.c and response.c. See session.h. */
#include "agent/session.h"

#include <helve/helve.h>

#include "agent/prompt.h"
#include "agent/session_inner.h"
#include "agent/side.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/path.h"
#include "journal/resume.h"

enum { CONTENT_MAX = 256 << 20, PROMPT_MAX = 32 << 20, SYSTEM_MAX = 8 << 20, MEGABYTES_MAX = 1 << 30 };

/* ---- small helpers --------------------------------------------------------------------------------------------- */

uint64_t session_now(const struct session *session)
{
    return session->options.host->monotonic_ns(session->options.host);
}

void session_emit(struct session *session, struct hv_event event)
{
    runtime_emit(session->runtime, &event);
}

void session_notice(struct session *session, const char *level, const char *format, ...)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    va_list arguments;
    va_start(arguments, format);
    struct hv_str text = hv_arena_vformat(&arena, format, arguments);
    va_end(arguments);
    session_emit(session, (struct hv_event){.type = HV_EVENT_NOTICE, .name = hv_str_from(level), .text = text});
}

void session_put_usage(struct hv_json_writer *writer, const struct model_usage *usage)
{
    hv_json_name(writer, "usage");
    hv_json_begin_object(writer);
    hv_json_member_int(writer, "input_tokens", usage->input_tokens);
    hv_json_member_int(writer, "cache_creation_input_tokens", usage->cache_write_tokens);
    hv_json_member_int(writer, "cache_read_input_tokens", usage->cache_read_tokens);
    hv_json_member_int(writer, "output_tokens", usage->output_tokens);
    if (usage->reasoning_tokens)
        hv_json_member_int(writer, "reasoning_tokens", usage->reasoning_tokens);
    if (usage->searches) {
        hv_json_name(writer, "server_tool_use");
        hv_json_begin_object(writer);
        hv_json_member_int(writer, "web_search_requests", usage->searches);
        hv_json_end_object(writer);
    }
    hv_json_end_object(writer);
}

const char *session_ending_name(enum session_ending ending)
{
    switch (ending) {
    case SESSION_DONE:
    case SESSION_REFUSED: return "success";
    case SESSION_MAX_TURNS: return "error_max_turns";
    case SESSION_OVER_BUDGET: return "error_max_budget_usd";
    case SESSION_INTERRUPTED:
    case SESSION_BLOCKED:
    case SESSION_FAILED: break;
    }
    return "error_during_execution";
}

struct hv_str session_id(const struct session *session)
{
    return session->id;
}
struct hv_str session_journal_path(const struct session *session)
{
    return session->journal ? session->journal_path : (struct hv_str){0};
}
struct runtime *session_runtime(struct session *session)
{
    return session->runtime;
}

void session_totals(const struct session *session, struct model_usage *usage, double *cost)
{
    *usage = session->total_usage;
    *cost = session->total_cost;
}

void session_whole_totals(const struct session *session, struct model_usage *usage, double *cost)
{
    session_totals(session, usage, cost);
    model_usage_add(usage, &session->earlier_usage);
    *cost += session->earlier_cost;
}

void session_side_totals(const struct session *session, struct model_usage *usage, double *cost)
{
    *usage = side_totals(session->side)->usage;
    *cost = side_totals(session->side)->cost;
}

/* ---- making ---------------------------------------------------------------------------------------------------- */

static struct hv_str *copy_strings(struct hv_arena *arena, const struct hv_str *strings, size_t count)
{
    struct hv_str *copy = hv_arena_array(arena, struct hv_str, count);
    for (size_t i = 0; i < count; i++)
        copy[i] = hv_arena_str(arena, strings[i]);
    return copy;
}

static void copy_options(struct session *session, const struct session_options *given)
{
    struct hv_arena *arena = &session->arena;
    struct session_options *options = &session->options;
    *options = *given;
    options->directory = hv_arena_str(arena, given->directory);
    options->home = hv_arena_str(arena, given->home);
    options->roots = copy_strings(arena, given->roots, given->root_count);
    options->only_tools = given->only_tools ? copy_strings(arena, given->only_tools, given->only_tool_count) : NULL;
    options->without_tools = copy_strings(arena, given->without_tools, given->without_tool_count);
    options->secrets = copy_strings(arena, given->secrets, given->secret_count);
    options->system_prompt = hv_arena_str(arena, given->system_prompt);
    options->append_system_prompt = hv_arena_str(arena, given->append_system_prompt);
    options->run_directory = hv_arena_str(arena, given->run_directory);
    options->small_model_fault = hv_arena_str(arena, given->small_model_fault);
}

/* Decide id, file and parent from what is resumed. */
static void choose_identity(struct session *session)
{
    const struct session_options *options = &session->options;
    const struct session_entry *from = options->from;
    char id[SESSION_ID_SIZE];
    session->source = !from ? "startup" : options->fork ? "fork" : "resume";
    if (from && !options->fork) {
        session->id = hv_arena_str(&session->arena, from->id);
        session->journal_path = hv_arena_str(&session->arena, from->path);
        return;
    }
    if (from)
        session->parent = hv_arena_str(&session->arena, from->id);
    session_id_new(id);
    session->id = hv_arena_str(&session->arena, options->id.ptr ? options->id : hv_str_from(id));
    session->journal_path = hv_arena_format(&session->arena, "%.*s/%.*s.jsonl",
                                            HV_STR_ARG(sessions_project_directory(&session->arena, options->directory)),
                                            HV_STR_ARG(session->id));
}

static void tell_journal_fault(void *data)
{
    struct session *session = data;
    session_notice(session, "warning", "%s; %s", session->journal_fault.message, session->journal_fault.hint);
}

static void on_journal_fault(void *user, const struct hv_error *err)
{
    struct session *session = user;
    session->journal_fault = *err;
    loop_post(session->options.loop, tell_journal_fault, session);
}

static enum hv_code open_journal(struct session *session, struct hv_error *err)
{
    if (session->options.without_journal)
        return HV_OK;
    struct journal_writer_options options = {
        .path = session->journal_path,
        .secrets = session->options.secrets,
        .secret_count = session->options.secret_count,
        .on_fault = on_journal_fault,
        .user = session,
    };
    return journal_writer_open(&options, &session->journal, err);
}

static void collect_sinks(struct session *session)
{
    size_t count = session->options.sink_count, at = 0;
    session->sinks = hv_arena_array(&session->arena, struct hv_sink, count + 1);
    if (session->journal)
        session->sinks[at++] = journal_writer_sink(session->journal);
    for (size_t i = 0; i < count; i++)
        session->sinks[at++] = session->options.sinks[i];
    session->options.sinks = session->sinks;
    session->options.sink_count = at;
}

/* Where what belongs to this session is kept. */
static struct hv_str session_folder(struct session *session)
{
    struct hv_str path = session->journal_path;
    if (hv_str_ends(path, HV_STR(".jsonl")))
        return hv_arena_str(&session->arena, hv_str_slice(path, 0, path.len - strlen(".jsonl")));
    return hv_arena_format(&session->arena, "%.*s.files", HV_STR_ARG(path));
}

static struct policy *make_policy(struct session *session, struct hv_str folder)
{
    const struct session_options *options = &session->options;
    struct policy_options policy = {
        .host = options->host,
        .settings = options->settings,
        .directory = options->directory,
        .home = options->home,
        .roots = options->roots,
        .root_count = options->root_count,
        .results_directory = hv_arena_format(&session->arena, "%.*s/tool-results", HV_STR_ARG(folder)),
        .has_mode = options->has_mode,
        .mode = options->mode,
        .ignores_case = policy_probe_case(options->host, options->directory),
    };
    policy.tools = hv_builtin_tools(&policy.tool_count);
    return policy_new(&policy);
}

/* What is rewound is found in the journal: without one nothing is kept. */
static struct hv_str checkpoints_directory(struct session *session, struct hv_str folder)
{
    if (!session->journal || session->options.settings->checkpoint_megabytes == 0)
        return (struct hv_str){0};
    return hv_arena_format(&session->arena, "%.*s/" CHECKPOINTS_FOLDER, HV_STR_ARG(folder));
}

static uint64_t checkpoint_room(void *user)
{
    struct session *session = user;
    int64_t megabytes = session->options.settings->checkpoint_megabytes;
    uint64_t limit = (uint64_t)(megabytes < MEGABYTES_MAX ? megabytes : MEGABYTES_MAX) << 20;
    return sessions_make_room(path_parent(session->journal_path), session->id, limit);
}

/* While a turn runs, it takes the notes along. */
static void on_note(void *user)
{
    struct session *session = user;
    if (session->state == SESSION_IDLE)
        session->options.on_notes(session->options.user);
}

static enum hv_code make_runtime(struct session *session, struct hv_error *err)
{
    const struct session_options *options = &session->options;
    struct hv_str folder = session_folder(session);
    struct policy *policy = make_policy(session, folder);
    size_t tool_count;
    const struct hv_tool *const *tools = hv_builtin_tools(&tool_count);
    struct runtime_options runtime = {
        .loop = options->loop,
        .host = options->host,
        .settings = options->settings,
        .settings_files = options->settings_files,
        .policy = policy,
        .session_id = session->id,
        .directory = options->directory,
        .home = options->home,
        .roots = options->roots,
        .root_count = options->root_count,
        .session_directory = folder,
        .transcript_path = session->journal ? session->journal_path : (struct hv_str){0},
        .checkpoints_directory = checkpoints_directory(session, folder),
        .checkpoint_room = checkpoint_room,
        .checkpoint_user = session,
        .secrets = options->secrets,
        .secret_count = options->secret_count,
        .built_in_tools = tools,
        .built_in_tool_count = tool_count,
        .extra_tools = options->extra_tools,
        .extra_tool_count = options->extra_tool_count,
        .only_tools = options->only_tools,
        .only_tool_count = options->only_tool_count,
        .without_tools = options->without_tools,
        .without_tool_count = options->without_tool_count,
        .sinks = options->sinks,
        .sink_count = options->sink_count,
        .asker = options->asker,
        .ask_model = side_ask,
        .ask_model_user = session->side,
        .side_models = side_models(session->side),
        .on_note = options->on_notes ? on_note : NULL,
        .on_note_user = session,
        .door = options->door,
        .run_directory = options->run_directory,
    };
    enum hv_code code = runtime_new(&runtime, &session->runtime, err);
    policy_unref(policy);
    return code;
}

static void emit_start(struct session *session)
{
    CLEANUP_BUF struct hv_buf data = {0};
    struct hv_json_writer writer;
    hv_buf_init(&data, PROMPT_MAX);
    hv_json_writer_init(&writer, &data);
    hv_json_begin_object(&writer);
    hv_json_member_string(&writer, "id", session->id);
    hv_json_member_string(&writer, "cwd", session->options.directory);
    hv_json_member_string(&writer, "model", model_name(session->options.model));
    hv_json_member_string(&writer, "provider", model_provider_name(session->options.model));
    hv_json_member_cstr(&writer, "version", HELVE_VERSION);
    hv_json_member_cstr(&writer, "source", session->source);
    struct policy *policy = runtime_policy(session->runtime);
    hv_json_member_cstr(&writer, "mode", policy_mode_name(policy_mode_of(policy)));
    policy_unref(policy);
    if (session->parent.ptr)
        hv_json_member_string(&writer, "parent", session->parent);
    hv_json_end_object(&writer);
    session_emit(session, (struct hv_event){.type = HV_EVENT_SESSION_START, .data = hv_buf_str(&data)});
}

/* Rules that could not be used are told, not passed over. */
static void tell_policy_problems(struct session *session)
{
    struct policy *policy = runtime_policy(session->runtime);
    size_t count;
    const struct settings_problem *problems = policy_problems(policy, &count);
    for (size_t i = 0; i < count; i++) {
        CLEANUP_BUF struct hv_buf text = {0};
        hv_buf_init(&text, PROMPT_MAX);
        settings_problem_write(&problems[i], &text);
        session_notice(session, "warning", "%.*s", HV_STR_ARG(hv_buf_str(&text)));
    }
    policy_unref(policy);
}

/* Put the messages of an earlier session into this conversation; a fork writes them into its own journal too. */
static enum hv_code take_over(struct session *session, const struct resumed *resumed, struct hv_error *err)
{
    for (size_t i = 0; i < resumed->left_out_count; i++) {
        if (hv_str_eq(resumed->left_out[i].origin, model_origin(session->options.model)))
            model_leave_out(session->options.model, resumed->left_out[i].what);
    }
    if (!session->options.fork) {
        session->earlier_usage = resumed->usage;
        session->earlier_cost = resumed->cost;
    }
    for (size_t i = 0; i < resumed->count; i++) {
        const struct resumed_message *message = &resumed->messages[i];
        enum model_role role = message->assistant ? MODEL_ASSISTANT : MODEL_USER;
        enum hv_code code = turn_append(session, role, message->content, err);
        if (code != HV_OK)
            return code;
        if (session->options.fork)
            session_emit(session, (struct hv_event){.type = HV_EVENT_MESSAGE,
                                                    .name = hv_str_from(message->assistant ? "assistant" : "user"),
                                                    .json = message->content,
                                                    .data = HV_STR("{\"inherited\":true}")});
    }
    if (resumed->faults.bad_lines > 0)
        session_notice(
            session, "warning", "%llu lines of the journal could not be read and were left out (first: line %llu)",
            (unsigned long long)resumed->faults.bad_lines, (unsigned long long)resumed->faults.first_bad_line);
    if (resumed->faults.torn || (session->journal && journal_writer_cut(session->journal)))
        session_notice(session, "warning", "the last line of the journal was incomplete and was left out");
    if (resumed->repaired > 0)
        session_notice(session, "info", "%zu calls of the earlier session had no result; they were answered for it",
                       resumed->repaired);
    return HV_OK;
}

static void set_system_prompt(struct session *session)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, SYSTEM_MAX);
    struct prompt_options options = {
        .host = session->options.host,
        .runtime = session->runtime,
        .settings = session->options.settings,
        .directory = session->options.directory,
        .home = session->options.home,
        .model = model_name(session->options.model),
        .replacement = session->options.system_prompt,
        .addition = session->options.append_system_prompt,
        .parts = &session->prompt_parts,
    };
    session->prompt_parts.arena = &session->arena;
    prompt_build(&options, &text);
    model_conversation_set_system(session->conversation, hv_buf_str(&text));
}

static enum hv_code session_open(struct session *session, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    struct resumed resumed = {0};
    enum hv_code code = HV_OK;
    /* Whoever goes on in a journal reads it under its lock; a fork leaves nothing behind when there is nothing to read.
     */
    const struct session_options *options = &session->options;
    bool goes_on = session->options.from && !session->options.fork;
    if (goes_on)
        code = open_journal(session, err);
    if (code == HV_OK && session->options.from)
        code = resume_read(&scratch, session->options.from->path, &resumed, err);
    if (code == HV_OK && !goes_on)
        code = open_journal(session, err);
    if (code != HV_OK)
        return code;
    collect_sinks(session);
    code = make_runtime(session, err);
    if (code != HV_OK)
        return code;
    session->conversation = model_conversation_new(session->options.model);
    set_system_prompt(session);
    emit_start(session);
    tell_policy_problems(session);
    if (options->small_model_fault.len)
        session_notice(session, "warning", "there is no small model: %.*s", HV_STR_ARG(options->small_model_fault));
    return take_over(session, &resumed, err);
}

enum hv_code session_new(const struct session_options *options, struct session **out, struct hv_error *err)
{
    struct session *session = hv_calloc(1, sizeof *session);
    copy_options(session, options);
    session->side = side_new(session);
    hv_buf_init(&session->prompt, PROMPT_MAX);
    hv_buf_init(&session->last_text, CONTENT_MAX);
    hv_buf_init(&session->structured, CONTENT_MAX);
    hv_buf_init(&session->last_content, CONTENT_MAX);
    response_init(&session->response);
    choose_identity(session);
    enum hv_code code = session_open(session, err);
    if (code != HV_OK) {
        session_free(session);
        return code;
    }
    *out = session;
    return HV_OK;
}

void session_free(struct session *session)
{
    if (!session)
        return;
    loop_timer_stop(session->timer);
    if (session->stream)
        model_stream_abandon(session->stream);
    side_stop(session->side);
    runtime_free(session->runtime);
    side_free(session->side);
    model_conversation_free(session->conversation);
    context_release(&session->prompt_parts);
    journal_writer_close(session->journal);
    response_release(&session->response);
    hv_buf_release(&session->prompt);
    hv_buf_release(&session->last_text);
    hv_buf_release(&session->structured);
    hv_buf_release(&session->last_content);
    hv_arena_release(&session->arena);
    free(session);
}

/* ---- turns ----------------------------------------------------------------------------------------------------- */

void session_name_message(struct session *session, struct hv_str id)
{
    session->prompt_id[0] = '\0';
    if (session_id_is_valid(id))
        snprintf(session->prompt_id, sizeof session->prompt_id, "%.*s", HV_STR_ARG(id));
}

enum hv_code session_submit(struct session *session, struct hv_str content, struct hv_error *err)
{
    if (session->state != SESSION_IDLE)
        return hv_fail(err, HV_ECONFLICT, "a turn is still running");
    hv_buf_clear(&session->prompt);
    hv_buf_add_str(&session->prompt, content);
    if (session->prompt.failed)
        return hv_fail(err, HV_ETOOBIG, "the prompt is larger than %d MiB", PROMPT_MAX >> 20);
    turn_begin(session);
    return HV_OK;
}

enum hv_code session_submit_text(struct session *session, struct hv_str text, struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf content = {0};
    struct hv_json_writer writer;
    hv_buf_init(&content, PROMPT_MAX);
    hv_json_writer_init(&writer, &content);
    hv_json_begin_array(&writer);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "type", "text");
    hv_json_member_string(&writer, "text", text);
    hv_json_end_object(&writer);
    hv_json_end_array(&writer);
    if (content.failed)
        return hv_fail(err, HV_ETOOBIG, "the prompt is larger than %d MiB", PROMPT_MAX >> 20);
    return session_submit(session, hv_buf_str(&content), err);
}

enum hv_code session_submit_notes(struct session *session, struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf content = {0};
    hv_buf_init(&content, PROMPT_MAX);
    if (session->state != SESSION_IDLE)
        return hv_fail(err, HV_ECONFLICT, "a turn is still running");
    hv_buf_add_byte(&content, '[');
    if (!runtime_take_notes(session->runtime, &content))
        return hv_fail(err, HV_ENOTFOUND, "there is nothing to tell of tasks");
    hv_buf_add_byte(&content, ']');
    turn_begin_with_notes(session, hv_buf_str(&content));
    return HV_OK;
}

static void interrupt_now(void *data)
{
    struct session *session = data;
    atomic_store(&session->interrupt_posted, false);
    turn_interrupt(session);
}

void session_interrupt(struct session *session)
{
    if (!atomic_exchange(&session->interrupt_posted, true))
        loop_post(session->options.loop, interrupt_now, session);
}

/* ---- the end --------------------------------------------------------------------------------------------------- */

static void end_hooks_done(void *user, const struct runtime_hook_outcome *outcome)
{
    struct session *session = user;
    if (outcome->block)
        session_notice(session, "warning", "a SessionEnd hook objects: %.*s", HV_STR_ARG(outcome->reason));
    session_emit(session, (struct hv_event){.type = HV_EVENT_SESSION_END, .text = hv_str_from(session->close_reason)});
    session->closed(session->closed_user);
}

void session_close(struct session *session, const char *reason, void (*done)(void *user), void *user)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    session->closed = done;
    session->closed_user = user;
    session->close_reason = reason;
    runtime_run_hooks(session->runtime, "SessionEnd", hv_str_from(reason),
                      hv_arena_format(&arena, "{\"reason\":\"%s\"}", reason), end_hooks_done, session);
}
