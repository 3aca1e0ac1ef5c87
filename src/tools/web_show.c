/* web_show.c: see web_show.h. */
#include "tools/web_show.h"

#include "base/cleanup.h"
#include "html/page.h"
#include "media/image.h"
#include "media/pdf.h"
#include "text/encoding.h"
#include "tools/file_kind.h"

#include <string.h>

enum { PDF_PAGES_SHOWN = 200, INDENT_MAX = 60 };

const char *web_status_name(int status)
{
    static const struct {
        int status;
        const char *name;
    } names[] = {
        {201, "Created"},
        {202, "Accepted"},
        {204, "No Content"},
        {206, "Partial Content"},
        {300, "Multiple Choices"},
        {301, "Moved Permanently"},
        {302, "Found"},
        {303, "See Other"},
        {304, "Not Modified"},
        {307, "Temporary Redirect"},
        {308, "Permanent Redirect"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {402, "Payment Required"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {406, "Not Acceptable"},
        {407, "Proxy Authentication Required"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {410, "Gone"},
        {411, "Length Required"},
        {412, "Precondition Failed"},
        {413, "Content Too Large"},
        {414, "URI Too Long"},
        {415, "Unsupported Media Type"},
        {416, "Range Not Satisfiable"},
        {418, "I'm a teapot"},
        {421, "Misdirected Request"},
        {422, "Unprocessable Content"},
        {423, "Locked"},
        {425, "Too Early"},
        {426, "Upgrade Required"},
        {428, "Precondition Required"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {451, "Unavailable For Legal Reasons"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {502, "Bad Gateway"},
        {503, "Service Unavailable"},
        {504, "Gateway Timeout"},
        {505, "HTTP Version Not Supported"},
        {511, "Network Authentication Required"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].status == status)
            return names[i].name;
    return "";
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void put_newline(struct hv_buf *out, size_t depth)
{
    hv_buf_add_byte(out, '\n');
    for (size_t i = 0; i < depth && i < INDENT_MAX; i++)
        hv_buf_add_cstr(out, "  ");
}

/* Valid JSON, laid out: numbers and strings stay as they are written. */
static void lay_out(struct hv_str json, struct hv_buf *out)
{
    size_t depth = 0;
    for (size_t i = 0; i < json.len; i++) {
        char c = json.ptr[i];
        if (c == '"') {
            size_t end = i + 1;
            while (end < json.len && json.ptr[end] != '"')
                end += json.ptr[end] == '\\' ? 2 : 1;
            hv_buf_add_str(out, hv_str_slice(json, i, end + 1));
            i = end;
        } else if (c == '{' || c == '[') {
            size_t next = i + 1;
            while (next < json.len && strchr(" \t\r\n", json.ptr[next]))
                next++;
            hv_buf_add_byte(out, c);
            if (next < json.len && (json.ptr[next] == '}' || json.ptr[next] == ']')) {
                hv_buf_add_byte(out, json.ptr[next]);
                i = next;
            } else {
                put_newline(out, ++depth);
            }
        } else if (c == '}' || c == ']') {
            put_newline(out, depth ? --depth : 0);
            hv_buf_add_byte(out, c);
        } else if (c == ',') {
            hv_buf_add_byte(out, c);
            put_newline(out, depth);
        } else if (c == ':') {
            hv_buf_add_cstr(out, ": ");
        } else if (!strchr(" \t\r\n", c)) {
            hv_buf_add_byte(out, c);
        }
    }
}

/* A tree is made to find out whether it is JSON, of up to fifty bytes for each of the text: no larger ones. */
enum { LAID_OUT_MAX = 4 << 20 };

static enum hv_code show_json(const struct web_source *source, struct web_shown *out, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf text = {.max = WEB_TEXT_MAX};
    const struct hv_json *value;
    enum hv_code code = page_to_text(source->body, source->content_type, &text, err);
    if (code)
        return code;
    if (source->raw || text.len > LAID_OUT_MAX ||
        hv_json_parse(&arena, hv_buf_str(&text), HV_JSON_STRICT, &value, NULL) != HV_OK)
        hv_buf_add_str(&out->text, hv_buf_str(&text));
    else
        lay_out(hv_buf_str(&text), &out->text);
    return HV_OK;
}

/* ---- media ------------------------------------------------------------------------------------------------------- */

static enum hv_code show_picture(struct hv_context *context, const struct web_source *source, struct web_shown *out,
                                 struct hv_result *result, struct hv_error *err)
{
    struct media media = {context->host, context->cancel, context->arena};
    struct image image;
    enum hv_code code = image_prepare(&media, source->body, IMAGE_BYTES_MAX, &image, err);
    if (code)
        return code;
    struct hv_str shown = image.changed ? hv_arena_format(context->arena, ", shown at %u×%u", image.width, image.height)
                                        : (struct hv_str){0};
    out->note = hv_arena_format(context->arena, "A picture: %u×%u %s, %.*s%.*s", image.head.width, image.head.height,
                                image_format_name(image.head.format),
                                HV_STR_ARG(file_size_text(context->arena, source->body.len)), HV_STR_ARG(shown));
    struct hv_content *block = hv_result_add(result, context->arena, HV_CONTENT_IMAGE);
    block->media_type = hv_str_from(image_format_media_type(image.format));
    block->data = image.bytes;
    out->no_text = true;
    return HV_OK;
}

struct pdf_state {
    atomic_int way;
};

static const struct hv_state_key pdf_state_key = {.name = "web_pdf", .size = sizeof(struct pdf_state)};

static enum hv_code show_pdf(struct hv_context *context, const struct web_source *source, struct web_shown *out,
                             struct hv_error *err)
{
    struct pdf_info info;
    struct hv_str pages[PDF_PAGES_MAX];
    struct pdf_state *state = hv_state(context, &pdf_state_key);
    struct pdf pdf = {.media = {context->host, context->cancel, context->arena},
                      .roots = context->roots,
                      .root_count = context->root_count,
                      .way = &state->way,
                      .bytes = source->body};
    enum hv_code code = pdf_look(&pdf, &info, err);
    out->page.title = code ? (struct hv_str){0} : hv_arena_str(context->arena, info.title);
    unsigned last = info.pages < PDF_PAGES_SHOWN ? info.pages : PDF_PAGES_SHOWN;
    for (unsigned first = 1; !code && first <= last; first += PDF_PAGES_MAX) {
        unsigned until = first + PDF_PAGES_MAX - 1 < last ? first + PDF_PAGES_MAX - 1 : last;
        code = pdf_read_text(&pdf, (struct pdf_range){first, until}, pages, err);
        for (unsigned page = first; !code && page <= until; page++)
            hv_buf_addf(&out->text, "%s--- Page %u of %u ---\n%.*s\n", page > 1 ? "\n" : "", page, info.pages,
                        HV_STR_ARG(pages[page - first]));
    }
    if (!code && last < info.pages)
        out->note = hv_arena_format(
            context->arena, "[The other %u pages are not shown: download the file to read them.]", info.pages - last);
    return code;
}

/* ---- by type ----------------------------------------------------------------------------------------------------- */

static bool type_begins(struct hv_str type, const char *begin)
{
    struct hv_str wanted = hv_str_from(begin);
    return hv_str_eq_nocase(hv_str_slice(type, 0, wanted.len), wanted);
}

static bool is_json(struct hv_str type)
{
    size_t len = type.len;
    return hv_str_eq_nocase(type, HV_STR("application/json")) || hv_str_eq_nocase(type, HV_STR("text/json")) ||
           hv_str_eq_nocase(hv_str_slice(type, len < 5 ? 0 : len - 5, len), HV_STR("+json"));
}

/* Servers that say nothing, or nothing true: what the bytes begin with. */
static struct hv_str sniff_type(struct hv_str type, struct hv_str body)
{
    static const char *const pages[] = {"<!doctype html", "<html", "<head", "<body"};
    bool vague = hv_str_find_byte(type, '/', 0) == SIZE_MAX || /* nothing, or no type at all */
                 hv_str_eq_nocase(type, HV_STR("application/octet-stream"));
    struct hv_str head = hv_str_trim(hv_str_slice(body, 0, 512));
    if (hv_str_starts(body, HV_STR("%PDF-")))
        return HV_STR("application/pdf");
    if (!vague)
        return type;
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (type_begins(head, pages[i]))
            return HV_STR("text/html");
    if (hv_str_starts(head, HV_STR("<?xml")))
        return HV_STR("application/xml");
    return encoding_detect_head(body).kind == ENCODING_BINARY ? type : HV_STR("text/plain");
}

static void describe(struct hv_context *context, const struct web_source *source, struct hv_str type,
                     struct web_shown *out)
{
    const struct file_kind *kind = file_kind_sniff(hv_str_slice(source->body, 0, 512));
    if (type.len)
        hv_buf_addf(&out->text, "Content-Type: %.*s", HV_STR_ARG(type));
    out->note = hv_arena_format(
        context->arena, "[This is %s (%.*s), which is not shown. Download it to look at it with other means.]",
        kind ? kind->name : "binary data", HV_STR_ARG(file_size_text(context->arena, source->body.len)));
    out->no_text = true;
}

enum hv_code web_show(struct hv_context *context, const struct web_source *source, struct web_shown *out,
                      struct hv_result *result, struct hv_error *err)
{
    struct image_head head;
    struct hv_str type = sniff_type(page_media_type(source->content_type), source->body);
    bool svg = type_begins(type, "image/svg");
    if (page_is_html(type) || (page_is_xml(type) && !(source->raw || svg))) {
        struct page_source page = {.bytes = source->body,
                                   .content_type =
                                       page_is_html(type) && !page_is_html(page_media_type(source->content_type))
                                           ? HV_STR("text/html")
                                           : source->content_type,
                                   .options = {.base_url = source->url, .raw = source->raw, .cancel = context->cancel}};
        return page_to_markdown(&page, context->arena, &out->text, &out->page, err);
    }
    if (is_json(type))
        return show_json(source, out, err);
    if (hv_str_eq_nocase(type, HV_STR("application/pdf")))
        return show_pdf(context, source, out, err);
    if (!svg && (type_begins(type, "image/") || image_head_read(source->body, &head, NULL) == HV_OK))
        return show_picture(context, source, out, result, err);
    if (encoding_detect_head(source->body).kind == ENCODING_BINARY) { /* whatever it is said to be */
        describe(context, source, type, out);
        return HV_OK;
    }
    return page_to_text(source->body, source->content_type, &out->text, err);
}
