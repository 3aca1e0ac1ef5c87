/*
 * page.h: what came from the web and is HTML or XML, as Markdown: its encoding is found out, the module html.so is
 * loaded at the first use and does the rest (html.h). Any thread.
 */
#ifndef HTML_PAGE_H
#define HTML_PAGE_H

#include "html/html.h"

struct page_source {
    struct hv_str bytes;
    struct hv_str content_type; /* the header's value, or absent: it is HTML */
    struct html_options options;
};

/* The type alone: "text/html". View, not in lower case. */
struct hv_str page_media_type(struct hv_str content_type);
bool page_is_html(struct hv_str media_type);
bool page_is_xml(struct hv_str media_type);

/*
 * Append the page as Markdown, beginning with its title where the text has no heading of its own. Errors of
 * html_functions and module_load; HV_ETOOBIG.
 */
enum hv_code page_to_markdown(const struct page_source *source, struct hv_arena *arena, struct hv_buf *out,
                              struct html_page *page, struct hv_error *err) HV_MUST_CHECK;

/* Text of any type to UTF-8, appended. */
enum hv_code page_to_text(struct hv_str bytes, struct hv_str content_type, struct hv_buf *out,
                          struct hv_error *err) HV_MUST_CHECK;

#endif
