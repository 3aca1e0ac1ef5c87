/* page.c: see page.h. */
#include "html/page.h"

#include "base/cleanup.h"
#include "base/utf8.h"
#include "module/module.h"
#include "text/label.h"

#include <string.h>

enum { TITLE_MAX = 500 };

struct hv_str page_media_type(struct hv_str content_type)
{
    return hv_str_trim(hv_str_slice(content_type, 0, hv_str_find_byte(content_type, ';', 0)));
}

bool page_is_html(struct hv_str media_type)
{
    return hv_str_eq_nocase(media_type, HV_STR("text/html")) ||
           hv_str_eq_nocase(media_type, HV_STR("application/xhtml+xml"));
}

bool page_is_xml(struct hv_str media_type)
{
    size_t len = media_type.len;
    return hv_str_eq_nocase(media_type, HV_STR("text/xml")) ||
           hv_str_eq_nocase(media_type, HV_STR("application/xml")) ||
           hv_str_eq_nocase(hv_str_slice(media_type, len < 4 ? 0 : len - 4, len), HV_STR("+xml"));
}

enum hv_code page_to_text(struct hv_str bytes, struct hv_str content_type, struct hv_buf *out, struct hv_error *err)
{
    struct encoding encoding = label_sniff(bytes, content_type);
    size_t start = out->len;
    enum hv_code code = encoding_to_utf8(bytes, encoding, out, err);
    if (code == HV_EUNSUPPORTED) { /* the system lacks its tables */
        out->len = start;
        code = encoding_to_utf8(bytes, (struct encoding){.kind = ENCODING_8BIT}, out, err);
    }
    for (char *at = out->data ? out->data + start : NULL; at && (at = memchr(at, 0, out->data + out->len - at)); at++)
        *at = ' '; /* a NUL would end the text for a parser */
    return code;
}

/* Put the title before what was appended from `start` on, where it has no heading of its own. */
static void finish_text(const struct html_page *page, struct hv_buf *out, size_t start)
{
    CLEANUP_BUF struct hv_buf title = {.max = 2 * TITLE_MAX};
    struct hv_str text = hv_str_trim(hv_str_slice(hv_buf_str(out), start, SIZE_MAX));
    if (!text.len) {
        out->len = start;
        return;
    }
    if (page->title.len && !page->has_heading)
        hv_buf_addf(&title, "# %.*s\n\n", HV_STR_ARG(hv_str_slice(page->title, 0, TITLE_MAX)));
    size_t skipped = (size_t)(text.ptr - (out->data + start));
    if (!hv_buf_reserve(out, skipped + title.len))
        return;
    memmove(out->data + start + title.len, out->data + start + skipped, text.len);
    if (title.len)
        memcpy(out->data + start, title.data, title.len);
    out->len = start + title.len + text.len;
}

/* The bytes are what the parser takes: no copy is needed. */
static bool is_plain_utf8(const struct page_source *source)
{
    struct encoding encoding = label_sniff(source->bytes, source->content_type);
    return encoding.kind == ENCODING_UTF8 && !encoding.mark && hv_str_find_byte(source->bytes, '\0', 0) == SIZE_MAX &&
           utf8_valid(source->bytes);
}

enum hv_code page_to_markdown(const struct page_source *source, struct hv_arena *arena, struct hv_buf *out,
                              struct html_page *page, struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf text = {.max = HTML_OUTPUT_MAX};
    struct hv_str html = source->bytes;
    size_t start = out->len;
    const void *table;
    struct hv_str type = page_media_type(source->content_type);
    enum hv_code code = module_load("html", "libxml2", &table, err);
    if (code)
        return code;
    const struct html_functions *functions = table;
    bool xml = page_is_xml(type) && !page_is_html(type);
    if (xml)
        code = functions->xml_to_markdown(source->bytes, &source->options, arena, out, page, err);
    if (!xml || code == HV_EINVAL) {
        code = HV_OK;
        if (!is_plain_utf8(source)) {
            code = page_to_text(source->bytes, source->content_type, &text, err);
            html = hv_buf_str(&text);
        }
        if (!code)
            code = functions->to_markdown(html, &source->options, arena, out, page, err);
    }
    if (code)
        out->len = start;
    else
        finish_text(page, out, start);
    return code ? code : out->failed ? hv_fail(err, HV_ETOOBIG, "the page is too large to be shown") : HV_OK;
}
