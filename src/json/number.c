/* number.c: the values of JSON numbers: exact comparison, whole numbers, nearest doubles. See json/number.h. */
#include "json/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An exponent that no sensible number has; beyond it only equal texts are equal. */
enum { EXPONENT_LIMIT = 1 << 30 };

/* A number taken apart: its significant digits stand in [first, last], perhaps with a point among them. */
struct decimal {
    bool negative, zero, vast; /* vast: the exponent is beyond EXPONENT_LIMIT */
    const char *first, *last;
    int64_t exponent; /* power of ten of the first digit */
    int64_t count;    /* significant digits */
};

static int64_t read_exponent(const char *at, const char *end, bool *vast)
{
    bool negative = at < end && *at == '-';
    int64_t value = 0;
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    for (; at < end; at++) {
        value = value * 10 + (*at - '0');
        if (value > EXPONENT_LIMIT) {
            value = EXPONENT_LIMIT;
            *vast = true;
        }
    }
    return negative ? -value : value;
}

static struct decimal take_apart(struct hv_str text)
{
    struct decimal number = {.zero = true, .negative = text.len && text.ptr[0] == '-'};
    const char *end = text.ptr + text.len, *at = text.ptr + number.negative;
    int64_t position = 0, first_position = 0, last_position = 0, whole = -1; /* digits seen; digits before the point */
    for (; at < end && *at != 'e' && *at != 'E'; at++) {
        if (*at == '.') {
            whole = position;
            continue;
        }
        if (*at != '0') {
            if (number.zero) {
                number.first = at;
                first_position = position;
            }
            number.zero = false;
            number.last = at;
            last_position = position;
        }
        position++;
    }
    if (whole < 0)
        whole = position;
    number.count = last_position - first_position + 1;
    number.exponent = whole - 1 - first_position;
    if (at < end)
        number.exponent += read_exponent(at + 1, end, &number.vast);
    return number;
}

static const char *next_digit(const char *digit)
{
    return digit[1] == '.' ? digit + 2 : digit + 1;
}

bool number_equal(struct hv_str a, struct hv_str b)
{
    struct decimal x = take_apart(a), y = take_apart(b);
    if (x.zero || y.zero)
        return x.zero && y.zero;
    if (x.vast || y.vast)
        return hv_str_eq(a, b);
    if (x.negative != y.negative || x.exponent != y.exponent || x.count != y.count)
        return false;
    const char *p = x.first, *q = y.first;
    for (int64_t i = 1; i < x.count; i++, p = next_digit(p), q = next_digit(q))
        if (*p != *q)
            return false;
    return *p == *q;
}

bool number_to_int64(struct hv_str text, int64_t *out)
{
    if (hv_str_to_int64(text, out))
        return true;
    struct decimal number = take_apart(text);
    if (number.zero) {
        *out = 0;
        return true;
    }
    if (number.vast || number.exponent > 18 || number.exponent < number.count - 1)
        return false;
    char digits[24];
    size_t length = 0;
    if (number.negative)
        digits[length++] = '-';
    const char *digit = number.first;
    for (int64_t i = 0; i <= number.exponent; i++) {
        digits[length++] = i < number.count ? *digit : '0';
        if (i + 1 < number.count)
            digit = next_digit(digit);
    }
    return hv_str_to_int64(hv_str_of(digits, length), out);
}

/* strtod and snprintf follow the locale's decimal point; these two never do. glibc's "C" locale needs no memory. */
static double read_double(const char *text)
{
    locale_t locale = newlocale(LC_ALL_MASK, "C", NULL);
    double value = strtod_l(text, NULL, locale);
    freelocale(locale);
    return value;
}

static void print_double(char out[NUMBER_TEXT_MAX], int precision, double value)
{
    locale_t locale = newlocale(LC_ALL_MASK, "C", NULL), former = uselocale(locale);
    snprintf(out, NUMBER_TEXT_MAX, "%.*g", precision, value);
    uselocale(former);
    freelocale(locale);
}

bool number_to_double(struct hv_str text, double *out)
{
    char small[64], *copy = text.len < sizeof small ? small : hv_malloc(text.len + 1);
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    double value = read_double(copy);
    if (copy != small)
        free(copy);
    if (!isfinite(value))
        return false;
    *out = value;
    return true;
}

size_t number_format(char out[NUMBER_TEXT_MAX], double value)
{
    /* Up to 15 digits always come back from a normal double; only subnormal ones have fewer that matter. */
    int precision = value != 0 && fabs(value) < DBL_MIN ? 1 : DBL_DIG;
    print_double(out, precision, value);
    while (precision < DBL_DECIMAL_DIG && read_double(out) != value)
        print_double(out, ++precision, value);
    return strlen(out);
}
