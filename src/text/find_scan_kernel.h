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

enum { BLOCK = 64, COMPARED = 3, SPAN_MAX = 17, MASKS_MAX = 4, RUNS_MAX = 12, FINGERPRINT = 3, BUCKETS = 8 };

enum kind { SCAN_PAIR, SCAN_MASKS, SCAN_SET };

/* A byte compared after setting the bits of `fold`: 0x20 makes letters of both cases equal. */
struct compared {
    unsigned char at, fold, value;
};

/* Eight places of a sequence, those that compare: the bytes there, after setting fold, are value where care is set. */
struct eight {
    uint64_t fold, care, value;
    bool is_all; /* the sequence has no other places */
};

/* Membership of bytes below 128 by their two halves; bytes from 128 on all belong, or none does. */
struct halves {
    unsigned char low[16], high[16];
    bool above;
};

/* One class of find_members. */
struct find_members {
    struct halves halves;
    bool is_one; /* of one byte alone */
    unsigned char one;
};

enum { FIND_MEMBERS_BLOCKS = 8, FIND_MEMBERS_MAX = 24 };

/* Which of the bytes of FIND_MEMBERS_BLOCKS blocks belong to each of some classes of ASCII. */
typedef void find_members(const struct find_members *classes, unsigned count, const unsigned char *text,
                          uint64_t (*out)[FIND_MEMBERS_BLOCKS]);

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

struct find_streams;

struct find_kernel {
    const char *name;
    find_scan_search *next[3]; /* by kind */
    /* How many lines hold the sequence of a SCAN_PAIR, up to max (0: any number). */
    size_t (*lines)(const struct find_scan *scan, const unsigned char *text, size_t end, size_t max);
    /* find_streams_count; NULL: it has no vectors. */
    size_t (*streams)(const struct find_streams *streams, const unsigned char *text, size_t len, size_t max);
};

extern const struct find_kernel find_kernel_plain;
/* Vectors of 16 bytes (SSE2 and SSSE3, NEON), of 32 (AVX2) and of 64 (AVX-512); NULL where this machine has none. */
const struct find_kernel *find_kernel_16(void);
const struct find_kernel *find_kernel_avx2(void);
const struct find_kernel *find_kernel_avx512(void);
/* The best one without what FIND_SCAN_NO_… says. */
const struct find_kernel *find_kernel_choose(unsigned without);
void find_members_of(const struct find_class *class, struct find_members *members);

struct find_scan {
    enum kind kind;
    const struct find_kernel *kernel;

    struct compared
        pair[COMPARED]; /* SCAN_PAIR: the rarest first; the third one is for kernels where it costs little */
    bool by_three;      /* two of them are not rare enough */
    struct eight eight; /* its first places at once */

    unsigned mask_count, run_count, span; /* SCAN_MASKS: the first mask is the rarest */
    struct halves masks[MASKS_MAX];
    struct run runs[RUNS_MAX];

    bool rare; /* SCAN_MASKS: most blocks hold nothing of the first mask */

    unsigned width;                                            /* SCAN_SET: places of the fingerprint */
    unsigned back;                                             /* from there to what is told: to the beginning of one */
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

/* The same for the sequence of a SCAN_PAIR, with a look at eight bytes first where so many are left. */
static inline bool pair_stands_at(const struct find_scan *scan, const unsigned char *text, size_t left)
{
    uint64_t bytes;
    if (left >= sizeof bytes) {
        memcpy(&bytes, text, sizeof bytes);
        bool stands = ((bytes | scan->eight.fold) & scan->eight.care) == scan->eight.value;
        if (scan->eight.is_all || !stands)
            return stands;
    }
    return stands_at(&scan->sequences[0], text);
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
            if (pair_stands_at(scan, text + place, end - place))
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
                return place - scan->back;
        }
        if (base < at)
            break;
    }
    return SIZE_MAX;
}

/* Those of the candidates of a block where the sequence of a SCAN_PAIR stands. */
FIND_INLINE uint64_t pair_hits(const struct find_scan *scan, const unsigned char *text, size_t left,
                               uint64_t candidates)
{
    uint64_t hits = candidates;
    for (; candidates; candidates &= candidates - 1) {
        unsigned at = (unsigned)__builtin_ctzll(candidates);
        hits &= ~((uint64_t)!pair_stands_at(scan, text + at, left - at) << at);
    }
    return hits;
}

/*
 * How many lines end in a block that hold a hit, of which *open says whether the line at its beginning does, and then
 * the one at its end: seen as a number, what lies between two newlines is all ones, and a hit added to it carries over
 * to the newline after it.
 */
FIND_INLINE unsigned lines_with_hits(uint64_t hits, uint64_t newlines, bool *open)
{
    unsigned long long sum;
    bool over = __builtin_uaddll_overflow(~newlines, hits, &sum);
    over |= __builtin_uaddll_overflow(sum, *open, &sum);
    *open = over;
    return (unsigned)__builtin_popcountll(sum & newlines);
}

/*
 * Goes on from `at`, where a block begins, as long as hits come often, without a branch that depends on them: where
 * they are many, most of the time goes into branches that nobody could foresee. Returns where it ended, at latest at
 * the first block that begins after `last`; `at` itself when it cannot do that for this sequence.
 */
typedef size_t find_dense(const struct find_scan *scan, const unsigned char *text, size_t at, size_t last,
                          size_t *count, bool *open);

/* newlines is a mask as candidates. */
FIND_INLINE size_t find_pair_lines(const struct find_scan *scan, const unsigned char *text, size_t end, size_t max,
                                   find_block_mask *candidates, find_block_mask *newlines, find_leap *leap,
                                   find_dense *dense)
{
    const unsigned len = scan->sequences[0].len;
    size_t reach = BLOCK - 1 + len, count = 0, at = 0;
    bool quiet = true, open = false; /* nothing stood in the block before; the line at hand holds a hit */
    if (end < reach)
        return find_kernel_plain.lines(scan, text, end, max);
    while (len <= end - at) {
        uint64_t keep, hits;
        if (quiet && !open)
            at = leap(scan, text, at, end - reach);
        size_t base = block_at(at, end, reach, &keep);
        hits = candidates(scan, text + base) & keep;
        quiet = !hits;
        hits = pair_hits(scan, text + base, end - base, hits);
        count += lines_with_hits(hits, newlines(scan, text + base) & keep, &open);
        if (max && count + open >= max)
            return max;
        if (base < at)
            break;
        at += BLOCK;
        if (hits && !max)
            at = dense(scan, text, at, end - reach, &count, &open);
    }
    return count + open;
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
