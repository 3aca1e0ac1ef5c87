/* highlight.h: source code in colours, line by line: one lexer, languages as data. What it does not know stays plain.
 * Pure. */
#ifndef UI_TEXT_HIGHLIGHT_H
#define UI_TEXT_HIGHLIGHT_H

#include "ui/text/paint.h"

struct highlight_language;

/* The language of that name ("c", "python", "ts"), or of a path by its ending; NULL: none. */
const struct highlight_language *highlight_find(struct hv_str name);

/* State between lines. {language, 0} at the beginning. */
struct highlight {
    const struct highlight_language *language; /* NULL: plain */
    char inside;                               /* 0; 'c': a block comment; a quote: a string of several lines */
};

/* Append one line (without newline), painted. */
void highlight_line(struct highlight *state, const struct paint_theme *theme, struct hv_str line, struct hv_buf *out);

#endif
