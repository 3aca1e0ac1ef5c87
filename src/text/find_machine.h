/*
 * find_machine.h: a pattern as a machine of few states that reads a line byte by byte, each once, and knows as early as
 * can be whether there is a match in it; where the match is, it does not know. For patterns that are regular
 * (find_regular.h) and lines of ASCII; all others are for PCRE2. Pure; a struct find_machine is immutable and shared
 * between threads.
 */
#ifndef TEXT_FIND_MACHINE_H
#define TEXT_FIND_MACHINE_H

#include "text/find_regular.h"

struct find_machine;

/* NULL: the pattern takes too many states. Takes microseconds. */
struct find_machine *find_machine_new(const struct find_regular *regular);
void find_machine_free(struct find_machine *machine); /* NULL is fine */

enum find_answer {
    FIND_ANSWER_NO,
    FIND_ANSWER_YES,
    FIND_ANSWER_OPEN, /* there is something beyond ASCII that may matter */
};

/*
 * Is there a match in the line that begins at *at, which is inside text? *at becomes a place in that line, its "\n" at
 * most: what comes before it need not be read to find the end.
 */
enum find_answer find_machine_read(const struct find_machine *machine, struct hv_str text, size_t *at);

/* How many states it has: for people who debug. */
unsigned find_machine_states(const struct find_machine *machine);

#endif
