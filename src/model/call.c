/*
 * call.c: what all wires do alike with tool calls, and with the order in which blocks leave a message: see decoder.h.
 * Here stands what no server may change: each call has an id of its own, what is run is what the history holds, and
 * calls run in the order in which the model wrote them.
 */
#include "model/decoder.h"

#include "base/str_inline.h"
#include "json/scan.h"

#include <inttypes.h>

enum { ID_MIN = 4, NESTED_MAX = 2 };

/* ---- ids ------------------------------------------------------------------------------------------------- */

bool decode_ids_have(const struct decode_ids *ids, struct hv_str id)
{
    uint64_t hash = hv_str_hash(id);
    for (size_t i = 0; ids && i < ids->count; i++) {
        if (ids->items[i] == hash)
            return true;
    }
    return false;
}

void decode_ids_add(struct decode_ids *ids, struct hv_str id)
{
    *vec_push(ids) = hv_str_hash(id);
}

/*
 * Some servers number the calls of each response from 0, use one id for all calls of a message, or begin anew with
 * each message: such an id would not be unique in the conversation.
 */
static void make_id(struct model_decoder *decoder, struct decode_block *block)
{
    struct hv_str id = hv_buf_str(&block->id);
    bool taken = decode_ids_have(&decoder->message.ids, id) || decode_ids_have(decoder->known_ids, id);
    if (id.len < (decoder->keep_ids ? 1 : ID_MIN) || taken) {
        id = hv_arena_format(&decoder->arena, "call_%" PRIx64 "_%" PRIu64, decoder->id_seed, ++decoder->ids);
        (void)decoder_hold_set(decoder, &block->id, id);
    }
    decode_ids_add(&decoder->message.ids, id);
}

/* ---- input ----------------------------------------------------------------------------------------------- */

bool decoder_input_add(struct model_decoder *decoder, struct decode_block *block, struct hv_str piece)
{
    struct decode_pieces *pieces = &block->pieces;
    struct hv_str before = hv_str_slice(hv_buf_str(&block->text), pieces->last, block->text.len);
    if (!piece.len)
        return true;
    bool repeats = piece.len > before.len && before.len && hv_str_starts(piece, before);
    pieces->cumulative = pieces->count == 0 || (repeats && pieces->cumulative);
    pieces->count++;
    pieces->last = block->text.len;
    return decoder_hold(decoder, &block->text, piece);
}

static bool is_object(struct model_decoder *decoder, struct hv_str text)
{
    const struct hv_json *value;
    return hv_str_starts(text, HV_STR("{")) &&
           hv_json_parse(&decoder->arena, text, DECODE_JSON_FLAGS, &value, NULL) == HV_OK;
}

size_t decoder_input_scan(struct decode_block *call)
{
    while (call->scan.at < call->text.len) {
        if (call->scan.in_string && !call->scan.escaped) {
            const char *text = call->text.data;
            call->scan.at = (size_t)(scan_quote(text + call->scan.at, text + call->text.len) - text);
            if (call->scan.at == call->text.len)
                break;
        }
        char byte = call->text.data[call->scan.at++];
        bool was_in = call->scan.opened;
        if (call->scan.in_string) {
            if (byte == '"' && !call->scan.escaped)
                call->scan.in_string = false;
            call->scan.escaped = byte == '\\' && !call->scan.escaped;
        } else if (byte == '"') {
            call->scan.in_string = call->scan.opened = true;
        } else if (byte == '{' || byte == '[') {
            call->scan.opened = true;
            call->scan.depth++;
        } else if ((byte == '}' || byte == ']') && call->scan.depth) {
            call->scan.depth--;
        }
        call->scan.whole = call->scan.opened && !call->scan.depth && !call->scan.in_string;
        if (was_in && call->scan.whole)
            return call->scan.at;
    }
    return SIZE_MAX;
}

/* What a value that is no object stands for, or absent. */
static struct hv_str unwrap(struct model_decoder *decoder, struct hv_str text)
{
    const struct hv_json *value;
    for (int level = 0; level <= NESTED_MAX; level++) {
        if (hv_json_parse(&decoder->arena, text, DECODE_JSON_FLAGS, &value, NULL) != HV_OK)
            break;
        bool empty = value->type == HV_JSON_NULL || (value->type == HV_JSON_ARRAY && !value->first) ||
                     (value->type == HV_JSON_STRING && !hv_str_trim(value->text).len);
        if (empty)
            return HV_STR("{}");
        if (value->type == HV_JSON_OBJECT)
            return text;
        if (value->type != HV_JSON_STRING)
            break;
        text = hv_str_trim(value->text);
    }
    return (struct hv_str){0};
}

/* The object before a tail of the model's own markup, or of brackets too many; or absent. */
static struct hv_str before_tail(struct model_decoder *decoder, const struct decode_block *block)
{
    struct decode_block again = {.text = block->text}; /* a view of it: nothing is added */
    size_t end = decoder_input_scan(&again);
    struct hv_str text = hv_buf_str(&block->text), tail = hv_str_trim(hv_str_slice(text, end, text.len));
    if (end == SIZE_MAX || !tail.len || !strchr("<[]}`", tail.ptr[0]))
        return (struct hv_str){0};
    struct hv_str object = hv_str_trim(hv_str_slice(text, 0, end));
    return is_object(decoder, object) ? object : (struct hv_str){0};
}

/* The object in a text that is no JSON value, because of the ways in which its pieces came; or absent. */
static struct hv_str find_object(struct model_decoder *decoder, const struct decode_block *block, struct hv_str text)
{
    struct hv_str half = hv_str_trim(hv_str_slice(text, 0, text.len / 2));
    struct hv_str other = hv_str_trim(hv_str_slice(text, text.len - half.len, text.len));
    if (hv_str_starts(text, HV_STR("{}"))) {
        struct hv_str rest = hv_str_trim(hv_str_slice(text, 2, text.len));
        if (is_object(decoder, rest))
            return rest;
    }
    if (half.len && hv_str_eq(half, other) && is_object(decoder, half))
        return half;
    struct hv_str last = hv_str_trim(hv_str_slice(hv_buf_str(&block->text), block->pieces.last, block->text.len));
    bool cumulative = block->pieces.count > 1 && block->pieces.cumulative;
    return cumulative && is_object(decoder, last) ? last : before_tail(decoder, block);
}

bool decoder_input_settle(struct model_decoder *decoder, const struct decode_block *block, struct hv_str *out)
{
    struct hv_str text = hv_str_trim(hv_buf_str(&block->text)), found = {0};
    *out = text.len ? text : HV_STR("{}");
    if (!text.len || is_object(decoder, text))
        return true;
    found = unwrap(decoder, text);
    if (!found.len)
        found = find_object(decoder, block, text);
    if (found.len)
        *out = found;
    return found.len > 0;
}

void decoder_write_input(struct model_decoder *decoder, struct hv_json_writer *writer, struct hv_str raw)
{
    raw = hv_str_trim(raw);
    const struct hv_json *input = NULL;
    if (raw.len && hv_json_parse(&decoder->arena, raw, DECODE_JSON_FLAGS, &input, NULL) == HV_OK &&
        input->type == HV_JSON_OBJECT) {
        hv_json_put_value(writer, input);
        return;
    }
    /* The history must stay valid, and the model should see what it wrote. */
    hv_json_begin_object(writer);
    if (raw.len)
        hv_json_member_string(writer, "INVALID_JSON", raw);
    hv_json_end_object(writer);
}

/* ---- leaving --------------------------------------------------------------------------------------------- */

void decoder_tool_begin(struct model_decoder *decoder, struct decode_block *block)
{
    if (block->begun || decoder->over)
        return;
    block->begun = true;
    make_id(decoder, block);
    if (decoder->over)
        return;
    decoder->event.id = hv_buf_str(&block->id);
    decoder->event.name = hv_buf_str(&block->name);
    decoder_emit(decoder, MODEL_TOOL_BEGIN);
}

/* Members that the call itself sets; all others of the announced block are passed on. */
static bool is_own_member(struct hv_str key)
{
    static const char *const own[] = {"type", "id", "name", "input", "from"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (hv_str_is(key, own[i]))
            return true;
    }
    return false;
}

static void write_tool_block(struct model_decoder *decoder, const struct decode_block *block, struct hv_str input)
{
    struct hv_json_writer writer;
    bool more = false;
    hv_buf_clear(&decoder->scratch);
    hv_json_writer_init(&writer, &decoder->scratch);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "type", "tool_use");
    hv_json_member_string(&writer, "id", hv_buf_str(&block->id));
    hv_json_member_string(&writer, "name", hv_buf_str(&block->name));
    hv_json_name(&writer, "input");
    decoder_write_input(decoder, &writer, input);
    const struct hv_json *start = NULL;
    if (block->start.len &&
        hv_json_parse(&decoder->arena, hv_buf_str(&block->start), DECODE_JSON_FLAGS, &start, NULL) == HV_OK) {
        hv_json_each(member, start)
        {
            if (is_own_member(member->key))
                continue;
            more = true;
            hv_json_name_str(&writer, member->key);
            hv_json_put_value(&writer, member);
        }
    }
    if (more && decoder->origin.len)
        hv_json_member_string(&writer, "from", decoder->origin);
    hv_json_end_object(&writer);
}

static void emit_call(struct model_decoder *decoder, struct decode_block *block, struct hv_str input, bool cut)
{
    if (!block->name.len && !decoder_hold(decoder, &block->name, HV_STR("unnamed")))
        return;
    decoder_tool_begin(decoder, block);
    if (decoder->over)
        return;
    decoder->message.says_something = true;
    decoder->event.id = hv_buf_str(&block->id);
    decoder->event.name = hv_buf_str(&block->name);
    decoder->event.json = input;
    decoder->event.cut = cut;
    decoder_emit(decoder, MODEL_TOOL_CALL);
    decoder->event.cut = false;
    write_tool_block(decoder, block, input);
    decoder_emit_lines(decoder, hv_buf_str(&decoder->scratch));
}

/* False: the call must wait for the end of the message. */
static bool leave_call(struct model_decoder *decoder, struct decode_block *block, bool all)
{
    struct hv_str input;
    if (block->spoiled && !all)
        return false;
    bool whole = decoder_input_settle(decoder, block, &input);
    block->spoiled = !whole;
    if (!whole && !all)
        return false;
    enum model_stop stop = decoder->message.stop;
    emit_call(decoder, block, input, !whole && (stop == MODEL_STOP_MAX_TOKENS || stop == MODEL_STOP_CONTEXT));
    return true;
}

void decoder_leave(struct model_decoder *decoder, bool all)
{
    struct decode_message *message = &decoder->message;
    for (; message->left < message->blocks.count && !decoder->over; message->left++) {
        struct decode_block *block = &message->blocks.items[message->left];
        if (block->closed)
            continue;
        if (!block->ended && !all)
            return;
        if (block->kind == DECODE_BLOCK_TOOL && !leave_call(decoder, block, all))
            return;
        if (block->kind != DECODE_BLOCK_TOOL && block->ended)
            decoder_emit_lines(decoder, hv_buf_str(&block->start));
        decoder_block_close(decoder, block);
    }
}

void decoder_block_end(struct model_decoder *decoder, struct decode_block *block, struct hv_str lines)
{
    if (block->ended || decoder->over)
        return;
    if (block->kind == DECODE_BLOCK_OTHER && lines.len)
        decoder->message.says_something = true;
    if (block->kind != DECODE_BLOCK_TOOL && !decoder_hold_set(decoder, &block->start, lines))
        return;
    block->ended = true;
    decoder_leave(decoder, false);
}

bool decoder_all_whole(struct model_decoder *decoder)
{
    const struct decode_message *message = &decoder->message;
    struct hv_str input;
    for (size_t i = message->left; i < message->blocks.count; i++) {
        const struct decode_block *block = &message->blocks.items[i];
        if (block->kind != DECODE_BLOCK_TOOL || block->closed)
            continue;
        if (!decoder_input_settle(decoder, block, &input))
            return false;
        /* {} may be a placeholder of what was to come. */
        if (!block->ended && decoder->end != DECODE_END_PROVEN && hv_str_is(input, "{}"))
            return false;
    }
    if (message->calls > 0)
        return decoder->end != DECODE_END_UNKNOWN;
    return decoder->end == DECODE_END_PROVEN && message->says_something;
}
