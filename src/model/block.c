/*
 * block.c: what decoders do alike with events, blocks and messages. Blocks gather pieces until their end and leave as
 * JSON in neutral form; every byte they hold is counted.
 */
#include "model/decoder.h"

#include "base/str_inline.h"
#include "model/fault.h"

/* Some servers put a signature of several kB into the id. */
enum { BLOCKS_MAX = 16384, ID_MAX = 64 << 10, NAME_MAX_HERE = 512 };

/* ---- events -------------------------------------------------------------------------------------------- */

void decoder_emit(struct model_decoder *decoder, enum model_event_type type)
{
    struct model_event *event = &decoder->event;
    if (!decoder->over) {
        decoder->progress++;
        event->type = type;
        decoder->on_event(decoder->user, event);
    }
    event->id = event->name = event->model = event->text = event->json = event->stop_text = (struct hv_str){0};
}

void decoder_emit_text(struct model_decoder *decoder, enum model_event_type type, struct hv_str text)
{
    if (!text.len)
        return;
    if (type == MODEL_TEXT && !decoder->message.says_something)
        decoder->message.says_something = hv_str_trim(text).len > 0;
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

void decoder_emit_lines(struct model_decoder *decoder, struct hv_str lines)
{
    struct hv_str line;
    while (lines.len && hv_str_split(&lines, '\n', &line)) {
        decoder->event.json = line;
        decoder_emit(decoder, MODEL_BLOCK);
    }
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
    switch (code) {
    case HV_ENET: hv_error_hint(&decoder->event.error, "send the request again"); break;
    case HV_EAGAIN: hv_error_hint(&decoder->event.error, "send it again in a while, or use another model"); break;
    case HV_ETOOBIG:
        hv_error_hint(&decoder->event.error, "ask for less in one answer; what is this large is no model's, mostly");
        break;
    default:
        hv_error_hint(&decoder->event.error, "give what a model's server sends, as it came: events or lines of JSON");
    }
    emit_error(decoder, -1);
}

void decoder_fail_json(struct model_decoder *decoder, const struct hv_json *error)
{
    if (decoder->over)
        return;
    decoder->spoke = true;
    int64_t retry_after_ms = -1;
    fault_from_json(error, &retry_after_ms, &decoder->event.error);
    emit_error(decoder, retry_after_ms);
}

void decoder_fail_text(struct model_decoder *decoder, struct hv_str words)
{
    const struct hv_json error = {.type = HV_JSON_STRING, .text = words};
    decoder_fail_json(decoder, &error);
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
    hv_buf_init(&block->name, NAME_MAX_HERE);
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
    decoder->progress++;
    if (!buf->failed && decoder->held <= 4 * decoder->max_block)
        return true;
    if (buf->max == ID_MAX || buf->max == NAME_MAX_HERE)
        decoder_fail(decoder, HV_ETOOBIG, "the id or name of a tool call is longer than %zu bytes", buf->max);
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
    struct hv_buf name = block->name; /* what comes behind a call may go on under its name */
    size_t held = block->start.len + block->text.len + block->signature.len + block->citations.len + block->id.len;
    decoder->held -= held;
    block->name = (struct hv_buf){0};
    block_release(block);
    block->name = name;
    block->ended = block->closed = true;
}

/* ---- what blocks become -------------------------------------------------------------------------------- */

static void end_line(struct hv_buf *lines)
{
    if (lines->len)
        hv_buf_add_byte(lines, '\n');
}

void decode_put_text(struct hv_buf *lines, struct hv_str text, struct hv_str phase, const struct hv_json *annotations)
{
    if (!text.len)
        return;
    struct hv_json_writer writer;
    end_line(lines);
    hv_json_writer_init(&writer, lines);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "type", "text");
    hv_json_member_string(&writer, "text", text);
    if (phase.len)
        hv_json_member_string(&writer, "phase", phase);
    if (hv_json_type_of(annotations) == HV_JSON_ARRAY && annotations->first) {
        hv_json_name(&writer, "annotations");
        hv_json_put_value(&writer, annotations);
    }
    hv_json_end_object(&writer);
}

void decode_put_item(const struct model_decoder *decoder, struct hv_buf *lines, const char *provider,
                     const struct hv_json *item)
{
    struct hv_json_writer writer;
    end_line(lines);
    hv_json_writer_init(&writer, lines);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "type", "provider_item");
    hv_json_member_cstr(&writer, "provider", provider);
    if (decoder->origin.len)
        hv_json_member_string(&writer, "from", decoder->origin);
    hv_json_name(&writer, "item");
    hv_json_put_value(&writer, item); /* not its source, which may hold what was repaired in reading */
    hv_json_end_object(&writer);
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
    decoder_leave(decoder, true);
    if (decoder->over)
        return;
    enum model_stop stop = message->stop;
    if (stop == MODEL_STOP_NONE)
        stop = message->calls ? MODEL_STOP_TOOL_USE : MODEL_STOP_END_TURN;
    decoder->event.stop = stop;
    decoder->event.stop_text =
        message->stop_text.len ? hv_buf_str(&message->stop_text) : hv_str_from(model_stop_name(stop));
    decoder->event.stop_unknown = message->stop_unknown;
    decoder->event.empty = !message->says_something;
    decoder_emit(decoder, MODEL_STOP);
    decoder->event.stop = MODEL_STOP_NONE;
    decoder->event.stop_unknown = decoder->event.empty = false;
    decoder->messages++;
    decoder_message_reset(decoder);
}

void decoder_message_reset(struct model_decoder *decoder)
{
    struct decode_message *message = &decoder->message;
    for (size_t i = 0; i < message->blocks.count; i++)
        block_release(&message->blocks.items[i]);
    vec_release(&message->blocks);
    vec_release(&message->ids);
    hv_buf_release(&message->stop_text);
    *message = (struct decode_message){0};
    hv_buf_init(&message->stop_text, NAME_MAX_HERE);
    decoder->held = 0;
    decoder->learned.kind = DECODE_NONE;
}

int64_t decode_count(const struct hv_json *object, const char *name, int64_t fallback)
{
    int64_t value;
    return hv_json_int64(hv_json_get(object, name), &value) && value >= 0 ? value : fallback;
}
