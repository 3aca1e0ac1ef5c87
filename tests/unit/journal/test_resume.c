/*
 * test_resume.c: whatever happened to a session, the conversation that comes out can be sent to a model.
 *
 * Journals are written here in short: a letter for the event, then ids. Outcomes are compared as text:
 *   u(…) a user message, a(…) an assistant message; t text, c:ID a call, r:ID its result, i:ID the result that says
 * that the call was interrupted.
 */
#include "journal/resume.h"

#include "journal_test.h"

/* ---- journals in short --------------------------------------------------------------------------------------- */

static void put_blocks(struct hv_buf *json, const char *blocks)
{
    hv_buf_add_byte(json, '[');
    struct hv_str rest = hv_str_from(blocks), block;
    for (bool first = true; hv_str_split(&rest, ' ', &block); first = false) {
        struct hv_str id = hv_str_slice(block, 2, SIZE_MAX);
        hv_buf_add_cstr(json, first ? "" : ",");
        switch (block.ptr[0]) {
        case 't': hv_buf_add_cstr(json, "{\"type\":\"text\",\"text\":\"hello\"}"); break;
        case 'e': hv_buf_add_cstr(json, "{\"type\":\"text\",\"text\":\" \"}"); break;
        case 'n': hv_buf_add_cstr(json, "17"); break;
        case 'c':
            hv_buf_addf(json, "{\"type\":\"tool_use\",\"id\":\"%.*s\",\"name\":\"Read\",\"input\":{}}", HV_STR_ARG(id));
            break;
        case 'r':
            hv_buf_addf(json, "{\"type\":\"tool_result\",\"tool_use_id\":\"%.*s\",\"content\":\"in message\"}",
                        HV_STR_ARG(id));
            break;
        default: fail_msg("no such block: %.*s", HV_STR_ARG(block));
        }
    }
    hv_buf_add_byte(json, ']');
}

static void put_message(struct hv_buf *journal, const char *role, const char *blocks)
{
    CLEANUP_BUF struct hv_buf json = {.max = 1 << 20};
    put_blocks(&json, blocks);
    hv_event_write(journal,
                   &(struct hv_event){.type = HV_EVENT_MESSAGE, .name = hv_str_from(role), .json = hv_buf_str(&json)});
}

/* One line of a case: "u t r:1" a user message; "a t c:1" an assistant's; "C 1" a call begins; "R 1" its result; "S" a
 * session starts; "T" a turn ends. */
static void put_event(struct hv_buf *journal, struct hv_str line)
{
    char text[200];
    snprintf(text, sizeof text, "%.*s", HV_STR_ARG(hv_str_slice(line, 2, SIZE_MAX)));
    CLEANUP_BUF struct hv_buf block = {.max = 1 << 20};
    hv_buf_addf(&block, "{\"type\":\"tool_result\",\"tool_use_id\":\"%s\",\"content\":\"from its event\"}", text);
    struct hv_event event = {.call_id = hv_str_from(text), .tool = HV_STR("Read")};
    switch (line.ptr[0]) {
    case 'u': put_message(journal, "user", text); return;
    case 'a': put_message(journal, "assistant", text); return;
    case 'C':
        event.type = HV_EVENT_CALL;
        event.json = HV_STR("{}");
        break;
    case 'R':
        event.type = HV_EVENT_RESULT;
        event.json = hv_buf_str(&block);
        break;
    case 'S': event = (struct hv_event){.type = HV_EVENT_SESSION_START, .data = HV_STR("{\"id\":\"s\"}")}; break;
    case 'T': event = (struct hv_event){.type = HV_EVENT_TURN_END}; break;
    default: fail_msg("no such event: %.*s", HV_STR_ARG(line));
    }
    hv_event_write(journal, &event);
}

static void put_journal(struct hv_buf *journal, const char *lines)
{
    struct hv_str rest = hv_str_from(lines), line;
    while (hv_str_split(&rest, '\n', &line))
        put_event(journal, line);
}

static void resume(struct hv_arena *arena, struct hv_str journal, struct resumed *out)
{
    struct journal_reader *reader = journal_reader_from_memory(journal);
    resume_collect(arena, reader, out);
    journal_reader_close(reader);
}

/* ---- conversations in short ---------------------------------------------------------------------------------- */

static const struct hv_json *blocks_of(struct hv_arena *arena, const struct resumed_message *message)
{
    const struct hv_json *blocks;
    struct hv_error err;
    if (hv_json_parse(arena, message->content, HV_JSON_STRICT, &blocks, &err) != HV_OK)
        fail_msg("%.*s: %s", HV_STR_ARG(message->content), err.message);
    assert_int_equal(blocks->type, HV_JSON_ARRAY);
    return blocks;
}

static void describe_block(struct hv_buf *text, const struct hv_json *block)
{
    struct hv_str type = hv_json_get_string(block, "type"), id = hv_json_get_string(block, "tool_use_id");
    struct hv_str content = hv_json_get_string(block, "content");
    if (hv_str_is(type, "text"))
        hv_buf_add_byte(text, 't');
    else if (hv_str_is(type, "tool_use"))
        hv_buf_addf(text, "c:%.*s", HV_STR_ARG(hv_json_get_string(block, "id")));
    else if (hv_str_is(type, "tool_result"))
        hv_buf_addf(text, "%c:%.*s", hv_str_starts(content, HV_STR("This call was interrupted")) ? 'i' : 'r',
                    HV_STR_ARG(id));
    else
        hv_buf_add_byte(text, '?');
}

static void describe(struct hv_buf *text, const struct resumed *resumed)
{
    for (size_t i = 0; i < resumed->count; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        hv_buf_addf(text, "%s%c(", i ? " " : "", resumed->messages[i].assistant ? 'a' : 'u');
        hv_json_each(block, blocks_of(&arena, &resumed->messages[i]))
        {
            if (text->data[text->len - 1] != '(')
                hv_buf_add_byte(text, ' ');
            describe_block(text, block);
        }
        hv_buf_add_byte(text, ')');
    }
}

/* ---- cases --------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *journal, *conversation;
    size_t repaired;
} cases[] = {
    {"nothing", "S", "", 0},
    {"one exchange", "S\nu t\na t", "u(t) a(t)", 0},
    {"a whole turn with calls", "u t\nC 1\nC 2\na t c:1 c:2\nR 1\nR 2\nu r:1 r:2\na t",
     "u(t) a(t c:1 c:2) u(r:1 r:2) a(t)", 0},
    {"killed before any answer", "u t", "u(t)", 0},
    {"killed while a call ran", "u t\nC 1\na c:1", "u(t) a(c:1) u(i:1)", 1},
    {"killed when one of two had its result", "u t\nC 1\nC 2\na c:1 c:2\nR 2", "u(t) a(c:1 c:2) u(i:1 r:2)", 2},
    {"killed when all had results, before the message", "u t\nC 1\na c:1\nR 1", "u(t) a(c:1) u(r:1)", 1},
    {"killed within the stream, one call done", "u t\nC 1\nR 1\nC 2", "u(t) a(c:1 c:2) u(r:1 i:2)", 2},
    {"went on after a kill in place", "u t\nC 1\na c:1\nR 1\nS\nu t\na t", "u(t) a(c:1) u(r:1 t) a(t)", 1},
    {"went on after a kill within the stream", "u t\nC 1\nR 1\nC 2\nS\nu t\na t", "u(t) a(c:1 c:2) u(r:1 i:2 t) a(t)",
     2},
    {"a cut stream that was asked for again", "u t\nC 1\na t c:2\nR 2\nu r:2", "u(t) a(t c:2) u(r:2)", 0},
    {"results in another order, and not first", "u t\na c:1 c:2\nu t r:2 r:1", "u(t) a(c:1 c:2) u(r:1 r:2 t)", 0},
    {"a result twice", "u t\na c:1\nu r:1 r:1 t", "u(t) a(c:1) u(r:1 t)", 0},
    {"a result for no call", "u t\na t\nu r:9 t", "u(t) a(t) u(t)", 0},
    {"only results for no calls", "u t\na t\nu r:9\na t", "u(t) a(t t)", 0},
    {"a result in the message after next", "u t\na c:1\nu t\na t\nu r:1 t", "u(t) a(c:1) u(i:1 t) a(t) u(t)", 1},
    {"the same call id twice in a message", "u t\na c:1 c:1\nu r:1 r:1", "u(t) a(c:1 c:1_2) u(r:1 r:1_2)", 0},
    {"the same, and one of its results", "u t\na c:1 c:1\nu r:1", "u(t) a(c:1 c:1_2) u(r:1 i:1_2)", 1},
    {"the same call id in two messages", "u t\na c:1 c:2\nu r:1 r:2\na c:1\nu r:1\na c:2 c:1\nu r:1",
     "u(t) a(c:1 c:2) u(r:1 r:2) a(c:1_2) u(r:1_2) a(c:2_2 c:1_3) u(i:2_2 r:1_3)", 1},
    {"an id that was made is taken", "u t\na c:1 c:1_2 c:1\nu r:1 r:1_2 r:1",
     "u(t) a(c:1 c:1_2 c:1_3) u(r:1 r:1_2 r:1_3)", 0},
    {"a result of such a call from its event", "u t\na c:1\nu r:1\nC 1\na c:1\nR 1",
     "u(t) a(c:1) u(r:1) a(c:1_2) u(r:1_2)", 1},
    {"an id that comes again, killed before its second result", "u t\nC 1\na c:1\nR 1\nu r:1\nC 1\na c:1",
     "u(t) a(c:1) u(r:1) a(c:1_2) u(i:1_2)", 1},
    {"an event of a result twice", "u t\nC 1\na c:1\nR 1\nR 1", "u(t) a(c:1) u(r:1)", 1},
    {"two prompts in a row", "u t\nu t\na t", "u(t t) a(t)", 0},
    {"two answers in a row", "u t\na t\na t", "u(t) a(t t)", 0},
    {"two answers in a row, the first with a call", "u t\na c:1\na t", "u(t) a(c:1) u(i:1) a(t)", 1},
    {"a command of the person's between turns", "S\nu t\na t\nT\nC 1\nR 1\nu t\na t", "u(t) a(t) u(t) a(t)", 0},
    {"one after a kill", "u t\nC 1\na c:1\nR 1\nS\nC 2\nR 2\nu t\na t", "u(t) a(c:1) u(r:1 t) a(t)", 1},
    {"one after an interruption", "u t\nC 1\na c:1\nR 1\nT\nC 2\nR 2\nu r:1 t", "u(t) a(c:1) u(r:1 t)", 0},
    {"begins with an answer", "a t\nu t\na t", "u(t) a(t)", 0},
    {"begins with a call", "a c:1\nu r:1 t", "u(t)", 0},
    {"calls without any prompt", "C 1\nR 1", "", 0},
    {"blank texts and what is no block", "u t e n\na e\nu n t", "u(t t)", 0},
    {"nothing but blank texts", "u e\na t", "", 0},
};

static void broken_conversations_become_valid_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        CLEANUP_BUF struct hv_buf journal = {.max = 1 << 20}, text = {.max = 1 << 20};
        struct resumed resumed;
        put_journal(&journal, cases[i].journal);
        resume(&arena, hv_buf_str(&journal), &resumed);
        describe(&text, &resumed);
        if (!hv_str_is(hv_buf_str(&text), cases[i].conversation) || resumed.repaired != cases[i].repaired)
            fail_msg("%s:\n  want %s, %zu repaired\n  have %.*s, %zu repaired", cases[i].name, cases[i].conversation,
                     cases[i].repaired, HV_STR_ARG(hv_buf_str(&text)), resumed.repaired);
    }
}

/* ---- any order of events ------------------------------------------------------------------------------------- */

/* Each call of an assistant message has exactly one result at the front of the next message, and no other is there. */
static void assert_answers(const struct hv_json *asking, const struct hv_json *answering)
{
    const struct hv_json *answer = answering ? answering->first : NULL;
    hv_json_each(block, asking)
    {
        if (!hv_str_is(hv_json_get_string(block, "type"), "tool_use"))
            continue;
        assert_true(hv_str_is(hv_json_get_string(answer, "type"), "tool_result"));
        assert_true(hv_str_eq(hv_json_get_string(answer, "tool_use_id"), hv_json_get_string(block, "id")));
        hv_json_each(other, asking)
        {
            if (other != block)
                assert_false(hv_json_get(other, "id") &&
                             hv_str_eq(hv_json_get_string(other, "id"), hv_json_get_string(block, "id")));
        }
        answer = answer->next;
    }
    for (; answer; answer = answer->next)
        assert_false(hv_str_is(hv_json_get_string(answer, "type"), "tool_result"));
}

static void assert_valid(const struct resumed *resumed)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *former = NULL;
    for (size_t i = 0; i < resumed->count; i++) {
        const struct hv_json *blocks = blocks_of(&arena, &resumed->messages[i]);
        assert_int_equal(resumed->messages[i].assistant, i % 2 == 1);
        assert_true(blocks->count > 0);
        if (i % 2 == 0)
            assert_answers(former, blocks);
        former = blocks;
    }
    if (resumed->count > 0 && resumed->messages[resumed->count - 1].assistant)
        assert_answers(former, NULL);
}

static void whatever_is_lost_repeated_or_swapped_the_conversation_is_valid(void **state)
{
    (void)state;
    static const char *const events[] = {
        "S",     "u t", "C 1", "C 2", "R 1",     "a t c:1 c:2", "R 2",   "u r:1 r:2 t", "C 3", "a c:3", "R 3",
        "u r:3", "a t", "u t", "C 1", "a c:1 t", "R 1",         "u r:1", "a t",         "u t", "C 4",   "R 4",
    };
    uint64_t seed = 3;
    for (int round = 0; round < 3000; round++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        CLEANUP_BUF struct hv_buf journal = {.max = 1 << 20};
        struct resumed resumed;
        for (size_t i = 0; i < COUNT_OF(events); i++) {
            uint32_t fate = below(&seed, 12);
            if (fate == 0)
                continue;
            put_event(&journal, hv_str_from(fate == 1 ? events[below(&seed, COUNT_OF(events))] : events[i]));
            if (fate == 2)
                put_event(&journal, hv_str_from(events[i]));
        }
        size_t cut = below(&seed, 2) ? journal.len : below(&seed, (uint32_t)journal.len);
        resume(&arena, hv_str_slice(hv_buf_str(&journal), 0, cut), &resumed);
        assert_valid(&resumed);
    }
}

static void a_session_cut_at_any_byte_resumes_to_a_valid_conversation(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf journal = {.max = 1 << 20};
    put_journal(&journal, "S\nu t\nC 1\nC 2\nR 1\na t c:1 c:2\nR 2\nu r:1 r:2 t\na t\nu t\nC 3\nR 3");
    size_t former = 0;
    for (size_t cut = 0; cut <= journal.len; cut++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct resumed resumed;
        resume(&arena, hv_str_slice(hv_buf_str(&journal), 0, cut), &resumed);
        assert_valid(&resumed);
        assert_true(resumed.count >= former);
        former = resumed.count;
    }
    assert_int_equal(former, 7);
}

/* ---- the rest ------------------------------------------------------------------------------------------------ */

static void input_that_was_no_json_object_becomes_an_empty_one(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf journal = {.max = 1 << 20};
    struct resumed resumed;
    put_journal(&journal, "u t");
    static const char *const inputs[] = {"{\"a\":", "\"x\"", "[1]", "", "{\"a\":1}"};
    for (size_t i = 0; i < COUNT_OF(inputs); i++) {
        char id[2] = {(char)('1' + i), '\0'};
        hv_event_write(&journal, &(struct hv_event){.type = HV_EVENT_CALL,
                                                    .call_id = hv_str_from(id),
                                                    .tool = HV_STR("Read"),
                                                    .json = hv_str_from(inputs[i])});
    }
    resume(&arena, hv_buf_str(&journal), &resumed);
    assert_valid(&resumed);
    assert_int_equal(resumed.count, 3);
    const struct hv_json *blocks = blocks_of(&arena, &resumed.messages[1]);
    assert_int_equal(blocks->count, COUNT_OF(inputs));
    for (size_t i = 0; i < COUNT_OF(inputs); i++)
        assert_int_equal(hv_json_get(hv_json_at(blocks, i), "input")->count, i == 4);
}

static void recorded_results_that_answer_nothing_are_not_used(void **state)
{
    (void)state;
    static const char *const blocks[] = {"{\"type\":\"text\",\"tool_use_id\":\"1\"}", "{\"type\":\"tool_result\"}",
                                         "{\"type\":\"tool_result\",\"tool_use_id\":\"2\"}", "[]", "null"};
    for (size_t i = 0; i < COUNT_OF(blocks); i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        CLEANUP_BUF struct hv_buf journal = {.max = 1 << 20}, text = {.max = 1 << 20};
        struct resumed resumed;
        put_journal(&journal, "u t\nC 1");
        hv_event_write(&journal, &(struct hv_event){
                                     .type = HV_EVENT_RESULT, .call_id = HV_STR("1"), .json = hv_str_from(blocks[i])});
        resume(&arena, hv_buf_str(&journal), &resumed);
        assert_valid(&resumed);
        describe(&text, &resumed);
        assert_string_equal(text.data, "u(t) a(c:1) u(i:1)");
    }
}

static void a_session_remembers_what_it_was(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str path = scratch_path(&arena, "s.jsonl");
    struct journal_writer *writer = open_writer(path);
    journal_write(writer, &(struct hv_event){.type = HV_EVENT_SESSION_START,
                                             .data = HV_STR("{\"id\":\"abc\",\"cwd\":\"/one\",\"model\":\"m\"}")});
    journal_write(writer, &(struct hv_event){.type = HV_EVENT_STATE, .name = HV_STR("cwd"), .text = HV_STR("/two")});
    journal_write(writer,
                  &(struct hv_event){.type = HV_EVENT_TURN_END,
                                     .data = HV_STR("{\"cost\":0.25,\"usage\":{\"input_tokens\":9223372036854775807,"
                                                    "\"output_tokens\":2,\"cache_read_input_tokens\":3}}")});
    journal_write(writer,
                  &(struct hv_event){.type = HV_EVENT_TURN_END,
                                     .data = HV_STR("{\"cost\":0.5,\"usage\":{\"input_tokens\":1,\"output_tokens\":5,"
                                                    "\"cache_creation_input_tokens\":-4}}")});
    journal_writer_close(writer);
    struct resumed resumed;
    assert_int_equal(resume_read(&arena, path, &resumed, NULL), HV_OK);
    assert_true(hv_str_is(resumed.session_id, "abc"));
    assert_true(hv_str_is(resumed.directory, "/two"));
    assert_true(hv_str_is(resumed.model, "m"));
    assert_int_equal(resumed.turns, 2);
    assert_float_equal(resumed.cost, 0.75, 1e-9);
    assert_int_equal(resumed.usage.input_tokens, INT64_MAX); /* what would not stay a count is passed over */
    assert_int_equal(resumed.usage.output_tokens, 7);
    assert_int_equal(resumed.usage.cache_read_tokens, 3);
    assert_int_equal(resumed.usage.cache_write_tokens, 0);
}

static void a_file_that_holds_no_session_is_refused(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct resumed resumed;
    struct hv_error err;
    struct hv_str path = scratch_path(&arena, "other.txt");
    write_whole(path, HV_STR("dear diary\n"));
    assert_int_equal(resume_read(&arena, path, &resumed, &err), HV_EINVAL);
    assert_true(err.hint[0] != '\0');
    assert_int_equal(resume_read(&arena, scratch_path(&arena, "none"), &resumed, &err), HV_ENOTFOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_conversations_become_valid_ones),
        cmocka_unit_test(whatever_is_lost_repeated_or_swapped_the_conversation_is_valid),
        cmocka_unit_test(a_session_cut_at_any_byte_resumes_to_a_valid_conversation),
        cmocka_unit_test(input_that_was_no_json_object_becomes_an_empty_one),
        cmocka_unit_test(recorded_results_that_answer_nothing_are_not_used),
        cmocka_unit_test(a_session_remembers_what_it_was),
        cmocka_unit_test(a_file_that_holds_no_session_is_refused),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
