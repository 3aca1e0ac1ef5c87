/* test_save.c: saving a rule inserts it and nothing else, and never harms a file. */
#include "world.h"

#include <sys/wait.h>
#include <unistd.h>

#define FILE_OF_PROJECT "project/.helve/settings.json"

static struct world *the(void **state)
{
    return *state;
}

static enum hv_code add(struct world *world, enum hv_verdict verdict, const char *rule)
{
    return settings_add_rule(&world->options, SETTINGS_PROJECT, verdict, hv_str_from(rule), &world->err);
}

/* Rule is `Bash(git diff:*)`, to be allowed. */
static const struct {
    const char *before, *after;
} insertions[] = {
    {"{}", "{\"permissions\": {\"allow\": [\"Bash(git diff:*)\"]}}"},
    {"{\n}\n", "{\n  \"permissions\": {\"allow\": [\"Bash(git diff:*)\"]}\n}\n"},
    {"{\r\n}\r\n", "{\r\n  \"permissions\": {\"allow\": [\"Bash(git diff:*)\"]}\r\n}\r\n"},
    {"{\"model\":\"x\"}", "{\"model\":\"x\", \"permissions\": {\"allow\": [\"Bash(git diff:*)\"]}}"},
    {"{\n\t\"model\": \"x\"\n}", "{\n\t\"model\": \"x\",\n\t\"permissions\": {\"allow\": [\"Bash(git diff:*)\"]}\n}"},
    {"{\"permissions\": {}}", "{\"permissions\": {\"allow\": [\"Bash(git diff:*)\"]}}"},
    {"{\n  \"permissions\": {\n    \"deny\": [\"X\"]\n  }\n}",
     "{\n  \"permissions\": {\n    \"deny\": [\"X\"],\n    \"allow\": [\"Bash(git diff:*)\"]\n  }\n}"},
    {"{\"permissions\": {\"allow\": []}}", "{\"permissions\": {\"allow\": [\"Bash(git diff:*)\"]}}"},
    {"{\"permissions\": {\"allow\": [ ]}}", "{\"permissions\": {\"allow\": [\"Bash(git diff:*)\" ]}}"},
    {"{\"permissions\": {\"allow\": [\n    ]}}",
     "{\"permissions\": {\"allow\": [\n      \"Bash(git diff:*)\"\n    ]}}"},
    {"{\"permissions\": {\"allow\": [\"A\"]}}", "{\"permissions\": {\"allow\": [\"A\", \"Bash(git diff:*)\"]}}"},
    {"{\"permissions\": {\"allow\": [\"A\",\"B\"]}}",
     "{\"permissions\": {\"allow\": [\"A\",\"B\",\"Bash(git diff:*)\"]}}"},
    {"{\"permissions\": {\"allow\": [\n  \"A\",\n\n  \"B\"\n ] }, \"x\": 1.50e+1 }",
     "{\"permissions\": {\"allow\": [\n  \"A\",\n\n  \"B\",\n\n  \"Bash(git diff:*)\"\n ] }, \"x\": 1.50e+1 }"},
    {"\xef\xbb\xbf{\"permissions\":{\"allow\":[\"\\u0041\"]},\"a\":1,\"a\":2}",
     "\xef\xbb\xbf{\"permissions\":{\"allow\":[\"\\u0041\", \"Bash(git diff:*)\"]},\"a\":1,\"a\":2}"},
    /* already there */
    {"{\"permissions\": {\"allow\": [ \"Bash(git diff:*)\"]}}",
     "{\"permissions\": {\"allow\": [ \"Bash(git diff:*)\"]}}"},
    {"{\"permissions\": {\"allow\": [\"Bash(git \\u0064iff:*)\"]}}",
     "{\"permissions\": {\"allow\": [\"Bash(git \\u0064iff:*)\"]}}"},
};

static void the_fewest_bytes_are_inserted(void **state)
{
    struct world *world = the(state);
    for (size_t i = 0; i < sizeof insertions / sizeof *insertions; i++) {
        world_file(world, FILE_OF_PROJECT, insertions[i].before);
        if (add(world, HV_ALLOW, " Bash(git diff:*)\n") != HV_OK)
            fail_msg("%s: %s", insertions[i].before, world->err.message);
        assert_str(world_read(world, FILE_OF_PROJECT), insertions[i].after);
        assert_int_equal(add(world, HV_ALLOW, "Bash(git diff:*)"), HV_OK); /* a second time changes nothing */
        assert_str(world_read(world, FILE_OF_PROJECT), insertions[i].after);
    }
}

static void a_host_is_added_to_the_domains_of_the_sandbox(void **state)
{
    static const struct {
        const char *before, *after;
    } cases[] = {
        {"{}", "{\"sandbox\": {\"network\": {\"allowedDomains\": [\"a.org\"]}}}"},
        {"{\"sandbox\": {\"enabled\": true}}",
         "{\"sandbox\": {\"enabled\": true, \"network\": {\"allowedDomains\": [\"a.org\"]}}}"},
        {"{\"sandbox\": {\"network\": {}}}", "{\"sandbox\": {\"network\": {\"allowedDomains\": [\"a.org\"]}}}"},
        {"{\"sandbox\": {\"network\": {\"allowedDomains\": [\"b.org\"]}}}",
         "{\"sandbox\": {\"network\": {\"allowedDomains\": [\"b.org\", \"a.org\"]}}}"},
        {"{\"sandbox\": {\"network\": {\"allowedDomains\": [\"a.org\"]}}}",
         "{\"sandbox\": {\"network\": {\"allowedDomains\": [\"a.org\"]}}}"},
    };
    struct world *world = the(state);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world_file(world, FILE_OF_PROJECT, cases[i].before);
        assert_int_equal(settings_add_domain(&world->options, SETTINGS_PROJECT, HV_STR("a.org"), &world->err), HV_OK);
        assert_str(world_read(world, FILE_OF_PROJECT), cases[i].after);
    }
    world_file(world, FILE_OF_PROJECT, "{\"sandbox\": {\"network\": 1}}");
    assert_int_equal(settings_add_domain(&world->options, SETTINGS_PROJECT, HV_STR("a.org"), &world->err), HV_EINVAL);
    assert_non_null(strstr(world->err.message, "\"sandbox.network\" in "));
}

static void a_text_is_added_or_replaced_and_nothing_else(void **state)
{
    static const struct {
        const char *before, *after;
    } cases[] = {
        {"{}", "{\"theme\": \"light\"}"},
        {"{\n  \"model\": \"x\"\n}\n", "{\n  \"model\": \"x\",\n  \"theme\": \"light\"\n}\n"},
        {"\xef\xbb\xbf{ \"theme\" : \"dark\" ,\"a\":1}", "\xef\xbb\xbf{ \"theme\" : \"light\" ,\"a\":1}"},
        {"{\"theme\": null}", "{\"theme\": \"light\"}"},
        {"{\"theme\": \"light\"}", "{\"theme\": \"light\"}"},
        {"", "{\n  \"theme\": \"light\"\n}\n"}, /* no file */
    };
    struct world *world = the(state);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hv_arena arena = {0};
        struct hv_str file = settings_file(&world->options, &arena, SETTINGS_PROJECT);
        if (cases[i].before[0])
            world_file(world, FILE_OF_PROJECT, cases[i].before);
        else
            assert_int_equal(unlink(hv_arena_cstr(&arena, file)), 0);
        assert_int_equal(settings_set_text(&world->options, SETTINGS_PROJECT, "theme", HV_STR("light"), &world->err),
                         HV_OK);
        assert_str(world_read(world, FILE_OF_PROJECT), cases[i].after);
        hv_arena_release(&arena);
    }
    world_file(world, FILE_OF_PROJECT, "{\"theme\": \"dark\",}");
    assert_int_equal(settings_set_text(&world->options, SETTINGS_PROJECT, "theme", HV_STR("light"), &world->err),
                     HV_EINVAL);
    assert_non_null(strstr(world->err.message, "the setting is not saved"));
    assert_str(world_read(world, FILE_OF_PROJECT), "{\"theme\": \"dark\",}");
}

static void a_missing_file_is_made(void **state)
{
    struct world *world = the(state);
    assert_int_equal(add(world, HV_DENY, "Read(\"./a\\b\")"), HV_OK);
    assert_str(world_read(world, FILE_OF_PROJECT),
               "{\n  \"permissions\": {\n    \"deny\": [\n      \"Read(\\\"./a\\\\b\\\")\"\n    ]\n  }\n}\n");
    assert_int_equal(settings_add_rule(&world->options, SETTINGS_USER, HV_ASK, HV_STR("Bash"), &world->err), HV_OK);
    struct stat status;
    char *path = hv_arena_cstr(&world->arena, world_path(world, "home/.config/helve/settings.json"));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    const struct settings *settings = world_load(world);
    assert_int_equal(world_rule(settings, "Read(\"./a\\b\")")->verdict, HV_DENY);
    assert_int_equal(world_rule(settings, "Bash")->verdict, HV_ASK);
}

enum { SAVERS = 6, RULES_EACH = 8 };

static enum hv_code add_for_user(struct world *world, const char *rule)
{
    return settings_add_rule(&world->options, SETTINGS_USER, HV_ALLOW, hv_str_from(rule), &world->err);
}

/* Child process: its own rules, one after another, each with a rule that all of them save. */
static void save_many(struct world *world, int saver)
{
    char rule[32];
    for (int i = 0; i < RULES_EACH; i++) {
        snprintf(rule, sizeof rule, "Bash(own %d.%d:*)", saver, i);
        if (add_for_user(world, rule) != HV_OK || add_for_user(world, "Bash(shared)") != HV_OK) {
            fprintf(stderr, "%s: %s\n", rule, world->err.message);
            _exit(1);
        }
    }
    _exit(0);
}

static void processes_that_save_at_once_lose_no_rule(void **state)
{
    struct world *world = the(state);
    pid_t savers[SAVERS];
    for (int i = 0; i < SAVERS; i++) {
        savers[i] = fork();
        if (savers[i] == 0)
            save_many(world, i);
        assert_true(savers[i] > 0);
    }
    for (int i = 0; i < SAVERS; i++) {
        int status;
        assert_int_equal(waitpid(savers[i], &status, 0), savers[i]);
        assert_int_equal(status, 0);
    }
    const struct settings *settings = world_load(world);
    assert_int_equal(settings->rule_count, SAVERS * RULES_EACH + 1);
    for (int i = 0; i < SAVERS * RULES_EACH; i++)
        assert_non_null(
            world_rule(settings, hv_arena_cstr(&world->arena, hv_arena_format(&world->arena, "Bash(own %d.%d:*)",
                                                                              i / RULES_EACH, i % RULES_EACH))));
    assert_non_null(world_rule(settings, "Bash(shared)"));
}

static void each_scope_has_its_file(void **state)
{
    struct world *world = the(state);
    struct hv_arena *arena = &world->arena;
    assert_true(hv_str_eq(settings_file(&world->options, arena, SETTINGS_LOCAL),
                          world_path(world, "project/.helve/settings.local.json")));
    assert_true(hv_str_eq(settings_file(&world->options, arena, SETTINGS_PROJECT), world_path(world, FILE_OF_PROJECT)));
    assert_true(hv_str_eq(settings_file(&world->options, arena, SETTINGS_USER),
                          world_path(world, "home/.config/helve/settings.json")));
    assert_null(settings_file(&world->options, arena, SETTINGS_MANAGED).ptr);
    assert_null(settings_file(&world->options, arena, SETTINGS_CLAUDE_USER).ptr);
}

static const char *const unfit[] = {
    "",
    "{",
    "[]",
    "{\"permissions\": []}",
    "{\"permissions\": {\"allow\": \"A\"}}",
    "{\"permissions\": {\"allow\": [\"A\",]}}",
    "// x\n{}",
    "{\"permissions\": {\"allow\": [\"A\xff\"]}}",
};

static void a_file_of_another_shape_is_left_alone(void **state)
{
    struct world *world = the(state);
    for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++) {
        world_file(world, FILE_OF_PROJECT, unfit[i]);
        if (add(world, HV_ALLOW, "B") != HV_EINVAL)
            fail_msg("%s", unfit[i]);
        assert_holds(hv_str_from(world->err.message), "settings.json");
        assert_str(world_read(world, FILE_OF_PROJECT), unfit[i]);
        assert_int_equal(settings_add_rule(&world->options, SETTINGS_PROJECT, HV_ALLOW, HV_STR("B"), NULL), HV_EINVAL);
    }
}

static void what_is_no_rule_or_no_scope_is_refused(void **state)
{
    struct world *world = the(state);
    assert_int_equal(add(world, HV_VERDICT_NONE, "A"), HV_EINVAL);
    assert_int_equal(add(world, HV_ALLOW, " "), HV_EINVAL);
    assert_int_equal(add(world, HV_ALLOW, "Read(\xff)"), HV_EINVAL);
    assert_int_equal(settings_add_rule(&world->options, SETTINGS_MANAGED, HV_ALLOW, HV_STR("A"), NULL), HV_EINVAL);
    assert_int_equal(settings_add_rule(&world->options, SETTINGS_CLAUDE_USER, HV_ALLOW, HV_STR("A"), NULL), HV_EINVAL);
    assert_null(world_read(world, FILE_OF_PROJECT).ptr);
}

static void mode_and_links_survive(void **state)
{
    struct world *world = the(state);
    world_file(world, "project/shared.json", "{}");
    world_directory(world, "project/.helve");
    assert_int_equal(chmod(hv_arena_cstr(&world->arena, world_path(world, "project/shared.json")), 0640), 0);
    assert_int_equal(symlink("../shared.json", hv_arena_cstr(&world->arena, world_path(world, FILE_OF_PROJECT))), 0);
    assert_int_equal(add(world, HV_ASK, "A"), HV_OK);
    assert_str(world_read(world, "project/shared.json"), "{\"permissions\": {\"ask\": [\"A\"]}}");
    struct stat status;
    assert_int_equal(lstat(hv_arena_cstr(&world->arena, world_path(world, FILE_OF_PROJECT)), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(hv_arena_cstr(&world->arena, world_path(world, "project/shared.json")), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
}

static void a_link_in_the_project_does_not_lead_a_rule_out_of_it(void **state)
{
    struct world *world = the(state);
    char *link = hv_arena_cstr(&world->arena, world_path(world, FILE_OF_PROJECT));
    char *folder = hv_arena_cstr(&world->arena, world_path(world, "project/.helve"));
    world_file(world, "home/.config/helve/settings.json", "{}");
    world_directory(world, "project/.helve");
    assert_int_equal(symlink("../../home/.config/helve/settings.json", link), 0);
    assert_int_equal(add(world, HV_ALLOW, "A"), HV_EDENIED);
    assert_holds(hv_str_from(world->err.message), "leads out of the project");
    assert_int_equal(unlink(link), 0);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(symlink("../home/.config/helve", folder), 0);
    assert_int_equal(add(world, HV_ALLOW, "A"), HV_EDENIED);
    assert_str(world_read(world, "home/.config/helve/settings.json"), "{}");
    /* the person's own file may be a link */
    world_file(world, "dotfiles/settings.json", "{}");
    assert_int_equal(unlink(hv_arena_cstr(&world->arena, world_path(world, "home/.config/helve/settings.json"))), 0);
    assert_int_equal(symlink("../../../dotfiles/settings.json",
                             hv_arena_cstr(&world->arena, world_path(world, "home/.config/helve/settings.json"))),
                     0);
    assert_int_equal(settings_add_rule(&world->options, SETTINGS_USER, HV_DENY, HV_STR("A"), &world->err), HV_OK);
    assert_str(world_read(world, "dotfiles/settings.json"), "{\"permissions\": {\"deny\": [\"A\"]}}");
}

/* ---- somebody else writes meanwhile --------------------------------------------------------------------------- */

static struct world *meddler_world;
static const char *meddler_file, *meddler_text;

/* A host in which another program changes the file between our reading and our writing. */
static enum hv_code meddling_read(const struct hv_host *host, struct hv_str path, uint64_t offset, size_t limit,
                                  struct hv_buf *buf, struct hv_file_stat *stat_out, struct hv_error *err)
{
    (void)host;
    enum hv_code code = hv_host_local()->read(hv_host_local(), path, offset, limit, buf, stat_out, err);
    if (meddler_text)
        world_file(meddler_world, meddler_file, meddler_text);
    return code;
}

static struct hv_host meddling_host(struct world *world, const char *file, const char *text)
{
    struct hv_host host = *hv_host_local();
    host.read = meddling_read;
    meddler_world = world;
    meddler_file = file;
    meddler_text = text;
    return host;
}

static void a_change_in_between_is_never_overwritten(void **state)
{
    struct world *world = the(state);
    struct hv_host host = meddling_host(world, FILE_OF_PROJECT, "{\"model\": \"other\"}");
    world->options.host = &host;
    world_file(world, FILE_OF_PROJECT, "{}");
    assert_int_equal(add(world, HV_ALLOW, "A"), HV_ECONFLICT);
    assert_str(world_read(world, FILE_OF_PROJECT), "{\"model\": \"other\"}");
    assert_int_equal(unlink(hv_arena_cstr(&world->arena, world_path(world, FILE_OF_PROJECT))), 0);
    assert_int_equal(add(world, HV_ALLOW, "A"), HV_ECONFLICT); /* made in between */
    assert_str(world_read(world, FILE_OF_PROJECT), "{\"model\": \"other\"}");
}

static void trusting_adds_to_what_another_wrote(void **state)
{
    struct world *world = the(state);
    struct hv_host host =
        meddling_host(world, "home/.local/state/helve/trust.json", "{\"version\": 1, \"folders\": [\"/other\"]}");
    world->options.host = &host;
    assert_int_equal(settings_trust_folder(&world->options, &world->err), HV_ECONFLICT); /* it never stops writing */
    assert_str(world_read(world, meddler_file), meddler_text);
    meddler_text = NULL;
    assert_int_equal(settings_trust_folder(&world->options, &world->err), HV_OK);
    struct hv_str text = world_read(world, meddler_file);
    assert_holds(text, "[\"/other\",\"");
    assert_holds(text, "/project\"]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(the_fewest_bytes_are_inserted),
        WORLD_TEST(a_host_is_added_to_the_domains_of_the_sandbox),
        WORLD_TEST(a_text_is_added_or_replaced_and_nothing_else),
        WORLD_TEST(a_missing_file_is_made),
        WORLD_TEST(processes_that_save_at_once_lose_no_rule),
        WORLD_TEST(each_scope_has_its_file),
        WORLD_TEST(a_file_of_another_shape_is_left_alone),
        WORLD_TEST(what_is_no_rule_or_no_scope_is_refused),
        WORLD_TEST(mode_and_links_survive),
        WORLD_TEST(a_link_in_the_project_does_not_lead_a_rule_out_of_it),
        WORLD_TEST(a_change_in_between_is_never_overwritten),
        WORLD_TEST(trusting_adds_to_what_another_wrote),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
