/*
 * hook.c: the hooks that people configured: which run, what they are told, what their answers mean.
 *
 * A hook is a command that gets JSON on stdin and answers by exit code and JSON on stdout, or an HTTP POST of the same
 * JSON whose body is the answer, in the form that scripts for Claude Code have (facts: exit 2 blocks;
 * hookSpecificOutput.permissionDecision, updatedInput, additionalContext; continue:false). All hooks of one event run
 * in parallel. One that fails or runs out of time is reported and does not block, unless it is marked `required`: then
 * it denies.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/thread.h"
#include "loop/workers.h"
#include "runtime/call.h"
#include "runtime/hook_answer.h"

#include <string.h>

enum { OUTPUT_MAX = 1 << 20, CONTEXT_MAX = 10000, ERROR_EXCERPT = 500 };

/* One hook at work: filled by its own thread. */
struct hook_job {
    const struct settings_hook *hook;
    struct runtime *runtime;
    const char *event;
    struct hv_str input;
    const struct hv_cancel *cancel;
    const char *const *environment;
    struct hv_buf output, errors;
    struct hv_exit exit;
    enum hv_code code;
    struct hv_error err;
    pthread_t thread;
    bool threaded, cut; /* cut: more was printed than is kept */
};

/* What people know it by. Not the whole URL: its path and query may hold a key. */
static struct hv_str hook_name(const struct settings_hook *hook)
{
    if (hook->type == SETTINGS_HOOK_COMMAND)
        return hook->command;
    size_t scheme = hv_str_find(hook->url, HV_STR("://"), 0);
    size_t end = scheme == SIZE_MAX ? SIZE_MAX : hv_str_find_byte(hook->url, '/', scheme + 3);
    return hv_str_slice(hook->url, 0, end);
}

static bool take_output(void *user, enum hv_stream stream, struct hv_str bytes)
{
    struct hook_job *job = user;
    struct hv_buf *buf = stream == HV_STDOUT ? &job->output : &job->errors;
    size_t room = buf->max - buf->len;
    job->cut = job->cut || (stream == HV_STDOUT && bytes.len > room);
    hv_buf_add(buf, bytes.ptr, bytes.len < room ? bytes.len : room);
    return true;
}

static void *run_job(void *data)
{
    struct hook_job *job = data;
    const struct settings_hook *hook = job->hook;
    if (hook->type == SETTINGS_HOOK_HTTP) {
        uint64_t started = clock_monotonic_ns();
        job->code = hook_post(job->runtime, hook, job->input, job->cancel, &job->output, &job->err);
        job->exit.duration_ns = clock_monotonic_ns() - started;
        return NULL;
    }
    struct hv_arena arena = {0};
    const char **argv = hv_arena_array(&arena, const char *, hook->arg_count + 4);
    if (hook->has_args) {
        argv[0] = hv_arena_cstr(&arena, hook->command);
        for (size_t i = 0; i < hook->arg_count; i++)
            argv[1 + i] = hv_arena_cstr(&arena, hook->args[i]);
    } else {
        argv[0] = "/bin/sh";
        argv[1] = "-c";
        argv[2] = hv_arena_cstr(&arena, hook->command);
    }
    pthread_mutex_lock(&job->runtime->lock);
    const char *directory = hv_arena_cstr(&arena, job->runtime->directory);
    pthread_mutex_unlock(&job->runtime->lock);
    struct hv_command command = {
        .argv = argv,
        .environment = job->environment,
        .directory = directory,
        .input = job->input,
        .timeout_ns = hook->timeout_ns,
        .cancel = job->cancel,
        .on_output = take_output,
        .user = job,
    };
    job->code = job->runtime->host->run(job->runtime->host, &command, &job->exit, &job->err);
    hv_arena_release(&arena);
    return NULL;
}

/* ---- which hooks ------------------------------------------------------------------------------------------------- */

static bool hooks_off(const struct runtime *runtime)
{
    return runtime->settings->hooks_disabled;
}

bool hook_configured(const struct runtime *runtime, const char *event)
{
    for (size_t i = 0; !hooks_off(runtime) && i < runtime->settings->hook_count; i++)
        if (hv_str_is(runtime->settings->hooks[i].event, event))
            return true;
    return false;
}

static bool same_list(const struct hv_str *a, size_t a_count, const struct hv_str *b, size_t b_count)
{
    if (a_count != b_count)
        return false;
    for (size_t i = 0; i < a_count; i++)
        if (!hv_str_eq(a[i], b[i]))
            return false;
    return true;
}

static bool same_hook(const struct settings_hook *a, const struct settings_hook *b)
{
    return a->type == b->type && a->has_args == b->has_args && hv_str_eq(a->url, b->url) &&
           hv_str_eq(a->command, b->command) && same_list(a->args, a->arg_count, b->args, b->arg_count) &&
           same_list(a->headers, a->header_count, b->headers, b->header_count);
}

/* Its place among the chosen when an equal one is there, else count. */
static size_t place_among(const struct hook_job *jobs, size_t count, const struct settings_hook *hook)
{
    size_t at = 0;
    while (at < count && !same_hook(jobs[at].hook, hook))
        at++;
    return at;
}

/* A matcher takes a tool under its name and its aliases, but not under the names of rules: a hook for Edit expects the
 * input of Edit. */
static bool matches(const struct settings_hook *hook, const char *event, struct hv_str matcher,
                    const struct hv_tool *tool)
{
    if (settings_hook_matches(hook, event, matcher))
        return true;
    for (const char *const *alias = tool ? tool->aliases : NULL; alias && *alias; alias++)
        if (settings_hook_matches(hook, event, hv_str_from(*alias)))
            return true;
    return false;
}

/* True the first time only. */
static bool take_once(struct runtime *runtime, size_t index)
{
    LOCK_SCOPE(&runtime->lock);
    bool first = !runtime->hooks_used[index];
    runtime->hooks_used[index] = true;
    return first;
}

static size_t select_hooks(struct runtime *runtime, const char *event, struct hv_str matcher, struct call *call,
                           struct hv_arena *arena, struct hook_job **jobs)
{
    const struct settings *settings = runtime->settings;
    const struct hv_tool *tool = call ? call->tool : NULL;
    size_t count = 0;
    *jobs = hv_arena_array(arena, struct hook_job, settings->hook_count);
    for (size_t i = 0; i < settings->hook_count; i++) {
        const struct settings_hook *hook = &settings->hooks[i];
        if (!matches(hook, event, matcher, tool))
            continue;
        if (!hook_condition_holds(hook, call))
            continue;
        if (hook->once && !take_once(runtime, i))
            continue;
        /* Of equal ones one runs: the one that must not fail, where they differ in that. */
        size_t at = place_among(*jobs, count, hook);
        if (at == count || hook->required)
            (*jobs)[at] = (struct hook_job){.hook = hook};
        count += at == count;
    }
    return count;
}

/* ---- what they are told ------------------------------------------------------------------------------------------ */

static struct hv_str hook_input(struct runtime *runtime, const char *event, struct hv_str members,
                                struct hv_arena *arena)
{
    CLEANUP_BUF struct hv_buf buf = {.max = SIZE_MAX / 4};
    struct hv_json_writer writer;
    struct policy *policy = runtime_policy(runtime);
    hv_json_writer_init(&writer, &buf);
    hv_json_begin_object(&writer);
    hv_json_member_string(&writer, "session_id", runtime->options.session_id);
    hv_json_member_string(&writer, "transcript_path", runtime->options.transcript_path);
    pthread_mutex_lock(&runtime->lock);
    hv_json_member_string(&writer, "cwd", runtime->directory);
    pthread_mutex_unlock(&runtime->lock);
    hv_json_member_cstr(&writer, "permission_mode", policy_mode_name(policy_mode_of(policy)));
    hv_json_member_cstr(&writer, "hook_event_name", event);
    policy_unref(policy);
    hv_json_end_object(&writer);
    /* The event's own members are an object already: the two are joined at their braces. */
    if (members.len > 2) {
        buf.data[buf.len - 1] = ',';
        hv_buf_add(&buf, members.ptr + 1, members.len - 1);
    }
    hv_buf_add_byte(&buf, '\n');
    return hv_arena_str(arena, hv_buf_str(&buf));
}

/* ---- what their answers mean ------------------------------------------------------------------------------------- */

static enum hv_verdict verdict_of(struct hv_str word)
{
    if (hv_str_is(word, "allow") || hv_str_is(word, "approve"))
        return HV_ALLOW;
    if (hv_str_is(word, "deny") || hv_str_is(word, "block"))
        return HV_DENY;
    return hv_str_is(word, "ask") ? HV_ASK : HV_VERDICT_NONE;
}

/* deny before ask before allow: the strictest hook wins. */
static void merge_permission(struct hook_verdict *out, enum hv_verdict verdict, struct hv_str reason)
{
    static const int strength[] = {[HV_VERDICT_NONE] = 0, [HV_ALLOW] = 1, [HV_ASK] = 2, [HV_DENY] = 3};
    if (strength[verdict] <= strength[out->permission])
        return;
    out->permission = verdict;
    if (reason.len)
        out->reason = reason;
}

static void add_context(struct hook_verdict *out, struct hv_arena *arena, struct hv_str text)
{
    text = hv_str_trim(text);
    if (!text.len)
        return;
    if (text.len > CONTEXT_MAX)
        text.len = CONTEXT_MAX;
    out->context =
        out->context.len ? hv_arena_format(arena, "%.*s\n%.*s", HV_STR_ARG(out->context), HV_STR_ARG(text)) : text;
}

static void read_specific(const struct hv_json *specific, struct hv_str json, struct hv_arena *arena,
                          struct hook_verdict *out)
{
    merge_permission(out, verdict_of(hv_json_get_string(specific, "permissionDecision")),
                     hv_json_get_string(specific, "permissionDecisionReason"));
    const struct hv_json *decision = hv_json_get(specific, "decision");
    merge_permission(out, verdict_of(hv_json_get_string(decision, "behavior")),
                     hv_json_get_string(decision, "message"));
    const struct hv_json *updated = hv_json_get(specific, "updatedInput");
    if (!updated)
        updated = hv_json_get(decision, "updatedInput");
    if (hv_json_type_of(updated) == HV_JSON_OBJECT)
        out->updated_input = hv_json_source(updated, json);
    const struct hv_json *output = hv_json_get(specific, "updatedToolOutput");
    if (output)
        out->updated_output =
            hv_json_type_of(output) == HV_JSON_STRING ? hv_json_string(output) : hv_json_source(output, json);
    const struct hv_json *permissions = hv_json_get(decision, "updatedPermissions");
    if (permissions)
        out->updated_permissions = permissions;
    if (hv_json_bool(hv_json_get(decision, "interrupt"), false) && !out->stop) {
        out->stop = true;
        out->stop_reason = hv_json_get_string(decision, "message");
    }
    out->retry = out->retry || hv_json_bool(hv_json_get(specific, "retry"), false);
    add_context(out, arena, hv_json_get_string(specific, "additionalContext"));
}

static void read_answer(const struct hv_json *answer, struct hv_str json, struct hv_arena *arena,
                        struct hook_verdict *out)
{
    struct hv_str reason = hv_json_get_string(answer, "reason");
    enum hv_verdict decision = verdict_of(hv_json_get_string(answer, "decision"));
    if (decision == HV_DENY) {
        out->block = true;
        if (reason.len)
            out->reason = reason;
    }
    merge_permission(out, decision, reason);
    /* Without its frame (left out, or cut off) a decision still refuses, but allows nothing. */
    enum hv_verdict bare = verdict_of(hv_json_get_string(answer, "permissionDecision"));
    if (bare != HV_ALLOW)
        merge_permission(out, bare, hv_json_get_string(answer, "permissionDecisionReason"));
    if (!hv_json_bool(hv_json_get(answer, "continue"), true) && !out->stop) {
        out->stop = true;
        out->stop_reason = hv_json_get_string(answer, "stopReason");
    }
    read_specific(hv_json_get(answer, "hookSpecificOutput"), json, arena, out);
}

/* Plain text on stdout becomes context for these events only. */
static bool text_is_context(const char *event)
{
    return hv_str_is(HV_STR("SessionStart"), event) || hv_str_is(HV_STR("UserPromptSubmit"), event);
}

static void emit_hook(const struct hook_job *job, struct hv_str call_id, const char *word)
{
    struct hv_buf data;
    hv_buf_init(&data, 4096);
    hv_buf_addf(&data, "{\"exit\":%d,\"verdict\":\"%s\"}", job->exit.code, word);
    runtime_emit(job->runtime, &(struct hv_event){.type = HV_EVENT_HOOK,
                                                  .call_id = call_id,
                                                  .name = hv_str_from(job->event),
                                                  .text = hook_name(job->hook),
                                                  .data = hv_buf_str(&data),
                                                  .duration_ns = job->exit.duration_ns,
                                                  .ok = job->code == HV_OK && job->exit.code == 0});
    hv_buf_release(&data);
}

/* It could not answer: say so; a required hook then denies, so that a broken guard is not an open door. */
static void failed(const struct hook_job *job, struct hv_arena *arena, struct hook_verdict *out, const char *why)
{
    struct hv_str errors = hv_str_trim(hv_buf_str(&job->errors));
    struct hv_str text = hv_arena_format(arena, "%s hook `%.*s` %s%s%.*s", job->event, HV_STR_ARG(hook_name(job->hook)),
                                         why, errors.len ? ": " : "",
                                         (int)(errors.len < ERROR_EXCERPT ? errors.len : ERROR_EXCERPT), errors.ptr);
    runtime_emit(job->runtime, &(struct hv_event){.type = HV_EVENT_NOTICE, .name = HV_STR("warning"), .text = text});
    if (job->hook->required) {
        out->block = true;
        merge_permission(out, HV_DENY, hv_arena_format(arena, "%.*s; it is required", HV_STR_ARG(text)));
    }
}

/* `systemMessage`: for the person, not for the model. */
static void tell_person(const struct hook_job *job, struct hv_arena *arena, struct hv_str message)
{
    struct hv_str text =
        hv_arena_format(arena, "%s hook says: %.*s", job->event, HV_STR_ARG(hv_str_slice(message, 0, CONTEXT_MAX)));
    runtime_emit(job->runtime, &(struct hv_event){.type = HV_EVENT_NOTICE, .name = HV_STR("warning"), .text = text});
}

/* What stands among other output may tighten, as whoever wrote it meant to; it allows nothing and changes nothing,
 * since the other output may repeat what a model wrote. */
static void merge_found(const struct hook_verdict *found, struct hook_verdict *out)
{
    if (found->permission != HV_ALLOW)
        merge_permission(out, found->permission, found->reason);
    if (found->block && found->reason.len)
        out->reason = found->reason;
    out->block = out->block || found->block;
    if (found->stop && !out->stop) {
        out->stop = true;
        out->stop_reason = found->stop_reason;
    }
}

static void read_answers(const struct hook_job *job, const struct hook_answers *answers, struct hv_arena *arena,
                         struct hook_verdict *out)
{
    for (size_t i = 0; i < answers->count; i++) {
        const struct hv_json *answer = answers->items[i].object;
        struct hook_verdict found = {0};
        read_answer(answer, answers->items[i].json, arena, answers->alone ? out : &found);
        if (!answers->alone)
            merge_found(&found, out);
        if (hv_json_get_string(answer, "systemMessage").len)
            tell_person(job, arena, hv_json_get_string(answer, "systemMessage"));
    }
}

/* Half an answer is none: a person is asked where one may be. */
static void judge_half(const struct hook_job *job, struct hv_arena *arena, struct hook_verdict *out, const char *why)
{
    failed(job, arena, out, why);
    merge_permission(
        out, HV_ASK,
        hv_arena_format(arena, "the %s hook `%.*s` %s", job->event, HV_STR_ARG(hook_name(job->hook)), why));
}

static void judge_block(const struct hook_job *job, struct hv_arena *arena, struct hook_verdict *out)
{
    struct hv_str reason = out->reason.len ? out->reason : hv_arena_str(arena, hv_str_trim(hv_buf_str(&job->errors)));
    out->block = true;
    merge_permission(out, HV_DENY, reason);
    if (!out->reason.len)
        out->reason = reason.len ? reason : HV_STR("blocked by a hook without a reason");
}

static void judge(const struct hook_job *job, struct hv_str call_id, struct hv_arena *arena, struct hook_verdict *out)
{
    if (job->code != HV_OK || job->exit.timed_out || job->exit.cancelled || job->exit.signal) {
        emit_hook(job, call_id, "failed");
        failed(job, arena, out,
               job->code != HV_OK    ? job->err.message
               : job->exit.timed_out ? "ran out of time"
                                     : "was stopped");
        return;
    }
    struct hook_answers answers;
    struct hv_str output = hv_str_trim(hv_arena_str(arena, hv_buf_str(&job->output)));
    hook_find_answers(arena, output, &answers);
    /* With exit 2 the JSON may give the reason, but cannot turn the block into an allow: blocking is merged last. */
    if (job->exit.code == 0 || job->exit.code == 2)
        read_answers(job, &answers, arena, out);
    bool half = job->cut || answers.unreadable;
    if (job->exit.code == 2)
        judge_block(job, arena, out);
    else if (half)
        judge_half(job, arena, out, job->cut ? "printed more than is read" : "answered with invalid JSON");
    else if (job->exit.code != 0)
        failed(job, arena, out, "failed");
    else if (!answers.alone && text_is_context(job->event))
        add_context(out, arena, output);
    emit_hook(job, call_id, job->exit.code == 2 ? "block" : job->exit.code || half ? "failed" : "ok");
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static void start_job(struct hook_job *job)
{
    job->threaded = thread_start(&job->thread, 256 * 1024, run_job, job) == 0;
    if (!job->threaded)
        run_job(job);
}

static void prepare(struct hook_job *job, struct runtime *runtime, const char *event, struct hv_str input,
                    const struct hv_cancel *cancel)
{
    job->runtime = runtime;
    job->event = event;
    job->input = input;
    job->cancel = cancel;
    job->environment = runtime->hook_environment;
    hv_buf_init(&job->output, OUTPUT_MAX);
    hv_buf_init(&job->errors, OUTPUT_MAX);
}

static void release(struct hook_job *job)
{
    hv_buf_release(&job->output);
    hv_buf_release(&job->errors);
}

/* A hook nobody waits for: it is told what happened, and its answer changes nothing. */
struct background_job {
    struct hook_job job;
    struct hv_arena arena;
    struct hv_str call_id;
};

static void run_background(void *data)
{
    struct background_job *background = data;
    struct hook_verdict ignored = {0};
    run_job(&background->job);
    judge(&background->job, background->call_id, &background->arena, &ignored);
    release(&background->job);
    hv_arena_release(&background->arena);
    free(background);
}

static void start_background(const struct hook_job *chosen, struct runtime *runtime, const char *event,
                             struct hv_str input, struct hv_str call_id)
{
    struct background_job *background = hv_calloc(1, sizeof *background);
    background->job.hook = chosen->hook;
    background->call_id = hv_arena_str(&background->arena, call_id);
    prepare(&background->job, runtime, event, hv_arena_str(&background->arena, input), runtime->ending);
    if (workers_submit(runtime->workers, run_background, background, NULL) != HV_OK)
        run_background(background);
}

/* What ends the hooks before their time: their call, or the turn they belong to. */
static const struct hv_cancel *hook_cancel(struct runtime *runtime, const struct call *call)
{
    LOCK_SCOPE(&runtime->lock);
    return call ? call->cancel : runtime->session_hooks ? runtime->session_hooks->cancel : runtime->ending;
}

static void run_selected(struct runtime *runtime, const char *event, struct hv_str matcher, struct hv_str members,
                         struct call *call, const struct hv_cancel *cancel, void (*meanwhile)(struct call *call),
                         struct hv_arena *arena, struct hook_verdict *out)
{
    struct hv_str call_id = call ? call->id : (struct hv_str){0};
    *out = (struct hook_verdict){0};
    if (!hook_configured(runtime, event))
        return;
    struct hook_job *jobs;
    size_t chosen = select_hooks(runtime, event, matcher, call, arena, &jobs), count = 0;
    struct hv_str input = chosen ? hook_input(runtime, event, members, arena) : (struct hv_str){0};
    cancel = cancel ? cancel : hook_cancel(runtime, call);
    for (size_t i = 0; i < chosen; i++) {
        if (jobs[i].hook->async && !jobs[i].hook->required) {
            start_background(&jobs[i], runtime, event, input, call_id);
            continue;
        }
        jobs[count] = jobs[i];
        prepare(&jobs[count++], runtime, event, input, cancel);
    }
    for (size_t i = meanwhile ? 0 : 1; i < count; i++)
        start_job(&jobs[i]);
    if (count && meanwhile)
        meanwhile(call);
    else if (count)
        run_job(&jobs[0]);
    for (size_t i = 0; i < count; i++) {
        if (jobs[i].threaded)
            pthread_join(jobs[i].thread, NULL);
        judge(&jobs[i], call_id, arena, out);
        release(&jobs[i]);
    }
}

void hook_run_beside(struct runtime *runtime, const char *event, struct hv_str matcher, struct hv_str members,
                     struct call *call, void (*meanwhile)(struct call *call), struct hv_arena *arena,
                     struct hook_verdict *out)
{
    run_selected(runtime, event, matcher, members, call, NULL, meanwhile, arena, out);
}

void hook_run(struct runtime *runtime, const char *event, struct hv_str matcher, struct hv_str members,
              struct call *call, const struct hv_cancel *cancel, struct hv_arena *arena, struct hook_verdict *out)
{
    run_selected(runtime, event, matcher, members, call, cancel, NULL, arena, out);
}

void hook_tell(struct runtime *runtime, const char *event, struct hv_str matcher, struct hv_str members)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hook_job *jobs;
    if (!hook_configured(runtime, event))
        return;
    size_t count = select_hooks(runtime, event, matcher, NULL, &arena, &jobs);
    struct hv_str input = count ? hook_input(runtime, event, members, &arena) : (struct hv_str){0};
    for (size_t i = 0; i < count; i++)
        start_background(&jobs[i], runtime, event, input, (struct hv_str){0});
}

void runtime_notify(struct runtime *runtime, const char *type, struct hv_str message)
{
    CLEANUP_BUF struct hv_buf members = {.max = 64 << 10};
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &members);
    hv_json_begin_object(&writer);
    hv_json_member_string(&writer, "message", message);
    hv_json_member_cstr(&writer, "title", "helve");
    hv_json_member_cstr(&writer, "notification_type", type);
    hv_json_end_object(&writer);
    hook_tell(runtime, "Notification", hv_str_from(type), hv_buf_str(&members));
}

/* ---- the two stages ---------------------------------------------------------------------------------------------- */

static struct hv_str call_members(struct call *call, struct hv_buf *buf,
                                  void (*more)(struct call *call, struct hv_json_writer *writer))
{
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, buf);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "tool_name", call->tool->name);
    hv_json_member_raw(&writer, "tool_input", call->input_json);
    hv_json_member_string(&writer, "tool_use_id", call->id);
    if (more)
        more(call, &writer);
    hv_json_end_object(&writer);
    return hv_buf_str(buf);
}

static void run_for_call(struct call *call, const char *event,
                         void (*more)(struct call *call, struct hv_json_writer *writer),
                         void (*meanwhile)(struct call *call), struct hook_verdict *out)
{
    CLEANUP_BUF struct hv_buf buf = {.max = SIZE_MAX / 4};
    struct hv_str members = call_members(call, &buf, more);
    hook_run_beside(call->runtime, event, hv_str_from(call->tool->name), members, call, meanwhile, &call->arena, out);
}

void hook_note_stop(struct call *call, const struct hook_verdict *verdict)
{
    if (!verdict->stop)
        return;
    LOCK_SCOPE(&call->batch->lock);
    if (!call->batch->stop)
        hv_buf_add_str(&call->batch->stop_reason,
                       verdict->stop_reason.len ? verdict->stop_reason : HV_STR("a hook ended the turn"));
    call->batch->stop = true;
}

enum stage_outcome stage_hook(struct call *call)
{
    struct hook_verdict verdict = {0};
    if (hook_configured(call->runtime, "PreToolUse") && !call->answered && !call->rewritten &&
        !hv_str_eq(call->hooked_json, call->input_json)) {
        run_for_call(call, "PreToolUse", NULL, permission_prepare, &verdict);
        call->hook_verdict = verdict.permission;
        call->hook_reason = verdict.reason;
        call->hook_context = verdict.context;
        hook_note_stop(call, &verdict);
        /* Whoever ends the turn does not want this call to run on. */
        if (verdict.stop)
            return call_settle_error(
                call, "Not run, a hook ended the turn: %.*s",
                HV_STR_ARG(verdict.stop_reason.len ? verdict.stop_reason : HV_STR("no reason given")));
        if (verdict.updated_input.ptr && verdict.permission != HV_DENY) {
            /* Hooks have judged the input as they rewrote it: it is decoded and validated anew, but not shown to them
             * again. The permission stage sees the new input. */
            call->raw = verdict.updated_input;
            call->rewritten = true;
            return STAGE_BACK;
        }
        call->hooked_json = call->input_json;
    }
    schedule_judged(call);
    return STAGE_NEXT;
}

static void post_members(struct call *call, struct hv_json_writer *writer)
{
    if (call->result.is_error)
        hv_json_member_string(writer, "error", call->text);
    else if (call->result.structured.ptr)
        hv_json_member_raw(writer, "tool_response", call->result.structured);
    else
        hv_json_member_string(writer, "tool_response", call->text);
    if (call->result.is_error)
        hv_json_member_bool(writer, "is_interrupt", call_is_cancelled(call));
    hv_json_member_int(writer, "duration_ms", (int64_t)(call->duration_ns / CLOCK_MILLISECOND));
}

enum stage_outcome stage_post_hook(struct call *call)
{
    struct hook_verdict verdict = {0};
    const char *event = call->result.is_error ? "PostToolUseFailure" : "PostToolUse";
    if (call->executed && hook_configured(call->runtime, event)) {
        run_for_call(call, event, post_members, NULL, &verdict);
        hook_note_stop(call, &verdict);
        if (verdict.updated_output.ptr)
            result_replace(call, verdict.updated_output);
        /* The tool has run already: a block can only be told to the model. */
        if (verdict.block && verdict.reason.len)
            result_note(call, hv_arena_format(&call->arena, "A hook objects to this result: %.*s",
                                              HV_STR_ARG(hv_str_slice(verdict.reason, 0, CONTEXT_MAX))));
    }
    if (verdict.context.len)
        call->hook_context = call->hook_context.len
                                 ? hv_arena_format(&call->arena, "%.*s\n%.*s", HV_STR_ARG(call->hook_context),
                                                   HV_STR_ARG(verdict.context))
                                 : verdict.context;
    if (call->hook_context.len)
        result_note(call,
                    hv_arena_format(&call->arena, "Context added by hooks:\n%.*s", HV_STR_ARG(call->hook_context)));
    return STAGE_NEXT;
}

/* ---- session events ---------------------------------------------------------------------------------------------- */

static void session_hooks_done(void *data)
{
    struct session_hooks *hooks = data;
    struct runtime *runtime = hooks->runtime;
    const struct hook_verdict *verdict = &hooks->verdict;
    struct runtime_hook_outcome outcome = {
        .block = verdict->block,
        .stop = verdict->stop,
        .reason = verdict->stop && verdict->stop_reason.len ? verdict->stop_reason : verdict->reason,
        .context = verdict->context,
    };
    if (runtime) {
        pthread_mutex_lock(&runtime->lock);
        runtime->session_hooks = NULL;
        pthread_mutex_unlock(&runtime->lock);
        hooks->done(hooks->user, &outcome);
    }
    hv_cancel_free(hooks->cancel);
    hv_arena_release(&hooks->arena);
    free(hooks);
}

static void run_session_hooks(void *data)
{
    struct session_hooks *hooks = data;
    hook_run(hooks->runtime, hooks->event, hooks->matcher, hooks->members, NULL, NULL, &hooks->arena, &hooks->verdict);
    loop_post(hooks->runtime->loop, session_hooks_done, hooks);
}

void runtime_run_hooks(struct runtime *runtime, const char *event, struct hv_str matcher, struct hv_str members,
                       void (*done)(void *user, const struct runtime_hook_outcome *outcome), void *user)
{
    if (!hook_configured(runtime, event)) {
        done(user, &(struct runtime_hook_outcome){0});
        return;
    }
    struct session_hooks *hooks = hv_calloc(1, sizeof *hooks);
    hooks->runtime = runtime;
    hooks->event = event;
    hooks->matcher = hv_arena_str(&hooks->arena, matcher);
    hooks->members = hv_arena_str(&hooks->arena, members);
    hooks->done = done;
    hooks->user = user;
    hooks->cancel = hv_cancel_new();
    pthread_mutex_lock(&runtime->lock);
    runtime->session_hooks = hooks;
    pthread_mutex_unlock(&runtime->lock);
    if (workers_submit(runtime->workers, run_session_hooks, hooks, NULL) != HV_OK)
        run_session_hooks(hooks);
}

void runtime_cancel_hooks(struct runtime *runtime)
{
    LOCK_SCOPE(&runtime->lock);
    if (runtime->session_hooks)
        hv_cancel_raise(runtime->session_hooks->cancel);
}
