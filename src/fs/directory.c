/* directory.c: see directory.h. */
#include "fs/directory.h"

#include "fs/open.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { DIRECTORY_BUFFER = 64 * 1024 };

void fs_directory_init(struct fs_directory *directory, int fd)
{
    *directory = (struct fs_directory){.fd = fd, .buffer = hv_malloc(DIRECTORY_BUFFER)};
}

void fs_directory_release(struct fs_directory *directory)
{
    free(directory->buffer);
    directory->buffer = NULL;
}

static enum hv_file_kind ask_kind(int fd, const char *name)
{
    struct stat status;
    return fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) ? HV_FILE_UNKNOWN : fs_kind_of_mode(status.st_mode);
}

int fs_directory_next(struct fs_directory *directory, struct hv_directory_entry *entry)
{
    for (;;) {
        if (directory->at >= directory->filled) {
            ssize_t got = getdents64(directory->fd, directory->buffer, DIRECTORY_BUFFER);
            if (got <= 0)
                return (int)got;
            directory->at = 0;
            directory->filled = (size_t)got;
        }
        const struct dirent64 *found = (const void *)(directory->buffer + directory->at);
        directory->at += found->d_reclen;
        const char *name = found->d_name;
        if (name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0')))
            continue;
        entry->name = hv_str_from(name);
        entry->kind = fs_kind_of_dirent(found->d_type);
        if (entry->kind == HV_FILE_UNKNOWN)
            entry->kind = ask_kind(directory->fd, name);
        return 1;
    }
}

static bool is_one_of(int fd, const unsigned *magic, size_t count)
{
    struct statfs system;
    if (fstatfs(fd, &system))
        return false;
    for (size_t i = 0; i < count; i++)
        if ((unsigned)system.f_type == magic[i])
            return true;
    return false;
}

bool fs_is_kernel_system(int fd)
{
    static const unsigned kernel_magic[] = {
        PROC_SUPER_MAGIC,
        SYSFS_MAGIC,
        DEVPTS_SUPER_MAGIC,
        CGROUP_SUPER_MAGIC,
        CGROUP2_SUPER_MAGIC,
        DEBUGFS_MAGIC,
        TRACEFS_MAGIC,
        SECURITYFS_MAGIC,
        BPF_FS_MAGIC,
        PSTOREFS_MAGIC,
        BINFMTFS_MAGIC,
        SELINUX_MAGIC,
        EFIVARFS_MAGIC,
        HUGETLBFS_MAGIC,
        0x19800202 /* mqueue */,
        0x62656570 /* configfs */,
        0x65735543 /* fusectl */,
    };
    return is_one_of(fd, kernel_magic, sizeof kernel_magic / sizeof *kernel_magic);
}

bool fs_keeps_times(int fd)
{
    static const unsigned steady_magic[] = {
        EXT4_SUPER_MAGIC,      XFS_SUPER_MAGIC,      BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC,     TMPFS_MAGIC,
        OVERLAYFS_SUPER_MAGIC, EROFS_SUPER_MAGIC_V1, SQUASHFS_MAGIC,    0x2fc12fc1 /* zfs */, 0xca451a4e /* bcachefs */,
    };
    return is_one_of(fd, steady_magic, sizeof steady_magic / sizeof *steady_magic);
}

bool fs_tells_changes(int fd)
{
    /* Not tmpfs, whose pages never go to a disk; nor what may lie on one (overlayfs); nor zfs, which is late. */
    static const unsigned magic[] = {EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC};
    return is_one_of(fd, magic, sizeof magic / sizeof *magic);
}
