/*
 * main.c: finds the command, reads its flags, runs it. What a command needs beyond that it makes itself, so that
 * `helve --version` or `helve tool list` pay for nothing else.
 */
#include <helve/helve.h>

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "cli/cli.h"

enum { HELP_MAX = 256 << 10 };

/* In the order of the help. The first is the one without a name: `helve -p …`. */
static const struct cli_command *const commands[] = {
    &cli_print_command,
    &cli_exec_command,
    &cli_tool_list_command,
    &cli_tool_describe_command,
    &cli_tool_call_command,
    &cli_explain_path_command,
    &cli_explain_bash_command,
    &cli_explain_rule_command,
    &cli_permissions_test_command,
    &cli_sessions_list_command,
    &cli_sessions_show_command,
    &cli_sessions_remove_command,
    &cli_rewind_command,
    &cli_replay_command,
    &cli_trace_command,
    &cli_export_command,
    &cli_ps_command,
    &cli_trust_command,
    &cli_doctor_command,
    &cli_completion_command,
    &cli_debug_json_command,
    &cli_debug_schema_command,
    &cli_debug_input_command,
    &cli_debug_glob_command,
    &cli_debug_sse_command,
    &cli_debug_decode_command,
    &cli_debug_bash_command,
    &cli_debug_html_command,
    &cli_debug_url_command,
    &cli_debug_man_command,
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

const struct cli_command *const *cli_commands(size_t *count)
{
    *count = COMMAND_COUNT;
    return commands;
}

/* ---- help -------------------------------------------------------------------------------------------------------- */

static void add_summary(const struct cli_command *command, struct hv_buf *text)
{
    size_t width = strlen(command->name) + utf8_count(hv_str_from(command->arguments));
    hv_buf_addf(text, "  %s %s%*s%s\n", command->name, command->arguments, width < 31 ? (int)(31 - width) : 1, "",
                command->summary);
}

static int print_overall_help(int fd, int status)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, HELP_MAX);
    hv_buf_addf(&text,
                "helve %s: a coding agent's tool system\n\n"
                "usage: helve [flags]                  work with a model at this terminal\n"
                "       helve -p \"TASK\" [flags]        let a model work on a task with tools, then print its answer\n"
                "       helve COMMAND [arguments]      one of the commands below\n\n"
                "Commands:\n",
                HELVE_VERSION);
    for (size_t i = 1; i < COMMAND_COUNT; i++)
        if (!commands[i]->hidden)
            add_summary(commands[i], &text);
    hv_buf_add_cstr(&text, "\nExamples:\n"
                           "  helve -p --model replay:demo \"go\"              see it work: offline, without a key\n"
                           "  helve -p \"why does make test fail?\"            with a key in the environment\n"
                           "  helve exec < calls.jsonl                       run tool calls of any agent\n"
                           "  helve explain path .env                        what would be decided, and why\n\n"
                           "`helve COMMAND --help` tells more; `helve -p --help` lists the flags of -p.\n");
    int failed = cli_write(fd, hv_buf_str(&text));
    return failed ? CLI_FAILED : status;
}

static int print_command_help(const struct cli_command *command)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, HELP_MAX);
    hv_buf_addf(&text, "usage: helve%s%s%s%s%s\n\n%s\n", command->name[0] ? " " : "", command->name,
                command->arguments[0] ? " " : "", command->arguments, command->options ? " [flags]" : "",
                command->summary);
    if (command->text)
        hv_buf_addf(&text, "\n%s\n", command->text);
    if (command->options) {
        hv_buf_add_cstr(&text, "\nFlags:\n");
        options_help(command->options, &text);
    }
    return cli_print(&text, CLI_OK);
}

/* ---- finding ----------------------------------------------------------------------------------------------------- */

static struct hv_str first_word(const struct cli_command *command)
{
    struct hv_str name = hv_str_from(command->name);
    return hv_str_slice(name, 0, hv_str_find_byte(name, ' ', 0));
}

static struct hv_str second_word(const struct cli_command *command)
{
    struct hv_str name = hv_str_from(command->name);
    size_t blank = hv_str_find_byte(name, ' ', 0);
    return blank == SIZE_MAX ? (struct hv_str){0} : hv_str_slice(name, blank + 1, name.len);
}

/* The command that the arguments begin with; *used: how many of them are its name. */
static const struct cli_command *find(char *const *arguments, size_t count, size_t *used)
{
    struct hv_str word = hv_str_from(arguments[0]);
    struct hv_str next = count > 1 ? hv_str_from(arguments[1]) : (struct hv_str){0};
    const struct cli_command *fallback = NULL;
    for (size_t i = 1; i < COMMAND_COUNT; i++) {
        if (!hv_str_eq(first_word(commands[i]), word))
            continue;
        struct hv_str second = second_word(commands[i]);
        *used = second.ptr ? 2 : 1;
        if (!second.ptr || (next.ptr && hv_str_eq(second, next)))
            return commands[i];
        if (commands[i]->group_default && (!next.ptr || next.ptr[0] == '-'))
            fallback = commands[i];
    }
    *used = 1;
    return fallback;
}

/* Where a name is unknown: is it the group that is, or the word after it? */
static int unknown_command(char *const *arguments, size_t count)
{
    struct hv_error err;
    struct hv_str names[COMMAND_COUNT], word = hv_str_from(arguments[0]), list = {0};
    CLEANUP_ARENA struct hv_arena arena = {0};
    size_t found = 0;
    bool group = false;
    for (size_t i = 1; i < COMMAND_COUNT; i++)
        group = group || hv_str_eq(first_word(commands[i]), word);
    for (size_t i = 1; i < COMMAND_COUNT; i++) {
        if (group && !hv_str_eq(first_word(commands[i]), word))
            continue;
        struct hv_str name = group ? second_word(commands[i]) : first_word(commands[i]);
        names[found++] = name;
        list = list.len ? hv_arena_format(&arena, "%.*s, %.*s", HV_STR_ARG(list), HV_STR_ARG(name)) : name;
    }
    if (group && count < 2) {
        hv_fail(&err, HV_EINVAL, "`helve %.*s` needs one of: %.*s", HV_STR_ARG(word), HV_STR_ARG(list));
        return cli_usage(&err);
    }
    struct hv_str wrong = group ? hv_str_from(arguments[1]) : word;
    struct hv_str near = nearest_name(wrong, names, found);
    hv_fail(&err, HV_EINVAL, "unknown command `helve %s%.*s`",
            group ? hv_arena_format(&arena, "%.*s ", HV_STR_ARG(word)).ptr : "", HV_STR_ARG(wrong));
    if (hv_str_find_byte(wrong, ' ', 0) != SIZE_MAX && !group)
        hv_error_hint(&err, "to give a model a task, write: helve -p \"%.*s\"", HV_STR_ARG(hv_str_slice(wrong, 0, 60)));
    else if (near.ptr)
        hv_error_hint(&err, "did you mean `helve %s%.*s`?",
                      group ? hv_arena_format(&arena, "%.*s ", HV_STR_ARG(word)).ptr : "", HV_STR_ARG(near));
    else if (group)
        hv_error_hint(&err, "`helve %.*s` has: %.*s", HV_STR_ARG(word), HV_STR_ARG(list));
    else
        hv_error_hint(&err, "`helve --help` lists the commands");
    return cli_usage(&err);
}

static bool is_group(struct hv_str word)
{
    for (size_t i = 1; i < COMMAND_COUNT; i++)
        if (hv_str_eq(first_word(commands[i]), word))
            return second_word(commands[i]).ptr != NULL;
    return false;
}

/* `helve explain --help`: what the group has. */
static int print_group_help(const char *word)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, HELP_MAX);
    hv_buf_addf(&text, "usage: helve %s COMMAND [arguments]\n\nCommands:\n", word);
    for (size_t i = 1; i < COMMAND_COUNT; i++)
        if (hv_str_eq(first_word(commands[i]), hv_str_from(word)))
            add_summary(commands[i], &text);
    hv_buf_addf(&text, "\n`helve %s COMMAND --help` tells more.\n", word);
    return cli_print(&text, CLI_OK);
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static int check_count(const struct cli_command *command, const struct options_rest *rest)
{
    struct hv_error err;
    if (rest->count >= command->least && rest->count <= command->most)
        return CLI_OK;
    if (rest->count < command->least)
        hv_fail(&err, HV_EINVAL, "`helve %s` needs %s", command->name, command->arguments);
    else
        hv_fail(&err, HV_EINVAL, "`helve %s` takes no argument \"%.*s\"", command->name,
                HV_STR_ARG(rest->arguments[command->most]));
    hv_error_hint(&err, "usage: helve %s %s", command->name, command->arguments);
    return cli_usage(&err);
}

static int run(const struct cli_command *command, char *const *arguments, size_t count)
{
    static const struct option none[] = {{0}};
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_error err;
    struct options_rest rest;
    void *options = hv_arena_zalloc(&arena, 1, command->options_size + 1);
    if (options_parse(command->options ? command->options : none, arguments, count, &arena, options, &rest, &err) !=
        HV_OK) {
        if (!err.hint[0])
            hv_error_hint(&err, "`helve %s%s--help` tells more", command->name, command->name[0] ? " " : "-p ");
        return cli_usage(&err);
    }
    if (rest.help)
        return print_command_help(command);
    int status = check_count(command, &rest);
    if (status != CLI_OK)
        return status;
    struct cli_call call = {
        .options = options, .arguments = rest.arguments, .argument_count = rest.count, .arena = &arena};
    return command->run(&call);
}

/* `helve help exec` is `helve exec --help`. */
static int help_for(char *const *arguments, size_t count)
{
    size_t used;
    if (count == 0)
        return print_overall_help(STDOUT_FILENO, CLI_OK);
    if (count == 1 && is_group(hv_str_from(arguments[0])))
        return print_group_help(arguments[0]);
    const struct cli_command *command = find(arguments, count, &used);
    return command ? print_command_help(command) : unknown_command(arguments, count);
}

static int print_version(void)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, HELP_MAX);
    hv_buf_add_cstr(&text, "helve " HELVE_VERSION "\n");
    return cli_print(&text, CLI_OK);
}

/* Descriptors 0 to 2 must be open, or a file of ours would become somebody's stdout. Where that is closed, each write
 * to it fails, as the caller meant: an answer that goes nowhere is no success. */
static void open_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0) /* those below are open, so that it gets this number */
            (void)!open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

static bool is_one_of(const char *argument, const char *a, const char *b, const char *c)
{
    struct hv_str text = hv_str_from(argument);
    return hv_str_is(text, a) || hv_str_is(text, b) || hv_str_is(text, c);
}

/* A heap for each of many workers would keep memory that none of them needs. But what a call needed, the next one will
 * need, and to fetch fresh pages from the kernel costs more than most of what is done with them: a few megabytes stay.
 */
static void keep_some_memory(void)
{
    enum { KEPT = 4 << 20, MAPPED_FROM = 1 << 20 };
    mallopt(M_ARENA_MAX, 2);
    mallopt(M_TRIM_THRESHOLD, KEPT);
    mallopt(M_MMAP_THRESHOLD, MAPPED_FROM);
}

int main(int argc, char **argv)
{
    char *const *arguments = argv + 1;
    size_t count = argc > 1 ? (size_t)argc - 1 : 0, used;
    open_standard_descriptors();
    keep_some_memory();
    prctl(PR_SET_DUMPABLE, 0);        /* commands shall not read keys in /proc/…/environ, or trace us */
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* what a killed guard leaves comes to us: src/proc/orphans.c */
    signal(SIGPIPE, SIG_IGN);         /* a closed pipe is an error of write(2), told or counted where it happens */
    signal(SIGXFSZ, SIG_IGN);         /* as is a file over its limit */
    if (count == 0 && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)))
        return print_overall_help(STDERR_FILENO, CLI_USAGE);
    if (count == 0)
        return run(commands[0], arguments, count);
    if (is_one_of(arguments[0], "--version", "-v", "version"))
        return print_version();
    if (is_one_of(arguments[0], "--help", "-h", "help"))
        return help_for(arguments + 1, count - 1);
    if (arguments[0][0] == '-')
        return run(commands[0], arguments, count);
    if (count == 2 && is_one_of(arguments[1], "--help", "-h", "help") && is_group(hv_str_from(arguments[0])))
        return print_group_help(arguments[0]);
    const struct cli_command *command = find(arguments, count, &used);
    return command ? run(command, arguments + used, count - used) : unknown_command(arguments, count);
}
