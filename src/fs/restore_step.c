/* restore_step.c: see restore_step.h. */
#include "fs/restore_step.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "fs/open.h"
#include "fs/write_inner.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 256 << 10 };

enum standing {
    AT_START,
    ARRIVED,
    BETWEEN, /* a step that was cut off, or is half done */
    FOREIGN, /* somebody else's */
    UNKNOWN, /* it cannot be looked at: errno */
};

/* ---- what stands there ------------------------------------------------------------------------------------------- */

/* A piece of a file that is compared; a file that is not there has no bytes. */
struct reading {
    int fd;
    char *bytes;
    size_t len;
};

static void read_piece(struct reading *reading, uint64_t offset)
{
    ssize_t got = reading->fd < 0 ? 0 : fs_read_at(reading->fd, reading->bytes, PIECE, offset);
    reading->len = got > 0 ? (size_t)got : 0;
}

/* Of each byte the one or the other, or a zero where space was only taken. */
static bool is_mixed_piece(const struct reading *now, const struct reading *from, const struct reading *to)
{
    size_t shorter = from->len < to->len ? from->len : to->len;
    for (size_t i = 0; i < now->len; i++)
        if (!(i < from->len && now->bytes[i] == from->bytes[i]) && !(i < to->len && now->bytes[i] == to->bytes[i]) &&
            !(i >= shorter && !now->bytes[i]))
            return false;
    return true;
}

/* What writing over a file leaves when it is cut off. */
static bool is_mixture(const struct restore_move *move, const struct fs_image *now)
{
    char name[NAME_MAX + 1];
    CLEANUP_FREE char *bytes = hv_malloc((size_t)3 * PIECE);
    CLEANUP_FD int parent = image_open_parent(now, name);
    CLEANUP_FD int file = parent < 0 ? -1 : openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    CLEANUP_FD int old = fs_image_store_open_copy(move->store, move->from);
    CLEANUP_FD int new = fs_image_store_open_copy(move->store, move->to);
    struct reading is = {file, bytes, 0}, from = {old, bytes + PIECE, 0}, to = {new, bytes + 2 * PIECE, 0};
    if (file < 0 || old < 0 || new < 0 || now->inode != move->inode || now->device != move->device ||
        (now->size > move->from->size && now->size > move->to->size))
        return false;
    for (uint64_t offset = 0; offset < now->size; offset += is.len) {
        read_piece(&is, offset);
        read_piece(&from, offset);
        read_piece(&to, offset);
        if (!is.len || !is_mixed_piece(&is, &from, &to))
            return false;
    }
    return true;
}

static bool has_content(const struct fs_image *now, const struct fs_image *image)
{
    return fs_image_same_content(now, image) || fs_image_unwritten(now, image);
}

static bool is_half_done(const struct restore_move *move, const struct fs_image *now)
{
    const struct fs_image *from = move->from, *to = move->to;
    switch (now->kind) {
    case FS_IMAGE_NOTHING: return from->kind != to->kind;
    case FS_IMAGE_DIRECTORY: return from->kind == FS_IMAGE_DIRECTORY || to->kind == FS_IMAGE_DIRECTORY;
    case FS_IMAGE_FILE:
        if (move->how == RESTORE_METADATA || move->how == RESTORE_PLACE || move->how == RESTORE_TWIN)
            return has_content(now, from) || has_content(now, to) ||
                   (move->how == RESTORE_PLACE && is_mixture(move, now));
        /* Owners and attributes that could not be given. */
        return fs_image_same_content(now, to) && now->mode == to->mode;
    case FS_IMAGE_LINK: return fs_image_same_content(now, to);
    case FS_IMAGE_OTHER: break;
    }
    return false;
}

static bool has_arrived(const struct restore_move *move, const struct fs_image *now)
{
    const struct fs_image *to = move->to;
    struct fs_image twin = {.path = move->twin, .at = move->twin_at};
    CLEANUP_ARENA struct hv_arena arena = {0};
    bool is_unseen = to->attributes.ptr && !now->attributes.ptr && to->kind != FS_IMAGE_NOTHING;
    if (is_unseen || !fs_image_same(now, to) ||
        (to->kind == FS_IMAGE_FILE && to->mtime_ns > 0 && now->mtime_ns != to->mtime_ns))
        return false;
    if (move->how != RESTORE_TWIN || to->kind != FS_IMAGE_FILE)
        return true;
    fs_image_look(&twin, &arena);
    return twin.inode == now->inode && twin.device == now->device;
}

/* *now is filled, its texts in arena. */
static enum standing look(const struct restore_move *move, struct fs_image *now, struct hv_arena *arena)
{
    *now = (struct fs_image){.path = move->to->path, .at = move->to->at};
    int reason = fs_image_look(now, arena);
    if (reason) {
        errno = reason;
        return UNKNOWN;
    }
    bool is_known = fs_image_untouched(now, move->from);
    bool is_unwritten = move->how == RESTORE_METADATA && fs_image_unwritten(now, move->from);
    if (now->kind == FS_IMAGE_FILE && (is_known || is_unwritten))
        now->hash = move->from->hash;
    else if (now->kind == FS_IMAGE_FILE && !fs_image_sum(now, arena) && errno)
        return UNKNOWN;
    if (has_arrived(move, now))
        return ARRIVED;
    if (is_known || fs_image_same(now, move->from))
        return AT_START;
    return is_half_done(move, now) ? BETWEEN : FOREIGN;
}

static enum hv_code is_foreign(const struct restore_move *move, struct hv_error *err)
{
    return hv_fail(err, HV_ECONFLICT, "%.*s changed a moment ago", HV_STR_ARG(move->to->path));
}

/* ---- one name ---------------------------------------------------------------------------------------------------- */

/* The directory of a name while something is done there: locked, so that other helve processes wait. */
struct spot {
    int directory;
    char name[NAME_MAX + 1];
    char temporary[TEMPORARY_NAME_MAX]; /* "" when there is none to remove */
};

static enum hv_code spot_open(struct spot *spot, const struct restore_move *move, struct hv_error *err)
{
    struct hv_str parent = path_parent(move->to->path), name = path_name(move->to->path);
    *spot = (struct spot){.directory = fs_open_at(move->to->at, parent, O_RDONLY | O_DIRECTORY)};
    if (spot->directory < 0 && errno == EACCES) /* may be searched, though not listed */
        spot->directory = fs_open_at(move->to->at, parent, O_PATH | O_DIRECTORY);
    if (spot->directory < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
        return is_foreign(move, err);
    if (spot->directory < 0)
        return hv_fail_errno(err, errno, "Cannot open the directory %.*s", HV_STR_ARG(parent));
    if (!name.len || name.len > NAME_MAX)
        return hv_fail(err, HV_EINVAL, "%.*s is no name of a file", HV_STR_ARG(move->to->path));
    memcpy(spot->name, name.ptr, name.len);
    return HV_OK;
}

static void spot_close(struct spot *spot, const struct restore_move *move)
{
    if (spot->temporary[0])
        move->pending->stays |= unlinkat(spot->directory, spot->temporary, 0) && errno != ENOENT;
    if (spot->directory >= 0)
        close(spot->directory);
}

static enum hv_code spot_lock(struct spot *spot, const struct restore_move *move, struct hv_error *err)
{
    bool locked;
    if (write_wait_for_lock(spot->directory, &locked))
        return HV_OK;
    return hv_fail(err, HV_EAGAIN, "Another process holds the lock on the directory of %.*s",
                   HV_STR_ARG(move->to->path));
}

/* Under the lock: still what was looked at. */
static enum hv_code judge_again(const struct spot *spot, const struct restore_move *move, const struct fs_image *judged,
                                struct hv_error *err)
{
    struct stat status;
    struct fs_image now = {0};
    if (fstatat(spot->directory, spot->name, &status, AT_SYMLINK_NOFOLLOW) == 0)
        image_fill(&now, &status);
    else if (errno != ENOENT)
        return hv_fail_errno(err, errno, "Cannot look at %.*s", HV_STR_ARG(move->to->path));
    bool is_same = now.kind == FS_IMAGE_NOTHING || now.kind == FS_IMAGE_DIRECTORY ? now.kind == judged->kind
                                                                                  : fs_image_untouched(&now, judged);
    return is_same ? HV_OK : is_foreign(move, err);
}

static enum hv_code spot_sync(const struct spot *spot, const struct restore_move *move, struct hv_error *err)
{
    if (write_sync(spot->directory) == 0 || errno == EINVAL || errno == EBADF)
        return HV_OK;
    return hv_fail_errno(err, errno, "The disk did not confirm the change of %.*s", HV_STR_ARG(move->to->path));
}

static void new_name(struct spot *spot, const struct restore_move *move)
{
    write_random_name(spot->temporary, TEMPORARY_PREFIX);
    pending_note_temporary(move->pending, path_parent(move->to->path), spot->temporary);
}

static enum hv_code failed(const struct restore_move *move, const char *what, struct hv_error *err)
{
    return hv_fail_errno(err, errno, "Cannot %s %.*s", what, HV_STR_ARG(move->to->path));
}

/* ---- room -------------------------------------------------------------------------------------------------------- */

static enum hv_code clear_name(const struct restore_move *move, struct spot *spot, const struct fs_image *now,
                               struct hv_error *err)
{
    enum hv_code code = spot_lock(spot, move, err);
    if (!code)
        code = judge_again(spot, move, now, err);
    if (code)
        return code;
    if (unlinkat(spot->directory, spot->name, now->kind == FS_IMAGE_DIRECTORY ? AT_REMOVEDIR : 0)) {
        bool is_full = now->kind == FS_IMAGE_DIRECTORY && (errno == ENOTEMPTY || errno == EEXIST);
        if (!is_full || move->to->kind != FS_IMAGE_NOTHING)
            return failed(move, "remove", err);
        ++*move->incomplete;
        return HV_OK;
    }
    return spot_sync(spot, move, err);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* What may not be given is counted. */
static enum hv_code give_attributes(const struct restore_move *move, int directory, const char *name,
                                    struct hv_error *err)
{
    int reason = image_set_attributes(move->to, directory, name);
    if (!reason)
        return HV_OK;
    ++*move->incomplete;
    return image_is_refusal(reason)
               ? HV_OK
               : hv_fail_errno(err, reason, "Cannot give %.*s its owner, mode, time and attributes",
                               HV_STR_ARG(move->to->path));
}

/* The temporary thing takes the name. */
static enum hv_code take_name(const struct restore_move *move, struct spot *spot, const struct fs_image *now,
                              struct hv_error *err)
{
    unsigned flags = now->kind == FS_IMAGE_NOTHING ? RENAME_NOREPLACE : 0;
    enum hv_code code = spot_lock(spot, move, err);
    if (!code)
        code = judge_again(spot, move, now, err);
    if (code)
        return code;
    int result = renameat2(spot->directory, spot->temporary, spot->directory, spot->name, flags);
    if (result && flags && (errno == EINVAL || errno == ENOSYS))
        result = renameat(spot->directory, spot->temporary, spot->directory, spot->name);
    if (result)
        return failed(move, "put back", err);
    spot->temporary[0] = '\0';
    return spot_sync(spot, move, err);
}

static enum hv_code make_file(const struct restore_move *move, struct spot *spot, struct hv_error *err)
{
    new_name(spot, move);
    CLEANUP_FD int fd =
        openat(spot->directory, spot->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return failed(move, "create a file for", err);
    enum hv_code code = fs_image_store_give(move->store, move->to, fd, err);
    if (code)
        return code;
    code = give_attributes(move, spot->directory, spot->temporary, err);
    return !code && write_sync(fd) ? failed(move, "write", err) : code;
}

static enum hv_code make_link(const struct restore_move *move, struct spot *spot, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    new_name(spot, move);
    if (symlinkat(hv_arena_cstr(&arena, move->to->target), spot->directory, spot->temporary))
        return failed(move, "create a link for", err);
    return give_attributes(move, spot->directory, spot->temporary, err);
}

/* There can be no other name of a file: it has too many, lies on another file system, or we may not give it one. */
static bool is_link_refused(int reason)
{
    return reason == EMLINK || reason == EXDEV || reason == EPERM || reason == ENOENT || reason == ENOTSUP;
}

/* A name of another's file becomes a file of its own. */
static enum hv_code part(const struct restore_move *move)
{
    ++*move->incomplete;
    return HV_ENOTFOUND;
}

/* Another name of the twin. HV_ENOTFOUND: that is not (or no longer) a file with these bytes, or cannot have one. */
static enum hv_code make_name(const struct restore_move *move, struct spot *spot, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct fs_image twin = {.path = move->twin, .at = move->twin_at};
    char name[NAME_MAX + 1];
    int reason = fs_image_look(&twin, &arena);
    if (!reason && twin.kind == FS_IMAGE_FILE && !fs_image_sum(&twin, &arena))
        reason = errno;
    if (reason)
        return hv_fail_errno(err, reason, "Cannot look at %.*s", HV_STR_ARG(move->twin));
    if (twin.kind == FS_IMAGE_NOTHING)
        return HV_ENOTFOUND; /* it comes later, as another name of this one */
    if (!fs_image_same_content(&twin, move->to))
        return part(move);
    CLEANUP_FD int parent = image_open_parent(&twin, name);
    new_name(spot, move);
    if (parent >= 0 && linkat(parent, name, spot->directory, spot->temporary, 0) == 0)
        return HV_OK;
    spot->temporary[0] = '\0';
    return is_link_refused(errno) ? part(move) : failed(move, "make a second name for", err);
}

static enum hv_code replace(const struct restore_move *move, struct spot *spot, const struct fs_image *now,
                            struct hv_error *err)
{
    enum hv_code code = HV_ENOTFOUND;
    if (move->how == RESTORE_TWIN && move->twin.len)
        code = make_name(move, spot, err);
    if (code == HV_ENOTFOUND)
        code = make_file(move, spot, err);
    return code ? code : take_name(move, spot, now, err);
}

/* ---- in place ---------------------------------------------------------------------------------------------------- */

/* Space is taken first: a full disk shows while every old byte still stands. */
static enum hv_code overwrite(const struct restore_move *move, int fd, const struct fs_image *now, struct hv_error *err)
{
    int reason = move->to->size > now->size ? posix_fallocate(fd, 0, (off_t)move->to->size) : 0;
    if (reason && reason != EOPNOTSUPP && reason != EINVAL)
        return hv_fail_errno(err, reason, "Cannot write %.*s", HV_STR_ARG(move->to->path));
    /* A file without bytes would be cloned into: that is no writing over, but as good. */
    enum hv_code code = fs_image_store_give(move->store, move->to, fd, err);
    if (code)
        return code;
    return ftruncate(fd, (off_t)move->to->size) || write_sync(fd) ? failed(move, "write", err) : HV_OK;
}

static enum hv_code write_over(const struct restore_move *move, const struct spot *spot, const struct fs_image *now,
                               struct hv_error *err)
{
    bool locked;
    CLEANUP_FD int fd = openat(spot->directory, spot->name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return failed(move, "write", err);
    if (!write_wait_for_lock(fd, &locked))
        return hv_fail(err, HV_EAGAIN, "Another process holds a lock on %.*s", HV_STR_ARG(move->to->path));
    enum hv_code code = judge_again(spot, move, now, err);
    return code ? code : overwrite(move, fd, now, err);
}

/* The same file stays: its bytes where they differ, then all else. */
static enum hv_code change_in_place(const struct restore_move *move, struct spot *spot, const struct fs_image *now,
                                    struct hv_error *err)
{
    enum hv_code code = spot_lock(spot, move, err);
    if (!code && move->how == RESTORE_PLACE && !fs_image_same_content(now, move->to))
        code = write_over(move, spot, now, err);
    else if (!code)
        code = judge_again(spot, move, now, err);
    if (!code)
        code = give_attributes(move, spot->directory, spot->name, err);
    if (code)
        return code;
    CLEANUP_FD int fd = openat(spot->directory, spot->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool is_closed_to_us = fd < 0 && errno == EACCES;
    return !is_closed_to_us && (fd < 0 || write_sync(fd)) ? failed(move, "write", err) : HV_OK;
}

/* ---- directories ------------------------------------------------------------------------------------------------- */

static enum hv_code make_directory(const struct restore_move *move, struct spot *spot, const struct fs_image *now,
                                   struct hv_error *err)
{
    if (now->kind == FS_IMAGE_DIRECTORY)
        return HV_OK;
    if (mkdirat(spot->directory, spot->name, 0700))
        return failed(move, "make the directory", err);
    return spot_sync(spot, move, err);
}

void restore_open_directory(const struct restore_move *move)
{
    char name[NAME_MAX + 1];
    struct stat status;
    CLEANUP_FD int parent = image_open_parent(move->to, name);
    CLEANUP_FD int fd = parent < 0 ? -1 : openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &status) == 0 && (status.st_mode & 0700) != 0700)
        (void)image_set_mode(fd, (status.st_mode & 07777) | 0700);
}

enum hv_code restore_close_directory(const struct restore_move *move, struct hv_error *err)
{
    char name[NAME_MAX + 1];
    struct stat status;
    CLEANUP_FD int parent = image_open_parent(move->to, name);
    if (parent < 0 || fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW))
        return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? HV_OK : failed(move, "look at", err);
    if (!S_ISDIR(status.st_mode))
        return HV_OK; /* somebody took it away */
    CLEANUP_FD int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool is_closed_to_us = fd < 0 && errno == EACCES;
    if (fd < 0 && !is_closed_to_us)
        return failed(move, "open the directory", err);
    enum hv_code code = give_attributes(move, parent, name, err);
    return !code && fd >= 0 && write_sync(fd) && errno != EINVAL ? failed(move, "write", err) : code;
}

/* ---- all kinds --------------------------------------------------------------------------------------------------- */

static enum hv_code put(const struct restore_move *move, struct spot *spot, const struct fs_image *now,
                        struct hv_error *err)
{
    bool is_in_place = move->how == RESTORE_PLACE || move->how == RESTORE_METADATA;
    switch (move->to->kind) {
    case FS_IMAGE_DIRECTORY: return make_directory(move, spot, now, err);
    case FS_IMAGE_LINK: {
        enum hv_code code = make_link(move, spot, err);
        return code ? code : take_name(move, spot, now, err);
    }
    case FS_IMAGE_FILE:
        return is_in_place && now->kind == FS_IMAGE_FILE ? change_in_place(move, spot, now, err)
                                                         : replace(move, spot, now, err);
    case FS_IMAGE_NOTHING:
    case FS_IMAGE_OTHER: break;
    }
    return HV_OK;
}

/* Look, and unless it has arrived: make room for it, or put it there. */
static enum hv_code work(const struct restore_move *move, bool is_clearing, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct fs_image now;
    struct spot spot;
    switch (look(move, &now, &arena)) {
    case UNKNOWN: return failed(move, "look at", err);
    case FOREIGN: return is_foreign(move, err);
    case ARRIVED: return HV_OK;
    case AT_START:
    case BETWEEN: break;
    }
    bool is_due =
        is_clearing ? now.kind != FS_IMAGE_NOTHING && now.kind != move->to->kind : move->to->kind != FS_IMAGE_NOTHING;
    if (!is_due)
        return HV_OK;
    enum hv_code code = spot_open(&spot, move, err);
    if (!code)
        code = is_clearing ? clear_name(move, &spot, &now, err) : put(move, &spot, &now, err);
    spot_close(&spot, move);
    return code;
}

enum hv_code restore_clear(const struct restore_move *move, struct hv_error *err)
{
    return work(move, true, err);
}

enum hv_code restore_put(const struct restore_move *move, struct hv_error *err)
{
    return work(move, false, err);
}
