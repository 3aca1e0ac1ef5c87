/* file_types.h: kinds of files by name ("c", "py", "make"), for Grep. The names are those that ripgrep's users know. */
#ifndef TOOLS_FILE_TYPES_H
#define TOOLS_FILE_TYPES_H

#include <helve/str.h>

/* The type of that name or of one of its short forms; NULL when there is none. Static. */
struct file_type;
const struct file_type *file_type_named(struct hv_str name);
/* A file of that name (its last component) is of the type. */
bool file_type_matches(const struct file_type *type, struct hv_str name);
/* The known type nearest to a wrong one; absent when none is near. */
struct hv_str file_type_nearest(struct hv_str name);

#endif
