/*
 * decide.c: the decision on one call. The stages stand in a table, in their order; each either settles the
 * call or leaves it to the next, and the last always settles it. Pure.
 */
#include "policy/hazard.h"
#include "policy/match.h"
#include "policy/parts.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "policy/rule_path.h"

/* The decision in the making. */
struct judgement {
    struct match_call call;
    const struct policy *policy;
    const struct policy_facts *facts;
    struct hv_arena *arena;
    const struct rule *mentioned; /* a deny rule that may be meant, or about a file that the command names */
    struct hazard hazard;         /* of a command */
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
    judgement->out.of_project = rule->scope == POLICY_PROJECT;
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
                                      class.what,
                                      class.class == POLICY_PATH_SPECIAL
                                          ? "opened; leave it alone, or ask the person to look into it"
                                          : "written; choose another place"));
    }
    return false;
}

static bool forbidden(struct judgement *judgement)
{
    if (judgement->call.has_command)
        judgement->hazard = hazard_find(&judgement->call, judgement->arena);
    /* Of a command's paths hazard_find has judged what each is for: to list a device opens none. */
    if (judgement->hazard.level != SHELL_DANGER_FORBID)
        return !judgement->call.parts && forbidden_path(judgement);
    return settle(
        judgement, POLICY_STAGE_FORBIDDEN, HV_DENY,
        hv_arena_format(judgement->arena, "the command is never run: %.*s", HV_STR_ARG(judgement->hazard.what)));
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

static bool always_confirm(struct judgement *judgement)
{
    struct match_access access;
    for (size_t i = 0; match_next_access(judgement->facts, &i, &access);) {
        struct path_class class = path_classify(judgement->policy->classes, access.path, access.writing);
        if (confirm_path(judgement, access.path->written, class))
            return true;
    }
    return judgement->hazard.level == SHELL_DANGER_CONFIRM && confirm(judgement, judgement->hazard.what);
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
    return rule &&
           settle_by_rule(
               judgement, POLICY_STAGE_ASK_RULE, HV_ASK, rule,
               rule_guards_files(rule, true)
                   ? "guards a file that the command names, so a person is asked"
                   : "may deny what the command runs: a word of it, or whether a program runs its words, is not known");
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

/* A command whose parts the mode covers, with the rules and what only reads. */
static bool command_edits_workspace(const struct judgement *judgement)
{
    const struct rule *rule;
    return judgement->call.parts && !judgement->facts->read_only && !judgement->facts->destructive &&
           parts_allowed(&judgement->call, NULL, 0, &rule) && !rule;
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
        return complete && (edits_workspace(judgement) || command_edits_workspace(judgement)) &&
               settle(judgement, POLICY_STAGE_MODE, HV_ALLOW,
                      HV_STR("acceptEdits mode allows edits inside the workspace"));
    case POLICY_DEFAULT:
    case POLICY_DONT_ASK: break; /* what is left to ask is denied at the end */
    }
    return false;
}

/* ---- 7 and 8: what is allowed ------------------------------------------------------------------------------------ */

static bool hook_allows(struct judgement *judgement)
{
    return judgement->facts->hook == HV_ALLOW && match_is_complete(judgement->facts) &&
           settle(judgement, POLICY_STAGE_HOOK_ALLOW, HV_ALLOW,
                  with_word(judgement, "a hook allows it", judgement->facts->hook_reason));
}

static bool allow_rule(struct judgement *judgement)
{
    const struct rule *rule = match_allowed(&judgement->call, NULL, 0);
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

static const char writes_tmp[] = "it writes the session's own /tmp alone";

static bool classifier(struct judgement *judgement)
{
    const struct policy_facts *facts = judgement->facts;
    const struct rule *rule;
    bool known = facts->read_only || (facts->confined && judgement->call.parts);
    if (!judgement->call.has_command || !known || facts->destructive)
        return false;
    bool free = judgement->call.parts ? parts_allowed(&judgement->call, NULL, 0, &rule) && !rule
                                      : match_reads_workspace(&judgement->call);
    return free && settle(judgement, POLICY_STAGE_CLASSIFIER, HV_ALLOW,
                          hv_str_from(facts->read_only ? "the command only reads" : writes_tmp));
}

/* What was understood, and is neither denied nor confirmed, may run where it can do no harm; and as a command there
 * could write the files of the session, so may others. */
static bool sandbox(struct judgement *judgement)
{
    const struct policy_facts *facts = judgement->facts;
    if (facts->writes_session && match_is_complete(facts))
        return settle(judgement, POLICY_STAGE_SANDBOX, HV_ALLOW, hv_str_from(writes_tmp));
    return judgement->call.parts && !facts->command->too_long && facts->sandboxed && !facts->destructive &&
           settle(judgement, POLICY_STAGE_SANDBOX, HV_ALLOW, HV_STR("the command runs in the sandbox"));
}

/* ---- 9: asking --------------------------------------------------------------------------------------------------- */

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

/* The first part that nothing covers, and what is the matter with it. A part that only reads with git, and is not
 * covered because another part does more, is named last: that other part is what is asked about. */
static struct hv_str parts_objection(const struct judgement *judgement)
{
    const struct policy_command *command = judgement->facts->command;
    struct hv_arena *arena = judgement->arena;
    struct hv_str last = {0};
    if (command->too_long)
        return hv_arena_format(arena, "the command is longer than %d bytes", COMMAND_LENGTH_MAX);
    for (size_t i = 0; i < command->part_count; i++) {
        const struct policy_part *part = &command->parts[i];
        bool of_words;
        if (part->same)
            continue;
        struct hv_str objection = part_objection(&judgement->call, part, arena, &of_words);
        if (!objection.len || (last.len && part_is_untamed(&judgement->call, part)))
            continue;
        struct hv_str named = hv_arena_format(arena, "`%.*s`%s %.*s", HV_STR_ARG(hv_str_slice(part->text, 0, 200)),
                                              of_words ? ":" : "", HV_STR_ARG(objection));
        if (!part_is_untamed(&judgement->call, part))
            return named;
        last = named;
    }
    return last;
}

static struct hv_str command_objection(const struct judgement *judgement)
{
    const struct policy_command *command = judgement->facts->command;
    if (!command)
        return (struct hv_str){0};
    if (judgement->call.parts)
        return parts_objection(judgement);
    return hv_arena_format(judgement->arena, "the command is not understood (%s)",
                           command->judgement.script.reason ? command->judgement.script.reason : "no reason known");
}

static bool ask_person(struct judgement *judgement)
{
    struct match_access access;
    struct hv_str reason = command_objection(judgement);
    for (size_t i = 0; !reason.len && match_next_access(judgement->facts, &i, &access);)
        reason = objection(judgement, &access);
    return settle(judgement, POLICY_STAGE_ASK, HV_ASK, reason.len ? reason : HV_STR("no rule allows it"));
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* The order is the law; see P6. */
static bool (*const stages[])(struct judgement *) = {
    forbidden, hook_denies, deny_rule,  tool_denies,  always_confirm, hook_asks, ask_rule,
    mode,      hook_allows, allow_rule, tool_opinion, classifier,     sandbox,   ask_person,
};

/* "the rule A", "the rules A and B". */
static struct hv_str rules_in_words(struct hv_arena *arena, const struct policy_decision *decision)
{
    struct hv_str text = {0};
    for (size_t i = 0; i < decision->proposal_count; i++)
        text = hv_arena_format(arena, "%.*s%s%.*s", HV_STR_ARG(text),
                               i                              ? (i + 1 == decision->proposal_count ? " and " : ", ")
                               : decision->proposal_count > 1 ? "the rules "
                                                              : "the rule ",
                               HV_STR_ARG(decision->proposals[i]));
    return text;
}

/* In dontAsk mode nobody is asked: what would be, is denied. */
static void refuse_to_ask(struct judgement *judgement)
{
    struct policy_decision *out = &judgement->out;
    struct hv_str why = out->reason, rule = rules_in_words(judgement->arena, out);
    if (judgement->policy->mode != POLICY_DONT_ASK || out->verdict != HV_ASK)
        return;
    out->always_confirm = false;
    settle(judgement, POLICY_STAGE_MODE, HV_DENY,
           rule.len
               ? hv_arena_format(judgement->arena,
                                 "dontAsk mode denies what would be asked: %.*s; %.*s in permissions.allow would "
                                 "allow it",
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
        policy_propose(policy, facts, arena, &judgement.out);
    refuse_to_ask(&judgement);
    *out = judgement.out;
}

/* ---- smaller questions ------------------------------------------------------------------------------------------- */

bool policy_rule_takes(const struct policy *policy, struct hv_str rule, const struct policy_facts *facts)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct rule_bases bases = policy_rule_bases(policy);
    struct rule parsed;
    struct match_call call;
    if (rule_parse(&bases, &arena, HV_DENY, rule, policy->directory.written, &parsed, NULL) != HV_OK)
        return true;
    match_begin(policy, facts, &arena, &call);
    return match_restricts(&call, &parsed) != MATCH_NONE;
}

const char *policy_command_class_name(enum policy_command_class class)
{
    static const char *const names[] = {"forbid", "always_confirm", "needs_confirm", "read_only"};
    return names[class];
}

enum policy_command_class policy_classify_command(const struct policy *policy, const struct policy_facts *facts,
                                                  struct hv_arena *arena, struct hv_str *why)
{
    struct match_call call;
    const struct policy_command *command = facts->command;
    match_begin(policy, facts, arena, &call);
    struct hazard hazard = hazard_find(&call, arena);
    *why = hazard.what;
    if (hazard.level)
        return hazard.level == SHELL_DANGER_FORBID ? POLICY_COMMAND_FORBID : POLICY_COMMAND_ALWAYS_CONFIRM;
    *why = HV_STR("the command is not understood");
    if (!command || !command->accepted)
        return POLICY_COMMAND_NEEDS_CONFIRM;
    *why = command->judgement.why;
    return facts->read_only ? POLICY_COMMAND_READ_ONLY : POLICY_COMMAND_NEEDS_CONFIRM;
}

/* The rule has the address up to its host. */
static bool writes_host_out(struct hv_str rule, struct hv_str address)
{
    size_t end = hv_str_find(address, HV_STR("://"), 0) + 3;
    while (end < address.len && !strchr("/?#", address.ptr[end]))
        end++;
    size_t at = hv_str_find(rule, hv_str_slice(address, 0, end), 0);
    return at != SIZE_MAX && strchr("/ )", at + end < rule.len ? rule.ptr[at + end] : '*');
}

size_t policy_named_addresses(const struct policy_facts *facts, const struct policy_decision *decision,
                              struct hv_arena *arena, const struct hv_str **out)
{
    enum { ADDRESSES_MAX = 8 };
    const struct policy_command *command = facts->command;
    bool asked = decision->verdict == HV_ASK;
    size_t count = 0;
    if (!command || !command->accepted ||
        (!asked && (decision->stage != POLICY_STAGE_ALLOW_RULE || decision->of_project)))
        return 0;
    struct hv_str *addresses = hv_arena_array(arena, struct hv_str, ADDRESSES_MAX);
    *out = addresses;
    for (size_t i = 0; i < command->part_count; i++) {
        const struct shell_act *act = command->parts[i].act;
        if (!asked && act->class < SHELL_NETWORK)
            return 0;
        for (size_t j = 1; j < act->word_count && act->class == SHELL_NETWORK && count < ADDRESSES_MAX; j++) {
            const struct shell_word *word = &act->words[j];
            if (word->known && hv_str_find(word->value, HV_STR("://"), 0) != SIZE_MAX &&
                (asked ? hv_str_find(facts->subject, word->value, 0) != SIZE_MAX /* not put together, nor escaped */
                       : writes_host_out(decision->rule, word->value)))
                addresses[count++] = word->value;
        }
    }
    return count;
}

bool policy_opens_host(const struct policy *policy, const struct hv_tool *tool, struct hv_str host)
{
    for (size_t i = 0; i < policy->rule_count; i++) {
        const struct rule *rule = &policy->rules[i];
        bool persons = rule->scope != POLICY_PROJECT && rule->scope != POLICY_LOCAL;
        bool names_host = rule->has_specifier && hv_str_find_byte(rule->specifier, '.', 0) != SIZE_MAX &&
                          !hv_str_ends(rule->specifier, HV_STR("*"));
        names_host |= rule->has_specifier && hv_str_find_byte(rule->specifier, '*', 0) == SIZE_MAX;
        if (rule->verdict == HV_ALLOW && persons && names_host && rule_names_tool(rule, tool) &&
            rule_takes_domain(rule, host))
            return true;
    }
    return false;
}

bool policy_denies_host(const struct policy *policy, const struct hv_tool *tool, struct hv_str host,
                        struct hv_arena *arena)
{
    const struct policy_facts facts = {.tool = tool, .subject = host, .touches_listed_only = true, .read_only = true};
    struct policy_decision decision;
    policy_decide(policy, &facts, arena, &decision);
    return decision.verdict == HV_DENY;
}

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

bool policy_denies_reading(const struct policy *policy, const struct hv_tool *tool)
{
    for (size_t i = 0; i < policy->rule_count; i++)
        if (policy->rules[i].verdict == HV_DENY && rule_governs_access(&policy->rules[i], tool, false))
            return true;
    return false;
}

bool policy_hides_by_name(const struct policy *policy, const struct hv_tool *tool, const struct policy_path *directory)
{
    if (!tool || !path_classes_by_name(policy->classes, directory, false))
        return false;
    for (size_t i = 0; i < policy->rule_count; i++) {
        const struct rule *rule = &policy->rules[i];
        if (rule->verdict == HV_DENY && rule_governs_access(rule, tool, false) &&
            (!rule->has_specifier || !rule_takes_by_name(rule, directory) || rule_takes_path(rule, directory)))
            return false;
    }
    return true;
}

bool policy_suspects_name(const struct policy *policy, struct hv_str name)
{
    return path_name_is_suspect(policy->classes, name) || rule_names_may_take(&policy->denied, name);
}

struct policy_guards policy_guards_of(const struct policy *policy, const struct policy_path *path)
{
    struct policy_guards guards = {0};
    for (size_t i = 0; i < policy->rule_count; i++) {
        const struct rule *rule = &policy->rules[i];
        if (rule->verdict != HV_DENY || !rule_guards_files(rule, true) || !rule_takes_path(rule, path))
            continue;
        if (!guards.reading.len && rule_guards_files(rule, false))
            guards.reading = rule->text;
        if (!guards.writing.len)
            guards.writing = rule->text;
    }
    return guards;
}

void policy_find_guarded(const struct policy *policy, struct hv_arena *arena, struct policy_guarded *out)
{
    CLEANUP_BUF struct hv_buf texts = {.max = SIZE_MAX / 4};
    size_t most = 0;
    *out = (struct policy_guarded){0};
    for (size_t i = 0; i < policy->rule_count; i++)
        most += policy->rules[i].path_count;
    out->places = hv_arena_array(arena, struct hv_str, most);
    for (size_t i = 0; i < policy->rule_count; i++) {
        const struct rule *rule = &policy->rules[i];
        if (rule->verdict != HV_DENY || !rule_guards_files(rule, true))
            continue;
        hv_buf_addf(&texts, "%.*s\n", HV_STR_ARG(rule->text));
        for (size_t j = 0; j < rule->path_count; j++)
            out->places[out->count++] = rule->paths[j].reach;
    }
    out->rules = hv_arena_str(arena, hv_buf_str(&texts));
}

bool policy_keeps_back(const struct policy *policy, const struct policy_path *path)
{
    enum policy_path_class class = policy_classify_path(policy, path, false);
    return !path->resolved.len || class == POLICY_PATH_SPECIAL || class == POLICY_PATH_CREDENTIAL ||
           policy_guards_of(policy, path).reading.len;
}
