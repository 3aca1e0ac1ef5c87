/* scan_piece.c: see scan_piece.h. */
#include "fs/scan_piece.h"

#include "fs/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PIECE_ROOM = 32 * 1024 }; /* what a read wants free */

_Static_assert(offsetof(struct dirent64, d_name) == offsetof(struct dirent64, d_type) + 1, "type, then name");

struct piece *piece_take(struct piece **spare)
{
    struct piece *piece = *spare;
    if (!piece || atomic_load(&piece->references) > 1) {
        piece_unref(piece);
        piece = *spare = hv_malloc(sizeof *piece);
        atomic_init(&piece->references, 1);
        piece->record = NULL;
        piece->order = NULL;
    }
    warm_unref(piece->record);
    free(piece->order);
    piece->record = NULL;
    piece->order = NULL;
    piece->names = piece->bytes;
    piece->filled = piece->file_count = 0;
    return piece;
}

void piece_unref(struct piece *piece)
{
    if (piece && atomic_fetch_sub(&piece->references, 1) == 1) {
        warm_unref(piece->record);
        free(piece->order);
        free(piece);
    }
}

int piece_read(struct piece *piece, int fd)
{
    while (piece->filled + PIECE_ROOM <= PIECE_SIZE) {
        ssize_t got = getdents64(fd, piece->bytes + piece->filled, PIECE_SIZE - piece->filled);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return (int)got;
        piece->filled += (size_t)got;
    }
    return 1;
}

enum hv_file_kind piece_kind(int fd, struct dirent64 *found)
{
    struct stat status;
    if (found->d_type == DT_UNKNOWN && fstatat(fd, found->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0)
        found->d_type = IFTODT(status.st_mode);
    return fs_kind_of_dirent(found->d_type);
}

static int compare_names(const void *a, const void *b, void *data)
{
    const struct piece *piece = data;
    const char *left = piece->names + (piece->files[*(const uint32_t *)a] & ~FILE_IGNORED),
               *right = piece->names + (piece->files[*(const uint32_t *)b] & ~FILE_IGNORED);
    return strcmp(left + 1, right + 1);
}

void piece_sort(struct piece *piece)
{
    if (piece->file_count < 2)
        return;
    piece->order = hv_malloc(piece->file_count * sizeof *piece->order);
    for (uint32_t i = 0; i < piece->file_count; i++)
        piece->order[i] = i;
    qsort_r(piece->order, piece->file_count, sizeof *piece->order, compare_names, piece);
}

void piece_rule_files(const struct piece *piece, struct scan_rule_files *files)
{
    for (size_t at = 0; at < piece->filled;) {
        const struct dirent64 *found = (const void *)(piece->bytes + at);
        if (found->d_name[0] == '.')
            scan_rule_files_note(files, hv_str_from(found->d_name));
        at += found->d_reclen;
    }
}
