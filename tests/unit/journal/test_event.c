/* test_event.c: an event that is written as a line and read back is the same event. */
#include "journal_test.h"

#include "base/utf8.h"

static const char *const json_texts[] = {
    "{}",
    "[]",
    "{\"a\":[1,2,{\"b\":null}],\"c\":\"\\u0000\\n\"}",
    "{\n  \"spread\": [\n    true\n  ]\n}",
    "[{\"type\":\"text\",\"text\":\"\xc3\xa4\\ud83d\\ude00\"}]",
    "{\"type\":\"tool_result\",\"content\":\"\"}",
};

static struct hv_str random_text(struct hv_arena *arena, uint64_t *seed)
{
    static const uint32_t notable[] = {0,    '\n', '\r',   '"',    '\\',   '/',     0x1b,     0x7f,
                                       0x80, 0xff, 0x2028, 0xfeff, 0xfffd, 0x1f600, 0x10ffff, '}'};
    uint32_t count = below(seed, 12);
    char *bytes = hv_arena_alloc(arena, (size_t)count * 4 + 1);
    size_t len = 0;
    for (uint32_t i = 0; i < count; i++)
        len +=
            utf8_encode(bytes + len, below(seed, 2) ? notable[below(seed, COUNT_OF(notable))] : ' ' + below(seed, 95));
    return hv_str_of(bytes, len);
}

static struct hv_str sometimes(struct hv_arena *arena, uint64_t *seed)
{
    return below(seed, 3) ? random_text(arena, seed) : (struct hv_str){0};
}

static struct hv_str random_json(uint64_t *seed)
{
    return below(seed, 3) ? hv_str_from(json_texts[below(seed, COUNT_OF(json_texts))]) : (struct hv_str){0};
}

static void assert_same_text(const char *what, struct hv_str before, struct hv_str after)
{
    if (!hv_str_eq(before, after) || !before.ptr != !after.ptr)
        fail_msg("%s: \"%.*s\" became \"%.*s\"", what, HV_STR_ARG(before), HV_STR_ARG(after));
}

static void assert_same_json(struct hv_arena *arena, struct hv_str before, struct hv_str after)
{
    const struct hv_json *a, *b;
    assert_int_equal(!before.ptr, !after.ptr);
    if (!before.ptr)
        return;
    assert_int_equal(hv_json_parse(arena, before, HV_JSON_STRICT, &a, NULL), HV_OK);
    assert_int_equal(hv_json_parse(arena, after, HV_JSON_STRICT, &b, NULL), HV_OK);
    assert_true(hv_json_equal(a, b));
}

static struct hv_event write_and_read(struct hv_arena *arena, struct hv_buf *line, const struct hv_event *event)
{
    struct hv_error err;
    struct hv_event read;
    hv_buf_clear(line);
    hv_event_write(line, event);
    assert_false(line->failed);
    assert_int_equal(hv_str_find_byte(hv_buf_str(line), '\n', 0), line->len - 1);
    if (hv_event_read(arena, hv_str_slice(hv_buf_str(line), 0, line->len - 1), &read, &err) != HV_OK)
        fail_msg("%s: %s", line->data, err.message);
    return read;
}

static void events_of_every_type_come_back_as_they_were(void **state)
{
    (void)state;
    uint64_t seed = 1;
    CLEANUP_BUF struct hv_buf line = {.max = 1 << 20};
    for (int round = 0; round < 4000; round++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct hv_event event = {
            .type = HV_EVENT_NONE + 1 + round % (HV_EVENT_COUNT - 1),
            .time_ns = (uint64_t)next_number(&seed) << below(&seed, 30),
            .wall_ms = next_number(&seed),
            .call_id = sometimes(&arena, &seed),
            .tool = sometimes(&arena, &seed),
            .name = sometimes(&arena, &seed),
            .text = sometimes(&arena, &seed),
            .json = random_json(&seed),
            .data = random_json(&seed),
            .duration_ns = below(&seed, 2) ? next_number(&seed) : 0,
        };
        event.ok = (event.type == HV_EVENT_RESULT || event.type == HV_EVENT_HOOK) && below(&seed, 2);
        struct hv_event read = write_and_read(&arena, &line, &event);
        assert_int_equal(read.type, event.type);
        assert_int_equal(read.time_ns, event.time_ns);
        assert_int_equal(read.wall_ms, event.wall_ms);
        assert_int_equal(read.duration_ns, event.duration_ns);
        assert_int_equal(read.ok, event.ok);
        assert_same_text("call_id", event.call_id, read.call_id);
        assert_same_text("tool", event.tool, read.tool);
        assert_same_text("name", event.name, read.name);
        assert_same_text("text", event.text, read.text);
        assert_same_json(&arena, event.json, read.json);
        assert_same_json(&arena, event.data, read.data);
    }
}

static void raw_input_of_a_call_comes_back_byte_for_byte_even_when_it_is_no_json(void **state)
{
    (void)state;
    static const char *const inputs[] = {
        "{\"a\":1}", "{\"a\":", "\"text\"", "text", "", "{\"a\": 1}", "[[[", "\"\\ud800\"", "null", "1e999", "{}{}",
    };
    CLEANUP_BUF struct hv_buf line = {.max = 1 << 20};
    for (size_t i = 0; i < COUNT_OF(inputs); i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct hv_event event = {.type = HV_EVENT_CALL, .json = hv_str_from(inputs[i])};
        assert_same_text("json", event.json, write_and_read(&arena, &line, &event).json);
    }
}

static void very_deep_input_of_a_call_is_kept_as_text(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf line = {.max = 1 << 20};
    char deep[100000];
    memset(deep, '[', sizeof deep);
    struct hv_event event = {.type = HV_EVENT_CALL, .json = hv_str_of(deep, sizeof deep)};
    assert_same_text("json", event.json, write_and_read(&arena, &line, &event).json);
}

static void invalid_utf8_is_replaced_so_that_the_line_is_valid(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf line = {.max = 1 << 20};
    struct hv_event event = {.type = HV_EVENT_CALL, .json = HV_STR("{\"a\":\"\xff\"}"), .text = HV_STR("\xc3(")};
    struct hv_event read = write_and_read(&arena, &line, &event);
    assert_same_text("text", HV_STR("\xef\xbf\xbd("), read.text);
    assert_same_text("json", HV_STR("{\"a\":\"\xef\xbf\xbd\"}"), read.json);
}

static void names_and_types_lead_to_each_other(void **state)
{
    (void)state;
    for (int type = HV_EVENT_NONE + 1; type < HV_EVENT_COUNT; type++)
        assert_int_equal(hv_event_type_from(hv_str_from(hv_event_name(type))), type);
    assert_int_equal(hv_event_type_from(HV_STR("none")), HV_EVENT_NONE);
    assert_int_equal(hv_event_type_from(HV_STR("from_the_future")), HV_EVENT_NONE);
    assert_string_equal(hv_event_name((enum hv_event_type)12345), "none");
    assert_false(hv_event_is_recorded((enum hv_event_type)12345));
    assert_false(hv_event_is_recorded(HV_EVENT_TEXT));
    assert_true(hv_event_is_recorded(HV_EVENT_RESULT));
}

static void lines_that_are_no_events_are_refused_or_of_no_type(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum hv_code code;
    } cases[] = {
        {"", HV_EINVAL},
        {"null", HV_EINVAL},
        {"[]", HV_EINVAL},
        {"{}", HV_EINVAL},
        {"{\"type\":3}", HV_EINVAL},
        {"{\"type\":\"call\"", HV_EINVAL},
        {"{\"type\":\"x\"}", HV_OK},
        {"{\"type\":\"none\"}", HV_OK},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct hv_error err;
        struct hv_event event = {.type = HV_EVENT_STATE};
        assert_int_equal(hv_event_read(&arena, hv_str_from(cases[i].line), &event, &err), cases[i].code);
        assert_int_equal(event.type, cases[i].code == HV_OK ? HV_EVENT_NONE : HV_EVENT_STATE);
    }
}

static void members_of_wrong_types_are_as_if_absent(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_event event;
    struct hv_str line = HV_STR("{\"type\":\"result\",\"time\":-5,\"wall\":\"x\",\"call_id\":7,\"ok\":\"yes\","
                                "\"duration\":1e99,\"text\":[],\"json\":null,\"data\":[]}");
    assert_int_equal(hv_event_read(&arena, line, &event, NULL), HV_OK);
    assert_int_equal(event.time_ns, 0);
    assert_int_equal(event.wall_ms, 0);
    assert_int_equal(event.duration_ns, 0);
    assert_false(event.ok);
    assert_null(event.call_id.ptr);
    assert_null(event.text.ptr);
}

static void a_line_that_does_not_fit_leaves_the_buffer_marked_as_failed(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf line = {.max = 64};
    char text[200];
    memset(text, 'x', sizeof text);
    hv_event_write(&line, &(struct hv_event){.type = HV_EVENT_NOTICE, .text = hv_str_of(text, sizeof text)});
    assert_true(line.failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_of_every_type_come_back_as_they_were),
        cmocka_unit_test(raw_input_of_a_call_comes_back_byte_for_byte_even_when_it_is_no_json),
        cmocka_unit_test(very_deep_input_of_a_call_is_kept_as_text),
        cmocka_unit_test(invalid_utf8_is_replaced_so_that_the_line_is_valid),
        cmocka_unit_test(names_and_types_lead_to_each_other),
        cmocka_unit_test(lines_that_are_no_events_are_refused_or_of_no_type),
        cmocka_unit_test(members_of_wrong_types_are_as_if_absent),
        cmocka_unit_test(a_line_that_does_not_fit_leaves_the_buffer_marked_as_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
