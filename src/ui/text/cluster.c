/* cluster.c: see cluster.h. */
#include "ui/text/cluster.h"

#include <utf8proc.h>

#include "base/utf8.h"

enum { VARIATION_16 = 0xfe0f, REGIONAL_FIRST = 0x1f1e6, REGIONAL_LAST = 0x1f1ff, CLUSTER_LINE_MAX = 4096 };

static unsigned rune_width(uint32_t rune)
{
    /* The vowels and finals of Hangul join the syllable before them. */
    if (rune >= 0x1160 && rune <= 0x11ff)
        return 0;
    int width = utf8proc_charwidth((utf8proc_int32_t)rune);
    return width > 0 ? (unsigned)width : 0;
}

size_t cluster_next(struct hv_str text, size_t at, unsigned *width)
{
    uint32_t rune, next;
    size_t len = utf8_decode(text, at, &rune);
    if (rune == UTF8_INVALID) {
        *width = 1;
        return 1;
    }
    if (rune < 0x80 && (at + len >= text.len || (unsigned char)text.ptr[at + len] < 0x80)) {
        *width = rune >= 0x20 && rune != 0x7f;
        return len;
    }
    utf8proc_int32_t state = 0;
    bool regional = false;
    *width = rune_width(rune);
    while (at + len < text.len) {
        size_t more = utf8_decode(text, at + len, &next);
        if (next == UTF8_INVALID ||
            utf8proc_grapheme_break_stateful((utf8proc_int32_t)rune, (utf8proc_int32_t)next, &state))
            break;
        unsigned wide = next == VARIATION_16 ? 2 : rune_width(next);
        regional = regional || (rune >= REGIONAL_FIRST && rune <= REGIONAL_LAST);
        *width = wide > *width ? wide : *width;
        len += more;
        rune = next;
    }
    if (regional)
        *width = 2;
    return len;
}

size_t cluster_before(struct hv_str text, size_t at)
{
    /* Clusters can only be told from their beginning: a newline is always one, and no line is that long. */
    size_t from = at > CLUSTER_LINE_MAX ? at - CLUSTER_LINE_MAX : 0;
    while (from > 0 && from < at && ((unsigned char)text.ptr[from] & 0xc0) == 0x80)
        from++;
    size_t newline = hv_str_rfind_byte(hv_str_slice(text, from, at - 1), '\n');
    size_t start = newline == SIZE_MAX ? from : from + newline + 1;
    while (start < at) {
        unsigned width;
        size_t len = cluster_next(text, start, &width);
        if (start + len >= at)
            break;
        start += len;
    }
    return start;
}

size_t cluster_width(struct hv_str text)
{
    size_t cells = 0;
    unsigned width;
    for (size_t at = 0; at < text.len; cells += width)
        at += cluster_next(text, at, &width);
    return cells;
}
