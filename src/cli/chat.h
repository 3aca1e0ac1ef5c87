/*
 * chat.h: the state of an interactive session, shared by its files: chat.c (making, running, ending it),
 * chat_commands.c (what is typed with a slash).
 *
 * Threads: loop thread, but for the event sink and chat_ask.
 */
#ifndef CLI_CHAT_H
#define CLI_CHAT_H

#include <pthread.h>
#include <stdatomic.h>

#include "agent/command_run.h"
#include "agent/session.h"
#include "cli/print.h"
#include "journal/timeline.h"
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
    bool loading; /* the network part, on that thread */
    pthread_t loader;
    int signal;
    int history_fd; /* -1: none is kept */
    struct batch *shell;
    struct hv_buf shell_said;       /* what commands of the person's said, for the next prompt */
    struct command_run *own;        /* a command file that is being filled in */
    struct chat_commands *commands; /* chat_own.c */
    struct chat_list *list;         /* a list that is open, or NULL */
    bool fork;                      /* the session that is opened next is a fork */
    bool reopening;                 /* it goes on after a moment */
    struct chat_files *files;       /* names for `@`, or NULL */
    struct chat_child *child;       /* a door that runs beside the session */
    struct chat_picture *pictures;  /* that are being drawn */
    struct chat_status *status;     /* the status line's command, or NULL */
    unsigned turns;                 /* that have ended */
    char mode[24];
};

/* Make the session that options describe. */
enum hv_code chat_open_session(struct chat *chat, const struct session_entry *from, struct hv_error *err) HV_MUST_CHECK;
/* End the present session, then begin another one; NULL: a fresh one. No turn may be running. */
enum hv_code chat_change_session(struct chat *chat, const struct session_entry *from,
                                 struct hv_error *err) HV_MUST_CHECK;
void chat_set_mode(struct chat *chat, enum policy_mode mode);
/* chat_earlier.c: show what a session said so far. */
void chat_show_earlier(struct chat *chat, const struct session_entry *entry);

/* chat_commands.c: see ui_front.command. */
void chat_command(void *user, struct hv_str name, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt);
extern const struct ui_command chat_command_list[];

/* Close the session, call between, go on with the same one. No turn may be running; it needs a journal. */
enum hv_code chat_reopen_session(struct chat *chat, void (*between)(struct chat *chat, void *data), void *data,
                                 struct hv_error *err) HV_MUST_CHECK;

/* chat_child.c: run `helve WORDS…` beside the session and print what it says; one at a time. */
enum hv_code chat_start_child(struct chat *chat, const struct hv_str *words, size_t count,
                              struct hv_error *err) HV_MUST_CHECK;
/* The loop has ended: the child ends, too. */
void chat_end_child(struct chat *chat);
/* The same at once, for what is short; what it says is appended, without escapes. Blocks. */
void chat_run_child(struct chat *chat, const struct hv_str *words, size_t count, struct hv_buf *said);
/* Append a code block of Markdown that holds any text. */
void chat_put_fenced(struct hv_str text, const char *language, struct hv_buf *out);

/* chat_status.c: the status line by a command of the person's: put in what it said last, and run it again when what it
 * is told has changed; end it. */
void chat_fill_status(struct chat *chat, const struct model_usage *usage, struct ui_status *out);
void chat_end_status(struct chat *chat);

/* chat_picture.c: see ui_front.draw_picture; the session ends, and what is being drawn with it. */
void chat_draw_picture(void *user, struct hv_str path, const struct ui_drawing *wanted);
void chat_end_pictures(struct chat *chat);

/* chat_theme.c: the theme of that name (absent: auto), in arena. HV_ENOTFOUND names those there are. */
enum hv_code chat_read_theme(struct chat *chat, struct hv_arena *arena, struct hv_str name, struct ui_theme *theme,
                             struct hv_error *err) HV_MUST_CHECK;
/* Use it, and keep it in the person's settings; "": tell which there are. What it says is Markdown. */
void chat_choose_theme(struct chat *chat, struct hv_str name, struct hv_buf *out);

/* chat_more.c: commands; what they say is Markdown. */
void chat_put_diff(struct chat *chat, struct hv_str arguments, struct hv_buf *out);
void chat_export(struct chat *chat, struct hv_str arguments, struct hv_buf *out);
void chat_change_model(struct chat *chat, struct hv_str name, struct hv_buf *out);
void chat_doctor(struct chat *chat, struct hv_buf *out);
void chat_trace(struct chat *chat, struct hv_str arguments, struct hv_buf *out);
void chat_try_rule(struct chat *chat, struct hv_str arguments, struct hv_buf *out);

/* chat_input.c: see ui_front.note; session_options.take_words; submit a prompt after what
 * commands of the person's said, and with the pictures that it names itself. */
void chat_note(void *user, struct hv_str text, struct hv_buf *out);
bool chat_take_words(void *user, struct hv_buf *blocks);
enum hv_code chat_submit_text(struct chat *chat, struct hv_str prompt, struct hv_error *err) HV_MUST_CHECK;

/* chat_files.c: append names below the directory that fit, best first, without those that begin so in it itself. What
 * is not known yet is read beside; ui_functions.files_changed tells. No words: it is read alone. */
void chat_put_files(struct chat *chat, struct hv_str directory, struct hv_str words, struct hv_buf *out);
void chat_release_files(struct chat *chat);

/* From a file as it was when it was kept (an image in that store) to what it is now; back: the other way. */
void chat_put_file_diff(struct chat *chat, struct hv_str store, const struct fs_image *image, bool back,
                        struct hv_buf *out);

/* chat_find.c, chat_rewind.c: what they say is Markdown. chat_pick_message: false: there is no message yet. */
void chat_find(struct chat *chat, struct hv_str arguments, struct hv_buf *out);
void chat_rewind(struct chat *chat, struct hv_str arguments, struct hv_buf *out);
bool chat_pick_message(struct chat *chat);

/* chat_pick.c: what a list that is open stands for; chat->list, until it is released. */
struct chat_list {
    struct hv_arena arena;
    struct session_entry *entries;
    size_t count;
    struct session_entry chosen;
    struct timeline timeline;
    size_t message, part;
    struct ui_choice *places;
};
struct chat_list *chat_new_list(struct chat *chat);
/* Line by line nothing can be chosen from: it is printed, and commands take its entries by name. */
void chat_open_list(struct chat *chat, const struct ui_picker *picker);
/* False: there is no session to choose from. */
bool chat_pick_session(struct chat *chat);
/* Go on in a fork; give the session a title. What they say is Markdown. */
void chat_fork(struct chat *chat, struct hv_buf *out);
void chat_rename(struct chat *chat, struct hv_str title, struct hv_buf *out);
/* Go on with this session; asks where its folder is not this one. */
void chat_go_on(struct chat *chat, const struct session_entry *entry);
void chat_release_list(struct chat *chat);

/* chat_own.c: command files. False: there is none of that name, or it cannot be used, which out says then. */
bool chat_own_command(struct chat *chat, struct hv_str name, struct hv_str arguments, struct hv_buf *out);
void chat_release_own(struct chat *chat);
void chat_complete_own(void *user, struct hv_str prefix, struct hv_buf *out);
/* A list of them for /help. */
void chat_put_own(struct chat *chat, struct hv_buf *out);

/* Run an interactive session. prompt: what to begin with, or "". Returns the exit code. */
int chat_run(const struct print_flags *flags, struct hv_arena *arena, struct hv_str prompt);

#endif
