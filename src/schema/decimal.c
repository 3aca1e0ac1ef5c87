/* decimal.c: comparing and dividing decimals in their text form. See decimal.h. */
#include "schema/decimal.h"

#include <stdlib.h>

enum {
    LIMB = 1000000000, /* big numbers are arrays of base 10^9, least first */
    LIMB_DIGITS = 9,
    SMALL_DIGITS = 18, /* a divisor of so many digits, times ten, fits into 64 bits */
};
static const int64_t exponent_max = 1000000000000000;
static const uint64_t work_max = 100000000;

static int64_t read_exponent(struct hv_str text)
{
    bool negative = text.len && text.ptr[0] == '-';
    int64_t value = 0;
    for (size_t i = text.len && (negative || text.ptr[0] == '+'); i < text.len && value < exponent_max; i++)
        value = value * 10 + (text.ptr[i] - '0');
    value = value < exponent_max ? value : exponent_max;
    return negative ? -value : value;
}

struct decimal decimal_from(struct hv_str text)
{
    struct decimal value = {.negative = text.len && text.ptr[0] == '-'};
    size_t first = SIZE_MAX, last = 0, point = SIZE_MAX, end = value.negative;
    for (; end < text.len && text.ptr[end] != 'e' && text.ptr[end] != 'E'; end++) {
        if (text.ptr[end] == '.') {
            point = end;
        } else if (text.ptr[end] != '0') {
            first = first == SIZE_MAX ? end : first;
            last = end;
        }
    }
    if (first == SIZE_MAX)
        return (struct decimal){0};
    point = point == SIZE_MAX ? end : point;
    value.digits = hv_str_slice(text, first, last + 1);
    value.count = value.digits.len - (first < point && point < last);
    value.exponent = first < point ? (int64_t)(point - first) : -(int64_t)(first - point - 1);
    if (end < text.len)
        value.exponent += read_exponent(hv_str_slice(text, end + 1, text.len));
    return value;
}

/* The digit at *at, which moves on; 0 behind the last. */
static int next_digit(const struct decimal *value, size_t *at)
{
    if (*at < value->digits.len && value->digits.ptr[*at] == '.')
        ++*at;
    return *at < value->digits.len ? value->digits.ptr[(*at)++] - '0' : 0;
}

static int compare_magnitude(const struct decimal *a, const struct decimal *b)
{
    if (!a->count || !b->count)
        return (a->count > 0) - (b->count > 0);
    if (a->exponent != b->exponent)
        return a->exponent < b->exponent ? -1 : 1;
    size_t most = a->count > b->count ? a->count : b->count, at_a = 0, at_b = 0;
    for (size_t i = 0; i < most; i++) {
        int difference = next_digit(a, &at_a) - next_digit(b, &at_b);
        if (difference)
            return difference;
    }
    return 0;
}

int decimal_compare(const struct decimal *a, const struct decimal *b)
{
    if (a->negative != b->negative)
        return a->negative ? -1 : 1;
    int order = compare_magnitude(a, b);
    return a->negative ? -order : order;
}

bool decimal_is_whole(const struct decimal *value)
{
    return value->exponent >= (int64_t)value->count;
}

uint64_t decimal_hash(const struct decimal *value)
{
    uint64_t hash = 0xcbf29ce484222325ull ^ (uint64_t)value->exponent ^ (uint64_t)value->negative << 63;
    size_t at = 0;
    for (size_t i = 0; i < value->count; i++)
        hash = (hash ^ (uint64_t)next_digit(value, &at)) * 0x100000001b3ull;
    return hash;
}

/* ---- division ---------------------------------------------------------------------------------------- */

/* The remainder of a long division, digit by digit, for divisors that fit into a word. */
static bool small_divides(const struct decimal *value, uint64_t divisor, uint64_t zeros)
{
    uint64_t rest = 0;
    size_t at = 0;
    for (size_t i = 0; i < value->count; i++)
        rest = (rest * 10 + (uint64_t)next_digit(value, &at)) % divisor;
    for (; zeros && rest; zeros--)
        rest = rest * 10 % divisor;
    return rest == 0;
}

struct big {
    uint32_t *limbs;
    size_t count;
};

static void big_push_digit(struct big *big, int digit)
{
    uint64_t carry = (uint64_t)digit;
    for (size_t i = 0; i < big->count; i++) {
        carry += (uint64_t)big->limbs[i] * 10;
        big->limbs[i] = (uint32_t)(carry % LIMB);
        carry /= LIMB;
    }
}

static bool big_less(const struct big *a, const struct big *b)
{
    for (size_t i = a->count; i-- > 0;)
        if (a->limbs[i] != b->limbs[i])
            return a->limbs[i] < b->limbs[i];
    return false;
}

static void big_subtract(struct big *a, const struct big *b)
{
    int64_t borrow = 0;
    for (size_t i = 0; i < a->count; i++) {
        int64_t limb = (int64_t)a->limbs[i] - b->limbs[i] - borrow;
        borrow = limb < 0;
        a->limbs[i] = (uint32_t)(borrow ? limb + LIMB : limb);
    }
}

static bool big_is_zero(const struct big *big)
{
    for (size_t i = 0; i < big->count; i++)
        if (big->limbs[i])
            return false;
    return true;
}

static void divide_step(struct big *rest, const struct big *divisor, int digit)
{
    big_push_digit(rest, digit);
    while (!big_less(rest, divisor))
        big_subtract(rest, divisor);
}

static bool big_divides(const struct decimal *value, const struct decimal *by, uint64_t zeros)
{
    size_t limbs = by->count / LIMB_DIGITS + 2, at = 0; /* with room for the tenfold remainder */
    struct big divisor = {hv_calloc(limbs, sizeof(uint32_t)), limbs};
    struct big rest = {hv_calloc(limbs, sizeof(uint32_t)), limbs};
    for (size_t i = 0; i < by->count; i++)
        big_push_digit(&divisor, next_digit(by, &at));
    at = 0;
    for (size_t i = 0; i < value->count; i++)
        divide_step(&rest, &divisor, next_digit(value, &at));
    for (; zeros && !big_is_zero(&rest); zeros--)
        divide_step(&rest, &divisor, 0);
    bool divides = big_is_zero(&rest);
    free(divisor.limbs);
    free(rest.limbs);
    return divides;
}

enum decimal_answer decimal_is_multiple(const struct decimal *value, const struct decimal *divisor)
{
    if (!value->count)
        return DECIMAL_YES;
    /* Both as whole numbers a and b without final zeros: is a × 10^shift a multiple of b? Not if shift is negative,
     * since a does not end in 0. */
    int64_t shift = (value->exponent - (int64_t)value->count) - (divisor->exponent - (int64_t)divisor->count);
    if (shift < 0)
        return DECIMAL_NO;
    /* Zeros help only to cancel the factors 2 and 5 of b, of which it has less than four per digit. */
    uint64_t zeros = (uint64_t)shift < 4 * (uint64_t)divisor->count ? (uint64_t)shift : 4 * (uint64_t)divisor->count;
    if (divisor->count <= SMALL_DIGITS) {
        uint64_t by = 0;
        size_t at = 0;
        for (size_t i = 0; i < divisor->count; i++)
            by = by * 10 + (uint64_t)next_digit(divisor, &at);
        return small_divides(value, by, zeros) ? DECIMAL_YES : DECIMAL_NO;
    }
    uint64_t limbs = divisor->count / LIMB_DIGITS + 2;
    if (value->count + divisor->count + zeros > work_max / 16 / limbs)
        return DECIMAL_TOO_COMPLEX;
    return big_divides(value, divisor, zeros) ? DECIMAL_YES : DECIMAL_NO;
}
