/*
 * write_in_place.c: writing over the bytes of a file that must stay the same inode. What stood there is kept whole
 * until the new bytes are synced: in the journal, from which a kill is undone at the next start, or, without one, in a
 * backup beside the file.
 */
#include "base/cleanup.h"
#include "fs/handle.h"
#include "fs/transaction.h"
#include "fs/write_inner.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Keep the target's present bytes in a backup file beside it. A backup is always whole: it gets its name last. */
static enum hv_code make_backup(struct writing *w, struct hv_error *err)
{
    enum hv_code code = write_create_temporary(w, 0600, err);
    if (code)
        return code;
    char backup[TEMPORARY_NAME_MAX];
    write_random_name(backup, BACKUP_PREFIX);
    if (write_copy(w->old, w->temporary) || write_sync(w->temporary) ||
        renameat2(w->directory, w->temporary_name, w->directory, backup, RENAME_NOREPLACE))
        return hv_fail_errno(err, errno, "Cannot keep a copy of %s while it is written; it was left as it was",
                             w->path);
    memcpy(w->temporary_name, backup, sizeof backup);
    return HV_OK;
}

static int overwrite(int fd, struct pieces content, off_t old_size)
{
    off_t size = (off_t)pieces_size(content);
    /* Space is taken first, so that a full disk is noticed while every old byte still stands. */
    if (size > old_size) {
        int failed = posix_fallocate(fd, 0, size);
        if (failed && failed != EOPNOTSUPP && failed != EINVAL) {
            errno = failed;
            return -1;
        }
    }
    return write_content(fd, content) || ftruncate(fd, size) || write_sync(fd) ? -1 : 0;
}

int fs_overwrite(const struct hv_handle *at, struct hv_str path, struct hv_str bytes)
{
    CLEANUP_FD int fd = fs_open_at(at, path, O_WRONLY | O_NONBLOCK | O_NOCTTY);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) || !S_ISREG(status.st_mode))
        return -1;
    return overwrite(fd, (struct pieces){&bytes, 1}, status.st_size);
}

static enum hv_code restore(struct writing *w, int fd, int reason, struct fs_kept *kept, struct hv_error *err)
{
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, w->before.st_mtim};
    int from = kept ? fs_kept_bytes(kept) : w->temporary;
    if (from < 0 || write_copy(from, fd) || ftruncate(fd, w->before.st_size) || write_sync(fd)) {
        hv_fail_errno(err, reason, "Writing %s failed half-way", w->path);
        if (kept)
            hv_error_hint(err, "Its former bytes are in %.*s", HV_STR_ARG(fs_kept_folder(kept)));
        else
            hv_error_hint(err, "Its former bytes are in %s in the same directory", w->temporary_name);
        w->temporary_name[0] = '\0'; /* kept */
        fs_kept_leave(kept);
        return hv_code_from_errno(reason);
    }
    (void)futimens(fd, times); /* its bytes are what counts */
    fs_kept_drop(kept);
    return hv_fail_errno(err, reason, "Cannot write %s; it was left as it was", w->path);
}

/* The locks are held, the target is what was judged, and what it was is kept. */
static enum hv_code overwrite_kept(struct writing *w, int fd, struct fs_kept *kept, struct hv_file_stat *after,
                                   struct hv_error *err)
{
    if (overwrite(fd, w->content, w->before.st_size) || write_set_attributes(w, fd))
        return restore(w, fd, errno, kept, err);
    fs_kept_drop(kept);
    write_drop_temporary(w);
    return write_finish(w, fd, after, err);
}

/* All names of the file are locked with it: other writers may come through another directory. */
static enum hv_code lock_file(const struct writing *w, int fd, struct hv_error *err)
{
    bool locked;
    if (write_wait_for_lock(fd, &locked))
        return HV_OK;
    hv_fail(err, HV_EAGAIN, "Another process holds a lock on %s", w->path);
    hv_error_hint(err, "Try again when it has finished");
    return HV_EAGAIN;
}

static enum hv_code keep_in_journal(struct writing *w, struct fs_kept **kept, struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf joined = {.max = SIZE_MAX / 2};
    bool is_one = w->content.count == 1;
    if (!is_one && !pieces_join(w->content, &joined))
        return hv_fail(err, HV_ETOOBIG, "The new content of %s is too large", w->path);
    return fs_keep(hv_str_from(w->path), w->options->at, is_one ? w->content.items[0] : hv_buf_str(&joined),
                   w->options->journal, &w->pending, kept, err);
}

enum hv_code write_in_place(struct writing *w, struct hv_file_stat *after, struct hv_error *err)
{
    struct fs_kept *kept = NULL;
    write_drop_temporary(w);
    w->same_name = false;
    CLEANUP_FD int fd = openat(w->directory, w->name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return hv_fail_errno(err, errno, "Cannot write %s", w->path);
    enum hv_code code = write_lock(w, err);
    if (!code)
        code = lock_file(w, fd, err);
    if (!code)
        code = write_look_again(w, err);
    struct stat opened;
    if (!code && (fstat(fd, &opened) || opened.st_ino != w->before.st_ino || opened.st_dev != w->before.st_dev))
        code = write_conflict(w, "was replaced a moment ago", err);
    if (!code && w->options->journal.len)
        code = keep_in_journal(w, &kept, err);
    else if (!code)
        code = make_backup(w, err);
    return code ? code : overwrite_kept(w, fd, kept, after, err);
}
