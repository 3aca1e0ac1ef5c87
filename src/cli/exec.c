/* exec.c: `helve exec`, the tool runtime without a model: calls on stdin, results on stdout (surfaces S1). */
#include "agent/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/cli.h"

struct exec_flags {
    struct cli_setup_flags setup;
    struct option_list tools;
    int kind;
    bool events;
};

static const char *const kinds[] = {"auto", "json", "sse", "anthropic", "openai-chat", "openai-responses", NULL};

#define AT(member) offsetof(struct exec_flags, member)
static const struct option exec_options[] = {
    {"input", 0, OPTION_CHOICE, AT(kind), "KIND",
     "auto (found out), json, sse, anthropic, openai-chat or openai-responses", .choices = kinds},
    {"events", 0, OPTION_FLAG, AT(events), NULL, "lines for calls, decisions, progress and times between the results"},
    {"tools", 0, OPTION_RULES, AT(tools), "NAMES", "offer these tools only; \"\" for none"},
    {.type = OPTION_TABLE, .offset = AT(setup), .table = cli_setup_options},
    {0},
};
#undef AT

static void on_fault(void *user, uint64_t line, const struct hv_error *err)
{
    (void)user;
    char place[48] = "";
    if (line > 0)
        snprintf(place, sizeof place, "line %llu: ", (unsigned long long)line);
    cli_note("input: %s%s%s%s", place, err->place[0] && !line ? err->place : "", err->place[0] && !line ? ": " : "",
             err->message);
    if (err->hint[0])
        cli_note("  %s", err->hint);
}

static void on_notice(void *user, struct hv_str text)
{
    (void)user;
    cli_note("%.*s", HV_STR_ARG(text));
}

static int status_of(const struct exec_outcome *outcome)
{
    if (outcome->signal)
        return CLI_SIGNAL + outcome->signal;
    if (outcome->output_errno) {
        cli_note("cannot write the results: %s", strerror(outcome->output_errno));
        return CLI_FAILED;
    }
    if (outcome->results < outcome->calls)
        return CLI_FAILED;
    return outcome->faults ? CLI_USAGE : CLI_OK;
}

static int open_input(const struct cli_call *call, int *fd, struct hv_error *err)
{
    if (call->argument_count == 0 || hv_str_is(call->arguments[0], "-")) {
        *fd = STDIN_FILENO;
        return CLI_OK;
    }
    *fd = open(hv_arena_cstr(call->arena, call->arguments[0]), O_RDONLY | O_CLOEXEC);
    if (*fd >= 0)
        return CLI_OK;
    hv_fail_errno(err, errno, "cannot open %.*s", HV_STR_ARG(call->arguments[0]));
    return cli_usage(err);
}

static int run_with(const struct exec_flags *flags, struct setup *setup, int input)
{
    struct hv_error err;
    struct exec_outcome outcome;
    setup_secrets(setup);
    struct exec_options options = {
        .setup = setup,
        .kind = flags->kind ? (enum calls_kind)(flags->kind - 1) : CALLS_AUTO,
        .input = input,
        .output = STDOUT_FILENO,
        .events = flags->events,
        .door = "exec",
        .run_directory = setup_run_directory(setup),
        .on_notice = on_notice,
        .on_fault = on_fault,
    };
    options.has_mode = cli_mode(&flags->setup, &options.mode);
    options.only_tools = cli_only_tools(&flags->tools, &options.only_tool_count);
    if (exec_run(&options, &outcome, &err) != HV_OK)
        return cli_fail(&err);
    return status_of(&outcome);
}

static int run(const struct cli_call *call)
{
    const struct exec_flags *flags = call->options;
    struct hv_error err;
    struct setup setup = {0};
    int input, status = open_input(call, &input, &err);
    if (status != CLI_OK)
        return status;
    if (cli_check_tools(&flags->tools, "tools", &err) != HV_OK)
        status = cli_usage(&err);
    else if (cli_setup_open(&flags->setup, &setup, &err) != HV_OK || cli_check_guards(&setup, false, &err) != HV_OK ||
             setup_loop(&setup, &err) != HV_OK)
        status = cli_usage(&err);
    if (status == CLI_OK) {
        cli_tell_problems(&setup);
        status = run_with(flags, &setup, input);
        cli_clean_sessions(&setup, (struct hv_str){0});
    }
    setup_release(&setup);
    if (input != STDIN_FILENO)
        close(input);
    return status;
}

const struct cli_command cli_exec_command = {
    .name = "exec",
    .arguments = "[FILE]",
    .summary = "run tool calls from stdin, write their results to stdout",
    .text =
        "Input is either JSON blocks (Anthropic `tool_use`, OpenAI `tool_calls`, Responses `function_call`; alone,\n"
        "in arrays, or inside whole messages) or a model's raw event stream. Calls start while the input still\n"
        "comes; each result is one line of JSON in the shape of its call, in the order of the calls.\n\n"
        "Exit code: 0 when every call got its result (results may be errors), 2 for unusable input or wrong use,\n"
        "1 when results could not be written, 130 when interrupted.\n\n"
        "Examples:\n"
        "  echo '{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"Read\",\"input\":{\"file_path\":\"README.md\"}}' | "
        "helve exec\n"
        "  cat answer.sse | helve exec --allowed-tools \"Bash(make test)\"\n"
        "  helve exec --events recorded.sse",
    .options = exec_options,
    .options_size = sizeof(struct exec_flags),
    .most = 1,
    .run = run,
};
