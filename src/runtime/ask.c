/* ask.c: the service `ask` of a session: one question at a time, from whichever thread, told before it is asked; and
 * what becomes of rules that an answer brings. */
#include "base/cleanup.h"
#include "config/settings.h"
#include "runtime/call.h"
#include "sandbox/sandbox.h"

void ask_locked(struct runtime *runtime, const struct hv_question *question, const struct hv_cancel *cancel,
                struct hv_arena *arena, struct hv_answer *answer)
{
    const struct hv_asker *asker = &runtime->options.asker;
    bool permission = question->kind == HV_ASK_PERMISSION;
    *answer = (struct hv_answer){0};
    if (!asker->ask)
        answer->words = HV_STR("nobody can be asked in this session; do what can be done without an answer");
    if (!asker->ask || hv_cancelled(cancel))
        return;
    runtime_emit(runtime, &(struct hv_event){.type = HV_EVENT_ASK,
                                             .call_id = question->call_id,
                                             .tool = question->subject,
                                             .text = question->text,
                                             .json = question->shown});
    runtime_notify(runtime, permission ? "permission_prompt" : "elicitation_dialog",
                   hv_arena_format(arena,
                                   permission ? "helve needs your permission to use %.*s" : "%.*s asks you something",
                                   HV_STR_ARG(question->subject)));
    asker->ask(asker->user, question, cancel, arena, answer);
}

void runtime_ask(struct runtime *runtime, const struct hv_question *question, const struct hv_cancel *cancel,
                 struct hv_arena *arena, struct hv_answer *answer)
{
    LOCK_SCOPE(&runtime->ask_lock);
    ask_locked(runtime, question, cancel, arena, answer);
}

static void say(struct runtime *runtime, const char *level, struct hv_str text)
{
    runtime_emit(runtime, &(struct hv_event){.type = HV_EVENT_NOTICE, .name = hv_str_from(level), .text = text});
}

static const struct place {
    enum policy_scope scope;
    enum settings_scope file;
} places[] = {
    [HV_ASK_LOCAL] = {POLICY_LOCAL, SETTINGS_LOCAL},
    [HV_ASK_PROJECT] = {POLICY_PROJECT, SETTINGS_PROJECT},
    [HV_ASK_USER] = {POLICY_USER, SETTINGS_USER},
};

bool ask_save(struct runtime *runtime, enum hv_ask_scope scope, enum hv_verdict verdict, const struct hv_str *rules,
              size_t count)
{
    const struct place *place = &places[scope];
    const struct settings_options *files = runtime->options.settings_files;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_error err;
    if (!files)
        return false;
    sandbox_note_written(runtime->sandbox, settings_file(files, &arena, place->file));
    for (size_t i = 0; i < count; i++) {
        enum hv_code code = verdict ? settings_add_rule(files, place->file, verdict, rules[i], &err)
                                    : settings_add_domain(files, place->file, rules[i], &err);
        if (code == HV_OK)
            continue;
        say(runtime, "warning", hv_arena_format(&arena, "%s; it holds for this session only", err.message));
        return false;
    }
    say(runtime, "info",
        hv_arena_format(&arena, "saved in %.*s", HV_STR_ARG(settings_file(files, &arena, place->file))));
    enum settings_trust trust = runtime->options.settings->trust;
    if (place->file == SETTINGS_USER)
        return true;
    /* The file is the folder's only one, and this person's work: it needs no other trust to count next time. */
    if (trust == SETTINGS_TRUST_NOT_NEEDED && settings_trust_folder(files, &err) != HV_OK)
        say(runtime, "warning", hv_str_from(err.message));
    else if (trust == SETTINGS_UNTRUSTED)
        say(runtime, "info", HV_STR("the rule counts next time only if you trust this folder: helve trust"));
    return true;
}

void ask_keep(struct runtime *runtime, enum hv_ask_scope where, enum hv_verdict verdict, const struct hv_str *rules,
              size_t count)
{
    enum policy_scope scope = POLICY_SESSION;
    if (where >= HV_ASK_LOCAL && where <= HV_ASK_USER && ask_save(runtime, where, verdict, rules, count))
        scope = places[where].scope;
    for (size_t i = 0; i < count; i++)
        permission_add_rule(runtime, scope, verdict, rules[i]);
}

/* What was offered. Rules for any code hold for the session, whatever was answered, since elsewhere no sandbox may
 * confine it. */
static void keep_offered(struct runtime *runtime, const struct hv_question *question, enum hv_ask_scope where)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str *lasting = hv_arena_array(&arena, struct hv_str, question->rule_count);
    size_t count = 0;
    for (size_t i = 0; i < question->rule_count; i++) {
        if (!policy_rule_takes_any_code(question->rules[i])) {
            lasting[count++] = question->rules[i];
            continue;
        }
        permission_add_rule(runtime, POLICY_SESSION, HV_ALLOW, question->rules[i]);
        if (where != HV_ASK_SESSION)
            say(runtime, "info",
                HV_STR("the rule for any code holds for this session only, as the sandbox may be off in another"));
    }
    if (count)
        ask_keep(runtime, where, HV_ALLOW, lasting, count);
}

void runtime_keep_rules(struct runtime *runtime, const struct hv_question *question, const struct hv_answer *answer)
{
    if (answer->scope == HV_ASK_ONCE || question->each_time)
        return;
    if (answer->rule_count)
        ask_keep(runtime, answer->scope, HV_ALLOW, answer->rules, answer->rule_count);
    else
        keep_offered(runtime, question, answer->scope);
}

/* "Tool(x)" as {"toolName":"Tool","ruleContent":"x"}. */
static void put_rule(struct hv_json_writer *writer, struct hv_str rule)
{
    size_t open = hv_str_find_byte(rule, '(', 0);
    hv_json_begin_object(writer);
    hv_json_member_string(writer, "toolName", hv_str_slice(rule, 0, open));
    if (open != SIZE_MAX)
        hv_json_member_string(writer, "ruleContent", hv_str_slice(rule, open + 1, rule.len - 1));
    hv_json_end_object(writer);
}

/* One update with the rules that are saved, or with those that pass with the session; nothing where there are none. */
static void put_update(struct hv_json_writer *writer, const struct hv_str *rules, size_t count, bool passing)
{
    size_t put = 0;
    for (size_t i = 0; i < count; i++) {
        if (policy_rule_takes_any_code(rules[i]) != passing)
            continue;
        if (!put++) {
            hv_json_begin_object(writer);
            hv_json_member_cstr(writer, "type", "addRules");
            hv_json_name(writer, "rules");
            hv_json_begin_array(writer);
        }
        put_rule(writer, rules[i]);
    }
    if (!put)
        return;
    hv_json_end_array(writer);
    hv_json_member_cstr(writer, "behavior", "allow");
    hv_json_member_cstr(writer, "destination", passing ? "session" : "localSettings");
    hv_json_end_object(writer);
}

void runtime_put_suggestions(struct hv_json_writer *writer, const struct hv_str *rules, size_t count)
{
    hv_json_name(writer, "permission_suggestions");
    hv_json_begin_array(writer);
    put_update(writer, rules, count, false);
    put_update(writer, rules, count, true);
    hv_json_end_array(writer);
}
