/* wildcard.h: patterns in which '*' stands for any bytes, and every other byte for itself. Pure. */
#ifndef BASE_WILDCARD_H
#define BASE_WILDCARD_H

#include <helve/str.h>

/* All of text fits the pattern; any_case: letters of ASCII in either case. Goes back to the last star only: linear in
 * most, never worse than the product of both lengths. */
bool wildcard_matches(struct hv_str pattern, struct hv_str text, bool any_case);

#endif
