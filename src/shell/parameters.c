/*
 * parameters.c: what "$1" is: in the script of bash -c CODE NAME WORD…, and in a function of which every call is known.
 * Only where it stands as a whole argument, in quotes: then it is that one word, whatever that holds. See classify.h.
 */
#include "shell/classify.h"

enum { CALLS_MAX = 16, GIVEN_MAX = 64 };

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

/* The word of a call, with the variable of a loop around it as all that it may be. False: not certain. */
static bool take_given(struct shell_reading *reading, const struct shell_command *call, size_t at,
                       struct shell_word *word)
{
    *word = call->words[at];
    return is_plain(word) || (shell_resolve_loop_word(reading, call, word) && is_plain(word));
}

/* What the calls of a function give it, as the words of one command that stands where all of them do, if that is one
 * place. */
struct calls {
    struct shell_command all;
    bool apart;
};

/* The words [from, to) of call. False: not certain, or too many. */
static bool add_call(struct shell_reading *reading, const struct shell_command *call, size_t from, size_t to,
                     size_t max, struct calls *calls)
{
    calls->apart |= calls->all.word_count && !hv_str_eq(calls->all.directory, call->directory);
    calls->all.directory = calls->apart ? (struct hv_str){0} : call->directory;
    for (size_t i = from; i < to; i++)
        if (calls->all.word_count == max || !take_given(reading, call, i, &calls->all.words[calls->all.word_count++]))
            return false;
    return true;
}

/* All that the calls of function give it: as `number`, or, when that is 0, at all. */
static bool gather_calls(struct shell_reading *reading, const struct shell_command *function, size_t number, size_t max,
                         struct calls *calls)
{
    const struct shell_script *script = reading->script;
    for (size_t i = 0; i < script->count; i++) {
        const struct shell_command *call = &script->commands[i];
        if (call->kind == SHELL_COMMAND_FUNCTION && call != function && hv_str_eq(call->variable, function->variable))
            return false;
        if (call->kind != SHELL_COMMAND_SIMPLE || !call->word_count ||
            !hv_str_eq(call->words[0].value, function->variable))
            continue;
        for (size_t at = 0; at < number && at < call->word_count; at++)
            if (!call->words[at].known && shell_may_be_many(&call->words[at]))
                return false;
        if (number >= call->word_count ||
            !add_call(reading, call, number ? number : 1, number ? number + 1 : call->word_count, max, calls))
            return false;
    }
    return calls->all.word_count != 0;
}

static bool resolve_in_function(struct shell_reading *reading, const struct shell_command *function, size_t number,
                                struct shell_word *word)
{
    struct shell_word values[CALLS_MAX];
    struct calls calls = {.all = {.words = values}};
    if (hv_str_starts(function->variable, HV_STR("command_not_found")) ||
        !gather_calls(reading, function, number, CALLS_MAX, &calls))
        return false;
    if (calls.all.word_count == 1)
        return take(&values[0], word);
    return shell_sum_up_words(reading, &calls.all, word);
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

/* The same for a loop in a function, from all of its calls. */
static const struct shell_word *words_of_calls(struct shell_reading *reading, const struct shell_command *loop,
                                               size_t *count, struct hv_str *standing)
{
    const struct shell_command *function = function_of(reading->script, loop);
    struct calls calls = {.all = {.words = hv_arena_array(reading->arena, struct shell_word, GIVEN_MAX)}};
    if (!function || hv_str_starts(function->variable, HV_STR("command_not_found")) ||
        !gather_calls(reading, function, 0, GIVEN_MAX, &calls))
        return NULL;
    *count = calls.all.word_count;
    *standing = calls.all.directory;
    return calls.all.words;
}

const struct shell_word *shell_given_words(struct shell_reading *reading, const struct shell_command *loop,
                                           size_t *count, struct hv_str *standing)
{
    bool all = loop->kind == SHELL_COMMAND_FOR &&
               (!loop->word_count ||
                (loop->word_count == 1 && !loop->words[0].known && hv_str_is(loop->words[0].text, "\"$@\"")));
    if (!all || script_may_shift(reading->script))
        return NULL;
    if (loop->place & SHELL_IN_FUNCTION)
        return words_of_calls(reading, loop, count, standing);
    if (!reading->given || reading->given_count < 2 ||
        (!reading->given[0].known && shell_may_be_many(&reading->given[0])))
        return NULL;
    for (size_t i = 1; i < reading->given_count; i++)
        if (!is_plain(&reading->given[i]))
            return NULL;
    *count = reading->given_count - 1;
    *standing = reading->given_standing;
    return reading->given + 1;
}
