/* test_asked.c: what a judgement asks the world twice has the answer of the first time, and what differs has its own.
 */
#include "policy/asked.h"

#include "base/cleanup.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/helve-asked-XXXXXX";
static int at;

static int open_folder(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    at = open(folder, O_RDONLY | O_DIRECTORY);
    assert_int_equal(mkdirat(at, "a", 0700) | mkdirat(at, "b", 0700), 0);
    return 0;
}

static int close_folder(void **state)
{
    static const char *const names[] = {"a/.npmrc", "b/-x", NULL};
    (void)state;
    for (size_t i = 0; names[i]; i++)
        (void)unlinkat(at, names[i], 0);
    assert_int_equal(unlinkat(at, "a", AT_REMOVEDIR) | unlinkat(at, "b", AT_REMOVEDIR), 0);
    assert_int_equal(close(at) | rmdir(folder), 0);
    return 0;
}

static void make(const char *name)
{
    assert_int_equal(close(openat(at, name, O_CREAT | O_WRONLY, 0600)), 0);
}

static void what_is_asked_twice_is_answered_once(void **state)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct asked asked = {.arena = &arena}, later = {.arena = &arena};
    struct shell_world world = asked_world(&asked, true), anew = asked_world(&later, true);
    struct hv_str a = hv_arena_format(&arena, "%s/a", folder), b = hv_arena_format(&arena, "%s/b", folder);
    (void)state;
    assert_true(world.holds_none(world.user, a, ".npmrc"));
    assert_true(world.tree_is_plain(world.user, b, SHELL_TREE_NO_OPTION));
    make("a/.npmrc");
    make("b/-x");
    assert_true(world.holds_none(world.user, hv_arena_str(&arena, a), ".npmrc"));
    assert_true(world.tree_is_plain(world.user, b, SHELL_TREE_NO_OPTION));
    assert_false(anew.holds_none(anew.user, a, ".npmrc"));
    assert_false(anew.tree_is_plain(anew.user, b, SHELL_TREE_NO_OPTION));
    asked_release(&asked);
    asked_release(&later);
}

static void what_differs_is_asked_by_itself(void **state)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct asked asked = {.arena = &arena};
    struct shell_world world = asked_world(&asked, true);
    struct hv_str a = hv_arena_format(&arena, "%s/a", folder), b = hv_arena_format(&arena, "%s/b", folder), why = {0};
    (void)state;
    make("a/.npmrc");
    make("b/-x");
    assert_false(world.holds_none(world.user, a, ".npmrc"));
    assert_true(world.holds_none(world.user, b, ".npmrc"));
    assert_true(world.holds_none(world.user, a, ".yarnrc"));
    assert_true(world.holds_none(world.user, hv_str_slice(a, 0, a.len - 1), "a.npmrc"));
    assert_true(world.tree_is_plain(world.user, a, SHELL_TREE_NO_OPTION));
    assert_false(world.tree_is_plain(world.user, b, SHELL_TREE_NO_OPTION));
    assert_true(world.tree_is_plain(world.user, b, SHELL_TREE_WORDS));
    assert_true(world.git_is_quiet(world.user, &arena, a, HV_STR("status"), &why));
    assert_true(hv_str_eq(world.repository_top(world.user, &arena, a), a));
    assert_true(hv_str_eq(world.repository_top(world.user, &arena, b), b));
    assert_null(asked_world(&asked, false).git_is_quiet);
    asked_release(&asked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_asked_twice_is_answered_once),
        cmocka_unit_test(what_differs_is_asked_by_itself),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
