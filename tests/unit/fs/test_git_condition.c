/*
 * test_git_condition.c: sections [includeIf "…"] of git's configuration, each read by helve and by git itself where it
 * is installed: in a repository behind a link, in a worktree of it, and outside.
 */
#include "folder.h"

#include "base/cleanup.h"
#include "fs/git_settings.h"

#include <string.h>
#include <unistd.h>

static bool keep_output(void *user, enum hv_stream stream, struct hv_str bytes)
{
    if (stream == HV_STDOUT)
        hv_buf_add_str(user, bytes);
    return true;
}

/* What git says that core.excludesFile is in a directory of the folder; absent when there is no git. */
static struct hv_str by_git(struct folder *folder, const char *directory)
{
    static const char *const arguments[] = {"git", "config", "core.excludesFile", NULL};
    const char *home = hv_arena_format(&folder->arena, "HOME=%s", folder_cpath(folder, "home")).ptr;
    /* As a shell has it that went there by the link. */
    const char *place = hv_arena_format(&folder->arena, "PWD=%s", folder_cpath(folder, directory)).ptr;
    const char *const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", home, place, "GIT_CONFIG_NOSYSTEM=1", NULL};
    CLEANUP_BUF struct hv_buf output = {0};
    hv_buf_init(&output, 4096);
    struct hv_command command = {.argv = arguments,
                                 .environment = environment,
                                 .directory = folder_cpath(folder, directory),
                                 .on_output = keep_output,
                                 .user = &output};
    struct hv_exit ended;
    const struct hv_host *host = hv_host_local();
    if (host->run(host, &command, &ended, NULL) || ended.code > 1)
        return (struct hv_str){0};
    return hv_arena_str(&folder->arena, hv_str_trim(hv_buf_str(&output)));
}

static struct hv_str by_helve(struct folder *folder, const char *directory, bool repository)
{
    struct hv_str top = folder_path(folder, directory), shared = {0}, worktree = {0};
    if (repository)
        worktree = git_directory(&folder->arena, top, &shared);
    const struct git_person person = {.home = folder_path(folder, "home")};
    struct hv_str found = git_settings_find(&folder->arena, &person, shared, worktree).excludes_file;
    return found.ptr ? found : HV_STR("");
}

static void put_repositories(struct folder *folder)
{
    folder_make(folder, "outside");
    folder_put(folder, "work/a[1]/.git/HEAD", "ref: refs/heads/topic/one\n");
    folder_make(folder, "work/a[1]/.git/objects");
    folder_make(folder, "work/a[1]/.git/refs");
    folder_put(folder, "work/a[1]/.git/config",
               "[core]\nbare = false\n[remote \"origin\"]\nurl = https://example.com/team/a.git\n");
    folder_put(folder, "tree/.git", "gitdir: ../work/a[1]/.git/worktrees/tree\n");
    folder_put(folder, "work/a[1]/.git/worktrees/tree/HEAD", "ref: refs/heads/other\n");
    folder_put(folder, "work/a[1]/.git/worktrees/tree/commondir", "../..\n");
    folder_put(folder, "work/a[1]/.git/worktrees/tree/gitdir", "../../../../../tree/.git\n");
    folder_make(folder, "home");
    assert_int_equal(symlink("../work", folder_cpath(folder, "home/link")), 0);
    assert_int_equal(symlink("work", folder_cpath(folder, "linked")), 0);
}

/* %s in a condition is the folder. */
static const struct {
    const char *condition;
    bool plain, linked, tree, outside; /* work/a[1], the same by linked/a[1], its worktree, no repository */
} rows[] = {
    {"gitdir:%s/work/", true, true, true, false},
    {"gitdir:%s/work", false, false, false, false},
    {"gitdir:%s/linked/", false, true, false, false},
    {"gitdir:work/", true, true, true, false},
    {"gitdir:WORK/", false, false, false, false},
    {"gitdir/i:WORK/", true, true, true, false},
    {"gitdir:a[[]1]/.git", true, true, false, false},
    {"gitdir:a[1]/.git", false, false, false, false},
    {"gitdir:*/.git", true, true, false, false},
    {"gitdir:%s/*/.git", false, false, false, false},
    {"gitdir:%s/**/.git", true, true, false, false},
    {"gitdir:**/worktrees/**", false, false, true, false},
    {"gitdir:~/link/", false, false, false, false},
    {"gitdir:~/../work/", false, false, false, false},
    {"gitdir:./../work/", false, false, false, false},
    {"gitdir:/", true, true, true, false},
    {"gitdir:", true, true, true, false},
    {"onbranch:topic/", true, true, false, false},
    {"onbranch:topic/*", true, true, false, false},
    {"onbranch:topic", false, false, false, false},
    {"onbranch:o*", false, false, true, false},
    {"onbranch:**", true, true, true, false},
    {"hasconfig:remote.*.url:https://example.com/**", true, true, true, false},
    {"hasconfig:remote.*.url:https://*/team/a.git", true, true, true, false},
    {"hasconfig:remote.*.url:https://example.org/**", false, false, false, false},
    {"hasconfig:remote.origin.url:**", false, false, false, false},
    {"gitdir:%s/wo\\\\rk/", true, true, true, false},
    {"something:else", false, false, false, false},
};

static void check(struct folder *folder, const char *condition, const char *directory, bool repository, bool expected)
{
    struct hv_str ours = by_helve(folder, directory, repository), git = by_git(folder, directory);
    if (git.ptr && !hv_str_eq(git, expected ? HV_STR("~/mine") : HV_STR("")))
        fail_msg("%s in %s: git says \"%.*s\"", condition, directory, HV_STR_ARG(git));
    if (!hv_str_eq(ours, expected ? HV_STR("~/mine") : HV_STR("")))
        fail_msg("%s in %s: \"%.*s\"", condition, directory, HV_STR_ARG(ours));
}

static void conditions_hold_where_git_finds_them_to_hold(void **state)
{
    struct folder *folder = *state;
    put_repositories(folder);
    folder_put(folder, "home/more", "[core]\nexcludesFile = ~/mine\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hv_str condition = hv_str_from(rows[i].condition);
        size_t at = hv_str_find(condition, HV_STR("%s"), 0);
        if (at != SIZE_MAX)
            condition = hv_arena_format(&folder->arena, "%.*s%s%.*s", (int)at, condition.ptr, folder->root,
                                        HV_STR_ARG(hv_str_slice(condition, at + 2, condition.len)));
        folder_put(folder, "home/.gitconfig",
                   hv_arena_format(&folder->arena, "[includeIf \"%.*s\"]\npath = more\n", HV_STR_ARG(condition)).ptr);
        check(folder, rows[i].condition, "work/a[1]", true, rows[i].plain);
        check(folder, rows[i].condition, "linked/a[1]", true, rows[i].linked);
        check(folder, rows[i].condition, "tree", true, rows[i].tree);
        check(folder, rows[i].condition, "outside", false, rows[i].outside);
    }
}

/* "./" is where the file with the section lies, and is no pattern itself. */
static void a_file_that_is_included_speaks_of_its_own_place(void **state)
{
    struct folder *folder = *state;
    put_repositories(folder);
    folder_put(folder, "home/.gitconfig", "[include]\npath = ../work/a[1]/of-here\n");
    folder_put(folder, "work/a[1]/of-here", "[includeIf \"gitdir:./\"]\npath = ../../home/more\n");
    folder_put(folder, "home/more", "[core]\nexcludesFile = ~/mine\n");
    check(folder, "gitdir:./", "work/a[1]", true, true);
    check(folder, "gitdir:./", "outside", false, false);
    folder_put(folder, "work/a[1]/of-here", "[includeIf \"gitdir:./.git\"]\npath = ../../home/more\n");
    check(folder, "gitdir:./.git", "work/a[1]", true, true);
    check(folder, "gitdir:./.git", "tree", true, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(conditions_hold_where_git_finds_them_to_hold, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(a_file_that_is_included_speaks_of_its_own_place, folder_setup, folder_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
