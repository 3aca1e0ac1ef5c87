/* folders.c: see folders.h. */
#include "fs/folders.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "fs/open.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

enum { HELD_MAX = 128 };

struct folders_held {
    struct hv_handle handle;
    dev_t device;
    ino_t inode;
    struct folders_held *next;
};

void folders_pass_over(struct folders *folders, struct hv_str path)
{
    (void)map_set(&folders->passing, path, folders);
}

/* NULL with errno where that cannot be. */
static const struct hv_handle *hold_itself(struct folders *folders, struct hv_str directory)
{
    struct stat status;
    CLEANUP_FD int fd = fs_open_no_links(AT_FDCWD, directory, O_PATH | O_DIRECTORY);
    if (fd < 0 || fstat(fd, &status))
        return NULL;
    struct folders_held *held = hv_arena_new(&folders->arena, struct folders_held);
    *held = (struct folders_held){.device = status.st_dev, .inode = status.st_ino, .next = folders->held};
    held->handle = (struct hv_handle){take_fd(&fd), directory};
    folders->held = held;
    folders->count++;
    return &held->handle;
}

const struct hv_handle *folders_hold(struct folders *folders, struct hv_str directory)
{
    const struct hv_handle *handle = map_get(&folders->known, directory);
    if (handle)
        return handle;
    struct hv_str kept = hv_arena_str(&folders->arena, directory);
    for (struct hv_str at = kept; !handle; at = path_parent(at)) {
        handle = map_get(&folders->known, at);
        if (!handle && folders->count < HELD_MAX && !map_get(&folders->passing, at))
            handle = hold_itself(folders, at);
        if (!handle && at.len <= 1)
            handle = &fs_root_handle;
    }
    (void)map_set(&folders->known, kept, (void *)(uintptr_t)handle);
    return handle;
}

static enum hv_code fail_exchanged(struct hv_str path, struct hv_error *err)
{
    hv_fail(err, HV_ECONFLICT, "The folder %.*s was exchanged for something else while files in it were changed",
            HV_STR_ARG(path));
    hv_error_hint(err, "Find out what changes it, then try again");
    return HV_ECONFLICT;
}

enum hv_code folders_check(const struct folders *folders, struct hv_error *err)
{
    for (const struct folders_held *held = folders->held; held; held = held->next) {
        struct hv_str path = held->handle.above;
        struct stat status;
        CLEANUP_FD int fd = fs_open_no_links(AT_FDCWD, path, O_PATH | O_DIRECTORY);
        if (fd < 0 && errno != ELOOP && errno != ENOENT && errno != ENOTDIR)
            return hv_fail_errno(err, errno, "Cannot open the directory %.*s", HV_STR_ARG(path));
        if (fd < 0 || fstat(fd, &status) || status.st_ino != held->inode || status.st_dev != held->device)
            return fail_exchanged(path, err);
    }
    return HV_OK;
}

void folders_release(struct folders *folders)
{
    for (struct folders_held *held = folders->held; held; held = held->next)
        close(held->handle.directory);
    map_release(&folders->known);
    map_release(&folders->passing);
    hv_arena_release(&folders->arena);
    *folders = (struct folders){0};
}
