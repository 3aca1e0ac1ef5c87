/*
 * grep_found.h: the files with matches that Grep found so far, on several threads, as far as the answer may need them.
 * The answer is in the order of a walk that goes depth first, files before directories, names sorted by bytes; files
 * are found in any order. So the first of that order are kept, and as soon as they fill the answer, what comes after
 * them need not be searched any more: the answer is the same however the threads happened to run.
 */
#ifndef TOOLS_GREP_FOUND_H
#define TOOLS_GREP_FOUND_H

#include <helve/str.h>
#include <pthread.h>
#include <stdatomic.h>

/* One line to be shown: bytes of the file's text up to `end`, from the end of the line before. */
struct found_line {
    size_t end, matches; /* matches: of the file up to this line */
    bool after_gap;
};

/* The lines to be shown of a file, and behind them their text, in one piece of memory. */
struct found_lines {
    size_t count;
    struct found_line items[];
};

/* Paths of files, put down one after the other: with memory of their own, many files would take most of it for that. */
struct found_names;

/* One file that was found, as small as can be: there may be tens of thousands. */
struct found_file {
    struct found_names *names; /* where its path lies, counted */
    uint16_t from;             /* there */
    bool is_plain;             /* the path can be shown as it is: file_name_is_plain */
    bool follows;              /* of found_arrange: the one before is of the same directory, and comes before it */
    uint32_t path_len, name;   /* name: where the last component begins */
    uint32_t entries;          /* how many of the answer's it makes: lines, or one */
    size_t matches;
    struct found_lines *lines; /* owned; NULL: none are to be shown */
};

/* The file at hand of a thread, in memory that serves one file after the other. */
struct found_draft {
    size_t entries, matches;
    struct hv_buf text;
    struct {
        struct found_line *items;
        size_t count, capacity;
    } lines;
};

struct grep_found {
    pthread_mutex_t lock;
    struct {
        struct found_file *items; /* once something is too much, a heap: the last of the order on top */
        size_t count, capacity;
    } files;
    uint32_t *order; /* of the files, once they were sorted */
    bool is_heap;
    size_t entries, entries_max; /* of all files; as many make the answer full */
    size_t bytes, bytes_max;
    bool has_limit;
    struct hv_buf limit; /* what comes from here on was thrown away */
    atomic_bool is_full; /* there is something that is past */
    bool is_cut;         /* files were thrown away as they took too many bytes */
};

/* entries_max > 0, and less than 2^32. To be released. */
void found_init(struct grep_found *found, size_t entries_max, size_t bytes_max);
void found_release(struct grep_found *found);

/*
 * Make *out of what was found, which is forgotten, though not the memory for it. *names is what the thread puts paths
 * into, NULL at first, and to be left at the end; without it the path gets memory of its own.
 */
void found_take(struct found_draft *draft, struct found_names **names, struct hv_str path, struct found_file *out);
void found_draft_clear(struct found_draft *draft);
void found_draft_release(struct found_draft *draft);
/* The thread puts no more paths there; NULL is accepted. */
void found_names_leave(struct found_names *names);
/* Relative to where the search began; NUL-terminated. */
struct hv_str found_path(const struct found_file *file);
/* The text of the lines of a file that has some. */
struct hv_str found_text(const struct found_file *file);
void found_file_release(struct found_file *file);

/* Put those of each directory that stand together in order. */
void found_arrange(struct found_file *files, size_t count);
/* Take up files, which were arranged: what they own moves, and they are zero afterwards. Any thread. */
void found_add(struct grep_found *found, struct found_file *files, size_t count);
/* The answer needs nothing of this file, or of what is in this directory. Any thread. */
bool found_is_past(struct grep_found *found, struct hv_str path, bool is_directory);
/* *path becomes that of a file after which the answer needs none; empty while there is no such file. Any thread. */
void found_limit(struct grep_found *found, struct hv_buf *path);
/* Put the files in order. Nothing may be added afterwards. */
void found_sort(struct grep_found *found);
/* The file at this place of the order, when they were sorted. */
const struct found_file *found_at(const struct grep_found *found, size_t place);

/* The order: < 0 when a comes before b. Equal paths give 0, a directory and what is in it, too. */
int found_compare(struct hv_str a, bool a_is_directory, struct hv_str b);

#endif
