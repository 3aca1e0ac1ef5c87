/*
 * test_calls.c: what other programs write as calls, in every shape, cut at every place.
 *
 * What the reader says is written down in short: "m" a message begins, "a ID NAME INPUT" a call to be answered in
 * Anthropic's shape, "c …" in that of Chat Completions, "r …" in that of Responses, "f LINE" a fault.
 */
#include "agent/calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"

#include <cmocka.h>

enum { TEXT_MAX = 64 << 20 };

struct transcript {
    struct hv_buf text;
    size_t faults;
};

static void on_call(void *user, struct hv_str id, struct hv_str name, struct hv_str input, enum calls_shape shape)
{
    struct transcript *transcript = user;
    hv_buf_addf(&transcript->text, "%c %.*s %.*s %.*s\n", "acr"[shape], HV_STR_ARG(id), HV_STR_ARG(name),
                HV_STR_ARG(input));
}

static void on_message(void *user)
{
    struct transcript *transcript = user;
    hv_buf_add_cstr(&transcript->text, "m\n");
}

static void on_fault(void *user, uint64_t line, const struct hv_error *err)
{
    struct transcript *transcript = user;
    assert_true(err->code != HV_OK && err->message[0]);
    hv_buf_addf(&transcript->text, "f %llu\n", (unsigned long long)line);
    transcript->faults++;
}

/* Read input in pieces: [0, first), then pieces of `size`. */
static void read_in(struct transcript *transcript, enum calls_kind kind, struct hv_str input, size_t first, size_t size)
{
    struct calls_handlers handlers = {
        .on_call = on_call, .on_message = on_message, .on_fault = on_fault, .user = transcript};
    struct calls_reader *reader = calls_reader_new(kind, &handlers);
    hv_buf_clear(&transcript->text);
    calls_reader_feed(reader, hv_str_slice(input, 0, first));
    for (size_t at = first; at < input.len; at += size)
        calls_reader_feed(reader, hv_str_slice(input, at, at + size));
    calls_reader_finish(reader);
    calls_reader_free(reader);
}

/* Whole, byte by byte, and in two parts cut at every position. */
static void expect(enum calls_kind kind, struct hv_str input, const char *wanted)
{
    struct transcript transcript = {0};
    hv_buf_init(&transcript.text, TEXT_MAX);
    for (size_t cut = 0; cut <= input.len + 1; cut++) {
        size_t first = cut <= input.len ? cut : 0, size = cut <= input.len ? SIZE_MAX / 2 : 1;
        read_in(&transcript, kind, input, first, size);
        if (!hv_str_is(hv_buf_str(&transcript.text), wanted))
            fail_msg("cut at %zu of\n%.*s\nwanted:\n%s\ngot:\n%s", cut, HV_STR_ARG(input), wanted,
                     transcript.text.data ? transcript.text.data : "");
    }
    hv_buf_release(&transcript.text);
}

struct row {
    const char *input, *wanted;
};

static void expect_rows(enum calls_kind kind, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        expect(kind, hv_str_from(rows[i].input), rows[i].wanted);
}
#define EXPECT_ROWS(kind, rows) expect_rows(kind, rows, sizeof rows / sizeof *rows)

/* ---- JSON ------------------------------------------------------------------------------------------------------ */

static void blocks_and_messages_in_both_shapes_are_calls(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"Read\",\"input\":{\"a\": [1, \"}\"]}}",
         "a 1 Read {\"a\": [1, \"}\"]}\n"},
        {"{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"A\",\"input\":{}}\n\n{\"type\":\"tool_use\",\"id\":\"2\","
         "\"name\":\"B\",\"input\":{}}\r\n",
         "a 1 A {}\na 2 B {}\n"},
        {"{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"A\"}{\"type\":\"tool_use\",\"id\":\"2\",\"name\":\"B\"}",
         "a 1 A {}\na 2 B {}\n"},
        {"{\n  \"type\": \"tool_use\",\n  \"id\": \"1\",\n  \"name\": \"A\",\n  \"input\": {\n  }\n}\n",
         "a 1 A {\n  }\n"},
        {"[{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"A\",\"input\":{}},{\"type\":\"text\",\"text\":\"x\"}]",
         "m\na 1 A {}\n"},
        {"{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"x\"},{\"type\":\"tool_use\",\"id\":\"1\","
         "\"name\":\"A\",\"input\":{}}]}",
         "m\na 1 A {}\n"},
        {"{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"A\",\"arguments\":\"{\\\"x\\\":1}\"}}",
         "c c A {\"x\":1}\n"},
        {"{\"id\":\"c\",\"function\":{\"name\":\"A\",\"arguments\":{\"x\":1}}}", "c c A {\"x\":1}\n"},
        {"{\"id\":\"c\",\"function\":{\"name\":\"A\",\"arguments\":\" \"}}", "c c A {}\n"},
        {"{\"id\":\"c\",\"function\":{\"name\":\"A\",\"arguments\":\"{broken\"}}", "c c A {broken\n"},
        {"{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c\",\"function\":{\"name\":\"A\"}}]}", "m\nc c A {}\n"},
        {"{\"choices\":[{\"message\":{\"content\":null,\"tool_calls\":[{\"id\":\"c\",\"function\":{\"name\":\"A\"}}]}}]"
         "}",
         "m\nc c A {}\n"},
        {"{\"output\":[{\"type\":\"message\"},{\"type\":\"function_call\",\"id\":\"fc\",\"call_id\":\"k\","
         "\"name\":\"A\",\"arguments\":\"{}\"}]}",
         "m\nr k A {}\n"},
        {"{\"type\":\"function_call\",\"id\":\"fc\",\"name\":\"A\",\"arguments\":\"\"}", "r fc A {}\n"},
        {"\xef\xbb\xbf{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"A\",\"input\":null}", "a 1 A null\n"},
        {"{\"type\":\"tool_use\",\"id\":1,\"name\":[],\"input\":\"x\"}", "a 1  \"x\"\n"},
        {"{\"role\":\"user\",\"content\":\"hi\"}\n{\"type\":\"text\",\"text\":\"hi\"}\n", ""},
        {"", ""},
        {" \n\t\r\n", ""},
    };
    EXPECT_ROWS(CALLS_AUTO, rows);
    EXPECT_ROWS(CALLS_JSON, rows);
}

static void what_is_broken_is_told_and_the_rest_is_read(void **state)
{
    (void)state;
#define GOOD "{\"type\":\"tool_use\",\"id\":\"g\",\"name\":\"G\",\"input\":{}}"
    static const struct row rows[] = {
        {"nonsense\n" GOOD "\n", "f 1\na g G {}\n"},
        {"{\"type\":\"tool_use\",\n" GOOD "\n", "f 1\na g G {}\n"},
        {"{\"a\":\"unclosed\n" GOOD "\n", "f 1\na g G {}\n"},
        {"[1,2\n" GOOD "\n", "f 1\na g G {}\n"},
        {"[\n" GOOD ",\n" GOOD ",\n{\"cut", "f 1\na g G {}\na g G {}\n"},
        {"{\"a\":1}\n" GOOD, "f 1\na g G {}\n"},
        {"}\n" GOOD, "f 1\na g G {}\n"},
        {"3\n\"x\"\nnull\n" GOOD, "f 1\nf 2\nf 3\na g G {}\n"},
        {"{\"a\":1,}\n" GOOD, "f 1\na g G {}\n"},
        {GOOD "{\"type\":\"tool_use\"", "a g G {}\nf 1\n"},
        {GOOD "\n\n[", "a g G {}\nf 3\n"},
        {"\"", "f 1\n"},
    };
    EXPECT_ROWS(CALLS_JSON, rows);
}

static void bytes_that_are_no_utf8_and_lone_surrogates_are_repaired(void **state)
{
    (void)state;
    expect(CALLS_AUTO, HV_STR("{\"type\":\"tool_use\",\"id\":\"\xff\",\"name\":\"\\ud83d\",\"input\":{}}"),
           "a \xef\xbf\xbd \xef\xbf\xbd {}\n");
}

static void nesting_without_end_is_one_fault(void **state)
{
    (void)state;
    struct transcript transcript = {0};
    CLEANUP_BUF struct hv_buf deep = {.max = TEXT_MAX};
    hv_buf_init(&transcript.text, TEXT_MAX);
    for (int i = 0; i < 100000; i++)
        hv_buf_add_byte(&deep, '[');
    read_in(&transcript, CALLS_AUTO, hv_buf_str(&deep), 7, 4096);
    assert_int_equal(transcript.faults, 1);
    for (int i = 0; i < 100000; i++)
        hv_buf_add_byte(&deep, ']');
    read_in(&transcript, CALLS_AUTO, hv_buf_str(&deep), 7, 4096);
    assert_int_equal(transcript.faults, 2);
    hv_buf_release(&transcript.text);
}

static void a_value_over_the_limit_is_left_out_and_reading_goes_on(void **state)
{
    (void)state;
    struct transcript transcript = {0};
    struct calls_handlers handlers = {
        .on_call = on_call, .on_message = on_message, .on_fault = on_fault, .user = &transcript};
    hv_buf_init(&transcript.text, TEXT_MAX);
    struct calls_reader *reader = calls_reader_new(CALLS_JSON, &handlers);
    static char piece[1 << 20];
    memset(piece, 'a', sizeof piece);
    calls_reader_feed(reader, HV_STR("{\"a\":\""));
    for (size_t i = 0; i < CALLS_VALUE_MAX / sizeof piece + 2; i++)
        calls_reader_feed(reader, hv_str_of(piece, sizeof piece));
    calls_reader_feed(reader, HV_STR("\"}\n" GOOD "\n"));
    calls_reader_finish(reader);
    calls_reader_free(reader);
    assert_string_equal(transcript.text.data, "f 1\na g G {}\n");
    hv_buf_release(&transcript.text);
}

/* ---- streams --------------------------------------------------------------------------------------------------- */

#define EVENT(text) "data: " text "\n\n"
#define MESSAGE_START                                                                                                  \
    EVENT("{\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"role\":\"assistant\",\"content\":[]}}")
#define MESSAGE_STOP                                                                                                   \
    EVENT("{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}")                                     \
    EVENT("{\"type\":\"message_"                                                                                       \
          "stop\"}")
#define BLOCK(index, id)                                                                                               \
    EVENT("{\"type\":\"content_block_start\",\"index\":" index                                                         \
          ",\"content_block\":{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"A\",\"input\":{}}}")                 \
    EVENT("{\"type\":\"content_block_delta\",\"index\":" index                                                         \
          ",\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"x\\\":\"}}")                              \
    EVENT("{\"type\":\"content_block_delta\",\"index\":" index                                                         \
          ",\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"1}\"}}")                                       \
    EVENT("{\"type\":\"content_block_stop\",\"index\":" index "}")

static const char chat_stream[] = EVENT(
    "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"function\":{"
    "\"name\":\"A\",\"arguments\":\"\"}}]}}]}")
    EVENT(
        "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{}\"}}]}}]}")
        EVENT("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}") EVENT("[DONE]");

static const char responses_stream[] = EVENT("{\"type\":\"response.created\",\"response\":{\"id\":\"r\"}}")
    EVENT("{\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"function_call\","
          "\"id\":\"fc_1\",\"call_id\":\"call_9\",\"name\":\"A\",\"arguments\":\"\"}}")
        EVENT("{\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"function_call\","
              "\"id\":\"fc_1\",\"call_id\":\"call_9\",\"name\":\"A\",\"arguments\":\"{}\"}}")
            EVENT("{\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"status\":\"completed\"}}");

static void streams_of_the_three_protocols_are_recognised(void **state)
{
    (void)state;
    static const char anthropic[] = MESSAGE_START BLOCK("0", "toolu_1") BLOCK("1", "t") MESSAGE_STOP;
    expect(CALLS_AUTO, hv_str_from(anthropic), "m\na toolu_1 A {\"x\":1}\na t A {\"x\":1}\n");
    expect(CALLS_ANTHROPIC, hv_str_from(anthropic), "m\na toolu_1 A {\"x\":1}\na t A {\"x\":1}\n");
    expect(CALLS_AUTO, HV_STR(": comment\nevent: message_start\n" MESSAGE_START MESSAGE_STOP), "m\n");
    expect(CALLS_AUTO, hv_str_from(chat_stream), "m\nc call_1 A {}\n");
    expect(CALLS_OPENAI_CHAT, hv_str_from(chat_stream), "m\nc call_1 A {}\n");
    expect(CALLS_AUTO, hv_str_from(responses_stream), "m\nr call_9 A {}\n");
    expect(CALLS_STREAM, hv_str_from(responses_stream), "m\nr call_9 A {}\n");
}

static void recorded_streams_may_follow_one_another(void **state)
{
    (void)state;
    expect(CALLS_AUTO,
           HV_STR(MESSAGE_START BLOCK("0", "toolu_1") MESSAGE_STOP MESSAGE_START BLOCK("0", "toolu_1") MESSAGE_STOP),
           "m\na toolu_1 A {\"x\":1}\nm\na toolu_1 A {\"x\":1}\n");
}

static void a_stream_that_is_cut_keeps_its_complete_calls(void **state)
{
    (void)state;
    expect(CALLS_AUTO, HV_STR(MESSAGE_START BLOCK("0", "toolu_1")), "m\na toolu_1 A {\"x\":1}\nf 0\n");
    expect(CALLS_AUTO,
           HV_STR(MESSAGE_START BLOCK("0", "toolu_1")
                      EVENT("{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}}")),
           "m\na toolu_1 A {\"x\":1}\nf 0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_and_messages_in_both_shapes_are_calls),
        cmocka_unit_test(what_is_broken_is_told_and_the_rest_is_read),
        cmocka_unit_test(bytes_that_are_no_utf8_and_lone_surrogates_are_repaired),
        cmocka_unit_test(nesting_without_end_is_one_fault),
        cmocka_unit_test(a_value_over_the_limit_is_left_out_and_reading_goes_on),
        cmocka_unit_test(streams_of_the_three_protocols_are_recognised),
        cmocka_unit_test(recorded_streams_may_follow_one_another),
        cmocka_unit_test(a_stream_that_is_cut_keeps_its_complete_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
