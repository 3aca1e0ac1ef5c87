/* resume.c: from events to a valid conversation. See resume.h. */
#include "journal/resume.h"

#include "base/cleanup.h"
#include "base/map.h"
#include "base/vec.h"

#define INTERRUPTED_TEXT                                                                                               \
    "This call was interrupted before its result was recorded. It may have run in part: look at the state of things "  \
    "before doing it again."

enum { CONTENT_MAX = 1 << 30 };

/* A call that was started after the last recorded message. */
struct open_call {
    struct hv_str id, block; /* block: its tool_use */
};

struct collector {
    struct hv_arena *arena; /* of the outcome */
    struct resumed *out;
    VEC(struct resumed_message) messages;
    VEC(struct open_call) calls; /* CALL events since the last message */
    struct map results;          /* id → struct hv_str * (tool_result block), since the last message */
};

/* ---- collecting ---------------------------------------------------------------------------------------------- */

static void note_start(struct collector *collector, struct hv_str data)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    const struct hv_json *object;
    if (!data.ptr || hv_json_parse(&scratch, data, HV_JSON_STRICT, &object, NULL) != HV_OK)
        return;
    struct resumed *out = collector->out;
    out->session_id = hv_arena_str(collector->arena, hv_json_get_string(object, "id"));
    out->directory = hv_arena_str(collector->arena, hv_json_get_string(object, "cwd"));
    out->model = hv_arena_str(collector->arena, hv_json_get_string(object, "model"));
}

static void note_turn(struct collector *collector, struct hv_str data)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    const struct hv_json *object;
    double cost;
    collector->out->turns++;
    if (data.ptr && hv_json_parse(&scratch, data, HV_JSON_STRICT, &object, NULL) == HV_OK &&
        hv_json_double(hv_json_get(object, "cost"), &cost) && cost > 0)
        collector->out->cost += cost;
}

static void note_state(struct collector *collector, const struct hv_event *event)
{
    if (hv_str_is(event->name, "cwd") && event->text.len > 0)
        collector->out->directory = hv_arena_str(collector->arena, event->text);
}

static void note_call(struct collector *collector, const struct hv_event *event)
{
    CLEANUP_BUF struct hv_buf block;
    struct hv_json_writer writer;
    hv_buf_init(&block, CONTENT_MAX);
    hv_json_writer_init(&writer, &block);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "type", "tool_use");
    hv_json_member_string(&writer, "id", event->call_id);
    hv_json_member_string(&writer, "name", event->tool);
    bool object = event->json.len > 0 && event->json.ptr[0] == '{';
    hv_json_member_raw(&writer, "input", object ? event->json : HV_STR("{}"));
    hv_json_end_object(&writer);
    *vec_push(&collector->calls) = (struct open_call){
        .id = hv_arena_str(collector->arena, event->call_id),
        .block = hv_arena_str(collector->arena, hv_buf_str(&block)),
    };
}

static void note_result(struct collector *collector, const struct hv_event *event)
{
    if (event->json.len == 0 || event->json.ptr[0] != '{' || !event->call_id.ptr)
        return;
    struct hv_str *block = hv_arena_new(collector->arena, struct hv_str);
    *block = hv_arena_str(collector->arena, event->json);
    map_set(&collector->results, hv_arena_str(collector->arena, event->call_id), block);
}

static void note_message(struct collector *collector, const struct hv_event *event)
{
    bool assistant = hv_str_is(event->name, "assistant");
    if (event->json.len == 0 || event->json.ptr[0] != '[')
        return;
    *vec_push(&collector->messages) = (struct resumed_message){
        .assistant = assistant,
        .content = hv_arena_str(collector->arena, event->json),
    };
    collector->calls.count = 0;
    if (!assistant) {
        map_release(&collector->results);
        collector->results = (struct map){0};
    }
}

/* A call that the last assistant message carries already (its event came late). */
static bool is_in_message(const struct hv_json *last, struct hv_str id)
{
    hv_json_each(block, last)
    {
        if (hv_str_eq(hv_json_get_string(block, "id"), id))
            return true;
    }
    return false;
}

/* Calls that came after the last message: their assistant message was never completed. */
static void add_open_calls(struct collector *collector)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    CLEANUP_BUF struct hv_buf content;
    const struct hv_json *last = NULL;
    size_t count = collector->messages.count;
    if (count > 0 && collector->messages.items[count - 1].assistant &&
        hv_json_parse(&scratch, collector->messages.items[count - 1].content, HV_JSON_STRICT, &last, NULL) != HV_OK)
        last = NULL;
    hv_buf_init(&content, CONTENT_MAX);
    for (size_t i = 0; i < collector->calls.count; i++) {
        if (is_in_message(last, collector->calls.items[i].id))
            continue;
        hv_buf_add_byte(&content, content.len > 0 ? ',' : '[');
        hv_buf_add_str(&content, collector->calls.items[i].block);
    }
    hv_buf_add_byte(&content, ']');
    if (content.failed || content.len < 2)
        return;
    *vec_push(&collector->messages) = (struct resumed_message){
        .assistant = true,
        .content = hv_arena_str(collector->arena, hv_buf_str(&content)),
    };
}

/* ---- mending ------------------------------------------------------------------------------------------------- */

struct mender {
    struct hv_arena *arena;
    const struct map *results; /* recorded results that no message carries */
    struct hv_arena scratch;   /* of the two messages at hand */
    VEC(struct resumed_message) messages;
    VEC(struct hv_str) wanted; /* ids of the last assistant message, in order */
    size_t repaired;
};

static bool is_block(const struct hv_json *block, const char *type)
{
    return hv_str_is(hv_json_get_string(block, "type"), type);
}

static bool is_wanted_before(const struct mender *mender, size_t end, struct hv_str id)
{
    for (size_t i = 0; i < end; i++)
        if (hv_str_eq(mender->wanted.items[i], id))
            return true;
    return false;
}

static void put_block(struct hv_buf *content, struct hv_str block)
{
    hv_buf_add_byte(content, content->len > 0 ? ',' : '[');
    hv_buf_add_str(content, block);
}

static void push_message(struct mender *mender, bool assistant, struct hv_buf *content)
{
    if (content->len == 0)
        return;
    hv_buf_add_byte(content, ']');
    if (content->failed)
        return;
    *vec_push(&mender->messages) = (struct resumed_message){
        .assistant = assistant,
        .content = hv_arena_str(mender->arena, hv_buf_str(content)),
    };
}

static void put_missing_result(struct mender *mender, struct hv_buf *content, struct hv_str id)
{
    mender->repaired++;
    const struct hv_str *recorded = map_get(mender->results, id);
    if (recorded) {
        put_block(content, *recorded);
        return;
    }
    CLEANUP_BUF struct hv_buf block;
    struct hv_json_writer writer;
    hv_buf_init(&block, CONTENT_MAX);
    hv_json_writer_init(&writer, &block);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "type", "tool_result");
    hv_json_member_string(&writer, "tool_use_id", id);
    hv_json_member_cstr(&writer, "content", INTERRUPTED_TEXT);
    hv_json_member_bool(&writer, "is_error", true);
    hv_json_end_object(&writer);
    put_block(content, hv_buf_str(&block));
}

static const struct hv_json *find_result(const struct hv_json *blocks, struct hv_str id)
{
    hv_json_each(block, blocks)
    {
        if (is_block(block, "tool_result") && hv_str_eq(hv_json_get_string(block, "tool_use_id"), id))
            return block;
    }
    return NULL;
}

/* One user message: the results that are wanted, in order, then whatever else it holds. blocks may be NULL. */
static void mend_user(struct mender *mender, const struct hv_json *blocks, struct hv_str text)
{
    CLEANUP_BUF struct hv_buf content;
    hv_buf_init(&content, CONTENT_MAX);
    for (size_t i = 0; i < mender->wanted.count; i++) {
        const struct hv_json *result = find_result(blocks, mender->wanted.items[i]);
        if (result)
            put_block(&content, hv_json_source(result, text));
        else
            put_missing_result(mender, &content, mender->wanted.items[i]);
    }
    mender->wanted.count = 0;
    hv_json_each(block, blocks)
    {
        if (is_block(block, "tool_result"))
            continue; /* taken above, or the answer to no call */
        put_block(&content, hv_json_source(block, text));
    }
    push_message(mender, false, &content);
}

/* One assistant message: each call once; what it asks for is remembered for the next message. */
static void mend_assistant(struct mender *mender, const struct hv_json *blocks, struct hv_str text)
{
    CLEANUP_BUF struct hv_buf content;
    hv_buf_init(&content, CONTENT_MAX);
    hv_json_each(block, blocks)
    {
        struct hv_str id = hv_json_get_string(block, "id");
        if (is_block(block, "tool_use")) {
            if (!id.ptr || is_wanted_before(mender, mender->wanted.count, id))
                continue;
            *vec_push(&mender->wanted) = hv_arena_str(mender->arena, id);
        }
        put_block(&content, hv_json_source(block, text));
    }
    push_message(mender, true, &content);
}

static void mend_message(struct mender *mender, const struct resumed_message *message)
{
    hv_arena_reset(&mender->scratch);
    const struct hv_json *blocks;
    if (hv_json_parse(&mender->scratch, message->content, HV_JSON_STRICT, &blocks, NULL) != HV_OK)
        return;
    if (!message->assistant) {
        mend_user(mender, blocks, message->content);
        return;
    }
    if (mender->wanted.count > 0)
        mend_user(mender, NULL, (struct hv_str){0});
    if (mender->messages.count > 0)
        mend_assistant(mender, blocks, message->content);
}

/* The contents of messages[from, to) as one array. */
static struct hv_str join_contents(struct hv_arena *arena, const struct resumed_message *messages, size_t from,
                                   size_t to)
{
    if (to - from == 1)
        return messages[from].content;
    CLEANUP_BUF struct hv_buf content;
    hv_buf_init(&content, CONTENT_MAX);
    for (size_t i = from; i < to; i++)
        put_block(&content, hv_str_slice(messages[i].content, 1, messages[i].content.len - 1));
    hv_buf_add_byte(&content, ']');
    return content.failed ? messages[from].content : hv_arena_str(arena, hv_buf_str(&content));
}

/* Neighbours of one role become one message, as the protocols want it. */
static void merge_neighbours(struct hv_arena *arena, struct resumed *out)
{
    size_t kept = 0;
    for (size_t from = 0, to; from < out->count; from = to) {
        for (to = from + 1; to < out->count && out->messages[to].assistant == out->messages[from].assistant;)
            to++;
        out->messages[kept++] = (struct resumed_message){
            .assistant = out->messages[from].assistant,
            .content = join_contents(arena, out->messages, from, to),
        };
    }
    out->count = kept;
}

static void mend(struct collector *collector)
{
    struct mender mender = {.arena = collector->arena, .results = &collector->results};
    for (size_t i = 0; i < collector->messages.count; i++)
        mend_message(&mender, &collector->messages.items[i]);
    if (mender.wanted.count > 0)
        mend_user(&mender, NULL, (struct hv_str){0});
    struct resumed *out = collector->out;
    out->count = mender.messages.count;
    out->messages = hv_arena_array(collector->arena, struct resumed_message, out->count);
    if (out->count > 0)
        memcpy(out->messages, mender.messages.items, out->count * sizeof *out->messages);
    out->repaired = mender.repaired;
    merge_neighbours(collector->arena, out);
    vec_release(&mender.messages);
    vec_release(&mender.wanted);
    hv_arena_release(&mender.scratch);
}

void resume_collect(struct hv_arena *arena, struct journal_reader *reader, struct resumed *out)
{
    *out = (struct resumed){0};
    struct collector collector = {.arena = arena, .out = out};
    struct hv_event event;
    while (journal_reader_next(reader, &event)) {
        switch (event.type) {
        case HV_EVENT_SESSION_START: note_start(&collector, event.data); break;
        case HV_EVENT_MESSAGE: note_message(&collector, &event); break;
        case HV_EVENT_CALL: note_call(&collector, &event); break;
        case HV_EVENT_RESULT: note_result(&collector, &event); break;
        case HV_EVENT_STATE: note_state(&collector, &event); break;
        case HV_EVENT_TURN_END: note_turn(&collector, event.data); break;
        default: break;
        }
    }
    add_open_calls(&collector);
    mend(&collector);
    out->faults = *journal_reader_faults(reader);
    vec_release(&collector.messages);
    vec_release(&collector.calls);
    map_release(&collector.results);
}

enum hv_code resume_read(struct hv_arena *arena, struct hv_str path, struct resumed *out, struct hv_error *err)
{
    struct journal_reader *reader;
    enum hv_code code = journal_reader_open(path, &reader, err);
    if (code != HV_OK)
        return code;
    struct resumed read;
    resume_collect(arena, reader, &read);
    journal_reader_close(reader);
    if (!read.session_id.ptr && read.count == 0) {
        hv_fail(err, HV_EINVAL, "%.*s is not a journal of helve: it holds no session", HV_STR_ARG(path));
        hv_error_hint(err, "`helve sessions --all` lists the sessions there are");
        return HV_EINVAL;
    }
    *out = read;
    return HV_OK;
}
