/*
 * charset.h: the legacy encodings besides windows-1252: which one some bytes are in, and the way to and from UTF-8. The
 * conversions are those of iconv(3), which reads its tables from the system at first use; a charset that is missing
 * there is never guessed. Any thread.
 */
#ifndef TEXT_CHARSET_H
#define TEXT_CHARSET_H

#include "text/encoding.h"

/* A short name for people ("Shift_JIS"), or NULL when kind is none of these encodings. */
const char *charset_name(enum encoding_kind kind);

/*
 * The encoding that bytes, which are not UTF-8 and hold no NUL, are most likely in: judged by how much like the writing
 * of a language they read in each. ENCODING_8BIT when no other is more plausible. *confidence (0 to 100) tells how
 * clearly. Looks at 64 KiB at most, and at some thousand bytes beyond ASCII; is_cut: bytes are the beginning of more,
 * the last character may be torn.
 */
enum encoding_kind charset_guess(struct hv_str bytes, bool is_cut, unsigned *confidence);

/* bytes, which look like ASCII, have the escapes of ISO-2022-JP that change to the Japanese sets, in their first MB. */
bool charset_is_escaped(struct hv_str bytes);

/* How much (0 to 100) bytes, taken for units of 2 or 4 bytes (UTF-16, UTF-32) in this order, look like a text. */
unsigned charset_wide_plausibility(struct hv_str bytes, size_t size, bool big);

/* Append bytes as UTF-8; what cannot be decoded becomes U+FFFD. HV_EUNSUPPORTED when the system lacks the charset. */
HV_MUST_CHECK enum hv_code charset_to_utf8(struct hv_str bytes, enum encoding_kind kind, struct hv_buf *out,
                                           struct hv_error *err);
/* Append valid UTF-8 in the charset. HV_EINVAL names the first character that it lacks; out may have grown then. */
HV_MUST_CHECK enum hv_code charset_from_utf8(struct hv_str text, enum encoding_kind kind, struct hv_buf *out,
                                             struct hv_error *err);

#endif
