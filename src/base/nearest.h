/* nearest.h: "did you mean": the known name that a wrong one was probably meant to be. Pure. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <helve/str.h>

enum { NEAREST_NAME_MAX = 64 }; /* longer names are never near anything */

/*
 * The name nearest to wanted, or the absent view when none is near enough to be worth suggesting. Distance counts
 * inserted, deleted, changed and swapped neighbouring characters; letter case and the separators '-', '_', '.' and
 * blank count nearly nothing ("filePath" is near "file_path"); a shorter name that is a whole word of the longer one
 * counts as near when nothing else is. Of equally near names the first wins. O(count) with a small constant; the
 * result is one of the views in names.
 */
struct hv_str nearest_name(struct hv_str wanted, const struct hv_str *names, size_t count);

#endif
