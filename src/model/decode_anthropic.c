/*
 * decode_anthropic.c: the stream of the Messages API. Blocks come one after another, each with a start, deltas and a
 * stop; a call may run as soon as its block has stopped. What a block holds beyond text, thinking and a tool's input
 * is kept as it came, so that the history can be sent back unchanged.
 */
#include "model/decoder.h"

#include "base/cleanup.h"

/* Counts are cumulative; what an event leaves out stays as it was. */
static void take_usage(struct model_decoder *decoder, const struct hv_json *json)
{
    if (hv_json_type_of(json) != HV_JSON_OBJECT)
        return;
    struct model_usage usage = decoder->message.usage;
    usage.input_tokens = decode_count(json, "input_tokens", usage.input_tokens);
    usage.output_tokens = decode_count(json, "output_tokens", usage.output_tokens);
    usage.cache_read_tokens = decode_count(json, "cache_read_input_tokens", usage.cache_read_tokens);
    usage.cache_write_tokens = decode_count(json, "cache_creation_input_tokens", usage.cache_write_tokens);
    usage.searches = decode_count(hv_json_get(json, "server_tool_use"), "web_search_requests", usage.searches);
    decoder_emit_usage(decoder, &usage);
}

/* ---- the end of a block ---------------------------------------------------------------------------------- */

/* The gathered string in place of the announced one, if the block has such a member or any was gathered. */
static bool write_member(struct model_decoder *decoder, struct hv_json_writer *writer, const struct decode_block *block,
                         const struct hv_json *member)
{
    bool thinking = block->kind == DECODE_BLOCK_THINKING;
    if (hv_str_is(member->key, thinking ? "thinking" : "text") && block->kind != DECODE_BLOCK_OTHER) {
        hv_json_member_string(writer, thinking ? "thinking" : "text", hv_buf_str(&block->text));
    } else if (thinking && hv_str_is(member->key, "signature")) {
        return false; /* written last */
    } else if (hv_str_is(member->key, "citations") && block->citations.len) {
        return false;
    } else if (hv_str_is(member->key, "input") && block->text.len) {
        hv_json_name(writer, "input");
        decoder_write_input(decoder, writer, hv_buf_str(&block->text));
    } else {
        hv_json_name_str(writer, member->key);
        hv_json_put_value(writer, member);
    }
    return true;
}

/* The whole block as it was announced, with what the deltas added. */
static void end_block(struct model_decoder *decoder, struct decode_block *block)
{
    const struct hv_json *start = NULL;
    if (hv_json_parse(&decoder->arena, hv_buf_str(&block->start), DECODE_JSON_FLAGS, &start, NULL) != HV_OK)
        start = NULL;
    struct hv_json_writer writer;
    hv_buf_clear(&decoder->scratch);
    hv_json_writer_init(&writer, &decoder->scratch);
    hv_json_begin_object(&writer);
    hv_json_each(member, start)(void) write_member(decoder, &writer, block, member);
    if (block->signature.len)
        hv_json_member_string(&writer, "signature", hv_buf_str(&block->signature));
    if (block->citations.len) {
        hv_json_name(&writer, "citations");
        hv_json_begin_array(&writer);
        hv_json_put_raw(&writer, hv_buf_str(&block->citations));
        hv_json_end_array(&writer);
    }
    hv_json_end_object(&writer);
    /* An empty text block would be refused when it is sent back. */
    bool empty = block->kind == DECODE_BLOCK_TEXT && !block->text.len;
    decoder_block_end(decoder, block, empty ? (struct hv_str){0} : hv_buf_str(&decoder->scratch));
}

static void close_block(struct model_decoder *decoder, struct decode_block *block)
{
    if (block->ended)
        return;
    if (block->kind == DECODE_BLOCK_TOOL)
        decoder_block_end(decoder, block, (struct hv_str){0});
    else
        end_block(decoder, block);
}

static void close_all(struct model_decoder *decoder)
{
    for (size_t i = decoder->message.left; i < decoder->message.blocks.count && !decoder->over; i++)
        close_block(decoder, &decoder->message.blocks.items[i]);
}

static void end_message(struct model_decoder *decoder)
{
    close_all(decoder);
    if (!decoder->over)
        decoder_message_stop(decoder);
}

/* A block of a message that was never announced (gateways lose events): it begins here. */
static void imply_message(struct model_decoder *decoder)
{
    if (!decoder->message.started)
        decoder_message_start(decoder, (struct hv_str){0}, (struct hv_str){0});
}

/* ---- the start of a block -------------------------------------------------------------------------------- */

static void start_tool(struct model_decoder *decoder, struct decode_block *block, const struct hv_json *content,
                       struct hv_str data)
{
    decoder->message.calls++;
    if (!decoder_hold(decoder, &block->id, hv_json_get_string(content, "id")) ||
        !decoder_hold(decoder, &block->name, hv_json_get_string(content, "name")))
        return;
    /* A proxy may announce the whole input at once; usually it is {} here and comes in pieces. */
    const struct hv_json *input = hv_json_get(content, "input");
    if (hv_json_type_of(input) == HV_JSON_OBJECT && input->count &&
        !decoder_hold(decoder, &block->text, hv_json_source(input, data)))
        return;
    decoder_tool_begin(decoder, block);
}

static enum decode_kind kind_from(struct hv_str type)
{
    if (hv_str_is(type, "text"))
        return DECODE_BLOCK_TEXT;
    if (hv_str_is(type, "thinking"))
        return DECODE_BLOCK_THINKING;
    return hv_str_is(type, "tool_use") ? DECODE_BLOCK_TOOL : DECODE_BLOCK_OTHER;
}

/* The number of a block: as given, or that of the block that was begun last (or of the next one). */
static int64_t block_index(const struct model_decoder *decoder, const struct hv_json *root, int64_t step)
{
    int64_t index;
    if (hv_json_int64(hv_json_get(root, "index"), &index))
        return index;
    size_t count = decoder->message.blocks.count;
    return (count ? decoder->message.blocks.items[count - 1].index : -1) + step;
}

static void start_block(struct model_decoder *decoder, int64_t index, const struct hv_json *content, struct hv_str data)
{
    if (hv_json_type_of(content) != HV_JSON_OBJECT)
        return;
    struct decode_block *open = decoder_block_find(decoder, index);
    struct hv_str input;
    if (open && !open->ended && open->kind == DECODE_BLOCK_TOOL &&
        (!open->text.len || !decoder_input_settle(decoder, open, &input))) {
        /* Was it complete, or did its end get lost? A call that may be cut must not run. */
        decoder_fail(decoder, HV_ENET, "the stream is damaged: block %lld begins again before its end",
                     (long long)index);
        return;
    }
    if (open)
        close_block(decoder, open);
    if (decoder->over)
        return;
    imply_message(decoder);
    enum decode_kind kind = kind_from(hv_json_get_string(content, "type"));
    struct decode_block *block = decoder_block_add(decoder, kind, index);
    if (!block || !decoder_hold(decoder, &block->start, hv_json_source(content, data)))
        return;
    if (kind == DECODE_BLOCK_TOOL) {
        start_tool(decoder, block, content, data);
    } else if (kind != DECODE_BLOCK_OTHER) {
        bool thinking = kind == DECODE_BLOCK_THINKING;
        struct hv_str text = hv_json_get_string(content, thinking ? "thinking" : "text");
        if (thinking && !decoder_hold(decoder, &block->signature, hv_json_get_string(content, "signature")))
            return;
        if (decoder_hold(decoder, &block->text, text))
            decoder_emit_text(decoder, thinking ? MODEL_THINKING : MODEL_TEXT, text);
    }
}

/* ---- deltas ---------------------------------------------------------------------------------------------- */

static void anthropic_delta(struct model_decoder *decoder, enum decode_delta kind, size_t number, struct hv_str text)
{
    struct decode_block *block = &decoder->message.blocks.items[number];
    if (kind == DECODE_INPUT)
        (void)decoder_input_add(decoder, block, text);
    else if (decoder_hold(decoder, &block->text, text))
        decoder_emit_text(decoder, kind == DECODE_TEXT ? MODEL_TEXT : MODEL_THINKING, text);
}

/* A delta for a block that was never announced: its start was lost on the way. Text can be saved, a call cannot. */
static struct decode_block *implied_block(struct model_decoder *decoder, int64_t index, enum decode_delta kind)
{
    if (kind == DECODE_INPUT) {
        decoder_fail(decoder, HV_ENET, "the stream is damaged: input of a tool call whose block never began");
        return NULL;
    }
    imply_message(decoder);
    bool thinking = kind == DECODE_THINKING;
    struct decode_block *block =
        decoder_block_add(decoder, thinking ? DECODE_BLOCK_THINKING : DECODE_BLOCK_TEXT, index);
    struct hv_str start =
        thinking ? HV_STR("{\"type\":\"thinking\",\"thinking\":\"\"}") : HV_STR("{\"type\":\"text\",\"text\":\"\"}");
    return block && decoder_hold(decoder, &block->start, start) ? block : NULL;
}

/* Whether deltas of this kind may go into a block. */
static bool fits(const struct decode_block *block, enum decode_delta kind)
{
    if (kind == DECODE_INPUT)
        return block->kind == DECODE_BLOCK_TOOL || block->kind == DECODE_BLOCK_OTHER;
    return block->kind == (kind == DECODE_TEXT ? DECODE_BLOCK_TEXT : DECODE_BLOCK_THINKING);
}

static void add_text(struct model_decoder *decoder, int64_t index, enum decode_delta kind, const struct hv_json *value,
                     struct hv_str data)
{
    if (hv_json_type_of(value) != HV_JSON_STRING)
        return;
    struct decode_block *block = decoder_block_find(decoder, index);
    if (!block || block->ended) {
        if (!value->text.len || !(block = implied_block(decoder, index, kind)))
            return;
    }
    if (!fits(block, kind))
        return;
    /* Pieces replace the input that the block was announced with. */
    if (kind == DECODE_INPUT && value->text.len && !block->pieced) {
        block->pieced = true;
        (void)decoder_hold_set(decoder, &block->text, HV_STR(""));
    }
    size_t number = (size_t)(block - decoder->message.blocks.items);
    anthropic_delta(decoder, kind, number, value->text);
    /* The short cut does not look whether a piece is the first: an empty one, which leaves that open, teaches nothing.
     */
    if (kind != DECODE_INPUT || block->pieced)
        decoder_learn(decoder, kind, number, value, NULL, data);
}

static void add_signature(struct model_decoder *decoder, int64_t index, struct hv_str signature)
{
    struct decode_block *block = decoder_block_find(decoder, index);
    if (block && !block->ended && block->kind == DECODE_BLOCK_THINKING)
        (void)decoder_hold(decoder, &block->signature, signature);
}

static void add_citation(struct model_decoder *decoder, int64_t index, const struct hv_json *citation,
                         struct hv_str data)
{
    struct decode_block *block = decoder_block_find(decoder, index);
    if (!block || block->ended || block->kind != DECODE_BLOCK_TEXT || !citation)
        return;
    CLEANUP_BUF struct hv_buf compact = {0};
    hv_buf_init(&compact, data.len * 6 + 16);
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &compact);
    hv_json_put_value(&writer, citation);
    if (block->citations.len && !decoder_hold(decoder, &block->citations, HV_STR(",")))
        return;
    (void)decoder_hold(decoder, &block->citations, hv_buf_str(&compact));
}

static void block_delta(struct model_decoder *decoder, const struct hv_json *root, struct hv_str data)
{
    const struct hv_json *delta = hv_json_get(root, "delta");
    struct hv_str type = hv_json_get_string(delta, "type");
    int64_t index = block_index(decoder, root, 0);
    if (hv_str_is(type, "text_delta"))
        add_text(decoder, index, DECODE_TEXT, hv_json_get(delta, "text"), data);
    else if (hv_str_is(type, "input_json_delta"))
        add_text(decoder, index, DECODE_INPUT, hv_json_get(delta, "partial_json"), data);
    else if (hv_str_is(type, "thinking_delta"))
        add_text(decoder, index, DECODE_THINKING, hv_json_get(delta, "thinking"), data);
    else if (hv_str_is(type, "signature_delta"))
        add_signature(decoder, index, hv_json_get_string(delta, "signature"));
    else if (hv_str_is(type, "citations_delta"))
        add_citation(decoder, index, hv_json_get(delta, "citation"), data);
}

/* ---- the message ------------------------------------------------------------------------------------------- */

static void start_message(struct model_decoder *decoder, const struct hv_json *message)
{
    if (decoder->message.started && decoder->message.stopping)
        end_message(decoder); /* its end mark was left out */
    else if (decoder->message.started)
        decoder_fail_cut(decoder);
    decoder_message_start(decoder, hv_json_get_string(message, "id"), hv_json_get_string(message, "model"));
    take_usage(decoder, hv_json_get(message, "usage"));
}

static void message_delta(struct model_decoder *decoder, const struct hv_json *root)
{
    if (!decoder->message.started)
        return;
    take_usage(decoder, hv_json_get(root, "usage"));
    decoder_take_reason(decoder, hv_json_get_string(hv_json_get(root, "delta"), "stop_reason"), (struct hv_str){0});
}

/* A whole message at once, from a server that ignored "stream". */
static void whole_message(struct model_decoder *decoder, const struct hv_json *root, struct hv_str data)
{
    start_message(decoder, root);
    int64_t index = 0;
    hv_json_each(content, hv_json_get(root, "content"))
    {
        if (!decoder->over)
            start_block(decoder, index++, content, data);
    }
    decoder_take_reason(decoder, hv_json_get_string(root, "stop_reason"), (struct hv_str){0});
    end_message(decoder);
}

static void anthropic_event(struct model_decoder *decoder, struct hv_str name, struct hv_str data,
                            const struct hv_json *root)
{
    struct hv_str type = hv_json_get_string(root, "type");
    if (!type.len && !hv_str_is(name, "message")) /* which is what events without a name are called */
        type = name;
    if (hv_str_is(type, "content_block_delta")) {
        block_delta(decoder, root, data);
    } else if (hv_str_is(type, "content_block_start")) {
        start_block(decoder, block_index(decoder, root, 1), hv_json_get(root, "content_block"), data);
    } else if (hv_str_is(type, "content_block_stop")) {
        struct decode_block *block = decoder_block_find(decoder, block_index(decoder, root, 0));
        if (block)
            close_block(decoder, block);
    } else if (hv_str_is(type, "message_start")) {
        start_message(decoder, hv_json_get(root, "message"));
    } else if (hv_str_is(type, "message_delta")) {
        message_delta(decoder, root);
    } else if (hv_str_is(type, "message_stop")) {
        if (decoder->message.started)
            end_message(decoder);
    } else if (hv_str_is(type, "message")) {
        whole_message(decoder, root, data);
    }
}

static void anthropic_finish(struct model_decoder *decoder)
{
    if (decoder->message.started && (decoder->message.stopping || decoder_all_whole(decoder)))
        end_message(decoder);
    else if (decoder->message.started || !decoder->messages)
        decoder_fail_cut(decoder);
}

static void anthropic_done(struct model_decoder *decoder)
{
    (void)decoder; /* "[DONE]" is OpenAI's; some proxies add it */
}

const struct decode_wire decode_wire_anthropic = {
    .event = anthropic_event, .delta = anthropic_delta, .done = anthropic_done, .finish = anthropic_finish};
