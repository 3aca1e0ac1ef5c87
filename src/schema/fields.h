/*
 * fields.h: what the field table of a tool (struct hv_field, helve/tool.h) is used for, all from the one table:
 * the JSON Schema that the model gets, the check of what it sends back, the typed struct that the tool works on,
 * and the struct written back as canonical JSON.
 *
 * Decoding is strict but repairs the drift of models where the meaning is certain, and reports all
 * faults of one input at once, each with the path of its field. All functions are pure and may run on any thread.
 * Tables are ours and trusted: a broken one is a bug and asserts.
 */
#ifndef SCHEMA_FIELDS_H
#define SCHEMA_FIELDS_H

#include <helve/json.h>
#include <helve/tool.h>

enum { FIELDS_FAULTS_MAX = 32 };

/* One thing that is wrong with an input. The texts live in the arena given to the decoder, and are never absent. */
struct fields_fault {
    struct hv_str path;     /* "edits[2].old_string"; "" for the input as a whole */
    struct hv_str expected; /* "string", "integer from 1 to 10"; "" for unknown fields */
    struct hv_str got;      /* "number 5", "nothing"; at most some 60 characters */
    struct hv_str message;  /* one clause: "expected string, got number 5", "unknown field" */
    struct hv_str hint;     /* what to do: "did you mean `old_string`?"; or "" */
};

/* Zero it before use. */
struct fields_faults {
    struct fields_fault items[FIELDS_FAULTS_MAX];
    size_t count; /* in items */
    size_t total; /* found, which may be more */
};

/* ---- the schema -------------------------------------------------------------------------------------- */

/* Write the JSON Schema of a table as one object: properties in the order of the table, unknown ones refused. */
void fields_write_schema(const struct hv_field *fields, struct hv_json_writer *writer);

/* ---- decoding ---------------------------------------------------------------------------------------- */

/*
 * Decode value into *out, the zeroed input struct of the table. Strings are views into value's source or into arena;
 * both must outlive *out. Fields that are absent get their fallback, or stay zero. Returns HV_OK, or HV_EINVAL with
 * at least one fault appended to *faults; *out then holds only a part and must not be used.
 */
enum hv_code fields_decode(const struct hv_field *fields, const struct hv_json *value, struct hv_arena *arena,
                           void *out, struct fields_faults *faults) HV_MUST_CHECK;

/* The same from the raw text of the model. Empty text is {}. Text that is not JSON is one fault that quotes the place.
 * *value, when value is not NULL, is set to the parsed object (after HV_OK only). */
enum hv_code fields_decode_text(const struct hv_field *fields, struct hv_str text, struct hv_arena *arena, void *out,
                                const struct hv_json **value, struct fields_faults *faults) HV_MUST_CHECK;

/* Parse text as fields_decode_text does (repairs, empty text, quoted place), for tools whose input is plain JSON.
 * Only an object is accepted, or a string that holds one. */
enum hv_code fields_parse_object(struct hv_str text, struct hv_arena *arena, const struct hv_json **value,
                                 struct fields_faults *faults) HV_MUST_CHECK;

/* All faults as text for the model: "Invalid input for Read: 2 problems:\n- edits[2].old_string: expected …\n- …". */
struct hv_str fields_faults_text(const struct fields_faults *faults, const char *tool, struct hv_arena *arena);
/* The same in an hv_error (cut to its size), place = path of the first fault. Returns HV_EINVAL. */
enum hv_code fields_faults_to_error(const struct fields_faults *faults, const char *tool, struct hv_error *err);

/* Bytes of one element in the items of an ARRAY field. */
size_t fields_item_size(const struct hv_field *field);

/* ---- after decoding ---------------------------------------------------------------------------------- */

/* Make every given, non-empty HV_PATH field of *input absolute and tidy (path_expand), nested ones included. */
void fields_expand_paths(const struct hv_field *fields, void *input, struct hv_arena *arena, struct hv_str directory,
                         struct hv_str home);

/*
 * Write *input as canonical JSON: given fields only, under their own names, in the order of the table. A field is given
 * when its `present` flag is set. Where the table has no flag: when `given` (the decoded JSON object, or NULL) has it,
 * and else when the value differs from the fallback (or from zero).
 */
void fields_encode_given(const struct hv_field *fields, const void *input, const struct hv_json *given,
                         struct hv_json_writer *writer);

#endif
