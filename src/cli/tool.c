/* tool.c: `helve tool list`, `helve tool describe`, `helve tool call`: what tools there are, and one of them by hand.
 */
#include "agent/exec.h"

#include <unistd.h>

#include "base/cleanup.h"
#include "cli/cli.h"
#include "schema/fields.h"

enum { TEXT_MAX = 16 << 20 };

/* ---- list -------------------------------------------------------------------------------------------------------- */

struct list_flags {
    bool json;
};

static const struct option list_options[] = {
    {"json", 0, OPTION_FLAG, offsetof(struct list_flags, json), NULL, "one JSON object a line"},
    {0},
};

static struct hv_str first_sentence(const char *description)
{
    struct hv_str text = hv_str_from(description);
    size_t stop = hv_str_find(text, HV_STR(". "), 0);
    return stop == SIZE_MAX ? text : hv_str_slice(text, 0, stop + 1);
}

static void put_names(struct hv_json_writer *writer, const char *member, const char *const *names)
{
    hv_json_name(writer, member);
    hv_json_begin_array(writer);
    for (; names && *names; names++)
        hv_json_put_cstr(writer, *names);
    hv_json_end_array(writer);
}

/* What a tool may do, for people who decide about it: made from the descriptor alone. */
static void put_profile(struct hv_json_writer *writer, const struct hv_tool *tool)
{
    hv_json_name(writer, "profile");
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "reads_only", tool->read_only && !tool->executes ? "as the input says" : "no");
    hv_json_member_bool(writer, "edits_files_only", tool->only_edits_files);
    hv_json_member_bool(writer, "executes", tool->executes);
    hv_json_member_bool(writer, "network", tool->network);
    hv_json_end_object(writer);
}

static void put_schema(struct hv_json_writer *writer, const struct hv_tool *tool)
{
    hv_json_name(writer, "input_schema");
    if (tool->input_schema)
        hv_json_put_raw(writer, hv_str_from(tool->input_schema));
    else
        fields_write_schema(tool->fields, writer);
}

static void put_tool(struct hv_json_writer *writer, const struct hv_tool *tool)
{
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "name", tool->name);
    hv_json_member_cstr(writer, "title", tool->title);
    hv_json_member_cstr(writer, "description", tool->description);
    put_names(writer, "aliases", tool->aliases);
    hv_json_member_bool(writer, "deferred", tool->deferred);
    put_profile(writer, tool);
    put_schema(writer, tool);
    if (tool->output_schema)
        hv_json_member_raw(writer, "output_schema", hv_str_from(tool->output_schema));
    hv_json_end_object(writer);
}

static int run_list(const struct cli_call *call)
{
    const struct list_flags *flags = call->options;
    CLEANUP_BUF struct hv_buf out = {0};
    struct hv_json_writer writer;
    size_t count;
    const struct hv_tool *const *tools = hv_builtin_tools(&count);
    hv_buf_init(&out, TEXT_MAX);
    for (size_t i = 0; i < count; i++) {
        if (flags->json) {
            hv_json_writer_init(&writer, &out);
            put_tool(&writer, tools[i]);
            hv_buf_add_byte(&out, '\n');
        } else {
            hv_buf_addf(&out, "%-12s %.*s\n", tools[i]->name, HV_STR_ARG(first_sentence(tools[i]->description)));
        }
    }
    return cli_print(&out, CLI_OK);
}

const struct cli_command cli_tool_list_command = {
    .name = "tool list",
    .arguments = "",
    .summary = "list the built-in tools",
    .text = "Examples:\n  helve tool list\n  helve tool list --json | jq -r .name",
    .options = list_options,
    .options_size = sizeof(struct list_flags),
    .group_default = true,
    .run = run_list,
};

/* ---- describe ---------------------------------------------------------------------------------------------------- */

static const struct hv_tool *find_tool(struct hv_str name, struct hv_error *err)
{
    struct hv_str near;
    const struct hv_tool *tool = cli_find_tool(name, &near);
    if (tool)
        return tool;
    hv_fail(err, HV_ENOTFOUND, "there is no tool \"%.*s\"", HV_STR_ARG(name));
    cli_hint_tools(near, err);
    return NULL;
}

static const char *type_word(const struct hv_field *field)
{
    static const char *const words[] = {
        [HV_FIELD_END] = "",          [HV_FIELD_STRING] = "string",   [HV_FIELD_INTEGER] = "integer",
        [HV_FIELD_NUMBER] = "number", [HV_FIELD_BOOLEAN] = "boolean", [HV_FIELD_ENUM] = "one of",
        [HV_FIELD_OBJECT] = "object", [HV_FIELD_ARRAY] = "array",     [HV_FIELD_JSON] = "any JSON",
    };
    return words[field->type];
}

static void put_fields(const struct hv_field *fields, int indent, struct hv_buf *out)
{
    for (const struct hv_field *field = fields; field && field->type != HV_FIELD_END; field++) {
        hv_buf_addf(out, "%*s%s (%s", indent, "", field->name, type_word(field));
        for (const char *const *value = field->values; value && *value; value++)
            hv_buf_addf(out, "%s%s", value == field->values ? " " : ", ", *value);
        hv_buf_addf(out, "%s%s)", field->flags & HV_REQUIRED ? ", required" : "",
                    field->flags & HV_PATH ? ", path" : "");
        if (field->aliases) {
            hv_buf_add_cstr(out, "  also:");
            for (const char *const *alias = field->aliases; *alias; alias++)
                hv_buf_addf(out, " %s", *alias);
        }
        hv_buf_addf(out, "\n%*s%s\n", indent + 4, "", field->description ? field->description : "");
        put_fields(field->fields, indent + 4, out);
    }
}

static void put_powers(const struct hv_tool *tool, struct hv_buf *out)
{
    hv_buf_add_cstr(out, "\nMay: ");
    if (tool->executes)
        hv_buf_add_cstr(out, "run programs, ");
    if (tool->only_edits_files)
        hv_buf_add_cstr(out, "change files, ");
    if (tool->network)
        hv_buf_add_cstr(out, "reach the network, ");
    if (!tool->executes && !tool->only_edits_files && !tool->network)
        hv_buf_add_cstr(out, tool->read_only ? "only read\n" : "change nothing but the session\n");
    else
        hv_buf_add_cstr(out, tool->read_only ? "or only read, as the input says\n" : "as the input says\n");
}

static void put_description(const struct hv_tool *tool, struct hv_buf *out)
{
    hv_buf_addf(out, "%s: %s\n\n%s\n", tool->name, tool->title ? tool->title : "", tool->description);
    if (tool->aliases) {
        hv_buf_add_cstr(out, "\nAlso called:");
        for (const char *const *alias = tool->aliases; *alias; alias++)
            hv_buf_addf(out, " %s", *alias);
        hv_buf_add_byte(out, '\n');
    }
    put_powers(tool, out);
    hv_buf_add_cstr(out, "\nInput:\n");
    put_fields(tool->fields, 2, out);
    if (tool->guide)
        hv_buf_addf(out, "\nHow to use it:\n%s\n", tool->guide);
}

static int run_describe(const struct cli_call *call)
{
    const struct list_flags *flags = call->options;
    CLEANUP_BUF struct hv_buf out = {0};
    struct hv_json_writer writer;
    struct hv_error err;
    hv_buf_init(&out, TEXT_MAX);
    const struct hv_tool *tool = find_tool(call->arguments[0], &err);
    if (!tool)
        return cli_usage(&err);
    if (flags->json) {
        hv_json_writer_init(&writer, &out);
        put_tool(&writer, tool);
        hv_buf_add_byte(&out, '\n');
    } else {
        put_description(tool, &out);
    }
    return cli_print(&out, CLI_OK);
}

const struct cli_command cli_tool_describe_command = {
    .name = "tool describe",
    .arguments = "NAME",
    .summary = "tell what a tool does and what it takes",
    .text = "Examples:\n  helve tool describe Edit\n  helve tool describe Edit --json | jq .input_schema",
    .options = list_options,
    .options_size = sizeof(struct list_flags),
    .least = 1,
    .most = 1,
    .run = run_describe,
};

/* ---- call -------------------------------------------------------------------------------------------------------- */

struct call_flags {
    struct cli_setup_flags setup;
    bool json;
};

#define AT(member) offsetof(struct call_flags, member)
static const struct option call_options[] = {
    {"json", 0, OPTION_FLAG, AT(json), NULL, "print the tool_result block instead of its text"},
    {.type = OPTION_TABLE, .offset = AT(setup), .table = cli_setup_options},
    {0},
};
#undef AT

/* What the handlers of the one call fill. */
struct one_call {
    const struct call_flags *flags;
    struct exec_outcome outcome;
    bool failed, changes_files;
    int printed; /* exit code; what a signal cut short is not printed */
};

/* At once: what the call leaves is taken away after it. */
static void on_result(void *user, const struct batch_result *result)
{
    struct one_call *one = user;
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, 1u << 30);
    hv_buf_add_str(&text, one->flags->json ? result->block : result->text);
    if (text.len == 0 || text.data[text.len - 1] != '\n')
        hv_buf_add_byte(&text, '\n');
    if (one->outcome.signal)
        return;
    one->printed = cli_print(&text, result->is_error ? CLI_FAILED : CLI_OK);
    if (result->is_error && one->changes_files)
        cli_note("each `tool call` is a session of its own, in which no file was read. To change a file that is there, "
                 "give\n"
                 "  `helve exec` a call that reads it and this one, in one stream (helve exec --help)");
}

static void on_fault(void *user, uint64_t line, const struct hv_error *err)
{
    (void)line;
    struct one_call *one = user;
    one->failed = true;
    cli_fail(err);
}

static void on_notice(void *user, struct hv_str text)
{
    (void)user;
    cli_note("%.*s", HV_STR_ARG(text));
}

/* The call in the shape that carries its input as text, so that invalid JSON is answered as a model's would be. */
static void put_call(struct hv_buf *out, struct hv_str name, struct hv_str input)
{
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, out);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "type", "function_call");
    hv_json_member_cstr(&writer, "call_id", "call_1");
    hv_json_member_string(&writer, "name", name);
    hv_json_member_string(&writer, "arguments", input);
    hv_json_end_object(&writer);
}

static int run_one(const struct call_flags *flags, struct setup *setup, struct hv_str name, struct hv_str input)
{
    struct hv_error err;
    struct hv_str near;
    const struct hv_tool *tool = cli_find_tool(name, &near);
    struct one_call one = {.flags = flags, .changes_files = tool && tool->only_edits_files};
    CLEANUP_BUF struct hv_buf calls = {0};
    hv_buf_init(&calls, CALLS_VALUE_MAX);
    put_call(&calls, name, input);
    setup_secrets(setup);
    struct exec_options options = {
        .setup = setup,
        .kind = CALLS_JSON,
        .input = -1,
        .output = -1,
        .calls = hv_buf_str(&calls),
        .one_call = name,
        .door = "tool call",
        .run_directory = setup_run_directory(setup),
        .on_result = on_result,
        .on_fault = on_fault,
        .on_notice = on_notice,
        .user = &one,
        .asker = {.ask = cli_can_ask() ? cli_ask : NULL},
    };
    options.has_mode = cli_mode(&flags->setup, &options.mode);
    if (exec_run(&options, &one.outcome, &err) != HV_OK)
        return cli_fail(&err);
    if (one.outcome.signal)
        return CLI_SIGNAL + one.outcome.signal;
    return one.failed ? CLI_FAILED : one.printed;
}

static int run_call(const struct cli_call *call)
{
    const struct call_flags *flags = call->options;
    struct hv_error err;
    CLEANUP_BUF struct hv_buf from_stdin = {0};
    struct hv_str input = call->argument_count > 1 ? call->arguments[1] : HV_STR("{}");
    hv_buf_init(&from_stdin, CALLS_VALUE_MAX);
    if (!find_tool(call->arguments[0], &err))
        return cli_usage(&err);
    if (hv_str_is(input, "-")) {
        if (cli_read_all(STDIN_FILENO, CALLS_VALUE_MAX, &from_stdin, &err) != HV_OK)
            return cli_usage(&err);
        input = hv_buf_str(&from_stdin);
    }
    struct setup setup = {0};
    int status;
    if (cli_setup_open(&flags->setup, &setup, &err) != HV_OK || cli_ask_trust(&setup, &err) != HV_OK ||
        setup_loop(&setup, &err) != HV_OK) {
        status = cli_usage(&err);
    } else {
        cli_tell_problems(&setup);
        status = run_one(flags, &setup, call->arguments[0], input);
    }
    setup_release(&setup);
    return status;
}

const struct cli_command cli_tool_call_command = {
    .name = "tool call",
    .arguments = "NAME [JSON|-]",
    .summary = "run one tool, with the rules and hooks that a model's call would meet",
    .text =
        "The input is JSON, or - to read it from stdin. On a terminal helve asks where no rule decides; else add\n"
        "--allowed-tools. Each `tool call` is a session of its own, in which nothing was read: to edit a file, give\n"
        "`helve exec` a Read and the Edit together. Exit code: 0, or 1 when the result is an error.\n\n"
        "Examples:\n"
        "  helve tool call Read '{\"file_path\":\"README.md\",\"limit\":5}'\n"
        "  helve tool call Bash '{\"command\":\"make test\"}' --allowed-tools 'Bash(make test)'",
    .options = call_options,
    .options_size = sizeof(struct call_flags),
    .least = 1,
    .most = 2,
    .run = run_call,
};
