/*
 * find_scan_kernel.h: the inside of a scanner, and the loops over a text in blocks of 64 starting places. A kernel
 * gives for each block a mask of candidates, with the vectors of some machine; what is here does the rest, once for
 * all. The last block of a text overlaps the one before it, so that no load leaves the text; texts shorter than a block
 * go through plain C.
 */
#ifndef TEXT_FIND_SCAN_KERNEL_H
#define TEXT_FIND_SCAN_KERNEL_H

#include "text/find_scan.h"

#include <string.h>

enum { BLOCK = 64, SPAN_MAX = 17, MASKS_MAX = 4, RUNS_MAX = 12, FINGERPRINT = 3, BUCKETS = 8 };

enum kind { SCAN_PAIR, SCAN_MASKS, SCAN_SET };

/* A byte compared after setting the bits of `fold`: 0x20 makes letters of both cases equal. */
struct compared {
    unsigned char at, fold, value;
};

/* Membership of bytes below 128 by their two halves; bytes from 128 on all belong, or none does. */
struct halves {
    unsigned char low[16], high[16];
    bool above;
};

/* Places first … first + len - 1 of the sequence all have the class of this mask. */
struct run {
    unsigned char mask, first, len;
};

struct sequence {
    unsigned char len, fingerprint; /* where its fingerprint begins */
    uint32_t allowed[256];          /* bit i: the byte may stand at place i */
};

/* Offset of the first hit in [from, end), SIZE_MAX: none. */
typedef size_t find_scan_search(const struct find_scan *scan, const unsigned char *text, size_t from, size_t end);

struct find_kernel {
    const char *name;
    find_scan_search *next[3]; /* by kind */
    /* How many lines hold the sequence of a SCAN_PAIR, up to max (0: any number). */
    size_t (*lines)(const struct find_scan *scan, const unsigned char *text, size_t end, size_t max);
};

extern const struct find_kernel find_kernel_plain;
/* Vectors of 16 bytes (SSE2 and SSSE3, NEON) and of 32 (AVX2); NULL where this machine has none. */
const struct find_kernel *find_kernel_16(void);
const struct find_kernel *find_kernel_avx2(void);

struct find_scan {
    enum kind kind;
    const struct find_kernel *kernel;

    struct compared pair[2]; /* SCAN_PAIR */

    unsigned mask_count, run_count, span; /* SCAN_MASKS: the first mask is the rarest */
    struct halves masks[MASKS_MAX];
    struct run runs[RUNS_MAX];

    bool rare; /* SCAN_MASKS: most blocks hold nothing of the first mask */

    unsigned width, shortest;                                  /* SCAN_SET: places of the fingerprint */
    unsigned char buckets[FINGERPRINT][256];                   /* by place and byte: which buckets go on */
    unsigned char low[FINGERPRINT][16], high[FINGERPRINT][16]; /* the same by halves, with some more */
    bool wide;                                                 /* bytes from 128 on are among them */
    bool by_two;                                               /* two of the three places are rare enough to leap by: */
    unsigned char leap[2];

    unsigned count;
    struct sequence sequences[];
};

static inline bool stands_at(const struct sequence *sequence, const unsigned char *text)
{
    for (unsigned i = 0; i < sequence->len; i++)
        if (!(sequence->allowed[text[i]] >> i & 1))
            return false;
    return true;
}

/* Does one of the sequences whose fingerprint stands at `at` stand there whole, within [from, end)? */
static inline bool set_stands_at(const struct find_scan *scan, const unsigned char *text, size_t at, size_t from,
                                 size_t end)
{
    unsigned buckets = 0xff;
    for (unsigned i = 0; i < scan->width; i++)
        buckets &= scan->buckets[i][text[at + i]];
    for (unsigned i = 0; buckets && i < scan->count; i++) {
        const struct sequence *sequence = &scan->sequences[i];
        if (!(buckets >> (i % BUCKETS) & 1) || at < from + sequence->fingerprint)
            continue;
        size_t start = at - sequence->fingerprint;
        if (sequence->len <= end - start && stands_at(sequence, text + start))
            return true;
    }
    return false;
}

/* ---- blocks ---------------------------------------------------------------------------------------------- */

#define FIND_INLINE static inline __attribute__((always_inline))

/* Where the block for place `at` is loaded, when its loads reach `reach` bytes; *keep: its places that are new. */
FIND_INLINE size_t block_at(size_t at, size_t end, size_t reach, uint64_t *keep)
{
    if (reach <= end - at) {
        *keep = UINT64_MAX;
        return at;
    }
    size_t base = end - reach;
    *keep = at - base < BLOCK ? UINT64_MAX << (at - base) : 0;
    return base;
}

/* The candidates of the block at text. */
typedef uint64_t find_block_mask(const struct find_scan *scan, const unsigned char *text);
/*
 * Leaps over what clearly holds no candidate, several blocks at a time: a place from `at` on, before which there is
 * none; no load reaches beyond the `reach` bytes of a block, of which the last one begins at or before end - reach.
 */
typedef size_t find_leap(const struct find_scan *scan, const unsigned char *text, size_t at, size_t last);

FIND_INLINE size_t find_next_pair(const struct find_scan *scan, const unsigned char *text, size_t from, size_t end,
                                  find_block_mask *candidates, find_leap *leap)
{
    const struct sequence *sequence = &scan->sequences[0];
    size_t reach = BLOCK - 1 + sequence->len;
    if (end < reach)
        return find_kernel_plain.next[SCAN_PAIR](scan, text, from, end);
    for (size_t at = from; sequence->len <= end - at; at += BLOCK) {
        uint64_t keep;
        at = leap(scan, text, at, end - reach);
        size_t base = block_at(at, end, reach, &keep);
        for (uint64_t mask = candidates(scan, text + base) & keep; mask; mask &= mask - 1) {
            size_t place = base + (size_t)__builtin_ctzll(mask);
            if (stands_at(sequence, text + place))
                return place;
        }
        if (base < at)
            break;
    }
    return SIZE_MAX;
}

FIND_INLINE size_t find_next_masks(const struct find_scan *scan, const unsigned char *text, size_t from, size_t end,
                                   find_block_mask *candidates, find_leap *leap)
{
    const struct sequence *sequence = &scan->sequences[0];
    size_t step = BLOCK + 1 - scan->span;
    if (end < BLOCK)
        return find_kernel_plain.next[SCAN_MASKS](scan, text, from, end);
    for (size_t at = from; sequence->len <= end - at; at += step) {
        uint64_t keep;
        at = leap(scan, text, at, end - BLOCK);
        if (sequence->len > end - at)
            break;
        size_t base = block_at(at, end, BLOCK, &keep);
        for (uint64_t mask = candidates(scan, text + base) & keep; mask; mask &= mask - 1) {
            size_t place = base + (size_t)__builtin_ctzll(mask);
            if (sequence->len <= end - place && stands_at(sequence, text + place))
                return place;
        }
        if (base < at)
            break;
    }
    return SIZE_MAX;
}

FIND_INLINE size_t find_next_set(const struct find_scan *scan, const unsigned char *text, size_t from, size_t end,
                                 find_block_mask *candidates, find_leap *leap)
{
    size_t reach = BLOCK - 1 + scan->width;
    if (end < reach)
        return find_kernel_plain.next[SCAN_SET](scan, text, from, end);
    for (size_t at = from; scan->width <= end - at; at += BLOCK) {
        uint64_t keep;
        at = leap(scan, text, at, end - reach);
        size_t base = block_at(at, end, reach, &keep);
        for (uint64_t mask = candidates(scan, text + base) & keep; mask; mask &= mask - 1) {
            size_t place = base + (size_t)__builtin_ctzll(mask);
            if (set_stands_at(scan, text, place, from, end))
                return place;
        }
        if (base < at)
            break;
    }
    return SIZE_MAX;
}

/* Where the line ends that holds the place, when the block at base has these newlines; end: with the text. */
FIND_INLINE size_t line_after(const unsigned char *text, size_t end, size_t base, size_t place, uint64_t newlines)
{
    uint64_t later = newlines & UINT64_MAX << (place - base);
    if (later)
        return base + (size_t)__builtin_ctzll(later) + 1;
    size_t from = base + BLOCK;
    const unsigned char *newline = from < end ? memchr(text + from, '\n', end - from) : NULL;
    return newline ? (size_t)(newline - text) + 1 : end;
}

/* newlines is a mask as candidates: it is asked only about blocks in which something stands. */
FIND_INLINE size_t find_pair_lines(const struct find_scan *scan, const unsigned char *text, size_t end, size_t max,
                                   find_block_mask *candidates, find_block_mask *newlines, find_leap *leap)
{
    const struct sequence *sequence = &scan->sequences[0];
    size_t reach = BLOCK - 1 + sequence->len, count = 0, at = 0;
    if (end < reach)
        return find_kernel_plain.lines(scan, text, end, max);
    while (sequence->len <= end - at) {
        uint64_t keep, mask;
        at = leap(scan, text, at, end - reach);
        size_t base = block_at(at, end, reach, &keep), next = base + BLOCK;
        for (mask = candidates(scan, text + base) & keep; mask;) {
            size_t place = base + (size_t)__builtin_ctzll(mask);
            mask &= mask - 1;
            if (!stands_at(sequence, text + place))
                continue;
            if (++count == max)
                return count;
            size_t line = line_after(text, end, base, place, newlines(scan, text + base));
            next = line > next ? line : next;
            mask = line - base < BLOCK ? mask & UINT64_MAX << (line - base) : 0;
        }
        if (base < at)
            break;
        at = next;
    }
    return count;
}

/* The places from which `len` ones in a row begin. */
FIND_INLINE uint64_t ones_in_a_row(uint64_t mask, unsigned len)
{
    unsigned have = 1;
    while (have < len && mask) {
        unsigned step = have < len - have ? have : len - have;
        mask &= mask >> step;
        have += step;
    }
    return mask;
}

/* The places where all runs stand, from the masks of their classes. */
FIND_INLINE uint64_t join_runs(const struct find_scan *scan, const uint64_t *masks)
{
    uint64_t result = UINT64_MAX;
    for (unsigned i = 0; i < scan->run_count && result; i++)
        result &= ones_in_a_row(masks[scan->runs[i].mask], scan->runs[i].len) >> scan->runs[i].first;
    return result;
}

#endif
