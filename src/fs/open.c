/* open.c: see open.h. */
#include "fs/open.h"

#include "base/cleanup.h"
#include "fs/handle.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

enum hv_code fs_path_cstr(struct hv_str path, char buffer[FS_PATH_MAX], struct hv_error *err)
{
    if (!path.len)
        return hv_fail(err, HV_EINVAL, "The path is empty");
    if (memchr(path.ptr, '\0', path.len))
        return hv_fail(err, HV_EINVAL, "The path holds a NUL byte");
    if (path.len >= FS_PATH_MAX)
        return hv_fail(err, HV_EINVAL, "The path is too long (%zu bytes; at most %d)", path.len, FS_PATH_MAX - 1);
    memcpy(buffer, path.ptr, path.len);
    buffer[path.len] = '\0';
    return HV_OK;
}

enum hv_file_kind fs_kind_of_mode(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG: return HV_FILE_REGULAR;
    case S_IFDIR: return HV_FILE_DIRECTORY;
    case S_IFLNK: return HV_FILE_SYMLINK;
    case S_IFCHR:
    case S_IFBLK: return HV_FILE_DEVICE;
    case S_IFIFO: return HV_FILE_FIFO;
    case S_IFSOCK: return HV_FILE_SOCKET;
    default: return HV_FILE_UNKNOWN;
    }
}

enum hv_file_kind fs_kind_of_dirent(unsigned char type)
{
    return type == DT_UNKNOWN ? HV_FILE_UNKNOWN : fs_kind_of_mode(DTTOIF(type));
}

const char *fs_kind_name(enum hv_file_kind kind)
{
    switch (kind) {
    case HV_FILE_REGULAR: return "a regular file";
    case HV_FILE_DIRECTORY: return "a directory";
    case HV_FILE_SYMLINK: return "a symbolic link";
    case HV_FILE_DEVICE: return "a device";
    case HV_FILE_FIFO: return "a named pipe (FIFO)";
    case HV_FILE_SOCKET: return "a socket";
    case HV_FILE_UNKNOWN: break;
    }
    return "of an unknown kind";
}

struct hv_file_stat fs_stat_from(const struct stat *status)
{
    return (struct hv_file_stat){
        .kind = fs_kind_of_mode(status->st_mode),
        .mode = status->st_mode & 07777,
        .size = (uint64_t)status->st_size,
        .mtime_ns = (int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec,
        .ctime_ns = (int64_t)status->st_ctim.tv_sec * 1000000000 + status->st_ctim.tv_nsec,
        .inode = status->st_ino,
        .device = status->st_dev,
        .links = status->st_nlink,
    };
}

bool fs_stat_same(const struct hv_file_stat *a, const struct hv_file_stat *b)
{
    return a->kind == b->kind && a->inode == b->inode && a->device == b->device && a->size == b->size &&
           a->mtime_ns == b->mtime_ns;
}

bool fs_stat_untouched(const struct hv_file_stat *a, const struct hv_file_stat *b)
{
    return fs_stat_same(a, b) && a->ctime_ns == b->ctime_ns;
}

/* Files of the kernel that say they are regular, and yet wait for what may never come or have no end. */
static bool is_endless(const char *name, const struct stat *status)
{
    static const char *const endless[] = {"kmsg", "kcore", "mem", "pagemap", "trace_pipe", "trace_pipe_raw", "event"};
    struct statfs system;
    if (major(status->st_dev) != 0 || statfs(name, &system)) /* such file systems have no device */
        return false;
    unsigned magic = (unsigned)system.f_type;
    if (magic != PROC_SUPER_MAGIC && magic != TRACEFS_MAGIC && magic != DEBUGFS_MAGIC)
        return false;
    CLEANUP_FREE char *real = realpath(name, NULL);
    const char *last = real ? strrchr(real, '/') : NULL;
    for (size_t i = 0; last && i < sizeof endless / sizeof *endless; i++)
        if (strcmp(last + 1, endless[i]) == 0)
            return true;
    return false;
}

/* name in directory, followed unless flags say O_NOFOLLOW; whole: for messages. */
static enum hv_code open_regular(int directory, const char *name, int flags, const char *whole, int *fd,
                                 struct hv_file_stat *stat_out, struct hv_error *err)
{
    /* Opening a device or a FIFO can have effects of its own, so the kind is asked first, and again of what was
     * opened, in case the name changed hands in between. */
    struct stat status;
    if (fstatat(directory, name, &status, flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0))
        return hv_fail_errno(err, errno, "Cannot open %s", whole);
    if (S_ISREG(status.st_mode) && is_endless(whole, &status))
        return hv_fail(err, HV_EUNSUPPORTED, "%s is a stream of the kernel, which has no end", whole);
    CLEANUP_FD int opened = -1;
    if (S_ISREG(status.st_mode)) {
        opened = openat(directory, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags);
        if (opened < 0 && errno == ELOOP && flags & O_NOFOLLOW)
            status.st_mode = S_IFLNK;
        else if (opened < 0 || fstat(opened, &status))
            return hv_fail_errno(err, errno, "Cannot open %s", whole);
    }
    if (S_ISLNK(status.st_mode))
        return fs_fail_at(err, ELOOP, "", hv_str_from(whole));
    if (!S_ISREG(status.st_mode))
        return hv_fail(err, HV_EUNSUPPORTED, "%s is %s, not a regular file", whole,
                       fs_kind_name(fs_kind_of_mode(status.st_mode)));
    if (stat_out)
        *stat_out = fs_stat_from(&status);
    *fd = take_fd(&opened);
    return HV_OK;
}

enum hv_code fs_open_regular(struct hv_str path, int *fd, struct hv_file_stat *stat_out, struct hv_error *err)
{
    char name[FS_PATH_MAX];
    enum hv_code code = fs_path_cstr(path, name, err);
    return code ? code : open_regular(AT_FDCWD, name, 0, name, fd, stat_out, err);
}

enum hv_code fs_open_regular_in(int directory, const char *name, const char *whole, int *fd,
                                struct hv_file_stat *stat_out, struct hv_error *err)
{
    return open_regular(directory, name, O_NOFOLLOW, whole, fd, stat_out, err);
}

/* One component, which is no link. */
static int open_component(int directory, const char *name, int flags)
{
    struct stat status;
    CLEANUP_FD int fd = openat(directory, name, flags | O_NOFOLLOW | O_CLOEXEC);
    int reason = errno;
    bool links = fd >= 0 ? fstat(fd, &status) == 0 && S_ISLNK(status.st_mode) /* with O_PATH a link itself is opened */
                         : reason == ENOTDIR && fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                               S_ISLNK(status.st_mode);
    errno = links ? ELOOP : reason;
    return links ? -1 : take_fd(&fd);
}

/* The same as the kernel does in one call, for those that cannot. */
static int open_by_steps(int directory, const char *path, int flags)
{
    CLEANUP_FD int held = path[0] == '/' ? open("/", O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    char name[NAME_MAX + 1];
    for (const char *slash; (path += strspn(path, "/")), (slash = strchr(path, '/'));) {
        size_t len = (size_t)(slash - path);
        if (len > NAME_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        memcpy(name, path, len);
        name[len] = '\0';
        int next = open_component(held >= 0 ? held : directory, name, O_PATH | O_DIRECTORY);
        if (next < 0)
            return -1;
        cleanup_fd(&held);
        held = next;
        path = slash;
    }
    return open_component(held >= 0 ? held : directory, *path ? path : ".", flags);
}

static int open_piece(int directory, const char *path, int flags)
{
    struct open_how how = {.flags = (uint64_t)(flags | O_CLOEXEC),
                           .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
    int fd = (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
    /* Kernels before 5.6, or a filter that does not know the call. */
    return fd < 0 && (errno == ENOSYS || errno == EPERM) ? open_by_steps(directory, path, flags) : fd;
}

int fs_open_no_links(int directory, struct hv_str path, int flags)
{
    CLEANUP_FD int held = -1;
    char piece[FS_PATH_MAX];
    while (path.len >= FS_PATH_MAX) {
        size_t cut = hv_str_rfind_byte(hv_str_slice(path, 0, FS_PATH_MAX - 1), '/');
        if (cut == SIZE_MAX || cut == 0) {
            errno = ENAMETOOLONG;
            return -1;
        }
        memcpy(piece, path.ptr, cut);
        piece[cut] = '\0';
        int next = open_piece(held >= 0 ? held : directory, piece, O_PATH | O_DIRECTORY);
        if (next < 0)
            return -1;
        if (held >= 0)
            close(held);
        held = next;
        while (cut < path.len && path.ptr[cut] == '/')
            cut++;
        path = hv_str_slice(path, cut, path.len);
    }
    memcpy(piece, path.ptr, path.len);
    piece[path.len] = '\0';
    return open_piece(held >= 0 ? held : directory, path.len ? piece : ".", flags);
}

ssize_t fs_read_at(int fd, char *bytes, size_t limit, uint64_t offset)
{
    size_t done = 0;
    while (done < limit) {
        size_t want = limit - done < 1u << 30 ? limit - done : 1u << 30;
        ssize_t got = pread(fd, bytes + done, want, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}
