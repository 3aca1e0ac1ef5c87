/*
 * gitattributes.h: what .gitattributes files say about how a file stands in the working tree: whether it is text, how
 * its lines end, in which encoding. Pure; any thread. Format: gitattributes(5). Macros count, "binary" among them.
 */
#ifndef TEXT_GITATTRIBUTES_H
#define TEXT_GITATTRIBUTES_H

#include <helve/str.h>

enum gitattributes_state { GITATTRIBUTES_UNSPECIFIED = 0, GITATTRIBUTES_SET, GITATTRIBUTES_UNSET, GITATTRIBUTES_VALUE };

struct gitattributes_value {
    enum gitattributes_state state;
    struct hv_str value; /* of GITATTRIBUTES_VALUE; a view of the file's text */
};

enum { GITATTRIBUTES_MACROS_MAX = 64 };

/* What is known so far. Begin with a zeroed one. */
struct gitattributes {
    struct gitattributes_value text, eol, encoding, crlf;
    bool has_text, has_eol, has_encoding, has_crlf; /* said by a file that counts more */
    struct {
        struct hv_str name, attributes;
        bool known;
    } macros[GITATTRIBUTES_MACROS_MAX];
    size_t macro_count;
};

/* Learn the macros of a file that may have some: the one at the top of the work tree, info/attributes, the person's. */
void gitattributes_learn(struct gitattributes *attributes, struct hv_str text);
/*
 * Add what a file says of path, relative to the file's directory, as far as no file before said it: begin with the one
 * that counts most (info/attributes, then the directory of path, then those above). Texts must live on.
 */
void gitattributes_apply(struct gitattributes *attributes, struct hv_str text, struct hv_str path);

#endif
