/* ask_network.c: a sandboxed command wants to reach a host that no rule speaks of: whoever can be asked is asked, the
 * PermissionRequest hooks first. The rule is shown as Network(HOST), and saved as an element of
 * sandbox.network.allowedDomains. */
#include "base/cleanup.h"
#include "policy/policy.h"
#include "policy/visible.h"
#include "runtime/call.h"
#include "runtime/confine.h"

enum { TEXT_MAX = 4096 };

#define SUBJECT "Network"

/* Who wants no questions gets none: then the settings alone say what is reached. */
static bool may_ask(struct runtime *runtime)
{
    struct policy *policy = runtime_policy(runtime);
    enum policy_mode mode = policy_mode_of(policy);
    policy_unref(policy);
    return mode != POLICY_DONT_ASK && mode != POLICY_BYPASS;
}

static struct hv_str visible(struct hv_arena *arena, struct hv_str text)
{
    CLEANUP_BUF struct hv_buf out = {.max = TEXT_MAX};
    visible_add_lines(&out, text);
    return hv_arena_str(arena, hv_buf_str(&out));
}

static struct hv_str details_of(struct hv_arena *arena, const struct sandbox_connection *connection)
{
    CLEANUP_BUF struct hv_buf out = {.max = 2 * TEXT_MAX};
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &out);
    hv_json_begin_object(&writer);
    hv_json_member_string(&writer, "host", connection->host);
    hv_json_member_int(&writer, "port", connection->port);
    if (connection->address.len)
        hv_json_member_string(&writer, "address", connection->address);
    if (connection->command.len)
        hv_json_member_string(&writer, "command", connection->command);
    hv_json_end_object(&writer);
    return hv_arena_str(arena, hv_buf_str(&out));
}

static struct hv_str describe(struct hv_arena *arena, const struct sandbox_connection *connection)
{
    struct hv_str text =
        hv_arena_format(arena, "connect to %.*s, port %u", HV_STR_ARG(connection->host), connection->port);
    if (connection->address.len)
        text = hv_arena_format(arena, "%.*s; it leads to %.*s, an address of this machine or its network",
                               HV_STR_ARG(text), HV_STR_ARG(connection->address));
    if (connection->command.len)
        text = hv_arena_format(arena, "%.*s\nfor this command, which waits:\n%.*s", HV_STR_ARG(text),
                               HV_STR_ARG(visible(arena, connection->command)));
    return text;
}

/* The PermissionRequest hooks may answer in a person's place; to them it is a call of the tool "Network". */
static bool hooks_answer(struct runtime *runtime, const struct hv_question *question, const struct hv_cancel *cancel,
                         struct hv_arena *arena, struct hv_answer *answer)
{
    struct hook_verdict verdict = {0};
    if (!hook_configured(runtime, "PermissionRequest"))
        return false;
    CLEANUP_BUF struct hv_buf members = {.max = SIZE_MAX / 4};
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &members);
    hv_json_begin_object(&writer);
    hv_json_member_string(&writer, "tool_name", question->subject);
    hv_json_member_raw(&writer, "tool_input", question->details);
    runtime_put_suggestions(&writer, question->rules, question->rule_count);
    hv_json_end_object(&writer);
    hook_run(runtime, "PermissionRequest", question->subject, hv_buf_str(&members), NULL, cancel, arena, &verdict);
    if (verdict.permission != HV_ALLOW && verdict.permission != HV_DENY)
        return false;
    *answer = (struct hv_answer){.outcome = verdict.permission == HV_ALLOW ? HV_ASK_ANSWERED : HV_ASK_REFUSED,
                                 .words = verdict.reason,
                                 .updates = verdict.updated_permissions};
    return true;
}

/* "Network(HOST)", or HOST as a person may have written it. */
static struct hv_str domain_of_rule(struct hv_str rule)
{
    rule = hv_str_trim(rule);
    if (hv_str_starts(rule, HV_STR(SUBJECT "(")) && hv_str_ends(rule, HV_STR(")")))
        rule = hv_str_trim(hv_str_slice(rule, sizeof SUBJECT, rule.len - 1));
    return rule;
}

/* What a program or a hook wants to hold for longer. */
static void take_updates(struct runtime *runtime, const struct hv_answer *answer, bool by_hook, struct hv_arena *arena,
                         struct sandbox_leave *out)
{
    const struct permission_asked asked = {.by = by_hook ? "hook" : "program",
                                           .refused = answer->outcome != HV_ASK_ANSWERED,
                                           .by_hook = by_hook,
                                           .network = true};
    struct hv_str *domains = NULL;
    struct hv_error err;
    if (permission_update(runtime, answer->updates, &asked, arena, &domains, &out->rule_count, &err) != HV_OK) {
        *out = (struct sandbox_leave){.kind = SANDBOX_LEAVE_REFUSED,
                                      .words = hv_arena_str(arena, hv_str_from(err.message))};
        return;
    }
    if (asked.refused)
        return;
    out->kind = out->rule_count ? SANDBOX_LEAVE_SESSION : SANDBOX_LEAVE_ONCE;
    out->rules = domains;
}

static void take_answer(struct runtime *runtime, const struct hv_question *question, const struct hv_answer *answer,
                        bool by_hook, struct hv_arena *arena, struct sandbox_leave *out)
{
    const struct hv_str *rules = answer->rule_count ? answer->rules : question->rules;
    size_t count = answer->rule_count ? answer->rule_count : question->rule_count;
    if (answer->outcome != HV_ASK_ANSWERED) {
        out->kind = answer->outcome == HV_ASK_REFUSED ? SANDBOX_LEAVE_REFUSED : SANDBOX_LEAVE_NOBODY;
        out->words = hv_arena_format(arena, "the %s was asked said no%s%.*s", by_hook ? "hook that" : "person who",
                                     answer->words.len ? ": " : "", HV_STR_ARG(answer->words));
    }
    if (answer->updates)
        take_updates(runtime, answer, by_hook, arena, out);
    if (answer->updates || answer->outcome != HV_ASK_ANSWERED)
        return;
    out->kind = answer->scope == HV_ASK_ONCE ? SANDBOX_LEAVE_ONCE : SANDBOX_LEAVE_SESSION;
    if (answer->scope == HV_ASK_ONCE)
        return;
    struct hv_str *domains = hv_arena_array(arena, struct hv_str, count);
    for (size_t i = 0; i < count; i++)
        domains[i] = domain_of_rule(rules[i]);
    if (answer->scope >= HV_ASK_LOCAL)
        (void)!ask_save(runtime, answer->scope, HV_VERDICT_NONE, domains, count);
    out->rules = domains;
    out->rule_count = count;
}

void ask_network(void *user, const struct sandbox_connection *connection, const struct hv_cancel *cancel,
                 struct hv_arena *arena, struct sandbox_leave *out)
{
    struct runtime *runtime = user;
    struct hv_answer answer;
    if (!may_ask(runtime))
        return;
    struct hv_str rule = hv_arena_format(arena, SUBJECT "(%.*s)", HV_STR_ARG(connection->rule));
    const struct hv_question question = {
        .kind = HV_ASK_PERMISSION,
        .subject = HV_STR(SUBJECT),
        .text = describe(arena, connection),
        .reason = HV_STR("no rule of sandbox.network.allowedDomains in the settings speaks of it"),
        .explanation = HV_STR("Commands in the sandbox reach what the settings name, and what you allow here: \"once\" "
                              "holds for this command, however often it connects; \"this session\" and \"always\" "
                              "let every command reach the host, and send it whatever it can read."),
        .details = details_of(arena, connection),
        .rules = &rule,
        .rule_count = 1,
    };
    bool by_hook = hooks_answer(runtime, &question, cancel, arena, &answer);
    if (!by_hook)
        runtime_ask(runtime, &question, cancel, arena, &answer);
    take_answer(runtime, &question, &answer, by_hook, arena, out);
}
