/* tags.h: what elements mean for a text, and which of them are no part of an article. Pure. */
#ifndef HTML_TAGS_H
#define HTML_TAGS_H

#include <helve/str.h>

enum tag {
    TAG_INLINE = 0, /* unknown and inline elements: their text counts */
    TAG_BLOCK,
    TAG_P,
    TAG_H1,
    TAG_H2,
    TAG_H3,
    TAG_H4,
    TAG_H5,
    TAG_H6,
    TAG_UL,
    TAG_OL,
    TAG_LI,
    TAG_DL,
    TAG_DT,
    TAG_DD,
    TAG_BLOCKQUOTE,
    TAG_PRE,
    TAG_CODE,
    TAG_STRONG,
    TAG_EM,
    TAG_DEL,
    TAG_SUP,
    TAG_Q,
    TAG_A,
    TAG_IMG,
    TAG_BR,
    TAG_HR,
    TAG_TABLE,
    TAG_TR,
    TAG_TD,
    TAG_TH,
    TAG_CAPTION,
    TAG_SUMMARY,
    TAG_FIGCAPTION,
    TAG_MATH,
    TAG_ANNOTATION,
    TAG_TITLE,
    TAG_META,
    TAG_BASE,
    TAG_HTML,
    TAG_BODY,
    TAG_MAIN,
    TAG_ARTICLE,
    TAG_HEADER,
    TAG_FOOTER,
    TAG_NAV,
    TAG_ASIDE,
    TAG_INPUT,
    TAG_FRAME,   /* iframe, video, audio, embed: what they show has an address */
    TAG_CONTROL, /* buttons and lists to choose from: for hands, not for reading */
    TAG_NEVER,   /* scripts, styles, drawings: no text */
};

enum tag tag_of(const char *name);

/* Attributes as libxml2 gives them: name, value, …, NULL; NULL: none. */
struct hv_str tag_attribute(const unsigned char **attributes, const char *name);

/* Nobody sees it: hidden, aria-hidden, display:none. */
bool tag_is_hidden(const unsigned char **attributes);
/* Its role, class or id says that it leads elsewhere: navigation, advertising, sharing. */
bool tag_is_boilerplate(enum tag tag, const unsigned char **attributes);
/* Numbers of lines beside code. */
bool tag_is_gutter(const unsigned char **attributes);
bool tag_has_role(const unsigned char **attributes, const char *role);
/* The language that class (or data-lang) names for code, or absent. */
struct hv_str tag_language(const unsigned char **attributes);

#endif
