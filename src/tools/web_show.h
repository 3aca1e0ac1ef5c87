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

/* What became of it: text, or a picture that was added to the result (then text says what it is). */
struct web_shown {
    struct hv_buf text; /* the caller sets max, and releases it */
    struct html_page page;
    bool picture;
};

enum hv_code web_show(struct hv_context *context, const struct web_source *source, struct web_shown *out,
                      struct hv_result *result, struct hv_error *err) HV_MUST_CHECK;

/* "Not Found"; "" when there is no usual name for the status. */
const char *web_status_name(int status);

#endif
