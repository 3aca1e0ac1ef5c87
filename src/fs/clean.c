/* clean.c: finding and removing what killed writers left; see fs_clean_temporaries in write.h. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "fs/open.h"
#include "fs/scan.h"
#include "fs/write.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

enum { STALE_SECONDS = 60 };

/* Ours, old, and locked by nobody who lives. */
static bool is_stale(const struct fs_scan_entry *entry)
{
    CLEANUP_FD int fd = openat(entry->directory, entry->name.ptr, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) || !S_ISREG(status.st_mode) || status.st_uid != geteuid())
        return false;
    int64_t age = clock_wall_ns() / (int64_t)CLOCK_SECOND - status.st_mtim.tv_sec;
    return age > STALE_SECONDS && flock(fd, LOCK_EX | LOCK_NB) == 0;
}

static enum fs_scan_action remove_stale(void *user, const struct fs_scan_entry *entry)
{
    size_t *removed = user;
    if (entry->kind == HV_FILE_REGULAR && fs_is_temporary(entry->name) && !fs_is_backup(entry->name) &&
        is_stale(entry) && unlinkat(entry->directory, entry->name.ptr, 0) == 0)
        (*removed)++;
    return FS_SCAN_ON;
}

size_t fs_clean_temporaries(struct hv_str root, uint64_t deadline_ns)
{
    size_t removed = 0;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct fs_scan_options options = {.root = root, .hidden = true, .temporaries = true, .deadline_ns = deadline_ns};
    struct fs_scan_outcome outcome;
    /* A root that cannot be opened has nothing to clean. */
    (void)!fs_scan(&options, remove_stale, &removed, &arena, &outcome, NULL);
    return removed;
}
