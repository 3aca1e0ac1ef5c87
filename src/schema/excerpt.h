/* excerpt.h: short quotations of JSON values for messages. Control characters are escaped, long texts are cut. */
#ifndef SCHEMA_EXCERPT_H
#define SCHEMA_EXCERPT_H

#include <helve/json.h>

enum { EXCERPT_MAX = 40 }; /* bytes of a text or number that are quoted */

/* The first max bytes of text, cut between characters, with "…" when there is more. */
void excerpt_add(struct hv_buf *buf, struct hv_str text, size_t max);
/* What a value is: `number 5`, `string "abc…"`, `boolean true`, `null`, `array of 3`, `object`, or `nothing`. */
void excerpt_describe(struct hv_buf *buf, const struct hv_json *value);
/* Append one step of a readable path: `.name`, `name` at the start, or `["odd name"]`. */
void excerpt_path_name(struct hv_buf *buf, struct hv_str name);

#endif
