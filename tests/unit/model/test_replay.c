/* Recordings as models: what each request is answered with, and what is said when that is not possible. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "event_log.h"
#include "loop/loop.h"

#include <unistd.h>

struct run {
    struct loop *loop;
    struct hv_buf log, raw;
    struct model_stream *stream;
    bool cancel_at_text, ended, inside_send;
    enum hv_code code;
    struct hv_error error;
};

static void on_event(void *user, const struct model_event *event)
{
    struct run *run = user;
    assert_false(run->ended);
    assert_false(run->inside_send);
    event_log(&run->log, event);
    if (run->cancel_at_text && event->type == MODEL_TEXT)
        model_stream_cancel(run->stream);
}

static void on_raw(void *user, struct hv_str json)
{
    struct run *run = user;
    hv_buf_add_str(&run->raw, json);
    hv_buf_add_byte(&run->raw, '\n');
}

static void on_end(void *user, enum hv_code code, const struct hv_error *err, int status, int64_t retry_after_ms)
{
    struct run *run = user;
    assert_false(run->ended);
    assert_false(run->inside_send);
    assert_int_equal(status, 0);
    assert_true(retry_after_ms == -1);
    run->ended = true;
    run->code = code;
    if (err)
        run->error = *err;
    loop_stop(run->loop);
}

static enum hv_code send_one(struct run *run, struct model_conversation *conversation)
{
    struct model_stream_handlers handlers = {.on_event = on_event, .on_raw = on_raw, .on_end = on_end, .user = run};
    hv_buf_init(&run->log, 1 << 20);
    hv_buf_init(&run->raw, 1 << 20);
    run->ended = false;
    run->inside_send = true;
    enum hv_code code = model_send(conversation, &handlers, &run->stream, &run->error);
    run->inside_send = false;
    if (code == HV_OK)
        loop_run(run->loop);
    return code;
}

static void run_release(struct run *run)
{
    hv_buf_release(&run->log);
    hv_buf_release(&run->raw);
}

static enum hv_code open_model(struct loop *loop, const char *name, struct model **model, struct hv_error *err)
{
    struct model_options options = {.provider = HV_STR("replay"), .name = hv_str_from(name)};
    return model_new(&options, loop, model, err);
}

/* A model that replays text. */
static struct model *model_of(struct loop *loop, const char *text)
{
    char path[] = "/tmp/helve-test-replay-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    size_t len = strlen(text);
    assert_int_equal(write(fd, text, len), len);
    close(fd);
    struct model *model = NULL;
    struct hv_error err;
    assert_int_equal(open_model(loop, path, &model, &err), HV_OK);
    unlink(path);
    return model;
}

struct fixture {
    struct loop *loop;
    struct model *model;
    struct model_conversation *conversation;
};

static struct fixture fixture_new(const char *recording)
{
    struct fixture fixture = {0};
    struct hv_error err;
    assert_int_equal(loop_new(&fixture.loop, &err), HV_OK);
    fixture.model = model_of(fixture.loop, recording);
    fixture.conversation = model_conversation_new(fixture.model);
    return fixture;
}

static void fixture_free(struct fixture *fixture)
{
    model_conversation_free(fixture->conversation);
    model_free(fixture->model);
    loop_free(fixture->loop);
}

/* ---- cases ------------------------------------------------------------------------------------------------------ */

static const struct {
    const char *title, *recording, *events;
} cases[] = {
    {"a plain line: text, a call, usage",
     "{\"content\":[{\"type\":\"text\",\"text\":\"Look.\"},{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"LS\","
     "\"input\":{\"path\":\".\"}}],\"stop_reason\":\"tool_use\",\"usage\":{\"input_tokens\":7,\"output_tokens\":3}}\n",
     "start msg_replay_1 replay\nusage in=7 out=3 read=0 write=0 think=0\ntext Look.\n"
     "block {\"type\":\"text\",\"text\":\"Look.\"}\nbegin toolu_1 LS\ncall toolu_1 LS {\"path\":\".\"}\n"
     "block {\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"LS\",\"input\":{\"path\":\".\"}}\nstop tool_use "
     "tool_use"},
    {"the stop reason follows from the blocks when it is not given; a last line without a newline",
     "{\"content\":[{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"LS\",\"input\":{}}]}",
     "start msg_replay_1 replay\nbegin toolu_1 LS\ncall toolu_1 LS {}\n"
     "block {\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"LS\",\"input\":{}}\nstop tool_use tool_use"},
    {"a journal: only what the model said in it",
     "{\"type\":\"session_start\",\"time\":1,\"wall\":1,\"data\":{\"id\":\"x\"}}\n"
     "{\"type\":\"message\",\"name\":\"assistant\",\"json\":[{\"type\":\"text\",\"text\":\"old\"}],"
     "\"data\":{\"inherited\":true}}\n"
     "{\"type\":\"message\",\"name\":\"user\",\"json\":[{\"type\":\"text\",\"text\":\"hi\"}]}\n\n"
     "{\"type\":\"message\",\"name\":\"assistant\",\"json\":[{\"type\":\"text\",\"text\":\"Hello\"}],"
     "\"data\":{\"id\":\"msg_7\",\"model\":\"claude-x\",\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":1,"
     "\"cache_creation_input_tokens\":2,\"cache_read_input_tokens\":3,\"output_tokens\":4}}}\n",
     "start msg_replay_1 claude-x\nusage in=1 out=4 read=3 write=2 think=0\ntext Hello\n"
     "block {\"type\":\"text\",\"text\":\"Hello\"}\nstop end_turn end_turn"},
    {"thinking keeps its signature, foreign blocks stay as they are, long texts come in whole characters",
     "{\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"S=\"},{\"type\":\"provider_item\","
     "\"provider\":\"openai-responses\",\"item\":{\"type\":\"reasoning\",\"id\":\"rs_1\"}},{\"type\":\"text\",\"text\":"
     "\"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3"
     "\xa9"
     "\xc3\xa9 x\xc3\xa9\xc3\xa9\xc3\xa9\"}],\"stop_reason\":\"max_tokens\"}\n",
     "start msg_replay_1 replay\nthinking hm\nblock {\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"S=\"}\n"
     "block {\"type\":\"provider_item\",\"provider\":\"openai-responses\",\"item\":{\"type\":\"reasoning\",\"id\":"
     "\"rs_1\"}}\n"
     "text \xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
     "\xc3\xa9\xc3\xa9 \ntext x\xc3\xa9\xc3\xa9\xc3\xa9\nblock {\"type\":\"text\",\"text\":\"\xc3\xa9\xc3\xa9\xc3\xa9"
     "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 x\xc3\xa9\xc3"
     "\xa9\xc3\xa9\"}\nstop max_tokens max_tokens"},
    {"waits are kept apart from what is said",
     "{\"content\":[{\"type\":\"text\",\"text\":\"a\"}],\"delay_ms\":3,\"piece_ms\":1}\n",
     "start msg_replay_1 replay\ntext a\nblock {\"type\":\"text\",\"text\":\"a\"}\nstop end_turn end_turn"},
};

static void each_request_gets_the_next_recorded_message_as_a_stream(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture fixture = fixture_new(cases[i].recording);
        struct run run = {.loop = fixture.loop};
        assert_int_equal(send_one(&run, fixture.conversation), HV_OK);
        assert_int_equal(run.code, HV_OK);
        if (strcmp(run.log.data, cases[i].events) != 0)
            fail_msg("%s\nexpected:\n%s\ngot:\n%s", cases[i].title, cases[i].events, run.log.data);
        run_release(&run);
        fixture_free(&fixture);
    }
}

static void raw_events_are_those_of_a_model_stream(void **state)
{
    (void)state;
    struct fixture fixture = fixture_new("{\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}\n");
    struct run run = {.loop = fixture.loop};
    assert_int_equal(send_one(&run, fixture.conversation), HV_OK);
    assert_string_equal(
        run.raw.data,
        "{\"type\":\"message_start\",\"message\":{\"type\":\"message\",\"id\":\"msg_replay_1\",\"role\":"
        "\"assistant\",\"model\":\"replay\"}}\n"
        "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n"
        "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\n"
        "{\"type\":\"content_block_stop\",\"index\":0}\n"
        "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n"
        "{\"type\":\"message_stop\"}\n");
    run_release(&run);
    fixture_free(&fixture);
}

static void at_its_end_a_recording_says_so(void **state)
{
    (void)state;
    struct fixture fixture = fixture_new("{\"content\":[{\"type\":\"text\",\"text\":\"only\"}]}\n");
    struct run first = {.loop = fixture.loop}, second = {.loop = fixture.loop};
    assert_int_equal(send_one(&first, fixture.conversation), HV_OK);
    assert_int_equal(send_one(&second, fixture.conversation), HV_ENOTFOUND);
    assert_non_null(strstr(second.error.message, "is at its end: all of its 1 messages were replayed"));
    assert_non_null(strstr(second.error.hint, "record a longer one"));
    assert_false(second.ended);
    run_release(&first);
    run_release(&second);
    fixture_free(&fixture);
}

static void a_broken_line_is_named(void **state)
{
    (void)state;
    struct fixture fixture = fixture_new("{\"content\":\"no list\"}\n{\"content\":[\n");
    struct run run = {.loop = fixture.loop};
    assert_int_equal(send_one(&run, fixture.conversation), HV_EINVAL);
    assert_non_null(strstr(run.error.message, "line 2 of the recording"));
    run_release(&run);
    fixture_free(&fixture);
}

static void what_cannot_be_read_is_refused_at_once(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum hv_code code;
    } rows[] = {{"/nonexistent/file.jsonl", HV_ENOTFOUND}, {"/tmp", HV_EINVAL}, {"/dev/null", HV_EINVAL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct model *model = NULL;
        struct hv_error err;
        assert_int_equal(open_model(NULL, rows[i].name, &model, &err), rows[i].code);
        assert_null(model);
        assert_non_null(strstr(err.message, rows[i].name));
    }
}

static void cancelling_from_within_an_event_ends_the_stream_after_it(void **state)
{
    (void)state;
    struct fixture fixture = fixture_new("{\"content\":[{\"type\":\"text\",\"text\":\"one\"},{\"type\":\"tool_use\","
                                         "\"id\":\"toolu_1\",\"name\":\"LS\",\"input\":{}}]}\n");
    struct run run = {.loop = fixture.loop, .cancel_at_text = true};
    assert_int_equal(send_one(&run, fixture.conversation), HV_OK);
    assert_int_equal(run.code, HV_ECANCELLED);
    assert_string_equal(run.log.data, "start msg_replay_1 replay\ntext one");
    run_release(&run);
    fixture_free(&fixture);
}

static void cancel_now(void *data)
{
    model_stream_cancel(((struct run *)data)->stream);
}

static void cancelling_a_wait_ends_it(void **state)
{
    (void)state;
    struct fixture fixture = fixture_new("{\"content\":[{\"type\":\"text\",\"text\":\"one\"}],\"delay_ms\":600000}\n");
    struct run run = {.loop = fixture.loop};
    loop_post(fixture.loop, cancel_now, &run);
    assert_int_equal(send_one(&run, fixture.conversation), HV_OK);
    assert_int_equal(run.code, HV_ECANCELLED);
    assert_int_equal(run.log.len, 0);
    run_release(&run);
    fixture_free(&fixture);
}

static void an_abandoned_recording_tells_nobody_and_leaves_nothing(void **state)
{
    (void)state;
    struct fixture fixture = fixture_new("{\"content\":[{\"type\":\"text\",\"text\":\"one\"}],\"delay_ms\":600000}\n");
    struct run run = {.loop = fixture.loop};
    struct model_stream_handlers handlers = {.on_event = on_event, .on_end = on_end, .user = &run};
    struct hv_error err;
    assert_int_equal(model_send(fixture.conversation, &handlers, &run.stream, &err), HV_OK);
    model_stream_abandon(run.stream);
    fixture_free(&fixture);
    assert_false(run.ended);
}

static void the_demo_is_part_of_the_program(void **state)
{
    (void)state;
    struct loop *loop;
    struct model *model = NULL;
    struct hv_error err;
    assert_int_equal(loop_new(&loop, &err), HV_OK);
    assert_int_equal(open_model(loop, "demo", &model, &err), HV_OK);
    struct model_conversation *conversation = model_conversation_new(model);
    struct run run = {.loop = loop};
    assert_int_equal(send_one(&run, conversation), HV_OK);
    assert_int_equal(run.code, HV_OK);
    assert_non_null(strstr(run.log.data, "\nstop "));
    assert_true(model_cost(model, &(struct model_usage){.input_tokens = 1}) == 0);
    run_release(&run);
    model_conversation_free(conversation);
    model_free(model);
    loop_free(loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_request_gets_the_next_recorded_message_as_a_stream),
        cmocka_unit_test(raw_events_are_those_of_a_model_stream),
        cmocka_unit_test(at_its_end_a_recording_says_so),
        cmocka_unit_test(a_broken_line_is_named),
        cmocka_unit_test(what_cannot_be_read_is_refused_at_once),
        cmocka_unit_test(cancelling_from_within_an_event_ends_the_stream_after_it),
        cmocka_unit_test(cancelling_a_wait_ends_it),
        cmocka_unit_test(an_abandoned_recording_tells_nobody_and_leaves_nothing),
        cmocka_unit_test(the_demo_is_part_of_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
