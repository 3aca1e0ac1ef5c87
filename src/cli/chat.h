/*
 * chat.h: the state of an interactive session, shared by its files: chat.c (making, running, ending it),
 * chat_commands.c (what is typed with a slash).
 *
 * Threads: loop thread, but for the event sink and chat_ask.
 */
#ifndef CLI_CHAT_H
#define CLI_CHAT_H

#include <stdatomic.h>

#include "agent/command_run.h"
#include "agent/session.h"
#include "cli/print.h"
#include "ui/front.h"

struct chat {
    const struct print_flags *flags;
    struct hv_arena *arena; /* the process's */
    struct setup setup;
    struct session *session;
    struct session_options options; /* for further sessions of this run */
    struct hv_sink sink;
    const struct ui_functions *functions;
    struct ui *ui;
    struct ui_front front;
    _Atomic(struct ui *) listener; /* the same, for the event sink; NULL: nobody listens */
    atomic_llong context_used;     /* tokens of the latest request and its answer */
    bool turn_running, closing, restarting;
    int signal;
    int history_fd; /* -1: none is kept */
    struct batch *shell;
    struct hv_buf shell_said; /* what commands of the person's said, for the next prompt */
    struct command_run *own;  /* a command file that is being filled in */
    char mode[24];
};

/* Make the session that options describe. */
enum hv_code chat_open_session(struct chat *chat, const struct session_entry *from, struct hv_error *err) HV_MUST_CHECK;
/* End the present session, then begin another one; NULL: a fresh one. No turn may be running. */
enum hv_code chat_change_session(struct chat *chat, const struct session_entry *from,
                                 struct hv_error *err) HV_MUST_CHECK;
void chat_set_mode(struct chat *chat, enum policy_mode mode);

/* chat_commands.c: see ui_front.command. */
bool chat_command(void *user, struct hv_str name, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt);
extern const struct ui_command chat_command_list[];

/* chat_own.c: command files. False: there is none of that name, or it cannot be used, which out says then. */
bool chat_own_command(struct chat *chat, struct hv_str name, struct hv_str arguments, struct hv_buf *out);
void chat_complete_own(void *user, struct hv_str prefix, struct hv_buf *out);
/* A list of them for /help. */
void chat_put_own(struct chat *chat, struct hv_buf *out);

/* Run an interactive session. prompt: what to begin with, or "". Returns the exit code. */
int chat_run(const struct print_flags *flags, struct hv_arena *arena, struct hv_str prompt);

#endif
