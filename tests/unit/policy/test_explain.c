/* test_explain.c: what `helve explain` says of calls and rules. */
#include "world.h"

#include "policy/explain.h"
#include "policy/visible.h"

static struct hv_str explain(struct hv_arena *arena, const char *rules, enum policy_mode mode, struct world_call call,
                             bool as_json)
{
    struct policy *policy = world_policy(rules, mode, NULL, false);
    struct policy_facts facts;
    struct policy_decision decision;
    struct hv_buf out = {.max = 1 << 20};
    world_facts(policy, &call, arena, &facts);
    policy_decide(policy, &facts, arena, &decision);
    policy_explain_write(policy, &facts, &decision, as_json, &out);
    struct hv_str text = hv_arena_str(arena, hv_buf_str(&out));
    assert_false(out.failed);
    hv_buf_release(&out);
    policy_unref(policy);
    return text;
}

static const struct hv_json *parse(struct hv_arena *arena, struct hv_str text)
{
    const struct hv_json *json = NULL;
    assert_int_equal(hv_json_parse(arena, text, HV_JSON_STRICT | HV_JSON_UNIQUE_KEYS, &json, NULL), HV_OK);
    return json;
}

static void outcomes_have_one_word(void **state)
{
    static const struct {
        const char *rules;
        enum policy_mode mode;
        struct world_call call;
        const char *outcome;
    } rows[] = {
        {"", POLICY_DEFAULT, {&world_read, "/ws/a"}, "allow"},
        {"", POLICY_DEFAULT, {&world_read, "/etc/hosts"}, "ask"},
        {"", POLICY_DEFAULT, {&world_read, "/home/me/.ssh/id_rsa"}, "always_confirm"},
        {"", POLICY_DEFAULT, {&world_read, "/home/me/.ssh/id_rsa", .alone = true}, "always_confirm"},
        {"deny Read(.env)", POLICY_DEFAULT, {&world_read, "/ws/.env"}, "deny"},
        {"", POLICY_BYPASS, {&world_read, "/ws/pipe"}, "refuse"},
        {"", POLICY_BYPASS, {&world_write, "/usr"}, "deny"},
        {"", POLICY_BYPASS, {&world_bash, "rm -rf /"}, "deny"},
        {"", POLICY_DONT_ASK, {&world_bash, "make"}, "deny"},
        {"", POLICY_DEFAULT, {NULL, NULL}, "deny"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hv_arena arena = {0};
        struct hv_str text = explain(&arena, rows[i].rules, rows[i].mode, rows[i].call, true);
        const struct hv_json *json = parse(&arena, text);
        if (!hv_str_is(hv_json_get_string(json, "decision"), rows[i].outcome))
            fail_msg("%s: %.*s", rows[i].outcome, HV_STR_ARG(text));
        assert_true(hv_json_get_string(json, "reason").len > 0);
        text = explain(&arena, rows[i].rules, rows[i].mode, rows[i].call, false);
        assert_true(hv_str_starts(text, hv_arena_format(&arena, "%s: ", rows[i].outcome)));
        assert_true(hv_str_ends(text, HV_STR("\n")));
        hv_arena_release(&arena);
    }
}

static void every_rule_that_speaks_of_a_call_is_listed_with_its_place(void **state)
{
    struct hv_arena arena = {0};
    struct world_call call = {&world_edit, "/ws/in/a.c"};
    const char *rules = "allow Edit(./in/**) | user: deny Edit(./src/**) | managed: ask Edit(*.c) | allow Read";
    const struct hv_json *json = parse(&arena, explain(&arena, rules, POLICY_DEFAULT, call, true));
    (void)state;
    assert_true(hv_str_is(hv_json_get_string(json, "stage"), "deny_rule"));
    assert_true(hv_str_is(hv_json_get_string(json, "rule"), "Edit(./src/**)"));
    assert_true(hv_str_is(hv_json_get_string(json, "resolved"), "/ws/src/a.c"));
    assert_true(hv_str_is(hv_json_get_string(json, "mode"), "default"));
    const struct hv_json *path = hv_json_at(hv_json_get(json, "paths"), 0), *list = hv_json_get(json, "rules");
    assert_true(hv_str_is(hv_json_get_string(path, "access"), "write"));
    assert_true(hv_str_is(hv_json_get_string(path, "path"), "/ws/in/a.c"));
    assert_true(hv_str_is(hv_json_get_string(path, "class"), "workspace"));
    assert_int_equal(list->count, 2); /* the permission for the link alone does not take the call */
    const struct hv_json *ask = hv_json_at(list, 0), *deny = hv_json_at(list, 1);
    int64_t line = 0, column = 0;
    assert_true(hv_str_is(hv_json_get_string(ask, "scope"), "managed settings"));
    assert_false(hv_json_bool(hv_json_get(ask, "decides"), true));
    assert_true(hv_str_is(hv_json_get_string(deny, "file"), "/home/me/.config/helve/settings.json"));
    assert_true(hv_json_int64(hv_json_get(deny, "line"), &line) && line == 2);
    assert_true(hv_json_int64(hv_json_get(deny, "column"), &column) && column == 5);
    assert_true(hv_json_bool(hv_json_get(deny, "decides"), false));
    hv_arena_release(&arena);
}

static void the_text_tells_the_same_to_people(void **state)
{
    struct hv_arena arena = {0};
    struct world_call call = {&world_edit, "/ws/out/a.c"};
    struct hv_str text = explain(&arena, "ask Edit(//etc/**)", POLICY_DEFAULT, call, false);
    (void)state;
    static const char *const parts[] = {"ask: the rule Edit(//etc/**)",
                                        "writes     /ws/out/a.c\n",
                                        "which is /etc/app/a.c",
                                        "outside the workspace",
                                        "mode       default\n",
                                        "stage      ask_rule\n",
                                        "Edit(//etc/**)  project settings /ws/.helve/settings.json:1:5  <- decides\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (hv_str_find(text, hv_str_from(parts[i]), 0) == SIZE_MAX)
            fail_msg("no \"%s\" in\n%.*s", parts[i], HV_STR_ARG(text));
    text = explain(&arena, "", POLICY_DEFAULT, (struct world_call){&world_bash, "make"}, false);
    assert_true(hv_str_find(text, HV_STR("proposal   Bash(make:*)\n"), 0) != SIZE_MAX);
    assert_true(hv_str_find(text, HV_STR("no rule speaks of it\n"), 0) != SIZE_MAX);
    hv_arena_release(&arena);
}

static void what_would_hide_on_a_screen_is_shown(void **state)
{
    static const struct {
        const char *text, *shown;
    } rows[] = {
        {"plain caf\xc3\xa9", "plain caf\xc3\xa9"},
        {"a\x1b[2Jb", "a\\u{1b}[2Jb"},
        {"a\nb\tc\rd", "a\\u{a}b\\u{9}c\\u{d}d"},
        {"a\xe2\x80\xae"
         "b",
         "a\\u{202e}b"},
        {"a\xc2\xa0"
         "b",
         "a\\u{a0}b"},
        {"\xef\xbb\xbf"
         "x",
         "\\u{feff}x"},
        {"\xff\xc3", "\\xff\\xc3"},
        {"\xf3\xa0\x80\x81", "\\u{e0001}"},
        {"", ""},
    };
    struct hv_arena arena = {0};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hv_buf out = {.max = 1000};
        visible_add(&out, hv_str_from(rows[i].text));
        if (!hv_str_is(hv_buf_str(&out), rows[i].shown))
            fail_msg("%s", out.data);
        assert_int_equal(visible_as_is(hv_str_from(rows[i].text)), strcmp(rows[i].text, rows[i].shown) == 0);
        hv_buf_release(&out);
    }
    struct hv_str text = explain(&arena, "", POLICY_DEFAULT, (struct world_call){&world_bash, "ls\x1b[8m;rm x"}, false);
    assert_true(hv_str_find_byte(text, '\x1b', 0) == SIZE_MAX);
    assert_true(hv_str_find(text, HV_STR("ls\\u{1b}[8m;rm x"), 0) != SIZE_MAX);
    hv_arena_release(&arena);
}

static void a_rule_is_explained_for_the_tools_it_names(void **state)
{
    static const struct hv_tool *const tools[] = {&world_read, &world_grep, &world_edit, &world_bash};
    struct hv_arena arena = {0};
    struct policy *policy = world_policy("allow Read(./src/**) | user: deny Read", POLICY_DEFAULT, NULL, false);
    struct hv_buf out = {.max = 1 << 20};
    (void)state;
    assert_true(policy_explain_rule(policy, HV_STR("Read(./src/**)"), tools, 4, true, &out));
    const struct hv_json *json = parse(&arena, hv_arena_str(&arena, hv_buf_str(&out)));
    assert_true(hv_str_is(hv_json_get_string(json, "specifier"), "./src/**"));
    const struct hv_json *named = hv_json_get(json, "tools"), *allow = hv_json_get(hv_json_get(json, "lists"), "allow");
    assert_int_equal(named->count, 2);
    assert_true(hv_str_is(hv_json_get_string(hv_json_at(named, 0), "meaning"), "a path pattern"));
    assert_true(hv_json_bool(hv_json_get(allow, "usable"), false));
    const struct hv_json *start = hv_json_at(hv_json_get(allow, "starts"), 0);
    assert_true(hv_str_is(hv_json_get_string(start, "directory"), "/ws"));
    assert_true(hv_str_is(hv_json_get_string(start, "pattern"), "/src"));
    assert_int_equal(hv_json_get(json, "stands")->count, 1);
    const struct hv_json *beaten = hv_json_at(hv_json_get(json, "beaten_by"), 0);
    assert_true(hv_str_is(hv_json_get_string(beaten, "rule"), "Read"));
    hv_buf_clear(&out);
    assert_true(policy_explain_rule(policy, HV_STR("Read(./src/**)"), tools, 4, false, &out));
    assert_true(hv_str_find(hv_buf_str(&out), HV_STR("beaten by  deny Read  user settings"), 0) != SIZE_MAX);
    assert_true(hv_str_find(hv_buf_str(&out), HV_STR("/src in /ws"), 0) != SIZE_MAX);
    hv_buf_release(&out);
    policy_unref(policy);
    hv_arena_release(&arena);
}

static void a_rule_that_cannot_be_used_says_why(void **state)
{
    static const struct hv_tool *const tools[] = {&world_bash};
    static const struct {
        const char *text;
        bool usable;
        const char *part;
    } rows[] = {
        {"Bash(make", false, "lacks the closing parenthesis"},
        {"", false, "is empty"},
        {"*", true, "would allow every tool"},
        {"Nothing(x)", true, "names no tool of this session"},
        {"Bash(make)", true, "exactly this command"},
        {"Bash(make:*)", true, "commands of this form"},
        {"Bash(run_in_background:true)", true, "a value of a parameter"},
        {"Bash\x1b(x)", false, "Bash\\u{1b}(x)"},
    };
    struct policy *policy = world_policy("", POLICY_DEFAULT, NULL, false);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hv_buf out = {.max = 1 << 20};
        bool usable = policy_explain_rule(policy, hv_str_from(rows[i].text), tools, 1, false, &out);
        if (usable != rows[i].usable || hv_str_find(hv_buf_str(&out), hv_str_from(rows[i].part), 0) == SIZE_MAX)
            fail_msg("%s: %d\n%s", rows[i].text, usable, out.data);
        hv_buf_release(&out);
    }
    policy_unref(policy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outcomes_have_one_word),
        cmocka_unit_test(every_rule_that_speaks_of_a_call_is_listed_with_its_place),
        cmocka_unit_test(the_text_tells_the_same_to_people),
        cmocka_unit_test(what_would_hide_on_a_screen_is_shown),
        cmocka_unit_test(a_rule_is_explained_for_the_tools_it_names),
        cmocka_unit_test(a_rule_that_cannot_be_used_says_why),
    };
    return cmocka_run_group_tests_name("policy_explain", tests, NULL, NULL);
}
