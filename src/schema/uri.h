/* uri.h: URI references as JSON Schema needs them (RFC 3986, sections 5.2 and 5.3). Pure; nothing is fetched. */
#ifndef SCHEMA_URI_H
#define SCHEMA_URI_H

#include <helve/str.h>

enum { URI_MAX = 4096 }; /* longer references are refused before resolving, so that nested bases cannot pile up */

/* reference as seen from base (absolute, or "" when there is none), dot segments removed; in arena. */
struct hv_str uri_resolve(struct hv_arena *arena, struct hv_str base, struct hv_str reference);
/* Split at the first '#'. *fragment is absent when there is none, empty for a bare '#'. Views. */
void uri_split(struct hv_str uri, struct hv_str *without_fragment, struct hv_str *fragment);
/* %XX replaced by its byte; malformed escapes stay as they are. In arena, or s itself when there is nothing to do. */
struct hv_str uri_percent_decode(struct hv_arena *arena, struct hv_str s);

#endif
