/*
 * rows.h: short forms for the lines of the tables of programs (program.h), so that a row reads like its man page.
 * Names are separated by blanks.
 */
#ifndef SHELL_ROWS_H
#define SHELL_ROWS_H

#include "shell/programs.h"

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

/* Whole rows. A sub-command that shows something and takes no options; with options; with those and a shared list. */
#define PLAIN(names)                                                                                                   \
    {                                                                                                                  \
        names, SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .rest = SHELL_EFFECT_NONE                                          \
    }
#define SHOWS(names, ...)                                                                                              \
    {                                                                                                                  \
        names, SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(__VA_ARGS__), .rest = SHELL_EFFECT_NONE         \
    }
#define SHOWS_MORE(names, shared, ...)                                                                                 \
    {                                                                                                                  \
        names, SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(__VA_ARGS__), .more_options = shared,           \
                                                    .rest = SHELL_EFFECT_NONE                                          \
    }
/* The same for operands that are files, and directories. */
#define READS_FILES(names, ...)                                                                                        \
    {                                                                                                                  \
        names, SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(__VA_ARGS__), .rest = SHELL_EFFECT_READ_TREE,   \
                                                    .without_operands = SHELL_EFFECT_READ                              \
    }
/* The same for operands that are files, and nothing else. */
#define LOOKS_AT(names, ...)                                                                                           \
    {                                                                                                                  \
        names, SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(__VA_ARGS__), .rest = SHELL_EFFECT_READ         \
    }
/* … whatever its options are, also those that are not listed: a word that is not known may stand among them. */
#define LOOKS_ANYHOW(names, ...)                                                                                       \
    {                                                                                                                  \
        names, SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(__VA_ARGS__), .rest = SHELL_EFFECT_READ,        \
                                                    .harmless_options = true                                           \
    }
/* Both for programs whose long options have one dash. */
#define SHOWS_WORDS(names, ...)                                                                                        \
    {                                                                                                                  \
        names, SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = OPTIONS(__VA_ARGS__), .rest = SHELL_EFFECT_NONE         \
    }
#define LOOKS_AT_WORDS(names, ...)                                                                                     \
    {                                                                                                                  \
        names, SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = OPTIONS(__VA_ARGS__), .rest = SHELL_EFFECT_READ         \
    }
/* What reads its operands when one of `needed` is given, and changes something without. */
#define LOOKS_WITH(names, needed, ...)                                                                                 \
    {                                                                                                                  \
        names, SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(__VA_ARGS__), .rest = SHELL_EFFECT_READ,        \
                                                    .needs = needed                                                    \
    }
#define SHOWS_WITH(names, needed, ...)                                                                                 \
    {                                                                                                                  \
        names, SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(__VA_ARGS__), .rest = SHELL_EFFECT_NONE,        \
                                                    .needs = needed                                                    \
    }
/* A program of sub-commands; without one it prints how it is used. */
#define COMMANDS(names, ...)                                                                                           \
    {                                                                                                                  \
        names, SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(HELPS("--version --help")),                     \
                                                    .subcommands = (const struct shell_program[])                      \
        {                                                                                                              \
            __VA_ARGS__,                                                                                               \
            {                                                                                                          \
                0                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }
/* … without one it takes commands from its input. */
#define PROMPTS(names, ...)                                                                                            \
    {                                                                                                                  \
        names, SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(HELPS("--version --help")),                     \
                                                    .subcommands = SUBCOMMANDS(__VA_ARGS__), .takes_commands = true    \
    }
/* A sub-command with sub-commands of its own. */
#define GROUP(names, ...)                                                                                              \
    {                                                                                                                  \
        names, SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .subcommands = (const struct shell_program[])                      \
        {                                                                                                              \
            __VA_ARGS__,                                                                                               \
            {                                                                                                          \
                0                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }
#define SUBCOMMANDS(...) ((const struct shell_program[]){__VA_ARGS__, {0}})
/* Programs and sub-commands that do harm. */
#define WRITERS(names)                                                                                                 \
    {                                                                                                                  \
        names, .judge = shell_judge_changes                                                                            \
    }
#define RUNNERS(names)                                                                                                 \
    {                                                                                                                  \
        names, .judge = shell_judge_runs                                                                               \
    }
#define REACHERS(names)                                                                                                \
    {                                                                                                                  \
        names, .judge = shell_judge_reaches                                                                            \
    }

/* Judges for programs and sub-commands that do harm whatever their words are: words[0] is the name. */
void shell_judge_changes(struct shell_reading *reading, const struct shell_word *words, size_t count);
void shell_judge_runs(struct shell_reading *reading, const struct shell_word *words, size_t count);
void shell_judge_reaches(struct shell_reading *reading, const struct shell_word *words, size_t count);

/* Judges for programs that run code, or reach the network, unless they are only asked for their version: --version or
 * -version alone; with `about` also --help, and -v, -V … where these are known to ask; `project`: not even then, since
 * the project names what runs. */
void shell_judge_tool(struct shell_reading *reading, const struct shell_word *words, size_t count);
void shell_judge_about(struct shell_reading *reading, const struct shell_word *words, size_t count);
void shell_judge_client(struct shell_reading *reading, const struct shell_word *words, size_t count);
void shell_judge_project(struct shell_reading *reading, const struct shell_word *words, size_t count);

/* What reads is harmless only where the project has none of the files `names`, by which it would make the program run
 * code: asked of the world. To be called last. */
void shell_needs_none(struct shell_reading *reading, const char *names);

#endif
