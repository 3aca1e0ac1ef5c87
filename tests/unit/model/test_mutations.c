/*
 * Recorded streams of all wires, damaged: cut at every byte, each event doubled, neighbours swapped, and joined without
 * the blank line between them. Whatever comes: no crash, one error at most and nothing behind it, no call without its
 * block, each id once, and no message that is complete before its end was sent.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "event_log.h"

enum { EVENTS_MAX = 16 };

/* One message with a text and two calls, event by event; end: how many of them must have come before it may end. */
static const struct recorded {
    enum model_wire wire;
    size_t end;
    const char *events[EVENTS_MAX];
} streams[] = {
    {MODEL_WIRE_ANTHROPIC,
     9,
     {"data: {\"type\":\"message_start\",\"message\":{\"id\":\"m1\",\"model\":\"m\"}}\n\n",
      "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
      "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n\n",
      "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
      "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_1\","
      "\"name\":\"A\",\"input\":{}}}\n\n",
      "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":"
      "\"{\\\"x\\\":1}\"}}\n\n",
      "data: {\"type\":\"content_block_stop\",\"index\":1}\n\n",
      "data: {\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_2\","
      "\"name\":\"B\",\"input\":{\"y\":2}}}\n\n",
      "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\n",
      "data: {\"type\":\"message_stop\"}\n\n"}},
    {MODEL_WIRE_OPENAI_CHAT,
     5,
     {"data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"}}]}\n\n",
      "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\","
      "\"function\":{\"name\":\"A\",\"arguments\":\"{\\\"x\\\"\"}}]}}]}\n\n",
      "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{"
      "\"arguments\":\":1}\"}}]}}]}\n\n",
      "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":1,\"id\":\"call_2\","
      "\"function\":{\"name\":\"B\",\"arguments\":\"{\\\"y\\\":2}\"}}]}}]}\n\n",
      "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n",
      "data: [DONE]\n\n"}},
    {MODEL_WIRE_OPENAI_RESPONSES,
     6,
     {"data: {\"type\":\"response.created\",\"response\":{\"id\":\"r1\"}}\n\n",
      "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"Hi\"}\n\n",
      "data: {\"type\":\"response.output_item.added\",\"output_index\":1,\"item\":{\"type\":\"function_call\","
      "\"call_id\":\"call_1\",\"name\":\"A\",\"arguments\":\"\"}}\n\n",
      "data: {\"type\":\"response.output_item.done\",\"output_index\":1,\"item\":{\"type\":\"function_call\","
      "\"call_id\":\"call_1\",\"name\":\"A\",\"arguments\":\"{\\\"x\\\":1}\"}}\n\n",
      "data: {\"type\":\"response.output_item.done\",\"output_index\":2,\"item\":{\"type\":\"function_call\","
      "\"call_id\":\"call_2\",\"name\":\"B\",\"arguments\":\"{\\\"y\\\":2}\"}}\n\n",
      "data: {\"type\":\"response.completed\",\"response\":{\"id\":\"r1\",\"status\":\"completed\"}}\n\n"}},
};

struct seen {
    struct hv_buf ids;
    size_t calls, blocks, stops, errors;
    bool wants_block, doubled;
};

static void look(void *user, const struct model_event *event)
{
    struct seen *seen = user;
    assert_int_equal(seen->errors, 0);
    assert_true(!seen->wants_block || event->type == MODEL_BLOCK);
    seen->wants_block = event->type == MODEL_TOOL_CALL;
    seen->stops += event->type == MODEL_STOP;
    seen->errors += event->type == MODEL_ERROR;
    seen->blocks += event->type == MODEL_BLOCK;
    if (event->type != MODEL_TOOL_CALL)
        return;
    seen->calls++;
    seen->doubled |= hv_str_find(hv_buf_str(&seen->ids), event->id, 0) != SIZE_MAX;
    hv_buf_add_str(&seen->ids, event->id);
    hv_buf_add_byte(&seen->ids, ' ');
}

static struct seen decode(enum model_wire wire, struct hv_str bytes)
{
    struct seen seen = {0};
    hv_buf_init(&seen.ids, 1 << 16);
    struct model_decoder *decoder = model_decoder_new(wire, 1 << 20, look, &seen);
    model_decoder_feed(decoder, bytes);
    model_decoder_finish(decoder);
    model_decoder_free(decoder);
    assert_false(seen.wants_block);
    assert_false(seen.doubled);
    /* Each message ends, or an error says that it did not. */
    assert_true(seen.stops + seen.errors >= 1);
    hv_buf_release(&seen.ids);
    return seen;
}

static size_t count_events(const struct recorded *stream)
{
    size_t count = 0;
    while (count < EVENTS_MAX && stream->events[count])
        count++;
    return count;
}

static void a_stream_that_is_cut_is_complete_only_behind_its_end(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        struct hv_buf bytes;
        size_t may_end = 0;
        hv_buf_init(&bytes, 1 << 20);
        for (size_t j = 0; j < count_events(&streams[i]); j++) {
            hv_buf_add_cstr(&bytes, streams[i].events[j]);
            if (j + 1 == streams[i].end)
                may_end = bytes.len - 2; /* the blank line may be missing */
        }
        for (size_t cut = 0; cut <= bytes.len; cut++) {
            struct seen seen = decode(streams[i].wire, hv_str_slice(hv_buf_str(&bytes), 0, cut));
            if ((seen.stops > 0) != (cut >= may_end))
                fail_msg("wire %d, cut at %zu of %zu: %zu ends", (int)streams[i].wire, cut, may_end, seen.stops);
            assert_true(!seen.stops || seen.calls == 2);
        }
        hv_buf_release(&bytes);
    }
}

/* The events with one of them doubled (how 0), swapped with the next (1), or joined with the next (2). */
static void mutate(const struct recorded *stream, size_t at, int how, struct hv_buf *out)
{
    size_t count = count_events(stream);
    hv_buf_clear(out);
    for (size_t j = 0; j < count; j++) {
        struct hv_str event = hv_str_from(stream->events[j]);
        if (how == 1 && at + 1 < count && (j == at || j == at + 1))
            event = hv_str_from(stream->events[j == at ? at + 1 : at]);
        hv_buf_add_str(out, j == at && how == 2 ? hv_str_slice(event, 0, event.len - 1) : event);
        if (j == at && how == 0)
            hv_buf_add_str(out, event);
    }
}

static void no_call_is_lost_where_events_are_doubled_swapped_or_joined(void **state)
{
    (void)state;
    struct hv_buf bytes;
    hv_buf_init(&bytes, 1 << 20);
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        for (size_t at = 0; at < count_events(&streams[i]); at++) {
            for (int how = 0; how < 3; how++) {
                mutate(&streams[i], at, how, &bytes);
                struct seen seen = decode(streams[i].wire, hv_buf_str(&bytes));
                /* A complete message has its calls; swapping may have put one behind the end. */
                if (!seen.errors && seen.calls < 2 && how != 1)
                    fail_msg("wire %d, event %zu, mutation %d: %zu calls", (int)streams[i].wire, at, how, seen.calls);
            }
        }
    }
    hv_buf_release(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_that_is_cut_is_complete_only_behind_its_end),
        cmocka_unit_test(no_call_is_lost_where_events_are_doubled_swapped_or_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
