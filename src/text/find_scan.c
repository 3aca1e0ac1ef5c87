/*
 * find_scan.c: see find_scan.h. Each kernel turns a block of 64 starting places into a mask of candidates; a place is a
 * hit when the sequence's table (which byte may stand at which place) agrees. The last block of a text overlaps the one
 * before it, so that no load leaves the text; texts shorter than a block go through plain C.
 */
#include "text/find_scan.h"

#include <math.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

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

struct find_scan {
    enum kind kind;
    size_t (*next)(const struct find_scan *scan, const unsigned char *text, size_t from, size_t end);
    bool vectors;

    struct compared pair[2]; /* SCAN_PAIR */

    unsigned mask_count, run_count, span; /* SCAN_MASKS: the first mask is the rarest */
    struct halves masks[MASKS_MAX];
    struct run runs[RUNS_MAX];

    unsigned width, shortest;                                  /* SCAN_SET: places of the fingerprint */
    unsigned char buckets[FINGERPRINT][256];                   /* by place and byte: which buckets go on */
    unsigned char low[FINGERPRINT][16], high[FINGERPRINT][16]; /* the same by halves, with some more */

    unsigned count;
    struct sequence sequences[];
};

static bool stands_at(const struct sequence *sequence, const unsigned char *text)
{
    for (unsigned i = 0; i < sequence->len; i++)
        if (!(sequence->allowed[text[i]] >> i & 1))
            return false;
    return true;
}

/* ---- plain C --------------------------------------------------------------------------------------------- */

static size_t next_plain_pair(const struct find_scan *scan, const unsigned char *text, size_t from, size_t end)
{
    const struct sequence *sequence = &scan->sequences[0];
    const struct compared *rare = &scan->pair[0];
    for (size_t at = from; sequence->len <= end - at; at++) {
        if (!rare->fold) {
            const unsigned char *found = memchr(text + at + rare->at, rare->value, end - at - sequence->len + 1);
            if (!found)
                return SIZE_MAX;
            at = (size_t)(found - text) - rare->at;
        } else if ((text[at + rare->at] | rare->fold) != rare->value) {
            continue;
        }
        if (stands_at(sequence, text + at))
            return at;
    }
    return SIZE_MAX;
}

static size_t next_plain_masks(const struct find_scan *scan, const unsigned char *text, size_t from, size_t end)
{
    const struct sequence *sequence = &scan->sequences[0];
    for (size_t at = from; sequence->len <= end - at; at++)
        if (stands_at(sequence, text + at))
            return at;
    return SIZE_MAX;
}

/* Does one of the sequences whose fingerprint stands at `at` stand there whole, within [from, end)? */
static bool set_stands_at(const struct find_scan *scan, const unsigned char *text, size_t at, size_t from, size_t end)
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

static size_t next_plain_set(const struct find_scan *scan, const unsigned char *text, size_t from, size_t end)
{
    const unsigned char *first = scan->buckets[0], *second = scan->buckets[scan->width > 1];
    for (size_t at = from; scan->width <= end - at; at++) {
        unsigned next = scan->width > 1 ? text[at + 1] : text[at];
        if (first[text[at]] & second[next] && set_stands_at(scan, text, at, from, end))
            return at;
    }
    return SIZE_MAX;
}

/* ---- AVX2 ------------------------------------------------------------------------------------------------ */

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2,bmi")))

/* Where the block for place `at` is loaded, when its loads reach `reach` bytes; *keep: its places that are new. */
static inline size_t block_at(size_t at, size_t end, size_t reach, uint64_t *keep)
{
    if (reach <= end - at) {
        *keep = UINT64_MAX;
        return at;
    }
    size_t base = end - reach;
    *keep = at - base < BLOCK ? UINT64_MAX << (at - base) : 0;
    return base;
}

AVX2 static inline uint32_t pair_half(const unsigned char *text, const struct compared pair[2], const __m256i fold[2],
                                      const __m256i value[2])
{
    __m256i first = _mm256_loadu_si256((const __m256i *)(text + pair[0].at));
    __m256i second = _mm256_loadu_si256((const __m256i *)(text + pair[1].at));
    first = _mm256_cmpeq_epi8(_mm256_or_si256(first, fold[0]), value[0]);
    second = _mm256_cmpeq_epi8(_mm256_or_si256(second, fold[1]), value[1]);
    return (uint32_t)_mm256_movemask_epi8(_mm256_and_si256(first, second));
}

AVX2 static size_t next_pair(const struct find_scan *scan, const unsigned char *text, size_t from, size_t end)
{
    const struct sequence *sequence = &scan->sequences[0];
    size_t reach = BLOCK - 1 + sequence->len;
    if (end < reach)
        return next_plain_pair(scan, text, from, end);
    __m256i fold[2], value[2];
    for (int i = 0; i < 2; i++) {
        fold[i] = _mm256_set1_epi8((char)scan->pair[i].fold);
        value[i] = _mm256_set1_epi8((char)scan->pair[i].value);
    }
    for (size_t at = from; sequence->len <= end - at; at += BLOCK) {
        uint64_t keep;
        size_t base = block_at(at, end, reach, &keep);
        uint64_t mask = pair_half(text + base, scan->pair, fold, value) |
                        (uint64_t)pair_half(text + base + 32, scan->pair, fold, value) << 32;
        for (mask &= keep; mask; mask &= mask - 1) {
            size_t place = base + (size_t)__builtin_ctzll(mask);
            if (stands_at(sequence, text + place))
                return place;
        }
        if (base < at)
            break;
    }
    return SIZE_MAX;
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

/* The places from which `len` ones in a row begin. */
static inline uint64_t ones_in_a_row(uint64_t mask, unsigned len)
{
    unsigned have = 1;
    while (have < len && mask) {
        unsigned step = have < len - have ? have : len - have;
        mask &= mask >> step;
        have += step;
    }
    return mask;
}

AVX2 static inline uint64_t masks_block(const struct find_scan *scan, const unsigned char *text)
{
    uint64_t masks[MASKS_MAX], result = UINT64_MAX;
    masks[0] = members(text, &scan->masks[0]);
    if (!masks[0])
        return 0;
    for (unsigned i = 1; i < scan->mask_count; i++)
        masks[i] = members(text, &scan->masks[i]);
    for (unsigned i = 0; i < scan->run_count && result; i++)
        result &= ones_in_a_row(masks[scan->runs[i].mask], scan->runs[i].len) >> scan->runs[i].first;
    return result;
}

AVX2 static size_t next_masks(const struct find_scan *scan, const unsigned char *text, size_t from, size_t end)
{
    const struct sequence *sequence = &scan->sequences[0];
    if (end < BLOCK)
        return next_plain_masks(scan, text, from, end);
    size_t step = BLOCK + 1 - scan->span;
    for (size_t at = from; sequence->len <= end - at; at += step) {
        uint64_t keep;
        size_t base = block_at(at, end, BLOCK, &keep);
        for (uint64_t mask = masks_block(scan, text + base) & keep; mask; mask &= mask - 1) {
            size_t place = base + (size_t)__builtin_ctzll(mask);
            if (sequence->len <= end - place && stands_at(sequence, text + place))
                return place;
        }
        if (base < at)
            break;
    }
    return SIZE_MAX;
}

AVX2 static inline __m256i buckets_at(const unsigned char *text, const __m256i *low, const __m256i *high)
{
    __m256i bytes = _mm256_loadu_si256((const __m256i *)text), half = _mm256_set1_epi8(0x0f);
    __m256i by_low = _mm256_shuffle_epi8(*low, _mm256_and_si256(bytes, half));
    __m256i by_high = _mm256_shuffle_epi8(*high, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half));
    return _mm256_and_si256(by_low, by_high);
}

AVX2 static size_t next_set(const struct find_scan *scan, const unsigned char *text, size_t from, size_t end)
{
    enum { HALF = 32 };
    unsigned width = scan->width;
    size_t reach = HALF - 1 + width;
    if (end < reach)
        return next_plain_set(scan, text, from, end);
    __m256i low[FINGERPRINT], high[FINGERPRINT];
    for (unsigned i = 0; i < width; i++) {
        low[i] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)scan->low[i]));
        high[i] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)scan->high[i]));
    }
    for (size_t at = from; width <= end - at; at += HALF) {
        uint64_t keep;
        size_t base = block_at(at, end, reach, &keep);
        __m256i buckets = buckets_at(text + base, &low[0], &high[0]);
        for (unsigned i = 1; i < width; i++)
            buckets = _mm256_and_si256(buckets, buckets_at(text + base + i, &low[i], &high[i]));
        __m256i none = _mm256_cmpeq_epi8(buckets, _mm256_setzero_si256());
        uint32_t mask = ~(uint32_t)_mm256_movemask_epi8(none) & (uint32_t)keep;
        for (; mask; mask &= mask - 1) {
            size_t place = base + (size_t)__builtin_ctz(mask);
            if (set_stands_at(scan, text, place, from, end))
                return place;
        }
        if (base < at)
            break;
    }
    return SIZE_MAX;
}

static bool machine_has_vectors(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
}
#else
static bool machine_has_vectors(void)
{
    return false;
}
#define next_pair next_plain_pair
#define next_masks next_plain_masks
#define next_set next_plain_set
#endif

/* ---- making one ------------------------------------------------------------------------------------------ */

static unsigned class_size(const struct find_class *class)
{
    unsigned size = 0;
    for (int i = 0; i < 4; i++)
        size += (unsigned)__builtin_popcountll(class->bits[i]);
    return size;
}

static unsigned class_first(const struct find_class *class)
{
    unsigned byte = 0;
    while (byte < 255 && !find_class_has(class, byte))
        byte++;
    return byte;
}

/* Can the class be tested by one comparison: one byte, or a letter in both cases? */
static bool class_compares(const struct find_class *class, struct compared *out)
{
    unsigned size = class_size(class), first = class_first(class);
    if (size == 1) {
        *out = (struct compared){.value = (unsigned char)first};
        return true;
    }
    if (size != 2 || first < 'A' || first > 'Z' || !find_class_has(class, first | 0x20))
        return false;
    *out = (struct compared){.fold = 0x20, .value = (unsigned char)(first | 0x20)};
    return true;
}

/* The two rarest places that compare; false when there is none. *share: of both together. */
static bool choose_pair(const struct find_facts *facts, const struct find_sequence *sequence, struct compared pair[2],
                        double *share)
{
    double best[2] = {1, 1};
    for (unsigned i = 0; i < sequence->len; i++) {
        const struct find_class *class = &facts->classes[sequence->at[i]];
        struct compared compared;
        if (!class_compares(class, &compared))
            continue;
        compared.at = (unsigned char)i;
        double rare = facts->shares[sequence->at[i]];
        if (rare < best[0]) {
            best[1] = best[0];
            pair[1] = pair[0];
            best[0] = rare;
            pair[0] = compared;
        } else if (rare < best[1]) {
            best[1] = rare;
            pair[1] = compared;
        }
    }
    if (best[0] > 0)
        return false;
    if (best[1] > 0)
        pair[1] = pair[0];
    *share = best[0] + (best[1] > 0 ? 0 : best[1]);
    return true;
}

static void halves_of(const struct find_class *class, struct halves *halves)
{
    *halves = (struct halves){0};
    for (unsigned byte = 0; byte < 128; byte++)
        if (find_class_has(class, byte)) {
            halves->low[byte & 15] |= (unsigned char)(1u << (byte >> 4));
            halves->high[byte >> 4] = (unsigned char)(1u << (byte >> 4));
        }
    halves->above = class->bits[2] || class->bits[3];
}

/* Masks for the rarest classes of the sequence, and the runs of places they stand for. */
static void plan_masks(struct find_scan *scan, const struct find_facts *facts, const struct find_sequence *sequence)
{
    unsigned char chosen[MASKS_MAX];
    unsigned span = sequence->len < SPAN_MAX ? sequence->len : SPAN_MAX;
    scan->mask_count = 0;
    while (scan->mask_count < MASKS_MAX) {
        int rarest = -1;
        for (unsigned i = 0; i < span; i++) {
            bool taken = memchr(chosen, sequence->at[i], scan->mask_count) != NULL;
            if (!taken && (rarest < 0 || facts->shares[sequence->at[i]] < facts->shares[rarest]))
                rarest = sequence->at[i];
        }
        if (rarest < 0)
            break;
        chosen[scan->mask_count] = (unsigned char)rarest;
        halves_of(&facts->classes[rarest], &scan->masks[scan->mask_count++]);
    }
    scan->span = span;
    for (unsigned i = 0, len; i < span && scan->run_count < RUNS_MAX; i += len) {
        for (len = 1; i + len < span && sequence->at[i + len] == sequence->at[i];)
            len++;
        const unsigned char *mask = memchr(chosen, sequence->at[i], scan->mask_count);
        if (mask)
            scan->runs[scan->run_count++] =
                (struct run){(unsigned char)(mask - chosen), (unsigned char)i, (unsigned char)len};
    }
}

/* Where the rarest `width` places in a row begin. */
static unsigned rarest_window(const struct find_facts *facts, const struct find_sequence *sequence, unsigned width)
{
    unsigned best = 0;
    double best_share = 1;
    for (unsigned i = 0; i + width <= sequence->len; i++) {
        double share = 0;
        for (unsigned k = 0; k < width; k++)
            share += facts->shares[sequence->at[i + k]];
        if (share < best_share) {
            best = i;
            best_share = share;
        }
    }
    return best;
}

static void plan_set(struct find_scan *scan, const struct find_facts *facts)
{
    const struct find_sequences *sequences = &facts->best;
    scan->width = FINGERPRINT;
    for (unsigned i = 0; i < sequences->count; i++)
        if (sequences->items[i].len < scan->width)
            scan->width = sequences->items[i].len;
    for (unsigned i = 0; i < sequences->count; i++) {
        const struct find_sequence *sequence = &sequences->items[i];
        unsigned first = rarest_window(facts, sequence, scan->width);
        unsigned char bucket = (unsigned char)(1u << i % BUCKETS);
        scan->sequences[i].fingerprint = (unsigned char)first;
        for (unsigned k = 0; k < scan->width; k++)
            for (unsigned byte = 0; byte < 256; byte++)
                if (find_class_has(&facts->classes[sequence->at[first + k]], byte)) {
                    scan->buckets[k][byte] |= bucket;
                    scan->low[k][byte & 15] |= bucket;
                    scan->high[k][byte >> 4] |= bucket;
                }
    }
}

struct find_scan *find_scan_new(const struct find_facts *facts, bool portable)
{
    const struct find_sequences *sequences = &facts->best;
    const double pair_is_rare = -9;
    struct find_scan *scan = hv_calloc(1, sizeof *scan + sequences->count * sizeof scan->sequences[0]);
    scan->vectors = !portable && machine_has_vectors();
    scan->count = sequences->count;
    for (unsigned i = 0; i < scan->count; i++) {
        const struct find_sequence *from = &sequences->items[i];
        scan->sequences[i].len = from->len;
        for (unsigned k = 0; k < from->len; k++)
            for (unsigned byte = 0; byte < 256; byte++)
                if (find_class_has(&facts->classes[from->at[k]], byte))
                    scan->sequences[i].allowed[byte] |= 1u << k;
    }
    double share;
    if (scan->count > 1) {
        scan->kind = SCAN_SET;
        scan->next = scan->vectors ? next_set : next_plain_set;
        plan_set(scan, facts);
    } else if (choose_pair(facts, &sequences->items[0], scan->pair, &share) &&
               (share < pair_is_rare || sequences->items[0].len == 1)) {
        scan->kind = SCAN_PAIR;
        scan->next = scan->vectors ? next_pair : next_plain_pair;
    } else {
        scan->kind = SCAN_MASKS;
        scan->next = scan->vectors ? next_masks : next_plain_masks;
        plan_masks(scan, facts, &sequences->items[0]);
    }
    return scan;
}

void find_scan_free(struct find_scan *scan)
{
    free(scan);
}

size_t find_scan_next(const struct find_scan *scan, struct hv_str text, size_t from)
{
    return from >= text.len ? SIZE_MAX : scan->next(scan, (const unsigned char *)text.ptr, from, text.len);
}

void find_scan_describe(const struct find_scan *scan, struct hv_buf *out)
{
    switch (scan->kind) {
    case SCAN_PAIR:
        hv_buf_addf(out, "%u bytes, by bytes %u and %u", scan->sequences[0].len, scan->pair[0].at, scan->pair[1].at);
        break;
    case SCAN_MASKS: hv_buf_addf(out, "%u bytes, by %u classes", scan->sequences[0].len, scan->mask_count); break;
    case SCAN_SET: hv_buf_addf(out, "%u sequences, by %u bytes of each", scan->count, scan->width); break;
    }
    hv_buf_add_cstr(out, scan->vectors ? " (avx2)" : " (plain)");
}
