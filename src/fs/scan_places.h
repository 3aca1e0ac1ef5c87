/* scan_places.h: directories that a scan names in its outcome: some of those that it could not visit. Any thread may
 * add. */
#ifndef FS_SCAN_PLACES_H
#define FS_SCAN_PLACES_H

#include "fs/scan.h"
#include "fs/scan_queue.h"

struct scan_places {
    pthread_mutex_t lock;
    struct fs_scan_place items[FS_SCAN_NAMES_MAX]; /* paths on the heap, "" for the root */
    size_t count;
};

void scan_places_init(struct scan_places *places);
/* One more, if its path is not too long to be shown; when there is no room for all, the first ones in order stay. */
void scan_places_add(struct scan_places *places, const struct scan_directory *directory, int sys_errno);
/* Move what there is into arena, sorted, and release the rest. */
struct fs_scan_place *scan_places_take(struct scan_places *places, struct hv_arena *arena, size_t *count);

#endif
