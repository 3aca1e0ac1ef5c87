/*
 * encode.h: what the encoders of the three wires share. Inner to src/model. All functions are pure.
 */
#ifndef MODEL_ENCODE_H
#define MODEL_ENCODE_H

#include <helve/json.h>

enum { WIRE_NAME_MAX = 129 };

/*
 * A tool's name, or a call's id, as a provider takes it: letters, digits, _ and -, at most max (16 to 128) bytes. One
 * that is not like that is changed, and gets a hash of the whole at its end, so that two never become one. The result
 * is name itself or a view of buffer.
 */
struct hv_str wire_name(struct hv_str name, size_t max, char buffer[WIRE_NAME_MAX]);

struct model;

/*
 * A call's id for a wire whose own service takes at most max plain bytes. Other servers get back what they gave, whole,
 * as long as it is made of what ids and base64 are: some keep a signature of several kB in it. buffer as above.
 */
struct hv_str encode_call_id(const struct model *model, struct hv_str id, size_t max, char buffer[WIRE_NAME_MAX]);

/* Start another object of a list in out: a comma when out is not empty, and a writer for it. */
void encode_next(struct hv_buf *out, struct hv_json_writer *writer);

/* The value of a block's "type", or the absent view. */
struct hv_str encode_type(const struct hv_json *block);
bool encode_is(const struct hv_json *block, const char *type);

/* A text that says nothing: providers refuse such blocks. */
bool encode_is_blank(struct hv_str text);

/* The block came from this very server and model, or does not say where from (older journals). */
bool encode_is_own(const struct model *model, const struct hv_json *block);

/* The block's item when it is a provider_item of this model's provider, server and name, else NULL. */
const struct hv_json *encode_own_item(const struct model *model, const struct hv_json *block);

/* All members of an object but those of the NULL-terminated list. */
void encode_members(struct hv_json_writer *writer, const struct hv_json *object, const char *const *without);

/*
 * A tool's schema as a member: an object at the top, as all providers ask. Where the top has alternatives (oneOf,
 * anyOf, allOf, …), which they refuse, these are left out: the call is validated against the whole schema anyway.
 * keys_max > 0: properties whose names the provider would refuse are left out too.
 */
void encode_schema(struct hv_json_writer *writer, const char *name, struct hv_str schema, size_t keys_max);

/* "data:image/png;base64,…" from the source of an image or document block, or its url; nothing (false) when it is
 * neither. */
bool encode_url(struct hv_buf *out, const struct hv_json *source);

/* A text that stands for a block that the provider cannot take; nothing when there is none. */
void encode_stand_in(struct hv_buf *out, const struct hv_json *block);

/* The text of a tool_result for wires that know text only; pictures and documents are the caller's. */
void encode_result_text(struct hv_buf *out, const struct hv_json *result);

/* The blocks of a tool_result, or NULL when its content is a string. */
const struct hv_json *encode_result_blocks(const struct hv_json *result);

/* A list of hosts as a member; nothing when there are none. */
void encode_domains(struct hv_json_writer *writer, const char *name, const struct hv_str *domains, size_t count);

/* "low", "medium" or "high" for a number of tokens to think. */
const char *encode_effort(int64_t thinking_budget);

#endif
