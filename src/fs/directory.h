/*
 * directory.h: reading the names in one directory with getdents64, in large pieces.
 */
#ifndef FS_DIRECTORY_H
#define FS_DIRECTORY_H

#include <helve/host.h>

struct fs_directory {
    int fd; /* not owned */
    char *buffer;
    size_t at, filled;
};

/* Start at the descriptor's position. buffer memory is allocated; release frees it and leaves fd open. */
void fs_directory_init(struct fs_directory *directory, int fd);
void fs_directory_release(struct fs_directory *directory);
/*
 * The next entry but "." and "..": 1 with *entry (its name is valid until the next call; kind may be
 * HV_FILE_UNKNOWN only where the file system does not tell and the entry is already gone), 0 at the end, -1 with errno.
 */
int fs_directory_next(struct fs_directory *directory, struct hv_directory_entry *entry);

/* The directory lies in a file system that is a view of the kernel (/proc, /sys, cgroups …) rather than files. */
bool fs_is_kernel_system(int fd);
/* It lies in a file system of this machine that keeps the times of its directories to the tick and tells types. */
bool fs_keeps_times(int fd);
/* And of its files: also a program that has one mapped gives it another time, once the disk has the last change. */
bool fs_tells_changes(int fd);

#endif
