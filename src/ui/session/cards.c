/* cards.c: blocks (helve/show.h) as painted lines: of results, questions and earlier sessions alike. Pure. */
#include "base/cleanup.h"
#include "text/diff_words.h"
#include "ui/session/view.h"

enum { BRIEF_LINES = 5, BRIEF_CODE = 3, BRIEF_DIFF = 60, INDENT = 2, LABEL_MAX = 200, COLUMNS_MAX = 8 };

static const struct hv_json *parse(struct hv_arena *arena, struct hv_str json)
{
    const struct hv_json *value = NULL;
    if (!json.len || hv_json_parse(arena, json, HV_JSON_STRICT, &value, NULL) != HV_OK)
        return NULL;
    return value;
}

struct hv_str cards_title(struct hv_arena *arena, struct hv_str blocks)
{
    const struct hv_json *list = parse(arena, blocks);
    hv_json_each(block, hv_json_type_of(list) == HV_JSON_ARRAY ? list : NULL)
    {
        struct hv_str text = hv_json_get_string(block, "text");
        if (hv_str_is(hv_json_get_string(block, "type"), "text") && text.len)
            return hv_arena_str(arena, hv_str_slice(text, 0, hv_str_find_byte(text, '\n', 0)));
    }
    return (struct hv_str){0};
}

struct hv_str cards_label(struct hv_arena *arena, struct hv_str input)
{
    const struct hv_json *value = NULL;
    if (hv_json_parse(arena, input, HV_JSON_REPAIR_SURROGATES | HV_JSON_REPAIR_UTF8, &value, NULL) != HV_OK)
        return HV_STR("");
    hv_json_each(member, value)
    {
        struct hv_str text = hv_json_string(member);
        if (text.len)
            return hv_arena_str(arena,
                                hv_str_slice(hv_str_slice(text, 0, hv_str_find_byte(text, '\n', 0)), 0, LABEL_MAX));
    }
    return HV_STR("");
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static void indent(struct hv_buf *out)
{
    hv_buf_addf(out, "%*s", INDENT, "");
}

static void put_left_out(const struct ui *ui, size_t count, bool *folded, struct hv_buf *out)
{
    indent(out);
    paint_begin(&ui->theme, PAINT_DIM, out);
    hv_buf_addf(out, "… %zu more line%s (Ctrl-O shows them)", count, count == 1 ? "" : "s");
    paint_end(&ui->theme, PAINT_DIM, out);
    hv_buf_add_byte(out, '\n');
    *folded = true;
}

static size_t count_lines(struct hv_str text)
{
    size_t count = 0;
    struct hv_str line;
    while (paint_next_line(&text, &line))
        count++;
    return count;
}

static void put_text(const struct ui *ui, struct hv_str text, enum paint_style style, size_t most, bool *folded,
                     struct hv_buf *out)
{
    struct hv_str line;
    size_t total = count_lines(text), shown = 0;
    while (paint_next_line(&text, &line)) {
        if (shown == most && total > most + 1) {
            put_left_out(ui, total - shown, folded, out);
            return;
        }
        shown++;
        indent(out);
        paint_put(&ui->theme, style, line, out);
        hv_buf_add_byte(out, '\n');
    }
}

/* The end of an output: what stands above it is what is left out. */
static void put_output(const struct ui *ui, const struct hv_json *block, size_t most, bool *folded, struct hv_buf *out)
{
    struct hv_str text = hv_json_get_string(block, "text"), line;
    int64_t above = 0;
    (void)hv_json_int64(hv_json_get(block, "above"), &above);
    size_t total = count_lines(text), skip = total > most + 1 ? total - most : 0;
    for (size_t i = 0; i < skip; i++)
        (void)paint_next_line(&text, &line);
    if (skip)
        put_left_out(ui, skip + (size_t)above, folded, out);
    else if (above > 0) {
        indent(out);
        hv_buf_addf(out, "… %lld line%s before\n", (long long)above, above == 1 ? "" : "s");
    }
    put_text(ui, text, PAINT_DIM, SIZE_MAX - 1, folded, out);
}

static void put_code(const struct ui *ui, const struct hv_json *block, size_t most, bool *folded, struct hv_buf *out)
{
    struct hv_str text = hv_json_get_string(block, "text"), line;
    struct highlight state = {.language = highlight_find(hv_json_get_string(block, "path"))};
    size_t total = count_lines(text), shown = 0;
    int64_t start = 0;
    (void)hv_json_int64(hv_json_get(block, "start"), &start);
    while (paint_next_line(&text, &line)) {
        if (shown == most && total > most + 1) {
            put_left_out(ui, total - shown, folded, out);
            return;
        }
        indent(out);
        if (start > 0) {
            paint_begin(&ui->theme, PAINT_DIM, out);
            hv_buf_addf(out, "%5lld  ", (long long)start + (long long)shown);
            paint_end(&ui->theme, PAINT_DIM, out);
        }
        shown++;
        highlight_line(&state, &ui->theme, line, out);
        hv_buf_add_byte(out, '\n');
    }
}

void cards_put_diff(const struct ui *ui, struct hv_str diff, size_t most, bool *folded, struct hv_buf *out)
{
    CLEANUP_BUF struct hv_buf clean = {.max = VIEW_FINISHED_MAX}, painted = {.max = VIEW_FINISHED_MAX};
    struct hv_str rest, line;
    paint_add(&clean, diff);
    rest = hv_str_trim(hv_buf_str(&clean));
    if (ui->theme.colour) {
        diff_paint(rest, &painted);
        rest = hv_buf_str(&painted);
    }
    size_t total = count_lines(rest), shown = 0;
    while (paint_next_line(&rest, &line)) {
        if (shown == most && total > most + 1) {
            put_left_out(ui, total - shown, folded, out);
            return;
        }
        shown++;
        indent(out);
        hv_buf_add_str(out, line);
        hv_buf_add_byte(out, '\n');
    }
}

static void put_list(const struct ui *ui, const struct hv_json *block, struct hv_buf *out)
{
    hv_json_each(item, hv_json_get(block, "items"))
    {
        struct hv_str state = hv_json_get_string(item, "state");
        bool done = hv_str_is(state, "done"), active = hv_str_is(state, "active");
        indent(out);
        hv_buf_add_cstr(out, done ? "[x] " : active ? "[>] " : state.len ? "[ ] " : "- ");
        paint_put(&ui->theme,
                  done     ? PAINT_DIM
                  : active ? PAINT_BOLD
                           : PAINT_PLAIN,
                  hv_json_get_string(item, "text"), out);
        hv_buf_add_byte(out, '\n');
    }
}

/* How wide the columns of the rows that are shown are, as far as half of the line goes. */
static void measure(const struct ui *ui, const struct hv_json *rows, size_t most, size_t widths[COLUMNS_MAX])
{
    size_t shown = 0;
    hv_json_each(row, rows)
    {
        size_t column = 0;
        if (shown++ == most)
            return;
        hv_json_each(cell, row)
        {
            CLEANUP_BUF struct hv_buf text = {.max = VIEW_FRAME_MAX};
            paint_add(&text, hv_json_string(cell));
            size_t width = paint_width(hv_buf_str(&text));
            if (column < COLUMNS_MAX && width > widths[column] && width <= ui->columns / 2)
                widths[column] = width;
            column++;
        }
    }
}

static void put_table(const struct ui *ui, const struct hv_json *block, size_t most, bool *folded, struct hv_buf *out)
{
    const struct hv_json *rows = hv_json_get(block, "rows");
    size_t widths[COLUMNS_MAX] = {0}, shown = 0;
    measure(ui, rows, most, widths);
    hv_json_each(row, rows)
    {
        size_t column = 0;
        if (shown == most && rows->count > most + 1) {
            put_left_out(ui, rows->count - shown, folded, out);
            return;
        }
        shown++;
        indent(out);
        hv_json_each(cell, row)
        {
            CLEANUP_BUF struct hv_buf text = {.max = VIEW_FRAME_MAX};
            paint_put(&ui->theme, column ? PAINT_DIM : PAINT_PLAIN, hv_json_string(cell), &text);
            size_t width = paint_width(hv_buf_str(&text)), room = column < COLUMNS_MAX ? widths[column] : 0;
            hv_buf_add_str(out, hv_buf_str(&text));
            hv_buf_addf(out, "%*s", cell->next ? (int)(room > width ? room - width : 0) + 2 : 0, "");
            column++;
        }
        hv_buf_add_byte(out, '\n');
    }
}

static void put_facts(const struct ui *ui, const struct hv_json *block, struct hv_buf *out)
{
    hv_json_each(fact, hv_json_get(block, "facts"))
    {
        struct hv_str text = hv_json_get_string(fact, "text");
        bool harmless = hv_str_is(text, "only reads");
        indent(out);
        paint_put(&ui->theme, harmless ? PAINT_GOOD : PAINT_WARN, text, out);
        hv_buf_add_byte(out, '\n');
    }
}

void cards_put_blocks(const struct ui *ui, struct hv_str blocks, bool brief, bool *folded, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *list = parse(&arena, blocks);
    size_t most = brief ? BRIEF_LINES : SIZE_MAX - 1;
    hv_json_each(block, hv_json_type_of(list) == HV_JSON_ARRAY ? list : NULL)
    {
        struct hv_str type = hv_json_get_string(block, "type"), text = hv_json_get_string(block, "text");
        if (hv_str_is(type, "text"))
            put_text(ui, text, PAINT_PLAIN, most, folded, out);
        else if (hv_str_is(type, "code"))
            put_code(ui, block, brief ? BRIEF_CODE : most, folded, out);
        else if (hv_str_is(type, "output"))
            put_output(ui, block, most, folded, out);
        else if (hv_str_is(type, "diff"))
            cards_put_diff(ui, text, brief ? BRIEF_DIFF : most, folded, out);
        else if (hv_str_is(type, "list"))
            put_list(ui, block, out);
        else if (hv_str_is(type, "table"))
            put_table(ui, block, most, folded, out);
        else if (hv_str_is(type, "facts"))
            put_facts(ui, block, out);
        else if (hv_str_is(type, "picture"))
            put_text(ui, hv_json_get_string(block, "path"), PAINT_LINK, most, folded, out);
        if (!brief && hv_json_bool(hv_json_get(block, "cut"), false) && !hv_str_is(type, "output"))
            put_text(ui, HV_STR("… (cut; the whole is in the session's journal)"), PAINT_DIM, most, folded, out);
    }
}
