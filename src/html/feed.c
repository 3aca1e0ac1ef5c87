/*
 * feed.c: XML for reading: RSS and Atom as a page of entries, anything else indented. See html.h.
 *
 * Entities that a document declares are not known here (no handler takes them), so none can multiply; nothing outside
 * of the document is loaded.
 */
#include "base/cleanup.h"
#include "base/vec.h"
#include "html/convert.h"
#include "html/tags.h"
#include "text/url.h"

#include <libxml/parser.h>
#include <string.h>

enum { CHUNK = 16 << 10, FIELD_MAX = 4 << 20, INDENT_MAX = 40, HEAD_MAX = 2000 };

enum field {
    FIELD_NONE = 0,
    FIELD_TITLE,
    FIELD_LINK,
    FIELD_DATE,
    FIELD_AUTHOR,
    FIELD_SUMMARY,
    FIELD_CONTENT,
    FIELD_COUNT
};

static const struct {
    const char *name;
    enum field field;
} fields[] = {
    {"title", FIELD_TITLE},      {"link", FIELD_LINK},           {"guid", FIELD_NONE},
    {"pubDate", FIELD_DATE},     {"published", FIELD_DATE},      {"updated", FIELD_DATE},
    {"dc:date", FIELD_DATE},     {"dc:creator", FIELD_AUTHOR},   {"author", FIELD_AUTHOR},
    {"name", FIELD_AUTHOR},      {"description", FIELD_SUMMARY}, {"summary", FIELD_SUMMARY},
    {"subtitle", FIELD_SUMMARY}, {"content", FIELD_CONTENT},     {"content:encoded", FIELD_CONTENT},
};

struct feed {
    const struct html_options *options;
    struct hv_arena *arena;
    struct html_page *page;
    struct hv_buf *out;
    bool is_feed, in_entry, had_child;
    size_t depth, field_depth, markup_depth; /* of the field that text goes to; of markup inside it */
    enum field field;
    struct hv_buf values[FIELD_COUNT];
    struct hv_buf text; /* of other XML */
    size_t entries;
};

/* ---- feeds ------------------------------------------------------------------------------------------------------- */

static bool is_entry(const char *name)
{
    return !strcmp(name, "item") || !strcmp(name, "entry");
}

static struct hv_str value(const struct feed *feed, enum field field)
{
    return hv_str_trim(hv_buf_str(&feed->values[field]));
}

static void clear_values(struct feed *feed)
{
    for (size_t i = 0; i < FIELD_COUNT; i++)
        hv_buf_clear(&feed->values[i]);
}

/* The text of a field, which often is HTML, as Markdown; one line of it in a heading. */
static void put_markdown(struct feed *feed, struct hv_str html, bool one_line)
{
    CLEANUP_BUF struct hv_buf text = {.max = HTML_OUTPUT_MAX};
    struct html_options options = *feed->options;
    struct html_page unused;
    struct hv_error err;
    options.raw = true;
    if (html_to_markdown(html, &options, feed->arena, &text, &unused, &err) != HV_OK)
        return;
    struct hv_str shown = hv_str_trim(hv_buf_str(&text));
    for (size_t i = 0; one_line && i < shown.len; i++)
        if (text.data[(shown.ptr - text.data) + (ptrdiff_t)i] == '\n')
            text.data[(shown.ptr - text.data) + (ptrdiff_t)i] = ' ';
    hv_buf_add_str(feed->out, shown);
}

static void put_line(struct feed *feed, const char *between, struct hv_str text)
{
    if (!text.len)
        return;
    hv_buf_add_cstr(feed->out, between);
    hv_buf_add_str(feed->out, hv_str_slice(text, 0, HEAD_MAX));
}

/* The link of an entry, made absolute. */
static void put_link(struct feed *feed, const char *between)
{
    CLEANUP_BUF struct hv_buf url = {.max = 4 * URL_LENGTH_MAX};
    struct hv_str link = value(feed, FIELD_LINK);
    struct url_base base;
    if (!link.len)
        return;
    url_base_init(&base, feed->options->base_url);
    url_resolve(&base, link, &url);
    put_line(feed, between, url.failed ? link : hv_buf_str(&url));
}

static void put_values(struct feed *feed, const char *mark)
{
    struct hv_str title = value(feed, FIELD_TITLE), content = value(feed, FIELD_CONTENT);
    if (!content.len)
        content = value(feed, FIELD_SUMMARY);
    hv_buf_add_cstr(feed->out, feed->out->len ? "\n\n" : "");
    hv_buf_add_cstr(feed->out, mark);
    if (title.len)
        put_markdown(feed, title, true);
    else
        hv_buf_add_cstr(feed->out, "(without a title)");
    size_t before = feed->out->len;
    put_line(feed, "\n\n", value(feed, FIELD_DATE));
    put_line(feed, feed->out->len > before ? " · " : "\n\n", value(feed, FIELD_AUTHOR));
    put_link(feed, feed->out->len > before ? " · " : "\n\n");
    hv_buf_add_cstr(feed->out, content.len ? "\n\n" : "");
    put_markdown(feed, content, false);
}

/* What the feed says of itself comes before its first entry. */
static void put_head(struct feed *feed)
{
    feed->page->title = hv_arena_str(feed->arena, hv_str_slice(value(feed, FIELD_TITLE), 0, HEAD_MAX));
    feed->page->has_heading = true;
    put_values(feed, "# ");
    clear_values(feed);
}

static void take_link(struct feed *feed, const xmlChar **attributes)
{
    struct hv_str href = hv_str_trim(tag_attribute(attributes, "href")), rel = tag_attribute(attributes, "rel");
    if (href.len && (!rel.len || hv_str_is(rel, "alternate")) && !feed->values[FIELD_LINK].len)
        hv_buf_add_str(&feed->values[FIELD_LINK], href);
}

static void put_tag(struct hv_buf *out, const char *name, const xmlChar **attributes);

static void feed_start(struct feed *feed, const char *name, const xmlChar **attributes)
{
    if (feed->field) { /* XHTML inside of a field */
        put_tag(&feed->values[feed->field], name, attributes);
        feed->markup_depth++;
        return;
    }
    if (is_entry(name) && !feed->in_entry) {
        if (!feed->entries++)
            put_head(feed);
        clear_values(feed);
        feed->in_entry = true;
        return;
    }
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!strcmp(name, fields[i].name) && fields[i].field) {
            if (!strcmp(name, "author")) /* Atom: its name is inside */
                return;
            if (fields[i].field == FIELD_LINK)
                take_link(feed, attributes);
            if (feed->values[fields[i].field].len) /* the first counts */
                return;
            feed->field = fields[i].field;
            feed->field_depth = feed->depth;
            return;
        }
}

static void feed_end(struct feed *feed, const char *name)
{
    if (feed->field && feed->depth == feed->field_depth) {
        feed->field = FIELD_NONE;
        feed->markup_depth = 0;
    } else if (feed->field) {
        hv_buf_addf(&feed->values[feed->field], "</%s>", name);
    } else if (is_entry(name) && feed->in_entry) {
        put_values(feed, "## ");
        clear_values(feed);
        feed->in_entry = false;
    }
}

/* ---- other XML --------------------------------------------------------------------------------------------------- */

static void put_escaped(struct hv_buf *out, struct hv_str text, bool quoted)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '&' || c == '<' || (quoted && c == '"'))
            hv_buf_add_cstr(out, c == '&' ? "&amp;" : c == '<' ? "&lt;" : "&quot;");
        else
            hv_buf_add_byte(out, c);
    }
}

static void put_tag(struct hv_buf *out, const char *name, const xmlChar **attributes)
{
    hv_buf_addf(out, "<%s", name);
    for (size_t i = 0; attributes && attributes[i]; i += 2) {
        hv_buf_addf(out, " %s=\"", (const char *)attributes[i]);
        put_escaped(out, hv_str_from((const char *)attributes[i + 1]), true);
        hv_buf_add_byte(out, '"');
    }
    hv_buf_add_byte(out, '>');
}

static void put_indent(struct feed *feed)
{
    size_t count = feed->depth < INDENT_MAX ? feed->depth : INDENT_MAX;
    if (feed->out->len)
        hv_buf_add_byte(feed->out, '\n');
    for (size_t i = 0; i < count; i++)
        hv_buf_add_cstr(feed->out, "  ");
}

static void flush_text(struct feed *feed)
{
    put_escaped(feed->out, hv_str_trim(hv_buf_str(&feed->text)), false);
    hv_buf_clear(&feed->text);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void on_start(void *user, const xmlChar *tag, const xmlChar **attributes)
{
    struct feed *feed = user;
    const char *name = (const char *)tag;
    if (!feed->depth)
        feed->is_feed = !strcmp(name, "rss") || !strcmp(name, "feed") || !strcmp(name, "rdf:RDF");
    if (feed->is_feed) {
        feed_start(feed, name, attributes);
    } else {
        flush_text(feed);
        put_indent(feed);
        put_tag(feed->out, name, attributes);
        feed->had_child = false;
    }
    feed->depth++;
}

static void on_end(void *user, const xmlChar *tag)
{
    struct feed *feed = user;
    if (!feed->depth)
        return;
    feed->depth--;
    if (feed->is_feed) {
        feed_end(feed, (const char *)tag);
        return;
    }
    flush_text(feed);
    if (feed->had_child)
        put_indent(feed);
    hv_buf_addf(feed->out, "</%s>", (const char *)tag);
    feed->had_child = true;
}

static void on_text(void *user, const xmlChar *bytes, int length)
{
    struct feed *feed = user;
    struct hv_str text = {(const char *)bytes, (size_t)length};
    if (!feed->is_feed)
        hv_buf_add_str(&feed->text, text);
    else if (feed->field && feed->markup_depth) /* text beside markup is text again when the whole is read as HTML */
        put_escaped(&feed->values[feed->field], text, false);
    else if (feed->field)
        hv_buf_add_str(&feed->values[feed->field], text);
}

static enum hv_code read_xml(struct feed *feed, struct hv_str xml, struct hv_error *err)
{
    xmlSAXHandler handlers = {.startElement = on_start,
                              .endElement = on_end,
                              .characters = on_text,
                              .cdataBlock = on_text,
                              .ignorableWhitespace = on_text,
                              .initialized = 1};
    xmlParserCtxtPtr parser = xmlCreatePushParserCtxt(&handlers, feed, NULL, 0, NULL);
    if (!parser)
        return hv_fail(err, HV_EINTERNAL, "libxml2 gives no parser");
    xmlCtxtUseOptions(parser, XML_PARSE_RECOVER | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NONET);
    enum hv_code code = HV_OK;
    for (size_t at = 0; at < xml.len && !code; at += CHUNK) {
        struct hv_str chunk = hv_str_slice(xml, at, at + CHUNK);
        xmlParseChunk(parser, chunk.ptr, (int)chunk.len, 0);
        if (hv_cancelled(feed->options->cancel))
            code = hv_fail(err, HV_ECANCELLED, "was cancelled");
    }
    if (!code)
        xmlParseChunk(parser, "", 0, 1);
    if (!code && !parser->wellFormed && (!feed->is_feed || !feed->entries))
        code = hv_fail(err, HV_EINVAL, "the XML is not well-formed");
    xmlFreeDoc(parser->myDoc); /* made to hold the entities that a document type declares */
    parser->myDoc = NULL;
    xmlFreeParserCtxt(parser);
    return code;
}

enum hv_code xml_to_markdown(struct hv_str xml, const struct html_options *options, struct hv_arena *arena,
                             struct hv_buf *out, struct html_page *page, struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf own = {.max = out->max};
    struct feed feed = {.options = options, .arena = arena, .page = page, .out = &own, .text = {.max = FIELD_MAX}};
    *page = (struct html_page){0};
    for (size_t i = 0; i < FIELD_COUNT; i++)
        hv_buf_init(&feed.values[i], FIELD_MAX);
    enum hv_code code = read_xml(&feed, xml, err);
    if (!code && feed.is_feed && !feed.entries)
        put_head(&feed);
    for (size_t i = 0; i < FIELD_COUNT; i++)
        hv_buf_release(&feed.values[i]);
    hv_buf_release(&feed.text);
    if (!code && own.failed)
        code = hv_fail(err, HV_ETOOBIG, "the document is too large to be shown");
    if (code)
        return code;
    if (!feed.is_feed)
        hv_buf_add_cstr(out, "```xml\n");
    hv_buf_add_str(out, hv_buf_str(&own));
    if (!feed.is_feed)
        hv_buf_add_cstr(out, "\n```");
    return HV_OK;
}
