/*
 * edit_diff.h: what an edit changes, by lines and in pieces, without the new text being put together. Pure.
 */
#ifndef TEXT_EDIT_DIFF_H
#define TEXT_EDIT_DIFF_H

#include "base/pieces.h"
#include "text/diff.h"
#include "text/edit.h"

/* What diff_lines gives for file and the same with the edit done. All in arena or views of file. Takes time for what
 * lies between the first and the last splice, and for counting the lines before where the edit does not tell. */
void edit_diff(struct hv_arena *arena, struct hv_str file, const struct edit *edit, struct diff *diff);

/* The file with the edit done: views of file and of the edit, between the two; the array is in arena. */
struct pieces edit_pieces(struct hv_arena *arena, struct hv_str file, const struct edit *edit);

#endif
