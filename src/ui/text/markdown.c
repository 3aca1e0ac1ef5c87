/* markdown.c: md4c's events as painted lines. See markdown.h. */
#include "ui/text/markdown.h"

#include <md4c.h>

#include "base/cleanup.h"
#include "base/utf8.h"
#include "base/vec.h"

enum { DEPTH_MAX = 32, COLUMNS_MAX = 64 };

struct level {
    bool quote, ordered;
    char mark;
    uint64_t next;
    unsigned indent; /* cells that further lines of the present item are indented by */
};

struct render {
    const struct paint_theme *theme;
    struct hv_buf *out;
    size_t columns;
    struct level levels[DEPTH_MAX];
    size_t depth;
    char marker[32]; /* of an item that has no line yet */
    bool line_open, blank_due;
    bool in_code, in_table;
    struct highlight highlight;
    struct hv_buf code;
    VEC(size_t) cell_ends; /* in cells */
    struct hv_buf cells;
    size_t table_columns, head_rows;
};

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static struct hv_buf *sink(struct render *render)
{
    return render->in_table ? &render->cells : render->out;
}

static void put_prefix(struct render *render, bool with_marker)
{
    struct hv_buf *out = render->out;
    for (size_t i = 0; i < render->depth && i < DEPTH_MAX; i++) {
        const struct level *level = &render->levels[i];
        bool innermost_item = with_marker && render->marker[0] && i + 1 == render->depth && !level->quote;
        if (level->quote)
            paint_put(render->theme, PAINT_DIM, HV_STR("> "), out);
        else if (!innermost_item)
            hv_buf_addf(out, "%*s", (int)level->indent, "");
    }
    if (with_marker && render->marker[0]) {
        paint_put(render->theme, PAINT_ACCENT, hv_str_from(render->marker), out);
        hv_buf_add_byte(out, ' ');
        render->marker[0] = '\0';
    }
}

static void begin_line(struct render *render)
{
    if (render->line_open || render->in_table)
        return;
    if (render->blank_due && render->out->len) {
        bool quoted = false;
        for (size_t i = 0; i < render->depth && i < DEPTH_MAX; i++)
            quoted = quoted || render->levels[i].quote;
        if (quoted)
            put_prefix(render, false);
        hv_buf_add_byte(render->out, '\n');
    }
    render->blank_due = false;
    put_prefix(render, true);
    render->line_open = true;
}

static void end_line(struct render *render)
{
    if (render->line_open)
        hv_buf_add_byte(render->out, '\n');
    render->line_open = false;
}

/* ---- code -------------------------------------------------------------------------------------------------------- */

static void put_code(struct render *render)
{
    struct hv_str rest = hv_buf_str(&render->code), line;
    while (paint_next_line(&rest, &line)) {
        begin_line(render);
        highlight_line(&render->highlight, render->theme, line, render->out);
        end_line(render);
    }
    hv_buf_release(&render->code);
}

static void put_fence(struct render *render, struct hv_str info)
{
    begin_line(render);
    paint_begin(render->theme, PAINT_DIM, render->out);
    hv_buf_add_cstr(render->out, "```");
    paint_add(render->out, info);
    paint_end(render->theme, PAINT_DIM, render->out);
    end_line(render);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static struct hv_str cell(const struct render *render, size_t index)
{
    if (index >= render->cell_ends.count)
        return HV_STR("");
    size_t start = index ? render->cell_ends.items[index - 1] : 0;
    return hv_str_trim(hv_str_slice(hv_buf_str(&render->cells), start, render->cell_ends.items[index]));
}

static void put_grid(struct render *render, const size_t *widths, size_t rows)
{
    for (size_t row = 0; row < rows; row++) {
        begin_line(render);
        for (size_t column = 0; column < render->table_columns; column++) {
            struct hv_str text = cell(render, row * render->table_columns + column);
            bool last = column + 1 == render->table_columns;
            bool head = row < render->head_rows;
            paint_begin(render->theme, head ? PAINT_BOLD : PAINT_PLAIN, render->out);
            hv_buf_add_str(render->out, text);
            paint_end(render->theme, head ? PAINT_BOLD : PAINT_PLAIN, render->out);
            if (!last)
                hv_buf_addf(render->out, "%*s  ", (int)(widths[column] - paint_width(text)), "");
        }
        end_line(render);
        if (row + 1 != render->head_rows)
            continue;
        begin_line(render);
        for (size_t column = 0; column < render->table_columns; column++) {
            for (size_t i = 0; i < widths[column]; i++)
                hv_buf_add_cstr(render->out, "─");
            hv_buf_add_cstr(render->out, column + 1 == render->table_columns ? "" : "  ");
        }
        end_line(render);
    }
}

/* Too wide: each row as lines of "column: cell". */
static void put_records(struct render *render, size_t rows)
{
    for (size_t row = render->head_rows; row < rows; row++) {
        for (size_t column = 0; column < render->table_columns; column++) {
            struct hv_str name = render->head_rows ? cell(render, column) : HV_STR("");
            begin_line(render);
            hv_buf_add_cstr(render->out, column ? "  " : "");
            paint_begin(render->theme, PAINT_BOLD, render->out);
            hv_buf_addf(render->out, "%.*s%s", HV_STR_ARG(name), name.len ? ": " : "");
            paint_end(render->theme, PAINT_BOLD, render->out);
            hv_buf_add_str(render->out, cell(render, row * render->table_columns + column));
            end_line(render);
        }
    }
}

static void put_table(struct render *render)
{
    size_t widths[COLUMNS_MAX] = {0}, total = 0;
    size_t rows = render->table_columns ? render->cell_ends.count / render->table_columns : 0;
    bool fits = render->table_columns <= COLUMNS_MAX;
    for (size_t i = 0; fits && i < rows * render->table_columns; i++) {
        size_t width = paint_width(cell(render, i)), column = i % render->table_columns;
        widths[column] = width > widths[column] ? width : widths[column];
    }
    for (size_t i = 0; fits && i < render->table_columns; i++)
        total += widths[i] + (i ? 2 : 0);
    render->in_table = false;
    if (fits && total <= render->columns)
        put_grid(render, widths, rows);
    else
        put_records(render, rows);
    hv_buf_release(&render->cells);
    vec_release(&render->cell_ends);
}

/* ---- md4c's callbacks -------------------------------------------------------------------------------------------- */

static struct hv_str attribute(const MD_ATTRIBUTE *given)
{
    return hv_str_of(given->text, given->text ? given->size : 0);
}

static void begin_item(struct render *render, const MD_BLOCK_LI_DETAIL *item)
{
    struct level *level = &render->levels[render->depth < DEPTH_MAX ? render->depth - 1 : DEPTH_MAX - 1];
    const char *box = !item->is_task ? "" : item->task_mark == ' ' ? " [ ]" : " [x]";
    if (level->ordered) {
        snprintf(render->marker, sizeof render->marker, "%llu%c%s", (unsigned long long)level->next++, level->mark,
                 box);
        level->indent = (unsigned)snprintf(NULL, 0, "%llu", (unsigned long long)level->next - 1) + 2;
    } else {
        snprintf(render->marker, sizeof render->marker, "%c%s", level->mark, box);
        level->indent = 2;
    }
}

static void push_level(struct render *render, struct level level)
{
    if (render->depth < DEPTH_MAX)
        render->levels[render->depth] = level;
    render->depth++;
}

static void begin_list(struct render *render, MD_BLOCKTYPE type, const void *detail)
{
    const MD_BLOCK_UL_DETAIL *bullets = detail;
    const MD_BLOCK_OL_DETAIL *numbers = detail;
    end_line(render);
    if (type == MD_BLOCK_UL)
        push_level(render, (struct level){.mark = bullets->mark == '+' ? '+' : '-', .indent = 2});
    else
        push_level(render, (struct level){.ordered = true, .next = numbers->start, .mark = numbers->mark_delimiter});
}

static int enter_block(MD_BLOCKTYPE type, void *detail, void *user)
{
    struct render *render = user;
    switch (type) {
    case MD_BLOCK_QUOTE: push_level(render, (struct level){.quote = true}); break;
    case MD_BLOCK_UL:
    case MD_BLOCK_OL: begin_list(render, type, detail); break;
    case MD_BLOCK_LI: begin_item(render, detail); break;
    case MD_BLOCK_HR:
        begin_line(render);
        paint_put(render->theme, PAINT_DIM, HV_STR("---"), render->out);
        end_line(render);
        render->blank_due = true;
        break;
    case MD_BLOCK_H:
        begin_line(render);
        paint_begin(render->theme, PAINT_HEADING, render->out);
        for (unsigned i = 0; !render->theme->colour && i < ((MD_BLOCK_H_DETAIL *)detail)->level; i++)
            hv_buf_add_cstr(render->out, i + 1 == ((MD_BLOCK_H_DETAIL *)detail)->level ? "# " : "#");
        break;
    case MD_BLOCK_CODE: {
        const MD_BLOCK_CODE_DETAIL *code = detail;
        end_line(render);
        render->in_code = true;
        render->highlight = (struct highlight){.language = highlight_find(attribute(&code->lang))};
        hv_buf_init(&render->code, MARKDOWN_OUT_MAX);
        put_fence(render, attribute(&code->info));
        break;
    }
    case MD_BLOCK_TABLE: {
        const MD_BLOCK_TABLE_DETAIL *table = detail;
        begin_line(render);
        render->line_open = false;
        render->in_table = true;
        render->table_columns = table->col_count;
        render->head_rows = table->head_row_count;
        hv_buf_init(&render->cells, MARKDOWN_OUT_MAX);
        break;
    }
    case MD_BLOCK_P:
    case MD_BLOCK_HTML: begin_line(render); break;
    default: break;
    }
    return 0;
}

static int leave_block(MD_BLOCKTYPE type, void *detail, void *user)
{
    struct render *render = user;
    (void)detail;
    switch (type) {
    case MD_BLOCK_QUOTE:
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
        render->depth--;
        render->blank_due = render->depth == 0 || type == MD_BLOCK_QUOTE;
        break;
    case MD_BLOCK_LI:
        if (render->marker[0])
            begin_line(render); /* an item without text */
        end_line(render);
        render->blank_due = false;
        break;
    case MD_BLOCK_H:
        paint_end(render->theme, PAINT_HEADING, render->out);
        end_line(render);
        render->blank_due = true;
        break;
    case MD_BLOCK_CODE:
        render->in_code = false;
        put_code(render);
        put_fence(render, HV_STR(""));
        render->blank_due = true;
        break;
    case MD_BLOCK_TABLE:
        put_table(render);
        render->blank_due = true;
        break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD: *vec_push(&render->cell_ends) = render->cells.len; break;
    case MD_BLOCK_P:
    case MD_BLOCK_HTML:
        end_line(render);
        render->blank_due = true;
        break;
    default: break;
    }
    return 0;
}

static enum paint_style style_of(MD_SPANTYPE type)
{
    switch (type) {
    case MD_SPAN_EM: return PAINT_ITALIC;
    case MD_SPAN_STRONG: return PAINT_BOLD;
    case MD_SPAN_CODE: return PAINT_CODE;
    case MD_SPAN_DEL: return PAINT_STRIKE;
    case MD_SPAN_A: return PAINT_LINK;
    default: return PAINT_PLAIN;
    }
}

static int enter_span(MD_SPANTYPE type, void *detail, void *user)
{
    struct render *render = user;
    begin_line(render);
    if (type == MD_SPAN_A)
        paint_link_begin(render->theme, attribute(&((MD_SPAN_A_DETAIL *)detail)->href), sink(render));
    else if (type == MD_SPAN_IMG)
        hv_buf_add_cstr(sink(render), "[picture: ");
    /* Without colours the marks themselves say it. */
    if (!render->theme->colour && type == MD_SPAN_CODE)
        hv_buf_add_byte(sink(render), '`');
    paint_begin(render->theme, style_of(type), sink(render));
    return 0;
}

static int leave_span(MD_SPANTYPE type, void *detail, void *user)
{
    struct render *render = user;
    paint_end(render->theme, style_of(type), sink(render));
    if (!render->theme->colour && type == MD_SPAN_CODE)
        hv_buf_add_byte(sink(render), '`');
    if (type == MD_SPAN_A) {
        struct hv_str url = attribute(&((MD_SPAN_A_DETAIL *)detail)->href);
        paint_link_end(render->theme, url, sink(render));
        struct hv_str before = hv_buf_str(sink(render));
        if (!render->theme->links && url.len && !hv_str_ends(before, url)) {
            hv_buf_add_cstr(sink(render), " (");
            paint_add(sink(render), url);
            hv_buf_add_byte(sink(render), ')');
        }
    } else if (type == MD_SPAN_IMG) {
        hv_buf_add_byte(sink(render), ']');
    }
    return 0;
}

/* The few entities that models write; others stay as they are written. */
static void put_entity(struct hv_buf *out, struct hv_str text)
{
    static const struct {
        const char *entity, *text;
    } known[] = {{"&amp;", "&"},  {"&lt;", "<"},          {"&gt;", ">"},    {"&quot;", "\""}, {"&apos;", "'"},
                 {"&#39;", "'"},  {"&nbsp;", "\xc2\xa0"}, {"&mdash;", "—"}, {"&ndash;", "–"}, {"&hellip;", "…"},
                 {"&rarr;", "→"}, {"&larr;", "←"},        {"&times;", "×"}, {"&copy;", "©"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (hv_str_is(text, known[i].entity)) {
            hv_buf_add_cstr(out, known[i].text);
            return;
        }
    }
    paint_add(out, text);
}

static int text_event(MD_TEXTTYPE type, const MD_CHAR *bytes, MD_SIZE size, void *user)
{
    struct render *render = user;
    struct hv_str text = hv_str_of(bytes, size);
    if (render->in_code) {
        hv_buf_add_str(&render->code, text);
        return 0;
    }
    begin_line(render);
    switch (type) {
    case MD_TEXT_NULLCHAR: hv_buf_add_cstr(sink(render), UTF8_REPLACEMENT); break;
    case MD_TEXT_BR:
        if (render->in_table) {
            hv_buf_add_byte(sink(render), ' ');
        } else {
            end_line(render);
            begin_line(render);
        }
        break;
    case MD_TEXT_SOFTBR: hv_buf_add_byte(sink(render), ' '); break;
    case MD_TEXT_ENTITY: put_entity(sink(render), text); break;
    default: paint_add(sink(render), text);
    }
    return render->out->failed;
}

/* ---- rules of tables --------------------------------------------------------------------------------------------- */

/* "|--|:-:|", the line below the head of a table. */
static bool is_table_rule(struct hv_str line)
{
    for (size_t i = 0; i < line.len; i++)
        if (!strchr("|-: \t\r", line.ptr[i]) || !line.ptr[i])
            return false;
    return hv_str_find_byte(line, '|', 0) != SIZE_MAX && hv_str_find_byte(line, '-', 0) != SIZE_MAX;
}

static void put_table_rule(struct hv_str line, struct hv_buf *out)
{
    for (size_t i = 0; i < line.len; i++) {
        bool alone = line.ptr[i] == '-' && (i == 0 || line.ptr[i - 1] != '-');
        hv_buf_addf(out, "%s%c", alone ? "--" : "", line.ptr[i]);
    }
}

/* Models write one or two hyphens in a cell, as the rules allow; md4c up to 0.4 wants three. */
static void widen_table_rules(struct hv_str source, struct hv_buf *out)
{
    bool in_code = false;
    struct hv_str line;
    while (paint_next_line(&source, &line)) {
        struct hv_str text = hv_str_trim(line);
        in_code ^= hv_str_starts(text, HV_STR("```")) || hv_str_starts(text, HV_STR("~~~"));
        if (!in_code && is_table_rule(line))
            put_table_rule(line, out);
        else
            hv_buf_add_str(out, line);
        hv_buf_add_byte(out, '\n');
    }
}

void markdown_render(const struct paint_theme *theme, struct hv_str source, size_t columns, struct hv_buf *out)
{
    CLEANUP_BUF struct hv_buf lines = {0}, widened = {.max = MARKDOWN_OUT_MAX};
    static const MD_PARSER parser = {
        .flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS | MD_FLAG_PERMISSIVEURLAUTOLINKS |
                 MD_FLAG_NOHTML | MD_FLAG_NOINDENTEDCODEBLOCKS,
        .enter_block = enter_block,
        .leave_block = leave_block,
        .enter_span = enter_span,
        .leave_span = leave_span,
        .text = text_event,
    };
    hv_buf_init(&lines, MARKDOWN_OUT_MAX);
    struct render render = {.theme = theme, .out = &lines, .columns = columns};
    if (hv_str_find_byte(source, '|', 0) != SIZE_MAX) {
        widen_table_rules(source, &widened);
        source = hv_buf_str(&widened);
    }
    if (source.len)
        md_parse(source.ptr, (MD_SIZE)source.len, &parser, &render);
    end_line(&render);
    hv_buf_release(&render.code);
    hv_buf_release(&render.cells);
    vec_release(&render.cell_ends);
    hv_buf_add_str(out, hv_buf_str(&lines));
}
