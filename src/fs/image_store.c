/* image_store.c: see image_store.h. */
#include "fs/image_store.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/sha256.h"
#include "fs/directory.h"
#include "fs/host_files.h"
#include "fs/open.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>

enum { PIECE = 256 << 10, NAME_SIZE = 48, NAME_TRIES = 20 };

/* ---- opening ------------------------------------------------------------------------------------------------- */

/* What is in it; what killed processes left half-made goes. */
static uint64_t take_stock(int folder)
{
    uint64_t size = 0;
    struct fs_directory directory;
    struct hv_directory_entry entry;
    struct stat status;
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (again < 0)
        return 0;
    fs_directory_init(&directory, again);
    while (fs_directory_next(&directory, &entry) > 0) {
        char name[NAME_MAX + 1];
        snprintf(name, sizeof name, "%.*s", HV_STR_ARG(entry.name));
        if (hv_str_starts(entry.name, HV_STR("new-")))
            (void)unlinkat(folder, name, 0);
        else if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0)
            size += (uint64_t)status.st_size;
    }
    fs_directory_release(&directory);
    close(again);
    return size;
}

enum hv_code fs_image_store_open(struct fs_image_store *store, struct hv_str folder, uint64_t file_max,
                                 uint64_t size_max, struct hv_error *err)
{
    char name[FS_PATH_MAX];
    *store = (struct fs_image_store){.folder = -1, .file_max = file_max, .size_max = size_max};
    enum hv_code code = fs_path_cstr(folder, name, err);
    if (code)
        return code;
    if (mkdir(name, 0700) && errno != EEXIST)
        return hv_fail_errno(err, errno, "Cannot make the folder %s", name);
    store->folder = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (store->folder < 0)
        return hv_fail_errno(err, errno, "Cannot open the folder %s", name);
    store->is_open = true;
    atomic_store(&store->size, take_stock(store->folder));
    return HV_OK;
}

void fs_image_store_release(struct fs_image_store *store)
{
    if (store->is_open)
        close(store->folder);
    store->is_open = false;
}

enum hv_code fs_image_store_sync(struct fs_image_store *store, struct hv_error *err)
{
    if (fsync(store->folder) && errno != EINVAL)
        return hv_fail_errno(err, errno, "The disk did not confirm the copies of files");
    return HV_OK;
}

/* ---- keeping ------------------------------------------------------------------------------------------------- */

static int create(struct fs_image_store *store, char name[NAME_SIZE])
{
    for (int i = 0; i < NAME_TRIES; i++) {
        uint64_t value;
        if (getrandom(&value, sizeof value, 0) != sizeof value)
            value = clock_monotonic_ns();
        snprintf(name, NAME_SIZE, "new-%016llx", (unsigned long long)value);
        int fd = openat(store->folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

static int put_all(int fd, const char *bytes, size_t len, uint64_t offset)
{
    while (len) {
        ssize_t put = pwrite(fd, bytes, len, (off_t)offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return -1;
        bytes += put;
        len -= (size_t)put;
        offset += (uint64_t)put;
    }
    return 0;
}

/* Into a file that has nothing there yet: zeros stay a hole. The file gets its size by ftruncate. */
static int put_fresh(int fd, const char *bytes, size_t len, uint64_t offset)
{
    bool is_hole = !bytes[0] && memcmp(bytes, bytes + 1, len - 1) == 0;
    return is_hole ? 0 : put_all(fd, bytes, len, offset);
}

/* The sum is that of what was kept, whatever happens to the file meanwhile: a clone is read, a copy made of what is
 * summed up. */
static int copy(int from, int to, uint64_t limit, uint64_t *size, char hex[SHA256_HEX + 1])
{
    CLEANUP_FREE char *piece = hv_malloc(PIECE);
    struct sha256 sum;
    bool cloned = ioctl(to, FICLONE, from) == 0;
    ssize_t got;
    sha256_begin(&sum);
    for (*size = 0; (got = fs_read_at(cloned ? to : from, piece, PIECE, *size)) > 0; *size += (uint64_t)got) {
        sha256_add(&sum, piece, (size_t)got);
        if (*size + (uint64_t)got > limit) {
            errno = EFBIG;
            return -1;
        }
        if (!cloned && put_fresh(to, piece, (size_t)got, *size))
            return -1;
    }
    sha256_end(&sum, hex);
    return got < 0 || (!cloned && ftruncate(to, (off_t)*size)) || fdatasync(to) ? -1 : 0;
}

/* A content that is there already is replaced by itself: a power cut may have torn the one that was there. */
static int give_name(struct fs_image_store *store, const char *temporary, const char *name, uint64_t size)
{
    bool is_new = faccessat(store->folder, name, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
    if (renameat(store->folder, temporary, store->folder, name))
        return -1;
    if (is_new)
        atomic_fetch_add(&store->size, size);
    return 0;
}

static struct hv_str failure(struct hv_arena *arena, int reason)
{
    struct hv_error err;
    hv_fail_errno(&err, reason, "its copy could not be made");
    return hv_arena_str(arena, hv_str_from(err.message));
}

static void keep_bytes(struct fs_image_store *store, int from, struct fs_image *image, struct hv_arena *arena)
{
    char temporary[NAME_SIZE], hex[SHA256_HEX + 1];
    uint64_t size;
    CLEANUP_FD int to = create(store, temporary);
    if (to < 0) {
        image->unsaved = failure(arena, errno);
        return;
    }
    if (copy(from, to, store->file_max, &size, hex) || give_name(store, temporary, hex, size)) {
        image->unsaved = failure(arena, errno);
        (void)unlinkat(store->folder, temporary, 0);
        return;
    }
    image->size = size;
    image->hash = hv_arena_str(arena, hv_str_of(hex, SHA256_HEX));
}

/* Sets image->unsaved. */
static bool is_full(const struct fs_image_store *store, struct fs_image *image)
{
    if (atomic_load(&store->size) + image->size <= store->size_max)
        return false;
    image->unsaved = HV_STR("the project's copies fill what they may take (checkpointMegabytes)");
    return true;
}

static int copy_part(int from, uint64_t offset, uint64_t size, int to, char hex[SHA256_HEX + 1])
{
    CLEANUP_FREE char *piece = hv_malloc(PIECE);
    struct sha256 sum;
    sha256_begin(&sum);
    for (uint64_t done = 0; done < size;) {
        ssize_t got = fs_read_at(from, piece, size - done < PIECE ? (size_t)(size - done) : PIECE, offset + done);
        if (got <= 0 || put_fresh(to, piece, (size_t)got, done)) {
            errno = got ? errno : EIO;
            return -1;
        }
        sha256_add(&sum, piece, (size_t)got);
        done += (uint64_t)got;
    }
    sha256_end(&sum, hex);
    return ftruncate(to, (off_t)size);
}

void fs_image_store_take(struct fs_image_store *store, int from, uint64_t offset, struct fs_image *image,
                         struct hv_arena *arena)
{
    char temporary[NAME_SIZE], hex[SHA256_HEX + 1];
    if (is_full(store, image))
        return;
    CLEANUP_FD int to = create(store, temporary);
    if (to >= 0 && copy_part(from, offset, image->size, to, hex) == 0 &&
        give_name(store, temporary, hex, image->size) == 0) {
        image->hash = hv_arena_str(arena, hv_str_of(hex, SHA256_HEX));
        return;
    }
    image->unsaved = failure(arena, errno);
    if (to >= 0)
        (void)unlinkat(store->folder, temporary, 0);
}

/* ---- keeping a file ------------------------------------------------------------------------------------------ */

static void keep_file(struct fs_image_store *store, struct fs_image *image, struct hv_arena *arena)
{
    char name[NAME_MAX + 1];
    struct stat status;
    CLEANUP_FD int parent = image_open_parent(image, name);
    CLEANUP_FD int from =
        parent < 0 ? -1 : openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (from < 0 || fstat(from, &status) || !S_ISREG(status.st_mode)) {
        image->unsaved = failure(arena, from < 0 ? errno : EINVAL);
        return;
    }
    image_fill(image, &status);
    image_take_attributes(image, parent, name, arena);
    if (image->size > store->file_max)
        image->unsaved = hv_arena_format(arena, "it is larger than %llu MB, the most that is kept of a file",
                                         (unsigned long long)(store->file_max >> 20));
    else if (!is_full(store, image))
        keep_bytes(store, from, image, arena);
}

void fs_image_store_keep(struct fs_image_store *store, struct fs_image *image, struct hv_arena *arena)
{
    fs_image_look(image, arena);
    if (image->kind == FS_IMAGE_FILE)
        keep_file(store, image, arena);
    else if (image->kind == FS_IMAGE_OTHER)
        image->unsaved = HV_STR("it is neither a file nor a link");
}

/* ---- giving back --------------------------------------------------------------------------------------------- */

static enum hv_code no_copy(struct hv_str path, struct hv_error *err)
{
    hv_fail(err, HV_ENOTFOUND, "the copy of %.*s is gone", HV_STR_ARG(path));
    hv_error_hint(err, "it went to keep the copies below checkpointMegabytes, or was removed by hand");
    return HV_ENOTFOUND;
}

static enum hv_code open_copy(struct hv_str folder, const struct fs_image *image, int *fd, struct hv_error *err)
{
    char path[FS_PATH_MAX];
    int len = snprintf(path, sizeof path, "%.*s/%.*s", HV_STR_ARG(folder), HV_STR_ARG(image->hash));
    if (!image->hash.len || len < 0 || (size_t)len >= sizeof path)
        return no_copy(image->path, err);
    *fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (*fd >= 0)
        return HV_OK;
    return errno == ENOENT ? no_copy(image->path, err)
                           : hv_fail_errno(err, errno, "Cannot open the copy of %.*s", HV_STR_ARG(image->path));
}

static enum hv_code damaged(const struct fs_image *image, struct hv_error *err)
{
    hv_fail(err, HV_EINVAL, "The copy of %.*s was damaged: %.*s no longer has the bytes that it is named after",
            HV_STR_ARG(image->path), HV_STR_ARG(image->hash));
    hv_error_hint(err, "it cannot be used; --force restores the other files");
    return HV_EINVAL;
}

typedef int put_piece(int fd, const char *bytes, size_t len, uint64_t offset);

/* Read a copy, put it into `to` where that is one (-1: only look), and hold its sum against its name. */
static enum hv_code read_copy(int from, const struct fs_image *image, int to, put_piece *put, struct hv_error *err)
{
    CLEANUP_FREE char *piece = hv_malloc(PIECE);
    char hex[SHA256_HEX + 1];
    struct sha256 sum;
    uint64_t size = 0;
    ssize_t got;
    sha256_begin(&sum);
    for (; (got = fs_read_at(from, piece, PIECE, size)) > 0; size += (uint64_t)got) {
        sha256_add(&sum, piece, (size_t)got);
        if (to >= 0 && put(to, piece, (size_t)got, size))
            return hv_fail_errno(err, errno, "Cannot write %.*s", HV_STR_ARG(image->path));
    }
    if (got < 0)
        return hv_fail_errno(err, errno, "Cannot read the copy of %.*s", HV_STR_ARG(image->path));
    if (to >= 0 && put == put_fresh && ftruncate(to, (off_t)size))
        return hv_fail_errno(err, errno, "Cannot write %.*s", HV_STR_ARG(image->path));
    sha256_end(&sum, hex);
    return hv_str_is(image->hash, hex) ? HV_OK : damaged(image, err);
}

enum hv_code fs_image_store_check(struct hv_str folder, const struct fs_image *image, struct hv_error *err)
{
    CLEANUP_FD int from = -1;
    enum hv_code code = open_copy(folder, image, &from, err);
    return code ? code : read_copy(from, image, -1, put_all, err);
}

enum hv_code fs_image_store_give(struct hv_str folder, const struct fs_image *image, int to, struct hv_error *err)
{
    CLEANUP_FD int from = -1;
    struct stat status;
    enum hv_code code = open_copy(folder, image, &from, err);
    if (code)
        return code;
    bool is_fresh = fstat(to, &status) == 0 && status.st_size == 0 && status.st_blocks == 0;
    bool is_cloned = is_fresh && ioctl(to, FICLONE, from) == 0;
    return read_copy(from, image, is_cloned ? -1 : to, is_fresh ? put_fresh : put_all, err);
}

int fs_image_store_open_copy(struct hv_str folder, const struct fs_image *image)
{
    int fd = -1;
    return open_copy(folder, image, &fd, NULL) == HV_OK ? fd : -1;
}
