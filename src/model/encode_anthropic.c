/*
 * encode_anthropic.c: requests of the Messages API. The neutral form of content is this API's own, so blocks mostly go
 * as they are. What is changed is what the API would refuse: empty texts, thinking that it did not sign, results that
 * do not come first, ids and names in other characters, other providers' items.
 */
#include "model/encode.h"
#include "model/leave_out.h"
#include "model/provider.h"

#include "base/cleanup.h"

enum {
    NAME_MAX_HERE = 128,
    ID_MAX_HERE = 64,
    KEY_MAX_HERE = 64,
    MAX_TOKENS_DEFAULT = 32000,
    THINKING_MIN = 1024,
    SEARCHES_MAX = 3, /* of one answer */
    STAND_IN_MAX = 1 << 16
};

static const char breakpoint_mark[] = ",\"cache_control\":{\"type\":\"ephemeral\"}";

/* ---- options, tools, system ------------------------------------------------------------------------------------- */

static int64_t max_tokens(const struct model *model)
{
    if (model->options.max_tokens > 0)
        return model->options.max_tokens;
    return model->facts.max_output < MAX_TOKENS_DEFAULT ? model->facts.max_output : MAX_TOKENS_DEFAULT;
}

static bool thinks_by_budget(const struct model *model)
{
    return model->options.thinking_budget > 0 && !(model->facts.traits & CATALOG_ADAPTIVE) &&
           max_tokens(model) > THINKING_MIN;
}

/* The budget must be at least 1,024 and leave something of max_tokens for the answer. */
static int64_t budget(const struct model *model)
{
    int64_t wanted = model->options.thinking_budget > THINKING_MIN ? model->options.thinking_budget : THINKING_MIN;
    return wanted < max_tokens(model) ? wanted : max_tokens(model) - 1;
}

static void put_thinking(const struct model *model, struct hv_json_writer *writer)
{
    if (model->options.thinking_budget <= 0 || max_tokens(model) <= THINKING_MIN)
        return;
    hv_json_name(writer, "thinking");
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "type", thinks_by_budget(model) ? "enabled" : "adaptive");
    if (thinks_by_budget(model))
        hv_json_member_int(writer, "budget_tokens", budget(model));
    else
        hv_json_member_cstr(writer, "display", "summarized"); /* else it comes empty */
    hv_json_end_object(writer);
}

/* All members but the closing brace: tools, system and messages follow. */
static void anthropic_options(const struct model *model, struct hv_buf *out)
{
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, out);
    hv_json_begin_object(&writer);
    hv_json_member_string(&writer, "model", model->options.name);
    hv_json_member_int(&writer, "max_tokens", max_tokens(model));
    hv_json_member_bool(&writer, "stream", true);
    put_thinking(model, &writer);
    if (model->options.effort.len && !(model->left_out & LEAVE_EFFORT)) {
        hv_json_name(&writer, "output_config");
        hv_json_begin_object(&writer);
        hv_json_member_string(&writer, "effort", model->options.effort);
        hv_json_end_object(&writer);
    }
}

static void put_breakpoint(struct hv_json_writer *writer)
{
    hv_json_name(writer, "cache_control");
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "type", "ephemeral");
    hv_json_end_object(writer);
}

static void anthropic_tools(const struct model *model, const struct model_tool *tools, size_t count, size_t stable,
                            struct hv_buf *out)
{
    struct hv_json_writer writer;
    char buffer[WIRE_NAME_MAX];
    hv_buf_add_cstr(out, ",\"tools\":");
    hv_json_writer_init(&writer, out);
    hv_json_begin_array(&writer);
    for (size_t i = 0; i < count; i++) {
        hv_json_begin_object(&writer);
        hv_json_member_string(&writer, "name", wire_name(tools[i].name, NAME_MAX_HERE, buffer));
        if (tools[i].description.len)
            hv_json_member_string(&writer, "description", tools[i].description);
        encode_schema(&writer, "input_schema", tools[i].input_schema, KEY_MAX_HERE);
        if (model->options.eager_input && !(model->left_out & LEAVE_EAGER_INPUT))
            hv_json_member_bool(&writer, "eager_input_streaming", true);
        if (i + 1 == stable && !(model->left_out & LEAVE_CACHE_MARKS))
            put_breakpoint(&writer);
        hv_json_end_object(&writer);
    }
    hv_json_end_array(&writer);
}

/* The API takes one of the two lists; what the other says is for whoever reads the answer. */
static void anthropic_search(const struct model_search *search, struct hv_buf *out)
{
    struct hv_json_writer writer;
    hv_buf_add_cstr(out, ",\"tools\":");
    hv_json_writer_init(&writer, out);
    hv_json_begin_array(&writer);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "type", "web_search_20250305");
    hv_json_member_cstr(&writer, "name", "web_search");
    hv_json_member_int(&writer, "max_uses", SEARCHES_MAX);
    if (search->allowed_count)
        encode_domains(&writer, "allowed_domains", search->allowed_domains, search->allowed_count);
    else
        encode_domains(&writer, "blocked_domains", search->blocked_domains, search->blocked_count);
    hv_json_end_object(&writer);
    hv_json_end_array(&writer);
}

static void anthropic_system(const struct model *model, struct hv_str text, struct hv_buf *out)
{
    if (!encode_is_blank(text)) {
        hv_buf_add_cstr(out, ",\"system\":[{\"type\":\"text\",\"text\":\"");
        hv_json_escape(out, text);
        hv_buf_add_byte(out, '"');
        if (!(model->left_out & LEAVE_CACHE_MARKS))
            hv_buf_add_cstr(out, breakpoint_mark);
        hv_buf_add_cstr(out, "}]");
    }
    hv_buf_add_cstr(out, ",\"messages\":[");
}

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

/* Breakpoints are put by the conversation; those that came with content would go over the limit of four. What other
 * providers mark their blocks with is refused here. */
static const char *const not_sent[] = {"cache_control", "phase", "from", "annotations", NULL};

static void put_whole(struct hv_json_writer *writer, const struct hv_json *block)
{
    hv_json_begin_object(writer);
    encode_members(writer, block, not_sent);
    hv_json_end_object(writer);
}

static void put_text(struct hv_json_writer *writer, struct hv_str text)
{
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "type", "text");
    hv_json_member_string(writer, "text", text);
    hv_json_end_object(writer);
}

static void put_call(const struct model *model, struct hv_json_writer *writer, const struct hv_json *block)
{
    /* The last two are no members of this API: they go back to a server of another kind that sent them, alone. */
    static const char *const own[] = {
        "type", "id", "name", "input", "cache_control", "from", "extra_content", "provider_specific_fields", NULL};
    static const char *const own_elsewhere[] = {"type", "id", "name", "input", "cache_control", "from", NULL};
    char id[WIRE_NAME_MAX], name[WIRE_NAME_MAX];
    const struct hv_json *input = hv_json_get(block, "input");
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "type", "tool_use");
    hv_json_member_string(writer, "id", encode_call_id(model, hv_json_get_string(block, "id"), ID_MAX_HERE, id));
    hv_json_member_string(writer, "name", wire_name(hv_json_get_string(block, "name"), NAME_MAX_HERE, name));
    hv_json_name(writer, "input");
    if (hv_json_type_of(input) == HV_JSON_OBJECT)
        hv_json_put_value(writer, input);
    else
        hv_json_put_raw(writer, HV_STR("{}"));
    bool came_from_here = !model->own_service && hv_json_get_string(block, "from").len;
    if (encode_is_own(model, block))
        encode_members(writer, block, came_from_here ? own_elsewhere : own);
    hv_json_end_object(writer);
}

static void put_result_block(struct hv_json_writer *writer, const struct hv_json *block)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, STAND_IN_MAX);
    if (encode_is(block, "tool_reference")) {
        /* The API wants such tools to be announced as deferred; ours join the list when they are activated. */
        encode_stand_in(&text, block);
        put_text(writer, hv_buf_str(&text));
    } else if (!encode_is(block, "text") || !encode_is_blank(hv_json_get_string(block, "text"))) {
        put_whole(writer, block);
    }
}

static void put_result_content(struct hv_json_writer *writer, const struct hv_json *block, bool failed)
{
    const struct hv_json *parts = encode_result_blocks(block);
    struct hv_str text = hv_json_get_string(block, "content");
    hv_json_name(writer, "content");
    if (!parts) {
        hv_json_put_string(writer, failed && encode_is_blank(text) ? HV_STR("Error") : text.ptr ? text : HV_STR(""));
        return;
    }
    hv_json_begin_array(writer);
    size_t empty = writer->buf->len;
    hv_json_each(part, parts)
    {
        if (hv_json_type_of(part) == HV_JSON_OBJECT)
            put_result_block(writer, part);
    }
    if (failed && writer->buf->len == empty)
        put_text(writer, HV_STR("Error"));
    hv_json_end_array(writer);
}

static void put_result(const struct model *model, struct hv_json_writer *writer, const struct hv_json *block)
{
    char id[WIRE_NAME_MAX];
    bool failed = hv_json_bool(hv_json_get(block, "is_error"), false);
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "type", "tool_result");
    hv_json_member_string(writer, "tool_use_id",
                          encode_call_id(model, hv_json_get_string(block, "tool_use_id"), ID_MAX_HERE, id));
    put_result_content(writer, block, failed);
    if (failed)
        hv_json_member_bool(writer, "is_error", true);
    hv_json_end_object(writer);
}

/* False when the block cannot be sent to this provider. */
static bool put_block(const struct model *model, struct hv_json_writer *writer, const struct hv_json *block)
{
    const struct hv_json *own = encode_own_item(model, block);
    if (encode_is(block, "text")) {
        if (encode_is_blank(hv_json_get_string(block, "text")))
            return false;
        put_whole(writer, block);
    } else if (encode_is(block, "tool_use")) {
        put_call(model, writer, block);
    } else if (encode_is(block, "tool_result")) {
        put_result(model, writer, block);
    } else if (encode_is(block, "thinking")) {
        /* The service refuses what it did not sign; others that speak its API do not sign, and want it back. */
        if (model->own_service && !hv_json_get_string(block, "signature").len)
            return false;
        put_whole(writer, block);
    } else if (own) {
        hv_json_put_value(writer, own);
    } else if (encode_is(block, "provider_item") || !encode_type(block).len) {
        return false;
    } else {
        put_whole(writer, block);
    }
    return true;
}

/* ---- messages --------------------------------------------------------------------------------------------------- */

/* Blocks in which a breakpoint may stand. */
static bool can_be_marked(const struct hv_json *block)
{
    static const char *const types[] = {"text", "tool_result", "image", "document", "search_result", NULL};
    for (size_t i = 0; types[i]; i++) {
        if (encode_is(block, types[i]))
            return true;
    }
    return false;
}

static void put_blocks(const struct model *model, struct hv_json_writer *writer, const struct hv_json *content,
                       bool results, size_t *mark)
{
    hv_json_each(block, content)
    {
        if (hv_json_type_of(block) != HV_JSON_OBJECT || encode_is(block, "tool_result") != results)
            continue;
        if (put_block(model, writer, block) && can_be_marked(block))
            *mark = writer->buf->len - 1; /* before its brace */
    }
}

static void anthropic_message(const struct model *model, enum model_role role, const struct hv_json *content,
                              struct hv_buf *out, size_t *mark)
{
    size_t start = out->len, empty, place = SIZE_MAX;
    struct hv_json_writer writer;
    encode_next(out, &writer);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "role", role == MODEL_ASSISTANT ? "assistant" : "user");
    hv_json_name(&writer, "content");
    hv_json_begin_array(&writer);
    empty = out->len;
    if (role == MODEL_USER)
        put_blocks(model, &writer, content, true, &place); /* the API wants all results before anything else */
    put_blocks(model, &writer, content, false, &place);
    if (out->len == empty && !out->failed) {
        out->len = start;
        return;
    }
    hv_json_end_array(&writer);
    hv_json_end_object(&writer);
    *mark = place;
}

/* ---- headers ---------------------------------------------------------------------------------------------------- */

static void anthropic_headers(struct model *model)
{
    model_add_header(model, "anthropic-version", HV_STR("2023-06-01"));
    if (model->options.api_key.len)
        model_add_header(model, "x-api-key", model->options.api_key);
    /* Thinking between calls is part of the API only where the model decides by itself how long to think. */
    if (thinks_by_budget(model) && model->own_service)
        model_add_header(model, "anthropic-beta", HV_STR("interleaved-thinking-2025-05-14"));
}

const struct model_provider model_provider_anthropic = {
    .name = "anthropic",
    .wire = MODEL_WIRE_ANTHROPIC,
    .encode_options = anthropic_options,
    .encode_tools = anthropic_tools,
    .encode_search = anthropic_search,
    .encode_system = anthropic_system,
    .encode_message = anthropic_message,
    .mark = breakpoint_mark,
    .name_max = NAME_MAX_HERE,
    .variables = {"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"},
    .base_url = "https://api.anthropic.com",
    .version = "/v1",
    .path = "/messages",
    .add_headers = anthropic_headers,
};
