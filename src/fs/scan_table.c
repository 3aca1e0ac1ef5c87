/* scan_table.c: see scan_table.h. */
#include "fs/scan_table.h"

#include "base/cleanup.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ROOT_MAX = 4096 }; /* all descriptors below are copied first */

/* Directories will be opened by their paths: not without the call that follows no link on the whole way. */
static bool can_open_by_path(int root)
{
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
    CLEANUP_FD int fd = (int)syscall(SYS_openat2, root, ".", &how, sizeof how);
    return fd >= 0;
}

bool scan_table_part(int root)
{
    if (!SCAN_TABLES_REAL)
        return true;
    if (root <= STDERR_FILENO || root > ROOT_MAX || !can_open_by_path(root) ||
        close_range((unsigned)root + 1, ~0u, CLOSE_RANGE_UNSHARE))
        return false;
    for (int fd = 0; fd < root; fd++)
        if (fd != STDERR_FILENO)
            close(fd);
    return true;
}

void scan_table_close(void)
{
    if (SCAN_TABLES_REAL)
        (void)!close_range(0, ~0u, 0);
}
