/* blocks.c: see blocks.h. */
#include "cli/blocks.h"

#include "base/cleanup.h"
#include "policy/visible.h"
#include "text/ansi.h"
#include "text/diff_words.h"

enum { TEXT_MAX = 4 << 20 };

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define RESET "\033[0m"

static void clean(struct hv_str text, struct hv_buf *out)
{
    CLEANUP_BUF struct hv_buf plain = {.max = TEXT_MAX};
    ansi_clean(text, &plain);
    visible_add_straight(out, hv_buf_str(&plain));
}

static size_t count_lines(struct hv_str text)
{
    size_t count = 0;
    struct hv_str line;
    while (text.len && hv_str_split(&text, '\n', &line))
        count++;
    return count;
}

static void put_line(const struct blocks_style *style, const char *code, struct hv_str line, struct hv_buf *out)
{
    bool painted = style->colour && *code;
    hv_buf_addf(out, "%s%s%.*s%s\n", style->margin, painted ? code : "", HV_STR_ARG(line), painted ? RESET : "");
}

/* "… 12 more lines" */
static void put_left_out(const struct blocks_style *style, uint64_t count, const char *where, struct hv_buf *out)
{
    char text[64];
    snprintf(text, sizeof text, "… %llu line%s %s", (unsigned long long)count, count == 1 ? "" : "s", where);
    put_line(style, DIM, hv_str_from(text), out);
}

/* Lines that are clean; from_end: of too many the last ones, and `above` have been left out before. */
static void put_lines(const struct blocks_style *style, const char *code, struct hv_str text, bool from_end,
                      uint64_t above, struct hv_buf *out)
{
    struct hv_str line;
    size_t total = count_lines(text), most = style->lines ? style->lines : SIZE_MAX;
    size_t skip = from_end && total > most ? total - most : 0;
    if (skip + above)
        put_left_out(style, skip + above, "before", out);
    for (size_t at = 0; text.len && hv_str_split(&text, '\n', &line); at++) {
        if (at < skip)
            continue;
        if (at - skip == most) {
            put_left_out(style, total - at, "more", out);
            return;
        }
        put_line(style, code, line, out);
    }
}

static void put_text(const struct blocks_style *style, const char *code, struct hv_str text, bool from_end,
                     uint64_t above, struct hv_buf *out)
{
    CLEANUP_BUF struct hv_buf visible = {.max = TEXT_MAX};
    clean(text, &visible);
    put_lines(style, code, hv_buf_str(&visible), from_end, above, out);
}

void blocks_put_diff(struct hv_str diff, const struct blocks_style *style, struct hv_buf *out)
{
    CLEANUP_BUF struct hv_buf visible = {.max = TEXT_MAX}, painted = {.max = 4 * (size_t)TEXT_MAX};
    clean(hv_str_trim(diff), &visible);
    if (style->colour)
        diff_paint(hv_buf_str(&visible), &painted);
    put_lines(style, "", style->colour ? hv_buf_str(&painted) : hv_buf_str(&visible), false, 0, out);
}

static void put_list(const struct blocks_style *style, const struct hv_json *block, struct hv_buf *out)
{
    hv_json_each(item, hv_json_get(block, "items"))
    {
        CLEANUP_BUF struct hv_buf line = {.max = TEXT_MAX};
        struct hv_str state = hv_json_get_string(item, "state");
        bool done = hv_str_is(state, "done"), active = hv_str_is(state, "active");
        hv_buf_add_cstr(&line, done ? "[x] " : active ? "[>] " : state.len ? "[ ] " : "- ");
        clean(hv_json_get_string(item, "text"), &line);
        put_line(style, active ? BOLD : done ? DIM : "", hv_buf_str(&line), out);
    }
}

static void put_table(const struct blocks_style *style, const struct hv_json *block, struct hv_buf *out)
{
    size_t shown = 0;
    const struct hv_json *rows = hv_json_get(block, "rows");
    hv_json_each(row, rows)
    {
        CLEANUP_BUF struct hv_buf line = {.max = TEXT_MAX};
        if (style->lines && shown == style->lines) {
            put_left_out(style, rows->count - shown, "more", out);
            return;
        }
        shown++;
        hv_json_each(cell, row)
        {
            clean(hv_json_string(cell), &line);
            hv_buf_add_cstr(&line, cell->next ? "  " : "");
        }
        put_line(style, "", hv_buf_str(&line), out);
    }
}

static void put_facts(const struct blocks_style *style, const struct hv_json *block, struct hv_buf *out)
{
    hv_json_each(fact, hv_json_get(block, "facts"))
    {
        CLEANUP_BUF struct hv_buf line = {.max = TEXT_MAX};
        hv_buf_add_cstr(&line, "· ");
        clean(hv_json_get_string(fact, "text"), &line);
        put_line(style, BOLD, hv_buf_str(&line), out);
    }
}

static void put_block(const struct blocks_style *style, const struct hv_json *block, struct hv_buf *out)
{
    struct hv_str type = hv_json_get_string(block, "type"), text = hv_json_get_string(block, "text");
    int64_t above = 0;
    (void)hv_json_int64(hv_json_get(block, "above"), &above);
    if (hv_str_is(type, "text") || hv_str_is(type, "code"))
        put_text(style, "", text, false, 0, out);
    else if (hv_str_is(type, "output"))
        put_text(style, DIM, text, true, above > 0 ? (uint64_t)above : 0, out);
    else if (hv_str_is(type, "diff"))
        blocks_put_diff(text, style, out);
    else if (hv_str_is(type, "list"))
        put_list(style, block, out);
    else if (hv_str_is(type, "table"))
        put_table(style, block, out);
    else if (hv_str_is(type, "facts"))
        put_facts(style, block, out);
    else if (hv_str_is(type, "picture"))
        put_text(style, "", hv_json_get_string(block, "path"), false, 0, out);
    if (hv_json_bool(hv_json_get(block, "cut"), false) && !hv_str_is(type, "output"))
        put_line(style, DIM, HV_STR("… (cut)"), out);
}

void blocks_put(struct hv_str blocks, const struct blocks_style *style, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *list;
    if (!blocks.len || hv_json_parse(&arena, blocks, HV_JSON_STRICT, &list, NULL) != HV_OK ||
        list->type != HV_JSON_ARRAY)
        return;
    hv_json_each(block, list) put_block(style, block, out);
}
