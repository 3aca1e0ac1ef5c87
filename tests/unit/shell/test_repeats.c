/*
 * test_repeats.c: a command that was judged before is not judged again: what comes out is what it would be by itself,
 * and where something around it makes a difference, it is judged anew.
 */
#include "judging.h"

#include "base/cleanup.h"

static void judge(struct hv_arena *arena, const char *command, struct shell_judgement *out)
{
    struct judging_world world = {.quiet = true};
    judge_in(arena, command, &world, out);
}

static void assert_same_paths(const struct shell_access *a, const struct shell_access *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_true(hv_str_eq(a[i].path, b[i].path) && hv_str_eq(a[i].untidy, b[i].untidy));
        assert_true(a[i].tree == b[i].tree && a[i].redirect == b[i].redirect);
    }
}

static void assert_same(const struct shell_act *a, const struct shell_act *b)
{
    assert_int_equal(a->class, b->class);
    assert_true(hv_str_eq(a->why, b->why));
    assert_int_equal(a->word_count, b->word_count);
    for (size_t i = 0; i < a->word_count; i++)
        assert_true(hv_str_eq(a->words[i].value, b->words[i].value));
    assert_int_equal(a->read_count, b->read_count);
    assert_int_equal(a->write_count, b->write_count);
    assert_same_paths(a->reads, b->reads, a->read_count);
    assert_same_paths(a->writes, b->writes, a->write_count);
    assert_true(a->reads_listed == b->reads_listed && a->writes_listed == b->writes_listed);
    assert_true(a->answers == b->answers);
}

static void what_is_said_twice_is_the_same_twice(void **state)
{
    static const char *const commands[] = {
        "ls",
        "ls -la src",
        "cat a b",
        "make",
        "sed -i s/a/b/ f",
        "git status",
        "rm -rf build",
        "bash -c 'ls; rm f'",
        "ls *.c",
        "find . -name x -exec rm {} +",
        "timeout 5 cat a",
        "env A=1 grep x f",
        "cat a >b",
        "cat <a 2>/dev/null",
        "no-such",
        "ls '$(a)'",
        "sort -o f g",
        "tar cf a.tar b",
    };
    (void)state;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct shell_judgement once, thrice;
        judge(&arena, commands[i], &once);
        judge(&arena, hv_arena_format(&arena, "%s\n%s\n%s", commands[i], commands[i], commands[i]).ptr, &thrice);
        assert_int_equal(thrice.count, 3 * once.count);
        assert_int_equal(thrice.class, once.class);
        for (size_t at = 0; at < thrice.count; at++) {
            const struct shell_act *act = &thrice.acts[at];
            assert_same(act, &once.acts[at % once.count]);
            if (act->first != at % once.count)
                fail_msg("%s: act %zu is judged anew", commands[i], at);
            const struct shell_command *command = act->command;
            assert_true(command >= thrice.script.commands && command < thrice.script.commands + thrice.script.count);
            /* Words that are the command's own are those of this very command. */
            bool inside = act->words >= thrice.script.commands[0].words &&
                          act->words < thrice.script.commands[0].words + thrice.script.commands[0].word_count;
            assert_true(at < once.count || !inside);
        }
    }
}

/* Of the text of a -c, or of eval, too. */
static void what_a_text_says_twice_is_judged_once(void **state)
{
    static const char *const texts[] = {"ls", "cat a b", "sed -i s/a/b/ f", "timeout 5 cat a", "make", "cat <a >b"};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof texts / sizeof *texts; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct shell_judgement once, twice;
        const char *text = texts[i / 2], *program = i % 2 ? "eval" : "bash -c";
        judge(&arena, hv_arena_format(&arena, "%s '%s'", program, text).ptr, &once);
        judge(&arena, hv_arena_format(&arena, "%s '%s; %s'", program, text, text).ptr, &twice);
        size_t inner = once.count - 1; /* behind the act of the program itself */
        assert_true(inner > 0);
        assert_int_equal(twice.count, 1 + 2 * inner);
        assert_int_equal(twice.class, once.class);
        for (size_t at = 1; at < twice.count; at++) {
            size_t first = 1 + (at - 1) % inner;
            assert_same(&twice.acts[at], &once.acts[first]);
            assert_ptr_equal(twice.acts[at].command, twice.script.commands);
            if (twice.acts[at].first != first)
                fail_msg("%s '%s': act %zu is judged anew", program, text, at);
        }
    }
}

/* The last act says something else than an earlier one with the same text. */
static void what_differs_by_its_place_is_judged_anew(void **state)
{
    static const char *const scripts[] = {
        "cat a; cd src && cat a",                                     /* another directory */
        "f=a; cat $f; f=b; cat $f",                                   /* another value */
        "cd src; cat a; cd ../lib; cat a",                            /* another place that it may run in */
        "cd src; cat a; (cd /tmp && ls); cat a",                      /* one more of them */
        "cat $x; for x in a b; do cat $x; done",                      /* a loop around it */
        "for x in a b; do cat $x; done; for y in c; do cat $x; done", /* a loop over something else */
        "find a -print0 | xargs -0 cat; ls | xargs -0 cat",           /* another writer of the pipe */
        "f=a; cat $(ls $f); f=b; cat $(ls $f)",                       /* another substitution */
        "for x in a b; do cat a & done; while true; do cat a & done", /* a loop without end */
        "cat a | cat b; cat b",                                       /* not in a pipe */
        "bash -c 'cat a; cd src && cat a'",                           /* all this in a text, too */
        "bash -c 'f=a; cat $f; f=b; cat $f'",
        "bash -c 'cat a | cat b; cat b'",
        "bash -c 'cat a'; bash -c 'cd src && cat a'", /* another text */
        "cat a; eval 'cat a'",
    };
    (void)state;
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct shell_judgement judgement;
        judge(&arena, scripts[i], &judgement);
        assert_true(judgement.count > 1);
        const struct shell_act *last = NULL;
        for (size_t at = 0; at < judgement.count; at++)
            if (judgement.acts[at].word_count && hv_str_is(judgement.acts[at].words[0].value, "cat"))
                last = &judgement.acts[at];
        assert_non_null(last);
        if (last->first != (size_t)(last - judgement.acts))
            fail_msg("%s: not judged anew", scripts[i]);
    }
}

static void a_function_that_comes_between_counts_for_both(void **state)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct shell_judgement judgement;
    (void)state;
    judge(&arena, "ls; ls() { rm -rf x; }; ls", &judgement);
    assert_int_equal(judgement.class, SHELL_UNKNOWN);
    assert_int_not_equal(judgement.acts[0].class, SHELL_READ_ONLY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_said_twice_is_the_same_twice),
        cmocka_unit_test(what_a_text_says_twice_is_judged_once),
        cmocka_unit_test(what_differs_by_its_place_is_judged_anew),
        cmocka_unit_test(a_function_that_comes_between_counts_for_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
