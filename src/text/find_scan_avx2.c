/* find_scan_avx2.c: the kernel with vectors of 32 bytes. Asked at run time whether the machine has them. */
#include "base/processor.h"
#include "text/find_streams_kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,bmi")))

AVX2 static inline uint32_t equal_half(const unsigned char *text, unsigned char fold, unsigned char value)
{
    __m256i bytes = _mm256_or_si256(_mm256_loadu_si256((const __m256i *)text), _mm256_set1_epi8((char)fold));
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8((char)value)));
}

AVX2 static inline uint32_t pair_half(const struct compared pair[2], const unsigned char *text)
{
    __m256i first = _mm256_loadu_si256((const __m256i *)(text + pair[0].at));
    __m256i second = _mm256_loadu_si256((const __m256i *)(text + pair[1].at));
    first = _mm256_or_si256(first, _mm256_set1_epi8((char)pair[0].fold));
    second = _mm256_or_si256(second, _mm256_set1_epi8((char)pair[1].fold));
    first = _mm256_cmpeq_epi8(first, _mm256_set1_epi8((char)pair[0].value));
    second = _mm256_cmpeq_epi8(second, _mm256_set1_epi8((char)pair[1].value));
    return (uint32_t)_mm256_movemask_epi8(_mm256_and_si256(first, second));
}

AVX2 static inline uint64_t pair_block(const struct find_scan *scan, const unsigned char *text)
{
    return pair_half(scan->pair, text) | (uint64_t)pair_half(scan->pair, text + 32) << 32;
}

AVX2 static inline uint64_t newline_block(const struct find_scan *scan, const unsigned char *text)
{
    (void)scan;
    return equal_half(text, 0, '\n') | (uint64_t)equal_half(text + 32, 0, '\n') << 32;
}

AVX2 static inline uint32_t members_half(const unsigned char *text, __m256i low, __m256i high, bool above)
{
    __m256i bytes = _mm256_loadu_si256((const __m256i *)text);
    /* A shuffle gives 0 for bytes from 128 on; and what the high half selects is one bit. */
    __m256i by_low = _mm256_shuffle_epi8(low, bytes);
    __m256i by_high = _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(0x0f)));
    __m256i none = _mm256_cmpeq_epi8(_mm256_and_si256(by_low, by_high), _mm256_setzero_si256());
    uint32_t members = ~(uint32_t)_mm256_movemask_epi8(none);
    return above ? members | (uint32_t)_mm256_movemask_epi8(bytes) : members;
}

AVX2 static inline uint64_t members(const unsigned char *text, const struct halves *halves)
{
    __m256i low = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)halves->low));
    __m256i high = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)halves->high));
    return members_half(text, low, high, halves->above) | (uint64_t)members_half(text + 32, low, high, halves->above)
                                                              << 32;
}

AVX2 static inline uint64_t masks_block(const struct find_scan *scan, const unsigned char *text)
{
    uint64_t masks[MASKS_MAX];
    masks[0] = members(text, &scan->masks[0]);
    if (!masks[0])
        return 0;
    for (unsigned i = 1; i < scan->mask_count; i++)
        masks[i] = members(text, &scan->masks[i]);
    return join_runs(scan, masks);
}

AVX2 static inline __m256i buckets_at(const unsigned char *text, const unsigned char low[16],
                                      const unsigned char high[16])
{
    __m256i bytes = _mm256_loadu_si256((const __m256i *)text), half = _mm256_set1_epi8(0x0f);
    __m256i lows = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)low));
    __m256i highs = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)high));
    __m256i by_low = _mm256_shuffle_epi8(lows, _mm256_and_si256(bytes, half));
    __m256i by_high = _mm256_shuffle_epi8(highs, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half));
    return _mm256_and_si256(by_low, by_high);
}

AVX2 static inline uint32_t set_half(const struct find_scan *scan, const unsigned char *text)
{
    __m256i buckets = buckets_at(text, scan->low[0], scan->high[0]);
    if (scan->width > 1)
        buckets = _mm256_and_si256(buckets, buckets_at(text + 1, scan->low[1], scan->high[1]));
    if (scan->width > 2)
        buckets = _mm256_and_si256(buckets, buckets_at(text + 2, scan->low[2], scan->high[2]));
    return ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(buckets, _mm256_setzero_si256()));
}

AVX2 static inline uint64_t set_block(const struct find_scan *scan, const unsigned char *text)
{
    return set_half(scan, text) | (uint64_t)set_half(scan, text + 32) << 32;
}

/* ---- leaps ----------------------------------------------------------------------------------------------- */

#define KERNEL AVX2 __attribute__((always_inline))
#define VECTOR 32

typedef __m256i vector;

KERNEL static inline vector vector_load(const unsigned char *bytes)
{
    return _mm256_loadu_si256((const __m256i *)bytes);
}

/* Sixteen entries, for both halves. */
KERNEL static inline vector vector_table(const unsigned char *bytes)
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)bytes));
}

KERNEL static inline vector vector_all(unsigned char byte)
{
    return _mm256_set1_epi8((char)byte);
}

KERNEL static inline vector vector_or(vector a, vector b)
{
    return _mm256_or_si256(a, b);
}

KERNEL static inline vector vector_and(vector a, vector b)
{
    return _mm256_and_si256(a, b);
}

KERNEL static inline vector vector_equal(vector a, vector b)
{
    return _mm256_cmpeq_epi8(a, b);
}

/* The highest bit of each byte. */
KERNEL static inline uint32_t vector_bits(vector a)
{
    return (uint32_t)_mm256_movemask_epi8(a);
}

KERNEL static inline vector vector_high_halves(vector a)
{
    return _mm256_and_si256(_mm256_srli_epi16(a, 4), _mm256_set1_epi8(0x0f));
}

KERNEL static inline vector vector_look_up(vector table, vector indexes)
{
    return _mm256_shuffle_epi8(table, indexes);
}

/* A shuffle looks at the low half alone, and gives 0 for bytes from 128 on. */
KERNEL static inline vector vector_look_up_ascii(vector table, vector bytes)
{
    return _mm256_shuffle_epi8(table, bytes);
}

KERNEL static inline bool vector_any(vector a)
{
    return !_mm256_testz_si256(a, a);
}

#include "text/find_scan_leap.h"

/* ---- the kernel ------------------------------------------------------------------------------------------ */

AVX2 static size_t next_pair(const struct find_scan *scan, const unsigned char *text, size_t from, size_t end)
{
    return find_next_pair(scan, text, from, end, pair_block, leap_pair);
}

AVX2 static size_t next_masks(const struct find_scan *scan, const unsigned char *text, size_t from, size_t end)
{
    return find_next_masks(scan, text, from, end, masks_block, leap_masks);
}

AVX2 static size_t next_set(const struct find_scan *scan, const unsigned char *text, size_t from, size_t end)
{
    return find_next_set(scan, text, from, end, set_block, leap_set);
}

/* Where the whole sequence stands, `len` bytes that are compared as they are. */
AVX2 FIND_INLINE uint32_t whole_half(const __m256i bytes[], unsigned len, const unsigned char *text)
{
    __m256i all = _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)text), bytes[0]);
    for (unsigned i = 1; i < len; i++)
        all = _mm256_and_si256(all, _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(text + i)), bytes[i]));
    return (uint32_t)_mm256_movemask_epi8(all);
}

/* dense_lines for a length known when this is compiled, so that all bytes stay in registers. */
AVX2 FIND_INLINE size_t dense_of(const struct find_scan *scan, unsigned len, const unsigned char *text, size_t at,
                                 size_t last, size_t *count, bool *open)
{
    enum { QUIET = 16 }; /* blocks without a hit that end it */
    __m256i bytes[sizeof scan->eight.value];
    unsigned char value[sizeof scan->eight.value];
    unsigned quiet = 0;
    memcpy(value, &scan->eight.value, sizeof value);
    for (unsigned i = 0; i < len; i++)
        bytes[i] = _mm256_set1_epi8((char)value[i]);
    for (; at <= last && quiet < QUIET; at += BLOCK) {
        uint64_t hits = whole_half(bytes, len, text + at) | (uint64_t)whole_half(bytes, len, text + at + 32) << 32;
        *count += lines_with_hits(hits, newline_block(scan, text + at), open);
        quiet = hits ? 0 : quiet + 1;
    }
    return at;
}

AVX2 static size_t dense_lines(const struct find_scan *scan, const unsigned char *text, size_t at, size_t last,
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

AVX2 static size_t pair_lines(const struct find_scan *scan, const unsigned char *text, size_t end, size_t max)
{
    return find_pair_lines(scan, text, end, max, pair_block, newline_block, leap_pair, dense_lines);
}

AVX2 static size_t count_by_streams(const struct find_streams *streams, const unsigned char *text, size_t len,
                                    size_t max)
{
    return run_streams(streams, text, len, max, members_of_classes);
}

const struct find_kernel *find_kernel_avx2(void)
{
    static const struct find_kernel kernel = {
        .name = "avx2",
        .next = {[SCAN_PAIR] = next_pair, [SCAN_MASKS] = next_masks, [SCAN_SET] = next_set},
        .lines = pair_lines,
        .streams = count_by_streams,
    };
    return processor_has_avx2() ? &kernel : NULL;
}
#else
const struct find_kernel *find_kernel_avx2(void)
{
    return NULL;
}
#endif
