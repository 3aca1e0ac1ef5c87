/*
 * conversation.c: a conversation in its provider's bytes. A message is serialised once, when it is added; all messages
 * lie behind one another in one buffer, so that a request is four stretches of bytes copied: options, tools, system,
 * messages. Cache breakpoints are not part of the stored bytes: each message remembers where one could stand, and
 * copying puts them at the ends of the last two user messages. The earlier of these is where the last request ended,
 * so that its prefix is found again however many blocks a turn adds.
 */
#include "model/decoder.h"
#include "model/encode.h"
#include "model/leave_out.h"
#include "model/provider.h"

#include "base/cleanup.h"
#include "text/tool_name.h"

enum { MESSAGES_MAX = 1 << 30, HEAD_MAX = 1 << 28, MARKS_MAX = 2 };

struct model_conversation *model_conversation_new(struct model *model)
{
    struct model_conversation *conversation = hv_calloc(1, sizeof *conversation);
    conversation->model = model;
    hv_buf_init(&conversation->options, HEAD_MAX);
    hv_buf_init(&conversation->tools, HEAD_MAX);
    hv_buf_init(&conversation->system, HEAD_MAX);
    hv_buf_init(&conversation->system_text, HEAD_MAX);
    conversation->left_out = model->left_out;
    hv_buf_init(&conversation->messages, MESSAGES_MAX);
    hv_arena_init(&conversation->tools_arena);
    conversation->ids = hv_calloc(1, sizeof *conversation->ids);
    model->provider->encode_options(model, &conversation->options);
    model->provider->encode_system(model, (struct hv_str){0}, &conversation->system);
    return conversation;
}

void model_conversation_free(struct model_conversation *conversation)
{
    if (!conversation)
        return;
    hv_buf_release(&conversation->options);
    hv_buf_release(&conversation->tools);
    hv_buf_release(&conversation->system);
    hv_buf_release(&conversation->system_text);
    hv_buf_release(&conversation->messages);
    hv_arena_release(&conversation->tools_arena);
    vec_release(&conversation->list);
    vec_release(&conversation->renamed);
    vec_release(&conversation->called);
    hv_arena_release(&conversation->called_arena);
    vec_release(conversation->ids);
    free(conversation->ids);
    free(conversation);
}

void model_conversation_set_system(struct model_conversation *conversation, struct hv_str text)
{
    hv_buf_clear(&conversation->system_text);
    hv_buf_add_str(&conversation->system_text, text);
    hv_buf_clear(&conversation->system);
    conversation->model->provider->encode_system(conversation->model, text, &conversation->system);
}

/* ---- tools ------------------------------------------------------------------------------------------------------ */

static bool tool_equal(const struct model_tool *a, const struct model_tool *b)
{
    return hv_str_eq(a->name, b->name) && hv_str_eq(a->description, b->description) &&
           hv_str_eq(a->input_schema, b->input_schema);
}

static bool tools_equal(const struct model_conversation *conversation, const struct model_tool *tools, size_t count,
                        size_t stable)
{
    if (count != conversation->tool_count || stable != conversation->tool_stable)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!tool_equal(&tools[i], &conversation->tool_list[i]))
            return false;
    }
    return true;
}

static void remember_name(struct model_conversation *conversation, struct hv_str name)
{
    char buffer[WIRE_NAME_MAX];
    struct hv_str wire = wire_name(name, conversation->model->provider->name_max, buffer);
    if (hv_str_eq(wire, name))
        return;
    *vec_push(&conversation->renamed) =
        (struct renamed_tool){.wire = hv_arena_str(&conversation->tools_arena, wire), .name = name};
}

static void remember_tools(struct model_conversation *conversation, const struct model_tool *tools, size_t count,
                           size_t stable)
{
    struct hv_arena *arena = &conversation->tools_arena;
    hv_arena_release(arena);
    vec_release(&conversation->renamed);
    conversation->tool_list = hv_arena_array(arena, struct model_tool, count);
    conversation->tool_count = count;
    conversation->tool_stable = stable;
    for (size_t i = 0; i < count; i++) {
        conversation->tool_list[i] = (struct model_tool){
            .name = hv_arena_str(arena, tools[i].name),
            .description = hv_arena_str(arena, tools[i].description),
            .input_schema = hv_arena_str(arena, tools[i].input_schema),
        };
        remember_name(conversation, conversation->tool_list[i].name);
    }
}

void model_conversation_set_tools(struct model_conversation *conversation, const struct model_tool *tools, size_t count,
                                  size_t stable)
{
    if (tools_equal(conversation, tools, count, stable))
        return;
    remember_tools(conversation, tools, count, stable);
    hv_buf_clear(&conversation->tools);
    if (count)
        conversation->model->provider->encode_tools(conversation->model, tools, count, stable, &conversation->tools);
}

bool model_searches(const struct model *model)
{
    return model->provider->encode_search != NULL;
}

void model_conversation_set_search(struct model_conversation *conversation, const struct model_search *search)
{
    conversation->searches = true;
    hv_buf_clear(&conversation->tools);
    conversation->model->provider->encode_search(search, &conversation->tools);
}

/* The tool that has this name on the wire, or absent. */
static struct hv_str find_name(const struct model_conversation *conversation, struct hv_str wire)
{
    for (size_t i = 0; i < conversation->renamed.count; i++) {
        if (hv_str_eq(conversation->renamed.items[i].wire, wire))
            return conversation->renamed.items[i].name;
    }
    for (size_t i = 0; i < conversation->tool_count; i++) {
        if (hv_str_eq(conversation->tool_list[i].name, wire))
            return conversation->tool_list[i].name;
    }
    return (struct hv_str){0};
}

struct hv_str conversation_tool_name(const struct model_conversation *conversation, struct hv_str wire)
{
    struct hv_str name = find_name(conversation, wire);
    if (!name.ptr)
        name = find_name(conversation, tool_name_bare(wire));
    return name.ptr ? name : wire;
}

/* ---- messages --------------------------------------------------------------------------------------------------- */

/* ---- what the server refused ------------------------------------------------------------------------------------ */

/* Where a breakpoint can stand in one message on the wire: at the end of its last block. */
static size_t last_mark(const struct model_conversation *conversation, size_t start)
{
    struct hv_str messages = hv_buf_str(&conversation->messages);
    struct hv_str message = hv_str_slice(messages, start, messages.len);
    return hv_str_ends(message, HV_STR("}]}")) ? messages.len - 3 : SIZE_MAX;
}

/* Make the last message anew, which goes up to `end`, without what is left out. */
static void rewrite(struct model_conversation *conversation, struct conversation_message *message, size_t end)
{
    CLEANUP_BUF struct hv_buf copy = {0};
    struct hv_buf *messages = &conversation->messages;
    hv_buf_init(&copy, MESSAGES_MAX);
    struct hv_str bytes = hv_str_slice(hv_buf_str(messages), message->start, end);
    bool comma = hv_str_starts(bytes, HV_STR(","));
    leave_out_copy(&copy, hv_str_slice(bytes, comma, bytes.len), conversation->left_out);
    messages->len = message->start;
    if (copy.len && message->start)
        hv_buf_add_byte(messages, ',');
    hv_buf_add_str(messages, hv_buf_str(&copy));
    bool marked = message->mark != SIZE_MAX && !(conversation->left_out & LEAVE_CACHE_MARKS);
    message->mark = marked ? last_mark(conversation, message->start) : SIZE_MAX;
}

void conversation_follow_model(struct model_conversation *conversation)
{
    struct model *model = conversation->model;
    if (conversation->left_out == model->left_out)
        return;
    conversation->left_out = model->left_out;
    hv_buf_clear(&conversation->options);
    model->provider->encode_options(model, &conversation->options);
    if (!conversation->searches)
        hv_buf_clear(&conversation->tools);
    if (conversation->tool_count)
        model->provider->encode_tools(model, conversation->tool_list, conversation->tool_count,
                                      conversation->tool_stable, &conversation->tools);
    hv_buf_clear(&conversation->system);
    model->provider->encode_system(model, hv_buf_str(&conversation->system_text), &conversation->system);
    struct hv_buf old = conversation->messages;
    size_t count = conversation->list.count;
    hv_buf_init(&conversation->messages, MESSAGES_MAX);
    for (size_t i = 0; i < count; i++) {
        struct conversation_message *message = &conversation->list.items[i];
        size_t end = i + 1 < count ? conversation->list.items[i + 1].start : old.len;
        struct hv_str bytes = hv_str_slice(hv_buf_str(&old), message->start, end);
        message->start = conversation->messages.len;
        hv_buf_add_str(&conversation->messages, bytes);
        rewrite(conversation, message, conversation->messages.len);
    }
    hv_buf_release(&old);
}

const char *model_conversation_leave_out(struct model_conversation *conversation, int status, struct hv_str words)
{
    struct model *model = conversation->model;
    CLEANUP_BUF struct hv_buf body = {0};
    hv_buf_init(&body, INT32_MAX);
    model_conversation_body(conversation, &body);
    unsigned bit = leave_out_find(status, words, hv_buf_str(&body));
    if (!bit || model->left_out & bit)
        return NULL;
    model->left_out |= bit;
    conversation_follow_model(conversation);
    return leave_out_name(bit);
}

void model_leave_out(struct model *model, struct hv_str names)
{
    model->left_out |= leave_out_from_names(names);
}

struct hv_str model_origin(const struct model *model)
{
    return model->origin;
}

void conversation_offer_history(struct model_conversation *conversation)
{
    struct model *model = conversation->model;
    CLEANUP_ARENA struct hv_arena arena = {0};
    size_t count = conversation->called.count;
    if (conversation->tool_count || conversation->searches || !count || model->own_service)
        return;
    struct model_tool *tools = hv_arena_array(&arena, struct model_tool, count);
    for (size_t i = 0; i < count; i++)
        tools[i] = (struct model_tool){.name = conversation->called.items[i],
                                       .description = HV_STR("Not available in this session."),
                                       .input_schema = HV_STR("{\"type\":\"object\"}")};
    hv_buf_clear(&conversation->tools);
    model->provider->encode_tools(model, tools, count, 0, &conversation->tools);
    hv_buf_add_cstr(&conversation->tools, model->provider->wire == MODEL_WIRE_ANTHROPIC
                                              ? ",\"tool_choice\":{\"type\":\"none\"}"
                                              : ",\"tool_choice\":\"none\"");
}

static void remember_called(struct model_conversation *conversation, struct hv_str name)
{
    for (size_t i = 0; i < conversation->called.count; i++) {
        if (hv_str_eq(conversation->called.items[i], name))
            return;
    }
    *vec_push(&conversation->called) = hv_arena_str(&conversation->called_arena, name);
}

static void remember_ids(struct model_conversation *conversation, const struct hv_json *blocks)
{
    hv_json_each(block, blocks)
    {
        if (!encode_is(block, "tool_use"))
            continue;
        decode_ids_add(conversation->ids, hv_json_get_string(block, "id"));
        remember_called(conversation, hv_json_get_string(block, "name"));
    }
}

enum hv_code conversation_too_large(struct hv_error *err, const char *what, int limit)
{
    hv_fail(err, HV_ETOOBIG, "the %s is larger than %d bytes", what, limit);
    hv_error_hint(err, "start a new session, or give pictures and texts of fewer bytes");
    return HV_ETOOBIG;
}

enum hv_code model_conversation_append(struct model_conversation *conversation, enum model_role role,
                                       struct hv_str content, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *blocks;
    unsigned flags = HV_JSON_REPAIR_SURROGATES | HV_JSON_REPAIR_UTF8;
    enum hv_code code = hv_json_parse(&arena, content, flags, &blocks, err);
    if (code != HV_OK) {
        hv_error_prefix(err, "the content of a message is not valid JSON: ");
        return code;
    }
    if (blocks->type != HV_JSON_ARRAY) {
        hv_fail(err, HV_EINVAL, "the content of a message must be an array of blocks, not %s",
                hv_json_type_name(blocks));
        hv_error_hint(err, "write it as [{\"type\":\"text\",\"text\":\"…\"}]");
        return HV_EINVAL;
    }
    conversation_follow_model(conversation);
    struct hv_buf *messages = &conversation->messages;
    struct conversation_message message = {.start = messages->len, .mark = SIZE_MAX};
    conversation->model->provider->encode_message(conversation->model, role, blocks, messages, &message.mark);
    if (messages->failed) {
        messages->len = message.start;
        messages->failed = false;
        return conversation_too_large(err, "conversation", MESSAGES_MAX);
    }
    if (conversation->left_out)
        rewrite(conversation, &message, messages->len);
    if (role != MODEL_USER)
        message.mark = SIZE_MAX;
    if (role == MODEL_ASSISTANT)
        remember_ids(conversation, blocks);
    *vec_push(&conversation->list) = message;
    return HV_OK;
}

size_t model_conversation_count(const struct model_conversation *conversation)
{
    return conversation->list.count;
}

void model_conversation_truncate(struct model_conversation *conversation, size_t count)
{
    if (count >= conversation->list.count)
        return;
    conversation->messages.len = conversation->list.items[count].start;
    conversation->list.count = count;
}

/* ---- the request ------------------------------------------------------------------------------------------------ */

/* Where breakpoints go in this request, in order; returns how many. */
static size_t find_marks(const struct model_conversation *conversation, size_t marks[MARKS_MAX])
{
    size_t found = 0;
    for (size_t i = conversation->list.count; conversation->model->provider->mark && i-- > 0 && found < MARKS_MAX;) {
        if (conversation->list.items[i].mark != SIZE_MAX)
            marks[MARKS_MAX - ++found] = conversation->list.items[i].mark;
    }
    memmove(marks, marks + MARKS_MAX - found, found * sizeof *marks);
    return found;
}

/* The list of messages was opened by the system's bytes, which may hold a first message. */
static bool needs_comma(const struct model_conversation *conversation)
{
    struct hv_str system = hv_buf_str(&conversation->system);
    return conversation->messages.len && system.len && system.ptr[system.len - 1] != '[';
}

size_t model_conversation_bytes(const struct model_conversation *conversation)
{
    size_t marks[MARKS_MAX], mark_len = hv_str_from(conversation->model->provider->mark).len;
    return conversation->options.len + conversation->tools.len + conversation->system.len + needs_comma(conversation) +
           conversation->messages.len + find_marks(conversation, marks) * mark_len + 2;
}

void model_conversation_body(const struct model_conversation *conversation, struct hv_buf *buf)
{
    size_t marks[MARKS_MAX], at = 0, count = find_marks(conversation, marks);
    struct hv_str messages = hv_buf_str(&conversation->messages);
    if (!hv_buf_reserve(buf, model_conversation_bytes(conversation)))
        return;
    hv_buf_add_str(buf, hv_buf_str(&conversation->options));
    hv_buf_add_str(buf, hv_buf_str(&conversation->tools));
    hv_buf_add_str(buf, hv_buf_str(&conversation->system));
    if (needs_comma(conversation))
        hv_buf_add_byte(buf, ',');
    for (size_t i = 0; i < count; i++) {
        hv_buf_add_str(buf, hv_str_slice(messages, at, marks[i]));
        hv_buf_add_cstr(buf, conversation->model->provider->mark);
        at = marks[i];
    }
    hv_buf_add_str(buf, hv_str_slice(messages, at, messages.len));
    hv_buf_add_cstr(buf, "]}");
}
