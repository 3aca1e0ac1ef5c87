/* The settings of the sandbox: how they are read, which commands they let out, which hosts they allow. */
#include "sandbox/options.h"
#include "sandbox/sandbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static unsigned problems; /* told so far */

static void count_problem(void *user, const char *key, const char *message)
{
    (void)user;
    assert_non_null(key);
    assert_true(message[0] != '\0');
    problems++;
}

static void add(struct sandbox_options *options, struct hv_arena *arena, const char *text)
{
    const struct hv_json *json;
    assert_int_equal(hv_json_parse(arena, hv_str_from(text), 0, &json, NULL), HV_OK);
    sandbox_options_add(options, arena, json, HV_STR("/project"), HV_STR("/home/me"), count_problem, NULL);
}

static void lists_add_up_and_of_single_values_the_first_counts(void **state)
{
    struct hv_arena arena = {0};
    struct sandbox_options options = {0};
    (void)state;
    add(&options, &arena,
        "{\"enabled\":false,\"filesystem\":{\"allowWrite\":[\"~/cache\",\"out/../build\"]},"
        "\"limits\":{\"processes\":5}}");
    add(&options, &arena,
        "{\"enabled\":true,\"autoAllowBashIfSandboxed\":true,\"filesystem\":{\"allowWrite\":[\"/srv/x/\"]},"
        "\"limits\":{\"processes\":9,\"memory\":1000}}");
    assert_int_equal(options.enabled, SANDBOX_NO);
    assert_int_equal(options.auto_allow, SANDBOX_YES);
    assert_int_equal(options.write.count, 3);
    assert_true(hv_str_is(options.write.items[0], "/home/me/cache"));
    assert_true(hv_str_is(options.write.items[1], "/project/build"));
    assert_true(hv_str_is(options.write.items[2], "/srv/x"));
    assert_int_equal(options.process_limit, 5);
    assert_int_equal(options.memory_limit, 1000);
    hv_arena_release(&arena);
}

static void what_cannot_be_used_is_told_and_left_out(void **state)
{
    static const struct {
        const char *text;
        unsigned problems;
    } cases[] = {
        {"{}", 0},
        {"{\"enabled\":null}", 0},
        {"{\"enabled\":\"yes\"}", 1},
        {"{\"enable\":true}", 1},
        {"{\"excludedCommands\":\"docker\"}", 1},
        {"{\"excludedCommands\":[1,\"\",\"docker\"]}", 2},
        {"{\"network\":[]}", 1},
        {"{\"network\":{\"httpProxyPort\":0,\"socksProxyPort\":65536}}", 2},
        {"{\"filesystem\":{\"allowWrites\":[]}}", 1},
        {"{\"limits\":{\"memory\":-1}}", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hv_arena arena = {0};
        struct sandbox_options options = {0};
        problems = 0;
        add(&options, &arena, cases[i].text);
        if (problems != cases[i].problems)
            fail_msg("%s: %u problems", cases[i].text, problems);
        hv_arena_release(&arena);
    }
}

static void only_single_plain_commands_are_excluded(void **state)
{
    static const struct {
        const char *command;
        bool excluded;
    } cases[] = {
        {"docker ps", true},
        {" docker ps -a ", true},
        {"docker", true},
        {"dockerx ps", false},
        {"docker ps; ls", false},
        {"docker ps | sh", false},
        {"docker ps > x", false},
        {"docker ps\nls", false},
        {"docker $(ls)", false},
        {"docker `ls`", false},
        {"docker ps & ls", false},
        {"X=1 docker ps", false},
        {"npm run test:e2e", true},
        {"npm run test:e2e x", true},
        {"npm run test", false},
        {"docker \"$x\"", false},
        {"docker ps #x", false},
        {"docker\tps", false},
        {"make", true},
        {"make -j4", true},
        {"", false},
    };
    struct hv_arena arena = {0};
    struct sandbox_options options = {0};
    (void)state;
    add(&options, &arena, "{\"excludedCommands\":[\"docker *\",\"npm run test:e2e\",\"make:*\"]}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (sandbox_is_excluded(&options, hv_str_from(cases[i].command)) != cases[i].excluded)
            fail_msg("%s", cases[i].command);
    hv_arena_release(&arena);
}

static void hosts_are_allowed_by_whole_names(void **state)
{
    static const struct {
        const char *host;
        unsigned port;
        bool allowed, named;
    } cases[] = {
        {"example.org", 443, true, true},      {"EXAMPLE.org", 80, true, true},
        {"example.org.", 80, true, true},      {"www.example.org", 443, false, false},
        {"notexample.org", 443, false, false}, {"example.org.evil", 1, false, false},
        {"a.wild.org", 1, true, false},        {"a.b.wild.org", 1, true, false},
        {"wild.org", 1, false, false},         {"xwild.org", 1, false, false},
        {"bad.wild.org", 1, false, false},     {"port.org", 8080, true, true},
        {"port.org", 80, false, false},        {"localhost", 3000, true, true},
        {"127.0.0.1", 3000, true, true},       {"::1", 3000, true, true},
        {"127.0.0.2", 3000, false, false},     {"fc::1", 9, true, true},
        {"fc::1", 10, false, false},           {"", 80, false, false},
    };
    struct hv_arena arena = {0};
    struct sandbox_options options = {0};
    (void)state;
    add(&options, &arena,
        "{\"network\":{\"allowedDomains\":[\"example.org\",\"*.wild.org\",\"port.org:8080\",\"localhost\",\"[fc::1]:"
        "9\"],"
        "\"deniedDomains\":[\"bad.wild.org\"]}}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sandbox_domain domain = sandbox_domain_of(&options, hv_str_from(cases[i].host), cases[i].port);
        if (domain.allowed != cases[i].allowed || domain.named != cases[i].named)
            fail_msg("%s:%u", cases[i].host, cases[i].port);
    }
    assert_true(hv_str_is(sandbox_domain_of(&options, HV_STR("bad.wild.org"), 1).denied_by, "bad.wild.org"));
    hv_arena_release(&arena);
}

static void only_a_full_sandbox_counts_as_confining(void **state)
{
    static const struct {
        enum sandbox_choice enabled;
        enum sandbox_level level;
        const char *command;
        bool leaves, confined;
    } cases[] = {
        {SANDBOX_UNSET, SANDBOX_LEVEL_FULL, "rm x", false, true},
        {SANDBOX_YES, SANDBOX_LEVEL_FULL, "rm x", false, true},
        {SANDBOX_NO, SANDBOX_LEVEL_FULL, "rm x", false, false},
        {SANDBOX_YES, SANDBOX_LEVEL_LANDLOCK, "rm x", false, false},
        {SANDBOX_YES, SANDBOX_LEVEL_NONE, "rm x", false, false},
        {SANDBOX_YES, SANDBOX_LEVEL_FULL, "rm x", true, false},
        {SANDBOX_YES, SANDBOX_LEVEL_FULL, "docker ps", false, false},
    };
    struct hv_arena arena = {0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sandbox_options options = {0};
        add(&options, &arena, "{\"excludedCommands\":[\"docker\"]}");
        options.enabled = cases[i].enabled;
        struct sandbox_state holds = {.enabled = true, .level = cases[i].level};
        assert_int_equal(sandbox_would_confine(&options, &holds, hv_str_from(cases[i].command), cases[i].leaves),
                         cases[i].confined);
    }
    hv_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_add_up_and_of_single_values_the_first_counts),
        cmocka_unit_test(what_cannot_be_used_is_told_and_left_out),
        cmocka_unit_test(only_single_plain_commands_are_excluded),
        cmocka_unit_test(hosts_are_allowed_by_whole_names),
        cmocka_unit_test(only_a_full_sandbox_counts_as_confining),
    };
    return cmocka_run_group_tests_name("sandbox options", tests, NULL, NULL);
}
