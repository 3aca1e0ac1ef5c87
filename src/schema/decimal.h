/*
 * decimal.h: JSON numbers as exact decimals of any size, without conversion: a decimal is a view of the number's
 * text. So 0.1 is one tenth, 1e400 is a number like others, and 1e1000000000 costs nothing. Pure.
 */
#ifndef SCHEMA_DECIMAL_H
#define SCHEMA_DECIMAL_H

#include <helve/str.h>

/* ±0.DDD… × 10^exponent. `digits` runs from the first to the last digit that is not 0 and may hold the point. */
struct decimal {
    struct hv_str digits;
    size_t count; /* of digits, without the point; 0 for zero */
    int64_t exponent;
    bool negative;
};

/* text is a number of JSON's grammar, as the reader keeps it; exponents beyond ±10^15 count as that. */
struct decimal decimal_from(struct hv_str text);
int decimal_compare(const struct decimal *a, const struct decimal *b); /* <0, 0, >0 */
bool decimal_is_whole(const struct decimal *value);
/* Equal decimals have equal hashes. */
uint64_t decimal_hash(const struct decimal *value);

enum decimal_answer { DECIMAL_NO = 0, DECIMAL_YES, DECIMAL_TOO_COMPLEX };
/* Is value a whole multiple of divisor (greater than 0)? Exact. Too complex over some 10^8 digit operations. */
enum decimal_answer decimal_is_multiple(const struct decimal *value, const struct decimal *divisor);

#endif
