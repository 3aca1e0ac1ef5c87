/* edit_slip.h: the usual slips of who copies text: when an old_text is not found, is it there once the slip is undone?
 * Only told, never done: rather fail than guess. Pure. */
#ifndef TEXT_EDIT_SLIP_H
#define TEXT_EDIT_SLIP_H

#include "text/edit.h"

/* Look for old_text in file (both UTF-8, or bytes of an 8-bit encoding), undoing one slip at a time, and for new_text
 * as it is: sets failure->slip, slip_line, slip_places and new_line. Nothing for very large texts. */
void edit_find_slip(struct hv_str file, struct hv_str old_text, struct hv_str new_text, struct edit_failure *failure);

#endif
