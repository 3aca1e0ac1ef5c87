/*
 * find_scan.c: see find_scan.h. Which kind of scanner there is to be, and the kernel in plain C. In every kernel a
 * place is a hit when the sequence's table (which byte may stand at which place) agrees.
 */
#include "text/find_common.h"
#include "text/find_reduce.h"
#include "text/find_scan_kernel.h"

#include <math.h>
#include <stdlib.h>

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

static size_t next_plain_set(const struct find_scan *scan, const unsigned char *text, size_t from, size_t end)
{
    const unsigned char *first = scan->buckets[0], *second = scan->buckets[scan->width > 1];
    for (size_t at = from; scan->width <= end - at; at++) {
        unsigned next = scan->width > 1 ? text[at + 1] : text[at];
        if (first[text[at]] & second[next] && set_stands_at(scan, text, at, from, end))
            return at - scan->back;
    }
    return SIZE_MAX;
}

static size_t plain_lines(const struct find_scan *scan, const unsigned char *text, size_t end, size_t max)
{
    size_t count = 0;
    for (size_t at = 0; at < end && (at = next_plain_pair(scan, text, at, end)) != SIZE_MAX;) {
        const unsigned char *newline = memchr(text + at, '\n', end - at);
        if (++count == max || !newline)
            break;
        at = (size_t)(newline - text) + 1;
    }
    return count;
}

const struct find_kernel find_kernel_plain = {
    .name = "plain",
    .next = {[SCAN_PAIR] = next_plain_pair, [SCAN_MASKS] = next_plain_masks, [SCAN_SET] = next_plain_set},
    .lines = plain_lines,
};

/* ---- making one ------------------------------------------------------------------------------------------ */

static const double rare_pair = -9; /* log2 of the share of bytes: not in every second leap */

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

/* Of the places that compare and are not among `places`, the one that leaves the least with them; -1: there is none. */
static int choose_place(const struct find_facts *facts, const struct find_sequence *sequence,
                        const struct find_common_words *words, uint32_t places, struct compared *out)
{
    int best = -1;
    double best_share = 1, best_alone = 1;
    for (unsigned i = 0; i < sequence->len; i++) {
        struct compared compared;
        if (places >> i & 1 || !class_compares(&facts->classes[sequence->at[i]], &compared))
            continue;
        double alone = facts->shares[sequence->at[i]];
        double share = find_common_places(facts, sequence, words, places | UINT32_C(1) << i);
        if (share > best_share || (share == best_share && alone >= best_alone))
            continue;
        best = (int)i;
        best_share = share;
        best_alone = alone;
        *out = compared;
        out->at = (unsigned char)i;
    }
    return best;
}

/* The places to compare, the rarest first; not all of one common word where the sequence holds more. */
static void plan_pair(struct find_scan *scan, const struct find_facts *facts)
{
    const double enough = -14; /* log2: two places stop seldom, less than once in most files */
    const struct find_sequence *sequence = &facts->best.items[0];
    struct find_common_words words;
    uint32_t places = 0;
    find_common_words(facts, sequence, &words);
    for (unsigned i = 0; i < COMPARED; i++) {
        int place = choose_place(facts, sequence, &words, places, &scan->pair[i]);
        if (place < 0)
            scan->pair[i] = scan->pair[i - 1]; /* there is a first one */
        else
            places |= UINT32_C(1) << place;
        if (i == 1)
            scan->by_three = find_common_places(facts, sequence, &words, places) > enough;
    }
}

static struct eight compare_eight(const struct find_facts *facts, const struct find_sequence *sequence)
{
    unsigned char fold[8] = {0}, care[8] = {0}, value[8] = {0};
    struct compared compared;
    struct eight eight = {.is_all = sequence->len <= sizeof care};
    for (unsigned i = 0; i < sequence->len && i < sizeof care; i++) {
        if (!class_compares(&facts->classes[sequence->at[i]], &compared)) {
            eight.is_all = false;
            continue;
        }
        fold[i] = compared.fold;
        care[i] = 0xff;
        value[i] = compared.value;
    }
    memcpy(&eight.fold, fold, sizeof eight.fold);
    memcpy(&eight.care, care, sizeof eight.care);
    memcpy(&eight.value, value, sizeof eight.value);
    return eight;
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

void find_members_of(const struct find_class *class, struct find_members *members)
{
    halves_of(class, &members->halves);
    members->is_one = class_size(class) == 1;
    members->one = (unsigned char)class_first(class);
}

/* Masks for the rarest classes of the sequence, and the runs of places they stand for. */
static void plan_masks(struct find_scan *scan, const struct find_facts *facts, const struct find_sequence *sequence)
{
    unsigned char chosen[MASKS_MAX] = {0};
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
    scan->rare = facts->shares[chosen[0]] < rare_pair;
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

/* Where the rarest `width` places in a row begin. *share: of all of them together. */
static unsigned rarest_window(const struct find_facts *facts, const struct find_sequence *sequence, unsigned width,
                              double *share_out)
{
    unsigned best = 0;
    double best_share = 1;
    for (unsigned i = 0; i + width <= sequence->len; i++) {
        double share = find_common_share(facts, sequence, i, width);
        if (share < best_share) {
            best = i;
            best_share = share;
        }
    }
    *share_out = best_share;
    return best;
}

/* How often the two places of the fingerprint at `first` that are not `out` of it are expected, taken by themselves. */
static double pair_share(const struct find_facts *facts, const struct find_sequence *sequence, unsigned first,
                         unsigned out)
{
    double share = 0;
    for (unsigned k = 0; k < FINGERPRINT; k++)
        share += k != out && first + k < sequence->len ? facts->shares[sequence->at[first + k]] : 0;
    return share;
}

/* Leap by two places of the three, where these seldom stop a leap: that is a third less to look up. */
static void choose_leap(struct find_scan *scan, const double pairs[FINGERPRINT])
{
    const double seldom = 1.0 / 512;
    unsigned out = 0;
    for (unsigned i = 1; i < FINGERPRINT; i++)
        out = pairs[i] < pairs[out] ? i : out;
    scan->by_two = pairs[out] < seldom;
    scan->leap[0] = out == 0;
    scan->leap[1] = out == 2 ? 1 : 2;
}

static void plan_set(struct find_scan *scan, const struct find_facts *facts)
{
    const struct find_sequences *sequences = &facts->best;
    double pairs[FINGERPRINT] = {0}; /* by the place left out: how often the two others are expected */
    scan->width = FINGERPRINT;
    for (unsigned i = 0; i < sequences->count; i++)
        if (sequences->items[i].len < scan->width)
            scan->width = sequences->items[i].len;
    for (unsigned i = 0; i < sequences->count; i++) {
        const struct find_sequence *sequence = &sequences->items[i];
        double share;
        unsigned first = rarest_window(facts, sequence, scan->width, &share);
        unsigned char bucket = (unsigned char)(1u << i % BUCKETS);
        scan->sequences[i].fingerprint = (unsigned char)first;
        for (unsigned out = 0; out < FINGERPRINT; out++)
            pairs[out] += exp2(pair_share(facts, sequence, first, out));
        for (unsigned k = 0; k < scan->width; k++)
            for (unsigned byte = 0; byte < 256; byte++)
                if (find_class_has(&facts->classes[sequence->at[first + k]], byte)) {
                    scan->buckets[k][byte] |= bucket;
                    scan->low[k][byte & 15] |= bucket;
                    scan->high[k][byte >> 4] |= bucket;
                    scan->wide |= byte >= 128;
                }
    }
    if (scan->width == FINGERPRINT)
        choose_leap(scan, pairs);
    scan->back = sequences->count == 1 ? scan->sequences[0].fingerprint : 0;
}

const struct find_kernel *find_kernel_choose(unsigned without)
{
    const struct find_kernel *kernel = NULL;
    if (!(without & FIND_SCAN_NO_AVX512))
        kernel = find_kernel_avx512();
    if (!kernel && !(without & FIND_SCAN_NO_AVX2))
        kernel = find_kernel_avx2();
    if (!kernel && !(without & FIND_SCAN_NO_16))
        kernel = find_kernel_16();
    return kernel ? kernel : &find_kernel_plain;
}

static struct find_scan *new_scan(const struct find_facts *facts, unsigned without)
{
    const struct find_sequences *sequences = &facts->best;
    struct find_scan *scan = hv_calloc(1, sizeof *scan + sequences->count * sizeof scan->sequences[0]);
    scan->kernel = find_kernel_choose(without);
    scan->count = sequences->count;
    for (unsigned i = 0; i < scan->count; i++) {
        const struct find_sequence *from = &sequences->items[i];
        scan->sequences[i].len = from->len;
        for (unsigned k = 0; k < from->len; k++)
            for (unsigned byte = 0; byte < 256; byte++)
                if (find_class_has(&facts->classes[from->at[k]], byte))
                    scan->sequences[i].allowed[byte] |= 1u << k;
    }
    return scan;
}

/* Is the sequence best looked for by some of its bytes, of which two are rare together? */
static bool fits_pair(const struct find_facts *facts)
{
    const struct find_sequence *sequence = &facts->best.items[0];
    double rarest = 0, second = 0;
    for (unsigned i = 0; i < sequence->len; i++) {
        struct compared compared;
        double share = facts->shares[sequence->at[i]];
        if (!class_compares(&facts->classes[sequence->at[i]], &compared))
            continue;
        second = share < rarest ? rarest : share < second ? share : second;
        rarest = share < rarest ? share : rarest;
    }
    return rarest < 0 && (rarest + second < rare_pair || sequence->len == 1);
}

/* Is the one sequence, which has no two bytes that are rare, best looked for by a few classes in a row? */
static bool fits_set(const struct find_facts *facts)
{
    double share = 0;
    const struct find_sequence *sequence = &facts->best.items[0];
    if (sequence->len < FINGERPRINT)
        return false;
    (void)rarest_window(facts, sequence, FINGERPRINT, &share);
    return share < rare_pair;
}

struct find_scan *find_scan_new(const struct find_facts *facts, unsigned without)
{
    struct find_facts trimmed = *facts, merged;
    find_trim(&trimmed);
    facts = &trimmed;
    if (facts->best.count > 1 && find_merge(facts, &merged) && fits_pair(&merged))
        facts = &merged;
    struct find_scan *scan = new_scan(facts, without);
    if (scan->count > 1) {
        scan->kind = SCAN_SET;
        plan_set(scan, facts);
    } else if (fits_pair(facts)) {
        scan->kind = SCAN_PAIR;
        plan_pair(scan, facts);
        scan->eight = compare_eight(facts, &facts->best.items[0]);
    } else if (fits_set(facts)) {
        scan->kind = SCAN_SET;
        plan_set(scan, facts);
    } else {
        scan->kind = SCAN_MASKS;
        plan_masks(scan, facts, &facts->best.items[0]);
    }
    return scan;
}

void find_scan_free(struct find_scan *scan)
{
    free(scan);
}

size_t find_scan_next(const struct find_scan *scan, struct hv_str text, size_t from)
{
    return from >= text.len ? SIZE_MAX
                            : scan->kernel->next[scan->kind](scan, (const unsigned char *)text.ptr, from, text.len);
}

size_t find_scan_lines(const struct find_scan *scan, struct hv_str text, size_t max)
{
    size_t count = 0;
    if (scan->kind == SCAN_PAIR)
        return scan->kernel->lines(scan, (const unsigned char *)text.ptr, text.len, max);
    for (size_t at = 0; (at = find_scan_next(scan, text, at)) != SIZE_MAX && (!max || count < max);) {
        const char *newline = memchr(text.ptr + at, '\n', text.len - at);
        count++;
        at = newline ? (size_t)(newline - text.ptr) + 1 : text.len;
    }
    return count;
}

bool find_scan_is_ascii(const struct find_scan *scan)
{
    uint32_t above = 0;
    for (unsigned i = 0; i < scan->count; i++)
        for (unsigned byte = 128; byte < 256; byte++)
            above |= scan->sequences[i].allowed[byte];
    return !above;
}

bool find_scan_is_beyond_ascii(const struct find_scan *scan)
{
    for (unsigned i = 0; i < scan->count; i++) {
        uint32_t below = 0, all = UINT32_MAX >> (FIND_SEQUENCE_MAX - scan->sequences[i].len);
        for (unsigned byte = 0; byte < 128; byte++)
            below |= scan->sequences[i].allowed[byte];
        if (below == all)
            return false;
    }
    return true;
}

struct find_scan *find_scan_copy(const struct find_scan *scan)
{
    size_t size = sizeof *scan + scan->count * sizeof scan->sequences[0];
    return memcpy(hv_malloc(size), scan, size);
}

/* Wherever `other` stands, does `part` stand `at` bytes further on? */
static bool contains_at(const struct sequence *other, const struct sequence *part, unsigned at)
{
    uint32_t places = UINT32_MAX >> (FIND_SEQUENCE_MAX - part->len), more = 0;
    for (unsigned byte = 0; byte < 256; byte++)
        more |= other->allowed[byte] >> at & ~part->allowed[byte] & places;
    return !more;
}

static bool contains_one(const struct sequence *other, const struct find_scan *scan)
{
    for (unsigned i = 0; i < scan->count; i++)
        for (unsigned at = 0; at + scan->sequences[i].len <= other->len; at++)
            if (contains_at(other, &scan->sequences[i], at))
                return true;
    return false;
}

bool find_scan_covers(const struct find_scan *scan, const struct find_scan *other)
{
    for (unsigned i = 0; i < other->count; i++)
        if (!contains_one(&other->sequences[i], scan))
            return false;
    return true;
}

void find_scan_describe(const struct find_scan *scan, struct hv_buf *out)
{
    switch (scan->kind) {
    case SCAN_PAIR:
        hv_buf_addf(out, "%u bytes, by bytes %u and %u", scan->sequences[0].len, scan->pair[0].at, scan->pair[1].at);
        break;
    case SCAN_MASKS: hv_buf_addf(out, "%u bytes, by %u classes", scan->sequences[0].len, scan->mask_count); break;
    case SCAN_SET:
        if (scan->count == 1)
            hv_buf_addf(out, "%u bytes, by the %u from byte %u", scan->sequences[0].len, scan->width, scan->back);
        else
            hv_buf_addf(out, "%u sequences, by %u bytes of each", scan->count, scan->width);
        break;
    }
    hv_buf_addf(out, " (%s)", scan->kernel->name);
}
