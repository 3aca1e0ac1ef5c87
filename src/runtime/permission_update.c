/*
 * permission_update.c: what a program or a PermissionRequest hook wants changed beside its answer
 * (`updatedPermissions`): rules that come and, of those that the session has made, go; and the mode. They hold for the
 * session from now on; those with a settings file for their destination are saved there, too. All are read before the
 * first is made, so that an answer is taken whole or not at all: a rule that denies must not be lost beside one that
 * allows. Hooks are the person's own; still none of them can switch the asking off.
 */
#include "base/cleanup.h"
#include "config/settings.h"
#include "runtime/call.h"

#define NETWORK "Network"

enum update_kind { UPDATE_ADD = 0, UPDATE_REPLACE, UPDATE_REMOVE, UPDATE_MODE };

/* One entry of the list. */
struct update {
    enum update_kind kind;
    enum hv_ask_scope where;
    enum policy_mode mode;
    enum hv_verdict verdict;
    struct hv_str *rules, *domains;
    size_t rule_count, domain_count;
};

struct reading {
    struct runtime *runtime;
    const struct permission_asked *asked;
    struct hv_arena *arena;
    struct policy *policy; /* to try rules and modes on */
    struct hv_error *err;
};

static void warn(struct runtime *runtime, struct hv_str text)
{
    runtime_emit(runtime, &(struct hv_event){.type = HV_EVENT_NOTICE, .name = HV_STR("warning"), .text = text});
}

void permission_add_rule(struct runtime *runtime, enum policy_scope scope, enum hv_verdict verdict, struct hv_str rule)
{
    struct hv_error err;
    LOCK_SCOPE(&runtime->grow_lock);
    struct policy *old = runtime_policy(runtime);
    struct policy *grown = policy_with_rule(old, scope, verdict, rule, &err);
    policy_unref(old);
    if (!grown) {
        warn(runtime, hv_str_from(err.message));
        return;
    }
    runtime_set_policy(runtime, grown);
    policy_unref(grown);
    runtime_emit(runtime, &(struct hv_event){.type = HV_EVENT_STATE, .name = HV_STR("rules"), .text = rule});
}

static void set_mode(struct runtime *runtime, enum policy_mode mode)
{
    LOCK_SCOPE(&runtime->grow_lock);
    struct policy *old = runtime_policy(runtime), *other = policy_with_mode(old, mode);
    policy_unref(old);
    runtime_set_policy(runtime, other);
    policy_unref(other);
}

/* One rule of the session, or, where it is absent, all of a verdict. */
static void drop_rule(struct runtime *runtime, enum hv_verdict verdict, struct hv_str rule)
{
    LOCK_SCOPE(&runtime->grow_lock);
    struct policy *old = runtime_policy(runtime), *less = policy_without_rule(old, verdict, rule);
    policy_unref(old);
    if (!less)
        return; /* it went meanwhile */
    runtime_set_policy(runtime, less);
    policy_unref(less);
    runtime_emit(runtime, &(struct hv_event){.type = HV_EVENT_STATE, .name = HV_STR("rules"), .text = rule});
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static enum hv_code read_destination(const struct reading *reading, const struct hv_json *json, struct update *out)
{
    static const struct {
        const char *name;
        enum hv_ask_scope where;
    } destinations[] = {{"session", HV_ASK_SESSION},
                        {"cliArg", HV_ASK_SESSION},
                        {"localSettings", HV_ASK_LOCAL},
                        {"projectSettings", HV_ASK_PROJECT},
                        {"userSettings", HV_ASK_USER}};
    const struct hv_json *name = hv_json_get(json, "destination");
    out->where = HV_ASK_SESSION;
    if (!name)
        return HV_OK;
    for (size_t i = 0; i < sizeof destinations / sizeof *destinations; i++) {
        if (!hv_str_is(hv_json_string(name), destinations[i].name))
            continue;
        out->where = destinations[i].where;
        return out->where == HV_ASK_SESSION || reading->runtime->options.settings_files
                   ? HV_OK
                   : hv_fail(reading->err, HV_EUNSUPPORTED,
                             "this session saves no settings; its destination is session");
    }
    return hv_fail(reading->err, HV_EINVAL,
                   "destination is none of session, localSettings, projectSettings, userSettings");
}

/* "Network(HOST)": the session's proxy and the settings know hosts that are allowed for longer, no others. */
static enum hv_code add_domain(const struct reading *reading, struct hv_str host, struct update *out)
{
    if (!reading->asked->network || !host.len)
        return hv_fail(reading->err, HV_EUNSUPPORTED,
                       NETWORK
                       "(HOST) is a rule of questions about connections only; sandbox.network in the settings has such "
                       "rules");
    if (out->verdict != HV_ALLOW)
        return hv_fail(reading->err, HV_EUNSUPPORTED,
                       "hosts can be allowed only; sandbox.network.deniedDomains in the settings denies them");
    out->domains[out->domain_count++] = host;
    return HV_OK;
}

static enum hv_code read_rule(const struct reading *reading, const struct hv_json *rule, struct update *out)
{
    const struct hv_json *content = hv_json_get(rule, "ruleContent");
    struct hv_str tool = hv_json_get_string(rule, "toolName"), inner = hv_json_string(content);
    if (!tool.len || (content && hv_json_type_of(content) != HV_JSON_STRING))
        return hv_fail(reading->err, HV_EINVAL,
                       "a rule is an object with toolName and perhaps ruleContent, both texts");
    if (hv_str_is(tool, NETWORK) && out->kind != UPDATE_ADD)
        return hv_fail(reading->err, HV_EUNSUPPORTED, "hosts that are allowed stay so until the session ends");
    if (hv_str_is(tool, NETWORK))
        return add_domain(reading, inner, out);
    struct hv_str text = inner.len ? hv_arena_format(reading->arena, "%.*s(%.*s)", HV_STR_ARG(tool), HV_STR_ARG(inner))
                                   : hv_arena_str(reading->arena, tool);
    struct policy *tried = out->kind == UPDATE_REMOVE
                               ? policy_without_rule(reading->policy, out->verdict, text)
                               : policy_with_rule(reading->policy, POLICY_SESSION, out->verdict, text, reading->err);
    policy_unref(tried);
    if (!tried && out->kind == UPDATE_REMOVE)
        return hv_fail(reading->err, HV_ENOTFOUND, "the session has made no such rule: %.*s", HV_STR_ARG(text));
    if (!tried)
        return HV_EINVAL;
    out->rules[out->rule_count++] = text;
    return HV_OK;
}

static enum hv_code read_rules(const struct reading *reading, const struct hv_json *json, struct update *out)
{
    struct hv_str behavior = hv_json_get_string(json, "behavior");
    const struct hv_json *rules = hv_json_get(json, "rules");
    enum hv_code code = HV_OK;
    out->verdict = hv_str_is(behavior, "allow")  ? HV_ALLOW
                   : hv_str_is(behavior, "ask")  ? HV_ASK
                   : hv_str_is(behavior, "deny") ? HV_DENY
                                                 : HV_VERDICT_NONE;
    if (!out->verdict)
        return hv_fail(reading->err, HV_EINVAL, "behavior is none of allow, ask, deny");
    if (out->kind != UPDATE_ADD && out->where != HV_ASK_SESSION)
        return hv_fail(reading->err, HV_EUNSUPPORTED,
                       "rules are replaced and removed for the session only; those of a settings file are the person's "
                       "to change, in the settings");
    if (hv_json_type_of(rules) != HV_JSON_ARRAY || (!rules->count && out->kind != UPDATE_REPLACE))
        return hv_fail(reading->err, HV_EINVAL, "rules is no list, or an empty one");
    if (out->kind != UPDATE_ADD && out->verdict != HV_ALLOW && reading->asked->by_hook)
        return hv_fail(reading->err, HV_EDENIED, "what the session denies or asks about is not a hook's to take away");
    if (out->verdict == HV_ALLOW && out->kind != UPDATE_REMOVE && reading->asked->each_time)
        return hv_fail(reading->err, HV_EDENIED, "this is confirmed each time, no rule can allow it for longer");
    out->rules = hv_arena_array(reading->arena, struct hv_str, rules->count);
    out->domains = hv_arena_array(reading->arena, struct hv_str, rules->count);
    for (const struct hv_json *rule = rules->first; rule && code == HV_OK; rule = rule->next)
        code = read_rule(reading, rule, out);
    return code;
}

static enum hv_code read_mode(const struct reading *reading, const struct hv_json *json, struct update *out)
{
    struct hv_str name = hv_json_get_string(json, "mode");
    out->kind = UPDATE_MODE;
    if (!policy_mode_from(name, &out->mode))
        return hv_fail(reading->err, HV_EINVAL, "mode is no permission mode");
    if (out->where != HV_ASK_SESSION)
        return hv_fail(reading->err, HV_EUNSUPPORTED, "a mode can be set for the session only");
    struct policy *tried = policy_with_mode(reading->policy, out->mode);
    bool can = policy_mode_of(tried) == out->mode && !(out->mode == POLICY_BYPASS && reading->asked->by_hook) &&
               !reading->asked->each_time;
    policy_unref(tried);
    return can ? HV_OK : hv_fail(reading->err, HV_EDENIED, "it cannot set the mode %.*s here", HV_STR_ARG(name));
}

static enum hv_code read_update(const struct reading *reading, const struct hv_json *json, struct update *out)
{
    static const char *const of_rules[] = {"addRules", "replaceRules", "removeRules"}; /* as enum update_kind */
    struct hv_str type = hv_json_get_string(json, "type");
    enum hv_code code = read_destination(reading, json, out);
    if (code)
        return code;
    for (size_t i = 0; i < sizeof of_rules / sizeof *of_rules; i++) {
        if (!hv_str_is(type, of_rules[i]))
            continue;
        out->kind = (enum update_kind)i;
        return read_rules(reading, json, out);
    }
    if (hv_str_is(type, "setMode"))
        return read_mode(reading, json, out);
    if (hv_str_is(type, "addDirectories"))
        return hv_fail(reading->err, HV_EUNSUPPORTED,
                       "the sandbox of a session keeps the directories that it began with; --add-dir and "
                       "permissions.additionalDirectories name more of them");
    return hv_fail(reading->err, HV_EUNSUPPORTED, "type is none of addRules, replaceRules, removeRules and setMode; %s",
                   type.len ? "directories are taken away in the settings" : "it is a text");
}

static enum hv_code read_updates(const struct reading *reading, const struct hv_json *list, struct update *out)
{
    size_t at = 0;
    if (hv_json_type_of(list) != HV_JSON_ARRAY)
        return hv_fail(reading->err, HV_EINVAL, "the answer of the %s cannot be taken: updatedPermissions is no list",
                       reading->asked->by);
    hv_json_each(json, list)
    {
        enum hv_code code = read_update(reading, json, &out[at]);
        if (code) {
            hv_error_prefix(reading->err,
                            "the answer of the %s cannot be taken: updatedPermissions[%zu]: ", reading->asked->by, at);

            return code;
        }
        at++;
    }
    return HV_OK;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static void make(struct runtime *runtime, const struct update *update)
{
    if (update->kind == UPDATE_MODE)
        set_mode(runtime, update->mode);
    if (update->kind == UPDATE_REPLACE)
        drop_rule(runtime, update->verdict, (struct hv_str){0});
    for (size_t i = 0; update->kind == UPDATE_REMOVE && i < update->rule_count; i++)
        drop_rule(runtime, update->verdict, update->rules[i]);
    if (update->rule_count && update->kind != UPDATE_REMOVE)
        ask_keep(runtime, update->where, update->verdict, update->rules, update->rule_count);
    if (update->domain_count && update->where >= HV_ASK_LOCAL)
        (void)!ask_save(runtime, update->where, HV_VERDICT_NONE, update->domains, update->domain_count);
}

enum hv_code permission_update(struct runtime *runtime, const struct hv_json *updates,
                               const struct permission_asked *asked, struct hv_arena *arena, struct hv_str **domains,
                               size_t *domain_count, struct hv_error *err)
{
    size_t count = updates ? updates->count : 0, hosts = 0;
    if (!updates || hv_json_type_of(updates) == HV_JSON_NULL)
        return HV_OK;
    if (asked->refused) {
        warn(runtime, hv_arena_format(arena, "the %s refused; nothing of its updatedPermissions is taken", asked->by));
        return HV_OK;
    }
    struct update *list = hv_arena_array(arena, struct update, count);

    const struct reading reading = {runtime, asked, arena, runtime_policy(runtime), err};
    enum hv_code code = read_updates(&reading, updates, list);
    policy_unref(reading.policy);
    if (code) {
        warn(runtime, hv_str_from(err->message));
        return code;
    }
    for (size_t i = 0; i < count; i++) {
        make(runtime, &list[i]);
        hosts += list[i].domain_count;
    }
    if (!hosts)
        return HV_OK;
    *domains = hv_arena_array(arena, struct hv_str, hosts);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < list[i].domain_count; j++)
            (*domains)[(*domain_count)++] = list[i].domains[j];
    return HV_OK;
}
