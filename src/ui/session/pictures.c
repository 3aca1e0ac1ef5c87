/* pictures.c: pictures in the scroll-back: by the protocol of kitty or iTerm2, as sixels, or as coloured characters. */
#include "base/base64.h"
#include "base/cleanup.h"
#include "ui/session/view.h"

enum { COLUMNS_MOST = 60, ROWS_MOST = 20, INDENT = 2, KITTY_CHUNK = 4096 };

static bool is_variable(const char *name, const char *value)
{
    const char *present = getenv(name);
    return present && strcmp(present, value) == 0;
}

/* What is inside tmux or screen hears only what these know. */
static enum ui_drawing_kind kind_of(const struct ui *ui, const struct ui_drawing *wanted)
{
    const char *term = getenv("TERM");
    bool direct = !getenv("TMUX") && !getenv("STY");
    if (direct && (getenv("KITTY_WINDOW_ID") || (term && strstr(term, "kitty")) ||
                   is_variable("TERM_PROGRAM", "ghostty") || is_variable("TERM_PROGRAM", "WezTerm")))
        return UI_DRAWING_KITTY;
    if (direct && (is_variable("TERM_PROGRAM", "iTerm.app") || is_variable("LC_TERMINAL", "iTerm2")))
        return UI_DRAWING_ITERM;
    return ui->has_sixels && wanted->cell_width && wanted->cell_height ? UI_DRAWING_SIXELS : UI_DRAWING_CELLS;
}

static unsigned at_most(size_t value, unsigned most)
{
    return value < most ? (unsigned)value : most;
}

void pictures_ask(struct ui *ui, const struct hv_json *blocks)
{
    struct ui_drawing wanted = {0};
    bool fits = ui->theme.colour && !ui->earlier && ui->columns > 10 && ui->rows > 8;
    if (!fits || !ui->front->draw_picture || hv_json_type_of(blocks) != HV_JSON_ARRAY)
        return;
    terminal_cell_size(ui->terminal, &wanted.cell_width, &wanted.cell_height);
    wanted.kind = kind_of(ui, &wanted);
    if (wanted.kind == UI_DRAWING_CELLS)
        wanted.cell_width = wanted.cell_height = 0; /* they are what it is made of */
    wanted.columns = at_most(ui->columns - INDENT - 1, COLUMNS_MOST);
    wanted.rows = at_most(ui->rows - 6, ROWS_MOST);
    wanted.true_colour = is_variable("COLORTERM", "truecolor") || is_variable("COLORTERM", "24bit");
    hv_json_each(block, blocks)
    {
        struct hv_str path = hv_json_get_string(block, "path");
        if (hv_str_is(hv_json_get_string(block, "type"), "picture") && path.len)
            ui->front->draw_picture(ui->front->user, path, &wanted);
    }
}

static void put_kitty(const struct ui_drawing *drawing, struct hv_str data, struct hv_buf *out)
{
    hv_buf_addf(out, "\033_Ga=T,f=100,q=2,C=1,c=%u,r=%u,m=%d;", drawing->columns, drawing->rows,
                data.len > KITTY_CHUNK);
    for (size_t at = 0; at < data.len; at += KITTY_CHUNK) {
        if (at)
            hv_buf_addf(out, "\033_Gm=%d;", at + KITTY_CHUNK < data.len);
        hv_buf_add_str(out, hv_str_slice(data, at, at + KITTY_CHUNK < data.len ? at + KITTY_CHUNK : data.len));
        hv_buf_add_cstr(out, "\033\\");
    }
}

/* Its rows are there before it is: nothing of it scrolls away. Then back to their top, and after it where it began. */
static void put_graphics(const struct ui_drawing *drawing, struct hv_buf *out)
{
    CLEANUP_BUF struct hv_buf data = {.max = VIEW_FINISHED_MAX};
    for (unsigned row = 1; row < drawing->rows; row++)
        hv_buf_add_byte(out, '\n');
    hv_buf_add_cstr(out, "\0337\r");
    if (drawing->rows > 1)
        hv_buf_addf(out, "\033[%uA", drawing->rows - 1);
    hv_buf_addf(out, "\033[%dC", INDENT);
    if (drawing->kind != UI_DRAWING_SIXELS)
        base64_encode(&data, drawing->bytes, BASE64_STANDARD);
    if (drawing->kind == UI_DRAWING_SIXELS)
        hv_buf_add_str(out, drawing->bytes);
    else if (drawing->kind == UI_DRAWING_KITTY)
        put_kitty(drawing, hv_buf_str(&data), out);
    else
        hv_buf_addf(out, "\033]1337;File=inline=1;width=%u;height=%u:%.*s\a", drawing->columns, drawing->rows,
                    HV_STR_ARG(hv_buf_str(&data)));
    hv_buf_add_cstr(out, "\0338\n");
}

void pictures_show(struct ui *ui, const struct ui_drawing *drawing)
{
    CLEANUP_BUF struct hv_buf out = {.max = VIEW_FINISHED_MAX};
    struct hv_str rest = drawing->bytes, line;
    if (drawing->kind != UI_DRAWING_CELLS)
        put_graphics(drawing, &out);
    else
        while (paint_next_line(&rest, &line))
            hv_buf_addf(&out, "%*s%.*s\033[0m\n", INDENT, "", HV_STR_ARG(line));
    events_put_card(ui, hv_buf_str(&out));
}
