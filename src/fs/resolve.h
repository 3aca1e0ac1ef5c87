/*
 * resolve.h: paths with their links resolved, where something else than the machine's stands in place of a folder, as a
 * mount does for the programs that see it.
 */
#ifndef FS_RESOLVE_H
#define FS_RESOLVE_H

#include <helve/str.h>

struct fs_stand_in {
    struct hv_str path; /* of the folder, resolved */
    /* Whether what has this name directly in it (absent: the folder itself) is taken from another folder, which has no
     * links in its path and goes to *folder. May block. */
    bool (*takes)(void *user, struct hv_str name, struct hv_str *folder);
    void *user;
};

/* As hv_host.resolve; links and ".." lead where they do for who sees the other folder in place of the first.
 * keeps_last: a link that is the last name is not followed. */
enum hv_code fs_resolve(const struct fs_stand_in *stand_in, struct hv_arena *arena, struct hv_str path, bool keeps_last,
                        struct hv_str *out, struct hv_error *err) HV_MUST_CHECK;

#endif
