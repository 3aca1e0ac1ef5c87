/* host_files.c: see host_files.h. Resolving is in resolve.c, writing in write.c. */
#include "fs/host_files.h"

#include "base/cleanup.h"
#include "fs/directory.h"
#include "fs/open.h"
#include "fs/write.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { READ_PIECE = 128 * 1024 };

enum hv_code fs_host_stat(const struct hv_host *host, struct hv_str path, bool follow, struct hv_file_stat *out,
                          struct hv_error *err)
{
    (void)host;
    char name[FS_PATH_MAX];
    enum hv_code code = fs_path_cstr(path, name, err);
    if (code)
        return code;
    struct stat status;
    if (fstatat(AT_FDCWD, name, &status, follow ? 0 : AT_SYMLINK_NOFOLLOW))
        return hv_fail_errno(err, errno, "Cannot look at %s", name);
    *out = fs_stat_from(&status);
    return HV_OK;
}

/* Files of /proc say size 0, so the size is only a first guess of how much there is. */
static enum hv_code read_range(int fd, struct hv_str path, uint64_t offset, size_t limit, uint64_t guess,
                               struct hv_buf *buf, struct hv_error *err)
{
    size_t done = 0;
    size_t piece = guess > offset && guess - offset < limit ? (size_t)(guess - offset) + 1 : READ_PIECE;
    while (done < limit) {
        size_t want = limit - done < piece ? limit - done : piece;
        char *room = hv_buf_reserve(buf, want);
        if (!room && want > 1 && buf->max > buf->len) { /* the last piece below the maximum */
            buf->failed = false;
            want = buf->max - buf->len < want ? buf->max - buf->len : want / 2;
            room = hv_buf_reserve(buf, want);
        }
        char probe;
        ssize_t got = fs_read_at(fd, room ? room : &probe, room ? want : 1, offset + done);
        if (got < 0)
            return hv_fail_errno(err, errno, "Cannot read %.*s", HV_STR_ARG(path));
        if (got > 0 && !room)
            return hv_fail(err, HV_ETOOBIG, "%.*s is larger than %zu bytes", HV_STR_ARG(path), buf->max);
        if (!room)
            buf->failed = false;
        else
            hv_buf_commit(buf, (size_t)got);
        done += (size_t)got;
        if ((size_t)got < want)
            break;
        piece = READ_PIECE;
    }
    return HV_OK;
}

enum hv_code fs_read_open(int fd, struct hv_str path, uint64_t offset, size_t limit, uint64_t size, struct hv_buf *buf,
                          struct hv_error *err)
{
    if (offset > INT64_MAX - limit)
        return hv_fail(err, HV_EINVAL, "The range to read of %.*s lies beyond any file", HV_STR_ARG(path));
    size_t before = buf->len;
    enum hv_code code = read_range(fd, path, offset, limit, size, buf, err);
    if (!code)
        return HV_OK;
    buf->len = before;
    buf->failed = false;
    if (buf->data)
        buf->data[before] = '\0';
    return code;
}

enum hv_code fs_host_read(const struct hv_host *host, struct hv_str path, uint64_t offset, size_t limit,
                          struct hv_buf *buf, struct hv_file_stat *stat_out, struct hv_error *err)
{
    (void)host;
    CLEANUP_FD int fd = -1;
    struct hv_file_stat status;
    enum hv_code code = fs_open_regular(path, &fd, &status, err);
    if (!code)
        code = fs_read_open(fd, path, offset, limit, status.size, buf, err);
    if (!code && stat_out)
        *stat_out = status;
    return code;
}

enum hv_code fs_host_open(const struct hv_host *host, struct hv_str path, enum hv_file_kind kind, int *fd,
                          struct hv_file_stat *stat, struct hv_error *err)
{
    (void)host;
    char name[FS_PATH_MAX];
    if (kind != HV_FILE_DIRECTORY)
        return fs_open_regular(path, fd, stat, err);
    enum hv_code code = fs_path_cstr(path, name, err);
    if (code)
        return code;
    *fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return *fd < 0 ? hv_fail_errno(err, errno, "Cannot open the directory %s", name) : HV_OK;
}

enum hv_code fs_host_write(const struct hv_host *host, struct hv_str path, struct hv_str bytes,
                           const struct hv_write_options *options, struct hv_file_stat *after, struct hv_error *err)
{
    (void)host;
    return fs_write(path, bytes, options, after, err);
}

enum hv_code fs_host_write_pieces(const struct hv_host *host, struct hv_str path, const struct hv_str *pieces,
                                  size_t count, const struct hv_write_options *options, struct hv_file_stat *after,
                                  struct hv_error *err)
{
    (void)host;
    return fs_write_pieces(path, (struct pieces){pieces, count}, options, after, err);
}

static int collect(struct fs_directory *directory, struct hv_arena *arena, size_t limit,
                   struct hv_directory_entry **entries, size_t *count, bool *more)
{
    size_t capacity = 0;
    struct hv_directory_entry entry;
    int found;
    while ((found = fs_directory_next(directory, &entry)) > 0) {
        if (*count == limit) {
            *more = true;
            return 0;
        }
        if (*count == capacity) {
            capacity = capacity ? capacity * 2 : 32;
            struct hv_directory_entry *grown = hv_arena_array(arena, struct hv_directory_entry, capacity);
            if (*count)
                memcpy(grown, *entries, *count * sizeof *grown);
            *entries = grown;
        }
        entry.name = hv_arena_str(arena, entry.name);
        (*entries)[(*count)++] = entry;
    }
    return found;
}

enum hv_code fs_list_open(int fd, struct hv_str path, struct hv_arena *arena, size_t limit,
                          struct hv_directory_entry **entries, size_t *count, bool *more, struct hv_error *err)
{
    struct hv_directory_entry *found = NULL;
    size_t found_count = 0;
    bool found_more = false;
    struct fs_directory directory;
    fs_directory_init(&directory, fd);
    int result = collect(&directory, arena, limit, &found, &found_count, &found_more);
    fs_directory_release(&directory);
    if (result < 0)
        return hv_fail_errno(err, errno, "Cannot list %.*s", HV_STR_ARG(path));
    *entries = found;
    *count = found_count;
    *more = found_more;
    return HV_OK;
}

enum hv_code fs_host_list(const struct hv_host *host, struct hv_arena *arena, struct hv_str path, size_t limit,
                          struct hv_directory_entry **entries, size_t *count, bool *more, struct hv_error *err)
{
    (void)host;
    char name[FS_PATH_MAX];
    enum hv_code code = fs_path_cstr(path, name, err);
    if (code)
        return code;
    CLEANUP_FD int fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return hv_fail_errno(err, errno, "Cannot list %s", name);
    return fs_list_open(fd, path, arena, limit, entries, count, more, err);
}

enum hv_code fs_host_make_directories(const struct hv_host *host, struct hv_str path, struct hv_error *err)
{
    (void)host;
    char name[FS_PATH_MAX];
    enum hv_code code = fs_path_cstr(path, name, err);
    if (code)
        return code;
    struct stat status;
    for (char *slash = name + 1;; slash++) {
        if (*slash != '/' && *slash != '\0')
            continue;
        char kept = *slash;
        *slash = '\0';
        int reason = mkdir(name, 0777) && errno != EEXIST ? errno : 0;
        if (reason && (stat(name, &status) || !S_ISDIR(status.st_mode))) /* may be there, and not ours to make */
            return hv_fail_errno(err, reason, "Cannot create the directory %s", name);
        if (kept == '\0')
            break;
        *slash = kept;
    }
    if (stat(name, &status))
        return hv_fail_errno(err, errno, "Cannot create the directory %s", name);
    if (!S_ISDIR(status.st_mode))
        return hv_fail(err, HV_EEXIST, "%s exists and is not a directory", name);
    return HV_OK;
}

enum hv_code fs_host_remove(const struct hv_host *host, struct hv_str path, struct hv_error *err)
{
    (void)host;
    char name[FS_PATH_MAX];
    enum hv_code code = fs_path_cstr(path, name, err);
    if (code)
        return code;
    if (unlink(name))
        return hv_fail_errno(err, errno, "Cannot remove %s", name);
    return HV_OK;
}
