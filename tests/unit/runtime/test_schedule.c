/* test_schedule.c: what may run beside what, in which order results and effects come, and that nothing waits for ever.
 */
#include "harness.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ALLOWED "{\"permissions\":{\"allow\":[\"Probe\"]}}"

static struct harness h;

static void start(void)
{
    harness_open(&h, ALLOWED);
    harness_start(&h, NULL);
}

static bool overlapped(const char *a, const char *b)
{
    char begin_a[24], end_a[24], begin_b[24], end_b[24];
    snprintf(begin_a, sizeof begin_a, "+%s", a);
    snprintf(end_a, sizeof end_a, "-%s", a);
    snprintf(begin_b, sizeof begin_b, "+%s", b);
    snprintf(end_b, sizeof end_b, "-%s", b);
    return probe_note_at(begin_a) < probe_note_at(end_b) && probe_note_at(begin_b) < probe_note_at(end_a);
}

/* Each row: the footprints of an earlier and a later call, and whether they may run at the same time. */
static void footprints_decide_what_runs_together(void **state)
{
    static const struct {
        const char *first, *second;
        bool together;
    } rows[] = {
        {"\"reads\":[\"a\"]", "\"reads\":[\"a\"]", true},
        {"\"reads\":[\"a\"]", "\"writes\":[\"b\"]", true},
        {"\"writes\":[\"a\"]", "\"writes\":[\"b\"]", true},
        {"\"writes\":[\"a\"]", "\"writes\":[\"ab\"]", true},
        {"\"writes\":[\"a\"]", "\"reads\":[\"a\"]", false},
        {"\"reads\":[\"a\"]", "\"writes\":[\"a\"]", false},
        {"\"writes\":[\"a\"]", "\"writes\":[\"a\"]", false},
        {"\"writes\":[\"d/x\"]", "\"reads\":[\"d\"]", false},
        {"\"reads\":[\"d\"]", "\"writes\":[\"d/x/y\"]", false},
        {"\"writes\":[\"d/x\"]", "\"writes\":[\"d/../d/./x\"]", false},
        {"\"writes\":[\"link\"]", "\"reads\":[\"real\"]", false}, /* link points to real */
        {"\"alone\":true", "\"reads\":[\"a\"]", false},
        {"\"reads\":[\"a\"]", "\"alone\":true", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char first[200], second[200], path[200];
        start();
        harness_write(&h, "real", "x");
        snprintf(path, sizeof path, "%s/link", h.work);
        assert_int_equal(symlink("real", path), 0);
        snprintf(first, sizeof first, "{\"label\":\"1\",\"sleep_ms\":400,%s}", rows[i].first);
        snprintf(second, sizeof second, "{\"label\":\"2\",\"sleep_ms\":400,%s}", rows[i].second);
        harness_run(&h, "t1", "Probe", first, "t2", "Probe", second, (char *)NULL);
        if (overlapped("1", "2") != rows[i].together)
            fail_msg("row %zu: %s beside %s", i, rows[i].first, rows[i].second);
        if (!rows[i].together)
            assert_true(probe_note_at("-1") < probe_note_at("+2"));
        harness_close(&h);
    }
}

static void results_come_in_the_order_of_the_calls(void **state)
{
    (void)state;
    start();
    harness_run(&h, "t1", "Probe", "{\"label\":\"1\",\"sleep_ms\":2000}", "t2", "Probe",
                "{\"label\":\"2\",\"sleep_ms\":40}", "t3", "Probe", "{\"label\":\"3\"}", (char *)NULL);
    assert_true(probe_note_at("-3") < probe_note_at("-1"));
    assert_string_equal(h.results[0].id, "t1");
    assert_string_equal(h.results[1].id, "t2");
    assert_string_equal(h.results[2].id, "t3");
    harness_close(&h);
}

static void no_more_run_at_once_than_allowed(void **state)
{
    static const unsigned limits[] = {1, 3};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        harness_open(&h, ALLOWED);
        h.options.max_concurrency = limits[i];
        harness_start(&h, NULL);
        struct batch *batch = harness_begin(&h);
        for (int n = 0; n < 12; n++) {
            char id[16];
            snprintf(id, sizeof id, "t%d", n);
            batch_add(batch, hv_str_from(id), HV_STR("Probe"), HV_STR("{\"label\":\"x\",\"sleep_ms\":100}"));
        }
        harness_finish(&h, batch);
        assert_int_equal(probe_peak(), limits[i]);
        harness_close(&h);
    }
}

/* One at a time means in order, also when a later call is judged before an earlier one. */
static void one_at_a_time_is_in_order(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        harness_open(&h, ALLOWED);
        h.options.max_concurrency = 1;
        harness_start(&h, NULL);
        struct batch *batch = harness_begin(&h);
        for (int i = 0; i < 8; i++) {
            char id[16], input[80];
            snprintf(id, sizeof id, "t%d", i);
            snprintf(input, sizeof input, "{\"label\":\"%d\",\"reads\":[\"f%d\"],\"writes\":[\"w%d\"]}", i, i, i);
            batch_add(batch, hv_str_from(id), HV_STR("Probe"), hv_str_from(input));
        }
        harness_finish(&h, batch);
        for (int i = 1; i < 8; i++) {
            char end[24], begin[24];
            snprintf(end, sizeof end, "-%d", i - 1);
            snprintf(begin, sizeof begin, "+%d", i);
            if (probe_note_at(end) > probe_note_at(begin))
                fail_msg("round %d: call %d did not wait for the one before it", round, i);
        }
        harness_close(&h);
    }
}

static void a_call_starts_while_others_are_still_being_added(void **state)
{
    (void)state;
    start();
    struct batch *batch = harness_begin(&h);
    batch_add(batch, HV_STR("t1"), HV_STR("Probe"), HV_STR("{\"label\":\"1\"}"));
    for (int i = 0; i < 2000 && probe_note_at("-1") < 0; i++)
        loop_run_once(h.loop, 1000000);
    assert_true(probe_note_at("-1") >= 0);
    for (int i = 0; i < 2000 && h.result_count == 0; i++)
        loop_run_once(h.loop, 1000000);
    assert_int_equal(h.result_count, 1); /* handed on before the batch is closed */
    batch_add(batch, HV_STR("t2"), HV_STR("Probe"), HV_STR("{\"label\":\"2\"}"));
    harness_finish(&h, batch);
    assert_int_equal(h.result_count, 2);
    harness_close(&h);
}

/* The working directory: at once after a call that ran alone, else only after all calls that run together. */
static void a_change_of_directory_holds_from_the_right_call_on(void **state)
{
    (void)state;
    start();
    char path[128];
    snprintf(path, sizeof path, "%s/sub", h.work);
    assert_int_equal(mkdir(path, 0755), 0);
    harness_run(&h, "t1", "Probe", "{\"cd\":\"sub\",\"alone\":true}", "t2", "Probe", "{\"reads\":[\"f\"]}",
                (char *)NULL);
    assert_contains(harness_result(&h, "t2")->input, "/sub/f");
    assert_string_equal(runtime_directory(h.runtime).ptr, path);
    harness_close(&h);

    start();
    snprintf(path, sizeof path, "%s/sub", h.work);
    assert_int_equal(mkdir(path, 0755), 0);
    harness_run(&h, "t1", "Probe", "{\"cd\":\"sub\"}", "t2", "Probe", "{\"sleep_ms\":50,\"reads\":[\"f\"]}", "t3",
                "Probe", "{\"reads\":[\"f\"],\"alone\":true}", (char *)NULL);
    assert_lacks(harness_result(&h, "t2")->input, "/sub/f");
    assert_contains(harness_result(&h, "t3")->input, "/sub/f");
    harness_close(&h);
}

static void messages_of_tools_come_after_the_results_in_call_order(void **state)
{
    (void)state;
    start();
    harness_run(&h, "t1", "Probe", "{\"message\":\"one\",\"sleep_ms\":60}", "t2", "Probe", "{\"message\":\"two\"}",
                (char *)NULL);
    char *one = strstr(h.messages, "one"), *two = strstr(h.messages, "two");
    assert_non_null(one);
    assert_non_null(two);
    assert_true(one < two);
    harness_close(&h);
}

/* A link that an earlier call may have turned is looked at again before the later call runs. */
static void a_call_that_waited_is_judged_again_when_the_ground_moved(void **state)
{
    (void)state;
    harness_open(&h, "{\"permissions\":{\"allow\":[\"Probe\"],\"deny\":[\"Probe(secret/**)\"]}}");
    harness_start(&h, NULL);
    char path[128];
    snprintf(path, sizeof path, "%s/secret", h.work);
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(path, sizeof path, "%s/open", h.work);
    assert_int_equal(mkdir(path, 0755), 0);
    char link[128];
    snprintf(link, sizeof link, "%s/link", h.work);
    assert_int_equal(symlink("open", link), 0);
    struct batch *batch = harness_begin(&h);
    batch_add(batch, HV_STR("t1"), HV_STR("Probe"), HV_STR("{\"label\":\"1\",\"sleep_ms\":250,\"alone\":true}"));
    batch_add(batch, HV_STR("t2"), HV_STR("Probe"), HV_STR("{\"label\":\"2\",\"reads\":[\"link/f\"]}"));
    for (int i = 0; i < 2000 && !harness_event(&h, HV_EVENT_DECISION, "t2", "allow"); i++)
        loop_run_once(h.loop, 1000000);
    assert_non_null(harness_event(&h, HV_EVENT_DECISION, "t2", "allow"));
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink("secret", link), 0);
    harness_finish(&h, batch);
    assert_true(harness_result(&h, "t2")->is_error);
    assert_int_equal(probe_note_at("+2"), -1);
    harness_close(&h);
}

static void thousands_of_calls_in_one_message_are_each_answered_once(void **state)
{
    (void)state;
    start();
    struct batch *batch = harness_begin(&h);
    for (int i = 0; i < 3000; i++) {
        char id[16], input[80];
        snprintf(id, sizeof id, "t%d", i);
        snprintf(input, sizeof input, "{\"say\":\"%d\",\"writes\":[\"f%d\"],\"alone\":%s}", i, i % 5,
                 i % 97 ? "false" : "true");
        batch_add(batch, hv_str_from(id), HV_STR("Probe"), hv_str_from(input));
    }
    harness_finish(&h, batch);
    assert_int_equal(h.result_count, 3000);
    for (int i = 0; i < 3000; i++)
        assert_int_equal(strtol(h.results[i].text, NULL, 10), i);
    harness_close(&h);
}

/* The outcome of any schedule equals that of running the calls one after another. */
static void any_mix_gives_what_a_serial_run_gives(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 12; seed++) {
        srand(seed);
        start();
        struct batch *batch = harness_begin(&h);
        int writes[40], reads[40];
        for (int i = 0; i < 40; i++) {
            char id[16], input[160];
            writes[i] = rand() % 4;
            reads[i] = rand() % 4;
            snprintf(id, sizeof id, "t%d", i);
            snprintf(input, sizeof input, "{\"label\":\"%d\",\"sleep_ms\":%d,\"reads\":[\"f%d\"],\"writes\":[%s%d\"]}",
                     i, rand() % 4, reads[i], "\"f", writes[i]);
            batch_add(batch, hv_str_from(id), HV_STR("Probe"), hv_str_from(input));
        }
        harness_finish(&h, batch);
        for (int i = 0; i < 40; i++)
            for (int j = i + 1; j < 40; j++) {
                bool conflict = writes[i] == writes[j] || writes[i] == reads[j] || reads[i] == writes[j];
                char end[24], begin[24];
                snprintf(end, sizeof end, "-%d", i);
                snprintf(begin, sizeof begin, "+%d", j);
                if (conflict && probe_note_at(end) > probe_note_at(begin))
                    fail_msg("seed %u: call %d did not wait for call %d", seed, j, i);
            }
        harness_close(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(footprints_decide_what_runs_together),
        cmocka_unit_test(results_come_in_the_order_of_the_calls),
        cmocka_unit_test(no_more_run_at_once_than_allowed),
        cmocka_unit_test(a_call_starts_while_others_are_still_being_added),
        cmocka_unit_test(a_change_of_directory_holds_from_the_right_call_on),
        cmocka_unit_test(messages_of_tools_come_after_the_results_in_call_order),
        cmocka_unit_test(a_call_that_waited_is_judged_again_when_the_ground_moved),
        cmocka_unit_test(thousands_of_calls_in_one_message_are_each_answered_once),
        cmocka_unit_test(one_at_a_time_is_in_order),
        cmocka_unit_test(any_mix_gives_what_a_serial_run_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
