/*
 * trace.h: where the time of a session went, from its journal (`helve trace FILE`).
 *
 * Two forms of one thing: a self-contained HTML page (no script, no network: whatever the journal holds is text in it),
 * and the trace event format of Chrome for Perfetto. Both are written while the journal is read, in memory that does
 * not grow with it: what is kept is the response at hand. Inputs and results are cut to excerpts, and the page stops
 * adding calls after TRACE_CALLS_MAX of them, saying so. A torn or damaged journal gives a trace of what can be read.
 */
#ifndef JOURNAL_TRACE_H
#define JOURNAL_TRACE_H

#include "journal/reader.h"

enum { TRACE_CALLS_MAX = 20000 };

/* Where the bytes go: called many times, in order, on the calling thread. False: stop, nothing more is wanted. */
struct trace_output {
    bool (*write)(void *user, struct hv_str bytes);
    void *user;
};

/*
 * Read the journal to its end and write the trace. The reader is used up, not closed. Blocks on the file.
 * HV_EINVAL when the journal holds no event (then nothing was written); HV_EIO when write() said false.
 */
enum hv_code trace_write_html(struct journal_reader *reader, const struct trace_output *output,
                              struct hv_error *err) HV_MUST_CHECK;
enum hv_code trace_write_chrome(struct journal_reader *reader, const struct trace_output *output,
                                struct hv_error *err) HV_MUST_CHECK;

#endif
