/* structured.c: see structured.h. */
#include "agent/structured.h"

#include <helve/json.h>

#include "base/cleanup.h"
#include "schema/validator.h"

enum { ANSWER_MAX = 64 << 20 };

static bool always(const void *input, const struct hv_context *context)
{
    (void)input, (void)context;
    return true;
}

static void touches_nothing(const void *input, const struct hv_context *context, struct hv_footprint *out)
{
    (void)input, (void)context;
    out->limited = true;
}

static enum hv_verdict allow(const void *input, const struct hv_context *context, struct hv_str *reason)
{
    (void)input, (void)context;
    *reason = HV_STR("it only hands over the answer");
    return HV_ALLOW;
}

static enum hv_code take_answer(const void *input, struct hv_context *context, void **data, struct hv_result *result,
                                struct hv_error *err)
{
    (void)data;
    CLEANUP_BUF struct hv_buf answer = {0};
    struct hv_json_writer writer;
    hv_buf_init(&answer, ANSWER_MAX);
    hv_json_writer_init(&writer, &answer);
    hv_json_put_value(&writer, input);
    if (answer.failed)
        return hv_fail(err, HV_ETOOBIG, "the answer is larger than %d MiB", ANSWER_MAX >> 20);
    result->structured = hv_arena_str(context->arena, hv_buf_str(&answer));
    result->ends_turn = true;
    hv_result_add_text(result, context->arena, HV_STR("The answer was taken."));
    return HV_OK;
}

static enum hv_code check_schema(struct hv_arena *arena, struct hv_str text, struct hv_error *err)
{
    const struct hv_json *value;
    struct schema *schema;
    enum hv_code code = hv_json_parse(arena, text, HV_JSON_ALLOW_BOM, &value, err);
    if (code != HV_OK)
        return code;
    struct hv_str type = hv_json_get_string(value, "type");
    if (value->type != HV_JSON_OBJECT || (type.ptr && !hv_str_is(type, "object"))) {
        hv_fail(err, HV_EINVAL, "expected the schema of an object");
        hv_error_hint(err, "wrap other answers: {\"type\":\"object\",\"properties\":{\"answer\":…},"
                           "\"required\":[\"answer\"]}");
        return HV_EINVAL;
    }
    code = schema_compile(text, NULL, &schema, err);
    if (code == HV_OK)
        schema_unref(schema);
    return code;
}

enum hv_code structured_tool_init(struct structured_tool *tool, struct hv_arena *arena, struct hv_str schema,
                                  struct hv_error *err)
{
    enum hv_code code = check_schema(arena, schema, err);
    if (code != HV_OK)
        return code;
    *tool = (struct structured_tool){
        .tool = {.name = "StructuredOutput",
                 .title = "Give the answer",
                 .search_hint = "give the final answer as JSON",
                 .description = "Hands over the final answer as JSON. Call it exactly once, when the work is done; the "
                                "input is the answer. Do not write the answer as text.",
                 .guide = "The task's answer must be given by calling this tool, once, at the end.",
                 .always_load = true,
                 .input_schema = hv_arena_cstr(arena, schema),
                 .footprint = touches_nothing,
                 .read_only = always,
                 .concurrency_safe = always,
                 .check_permission = allow,
                 .call = take_answer},
    };
    tool->pointer = &tool->tool;
    return HV_OK;
}

struct hv_str structured_reminder(void)
{
    return HV_STR("Give the answer now by calling StructuredOutput, with input that fits its schema.");
}
