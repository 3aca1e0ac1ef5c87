/*
 * proposal.c: the narrowest rule that would allow a call that is to be asked. Each candidate is parsed and tried on the
 * call like any rule of a settings file; one that does not do what it says is not offered. Pure.
 */
#include "policy/match.h"
#include "policy/proposal_command.h"

#include "base/path.h"
#include "policy/visible.h"

#include <string.h>

static bool can_be_shown(struct hv_str text)
{
    return text.len && text.len <= PROPOSAL_TEXT_MAX && visible_as_is(text);
}

/* text as a rule, when it allows the call; else absent. */
static struct hv_str if_it_allows(const struct match_call *call, struct hv_arena *arena, struct hv_str text)
{
    const struct policy *policy = call->policy;
    struct rule_bases bases = policy_rule_bases(policy);
    struct rule rule;
    if (rule_parse(&bases, arena, HV_ALLOW, text, policy->directory.written, &rule, NULL) != HV_OK)
        return (struct hv_str){0};
    return match_allowed(call, &rule, 1) ? text : (struct hv_str){0};
}

static struct hv_str rule_text(struct hv_arena *arena, const char *tool, const char *prefix, struct hv_str specifier)
{
    return hv_arena_format(arena, "%s(%s%.*s)", tool, prefix, HV_STR_ARG(specifier));
}

/* ---- paths ----------------------------------------------------------------------------------------------------- */

/* The rule name that people write for this tool: its own, or the one it shares with others. */
static const char *rule_name(const struct hv_tool *tool)
{
    return tool->rule_names && *tool->rule_names ? *tool->rule_names : tool->name;
}

/* The one access that no rule and no freedom covers yet; false when there are more of different paths, or none. */
static bool one_open_access(const struct match_call *call, struct match_access *out)
{
    bool found = false;
    struct match_access access;
    for (size_t i = 0; match_next_access(call->facts, &i, &access);) {
        struct policy_facts alone = *call->facts;
        alone.reads = access.writing ? NULL : access.path;
        alone.writes = access.writing ? access.path : NULL;
        alone.read_count = !access.writing, alone.write_count = access.writing;
        struct match_call part = *call;
        part.facts = &alone;
        if (match_allowed(&part, NULL, 0) || (!access.writing && match_reads_workspace(&part)))
            continue;
        if (found && !hv_str_eq(out->path->written, access.path->written))
            return false;
        if (!found || access.writing)
            *out = access;
        found = true;
    }
    return found;
}

static struct hv_str propose_path(const struct match_call *call, struct hv_arena *arena)
{
    struct match_access access;
    const struct policy_path *directory = &call->policy->directory;
    if (!one_open_access(call, &access) || !can_be_shown(access.path->written))
        return (struct hv_str){0};
    const char *name = rule_name(call->facts->tool);
    struct hv_str pattern = proposal_pattern(access.path->written, access.path->kind == HV_FILE_DIRECTORY, arena);
    struct hv_str rule = if_it_allows(call, arena, rule_text(arena, name, "/", pattern));
    if (rule.len || !path_inside(access.path->written, directory->written))
        return rule;
    /* Reached through a link above the working directory: a relative rule sees both sides of it. */
    size_t skip = proposal_pattern(directory->written, false, arena).len + (hv_str_is(directory->written, "/") ? 0 : 1);
    return if_it_allows(call, arena, rule_text(arena, name, "./", hv_str_slice(pattern, skip, pattern.len)));
}

/* ---- all kinds -------------------------------------------------------------------------------------------------- */

static struct hv_str propose_text(const struct match_call *call, struct hv_arena *arena)
{
    const struct hv_tool *tool = call->facts->tool;
    struct hv_str subject = hv_str_trim(call->facts->subject);
    if (!can_be_shown(subject) || hv_str_find_byte(subject, '*', 0) != SIZE_MAX)
        return (struct hv_str){0};
    if (call->has_command && call->command.runs_code)
        return (struct hv_str){0};
    const char *prefix = tool->subject_kind == HV_SUBJECT_DOMAIN ? "domain:" : "";
    return if_it_allows(call, arena, rule_text(arena, tool->name, prefix, subject));
}

/* The rules for a command must allow it when they are all there. */
static size_t propose_command(const struct match_call *call, struct hv_arena *arena, struct hv_str *texts)
{
    const struct policy *policy = call->policy;
    struct rule_bases bases = policy_rule_bases(policy);
    struct rule rules[PROPOSALS_MAX];
    size_t count = propose_for_command(call, arena, texts);
    for (size_t i = 0; i < count; i++)
        if (rule_parse(&bases, arena, HV_ALLOW, texts[i], policy->directory.written, &rules[i], NULL) != HV_OK)
            return 0;
    return count && match_allowed(call, rules, count) ? count : 0;
}

static struct hv_str propose_one(const struct match_call *call, struct hv_arena *arena)
{
    const struct hv_tool *tool = call->facts->tool;
    switch (tool->subject_kind) {
    case HV_SUBJECT_PATH: return propose_path(call, arena);
    case HV_SUBJECT_NONE: return if_it_allows(call, arena, hv_arena_str(arena, hv_str_from(tool->name)));
    default: return propose_text(call, arena);
    }
}

void policy_propose(const struct policy *policy, const struct policy_facts *facts, struct hv_arena *arena,
                    struct policy_decision *out)
{
    struct hv_str texts[PROPOSALS_MAX];
    struct match_call call;
    if (!match_is_complete(facts))
        return;
    match_begin(policy, facts, arena, &call);
    if (match_allowed(&call, NULL, 0))
        return; /* it needs none */
    if (call.parts) {
        out->proposal_count = propose_command(&call, arena, texts);
    } else {
        texts[0] = propose_one(&call, arena);
        out->proposal_count = texts[0].len > 0;
    }
    struct hv_str *list = hv_arena_array(arena, struct hv_str, out->proposal_count);
    for (size_t i = 0; i < out->proposal_count; i++)
        list[i] = texts[i];
    out->proposals = list;
    out->proposal = out->proposal_count ? list[0] : (struct hv_str){0};
}
