/* calls.c: see calls.h. A scanner cuts the input into JSON values without parsing; each value is then parsed once. */
#include "agent/calls.h"

#include "base/cleanup.h"

#include <ctype.h>

enum { PEEK_MAX = 4096 };

struct calls_reader {
    enum calls_kind kind;
    struct calls_handlers handlers;
    struct model_decoder *decoder;
    bool stream_failed;
    struct hv_buf pending; /* the beginning of a value, or of the input while its kind is open */
    /* The scanner's state within `pending`. */
    size_t begin, scanned; /* where the value at hand begins, how far it was looked at */
    unsigned depth;
    bool in_string, escaped, started, too_long;
    uint64_t line, value_line;
    bool at_line_start;
};

static void fault(struct calls_reader *reader, uint64_t line, const struct hv_error *err)
{
    reader->handlers.on_fault(reader->handlers.user, line, err);
}

/* ---- values ---------------------------------------------------------------------------------------------------- */

static bool is_type(const struct hv_json *value, const char *type)
{
    return hv_str_is(hv_json_get_string(value, "type"), type);
}

/* A member's raw JSON; a string's text where the protocol wraps JSON in a string; "{}" for nothing. */
static struct hv_str input_of(const struct hv_json *value, struct hv_str text)
{
    struct hv_str inner = hv_json_string(value);
    if (inner.ptr)
        return hv_str_trim(inner).len > 0 ? inner : HV_STR("{}");
    return value && value->type != HV_JSON_NULL ? hv_json_source(value, text) : HV_STR("{}");
}

static void give(struct calls_reader *reader, const struct hv_json *id, struct hv_str name, struct hv_str input,
                 enum calls_shape shape, struct hv_str text)
{
    struct hv_str identity = id && id->type == HV_JSON_NUMBER ? hv_json_source(id, text) : hv_json_string(id);
    reader->handlers.on_call(reader->handlers.user, identity.ptr ? identity : HV_STR(""), name.ptr ? name : HV_STR(""),
                             input, shape);
}

/* One block or one call; false when the value is neither. */
static bool take_call(struct calls_reader *reader, const struct hv_json *value, struct hv_str text)
{
    const struct hv_json *function = hv_json_get(value, "function");
    if (is_type(value, "tool_use")) {
        const struct hv_json *input = hv_json_get(value, "input");
        /* An input that is a string stays one: the runtime says what is wrong, or repairs it. */
        give(reader, hv_json_get(value, "id"), hv_json_get_string(value, "name"),
             input ? hv_json_source(input, text) : HV_STR("{}"), CALLS_SHAPE_ANTHROPIC, text);
    } else if (is_type(value, "function_call")) {
        const struct hv_json *id = hv_json_get(value, "call_id");
        give(reader, id ? id : hv_json_get(value, "id"), hv_json_get_string(value, "name"),
             input_of(hv_json_get(value, "arguments"), text), CALLS_SHAPE_RESPONSES, text);
    } else if (function && function->type == HV_JSON_OBJECT) {
        give(reader, hv_json_get(value, "id"), hv_json_get_string(function, "name"),
             input_of(hv_json_get(function, "arguments"), text), CALLS_SHAPE_CHAT, text);
    } else {
        return false;
    }
    return true;
}

/* The lists in which calls may stand inside a message or a whole response. */
static const struct hv_json *list_of(const struct hv_json *value)
{
    const struct hv_json *message = hv_json_get(value, "message");
    const struct hv_json *choice = hv_json_at(hv_json_get(value, "choices"), 0);
    const struct hv_json *candidates[] = {
        hv_json_get(value, "tool_calls"),   hv_json_get(hv_json_get(choice, "message"), "tool_calls"),
        hv_json_get(message, "tool_calls"), hv_json_get(message, "content"),
        hv_json_get(value, "content"),      hv_json_get(value, "output"),
    };
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++)
        if (candidates[i] && candidates[i]->type == HV_JSON_ARRAY)
            return candidates[i];
    return NULL;
}

static bool is_message(const struct hv_json *value)
{
    return hv_json_get(value, "role") || hv_json_get(value, "message") || hv_json_get(value, "choices") ||
           hv_json_get(value, "output") || is_type(value, "message") || is_type(value, "text") ||
           is_type(value, "thinking");
}

static void take_list(struct calls_reader *reader, const struct hv_json *list, struct hv_str text)
{
    reader->handlers.on_message(reader->handlers.user);
    hv_json_each(item, list)
    {
        if (take_call(reader, item, text))
            continue;
        const struct hv_json *inner = list_of(item); /* an array of messages */
        hv_json_each(call, inner)(void) take_call(reader, call, text);
    }
}

static void take_value(struct calls_reader *reader, struct hv_str text)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *value;
    struct hv_error err;
    unsigned flags = HV_JSON_REPAIR_SURROGATES | HV_JSON_REPAIR_UTF8 | HV_JSON_ALLOW_BOM;
    if (hv_json_parse(&arena, text, flags, &value, &err) != HV_OK) {
        fault(reader, reader->value_line, &err);
        return;
    }
    if (value->type == HV_JSON_ARRAY) {
        take_list(reader, value, text);
    } else if (!take_call(reader, value, text)) {
        const struct hv_json *list = list_of(value);
        if (list) {
            take_list(reader, list, text);
        } else if (!is_message(value)) {
            hv_fail(&err, HV_EINVAL, "this is neither a tool_use block, a tool_calls entry nor a message");
            hv_error_hint(&err, "expected {\"type\":\"tool_use\",\"id\":…,\"name\":…,\"input\":{…}}");
            fault(reader, reader->value_line, &err);
        }
    }
}

/* ---- cutting the input into values ------------------------------------------------------------------------------- */

static void restart_scan(struct calls_reader *reader)
{
    reader->depth = 0;
    reader->in_string = reader->escaped = reader->started = reader->too_long = false;
}

/* pending[begin, end) is one value (or something broken): take it and go on after it. */
static void cut(struct calls_reader *reader, size_t end)
{
    struct hv_str text = hv_str_trim(hv_str_slice(hv_buf_str(&reader->pending), reader->begin, end));
    if (text.len > 0 && !reader->too_long)
        take_value(reader, text);
    reader->begin = reader->scanned = end;
    restart_scan(reader);
}

/* Look at one byte; true when the value ends with it. */
static bool scan_byte(struct calls_reader *reader, char c)
{
    if (reader->in_string) {
        if (reader->escaped)
            reader->escaped = false;
        else if (c == '\\')
            reader->escaped = true;
        else if (c == '"')
            reader->in_string = false;
        return false;
    }
    switch (c) {
    case '"': reader->in_string = true; return false;
    case '{':
    case '[': reader->depth++; return false;
    case '}':
    case ']':
        if (reader->depth > 0)
            reader->depth--;
        return reader->depth == 0;
    default: return false;
    }
}

/* A newline inside a string, or a new value at the left edge while one is open: what came before is broken. */
static bool breaks_off(const struct calls_reader *reader, char c)
{
    if (reader->in_string && c == '\n')
        return true;
    return reader->at_line_start && reader->depth > 0 && !reader->in_string && c == '{' &&
           reader->line > reader->value_line && reader->pending.data[reader->begin] == '{';
}

/* Inside a string most bytes mean nothing: go on to the next that may end it. */
static void skip_plain(struct calls_reader *reader)
{
    const char *at = reader->pending.data + reader->scanned, *end = reader->pending.data + reader->pending.len;
    while (at < end && *at != '"' && *at != '\\' && *at != '\n')
        at++;
    reader->scanned = (size_t)(at - reader->pending.data);
}

static void scan(struct calls_reader *reader)
{
    while (reader->scanned < reader->pending.len) {
        if (reader->in_string && !reader->escaped)
            skip_plain(reader);
        if (reader->scanned == reader->pending.len)
            break;
        char c = reader->pending.data[reader->scanned];
        bool blank = isspace((unsigned char)c) || (c == ',' && !reader->started);
        if (!reader->started && blank) {
            reader->line += c == '\n';
            reader->at_line_start = c == '\n';
            reader->begin = ++reader->scanned;
            continue;
        }
        if (!reader->started) {
            reader->started = true;
            reader->value_line = reader->line;
        }
        if (breaks_off(reader, c) || (c == '\n' && reader->depth == 0)) {
            cut(reader, reader->scanned);
            continue;
        }
        reader->line += c == '\n';
        bool ends = scan_byte(reader, c);
        reader->at_line_start = c == '\n';
        reader->scanned++;
        if (ends)
            cut(reader, reader->scanned);
    }
    hv_buf_consume(&reader->pending, reader->begin);
    reader->scanned -= reader->begin;
    reader->begin = 0;
}

static void drop_giant(struct calls_reader *reader)
{
    struct hv_error err;
    hv_fail(&err, HV_ETOOBIG, "a value over %d MiB was left out", CALLS_VALUE_MAX >> 20);
    fault(reader, reader->value_line, &err);
    hv_buf_clear(&reader->pending);
    reader->scanned = 0;
    reader->too_long = true;
    hv_buf_add_byte(&reader->pending, ' ');
}

static void feed_json(struct calls_reader *reader, struct hv_str bytes)
{
    while (bytes.len > 0) {
        struct hv_str piece = hv_str_slice(bytes, 0, 64 << 10);
        bytes = hv_str_slice(bytes, piece.len, bytes.len);
        if (reader->pending.len + piece.len > CALLS_VALUE_MAX)
            drop_giant(reader);
        hv_buf_add_str(&reader->pending, piece);
        scan(reader);
    }
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

static void on_stream_event(void *user, const struct model_event *event)
{
    struct calls_reader *reader = user;
    if (event->type == MODEL_START) {
        reader->handlers.on_message(reader->handlers.user);
    } else if (event->type == MODEL_TOOL_CALL) {
        enum model_wire wire = model_decoder_wire(reader->decoder);
        enum calls_shape shape = wire == MODEL_WIRE_OPENAI_CHAT        ? CALLS_SHAPE_CHAT
                                 : wire == MODEL_WIRE_OPENAI_RESPONSES ? CALLS_SHAPE_RESPONSES
                                                                       : CALLS_SHAPE_ANTHROPIC;
        reader->handlers.on_call(reader->handlers.user, event->id, event->name, event->json, shape);
    } else if (event->type == MODEL_ERROR) {
        reader->stream_failed = true;
        fault(reader, 0, &event->error);
    }
}

static void open_stream(struct calls_reader *reader)
{
    enum model_wire wire = reader->kind == CALLS_ANTHROPIC          ? MODEL_WIRE_ANTHROPIC
                           : reader->kind == CALLS_OPENAI_CHAT      ? MODEL_WIRE_OPENAI_CHAT
                           : reader->kind == CALLS_OPENAI_RESPONSES ? MODEL_WIRE_OPENAI_RESPONSES
                                                                    : MODEL_WIRE_UNKNOWN;
    reader->decoder = model_decoder_new(wire, CALLS_VALUE_MAX, on_stream_event, reader);
    model_decoder_keep_ids(reader->decoder);
}

/* ---- the kind ---------------------------------------------------------------------------------------------------- */

/* JSON begins with a bracket; an event stream with a field name or a comment. */
static enum calls_kind recognise(struct hv_str text, bool at_end)
{
    if (hv_str_starts(text, HV_STR("\xef\xbb\xbf")))
        text = hv_str_slice(text, 3, text.len);
    text = hv_str_trim(text);
    if (text.len == 0)
        return at_end ? CALLS_JSON : CALLS_AUTO;
    if (text.ptr[0] == '{' || text.ptr[0] == '[')
        return CALLS_JSON;
    static const char *const starts[] = {"data:", "event:", "id:", "retry:", ":"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (hv_str_starts(text, hv_str_from(starts[i])))
            return CALLS_STREAM;
    return at_end || text.len >= 8 ? CALLS_JSON : CALLS_AUTO;
}

struct calls_reader *calls_reader_new(enum calls_kind kind, const struct calls_handlers *handlers)
{
    struct calls_reader *reader = hv_calloc(1, sizeof *reader);
    reader->kind = kind;
    reader->handlers = *handlers;
    reader->line = 1;
    reader->at_line_start = true;
    hv_buf_init(&reader->pending, CALLS_VALUE_MAX + (128 << 10));
    if (kind > CALLS_JSON)
        open_stream(reader);
    return reader;
}

void calls_reader_free(struct calls_reader *reader)
{
    if (!reader)
        return;
    model_decoder_free(reader->decoder);
    hv_buf_release(&reader->pending);
    free(reader);
}

/* The kind is open: wait for enough bytes to tell. */
static void settle_kind(struct calls_reader *reader, bool at_end)
{
    reader->kind = recognise(hv_buf_str(&reader->pending), at_end);
    if (reader->kind == CALLS_AUTO && reader->pending.len > PEEK_MAX)
        reader->kind = CALLS_JSON;
    if (reader->kind == CALLS_STREAM) {
        open_stream(reader);
        model_decoder_feed(reader->decoder, hv_buf_str(&reader->pending));
        hv_buf_release(&reader->pending);
    } else if (reader->kind == CALLS_JSON) {
        scan(reader);
    }
}

void calls_reader_feed(struct calls_reader *reader, struct hv_str bytes)
{
    while (reader->kind == CALLS_AUTO && bytes.len > 0) {
        struct hv_str head = hv_str_slice(bytes, 0, PEEK_MAX);
        hv_buf_add_str(&reader->pending, head);
        settle_kind(reader, false);
        bytes = hv_str_slice(bytes, head.len, bytes.len);
    }
    if (bytes.len == 0)
        return;
    if (reader->decoder)
        model_decoder_feed(reader->decoder, bytes);
    else
        feed_json(reader, bytes);
}

/* The input ended inside a value: it is broken, but whole calls may stand on lines of their own after its beginning. */
static void salvage(struct calls_reader *reader)
{
    struct hv_str rest = hv_str_slice(hv_buf_str(&reader->pending), reader->begin, SIZE_MAX), line;
    struct hv_error err;
    hv_fail(&err, HV_EINVAL, "the input ended inside a value that begins here");
    fault(reader, reader->value_line, &err);
    (void)hv_str_split(&rest, '\n', &line);
    while (hv_str_split(&rest, '\n', &line)) {
        reader->value_line++;
        line = hv_str_trim(line);
        if (hv_str_ends(line, HV_STR(",")))
            line.len--;
        if (hv_str_starts(line, HV_STR("{")) && hv_str_ends(line, HV_STR("}")))
            take_value(reader, line);
    }
}

static void finish_json(struct calls_reader *reader)
{
    if (reader->too_long || reader->pending.len == reader->begin)
        return;
    if (reader->depth > 0 || reader->in_string)
        salvage(reader);
    else
        cut(reader, reader->pending.len);
}

void calls_reader_finish(struct calls_reader *reader)
{
    if (reader->kind == CALLS_AUTO)
        settle_kind(reader, true);
    if (reader->decoder && !reader->stream_failed)
        model_decoder_finish(reader->decoder);
    else if (!reader->decoder)
        finish_json(reader);
}
