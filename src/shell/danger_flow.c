/*
 * danger_flow.c: see danger_flow.h. Who feeds whom: through pipes (a group in a pipe counts for all in it), through
 * $(…) and <(…) in an argument, through here-strings. A bomb is a function that calls itself at least twice at once, or
 * in the background.
 */
#include "shell/danger_flow.h"

#include <string.h>

/* Looked at: more of them in one script are no work of a person. */
enum { PAIRS_MAX = 1 << 16, SOURCES_MAX = 64, FUNCTIONS_MAX = 64 };

#define FROM_NETWORK "it would run a program straight from the network"
#define FORK_BOMB "it is a fork bomb"

static const struct shell_command *parent_of(const struct shell_script *script, const struct shell_command *command)
{
    return command->parent < script->count ? &script->commands[command->parent] : NULL;
}

static const struct shell_run *starter_of(const struct shell_runs *runs, const struct shell_run *run)
{
    return run->by == SHELL_RUN_TOP ? NULL : &runs->items[run->by];
}

static bool names_network(const struct shell_word *word)
{
    return hv_str_starts(word->value, HV_STR("/dev/tcp/")) || hv_str_starts(word->value, HV_STR("/dev/udp/"));
}

static bool redirects_network(const struct shell_command *command)
{
    for (size_t i = 0; i < command->redirect_count; i++)
        if (names_network(&command->redirects[i].target))
            return true;
    return false;
}

/* ---- who runs what it gets --------------------------------------------------------------------------------------- */

/* How a run takes code that it was not given in plain words. */
struct intake {
    bool input;    /* from its stdin */
    bool argument; /* an argument that holds the output of commands */
    bool redirect; /* a here-string, "< <(…)": only with input */
};

static bool holds_output(const struct shell_word *word)
{
    return word->flags & (SHELL_WORD_COMMAND | SHELL_WORD_PROCESS);
}

static bool is_stdin(struct hv_str word)
{
    return shell_is_one_of(word, "- /dev/stdin /dev/fd/0 /proc/self/fd/0");
}

/* A shell or another interpreter: its first operand is a script, unless an option says that code follows. */
static struct intake intake_of_interpreter(const struct shell_run *run)
{
    struct intake intake = {.input = true, .redirect = true};
    bool is_shell = shell_name_is_shell(run->name);
    char letter = shell_code_option(run->name);
    for (size_t i = 1; i < run->word_count; i++) {
        struct hv_str word = shell_word_text(&run->words[i]);
        bool option = hv_str_starts(word, HV_STR("-")) && word.len > 1;
        bool is_long = hv_str_starts(word, HV_STR("--"));
        if (option && !is_long && letter && hv_str_find_byte(word, letter, 1) != SIZE_MAX) {
            const struct shell_word *code = i + 1 < run->word_count ? &run->words[i + 1] : NULL;
            bool open = code && holds_output(code);
            return (struct intake){.argument = open};
        }
        if (option && is_shell && hv_str_is(word, "-s"))
            return intake;
        if (option && !is_shell && (hv_str_is(word, "-m") || hv_str_find_byte(word, 'n', 1) == 1 || is_long))
            return (struct intake){0};
        if (option || (is_shell && hv_str_starts(word, HV_STR("+"))))
            continue;
        if (is_stdin(word))
            return intake;
        return (struct intake){.argument = run->words[i].flags & SHELL_WORD_PROCESS};
    }
    return intake;
}

static struct intake intake_of(const struct shell_run *run)
{
    struct intake intake = {0};
    bool any = false;
    for (size_t i = 1; i < run->word_count; i++)
        any |= holds_output(&run->words[i]);
    if (!run->words->known && run->words->flags & SHELL_WORD_COMMAND)
        return (struct intake){.argument = true}; /* $(curl …) is itself the program */
    if (shell_is_one_of(run->name, "eval"))
        return (struct intake){.argument = any, .input = run->word_count > 1 && !run->words[1].known};
    if (shell_is_one_of(run->name, "source ."))
        return (struct intake){
            .argument = any, .input = run->word_count > 1 && is_stdin(run->words[1].value), .redirect = true};
    if (shell_is_one_of(run->name, "awk gawk mawk"))
        return intake;
    return run->traits & SHELL_NAME_INTERPRETER ? intake_of_interpreter(run) : intake;
}

static bool is_started_by_xargs(const struct shell_runs *runs, const struct shell_run *run)
{
    for (const struct shell_run *by = starter_of(runs, run); by; by = starter_of(runs, by))
        if (shell_is_one_of(by->name, "xargs parallel"))
            return true;
    return false;
}

/* ---- what reaches it --------------------------------------------------------------------------------------------- */

/* What a writes comes to b through a pipe: both of one script. Those that are joined have one parent, and a parent
 * stands before what it holds: so the one whose parent is further down is followed up. */
static bool pipes_into(const struct shell_script *script, const struct shell_command *a, const struct shell_command *b)
{
    while (a && b && a->parent != b->parent) {
        bool below = b->parent == SIZE_MAX || (a->parent != SIZE_MAX && a->parent > b->parent);
        if (below)
            a = parent_of(script, a);
        else
            b = parent_of(script, b);
    }
    return a && b && a->pipeline && a->pipeline == b->pipeline && a->position < b->position;
}

/* a stands in a substitution of b, or of a command below it. */
static bool is_within(const struct shell_script *script, const struct shell_command *a, const struct shell_command *b)
{
    const struct shell_command *command = parent_of(script, a);
    while (command && command != b)
        command = parent_of(script, command);
    return command != NULL;
}

static bool redirect_holds_output(const struct shell_command *command)
{
    for (size_t i = 0; i < command->redirect_count; i++)
        if (holds_output(&command->redirects[i].target))
            return true;
    return false;
}

/* What `from` fetches is run by `to`. */
static bool reaches(const struct shell_runs *runs, const struct shell_run *from, const struct shell_run *to,
                    const struct intake *intake)
{
    for (const struct shell_run *a = from; a; a = starter_of(runs, a))
        for (const struct shell_run *b = to; b; b = starter_of(runs, b)) {
            if (a->script != b->script || a->command == b->command)
                continue;
            bool within = is_within(a->script, a->command, b->command);
            bool asks = intake->argument || (intake->redirect && redirect_holds_output(b->command));
            if ((within && asks) || (intake->input && pipes_into(a->script, a->command, b->command)))
                return true;
        }
    return false;
}

static bool fetches(const struct shell_run *run)
{
    return run->traits & SHELL_NAME_FETCHER || redirects_network(run->command);
}

static size_t list_fetchers(const struct shell_runs *runs, const struct shell_run **out, size_t max)
{
    size_t count = 0;
    for (size_t i = 0; i < runs->count && count < max; i++)
        if (fetches(&runs->items[i]))
            out[count++] = &runs->items[i];
    return count;
}

static const struct shell_run *find_network_code(const struct shell_runs *runs)
{
    const struct shell_run *sources[SOURCES_MAX];
    size_t source_count = list_fetchers(runs, sources, SOURCES_MAX), pairs = 0;
    if (!source_count)
        return NULL;
    for (size_t i = 0; i < runs->count && pairs < PAIRS_MAX; i++) {
        const struct shell_run *run = &runs->items[i];
        struct intake intake = intake_of(run);
        bool shell = shell_name_is_shell(run->name) || hv_str_is(run->name, "eval");
        /* A shell behind xargs gets what is piped as words; one with -c "$(cat)" reads the pipe in its argument. */
        if (shell && (is_started_by_xargs(runs, run) || intake.argument))
            intake.input = true;
        if (!intake.input && !intake.argument && !intake.redirect)
            continue;
        for (size_t j = 0; j < source_count; j++, pairs++)
            if (reaches(runs, sources[j], run, &intake))
                return run;
    }
    return NULL;
}

/* ---- shells that others reach over the network ------------------------------------------------------------------- */

static bool is_shell_path(struct hv_str word)
{
    return shell_name_is_shell(shell_base_name(word)) || shell_is_one_of(shell_base_name(word), "cmd.exe powershell");
}

/* nc -e sh, ncat --exec bash, socat EXEC:sh, bash -i >& /dev/tcp/… */
static bool opens_shell(const struct shell_run *run)
{
    if (run->traits & SHELL_NAME_SHELL && redirects_network(run->command))
        return true;
    if (hv_str_is(run->name, "socat")) {
        for (size_t i = 1; i < run->word_count; i++) {
            struct hv_str start = hv_str_slice(shell_word_text(&run->words[i]), 0, 5);
            if (hv_str_eq_nocase(start, HV_STR("exec:")) || hv_str_eq_nocase(start, HV_STR("syste")))
                return true;
        }
        return false;
    }
    if (!(run->traits & SHELL_NAME_NETCAT))
        return false;
    for (size_t i = 1; i + 1 < run->word_count; i++) {
        struct hv_str word = shell_word_text(&run->words[i]);
        bool runs_next = hv_str_starts(word, HV_STR("-")) && !hv_str_starts(word, HV_STR("--")) &&
                         (hv_str_ends(word, HV_STR("e")) || hv_str_ends(word, HV_STR("c")));
        if (runs_next || shell_is_one_of(word, "--exec --sh-exec"))
            if (is_shell_path(shell_word_text(&run->words[i + 1])) || hv_str_starts(word, HV_STR("--")))
                return true;
    }
    return false;
}

static const struct shell_run *find_opened_shell(const struct shell_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        if (opens_shell(&runs->items[i]))
            return &runs->items[i];
    return NULL;
}

/* ---- bombs ------------------------------------------------------------------------------------------------------- */

/* The next command behind those below `ancestor`, of which the last one looked at stands right before it, is below it,
 * too: what a command holds stands behind it, all together. */
static bool is_next_below(const struct shell_script *script, size_t at, size_t ancestor)
{
    return script->commands[at].parent != SIZE_MAX && script->commands[at].parent >= ancestor;
}

/* It, or something around it up to `top`, runs beside what comes after. */
static bool runs_beside(const struct shell_script *script, const struct shell_command *command,
                        const struct shell_command *top)
{
    for (; command && command != top; command = parent_of(script, command))
        if (command->pipeline || command->place & (SHELL_IN_BACKGROUND | SHELL_IN_COPROCESS | SHELL_IN_SUBSTITUTION))
            return true;
    return false;
}

/* The function calls itself in a way that doubles: at once, or in the background. */
static bool is_bomb(const struct shell_script *script, const struct shell_command *function)
{
    unsigned calls = 0, beside = 0;
    size_t at = (size_t)(function - script->commands);
    for (size_t i = at + 1; i < script->count; i++) {
        const struct shell_command *command = &script->commands[i];
        if (!is_next_below(script, i, at))
            break;
        if (command->kind != SHELL_COMMAND_SIMPLE || !command->word_count ||
            !hv_str_eq(shell_word_text(&command->words[0]), function->variable))
            continue;
        calls++;
        beside += runs_beside(script, command, function);
    }
    return beside > 0 && (calls > 1 || beside == calls);
}

/* "$0 | $0 &": the script itself. */
static bool is_self(const struct shell_run *run)
{
    struct hv_str text = run->words->text;
    return text.len && (*text.ptr == '$' || *text.ptr == '"') &&
           shell_is_one_of(text, "$0 \"$0\" ${0} \"${0}\" $BASH_SOURCE");
}

/* Code of another language that forks in a loop. */
static bool code_forks(const struct shell_run *run)
{
    if ((run->traits & (SHELL_NAME_INTERPRETER | SHELL_NAME_SHELL)) != SHELL_NAME_INTERPRETER)
        return false;
    for (size_t i = 1; i < run->word_count; i++) {
        struct hv_str word = shell_word_text(&run->words[i]);
        bool forks = hv_str_find(word, HV_STR("fork"), 0) != SIZE_MAX;
        bool loops = hv_str_find(word, HV_STR("while"), 0) != SIZE_MAX ||
                     hv_str_find(word, HV_STR("loop"), 0) != SIZE_MAX ||
                     hv_str_find(word, HV_STR("for(;;)"), 0) != SIZE_MAX;
        if (forks && loops)
            return true;
    }
    return false;
}

/* while true; do … & done, without anything that waits. */
static bool is_endless_spawner(const struct shell_script *script, const struct shell_command *loop)
{
    static const struct hv_str heads[] = {{"while true", 10}, {"while :", 7},        {"until false", 11},
                                          {"for ((;;))", 10}, {"for (( ; ; ))", 13}, {"while [ 1 ]", 11},
                                          {"while ((1))", 11}};
    bool endless = false, beside = false;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        endless |= hv_str_starts(loop->text, heads[i]);
    if (!endless || loop->kind == SHELL_COMMAND_SIMPLE)
        return false;
    for (size_t i = (size_t)(loop - script->commands) + 1; i < script->count; i++) {
        const struct shell_command *command = &script->commands[i];
        if (!is_next_below(script, i, (size_t)(loop - script->commands)))
            break;
        if (command->word_count && shell_is_one_of(shell_base_name(shell_word_text(&command->words[0])),
                                                   "sleep wait break exit return read usleep inotifywait exec"))
            return false;
        beside |= command->kind == SHELL_COMMAND_SIMPLE && command->place & SHELL_IN_BACKGROUND &&
                  command->word_count > 0 && command->place & SHELL_IN_LOOP;
    }
    return beside && !(loop->place & SHELL_IN_BACKGROUND);
}

static bool script_bombs(const struct shell_script *script)
{
    size_t looked = 0;
    for (size_t i = 0; i < script->count && looked < FUNCTIONS_MAX; i++) {
        const struct shell_command *command = &script->commands[i];
        looked += command->kind == SHELL_COMMAND_FUNCTION;
        if (command->kind == SHELL_COMMAND_FUNCTION ? is_bomb(script, command) : is_endless_spawner(script, command))
            return true;
    }
    return false;
}

static bool has_bomb(const struct shell_script *script, const struct shell_runs *runs)
{
    const struct shell_script *last = script;
    if (script_bombs(script))
        return true;
    for (size_t i = 0; i < runs->count; i++) {
        const struct shell_run *run = &runs->items[i];
        if (run->script != last && run->script != script) {
            last = run->script;
            if (script_bombs(last))
                return true;
        }
        if (code_forks(run))
            return true;
        if (is_self(run) && (run->command->place & SHELL_IN_BACKGROUND || run->command->position > 0))
            return true;
    }
    return false;
}

size_t danger_find_flows(const struct shell_script *script, const struct shell_runs *runs, struct shell_danger *out)
{
    size_t count = 0;
    const struct shell_run *run = find_network_code(runs);
    if (run)
        out[count++] = (struct shell_danger){SHELL_DANGER_FORBID, FROM_NETWORK, run};
    if ((run = find_opened_shell(runs)))
        out[count++] = (struct shell_danger){SHELL_DANGER_FORBID, "it would open a shell to the network", run};
    if (has_bomb(script, runs))
        out[count++] = (struct shell_danger){SHELL_DANGER_FORBID, FORK_BOMB, NULL};
    if (!runs->complete)
        out[count++] = (struct shell_danger){SHELL_DANGER_CONFIRM, DANGER_TOO_MUCH, NULL};
    return count;
}
