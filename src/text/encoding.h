/*
 * encoding.h: which encoding the bytes of a file are in, and the way to and from UTF-8. Detection looks at the byte
 * order mark, then at the pattern of NULs, then at validity as UTF-8; what is left is a legacy encoding, windows-1252
 * when no other reads better. Pure, any thread.
 */
#ifndef TEXT_ENCODING_H
#define TEXT_ENCODING_H

#include <helve/str.h>

enum encoding_kind {
    ENCODING_UTF8, /* zero: also what pure ASCII and the empty file are */
    ENCODING_8BIT, /* ASCII-compatible bytes that are not UTF-8; shown as windows-1252 */
    ENCODING_UTF16LE,
    ENCODING_UTF16BE,
    ENCODING_UTF32LE,
    ENCODING_UTF32BE,
    ENCODING_BINARY, /* a NUL in the first 8 KiB, or as many control characters as noise has, and none of the above */
    /* Legacy encodings, told apart by what reads like the writing of a language: charset.h. */
    ENCODING_SHIFT_JIS,
    ENCODING_EUC_JP,
    ENCODING_ISO_2022_JP,
    ENCODING_GB18030, /* also GBK and GB2312, which are parts of it */
    ENCODING_BIG5,
    ENCODING_EUC_KR,
    ENCODING_WINDOWS_1254, /* before 1250: where both read as well, it is Turkish */
    ENCODING_WINDOWS_1250,
    ENCODING_ISO_8859_2,
    ENCODING_WINDOWS_1251,
    ENCODING_KOI8_R,
    ENCODING_ISO_8859_5,
    ENCODING_IBM866,
    ENCODING_WINDOWS_1253,
    ENCODING_WINDOWS_1255,
    ENCODING_WINDOWS_1256,
    ENCODING_WINDOWS_1257,
    ENCODING_WINDOWS_1258,
    ENCODING_KOI8_U, /* after KOI8-R, which is the same for Russian */
    ENCODING_WINDOWS_874,
    ENCODING_ISO_8859_7, /* after windows-1253, which is the same for most texts */
    ENCODING_MACINTOSH,  /* Western, as on old Macs */
    ENCODING_IBM850,     /* Western, as under DOS */
};

#define ENCODING_COUNT (ENCODING_IBM850 + 1)

struct encoding {
    enum encoding_kind kind;
    size_t mark;         /* bytes of the byte order mark at the start; 0 when there is none */
    unsigned confidence; /* 0 to 100: marks and valid UTF-8 are certain, a legacy encoding is a guess, and so is UTF-8
                            in which some bytes are not */
};

/* The encoding of a file, from all its bytes. */
struct encoding encoding_detect(struct hv_str bytes);
/* The same from the beginning of a longer file, for search: a character that is cut at the end is forgiven, and legacy
 * encodings are not told apart (ENCODING_8BIT), which would cost more than the search. */
struct encoding encoding_detect_beginning(struct hv_str bytes);
/* The same for showing: legacy encodings are told apart. */
struct encoding encoding_detect_head(struct hv_str bytes);
/* Its name for programs, as IANA registers it ("UTF-16LE", "windows-1252"); "binary" for binary data. */
const char *encoding_label(enum encoding_kind kind);
/* Text that is edited by way of UTF-8: neither UTF-8 nor windows-1252 nor binary. */
bool encoding_is_decoded(enum encoding_kind kind);
/* Lines end in the byte LF and begin afresh: a part of the file can be decoded by itself. */
bool encoding_has_plain_lines(enum encoding_kind kind);
/* A short name for people, such as "UTF-16 LE". Never NULL. */
const char *encoding_name(enum encoding_kind kind);
/*
 * Append bytes as UTF-8 to out, without the byte order mark. What cannot be decoded (a lone surrogate, a cut unit, an
 * invalid sequence, a byte that windows-1252 leaves open) becomes U+FFFD. HV_ETOOBIG when out is full, HV_EUNSUPPORTED
 * for ENCODING_BINARY.
 */
HV_MUST_CHECK enum hv_code encoding_to_utf8(struct hv_str bytes, struct encoding encoding, struct hv_buf *out,
                                            struct hv_error *err);
/* What to do where text does not exist in a file's encoding. */
#define ENCODING_LACKS_HINT                                                                                            \
    "Use other characters, or convert the file to UTF-8 first (in a shell, with iconv) and read it again"

/* HV_EINVAL: the character of text, which is UTF-8, at that byte does not exist in the encoding of this name. The
 * message names it, and its line and column. */
HV_MUST_CHECK enum hv_code encoding_fail_character(struct hv_str text, size_t at, const char *name,
                                                   struct hv_error *err);
/*
 * Append UTF-8 text to out in another encoding, without a mark. HV_EINVAL when a character does not exist there
 * (the message names the first one), HV_ETOOBIG when out is full, HV_EUNSUPPORTED for ENCODING_BINARY. out is left as
 * it was then.
 */
HV_MUST_CHECK enum hv_code encoding_from_utf8(struct hv_str text, enum encoding_kind kind, struct hv_buf *out,
                                              struct hv_error *err);

#endif
