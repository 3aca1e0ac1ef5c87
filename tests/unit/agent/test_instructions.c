/* test_instructions.c: which instruction files are found, in what order, what of them is taken, and what never is. */
#include "agent/instructions.h"

#include "agent_test.h"

/* The instructions for the directory "project/sub" of the place, whose repository is "project". */
static struct hv_str gather_with(struct place *place, const char *directory, const struct settings_flag_rule *rules,
                                 size_t rule_count)
{
    struct hv_buf out;
    hv_buf_init(&out, 1 << 22);
    struct settings settings = {.user_directory = place_path(place, "home/.config/helve")};
    struct policy_options options = {.host = hv_host_local(),
                                     .directory = place_path(place, directory),
                                     .home = place_path(place, "home"),
                                     .rules = rules,
                                     .rule_count = rule_count};
    struct policy *policy = policy_new(&options);
    instructions_put(options.host, &settings, policy, options.directory, options.home, &out, NULL);
    policy_unref(policy);
    struct hv_str text = hv_arena_str(&place->arena, hv_buf_str(&out));
    hv_buf_release(&out);
    return text;
}

static struct hv_str gather(struct place *place, const char *directory)
{
    return gather_with(place, directory, NULL, 0);
}

static size_t count(struct hv_str text, const char *part)
{
    size_t found = 0;
    for (size_t at = 0; (at = hv_str_find(text, hv_str_from(part), at)) != SIZE_MAX; at++)
        found++;
    return found;
}

static void expect_parts(struct hv_str text, const char *const *parts)
{
    size_t at = 0;
    for (; *parts; parts++) {
        size_t found = hv_str_find(text, hv_str_from(*parts), at);
        if (found == SIZE_MAX)
            fail_msg("\"%s\" does not stand in, or not after the one before:\n%.*s", *parts, HV_STR_ARG(text));
        at = found + 1;
    }
}
#define EXPECT_PARTS(text, ...) expect_parts(text, (const char *const[]){__VA_ARGS__, NULL})

static void the_repository_is_the_nearest_folder_with_git(void **state)
{
    struct place *place = *state;
    place_directory(place, "a/.git");
    place_directory(place, "a/b/c");
    place_file(place, "a/b/.git", "gitdir: ../x\n");
    const struct hv_host *host = hv_host_local();
    assert_true(
        hv_str_eq(instructions_repository(host, &place->arena, place_path(place, "a/b/c")), place_path(place, "a/b")));
    assert_true(
        hv_str_eq(instructions_repository(host, &place->arena, place_path(place, "a")), place_path(place, "a")));
    assert_null(instructions_repository(host, &place->arena, place_path(place, "nowhere")).ptr);
}

static void what_rules_and_path_classes_keep_back_is_not_imported(void **state)
{
    struct place *place = *state;
    const struct settings_flag_rule rules[] = {{.verdict = HV_DENY, .text = HV_STR("Read(notes/**)")}};
    /* The home is a repository of its own, and a folder without one was unpacked in it. */
    place_directory(place, "home/.git");
    place_file(place, "home/.ssh/id_rsa", "PRIVATE\n");
    place_file(place, "home/.netrc", "PASSWORD\n");
    place_file(place, "home/down/notes/a", "DENIED\n");
    place_file(place, "home/down/fine", "IMPORTED\n");
    place_file(place, "home/down/AGENTS.md", "@~/.ssh/id_rsa\n@../.netrc\n@notes/a\n@fine\nEND\n");
    place_link(place, "../.netrc", "home/down/CLAUDE.md");
    struct hv_str text = gather_with(place, "home/down", rules, 1);
    EXPECT_PARTS(text, "IMPORTED", "END");
    assert_int_equal(count(text, "PRIVATE") + count(text, "PASSWORD") + count(text, "DENIED"), 0);
}

static void files_come_from_the_general_to_the_near(void **state)
{
    struct place *place = *state;
    place_directory(place, "project/.git");
    place_file(place, "AGENTS.md", "above the repository\n");
    place_file(place, "home/.config/helve/AGENTS.md", "person\n");
    place_file(place, "home/.claude/CLAUDE.md", "person too\n");
    place_file(place, "project/AGENTS.md", "top\n");
    place_file(place, "project/CLAUDE.md", "top claude\n");
    place_file(place, "project/sub/AGENTS.md", "near\n");
    place_file(place, "project/sub/CLAUDE.local.md", "nearest\n");
    place_file(place, "project/other/AGENTS.md", "elsewhere\n");
    struct hv_str text = gather(place, "project/sub");
    EXPECT_PARTS(text, "home/.config/helve/AGENTS.md", "person\n", "person too", "project/AGENTS.md", "top\n",
                 "top claude", "sub/AGENTS.md", "near\n", "nearest");
    assert_int_equal(count(text, "above the repository"), 0);
    assert_int_equal(count(text, "elsewhere"), 0);
}

static void nothing_is_said_where_nothing_is_written(void **state)
{
    struct place *place = *state;
    place_directory(place, "project/.git");
    place_file(place, "project/AGENTS.md", "  \n\n");
    place_directory(place, "project/CLAUDE.md");
    assert_int_equal(gather(place, "project").len, 0);
}

static void without_a_repository_the_working_directory_counts_alone(void **state)
{
    struct place *place = *state;
    place_file(place, "loose/AGENTS.md", "above\n");
    place_file(place, "loose/inner/AGENTS.md", "here\n");
    struct hv_str text = gather(place, "loose/inner");
    assert_int_equal(count(text, "here"), 1);
    assert_int_equal(count(text, "above"), 0);
}

static void one_file_under_two_names_is_taken_once(void **state)
{
    struct place *place = *state;
    place_directory(place, "project/.git");
    place_file(place, "project/AGENTS.md", "the same words\n");
    place_link(place, "AGENTS.md", "project/CLAUDE.md");
    place_file(place, "project/sub/AGENTS.md", "the same words\n\n");
    assert_int_equal(count(gather(place, "project/sub"), "the same words"), 1);
}

static void imports_stand_where_they_are_named(void **state)
{
    struct place *place = *state;
    place_directory(place, "project/.git");
    place_file(place, "project/AGENTS.md",
               "before\n@notes/style.md\nafter\nmail me @home.org\n```\n@notes/code.md\n```\n");
    place_file(place, "project/notes/style.md", "use tabs\n@deeper.md\n");
    place_file(place, "project/notes/deeper.md", "very deep\n@../AGENTS.md\n");
    place_file(place, "project/notes/code.md", "not this\n");
    struct hv_str text = gather(place, "project");
    EXPECT_PARTS(text, "before", "use tabs", "very deep", "after", "mail me @home.org", "@notes/code.md");
    assert_int_equal(count(text, "not this"), 0);
    assert_int_equal(count(text, "before"), 1);
}

static void imports_end_at_their_depth(void **state)
{
    struct place *place = *state;
    char name[32], text[32];
    place_directory(place, "project/.git");
    place_file(place, "project/AGENTS.md", "level 0\n@1.md\n");
    for (int i = 1; i < 10; i++) {
        snprintf(name, sizeof name, "project/%d.md", i);
        snprintf(text, sizeof text, "level %d\n@%d.md\n", i, i + 1);
        place_file(place, name, text);
    }
    struct hv_str all = gather(place, "project");
    assert_int_equal(count(all, "level 4"), 1);
    assert_int_equal(count(all, "level 5"), 0);
}

static void a_project_cannot_fetch_files_from_elsewhere(void **state)
{
    struct place *place = *state;
    place_directory(place, "project/.git");
    place_file(place, "secret.md", "the key\n");
    place_file(place, "home/.ssh/id", "the key\n");
    place_file(place, "project/AGENTS.md", "@../secret.md\n@~/.ssh/id\n@/etc/hostname\n@link.md\nend\n");
    place_link(place, "../secret.md", "project/link.md");
    place_link(place, "../secret.md", "project/CLAUDE.md");
    struct hv_str text = gather(place, "project");
    assert_int_equal(count(text, "the key"), 0);
    assert_int_equal(count(text, "end"), 1);
}

static void a_persons_own_file_may_import_from_the_home(void **state)
{
    struct place *place = *state;
    place_directory(place, "project/.git");
    place_file(place, "home/notes.md", "my habits\n");
    place_file(place, "secret.md", "the key\n");
    place_file(place, "home/.config/helve/AGENTS.md", "@~/notes.md\n@~/../secret.md\n");
    struct hv_str text = gather(place, "project");
    assert_int_equal(count(text, "my habits"), 1);
    assert_int_equal(count(text, "the key"), 0);
}

static void comments_are_left_out_unless_they_never_end(void **state)
{
    struct place *place = *state;
    place_directory(place, "project/.git");
    place_file(place, "project/AGENTS.md", "one<!-- hidden\n@x.md -->two\n<!-- open to the end");
    struct hv_str text = gather(place, "project");
    assert_int_equal(count(text, "onetwo"), 1);
    assert_int_equal(count(text, "hidden"), 0);
    assert_int_equal(count(text, "open to the end"), 1);
}

static void what_is_too_large_is_cut_and_told(void **state)
{
    struct place *place = *state;
    place_directory(place, "project/.git");
    static char large[INSTRUCTIONS_FILE_MAX * 2];
    memset(large, 'x', sizeof large - 1);
    place_file(place, "project/AGENTS.md", large);
    struct hv_str text = gather(place, "project");
    assert_true(text.len < INSTRUCTIONS_FILE_MAX + 1000);
    assert_int_equal(count(text, "left out"), 1);
    char name[40];
    for (int i = 0; i < 8; i++) {
        large[0] = (char)('a' + i);
        large[INSTRUCTIONS_FILE_MAX - 100] = 0;
        for (size_t at = 80; at < INSTRUCTIONS_FILE_MAX - 100; at += 80)
            large[at] = '\n';
        snprintf(name, sizeof name, "project/%d/AGENTS.md", i);
        place_file(place, name, large);
        snprintf(name, sizeof name, "project/AGENTS.md");
    }
    place_file(place, "project/AGENTS.md",
               "@0/AGENTS.md\n@1/AGENTS.md\n@2/AGENTS.md\n@3/AGENTS.md\n@4/AGENTS.md\nlast\n");
    text = gather(place, "project");
    assert_true(text.len < INSTRUCTIONS_TOTAL_MAX + 2000);
    assert_int_equal(count(text, "over the limit"), 1);
    assert_int_equal(count(text, "last"), 0);
}

static void a_loop_of_links_is_no_file(void **state)
{
    struct place *place = *state;
    place_directory(place, "project/.git");
    place_link(place, "CLAUDE.md", "project/AGENTS.md");
    place_link(place, "AGENTS.md", "project/CLAUDE.md");
    assert_int_equal(gather(place, "project").len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(the_repository_is_the_nearest_folder_with_git),
        PLACE_TEST(files_come_from_the_general_to_the_near),
        PLACE_TEST(nothing_is_said_where_nothing_is_written),
        PLACE_TEST(without_a_repository_the_working_directory_counts_alone),
        PLACE_TEST(one_file_under_two_names_is_taken_once),
        PLACE_TEST(imports_stand_where_they_are_named),
        PLACE_TEST(imports_end_at_their_depth),
        PLACE_TEST(a_project_cannot_fetch_files_from_elsewhere),
        PLACE_TEST(a_persons_own_file_may_import_from_the_home),
        PLACE_TEST(what_rules_and_path_classes_keep_back_is_not_imported),
        PLACE_TEST(comments_are_left_out_unless_they_never_end),
        PLACE_TEST(what_is_too_large_is_cut_and_told),
        PLACE_TEST(a_loop_of_links_is_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
