/*
 * find_streams.h: counting the lines that hold a match without looking at any line: where bytes of a class stand is a
 * stream of bits, and so is where a match may have come to. One step of the pattern takes each 64 places on at once
 * with an `and` and a shift, a repetition of a class with a sum, whose carries run along the repeated bytes. For
 * patterns that are regular (find_regular.h), where only classes repeat without end, and texts of ASCII. Its time does
 * not depend on what stands in the text. Pure; a struct find_streams is immutable and shared between threads.
 */
#ifndef TEXT_FIND_STREAMS_H
#define TEXT_FIND_STREAMS_H

#include "text/find_regular.h"

struct find_streams;

/*
 * NULL: the pattern cannot be done so, takes too many steps, or this machine has no vectors. without: FIND_SCAN_NO_…,
 * for tests. Takes microseconds.
 */
struct find_streams *find_streams_new(const struct find_regular *regular, unsigned without);
void find_streams_free(struct find_streams *streams); /* NULL is fine */

/* How many lines of a text, which is all ASCII and begins where a line does, hold a match; up to max (0: any number).
 */
size_t find_streams_count(const struct find_streams *streams, struct hv_str text, size_t max);

/* How many operations it does for each block: for people who debug. */
unsigned find_streams_steps(const struct find_streams *streams);

/* What a byte of text costs, whatever it is, in cycles of a processor, more or less. */
double find_streams_cost(const struct find_streams *streams);

#endif
