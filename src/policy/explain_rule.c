/* explain_rule.c: what one rule means, whether or not it stands in the policy; see explain.h. */
#include "base/cleanup.h"
#include "policy/explain.h"
#include "policy/rule.h"
#include "policy/snapshot.h"
#include "policy/visible.h"

static const enum hv_verdict verdicts[] = {HV_ALLOW, HV_ASK, HV_DENY};
static const char *const verdict_names[] = {"allow", "ask", "deny"};
enum { VERDICT_COUNT = 3 };

static const char *verdict_name(enum hv_verdict verdict)
{
    return verdict == HV_ALLOW ? verdict_names[0] : verdict == HV_ASK ? verdict_names[1] : verdict_names[2];
}

/* A rule under study. */
struct study {
    const struct policy *policy;
    const struct hv_tool *const *tools;
    size_t tool_count;
    struct hv_str text;
    struct rule rules[VERDICT_COUNT]; /* as each list reads it */
    struct hv_error errors[VERDICT_COUNT];
    bool usable[VERDICT_COUNT];
};

static bool begin(struct study *study, struct hv_arena *arena)
{
    const struct policy *policy = study->policy;
    struct rule_bases bases = policy_rule_bases(policy);
    bool any = false;
    for (int i = 0; i < VERDICT_COUNT; i++) {
        study->usable[i] = rule_parse(&bases, arena, verdicts[i], study->text, policy->directory.written,
                                      &study->rules[i], &study->errors[i]) == HV_OK;
        any |= study->usable[i];
    }
    return any;
}

/* The reading that knows the most: a denial's. */
static const struct rule *main_reading(const struct study *study)
{
    return &study->rules[VERDICT_COUNT - 1];
}

/* What the specifier is to this tool. */
static const char *meaning(const struct rule *rule, const struct hv_tool *tool)
{
    if (!rule->has_specifier)
        return "the whole tool";
    if (rule_takes_parameter(rule, tool, NULL))
        return "a value of a parameter (ask and deny only)";
    switch (tool->subject_kind) {
    case HV_SUBJECT_PATH: return "a path pattern";
    case HV_SUBJECT_COMMAND:
        return hv_str_find_byte(rule->specifier, '*', 0) == SIZE_MAX ? "exactly this command" : "commands of this form";
    case HV_SUBJECT_DOMAIN: return "a host name";
    case HV_SUBJECT_NAME: return "a name";
    case HV_SUBJECT_NONE: break;
    }
    return "nothing this tool knows: a denial holds for all of it, a permission for nothing";
}

static const char *base_form(const struct rule_path *path)
{
    return path->pattern ? "" : " and everything below it";
}

/* A deny or ask rule for a whole tool that this rule is about, too. */
static bool beats(const struct study *study, const struct rule *other)
{
    if (other->verdict == HV_ALLOW || other->has_specifier || hv_str_eq(other->text, study->text))
        return false;
    for (size_t i = 0; i < study->tool_count; i++)
        if (rule_names_tool(main_reading(study), study->tools[i]) && rule_names_tool(other, study->tools[i]))
            return true;
    return false;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void put_lists(struct hv_json_writer *writer, const struct study *study)
{
    hv_json_name(writer, "lists");
    hv_json_begin_object(writer);
    for (int i = 0; i < VERDICT_COUNT; i++) {
        hv_json_name(writer, verdict_names[i]);
        hv_json_begin_object(writer);
        hv_json_member_bool(writer, "usable", study->usable[i]);
        if (!study->usable[i]) {
            hv_json_member_cstr(writer, "error", study->errors[i].message);
            hv_json_member_cstr(writer, "hint", study->errors[i].hint);
        }
        hv_json_name(writer, "starts");
        hv_json_begin_array(writer);
        for (size_t j = 0; study->usable[i] && j < study->rules[i].path_count; j++) {
            hv_json_begin_object(writer);
            hv_json_member_string(writer, "directory", study->rules[i].paths[j].base);
            hv_json_member_string(writer, "pattern", study->rules[i].paths[j].text);
            hv_json_end_object(writer);
        }
        hv_json_end_array(writer);
        hv_json_end_object(writer);
    }
    hv_json_end_object(writer);
}

static void put_tools(struct hv_json_writer *writer, const struct study *study)
{
    hv_json_name(writer, "tools");
    hv_json_begin_array(writer);
    for (size_t i = 0; i < study->tool_count; i++) {
        if (!rule_names_tool(main_reading(study), study->tools[i]))
            continue;
        hv_json_begin_object(writer);
        hv_json_member_cstr(writer, "tool", study->tools[i]->name);
        hv_json_member_cstr(writer, "meaning", meaning(main_reading(study), study->tools[i]));
        hv_json_end_object(writer);
    }
    hv_json_end_array(writer);
}

static void put_standing(struct hv_json_writer *writer, const struct study *study, const char *name, bool same)
{
    hv_json_name(writer, name);
    hv_json_begin_array(writer);
    for (size_t i = 0; i < study->policy->rule_count; i++) {
        const struct rule *rule = &study->policy->rules[i];
        if (same ? !hv_str_eq(rule->text, study->text) : !beats(study, rule))
            continue;
        hv_json_begin_object(writer);
        hv_json_member_cstr(writer, "verdict", verdict_name(rule->verdict));
        hv_json_member_string(writer, "rule", rule->text);
        hv_json_member_string(writer, "place", rule->place);
        hv_json_end_object(writer);
    }
    hv_json_end_array(writer);
}

static void write_json(const struct study *study, struct hv_buf *out)
{
    struct hv_json_writer writer;
    const struct rule *rule = main_reading(study);
    hv_json_writer_init(&writer, out);
    hv_json_begin_object(&writer);
    hv_json_member_string(&writer, "rule", study->text);
    hv_json_member_string(&writer, "tool", rule->tool);
    hv_json_member_string(&writer, "specifier", rule->has_specifier ? rule->specifier : (struct hv_str){0});
    put_lists(&writer, study);
    put_tools(&writer, study);
    put_standing(&writer, study, "stands", true);
    put_standing(&writer, study, "beaten_by", false);
    hv_json_end_object(&writer);
    hv_buf_add_byte(out, '\n');
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void add_list(struct hv_buf *out, const struct study *study, int list, bool with_paths)
{
    const struct rule *rule = &study->rules[list];
    hv_buf_addf(out, "  in %-6s ", verdict_names[list]);
    if (!study->usable[list]) {
        visible_add(out, hv_str_from(study->errors[list].message));
        hv_buf_addf(out, "\n             %s\n", study->errors[list].hint);
        return;
    }
    hv_buf_add_cstr(out, "can be used\n");
    for (size_t i = 0; with_paths && i < rule->path_count; i++) {
        const struct rule_path *path = &rule->paths[i]; /* a base may stand there once as written and once resolved */
        if (i && hv_str_eq(path->text, path[-1].text) && hv_str_eq(path->base, path[-1].base))
            continue;
        hv_buf_add_cstr(out, "             ");
        visible_add(out, path->text.len ? path->text : HV_STR("all"));
        hv_buf_add_cstr(out, " in ");
        visible_add(out, path->base);
        hv_buf_addf(out, "%s\n", base_form(path));
    }
}

static void add_standing(struct hv_buf *out, const struct study *study, const char *title, bool same)
{
    for (size_t i = 0; i < study->policy->rule_count; i++) {
        const struct rule *rule = &study->policy->rules[i];
        if (same ? !hv_str_eq(rule->text, study->text) : !beats(study, rule))
            continue;
        hv_buf_addf(out, "  %-10s %s ", title, verdict_name(rule->verdict));
        visible_add(out, rule->text);
        hv_buf_add_cstr(out, "  ");
        visible_add(out, rule->place);
        hv_buf_add_byte(out, '\n');
    }
}

static void write_text(const struct study *study, struct hv_buf *out)
{
    const struct rule *rule = main_reading(study);
    bool any = false, with_paths = false;
    visible_add(out, study->text);
    hv_buf_add_byte(out, '\n');
    for (size_t i = 0; i < study->tool_count; i++) {
        const struct hv_tool *tool = study->tools[i];
        if (!rule_names_tool(rule, tool))
            continue;
        any = true;
        with_paths |= tool->subject_kind == HV_SUBJECT_PATH && rule->has_specifier;
        hv_buf_addf(out, "  %-12s %s\n", tool->name, meaning(rule, tool));
    }
    if (!any)
        hv_buf_add_cstr(out, "  names no tool of this session\n");
    for (int i = 0; i < VERDICT_COUNT; i++)
        add_list(out, study, i, with_paths);
    add_standing(out, study, "stands as", true);
    add_standing(out, study, "beaten by", false);
}

bool policy_explain_rule(const struct policy *policy, struct hv_str text, const struct hv_tool *const *tools,
                         size_t tool_count, bool as_json, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct study study = {.policy = policy, .tools = tools, .tool_count = tool_count, .text = hv_str_trim(text)};
    bool usable = begin(&study, &arena);
    if (as_json)
        write_json(&study, out);
    else
        write_text(&study, out);
    return usable;
}
