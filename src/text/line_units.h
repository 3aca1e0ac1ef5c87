/*
 * line_units.h: where lines end in the bytes of any encoding: after a newline unit, which is one byte, or two or four
 * in UTF-16 and UTF-32. For reading large files without decoding what is not shown. bytes begin at a unit; what is left
 * of one at their end is not looked at. Pure, any thread; runs at the speed of memory.
 */
#ifndef TEXT_LINE_UNITS_H
#define TEXT_LINE_UNITS_H

#include "text/encoding.h"

struct line_unit {
    unsigned size; /* 1, 2 or 4 bytes */
    bool big;      /* the most significant byte is the first */
};

/* One byte for every encoding that is not UTF-16 or UTF-32. */
struct line_unit line_unit_of(enum encoding_kind kind);

/* How many newlines there are. */
size_t line_units_count(struct hv_str bytes, struct line_unit unit);
/* Where the line after the count-th newline (from 1) begins; SIZE_MAX when there are fewer. */
size_t line_units_after(struct hv_str bytes, size_t count, struct line_unit unit);
/* Where the line after the last newline begins; SIZE_MAX when there is none. */
size_t line_units_after_last(struct hv_str bytes, struct line_unit unit);

#endif
