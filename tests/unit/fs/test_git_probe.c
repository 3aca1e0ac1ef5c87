/*
 * test_git_probe.c: which repositories would make git run a program of theirs: configurations of every kind, places
 * where git finds repositories, submodules of the index, and what is remembered.
 */
#include "base/cleanup.h"
#include "folder.h"
#include "fs/git_index.h"
#include "fs/git_probe.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int open_folder(void **state)
{
    static struct folder folder;
    folder_open(&folder);
    unsetenv("GIT_DIR");
    unsetenv("GIT_WORK_TREE");
    *state = &folder;
    return 0;
}

static int close_folder(void **state)
{
    folder_close(*state);
    return 0;
}

/* A repository as git makes it, with this text added to its configuration. directory: "name/" or "". */
static void make_repository(struct folder *folder, const char *directory, const char *config)
{
    struct hv_arena *arena = &folder->arena;
    folder_put(folder, hv_arena_format(arena, "%sHEAD", directory).ptr, "ref: refs/heads/main\n");
    folder_make(folder, hv_arena_format(arena, "%sobjects", directory).ptr);
    folder_make(folder, hv_arena_format(arena, "%srefs", directory).ptr);
    folder_put(folder, hv_arena_format(arena, "%sconfig", directory).ptr,
               hv_arena_format(arena, "[core]\n\trepositoryformatversion = 0\n\tbare = false\n%s", config).ptr);
}

static bool is_quiet(struct folder *folder, const char *directory, const char *subcommand)
{
    struct hv_str why = {0};
    bool quiet =
        git_probe_is_quiet(NULL, &folder->arena, folder_path(folder, directory), hv_str_from(subcommand), &why);
    assert_true(quiet == !why.ptr);
    /* And where git's search begins to find something, it finds the same. */
    struct fs_trees trees = {0};
    struct hv_str start = git_probe_start(&trees, folder_path(folder, directory)), same = {0};
    assert_int_equal(git_probe_is_quiet(NULL, &folder->arena, start, hv_str_from(subcommand), &same), quiet);
    assert_true(hv_str_eq(why, same));
    fs_trees_release(&trees);
    return quiet;
}

static void a_directory_without_a_repository_is_quiet(void **state)
{
    struct folder *folder = *state;
    folder_make(folder, "a/b");
    assert_true(is_quiet(folder, "a/b", "status"));
    assert_true(is_quiet(folder, "not/there", "status"));
}

static void an_ordinary_repository_is_quiet(void **state)
{
    struct folder *folder = *state;
    make_repository(folder, ".git/",
                    "[remote \"origin\"]\n\turl = https://x/y\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
                    "[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n"
                    "[user]\n\tname = \"A B\" ; comment\n\temail = a@b\n[pull]\n\trebase\n"
                    "[core]\n\tfsmonitor = /tmp/evil\n\thooksPath = /tmp/evil\n\tsshCommand = evil\n"
                    "[gpg]\n\tprogram = evil\n[log]\n\tshowSignature = true\n[pager]\n\tlog = evil\n"
                    "[diff]\n\trenames = copies\n\tsubmodule = log\n[extensions]\n\tworktreeConfig = true\n");
    folder_make(folder, "sub/deep");
    assert_true(is_quiet(folder, "", "status"));
    assert_true(is_quiet(folder, "sub/deep", "diff"));
}

static void each_program_that_no_override_stops_is_found(void **state)
{
    static const struct {
        const char *config, *subcommand;
    } cases[] = {
        {"[filter \"x\"]\n\tclean = evil\n", "status"},
        {"[filter \"x\"]\n\tsmudge = evil\n", "archive"},
        {"[filter \"x\"]\n\tprocess = evil\n", "diff"},
        {"[FILTER \"x\"]\n\tCLEAN = evil\n", "diff"},
        {"[filter.x]\n\tclean = evil\n", "diff"},
        {"[filter \"a\\\"b\"] clean = evil\n", "diff"},
        {"[core] [filter \"x\"] clean = evil\n", "diff"},
        {"[core]\n\tx = a\\\nb\n[filter \"x\"]\n\tclean = \\\n evil\n", "diff"},
        {"\r\n[filter \"x\"]\r\n\tclean = evil\r\n", "diff"},
        {"[diff \"x\"]\n\ttextconv = evil\n", "log"},
        {"[diff \"x\"]\n\tcommand = evil\n", "diff"},
        {"[diff]\n\texternal = evil\n", "diff"},
        {"[diff]\n\tsubmodule = diff\n", "diff"},
        {"[merge \"x\"]\n\tdriver = evil\n", "show"},
        {"[alias]\n\tstatus = !evil\n", "status"},
        {"[alias]\n\twhatchanged = !evil\n", "whatchanged"},
        {"[alias \"status\"]\n\tcommand = !evil\n", "status"},
        {"[trailer \"x\"]\n\tcommand = evil\n", "interpret-trailers"},
        {"[trailer \"x\"]\n\tcmd = evil\n", "interpret-trailers"},
        {"[tar \"tgz\"]\n\tcommand = evil\n", "archive"},
        {"[man]\n\tviewer = x\n[man \"x\"]\n\tcmd = evil\n", "help"},
        {"[help]\n\tformat = web\n", "help"},
        {"[browser \"x\"]\n\tcmd = evil\n", "help"},
        {"[remote \"origin\"]\n\tpromisor = true\n", "log"},
        {"[extensions]\n\tpartialClone = origin\n", "show"},
        {"[remote \"origin\"]\n\tpromisor = true\n", "branch"},
        {"[remote \"origin\"]\n\tpromisor = true\n", "ls-tree"},
        {"[remote \"origin\"]\n\tpromisor = true\n", "rev-parse"},
        {"[core]\n\tworktree = /\n", "status"},
        {"[core]\n\tworktree = ../..\n", "branch"},
        {"[include]\n\tpath = ../inside.config\n", "branch"},
        {"[include]\n\tpath = other.config\n", "status"},
        {"[includeIf \"onbranch:x\"]\n\tpath = other.config\n", "status"},
        {"[include]\n\tpath = config\n", "status"},
        {"[include]\n\tpath = ~other/config\n", "status"},
        {"[include]\n\tpath = %(prefix)/x\n", "status"},
        {"[core\n", "branch"},
        {"[core]\n\tx = \"open\n[filter \"x\"]\n\tclean = evil\n", "status"},
        {"?\n", "branch"},
    };
    struct folder *folder = *state;
    for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
        make_repository(folder, ".git/", cases[at].config);
        folder_put(folder, ".git/other.config", "[filter \"x\"]\n\tclean = evil\n");
        folder_put(folder, "inside.config", "[color]\n\tui = auto\n");
        if (is_quiet(folder, "", cases[at].subcommand))
            fail_msg("quiet: git %s with %s", cases[at].subcommand, cases[at].config);
    }
}

static void findings_concern_only_what_they_make_run(void **state)
{
    static const struct {
        const char *config, *subcommand;
    } cases[] = {
        {"[filter \"x\"]\n\tclean = evil\n", "branch"},   {"[diff]\n\texternal = evil\n", "rev-parse"},
        {"[alias]\n\tst = status\n", "status"},           {"[trailer \"x\"]\n\tcommand = evil\n", "log"},
        {"[man \"x\"]\n\tcmd = evil\n", "log"},           {"[remote \"o\"]\n\tpromisor = true\n", "config"},
        {"[core]\n\tworktree = ..\n", "status"},          {"[include]\n\tpath = good.config\n", "status"},
        {"# [filter \"x\"]\n; clean = evil\n", "status"},
    };
    struct folder *folder = *state;
    for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
        make_repository(folder, ".git/", cases[at].config);
        folder_put(folder, ".git/good.config", "[color]\n\tui = auto\n");
        if (!is_quiet(folder, "", cases[at].subcommand))
            fail_msg("not quiet: git %s with %s", cases[at].subcommand, cases[at].config);
    }
}

static void the_configuration_of_a_worktree_counts(void **state)
{
    struct folder *folder = *state;
    make_repository(folder, "main/.git/", "");
    folder_put(folder, "main/.git/worktrees/w/HEAD", "ref: refs/heads/w\n");
    folder_put(folder, "main/.git/worktrees/w/commondir", "../..\n");
    folder_put(folder, "w/.git", "gitdir: ../main/.git/worktrees/w\n");
    assert_true(is_quiet(folder, "w", "status"));
    folder_put(folder, "main/.git/worktrees/w/config.worktree", "[filter \"x\"]\n\tclean = evil\n");
    assert_false(is_quiet(folder, "w", "status"));
    assert_true(is_quiet(folder, "main", "status"));
    folder_put(folder, "main/.git/worktrees/w/config.worktree", "");
    folder_put(folder, "main/.git/config", "[diff \"x\"]\n\ttextconv = evil\n");
    assert_false(is_quiet(folder, "w", "log"));
}

static void directories_that_look_like_bare_repositories_count(void **state)
{
    struct folder *folder = *state;
    make_repository(folder, ".git/", "");
    make_repository(folder, "sub/", "[filter \"x\"]\n\tclean = evil\n");
    folder_make(folder, "sub/deep/er");
    assert_true(is_quiet(folder, "", "status"));
    assert_false(is_quiet(folder, "sub", "status"));
    assert_false(is_quiet(folder, "sub/deep/er", "log"));
}

static void what_is_no_repository_does_not_hide_the_one_above(void **state)
{
    struct folder *folder = *state;
    make_repository(folder, ".git/", "[filter \"x\"]\n\tclean = evil\n");
    folder_put(folder, "sub/.git/config", "");
    assert_false(is_quiet(folder, "sub", "status"));
    make_repository(folder, "other/.git/", "");
    assert_true(is_quiet(folder, "other", "status"));
    folder_put(folder, "other/.git/HEAD", "nonsense");
    assert_false(is_quiet(folder, "other", "status"));
}

static void a_repository_is_found_where_links_lead(void **state)
{
    struct folder *folder = *state;
    make_repository(folder, "real/.git/", "[filter \"x\"]\n\tclean = evil\n");
    folder_make(folder, "real/sub");
    make_repository(folder, ".git/", "");
    assert_int_equal(symlink("real/sub", folder_cpath(folder, "link")), 0);
    assert_false(is_quiet(folder, "link", "status"));
    assert_false(is_quiet(folder, "link/..", "status"));
    assert_true(is_quiet(folder, "", "status"));
}

static void the_search_starts_at_a_repository_or_the_root(void **state)
{
    struct folder *folder = *state;
    struct fs_trees trees = {0}, later = {0};
    folder_make(folder, "real/sub/deep");
    folder_make(folder, "other");
    make_repository(folder, "real/.git/", "");
    assert_int_equal(symlink("../real/sub", folder_cpath(folder, "other/link")), 0);
    struct hv_str top = folder_path(folder, "real");
    static const char *const inside[] = {
        "real", "real/sub", "real/sub/deep", "real/none", "real/sub/none/too", "other/link", "other/link/deep"};
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++)
        assert_true(hv_str_eq(git_probe_start(&trees, folder_path(folder, inside[i])), top));
    assert_true(hv_str_is(git_probe_start(&trees, folder_path(folder, "other")), "/"));
    /* Below a link, nothing says what is above what is not there. */
    assert_int_equal(symlink("../real", folder_cpath(folder, "other/top")), 0);
    struct hv_str missing = folder_path(folder, "other/top/none");
    assert_true(hv_str_eq(git_probe_start(&trees, missing), missing));
    assert_true(hv_str_is(git_probe_start(&trees, HV_STR("relative")), "relative"));
    folder_put(folder, "real/sub/HEAD", "ref: x");
    assert_true(hv_str_eq(git_probe_start(&trees, folder_path(folder, "real/sub/deep")), top));
    assert_true(
        hv_str_eq(git_probe_start(&later, folder_path(folder, "real/sub/deep")), folder_path(folder, "real/sub")));
    fs_trees_release(&trees);
    fs_trees_release(&later);
}

static void the_top_of_a_work_tree_is_found(void **state)
{
    struct folder *folder = *state;
    struct hv_arena *arena = &folder->arena;
    folder_make(folder, "plain/deep");
    struct hv_str plain = folder_path(folder, "plain/deep");
    assert_true(hv_str_eq(git_probe_top(arena, plain), plain));
    make_repository(folder, ".git/", "");
    assert_true(hv_str_ends(plain, HV_STR("/plain/deep")));
    assert_true(hv_str_eq(git_probe_top(arena, plain), hv_str_slice(plain, 0, plain.len - strlen("/plain/deep"))));
    make_repository(folder, "plain/.git/", "");
    assert_true(hv_str_eq(git_probe_top(arena, plain), folder_path(folder, "plain")));
    /* Something that git may take for one, or pass over. */
    folder_put(folder, "plain/.git/HEAD", "nonsense");
    assert_null(git_probe_top(arena, plain).ptr);
    make_repository(folder, "bare/", "");
    folder_make(folder, "bare/deep");
    assert_null(git_probe_top(arena, folder_path(folder, "bare/deep")).ptr);
}

static void the_environment_may_lead_elsewhere(void **state)
{
    struct folder *folder = *state;
    make_repository(folder, ".git/", "");
    assert_int_equal(setenv("GIT_DIR", "/elsewhere", 1), 0);
    assert_false(is_quiet(folder, "", "status"));
    unsetenv("GIT_DIR");
    assert_true(is_quiet(folder, "", "status"));
}

/* ---- the index ------------------------------------------------------------------------------------------- */

static void add_number(struct hv_buf *buf, unsigned long value, size_t size)
{
    while (size--)
        hv_buf_add_byte(buf, (char)(value >> 8 * size));
}

static void add_header(struct hv_buf *buf, unsigned version, unsigned count)
{
    hv_buf_add_cstr(buf, "DIRC");
    add_number(buf, version, 4);
    add_number(buf, count, 4);
}

/* What comes before the name. */
static void add_entry(struct hv_buf *buf, unsigned mode, size_t name, bool extended)
{
    for (int at = 0; at < 10; at++)
        add_number(buf, at == 6 ? mode : 7, 4);
    for (int at = 0; at < 20; at++)
        hv_buf_add_byte(buf, 'x');
    add_number(buf, name | (extended ? 0x4000 : 0), 2);
    if (extended)
        add_number(buf, 0, 2);
}

static void add_padded(struct hv_buf *buf, size_t begin, const char *name)
{
    hv_buf_add_cstr(buf, name);
    do
        hv_buf_add_byte(buf, '\0');
    while ((buf->len - begin) % 8);
}

static void submodules_are_read_from_every_version_of_an_index(void **state)
{
    struct folder *folder = *state;
    struct git_index_links links;
    struct hv_buf buf;
    hv_buf_init(&buf, 4096);
    add_header(&buf, 3, 3);
    static const char *const names[] = {"a.c", "lib/sub", "z"};
    for (size_t at = 0; at < 3; at++) {
        size_t begin = buf.len;
        add_entry(&buf, at == 1 ? 0160000 : 0100644, strlen(names[at]), at == 2);
        add_padded(&buf, begin, names[at]);
    }
    assert_true(git_index_links(&folder->arena, hv_buf_str(&buf), 20, &links));
    assert_int_equal(links.count, 1);
    assert_true(hv_str_is(links.paths[0], "lib/sub"));
    for (size_t len = 0; len + 1 < buf.len; len++) /* cut anywhere, it is refused or read, never more */
        (void)git_index_links(&folder->arena, hv_str_of(buf.data, len), 20, &links);
    hv_buf_clear(&buf);
    add_header(&buf, 4, 2);
    add_entry(&buf, 0160000, 7, false);
    hv_buf_add(&buf, "\0lib/sub\0", 9);
    add_entry(&buf, 0160000, 7, false);
    hv_buf_add(&buf, "\003own\0", 5);
    assert_true(git_index_links(&folder->arena, hv_buf_str(&buf), 20, &links));
    assert_int_equal(links.count, 2);
    assert_true(hv_str_is(links.paths[1], "lib/own"));
    hv_buf_add_cstr(&buf, "link");
    add_number(&buf, 20, 4);
    for (int at = 0; at < 40; at++)
        hv_buf_add_byte(&buf, 'x');
    assert_false(git_index_links(&folder->arena, hv_buf_str(&buf), 20, &links));
    hv_buf_release(&buf);
}

static void submodules_count(void **state)
{
    struct folder *folder = *state;
    struct hv_buf buf;
    hv_buf_init(&buf, 4096);
    add_header(&buf, 2, 1);
    add_entry(&buf, 0160000, 3, false);
    add_padded(&buf, 12, "sub");
    make_repository(folder, ".git/", "");
    folder_put_bytes(folder, ".git/index", hv_buf_str(&buf));
    hv_buf_release(&buf);
    assert_true(is_quiet(folder, "", "status"));
    make_repository(folder, "sub/.git/", "");
    assert_true(is_quiet(folder, "", "status"));
    make_repository(folder, "sub/.git/", "[filter \"x\"]\n\tclean = evil\n");
    assert_false(is_quiet(folder, "", "status"));
    assert_true(is_quiet(folder, "", "branch"));
    folder_put(folder, ".git/index", "nonsense");
    assert_false(is_quiet(folder, "", "status"));
}

/* An index of version 2 with these names, up to a NULL, as the one of the folder's repository. */
static void put_index(struct folder *folder, const char *const *names, unsigned mode)
{
    unsigned count = 0;
    struct hv_buf buf;
    while (names[count])
        count++;
    hv_buf_init(&buf, 4096);
    add_header(&buf, 2, count);
    for (size_t at = 0; at < count; at++) {
        size_t begin = buf.len;
        add_entry(&buf, mode, strlen(names[at]), false);
        add_padded(&buf, begin, names[at]);
    }
    folder_put_bytes(folder, ".git/index", hv_buf_str(&buf));
    hv_buf_release(&buf);
}

static void names_in_the_index_are_looked_at_below_a_directory(void **state)
{
    struct folder *folder = *state;
    static const struct fs_plain no_option = {.no_option = true}, no_dash = {.no_dash = true}, words = {.words = true},
                                 lines = {.lines = true};
    static const char *const names[] = {"-a/b", "doc/x/-deep", "src/(y", "src/one two", "tidy/x/y.c", NULL};
    static const struct {
        const char *directory;
        const struct fs_plain *wanted;
        bool plain;
    } rows[] = {
        {"", &no_option, false},    {"doc", &no_option, true}, {"doc/x", &no_option, false}, {"doc", &no_dash, false},
        {"src", &no_option, false}, {"src", &no_dash, true},   {"src", &words, false},       {"src", &lines, true},
        {"", &words, false},        {"", &lines, true},        {"tidy", &no_option, true},   {"tidy", &no_dash, true},
        {"tidy", &words, true},     {"tid", &words, true},     {"tidy/x", &no_dash, true},
    };
    make_repository(folder, ".git/", "");
    folder_make(folder, "doc/x");
    folder_make(folder, "src");
    folder_make(folder, "tid");
    folder_make(folder, "tidy/x");
    assert_true(git_probe_names_are_plain(folder_path(folder, ""), &no_option)); /* there is no index */
    put_index(folder, names, 0100644);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (git_probe_names_are_plain(folder_path(folder, rows[i].directory), rows[i].wanted) != rows[i].plain)
            fail_msg("row %zu: %s", i, rows[i].directory);
    put_index(folder, names + 4, 0040000); /* a sparse index: all of a directory is one entry */
    assert_false(git_probe_names_are_plain(folder_path(folder, ""), &no_option));
    folder_put(folder, ".git/index", "nonsense");
    assert_false(git_probe_names_are_plain(folder_path(folder, ""), &no_option));
}

static bool ends_in_key(void *user, struct hv_str path)
{
    ++*(size_t *)user;
    return hv_str_ends(path, HV_STR(".key"));
}

static void a_name_in_the_index_is_found_below_a_directory(void **state)
{
    struct folder *folder = *state;
    static const char *const names[] = {"a.c", "doc/x/one.key", "src/two.key", "srcs/y", NULL};
    static const struct {
        const char *directory, *found;
    } rows[] = {{"", "doc/x/one.key"}, {"doc", "x/one.key"}, {"doc/x", "one.key"}, {"src", "two.key"}, {"srcs", ""}};
    make_repository(folder, ".git/", "");
    for (size_t i = 1; i < 5; i++)
        folder_make(folder, rows[i].directory);
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < 5; i++) {
            CLEANUP_ARENA struct hv_arena arena = {0};
            size_t asked = 0;
            struct hv_str found =
                git_probe_find_name(&arena, folder_path(folder, rows[i].directory), ends_in_key, &asked);
            assert_true(hv_str_is(found, pass ? rows[i].found : ""));
            assert_true(asked == 0 || pass == 1);
        }
        put_index(folder, names, 0100644);
    }
}

/* ---- remembering ----------------------------------------------------------------------------------------- */

static void what_is_remembered_is_forgotten_when_a_file_changes(void **state)
{
    struct folder *folder = *state;
    struct git_probe *probe = git_probe_new();
    struct hv_str why, here = folder_path(folder, "");
    make_repository(folder, ".git/", "");
    for (int again = 0; again < 3; again++)
        assert_true(git_probe_is_quiet(probe, &folder->arena, here, HV_STR("status"), &why));
    folder_put(folder, ".git/config.worktree", "[filter \"x\"]\n\tclean = evil\n");
    assert_false(git_probe_is_quiet(probe, &folder->arena, here, HV_STR("status"), &why));
    assert_true(git_probe_is_quiet(probe, &folder->arena, here, HV_STR("branch"), &why));
    assert_int_equal(unlink(folder_cpath(folder, ".git/config.worktree")), 0);
    assert_true(git_probe_is_quiet(probe, &folder->arena, here, HV_STR("status"), &why));
    git_probe_free(probe);
    git_probe_free(NULL);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, open_folder, close_folder)
    const struct CMUnitTest tests[] = {
        CASE(a_directory_without_a_repository_is_quiet),
        CASE(an_ordinary_repository_is_quiet),
        CASE(each_program_that_no_override_stops_is_found),
        CASE(findings_concern_only_what_they_make_run),
        CASE(the_configuration_of_a_worktree_counts),
        CASE(directories_that_look_like_bare_repositories_count),
        CASE(what_is_no_repository_does_not_hide_the_one_above),
        CASE(a_repository_is_found_where_links_lead),
        CASE(the_search_starts_at_a_repository_or_the_root),
        CASE(the_top_of_a_work_tree_is_found),
        CASE(the_environment_may_lead_elsewhere),
        CASE(submodules_are_read_from_every_version_of_an_index),
        CASE(names_in_the_index_are_looked_at_below_a_directory),
        CASE(a_name_in_the_index_is_found_below_a_directory),
        CASE(submodules_count),
        CASE(what_is_remembered_is_forgotten_when_a_file_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
