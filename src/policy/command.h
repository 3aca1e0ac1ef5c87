/*
 * command.h: what can be said of a shell command without parsing it, for those that the reader of scripts does not
 * accept and for code in other languages: everything that could be a command in the text counts as one. It may only
 * ever add questions and denials. Pure.
 */
#ifndef POLICY_COMMAND_H
#define POLICY_COMMAND_H

#include "policy/rule.h"

enum { COMMAND_LENGTH_MAX = 10000 }; /* longer commands are allowed by no rule but the whole tool's */

/* A command made ready for the generous reading, and what that finds in it. */
struct command_text {
    struct hv_str raw;
    struct hv_str bare; /* without quotes and backslashes, blanks folded into one */
    /* The trip-wire of what is never run: destroying a root or home, writing to a block device, piping the
     * network into a shell, fork bombs. What it is, for people, or NULL. */
    const char *forbidden;
    const char *confirmed; /* what is always confirmed apart from paths, sudo and its kin: as above, or NULL */
    bool may_write; /* redirects its output, runs program text, or runs a program that writes the files it names */
    bool runs_code; /* program text given in it (sh -c, python -c, eval, …): no rule is proposed for it */
};
void command_prepare(struct hv_arena *arena, struct hv_str command, struct command_text *out);

/* Without the blanks and newlines that bash passes over at both ends. Others, such as CR, are part of a word to it. */
struct hv_str command_trim(struct hv_str command);

/* text without quotes and backslashes, blanks folded into one. */
struct hv_str command_bare_text(struct hv_arena *arena, struct hv_str text);

/* A deny or ask rule's specifier takes some part of this command. */
bool command_hit_by(const struct rule *rule, const struct command_text *command);

/* One command of plain words that runs a program which only shows the files it names, whatever its options. */
bool command_only_shows(const struct command_text *command);

/*
 * Call visit for each piece of the command that could be a path, made absolute (from directory or home, "$HOME" and
 * "${HOME}" too) and tidy, until it returns true; then that is returned. untidy is the same with its "." and ".." as
 * written: behind a link these lead elsewhere. Both are valid during the call.
 */
typedef bool command_path_visitor(void *user, struct hv_str path, struct hv_str untidy);
bool command_each_path(const struct command_text *command, struct hv_str directory, struct hv_str home,
                       command_path_visitor *visit, void *user);

#endif
