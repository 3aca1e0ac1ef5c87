/* find_lack.c: see find_lack.h. A lack is the scanner that found nothing, or that of bytes beyond ASCII there were
 * none. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/find_lack.h"

#include "text/find_engine.h"

#include <stdlib.h>

struct find_lack {
    struct find_scan *scan; /* nothing of it stands in the text; NULL: the text is all ASCII */
};

struct find_lack *find_lack_new(const struct find *find)
{
    if (!find->beyond_ascii && !find->is_ascii)
        return NULL;
    struct find_lack *lack = hv_calloc(1, sizeof *lack);
    if (!find->beyond_ascii)
        lack->scan = find_scan_copy(find->scan);
    return lack;
}

void find_lack_free(struct find_lack *lack)
{
    if (lack)
        find_scan_free(lack->scan);
    free(lack);
}

bool find_lack_rules_out(const struct find_lack *lack, const struct find *find)
{
    if (find->beyond_ascii || !find->is_ascii)
        return find->beyond_ascii && !lack->scan;
    if (!lack->scan)
        return false;
    /* A scanner may look for a part of a text only, and for another part than the one before. */
    bool is_text = find->engine == ENGINE_LITERAL && !find->options.ignore_case;
    if (is_text && find_scan_next(lack->scan, hv_buf_str(&find->literal), 0) != SIZE_MAX)
        return true;
    return find_scan_covers(lack->scan, find->scan);
}

bool find_lack_equals(const struct find_lack *a, const struct find_lack *b)
{
    if (!a->scan || !b->scan)
        return a->scan == b->scan;
    return find_scan_covers(a->scan, b->scan) && find_scan_covers(b->scan, a->scan);
}
