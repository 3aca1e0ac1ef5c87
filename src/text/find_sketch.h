/*
 * find_sketch.h: which three word characters stand in a row somewhere in a text, as a few bits (about a hundredth of
 * the text), so that most texts that a pattern cannot match are known without being looked at: each match of most
 * patterns contains some word. A sketch errs on one side only: it may take a text for one that could match, never the
 * other way round.
 *
 * Word characters are the letters, digits and the underscore of ASCII, without regard to case; nothing else is kept of
 * a text but whether it is all ASCII. Sketches hold for texts that are searched as UTF-8. Pure.
 */
#ifndef TEXT_FIND_SKETCH_H
#define TEXT_FIND_SKETCH_H

#include "text/find.h"

enum { FIND_SKETCH_MIN = 6, FIND_SKETCH_MAX = 15, FIND_SKETCH_BYTES_MAX = (1 << FIND_SKETCH_MAX) / 8 };

struct find_sketch {
    bool is_ascii;             /* all of the text is */
    unsigned char size;        /* log2 of the number of bits: FIND_SKETCH_MIN to FIND_SKETCH_MAX */
    const unsigned char *bits; /* of find_sketch_bytes() bytes */
};

static inline size_t find_sketch_bytes(unsigned char size)
{
    return ((size_t)1 << size) / 8;
}

/* What makes sketches, one after another. Never NULL. Used by one thread at a time. */
struct find_sketcher;
struct find_sketcher *find_sketcher_new(void);
void find_sketcher_free(struct find_sketcher *sketcher); /* NULL is fine */

/* Begin with a text of about so many bytes, give all of its bytes in any pieces, and take the sketch, which is valid
 * until the next one begins. */
void find_sketcher_begin(struct find_sketcher *sketcher, size_t len);
void find_sketcher_add(struct find_sketcher *sketcher, struct hv_str bytes);
struct find_sketch find_sketcher_end(struct find_sketcher *sketcher);

/* What a pattern asks of sketches. Immutable; lives on without the pattern. */
struct find_ask;
/* NULL: no sketch ever tells anything, as no word of three characters is known that each match contains. */
struct find_ask *find_ask_new(const struct find *find);
void find_ask_free(struct find_ask *ask); /* NULL is fine */

/* Is it certain that no text with this sketch holds a match? */
bool find_ask_rules_out(const struct find_ask *ask, const struct find_sketch *sketch);

#endif
