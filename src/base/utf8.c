/*
 * utf8.c: validation by a state machine with an ASCII fast path, decoding, repair. See base/utf8.h.
 *
 * The machine: each byte owns one 64-bit row that holds, at each state's bit position, the next state; a step is a
 * load and a shift. "Refused" is position 0 of every row and stays there.
 */
#include "base/utf8.h"

#include <string.h>

/* A state is its bit position in a row. WANT_n: n continuation bytes are missing; the others restrict the next one. */
enum {
    REFUSED = 0,
    READY = 6,
    WANT_1 = 12,
    WANT_2 = 18,
    WANT_3 = 24,
    AFTER_E0 = 30,
    AFTER_ED = 36,
    AFTER_F0 = 42,
    AFTER_F4 = 48
};

#define TO(from, state) ((uint64_t)(state) << (from))
#define CONTINUE TO(WANT_1, READY) | TO(WANT_2, WANT_1) | TO(WANT_3, WANT_2)

static const uint64_t rows[256] = {
    [0x00 ... 0x7f] = TO(READY, READY),
    [0x80 ... 0x8f] = CONTINUE | TO(AFTER_ED, WANT_1) | TO(AFTER_F4, WANT_2),
    [0x90 ... 0x9f] = CONTINUE | TO(AFTER_ED, WANT_1) | TO(AFTER_F0, WANT_2),
    [0xa0 ... 0xbf] = CONTINUE | TO(AFTER_E0, WANT_1) | TO(AFTER_F0, WANT_2),
    [0xc2 ... 0xdf] = TO(READY, WANT_1),
    [0xe0] = TO(READY, AFTER_E0),
    [0xe1 ... 0xec] = TO(READY, WANT_2),
    [0xed] = TO(READY, AFTER_ED),
    [0xee ... 0xef] = TO(READY, WANT_2),
    [0xf0] = TO(READY, AFTER_F0),
    [0xf1 ... 0xf3] = TO(READY, WANT_3),
    [0xf4] = TO(READY, AFTER_F4),
};

static inline unsigned step(unsigned state, char byte)
{
    return (unsigned)(rows[(unsigned char)byte] >> state) & 63;
}

static inline bool is_ascii_32(const char *bytes)
{
    uint64_t words[4];
    memcpy(words, bytes, sizeof words);
    return ((words[0] | words[1] | words[2] | words[3]) & 0x8080808080808080ull) == 0;
}

static inline bool is_ascii_8(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return (word & 0x8080808080808080ull) == 0;
}

size_t utf8_ascii_length(struct hv_str s)
{
    typedef uint64_t vector __attribute__((vector_size(16)));
    enum { ROUND = 8 };
    vector pieces[ROUND];
    size_t i = 0;
    for (; s.len - i >= sizeof pieces; i += sizeof pieces) {
        memcpy(pieces, s.ptr + i, sizeof pieces);
        vector high =
            ((pieces[0] | pieces[1]) | (pieces[2] | pieces[3])) | ((pieces[4] | pieces[5]) | (pieces[6] | pieces[7]));
        if ((high[0] | high[1]) & 0x8080808080808080ull)
            break;
    }
    while (s.len - i >= 8 && is_ascii_8(s.ptr + i))
        i += 8;
    while (i < s.len && (unsigned char)s.ptr[i] < 0x80)
        i++;
    return i;
}

bool utf8_is_ascii(struct hv_str s)
{
    return utf8_ascii_length(s) == s.len;
}

size_t utf8_next_invalid(struct hv_str s, size_t from)
{
    unsigned state = READY;
    size_t i = from, boundary = from; /* boundary: everything before it is well-formed */
    while (i < s.len) {
        if (state == READY) {
            while (s.len - i >= 32 && is_ascii_32(s.ptr + i))
                i += 32;
            while (s.len - i >= 8 && is_ascii_8(s.ptr + i))
                i += 8;
            boundary = i;
        }
        /* Some bytes through the machine before asking again whether a whole word is ASCII. */
        for (size_t stop = s.len - i > 16 ? i + 16 : s.len; i < stop; i++)
            state = step(state, s.ptr[i]);
        if (state == REFUSED)
            break;
    }
    if (state == READY)
        return SIZE_MAX;
    uint32_t code_point = 0;
    for (size_t length; boundary < s.len; boundary += length) {
        length = utf8_decode(s, boundary, &code_point);
        if (code_point == UTF8_INVALID)
            return boundary;
    }
    return SIZE_MAX;
}

bool utf8_valid(struct hv_str s)
{
    return utf8_next_invalid(s, 0) == SIZE_MAX;
}

size_t utf8_decode(struct hv_str s, size_t at, uint32_t *code_point)
{
    static const unsigned char lead_mask[5] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    unsigned state = step(READY, s.ptr[at]);
    size_t length = 1;
    while (state != READY && state != REFUSED && at + length < s.len) {
        unsigned next = step(state, s.ptr[at + length]);
        if (next == REFUSED)
            break;
        state = next;
        length++;
    }
    if (state != READY) {
        *code_point = UTF8_INVALID;
        return length;
    }
    uint32_t value = (unsigned char)s.ptr[at] & lead_mask[length];
    for (size_t i = 1; i < length; i++)
        value = value << 6 | ((unsigned char)s.ptr[at + i] & 0x3f);
    *code_point = value;
    return length;
}

size_t utf8_count(struct hv_str s)
{
    size_t count = 0;
    for (size_t i = 0; i < s.len; i++)
        count += ((unsigned char)s.ptr[i] & 0xc0) != 0x80;
    return count;
}

size_t utf8_encode(char out[4], uint32_t code_point)
{
    if (code_point > 0x10ffff || (code_point >= 0xd800 && code_point < 0xe000))
        code_point = 0xfffd;
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        return 1;
    }
    size_t length = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, code_point >>= 6)
        out[i] = (char)(0x80 | (code_point & 0x3f));
    out[0] = (char)((0xf00 >> length & 0xf0) | code_point);
    return length;
}

size_t utf8_incomplete_tail(struct hv_str s)
{
    for (size_t back = 1; back <= 3 && back <= s.len; back++) {
        unsigned char byte = (unsigned char)s.ptr[s.len - back];
        if ((byte & 0xc0) == 0x80)
            continue;
        unsigned state = READY;
        for (size_t i = s.len - back; i < s.len; i++)
            state = step(state, s.ptr[i]);
        return state == READY || state == REFUSED ? 0 : back;
    }
    return 0;
}

void utf8_repair(struct hv_buf *buf, struct hv_str text)
{
    size_t from = 0;
    if (text.len == 0)
        return;
    for (size_t bad; (bad = utf8_next_invalid(text, from)) != SIZE_MAX;) {
        uint32_t code_point;
        hv_buf_add(buf, text.ptr + from, bad - from);
        hv_buf_add_str(buf, HV_STR(UTF8_REPLACEMENT));
        from = bad + utf8_decode(text, bad, &code_point);
    }
    hv_buf_add(buf, text.ptr + from, text.len - from);
}
