/* test_hook.c: real hook commands in the form that people have them for Claude Code: what they are told, what their
 * exit codes and JSON mean, and what happens when they fail. */
#include "harness.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static struct harness h;

/* Settings with one hook for an event; command is put into JSON as it is, so without quotes and backslashes. */
static char *with_hook(const char *event, const char *more, const char *command, const char *allow)
{
    static char text[2048];
    snprintf(text, sizeof text,
             "{\"permissions\":{\"allow\":[%s]},\"hooks\":{\"%s\":[{\"matcher\":\"*\",\"hooks\":[{\"type\":\"command\","
             "\"command\":\"%s\"%s}]}]}}",
             allow, event, command, more);
    return text;
}

static void start(const char *event, const char *more, const char *command, const char *allow)
{
    harness_open(&h, with_hook(event, more, command, allow));
    harness_start(&h, NULL);
}

/* A script in the workspace that prints JSON: its path. */
static void answer_file(const char *json)
{
    harness_write(&h, "answer.json", json);
}

static const struct harness_result *run_one(const char *input)
{
    harness_run(&h, "t1", "Probe", input, (char *)NULL);
    return &h.results[0];
}

static void a_hook_gets_the_call_on_stdin_and_the_project_in_its_environment(void **state)
{
    (void)state;
    start("PreToolUse", "", "cat > seen.json; echo $CLAUDE_PROJECT_DIR > project", "\"Probe\"");
    assert_false(run_one("{\"say\":\"hello\"}")->is_error);
    char *seen = harness_read(&h, "seen.json"), *project = harness_read(&h, "project");
    assert_non_null(seen);
    assert_contains(seen, "\"session_id\":\"test\"");
    assert_contains(seen, "\"hook_event_name\":\"PreToolUse\"");
    assert_contains(seen, "\"tool_name\":\"Probe\"");
    assert_contains(seen, "\"tool_input\":{\"say\":\"hello\"}");
    assert_contains(seen, "\"tool_use_id\":\"t1\"");
    assert_contains(seen, "\"permission_mode\":\"default\"");
    assert_contains(seen, "\"transcript_path\":\"/nowhere.jsonl\"");
    assert_contains(seen, h.work);
    assert_contains(project, h.work);
    free(seen);
    free(project);
    harness_close(&h);
}

static void exit_2_blocks_and_its_stderr_goes_to_the_model(void **state)
{
    (void)state;
    start("PreToolUse", "", "echo not today >&2; exit 2", "\"Probe\"");
    const struct harness_result *result = run_one("{\"label\":\"a\"}");
    assert_true(result->is_error);
    assert_contains(result->text, "not today");
    assert_int_equal(probe_note_at("+a"), -1);
    harness_close(&h);
}

static void exit_2_blocks_whatever_was_printed(void **state)
{
    static const char *const printed[] = {
        "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"allow\"}}",
        "{ broken",
        "",
    };
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        start("PreToolUse", "", "cat answer.json; exit 2", "\"Probe\"");
        answer_file(printed[i]);
        assert_true(run_one("{}")->is_error);
        harness_close(&h);
    }
}

static void other_failures_are_told_and_do_not_block(void **state)
{
    static const char *const commands[] = {"exit 1", "kill -9 $$", "/nowhere/nothing"};
    (void)state;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        start("PreToolUse", "", commands[i], "\"Probe\"");
        assert_false(run_one("{\"say\":\"x\"}")->is_error);
        assert_non_null(harness_event(&h, HV_EVENT_NOTICE, NULL, "warning"));
        harness_close(&h);
    }
}

static void a_required_hook_that_fails_denies(void **state)
{
    static const char *const commands[] = {"exit 1",       "kill -9 $$", "/nowhere/nothing",
                                           "echo {broken", "sleep 5",    "yes x | head -c 1200000"};
    (void)state;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        start("PreToolUse", ",\"required\":true,\"timeout\":1", commands[i], "\"Probe\"");
        const struct harness_result *result = run_one("{\"label\":\"a\"}");
        assert_true(result->is_error);
        assert_contains(result->text, "required");
        assert_int_equal(probe_note_at("+a"), -1);
        harness_close(&h);
    }
}

static void a_denial_counts_whatever_stands_around_it(void **state)
{
    static const struct {
        const char *before, *after;
        bool runs;
    } rows[] = {
        {"", "", false},
        {"echo Welcome back; ", "; echo bye", false},
        {"echo level: {; ", "", false},
        {"head -c 40 answer.json; : ", "", false}, /* half of it: asked, and nobody is there */
        {"yes x | head -c 1200000; ", "", false},  /* it comes after what is read: likewise */
        {"echo all well; : ", "", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char command[512];
        snprintf(command, sizeof command, "%s cat answer.json %s", rows[i].before, rows[i].after);
        start("PreToolUse", "", command, "\"Probe\"");
        answer_file("{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\"}}");
        const struct harness_result *result = run_one("{\"label\":\"a\"}");
        if (result->is_error == rows[i].runs)
            fail_msg("%s: %s", command, result->text);
        harness_close(&h);
    }
}

static void an_allowance_among_other_output_is_none(void **state)
{
    (void)state;
    start("PreToolUse", "", "echo hello; cat answer.json", "");
    answer_file("{\"hookSpecificOutput\":{\"permissionDecision\":\"allow\"}}");
    assert_true(run_one("{\"label\":\"a\",\"writes\":[\"f\"]}")->is_error);
    harness_close(&h);
}

static void the_decision_of_a_hook_counts(void **state)
{
    static const struct {
        const char *decision, *allow;
        bool runs;
        const char *told;
    } rows[] = {
        {"allow", "", true, ""},
        {"deny", "\"Probe\"", false, "because of me"},
        {"ask", "\"Probe\"", false, ""}, /* nobody can be asked */
        {"nonsense", "\"Probe\"", true, ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char json[256];
        start("PreToolUse", "", "cat answer.json", rows[i].allow);
        snprintf(json, sizeof json,
                 "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"%s\","
                 "\"permissionDecisionReason\":\"because of me\"}}",
                 rows[i].decision);
        answer_file(json);
        const struct harness_result *result = run_one("{\"label\":\"a\",\"writes\":[\"f\"]}");
        if (result->is_error == rows[i].runs)
            fail_msg("%s: %s", rows[i].decision, result->text);
        assert_contains(result->text, rows[i].told);
        harness_close(&h);
    }
}

static void a_hook_cannot_allow_what_a_rule_denies(void **state)
{
    (void)state;
    harness_open(&h, "{\"permissions\":{\"deny\":[\"Probe(secret/**)\"]},\"hooks\":{\"PreToolUse\":[{\"hooks\":[{"
                     "\"type\":\"command\",\"command\":\"cat answer.json\"}]}]}}");
    harness_start(&h, NULL);
    answer_file("{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"allow\"}}");
    assert_true(run_one("{\"reads\":[\"secret/a\"]}")->is_error);
    assert_false(run_one("{\"writes\":[\"other\"]}")->is_error);
    harness_close(&h);
}

static void an_input_that_a_hook_changed_is_validated_and_judged(void **state)
{
    (void)state;
    harness_open(
        &h, "{\"permissions\":{\"allow\":[\"Probe\"],\"deny\":[\"Probe(secret/**)\"]},\"hooks\":{"
            "\"PreToolUse\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"echo >> count; cat answer.json\"}]}]}}");
    harness_start(&h, NULL);
    answer_file("{\"hookSpecificOutput\":{\"permissionDecision\":\"allow\",\"updatedInput\":{\"say\":\"changed\"}}}");
    const struct harness_result *result = run_one("{\"say\":\"first\"}");
    assert_string_equal(result->text, "changed");
    assert_string_equal(result->input, "{\"say\":\"changed\"}");
    char *count = harness_read(&h, "count");
    assert_string_equal(count, "\n"); /* asked once: not about its own words */
    free(count);
    answer_file(
        "{\"hookSpecificOutput\":{\"permissionDecision\":\"allow\",\"updatedInput\":{\"reads\":[\"secret/x\"]}}}");
    assert_true(run_one("{}")->is_error);
    answer_file("{\"hookSpecificOutput\":{\"updatedInput\":{\"nothing\":1}}}");
    assert_contains(run_one("{}")->text, "nothing");
    harness_close(&h);
}

static void a_matcher_and_a_condition_choose_the_hook(void **state)
{
    static const struct {
        const char *matcher, *condition;
        bool runs;
    } rows[] = {
        {"Probe", "", true},
        {"probe_it", "", true},
        {"Write|Probe", "", true},
        {"Wri.*", "", false},
        {"Pro", "", false},
        {"^Pro", "", true},
        {"", "", true},
        {"Bash", "", false},
        {"Probe", "Probe(a/**)", true},
        {"Probe", "Probe(b/**)", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char settings[1024];
        snprintf(settings, sizeof settings,
                 "{\"permissions\":{\"allow\":[\"Probe\"]},\"hooks\":{\"PreToolUse\":[{\"matcher\":\"%s\",\"hooks\":[{"
                 "\"type\":\"command\",\"command\":\"touch ran\"%s%s%s}]}]}}",
                 rows[i].matcher, rows[i].condition[0] ? ",\"if\":\"" : "", rows[i].condition,
                 rows[i].condition[0] ? "\"" : "");
        harness_open(&h, settings);
        harness_start(&h, NULL);
        run_one("{\"reads\":[\"a/f\"]}");
        char *ran = harness_read(&h, "ran");
        if ((ran != NULL) != rows[i].runs)
            fail_msg("matcher %s, condition %s", rows[i].matcher, rows[i].condition);
        free(ran);
        harness_close(&h);
    }
}

static void the_strictest_of_several_hooks_wins_and_equal_ones_run_once(void **state)
{
    (void)state;
    harness_open(&h, "{\"hooks\":{\"PreToolUse\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"cat answer.json\"},"
                     "{\"type\":\"command\",\"command\":\"echo no >&2; exit "
                     "2\"},{\"type\":\"command\",\"command\":\"echo >> count\"}"
                     "]},{\"matcher\":\"Probe\",\"hooks\":[{\"type\":\"command\",\"command\":\"echo >> count\"}]}]}}");
    harness_start(&h, NULL);
    answer_file("{\"hookSpecificOutput\":{\"permissionDecision\":\"allow\"}}");
    assert_true(run_one("{}")->is_error);
    char *count = harness_read(&h, "count");
    assert_string_equal(count, "\n");
    free(count);
    harness_close(&h);
}

/* Equal hooks run once, but the promise of one of them that it must not fail is kept. */
static void of_equal_hooks_the_required_one_counts(void **state)
{
    static const char *const orders[] = {"", ",\"required\":true"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char settings[512];
        snprintf(
            settings, sizeof settings,
            "{\"permissions\":{\"allow\":[\"Probe\"]},\"hooks\":{\"PreToolUse\":[{\"hooks\":[{\"type\":\"command\","
            "\"command\":\"echo >> count; exit 1\"%s},{\"type\":\"command\",\"command\":\"echo >> count; exit "
            "1\"%s}]}]}}",
            orders[i], orders[1 - i]);
        harness_open(&h, settings);
        harness_start(&h, NULL);
        assert_true(run_one("{}")->is_error);
        char *count = harness_read(&h, "count");
        assert_string_equal(count, "\n");
        free(count);
        harness_close(&h);
    }
}

static void a_hook_that_runs_once_runs_once_and_one_beside_is_not_waited_for(void **state)
{
    (void)state;
    start("PreToolUse", ",\"once\":true", "echo >> count", "\"Probe\"");
    run_one("{}");
    run_one("{}");
    char *count = harness_read(&h, "count");
    assert_string_equal(count, "\n");
    free(count);
    harness_close(&h);

    start("PreToolUse", ",\"async\":true", "sleep 30; exit 2", "\"Probe\"");
    assert_false(run_one("{\"say\":\"x\"}")->is_error);
    harness_close(&h); /* and ends with the session */
}

static void what_hooks_add_after_a_call_reaches_the_model(void **state)
{
    (void)state;
    start("PostToolUse", "", "cat > seen.json; cat answer.json", "\"Probe\"");
    answer_file(
        "{\"decision\":\"block\",\"reason\":\"look again\",\"hookSpecificOutput\":{\"hookEventName\":\"PostToolUse\","
        "\"additionalContext\":\"the build is red\"}}");
    const struct harness_result *result = run_one("{\"say\":\"a line of text\\n\",\"repeat\":10000}");
    assert_contains(result->block, "<truncated");
    assert_contains(result->block, "look again");
    assert_contains(result->block, "the build is red");
    char *seen = harness_read(&h, "seen.json");
    assert_contains(seen, "\"tool_response\":");
    free(seen);
    harness_close(&h);
}

static void a_failed_call_runs_the_hooks_for_failures(void **state)
{
    (void)state;
    start("PostToolUseFailure", "", "cat > seen.json", "\"Probe\"");
    run_one("{\"say\":\"fine\"}");
    assert_null(harness_read(&h, "seen.json"));
    run_one("{\"fail\":true}");
    char *seen = harness_read(&h, "seen.json");
    assert_non_null(seen);
    assert_contains(seen, "the probe broke");
    free(seen);
    harness_close(&h);
}

static void continue_false_ends_the_turn_after_the_results(void **state)
{
    (void)state;
    start("PostToolUse", "", "cat answer.json", "\"Probe\"");
    answer_file("{\"continue\":false,\"stopReason\":\"enough\"}");
    assert_false(run_one("{\"say\":\"x\"}")->is_error);
    assert_true(h.stop);
    assert_string_equal(h.stop_reason, "enough");
    harness_close(&h);
}

static void a_call_does_not_run_when_a_hook_before_it_ends_the_turn(void **state)
{
    (void)state;
    start("PreToolUse", "", "cat answer.json", "\"Probe\"");
    answer_file("{\"continue\":false,\"stopReason\":\"enough\"}");
    const struct harness_result *result = run_one("{\"label\":\"a\"}");
    assert_true(result->is_error);
    assert_contains(result->text, "enough");
    assert_int_equal(probe_note_at("+a"), -1);
    assert_true(h.stop);
    assert_string_equal(h.stop_reason, "enough");
    harness_close(&h);
}

static void a_hook_answers_in_the_place_of_a_person(void **state)
{
    (void)state;
    start("PermissionRequest", "", "cat answer.json", "");
    answer_file(
        "{\"hookSpecificOutput\":{\"hookEventName\":\"PermissionRequest\",\"decision\":{\"behavior\":\"allow\"}}}");
    assert_false(run_one("{\"writes\":[\"f\"]}")->is_error);
    answer_file("{\"hookSpecificOutput\":{\"decision\":{\"behavior\":\"deny\",\"message\":\"not here\"}}}");
    assert_contains(run_one("{\"writes\":[\"f\"]}")->text, "not here");
    answer_file("{}");
    assert_true(run_one("{\"writes\":[\"f\"]}")->is_error);
    harness_close(&h);
}

static void hook_done(void *user, const struct runtime_hook_outcome *outcome)
{
    snprintf(user, 256, "%d|%d|%.*s|%.*s", outcome->block, outcome->stop, HV_STR_ARG(outcome->reason),
             HV_STR_ARG(outcome->context));
    loop_stop(h.loop);
}

static void hooks_of_the_session_give_context_or_block(void **state)
{
    static const struct {
        const char *event, *command, *outcome;
    } rows[] = {
        {"SessionStart", "echo mind the gap", "0|0||mind the gap"},
        {"UserPromptSubmit", "echo today is friday", "0|0||today is friday"},
        {"UserPromptSubmit", "echo no secrets >&2; exit 2", "1|0|no secrets|"},
        {"Stop", "echo not as context", "0|0||"},
        {"Stop", "echo keep going >&2; exit 2", "1|0|keep going|"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char outcome[256] = "";
        start(rows[i].event, "", rows[i].command, "");
        runtime_run_hooks(h.runtime, rows[i].event, (struct hv_str){0}, HV_STR("{\"prompt\":\"x\"}"), hook_done,
                          outcome);
        loop_run(h.loop);
        assert_string_equal(outcome, rows[i].outcome);
        harness_close(&h);
    }
}

static void a_runtime_that_ends_takes_its_hooks_along(void **state)
{
    char outcome[256] = "";
    (void)state;
    start("SessionStart", "", "sleep 30", "");
    runtime_run_hooks(h.runtime, "SessionStart", (struct hv_str){0}, HV_STR("{}"), hook_done, outcome);
    loop_run_once(h.loop, 20000000);
    harness_close(&h);
    assert_string_equal(outcome, "");
}

static void hooks_of_the_session_can_be_cancelled(void **state)
{
    char outcome[256] = "";
    (void)state;
    start("UserPromptSubmit", "", "sleep 30; exit 2", "");
    runtime_run_hooks(h.runtime, "UserPromptSubmit", (struct hv_str){0}, HV_STR("{}"), hook_done, outcome);
    loop_run_once(h.loop, 20000000);
    runtime_cancel_hooks(h.runtime);
    loop_run(h.loop);
    assert_string_equal(outcome, "0|0||");
    harness_close(&h);
}

/* ---- hooks over HTTP --------------------------------------------------------------------------------------------- */

/* A server that takes one request and gives one answer; a NULL answer: it never answers. */
struct server {
    int listener;
    unsigned port;
    const char *answer;
    char request[8192];
    pthread_t thread;
};

static void *serve(void *data)
{
    struct server *server = data;
    size_t length = 0;
    int connection = accept(server->listener, NULL, NULL);
    if (connection < 0)
        return NULL;
    for (ssize_t got; length < sizeof server->request - 1; length += (size_t)got) {
        char *body = strstr(server->request, "\r\n\r\n"), *size = strcasestr(server->request, "content-length:");
        if (body && size && strlen(body + 4) >= strtoul(size + 15, NULL, 10))
            break;
        got = recv(connection, server->request + length, sizeof server->request - 1 - length, 0);
        if (got <= 0)
            break;
    }
    if (server->answer)
        send(connection, server->answer, strlen(server->answer), MSG_NOSIGNAL);
    else
        (void)!recv(connection, server->request + length, 1, 0); /* until the client gives up */
    close(connection);
    return NULL;
}

static void server_start(struct server *server, const char *answer)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    *server = (struct server){.answer = answer, .listener = socket(AF_INET, SOCK_STREAM, 0)};
    assert_int_equal(bind(server->listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(server->listener, 1), 0);
    assert_int_equal(getsockname(server->listener, (struct sockaddr *)&address, &size), 0);
    server->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
}

static void server_stop(struct server *server)
{
    shutdown(server->listener, SHUT_RDWR);
    pthread_join(server->thread, NULL);
    close(server->listener);
}

static void start_with_url(unsigned port, const char *more)
{
    char settings[512];
    snprintf(settings, sizeof settings,
             "{\"permissions\":{\"allow\":[\"Probe\"]},\"hooks\":{\"PreToolUse\":[{\"hooks\":[{\"type\":\"http\","
             "\"url\":\"http://127.0.0.1:%u/judge?key=secret\",\"headers\":{\"X-Team\":\"blue\"}%s}]}]}}",
             port, more);
    harness_open(&h, settings);
    harness_start(&h, NULL);
}

static void a_hook_may_be_asked_over_http(void **state)
{
    static const struct {
        const char *answer;
        bool runs;
        const char *told;
    } rows[] = {
        {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", true, ""},
        {"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\","
         "\"permissionDecisionReason\":\"not from here\"}}",
         false, "not from here"},
        {"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", true, ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct server server;
        server_start(&server, rows[i].answer);
        start_with_url(server.port, "");
        const struct harness_result *result = run_one("{\"say\":\"hello\"}");
        if (result->is_error == rows[i].runs)
            fail_msg("%s: %s", rows[i].answer, result->text);
        assert_contains(result->text, rows[i].told);
        server_stop(&server);
        assert_contains(server.request, "POST /judge?key=secret HTTP/1.1");
        assert_contains(server.request, "X-Team: blue");
        assert_contains(server.request, "\"tool_input\":{\"say\":\"hello\"}");
        for (size_t e = 0; e < h.event_count; e++)
            assert_lacks(h.events[e].text, "secret");
        harness_close(&h);
    }
}

static void a_required_hook_over_http_that_does_not_answer_denies(void **state)
{
    struct server server;
    (void)state;
    server_start(&server, NULL);
    start_with_url(server.port, ",\"required\":true,\"timeout\":1");
    assert_contains(run_one("{}")->text, "required");
    harness_close(&h);
    server_stop(&server);
    /* Nobody listens any more. */
    start_with_url(server.port, ",\"required\":true,\"timeout\":5");
    assert_contains(run_one("{}")->text, "required");
    harness_close(&h);
}

static void a_hook_over_http_does_not_outlive_its_cancelled_call(void **state)
{
    struct server server;
    (void)state;
    server_start(&server, NULL);
    start_with_url(server.port, ",\"timeout\":60");
    struct batch *batch = harness_begin(&h);
    batch_add(batch, HV_STR("t1"), HV_STR("Probe"), HV_STR("{}"));
    for (int i = 0; i < 50; i++)
        loop_run_once(h.loop, 2000000);
    batch_cancel(batch, "enough");
    harness_finish(&h, batch);
    assert_true(h.results[0].is_error);
    harness_close(&h);
    server_stop(&server);
}

/* ---- beside the decision, and about it ------------------------------------------------------------------------ */

static struct hv_str command_of_probe(const void *input, const struct hv_context *context)
{
    (void)input;
    (void)context;
    return HV_STR("ls");
}

/* Asked when it is judged what the command does. */
static bool note_judged(const void *input, const struct hv_context *context)
{
    (void)input;
    (void)context;
    harness_write(&h, "judged", "yes");
    return false;
}

static void a_command_is_judged_while_its_hooks_think(void **state)
{
    static struct hv_tool command;
    static const struct hv_tool *const tools[] = {&command, NULL};
    (void)state;
    command = probe_tool;
    command.name = "Command";
    command.subject_kind = HV_SUBJECT_COMMAND;
    command.subject = command_of_probe;
    command.contained = note_judged;
    harness_open(&h, with_hook("PreToolUse", "",
                               "for i in $(seq 200); do test -e judged && exit 0; sleep 0.05; done; exit 2", ""));
    harness_start(&h, tools);
    harness_run(&h, "t1", "Command", "{\"say\":\"x\"}", (char *)NULL);
    assert_false(h.results[0].is_error);
    harness_close(&h);
}

static void those_who_watch_denials_are_told_and_may_offer_another_try(void **state)
{
    (void)state;
    start("PermissionDenied", "", "cat > seen.json; cat answer.json", "");
    answer_file("{\"hookSpecificOutput\":{\"hookEventName\":\"PermissionDenied\",\"retry\":true}}");
    const struct harness_result *result = run_one("{\"writes\":[\"/elsewhere\"]}");
    assert_true(result->is_error);
    assert_contains(result->text, "tried again");
    char *seen = harness_read(&h, "seen.json");
    assert_contains(seen, "\"hook_event_name\":\"PermissionDenied\"");
    assert_contains(seen, "\"tool_use_id\":\"t1\"");
    assert_contains(seen, "\"reason\":\"");
    free(seen);
    harness_close(&h);
}

/* Nobody waits for hooks that are only told: what they write comes later. */
static char *read_soon(const char *name)
{
    char *text = harness_read(&h, name);
    for (int i = 0; (!text || !*text) && i < 2000; i++) {
        free(text);
        usleep(5000);
        text = harness_read(&h, name);
    }
    assert_non_null(text);
    return text;
}

static void a_question_is_a_notification(void **state)
{
    (void)state;
    harness_open(&h, with_hook("Notification", "", "cat > seen.new; mv seen.new seen.json", ""));
    h.options.asker = (struct hv_asker){harness_ask, &h};
    h.answer = (struct hv_answer){.outcome = HV_ASK_ANSWERED};
    harness_start(&h, NULL);
    assert_false(run_one("{\"writes\":[\"/elsewhere\"]}")->is_error);
    char *seen = read_soon("seen.json");
    assert_contains(seen, "\"notification_type\":\"permission_prompt\"");
    assert_contains(seen, "permission to use Probe");
    free(seen);
    harness_close(&h);
}

static void a_change_of_the_directory_is_told(void **state)
{
    (void)state;
    start("CwdChanged", "",
          "cat > $CLAUDE_PROJECT_DIR/seen.new; mv $CLAUDE_PROJECT_DIR/seen.new $CLAUDE_PROJECT_DIR/seen.json",
          "\"Probe\"");
    char folder[128];
    snprintf(folder, sizeof folder, "%s/sub", h.work);
    assert_int_equal(mkdir(folder, 0755), 0);
    assert_false(run_one("{\"cd\":\"sub\"}")->is_error);
    char *seen = read_soon("seen.json");
    assert_contains(seen, "\"old_cwd\":\"");
    assert_contains(seen, "/sub\"");
    free(seen);
    harness_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hook_gets_the_call_on_stdin_and_the_project_in_its_environment),
        cmocka_unit_test(exit_2_blocks_and_its_stderr_goes_to_the_model),
        cmocka_unit_test(exit_2_blocks_whatever_was_printed),
        cmocka_unit_test(other_failures_are_told_and_do_not_block),
        cmocka_unit_test(a_required_hook_that_fails_denies),
        cmocka_unit_test(the_decision_of_a_hook_counts),
        cmocka_unit_test(a_denial_counts_whatever_stands_around_it),
        cmocka_unit_test(an_allowance_among_other_output_is_none),
        cmocka_unit_test(a_hook_cannot_allow_what_a_rule_denies),
        cmocka_unit_test(an_input_that_a_hook_changed_is_validated_and_judged),
        cmocka_unit_test(a_matcher_and_a_condition_choose_the_hook),
        cmocka_unit_test(the_strictest_of_several_hooks_wins_and_equal_ones_run_once),
        cmocka_unit_test(of_equal_hooks_the_required_one_counts),
        cmocka_unit_test(a_hook_that_runs_once_runs_once_and_one_beside_is_not_waited_for),
        cmocka_unit_test(what_hooks_add_after_a_call_reaches_the_model),
        cmocka_unit_test(a_failed_call_runs_the_hooks_for_failures),
        cmocka_unit_test(continue_false_ends_the_turn_after_the_results),
        cmocka_unit_test(a_call_does_not_run_when_a_hook_before_it_ends_the_turn),
        cmocka_unit_test(a_hook_answers_in_the_place_of_a_person),
        cmocka_unit_test(hooks_of_the_session_give_context_or_block),
        cmocka_unit_test(a_runtime_that_ends_takes_its_hooks_along),
        cmocka_unit_test(hooks_of_the_session_can_be_cancelled),
        cmocka_unit_test(a_hook_may_be_asked_over_http),
        cmocka_unit_test(a_required_hook_over_http_that_does_not_answer_denies),
        cmocka_unit_test(a_hook_over_http_does_not_outlive_its_cancelled_call),
        cmocka_unit_test(a_command_is_judged_while_its_hooks_think),
        cmocka_unit_test(those_who_watch_denials_are_told_and_may_offer_another_try),
        cmocka_unit_test(a_question_is_a_notification),
        cmocka_unit_test(a_change_of_the_directory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
