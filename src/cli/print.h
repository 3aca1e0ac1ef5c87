/*
 * print.h: the state of `helve -p`, shared by its files: print.c (flags, set-up, end), print_output.c (json and
 * stream-json lines), print_input.c (stream-json on stdin, control requests), progress.c (what people see).
 *
 * Threads: events come under the runtime's lock, in one order, on any thread; all else runs on the loop thread, but for
 * the functions marked otherwise.
 */
#ifndef CLI_PRINT_H
#define CLI_PRINT_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "agent/command_run.h"
#include "agent/session.h"
#include "agent/structured.h"
#include "base/vec.h"
#include "cli/cli.h"

enum print_format { PRINT_TEXT = 1, PRINT_JSON, PRINT_STREAM_JSON };

struct print_flags {
    struct cli_setup_flags setup;
    struct option_list tools;
    int output, input; /* enum print_format; 0: text */
    struct hv_str model, resume, session_id, system_prompt, system_prompt_file, append, append_file, json_schema,
        permission_tool;
    int64_t max_turns;
    double max_cost;
    bool plain, reader; /* line by line; the same for a screen reader: no colours either */
    bool print, last, fork, verbose, no_stdin, without_journal, partial, hook_events, replay_user;
};

/* A call that has no result yet. */
struct open_call {
    struct hv_str id, tool, input, label; /* one allocation each */
    bool denied;
};

/* What people see on stderr (progress.c). */
struct progress {
    bool enabled, colour, details; /* details: also what runs in between */
    bool streams;                  /* a person watches both streams: words go to stdout as they come */
    uint64_t told_ns;              /* when it was last told how far a call is */
    struct hv_buf text;            /* of the message at hand, not shown yet */
    struct hv_str last_id;         /* of the call whose line was printed last; heap */
};

/* A user message that waits for its turn; heap. */
struct waiting_message {
    struct hv_str content; /* JSON array */
    char *id;              /* as the program knows it, or "" */
};

/* stream-json on stdin (print_input.c). */
struct print_input {
    pthread_t thread;
    bool running, ended;
    atomic_bool stopped; /* the loop takes no more lines */
    int stop_fd;
    int read_errno; /* set by the reading thread before its end is told */
    sem_t room;     /* lines that may still be posted before the loop has worked some off */
    VEC(struct waiting_message) waiting;
    /* The one question that may be open; guarded by lock. */
    pthread_mutex_t lock;
    pthread_cond_t answered;
    char request_id[SESSION_ID_SIZE];
    bool asking, has_answer;
    struct hv_buf answer; /* the response object */
};

struct print {
    const struct print_flags *flags;
    struct hv_arena *arena;
    struct setup setup;
    struct session *session;
    struct command_run *own; /* a command file that is being filled in */
    struct structured_tool structured;
    enum print_format format;
    struct progress progress;
    struct print_input input;

    /* Events: under the runtime's lock. */
    VEC(struct open_call) calls;
    struct hv_buf denials;     /* permission_denials of this turn, comma-separated */
    struct hv_str session_id;  /* from the start event on; in arena */
    struct hv_str start_model; /* likewise */

    pthread_mutex_t output_lock; /* guards what follows */
    bool held;                   /* lines wait until the init line is out */
    struct hv_buf waiting_lines;
    struct hv_buf last_line; /* the session's last result, kept until all else is written */
    bool has_result, ended;  /* ended: the last result is written, no line follows it */
    int output_errno;

    bool turn_running, closing, bad_input;
    unsigned structured_tries, waited_ms;
    int signal, status;
};

/* ---- print_output.c --------------------------------------------------------------------------------------------- */

/* Write one line (with its newline) of stream-json. Any thread. */
void print_line(struct print *print, const struct hv_buf *line);
/* Begin and end an object that carries session_id and uuid. */
void print_begin(struct hv_json_writer *writer, struct hv_buf *buf, const char *type, const char *subtype);
void print_end(struct print *print, struct hv_json_writer *writer);
/* The init line, then what waited for it. */
void print_init(struct print *print);
/* One event as lines of stream-json. */
void print_stream_event(struct print *print, const struct hv_event *event);
/* The result object (json and stream-json). The session's last one is written by print_last_line. */
void print_result(struct print *print, const struct session_outcome *outcome, struct hv_str structured, bool gave_up);
/* No message can come any more: if the last result is written already, no line follows it; notices go to stderr. */
void print_begin_close(struct print *print);
/* Write the last result, after the session is closed. Loop thread. */
void print_last_line(struct print *print);
/* What becomes of background tasks, as lines of stream-json (print_tasks.c). */
void print_task_event(struct print *print, const struct hv_event *event, const struct hv_json *data);
/* Keep in mind a call that was refused, for the result's permission_denials. */
void print_note_denial(struct print *print, const struct hv_event *event);
/* The open call of that id, or NULL. */
struct open_call *print_find_call(struct print *print, struct hv_str id);

/* ---- print_input.c ---------------------------------------------------------------------------------------------- */

enum hv_code print_input_start(struct print *print, struct hv_error *err) HV_MUST_CHECK;
void print_input_stop(struct print *print);
/* Start the next waiting message, or end when there is none and none can come. */
void print_input_next(struct print *print);
/* As hv_asker.ask, by a request to the host program: can_use_tool, or elicitation. */
void print_input_ask(void *user, const struct hv_question *question, const struct hv_cancel *cancel,
                     struct hv_arena *arena, struct hv_answer *answer);

/* ---- print.c ---------------------------------------------------------------------------------------------------- */

/* What the flags and the set-up say of a session, for `helve` and `helve -p` alike. */
void print_session_options(const struct print_flags *flags, struct setup *setup, struct session_options *options);

/* End the session, then the loop. */
void print_close(struct print *print);

/* ---- progress.c ------------------------------------------------------------------------------------------------- */

void progress_init(struct progress *progress, bool enabled, bool details);
void progress_release(struct progress *progress);
void progress_event(struct print *print, const struct hv_event *event);
/* The last line of what was streamed, which had no end yet. Returns errno, or 0. */
int progress_finish(struct progress *progress);
/* A call's key argument, one short line: what a person tells it by. Heap; free its ptr. */
struct hv_str progress_label(struct hv_str input);

/* print_own.c: a task "/name arguments" that names a command file: its prompt is made, then submitted. False: there is
 * none of that name. */
bool print_own_command(struct print *print, struct hv_str task, enum hv_code *code, struct hv_error *err);

#endif
