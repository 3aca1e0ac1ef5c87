/* encoding.c: see encoding.h. */
#include "text/encoding.h"

#include "base/utf8.h"
#include "text/charset.h"
#include "text/lines.h"

#include <string.h>

enum { BINARY_LOOK = 8192, CONTROLS_ROUND = 128, NUL_PATTERN_LOOK = 4096, DAMAGE_LOOK = 1 << 20, DAMAGE_RATIO = 4 };
enum { NOISE_LEAST = 16, NOISE_RATIO = 16 };
enum { WIDE_LEAST = 16 }; /* bytes: of fewer, any two are a character of some script */

static const char *const kinds[] = {
    [ENCODING_UTF8] = "UTF-8",         [ENCODING_8BIT] = "8-bit (shown as windows-1252)",
    [ENCODING_UTF16LE] = "UTF-16 LE",  [ENCODING_UTF16BE] = "UTF-16 BE",
    [ENCODING_UTF32LE] = "UTF-32 LE",  [ENCODING_UTF32BE] = "UTF-32 BE",
    [ENCODING_BINARY] = "binary data",
};

static const struct mark {
    const char *bytes;
    size_t len;
    enum encoding_kind kind;
} marks[] = {
    {"\xef\xbb\xbf", 3, ENCODING_UTF8},    {"\xff\xfe\0\0", 4, ENCODING_UTF32LE}, /* before UTF-16, whose mark it begins
                                                                                     with */
    {"\0\0\xfe\xff", 4, ENCODING_UTF32BE}, {"\xff\xfe", 2, ENCODING_UTF16LE},     {"\xfe\xff", 2, ENCODING_UTF16BE},
};

/* windows-1252 from 0x80 to 0x9f; 0 where it is open. */
static const uint16_t windows_1252[32] = {
    0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178,
};

const char *encoding_name(enum encoding_kind kind)
{
    const char *charset = charset_name(kind);
    return (size_t)kind < sizeof kinds / sizeof *kinds ? kinds[kind] : charset ? charset : "unknown";
}

const char *encoding_label(enum encoding_kind kind)
{
    switch (kind) {
    case ENCODING_8BIT: return "windows-1252";
    case ENCODING_UTF16LE: return "UTF-16LE";
    case ENCODING_UTF16BE: return "UTF-16BE";
    case ENCODING_UTF32LE: return "UTF-32LE";
    case ENCODING_UTF32BE: return "UTF-32BE";
    case ENCODING_BINARY: return "binary";
    default: return encoding_name(kind);
    }
}

bool encoding_is_decoded(enum encoding_kind kind)
{
    return kind != ENCODING_UTF8 && kind != ENCODING_8BIT && kind != ENCODING_BINARY;
}

static bool is_text_byte(char byte)
{
    return (byte >= ' ' && byte < 0x7f) || byte == '\t' || byte == '\n' || byte == '\r';
}

/* UTF-16 without a mark: most pairs are an ASCII character and a NUL, always on the same side. */
static bool nul_pattern(struct hv_str bytes, enum encoding_kind *kind)
{
    size_t pairs = (bytes.len < NUL_PATTERN_LOOK ? bytes.len : NUL_PATTERN_LOOK) / 2, little = 0, big = 0;
    for (size_t i = 0; i < pairs; i++) {
        char first = bytes.ptr[2 * i], second = bytes.ptr[2 * i + 1];
        if (!first && !second)
            return false;
        little += !second && is_text_byte(first);
        big += !first && is_text_byte(second);
    }
    *kind = little ? ENCODING_UTF16LE : ENCODING_UTF16BE;
    return pairs && (!little || !big) && (little + big) * 10 >= pairs * 7;
}

/* Counts of up to CONTROLS_ROUND bytes, in bytes themselves: so a compiler does it with vectors. */
static void count_controls(const unsigned char *bytes, size_t len, size_t *low, size_t *others)
{
    unsigned char some_low = 0, some_others = 0;
    for (size_t i = 0; i < len; i++) {
        unsigned char byte = bytes[i];
        some_low += byte < 7;
        some_others += (byte < ' ') & (byte != '\t') & (byte != '\n') & (byte != '\r');
    }
    *low += some_low;
    *others += some_others;
}

/*
 * A byte that no text in ASCII or an encoding beside it holds, or so many control characters that they must be halves
 * of something else.
 */
static bool has_low_control(struct hv_str bytes)
{
    const unsigned char *at = (const unsigned char *)bytes.ptr;
    size_t low = 0, others = 0, look = bytes.len < BINARY_LOOK ? bytes.len : BINARY_LOOK, left = look;
    for (; left >= CONTROLS_ROUND; left -= CONTROLS_ROUND, at += CONTROLS_ROUND)
        count_controls(at, CONTROLS_ROUND, &low, &others);
    count_controls(at, left, &low, &others);
    return low || others * 8 > look;
}

/* Records that NULs part (`find -print0`, an environment): of text in two bytes some are neither ASCII nor NUL. */
static bool is_ascii_with_nuls(struct hv_str bytes)
{
    for (size_t i = 0; i < bytes.len && i < BINARY_LOOK; i++)
        if (bytes.ptr[i] && !is_text_byte(bytes.ptr[i]))
            return false;
    return true;
}

/*
 * UTF-16 without a mark in other scripts, or UTF-32: read in one order the units of `size` bytes are a text, in the
 * other they are not.
 */
static bool wide_by_units(struct hv_str bytes, size_t size, bool is_head, enum encoding_kind *kind)
{
    if ((bytes.len % size && !is_head) || bytes.len < WIDE_LEAST || (size == 2 && is_ascii_with_nuls(bytes)))
        return false;
    unsigned little = charset_wide_plausibility(bytes, size, false), big = charset_wide_plausibility(bytes, size, true);
    *kind = (size == 4 ? ENCODING_UTF32LE : ENCODING_UTF16LE) + (little <= big);
    return (little > big ? little : big) >= 75 && (little > big ? little - big : big - little) >= 20;
}

bool encoding_has_plain_lines(enum encoding_kind kind)
{
    return kind < ENCODING_UTF16LE || (kind > ENCODING_BINARY && kind != ENCODING_ISO_2022_JP);
}

/*
 * UTF-8 with a few bytes that are not: a file that was cut, or put together from several. Told from a legacy encoding
 * by characters of several bytes that are well-formed, which those hardly ever form. 0: it is none, else the
 * confidence.
 */
static unsigned damaged_utf8(struct hv_str bytes)
{
    size_t good = 0, bad = 0;
    uint32_t code_point;
    for (size_t at = 0, len; at < bytes.len && at < DAMAGE_LOOK; at += len) {
        len = utf8_decode(bytes, at, &code_point);
        bad += code_point == UTF8_INVALID;
        good += len > 1 && code_point != UTF8_INVALID;
    }
    return bad * DAMAGE_RATIO <= good ? 60 : 0;
}

/* One byte in NOISE_RATIO is a control character that no text has: keys and packed data too short to hold a NUL. */
static bool is_noise(struct hv_str bytes)
{
    size_t look = bytes.len < BINARY_LOOK ? bytes.len : BINARY_LOOK, controls = 0;
    for (size_t i = 0; i < look; i++)
        controls += (unsigned char)bytes.ptr[i] < ' ' && !memchr("\t\n\r\f\v\b\x1b", bytes.ptr[i], 7);
    return look >= NOISE_LEAST && controls * NOISE_RATIO > look;
}

/* What is neither marked nor valid UTF-8. */
static struct encoding detect_legacy(struct hv_str bytes, size_t cut, bool is_head, bool guesses)
{
    struct encoding encoding = {.kind = ENCODING_8BIT};
    unsigned confidence =
        guesses && !charset_is_escaped(bytes) ? damaged_utf8(hv_str_slice(bytes, 0, bytes.len - cut)) : 0;
    if (confidence)
        return (struct encoding){.kind = ENCODING_UTF8, .confidence = confidence};
    if (guesses)
        encoding.kind = charset_guess(bytes, is_head, &encoding.confidence);
    return encoding;
}

/* is_head: bytes are the beginning of more. */
static struct encoding detect(struct hv_str bytes, bool is_head, bool guesses)
{
    size_t cut = is_head ? utf8_incomplete_tail(bytes) : 0;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (hv_str_starts(bytes, hv_str_of(marks[i].bytes, marks[i].len)))
            return (struct encoding){marks[i].kind, marks[i].len, 100};
    bool valid = utf8_valid(hv_str_slice(bytes, 0, bytes.len - cut)), plain = valid && !has_low_control(bytes);
    enum encoding_kind kind;
    if (!plain && (nul_pattern(bytes, &kind) || wide_by_units(bytes, 4, is_head, &kind)))
        return (struct encoding){.kind = kind, .confidence = 90};
    if (!plain && guesses && wide_by_units(bytes, 2, is_head, &kind))
        return (struct encoding){.kind = kind, .confidence = 80};
    if (!plain && hv_str_find_byte(hv_str_slice(bytes, 0, BINARY_LOOK), '\0', 0) != SIZE_MAX)
        return (struct encoding){.kind = ENCODING_BINARY, .confidence = 90};
    if (!valid && is_noise(bytes))
        return (struct encoding){.kind = ENCODING_BINARY, .confidence = 80};
    if (valid && !(guesses && charset_is_escaped(bytes)))
        return (struct encoding){.kind = ENCODING_UTF8, .confidence = 100};
    return detect_legacy(bytes, cut, is_head, guesses);
}

struct encoding encoding_detect(struct hv_str bytes)
{
    return detect(bytes, false, true);
}

struct encoding encoding_detect_beginning(struct hv_str bytes)
{
    return detect(bytes, true, false);
}

struct encoding encoding_detect_head(struct hv_str bytes)
{
    return detect(bytes, true, true);
}

/* ---- to UTF-8 ---- */

static void add_code_point(struct hv_buf *out, uint32_t code_point)
{
    char bytes[4];
    hv_buf_add(out, bytes, utf8_encode(bytes, code_point));
}

static uint32_t unit(const char *bytes, size_t size, bool big)
{
    uint32_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint32_t)(unsigned char)bytes[i] << 8 * (big ? size - 1 - i : i);
    return value;
}

static void from_utf16(struct hv_str bytes, bool big, struct hv_buf *out)
{
    size_t at = 0;
    for (; at + 2 <= bytes.len && !out->failed; at += 2) {
        uint32_t first = unit(bytes.ptr + at, 2, big), second;
        if (first >= 0xd800 && first < 0xdc00 && at + 4 <= bytes.len &&
            (second = unit(bytes.ptr + at + 2, 2, big)) >= 0xdc00 && second < 0xe000) {
            add_code_point(out, 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
            at += 2;
        } else {
            add_code_point(out, first); /* a lone surrogate becomes U+FFFD there */
        }
    }
    if (at < bytes.len)
        hv_buf_add_cstr(out, UTF8_REPLACEMENT);
}

static void from_utf32(struct hv_str bytes, bool big, struct hv_buf *out)
{
    size_t at = 0;
    for (; at + 4 <= bytes.len && !out->failed; at += 4)
        add_code_point(out, unit(bytes.ptr + at, 4, big));
    if (at < bytes.len)
        hv_buf_add_cstr(out, UTF8_REPLACEMENT);
}

static void from_8bit(struct hv_str bytes, struct hv_buf *out)
{
    size_t from = 0;
    for (size_t at = 0; at < bytes.len; at++) {
        unsigned char byte = (unsigned char)bytes.ptr[at];
        if (byte < 0x80)
            continue;
        hv_buf_add(out, bytes.ptr + from, at - from);
        uint32_t code_point = byte >= 0xa0 ? byte : windows_1252[byte - 0x80];
        add_code_point(out, code_point ? code_point : 0xfffd);
        from = at + 1;
    }
    hv_buf_add_str(out, hv_str_slice(bytes, from, bytes.len));
}

static enum hv_code no_binary(struct hv_error *err)
{
    return hv_fail(err, HV_EUNSUPPORTED, "binary data has no text encoding");
}

static enum hv_code too_long(const struct hv_buf *out, struct hv_error *err)
{
    return hv_fail(err, HV_ETOOBIG, "the converted text is over the limit of %zu bytes", out->max);
}

enum hv_code encoding_to_utf8(struct hv_str bytes, struct encoding encoding, struct hv_buf *out, struct hv_error *err)
{
    bytes = hv_str_slice(bytes, encoding.mark, bytes.len);
    switch (encoding.kind) {
    case ENCODING_UTF8: utf8_repair(out, bytes); break;
    case ENCODING_8BIT: from_8bit(bytes, out); break;
    case ENCODING_UTF16LE:
    case ENCODING_UTF16BE: from_utf16(bytes, encoding.kind == ENCODING_UTF16BE, out); break;
    case ENCODING_UTF32LE:
    case ENCODING_UTF32BE: from_utf32(bytes, encoding.kind == ENCODING_UTF32BE, out); break;
    case ENCODING_BINARY: return no_binary(err);
    default: return charset_to_utf8(bytes, encoding.kind, out, err);
    }
    return out->failed ? too_long(out, err) : HV_OK;
}

/* ---- from UTF-8 ---- */

static void add_unit(struct hv_buf *out, uint32_t value, size_t size, bool big)
{
    char bytes[4];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)(value >> 8 * (big ? size - 1 - i : i));
    hv_buf_add(out, bytes, size);
}

static void add_utf16(struct hv_buf *out, uint32_t code_point, bool big)
{
    if (code_point >= 0x10000) {
        add_unit(out, 0xd800 + ((code_point - 0x10000) >> 10), 2, big);
        code_point = 0xdc00 + ((code_point - 0x10000) & 0x3ff);
    }
    add_unit(out, code_point, 2, big);
}

/* Append a character in windows-1252; false when it has none. */
static bool add_8bit(struct hv_buf *out, uint32_t code_point)
{
    unsigned char byte = 0;
    if (code_point < 0x80 || (code_point >= 0xa0 && code_point <= 0xff))
        byte = (unsigned char)code_point;
    for (size_t i = 0; i < 32 && !byte && code_point; i++)
        if (windows_1252[i] == code_point)
            byte = (unsigned char)(0x80 + i);
    hv_buf_add_byte(out, (char)byte);
    return byte || !code_point;
}

/* Append one character; false when it does not exist in that encoding. */
static bool add_in(struct hv_buf *out, uint32_t code_point, enum encoding_kind kind)
{
    bool big = kind == ENCODING_UTF16BE || kind == ENCODING_UTF32BE;
    if (kind == ENCODING_8BIT)
        return add_8bit(out, code_point);
    if (kind == ENCODING_UTF16LE || kind == ENCODING_UTF16BE)
        add_utf16(out, code_point, big);
    else if (kind == ENCODING_UTF32LE || kind == ENCODING_UTF32BE)
        add_unit(out, code_point, 4, big);
    else
        add_code_point(out, code_point);
    return true;
}

/* Take back what was appended after the first `keep` bytes. */
static void take_back(struct hv_buf *out, size_t keep)
{
    out->len = keep;
    if (out->data)
        out->data[keep] = '\0';
}

enum hv_code encoding_fail_character(struct hv_str text, size_t at, const char *name, struct hv_error *err)
{
    uint32_t code_point;
    size_t len = utf8_decode(text, at, &code_point), column = 1;
    for (size_t i = lines_begin(text, at); i < at; i++)
        column += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
    return hv_fail(err, HV_EINVAL, "the character \"%.*s\" (U+%04X), line %zu, column %zu, does not exist in %s",
                   (int)len, text.ptr + at, (unsigned)code_point, lines_number_at(text, at), column, name);
}

enum hv_code encoding_from_utf8(struct hv_str text, enum encoding_kind kind, struct hv_buf *out, struct hv_error *err)
{
    if (kind == ENCODING_BINARY)
        return no_binary(err);
    size_t before = out->len;
    if (charset_name(kind) && kind != ENCODING_8BIT) {
        enum hv_code code = charset_from_utf8(text, kind, out, err);
        if (code)
            take_back(out, before);
        return code;
    }
    for (size_t at = 0; at < text.len && !out->failed;) {
        uint32_t code_point;
        size_t len = utf8_decode(text, at, &code_point);
        if (code_point == UTF8_INVALID) {
            take_back(out, before);
            return hv_fail(err, HV_EINVAL, "the text is not valid UTF-8 at byte %zu", at + 1);
        }
        if (!add_in(out, code_point, kind)) {
            take_back(out, before);
            return encoding_fail_character(text, at, "windows-1252", err);
        }
        at += len;
    }
    if (out->failed) {
        take_back(out, before);
        return too_long(out, err);
    }
    return HV_OK;
}
