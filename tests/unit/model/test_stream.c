/* Streams over HTTP against a server of fixed answers: what the handlers are told, and what the server was sent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "event_log.h"
#include "http_server.h"
#include "loop/loop.h"

#define SSE_HEAD "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
#define OPEN_END SSE_HEAD "Connection: close\r\n\r\n"
#define HELLO                                                                                                          \
    "data: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"model\":\"m\"}}\n\n"                            \
    "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"     \
    "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n\n"
#define HELLO_END                                                                                                      \
    "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n"                                                          \
    "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n"                                  \
    "data: {\"type\":\"message_stop\"}\n\n"
#define HELLO_EVENTS "start msg_1 m\ntext Hi\nblock {\"type\":\"text\",\"text\":\"Hi\"}\nstop end_turn end_turn"
#define JSON_ANSWER(status, headers, body)                                                                             \
    "HTTP/1.1 " status "\r\nContent-Type: application/json\r\nConnection: close\r\n" headers "\r\n" body

struct run {
    struct loop *loop;
    struct hv_buf log, raw;
    struct model_stream *stream;
    bool cancel_at_text, ended, inside_send;
    enum hv_code code;
    int status;
    int64_t retry_after_ms;
    struct hv_error error;
};

static void on_event(void *user, const struct model_event *event)
{
    struct run *run = user;
    assert_false(run->ended);
    event_log(&run->log, event);
    if (run->cancel_at_text && event->type == MODEL_TEXT)
        model_stream_cancel(run->stream);
}

static void on_end(void *user, enum hv_code code, const struct hv_error *err, int status, int64_t retry_after_ms)
{
    struct run *run = user;
    assert_false(run->ended);
    assert_false(run->inside_send);
    run->ended = true;
    run->code = code;
    run->status = status;
    run->retry_after_ms = retry_after_ms;
    if (err)
        run->error = *err;
    loop_stop(run->loop);
}

static void send_one(struct run *run, struct model_conversation *conversation)
{
    struct model_stream_handlers handlers = {.on_event = on_event, .on_end = on_end, .user = run};
    struct hv_error err;
    hv_buf_init(&run->log, 1 << 20);
    run->ended = false;
    run->inside_send = true;
    enum hv_code code = model_send(conversation, &handlers, &run->stream, &err);
    if (code != HV_OK)
        fail_msg("model_send: %s (%s)", err.message, err.hint);
    run->inside_send = false;
    loop_run(run->loop);
    assert_true(run->ended);
}

struct fixture {
    struct loop *loop;
    struct model *model;
    struct model_conversation *conversation;
};

static struct fixture fixture_new(const char *provider, int port, const char *path, uint64_t idle_timeout_ms)
{
    struct fixture fixture = {0};
    struct hv_error err;
    char url[200];
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%d%s", port, path);
    static const struct hv_str headers[] = {{"X-Mine: yes", 11}, {"X-Proxy-Token: proxy-secret", 27}};
    struct model_options options = {.provider = hv_str_from(provider),
                                    .name = HV_STR("claude-sonnet-4-5"),
                                    .base_url = hv_str_from(url),
                                    .api_key = HV_STR("key\n"),
                                    .headers = headers,
                                    .header_count = 2,
                                    .idle_timeout_ms = idle_timeout_ms};
    assert_int_equal(loop_new(&fixture.loop, &err), HV_OK);
    assert_int_equal(model_new(&options, fixture.loop, &fixture.model, &err), HV_OK);
    fixture.conversation = model_conversation_new(fixture.model);
    assert_int_equal(model_conversation_append(fixture.conversation, MODEL_USER,
                                               HV_STR("[{\"type\":\"text\",\"text\":\"hello\"}]"), &err),
                     HV_OK);
    return fixture;
}

static void fixture_free(struct fixture *fixture)
{
    model_conversation_free(fixture->conversation);
    model_free(fixture->model);
    loop_free(fixture->loop);
}

/* ---- cases ------------------------------------------------------------------------------------------------------ */

static const struct stream_case {
    const char *title, *provider, *answer;
    enum after after;
    uint64_t idle_timeout_ms;
    const char *events; /* NULL: not looked at */
    enum hv_code code;
    int status;
    int64_t retry_after_ms;
    const char *message, *hint; /* parts of the error */
} cases[] = {
    {"a stream to the end of the connection", "anthropic", OPEN_END HELLO HELLO_END, CLOSE, 0, HELLO_EVENTS, HV_OK, 200,
     -1},
    {"a message that is complete ends the stream, though the connection stays open", "anthropic",
     SSE_HEAD "Transfer-Encoding: chunked\r\n\r\nffff\r\n" HELLO HELLO_END, HANG, 0, HELLO_EVENTS, HV_OK, 200, -1},
    {"an answer that is no stream", "anthropic",
     JSON_ANSWER("200 OK", "",
                 "{\"type\":\"message\",\"id\":\"msg_1\",\"model\":\"m\",\"content\":[{\"type\":\"text\","
                 "\"text\":\"Hi\"}],\n\"stop_reason\":\"end_turn\"}"),
     CLOSE, 0, HELLO_EVENTS, HV_OK, 200, -1},
    {"chat that ends without its mark", "openai-chat",
     OPEN_END "data: {\"id\":\"c\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"},"
              "\"finish_reason\":\"stop\"}]}\n\n",
     CLOSE, 0, "start c m\ntext Hi\nblock {\"type\":\"text\",\"text\":\"Hi\"}\nstop end_turn stop", HV_OK, 200, -1},
    {"chat whose connection breaks after the finish reason", "openai-chat",
     SSE_HEAD "Content-Length: 9999\r\n\r\ndata: {\"id\":\"c\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":"
              "{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}\n\n",
     CLOSE, 0, "start c m\ntext Hi\nblock {\"type\":\"text\",\"text\":\"Hi\"}\nstop end_turn stop", HV_OK, 200, -1},
    {"a cut stream", "anthropic", OPEN_END HELLO, CLOSE, 0,
     "start msg_1 m\ntext Hi\nerror network: the stream was cut before its message was complete", HV_ENET, 200, -1,
     "cut", "again"},
    {"a broken connection", "anthropic", SSE_HEAD "Content-Length: 9999\r\n\r\n" HELLO, CLOSE, 0,
     "start msg_1 m\ntext Hi", HV_ENET, 200, -1},
    {"silence", "anthropic", SSE_HEAD "Content-Length: 9999\r\n\r\n" HELLO, HANG, 150, "start msg_1 m\ntext Hi",
     HV_ETIMEOUT, 200, -1},
    {"an error within the stream", "anthropic",
     OPEN_END HELLO
     "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
     HANG, 0, NULL, HV_EAGAIN, 200, -1, "Overloaded"},
    {"too many requests", "anthropic",
     JSON_ANSWER("429 Too Many Requests", "retry-after: 7\r\nrequest-id: req_1\r\n",
                 "{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"Slow down\"}}"),
     CLOSE, 0, NULL, HV_EAGAIN, 429, 7000, "Slow down"},
    {"overloaded", "anthropic",
     JSON_ANSWER("529 Overloaded", "",
                 "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Busy\"}}"),
     CLOSE, 0, NULL, HV_EAGAIN, 529, -1, "Busy"},
    {"a wrong key", "openai-chat",
     JSON_ANSWER("401 Unauthorized", "",
                 "{\"error\":{\"message\":\"Incorrect API key\",\"code\":\"invalid_api_key\"}}"),
     CLOSE, 0, NULL, HV_EACCES, 401, -1, "Incorrect API key", "OPENAI_API_KEY"},
    {"a wrong key that the server repeats", "anthropic",
     JSON_ANSWER("401 Unauthorized", "", "{\"error\":{\"message\":\"No such token: proxy-secret!\"}}"), CLOSE, 0, NULL,
     HV_EACCES, 401, -1, "No such token: ************!", "ANTHROPIC_API_KEY"},
    {"a model of the other API", "openai-chat",
     JSON_ANSWER("400 Bad Request", "",
                 "{\"error\":{\"message\":\"Please use /v1/responses instead.\",\"type\":\"invalid_request_error\"}}"),
     CLOSE, 0, NULL, HV_EINVAL, 400, -1, "instead", "openai-responses:"},
    {"a conversation that is too long", "anthropic",
     JSON_ANSWER("400 Bad Request", "",
                 "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"prompt is too long: "
                 "200001 tokens\"}}"),
     CLOSE, 0, NULL, HV_ETOOBIG, 400, -1, "too long", "new session"},
    {"a gateway's page", "openai-chat",
     "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html>Bad gateway</html>", CLOSE,
     0, NULL, HV_EAGAIN, 502, -1, "Bad gateway"},
    {"a redirect", "openai-chat",
     "HTTP/1.1 301 Moved\r\nLocation: https://elsewhere/v1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", CLOSE, 0,
     NULL, HV_EPROTO, 301, -1, "301", "https://elsewhere/v1"},
    {"a web page instead of a stream", "openai-chat",
     "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<!doctype html>\n<p>Welcome", CLOSE, 0,
     NULL, HV_EPROTO, 200, -1, "answered with text/html instead of a model's stream: <!doctype html>", "base URL"},
    {"plain text instead of a stream", "openai-responses",
     "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nOllama is running", CLOSE, 0, NULL,
     HV_EPROTO, 200, -1, "Ollama is running", "base URL"},
    {"another API's JSON", "anthropic", JSON_ANSWER("200 OK", "", "{\"hello\":1}"), CLOSE, 0, NULL, HV_EPROTO, 200, -1,
     "{\"hello\":1}", "base URL"},
    {"another API's stream", "anthropic",
     OPEN_END "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"}}]}\n\ndata: [DONE]\n\n",
     CLOSE, 0, NULL, HV_EPROTO, 200, -1, "instead of a model's stream", "openai-chat:"},
    {"another API's mark alone", "openai-responses", OPEN_END "data: [DONE]\n\n", CLOSE, 0, NULL, HV_EPROTO, 200, -1,
     "instead of a model's stream: data: [DONE]", "openai-chat:"},
    {"another API's message", "openai-chat",
     JSON_ANSWER("200 OK", "", "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[]}"), CLOSE, 0, NULL,
     HV_EPROTO, 200, -1, "instead of a model's stream", "anthropic:"},
    {"the mark of the end alone", "openai-chat", OPEN_END "data: [DONE]\n\n", CLOSE, 0, NULL, HV_ENET, 200, -1,
     "the stream was cut"},
    {"signs of life alone", "openai-chat", OPEN_END ": PROCESSING\n\n: PROCESSING\n\n", CLOSE, 0, NULL, HV_ENET, 200,
     -1, "the stream was cut"},
    {"pings alone", "anthropic", OPEN_END "event: ping\ndata: {\"type\":\"ping\"}\n\n", CLOSE, 0, NULL, HV_ENET, 200,
     -1, "the stream was cut"},
    {"a redirect that leads nowhere", "anthropic",
     "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", CLOSE, 0, NULL, HV_EPROTO, 302, -1, "302",
     "base URL"},
    {"an error with status 200", "openai-chat",
     JSON_ANSWER("200 OK", "", "{\"error\":{\"message\":\"model not loaded\",\"code\":\"model_not_found\"}}"), CLOSE, 0,
     NULL, HV_ENOTFOUND, 200, -1, "model not loaded"},
    {"an error with status 200, without the type that the API asks for", "anthropic",
     JSON_ANSWER("200 OK", "", "{\"error\":{\"message\":\"no such route\",\"type\":\"not_found_error\"}}"), CLOSE, 0,
     NULL, HV_ENOTFOUND, 200, -1, "no such route"},
    {"an error with status 200 where responses are expected", "openai-responses",
     JSON_ANSWER("200 OK", "", "{\"error\":{\"message\":\"no such route\",\"type\":\"not_found_error\"}}"), CLOSE, 0,
     NULL, HV_ENOTFOUND, 200, -1, "no such route"},
    {"nothing at all", "anthropic", OPEN_END, CLOSE, 0, NULL, HV_ENET, 200, -1, "the stream was cut"},
};

static bool has_part(const char *text, const char *part)
{
    return !part || strstr(text, part);
}

static void check_case(const struct stream_case *item)
{
    static const char *const paths[] = {"/v1/messages", "/v1/chat/completions", "/v1/responses"};
    struct answer answers[3];
    struct server server;
    for (size_t i = 0; i < 3; i++)
        answers[i] = (struct answer){paths[i], hv_str_from(item->answer), item->after};
    server_start(&server, answers, 3);
    struct fixture fixture = fixture_new(item->provider, server.port, "", item->idle_timeout_ms);
    struct run run = {.loop = fixture.loop};
    send_one(&run, fixture.conversation);
    if (run.code != item->code || run.status != item->status || run.retry_after_ms != item->retry_after_ms)
        fail_msg("%s: %s, status %d, retry after %d (%s)", item->title, hv_code_name(run.code), run.status,
                 (int)run.retry_after_ms, run.error.message);
    if (!has_part(run.error.message, item->message) || !has_part(run.error.hint, item->hint))
        fail_msg("%s: message \"%s\", hint \"%s\"", item->title, run.error.message, run.error.hint);
    if (run.code != HV_OK && !run.error.hint[0])
        fail_msg("%s: \"%s\" says nothing of what to do", item->title, run.error.message);
    const char *log = run.log.data ? run.log.data : "";
    if (item->events && strcmp(log, item->events) != 0)
        fail_msg("%s\nexpected:\n%s\ngot:\n%s", item->title, item->events, log);
    hv_buf_release(&run.log);
    fixture_free(&fixture);
    server_stop(&server);
}

static void each_answer_of_a_server_has_its_events_and_its_end(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
}

/* ---- requests --------------------------------------------------------------------------------------------------- */

static void a_request_bears_the_key_the_headers_and_the_conversation(void **state)
{
    (void)state;
    static const char *const lines[] = {"POST /base/v1/messages HTTP/1.1\r\n", "x-api-key: key\r\n",
                                        "anthropic-version: 2023-06-01\r\n", "Content-Type: application/json\r\n",
                                        "X-Mine: yes\r\n"};
    const struct answer answer = {
        "/base/v1/messages", {OPEN_END HELLO HELLO_END, sizeof(OPEN_END HELLO HELLO_END) - 1}, CLOSE};
    struct server server;
    server_start(&server, &answer, 1);
    struct fixture fixture = fixture_new("anthropic", server.port, "/base/", 0);
    struct run run = {.loop = fixture.loop};
    send_one(&run, fixture.conversation);
    assert_int_equal(run.code, HV_OK);
    struct hv_buf body;
    hv_buf_init(&body, 1 << 20);
    model_conversation_body(fixture.conversation, &body);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (!strstr(server.last.data, lines[i]))
            fail_msg("no %s in %s", lines[i], server.last.data);
    }
    assert_true(hv_str_ends(hv_buf_str(&server.last), hv_buf_str(&body)));
    fixture_free(&fixture);
    server_stop(&server);
    hv_buf_release(&body);
    hv_buf_release(&run.log);
}

static void cancelling_within_an_event_ends_the_stream_with_nothing_more(void **state)
{
    (void)state;
    const struct answer answer = {
        "/v1/messages", {OPEN_END HELLO HELLO_END, sizeof(OPEN_END HELLO HELLO_END) - 1}, HANG};
    struct server server;
    server_start(&server, &answer, 1);
    struct fixture fixture = fixture_new("anthropic", server.port, "", 0);
    struct run run = {.loop = fixture.loop, .cancel_at_text = true};
    send_one(&run, fixture.conversation);
    assert_int_equal(run.code, HV_ECANCELLED);
    assert_string_equal(run.log.data, "start msg_1 m\ntext Hi");
    hv_buf_release(&run.log);
    fixture_free(&fixture);
    server_stop(&server);
}

/* People write a base URL with and without the version, with a slash at its end, some with the whole path. */
static void base_urls_are_completed(void **state)
{
    (void)state;
    static const struct {
        const char *provider, *base, *line;
    } rows[] = {
        {"anthropic", "", "POST /v1/messages HTTP"},
        {"anthropic", "/", "POST /v1/messages HTTP"},
        {"anthropic", "/v1", "POST /v1/messages HTTP"},
        {"anthropic", "/proxy", "POST /proxy/v1/messages HTTP"},
        {"anthropic", "/v1/messages", "POST /v1/messages HTTP"},
        {"openai-chat", "", "POST /v1/chat/completions HTTP"},
        {"openai-chat", "/v1/", "POST /v1/chat/completions HTTP"},
        {"openai-chat", "/api/v3", "POST /api/v3/chat/completions HTTP"},
        {"openai-chat", "/x/chat/completions", "POST /x/chat/completions HTTP"},
        {"openai-chat", "/deploy/m?api-version=1", "POST /deploy/m/chat/completions?api-version=1 HTTP"},
        {"openai-responses", "/v1", "POST /v1/responses HTTP"},
    };
    struct server server;
    server_start(&server, NULL, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture fixture = fixture_new(rows[i].provider, server.port, rows[i].base, 0);
        struct run run = {.loop = fixture.loop};
        send_one(&run, fixture.conversation);
        if (!hv_str_starts(hv_buf_str(&server.last), hv_str_from(rows[i].line)))
            fail_msg("%s %s: %.60s", rows[i].provider, rows[i].base, server.last.data);
        hv_buf_release(&run.log);
        fixture_free(&fixture);
    }
    server_stop(&server);
}

static void cancel_now(void *data)
{
    struct run *run = data;
    model_stream_cancel(run->stream);
    model_stream_cancel(run->stream);
}

static void cancelling_before_any_answer_ends_the_stream(void **state)
{
    (void)state;
    const struct answer answer = {"/v1/messages", HV_STR(""), HANG};
    struct server server;
    server_start(&server, &answer, 1);
    struct fixture fixture = fixture_new("anthropic", server.port, "", 0);
    struct run run = {.loop = fixture.loop};
    loop_post(fixture.loop, cancel_now, &run);
    send_one(&run, fixture.conversation);
    assert_int_equal(run.code, HV_ECANCELLED);
    assert_int_equal(run.status, 0);
    assert_int_equal(run.log.len, 0);
    hv_buf_release(&run.log);
    fixture_free(&fixture);
    server_stop(&server);
}

static void abandon_now(void *data)
{
    struct run *run = data;
    model_stream_abandon(run->stream);
    loop_stop(run->loop);
}

/* The conversation goes away with its owner, the transfer later. */
static void an_abandoned_stream_tells_nobody(void **state)
{
    (void)state;
    const struct answer answer = {
        "/v1/messages", {OPEN_END HELLO HELLO_END, sizeof(OPEN_END HELLO HELLO_END) - 1}, HANG};
    struct server server;
    server_start(&server, &answer, 1);
    struct fixture fixture = fixture_new("anthropic", server.port, "", 0);
    struct run run = {.loop = fixture.loop};
    struct model_stream_handlers handlers = {.on_event = on_event, .on_end = on_end, .user = &run};
    struct hv_error err;
    assert_int_equal(model_send(fixture.conversation, &handlers, &run.stream, &err), HV_OK);
    loop_post(fixture.loop, abandon_now, &run);
    loop_run(fixture.loop);
    model_conversation_free(fixture.conversation);
    fixture.conversation = NULL;
    fixture_free(&fixture);
    assert_false(run.ended);
    server_stop(&server);
}

static void *preload(void *model)
{
    model_preload(model);
    return NULL;
}

static void loading_ahead_from_another_thread_is_harmless(void **state)
{
    (void)state;
    const struct answer answer = {
        "/v1/messages", {OPEN_END HELLO HELLO_END, sizeof(OPEN_END HELLO HELLO_END) - 1}, CLOSE};
    struct server server;
    pthread_t thread;
    server_start(&server, &answer, 1);
    struct fixture fixture = fixture_new("anthropic", server.port, "", 0);
    assert_int_equal(pthread_create(&thread, NULL, preload, fixture.model), 0);
    struct run run = {.loop = fixture.loop};
    send_one(&run, fixture.conversation);
    pthread_join(thread, NULL);
    assert_int_equal(run.code, HV_OK);
    hv_buf_release(&run.log);
    fixture_free(&fixture);
    server_stop(&server);
}

static void a_server_that_is_not_there_is_an_error_of_the_network(void **state)
{
    (void)state;
    struct server server;
    server_start(&server, NULL, 0);
    server_stop(&server);
    struct fixture fixture = fixture_new("anthropic", server.port, "", 0);
    struct run run = {.loop = fixture.loop};
    send_one(&run, fixture.conversation);
    assert_int_equal(run.code, HV_ENET);
    assert_int_equal(run.status, 0);
    assert_true(run.error.hint[0] != '\0');
    hv_buf_release(&run.log);
    fixture_free(&fixture);
}

static void requests_share_a_connection(void **state)
{
    (void)state;
    struct server server;
    struct hv_buf bytes;
    hv_buf_init(&bytes, 1 << 16);
    hv_buf_addf(&bytes, SSE_HEAD "Content-Length: %zu\r\n\r\n%s", sizeof(HELLO HELLO_END) - 1, HELLO HELLO_END);
    const struct answer answer = {"/v1/messages", hv_buf_str(&bytes), KEEP};
    server_start(&server, &answer, 1);
    struct fixture fixture = fixture_new("anthropic", server.port, "", 0);
    for (int i = 0; i < 3; i++) {
        struct run run = {.loop = fixture.loop};
        send_one(&run, fixture.conversation);
        assert_int_equal(run.code, HV_OK);
        hv_buf_release(&run.log);
    }
    assert_int_equal(server_requests(&server), 3);
    assert_int_equal(server_connections(&server), 1);
    fixture_free(&fixture);
    server_stop(&server);
    hv_buf_release(&bytes);
}

static void names_that_were_changed_for_the_wire_come_back_as_they_were(void **state)
{
    (void)state;
    static const char stream[] =
        OPEN_END "data: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"model\":\"m\"}}\n\n"
                 "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":"
                 "\"toolu_1\",\"name\":\"a_b_108bf50c\",\"input\":{}}}\n\n" HELLO_END;
    const struct answer answer = {"/v1/messages", {stream, sizeof stream - 1}, CLOSE};
    const struct model_tool tool = {HV_STR("a.b"), HV_STR("d"), HV_STR("{\"type\":\"object\"}")};
    struct server server;
    server_start(&server, &answer, 1);
    struct fixture fixture = fixture_new("anthropic", server.port, "", 0);
    model_conversation_set_tools(fixture.conversation, &tool, 1, 1);
    struct run run = {.loop = fixture.loop};
    send_one(&run, fixture.conversation);
    assert_non_null(strstr(server.last.data, "\"name\":\"a_b_108bf50c\""));
    assert_string_equal(run.log.data, "start msg_1 m\nbegin toolu_1 a.b\ncall toolu_1 a.b {}\n"
                                      "block {\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"a.b\",\"input\":{}}\n"
                                      "stop end_turn end_turn");
    hv_buf_release(&run.log);
    fixture_free(&fixture);
    server_stop(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_answer_of_a_server_has_its_events_and_its_end),
        cmocka_unit_test(a_request_bears_the_key_the_headers_and_the_conversation),
        cmocka_unit_test(base_urls_are_completed),
        cmocka_unit_test(cancelling_within_an_event_ends_the_stream_with_nothing_more),
        cmocka_unit_test(cancelling_before_any_answer_ends_the_stream),
        cmocka_unit_test(an_abandoned_stream_tells_nobody),
        cmocka_unit_test(loading_ahead_from_another_thread_is_harmless),
        cmocka_unit_test(a_server_that_is_not_there_is_an_error_of_the_network),
        cmocka_unit_test(requests_share_a_connection),
        cmocka_unit_test(names_that_were_changed_for_the_wire_come_back_as_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
