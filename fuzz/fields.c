/*
 * fields.c: inputs of a typed tool, from any bytes. What is decoded and written back decodes to the same; what is
 * refused has at least one fault, with a path and a message.
 */
#include "schema/fields.h"
#include "base/cleanup.h"
#include "base/utf8.h"
#include "parts.h"

#include <stddef.h>

struct item {
    struct hv_str old_text;
    int64_t count;
    bool all;
};

static const struct hv_field item_fields[] = {
    {.name = "old_text",
     .type = HV_FIELD_STRING,
     .flags = HV_REQUIRED,
     .offset = offsetof(struct item, old_text),
     .aliases = (const char *const[]){"old", "search", NULL}},
    {.name = "count",
     .type = HV_FIELD_INTEGER,
     .offset = offsetof(struct item, count),
     .minimum = 1,
     .maximum = 9,
     .fallback = "3"},
    {.name = "all", .type = HV_FIELD_BOOLEAN, .offset = offsetof(struct item, all)},
    {0},
};

struct input {
    struct hv_str path, code;
    double ratio;
    int mode;
    struct item item;
    struct hv_array items, names, numbers;
    const struct hv_json *extra;
};

static const char *const modes[] = {"one", "two", NULL};

static const struct hv_field fields[] = {
    {.name = "path",
     .type = HV_FIELD_STRING,
     .flags = HV_REQUIRED | HV_PATH | HV_NON_EMPTY,
     .offset = offsetof(struct input, path),
     .aliases = (const char *const[]){"file", NULL}},
    {.name = "code",
     .type = HV_FIELD_STRING,
     .offset = offsetof(struct input, code),
     .maximum = 8,
     .pattern = "^[a-z]*$"},
    {.name = "ratio", .type = HV_FIELD_NUMBER, .offset = offsetof(struct input, ratio)},
    {.name = "mode", .type = HV_FIELD_ENUM, .offset = offsetof(struct input, mode), .values = modes},
    {.name = "item",
     .type = HV_FIELD_OBJECT,
     .offset = offsetof(struct input, item),
     .fields = item_fields,
     .size = sizeof(struct item)},
    {.name = "items",
     .type = HV_FIELD_ARRAY,
     .offset = offsetof(struct input, items),
     .items = HV_FIELD_OBJECT,
     .fields = item_fields,
     .size = sizeof(struct item)},
    {.name = "names",
     .type = HV_FIELD_ARRAY,
     .offset = offsetof(struct input, names),
     .items = HV_FIELD_STRING,
     .flags = HV_ONE_OR_MANY},
    {.name = "numbers", .type = HV_FIELD_ARRAY, .offset = offsetof(struct input, numbers), .items = HV_FIELD_INTEGER},
    {.name = "extra", .type = HV_FIELD_JSON, .offset = offsetof(struct input, extra)},
    {0},
};

static void check_faults(struct hv_arena *arena, const struct fields_faults *faults)
{
    struct hv_error err;
    FUZZ_CHECK(faults->count && faults->count <= FIELDS_FAULTS_MAX && faults->total >= faults->count);
    for (size_t i = 0; i < faults->count; i++)
        FUZZ_CHECK(faults->items[i].message.len && faults->items[i].path.ptr);
    FUZZ_CHECK(utf8_valid(fields_faults_text(faults, "Fuzz", arena)));
    FUZZ_CHECK(fields_faults_to_error(faults, "Fuzz", &err) == HV_EINVAL && utf8_valid(hv_str_from(err.message)));
}

static bool decode(struct hv_arena *arena, struct hv_str text, struct input *input, struct hv_buf *out)
{
    struct fields_faults faults = {0};
    const struct hv_json *value = NULL;
    struct hv_json_writer writer;
    *input = (struct input){0};
    if (fields_decode_text(fields, text, arena, input, &value, &faults)) {
        check_faults(arena, &faults);
        return false;
    }
    hv_json_writer_init(&writer, out);
    fields_encode_given(fields, input, value, &writer);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf once = {.max = 64 << 20}, twice = {.max = 64 << 20};
    struct input input, again;
    if (!decode(&arena, fuzz_copy(&arena, hv_str_of((const char *)data, size)), &input, &once))
        return 0;
    FUZZ_CHECK(input.path.len && input.mode >= 0 && input.mode <= 2);
    FUZZ_CHECK(decode(&arena, hv_buf_str(&once), &again, &twice));
    FUZZ_CHECK(hv_str_eq(hv_buf_str(&once), hv_buf_str(&twice)));
    fields_expand_paths(fields, &input, &arena, HV_STR("/work"), HV_STR("/home"));
    FUZZ_CHECK(input.path.ptr[0] == '/');
    return 0;
}
