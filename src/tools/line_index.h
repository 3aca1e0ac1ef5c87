/*
 * line_index.h: where lines of large files begin, as far as somebody has counted: about one place in so many bytes, so
 * that who reads on, back, or anywhere before the end of what was counted has less than that to count again. Kept for
 * the files of a session that were read last; holds for a file as it was (device, inode, size and time are compared).
 * Some 64 KB for a file at most. Any worker thread; blocks for no longer than a look-up.
 */
#ifndef TOOLS_LINE_INDEX_H
#define TOOLS_LINE_INDEX_H

#include <helve/tool.h>

struct line_place {
    uint64_t line, offset; /* of its first byte */
};

/* The last known place at or before the beginning of this line; line 1 at offset 0 when nothing better is known. *total
 * (may be NULL) is how many lines the file has, 0 if that is not known. */
struct line_place line_index_find(struct hv_context *context, struct hv_str key, const struct hv_file_stat *stat,
                                  uint64_t line, uint64_t *total);
/* This place was found; total: how many lines the file has, where the end was seen, else 0. */
void line_index_note(struct hv_context *context, struct hv_str key, const struct hv_file_stat *stat,
                     struct line_place place, uint64_t total);

#endif
