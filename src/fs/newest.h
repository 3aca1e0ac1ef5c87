/*
 * newest.h: the newest of many files in bounded memory: a heap with the oldest of the kept ones on top. Each thread of
 * a scan fills one of its own; they are merged afterwards. One owner at a time.
 */
#ifndef FS_NEWEST_H
#define FS_NEWEST_H

#include <helve/str.h>

struct fs_newest_file {
    char *path; /* NUL-terminated, owned */
    size_t len;
    int64_t mtime_ns;
};

/* Zeroed but for max (> 0) it is ready for use. */
struct fs_newest {
    struct fs_newest_file *items;
    size_t count, capacity, max;
    size_t total; /* added, kept or not */
};

/* Take a file up; path is copied if it is kept. */
void fs_newest_add(struct fs_newest *newest, struct hv_str path, int64_t mtime_ns);
/* Move all of from's files into newest; from is empty afterwards. */
void fs_newest_merge(struct fs_newest *newest, struct fs_newest *from);
/* Order the kept files: newest first, those of one time by the bytes of their paths. The heap is none afterwards. */
void fs_newest_sort(struct fs_newest *newest);
void fs_newest_release(struct fs_newest *newest);

#endif
