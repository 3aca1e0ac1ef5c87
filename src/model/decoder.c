/*
 * decoder.c: the bytes' side of decoding: server-sent events, or (recorded or unstreamed) one JSON value per line or a
 * single one; finding out whose they are; the short cut for events that differ in one string only (see decoder.h).
 */
#include "model/decoder.h"

#include "base/cleanup.h"
#include "base/str_inline.h"
#include "net/sse.h"

enum {
    UNKNOWN_EVENTS_MAX = 1000, /* foreign events before the stream counts as no model's */
    UNKNOWN_BYTES_MAX = 16 << 20,
    EVENT_OVERHEAD = 1 << 16,
};

enum input_form { FORM_UNKNOWN = 0, FORM_EVENTS, FORM_LINES, FORM_WHOLE };

struct decode_input {
    enum input_form form;
    bool finishing;
    size_t max_event, seen;
    unsigned unknown;
    struct sse sse;
    struct hv_buf text; /* lines: the open line; whole: everything */
};

static void set_wire(struct model_decoder *decoder, enum model_wire wire)
{
    static const struct decode_wire *const wires[] = {NULL, &decode_wire_anthropic, &decode_wire_openai_chat,
                                                      &decode_wire_openai_responses};
    decoder->wire = wire;
    decoder->functions = wires[wire];
}

struct model_decoder *model_decoder_new(enum model_wire wire, size_t max_block, model_on_event *on_event, void *user)
{
    struct model_decoder *decoder = hv_calloc(1, sizeof *decoder);
    struct decode_input *input = hv_calloc(1, sizeof *input);
    max_block = max_block < SIZE_MAX / 64 ? max_block : SIZE_MAX / 64;
    *decoder = (struct model_decoder){.max_block = max_block, .on_event = on_event, .user = user, .input = input};
    /* Escapes make an event larger than what it says, and some repeat the whole message. */
    input->max_event = 4 * max_block + EVENT_OVERHEAD;
    sse_init(&input->sse, input->max_event);
    hv_buf_init(&input->text, input->max_event);
    hv_arena_init(&decoder->arena);
    hv_buf_init(&decoder->scratch, SIZE_MAX / 2);
    hv_buf_init(&decoder->learned.literals, SIZE_MAX / 2);
    decoder->event.retry_after_ms = -1;
    decoder_message_reset(decoder);
    set_wire(decoder, wire);
    return decoder;
}

void model_decoder_free(struct model_decoder *decoder)
{
    if (!decoder)
        return;
    decoder_message_reset(decoder);
    sse_release(&decoder->input->sse);
    hv_buf_release(&decoder->input->text);
    free(decoder->input);
    hv_buf_release(&decoder->scratch);
    hv_buf_release(&decoder->learned.literals);
    hv_arena_release(&decoder->arena);
    free(decoder);
}

void model_decoder_keep_ids(struct model_decoder *decoder)
{
    decoder->keep_ids = true;
}

enum model_wire model_decoder_wire(const struct model_decoder *decoder)
{
    return decoder->wire;
}

void decoder_set_raw(struct model_decoder *decoder, void (*on_raw)(void *user, struct hv_str json), void *user)
{
    decoder->on_raw = on_raw;
    decoder->raw_user = user;
}

void decoder_give_raw(struct model_decoder *decoder, struct hv_str data)
{
    bool odd = false, lines = false;
    const struct hv_json *root;
    if (!decoder->on_raw)
        return;
    for (size_t i = 0; i < data.len; i++) {
        odd |= (unsigned char)data.ptr[i] >= 0x80 || data.ptr[i] == '\\';
        lines |= (unsigned char)data.ptr[i] < ' ';
    }
    if (!lines && (!odd || hv_json_parse(&decoder->arena, data, HV_JSON_STRICT, &root, NULL) == HV_OK)) {
        decoder->on_raw(decoder->raw_user, data);
        return;
    }
    /* Halves of characters, bytes that are no text, and breaks would make the lines of whoever gets them invalid. */
    CLEANUP_BUF struct hv_buf mended = {.max = SIZE_MAX / 2};
    struct hv_json_writer writer;
    if (hv_json_parse(&decoder->arena, data, DECODE_JSON_FLAGS, &root, NULL) != HV_OK)
        return;
    hv_json_writer_init(&writer, &mended);
    hv_json_put_value(&writer, root);
    decoder->on_raw(decoder->raw_user, hv_buf_str(&mended));
}

void decoder_set_seed(struct model_decoder *decoder, uint64_t seed)
{
    decoder->id_seed = seed;
}

void decoder_set_known_ids(struct model_decoder *decoder, const struct decode_ids *ids)
{
    decoder->known_ids = ids;
}

void decoder_set_origin(struct model_decoder *decoder, struct hv_str origin)
{
    decoder->origin = origin;
}

void decoder_set_end(struct model_decoder *decoder, enum decode_end end)
{
    decoder->end = end;
}

/* ---- whose events are they? ------------------------------------------------------------------------------- */

static enum model_wire recognise(const struct hv_json *root, struct hv_str name)
{
    static const char *const anthropic[] = {"message_start",
                                            "content_block_start",
                                            "content_block_delta",
                                            "content_block_stop",
                                            "message_delta",
                                            "message_stop",
                                            "ping",
                                            "message"};
    struct hv_str type = hv_json_get_string(root, "type");
    if (!type.len)
        type = name;
    for (size_t i = 0; i < sizeof anthropic / sizeof *anthropic; i++) {
        /* "message" is also what an event without a name is called */
        if (hv_str_is(type, anthropic[i]) && (type.ptr != name.ptr || !hv_str_is(name, "message")))
            return MODEL_WIRE_ANTHROPIC;
    }
    if (hv_str_starts(type, HV_STR("response.")) || hv_str_is(hv_json_get_string(root, "object"), "response"))
        return MODEL_WIRE_OPENAI_RESPONSES;
    if (hv_json_type_of(hv_json_get(root, "choices")) == HV_JSON_ARRAY)
        return MODEL_WIRE_OPENAI_CHAT;
    return MODEL_WIRE_UNKNOWN;
}

static void fail_unknown(struct model_decoder *decoder)
{
    decoder_fail(
        decoder, HV_EPROTO,
        "this is not the stream of a known model API (Anthropic Messages, OpenAI Chat Completions or Responses)");
}

static bool find_wire(struct model_decoder *decoder, const struct hv_json *root, struct hv_str name, struct hv_str data)
{
    if (decoder->functions)
        return true;
    set_wire(decoder, recognise(root, name));
    if (decoder->functions)
        return true;
    struct decode_input *input = decoder->input;
    input->seen += data.len;
    if (++input->unknown > UNKNOWN_EVENTS_MAX || input->seen > UNKNOWN_BYTES_MAX)
        fail_unknown(decoder);
    return false;
}

static bool has_begun(const struct model_decoder *decoder)
{
    return decoder->message.started || decoder->messages;
}

/* Before a message has begun: is this its wire at all? A wrong base URL may lead to another API. */
static void note_wire(struct model_decoder *decoder, enum model_wire wire)
{
    if (has_begun(decoder) || wire == MODEL_WIRE_UNKNOWN)
        return;
    if (wire == decoder->wire)
        decoder->spoke = true;
    else
        decoder->other = wire;
}

/* ---- one event -------------------------------------------------------------------------------------------- */

/* The error that an event carries, in any of the shapes that occur; NULL when it carries none. */
static const struct hv_json *find_error(const struct hv_json *root, struct hv_str name)
{
    const struct hv_json *error = hv_json_get(root, "error");
    enum hv_json_type type = hv_json_type_of(error);
    if (type == HV_JSON_OBJECT || (type == HV_JSON_STRING && error->text.len))
        return error;
    bool named = hv_str_is(name, "error") || hv_str_is(hv_json_get_string(root, "type"), "error") ||
                 hv_str_is(hv_json_get_string(root, "object"), "error");
    return named ? root : NULL;
}

static void take_value(struct model_decoder *decoder, struct hv_str name, struct hv_str data,
                       const struct hv_json *root)
{
    decoder->learned.kind = DECODE_NONE;
    const struct hv_json *error = find_error(root, name);
    if (error)
        decoder_fail_json(decoder, error);
    else if (root->type == HV_JSON_OBJECT && find_wire(decoder, root, name, data)) {
        if (!has_begun(decoder))
            note_wire(decoder, recognise(root, name));
        decoder->functions->event(decoder, name, data, root);
    }
}

static void take_done(struct model_decoder *decoder)
{
    if (!decoder->functions)
        return;
    note_wire(decoder, MODEL_WIRE_OPENAI_CHAT); /* some proxies add it to other wires, too, but then not alone */
    decoder->functions->done(decoder);
}

/* Some servers forget the blank line between events: then one event has several lines of data. */
static bool take_joined(struct model_decoder *decoder, struct hv_str name, struct hv_str data)
{
    if (hv_str_find_byte(data, '\n', 0) == SIZE_MAX)
        return false;
    const struct hv_json *root;
    struct hv_str rest = data, line;
    while (hv_str_split(&rest, '\n', &line)) {
        if (hv_str_is(hv_str_trim(line), "[DONE]") || !hv_str_trim(line).len)
            continue;
        if (hv_json_parse(&decoder->arena, line, DECODE_JSON_FLAGS, &root, NULL) != HV_OK)
            return false;
    }
    rest = data;
    while (!decoder->over && hv_str_split(&rest, '\n', &line)) {
        if (hv_str_is(hv_str_trim(line), "[DONE]"))
            take_done(decoder);
        else if (hv_json_parse(&decoder->arena, line, DECODE_JSON_FLAGS, &root, NULL) == HV_OK)
            take_value(decoder, name, line, root);
    }
    return true;
}

static void take_event(struct model_decoder *decoder, struct hv_str name, struct hv_str data)
{
    if (decoder_short_cut(decoder, data))
        return;
    data = hv_str_trim(data);
    if (!data.len)
        return;
    if (hv_str_is(data, "[DONE]")) {
        take_done(decoder);
        return;
    }
    const struct hv_json *root;
    struct hv_error err;
    if (hv_json_parse(&decoder->arena, data, DECODE_JSON_FLAGS, &root, &err) == HV_OK) {
        decoder_give_raw(decoder, data);
        take_value(decoder, name, data, root);
    } else if (take_joined(decoder, name, data)) {
        return;
    } else if (hv_str_is(name, "error")) {
        decoder_fail_text(decoder, data);
    } else if (decoder->input->finishing && decoder->message.stopping) {
        return; /* only its last mark was cut */
    } else if (decoder->input->finishing) {
        decoder_fail_cut(decoder);
    } else {
        decoder_fail(decoder, HV_ENET, "the stream is damaged: an event is not valid JSON (%s)", err.message);
    }
}

static void event_done(struct model_decoder *decoder)
{
    if (decoder->arena.used)
        hv_arena_reset(&decoder->arena);
}

static enum hv_code on_sse(void *user, const struct sse_event *event, struct hv_error *err)
{
    struct model_decoder *decoder = user;
    take_event(decoder, event->name, event->data);
    event_done(decoder);
    return decoder->over ? hv_fail(err, HV_ECANCELLED, "the stream is over") : HV_OK;
}

/* ---- bytes ------------------------------------------------------------------------------------------------ */

static void feed_events(struct model_decoder *decoder, struct hv_str bytes)
{
    struct hv_error err;
    if (sse_feed(&decoder->input->sse, bytes, on_sse, decoder, &err) != HV_OK)
        decoder_fail(decoder, err.code, "%s", err.message);
}

/* A first line that is no JSON by itself: one value spread over many lines. */
static bool take_line(struct model_decoder *decoder, struct hv_str line)
{
    const struct hv_json *root;
    struct hv_str text = hv_str_trim(line);
    bool first = !has_begun(decoder) && !decoder->input->unknown;
    if (first && text.len && hv_json_parse(&decoder->arena, text, DECODE_JSON_FLAGS, &root, NULL) != HV_OK) {
        decoder->input->form = FORM_WHOLE;
        return false;
    }
    take_event(decoder, HV_STR("message"), text);
    event_done(decoder);
    return true;
}

static bool gather(struct model_decoder *decoder, struct hv_str bytes)
{
    hv_buf_add_str(&decoder->input->text, bytes);
    if (decoder->input->text.failed)
        decoder_fail(decoder, HV_ETOOBIG, "an event of the stream is longer than %zu bytes", decoder->input->max_event);
    return !decoder->over;
}

static void feed_lines(struct model_decoder *decoder, struct hv_str bytes)
{
    while (bytes.len && !decoder->over) {
        size_t end = hv_str_find_byte(bytes, '\n', 0);
        struct hv_str part = hv_str_slice(bytes, 0, end == SIZE_MAX ? bytes.len : end + 1);
        if (!gather(decoder, part))
            return;
        bytes = hv_str_slice(bytes, part.len, bytes.len);
        if (end == SIZE_MAX)
            return;
        if (!take_line(decoder, hv_buf_str(&decoder->input->text))) {
            (void)gather(decoder, bytes);
            return;
        }
        hv_buf_clear(&decoder->input->text);
    }
}

static struct hv_str skip_blank(struct hv_str bytes)
{
    size_t at = 0;
    while (at < bytes.len &&
           (bytes.ptr[at] == ' ' || bytes.ptr[at] == '\n' || bytes.ptr[at] == '\r' || bytes.ptr[at] == '\t'))
        at++;
    return hv_str_slice(bytes, at, bytes.len);
}

void model_decoder_feed(struct model_decoder *decoder, struct hv_str bytes)
{
    struct decode_input *input = decoder->input;
    if (input->form == FORM_UNKNOWN) {
        bytes = skip_blank(bytes);
        if (bytes.len)
            input->form = bytes.ptr[0] == '{' ? FORM_LINES : FORM_EVENTS;
    }
    if (decoder->over || !bytes.len)
        return;
    if (input->form == FORM_EVENTS)
        feed_events(decoder, bytes);
    else if (input->form == FORM_LINES)
        feed_lines(decoder, bytes);
    else
        (void)gather(decoder, bytes);
}

void model_decoder_finish(struct model_decoder *decoder)
{
    struct decode_input *input = decoder->input;
    if (decoder->over)
        return;
    input->finishing = true;
    /* The last event often lacks its blank line. */
    if (input->form == FORM_EVENTS) {
        feed_events(decoder, HV_STR("\n\n"));
    } else if (input->text.len) {
        take_event(decoder, HV_STR("message"), hv_buf_str(&input->text));
        event_done(decoder);
    }
    if (decoder->over)
        return;
    if (decoder->functions)
        decoder->functions->finish(decoder);
    else if (input->unknown)
        fail_unknown(decoder);
    else
        decoder_fail(decoder, HV_ENET, "the stream ended before its first event");
    event_done(decoder);
}
