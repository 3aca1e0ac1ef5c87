/*
 * find_scan_leap.h: how a kernel gets over text in which nothing stands: four vectors at a time, of which nothing is
 * asked but whether anything in them is a candidate. Each kernel includes this once, after it has defined for its
 * machine: VECTOR (bytes of one), `vector`, KERNEL (the attributes of a function that uses it), and vector_load,
 * _bits (the highest bit of each byte), _table, _all, _or, _and, _equal, _look_up (which needs only take indexes below
 * 16), _look_up_ascii (by the low half of bytes below 128; 0 for others), _high_halves and _any (is a bit set?).
 */
enum { LEAP = 4 * VECTOR };

KERNEL static inline vector compared_to(const unsigned char *text, vector fold, vector value)
{
    return vector_equal(vector_or(vector_load(text), fold), value);
}

KERNEL static inline size_t leap_pair(const struct find_scan *scan, const unsigned char *text, size_t at, size_t last)
{
    const struct compared *pair = scan->pair;
    const vector fold = vector_all(pair[0].fold), value = vector_all(pair[0].value);
    const vector other_fold = vector_all(pair[1].fold), other = vector_all(pair[1].value);
    const unsigned char *first = text + pair[0].at, *second = text + pair[1].at;
    for (; at + LEAP - BLOCK <= last; at += LEAP) {
        vector any = vector_all(0);
        for (unsigned i = 0; i < LEAP; i += VECTOR)
            any = vector_or(any, vector_and(compared_to(first + at + i, fold, value),
                                            compared_to(second + at + i, other_fold, other)));
        if (vector_any(any))
            break;
    }
    return at;
}

/* Over text without any byte of the rarest class. */
KERNEL static inline size_t leap_masks(const struct find_scan *scan, const unsigned char *text, size_t at, size_t last)
{
    const struct halves *halves = &scan->masks[0];
    const vector low = vector_table(halves->low), high = vector_table(halves->high);
    const vector above = vector_all(halves->above ? 0x80 : 0), half = vector_all(0x0f), sign = vector_all(0x80);
    if (!scan->rare)
        return at;
    for (; at + LEAP - BLOCK <= last; at += LEAP + 1 - scan->span) {
        vector any = vector_all(0);
        for (unsigned i = 0; i < LEAP; i += VECTOR) {
            vector bytes = vector_load(text + at + i);
            vector by_low = vector_look_up(low, vector_and(bytes, half));
            vector by_high = vector_look_up(high, vector_high_halves(bytes));
            any = vector_or(any, vector_or(vector_and(by_low, by_high), vector_and(vector_and(bytes, sign), above)));
        }
        if (vector_any(any))
            break;
    }
    return at;
}

/* What goes on at each byte; wide: bytes from 128 on may. */
KERNEL static inline vector buckets_of(const unsigned char *text, vector low, vector high, bool wide)
{
    vector bytes = vector_load(text);
    vector by_low = wide ? vector_look_up(low, vector_and(bytes, vector_all(0x0f))) : vector_look_up_ascii(low, bytes);
    return vector_and(by_low, vector_look_up(high, vector_high_halves(bytes)));
}

KERNEL static inline size_t leap_three(const struct find_scan *scan, const unsigned char *text, size_t at, size_t last,
                                       bool wide)
{
    /* A place beyond the width repeats the last one. */
    const unsigned second = scan->width > 1, third = scan->width > 2 ? 2 : second;
    const vector low[] = {vector_table(scan->low[0]), vector_table(scan->low[second]), vector_table(scan->low[third])};
    const vector high[] = {vector_table(scan->high[0]), vector_table(scan->high[second]),
                           vector_table(scan->high[third])};
    for (; at + LEAP - BLOCK <= last; at += LEAP) {
        vector any = vector_all(0);
        for (unsigned i = 0; i < LEAP; i += VECTOR) {
            const unsigned char *place = text + at + i;
            vector buckets =
                vector_and(buckets_of(place, low[0], high[0], wide), buckets_of(place + second, low[1], high[1], wide));
            any = vector_or(any, vector_and(buckets, buckets_of(place + third, low[2], high[2], wide)));
        }
        if (vector_any(any))
            break;
    }
    return at;
}

KERNEL static inline size_t leap_two(const struct find_scan *scan, const unsigned char *text, size_t at, size_t last,
                                     bool wide)
{
    const unsigned char *first = text + scan->leap[0], *second = text + scan->leap[1];
    const vector low[] = {vector_table(scan->low[scan->leap[0]]), vector_table(scan->low[scan->leap[1]])};
    const vector high[] = {vector_table(scan->high[scan->leap[0]]), vector_table(scan->high[scan->leap[1]])};
    for (; at + LEAP - BLOCK <= last; at += LEAP) {
        vector any = vector_all(0);
        for (unsigned i = 0; i < LEAP; i += VECTOR)
            any = vector_or(any, vector_and(buckets_of(first + at + i, low[0], high[0], wide),
                                            buckets_of(second + at + i, low[1], high[1], wide)));
        if (vector_any(any))
            break;
    }
    return at;
}

/* By the fingerprints of all buckets. */
KERNEL static inline size_t leap_set(const struct find_scan *scan, const unsigned char *text, size_t at, size_t last)
{
    if (scan->by_two)
        return scan->wide ? leap_two(scan, text, at, last, true) : leap_two(scan, text, at, last, false);
    return scan->wide ? leap_three(scan, text, at, last, true) : leap_three(scan, text, at, last, false);
}

/* ---- all classes of many blocks -------------------------------------------------------------------------- */

KERNEL static inline void members_of_one(unsigned char one, const unsigned char *text, uint64_t *out)
{
    const vector all = vector_all(one);
    for (unsigned block = 0; block < FIND_MEMBERS_BLOCKS; block++, text += BLOCK) {
        uint64_t mask = 0;
        for (unsigned i = 0; i < BLOCK; i += VECTOR)
            mask |= (uint64_t)vector_bits(vector_equal(vector_load(text + i), all)) << i;
        out[block] = mask;
    }
}

KERNEL static inline void members_of_class(const struct halves *halves, const unsigned char *text, uint64_t *out)
{
    const vector low = vector_table(halves->low), high = vector_table(halves->high), none = vector_all(0);
    for (unsigned block = 0; block < FIND_MEMBERS_BLOCKS; block++, text += BLOCK) {
        uint64_t others = 0;
        for (unsigned i = 0; i < BLOCK; i += VECTOR) {
            vector bytes = vector_load(text + i);
            vector both = vector_and(vector_look_up_ascii(low, bytes), vector_look_up(high, vector_high_halves(bytes)));
            others |= (uint64_t)vector_bits(vector_equal(both, none)) << i;
        }
        out[block] = ~others;
    }
}

KERNEL static inline void members_of_classes(const struct find_members *classes, unsigned count,
                                             const unsigned char *text, uint64_t (*out)[FIND_MEMBERS_BLOCKS])
{
    for (unsigned i = 0; i < count; i++)
        if (classes[i].is_one)
            members_of_one(classes[i].one, text, out[i]);
        else
            members_of_class(&classes[i].halves, text, out[i]);
}
