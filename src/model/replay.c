/*
 * replay.c: the provider that has said everything already. A recording is a file of JSON lines; each message of the
 * assistant in it answers one request, in order. Two kinds of lines count, others are passed over:
 *   a journal's   {"type":"message","name":"assistant","json":[blocks],"data":{"stop_reason":…,"usage":…}}
 *   a plain one   {"content":[blocks],"stop_reason":"tool_use","usage":{…},"delay_ms":100,"piece_ms":10}
 * delay_ms is waited for before the message, piece_ms between its events. "needs_success":true ends the replay with an
 * error when a call before the message failed: its words would not be true.
 *
 * A message is turned into the events of an Anthropic stream, which then take the way of all streams: so there is one
 * way only, raw events included, and a replay shows what a model's stream would.
 */
#include "model/demo.h"
#include "model/provider.h"

#include "base/cleanup.h"
#include "base/utf8.h"

#include <fcntl.h>
#include <sys/stat.h>

enum { RECORDING_MAX = 1 << 29, EVENTS_MAX = 1 << 30, WAIT_MAX_MS = 600000, TEXT_PIECE = 32, INPUT_PIECE = 64 };

struct recording {
    char *file;         /* for messages */
    char *bytes;        /* what was read; NULL for the demo */
    struct hv_str rest; /* not yet replayed */
    size_t messages, line;
};

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static enum hv_code read_all(int fd, size_t size, struct recording *recording, struct hv_error *err)
{
    recording->bytes = hv_malloc(size + 1);
    size_t have = 0;
    while (have < size) {
        ssize_t count = read(fd, recording->bytes + have, size - have);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return hv_fail_errno(err, errno, "cannot read the recording %s", recording->file);
        if (count == 0)
            break;
        have += (size_t)count;
    }
    recording->rest = hv_str_of(recording->bytes, have);
    return HV_OK;
}

static const char name_another[] = "name a session's journal or a file of recorded messages, or use replay:demo";

static enum hv_code read_file(struct recording *recording, struct hv_error *err)
{
    struct stat status;
    CLEANUP_FD int fd = open(recording->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &status) != 0) {
        enum hv_code code = hv_fail_errno(err, errno, "cannot open the recording %s", recording->file);
        hv_error_hint(err, "%s", name_another);
        return code;
    }
    if (S_ISREG(status.st_mode) && status.st_size <= RECORDING_MAX)
        return read_all(fd, (size_t)status.st_size, recording, err);
    if (S_ISREG(status.st_mode))
        hv_fail(err, HV_ETOOBIG, "the recording %s is larger than %d bytes", recording->file, RECORDING_MAX);
    else
        hv_fail(err, HV_EINVAL, "the recording %s is not a regular file", recording->file);
    hv_error_hint(err, "%s", name_another);
    return err->code;
}

enum hv_code recording_open(struct hv_str name, struct recording **out, struct hv_error *err)
{
    struct recording *recording = hv_calloc(1, sizeof *recording);
    recording->file = hv_malloc(name.len + 1);
    memcpy(recording->file, name.ptr, name.len);
    recording->file[name.len] = '\0';
    enum hv_code code = HV_OK;
    if (hv_str_is(name, "demo"))
        recording->rest = demo_recording();
    else
        code = read_file(recording, err);
    if (code != HV_OK) {
        recording_free(recording);
        return code;
    }
    *out = recording;
    return HV_OK;
}

void recording_free(struct recording *recording)
{
    if (!recording)
        return;
    free(recording->file);
    free(recording->bytes);
    free(recording);
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

struct event_writer {
    struct hv_buf *out;
    struct hv_json_writer json;
    int64_t index;
};

static void event_begin(struct event_writer *writer, const char *type, bool indexed)
{
    hv_json_writer_init(&writer->json, writer->out);
    hv_json_begin_object(&writer->json);
    hv_json_member_cstr(&writer->json, "type", type);
    if (indexed)
        hv_json_member_int(&writer->json, "index", writer->index);
}

static void event_end(struct event_writer *writer)
{
    hv_json_end_object(&writer->json);
    hv_buf_add_byte(writer->out, '\n');
}

static void put_usage(struct hv_json_writer *writer, const struct hv_json *usage)
{
    if (hv_json_type_of(usage) != HV_JSON_OBJECT)
        return;
    hv_json_name(writer, "usage");
    hv_json_put_value(writer, usage);
}

static void put_start(struct event_writer *writer, size_t number, struct hv_str model, const struct hv_json *usage)
{
    char id[40];
    (void)snprintf(id, sizeof id, "msg_replay_%zu", number);
    event_begin(writer, "message_start", false);
    hv_json_name(&writer->json, "message");
    hv_json_begin_object(&writer->json);
    hv_json_member_cstr(&writer->json, "type", "message");
    hv_json_member_cstr(&writer->json, "id", id);
    hv_json_member_cstr(&writer->json, "role", "assistant");
    hv_json_member_string(&writer->json, "model", model.len ? model : HV_STR("replay"));
    put_usage(&writer->json, usage);
    hv_json_end_object(&writer->json);
    event_end(writer);
}

/* The member that comes in pieces, in a block of this type; NULL: the block comes at once. */
static const char *streamed_member(const struct hv_json *block)
{
    struct hv_str type = hv_json_get_string(block, "type");
    if (hv_str_is(type, "text"))
        return "text";
    if (hv_str_is(type, "thinking"))
        return "thinking";
    return hv_str_is(type, "tool_use") ? "input" : NULL;
}

static void put_block_start(struct event_writer *writer, const struct hv_json *block, const char *streamed)
{
    event_begin(writer, "content_block_start", true);
    hv_json_name(&writer->json, "content_block");
    hv_json_begin_object(&writer->json);
    hv_json_each(member, block)
    {
        hv_json_name_str(&writer->json, member->key);
        if (!streamed || !hv_str_is(member->key, streamed))
            hv_json_put_value(&writer->json, member);
        else
            hv_json_put_raw(&writer->json, hv_str_is(member->key, "input") ? HV_STR("{}") : HV_STR("\"\""));
    }
    hv_json_end_object(&writer->json);
    event_end(writer);
}

/* The next piece of text: some size bytes, up to the end of a word where there is one, in whole characters. */
static struct hv_str next_piece(struct hv_str text, size_t size)
{
    if (text.len <= size)
        return text;
    size_t end = size;
    while (end > size / 2 && text.ptr[end - 1] != ' ')
        end--;
    if (text.ptr[end - 1] != ' ')
        end = size;
    struct hv_str piece = hv_str_slice(text, 0, end);
    size_t tail = utf8_incomplete_tail(piece);
    return tail < end ? hv_str_slice(piece, 0, end - tail) : piece;
}

static void put_pieces(struct event_writer *writer, const char *type, const char *member, struct hv_str text,
                       size_t size)
{
    while (text.len) {
        struct hv_str piece = next_piece(text, size);
        event_begin(writer, "content_block_delta", true);
        hv_json_name(&writer->json, "delta");
        hv_json_begin_object(&writer->json);
        hv_json_member_cstr(&writer->json, "type", type);
        hv_json_member_string(&writer->json, member, piece);
        hv_json_end_object(&writer->json);
        event_end(writer);
        text = hv_str_slice(text, piece.len, text.len);
    }
}

static void put_block_pieces(struct event_writer *writer, const struct hv_json *block, const char *streamed)
{
    const struct hv_json *value = hv_json_get(block, streamed);
    if (hv_str_is(hv_str_from(streamed), "input")) {
        CLEANUP_BUF struct hv_buf input = {0};
        hv_buf_init(&input, EVENTS_MAX);
        struct hv_json_writer json;
        hv_json_writer_init(&json, &input);
        if (value)
            hv_json_put_value(&json, value);
        put_pieces(writer, "input_json_delta", "partial_json", hv_buf_str(&input), INPUT_PIECE);
    } else {
        bool text = hv_str_is(hv_str_from(streamed), "text");
        put_pieces(writer, text ? "text_delta" : "thinking_delta", streamed, hv_json_string(value), TEXT_PIECE);
    }
}

static bool put_block(struct event_writer *writer, const struct hv_json *block)
{
    if (hv_json_type_of(block) != HV_JSON_OBJECT)
        return false;
    const char *streamed = streamed_member(block);
    put_block_start(writer, block, streamed);
    if (streamed)
        put_block_pieces(writer, block, streamed);
    event_begin(writer, "content_block_stop", true);
    event_end(writer);
    writer->index++;
    return hv_str_is(hv_json_get_string(block, "type"), "tool_use");
}

static void put_stop(struct event_writer *writer, struct hv_str reason, const struct hv_json *usage)
{
    event_begin(writer, "message_delta", false);
    hv_json_name(&writer->json, "delta");
    hv_json_begin_object(&writer->json);
    hv_json_member_string(&writer->json, "stop_reason", reason);
    hv_json_end_object(&writer->json);
    put_usage(&writer->json, usage);
    event_end(writer);
    event_begin(writer, "message_stop", false);
    event_end(writer);
}

/* ---- messages --------------------------------------------------------------------------------------------------- */

static uint64_t wait_of(const struct hv_json *line, const char *name)
{
    int64_t value;
    if (!hv_json_int64(hv_json_get(line, name), &value) || value < 0)
        return 0;
    return value < WAIT_MAX_MS ? (uint64_t)value : WAIT_MAX_MS;
}

/* The blocks of a line that is a message of the model in this session; *data holds what else is known of it. */
static const struct hv_json *message_content(const struct hv_json *line, const struct hv_json **data)
{
    const struct hv_json *content = hv_json_get(line, "content");
    *data = line;
    if (hv_str_is(hv_json_get_string(line, "type"), "message") && hv_json_get(line, "json")) {
        *data = hv_json_get(line, "data");
        bool inherited = hv_json_bool(hv_json_get(*data, "inherited"), false);
        if (inherited || !hv_str_is(hv_json_get_string(line, "name"), "assistant"))
            return NULL;
        content = hv_json_get(line, "json");
    }
    return hv_json_type_of(content) == HV_JSON_ARRAY ? content : NULL;
}

static void encode(const struct recording *recording, const struct hv_json *line, const struct hv_json *content,
                   const struct hv_json *data, struct replay_message *out)
{
    const struct hv_json *usage = hv_json_get(data, "usage");
    struct hv_str reason = hv_json_get_string(data, "stop_reason");
    bool calls = false;
    struct event_writer writer = {.out = &out->events};
    *out = (struct replay_message){.delay_ms = wait_of(line, "delay_ms"),
                                   .piece_ms = wait_of(line, "piece_ms"),
                                   .needs_success = hv_json_bool(hv_json_get(line, "needs_success"), false)};
    hv_buf_init(&out->events, EVENTS_MAX);
    put_start(&writer, recording->messages, hv_json_get_string(data, "model"), usage);
    hv_json_each(block, content) calls |= put_block(&writer, block);
    if (!reason.len)
        reason = calls ? HV_STR("tool_use") : HV_STR("end_turn");
    put_stop(&writer, reason, usage);
}

static enum hv_code at_end(const struct recording *recording, struct hv_error *err)
{
    (void)hv_fail(err, HV_ENOTFOUND, "the recording %s is at its end: all of its %zu messages were replayed",
                  recording->file, recording->messages);
    if (recording->messages)
        hv_error_hint(err, "a recording answers as many requests as it holds messages; record a longer one, or use a "
                           "live model");
    else
        hv_error_hint(err, "it must hold lines like {\"content\":[…]}, or be the journal of a session");
    return HV_ENOTFOUND;
}

enum hv_code recording_next(struct recording *recording, struct replay_message *out, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str text;
    while (hv_str_split(&recording->rest, '\n', &text)) {
        const struct hv_json *line, *data;
        hv_arena_reset(&arena);
        recording->line++;
        if (!hv_str_trim(text).len)
            continue;
        enum hv_code code = hv_json_parse(&arena, text, HV_JSON_REPAIR_SURROGATES | HV_JSON_REPAIR_UTF8, &line, err);
        if (code != HV_OK) {
            hv_error_prefix(err, "line %zu of the recording %s: ", recording->line, recording->file);
            hv_error_hint(err, "each line of a recording must be one JSON object");
            return code;
        }
        const struct hv_json *content = message_content(line, &data);
        if (!content)
            continue;
        recording->messages++;
        encode(recording, line, content, data, out);
        return HV_OK;
    }
    return at_end(recording, err);
}

/* ---- the provider ----------------------------------------------------------------------------------------------- */

/* No request leaves, but people want to see what is asked: the neutral form as it is. */
static void replay_options(const struct model *model, struct hv_buf *out)
{
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, out);
    hv_json_begin_object(&writer);
    hv_json_member_string(&writer, "model", model->options.name);
}

static void replay_tools(const struct model *model, const struct model_tool *tools, size_t count, size_t stable,
                         struct hv_buf *out)
{
    model_provider_anthropic.encode_tools(model, tools, count, stable, out);
}

static void replay_system(const struct model *model, struct hv_str text, struct hv_buf *out)
{
    model_provider_anthropic.encode_system(model, text, out);
}

static void replay_message(const struct model *model, enum model_role role, const struct hv_json *content,
                           struct hv_buf *out, size_t *mark)
{
    model_provider_anthropic.encode_message(model, role, content, out, mark);
}

const struct model_provider model_provider_replay = {
    .name = "replay",
    .wire = MODEL_WIRE_ANTHROPIC,
    .encode_options = replay_options,
    .encode_tools = replay_tools,
    .encode_system = replay_system,
    .encode_message = replay_message,
    .name_max = 128,
};
