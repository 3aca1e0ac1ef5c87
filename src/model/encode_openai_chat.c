/*
 * encode_openai_chat.c: requests of Chat Completions, for OpenAI and the many servers that resemble it. What only
 * OpenAI's own service asks for (limits of lengths, max_completion_tokens, the developer role) is sent to it alone;
 * everybody else gets the oldest form that all know.
 */
#include "model/encode.h"
#include "model/leave_out.h"
#include "model/provider.h"

#include "base/cleanup.h"

enum { NAME_MAX_HERE = 64, OWN_ID_MAX = 40, OWN_TOOLS_MAX = 128, OWN_DESCRIPTION_MAX = 1024, TEXT_MAX = 1 << 30 };

/* ---- options, tools, system ------------------------------------------------------------------------------------- */

static bool reasons(const struct model *model)
{
    return (model->facts.traits & CATALOG_REASONS) != 0;
}

static void put_effort(const struct model *model, struct hv_json_writer *writer)
{
    if (model->left_out & LEAVE_EFFORT)
        return;
    if (model->options.effort.len)
        hv_json_member_string(writer, "reasoning_effort", model->options.effort);
    else if (model->options.thinking_budget > 0 && reasons(model))
        hv_json_member_cstr(writer, "reasoning_effort", encode_effort(model->options.thinking_budget));
}

static void chat_options(const struct model *model, struct hv_buf *out)
{
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, out);
    hv_json_begin_object(&writer);
    hv_json_member_string(&writer, "model", model->options.name);
    hv_json_member_bool(&writer, "stream", true);
    if (!(model->left_out & LEAVE_STREAM_OPTIONS))
        hv_json_member_raw(&writer, "stream_options", HV_STR("{\"include_usage\":true}"));
    if (model->options.max_tokens > 0)
        hv_json_member_int(&writer, model->own_service ? "max_completion_tokens" : "max_tokens",
                           model->options.max_tokens);
    put_effort(model, &writer);
}

/* The first max bytes, not more, and whole characters. */
static struct hv_str cut(struct hv_str text, size_t max)
{
    if (text.len <= max)
        return text;
    while (max > 0 && ((unsigned char)text.ptr[max] & 0xc0) == 0x80)
        max--;
    return hv_str_slice(text, 0, max);
}

static void chat_tools(const struct model *model, const struct model_tool *tools, size_t count, size_t stable,
                       struct hv_buf *out)
{
    (void)stable;
    struct hv_json_writer writer;
    char buffer[WIRE_NAME_MAX];
    hv_buf_add_cstr(out, ",\"tools\":");
    hv_json_writer_init(&writer, out);
    hv_json_begin_array(&writer);
    for (size_t i = 0; i < count; i++) {
        struct hv_str description = tools[i].description;
        if (model->own_service)
            description = cut(description, OWN_DESCRIPTION_MAX);
        hv_json_begin_object(&writer);
        hv_json_member_cstr(&writer, "type", "function");
        hv_json_name(&writer, "function");
        hv_json_begin_object(&writer);
        hv_json_member_string(&writer, "name", wire_name(tools[i].name, NAME_MAX_HERE, buffer));
        if (description.len)
            hv_json_member_string(&writer, "description", description);
        encode_schema(&writer, "parameters", tools[i].input_schema, 0);
        hv_json_end_object(&writer);
        hv_json_end_object(&writer);
    }
    hv_json_end_array(&writer);
}

static void chat_system(const struct model *model, struct hv_str text, struct hv_buf *out)
{
    hv_buf_add_cstr(out, ",\"messages\":[");
    if (encode_is_blank(text))
        return;
    bool developer = model->own_service && reasons(model);
    hv_buf_addf(out, "{\"role\":\"%s\",\"content\":\"", developer ? "developer" : "system");
    hv_json_escape(out, text);
    hv_buf_add_cstr(out, "\"}");
}

/* ---- what a person or a tool said ------------------------------------------------------------------------------- */

/* Servers want back the very ids that they gave; OpenAI's own also limits those that others made. */
static struct hv_str call_id(const struct model *model, struct hv_str id, char buffer[WIRE_NAME_MAX])
{
    return model->own_service && id.len > OWN_ID_MAX ? wire_name(id, OWN_ID_MAX, buffer) : id;
}

static void put_text_part(struct hv_json_writer *writer, struct hv_str text)
{
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "type", "text");
    hv_json_member_string(writer, "text", text);
    hv_json_end_object(writer);
}

static bool is_pdf(const struct hv_json *block)
{
    const struct hv_json *source = hv_json_get(block, "source");
    return encode_is(block, "document") && encode_is(source, "base64") &&
           hv_str_is(hv_json_get_string(source, "media_type"), "application/pdf");
}

static bool put_picture(struct hv_json_writer *writer, struct hv_str url)
{
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "type", "image_url");
    hv_json_name(writer, "image_url");
    hv_json_begin_object(writer);
    hv_json_member_string(writer, "url", url);
    hv_json_end_object(writer);
    hv_json_end_object(writer);
    return true;
}

static bool put_file(struct hv_json_writer *writer, const struct hv_json *block, struct hv_str url)
{
    struct hv_str title = hv_json_get_string(block, "title");
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "type", "file");
    hv_json_name(writer, "file");
    hv_json_begin_object(writer);
    hv_json_member_string(writer, "filename", title.len ? title : HV_STR("document.pdf"));
    hv_json_member_string(writer, "file_data", url);
    hv_json_end_object(writer);
    hv_json_end_object(writer);
    return true;
}

static bool is_media(const struct model *model, const struct hv_json *block)
{
    return encode_is(block, "image") || (model->own_service && is_pdf(block));
}

/* A picture, or a document where it can be taken, as a part of its own; false: only a text can stand for it. */
static bool put_media(const struct model *model, struct hv_json_writer *writer, const struct hv_json *block)
{
    CLEANUP_BUF struct hv_buf url = {0};
    hv_buf_init(&url, TEXT_MAX);
    bool file = !encode_is(block, "image");
    if (!is_media(model, block) || !encode_url(&url, hv_json_get(block, "source")))
        return false;
    return file ? put_file(writer, block, hv_buf_str(&url)) : put_picture(writer, hv_buf_str(&url));
}

static bool has_media(const struct model *model, const struct hv_json *blocks)
{
    hv_json_each(block, blocks)
    {
        if (is_media(model, block) ||
            (encode_is(block, "tool_result") && has_media(model, encode_result_blocks(block))))
            return true;
    }
    return false;
}

/* What a block says as text: its own, or what stands for it. */
static void add_text(struct hv_buf *out, const struct hv_json *block)
{
    if (encode_is(block, "text"))
        hv_buf_add_str(out, hv_json_get_string(block, "text"));
    else
        encode_stand_in(out, block);
}

static void put_result(const struct model *model, const struct hv_json *block, struct hv_buf *out)
{
    struct hv_json_writer writer;
    char id[WIRE_NAME_MAX];
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, TEXT_MAX);
    encode_result_text(&text, block);
    if (!text.len && has_media(model, encode_result_blocks(block)))
        hv_buf_add_cstr(&text, "(what the tool returned is in the next message)");
    encode_next(out, &writer);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "role", "tool");
    hv_json_member_string(&writer, "tool_call_id", call_id(model, hv_json_get_string(block, "tool_use_id"), id));
    hv_json_member_string(&writer, "content", hv_buf_str(&text));
    hv_json_end_object(&writer);
}

/* Pictures that tools returned: a tool's message holds text only, so the person's shows them. */
static void put_results_media(const struct model *model, struct hv_json_writer *writer, const struct hv_json *content)
{
    hv_json_each(result, content)
    {
        const struct hv_json *parts = encode_is(result, "tool_result") ? encode_result_blocks(result) : NULL;
        if (!has_media(model, parts))
            continue;
        CLEANUP_BUF struct hv_buf text = {0};
        hv_buf_init(&text, TEXT_MAX);
        char id[WIRE_NAME_MAX];
        struct hv_str call = call_id(model, hv_json_get_string(result, "tool_use_id"), id);
        hv_buf_addf(&text, "[returned by the tool call %.*s]", HV_STR_ARG(call));
        put_text_part(writer, hv_buf_str(&text));
        hv_json_each(part, parts)(void) put_media(model, writer, part);
    }
}

static void put_parts(const struct model *model, struct hv_json_writer *writer, const struct hv_json *content)
{
    hv_json_begin_array(writer);
    put_results_media(model, writer, content);
    hv_json_each(block, content)
    {
        if (encode_is(block, "tool_result") || put_media(model, writer, block))
            continue;
        CLEANUP_BUF struct hv_buf text = {0};
        hv_buf_init(&text, TEXT_MAX);
        add_text(&text, block);
        if (text.len)
            put_text_part(writer, hv_buf_str(&text));
    }
    hv_json_end_array(writer);
}

/* Text alone goes as one string: the templates of many servers know nothing else. */
static void join_text(struct hv_buf *out, const struct hv_json *content)
{
    hv_json_each(block, content)
    {
        size_t before = out->len;
        if (encode_is(block, "tool_result"))
            continue;
        if (before)
            hv_buf_add_cstr(out, "\n\n");
        size_t start = out->len;
        add_text(out, block);
        if (out->len == start && !out->failed)
            out->len = before;
    }
}

static void put_user(const struct model *model, const struct hv_json *content, struct hv_buf *out)
{
    struct hv_json_writer writer;
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, TEXT_MAX);
    hv_json_each(block, content)
    {
        if (encode_is(block, "tool_result"))
            put_result(model, block, out);
    }
    bool parts = has_media(model, content);
    if (!parts)
        join_text(&text, content);
    if (!parts && !text.len)
        return;
    encode_next(out, &writer);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "role", "user");
    hv_json_name(&writer, "content");
    if (parts)
        put_parts(model, &writer, content);
    else
        hv_json_put_string(&writer, hv_buf_str(&text));
    hv_json_end_object(&writer);
}

/* ---- what the model said ---------------------------------------------------------------------------------------- */

static void put_call(const struct model *model, struct hv_json_writer *writer, const struct hv_json *block)
{
    static const char *const own[] = {"type", "id", "name", "input", "cache_control", "caller", "from", NULL};
    char id[WIRE_NAME_MAX], name[WIRE_NAME_MAX];
    CLEANUP_BUF struct hv_buf arguments = {0};
    hv_buf_init(&arguments, TEXT_MAX);
    struct hv_json_writer inner;
    hv_json_writer_init(&inner, &arguments);
    const struct hv_json *input = hv_json_get(block, "input");
    if (hv_json_type_of(input) == HV_JSON_OBJECT)
        hv_json_put_value(&inner, input);
    else
        hv_json_put_raw(&inner, HV_STR("{}"));
    hv_json_begin_object(writer);
    hv_json_member_string(writer, "id", call_id(model, hv_json_get_string(block, "id"), id));
    hv_json_member_cstr(writer, "type", "function");
    hv_json_name(writer, "function");
    hv_json_begin_object(writer);
    hv_json_member_string(writer, "name", wire_name(hv_json_get_string(block, "name"), NAME_MAX_HERE, name));
    hv_json_member_string(writer, "arguments", hv_buf_str(&arguments));
    hv_json_end_object(writer);
    /* What a server gave with its call it may want back (Gemini's signatures). */
    if (!model->own_service && encode_is_own(model, block))
        encode_members(writer, block, own);
    hv_json_end_object(writer);
}

static size_t count_type(const struct hv_json *content, const char *type)
{
    size_t count = 0;
    hv_json_each(block, content) count += encode_is(block, type);
    return count;
}

/* Reasoning goes back with the calls that it led to (DeepSeek, Kimi), and only then: alone it is refused by some. */
static const struct hv_json *find_reasoning(const struct model *model, const struct hv_json *content)
{
    hv_json_each(block, content)
    {
        const struct hv_json *item = encode_own_item(model, block);
        if (item)
            return item;
    }
    return NULL;
}

/* parts: those of the reasoning, where that came as parts of the content (Mistral); or NULL. */
static void put_content(struct hv_json_writer *writer, struct hv_str text, const struct hv_json *parts)
{
    hv_json_name(writer, "content");
    if (hv_json_type_of(parts) != HV_JSON_ARRAY) {
        hv_json_put_string(writer, text.len ? text : (struct hv_str){0});
        return;
    }
    hv_json_begin_array(writer);
    hv_json_each(part, parts) hv_json_put_value(writer, part);
    if (text.len)
        put_text_part(writer, text);
    hv_json_end_array(writer);
}

static void put_assistant(const struct model *model, const struct hv_json *content, struct hv_buf *out)
{
    static const char *const taken[] = {"role", "content", "tool_calls", NULL};
    struct hv_json_writer writer;
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, TEXT_MAX);
    size_t calls = count_type(content, "tool_use");
    const struct hv_json *reasoning = calls ? find_reasoning(model, content) : NULL;
    join_text(&text, content);
    if (!calls && !text.len)
        return;
    encode_next(out, &writer);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "role", "assistant");
    put_content(&writer, hv_buf_str(&text), hv_json_get(reasoning, "content"));
    if (calls) {
        encode_members(&writer, reasoning, taken);
        hv_json_name(&writer, "tool_calls");
        hv_json_begin_array(&writer);
        hv_json_each(block, content)
        {
            if (encode_is(block, "tool_use"))
                put_call(model, &writer, block);
        }
        hv_json_end_array(&writer);
    }
    hv_json_end_object(&writer);
}

static void chat_message(const struct model *model, enum model_role role, const struct hv_json *content,
                         struct hv_buf *out, size_t *mark)
{
    (void)mark; /* these servers cache by themselves */
    if (role == MODEL_ASSISTANT)
        put_assistant(model, content, out);
    else
        put_user(model, content, out);
}

static void chat_headers(struct model *model)
{
    if (!model->options.api_key.len)
        return;
    struct hv_str value = hv_arena_format(&model->arena, "Bearer %.*s", HV_STR_ARG(model->options.api_key));
    model_add_header(model, "Authorization", value);
}

const struct model_provider model_provider_openai_chat = {
    .name = "openai-chat",
    .wire = MODEL_WIRE_OPENAI_CHAT,
    .encode_options = chat_options,
    .encode_tools = chat_tools,
    .encode_system = chat_system,
    .encode_message = chat_message,
    .name_max = NAME_MAX_HERE,
    .variables = {"OPENAI_API_KEY", "OPENAI_BASE_URL"},
    .base_url = "https://api.openai.com",
    .version = "/v1",
    .path = "/chat/completions",
    .own_tools_max = OWN_TOOLS_MAX,
    .add_headers = chat_headers,
};
