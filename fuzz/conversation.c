/*
 * Content of messages, as journals and models bring it, in the bytes of each provider: whatever it is, the request
 * stays valid JSON, holds what was said of its size, and truncating it gives back the bytes from before. The first byte
 * tells the role.
 */
#include "model/model.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 1 << 16, BODY_MAX = 64 << 20 };

static const struct model_tool tool = {{"A", 1}, {"a", 1}, {"{\"type\":\"object\"}", 17}};

static void get_body(const struct model_conversation *conversation, struct hv_buf *body)
{
    struct hv_arena arena = {0};
    const struct hv_json *root;
    hv_buf_init(body, BODY_MAX);
    model_conversation_body(conversation, body);
    if (body->failed || body->len != model_conversation_bytes(conversation) ||
        hv_json_parse(&arena, hv_buf_str(body), HV_JSON_STRICT, &root, NULL) != HV_OK)
        abort();
    hv_arena_release(&arena);
}

static void check(const char *provider, const char *base_url, enum model_role role, struct hv_str content)
{
    struct model_options options = {
        .provider = hv_str_from(provider), .name = HV_STR("m"), .base_url = hv_str_from(base_url)};
    struct model *model;
    struct hv_buf before, after, again;
    if (model_new(&options, NULL, &model, NULL) != HV_OK)
        abort();
    struct model_conversation *conversation = model_conversation_new(model);
    model_conversation_set_tools(conversation, &tool, 1, 1);
    if (model_conversation_append(conversation, MODEL_USER, HV_STR("[{\"type\":\"text\",\"text\":\"a\"}]"), NULL) !=
        HV_OK)
        abort();
    get_body(conversation, &before);
    if (model_conversation_append(conversation, role, content, NULL) == HV_OK) {
        get_body(conversation, &after);
        hv_buf_release(&after);
        model_conversation_truncate(conversation, 1);
    }
    get_body(conversation, &again);
    if (!hv_str_eq(hv_buf_str(&before), hv_buf_str(&again)))
        abort();
    hv_buf_release(&before);
    hv_buf_release(&again);
    model_conversation_free(conversation);
    model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size || size > INPUT_MAX)
        return 0;
    enum model_role role = data[0] % 2 ? MODEL_ASSISTANT : MODEL_USER;
    struct hv_str content = hv_str_of((const char *)data + 1, size - 1);
    check("anthropic", NULL, role, content);
    check("openai-chat", NULL, role, content);
    check("openai-chat", "http://localhost/v1", role, content);
    check("openai-responses", NULL, role, content);
    return 0;
}
