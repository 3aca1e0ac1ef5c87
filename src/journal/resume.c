/* resume.c: from events to a valid conversation. See resume.h. */
#include "journal/resume.h"

#include "base/cleanup.h"
#include "base/map.h"
#include "base/vec.h"
#include "journal/reader.h"

#define INTERRUPTED_TEXT                                                                                               \
    "This call was interrupted before its result was recorded. It may have run in part: look at the state of things "  \
    "before doing it again."

enum { CONTENT_MAX = 1 << 30 };

/* A call that was started since the last message. */
struct open_call {
    struct hv_str id, block; /* block: its tool_use */
};

/*
 * A call that the last assistant message asks for. Servers gave ids that were not unique, and journals hold them: the
 * second use of one goes out under another.
 */
struct wanted_call {
    struct hv_str id, sent; /* as it was recorded, and as it goes out */
    size_t nth;             /* how many calls of that message before it have the same id */
};

/* A message, and the one that it follows. Rewinding goes back to an earlier one, from where the conversation branches.
 */
struct node {
    struct resumed_message message;
    size_t before; /* index + 1; 0: it is the first */
};

struct collector {
    struct hv_arena *arena;  /* of the outcome */
    struct hv_arena scratch; /* of the message at hand */
    struct hv_arena pending; /* of calls and results, until the next user message */
    struct resumed *out;
    VEC(struct node) nodes;     /* valid so far, but for results that are still wanted */
    size_t last;                /* of the conversation: index + 1 of its last message */
    VEC(size_t) before_prompts; /* what `last` was before each message that a person typed */
    VEC(size_t) before_rewinds; /* what it was before each rewind */
    VEC(struct resumed_left_out) left_out;
    VEC(struct wanted_call) wanted; /* in order; in arena */
    struct map ids;                 /* of all calls, as they go out */
    VEC(struct open_call) calls;    /* CALL events since the last message */
    struct map results;             /* id → struct hv_str *: tool_result blocks since the last user message */
    bool between_turns;             /* what is called now is called by the person */
};

/* ---- what is not conversation -------------------------------------------------------------------------------- */

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

/* A file may say anything: what would not stay a count is passed over. */
static void add_count(int64_t *sum, const struct hv_json *object, const char *name)
{
    int64_t count, total;
    if (hv_json_int64(hv_json_get(object, name), &count) && count > 0 && !__builtin_add_overflow(*sum, count, &total))
        *sum = total;
}

static void note_turn(struct collector *collector, struct hv_str data)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    const struct hv_json *object;
    double cost;
    collector->out->turns++;
    if (!data.ptr || hv_json_parse(&scratch, data, HV_JSON_STRICT, &object, NULL) != HV_OK)
        return;
    if (hv_json_double(hv_json_get(object, "cost"), &cost) && cost > 0)
        collector->out->cost += cost;
    const struct hv_json *usage = hv_json_get(object, "usage");
    struct model_usage *sum = &collector->out->usage;
    add_count(&sum->input_tokens, usage, "input_tokens");
    add_count(&sum->output_tokens, usage, "output_tokens");
    add_count(&sum->cache_read_tokens, usage, "cache_read_input_tokens");
    add_count(&sum->cache_write_tokens, usage, "cache_creation_input_tokens");
    add_count(&sum->reasoning_tokens, usage, "reasoning_tokens");
}

static void note_state(struct collector *collector, const struct hv_event *event)
{
    if (hv_str_is(event->name, "cwd") && event->text.len > 0)
        collector->out->directory = hv_arena_str(collector->arena, event->text);
    CLEANUP_ARENA struct hv_arena scratch = {0};
    const struct hv_json *data;
    /* What a model's server refused is left out as long as that server is asked. */
    if (!hv_str_is(event->name, "left_out") || !event->text.len || !event->data.ptr ||
        hv_json_parse(&scratch, event->data, HV_JSON_STRICT, &data, NULL) != HV_OK)
        return;
    *vec_push(&collector->left_out) = (struct resumed_left_out){
        .what = hv_arena_str(collector->arena, event->text),
        .origin = hv_arena_str(collector->arena, hv_json_get_string(data, "origin")),
    };
}

/* ---- calls and results, until a message carries them --------------------------------------------------------- */

static bool is_block(const struct hv_json *block, const char *type)
{
    return hv_str_is(hv_json_get_string(block, "type"), type);
}

static bool is_object(struct hv_str json)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    const struct hv_json *value;
    return json.ptr && hv_json_parse(&scratch, json, HV_JSON_STRICT, &value, NULL) == HV_OK &&
           value->type == HV_JSON_OBJECT;
}

/* A command of the person's is no call of the model's: the next prompt tells what it said. */
static void note_call(struct collector *collector, const struct hv_event *event)
{
    if (!event->call_id.ptr || !event->tool.ptr || collector->between_turns)
        return;
    CLEANUP_BUF struct hv_buf block = {0};
    struct hv_json_writer writer;
    hv_buf_init(&block, CONTENT_MAX);
    hv_json_writer_init(&writer, &block);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "type", "tool_use");
    hv_json_member_string(&writer, "id", event->call_id);
    hv_json_member_string(&writer, "name", event->tool);
    hv_json_member_raw(&writer, "input", is_object(event->json) ? event->json : HV_STR("{}"));
    hv_json_end_object(&writer);
    *vec_push(&collector->calls) = (struct open_call){
        .id = hv_arena_str(&collector->pending, event->call_id),
        .block = hv_arena_str(&collector->pending, hv_buf_str(&block)),
    };
}

/* True for a tool_result block that answers the call. */
static bool answers(struct hv_str json, struct hv_str call_id)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    const struct hv_json *block;
    return json.ptr && hv_json_parse(&scratch, json, HV_JSON_STRICT, &block, NULL) == HV_OK &&
           is_block(block, "tool_result") && hv_str_eq(hv_json_get_string(block, "tool_use_id"), call_id);
}

/* Of two results for one id the first counts: the second can only be the refusal of a repeated call. */
static void note_result(struct collector *collector, const struct hv_event *event)
{
    if (!event->call_id.ptr || map_get(&collector->results, event->call_id) || !answers(event->json, event->call_id))
        return;
    struct hv_str *block = hv_arena_new(&collector->pending, struct hv_str);
    *block = hv_arena_str(&collector->pending, event->json);
    map_set(&collector->results, hv_arena_str(&collector->pending, event->call_id), block);
}

static void forget_pending(struct collector *collector)
{
    collector->calls.count = 0;
    map_release(&collector->results);
    collector->results = (struct map){0};
    hv_arena_reset(&collector->pending);
}

/* ---- putting messages together ------------------------------------------------------------------------------- */

/* No provider takes what is no object, or a text without text. */
static bool is_sendable(const struct hv_json *block)
{
    return block->type == HV_JSON_OBJECT &&
           !(is_block(block, "text") && hv_str_trim(hv_json_get_string(block, "text")).len == 0);
}

/* How many of the calls that are wanted have this id. */
static size_t count_wanted(const struct collector *collector, struct hv_str id)
{
    size_t count = 0;
    for (size_t i = 0; i < collector->wanted.count; i++)
        count += hv_str_eq(collector->wanted.items[i].id, id);
    return count;
}

/* The id under which a call goes out: its own, or one that no call has yet; the same each time the journal is read. */
static struct hv_str unique_id(struct collector *collector, struct hv_str id)
{
    struct hv_str sent = hv_arena_str(collector->arena, id);
    for (size_t number = 2; map_get(&collector->ids, sent); number++)
        sent = hv_arena_format(collector->arena, "%.*s_%zu", HV_STR_ARG(id), number);
    map_set(&collector->ids, sent, collector);
    return sent;
}

static void put_block(struct hv_buf *content, struct hv_str block)
{
    hv_buf_add_byte(content, content->len > 0 ? ',' : '[');
    hv_buf_add_str(content, block);
}

/* The block, whose id stands in `member`, under the id `sent`. */
static void put_under_id(struct hv_buf *content, const struct hv_json *block, struct hv_str source, const char *member,
                         struct hv_str sent)
{
    if (hv_str_eq(hv_json_get_string(block, member), sent)) {
        put_block(content, source);
        return;
    }
    CLEANUP_BUF struct hv_buf copy = {0};
    struct hv_json_writer writer;
    hv_buf_init(&copy, CONTENT_MAX);
    hv_json_writer_init(&writer, &copy);
    hv_json_begin_object(&writer);
    hv_json_each(each, block)
    {
        hv_json_name_str(&writer, each->key);
        if (hv_str_is(each->key, member))
            hv_json_put_string(&writer, sent);
        else
            hv_json_put_value(&writer, each);
    }
    hv_json_end_object(&writer);
    put_block(content, hv_buf_str(&copy));
}

static void push_message(struct collector *collector, bool assistant, struct hv_buf *content)
{
    if (content->len == 0)
        return;
    hv_buf_add_byte(content, ']');
    if (content->failed)
        return;
    *vec_push(&collector->nodes) = (struct node){
        .message = {.assistant = assistant, .content = hv_arena_str(collector->arena, hv_buf_str(content))},
        .before = collector->last,
    };
    collector->last = collector->nodes.count;
}

static void put_missing_result(struct collector *collector, struct hv_buf *content, const struct wanted_call *call)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    const struct hv_json *result;
    collector->out->repaired++;
    const struct hv_str *recorded = call->nth ? NULL : map_get(&collector->results, call->id);
    if (recorded && hv_json_parse(&scratch, *recorded, HV_JSON_STRICT, &result, NULL) == HV_OK) {
        put_under_id(content, result, *recorded, "tool_use_id", call->sent);
        return;
    }
    CLEANUP_BUF struct hv_buf block = {0};
    struct hv_json_writer writer;
    hv_buf_init(&block, CONTENT_MAX);
    hv_json_writer_init(&writer, &block);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "type", "tool_result");
    hv_json_member_string(&writer, "tool_use_id", call->sent);
    hv_json_member_cstr(&writer, "content", INTERRUPTED_TEXT);
    hv_json_member_bool(&writer, "is_error", true);
    hv_json_end_object(&writer);
    put_block(content, hv_buf_str(&block));
}

/* Results stand in the order of their calls, so that the second one for an id is that of its second call. */
static const struct hv_json *find_result(const struct hv_json *blocks, const struct wanted_call *call)
{
    size_t before = 0;
    hv_json_each(block, blocks)
    {
        if (!is_block(block, "tool_result") || !hv_str_eq(hv_json_get_string(block, "tool_use_id"), call->id))
            continue;
        if (before++ == call->nth)
            return block;
    }
    return NULL;
}

static void put_results(struct collector *collector, const struct hv_json *blocks, struct hv_str text,
                        struct hv_buf *content)
{
    for (size_t i = 0; i < collector->wanted.count; i++) {
        const struct wanted_call *call = &collector->wanted.items[i];
        const struct hv_json *result = find_result(blocks, call);
        if (result)
            put_under_id(content, result, hv_json_source(result, text), "tool_use_id", call->sent);
        else
            put_missing_result(collector, content, call);
    }
    collector->wanted.count = 0;
}

/* One user message: the results that are wanted, in order, then whatever else it holds. blocks may be NULL. */
static void add_user(struct collector *collector, const struct hv_json *blocks, struct hv_str text)
{
    CLEANUP_BUF struct hv_buf content = {0};
    hv_buf_init(&content, CONTENT_MAX);
    put_results(collector, blocks, text, &content);
    hv_json_each(block, blocks)
    {
        /* Results were taken above, or answer no call. */
        if (is_sendable(block) && !is_block(block, "tool_result"))
            put_block(&content, hv_json_source(block, text));
    }
    push_message(collector, false, &content);
}

/* One assistant message; what it asks for is remembered for the next message. A conversation cannot begin with one. */
static void add_assistant(struct collector *collector, const struct hv_json *blocks, struct hv_str text)
{
    if (collector->wanted.count > 0)
        add_user(collector, NULL, (struct hv_str){0});
    if (collector->last == 0)
        return;
    CLEANUP_BUF struct hv_buf content = {0};
    hv_buf_init(&content, CONTENT_MAX);
    hv_json_each(block, blocks)
    {
        struct hv_str id = hv_json_get_string(block, "id");
        if (!is_sendable(block))
            continue;
        if (!is_block(block, "tool_use")) {
            put_block(&content, hv_json_source(block, text));
        } else if (id.ptr) {
            struct wanted_call call = {.id = hv_arena_str(collector->arena, id), .nth = count_wanted(collector, id)};
            call.sent = unique_id(collector, id);
            *vec_push(&collector->wanted) = call;
            put_under_id(&content, block, hv_json_source(block, text), "id", call.sent);
        }
    }
    push_message(collector, true, &content);
}

/* Calls whose assistant message never came: one is put together from their events. */
static void add_open_calls(struct collector *collector)
{
    CLEANUP_BUF struct hv_buf content = {0};
    const struct hv_json *blocks;
    hv_buf_init(&content, CONTENT_MAX);
    for (size_t i = 0; i < collector->calls.count; i++)
        if (!count_wanted(collector, collector->calls.items[i].id))
            put_block(&content, collector->calls.items[i].block);
    collector->calls.count = 0;
    if (content.len == 0)
        return;
    hv_buf_add_byte(&content, ']');
    hv_arena_reset(&collector->scratch);
    if (!content.failed &&
        hv_json_parse(&collector->scratch, hv_buf_str(&content), HV_JSON_STRICT, &blocks, NULL) == HV_OK)
        add_assistant(collector, blocks, hv_buf_str(&content));
}

/* What a person typed stands alone, so that one can go back to before it; results that it brings belong to what was. */
static void note_prompt(struct collector *collector, const struct hv_event *event, const struct hv_json *blocks)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    CLEANUP_BUF struct hv_buf content = {.max = CONTENT_MAX};
    const struct hv_json *data;
    if (!event->data.ptr || hv_json_parse(&scratch, event->data, HV_JSON_STRICT, &data, NULL) != HV_OK ||
        !hv_json_bool(hv_json_get(data, "prompt"), false))
        return;
    put_results(collector, blocks, event->json, &content);
    push_message(collector, false, &content);
    *vec_push(&collector->before_prompts) = collector->last;
}

static void note_message(struct collector *collector, const struct hv_event *event)
{
    const struct hv_json *blocks;
    bool assistant = hv_str_is(event->name, "assistant");
    if (!assistant)
        add_open_calls(collector);
    hv_arena_reset(&collector->scratch);
    if (!event->json.ptr || hv_json_parse(&collector->scratch, event->json, HV_JSON_STRICT, &blocks, NULL) != HV_OK ||
        blocks->type != HV_JSON_ARRAY)
        return;
    if (assistant) {
        add_assistant(collector, blocks, event->json);
        collector->calls.count = 0;
    } else {
        note_prompt(collector, event, blocks);
        add_user(collector, blocks, event->json);
        forget_pending(collector);
        collector->between_turns = false;
    }
}

/* ---- rewinding ------------------------------------------------------------------------------------------------ */

/* The conversation goes on from before a message, or, where that is undone, from where it was. */
static void note_rewind(struct collector *collector, const struct hv_event *event)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    const struct hv_json *data;
    if (!event->data.ptr || hv_json_parse(&scratch, event->data, HV_JSON_STRICT, &data, NULL) != HV_OK)
        return;
    add_open_calls(collector);
    if (collector->wanted.count > 0)
        add_user(collector, NULL, (struct hv_str){0});
    forget_pending(collector);
    size_t to = journal_number(data, "to", collector->before_prompts.count);
    size_t undoes = journal_number(data, "undoes", collector->before_rewinds.count);
    *vec_push(&collector->before_rewinds) = collector->last;
    if (!hv_str_is(event->name, "conversation") && !hv_str_is(event->name, "both"))
        return;
    if (to)
        collector->last = collector->before_prompts.items[to - 1];
    else if (undoes)
        collector->last = collector->before_rewinds.items[undoes - 1];
}

/* ---- the outcome --------------------------------------------------------------------------------------------- */

/* The contents of messages[from, to) as one array. */
static struct hv_str join_contents(struct hv_arena *arena, const struct resumed_message *messages, size_t from,
                                   size_t to)
{
    if (to - from == 1)
        return messages[from].content;
    CLEANUP_BUF struct hv_buf content = {0};
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

static void hand_over(struct collector *collector)
{
    struct resumed *out = collector->out;
    add_open_calls(collector);
    if (collector->wanted.count > 0)
        add_user(collector, NULL, (struct hv_str){0});
    for (size_t at = collector->last; at; at = collector->nodes.items[at - 1].before)
        out->count++;
    out->messages = hv_arena_array(collector->arena, struct resumed_message, out->count);
    size_t index = out->count;
    for (size_t at = collector->last; at; at = collector->nodes.items[at - 1].before)
        out->messages[--index] = collector->nodes.items[at - 1].message;
    merge_neighbours(collector->arena, out);
    out->left_out_count = collector->left_out.count;
    struct resumed_left_out *left_out = hv_arena_array(collector->arena, struct resumed_left_out, out->left_out_count);
    for (size_t i = 0; i < out->left_out_count; i++)
        left_out[i] = collector->left_out.items[i];
    out->left_out = left_out;
}

void resume_collect(struct hv_arena *arena, struct journal_reader *reader, struct resumed *out)
{
    *out = (struct resumed){0};
    struct collector collector = {.arena = arena, .out = out};
    struct hv_event event;
    while (journal_reader_next(reader, &event)) {
        switch (event.type) {
        case HV_EVENT_SESSION_START:
            note_start(&collector, event.data);
            collector.between_turns = true;
            break;
        case HV_EVENT_MESSAGE: note_message(&collector, &event); break;
        case HV_EVENT_CALL: note_call(&collector, &event); break;
        case HV_EVENT_RESULT: note_result(&collector, &event); break;
        case HV_EVENT_STATE: note_state(&collector, &event); break;
        case HV_EVENT_REWIND: note_rewind(&collector, &event); break;
        case HV_EVENT_TURN_END:
            note_turn(&collector, event.data);
            collector.between_turns = true;
            break;
        default: break;
        }
    }
    hand_over(&collector);
    out->faults = *journal_reader_faults(reader);
    forget_pending(&collector);
    hv_arena_release(&collector.pending);
    hv_arena_release(&collector.scratch);
    vec_release(&collector.nodes);
    vec_release(&collector.before_prompts);
    vec_release(&collector.before_rewinds);
    vec_release(&collector.calls);
    vec_release(&collector.wanted);
    map_release(&collector.ids);
    vec_release(&collector.left_out);
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
    if (read.faults.read_errno) /* half a conversation is none to go on from */
        return hv_fail_errno(err, read.faults.read_errno, "cannot read the journal %.*s to its end", HV_STR_ARG(path));
    if (!read.session_id.ptr && read.count == 0) {
        hv_fail(err, HV_EINVAL, "%.*s is not a journal of helve: it holds no session", HV_STR_ARG(path));
        hv_error_hint(err, "`helve sessions --all` lists the sessions there are");
        return HV_EINVAL;
    }
    *out = read;
    return HV_OK;
}
