/*
 * journal.c: fuzzes all that reads journals. Any bytes give events, a conversation that is valid, both forms of a
 * trace, and calls that can be compared; what is written again as a line reads as the same event.
 */
#include "base/cleanup.h"
#include "journal/reader.h"
#include "journal/replay.h"
#include "journal/resume.h"
#include "journal/trace.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            abort();                                                                                                   \
    } while (0)

static void check_round_trip(const struct hv_event *event)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf line = {.max = 64 << 20};
    struct hv_event again;
    hv_event_write(&line, event);
    CHECK(hv_event_read(&arena, hv_str_slice(hv_buf_str(&line), 0, line.len - 1), &again, NULL) == HV_OK);
    CHECK(again.type == event->type && again.time_ns == event->time_ns && hv_str_eq(again.text, event->text));
    CHECK(hv_str_eq(again.call_id, event->call_id));
}

static void check_events(struct hv_str bytes)
{
    struct journal_reader *reader = journal_reader_from_memory(bytes);
    struct hv_event event;
    while (journal_reader_next(reader, &event))
        check_round_trip(&event);
    journal_reader_close(reader);
}

static void check_conversation(struct hv_str bytes)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct resumed resumed;
    struct journal_reader *reader = journal_reader_from_memory(bytes);
    resume_collect(&arena, reader, &resumed);
    journal_reader_close(reader);
    size_t wanted = 0;
    for (size_t i = 0; i < resumed.count; i++) {
        const struct hv_json *blocks;
        CHECK(resumed.messages[i].assistant == (i % 2 == 1));
        CHECK(hv_json_parse(&arena, resumed.messages[i].content, HV_JSON_STRICT, &blocks, NULL) == HV_OK);
        CHECK(blocks->type == HV_JSON_ARRAY && blocks->count > 0);
        size_t uses = 0, results = 0;
        hv_json_each(block, blocks)
        {
            uses += resumed.messages[i].assistant && hv_str_is(hv_json_get_string(block, "type"), "tool_use");
            results += !resumed.messages[i].assistant && hv_str_is(hv_json_get_string(block, "type"), "tool_result");
        }
        CHECK(results == (resumed.messages[i].assistant ? 0 : wanted));
        wanted = uses;
    }
    CHECK(wanted == 0);
}

static bool keep(void *user, struct hv_str bytes)
{
    hv_buf_add_str(user, bytes);
    return true;
}

static void check_traces(struct hv_str bytes)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf html = {.max = 256 << 20}, chrome = {.max = 256 << 20};
    struct trace_output to_html = {.write = keep, .user = &html}, to_chrome = {.write = keep, .user = &chrome};
    const struct hv_json *value;
    struct journal_reader *reader = journal_reader_from_memory(bytes);
    enum hv_code code = trace_write_html(reader, &to_html, NULL);
    journal_reader_close(reader);
    CHECK(code == HV_OK || html.len == 0);
    CHECK(hv_str_find(hv_buf_str(&html), HV_STR("<script"), 0) == SIZE_MAX);
    reader = journal_reader_from_memory(bytes);
    CHECK(trace_write_chrome(reader, &to_chrome, NULL) == code);
    journal_reader_close(reader);
    CHECK(code != HV_OK || hv_json_parse(&arena, hv_buf_str(&chrome), HV_JSON_STRICT, &value, NULL) == HV_OK);
}

static void check_replay(struct hv_str bytes)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf out = {.max = 256 << 20};
    struct replay_log log;
    struct replay_comparison comparison = {.recorded = {.directory = HV_STR("/w")}, .now = {.directory = HV_STR("/v")}};
    struct journal_reader *reader = journal_reader_from_memory(bytes);
    replay_collect(&arena, reader, &log);
    journal_reader_close(reader);
    for (size_t i = 0; i < log.count; i++) {
        CHECK(log.calls[i].turn < log.turns && (i == 0 || log.calls[i].turn >= log.calls[i - 1].turn));
        replay_compare(&comparison, &log.calls[i], i ? log.calls[i - 1].result : HV_STR("{}"), &out);
    }
    CHECK(comparison.same + comparison.different + comparison.not_recorded == log.count);
    replay_summary(&comparison, &out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hv_str bytes = hv_str_of((const char *)data, size);
    check_events(bytes);
    check_conversation(bytes);
    check_traces(bytes);
    check_replay(bytes);
    return 0;
}
