/* Control groups: where they are made, what is written to them, and that they go. The kernel's part, making the files
 * of a new group and refusing to remove one that is in use, is played here: few machines let a test have groups. */
#include "sandbox/groups.h"

#include "base/cleanup.h"

#include <helve/host.h>

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cmocka.h>

static struct {
    char root[64], own[80];
    const char *files[2][6]; /* of new groups, by version */
} kernel;

static void put(const char *folder, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    CLEANUP_FD int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
}

static struct hv_str get(struct hv_arena *arena, const char *folder, const char *name)
{
    char path[512], text[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof text);
    return len < 0 ? (struct hv_str){0} : hv_arena_str(arena, hv_str_of(text, (size_t)len));
}

static bool is_v2(const char *path)
{
    struct hv_arena arena = {0};
    char parent[512];
    snprintf(parent, sizeof parent, "%.*s", (int)(strrchr(path, '/') - path), path);
    bool is = get(&arena, parent, "cgroup.subtree_control").ptr != NULL;
    hv_arena_release(&arena);
    return is;
}

/* In place of libc's. */
int mkdir(const char *path, mode_t mode)
{
    int failed = (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
    if (failed || !kernel.root[0] || strncmp(path, kernel.root, strlen(kernel.root)) != 0 ||
        !strstr(path, "/helve-run-"))
        return failed;
    for (const char *const *file = kernel.files[is_v2(path)]; *file; file++)
        put(path, *file, "");
    return 0;
}

int rmdir(const char *path)
{
    if (kernel.root[0] && strncmp(path, kernel.root, strlen(kernel.root)) == 0 && strstr(path, "/helve-run-")) {
        struct hv_arena arena = {0};
        bool in_use = get(&arena, path, "cgroup.procs").len > 0;
        hv_arena_release(&arena);
        if (in_use) {
            errno = EBUSY;
            return -1;
        }
        for (int version = 0; version < 2; version++)
            for (const char *const *file = kernel.files[version]; *file; file++) {
                char name[512];
                snprintf(name, sizeof name, "%s/%s", path, *file);
                unlink(name);
            }
    }
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

/* ---- the tree ------------------------------------------------------------------------------------------ */

static void make_folders(const char *path)
{
    char text[512];
    snprintf(text, sizeof text, "%s/%s", kernel.root, path);
    for (char *slash = text + strlen(kernel.root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        (void)!mkdir(text, 0755);
    }
    (void)!mkdir(text, 0755);
    put(text, "cgroup.procs", "");
}

static int set_up(void **state)
{
    (void)state;
    memset(&kernel, 0, sizeof kernel);
    char root[] = "/tmp/helve-unit-XXXXXX";
    if (!mkdtemp(root))
        return -1;
    snprintf(kernel.root, sizeof kernel.root, "%s", root);
    snprintf(kernel.own, sizeof kernel.own, "%s/own", root);
    static const char *const of_v1[] = {"cgroup.procs", "tasks", "pids.max", "memory.limit_in_bytes", NULL};
    static const char *const of_v2[] = {"cgroup.procs", "cgroup.kill", "memory.max", "pids.max", NULL};
    memcpy(kernel.files[0], of_v1, sizeof of_v1);
    memcpy(kernel.files[1], of_v2, sizeof of_v2);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    const char *const argv[] = {"rm", "-rf", kernel.root, NULL};
    struct hv_command command = {.argv = argv};
    struct hv_exit end;
    return hv_host_local()->run(hv_host_local(), &command, &end, NULL) == HV_OK ? 0 : -1;
}

/* A tree of version 2 with this process in a unit of its own. */
static void make_v2(const char *own)
{
    make_folders("user.slice/app.slice/me.scope");
    char app[128];
    snprintf(app, sizeof app, "%s/user.slice/app.slice", kernel.root);
    put(app, "cgroup.procs", "");
    put(app, "cgroup.subtree_control", "memory pids\n");
    put(kernel.root, "own", own);
}

static struct groups groups_here(void)
{
    return (struct groups){.own = kernel.own, .root = kernel.root};
}

static const struct group_limits limits = {.memory = 1 << 30, .processes = 77};

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* ---- tests --------------------------------------------------------------------------------------------- */

static void groups_of_version_2_lie_beside_our_own_and_take_both_limits(void **state)
{
    (void)state;
    struct hv_arena arena = {0};
    struct groups groups = groups_here();
    make_v2("0::/user.slice/app.slice/me.scope\n");
    assert_true(groups_available(&groups));
    struct group *group = groups_take(&groups, &limits);
    assert_non_null(group);
    assert_null(group->directories[1]);
    char *expected = hv_arena_cstr(
        &arena, hv_arena_format(&arena, "%s/user.slice/app.slice/helve-run-%ld-0", kernel.root, (long)getpid()));
    assert_string_equal(group->directories[0], expected);
    assert_string_equal(group->door, "cgroup.procs");
    assert_true(hv_str_is(get(&arena, expected, "memory.max"), "1073741824"));
    assert_true(hv_str_is(get(&arena, expected, "pids.max"), "77"));
    groups_release(&groups);
    assert_false(is_there(expected));
    hv_arena_release(&arena);
}

static void a_group_serves_again_when_nothing_lives_in_it(void **state)
{
    (void)state;
    struct hv_arena arena = {0};
    struct groups groups = groups_here();
    make_v2("0::/user.slice/app.slice/me.scope\n");
    struct group *first = groups_take(&groups, &limits), *second = groups_take(&groups, &limits);
    assert_ptr_not_equal(first, second);
    groups_give_back(first);
    assert_ptr_equal(groups_take(&groups, &limits), first);
    put(first->directories[0], "cgroup.procs", "4711\n");
    groups_give_back(first);
    struct group *third = groups_take(&groups, &limits);
    assert_ptr_not_equal(third, first);
    assert_ptr_not_equal(third, second);
    char *left = hv_arena_cstr(&arena, hv_str_from(first->directories[0]));
    groups_give_back(NULL);
    groups_release(&groups);
    assert_true(is_there(left)); /* it is in use; a later session removes it */
    hv_arena_release(&arena);
}

static void what_a_command_left_in_its_group_is_ended(void **state)
{
    (void)state;
    struct hv_arena arena = {0};
    struct groups groups = groups_here();
    make_v2("0::/user.slice/app.slice/me.scope\n");
    struct group *group = groups_take(&groups, &limits);
    assert_int_equal(get(&arena, group->directories[0], "cgroup.kill").len, 0);
    groups_give_back(group);
    assert_true(hv_str_is(get(&arena, group->directories[0], "cgroup.kill"), "1"));
    groups_release(&groups);
    hv_arena_release(&arena);
}

/* No group that holds processes may have limited ones below it, but for the root of all. */
static void below_the_root_groups_can_be_made_where_it_hands_controllers_down(void **state)
{
    (void)state;
    struct hv_arena arena = {0};
    struct groups groups = groups_here();
    make_v2("0::/\n");
    put(kernel.root, "cgroup.procs", "1\n");
    put(kernel.root, "cgroup.subtree_control", "memory pids\n");
    struct group *group = groups_take(&groups, &limits);
    assert_non_null(group);
    char *expected = hv_arena_cstr(&arena, hv_arena_format(&arena, "%s/helve-run-%ld-0", kernel.root, (long)getpid()));
    assert_string_equal(group->directories[0], expected);
    assert_true(hv_str_is(get(&arena, expected, "pids.max"), "77"));
    groups_release(&groups);
    hv_arena_release(&arena);
}

static void one_controller_is_better_than_none_and_none_makes_no_group(void **state)
{
    static const char *const only_pids[] = {"cgroup.procs", "pids.max", NULL}, *const no_controller[] = {"cgroup.procs",
                                                                                                         NULL};
    (void)state;
    struct hv_arena arena = {0};
    struct groups groups = groups_here();
    make_v2("0::/user.slice/app.slice/me.scope\n");
    memcpy(kernel.files[1], only_pids, sizeof only_pids);
    struct group *group = groups_take(&groups, &limits);
    assert_non_null(group);
    assert_true(hv_str_is(get(&arena, group->directories[0], "pids.max"), "77"));
    groups_release(&groups);
    groups = groups_here();
    memcpy(kernel.files[1], no_controller, sizeof no_controller);
    assert_null(groups_take(&groups, &limits));
    char *tried = hv_arena_cstr(
        &arena, hv_arena_format(&arena, "%s/user.slice/app.slice/helve-run-%ld-0", kernel.root, (long)getpid()));
    assert_false(is_there(tried));
    groups_release(&groups);
    hv_arena_release(&arena);
}

/* What /proc/self/cgroup may say where no group can be made. */
static const char *const useless[] = {
    "",
    "0::/\n",
    "0::/../x\n",
    "nonsense\n",
    "0:\n",
    "::\n",
    "1:name=systemd:/a\n",
    "0::/nowhere/me.scope\n",
    "0::/user.slice/other.slice/me.scope\n", /* without subtree_control: not of version 2 */
};

static void where_no_groups_can_be_made_there_are_none(void **state)
{
    (void)state;
    make_v2("");
    make_folders("user.slice/other.slice/me.scope");
    for (size_t i = 0; i < sizeof useless / sizeof *useless; i++) {
        struct groups groups = groups_here();
        put(kernel.root, "own", useless[i]);
        if (groups_available(&groups) || groups_take(&groups, &limits))
            fail_msg("%s", useless[i]);
        groups_release(&groups);
    }
    struct groups groups = groups_here();
    groups.own = "/nowhere";
    assert_null(groups_take(&groups, &limits));
    groups_release(&groups);
}

static void version_1_has_one_for_each_controller(void **state)
{
    (void)state;
    struct hv_arena arena = {0};
    struct groups groups = groups_here();
    make_folders("pids/a");
    make_folders("memory/b/c");
    make_folders("unified/x");
    put(kernel.root, "own", "12:cpu:/\n8:pids:/a\n4:memory:/b/c\n1:name=systemd:/x\n0::/x/y\n");
    struct group *group = groups_take(&groups, &limits);
    assert_non_null(group);
    assert_string_equal(group->door, "tasks");
    assert_non_null(strstr(group->directories[0], "/pids/a/helve-run-"));
    assert_non_null(strstr(group->directories[1], "/memory/b/c/helve-run-"));
    assert_true(hv_str_is(get(&arena, group->directories[0], "pids.max"), "77"));
    assert_true(hv_str_is(get(&arena, group->directories[1], "memory.limit_in_bytes"), "1073741824"));
    groups_release(&groups);
    hv_arena_release(&arena);
}

static void groups_of_dead_sessions_are_removed(void **state)
{
    (void)state;
    struct hv_arena arena = {0};
    struct groups groups = groups_here();
    make_v2("0::/user.slice/app.slice/me.scope\n");
    char *app = hv_arena_cstr(&arena, hv_arena_format(&arena, "%s/user.slice/app.slice", kernel.root));
    char *dead = hv_arena_cstr(&arena, hv_arena_format(&arena, "%s/helve-run-2147483646-0", app));
    char *alive = hv_arena_cstr(&arena, hv_arena_format(&arena, "%s/helve-run-1-0", app));
    char *other = hv_arena_cstr(&arena, hv_arena_format(&arena, "%s/other.scope", app));
    assert_int_equal(syscall(SYS_mkdirat, AT_FDCWD, dead, 0755), 0);
    assert_int_equal(syscall(SYS_mkdirat, AT_FDCWD, alive, 0755), 0);
    assert_int_equal(syscall(SYS_mkdirat, AT_FDCWD, other, 0755), 0);
    assert_true(groups_available(&groups));
    assert_false(is_there(dead));
    assert_true(is_there(alive) && is_there(other));
    groups_release(&groups);
    hv_arena_release(&arena);
}

#define WITH_TREE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_TREE(groups_of_version_2_lie_beside_our_own_and_take_both_limits),
        WITH_TREE(a_group_serves_again_when_nothing_lives_in_it),
        WITH_TREE(what_a_command_left_in_its_group_is_ended),
        WITH_TREE(below_the_root_groups_can_be_made_where_it_hands_controllers_down),
        WITH_TREE(one_controller_is_better_than_none_and_none_makes_no_group),
        WITH_TREE(where_no_groups_can_be_made_there_are_none),
        WITH_TREE(version_1_has_one_for_each_controller),
        WITH_TREE(groups_of_dead_sessions_are_removed),
    };
    return cmocka_run_group_tests_name("groups", tests, NULL, NULL);
}
