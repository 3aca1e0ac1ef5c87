/*
 * paint.h: painted text: clean text with colours (SGR) and links (OSC 8) of our own in it, and nothing else that a
 * terminal obeys. What comes from outside enters through paint_add, which makes all that hides, moves or turns visible.
 * Pure.
 */
#ifndef UI_TEXT_PAINT_H
#define UI_TEXT_PAINT_H

#include <helve/str.h>

enum paint_style {
    PAINT_PLAIN = 0,
    PAINT_BOLD,
    PAINT_ITALIC,
    PAINT_DIM,
    PAINT_STRIKE,
    PAINT_HEADING,
    PAINT_CODE, /* inline */
    PAINT_LINK,
    PAINT_KEYWORD,
    PAINT_STRING,
    PAINT_COMMENT,
    PAINT_NUMBER,
    PAINT_GOOD,
    PAINT_BAD,
    PAINT_WARN,
    PAINT_ACCENT,
    PAINT_REVERSE,
    PAINT_ADDED,
    PAINT_REMOVED,
    PAINT_STYLE_COUNT
};

enum { PAINT_CODE_MAX = 40 };

/* What each style is, as the parameters of SGR ("1;36"); "": nothing. */
struct paint_palette {
    char codes[PAINT_STYLE_COUNT][PAINT_CODE_MAX];
};

/* What the terminal takes. Zeroed: plain text only. */
struct paint_theme {
    bool colour;                         /* colours, bold and their kin */
    bool links;                          /* OSC 8 */
    const struct paint_palette *palette; /* NULL: the dark one (theme.h) */
};

/* Begin and end a style: nothing without colour. */
void paint_begin(const struct paint_theme *theme, enum paint_style style, struct hv_buf *out);
void paint_end(const struct paint_theme *theme, enum paint_style style, struct hv_buf *out);
/* Append foreign text: tabs become blanks, newlines stay, all else that does not show itself is written out. */
void paint_add(struct hv_buf *out, struct hv_str text);
/* All three. */
void paint_put(const struct paint_theme *theme, enum paint_style style, struct hv_str text, struct hv_buf *out);
void paint_link_begin(const struct paint_theme *theme, struct hv_str url, struct hv_buf *out);
void paint_link_end(const struct paint_theme *theme, struct hv_str url, struct hv_buf *out);

/* The next line of a text, without its newline; false at the end: "a\n" is one line. */
bool paint_next_line(struct hv_str *rest, struct hv_str *line);

/* Length of the escape sequence at offset at, or 0. */
size_t paint_sequence(struct hv_str painted, size_t at);
/* Cells of a line. */
size_t paint_width(struct hv_str line);
/* Append the first part of a line that fits columns, with "…" where it was cut, its styles ended. */
void paint_cut(struct hv_str line, size_t columns, struct hv_buf *out);
/*
 * The next row of at most columns cells, broken at blanks where that is possible: returns where it ends; *next is where
 * the one after it begins (behind the blank). Styles go on from row to row: the caller ends them where it must.
 */
size_t paint_wrap(struct hv_str line, size_t from, size_t columns, size_t *next);

#endif
