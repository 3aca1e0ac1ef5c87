/*
 * decode_openai_responses.c: the stream of the Responses API. Output items come with their own numbers; the deltas
 * serve the screen, and what counts is the finished item (output_item.done, or the list in response.completed when a
 * server left that out). Calls are known by call_id. Items that only this API understands (reasoning, server tools)
 * are carried in the history as they came.
 */
#include "model/decoder.h"

/* ---- items ------------------------------------------------------------------------------------------------- */

static struct decode_block *item_find(struct model_decoder *decoder, const struct hv_json *root)
{
    int64_t index;
    struct hv_str id = hv_json_get_string(root, "item_id");
    if (hv_json_int64(hv_json_get(root, "output_index"), &index))
        return decoder_block_find(decoder, index);
    for (size_t i = decoder->message.blocks.count; id.len && i-- > 0;) {
        if (hv_str_eq(hv_buf_str(&decoder->message.blocks.items[i].signature), id))
            return &decoder->message.blocks.items[i];
    }
    return NULL;
}

static bool is_call(const struct hv_json *item)
{
    struct hv_str type = hv_json_get_string(item, "type");
    return hv_str_is(type, "function_call") || hv_str_is(type, "custom_tool_call");
}

/* A block; of a response that was never announced too (gateways lose events). */
static struct decode_block *add_block(struct model_decoder *decoder, enum decode_kind kind, int64_t index)
{
    if (!decoder->message.started)
        decoder_message_start(decoder, (struct hv_str){0}, (struct hv_str){0});
    return decoder_block_add(decoder, kind, index);
}

/* What tells an item from others, or 0. */
static uint64_t item_key(const struct hv_json *item)
{
    struct hv_str id = hv_json_get_string(item, is_call(item) ? "call_id" : "id");
    return id.len ? hv_str_hash(id) | 1 : 0;
}

/* The block of an item with this number, or NULL. Some servers give one number to several items (vLLM, LM Studio): with
 * another id than the one that has ended it is another item. Without an id, or with the same, it is that one again. */
static struct decode_block *item_at(struct model_decoder *decoder, int64_t index, const struct hv_json *item)
{
    struct decode_block *block = decoder_block_find(decoder, index);
    uint64_t key = item_key(item);
    bool is_another = block && block->ended && key && block->given_id_hash && key != block->given_id_hash;
    return is_another ? NULL : block;
}

/* The block is a call. False: failed. */
static bool begin_call(struct model_decoder *decoder, struct decode_block *block, const struct hv_json *item)
{
    block->kind = DECODE_BLOCK_TOOL;
    decoder->message.calls++;
    if (!decoder_hold_set(decoder, &block->id, hv_json_get_string(item, "call_id")) ||
        !decoder_hold_set(decoder, &block->name, hv_json_get_string(item, "name")))
        return false;
    decoder_tool_begin(decoder, block);
    return !decoder->over;
}

/* A block for an item; signature holds the item's id, by which deltas without a number find it. */
static struct decode_block *item_begin(struct model_decoder *decoder, int64_t index, const struct hv_json *item)
{
    struct decode_block *block = add_block(decoder, DECODE_BLOCK_OTHER, index);
    if (!block || !decoder_hold(decoder, &block->signature, hv_json_get_string(item, "id")))
        return NULL;
    return !is_call(item) || begin_call(decoder, block, item) ? block : NULL;
}

static int64_t item_index(const struct model_decoder *decoder, const struct hv_json *root)
{
    int64_t index;
    if (hv_json_int64(hv_json_get(root, "output_index"), &index))
        return index;
    size_t count = decoder->message.blocks.count;
    return count ? decoder->message.blocks.items[count - 1].index + 1 : 0;
}

static void item_added(struct model_decoder *decoder, const struct hv_json *root)
{
    const struct hv_json *item = hv_json_get(root, "item");
    if (hv_json_type_of(item) == HV_JSON_OBJECT && !item_at(decoder, item_index(decoder, root), item))
        (void)item_begin(decoder, item_index(decoder, root), item);
}

/* The parts of a message, each as a text block. Text that was never streamed is shown now. */
static void put_message_item(struct model_decoder *decoder, struct decode_block *block, const struct hv_json *item)
{
    bool streamed = block->pieced;
    struct hv_str phase = hv_json_get_string(item, "phase"); /* commentary or answer: the API wants to be told again */
    hv_json_each(part, hv_json_get(item, "content"))
    {
        struct hv_str text = hv_json_get_string(part, "text");
        if (!text.len)
            text = hv_json_get_string(part, "refusal");
        if (!streamed)
            decoder_emit_text(decoder, MODEL_TEXT, text);
        decode_put_text(&decoder->scratch, text, phase, hv_json_get(part, "annotations"));
    }
}

/* What a server adds to its calls beyond what the API knows. */
static void keep_members(struct model_decoder *decoder, struct decode_block *block, const struct hv_json *item)
{
    static const char *const known[] = {"type", "id", "call_id", "name", "arguments", "input", "status"};
    struct hv_json_writer writer;
    bool more = false;
    hv_buf_clear(&decoder->scratch);
    hv_json_writer_init(&writer, &decoder->scratch);
    hv_json_begin_object(&writer);
    hv_json_each(member, item)
    {
        bool is_known = member->type == HV_JSON_NULL;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            is_known |= hv_str_is(member->key, known[i]);
        if (is_known)
            continue;
        more = true;
        hv_json_name_str(&writer, member->key);
        hv_json_put_value(&writer, member);
    }
    hv_json_end_object(&writer);
    if (more)
        (void)decoder_hold_set(decoder, &block->start, hv_buf_str(&decoder->scratch));
}

static void end_call_item(struct model_decoder *decoder, struct decode_block *block, const struct hv_json *item,
                          struct hv_str data)
{
    const struct hv_json *arguments = hv_json_get(item, "arguments");
    if (!arguments)
        arguments = hv_json_get(item, "input");
    struct hv_str whole =
        hv_json_type_of(arguments) == HV_JSON_OBJECT ? hv_json_source(arguments, data) : hv_json_string(arguments);
    if (whole.len) { /* else the pieces are all there is */
        (void)decoder_hold_set(decoder, &block->text, whole);
        block->pieces = (struct decode_pieces){0};
    }
    if (!block->name.len)
        (void)decoder_hold(decoder, &block->name, hv_json_get_string(item, "name"));
    keep_members(decoder, block, item);
    decoder_block_end(decoder, block, (struct hv_str){0});
}

/* A search of the provider's own, which it does not count; opening what it found is free. */
static void count_search(struct model_decoder *decoder, const struct hv_json *item)
{
    struct hv_str action = hv_json_get_string(hv_json_get(item, "action"), "type");
    if (!hv_str_is(hv_json_get_string(item, "type"), "web_search_call") || (action.len && !hv_str_is(action, "search")))
        return;
    struct model_usage usage = decoder->message.usage;
    usage.searches++;
    decoder_emit_usage(decoder, &usage);
}

static void item_end(struct model_decoder *decoder, int64_t index, const struct hv_json *item, struct hv_str data)
{
    if (hv_json_type_of(item) != HV_JSON_OBJECT)
        return;
    struct decode_block *block = item_at(decoder, index, item);
    if (block && block->ended)
        return;
    if (!block && !(block = item_begin(decoder, index, item)))
        return;
    decoder->message.done_items++;
    block->given_id_hash = item_key(item);
    /* Announced as something else, or as nothing: it must not go back as a call without an answer. */
    if (block->kind != DECODE_BLOCK_TOOL && is_call(item) && !begin_call(decoder, block, item))
        return;
    if (block->kind == DECODE_BLOCK_TOOL) {
        end_call_item(decoder, block, item, data);
        return;
    }
    count_search(decoder, item);
    hv_buf_clear(&decoder->scratch);
    bool thought = hv_str_is(hv_json_get_string(item, "type"), "reasoning");
    if (hv_str_is(hv_json_get_string(item, "type"), "message"))
        put_message_item(decoder, block, item);
    else
        decode_put_item(decoder, &decoder->scratch, "openai-responses", item);
    block->kind = thought ? DECODE_BLOCK_THINKING : DECODE_BLOCK_OTHER;
    decoder_block_end(decoder, block, hv_buf_str(&decoder->scratch));
}

/* ---- deltas ------------------------------------------------------------------------------------------------ */

static void responses_delta(struct model_decoder *decoder, enum decode_delta kind, size_t number, struct hv_str text)
{
    struct decode_block *block = &decoder->message.blocks.items[number];
    block->pieced = true;
    if (kind == DECODE_INPUT)
        (void)decoder_input_add(decoder, block, text);
    else if (kind == DECODE_THINKING || decoder_hold(decoder, &block->text, text))
        decoder_emit_text(decoder, kind == DECODE_TEXT ? MODEL_TEXT : MODEL_THINKING, text);
}

/*
 * The block of text whose item was never announced. Where it has a name or a number, its next piece finds it by that;
 * a piece without either goes on where the last one ended.
 */
static struct decode_block *unannounced(struct model_decoder *decoder, const struct hv_json *root)
{
    int64_t index;
    struct hv_str id = hv_json_get_string(root, "item_id");
    size_t count = decoder->message.blocks.count;
    struct decode_block *last = count ? &decoder->message.blocks.items[count - 1] : NULL;
    bool named = id.len || hv_json_int64(hv_json_get(root, "output_index"), &index);
    if (!named && last && !last->ended && last->kind == DECODE_BLOCK_OTHER)
        return last;
    struct decode_block *block = add_block(decoder, DECODE_BLOCK_OTHER, item_index(decoder, root));
    return block && decoder_hold(decoder, &block->signature, id) ? block : NULL;
}

static void item_delta(struct model_decoder *decoder, const struct hv_json *root, enum decode_delta kind,
                       struct hv_str data)
{
    const struct hv_json *delta = hv_json_get(root, "delta");
    struct decode_block *block = item_find(decoder, root);
    if (hv_json_type_of(delta) != HV_JSON_STRING)
        return;
    if (!block && kind == DECODE_INPUT)
        return; /* the finished item holds it all */
    if (!block && !(block = unannounced(decoder, root)))
        return;
    if (block->ended || (kind == DECODE_INPUT) != (block->kind == DECODE_BLOCK_TOOL))
        return;
    size_t number = (size_t)(block - decoder->message.blocks.items);
    responses_delta(decoder, kind, number, delta->text);
    const struct hv_json *const ignored[2] = {hv_json_get(root, "sequence_number"), hv_json_get(root, "obfuscation")};
    if (hv_json_get(root, "type"))
        decoder_learn(decoder, kind, number, delta, ignored, data);
}

/* Paragraphs of a summary come as parts without a break between them. */
static void summary_part(struct model_decoder *decoder, const struct hv_json *root)
{
    int64_t part;
    if (decoder->message.started && hv_json_int64(hv_json_get(root, "summary_index"), &part) && part > 0)
        decoder_emit_text(decoder, MODEL_THINKING, HV_STR("\n\n"));
}

static void arguments_done(struct model_decoder *decoder, const struct hv_json *root)
{
    struct decode_block *block = item_find(decoder, root);
    const struct hv_json *arguments = hv_json_get(root, "arguments");
    if (!block || block->ended || block->kind != DECODE_BLOCK_TOOL || !hv_json_string(arguments).len)
        return;
    (void)decoder_hold_set(decoder, &block->text, arguments->text);
    block->pieces = (struct decode_pieces){0};
}

/* ---- the response -------------------------------------------------------------------------------------------- */

static void take_usage(struct model_decoder *decoder, const struct hv_json *json)
{
    if (hv_json_type_of(json) != HV_JSON_OBJECT)
        return;
    struct model_usage usage = decoder->message.usage;
    int64_t input = decode_count(json, "input_tokens", usage.input_tokens + usage.cache_read_tokens);
    int64_t cached = decode_count(hv_json_get(json, "input_tokens_details"), "cached_tokens", usage.cache_read_tokens);
    usage.cache_read_tokens = cached < input ? cached : input;
    usage.input_tokens = input - usage.cache_read_tokens;
    usage.output_tokens = decode_count(json, "output_tokens", usage.output_tokens);
    usage.reasoning_tokens =
        decode_count(hv_json_get(json, "output_tokens_details"), "reasoning_tokens", usage.reasoning_tokens);
    decoder_emit_usage(decoder, &usage);
}

static void start_response(struct model_decoder *decoder, const struct hv_json *response)
{
    if (!decoder->message.started)
        decoder_message_start(decoder, hv_json_get_string(response, "id"), hv_json_get_string(response, "model"));
}

/* Items that never ended: the response says that it is complete, so they are what was gathered. */
static void end_open_items(struct model_decoder *decoder)
{
    for (size_t i = decoder->message.left; i < decoder->message.blocks.count && !decoder->over; i++) {
        struct decode_block *block = &decoder->message.blocks.items[i];
        hv_buf_clear(&decoder->scratch);
        if (block->kind != DECODE_BLOCK_TOOL)
            decode_put_text(&decoder->scratch, hv_buf_str(&block->text), (struct hv_str){0}, NULL);
        decoder_block_end(decoder, block, hv_buf_str(&decoder->scratch));
    }
}

/* The word for why it ended: the status, or, where that says nothing more, what the event is called. */
static void take_status(struct model_decoder *decoder, const struct hv_json *response, struct hv_str status)
{
    struct hv_str said = hv_json_get_string(response, "status");
    struct hv_str reason = hv_json_get_string(hv_json_get(response, "incomplete_details"), "reason");
    const struct hv_json *error = hv_json_get(response, "error");
    if (hv_str_is(status, "completed") && said.len)
        status = said;
    if (hv_str_is(status, "failed") || hv_json_type_of(error) == HV_JSON_OBJECT)
        decoder_fail_json(decoder, hv_json_type_of(error) == HV_JSON_OBJECT ? error : NULL);
    else if (hv_str_is(status, "incomplete"))
        decoder_take_reason(decoder, reason.len ? reason : HV_STR("max_output_tokens"), (struct hv_str){0});
    else if (hv_str_is(status, "cancelled"))
        decoder_take_reason(decoder, status, (struct hv_str){0});
}

static void end_response(struct model_decoder *decoder, const struct hv_json *response, struct hv_str status,
                         struct hv_str data)
{
    start_response(decoder, response);
    take_status(decoder, response, status);
    if (decoder->over)
        return;
    /* The list repeats the items; it counts only where none ended by itself, so that no call comes twice. */
    int64_t index = 0;
    const struct hv_json *output = decoder->message.done_items ? NULL : hv_json_get(response, "output");
    hv_json_each(item, output)
    {
        if (!decoder->over)
            item_end(decoder, index++, item, data);
    }
    end_open_items(decoder);
    if (decoder->over)
        return;
    take_usage(decoder, hv_json_get(response, "usage"));
    decoder_message_stop(decoder);
}

/* ---- events ------------------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    enum decode_delta kind;
} deltas[] = {
    {"response.output_text.delta", DECODE_TEXT},
    {"response.function_call_arguments.delta", DECODE_INPUT},
    {"response.reasoning_summary_text.delta", DECODE_THINKING},
    {"response.reasoning_text.delta", DECODE_THINKING},
    {"response.custom_tool_call_input.delta", DECODE_INPUT},
    {"response.refusal.delta", DECODE_TEXT},
};

static void responses_event(struct model_decoder *decoder, struct hv_str name, struct hv_str data,
                            const struct hv_json *root)
{
    struct hv_str type = hv_json_get_string(root, "type");
    if (!type.len)
        type = name;
    for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++) {
        if (hv_str_is(type, deltas[i].name)) {
            item_delta(decoder, root, deltas[i].kind, data);
            return;
        }
    }
    const struct hv_json *response = hv_json_get(root, "response");
    if (hv_str_is(type, "response.output_item.done")) {
        item_end(decoder, item_index(decoder, root), hv_json_get(root, "item"), data);
    } else if (hv_str_is(type, "response.output_item.added")) {
        item_added(decoder, root);
    } else if (hv_str_is(type, "response.function_call_arguments.done")) {
        arguments_done(decoder, root);
    } else if (hv_str_is(type, "response.reasoning_summary_part.added")) {
        summary_part(decoder, root);
    } else if (hv_str_is(type, "response.created") || hv_str_is(type, "response.in_progress") ||
               hv_str_is(type, "response.queued")) {
        start_response(decoder, response);
    } else if (hv_str_is(type, "response.completed") || hv_str_is(type, "response.done")) {
        end_response(decoder, response, HV_STR("completed"), data);
    } else if (hv_str_is(type, "response.incomplete")) {
        end_response(decoder, response, HV_STR("incomplete"), data);
    } else if (hv_str_is(type, "response.failed")) {
        end_response(decoder, response, HV_STR("failed"), data);
    } else if (hv_str_is(type, "response.cancelled")) {
        end_response(decoder, response, HV_STR("cancelled"), data);
    } else if (hv_str_is(hv_json_get_string(root, "object"), "response")) {
        end_response(decoder, root, HV_STR("completed"), data); /* "stream" was ignored */
    }
}

static void responses_finish(struct model_decoder *decoder)
{
    if (decoder->message.started && decoder_all_whole(decoder)) {
        end_open_items(decoder);
        if (!decoder->over)
            decoder_message_stop(decoder);
    } else if (decoder->message.started || !decoder->messages) {
        decoder_fail_cut(decoder);
    }
}

static void responses_done(struct model_decoder *decoder)
{
    (void)decoder; /* "[DONE]" is not needed here; some proxies add it */
}

const struct decode_wire decode_wire_openai_responses = {
    .event = responses_event, .delta = responses_delta, .done = responses_done, .finish = responses_finish};
