/* restore_step.h: one step of a restoration (restore.h), in either direction: what stands there now, and making it
 * what it should be. Inner to restore*.c. */
#ifndef FS_RESTORE_STEP_H
#define FS_RESTORE_STEP_H

#include "fs/handle.h"
#include "fs/image_store.h"
#include "fs/pending.h"

enum restore_how {
    RESTORE_REPLACE = 'r',  /* a new thing takes the name */
    RESTORE_PLACE = 'p',    /* the file's bytes are written over: it has other names, or nothing new may come there */
    RESTORE_METADATA = 'm', /* the bytes are right */
    RESTORE_TWIN = 't',     /* another name of `twin` */
};

struct restore_step {
    struct fs_image wanted, present; /* of one path, reached from what is held */
    enum restore_how how;
    struct hv_str twin;
    const struct hv_handle *twin_at;
    bool is_touched; /* what stands there may be no longer what it was */
};

/* A step on its way: from what stood there, to what is to stand there. */
struct restore_move {
    const struct fs_image *from, *to;
    enum restore_how how;
    uint64_t inode, device; /* of what is written over */
    struct hv_str twin, store;
    const struct hv_handle *twin_at;
    struct pending *pending;
    size_t *incomplete;
};

/* All of these change nothing where everything is as it should be. HV_ECONFLICT: what stands there is somebody else's;
 * it was not touched. Other errors are faults: the same may work another time. Block. */

/* What is of another kind, or is to be nothing, goes. A directory with foreign things in it stays when there is no need
 * for it to go: that counts as incomplete. */
enum hv_code restore_clear(const struct restore_move *move, struct hv_error *err) HV_MUST_CHECK;
/* Files, links and directories come; a directory is open to its owner until restore_close_directory. */
enum hv_code restore_put(const struct restore_move *move, struct hv_error *err) HV_MUST_CHECK;
/* A directory that stands gets its owner, attributes, mode and time. */
enum hv_code restore_close_directory(const struct restore_move *move, struct hv_error *err) HV_MUST_CHECK;
/* A directory that keeps its owner out is opened to him; where that fails, what is done in it will say so. */
void restore_open_directory(const struct restore_move *move);

#endif
