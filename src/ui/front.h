/*
 * front.h: what the terminal interface and the session behind it say to each other. The interface is a module (ui.so),
 * loaded for an interactive start only; it knows events and blocks (helve/event.h, helve/show.h), no tool and no model.
 *
 * Threads: loop thread, but for event() and ask().
 */
#ifndef UI_FRONT_H
#define UI_FRONT_H

#include <helve/ask.h>
#include <helve/event.h>
#include <helve/host.h>
#include <helve/show.h>

#include "loop/loop.h"

struct ui;

/* What stands in front of take_queued's messages where the model gets them beside results. */
#define UI_SENT_MEANWHILE "[The user sent this while you were working:]\n"

struct ui_command {
    const char *name, *arguments, *summary; /* "model", "[NAME]", one line */
};

/* How the terminal is painted. */
struct ui_theme {
    struct hv_str name; /* "dark", "light"; "auto" or absent: as the terminal's background is */
    struct hv_str text; /* of a theme of the person's own (text/theme.h); absent: it is one of the above */
    struct hv_str file; /* of that text */
};

/* A picture as a terminal shows it. */
enum ui_drawing_kind { UI_DRAWING_CELLS = 0, UI_DRAWING_SIXELS, UI_DRAWING_KITTY, UI_DRAWING_ITERM };
struct ui_drawing {
    enum ui_drawing_kind kind;
    bool true_colour;                 /* of cells */
    unsigned columns, rows;           /* at most, when it is wanted; else as it is */
    unsigned cell_width, cell_height; /* pixels; 0: not known */
    struct hv_str bytes;              /* cells: lines with colours; sixels; else a PNG */
};

/* One line of what fills the status line. */
struct ui_status {
    struct hv_str model, mode, directory; /* valid until the next call */
    struct hv_str line; /* what a command of the person's has made of it; absent: the default. Cleaned where shown */
    int64_t context_used, context_window; /* tokens; 0: not known */
    double cost;
    bool cost_known;
};

/* One entry of a list; texts are cleaned where they are shown. */
struct ui_choice {
    struct hv_str text, preview, search; /* search: further words that find it */
};

/* A list that a person chooses from. */
struct ui_picker {
    const char *title;
    bool steps;                      /* n and N go to the next and the one before; words do not narrow it */
    const char *help, *control_keys; /* further keys, with Ctrl: "Ctrl-F forks", "f"; or NULL */
    const struct ui_choice *choices; /* copied */
    size_t count;
    /* Once, on the loop thread. index SIZE_MAX: nothing was chosen; key: '\r', or one of control_keys. It may open the
     * next list. */
    void (*done)(void *user, size_t index, uint32_t key);
    void *user;
};

/* The session's side. `user` goes into every call. */
struct ui_front {
    void *user;
    struct loop *loop;
    const struct ui_command *commands; /* for completion and help; ends with a NULL name */
    const struct hv_str *history;      /* earlier prompts, oldest first; copied */
    size_t history_count;
    struct hv_str prompt;  /* to begin with, or empty; copied */
    bool plain;            /* no colours, whatever the terminal takes */
    struct ui_theme theme; /* copied */

    /* Start a turn with this prompt. An error is shown; then no turn runs. */
    enum hv_code (*submit)(void *user, struct hv_str prompt, struct hv_error *err);
    void (*interrupt)(void *user);
    size_t (*send_to_background)(void *user);                  /* as runtime_send_to_background; NULL: 0 */
    bool (*can_background)(void *user, struct hv_str call_id); /* it would send this call; NULL: none */
    bool (*takes_any_code)(struct hv_str rule); /* as policy_rule_takes_any_code, which is not loaded again; NULL: no */
    /* "/name arguments". What it prints is Markdown, also where there is no such command. *prompt: a prompt to submit
     * (a command of the person's own). */
    void (*command)(void *user, struct hv_str name, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt);
    /* Commands besides `commands` that begin so, as lines "/name arguments  summary". May be NULL. */
    void (*complete_command)(void *user, struct hv_str prefix, struct hv_buf *out);
    /* A command of the person's, run as a call of theirs; its events follow. */
    enum hv_code (*shell)(void *user, struct hv_str command, struct hv_error *err);
    void (*next_mode)(void *user);
    void (*remember)(void *user, struct hv_str prompt); /* into the history */
    void (*status)(void *user, struct ui_status *out);
    /* Names below the working directory that fit what stands behind '@', as far as they are known; one a line, best
     * first. */
    void (*complete_file)(void *user, struct hv_str prefix, struct hv_buf *out);
    /* Let the person edit this text with a program of theirs. False: it was not changed. */
    bool (*edit)(void *user, struct hv_str text, struct hv_buf *out, struct hv_error *err);
    /* A line for a memory file; it begins with '#' for the person's own. What it prints is Markdown. */
    void (*note)(void *user, struct hv_str text, struct hv_buf *out);
    /* Draw this file; when that is done show_drawing is called, when it fails nothing is. May be NULL. */
    void (*draw_picture)(void *user, struct hv_str path, const struct ui_drawing *wanted);
    void (*turn_unseen)(void *user);      /* a turn has ended while the person looks elsewhere */
    void (*quit)(void *user, int signal); /* the person leaves; 0, or the signal that ends it */
};

struct ui_functions {
    /* Take the terminal. The front must outlive it. */
    enum hv_code (*start)(const struct ui_front *front, struct ui **out, struct hv_error *err);
    /* Draw the prompt now, with the words that were typed before; keys that act wait for the loop. For what is done
     * before the loop runs. NULL: nothing is drawn. */
    void (*show_prompt)(struct ui *ui);
    /* An event of the session. Any thread; under one lock, in order. */
    void (*event)(struct ui *ui, const struct hv_event *event);
    /* As hv_asker.ask. */
    void (*ask)(struct ui *ui, const struct hv_question *question, const struct hv_cancel *cancel,
                struct hv_arena *arena, struct hv_answer *answer);
    /* Markdown of our own, above the prompt. */
    void (*print)(struct ui *ui, struct hv_str markdown);
    /* Send a prompt that a command has made, as soon as no turn runs. */
    void (*submit)(struct ui *ui, struct hv_str prompt);
    /* The messages that wait, for the model that works; false: there are none. They are shown as sent. */
    bool (*take_queued)(struct ui *ui, struct hv_buf *text);
    /* An event of a session's journal, in order: what was said before the session went on. NULL: that was all. Loop
     * thread. */
    void (*earlier)(struct ui *ui, const struct hv_event *event);
    /* Let the person choose; a list that is open is replaced. NULL: this interface has no lists. */
    void (*pick)(struct ui *ui, const struct ui_picker *picker);
    void (*show_drawing)(struct ui *ui, const struct ui_drawing *drawing);
    void (*set_theme)(struct ui *ui, const struct ui_theme *theme); /* from now on; NULL: it has none */
    void (*status_changed)(struct ui *ui);                          /* show it anew; NULL: this interface shows none */
    void (*files_changed)(struct ui *ui); /* complete_file knows more than before; NULL: nothing is completed */
    void (*clear)(struct ui *ui);         /* a new conversation: what is shown of the old one's state goes */
    /* Give the terminal back and free it: everything that was printed stays. NULL is fine. */
    void (*stop)(struct ui *ui);
};

/* The table, for tests that link ui themselves; else module_load("ui", …). */
const struct ui_functions *ui_table(void);

#endif
