/*
 * search.c: hv_str_find. Two bytes of the needle are compared with sixteen places of the text at once. Which two is
 * learnt on the way: where a place turns out not to match, the byte that told so becomes one of them, so that what
 * every line of a text has in common costs nothing. A text that misleads it for long is left to memmem, whose worst
 * case is good.
 */
#include <helve/str.h>
#include <string.h>

typedef uint8_t byte_vector __attribute__((vector_size(16)));

enum { VECTOR = sizeof(byte_vector), WORTH_IT = 256, PATIENCE = 4096 };

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

/* Which of the sixteen places from `at` on may be one: a bit in eight of each. */
static bool may_stand(const struct search *search, size_t at, uint64_t found[2])
{
    byte_vector here[2], wanted[2];
    for (size_t i = 0; i < 2; i++) {
        memcpy(&here[i], search->text.ptr + at + search->pair[i], VECTOR);
        memset(&wanted[i], search->needle.ptr[search->pair[i]], VECTOR);
    }
    byte_vector both = (byte_vector)((here[0] == wanted[0]) & (here[1] == wanted[1]));
    memcpy(found, &both, sizeof both);
    return (found[0] | found[1]) != 0;
}

/* The first place in [from, last] by vectors; *from is where it gave up, at the latest where no vector fits. */
static size_t find_by_vectors(struct search *search, size_t *from, size_t last)
{
    size_t at = *from;
    uint64_t found[2];
    for (; at + VECTOR <= last + 1; at += VECTOR) {
        if (!may_stand(search, at, found))
            continue;
        unsigned char bits[VECTOR];
        memcpy(bits, found, sizeof bits);
        for (size_t i = 0; i < VECTOR; i++)
            if (bits[i] && stands_at(search, at + i))
                return at + i;
        if (search->spent > PATIENCE + (at - *from) / 2) {
            at += VECTOR;
            break;
        }
    }
    *from = at;
    return SIZE_MAX;
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
