/*
 * cluster.h: text as a terminal lays it out: grapheme clusters and the cells they take. Pure.
 *
 * Widths are those of utf8proc, summed by rules of our own: a cluster is as wide as its widest character, VS16 makes it
 * two wide, a pair of regional indicators is two wide, what joins (ZWJ, marks, the vowels and finals of Hangul) adds
 * nothing.
 */
#ifndef UI_TEXT_CLUSTER_H
#define UI_TEXT_CLUSTER_H

#include <helve/str.h>

/* The cluster at offset at (< text.len): its length in bytes, at least 1, and its width in cells. Bytes that are no
 * UTF-8 are one cell each; control characters have no width. */
size_t cluster_next(struct hv_str text, size_t at, unsigned *width);
/* Where the cluster before offset at (> 0) begins. */
size_t cluster_before(struct hv_str text, size_t at);
/* Cells of a whole text. */
size_t cluster_width(struct hv_str text);

#endif
