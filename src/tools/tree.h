/*
 * tree.h: what a tool that searches a tree of files with several threads (fs/scan.h) shares with others of its kind:
 * the options of the scan, and what is known of an entry on any thread.
 */
#ifndef TOOLS_TREE_H
#define TOOLS_TREE_H

#include "fs/git_settings.h"
#include "fs/scan.h"
#include "tools/search.h"

/* Where the person's files of git lie, by the session's environment. */
struct git_person tree_git_person(const struct hv_context *context);
/* What the searches of a session have learnt of its directories; NULL where none will come after this one. */
struct fs_warm *tree_memory(struct hv_context *context);
/* The options of a scan over the root: ignore rules, deadline, cancellation, fs_scan_threads(). */
struct fs_scan_options tree_options(const struct search *search);
/* fs_scan over the root as the call was judged by it. */
enum hv_code tree_scan(const struct search *search, const struct fs_scan_options *options, fs_scan_visit *visit,
                       void *user, struct fs_scan_outcome *outcome, struct hv_error *err) HV_MUST_CHECK;
/* The absolute path of an entry, below the root as it was asked for; in path, which belongs to the calling thread. */
struct hv_str tree_path(const struct search *search, const struct fs_scan_entry *entry, struct hv_buf *path);
/* The entry is a regular file, or a link to one; *mtime_ns is the file's. Any thread. */
bool tree_is_file(const struct fs_scan_entry *entry, int64_t *mtime_ns);

#endif
