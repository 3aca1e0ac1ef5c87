/*
 * checkpoint_watch.h: what a call changed in the workspace that does not say what it writes: most programs. The whole
 * workspace is looked at before and after (names, times; ignored files and .git are left out), and the bytes of small
 * files are at hand, so that what turns out to have changed can be kept. Inner to src/runtime.
 *
 * The bytes lie in one file without a name, which goes with the process: a kill in the middle of such a call leaves no
 * copies of what it changed. Each file is read once, and again only after it changed.
 */
#ifndef RUNTIME_CHECKPOINT_WATCH_H
#define RUNTIME_CHECKPOINT_WATCH_H

#include "fs/image_store.h"
#include "runtime/runtime.h"

enum {
    CHECKPOINT_FILES_MAX = 2000,  /* of one call */
    CHECKPOINT_SUM_MAX = 1 << 20, /* larger files are known by their times alone: summing them up would be felt */
};

struct watch;

struct watch_change {
    struct fs_image before, after;
};

struct watch_outcome {
    struct watch_change *changes; /* in the arena given; before: with its hash where the bytes were kept */
    size_t count;
    size_t left_out;       /* changes beyond CHECKPOINT_FILES_MAX */
    const char *unwatched; /* why nothing is known, or NULL */
};

/* directory: where the bytes may lie; exists. The rest is by one thread at a time. */
struct watch *watch_new(struct runtime *runtime, struct hv_str directory);
void watch_free(struct watch *watch); /* NULL is fine */

/* Look at the workspace. True when watch_after is to be called. Blocks; bounded in time, files and bytes. */
bool watch_before(struct watch *watch);
/* Look again; what changed is kept in the store. */
void watch_after(struct watch *watch, struct fs_image_store *store, struct hv_arena *arena, struct watch_outcome *out);

#endif
