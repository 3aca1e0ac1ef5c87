/* line_units.c: see line_units.h. Counting goes by vectors; a place is looked for in blocks, of which only the last is
 * gone through newline by newline. */
#include "text/line_units.h"

#include "text/lines.h"

#include <string.h>

typedef uint16_t vector_of_16 __attribute__((vector_size(16)));
typedef uint32_t vector_of_32 __attribute__((vector_size(16)));

enum { BLOCK = 4096, VECTOR = 16 };

struct line_unit line_unit_of(enum encoding_kind kind)
{
    switch (kind) {
    case ENCODING_UTF16LE: return (struct line_unit){2, false};
    case ENCODING_UTF16BE: return (struct line_unit){2, true};
    case ENCODING_UTF32LE: return (struct line_unit){4, false};
    case ENCODING_UTF32BE: return (struct line_unit){4, true};
    default: return (struct line_unit){1, false};
    }
}

/* The bytes of a newline, as a number that compares with what memcpy takes out of the file. */
static uint32_t newline_of(struct line_unit unit)
{
    char bytes[4] = {0};
    uint32_t number = 0;
    bytes[unit.big ? unit.size - 1 : 0] = '\n';
    memcpy(&number, bytes, sizeof number);
    return number;
}

/* At most BLOCK bytes of whole vectors: a lane cannot overflow. */
static size_t count_16(const char *bytes, size_t len, uint16_t newline)
{
    vector_of_16 counts = {0}, wanted = newline - (vector_of_16){0};
    for (size_t at = 0; at < len; at += VECTOR) {
        vector_of_16 piece;
        memcpy(&piece, bytes + at, VECTOR);
        counts -= (vector_of_16)(piece == wanted);
    }
    size_t sum = 0;
    for (size_t lane = 0; lane < VECTOR / sizeof newline; lane++)
        sum += counts[lane];
    return sum;
}

static size_t count_32(const char *bytes, size_t len, uint32_t newline)
{
    vector_of_32 counts = {0}, wanted = newline - (vector_of_32){0};
    for (size_t at = 0; at < len; at += VECTOR) {
        vector_of_32 piece;
        memcpy(&piece, bytes + at, VECTOR);
        counts -= (vector_of_32)(piece == wanted);
    }
    size_t sum = 0;
    for (size_t lane = 0; lane < VECTOR / sizeof newline; lane++)
        sum += counts[lane];
    return sum;
}

static bool is_newline(const char *bytes, struct line_unit unit)
{
    uint32_t number = 0;
    memcpy(&number, bytes, unit.size);
    return number == newline_of(unit);
}

static size_t count_block(struct hv_str bytes, struct line_unit unit)
{
    if (unit.size == 1)
        return lines_newlines(bytes);
    size_t even = bytes.len - bytes.len % VECTOR;
    uint32_t newline = newline_of(unit);
    size_t count = unit.size == 2 ? count_16(bytes.ptr, even, (uint16_t)newline) : count_32(bytes.ptr, even, newline);
    for (size_t at = even; at + unit.size <= bytes.len; at += unit.size)
        count += is_newline(bytes.ptr + at, unit);
    return count;
}

size_t line_units_count(struct hv_str bytes, struct line_unit unit)
{
    if (unit.size == 1)
        return lines_newlines(bytes);
    size_t count = 0;
    for (size_t at = 0; at < bytes.len; at += BLOCK)
        count += count_block(hv_str_slice(bytes, at, at + BLOCK), unit);
    return count;
}

/* The first newline at or after from (a unit), as the place after it; SIZE_MAX when there is none. */
static size_t after_next(struct hv_str bytes, size_t from, struct line_unit unit)
{
    if (unit.size == 1) {
        size_t newline = hv_str_find_byte(bytes, '\n', from);
        return newline == SIZE_MAX ? SIZE_MAX : newline + 1;
    }
    for (; from + unit.size <= bytes.len; from += unit.size)
        if (is_newline(bytes.ptr + from, unit))
            return from + unit.size;
    return SIZE_MAX;
}

size_t line_units_after(struct hv_str bytes, size_t count, struct line_unit unit)
{
    size_t at = 0;
    for (; at < bytes.len && count; at += BLOCK) {
        size_t here = count_block(hv_str_slice(bytes, at, at + BLOCK), unit);
        if (here >= count)
            break;
        count -= here;
    }
    if (at >= bytes.len)
        return count ? SIZE_MAX : at;
    for (; count; count--)
        at = after_next(bytes, at, unit);
    return at;
}

size_t line_units_after_last(struct hv_str bytes, struct line_unit unit)
{
    if (unit.size == 1) {
        size_t newline = hv_str_rfind_byte(bytes, '\n');
        return newline == SIZE_MAX ? SIZE_MAX : newline + 1;
    }
    for (size_t end = bytes.len - bytes.len % unit.size; end; end -= unit.size)
        if (is_newline(bytes.ptr + end - unit.size, unit))
            return end;
    return SIZE_MAX;
}
