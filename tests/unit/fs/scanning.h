/* scanning.h: running fs_scan in a test and turning what all its threads saw into one sorted text. */
#ifndef TESTS_FS_SCANNING_H
#define TESTS_FS_SCANNING_H

#include "folder.h"

#include "fs/scan.h"

#include <stdatomic.h>

/* What the visits are to do besides taking notes; fill it, run, look. */
struct scanning {
    const char *skip, *stop;           /* names at which to do so */
    struct hv_cancel *cancel_at_first; /* raised in each visit */
    bool no_check;                     /* do not look at each file through its directory's descriptor */
    struct fs_scan_outcome outcome;
    atomic_size_t count, deepest, other_threads;
    atomic_uint faults; /* entries that contradict themselves */
    struct hv_buf notes[FS_SCAN_THREADS_MAX];
};

/*
 * Scan and return the paths, sorted, a line each; directories with '/' behind, ignored entries with '-' before. Lives
 * in the folder's arena. Fails the test when the scan fails or an entry is not what it says.
 */
const char *scanning_run(struct scanning *scanning, struct folder *folder, const struct fs_scan_options *options);
/* The same with one thread, with four, and with four that have their own open files; all must agree; without "…ignore"
 * files. */
const char *scanning_shown(struct folder *folder, const char *root, struct fs_scan_options options);

/* Write an "x" into each file. */
void scanning_put(struct folder *folder, const char *const *names);
#define PUT_FILES(folder, ...) scanning_put(folder, (const char *const[]){__VA_ARGS__, NULL})

#endif
