/*
 * markdown.h: Markdown as a terminal shows it: painted logical lines, a paragraph one line, which the terminal wraps.
 * Pure.
 *
 * What is selected on the screen is close to what the model wrote: list marks, "> ", fences and task boxes are kept.
 * HTML is text. A table too wide for the columns is shown row by row as "column: cell".
 */
#ifndef UI_TEXT_MARKDOWN_H
#define UI_TEXT_MARKDOWN_H

#include "ui/text/highlight.h"

enum { MARKDOWN_OUT_MAX = 64 << 20 };

/* Append the lines of a piece of Markdown, each with its newline; columns are only for tables. */
void markdown_render(const struct paint_theme *theme, struct hv_str source, size_t columns, struct hv_buf *out);

/*
 * An answer that streams: text goes in as it comes, finished blocks come out once, as lines that never change; the rest
 * is the open block. A fence's lines are finished one by one, a list's items too.
 */
struct markdown_stream {
    struct hv_buf open; /* source that is not given out yet */
    size_t looked;      /* of it: whole lines that were looked at */
    size_t block;       /* of it: length of the block that these lines are, so far */
    bool in_fence, any, blank,
        list; /* any: something was given out; blank: a blank line is due; list: the block is one */
    char fence_mark;
    size_t fence_length, fence_indent;
    struct highlight highlight;
};

void markdown_stream_init(struct markdown_stream *stream);
void markdown_stream_release(struct markdown_stream *stream);
/* Append what is finished to `done`. */
void markdown_stream_feed(struct markdown_stream *stream, const struct paint_theme *theme, size_t columns,
                          struct hv_str text, struct hv_buf *done);
/* The answer is complete: all the rest is finished; the stream is ready for another answer. */
void markdown_stream_finish(struct markdown_stream *stream, const struct paint_theme *theme, size_t columns,
                            struct hv_buf *done);
/* Append the open block as it looks now. */
void markdown_stream_open(const struct markdown_stream *stream, const struct paint_theme *theme, size_t columns,
                          struct hv_buf *out);

#endif
