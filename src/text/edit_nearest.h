/*
 * edit_nearest.h: where in a file the text that was not found probably is, and in what it differs. First the text
 * without regard to blanks, quotes and case; else the place where most of its lines stand; else the line that shares
 * most of its three-letter sequences. Looks at the first 16 MiB only. Pure.
 */
#ifndef TEXT_EDIT_NEAREST_H
#define TEXT_EDIT_NEAREST_H

#include "text/edit.h"

/* Fill the part of *failure that describes a text not found. fold_flags says how quotes are written (edit_fold.h). */
void edit_nearest(struct hv_str file, struct hv_str old_text, unsigned fold_flags, struct edit_failure *failure);

#endif
