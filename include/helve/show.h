/*
 * show.h: what a person is shown of a call, a question or a result, as data: typed, bounded blocks.
 *
 * They are made once, on the worker that runs the call, from the tool's render slots (helve/tool.h), travel in events
 * and are journalled. Screens, plain output and programs only read them; none of them knows a tool. A list of blocks is
 * a JSON array of objects; a reader leaves out what it does not know:
 *   {"type":"text","text":…}                                       plain lines
 *   {"type":"code","path":…,"start":1,"text":…}                    source text; path tells the language; first line's
 * number
 *   {"type":"output","text":…,"above":N}                           the end of what a program printed; N lines before it
 *   {"type":"diff","text":…}                                       a unified diff
 *   {"type":"list","items":[{"text":…,"state":"open|active|done"}]}
 *   {"type":"table","columns":[…],"rows":[[…]]}                    cells are texts
 *   {"type":"picture","path":…,"media_type":…}                     a file
 *   {"type":"facts","facts":[{"name":…,"text":…}]}                 what a question is about
 * "cut":true on a block: more was there than is shown.
 */
#ifndef HELVE_SHOW_H
#define HELVE_SHOW_H

#include <helve/json.h>

enum { HV_SHOW_TEXT_MAX = 8 << 10, HV_SHOW_DIFF_MAX = 128 << 10, HV_SHOW_ITEMS_MAX = 200, HV_SHOW_BLOCKS_MAX = 16 };

/* The writer of one list of blocks. One thread at a time. */
struct hv_show {
    struct hv_json_writer writer;
    size_t count;
};

/* What an entry of a list is. */
enum hv_show_state { HV_SHOW_NO_STATE = 0, HV_SHOW_OPEN, HV_SHOW_ACTIVE, HV_SHOW_DONE };

struct hv_show_item {
    struct hv_str text;
    enum hv_show_state state;
};

/* Begin a list in buf, which the caller owns; end it with hv_show_end. Over HV_SHOW_BLOCKS_MAX blocks are left out. */
HV_API void hv_show_begin(struct hv_show *show, struct hv_buf *buf);
HV_API void hv_show_end(struct hv_show *show);

/* Texts are cut at HV_SHOW_TEXT_MAX bytes, between characters: the beginning is kept, of an output the end. */
HV_API void hv_show_text(struct hv_show *show, struct hv_str text);
/* path may be absent; start: number of the first line, 0: not known. */
HV_API void hv_show_code(struct hv_show *show, struct hv_str path, uint64_t start, struct hv_str text);
/* The last lines of it, at most `lines`. */
HV_API void hv_show_output(struct hv_show *show, struct hv_str text, size_t lines);
HV_API void hv_show_diff(struct hv_show *show, struct hv_str diff);
HV_API void hv_show_list(struct hv_show *show, const struct hv_show_item *items, size_t count);
/* cells: rows × columns, row by row. */
HV_API void hv_show_table(struct hv_show *show, const struct hv_str *columns, size_t column_count,
                          const struct hv_str *cells, size_t row_count);
HV_API void hv_show_picture(struct hv_show *show, struct hv_str path, struct hv_str media_type);
/* Pairs of name and text. */
HV_API void hv_show_facts(struct hv_show *show, const struct hv_str *pairs, size_t count);

#endif
