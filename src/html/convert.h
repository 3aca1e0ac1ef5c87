/* convert.h: what module.c gives out. See html.h. */
#ifndef HTML_CONVERT_H
#define HTML_CONVERT_H

#include "html/html.h"

enum hv_code html_to_markdown(struct hv_str html, const struct html_options *options, struct hv_arena *arena,
                              struct hv_buf *out, struct html_page *page, struct hv_error *err);
enum hv_code xml_to_markdown(struct hv_str xml, const struct html_options *options, struct hv_arena *arena,
                             struct hv_buf *out, struct html_page *page, struct hv_error *err);

#endif
