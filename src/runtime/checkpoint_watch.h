/*
 * checkpoint_watch.h: what a call changed in the workspace that does not say what it writes: most programs. The whole
 * workspace is looked at before and after (names, times; `.git` is left out), and the bytes of small files are at hand,
 * so that what turns out to have changed can be kept. Inner to src/runtime.
 *
 * What git ignores is looked at too, in so far as it is little: a folder of many files (what a build made, what a
 * package manager fetched) is measured once, and named as not looked at from then on.
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

/* A folder that is not looked at. */
struct watch_place {
    struct hv_str path;
    const char *why; /* a phrase */
};

struct watch_outcome {
    struct watch_change *changes; /* in the arena given; before: with its hash where the bytes were kept */
    size_t count;
    size_t left_out;       /* changes beyond CHECKPOINT_FILES_MAX */
    const char *unwatched; /* why nothing is known, or NULL */
    /* Folders that are not looked at; in the arena. Given when there are more than at the outcome before. */
    struct watch_place *places;
    size_t place_count;
};

/* directory: where the bytes may lie; exists. The rest is by one thread at a time. */
struct watch *watch_new(struct runtime *runtime, struct hv_str directory);
void watch_free(struct watch *watch); /* NULL is fine */

/*
 * Look at the workspace; what changed since the look before is kept in the store and told in *out. is_before: small
 * files are read besides, as something is about to change them. store NULL: what changed is nobody's; *out is empty but
 * for the places. Blocks; bounded in time, files and bytes.
 */
void watch_look(struct watch *watch, bool is_before, struct fs_image_store *store, struct hv_arena *arena,
                struct watch_outcome *out);
/* This change of a file is known already: the next look does not tell of it again. */
void watch_note(struct watch *watch, const struct fs_image *image);

#endif
