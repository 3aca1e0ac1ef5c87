/* find_common.c: see find_common.h. */
#include "text/find_common.h"

#include <math.h>
#include <string.h>

/* -8 × log2 of each byte's share in some 120 MB of C, C++, Python, Perl and documentation. */
static const unsigned char rarity[256] = {
    160, 160, 160, 160, 160, 160, 160, 160, 160, 65,  44,  160, 153, 160, 160, 160, 160, 160, 160, 160, 160, 160,
    160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 23,  100, 62,  61,  112, 110, 82,  82,  52,  52,  50,  94,
    54,  57,  61,  52,  59,  63,  68,  74,  78,  69,  78,  85,  78,  71,  70,  62,  58,  66,  58,  117, 89,  54,
    66,  53,  61,  49,  63,  64,  72,  53,  89,  70,  53,  62,  53,  53,  55,  91,  53,  46,  51,  65,  70,  81,
    64,  74,  93,  89,  81,  89,  122, 36,  91,  40,  58,  43,  44,  32,  48,  55,  50,  39,  78,  56,  44,  52,
    38,  41,  47,  84,  41,  37,  36,  50,  60,  65,  61,  56,  79,  79,  93,  79,  119, 160, 124, 160, 147, 160,
    160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 122, 160, 160, 160, 160, 156,
    160, 160, 144, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 148, 160, 160, 160, 160, 160, 160,
    160, 160, 160, 160, 160, 160, 158, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 145, 153, 160, 160,
    160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160,
    160, 160, 160, 160, 160, 160, 120, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160,
    160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160, 160,
};

/*
 * The words of five letters and more that stand most often in C, Python, JavaScript and Perl: -log2 of their share per
 * byte in that one of these where it is largest (the sources of Linux 6, Python 3.11, npm and Perl 5.36).
 */
static const struct common {
    const char *word;
    double rarity;
} commons[] = {
    {"struct", 8.3},   {"const", 8.7},     {"return", 9.0},     {"define", 9.1},   {"assert", 9.2},
    {"static", 9.9},   {"function", 10.6}, {"length", 10.6},    {"class", 10.7},   {"component", 10.7},
    {"value", 10.7},   {"import", 10.8},   {"options", 10.8},   {"export", 10.8},  {"require", 10.9},
    {"include", 11.0}, {"raise", 11.2},    {"false", 11.3},     {"break", 11.4},   {"unsigned", 11.4},
    {"throw", 11.4},   {"flags", 11.6},    {"undefined", 11.6}, {"device", 11.6},  {"object", 11.6},
    {"shift", 11.6},   {"sizeof", 11.7},   {"check", 11.7},     {"linux", 11.7},   {"Object", 11.7},
    {"typeof", 11.8},  {"entry", 11.8},    {"module", 11.8},    {"except", 11.8},  {"False", 11.8},
    {"state", 11.8},   {"string", 11.9},   {"error", 11.9},     {"SHIFT", 11.9},   {"extern", 12.0},
    {"param", 12.0},   {"status", 12.0},   {"index", 12.0},     {"other", 12.1},   {"version", 12.1},
    {"message", 12.1}, {"stream", 12.1},   {"result", 12.1},    {"request", 12.2}, {"append", 12.2},
    {"await", 12.2},   {"default", 12.2},  {"package", 12.3},   {"public", 11.5},  {"private", 12.0},
    {"print", 12.0},   {"while", 12.4},    {"char", 11.8},      {"NULL", 10.8},    {"this", 7.6},
    {"self", 7.2},
};

double find_common_class(const struct find_class *class)
{
    double share = 1e-7;
    for (unsigned word = 0; word < 4; word++)
        for (uint64_t bits = class->bits[word]; bits; bits &= bits - 1)
            share += exp2(rarity[word * 64 + (unsigned)__builtin_ctzll(bits)] / -8.0);
    return share < 1 ? log2(share) : 0;
}

static bool stands_at(const struct find_facts *facts, const struct find_sequence *sequence, unsigned at,
                      const char *word, unsigned len)
{
    for (unsigned i = 0; i < len; i++)
        if (!find_class_has(&facts->classes[sequence->at[at + i]], (unsigned char)word[i]))
            return false;
    return true;
}

/* The share of these places (a bit each), taken by themselves. */
static double alone(const struct find_facts *facts, const struct find_sequence *sequence, uint32_t places)
{
    double share = 0;
    for (; places; places &= places - 1)
        share += facts->shares[sequence->at[__builtin_ctz(places)]];
    return share;
}

static uint32_t places_of(unsigned from, unsigned len)
{
    return len ? UINT32_MAX >> (FIND_SEQUENCE_MAX - len) << from : 0;
}

void find_common_words(const struct find_facts *facts, const struct find_sequence *sequence,
                       struct find_common_words *words)
{
    words->count = 0;
    for (size_t i = 0; i < sizeof commons / sizeof *commons; i++) {
        unsigned len = (unsigned)strlen(commons[i].word);
        for (unsigned at = 0; at + len <= sequence->len && words->count < FIND_COMMON_WORDS_MAX; at++)
            if (stands_at(facts, sequence, at, commons[i].word, len))
                words->items[words->count++] =
                    (struct find_common_word){.places = places_of(at, len), .share = -commons[i].rarity};
    }
}

double find_common_places(const struct find_facts *facts, const struct find_sequence *sequence,
                          const struct find_common_words *words, uint32_t places)
{
    double share = alone(facts, sequence, places);
    for (unsigned i = 0; i < words->count; i++) {
        if (!(words->items[i].places & places))
            continue;
        /* A part of the word is as common as the word; what stands around it, taken byte by byte, less so. */
        double with_word = words->items[i].share + alone(facts, sequence, places & ~words->items[i].places);
        share = share > with_word ? share : with_word;
    }
    return share;
}

double find_common_share(const struct find_facts *facts, const struct find_sequence *sequence, unsigned from,
                         unsigned len)
{
    struct find_common_words words;
    find_common_words(facts, sequence, &words);
    return find_common_places(facts, sequence, &words, places_of(from, len));
}
