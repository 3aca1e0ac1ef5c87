/*
 * decode_openai_chat.c: the stream of Chat Completions, as OpenAI and the many servers that resemble it send it. The
 * shape is simple (choices[0].delta) and no two servers agree on it: the comments name who does what.
 *
 * A call has no end mark of its own. It ends when the JSON object of its arguments closes; an empty object may be a
 * placeholder for what follows, so that one waits for the next call or the end of the message.
 */
#include "model/chat_reasoning.h"

enum { TEXT_INDEX = -1, REASONING_INDEX = -2, UNNUMBERED = -3, GATHERED = 2 };

/* Reasoning and text are gathered in the first two blocks, which never leave: they are emitted before calls do. */
static struct decode_block *gathered(struct model_decoder *decoder, int64_t index)
{
    return &decoder->message.blocks.items[index == TEXT_INDEX];
}

static bool start_blocks(struct model_decoder *decoder)
{
    decoder->message.left = GATHERED;
    return decoder_block_add(decoder, DECODE_BLOCK_THINKING, REASONING_INDEX) &&
           decoder_block_add(decoder, DECODE_BLOCK_TEXT, TEXT_INDEX);
}

/* ---- what is gathered -------------------------------------------------------------------------------------- */

static void end_reasoning(struct model_decoder *decoder)
{
    struct decode_block *block = gathered(decoder, REASONING_INDEX);
    hv_buf_clear(&decoder->scratch);
    chat_reasoning_put(decoder, block, &decoder->scratch);
    decoder_emit_lines(decoder, hv_buf_str(&decoder->scratch));
    block->closed = true; /* an empty one is not said again */
    (void)decoder_hold_set(decoder, &block->text, HV_STR(""));
    (void)decoder_hold_set(decoder, &block->citations, HV_STR(""));
    (void)decoder_hold_set(decoder, &block->start, HV_STR(""));
}

static void end_text(struct model_decoder *decoder)
{
    end_reasoning(decoder);
    struct decode_block *block = gathered(decoder, TEXT_INDEX);
    hv_buf_clear(&decoder->scratch);
    decode_put_text(&decoder->scratch, hv_buf_str(&block->text), (struct hv_str){0}, NULL);
    decoder_emit_lines(decoder, hv_buf_str(&decoder->scratch));
    (void)decoder_hold_set(decoder, &block->text, HV_STR(""));
}

/* ---- the end of calls --------------------------------------------------------------------------------------- */

/* Only {} has come, which may stand for nothing, or for what follows. */
static bool is_placeholder(const struct decode_block *call)
{
    return !call->ended && call->scan.from &&
           !hv_str_trim(hv_str_slice(hv_buf_str(&call->text), call->scan.from, call->text.len)).len;
}

/* Nothing that comes without a name can belong to it. */
static bool is_done(const struct decode_block *call)
{
    return call->ended || (call->scan.whole && !is_placeholder(call));
}

static void end_unsettled(struct model_decoder *decoder, struct decode_block *call);

/* The call is whole, input what its arguments stand for: it leaves, after the text before it and the calls before it.
 */
static void end_call(struct model_decoder *decoder, struct decode_block *call, struct hv_str input)
{
    decoder->learned.kind = DECODE_NONE;
    uint64_t hash = hv_str_hash(input);
    bool repeats = call->again && call->input_hash == hash;
    call->input_hash = hash;
    if (repeats) { /* the last piece repeats the whole (async-openai's servers) */
        decoder->message.calls--;
        decoder_block_close(decoder, call);
        return;
    }
    size_t number = (size_t)(call - decoder->message.blocks.items);
    for (size_t i = decoder->message.left; i < number && !decoder->over; i++) {
        struct decode_block *before = &decoder->message.blocks.items[i];
        if (before->kind == DECODE_BLOCK_TOOL && is_placeholder(before))
            end_unsettled(decoder, before);
    }
    bool leaves = true;
    for (size_t i = decoder->message.left; i < number; i++)
        leaves = leaves && decoder->message.blocks.items[i].ended;
    if (leaves)
        end_text(decoder);
    decoder_block_end(decoder, call, (struct hv_str){0});
}

static void end_unsettled(struct model_decoder *decoder, struct decode_block *call)
{
    struct hv_str input;
    (void)decoder_input_settle(decoder, call, &input);
    end_call(decoder, call, input);
}

static void add_input(struct model_decoder *decoder, size_t number, struct hv_str piece);

/* Whole arguments came, and behind them others in the same slot: another call of the same tool. What is no object (a
 * bracket too many, an end mark of the model's own markup) is nothing that was asked for. */
static void begin_again(struct model_decoder *decoder, size_t number, struct hv_str rest)
{
    rest = hv_str_trim(rest);
    if (!hv_str_starts(rest, HV_STR("{")) || decoder->over)
        return;
    rest = hv_arena_str(&decoder->arena, rest);
    struct decode_block *block =
        decoder_block_add(decoder, DECODE_BLOCK_TOOL, decoder->message.blocks.items[number].index);
    if (!block)
        return;
    const struct decode_block *call = &decoder->message.blocks.items[number];
    block->again = true;
    block->input_hash = call->input_hash;
    block->given_id_hash = call->given_id_hash;
    decoder->message.calls++;
    if (decoder_hold(decoder, &block->name, hv_arena_str(&decoder->arena, hv_buf_str(&call->name))))
        add_input(decoder, decoder->message.blocks.count - 1, rest);
}

/* A value of the arguments closed at end. */
static void take_value(struct model_decoder *decoder, size_t number, size_t end)
{
    struct decode_block *call = &decoder->message.blocks.items[number];
    struct hv_str text = hv_buf_str(&call->text), input;
    struct hv_str value = hv_str_trim(hv_str_slice(text, call->scan.from, end));
    struct hv_str inside = hv_str_starts(value, HV_STR("{")) ? hv_str_slice(value, 1, value.len - 1) : value;
    call->scan.opened = false;
    if (value.len && !hv_str_trim(inside).len) {
        call->scan.from = end;
        return;
    }
    if (!hv_str_starts(value, HV_STR("{")))
        return;
    struct hv_str rest = hv_arena_str(&decoder->arena, hv_str_slice(text, end, text.len));
    call->text.len = end;
    bool whole = decoder_input_settle(decoder, call, &input);
    call->text.len = text.len;
    if (!whole) {
        call->scan.from = 0;
        call->spoiled = true; /* what is wrong with it is told when the message has ended */
        return;
    }
    decoder->held -= text.len - end;
    call->text.len = end;
    end_call(decoder, call, input);
    begin_again(decoder, number, rest);
}

static void add_input(struct model_decoder *decoder, size_t number, struct hv_str piece)
{
    struct decode_block *call = &decoder->message.blocks.items[number];
    struct hv_str input;
    if (call->ended) {
        begin_again(decoder, number, piece);
        return;
    }
    if (!decoder_input_add(decoder, call, piece) || !call->name.len)
        return; /* its name may come behind its arguments */
    /* Each piece holds all before it (DeepSeek at Qianfan): scanning would never see an end. */
    if (call->pieces.count > 1 && call->pieces.cumulative) {
        if (decoder_input_settle(decoder, call, &input))
            end_call(decoder, call, input);
        return;
    }
    for (size_t end; !call->ended && !call->spoiled && (end = decoder_input_scan(call)) != SIZE_MAX;) {
        take_value(decoder, number, end);
        call = &decoder->message.blocks.items[number]; /* others may have been added */
    }
}

static void end_message(struct model_decoder *decoder)
{
    if (!decoder->message.started)
        return;
    end_text(decoder);
    for (size_t i = decoder->message.left; i < decoder->message.blocks.count && !decoder->over; i++) {
        struct decode_block *block = &decoder->message.blocks.items[i];
        if (block->kind == DECODE_BLOCK_TOOL && !block->ended)
            end_unsettled(decoder, block);
    }
    if (!decoder->over)
        decoder_message_stop(decoder);
}

/* ---- text -------------------------------------------------------------------------------------------------- */

static void chat_delta(struct model_decoder *decoder, enum decode_delta kind, size_t number, struct hv_str text)
{
    struct decode_block *block = &decoder->message.blocks.items[number];
    if (kind == DECODE_INPUT)
        add_input(decoder, number, text);
    else if (decoder_hold(decoder, &block->text, text))
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
        if (thinking)
            gathered(decoder, REASONING_INDEX)->pieced = true;
        if (thinking && thinking->type == HV_JSON_STRING)
            add_text(decoder, DECODE_THINKING, thinking->text);
        else if (!nested && hv_json_type_of(thinking) == HV_JSON_ARRAY)
            add_parts(decoder, thinking, DECODE_THINKING, true);
    }
}

/* ---- calls ------------------------------------------------------------------------------------------------- */

/* A piece of a call as it came. */
struct piece {
    const struct hv_json *arguments;
    struct hv_str id, name, text; /* text: of the arguments */
    int64_t index;                /* UNNUMBERED: it has none */
    uint64_t id_hash;             /* 0: it has no id */
    bool adds;                    /* it brings some arguments */
};

static struct piece read_piece(const struct hv_json *json, struct hv_str data)
{
    const struct hv_json *function = hv_json_get(json, "function");
    struct piece piece = {
        .arguments = hv_json_get(function, "arguments"),
        .id = hv_json_get_string(json, "id"),
        .name = hv_json_get_string(function, "name"),
    };
    if (!piece.id.len)
        piece.id = hv_json_get_string(function, "id"); /* old llama.cpp */
    if (!hv_json_int64(hv_json_get(json, "index"), &piece.index) || piece.index < 0)
        piece.index = UNNUMBERED;
    /* Arguments are a string in pieces; a few servers send an object at once. */
    piece.text = hv_json_type_of(piece.arguments) == HV_JSON_OBJECT ? hv_json_source(piece.arguments, data)
                                                                    : hv_json_string(piece.arguments);
    piece.adds = hv_str_trim(piece.text).len > 0;
    piece.id_hash = piece.id.len ? hv_str_hash(piece.id) | 1 : 0;
    return piece;
}

/* The newest call with an id; with 0, the newest. */
static struct decode_block *newest_call(struct model_decoder *decoder, uint64_t id_hash)
{
    for (size_t i = decoder->message.blocks.count; i-- > GATHERED;) {
        struct decode_block *block = &decoder->message.blocks.items[i];
        if (!id_hash || block->given_id_hash == id_hash)
            return block;
    }
    return NULL;
}

/* The call whose place a piece names. Without an index (Gemini's bridges) the id tells, and without both it is the
 * call that was begun last. */
static struct decode_block *call_at(struct model_decoder *decoder, const struct piece *piece)
{
    bool numbered = piece->index != UNNUMBERED;
    struct decode_block *call =
        numbered ? decoder_block_find(decoder, piece->index) : newest_call(decoder, piece->id_hash);
    if (call || piece->name.len || !piece->id_hash)
        return call;
    /* One call spread over several numbers, its id the same (LocalAI); or the id another in each piece. */
    call = numbered ? newest_call(decoder, piece->id_hash) : newest_call(decoder, 0);
    return call && !is_done(call) ? call : NULL;
}

/*
 * Which call a piece belongs to; NULL: to a new one. A call begins with its name: a piece without one goes on with the
 * call in its place, whatever its id (OCI behind LiteLLM: a new id in each piece). A name with another id is another
 * call (Ollama: all calls have index 0), and so is one that follows a whole call, unless all of it only repeats.
 */
static struct decode_block *find_call(struct model_decoder *decoder, const struct piece *piece)
{
    struct decode_block *call = call_at(decoder, piece);
    if (!call || !piece->name.len || !call->name.len)
        return call;
    bool same_id = piece->id_hash && call->given_id_hash == piece->id_hash;
    if (piece->id_hash && call->given_id_hash && !same_id)
        return NULL;
    if (!call->ended && !call->scan.whole)
        return call; /* vLLM repeats the name in each piece; others give it in pieces */
    bool same_name = hv_str_eq(hv_buf_str(&call->name), piece->name);
    if (!piece->adds)
        return same_name ? call : NULL;
    bool repeats = same_id && same_name && call->ended && hv_str_hash(hv_str_trim(piece->text)) == call->input_hash;
    bool filled = same_name && is_placeholder(call) && same_id;
    return repeats || filled ? call : NULL;
}

static struct decode_block *begin_call(struct model_decoder *decoder, const struct piece *piece)
{
    struct decode_block *before = decoder_block_find(decoder, piece->index);
    if (before && is_placeholder(before))
        end_unsettled(decoder, before); /* its place is taken: nothing follows */
    decoder->message.calls++;
    return decoder->over ? NULL : decoder_block_add(decoder, DECODE_BLOCK_TOOL, piece->index);
}

/* The id and name of a call come once, or again and again, or the id not at all; the name also in pieces. */
static bool take_names(struct model_decoder *decoder, struct decode_block *call, const struct piece *piece)
{
    if (piece->id_hash && !call->given_id_hash) {
        call->given_id_hash = piece->id_hash;
        if (!call->begun && !decoder_hold_set(decoder, &call->id, piece->id))
            return false;
    }
    return !piece->name.len || call->begun || hv_str_eq(hv_buf_str(&call->name), piece->name) ||
           decoder_hold(decoder, &call->name, piece->name);
}

/* What a server wants back with its call beyond what the API knows: Gemini's thought signatures, in two wrappings. */
static void take_extra(struct model_decoder *decoder, struct decode_block *call, const struct hv_json *json,
                       struct hv_str data)
{
    static const char *const names[] = {"extra_content", "provider_specific_fields"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct hv_json *extra = hv_json_get(json, names[i]);
        if (hv_json_type_of(extra) != HV_JSON_OBJECT ||
            hv_str_find(hv_buf_str(&call->start), hv_str_from(names[i]), 0) != SIZE_MAX)
            continue;
        struct hv_str source = hv_json_source(extra, data), before = hv_buf_str(&call->start);
        if (before.len)
            before.len--; /* without its brace */
        struct hv_str all = hv_arena_format(&decoder->arena, "%.*s%s\"%s\":%.*s}", HV_STR_ARG(before),
                                            before.len ? "," : "{", names[i], HV_STR_ARG(source));
        (void)decoder_hold_set(decoder, &call->start, all);
    }
}

/* Returns the block's number when the piece did nothing but add to arguments, which is what can be learned; else 0. */
static size_t add_call_piece(struct model_decoder *decoder, const struct hv_json *json, const struct piece *piece,
                             struct hv_str data)
{
    struct decode_block *call = find_call(decoder, piece);
    if (!call && !piece->id.len && !piece->name.len && !piece->adds)
        return 0; /* an empty piece is no call */
    if (!call && !(call = begin_call(decoder, piece)))
        return 0;
    size_t number = (size_t)(call - decoder->message.blocks.items);
    bool was_begun = call->begun;
    if (call->ended) {
        if (!piece->name.len)
            begin_again(decoder, number, piece->text);
        return 0;
    }
    if (!take_names(decoder, call, piece))
        return 0;
    take_extra(decoder, call, json, data);
    if (hv_json_type_of(piece->arguments) == HV_JSON_OBJECT && call->text.len && !is_placeholder(call))
        (void)decoder_hold_set(decoder, &call->text, HV_STR(""));
    /* The name is whole when arguments begin. */
    if (!decoder->over && call->name.len && (call->text.len || piece->text.len))
        decoder_tool_begin(decoder, call);
    if (!decoder->over)
        add_input(decoder, number, piece->text);
    call = &decoder->message.blocks.items[number];
    bool plain = hv_json_type_of(piece->arguments) == HV_JSON_STRING && !piece->name.len;
    return was_begun && plain && !call->ended && (!piece->id_hash || call->given_id_hash) ? number : 0;
}

/* The form that came before tool_calls: one call, without an id. */
static void add_function_call(struct model_decoder *decoder, const struct hv_json *function, struct hv_str data)
{
    struct piece piece = {.arguments = hv_json_get(function, "arguments"),
                          .name = hv_json_get_string(function, "name"),
                          .text = hv_json_get_string(function, "arguments")};
    if (hv_json_type_of(piece.arguments) == HV_JSON_OBJECT)
        piece.text = hv_json_source(piece.arguments, data);
    piece.adds = hv_str_trim(piece.text).len > 0;
    struct decode_block *call = decoder_block_find(decoder, 0);
    if (call || piece.name.len)
        (void)add_call_piece(decoder, function, &piece, data);
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

/* Calls that are whole can end now. What is not may still be on its way, as some servers give the reason early: it
 * ends with the mark of the end, or the stream. */
static void take_finish(struct model_decoder *decoder, const struct hv_json *choice)
{
    decoder_take_reason(decoder, hv_json_get_string(choice, "finish_reason"),
                        hv_json_get_string(choice, "native_finish_reason"));
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
        struct piece read = read_piece(piece, data);
        size_t number = add_call_piece(decoder, piece, &read, data);
        note_effect(effect, number ? DECODE_INPUT : DECODE_NONE, number, read.arguments);
    }
}

static void take_delta(struct model_decoder *decoder, const struct hv_json *delta, struct hv_str data,
                       struct effect *effect)
{
    struct chat_reasoning reasoning;
    struct hv_str thought = chat_reasoning_take(decoder, gathered(decoder, REASONING_INDEX), delta, data, &reasoning);
    if (reasoning.members) {
        add_text(decoder, DECODE_THINKING, thought);
        note_effect(effect, reasoning.members > 1 || !thought.len ? DECODE_NONE : DECODE_THINKING, 0, reasoning.text);
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
    if (hv_json_get_string(choice, "finish_reason").len && !decoder->over) {
        take_finish(decoder, choice);
        effect->count += 2;
    }
}

static void chat_event(struct model_decoder *decoder, struct hv_str name, struct hv_str data,
                       const struct hv_json *root)
{
    (void)name;
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
    if (decoder->message.started && (decoder->message.stopping || decoder_all_whole(decoder)))
        end_message(decoder);
    else if (decoder->message.started || !decoder->messages)
        decoder_fail_cut(decoder);
}

const struct decode_wire decode_wire_openai_chat = {
    .event = chat_event, .delta = chat_delta, .done = chat_done, .finish = chat_finish};
