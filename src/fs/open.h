/*
 * open.h: opening files without surprises: nothing that blocks, has side effects or is swapped for a link on the
 * way. Descriptors are close-on-exec from birth. All functions may be called from any thread.
 */
#ifndef FS_OPEN_H
#define FS_OPEN_H

#include <helve/host.h>
#include <sys/stat.h>

/* path as a C string in buffer; HV_EINVAL when it is empty, holds a NUL or is longer than the system takes. */
enum { FS_PATH_MAX = 4096 };
enum hv_code fs_path_cstr(struct hv_str path, char buffer[FS_PATH_MAX], struct hv_error *err) HV_MUST_CHECK;

/* What a mode or a directory entry's type says. */
enum hv_file_kind fs_kind_of_mode(mode_t mode);
enum hv_file_kind fs_kind_of_dirent(unsigned char type); /* HV_FILE_UNKNOWN: ask fstatat */
/* "a directory", "a device", … for messages. Never NULL. */
const char *fs_kind_name(enum hv_file_kind kind);
struct hv_file_stat fs_stat_from(const struct stat *status);
/* The same file with the same contents, as far as metadata tells: inode, device, size and mtime are equal. */
bool fs_stat_same(const struct hv_file_stat *a, const struct hv_file_stat *b);
/* The same, and the time of the last change of anything, which programs that set mtime back cannot hide. */
bool fs_stat_untouched(const struct hv_file_stat *a, const struct hv_file_stat *b);

/*
 * Open a regular file for reading, following links. Devices, FIFOs and sockets are refused without being opened
 * (HV_EUNSUPPORTED), a directory too, and so are the streams of the kernel that pose as files (/proc/kmsg). *fd is the
 * caller's to close; *stat (may be NULL) is that of the descriptor.
 */
enum hv_code fs_open_regular(struct hv_str path, int *fd, struct hv_file_stat *stat,
                             struct hv_error *err) HV_MUST_CHECK;

/* The same of a name in a directory, which must be no link (HV_ECONFLICT): whole is its path. */
enum hv_code fs_open_regular_in(int directory, const char *name, const char *whole, int *fd, struct hv_file_stat *stat,
                                struct hv_error *err) HV_MUST_CHECK;

/*
 * open(2) for a path below directory (or absolute, with AT_FDCWD) in which no component may be a symbolic link; a
 * path longer than FS_PATH_MAX is opened piece by piece. Returns the descriptor, or -1 with errno (ELOOP: a link).
 */
int fs_open_no_links(int directory, struct hv_str path, int flags);

/* pread until limit bytes, the end, or an error (-1 with errno). Interrupted and short reads go on. */
ssize_t fs_read_at(int fd, char *bytes, size_t limit, uint64_t offset);

#endif
