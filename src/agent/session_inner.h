/* session_inner.h: the state of a session; inner to src/agent. Loop thread only, but for `interrupt_posted`. */
#ifndef AGENT_SESSION_INNER_H
#define AGENT_SESSION_INNER_H

#include "agent/context.h"
#include "agent/session.h"
#include "base/map.h"
#include "journal/writer.h"

#include <stdatomic.h>

enum { SESSION_MESSAGE_ID_SIZE = 65 };

enum session_state {
    SESSION_IDLE = 0,
    SESSION_IN_HOOK,   /* hooks of the session run; their callback goes on */
    SESSION_STREAMING, /* a request is out */
    SESSION_IN_TOOLS,  /* the message is complete, calls still run */
    SESSION_WAITING,   /* before the next attempt */
};

/* What one response has brought so far. Reset before each request. */
struct response {
    struct hv_arena arena; /* ids of its calls */
    struct hv_buf blocks;  /* complete content blocks, comma-separated */
    struct hv_buf results; /* tool_result blocks, comma-separated */
    struct hv_buf text;    /* text streamed */
    struct hv_str id, model;
    size_t block_count, call_count, cut_calls;
    bool first_seen, complete, ends_turn, empty;
    enum model_stop stop;
    struct hv_str stop_text;
    struct model_usage usage;
    uint64_t started_ns;
};

struct session {
    struct session_options options; /* views copied into arena */
    struct hv_arena arena;
    struct hv_str id, journal_path, parent;
    struct journal_writer *journal;
    struct hv_sink *sinks;
    struct runtime *runtime;
    struct model_conversation *conversation;
    struct context_parts prompt_parts; /* of its system prompt */
    enum model_role last_role;         /* of the conversation's last message, and its content */
    struct hv_buf last_content;
    uint64_t tools_generation;
    bool tools_set;
    const char *source; /* "startup", "resume", "fork" */
    bool started;       /* the SessionStart hooks have run */
    struct hv_str start_context;

    enum session_state state;
    bool interrupted;
    atomic_bool interrupt_posted;
    struct hv_buf prompt;                    /* content of the prompt that waits for its hooks */
    char prompt_id[SESSION_MESSAGE_ID_SIZE]; /* of it, or "" */
    struct response response;
    struct model_stream *stream;
    struct batch *batch;
    struct loop_timer *timer;
    unsigned attempts; /* failed ones in a row */
    unsigned stop_blocks, pauses, note_rounds, empty_answers, cut_answers;

    struct session_outcome outcome; /* of the turn under way */
    struct hv_buf last_text, structured;
    uint64_t turn_started_ns;
    struct model_usage total_usage;
    double total_cost;
    struct model_usage earlier_usage; /* of the same session before this process opened it */
    double earlier_cost;
    struct side *side; /* what tools ask models beside the conversation */

    void (*closed)(void *user);
    void *closed_user;
    const char *close_reason; /* a literal */
    struct hv_error journal_fault;
};

/* ---- turn.c --------------------------------------------------------------------------------------------------- */

/* Begin the turn whose prompt is in session->prompt. */
void turn_begin(struct session *session);
/* Begin one with what there is to tell about tasks (a JSON array of blocks). */
void turn_begin_with_notes(struct session *session, struct hv_str content);
/* The person wants the turn to stop. */
void turn_interrupt(struct session *session);
/* Send the conversation to the model. */
void turn_request(struct session *session);
/* The turn is over: tell everybody. error may be NULL for SESSION_DONE. */
void turn_finish(struct session *session, enum session_ending ending, const struct hv_error *error);
/*
 * Put a message at the end of the conversation. Two of one role in a row (the results of an interrupted turn, then a
 * new prompt; a paused answer, then its rest) become one, since not every server takes them apart.
 */
enum hv_code turn_append(struct session *session, enum model_role role, struct hv_str content,
                         struct hv_error *err) HV_MUST_CHECK;
/* Add a message to the conversation and the journal. data: further members of the event, or absent. */
enum hv_code turn_add_message(struct session *session, enum model_role role, struct hv_str content, struct hv_str data);

/* ---- response.c ------------------------------------------------------------------------------------------------ */

void response_init(struct response *response);
void response_reset(struct response *response);
void response_release(struct response *response);
/* The handlers of a stream. */
void response_on_event(void *user, const struct model_event *event);
void response_on_raw(void *user, struct hv_str json);
void response_on_end(void *user, enum hv_code code, const struct hv_error *err, int status, int64_t retry_after_ms);
/* All calls of the message have their results (or there were none): what comes next. */
void response_settled(struct session *session);

/* ---- session.c -------------------------------------------------------------------------------------------------- */

void session_emit(struct session *session, struct hv_event event);
void session_notice(struct session *session, const char *level, const char *format, ...) HV_PRINTF(3, 4);
uint64_t session_now(const struct session *session);
void session_put_usage(struct hv_json_writer *writer, const struct model_usage *usage);

#endif
