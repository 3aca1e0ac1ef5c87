/* wildcard.c: see wildcard.h. */
#include "base/wildcard.h"

static bool same(char a, char b, bool any_case)
{
    return a == b || (any_case && hv_str_eq_nocase(hv_str_of(&a, 1), hv_str_of(&b, 1)));
}

bool wildcard_matches(struct hv_str pattern, struct hv_str text, bool any_case)
{
    size_t p = 0, t = 0, star = SIZE_MAX, again = 0;
    while (t < text.len) {
        if (p < pattern.len && pattern.ptr[p] == '*') {
            star = p++;
            again = t;
        } else if (p < pattern.len && same(pattern.ptr[p], text.ptr[t], any_case)) {
            p++;
            t++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            t = ++again;
        } else {
            return false;
        }
    }
    while (p < pattern.len && pattern.ptr[p] == '*')
        p++;
    return p == pattern.len;
}
