/*
 * snapshot.c: building policies. A policy owns one arena with everything in it; a changed policy is built anew from the
 * sources of the old one, so that no snapshot ever points into another.
 */
#include "policy/snapshot.h"
#include "policy/rule_path.h"

#include "base/cleanup.h"
#include "base/nearest.h"
#include "base/path.h"
#include "fs/settings_alias.h"

#include <string.h>

enum { CASE_PROBES = 8 }; /* names looked at */

/* ---- names ---------------------------------------------------------------------------------------------------- */

static const char *const mode_names[] = {
    [POLICY_DEFAULT] = "default",          [POLICY_PLAN] = "plan",
    [POLICY_ACCEPT_EDITS] = "acceptEdits", [POLICY_DONT_ASK] = "dontAsk",
    [POLICY_BYPASS] = "bypassPermissions",
};

const char *policy_mode_name(enum policy_mode mode)
{
    return mode_names[mode];
}

bool policy_mode_from(struct hv_str name, enum policy_mode *mode)
{
    if (hv_str_is(name, "manual")) {
        *mode = POLICY_DEFAULT;
        return true;
    }
    for (size_t i = 0; i < sizeof mode_names / sizeof *mode_names; i++)
        if (hv_str_is(name, mode_names[i])) {
            *mode = (enum policy_mode)i;
            return true;
        }
    return false;
}

const char *policy_stage_name(enum policy_stage stage)
{
    static const char *const names[] = {
        [POLICY_STAGE_NONE] = "none",
        [POLICY_STAGE_FORBIDDEN] = "forbidden",
        [POLICY_STAGE_HOOK_DENY] = "hook_deny",
        [POLICY_STAGE_DENY_RULE] = "deny_rule",
        [POLICY_STAGE_ALWAYS_CONFIRM] = "always_confirm",
        [POLICY_STAGE_HOOK_ASK] = "hook_ask",
        [POLICY_STAGE_ASK_RULE] = "ask_rule",
        [POLICY_STAGE_MODE] = "mode",
        [POLICY_STAGE_HOOK_ALLOW] = "hook_allow",
        [POLICY_STAGE_ALLOW_RULE] = "allow_rule",
        [POLICY_STAGE_TOOL] = "tool",
        [POLICY_STAGE_CLASSIFIER] = "classifier",
        [POLICY_STAGE_SANDBOX] = "sandbox",
        [POLICY_STAGE_ASK] = "ask",
    };
    return names[stage];
}

static enum policy_scope scope_of(enum settings_scope scope)
{
    static const enum policy_scope scopes[SETTINGS_SCOPE_COUNT] = {
        [SETTINGS_MANAGED] = POLICY_MANAGED,
        [SETTINGS_COMMAND_LINE] = POLICY_COMMAND_LINE,
        [SETTINGS_LOCAL] = POLICY_LOCAL,
        [SETTINGS_PROJECT] = POLICY_PROJECT,
        [SETTINGS_USER] = POLICY_USER,
        [SETTINGS_CLAUDE_LOCAL] = POLICY_LOCAL,
        [SETTINGS_CLAUDE_PROJECT] = POLICY_PROJECT,
        [SETTINGS_CLAUDE_USER] = POLICY_USER,
    };
    return scopes[scope];
}

const char *policy_scope_name(enum policy_scope scope)
{
    static const char *const names[POLICY_SCOPE_COUNT] = {"managed settings", "command line",     "session",
                                                          "local settings",   "project settings", "user settings"};
    return names[scope];
}

/* ---- references ------------------------------------------------------------------------------------------------- */

static struct policy *new_policy(void)
{
    struct policy *policy = hv_calloc(1, sizeof *policy);
    atomic_init(&policy->references, 1);
    return policy;
}

struct policy *policy_ref(struct policy *policy)
{
    if (policy)
        atomic_fetch_add_explicit(&policy->references, 1, memory_order_relaxed);
    return policy;
}

void policy_unref(struct policy *policy)
{
    if (!policy || atomic_fetch_sub_explicit(&policy->references, 1, memory_order_acq_rel) != 1)
        return;
    hv_arena_release(&policy->arena);
    free(policy);
}

enum policy_mode policy_mode_of(const struct policy *policy)
{
    return policy->mode;
}

const struct settings_problem *policy_problems(const struct policy *policy, size_t *count)
{
    *count = policy->problem_count;
    return policy->problems;
}

/* ---- paths ------------------------------------------------------------------------------------------------------ */

void policy_path_resolve(const struct hv_host *host, struct hv_arena *arena, struct hv_str written,
                         struct policy_path *out)
{
    struct policy_path path = {.written = hv_arena_str(arena, written)};
    struct hv_file_stat stat;
    if (!host) {
        path.resolved = path.written;
    } else if (host->resolve(host, arena, written, &path.resolved, NULL) != HV_OK) {
        path.resolved = (struct hv_str){0};
    } else if (host->stat(host, path.resolved, true, &stat, NULL) == HV_OK) {
        path.kind = stat.kind;
    }
    *out = path;
}

const char *policy_path_refused(struct hv_str raw)
{
    if (hv_str_starts(raw, HV_STR("//")) || hv_str_starts(raw, HV_STR("\\\\")))
        return "it is a network path";
    if (hv_str_find_byte(raw, '\0', 0) != SIZE_MAX)
        return "it holds a NUL byte";
    return NULL;
}

/* True when path is the same file with its last letter behind `from` in the other case. A file with two names says
 * nothing: these may be the two. */
static bool is_found_in_either_case(const struct hv_host *host, struct hv_arena *arena, struct hv_str path, size_t from)
{
    char *flipped = hv_arena_cstr(arena, path);
    size_t at = path.len;
    while (at > from && !((flipped[at - 1] | 0x20) >= 'a' && (flipped[at - 1] | 0x20) <= 'z'))
        at--;
    if (at == from)
        return false;
    flipped[at - 1] ^= 0x20;
    struct hv_file_stat one, other;
    return host->stat(host, path, false, &one, NULL) == HV_OK &&
           host->stat(host, hv_str_of(flipped, path.len), false, &other, NULL) == HV_OK && one.inode == other.inode &&
           one.device == other.device && (one.kind == HV_FILE_DIRECTORY || one.links == 1);
}

/* By its own name, which lies in its parent, and by what lies in it: a folder that folds case may be mounted, or marked
 * (ext4, f2fs), in one that does not. */
bool policy_probe_case(const struct hv_host *host, struct hv_str directory)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_directory_entry *entries;
    size_t count = 0;
    bool more, folds = is_found_in_either_case(host, &arena, directory, 0);
    if (folds || !host->list ||
        host->list(host, &arena, directory, CASE_PROBES, &entries, &count, &more, NULL) != HV_OK)
        return folds;
    for (size_t i = 0; i < count && !folds; i++)
        folds = is_found_in_either_case(host, &arena, path_join(&arena, directory, entries[i].name), directory.len);
    return folds;
}

bool policy_in_workspace(const struct policy *policy, const struct policy_path *path)
{
    bool written = path->of_session, resolved = path->of_session;
    for (size_t i = 0; i < policy->root_count; i++) {
        const struct policy_path *root = &policy->roots[i];
        bool icase = policy->ignores_case;
        written |= rule_path_below(path->written, root->written, icase) ||
                   rule_path_below(path->written, root->resolved, icase);
        resolved |= rule_path_below(path->resolved, root->resolved, icase);
    }
    return written && resolved;
}

static struct policy_path resolve_base(struct policy *policy, struct hv_str path)
{
    struct policy_path out = {0};
    if (path.len)
        policy_path_resolve(policy->host, &policy->arena, path, &out);
    return out;
}

/* ---- rules ------------------------------------------------------------------------------------------------------ */

static struct hv_str describe_place(struct policy *policy, const struct rule_source *source)
{
    const char *name = policy_scope_name(source->scope), *broken = source->recovered ? " (broken file)" : "";
    if (!source->place.file.len)
        return hv_arena_format(&policy->arena, "%s", name);
    if (!source->place.line)
        return hv_arena_format(&policy->arena, "%s %.*s%s", name, HV_STR_ARG(source->place.file), broken);
    return hv_arena_format(&policy->arena, "%s %.*s:%u:%u%s", name, HV_STR_ARG(source->place.file), source->place.line,
                           source->place.column, broken);
}

static void add_problem(struct policy *policy, struct settings_problem *problems, const struct rule_source *source,
                        const struct hv_error *err, bool kept)
{
    const char *consequence = !kept                        ? "; it is ignored"
                              : source->verdict == HV_DENY ? "; until it is mended the whole tool is denied"
                                                           : "; until it is mended the whole tool is asked for";
    problems[policy->problem_count++] = (struct settings_problem){
        .kind = SETTINGS_WARNING,
        .message = hv_arena_format(&policy->arena, "%s%s", err->message, consequence),
        .hint = hv_arena_format(&policy->arena, "%s", err->hint),
        .place = source->place,
    };
}

struct rule_bases policy_rule_bases(const struct policy *policy)
{
    return (struct rule_bases){.directory = policy->directory,
                               .home = policy->home,
                               .ignores_case = policy->ignores_case,
                               .tools = policy->tools,
                               .tool_count = policy->tool_count};
}

/* The tool that a denial was probably meant for when it names none: a slip of the pen must not loosen it unseen. Tools
 * that come later (servers, plugins) are seldom named like ours. */
static struct hv_str meant_tool(struct policy *policy, const struct rule *rule)
{
    struct hv_str *names = hv_arena_array(&policy->arena, struct hv_str, policy->tool_count + 1);
    if (rule->verdict == HV_ALLOW || rule->any_tool_like || rule_guards_files(rule, true))
        return (struct hv_str){0};
    for (size_t i = 0; i < policy->tool_count; i++) {
        names[i] = hv_str_from(policy->tools[i]->name);
        if (rule_names_tool(rule, policy->tools[i]))
            return (struct hv_str){0};
    }
    return nearest_name(rule->tool, names, policy->tool_count);
}

static void check_tool(struct policy *policy, struct settings_problem *problems, const struct rule_source *source,
                       const struct rule *rule)
{
    struct hv_str meant = meant_tool(policy, rule);
    if (!meant.ptr)
        return;
    problems[policy->problem_count++] = (struct settings_problem){
        .kind = SETTINGS_WARNING,
        .message = hv_arena_format(&policy->arena, "the rule \"%.*s\" names no tool: it %s nothing",
                                   HV_STR_ARG(hv_str_slice(rule->text, 0, 200)),
                                   source->verdict == HV_DENY ? "denies" : "asks for"),
        .hint = hv_arena_format(&policy->arena, "did you mean %.*s?", HV_STR_ARG(meant)),
        .place = source->place,
    };
}

/* Parse all sources into rules; what is wrong goes to problems. */
static void compile_rules(struct policy *policy)
{
    struct rule_bases bases = policy_rule_bases(policy);
    bases.host = policy->host;
    struct rule *rules = hv_arena_array(&policy->arena, struct rule, policy->source_count);
    struct settings_problem *problems = hv_arena_array(&policy->arena, struct settings_problem, policy->source_count);
    policy->denied = (struct rule_names){0};
    for (int scope = 0; scope < POLICY_SCOPE_COUNT; scope++)
        for (size_t i = 0; i < policy->source_count; i++) {
            const struct rule_source *source = &policy->sources[i];
            struct hv_error err;
            struct rule rule;
            if (source->scope != (enum policy_scope)scope)
                continue;
            enum hv_code code =
                rule_parse(&bases, &policy->arena, source->verdict, source->text, source->root, &rule, &err);
            if (code != HV_OK)
                add_problem(policy, problems, source, &err, rule.tool.len > 0);
            if (!rule.tool.len)
                continue;
            if (code == HV_OK)
                check_tool(policy, problems, source, &rule);
            rule.scope = source->scope;
            rule.place = describe_place(policy, source);
            rule.where = source->place;
            rules[policy->rule_count++] = rule;
            if (rule.verdict == HV_DENY)
                rule_names_note(&policy->denied, &rule);
        }
    policy->rules = rules;
    policy->problems = problems;
}

static struct rule_source copy_source(struct policy *policy, const struct rule_source *source)
{
    struct rule_source copy = *source;
    copy.text = hv_arena_str(&policy->arena, source->text);
    copy.root = hv_arena_str(&policy->arena, source->root);
    copy.place.file = hv_arena_str(&policy->arena, source->place.file);
    return copy;
}

static void collect_sources(struct policy *policy, const struct policy_options *options)
{
    size_t from_settings = options->settings ? options->settings->rule_count : 0;
    struct rule_source *sources =
        hv_arena_array(&policy->arena, struct rule_source, from_settings + options->rule_count);
    for (size_t i = 0; i < from_settings; i++) {
        const struct settings_rule *rule = &options->settings->rules[i];
        struct rule_source source = {rule->verdict,  scope_of(rule->place.scope), rule->text, rule->root, rule->place,
                                     rule->recovered};
        sources[policy->source_count++] = copy_source(policy, &source);
    }
    for (size_t i = 0; i < options->rule_count; i++) {
        struct rule_source source = {.verdict = options->rules[i].verdict,
                                     .scope = POLICY_COMMAND_LINE,
                                     .text = options->rules[i].text,
                                     .root = options->directory,
                                     .place = {.scope = SETTINGS_COMMAND_LINE}};
        sources[policy->source_count++] = copy_source(policy, &source);
    }
    policy->sources = sources;
}

/* ---- building ---------------------------------------------------------------------------------------------------- */

static enum policy_mode choose_mode(const struct policy_options *options)
{
    enum policy_mode mode = options->mode;
    const struct settings *settings = options->settings;
    if (!options->has_mode && !(settings && policy_mode_from(settings->default_mode, &mode)))
        mode = POLICY_DEFAULT;
    if (mode == POLICY_BYPASS && settings && settings->bypass_disabled)
        mode = POLICY_DEFAULT;
    return mode;
}

static void collect_roots(struct policy *policy, const struct policy_options *options)
{
    size_t added = options->settings ? options->settings->directory_count : 0;
    struct policy_path *roots = hv_arena_array(&policy->arena, struct policy_path, options->root_count + added + 1);
    for (size_t i = 0; i < options->root_count; i++)
        roots[policy->root_count++] = resolve_base(policy, options->roots[i]);
    if (!options->root_count)
        roots[policy->root_count++] = policy->directory;
    for (size_t i = 0; i < added; i++)
        roots[policy->root_count++] = resolve_base(policy, options->settings->directories[i].path);
    policy->roots = roots;
}

/* Where a link stands for a settings file of the project, what it leads to is one of the settings, whatever its name.
 */
static void collect_linked(struct policy *policy, struct hv_str project, struct policy_path *own)
{
    for (size_t i = 0; settings_files_in_projects[i]; i++) {
        struct hv_str file = path_join(&policy->arena, project, hv_str_from(settings_files_in_projects[i]));
        struct policy_path path = resolve_base(policy, file);
        if (path.resolved.len && !hv_str_eq(path.resolved, path.written))
            own[policy->own_count++] = path;
    }
}

static void collect_own(struct policy *policy, const struct settings *settings)
{
    size_t max = 2;
    while (settings_files_in_projects[max - 2])
        max++;
    struct policy_path *own = hv_arena_array(&policy->arena, struct policy_path, max);
    if (settings && settings->user_directory.len)
        own[policy->own_count++] = resolve_base(policy, settings->user_directory);
    if (settings && settings->state_directory.len)
        own[policy->own_count++] = resolve_base(policy, settings->state_directory);
    if (settings && settings->project.len)
        collect_linked(policy, settings->project, own);
    policy->own = own;
}

static void compile(struct policy *policy)
{
    struct path_classes_options options = {policy->home, policy->own, policy->own_count, policy->masked,
                                           policy->masked_count};
    policy->classes = path_classes_new(&policy->arena, &options);
    compile_rules(policy);
}

struct policy *policy_new(const struct policy_options *options)
{
    struct policy *policy = new_policy();
    policy->host = options->host;
    policy->mode = choose_mode(options);
    policy->bypass_disabled = options->settings && options->settings->bypass_disabled;
    policy->ignores_case = options->ignores_case;
    policy->tools = options->tools;
    policy->tool_count = options->tool_count;
    policy->directory = resolve_base(policy, options->directory);
    policy->home = resolve_base(policy, options->home);
    policy->results = resolve_base(policy, options->results_directory);
    collect_roots(policy, options);
    collect_own(policy, options->settings);
    collect_sources(policy, options);
    compile(policy);
    return policy;
}

static struct policy_path copy_path(struct policy *policy, const struct policy_path *path)
{
    return (struct policy_path){hv_arena_str(&policy->arena, path->written),
                                hv_arena_str(&policy->arena, path->resolved), path->kind};
}

static const struct policy_path *copy_paths(struct policy *policy, const struct policy_path *paths, size_t count)
{
    struct policy_path *copies = hv_arena_array(&policy->arena, struct policy_path, count);
    for (size_t i = 0; i < count; i++)
        copies[i] = copy_path(policy, &paths[i]);
    return copies;
}

/* A policy like old, with one more source when extra is not NULL. Not compiled. */
static struct policy *copy_policy(const struct policy *old, const struct rule_source *extra)
{
    struct policy *policy = new_policy();
    size_t from = offsetof(struct policy, host); /* references and arena are its own */
    memcpy((char *)policy + from, (const char *)old + from, sizeof *policy - from);
    policy->source_count = policy->rule_count = policy->problem_count = policy->masked_count = 0;
    policy->directory = copy_path(policy, &old->directory);
    policy->home = copy_path(policy, &old->home);
    policy->results = copy_path(policy, &old->results);
    policy->roots = copy_paths(policy, old->roots, old->root_count);
    policy->own = copy_paths(policy, old->own, old->own_count);
    struct rule_source *sources = hv_arena_array(&policy->arena, struct rule_source, old->source_count + 1);
    for (size_t i = 0; i < old->source_count; i++)
        sources[policy->source_count++] = copy_source(policy, &old->sources[i]);
    if (extra)
        sources[policy->source_count++] = copy_source(policy, extra);
    policy->sources = sources;
    return policy;
}

struct policy *policy_with_rule(const struct policy *policy, enum policy_scope scope, enum hv_verdict verdict,
                                struct hv_str rule, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    struct rule_bases bases = policy_rule_bases(policy);
    struct rule parsed;
    if (rule_parse(&bases, &scratch, verdict, rule, policy->directory.written, &parsed, err) != HV_OK)
        return NULL;
    struct rule_source source = {verdict, scope, rule, policy->directory.written, {0}, false};
    struct policy *changed = copy_policy(policy, &source);
    compile(changed);
    return changed;
}

static bool has_source(const struct policy *policy, const struct rule_source *wanted)
{
    for (size_t i = 0; i < policy->source_count; i++) {
        const struct rule_source *source = &policy->sources[i];
        if (source->scope == wanted->scope && source->verdict == wanted->verdict &&
            hv_str_eq(source->text, wanted->text))
            return true;
    }
    return false;
}

struct policy *policy_with_rules_of(const struct policy *policy, const struct policy *older, bool session)
{
    struct policy *changed = copy_policy(policy, NULL);
    size_t count = policy->source_count + older->source_count, own = changed->source_count;
    struct rule_source *sources = hv_arena_array(&changed->arena, struct rule_source, count);
    for (size_t i = 0; i < own; i++)
        sources[i] = changed->sources[i];
    for (size_t i = 0; i < older->source_count; i++)
        if ((session || older->sources[i].scope != POLICY_SESSION) && !has_source(policy, &older->sources[i]))
            sources[changed->source_count++] = copy_source(changed, &older->sources[i]);
    changed->sources = sources;
    compile(changed);
    return changed;
}

struct policy *policy_without_rule(const struct policy *policy, enum hv_verdict verdict, struct hv_str rule)
{
    struct policy *changed = copy_policy(policy, NULL);
    struct rule_source *sources = (struct rule_source *)changed->sources;
    size_t kept = 0;
    for (size_t i = 0; i < changed->source_count; i++)
        if (sources[i].scope != POLICY_SESSION || sources[i].verdict != verdict ||
            (rule.ptr && !hv_str_eq(sources[i].text, rule)))
            sources[kept++] = sources[i];
    bool found = kept < changed->source_count;
    changed->source_count = kept;
    compile(changed);
    if (found || !rule.ptr)
        return changed;
    policy_unref(changed);
    return NULL;
}

struct policy *policy_with_masked(const struct policy *policy, const struct hv_str *places, size_t count)
{
    struct policy *changed = copy_policy(policy, NULL);
    struct hv_str *masked = hv_arena_array(&changed->arena, struct hv_str, count);
    for (size_t i = 0; i < count; i++)
        masked[i] = hv_arena_str(&changed->arena, places[i]);
    changed->masked = masked;
    changed->masked_count = count;
    compile(changed);
    return changed;
}

struct policy *policy_with_mode(const struct policy *policy, enum policy_mode mode)
{
    struct policy *changed = copy_policy(policy, NULL);
    changed->mode = mode == POLICY_BYPASS && policy->bypass_disabled ? POLICY_DEFAULT : mode;
    compile(changed);
    return changed;
}
