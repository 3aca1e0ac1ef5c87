/* scan_file.c: see scan_file.h. */
#include "fs/scan_file.h"

#include "base/calls.h"
#include "base/clock.h"
#include "fs/host_files.h"
#include "fs/scan.h"
#include "fs/scan_table.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/stat.h>
#include <unistd.h>

void scan_files_init(struct scan_files *files, unsigned closing)
{
    *files = (struct scan_files){.quiet = true, .count_max = closing};
}

/* They are in order but for those that have taken the places of directories. */
static void sort(struct scan_files *files)
{
    for (unsigned i = 1; i < files->count; i++) {
        int fd = files->closing[i];
        unsigned at = i;
        for (; at && files->closing[at - 1] > fd; at--)
            files->closing[at] = files->closing[at - 1];
        files->closing[at] = fd;
    }
}

/* All descriptors of a range are of the list: nothing of anybody else's lies between. */
void scan_files_flush(struct scan_files *files)
{
    sort(files);
    for (unsigned from = 0, to; from < files->count; from = to) {
        to = from + 1;
        while (to < files->count && files->closing[to] == files->closing[to - 1] + 1)
            to++;
        unsigned first = (unsigned)files->closing[from], last = (unsigned)files->closing[to - 1];
        /* ThreadSanitizer does not know that call, and takes what comes to these numbers later for the same files. */
        if (!SCAN_TABLES_REAL || first == last || close_range(first, last, 0))
            for (unsigned fd = first; fd <= last; fd++)
                close((int)fd);
    }
    files->count = 0;
}

int fs_scan_open(const struct fs_scan_entry *entry)
{
    /* Should it just have become something else than a file, this opens nothing that acts. */
    enum { FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };
    struct scan_files *files = entry->files;
    int fd = call_openat(entry->directory, entry->name.ptr, files->quiet ? FLAGS | O_NOATIME : FLAGS);
    if (fd >= 0 || errno != EPERM || !files->quiet)
        return fd;
    files->quiet = false; /* only the owner may ask for it */
    return call_openat(entry->directory, entry->name.ptr, FLAGS);
}

void fs_scan_close(const struct fs_scan_entry *entry, int fd)
{
    struct scan_files *files = entry->files;
    files->closing[files->count++] = fd;
    if (files->count == files->count_max)
        scan_files_flush(files);
}

bool fs_scan_mtime(const struct fs_scan_entry *entry, int64_t *mtime_ns)
{
    struct statx status;
    if (statx(entry->directory, entry->name.ptr, AT_SYMLINK_NOFOLLOW | AT_STATX_DONT_SYNC, STATX_MTIME, &status))
        return false;
    *mtime_ns = (int64_t)status.stx_mtime.tv_sec * (int64_t)CLOCK_SECOND + status.stx_mtime.tv_nsec;
    return true;
}

enum hv_code scan_open_root(const struct fs_scan_options *options, struct hv_arena *arena, struct hv_str *root, int *fd,
                            struct hv_error *err)
{
    enum hv_code code = HV_OK;
    *root = hv_arena_str(arena, options->root);
    if (options->descriptor > 0) {
        *fd = fcntl(options->descriptor, F_DUPFD_CLOEXEC, 0);
    } else {
        code = fs_host_resolve(NULL, arena, options->root, root, err);
        *fd = code ? -1 : open(root->ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    return code || *fd >= 0 ? code : hv_fail_errno(err, errno, "Cannot open the directory %s", root->ptr);
}
