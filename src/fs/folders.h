/*
 * folders.h: the directories that a change of many files goes by (restore.h, transaction.h). Each is opened once,
 * through no link, and held to the end: whatever is exchanged meanwhile, what is looked at, written, renamed and
 * removed is in the directory that stood there at the beginning, and so is what is taken back.
 */
#ifndef FS_FOLDERS_H
#define FS_FOLDERS_H

#include "base/map.h"
#include "fs/handle.h"

/* Zeroed: none. */
struct folders {
    struct hv_arena arena;
    struct map known;   /* by path: the struct hv_handle by which names in it are reached */
    struct map passing; /* directories that the change itself makes or removes */
    struct folders_held *held;
    size_t count;
};

/* Before any is held: the change itself makes or removes a directory of that path (which outlives folders). What lies
 * in it is reached from above. */
void folders_pass_over(struct folders *folders, struct hv_str path);
/* What names in directory are reached from: it, or the deepest above it that stands. Where that cannot be held, or so
 * many are that no more may be, it is what is held above, or the root. Valid until folders_release. Blocks. */
const struct hv_handle *folders_hold(struct folders *folders, struct hv_str directory) HV_MUST_CHECK;
/* HV_ECONFLICT: by now something else stands in the place of one that is held. Blocks. */
enum hv_code folders_check(const struct folders *folders, struct hv_error *err) HV_MUST_CHECK;
void folders_release(struct folders *folders);

#endif
