/* web_show.h: an answer from the web as text for a model, by its type. Blocks on decoders; any worker thread. */
#ifndef TOOLS_WEB_SHOW_H
#define TOOLS_WEB_SHOW_H

#include "html/html.h"

#include <helve/tool.h>

enum { WEB_TEXT_MAX = 64 << 20 };

struct web_source {
    struct hv_str url, content_type, body;
    bool raw;
};

/* What became of it: text, or, where it has none, a note that says what it is (a picture was added to the result). */
struct web_shown {
    struct hv_buf text; /* the caller sets max, and releases it */
    struct hv_str note; /* helve's own words about it, in the context's arena */
    struct html_page page;
    bool no_text;
};

enum hv_code web_show(struct hv_context *context, const struct web_source *source, struct web_shown *out,
                      struct hv_result *result, struct hv_error *err) HV_MUST_CHECK;

/* "Not Found"; "" when there is no usual name for the status. */
const char *web_status_name(int status);

#endif
