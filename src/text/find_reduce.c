/* find_reduce.c: see find_reduce.h. */
#include "text/find_reduce.h"

#include "text/find_common.h"

#include <math.h>
#include <string.h>

static bool tells_nothing(const struct find_facts *facts, unsigned char class)
{
    const double most = -1.5; /* of the bytes of source code, log2 */
    return facts->shares[class] > most && facts->classes[class].bits[2];
}

void find_trim(struct find_facts *facts)
{
    for (unsigned i = 0; i < facts->best.count; i++) {
        struct find_sequence *sequence = &facts->best.items[i];
        unsigned from = 0, until = sequence->len;
        while (from < until && tells_nothing(facts, sequence->at[from]))
            from++;
        while (from < until && tells_nothing(facts, sequence->at[until - 1]))
            until--;
        if (from == until)
            continue;
        memmove(sequence->at, sequence->at + from, until - from);
        sequence->len = (unsigned char)(until - from);
    }
}

/* The number of this class, which is added when it is new; -1: there is no room. */
static int class_number(struct find_facts *facts, const struct find_class *class)
{
    for (unsigned i = 0; i < facts->class_count; i++)
        if (memcmp(&facts->classes[i], class, sizeof *class) == 0)
            return (int)i;
    if (facts->class_count == FIND_CLASSES_MAX)
        return -1;
    facts->classes[facts->class_count] = *class;
    facts->shares[facts->class_count] = find_common_class(class);
    return (int)facts->class_count++;
}

/* All sequences upon each other, as far as the shortest reaches. */
static bool lay(const struct find_sequences *all, bool by_ends, struct find_facts *facts)
{
    struct find_sequence one = {.len = all->items[0].len};
    for (unsigned i = 1; i < all->count; i++)
        one.len = one.len < all->items[i].len ? one.len : all->items[i].len;
    for (unsigned at = 0; at < one.len; at++) {
        struct find_class class = {0};
        for (unsigned i = 0; i < all->count; i++) {
            const struct find_sequence *sequence = &all->items[i];
            unsigned place = by_ends ? sequence->len - one.len + at : at;
            for (unsigned word = 0; word < 4; word++)
                class.bits[word] |= facts->classes[sequence->at[place]].bits[word];
        }
        int number = class_number(facts, &class);
        if (number < 0)
            return false;
        one.at[at] = (unsigned char)number;
    }
    facts->best.count = 1;
    facts->best.items[0] = one;
    facts->cost = find_common_share(facts, &one, 0, one.len);
    return true;
}

bool find_merge(const struct find_facts *facts, struct find_facts *merged)
{
    const double as_rare = 1; /* a candidate more for each that the set would give */
    struct find_facts by_ends = *facts;
    *merged = *facts;
    bool beginnings = lay(&facts->best, false, merged);
    bool ends = lay(&facts->best, true, &by_ends);
    if (ends && (!beginnings || by_ends.cost < merged->cost))
        *merged = by_ends;
    return (beginnings || ends) && merged->cost <= facts->cost + as_rare;
}
