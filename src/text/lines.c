/* lines.c: see lines.h. */
#include "text/lines.h"

#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef uint8_t byte_vector __attribute__((vector_size(16)));

enum { VECTORS_PER_ROUND = 255 }; /* a lane counts to 255 before it would wrap */

/* Newlines in up to VECTORS_PER_ROUND vectors: equality gives 0xff in a lane, so that subtracting it counts. */
static size_t count_round(const char *bytes, size_t vectors)
{
    byte_vector newline, counts = {0};
    memset(&newline, '\n', sizeof newline);
    for (size_t i = 0; i < vectors; i++) {
        byte_vector piece;
        memcpy(&piece, bytes + i * sizeof piece, sizeof piece);
        counts -= (byte_vector)(piece == newline);
    }
    size_t sum = 0;
    for (size_t lane = 0; lane < sizeof counts; lane++)
        sum += counts[lane];
    return sum;
}

size_t lines_newlines(struct hv_str text)
{
    size_t count = 0, at = 0;
    while (text.len - at >= sizeof(byte_vector)) {
        size_t vectors = (text.len - at) / sizeof(byte_vector);
        if (vectors > VECTORS_PER_ROUND)
            vectors = VECTORS_PER_ROUND;
        count += count_round(text.ptr + at, vectors);
        at += vectors * sizeof(byte_vector);
    }
    for (; at < text.len; at++)
        count += text.ptr[at] == '\n';
    return count;
}

#if defined(__SSE2__)
uint64_t lines_newline_mask(struct hv_str text, size_t offset)
{
    const __m128i newline = _mm_set1_epi8('\n');
    uint64_t ends = 0;
    for (unsigned i = 0; i < LINES_BLOCK; i += sizeof newline) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(text.ptr + offset + i));
        ends |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, newline)) << i;
    }
    return ends;
}
#else
uint64_t lines_newline_mask(struct hv_str text, size_t offset)
{
    uint64_t ends = 0;
    for (unsigned i = 0; i < LINES_BLOCK; i++)
        ends |= (uint64_t)(text.ptr[offset + i] == '\n') << i;
    return ends;
}
#endif

size_t lines_count(struct hv_str text)
{
    return lines_newlines(text) + (text.len && text.ptr[text.len - 1] != '\n');
}

size_t lines_number_at(struct hv_str text, size_t offset)
{
    size_t number = lines_newlines(hv_str_slice(text, 0, offset)) + 1;
    /* Past a final newline there is no further line: the end belongs to the last one. */
    bool past_end = offset >= text.len && text.len && text.ptr[text.len - 1] == '\n';
    return number - past_end;
}

size_t lines_offset(struct hv_str text, size_t number)
{
    size_t at = 0;
    for (size_t line = 1; at < text.len; line++) {
        if (line == number)
            return at;
        const char *end = memchr(text.ptr + at, '\n', text.len - at);
        if (!end)
            break;
        at = (size_t)(end - text.ptr) + 1;
    }
    return SIZE_MAX;
}

size_t lines_begin(struct hv_str text, size_t offset)
{
    size_t before = hv_str_rfind_byte(hv_str_slice(text, 0, offset), '\n');
    return before == SIZE_MAX ? 0 : before + 1;
}

size_t lines_finish(struct hv_str text, size_t offset)
{
    size_t end = offset < text.len ? hv_str_find_byte(text, '\n', offset) : SIZE_MAX;
    return end == SIZE_MAX ? text.len : end;
}

bool lines_next(struct hv_str *rest, struct hv_str *line)
{
    if (!rest->len)
        return false;
    const char *end = memchr(rest->ptr, '\n', rest->len);
    size_t len = end ? (size_t)(end - rest->ptr) + 1 : rest->len;
    *line = hv_str_of(rest->ptr, len);
    *rest = hv_str_of(rest->ptr + len, rest->len - len);
    return true;
}

struct hv_str lines_chop(struct hv_str line)
{
    if (line.len && line.ptr[line.len - 1] == '\n') {
        line.len--;
        if (line.len && line.ptr[line.len - 1] == '\r')
            line.len--;
    }
    return line;
}

struct line_ends lines_ends(struct hv_str text)
{
    struct line_ends ends = {.lf = lines_newlines(text)};
    size_t at = hv_str_find_byte(text, '\r', 0);
    while (at < text.len) {
        bool before_newline = at + 1 < text.len && text.ptr[at + 1] == '\n';
        ends.crlf += before_newline;
        ends.lf -= before_newline;
        ends.cr += !before_newline;
        at = hv_str_find_byte(text, '\r', at + 1);
    }
    return ends;
}

bool lines_end_in_returns(struct hv_str text)
{
    return hv_str_find_byte(text, '\n', 0) == SIZE_MAX && hv_str_find_byte(text, '\r', 0) != SIZE_MAX;
}

void lines_exchange(char *text, size_t len, char from, char to)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] == from)
            text[i] = to;
}

enum line_end lines_dominant_end(struct hv_str text)
{
    struct line_ends ends = lines_ends(text);
    return !ends.lf && !ends.crlf ? LINE_END_NONE : ends.crlf > ends.lf ? LINE_END_CRLF : LINE_END_LF;
}

struct hv_str line_end_bytes(enum line_end end)
{
    return end == LINE_END_CRLF ? HV_STR("\r\n") : end == LINE_END_LF ? HV_STR("\n") : HV_STR("");
}
