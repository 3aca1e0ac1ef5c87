/* screen.c: see screen.h. */
#include "ui/screen/screen.h"

#include "ui/text/paint.h"

static struct hv_str copy(struct hv_str text)
{
    char *bytes = hv_malloc(text.len + 1);
    if (text.len)
        memcpy(bytes, text.ptr, text.len);
    return hv_str_of(bytes, text.len);
}

static void forget_rows(struct screen *screen)
{
    for (size_t i = 0; i < screen->rows.count; i++)
        free((void *)screen->rows.items[i].text.ptr);
    screen->rows.count = 0;
}

void screen_release(struct screen *screen)
{
    forget_rows(screen);
    vec_release(&screen->rows);
}

static void up(struct hv_buf *out, size_t rows)
{
    if (rows == 1)
        hv_buf_add_cstr(out, "\033[A");
    else if (rows)
        hv_buf_addf(out, "\033[%zuA", rows);
}

/* Rows that the first `count` rows of the region take on a terminal that is columns wide now. */
static size_t taken_rows(const struct screen *screen, size_t count, size_t columns)
{
    size_t taken = 0;
    for (size_t i = 0; i < count; i++) {
        size_t width = screen->rows.items[i].width;
        taken += width > columns ? (width + columns - 1) / columns : 1;
    }
    return taken;
}

/* Rows between the beginning of the caret's own row and the caret, now that it is wrapped; many terminals do not wrap
 * the row with the caret, but leave that to the program. */
static size_t wrapped_above_caret(const struct screen *screen, size_t columns)
{
    size_t column = screen->caret_column % columns;
    bool wrapped = column + 1 < columns && screen->answered == column + 1;
    return wrapped ? screen->caret_column / columns : 0;
}

/* From the caret to the beginning of the region's first row, as far as that is sure. */
static void go_to_top(const struct screen *screen, size_t columns, struct hv_buf *out)
{
    size_t above = screen->caret_row;
    if (columns != screen->columns && screen->acknowledged && screen->reflows)
        above = taken_rows(screen, screen->caret_row, columns) + wrapped_above_caret(screen, columns);
    hv_buf_add_byte(out, '\r');
    up(out, above);
}

/* Clear the rows of the region from its top on, and come back. Row by row, since some terminals keep in their history
 * what is erased by one sequence. */
static void clear(const struct screen *screen, size_t columns, struct hv_buf *out)
{
    size_t count = columns == screen->columns ? screen->rows.count : taken_rows(screen, screen->rows.count, columns);
    /* Down stops at the last row of the screen: only the terminal knows the way back. */
    hv_buf_add_cstr(out, "\0337");
    for (size_t i = 0; i < count; i++)
        hv_buf_add_cstr(out, i + 1 < count ? "\033[2K\033[B" : "\033[2K");
    hv_buf_add_cstr(out, "\0338");
    /* How a terminal wraps anew is not known to the row: nothing may stand beside what is printed next. */
    if (columns != screen->columns)
        hv_buf_add_cstr(out, "\033[J");
}

static void put_finished(struct hv_str finished, struct hv_buf *out)
{
    struct hv_str line;
    while (paint_next_line(&finished, &line)) {
        hv_buf_add_str(out, line);
        hv_buf_add_cstr(out, "\r\n");
    }
}

/* Walk from row to row of the region, beginning at the top, in which the cursor is. */
static void put_changes(struct screen *screen, const struct screen_frame *frame, bool all, struct hv_buf *out,
                        size_t *at)
{
    size_t before = all ? 0 : screen->rows.count;
    for (size_t i = 0; i < frame->count || i < before; i++) {
        bool gone = i >= frame->count;
        if (!gone && i < before && hv_str_eq(screen->rows.items[i].text, frame->rows[i]))
            continue;
        for (; *at < i; ++*at)
            hv_buf_add_cstr(out, "\r\n");
        if (gone) {
            hv_buf_add_cstr(out, "\r\033[K");
            continue;
        }
        hv_buf_add_byte(out, '\r');
        hv_buf_add_str(out, frame->rows[i]);
        if (i < before)
            hv_buf_add_cstr(out, "\033[K");
    }
}

static void place_caret(const struct screen_frame *frame, size_t at, struct hv_buf *out)
{
    for (; at < frame->caret_row; at++)
        hv_buf_add_cstr(out, "\r\n");
    hv_buf_add_byte(out, '\r');
    up(out, at - frame->caret_row);
    if (frame->caret_column)
        hv_buf_addf(out, "\033[%zuC", frame->caret_column);
}

static bool is_same(const struct screen *screen, size_t columns, const struct screen_frame *frame)
{
    if (screen->columns != columns || screen->rows.count != frame->count || screen->caret_row != frame->caret_row ||
        screen->caret_column != frame->caret_column || screen->caret_hidden != frame->hide_caret)
        return false;
    for (size_t i = 0; i < frame->count; i++)
        if (!hv_str_eq(screen->rows.items[i].text, frame->rows[i]))
            return false;
    return true;
}

static void remember(struct screen *screen, size_t columns, const struct screen_frame *frame)
{
    forget_rows(screen);
    for (size_t i = 0; i < frame->count; i++)
        *vec_push(&screen->rows) =
            (struct screen_row){.text = copy(frame->rows[i]), .width = paint_width(frame->rows[i])};
    screen->columns = columns;
    screen->caret_row = frame->caret_row;
    screen->caret_column = frame->caret_column;
    screen->caret_hidden = frame->hide_caret;
    screen->acknowledged = false;
}

void screen_draw(struct screen *screen, size_t columns, struct hv_str finished, const struct screen_frame *frame,
                 struct hv_buf *out)
{
    if (!finished.len && is_same(screen, columns, frame))
        return;
    bool all = finished.len || !screen->columns || screen->columns != columns;
    size_t at = 0;
    if (screen->synchronised)
        hv_buf_add_cstr(out, "\033[?2026h");
    if (screen->columns)
        go_to_top(screen, columns, out);
    if (screen->columns && all)
        clear(screen, columns, out);
    put_finished(finished, out);
    put_changes(screen, frame, all, out, &at);
    place_caret(frame, at, out);
    if (frame->hide_caret != screen->caret_hidden)
        hv_buf_add_cstr(out, frame->hide_caret ? "\033[?25l" : "\033[?25h");
    if (screen->synchronised)
        hv_buf_add_cstr(out, "\033[?2026l");
    if (screen->answers) {
        hv_buf_add_cstr(out, "\033[6n");
        screen->asked++;
    }
    remember(screen, columns, frame);
}

void screen_erase(struct screen *screen, size_t columns, struct hv_buf *out)
{
    if (!screen->columns)
        return;
    go_to_top(screen, columns, out);
    clear(screen, columns, out);
    hv_buf_add_byte(out, '\r');
    if (screen->caret_hidden)
        hv_buf_add_cstr(out, "\033[?25h");
    forget_rows(screen);
    screen->columns = screen->caret_row = screen->caret_column = 0;
    screen->caret_hidden = false;
}

void screen_answered(struct screen *screen, size_t column)
{
    screen->answered = column;
    screen->asked -= screen->asked > 0;
    screen->acknowledged = screen->asked == 0;
}
