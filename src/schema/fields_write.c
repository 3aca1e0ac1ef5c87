/*
 * fields_write.c: from the field table outwards: the JSON Schema for the model, and a typed struct back as JSON.
 * The way in is fields.c. See fields.h.
 */
#include "base/path.h"
#include "schema/fields.h"

#include <assert.h>
#include <string.h>

/* ---- the schema -------------------------------------------------------------------------------------- */

static const char *schema_type(enum hv_field_type type)
{
    switch (type) {
    case HV_FIELD_STRING:
    case HV_FIELD_ENUM: return "string";
    case HV_FIELD_INTEGER: return "integer";
    case HV_FIELD_NUMBER: return "number";
    case HV_FIELD_BOOLEAN: return "boolean";
    case HV_FIELD_OBJECT: return "object";
    case HV_FIELD_ARRAY: return "array";
    case HV_FIELD_JSON:
    case HV_FIELD_END: break;
    }
    return NULL;
}

static void write_object_schema(const struct hv_field *fields, struct hv_json_writer *writer);

static void write_enum(const struct hv_field *field, struct hv_json_writer *writer)
{
    hv_json_name(writer, "enum");
    hv_json_begin_array(writer);
    for (const char *const *value = field->values; *value; value++)
        hv_json_put_cstr(writer, *value);
    hv_json_end_array(writer);
}

/* Both limits 0 mean none; a maximum of 0 under a larger minimum means that only the minimum counts. */
static void write_range(const struct hv_field *field, struct hv_json_writer *writer)
{
    if (field->minimum == 0 && field->maximum == 0)
        return;
    hv_json_member_int(writer, "minimum", field->minimum);
    if (field->maximum >= field->minimum)
        hv_json_member_int(writer, "maximum", field->maximum);
}

static void write_size(const struct hv_field *field, const char *least, const char *most, struct hv_json_writer *writer)
{
    int64_t minimum = field->minimum > 0 ? field->minimum : field->flags & HV_NON_EMPTY ? 1 : 0;
    if (minimum > 0)
        hv_json_member_int(writer, least, minimum);
    if (field->maximum > 0)
        hv_json_member_int(writer, most, field->maximum);
}

/* The keywords that belong to a type, after "type" itself. */
static void write_type_keywords(const struct hv_field *field, enum hv_field_type type, struct hv_json_writer *writer)
{
    if (type == HV_FIELD_ENUM)
        write_enum(field, writer);
    else if (type == HV_FIELD_OBJECT)
        write_object_schema(field->fields, writer);
}

static void write_items(const struct hv_field *field, struct hv_json_writer *writer)
{
    assert(field->items != HV_FIELD_ARRAY && "an array of arrays needs an object in between");
    hv_json_name(writer, "items");
    hv_json_begin_object(writer);
    if (schema_type(field->items))
        hv_json_member_cstr(writer, "type", schema_type(field->items));
    write_type_keywords(field, field->items, writer);
    hv_json_end_object(writer);
}

static void write_field_schema(const struct hv_field *field, struct hv_json_writer *writer)
{
    hv_json_begin_object(writer);
    if (schema_type(field->type))
        hv_json_member_cstr(writer, "type", schema_type(field->type));
    if (field->description)
        hv_json_member_cstr(writer, "description", field->description);
    write_type_keywords(field, field->type, writer);
    if (field->type == HV_FIELD_STRING) {
        write_size(field, "minLength", "maxLength", writer);
        if (field->pattern)
            hv_json_member_cstr(writer, "pattern", field->pattern);
    } else if (field->type == HV_FIELD_ARRAY) {
        write_items(field, writer);
        write_size(field, "minItems", "maxItems", writer);
    } else if (field->type == HV_FIELD_INTEGER || field->type == HV_FIELD_NUMBER) {
        write_range(field, writer);
    }
    if (field->fallback)
        hv_json_member_raw(writer, "default", hv_str_from(field->fallback));
    hv_json_end_object(writer);
}

static bool any_required(const struct hv_field *fields)
{
    for (const struct hv_field *field = fields; field->type; field++)
        if (field->flags & HV_REQUIRED)
            return true;
    return false;
}

/* "properties", "required" and "additionalProperties" of an object whose "type" is written already. */
static void write_object_schema(const struct hv_field *fields, struct hv_json_writer *writer)
{
    hv_json_name(writer, "properties");
    hv_json_begin_object(writer);
    for (const struct hv_field *field = fields; field->type; field++) {
        hv_json_name(writer, field->name);
        write_field_schema(field, writer);
    }
    hv_json_end_object(writer);
    if (any_required(fields)) {
        hv_json_name(writer, "required");
        hv_json_begin_array(writer);
        for (const struct hv_field *field = fields; field->type; field++)
            if (field->flags & HV_REQUIRED)
                hv_json_put_cstr(writer, field->name);
        hv_json_end_array(writer);
    }
    hv_json_member_bool(writer, "additionalProperties", false);
}

void fields_write_schema(const struct hv_field *fields, struct hv_json_writer *writer)
{
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "type", "object");
    write_object_schema(fields, writer);
    hv_json_end_object(writer);
}

/* ---- paths ------------------------------------------------------------------------------------------- */

static void expand_path(struct hv_str *path, struct hv_arena *arena, struct hv_str directory, struct hv_str home)
{
    if (path->len)
        *path = path_expand(arena, *path, directory, home);
}

static void expand_array(const struct hv_field *field, struct hv_array *array, struct hv_arena *arena,
                         struct hv_str directory, struct hv_str home)
{
    for (size_t i = 0; i < array->count; i++) {
        if (field->items == HV_FIELD_STRING && field->flags & HV_PATH)
            expand_path((struct hv_str *)array->items + i, arena, directory, home);
        else if (field->items == HV_FIELD_OBJECT)
            fields_expand_paths(field->fields, (char *)array->items + i * field->size, arena, directory, home);
    }
}

void fields_expand_paths(const struct hv_field *fields, void *input, struct hv_arena *arena, struct hv_str directory,
                         struct hv_str home)
{
    for (const struct hv_field *field = fields; field->type; field++) {
        void *member = (char *)input + field->offset;
        if (field->type == HV_FIELD_STRING && field->flags & HV_PATH)
            expand_path(member, arena, directory, home);
        else if (field->type == HV_FIELD_OBJECT)
            fields_expand_paths(field->fields, member, arena, directory, home);
        else if (field->type == HV_FIELD_ARRAY)
            expand_array(field, member, arena, directory, home);
    }
}

/* ---- encoding ---------------------------------------------------------------------------------------- */

static void put_value(const struct hv_field *field, enum hv_field_type type, const void *member,
                      const struct hv_json *given, struct hv_json_writer *writer);

static void put_array(const struct hv_field *field, const struct hv_array *array, const struct hv_json *given,
                      struct hv_json_writer *writer)
{
    const struct hv_json *given_item = hv_json_type_of(given) == HV_JSON_ARRAY ? given->first : NULL;
    hv_json_begin_array(writer);
    for (size_t i = 0; i < array->count; i++) {
        put_value(field, field->items, (const char *)array->items + i * fields_item_size(field), given_item, writer);
        given_item = given_item ? given_item->next : NULL;
    }
    hv_json_end_array(writer);
}

static void put_value(const struct hv_field *field, enum hv_field_type type, const void *member,
                      const struct hv_json *given, struct hv_json_writer *writer)
{
    switch (type) {
    case HV_FIELD_STRING: hv_json_put_string(writer, *(const struct hv_str *)member); break;
    case HV_FIELD_INTEGER: hv_json_put_int(writer, *(const int64_t *)member); break;
    case HV_FIELD_NUMBER: hv_json_put_double(writer, *(const double *)member); break;
    case HV_FIELD_BOOLEAN: hv_json_put_bool(writer, *(const bool *)member); break;
    case HV_FIELD_ENUM: {
        int index = *(const int *)member;
        hv_json_put_cstr(writer, index > 0 ? field->values[index - 1] : NULL);
        break;
    }
    case HV_FIELD_JSON: {
        const struct hv_json *value = *(const struct hv_json *const *)member;
        if (value)
            hv_json_put_value(writer, value);
        else
            hv_json_put_null(writer);
        break;
    }
    case HV_FIELD_OBJECT: fields_encode_given(field->fields, member, given, writer); break;
    case HV_FIELD_ARRAY: put_array(field, member, given, writer); break;
    case HV_FIELD_END: break;
    }
}

static const struct hv_json *given_member(const struct hv_field *field, const struct hv_json *given)
{
    const struct hv_json *value = hv_json_get(given, field->name);
    for (const char *const *alias = field->aliases; !value && alias && *alias; alias++)
        value = hv_json_get(given, *alias);
    return hv_json_type_of(value) == HV_JSON_NULL ? NULL : value;
}

static bool is_fallback_bool(const struct hv_field *field, bool value)
{
    return value == (field->fallback && strcmp(field->fallback, "true") == 0);
}

static bool is_fallback_number(const struct hv_field *field, double value)
{
    return value == (field->fallback ? strtod(field->fallback, NULL) : 0);
}

/* text is the JSON text of a fallback string, compared without decoding: fallbacks hold no escapes. */
static bool is_fallback_text(const struct hv_field *field, struct hv_str value)
{
    struct hv_str text = hv_str_from(field->fallback);
    return text.len == value.len + 2 && hv_str_eq(hv_str_slice(text, 1, text.len - 1), value);
}

static bool any_given(const struct hv_field *fields, const char *input);
static bool all_zero(const struct hv_field *fields, const char *input);

/* Is the field's value other than what it would be if it had not been given? */
static bool differs_from_fallback(const struct hv_field *field, const void *member)
{
    switch (field->type) {
    case HV_FIELD_STRING: {
        struct hv_str value = *(const struct hv_str *)member;
        return value.ptr && !(field->fallback && is_fallback_text(field, value));
    }
    case HV_FIELD_INTEGER: return !is_fallback_number(field, (double)*(const int64_t *)member);
    case HV_FIELD_NUMBER: return !is_fallback_number(field, *(const double *)member);
    case HV_FIELD_BOOLEAN: return !is_fallback_bool(field, *(const bool *)member);
    case HV_FIELD_ENUM: {
        int index = *(const int *)member;
        return index > 0 && !(field->fallback && is_fallback_text(field, hv_str_from(field->values[index - 1])));
    }
    case HV_FIELD_JSON: return *(const struct hv_json *const *)member != NULL;
    case HV_FIELD_ARRAY: return ((const struct hv_array *)member)->items != NULL;
    case HV_FIELD_OBJECT: return !all_zero(field->fields, member) && any_given(field->fields, member);
    case HV_FIELD_END: break;
    }
    return false;
}

/* An object that is absent is not decoded at all: not even the fallbacks of its fields are set. */
static bool all_zero(const struct hv_field *fields, const char *input)
{
    for (const struct hv_field *field = fields; field->type; field++) {
        struct hv_field plain = *field;
        plain.fallback = NULL;
        if (differs_from_fallback(&plain, input + field->offset))
            return false;
    }
    return true;
}

static bool is_given(const struct hv_field *field, const char *input, const struct hv_json *given)
{
    if (field->present)
        return *(const bool *)(input + field->present - 1);
    return field->flags & HV_REQUIRED || given_member(field, given) ||
           differs_from_fallback(field, input + field->offset);
}

static bool any_given(const struct hv_field *fields, const char *input)
{
    for (const struct hv_field *field = fields; field->type; field++) {
        bool flagged = field->present && *(const bool *)(input + field->present - 1);
        if (flagged || (!field->present && differs_from_fallback(field, input + field->offset)))
            return true;
    }
    return false;
}

void fields_encode_given(const struct hv_field *fields, const void *input, const struct hv_json *given,
                         struct hv_json_writer *writer)
{
    hv_json_begin_object(writer);
    for (const struct hv_field *field = fields; field->type; field++) {
        if (!is_given(field, input, given))
            continue;
        hv_json_name(writer, field->name);
        put_value(field, field->type, (const char *)input + field->offset, given_member(field, given), writer);
    }
    hv_json_end_object(writer);
}
