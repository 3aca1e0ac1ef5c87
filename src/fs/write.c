/* write.c: see write.h. The order of steps in replace() is what makes every kill and every full disk harmless. */
#include "fs/write.h"

#include "base/aside.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/path.h"
#include "fs/attributes.h"
#include "fs/handle.h"
#include "fs/host_files.h"
#include "fs/image_store.h"
#include "fs/open.h"
#include "fs/write_inner.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

enum { RANDOM_DIGITS = 16, NAME_TRIES = 100, LOCK_TRIES = 2000, LOCK_WAIT_NS = 5000000, LARGE = 2 << 20 };

/* How long after its mtime a file may change again without showing it: the clock of a local file system ticks at least
 * every 10 ms; where times have no fraction, it may tick every two seconds. */
enum { YOUNG_NS = 50000000, YOUNG_COARSE_S = 3 };

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

void write_random_name(char name[TEMPORARY_NAME_MAX], const char *prefix)
{
    uint64_t value;
    if (getrandom(&value, sizeof value, 0) != sizeof value)
        value = clock_monotonic_ns() ^ ((uint64_t)getpid() << 32);
    snprintf(name, TEMPORARY_NAME_MAX, "%s%016llx", prefix, (unsigned long long)value);
}

/* ---- judging the target --------------------------------------------------------------------------------- */

enum hv_code write_conflict(const struct writing *w, const char *what, struct hv_error *err)
{
    hv_fail(err, HV_ECONFLICT, "%s %s", w->path, what);
    hv_error_hint(err, "Read the file again, then repeat the change");
    return HV_ECONFLICT;
}

static bool is_young(const struct stat *status)
{
    int64_t age = clock_wall_ns() - ((int64_t)status->st_mtim.tv_sec * (int64_t)CLOCK_SECOND + status->st_mtim.tv_nsec);
    return age < (status->st_mtim.tv_nsec ? (int64_t)YOUNG_NS : YOUNG_COARSE_S * (int64_t)CLOCK_SECOND);
}

/* Whether the target still has these bytes: *same; -1 with errno where that cannot be seen. */
static int compare_bytes(const struct writing *w, struct hv_str bytes, bool *same)
{
    CLEANUP_FD int fd = openat(w->directory, w->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    CLEANUP_FREE char *piece = hv_malloc(256 * 1024);
    ssize_t got = fd < 0 ? -1 : 1;
    uint64_t offset = 0;
    for (*same = true; got > 0 && *same; offset += got > 0 ? (uint64_t)got : 0) {
        got = fs_read_at(fd, piece, 256 * 1024, offset);
        if (got > 0)
            *same = (size_t)got <= bytes.len - offset && memcmp(piece, bytes.ptr + offset, (size_t)got) == 0;
    }
    *same &= got == 0 && offset == bytes.len;
    return got < 0 ? -1 : 0;
}

enum hv_code fs_fail_exists(struct hv_str path, struct hv_error *err)
{
    hv_fail(err, HV_EEXIST, "%.*s exists already", HV_STR_ARG(path));
    hv_error_hint(err, "Choose another name, or read what is there and change it");
    return HV_EEXIST;
}

/* Look at the target by name and hold it against what the caller expects. */
static enum hv_code look(struct writing *w, struct hv_error *err)
{
    const struct hv_file_stat *expected = w->options->expected;
    w->exists = fstatat(w->directory, w->name, &w->before, AT_SYMLINK_NOFOLLOW) == 0;
    if (!w->exists) {
        if (errno != ENOENT)
            return hv_fail_errno(err, errno, "Cannot look at %s", w->path);
        return expected ? write_conflict(w, "was removed since it was read", err) : HV_OK;
    }
    if (w->options->must_not_exist)
        return fs_fail_exists(hv_str_from(w->path), err);
    if (!S_ISREG(w->before.st_mode))
        return hv_fail(err, HV_EUNSUPPORTED, "%s is %s and cannot be written as a file", w->path,
                       fs_kind_name(fs_kind_of_mode(w->before.st_mode)));
    struct hv_file_stat now = fs_stat_from(&w->before);
    if (!expected)
        return HV_OK;
    bool same = fs_stat_same(&now, expected);
    if (same && w->locked && w->options->expected_bytes.ptr && is_young(&w->before) &&
        compare_bytes(w, w->options->expected_bytes, &same))
        return hv_fail_errno(err, errno, "Cannot read %s again before it is replaced", w->path);
    return same ? HV_OK : write_conflict(w, "was changed since it was read", err);
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
        return write_conflict(w, "was replaced a moment ago", err);
    return HV_OK;
}

bool write_wait_for_lock(int fd, bool *locked)
{
    *locked = false;
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return *locked = true;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return true; /* no locks here */
        struct timespec pause = {.tv_nsec = LOCK_WAIT_NS};
        nanosleep(&pause, NULL);
    }
    return false;
}

enum hv_code write_lock(struct writing *w, struct hv_error *err)
{
    if (w->locked || write_wait_for_lock(w->directory, &w->locked))
        return HV_OK;
    hv_fail(err, HV_EAGAIN, "Another process holds the lock on the directory of %s", w->path);
    hv_error_hint(err, "Try again when it has finished");
    return HV_EAGAIN;
}

/* Under the lock: what the name stands for must still be what was judged. */
enum hv_code write_look_again(struct writing *w, struct hv_error *err)
{
    bool existed = w->exists;
    struct stat before = w->before;
    enum hv_code code = look(w, err);
    if (code)
        return code;
    if (w->same_name && w->exists && w->before.st_nlink > 1)
        return write_conflict(w, "got another name while it was being written", err);
    if (w->options->expected || w->options->must_not_exist)
        return HV_OK;
    if (existed != w->exists || (existed && (before.st_ino != w->before.st_ino || before.st_dev != w->before.st_dev)))
        return write_conflict(w, "was replaced while it was being written", err);
    return HV_OK;
}

/* ---- bytes ---------------------------------------------------------------------------------------------- */

/* 0, or -1 with errno. */
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

int write_content(int fd, struct pieces content)
{
    uint64_t offset = 0;
    for (size_t i = 0; i < content.count; offset += content.items[i++].len)
        if (write_at(fd, content.items[i], offset))
            return -1;
    return 0;
}

int write_sync(int fd)
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
    return write_sync(fd) && errno != EINVAL && errno != EBADF ? -1 : 0;
}

int write_copy(int from, int to)
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
enum hv_code write_create_temporary(struct writing *w, mode_t mode, struct hv_error *err)
{
    for (int i = 0; i < NAME_TRIES; i++) {
        write_random_name(w->temporary_name, TEMPORARY_PREFIX);
        pending_note_temporary(&w->pending, w->parent, w->temporary_name);
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

void write_drop_temporary(struct writing *w)
{
    if (w->temporary >= 0)
        close(w->temporary);
    w->temporary = -1;
    if (w->temporary_name[0])
        w->pending.stays |= unlinkat(w->directory, w->temporary_name, 0) && errno != ENOENT;
    w->temporary_name[0] = '\0';
}

static void writing_release(struct writing *w)
{
    write_drop_temporary(w);
    if (w->old >= 0 && w->before.st_size >= LARGE)
        aside_close(w->old);
    else if (w->old >= 0)
        close(w->old);
    if (w->locked)
        (void)flock(w->directory, LOCK_UN);
    if (w->directory >= 0)
        close(w->directory);
    pending_end(&w->pending);
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

int write_set_attributes(const struct writing *w, int fd)
{
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT},
                                      {.tv_sec = w->options->mtime_ns / (int64_t)CLOCK_SECOND,
                                       .tv_nsec = w->options->mtime_ns % (int64_t)CLOCK_SECOND}};
    if ((w->exists ? w->options->set_mode : w->options->mode != 0) && fchmod(fd, w->options->mode & 07777))
        return -1;
    return w->options->mtime_ns > 0 ? futimens(fd, times) : 0;
}

static int open_unheld(struct hv_str path, int flags)
{
    char name[FS_PATH_MAX];
    return fs_path_cstr(path, name, NULL) == HV_OK ? open(name, flags) : -1;
}

/* What cannot be given is not: the file is a new one. Its mode is set afterwards. */
static void become_like(struct writing *w, struct hv_str path)
{
    CLEANUP_FD int from = w->options->at ? fs_open_at(&fs_root_handle, path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
                                         : open_unheld(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (from >= 0)
        (void)fs_copy_attributes(from, w->temporary);
}

/* A file that is put back is closed to others until it is what it was. What may not be given is not. */
static int set_attributes(struct writing *w)
{
    if (!w->image)
        return write_set_attributes(w, w->temporary);
    int reason = image_set_attributes(w->image, w->directory, w->temporary_name);
    errno = reason;
    return reason && !image_is_refusal(reason) ? -1 : 0;
}

static enum hv_code fill_temporary(struct writing *w, bool *attributes_kept, struct hv_error *err)
{
    mode_t wanted = w->options->mode ? w->options->mode : 0666;
    enum hv_code code = write_create_temporary(w, w->exists || w->image ? 0600 : wanted & 0777, err);
    if (code)
        return code;
    if (write_content(w->temporary, w->content))
        return hv_fail_errno(err, errno, "Cannot write %s; it was left as it was", w->path);
    *attributes_kept = true;
    if (w->exists)
        *attributes_kept = fs_copy_attributes(w->old, w->temporary);
    else if (w->options->like.len)
        become_like(w, w->options->like);
    if (*attributes_kept && set_attributes(w))
        return hv_fail_errno(err, errno, "Cannot set mode and time of %s; it was left as it was", w->path);
    if (*attributes_kept && !w->options->unsynced && write_sync(w->temporary))
        return hv_fail_errno(err, errno, "Cannot write %s to the disk; it was left as it was", w->path);
    return HV_OK;
}

enum hv_code write_finish(struct writing *w, int fd, struct hv_file_stat *after, struct hv_error *err)
{
    if (!w->options->unsynced && sync_directory(w->directory)) {
        enum hv_code code = hv_fail_errno(err, errno, "%s was written, but the disk did not confirm it", w->path);
        hv_error_hint(err, "Look at the file before going on; a crash now may bring the old bytes back");
        return code;
    }
    struct stat status;
    if (fstat(fd, &status))
        return hv_fail_errno(err, errno, "Cannot look at %s after writing it", w->path);
    if (after)
        *after = fs_stat_from(&status);
    return HV_OK;
}

static void announce(const struct writing *w)
{
    if (w->options->announce)
        w->options->announce(w->options->announced_to);
}

/* ---- the whole ------------------------------------------------------------------------------------------ */

static enum hv_code replace(struct writing *w, struct hv_file_stat *after, struct hv_error *err)
{
    enum hv_code code = look(w, err);
    if (!code)
        code = check_writable(w, err);
    if (code)
        return code;
    if (w->exists && w->before.st_nlink > 1) {
        announce(w);
        return write_in_place(w, after, err);
    }
    bool attributes_kept = false;
    w->same_name = true;
    code = fill_temporary(w, &attributes_kept, err);
    bool no_room = code == HV_EACCES && w->exists && !w->temporary_name[0] && w->options->journal.len;
    if (code && !no_room)
        return code;
    announce(w);
    if (no_room || !attributes_kept) /* the directory takes no new file, or the new file not its attributes */
        return write_in_place(w, after, err);
    code = write_lock(w, err);
    if (!code)
        code = write_look_again(w, err);
    if (code)
        return code;
    if (rename_over(w)) {
        if (errno == EEXIST)
            return fs_fail_exists(hv_str_from(w->path), err);
        if (errno == EBUSY || errno == EXDEV) /* a mount point of its own, as containers make of single files */
            return write_in_place(w, after, err);
        return hv_fail_errno(err, errno, "Cannot put the new bytes in the place of %s; it was left as it was", w->path);
    }
    return write_finish(w, w->temporary, after, err);
}

static enum hv_code open_parent(struct writing *w, struct hv_str parent, struct hv_error *err)
{
    const struct hv_handle *at = w->options->at ? w->options->at : &fs_root_handle;
    w->directory = fs_open_at(at, parent, O_RDONLY | O_DIRECTORY);
    if (w->directory < 0 && errno == EACCES) /* may be searched, though not listed */
        w->directory = fs_open_at(at, parent, O_PATH | O_DIRECTORY);
    if (w->directory >= 0)
        return HV_OK;
    int reason = errno;
    if (reason == ELOOP)
        return fs_fail_at(err, reason, "", parent);
    hv_fail_errno(err, reason, "Cannot open the directory %.*s", HV_STR_ARG(parent));
    if (reason == ENOENT)
        hv_error_hint(err, "Create the directory first");
    return hv_code_from_errno(reason);
}

static enum hv_code write_whole(struct hv_str path, struct pieces content, const struct fs_image *image,
                                const struct hv_write_options *options, struct hv_file_stat *after,
                                struct hv_error *err)
{
    static const struct hv_write_options none;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str target = path;
    const struct hv_handle *at = options ? options->at : NULL;
    enum hv_code code = at ? HV_OK : fs_host_resolve(NULL, &arena, path, &target, err);
    if (code)
        return code;
    target = hv_arena_str(&arena, target); /* ended by a NUL */
    struct hv_str name = path_name(target), parent = path_parent(target);
    if (!name.len)
        return hv_fail(err, HV_EUNSUPPORTED, "/ is a directory and cannot be written as a file");
    if (name.len > NAME_MAX)
        return hv_fail_errno(err, ENAMETOOLONG, "Cannot write %s", target.ptr);
    struct writing w = {.path = target.ptr, .options = options ? options : &none, .content = content, .parent = parent};
    w.image = image;
    w.directory = w.old = w.temporary = -1;
    memcpy(w.name, name.ptr, name.len);
    pending_begin(&w.pending, w.options->journal);
    if (w.options->make_parents) {
        announce(&w);
        pending_note_directories(&w.pending, w.options->at ? w.options->at : &fs_root_handle, parent);
        code = fs_make_directories_at(at ? at : &fs_root_handle, parent, err);
    }
    if (!code)
        code = open_parent(&w, parent, err);
    if (!code)
        code = replace(&w, after, err);
    if (code) {
        write_drop_temporary(&w); /* it may stand in a directory that goes */
        pending_undo_directories(&w.pending);
    }
    writing_release(&w);
    return code;
}

enum hv_code fs_write_pieces(struct hv_str path, struct pieces content, const struct hv_write_options *options,
                             struct hv_file_stat *after, struct hv_error *err)
{
    return write_whole(path, content, NULL, options, after, err);
}

enum hv_code fs_write_as(struct hv_str path, struct hv_str bytes, const struct fs_image *image,
                         const struct hv_write_options *options, struct hv_error *err)
{
    return write_whole(path, (struct pieces){&bytes, 1}, image, options, NULL, err);
}

enum hv_code fs_write(struct hv_str path, struct hv_str bytes, const struct hv_write_options *options,
                      struct hv_file_stat *after, struct hv_error *err)
{
    return fs_write_pieces(path, (struct pieces){&bytes, 1}, options, after, err);
}
