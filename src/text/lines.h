/*
 * lines.h: where lines begin and end. A line ends after '\n'; a last line without one counts too; a lone '\r' ends
 * nothing. Line numbers are 1-based, offsets are bytes. Pure, any thread; all run at the speed of memchr.
 */
#ifndef TEXT_LINES_H
#define TEXT_LINES_H

#include <helve/str.h>

enum line_end { LINE_END_NONE, LINE_END_LF, LINE_END_CRLF };

/* Number of '\n' in text. */
size_t lines_newlines(struct hv_str text);
/* Number of lines: newlines, plus one when the text does not end in one; 0 for the empty text. */
size_t lines_count(struct hv_str text);
/* Number of the line that holds offset (clamped to the end of the text). */
size_t lines_number_at(struct hv_str text, size_t offset);
/* Offset where the given line begins, or SIZE_MAX when the text has fewer lines. Line 1 of the empty text is absent. */
size_t lines_offset(struct hv_str text, size_t number);
/* Which of the LINES_BLOCK bytes from offset on are newlines, the first in the lowest bit; there are so many. */
enum { LINES_BLOCK = 64 };
uint64_t lines_newline_mask(struct hv_str text, size_t offset);
/* Where the line that holds offset begins, and where it ends (at its '\n', or the end of the text). */
size_t lines_begin(struct hv_str text, size_t offset);
size_t lines_finish(struct hv_str text, size_t offset);
/* Take the next line off *rest, with its line end; false when nothing is left. */
bool lines_next(struct hv_str *rest, struct hv_str *line);
/* The line without its "\n" or "\r\n". */
struct hv_str lines_chop(struct hv_str line);
/* How the lines of a text end. */
struct line_ends {
    size_t lf, crlf; /* how many in "\n" alone, and in "\r\n" */
    size_t cr;       /* '\r' elsewhere, which ends no line here */
};
struct line_ends lines_ends(struct hv_str text);
/* '\r' alone ends all of its lines, as on old Macs: there is one, and no '\n'. */
bool lines_end_in_returns(struct hv_str text);
/* Put one byte in the place of another everywhere. */
void lines_exchange(char *text, size_t len, char from, char to);
/* The line end that most lines of text have (a tie is LF); NONE when there is no '\n'. */
enum line_end lines_dominant_end(struct hv_str text);
/* "\n", "\r\n", or "" for NONE. */
struct hv_str line_end_bytes(enum line_end end);

#endif
