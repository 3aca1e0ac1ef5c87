/*
 * convert.c: HTML to Markdown on the events of libxml2's push parser. See html.h.
 *
 * An element is opened, opens and closes others, and is closed: `stack` remembers of each what its end has to do.
 * Whatever is left out (scripts, hidden parts, navigation) is counted by `hidden`: nothing inside counts.
 * The main part (<main>, else the only <article>) is found on the way; what stood around it is cut off at the end.
 */
#include "html/converter.h"
#include "html/pieces.h"

#include "base/cleanup.h"

#include <libxml/HTMLparser.h>
#include <libxml/parserInternals.h>
#include <string.h>

static void flush_run(struct converter *converter)
{
    if (converter->run.len)
        writer_text(&converter->writer, hv_buf_str(&converter->run));
    hv_buf_clear(&converter->run);
}

/* One that leads nowhere (data:, javascript:) leaves the page's own address, against which browsers read links then. */
static void take_base(struct converter *converter, struct hv_str reference)
{
    struct hv_str url = reference.len ? begin_resolved(converter, reference) : reference;
    if (begin_is(url, "http:") || begin_is(url, "https:"))
        url_base_init(&converter->base, url);
}

/*
 * The parser has no bound of its own: a page of nothing but <div> would cost it, and us, more memory than the page has
 * bytes. An element that is too deep is taken off its stack again, but for those that it ends by itself, and those by
 * which it knows that text follows.
 */
static bool is_too_deep(struct converter *converter, enum tag tag, const char *name)
{
    bool ends = tag == TAG_BR || tag == TAG_HR || tag == TAG_IMG || !strcmp(name, "script") || !strcmp(name, "style");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    htmlParserCtxtPtr parser = converter->parser;
    if (parser->nameNr < DEPTH_MAX || ends)
        return false;
    parser->nameNr--;
    parser->name = parser->nameTab[parser->nameNr - 1];
    bool within_line = tag == TAG_INLINE || (tag >= TAG_CODE && tag <= TAG_A);
    if (!within_line && !converter->hidden && !in_literal(converter))
        writer_block(&converter->writer, 1);
    return true;
#pragma GCC diagnostic pop
}

static void on_start(void *user, const xmlChar *name, const xmlChar **attributes)
{
    struct converter *converter = user;
    flush_run(converter);
    enum tag tag = tag_of((const char *)name);
    if (is_too_deep(converter, tag, (const char *)name))
        return;
    if (converter->hidden || begin_leaves_out(converter, tag, attributes)) {
        begin_open(converter, tag, END_HIDDEN);
        converter->hidden++;
        return;
    }
    if (tag == TAG_META)
        begin_take_meta(converter, attributes);
    if (tag == TAG_HTML && !converter->page->language.len)
        converter->page->language = hv_arena_str(converter->arena, tag_attribute(attributes, "lang"));
    if (tag == TAG_BASE)
        take_base(converter, tag_attribute(attributes, "href"));
    if (tag == TAG_BLOCK && tag_has_role(attributes, "main"))
        tag = TAG_MAIN;
    if (tag == TAG_TITLE) {
        begin_open(converter, tag, END_TITLE);
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

void end_open(struct converter *converter, const struct open *open)
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
        if (open->end == END_CELL && begin_table_of(converter))
            table_end_cell(begin_table_of(converter));
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
    if (in_literal(converter)) {
        hv_buf_add_str(&converter->literal, text);
        return;
    }
    hv_buf_add_str(&converter->run, text);
    if (converter->run.len > RUN_MAX)
        flush_run(converter);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* A piece of a page. The parser wants a root, or ends behind the first element that is closed. */
static bool is_fragment(struct hv_str html)
{
    static const char *const begins[] = {"<!doctype", "<html", "<?", "<!--"};
    html = hv_str_trim(hv_str_slice(html, 0, 256));
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (begin_is(html, begins[i]))
            return false;
    return true;
}

/* The push parser keeps every byte that it was given, unless it is told otherwise. */
static void drop_consumed(htmlParserCtxtPtr parser)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    const xmlParserInputPtr input = parser->input;
    if (input && !parser->checkIndex && input->cur - input->base > CONSUMED_MAX)
        xmlParserInputShrink(input);
#pragma GCC diagnostic pop
}

static enum hv_code feed(struct converter *converter, struct hv_str html, struct hv_error *err)
{
    xmlSAXHandler handlers = {
        .startElement = on_start, .endElement = on_end, .characters = on_text, .ignorableWhitespace = on_text};
    htmlParserCtxtPtr parser = htmlCreatePushParserCtxt(&handlers, converter, NULL, 0, NULL, XML_CHAR_ENCODING_UTF8);
    if (!parser)
        return hv_fail(err, HV_EINTERNAL, "libxml2 gives no parser");
    converter->parser = parser;
    htmlCtxtUseOptions(parser, HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET |
                                   HTML_PARSE_IGNORE_ENC);
    enum hv_code code = HV_OK;
    if (is_fragment(html))
        htmlParseChunk(parser, "<html><body>", 12, 0);
    struct pieces pieces = {.html = html, .cut = {.max = LITERAL_MAX}};
    struct hv_str piece;
    while (!code && pieces_next(&pieces, &piece)) {
        htmlParseChunk(parser, piece.ptr, (int)piece.len, 0);
        drop_consumed(parser);
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
    hv_buf_release(&pieces.cut);
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
    hv_arena_release(&converter.addresses);
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
