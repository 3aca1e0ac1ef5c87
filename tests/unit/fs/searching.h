/*
 * searching.h: searches over a small tree that remember what they found out (fs/scan_marks.h, fs/scan_sketch.h), beside
 * ones that open every file, and changes of the tree in between.
 */
#ifndef TESTS_FS_SEARCHING_H
#define TESTS_FS_SEARCHING_H

#include "folder.h"

#include "fs/scan_warm.h"

enum { DIRECTORIES = 3, FILES = 8, TICKS_NS = 30 * 1000 * 1000, PATTERNS = 13 };

extern const char *const patterns[PATTERNS];

struct memory {
    struct folder folder;
    struct fs_warm warm;
    uint32_t random;
    bool works; /* the file system takes part */
};

/* For cmocka: a tree "t" of DIRECTORIES * FILES files and an empty memory, in which files and directories count when
 * they were left alone for TICKS_NS, and no sketches are made, as *state. */
int open_memory(void **state);
int close_memory(void **state);

uint32_t next_random(struct memory *memory, uint32_t below);
/* Long enough for directories not to have changed lately. */
void let_rest(void);
void file_name(char *name, size_t size, unsigned number);
/* One change somewhere; it may fail. */
void change(struct memory *memory);
/* Write over it what is as long, and set its times back. */
void change_in_secret(struct memory *memory, const char *path);

/* One search, on two threads. */
struct searching {
    struct fs_marks_use use;
    const struct find *find;
    pthread_mutex_t lock;
    char found[DIRECTORIES * FILES * 2];  /* by the number of the file: 'x' where there is a match */
    bool no_texts;                        /* keep none */
    atomic_size_t skipped, known, opened; /* files that were ruled out, whose text was known, and others */
};
/* warm: NULL to remember nothing. */
void search(struct fs_warm *warm, struct hv_str root, const char *pattern, struct searching *searching);

/* Search with what is remembered and without, which must agree; how many files were ruled out, how many texts were
 * known. */
void compare_both(struct memory *memory, const char *pattern, bool no_texts, size_t *skipped, size_t *known);
/* The same without texts: how many files were ruled out. */
size_t compare(struct memory *memory, const char *pattern);
/* The same with texts: how many of them were known. */
size_t compare_texts(struct memory *memory, const char *pattern);

/* Contents of the first files change over and over, on a thread of its own; directories stay as they are. */
struct changing {
    struct memory *memory;
    unsigned files; /* that change */
    atomic_bool over;
};
void *keep_changing(void *changing);

#endif
