/*
 * repair.c: drift of models, mended for inputs whose schema arrives at run time: the counterpart of what fields.c does
 * for typed tools. Only where one reading is possible: a value is replaced when no type that the schema takes fits it
 * as it stands and exactly what its text says does. See validator.h.
 */
#include "schema/compiled.h"
#include "schema/validator.h"

#include <string.h>

/* What takes the place of a value. */
struct repair {
    const struct hv_json *value;
    struct hv_str text; /* absent: the member is left out */
};

struct mender {
    struct hv_str source;
    struct repair repairs[SCHEMA_ERRORS_MAX];
    size_t count;
    struct hv_buf out;
};

static bool type_fits(unsigned types, const struct hv_json *value)
{
    int64_t whole;
    enum hv_json_type type = value->type == HV_JSON_FALSE ? HV_JSON_TRUE : value->type;
    return types & 1u << type ||
           (types & TYPE_INTEGER && value->type == HV_JSON_NUMBER && hv_json_int64(value, &whole));
}

/* The text holds JSON of a type that fits: a number, a boolean, an array or an object. */
static bool reading_of(struct hv_str text, unsigned types, struct hv_arena *arena)
{
    const struct hv_json *inside;
    if (hv_json_parse(arena, text, HV_JSON_STRICT, &inside, NULL) != HV_OK)
        return false;
    return inside->type != HV_JSON_STRING && inside->type != HV_JSON_NULL && type_fits(types, inside);
}

static bool is_member(const struct hv_json *value)
{
    return value->key.ptr != NULL;
}

static void plan(struct mender *mender, const struct schema_errors *errors, struct hv_arena *arena)
{
    for (const struct schema_error *error = errors->first; error; error = error->next) {
        struct repair repair = {.value = error->value};
        if (!error->types || !error->value || mender->count == SCHEMA_ERRORS_MAX)
            continue;
        if (error->value->type == HV_JSON_STRING && reading_of(error->value->text, error->types, arena))
            repair.text = hv_str_trim(error->value->text);
        else if (error->value->type != HV_JSON_NULL || !is_member(error->value))
            continue;
        mender->repairs[mender->count++] = repair;
    }
}

static const struct repair *repair_of(const struct mender *mender, const struct hv_json *value)
{
    for (size_t i = 0; i < mender->count; i++)
        if (mender->repairs[i].value == value)
            return &mender->repairs[i];
    return NULL;
}

static bool has_repair_inside(const struct mender *mender, const struct hv_json *value)
{
    for (size_t i = 0; i < mender->count; i++)
        if (mender->repairs[i].value->start >= value->start && mender->repairs[i].value->end <= value->end)
            return true;
    return false;
}

static void copy(struct mender *mender, size_t start, size_t end)
{
    hv_buf_add_str(&mender->out, hv_str_slice(mender->source, start, end));
}

/* Recursion is bounded by the reader: HV_JSON_DEPTH_MAX. */
static void put(struct mender *mender, const struct hv_json *value)
{
    const struct repair *repair = repair_of(mender, value);
    if (repair) {
        hv_buf_add_str(&mender->out, repair->text);
        return;
    }
    if (!has_repair_inside(mender, value)) {
        copy(mender, value->start, value->end);
        return;
    }
    bool object = value->type == HV_JSON_OBJECT, any = false;
    hv_buf_add_byte(&mender->out, object ? '{' : '[');
    hv_json_each(child, value)
    {
        const struct repair *own = repair_of(mender, child);
        if (own && !own->text.ptr)
            continue;
        if (any)
            hv_buf_add_byte(&mender->out, ',');
        any = true;
        if (object) {
            copy(mender, child->key_start, child->key_end);
            hv_buf_add_byte(&mender->out, ':');
        }
        put(mender, child);
    }
    hv_buf_add_byte(&mender->out, object ? '}' : ']');
}

struct hv_str schema_repair(const struct hv_json *instance, struct hv_str source, const struct schema_errors *errors,
                            struct hv_arena *arena)
{
    struct mender mender = {.source = source, .out = {.max = source.len + 64}};
    plan(&mender, errors, arena);
    if (!mender.count)
        return (struct hv_str){0};
    put(&mender, instance);
    struct hv_str mended = mender.out.failed ? (struct hv_str){0} : hv_arena_str(arena, hv_buf_str(&mender.out));
    hv_buf_release(&mender.out);
    return mended;
}
