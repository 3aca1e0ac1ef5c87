/*
 * search.h: what Glob, Grep and LS share: where a search begins, how long it may take, which paths it must not show,
 * and the closing words about what was left out. One search belongs to one call and its thread.
 */
#ifndef TOOLS_SEARCH_H
#define TOOLS_SEARCH_H

#include "fs/scan.h"
#include "text/glob.h"

#include <helve/tool.h>

enum { SEARCH_SECONDS = 20, SEARCH_PATTERNS_MAX = 100 };

struct search {
    struct hv_context *context;
    struct hv_str root;       /* absolute: a directory or a regular file */
    struct hv_file_stat stat; /* of root, links followed */
    uint64_t deadline_ns;     /* on the monotonic clock */
    uint64_t progress_ns;     /* when progress is due next */
};

/*
 * Begin at path (absolute; empty means the working directory). HV_ENOTFOUND with the nearest names, HV_EUNSUPPORTED for
 * what is neither a directory nor a regular file.
 */
enum hv_code search_begin(struct search *search, struct hv_context *context, struct hv_str path,
                          struct hv_error *err) HV_MUST_CHECK;

/* Open a regular file of the search for reading; path is its root, or below it. */
enum hv_code search_open(const struct search *search, struct hv_str path, int *fd, struct hv_file_stat *stat,
                         struct hv_error *err) HV_MUST_CHECK;
/* The time is up or the call cancelled. */
bool search_is_over(const struct search *search);
/* Tell how far the search is, once a second. */
void search_progress(struct search *search, size_t files, size_t found);
/* One line each about ignore files that were not honoured, directories that could not be read (some by name), and a
 * search that ended early, with directories that it did not reach. */
void search_note_outcome(const struct search *search, const struct fs_scan_outcome *outcome, struct hv_buf *out);
/* "3 entries were left out by ignore files" as far as there were any; behind it the way to them, "" when there is none.
 */
void search_note_ignored(const struct fs_scan_outcome *outcome, const char *way, struct hv_buf *out);
/* A path as it is shown: relative to the working directory when inside. */
struct hv_str search_shown(const struct search *search, struct hv_str path);
/* The same for an entry of a list: see file_listed_name. */
struct hv_str search_listed(const struct search *search, struct hv_str path);

/* ---- patterns that choose files -------------------------------------------------------------------------- */

struct search_pattern {
    struct glob_set set;
    bool anchored;     /* "./x", "/x": at the top only */
    bool kept;         /* "!" in front of an unwanted one: what it matches is wanted all the same */
    bool directories;  /* "/" behind an unwanted one: it is only of directories */
    bool names_hidden; /* part of it is a name that begins with a dot: hidden files are meant, too */
};

/*
 * Patterns of which one must match, and of which none may ("!" in front). Lives in the arena of the call. Zeroed but
 * for `directory`, the working directory (absolute), it takes everything that is not hidden.
 */
struct search_filter {
    struct hv_str directory;
    struct search_pattern *wanted, *unwanted;
    size_t wanted_count, unwanted_count;
    bool hidden; /* hidden files are wanted whether or not the pattern names them */
};

/* Add the patterns of text, separated by commas outside of braces and brackets. HV_EINVAL, HV_ETOOBIG. */
enum hv_code search_filter_add(struct search_filter *filter, struct hv_arena *arena, struct hv_str text,
                               struct hv_error *err) HV_MUST_CHECK;
/* Add one pattern of which matches are unwanted or, with "!" in front, not unwanted after all; the empty one is none.
 */
enum hv_code search_filter_exclude(struct search_filter *filter, struct hv_arena *arena, struct hv_str pattern,
                                   struct hv_error *err) HV_MUST_CHECK;
/* Expand the braces of a pattern from which "!" was taken already: one that it begins with stands for itself. */
enum hv_code search_expand(struct hv_arena *arena, struct hv_str pattern, struct glob_set *set,
                           struct hv_error *err) HV_MUST_CHECK;
/* Some part of the pattern is a name that begins with a dot: then hidden files are meant. */
bool search_names_hidden(const struct glob_set *set);
/* Hidden files have to be visited. */
bool search_filter_names_hidden(const struct search_filter *filter);
/*
 * A pattern without a slash is matched against the name, any other against path (from where the search begins) or shown
 * (the path as seen from the working directory).
 */
bool search_filter_unwanted(const struct search_filter *filter, struct hv_str path, struct hv_str shown,
                            bool is_directory);
bool search_filter_match(const struct search_filter *filter, struct hv_str path, struct hv_str shown);

/* What may be why no file fits these file patterns: a choice that is not closed, or several written in a way that means
 * something else. separated: by commas they may be, as in Grep's glob. NULL: nothing strikes. */
const char *search_doubt(struct hv_str patterns, bool separated);
/* The same of a pattern that matches nearly everything, as "!(*.c)" does: told whatever was found. */
const char *search_doubt_negation(struct hv_str pattern);

#endif
