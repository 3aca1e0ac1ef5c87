/* test_hooks.c: which hooks settings give, what their matchers take, and that a guard is never lost. */
#include "world.h"

#define FILE_OF_USER "home/.config/helve/settings.json"
#define SECOND 1000000000ull

static struct world *the(void **state)
{
    return *state;
}

/* Load with one hook list for PreToolUse as the person's settings. */
static const struct settings *load_hooks(struct world *world, const char *groups)
{
    struct hv_str text = hv_arena_format(&world->arena, "{\"hooks\": {\"PreToolUse\": %s}}", groups);
    world_bytes(world, FILE_OF_USER, text);
    return world_load(world);
}

static void a_hook_has_all_its_members(void **state)
{
    const struct settings *settings = load_hooks(
        the(state), "[{\"matcher\": \"Bash\", \"hooks\": ["
                    "{\"type\": \"command\", \"command\": \"check\", \"args\": [\"-x\", \"a b\"], \"timeout\": 1.5,"
                    "\"if\": \"Bash(git *)\", \"statusMessage\": \"checking\", \"required\": true, \"once\": true,"
                    "\"async\": true},"
                    "{\"type\": \"http\", \"url\": \"https://h/x\", \"headers\": {\"A\": \"b\", \"C\": \"d\"}},"
                    "{\"command\": \"plain | sh\"}]}]");
    assert_no_problems(settings);
    assert_int_equal(settings->hook_count, 3);
    const struct settings_hook *hook = &settings->hooks[0];
    assert_str(hook->event, "PreToolUse");
    assert_str(hook->matcher, "Bash");
    assert_int_equal(hook->type, SETTINGS_HOOK_COMMAND);
    assert_str(hook->command, "check");
    assert_true(hook->has_args);
    assert_int_equal(hook->arg_count, 2);
    assert_str(hook->args[1], "a b");
    assert_int_equal(hook->timeout_ns, 3 * SECOND / 2);
    assert_str(hook->condition, "Bash(git *)");
    assert_str(hook->status_message, "checking");
    assert_true(hook->required && hook->once && hook->async);
    assert_int_equal(hook->place.scope, SETTINGS_USER);
    assert_true(hook->place.line == 1 && hook->place.column > 40);
    hook++;
    assert_int_equal(hook->type, SETTINGS_HOOK_HTTP);
    assert_str(hook->url, "https://h/x");
    assert_int_equal(hook->header_count, 2);
    assert_str(hook->headers[1], "C: d");
    assert_false(hook->required || hook->once || hook->async || hook->has_args);
    hook++;
    assert_int_equal(hook->type, SETTINGS_HOOK_COMMAND);
    assert_str(hook->command, "plain | sh");
    assert_int_equal(hook->timeout_ns, 60 * SECOND);
    assert_null(hook->condition.ptr);
}

/* ---- matchers ------------------------------------------------------------------------------------------------- */

static const struct {
    const char *matcher; /* as JSON */
    const char *name;
    bool matches, is_pattern;
} matchers[] = {
    {"\"Bash\"", "Bash", true, false},
    {"\"Bash\"", "BashOutput", false, false},
    {"\"Bash\"", "bash", false, false},
    {"\"Edit|Write\"", "Write", true, false},
    {"\"Edit | Write,Read\"", "Read", true, false},
    {"\"Edit|Write\"", "Edit|Write", false, false},
    {"\"Edit|\"", "", false, false},
    {"\"\"", "anything", true, false},
    {"\"*\"", "anything", true, false},
    {"null", "anything", true, false},
    {"\"mcp__memory__.*\"", "mcp__memory__create", true, true},
    {"\"mcp__memory__.*\"", "mcp__other__create", false, true},
    {"\"mcp__memory\"", "mcp__memory__create", false, false},
    {"\"^Notebook\"", "NotebookEdit", true, true},
    {"\"^Notebook\"", "EditNotebook", false, true},
    {"\"Note.ook\"", "MyNotebookEdit", true, true},
    {"\"(?i)bash\"", "BASH", true, true},
    {"\"^(Edit|Write)$\"", "Write", true, true},
    {"\"^(Edit|Write)$\"", "MultiEdit", false, true},
};

static void matchers_take_names_or_patterns(void **state)
{
    for (size_t i = 0; i < sizeof matchers / sizeof *matchers; i++) {
        struct hv_str groups = hv_arena_format(
            &the(state)->arena, "[{\"matcher\": %s, \"hooks\": [{\"command\": \"x\"}]}]", matchers[i].matcher);
        const struct settings *settings = load_hooks(the(state), groups.ptr);
        assert_no_problems(settings);
        const struct settings_hook *hook = &settings->hooks[0];
        assert_int_equal(hook->pattern != NULL, matchers[i].is_pattern);
        if (settings_hook_matches(hook, "PreToolUse", hv_str_from(matchers[i].name)) != matchers[i].matches)
            fail_msg("%s and %s", matchers[i].matcher, matchers[i].name);
        assert_false(settings_hook_matches(hook, "PostToolUse", hv_str_from(matchers[i].name)));
    }
}

static void a_matcher_that_takes_too_long_is_taken_to_match(void **state)
{
    char name[2001];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    const struct settings *settings =
        load_hooks(the(state), "[{\"matcher\": \"^((a+)+)+[bc]$\", \"hooks\": [{\"command\": \"x\"}]}]");
    assert_true(settings_hook_matches(&settings->hooks[0], "PreToolUse", hv_str_from(name)));
}

/* ---- what is wrong -------------------------------------------------------------------------------------------- */

static const struct {
    const char *groups, *message;
    size_t hooks;
} faults[] = {
    {"{}", "PreToolUse should be an array", 0},
    {"[1]", "hooks of an event should be", 0},
    {"[{\"matcher\": \"Bash\"}]", "hooks of an event should be", 0},
    {"[{\"hooks\": {}}]", "hooks of an event should be", 0},
    {"[{\"hooks\": [\"x\"]}]", "an element should be a hook", 0},
    {"[{\"hooks\": [{}]}]", "a hook needs a command: the hook is ignored", 0},
    {"[{\"hooks\": [{\"command\": \" \"}]}]", "a hook needs a command", 0},
    {"[{\"hooks\": [{\"command\": \"a\\u0000b\"}]}]", "a hook needs a command", 0},
    {"[{\"hooks\": [{\"type\": \"prompt\", \"command\": \"x\"}]}]", "the type of a hook is", 0},
    {"[{\"hooks\": [{\"command\": \"x\", \"args\": \"y\"}]}]", "args should be an array", 0},
    {"[{\"hooks\": [{\"command\": \"x\", \"args\": [1]}]}]", "args should be texts", 0},
    {"[{\"hooks\": [{\"type\": \"http\", \"url\": \"ftp://x\"}]}]", "needs an http or https url", 0},
    {"[{\"hooks\": [{\"url\": \"file:///etc/passwd\"}]}]", "needs an http or https url", 0},
    {"[{\"matcher\": 1, \"hooks\": [{\"command\": \"x\"}]}]", "a matcher should be a text", 0},
    {"[{\"matcher\": \"(\", \"hooks\": [{\"command\": \"x\"}]}]", "no regular expression", 0},
    {"[{\"hooks\": [{\"command\": \"x\", \"timeout\": 0}]}]", "timeout should be a number", 1},
    {"[{\"hooks\": [{\"command\": \"x\", \"timeout\": \"5\"}]}]", "timeout should be a number", 1},
    {"[{\"hooks\": [{\"command\": \"x\", \"timeout\": 1e400}]}]", "timeout should be a number", 1},
    {"[{\"hooks\": [{\"command\": \"x\", \"once\": 1}]}]", "once should be true or false", 1},
    {"[{\"hooks\": [{\"command\": \"x\", \"if\": 1}]}]", "if should be a text", 1},
    {"[{\"hooks\": [{\"command\": \"x\", \"requierd\": true}]}]", "\"requierd\" is not a known setting", 1},
    {"[{\"matchers\": \"Bash\", \"hooks\": [{\"command\": \"x\"}]}]", "\"matchers\" is not a known", 1},
};

static void faulty_hooks_are_told_and_left_out(void **state)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const struct settings *settings = load_hooks(the(state), faults[i].groups);
        world_problem(settings, faults[i].message);
        if (settings->problem_count != 1 || settings->hook_count != faults[i].hooks)
            fail_msg("%s: %zu problems, %zu hooks", faults[i].groups, settings->problem_count, settings->hook_count);
        if (settings->hook_count)
            assert_true(settings->hooks[0].timeout_ns > 0);
    }
}

static void timeouts_are_bounded(void **state)
{
    assert_int_equal(
        load_hooks(the(state), "[{\"hooks\": [{\"command\": \"x\", \"timeout\": 1e300}]}]")->hooks[0].timeout_ns,
        24 * 3600 * SECOND);
    assert_int_equal(
        load_hooks(the(state), "[{\"hooks\": [{\"command\": \"x\", \"timeout\": 1e-300}]}]")->hooks[0].timeout_ns, 1);
}

static const char *const broken_guards[] = {
    "[{\"hooks\": [{\"required\": true}]}]",
    "[{\"hooks\": [{\"required\": true, \"async\": true, \"type\": \"http\", \"url\": \"x\"}]}]",
    "[{\"hooks\": [{\"required\": \"yes\", \"command\": \"x\", \"args\": [1]}]}]",
    "[{\"matcher\": \"Bash\", \"hooks\": [{\"required\": true, \"type\": \"agent\"}]}]",
};

static void a_required_hook_that_cannot_be_read_stays_and_cannot_start(void **state)
{
    for (size_t i = 0; i < sizeof broken_guards / sizeof *broken_guards; i++) {
        const struct settings *settings = load_hooks(the(state), broken_guards[i]);
        assert_true(settings->problem_count > 0);
        assert_int_equal(settings->hook_count, 1);
        const struct settings_hook *hook = &settings->hooks[0];
        assert_true(hook->required);
        assert_true(settings_hook_matches(hook, "PreToolUse", HV_STR("Bash")));
        assert_int_equal(hook->type, SETTINGS_HOOK_COMMAND);
        assert_true(hook->has_args && hook->arg_count == 0);
        assert_false(hook->async);
        const char *argv[] = {hv_arena_cstr(&the(state)->arena, hook->command), NULL};
        struct hv_command command = {.argv = argv, .timeout_ns = SECOND};
        struct hv_exit end;
        if (hv_host_local()->run(hv_host_local(), &command, &end, NULL) == HV_OK)
            assert_int_not_equal(end.code, 0);
    }
}

static void a_required_hook_with_a_bad_matcher_runs_always(void **state)
{
    const struct settings *settings = load_hooks(
        the(state),
        "[{\"matcher\": \"(\", \"hooks\": [{\"required\": true, \"command\": \"x\"}, {\"command\": \"y\"}]}]");
    assert_int_equal(settings->hook_count, 1);
    assert_str(settings->hooks[0].command, "x");
    assert_true(settings_hook_matches(&settings->hooks[0], "PreToolUse", HV_STR("Whatever")));
}

/* ---- sources -------------------------------------------------------------------------------------------------- */

static const char two_events[] = "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"%s\"}]}],"
                                 "\"%s\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"never\"}]}]}%s}";

static void put_hooks(struct world *world, const char *file, const char *command, const char *event, const char *more)
{
    char text[512];
    snprintf(text, sizeof text, two_events, command, event, more);
    world_file(world, file, text);
}

static void unknown_events_are_told_for_own_files_only(void **state)
{
    struct world *world = the(state);
    put_hooks(world, FILE_OF_USER, "own", "PreToolUs", "");
    put_hooks(world, "home/.claude/settings.json", "claude", "TeammateIdle", "");
    const struct settings *settings = world_load(world);
    assert_int_equal(settings->hook_count, 2);
    assert_str(settings->hooks[0].command, "own");
    assert_str(settings->hooks[1].command, "claude");
    assert_int_equal(settings->problem_count, 1);
    assert_str(world_problem(settings, "\"PreToolUs\"")->hint, "did you mean \"PreToolUse\"?");
}

static void names_of_events_may_be_written_otherwise(void **state)
{
    static const char *const names[] = {"preToolUse", "pretooluse", "PRETOOLUSE", "pre_tool_use", "pre-tool-use"};
    struct world *world = the(state);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        put_hooks(world, FILE_OF_USER, "own", names[i], "");
        const struct settings *settings = world_load(world);
        assert_int_equal(settings->hook_count, 2);
        assert_str(settings->hooks[1].event, "PreToolUse");
        assert_int_equal(settings->problem_count, 0);
    }
}

static void an_unknown_event_that_could_guard_is_no_small_matter(void **state)
{
    static const struct {
        const char *name;
        bool guards;
    } rows[] = {
        {"PreToolUs", true},       {"beforeShellExecution", true},
        {"PreBash", true},         {"PermissionAsk", true},
        {"ToolUse", true},         {"approve", true},
        {"TeammateIdle", false},   {"PostCompact", false},
        {"WorktreeCreate", false}, {"ConfigChange", false},
    };
    struct world *world = the(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        put_hooks(world, FILE_OF_USER, "own", rows[i].name, "");
        const struct settings *settings = world_load(world);
        assert_int_equal(settings->problem_count, 1);
        if ((settings->problems[0].kind == SETTINGS_UNGUARDED) != rows[i].guards)
            fail_msg("%s", rows[i].name);
    }
}

static void on_failure_block_is_required(void **state)
{
    static const struct {
        const char *member;
        bool required;
        size_t problems;
    } rows[] = {
        {"", false, 0},
        {",\"onFailure\":\"block\"", true, 0},
        {",\"onFailure\":\"allow\"", false, 0},
        {",\"onFailure\":\"Block!\"", true, 1},
        {",\"onFailure\":7", true, 1},
        {",\"required\":true,\"onFailure\":\"allow\"", true, 0},
    };
    struct world *world = the(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[256];
        snprintf(text, sizeof text, "{\"hooks\":{\"PreToolUse\":[{\"hooks\":[{\"command\":\"x\"%s}]}]}}",
                 rows[i].member);
        world_file(world, FILE_OF_USER, text);
        const struct settings *settings = world_load(world);
        assert_int_equal(settings->hooks[0].required, rows[i].required);
        assert_int_equal(settings->problem_count, rows[i].problems);
    }
}

static void hooks_can_be_turned_off(void **state)
{
    struct world *world = the(state);
    put_hooks(world, FILE_OF_USER, "own", "SessionEnd", ", \"disableAllHooks\": true");
    assert_true(world_load(world)->hooks_disabled);
    put_hooks(world, FILE_OF_USER, "own", "SessionEnd", ", \"disableAllHooks\": false");
    assert_false(world_load(world)->hooks_disabled);
    assert_int_equal(world->settings->hook_count, 2);
}

static void nobody_below_turns_off_managed_hooks(void **state)
{
    struct world *world = the(state);
    put_hooks(world, "etc/settings.json", "managed", "SessionEnd", "");
    put_hooks(world, FILE_OF_USER, "own", "SessionEnd", ", \"disableAllHooks\": true");
    const struct settings *settings = world_load(world);
    assert_false(settings->hooks_disabled);
    assert_int_equal(settings->hook_count, 2);
    assert_int_equal(settings->hooks[0].place.scope, SETTINGS_MANAGED);
    assert_int_equal(settings->hooks[1].place.scope, SETTINGS_MANAGED);
    put_hooks(world, "etc/settings.json", "managed", "SessionEnd", ", \"disableAllHooks\": true");
    assert_true(world_load(world)->hooks_disabled);
}

static void claude_files_turn_off_their_own_hooks(void **state)
{
    struct world *world = the(state);
    put_hooks(world, FILE_OF_USER, "own", "SessionEnd", "");
    put_hooks(world, "home/.claude/settings.json", "claude", "SessionEnd", ", \"disableAllHooks\": true");
    const struct settings *settings = world_load(world);
    assert_false(settings->hooks_disabled);
    assert_int_equal(settings->hook_count, 2);
    assert_int_equal(settings->hooks[1].place.scope, SETTINGS_USER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(a_hook_has_all_its_members),
        WORLD_TEST(matchers_take_names_or_patterns),
        WORLD_TEST(a_matcher_that_takes_too_long_is_taken_to_match),
        WORLD_TEST(faulty_hooks_are_told_and_left_out),
        WORLD_TEST(timeouts_are_bounded),
        WORLD_TEST(a_required_hook_that_cannot_be_read_stays_and_cannot_start),
        WORLD_TEST(a_required_hook_with_a_bad_matcher_runs_always),
        WORLD_TEST(unknown_events_are_told_for_own_files_only),
        WORLD_TEST(names_of_events_may_be_written_otherwise),
        WORLD_TEST(an_unknown_event_that_could_guard_is_no_small_matter),
        WORLD_TEST(on_failure_block_is_required),
        WORLD_TEST(hooks_can_be_turned_off),
        WORLD_TEST(nobody_below_turns_off_managed_hooks),
        WORLD_TEST(claude_files_turn_off_their_own_hooks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
