/*
 * line_scan.h: the matching lines of one file, with the lines around them. The file goes through a buffer piece by
 * piece, so that memory does not depend on its size. (In multiline mode, and of a line that is longer, pieces are of
 * 32 MB and overlap by 4 MB: only a match that is longer may be missed or cut.) UTF-16, UTF-32 and legacy encodings are
 * decoded where they are clearly that; a NUL ends what is taken for text. One scanner serves many files, one after the
 * other, on one thread; the pattern may be shared with others.
 */
#ifndef TOOLS_LINE_SCAN_H
#define TOOLS_LINE_SCAN_H

#include "text/find.h"

struct scan_line {
    size_t number;      /* from 1 */
    struct hv_str text; /* without its line end; valid during the call */
    bool is_match;      /* else context */
    size_t from, until; /* where in text the match lies */
    bool after_gap;     /* lines were left out since the last one of this file */
    size_t matches;     /* of this file, so far */
};

struct line_scan {
    struct find_scratch *find;
    bool multiline;
    size_t before, after; /* context lines; before: those of the last megabyte before the piece that is searched */
    size_t matches_max;   /* stop after so many; 0: no limit */
    bool short_is_end;    /* a read that gives less than asked for was the last; not so in the kernel's own systems */
    /* Called for each line to be shown, in order; false: enough. NULL: lines are only counted. */
    bool (*line)(void *user, const struct scan_line *line);
    bool (*stop)(void *user); /* true ends the scan; asked for each piece but the first */
    /* Called with all that a file holds, when it came at once. May be NULL. */
    void (*whole)(void *user, struct hv_str text);
    void *user;

    /* Of the file scanned last: */
    bool in_pieces;     /* it took more than one: in multiline mode a long match may have been missed */
    bool in_line_parts; /* so did one of its lines: the same */
    bool ruled_out;     /* all of it was read, and find_rules_out() */

    struct hv_buf buffer; /* the scanner's own, zero at first */
};

enum scan_end {
    SCAN_END,     /* the end of the file */
    SCAN_ENOUGH,  /* matches_max was reached, or line() said so */
    SCAN_STOPPED, /* stop() said so */
    SCAN_BINARY,  /* the file is, or turned out to be, no text; lines before that were shown */
    SCAN_FAILED,  /* reading failed, with errno */
};

/*
 * Scan the open file from its beginning; size is what fstat says of it, 0 if that is not known. *matches is the number
 * of matching lines, in multiline mode of matches.
 */
enum scan_end line_scan_file(struct line_scan *scan, int fd, uint64_t size, size_t *matches);
/* The same for a file that holds this text; is_plain: it is known to be ASCII without NUL. */
enum scan_end line_scan_text(struct line_scan *scan, struct hv_str text, bool is_plain, size_t *matches);
void line_scan_release(struct line_scan *scan);

#endif
