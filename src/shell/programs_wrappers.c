/*
 * programs_wrappers.c: programs that run another program, and shells. They are looked through: what counts is what runs
 * in the end. coreutils 9.1, util-linux 2.38, findutils 4.9, procps 4.0.
 */
#include "shell/programs.h"
#include <string.h>

#define HELP                                                                                                           \
    {                                                                                                                  \
        "--help --version", SHELL_EFFECT_HELP                                                                          \
    }

/* ---- NUMBER OPERANDS before the program ------------------------------------------------------------------ */

/* Options, then the first operands that the row describes, the wrapper's own, then what runs. */
static void check_behind(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    size_t at = arguments->first + arguments->row->first_count;
    for (size_t i = arguments->first; i < arguments->count && i < at; i++)
        if (shell_may_be_many(&arguments->words[i])) {
            shell_worsen(reading, SHELL_UNKNOWN, "which program runs is not known");
            return;
        }
    if (at < arguments->count)
        shell_judge_inner(reading, arguments->words + at, arguments->count - at);
}

static void judge_behind(struct shell_reading *reading, const struct shell_program *row, const struct shell_word *words,
                         size_t count)
{
    struct shell_arguments arguments;
    if (shell_arguments(reading, row, words, count, &arguments) && !arguments.help)
        check_behind(reading, &arguments);
}

/* `taskset -p 1`, `chrt -p $$`: of a process that runs; one word more would set it. */
static bool asks_of_process(const struct shell_word *words, size_t count)
{
    return count == 3 && words[1].known && shell_names_have("-p --pid -pc -cp", words[1].value) && words[2].known &&
           words[2].value.len && words[2].value.ptr[0] != '-';
}

static const struct shell_program chrt_row = {
    "chrt", SHELL_SYNTAX_POSIX, .first_count = 1,
    .options =
        OPTIONS({"-b --batch -d --deadline -f --fifo -i --idle -o --other -r --rr -R --reset-on-fork -v --verbose",
                 SHELL_EFFECT_NONE},
                {"-T --sched-runtime -P --sched-period -D --sched-deadline", SHELL_EFFECT_NONE, SHELL_ARITY_ONE},
                {"-h -V -m --max", SHELL_EFFECT_HELP}, HELP)};

/* Later versions can do without the priority: then the program stands in its place. */
static void judge_chrt(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    int64_t priority;
    if (asks_of_process(words, count))
        return;
    judge_behind(reading, &chrt_row, words, count);
    if (!shell_arguments(reading, &chrt_row, words, count, &arguments) || arguments.help || arguments.first == count)
        return;
    const struct shell_word *first = &words[arguments.first];
    if (!first->known || !hv_str_to_int64(first->value, &priority))
        shell_worsen(reading, SHELL_UNKNOWN, "which program runs is not known");
}

static const struct shell_program taskset_row = {
    "taskset", SHELL_SYNTAX_POSIX, .first_count = 1,
    .options = OPTIONS({"-c --cpu-list", SHELL_EFFECT_NONE}, {"-h -V", SHELL_EFFECT_HELP}, HELP)};

static void judge_taskset(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    if (!asks_of_process(words, count))
        judge_behind(reading, &taskset_row, words, count);
}

/* nohup writes nohup.out when its output is a terminal, as that of a call with `tty` is. */
static const struct shell_program nohup_row = {"nohup", SHELL_SYNTAX_POSIX, .options = OPTIONS(HELP)};

static bool discards_output(const struct shell_command *command)
{
    bool discards = false;
    for (size_t i = 0; i < command->redirect_count; i++) {
        const struct shell_redirect *redirect = &command->redirects[i];
        if (redirect->descriptor == 1 || redirect->kind == SHELL_REDIRECT_BOTH)
            discards = redirect->kind == SHELL_REDIRECT_WRITE && redirect->target.known &&
                       hv_str_is(redirect->target.value, "/dev/null");
    }
    return discards;
}

static void judge_nohup(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    bool helps = count == 2 && words[1].known && shell_names_have("--help --version", words[1].value);
    if (!helps && !discards_output(reading->command))
        shell_worsen(reading, SHELL_WRITES, "nohup may write nohup.out");
    judge_behind(reading, &nohup_row, words, count);
}

/* ---- env ------------------------------------------------------------------------------------------------ */

static bool is_assignment(const struct shell_word *word)
{
    return hv_str_find_byte(word->value, '=', 0) != SIZE_MAX;
}

static void judge_environment(struct shell_reading *reading, const struct shell_word *word)
{
    size_t equals = hv_str_find_byte(word->value, '=', 0);
    struct shell_word value = *word;
    value.value = hv_str_slice(word->value, equals + 1, word->value.len);
    if (shell_may_be_many(word))
        shell_worsen(reading, SHELL_UNKNOWN, "which program runs is not known");
    if (!shell_variable_is_harmless(hv_str_slice(word->value, 0, equals), &value))
        shell_worsenf(reading, SHELL_UNKNOWN, "%.*s may change what programs do",
                      HV_STR_ARG(hv_str_slice(word->value, 0, equals)));
}

/* git, go, npm and terraform are judged as they run with settings in the environment: a command that may be one of
 * them, or a shell that starts it, must not lose them. */
static bool may_run_git(const struct shell_word *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (hv_str_find(words[i].value, HV_STR("git"), 0) != SIZE_MAX ||
            hv_str_find(words[i].value, HV_STR("go"), 0) != SIZE_MAX ||
            hv_str_find(words[i].value, HV_STR("npm"), 0) != SIZE_MAX ||
            hv_str_find(words[i].value, HV_STR("terraform"), 0) != SIZE_MAX ||
            hv_str_ends(words[i].value, HV_STR("sh")))
            return true;
    return false;
}

/* A shell that is started elsewhere than PWD says, or without PWD, goes back by the real name of where it stands. */
static void judge_place(struct shell_reading *reading, const struct shell_arguments *arguments,
                        const struct shell_word *words, size_t count)
{
    bool loses = false, shell = false;
    for (size_t i = 0; i < arguments->given_count; i++)
        loses |= arguments->given[i].has_argument && (shell_names_have("-C --chdir", arguments->given[i].name) ||
                                                      hv_str_is(arguments->given[i].argument.value, "PWD"));
    for (size_t i = 0; i < count; i++)
        shell |= hv_str_ends(words[i].value, HV_STR("sh"));
    if (loses && shell)
        shell_worsen(reading, SHELL_UNKNOWN, "where a shell goes from the directory that env gives it is not known");
}

static void check_env(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    size_t at = arguments->first;
    if (at < arguments->count && arguments->words[at].known && hv_str_is(arguments->words[at].value, "-"))
        at++;
    while (at < arguments->count && is_assignment(&arguments->words[at]))
        judge_environment(reading, &arguments->words[at++]);
    const struct shell_given *unset = shell_given(arguments, "-u --unset");
    bool lost = shell_given(arguments, "-i --ignore-environment") ||
                (arguments->first < arguments->count && hv_str_is(arguments->words[arguments->first].value, "-"));
    for (size_t i = 0; i < arguments->given_count; i++)
        lost |=
            arguments->given[i].has_argument && (hv_str_starts(arguments->given[i].argument.value, HV_STR("G")) ||
                                                 hv_str_starts(arguments->given[i].argument.value, HV_STR("npm")) ||
                                                 hv_str_starts(arguments->given[i].argument.value, HV_STR("CHECK")));
    if (unset && (!unset->argument.known || !shell_is_identifier(unset->argument.value)))
        shell_worsen(reading, SHELL_UNKNOWN, "which variable env unsets is not known");
    const struct shell_given *directory = shell_given(arguments, "-C --chdir");
    if (directory)
        shell_enter(reading, &directory->argument);
    if (lost && at < arguments->count && may_run_git(arguments->words + at, arguments->count - at))
        shell_worsen(
            reading, SHELL_EXECUTES,
            "git, go, npm and terraform may run or reach what is not asked for without settings that env removes");
    if (at < arguments->count) {
        judge_place(reading, arguments, arguments->words + at, arguments->count - at);
        shell_judge_inner(reading, arguments->words + at, arguments->count - at);
    }
}

/* ---- xargs ---------------------------------------------------------------------------------------------- */

static const struct shell_program xargs_row = {
    "xargs", SHELL_SYNTAX_POSIX,
    .options = OPTIONS(
        {"-0 --null -r --no-run-if-empty -t --verbose -x --exit -o --open-tty --show-limits", SHELL_EFFECT_NONE},
        {"-d --delimiter -E -I -L -n --max-args -P --max-procs -s --max-chars --process-slot-var", SHELL_EFFECT_NONE,
         SHELL_ARITY_ONE},
        {"-a --arg-file", SHELL_EFFECT_READ, SHELL_ARITY_ONE},
        {"-e --eof -i --replace -l --max-lines", SHELL_EFFECT_NONE, SHELL_ARITY_OPTIONAL},
        {"-p --interactive", SHELL_EFFECT_UNKNOWN}, HELP)};

/* What the arguments that xargs reads take the place of; absent: they come last. */
static struct hv_str replaced(const struct shell_arguments *arguments)
{
    const struct shell_given *given = shell_given(arguments, "-I -i --replace");
    if (!given)
        return (struct hv_str){0};
    bool empty = given->has_argument && given->argument.known && !given->argument.value.len;
    if (empty && hv_str_is(given->name, "-I"))
        return HV_STR(""); /* it stands everywhere */
    if (!given->has_argument || empty)
        return HV_STR("{}");
    return given->argument.known ? given->argument.value : HV_STR("");
}

/* A part of a path, and nothing that a program takes for more. */
static bool is_part_of_path(struct hv_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char byte = text.ptr[i];
        bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
        if (!letter && (!byte || !strchr("._/-", byte)))
            return false;
    }
    return hv_str_find(text, HV_STR(".."), 0) == SIZE_MAX;
}

/* "src/{}" and "{}.bak": what lies below the directory before the mark, or below that of the names. False: not
 * certain. One of the names may be empty, or ".". */
static bool place_mark(const struct shell_word *word, struct hv_str mark, const struct shell_word *names,
                       struct shell_word *out)
{
    size_t at = hv_str_find(word->value, mark, 0);
    struct hv_str head = hv_str_slice(word->value, 0, at), tail = hv_str_slice(word->value, at + mark.len, SIZE_MAX);
    size_t slash = hv_str_rfind_byte(head, '/');
    if (!mark.len || !(names->flags & SHELL_WORD_GLOB) || !is_part_of_path(head) || !is_part_of_path(tail) ||
        hv_str_starts(head, HV_STR("-")) || (hv_str_ends(head, HV_STR(".")) && !hv_str_is(head, ".")) ||
        (tail.len && strchr(head.len ? "." : "./-", *tail.ptr) && (tail.len < 2 || strchr("./-", tail.ptr[1]))) ||
        (!head.len && tail.len && strchr("/-", *tail.ptr)) || hv_str_is(head, "."))
        return false;
    *out = (struct shell_word){
        .text = word->text,
        .value = head.len ? hv_str_slice(head, 0, slash == SIZE_MAX ? 0 : slash + 1) : names->value,
        .flags = SHELL_WORD_GLOB |
                 (head.len ? SHELL_WORD_NO_OPTION : names->flags & (SHELL_WORD_NO_OPTION | SHELL_WORD_GONE)),
    };
    return true;
}

/* word with the mark replaced by one of names, or when it is only a part, by something that is not known. */
static struct shell_word replace_mark(const struct shell_word *word, struct hv_str mark, const struct shell_word *names)
{
    struct shell_word placed;
    size_t at = hv_str_find(word->value, mark, 0);
    if (at == SIZE_MAX && word->known)
        return *word;
    if (word->known && hv_str_eq(word->value, mark) && names->flags & SHELL_WORD_GLOB) {
        struct shell_word one = *names;
        one.flags &= ~(unsigned)SHELL_WORD_MANY;
        return one;
    }
    if (word->known && place_mark(word, mark, names, &placed))
        return placed;
    struct shell_word unknown = shell_word_unknown(!word->known && shell_may_be_many(word));
    unknown.text = word->text;
    unknown.value = hv_str_slice(word->value, 0, at == SIZE_MAX ? word->value.len : at);
    return unknown;
}

/* So many processes at once: 0 is as many as there are arguments. */
static bool runs_few(const struct shell_word *word)
{
    enum { FEW = 128 };
    int64_t number;
    bool processors = hv_str_find(word->text, HV_STR("$(nproc)"), 0) != SIZE_MAX;
    return word->known ? hv_str_to_int64(word->value, &number) && number > 0 && number <= FEW : processors;
}

static void judge_xargs(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    reading->act.reads_input = true;
    if (!shell_arguments(reading, &xargs_row, words, count, &arguments) || arguments.help)
        return;
    const struct shell_given *slot = shell_given(&arguments, "--process-slot-var");
    if (slot && !shell_variable_is_harmless(slot->argument.value, NULL))
        shell_worsen(reading, SHELL_UNKNOWN, "the variable that xargs sets may change what programs do");
    const struct shell_given *processes = shell_given(&arguments, "-P --max-procs");
    if (processes && !runs_few(&processes->argument))
        shell_worsen(reading, SHELL_UNKNOWN, "how many processes xargs starts at once has no bound");
    if (arguments.first == count)
        return; /* echo */
    struct hv_str mark = replaced(&arguments);
    struct shell_word names = shell_word_unknown(true);
    const struct shell_given *delimiter = shell_given(&arguments, "-d --delimiter");
    bool nul = shell_given(&arguments, "-0 --null");
    bool elsewhere = shell_given(&arguments, "-a --arg-file") || shell_given(&arguments, "-E -e --eof") ||
                     (delimiter && (nul || !delimiter->argument.known || !shell_is_newline(delimiter->argument.value)));
    if (!elsewhere)
        (void)shell_names_from_pipe(reading,
                                    nul         ? SHELL_CUT_NUL
                                    : delimiter ? SHELL_CUT_LINES
                                                : SHELL_CUT_WORDS,
                                    &names);
    names.text = HV_STR("what xargs reads");
    size_t inner = count - arguments.first;
    struct shell_word *run = hv_arena_array(reading->arena, struct shell_word, inner + 1);
    for (size_t i = 0; i < inner; i++) {
        const struct shell_word *word = &words[arguments.first + i];
        run[i] = mark.ptr ? replace_mark(word, mark, &names) : *word;
    }
    /* -n and -L behind -I undo it: then what is read comes last. */
    if (!mark.ptr || shell_given(&arguments, "-n --max-args -L -l --max-lines"))
        run[inner++] = names;
    shell_judge_inner(reading, run, inner);
}

/* ---- shells --------------------------------------------------------------------------------------------- */

static const struct shell_program shell_row = {
    "bash", SHELL_SYNTAX_POSIX,
    .options = OPTIONS({"-c -e -u -x -v -f -h -n -C -E -T -b -m", SHELL_EFFECT_NONE},
                       {"-o", SHELL_EFFECT_NONE, SHELL_ARITY_ONE},
                       {"--norc --noprofile --posix --verbose --login -l", SHELL_EFFECT_NONE},
                       {"-i -a -k -p -r -s -t -B -H -P -O -D --rcfile --init-file --debugger --restricted --noediting",
                        SHELL_EFFECT_UNKNOWN},
                       HELP)};

/* "{" at `at`: a group, a plain text without what bash would make several words of, or a form of ${…} that every shell
 * has. */
static bool is_common_brace(struct hv_str text, size_t at)
{
    char next = at + 1 < text.len ? text.ptr[at + 1] : 0;
    size_t end = at + 1, close = hv_str_find_byte(text, '}', at);
    struct hv_str inside = hv_str_slice(text, at, close == SIZE_MAX ? text.len : close);
    if (!at || text.ptr[at - 1] != '$')
        return strchr(" \t\n}", next) ||
               (hv_str_find_byte(inside, ',', 0) == SIZE_MAX && hv_str_find(inside, HV_STR(".."), 0) == SIZE_MAX);
    if (hv_str_find_byte(inside, '\'', 0) != SIZE_MAX || hv_str_find_byte(inside, '"', 0) != SIZE_MAX)
        return false; /* quotes there are not the same to all */
    bool length = next == '#' && at + 2 < text.len && text.ptr[at + 2] != '}';
    end += length;
    size_t from = end;
    while (end < text.len &&
           (shell_is_identifier(hv_str_slice(text, from, end + 1)) ||
            (text.ptr[from] >= '0' && text.ptr[from] <= '9' && text.ptr[end] >= '0' && text.ptr[end] <= '9')))
        end++;
    end += end == from && end < text.len && strchr("@*#?$!-", text.ptr[end]);
    char operation = end < text.len ? text.ptr[end] : 0;
    char second = end + 1 < text.len ? text.ptr[end + 1] : 0;
    if (end == from || !operation)
        return false;
    return operation == '}' ||
           (!length && (strchr("-=?+%#", operation) || (operation == ':' && second && strchr("-=?+", second))));
}

/* "((" at `at`: only $((…)) over plain names and numbers. */
static bool is_common_arithmetic(struct hv_str text, size_t at)
{
    size_t end = hv_str_find(text, HV_STR("))"), at);
    if (!at || text.ptr[at - 1] != '$' || end == SIZE_MAX)
        return false;
    for (size_t i = at + 2; i < end; i++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789 $+-*/%", text.ptr[i]) ||
            (strchr("+-*", text.ptr[i]) && text.ptr[i + 1] == text.ptr[i]))
            return false;
    return true;
}

/* What dash and bash read alike, byte for byte: nothing that only one of them has. */
static bool is_common(struct hv_str text)
{
    static const char *const differs[] = {"$'", "$\"", "$[", "&>", "|&", "<<", "[[",       "<(",
                                          ">(", "~",   "!(", "+=", ";&", "=(", "function", "\\\n"};
    for (size_t i = 0; i < sizeof differs / sizeof *differs; i++)
        if (hv_str_find(text, hv_str_from(differs[i]), 0) != SIZE_MAX)
            return false;
    for (size_t at = 0; at < text.len; at++) {
        bool twice = text.ptr[at] == '(' && at + 1 < text.len && text.ptr[at + 1] == '(';
        if ((text.ptr[at] == '{' && !is_common_brace(text, at)) || (twice && !is_common_arithmetic(text, at)))
            return false;
        at += twice;
    }
    return true;
}

static bool is_harmless_setting(const struct shell_arguments *arguments)
{
    for (size_t i = 0; i < arguments->given_count; i++) {
        const struct shell_given *given = &arguments->given[i];
        if (hv_str_is(given->name, "-o") &&
            !(given->argument.known &&
              shell_names_have("errexit nounset pipefail xtrace noglob verbose", given->argument.value)))
            return false;
    }
    return true;
}

static void judge_shell(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    bool bash = hv_str_ends(words[0].value, HV_STR("bash"));
    if (!shell_arguments(reading, &shell_row, words, count, &arguments) || arguments.help)
        return;
    const struct shell_word *code = arguments.first < count ? &words[arguments.first] : NULL;
    bool checks = shell_given(&arguments, "-n") && code && (code->known || !shell_may_be_option(code));
    if (checks && !shell_given(&arguments, "-c") && code->value.len && code->value.ptr[0] != '+') {
        shell_reads(reading, code, false); /* -n: looks for faults only */
    } else if (!shell_given(&arguments, "-c")) {
        reading->act.runs_input = !code;
        shell_worsen(reading, SHELL_EXECUTES, code ? "runs a script" : "runs what it reads as commands");
    } else if (!code || !code->known || !is_harmless_setting(&arguments)) {
        bool marked = code && hv_str_find(code->text, HV_STR("{}"), 0) != SIZE_MAX;
        reading->act.runs_input = true;
        shell_worsen(reading, SHELL_EXECUTES,
                     marked ? "names become part of code that runs; as \"$1\" in sh -c '...' _ {} they do not"
                            : "runs code that is not known");
    } else if (!bash && !is_common(code->value)) {
        shell_worsen(reading, SHELL_UNKNOWN, "runs code that sh may read otherwise than bash");
    } else {
        bool plain = reading->act.class == SHELL_READ_ONLY;
        shell_judge_script(reading, code->value, code + 1, count - arguments.first - 1);
        reading->act.script = plain ? reading->act.class : SHELL_UNKNOWN;
    }
}

/* ---- as someone else, or again and again ----------------------------------------------------------------- */

/* What runs stands behind the options: judged too, for the rules, but it cannot make this harmless. */
static void judge_privileged(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    shell_worsen(reading, SHELL_EXECUTES, "runs a program with other rights");
    for (size_t i = 1; i < count; i++)
        if (words[i].known && words[i].value.len && words[i].value.ptr[0] != '-') {
            shell_judge_further(reading, words + i, count - i);
            return;
        }
}

static void judge_runner(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    bool lists = count == 2 && words[1].known && hv_str_is(words[0].value, "at") && hv_str_is(words[1].value, "-l");
    if (lists || (count == 2 && words[1].known && shell_names_have("--version -V --help", words[1].value)))
        return;
    shell_worsenf(reading, SHELL_EXECUTES, "%.*s runs other programs", HV_STR_ARG(words[0].value));
}

/* Each behind a blank. */
static struct hv_str join_behind_blanks(struct hv_arena *arena, const struct shell_word *words, size_t count)
{
    size_t size = 0, at = 0;
    for (size_t i = 0; i < count; i++)
        size += words[i].value.len + 1;
    char *text = hv_arena_alloc(arena, size + 1);
    for (size_t i = 0; i < count; i++) {
        text[at++] = ' ';
        if (words[i].value.len)
            memcpy(text + at, words[i].value.ptr, words[i].value.len);
        at += words[i].value.len;
    }
    return hv_str_of(text, at);
}

/* watch gives its words, joined by blanks, to sh -c. */
static void check_watch(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    if (shell_given(arguments, "-x --exec")) {
        shell_judge_inner(reading, arguments->words + arguments->first, arguments->count - arguments->first);
        return;
    }
    for (size_t i = arguments->first; i < arguments->count; i++) {
        if (!arguments->words[i].known) {
            shell_worsen(reading, SHELL_EXECUTES, "watch runs code that is not known");
            return;
        }
    }
    struct hv_str text =
        join_behind_blanks(reading->arena, arguments->words + arguments->first, arguments->count - arguments->first);
    if (is_common(text))
        shell_judge_text(reading, text);
    else
        shell_worsen(reading, SHELL_UNKNOWN, "runs code that sh may read otherwise than bash");
}

const struct shell_program shell_programs_wrappers[] = {
    {"timeout", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY,
     .options = OPTIONS({"-f --foreground -p --preserve-status --preserve-status -v --verbose", SHELL_EFFECT_NONE},
                        {"-k --kill-after -s --signal", SHELL_EFFECT_NONE, SHELL_ARITY_ONE}, HELP),
     .first = {SHELL_EFFECT_NONE}, .first_count = 1, .rest = SHELL_EFFECT_NONE, .check = check_behind},
    {"time", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY,
     .options = OPTIONS({"-p --portability -v --verbose -q --quiet -a --append", SHELL_EFFECT_NONE},
                        {"-f --format", SHELL_EFFECT_NONE, SHELL_ARITY_ONE},
                        {"-o --output", SHELL_EFFECT_WRITE, SHELL_ARITY_ONE}, {"-V", SHELL_EFFECT_HELP}, HELP),
     .rest = SHELL_EFFECT_NONE, .check = check_behind},
    {"nice", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY,
     .options = OPTIONS({"-n --adjustment", SHELL_EFFECT_NONE, SHELL_ARITY_ONE}, HELP), .numeric_options = true,
     .rest = SHELL_EFFECT_NONE, .check = check_behind},
    {"ionice", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY,
     .options = OPTIONS(
         {"-t --ignore", SHELL_EFFECT_NONE}, {"-c --class -n --classdata", SHELL_EFFECT_NONE, SHELL_ARITY_ONE},
         {"-p --pid -P --pgid -u --uid", SHELL_EFFECT_WRITES, SHELL_ARITY_ONE}, {"-h -V", SHELL_EFFECT_HELP}, HELP),
     .rest = SHELL_EFFECT_NONE, .check = check_behind},
    {"stdbuf", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY,
     .options = OPTIONS({"-i --input -o --output -e --error", SHELL_EFFECT_NONE, SHELL_ARITY_ONE}, HELP),
     .rest = SHELL_EFFECT_NONE, .check = check_behind},
    {"setsid", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY,
     .options = OPTIONS({"-c --ctty -f --fork -w --wait", SHELL_EFFECT_NONE}, {"-h -V", SHELL_EFFECT_HELP}, HELP),
     .rest = SHELL_EFFECT_NONE, .check = check_behind},
    {"chrt", .judge = judge_chrt},
    {"taskset", .judge = judge_taskset},
    {"nohup", .judge = judge_nohup},
    {"env", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY,
     .options = OPTIONS({"-i --ignore-environment -0 --null -v --debug --list-signal-handling", SHELL_EFFECT_NONE},
                        {"-u --unset -C --chdir", SHELL_EFFECT_NONE, SHELL_ARITY_ONE},
                        {"--block-signal --default-signal --ignore-signal", SHELL_EFFECT_NONE, SHELL_ARITY_OPTIONAL},
                        {"-S --split-string", SHELL_EFFECT_UNKNOWN, SHELL_ARITY_ONE}, HELP),
     .rest = SHELL_EFFECT_NONE, .check = check_env},
    {"xargs", .judge = judge_xargs},
    {"bash sh dash", .judge = judge_shell},
    {"zsh ksh mksh fish csh tcsh", .judge = judge_runner},
    {"sudo doas pkexec su runuser sudoedit", .judge = judge_privileged},
    {"parallel flock script expect busybox toybox unshare nsenter chroot systemd-run at batch strace ltrace",
     .judge = judge_runner},
    {"watch", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY,
     .options = OPTIONS(
         {"-b --beep -c --color -C --no-color -d -e --errexit -g --chgexit -p --precise -t --no-title -w --no-wrap -x "
          "--exec",
          SHELL_EFFECT_NONE},
         {"--differences", SHELL_EFFECT_NONE, SHELL_ARITY_OPTIONAL},
         {"-n --interval -q --equexit", SHELL_EFFECT_NONE, SHELL_ARITY_ONE}, {"-h -v", SHELL_EFFECT_HELP}, HELP),
     .rest = SHELL_EFFECT_NONE, .check = check_watch},
    {0},
};
