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

struct found_file {
    char *path; /* relative to where the search began; owned */
    size_t path_len;
    size_t entries; /* how many of the answer's it makes: lines, or one */
    size_t matches;
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
    bool is_heap;
    size_t entries, entries_max; /* of all files; as many make the answer full */
    size_t bytes, bytes_max;
    char *limit; /* what comes from here on was thrown away; may be NULL */
    size_t limit_len;
    atomic_bool is_full; /* there is something that is past */
    bool is_cut;         /* files were thrown away as they took too many bytes */
};

/* entries_max > 0. To be released. */
void found_init(struct grep_found *found, size_t entries_max, size_t bytes_max);
void found_release(struct grep_found *found);

void found_file_name(struct found_file *file, struct hv_str path);
/* Take up files that have names: what they own moves, and they are zero afterwards. Any thread. */
void found_add(struct grep_found *found, struct found_file *files, size_t count);
/* The answer needs nothing of this file, or of what is in this directory. Any thread. */
bool found_is_past(struct grep_found *found, struct hv_str path, bool is_directory);
/* *path becomes that of a file after which the answer needs none; empty while there is no such file. Any thread. */
void found_limit(struct grep_found *found, struct hv_buf *path);
/* Put the files in order. Nothing may be added afterwards. */
void found_sort(struct grep_found *found);
void found_file_release(struct found_file *file);
/* Move what was found to *out, in memory of just that size; what is left can be filled again. */
void found_file_take(struct found_file *file, struct found_file *out);
/* Forget what was found, but not the memory for it. */
void found_file_clear(struct found_file *file);

/* The order: < 0 when a comes before b. Equal paths give 0, a directory and what is in it, too. */
int found_compare(struct hv_str a, bool a_is_directory, struct hv_str b);

#endif
