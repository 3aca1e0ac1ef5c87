/* test_replay.c: the calls of a journal, and whether new results are the same as the recorded ones. */
#include "journal/replay.h"

#include "journal_test.h"

/* ---- collecting ---------------------------------------------------------------------------------------------- */

static void collect(struct hv_arena *arena, const char *journal, struct replay_log *log)
{
    struct journal_reader *reader = journal_reader_from_memory(hv_str_from(journal));
    replay_collect(arena, reader, log);
    journal_reader_close(reader);
}

/* "turn:id:input=result" for each call; "-" for no result. */
static void describe(struct hv_buf *text, const struct replay_log *log)
{
    for (size_t i = 0; i < log->count; i++) {
        const struct replay_call *call = &log->calls[i];
        hv_buf_addf(text, "%s%zu:%.*s:%.*s=", i ? " " : "", call->turn, HV_STR_ARG(call->id), HV_STR_ARG(call->input));
        hv_buf_add_str(text, call->result.ptr ? call->result : HV_STR("-"));
    }
}

#define CALL(id, input) "{\"type\":\"call\",\"call_id\":\"" id "\",\"tool\":\"Read\",\"json\":" input "}\n"
#define RESULT(id, json) "{\"type\":\"result\",\"call_id\":\"" id "\",\"json\":" json ",\"duration\":7}\n"
#define REQUEST "{\"type\":\"request\"}\n"
#define MESSAGE(role, json) "{\"type\":\"message\",\"name\":\"" role "\",\"json\":" json "}\n"
#define USE(id) "{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"Read\",\"input\":{}}"

static void calls_are_collected_in_order_with_their_turn_and_result(void **state)
{
    (void)state;
    static const struct {
        const char *name, *journal, *calls;
        size_t turns;
    } cases[] = {
        {"nothing", "", "", 0},
        {"two turns",
         REQUEST CALL("a", "{}") CALL("b", "{\"x\":1}") RESULT("a", "{\"r\":1}")
             MESSAGE("assistant", "[" USE("a") "," USE("b") "]") RESULT("b", "{\"r\":2}") MESSAGE("user", "[]")
                 REQUEST CALL("c", "{}") RESULT("c", "{\"r\":3}"),
         "0:a:{}={\"r\":1} 0:b:{\"x\":1}={\"r\":2} 1:c:{}={\"r\":3}", 2},
        {"ids that come again in each turn",
         REQUEST CALL("0", "{}") RESULT("0", "{\"r\":1}") REQUEST CALL("0", "{}") RESULT("0", "{\"r\":2}"),
         "0:0:{}={\"r\":1} 1:0:{}={\"r\":2}", 2},
        {"one id twice in a turn", CALL("0", "1") CALL("0", "2") RESULT("0", "{\"r\":1}") RESULT("0", "{\"r\":2}"),
         "0:0:1={\"r\":1} 0:0:2={\"r\":2}", 1},
        {"an interrupted call", REQUEST CALL("a", "{}"), "0:a:{}=-", 1},
        {"input that was no JSON", CALL("a", "\"{\\\"x\\\":\""), "0:a:{\"x\":=-", 1},
        {"a fork: messages only",
         MESSAGE("assistant", "[" USE("a") "]") MESSAGE("user", "[{\"type\":\"tool_result\",\"tool_use_id\":\"a\"}]")
             MESSAGE("assistant", "[" USE("b") "]"),
         "0:a:{}={\"type\":\"tool_result\",\"tool_use_id\":\"a\"} 1:b:{}=-", 2},
        {"a result for no call", RESULT("x", "{}") CALL("a", "{}"), "0:a:{}=-", 1},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        CLEANUP_BUF struct hv_buf text = {.max = 1 << 20};
        struct replay_log log;
        collect(&arena, cases[i].journal, &log);
        describe(&text, &log);
        if (!hv_str_is(hv_buf_str(&text), cases[i].calls) || log.turns != cases[i].turns)
            fail_msg("%s: %zu turns, %.*s", cases[i].name, log.turns, HV_STR_ARG(hv_buf_str(&text)));
    }
}

static void decisions_are_kept_to_be_given_again(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct replay_log log;
    collect(&arena,
            "{\"type\":\"session_start\",\"data\":{\"id\":\"s\",\"cwd\":\"/w\"}}\n" CALL("a", "{}") CALL("b", "{}")
                CALL("c", "{}") "{\"type\":\"decision\",\"call_id\":\"b\",\"name\":\"deny\"}\n"
                                "{\"type\":\"decision\",\"call_id\":\"a\",\"name\":\"allow\"}\n",
            &log);
    assert_int_equal(log.count, 3);
    assert_int_equal(log.calls[0].decision, HV_ALLOW);
    assert_int_equal(log.calls[1].decision, HV_DENY);
    assert_int_equal(log.calls[2].decision, HV_VERDICT_NONE);
    assert_true(hv_str_is(log.session_id, "s"));
    assert_true(hv_str_is(log.directory, "/w"));
}

/* ---- what may differ ----------------------------------------------------------------------------------------- */

static void what_differs_between_honest_runs_is_made_equal_and_nothing_else(void **state)
{
    (void)state;
    static const struct replay_place place = {
        .directory = HV_STR("/w/project"), .session_directory = HV_STR("/s/id"), .home = HV_STR("/home/me")};
    static const struct {
        const char *text, *normal;
    } cases[] = {
        {"", ""},
        {"nothing special: 12 lines, 3.5 %", "nothing special: 12 lines, 3.5 %"},
        {"ran in 0.03s", "ran in <duration>"},
        {"ran in 12 ms.", "ran in <duration>."},
        {"took 1.25 seconds, 3\xc2\xb5s", "took <duration>, <duration>"},
        {"real\t0m0.003s", "real\t<duration>"},
        {"sleep 10 s, 10s, timeout=30", "sleep 10 s, 10s, timeout=30"},
        {"1.2.3 ms", "1.2.3 ms"},
        {"v0.5stable 5msec x5ms", "v0.5stable 5msec x5ms"},
        {"at 13:05:59 and 13:05:59.123", "at <clock> and <clock>"},
        {"file.c:13:05: error", "file.c:13:05: error"},
        {"file.c:10:20:30:40", "file.c:10:20:30:40"},
        {"2026-01-31 2026-01-31T10:00:00Z 2026-01-31 10:00:00.5 +0100 x", "<date> <date> <date> x"},
        {"2026-01-31x 12026-01-31", "2026-01-31x 12026-01-31"},
        {"-rw-r--r-- 1 me me 5 Nov  3 13:05 a", "-rw-r--r-- 1 me me 5 <date> a"},
        {"Nov 13  2025 a, Now 13 13:05", "<date> a, Now 13 13:05"},
        {"at 0x7ffd1c2a3b40, mask 0xff", "at <address>, mask 0xff"},
        {"pid 1234, PID: 77, rapid 12", "<process>, <process>, rapid 12"},
        {"/tmp/tmp.Ab12/x /var/tmp/y /mytmp/z", "<temporary>/x <temporary> /mytmp/z"},
        {"/w/project/a.c /w/project2/a.c /w/project.", "<directory>/a.c /w/project2/a.c <directory>."},
        {"see /s/id/tool-results/1.txt", "see <session>/tool-results/1.txt"},
        {"\"/s/id/tool-results/bash-0123456789abcdef.txt\"", "\"<session>/tool-results/<output>.txt\""},
        {"/s/id/tool-results/bash-0123456789abcde.txt", "<session>/tool-results/bash-0123456789abcde.txt"},
        {"/home/me/.profile /home/merlin", "<home>/.profile /home/merlin"},
        {"not/w/project", "not/w/project"},
        {"0", "0"},
        {"pid", "pid"},
        {"/tmp/", "/tmp/"},
        {"Nov", "Nov"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        CLEANUP_BUF struct hv_buf out = {.max = 1 << 20};
        replay_normalise(hv_str_from(cases[i].text), &place, &out);
        if (!hv_str_is(hv_buf_str(&out), cases[i].normal))
            fail_msg("\"%s\" became \"%.*s\"", cases[i].text, HV_STR_ARG(hv_buf_str(&out)));
    }
}

/* ---- comparing ----------------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *recorded, *now;
    bool same;
    const char *told; /* part of what is said */
} comparisons[] = {
    {"equal", "{\"content\":\"x\"}", "{\"content\":\"x\"}", true, ""},
    {"a string and one text block", "{\"content\":\"x\\n\"}", "{\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}",
     true, ""},
    {"another id", "{\"tool_use_id\":\"a\",\"content\":\"x\"}", "{\"tool_use_id\":\"b\",\"content\":\"x\"}", true, ""},
    {"another place", "{\"content\":\"/then/a.c\"}", "{\"content\":\"/now/a.c\"}", true, ""},
    {"another duration", "{\"content\":\"in 0.1s\"}", "{\"content\":\"in 0.25s\"}", true, ""},
    {"another line", "{\"content\":\"a\\nb\\n\"}", "{\"content\":\"a\\nc\\n\"}", false, "-b\n+c\n"},
    {"fails now", "{\"content\":\"x\"}", "{\"content\":\"x\",\"is_error\":true}", false,
     "was fine when it was recorded, fails now"},
    {"is fine now", "{\"content\":\"x\",\"is_error\":true}", "{\"content\":\"x\"}", false, "is fine now"},
    {"another image", "{\"content\":[{\"type\":\"image\",\"source\":{\"data\":\"A\"}}]}",
     "{\"content\":[{\"type\":\"image\",\"source\":{\"data\":\"B\"}}]}", false, "\"data\":\"A\""},
    {"nothing now", "{\"content\":\"x\"}", "{}", false, "-x"},
    {"escapes of a terminal", "{\"content\":\"x\"}", "{\"content\":\"\\u001b[2Jx\"}", false, "\xef\xbf\xbd[2Jx"},
    {"a result that is no JSON", "{\"content\":\"x\"}", "rubbish", false, "+rubbish"},
};

static void results_are_compared_by_what_they_say(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(comparisons); i++) {
        CLEANUP_BUF struct hv_buf out = {.max = 1 << 20};
        struct replay_comparison comparison = {.recorded = {.directory = HV_STR("/then")},
                                               .now = {.directory = HV_STR("/now")}};
        struct replay_call call = {.turn = 2,
                                   .id = HV_STR("toolu_1"),
                                   .tool = HV_STR("Read"),
                                   .input = HV_STR("{\"file_path\":\"/x\"}"),
                                   .result = hv_str_from(comparisons[i].recorded)};
        bool same = replay_compare(&comparison, &call, hv_str_from(comparisons[i].now), &out);
        struct hv_str told = hv_buf_str(&out);
        if (same != comparisons[i].same || hv_str_find(told, hv_str_from(comparisons[i].told), 0) == SIZE_MAX)
            fail_msg("%s: %s\n%.*s", comparisons[i].name, same ? "same" : "different", HV_STR_ARG(told));
        assert_int_equal(comparison.same, same);
        assert_int_equal(comparison.different, !same);
        if (same)
            assert_int_equal(told.len, 0);
        else
            assert_true(hv_str_starts(told, HV_STR("turn 3, toolu_1: Read {\"file_path\":\"/x\"}: ")));
    }
}

static void the_last_line_counts(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf out = {.max = 1 << 20};
    struct replay_comparison comparison = {0};
    struct replay_call recorded = {.result = HV_STR("{\"content\":\"x\"}")}, interrupted = {.id = HV_STR("b")};
    assert_true(replay_compare(&comparison, &recorded, HV_STR("{\"content\":\"x\"}"), &out));
    assert_true(replay_compare(&comparison, &interrupted, HV_STR("{\"content\":\"x\"}"), &out));
    replay_summary(&comparison, &out);
    assert_string_equal(out.data, "2 calls: 1 the same, 1 without a recorded result\n");
    assert_false(replay_compare(&comparison, &recorded, HV_STR("{\"content\":\"y\"}"), &out));
    replay_not_run(&comparison, &recorded, &out);
    hv_buf_clear(&out);
    replay_summary(&comparison, &out);
    assert_string_equal(out.data,
                        "4 calls: 1 the same, 1 different, 1 without a result now, 1 without a recorded result\n");
}

static void long_differences_are_cut(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf out = {.max = 64 << 20}, then = {.max = 16 << 20}, now = {.max = 16 << 20};
    hv_buf_add_cstr(&then, "{\"content\":\"");
    hv_buf_add_cstr(&now, "{\"content\":\"");
    for (int i = 0; i < 5000; i++) {
        hv_buf_addf(&then, "then %d\\n", i);
        hv_buf_addf(&now, "now %d\\n", i);
    }
    hv_buf_add_cstr(&then, "\"}");
    hv_buf_add_cstr(&now, "\"}");
    struct replay_comparison comparison = {0};
    struct replay_call call = {.result = hv_buf_str(&then)};
    assert_false(replay_compare(&comparison, &call, hv_buf_str(&now), &out));
    assert_true(out.len < 5000);
    assert_non_null(strstr(out.data, "more lines"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_collected_in_order_with_their_turn_and_result),
        cmocka_unit_test(decisions_are_kept_to_be_given_again),
        cmocka_unit_test(what_differs_between_honest_runs_is_made_equal_and_nothing_else),
        cmocka_unit_test(results_are_compared_by_what_they_say),
        cmocka_unit_test(the_last_line_counts),
        cmocka_unit_test(long_differences_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
