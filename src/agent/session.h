/*
 * session.h: one conversation between a person (or a program), a model and tools. Here the units and the runtime are
 * joined: the session owns the runtime, the conversation and the journal, and drives the turn:
 *   request → stream → calls run as their blocks complete → results → next request, until the model stops.
 *
 * Threads: everything runs on the loop thread; handlers too. Only session_interrupt may be called from any thread.
 * Whatever happens is an event for the sinks (helve/event.h); a turn ends in exactly one call of on_turn_end.
 */
#ifndef AGENT_SESSION_H
#define AGENT_SESSION_H

#include "journal/sessions.h"
#include "model/model.h"
#include "runtime/runtime.h"

struct session;

/* Why a turn ended. */
enum session_ending {
    SESSION_DONE = 0,    /* the model has finished */
    SESSION_MAX_TURNS,   /* the limit of requests was reached */
    SESSION_OVER_BUDGET, /* the limit of cost was reached */
    SESSION_INTERRUPTED, /* a person or a program stopped it */
    SESSION_REFUSED,     /* the model declined */
    SESSION_BLOCKED,     /* a hook did not let the prompt through, or stopped the turn */
    SESSION_FAILED,      /* the model could not be reached, or sent what cannot be used */
};

struct session_outcome {
    enum session_ending ending;
    struct hv_str text;        /* of the last message of the model; valid during the handler */
    struct hv_str structured;  /* JSON of the tool result that ended the turn, or absent; valid during the handler */
    struct hv_str stop_reason; /* as the model named it; "" when it never came so far */
    struct hv_error error;     /* unless SESSION_DONE: what happened, and what to do */
    int status;                /* HTTP status of the failure, or 0 */
    unsigned turns;            /* requests that were answered in this turn */
    struct model_usage usage;  /* of this turn */
    double cost;               /* US dollars of this turn; 0 when the price is not known */
    uint64_t duration_ns, api_duration_ns;
};

struct session_options {
    struct loop *loop;
    const struct hv_host *host;
    const struct settings *settings;
    const struct settings_options *settings_files; /* as in runtime_options */
    bool has_mode;                                 /* mode is set; else the settings say */
    enum policy_mode mode;
    struct model *model;             /* the caller's; outlives the session */
    struct model *small_model;       /* likewise; answers side requests; NULL: there is none … */
    struct hv_str small_model_fault; /* … and why not, where one is configured; absent: none is */
    struct hv_str directory, home;
    const struct hv_str *roots;
    size_t root_count;

    struct hv_str id;                 /* absent: a new one */
    bool without_journal;             /* --no-session-persistence */
    const struct session_entry *from; /* resume this one; NULL: a new conversation */
    bool fork;                        /* with `from`: in a new file that names it as its parent */
    const struct hv_str *secrets;     /* never written to the journal */
    size_t secret_count;

    const struct hv_str *only_tools; /* as in runtime_options */
    size_t only_tool_count;
    const struct hv_str *without_tools;
    size_t without_tool_count;
    const struct hv_tool *const *extra_tools; /* further tools; must outlive the session */
    size_t extra_tool_count;
    struct hv_str system_prompt;        /* instead of the built-in one; absent: the built-in */
    struct hv_str append_system_prompt; /* after it */
    unsigned max_turns;                 /* requests per turn; 0: no limit */
    double max_cost;                    /* US dollars per session; 0: no limit */
    bool raw_events;                    /* emit STREAM_EVENT */

    const struct hv_sink *sinks; /* after the journal, in order */
    size_t sink_count;
    struct hv_asker asker; /* as in runtime_options */
    /* There is something to tell the model about its tasks, and no turn runs: session_submit_notes starts one. NULL: it
     * waits for the next prompt. */
    void (*on_notes)(void *user);
    /* Words of the person's that go to the model with the results of its calls: append JSON blocks with commas
     * between them. False: there are none. NULL: there never are. */
    bool (*take_words)(void *user, struct hv_buf *blocks);
    const char *door;            /* as in runtime_options */
    struct hv_str run_directory; /* likewise */
    /* A turn is over; the next may be started from inside. */
    void (*on_turn_end)(void *user, const struct session_outcome *outcome);
    void *user;
};

/*
 * Make a session: opens the journal (unless without_journal), reads the one to resume, builds the system prompt, emits
 * SESSION_START. Views of the options are copied. Nothing is sent yet. Errors: those of the journal and the runtime.
 */
enum hv_code session_new(const struct session_options *options, struct session **out,
                         struct hv_error *err) HV_MUST_CHECK;

/* How programs know the message that is submitted next: 1 to 64 letters, digits, '-' and '_'; anything else, or
 * nothing: a new id is made. */
void session_name_message(struct session *session, struct hv_str id);
/* Start a turn with this content (JSON array of blocks, neutral form). One turn at a time: HV_ECONFLICT else. */
enum hv_code session_submit(struct session *session, struct hv_str content, struct hv_error *err) HV_MUST_CHECK;
/* The same with plain text. */
enum hv_code session_submit_text(struct session *session, struct hv_str text, struct hv_error *err) HV_MUST_CHECK;

/* Start a turn with what there is to tell the model about its tasks. HV_ENOTFOUND: nothing. */
enum hv_code session_submit_notes(struct session *session, struct hv_error *err) HV_MUST_CHECK;

/* Stop the turn: the stream and running calls end, every open call gets a result, on_turn_end follows with
 * SESSION_INTERRUPTED. Nothing happens when no turn runs. Any thread. */
void session_interrupt(struct session *session);

/* Run the hooks of the session's end, emit SESSION_END, then call done on the loop thread. No turn may be running.
 * reason: a literal ("other", "prompt_input_exit", …). */
void session_close(struct session *session, const char *reason, void (*done)(void *user), void *user);
/* Free it. Calls that still run are ended. NULL is fine. */
void session_free(struct session *session);

struct hv_str session_id(const struct session *session);
struct hv_str session_journal_path(const struct session *session); /* absent without a journal */
struct runtime *session_runtime(struct session *session);
/* Sum over all turns since session_new: what max_cost limits. */
void session_totals(const struct session *session, struct model_usage *usage, double *cost);
/* The same with what the journal says of the session before it was resumed; a fork begins at zero. */
void session_whole_totals(const struct session *session, struct model_usage *usage, double *cost);
/* The part of the cost that the small model has, and its tokens, which are not part of session_totals. */
void session_side_totals(const struct session *session, struct model_usage *usage, double *cost);
/* "success", "error_max_turns", … as stream-json names endings. Never NULL. */
const char *session_ending_name(enum session_ending ending);

#endif
