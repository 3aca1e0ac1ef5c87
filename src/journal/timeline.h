/*
 * timeline.h: what a session changed, read from its journal: the prompts, and for each file what it was before a call
 * changed it and what it was after. `helve rewind` goes back on it (rewind.h).
 *
 * Moments are numbers of events in the order of the journal. A journal never shrinks: what was rewound stays in it, and
 * the rewinding itself is one more change.
 */
#ifndef JOURNAL_TIMELINE_H
#define JOURNAL_TIMELINE_H

#include "fs/image.h"
#include "journal/reader.h"

enum { TIMELINE_NAMED_MAX = 3 };

/* A message that a person typed; its number is its index + 1, and stays. */
struct timeline_prompt {
    uint64_t moment;
    int64_t wall_ms;
    struct hv_str id;            /* as programs know it, or absent */
    struct hv_str title;         /* its first line, cut */
    bool in_conversation;        /* not rewound away */
    size_t unwatched;            /* commands that ran without anybody looking what they change */
    struct hv_str why_unwatched; /* of the last of them, or absent */
    size_t left_out;             /* files that calls of its turn may have changed, and that there was no room for */
    size_t commands;             /* of which nobody knows what they write: the workspace was looked at around them */
    struct hv_str named[TIMELINE_NAMED_MAX]; /* the first of these */
};

/* A folder that is not looked at around commands. */
struct timeline_place {
    struct hv_str path, why;
};

/* One change of one file. */
struct timeline_touch {
    uint64_t moment;             /* when it was kept, before the change */
    size_t prompt;               /* number of the message in whose turn the call began; 0: none */
    struct hv_str call_id, tool; /* tool: absent for what rewinding did */
    struct fs_image before, after;
    bool is_unsure;   /* made while a command ran in the background, and no turn: it may be somebody else's */
    bool is_finished; /* after is known; else the session was cut off in the middle of the call */
};

struct timeline_rewind {
    uint64_t moment, began; /* began: of its first touch, or moment */
    bool code, conversation;
    size_t to;     /* the message that it went back before; 0: it undid another */
    size_t undoes; /* number of that other (index + 1); 0: none */
    bool stands;   /* it was not taken back, or that was taken back in turn */
};

struct timeline {
    struct timeline_prompt *prompts;
    size_t prompt_count;
    struct timeline_touch *touches; /* by moment */
    size_t touch_count;
    struct timeline_rewind *rewinds;
    size_t rewind_count;
    struct timeline_place *places;
    size_t place_count;
    uint64_t end;     /* the moment after the last event */
    uint64_t time_ns; /* of the last event, on the session's clock */
    struct hv_str session_id, directory;
    struct journal_faults faults;
};

/* Read a journal to its end. All of *out is in arena. Errors: those of opening it; HV_ETOOBIG. */
enum hv_code timeline_read(struct hv_arena *arena, struct hv_str path, struct timeline *out,
                           struct hv_error *err) HV_MUST_CHECK;
/* The same from an open reader (tests, fuzzing). HV_ETOOBIG alone. */
enum hv_code timeline_collect(struct hv_arena *arena, struct journal_reader *reader, struct timeline *out,
                              struct hv_error *err) HV_MUST_CHECK;

/* Number of the last rewind that can be taken back; is_redo: of the last taking back that can be, which no new rewind
 * has followed; 0: none. Taking one back is going to before it, whatever was done and undone since. Pure. */
size_t timeline_last_rewind(const struct timeline *timeline, bool is_redo);

#endif
