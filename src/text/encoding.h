/*
 * encoding.h: which encoding the bytes of a file are in, and the way to and from UTF-8. Detection looks at the byte
 * order mark, then at the pattern of NULs, then at validity as UTF-8; what is left is an 8-bit encoding, shown as
 * windows-1252. Pure, any thread.
 */
#ifndef TEXT_ENCODING_H
#define TEXT_ENCODING_H

#include <helve/str.h>

enum encoding_kind {
    ENCODING_UTF8, /* zero: also what pure ASCII and the empty file are */
    ENCODING_8BIT, /* ASCII-compatible bytes that are not UTF-8; shown as windows-1252 */
    ENCODING_UTF16LE,
    ENCODING_UTF16BE,
    ENCODING_UTF32LE, /* by its mark only */
    ENCODING_UTF32BE,
    ENCODING_BINARY, /* a NUL in the first 8 KiB and none of the above */
};

struct encoding {
    enum encoding_kind kind;
    size_t mark; /* bytes of the byte order mark at the start; 0 when there is none */
};

/* The encoding of a file, from all its bytes. */
struct encoding encoding_detect(struct hv_str bytes);
/* The same from the beginning of a longer file: a character that is cut at the end is forgiven. */
struct encoding encoding_detect_beginning(struct hv_str bytes);
/* A short name for people, such as "UTF-16 LE". Never NULL. */
const char *encoding_name(enum encoding_kind kind);
/*
 * Append bytes as UTF-8 to out, without the byte order mark. What cannot be decoded (a lone surrogate, a cut unit, an
 * invalid sequence, a byte that windows-1252 leaves open) becomes U+FFFD. HV_ETOOBIG when out is full, HV_EUNSUPPORTED
 * for ENCODING_BINARY.
 */
HV_MUST_CHECK enum hv_code encoding_to_utf8(struct hv_str bytes, struct encoding encoding, struct hv_buf *out,
                                            struct hv_error *err);
/*
 * Append UTF-8 text to out in another encoding, without a mark. HV_EINVAL when a character does not exist there
 * (the message names the first one), HV_ETOOBIG when out is full, HV_EUNSUPPORTED for ENCODING_BINARY. out is left as
 * it was then.
 */
HV_MUST_CHECK enum hv_code encoding_from_utf8(struct hv_str text, enum encoding_kind kind, struct hv_buf *out,
                                              struct hv_error *err);

#endif
