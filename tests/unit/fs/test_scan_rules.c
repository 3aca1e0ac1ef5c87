/*
 * test_scan_rules.c: which files a scan leaves out: every kind of ignore file, their order of strength, git's
 * configuration, repositories around and inside the scan. Each case is scanned with one thread and with four.
 */
#include "scanning.h"

#include "base/cleanup.h"
#include "fs/git_settings.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NO_OPTIONS ((struct fs_scan_options){0})

static void deeper_files_win_and_negation_takes_back(void **state)
{
    struct folder *folder = *state;
    folder_make(folder, ".git");
    PUT_FILES(folder, "a.o", "b.c", "sub/a.o", "sub/keep.o", "sub/deep/x.o", "out/b.c", "out/deep/c.c", "doc/out");
    folder_put(folder, ".gitignore", "*.o\n/out\n");
    folder_put(folder, "sub/.gitignore", "!keep.o\n# a comment\n\n");
    folder_put(folder, "out/.gitignore", "!b.c\n"); /* below an ignored directory nothing comes back */
    assert_string_equal(scanning_shown(folder, "", NO_OPTIONS), "b.c\ndoc/out\nsub/keep.o\n");
    assert_string_equal(scanning_shown(folder, "", (struct fs_scan_options){.no_ignore = true}),
                        "a.o\nb.c\ndoc/out\nout/b.c\nout/deep/c.c\nsub/a.o\nsub/deep/x.o\nsub/keep.o\n");
    assert_string_equal(scanning_shown(folder, "", (struct fs_scan_options){.show_ignored = true, .directories = true}),
                        "-a.o\n-out/\n-sub/a.o\n-sub/deep/x.o\nb.c\ndoc/\ndoc/out\nsub/\nsub/deep/\nsub/keep.o\n");
}

static void our_own_file_is_the_strongest(void **state)
{
    struct folder *folder = *state;
    folder_make(folder, ".git");
    PUT_FILES(folder, "one", "two", "three");
    folder_put(folder, ".gitignore", "one\ntwo\nthree\n");
    folder_put(folder, ".ignore", "!two\n!three\n");
    folder_put(folder, ".helveignore", "three\n");
    assert_string_equal(scanning_shown(folder, "", NO_OPTIONS), "two\n");
}

static void rules_above_the_root_of_the_scan_hold(void **state)
{
    struct folder *folder = *state;
    folder_make(folder, ".git");
    PUT_FILES(folder, "sub/deep/a.o", "sub/deep/b.c", "sub/deep/c.x", "sub/deep/d.y", "sub/deep/er/c.x");
    folder_put(folder, ".gitignore", "*.o\n/sub/deep/c.x\n");
    folder_put(folder, "sub/.gitignore", "d.y\n");
    assert_string_equal(scanning_shown(folder, "sub/deep", NO_OPTIONS), "b.c\ner/c.x\n");
    assert_string_equal(scanning_shown(folder, "sub", NO_OPTIONS), "deep/b.c\ndeep/er/c.x\n");
}

static void outside_a_repository_only_what_lies_in_the_scan_counts(void **state)
{
    struct folder *folder = *state;
    PUT_FILES(folder, "sub/a.o", "sub/b.c");
    folder_put(folder, ".gitignore", "*.o\n");
    assert_string_equal(scanning_shown(folder, "sub", NO_OPTIONS), "a.o\nb.c\n");
    assert_string_equal(scanning_shown(folder, "", NO_OPTIONS), "sub/b.c\n");
}

static void excludes_of_the_repository_and_of_the_person_hold(void **state)
{
    struct folder *folder = *state;
    PUT_FILES(folder, "w/one", "w/two", "w/three", "w/four");
    folder_put(folder, "w/.git/info/exclude", "one\n");
    folder_put(folder, "home/.config/git/ignore", "two\n");
    folder_put(folder, "xdg/git/ignore", "four\n");
    struct fs_scan_options options = {.home = folder_path(folder, "home")};
    assert_string_equal(scanning_shown(folder, "w", options), "four\nthree\n");
    struct fs_scan_options elsewhere = options;
    elsewhere.config_home = folder_path(folder, "xdg");
    assert_string_equal(scanning_shown(folder, "w", elsewhere), "three\ntwo\n");
    folder_put(folder, "home/.gitconfig", "[user]\n\tname = x\n[core]\n\texcludesFile = ~/my\\\\ ignores ; text\n");
    folder_put(folder, "home/my\\ ignores", "three\n");
    assert_string_equal(scanning_shown(folder, "w", options), "four\ntwo\n");
    folder_put(folder, "w/.git/config", "[CORE] excludesfile = \"\" # none at all\n");
    assert_string_equal(scanning_shown(folder, "w", options), "four\nthree\ntwo\n");
    folder_put(folder, "w/.git/config", "[core]\nexcludesfile = four-of-them\n");
    folder_put(folder, "w/four-of-them", "f*\n");
    folder_put(folder, "w/.gitignore", "!one\n!four\n");
    assert_string_equal(scanning_shown(folder, "w", options), "four\none\nthree\ntwo\n");
}

static void the_person_s_files_may_be_links(void **state)
{
    struct folder *folder = *state;
    PUT_FILES(folder, "w/.git/HEAD", "w/one", "w/two");
    folder_put(folder, "dots/gitconfig", "[include]\n\tpath = more\n");
    folder_put(folder, "home/more", "[core]\n\texcludesfile = ~/ignores\n[include]\npath = ~/more\n");
    folder_put(folder, "dots/ignores", "one\n");
    assert_int_equal(symlink("../dots/gitconfig", folder_cpath(folder, "home/.gitconfig")), 0);
    assert_int_equal(symlink("../dots/ignores", folder_cpath(folder, "home/ignores")), 0);
    assert_string_equal(scanning_shown(folder, "w", (struct fs_scan_options){.home = folder_path(folder, "home")}),
                        "two\n");
}

static void a_repository_inside_has_its_own_rules(void **state)
{
    struct folder *folder = *state;
    folder_make(folder, ".git");
    PUT_FILES(folder, "a.o", "inner/a.o", "inner/b.x", "inner/deep/B.X", "inner/c.g", "c.g", "inner/deep/d.own");
    folder_put(folder, ".gitignore", "*.o\n");
    folder_put(folder, ".helveignore", "*.own\n"); /* is not git's: holds everywhere */
    folder_put(folder, "inner/.git/info/exclude", "*.x\n");
    folder_put(folder, "home/.config/git/ignore", "/c.g\n");
    struct fs_scan_options options = {.home = folder_path(folder, "home")};
    assert_string_equal(scanning_shown(folder, "", options), "inner/a.o\ninner/deep/B.X\n");
    folder_put(folder, "inner/.git/config", "[core]\n\tignorecase\n");
    assert_string_equal(scanning_shown(folder, "", options), "inner/a.o\n");
}

static void a_worktree_finds_the_shared_excludes(void **state)
{
    struct folder *folder = *state;
    folder_put(folder, "main/.git/info/exclude", "secret\n");
    folder_put(folder, "main/.git/config", "[extensions]\n\tworktreeConfig = true\n");
    folder_put(folder, "main/.git/worktrees/w/commondir", "../..\n");
    const char *file =
        hv_arena_format(&folder->arena, "gitdir: %s\n", folder_cpath(folder, "main/.git/worktrees/w")).ptr;
    folder_put(folder, "w/.git", file);
    PUT_FILES(folder, "w/secret", "w/open", "w/SECRET");
    assert_string_equal(scanning_shown(folder, "w", NO_OPTIONS), "SECRET\nopen\n");
    folder_put(folder, "main/.git/worktrees/w/config.worktree", "[core]\n\tignoreCase = yes\n");
    assert_string_equal(scanning_shown(folder, "w", NO_OPTIONS), "open\n");
    assert_string_equal(scanning_shown(folder, "", NO_OPTIONS), "w/open\n"); /* as a repository inside, too */
}

static void odd_rule_files_do_no_harm(void **state)
{
    struct folder *folder = *state;
    folder_make(folder, ".git");
    PUT_FILES(folder, "one", "two", "three four", "sub/one", "sub/x");
    folder_put(folder, ".gitignore", "\xef\xbb\xbfone\r\ntwo\r\nthree\\ four\r\n[\r\n\\\r\n");
    folder_make(folder, "sub/.gitignore"); /* a directory of that name */
    assert_string_equal(scanning_shown(folder, "", NO_OPTIONS), "sub/x\n");
    assert_int_equal(unlink(folder_cpath(folder, ".gitignore")), 0);
    assert_int_equal(mkfifo(folder_cpath(folder, ".gitignore"), 0600), 0); /* must not block */
    assert_string_equal(scanning_shown(folder, "sub", NO_OPTIONS), "one\nx\n");
    assert_string_equal(scanning_shown(folder, "", NO_OPTIONS), "one\nsub/one\nsub/x\nthree four\ntwo\n");
    assert_int_equal(unlink(folder_cpath(folder, ".gitignore")), 0);
    folder_put(folder, "elsewhere", "one\n");
    assert_int_equal(symlink("elsewhere", folder_cpath(folder, ".gitignore")), 0); /* not followed, as in git */
    assert_string_equal(scanning_shown(folder, "", NO_OPTIONS), "elsewhere\none\nsub/one\nsub/x\nthree four\ntwo\n");
}

static void the_case_of_names_is_ignored_where_git_does(void **state)
{
    struct folder *folder = *state;
    folder_put(folder, ".git/config", "[core]\n\tignorecase = true\n");
    PUT_FILES(folder, "A.O", "B.c", "Build/x", "sub/b.o");
    folder_put(folder, ".gitignore", "*.o\nbuild/\n");
    assert_string_equal(scanning_shown(folder, "", NO_OPTIONS), "B.c\n");
}

/* More rules than are kept at a time: the rest of the files is left aside and counted. */
static void rules_take_bounded_memory(void **state)
{
    struct folder *folder = *state;
    struct hv_buf lines;
    hv_buf_init(&lines, 2 << 20);
    for (int i = 0; i < 300000; i++)
        hv_buf_add_cstr(&lines, "x\n");
    CLEANUP_BUF struct hv_buf name = {0};
    hv_buf_init(&name, 1000);
    for (int i = 0; i < 4; i++) {
        hv_buf_addf(&name, "%sd", i ? "/" : "");
        CLEANUP_BUF struct hv_buf file = {0};
        hv_buf_init(&file, 1000);
        hv_buf_addf(&file, "%s/.gitignore", name.data);
        folder_put_bytes(folder, file.data, hv_buf_str(&lines));
    }
    hv_buf_release(&lines);
    PUT_FILES(folder, "d/d/d/d/x", "d/d/d/d/y");
    struct scanning scanning = {0};
    struct fs_scan_options options = {.root = folder->path, .threads = 2};
    assert_string_equal(scanning_run(&scanning, folder, &options), "d/d/d/d/y\n");
    assert_int_equal(scanning.outcome.rules_skipped, 2);
}

static void rule_files_that_cannot_be_read_are_counted(void **state)
{
    struct folder *folder = *state;
    CLEANUP_BUF struct hv_buf long_file = {0};
    hv_buf_init(&long_file, GIT_FILE_MAX + 16);
    while (long_file.len <= GIT_FILE_MAX)
        hv_buf_add_cstr(&long_file, "x\n");
    PUT_FILES(folder, "a/x", "b/x", "c/x", "rules");
    folder_make(folder, ".git");
    folder_put_bytes(folder, "a/.gitignore", hv_buf_str(&long_file));
    folder_make(folder, "b/.ignore");
    assert_int_equal(symlink("../rules", folder_cpath(folder, "c/.gitignore")), 0);
    struct scanning scanning = {0};
    struct fs_scan_options options = {.root = folder->path, .threads = 2};
    assert_string_equal(scanning_run(&scanning, folder, &options), "a/x\nb/x\nc/x\nrules\n");
    assert_int_equal(scanning.outcome.rules_unreadable, 3);
    assert_int_equal(scanning.outcome.rules_skipped, 0);
    assert_int_equal(scanning.outcome.rules_above, 0);
    assert_int_equal(scanning.outcome.rules_named, 3);
    for (size_t i = 0; i < 3; i++)
        assert_true(hv_str_is(scanning.outcome.rules_names[i].path, (const char *[]){"a", "b", "c"}[i]));
    options.root = folder_path(folder, "a");
    folder_make(folder, ".helveignore");
    struct scanning inside = {0};
    assert_string_equal(scanning_run(&inside, folder, &options), "x\n");
    assert_int_equal(inside.outcome.rules_unreadable, 2);
    assert_int_equal(inside.outcome.rules_above, 1);
    assert_int_equal(inside.outcome.rules_named, 1);
    assert_true(hv_str_is(inside.outcome.rules_names[0].path, "."));
}

static void of_many_rule_files_the_first_ones_are_named(void **state)
{
    struct folder *folder = *state;
    char name[32];
    for (int i = 39; i >= 0; i--) {
        snprintf(name, sizeof name, "%02d%s/.ignore", i / 2,
                 i % 2 ? "-" : "/x"); /* '-' comes before '/', but not here */
        folder_make(folder, name);
    }
    struct scanning scanning = {0};
    struct fs_scan_options options = {.root = folder->path, .threads = 4};
    scanning_run(&scanning, folder, &options);
    assert_int_equal(scanning.outcome.rules_unreadable, 40);
    assert_int_equal(scanning.outcome.rules_named, FS_SCAN_NAMES_MAX);
    for (size_t i = 0; i < FS_SCAN_NAMES_MAX; i++) {
        /* They are listed by their bytes. */
        snprintf(name, sizeof name, "%02zu%s", i / 2, i % 2 ? "/x" : "-");
        assert_string_equal(scanning.outcome.rules_names[i].path.ptr, name);
    }
}

/* ---- git's configuration --------------------------------------------------------------------------------- */

static void configuration_is_read_as_git_reads_it(void **state)
{
    (void)state;
    static const struct {
        const char *text, *excludes;
        bool ignore_case;
    } rows[] = {
        {"[core]\nexcludesfile=a", "a", false},
        {"[core]\nexcludesfile = a b  \n", "a b", false},
        {"[core]\nexcludesfile = \"a b  \"\n", "a b  ", false},
        {"[core]\nexcludesfile = a\\tb\\\\c\\\"\n", "a\tb\\c\"", false},
        {"[core]\nexcludesfile = a \\\n  b\n", "a   b", false},
        {"[core]\nexcludesfile = a ; b\nignorecase = TRUE#x\n", "a", true},
        {"[core]\nexcludesfile = a\";b\"#c\n", "a;b", false},
        {"[core \"x\"]\nexcludesfile = a\n[Core]\nignorecase\n", NULL, true},
        {"[core] ignorecase = 1\n", NULL, true},
        {"[core]\nignorecase = true\nignorecase = off\n", NULL, false},
        {"\xef\xbb\xbf[core]\r\nexcludesfile = a\r\nignorecase = on\r\n", "a", true},
        {"[a \"b\\\"]\"]\n[core]excludesfile = a\n", "a", false},
        {"[core]\nexcludesfile = a\n[core\nignorecase = true\n", "a", false},
        {"[core]\nexcludesfile = a\\q\nignorecase\n", NULL, false},
        {"[core]\nexcludesfile = \"a\nignorecase\n", NULL, false},
        {"[core]\n= 7\nignorecase\n", NULL, false},
        {"[core]\nexcludesfile\n", "", false},
        {"; nothing\n\n  # at all", NULL, false},
        {"", NULL, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct git_settings settings = {0};
        git_settings_read(&arena, hv_str_from(rows[i].text), NULL, &settings);
        if (!hv_str_eq(settings.excludes_file, hv_str_from(rows[i].excludes)) ||
            !settings.excludes_file.ptr != !rows[i].excludes || settings.ignore_case != rows[i].ignore_case)
            fail_msg("row %zu: \"%.*s\" %d", i, HV_STR_ARG(settings.excludes_file), settings.ignore_case);
    }
}

static void line_ends_are_read_as_git_reads_them(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum git_line_ends autocrlf, eol;
    } rows[] = {
        {"[core]\nautocrlf = true\neol = lf\n", GIT_LINE_ENDS_CRLF, GIT_LINE_ENDS_LF},
        {"[core]\nautocrlf\nEOL = CRLF\n", GIT_LINE_ENDS_CRLF, GIT_LINE_ENDS_CRLF},
        {"[core]\nautocrlf = input\neol = native\n", GIT_LINE_ENDS_AS_STORED, GIT_LINE_ENDS_LF},
        {"[core]\nautocrlf = true\nautocrlf = false\neol = crlf\neol = cr\n", GIT_LINE_ENDS_UNSET, GIT_LINE_ENDS_UNSET},
        {"[other]\nautocrlf = true\n[core \"x\"]\neol = crlf\n", GIT_LINE_ENDS_UNSET, GIT_LINE_ENDS_UNSET},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct git_settings settings = {0};
        git_settings_read(&arena, hv_str_from(rows[i].text), NULL, &settings);
        if (settings.autocrlf != rows[i].autocrlf || settings.eol != rows[i].eol)
            fail_msg("row %zu: %d %d", i, settings.autocrlf, settings.eol);
    }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(deeper_files_win_and_negation_takes_back),
        CASE(our_own_file_is_the_strongest),
        CASE(rules_above_the_root_of_the_scan_hold),
        CASE(outside_a_repository_only_what_lies_in_the_scan_counts),
        CASE(excludes_of_the_repository_and_of_the_person_hold),
        CASE(the_person_s_files_may_be_links),
        CASE(a_repository_inside_has_its_own_rules),
        CASE(a_worktree_finds_the_shared_excludes),
        CASE(odd_rule_files_do_no_harm),
        CASE(the_case_of_names_is_ignored_where_git_does),
        CASE(rules_take_bounded_memory),
        CASE(rule_files_that_cannot_be_read_are_counted),
        CASE(of_many_rule_files_the_first_ones_are_named),
        cmocka_unit_test(configuration_is_read_as_git_reads_it),
        cmocka_unit_test(line_ends_are_read_as_git_reads_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
