/*
 * git_probe.h: whether git would run programs, or reach the network, because the repository that it is started in says
 * so. The environment of shell_run_environment stops what has a fixed name (core.fsmonitor, hooks, pagers, …); this
 * looks for the rest: filters, text conversions, external diffs, merge drivers, aliases, partial clones, a work tree
 * that lies elsewhere, and the same in submodules. The person's own configuration (~/.gitconfig, /etc/gitconfig) is
 * trusted and not read.
 *
 * The repository is sought as git does it: upwards from the directory, .git as a directory or a file, or a directory
 * that looks like a bare repository. Whatever cannot be read or understood counts as a finding.
 */
#ifndef FS_GIT_PROBE_H
#define FS_GIT_PROBE_H

#include "fs/plain_tree.h"

/* Remembers answers for the last directories, as long as no file that they were taken from has changed. */
struct git_probe;
struct git_probe *git_probe_new(void);
void git_probe_free(struct git_probe *probe); /* NULL is accepted */

/*
 * True when git, started in directory (absolute) with the overrides, runs no program that the repository names for this
 * sub-command; also when there is no repository. *why says what stands against it, in arena. probe may be NULL: then
 * nothing is remembered. Reads files (some microseconds when they are unchanged); from any thread.
 */
bool git_probe_is_quiet(struct git_probe *probe, struct hv_arena *arena, struct hv_str directory,
                        struct hv_str subcommand, struct hv_str *why);

/*
 * The directory at or above directory from which git's search upwards finds the same: the first where something like a
 * repository stands, or the root. git_probe_is_quiet need not be asked about each directory of a repository. In trees,
 * or directory itself where it is not certain.
 */
struct hv_str git_probe_start(struct fs_trees *trees, struct hv_str directory);

/* What git_probe_is_quiet says of git started in any of the directories, and links to such, that stand directly in
 * directory (absolute), whatever they are called. False when there are more than 200 of them, or directory cannot be
 * read. */
bool git_probe_is_quiet_below(struct git_probe *probe, struct hv_arena *arena, struct hv_str directory,
                              struct hv_str subcommand, struct hv_str *why);

/* What git, started in directory (absolute), calls the top of the work tree, in arena: a configuration that names
 * another one counts as a finding above. directory itself when there is no repository; absent when it is not certain.
 */
struct hv_str git_probe_top(struct hv_arena *arena, struct hv_str directory);

/*
 * True when all that is wanted of names (links are none) holds for what the index of the repository around directory
 * (absolute) names below it, also of what is not in the work tree; and where there is no repository or index. False
 * when that is not certain. Blocks.
 */
bool git_probe_names_are_plain(struct hv_str directory, const struct fs_plain *wanted);

/* The first path that this index names below directory, as seen from there, of which `wanted` says that it is looked
 * for; in arena. Absent: there is none, or that is not certain. Blocks. */
struct hv_str git_probe_find_name(struct hv_arena *arena, struct hv_str directory, fs_name_wanted *wanted, void *user);

#endif
