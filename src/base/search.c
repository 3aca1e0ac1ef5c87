/*
 * search.c: hv_str_find. Two bytes of the needle are compared with many places of the text at once. Which two is
 * learnt on the way: where a place turns out not to match, the byte that told so becomes one of them, so that what
 * every line of a text has in common costs nothing. A text that misleads it for long is left to memmem, whose worst
 * case is good.
 */
#include <helve/str.h>
#include <string.h>

typedef uint8_t byte_vector __attribute__((vector_size(16)));

enum { VECTOR = sizeof(byte_vector), STRIDE = 4 * VECTOR, WORTH_IT = 256, PATIENCE = 4096 };

struct search {
    struct hv_str text, needle;
    size_t pair[2]; /* places in the needle */
    size_t turn;    /* which of them is replaced next */
    size_t spent;   /* bytes compared in vain */
};

/* The needle stands at this place; else what has been learnt of it is noted. */
static bool stands_at(struct search *search, size_t at)
{
    const char *text = search->text.ptr + at, *needle = search->needle.ptr;
    size_t same = 0;
    while (same < search->needle.len && text[same] == needle[same])
        same++;
    if (same == search->needle.len)
        return true;
    search->spent += same;
    if (same != search->pair[0] && same != search->pair[1]) {
        search->pair[search->turn] = same;
        search->turn ^= 1;
    }
    return false;
}

/* What is looked for: the two bytes, each in all lanes, and where they are compared. */
struct pattern {
    byte_vector bytes[2];
    const char *from[2]; /* of the text, moved by the places of the two in the needle */
};

static struct pattern pattern_of(const struct search *search)
{
    struct pattern pattern;
    for (size_t i = 0; i < 2; i++) {
        memset(&pattern.bytes[i], search->needle.ptr[search->pair[i]], VECTOR);
        pattern.from[i] = search->text.ptr + search->pair[i];
    }
    return pattern;
}

/* In which of the sixteen places from `at` on both bytes stand. */
static inline byte_vector compare(const struct pattern *pattern, size_t at)
{
    byte_vector here[2];
    memcpy(&here[0], pattern->from[0] + at, VECTOR);
    memcpy(&here[1], pattern->from[1] + at, VECTOR);
    return (byte_vector)((here[0] == pattern->bytes[0]) & (here[1] == pattern->bytes[1]));
}

static inline bool is_zero(byte_vector lanes)
{
    uint64_t words[2];
    memcpy(words, &lanes, sizeof words);
    return (words[0] | words[1]) == 0;
}

/* The first of the STRIDE places from `at` on where the needle stands. */
static size_t look_closer(struct search *search, const byte_vector found[STRIDE / VECTOR], size_t at)
{
    for (size_t i = 0; i < STRIDE / VECTOR; i++)
        for (size_t lane = 0; lane < VECTOR && !is_zero(found[i]); lane++)
            if (found[i][lane] && stands_at(search, at + i * VECTOR + lane))
                return at + i * VECTOR + lane;
    return SIZE_MAX;
}

/* The first place in [from, last] by vectors; *from is where it gave up, at the latest where no stride fits. */
static size_t find_by_vectors(struct search *search, size_t *from, size_t last)
{
    size_t at = *from, hit = SIZE_MAX;
    struct pattern pattern = pattern_of(search);
    byte_vector found[STRIDE / VECTOR];
    for (; at + STRIDE <= last + 1; at += STRIDE) {
        for (size_t i = 0; i < STRIDE / VECTOR; i++)
            found[i] = compare(&pattern, at + i * VECTOR);
        if (is_zero(found[0] | found[1] | found[2] | found[3]))
            continue;
        hit = look_closer(search, found, at);
        if (hit != SIZE_MAX)
            break;
        if (search->spent > PATIENCE + (at - *from) / 2) {
            at += STRIDE;
            break;
        }
        pattern = pattern_of(search);
    }
    *from = at;
    return hit;
}

size_t hv_str_find(struct hv_str s, struct hv_str needle, size_t from)
{
    if (from > s.len)
        return SIZE_MAX;
    if (needle.len == 0)
        return from;
    if (s.len - from < needle.len)
        return SIZE_MAX;
    if (needle.len > 1 && s.len - from >= WORTH_IT) {
        struct search search = {.text = s, .needle = needle, .pair = {0, needle.len - 1}};
        size_t at = find_by_vectors(&search, &from, s.len - needle.len);
        if (at != SIZE_MAX)
            return at;
    }
    const char *hit = memmem(s.ptr + from, s.len - from, needle.ptr, needle.len);
    return hit ? (size_t)(hit - s.ptr) : SIZE_MAX;
}
