/*
 * rows.h: short forms for the lines of the tables of programs (program.h), so that a row reads like its man page.
 * Names are separated by blanks.
 */
#ifndef SHELL_ROWS_H
#define SHELL_ROWS_H

#include "shell/classify.h"

/* Options that are harmless: without an argument, with one that is data, with one that is only attached. */
#define FLAGS(names)                                                                                                   \
    {                                                                                                                  \
        names, SHELL_EFFECT_NONE, SHELL_ARITY_NONE                                                                     \
    }
#define VALUES(names)                                                                                                  \
    {                                                                                                                  \
        names, SHELL_EFFECT_NONE, SHELL_ARITY_ONE                                                                      \
    }
#define MAYBE(names)                                                                                                   \
    {                                                                                                                  \
        names, SHELL_EFFECT_NONE, SHELL_ARITY_OPTIONAL                                                                 \
    }
/* Options whose argument is a file that is read, or a directory. */
#define FILES(names)                                                                                                   \
    {                                                                                                                  \
        names, SHELL_EFFECT_READ, SHELL_ARITY_ONE                                                                      \
    }
#define TREES(names)                                                                                                   \
    {                                                                                                                  \
        names, SHELL_EFFECT_READ_TREE, SHELL_ARITY_ONE                                                                 \
    }
/* Options whose argument is a file that is written. */
#define OUTPUTS(names)                                                                                                 \
    {                                                                                                                  \
        names, SHELL_EFFECT_WRITE, SHELL_ARITY_ONE                                                                     \
    }
/* Options that only make the program print something about itself. */
#define HELPS(names)                                                                                                   \
    {                                                                                                                  \
        names, SHELL_EFFECT_HELP, SHELL_ARITY_NONE                                                                     \
    }
/* Options that do harm, without and with an argument. */
#define CHANGES(names)                                                                                                 \
    {                                                                                                                  \
        names, SHELL_EFFECT_WRITES, SHELL_ARITY_NONE                                                                   \
    }
#define CHANGES_WITH(names)                                                                                            \
    {                                                                                                                  \
        names, SHELL_EFFECT_WRITES, SHELL_ARITY_ONE                                                                    \
    }
#define RUNS(names)                                                                                                    \
    {                                                                                                                  \
        names, SHELL_EFFECT_EXECUTE, SHELL_ARITY_NONE                                                                  \
    }
#define RUNS_WITH(names)                                                                                               \
    {                                                                                                                  \
        names, SHELL_EFFECT_EXECUTE, SHELL_ARITY_ONE                                                                   \
    }
#define REACHES(names)                                                                                                 \
    {                                                                                                                  \
        names, SHELL_EFFECT_NETWORK, SHELL_ARITY_NONE                                                                  \
    }
#define REACHES_WITH(names)                                                                                            \
    {                                                                                                                  \
        names, SHELL_EFFECT_NETWORK, SHELL_ARITY_ONE                                                                   \
    }

/* Judges for programs and sub-commands that do harm whatever their words are: words[0] is the name. */
void shell_judge_changes(struct shell_reading *reading, const struct shell_word *words, size_t count);
void shell_judge_runs(struct shell_reading *reading, const struct shell_word *words, size_t count);
void shell_judge_reaches(struct shell_reading *reading, const struct shell_word *words, size_t count);

#endif
