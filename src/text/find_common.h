/*
 * find_common.h: how often a sequence of bytes is to be expected in source code. Bytes taken one by one would make
 * "return" and "static" as rare as any word of their length; the commonest words are known by name. Pure.
 */
#ifndef TEXT_FIND_COMMON_H
#define TEXT_FIND_COMMON_H

#include "text/find_pattern.h"

/* log2 of the share of the class among the bytes of source code, ≤ 0. */
double find_common_class(const struct find_class *class);

/* log2 of how often the part [from, from + len) of the sequence is expected per byte, ≤ 0. */
double find_common_share(const struct find_facts *facts, const struct find_sequence *sequence, unsigned from,
                         unsigned len);

enum { FIND_COMMON_WORDS_MAX = 16 };

/* Common words that stand in a sequence: where (a bit for each place), and log2 of how often. */
struct find_common_words {
    unsigned count;
    struct find_common_word {
        uint32_t places;
        double share;
    } items[FIND_COMMON_WORDS_MAX];
};

/* Fill *words for the sequence: the first FIND_COMMON_WORDS_MAX of them. */
void find_common_words(const struct find_facts *facts, const struct find_sequence *sequence,
                       struct find_common_words *words);

/* find_common_share of these places of the sequence, a bit for each. */
double find_common_places(const struct find_facts *facts, const struct find_sequence *sequence,
                          const struct find_common_words *words, uint32_t places);

#endif
