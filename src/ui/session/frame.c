/* frame.c: what the live region shows at a moment: the open block of the answer, running calls, what waits, the
 * question or the editor, the status line. A function of the state. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "ui/session/view.h"
#include "ui/text/cluster.h"

enum { CALLS_SHOWN = 6, QUEUED_SHOWN = 3, COMPLETIONS_SHOWN = 6, STYLES_MAX = 512, LONG_SECONDS = 2 };
enum { HINT_COLUMNS = 60, SECONDS_COLUMNS = 6 };
enum { WINDOW_MIN = 16 << 10, WINDOW_MAX = 256 << 10 };

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static size_t usable(const struct ui *ui)
{
    return ui->columns > 1 ? ui->columns - 1 : 1;
}

/* The styles that a row leaves open, so that the next one begins with them. */
static void carry_styles(struct hv_str row, struct hv_buf *styles)
{
    for (size_t at = 0; at < row.len;) {
        size_t len = paint_sequence(row, at);
        if (len)
            hv_buf_add_str(styles, hv_str_slice(row, at, at + len));
        at += len ? len : 1;
    }
    if (styles->len > STYLES_MAX)
        hv_buf_clear(styles);
}

static void put_wrapped(const struct ui *ui, struct hv_str line, struct hv_buf *rows)
{
    CLEANUP_BUF struct hv_buf styles = {.max = VIEW_FRAME_MAX};
    bool styled = line.len && memchr(line.ptr, '\033', line.len);
    size_t from = 0, next;
    do {
        size_t end = paint_wrap(line, from, usable(ui), &next);
        struct hv_str row = hv_str_slice(line, from, end);
        hv_buf_add_str(rows, hv_buf_str(&styles));
        hv_buf_add_str(rows, row);
        if (styled) {
            carry_styles(row, &styles);
            hv_buf_add_cstr(rows, "\033]8;;\033\\\033[0m");
        }
        hv_buf_add_byte(rows, '\n');
        from = next;
    } while (from < line.len);
}

static void put_lines(const struct ui *ui, struct hv_str lines, struct hv_buf *rows)
{
    struct hv_str line;
    while (paint_next_line(&lines, &line))
        put_wrapped(ui, line, rows);
}

static void put_cut(const struct ui *ui, struct hv_str line, struct hv_buf *rows)
{
    paint_cut(line, usable(ui), rows);
    hv_buf_add_byte(rows, '\n');
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static void put_open_block(const struct ui *ui, struct hv_buf *rows)
{
    CLEANUP_BUF struct hv_buf open = {.max = VIEW_FRAME_MAX};
    bool first = !ui->answer.any && ui->blank_due && ui->answer.open.len;
    markdown_stream_open(&ui->answer, &ui->theme, usable(ui), &open);
    if (first && open.len)
        hv_buf_add_byte(rows, '\n');
    put_lines(ui, hv_buf_str(&open), rows);
}

/* What can be done about a call that takes long; absent: nothing, or there is no room to say it. */
static struct hv_str call_hint(const struct ui *ui, const struct call_view *call, uint64_t seconds)
{
    const struct ui_front *front = ui->front;
    bool can = call->running && seconds >= LONG_SECONDS && usable(ui) >= HINT_COLUMNS && front->can_background &&
               front->can_background(front->user, call->id);
    return can ? HV_STR(" · Ctrl-B: to the background") : (struct hv_str){0};
}

static void put_call(const struct ui *ui, const struct call_view *call, struct hv_buf *rows)
{
    CLEANUP_BUF struct hv_buf line = {.max = VIEW_FRAME_MAX}, head = {.max = VIEW_FRAME_MAX};
    uint64_t seconds = (clock_monotonic_ns() - call->started_ns) / CLOCK_SECOND;
    struct hv_str hint = call_hint(ui, call, seconds);
    paint_put(&ui->theme, PAINT_ACCENT, call->running ? HV_STR("◌ ") : HV_STR("· "), &head);
    paint_put(&ui->theme, PAINT_BOLD, call->tool, &head);
    hv_buf_add_byte(&head, ' ');
    paint_add(&head, call->title);
    if (hint.len) /* a long title leaves room for it */
        paint_cut(hv_buf_str(&head), usable(ui) - paint_width(hint) - SECONDS_COLUMNS, &line);
    else
        hv_buf_add_str(&line, hv_buf_str(&head));
    paint_begin(&ui->theme, PAINT_DIM, &line);
    if (call->running && seconds)
        hv_buf_addf(&line, " %llus", (unsigned long long)seconds);
    hv_buf_add_str(&line, hint);
    if (call->last.len) {
        hv_buf_add_cstr(&line, " · ");
        paint_add(&line, call->last);
    }
    paint_end(&ui->theme, PAINT_DIM, &line);
    put_cut(ui, hv_buf_str(&line), rows);
}

static void put_calls(const struct ui *ui, struct hv_buf *rows)
{
    for (size_t i = 0; i < ui->calls.count && i < CALLS_SHOWN; i++)
        put_call(ui, ui->calls.items[i], rows);
    if (ui->calls.count > CALLS_SHOWN)
        hv_buf_addf(rows, "  and %zu more calls\n", ui->calls.count - CALLS_SHOWN);
}

static void put_activity(const struct ui *ui, struct hv_buf *rows)
{
    static const char *const spinner[] = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
    CLEANUP_BUF struct hv_buf line = {.max = VIEW_FRAME_MAX};
    if (!ui->turn_running)
        return;
    uint64_t seconds = (clock_monotonic_ns() - ui->turn_started_ns) / CLOCK_SECOND;
    hv_buf_addf(&line, "%s ", spinner[ui->tick % (sizeof spinner / sizeof *spinner)]);
    if (ui->retry.len) {
        paint_put(&ui->theme, PAINT_WARN, ui->retry, &line);
    } else {
        hv_buf_addf(&line, "%s %llus",
                    ui->interrupting ? "Interrupting"
                    : ui->thinking   ? "Thinking"
                                     : "Working",
                    (unsigned long long)seconds);
        if (ui->turn_tokens)
            hv_buf_addf(&line, " · %lld tokens", (long long)ui->turn_tokens);
        paint_put(&ui->theme, PAINT_DIM, HV_STR(" · Esc interrupts"), &line);
    }
    put_cut(ui, hv_buf_str(&line), rows);
}

static void put_queued(const struct ui *ui, struct hv_buf *rows)
{
    for (size_t i = 0; i < ui->queued.count && i < QUEUED_SHOWN; i++) {
        CLEANUP_BUF struct hv_buf line = {.max = VIEW_FRAME_MAX};
        struct hv_str text = ui->queued.items[i];
        paint_begin(&ui->theme, PAINT_DIM, &line);
        hv_buf_add_cstr(&line, "queued: ");
        paint_add(&line, hv_str_slice(text, 0, hv_str_find_byte(text, '\n', 0)));
        paint_end(&ui->theme, PAINT_DIM, &line);
        put_cut(ui, hv_buf_str(&line), rows);
    }
    if (ui->queued.count > QUEUED_SHOWN)
        hv_buf_addf(rows, "  and %zu more messages\n", ui->queued.count - QUEUED_SHOWN);
}

static void put_completions(const struct ui *ui, struct hv_buf *rows)
{
    struct hv_str rest = hv_buf_str(&ui->completions), line;
    size_t first = ui->completion >= COMPLETIONS_SHOWN ? ui->completion - COMPLETIONS_SHOWN + 1 : 0;
    for (size_t i = 0; paint_next_line(&rest, &line) && i < first + COMPLETIONS_SHOWN; i++) {
        CLEANUP_BUF struct hv_buf text = {.max = VIEW_FRAME_MAX};
        if (i < first)
            continue;
        hv_buf_add_cstr(&text, i == ui->completion ? "> " : "  ");
        paint_put(&ui->theme, i == ui->completion ? PAINT_ACCENT : PAINT_PLAIN, line, &text);
        put_cut(ui, hv_buf_str(&text), rows);
    }
}

static void put_tokens(struct hv_buf *out, int64_t tokens)
{
    if (tokens >= 1000000)
        hv_buf_addf(out, "%.1fM", (double)tokens / 1000000);
    else if (tokens >= 1000)
        hv_buf_addf(out, "%.1fk", (double)tokens / 1000);
    else
        hv_buf_addf(out, "%lld", (long long)tokens);
}

static void put_status(const struct ui *ui, struct hv_buf *rows)
{
    CLEANUP_BUF struct hv_buf line = {.max = VIEW_FRAME_MAX};
    struct ui_status status = {0};
    ui->front->status(ui->front->user, &status);
    paint_begin(&ui->theme, PAINT_DIM, &line);
    if (status.line.len) {
        paint_add(&line, status.line);
        paint_end(&ui->theme, PAINT_DIM, &line);
        put_cut(ui, hv_buf_str(&line), rows);
        return;
    }
    paint_add(&line, status.model);
    hv_buf_add_cstr(&line, " · ");
    paint_add(&line, status.mode);
    if (status.context_used > 0) {
        hv_buf_add_cstr(&line, " · ");
        put_tokens(&line, status.context_used);
        if (status.context_window > 0)
            hv_buf_addf(&line, " (%lld%%)", (long long)(status.context_used * 100 / status.context_window));
    }
    if (status.cost_known && status.cost > 0)
        hv_buf_addf(&line, " · $%.2f", status.cost);
    if (ui->tasks_running)
        hv_buf_addf(&line, " · %zu task%s in the background", ui->tasks_running, ui->tasks_running == 1 ? "" : "s");
    paint_end(&ui->theme, PAINT_DIM, &line);
    put_cut(ui, hv_buf_str(&line), rows);
}

/* ---- the editor -------------------------------------------------------------------------------------------------- */

struct layout {
    const struct ui *ui;
    struct hv_buf *rows;
    size_t row, cells, width;
};

static void new_row(struct layout *layout, size_t indent)
{
    hv_buf_addf(layout->rows, "\n%*s", (int)indent, "");
    layout->row++;
    layout->cells = indent;
}

static void put_cells(struct layout *layout, struct hv_str text, size_t width, size_t indent)
{
    if (layout->cells + width > layout->width && layout->cells > indent)
        new_row(layout, indent);
    hv_buf_add_str(layout->rows, text);
    layout->cells += width;
}

/* The part of a text around the caret that can be on the screen: what lies far above and below is not laid out. It
 * begins with a line where there is one, and stays while the caret moves about. */
static size_t find_window(const struct ui *ui, struct hv_str text, size_t caret, size_t *end)
{
    size_t cells = ui->columns * ui->rows, size = cells < WINDOW_MIN / 4 ? WINDOW_MIN : cells * 4;
    size = size > WINDOW_MAX ? WINDOW_MAX : size;
    *end = text.len - caret > size ? caret + size : text.len;
    while (*end < text.len && ((unsigned char)text.ptr[*end] & 0xc0) == 0x80)
        ++*end;
    if (caret <= 2 * size)
        return 0;
    size_t from = (caret / size - 1) * size, newline = hv_str_find_byte(text, '\n', from);
    if (newline < caret - size / 2)
        return newline + 1;
    while (((unsigned char)text.ptr[from] & 0xc0) == 0x80)
        from++;
    return from;
}

void frame_put_editor(struct ui *ui, const struct editor *editor, const char *prompt, struct hv_buf *rows,
                      size_t *caret_row, size_t *caret_column)
{
    struct layout layout = {.ui = ui, .rows = rows, .width = usable(ui)};
    struct hv_str text = hv_buf_str(&editor->text);
    size_t end, from = find_window(ui, text, editor->caret, &end);
    size_t indent = cluster_width(hv_str_from(prompt));
    indent = indent + 4 > layout.width ? 0 : indent;
    if (indent && from)
        hv_buf_addf(rows, "%*s", (int)indent, "");
    else if (indent)
        paint_put(&ui->theme, PAINT_ACCENT, hv_str_from(prompt), rows);
    layout.cells = indent;
    *caret_row = *caret_column = SIZE_MAX;
    for (size_t at = from; at <= end;) {
        if (at >= editor->caret && *caret_row == SIZE_MAX) {
            /* The caret stands where the next character would go. */
            if (layout.cells >= layout.width)
                new_row(&layout, indent);
            *caret_row = layout.row;
            *caret_column = layout.cells;
        }
        if (at == end)
            break;
        if (text.ptr[at] == '\n') {
            new_row(&layout, indent);
            at++;
            continue;
        }
        CLEANUP_BUF struct hv_buf shown = {.max = VIEW_FRAME_MAX};
        unsigned width;
        uint32_t rune;
        size_t len = cluster_next(text, at, &width);
        utf8_decode(text, at, &rune);
        if (!editor_chip(editor, rune, &shown))
            paint_add(&shown, hv_str_slice(text, at, at + len));
        put_cells(&layout, hv_buf_str(&shown), paint_width(hv_buf_str(&shown)), indent);
        at += len;
    }
    hv_buf_add_byte(rows, '\n');
}

static void put_search(struct ui *ui, struct hv_buf *rows, size_t *caret_row, size_t *caret_column)
{
    CLEANUP_BUF struct hv_buf line = {.max = VIEW_FRAME_MAX};
    hv_buf_add_cstr(&line, "search: ");
    paint_add(&line, hv_buf_str(&ui->needle));
    *caret_row = 0;
    *caret_column = paint_width(hv_buf_str(&line));
    if (ui->found != SIZE_MAX) {
        struct hv_str text = ui->editor.history.items[ui->found];
        hv_buf_add_cstr(&line, "  ");
        paint_put(&ui->theme, PAINT_DIM, hv_str_slice(text, 0, hv_str_find_byte(text, '\n', 0)), &line);
    }
    *caret_column = *caret_column < usable(ui) ? *caret_column : usable(ui);
    put_cut(ui, hv_buf_str(&line), rows);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static struct hv_str *split(struct hv_arena *arena, struct hv_str text, size_t *count)
{
    struct hv_str rest = text, line;
    size_t lines = 0;
    while (paint_next_line(&rest, &line))
        lines++;
    struct hv_str *items = hv_arena_array(arena, struct hv_str, lines + 1);
    for (rest = text, *count = 0; paint_next_line(&rest, &line);)
        items[(*count)++] = hv_arena_str(arena, line);
    return items;
}

/* The lower part, which must stay: a question or the editor with its list, and the status line. */
static void put_lower(struct ui *ui, struct hv_arena *arena, struct hv_buf *rows, size_t *caret_row,
                      size_t *caret_column)
{
    if (ui->question.question && ui->question.shown) {
        size_t most = ui->rows > 4 ? ui->rows - 3 : 1;
        question_put_rows(ui, most, rows);
        if (ui->question.state == QUESTION_KEYS || ui->question.state == QUESTION_EXPLAINED)
            return;
        size_t count = 0;
        (void)split(arena, hv_buf_str(rows), &count);
        frame_put_editor(ui, &ui->question.words, "> ", rows, caret_row, caret_column);
        *caret_row += count;
        return;
    }
    if (ui->picker.open) {
        CLEANUP_BUF struct hv_buf list = {.max = VIEW_FRAME_MAX};
        struct hv_str rest, line;
        picker_put_rows(ui, ui->rows > 4 ? ui->rows - 2 : 3, &list, caret_column);
        *caret_row = 0;
        *caret_column = *caret_column < usable(ui) ? *caret_column : usable(ui);
        for (rest = hv_buf_str(&list); paint_next_line(&rest, &line);)
            put_cut(ui, line, rows);
        return;
    }
    if (ui->searching)
        put_search(ui, rows, caret_row, caret_column);
    else
        frame_put_editor(ui, &ui->editor, "> ", rows, caret_row, caret_column);
    put_completions(ui, rows);
    put_status(ui, rows);
}

void frame_make(struct ui *ui, struct hv_arena *arena, struct screen_frame *frame)
{
    CLEANUP_BUF struct hv_buf upper = {.max = VIEW_FRAME_MAX}, lower = {.max = VIEW_FRAME_MAX};
    size_t caret_row = SIZE_MAX, caret_column = 0, upper_count, lower_count;
    put_open_block(ui, &upper);
    put_calls(ui, &upper);
    put_activity(ui, &upper);
    put_queued(ui, &upper);
    if (!upper.len && ui->blank_due && ui->rows > 4)
        hv_buf_add_byte(&upper, '\n');
    put_lower(ui, arena, &lower, &caret_row, &caret_column);
    struct hv_str *above = split(arena, hv_buf_str(&upper), &upper_count);
    struct hv_str *below = split(arena, hv_buf_str(&lower), &lower_count);
    size_t room = ui->rows ? ui->rows : 1;
    size_t last = caret_row == SIZE_MAX ? lower_count - 1 : caret_row;
    /* Too many: of the lower part the rows around the caret, of the upper one its end. */
    size_t skip = lower_count > room ? (last + 1 > room ? last + 1 - room : 0) : 0;
    size_t kept = lower_count - skip < room ? lower_count - skip : room;
    size_t from_above = upper_count < room - kept ? upper_count : room - kept;
    struct hv_str *rows = hv_arena_array(arena, struct hv_str, from_above + kept + 1);
    for (size_t i = 0; i < from_above; i++)
        rows[i] = above[upper_count - from_above + i];
    for (size_t i = 0; i < kept; i++)
        rows[from_above + i] = below[skip + i];
    *frame = (struct screen_frame){
        .rows = rows,
        .count = from_above + kept,
        .caret_row = from_above + (last - skip),
        .caret_column = caret_column,
        .hide_caret = caret_row == SIZE_MAX,
    };
}
