/*
 * testing_permission.c: a tool that is always asked about and does nothing. Part of test builds only (meson
 * -Dtests=true): what tests of questions use, so that they hang on no rule about commands or files.
 */
#include <helve/tool.h>

struct testing_input {
    struct hv_str note;
};

static const struct hv_field testing_fields[] = {
    {.name = "note",
     .type = HV_FIELD_STRING,
     .offset = offsetof(struct testing_input, note),
     .description = "Shown in the question"},
    {0},
};

static enum hv_verdict testing_check(const void *input, const struct hv_context *context, struct hv_str *reason)
{
    (void)input, (void)context;
    *reason = HV_STR("it always asks");
    return HV_ASK;
}

static void testing_footprint(const void *input, const struct hv_context *context, struct hv_footprint *out)
{
    (void)input, (void)context;
    out->limited = true;
}

static enum hv_code testing_call(const void *input, struct hv_context *context, void **data, struct hv_result *result,
                                 struct hv_error *err)
{
    (void)input, (void)data, (void)err;
    hv_result_add_text(result, context->arena, HV_STR("It was allowed."));
    return HV_OK;
}

static void testing_render(const void *input, const struct hv_context *context, struct hv_buf *out)
{
    (void)context;
    hv_buf_add_str(out, ((const struct testing_input *)input)->note);
}

const struct hv_tool tool_testing_permission = {
    .name = "TestingPermission",
    .title = "Ask",
    .description = "Asks for permission and does nothing. For tests only.",
    .deferred = true,
    .fields = testing_fields,
    .input_size = sizeof(struct testing_input),
    .footprint = testing_footprint,
    .check_permission = testing_check,
    .call = testing_call,
    .render_use = testing_render,
};
