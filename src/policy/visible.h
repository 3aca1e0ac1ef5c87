/* visible.h: text of foreign origin on a screen: nothing in it may hide, turn or move what stands beside it. Pure. */
#ifndef POLICY_VISIBLE_H
#define POLICY_VISIBLE_H

#include <helve/str.h>

/* text is well-formed UTF-8 without control, invisible or direction-changing characters. */
bool visible_as_is(struct hv_str text);

/* Append text with such characters as "\u{202e}" and bytes that are no UTF-8 as "\xff". */
void visible_add(struct hv_buf *out, struct hv_str text);

/* Append text with only those characters shown like that which turn the direction of writing: for names and output on a
 * screen that were cleaned of control characters already. */
void visible_add_straight(struct hv_buf *out, struct hv_str text);

/* As visible_add, line by line: newlines stay, and a long run of blanks within a line is counted instead. For texts
 * that somebody is to judge before they run. */
void visible_add_lines(struct hv_buf *out, struct hv_str text);

#endif
