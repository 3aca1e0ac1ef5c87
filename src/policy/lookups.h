/*
 * lookups.h: where paths lead, found out once each: a long command names few places often, and many files of one
 * directory. A value of one judgement, and as old as it: what changes meanwhile is not seen.
 */
#ifndef POLICY_LOOKUPS_H
#define POLICY_LOOKUPS_H

#include "base/map.h"

#include <helve/host.h>

struct lookup {
    enum hv_code code;      /* of resolving it, as host->resolve gives it */
    struct hv_str resolved; /* absent when that failed */
    bool has_kind;          /* kind is known: lookups_kind */
    bool is_missing;        /* nothing stands there, for certain */
    enum hv_file_kind kind;
};

struct lookup_directory;

/* One thread at a time. */
struct lookups {
    const struct hv_host *host; /* never NULL while it is asked */
    struct hv_arena *arena;     /* that all of it lives in, but the tables */
    struct map found;           /* paths: struct lookup */
    struct map directories;     /* those that other paths stand in: struct lookup_directory */
    struct lookup_directory *last;
    size_t asked; /* directories that the host resolved */
};
void lookups_release(struct lookups *lookups);

/* Where an absolute path leads, which may hold "." and "..". Valid as long as the arena. Blocks. */
struct lookup *lookups_find(struct lookups *lookups, struct hv_str path);

/* What stands where it leads; HV_FILE_UNKNOWN: nothing, or nobody knows. Blocks. */
enum hv_file_kind lookups_kind(struct lookups *lookups, struct lookup *lookup);

#endif
