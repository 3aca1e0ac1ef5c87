/* edit_fold.c: see edit_fold.h. */
#include "text/edit_fold.h"

#include <string.h>

static const struct quote {
    unsigned char utf8_last; /* after e2 80 */
    unsigned char windows;   /* 0: not in windows-1252 */
    char straight;
} quotes[] = {
    {0x98, 0x91, '\''}, {0x99, 0x92, '\''}, {0x9a, 0x82, '\''}, {0x9b, 0, '\''}, {0xb2, 0, '\''}, {0xb5, 0, '\''},
    {0x9c, 0x93, '"'},  {0x9d, 0x94, '"'},  {0x9e, 0x84, '"'},  {0x9f, 0, '"'},  {0xb3, 0, '"'},  {0xb6, 0, '"'},
};

char fold_quote(struct hv_str text, size_t at, unsigned flags, size_t *len)
{
    unsigned char byte = (unsigned char)text.ptr[at];
    *len = 1;
    if (byte == '\'' || byte == '"')
        return (char)byte;
    bool utf8 = (flags & FOLD_QUOTES) && byte == 0xe2 && text.len - at >= 3 && (unsigned char)text.ptr[at + 1] == 0x80;
    if (!utf8 && !((flags & FOLD_QUOTES_8BIT) && byte >= 0x80))
        return 0;
    for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++) {
        if (utf8 ? quotes[i].utf8_last == (unsigned char)text.ptr[at + 2] : quotes[i].windows == byte) {
            *len = utf8 ? 3 : 1;
            return quotes[i].straight;
        }
    }
    return 0;
}

/* Offset of the next byte at or after `at` that may begin something to fold; the length when there is none. */
static size_t next_candidate(struct hv_str text, size_t at, unsigned flags)
{
    if (flags == FOLD_LINE_ENDS) {
        const char *found = at < text.len ? memchr(text.ptr + at, '\r', text.len - at) : NULL;
        return found ? (size_t)(found - text.ptr) : text.len;
    }
    for (; at < text.len; at++) {
        unsigned char byte = (unsigned char)text.ptr[at];
        if (byte == '\r' || byte == 0xe2 || (byte >= 0x82 && byte <= 0x94))
            break;
    }
    return at;
}

/* What stands at text[at]: its folded byte and length when it is to be folded, 0 when it stays. */
static char fold_at(struct hv_str text, size_t at, unsigned flags, size_t *len)
{
    if (text.ptr[at] == '\r' && (flags & FOLD_LINE_ENDS) && at + 1 < text.len && text.ptr[at + 1] == '\n') {
        *len = 2;
        return '\n';
    }
    return flags & (FOLD_QUOTES | FOLD_QUOTES_8BIT) ? fold_quote(text, at, flags, len) : 0;
}

struct hv_str fold_text(struct hv_str text, unsigned flags, char **owned)
{
    *owned = NULL;
    size_t at = flags ? next_candidate(text, 0, flags) : text.len;
    if (at == text.len)
        return text;
    char *out = *owned = hv_malloc(text.len);
    size_t from = 0, used = 0;
    for (; at < text.len; at = next_candidate(text, at, flags)) {
        size_t len = 1;
        char folded = fold_at(text, at, flags, &len);
        if (folded) {
            memcpy(out + used, text.ptr + from, at - from);
            used += at - from;
            out[used++] = folded;
            from = at + len;
        }
        at += folded ? len : 1;
    }
    memcpy(out + used, text.ptr + from, text.len - from);
    return hv_str_of(out, used + text.len - from);
}

void fold_walk_to(struct fold_walk *walk, struct hv_str text, unsigned flags, size_t target)
{
    while (walk->folded < target) {
        size_t plain = (flags ? next_candidate(text, walk->origin, flags) : text.len) - walk->origin;
        if (plain > target - walk->folded)
            plain = target - walk->folded;
        walk->origin += plain;
        walk->folded += plain;
        if (walk->folded == target || walk->origin >= text.len)
            return;
        size_t len = 1;
        if (!fold_at(text, walk->origin, flags, &len))
            len = 1;
        walk->origin += len;
        walk->folded++;
    }
}
