/*
 * find_engine.h: what a compiled pattern is made of, for the two halves of the matcher: find_compile.c chooses,
 * find.c searches.
 */
#ifndef TEXT_FIND_ENGINE_H
#define TEXT_FIND_ENGINE_H

#include "text/find.h"
#include "text/find_machine.h"
#include "text/find_scan.h"
#include "text/find_streams.h"

#include <pcre2.h> /* whoever includes this says for how wide characters */

enum engine { ENGINE_LITERAL, ENGINE_SCAN, ENGINE_MACHINE, ENGINE_WINDOWS, ENGINE_LINES };

struct find {
    struct find_options options;
    enum engine engine;
    struct find_scan *scan;       /* may be NULL */
    struct find_machine *machine; /* may be NULL */
    struct find_streams *streams; /* to count with; may be NULL */
    bool counts_by_streams;       /* always, else where lines to look at are less than `apart` bytes apart */
    size_t apart;
    struct hv_buf literal; /* ENGINE_LITERAL; of small letters when case is ignored */
    size_t part, lead;     /* where in literal the part begins that the scanner finds, after `lead` other bytes */
    bool is_whole;         /* what the scanner finds is the literal, and all of it */
    bool is_ascii;         /* what the scanner finds is, so that any text holds it in the same bytes */
    bool beyond_ascii;     /* what the scanner finds never is, so that no text of ASCII alone holds it */
    pcre2_code *code;      /* the other engines */
    bool ends_at_newline;
    bool in_one_go; /* the pattern speaks of where a search begins or ends: it cannot be begun anew on the way */
};

static inline char find_small(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte;
}

#endif
