/*
 * block.c: what decoders do alike with events, blocks and messages. Blocks gather pieces until their end and leave as
 * JSON in neutral form; every byte they hold is counted.
 */
#include "model/decoder.h"

#include "model/fault.h"

#include <inttypes.h>

enum { BLOCKS_MAX = 16384, ID_MAX = 512, ID_MIN = 4 };

/* ---- events -------------------------------------------------------------------------------------------- */

/* Emit what decoder->event holds as an event of this type, and clear it. */
static void decoder_emit(struct model_decoder *decoder, enum model_event_type type)
{
    struct model_event *event = &decoder->event;
    if (!decoder->over) {
        event->type = type;
        decoder->on_event(decoder->user, event);
    }
    event->id = event->name = event->model = event->text = event->json = event->stop_text = (struct hv_str){0};
}

void decoder_emit_text(struct model_decoder *decoder, enum model_event_type type, struct hv_str text)
{
    if (!text.len)
        return;
    decoder->event.text = text;
    decoder_emit(decoder, type);
}

void decoder_emit_usage(struct model_decoder *decoder, const struct model_usage *usage)
{
    if (!memcmp(usage, &decoder->message.usage, sizeof *usage))
        return;
    decoder->message.usage = *usage;
    decoder->event.usage = *usage;
    decoder_emit(decoder, MODEL_USAGE);
    decoder->event.usage = (struct model_usage){0};
}

void decoder_emit_block(struct model_decoder *decoder, struct hv_str json)
{
    decoder->event.json = json;
    decoder_emit(decoder, MODEL_BLOCK);
}

static void emit_error(struct model_decoder *decoder, int64_t retry_after_ms)
{
    decoder->event.retry_after_ms = retry_after_ms;
    decoder_emit(decoder, MODEL_ERROR);
    decoder->event.retry_after_ms = -1;
    decoder->over = true;
}

void decoder_fail(struct model_decoder *decoder, enum hv_code code, const char *format, ...)
{
    if (decoder->over)
        return;
    va_list arguments;
    va_start(arguments, format);
    struct hv_str message = hv_arena_vformat(&decoder->arena, format, arguments);
    va_end(arguments);
    (void)hv_fail(&decoder->event.error, code, "%.*s", HV_STR_ARG(message));
    if (code == HV_ENET)
        hv_error_hint(&decoder->event.error, "send the request again");
    emit_error(decoder, -1);
}

void decoder_fail_json(struct model_decoder *decoder, const struct hv_json *error)
{
    if (decoder->over)
        return;
    fault_from_json(error, 0, &decoder->event.error);
    emit_error(decoder, -1);
}

void decoder_fail_cut(struct model_decoder *decoder)
{
    decoder_fail(decoder, HV_ENET, "the stream was cut before its message was complete");
}

/* ---- blocks -------------------------------------------------------------------------------------------- */

struct decode_block *decoder_block_add(struct model_decoder *decoder, enum decode_kind kind, int64_t index)
{
    struct decode_message *message = &decoder->message;
    if (message->blocks.count >= BLOCKS_MAX) {
        decoder_fail(decoder, HV_ETOOBIG, "the message has more than %d blocks", BLOCKS_MAX);
        return NULL;
    }
    struct decode_block *block = vec_push(&message->blocks);
    *block = (struct decode_block){.kind = kind, .index = index};
    hv_buf_init(&block->id, ID_MAX);
    hv_buf_init(&block->name, ID_MAX);
    hv_buf_init(&block->start, decoder->max_block);
    hv_buf_init(&block->text, decoder->max_block);
    hv_buf_init(&block->signature, decoder->max_block);
    hv_buf_init(&block->citations, decoder->max_block);
    return block;
}

struct decode_block *decoder_block_find(struct model_decoder *decoder, int64_t index)
{
    for (size_t i = decoder->message.blocks.count; i-- > 0;) {
        if (decoder->message.blocks.items[i].index == index)
            return &decoder->message.blocks.items[i];
    }
    return NULL;
}

bool decoder_hold(struct model_decoder *decoder, struct hv_buf *buf, struct hv_str text)
{
    hv_buf_add_str(buf, text);
    decoder->held += text.len;
    if (!buf->failed && decoder->held <= 4 * decoder->max_block)
        return true;
    if (buf->max == ID_MAX)
        decoder_fail(decoder, HV_ETOOBIG, "the id or name of a tool call is longer than %d bytes", ID_MAX);
    else
        decoder_fail(decoder, HV_ETOOBIG, "a block of the message is larger than %zu bytes", decoder->max_block);
    return false;
}

bool decoder_hold_set(struct model_decoder *decoder, struct hv_buf *buf, struct hv_str text)
{
    decoder->held -= buf->len;
    hv_buf_clear(buf);
    return decoder_hold(decoder, buf, text);
}

static void block_release(struct decode_block *block)
{
    hv_buf_release(&block->id);
    hv_buf_release(&block->name);
    hv_buf_release(&block->start);
    hv_buf_release(&block->text);
    hv_buf_release(&block->signature);
    hv_buf_release(&block->citations);
}

void decoder_block_close(struct model_decoder *decoder, struct decode_block *block)
{
    size_t held = block->start.len + block->text.len + block->signature.len + block->citations.len + block->id.len +
                  block->name.len;
    decoder->held -= held;
    block_release(block);
    block->closed = true;
}

/* ---- tool calls ---------------------------------------------------------------------------------------- */

static bool id_taken(const struct model_decoder *decoder, const struct decode_block *block)
{
    for (size_t i = 0; i < decoder->message.blocks.count; i++) {
        const struct decode_block *other = &decoder->message.blocks.items[i];
        if (other != block && !other->closed && hv_str_eq(hv_buf_str(&other->id), hv_buf_str(&block->id)))
            return true;
    }
    return false;
}

void decoder_make_id(struct model_decoder *decoder, struct decode_block *block)
{
    /* Some servers number the calls of each response from 0: such an id would not be unique in the conversation. */
    if (block->id.len >= (decoder->keep_ids ? 1 : ID_MIN) && !id_taken(decoder, block))
        return;
    struct hv_str id = hv_arena_format(&decoder->arena, "call_%" PRIx64 "_%" PRIu64, decoder->id_seed, ++decoder->ids);
    (void)decoder_hold_set(decoder, &block->id, id);
}

void decoder_tool_begin(struct model_decoder *decoder, struct decode_block *block)
{
    if (block->begun)
        return;
    block->begun = true;
    decoder->event.id = hv_buf_str(&block->id);
    decoder->event.name = hv_buf_str(&block->name);
    decoder_emit(decoder, MODEL_TOOL_BEGIN);
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

/* Members that the call itself sets; all others of the announced block are passed on. */
static bool is_own_member(struct hv_str key)
{
    return hv_str_is(key, "type") || hv_str_is(key, "id") || hv_str_is(key, "name") || hv_str_is(key, "input");
}

static void write_tool_block(struct model_decoder *decoder, const struct decode_block *block, struct hv_str input)
{
    struct hv_json_writer writer;
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
            hv_json_name_str(&writer, member->key);
            hv_json_put_value(&writer, member);
        }
    }
    hv_json_end_object(&writer);
}

void decoder_tool_end(struct model_decoder *decoder, struct decode_block *block)
{
    decoder_tool_begin(decoder, block);
    struct hv_str input = hv_str_trim(hv_buf_str(&block->text));
    if (!input.len)
        input = HV_STR("{}");
    decoder->event.id = hv_buf_str(&block->id);
    decoder->event.name = hv_buf_str(&block->name);
    decoder->event.json = input;
    decoder_emit(decoder, MODEL_TOOL_CALL);
    write_tool_block(decoder, block, input);
    decoder_emit_block(decoder, hv_buf_str(&decoder->scratch));
    decoder_block_close(decoder, block);
}

/* ---- other blocks -------------------------------------------------------------------------------------- */

void decoder_text_block(struct model_decoder *decoder, struct hv_str text, struct hv_str phase)
{
    if (!text.len)
        return;
    struct hv_json_writer writer;
    hv_buf_clear(&decoder->scratch);
    hv_json_writer_init(&writer, &decoder->scratch);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "type", "text");
    hv_json_member_string(&writer, "text", text);
    if (phase.len)
        hv_json_member_string(&writer, "phase", phase);
    hv_json_end_object(&writer);
    decoder_emit_block(decoder, hv_buf_str(&decoder->scratch));
}

void decoder_item_block(struct model_decoder *decoder, const char *provider, const struct hv_json *item)
{
    struct hv_json_writer writer;
    hv_buf_clear(&decoder->scratch);
    hv_json_writer_init(&writer, &decoder->scratch);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "type", "provider_item");
    hv_json_member_cstr(&writer, "provider", provider);
    hv_json_name(&writer, "item");
    hv_json_put_value(&writer, item); /* not its source, which may hold what was repaired in reading */
    hv_json_end_object(&writer);
    decoder_emit_block(decoder, hv_buf_str(&decoder->scratch));
}

/* ---- messages ------------------------------------------------------------------------------------------ */

void decoder_message_start(struct model_decoder *decoder, struct hv_str id, struct hv_str model)
{
    decoder->message.started = true;
    decoder->event.id = id;
    decoder->event.model = model;
    decoder_emit(decoder, MODEL_START);
}

void decoder_message_stop(struct model_decoder *decoder)
{
    struct decode_message *message = &decoder->message;
    enum model_stop stop = message->stop;
    if (stop == MODEL_STOP_NONE)
        stop = message->calls ? MODEL_STOP_TOOL_USE : MODEL_STOP_END_TURN;
    decoder->event.stop = stop;
    decoder->event.stop_text =
        message->stop_text.len ? hv_buf_str(&message->stop_text) : hv_str_from(model_stop_name(stop));
    decoder_emit(decoder, MODEL_STOP);
    decoder->event.stop = MODEL_STOP_NONE;
    decoder->messages++;
    decoder_message_reset(decoder);
}

void decoder_message_reset(struct model_decoder *decoder)
{
    struct decode_message *message = &decoder->message;
    for (size_t i = 0; i < message->blocks.count; i++)
        block_release(&message->blocks.items[i]);
    vec_release(&message->blocks);
    hv_buf_release(&message->stop_text);
    *message = (struct decode_message){0};
    hv_buf_init(&message->stop_text, ID_MAX);
    decoder->held = 0;
    decoder->learned.kind = DECODE_NONE;
}

int64_t decode_count(const struct hv_json *object, const char *name, int64_t fallback)
{
    int64_t value;
    return hv_json_int64(hv_json_get(object, name), &value) && value >= 0 ? value : fallback;
}
