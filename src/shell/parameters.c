/*
 * parameters.c: what "$1" is: in the script of bash -c CODE NAME WORD…, and in a function of which every call is known.
 * Only where it stands as a whole argument, in quotes: then it is that one word, whatever that holds. See classify.h.
 */
#include "shell/classify.h"

enum { CALLS_MAX = 16 };

/* The number in "$1" or "${12}", with its quotes; 0: something else. */
static size_t number_of(const struct shell_word *word)
{
    struct hv_str text = word->text;
    int64_t number;
    if (word->known || word->flags != (SHELL_WORD_VARIABLE | SHELL_WORD_QUOTED) || word->value.len || word->tail.len ||
        text.len < 4 || text.ptr[0] != '"' || text.ptr[1] != '$' || text.ptr[text.len - 1] != '"')
        return 0;
    bool braces = text.ptr[2] == '{' && text.ptr[text.len - 2] == '}';
    struct hv_str digits = hv_str_slice(text, 2 + braces, text.len - 1 - braces);
    if (!digits.len || digits.len > (braces ? 2 : 1) || !hv_str_to_int64(digits, &number) || number < 0)
        return 0;
    return (size_t)number;
}

/* A command may change the parameters, or run what does. */
static bool may_shift(const struct shell_command *command)
{
    static const char names[] = "set shift eval source . trap builtin alias shopt enable";
    if (command->kind != SHELL_COMMAND_SIMPLE || !command->word_count)
        return false;
    if (!command->words[0].known || shell_names_have(names, command->words[0].value))
        return true;
    for (size_t i = 1; i < command->word_count && hv_str_is(command->words[0].value, "command"); i++)
        if (!command->words[i].known || shell_names_have(names, command->words[i].value))
            return true;
    return false;
}

static bool script_may_shift(const struct shell_script *script)
{
    for (size_t i = 0; i < script->count; i++)
        if (may_shift(&script->commands[i]))
            return true;
    return false;
}

/* Builtins to which a word is the name of a variable, a function or an option: they take nothing that is put in here.
 */
static bool takes_names(const struct shell_command *command)
{
    static const char names[] = "read mapfile readarray getopts printf declare typeset local export readonly unset let "
                                "test [ hash type wait ulimit umask cd pushd popd exec command";
    return !command->word_count || !command->words[0].known || shell_names_have(names, command->words[0].value);
}

static bool is_plain(const struct shell_word *word)
{
    enum { NAMES = SHELL_WORD_GLOB | SHELL_WORD_MANY | SHELL_WORD_QUOTED | SHELL_WORD_MARKS };
    return word->known || (word->flags & SHELL_WORD_GLOB && !(word->flags & ~(unsigned)NAMES));
}

/* The word at `at` is at that place for certain. */
static bool stands_there(const struct shell_word *words, size_t count, size_t at)
{
    for (size_t i = 0; i < at && i < count; i++)
        if (!words[i].known && shell_may_be_many(&words[i]))
            return false;
    return at < count && is_plain(&words[at]);
}

/* One of the names that given stands for. */
static bool take(const struct shell_word *given, struct shell_word *word)
{
    struct shell_word one = *given;
    if (!given->known && shell_may_be_option(given))
        return false;
    one.text = word->text;
    one.choices = 0; /* those are of another script, it may be */
    if (!given->known)
        one.flags = SHELL_WORD_GLOB | SHELL_WORD_NO_OPTION | shell_where_names_stand(given);
    *word = one;
    return true;
}

/* The function whose body command is in; NULL: none. */
static const struct shell_command *function_of(const struct shell_script *script, const struct shell_command *command)
{
    for (size_t at = command->parent; at < script->count; at = script->commands[at].parent)
        if (script->commands[at].kind == SHELL_COMMAND_FUNCTION)
            return &script->commands[at];
    return NULL;
}

/* All that the calls of function give it as `number`, as the words of one command that stands where all of them do, if
 * that is one place. */
static bool gather_calls(struct shell_reading *reading, const struct shell_command *function, size_t number,
                         struct shell_command *all)
{
    const struct shell_script *script = reading->script;
    bool apart = false;
    for (size_t i = 0; i < script->count; i++) {
        const struct shell_command *call = &script->commands[i];
        if (call->kind == SHELL_COMMAND_FUNCTION && call != function && hv_str_eq(call->variable, function->variable))
            return false;
        if (call->kind != SHELL_COMMAND_SIMPLE || !call->word_count ||
            !hv_str_eq(call->words[0].value, function->variable))
            continue;
        if (all->word_count == CALLS_MAX || !stands_there(call->words, call->word_count, number))
            return false;
        apart |= all->word_count && !hv_str_eq(all->directory, call->directory);
        all->directory = call->directory;
        all->words[all->word_count++] = call->words[number];
    }
    if (apart)
        all->directory = (struct hv_str){0};
    return all->word_count != 0;
}

static bool resolve_in_function(struct shell_reading *reading, const struct shell_command *function, size_t number,
                                struct shell_word *word)
{
    struct shell_word values[CALLS_MAX];
    struct shell_command all = {.words = values};
    if (hv_str_starts(function->variable, HV_STR("command_not_found")) ||
        !gather_calls(reading, function, number, &all))
        return false;
    if (all.word_count == 1)
        return take(&values[0], word);
    return shell_sum_up_words(reading, &all, word);
}

bool shell_resolve_parameter(struct shell_reading *reading, const struct shell_command *command,
                             struct shell_word *word)
{
    bool simple = command->kind == SHELL_COMMAND_SIMPLE;
    size_t number = number_of(word);
    if (!number && !(hv_str_is(word->text, "\"$0\"") && reading->given))
        return false;
    if ((simple && command->word_count && takes_names(command)) || script_may_shift(reading->script))
        return false;
    const struct shell_command *function =
        command->place & SHELL_IN_FUNCTION ? function_of(reading->script, command) : NULL;
    if (function)
        return number && resolve_in_function(reading, function, number, word);
    return !(command->place & SHELL_IN_FUNCTION) && reading->given &&
           stands_there(reading->given, reading->given_count, number) && take(&reading->given[number], word);
}

const struct shell_word *shell_given_words(const struct shell_reading *reading, const struct shell_command *loop,
                                           size_t *count)
{
    bool all = loop->kind == SHELL_COMMAND_FOR &&
               (!loop->word_count ||
                (loop->word_count == 1 && !loop->words[0].known && hv_str_is(loop->words[0].text, "\"$@\"")));
    if (!all || !reading->given || reading->given_count < 2 || loop->place & SHELL_IN_FUNCTION ||
        script_may_shift(reading->script) || (!reading->given[0].known && shell_may_be_many(&reading->given[0])))
        return NULL;
    for (size_t i = 1; i < reading->given_count; i++)
        if (!is_plain(&reading->given[i]))
            return NULL;
    *count = reading->given_count - 1;
    return reading->given + 1;
}
