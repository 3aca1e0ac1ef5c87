/*
 * event.h: everything that happens in a session, as values that go to sinks.
 *
 * The runtime and the agent emit; the journal (always first), the screen, stream-json, `exec --events` and traces
 * listen. An event is also one line of JSON (hv_event_write / hv_event_read), the same everywhere:
 *   {"type":"decision","time":12345678,"wall":1790000000000,"call_id":"toolu_1","tool":"Read", … ,"data":{…}}
 * Members that are absent are left out. "time" is nanoseconds on the session's monotonic clock, "wall" milliseconds
 * since 1970. "data" is an object whose members depend on the type (table in docs/internals/journal.md).
 */
#ifndef HELVE_EVENT_H
#define HELVE_EVENT_H

#include <helve/json.h>

enum hv_event_type {
    HV_EVENT_NONE = 0,
    HV_EVENT_SESSION_START, /* data: id, cwd, model, version, parent (fork or resume) */
    HV_EVENT_SESSION_END,   /* text: reason */
    HV_EVENT_MESSAGE, /* name: role ("user", "assistant"); json: content blocks (Anthropic shape); data-only roles never
                         occur */
    HV_EVENT_REQUEST, /* a request left: data: model, bytes, messages, attempt */
    HV_EVENT_FIRST_BYTE,   /* the stream's first event came */
    HV_EVENT_TEXT,         /* text: streamed text (not journalled) */
    HV_EVENT_THINKING,     /* text: streamed thinking (not journalled) */
    HV_EVENT_STREAM_EVENT, /* json: a raw provider event (not journalled; --include-partial-messages) */
    HV_EVENT_RESPONSE,     /* the stream ended: text: stop reason; data: usage, model */
    HV_EVENT_RETRY,        /* data: attempt, delay_ms, status; text: why */
    HV_EVENT_CALL,         /* a call's block is complete: call_id, tool; json: raw input */
    HV_EVENT_HOOK,         /* a hook ended: name: hook event; text: command; duration; data: exit, verdict */
    HV_EVENT_ASK,          /* a person is asked: text: the question; json: the same as blocks (helve/show.h) */
    HV_EVENT_DECISION,     /* name: allow, ask, deny; text: reason; data: stage, rule; duration: wait for a person */
    HV_EVENT_ADMITTED,     /* the schedule let the call start; duration: its wait; json: what it does, as blocks */
    HV_EVENT_PROGRESS,     /* text: last output or state, name: it as one line for people (not journalled) */
    HV_EVENT_STAGE,        /* name: stage; duration (trace only) */
    HV_EVENT_RESULT,     /* call_id, tool, ok; json: the tool_result block; duration: of the call itself; data: summary,
                            diff, stored, show (blocks) */
    HV_EVENT_NOTICE,     /* text: something the person should know; name: info, warning, error */
    HV_EVENT_TURN_END,   /* text: why the turn ended; data: turns, usage, cost */
    HV_EVENT_TASK,       /* name: started, note, ended; text: its title, the note, how it ended; data: id, type, status,
                            description, output_file, exit_code */
    HV_EVENT_STATE,      /* name: what changed (cwd, mode, tools, rules); data */
    HV_EVENT_CHECKPOINT, /* name: before (files were kept before a call), after (what became of them); data: before,
                            after (arrays of images) and more, see docs/internals/rewind.md */
    HV_EVENT_SIDE,   /* a side request is answered (or not: ok): call_id, tool, name: purpose; text: the answer, or why
                        there is none; json: its content blocks; data: model, question, usage, cost, stop_reason */
    HV_EVENT_REWIND, /* name: code, conversation or both; text: for people; data: to, undoes */
    HV_EVENT_COUNT
};

struct hv_event {
    enum hv_event_type type;
    uint64_t time_ns; /* monotonic since the session's start; set by the emitter */
    int64_t wall_ms;  /* since 1970 */
    struct hv_str call_id, tool, name, text;
    struct hv_str json; /* the type's main JSON value, or absent */
    struct hv_str data; /* a JSON object with further members, or absent */
    uint64_t duration_ns;
    bool ok; /* RESULT, HOOK, SIDE: fine */
};

/* A listener. event() is called by one thread at a time per session, in order; it must not keep the views. */
struct hv_sink {
    void (*event)(void *user, const struct hv_event *event);
    void *user;
};

HV_API const char *hv_event_name(enum hv_event_type type);        /* "session_start", …; never NULL */
HV_API enum hv_event_type hv_event_type_from(struct hv_str name); /* HV_EVENT_NONE when unknown */
/* True for the types that belong into the journal. */
HV_API bool hv_event_is_recorded(enum hv_event_type type);
/* Append the event as one line of JSON with its newline. */
HV_API void hv_event_write(struct hv_buf *buf, const struct hv_event *event);
/* Read one line back; unknown types give HV_EVENT_NONE and HV_OK. Views point into line or arena. */
HV_API enum hv_code hv_event_read(struct hv_arena *arena, struct hv_str line, struct hv_event *out,
                                  struct hv_error *err) HV_MUST_CHECK;

#endif
