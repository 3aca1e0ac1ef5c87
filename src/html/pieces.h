/*
 * pieces.h: a page in the pieces that the parser is given: without what nobody reads (comments, the contents of scripts
 * and styles), tags whole, and none of them larger than what real ones are: the parser's time grows with the square of
 * a tag's attributes, and it keeps all of one in memory. Pure.
 */
#ifndef HTML_PIECES_H
#define HTML_PIECES_H

#include <helve/str.h>

struct pieces {
    struct hv_str html;
    size_t at;
    const char *raw;   /* its end tag is what counts next: "</script"; or NULL */
    struct hv_buf cut; /* a tag that was shortened; the caller sets max, and releases it */
};

/* The next piece; false at the end. It is valid until the next call. */
bool pieces_next(struct pieces *pieces, struct hv_str *piece);

#endif
