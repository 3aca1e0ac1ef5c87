/*
 * convert.c: HTML to Markdown on the events of libxml2's push parser. See html.h.
 *
 * An element is opened, opens and closes others, and is closed: `stack` remembers of each what its end has to do.
 * Whatever is left out (scripts, hidden parts, navigation) is counted by `hidden`: nothing inside counts.
 * The main part (<main>, else the only <article>) is found on the way; what stood around it is cut off at the end.
 */
#include "html/convert.h"

#include "base/cleanup.h"
#include "html/table.h"
#include "html/tags.h"
#include "text/url.h"

#include <libxml/HTMLparser.h>
#include <string.h>

enum {
    CHUNK = 16 << 10,
    TABLES_MAX = 6, /* tables in tables; deeper ones are only blocks */
    LITERAL_MAX = 16 << 20,
    TITLE_MAX = 4096,
    MAIN_MIN = 250, /* bytes: less is no article */
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
};

static bool in_literal(const struct converter *converter)
{
    return converter->code || converter->pre;
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

static struct hv_str resolved(struct converter *converter, struct hv_str reference)
{
    CLEANUP_BUF struct hv_buf url = {.max = 4 * URL_LENGTH_MAX};
    url_resolve(&converter->base, reference, &url);
    return hv_arena_str(converter->arena, hv_buf_str(&url));
}

static bool begins_with(struct hv_str url, const char *scheme)
{
    struct hv_str wanted = hv_str_from(scheme);
    url = hv_str_trim(url);
    return hv_str_eq_nocase(hv_str_slice(url, 0, wanted.len), wanted);
}

/* The first address of a srcset. */
static struct hv_str first_source(struct hv_str set)
{
    set = hv_str_trim(set);
    size_t end = 0;
    while (end < set.len && (unsigned char)set.ptr[end] > ' ')
        end++;
    return hv_str_slice(set, 0, end && set.ptr[end - 1] == ',' ? end - 1 : end);
}

static void take_meta(struct converter *converter, const xmlChar **attributes)
{
    static const struct {
        const char *name;
        size_t offset;
    } rows[] = {
        {"description", offsetof(struct html_page, description)},
        {"og:description", offsetof(struct html_page, description)},
        {"author", offsetof(struct html_page, author)},
        {"article:author", offsetof(struct html_page, author)},
        {"article:published_time", offsetof(struct html_page, published)},
        {"date", offsetof(struct html_page, published)},
        {"og:site_name", offsetof(struct html_page, site)},
        {"og:title", offsetof(struct html_page, title)},
    };
    struct hv_str name = tag_attribute(attributes, "name"), content = hv_str_trim(tag_attribute(attributes, "content"));
    name = name.len ? name : tag_attribute(attributes, "property");
    for (size_t i = 0; content.len && i < sizeof rows / sizeof *rows; i++) {
        struct hv_str *member = (struct hv_str *)((char *)converter->page + rows[i].offset);
        if (hv_str_eq_nocase(name, hv_str_from(rows[i].name)) && !member->len)
            *member = hv_arena_str(converter->arena, hv_str_slice(content, 0, TITLE_MAX));
    }
}

/* ---- beginnings -------------------------------------------------------------------------------------------------- */

static struct open *push(struct converter *converter, enum tag tag, enum end end)
{
    struct open *open = vec_push(&converter->stack);
    *open = (struct open){.tag = (unsigned char)tag, .end = (unsigned char)end, .at = converter->writer.to.out->len};
    return open;
}

static void begin_heading(struct converter *converter, enum tag tag)
{
    static const char *const marks[] = {"# ", "## ", "### ", "#### ", "##### ", "###### "};
    struct writer *writer = &converter->writer;
    writer_block(writer, 2);
    push(converter, tag, END_HEADING);
    writer_push_prefix(writer, marks[tag - TAG_H1], "");
    writer->one_line = true;
    if (converter->table_depth)
        converter->tables[converter->table_depth - 1].is_layout = true;
}

static void begin_list(struct converter *converter, enum tag tag, const xmlChar **attributes)
{
    int64_t start = 1;
    bool nested = converter->stack.count && converter->list_depth &&
                  converter->stack.items[converter->stack.count - 1].end == END_ITEM;
    writer_block(&converter->writer, nested ? 1 : 2);
    struct open *open = push(converter, tag, END_LIST);
    open->ordered = tag == TAG_OL;
    if (!hv_str_to_int64(hv_str_trim(tag_attribute(attributes, "start")), &start) || start < 0 || start > 999999999)
        start = 1;
    open->number = (long)start;
    converter->list_depth++;
}

static void begin_item(struct converter *converter, const xmlChar **attributes)
{
    char first[WRITER_PREFIX_SIZE] = "- ", next[WRITER_PREFIX_SIZE];
    struct open *list = NULL;
    for (size_t i = converter->stack.count; i-- > 0 && !list;)
        if (converter->stack.items[i].end == END_LIST)
            list = &converter->stack.items[i];
    if (list && list->ordered) {
        int64_t value;
        if (hv_str_to_int64(hv_str_trim(tag_attribute(attributes, "value")), &value) && value >= 0 &&
            value <= 999999999)
            list->number = (long)value;
        snprintf(first, sizeof first, "%ld. ", list->number++);
    }
    snprintf(next, sizeof next, "%*s", (int)strlen(first), "");
    writer_block(&converter->writer, 1);
    push(converter, TAG_LI, END_ITEM);
    writer_push_prefix(&converter->writer, first, next);
}

static void begin_link(struct converter *converter, const xmlChar **attributes)
{
    struct hv_str href = tag_attribute(attributes, "href");
    bool useless = !hv_str_trim(href).len || begins_with(href, "javascript:") || begins_with(href, "data:") ||
                   begins_with(href, "vbscript:");
    struct open *open = push(converter, TAG_A, useless || in_literal(converter) ? END_NOTHING : END_LINK);
    if (open->end == END_NOTHING)
        return;
    open->anchor = hv_str_trim(href).ptr[0] == '#';
    converter->writer.power = false;
    struct hv_str url = resolved(converter, href);
    writer_push_mark(&converter->writer, "[", hv_arena_format(converter->arena, "](%.*s)", HV_STR_ARG(url)));
}

static void put_image(struct converter *converter, const xmlChar **attributes)
{
    static const char *const sources[] = {"src", "data-src", "data-original", "data-lazy-src"};
    struct hv_str alt = hv_str_trim(tag_attribute(attributes, "alt")), source = {0};
    struct hv_str width = tag_attribute(attributes, "width"), height = tag_attribute(attributes, "height");
    for (size_t i = 0; i < sizeof sources / sizeof *sources && !source.len; i++) {
        source = hv_str_trim(tag_attribute(attributes, sources[i]));
        if (begins_with(source, "data:"))
            source = (struct hv_str){0};
    }
    if (!source.len)
        source = first_source(tag_attribute(attributes, "srcset"));
    if ((hv_str_is(width, "1") && hv_str_is(height, "1")) || in_literal(converter))
        return;
    if (!source.len) {
        writer_text(&converter->writer, alt);
        return;
    }
    CLEANUP_BUF struct hv_buf text = {.max = 8 * URL_LENGTH_MAX};
    hv_buf_add_cstr(&text, "![");
    alt = hv_str_slice(alt, 0, TITLE_MAX);
    for (size_t i = 0; i < alt.len; i++) {
        if (strchr("[]\\", alt.ptr[i]))
            hv_buf_add_byte(&text, '\\');
        hv_buf_add_byte(&text, (unsigned char)alt.ptr[i] < ' ' ? ' ' : alt.ptr[i]);
    }
    hv_buf_add_cstr(&text, "](");
    url_resolve(&converter->base, source, &text);
    hv_buf_add_cstr(&text, ")");
    if (!text.failed)
        writer_raw(&converter->writer, hv_buf_str(&text));
}

static void put_frame(struct converter *converter, const xmlChar **attributes)
{
    struct hv_str source = hv_str_trim(tag_attribute(attributes, "src")), title = tag_attribute(attributes, "title");
    if (!source.len || begins_with(source, "about:") || begins_with(source, "data:") ||
        begins_with(source, "javascript:"))
        return;
    struct hv_str url = resolved(converter, source);
    writer_block(&converter->writer, 2);
    writer_push_mark(&converter->writer, "[", hv_arena_format(converter->arena, "](%.*s)", HV_STR_ARG(url)));
    writer_text(&converter->writer, hv_str_trim(title).len ? title : url);
    (void)writer_pop_mark(&converter->writer);
    writer_block(&converter->writer, 2);
}

static struct table *current_table(struct converter *converter)
{
    return converter->table_depth && converter->table_depth <= TABLES_MAX
               ? &converter->tables[converter->table_depth - 1]
               : NULL;
}

static void begin_table(struct converter *converter, const xmlChar **attributes)
{
    writer_block(&converter->writer, 2);
    struct table *outer = current_table(converter);
    if (converter->table_depth == TABLES_MAX || converter->pre) {
        push(converter, TAG_TABLE, END_BLOCK);
        return;
    }
    if (outer)
        outer->is_layout = true;
    push(converter, TAG_TABLE, END_TABLE);
    struct table *table = &converter->tables[converter->table_depth++];
    *table = (struct table){.text = {.max = HTML_OUTPUT_MAX}, .caption = {.max = TITLE_MAX}};
    table->is_layout = tag_has_role(attributes, "presentation") || tag_has_role(attributes, "none");
}

/* A cell counts where its table does; else it is a block. */
static void begin_cell(struct converter *converter, enum tag tag, const xmlChar **attributes)
{
    struct table *table = NULL;
    for (size_t i = converter->stack.count; i-- > 0;) {
        enum end end = converter->stack.items[i].end;
        if (end == END_CELL || end == END_CAPTION || (converter->stack.items[i].tag == TAG_TABLE && end != END_TABLE))
            break;
        if (end == END_TABLE) {
            table = current_table(converter);
            break;
        }
    }
    if (!table || converter->pre) {
        writer_block(&converter->writer, 1);
        push(converter, tag, END_BLOCK);
        return;
    }
    struct open *open = push(converter, tag, END_CELL);
    table_begin_cell(table, tag_attribute(attributes, "colspan"), tag_attribute(attributes, "rowspan"), tag == TAG_TH);
    writer_redirect(&converter->writer, &table->text, &open->saved);
}

static void begin_caption(struct converter *converter)
{
    struct table *table = current_table(converter);
    bool direct = table && converter->stack.count &&
                  converter->stack.items[converter->stack.count - 1].end == END_TABLE && !table->caption.len;
    writer_block(&converter->writer, 2);
    struct open *open = push(converter, TAG_CAPTION, direct ? END_CAPTION : END_BLOCK);
    if (direct)
        writer_redirect(&converter->writer, &table->caption, &open->saved);
}

static void begin_pre(struct converter *converter, const xmlChar **attributes)
{
    struct hv_str language = tag_language(attributes);
    for (size_t i = converter->stack.count, up = 0; i-- > 0 && up < 3 && !language.len; up++)
        language = converter->stack.items[i].language;
    if (!in_literal(converter))
        hv_buf_clear(&converter->literal);
    struct open *open = push(converter, TAG_PRE, END_PRE);
    open->language = hv_arena_str(converter->arena, language);
    converter->pre++;
    if (converter->table_depth)
        converter->tables[converter->table_depth - 1].is_layout = true;
}

static void begin_code(struct converter *converter, const xmlChar **attributes)
{
    if (converter->pre) {
        struct hv_str language = tag_language(attributes);
        for (size_t i = converter->stack.count; i-- > 0 && language.len;)
            if (converter->stack.items[i].end == END_PRE) {
                if (!converter->stack.items[i].language.len)
                    converter->stack.items[i].language = hv_arena_str(converter->arena, language);
                break;
            }
        push(converter, TAG_CODE, END_NOTHING);
        return;
    }
    if (!converter->code++)
        hv_buf_clear(&converter->literal);
    push(converter, TAG_CODE, END_CODE);
}

static void begin_mark(struct converter *converter, enum tag tag, const char *mark)
{
    if (in_literal(converter) || converter->writer.one_line) {
        push(converter, tag, END_NOTHING);
        return;
    }
    for (size_t i = converter->stack.count; i-- > 0 && converter->stack.items[i].end != END_CELL;)
        if (converter->stack.items[i].tag == tag && converter->stack.items[i].end == END_MARK) {
            push(converter, tag, END_NOTHING); /* <b><b> */
            return;
        }
    push(converter, tag, END_MARK);
    writer_push_mark(&converter->writer, mark, hv_str_from(mark));
}

static void end_open(struct converter *converter, const struct open *open);

/* What ends an element of that kind before its own end tag comes: the next of a definition list. */
static void end_early(struct converter *converter, enum tag tag, enum tag within)
{
    size_t at = converter->stack.count;
    while (at > 0 && converter->stack.items[at - 1].tag != tag && converter->stack.items[at - 1].tag != within)
        at--;
    if (!at || converter->stack.items[at - 1].tag != tag)
        return;
    for (size_t i = converter->stack.count; i >= at; i--) {
        struct open open = converter->stack.items[i - 1];
        converter->stack.items[i - 1].end = END_NOTHING;
        end_open(converter, &open);
    }
}

static void begin_block(struct converter *converter, enum tag tag, const xmlChar **attributes)
{
    struct hv_str language = tag_language(attributes);
    writer_block(&converter->writer, 2);
    struct open *open = push(converter, tag, END_BLOCK);
    if (language.len && !hv_str_is(language, "code"))
        open->language = hv_arena_str(converter->arena, language);
}

static void put_checkbox(struct converter *converter, const xmlChar **attributes)
{
    if (!hv_str_eq_nocase(tag_attribute(attributes, "type"), HV_STR("checkbox")) || in_literal(converter))
        return;
    if (!converter->list_depth)
        return;
    writer_raw(&converter->writer, tag_attribute(attributes, "checked").ptr ? HV_STR("[x]") : HV_STR("[ ]"));
    writer_text(&converter->writer, HV_STR(" "));
}

/* Parts of a page: those around the article are left out, unless everything is wanted. */
static void begin_part(struct converter *converter, enum tag tag)
{
    bool inside = converter->in_main || converter->in_article, outer = !converter->table_depth;
    enum end end = END_BLOCK;
    writer_block(&converter->writer, 2);
    if (tag == TAG_MAIN && outer && !converter->in_main)
        end = END_MAIN;
    else if (tag == TAG_ARTICLE && outer && !converter->in_article)
        end = END_ARTICLE;
    else if (tag == TAG_HEADER && !inside && outer && !converter->options->raw && !converter->lenient)
        end = END_HEADER;
    push(converter, tag, end);
    converter->in_main += end == END_MAIN;
    converter->in_article += end == END_ARTICLE;
    if (end == END_HEADER)
        converter->header_headed = false;
}

static bool leaves_out(const struct converter *converter, enum tag tag, const xmlChar **attributes)
{
    if (tag == TAG_NEVER)
        return true;
    if (tag == TAG_MATH || tag == TAG_ANNOTATION) /* its source is often kept where nobody sees it */
        return false;
    if (converter->pre && tag_is_gutter(attributes))
        return true;
    if (converter->options->raw)
        return false;
    if (tag == TAG_CONTROL || ((tag == TAG_TD || tag == TAG_INLINE || tag == TAG_BLOCK) && tag_is_gutter(attributes)))
        return true;
    if (converter->lenient)
        return false;
    bool inside = converter->in_main || converter->in_article;
    if (tag == TAG_NAV || ((tag == TAG_FOOTER || tag == TAG_ASIDE) && !inside))
        return true;
    return tag_is_hidden(attributes) || tag_is_boilerplate(tag, attributes);
}

static void begin_math(struct converter *converter, enum tag tag, const xmlChar **attributes)
{
    struct hv_str encoding = tag_attribute(attributes, "encoding");
    if (tag == TAG_MATH) {
        push(converter, tag, END_MATH);
    } else if (hv_str_eq_nocase(encoding, HV_STR("application/x-tex")) && !in_literal(converter)) {
        for (size_t i = converter->stack.count; i-- > 0;) {
            const struct open *open = &converter->stack.items[i];
            if (open->end != END_MATH)
                continue;
            if (open->at <= converter->writer.to.out->len)
                converter->writer.to.out->len = open->at; /* what was written of it says the same */
            break;
        }
        hv_buf_clear(&converter->literal);
        push(converter, tag, END_ANNOTATION);
        converter->code++;
    } else {
        push(converter, tag, END_HIDDEN);
        converter->hidden++;
    }
}

/* Elements within lines, and those without an end. */
static void begin_inline(struct converter *converter, enum tag tag, const xmlChar **attributes)
{
    struct writer *writer = &converter->writer;
    switch (tag) {
    case TAG_PRE: begin_pre(converter, attributes); return;
    case TAG_CODE: begin_code(converter, attributes); return;
    case TAG_STRONG: begin_mark(converter, tag, "**"); return;
    case TAG_EM: begin_mark(converter, tag, "*"); return;
    case TAG_DEL: begin_mark(converter, tag, "~~"); return;
    case TAG_SUMMARY:
    case TAG_FIGCAPTION:
        writer_block(writer, 2);
        push(converter, tag, END_STRONG_BLOCK);
        writer_push_mark(writer, tag == TAG_SUMMARY ? "**" : "*", tag == TAG_SUMMARY ? HV_STR("**") : HV_STR("*"));
        return;
    case TAG_SUP:
        writer->power = true;
        push(converter, tag, END_NOTHING);
        return;
    case TAG_Q:
        push(converter, tag, END_Q);
        writer_raw(writer, HV_STR("“"));
        return;
    case TAG_A: begin_link(converter, attributes); return;
    case TAG_IMG: put_image(converter, attributes); break;
    case TAG_FRAME: put_frame(converter, attributes); break;
    case TAG_BR:
        if (in_literal(converter))
            hv_buf_add_byte(&converter->literal, '\n');
        else
            writer_break(writer);
        break;
    case TAG_HR:
        writer_block(writer, 2);
        if (!writer->one_line)
            writer_raw(writer, HV_STR("---"));
        writer_block(writer, 2);
        break;
    case TAG_INPUT: put_checkbox(converter, attributes); break;
    default: break;
    }
    push(converter, tag, END_NOTHING);
}

static void begin_tag(struct converter *converter, enum tag tag, const xmlChar **attributes)
{
    struct writer *writer = &converter->writer;
    switch (tag) {
    case TAG_H1:
    case TAG_H2:
    case TAG_H3:
    case TAG_H4:
    case TAG_H5:
    case TAG_H6: begin_heading(converter, tag); return;
    case TAG_UL:
    case TAG_OL: begin_list(converter, tag, attributes); return;
    case TAG_LI: begin_item(converter, attributes); return;
    case TAG_BLOCKQUOTE:
        writer_block(writer, 2);
        push(converter, tag, END_QUOTE);
        writer_push_prefix(writer, "> ", "> ");
        return;
    case TAG_DT:
        end_early(converter, TAG_DD, TAG_DL);
        writer_block(writer,
                     converter->stack.count && converter->stack.items[converter->stack.count - 1].number++ ? 1 : 2);
        push(converter, tag, END_NOTHING);
        return;
    case TAG_DD:
        end_early(converter, TAG_DD, TAG_DL);
        writer_block(writer, 1);
        if (converter->stack.count)
            converter->stack.items[converter->stack.count - 1].number = 0; /* the next term begins anew */
        push(converter, tag, END_ITEM);
        writer_push_prefix(writer, ": ", "  ");
        return;
    case TAG_TABLE: begin_table(converter, attributes); return;
    case TAG_TR:
        writer_block(writer, 1);
        push(converter, tag, END_NOTHING);
        if (current_table(converter) && converter->writer.to.out != &current_table(converter)->text)
            table_begin_row(current_table(converter));
        return;
    case TAG_TD:
    case TAG_TH: begin_cell(converter, tag, attributes); return;
    case TAG_CAPTION: begin_caption(converter); return;
    case TAG_MATH:
    case TAG_ANNOTATION: begin_math(converter, tag, attributes); return;
    case TAG_MAIN:
    case TAG_ARTICLE:
    case TAG_HEADER:
    case TAG_FOOTER:
    case TAG_NAV:
    case TAG_ASIDE: begin_part(converter, tag); return;
    case TAG_P:
    case TAG_DL:
    case TAG_BLOCK: begin_block(converter, tag, attributes); return;
    default: begin_inline(converter, tag, attributes); return;
    }
}

static void flush_run(struct converter *converter)
{
    if (converter->run.len)
        writer_text(&converter->writer, hv_buf_str(&converter->run));
    hv_buf_clear(&converter->run);
}

static void on_start(void *user, const xmlChar *name, const xmlChar **attributes)
{
    struct converter *converter = user;
    flush_run(converter);
    enum tag tag = tag_of((const char *)name);
    if (converter->hidden || leaves_out(converter, tag, attributes)) {
        push(converter, tag, END_HIDDEN);
        converter->hidden++;
        return;
    }
    if (tag == TAG_META)
        take_meta(converter, attributes);
    if (tag == TAG_HTML && !converter->page->language.len)
        converter->page->language = hv_arena_str(converter->arena, tag_attribute(attributes, "lang"));
    if (tag == TAG_BASE && tag_attribute(attributes, "href").len)
        url_base_init(&converter->base, resolved(converter, tag_attribute(attributes, "href")));
    if (tag == TAG_BLOCK && tag_has_role(attributes, "main"))
        tag = TAG_MAIN;
    if (tag == TAG_TITLE) {
        push(converter, tag, END_TITLE);
        converter->in_title = true;
        return;
    }
    begin_tag(converter, tag, attributes);
}

/* ---- ends -------------------------------------------------------------------------------------------------------- */

static void end_heading(struct converter *converter, const struct open *open)
{
    struct writer *writer = &converter->writer;
    writer->one_line = false;
    bool empty = writer_pop_prefix(writer);
    converter->headed |= open->tag == TAG_H1 && !empty;
    converter->header_headed |= !empty && open->tag == TAG_H1;
    writer_block(writer, 2);
}

static bool is_anchor_sign(struct hv_str text)
{
    static const char *const signs[] = {"¶", "#", "§", "🔗", "​", "\\#", "link", "Permalink"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (hv_str_is(text, signs[i]))
            return true;
    return false;
}

static void end_link(struct converter *converter, const struct open *open)
{
    struct hv_buf *out = converter->writer.to.out;
    const struct writer *writer = &converter->writer;
    struct hv_str close = writer->mark_count ? writer->marks[writer->mark_count - 1].close : (struct hv_str){0};
    size_t at = writer_pop_mark(&converter->writer);
    if (at == SIZE_MAX || !open->anchor || out->len < at + close.len)
        return;
    /* A sign beside a heading that leads to the heading itself. */
    if (is_anchor_sign(hv_str_of(out->data + at, out->len - at - close.len))) {
        out->len = at - 1;
        converter->writer.to.space |= out->len > open->at && out->data[out->len - 1] == ' ';
        while (out->len > open->at && out->data[out->len - 1] == ' ')
            out->len--;
    }
}

static void end_pre(struct converter *converter, const struct open *open)
{
    if (--converter->pre || converter->code)
        return;
    writer_fence(&converter->writer, open->language, hv_buf_str(&converter->literal));
    hv_buf_clear(&converter->literal);
}

static void end_code(struct converter *converter)
{
    if (--converter->code || converter->pre)
        return;
    writer_code(&converter->writer, hv_buf_str(&converter->literal));
    hv_buf_clear(&converter->literal);
}

static void end_annotation(struct converter *converter)
{
    struct hv_str text = hv_str_trim(hv_buf_str(&converter->literal));
    converter->code--;
    if (text.len) {
        writer_raw(&converter->writer, HV_STR("$"));
        hv_buf_add_str(converter->writer.to.out, text);
        hv_buf_add_byte(converter->writer.to.out, '$');
    }
    hv_buf_clear(&converter->literal);
}

static void end_table(struct converter *converter)
{
    struct table *table = &converter->tables[--converter->table_depth];
    table_write(table, &converter->writer);
    table_release(table);
    writer_block(&converter->writer, 2);
}

static void end_part(struct converter *converter, const struct open *open)
{
    struct part part = {open->at, converter->out->len};
    writer_block(&converter->writer, 2);
    if (open->end == END_MAIN) {
        converter->in_main--;
        if (part.end - part.start > converter->main.end - converter->main.start)
            converter->main = part;
    } else if (open->end == END_ARTICLE) {
        converter->in_article--;
        converter->articles++;
        converter->article = part;
    } else if (!converter->header_headed) {
        converter->out->len = open->at; /* a site's header; one with the page's heading stays */
    }
}

static void end_open(struct converter *converter, const struct open *open)
{
    struct writer *writer = &converter->writer;
    switch ((enum end)open->end) {
    case END_NOTHING: return;
    case END_BLOCK: writer_block(writer, 2); return;
    case END_HIDDEN: converter->hidden--; return;
    case END_HEADING: end_heading(converter, open); return;
    case END_LIST:
        converter->list_depth--;
        writer_block(writer, converter->list_depth ? 1 : 2);
        return;
    case END_ITEM:
        writer_block(writer, 1);
        (void)writer_pop_prefix(writer);
        return;
    case END_QUOTE:
        writer_block(writer, 2);
        (void)writer_pop_prefix(writer);
        return;
    case END_MARK: (void)writer_pop_mark(writer); return;
    case END_STRONG_BLOCK:
        (void)writer_pop_mark(writer);
        writer_block(writer, 2);
        return;
    case END_LINK: end_link(converter, open); return;
    case END_CODE: end_code(converter); return;
    case END_PRE: end_pre(converter, open); return;
    case END_Q:
        writer->to.space = false;
        writer_raw(writer, HV_STR("”"));
        return;
    case END_TABLE: end_table(converter); return;
    case END_CELL:
    case END_CAPTION:
        writer_block(writer, 1);
        writer_restore(writer, &open->saved);
        if (open->end == END_CELL && current_table(converter))
            table_end_cell(current_table(converter));
        return;
    case END_TITLE:
        converter->in_title = false;
        converter->has_title = converter->title.len > 0;
        return;
    case END_ANNOTATION: end_annotation(converter); return;
    case END_MATH: return;
    case END_MAIN:
    case END_ARTICLE:
    case END_HEADER: end_part(converter, open); return;
    }
}

static void pop(struct converter *converter)
{
    struct open open = converter->stack.items[--converter->stack.count];
    end_open(converter, &open);
}

static void on_end(void *user, const xmlChar *name)
{
    struct converter *converter = user;
    enum tag tag = tag_of((const char *)name);
    size_t at = converter->stack.count;
    flush_run(converter);
    /* The parser balances elements; should it not, nothing is left open. A <div> may have become <main>. */
    while (at > 0 && converter->stack.items[at - 1].tag != (unsigned char)tag &&
           !(tag == TAG_BLOCK && converter->stack.items[at - 1].tag == TAG_MAIN))
        at--;
    while (at > 0 && converter->stack.count >= at)
        pop(converter);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void on_text(void *user, const xmlChar *bytes, int length)
{
    struct converter *converter = user;
    struct hv_str text = {(const char *)bytes, (size_t)length};
    if (converter->in_title) {
        if (!converter->has_title)
            hv_buf_add_str(&converter->title, text);
        return;
    }
    if (converter->hidden)
        return;
    if (in_literal(converter))
        hv_buf_add_str(&converter->literal, text);
    else
        hv_buf_add_str(&converter->run, text);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* A piece of a page. The parser wants a root, or ends behind the first element that is closed. */
static bool is_fragment(struct hv_str html)
{
    static const char *const begins[] = {"<!doctype", "<html", "<?", "<!--"};
    html = hv_str_trim(hv_str_slice(html, 0, 256));
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (begins_with(html, begins[i]))
            return false;
    return true;
}

static enum hv_code feed(struct converter *converter, struct hv_str html, struct hv_error *err)
{
    xmlSAXHandler handlers = {
        .startElement = on_start, .endElement = on_end, .characters = on_text, .ignorableWhitespace = on_text};
    htmlParserCtxtPtr parser = htmlCreatePushParserCtxt(&handlers, converter, NULL, 0, NULL, XML_CHAR_ENCODING_UTF8);
    if (!parser)
        return hv_fail(err, HV_EINTERNAL, "libxml2 gives no parser");
    htmlCtxtUseOptions(parser, HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET |
                                   HTML_PARSE_IGNORE_ENC);
    enum hv_code code = HV_OK;
    if (is_fragment(html))
        htmlParseChunk(parser, "<html><body>", 12, 0);
    for (size_t at = 0; at < html.len && !code; at += CHUNK) {
        struct hv_str chunk = hv_str_slice(html, at, at + CHUNK);
        htmlParseChunk(parser, chunk.ptr, (int)chunk.len, 0);
        if (hv_cancelled(converter->options->cancel))
            code = hv_fail(err, HV_ECANCELLED, "was cancelled");
        else if (converter->out->failed)
            code = hv_fail(err, HV_ETOOBIG, "the page is too large to be shown");
    }
    if (!code)
        htmlParseChunk(parser, "", 0, 1);
    flush_run(converter);
    while (converter->stack.count)
        pop(converter);
    htmlFreeParserCtxt(parser);
    if (!code && converter->out->failed)
        code = hv_fail(err, HV_ETOOBIG, "the page is too large to be shown");
    return code;
}

/* Keep the main part alone, where there is one that holds the page. */
static void cut_to_main(struct converter *converter)
{
    struct hv_buf *out = converter->out;
    struct part part = converter->main;
    size_t whole = out->len - converter->out_start;
    if (part.end - part.start < MAIN_MIN && converter->articles == 1)
        part = converter->article;
    if (converter->options->raw || part.end > out->len || part.end - part.start < MAIN_MIN ||
        (part.end - part.start) * 4 < whole)
        return;
    struct hv_str heading = {0}, all = hv_buf_str(out);
    struct hv_str before = hv_str_slice(all, converter->out_start, part.start);
    /* A heading that stands before it is the page's. */
    size_t at = hv_str_starts(before, HV_STR("# ")) ? 0 : hv_str_find(before, HV_STR("\n# "), 0);
    if (at != SIZE_MAX && hv_str_find(hv_str_slice(all, part.start, part.end), HV_STR("# "), 0) != 0) {
        at += at || before.ptr[0] == '\n';
        heading = hv_arena_str(converter->arena, hv_str_slice(before, at, hv_str_find_byte(before, '\n', at)));
    }
    out->len = part.end;
    struct hv_str kept = hv_arena_str(converter->arena, hv_str_trim(hv_str_slice(all, part.start, part.end)));
    out->len = converter->out_start;
    hv_buf_add_str(out, heading);
    hv_buf_add_cstr(out, heading.len ? "\n\n" : "");
    hv_buf_add_str(out, kept);
}

static struct hv_str tidy_title(struct hv_arena *arena, struct hv_str text)
{
    char *copy = hv_arena_alloc(arena, text.len + 1);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        bool blank = (unsigned char)text.ptr[i] <= ' ';
        if (!blank || (len && copy[len - 1] != ' '))
            copy[len++] = blank ? ' ' : text.ptr[i];
    }
    return hv_str_trim(hv_str_of(copy, len));
}

static enum hv_code convert(struct hv_str html, const struct html_options *options, bool lenient,
                            struct hv_arena *arena, struct hv_buf *out, struct html_page *page, struct hv_error *err)
{
    struct converter converter = {.options = options,
                                  .arena = arena,
                                  .page = page,
                                  .out = out,
                                  .out_start = out->len,
                                  .lenient = lenient,
                                  .literal = {.max = LITERAL_MAX},
                                  .run = {.max = LITERAL_MAX},
                                  .title = {.max = TITLE_MAX}};
    writer_init(&converter.writer, out);
    url_base_init(&converter.base, options->base_url);
    enum hv_code code = feed(&converter, html, err);
    if (!code) {
        cut_to_main(&converter);
        struct hv_str title = tidy_title(arena, hv_buf_str(&converter.title));
        page->title = title.len ? title : page->title;
        page->has_heading = converter.headed;
    }
    while (converter.table_depth)
        table_release(&converter.tables[--converter.table_depth]);
    vec_release(&converter.stack);
    hv_buf_release(&converter.literal);
    hv_buf_release(&converter.title);
    hv_buf_release(&converter.run);
    return code;
}

enum hv_code html_to_markdown(struct hv_str html, const struct html_options *options, struct hv_arena *arena,
                              struct hv_buf *out, struct html_page *page, struct hv_error *err)
{
    size_t start = out->len;
    *page = (struct html_page){0};
    enum hv_code code = convert(html, options, false, arena, out, page, err);
    if (code || options->raw || out->len - start >= MAIN_MIN)
        return code;
    /* Next to nothing: perhaps the page marks what it is about as hidden, or as navigation. */
    CLEANUP_BUF struct hv_buf more = {.max = out->max};
    struct html_page again = {0};
    if (convert(html, options, true, arena, &more, &again, err) != HV_OK)
        return err->code;
    if (more.len > 3 * (out->len - start) + MAIN_MIN) {
        out->len = start;
        hv_buf_add_str(out, hv_buf_str(&more));
        *page = again;
    }
    return HV_OK;
}
