/*
 * manual.c: the man page and the completions of shells, written from the same tables that parse the command line, so
 * that they cannot say something else: `helve completion SHELL`, and for the build `helve debug man`.
 */
#include "base/cleanup.h"
#include "base/utf8.h"
#include "cli/cli.h"

#include <helve/helve.h>

#include <string.h>

enum { TEXT_MAX = 1 << 20 };

/* Call visit for every row that is shown, tables within tables included. */
static void each_option(const struct option *table, void (*visit)(void *user, const struct option *option), void *user)
{
    for (const struct option *option = table; option && option->type != OPTION_END; option++) {
        if (option->type == OPTION_TABLE)
            each_option(option->table, visit, user);
        else if (!option->hidden)
            visit(user, option);
    }
}

/* ---- the man page ------------------------------------------------------------------------------------------------ */

/* Text for troff: backslashes and dashes as they are, ASCII only, no line that begins with a control character. */
static void add_troff(struct hv_buf *out, struct hv_str text)
{
    bool line_start = true;
    for (size_t i = 0, length; i < text.len; i += length) {
        char c = text.ptr[i];
        uint32_t code_point = 0;
        length = utf8_decode(text, i, &code_point);
        length = length ? length : 1;
        if (line_start && (c == '.' || c == '\''))
            hv_buf_add_cstr(out, "\\&");
        if (c == '\\')
            hv_buf_add_cstr(out, "\\e");
        else if (c == '-')
            hv_buf_add_cstr(out, "\\-");
        else if (code_point == 0x2026) /* which few printers of manual pages can show without UTF-8 */
            hv_buf_add_cstr(out, "...");
        else if (length > 1)
            hv_buf_addf(out, "\\[u%04X]", (unsigned)code_point);
        else
            hv_buf_add_byte(out, c);
        line_start = c == '\n';
    }
}

static void add_option(void *user, const struct option *option)
{
    struct hv_buf *out = user;
    hv_buf_add_cstr(out, ".TP\n");
    if (option->letter)
        hv_buf_addf(out, "\\fB\\-%c\\fR, ", option->letter);
    hv_buf_add_cstr(out, "\\fB\\-\\-");
    add_troff(out, hv_str_from(option->name));
    hv_buf_add_cstr(out, "\\fR");
    if (option->value) {
        hv_buf_add_cstr(out, " \\fI");
        add_troff(out, hv_str_from(option->value));
        hv_buf_add_cstr(out, "\\fR");
    }
    hv_buf_add_byte(out, '\n');
    add_troff(out, hv_str_from(option->help));
    hv_buf_add_byte(out, '\n');
}

static void add_command(struct hv_buf *out, const struct cli_command *command)
{
    bool unnamed = !command->name[0];
    hv_buf_add_cstr(out, ".SS \"helve ");
    add_troff(out, hv_str_from(unnamed ? "-p" : command->name));
    if (unnamed || command->arguments[0])
        hv_buf_add_byte(out, ' ');
    add_troff(out, hv_str_from(unnamed ? "TASK" : command->arguments));
    hv_buf_add_cstr(out, "\"\n");
    add_troff(out, hv_str_from(command->summary));
    hv_buf_add_cstr(out, ".\n");
    if (command->text) {
        hv_buf_add_cstr(out, ".PP\n.nf\n");
        add_troff(out, hv_str_from(command->text));
        hv_buf_add_cstr(out, "\n.fi\n");
    }
    each_option(command->options, add_option, out);
}

static int run_man(const struct cli_call *call)
{
    (void)call;
    size_t count;
    const struct cli_command *const *commands = cli_commands(&count);
    CLEANUP_BUF struct hv_buf out = {.max = TEXT_MAX};
    hv_buf_add_cstr(
        &out,
        ".TH HELVE 1 \"\" \"helve " HELVE_VERSION "\" \"User commands\"\n.SH NAME\nhelve \\- the tool "
        "system of a coding agent\n.SH SYNOPSIS\n.B helve\n.RI [ flags ]\n.br\n.B helve \\-p\n.I TASK\n.RI [ flags "
        "]\n.br\n.B helve\n.I COMMAND\n.RI [ arguments ]\n.SH DESCRIPTION\n"
        "A language model works on a folder with real tools: it reads, searches, changes files and runs "
        "commands. Alone, helve is a session at the terminal; with \\-p it does one task and ends; the other "
        "commands show, explain and take back what it does, or run its tools without a model. What nobody "
        "allowed is asked about, and commands run in a sandbox where the machine has one.\n.SH COMMANDS\n");
    for (size_t i = 0; i < count; i++)
        if (!commands[i]->hidden)
            add_command(&out, commands[i]);
    hv_buf_add_cstr(
        &out, ".SH ENVIRONMENT\n"
              ".TP\nANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, ANTHROPIC_BASE_URL, OPENAI_API_KEY, OPENAI_BASE_URL\n"
              "how models are reached\n"
              ".TP\nHELVE_MODEL\nthe model, as for \\-\\-model\n"
              ".TP\nHELVE_SMALL_MODEL\nthe model that answers tools, as WebFetch's prompt over a page\n"
              ".TP\nANTHROPIC_MODEL, OPENAI_MODEL\nthe model of that service, where none is named\n"
              ".TP\nHELVE_HOME\nwhere settings and sessions are kept, instead of the XDG directories\n"
              ".TP\nBASH_DEFAULT_TIMEOUT_MS\nhow long a command may run unless the call says (120000)\n"
              ".TP\nHELVE_BACKGROUND_ON_TIMEOUT\n1: commands go on in the background when their time is over\n"
              ".TP\nHELVE_MAX_OUTPUT_BYTES\noutput after which a command is ended (1 GiB)\n"
              ".TP\nHELVE_MAX_TOOL_CONCURRENCY\nhow many calls may run at once (10)\n"
              ".TP\nHELVE_MAX_RETRIES\nhow often a failed request is sent again\n"
              ".TP\nHELVE_IDLE_TIMEOUT\nseconds without a byte of an answer until it counts as cut (300)\n"
              ".TP\nNO_COLOR\nno colours\n"
              ".SH FILES\n"
              ".TP\n~/.config/helve/settings.json, .helve/settings.json, .helve/settings.local.json\n"
              "settings; those of .claude/ are read too\n"
              ".TP\n~/.local/state/helve/sessions/\nthe journals\n");
    return cli_print(&out, CLI_OK);
}

const struct cli_command cli_debug_man_command = {
    .name = "debug man",
    .arguments = "",
    .summary = "print the man page",
    .hidden = true,
    .run = run_man,
};

/* ---- completions ------------------------------------------------------------------------------------------------- */

struct words {
    struct hv_buf *out;
    const char *command; /* fish: the condition of its flags */
};

static void add_flag_word(void *user, const struct option *option)
{
    struct words *words = user;
    hv_buf_addf(words->out, " --%s", option->name);
}

static void add_choice_case(void *user, const struct option *option)
{
    struct words *words = user;
    if (!option->choices)
        return;
    hv_buf_addf(words->out, "    --%s) words=\"", option->name);
    for (const char *const *choice = option->choices; *choice; choice++)
        hv_buf_addf(words->out, "%s%s", choice == option->choices ? "" : " ", *choice);
    hv_buf_add_cstr(words->out, "\" ;;\n");
}

/* The words of the overall line: names of commands, each once. */
static void add_command_words(struct hv_buf *out)
{
    size_t count;
    const struct cli_command *const *commands = cli_commands(&count);
    struct hv_str last = {0};
    for (size_t i = 0; i < count; i++) {
        struct hv_str name = hv_str_from(commands[i]->name);
        struct hv_str word = hv_str_slice(name, 0, hv_str_find_byte(name, ' ', 0));
        if (!commands[i]->hidden && word.len && !hv_str_eq(word, last))
            hv_buf_addf(out, " %.*s", HV_STR_ARG(word));
        last = word;
    }
}

/* The words that may follow the first one: the second words of its group. */
static void add_group_cases(struct hv_buf *out, const char *indent)
{
    size_t count;
    const struct cli_command *const *commands = cli_commands(&count);
    struct hv_str group = {0};
    for (size_t i = 0; i < count; i++) {
        struct hv_str name = hv_str_from(commands[i]->name);
        size_t blank = hv_str_find_byte(name, ' ', 0);
        if (blank == SIZE_MAX || commands[i]->hidden)
            continue;
        bool same = hv_str_eq(group, hv_str_slice(name, 0, blank));
        if (!same)
            hv_buf_addf(out, "%s%s%.*s) words=\"", group.len ? "\" ;;\n" : "", indent, (int)blank, name.ptr);
        group = hv_str_slice(name, 0, blank);
        hv_buf_addf(out, "%s%s", same ? " " : "", name.ptr + blank + 1);
    }
    hv_buf_add_cstr(out, group.len ? "\" ;;\n" : "");
}

/* One script serves bash and, through its bash emulation, zsh. */
static void add_bash(struct hv_buf *out)
{
    size_t count;
    const struct cli_command *const *commands = cli_commands(&count);
    struct words words = {.out = out};
    hv_buf_add_cstr(out, "_helve() {\n"
                         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words=''\n"
                         "  local first=${COMP_WORDS[1]-} second=${COMP_WORDS[2]-}\n"
                         "  COMPREPLY=()\n"
                         "  case \"$previous\" in\n");
    for (size_t i = 0; i < count; i++)
        if (!commands[i]->hidden)
            each_option(commands[i]->options, add_choice_case, &words);
    hv_buf_add_cstr(out, "  esac\n  if [[ -z $words && $current == -* ]]; then\n    case \"$first $second\" in\n");
    for (size_t i = 1; i < count; i++) {
        if (commands[i]->hidden || !commands[i]->options)
            continue;
        hv_buf_addf(out, "      \"%s \"*|\"%s\"*) words=\"", commands[i]->name, commands[i]->name);
        each_option(commands[i]->options, add_flag_word, &words);
        hv_buf_add_cstr(out, "\" ;;\n");
    }
    hv_buf_add_cstr(out, "      *) words=\" --help --version");
    each_option(commands[0]->options, add_flag_word, &words);
    hv_buf_add_cstr(out, "\" ;;\n    esac\n  elif [[ -z $words && $COMP_CWORD -eq 1 ]]; then\n    words=\"");
    add_command_words(out);
    hv_buf_add_cstr(out, "\"\n  elif [[ -z $words && $COMP_CWORD -eq 2 ]]; then\n    case \"$first\" in\n");
    add_group_cases(out, "      ");
    hv_buf_add_cstr(out, "    esac\n  fi\n  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n}\n"
                         "complete -o default -o bashdefault -F _helve helve\n");
}

/* Text within single quotes of fish. */
static void add_fish_text(struct hv_buf *out, const char *text)
{
    hv_buf_add_byte(out, '\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            hv_buf_add_byte(out, '\\');
        hv_buf_add_byte(out, *text);
    }
    hv_buf_add_byte(out, '\'');
}

static void add_fish_option(void *user, const struct option *option)
{
    struct words *words = user;
    hv_buf_addf(words->out, "complete -c helve -n '%s' -l %s", words->command, option->name);
    if (option->letter)
        hv_buf_addf(words->out, " -s %c", option->letter);
    if (option->type != OPTION_FLAG && !option->value_optional)
        hv_buf_add_cstr(words->out, option->choices ? " -x -a '" : " -r");
    for (const char *const *choice = option->choices; choice && *choice; choice++)
        hv_buf_addf(words->out, "%s%s", choice == option->choices ? "" : " ", *choice);
    hv_buf_add_cstr(words->out, option->choices ? "' -d " : " -d ");
    add_fish_text(words->out, option->help);
    hv_buf_add_byte(words->out, '\n');
}

static void add_fish_command(struct hv_buf *out, const struct cli_command *command)
{
    struct hv_str name = hv_str_from(command->name);
    size_t blank = hv_str_find_byte(name, ' ', 0);
    CLEANUP_BUF struct hv_buf condition = {.max = TEXT_MAX};
    if (!name.len) {
        hv_buf_add_cstr(&condition, "not __fish_seen_subcommand_from");
        add_command_words(&condition);
    } else {
        hv_buf_addf(&condition, "__fish_seen_subcommand_from %.*s", HV_STR_ARG(hv_str_slice(name, 0, blank)));
    }
    hv_buf_add_cstr(out, "complete -c helve -n '");
    if (blank != SIZE_MAX)
        hv_buf_addf(out, "%s; and test (count (commandline -opc)) -eq 2' -a %s -d ", condition.data,
                    name.ptr + blank + 1);
    else if (name.len)
        hv_buf_addf(out, "__fish_use_subcommand' -a %s -d ", name.ptr);
    else
        hv_buf_add_cstr(out, "__fish_use_subcommand' -s p -l print -d ");
    add_fish_text(out, command->summary);
    hv_buf_add_byte(out, '\n');
    if (blank != SIZE_MAX)
        hv_buf_addf(&condition, "; and __fish_seen_subcommand_from %s", name.ptr + blank + 1);
    struct words words = {out, condition.data};
    each_option(command->options, add_fish_option, &words);
}

static void add_fish(struct hv_buf *out)
{
    size_t count;
    const struct cli_command *const *commands = cli_commands(&count);
    struct hv_str group = {0};
    for (size_t i = 0; i < count; i++) {
        struct hv_str name = hv_str_from(commands[i]->name);
        size_t blank = hv_str_find_byte(name, ' ', 0);
        if (commands[i]->hidden)
            continue;
        /* The first word of a group is a word of its own on the line. */
        if (blank != SIZE_MAX && !hv_str_eq(group, hv_str_slice(name, 0, blank)))
            hv_buf_addf(out, "complete -c helve -f -n '__fish_use_subcommand' -a %.*s\n", (int)blank, name.ptr);
        group = hv_str_slice(name, 0, blank);
        add_fish_command(out, commands[i]);
    }
}

static int run_completion(const struct cli_call *call)
{
    struct hv_error err;
    CLEANUP_BUF struct hv_buf out = {.max = TEXT_MAX};
    struct hv_str shell = call->arguments[0];
    if (hv_str_is(shell, "bash")) {
        add_bash(&out);
    } else if (hv_str_is(shell, "zsh")) {
        hv_buf_add_cstr(&out, "#compdef helve\nautoload -U +X bashcompinit && bashcompinit\n");
        add_bash(&out);
    } else if (hv_str_is(shell, "fish")) {
        add_fish(&out);
    } else {
        hv_fail(&err, HV_EINVAL, "no completions are known for \"%.*s\"", HV_STR_ARG(shell));
        hv_error_hint(&err, "one of bash, zsh and fish");
        return cli_usage(&err);
    }
    return cli_print(&out, CLI_OK);
}

const struct cli_command cli_completion_command = {
    .name = "completion",
    .arguments = "SHELL",
    .summary = "print completions for bash, zsh or fish",
    .text = "Examples:\n"
            "  helve completion bash > ~/.local/share/bash-completion/completions/helve\n"
            "  helve completion zsh > ~/.zfunc/_helve\n"
            "  helve completion fish > ~/.config/fish/completions/helve.fish",
    .least = 1,
    .most = 1,
    .run = run_completion,
};
