/*
 * base64.h: RFC 4648 in both alphabets. Decoding is strict: no blanks, no missing or superfluous padding, no bits
 * that are set but unused, so that each byte sequence has exactly one accepted text. Pure.
 */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <helve/str.h>

enum base64_alphabet {
    BASE64_STANDARD, /* + and /, padded with = to a multiple of four */
    BASE64_URL,      /* - and _, never padded (RFC 7515, as JWT and PKCE use it) */
};

/* How many characters encoding size bytes takes (size at most SIZE_MAX / 2). */
size_t base64_encoded_size(size_t size, enum base64_alphabet alphabet);

/* Append bytes as text. Over the buffer's maximum: buf->failed, nothing appended. */
void base64_encode(struct hv_buf *buf, struct hv_str bytes, enum base64_alphabet alphabet);

/*
 * Append the bytes that text stands for. HV_EINVAL with the offset of the first fault when text is not strict
 * base64, HV_ETOOBIG when the result does not fit the buffer; then nothing was appended.
 */
enum hv_code base64_decode(struct hv_buf *buf, struct hv_str text, enum base64_alphabet alphabet,
                           struct hv_error *err) HV_MUST_CHECK;

#endif
