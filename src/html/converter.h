/* converter.h: one page on its way to Markdown: what the beginnings (begin.c) and ends (convert.c) of elements share.
 */
#ifndef HTML_CONVERTER_H
#define HTML_CONVERTER_H

#include "html/convert.h"
#include "html/table.h"
#include "html/tags.h"
#include "text/url.h"

enum {
    TABLES_MAX = 6, /* tables in tables; deeper ones are only blocks */
    LITERAL_MAX = 16 << 20,
    TITLE_MAX = 4096,
    MAIN_MIN = 250, /* bytes: less is no article */
    RUN_MAX = 64 << 10,
    DEPTH_MAX = 512, /* open elements; what is deeper stands beside it, as in browsers */
    CONSUMED_MAX = 256 << 10,
    MARKS_SEEN = 100, /* elements above: whether the same mark is open */
};

/* What is to be done at the end of an open element. */
enum end {
    END_NOTHING = 0,
    END_BLOCK,
    END_HIDDEN,
    END_HEADING,
    END_LIST,
    END_ITEM,
    END_QUOTE,
    END_MARK,
    END_LINK,
    END_CODE,
    END_PRE,
    END_Q,
    END_TABLE,
    END_CELL,
    END_CAPTION,
    END_STRONG_BLOCK,
    END_HEADER,
    END_MAIN,
    END_ARTICLE,
    END_TITLE,
    END_MATH,
    END_ANNOTATION,
};

struct open {
    unsigned char tag, end;
    bool ordered, anchor; /* list: numbered; link: into this page */
    long number;          /* list: of the next item */
    size_t at;            /* in out when it began */
    struct hv_str language;
    struct writer_target saved; /* cell, caption */
};

struct part {
    size_t start, end;
};

struct converter {
    const struct html_options *options;
    void *parser; /* libxml2's */
    struct hv_arena *arena;
    struct html_page *page;
    struct hv_buf *out;
    size_t out_start;
    struct writer writer;
    VEC(struct open) stack;
    size_t hidden; /* open elements that leave out what they hold */
    struct table tables[TABLES_MAX];
    size_t table_depth;
    struct hv_buf literal, title; /* text of open code, of the title */
    struct hv_buf run;            /* text since the last tag: the parser cuts it at entities */
    size_t code, pre;             /* open elements of that kind */
    bool in_title, has_title, lenient;
    size_t list_depth, in_main, in_article, articles;
    struct part main, article;
    bool headed; /* a first-level heading was written */
    bool header_headed;
    struct url_base base;
    struct hv_arena addresses; /* of links that are open */
};

static inline bool in_literal(const struct converter *converter)
{
    return converter->code || converter->pre;
}

/* begin.c: an element begins; nothing inside of it is left out. */
void begin_tag(struct converter *converter, enum tag tag, const unsigned char **attributes);
/* Neither the element nor what it holds counts. */
bool begin_leaves_out(const struct converter *converter, enum tag tag, const unsigned char **attributes);
struct open *begin_open(struct converter *converter, enum tag tag, enum end end);
void begin_take_meta(struct converter *converter, const unsigned char **attributes);
struct hv_str begin_resolved(struct converter *converter, struct hv_str reference);
bool begin_is(struct hv_str url, const char *scheme);
struct table *begin_table_of(struct converter *converter);
/* convert.c: do what is due at the end of an element. */
void end_open(struct converter *converter, const struct open *open);

#endif
