/* restoring.h: a tree in two states, before and after, and going between them by fs_restore. Failures fail the test. */
#ifndef TESTS_FS_RESTORING_H
#define TESTS_FS_RESTORING_H

#include "folder.h"

#include "fs/image_store.h"
#include "fs/restore.h"

#include <time.h>

enum { WORLD_PLACES_MAX = 40 };

struct world {
    struct folder folder;
    const char *const *places;
    size_t count;
    struct hv_str store, journal;
    struct fs_image_store kept;
    struct hv_str before, after;              /* what the tree looks like, in words */
    struct hv_str before_content;             /* without owners, modes, times and attributes */
    struct fs_image wanted[WORLD_PLACES_MAX]; /* in keep */
    struct hv_arena keep;
    bool has_attributes, is_root;
};

typedef void world_maker(struct world *world);

/* The tree is made as it was before, and its images taken; then it becomes what it is after. */
struct world *world_open(const char *const *places, size_t count, world_maker *before, world_maker *after);
void world_close(struct world *world);

/* Making a tree. */
const char *world_at(struct world *world, const char *name);
void world_put(struct world *world, const char *name, const char *text, mode_t mode, time_t time);
void world_mark(struct world *world, const char *name, const char *attribute, const char *value);
void world_own(struct world *world, const char *name, uid_t uid);
void world_give_acl(struct world *world, const char *name, const char *kind); /* rwx for one other user */
void world_lose(struct world *world, const char *name);

/* All that there is to say of the tree, in words; of which its own directory has no time. */
struct hv_str world_describe(struct world *world, struct hv_arena *arena);
/* The same without owner, mode, time and attributes. */
struct hv_str world_describe_content(struct world *world, struct hv_arena *arena);
void world_assert_stands(struct world *world, struct hv_str wanted, const char *when);
void world_take_images(struct world *world, struct hv_arena *arena, struct fs_image *images);
enum hv_code world_restore(struct world *world, const struct fs_image *wanted, const struct fs_image *present,
                           size_t *incomplete, struct hv_error *err);

#endif
