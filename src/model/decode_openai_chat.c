/*
 * decode_openai_chat.c: the stream of Chat Completions, as OpenAI and the many servers that resemble it send it. The
 * shape is simple (choices[0].delta) and no two servers agree on it: the comments name who does what.
 *
 * A call has no end mark of its own. It ends with the message, or earlier when another call begins and its own
 * arguments already are a whole JSON value, to which nothing could be added.
 */
#include "model/decoder.h"

#include "base/cleanup.h"

enum { TEXT_INDEX = -1, REASONING_INDEX = -2, UNNUMBERED = -3 };

/* The text and reasoning gathered so far; made on first use. */
static struct decode_block *gathered(struct model_decoder *decoder, int64_t index)
{
    struct decode_block *block = NULL;
    for (size_t i = 0; i < decoder->message.blocks.count && i < 2; i++) {
        if (decoder->message.blocks.items[i].index == index)
            block = &decoder->message.blocks.items[i];
    }
    return block;
}

/* Both exist from the start of the message, as its first two blocks. */
static bool start_blocks(struct model_decoder *decoder)
{
    return decoder_block_add(decoder, DECODE_BLOCK_THINKING, REASONING_INDEX) &&
           decoder_block_add(decoder, DECODE_BLOCK_TEXT, TEXT_INDEX);
}

/* ---- ends -------------------------------------------------------------------------------------------------- */

/* Reasoning belongs to the server that made it: some want it back with the calls it led to. */
static void end_reasoning(struct model_decoder *decoder)
{
    struct decode_block *block = gathered(decoder, REASONING_INDEX);
    if (!block || !block->text.len)
        return;
    CLEANUP_BUF struct hv_buf item = {0};
    hv_buf_init(&item, SIZE_MAX / 2);
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &item);
    hv_json_begin_object(&writer);
    hv_json_member_string(&writer, block->name.len ? block->name.data : "reasoning_content", hv_buf_str(&block->text));
    hv_json_end_object(&writer);
    const struct hv_json *value;
    if (hv_json_parse(&decoder->arena, hv_buf_str(&item), DECODE_JSON_FLAGS, &value, NULL) == HV_OK)
        decoder_item_block(decoder, "openai-chat", value);
    (void)decoder_hold_set(decoder, &block->text, HV_STR(""));
}

static void end_text(struct model_decoder *decoder)
{
    end_reasoning(decoder);
    struct decode_block *block = gathered(decoder, TEXT_INDEX);
    if (!block || !block->text.len)
        return;
    decoder_text_block(decoder, hv_buf_str(&block->text), (struct hv_str){0});
    (void)decoder_hold_set(decoder, &block->text, HV_STR(""));
}

static void end_call(struct model_decoder *decoder, struct decode_block *call)
{
    end_text(decoder);
    decoder_tool_end(decoder, call);
}

/* The arguments so far are one whole value: every bracket that was opened is closed. Looks at each byte once. */
static bool is_whole(struct decode_block *call)
{
    for (; call->scan.at < call->text.len; call->scan.at++) {
        char byte = call->text.data[call->scan.at];
        if (call->scan.in_string) {
            if (byte == '"' && !call->scan.escaped)
                call->scan.in_string = false;
            call->scan.escaped = byte == '\\' && !call->scan.escaped;
        } else if (byte == '"') {
            call->scan.in_string = true;
        } else if (byte == '{' || byte == '[') {
            call->scan.opened = true;
            call->scan.depth++;
        } else if ((byte == '}' || byte == ']') && call->scan.depth) {
            call->scan.depth--;
        }
    }
    return call->scan.opened && !call->scan.depth && !call->scan.in_string;
}

/* Calls leave in their order; all: also those whose arguments do not look complete (the message is). */
static void end_calls(struct model_decoder *decoder, bool all)
{
    struct decode_message *message = &decoder->message;
    for (size_t i = message->done_items; i < message->blocks.count && !decoder->over; i++) {
        struct decode_block *block = &message->blocks.items[i];
        if (block->kind == DECODE_BLOCK_TOOL) {
            if (!all && !is_whole(block))
                return;
            end_call(decoder, block);
        }
        message->done_items = i + 1;
    }
}

static void end_message(struct model_decoder *decoder)
{
    if (!decoder->message.started)
        return;
    end_calls(decoder, true);
    end_text(decoder);
    if (!decoder->over)
        decoder_message_stop(decoder);
}

/* ---- text -------------------------------------------------------------------------------------------------- */

static void chat_delta(struct model_decoder *decoder, enum decode_delta kind, size_t number, struct hv_str text)
{
    struct decode_block *block = &decoder->message.blocks.items[number];
    if (!decoder_hold(decoder, &block->text, text) || kind == DECODE_INPUT)
        return;
    decoder_emit_text(decoder, kind == DECODE_TEXT ? MODEL_TEXT : MODEL_THINKING, text);
}

static void add_text(struct model_decoder *decoder, enum decode_delta kind, struct hv_str text)
{
    if (text.len)
        chat_delta(decoder, kind, kind == DECODE_THINKING ? 0 : 1, text);
}

/* Content as a list of parts: {"type":"text","text"}, {"type":"thinking","thinking":[parts] or text} (Mistral). */
static void add_parts(struct model_decoder *decoder, const struct hv_json *parts, enum decode_delta kind, bool nested)
{
    hv_json_each(part, parts)
    {
        const struct hv_json *thinking = hv_json_get(part, "thinking");
        add_text(decoder, kind, hv_json_get_string(part, "text"));
        if (thinking && thinking->type == HV_JSON_STRING)
            add_text(decoder, DECODE_THINKING, thinking->text);
        else if (!nested && hv_json_type_of(thinking) == HV_JSON_ARRAY)
            add_parts(decoder, thinking, DECODE_THINKING, true);
    }
}

/* vLLM from 0.11 on says "reasoning", the others "reasoning_content"; some send both with the same text. */
static const struct hv_json *find_reasoning(const struct hv_json *delta, const char **name)
{
    static const char *const names[] = {"reasoning_content", "reasoning"};
    for (size_t i = 0; i < 2; i++) {
        const struct hv_json *value = hv_json_get(delta, names[i]);
        *name = names[i];
        if (hv_json_string(value).len)
            return value;
    }
    return NULL;
}

/* ---- calls ------------------------------------------------------------------------------------------------- */

/*
 * Which call a piece belongs to. A new id in a used slot is another call (Ollama: all calls have index 0); without an
 * index (Gemini's bridges) the id tells, and without both it is the call that was begun last, unless a new name comes
 * when that one is whole.
 */
static struct decode_block *find_call(struct model_decoder *decoder, const struct hv_json *piece, struct hv_str id,
                                      struct hv_str name, bool adds)
{
    struct decode_message *message = &decoder->message;
    struct decode_block *last = message->blocks.count > 2 ? &message->blocks.items[message->blocks.count - 1] : NULL;
    struct decode_block *call = last;
    int64_t index;
    if (hv_json_int64(hv_json_get(piece, "index"), &index) && index >= 0) {
        call = last && last->index == index ? last : decoder_block_find(decoder, index);
    } else if (id.len && last && last->signature.len && !hv_str_eq(hv_buf_str(&last->signature), id)) {
        call = NULL;
    }
    if (!call)
        return NULL;
    if (id.len && call->signature.len && !hv_str_eq(hv_buf_str(&call->signature), id))
        return NULL;
    /* vLLM repeats the name in each piece and sends no id: only a whole call followed by a name is another one. */
    bool repeats = !adds && hv_str_eq(hv_buf_str(&call->name), name);
    if (name.len && !(id.len && call->signature.len) && call->name.len && !repeats && (call->closed || is_whole(call)))
        return NULL;
    return call;
}

static struct decode_block *begin_call(struct model_decoder *decoder, const struct hv_json *piece)
{
    end_calls(decoder, false);
    int64_t index;
    if (!hv_json_int64(hv_json_get(piece, "index"), &index) || index < 0)
        index = UNNUMBERED;
    decoder->message.calls++;
    return decoder->over ? NULL : decoder_block_add(decoder, DECODE_BLOCK_TOOL, index);
}

/* The id and name of a call come once, or again and again, or the id not at all. */
static bool take_names(struct model_decoder *decoder, struct decode_block *call, struct hv_str id, struct hv_str name)
{
    if (id.len && !call->signature.len) {
        /* signature keeps the server's own id, id is the one we use */
        if (!decoder_hold(decoder, &call->signature, id) || (!call->begun && !decoder_hold_set(decoder, &call->id, id)))
            return false;
    }
    if (name.len && !call->begun && !hv_str_eq(hv_buf_str(&call->name), name) &&
        !decoder_hold(decoder, &call->name, name))
        return false;
    return true;
}

/* Arguments are a string in pieces; a few servers send an object at once. */
static void add_arguments(struct model_decoder *decoder, struct decode_block *call, const struct hv_json *arguments,
                          struct hv_str data)
{
    if (hv_json_type_of(arguments) == HV_JSON_STRING)
        (void)decoder_hold(decoder, &call->text, arguments->text);
    else if (hv_json_type_of(arguments) == HV_JSON_OBJECT)
        (void)decoder_hold_set(decoder, &call->text, hv_json_source(arguments, data));
}

/* What a server wants back with its call beyond what the API knows: Gemini's thought signatures. */
static void take_extra(struct model_decoder *decoder, struct decode_block *call, const struct hv_json *piece,
                       struct hv_str data)
{
    const struct hv_json *extra = hv_json_get(piece, "extra_content");
    if (hv_json_type_of(extra) != HV_JSON_OBJECT || call->start.len)
        return;
    if (decoder_hold(decoder, &call->start, HV_STR("{\"extra_content\":")) &&
        decoder_hold(decoder, &call->start, hv_json_source(extra, data)))
        (void)decoder_hold(decoder, &call->start, HV_STR("}"));
}

/* The piece brings some arguments. */
static bool has_arguments(const struct hv_json *function)
{
    const struct hv_json *arguments = hv_json_get(function, "arguments");
    return hv_json_type_of(arguments) == HV_JSON_OBJECT || hv_str_trim(hv_json_string(arguments)).len;
}

/* Returns the block's number when the piece did nothing but add to arguments, which is what can be learned; else 0. */
static size_t add_call_piece(struct model_decoder *decoder, const struct hv_json *piece, struct hv_str data)
{
    const struct hv_json *function = hv_json_get(piece, "function");
    struct hv_str id = hv_json_get_string(piece, "id");
    struct hv_str name = hv_json_get_string(function, "name");
    if (!id.len)
        id = hv_json_get_string(function, "id"); /* old llama.cpp */
    bool adds = has_arguments(function);
    struct decode_block *call = find_call(decoder, piece, id, name, adds);
    bool fresh = !call;
    if (fresh && !id.len && !name.len && !adds)
        return 0; /* an empty piece is no call */
    if (fresh && !(call = begin_call(decoder, piece)))
        return 0;
    if (call->closed || !take_names(decoder, call, id, name))
        return 0;
    size_t number = (size_t)(call - decoder->message.blocks.items);
    bool was_begun = call->begun;
    take_extra(decoder, call, piece, data);
    add_arguments(decoder, call, hv_json_get(function, "arguments"), data);
    if (!decoder->over && call->name.len && (call->signature.len || call->text.len)) {
        decoder_make_id(decoder, call);
        decoder_tool_begin(decoder, call);
    }
    return was_begun && !name.len && (!id.len || call->signature.len) ? number : 0;
}

/* The form that came before tool_calls: one call, without an id. */
static void add_function_call(struct model_decoder *decoder, const struct hv_json *function, struct hv_str data)
{
    struct decode_block *call = decoder_block_find(decoder, 0);
    struct hv_str name = hv_json_get_string(function, "name");
    if (!call) {
        if (!name.len)
            return;
        decoder->message.calls++;
        call = decoder_block_add(decoder, DECODE_BLOCK_TOOL, 0);
    }
    if (!call || call->closed || !take_names(decoder, call, (struct hv_str){0}, name))
        return;
    decoder_make_id(decoder, call);
    add_arguments(decoder, call, hv_json_get(function, "arguments"), data);
}

/* ---- chunks ------------------------------------------------------------------------------------------------ */

static void take_usage(struct model_decoder *decoder, const struct hv_json *json)
{
    if (hv_json_type_of(json) != HV_JSON_OBJECT)
        return;
    struct model_usage usage = decoder->message.usage;
    int64_t prompt = decode_count(json, "prompt_tokens", usage.input_tokens + usage.cache_read_tokens);
    int64_t cached = decode_count(hv_json_get(json, "prompt_tokens_details"), "cached_tokens",
                                  decode_count(json, "prompt_cache_hit_tokens", usage.cache_read_tokens));
    usage.cache_read_tokens = cached < prompt ? cached : prompt;
    usage.input_tokens = prompt - usage.cache_read_tokens;
    usage.output_tokens = decode_count(json, "completion_tokens", usage.output_tokens);
    usage.reasoning_tokens =
        decode_count(hv_json_get(json, "completion_tokens_details"), "reasoning_tokens", usage.reasoning_tokens);
    decoder_emit_usage(decoder, &usage);
}

/* Servers say "stop" for calls (Ollama) or "tool_calls" without any: what was collected decides. */
static enum model_stop stop_from(struct hv_str reason, size_t calls)
{
    if (hv_str_is(reason, "length") || hv_str_is(reason, "max_tokens"))
        return MODEL_STOP_MAX_TOKENS;
    if (hv_str_is(reason, "content_filter"))
        return MODEL_STOP_REFUSAL;
    return calls ? MODEL_STOP_TOOL_USE : MODEL_STOP_END_TURN;
}

static void take_finish(struct model_decoder *decoder, struct hv_str reason)
{
    if (!reason.len)
        return; /* absent, null, or "" */
    end_calls(decoder, true);
    if (decoder->over)
        return;
    end_text(decoder);
    decoder->message.stopping = true;
    decoder->message.stop = stop_from(reason, decoder->message.calls);
    (void)decoder_hold_set(decoder, &decoder->message.stop_text, reason);
}

/* What of a delta the short cut may repeat: exactly one string, and nothing that only counts once. */
struct effect {
    enum decode_delta kind;
    size_t block;
    const struct hv_json *value;
    unsigned count;
};

static void note_effect(struct effect *effect, enum decode_delta kind, size_t block, const struct hv_json *value)
{
    *effect = (struct effect){kind, block, value, effect->count + 1};
}

static void take_calls(struct model_decoder *decoder, const struct hv_json *calls, struct hv_str data,
                       struct effect *effect)
{
    hv_json_each(piece, calls)
    {
        if (decoder->over)
            return;
        size_t number = add_call_piece(decoder, piece, data);
        const struct hv_json *arguments = hv_json_get(hv_json_get(piece, "function"), "arguments");
        note_effect(effect, number && hv_json_type_of(arguments) == HV_JSON_STRING ? DECODE_INPUT : DECODE_NONE, number,
                    arguments);
    }
}

static void take_delta(struct model_decoder *decoder, const struct hv_json *delta, struct hv_str data,
                       struct effect *effect)
{
    const char *name;
    const struct hv_json *reasoning = find_reasoning(delta, &name);
    if (reasoning) {
        struct decode_block *block = &decoder->message.blocks.items[0];
        if (!block->name.len)
            (void)decoder_hold(decoder, &block->name, hv_str_from(name));
        add_text(decoder, DECODE_THINKING, reasoning->text);
        bool twice = hv_json_string(hv_json_get(delta, "reasoning")).len &&
                     hv_json_string(hv_json_get(delta, "reasoning_content")).len;
        note_effect(effect, twice ? DECODE_NONE : DECODE_THINKING, 0, reasoning);
    }
    const struct hv_json *content = hv_json_get(delta, "content");
    if (hv_json_type_of(content) == HV_JSON_STRING && content->text.len) {
        add_text(decoder, DECODE_TEXT, content->text);
        note_effect(effect, DECODE_TEXT, 1, content);
    } else if (hv_json_type_of(content) == HV_JSON_ARRAY) {
        add_parts(decoder, content, DECODE_TEXT, false);
        effect->count++;
    }
    struct hv_str refusal = hv_json_get_string(delta, "refusal");
    if (refusal.len) {
        add_text(decoder, DECODE_TEXT, refusal);
        effect->count += 2;
    }
    take_calls(decoder, hv_json_get(delta, "tool_calls"), data, effect);
    if (hv_json_type_of(hv_json_get(delta, "function_call")) == HV_JSON_OBJECT && !decoder->over) {
        add_function_call(decoder, hv_json_get(delta, "function_call"), data);
        effect->count += 2;
    }
}

static void take_choice(struct model_decoder *decoder, const struct hv_json *choice, struct hv_str data,
                        struct effect *effect)
{
    const struct hv_json *delta = hv_json_get(choice, "delta");
    if (hv_json_type_of(delta) != HV_JSON_OBJECT)
        delta = hv_json_get(choice, "message"); /* a server that ignored "stream" */
    take_delta(decoder, delta, data, effect);
    struct hv_str reason = hv_json_get_string(choice, "finish_reason");
    if (reason.len && !decoder->over) {
        take_finish(decoder, reason);
        effect->count += 2;
    }
}

static void chat_event(struct model_decoder *decoder, struct hv_str name, struct hv_str data,
                       const struct hv_json *root)
{
    (void)name;
    const struct hv_json *error = hv_json_get(root, "error");
    if (error && error->type != HV_JSON_NULL) {
        decoder_fail_json(decoder, error);
        return;
    }
    const struct hv_json *choices = hv_json_get(root, "choices");
    const struct hv_json *choice = hv_json_at(choices, 0);
    struct hv_str id = hv_json_get_string(root, "id");
    if (decoder->message.stopping && choice && id.len && hv_str_hash(id) != decoder->message.id_hash)
        end_message(decoder); /* another response follows, and the end mark was left out */
    if (!decoder->message.started) {
        if (hv_json_type_of(choices) != HV_JSON_ARRAY || !start_blocks(decoder))
            return; /* not a chunk */
        decoder->message.id_hash = hv_str_hash(id);
        decoder_message_start(decoder, id, hv_json_get_string(root, "model"));
    }
    int64_t index;
    struct effect effect = {0};
    if (choice && (!hv_json_int64(hv_json_get(choice, "index"), &index) || index == 0))
        take_choice(decoder, choice, data, &effect);
    if (decoder->over)
        return;
    const struct hv_json *usage = hv_json_get(root, "usage");
    take_usage(decoder, usage);
    if (effect.count == 1 && effect.kind != DECODE_NONE && choices->count == 1)
        decoder_learn(decoder, effect.kind, effect.block, effect.value, NULL, data);
}

static void chat_done(struct model_decoder *decoder)
{
    end_message(decoder);
}

static void chat_finish(struct model_decoder *decoder)
{
    if (decoder->message.started && decoder->message.stopping)
        end_message(decoder);
    else if (decoder->message.started || !decoder->messages)
        decoder_fail_cut(decoder);
}

const struct decode_wire decode_wire_openai_chat = {
    .event = chat_event, .delta = chat_delta, .done = chat_done, .finish = chat_finish};
