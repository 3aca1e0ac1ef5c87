/*
 * replay.h: the calls of a journal with what came of them, to run them again and compare (`helve replay --verify`).
 *
 * This is the pure part: it collects and compares. Who runs the calls (the CLI, through the runtime) does so turn by
 * turn: all calls of one turn go into one batch, in order, and each new result is handed to replay_compare. What may
 * differ between two honest runs (durations, clock times, temporary files, where the session and its working copy lie)
 * is made equal before the comparison; see docs/internals/journal.md.
 */
#ifndef JOURNAL_REPLAY_H
#define JOURNAL_REPLAY_H

#include "journal/reader.h"

#include <helve/tool.h>

/* One recorded call. */
struct replay_call {
    size_t turn; /* from 0: calls of the same model message have the same */
    struct hv_str id, tool;
    struct hv_str input;      /* as the model gave it: JSON text, or whatever came in its place */
    struct hv_str result;     /* the tool_result block as JSON; absent: none was recorded (interrupted) */
    enum hv_verdict decision; /* as it was settled in the end (HV_ALLOW, HV_DENY), to answer the same; or NONE */
    uint64_t duration_ns;
};

struct replay_log {
    const struct replay_call *calls; /* in order */
    size_t count, turns;
    struct hv_str session_id, directory; /* directory: where the session was started */
    struct journal_faults faults;
};

/* Collect the calls of a journal; all of *out is in arena. Reads to the end, does not close. Never fails: a journal
 * without calls gives none. */
void replay_collect(struct hv_arena *arena, struct journal_reader *reader, struct replay_log *out);

/* Where a run took place. Absent members are not looked for. */
struct replay_place {
    struct hv_str directory;         /* working directory, absolute */
    struct hv_str session_directory; /* of the stored results: the journal's path without ".jsonl" */
    struct hv_str home;
};

struct replay_comparison {
    struct replay_place recorded, now;
    /* Counts, kept by replay_compare and replay_not_run. */
    size_t same, different, not_recorded, not_run;
};

/*
 * Compare the new result (the tool_result block as JSON) with the recorded one. True when they are the same, or when
 * none was recorded. Else false, and what differs is appended to out as text: a line that names the call, how the
 * outcomes differ, and a unified diff of the texts (cut when long).
 */
bool replay_compare(struct replay_comparison *comparison, const struct replay_call *call, struct hv_str new_block,
                    struct hv_buf *out);
/* A call that was recorded with a result, but got none now. */
void replay_not_run(struct replay_comparison *comparison, const struct replay_call *call, struct hv_buf *out);
/* Append the last line: "12 calls: 11 the same, 1 different". */
void replay_summary(const struct replay_comparison *comparison, struct hv_buf *out);

/* Append text with all that may differ between two runs made equal (exposed for tests). */
void replay_normalise(struct hv_str text, const struct replay_place *place, struct hv_buf *out);

#endif
