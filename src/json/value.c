/* value.c: looking things up in a parsed tree, and comparing trees. See helve/json.h. */
#include "base/cleanup.h"
#include "base/str_inline.h"
#include "base/vec.h"
#include "json/number.h"

#include <helve/json.h>
#include <stdlib.h>

const struct hv_json *hv_json_get_str(const struct hv_json *object, struct hv_str name)
{
    const struct hv_json *found = NULL;
    if (hv_json_type_of(object) != HV_JSON_OBJECT)
        return NULL;
    hv_json_each(member, object)
    {
        if (hv_str_eq(member->key, name))
            found = member;
    }
    return found;
}

const struct hv_json *hv_json_get(const struct hv_json *object, const char *name)
{
    return hv_json_get_str(object, hv_str_from(name));
}

const struct hv_json *hv_json_at(const struct hv_json *array, size_t index)
{
    if (hv_json_type_of(array) != HV_JSON_ARRAY || index >= array->count)
        return NULL;
    const struct hv_json *element = array->first;
    while (index--)
        element = element->next;
    return element;
}

enum hv_json_type hv_json_type_of(const struct hv_json *value)
{
    return value ? value->type : HV_JSON_NONE;
}

struct hv_str hv_json_string(const struct hv_json *value)
{
    return hv_json_type_of(value) == HV_JSON_STRING ? value->text : (struct hv_str){0};
}

struct hv_str hv_json_get_string(const struct hv_json *object, const char *name)
{
    return hv_json_string(hv_json_get(object, name));
}

bool hv_json_bool(const struct hv_json *value, bool fallback)
{
    enum hv_json_type type = hv_json_type_of(value);
    return type == HV_JSON_TRUE || (type != HV_JSON_FALSE && fallback);
}

bool hv_json_int64(const struct hv_json *value, int64_t *out)
{
    return hv_json_type_of(value) == HV_JSON_NUMBER && number_to_int64(value->text, out);
}

bool hv_json_double(const struct hv_json *value, double *out)
{
    return hv_json_type_of(value) == HV_JSON_NUMBER && number_to_double(value->text, out);
}

const char *hv_json_type_name(const struct hv_json *value)
{
    switch (hv_json_type_of(value)) {
    case HV_JSON_NONE: return "nothing";
    case HV_JSON_NULL: return "null";
    case HV_JSON_FALSE:
    case HV_JSON_TRUE: return "boolean";
    case HV_JSON_NUMBER: return "number";
    case HV_JSON_STRING: return "string";
    case HV_JSON_ARRAY: return "array";
    case HV_JSON_OBJECT: return "object";
    }
    return "nothing";
}

struct hv_str hv_json_source(const struct hv_json *value, struct hv_str text)
{
    return value ? hv_str_slice(text, value->start, value->end) : (struct hv_str){0};
}

/* ---- equality ------------------------------------------------------------------------------------------ */

struct pair {
    const struct hv_json *a, *b;
};

/* Pairs that are still to be compared: a work list instead of recursion. */
struct work {
    struct pair *items;
    size_t count, capacity;
};

/* By name, then by place in the source, so that the last of several members of one name comes last. */
static int compare_members(const void *left, const void *right)
{
    const struct hv_json *a = *(const struct hv_json *const *)left, *b = *(const struct hv_json *const *)right;
    int order = hv_str_compare(a->key, b->key);
    return order ? order : (a->key_start > b->key_start) - (a->key_start < b->key_start);
}

/* The members that look-ups can reach, sorted by name; the caller frees *members. */
static size_t sorted_members(const struct hv_json *object, const struct hv_json ***members)
{
    size_t count = 0, kept = 0;
    const struct hv_json **list = hv_malloc(object->count * sizeof *list);
    hv_json_each(member, object) list[count++] = member;
    qsort(list, count, sizeof *list, compare_members);
    for (size_t i = 0; i < count; i++)
        if (i + 1 == count || !hv_str_eq(list[i]->key, list[i + 1]->key))
            list[kept++] = list[i];
    *members = list;
    return kept;
}

static bool add_members(struct work *work, const struct hv_json *a, const struct hv_json *b)
{
    CLEANUP_FREE const struct hv_json **left = NULL;
    CLEANUP_FREE const struct hv_json **right = NULL;
    size_t count = sorted_members(a, &left);
    if (sorted_members(b, &right) != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!hv_str_eq(left[i]->key, right[i]->key))
            return false;
        *vec_push(work) = (struct pair){left[i], right[i]};
    }
    return true;
}

static bool add_elements(struct work *work, const struct hv_json *a, const struct hv_json *b)
{
    if (a->count != b->count)
        return false;
    for (a = a->first, b = b->first; a; a = a->next, b = b->next)
        *vec_push(work) = (struct pair){a, b};
    return true;
}

/* Compare two values but for what they contain, which is added to the work. */
static bool compare_shallow(struct work *work, const struct hv_json *a, const struct hv_json *b)
{
    if (hv_json_type_of(a) != hv_json_type_of(b))
        return false;
    switch (hv_json_type_of(a)) {
    case HV_JSON_NUMBER: return number_equal(a->text, b->text);
    case HV_JSON_STRING: return hv_str_eq(a->text, b->text);
    case HV_JSON_ARRAY: return add_elements(work, a, b);
    case HV_JSON_OBJECT: return add_members(work, a, b);
    default: return true;
    }
}

bool hv_json_equal(const struct hv_json *a, const struct hv_json *b)
{
    struct work work = {0};
    bool equal = compare_shallow(&work, a, b);
    while (equal && work.count) {
        struct pair pair = work.items[--work.count];
        equal = compare_shallow(&work, pair.a, pair.b);
    }
    vec_release(&work);
    return equal;
}
