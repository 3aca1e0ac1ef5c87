/*
 * resume.h: the conversation of a journal, made valid again.
 *
 * Whatever happened to the session (kill -9 in the middle of a call, a full disk, an interrupt), what comes out can be
 * sent to a model: messages alternate as they must, every tool_use has exactly one tool_result in the next message,
 * results come first. Calls whose results were journalled but whose message was not are put together from their events;
 * calls without a result get one that says that they were interrupted. A call whose id another one before it has gets
 * an id of its own. What was rewound (`helve rewind`) is left out.
 */
#ifndef JOURNAL_RESUME_H
#define JOURNAL_RESUME_H

#include "journal/reader.h"
#include "model/model.h"

struct resumed_message {
    bool assistant;
    struct hv_str content; /* JSON array of blocks */
};

/* What a model's server refused: pictures, signatures (model/leave_out.h); origin says which server and model. */
struct resumed_left_out {
    struct hv_str what, origin;
};

struct resumed {
    struct resumed_message *messages;
    size_t count;
    struct hv_str session_id, directory, model; /* of the last start event; directory also follows state events */
    uint64_t turns;
    double cost;              /* US dollars of all turns, those that were rewound too */
    struct model_usage usage; /* likewise */
    size_t repaired;          /* results that had to be made up or put back */
    const struct resumed_left_out *left_out;
    size_t left_out_count;
    struct journal_faults faults;
};

/* Read a journal to its end. All of *out is in arena. Errors: those of opening it; HV_EINVAL when it holds no event. */
enum hv_code resume_read(struct hv_arena *arena, struct hv_str path, struct resumed *out,
                         struct hv_error *err) HV_MUST_CHECK;
/* The same from an open reader (tests, fuzzing). Never fails. */
void resume_collect(struct hv_arena *arena, struct journal_reader *reader, struct resumed *out);

#endif
