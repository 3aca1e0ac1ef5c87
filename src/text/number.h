/* number.h: numbered lines as `cat -n` prints them, for Read and Grep. Pure; any thread. */
#ifndef TEXT_NUMBER_H
#define TEXT_NUMBER_H

#include <helve/str.h>

enum { LINE_CHARACTERS_MAX = 2000 };

/*
 * Append "    12\t", the line without its line end, and "\n". A line of over LINE_CHARACTERS_MAX characters is cut,
 * with a mark that says how many more there are.
 */
void line_number_format(size_t number, struct hv_str line, struct hv_buf *out);

/* All lines of text, the first one having the given number. */
void line_number_text(struct hv_str text, size_t first, struct hv_buf *out);

/*
 * The length of such a prefix at the start of line (blanks, digits, then a tab or U+2192), 0 when there is none;
 * *number is the number it holds (may be NULL).
 */
size_t line_number_prefix(struct hv_str line, size_t *number);

#endif
