/*
 * stream.c: one response under way, from the request's bytes to on_end. Bytes come from the network or from a recording
 * and take the same way through the decoder.
 *
 * A message that is complete ends the stream at once; the transfer then drains on its own for a moment, so that its
 * connection can serve the next request. Nothing reaches the handlers after on_end, nor after cancelling but on_end.
 */
#include "model/decoder.h"
#include "model/fault.h"
#include "model/provider.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "loop/loop.h"
#include "net/http.h"

enum {
    BLOCK_MAX = 16 << 20,
    BODY_MAX = INT32_MAX,
    REFUSAL_MAX = 64 << 10, /* of an answer that is an error */
    SAMPLE_MAX = 200,
    PAGE_MAX = 4096, /* kept of what may be a page: its title comes first */
    DRAIN_MS = 1000,
};

/* What an answer's headers said, for its faults. */
struct answer {
    int status;
    bool bounded; /* the end of the body can be told from a cut */
    struct hv_str content_type, location, retry_after, retry_after_ms, should_retry, request_id;
};

struct model_stream {
    struct model *model;
    struct model_conversation *conversation;
    struct model_stream_handlers handlers;
    struct model_decoder *decoder;
    bool stopped, failed, cancelled, ended;
    bool renames;          /* the call that is coming has another name than its tool */
    struct hv_error error; /* when failed */
    int64_t retry_after_ms;
    struct loop_timer *timer; /* replay: the next step; http: the bound of the stream, then the end of draining */
    bool settling;            /* the timer is the one that follows the reason for the end */
    size_t progress;          /* of the decoder, when the timer was last looked at */

    struct http_transfer *transfer;
    struct hv_buf request, refusal; /* refusal: the body of an error, or the first bytes of a stream */
    struct hv_str request_view;
    struct hv_arena arena; /* of answer */
    struct answer answer;

    struct replay_message replay;
    struct hv_str replay_rest;
};

static void stream_free(struct model_stream *stream)
{
    model_decoder_free(stream->decoder);
    loop_timer_stop(stream->timer);
    hv_buf_release(&stream->request);
    hv_buf_release(&stream->refusal);
    hv_buf_release(&stream->replay.events);
    hv_arena_release(&stream->arena);
    free(stream);
}

static void drained(void *data)
{
    struct model_stream *stream = data;
    stream->timer = NULL;
    http_cancel(stream->transfer);
}

/* Tell the end, and go, or stay until the transfer has gone. */
static void stream_end(struct model_stream *stream, enum hv_code code, const struct hv_error *err)
{
    struct hv_error told;
    if (err) {
        told = *err;
        model_hide_keys(stream->model, told.message);
        model_hide_keys(stream->model, told.hint);
    }
    stream->ended = true;
    loop_timer_stop(stream->timer);
    stream->timer = NULL;
    if (stream->decoder->reasoning[0])
        memcpy(stream->model->reasoning, stream->decoder->reasoning, sizeof stream->model->reasoning);
    stream->handlers.on_end(stream->handlers.user, code, err ? &told : NULL, stream->answer.status,
                            stream->retry_after_ms);
    if (stream->transfer)
        stream->timer = loop_timer_start(stream->model->loop, DRAIN_MS * CLOCK_MILLISECOND, drained, stream);
    else
        stream_free(stream);
}

static void end_cancelled(struct model_stream *stream)
{
    struct hv_error err;
    (void)hv_fail(&err, HV_ECANCELLED, "the request to the model was cancelled");
    stream_end(stream, HV_ECANCELLED, &err);
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

/* A call's block with the tool's own name in place of the one on the wire. */
static void put_renamed(const struct model_stream *stream, const struct hv_json *block, struct hv_buf *out)
{
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, out);
    hv_json_begin_object(&writer);
    hv_json_each(member, block)
    {
        hv_json_name_str(&writer, member->key);
        if (hv_str_is(member->key, "name") && member->type == HV_JSON_STRING)
            hv_json_put_string(&writer, conversation_tool_name(stream->conversation, member->text));
        else
            hv_json_put_value(&writer, member);
    }
    hv_json_end_object(&writer);
}

static void deliver_renamed(const struct model_stream *stream, const struct model_event *event)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf json = {0};
    struct model_event told = *event;
    const struct hv_json *block;
    hv_buf_init(&json, BODY_MAX);
    if (event->name.len)
        told.name = conversation_tool_name(stream->conversation, event->name);
    if (event->type == MODEL_BLOCK && hv_json_parse(&arena, event->json, DECODE_JSON_FLAGS, &block, NULL) == HV_OK &&
        hv_str_is(hv_json_get_string(block, "type"), "tool_use")) {
        put_renamed(stream, block, &json);
        told.json = hv_buf_str(&json);
    }
    stream->handlers.on_event(stream->handlers.user, &told);
}

static void on_decoded(void *user, const struct model_event *event)
{
    struct model_stream *stream = user;
    if (stream->cancelled || stream->stopped || stream->failed)
        return;
    if (event->type == MODEL_STOP)
        stream->stopped = true;
    if (event->type == MODEL_ERROR) {
        stream->failed = true;
        stream->error = event->error;
        stream->retry_after_ms = event->retry_after_ms;
    }
    if (event->type == MODEL_TOOL_BEGIN || event->type == MODEL_TOOL_CALL)
        stream->renames = !hv_str_eq(conversation_tool_name(stream->conversation, event->name), event->name);
    if (stream->renames)
        deliver_renamed(stream, event);
    else
        stream->handlers.on_event(stream->handlers.user, event);
}

static void on_raw(void *user, struct hv_str json)
{
    struct model_stream *stream = user;
    if (!stream->cancelled && !stream->stopped && !stream->failed)
        stream->handlers.on_raw(stream->handlers.user, json);
}

static struct model_stream *stream_new(struct model_conversation *conversation,
                                       const struct model_stream_handlers *handlers)
{
    struct model_stream *stream = hv_calloc(1, sizeof *stream);
    struct model *model = conversation->model;
    stream->model = model;
    stream->conversation = conversation;
    stream->handlers = *handlers;
    stream->retry_after_ms = -1;
    hv_buf_init(&stream->request, BODY_MAX);
    hv_buf_init(&stream->refusal, REFUSAL_MAX);
    stream->decoder = model_decoder_new(model->provider->wire, BLOCK_MAX, on_decoded, stream);
    decoder_set_known_ids(stream->decoder, conversation->ids);
    decoder_set_origin(stream->decoder, model->origin);
    memcpy(stream->decoder->reasoning, model->reasoning, sizeof model->reasoning);
    decoder_set_seed(stream->decoder, ((uint64_t)clock_wall_ns() >> 10) + ++model->responses);
    if (handlers->on_raw)
        decoder_set_raw(stream->decoder, on_raw, stream);
    return stream;
}

/* ---- recordings ------------------------------------------------------------------------------------------------- */

static void replay_step(void *data);

static void replay_later(struct model_stream *stream, uint64_t milliseconds)
{
    stream->timer = loop_timer_start(stream->model->loop, milliseconds * CLOCK_MILLISECOND, replay_step, stream);
}

static void replay_step(void *data)
{
    struct model_stream *stream = data;
    struct hv_str line;
    stream->timer = NULL;
    if (stream->cancelled) {
        end_cancelled(stream);
        return;
    }
    while (!stream->stopped && !stream->failed && !stream->cancelled &&
           hv_str_split(&stream->replay_rest, '\n', &line)) {
        model_decoder_feed(stream->decoder, hv_str_of(line.ptr, line.len + 1));
        if (stream->replay.piece_ms || hv_str_starts(line, HV_STR("{\"type\":\"content_block_stop\"")))
            break; /* others may have their turn */
    }
    if (stream->stopped && !stream->cancelled)
        stream_end(stream, HV_OK, NULL);
    else if (stream->failed && !stream->cancelled)
        stream_end(stream, stream->error.code, &stream->error);
    else
        replay_later(stream, stream->cancelled ? 0 : stream->replay.piece_ms);
}

/* A result of the last message is an error. In its bytes: within a string the quotes would be escaped. */
static bool last_calls_failed(const struct model_conversation *conversation)
{
    if (conversation->list.count == 0)
        return false;
    size_t start = conversation->list.items[conversation->list.count - 1].start;
    struct hv_str bytes = hv_buf_str(&conversation->messages);
    return hv_str_find(bytes, HV_STR("\"is_error\":true"), start) != SIZE_MAX;
}

static enum hv_code replay_send(struct model_stream *stream, struct hv_error *err)
{
    enum hv_code code = recording_next(stream->model->recording, &stream->replay, err);
    if (code != HV_OK)
        return code;
    if (stream->replay.events.failed) {
        hv_fail(err, HV_ETOOBIG, "the next message of the recording is too large");
        hv_error_hint(err, "record it anew, in smaller messages");
        return HV_ETOOBIG;
    }
    if (stream->replay.needs_success && last_calls_failed(stream->conversation)) {
        hv_fail(err, HV_ECONFLICT, "the recording ends here: its next words say that all went well, but a call failed");
        hv_error_hint(err, "the calls and their results are above; a recording cannot answer them otherwise");
        return HV_ECONFLICT;
    }
    stream->replay_rest = hv_buf_str(&stream->replay.events);
    replay_later(stream, stream->replay.delay_ms);
    return HV_OK;
}

/* ---- answers of the network ------------------------------------------------------------------------------------- */

static bool is_success(const struct model_stream *stream)
{
    return stream->answer.status >= 200 && stream->answer.status < 300;
}

static void on_status(void *user, int status, const struct http_headers *headers)
{
    struct model_stream *stream = user;
    struct hv_arena *arena = &stream->arena;
    struct hv_str request_id = http_header(headers, "request-id");
    if (!request_id.ptr)
        request_id = http_header(headers, "x-request-id");
    stream->answer = (struct answer){
        .status = status,
        .bounded = http_header(headers, "content-length").ptr || http_header(headers, "transfer-encoding").ptr,
        .content_type = hv_arena_str(arena, http_header(headers, "content-type")),
        .location = hv_arena_str(arena, http_header(headers, "location")),
        .retry_after = hv_arena_str(arena, http_header(headers, "retry-after")),
        .retry_after_ms = hv_arena_str(arena, http_header(headers, "retry-after-ms")),
        .should_retry = hv_arena_str(arena, http_header(headers, "x-should-retry")),
        .request_id = hv_arena_str(arena, request_id),
    };
}

/* Keep the first bytes, for messages. */
static void keep(struct model_stream *stream, struct hv_str bytes, size_t max)
{
    size_t room = stream->refusal.len < max ? max - stream->refusal.len : 0;
    hv_buf_add_str(&stream->refusal, hv_str_slice(bytes, 0, room));
}

static void end_by_decoder(struct model_stream *stream);

/* ---- bounds of a stream: the transfer's own limits count every byte, also those of pings ------------------------ */

static void bound_stream(struct model_stream *stream);

static void bound_reached(void *data)
{
    struct model_stream *stream = data;
    struct hv_error err;
    stream->timer = NULL;
    if (stream->ended || stream->cancelled || stream->stopped || stream->failed)
        return;
    if (stream->settling) {
        end_by_decoder(stream);
    } else if (stream->progress != stream->decoder->progress) {
        bound_stream(stream);
    } else {
        uint64_t seconds = stream->model->options.content_timeout_ms / 1000;
        (void)hv_fail(&err, HV_ETIMEOUT, "the model's server has sent nothing but signs of life for %llu s",
                      (unsigned long long)seconds);
        hv_error_hint(&err, "a slow model may need more: streamContentTimeout in the settings");
        http_cancel(stream->transfer);
        stream_end(stream, HV_ETIMEOUT, &err);
    }
}

/* Once the reason for its end is known, a stream has a moment for its last marks; until then, content must come. */
static void bound_stream(struct model_stream *stream)
{
    bool settling = stream->decoder->message.stopping;
    if (stream->timer && settling == stream->settling)
        return;
    loop_timer_stop(stream->timer);
    stream->settling = settling;
    stream->progress = stream->decoder->progress;
    uint64_t limit = settling ? stream->model->options.end_timeout_ms : stream->model->options.content_timeout_ms;
    stream->timer = loop_timer_start(stream->model->loop, limit * CLOCK_MILLISECOND, bound_reached, stream);
}

static void on_body(void *user, struct hv_str bytes)
{
    struct model_stream *stream = user;
    if (stream->ended || stream->cancelled)
        return;
    if (!is_success(stream)) {
        keep(stream, bytes, REFUSAL_MAX);
        if (stream->refusal.len == REFUSAL_MAX)
            http_cancel(stream->transfer); /* enough to know what it says */
        return;
    }
    if (stream->refusal.len < PAGE_MAX && !stream->decoder->message.started)
        keep(stream, bytes, PAGE_MAX);
    model_decoder_feed(stream->decoder, bytes);
    if (stream->cancelled)
        return;
    if (!stream->stopped && !stream->failed)
        bound_stream(stream);
    if (stream->stopped) {
        stream_end(stream, HV_OK, NULL);
    } else if (stream->failed) {
        http_cancel(stream->transfer);
        stream_end(stream, stream->error.code, &stream->error);
    }
}

/* The list has come, or not: a missing model is told with those that there are. */
static void listed(void *user, enum hv_code code, struct hv_str *names, size_t count, const struct hv_error *err)
{
    struct model_stream *stream = user;
    struct hv_str name = stream->model->options.name;
    (void)err;
    stream->transfer = NULL;
    if (stream->cancelled) {
        end_cancelled(stream);
        return;
    }
    if (code == HV_OK && count && !model_list_has(names, count, name))
        hv_error_hint(&stream->error, "the server does not have %.*s; name one that it has with --model %s:NAME: %.*s",
                      HV_STR_ARG(name), stream->model->provider->name,
                      HV_STR_ARG(model_list_text(&stream->arena, names, count)));
    stream_end(stream, stream->error.code, &stream->error);
}

/* False: the server cannot be asked. */
static bool ask_for_list(struct model_stream *stream, const struct hv_error *err)
{
    enum { LIST_TIMEOUT_MS = 5000 };
    struct hv_error unasked;
    stream->error = *err;
    return list_begin(stream->model, LIST_TIMEOUT_MS, &stream->arena, listed, stream, &stream->transfer, &unasked) ==
           HV_OK;
}

static void end_refused(struct model_stream *stream)
{
    struct hv_error err;
    const struct answer *answer = &stream->answer;
    struct fault_answer fault = {
        .status = answer->status,
        .body = hv_buf_str(&stream->refusal),
        .provider = hv_str_from(stream->model->provider->name),
        .variables = stream->model->provider->variables,
        .retry_after = answer->retry_after,
        .retry_after_ms = answer->retry_after_ms,
        .should_retry = answer->should_retry,
        .request_id = answer->request_id,
        .now = clock_wall_ns() / (int64_t)CLOCK_SECOND,
    };
    enum hv_code code = fault_from_answer(&fault, &stream->retry_after_ms, &err);
    if (answer->status >= 300 && answer->status < 400 && answer->location.len)
        hv_error_hint(&err, "the server redirects to %.*s: use that as the base URL", HV_STR_ARG(answer->location));
    if (code == HV_ENOTFOUND && ask_for_list(stream, &err))
        return;
    stream_end(stream, code, &err);
}

/* The answer was fine and no event was in it: a web page, a notice in plain text, another API's JSON. */
static void end_foreign(struct model_stream *stream)
{
    struct hv_error err;
    struct hv_str type = stream->answer.content_type;
    (void)hv_fail(
        &err, HV_EPROTO, "the server answered with %.*s instead of a model's stream: %.*s",
        HV_STR_ARG(type.len ? hv_str_slice(type, 0, 80) : HV_STR("something")),
        HV_STR_ARG(hv_str_slice(fault_page_text(&stream->arena, hv_buf_str(&stream->refusal)), 0, SAMPLE_MAX)));
    const char *other = model_provider_of(stream->decoder->other);
    if (other)
        hv_error_hint(&err, "check the base URL: it answers as %s does; use --model %s:NAME, or another URL", other,
                      other);
    else
        hv_error_hint(&err, "check the base URL: is it that of an API like %s's?", stream->model->provider->name);
    stream_end(stream, HV_EPROTO, &err);
}

/* Nothing but comments, by which servers keep a connection alive: it was a stream, and was cut. */
static bool is_silence(struct hv_str bytes)
{
    struct hv_str line;
    while (hv_str_split(&bytes, '\n', &line)) {
        line = hv_str_trim(line);
        if (line.len && line.ptr[0] != ':')
            return false;
    }
    return true;
}

static void end_by_decoder(struct model_stream *stream)
{
    bool foreign = !stream->decoder->message.started && !stream->decoder->messages && !stream->decoder->spoke &&
                   !is_silence(hv_buf_str(&stream->refusal));
    model_decoder_finish(stream->decoder);
    if (stream->stopped)
        stream_end(stream, HV_OK, NULL);
    else if (foreign && (stream->error.code == HV_ENET || stream->error.code == HV_EPROTO))
        end_foreign(stream);
    else
        stream_end(stream, stream->error.code, &stream->error);
}

static void end_broken(struct model_stream *stream, enum hv_code code, const struct hv_error *err)
{
    /* All is there but the mark of the end. */
    if (stream->decoder->message.stopping) {
        end_by_decoder(stream);
        return;
    }
    struct hv_error told = *err;
    if (!told.hint[0] && (code == HV_ENET || code == HV_ETIMEOUT)) {
        if (code == HV_ETIMEOUT)
            hv_error_hint(&told, "a slow model may need more: HELVE_IDLE_TIMEOUT=SECONDS; else the server hangs");
        else if (stream->model->own_service)
            hv_error_hint(&told, "check the network");
        else
            hv_error_hint(&told, "check that the server of the base URL runs and can be reached");
    }
    stream_end(stream, code, &told);
}

static void on_end(void *user, enum hv_code code, const struct hv_error *err)
{
    struct model_stream *stream = user;
    stream->transfer = NULL;
    if (code == HV_OK)
        decoder_set_end(stream->decoder, stream->answer.bounded ? DECODE_END_PROVEN : DECODE_END_CLOSED);
    if (stream->ended)
        stream_free(stream);
    else if (stream->cancelled)
        end_cancelled(stream);
    else if (stream->answer.status && !is_success(stream))
        end_refused(stream);
    else if (code != HV_OK)
        end_broken(stream, code, err);
    else
        end_by_decoder(stream);
}

/* ---- requests --------------------------------------------------------------------------------------------------- */

enum hv_code model_client(struct model *model, struct hv_error *err)
{
    struct http_client_options options = {.use_proxy = true};
    return model->client ? HV_OK : http_client_new(model->loop, &options, &model->client, err);
}

static enum hv_code check_tools(const struct model_stream *stream, struct hv_error *err)
{
    const struct model *model = stream->model;
    size_t count = stream->conversation->tool_count, max = model->provider->own_tools_max;
    if (!model->own_service || !max || count <= max)
        return HV_OK;
    (void)hv_fail(err, HV_ETOOBIG, "the session offers %zu tools, and this model's service takes %zu", count, max);
    hv_error_hint(err, "leave some out (--tools, --disallowed-tools), or let servers' tools be found by search");
    return HV_ETOOBIG;
}

static enum hv_code http_begin(struct model_stream *stream, struct hv_error *err)
{
    struct model *model = stream->model;
    enum hv_code code = check_tools(stream, err);
    if (code == HV_OK)
        code = model_client(model, err);
    if (code != HV_OK)
        return code;
    conversation_follow_model(stream->conversation);
    conversation_offer_history(stream->conversation);
    /* One copy: the conversation may go on while the transfer still drains. */
    model_conversation_body(stream->conversation, &stream->request);
    if (stream->request.failed)
        return conversation_too_large(err, "request", BODY_MAX);
    stream->request_view = hv_buf_str(&stream->request);
    struct http_request request = {
        .method = HV_STR("POST"),
        .url = model->url,
        .headers = model->headers.items,
        .header_count = model->headers.count,
        .body = &stream->request_view,
        .body_count = 1,
        .connect_timeout_ms = model->options.connect_timeout_ms,
        .idle_timeout_ms = model->options.idle_timeout_ms,
    };
    struct http_handlers handlers = {.on_status = on_status, .on_body = on_body, .on_end = on_end, .user = stream};
    return http_send(model->client, &request, &handlers, &stream->transfer, err);
}

enum hv_code model_send(struct model_conversation *conversation, const struct model_stream_handlers *handlers,
                        struct model_stream **out, struct hv_error *err)
{
    struct model_stream *stream = stream_new(conversation, handlers);
    enum hv_code code = stream->model->recording ? replay_send(stream, err) : http_begin(stream, err);
    if (code != HV_OK) {
        stream_free(stream);
        return code;
    }
    *out = stream;
    return HV_OK;
}

void model_stream_cancel(struct model_stream *stream)
{
    if (stream->cancelled || stream->ended)
        return;
    stream->cancelled = true;
    if (stream->transfer) {
        http_cancel(stream->transfer);
    } else if (stream->timer) {
        loop_timer_stop(stream->timer);
        replay_later(stream, 0);
    }
}

static void ignore_end(void *user, enum hv_code code, const struct hv_error *err, int status, int64_t retry_after_ms)
{
    (void)user, (void)code, (void)err, (void)status, (void)retry_after_ms;
}

void model_stream_abandon(struct model_stream *stream)
{
    stream->handlers.on_end = ignore_end;
    if (!stream->transfer && stream->timer)
        stream_free(stream); /* a recording between two steps: the loop may never run again */
    else
        model_stream_cancel(stream);
}
