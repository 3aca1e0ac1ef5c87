/*
 * scan_file.h: how a scanning thread opens and closes the files it visits (fs_scan_open, fs_scan_close in scan.h).
 * A file costs little more than these calls, so that it counts what they make the system do besides: writing down that
 * the file was read, and being called once more to close it. One owner, a thread.
 */
#ifndef FS_SCAN_FILE_H
#define FS_SCAN_FILE_H

#include <stdbool.h>
#include <stddef.h>

enum { SCAN_CLOSING_MAX = 16 };

struct scan_files {
    bool quiet; /* the system may be asked not to write down that files are read, as far as is known */
    unsigned count, count_max;
    int closing[SCAN_CLOSING_MAX]; /* open still, but nobody's */
};

/* How many files a scan may have open at once, by the limit of the process and what others have open, about. */
size_t scan_files_room(void);
/* How many threads a scan has that asks for so many: each has a directory open, and what is found in it. */
unsigned scan_files_threads(unsigned wanted);

void scan_files_init(struct scan_files *files);
/* Close all that is to be closed. */
void scan_files_flush(struct scan_files *files);

#endif
