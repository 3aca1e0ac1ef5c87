/*
 * scan_warm.h: what scans of one session remember of directories, so that a later one need not read again what did not
 * change: of each directory the entries that the ignore rules let through. Any number of scans and threads may use a
 * list at the same time.
 *
 * Beside each file there is room for what was found out about its contents (scan_marks.h).
 *
 * A record counts only while the directory has the same times of change of its contents and of itself (which nobody can
 * set back), under the same rules. It is made only where these times had stood still for two seconds when the directory
 * was opened, so that no change can hide in the grain of a clock, and only in file systems of this machine that are
 * known to keep them. Ignore files and git's configuration are read anew each time.
 */
#ifndef FS_SCAN_WARM_H
#define FS_SCAN_WARM_H

#include "base/map.h"
#include "fs/scan_marks.h"
#include "fs/scan_room.h"
#include "fs/scan_rules.h"

#include <pthread.h>
#include <sys/stat.h>

enum { FS_WARM_SHARDS = 16, FS_WARM_BYTES_MAX = 32 << 20 };

/* The list. To be initialised and released by its owner; zeroed it is not ready. */
struct fs_warm {
    struct warm_shard {
        pthread_mutex_t lock;
        struct map records;
    } shards[FS_WARM_SHARDS];
    atomic_size_t bytes, bytes_max; /* of all records, about; at most */
    atomic_uint_fast64_t scans;     /* that have begun */
    atomic_uint_fast64_t full_for;  /* the scan for which there is no more room */
    int64_t steady_ns;              /* so long a directory must have been left alone to be remembered */
    struct fs_marks marks;
    struct scan_rooms rooms; /* the files that scans may have open */
};

/* Of a struct fs_warm, as a state of the session (hv_state_key) wants them. No scan is under way when it is released.
 */
void fs_warm_init(void *warm);
void fs_warm_release(void *warm);

/* A directory, immutable once stored but for what is remembered of its files. */
struct warm_record {
    atomic_uint references;
    atomic_uint_fast64_t used; /* by which scan the last time */
    /* What must still be so. */
    dev_t device;
    ino_t inode;
    struct timespec changed, status_changed;
    uint64_t rules_id; /* inside of it */
    /* What a scan learns from reading it. */
    struct scan_rule_files files;
    size_t visited, ignored;
    struct fs_marks *marks; /* of the list */
    size_t file_count;      /* files of which something can be remembered: all that are no directories, or none */
    size_t key_len, bytes_len;
    char *data; /* the key, then of each entry its d_type and its name with the NUL; behind the files */
    struct fs_memory memories[]; /* of each file, in the order of the entries */
};

/* Its path, with a slash at the end. */
struct hv_str warm_path(const struct warm_record *record);
/* The entries. */
struct hv_str warm_bytes(const struct warm_record *record);

/* A new scan begins. Returns its number. */
uint64_t warm_begin(struct fs_warm *warm);
/* The record of key (options and absolute path), counted, if the directory still has the times it had; or NULL. */
struct warm_record *warm_find(struct fs_warm *warm, uint64_t scan, struct hv_str key, const struct stat *status);
struct warm_record *warm_ref(struct warm_record *record);
void warm_unref(struct warm_record *record); /* NULL is accepted */
/* Does a directory with that status hold the same entries? */
bool warm_is_same(const struct warm_record *record, const struct stat *status);

/* The directory may be remembered: its times are those of long enough before now_ns (wall clock). */
bool warm_is_steady(const struct fs_warm *warm, const struct stat *status, int64_t now_ns);
/*
 * Remember a directory that was opened with that status and read after; learnt has its rules_id, files, visited,
 * ignored and file_count. When the list is full, what this scan has not used is forgotten; when that is not enough,
 * nothing is stored and NULL returned. The record is counted.
 */
struct warm_record *warm_store(struct fs_warm *warm, uint64_t scan, struct hv_str key, const struct stat *status,
                               const struct warm_record *learnt, struct hv_str bytes);

/* Take the marks off all files. */
void warm_clear_marks(struct fs_warm *warm, uint32_t marks);
/* Free the texts that this search has not used. None must be under way. */
void warm_forget_texts(struct fs_warm *warm, uint64_t search);

#endif
