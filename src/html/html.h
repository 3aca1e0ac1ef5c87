/*
 * html.h: pages, feeds and other XML as Markdown, for a model. Lives in the module html.so over libxml2's push parsers,
 * loaded on first use (module/module.h); this is its table of functions.
 *
 * One pass, no tree: memory grows with what comes out. Foreign bytes can be anything; nothing recurses.
 */
#ifndef HTML_HTML_H
#define HTML_HTML_H

#include <helve/host.h>
#include <helve/str.h>

enum { HTML_OUTPUT_MAX = 64 << 20 };

struct html_options {
    struct hv_str base_url; /* absolute address of the page, for its links; or absent */
    bool raw;               /* keep navigation, hidden parts, forms and the like */
    const struct hv_cancel *cancel;
};

/* What a page says of itself; absent where it does not. In the arena given. */
struct html_page {
    struct hv_str title, description, author, published, site, language;
    struct hv_str refresh; /* where its <meta http-equiv=refresh> leads, absolute */
    bool has_heading;      /* the Markdown has a first-level heading */
};

struct html_functions {
    /*
     * Append the Markdown of html, which is well-formed UTF-8, to out. HV_ETOOBIG when out is full, HV_ECANCELLED.
     * Any thread.
     */
    enum hv_code (*to_markdown)(struct hv_str html, const struct html_options *options, struct hv_arena *arena,
                                struct hv_buf *out, struct html_page *page, struct hv_error *err);
    /* The same of XML (the bytes as they came: it names its encoding itself): RSS and Atom as a list of entries, their
     * HTML as Markdown; other XML indented. HV_EINVAL: it is not well-formed; then out is as it was. */
    enum hv_code (*xml_to_markdown)(struct hv_str xml, const struct html_options *options, struct hv_arena *arena,
                                    struct hv_buf *out, struct html_page *page, struct hv_error *err);
};

#endif
