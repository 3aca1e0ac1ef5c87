/*
 * scan_file.h: how a scanning thread opens and closes the files it visits (fs_scan_open, fs_scan_close in scan.h).
 * A file costs little more than these calls, so that it counts what they make the system do besides: writing down that
 * the file was read, and being called once more to close it. One owner, a thread.
 */
#ifndef FS_SCAN_FILE_H
#define FS_SCAN_FILE_H

#include "fs/scan.h"

#include <stdbool.h>
#include <stddef.h>

enum { SCAN_CLOSING_MAX = 16 };

struct scan_files {
    bool quiet; /* the system may be asked not to write down that files are read, as far as is known */
    unsigned count, count_max;
    int closing[SCAN_CLOSING_MAX]; /* open still, but nobody's */
};

/* closing: so many, at most SCAN_CLOSING_MAX, are closed together. */
void scan_files_init(struct scan_files *files, unsigned closing);
/* Close all that is to be closed. */
void scan_files_flush(struct scan_files *files);

/* The root of a scan, resolved, in arena, and its descriptor, which is the caller's. */
enum hv_code scan_open_root(const struct fs_scan_options *options, struct hv_arena *arena, struct hv_str *root, int *fd,
                            struct hv_error *err) HV_MUST_CHECK;

#endif
