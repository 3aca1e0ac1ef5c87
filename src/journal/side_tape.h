/*
 * side_tape.h: the answers to side requests that a journal holds, to give them again: in `helve replay`, which has no
 * model, and where the journal itself is the model. Answers are known by purpose and question, not by the material:
 * a page of the web may have changed since.
 */
#ifndef JOURNAL_SIDE_TAPE_H
#define JOURNAL_SIDE_TAPE_H

#include <helve/event.h>

struct side_tape;

/* A recorded answer. Views are valid until side_tape_close. */
struct side_record {
    bool ok;
    struct hv_str text;   /* the answer, or why there was none */
    struct hv_str blocks; /* JSON array of content blocks, or absent */
    size_t left_out;      /* bytes at the end of the material that the model did not get */
};

/* Read a journal's. Blocks on the file. Errors as journal_reader_open. Free with side_tape_close. */
enum hv_code side_tape_open(struct hv_str path, struct side_tape **out, struct hv_error *err) HV_MUST_CHECK;
void side_tape_close(struct side_tape *tape); /* NULL is fine */
/* The first one of this purpose and question that was not yet given. False: there is none. Any thread. */
bool side_tape_take(struct side_tape *tape, struct hv_str purpose, struct hv_str question, struct side_record *out);
size_t side_tape_count(const struct side_tape *tape); /* of all answers, given or not */

#endif
