/*
 * terminal.h: the thin shell around the terminal itself: its modes, reading, writing, size, and putting everything back
 * on every way out. Loop thread.
 */
#ifndef UI_SHELL_TERMINAL_H
#define UI_SHELL_TERMINAL_H

#include <termios.h>

#include "loop/loop.h"
#include "ui/input/keys.h"

struct terminal_handlers {
    void (*on_key)(void *user, const struct key *key);
    void (*on_size)(void *user);               /* the size has changed, and is stable again */
    void (*on_resume)(void *user);             /* after a stop: all must be drawn anew */
    void (*on_signal)(void *user, int number); /* SIGTERM, SIGHUP, SIGINT, or the terminal is gone (SIGHUP) */
    void (*before_stop)(void *user);
    void (*on_drained)(void *user); /* what could not be written at once has been */
    void *user;
    bool asks_background; /* ask for the colour of the background: on_key gets KEY_REPLY_BACKGROUND, or nothing */
};

struct terminal;

/* Take the controlling terminal into raw mode. HV_EUNSUPPORTED: there is none. */
enum hv_code terminal_open(struct loop *loop, const struct terminal_handlers *handlers, struct terminal **out,
                           struct hv_error *err) HV_MUST_CHECK;
/* Start what puts the modes back after SIGKILL, which takes two forks; else the loop does it when it runs. */
void terminal_watch(struct terminal *terminal);
/* Put everything back as it was, and free it. NULL is fine. */
void terminal_close(struct terminal *terminal);

/* Write all bytes as far as the terminal takes them, the rest as soon as it does; while some wait, terminal_busy. */
void terminal_write(struct terminal *terminal, struct hv_str bytes);
/* Wait for input for at most that long, and hand it on. */
void terminal_read(struct terminal *terminal, unsigned milliseconds);
/* Hand on what was typed before the program was ready, as far as it is plain text. The rest (keys that act, sequences,
 * completion by '@') waits for the loop. */
void terminal_read_typed(struct terminal *terminal);
bool terminal_busy(const struct terminal *terminal);
/* Its size now; 80 × 24 where it has none. */
void terminal_size(const struct terminal *terminal, size_t *columns, size_t *rows);
/* Pixels of a cell; 0: it does not say. */
void terminal_cell_size(const struct terminal *terminal, unsigned *width, unsigned *height);
/* A size change is under way, by its signal or by the size itself: nothing should be drawn until on_size. */
bool terminal_is_resizing(struct terminal *terminal);
/* It answered that it speaks the kitty keyboard protocol: switch it on. */
void terminal_use_kitty(struct terminal *terminal);
/* Stop this process as Ctrl-Z does; returns when it was continued. */
void terminal_suspend(struct terminal *terminal);
/* Give the terminal to another program (an editor) in its normal modes, and take it back. */
void terminal_lend(struct terminal *terminal);
void terminal_take_back(struct terminal *terminal);

#endif
