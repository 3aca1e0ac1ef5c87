/* markdown_stream.c: cuts a growing answer into blocks that are finished. See markdown.h. */
#include "base/cleanup.h"
#include "ui/text/markdown.h"

enum { OPEN_MAX = 16 << 20 };

void markdown_stream_init(struct markdown_stream *stream)
{
    *stream = (struct markdown_stream){0};
    hv_buf_init(&stream->open, OPEN_MAX);
}

void markdown_stream_release(struct markdown_stream *stream)
{
    hv_buf_release(&stream->open);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static bool is_blank(struct hv_str line)
{
    return hv_str_trim(line).len == 0;
}

static size_t indent_of(struct hv_str line)
{
    size_t indent = 0;
    while (indent < line.len && line.ptr[indent] == ' ')
        indent++;
    return indent;
}

/* "- x", "* x", "12. x", at its beginning. */
static bool is_item(struct hv_str line)
{
    size_t at = 0;
    while (at < line.len && at < 9 && line.ptr[at] >= '0' && line.ptr[at] <= '9')
        at++;
    bool bullet = at == 0 && line.len && (line.ptr[0] == '-' || line.ptr[0] == '*' || line.ptr[0] == '+');
    bool number = at > 0 && at < line.len && (line.ptr[at] == '.' || line.ptr[at] == ')');
    return (bullet || number) && at + 1 < line.len && line.ptr[at + 1] == ' ';
}

/* A line that opens a fence: its mark and length. */
static bool opens_fence(struct hv_str line, char *mark, size_t *length)
{
    size_t at = indent_of(line), start = at;
    if (at > 3 || at >= line.len || (line.ptr[at] != '`' && line.ptr[at] != '~'))
        return false;
    *mark = line.ptr[at];
    while (at < line.len && line.ptr[at] == *mark)
        at++;
    *length = at - start;
    return *length >= 3 && (*mark == '~' || hv_str_find_byte(line, '`', at) == SIZE_MAX);
}

static bool closes_fence(const struct markdown_stream *stream, struct hv_str line)
{
    struct hv_str text = hv_str_trim(line);
    if (indent_of(line) > 3 || text.len < stream->fence_length)
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != stream->fence_mark)
            return false;
    return true;
}

/* ---- giving out -------------------------------------------------------------------------------------------------- */

static void put_blank(struct markdown_stream *stream, struct hv_buf *done)
{
    if (stream->any && stream->blank)
        hv_buf_add_byte(done, '\n');
    stream->any = true;
    stream->blank = false;
}

/* The lines gathered so far are a block that is over. */
static void give_block(struct markdown_stream *stream, const struct paint_theme *theme, size_t columns,
                       struct hv_buf *done)
{
    struct hv_str source = hv_str_slice(hv_buf_str(&stream->open), 0, stream->block);
    if (!is_blank(source)) {
        put_blank(stream, done);
        markdown_render(theme, source, columns, done);
        stream->blank = true;
    }
    hv_buf_consume(&stream->open, stream->block);
    stream->looked -= stream->block;
    stream->block = 0;
    stream->list = false;
}

static void open_fence(struct markdown_stream *stream, const struct paint_theme *theme, struct hv_str line,
                       struct hv_buf *done)
{
    struct hv_str info = hv_str_trim(hv_str_slice(line, indent_of(line) + stream->fence_length, line.len));
    size_t end = hv_str_find_byte(info, ' ', 0);
    stream->in_fence = true;
    stream->fence_indent = indent_of(line);
    stream->highlight = (struct highlight){.language = highlight_find(hv_str_slice(info, 0, end))};
    put_blank(stream, done);
    paint_put(theme, PAINT_DIM, hv_str_trim(line), done);
    hv_buf_add_byte(done, '\n');
}

static void put_fence_line(struct markdown_stream *stream, const struct paint_theme *theme, struct hv_str line,
                           struct hv_buf *done)
{
    if (closes_fence(stream, line)) {
        paint_put(theme, PAINT_DIM, hv_str_trim(line), done);
        stream->in_fence = false;
        stream->blank = true;
    } else {
        size_t indent = indent_of(line);
        indent = indent < stream->fence_indent ? indent : stream->fence_indent;
        highlight_line(&stream->highlight, theme, hv_str_slice(line, indent, line.len), done);
    }
    hv_buf_add_byte(done, '\n');
}

/* One whole line, the first that was not looked at. */
static void take_line(struct markdown_stream *stream, const struct paint_theme *theme, size_t columns,
                      struct hv_str line, struct hv_buf *done)
{
    size_t end = stream->looked + line.len + 1;
    if (stream->in_fence) {
        put_fence_line(stream, theme, line, done);
        hv_buf_consume(&stream->open, end);
        return;
    }
    bool indented = indent_of(line) > 0;
    if (is_blank(line)) {
        stream->looked = end;
        /* A list may go on behind it, and what is indented belongs to it. */
        if (!stream->list)
            stream->block = end, give_block(stream, theme, columns, done);
        return;
    }
    bool after_blank = stream->block < stream->looked;
    bool new_item = stream->list && !indented && is_item(line);
    if (stream->block && ((after_blank && !indented) || new_item)) {
        bool joined = new_item && !after_blank;
        size_t blanks = stream->looked - stream->block;
        stream->block += blanks;
        end -= stream->block;
        give_block(stream, theme, columns, done);
        if (joined)
            stream->blank = false; /* the items of a tight list stand together */
    }
    char mark;
    size_t length;
    if (!(stream->list && indented) && opens_fence(line, &mark, &length)) {
        if (stream->block) {
            end -= stream->looked;
            stream->block = stream->looked;
            give_block(stream, theme, columns, done);
        }
        stream->fence_mark = mark;
        stream->fence_length = length;
        open_fence(stream, theme, line, done);
        hv_buf_consume(&stream->open, end);
        return;
    }
    if (!stream->block)
        stream->list = is_item(line);
    stream->looked = stream->block = end;
}

void markdown_stream_feed(struct markdown_stream *stream, const struct paint_theme *theme, size_t columns,
                          struct hv_str text, struct hv_buf *done)
{
    hv_buf_add_str(&stream->open, text);
    for (;;) {
        CLEANUP_BUF struct hv_buf line = {0};
        struct hv_str open = hv_buf_str(&stream->open);
        size_t newline = hv_str_find_byte(open, '\n', stream->looked);
        if (newline == SIZE_MAX)
            return;
        /* The buffer shrinks while its line is looked at. */
        hv_buf_init(&line, OPEN_MAX);
        hv_buf_add_str(&line, hv_str_slice(open, stream->looked, newline));
        take_line(stream, theme, columns, hv_buf_str(&line), done);
    }
}

void markdown_stream_finish(struct markdown_stream *stream, const struct paint_theme *theme, size_t columns,
                            struct hv_buf *done)
{
    if (stream->open.len && stream->open.data[stream->open.len - 1] != '\n')
        markdown_stream_feed(stream, theme, columns, HV_STR("\n"), done);
    stream->block = stream->open.len;
    give_block(stream, theme, columns, done);
    struct hv_buf kept = stream->open;
    *stream = (struct markdown_stream){.open = kept};
    hv_buf_clear(&stream->open);
}

void markdown_stream_open(const struct markdown_stream *stream, const struct paint_theme *theme, size_t columns,
                          struct hv_buf *out)
{
    struct hv_str open = hv_buf_str(&stream->open);
    if (is_blank(open))
        return;
    if (stream->any && stream->blank)
        hv_buf_add_byte(out, '\n');
    if (stream->in_fence) {
        struct highlight state = stream->highlight;
        highlight_line(&state, theme, open, out);
        hv_buf_add_byte(out, '\n');
        return;
    }
    markdown_render(theme, open, columns, out);
}
