/*
 * image_store.h: the bytes of files as they were before a session changed them. One folder a session, in helve's own
 * state directory (mode 0700): each content is a file (mode 0600) that bears its SHA-256 as its name, so that a content
 * is kept once, and one that was damaged is found out. It goes with its session.
 *
 * Bytes come in as a clone of the file where the file system has that (FICLONE), else as a copy; they are synced before
 * they get their name.
 */
#ifndef FS_IMAGE_STORE_H
#define FS_IMAGE_STORE_H

#include "fs/image.h"

#include <limits.h>
#include <stdatomic.h>
#include <sys/stat.h>

/* Zeroed it is not open. */
struct fs_image_store {
    bool is_open;
    int folder; /* descriptor */
    uint64_t file_max, size_max;
    atomic_uint_fast64_t size; /* of all its files */
};

/*
 * Open the folder, made when missing (its parent must exist). file_max: larger files are not kept; size_max: of all
 * together. Release it in every case.
 */
enum hv_code fs_image_store_open(struct fs_image_store *store, struct hv_str folder, uint64_t file_max,
                                 uint64_t size_max, struct hv_error *err) HV_MUST_CHECK;
void fs_image_store_release(struct fs_image_store *store);

/*
 * Look at image->path, and when a file stands there, keep its bytes: image becomes what was kept, with its hash. Where
 * that cannot be done, image->unsaved says why. Texts in arena. Any thread. Blocks; the bytes are on the disk
 * afterwards, their name is after fs_image_store_sync.
 */
void fs_image_store_keep(struct fs_image_store *store, struct fs_image *image, struct hv_arena *arena);
/*
 * Keep bytes that were read before from a file that stands no longer as it was: image->size of them from offset on in
 * `from`. Their sum becomes image->hash, or image->unsaved says why they could not be kept. They are not synced.
 */
void fs_image_store_take(struct fs_image_store *store, int from, uint64_t offset, struct fs_image *image,
                         struct hv_arena *arena);
enum hv_code fs_image_store_sync(struct fs_image_store *store, struct hv_error *err) HV_MUST_CHECK;

/* Whether the bytes that image->hash names are there, whole. HV_ENOTFOUND: they are gone; HV_EINVAL: they are no longer
 * what they were. Blocks; in constant memory. */
enum hv_code fs_image_store_check(struct hv_str folder, const struct fs_image *image,
                                  struct hv_error *err) HV_MUST_CHECK;
/* Write them to the beginning of the file `to`, cloned where it is empty and the file system can; not synced. The same
 * errors, and those of writing: the file then holds some bytes. */
enum hv_code fs_image_store_give(struct hv_str folder, const struct fs_image *image, int to,
                                 struct hv_error *err) HV_MUST_CHECK;
/* The copy, open for reading and not looked at, or -1. */
int fs_image_store_open_copy(struct hv_str folder, const struct fs_image *image);

/* ---- inner to image*.c, restore.c and checkpoint_watch.c ---- */

/* Kind, mode, owner, links, size, times and which file it is, as status tells them. */
void image_fill(struct fs_image *image, const struct stat *status);
/* The directory of the image's path, and the name in it; -1 with errno. */
int image_open_parent(const struct fs_image *image, char name[NAME_MAX + 1]);
/* The attributes of what has this name in the directory; image->attributes stays absent where they cannot be read. 0,
 * or the errno of a fault in reading them; that they may not be read, or are too many, is none. */
int image_take_attributes(struct fs_image *image, int directory, const char *name, struct hv_arena *arena);
/* Give it owner, attributes, mode and time of the image, as far as these are known. 0, or the errno of what could not
 * be given, the gravest of them (image_is_refusal); the rest is. */
int image_set_attributes(const struct fs_image *image, int directory, const char *name);
/* chmod(2) of what was opened, with O_PATH too, whatever bears its name by now: 0, or -1 with errno. */
int image_set_mode(int fd, mode_t mode);
/* It is for the system to say who may give what: a fault is something else. */
bool image_is_refusal(int reason);

#endif
