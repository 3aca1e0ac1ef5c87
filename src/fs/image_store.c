/* image_store.c: see image_store.h. */
#include "fs/image_store.h"

#include "base/base64.h"
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
#include <sys/xattr.h>

enum {
    PIECE = 256 << 10,
    NAME_SIZE = 48,
    NAME_TRIES = 20,
    BYTES_MAX = 1 << 30,
    ATTRIBUTE_MAX = 8 << 10,
    ATTRIBUTES_MAX = 256 << 10
};

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
        if (!cloned && put_all(to, piece, (size_t)got, *size))
            return -1;
    }
    sha256_end(&sum, hex);
    return got < 0 || fdatasync(to) ? -1 : 0;
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
        if (got <= 0 || put_all(to, piece, (size_t)got, done)) {
            errno = got ? errno : EIO;
            return -1;
        }
        sha256_add(&sum, piece, (size_t)got);
        done += (uint64_t)got;
    }
    sha256_end(&sum, hex);
    return 0;
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

/* ---- extended attributes ------------------------------------------------------------------------------------- */

/* What a file loses with its name. What the kernel or the security module derives is none of it. */
static bool is_kept_attribute(const char *name)
{
    return strncmp(name, "user.", 5) == 0 || strcmp(name, "system.posix_acl_access") == 0;
}

static void put_attribute(struct hv_json_writer *writer, int fd, const char *name)
{
    char value[ATTRIBUTE_MAX];
    CLEANUP_BUF struct hv_buf text = {.max = 2 * ATTRIBUTE_MAX};
    ssize_t len = fgetxattr(fd, name, value, sizeof value);
    if (len < 0)
        return;
    base64_encode(&text, hv_str_of(value, (size_t)len), BASE64_STANDARD);
    hv_json_member_string(writer, name, hv_buf_str(&text));
}

static void take_attributes(int fd, struct fs_image *image, struct hv_arena *arena)
{
    char names[ATTRIBUTE_MAX];
    CLEANUP_BUF struct hv_buf json = {.max = ATTRIBUTES_MAX};
    struct hv_json_writer writer;
    ssize_t len = flistxattr(fd, names, sizeof names);
    hv_json_writer_init(&writer, &json);
    hv_json_begin_object(&writer);
    for (ssize_t at = 0; at < len; at += (ssize_t)strlen(names + at) + 1)
        if (is_kept_attribute(names + at))
            put_attribute(&writer, fd, names + at);
    hv_json_end_object(&writer);
    if (json.len > 2 && !json.failed)
        image->attributes = hv_arena_str(arena, hv_buf_str(&json));
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
    take_attributes(from, image, arena);
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

enum hv_code fs_image_store_load(struct hv_str folder, const struct fs_image *image, struct hv_buf *out,
                                 struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    char hex[SHA256_HEX + 1];
    struct sha256 sum;
    size_t before = out->len;
    struct hv_str path = hv_arena_format(&arena, "%.*s/%.*s", HV_STR_ARG(folder), HV_STR_ARG(image->hash));
    enum hv_code code = fs_host_read(NULL, path, 0, (size_t)BYTES_MAX + 1, out, NULL, err);
    if (code)
        return code;
    sha256_begin(&sum);
    sha256_add(&sum, out->data ? out->data + before : "", out->len - before);
    sha256_end(&sum, hex);
    if (hv_str_is(image->hash, hex))
        return HV_OK;
    hv_fail(err, HV_EINVAL, "The copy of %.*s was damaged: %.*s no longer has the bytes that it is named after",
            HV_STR_ARG(image->path), HV_STR_ARG(path));
    hv_error_hint(err, "it cannot be used; --force restores the other files");
    return HV_EINVAL;
}
