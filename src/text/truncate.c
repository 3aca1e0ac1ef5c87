/* truncate.c: see truncate.h. */
#include "text/truncate.h"

#include "base/utf8.h"
#include "text/lines.h"

#include <string.h>

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

struct hv_str truncate_head(struct hv_str text, size_t max)
{
    if (text.len <= max)
        return text;
    struct hv_str head = hv_str_slice(text, 0, max);
    head.len -= utf8_incomplete_tail(head);
    return head;
}

struct hv_str truncate_tail(struct hv_str text, size_t max)
{
    if (text.len <= max)
        return text;
    size_t from = text.len - max;
    for (unsigned step = 0; step < 3 && from < text.len && is_continuation(text.ptr[from]); step++)
        from++;
    return hv_str_slice(text, from, text.len);
}

struct hv_str truncate_characters(struct hv_str text, size_t max)
{
    if (text.len <= max)
        return text;
    size_t at = 0;
    uint32_t code_point;
    for (size_t count = 0; count < max && at < text.len; count++)
        at += utf8_decode(text, at, &code_point);
    return hv_str_slice(text, 0, at);
}

/* The head without its last, unfinished line, when that is at most half of it. */
static struct hv_str cut_after_line(struct hv_str head)
{
    size_t end = hv_str_rfind_byte(head, '\n');
    return end != SIZE_MAX && end + 1 >= head.len / 2 ? hv_str_slice(head, 0, end + 1) : head;
}

/* The tail from its first line that begins in it on, likewise. */
static struct hv_str cut_before_line(struct hv_str text, struct hv_str tail)
{
    if (!tail.len || tail.ptr == text.ptr || tail.ptr[-1] == '\n')
        return tail;
    size_t end = hv_str_find_byte(tail, '\n', 0);
    return end != SIZE_MAX && end + 1 < tail.len && end < tail.len / 2 ? hv_str_slice(tail, end + 1, tail.len) : tail;
}

struct truncate_parts truncate_split(struct hv_str text, size_t max)
{
    if (text.len <= max)
        return (struct truncate_parts){.head = text, .tail = HV_STR("")};
    size_t head_max = max - max / 10 * 3 - max % 10 * 3 / 10;
    struct truncate_parts parts;
    parts.head = cut_after_line(truncate_head(text, head_max));
    parts.tail = cut_before_line(text, truncate_tail(text, max - head_max));
    struct hv_str middle = hv_str_slice(text, parts.head.len, text.len - parts.tail.len);
    parts.omitted_bytes = middle.len;
    parts.omitted_lines = lines_count(middle);
    return parts;
}

/* A number with commas between groups of three digits. */
static void add_grouped(struct hv_buf *out, size_t number)
{
    char digits[32];
    int len = snprintf(digits, sizeof digits, "%zu", number);
    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            hv_buf_add_byte(out, ',');
        hv_buf_add_byte(out, digits[i]);
    }
}

void truncate_preview(struct hv_str text, size_t max, struct hv_buf *out)
{
    struct truncate_parts parts = truncate_split(text, max);
    hv_buf_add_str(out, parts.head);
    if (!parts.omitted_bytes)
        return;
    if (parts.head.len && parts.head.ptr[parts.head.len - 1] != '\n')
        hv_buf_add_byte(out, '\n');
    hv_buf_add_cstr(out, "[… ");
    add_grouped(out, parts.omitted_lines);
    hv_buf_add_cstr(out, parts.omitted_lines == 1 ? " line (" : " lines (");
    add_grouped(out, parts.omitted_bytes);
    hv_buf_add_cstr(out, " bytes) left out …]\n");
    hv_buf_add_str(out, parts.tail);
}

static bool inside_character(struct hv_str text, size_t at)
{
    return at < text.len && (text.ptr[at] & 0xc0) == 0x80;
}

void truncate_around(struct hv_str text, size_t place, size_t shown, size_t before, struct hv_buf *out)
{
    if (text.len <= shown) {
        hv_buf_add_str(out, text);
        return;
    }
    size_t from = place > before ? place - before : 0;
    if (text.len - from < shown)
        from = text.len - shown;
    size_t until = from + shown;
    for (int i = 0; i < 3 && from && inside_character(text, from); i++)
        from++;
    for (int i = 0; i < 3 && inside_character(text, until); i++)
        until--;
    if (from)
        hv_buf_addf(out, "[… %zu bytes] ", from);
    hv_buf_add_str(out, hv_str_slice(text, from, until));
    if (until < text.len)
        hv_buf_addf(out, " [… %zu bytes]", text.len - until);
}
