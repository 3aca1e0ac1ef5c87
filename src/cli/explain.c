/*
 * explain.c: `helve explain path`, `bash` and `rule`: what would be decided, and why, without running anything. The
 * facts of a call are made as the pipeline makes them: by the tool's own functions, from an input with nothing but the
 * path or the command.
 */
#include "policy/explain.h"

#include <unistd.h>

#include "base/cleanup.h"
#include "base/path.h"
#include "cli/door.h"

enum { OUT_MAX = 64 << 20, RULES_MAX = 100000 };

/* ---- the facts of a call -------------------------------------------------------------------------------------------
 */

/* One question: may this tool touch this path, or run this command? */
struct question {
    const struct hv_tool *tool;
    const struct hv_field *field; /* of the path or command */
    struct hv_str path;           /* or the command; as written */
    struct hv_str directory, home;
    struct hv_arena *arena;
};

static const struct hv_field *path_field(const struct hv_tool *tool)
{
    for (const struct hv_field *field = tool->fields; field && field->type != HV_FIELD_END; field++)
        if (field->type == HV_FIELD_STRING && field->flags & HV_PATH)
            return field;
    return NULL;
}

/* What a call of a shell must have: the first text that it requires. */
static const struct hv_field *command_field(const struct hv_tool *tool)
{
    if (tool->subject_kind != HV_SUBJECT_COMMAND)
        return NULL;
    for (const struct hv_field *field = tool->fields; field && field->type != HV_FIELD_END; field++)
        if (field->type == HV_FIELD_STRING && field->flags & HV_REQUIRED)
            return field;
    return NULL;
}

static struct policy_path *resolve_all(const struct question *question, const struct hv_path_list *list)
{
    struct policy_path *paths = hv_arena_array(question->arena, struct policy_path, list->count + 1);
    for (size_t i = 0; i < list->count; i++)
        policy_path_resolve(hv_host_local(), question->arena, list->paths[i], &paths[i]);
    return paths;
}

/* The least input that names the path or command: other texts that a call must have are "*". */
static void *make_input(const struct question *question)
{
    const struct hv_tool *tool = question->tool;
    char *input = hv_arena_zalloc(question->arena, 1, tool->input_size + 1);
    for (const struct hv_field *field = tool->fields; field->type != HV_FIELD_END; field++)
        if (field->type == HV_FIELD_STRING && field->flags & HV_REQUIRED)
            *(struct hv_str *)(input + field->offset) = HV_STR("*");
    bool is_path = question->field->flags & HV_PATH;
    *(struct hv_str *)(input + question->field->offset) =
        is_path ? path_expand(question->arena, question->path, question->directory, question->home) : question->path;
    return input;
}

/* The same as JSON, for rules that look at parameters. */
static const struct hv_json *input_json(const struct question *question)
{
    CLEANUP_BUF struct hv_buf text = {0};
    const struct hv_json *value;
    struct hv_json_writer writer;
    hv_buf_init(&text, DOOR_LINE_MAX);
    hv_json_writer_init(&writer, &text);
    hv_json_begin_object(&writer);
    hv_json_member_string(&writer, question->field->name, question->path);
    hv_json_end_object(&writer);
    struct hv_str source = hv_arena_str(question->arena, hv_buf_str(&text));
    return hv_json_parse(question->arena, source, HV_JSON_STRICT, &value, NULL) == HV_OK ? value : NULL;
}

/* As a call of the tool with nothing but this would be judged. */
static void gather_facts(const struct question *question, struct policy_facts *facts)
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
    };
    void *input = make_input(question);
    if (tool->footprint)
        tool->footprint(input, &context, &footprint);
    *facts = (struct policy_facts){
        .tool = tool,
        .directory = question->directory,
        .reads = resolve_all(question, &footprint.reads),
        .read_count = footprint.reads.count,
        .writes = resolve_all(question, &footprint.writes),
        .write_count = footprint.writes.count,
        .touches_listed_only = footprint.limited,
        .read_only = tool->read_only && tool->read_only(input, &context),
        .destructive = tool->destructive && tool->destructive(input, &context),
        .input = input_json(question),
        .interactive = true,
    };
    if (tool->subject)
        facts->subject = tool->subject(input, &context);
    if (tool->check_permission)
        facts->own = tool->check_permission(input, &context, &facts->own_reason);
}

static const struct hv_tool *path_tool(struct hv_str name, struct hv_error *err)
{
    size_t count;
    const struct hv_tool *const *tools = hv_builtin_tools(&count);
    for (size_t i = 0; i < count; i++)
        if (hv_tool_is_named(tools[i], name) && path_field(tools[i]))
            return tools[i];
    hv_fail(err, HV_ENOTFOUND, "there is no tool \"%.*s\" that takes a path", HV_STR_ARG(hv_str_slice(name, 0, 80)));
    return NULL;
}

static const struct hv_tool *shell_tool(void)
{
    size_t count;
    const struct hv_tool *const *tools = hv_builtin_tools(&count);
    for (size_t i = 0; i < count; i++)
        if (command_field(tools[i]))
            return tools[i];
    return NULL;
}

/* ---- one path -------------------------------------------------------------------------------------------------------
 */

struct path_flags {
    struct cli_setup_flags setup;
    struct hv_str tool;
    bool json, batch;
};

#define AT(member) offsetof(struct path_flags, member)
static const struct option path_options[] = {
    {"tool", 0, OPTION_TEXT, AT(tool), "NAME", "for this tool; without it for each that takes a path"},
    {"json", 0, OPTION_FLAG, AT(json), NULL, "one JSON object a decision"},
    {"batch", 0, OPTION_FLAG, AT(batch), NULL,
     "lines {id, tool, path, cwd?, roots?, mode?, rules?} on stdin, an answer a line"},
    {.type = OPTION_TABLE, .offset = AT(setup), .table = cli_setup_options},
    {0},
};
#undef AT

static struct policy *make_policy(const struct path_flags *flags, const struct setup *setup)
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

static void put_refused(struct hv_str path, const struct hv_tool *tool, const char *why, bool json, struct hv_buf *out)
{
    struct hv_json_writer writer;
    if (!json) {
        hv_buf_addf(out, "%s: refuse: %s\n", tool->name, why);
        return;
    }
    hv_json_writer_init(&writer, out);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "decision", "refuse");
    hv_json_member_cstr(&writer, "tool", tool->name);
    hv_json_member_string(&writer, "path", path);
    hv_json_member_cstr(&writer, "reason", why);
    hv_json_end_object(&writer);
    hv_buf_add_byte(out, '\n');
}

static void put_path(const struct policy *policy, const struct question *question, bool json, bool brief,
                     struct hv_buf *out)
{
    struct policy_facts facts;
    struct policy_decision decision;
    const char *refused = policy_path_refused(question->path);
    if (refused) {
        put_refused(question->path, question->tool, refused, json, out);
        return;
    }
    gather_facts(question, &facts);
    policy_decide(policy, &facts, question->arena, &decision);
    if (json || !brief) {
        policy_explain_write(policy, &facts, &decision, json, out);
        return;
    }
    hv_buf_addf(out, "%-10s %-15s %.*s", question->tool->name, policy_explain_outcome(policy, &facts, &decision),
                HV_STR_ARG(decision.reason));
    if (decision.rule.len > 0)
        hv_buf_addf(out, "  [%.*s, %.*s]", HV_STR_ARG(decision.rule), HV_STR_ARG(decision.scope));
    hv_buf_add_byte(out, '\n');
}

static int explain_path(const struct path_flags *flags, const struct setup *setup, const struct cli_call *call)
{
    CLEANUP_BUF struct hv_buf out = {0};
    struct hv_error err;
    struct question question = {
        .path = call->arguments[0], .directory = setup->directory, .home = setup->home, .arena = call->arena};
    size_t count;
    const struct hv_tool *const *tools = hv_builtin_tools(&count), *wanted = NULL;
    hv_buf_init(&out, OUT_MAX);
    if (flags->tool.ptr && !(wanted = path_tool(flags->tool, &err)))
        return cli_usage(&err);
    struct policy *policy = make_policy(flags, setup);
    for (size_t i = 0; i < count; i++) {
        question.tool = tools[i];
        question.field = path_field(tools[i]);
        if (wanted ? tools[i] == wanted : question.field != NULL)
            put_path(policy, &question, flags->json, !wanted, &out);
    }
    policy_unref(policy);
    return cli_print(&out, CLI_OK);
}

/* ---- batch ----------------------------------------------------------------------------------------------------------
 */

/* A list of rules that grows. */
struct rule_list {
    struct settings_flag_rule *rules;
    size_t count;
};

static void add_rule(struct rule_list *list, enum hv_verdict verdict, struct hv_str text)
{
    if (list->count < RULES_MAX && text.len > 0)
        list->rules[list->count++] = (struct settings_flag_rule){.verdict = verdict, .text = text};
}

static enum hv_verdict verdict_of(struct hv_str word)
{
    return hv_str_is(word, "deny") ? HV_DENY : hv_str_is(word, "ask") ? HV_ASK : HV_ALLOW;
}

/* "Read(x)", "deny Read(x)", "deny: Read(x)", {"behavior":"deny","rule":"Read(x)"}. */
static void add_rule_value(struct rule_list *list, enum hv_verdict verdict, const struct hv_json *value)
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

static void read_rules(const struct hv_json *rules, struct hv_arena *arena, struct rule_list *list)
{
    size_t most = 1;
    hv_json_each(child, rules) most += child->count + 1;
    list->rules = hv_arena_array(arena, struct settings_flag_rule, most < RULES_MAX ? most : RULES_MAX);
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

/* Settings count only where the line brings no rules of its own: then it asks about this machine. */
static struct policy *line_policy(const struct door_line *line, const struct setup *setup, struct hv_str directory,
                                  struct hv_str home)
{
    const struct hv_json *rules = hv_json_get(line->value, "rules");
    struct rule_list list = {0};
    struct settings *settings = NULL;
    read_rules(rules, line->arena, &list);
    struct settings_options where = setup->settings_options;
    where.directory = directory;
    where.home = home;
    if (!rules && settings_load(&where, &settings, NULL) != HV_OK)
        settings = NULL;
    struct policy_options options = {
        .host = setup->host,
        .settings = settings,
        .directory = directory,
        .home = home,
        .rules = list.rules,
        .rule_count = list.count,
        .ignores_case = policy_probe_case(setup->host, directory),
    };
    options.tools = hv_builtin_tools(&options.tool_count);
    options.roots = read_roots(line, directory, home, &options.root_count);
    struct hv_str mode = hv_json_get_string(line->value, "mode");
    options.has_mode = mode.ptr && policy_mode_from(mode, &options.mode);
    struct policy *policy = policy_new(&options);
    settings_unref(settings);
    return policy;
}

/* Judge a line's question and write what came of it. */
static void answer_question(const struct door_line *line, const struct question *question,
                            struct hv_json_writer *writer)
{
    struct policy_facts facts;
    struct policy_decision decision;
    struct policy *policy = line_policy(line, line->user, question->directory, question->home);
    gather_facts(question, &facts);
    policy_decide(policy, &facts, line->arena, &decision);
    policy_explain_members(policy, &facts, &decision, writer);
    policy_unref(policy);
}

static void find_place(const struct door_line *line, struct question *question)
{
    const struct setup *setup = line->user;
    struct hv_str home = hv_json_get_string(line->value, "home"), directory = hv_json_get_string(line->value, "cwd");
    question->arena = line->arena;
    question->home = home.ptr ? home : setup->home;
    question->directory =
        directory.ptr ? path_expand(line->arena, directory, setup->directory, question->home) : setup->directory;
}

static void answer_path(const struct door_line *line, struct hv_json_writer *writer)
{
    struct hv_error err;
    bool bad;
    struct question question = {.path = door_bytes(line, "path", &bad)};
    find_place(line, &question);
    question.tool = path_tool(hv_json_get_string(line->value, "tool"), &err);
    const char *refused = question.path.ptr && !bad ? policy_path_refused(question.path) : "there is no path";
    if (!question.tool || refused) {
        hv_json_member_cstr(writer, "decision", question.tool ? "refuse" : "deny");
        hv_json_member_cstr(writer, "reason", question.tool ? refused : err.message);
        return;
    }
    question.field = path_field(question.tool);
    answer_question(line, &question, writer);
}

static void answer_command(const struct door_line *line, struct hv_json_writer *writer)
{
    bool bad;
    struct question question = {.tool = shell_tool(), .path = door_bytes(line, "command", &bad)};
    find_place(line, &question);
    if (!question.tool || !question.path.ptr || bad) {
        hv_json_member_cstr(writer, "decision", "deny");
        hv_json_member_cstr(writer, "reason", question.tool ? "there is no command" : "there is no shell tool");
        return;
    }
    question.field = command_field(question.tool);
    answer_question(line, &question, writer);
}

static int run_path(const struct cli_call *call)
{
    const struct path_flags *flags = call->options;
    struct hv_error err;
    struct setup setup = {0};
    int status;
    if (!flags->batch && call->argument_count == 0) {
        hv_fail(&err, HV_EINVAL, "`helve explain path` needs a FILE, or --batch");
        return cli_usage(&err);
    }
    if (cli_setup_open(&flags->setup, &setup, &err) != HV_OK)
        status = cli_usage(&err);
    else if (flags->batch)
        status = door_run(answer_path, &setup);
    else
        status = explain_path(flags, &setup, call);
    if (status == CLI_OK && !flags->batch)
        cli_tell_problems(&setup);
    setup_release(&setup);
    return status;
}

const struct cli_command cli_explain_path_command = {
    .name = "explain path",
    .arguments = "FILE",
    .summary = "tell what would be decided about a file, why, and by which rule",
    .text = "Examples:\n  helve explain path .env\n  helve explain path src/main.c --tool Edit --permission-mode plan\n"
            "  helve explain path ~/.ssh/id_rsa --json",
    .options = path_options,
    .options_size = sizeof(struct path_flags),
    .most = 1,
    .run = run_path,
};

/* ---- commands ------------------------------------------------------------------------------------------------------
 */

static int explain_command(const struct path_flags *flags, const struct setup *setup, const struct cli_call *call)
{
    CLEANUP_BUF struct hv_buf out = {0};
    struct question question = {
        .tool = shell_tool(),
        .path = call->arguments[0],
        .directory = setup->directory,
        .home = setup->home,
        .arena = call->arena,
    };
    struct policy_facts facts;
    struct policy_decision decision;
    hv_buf_init(&out, OUT_MAX);
    if (!question.tool) {
        cli_note("this helve was built without a shell tool");
        return CLI_FAILED;
    }
    question.field = command_field(question.tool);
    struct policy *policy = make_policy(flags, setup);
    gather_facts(&question, &facts);
    policy_decide(policy, &facts, call->arena, &decision);
    policy_explain_write(policy, &facts, &decision, flags->json, &out);
    policy_unref(policy);
    return cli_print(&out, CLI_OK);
}

static int run_command(const struct cli_call *call)
{
    const struct path_flags *flags = call->options;
    struct hv_error err;
    struct setup setup = {0};
    int status;
    if (!flags->batch && call->argument_count == 0) {
        hv_fail(&err, HV_EINVAL, "`helve explain bash` needs a COMMAND, or --batch");
        return cli_usage(&err);
    }
    if (cli_setup_open(&flags->setup, &setup, &err) != HV_OK)
        status = cli_usage(&err);
    else if (flags->batch)
        status = door_run(answer_command, &setup);
    else
        status = explain_command(flags, &setup, call);
    if (status == CLI_OK && !flags->batch)
        cli_tell_problems(&setup);
    setup_release(&setup);
    return status;
}

static const struct option command_options[] = {
    {"json", 0, OPTION_FLAG, offsetof(struct path_flags, json), NULL, "as JSON"},
    {"batch", 0, OPTION_FLAG, offsetof(struct path_flags, batch), NULL,
     "lines {id, command, cwd?, roots?, mode?, rules?} on stdin, an answer a line"},
    {.type = OPTION_TABLE, .offset = offsetof(struct path_flags, setup), .table = cli_setup_options},
    {0},
};

const struct cli_command cli_explain_bash_command = {
    .name = "explain bash",
    .arguments = "COMMAND",
    .summary = "tell what would be decided about a shell command, why, and by which rule",
    .text = "Examples:\n  helve explain bash 'git push --force'\n"
            "  helve explain bash 'make test' --allowed-tools 'Bash(make *)' --json",
    .options = command_options,
    .options_size = sizeof(struct path_flags),
    .most = 1,
    .run = run_command,
};

/* ---- rules ----------------------------------------------------------------------------------------------------------
 */

static int run_rule(const struct cli_call *call)
{
    const struct path_flags *flags = call->options;
    CLEANUP_BUF struct hv_buf out = {0};
    struct hv_error err;
    struct setup setup = {0};
    size_t count;
    int status;
    const struct hv_tool *const *tools = hv_builtin_tools(&count);
    hv_buf_init(&out, OUT_MAX);
    if (cli_setup_open(&flags->setup, &setup, &err) != HV_OK) {
        status = cli_usage(&err);
    } else {
        struct policy *policy = make_policy(flags, &setup);
        bool usable = policy_explain_rule(policy, call->arguments[0], tools, count, flags->json, &out);
        policy_unref(policy);
        status = cli_print(&out, usable ? CLI_OK : CLI_FAILED);
    }
    setup_release(&setup);
    return status;
}

static const struct option rule_options[] = {
    {"json", 0, OPTION_FLAG, offsetof(struct path_flags, json), NULL, "as JSON"},
    {.type = OPTION_TABLE, .offset = offsetof(struct path_flags, setup), .table = cli_setup_options},
    {0},
};

const struct cli_command cli_explain_rule_command = {
    .name = "explain rule",
    .arguments = "RULE",
    .summary = "tell what a permission rule means, and which rules beat it",
    .text = "Exit code: 1 when no list could use the rule.\n\n"
            "Examples:\n  helve explain rule 'Bash(git diff:*)'\n  helve explain rule 'Edit(src/**)' --json",
    .options = rule_options,
    .options_size = sizeof(struct path_flags),
    .least = 1,
    .most = 1,
    .run = run_rule,
};
