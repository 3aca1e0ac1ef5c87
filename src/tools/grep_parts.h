/*
 * grep_parts.h: one call of Grep, as its three files share it: grep.c (fields, the way of the call), grep_search.c
 * (what threads do with files) and grep_answer.c (what is told in the end).
 */
#ifndef TOOLS_GREP_PARTS_H
#define TOOLS_GREP_PARTS_H

#include "base/vec.h"
#include "fs/newest.h"
#include "fs/scan_marks.h"
#include "tools/file_types.h"
#include "tools/grep_found.h"
#include "tools/line_scan.h"
#include "tools/tree.h"

enum {
    GREP_LINE_SHOWN = 500,  /* bytes of a long line */
    GREP_LINE_BEFORE = 120, /* of these, before the match */
    GREP_OUTPUT_MAX = 64 << 20,
    GREP_OUTPUT_SPARE = 64 << 10,
    GREP_THREADS_MAX = 4,
    GREP_TROUBLES_MAX = 4096, /* remembered by each thread */
    GREP_ALONE = 15,          /* lines before and after a match that is the only one */
};

enum output_mode { FILES_WITH_MATCHES = 1, CONTENT, COUNT };

struct grep_input {
    struct hv_str pattern, path, glob, type;
    int output_mode;
    bool has_mode;
    int64_t after, before, around;
    bool has_after, has_before, has_around;
    bool numbers, columns, ignore_case, multiline, fixed_strings, no_ignore, hidden;
    int64_t head_limit, offset;
};

/* What went wrong with a file, so that something in it may have been missed. */
struct grep_trouble {
    enum grep_trouble_kind {
        GREP_UNREADABLE,
        GREP_IN_PIECES, /* a long match across lines may have been missed */
        GREP_CUT_SHORT, /* text with matches, then bytes that are no text */
        GREP_GIVEN_UP,  /* places where the pattern took too long */
    } kind;
    size_t count;
    char *path; /* relative to where the search began; owned */
    size_t path_len;
};

/* One thread of a call, in cache lines of its own. */
struct grep_worker {
    _Alignas(64) struct grepping *grepping;
    bool is_caller; /* the thread of the call itself */
    struct line_scan scan;
    struct fs_newest newest;                     /* files_with_matches */
    atomic_size_t files_searched, files_matched; /* written by this thread alone, read by the caller's, too */
    size_t matches, binary;
    VEC(struct grep_trouble) troubles;
    bool more_troubles;          /* than are remembered */
    VEC(struct found_file) kept; /* found, but not yet given to what all threads share */
    size_t kept_entries;
    struct found_names *names; /* where their paths lie, the last of them at least */
    struct hv_buf limit;       /* files after this one need not be kept; empty: there is no such limit yet */
    /* The file at hand. */
    const struct fs_scan_entry *entry; /* NULL: it is not one of the tree's */
    struct hv_buf path;                /* absolute; of the file at hand only when it was asked for */
    struct hv_str relative; /* the path from where the search began, when `path` is still to be made from it */
    struct found_draft file;
    bool checked, hidden;
};

/* One call under way. What workers share of it they only read, but for what says so. */
struct grepping {
    struct search search;
    const struct grep_input *in;
    struct search_filter filter;
    const struct file_type *type;
    struct find *find;
    struct grep_worker workers[GREP_THREADS_MAX];
    unsigned threads;
    struct fs_marks_use marks; /* what is remembered of files' contents */
    struct grep_found found;   /* shared; content and count */
    /* The answer. */
    struct hv_buf out;
    size_t skip, room;    /* entries still to be left out, and to be shown */
    struct hv_str before; /* of a path that was found, as it is listed; absent: it depends on the path */
    size_t shown;
    bool asks_first;   /* a rule keeps files from being read: they are not even opened */
    bool full;         /* there was one more than could be shown */
    bool around_alone; /* the surroundings of the only match are shown */
    size_t files, files_found, matches;
    struct hv_str last; /* the last file that was shown, when there is more of the answer */
    bool any_printed;
};

/* ---- grep_search.c ----------------------------------------------------------------------------------------- */

/* Asked by matchers and scanners on the thread of the worker `user`: is it to end? */
bool grep_stop(void *user);
/* Keep a line as it will be shown behind the path: for line_scan. */
bool grep_keep_line(void *user, const struct scan_line *line);
/* A number with a mark behind it, without format: there is one in each line of an answer. */
void grep_add_number(struct hv_buf *out, size_t number, char mark);
/* Remember what the file at hand holds: for line_scan. */
void grep_keep_text(void *user, struct hv_str text);
/* worker->path becomes that of what lies at path, seen from where the search began. */
void grep_set_path(struct grep_worker *worker, struct hv_str path);
/* Search the tree, or the one file, that the search begins at. */
HV_MUST_CHECK enum hv_code grep_search(struct grepping *grepping, struct fs_scan_outcome *outcome,
                                       struct hv_error *err);
/* What was found is one match: find it again with the lines around it. */
void grep_search_around(struct grepping *grepping);
/* Of all threads, so far. */
size_t grep_files_searched(const struct grepping *grepping);
size_t grep_files_matched(const struct grepping *grepping);
void grep_troubles_release(struct grep_worker *worker);

/* ---- grep_answer.c ----------------------------------------------------------------------------------------- */

/* Tell what was found, when all threads have ended. */
void grep_answer(struct grepping *grepping, const struct fs_scan_outcome *outcome, struct hv_result *result);

#endif
