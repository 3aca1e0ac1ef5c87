/*
 * programs_git.h: the tables of git's sub-commands, by kind; programs_git.c puts them together. git(1), version 2.39,
 * and what later versions added. Options that write or run something are left out or said to do so: --output of all
 * that shows differences, --ext-diff, --textconv, --show-signature, grep -O. No abbreviations: git takes them, so an
 * unknown one may be anything.
 */
#ifndef SHELL_PROGRAMS_GIT_H
#define SHELL_PROGRAMS_GIT_H

#include "shell/rows.h"

/* log, diff, show, blame … : commits and differences. */
extern const struct shell_program shell_git_history[];
/* status, ls-files, rev-parse, cat-file … : objects, names and the index. */
extern const struct shell_program shell_git_objects[];
/* branch, tag, config, stash … : those that list or change, depending on their words. */
extern const struct shell_program shell_git_lists[];

/* The rows of `git log`, for those that take its options (reflog, stash list). */
extern const struct shell_program shell_git_log_row;

/* The words of a sub-command, with a commit put in for those that surely name one: $(git rev-parse HEAD)..,
 * "origin/$branch", HEAD~$i. */
const struct shell_word *shell_git_put_in_commits(struct shell_reading *reading, const struct shell_word *words,
                                                  size_t count);

/* Makes it unknown when the argument of an option may begin with "-", for sub-commands that may take it for an option.
 */
void shell_git_plain_arguments(struct shell_reading *reading, const struct shell_program *row,
                               const struct shell_word *words, size_t count);

#endif
