/* context.c: counts what a session's next request holds. See context.h. */
#include "agent/context.h"

#include "agent/session_inner.h"
#include "base/cleanup.h"
#include "journal/resume.h"

/* Models count a picture by its size in pixels, not by its bytes. */
enum { BYTES_PER_TOKEN = 4, PICTURE_BYTES = 1500 * BYTES_PER_TOKEN };

void context_add(struct context_parts *parts, const char *what, struct hv_str name, size_t bytes)
{
    if (!parts || !bytes)
        return;
    for (size_t i = 0; i < parts->list.count; i++) {
        struct context_part *part = &parts->list.items[i];
        if (strcmp(part->what, what) == 0 && hv_str_eq(part->name, name)) {
            part->bytes += bytes;
            return;
        }
    }
    *vec_push(&parts->list) =
        (struct context_part){.what = what, .name = hv_arena_str(parts->arena, name), .bytes = bytes};
}

void context_release(struct context_parts *parts)
{
    vec_release(&parts->list);
}

int64_t context_tokens(size_t bytes)
{
    return (int64_t)((bytes + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN);
}

/* ---- messages -------------------------------------------------------------------------------------------------- */

/* Calls by id, for the names of their results. */
struct message_counter {
    struct context_parts *parts;
    struct hv_arena arena;
    struct map tools; /* id → struct hv_str * */
};

static bool is_picture(const struct hv_json *block)
{
    struct hv_str type = hv_json_get_string(block, "type");
    return hv_str_is(type, "image") || hv_str_is(type, "document");
}

static void count_result(struct message_counter *counter, const struct hv_json *block, size_t bytes, struct hv_str json)
{
    struct hv_str id = hv_json_get_string(block, "tool_use_id");
    const struct hv_str *tool = id.ptr ? map_get(&counter->tools, id) : NULL;
    hv_json_each(part, hv_json_get(block, "content"))
    {
        if (!is_picture(part))
            continue;
        bytes -= hv_json_source(part, json).len;
        context_add(counter->parts, "pictures and documents", HV_STR(""), PICTURE_BYTES);
    }
    context_add(counter->parts, "results of", tool ? *tool : HV_STR("an unknown tool"), bytes);
}

static void count_call(struct message_counter *counter, const struct hv_json *block, size_t bytes)
{
    struct hv_str *name = hv_arena_array(&counter->arena, struct hv_str, 1);
    *name = hv_arena_str(&counter->arena, hv_json_get_string(block, "name"));
    struct hv_str id = hv_json_get_string(block, "id");
    if (id.ptr)
        (void)map_set(&counter->tools, hv_arena_str(&counter->arena, id), name);
    context_add(counter->parts, "the model's calls", HV_STR(""), bytes);
}

static void count_message(struct message_counter *counter, const struct resumed_message *message)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    const struct hv_json *blocks;
    if (hv_json_parse(&scratch, message->content, HV_JSON_STRICT, &blocks, NULL) != HV_OK)
        return;
    hv_json_each(block, blocks)
    {
        struct hv_str type = hv_json_get_string(block, "type");
        size_t bytes = hv_json_source(block, message->content).len;
        bool reasons = hv_str_is(hv_json_get_string(hv_json_get(block, "item"), "type"), "reasoning");
        if (is_picture(block))
            context_add(counter->parts, "pictures and documents", HV_STR(""), PICTURE_BYTES);
        else if (hv_str_is(type, "tool_use"))
            count_call(counter, block, bytes);
        else if (hv_str_is(type, "tool_result"))
            count_result(counter, block, bytes, message->content);
        else if (reasons || hv_str_is(type, "thinking") || hv_str_is(type, "redacted_thinking"))
            context_add(counter->parts, "thinking", HV_STR(""), bytes);
        else
            context_add(counter->parts, message->assistant ? "the model's messages" : "your messages", HV_STR(""),
                        bytes);
    }
}

static void count_messages(struct session *session, struct context_parts *parts, size_t others)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    struct message_counter counter = {.parts = parts};
    struct resumed resumed = {0};
    if (!model_conversation_count(session->conversation))
        return;
    if (!session->journal || resume_read(&scratch, session->journal_path, &resumed, NULL) != HV_OK) {
        size_t bytes = model_conversation_bytes(session->conversation);
        context_add(parts, "messages", HV_STR(""), bytes > others ? bytes - others : 0);
        return;
    }
    for (size_t i = 0; i < resumed.count; i++)
        count_message(&counter, &resumed.messages[i]);
    map_release(&counter.tools);
    hv_arena_release(&counter.arena);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static void count_tools(struct session *session, struct context_parts *parts)
{
    size_t count, stable;
    uint64_t generation;
    const struct runtime_tool *tools = runtime_tools(session->runtime, &count, &stable, &generation);
    for (size_t i = 0; i < count; i++) {
        if (!tools[i].deferred)
            context_add(parts, "descriptions of the tools", HV_STR(""),
                        strlen(tools[i].tool->name) + strlen(tools[i].tool->description) + tools[i].input_schema.len);
    }
}

void session_context(struct session *session, struct context_parts *parts)
{
    size_t others = 0;
    for (size_t i = 0; i < session->prompt_parts.list.count; i++) {
        const struct context_part *part = &session->prompt_parts.list.items[i];
        context_add(parts, part->what, part->name, part->bytes);
    }
    count_tools(session, parts);
    for (size_t i = 0; i < parts->list.count; i++)
        others += parts->list.items[i].bytes;
    count_messages(session, parts, others);
}
