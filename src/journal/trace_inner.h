/*
 * trace_inner.h: what trace.c (reads the journal, puts together what belongs together) hands to the two forms
 * (trace_html.c, trace_chrome.c). Times are nanoseconds on one line for the whole journal: sessions that were resumed
 * follow one another.
 */
#ifndef JOURNAL_TRACE_INNER_H
#define JOURNAL_TRACE_INNER_H

#include "journal/trace.h"

/* ---- output ---- */

struct trace_writer {
    const struct trace_output *output;
    struct hv_buf buf; /* not yet handed on */
    bool stopped;      /* the output wants no more */
    void *state;       /* the form's own */
};

/* ---- what is drawn ---- */

enum trace_kind { TRACE_HOOK, TRACE_PERMISSION, TRACE_WAIT, TRACE_RUN };
enum { TRACE_SPANS_MAX = 32 };

/* A stretch of time in the life of a call. */
struct trace_span {
    enum trace_kind kind;
    uint64_t start, end;
    struct hv_str text; /* the hook's command, or absent */
};

struct trace_call {
    struct hv_arena arena; /* of all its texts */
    struct hv_str id, tool;
    struct hv_str key;      /* one line that tells this call from others: its first string, cut */
    struct hv_str input;    /* excerpt, a line per member */
    struct hv_str result;   /* excerpt of the text; absent until it came */
    struct hv_str summary;  /* for people, or absent */
    struct hv_str decision; /* "allow: reason (stage, rule …)", or absent */
    struct hv_str question; /* what a person was asked, or absent */
    bool ok;
    uint64_t start, end; /* from the complete block to the last thing known */
    struct trace_span spans[TRACE_SPANS_MAX];
    size_t span_count;
};

/* One request with the stream that answered it. */
struct trace_response {
    bool present, ended; /* ended: the RESPONSE event came */
    uint64_t start, first_byte, end;
    struct hv_arena arena;
    struct hv_str model, stop, details; /* details: usage, attempt … as JSON, cut */
};

/* Anything else: a prompt, a notice, a retry, a hook of the session. */
struct trace_mark {
    const char *kind; /* "prompt", "notice", "hook", "retry", "state", "end" */
    uint64_t start, end;
    struct hv_str name, text; /* valid during the call */
};

struct trace_sums {
    uint64_t requests, calls, failed, omitted;
    uint64_t model_ns, tool_ns, person_ns, hook_ns;
    uint64_t hidden_ns; /* of tool_ns: while the model was still streaming */
};

/* From a prompt to its end. */
struct trace_section {
    uint64_t number; /* from 1 */
    uint64_t start, end;
    struct trace_sums sums;
};

struct trace_summary {
    struct hv_str id, directory, model, version; /* of the session; may be absent */
    uint64_t end, events, sections;
    struct trace_sums sums;
    const struct journal_faults *faults;
};

/* Within a section marks come when they happen, responses before their calls (but for calls beyond hundreds). */
struct trace_form {
    void (*begin)(struct trace_writer *writer);
    void (*section_begin)(struct trace_writer *writer, const struct trace_section *section);
    void (*response)(struct trace_writer *writer, const struct trace_section *section,
                     const struct trace_response *response);
    void (*call)(struct trace_writer *writer, const struct trace_section *section, const struct trace_call *call);
    void (*mark)(struct trace_writer *writer, const struct trace_section *section, const struct trace_mark *mark);
    void (*section_end)(struct trace_writer *writer, const struct trace_section *section);
    void (*end)(struct trace_writer *writer, const struct trace_summary *summary);
    uint64_t calls_max; /* further calls are only counted */
};

enum hv_code trace_write(struct journal_reader *reader, const struct trace_form *form, struct trace_writer *writer,
                         struct hv_error *err) HV_MUST_CHECK;

/* The word for a kind of span: "hook", "permission", "waits", "runs". */
const char *trace_kind_name(enum trace_kind kind);

#endif
