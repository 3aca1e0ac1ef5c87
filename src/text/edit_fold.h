/*
 * edit_fold.h: texts in which things that look alike are written alike, for the edit core: "\r\n" as '\n', and curly,
 * low and prime quotes as straight ones. Every character gives one byte or itself, so that places can be carried
 * back to the text. Pure.
 */
#ifndef TEXT_EDIT_FOLD_H
#define TEXT_EDIT_FOLD_H

#include <helve/str.h>

enum {
    FOLD_LINE_ENDS = 1,
    FOLD_QUOTES = 2,      /* quotes in UTF-8 */
    FOLD_QUOTES_8BIT = 4, /* quotes in windows-1252 */
};

/* The straight quote (' or ") that the character at text[at] stands for and its length; 0 for any other character. */
char fold_quote(struct hv_str text, size_t at, unsigned flags, size_t *len);

/* The folded form of text: text itself when nothing is to fold, else in *owned (malloc'd, freed by the caller). */
struct hv_str fold_text(struct hv_str text, unsigned flags, char **owned);

/* A walk over a text that knows, at each place, how far the folded form has come. Begin with a zeroed one. */
struct fold_walk {
    size_t origin, folded;
};

/* Go on until the folded offset is target (at or after the present one); text and flags as always in this walk. */
void fold_walk_to(struct fold_walk *walk, struct hv_str text, unsigned flags, size_t target);

#endif
