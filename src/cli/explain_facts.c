/* explain_facts.c: see explain.h. */
#include "cli/explain.h"

#include <unistd.h>

#include "base/cleanup.h"
#include "base/path.h"
#include "fs/git_probe.h"
#include "fs/settings_alias.h"

/* ---- the facts of a call ----------------------------------------------------------------------------------------- */

const struct hv_field *explain_path_field(const struct hv_tool *tool)
{
    for (const struct hv_field *field = tool->fields; field && field->type != HV_FIELD_END; field++)
        if (field->type == HV_FIELD_STRING && field->flags & HV_PATH)
            return field;
    return NULL;
}

/* What a call of a shell must have: the first text that it requires. */
const struct hv_field *explain_command_field(const struct hv_tool *tool)
{
    if (tool->subject_kind != HV_SUBJECT_COMMAND)
        return NULL;
    for (const struct hv_field *field = tool->fields; field && field->type != HV_FIELD_END; field++)
        if (field->type == HV_FIELD_STRING && field->flags & HV_REQUIRED)
            return field;
    return NULL;
}

static struct policy_path *resolve_all(const struct explain_question *question, const struct hv_path_list *list)
{
    struct policy_path *paths = hv_arena_array(question->arena, struct policy_path, list->count + 1);
    for (size_t i = 0; i < list->count; i++)
        policy_path_resolve(hv_host_local(), question->arena, list->paths[i], &paths[i]);
    return paths;
}

/* The least input that names the path or command: other texts that a call must have are "*". */
static void *make_input(const struct explain_question *question)
{
    const struct hv_tool *tool = question->tool;
    char *input = hv_arena_zalloc(question->arena, 1, tool->input_size + 1);
    for (const struct hv_field *field = tool->fields; field->type != HV_FIELD_END; field++)
        if (field->type == HV_FIELD_STRING && field->flags & HV_REQUIRED)
            *(struct hv_str *)(input + field->offset) = HV_STR("*");
    bool is_path = question->field->flags & HV_PATH;
    *(struct hv_str *)(input + question->field->offset) =
        is_path ? path_expand(question->arena, question->text, question->directory, question->home) : question->text;
    return input;
}

/* The same as JSON, for rules that look at parameters. */
static const struct hv_json *input_json(const struct explain_question *question)
{
    CLEANUP_BUF struct hv_buf text = {0};
    const struct hv_json *value;
    struct hv_json_writer writer;
    hv_buf_init(&text, DOOR_LINE_MAX);
    hv_json_writer_init(&writer, &text);
    hv_json_begin_object(&writer);
    hv_json_member_string(&writer, question->field->name, question->text);
    hv_json_end_object(&writer);
    struct hv_str source = hv_arena_str(question->arena, hv_buf_str(&text));
    return hv_json_parse(question->arena, source, HV_JSON_STRICT, &value, NULL) == HV_OK ? value : NULL;
}

static struct policy_surroundings surroundings_of(const struct explain_question *question)
{
    return (struct policy_surroundings){
        .host = hv_host_local(),
        .environment = question->environment,
        .home = question->home,
        .git_is_tamed = true,
        .git = question->git,
        .programs = question->programs,
    };
}

void explain_facts(const struct explain_question *question, const struct policy *policy, struct policy_facts *facts)
{
    const struct hv_tool *tool = question->tool;
    struct hv_footprint footprint = {0};
    struct hv_context context = {
        .arena = question->arena,
        .host = hv_host_local(),
        .tool = tool,
        .directory = question->directory,
        .home = question->home,
        .roots = &question->directory,
        .root_count = 1,
        .sandbox = question->door ? question->door->sandbox : NULL,
    };
    void *input = make_input(question);
    bool is_command = tool->subject_kind == HV_SUBJECT_COMMAND; /* policy_judge_command says what it touches */
    if (tool->footprint && !is_command)
        tool->footprint(input, &context, &footprint);
    *facts = (struct policy_facts){
        .tool = tool,
        .directory = question->directory,
        .reads = resolve_all(question, &footprint.reads),
        .read_count = footprint.reads.count,
        .writes = resolve_all(question, &footprint.writes),
        .write_count = footprint.writes.count,
        .touches_listed_only = footprint.limited,
        .read_only = !is_command && tool->read_only && tool->read_only(input, &context),
        .destructive = tool->destructive && tool->destructive(input, &context),
        .input = input_json(question),
        .sandboxed = tool->contained && question->door && tool->contained(input, &context),
        .interactive = true,
    };
    const struct settings_places places = {question->directory, question->home, question->environment};
    policy_add_settings_aliases(hv_host_local(), question->arena, &places, facts);
    if (tool->subject)
        facts->subject = tool->subject(input, &context);
    const struct policy_surroundings surroundings = surroundings_of(question);
    policy_judge_command(policy, &surroundings, question->arena, facts);
    if (tool->check_permission)
        facts->own = tool->check_permission(input, &context, &facts->own_reason);
}

const struct policy *explain_decide(const struct explain_question *question, const struct policy *policy,
                                    struct policy_facts *facts, struct policy_decision *decision)
{
    static const struct masks_door nowhere = {0};
    const struct policy_surroundings surroundings = surroundings_of(question);
    return masks_decide(question->door ? question->door : &nowhere, policy, &surroundings, facts, question->arena,
                        decision);
}

const struct hv_tool *explain_path_tool(struct hv_str name, struct hv_error *err)
{
    size_t count;
    const struct hv_tool *const *tools = hv_builtin_tools(&count);
    for (size_t i = 0; i < count; i++)
        if (hv_tool_is_named(tools[i], name) && explain_path_field(tools[i]))
            return tools[i];
    hv_fail(err, HV_ENOTFOUND, "there is no tool \"%.*s\" that takes a path", HV_STR_ARG(hv_str_slice(name, 0, 80)));
    return NULL;
}

const struct hv_tool *explain_shell_tool(void)
{
    size_t count;
    const struct hv_tool *const *tools = hv_builtin_tools(&count);
    for (size_t i = 0; i < count; i++)
        if (explain_command_field(tools[i]))
            return tools[i];
    return NULL;
}

struct policy *explain_policy(const struct explain_flags *flags, const struct setup *setup)
{
    struct policy_options options = {
        .host = setup->host,
        .settings = setup->settings,
        .directory = setup->directory,
        .home = setup->home,
        .roots = setup->roots,
        .root_count = setup->root_count,
        .ignores_case = policy_probe_case(setup->host, setup->directory),
    };
    options.tools = hv_builtin_tools(&options.tool_count);
    options.has_mode = cli_mode(&flags->setup, &options.mode);
    return policy_new(&options);
}

/* ---- lines of a batch -------------------------------------------------------------------------------------------- */

static void add_rule(struct explain_rules *list, enum hv_verdict verdict, struct hv_str text)
{
    if (list->count < EXPLAIN_RULES_MAX && text.len > 0)
        list->rules[list->count++] = (struct settings_flag_rule){.verdict = verdict, .text = text};
}

static enum hv_verdict verdict_of(struct hv_str word)
{
    return hv_str_is(word, "deny") ? HV_DENY : hv_str_is(word, "ask") ? HV_ASK : HV_ALLOW;
}

/* "Read(x)", "deny Read(x)", "deny: Read(x)", {"behavior":"deny","rule":"Read(x)"}. */
static void add_rule_value(struct explain_rules *list, enum hv_verdict verdict, const struct hv_json *value)
{
    static const char *const words[] = {"allow", "ask", "deny"};
    struct hv_str text = hv_json_string(value);
    for (size_t i = 0; text.ptr && i < sizeof words / sizeof *words; i++) {
        struct hv_str word = hv_str_from(words[i]);
        if (!hv_str_starts(text, word) || text.len <= word.len ||
            (text.ptr[word.len] != ' ' && text.ptr[word.len] != ':'))
            continue;
        verdict = verdict_of(word);
        text = hv_str_trim(hv_str_slice(text, word.len + 1, text.len));
    }
    if (hv_json_type_of(value) == HV_JSON_OBJECT) {
        static const char *const names[] = {"behavior", "verdict", "decision", "list"};
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (hv_json_get(value, names[i]))
                verdict = verdict_of(hv_json_get_string(value, names[i]));
        text = hv_json_get_string(value, "rule");
    }
    add_rule(list, verdict, text);
}

void explain_read_rules(const struct hv_json *rules, struct hv_arena *arena, struct explain_rules *list)
{
    size_t most = 1;
    hv_json_each(child, rules) most += child->count + 1;
    list->rules = hv_arena_array(arena, struct settings_flag_rule, most < EXPLAIN_RULES_MAX ? most : EXPLAIN_RULES_MAX);
    if (hv_json_type_of(rules) == HV_JSON_ARRAY)
        hv_json_each(child, rules) add_rule_value(list, HV_ALLOW, child);
    if (hv_json_type_of(rules) != HV_JSON_OBJECT)
        return;
    hv_json_each(group, rules) hv_json_each(child, group) add_rule_value(list, verdict_of(group->key), child);
}

static struct hv_str *read_roots(const struct door_line *line, struct hv_str directory, struct hv_str home,
                                 size_t *count)
{
    const struct hv_json *roots = hv_json_get(line->value, "roots");
    struct hv_str *list = hv_arena_array(line->arena, struct hv_str, (roots ? roots->count : 0) + 1);
    *count = 0;
    hv_json_each(root, hv_json_type_of(roots) == HV_JSON_ARRAY ? roots : NULL) list[(*count)++] =
        path_expand(line->arena, hv_json_string(root), directory, home);
    if (*count == 0)
        list[(*count)++] = directory;
    return list;
}

/* Settings count only where the line brings no rules of its own: then it asks about this machine, and *used holds them,
 * for the caller to release. */
static struct policy *new_line_policy(const struct door_line *line, const struct explain_question *question,
                                      struct settings **used)
{
    const struct explain_batch *batch = line->user;
    const struct setup *setup = batch->setup;
    const struct hv_json *rules = hv_json_get(line->value, "rules");
    struct explain_rules list = {0};
    struct settings *settings = NULL;
    explain_read_rules(rules, line->arena, &list);
    struct settings_options where = setup->settings_options;
    where.directory = question->directory;
    where.home = question->home;
    if (!rules && settings_load(&where, &settings, NULL) != HV_OK)
        settings = NULL;
    struct policy_options options = {
        .host = setup->host,
        .settings = settings,
        .directory = question->directory,
        .home = question->home,
        .rules = list.rules,
        .rule_count = list.count,
        .ignores_case = policy_probe_case(setup->host, question->directory),
    };
    options.tools = hv_builtin_tools(&options.tool_count);
    options.roots = read_roots(line, question->directory, question->home, &options.root_count);
    struct hv_str mode = hv_json_get_string(line->value, "mode");
    options.has_mode = mode.ptr ? policy_mode_from(mode, &options.mode) : cli_mode(&batch->flags->setup, &options.mode);
    struct policy *policy = policy_new(&options);
    *used = settings;
    return policy;
}

struct policy *explain_line_policy(const struct door_line *line, struct explain_question *question)
{
    struct explain_batch *batch = line->user;
    struct settings *settings = NULL;
    if (hv_json_get(line->value, "rules") || hv_json_get(line->value, "mode") || hv_json_get(line->value, "roots")) {
        struct policy *policy = new_line_policy(line, question, &settings);
        settings_unref(settings);
        return policy;
    }
    if (!batch->policy || !hv_str_eq(batch->directory, question->directory) ||
        !hv_str_eq(batch->home, question->home)) {
        policy_unref(batch->policy);
        explain_sandbox_release(&batch->sandbox);
        hv_arena_reset(&batch->arena);
        batch->directory = hv_arena_str(&batch->arena, question->directory);
        batch->home = hv_arena_str(&batch->arena, question->home);
        batch->policy = new_line_policy(line, question, &settings);
        if (settings)
            explain_sandbox_open(&batch->sandbox, batch->setup->host, batch->home, &batch->directory, 1, settings,
                                 batch->policy, false);
        settings_unref(settings);
    }
    if (batch->sandbox.settings)
        question->door = &batch->sandbox.door;
    return policy_ref(batch->policy);
}

void explain_batch_release(struct explain_batch *batch)
{
    policy_unref(batch->policy);
    explain_sandbox_release(&batch->sandbox);
    git_probe_free(batch->git);
    system_answers_release(&batch->programs);
    hv_arena_release(&batch->arena);
}

/* The environment of this process, with what the line sets: {"env":{"NAME":"value"}}. */
static const char *const *line_environment(const struct door_line *line)
{
    const struct hv_json *env = hv_json_get(line->value, "env");
    size_t count = 0, own = hv_json_type_of(env) == HV_JSON_OBJECT ? env->count : 0;
    if (!own)
        return (const char *const *)environ;
    while (environ[count])
        count++;
    const char **list = hv_arena_array(line->arena, const char *, count + own + 1);
    size_t at = 0;
    hv_json_each(child, env) list[at++] =
        hv_arena_format(line->arena, "%.*s=%.*s", HV_STR_ARG(child->key), HV_STR_ARG(hv_json_string(child))).ptr;
    for (size_t i = 0; i < count; i++)
        list[at++] = environ[i]; /* the first of a name counts */
    return list;
}

void explain_place(const struct door_line *line, struct explain_question *question)
{
    struct explain_batch *batch = line->user;
    const struct setup *setup = batch->setup;
    struct hv_str home = hv_json_get_string(line->value, "home"), directory = hv_json_get_string(line->value, "cwd");
    question->arena = line->arena;
    question->git = batch->git;
    question->programs = &batch->programs;
    question->home = home.ptr ? home : setup->home;
    question->directory =
        directory.ptr ? path_expand(line->arena, directory, setup->directory, question->home) : setup->directory;
    question->environment = line_environment(line);
}
