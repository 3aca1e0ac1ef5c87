/*
 * find_lack.h: what a text lacks that was ruled out for a pattern (find_rules_out), for whoever remembers that: the
 * same text need not be looked at for another pattern whose matches all contain it. Pure; immutable and shared by
 * threads.
 */
#ifndef TEXT_FIND_LACK_H
#define TEXT_FIND_LACK_H

#include "text/find.h"

struct find_lack;

/* What texts lack that are ruled out for the pattern; NULL: none ever is. Lives on without it; free with
 * find_lack_free. */
struct find_lack *find_lack_new(const struct find *find);
void find_lack_free(struct find_lack *lack); /* NULL is fine */

/* Does no text that lacks it hold a match of the pattern? False when in doubt. */
bool find_lack_rules_out(const struct find_lack *lack, const struct find *find);

/* Do they say the same? */
bool find_lack_equals(const struct find_lack *a, const struct find_lack *b);

#endif
