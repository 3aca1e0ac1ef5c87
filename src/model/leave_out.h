/*
 * leave_out.h: what a server refused, and how a conversation goes on without it. Inner to src/model but for the names.
 *
 * A refusal that names a piece of the history would come again with each request: the same request is sent once more
 * without such pieces, and they are left out from then on. Requests are changed on the wire, so that nothing has to be
 * kept in another form for the case that never comes; the history itself stays whole.
 */
#ifndef MODEL_LEAVE_OUT_H
#define MODEL_LEAVE_OUT_H

#include "model/model.h"

/* What is left out: bits. */
enum {
    LEAVE_THINKING = 1 << 0,        /* signed thinking of another model, or of another time */
    LEAVE_ENCRYPTED = 1 << 1,       /* reasoning items that only their maker can read */
    LEAVE_REASONING = 1 << 2,       /* reasoning in members of messages */
    LEAVE_PICTURES = 1 << 3,        /* a text stands for each */
    LEAVE_USER_AFTER_TOOL = 1 << 4, /* a short message of the assistant is put between */
    LEAVE_STREAM_OPTIONS = 1 << 5,  /* options from here on */
    LEAVE_EFFORT = 1 << 6,
    LEAVE_EAGER_INPUT = 1 << 7,
    LEAVE_CACHE_MARKS = 1 << 8,
    LEAVE_SUMMARY = 1 << 9,
    LEAVE_INCLUDE = 1 << 10,
    LEAVE_STORE = 1 << 11,
    LEAVE_STRICT = 1 << 12,
};

/* What the words of a refusal name, as one bit, or 0; have: the request's bytes, which must hold it. */
unsigned leave_out_find(int status, struct hv_str words, struct hv_str request);

/* "thinking", "pictures", … of one bit. */
const char *leave_out_name(unsigned bit);
/* The bits of a list of names with commas between; unknown ones are passed over. */
unsigned leave_out_from_names(struct hv_str names);

/* Write the objects of one message on the wire, commas between them, without what the bits name. objects: the same with
 * it. They must be JSON. */
void leave_out_copy(struct hv_buf *out, struct hv_str objects, unsigned bits);

#endif
