/*
 * find_scan.h: scanners that run over a whole text at the speed of memory and stop where one of a few byte sequences
 * stands. Three kinds: two rare bytes of one sequence compared at their distance; classes of one sequence as bit masks,
 * shifted upon each other; a fingerprint of three classes for several sequences. With vectors of 64 bytes (AVX-512)
 * or 32 (AVX2) where the machine has them (asked at run time), of 16 (SSE2 with SSSE3, NEON), else in plain C. Pure; a
 * struct find_scan is immutable and shared between threads.
 */
#ifndef TEXT_FIND_SCAN_H
#define TEXT_FIND_SCAN_H

#include "text/find_pattern.h"

struct find_scan;

enum {
    FIND_SCAN_NO_AVX512 = 1,
    FIND_SCAN_NO_AVX2 = 2,
    FIND_SCAN_NO_16 = 4,
    FIND_SCAN_NO_VECTORS = FIND_SCAN_NO_AVX512 | FIND_SCAN_NO_AVX2 | FIND_SCAN_NO_16,
};

/*
 * A scanner for facts->best, which has at least one sequence and none that is empty. Never NULL; free with
 * find_scan_free. without: what not to use of this machine, for tests.
 */
struct find_scan *find_scan_new(const struct find_facts *facts, unsigned without);
void find_scan_free(struct find_scan *scan); /* NULL is fine */

/*
 * An offset ≥ from inside the first place where a sequence stands that begins at or after from; SIZE_MAX: there is
 * none. With one sequence it is where that begins.
 */
size_t find_scan_next(const struct find_scan *scan, struct hv_str text, size_t from);

/* How many lines hold one, up to max (0: any number); only for one sequence that holds no line end. */
size_t find_scan_lines(const struct find_scan *scan, struct hv_str text, size_t max);

/* Are all sequences of ASCII alone: bytes that are the same in every encoding but the wide ones? */
bool find_scan_is_ascii(const struct find_scan *scan);

/* Is there no sequence of ASCII alone, so that none stands in a text that is? */
bool find_scan_is_beyond_ascii(const struct find_scan *scan);

/* Another one that is the same. Never NULL. */
struct find_scan *find_scan_copy(const struct find_scan *scan);

/* Does a text in which nothing of scan stands hold nothing of other, as each sequence of that contains one of scan? */
bool find_scan_covers(const struct find_scan *scan, const struct find_scan *other);

/* Its kind and what it looks at, for people. */
void find_scan_describe(const struct find_scan *scan, struct hv_buf *out);

#endif
