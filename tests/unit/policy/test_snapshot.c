/* test_snapshot.c: building policies: rules and their faults, modes, roots, changed copies, paths. */
#include "world.h"

#include "policy/rule.h"

static struct policy_decision decide(const struct policy *policy, const struct hv_tool *tool, const char *subject,
                                     struct hv_arena *arena)
{
    struct policy_facts facts;
    struct policy_decision decision;
    struct world_call call = {tool, subject};
    world_facts(policy, &call, arena, &facts);
    policy_decide(policy, &facts, arena, &decision);
    return decision;
}

static void rules_are_read_or_refused(void **state)
{
    static const struct {
        const char *text;
        bool as_allow, as_deny;
        const char *tool, *specifier; /* NULL: the whole tool */
    } rows[] = {
        {"Read", true, true, "Read", NULL},
        {"  Read  ", true, true, "Read", NULL},
        {"Read(*)", true, true, "Read", NULL},
        {"Bash(:*)", true, true, "Bash", NULL},
        {"Read(./a)", true, true, "Read", "./a"},
        {"Bash( make )", true, true, "Bash", "make"},
        {"Bash(echo (a))", true, true, "Bash", "echo (a)"},
        {"Bash(a) b)", true, true, "Bash", "a) b"},
        {"mcp__srv__*", true, true, "mcp__srv__*", NULL},
        {"mcp__*", false, true, "mcp__*", NULL},
        {"*", false, true, "*", NULL},
        {"R*", false, true, "R*", NULL},
        {"mcp____*", false, true, "mcp____*", NULL},
        {"", false, false, NULL, NULL},
        {"   ", false, false, NULL, NULL},
        {"(x)", false, false, NULL, NULL},
        {"?", false, false, NULL, NULL},
        {"Read()", false, false, "Read", NULL},
        {"Read(", false, false, "Read", NULL},
        {"Read(x", false, false, "Read", NULL},
        {"Read)x(", false, false, "Read", NULL},
        {"Read x", false, false, "Read", NULL},
        {"Read(x)y", false, false, "Read", NULL},
    };
    struct rule_bases bases = {.directory = {HV_STR("/ws"), HV_STR("/ws"), HV_FILE_DIRECTORY}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hv_arena arena = {0};
        struct hv_error err;
        struct rule allow, deny;
        bool as_allow =
            rule_parse(&bases, &arena, HV_ALLOW, hv_str_from(rows[i].text), HV_STR("/ws"), &allow, &err) == HV_OK;
        assert_true(as_allow || (err.message[0] && err.hint[0]));
        assert_true(as_allow || !allow.tool.len); /* a broken permission permits nothing */
        bool as_deny =
            rule_parse(&bases, &arena, HV_DENY, hv_str_from(rows[i].text), HV_STR("/ws"), &deny, &err) == HV_OK;
        if (as_allow != rows[i].as_allow || as_deny != rows[i].as_deny ||
            !hv_str_eq(deny.tool, hv_str_from(rows[i].tool)) || deny.has_specifier != !!rows[i].specifier ||
            (rows[i].specifier && !hv_str_is(deny.specifier, rows[i].specifier)))
            fail_msg("%s: %d, %d, %.*s, %.*s", rows[i].text, as_allow, as_deny, HV_STR_ARG(deny.tool),
                     HV_STR_ARG(deny.specifier));
        hv_arena_release(&arena);
    }
}

static void rules_with_a_nul_or_without_end_are_refused(void **state)
{
    struct rule_bases bases = {0};
    struct hv_arena arena = {0};
    struct rule rule;
    char *text = hv_arena_alloc(&arena, RULE_LENGTH_MAX + 1);
    (void)state;
    memset(text, 'a', RULE_LENGTH_MAX + 1);
    assert_int_equal(
        rule_parse(&bases, &arena, HV_DENY, hv_str_of(text, RULE_LENGTH_MAX + 1), HV_STR("/"), &rule, NULL), HV_EINVAL);
    assert_int_equal(rule_parse(&bases, &arena, HV_DENY, hv_str_of("Read(a\0b)", 9), HV_STR("/"), &rule, NULL),
                     HV_EINVAL);
    hv_arena_release(&arena);
}

static void stars_take_text(void **state)
{
    static const struct {
        const char *pattern, *text;
        bool takes;
    } rows[] = {
        {"a", "a", true},          {"a", "ab", false},       {"a*", "ab", true},       {"*b", "ab", true},
        {"a*c", "abc", true},      {"a*c", "ac", true},      {"a*c", "acb", false},    {"a*b*c", "a-b-b-c", true},
        {"a*a", "a", false},       {"*", "", true},          {"**", "x", true},        {"git *", "git", true},
        {"git *", "git x", true},  {"git *", "gitx", false}, {"git:*", "git", true},   {"git:*", "git\tx", true},
        {"git:*", "git:x", false}, {"* x *", "a x", true},   {"* x *", "a x b", true}, {"* x *", "a xb", false},
        {"a *b", "a x b", true},   {"a *b", "a", false},     {"a b*", "a b", true},    {"a?", "ab", false},
        {"[a]", "a", false},       {"\\a", "a", false},      {" *", "x", false},       {"", "", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t work = 1000;
        if (rule_takes_text(hv_str_from(rows[i].pattern), hv_str_from(rows[i].text), &work) != rows[i].takes)
            fail_msg("\"%s\" and \"%s\"", rows[i].pattern, rows[i].text);
    }
    size_t work = 3;
    assert_false(rule_takes_text(HV_STR("a*b*c*d"), HV_STR("aaaaaaaaabbbbbbbbbbcccccccccd"), &work));
    assert_int_equal(work, 0);
}

static void faults_of_rules_are_told_and_denials_kept(void **state)
{
    struct policy *policy = world_policy("deny Bash(rm | allow Bash(make | ask Read( | allow * | deny ( | allow Read",
                                         POLICY_DEFAULT, NULL, false);
    size_t count;
    struct hv_arena arena = {0};
    const struct settings_problem *problems = policy_problems(policy, &count);
    (void)state;
    assert_int_equal(count, 5);
    for (size_t i = 0; i < count; i++) {
        assert_true(problems[i].message.len && problems[i].hint.len);
        assert_int_equal(problems[i].place.line, i + 1);
        assert_true(hv_str_is(problems[i].place.file, "/ws/.helve/settings.json"));
    }
    assert_true(hv_str_find(problems[0].message, HV_STR("whole tool is denied"), 0) != SIZE_MAX);
    assert_true(hv_str_find(problems[1].message, HV_STR("ignored"), 0) != SIZE_MAX);
    assert_true(hv_str_find(problems[2].message, HV_STR("whole tool is asked for"), 0) != SIZE_MAX);
    struct policy_decision decision = decide(policy, &world_bash, "make", &arena);
    assert_int_equal(decision.stage, POLICY_STAGE_DENY_RULE);
    assert_true(hv_str_is(decision.scope, "project settings /ws/.helve/settings.json:1:5"));
    assert_int_equal(decide(policy, &world_read, "/ws/a", &arena).stage, POLICY_STAGE_ASK_RULE);
    policy_unref(policy);
    hv_arena_release(&arena);
}

static void a_rule_of_a_broken_file_says_so(void **state)
{
    struct settings_rule rule = {HV_DENY,
                                 HV_STR("Bash(make)"),
                                 HV_STR("/ws"),
                                 {SETTINGS_USER, HV_STR("/home/me/.config/helve/settings.json"), 7, 3},
                                 true};
    struct settings settings = {.rules = &rule, .rule_count = 1};
    struct policy_options options = {.settings = &settings, .directory = HV_STR("/ws"), .home = HV_STR("/home/me")};
    struct policy *policy = policy_new(&options);
    struct hv_arena arena = {0};
    struct policy_decision decision = decide(policy, &world_bash, "make", &arena);
    (void)state;
    assert_int_equal(decision.verdict, HV_DENY);
    assert_true(hv_str_is(decision.scope, "user settings /home/me/.config/helve/settings.json:7:3 (broken file)"));
    policy_unref(policy);
    hv_arena_release(&arena);
}

static void the_mode_comes_from_flag_or_settings_and_may_be_barred(void **state)
{
    static const struct {
        bool has_mode;
        enum policy_mode mode;
        const char *setting;
        bool disabled;
        enum policy_mode result;
    } rows[] = {
        {false, POLICY_BYPASS, NULL, false, POLICY_DEFAULT},
        {true, POLICY_BYPASS, NULL, false, POLICY_BYPASS},
        {true, POLICY_BYPASS, NULL, true, POLICY_DEFAULT},
        {false, POLICY_DEFAULT, "bypassPermissions", true, POLICY_DEFAULT},
        {false, POLICY_DEFAULT, "bypassPermissions", false, POLICY_BYPASS},
        {false, POLICY_DEFAULT, "acceptEdits", true, POLICY_ACCEPT_EDITS},
        {true, POLICY_PLAN, "acceptEdits", false, POLICY_PLAN},
        {false, POLICY_DEFAULT, "yolo", false, POLICY_DEFAULT},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct settings settings = {.default_mode = hv_str_from(rows[i].setting), .bypass_disabled = rows[i].disabled};
        struct policy_options options = {
            .settings = &settings, .directory = HV_STR("/ws"), .has_mode = rows[i].has_mode, .mode = rows[i].mode};
        struct policy *policy = policy_new(&options);
        assert_int_equal(policy_mode_of(policy), rows[i].result);
        struct policy *changed = policy_with_mode(policy, POLICY_BYPASS);
        assert_int_equal(policy_mode_of(changed), rows[i].disabled ? POLICY_DEFAULT : POLICY_BYPASS);
        assert_int_equal(policy_mode_of(policy), rows[i].result);
        policy_unref(policy);
        policy_unref(changed);
    }
}

static void added_directories_and_flags_count(void **state)
{
    static const struct settings_directory added = {.path = HV_STR("/other")};
    static const struct settings_flag_rule flags[] = {{HV_ALLOW, HV_STR("Bash(make)")},
                                                      {HV_DENY, HV_STR("Bash(rm:*)")}};
    static const struct hv_str roots[] = {HV_STR("/ws"), HV_STR("/more")};
    struct settings settings = {.directories = &added, .directory_count = 1};
    struct policy_options options = {.host = &world_host,
                                     .settings = &settings,
                                     .directory = HV_STR("/ws"),
                                     .roots = roots,
                                     .root_count = 2,
                                     .rules = flags,
                                     .rule_count = 2};
    struct policy *policy = policy_new(&options);
    struct hv_arena arena = {0};
    (void)state;
    assert_int_equal(decide(policy, &world_read, "/other/a", &arena).verdict, HV_ALLOW);
    assert_int_equal(decide(policy, &world_read, "/more/a", &arena).verdict, HV_ALLOW);
    assert_int_equal(decide(policy, &world_read, "/others/a", &arena).verdict, HV_ASK);
    struct policy_decision decision = decide(policy, &world_bash, "make", &arena);
    assert_int_equal(decision.verdict, HV_ALLOW);
    assert_true(hv_str_is(decision.scope, "command line"));
    assert_int_equal(decide(policy, &world_bash, "rm x", &arena).verdict, HV_DENY);
    policy_unref(policy);
    hv_arena_release(&arena);
}

static void a_changed_policy_leaves_the_old_one_alone(void **state)
{
    struct policy *old = world_policy("deny Read(.env) | allow Bash(ls:*)", POLICY_ACCEPT_EDITS, NULL, true);
    struct hv_error err;
    struct hv_arena arena = {0};
    struct policy *grown = policy_with_rule(old, POLICY_SESSION, HV_ALLOW, HV_STR("Bash(make)"), &err);
    (void)state;
    assert_non_null(grown);
    assert_int_equal(decide(old, &world_bash, "make", &arena).verdict, HV_ASK);
    struct policy *further = policy_with_mode(grown, POLICY_PLAN);
    policy_unref(old);
    assert_int_equal(decide(grown, &world_bash, "make", &arena).verdict, HV_ALLOW);
    assert_true(hv_str_is(decide(grown, &world_bash, "make", &arena).scope, "session"));
    assert_int_equal(decide(grown, &world_bash, "ls -l", &arena).verdict, HV_ALLOW);
    assert_int_equal(decide(grown, &world_read, "/WS/.ENV", &arena).verdict, HV_DENY);
    assert_int_equal(decide(grown, &world_edit, "/ws/a.c", &arena).verdict, HV_ALLOW);
    policy_unref(grown);
    assert_int_equal(decide(further, &world_bash, "make", &arena).stage, POLICY_STAGE_MODE);
    assert_null(policy_with_rule(further, POLICY_SESSION, HV_ALLOW, HV_STR("Bash("), &err));
    assert_true(err.message[0] && err.hint[0]);
    struct policy *held = policy_ref(further);
    assert_ptr_equal(held, further);
    policy_unref(held);
    policy_unref(further);
    policy_unref(NULL);
    hv_arena_release(&arena);
}

static void paths_are_resolved_and_looked_at(void **state)
{
    struct hv_arena arena = {0};
    struct policy_path path;
    (void)state;
    policy_path_resolve(&world_host, &arena, HV_STR("/ws/out/x"), &path);
    assert_true(hv_str_is(path.written, "/ws/out/x") && hv_str_is(path.resolved, "/etc/app/x"));
    assert_int_equal(path.kind, HV_FILE_REGULAR);
    policy_path_resolve(&world_host, &arena, HV_STR("/ws/null"), &path);
    assert_int_equal(path.kind, HV_FILE_DEVICE);
    policy_path_resolve(&world_host, &arena, HV_STR("/ws/loop"), &path);
    assert_null(path.resolved.ptr);
    policy_path_resolve(&world_host, &arena, HV_STR("/ws/missing"), &path);
    assert_int_equal(path.kind, HV_FILE_UNKNOWN);
    policy_path_resolve(NULL, &arena, HV_STR("/x"), &path);
    assert_true(hv_str_is(path.resolved, "/x"));
    hv_arena_release(&arena);
}

static void network_paths_are_refused_as_written(void **state)
{
    (void)state;
    assert_non_null(policy_path_refused(HV_STR("//host/share")));
    assert_non_null(policy_path_refused(HV_STR("\\\\host\\share")));
    assert_non_null(policy_path_refused(hv_str_of("/a\0b", 4)));
    assert_null(policy_path_refused(HV_STR("/a//b")));
    assert_null(policy_path_refused(HV_STR("")));
}

/* A host whose names are of either case: every path is the same file in both. */
static enum hv_code folding_stat(const struct hv_host *host, struct hv_str path, bool follow, struct hv_file_stat *out,
                                 struct hv_error *err)
{
    (void)host, (void)path, (void)follow, (void)err;
    *out = (struct hv_file_stat){.kind = HV_FILE_DIRECTORY, .inode = 5, .device = 1};
    return HV_OK;
}

static enum hv_code exact_stat(const struct hv_host *host, struct hv_str path, bool follow, struct hv_file_stat *out,
                               struct hv_error *err)
{
    if (!hv_str_is(path, "/ws"))
        return hv_fail(err, HV_ENOTFOUND, "no such file");
    return folding_stat(host, path, follow, out, err);
}

/* A host on which /ws holds the folder 2026, the folder src, and the file a, which has a second name A. */
static enum hv_code ws_list(const struct hv_host *host, struct hv_arena *arena, struct hv_str path, size_t limit,
                            struct hv_directory_entry **entries, size_t *count, bool *more, struct hv_error *err)
{
    static struct hv_directory_entry all[] = {
        {{"2026", 4}, HV_FILE_DIRECTORY}, {{"a", 1}, HV_FILE_REGULAR}, {{"src", 3}, HV_FILE_DIRECTORY}};
    (void)host, (void)arena, (void)limit;
    if (!hv_str_is(path, "/ws"))
        return hv_fail(err, HV_ENOTFOUND, "no such directory");
    *entries = all;
    *count = sizeof all / sizeof *all;
    *more = false;
    return HV_OK;
}

static enum hv_code exact_inside_stat(const struct hv_host *host, struct hv_str path, bool follow,
                                      struct hv_file_stat *out, struct hv_error *err)
{
    static const char *const names[] = {"/ws", "/ws/2026", "/ws/src", "/ws/a", "/ws/A"};
    (void)host, (void)follow;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (hv_str_is(path, names[i])) {
            *out = (struct hv_file_stat){.kind = HV_FILE_DIRECTORY, .inode = i, .device = 1, .links = 2};
            if (i > 2)
                out->kind = HV_FILE_REGULAR, out->inode = 9;
            return HV_OK;
        }
    return hv_fail(err, HV_ENOTFOUND, "no such file");
}

/* As ext4 does it in a marked folder: /ws alone is looked up exactly. */
static enum hv_code folding_inside_stat(const struct hv_host *host, struct hv_str path, bool follow,
                                        struct hv_file_stat *out, struct hv_error *err)
{
    return exact_inside_stat(host, hv_str_starts(path, HV_STR("/ws/sr")) ? HV_STR("/ws/src") : path, follow, out, err);
}

static void the_case_of_a_file_system_is_found_out(void **state)
{
    struct hv_host folding = {.stat = folding_stat}, exact = {.stat = exact_stat},
                   exact_inside = {.stat = exact_inside_stat, .list = ws_list},
                   folding_inside = {.stat = folding_inside_stat, .list = ws_list};
    (void)state;
    assert_true(policy_probe_case(&folding, HV_STR("/ws")));
    assert_false(policy_probe_case(&exact, HV_STR("/ws")));
    assert_false(policy_probe_case(&folding, HV_STR("/1/2")));
    assert_false(policy_probe_case(&exact_inside, HV_STR("/ws")));
    assert_true(policy_probe_case(&folding_inside, HV_STR("/ws")));
}

static void an_alias_in_a_rule_is_the_tool(void **state)
{
    static const struct {
        const char *rules;
        const struct hv_tool *tool;
        const char *subject;
        enum hv_verdict verdict;
    } rows[] = {
        {"deny read_file(secret)", &world_read, "/ws/secret", HV_DENY},
        {"deny read_file(secret)", &world_grep, "/ws/secret", HV_DENY},
        {"deny read_file(secret)", &world_bash, "cat secret", HV_DENY},
        {"deny READ_FILE(secret)", &world_edit, "/ws/secret", HV_DENY},
        {"deny read_file", &world_grep, "/ws/a", HV_DENY},
        {"allow read_file(//etc/**)", &world_grep, "/etc/hosts", HV_ALLOW},
        {"allow READ_FILE(//etc/**)", &world_read, "/etc/hosts", HV_ASK},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hv_arena arena = {0};
        struct policy *policy = world_policy(rows[i].rules, POLICY_DEFAULT, NULL, false);
        if (decide(policy, rows[i].tool, rows[i].subject, &arena).verdict != rows[i].verdict)
            fail_msg("%s: %s %s", rows[i].rules, rows[i].tool->name, rows[i].subject);
        policy_unref(policy);
        hv_arena_release(&arena);
    }
}

static void a_denial_that_nearly_names_a_tool_is_told(void **state)
{
    static const struct {
        const char *rule, *told; /* told: part of the hint, or NULL */
    } rows[] = {
        {"deny Reed(secret)", "Read?"}, {"ask Bsh(make)", "Bash?"},   {"deny Read(secret)", NULL},
        {"deny read_file(x)", NULL},    {"allow Reed(secret)", NULL}, {"deny mcp__other__tool", NULL},
        {"deny NotebookEdit(x)", NULL}, {"deny Re*", NULL},           {"deny Teleport", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct policy *policy = world_policy(rows[i].rule, POLICY_DEFAULT, NULL, false);
        size_t count;
        const struct settings_problem *problems = policy_problems(policy, &count);
        if (count != (rows[i].told ? 1 : 0) ||
            (count && hv_str_find(problems->hint, hv_str_from(rows[i].told), 0) == SIZE_MAX))
            fail_msg("%s: %zu problems", rows[i].rule, count);
        policy_unref(policy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_read_or_refused),
        cmocka_unit_test(rules_with_a_nul_or_without_end_are_refused),
        cmocka_unit_test(stars_take_text),
        cmocka_unit_test(an_alias_in_a_rule_is_the_tool),
        cmocka_unit_test(a_denial_that_nearly_names_a_tool_is_told),
        cmocka_unit_test(faults_of_rules_are_told_and_denials_kept),
        cmocka_unit_test(a_rule_of_a_broken_file_says_so),
        cmocka_unit_test(the_mode_comes_from_flag_or_settings_and_may_be_barred),
        cmocka_unit_test(added_directories_and_flags_count),
        cmocka_unit_test(a_changed_policy_leaves_the_old_one_alone),
        cmocka_unit_test(paths_are_resolved_and_looked_at),
        cmocka_unit_test(network_paths_are_refused_as_written),
        cmocka_unit_test(the_case_of_a_file_system_is_found_out),
    };
    return cmocka_run_group_tests_name("policy_snapshot", tests, NULL, NULL);
}
