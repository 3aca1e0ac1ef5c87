/*
 * scan.h: passing over the plain bytes of strings, shared by the reader and the writer of JSON. Sixteen bytes at a
 * time with SSE2, eight at a time elsewhere.
 *
 * A byte is plain when it may stand in a JSON string as it is and needs no look at its neighbours: ASCII, no control
 * character, no quote, no backslash.
 */
#ifndef JSON_SCAN_H
#define JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#define SCAN_STEP 16

/* Bit i is set when byte i of the sixteen is not plain. */
static inline unsigned scan_mask(__m128i bytes)
{
    /* The comparison is signed, so that "below a blank" also finds all bytes from 0x80 up. */
    __m128i special = _mm_or_si128(
        _mm_cmplt_epi8(bytes, _mm_set1_epi8(' ')),
        _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))));
    return (unsigned)_mm_movemask_epi8(special);
}

/* How many of the sixteen bytes at `at` are plain before the first that is not; all are copied to `out`. */
static inline unsigned scan_step_copy(char *out, const char *at)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
    _mm_storeu_si128((__m128i *)(void *)out, bytes);
    unsigned mask = scan_mask(bytes);
    return mask ? (unsigned)__builtin_ctz(mask) : SCAN_STEP;
}

static inline unsigned scan_step(const char *at)
{
    unsigned mask = scan_mask(_mm_loadu_si128((const __m128i *)(const void *)at));
    return mask ? (unsigned)__builtin_ctz(mask) : SCAN_STEP;
}

/* The same for less than a step: eight bytes, or four. */
static inline unsigned scan_half_copy(char *out, const char *at)
{
    __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)at);
    _mm_storel_epi64((__m128i *)(void *)out, bytes);
    return (unsigned)__builtin_ctz(scan_mask(bytes)); /* the bytes behind them are zero, and not plain */
}

static inline unsigned scan_quarter_copy(char *out, const char *at)
{
    int bytes;
    memcpy(&bytes, at, sizeof bytes);
    memcpy(out, &bytes, sizeof bytes);
    return (unsigned)__builtin_ctz(scan_mask(_mm_cvtsi32_si128(bytes)));
}
#else
#define SCAN_STEP 8

static inline bool scan_is_plain(unsigned char byte)
{
    return byte >= ' ' && byte < 0x80 && byte != '"' && byte != '\\';
}

static inline unsigned scan_word(uint64_t word, const char *at)
{
    const uint64_t ones = 0x0101010101010101ull;
    uint64_t quote = word ^ (ones * '"'), backslash = word ^ (ones * '\\');
    /* A borrow can only mark bytes above one that is marked rightly, so no mark means that all are plain. */
    if (((word | (word - ones * ' ') | (quote - ones) | (backslash - ones)) & (ones * 0x80)) == 0)
        return SCAN_STEP;
    unsigned count = 0;
    while (count < SCAN_STEP && scan_is_plain((unsigned char)at[count]))
        count++;
    return count;
}

static inline unsigned scan_step_copy(char *out, const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    memcpy(out, &word, sizeof word);
    return scan_word(word, at);
}

static inline unsigned scan_step(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return scan_word(word, at);
}
#endif

static inline unsigned scan_tail(const char *at, const char *end)
{
    unsigned count = 0;
    while (at + count < end && (unsigned char)at[count] >= ' ' && (unsigned char)at[count] < 0x80 && at[count] != '"' &&
           at[count] != '\\')
        count++;
    return count;
}

/* The first byte in [at, end) that is not plain, or end. */
static inline const char *scan_plain(const char *at, const char *end)
{
    while (end - at >= SCAN_STEP) {
        unsigned count = scan_step(at);
        at += count;
        if (count < SCAN_STEP)
            return at;
    }
    return at + scan_tail(at, end);
}

/* As scan_plain, copying what is passed to *out and moving *out. Needs SCAN_STEP bytes of room beyond the copy. */
static inline const char *scan_copy_plain(char **out, const char *at, const char *end)
{
    while (end - at >= SCAN_STEP) {
        unsigned count = scan_step_copy(*out, at);
        at += count;
        *out += count;
        if (count < SCAN_STEP)
            return at;
    }
#if defined(__SSE2__)
    if (end - at >= 8) {
        unsigned count = scan_half_copy(*out, at);
        at += count;
        *out += count;
        if (count < 8)
            return at;
    }
    if (end - at >= 4) {
        unsigned count = scan_quarter_copy(*out, at);
        at += count;
        *out += count;
        if (count < 4)
            return at;
    }
#endif
    for (unsigned count = scan_tail(at, end); count; count--)
        *(*out)++ = *at++;
    return at;
}

/* The exact answer to scan_wide, for all shapes. */
size_t scan_wide_exact(const char *at, const char *end);

/* The length of the character of two or more bytes at `at` (a byte from 0x80 up), or 0 when it is ill-formed. */
static inline size_t scan_wide(const char *at, const char *end)
{
    if (end - at >= 3) { /* the common shapes; E0 and ED restrict their second byte */
        unsigned char lead = (unsigned char)at[0];
        if (lead >= 0xc2 && lead < 0xe0 && (at[1] & 0xc0) == 0x80)
            return 2;
        if (lead > 0xe0 && lead < 0xf0 && lead != 0xed && (at[1] & 0xc0) == 0x80 && (at[2] & 0xc0) == 0x80)
            return 3;
    }
    return scan_wide_exact(at, end);
}

/* Pass characters of two or more bytes that start before stop; ends at any other byte. */
static inline const char *scan_wide_run(const char *at, const char *stop, const char *end)
{
    for (size_t length; at < stop && (unsigned char)*at >= 0x80 && (length = scan_wide(at, end));)
        at += length;
    return at;
}

/* As scan_wide_run, copying to *out and moving it. Needs four bytes of room beyond the copy. */
static inline const char *scan_copy_wide_run(char **out, const char *at, const char *stop, const char *end)
{
    for (size_t length; at < stop && (unsigned char)*at >= 0x80 && (length = scan_wide(at, end));) {
        memcpy(*out, at, end - at >= 4 ? 4 : length);
        *out += length;
        at += length;
    }
    return at;
}

/* The next quote or backslash, or end. */
static inline const char *scan_quote(const char *at, const char *end)
{
#if defined(__SSE2__)
    for (; end - at >= SCAN_STEP; at += SCAN_STEP) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
        unsigned mask = (unsigned)_mm_movemask_epi8(
            _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))));
        if (mask)
            return at + __builtin_ctz(mask);
    }
#endif
    while (at < end && *at != '"' && *at != '\\')
        at++;
    return at;
}

#endif
