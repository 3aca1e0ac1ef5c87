/*
 * rows.h: short forms for the lines of the tables of programs (program.h), so that a row reads like its man page.
 * Names are separated by blanks.
 */
#ifndef SHELL_ROWS_H
#define SHELL_ROWS_H

#include "shell/programs.h"

/* One option, or several with the same meaning; one row that only reads. */
#define OPTION(names, effect, arity)                                                                                   \
    {                                                                                                                  \
        names, SHELL_EFFECT_##effect, SHELL_ARITY_##arity                                                              \
    }
#define READING(names, syntax, rest_effect, ...)                                                                       \
    {                                                                                                                  \
        names, SHELL_SYNTAX_##syntax, SHELL_READ_ONLY, .rest = SHELL_EFFECT_##rest_effect, __VA_ARGS__                 \
    }

/* Options that are harmless: without an argument, with one that is data, with one that is only attached. */
#define FLAGS(names) OPTION(names, NONE, NONE)
#define VALUES(names) OPTION(names, NONE, ONE)
#define MAYBE(names) OPTION(names, NONE, OPTIONAL)
/* Options whose argument is a file that is read, or a directory. */
#define FILES(names) OPTION(names, READ, ONE)
#define TREES(names) OPTION(names, READ_TREE, ONE)
/* Options whose argument is a file that is written. */
#define OUTPUTS(names) OPTION(names, WRITE, ONE)
/* Options that only make the program print something about itself. */
#define HELPS(names) OPTION(names, HELP, NONE)
/* Options that do harm, without and with an argument. */
#define CHANGES(names) OPTION(names, WRITES, NONE)
#define CHANGES_WITH(names) OPTION(names, WRITES, ONE)
#define RUNS(names) OPTION(names, EXECUTE, NONE)
#define RUNS_WITH(names) OPTION(names, EXECUTE, ONE)
#define REACHES(names) OPTION(names, NETWORK, NONE)
#define REACHES_WITH(names) OPTION(names, NETWORK, ONE)

/* Whole rows. A sub-command that shows something and takes no options; with options; with those and a shared list. */
#define PLAIN(names) READING(names, EXACT, NONE, )
#define SHOWS(names, ...) READING(names, EXACT, NONE, .options = OPTIONS(__VA_ARGS__))
#define SHOWS_MORE(names, shared, ...)                                                                                 \
    READING(names, EXACT, NONE, .options = OPTIONS(__VA_ARGS__), .more_options = shared)
/* The same for operands that are files, and directories. */
#define READS_FILES(names, ...)                                                                                        \
    READING(names, EXACT, READ_TREE, .options = OPTIONS(__VA_ARGS__), .without_operands = SHELL_EFFECT_READ)
/* The same for operands that are files, and nothing else. */
#define LOOKS_AT(names, ...) READING(names, EXACT, READ, .options = OPTIONS(__VA_ARGS__))
/* … whatever its options are, also those that are not listed: a word that is not known may stand among them. */
#define LOOKS_ANYHOW(names, ...) READING(names, EXACT, READ, .options = OPTIONS(__VA_ARGS__), .harmless_options = true)
/* Both for programs whose long options have one dash. */
#define SHOWS_WORDS(names, ...) READING(names, WORDS, NONE, .options = OPTIONS(__VA_ARGS__))
#define LOOKS_AT_WORDS(names, ...) READING(names, WORDS, READ, .options = OPTIONS(__VA_ARGS__))
/* What reads its operands when one of `needed` is given, and changes something without. */
#define LOOKS_WITH(names, needed, ...) READING(names, EXACT, READ, .options = OPTIONS(__VA_ARGS__), .needs = needed)
#define SHOWS_WITH(names, needed, ...) READING(names, EXACT, NONE, .options = OPTIONS(__VA_ARGS__), .needs = needed)
/* A program of sub-commands; without one it prints how it is used. */
#define COMMANDS(names, ...)                                                                                           \
    READING(names, EXACT, UNKNOWN, .options = OPTIONS(HELPS("--version --help")),                                      \
            .subcommands = SUBCOMMANDS(__VA_ARGS__))
/* … without one it takes commands from its input. */
#define PROMPTS(names, ...)                                                                                            \
    READING(names, EXACT, UNKNOWN, .options = OPTIONS(HELPS("--version --help")),                                      \
            .subcommands = SUBCOMMANDS(__VA_ARGS__), .takes_commands = true)
/* A sub-command with sub-commands of its own. */
#define GROUP(names, ...) READING(names, EXACT, UNKNOWN, .subcommands = SUBCOMMANDS(__VA_ARGS__))
#define SUBCOMMANDS(...) ((const struct shell_program[]){__VA_ARGS__, {0}})
/* Programs and sub-commands that do harm. */
#define JUDGED(names, by)                                                                                              \
    {                                                                                                                  \
        names, .judge = by                                                                                             \
    }
#define WRITERS(names) JUDGED(names, shell_judge_changes)
#define RUNNERS(names) JUDGED(names, shell_judge_runs)
#define REACHERS(names) JUDGED(names, shell_judge_reaches)

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

/* "@file" stands for the options that stand in the file, which are not known: unknown, and true. */
bool shell_names_option_file(struct shell_reading *reading, const struct shell_word *words, size_t count);

/* What reads is harmless only where the project has none of the files `names`, by which it would make the program run
 * code: asked of the world. To be called last. */
void shell_needs_none(struct shell_reading *reading, const char *names);

#endif
