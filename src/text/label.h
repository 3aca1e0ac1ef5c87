/* label.h: encodings by the names that web pages and servers give them. Pure; any thread. */
#ifndef TEXT_LABEL_H
#define TEXT_LABEL_H

#include "text/encoding.h"

/* The encoding of that name ("utf-8", "latin1", "x-sjis" …); false when it is none that is known. Latin-1 and ASCII are
 * windows-1252, as browsers take them. */
bool label_to_encoding(struct hv_str label, enum encoding_kind *kind);
/* The value of a parameter in a header such as Content-Type ("text/html; charset=x"), without quotes; or absent. */
struct hv_str label_parameter(struct hv_str header, const char *name);
/* What the beginning of a page says itself: <meta charset=…>, or encoding="…" in an XML declaration; or absent. */
struct hv_str label_in_page(struct hv_str bytes);
/*
 * The encoding of a page: its byte order mark, else what the header says (a value of Content-Type, may be absent), else
 * what the page says, else what it looks like.
 */
struct encoding label_sniff(struct hv_str bytes, struct hv_str content_type);

#endif
