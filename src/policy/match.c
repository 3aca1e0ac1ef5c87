/* match.c: see match.h. Denials lean to yes where something is unknown, permissions to no. */
#include "policy/match.h"

#include "policy/parts.h"

void match_begin(const struct policy *policy, const struct policy_facts *facts, struct hv_arena *arena,
                 struct match_call *out)
{
    *out = (struct match_call){.policy = policy, .facts = facts};
    if (facts->tool->subject_kind != HV_SUBJECT_COMMAND || !facts->subject.len)
        return;
    out->has_command = true;
    if (!facts->command || !facts->command->accepted) {
        if (facts->command)
            out->command = facts->command->generous;
        else
            command_prepare(arena, facts->subject, &out->command);
        out->command_writes = out->command.may_write;
        out->command_reads = facts->read_only || command_only_shows(&out->command);
        return;
    }
    out->command_reads = facts->read_only;
    out->parts = hv_arena_new(arena, struct parts);
    *out->parts = (struct parts){.command = facts->command, .arena = arena};
}

bool match_next_access(const struct policy_facts *facts, size_t *index, struct match_access *out)
{
    size_t reads = facts->reads ? facts->read_count : 0, writes = facts->writes ? facts->write_count : 0;
    size_t at = *index;
    if (at >= reads + writes)
        return false;
    *out = at < reads ? (struct match_access){&facts->reads[at], false}
                      : (struct match_access){&facts->writes[at - reads], true};
    (*index)++;
    return true;
}

static bool paths_are_known(const struct policy_facts *facts)
{
    struct match_access access;
    if (!facts->touches_listed_only || (facts->read_count && !facts->reads) || (facts->write_count && !facts->writes))
        return false;
    for (size_t i = 0; match_next_access(facts, &i, &access);)
        if (!hv_str_starts(access.path->written, HV_STR("/")) || !hv_str_starts(access.path->resolved, HV_STR("/")))
            return false;
    return true;
}

bool match_is_complete(const struct policy_facts *facts)
{
    if (!facts->tool)
        return false;
    switch (facts->tool->subject_kind) {
    case HV_SUBJECT_NONE: return true;
    case HV_SUBJECT_PATH: return paths_are_known(facts);
    default: return facts->subject.len > 0;
    }
}

/* ---- denying and asking --------------------------------------------------------------------------------------- */

static bool restricts_access(const struct match_call *call, const struct rule *rule)
{
    const struct policy_facts *facts = call->facts;
    const struct hv_tool *tool = facts->tool;
    struct match_access access;
    for (size_t i = 0; match_next_access(facts, &i, &access);)
        if (rule_governs_access(rule, tool, access.writing) && rule_takes_path(rule, access.path))
            return true;
    /* Nobody knows which paths: then these may be among them. */
    bool unknown = tool->subject_kind == HV_SUBJECT_PATH && !paths_are_known(facts) && !facts->touches_listed_only;
    return unknown && (rule_governs_access(rule, tool, false) || rule_governs_access(rule, tool, true));
}

static bool restricts_subject(const struct match_call *call, const struct rule *rule)
{
    const struct policy_facts *facts = call->facts;
    bool unknown = !facts->subject.len;
    if (rule_takes_parameter(rule, facts->tool, facts->input))
        return true;
    switch (facts->tool->subject_kind) {
    case HV_SUBJECT_PATH: return false;
    case HV_SUBJECT_COMMAND: return unknown || (!call->parts && command_hit_by(rule, &call->command));
    case HV_SUBJECT_DOMAIN: return unknown || rule_takes_domain(rule, facts->subject);
    case HV_SUBJECT_NAME: return unknown || rule_takes_name(rule, facts->subject);
    case HV_SUBJECT_NONE: break;
    }
    /* A specifier that can mean nothing to this tool: the denial still holds. */
    return hv_str_find_byte(rule->specifier, ':', 0) == SIZE_MAX;
}

/* The walk over the words themselves. */
static bool walk_words(const struct match_call *call, command_path_visitor *visit, void *user)
{
    struct hv_str here = call->facts->directory, start = call->policy->directory.written;
    struct hv_str home = call->policy->home.written;
    if (call->parts)
        return parts_each_word(call, visit, user);
    if (here.len && !hv_str_eq(here, start) && command_each_path(&call->command, here, home, visit, user))
        return true;
    return command_each_path(&call->command, start, home, visit, user);
}

bool match_each_word(const struct match_call *call, command_path_visitor *visit, void *user)
{
    const struct policy_command *command = call->facts->command;
    if (!command || command->policy != call->policy)
        return walk_words(call, visit, user);
    for (size_t i = 0; i < command->mention_count; i++)
        if (visit(user, command->mentions[i].path, command->mentions[i].untidy))
            return true;
    return false;
}

struct mention_visit {
    bool (*visit)(void *user, const struct policy_path *path);
    void *user;
};

static bool visit_word(void *user, struct hv_str path, struct hv_str untidy)
{
    const struct mention_visit *visit = user;
    (void)untidy;
    return visit->visit(visit->user, &(struct policy_path){.written = path});
}

bool match_each_mention(const struct match_call *call, bool (*visit)(void *user, const struct policy_path *path),
                        void *user)
{
    struct mention_visit words = {visit, user};
    for (size_t i = 0; i < call->facts->linked_count; i++)
        if (visit(user, &call->facts->linked[i]))
            return true;
    return match_each_word(call, visit_word, &words);
}

static bool rule_takes_mention(void *user, const struct policy_path *path)
{
    return rule_takes_path(user, path);
}

/* Rules about files also hold for the files that a command names, as far as its text shows them. */
static enum match_strength restricts_mentions(const struct match_call *call, const struct rule *rule)
{
    bool reading = rule_guards_files(rule, false), writing = rule_guards_files(rule, true) && !call->command_reads;
    if (!reading && !writing)
        return MATCH_NONE;
    enum match_strength touched = call->parts ? parts_touch(call, rule) : MATCH_NONE;
    if (touched == MATCH_FULL || !match_each_mention(call, rule_takes_mention, (void *)rule))
        return touched;
    return reading || (call->command_writes && !call->parts) ? MATCH_FULL : MATCH_MENTION;
}

enum match_strength match_restricts(const struct match_call *call, const struct rule *rule)
{
    const struct hv_tool *tool = call->facts->tool;
    bool named = rule_names_tool(rule, tool);
    if (!rule->has_specifier)
        return named ? MATCH_FULL : MATCH_NONE;
    if (restricts_access(call, rule) || (named && restricts_subject(call, rule)))
        return MATCH_FULL;
    if (!call->has_command)
        return MATCH_NONE;
    enum match_strength run = named && call->parts ? parts_hit_by(call->parts, rule) : MATCH_NONE;
    enum match_strength file = run == MATCH_FULL ? MATCH_NONE : restricts_mentions(call, rule);
    return run > file ? run : file;
}

/* ---- allowing -------------------------------------------------------------------------------------------------- */

bool match_allows_access(const struct match_call *call, const struct rule *rule, const struct policy_path *path,
                         bool writing)
{
    return rule->verdict == HV_ALLOW && rule_governs_access(rule, call->facts->tool, writing) &&
           (!rule->has_specifier || rule_takes_path(rule, path));
}

bool match_allows_whole(const struct match_call *call, const struct rule *rule)
{
    const struct policy_facts *facts = call->facts;
    if (rule->verdict != HV_ALLOW || !rule_names_tool(rule, facts->tool))
        return false;
    if (!rule->has_specifier)
        return true;
    switch (facts->tool->subject_kind) {
    case HV_SUBJECT_COMMAND: return !facts->command && hv_str_eq(rule->specifier, call->command.raw);
    case HV_SUBJECT_DOMAIN: return rule_takes_domain(rule, facts->subject);
    case HV_SUBJECT_NAME: return rule_takes_name(rule, facts->subject);
    default: return false;
    }
}

static const struct rule *find_access_rule(const struct match_call *call, const struct match_access *access,
                                           const struct rule *extra, size_t extra_count)
{
    const struct policy *policy = call->policy;
    for (size_t i = 0; i < policy->rule_count; i++)
        if (match_allows_access(call, &policy->rules[i], access->path, access->writing))
            return &policy->rules[i];
    for (size_t i = 0; i < extra_count; i++)
        if (match_allows_access(call, &extra[i], access->path, access->writing))
            return &extra[i];
    return NULL;
}

static bool reads_freely(const struct match_call *call, const struct match_access *access)
{
    enum policy_path_class class = policy_classify_path(call->policy, access->path, false);
    return !access->writing && (class == POLICY_PATH_WORKSPACE || class == POLICY_PATH_OWN);
}

static const struct rule *accesses_allowed(const struct match_call *call, const struct rule *extra, size_t extra_count)
{
    const struct rule *first = NULL;
    struct match_access access;
    for (size_t i = 0; match_next_access(call->facts, &i, &access);) {
        const struct rule *rule = find_access_rule(call, &access, extra, extra_count);
        if (!rule && !reads_freely(call, &access))
            return NULL;
        first = first ? first : rule;
    }
    return first;
}

const struct rule *match_allowed(const struct match_call *call, const struct rule *extra, size_t extra_count)
{
    const struct policy *policy = call->policy;
    const struct rule *rule;
    if (!match_is_complete(call->facts))
        return NULL;
    for (size_t i = 0; i < policy->rule_count; i++)
        if (match_allows_whole(call, &policy->rules[i]))
            return &policy->rules[i];
    for (size_t i = 0; i < extra_count; i++)
        if (match_allows_whole(call, &extra[i]))
            return &extra[i];
    if (call->parts)
        return parts_allowed(call, extra, extra_count, &rule) ? rule : NULL;
    return call->facts->tool->subject_kind == HV_SUBJECT_PATH ? accesses_allowed(call, extra, extra_count) : NULL;
}

bool match_reads_workspace(const struct match_call *call)
{
    const struct policy_facts *facts = call->facts;
    struct match_access access;
    if (facts->write_count || (facts->read_count && !facts->reads))
        return false;
    for (size_t i = 0; match_next_access(facts, &i, &access);)
        if (!reads_freely(call, &access))
            return false;
    return true;
}
