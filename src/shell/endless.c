/*
 * endless.c: what may start processes without end: a loop that does not wait for what it starts, and a function that
 * calls itself. What each of them runs may well be harmless; all of them together are not.
 */
#include "shell/classify.h"
#include <string.h>

enum { COMMANDS_MAX = 256, FUNCTIONS_MAX = 32, ROUNDS_MAX = 64 };

static const struct shell_command *parent_of(const struct shell_script *script, const struct shell_command *command)
{
    return command->parent < script->count ? &script->commands[command->parent] : NULL;
}

static bool begins_with_keyword(struct hv_str text)
{
    static const char *const keywords[] = {"while", "until", "for", "select"};
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        struct hv_str keyword = hv_str_from(keywords[i]);
        if (hv_str_starts(text, keyword) && text.len > keyword.len && strchr(" \t\n(", text.ptr[keyword.len]))
            return true;
    }
    return false;
}

/* A loop of which nobody knows that its rounds are few: not one over words, or names of files, that stand there. */
static bool is_open_loop(const struct shell_command *command)
{
    enum { NAMES = SHELL_WORD_GLOB | SHELL_WORD_MANY | SHELL_WORD_QUOTED | SHELL_WORD_NO_OPTION };
    if (command->kind != SHELL_COMMAND_FOR)
        return command->kind == SHELL_COMMAND_GROUP && begins_with_keyword(command->text);
    for (size_t i = 0; i < command->word_count; i++) {
        const struct shell_word *word = &command->words[i];
        if (!word->known && (!(word->flags & SHELL_WORD_GLOB) || word->flags & ~(unsigned)NAMES))
            return true;
    }
    return !command->word_count || command->word_count > ROUNDS_MAX;
}

static bool is_in_open_loop(const struct shell_script *script, const struct shell_command *command)
{
    for (const struct shell_command *at = parent_of(script, command); at; at = parent_of(script, at))
        if (is_open_loop(at))
            return true;
    return false;
}

/* ---- functions ------------------------------------------------------------------------------------------ */

/* The function whose body holds command. */
static const struct shell_command *function_around(const struct shell_script *script,
                                                   const struct shell_command *command)
{
    const struct shell_command *at = parent_of(script, command);
    while (at && at->kind != SHELL_COMMAND_FUNCTION)
        at = parent_of(script, at);
    return at;
}

static bool is_call(const struct shell_command *command)
{
    return command->kind == SHELL_COMMAND_SIMPLE && command->calls_function && command->word_count;
}

/* Names of functions that a call may lead to. */
struct reached {
    struct hv_str names[FUNCTIONS_MAX];
    size_t count;
    bool too_many;
};

static void reach(struct reached *reached, struct hv_str name)
{
    for (size_t i = 0; i < reached->count; i++)
        if (hv_str_eq(reached->names[i], name))
            return;
    if (reached->count == FUNCTIONS_MAX)
        reached->too_many = true;
    else
        reached->names[reached->count++] = name;
}

/* All that the function called name may call, itself at first; what it starts beside itself, in *beside. */
static void follow_calls(const struct shell_script *script, struct hv_str name, struct reached *reached, bool *beside)
{
    reached->too_many = script->count > COMMANDS_MAX;
    reach(reached, name);
    for (size_t next = 0; next < reached->count && !reached->too_many; next++)
        for (size_t i = 0; i < script->count; i++) {
            const struct shell_command *command = &script->commands[i];
            const struct shell_command *body =
                command->place & SHELL_IN_FUNCTION ? function_around(script, command) : NULL;
            if (!body || !hv_str_eq(body->variable, reached->names[next]))
                continue;
            *beside |=
                command->kind == SHELL_COMMAND_SIMPLE && command->word_count && command->place & SHELL_IN_BACKGROUND;
            if (is_call(command))
                reach(reached, command->words[0].value);
        }
}

static bool call_may_not_end(const struct shell_script *script, const struct shell_command *command)
{
    const struct shell_command *caller = command->place & SHELL_IN_FUNCTION ? function_around(script, command) : NULL;
    bool loop = command->place & SHELL_IN_LOOP && is_in_open_loop(script, command), beside = false;
    if (!caller && !loop)
        return false;
    struct reached reached = {.count = 0};
    follow_calls(script, command->words[0].value, &reached, &beside);
    for (size_t i = 0; caller && i < reached.count; i++)
        if (hv_str_eq(reached.names[i], caller->variable))
            return true;
    return reached.too_many || (loop && beside);
}

bool shell_may_not_end(const struct shell_script *script, const struct shell_command *command)
{
    if (command->kind != SHELL_COMMAND_SIMPLE || !command->word_count)
        return false;
    if (command->place & SHELL_IN_SPAWNED && is_in_open_loop(script, command))
        return true;
    return is_call(command) && call_may_not_end(script, command);
}
