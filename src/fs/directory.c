/* directory.c: see directory.h. */
#include "fs/directory.h"

#include "fs/open.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
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
