/* truncate.h: the preview of a text that is too long: 70 % from its beginning, 30 % from its end. Pure; any thread. */
#ifndef TEXT_TRUNCATE_H
#define TEXT_TRUNCATE_H

#include <helve/str.h>

/* Which parts are shown; views of the text. */
struct truncate_parts {
    struct hv_str head, tail;            /* tail is empty when the text fits: then head is all of it */
    size_t omitted_bytes, omitted_lines; /* between them; lines begun there */
};

/*
 * Split text into parts of together at most max bytes, cut at line ends where a line end is near (within half of the
 * part), else at UTF-8 boundaries.
 */
struct truncate_parts truncate_split(struct hv_str text, size_t max);

/* Append the preview: head, a line "[… 1,234 lines (56,789 bytes) left out …]", tail. The mark comes on top of max
 * bytes. */
void truncate_preview(struct hv_str text, size_t max, struct hv_buf *out);

/* The longest beginning of text of at most max bytes that ends at a UTF-8 boundary. */
struct hv_str truncate_head(struct hv_str text, size_t max);
/* The longest end of text of at most max bytes that begins at a UTF-8 boundary. */
struct hv_str truncate_tail(struct hv_str text, size_t max);
/* The first max characters (code points; an invalid byte counts as one). */
struct hv_str truncate_characters(struct hv_str text, size_t max);

/* Append a line, or of one over `shown` bytes what lies around place (of it at most `before` bytes in front), cut
 * between characters, with the bytes left out at either side told. */
void truncate_around(struct hv_str text, size_t place, size_t shown, size_t before, struct hv_buf *out);

#endif
