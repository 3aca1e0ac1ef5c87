/* test_broken.c: broken files lose nothing and loosen nothing: what can be recognised of them denies. */
#include "world.h"

#define FILE_OF_USER "home/.config/helve/settings.json"

static struct world *the(void **state)
{
    return *state;
}

/* What must be found in a broken file, each as a rule that denies. */
static const struct {
    const char *text;
    const char *rules[6];
} recovered[] = {
    /* a comma too many or too few, a comment */
    {"{\"permissions\": {\"deny\": [\"Read(.env)\", \"Bash\",]}}", {"Read(.env)", "Bash"}},
    {"{\"permissions\": {\"allow\": [\"A\" \"B(c)\"], \"ask\": [\"C\"]}}", {"A", "B(c)", "C"}},
    {"{\"permissions\": {\n// \"Old(rule)\"\n\"deny\": [\"New(rule)\" /* \"Old\" */]}}", {"New(rule)"}},
    /* ends early */
    {"{\"permissions\": {\"deny\": [\"Read(./secret)\", \"Bash(rm", {"Read(./secret)", "Bash(rm"}},
    {"{\"permissions\": {\"allow\": [\"Bash(git:*)\"", {"Bash(git:*)"}},
    {"{\"permissions\": {\"allow\"", {NULL}},
    /* quotes lost */
    {"{\"permissions\": {\"deny\": [\"Read(a),\n\"Read(b)\", \"Bash\"]}}", {"Read(a)", "Read(b)", "Bash"}},
    {"{\"permissions\": {\"deny\": [Read(a)\", \"Read(b)\"]}}", {"Read(a)", "Read(b)"}},
    {"{\"permissions\": {\"deny\": [\"Read(a),\n  \"WebFetch(domain:x.org)\"\n]}",
     {"Read(a)", "WebFetch(domain:x.org)"}},
    {"{\"deny\": [\"Bash(echo (a) b", {"Bash(echo (a) b"}},
    /* brackets and names lost: the shape tells */
    {"{ [\"Bash(curl *)\", \"plain text\"]", {"Bash(curl *)"}},
    {"{\"denny\": [\"Bash(curl *)\" \"Read\"]}", {"Bash(curl *)"}},
    /* escapes */
    {"{\"deny\": [\"Read(\\u002fetc)\", \"Bash(echo \\\"x\\\")\"", {"Read(/etc)", "Bash(echo \"x\")"}},
    {"{\"deny\": [\"Read(\\q)\"", {"Read(\\q)"}},
    /* other strings that look alike */
    {"{\"hooks\": {\"command\": \"f(x)\", \"if\": \"Bash(git *)\", \"args\": [\"g(x)\"]}", {NULL}},
    /* not an object */
    {"[\"Read(x)\"]", {"Read(x)"}},
    {"\"Read(x)\"", {"Read(x)"}},
    {"null", {NULL}},
    {"", {NULL}},
    {" \n", {NULL}},
    {"\"", {NULL}},
    {"\"\\", {NULL}},
    {"/*", {NULL}},
    {"/* \"deny\": [\"Read(x)\"]", {"Read(x)"}},
};

static void what_is_recognised_in_a_broken_file_denies(void **state)
{
    struct world *world = the(state);
    for (size_t i = 0; i < sizeof recovered / sizeof *recovered; i++) {
        world_file(world, FILE_OF_USER, recovered[i].text);
        const struct settings *settings = world_load(world);
        size_t count = 0;
        for (; recovered[i].rules[count]; count++) {
            const struct settings_rule *rule = world_rule(settings, recovered[i].rules[count]);
            if (!rule || rule->verdict != HV_DENY || !rule->recovered)
                fail_msg("%s: %s is not denied", recovered[i].text, recovered[i].rules[count]);
        }
        if (settings->rule_count != count)
            fail_msg("%s: %zu rules, the last %.*s", recovered[i].text, settings->rule_count,
                     HV_STR_ARG(settings->rules[settings->rule_count - 1].text));
        assert_int_equal(settings->problem_count, 1);
        assert_int_equal(settings->problems[0].kind, SETTINGS_BROKEN);
        assert_true(settings->problems[0].hint.len > 0);
        assert_true(hv_str_is(world_read(world, FILE_OF_USER), recovered[i].text)); /* left alone */
    }
}

static void the_place_of_the_fault_and_of_the_rules_is_known(void **state)
{
    struct world *world = the(state);
    world_file(world, FILE_OF_USER, "{\n  \"permissions\": {\n    \"allow\": [\"Bash\",]\n  }\n}\n");
    const struct settings *settings = world_load(world);
    const struct settings_problem *problem = world_problem(settings, "cannot be read");
    assert_int_equal(problem->place.line, 3);
    assert_int_equal(problem->place.column, 22);
    assert_holds(problem->message, "1 rule was recognised in it, which now denies");
    assert_int_equal(settings->rules[0].place.line, 3);
    assert_int_equal(settings->rules[0].place.column, 15);
}

static void a_broken_file_gives_nothing_but_denials(void **state)
{
    struct world *world = the(state);
    world_file(world, FILE_OF_USER,
               "{\"model\": \"x\", \"env\": {\"A\": \"b\"}, \"permissions\": {\"allow\": [\"Bash\"]}");
    world_file(world, "home/.claude/settings.json", "{\"permissions\": {\"allow\": [\"Read\"]}}");
    const struct settings *settings = world_load(world);
    assert_null(settings->model.ptr);
    assert_int_equal(settings->env_count, 0);
    assert_int_equal(world_rule(settings, "Bash")->verdict, HV_DENY);
    assert_int_equal(world_rule(settings, "Read")->verdict, HV_ALLOW); /* other files stand */
    assert_null(settings_get(settings, "model"));
}

static void broken_files_of_a_project_deny_without_trust(void **state)
{
    struct world *world = the(state);
    world_file(world, "project/.helve/settings.json", "{\"permissions\": {\"deny\": [\"Read(x)\"],}}");
    world_file(world, "project/.claude/settings.json", "{\"permissions\": {\"deny\": [\"Read(y)\"");
    const struct settings *settings = world_load(world);
    assert_int_equal(settings->rule_count, 2);
    assert_int_equal(settings->problem_count, 2);
    assert_true(hv_str_eq(settings->rules[0].root, world_path(world, "project")));
}

static void comments_are_named_as_the_reason(void **state)
{
    struct world *world = the(state);
    world_file(world, FILE_OF_USER, "{\n  // mine\n  \"model\": \"x\"\n}");
    assert_holds(world_problem(world_load(world), "cannot be read")->hint, "comments are not allowed");
}

static void invalid_utf8_is_refused_but_its_rules_deny_byte_by_byte(void **state)
{
    struct world *world = the(state);
    world_file(world, FILE_OF_USER, "{\"permissions\": {\"deny\": [\"Read(a\xff)\"]}}");
    const struct settings *settings = world_load(world);
    assert_int_equal(settings->rule_count, 1);
    assert_str(settings->rules[0].text, "Read(a\xff)");
    assert_int_equal(settings->problems[0].kind, SETTINGS_BROKEN);
}

/* ---- files that are none -------------------------------------------------------------------------------------- */

static void put_large(struct world *world, size_t size)
{
    char *text = hv_malloc(size);
    static const char begin[] = "{\"permissions\": {\"deny\": [\"Read(x)\"]}}";
    memset(text, ' ', size);
    memcpy(text, begin, sizeof begin - 1);
    world_bytes(world, FILE_OF_USER, hv_str_of(text, size));
    free(text);
}

static void a_file_over_the_limit_is_refused_and_one_at_the_limit_is_not(void **state)
{
    struct world *world = the(state);
    put_large(world, 1 << 20);
    assert_no_problems(world_load(world));
    put_large(world, (1 << 20) + 1);
    const struct settings *settings = world_load(world);
    world_problem(settings, "is larger than 1024 KiB");
    assert_int_equal(settings->rule_count, 1);
    assert_true(settings->rules[0].recovered);
    assert_int_equal(settings_add_rule(&world->options, SETTINGS_USER, HV_ALLOW, HV_STR("A"), &world->err), HV_ETOOBIG);
}

static void what_is_no_file_is_told(void **state)
{
    struct world *world = the(state);
    world_directory(world, FILE_OF_USER);
    const struct settings *settings = world_load(world);
    assert_int_equal(settings->problem_count, 1);
    assert_int_equal(settings->problems[0].kind, SETTINGS_BROKEN);
    assert_holds(settings->problems[0].message, "directory");
    char *path = hv_arena_cstr(&world->arena, world_path(world, FILE_OF_USER));
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(symlink("settings.json", path), 0); /* a link to itself */
    assert_int_equal(world_load(world)->problem_count, 1);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0); /* must not block */
    assert_int_equal(world_load(world)->problem_count, 1);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("/dev/zero", path), 0);
    assert_int_equal(world_load(world)->problem_count, 1);
}

/* The system's refusal is played, since root may read everything. */
static enum hv_code refusing_read(const struct hv_host *host, struct hv_str path, uint64_t offset, size_t limit,
                                  struct hv_buf *buf, struct hv_file_stat *stat_out, struct hv_error *err)
{
    if (hv_str_ends(path, HV_STR(FILE_OF_USER)))
        return hv_fail(err, HV_EACCES, "Cannot open %.*s: Permission denied", HV_STR_ARG(path));
    return hv_host_local()->read(host, path, offset, limit, buf, stat_out, err);
}

static void an_unreadable_file_is_told(void **state)
{
    struct world *world = the(state);
    struct hv_host host = *hv_host_local();
    host.read = refusing_read;
    world->options.host = &host;
    const struct settings *settings = world_load(world);
    assert_int_equal(settings->problem_count, 1);
    assert_int_equal(settings->problems[0].kind, SETTINGS_BROKEN);
    assert_holds(settings->problems[0].message, "Permission denied");
}

/* ---- wrong shapes in a good file ------------------------------------------------------------------------------ */

static const struct {
    const char *permissions;
    const char *denied; /* or NULL */
} shapes[] = {
    {"\"Bash\"", "Bash"},
    {"[\"Bash\"]", "Bash"},
    {"[{\"deny\": [\"Bash(rm *)\"]}]", "Bash(rm *)"},
    {"{\"deny\": \"Bash\"}", "Bash"},
    {"{\"ask\": \"Bash\"}", "Bash"},
    {"{\"deny\": [[\"Bash\"]]}", "Bash"},
    {"{\"deny\": [{\"rule\": \"Bash(x)\"}]}", "Bash(x)"},
    {"{\"deny\": {\"tools\": [\"Bash(x)\"]}}", "Bash(x)"},
    {"{\"deny\": 7}", NULL},
    {"{\"allow\": \"Bash\"}", NULL},
    {"{\"allow\": [[\"Bash\"]]}", NULL},
    {"7", NULL},
};

static void rules_in_a_wrong_shape_still_deny(void **state)
{
    struct world *world = the(state);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        world_bytes(world, FILE_OF_USER,
                    hv_arena_format(&world->arena, "{\"model\": \"m\", \"permissions\": %s}", shapes[i].permissions));
        const struct settings *settings = world_load(world);
        assert_int_equal(settings->problem_count, 1);
        assert_int_equal(settings->problems[0].kind, SETTINGS_WARNING);
        assert_str(settings->model, "m");
        if (settings->rule_count != (shapes[i].denied != NULL))
            fail_msg("%s: %zu rules", shapes[i].permissions, settings->rule_count);
        if (shapes[i].denied) {
            assert_str(settings->rules[0].text, shapes[i].denied);
            assert_int_equal(settings->rules[0].verdict, HV_DENY);
            assert_true(settings->rules[0].recovered);
        }
    }
}

/* ---- every way to cut a file ---------------------------------------------------------------------------------- */

static const char whole[] = "{\n  \"permissions\": {\n    \"allow\": [\"Bash(git diff:*)\", \"Edit(src/**)\"],\n"
                            "    \"deny\": [\"Read(./.env)\", \"Bash(rm:*)\", \"WebFetch\"]\n  },\n"
                            "  \"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"say(x)\"}]}]},\n"
                            "  \"env\": {\"A\": \"b\"}, \"model\": \"anthropic:m\"\n}";

static void no_cut_of_a_file_allows_anything_and_each_whole_denial_stays(void **state)
{
    struct world *world = the(state);
    static const char *const denials[] = {"Read(./.env)", "Bash(rm:*)", "WebFetch"};
    const struct hv_str text = hv_str_from(whole);
    for (size_t cut = 0; cut < text.len; cut++) {
        struct hv_str part = hv_str_slice(text, 0, cut);
        world_bytes(world, FILE_OF_USER, part);
        const struct settings *settings = world_load(world);
        assert_int_equal(settings->problem_count, 1);
        assert_int_equal(settings->hook_count + settings->env_count, 0);
        for (size_t i = 0; i < settings->rule_count; i++)
            assert_int_equal(settings->rules[i].verdict, HV_DENY);
        for (size_t i = 0; i < sizeof denials / sizeof *denials; i++)
            if (hv_str_find(part, hv_str_from(denials[i]), 0) != SIZE_MAX && !world_rule(settings, denials[i]))
                fail_msg("cut at %zu: %s is lost", cut, denials[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(what_is_recognised_in_a_broken_file_denies),
        WORLD_TEST(the_place_of_the_fault_and_of_the_rules_is_known),
        WORLD_TEST(a_broken_file_gives_nothing_but_denials),
        WORLD_TEST(broken_files_of_a_project_deny_without_trust),
        WORLD_TEST(comments_are_named_as_the_reason),
        WORLD_TEST(invalid_utf8_is_refused_but_its_rules_deny_byte_by_byte),
        WORLD_TEST(a_file_over_the_limit_is_refused_and_one_at_the_limit_is_not),
        WORLD_TEST(what_is_no_file_is_told),
        WORLD_TEST(an_unreadable_file_is_told),
        WORLD_TEST(rules_in_a_wrong_shape_still_deny),
        WORLD_TEST(no_cut_of_a_file_allows_anything_and_each_whole_denial_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
