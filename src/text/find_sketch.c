/*
 * find_sketch.c: see find_sketch.h. Three characters give a number of FIND_SKETCH_MAX bits. While a text is gone
 * through each number has a byte, which takes one store; then as many of its low bits count as leave two bits of the
 * sketch for each number that was seen, or more. The loops over bytes are written for compilers that make vectors of
 * them.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/find_sketch.h"

#include "text/find_engine.h"
#include "text/find_scan_kernel.h"

#include <stdlib.h>

enum {
    GRAM = 3,
    PIECE = 4096,
    NUMBERS = 1 << FIND_SKETCH_MAX,
    NO_NUMBER = NUMBERS, /* not all three are word characters */
    CHOICES_MAX = 16,    /* of numbers that one place of a pattern stands for */
};

struct find_sketcher {
    unsigned char size, above;
    unsigned char codes[GRAM - 1 + PIECE]; /* of the last bytes of the piece before, and of this one */
    uint16_t numbers[PIECE];
    unsigned char seen[NUMBERS + 1];
};

/* A word character as a small letter, digit or underscore; all others give 0. */
static inline unsigned char code_of(unsigned char byte)
{
    unsigned char small = byte | 0x20;
    unsigned char letter = (unsigned char)(small - 'a') < 26 ? 0xff : 0;
    unsigned char digit = (unsigned char)(byte - '0') < 10 ? 0xff : 0;
    unsigned char underscore = byte == '_' ? 0xff : 0;
    return (unsigned char)((small & letter) | (byte & (digit | underscore)));
}

static inline uint16_t number_of(unsigned char first, unsigned char second, unsigned char third)
{
    uint16_t mixed = (uint16_t)(first * 0x9e5u + second * 0x1f35u + third * 0x6a7bu);
    mixed ^= (uint16_t)(mixed >> 7);
    return first && second && third ? mixed & (NUMBERS - 1) : NO_NUMBER;
}

/* ---- making one ------------------------------------------------------------------------------------------------ */

struct find_sketcher *find_sketcher_new(void)
{
    return hv_calloc(1, sizeof(struct find_sketcher));
}

void find_sketcher_free(struct find_sketcher *sketcher)
{
    free(sketcher);
}

/* A text has no more numbers than bytes. */
void find_sketcher_begin(struct find_sketcher *sketcher, size_t len)
{
    sketcher->size = FIND_SKETCH_MIN;
    while (sketcher->size < FIND_SKETCH_MAX && (size_t)1 << sketcher->size < 2 * len)
        sketcher->size++;
    sketcher->above = 0;
    memset(sketcher->codes, 0, GRAM - 1);
    memset(sketcher->seen, 0, (size_t)1 << sketcher->size);
}

static void add_piece(struct find_sketcher *sketcher, const unsigned char *bytes, size_t len)
{
    unsigned char *codes = sketcher->codes, above = 0;
    uint16_t *numbers = sketcher->numbers, low = (uint16_t)((1u << sketcher->size) - 1);
    for (size_t i = 0; i < len; i++) {
        codes[GRAM - 1 + i] = code_of(bytes[i]);
        above |= bytes[i];
    }
    for (size_t i = 0; i < len; i++) {
        uint16_t number = number_of(codes[i], codes[i + 1], codes[i + 2]);
        numbers[i] = number & NO_NUMBER ? NO_NUMBER : number & low;
    }
    for (size_t i = 0; i < len; i++)
        sketcher->seen[numbers[i]] = 1;
    sketcher->above |= above;
    memmove(codes, codes + len, GRAM - 1);
}

void find_sketcher_add(struct find_sketcher *sketcher, struct hv_str bytes)
{
    for (size_t at = 0, len; at < bytes.len; at += len) {
        len = bytes.len - at < PIECE ? bytes.len - at : PIECE;
        add_piece(sketcher, (const unsigned char *)bytes.ptr + at, len);
    }
}

/* Let only the low bits of numbers count, so few that the sketch is not mostly empty. */
static void shrink(struct find_sketcher *sketcher)
{
    unsigned char *seen = sketcher->seen, size = FIND_SKETCH_MIN;
    size_t count = 0, all = (size_t)1 << sketcher->size;
    for (size_t i = 0; i < all; i++)
        count += seen[i];
    while ((size_t)1 << size < 2 * count)
        size++;
    for (; sketcher->size > size; sketcher->size--) {
        size_t half = (size_t)1 << (sketcher->size - 1);
        for (size_t i = 0; i < half; i++)
            seen[i] |= seen[half + i];
    }
}

struct find_sketch find_sketcher_end(struct find_sketcher *sketcher)
{
    unsigned char *seen = sketcher->seen;
    shrink(sketcher);
    for (size_t i = 0; i < find_sketch_bytes(sketcher->size); i++) {
        unsigned char byte = 0;
        for (unsigned bit = 0; bit < 8; bit++)
            byte |= (unsigned char)(seen[8 * i + bit] << bit);
        seen[i] = byte;
    }
    return (struct find_sketch){.is_ascii = sketcher->above < 0x80, .size = sketcher->size, .bits = seen};
}

/* ---- asking ---------------------------------------------------------------------------------------------------- */

/* Where one of the pattern's sequences stands, so does one of the numbers from `first` on. */
struct window {
    uint16_t first;
    unsigned char count;
};

struct find_ask {
    bool beyond_ascii; /* each match holds something that is not ASCII; there are no sequences then */
    unsigned sequences;
    unsigned windows_end[FIND_SEQUENCES_MAX]; /* of each sequence; its first one is the end of those before */
    struct window windows[FIND_SEQUENCES_MAX * FIND_SEQUENCE_MAX];
    uint16_t numbers[FIND_SEQUENCES_MAX * FIND_SEQUENCE_MAX * CHOICES_MAX];
};

/* The codes of the bytes that may stand at a place of a sequence, each once. 0: others may, too, or too many. */
static unsigned codes_at(const struct sequence *sequence, unsigned place, unsigned char codes[CHOICES_MAX])
{
    unsigned count = 0;
    for (unsigned byte = 0; byte < 256; byte++) {
        if (!(sequence->allowed[byte] >> place & 1))
            continue;
        unsigned char code = code_of((unsigned char)byte);
        if (memchr(codes, code, count))
            continue;
        if (!code || count == CHOICES_MAX)
            return 0;
        codes[count++] = code;
    }
    return count;
}

/* The numbers that three places of a sequence stand for; how many: 0 when that cannot be told or is too much. */
static unsigned numbers_at(const struct sequence *sequence, unsigned place, uint16_t *numbers)
{
    unsigned char codes[GRAM][CHOICES_MAX];
    unsigned counts[GRAM], count = 0;
    for (unsigned i = 0; i < GRAM; i++)
        counts[i] = codes_at(sequence, place + i, codes[i]);
    if (counts[0] * counts[1] * counts[2] > CHOICES_MAX)
        return 0;
    for (unsigned i = 0; i < counts[0]; i++)
        for (unsigned k = 0; k < counts[1]; k++)
            for (unsigned l = 0; l < counts[2]; l++)
                numbers[count++] = number_of(codes[0][i], codes[1][k], codes[2][l]);
    return count;
}

/* False when no window of the sequence is known. */
static bool add_sequence(struct find_ask *ask, const struct sequence *sequence)
{
    unsigned begin = ask->sequences ? ask->windows_end[ask->sequences - 1] : 0, end = begin;
    uint16_t first = begin ? (uint16_t)(ask->windows[begin - 1].first + ask->windows[begin - 1].count) : 0;
    for (unsigned place = 0; place + GRAM <= sequence->len; place++) {
        unsigned count = numbers_at(sequence, place, ask->numbers + first);
        if (!count)
            continue;
        ask->windows[end++] = (struct window){.first = first, .count = (unsigned char)count};
        first = (uint16_t)(first + count);
    }
    ask->windows_end[ask->sequences++] = end;
    return end > begin;
}

struct find_ask *find_ask_new(const struct find *find)
{
    const struct find_scan *scan = find->scan;
    if (!scan)
        return NULL;
    struct find_ask *ask = hv_calloc(1, sizeof *ask);
    bool tells = ask->beyond_ascii = find->beyond_ascii;
    for (unsigned i = 0; i < scan->count && !ask->beyond_ascii; i++) {
        tells = add_sequence(ask, &scan->sequences[i]);
        if (!tells)
            break;
    }
    if (tells)
        return ask;
    free(ask);
    return NULL;
}

void find_ask_free(struct find_ask *ask)
{
    free(ask);
}

static bool holds_any(const struct find_sketch *sketch, const uint16_t *numbers, unsigned count)
{
    unsigned low = (1u << sketch->size) - 1;
    for (unsigned i = 0; i < count; i++) {
        unsigned number = numbers[i] & low;
        if (sketch->bits[number / 8] >> number % 8 & 1)
            return true;
    }
    return false;
}

/* May the sequence whose windows these are stand in the text? */
static bool may_stand(const struct find_ask *ask, unsigned from, unsigned end, const struct find_sketch *sketch)
{
    for (; from < end; from++)
        if (!holds_any(sketch, ask->numbers + ask->windows[from].first, ask->windows[from].count))
            return false;
    return true;
}

bool find_ask_rules_out(const struct find_ask *ask, const struct find_sketch *sketch)
{
    if (ask->beyond_ascii)
        return sketch->is_ascii;
    for (unsigned i = 0; i < ask->sequences; i++)
        if (may_stand(ask, i ? ask->windows_end[i - 1] : 0, ask->windows_end[i], sketch))
            return false;
    return true;
}
