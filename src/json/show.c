/* show.c: writes the blocks of helve/show.h. Pure. */
#include <helve/show.h>

#include "base/utf8.h"

static bool begin(struct hv_show *show, const char *type)
{
    if (show->count >= HV_SHOW_BLOCKS_MAX)
        return false;
    show->count++;
    hv_json_begin_object(&show->writer);
    hv_json_member_cstr(&show->writer, "type", type);
    return true;
}

static void end(struct hv_show *show, bool cut)
{
    if (cut)
        hv_json_member_bool(&show->writer, "cut", true);
    hv_json_end_object(&show->writer);
}

/* The first max bytes, cut between characters. */
static struct hv_str head(struct hv_str text, size_t max)
{
    if (text.len <= max)
        return text.ptr ? text : HV_STR("");
    struct hv_str part = hv_str_slice(text, 0, max);
    part.len -= utf8_incomplete_tail(part);
    return part;
}

void hv_show_begin(struct hv_show *show, struct hv_buf *buf)
{
    *show = (struct hv_show){0};
    hv_json_writer_init(&show->writer, buf);
    hv_json_begin_array(&show->writer);
}

void hv_show_end(struct hv_show *show)
{
    hv_json_end_array(&show->writer);
}

static void show_plain(struct hv_show *show, const char *type, struct hv_str text, size_t max)
{
    struct hv_str part = head(text, max);
    if (!begin(show, type))
        return;
    hv_json_member_string(&show->writer, "text", part);
    end(show, part.len < text.len);
}

void hv_show_text(struct hv_show *show, struct hv_str text)
{
    show_plain(show, "text", text, HV_SHOW_TEXT_MAX);
}

void hv_show_diff(struct hv_show *show, struct hv_str diff)
{
    show_plain(show, "diff", diff, HV_SHOW_DIFF_MAX);
}

void hv_show_code(struct hv_show *show, struct hv_str path, uint64_t start, struct hv_str text)
{
    struct hv_str part = head(text, HV_SHOW_TEXT_MAX);
    if (!begin(show, "code"))
        return;
    if (path.len)
        hv_json_member_string(&show->writer, "path", path);
    if (start)
        hv_json_member_int(&show->writer, "start", (int64_t)start);
    hv_json_member_string(&show->writer, "text", part);
    end(show, part.len < text.len);
}

static size_t count_newlines(struct hv_str text)
{
    size_t count = 0;
    for (size_t at = 0; (at = hv_str_find_byte(text, '\n', at)) != SIZE_MAX; at++)
        count++;
    return count;
}

void hv_show_output(struct hv_show *show, struct hv_str text, size_t lines)
{
    while (text.len && (text.ptr[text.len - 1] == '\n' || text.ptr[text.len - 1] == ' '))
        text.len--;
    size_t start = text.len;
    for (size_t found = 0; start > 0 && found < lines; found++) {
        size_t newline = hv_str_rfind_byte(hv_str_slice(text, 0, start > 0 ? start - 1 : 0), '\n');
        start = newline == SIZE_MAX ? 0 : newline + 1;
    }
    size_t above = count_newlines(hv_str_slice(text, 0, start));
    if (text.len - start > HV_SHOW_TEXT_MAX) {
        start = text.len - HV_SHOW_TEXT_MAX;
        while (start < text.len && ((unsigned char)text.ptr[start] & 0xc0) == 0x80)
            start++;
    }
    if (!begin(show, "output"))
        return;
    hv_json_member_string(&show->writer, "text", text.ptr ? hv_str_slice(text, start, text.len) : HV_STR(""));
    if (above)
        hv_json_member_int(&show->writer, "above", (int64_t)above);
    end(show, start > 0);
}

void hv_show_list(struct hv_show *show, const struct hv_show_item *items, size_t count)
{
    static const char *const states[] = {NULL, "open", "active", "done"};
    if (!begin(show, "list"))
        return;
    hv_json_name(&show->writer, "items");
    hv_json_begin_array(&show->writer);
    for (size_t i = 0; i < count && i < HV_SHOW_ITEMS_MAX; i++) {
        hv_json_begin_object(&show->writer);
        hv_json_member_string(&show->writer, "text", head(items[i].text, HV_SHOW_TEXT_MAX / 8));
        if (items[i].state)
            hv_json_member_cstr(&show->writer, "state", states[items[i].state]);
        hv_json_end_object(&show->writer);
    }
    hv_json_end_array(&show->writer);
    end(show, count > HV_SHOW_ITEMS_MAX);
}

static void put_cells(struct hv_show *show, const struct hv_str *cells, size_t count)
{
    hv_json_begin_array(&show->writer);
    for (size_t i = 0; i < count; i++)
        hv_json_put_string(&show->writer, head(cells[i], HV_SHOW_TEXT_MAX / 8));
    hv_json_end_array(&show->writer);
}

void hv_show_table(struct hv_show *show, const struct hv_str *columns, size_t column_count, const struct hv_str *cells,
                   size_t row_count)
{
    if (!begin(show, "table"))
        return;
    hv_json_name(&show->writer, "columns");
    put_cells(show, columns, column_count);
    hv_json_name(&show->writer, "rows");
    hv_json_begin_array(&show->writer);
    for (size_t i = 0; i < row_count && i < HV_SHOW_ITEMS_MAX; i++)
        put_cells(show, cells + i * column_count, column_count);
    hv_json_end_array(&show->writer);
    end(show, row_count > HV_SHOW_ITEMS_MAX);
}

void hv_show_picture(struct hv_show *show, struct hv_str path, struct hv_str media_type)
{
    if (!begin(show, "picture"))
        return;
    hv_json_member_string(&show->writer, "path", path);
    hv_json_member_string(&show->writer, "media_type", media_type);
    end(show, false);
}

void hv_show_facts(struct hv_show *show, const struct hv_str *pairs, size_t count)
{
    if (!begin(show, "facts"))
        return;
    hv_json_name(&show->writer, "facts");
    hv_json_begin_array(&show->writer);
    for (size_t i = 0; i < count && i < HV_SHOW_ITEMS_MAX; i++) {
        hv_json_begin_object(&show->writer);
        hv_json_member_string(&show->writer, "name", head(pairs[2 * i], HV_SHOW_TEXT_MAX / 8));
        hv_json_member_string(&show->writer, "text", head(pairs[2 * i + 1], HV_SHOW_TEXT_MAX));
        hv_json_end_object(&show->writer);
    }
    hv_json_end_array(&show->writer);
    end(show, count > HV_SHOW_ITEMS_MAX);
}
