/*
 * fields.c: from the model's JSON to a tool's typed input struct, by its field table. See fields.h.
 *
 * One walk over the given members finds the field of each (by name or alias) and decodes it; a second walk over the
 * table finds what is missing and fills in fallbacks. Nothing stops at the first fault: all are collected, up to
 * FIELDS_FAULTS_MAX, so that the model can mend its call in one go. The recursion is as deep as the table is nested,
 * never as deep as the input.
 */
#include "schema/fields.h"

#include "base/nearest.h"
#include "base/utf8.h"
#include "schema/excerpt.h"
#include "schema/pattern.h"

#include <assert.h>
#include <string.h>

enum {
    PARSE_FLAGS = HV_JSON_REPAIR_SURROGATES | HV_JSON_REPAIR_UTF8,
    PLACE_BEFORE = 60,                /* bytes quoted in front of a syntax error */
    PATTERN_STEPS = 10 * 1000 * 1000, /* work on one pattern: our own are simple */
    PLACE_AFTER = 20,                 /* and behind it */
    KNOWN_NAMES_MAX = 24,             /* names listed when none is near */
    ENUM_VALUES_MAX = 32,             /* values listed for an enum */
    TEXT_MAX = 1 << 20,
};

struct decoder {
    struct hv_arena *arena;
    struct fields_faults *faults;
};

/* Where we are, from the inside out: a name, or an index when the name is absent. */
struct step {
    const struct step *outer;
    struct hv_str name;
    size_t index;
};

/* ---- texts for faults -------------------------------------------------------------------------------- */

static void add_path(struct hv_buf *buf, const struct step *step)
{
    if (!step)
        return;
    add_path(buf, step->outer);
    if (step->name.ptr)
        excerpt_path_name(buf, step->name);
    else
        hv_buf_addf(buf, "[%zu]", step->index);
}

static struct hv_str take_text(struct hv_buf *buf, struct hv_arena *arena)
{
    struct hv_str text = hv_arena_str(arena, hv_buf_str(buf));
    hv_buf_release(buf);
    return text;
}

static struct hv_str path_text(struct decoder *decoder, const struct step *step)
{
    struct hv_buf buf = {.max = TEXT_MAX};
    add_path(&buf, step);
    return take_text(&buf, decoder->arena);
}

static struct hv_str describe(struct decoder *decoder, const struct hv_json *value)
{
    struct hv_buf buf = {.max = TEXT_MAX};
    excerpt_describe(&buf, value);
    return take_text(&buf, decoder->arena);
}

static struct hv_str range_text(struct decoder *decoder, const char *what, int64_t minimum, int64_t maximum)
{
    if (maximum < minimum)
        return hv_arena_format(decoder->arena, "%s of at least %lld", what, (long long)minimum);
    return hv_arena_format(decoder->arena, "%s from %lld to %lld", what, (long long)minimum, (long long)maximum);
}

static struct hv_str enum_text(struct decoder *decoder, const struct hv_field *field)
{
    struct hv_buf buf = {.max = TEXT_MAX};
    hv_buf_add_cstr(&buf, "one of ");
    for (size_t i = 0; field->values[i] && i < ENUM_VALUES_MAX; i++)
        hv_buf_addf(&buf, "%s\"%s\"", i ? ", " : "", field->values[i]);
    return take_text(&buf, decoder->arena);
}

static struct hv_str expected_text(struct decoder *decoder, const struct hv_field *field, enum hv_field_type type)
{
    bool ranged = field->minimum || field->maximum;
    switch (type) {
    case HV_FIELD_STRING: return HV_STR("string");
    case HV_FIELD_INTEGER:
        return ranged ? range_text(decoder, "integer", field->minimum, field->maximum) : HV_STR("integer");
    case HV_FIELD_NUMBER:
        return ranged ? range_text(decoder, "number", field->minimum, field->maximum) : HV_STR("number");
    case HV_FIELD_BOOLEAN: return HV_STR("boolean");
    case HV_FIELD_ENUM: return enum_text(decoder, field);
    case HV_FIELD_OBJECT: return HV_STR("object");
    case HV_FIELD_ARRAY: {
        struct hv_field item = {.values = field->values};
        struct hv_str inner =
            field->items == HV_FIELD_JSON ? HV_STR("any values") : expected_text(decoder, &item, field->items);
        return hv_arena_format(decoder->arena, "array of %.*s", HV_STR_ARG(inner));
    }
    case HV_FIELD_JSON:
    case HV_FIELD_END: break;
    }
    return HV_STR("any value");
}

/* ---- faults ------------------------------------------------------------------------------------------ */

/* A free slot with its path and no absent texts, or NULL when the list is full. */
static struct fields_fault *add_fault(struct decoder *decoder, const struct step *step)
{
    struct fields_faults *faults = decoder->faults;
    faults->total++;
    if (faults->count == FIELDS_FAULTS_MAX)
        return NULL;
    struct fields_fault *fault = &faults->items[faults->count++];
    *fault = (struct fields_fault){.expected = HV_STR(""), .got = HV_STR(""), .hint = HV_STR("")};
    fault->path = path_text(decoder, step);
    return fault;
}

static bool fail_expected(struct decoder *decoder, const struct step *step, struct hv_str expected,
                          const struct hv_json *value)
{
    struct fields_fault *fault = add_fault(decoder, step);
    if (fault) {
        fault->expected = expected;
        fault->got = describe(decoder, value);
        fault->message =
            hv_arena_format(decoder->arena, "expected %.*s, got %.*s", HV_STR_ARG(expected), HV_STR_ARG(fault->got));
    }
    return false;
}

static bool fail_type(struct decoder *decoder, const struct step *step, const struct hv_field *field,
                      enum hv_field_type type, const struct hv_json *value)
{
    /* Once the list is full, only the count matters: don't format texts for every element of a huge array. */
    bool full = decoder->faults->count == FIELDS_FAULTS_MAX;
    return fail_expected(decoder, step, full ? HV_STR("") : expected_text(decoder, field, type), value);
}

static void fail_missing(struct decoder *decoder, const struct step *outer, const struct hv_field *field)
{
    struct step step = {.outer = outer, .name = hv_str_from(field->name)};
    struct fields_fault *fault = add_fault(decoder, &step);
    if (!fault)
        return;
    fault->expected = expected_text(decoder, field, field->type);
    fault->got = HV_STR("nothing");
    fault->message = hv_arena_format(decoder->arena, "missing: expected %.*s", HV_STR_ARG(fault->expected));
}

static struct hv_str known_names(struct decoder *decoder, const struct hv_field *fields)
{
    struct hv_buf buf = {.max = TEXT_MAX};
    size_t count = 0;
    for (const struct hv_field *field = fields; field->type && count < KNOWN_NAMES_MAX; field++, count++)
        hv_buf_addf(&buf, "%s`%s`", count ? ", " : "known fields: ", field->name);
    if (!count)
        hv_buf_add_cstr(&buf, "there are no fields here");
    return take_text(&buf, decoder->arena);
}

/* The field whose name or alias is nearest to name; NULL when none is near. */
static const struct hv_field *nearest_field(struct decoder *decoder, const struct hv_field *fields, struct hv_str name)
{
    size_t count = 0, at = 0;
    for (const struct hv_field *field = fields; field->type; field++) {
        count++;
        for (const char *const *alias = field->aliases; alias && *alias; alias++)
            count++;
    }
    struct hv_str *names = hv_arena_array(decoder->arena, struct hv_str, count);
    const struct hv_field **owners = hv_arena_array(decoder->arena, const struct hv_field *, count);
    for (const struct hv_field *field = fields; field->type; field++) {
        owners[at] = field;
        names[at++] = hv_str_from(field->name);
        for (const char *const *alias = field->aliases; alias && *alias; alias++) {
            owners[at] = field;
            names[at++] = hv_str_from(*alias);
        }
    }
    struct hv_str nearest = nearest_name(name, names, count);
    for (at = 0; nearest.ptr && at < count; at++)
        if (names[at].ptr == nearest.ptr)
            return owners[at];
    return NULL;
}

static void fail_unknown(struct decoder *decoder, const struct step *step, const struct hv_field *fields)
{
    struct fields_fault *fault = add_fault(decoder, step);
    if (!fault)
        return;
    const struct hv_field *nearest = nearest_field(decoder, fields, step->name);
    fault->message = HV_STR("unknown field");
    fault->hint =
        nearest ? hv_arena_format(decoder->arena, "did you mean `%s`?", nearest->name) : known_names(decoder, fields);
}

static void fail_twice(struct decoder *decoder, const struct step *step, const struct hv_field *field,
                       const struct hv_json *first)
{
    struct fields_fault *fault = add_fault(decoder, step);
    if (!fault)
        return;
    bool same_name = hv_str_eq(first->key, step->name);
    fault->message = same_name ? HV_STR("given twice")
                               : hv_arena_format(decoder->arena, "given twice: `%.*s` is another name for `%.*s`",
                                                 HV_STR_ARG(step->name), HV_STR_ARG(first->key));
    fault->hint = hv_arena_format(decoder->arena, "give `%s` once", field->name);
}

/* ---- values ------------------------------------------------------------------------------------------ */

static bool decode_fields(struct decoder *decoder, const struct hv_field *fields, const struct hv_json *object,
                          const struct step *step, char *out);
static bool decode_value(struct decoder *decoder, const struct hv_field *field, enum hv_field_type type,
                         const struct hv_json *value, const struct step *step, void *out);

/*
 * The JSON value of the given type that a string holds, or NULL. A tree in an arena: the decoded bytes of the string
 * are its source. Only whole texts count, so that "10 files" is no number.
 */
static const struct hv_json *parse_inside(struct decoder *decoder, const struct hv_json *value, enum hv_json_type type)
{
    const struct hv_json *inside = NULL;
    if (hv_json_type_of(value) != HV_JSON_STRING)
        return NULL;
    struct hv_str text = hv_str_trim(value->text);
    char opens = type == HV_JSON_ARRAY ? '[' : '{';
    if (!text.len || (type == HV_JSON_NUMBER ? text.len != value->text.len : text.ptr[0] != opens))
        return NULL;
    if (hv_json_parse(decoder->arena, text, PARSE_FLAGS, &inside, NULL) != HV_OK || inside->type != type)
        return NULL;
    return inside;
}

static bool in_range(const struct hv_field *field, double value)
{
    if (field->minimum == 0 && field->maximum == 0)
        return true;
    return value >= (double)field->minimum && (field->maximum < field->minimum || value <= (double)field->maximum);
}

static bool int_in_range(const struct hv_field *field, int64_t value)
{
    if (field->minimum == 0 && field->maximum == 0)
        return true;
    return value >= field->minimum && (field->maximum < field->minimum || value <= field->maximum);
}

static bool decode_integer(struct decoder *decoder, const struct hv_field *field, const struct hv_json *value,
                           const struct step *step, int64_t *out)
{
    const struct hv_json *inside = parse_inside(decoder, value, HV_JSON_NUMBER);
    if (!hv_json_int64(inside ? inside : value, out) || !int_in_range(field, *out))
        return fail_type(decoder, step, field, HV_FIELD_INTEGER, value);
    return true;
}

static bool decode_number(struct decoder *decoder, const struct hv_field *field, const struct hv_json *value,
                          const struct step *step, double *out)
{
    const struct hv_json *inside = parse_inside(decoder, value, HV_JSON_NUMBER);
    if (!hv_json_double(inside ? inside : value, out) || !in_range(field, *out))
        return fail_type(decoder, step, field, HV_FIELD_NUMBER, value);
    return true;
}

static bool decode_boolean(struct decoder *decoder, const struct hv_field *field, const struct hv_json *value,
                           const struct step *step, bool *out)
{
    enum hv_json_type type = hv_json_type_of(value);
    bool is_true = type == HV_JSON_TRUE || (type == HV_JSON_STRING && hv_str_is(value->text, "true"));
    bool is_false = type == HV_JSON_FALSE || (type == HV_JSON_STRING && hv_str_is(value->text, "false"));
    if (!is_true && !is_false)
        return fail_type(decoder, step, field, HV_FIELD_BOOLEAN, value);
    *out = is_true;
    return true;
}

static bool decode_enum(struct decoder *decoder, const struct hv_field *field, const struct hv_json *value,
                        const struct step *step, int *out)
{
    size_t count = 0;
    for (; field->values[count]; count++)
        if (hv_json_type_of(value) == HV_JSON_STRING && hv_str_is(value->text, field->values[count])) {
            *out = (int)count + 1;
            return true;
        }
    bool full = decoder->faults->count == FIELDS_FAULTS_MAX;
    fail_type(decoder, step, field, HV_FIELD_ENUM, value);
    if (!full && hv_json_type_of(value) == HV_JSON_STRING) {
        struct hv_str *names = hv_arena_array(decoder->arena, struct hv_str, count);
        for (size_t i = 0; i < count; i++)
            names[i] = hv_str_from(field->values[i]);
        struct hv_str nearest = nearest_name(value->text, names, count);
        if (nearest.ptr)
            decoder->faults->items[decoder->faults->count - 1].hint =
                hv_arena_format(decoder->arena, "did you mean \"%.*s\"?", HV_STR_ARG(nearest));
    }
    return false;
}

static bool pattern_matches(const char *source, struct hv_str text)
{
    struct pattern *pattern = NULL;
    enum hv_code code = pattern_compile(hv_str_from(source), &pattern, NULL);
    assert(code == HV_OK && "a pattern in a field table must compile");
    uint64_t steps = PATTERN_STEPS;
    bool found = code == HV_OK && pattern_find(pattern, text, &steps) == PATTERN_FOUND;
    pattern_free(pattern);
    return found;
}

/* What a string has to be beyond being one; absent when it is that. */
static struct hv_str string_demand(struct decoder *decoder, const struct hv_field *field, struct hv_str text)
{
    int64_t minimum = field->minimum > 0 ? field->minimum : field->flags & HV_NON_EMPTY ? 1 : 0;
    int64_t length = minimum > 0 || field->maximum > 0 ? (int64_t)utf8_count(text) : 0;
    if (minimum == 1 && length == 0)
        return HV_STR("non-empty string");
    if (length < minimum)
        return hv_arena_format(decoder->arena, "string of at least %lld characters", (long long)minimum);
    if (field->maximum > 0 && length > field->maximum)
        return hv_arena_format(decoder->arena, "string of at most %lld characters, not %lld", (long long)field->maximum,
                               (long long)length);
    if (field->flags & HV_PATH && memchr(text.ptr, 0, text.len))
        return HV_STR("path without NUL bytes");
    if (field->pattern && !pattern_matches(field->pattern, text))
        return hv_arena_format(decoder->arena, "string that matches %s", field->pattern);
    return (struct hv_str){0};
}

static bool decode_string(struct decoder *decoder, const struct hv_field *field, const struct hv_json *value,
                          const struct step *step, struct hv_str *out)
{
    if (hv_json_type_of(value) != HV_JSON_STRING)
        return fail_type(decoder, step, field, HV_FIELD_STRING, value);
    struct hv_str text = value->text.ptr ? value->text : HV_STR("");
    struct hv_str demand = string_demand(decoder, field, text);
    if (demand.ptr)
        return fail_expected(decoder, step, demand, value);
    *out = text;
    return true;
}

static bool decode_object(struct decoder *decoder, const struct hv_field *field, const struct hv_json *value,
                          const struct step *step, void *out)
{
    const struct hv_json *inside = parse_inside(decoder, value, HV_JSON_OBJECT);
    const struct hv_json *object = inside ? inside : value;
    if (hv_json_type_of(object) != HV_JSON_OBJECT)
        return fail_type(decoder, step, field, HV_FIELD_OBJECT, value);
    return decode_fields(decoder, field->fields, object, step, out);
}

size_t fields_item_size(const struct hv_field *field)
{
    switch (field->items) {
    case HV_FIELD_STRING: return sizeof(struct hv_str);
    case HV_FIELD_INTEGER: return sizeof(int64_t);
    case HV_FIELD_NUMBER: return sizeof(double);
    case HV_FIELD_BOOLEAN: return sizeof(bool);
    case HV_FIELD_ENUM: return sizeof(int);
    case HV_FIELD_JSON: return sizeof(const struct hv_json *);
    case HV_FIELD_OBJECT: return field->size;
    case HV_FIELD_ARRAY:
    case HV_FIELD_END: break;
    }
    assert(!"an array needs an element type");
    return 0;
}

static bool holds_only_strings(const struct hv_json *array)
{
    hv_json_each(item, array) if (item->type != HV_JSON_STRING) return false;
    return array != NULL;
}

static bool count_fits(struct decoder *decoder, const struct hv_field *field, const struct hv_json *array,
                       const struct step *step)
{
    int64_t minimum = field->minimum > 0 ? field->minimum : field->flags & HV_NON_EMPTY ? 1 : 0;
    if (array->count < minimum)
        return fail_expected(decoder, step,
                             hv_arena_format(decoder->arena, "array of at least %lld", (long long)minimum), array);
    if (field->maximum > 0 && array->count > field->maximum)
        return fail_expected(
            decoder, step, hv_arena_format(decoder->arena, "array of at most %lld", (long long)field->maximum), array);
    return true;
}

static bool decode_items(struct decoder *decoder, const struct hv_field *field, const struct hv_json *array,
                         const struct step *step, struct hv_array *out)
{
    size_t size = fields_item_size(field);
    char *items = hv_arena_zalloc(decoder->arena, array->count, size);
    /* Limits of an array are on its count, so its elements are decoded by a field without any. */
    struct hv_field item_field = {.values = field->values, .fields = field->fields, .flags = field->flags & HV_PATH};
    bool good = count_fits(decoder, field, array, step);
    size_t index = 0;
    hv_json_each(item, array)
    {
        struct step inner = {.outer = step, .index = index};
        good &= decode_value(decoder, &item_field, field->items, item, &inner, items + index * size);
        index++;
    }
    if (good)
        *out = (struct hv_array){items, array->count};
    return good;
}

/* A single string as an array of one, where the field allows it. */
static bool decode_single(struct decoder *decoder, const struct hv_field *field, const struct hv_json *value,
                          const struct step *step, struct hv_array *out)
{
    const struct hv_json array = {.type = HV_JSON_ARRAY, .count = 1, .first = value};
    struct hv_str *item = hv_arena_new(decoder->arena, struct hv_str);
    struct hv_field item_field = {.flags = field->flags & HV_PATH};
    if (!count_fits(decoder, field, &array, step) || !decode_string(decoder, &item_field, value, step, item))
        return false;
    *out = (struct hv_array){item, 1};
    return true;
}

static bool decode_array(struct decoder *decoder, const struct hv_field *field, const struct hv_json *value,
                         const struct step *step, struct hv_array *out)
{
    const struct hv_json *inside = parse_inside(decoder, value, HV_JSON_ARRAY);
    bool single = field->flags & HV_ONE_OR_MANY && hv_json_type_of(value) == HV_JSON_STRING;
    /* "[1]" may be meant as text (a glob, say): where text is welcome, only ["…"] is certain to be a list. */
    if (single && !holds_only_strings(inside))
        return decode_single(decoder, field, value, step, out);
    const struct hv_json *array = inside ? inside : value;
    if (hv_json_type_of(array) != HV_JSON_ARRAY)
        return fail_type(decoder, step, field, HV_FIELD_ARRAY, value);
    return decode_items(decoder, field, array, step, out);
}

static bool decode_value(struct decoder *decoder, const struct hv_field *field, enum hv_field_type type,
                         const struct hv_json *value, const struct step *step, void *out)
{
    switch (type) {
    case HV_FIELD_STRING: return decode_string(decoder, field, value, step, out);
    case HV_FIELD_INTEGER: return decode_integer(decoder, field, value, step, out);
    case HV_FIELD_NUMBER: return decode_number(decoder, field, value, step, out);
    case HV_FIELD_BOOLEAN: return decode_boolean(decoder, field, value, step, out);
    case HV_FIELD_ENUM: return decode_enum(decoder, field, value, step, out);
    case HV_FIELD_OBJECT: return decode_object(decoder, field, value, step, out);
    case HV_FIELD_ARRAY: return decode_array(decoder, field, value, step, out);
    case HV_FIELD_JSON: *(const struct hv_json **)out = value; return true;
    case HV_FIELD_END: break;
    }
    assert(!"a field needs a type");
    return false;
}

/* ---- objects ----------------------------------------------------------------------------------------- */

static const struct hv_field *find_field(const struct hv_field *fields, struct hv_str name)
{
    for (const struct hv_field *field = fields; field->type; field++) {
        if (hv_str_is(name, field->name))
            return field;
        for (const char *const *alias = field->aliases; alias && *alias; alias++)
            if (hv_str_is(name, *alias))
                return field;
    }
    return NULL;
}

/* null says "not given", except to a field that takes any value. */
static bool is_nothing(const struct hv_field *field, const struct hv_json *value)
{
    return !value || (value->type == HV_JSON_NULL && field->type != HV_FIELD_JSON);
}

/*
 * Keep the value that counts for a field: given[] has one entry per field of the table. A null under one name gives
 * way to a value under another; the same name twice is a fault whatever the values.
 */
static bool keep_member(struct decoder *decoder, const struct hv_field *field, const struct hv_json *member,
                        const struct step *step, const struct hv_json **kept)
{
    bool clash =
        *kept && (hv_str_eq((*kept)->key, member->key) || (!is_nothing(field, *kept) && !is_nothing(field, member)));
    if (clash) {
        fail_twice(decoder, step, field, *kept);
        return false;
    }
    if (is_nothing(field, *kept))
        *kept = member;
    return true;
}

static bool sort_members(struct decoder *decoder, const struct hv_field *fields, const struct hv_json *object,
                         const struct step *outer, const struct hv_json **given)
{
    bool good = true;
    hv_json_each(member, object)
    {
        struct step step = {.outer = outer, .name = member->key};
        const struct hv_field *field = find_field(fields, member->key);
        if (field) {
            good &= keep_member(decoder, field, member, &step, &given[field - fields]);
        } else {
            fail_unknown(decoder, &step, fields);
            good = false;
        }
    }
    return good;
}

static void use_fallback(struct decoder *decoder, const struct hv_field *field, void *out)
{
    const struct hv_json *value = NULL;
    enum hv_code code = hv_json_parse(decoder->arena, hv_str_from(field->fallback), HV_JSON_STRICT, &value, NULL);
    assert(code == HV_OK && "a fallback must be JSON");
    bool good = code == HV_OK && decode_value(decoder, field, field->type, value, NULL, out);
    assert(good && "a fallback must fit its field");
    (void)good;
}

static bool decode_fields(struct decoder *decoder, const struct hv_field *fields, const struct hv_json *object,
                          const struct step *outer, char *out)
{
    size_t count = 0;
    while (fields[count].type)
        count++;
    const struct hv_json **given = hv_arena_array(decoder->arena, const struct hv_json *, count);
    bool good = sort_members(decoder, fields, object, outer, given);
    for (size_t i = 0; i < count; i++) {
        const struct hv_field *field = &fields[i];
        if (!is_nothing(field, given[i])) {
            struct step step = {.outer = outer, .name = given[i]->key};
            good &= decode_value(decoder, field, field->type, given[i], &step, out + field->offset);
            if (field->present)
                *(bool *)(out + field->present - 1) = true;
        } else if (field->flags & HV_REQUIRED) {
            fail_missing(decoder, outer, field);
            good = false;
        } else if (field->fallback) {
            use_fallback(decoder, field, out + field->offset);
        }
    }
    return good;
}

/* ---- whole inputs ------------------------------------------------------------------------------------ */

enum hv_code fields_decode(const struct hv_field *fields, const struct hv_json *value, struct hv_arena *arena,
                           void *out, struct fields_faults *faults)
{
    struct decoder decoder = {arena, faults};
    const struct hv_json *inside = parse_inside(&decoder, value, HV_JSON_OBJECT);
    const struct hv_json *object = inside ? inside : value;
    if (hv_json_type_of(object) != HV_JSON_OBJECT)
        fail_expected(&decoder, NULL, HV_STR("object"), value);
    else if (decode_fields(&decoder, fields, object, NULL, out))
        return HV_OK;
    return HV_EINVAL;
}

/* Offset of a "line:column" place, both from 1, columns in characters; the end of the text when it makes no sense. */
static size_t place_offset(struct hv_str text, const char *place)
{
    struct hv_str rest = hv_str_from(place), part;
    int64_t line = 0, column = 0;
    size_t offset = 0;
    if (!hv_str_split(&rest, ':', &part) || !hv_str_to_int64(part, &line) || !hv_str_to_int64(rest, &column))
        return text.len;
    for (; line > 1 && offset != SIZE_MAX; line--) {
        offset = hv_str_find_byte(text, '\n', offset);
        offset += offset == SIZE_MAX ? 0 : 1;
    }
    if (offset == SIZE_MAX)
        return text.len;
    for (; column > 1 && offset < text.len; column--)
        do
            offset++;
        while (offset < text.len && ((unsigned char)text.ptr[offset] & 0xc0) == 0x80);
    return offset;
}

static size_t char_boundary(struct hv_str text, size_t at)
{
    while (at > 0 && at < text.len && ((unsigned char)text.ptr[at] & 0xc0) == 0x80)
        at--;
    return at;
}

static void fail_syntax(struct decoder *decoder, struct hv_str text, const struct hv_error *err)
{
    struct fields_fault *fault = add_fault(decoder, NULL);
    if (!fault)
        return;
    size_t at = place_offset(text, err->place);
    size_t from = char_boundary(text, at > PLACE_BEFORE ? at - PLACE_BEFORE : 0);
    size_t to = char_boundary(text, text.len - at > PLACE_AFTER ? at + PLACE_AFTER : text.len);
    struct hv_buf buf = {.max = TEXT_MAX};
    hv_buf_add_cstr(&buf, from > 0 ? "…" : "");
    hv_json_escape(&buf, hv_str_slice(text, from, at));
    hv_buf_add_cstr(&buf, "⟨here⟩");
    hv_json_escape(&buf, hv_str_slice(text, at, to));
    hv_buf_add_cstr(&buf, to < text.len ? "…" : "");
    fault->expected = HV_STR("object");
    fault->got = take_text(&buf, decoder->arena);
    fault->message = hv_arena_format(decoder->arena, "not valid JSON: %s (line:column %s), at: %.*s", err->message,
                                     err->place, HV_STR_ARG(fault->got));
    fault->hint = at >= text.len ? HV_STR("the text ends too early: send the call again, complete")
                                 : HV_STR("send one JSON object");
}

/* The top value, an object or not. */
static enum hv_code parse_text(struct decoder *decoder, struct hv_str text, const struct hv_json **value)
{
    struct hv_error err = {0};
    if (hv_str_trim(text).len == 0)
        text = HV_STR("{}");
    if (hv_json_parse(decoder->arena, text, PARSE_FLAGS, value, &err) == HV_OK)
        return HV_OK;
    fail_syntax(decoder, text, &err);
    return HV_EINVAL;
}

enum hv_code fields_parse_object(struct hv_str text, struct hv_arena *arena, const struct hv_json **value,
                                 struct fields_faults *faults)
{
    struct decoder decoder = {arena, faults};
    const struct hv_json *top = NULL;
    if (parse_text(&decoder, text, &top) != HV_OK)
        return HV_EINVAL;
    const struct hv_json *inside = parse_inside(&decoder, top, HV_JSON_OBJECT);
    if (top->type != HV_JSON_OBJECT && !inside) {
        fail_expected(&decoder, NULL, HV_STR("object"), top);
        return HV_EINVAL;
    }
    *value = inside ? inside : top;
    return HV_OK;
}

enum hv_code fields_decode_text(const struct hv_field *fields, struct hv_str text, struct hv_arena *arena, void *out,
                                const struct hv_json **value, struct fields_faults *faults)
{
    const struct hv_json *object = NULL;
    if (fields_parse_object(text, arena, &object, faults) != HV_OK)
        return HV_EINVAL;
    enum hv_code code = fields_decode(fields, object, arena, out, faults);
    if (code == HV_OK && value)
        *value = object;
    return code;
}

/* ---- faults as text ---------------------------------------------------------------------------------- */

static void add_fault_line(struct hv_buf *buf, const struct fields_fault *fault)
{
    hv_buf_add_cstr(buf, "\n- ");
    if (fault->path.len)
        hv_buf_addf(buf, "%.*s: ", HV_STR_ARG(fault->path));
    hv_buf_add_str(buf, fault->message);
    if (fault->hint.len)
        hv_buf_addf(buf, "; %.*s", HV_STR_ARG(fault->hint));
}

struct hv_str fields_faults_text(const struct fields_faults *faults, const char *tool, struct hv_arena *arena)
{
    struct hv_buf buf = {.max = TEXT_MAX};
    hv_buf_addf(&buf, "Invalid input for %s: %zu problem%s:", tool, faults->total, faults->total == 1 ? "" : "s");
    for (size_t i = 0; i < faults->count; i++)
        add_fault_line(&buf, &faults->items[i]);
    if (faults->total > faults->count)
        hv_buf_addf(&buf, "\n- and %zu more", faults->total - faults->count);
    return take_text(&buf, arena);
}

enum hv_code fields_faults_to_error(const struct fields_faults *faults, const char *tool, struct hv_error *err)
{
    struct hv_arena arena = {0};
    struct hv_str text = fields_faults_text(faults, tool, &arena);
    enum hv_code code = hv_fail(err, HV_EINVAL, "%.*s", HV_STR_ARG(text));
    if (faults->count)
        hv_error_place(err, "%.*s", HV_STR_ARG(faults->items[0].path));
    hv_arena_release(&arena);
    return code;
}
