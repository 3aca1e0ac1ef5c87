/*
 * testing_ask.c: a tool that asks a person something and tells what was answered. Part of test builds only (meson
 * -Dtests=true): no tool of helve asks for a choice, a text or a form yet, while the service `ask` takes them.
 */
#include <helve/ask.h>
#include <helve/tool.h>

struct ask_input {
    int kind;
};

static const char *const ask_kinds[] = {"choice", "text", "form", NULL};

static const struct hv_field ask_fields[] = {
    {.name = "kind",
     .type = HV_FIELD_ENUM,
     .flags = HV_REQUIRED,
     .offset = offsetof(struct ask_input, kind),
     .values = ask_kinds,
     .description = "What is asked for"},
    {0},
};

static enum hv_verdict ask_check(const void *input, const struct hv_context *context, struct hv_str *reason)
{
    (void)input, (void)context, (void)reason;
    return HV_ALLOW;
}

static void ask_footprint(const void *input, const struct hv_context *context, struct hv_footprint *out)
{
    (void)input, (void)context;
    out->limited = true;
}

static enum hv_code ask_call(const void *input, struct hv_context *context, void **data, struct hv_result *result,
                             struct hv_error *err)
{
    const struct hv_ask_option colours[] = {
        {.name = HV_STR("r"), .label = HV_STR("red"), .description = HV_STR("like a brick")},
        {.name = HV_STR("g"), .label = HV_STR("green")},
    };
    const struct hv_ask_field fields[] = {
        {.name = HV_STR("colour"),
         .label = HV_STR("Which colour?"),
         .type = HV_ASK_OF_OPTIONS,
         .options = colours,
         .option_count = 2,
         .required = true},
        {.name = HV_STR("title"), .label = HV_STR("Which title?"), .required = true},
        {.name = HV_STR("count"), .label = HV_STR("How many?"), .type = HV_ASK_OF_INTEGER},
        {.name = HV_STR("sure"), .type = HV_ASK_OF_BOOLEAN, .initial = HV_STR("yes")},
        {.name = HV_STR("others"), .type = HV_ASK_OF_SEVERAL, .options = colours, .option_count = 2},
    };
    static const struct {
        enum hv_ask_kind kind;
        size_t first, count;
    } asked[] = {{HV_ASK_CHOICE, 0, 1}, {HV_ASK_TEXT, 1, 1}, {HV_ASK_FORM, 0, 5}};
    size_t at = (size_t)((const struct ask_input *)input)->kind - 1;
    const struct hv_question question = {.kind = asked[at].kind,
                                         .text = HV_STR("How shall it be?"),
                                         .fields = fields + asked[at].first,
                                         .field_count = asked[at].count};
    struct hv_answer answer = {0};
    (void)data, (void)err;
    context->services->ask(context, &question, &answer);
    result->is_error = answer.outcome != HV_ASK_ANSWERED;
    if (result->is_error)
        hv_result_addf(result, context->arena, "No answer: %.*s", HV_STR_ARG(answer.words));
    else
        hv_result_addf(result, context->arena, "The answer: %.*s", HV_STR_ARG(answer.values));
    return HV_OK;
}

const struct hv_tool tool_testing_ask = {
    .name = "TestingAsk",
    .title = "Ask",
    .description = "Asks a question and tells the answer. For tests only.",
    .deferred = true,
    .fields = ask_fields,
    .input_size = sizeof(struct ask_input),
    .time_limit_ms = 1000, /* less than who answers a form takes */
    .footprint = ask_footprint,
    .check_permission = ask_check,
    .call = ask_call,
};
