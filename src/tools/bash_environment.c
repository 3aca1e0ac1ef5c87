/*
 * bash_environment.c: the variables that a command of Bash gets besides those of the session: what a terminal is
 * expected to say of itself, editors that end at once, and the command itself. See bash.h.
 */
#include "base/path.h"
#include "tools/bash.h"

#include <string.h>

/* Plain enough that what comes over it can be read as text. */
static const char *const terminal_variables[] = {"TERM=dumb", "PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat", NULL};

/*
 * Nobody sees an editor of a command without a terminal, and it would wait until the time-out. These are commands for
 * sh, to which the name of the file is added. git's own come before what its configuration names (core.editor); a text
 * that git has prepared (the message of a merge or of a commit that is amended or rebased) is kept.
 */
#define NO_EDITOR "echo 'helve: no editor can be shown here: "
static const char *const editor_variables[] = {
    "EDITOR=" NO_EDITOR "give the text by an option or from a file.' >&2; false",
    "VISUAL=" NO_EDITOR "give the text by an option or from a file.' >&2; false",
    "GIT_EDITOR=f() { grep -q '^[^#]' \"$1\" || { " NO_EDITOR "use -m, -F or --no-edit.' >&2; false; }; }; f",
    "GIT_SEQUENCE_EDITOR=" NO_EDITOR "set GIT_SEQUENCE_EDITOR to a command that changes the list.' >&2; false",
    NULL,
};
enum { EDITORS_OF_GIT = 2 /* index of the first in editor_variables */ };

static bool has_same_name(const char *a, const char *b)
{
    size_t len = strcspn(a, "=");
    return strncmp(a, b, len + 1) == 0;
}

/* environment with added in the place of what has their names. */
static const char *const *with_variables(struct hv_arena *arena, const char *const *environment,
                                         const char *const *added, size_t added_count)
{
    size_t count = 0, at = 0;
    while (environment && environment[count])
        count++;
    const char **list = hv_arena_array(arena, const char *, count + added_count + 1);
    for (size_t i = 0; i < count; i++) {
        bool replaced = false;
        for (size_t j = 0; j < added_count && !replaced; j++)
            replaced = has_same_name(added[j], environment[i]);
        if (!replaced)
            list[at++] = environment[i];
    }
    for (size_t j = 0; j < added_count; j++)
        list[at++] = added[j];
    return list;
}

/* The person has set this variable to a program that asks nobody. */
static bool is_set_to_filter(const char *const *environment, const char *variable)
{
    static const char *const filters[] = {"true", "false", ":", "cat", "sed", "touch", "cp"};
    size_t name = strcspn(variable, "=") + 1;
    for (size_t i = 0; environment && environment[i]; i++) {
        if (!has_same_name(variable, environment[i]))
            continue;
        struct hv_str program = hv_str_of(environment[i] + name, strcspn(environment[i] + name, " \t"));
        for (size_t j = 0; j < sizeof filters / sizeof *filters; j++)
            if (hv_str_is(path_name(program), filters[j]))
                return true;
    }
    return false;
}

/* The command chooses an editor itself, in a way that git's own variables would win over. */
static bool chooses_editor(struct hv_str command)
{
    static const char *const ways[] = {"EDITOR=", "VISUAL=", ".editor", ".Editor"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (hv_str_find(command, hv_str_from(ways[i]), 0) != SIZE_MAX)
            return true;
    return false;
}

const char *const *bash_environment(const struct bash_input *in, const struct hv_context *context, bool with_command)
{
    enum { ADDED_MAX = 8 };
    const char *added[ADDED_MAX];
    size_t count = 0;
    bool chooses = !in->tty && chooses_editor(in->command);
    for (size_t i = 0; in->tty && terminal_variables[i]; i++)
        added[count++] = terminal_variables[i];
    for (size_t i = 0; !in->tty && editor_variables[i]; i++)
        if (!is_set_to_filter(context->environment, editor_variables[i]) && (i < EDITORS_OF_GIT || !chooses))
            added[count++] = editor_variables[i];
    if (with_command)
        added[count++] = hv_arena_format(context->arena, BASH_COMMAND_VARIABLE "=%.*s", HV_STR_ARG(in->command)).ptr;
    return with_variables(context->arena, context->environment, added, count);
}
