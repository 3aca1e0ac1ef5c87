/*
 * permission.c: the stage that gathers the facts of a call, has them decided, asks where asking is due, and records the
 * decision with the rule or stage that made it. What may be done is knowledge of src/policy; here is the act.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "fs/settings_alias.h"
#include "masks/confined.h"
#include "policy/explain.h"
#include "policy/visible.h"
#include "runtime/call.h"

#include <string.h>

/* What is longer cannot be judged by looking at it. */
enum { QUESTION_MAX = 32 << 10 };

static struct policy_surroundings surroundings_of(const struct call *call)
{
    return (struct policy_surroundings){
        .host = call->runtime->host,
        .environment = call->context.environment,
        .home = call->context.home,
        .git_is_tamed = true, /* the tool runs such commands with shell_run_environment() */
        .git = call->runtime->git,
    };
}

/* Once per command: hooks' conditions, the decision and a second look before asking use the same judgement. */
static void judge_command(struct call *call, struct policy_facts *facts)
{
    struct policy_facts *judged = &call->judged;
    if (!judged->command || !hv_str_eq(judged->subject, facts->subject) ||
        !hv_str_eq(judged->directory, facts->directory)) {
        struct policy *policy = runtime_policy(call->runtime);
        const struct policy_surroundings surroundings = surroundings_of(call);
        *judged = *facts;
        policy_judge_command(policy, &surroundings, &call->arena, judged);
        policy_unref(policy);
    }
    facts->command = judged->command;
    facts->linked = judged->linked;
    facts->linked_count = judged->linked_count;
    facts->read_only = judged->read_only;
}

/* Of a tool that changes files: nothing but what any command might in the sandbox, unasked. */
static bool writes_session(const struct call *call)
{
    size_t reads = call->footprint.reads.count, writes = call->footprint.writes.count;
    bool all = call->footprint.limited && writes && call->tool->subject_kind == HV_SUBJECT_PATH &&
               call->runtime->settings->sandbox.auto_allow == SANDBOX_YES;
    for (size_t i = 0; i < reads + writes && all; i++)
        all = (i < reads ? call->reads[i] : call->writes[i - reads]).of_session;
    return all;
}

void permission_facts(struct call *call, struct policy_facts *facts)
{
    const struct hv_tool *tool = call->tool;
    *facts = (struct policy_facts){
        .tool = tool,
        .directory = call->context.directory,
        .reads = call->reads,
        .read_count = call->footprint.reads.count,
        .writes = call->writes,
        .write_count = call->footprint.writes.count,
        .touches_listed_only = call->footprint.limited,
        .read_only = call->read_only,
        .destructive = call->destructive,
        .sandboxed = tool->contained && tool->contained(call->input, &call->context),
        .writes_session = writes_session(call),
        .hook = call->hook_verdict,
        .hook_reason = call->hook_reason,
        .interactive = call->runtime->options.asker.ask != NULL,
    };
    const struct settings_places places = {call->context.directory, call->context.home, call->context.environment};
    policy_add_settings_aliases(call->runtime->host, &call->arena, &places, facts);
    if (hv_json_parse(&call->arena, call->input_json, HV_JSON_STRICT, &facts->input, NULL) != HV_OK)
        facts->input = NULL;
    if (tool->subject)
        facts->subject = tool->subject(call->input, &call->context);
    if (tool->subject_kind == HV_SUBJECT_COMMAND)
        judge_command(call, facts);
    if (tool->check_permission)
        facts->own = tool->check_permission(call->input, &call->context, &facts->own_reason);
}

/* What the command does is found out while the hooks think; kept in call->judged, which an input that they change does
 * not match any more. */
void permission_prepare(struct call *call)
{
    struct policy_facts facts;
    if (call->tool->subject_kind == HV_SUBJECT_COMMAND)
        permission_facts(call, &facts);
}

/* With what the sandbox makes of it. */
static void decide_confined(struct call *call, const struct policy *policy, struct policy_facts *facts,
                            struct policy_decision *decision)
{
    const struct runtime *runtime = call->runtime;
    const struct policy_surroundings surroundings = surroundings_of(call);
    struct masks_door door = {.masks = runtime->masks, .sandbox = runtime->sandbox};
    if (runtime->settings)
        door.options = &runtime->settings->sandbox;
    const struct policy *by = masks_decide(&door, policy, &surroundings, facts, &call->arena, decision);
    call->decided_by = by == policy ? NULL : by;
}

static void decide(struct call *call, struct policy_facts *facts)
{
    struct policy *policy = runtime_policy(call->runtime);
    decide_confined(call, policy, facts, &call->decision);
    /* The texts may stand in the policy, which another thread may replace: keep them with the call. */
    struct policy_decision *decision = &call->decision;
    CLEANUP_BUF struct hv_buf reason = {.max = 1u << 20};
    visible_add(&reason, decision->reason); /* it names paths that a model wrote */
    decision->reason = hv_arena_str(&call->arena, hv_buf_str(&reason));
    decision->rule = hv_arena_str(&call->arena, decision->rule);
    decision->scope = hv_arena_str(&call->arena, decision->scope);
    decision->proposal = hv_arena_str(&call->arena, decision->proposal); /* proposals are in the call's arena */
    call->context.address_count =
        call->hook_answered ? 0 : policy_named_addresses(facts, decision, &call->arena, &call->context.addresses);
    call->context.only_reads = decision->verdict == HV_ALLOW && decision->stage == POLICY_STAGE_CLASSIFIER;
    policy_unref(policy);
}

/* What was allowed must still be, and what a person or hook allowed must be asked for the same reason. */
bool permission_changed(struct call *call)
{
    if (call->tool->subject_kind != HV_SUBJECT_COMMAND)
        return false;
    struct policy_facts facts;
    struct policy_decision now = {0};
    call->judged.command = NULL;
    permission_facts(call, &facts);
    struct policy *policy = runtime_policy(call->runtime);
    decide_confined(call, policy, &facts, &now);
    CLEANUP_BUF struct hv_buf reason = {.max = 1u << 20};
    visible_add(&reason, now.reason);
    bool same = now.verdict == HV_ALLOW ||
                (now.verdict == HV_ASK && now.verdict == call->decision.verdict &&
                 now.always_confirm == call->decision.always_confirm &&
                 hv_str_eq(hv_buf_str(&reason), call->decision.reason)) ||
                (now.verdict == HV_ASK && call->answered);
    policy_unref(policy);
    return !same;
}

static const char *verdict_name(enum hv_verdict verdict)
{
    return verdict == HV_ALLOW ? "allow" : verdict == HV_ASK ? "ask" : "deny";
}

/* The reason of what was decided in the end: that of asking is none for having been allowed. */
static struct hv_str final_reason(struct call *call, enum hv_verdict final, struct hv_str by)
{
    if (final != HV_ALLOW || !by.ptr)
        return call->decision.reason;
    return hv_arena_format(&call->arena, "the %.*s allowed it; it was asked because %.*s", HV_STR_ARG(by),
                           HV_STR_ARG(call->decision.reason));
}

static void emit_decision(struct call *call, enum hv_verdict final, struct hv_str by, uint64_t waited_ns)
{
    CLEANUP_BUF struct hv_buf data = {.max = 1u << 20};
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &data);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "stage", policy_stage_name(call->decision.stage));
    if (call->decision.rule.ptr)
        hv_json_member_string(&writer, "rule", call->decision.rule);
    if (call->decision.scope.ptr)
        hv_json_member_string(&writer, "scope", call->decision.scope);
    if (by.ptr)
        hv_json_member_string(&writer, "by", by);
    hv_json_end_object(&writer);
    call_emit(call, (struct hv_event){.type = HV_EVENT_DECISION,
                                      .name = hv_str_from(verdict_name(final)),
                                      .text = final_reason(call, final, by),
                                      .data = hv_buf_str(&data),
                                      .duration_ns = waited_ns,
                                      .ok = final == HV_ALLOW});
}

/* Of a command of several parts: what each of them does, and which need somebody's leave. */
static void describe_parts(struct call *call, const struct policy_facts *facts, struct hv_buf *out)
{
    size_t count = policy_count_commands(facts);
    if (count < 2)
        return;
    struct policy *policy = runtime_policy(call->runtime);
    hv_buf_addf(out, "\n%zu commands (ok: needs no leave):\n", count);
    policy_explain_parts(call->decided_by ? call->decided_by : policy, facts, true, out);
    policy_unref(policy);
}

/* What is asked, with nothing hidden: no escapes, no characters that show nothing or turn the line around. False when
 * it is a command too long to be looked at; of other inputs the beginning is shown. */
static bool describe_use(struct call *call, const struct policy_facts *facts, struct hv_str *out)
{
    CLEANUP_BUF struct hv_buf text = {.max = 1u << 20}, shown = {.max = QUESTION_MAX};
    if (call->tool->render_use)
        call->tool->render_use(call->input, &call->context, &text);
    else
        hv_buf_addf(&text, "%s %.*s", call->tool->name, HV_STR_ARG(call->input_json));
    visible_add_lines(&shown, hv_buf_str(&text));
    bool whole = !text.failed && !shown.failed;
    if (whole)
        describe_parts(call, facts, &shown);
    *out = hv_arena_format(&call->arena, "%.*s%s", (int)shown.len, shown.len ? shown.data : "",
                           whole ? "" : " [cut here: it is too long to be shown]");
    return whole || call->tool->subject_kind != HV_SUBJECT_COMMAND;
}

/* What would change, as the tool foresees it, with nothing hidden. Tabs are shown as blanks, and indentation stays. */
static struct hv_str describe_change(struct call *call)
{
    CLEANUP_BUF struct hv_buf raw = {.max = 1u << 20}, shown = {.max = QUESTION_MAX};
    struct hv_str rest, line, part;
    if (!call->tool->preview)
        return (struct hv_str){0};
    call->tool->preview(call->input, &call->context, &raw);
    rest = hv_str_trim(hv_buf_str(&raw));
    while (!raw.failed && hv_str_split(&rest, '\n', &line)) {
        CLEANUP_BUF struct hv_buf plain = {.max = 1u << 20};
        hv_buf_add_str(&shown, hv_str_slice(line, 0, 1));
        line = hv_str_slice(line, 1, line.len);
        for (bool first = true; hv_str_split(&line, '\t', &part); first = false) {
            hv_buf_add_cstr(&plain, first ? "" : "    ");
            hv_buf_add_str(&plain, part);
        }
        visible_add_lines(&shown, hv_buf_str(&plain));
        hv_buf_add_byte(&shown, '\n');
    }
    return shown.len ? hv_arena_format(&call->arena, "%.*s%s", (int)shown.len, shown.data,
                                       shown.failed ? " [cut here: it is too long to be shown]" : "")
                     : (struct hv_str){0};
}

/* "`A`", "`A` and `B`" */
static const char *proposals_in_words(struct call *call)
{
    const struct policy_decision *decision = &call->decision;
    struct hv_str text = HV_STR("");
    for (size_t i = 0; i < decision->proposal_count; i++)
        text = hv_arena_format(&call->arena, "%.*s%s`%.*s`", HV_STR_ARG(text), i ? " and " : "",
                               HV_STR_ARG(decision->proposals[i]));
    return text.ptr;
}

/* The PermissionDenied hooks are told; one of them may say that it is worth another try. */
static struct hv_str tell_denied(struct call *call)
{
    struct hook_verdict verdict = {0};
    if (!hook_configured(call->runtime, "PermissionDenied"))
        return HV_STR("");
    CLEANUP_BUF struct hv_buf members = {.max = SIZE_MAX / 4};
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &members);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "tool_name", call->tool->name);
    hv_json_member_raw(&writer, "tool_input", call->input_json);
    hv_json_member_string(&writer, "tool_use_id", call->id);
    hv_json_member_string(&writer, "reason", call->decision.reason);
    hv_json_end_object(&writer);
    hook_run(call->runtime, "PermissionDenied", hv_str_from(call->tool->name), hv_buf_str(&members), call, NULL,
             &call->arena, &verdict);
    return verdict.retry ? HV_STR(". A hook says that the call may be tried again") : HV_STR("");
}

static enum stage_outcome deny(struct call *call)
{
    struct hv_str retry = tell_denied(call);
    const struct policy_decision *decision = &call->decision;
    if (decision->verdict == HV_ASK && decision->proposal.len)
        return call_settle_error(call,
                                 "Permission to use %s was not given: %.*s. Nobody can be asked here; the rule%s %s in "
                                 "permissions.allow would allow it%.*s",
                                 call->tool->name, HV_STR_ARG(decision->reason),
                                 decision->proposal_count > 1 ? "s" : "", proposals_in_words(call), HV_STR_ARG(retry));
    return call_settle_error(call, "Permission to use %s was denied: %.*s%.*s", call->tool->name,
                             HV_STR_ARG(decision->reason), HV_STR_ARG(retry));
}

/* The PermissionRequest hooks may answer in a person's place. */
static bool hooks_answer(struct call *call, struct hv_answer *answer)
{
    struct hook_verdict verdict = {0};
    if (!hook_configured(call->runtime, "PermissionRequest"))
        return false;
    CLEANUP_BUF struct hv_buf members = {.max = SIZE_MAX / 4};
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &members);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "tool_name", call->tool->name);
    hv_json_member_raw(&writer, "tool_input", call->input_json);
    runtime_put_suggestions(&writer, call->decision.proposals,
                            call->decision.always_confirm ? 0 : call->decision.proposal_count);
    hv_json_end_object(&writer);
    hook_run(call->runtime, "PermissionRequest", hv_str_from(call->tool->name), hv_buf_str(&members), call, NULL,
             &call->arena, &verdict);
    if (verdict.permission != HV_ALLOW && verdict.permission != HV_DENY)
        return false;
    *answer = (struct hv_answer){
        .outcome = verdict.permission == HV_ALLOW ? HV_ASK_ANSWERED : HV_ASK_REFUSED,
        .words = verdict.reason,
        .input = verdict.updated_input,
        .updates = verdict.updated_permissions,
    };
    hook_note_stop(call, &verdict);
    return true;
}

static enum stage_outcome take_answer(struct call *call, const struct hv_answer *answer, const char *by,
                                      uint64_t waited_ns)
{
    const bool by_hook = hv_str_is(HV_STR("hook"), by);
    const struct permission_asked asked = {.by = by_hook ? by : "program",
                                           .refused = answer->outcome != HV_ASK_ANSWERED,
                                           .by_hook = by_hook,
                                           .each_time = call->decision.always_confirm};
    enum hv_verdict final = asked.refused ? HV_DENY : HV_ALLOW;
    struct hv_error err;
    if (by_hook) { /* nobody has seen the addresses */
        call->hook_answered = true;
        call->context.address_count = 0;
    }
    if (permission_update(call->runtime, answer->updates, &asked, &call->arena, NULL, NULL, &err) != HV_OK) {
        emit_decision(call, HV_DENY, hv_str_from(by), waited_ns);
        return call_settle_error(call, "This call of %s was not allowed: %s.", call->tool->name, err.message);
    }
    emit_decision(call, final, hv_str_from(by), waited_ns);
    if (answer->outcome == HV_ASK_REFUSED && !answer->words.len)
        return call_settle_error(call, "The %s refused this call of %s.", by, call->tool->name);
    if (final == HV_DENY && answer->words.len)
        return call_settle_error(call, "The %s refused this call and says: %.*s", by, HV_STR_ARG(answer->words));
    if (final == HV_DENY)
        return deny(call);
    if (!answer->input.len || hv_str_eq(answer->input, call->input_json))
        return STAGE_NEXT;
    /* The person changed the input: it is decoded and judged anew; hooks have had their say on this call. */
    call->raw = hv_arena_str(&call->arena, answer->input);
    call->answered = true;
    schedule_withdraw(call);
    return STAGE_BACK;
}

/* False: it is too long to be shown. */
static bool make_question(struct call *call, const struct policy_facts *facts, struct hv_question *question)
{
    const struct policy_decision *decision = &call->decision;
    *question = (struct hv_question){
        .kind = HV_ASK_PERMISSION,
        .call_id = call->id,
        .subject = hv_str_from(call->tool->name),
        .input = call->input_json,
        .reason = decision->reason,
        .explanation = hv_arena_format(&call->arena, "decided by: %s", policy_stage_name(decision->stage)),
        .rules = decision->proposals,
        .rule_count = decision->always_confirm ? 0 : decision->proposal_count,
        .destructive = facts->destructive,
        .each_time = decision->always_confirm,
    };
    if (decision->rule.len)
        question->explanation =
            hv_arena_format(&call->arena, "%.*s\nrule: %.*s (%.*s)", HV_STR_ARG(question->explanation),
                            HV_STR_ARG(decision->rule), HV_STR_ARG(decision->scope));
    if (!describe_use(call, facts, &question->text))
        return false;
    question->shown = show_question(call, facts, question->text, describe_change(call));
    return true;
}

static enum stage_outcome ask(struct call *call, struct policy_facts *facts)
{
    struct runtime *runtime = call->runtime;
    struct hv_answer answer = {0};
    struct hv_question question;
    uint64_t started = clock_monotonic_ns();
    if (hooks_answer(call, &answer))
        return take_answer(call, &answer, "hook", clock_monotonic_ns() - started);
    if (!runtime->options.asker.ask) {
        emit_decision(call, HV_DENY, HV_STR("nobody to ask"), 0);
        return deny(call);
    }
    LOCK_SCOPE(&runtime->ask_lock);
    /* The answer to an earlier question may have settled this one. */
    decide(call, facts);
    if (call->decision.verdict != HV_ASK) {
        emit_decision(call, call->decision.verdict, (struct hv_str){0}, clock_monotonic_ns() - started);
        return call->decision.verdict == HV_ALLOW ? STAGE_NEXT : deny(call);
    }
    if (!make_question(call, facts, &question)) {
        emit_decision(call, HV_DENY, HV_STR("nobody to ask"), clock_monotonic_ns() - started);
        return call_settle_error(call, "This call is too long to be shown to the person who would have to allow it. "
                                       "Write the text to a file first and use the file, or make several calls of it.");
    }
    ask_locked(runtime, &question, call->cancel, &call->arena, &answer);
    if (call_is_cancelled(call))
        return call_settle_error(call, "Cancelled while a person was asked: %s", call->batch->cancel_reason);
    if (answer.outcome == HV_ASK_ANSWERED)
        runtime_keep_rules(runtime, &question, &answer);
    return take_answer(call, &answer, "person", clock_monotonic_ns() - started);
}

/* A person is not asked about what can do nothing. STAGE_NEXT: ask. */
static enum stage_outcome foresee(struct call *call)
{
    struct hv_error err = {0};
    bool asks = call->runtime->options.asker.ask || hook_configured(call->runtime, "PermissionRequest");
    if (!asks || !call->tool->foresee)
        return STAGE_NEXT;
    call->result = (struct hv_result){0};
    enum hv_code code = call->tool->foresee(call->input, &call->context, &call->result, &err);
    if (code == HV_OK && !call->result.is_error)
        return STAGE_NEXT;
    /* What an earlier call of the batch reads or writes counts. */
    if (schedule_wait_earlier(call, true)) {
        call->result = (struct hv_result){0};
        schedule_withdraw(call);
        return STAGE_BACK;
    }
    if (code)
        hv_result_error(&call->result, &call->arena, &err);
    return STAGE_SETTLED;
}

enum stage_outcome stage_permission(struct call *call)
{
    struct policy_facts facts;
    permission_facts(call, &facts);
    decide(call, &facts);
    bool is_allowed = call->decision.verdict == HV_ALLOW || (call->decision.verdict == HV_ASK && call->answered);
    /* A refusal is final and a question shows where the call would run: both want the directory that earlier calls
     * leave. What is allowed is looked at again when it is admitted. */
    if (!is_allowed && schedule_wait_earlier(call, false)) {
        call->judged.command = NULL; /* files may be others now, too */
        schedule_withdraw(call);
        return STAGE_BACK;
    }
    if (call->decision.verdict == HV_ASK) {
        /* A person who rewrote the input has approved what it became, unless a rule denies it. */
        if (!call->answered) {
            enum stage_outcome outcome = foresee(call);
            return outcome == STAGE_NEXT ? ask(call, &facts) : outcome;
        }
        call->decision.verdict = HV_ALLOW;
    }
    emit_decision(call, call->decision.verdict, (struct hv_str){0}, 0);
    return call->decision.verdict == HV_ALLOW ? STAGE_NEXT : deny(call);
}
