/* debug.c: `helve debug json|schema|input|glob|sse|decode`: the pure parts behind batch doors (door.h). */
#include "base/base64.h"
#include "base/cleanup.h"
#include "cli/door.h"
#include "net/sse.h"
#include "schema/fields.h"
#include "schema/validator.h"
#include "text/encoding.h"
#include "text/glob.h"

enum { EVENT_MAX = 64 << 20 };

static void put_error(struct hv_json_writer *writer, const char *text)
{
    hv_json_member_bool(writer, "ok", false);
    hv_json_member_cstr(writer, "error", text);
}

/* ---- json -------------------------------------------------------------------------------------------------------- */

static void answer_json(const struct door_line *line, struct hv_json_writer *writer)
{
    const struct hv_json *encoded = hv_json_get(line->value, "b64"), *value;
    CLEANUP_BUF struct hv_buf bytes = {0};
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_error err;
    struct hv_str text = hv_json_get_string(line->value, "text");
    hv_buf_init(&bytes, DOOR_LINE_MAX);
    if (!text.ptr && (!encoded || base64_decode(&bytes, hv_json_string(encoded), BASE64_STANDARD, NULL) != HV_OK)) {
        put_error(writer, "expected the bytes in `b64`, as base64");
        return;
    }
    if (!text.ptr)
        text = hv_buf_str(&bytes);
    if (hv_json_parse(&arena, text, HV_JSON_STRICT, &value, &err) == HV_OK)
        hv_json_member_bool(writer, "ok", true);
    else
        put_error(writer, err.message);
}

static int run_json(const struct cli_call *call)
{
    (void)call;
    return door_run(answer_json, NULL);
}

const struct cli_command cli_debug_json_command = {
    .name = "debug json",
    .arguments = "",
    .summary = "lines {id, b64} on stdin: is each RFC 8259 JSON? → {id, ok, error}",
    .hidden = true,
    .run = run_json,
};

/* ---- schema ------------------------------------------------------------------------------------------------------ */

/* Many instances in a row have the same schema: it is compiled once. */
struct schema_door {
    struct hv_buf text;
    enum schema_draft draft;
    struct schema *schema;
};

static struct hv_str draft_text(const struct hv_json *draft, struct hv_str source)
{
    struct hv_str text = hv_json_string(draft);
    return text.ptr ? text : draft ? hv_json_source(draft, source) : (struct hv_str){0};
}

static enum hv_code compile(struct schema_door *door, struct hv_str text, enum schema_draft draft, struct hv_error *err)
{
    if (door->schema && door->draft == draft && hv_str_eq(hv_buf_str(&door->text), text))
        return HV_OK;
    struct schema_options options = {.draft = draft};
    schema_unref(door->schema);
    door->schema = NULL;
    hv_buf_clear(&door->text);
    hv_buf_add_str(&door->text, text);
    door->draft = draft;
    return schema_compile(text, &options, &door->schema, err);
}

static void put_schema_errors(struct hv_json_writer *writer, const struct schema_errors *errors)
{
    hv_json_name(writer, "errors");
    hv_json_begin_array(writer);
    for (const struct schema_error *error = errors->first; error; error = error->next) {
        hv_json_begin_object(writer);
        hv_json_member_string(writer, "path", error->instance_path);
        hv_json_member_string(writer, "field", error->field);
        hv_json_member_string(writer, "schema_path", error->schema_path);
        hv_json_member_string(writer, "message", error->message);
        hv_json_end_object(writer);
    }
    hv_json_end_array(writer);
}

/* Neither valid nor invalid: the schema cannot be used, or a bound was reached. */
static void put_undecided(struct hv_json_writer *writer, const struct hv_error *err)
{
    hv_json_name(writer, "valid");
    hv_json_put_null(writer);
    hv_json_member_cstr(writer, "error", err->message);
    hv_json_name(writer, "errors");
    hv_json_begin_array(writer);
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "path", err->place);
    hv_json_member_cstr(writer, "message", err->message);
    hv_json_end_object(writer);
    hv_json_end_array(writer);
}

static void answer_schema(const struct door_line *line, struct hv_json_writer *writer)
{
    struct schema_door *door = line->user;
    const struct hv_json *schema = hv_json_get(line->value, "schema");
    const struct hv_json *instance = hv_json_get(line->value, "instance");
    struct hv_str draft = draft_text(hv_json_get(line->value, "draft"), line->text);
    struct hv_error err;
    struct schema_errors errors = {0};
    if (!schema || !instance) {
        hv_fail(&err, HV_EINVAL, "expected the members `schema` and `instance`");
        put_undecided(writer, &err);
        return;
    }
    enum hv_code code = compile(door, hv_json_source(schema, line->text), schema_draft_from(draft), &err);
    if (code == HV_OK) {
        code = schema_validate(door->schema, instance, line->arena, &errors, &err);
        if (code == HV_OK || code == HV_EINVAL) {
            hv_json_member_bool(writer, "valid", code == HV_OK);
            put_schema_errors(writer, &errors);
            return;
        }
    }
    put_undecided(writer, &err);
}

static int run_schema(const struct cli_call *call)
{
    (void)call;
    struct schema_door door = {0};
    hv_buf_init(&door.text, DOOR_LINE_MAX);
    int status = door_run(answer_schema, &door);
    schema_unref(door.schema);
    hv_buf_release(&door.text);
    return status;
}

const struct cli_command cli_debug_schema_command = {
    .name = "debug schema",
    .arguments = "",
    .summary = "lines {id, schema, instance, draft?}: JSON Schema → {id, valid, errors[]}",
    .hidden = true,
    .run = run_schema,
};

/* ---- input ------------------------------------------------------------------------------------------------------- */

static void put_fault(struct hv_json_writer *writer, struct hv_str field, struct hv_str message, struct hv_str hint)
{
    hv_json_begin_object(writer);
    hv_json_member_string(writer, "field", field);
    hv_json_member_string(writer, "message", message);
    if (hint.len > 0)
        hv_json_member_string(writer, "hint", hint);
    hv_json_end_object(writer);
}

static void put_faults(struct hv_json_writer *writer, const struct fields_faults *faults)
{
    hv_json_member_bool(writer, "ok", false);
    hv_json_name(writer, "errors");
    hv_json_begin_array(writer);
    for (size_t i = 0; i < faults->count; i++)
        put_fault(writer, faults->items[i].path, faults->items[i].message, faults->items[i].hint);
    hv_json_end_array(writer);
}

static void put_unknown_tool(struct hv_json_writer *writer, struct hv_arena *arena, struct hv_str near)
{
    hv_json_member_bool(writer, "ok", false);
    hv_json_name(writer, "errors");
    hv_json_begin_array(writer);
    put_fault(writer, HV_STR(""), HV_STR("there is no such tool"),
              near.ptr ? hv_arena_format(arena, "did you mean %.*s?", HV_STR_ARG(near)) : (struct hv_str){0});
    hv_json_end_array(writer);
}

static void answer_input(const struct door_line *line, struct hv_json_writer *writer)
{
    struct hv_str near = {0};
    const struct hv_tool *tool = cli_find_tool(hv_json_get_string(line->value, "tool"), &near);
    const struct hv_json *raw = hv_json_get(line->value, "input_raw"), *given = NULL;
    bool bad;
    struct hv_str text = door_bytes(line, "input_raw", &bad);
    struct fields_faults faults = {0};
    if (bad && raw)
        text = hv_json_source(raw, line->text); /* JSON in place of its text */
    if (!tool) {
        put_unknown_tool(writer, line->arena, near);
        return;
    }
    void *input = hv_arena_zalloc(line->arena, 1, tool->input_size + 1);
    if (fields_decode_text(tool->fields, text.ptr ? text : HV_STR(""), line->arena, input, &given, &faults) != HV_OK) {
        put_faults(writer, &faults);
        return;
    }
    hv_json_member_bool(writer, "ok", true);
    hv_json_name(writer, "decoded");
    fields_encode_given(tool->fields, input, given, writer);
}

static int run_input(const struct cli_call *call)
{
    (void)call;
    return door_run(answer_input, NULL);
}

const struct cli_command cli_debug_input_command = {
    .name = "debug input",
    .arguments = "",
    .summary = "lines {id, tool, input_raw}: a tool's input → {id, ok, decoded} or {id, ok, errors[]}",
    .hidden = true,
    .run = run_input,
};

/* ---- glob -------------------------------------------------------------------------------------------------------- */

static void answer_glob(const struct door_line *line, struct hv_json_writer *writer)
{
    bool bad_pattern, bad_text;
    struct hv_str pattern = door_bytes(line, "pattern", &bad_pattern), text = door_bytes(line, "text", &bad_text);
    unsigned flags = 0;
    if (!pattern.ptr || !text.ptr || bad_pattern || bad_text) {
        hv_json_member_cstr(writer, "error", "expected the members `pattern` and `text`");
        return;
    }
    if (hv_json_bool(hv_json_get(line->value, "icase"), false))
        flags |= GLOB_ICASE;
    if (hv_json_bool(hv_json_get(line->value, "pathname"), false))
        flags |= GLOB_PATHNAME;
    hv_json_member_bool(writer, "match", glob_match(pattern, text, flags));
}

static int run_glob(const struct cli_call *call)
{
    (void)call;
    return door_run(answer_glob, NULL);
}

const struct cli_command cli_debug_glob_command = {
    .name = "debug glob",
    .arguments = "",
    .summary = "lines {id, pattern, text, icase?, pathname?}: git's wildmatch → {id, match}",
    .hidden = true,
    .run = run_glob,
};

/* ---- sse --------------------------------------------------------------------------------------------------------- */

static enum hv_code put_event(void *user, const struct sse_event *event, struct hv_error *err)
{
    (void)err;
    struct hv_json_writer *writer = user;
    hv_json_begin_object(writer);
    hv_json_member_string(writer, "event", event->name);
    hv_json_member_string(writer, "data", event->data);
    hv_json_member_string(writer, "id", event->id.ptr ? event->id : HV_STR(""));
    hv_json_name(writer, "retry");
    if (event->retry_ms >= 0)
        hv_json_put_int(writer, event->retry_ms);
    else
        hv_json_put_null(writer);
    hv_json_end_object(writer);
    return HV_OK;
}

static void answer_sse(const struct door_line *line, struct hv_json_writer *writer)
{
    struct sse sse;
    struct hv_error err;
    enum hv_code code = HV_OK;
    CLEANUP_BUF struct hv_buf bytes = {0};
    hv_buf_init(&bytes, DOOR_LINE_MAX);
    sse_init(&sse, EVENT_MAX);
    hv_json_name(writer, "events");
    hv_json_begin_array(writer);
    hv_json_each(chunk, hv_json_get(line->value, "chunks_b64"))
    {
        hv_buf_clear(&bytes);
        if (code == HV_OK)
            code = base64_decode(&bytes, hv_json_string(chunk), BASE64_STANDARD, &err);
        if (code == HV_OK)
            code = sse_feed(&sse, hv_buf_str(&bytes), put_event, writer, &err);
    }
    hv_json_end_array(writer);
    if (code != HV_OK)
        hv_json_member_cstr(writer, "error", err.message);
    sse_release(&sse);
}

static int run_sse(const struct cli_call *call)
{
    (void)call;
    return door_run(answer_sse, NULL);
}

const struct cli_command cli_debug_sse_command = {
    .name = "debug sse",
    .arguments = "",
    .summary = "lines {id, chunks_b64[]}: an event stream → {id, events[]}",
    .hidden = true,
    .run = run_sse,
};

/* ---- decode ------------------------------------------------------------------------------------------------------ */

static void answer_decode(const struct door_line *line, struct hv_json_writer *writer)
{
    const struct hv_json *encoded = hv_json_get(line->value, "b64");
    CLEANUP_BUF struct hv_buf bytes = {0}, text = {0};
    struct hv_error err;
    hv_buf_init(&bytes, DOOR_LINE_MAX);
    hv_buf_init(&text, (size_t)DOOR_LINE_MAX * 3);
    if (!encoded || base64_decode(&bytes, hv_json_string(encoded), BASE64_STANDARD, NULL) != HV_OK) {
        put_error(writer, "expected the bytes in `b64`, as base64");
        return;
    }
    struct encoding encoding = encoding_detect(hv_buf_str(&bytes));
    hv_json_member_cstr(writer, "encoding", encoding_label(encoding.kind));
    hv_json_member_int(writer, "confidence", encoding.confidence);
    if (encoding.mark)
        hv_json_member_int(writer, "mark", (int64_t)encoding.mark);
    if (encoding_to_utf8(hv_buf_str(&bytes), encoding, &text, &err) == HV_OK)
        hv_json_member_string(writer, "text", hv_buf_str(&text));
    else
        hv_json_member_cstr(writer, "error", err.message);
}

static int run_decode(const struct cli_call *call)
{
    (void)call;
    return door_run(answer_decode, NULL);
}

const struct cli_command cli_debug_decode_command = {
    .name = "debug decode",
    .arguments = "",
    .summary = "lines {id, b64}: a file's bytes → {id, encoding, confidence, text}, as Read would take them",
    .hidden = true,
    .run = run_decode,
};
