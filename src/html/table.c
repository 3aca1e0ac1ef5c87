/* table.c: see table.h. A cell over several columns stands in the first, one over several rows in each of them. */
#include "html/table.h"

#include "base/cleanup.h"

#include <stdlib.h>

enum { REPEATED_MAX = 200 }; /* bytes: longer cells stand in their first row only */

void table_release(struct table *table)
{
    hv_buf_release(&table->text);
    hv_buf_release(&table->caption);
    vec_release(&table->cells);
    vec_release(&table->rows);
}

void table_begin_row(struct table *table)
{
    *vec_push(&table->rows) = table->cells.count;
    table->in_row = true;
}

static unsigned span(struct hv_str text, unsigned most)
{
    int64_t value;
    if (!hv_str_to_int64(hv_str_trim(text), &value) || value < 1)
        return 1;
    return value > most ? most : (unsigned)value;
}

void table_begin_cell(struct table *table, struct hv_str columns, struct hv_str rows, bool heading)
{
    if (!table->in_row)
        table_begin_row(table);
    *vec_push(&table->cells) = (struct table_cell){.start = table->text.len,
                                                   .end = table->text.len,
                                                   .columns = span(columns, TABLE_COLUMNS_MAX),
                                                   .rows = span(rows, 65534),
                                                   .heading = heading};
}

void table_end_cell(struct table *table)
{
    if (table->cells.count)
        table->cells.items[table->cells.count - 1].end = table->text.len;
}

static size_t row_end(const struct table *table, size_t row)
{
    return row + 1 < table->rows.count ? table->rows.items[row + 1] : table->cells.count;
}

/* ---- as a grid --------------------------------------------------------------------------------------------------- */

/* What stands in each column from the rows above. */
struct column {
    size_t cell; /* index */
    unsigned left;
};

static void put_cell(struct hv_buf *line, struct hv_str text)
{
    hv_buf_add_cstr(line, " ");
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\n') {
            while (line->len && line->data[line->len - 1] == ' ')
                line->len--;
            while (i + 1 < text.len && (text.ptr[i + 1] == '\n' || text.ptr[i + 1] == ' '))
                i++;
            hv_buf_add_cstr(line, "<br>");
        } else {
            if (text.ptr[i] == '|')
                hv_buf_add_byte(line, '\\');
            hv_buf_add_byte(line, text.ptr[i]);
        }
    }
    hv_buf_add_cstr(line, " |");
}

static struct hv_str cell_text(const struct table *table, size_t cell)
{
    const struct table_cell *at = &table->cells.items[cell];
    return hv_str_trim(hv_str_slice(hv_buf_str(&table->text), at->start, at->end));
}

/* Lay one row over the columns: calls put for each column; returns how many it takes. */
static size_t walk_row(const struct table *table, size_t row, struct column *columns, struct hv_buf *line)
{
    size_t at = 0, cell = table->rows.items[row], end = row_end(table, row), last = TABLE_COLUMNS_MAX;
    while (last && !columns[last - 1].left)
        last--;
    while (at < TABLE_COLUMNS_MAX) {
        if (columns[at].left) {
            columns[at].left--;
            struct hv_str text = columns[at].cell == SIZE_MAX ? HV_STR("") : cell_text(table, columns[at].cell);
            if (line)
                put_cell(line, text.len > REPEATED_MAX ? HV_STR("") : text);
            at++;
            continue;
        }
        if (cell == end) {
            if (at >= last)
                break;
            if (line)
                put_cell(line, HV_STR(""));
            at++;
            continue;
        }
        const struct table_cell *now = &table->cells.items[cell];
        for (unsigned i = 0; i < now->columns && at < TABLE_COLUMNS_MAX && (!i || !columns[at].left); i++, at++) {
            columns[at] = (struct column){i ? SIZE_MAX : cell, now->rows - 1};
            if (line)
                put_cell(line, i ? HV_STR("") : cell_text(table, cell));
        }
        cell++;
    }
    return at;
}

static size_t count_columns(const struct table *table)
{
    struct column columns[TABLE_COLUMNS_MAX] = {0};
    size_t most = 0;
    for (size_t row = 0; row < table->rows.count; row++) {
        size_t taken = walk_row(table, row, columns, NULL);
        most = taken > most ? taken : most;
    }
    return most;
}

static void put_grid(struct table *table, struct writer *writer, size_t width)
{
    struct column columns[TABLE_COLUMNS_MAX] = {0};
    CLEANUP_BUF struct hv_buf lines = {.max = writer->to.out->max};
    bool first = true;
    for (size_t row = 0; row < table->rows.count; row++) {
        size_t start = lines.len;
        hv_buf_add_cstr(&lines, "|");
        size_t taken = walk_row(table, row, columns, &lines);
        if (!taken) {
            lines.len = start;
            continue;
        }
        for (; taken < width; taken++)
            put_cell(&lines, HV_STR(""));
        hv_buf_add_byte(&lines, '\n');
        for (size_t i = 0; first && i < width; i++)
            hv_buf_add_cstr(&lines, i ? " --- |" : "| --- |");
        if (first)
            hv_buf_add_byte(&lines, '\n');
        first = false;
    }
    writer_lines(writer, hv_str_trim(hv_buf_str(&lines)));
}

/* ---- as blocks --------------------------------------------------------------------------------------------------- */

static void put_blocks(struct table *table, struct writer *writer)
{
    for (size_t i = 0; i < table->cells.count; i++) {
        struct hv_str text = cell_text(table, i);
        if (text.len)
            writer_lines(writer, text);
    }
}

void table_write(struct table *table, struct writer *writer)
{
    struct hv_str caption = hv_str_trim(hv_buf_str(&table->caption));
    if (caption.len)
        writer_lines(writer, caption);
    bool filled = false;
    for (size_t i = 0; i < table->cells.count && !filled; i++)
        filled = cell_text(table, i).len > 0;
    if (!filled)
        return;
    size_t width = count_columns(table);
    if (table->is_layout || width < 2 || table->cells.count > TABLE_CELLS_MAX)
        put_blocks(table, writer);
    else
        put_grid(table, writer, width);
}
