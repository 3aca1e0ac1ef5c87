/*
 * reading.h: one call of Read on a text file, shared by its parts: read.c decides what kind of file it is, read_text.c
 * shows what is small enough to be held whole, read_range.c shows ranges of what is not.
 */
#ifndef TOOLS_READING_H
#define TOOLS_READING_H

#include "text/lines.h"
#include "text/pdf_pages.h"
#include "tools/file_state.h"
#include "tools/file_text.h"

enum {
    READING_LINES = 2000,        /* shown when no limit is given */
    READING_BUDGET = 100000,     /* bytes: 25,000 tokens of some 4 bytes */
    READING_LINE_KEPT = 16384,   /* bytes of a line that can matter: 2000 characters, and a mark where it is cut */
    READING_WHOLE_MAX = 64 << 20 /* no file over this size is held whole */
};

struct reading {
    struct hv_context *context;
    struct hv_str path, key;
    struct pdf_range pages; /* asked for */
    struct encoding encoding;
    struct line_ends ends; /* of the text, or of the range that was read */
    struct file_view view; /* what will be remembered */
    bool settled;          /* its last change is so long ago that another one would have another time */
    bool damaged;          /* in UTF-8, but for some bytes */
    size_t first, count;   /* the lines to show */
    bool has_range;
    bool more;         /* lines follow the last one shown */
    struct hv_buf out; /* numbered lines */
};

/* Add one line; false when the budget is used up by the lines before it. */
bool reading_show_line(struct reading *reading, size_t number, struct hv_str line);
/* Add the lines that were put together to result, with what is to be said of them, and remember what was seen. */
void reading_answer(struct reading *reading, struct hv_result *result);
/* The same request was answered by the same text before: say so instead. */
void reading_answer_unchanged(struct reading *reading, struct hv_result *result);

/* Show a text that is held whole: the range that is asked for, or what fits and an outline of the parts. */
void reading_show_text(struct reading *reading, const struct file_text *text, struct hv_result *result);
/* Show a range of a file of any size, reading no more than its lines and what leads there. Without a range: its
 * beginning, and how to go on. */
enum hv_code reading_show_range(struct reading *reading, struct hv_result *result, struct hv_error *err) HV_MUST_CHECK;

#endif
