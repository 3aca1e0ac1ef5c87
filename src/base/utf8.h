/*
 * utf8.h: the one reader of UTF-8. Well-formed means the table of the Unicode standard: no overlong forms, no
 * surrogates, nothing above U+10FFFF. An ill-formed stretch is its "maximal subpart", so that replacing each stretch
 * by one U+FFFD gives what browsers give. Pure; no function looks beyond the view it is given.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <helve/str.h>

#define UTF8_INVALID UINT32_MAX
#define UTF8_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* True when all of s is well-formed (the empty and the absent view are). Fast on ASCII. */
bool utf8_valid(struct hv_str s);

/* True when no byte is above 127, at the speed of memory. */
bool utf8_is_ascii(struct hv_str s);

/* How many bytes come before the first one above 127, at the speed of memory. */
size_t utf8_ascii_length(struct hv_str s);

/* How many characters s has, which is well-formed. */
size_t utf8_count(struct hv_str s);

/* Offset of the first ill-formed byte at or after from (a character boundary), or SIZE_MAX when there is none. */
size_t utf8_next_invalid(struct hv_str s, size_t from);

/*
 * Read the character at offset at (< s.len). Returns how many bytes it takes, 1 to 4, and sets *code_point; for an
 * ill-formed stretch that is UTF8_INVALID and the length of the stretch, 1 to 3. So a loop that adds the result
 * visits all of s.
 */
size_t utf8_decode(struct hv_str s, size_t at, uint32_t *code_point);

/* Write code_point as UTF-8 and return the length, 1 to 4. A surrogate or a number over 0x10ffff gives U+FFFD. */
size_t utf8_encode(char out[4], uint32_t code_point);

/*
 * How many bytes at the end of s (0 to 3) start a character that more bytes could complete. A reader of a stream
 * keeps these back until the next chunk.
 */
size_t utf8_incomplete_tail(struct hv_str s);

/* Append text to buf with each ill-formed stretch replaced by U+FFFD. */
void utf8_repair(struct hv_buf *buf, struct hv_str text);

#endif
