/*
 * front_matter.h: the fields that a Markdown file begins with, between two lines "---". Pure; any thread.
 *
 * Read as people write them, which YAML would refuse in part: "name: the rest of the line", also with colons and "@" in
 * it; quoted values; "[a, b]" and lines "- a" (a list is its items with ", " between); "|" and ">" blocks. Deeper
 * structure is passed over. Nothing is executed, no alias is followed.
 */
#ifndef TEXT_FRONT_MATTER_H
#define TEXT_FRONT_MATTER_H

#include <helve/str.h>

enum { FRONT_MATTER_FIELDS_MAX = 64, FRONT_MATTER_MAX = 64 << 10 };

struct front_matter_field {
    struct hv_str name, value;
};

struct front_matter {
    struct front_matter_field fields[FRONT_MATTER_FIELDS_MAX];
    size_t count;
    struct hv_str body;  /* what follows; a view of the text */
    const char *fault;   /* NULL: all was read. Else what is wrong, a literal … */
    unsigned fault_line; /* … and where, from 1 */
};

/* Read the beginning of a text. Without front matter all of it is body. A fault leaves the fields that were read and,
 * where the end of the front matter is known, its body; else the body is empty. Texts in arena, or views. */
void front_matter_read(struct hv_arena *arena, struct hv_str text, struct front_matter *out);
/* The value of a field; absent: there is none. */
struct hv_str front_matter_get(const struct front_matter *matter, const char *name);

#endif
