/* test_prompt.c: what the system prompt is made of. */
#include "agent/prompt.h"

#include "agent_test.h"

static struct hv_str build(struct place *place, struct prompt_options options)
{
    struct hv_buf out;
    hv_buf_init(&out, 1 << 22);
    options.host = hv_host_local();
    options.directory = place_path(place, "project");
    options.home = place_path(place, "home");
    prompt_build(&options, &out);
    struct hv_str text = hv_arena_str(&place->arena, hv_buf_str(&out));
    hv_buf_release(&out);
    return text;
}

static bool has(struct hv_str text, const char *part)
{
    return hv_str_find(text, hv_str_from(part), 0) != SIZE_MAX;
}

static void identity_environment_and_instructions_stand_in_it(void **state)
{
    struct place *place = *state;
    place_file(place, "project/.git/HEAD", "ref: refs/heads/main\n");
    place_file(place, "project/AGENTS.md", "use tabs\n");
    struct hv_str text = build(place, (struct prompt_options){.model = HV_STR("model-x")});
    assert_true(has(text, "You are helve"));
    assert_true(has(text, "Working directory: "));
    assert_true(has(text, "Git branch: main"));
    assert_true(has(text, "Model: model-x"));
    assert_true(has(text, "use tabs"));
}

static void git_is_read_without_running_it(void **state)
{
    struct place *place = *state;
    place_directory(place, "project");
    assert_true(has(build(place, (struct prompt_options){0}), "not a repository"));
    place_file(place, "project/.git/HEAD", "0123456789abcdef0123456789abcdef01234567\n");
    assert_true(has(build(place, (struct prompt_options){0}), "detached at 0123456789ab\n"));
    place_file(place, "project/.git/HEAD", "");
    assert_true(has(build(place, (struct prompt_options){0}), "Git repository: "));
}

static void a_worktree_names_its_branch(void **state)
{
    struct place *place = *state;
    place_file(place, "project/.git", "gitdir: ../store/worktrees/p\n");
    place_file(place, "store/worktrees/p/HEAD", "ref: refs/heads/topic/one\n");
    assert_true(has(build(place, (struct prompt_options){0}), "Git branch: topic/one\n"));
}

static void a_replacement_stands_alone_and_an_addition_at_the_end(void **state)
{
    struct place *place = *state;
    place_file(place, "project/AGENTS.md", "use tabs\n");
    struct prompt_options options = {.replacement = HV_STR("Be a poet."), .addition = HV_STR("In rhymes.")};
    assert_true(hv_str_is(build(place, options), "Be a poet.\n\nIn rhymes."));
    options.replacement = HV_STR("");
    assert_true(hv_str_is(build(place, options), "In rhymes."));
    options.replacement = (struct hv_str){0};
    struct hv_str text = build(place, options);
    assert_true(has(text, "use tabs"));
    assert_true(hv_str_ends(text, HV_STR("\n\nIn rhymes.")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(identity_environment_and_instructions_stand_in_it),
        PLACE_TEST(git_is_read_without_running_it),
        PLACE_TEST(a_worktree_names_its_branch),
        PLACE_TEST(a_replacement_stands_alone_and_an_addition_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
