/*
 * git_index.h: which submodules and other files git's index names. Format: gitformat-index(5), versions 2 to 4. Pure.
 */
#ifndef FS_GIT_INDEX_H
#define FS_GIT_INDEX_H

#include "fs/plain_tree.h"

struct git_index_links {
    struct hv_str *paths; /* as in the index: relative to the top of the work tree */
    size_t count;
};

/*
 * The paths of all submodules (entries of mode 160000) in the bytes of an index whose object names have hash_size bytes
 * (20 or 32). False when it is no index, a part of one (split index), or names more than GIT_INDEX_LINKS_MAX. *links
 * lives in arena.
 */
enum { GIT_INDEX_LINKS_MAX = 512 };
bool git_index_links(struct hv_arena *arena, struct hv_str bytes, size_t hash_size, struct git_index_links *links);

/*
 * True when all that is wanted of names holds for what such an index names below a directory (relative to the top of
 * the work tree; "" for all). False also where git_index_links would be, and for a sparse index, which does not name
 * all files.
 */
bool git_index_is_plain(struct hv_str bytes, size_t hash_size, struct hv_str directory, const struct fs_plain *wanted);

/* The first path below directory (as above), as seen from there, of which `wanted` says that it is looked for; in
 * arena. Absent: there is none in what could be read. */
struct hv_str git_index_find(struct hv_arena *arena, struct hv_str bytes, size_t hash_size, struct hv_str directory,
                             fs_name_wanted *wanted, void *user);

#endif
