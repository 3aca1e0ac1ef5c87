/*
 * helper_mount_id.c: the number of the mount that a path leads to. In a file of its own because the kernel's header
 * and, from musl 1.2.5 on, <sys/stat.h> both define struct statx, and only the kernel's knows the number.
 */
#include "sandbox/helper.h"

#include <fcntl.h>
#include <linux/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

uint64_t helper_mount_id(const char *path)
{
    struct statx found = {0};
    if (syscall(SYS_statx, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, STATX_MNT_ID, &found))
        return 0;
    return found.stx_mnt_id;
}
