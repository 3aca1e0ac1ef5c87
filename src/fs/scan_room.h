/*
 * scan_room.h: how many files a scan may have open at once, so that all scans of a session together stay within the
 * limit of the process. When others have taken nearly all, a scan waits for one of them to end.
 */
#ifndef FS_SCAN_ROOM_H
#define FS_SCAN_ROOM_H

#include <pthread.h>
#include <stddef.h>

struct fs_scan_options;

/* What the scans of a session share. To be initialised and released by its owner; safe from any thread. */
struct scan_rooms {
    pthread_mutex_t lock;
    size_t all; /* as of the time when no scan had any */
    size_t taken;
    unsigned scans;
};
void scan_rooms_init(struct scan_rooms *rooms);
void scan_rooms_release(struct scan_rooms *rooms);

struct scan_room {
    struct scan_rooms *rooms; /* NULL: the scan shares with nobody */
    unsigned threads;         /* each has a directory open, and what is found in it */
    size_t kept;              /* directories that stay open for others to be opened from */
    unsigned closing;         /* files of each thread that may wait to be closed together */
    size_t taken;             /* files, all together */
};

/* Take room for a scan. May wait, to its deadline or until it is cancelled; then, and when the limit is too low for any
 * scan, it gets what the least of scans needs. */
void scan_room_take(struct scan_room *room, const struct fs_scan_options *options);
void scan_room_give(struct scan_room *room);

#endif
