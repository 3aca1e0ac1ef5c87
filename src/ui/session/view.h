/* view.h: the state of the terminal interface, shared by its files; inner to src/ui/session. Loop thread unless marked.
 */
#ifndef UI_SESSION_VIEW_H
#define UI_SESSION_VIEW_H

#include <pthread.h>

#include "base/vec.h"
#include "ui/edit/editor.h"
#include "ui/front.h"
#include "ui/screen/screen.h"
#include "ui/shell/terminal.h"
#include "ui/text/markdown.h"

enum { VIEW_FINISHED_MAX = 64 << 20, VIEW_FRAME_MAX = 4 << 20, VIEW_KEPT_MAX = 100, VIEW_THOUGHT_MAX = 256 << 10 };

/* An event on its way to the loop thread; one allocation of its own arena. */
struct queued_event {
    struct hv_arena arena;
    struct hv_event event;
};

/* A call that has no result yet. */
struct call_view {
    struct hv_arena arena;
    struct hv_str id, tool, title, last; /* last: the last line of its progress */
    uint64_t started_ns;
    bool running; /* admitted */
};

/* A result that can be unfolded. */
struct kept_result {
    struct hv_arena arena;
    struct hv_str head, show, diff;
    bool ok;
};

enum question_state {
    QUESTION_KEYS = 0,
    QUESTION_WORDS,
    QUESTION_INPUT,
    QUESTION_RULE,
    QUESTION_EXPLAINED,
    QUESTION_FIELD
};

/* A question on its way: made by the asker, freed by the loop thread when the asker has gone on. */
struct asked {
    struct ui *ui;
    struct hv_arena arena;
    struct hv_question question;
    struct hv_answer answer;
    bool answered; /* guarded by ui->ask_lock, as is the answer */
};

/* The one question that is open. */
struct question_view {
    struct asked *asked;
    const struct hv_question *question; /* of it; NULL: none is open */
    bool shown;
    enum question_state state;
    bool was_typing; /* for a moment, no key is an answer */
    size_t scroll;
    struct hv_buf rows; /* painted lines */
    struct editor words;
    enum hv_ask_scope scope; /* of the rule that is edited */
    size_t field;            /* the one that is being filled */
    struct hv_buf values;    /* of those before it */
    struct hv_json_writer writer;
};

/* The list that is open. */
struct picker_view {
    bool open, steps;
    struct hv_arena arena;
    struct hv_str title, help, control_keys;
    struct ui_choice *choices;
    size_t count, row;
    struct hv_buf words; /* that narrow it */
    void (*done)(void *user, size_t index, uint32_t key);
    void *user;
};

struct ui {
    const struct ui_front *front;
    struct terminal *terminal;
    struct screen screen;
    struct paint_theme theme;
    struct paint_palette own_palette; /* of a file of the person's */
    bool has_sixels;
    bool theme_fixed, background_light; /* theme_fixed: the background does not matter */
    size_t columns, rows;
    struct editor editor;
    struct markdown_stream answer;
    struct hv_buf finished; /* lines that go to scroll-back with the next frame */
    struct hv_buf held;     /* cards that wait until the answer is complete */
    bool blank_due;         /* the next thing printed is set off by a blank line */
    VEC(struct call_view *) calls;
    VEC(struct kept_result *) kept;
    size_t unfold_at;          /* of kept, from its end */
    VEC(struct hv_str) queued; /* messages that wait; heap */
    struct question_view question;
    struct picker_view picker;

    bool turn_running, interrupting, thinking, focused, told_quit;
    bool earlier;          /* events of the journal are shown */
    struct hv_buf thought; /* what the model has thought and nothing was shown of yet */
    size_t tasks_running;  /* in the background */
    uint64_t turn_started_ns, thought_started_ns, last_key_ns, last_escape_ns, last_frame_ns;
    struct hv_str retry; /* why it waits; heap */
    int64_t turn_tokens;
    unsigned tick;
    bool searching; /* Ctrl-R */
    struct hv_buf needle;
    struct hv_buf last_answer; /* as the model wrote it, for /copy */
    bool answer_ended;         /* the next text begins a new one */
    size_t found;
    struct hv_buf completions; /* one a line; empty: no list */
    size_t completion, completion_from;
    bool completes_file; /* the list, which may be empty yet, is one of files */

    struct loop_timer *frame_timer, *tick_timer, *guard_timer, *answer_timer;
    bool gave_up; /* the terminal did not say in time that it has seen the last frame */
    bool dirty;

    pthread_mutex_t queue_lock; /* any thread: what follows */
    VEC(struct queued_event *) events;
    bool draining;
    pthread_mutex_t ask_lock;
    pthread_cond_t ask_changed;
};

/* ---- view.c ------------------------------------------------------------------------------------------------------ */

void view_dirty(struct ui *ui); /* a frame is due, soon */
void view_draw(struct ui *ui);  /* now */
/* The terminal said in which column, from 1, its cursor is. */
void view_answered(struct ui *ui, size_t column);
void view_start_tick(struct ui *ui);
struct call_view *view_call(struct ui *ui, struct hv_str id);
void view_drop_call(struct ui *ui, struct hv_str id);
/* Print painted lines, set off from what came before. */
void view_print(struct ui *ui, struct hv_str lines);
void view_print_markdown(struct ui *ui, struct hv_str markdown);
/* It waits for a person who looks elsewhere: the bell, and a notification where the terminal has them. why: a literal.
 */
void view_call_attention(struct ui *ui, const char *why);
void view_note(struct ui *ui, enum paint_style style, const char *mark, struct hv_str text);

/* ---- appearance.c ------------------------------------------------------------------------------------------------ */

void appearance_begin(struct ui *ui); /* what the terminal takes, by the environment */
void appearance_set(struct ui *ui, const struct ui_theme *theme);
void appearance_background(struct ui *ui, uint32_t colour); /* the terminal says what it is */

/* ---- pictures.c -------------------------------------------------------------------------------------------------- */

/* Have the pictures among these blocks drawn; show one that was. */
void pictures_ask(struct ui *ui, const struct hv_json *blocks);
void pictures_show(struct ui *ui, const struct ui_drawing *drawing);

/* ---- frame.c ----------------------------------------------------------------------------------------------------- */

/* The live region as it should look now; texts in arena. */
void frame_make(struct ui *ui, struct hv_arena *arena, struct screen_frame *frame);

/* ---- cards.c ----------------------------------------------------------------------------------------------------- */

/* Append blocks as painted lines, each indented; short: folded, *folded tells that something was left out. */
void cards_put_blocks(const struct ui *ui, struct hv_str blocks, bool brief, bool *folded, struct hv_buf *out);
void cards_put_diff(const struct ui *ui, struct hv_str diff, size_t most, bool *folded, struct hv_buf *out);
/* The first line of the first text block; absent: none. In arena. */
struct hv_str cards_title(struct hv_arena *arena, struct hv_str blocks);
/* What tells a call from others before it is described: the first text of its input. In arena. */
struct hv_str cards_label(struct hv_arena *arena, struct hv_str input);

/* ---- events.c, earlier.c ----------------------------------------------------------------------------------------- */

void events_take(struct ui *ui, const struct hv_event *event);
void events_end_answer(struct ui *ui);
/* Painted lines, above the prompt; after the answer that is being written. */
void events_put_card(struct ui *ui, struct hv_str card);
/* One folded line of what was thought; absent: of what was gathered. duration_ns 0: not known. */
void events_put_thought(struct ui *ui, struct hv_str text, uint64_t duration_ns);
/* As ui_functions.earlier. */
void earlier_take(struct ui *ui, const struct hv_event *event);

/* ---- keys: actions.c, question.c --------------------------------------------------------------------------------- */

void actions_key(struct ui *ui, const struct key *key);
bool actions_take_queued(struct ui *ui, struct hv_buf *text);
void actions_echo(struct ui *ui, const char *mark, struct hv_str text); /* a prompt, as it stands in the scroll-back */
void actions_files_changed(struct ui *ui);                              /* as ui_functions.files_changed */
void actions_submit_made(struct ui *ui, struct hv_str prompt);
void actions_submit_next(struct ui *ui);                 /* the next queued message, when no turn runs */
void question_show(struct ui *ui);                       /* one was asked: draw it */
bool question_key(struct ui *ui, const struct key *key); /* false: the key is not for it */
/* Append its lines, at most `most` of them, and where the caret is in the last of them. */
void question_put_rows(struct ui *ui, size_t most, struct hv_buf *out);
/* picker.c */
void picker_open(struct ui *ui, const struct ui_picker *picker);
void picker_close(struct ui *ui);
bool picker_key(struct ui *ui, const struct key *key); /* false: none is open */
void picker_put_rows(struct ui *ui, size_t most, struct hv_buf *rows, size_t *caret_column);
/* Append an editor's text as painted rows; where its caret is. */
void frame_put_editor(struct ui *ui, const struct editor *editor, const char *prompt, struct hv_buf *rows,
                      size_t *caret_row, size_t *caret_column);

#endif
