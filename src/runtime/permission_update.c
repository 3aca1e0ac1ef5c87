/*
 * permission_update.c: what a PermissionRequest hook wants changed beside its answer (`updatedPermissions`, facts 5.2):
 * rules, and the mode. They hold for the session from now on; those with a settings file for their destination are
 * saved there, too. Hooks are the person's own; still none of them can switch the asking off.
 */
#include "base/cleanup.h"
#include "config/settings.h"
#include "runtime/call.h"
#include "sandbox/sandbox.h"

static const struct destination {
    const char *name;
    enum policy_scope scope;
    enum settings_scope file;
    bool saved;
} destinations[] = {
    {"session", POLICY_SESSION, SETTINGS_LOCAL, false},    {"cliArg", POLICY_SESSION, SETTINGS_LOCAL, false},
    {"localSettings", POLICY_LOCAL, SETTINGS_LOCAL, true}, {"projectSettings", POLICY_PROJECT, SETTINGS_PROJECT, true},
    {"userSettings", POLICY_USER, SETTINGS_USER, true},
};

static const struct destination *destination_of(const struct hv_json *update)
{
    struct hv_str name = hv_json_get_string(update, "destination");
    for (size_t i = 0; i < sizeof destinations / sizeof *destinations; i++)
        if (hv_str_is(name, destinations[i].name))
            return &destinations[i];
    return &destinations[0];
}

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

static enum hv_verdict verdict_of(struct hv_str behavior)
{
    return hv_str_is(behavior, "allow")  ? HV_ALLOW
           : hv_str_is(behavior, "ask")  ? HV_ASK
           : hv_str_is(behavior, "deny") ? HV_DENY
                                         : HV_VERDICT_NONE;
}

static void add_rule(struct call *call, const struct destination *destination, enum hv_verdict verdict,
                     const struct hv_json *rule)
{
    struct runtime *runtime = call->runtime;
    struct hv_str tool = hv_json_get_string(rule, "toolName"), content = hv_json_get_string(rule, "ruleContent");
    struct hv_str text =
        content.len ? hv_arena_format(&call->arena, "%.*s(%.*s)", HV_STR_ARG(tool), HV_STR_ARG(content)) : tool;
    struct hv_error err;
    if (!tool.len || !verdict) {
        warn(runtime, HV_STR("a PermissionRequest hook gave a rule without a tool, or without a behavior"));
        return;
    }
    permission_add_rule(runtime, destination->scope, verdict, text);
    const struct settings_options *files = runtime->options.settings_files;
    if (!destination->saved || !files)
        return;
    sandbox_note_written(runtime->sandbox, settings_file(files, &call->arena, destination->file));
    if (settings_add_rule(files, destination->file, verdict, text, &err) != HV_OK)
        warn(runtime, hv_str_from(err.message));
}

static void set_mode(struct runtime *runtime, struct hv_str name)
{
    enum policy_mode mode;
    if (!policy_mode_from(name, &mode) || mode == POLICY_BYPASS) {
        warn(runtime, HV_STR("a PermissionRequest hook asked for a mode that it cannot set"));
        return;
    }
    LOCK_SCOPE(&runtime->grow_lock);
    struct policy *old = runtime_policy(runtime), *other = policy_with_mode(old, mode);
    policy_unref(old);
    runtime_set_policy(runtime, other);
    policy_unref(other);
}

void permission_update(struct call *call, const struct hv_json *updates)
{
    hv_json_each(update, updates)
    {
        struct hv_str type = hv_json_get_string(update, "type");
        if (hv_str_is(type, "addRules"))
            hv_json_each(rule, hv_json_get(update, "rules"))
                add_rule(call, destination_of(update), verdict_of(hv_json_get_string(update, "behavior")), rule);
        else if (hv_str_is(type, "setMode"))
            set_mode(call->runtime, hv_json_get_string(update, "mode"));
        else
            warn(call->runtime, HV_STR("a PermissionRequest hook asked for a change of permissions that is not known"));
    }
}
