/*
 * writer.h: Markdown as it is written: blocks and blank lines between them, what stands in front of lines in lists and
 * quotations, blanks that collapse, marks of emphasis and links around text, and escapes. Pure.
 */
#ifndef HTML_WRITER_H
#define HTML_WRITER_H

#include <helve/str.h>

enum { WRITER_PREFIXES_MAX = 32, WRITER_MARKS_MAX = 24, WRITER_PREFIX_SIZE = 16 };

/* What stands before the lines of a list item or quotation: first before its first line, next before the others. */
struct writer_prefix {
    char first[WRITER_PREFIX_SIZE], next[WRITER_PREFIX_SIZE];
    bool used;
};

/* Emphasis or a link: written around text only, and not across blocks. */
struct writer_mark {
    char open[4];
    struct hv_str close; /* as long as the mark */
    bool written;
    size_t at; /* in out, behind open */
};

/* Where text goes. Saved and put back whole around the cells of tables. */
struct writer_target {
    struct hv_buf *out;
    unsigned pending;                /* line ends before the next text: 0, 1, 2 */
    bool fresh;                      /* the next text begins a line */
    bool started;                    /* something was written */
    bool space, hard;                /* a blank is due before the next text; the line ended by a break */
    size_t first_prefix, first_mark; /* those of this target */
};

struct writer {
    struct writer_target to;
    struct writer_prefix prefixes[WRITER_PREFIXES_MAX];
    size_t prefix_count, prefix_depth; /* depth counts those that found no room, too */
    struct writer_mark marks[WRITER_MARKS_MAX];
    size_t mark_count, mark_depth;
    bool one_line; /* in a heading: breaks are blanks */
    bool power;    /* text that follows stands raised */
};

void writer_init(struct writer *writer, struct hv_buf *out);
/* From here on into another buffer; *saved is for writer_restore. */
void writer_redirect(struct writer *writer, struct hv_buf *out, struct writer_target *saved);
void writer_restore(struct writer *writer, const struct writer_target *saved);

/* A block begins or ends here: `lines` 1: on a line of its own; 2: with a blank line. */
void writer_block(struct writer *writer, unsigned lines);
void writer_break(struct writer *writer); /* <br> */
void writer_push_prefix(struct writer *writer, const char *first, const char *next);
/* True when nothing was written behind it. */
bool writer_pop_prefix(struct writer *writer);
void writer_push_mark(struct writer *writer, const char *open, struct hv_str close);
/* Returns where the mark's text began in out, SIZE_MAX when nothing was written. */
size_t writer_pop_mark(struct writer *writer);

/* Text of a page: blanks collapse, what Markdown would take for its own is escaped. */
void writer_text(struct writer *writer, struct hv_str text);
/* As it is, within a line. */
void writer_raw(struct writer *writer, struct hv_str text);
/* `text` as code within a line. */
void writer_code(struct writer *writer, struct hv_str text);
/* A block of code. */
void writer_fence(struct writer *writer, struct hv_str language, struct hv_str text);
/* Lines of finished Markdown, as a block. */
void writer_lines(struct writer *writer, struct hv_str text);

#endif
