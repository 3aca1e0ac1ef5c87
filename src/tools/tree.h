/*
 * tree.h: what a tool that searches a tree of files with several threads (fs/scan.h) shares with others of its kind:
 * the options of the scan, how long paths are made on any thread, and the closing words.
 */
#ifndef TOOLS_TREE_H
#define TOOLS_TREE_H

#include "fs/scan.h"
#include "tools/search.h"

enum { TREE_THREADS_MAX = 8 };

/* A thread for each processor that may be used, at most TREE_THREADS_MAX. */
unsigned tree_threads(void);
/* The options of a scan over the root: ignore rules, deadline, cancellation, tree_threads(). */
struct fs_scan_options tree_options(const struct search *search);
/* The absolute path of an entry, below the root as it was asked for; in path, which belongs to the calling thread. */
struct hv_str tree_path(const struct search *search, const struct fs_scan_entry *entry, struct hv_buf *path);
/* The entry is a regular file, or a link to one; *mtime_ns is the file's. Any thread. */
bool tree_is_file(const struct fs_scan_entry *entry, int64_t *mtime_ns);
/* What search_note_outcome and search_note_ignored take. */
struct fs_walk_outcome tree_outcome(const struct fs_scan_outcome *outcome);
/* search_note_outcome, and a line about ignore files that were not honoured. */
void tree_note_outcome(const struct search *search, const struct fs_scan_outcome *outcome, struct hv_buf *out);

#endif
