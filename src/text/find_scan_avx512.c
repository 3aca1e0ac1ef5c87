/*
 * find_scan_avx512.c: the kernel with vectors of 64 bytes, whose comparisons give masks, and with tables of 128 bytes
 * that are looked up at once. Asked at run time whether the machine has them; those that look up so are those that lose
 * no speed by long vectors.
 */
#include "base/processor.h"
#include "text/find_streams_kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vbmi,bmi,popcnt")))
#define KERNEL AVX512 FIND_INLINE

enum { LEAP_BLOCKS = 4, LEAP = LEAP_BLOCKS * BLOCK };

KERNEL __m512i load(const unsigned char *text)
{
    return _mm512_loadu_si512(text);
}

KERNEL __m512i all_of(unsigned char byte)
{
    return _mm512_set1_epi8((char)byte);
}

/* The first block of a leap in which something stands, in bytes; LEAP: none. */
KERNEL size_t first_of(const uint64_t blocks[LEAP_BLOCKS])
{
    unsigned i = 0;
    while (i < LEAP_BLOCKS && !blocks[i])
        i++;
    return (size_t)i * BLOCK;
}

KERNEL bool any_of(const uint64_t blocks[LEAP_BLOCKS])
{
    return blocks[0] | blocks[1] | blocks[2] | blocks[3];
}

/* ---- some bytes of one sequence ---------------------------------------------------------------------------- */

/* The bytes that are compared, in every place of a vector. */
struct sought {
    __m512i fold[COMPARED], value[COMPARED];
    unsigned at[COMPARED];
};

KERNEL struct sought sought_of(const struct find_scan *scan)
{
    struct sought sought;
    for (unsigned i = 0; i < COMPARED; i++) {
        sought.fold[i] = all_of(scan->pair[i].fold);
        sought.value[i] = all_of(scan->pair[i].value);
        sought.at[i] = scan->pair[i].at;
    }
    return sought;
}

KERNEL uint64_t stands(const struct sought *sought, unsigned count, const unsigned char *text, bool folds)
{
    __mmask64 mask = UINT64_MAX;
    for (unsigned i = 0; i < count; i++) {
        __m512i bytes = load(text + sought->at[i]);
        bytes = folds ? _mm512_or_si512(bytes, sought->fold[i]) : bytes;
        mask = i ? _mm512_mask_cmpeq_epi8_mask(mask, bytes, sought->value[i])
                 : _mm512_cmpeq_epi8_mask(bytes, sought->value[i]);
    }
    return mask;
}

AVX512 static inline uint64_t pair_block(const struct find_scan *scan, const unsigned char *text)
{
    struct sought sought = sought_of(scan);
    return stands(&sought, COMPARED, text, true);
}

KERNEL size_t leap_by_bytes(const struct sought *sought, unsigned count, const unsigned char *text, size_t at,
                            size_t last, bool folds)
{
    for (; at + LEAP - BLOCK <= last; at += LEAP) {
        uint64_t blocks[LEAP_BLOCKS];
        for (unsigned i = 0; i < LEAP_BLOCKS; i++)
            blocks[i] = stands(sought, count, text + at + (size_t)i * BLOCK, folds);
        if (any_of(blocks))
            return at + first_of(blocks);
    }
    return at;
}

AVX512 static inline size_t leap_pair(const struct find_scan *scan, const unsigned char *text, size_t at, size_t last)
{
    struct sought sought = sought_of(scan);
    if (scan->pair[0].fold | scan->pair[1].fold | scan->pair[2].fold)
        return leap_by_bytes(&sought, COMPARED, text, at, last, true);
    return scan->by_three ? leap_by_bytes(&sought, 3, text, at, last, false)
                          : leap_by_bytes(&sought, 2, text, at, last, false);
}

AVX512 static inline uint64_t newline_block(const struct find_scan *scan, const unsigned char *text)
{
    (void)scan;
    return _mm512_cmpeq_epi8_mask(load(text), all_of('\n'));
}

/* ---- classes ----------------------------------------------------------------------------------------------- */

/* What stands in a table of 128 bytes for each byte, of whose highest bit nothing is asked. */
struct table {
    __m512i parts[2];
};

KERNEL struct table table_of(const struct halves *halves)
{
    __m512i lows = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)halves->low));
    __m512i highs = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)halves->high));
    __m512i lanes = _mm512_set_epi64(0x0303030303030303, 0x0303030303030303, 0x0202020202020202, 0x0202020202020202,
                                     0x0101010101010101, 0x0101010101010101, 0, 0);
    __m512i more = _mm512_or_si512(lanes, all_of(4));
    return (struct table){{_mm512_and_si512(lows, _mm512_shuffle_epi8(highs, lanes)),
                           _mm512_and_si512(lows, _mm512_shuffle_epi8(highs, more))}};
}

KERNEL __m512i look_up(const struct table *table, __m512i bytes)
{
    return _mm512_permutex2var_epi8(table->parts[0], bytes, table->parts[1]);
}

/* Which bytes belong to a class of ASCII. */
KERNEL uint64_t members(const struct table *table, __m512i bytes)
{
    __m512i found = look_up(table, bytes);
    return _mm512_test_epi8_mask(found, found) & ~_mm512_movepi8_mask(bytes);
}

KERNEL uint64_t members_too(const struct table *table, __m512i bytes, bool above)
{
    return members(table, bytes) | (above ? _mm512_movepi8_mask(bytes) : 0);
}

AVX512 static inline uint64_t masks_block(const struct find_scan *scan, const unsigned char *text)
{
    uint64_t masks[MASKS_MAX];
    __m512i bytes = load(text);
    for (unsigned i = 0; i < scan->mask_count; i++) {
        struct table table = table_of(&scan->masks[i]);
        masks[i] = members_too(&table, bytes, scan->masks[i].above);
        if (!masks[0])
            return 0;
    }
    return join_runs(scan, masks);
}

/* Over text without any byte of the rarest class. */
AVX512 static inline size_t leap_masks(const struct find_scan *scan, const unsigned char *text, size_t at, size_t last)
{
    const struct table table = table_of(&scan->masks[0]);
    const bool above = scan->masks[0].above;
    const size_t over = scan->span - 1;
    if (!scan->rare)
        return at;
    for (; at + LEAP - BLOCK <= last; at += LEAP - over) {
        uint64_t blocks[LEAP_BLOCKS];
        for (unsigned i = 0; i < LEAP_BLOCKS; i++)
            blocks[i] = members_too(&table, load(text + at + (size_t)i * BLOCK), above);
        if (!any_of(blocks))
            continue;
        size_t clear = first_of(blocks);
        return at + (clear > over ? clear - over : 0);
    }
    return at;
}

/* ---- fingerprints of several sequences ---------------------------------------------------------------------- */

/* The places of the fingerprint, by whole bytes. */
struct prints {
    struct table below[FINGERPRINT], above[FINGERPRINT];
    unsigned at[FINGERPRINT];
};

KERNEL struct prints prints_of(const struct find_scan *scan)
{
    struct prints prints;
    for (unsigned i = 0; i < FINGERPRINT; i++) {
        unsigned at = i < scan->width ? i : scan->width - 1; /* a place beyond the width repeats the last one */
        const unsigned char *buckets = scan->buckets[at];
        prints.at[i] = at;
        prints.below[i] = (struct table){{load(buckets), load(buckets + 64)}};
        prints.above[i] = (struct table){{load(buckets + 128), load(buckets + 192)}};
    }
    return prints;
}

/* The buckets that go on at each byte; not wide: bytes from 128 on count as those 128 below. */
KERNEL __m512i buckets_at(const struct prints *prints, unsigned place, const unsigned char *text, bool wide)
{
    __m512i bytes = load(text + prints->at[place]), below = look_up(&prints->below[place], bytes);
    if (!wide)
        return below;
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(bytes), below, look_up(&prints->above[place], bytes));
}

KERNEL uint64_t prints_stand(const struct prints *prints, const unsigned char *text, bool wide)
{
    __m512i two = _mm512_and_si512(buckets_at(prints, 0, text, wide), buckets_at(prints, 1, text, wide));
    return _mm512_test_epi8_mask(two, buckets_at(prints, 2, text, wide));
}

AVX512 static inline uint64_t set_block(const struct find_scan *scan, const unsigned char *text)
{
    struct prints prints = prints_of(scan);
    return prints_stand(&prints, text, true);
}

KERNEL size_t leap_by_prints(const struct prints *prints, const unsigned char *text, size_t at, size_t last, bool wide)
{
    for (; at + LEAP - BLOCK <= last; at += LEAP) {
        uint64_t blocks[LEAP_BLOCKS];
        for (unsigned i = 0; i < LEAP_BLOCKS; i++)
            blocks[i] = prints_stand(prints, text + at + (size_t)i * BLOCK, wide);
        if (any_of(blocks))
            return at + first_of(blocks);
    }
    return at;
}

AVX512 static inline size_t leap_set(const struct find_scan *scan, const unsigned char *text, size_t at, size_t last)
{
    struct prints prints = prints_of(scan);
    return scan->wide ? leap_by_prints(&prints, text, at, last, true) : leap_by_prints(&prints, text, at, last, false);
}

/* ---- the kernel ------------------------------------------------------------------------------------------ */

AVX512 static size_t next_pair(const struct find_scan *scan, const unsigned char *text, size_t from, size_t end)
{
    return find_next_pair(scan, text, from, end, pair_block, leap_pair);
}

AVX512 static size_t next_masks(const struct find_scan *scan, const unsigned char *text, size_t from, size_t end)
{
    return find_next_masks(scan, text, from, end, masks_block, leap_masks);
}

AVX512 static size_t next_set(const struct find_scan *scan, const unsigned char *text, size_t from, size_t end)
{
    return find_next_set(scan, text, from, end, set_block, leap_set);
}

/*
 * The places of a block from which all bytes stand: what differs from them is put together, and asked about once, as
 * masks take longer to be made and joined.
 */
KERNEL uint64_t all_stand(const unsigned char *text, const __m512i *bytes, unsigned len)
{
    enum { OR_DIFFERS = 0xf6 }; /* a | (b ^ c) */
    __m512i differ = _mm512_xor_si512(load(text), bytes[0]);
    for (unsigned i = 1; i < len; i++)
        differ = _mm512_ternarylogic_epi64(differ, load(text + i), bytes[i], OR_DIFFERS);
    return _mm512_testn_epi8_mask(differ, differ);
}

/* dense_lines for a length known when this is compiled, so that all bytes stay in registers. */
KERNEL size_t dense_of(const struct find_scan *scan, unsigned len, const unsigned char *text, size_t at, size_t last,
                       size_t *count, bool *open)
{
    enum { ROUND = 4, QUIET = 8 }; /* blocks at a time; rounds without a hit that end it */
    __m512i bytes[sizeof scan->eight.value];
    unsigned char value[sizeof scan->eight.value];
    unsigned quiet = 0;
    size_t lines = 0;
    bool is_open = *open; /* both in registers */
    memcpy(value, &scan->eight.value, sizeof value);
    for (unsigned i = 0; i < len; i++)
        bytes[i] = all_of(value[i]);
    for (; at + (ROUND - 1) * BLOCK <= last && quiet < QUIET; at += ROUND * BLOCK) {
        uint64_t hits[ROUND], newlines[ROUND];
        for (unsigned i = 0; i < ROUND; i++) {
            hits[i] = all_stand(text + at + (size_t)i * BLOCK, bytes, len);
            newlines[i] = newline_block(scan, text + at + (size_t)i * BLOCK);
        }
        for (unsigned i = 0; i < ROUND; i++)
            lines += lines_with_hits(hits[i], newlines[i], &is_open);
        quiet = hits[0] | hits[1] | hits[2] | hits[3] ? 0 : quiet + 1;
    }
    *count += lines;
    *open = is_open;
    return at;
}

AVX512 static inline size_t dense_lines(const struct find_scan *scan, const unsigned char *text, size_t at, size_t last,
                                        size_t *count, bool *open)
{
    if (!scan->eight.is_all || scan->eight.fold)
        return at;
    switch (scan->sequences[0].len) {
    case 2: return dense_of(scan, 2, text, at, last, count, open);
    case 3: return dense_of(scan, 3, text, at, last, count, open);
    case 4: return dense_of(scan, 4, text, at, last, count, open);
    case 5: return dense_of(scan, 5, text, at, last, count, open);
    case 6: return dense_of(scan, 6, text, at, last, count, open);
    case 7: return dense_of(scan, 7, text, at, last, count, open);
    case 8: return dense_of(scan, 8, text, at, last, count, open);
    default: return at;
    }
}

AVX512 static size_t pair_lines(const struct find_scan *scan, const unsigned char *text, size_t end, size_t max)
{
    return find_pair_lines(scan, text, end, max, pair_block, newline_block, leap_pair, dense_lines);
}

KERNEL void members_of_classes(const struct find_members *classes, unsigned count, const unsigned char *text,
                               uint64_t (*out)[FIND_MEMBERS_BLOCKS])
{
    for (unsigned i = 0; i < count; i++) {
        const struct table table = table_of(&classes[i].halves);
        const __m512i one = all_of(classes[i].one);
        for (unsigned block = 0; block < FIND_MEMBERS_BLOCKS; block++) {
            __m512i bytes = load(text + (size_t)block * BLOCK);
            out[i][block] = classes[i].is_one ? _mm512_cmpeq_epi8_mask(bytes, one) : members(&table, bytes);
        }
    }
}

AVX512 static size_t count_by_streams(const struct find_streams *streams, const unsigned char *text, size_t len,
                                      size_t max)
{
    return run_streams(streams, text, len, max, members_of_classes);
}

const struct find_kernel *find_kernel_avx512(void)
{
    static const struct find_kernel kernel = {
        .name = "avx512",
        .next = {[SCAN_PAIR] = next_pair, [SCAN_MASKS] = next_masks, [SCAN_SET] = next_set},
        .lines = pair_lines,
        .streams = count_by_streams,
    };
    return processor_has_avx512() ? &kernel : NULL;
}
#else
const struct find_kernel *find_kernel_avx512(void)
{
    return NULL;
}
#endif
