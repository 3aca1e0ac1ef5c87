/*
 * encode_openai_responses.c: requests of the Responses API, without state on the server (store: false). A message
 * becomes items: texts, calls and their outputs known by call_id, and the API's own items (reasoning, server tools) as
 * they came, in their order.
 */
#include "model/encode.h"
#include "model/leave_out.h"
#include "model/provider.h"

#include "base/cleanup.h"

enum { NAME_MAX_HERE = 64, ID_MAX_HERE = 64, OWN_TOOLS_MAX = 128, TEXT_MAX = 1 << 30 };

/* ---- options, tools, system ------------------------------------------------------------------------------------- */

static void put_reasoning(const struct model *model, struct hv_json_writer *writer)
{
    bool thinks = model->options.thinking_budget > 0;
    if (!(model->facts.traits & CATALOG_REASONS) && !model->options.effort.len)
        return;
    if (!(model->left_out & LEAVE_INCLUDE))
        hv_json_member_raw(writer, "include", HV_STR("[\"reasoning.encrypted_content\"]"));
    if ((!thinks && !model->options.effort.len) || model->left_out & LEAVE_EFFORT)
        return;
    hv_json_name(writer, "reasoning");
    hv_json_begin_object(writer);
    if (model->options.effort.len)
        hv_json_member_string(writer, "effort", model->options.effort);
    else
        hv_json_member_cstr(writer, "effort", encode_effort(model->options.thinking_budget));
    if (thinks && !(model->left_out & LEAVE_SUMMARY))
        hv_json_member_cstr(writer, "summary", "auto");
    hv_json_end_object(writer);
}

static void responses_options(const struct model *model, struct hv_buf *out)
{
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, out);
    hv_json_begin_object(&writer);
    hv_json_member_string(&writer, "model", model->options.name);
    hv_json_member_bool(&writer, "stream", true);
    if (!(model->left_out & LEAVE_STORE))
        hv_json_member_bool(&writer, "store", false);
    if (model->options.max_tokens > 0)
        hv_json_member_int(&writer, "max_output_tokens", model->options.max_tokens);
    put_reasoning(model, &writer);
}

static void responses_tools(const struct model *model, const struct model_tool *tools, size_t count, size_t stable,
                            struct hv_buf *out)
{
    (void)stable;
    struct hv_json_writer writer;
    char buffer[WIRE_NAME_MAX];
    hv_buf_add_cstr(out, ",\"tools\":");
    hv_json_writer_init(&writer, out);
    hv_json_begin_array(&writer);
    for (size_t i = 0; i < count; i++) {
        hv_json_begin_object(&writer);
        hv_json_member_cstr(&writer, "type", "function");
        hv_json_member_string(&writer, "name", wire_name(tools[i].name, NAME_MAX_HERE, buffer));
        if (tools[i].description.len)
            hv_json_member_string(&writer, "description", tools[i].description);
        encode_schema(&writer, "parameters", tools[i].input_schema, 0);
        /* Left out it would be true, and most schemas do not meet its conditions. */
        if (!(model->left_out & LEAVE_STRICT))
            hv_json_member_bool(&writer, "strict", false);
        hv_json_end_object(&writer);
    }
    hv_json_end_array(&writer);
}

static void responses_search(const struct model_search *search, struct hv_buf *out)
{
    struct hv_json_writer writer;
    hv_buf_add_cstr(out, ",\"tools\":");
    hv_json_writer_init(&writer, out);
    hv_json_begin_array(&writer);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "type", "web_search");
    if (search->allowed_count) {
        hv_json_name(&writer, "filters");
        hv_json_begin_object(&writer);
        encode_domains(&writer, "allowed_domains", search->allowed_domains, search->allowed_count);
        hv_json_end_object(&writer);
    }
    hv_json_end_object(&writer);
    hv_json_end_array(&writer);
}

static void responses_system(const struct model *model, struct hv_str text, struct hv_buf *out)
{
    (void)model;
    if (!encode_is_blank(text)) {
        hv_buf_add_cstr(out, ",\"instructions\":\"");
        hv_json_escape(out, text);
        hv_buf_add_byte(out, '"');
    }
    hv_buf_add_cstr(out, ",\"input\":[");
}

/* ---- parts ------------------------------------------------------------------------------------------------------ */

static void put_text_part(struct hv_json_writer *writer, const char *type, struct hv_str text)
{
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "type", type);
    hv_json_member_string(writer, "text", text);
    hv_json_end_object(writer);
}

static bool is_pdf(const struct hv_json *block)
{
    const struct hv_json *source = hv_json_get(block, "source");
    return encode_is(block, "document") &&
           (encode_is(source, "url") || hv_str_is(hv_json_get_string(source, "media_type"), "application/pdf"));
}

static bool is_media(const struct hv_json *block)
{
    return encode_is(block, "image") || is_pdf(block);
}

static bool has_media(const struct hv_json *blocks)
{
    hv_json_each(block, blocks)
    {
        if (is_media(block))
            return true;
    }
    return false;
}

static void put_file(struct hv_json_writer *writer, const struct hv_json *block, struct hv_str url)
{
    struct hv_str title = hv_json_get_string(block, "title");
    bool inside = hv_str_starts(url, HV_STR("data:"));
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "type", "input_file");
    if (inside)
        hv_json_member_string(writer, "filename", title.len ? title : HV_STR("document.pdf"));
    hv_json_member_string(writer, inside ? "file_data" : "file_url", url);
    hv_json_end_object(writer);
}

static bool put_media(struct hv_json_writer *writer, const struct hv_json *block)
{
    CLEANUP_BUF struct hv_buf url = {0};
    hv_buf_init(&url, TEXT_MAX);
    if (!is_media(block) || !encode_url(&url, hv_json_get(block, "source")))
        return false;
    if (!encode_is(block, "image")) {
        put_file(writer, block, hv_buf_str(&url));
        return true;
    }
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "type", "input_image");
    hv_json_member_string(writer, "image_url", hv_buf_str(&url));
    hv_json_member_cstr(writer, "detail", "auto");
    hv_json_end_object(writer);
    return true;
}

/* One block of a person or a tool as a part; nothing when it says nothing. */
static void put_part(struct hv_json_writer *writer, const struct hv_json *block)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, TEXT_MAX);
    if (encode_is(block, "tool_result") || put_media(writer, block))
        return;
    if (encode_is(block, "text"))
        hv_buf_add_str(&text, hv_json_get_string(block, "text"));
    else
        encode_stand_in(&text, block);
    if (text.len)
        put_text_part(writer, "input_text", hv_buf_str(&text));
}

/* ---- what a person or a tool said ------------------------------------------------------------------------------- */

static void put_output(struct hv_json_writer *writer, const struct hv_json *result)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, TEXT_MAX);
    encode_result_text(&text, result);
    hv_json_name(writer, "output");
    if (!has_media(encode_result_blocks(result))) {
        hv_json_put_string(writer, hv_buf_str(&text));
        return;
    }
    hv_json_begin_array(writer);
    if (text.len)
        put_text_part(writer, "input_text", hv_buf_str(&text));
    hv_json_each(block, encode_result_blocks(result))(void) put_media(writer, block);
    hv_json_end_array(writer);
}

static void put_result(const struct model *model, const struct hv_json *block, struct hv_buf *out)
{
    struct hv_json_writer writer;
    char id[WIRE_NAME_MAX];
    encode_next(out, &writer);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "type", "function_call_output");
    hv_json_member_string(&writer, "call_id",
                          encode_call_id(model, hv_json_get_string(block, "tool_use_id"), ID_MAX_HERE, id));
    put_output(&writer, block);
    hv_json_end_object(&writer);
}

static void put_user(const struct model *model, const struct hv_json *content, struct hv_buf *out)
{
    struct hv_json_writer writer;
    hv_json_each(block, content)
    {
        if (encode_is(block, "tool_result"))
            put_result(model, block, out);
    }
    size_t start = out->len;
    encode_next(out, &writer);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "type", "message");
    hv_json_member_cstr(&writer, "role", "user");
    hv_json_name(&writer, "content");
    hv_json_begin_array(&writer);
    size_t empty = out->len;
    hv_json_each(block, content) put_part(&writer, block);
    if (out->len == empty && !out->failed) {
        out->len = start;
        return;
    }
    hv_json_end_array(&writer);
    hv_json_end_object(&writer);
}

/* ---- what the model said ---------------------------------------------------------------------------------------- */

static void put_text(const struct hv_json *block, struct hv_buf *out)
{
    struct hv_json_writer writer;
    struct hv_str text = hv_json_get_string(block, "text");
    if (encode_is_blank(text))
        return;
    encode_next(out, &writer);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "type", "message");
    hv_json_member_cstr(&writer, "role", "assistant");
    if (hv_json_get_string(block, "phase").len)
        hv_json_member_string(&writer, "phase", hv_json_get_string(block, "phase"));
    hv_json_name(&writer, "content");
    hv_json_begin_array(&writer);
    put_text_part(&writer, "output_text", text);
    hv_json_end_array(&writer);
    hv_json_end_object(&writer);
}

static void put_call(const struct model *model, const struct hv_json *block, struct hv_buf *out)
{
    static const char *const own[] = {"type", "id", "name", "input", "cache_control", "caller", "from", NULL};
    struct hv_json_writer writer, inner;
    char id[WIRE_NAME_MAX], name[WIRE_NAME_MAX];
    const struct hv_json *input = hv_json_get(block, "input");
    CLEANUP_BUF struct hv_buf arguments = {0};
    hv_buf_init(&arguments, TEXT_MAX);
    hv_json_writer_init(&inner, &arguments);
    if (hv_json_type_of(input) == HV_JSON_OBJECT)
        hv_json_put_value(&inner, input);
    else
        hv_json_put_raw(&inner, HV_STR("{}"));
    encode_next(out, &writer);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "type", "function_call");
    hv_json_member_string(&writer, "call_id", encode_call_id(model, hv_json_get_string(block, "id"), ID_MAX_HERE, id));
    hv_json_member_string(&writer, "name", wire_name(hv_json_get_string(block, "name"), NAME_MAX_HERE, name));
    hv_json_member_string(&writer, "arguments", hv_buf_str(&arguments));
    /* What a gateway gave with its call it may want back (Gemini's signatures). */
    if (!model->own_service && hv_json_get_string(block, "from").len && encode_is_own(model, block))
        encode_members(&writer, block, own);
    hv_json_end_object(&writer);
}

static bool is_reasoning(const struct model *model, const struct hv_json *block)
{
    return encode_is(encode_own_item(model, block), "reasoning");
}

/* What reasoning led to must follow it: an item that will be sent. */
static bool leads_to_something(const struct model *model, const struct hv_json *block)
{
    for (const struct hv_json *next = block->next; next; next = next->next) {
        bool text = encode_is(next, "text") && !encode_is_blank(hv_json_get_string(next, "text"));
        bool item = encode_own_item(model, next) && !is_reasoning(model, next);
        if (text || item || encode_is(next, "tool_use"))
            return true;
    }
    return false;
}

/* The API's own items go back as they came, but for "status", which it gives and refuses. Reasoning that the server
 * does not hold (nothing is stored there) must be whole, encrypted content included. */
static void put_item(const struct model *model, const struct hv_json *block, const struct hv_json *item,
                     struct hv_buf *out)
{
    static const char *const not_sent[] = {"status", NULL};
    struct hv_json_writer writer;
    bool reasoning = is_reasoning(model, block);
    if (reasoning && (!hv_json_get_string(item, "encrypted_content").len || !leads_to_something(model, block)))
        return;
    encode_next(out, &writer);
    hv_json_begin_object(&writer);
    encode_members(&writer, item, reasoning ? not_sent : NULL);
    hv_json_end_object(&writer);
}

static void put_assistant(const struct model *model, const struct hv_json *content, struct hv_buf *out)
{
    hv_json_each(block, content)
    {
        const struct hv_json *item = encode_own_item(model, block);
        if (item)
            put_item(model, block, item, out);
        else if (encode_is(block, "text"))
            put_text(block, out);
        else if (encode_is(block, "tool_use"))
            put_call(model, block, out);
    }
}

static void responses_message(const struct model *model, enum model_role role, const struct hv_json *content,
                              struct hv_buf *out, size_t *mark)
{
    (void)mark; /* the API caches by itself */
    if (role == MODEL_ASSISTANT)
        put_assistant(model, content, out);
    else
        put_user(model, content, out);
}

static void responses_headers(struct model *model)
{
    model_provider_openai_chat.add_headers(model);
}

const struct model_provider model_provider_openai_responses = {
    .name = "openai-responses",
    .wire = MODEL_WIRE_OPENAI_RESPONSES,
    .encode_options = responses_options,
    .encode_tools = responses_tools,
    .encode_search = responses_search,
    .encode_system = responses_system,
    .encode_message = responses_message,
    .name_max = NAME_MAX_HERE,
    .variables = {"OPENAI_API_KEY", "OPENAI_BASE_URL"},
    .base_url = "https://api.openai.com",
    .version = "/v1",
    .path = "/responses",
    .own_tools_max = OWN_TOOLS_MAX,
    .add_headers = responses_headers,
};
