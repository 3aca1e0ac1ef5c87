/*
 * explain.c: see explain.h. What matched is asked of match.c again, rule by rule, so that an explanation cannot differ
 * from the decision.
 */
#include "policy/explain.h"

#include "base/cleanup.h"
#include "policy/judged.h"
#include "policy/match.h"
#include "policy/visible.h"

#include <string.h>

static const char *verdict_name(enum hv_verdict verdict)
{
    return verdict == HV_ALLOW ? "allow" : verdict == HV_ASK ? "ask" : "deny";
}

static const char *class_name(enum policy_path_class class)
{
    static const char *const names[] = {
        [POLICY_PATH_OUTSIDE] = "outside the workspace",
        [POLICY_PATH_WORKSPACE] = "workspace",
        [POLICY_PATH_CREDENTIAL] = "credential",
        [POLICY_PATH_PROTECTED] = "protected",
        [POLICY_PATH_FORBIDDEN] = "forbidden",
        [POLICY_PATH_SPECIAL] = "special",
        [POLICY_PATH_OWN] = "stored result",
    };
    return names[class];
}

static bool opens_special(const struct policy *policy, const struct policy_facts *facts)
{
    struct match_access access;
    for (size_t i = 0; match_next_access(facts, &i, &access);)
        if (policy_classify_path(policy, access.path, access.writing) == POLICY_PATH_SPECIAL)
            return true;
    return false;
}

const char *policy_explain_outcome(const struct policy *policy, const struct policy_facts *facts,
                                   const struct policy_decision *decision)
{
    if (decision->always_confirm)
        return "always_confirm";
    bool forbidden = decision->stage == POLICY_STAGE_FORBIDDEN && policy && facts->tool;
    return forbidden && opens_special(policy, facts) ? "refuse" : verdict_name(decision->verdict);
}

/* ---- the rules that speak of a call ------------------------------------------------------------------------------ */

static const char *match_of(const struct match_call *call, const struct rule *rule)
{
    struct match_access access;
    if (rule->verdict != HV_ALLOW) {
        static const char *const words[] = {[MATCH_NONE] = NULL, [MATCH_MENTION] = "mention", [MATCH_FULL] = "full"};
        return words[match_restricts(call, rule)];
    }
    if (match_allows_whole(call, rule))
        return "full";
    for (size_t i = 0; match_next_access(call->facts, &i, &access);)
        if (match_allows_access(call, rule, access.path, access.writing))
            return "path";
    return NULL;
}

static bool decides(const struct rule *rule, const struct policy_decision *decision)
{
    return decision->rule.len && hv_str_eq(rule->text, decision->rule) && hv_str_eq(rule->place, decision->scope);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void put_rule_members(struct hv_json_writer *writer, const struct rule *rule)
{
    hv_json_member_cstr(writer, "verdict", verdict_name(rule->verdict));
    hv_json_member_string(writer, "rule", rule->text);
    hv_json_member_cstr(writer, "scope", policy_scope_name(rule->scope));
    if (rule->where.file.len)
        hv_json_member_string(writer, "file", rule->where.file);
    if (rule->where.line) {
        hv_json_member_int(writer, "line", rule->where.line);
        hv_json_member_int(writer, "column", rule->where.column);
    }
}

static void put_rules(struct hv_json_writer *writer, const struct match_call *call,
                      const struct policy_decision *decision)
{
    hv_json_name(writer, "rules");
    hv_json_begin_array(writer);
    for (size_t i = 0; i < call->policy->rule_count; i++) {
        const struct rule *rule = &call->policy->rules[i];
        const char *match = match_of(call, rule);
        if (!match)
            continue;
        hv_json_begin_object(writer);
        put_rule_members(writer, rule);
        hv_json_member_cstr(writer, "match", match);
        hv_json_member_bool(writer, "decides", decides(rule, decision));
        hv_json_end_object(writer);
    }
    hv_json_end_array(writer);
}

static void put_paths(struct hv_json_writer *writer, const struct policy *policy, const struct policy_facts *facts)
{
    struct match_access access;
    hv_json_name(writer, "paths");
    hv_json_begin_array(writer);
    for (size_t i = 0; match_next_access(facts, &i, &access);) {
        hv_json_begin_object(writer);
        hv_json_member_cstr(writer, "access", access.writing ? "write" : "read");
        hv_json_member_string(writer, "path", access.path->written);
        hv_json_member_string(writer, "resolved", access.path->resolved);
        hv_json_member_cstr(writer, "class", class_name(policy_classify_path(policy, access.path, access.writing)));
        hv_json_member_cstr(writer, "what", path_classify(policy->classes, access.path, access.writing).what);
        hv_json_end_object(writer);
    }
    hv_json_end_array(writer);
}

void policy_explain_members(const struct policy *policy, const struct policy_facts *facts,
                            const struct policy_decision *decision, struct hv_json_writer *writer)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct match_access access;
    struct match_call call;
    size_t first = 0;
    hv_json_member_cstr(writer, "decision", policy_explain_outcome(policy, facts, decision));
    hv_json_member_cstr(writer, "stage", policy_stage_name(decision->stage));
    hv_json_member_string(writer, "reason", decision->reason);
    hv_json_member_string(writer, "rule", decision->rule);
    hv_json_member_string(writer, "scope", decision->scope);
    hv_json_member_string(writer, "proposal", decision->proposal);
    hv_json_member_cstr(writer, "tool", facts->tool ? facts->tool->name : NULL);
    hv_json_member_string(writer, "subject", facts->subject);
    hv_json_member_string(writer, "resolved",
                          match_next_access(facts, &first, &access) ? access.path->resolved : (struct hv_str){0});
    if (!policy || !facts->tool)
        return;
    match_begin(policy, facts, &arena, &call);
    hv_json_member_cstr(writer, "mode", policy_mode_name(policy_mode_of(policy)));
    put_paths(writer, policy, facts);
    put_rules(writer, &call, decision);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void add_line(struct hv_buf *out, const char *name, struct hv_str text)
{
    if (!text.len)
        return;
    hv_buf_addf(out, "  %-10s ", name);
    visible_add(out, text);
    hv_buf_add_byte(out, '\n');
}

static void add_access(struct hv_buf *out, const struct policy *policy, const struct match_access *access)
{
    const struct policy_path *path = access->path;
    const char *what = path_classify(policy->classes, path, access->writing).what;
    add_line(out, access->writing ? "writes" : "reads", path->written);
    if (!path->resolved.len)
        add_line(out, "", HV_STR("which cannot be resolved: no rule allows it"));
    else if (!hv_str_eq(path->resolved, path->written))
        add_line(out, "  which is", path->resolved);
    hv_buf_addf(out, "  %-10s %s%s%s%s\n", "  class", class_name(policy_classify_path(policy, path, access->writing)),
                what ? " (" : "", what ? what : "", what ? ")" : "");
}

static void add_rule_line(struct hv_buf *out, const struct rule *rule, const char *note)
{
    hv_buf_addf(out, "  %-10s ", verdict_name(rule->verdict));
    visible_add(out, rule->text);
    hv_buf_add_cstr(out, "  ");
    visible_add(out, rule->place);
    hv_buf_addf(out, "%s\n", note);
}

static void add_rules(struct hv_buf *out, const struct match_call *call, const struct policy_decision *decision)
{
    bool any = false;
    for (size_t i = 0; i < call->policy->rule_count; i++) {
        const struct rule *rule = &call->policy->rules[i];
        const char *match = match_of(call, rule);
        if (!match)
            continue;
        if (!any)
            hv_buf_add_cstr(out, "rules that speak of it:\n");
        any = true;
        add_rule_line(out, rule,
                      decides(rule, decision)         ? "  <- decides"
                      : strcmp(match, "mention") == 0 ? "  (its file is named)"
                                                      : "");
    }
    if (!any)
        hv_buf_add_cstr(out, "no rule speaks of it\n");
}

static void write_text(const struct policy *policy, const struct policy_facts *facts,
                       const struct policy_decision *decision, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct match_access access;
    struct match_call call;
    hv_buf_addf(out, "%s: ", policy_explain_outcome(policy, facts, decision));
    visible_add(out, decision->reason);
    hv_buf_add_byte(out, '\n');
    add_line(out, "tool", hv_str_from(facts->tool ? facts->tool->name : NULL));
    add_line(out, "subject", facts->subject);
    if (!policy || !facts->tool)
        return;
    for (size_t i = 0; match_next_access(facts, &i, &access);)
        add_access(out, policy, &access);
    if (facts->command && facts->command->accepted) {
        hv_buf_addf(out, "what it does:\n");
        policy_explain_parts(policy, facts, true, out);
    }
    add_line(out, "mode", hv_str_from(policy_mode_name(policy_mode_of(policy))));
    add_line(out, "stage", hv_str_from(policy_stage_name(decision->stage)));
    for (size_t i = 0; i < decision->proposal_count; i++)
        add_line(out, i ? "" : "proposal", decision->proposals[i]);
    match_begin(policy, facts, &arena, &call);
    add_rules(out, &call, decision);
}

void policy_explain_write(const struct policy *policy, const struct policy_facts *facts,
                          const struct policy_decision *decision, bool as_json, struct hv_buf *out)
{
    struct hv_json_writer writer;
    if (!as_json) {
        write_text(policy, facts, decision, out);
        return;
    }
    hv_json_writer_init(&writer, out);
    hv_json_begin_object(&writer);
    policy_explain_members(policy, facts, decision, &writer);
    hv_json_end_object(&writer);
    hv_buf_add_byte(out, '\n');
}
