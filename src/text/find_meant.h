/*
 * find_meant.h: what a pattern probably means that PCRE2 refuses, or that finds nothing because its author took it for
 * plain text. Pure.
 */
#ifndef TEXT_FIND_MEANT_H
#define TEXT_FIND_MEANT_H

#include <helve/str.h>

/*
 * Append to out the pattern that was probably meant, which compiles with flags, and return true; false when none of the
 * usual mistakes explains error `number` at offset `at`. *why tells what has been changed and why (in lower case, to be
 * put in brackets); after false it is empty or a sentence of advice.
 */
bool find_meant(struct hv_str pattern, uint32_t flags, int number, size_t at, const char **why, struct hv_buf *out);

/* Does it look like a piece of source code or prose, without anything that only a pattern has? */
bool find_looks_like_text(struct hv_str pattern);

#endif
