/* number.c: see number.h. */
#include "text/number.h"

#include "base/utf8.h"
#include "text/lines.h"
#include "text/truncate.h"

#include <string.h>

static size_t count_characters(struct hv_str text)
{
    size_t count = 0;
    uint32_t code_point;
    for (size_t at = 0; at < text.len; count++)
        at += utf8_decode(text, at, &code_point);
    return count;
}

enum { NUMBER_WIDTH = 6, PREFIX_MAX = 24 };

/* What printf makes of "%6zu\t", many times faster: it is done for each line of each file shown. */
static size_t format_prefix(size_t number, char out[PREFIX_MAX])
{
    char digits[PREFIX_MAX];
    size_t count = 0, blanks;
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    blanks = count < NUMBER_WIDTH ? NUMBER_WIDTH - count : 0;
    memset(out, ' ', blanks);
    for (size_t i = 0; i < count; i++)
        out[blanks + i] = digits[count - 1 - i];
    out[blanks + count] = '\t';
    return blanks + count + 1;
}

void line_number_format(size_t number, struct hv_str line, struct hv_buf *out)
{
    line = lines_chop(line);
    struct hv_str shown = truncate_characters(line, LINE_CHARACTERS_MAX);
    char *room = hv_buf_reserve(out, shown.len + PREFIX_MAX + 1);
    if (!room)
        return;
    size_t len = format_prefix(number, room);
    if (shown.len)
        memcpy(room + len, shown.ptr, shown.len);
    hv_buf_commit(out, len + shown.len);
    if (shown.len < line.len)
        hv_buf_addf(out, "… [line cut: %zu more characters]",
                    count_characters(hv_str_slice(line, shown.len, line.len)));
    hv_buf_add_byte(out, '\n');
}

void line_number_text(struct hv_str text, size_t first, struct hv_buf *out)
{
    struct hv_str line;
    while (lines_next(&text, &line))
        line_number_format(first++, line, out);
}

size_t line_number_prefix(struct hv_str line, size_t *number)
{
    size_t at = 0, value = 0;
    while (at < line.len && line.ptr[at] == ' ')
        at++;
    size_t digits = at;
    for (; at < line.len && at - digits < 15 && line.ptr[at] >= '0' && line.ptr[at] <= '9'; at++)
        value = value * 10 + (size_t)(line.ptr[at] - '0');
    if (at == digits || at == line.len)
        return 0;
    struct hv_str rest = hv_str_slice(line, at, line.len);
    size_t separator = rest.ptr[0] == '\t' ? 1 : hv_str_starts(rest, HV_STR("\u2192")) ? 3 : 0;
    if (!separator)
        return 0;
    if (number)
        *number = value;
    return at + separator;
}
