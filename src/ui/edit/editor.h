/*
 * editor.h: the text that a person is writing: several lines, a caret, the keys of Emacs, undo, a kill ring, history
 * and folded pastes. Pure.
 *
 * A long paste stands in the text as one chip, "[paste 1: 120 lines]": one character of the private use area, which
 * nothing else can bring in. editor_text gives the text with the pastes in their places.
 */
#ifndef UI_EDIT_EDITOR_H
#define UI_EDIT_EDITOR_H

#include "base/vec.h"
#include "ui/input/keys.h"

enum { EDITOR_TEXT_MAX = 16 << 20, EDITOR_CHIP_FIRST = 0xf0000, EDITOR_CHIPS_MAX = 1000 };

struct editor_state {
    struct hv_str text; /* heap */
    size_t caret;
};

enum editor_typing { EDITOR_NOT_TYPING = 0, EDITOR_IN_WORD, EDITOR_BETWEEN_WORDS };

struct editor {
    struct hv_buf text; /* valid UTF-8, lines separated by '\n' */
    size_t caret;       /* at a cluster's beginning */
    size_t goal;        /* column that Up and Down keep; SIZE_MAX: none */
    VEC(struct editor_state) undo, redo;
    VEC(struct hv_str) kills; /* heap; the newest last */
    size_t yank_start, yank_index;
    enum editor_typing typed; /* what the last key did: typing is undone in runs, kills in a row are one */
    bool killed, yanked;
    size_t saved_len;           /* of the text at the last step of undo */
    VEC(struct hv_str) pastes;  /* heap */
    VEC(struct hv_str) history; /* heap; oldest first */
    size_t history_at;          /* == history.count: at the text being written */
    struct hv_str draft;        /* heap: what was being written before history was walked */
};

void editor_init(struct editor *editor);
void editor_release(struct editor *editor);

/* Do what the key says. False: it is none of the editor's (Enter, Tab, Esc, Ctrl-C and their kin). */
bool editor_key(struct editor *editor, const struct key *key);
void editor_insert(struct editor *editor, struct hv_str text);
/* Insert what was pasted: cleaned, folded to a chip when it is long. */
void editor_paste(struct editor *editor, struct hv_str text);
/* Replace bytes [from, to). */
void editor_replace(struct editor *editor, size_t from, size_t to, struct hv_str text);
void editor_set(struct editor *editor, struct hv_str text);
void editor_clear(struct editor *editor);
/* The whole text with pastes in their places. */
void editor_text(const struct editor *editor, struct hv_buf *out);
/* How a chip is shown: the label of the character at offset at, or false when it is none. */
bool editor_chip(const struct editor *editor, uint32_t rune, struct hv_buf *out);

/* The line of what was submitted joins the history, unless it is the latest there already. */
void editor_remember(struct editor *editor, struct hv_str text);
/* Earlier (Up, Ctrl-P) and later; false when there is none. */
bool editor_earlier(struct editor *editor);
bool editor_later(struct editor *editor);
/* The newest entry of history before index `before` that contains the needle; SIZE_MAX: none. */
size_t editor_find(const struct editor *editor, struct hv_str needle, size_t before);

#endif
