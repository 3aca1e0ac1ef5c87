/*
 * scan_piece.h: the names of one directory, or of a part of a long one, in a scan, and which of them are files to be
 * visited. Filled by one thread, then read by several. In all lists of entries the name lies behind its type.
 */
#ifndef FS_SCAN_PIECE_H
#define FS_SCAN_PIECE_H

#include "fs/scan_warm.h"

#include <dirent.h>

enum {
    PIECE_SIZE = 256 * 1024,
    PIECE_FILES = PIECE_SIZE / 24, /* no entry is shorter */
};

#define FILE_IGNORED 0x80000000u /* beside an offset into a piece */

struct piece {
    atomic_uint references;
    struct warm_record *record; /* counted: what is remembered of the directory; or NULL */
    const char *names;          /* of record, or bytes; files are offsets of types in them */
    size_t filled, file_count;
    uint32_t *order; /* numbers of the files, in the order of their names; NULL: they are visited as they stand */
    uint32_t files[PIECE_FILES];
    _Alignas(struct dirent64) char bytes[PIECE_SIZE];
};

/* An empty piece that no other thread uses: *spare, or a new one that takes its place. */
struct piece *piece_take(struct piece **spare);
void piece_unref(struct piece *piece); /* NULL is accepted */
/* Fill it with entries of a directory. 1: there may be more, 0: the end was reached, -1 with errno. */
int piece_read(struct piece *piece, int fd);
/* Let the files be visited by name. */
void piece_sort(struct piece *piece);
/* What an entry of the directory fd is; asked for where its type was not told, which is set then. */
enum hv_file_kind piece_kind(int fd, struct dirent64 *found);
/* Which rule files are among the entries that were read. */
void piece_rule_files(const struct piece *piece, struct scan_rule_files *files);

#endif
