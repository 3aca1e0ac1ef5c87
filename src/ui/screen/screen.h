/*
 * screen.h: the live region: some rows at the bottom that change, below text that is finished and belongs to the
 * terminal's scroll-back. Pure: gives the bytes that bring the terminal from one frame to the next.
 *
 * Finished text is written once, as logical lines that the terminal wraps and reflows; it is never touched again. All
 * moving is relative to the caret, and never above the region: where the terminal's size changed and it is not known
 * what it has done with the region's rows, the lower guess is taken, so that a remnant may stay, but nothing is lost.
 */
#ifndef UI_SCREEN_SCREEN_H
#define UI_SCREEN_SCREEN_H

#include "base/vec.h"

/* What the region shall show. Rows are painted, each less than columns wide; at most the terminal's rows. */
struct screen_frame {
    const struct hv_str *rows;
    size_t count; /* at least 1 */
    size_t caret_row, caret_column;
    bool hide_caret;
};

struct screen_row {
    struct hv_str text; /* heap */
    size_t width;
};

struct screen {
    size_t columns; /* when the last frame was drawn; 0: none was */
    VEC(struct screen_row) rows;
    size_t caret_row, caret_column;
    bool caret_hidden;
    bool acknowledged; /* the terminal has answered a question that stood behind the last frame and size */
    bool synchronised; /* it knows synchronised updates */
    bool answers;      /* it answers CSI 6n */
    bool reflows;      /* it breaks and joins its lines itself when its width changes */
    size_t asked;      /* questions that have no answer yet */
    size_t answered;   /* the caret's column in the last answer, from 1 */
};

void screen_release(struct screen *screen);
/* Append the bytes that write `finished` (whole painted lines; may be empty) above the region and draw the frame, for a
 * terminal that is columns wide now. Nothing when nothing changes. */
void screen_draw(struct screen *screen, size_t columns, struct hv_str finished, const struct screen_frame *frame,
                 struct hv_buf *out);
/* Append the bytes that remove the region; the caret is then where it began. */
void screen_erase(struct screen *screen, size_t columns, struct hv_buf *out);
/* An answer to CSI 6n has come, with the caret's column, from 1. */
void screen_answered(struct screen *screen, size_t column);

#endif
