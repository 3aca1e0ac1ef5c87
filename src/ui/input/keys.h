/*
 * keys.h: bytes of a terminal become keys, pastes and replies. Pure; works on a stream that is cut anywhere.
 *
 * Understood: UTF-8, C0 controls, CSI and SS3 sequences of xterm and its kin, modifyOtherKeys, the kitty keyboard
 * protocol (CSI u, releases are dropped), bracketed paste (one event, whatever it holds), focus, and the replies to the
 * questions that the shell asks. Anything else is dropped whole, never taken for typed text.
 */
#ifndef UI_INPUT_KEYS_H
#define UI_INPUT_KEYS_H

#include <helve/str.h>

enum key_type {
    KEY_NONE = 0,
    KEY_CHAR, /* rune; with modifiers: Ctrl-A is 'a' and KEY_CTRL */
    KEY_ENTER,
    KEY_TAB,
    KEY_ESCAPE,
    KEY_BACKSPACE,
    KEY_DELETE,
    KEY_UP,
    KEY_DOWN,
    KEY_RIGHT,
    KEY_LEFT,
    KEY_HOME,
    KEY_END,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_PASTE, /* text */
    KEY_FOCUS_IN,
    KEY_FOCUS_OUT,
    KEY_REPLY_KITTY,      /* the terminal speaks the kitty keyboard protocol */
    KEY_REPLY_SYNC,       /* the terminal knows synchronised updates */
    KEY_REPLY_CURSOR,     /* row, column from 1 */
    KEY_REPLY_BACKGROUND, /* rune: its colour, 0xRRGGBB */
    KEY_REPLY_SIXELS,     /* the terminal shows sixels */
    KEY_REPLY_OTHER,      /* device attributes and what else answers */
};

enum key_modifiers { KEY_SHIFT = 1, KEY_ALT = 2, KEY_CTRL = 4 };

struct key {
    enum key_type type;
    unsigned modifiers;
    uint32_t rune;
    unsigned row, column;
    struct hv_str text; /* PASTE: valid during the call */
};

enum { KEYS_SEQUENCE_MAX = 256, KEYS_PASTE_MAX = 16 << 20, KEYS_ANSWER_MAX = 40 };

/* A zeroed struct is ready; release it with keys_release. */
struct keys {
    char pending[KEYS_SEQUENCE_MAX]; /* the beginning of a sequence or character */
    size_t pending_count;
    bool skipping; /* inside a sequence that is too long, or a string (OSC, DCS) */
    bool string;
    char answer[KEYS_ANSWER_MAX]; /* the beginning of what a string says, after its first letter */
    size_t answer_count;
    bool pasting;
    struct hv_buf paste;
};

/* Give bytes as they came; on_key is called for each key in order. */
void keys_feed(struct keys *keys, struct hv_str bytes, void (*on_key)(void *user, const struct key *key), void *user);
/* Something waits for more bytes: a lone Esc, most likely. Call keys_flush when none come for some 30 ms. */
bool keys_waiting(const struct keys *keys);
void keys_flush(struct keys *keys, void (*on_key)(void *user, const struct key *key), void *user);
void keys_release(struct keys *keys);

#endif
