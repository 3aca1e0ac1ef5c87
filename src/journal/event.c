/*
 * event.c: events as lines of JSON, for journals, `exec --events` and traces (contract: helve/event.h).
 *
 * One table names the types; writing and reading use the same member names. A line never holds a newline inside, and
 * is valid JSON whatever the model sent: raw input that is no JSON is kept as a string.
 */
#include <helve/event.h>

static const struct event_row {
    const char *name;
    bool recorded;
} rows[HV_EVENT_COUNT] = {
    [HV_EVENT_NONE] = {"none", false},
    [HV_EVENT_SESSION_START] = {"session_start", true},
    [HV_EVENT_SESSION_END] = {"session_end", true},
    [HV_EVENT_MESSAGE] = {"message", true},
    [HV_EVENT_REQUEST] = {"request", true},
    [HV_EVENT_FIRST_BYTE] = {"first_byte", true},
    [HV_EVENT_TEXT] = {"text", false},
    [HV_EVENT_THINKING] = {"thinking", false},
    [HV_EVENT_STREAM_EVENT] = {"stream_event", false},
    [HV_EVENT_RESPONSE] = {"response", true},
    [HV_EVENT_RETRY] = {"retry", true},
    [HV_EVENT_CALL] = {"call", true},
    [HV_EVENT_HOOK] = {"hook", true},
    [HV_EVENT_ASK] = {"ask", true},
    [HV_EVENT_DECISION] = {"decision", true},
    [HV_EVENT_ADMITTED] = {"admitted", true},
    [HV_EVENT_PROGRESS] = {"progress", false},
    [HV_EVENT_STAGE] = {"stage", true},
    [HV_EVENT_RESULT] = {"result", true},
    [HV_EVENT_NOTICE] = {"notice", true},
    [HV_EVENT_TURN_END] = {"turn_end", true},
    [HV_EVENT_TASK] = {"task", true},
    [HV_EVENT_STATE] = {"state", true},
    [HV_EVENT_CHECKPOINT] = {"checkpoint", true},
    [HV_EVENT_SIDE] = {"side", true},
    [HV_EVENT_REWIND] = {"rewind", true},
};

const char *hv_event_name(enum hv_event_type type)
{
    return (unsigned)type < HV_EVENT_COUNT ? rows[type].name : "none";
}

enum hv_event_type hv_event_type_from(struct hv_str name)
{
    for (int i = HV_EVENT_NONE + 1; i < HV_EVENT_COUNT; i++)
        if (hv_str_is(name, rows[i].name))
            return i;
    return HV_EVENT_NONE;
}

bool hv_event_is_recorded(enum hv_event_type type)
{
    return (unsigned)type < HV_EVENT_COUNT && rows[type].recorded;
}

static void member_if_given(struct hv_json_writer *writer, const char *name, struct hv_str text)
{
    if (text.ptr)
        hv_json_member_string(writer, name, text);
}

/* Outside strings JSON may be broken over lines, inside it may not: so each newline can become a blank. */
static void put_on_one_line(struct hv_json_writer *writer, const char *name, struct hv_str json)
{
    hv_json_name(writer, name);
    size_t start = writer->buf->len;
    hv_json_put_raw(writer, json);
    if (writer->buf->failed || !memchr(json.ptr, '\n', json.len))
        return;
    for (size_t i = start; i < writer->buf->len; i++)
        if (writer->buf->data[i] == '\n')
            writer->buf->data[i] = ' ';
}

/* Raw input is written as it is, but for what is no JSON, and for a JSON string (so that a string always means "the
 * raw text was this"). */
static bool goes_raw(struct hv_str text)
{
    struct hv_arena arena = {0};
    const struct hv_json *value;
    bool raw = hv_json_parse(&arena, text, HV_JSON_STRICT, &value, NULL) == HV_OK && value->type != HV_JSON_STRING;
    hv_arena_release(&arena);
    return raw;
}

static void put_json(struct hv_json_writer *writer, const struct hv_event *event)
{
    if (!event->json.ptr)
        return;
    if (event->json.len == 0 || (event->type == HV_EVENT_CALL && !goes_raw(event->json)))
        hv_json_member_string(writer, "json", event->json);
    else
        put_on_one_line(writer, "json", event->json);
}

void hv_event_write(struct hv_buf *buf, const struct hv_event *event)
{
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, buf);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "type", hv_event_name(event->type));
    hv_json_member_int(&writer, "time", (int64_t)event->time_ns);
    hv_json_member_int(&writer, "wall", event->wall_ms);
    member_if_given(&writer, "call_id", event->call_id);
    member_if_given(&writer, "tool", event->tool);
    member_if_given(&writer, "name", event->name);
    member_if_given(&writer, "text", event->text);
    if (event->type == HV_EVENT_RESULT || event->type == HV_EVENT_HOOK || event->type == HV_EVENT_SIDE)
        hv_json_member_bool(&writer, "ok", event->ok);
    if (event->duration_ns)
        hv_json_member_int(&writer, "duration", (int64_t)event->duration_ns);
    put_json(&writer, event);
    if (event->data.len > 0)
        put_on_one_line(&writer, "data", event->data);
    hv_json_end_object(&writer);
    hv_buf_add_byte(buf, '\n');
}

static uint64_t read_number(const struct hv_json *object, const char *name)
{
    int64_t value;
    return hv_json_int64(hv_json_get(object, name), &value) && value > 0 ? (uint64_t)value : 0;
}

static struct hv_str source_if_given(const struct hv_json *value, struct hv_str line)
{
    return value ? hv_json_source(value, line) : (struct hv_str){0};
}

/* The opposite of put_json. */
static struct hv_str read_json(const struct hv_json *value, enum hv_event_type type, struct hv_str line)
{
    bool text = value && value->type == HV_JSON_STRING && (type == HV_EVENT_CALL || value->text.len == 0);
    return text ? value->text : source_if_given(value, line);
}

enum hv_code hv_event_read(struct hv_arena *arena, struct hv_str line, struct hv_event *out, struct hv_error *err)
{
    const struct hv_json *object;
    enum hv_code code = hv_json_parse(arena, line, HV_JSON_STRICT, &object, err);
    if (code != HV_OK)
        return code;
    struct hv_str type = hv_json_get_string(object, "type");
    if (!type.ptr)
        return hv_fail(err, HV_EINVAL, "an event must be an object with a \"type\"");
    enum hv_event_type known = hv_event_type_from(type);
    *out = (struct hv_event){
        .type = known,
        .time_ns = read_number(object, "time"),
        .wall_ms = (int64_t)read_number(object, "wall"),
        .call_id = hv_json_get_string(object, "call_id"),
        .tool = hv_json_get_string(object, "tool"),
        .name = hv_json_get_string(object, "name"),
        .text = hv_json_get_string(object, "text"),
        .json = read_json(hv_json_get(object, "json"), known, line),
        .data = source_if_given(hv_json_get(object, "data"), line),
        .duration_ns = read_number(object, "duration"),
        .ok = hv_json_bool(hv_json_get(object, "ok"), false),
    };
    return HV_OK;
}
