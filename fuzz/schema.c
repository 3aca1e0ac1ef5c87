/*
 * schema.c: the JSON Schema validator on any schema and instance: SCHEMA 0x1e INSTANCE. Looking for errors and only for
 * the answer must agree; errors point into the instance; what is mended is JSON.
 */
#include "base/cleanup.h"
#include "base/utf8.h"
#include "parts.h"
#include "schema/validator.h"

enum { STEPS = 200000 };

static const struct hv_json *parse(struct hv_arena *arena, struct hv_str text)
{
    const struct hv_json *value = NULL;
    return hv_json_parse(arena, text, HV_JSON_STRICT, &value, NULL) ? NULL : value;
}

static void check_errors(struct hv_arena *arena, const struct hv_json *instance, struct hv_str source,
                         const struct schema_errors *errors)
{
    size_t count = 0;
    FUZZ_CHECK(errors->count && errors->count <= SCHEMA_ERRORS_MAX);
    for (const struct schema_error *error = errors->first; error; error = error->next, count++) {
        FUZZ_CHECK(error->message.len && error->value && error->value->end <= instance->end);
        FUZZ_CHECK(error->schema_path.len && (!error->instance_path.len || error->instance_path.ptr[0] == '/'));
    }
    FUZZ_CHECK(count == errors->count);
    FUZZ_CHECK(utf8_valid(schema_errors_text(errors, "Fuzz", arena)));
    struct hv_str mended = schema_repair(instance, source, errors, arena);
    FUZZ_CHECK(!mended.ptr || parse(arena, mended));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str rest = {(const char *)data, size};
    struct hv_str text = fuzz_part(&arena, &rest), source = fuzz_part(&arena, &rest);
    struct schema_options options = {.step_limit = STEPS};
    struct schema *schema = NULL;
    struct hv_error err = {0};
    enum hv_code code = schema_compile(text, &options, &schema, &err);
    FUZZ_CHECK(code == HV_OK ? schema != NULL : !schema && err.message[0]);
    const struct hv_json *instance = code ? NULL : parse(&arena, source);
    if (instance) {
        struct schema_errors errors = {0};
        enum hv_code loud = schema_validate(schema, instance, &arena, &errors, &err);
        enum hv_code quiet = schema_validate(schema, instance, &arena, NULL, &err);
        FUZZ_CHECK(loud == HV_OK || loud == HV_EINVAL || loud == HV_ETOOBIG);
        FUZZ_CHECK(loud == quiet || loud == HV_ETOOBIG || quiet == HV_ETOOBIG);
        if (loud == HV_EINVAL)
            check_errors(&arena, instance, source, &errors);
    }
    schema_unref(schema);
    return 0;
}
