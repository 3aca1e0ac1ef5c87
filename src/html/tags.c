/* tags.c: see tags.h. */
#include "html/tags.h"

#include <stdlib.h>
#include <string.h>

struct row {
    const char *name;
    enum tag tag;
};

/* Sorted by name. */
static const struct row rows[] = {
    {"a", TAG_A},
    {"address", TAG_BLOCK},
    {"annotation", TAG_ANNOTATION},
    {"article", TAG_ARTICLE},
    {"aside", TAG_ASIDE},
    {"audio", TAG_FRAME},
    {"b", TAG_STRONG},
    {"base", TAG_BASE},
    {"blockquote", TAG_BLOCKQUOTE},
    {"body", TAG_BODY},
    {"br", TAG_BR},
    {"button", TAG_CONTROL},
    {"canvas", TAG_NEVER},
    {"caption", TAG_CAPTION},
    {"center", TAG_BLOCK},
    {"code", TAG_CODE},
    {"datalist", TAG_CONTROL},
    {"dd", TAG_DD},
    {"del", TAG_DEL},
    {"details", TAG_BLOCK},
    {"dialog", TAG_BLOCK},
    {"dir", TAG_UL},
    {"div", TAG_BLOCK},
    {"dl", TAG_DL},
    {"dt", TAG_DT},
    {"em", TAG_EM},
    {"embed", TAG_FRAME},
    {"fieldset", TAG_BLOCK},
    {"figcaption", TAG_FIGCAPTION},
    {"figure", TAG_BLOCK},
    {"footer", TAG_FOOTER},
    {"form", TAG_BLOCK},
    {"frame", TAG_FRAME},
    {"h1", TAG_H1},
    {"h2", TAG_H2},
    {"h3", TAG_H3},
    {"h4", TAG_H4},
    {"h5", TAG_H5},
    {"h6", TAG_H6},
    {"header", TAG_HEADER},
    {"hgroup", TAG_BLOCK},
    {"hr", TAG_HR},
    {"html", TAG_HTML},
    {"i", TAG_EM},
    {"iframe", TAG_FRAME},
    {"image", TAG_IMG},
    {"img", TAG_IMG},
    {"input", TAG_INPUT},
    {"kbd", TAG_CODE},
    {"legend", TAG_BLOCK},
    {"li", TAG_LI},
    {"listing", TAG_PRE},
    {"main", TAG_MAIN},
    {"math", TAG_MATH},
    {"menu", TAG_UL},
    {"meta", TAG_META},
    {"nav", TAG_NAV},
    {"noscript", TAG_NEVER},
    {"object", TAG_NEVER},
    {"ol", TAG_OL},
    {"optgroup", TAG_CONTROL},
    {"option", TAG_CONTROL},
    {"p", TAG_P},
    {"pre", TAG_PRE},
    {"q", TAG_Q},
    {"s", TAG_DEL},
    {"samp", TAG_CODE},
    {"script", TAG_NEVER},
    {"section", TAG_BLOCK},
    {"select", TAG_CONTROL},
    {"strike", TAG_DEL},
    {"strong", TAG_STRONG},
    {"style", TAG_NEVER},
    {"summary", TAG_SUMMARY},
    {"sup", TAG_SUP},
    {"svg", TAG_NEVER},
    {"table", TAG_TABLE},
    {"td", TAG_TD},
    {"template", TAG_NEVER},
    {"textarea", TAG_CONTROL},
    {"th", TAG_TH},
    {"title", TAG_TITLE},
    {"tr", TAG_TR},
    {"tt", TAG_CODE},
    {"ul", TAG_UL},
    {"video", TAG_FRAME},
    {"xmp", TAG_PRE},
};

static int compare(const void *name, const void *row)
{
    return strcmp(name, ((const struct row *)row)->name);
}

enum tag tag_of(const char *name)
{
    if (!strcmp(name, "div"))
        return TAG_BLOCK;
    if (!strcmp(name, "span"))
        return TAG_INLINE;
    const struct row *row = bsearch(name, rows, sizeof rows / sizeof *rows, sizeof *rows, compare);
    return row ? row->tag : TAG_INLINE;
}

struct hv_str tag_attribute(const unsigned char **attributes, const char *name)
{
    for (size_t i = 0; attributes && attributes[i]; i += 2)
        if (!strcmp((const char *)attributes[i], name))
            return attributes[i + 1] ? hv_str_from((const char *)attributes[i + 1]) : HV_STR("");
    return (struct hv_str){0};
}

/* The next word of *rest; false when none is left. */
static bool next_word(struct hv_str *rest, struct hv_str *word)
{
    size_t start = 0, end;
    while (start < rest->len && (unsigned char)rest->ptr[start] <= ' ')
        start++;
    for (end = start; end < rest->len && (unsigned char)rest->ptr[end] > ' ';)
        end++;
    *word = hv_str_slice(*rest, start, end);
    *rest = hv_str_slice(*rest, end, SIZE_MAX);
    return word->len > 0;
}

static bool is_one_of(struct hv_str word, const char *const *names)
{
    for (; *names; names++)
        if (hv_str_eq_nocase(word, hv_str_from(*names)))
            return true;
    return false;
}

static bool any_word(struct hv_str text, const char *const *names)
{
    struct hv_str word;
    while (next_word(&text, &word))
        if (is_one_of(word, names))
            return true;
    return false;
}

/* "display: none" with any blanks. */
static bool declares(struct hv_str style, const char *property, const char *value)
{
    struct hv_str part;
    while (hv_str_split(&style, ';', &part)) {
        size_t colon = hv_str_find_byte(part, ':', 0);
        if (colon == SIZE_MAX || !hv_str_eq_nocase(hv_str_trim(hv_str_slice(part, 0, colon)), hv_str_from(property)))
            continue;
        struct hv_str given = hv_str_trim(hv_str_slice(part, colon + 1, SIZE_MAX)), wanted = hv_str_from(value);
        if (hv_str_eq_nocase(hv_str_slice(given, 0, wanted.len), wanted))
            return true;
    }
    return false;
}

bool tag_is_hidden(const unsigned char **attributes)
{
    for (size_t i = 0; attributes && attributes[i]; i += 2) {
        const char *name = (const char *)attributes[i];
        struct hv_str value = hv_str_from((const char *)attributes[i + 1]);
        if (!strcmp(name, "hidden") && !hv_str_eq_nocase(value, HV_STR("until-found")))
            return true;
        if (!strcmp(name, "aria-hidden") && hv_str_eq_nocase(value, HV_STR("true")))
            return true;
        if (!strcmp(name, "style") && (declares(value, "display", "none") || declares(value, "visibility", "hidden")))
            return true;
    }
    return false;
}

bool tag_has_role(const unsigned char **attributes, const char *role)
{
    return hv_str_eq_nocase(tag_attribute(attributes, "role"), hv_str_from(role));
}

bool tag_is_boilerplate(enum tag tag, const unsigned char **attributes)
{
    static const char *const roles[] = {"navigation", "banner",      "contentinfo", "complementary", "search", "menu",
                                        "menubar",    "alertdialog", "dialog",      "toolbar",       NULL};
    static const char *const words[] = {"ad",
                                        "ads",
                                        "advert",
                                        "advertisement",
                                        "breadcrumb",
                                        "breadcrumbs",
                                        "catlinks",
                                        "cookie",
                                        "cookie-banner",
                                        "cookie-notice",
                                        "cookie-consent",
                                        "edit-this-page",
                                        "mw-editsection",
                                        "mw-jump-link",
                                        "nav",
                                        "navbar",
                                        "navbox",
                                        "navigation",
                                        "newsletter",
                                        "noprint",
                                        "pagination",
                                        "printfooter",
                                        "related-posts",
                                        "share",
                                        "share-buttons",
                                        "sharing",
                                        "sidebar",
                                        "site-footer",
                                        "site-header",
                                        "skip-link",
                                        "skip-nav",
                                        "skip-to-content",
                                        "social",
                                        "social-links",
                                        "sphinxsidebar",
                                        "sponsored",
                                        "subscribe",
                                        "table-of-contents",
                                        "toc",
                                        "topnav",
                                        NULL};
    if (tag == TAG_BODY || tag == TAG_HTML || tag == TAG_MAIN || tag == TAG_ARTICLE || !attributes)
        return false;
    for (size_t i = 0; attributes[i]; i += 2) {
        const char *name = (const char *)attributes[i];
        struct hv_str value = hv_str_from((const char *)attributes[i + 1]);
        if (!strcmp(name, "role") && is_one_of(hv_str_trim(value), roles))
            return true;
        if ((!strcmp(name, "class") || !strcmp(name, "id")) && any_word(value, words))
            return true;
    }
    return false;
}

bool tag_is_gutter(const unsigned char **attributes)
{
    static const char *const words[] = {"lineno",       "linenos",  "linenodiv", "line-number",  "line-numbers-rows",
                                        "line-numbers", "blob-num", "gutter",    "rouge-gutter", "hljs-ln-numbers",
                                        "gl",           NULL};
    struct hv_str class = tag_attribute(attributes, "class");
    return class.len && any_word(class, words);
}

/* Names of languages are short, and made of few characters. */
static struct hv_str as_language(struct hv_str name)
{
    size_t len = 0;
    while (len < name.len && len < 30 && (unsigned char)name.ptr[len] > ' ' && !strchr("`{};,:\"'<>", name.ptr[len]))
        len++;
    static const char *const none[] = {"none", "text-only", "default", "plaintext-only", NULL};
    name = hv_str_slice(name, 0, len);
    return len && !is_one_of(name, none) ? name : (struct hv_str){0};
}

struct hv_str tag_language(const unsigned char **attributes)
{
    static const struct hv_str prefixes[] = {{"language-", 9},        {"lang-", 5},        {"highlight-source-", 17},
                                             {"highlight-text-", 15}, {"sourceCode-", 11}, {"highlight-", 10}};
    struct hv_str class = tag_attribute(attributes, "class"), rest = class, word, named;
    while (next_word(&rest, &word)) {
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
            if (hv_str_starts(word, prefixes[i]) && word.len > prefixes[i].len)
                return as_language(hv_str_slice(word, prefixes[i].len, SIZE_MAX));
        if (hv_str_is(word, "sourceCode") && next_word(&rest, &word)) /* pandoc */
            return as_language(word);
        if ((hv_str_is(word, "brush:") || hv_str_is(word, "hljs")) && next_word(&rest, &word))
            return as_language(hv_str_starts(word, HV_STR("language-")) ? hv_str_slice(word, 9, SIZE_MAX) : word);
    }
    named = tag_attribute(attributes, "data-lang");
    return as_language(named.len ? named : tag_attribute(attributes, "data-language"));
}
