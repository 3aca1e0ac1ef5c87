/*
 * named_places.h: directories that a script names. Where the reader cannot tell in which directory a command runs (cd
 * "$x", a function that goes elsewhere, code in an argument), it may be one of these: enough for a question, never for
 * a permission. Pure.
 */
#ifndef SHELL_NAMED_PLACES_H
#define SHELL_NAMED_PLACES_H

#include "shell/script.h"

enum { SHELL_NAMED_PLACES_MAX = 64 };

struct shell_named_places {
    const struct hv_str *items; /* absolute and tidy, no two the same */
    size_t count;
};

/* Each absolute path of the script, "~" included, and what it lies in; in quotes, in code, as the beginning of a word
 * that is not known. Up to the bound, in the order of the text. In arena; home may be absent. */
void shell_find_named_places(struct hv_arena *arena, const struct shell_script *script, struct hv_str text,
                             struct hv_str home, struct shell_named_places *out);

#endif
