/* write.c: see write.h. The order of steps in replace() is what makes every kill and every full disk harmless. */
#include "fs/write.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/path.h"
#include "fs/attributes.h"
#include "fs/host_files.h"
#include "fs/open.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#define TEMPORARY_PREFIX ".helve-tmp-"
#define BACKUP_PREFIX ".helve-backup-"
enum { RANDOM_DIGITS = 16, TEMPORARY_NAME_MAX = 48, NAME_TRIES = 100, LOCK_TRIES = 1000, LOCK_WAIT_NS = 10000000 };

/* One write under way. Descriptors are -1 when not open. */
struct writing {
    const char *path; /* the resolved target, for messages */
    const struct hv_write_options *options;
    struct hv_str bytes;
    int directory;
    char name[NAME_MAX + 1];
    bool exists;
    struct stat before; /* of the target, when it exists */
    int old;            /* the target, open for reading */
    int temporary;
    char temporary_name[TEMPORARY_NAME_MAX]; /* "" when there is none to remove */
    bool locked;
};

static bool is_random_name(struct hv_str name, struct hv_str prefix)
{
    if (name.len != prefix.len + RANDOM_DIGITS || !hv_str_starts(name, prefix))
        return false;
    for (size_t i = prefix.len; i < name.len; i++)
        if (!memchr("0123456789abcdef", name.ptr[i], 16))
            return false;
    return true;
}

bool fs_is_backup(struct hv_str name)
{
    return is_random_name(name, HV_STR(BACKUP_PREFIX));
}

bool fs_is_temporary(struct hv_str name)
{
    return is_random_name(name, HV_STR(TEMPORARY_PREFIX)) || fs_is_backup(name);
}

static void random_name(char name[TEMPORARY_NAME_MAX], const char *prefix)
{
    uint64_t value;
    if (getrandom(&value, sizeof value, 0) != sizeof value)
        value = clock_monotonic_ns() ^ ((uint64_t)getpid() << 32);
    snprintf(name, TEMPORARY_NAME_MAX, "%s%016llx", prefix, (unsigned long long)value);
}

/* ---- judging the target --------------------------------------------------------------------------------- */

static enum hv_code conflict(const struct writing *w, const char *what, struct hv_error *err)
{
    hv_fail(err, HV_ECONFLICT, "%s %s", w->path, what);
    hv_error_hint(err, "Read the file again, then repeat the change");
    return HV_ECONFLICT;
}

/* Look at the target by name and hold it against what the caller expects. */
static enum hv_code look(struct writing *w, struct hv_error *err)
{
    const struct hv_file_stat *expected = w->options->expected;
    w->exists = fstatat(w->directory, w->name, &w->before, AT_SYMLINK_NOFOLLOW) == 0;
    if (!w->exists) {
        if (errno != ENOENT)
            return hv_fail_errno(err, errno, "Cannot look at %s", w->path);
        return expected ? conflict(w, "was removed since it was read", err) : HV_OK;
    }
    if (w->options->must_not_exist)
        return hv_fail(err, HV_EEXIST, "%s exists already", w->path);
    if (!S_ISREG(w->before.st_mode))
        return hv_fail(err, HV_EUNSUPPORTED, "%s is %s and cannot be written as a file", w->path,
                       fs_kind_name(fs_kind_of_mode(w->before.st_mode)));
    struct hv_file_stat now = fs_stat_from(&w->before);
    return expected && !fs_stat_same(&now, expected) ? conflict(w, "was changed since it was read", err) : HV_OK;
}

/* What would fail later fails here, before anything is created; a rename alone would ignore a read-only mode. */
static enum hv_code check_writable(struct writing *w, struct hv_error *err)
{
    if (w->exists && faccessat(w->directory, w->name, W_OK, AT_EACCESS))
        return hv_fail_errno(err, errno, "Cannot write %s", w->path);
    if (!w->exists)
        return HV_OK;
    w->old = openat(w->directory, w->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (w->old < 0)
        return hv_fail_errno(err, errno, "Cannot read %s, which is needed to replace it safely", w->path);
    struct stat opened;
    if (fstat(w->old, &opened))
        return hv_fail_errno(err, errno, "Cannot look at %s", w->path);
    if (opened.st_ino != w->before.st_ino || opened.st_dev != w->before.st_dev)
        return conflict(w, "was replaced a moment ago", err);
    return HV_OK;
}

/* Two writers take turns from here on. Where the file system has no locks, the checks alone must do. */
static enum hv_code lock_directory(struct writing *w, struct hv_error *err)
{
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(w->directory, LOCK_EX | LOCK_NB) == 0) {
            w->locked = true;
            return HV_OK;
        }
        if (errno != EWOULDBLOCK && errno != EINTR)
            return HV_OK;
        struct timespec pause = {.tv_nsec = LOCK_WAIT_NS};
        nanosleep(&pause, NULL);
    }
    hv_fail(err, HV_EAGAIN, "Another process holds the lock on the directory of %s", w->path);
    hv_error_hint(err, "Try again when it has finished");
    return HV_EAGAIN;
}

/* Under the lock: what the name stands for must still be what was judged. */
static enum hv_code look_again(struct writing *w, struct hv_error *err)
{
    bool existed = w->exists;
    struct stat before = w->before;
    enum hv_code code = look(w, err);
    if (code)
        return code;
    if (w->options->expected || w->options->must_not_exist)
        return HV_OK;
    if (existed != w->exists || (existed && (before.st_ino != w->before.st_ino || before.st_dev != w->before.st_dev)))
        return conflict(w, "was replaced while it was being written", err);
    return HV_OK;
}

/* ---- bytes ---------------------------------------------------------------------------------------------- */

static int write_at(int fd, struct hv_str bytes, uint64_t offset)
{
    while (bytes.len) {
        ssize_t put = pwrite(fd, bytes.ptr, bytes.len < 1u << 30 ? bytes.len : 1u << 30, (off_t)offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            errno = put < 0 ? errno : EIO;
            return -1;
        }
        bytes = hv_str_slice(bytes, (size_t)put, bytes.len);
        offset += (uint64_t)put;
    }
    return 0;
}

static int sync_file(int fd)
{
    int result;
    do
        result = fsync(fd);
    while (result && errno == EINTR);
    return result;
}

/* A directory that cannot be synced (opened by path only, or an odd file system) is none that we can do more for. */
static int sync_directory(int fd)
{
    return sync_file(fd) && errno != EINVAL && errno != EBADF ? -1 : 0;
}

static int copy_bytes(int from, int to)
{
    CLEANUP_FREE char *piece = hv_malloc(256 * 1024);
    for (uint64_t offset = 0;;) {
        ssize_t got = fs_read_at(from, piece, 256 * 1024, offset);
        if (got <= 0)
            return (int)got;
        if (write_at(to, hv_str_of(piece, (size_t)got), offset))
            return -1;
        offset += (uint64_t)got;
    }
}

/* ---- the temporary file --------------------------------------------------------------------------------- */

/* A new file of ours in the target's directory; locked for as long as we live, so that a cleaner leaves it alone. */
static enum hv_code create_temporary(struct writing *w, mode_t mode, struct hv_error *err)
{
    for (int i = 0; i < NAME_TRIES; i++) {
        random_name(w->temporary_name, TEMPORARY_PREFIX);
        int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
        w->temporary = openat(w->directory, w->temporary_name, flags, mode);
        if (w->temporary >= 0) {
            (void)flock(w->temporary, LOCK_EX | LOCK_NB);
            return HV_OK;
        }
        if (errno != EEXIST && errno != EINTR)
            break;
    }
    w->temporary_name[0] = '\0';
    return hv_fail_errno(err, errno, "Cannot create a file beside %s", w->path);
}

static void drop_temporary(struct writing *w)
{
    if (w->temporary >= 0)
        close(w->temporary);
    w->temporary = -1;
    if (w->temporary_name[0])
        (void)unlinkat(w->directory, w->temporary_name, 0);
    w->temporary_name[0] = '\0';
}

static void writing_release(struct writing *w)
{
    drop_temporary(w);
    if (w->old >= 0)
        close(w->old);
    if (w->locked)
        (void)flock(w->directory, LOCK_UN);
    if (w->directory >= 0)
        close(w->directory);
}

static int rename_to_new(struct writing *w)
{
    if (renameat2(w->directory, w->temporary_name, w->directory, w->name, RENAME_NOREPLACE) == 0) {
        w->temporary_name[0] = '\0';
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    return linkat(w->directory, w->temporary_name, w->directory, w->name, 0); /* the temporary name goes at release */
}

static int rename_over(struct writing *w)
{
    if (w->options->must_not_exist)
        return rename_to_new(w);
    if (renameat(w->directory, w->temporary_name, w->directory, w->name))
        return -1;
    w->temporary_name[0] = '\0';
    return 0;
}

static enum hv_code fill_temporary(struct writing *w, bool *attributes_kept, struct hv_error *err)
{
    mode_t wanted = w->options->mode ? w->options->mode : 0666;
    enum hv_code code = create_temporary(w, w->exists ? 0600 : wanted & 0777, err);
    if (code)
        return code;
    if (write_at(w->temporary, w->bytes, 0))
        return hv_fail_errno(err, errno, "Cannot write %s; it was left as it was", w->path);
    *attributes_kept = true;
    if (w->exists)
        *attributes_kept = fs_copy_attributes(w->old, w->temporary);
    else if (w->options->mode && fchmod(w->temporary, w->options->mode & 07777))
        return hv_fail_errno(err, errno, "Cannot set the mode of %s; it was not created", w->path);
    if (*attributes_kept && sync_file(w->temporary))
        return hv_fail_errno(err, errno, "Cannot write %s to the disk; it was left as it was", w->path);
    return HV_OK;
}

static enum hv_code finish(struct writing *w, int fd, struct hv_file_stat *after, struct hv_error *err)
{
    if (sync_directory(w->directory)) {
        hv_fail_errno(err, errno, "%s was written, but the disk did not confirm it", w->path);
        hv_error_hint(err, "Look at the file before going on; a crash now may bring the old bytes back");
        return HV_EIO;
    }
    struct stat status;
    if (fstat(fd, &status))
        return hv_fail_errno(err, errno, "Cannot look at %s after writing it", w->path);
    if (after)
        *after = fs_stat_from(&status);
    return HV_OK;
}

/* ---- in place ------------------------------------------------------------------------------------------- */

/* Keep the target's present bytes in a backup file beside it. A backup is always whole: it gets its name last. */
static enum hv_code make_backup(struct writing *w, struct hv_error *err)
{
    enum hv_code code = create_temporary(w, 0600, err);
    if (code)
        return code;
    char backup[TEMPORARY_NAME_MAX];
    random_name(backup, BACKUP_PREFIX);
    if (copy_bytes(w->old, w->temporary) || sync_file(w->temporary) ||
        renameat2(w->directory, w->temporary_name, w->directory, backup, RENAME_NOREPLACE))
        return hv_fail_errno(err, errno, "Cannot keep a copy of %s while it is written; it was left as it was",
                             w->path);
    memcpy(w->temporary_name, backup, sizeof backup);
    return HV_OK;
}

static int overwrite(int fd, struct hv_str bytes, off_t old_size)
{
    /* Space is taken first, so that a full disk is noticed while every old byte still stands. */
    if ((off_t)bytes.len > old_size) {
        int failed = posix_fallocate(fd, 0, (off_t)bytes.len);
        if (failed && failed != EOPNOTSUPP && failed != EINVAL) {
            errno = failed;
            return -1;
        }
    }
    return write_at(fd, bytes, 0) || ftruncate(fd, (off_t)bytes.len) || sync_file(fd) ? -1 : 0;
}

static enum hv_code restore(struct writing *w, int fd, int reason, struct hv_error *err)
{
    if (copy_bytes(w->temporary, fd) || ftruncate(fd, w->before.st_size) || sync_file(fd)) {
        hv_fail_errno(err, reason, "Writing %s failed half-way", w->path);
        hv_error_hint(err, "Its former bytes are in %s in the same directory", w->temporary_name);
        w->temporary_name[0] = '\0'; /* kept */
        return hv_code_from_errno(reason);
    }
    return hv_fail_errno(err, reason, "Cannot write %s; it was left as it was", w->path);
}

static enum hv_code write_in_place(struct writing *w, struct hv_file_stat *after, struct hv_error *err)
{
    drop_temporary(w);
    enum hv_code code = make_backup(w, err);
    if (!code)
        code = lock_directory(w, err);
    if (!code)
        code = look_again(w, err);
    if (code)
        return code;
    CLEANUP_FD int fd = openat(w->directory, w->name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return hv_fail_errno(err, errno, "Cannot write %s", w->path);
    if (overwrite(fd, w->bytes, w->before.st_size))
        return restore(w, fd, errno, err);
    drop_temporary(w);
    return finish(w, fd, after, err);
}

/* ---- the whole ------------------------------------------------------------------------------------------ */

static enum hv_code replace(struct writing *w, struct hv_file_stat *after, struct hv_error *err)
{
    enum hv_code code = look(w, err);
    if (!code)
        code = check_writable(w, err);
    if (code)
        return code;
    if (w->exists && w->before.st_nlink > 1)
        return write_in_place(w, after, err);
    bool attributes_kept = false;
    code = fill_temporary(w, &attributes_kept, err);
    if (code)
        return code;
    if (!attributes_kept)
        return write_in_place(w, after, err);
    code = lock_directory(w, err);
    if (!code)
        code = look_again(w, err);
    if (code)
        return code;
    if (rename_over(w)) {
        if (errno == EEXIST)
            return hv_fail(err, HV_EEXIST, "%s exists already", w->path);
        if (errno == EBUSY || errno == EXDEV) /* a mount point of its own, as containers make of single files */
            return write_in_place(w, after, err);
        return hv_fail_errno(err, errno, "Cannot put the new bytes in the place of %s; it was left as it was", w->path);
    }
    return finish(w, w->temporary, after, err);
}

static enum hv_code open_parent(struct writing *w, struct hv_str parent, struct hv_error *err)
{
    w->directory = fs_open_no_links(AT_FDCWD, parent, O_RDONLY | O_DIRECTORY);
    if (w->directory < 0 && errno == EACCES) /* may be searched, though not listed */
        w->directory = fs_open_no_links(AT_FDCWD, parent, O_PATH | O_DIRECTORY);
    if (w->directory >= 0)
        return HV_OK;
    int reason = errno;
    hv_fail_errno(err, reason, "Cannot open the directory %.*s", HV_STR_ARG(parent));
    if (reason == ENOENT)
        hv_error_hint(err, "Create the directory first");
    return hv_code_from_errno(reason);
}

enum hv_code fs_write(struct hv_str path, struct hv_str bytes, const struct hv_write_options *options,
                      struct hv_file_stat *after, struct hv_error *err)
{
    static const struct hv_write_options none;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str target;
    enum hv_code code = fs_host_resolve(NULL, &arena, path, &target, err);
    if (code)
        return code;
    struct hv_str name = path_name(target), parent = path_parent(target);
    if (!name.len)
        return hv_fail(err, HV_EUNSUPPORTED, "/ is a directory and cannot be written as a file");
    struct writing w = {.path = target.ptr, .options = options ? options : &none, .bytes = bytes, .directory = -1};
    w.old = w.temporary = -1;
    memcpy(w.name, name.ptr, name.len);
    if (w.options->make_parents)
        code = fs_host_make_directories(NULL, parent, err);
    if (!code)
        code = open_parent(&w, parent, err);
    if (!code)
        code = replace(&w, after, err);
    writing_release(&w);
    return code;
}
