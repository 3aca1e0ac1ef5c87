/* table.h: the cells of one table, collected as Markdown, and how they are written when it ends. Pure. */
#ifndef HTML_TABLE_H
#define HTML_TABLE_H

#include "base/vec.h"
#include "html/writer.h"

enum { TABLE_COLUMNS_MAX = 200, TABLE_CELLS_MAX = 200000 };

struct table_cell {
    size_t start, end; /* in text */
    unsigned columns, rows;
    bool heading;
};

struct table {
    struct hv_buf text, caption;
    VEC(struct table_cell) cells;
    VEC(size_t) rows; /* index of each row's first cell */
    bool is_layout;   /* it only places things, or holds what no row of Markdown can */
    bool in_row;
};

void table_release(struct table *table);
void table_begin_row(struct table *table);
/* The cell is the one added last until table_end_cell. */
void table_begin_cell(struct table *table, struct hv_str columns, struct hv_str rows, bool heading);
void table_end_cell(struct table *table);
void table_write(struct table *table, struct writer *writer);

#endif
