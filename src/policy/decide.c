/*
 * decide.c: the decision on one call (spec P6). The stages stand in a table, in their order; each either settles the
 * call or leaves it to the next, and the last always settles it. Pure.
 */
#include "policy/match.h"

#include "base/path.h"
#include "policy/rule_path.h"

/* The decision in the making. */
struct judgement {
    struct match_call call;
    const struct policy *policy;
    const struct policy_facts *facts;
    struct hv_arena *arena;
    const struct rule *mentioned; /* a deny rule about a file that the command names, perhaps only to read it */
    struct policy_decision out;
};

/* ---- settling -------------------------------------------------------------------------------------------------- */

static bool settle(struct judgement *judgement, enum policy_stage stage, enum hv_verdict verdict, struct hv_str reason)
{
    judgement->out.verdict = verdict;
    judgement->out.stage = stage;
    judgement->out.reason = reason;
    return true;
}

/* "…: why", or just the beginning when nobody said why. */
static struct hv_str with_word(struct judgement *judgement, const char *beginning, struct hv_str why)
{
    if (!why.len)
        return hv_str_from(beginning);
    return hv_arena_format(judgement->arena, "%s: %.*s", beginning, HV_STR_ARG(why));
}

static bool settle_by_rule(struct judgement *judgement, enum policy_stage stage, enum hv_verdict verdict,
                           const struct rule *rule, const char *does)
{
    judgement->out.rule = rule->text;
    judgement->out.scope = rule->place;
    return settle(judgement, stage, verdict,
                  hv_arena_format(judgement->arena, "the rule %.*s (%.*s) %s", HV_STR_ARG(rule->text),
                                  HV_STR_ARG(rule->place), does));
}

/* The first rule that speaks of the call in full; the first that a command merely mentions a file of goes to *mention.
 */
static const struct rule *find_restriction(const struct judgement *judgement, enum hv_verdict verdict,
                                           const struct rule **mention)
{
    const struct policy *policy = judgement->policy;
    for (size_t i = 0; i < policy->rule_count; i++) {
        const struct rule *rule = &policy->rules[i];
        if (rule->verdict != verdict)
            continue;
        enum match_strength strength = match_restricts(&judgement->call, rule);
        if (strength == MATCH_FULL)
            return rule;
        if (strength == MATCH_MENTION && !*mention)
            *mention = rule;
    }
    return NULL;
}

/* ---- 1 to 3: what is denied in every mode ------------------------------------------------------------------------ */

static bool forbidden_path(struct judgement *judgement)
{
    struct match_access access;
    for (size_t i = 0; match_next_access(judgement->facts, &i, &access);) {
        struct path_class class = path_classify(judgement->policy->classes, access.path, access.writing);
        if (class.class != POLICY_PATH_SPECIAL && class.class != POLICY_PATH_FORBIDDEN)
            continue;
        return settle(judgement, POLICY_STAGE_FORBIDDEN, HV_DENY,
                      hv_arena_format(judgement->arena, "%.*s is %s and is never %s", HV_STR_ARG(access.path->written),
                                      class.what, class.class == POLICY_PATH_SPECIAL ? "opened" : "written"));
    }
    return false;
}

static bool forbidden(struct judgement *judgement)
{
    const char *why = judgement->call.has_command ? command_forbidden(&judgement->call.command) : NULL;
    if (!why)
        return forbidden_path(judgement);
    return settle(judgement, POLICY_STAGE_FORBIDDEN, HV_DENY,
                  hv_arena_format(judgement->arena, "the command is never run: %s", why));
}

static bool hook_denies(struct judgement *judgement)
{
    return judgement->facts->hook == HV_DENY &&
           settle(judgement, POLICY_STAGE_HOOK_DENY, HV_DENY,
                  with_word(judgement, "a hook denies it", judgement->facts->hook_reason));
}

static bool deny_rule(struct judgement *judgement)
{
    const struct rule *rule = find_restriction(judgement, HV_DENY, &judgement->mentioned);
    return rule && settle_by_rule(judgement, POLICY_STAGE_DENY_RULE, HV_DENY, rule, "denies it");
}

/* A tool that says no means it, whatever the mode and the rules say. */
static bool tool_denies(struct judgement *judgement)
{
    return judgement->facts->own == HV_DENY &&
           settle(judgement, POLICY_STAGE_TOOL, HV_DENY,
                  with_word(judgement, "the tool itself refuses", judgement->facts->own_reason));
}

/* ---- 4: what is confirmed each time ------------------------------------------------------------------------------ */

static bool confirm(struct judgement *judgement, struct hv_str what)
{
    bool interactive = judgement->facts->interactive;
    judgement->out.always_confirm = true;
    return settle(judgement, POLICY_STAGE_ALWAYS_CONFIRM, interactive ? HV_ASK : HV_DENY,
                  hv_arena_format(judgement->arena, "%.*s, which a person confirms each time%s", HV_STR_ARG(what),
                                  interactive ? "" : "; nobody can be asked here"));
}

static bool confirm_path(struct judgement *judgement, struct hv_str path, struct path_class class)
{
    if (class.class != POLICY_PATH_CREDENTIAL && class.class != POLICY_PATH_PROTECTED)
        return false;
    return confirm(judgement, hv_arena_format(judgement->arena, "it touches %.*s: %s", HV_STR_ARG(path), class.what));
}

/* A word of a command. What a command does with it is not known: only some surely do not write. */
static bool confirm_mention(void *user, const struct policy_path *word)
{
    struct judgement *judgement = user;
    struct path_class class = path_classify(judgement->policy->classes, word, false);
    /* What a process has open is there under names that no rule knows. */
    if (word->kind == HV_FILE_SYMLINK ||
        (class.class == POLICY_PATH_SPECIAL && path_inside(word->written, HV_STR("/proc")) &&
         !mention_is_own_stream(word->written)))
        return confirm(judgement, hv_arena_format(judgement->arena, "it names %.*s, a way round the checks of paths",
                                                  HV_STR_ARG(word->written)));
    if (class.class == POLICY_PATH_OUTSIDE && !judgement->call.command_reads)
        class = path_classify(judgement->policy->classes, word, true);
    return confirm_path(judgement, word->written, class);
}

static bool always_confirm(struct judgement *judgement)
{
    struct match_access access;
    for (size_t i = 0; match_next_access(judgement->facts, &i, &access);) {
        struct path_class class = path_classify(judgement->policy->classes, access.path, access.writing);
        if (confirm_path(judgement, access.path->written, class))
            return true;
    }
    if (!judgement->call.has_command)
        return false;
    const char *what = command_confirmed(&judgement->call.command);
    if (what)
        return confirm(judgement, hv_str_from(what));
    return match_each_mention(&judgement->call, confirm_mention, judgement);
}

/* ---- 5: what somebody wants to be asked about -------------------------------------------------------------------- */

static bool hook_asks(struct judgement *judgement)
{
    return judgement->facts->hook == HV_ASK &&
           settle(judgement, POLICY_STAGE_HOOK_ASK, HV_ASK,
                  with_word(judgement, "a hook wants it asked", judgement->facts->hook_reason));
}

static bool ask_rule(struct judgement *judgement)
{
    const struct rule *mentioned = NULL, *rule = find_restriction(judgement, HV_ASK, &mentioned);
    rule = rule ? rule : mentioned;
    if (rule)
        return settle_by_rule(judgement, POLICY_STAGE_ASK_RULE, HV_ASK, rule, "wants it asked");
    rule = judgement->mentioned;
    return rule && settle_by_rule(judgement, POLICY_STAGE_ASK_RULE, HV_ASK, rule,
                                  "guards a file that the command names, so a person is asked");
}

/* ---- 6: the mode ------------------------------------------------------------------------------------------------- */

static bool edits_workspace(const struct judgement *judgement)
{
    const struct policy_facts *facts = judgement->facts;
    struct match_access access;
    if (!facts->tool->only_edits_files || facts->destructive || !facts->touches_listed_only || !facts->write_count)
        return false;
    for (size_t i = 0; match_next_access(facts, &i, &access);)
        if (policy_classify_path(judgement->policy, access.path, access.writing) != POLICY_PATH_WORKSPACE)
            return false;
    return true;
}

static bool mode(struct judgement *judgement)
{
    const struct policy_facts *facts = judgement->facts;
    bool complete = match_is_complete(facts);
    switch (judgement->policy->mode) {
    case POLICY_PLAN:
        return (!facts->read_only || facts->destructive) &&
               settle(judgement, POLICY_STAGE_MODE, HV_DENY,
                      HV_STR("plan mode allows only what reads; describe the change in the plan instead"));
    case POLICY_BYPASS:
        return complete && settle(judgement, POLICY_STAGE_MODE, HV_ALLOW, HV_STR("bypassPermissions mode allows it"));
    case POLICY_ACCEPT_EDITS:
        return complete && edits_workspace(judgement) &&
               settle(judgement, POLICY_STAGE_MODE, HV_ALLOW,
                      HV_STR("acceptEdits mode allows edits inside the workspace"));
    case POLICY_DEFAULT:
    case POLICY_DONT_ASK: break; /* what is left to ask is denied at the end */
    }
    return false;
}

/* ---- 7 and 8: what is allowed -------------------------------------------------------------------------------------
 */

static bool hook_allows(struct judgement *judgement)
{
    return judgement->facts->hook == HV_ALLOW && match_is_complete(judgement->facts) &&
           settle(judgement, POLICY_STAGE_HOOK_ALLOW, HV_ALLOW,
                  with_word(judgement, "a hook allows it", judgement->facts->hook_reason));
}

static bool allow_rule(struct judgement *judgement)
{
    const struct rule *rule = match_allowed(&judgement->call, NULL);
    return rule && settle_by_rule(judgement, POLICY_STAGE_ALLOW_RULE, HV_ALLOW, rule, "allows it");
}

static bool tool_opinion(struct judgement *judgement)
{
    const struct policy_facts *facts = judgement->facts;
    if (facts->own == HV_ASK)
        return settle(judgement, POLICY_STAGE_TOOL, HV_ASK,
                      with_word(judgement, "the tool wants it asked", facts->own_reason));
    if (!match_is_complete(facts))
        return false;
    if (facts->own == HV_ALLOW)
        return settle(judgement, POLICY_STAGE_TOOL, HV_ALLOW,
                      with_word(judgement, "the tool itself allows it", facts->own_reason));
    return facts->tool->subject_kind == HV_SUBJECT_PATH && facts->read_only && !facts->destructive &&
           facts->read_count && match_reads_workspace(&judgement->call) &&
           settle(judgement, POLICY_STAGE_TOOL, HV_ALLOW, HV_STR("it only reads inside the workspace"));
}

static bool classifier(struct judgement *judgement)
{
    const struct policy_facts *facts = judgement->facts;
    return judgement->call.has_command && facts->read_only && !facts->destructive &&
           match_reads_workspace(&judgement->call) &&
           settle(judgement, POLICY_STAGE_CLASSIFIER, HV_ALLOW, HV_STR("the command only reads"));
}

/* ---- 9: asking ----------------------------------------------------------------------------------------------------
 */

/* What is the matter with this path, or absent when it is nothing. */
static struct hv_str objection(const struct judgement *judgement, const struct match_access *access)
{
    const struct policy_path *path = access->path;
    if (!path->resolved.len)
        return hv_arena_format(judgement->arena,
                               "where %.*s leads cannot be found out (a circle of links, a name that is too long, or a "
                               "directory that may not be entered)",
                               HV_STR_ARG(path->written));
    if (policy_classify_path(judgement->policy, path, access->writing) != POLICY_PATH_OUTSIDE)
        return (struct hv_str){0};
    if (hv_str_eq(path->resolved, path->written))
        return hv_arena_format(judgement->arena, "%.*s is outside the workspace and no rule allows it",
                               HV_STR_ARG(path->written));
    return hv_arena_format(judgement->arena, "%.*s is %.*s, outside the workspace, and no rule allows both",
                           HV_STR_ARG(path->written), HV_STR_ARG(path->resolved));
}

static bool ask_person(struct judgement *judgement)
{
    struct match_access access;
    struct hv_str reason = {0};
    for (size_t i = 0; !reason.len && match_next_access(judgement->facts, &i, &access);)
        reason = objection(judgement, &access);
    return settle(judgement, POLICY_STAGE_ASK, HV_ASK, reason.len ? reason : HV_STR("no rule allows it"));
}

/* ---- all of it ----------------------------------------------------------------------------------------------------
 */

/* The order is the law; see P6. */
static bool (*const stages[])(struct judgement *) = {
    forbidden, hook_denies, deny_rule,  tool_denies,  always_confirm, hook_asks,  ask_rule,
    mode,      hook_allows, allow_rule, tool_opinion, classifier,     ask_person,
};

/* In dontAsk mode nobody is asked: what would be, is denied. */
static void refuse_to_ask(struct judgement *judgement)
{
    struct policy_decision *out = &judgement->out;
    struct hv_str why = out->reason, rule = out->proposal;
    if (judgement->policy->mode != POLICY_DONT_ASK || out->verdict != HV_ASK)
        return;
    out->always_confirm = false;
    settle(judgement, POLICY_STAGE_MODE, HV_DENY,
           rule.len
               ? hv_arena_format(judgement->arena,
                                 "dontAsk mode denies what would be asked: %.*s; the rule %.*s in permissions.allow "
                                 "would allow it",
                                 HV_STR_ARG(why), HV_STR_ARG(rule))
               : hv_arena_format(judgement->arena, "dontAsk mode denies what would be asked: %.*s", HV_STR_ARG(why)));
}

void policy_decide(const struct policy *policy, const struct policy_facts *facts, struct hv_arena *arena,
                   struct policy_decision *out)
{
    struct judgement judgement = {.policy = policy, .facts = facts, .arena = arena};
    if (!policy || !facts->tool) {
        settle(&judgement, POLICY_STAGE_FORBIDDEN, HV_DENY,
               hv_str_from(policy ? "there is no such tool" : "there are no rules to judge it by"));
        *out = judgement.out;
        return;
    }
    match_begin(policy, facts, arena, &judgement.call);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        if (stages[i](&judgement))
            break;
    /* A rule would change nothing where an earlier stage asks. */
    if (judgement.out.stage == POLICY_STAGE_ASK ||
        (judgement.out.stage == POLICY_STAGE_TOOL && judgement.out.verdict == HV_ASK))
        judgement.out.proposal = policy_propose(policy, facts, arena);
    refuse_to_ask(&judgement);
    *out = judgement.out;
}

/* ---- smaller questions ----------------------------------------------------------------------------------------------
 */

bool policy_denies_tool(const struct policy *policy, const struct hv_tool *tool)
{
    for (size_t i = 0; i < policy->rule_count; i++) {
        const struct rule *rule = &policy->rules[i];
        if (rule->verdict == HV_DENY && !rule->has_specifier && rule_names_tool(rule, tool))
            return true;
    }
    return false;
}

static bool is_stored_result(const struct policy *policy, const struct policy_path *path)
{
    const struct policy_path *results = &policy->results;
    return results->resolved.len && rule_path_below(path->resolved, results->resolved, false) &&
           (rule_path_below(path->written, results->written, false) ||
            rule_path_below(path->written, results->resolved, false));
}

enum policy_path_class policy_classify_path(const struct policy *policy, const struct policy_path *path,
                                            bool for_writing)
{
    struct path_class class = path_classify(policy->classes, path, for_writing);
    if (class.class != POLICY_PATH_OUTSIDE)
        return class.class;
    if (!for_writing && is_stored_result(policy, path))
        return POLICY_PATH_OWN;
    return policy_in_workspace(policy, path) ? POLICY_PATH_WORKSPACE : POLICY_PATH_OUTSIDE;
}

bool policy_hides_path(const struct policy *policy, const struct hv_tool *tool, const struct policy_path *path)
{
    enum policy_path_class class = policy_classify_path(policy, path, false);
    if (!tool || class == POLICY_PATH_SPECIAL || class == POLICY_PATH_CREDENTIAL)
        return true;
    for (size_t i = 0; i < policy->rule_count; i++) {
        const struct rule *rule = &policy->rules[i];
        if (rule->verdict != HV_DENY || !rule_governs_access(rule, tool, false))
            continue;
        if (!rule->has_specifier || rule_takes_path(rule, path))
            return true;
    }
    return false;
}

bool policy_keeps_back(const struct policy *policy, const struct policy_path *path)
{
    enum policy_path_class class = policy_classify_path(policy, path, false);
    if (!path->resolved.len || class == POLICY_PATH_SPECIAL || class == POLICY_PATH_CREDENTIAL)
        return true;
    for (size_t i = 0; i < policy->rule_count; i++) {
        const struct rule *rule = &policy->rules[i];
        if (rule->verdict == HV_DENY && rule_guards_files(rule, false) && rule_takes_path(rule, path))
            return true;
    }
    return false;
}
