/*
 * programs_builtins.c: what is built into bash 5.2: builtins(7), help in bash. Those that set variables may set only
 * harmless ones; those that take code are judged by it, when it is known.
 */
#include "shell/programs.h"

#include "base/cleanup.h"
#include "shell/rows.h"
#include <string.h>

/* A word that names a variable to be set. */
static void set_variable(struct shell_reading *reading, const struct shell_word *word)
{
    if (!word->known || !shell_variable_is_harmless(word->value, NULL))
        shell_worsenf(reading, SHELL_UNKNOWN, "setting %.*s may change what programs do", HV_STR_ARG(word->text));
}

/* ---- directories ---------------------------------------------------------------------------------------- */

static const struct shell_program cd_row = {
    "cd", .class = SHELL_READ_ONLY, .options = (const struct shell_option[]){{"-L -P -e -@", SHELL_EFFECT_NONE}, {0}},
    .rest = SHELL_EFFECT_NONE, .harmless_options = true};

static void judge_cd(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    (void)shell_arguments(reading, &cd_row, words, count, &arguments);
}

/* ---- words are data ------------------------------------------------------------------------------------- */

/* A conversion that sets a variable: %n. What is not known may hold one. */
static bool format_may_set(const struct shell_word *format)
{
    struct hv_str text = format->value;
    for (size_t i = 0; i + 1 < text.len; i++) {
        if (text.ptr[i] != '%')
            continue;
        size_t end = ++i;
        while (end < text.len && strchr("-+ #0123456789.*'hjlLqtz", text.ptr[end]) && text.ptr[end])
            end++;
        if (end < text.len && text.ptr[end] == 'n')
            return true;
        i = end;
    }
    return !format->known;
}

static void judge_printf(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    size_t at = 1;
    if (at + 1 < count && words[at].known && hv_str_is(words[at].value, "-v")) {
        set_variable(reading, &words[at + 1]);
        at += 2;
    } else if (at < count && words[at].known && hv_str_is(words[at].value, "--")) {
        at++;
    } else if (at < count && words[at].known && hv_str_starts(words[at].value, HV_STR("-v"))) {
        struct shell_word name = shell_word_known(hv_str_slice(words[at].value, 2, words[at].value.len));
        set_variable(reading, &name);
        at++;
    }
    if (at >= count)
        return;
    const struct shell_word *format = &words[at];
    bool option = at == 1 && !format->known && shell_may_be_option(format) && (count > 2 || shell_may_be_many(format));
    bool sets = format_may_set(format) && (count > at + 1 || shell_may_be_many(format));
    if (option || (sets && !(format->flags & SHELL_WORD_NUMBER)))
        shell_worsen(reading, SHELL_UNKNOWN, "printf may set a variable: its format is not known, or has %n");
}

static const struct shell_program read_row = {
    "read", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY,
    .options = OPTIONS({"-r -s", SHELL_EFFECT_NONE}, {"-a -A", SHELL_EFFECT_NONE, SHELL_ARITY_ONE},
                       {"-d -n -N -p -t -u -i", SHELL_EFFECT_NONE, SHELL_ARITY_ONE})};

static void judge_names(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    for (size_t i = 0; i < arguments->operand_count; i++)
        set_variable(reading, arguments->operands[i]);
}

static void judge_read(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    reading->act.reads_input = true;
    if (!shell_arguments(reading, &read_row, words, count, &arguments))
        return;
    const struct shell_given *array = shell_given(&arguments, "-a");
    if (array)
        set_variable(reading, &array->argument);
    judge_names(reading, &arguments);
}

static const struct shell_program mapfile_row = {
    "mapfile", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY,
    .options = OPTIONS({"-t", SHELL_EFFECT_NONE}, {"-d -n -O -s -u -c", SHELL_EFFECT_NONE, SHELL_ARITY_ONE},
                       {"-C", SHELL_EFFECT_EXECUTE, SHELL_ARITY_ONE})};

static void judge_mapfile(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    reading->act.reads_input = true;
    if (shell_arguments(reading, &mapfile_row, words, count, &arguments))
        judge_names(reading, &arguments);
}

static void judge_getopts(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    if (count < 3)
        return;
    set_variable(reading, &words[2]);
    for (size_t i = 1; i < count; i++)
        if (shell_may_be_many(&words[i]) && i < 3)
            shell_worsen(reading, SHELL_UNKNOWN, "which variable getopts sets is not known");
}

/* ---- variables ------------------------------------------------------------------------------------------ */

/* NAME=(…) as it is written: an array, whose words the reader has looked at. */
static struct hv_str array_name(struct hv_str text)
{
    size_t end = 0;
    while (end < text.len && shell_is_identifier(hv_str_slice(text, 0, end + 1)))
        end++;
    size_t equals = end < text.len && text.ptr[end] == '+' ? end + 1 : end;
    bool array = end && hv_str_starts(hv_str_slice(text, equals, text.len), HV_STR("=("));
    return array ? hv_str_slice(text, 0, end) : (struct hv_str){0};
}

static void declare_array(struct shell_reading *reading, const struct shell_word *word, struct hv_str name)
{
    if (!shell_variable_is_harmless(name, NULL))
        shell_worsenf(reading, SHELL_UNKNOWN, "setting %.*s may change what programs do", HV_STR_ARG(name));
    if (hv_str_find_byte(word->text, '[', 0) != SIZE_MAX)
        shell_worsenf(reading, SHELL_UNKNOWN, "the subscripts of %.*s may be evaluated", HV_STR_ARG(name));
}

/* declare expands a value that begins with "(" once more when the variable is an array. */
static bool may_be_expanded(const struct shell_word *content)
{
    return content->value.len ? content->value.ptr[0] == '(' : !content->known && !(content->flags & SHELL_WORD_NUMBER);
}

static bool find_arrays(const struct shell_script *script)
{
    for (size_t i = 0; i < script->count; i++) {
        const struct shell_command *command = &script->commands[i];
        for (size_t j = 0; j < command->assignment_count; j++)
            if (command->assignments[j].array || command->assignments[j].element)
                return true;
        for (size_t j = 0; j < command->word_count && command->kind == SHELL_COMMAND_SIMPLE; j++) {
            struct hv_str text = command->words[j].text;
            bool option = text.len > 1 && text.ptr[0] == '-' &&
                          (hv_str_find_byte(text, 'a', 0) != SIZE_MAX || hv_str_find_byte(text, 'A', 0) != SIZE_MAX);
            if (option || array_name(text).ptr || (!j && shell_names_have("mapfile readarray", text)))
                return true;
        }
    }
    return false;
}

/* Whether any variable of the script may be an array: looked up once. */
static bool script_has_arrays(struct shell_reading *reading)
{
    if (!reading->arrays)
        reading->arrays = find_arrays(reading->script) ? SHELL_ARRAYS_SOME : SHELL_ARRAYS_NONE;
    return reading->arrays == SHELL_ARRAYS_SOME;
}

static void declare_value(struct shell_reading *reading, const struct shell_word *word, size_t equals)
{
    struct hv_str name = hv_str_slice(word->value, 0, equals);
    struct shell_word content = *word;
    content.value = hv_str_slice(word->value, equals == SIZE_MAX ? word->value.len : equals + 1, word->value.len);
    if (name.len && name.ptr[name.len - 1] == '+')
        name.len--;
    if (!shell_variable_is_harmless(name, equals == SIZE_MAX ? NULL : &content))
        shell_worsenf(reading, SHELL_UNKNOWN, "setting %.*s may change what programs do", HV_STR_ARG(name));
    if (equals != SIZE_MAX && may_be_expanded(&content) && script_has_arrays(reading))
        shell_worsenf(reading, SHELL_UNKNOWN, "the value of %.*s may be expanded again", HV_STR_ARG(name));
}

/* NAME, NAME=value, NAME=(…), or options out of letters. */
static void judge_declaration(struct shell_reading *reading, const struct shell_word *word, const char *letters)
{
    struct hv_str value = word->value, array = array_name(word->text);
    size_t equals = hv_str_find_byte(value, '=', 0);
    bool option = word->known && value.len > 1 && (value.ptr[0] == '-' || value.ptr[0] == '+');
    if (array.ptr) {
        declare_array(reading, word, array);
    } else if (option) {
        for (size_t i = 1; i < value.len; i++)
            if (!strchr(letters, value.ptr[i]))
                shell_worsenf(reading, SHELL_UNKNOWN, "option %.*s may evaluate data", HV_STR_ARG(value));
    } else if (equals == SIZE_MAX && !word->known) {
        shell_worsenf(reading, SHELL_UNKNOWN, "which variable %.*s sets is not known", HV_STR_ARG(word->text));
    } else {
        declare_value(reading, word, equals);
    }
}

static bool prints_only(const struct shell_word *words, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (words[i].known && words[i].value.len > 1 && words[i].value.ptr[0] == '-' &&
            hv_str_find_byte(words[i].value, 'p', 0) != SIZE_MAX)
            return true;
    return count == 1;
}

static void judge_declarations(struct shell_reading *reading, const struct shell_word *words, size_t count,
                               const char *letters)
{
    bool prints = prints_only(words, count);
    for (size_t i = 1; i < count; i++) {
        struct hv_str value = words[i].value;
        bool option = words[i].known && value.len > 1 && value.ptr[0] == '-';
        if (prints && !option && words[i].known && shell_is_identifier(value))
            continue;
        judge_declaration(reading, &words[i], letters);
    }
}

static void judge_declare(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    judge_declarations(reading, words, count, "aAfFgIlprux");
}

static void judge_export(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    judge_declarations(reading, words, count, "np");
}

static void judge_readonly(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    judge_declarations(reading, words, count, "aAfp");
}

static void judge_unset(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (!(words[i].known && shell_names_have("-v -f", words[i].value)))
            set_variable(reading, &words[i]);
}

/* let NAME=5. Any other expression evaluates what variables hold: the reader has looked where it is the command itself.
 */
static void judge_let(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    const struct shell_command *command = reading->judged;
    bool seen = command->word_count && command->words[0].known && hv_str_is(command->words[0].value, "let");
    int64_t number;
    for (size_t i = 1; seen && i < count; i++)
        if (!words[i].known || !shell_arithmetic_sets_harmless(words[i].value))
            shell_worsen(reading, SHELL_UNKNOWN, "arithmetic may set a variable that programs read");
    if (seen)
        return;
    for (size_t i = 1; i < count; i++) {
        struct hv_str value = words[i].value;
        size_t equals = hv_str_find_byte(value, '=', 0);
        if (!words[i].known || equals == SIZE_MAX ||
            !shell_variable_is_harmless(hv_str_slice(value, 0, equals), NULL) ||
            !hv_str_to_int64(hv_str_slice(value, equals + 1, value.len), &number))
            shell_worsen(reading, SHELL_UNKNOWN, "arithmetic may evaluate data as code");
    }
}

/* ---- settings of the shell ------------------------------------------------------------------------------ */

/* set: options that neither export variables nor change what is read; after "--" the positional parameters. */
static void judge_set(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct hv_str value = words[i].value;
        if (!words[i].known && shell_may_be_option(&words[i]))
            shell_worsen(reading, SHELL_UNKNOWN, "what set changes is not known");
        if (!words[i].known || hv_str_is(value, "--") || !value.len || (value.ptr[0] != '-' && value.ptr[0] != '+'))
            return;
        for (size_t j = 1; j < value.len; j++)
            if (!strchr("bBCeEfhmnoTuvx", value.ptr[j]))
                shell_worsenf(reading, SHELL_UNKNOWN, "set %.*s is not known to be harmless", HV_STR_ARG(value));
        if (value.ptr[value.len - 1] == 'o' && i + 1 < count) {
            i++;
            if (!words[i].known ||
                !shell_names_have(
                    "braceexpand emacs errexit errtrace functrace hashall monitor noclobber noexec noglob "
                    "notify nounset physical pipefail verbose vi xtrace",
                    words[i].value))
                shell_worsen(reading, SHELL_UNKNOWN, "what set -o changes is not known");
        }
    }
}

/* Without -s and -u it shows what is set. */
static bool shopt_shows(const struct shell_word *words, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (!words[i].known || (hv_str_starts(words[i].value, HV_STR("-")) &&
                                !shell_names_have("-p -q -o -po -qo -op -oq", words[i].value)))
            return false;
    return true;
}

static void judge_shopt(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    if (shopt_shows(words, count))
        return;
    for (size_t i = 1; i < count; i++) {
        struct hv_str value = words[i].value;
        if (!words[i].known)
            shell_worsen(reading, SHELL_UNKNOWN, "what shopt changes is not known");
        if (!words[i].known || shell_names_have("-s -u -p -q -sq -qs -uq -qu", value))
            continue;
        if (!shell_names_have(
                "nullglob failglob dotglob globstar nocaseglob nocasematch checkwinsize cmdhist histappend "
                "inherit_errexit globskipdots globasciiranges",
                value))
            shell_worsenf(reading, SHELL_UNKNOWN, "shopt %.*s may change how the script is read", HV_STR_ARG(value));
    }
}

/* ---- code ----------------------------------------------------------------------------------------------- */

/* What the system is called: a file of its own, of assignments that no program reads. */
static void judge_source(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const char names[] = "/etc/os-release /usr/lib/os-release /etc/lsb-release";
    if (count == 2 && words[1].known && shell_names_have(names, words[1].value)) {
        shell_reads(reading, &words[1], false);
        return;
    }
    reading->act.reads_listed = reading->act.writes_listed = false;
    shell_worsenf(reading, SHELL_EXECUTES, "%.*s runs the commands of a file", HV_STR_ARG(words[0].value));
}

static void judge_eval(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    size_t at = count > 1 && words[1].known && hv_str_is(words[1].value, "--") ? 2 : 1;
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, SHELL_SCRIPT_MAX + 1);
    for (size_t i = at; i < count; i++) {
        if (!words[i].known || (i == at && words[i].value.len && words[i].value.ptr[0] == '-')) {
            reading->act.runs_input = true;
            shell_worsen(reading, SHELL_EXECUTES, "eval runs code that is not known");
            return;
        }
        if (i > at)
            hv_buf_add_byte(&text, ' ');
        hv_buf_add_str(&text, words[i].value);
    }
    if (text.failed)
        shell_worsen(reading, SHELL_EXECUTES, "eval runs code that is too long to read");
    else
        shell_judge_text(reading, hv_arena_str(reading->arena, hv_buf_str(&text)));
}

static void judge_trap(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    size_t at = count > 1 && words[1].known && hv_str_is(words[1].value, "--") ? 2 : 1;
    if (at >= count || (words[at].known && shell_names_have("-p -l", words[at].value)))
        return;
    if (!words[at].known) {
        shell_worsen(reading, SHELL_EXECUTES, "trap runs code that is not known");
        return;
    }
    if (count <= at + 1 || !words[at].value.len || hv_str_is(words[at].value, "-"))
        return;
    reading->directory = (struct hv_str){0}; /* where the shell will be then is not known */
    reading->elsewhere_count = 0;
    reading->below = (struct hv_str){0};
    shell_judge_text(reading, words[at].value);
}

static const struct shell_program exec_row = {
    "exec", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY,
    .options = OPTIONS({"-c -l", SHELL_EFFECT_NONE}, {"-a", SHELL_EFFECT_NONE, SHELL_ARITY_ONE})};

/* Without words, only redirections, which are judged where they stand. With words it ends the shell with a program. */
static void judge_exec(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    if (count == 1 || !shell_arguments(reading, &exec_row, words, count, &arguments))
        return;
    shell_worsen(reading, SHELL_EXECUTES, "exec puts a program in the place of the shell");
    shell_judge_inner(reading, words + arguments.first, count - arguments.first);
}

static void check_command(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    if (!shell_given(arguments, "-v -V"))
        shell_judge_builtin(reading, arguments->words + arguments->first, arguments->count - arguments->first);
}

static void judge_builtin(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    size_t at = count > 1 && words[1].known && hv_str_is(words[1].value, "--") ? 2 : 1;
    if (at >= count)
        return;
    if (words[at].known && shell_find_row(shell_programs_builtins, words[at].value))
        shell_judge_builtin(reading, words + at, count - at);
    else
        shell_worsen(reading, SHELL_UNKNOWN, "which builtin runs is not known");
}

/* ---- processes ------------------------------------------------------------------------------------------ */

/* kill -l lists, kill -0 asks; anything else ends or stops processes. A further signal takes the place of the first. */
static bool names_no_signal(const struct shell_word *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool number = words[i].flags & (SHELL_WORD_NUMBER | SHELL_WORD_COUNT) || hv_str_is(words[i].text, "$!") ||
                      hv_str_is(words[i].text, "\"$!\"");
        bool last = count == 1 && !shell_may_be_many(&words[i]); /* -sKILL and no process is refused */
        bool option = words[i].known ? words[i].value.len && words[i].value.ptr[0] == '-' : !last && !number;
        if (option && !(words[i].known && hv_str_is(words[i].value, "--")))
            return false;
    }
    return true;
}

static void judge_kill(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    bool first = count > 1 && words[1].known, named = first && hv_str_is(words[1].value, "-s");
    bool lists = first && shell_names_have("-l -L", words[1].value);
    bool asks = first && hv_str_is(words[1].value, "-0") && names_no_signal(words + 2, count - 2);
    named =
        named && count > 2 && words[2].known && hv_str_is(words[2].value, "0") && names_no_signal(words + 3, count - 3);
    if (!lists && !asks && !named && count > 1)
        shell_changes(reading, "kill sends signals to processes");
}

/* jobs -x runs its words. */
static void judge_jobs(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (words[i].known
                ? hv_str_starts(words[i].value, HV_STR("-")) && hv_str_find_byte(words[i].value, 'x', 0) != SIZE_MAX
                : shell_may_be_option(&words[i]))
            shell_worsen(reading, SHELL_EXECUTES, "jobs -x runs a program");
}

/* wait -p NAME sets the variable. */
static void judge_wait(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        bool known = words[i].known;
        bool option = known ? words[i].value.len && words[i].value.ptr[0] == '-' : shell_may_be_option(&words[i]);
        bool number =
            words[i].flags & SHELL_WORD_NUMBER || hv_str_is(words[i].text, "$!") || hv_str_is(words[i].text, "\"$!\"");
        bool plain = !option || number || (known && shell_names_have("-n -f", words[i].value));
        if (!plain && known && hv_str_is(words[i].value, "-p") && i + 1 < count)
            set_variable(reading, &words[++i]);
        else if (!plain)
            shell_worsen(reading, SHELL_UNKNOWN, "wait may set a variable: not all its words are known");
    }
}

static void judge_alias(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (!words[i].known || hv_str_find_byte(words[i].value, '=', 0) != SIZE_MAX)
            shell_worsen(reading, SHELL_UNKNOWN, "an alias changes what later words mean");
}

/* ---- test ----------------------------------------------------------------------------------------------- */

/* -v and -R evaluate the subscript of the word that follows. So no word that is one of them, or may become one, may
 * stand before one that is not known, or that has a subscript: wherever test then takes its operators from. */
static bool may_evaluate(const struct shell_word *word)
{
    return word->known ? shell_names_have("-v -R", word->value)
                       : shell_may_be_option(word) && !(word->flags & (SHELL_WORD_NUMBER | SHELL_WORD_COUNT));
}

static bool test_is_plain(const struct shell_word *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (shell_may_be_many(&words[i]) && !(words[i].flags & (SHELL_WORD_NUMBER | SHELL_WORD_COUNT)))
            return false;
        const struct shell_word *next = i + 1 < count ? &words[i + 1] : NULL;
        if (next && may_evaluate(&words[i]) && (!next->known || hv_str_find_byte(next->value, '[', 0) != SIZE_MAX))
            return false;
    }
    return true;
}

static void judge_test(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    bool bracket = hv_str_ends(words[0].value, HV_STR("["));
    if (bracket && count > 1 && words[count - 1].known && hv_str_is(words[count - 1].value, "]"))
        count--;
    if (!reading->outside && count > 1 && !test_is_plain(words + 1, count - 1)) /* the program has no -v */
        shell_worsen(reading, SHELL_UNKNOWN, "test may evaluate a subscript (-v): not all its words are known");
}

/* Any words will do: also +n and -n of pushd, which are places of the stack. */
static void no_judgement(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    (void)reading;
    (void)words;
    (void)count;
}

const struct shell_program shell_programs_builtins[] = {
    {": true false echo", SHELL_SYNTAX_NONE, SHELL_READ_ONLY, .judge = no_judgement},
    {"exit return break continue shift times logout", SHELL_SYNTAX_NONE, SHELL_READ_ONLY, .judge = no_judgement},
    {"wait", .judge = judge_wait},
    {"compgen", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY,
     .options =
         OPTIONS(FLAGS("-a -b -c -d -e -f -g -j -k -s -u -v"), VALUES("-A -P -S -X"), RUNS_WITH("-C -F -W -G -V")),
     .rest = SHELL_EFFECT_NONE},
    {"jobs", .judge = judge_jobs},
    {"caller dirs disown help pwd", SHELL_SYNTAX_NONE, SHELL_READ_ONLY, .judge = no_judgement},
    {"type umask ulimit", SHELL_SYNTAX_NONE, SHELL_READ_ONLY, .judge = no_judgement},
    {"cd", .judge = judge_cd},
    {"pushd popd", .judge = no_judgement},
    {"printf", .judge = judge_printf},
    {"read", .judge = judge_read},
    {"mapfile readarray", .judge = judge_mapfile},
    {"getopts", .judge = judge_getopts},
    {"declare typeset local", .judge = judge_declare},
    {"export", .judge = judge_export},
    {"readonly", .judge = judge_readonly},
    {"unset", .judge = judge_unset},
    {"let", .judge = judge_let},
    {"set", .judge = judge_set},
    {"shopt", .judge = judge_shopt},
    /* Without operands these only list. */
    {"bind", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-l -p -P -s -S -v -V -X"), VALUES("-m -q"))},
    {"complete", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-p"))},
    {"enable", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-a -n -p -s"))},
    {"hash", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY, .options = OPTIONS({"-r -l -t -d", SHELL_EFFECT_NONE}),
     .rest = SHELL_EFFECT_NONE},
    {"history", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY, .rest = SHELL_EFFECT_NONE},
    {"eval", .judge = judge_eval},
    {"source .", .judge = judge_source},
    {"trap", .judge = judge_trap},
    {"exec", .judge = judge_exec},
    {"command", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY,
     .options = OPTIONS({"-p", SHELL_EFFECT_NONE}, {"-v -V", SHELL_EFFECT_NONE}), .rest = SHELL_EFFECT_NONE,
     .check = check_command},
    {"builtin", .judge = judge_builtin},
    {"kill", .judge = judge_kill},
    {"alias", .judge = judge_alias},
    {"unalias", SHELL_SYNTAX_NONE, SHELL_READ_ONLY, .rest = SHELL_EFFECT_NONE},
    {"test [", .answers = true, .judge = judge_test},
    {0},
};
