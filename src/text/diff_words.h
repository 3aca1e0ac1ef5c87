/*
 * diff_words.h: in which words two lines differ, and unified diffs painted with that for terminals. Pure; any thread.
 */
#ifndef TEXT_DIFF_WORDS_H
#define TEXT_DIFF_WORDS_H

#include <helve/str.h>

/* Bytes [start, end) of a line. */
struct diff_span {
    size_t start, end;
};

enum { DIFF_SPANS_MAX = 64 };

struct diff_spans {
    struct diff_span items[DIFF_SPANS_MAX]; /* ascending, disjoint */
    size_t count;
};

/*
 * What of old_line is not in new_line, and the other way round, by whole words. False when the lines have too little in
 * common (or are too long, or differ at too many places) for that to help; both are empty then.
 */
bool diff_words(struct hv_str old_line, struct hv_str new_line, struct diff_spans *removed, struct diff_spans *added);

/*
 * Append a unified diff with the colours of ECMA-48: what goes red, what comes green, hunk headers cyan, words that
 * differ between paired lines reversed. Every line ends with the colours off. The diff must be free of escapes.
 */
void diff_paint(struct hv_str diff, struct hv_buf *out);

#endif
