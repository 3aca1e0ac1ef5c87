/* begin.c: what the beginning of an element does; see convert.c. */
#include "html/converter.h"

#include "base/cleanup.h"

#include <string.h>

/* ---- attributes -------------------------------------------------------------------------------------------------- */

/* What ends the mark of a link to this address. It lives as long as marks are open. */
static struct hv_str link_end(struct converter *converter, struct hv_str reference)
{
    CLEANUP_BUF struct hv_buf end = {.max = 4 * URL_LENGTH_MAX};
    if (!converter->writer.mark_depth)
        hv_arena_reset(&converter->addresses);
    hv_buf_add_cstr(&end, "](");
    url_resolve(&converter->base, reference, &end);
    hv_buf_add_byte(&end, ')');
    return end.failed ? HV_STR("]()") : hv_arena_str(&converter->addresses, hv_buf_str(&end));
}

struct hv_str begin_resolved(struct converter *converter, struct hv_str reference)
{
    CLEANUP_BUF struct hv_buf url = {.max = 4 * URL_LENGTH_MAX};
    url_resolve(&converter->base, reference, &url);
    return hv_arena_str(converter->arena, hv_buf_str(&url));
}

bool begin_is(struct hv_str url, const char *scheme)
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

/* "5; url=/next": pages that only lead on often say so in no other way. */
static void take_refresh(struct converter *converter, struct hv_str content)
{
    struct hv_str at = hv_str_slice(content, hv_str_find_byte(content, ';', 0), SIZE_MAX);
    at = hv_str_trim(hv_str_slice(at, 1, SIZE_MAX));
    if (!hv_str_eq_nocase(hv_str_slice(at, 0, 3), HV_STR("url")) || converter->page->refresh.len)
        return;
    at = hv_str_trim(hv_str_slice(at, 3, SIZE_MAX));
    at = hv_str_trim(hv_str_slice(at, at.len && at.ptr[0] == '=', SIZE_MAX));
    if (at.len > 1 && (at.ptr[0] == '\'' || at.ptr[0] == '"'))
        at = hv_str_slice(at, 1, hv_str_find_byte(at, at.ptr[0], 1));
    struct hv_str url = at.len ? begin_resolved(converter, at) : at;
    if (begin_is(url, "http:") || begin_is(url, "https:"))
        converter->page->refresh = hv_arena_str(converter->arena, hv_str_slice(url, 0, TITLE_MAX));
}

void begin_take_meta(struct converter *converter, const unsigned char **attributes)
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
    if (hv_str_eq_nocase(tag_attribute(attributes, "http-equiv"), HV_STR("refresh")))
        take_refresh(converter, content);
    for (size_t i = 0; content.len && i < sizeof rows / sizeof *rows; i++) {
        struct hv_str *member = (struct hv_str *)((char *)converter->page + rows[i].offset);
        if (hv_str_eq_nocase(name, hv_str_from(rows[i].name)) && !member->len)
            *member = hv_arena_str(converter->arena, hv_str_slice(content, 0, TITLE_MAX));
    }
}

/* ---- beginnings -------------------------------------------------------------------------------------------------- */

struct open *begin_open(struct converter *converter, enum tag tag, enum end end)
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
    begin_open(converter, tag, END_HEADING);
    writer_push_prefix(writer, marks[tag - TAG_H1], "");
    writer->one_line = true;
    if (converter->table_depth)
        converter->tables[converter->table_depth - 1].is_layout = true;
}

static void begin_list(struct converter *converter, enum tag tag, const unsigned char **attributes)
{
    int64_t start = 1;
    bool nested = converter->stack.count && converter->list_depth &&
                  converter->stack.items[converter->stack.count - 1].end == END_ITEM;
    writer_block(&converter->writer, nested ? 1 : 2);
    struct open *open = begin_open(converter, tag, END_LIST);
    open->ordered = tag == TAG_OL;
    if (!hv_str_to_int64(hv_str_trim(tag_attribute(attributes, "start")), &start) || start < 0 || start > 999999999)
        start = 1;
    open->number = (long)start;
    converter->list_depth++;
}

static void begin_item(struct converter *converter, const unsigned char **attributes)
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
    begin_open(converter, TAG_LI, END_ITEM);
    writer_push_prefix(&converter->writer, first, next);
}

static void begin_link(struct converter *converter, const unsigned char **attributes)
{
    struct hv_str href = tag_attribute(attributes, "href");
    bool useless = !hv_str_trim(href).len || begin_is(href, "javascript:") || begin_is(href, "data:") ||
                   begin_is(href, "vbscript:");
    struct open *open = begin_open(converter, TAG_A, useless || in_literal(converter) ? END_NOTHING : END_LINK);
    if (open->end == END_NOTHING)
        return;
    open->anchor = hv_str_trim(href).ptr[0] == '#';
    converter->writer.power = false;
    writer_push_mark(&converter->writer, "[", link_end(converter, href));
}

static void put_image(struct converter *converter, const unsigned char **attributes)
{
    static const char *const sources[] = {"src", "data-src", "data-original", "data-lazy-src"};
    struct hv_str alt = hv_str_trim(tag_attribute(attributes, "alt")), source = {0};
    struct hv_str width = tag_attribute(attributes, "width"), height = tag_attribute(attributes, "height");
    for (size_t i = 0; i < sizeof sources / sizeof *sources && !source.len; i++) {
        source = hv_str_trim(tag_attribute(attributes, sources[i]));
        if (begin_is(source, "data:"))
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

static void put_frame(struct converter *converter, const unsigned char **attributes)
{
    struct hv_str source = hv_str_trim(tag_attribute(attributes, "src")), title = tag_attribute(attributes, "title");
    if (!source.len || begin_is(source, "about:") || begin_is(source, "data:") || begin_is(source, "javascript:"))
        return;
    struct hv_str url = begin_resolved(converter, source);
    writer_block(&converter->writer, 2);
    writer_push_mark(&converter->writer, "[", hv_arena_format(converter->arena, "](%.*s)", HV_STR_ARG(url)));
    writer_text(&converter->writer, hv_str_trim(title).len ? title : url);
    (void)writer_pop_mark(&converter->writer);
    writer_block(&converter->writer, 2);
}

struct table *begin_table_of(struct converter *converter)
{
    return converter->table_depth && converter->table_depth <= TABLES_MAX
               ? &converter->tables[converter->table_depth - 1]
               : NULL;
}

static void begin_table(struct converter *converter, const unsigned char **attributes)
{
    writer_block(&converter->writer, 2);
    struct table *outer = begin_table_of(converter);
    if (converter->table_depth == TABLES_MAX || converter->pre) {
        begin_open(converter, TAG_TABLE, END_BLOCK);
        return;
    }
    if (outer)
        outer->is_layout = true;
    begin_open(converter, TAG_TABLE, END_TABLE);
    struct table *table = &converter->tables[converter->table_depth++];
    *table = (struct table){.text = {.max = HTML_OUTPUT_MAX}, .caption = {.max = TITLE_MAX}};
    table->is_layout = tag_has_role(attributes, "presentation") || tag_has_role(attributes, "none");
}

/* A cell counts where its table does; else it is a block. */
static void begin_cell(struct converter *converter, enum tag tag, const unsigned char **attributes)
{
    struct table *table = NULL;
    for (size_t i = converter->stack.count; i-- > 0;) {
        enum end end = converter->stack.items[i].end;
        if (end == END_CELL || end == END_CAPTION || (converter->stack.items[i].tag == TAG_TABLE && end != END_TABLE))
            break;
        if (end == END_TABLE) {
            table = begin_table_of(converter);
            break;
        }
    }
    if (!table || converter->pre) {
        writer_block(&converter->writer, 1);
        begin_open(converter, tag, END_BLOCK);
        return;
    }
    struct open *open = begin_open(converter, tag, END_CELL);
    table_begin_cell(table, tag_attribute(attributes, "colspan"), tag_attribute(attributes, "rowspan"), tag == TAG_TH);
    writer_redirect(&converter->writer, &table->text, &open->saved);
}

static void begin_caption(struct converter *converter)
{
    struct table *table = begin_table_of(converter);
    bool direct = table && converter->stack.count &&
                  converter->stack.items[converter->stack.count - 1].end == END_TABLE && !table->caption.len;
    writer_block(&converter->writer, 2);
    struct open *open = begin_open(converter, TAG_CAPTION, direct ? END_CAPTION : END_BLOCK);
    if (direct)
        writer_redirect(&converter->writer, &table->caption, &open->saved);
}

static void begin_pre(struct converter *converter, const unsigned char **attributes)
{
    struct hv_str language = tag_language(attributes);
    for (size_t i = converter->stack.count, up = 0; i-- > 0 && up < 3 && !language.len; up++)
        language = converter->stack.items[i].language;
    if (!in_literal(converter))
        hv_buf_clear(&converter->literal);
    struct open *open = begin_open(converter, TAG_PRE, END_PRE);
    open->language = hv_arena_str(converter->arena, language);
    converter->pre++;
    if (converter->table_depth)
        converter->tables[converter->table_depth - 1].is_layout = true;
}

static void begin_code(struct converter *converter, const unsigned char **attributes)
{
    if (converter->pre) {
        struct hv_str language = tag_language(attributes);
        for (size_t i = converter->stack.count; i-- > 0 && language.len;)
            if (converter->stack.items[i].end == END_PRE) {
                if (!converter->stack.items[i].language.len)
                    converter->stack.items[i].language = hv_arena_str(converter->arena, language);
                break;
            }
        begin_open(converter, TAG_CODE, END_NOTHING);
        return;
    }
    if (!converter->code++)
        hv_buf_clear(&converter->literal);
    begin_open(converter, TAG_CODE, END_CODE);
}

static void begin_mark(struct converter *converter, enum tag tag, const char *mark)
{
    if (in_literal(converter) || converter->writer.one_line) {
        begin_open(converter, tag, END_NOTHING);
        return;
    }
    size_t count = converter->stack.count, least = count > MARKS_SEEN ? count - MARKS_SEEN : 0;
    for (size_t i = count; i-- > least && converter->stack.items[i].end != END_CELL;)
        if (converter->stack.items[i].tag == tag && converter->stack.items[i].end == END_MARK) {
            begin_open(converter, tag, END_NOTHING); /* <b><b> */
            return;
        }
    begin_open(converter, tag, END_MARK);
    writer_push_mark(&converter->writer, mark, hv_str_from(mark));
}

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

static void begin_block(struct converter *converter, enum tag tag, const unsigned char **attributes)
{
    struct hv_str language = tag_language(attributes);
    writer_block(&converter->writer, 2);
    struct open *open = begin_open(converter, tag, END_BLOCK);
    if (language.len && !hv_str_is(language, "code"))
        open->language = hv_arena_str(converter->arena, language);
}

static void put_checkbox(struct converter *converter, const unsigned char **attributes)
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
    begin_open(converter, tag, end);
    converter->in_main += end == END_MAIN;
    converter->in_article += end == END_ARTICLE;
    if (end == END_HEADER)
        converter->header_headed = false;
}

bool begin_leaves_out(const struct converter *converter, enum tag tag, const unsigned char **attributes)
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

static void begin_math(struct converter *converter, enum tag tag, const unsigned char **attributes)
{
    struct hv_str encoding = tag_attribute(attributes, "encoding");
    if (tag == TAG_MATH) {
        begin_open(converter, tag, END_MATH);
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
        begin_open(converter, tag, END_ANNOTATION);
        converter->code++;
    } else {
        begin_open(converter, tag, END_HIDDEN);
        converter->hidden++;
    }
}

/* Elements within lines, and those without an end. */
static void begin_inline(struct converter *converter, enum tag tag, const unsigned char **attributes)
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
        begin_open(converter, tag, END_STRONG_BLOCK);
        writer_push_mark(writer, tag == TAG_SUMMARY ? "**" : "*", tag == TAG_SUMMARY ? HV_STR("**") : HV_STR("*"));
        return;
    case TAG_SUP:
        writer->power = true;
        begin_open(converter, tag, END_NOTHING);
        return;
    case TAG_Q:
        begin_open(converter, tag, END_Q);
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
    begin_open(converter, tag, END_NOTHING);
}

void begin_tag(struct converter *converter, enum tag tag, const unsigned char **attributes)
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
        begin_open(converter, tag, END_QUOTE);
        writer_push_prefix(writer, "> ", "> ");
        return;
    case TAG_DT:
        end_early(converter, TAG_DD, TAG_DL);
        writer_block(writer,
                     converter->stack.count && converter->stack.items[converter->stack.count - 1].number++ ? 1 : 2);
        begin_open(converter, tag, END_NOTHING);
        return;
    case TAG_DD:
        end_early(converter, TAG_DD, TAG_DL);
        writer_block(writer, 1);
        if (converter->stack.count)
            converter->stack.items[converter->stack.count - 1].number = 0; /* the next term begins anew */
        begin_open(converter, tag, END_ITEM);
        writer_push_prefix(writer, ": ", "  ");
        return;
    case TAG_TABLE: begin_table(converter, attributes); return;
    case TAG_TR:
        writer_block(writer, 1);
        begin_open(converter, tag, END_NOTHING);
        if (begin_table_of(converter) && converter->writer.to.out != &begin_table_of(converter)->text)
            table_begin_row(begin_table_of(converter));
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
