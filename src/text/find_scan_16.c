/*
 * find_scan_16.c: the kernel with vectors of 16 bytes: SSE2, which every x86-64 has, with SSSE3 for what needs
 * shuffles; NEON, which every AArch64 has.
 */
#include "base/processor.h"
#include "text/find_streams_kernel.h"

#if defined(__x86_64__) || defined(__aarch64__)

/* ---- a vector of 16 bytes on either machine ---------------------------------------------------------------- */

#if defined(__x86_64__)
#include <immintrin.h>

#define SHUFFLES __attribute__((target("ssse3")))
#define KERNEL SHUFFLES
#define VECTOR 16

typedef __m128i vector;

static inline vector vector_load(const unsigned char *bytes)
{
    return _mm_loadu_si128((const __m128i *)bytes);
}

static inline vector vector_all(unsigned char byte)
{
    return _mm_set1_epi8((char)byte);
}

static inline vector vector_or(vector a, vector b)
{
    return _mm_or_si128(a, b);
}

static inline vector vector_and(vector a, vector b)
{
    return _mm_and_si128(a, b);
}

static inline vector vector_equal(vector a, vector b)
{
    return _mm_cmpeq_epi8(a, b);
}

/* The highest bit of each byte. */
static inline uint32_t vector_bits(vector a)
{
    return (uint32_t)_mm_movemask_epi8(a);
}

static inline vector vector_high_halves(vector a)
{
    return _mm_and_si128(_mm_srli_epi16(a, 4), _mm_set1_epi8(0x0f));
}

/* table[index], for indexes below 16; 0 for those from 128 on. */
SHUFFLES static inline vector vector_look_up(vector table, vector indexes)
{
    return _mm_shuffle_epi8(table, indexes);
}

/* A shuffle looks at the low half alone, and gives 0 for bytes from 128 on. */
SHUFFLES static inline vector vector_look_up_ascii(vector table, vector bytes)
{
    return _mm_shuffle_epi8(table, bytes);
}

static inline bool vector_any(vector a)
{
    return _mm_movemask_epi8(_mm_cmpeq_epi8(a, _mm_setzero_si128())) != 0xffff;
}

static bool machine_shuffles(void)
{
    return processor_has_shuffles();
}

#else
#include <arm_neon.h>

#define SHUFFLES
#define KERNEL
#define VECTOR 16

typedef uint8x16_t vector;

static inline vector vector_load(const unsigned char *bytes)
{
    return vld1q_u8(bytes);
}

static inline vector vector_all(unsigned char byte)
{
    return vdupq_n_u8(byte);
}

static inline vector vector_or(vector a, vector b)
{
    return vorrq_u8(a, b);
}

static inline vector vector_and(vector a, vector b)
{
    return vandq_u8(a, b);
}

static inline vector vector_equal(vector a, vector b)
{
    return vceqq_u8(a, b);
}

static inline uint32_t vector_bits(vector a)
{
    static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    vector set = vandq_u8(vcgeq_u8(a, vdupq_n_u8(0x80)), vld1q_u8(weights));
    return vaddv_u8(vget_low_u8(set)) | (uint32_t)vaddv_u8(vget_high_u8(set)) << 8;
}

static inline vector vector_high_halves(vector a)
{
    return vshrq_n_u8(a, 4);
}

static inline vector vector_look_up(vector table, vector indexes)
{
    return vqtbl1q_u8(table, indexes);
}

static inline vector vector_look_up_ascii(vector table, vector bytes)
{
    return vqtbl1q_u8(table, vandq_u8(bytes, vdupq_n_u8(0x8f)));
}

static inline bool vector_any(vector a)
{
    return vmaxvq_u8(a) != 0;
}

static bool machine_shuffles(void)
{
    return true;
}
#endif

static inline vector vector_table(const unsigned char *bytes)
{
    return vector_load(bytes);
}

#include "text/find_scan_leap.h"

/* ---- masks ----------------------------------------------------------------------------------------------- */

static inline uint32_t pair_part(const struct compared pair[2], const unsigned char *text)
{
    vector first = vector_or(vector_load(text + pair[0].at), vector_all(pair[0].fold));
    vector second = vector_or(vector_load(text + pair[1].at), vector_all(pair[1].fold));
    return vector_bits(
        vector_and(vector_equal(first, vector_all(pair[0].value)), vector_equal(second, vector_all(pair[1].value))));
}

static inline uint64_t pair_block(const struct find_scan *scan, const unsigned char *text)
{
    uint64_t mask = 0;
    for (unsigned at = 0; at < BLOCK; at += 16)
        mask |= (uint64_t)pair_part(scan->pair, text + at) << at;
    return mask;
}

static inline uint64_t newline_block(const struct find_scan *scan, const unsigned char *text)
{
    uint64_t mask = 0;
    (void)scan;
    for (unsigned at = 0; at < BLOCK; at += 16)
        mask |= (uint64_t)vector_bits(vector_equal(vector_load(text + at), vector_all('\n'))) << at;
    return mask;
}

SHUFFLES static inline uint32_t members_part(const unsigned char *text, const struct halves *halves)
{
    vector bytes = vector_load(text);
    vector by_low = vector_look_up(vector_load(halves->low), vector_and(bytes, vector_all(0x8f)));
    vector by_high = vector_look_up(vector_load(halves->high), vector_high_halves(bytes));
    uint32_t members = ~vector_bits(vector_equal(vector_and(by_low, by_high), vector_all(0))) & 0xffff;
    return halves->above ? members | vector_bits(bytes) : members;
}

SHUFFLES static inline uint64_t members(const unsigned char *text, const struct halves *halves)
{
    uint64_t mask = 0;
    for (unsigned at = 0; at < BLOCK; at += 16)
        mask |= (uint64_t)members_part(text + at, halves) << at;
    return mask;
}

SHUFFLES static inline uint64_t masks_block(const struct find_scan *scan, const unsigned char *text)
{
    uint64_t masks[MASKS_MAX];
    masks[0] = members(text, &scan->masks[0]);
    if (!masks[0])
        return 0;
    for (unsigned i = 1; i < scan->mask_count; i++)
        masks[i] = members(text, &scan->masks[i]);
    return join_runs(scan, masks);
}

SHUFFLES static inline uint32_t set_part(const struct find_scan *scan, const unsigned char *text)
{
    vector buckets = vector_all(0xff);
    for (unsigned i = 0; i < scan->width; i++) {
        vector bytes = vector_load(text + i);
        vector by_low = vector_look_up(vector_load(scan->low[i]), vector_and(bytes, vector_all(0x0f)));
        vector by_high = vector_look_up(vector_load(scan->high[i]), vector_high_halves(bytes));
        buckets = vector_and(buckets, vector_and(by_low, by_high));
    }
    return ~vector_bits(vector_equal(buckets, vector_all(0))) & 0xffff;
}

SHUFFLES static inline uint64_t set_block(const struct find_scan *scan, const unsigned char *text)
{
    uint64_t mask = 0;
    for (unsigned at = 0; at < BLOCK; at += 16)
        mask |= (uint64_t)set_part(scan, text + at) << at;
    return mask;
}

/* ---- the kernel ------------------------------------------------------------------------------------------ */

SHUFFLES static size_t next_pair(const struct find_scan *scan, const unsigned char *text, size_t from, size_t end)
{
    return find_next_pair(scan, text, from, end, pair_block, leap_pair);
}

SHUFFLES static size_t next_masks(const struct find_scan *scan, const unsigned char *text, size_t from, size_t end)
{
    return find_next_masks(scan, text, from, end, masks_block, leap_masks);
}

SHUFFLES static size_t next_set(const struct find_scan *scan, const unsigned char *text, size_t from, size_t end)
{
    return find_next_set(scan, text, from, end, set_block, leap_set);
}

/* With as many bytes as this compares at once, one look at a time is as fast. */
static size_t not_dense(const struct find_scan *scan, const unsigned char *text, size_t at, size_t last, size_t *count,
                        bool *open)
{
    (void)scan, (void)text, (void)last, (void)count, (void)open;
    return at;
}

SHUFFLES static size_t pair_lines(const struct find_scan *scan, const unsigned char *text, size_t end, size_t max)
{
    return find_pair_lines(scan, text, end, max, pair_block, newline_block, leap_pair, not_dense);
}

SHUFFLES static size_t count_by_streams(const struct find_streams *streams, const unsigned char *text, size_t len,
                                        size_t max)
{
    return run_streams(streams, text, len, max, members_of_classes);
}

const struct find_kernel *find_kernel_16(void)
{
    static const struct find_kernel kernel = {
        .name = "16 bytes",
        .next = {[SCAN_PAIR] = next_pair, [SCAN_MASKS] = next_masks, [SCAN_SET] = next_set},
        .lines = pair_lines,
        .streams = count_by_streams,
    };
    return machine_shuffles() ? &kernel : NULL;
}
#else
const struct find_kernel *find_kernel_16(void)
{
    return NULL;
}
#endif
