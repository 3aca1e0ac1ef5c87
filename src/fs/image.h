/*
 * image.h: what stood at a path at one moment: its kind, mode, times, and the sum of its bytes. Checkpoints are made of
 * these (runtime/checkpoint.h), rewinding compares them (journal/rewind.h); image_store.h keeps the bytes.
 *
 * An image is also a JSON object, as journals have it:
 *   {"path":"/w/a.c","kind":"file","mode":420,"size":12,"mtime":…,"ctime":…,"inode":…,"device":…,"hash":"9f86…"}
 * A path or target that is no UTF-8 stands in base64 as "path64" or "target64".
 */
#ifndef FS_IMAGE_H
#define FS_IMAGE_H

#include <helve/host.h>
#include <helve/json.h>

enum fs_image_kind {
    FS_IMAGE_NOTHING = 0,
    FS_IMAGE_FILE,
    FS_IMAGE_LINK,
    FS_IMAGE_DIRECTORY,
    FS_IMAGE_OTHER, /* devices, pipes, sockets */
};

struct fs_image {
    struct hv_str path; /* absolute; its directories hold no links */
    /* What path is opened from (handle.h); NULL: the root. No link is followed either way. */
    const struct hv_handle *at;
    enum fs_image_kind kind;
    uint32_t mode;  /* permission bits */
    bool has_owner; /* uid and gid are known */
    uint32_t uid, gid;
    uint32_t links; /* names that a file has; 0: not known */
    uint64_t size;
    int64_t mtime_ns, ctime_ns;
    int64_t folder_ns;        /* mtime of the directory that it is in; 0: not known */
    int64_t folder_before_ns; /* of an image after a change: what that was before; 0: not known */
    uint64_t inode, device;
    struct hv_str hash;       /* of a file's bytes, or absent: not taken */
    struct hv_str target;     /* of a link */
    struct hv_str attributes; /* extended attributes, ACLs among them: a JSON object of base64 by name, the names
                                 sorted; absent: not looked at */
    struct hv_str twin;       /* another name of the same file, or absent: none is known */
    struct hv_str unsaved;    /* why the bytes could not be kept, one phrase; absent: they were, or need not be */
};

/* Look at image->path (set by the caller, as is `at`) and fill the rest but for hash and twin. What cannot be looked at
 * is FS_IMAGE_OTHER. Texts in arena. 0, or the errno of what could not be seen of it. Blocks. */
int fs_image_look(struct fs_image *image, struct hv_arena *arena);
/* The sum of a file's bytes, read now; false when it cannot be read (errno) or was changed meanwhile (errno is 0).
 * Blocks. */
bool fs_image_sum(struct fs_image *image, struct hv_arena *arena) HV_MUST_CHECK;

/* Give a directory the time of its image, and nothing else; what stands there as anything else stays. Blocks. */
void fs_image_give_time(const struct fs_image *image);

/* Of a file with several names: look for another one in its directory, for image->twin. Blocks; bounded. */
void fs_image_find_twin(struct fs_image *image, struct hv_arena *arena);

/* The kernel says that nothing touched it in between: inode, size and both times are equal. */
bool fs_image_untouched(const struct fs_image *a, const struct fs_image *b);
/* The times say that nobody wrote to it in between: mode, owner or attributes alone may have changed. A program that
 * sets the time back can hide that it wrote. */
bool fs_image_unwritten(const struct fs_image *a, const struct fs_image *b);
/* The same bytes, or the same target: what owner, mode, times and attributes are does not matter. A file of which
 * neither sum nor times tell has not the same. */
bool fs_image_same_content(const struct fs_image *a, const struct fs_image *b);
/* The same thing stands there: kind, content, and mode, owner and attributes as far as both are known. */
bool fs_image_same(const struct fs_image *a, const struct fs_image *b);

/* What belongs to git is git's alone: neither kept nor ever put back. */
bool fs_image_is_of_git(struct hv_str path);

/* "nothing", "file", "link", "directory", "other". */
const char *fs_image_kind_name(enum fs_image_kind kind);
void fs_image_write(struct hv_json_writer *writer, const struct fs_image *image);
/* False when value is no image. Texts in arena. */
bool fs_image_read(struct hv_arena *arena, const struct hv_json *value, struct fs_image *out) HV_MUST_CHECK;

#endif
