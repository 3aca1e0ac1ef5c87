/*
 * test_rules.c: which files a walk leaves out: every kind of ignore file, their order of strength, repositories around
 * and inside the walk; and, where git is installed, random trees held against `git ls-files`.
 */
#include "folder.h"

#include "base/cleanup.h"
#include "fs/walk.h"

#include <string.h>
#include <sys/stat.h>

static int open_folder(void **state)
{
    static struct folder folder;
    folder_open(&folder);
    *state = &folder;
    return 0;
}

static int close_folder(void **state)
{
    folder_close(*state);
    return 0;
}

static enum fs_walk_action note(void *user, const struct fs_walk_entry *entry)
{
    struct hv_buf *paths = user;
    /* The rule files themselves are of no interest here. */
    if (!hv_str_ends(entry->name, HV_STR("ignore")) && entry->kind != HV_FILE_DIRECTORY) {
        hv_buf_add_str(paths, entry->path);
        hv_buf_add_byte(paths, '\n');
    }
    return FS_WALK_ON;
}

/* The files below a directory of the folder that are not left out. */
static const char *shown(struct folder *folder, const char *root, struct fs_walk_options options)
{
    CLEANUP_BUF struct hv_buf paths;
    hv_buf_init(&paths, 1 << 24);
    struct fs_walk_outcome outcome;
    struct hv_error err;
    options.root = folder_path(folder, root);
    if (fs_walk(&options, note, &paths, &outcome, &err))
        fail_msg("%s", err.message);
    return hv_arena_cstr(&folder->arena, hv_buf_str(&paths));
}

static void put_files(struct folder *folder, const char *const *names)
{
    for (; *names; names++)
        folder_put(folder, *names, "x");
}
#define PUT_FILES(folder, ...) put_files(folder, (const char *const[]){__VA_ARGS__, NULL})

static void deeper_files_win_and_negation_takes_back(void **state)
{
    struct folder *folder = *state;
    folder_make(folder, ".git");
    PUT_FILES(folder, "a.o", "b.c", "sub/a.o", "sub/keep.o", "sub/deep/x.o", "out/b.c", "out/deep/c.c", "doc/out");
    folder_put(folder, ".gitignore", "*.o\n/out\n");
    folder_put(folder, "sub/.gitignore", "!keep.o\n# a comment\n\n");
    folder_put(folder, "out/.gitignore", "!b.c\n"); /* below an ignored directory nothing comes back */
    assert_string_equal(shown(folder, "", (struct fs_walk_options){0}), "b.c\ndoc/out\nsub/keep.o\n");
    assert_string_equal(shown(folder, "", (struct fs_walk_options){.no_ignore = true}),
                        "a.o\nb.c\ndoc/out\nout/b.c\nout/deep/c.c\nsub/a.o\nsub/keep.o\nsub/deep/x.o\n");
}

static void our_own_file_is_the_strongest(void **state)
{
    struct folder *folder = *state;
    folder_make(folder, ".git");
    PUT_FILES(folder, "one", "two", "three");
    folder_put(folder, ".gitignore", "one\ntwo\nthree\n");
    folder_put(folder, ".ignore", "!two\n!three\n");
    folder_put(folder, ".helveignore", "three\n");
    assert_string_equal(shown(folder, "", (struct fs_walk_options){0}), "two\n");
}

static void rules_above_the_root_of_the_walk_hold(void **state)
{
    struct folder *folder = *state;
    folder_make(folder, ".git");
    PUT_FILES(folder, "sub/deep/a.o", "sub/deep/b.c", "sub/deep/c.x", "sub/deep/d.y");
    folder_put(folder, ".gitignore", "*.o\n/sub/deep/c.x\n");
    folder_put(folder, "sub/.gitignore", "d.y\n");
    assert_string_equal(shown(folder, "sub/deep", (struct fs_walk_options){0}), "b.c\n");
    assert_string_equal(shown(folder, "sub", (struct fs_walk_options){0}), "deep/b.c\n");
}

static void outside_a_repository_only_what_lies_in_the_walk_counts(void **state)
{
    struct folder *folder = *state;
    PUT_FILES(folder, "sub/a.o", "sub/b.c");
    folder_put(folder, ".gitignore", "*.o\n");
    assert_string_equal(shown(folder, "sub", (struct fs_walk_options){0}), "a.o\nb.c\n");
    assert_string_equal(shown(folder, "", (struct fs_walk_options){0}), "sub/b.c\n");
}

static void excludes_of_the_repository_and_of_the_person_hold(void **state)
{
    struct folder *folder = *state;
    PUT_FILES(folder, "w/one", "w/two", "w/three", "w/four");
    folder_put(folder, "w/.git/info/exclude", "one\n");
    folder_put(folder, "home/.config/git/ignore", "two\n");
    struct fs_walk_options options = {.home = folder_path(folder, "home")};
    assert_string_equal(shown(folder, "w", options), "four\nthree\n");
    folder_put(folder, "home/.gitconfig", "[user]\n\tname = x\n[core]\n\texcludesFile = ~/my\\ ignores\n");
    folder_put(folder, "home/.gitconfig", "[core]\n\texcludesfile = \"~/mine\"\n");
    folder_put(folder, "home/mine", "three\n");
    assert_string_equal(shown(folder, "w", options), "four\ntwo\n");
    folder_put(folder, "w/.gitignore", "!one\n!three\n");
    assert_string_equal(shown(folder, "w", options), "four\none\nthree\ntwo\n");
}

static void a_repository_inside_has_its_own_rules(void **state)
{
    struct folder *folder = *state;
    folder_make(folder, ".git");
    PUT_FILES(folder, "a.o", "inner/a.o", "inner/b.x");
    folder_put(folder, ".gitignore", "*.o\n");
    folder_put(folder, "inner/.git/info/exclude", "*.x\n");
    assert_string_equal(shown(folder, "", (struct fs_walk_options){0}), "inner/a.o\n");
}

static void a_worktree_finds_the_shared_excludes(void **state)
{
    struct folder *folder = *state;
    folder_put(folder, "main/.git/info/exclude", "secret\n");
    folder_put(folder, "main/.git/worktrees/w/commondir", "../..\n");
    folder_put(folder, "w/.git",
               hv_arena_format(&folder->arena, "gitdir: %s\n", folder_cpath(folder, "main/.git/worktrees/w")).ptr);
    PUT_FILES(folder, "w/secret", "w/open");
    assert_string_equal(shown(folder, "w", (struct fs_walk_options){0}), "open\n");
}

static void odd_rule_files_do_no_harm(void **state)
{
    struct folder *folder = *state;
    folder_make(folder, ".git");
    PUT_FILES(folder, "one", "two", "three four", "sub/one", "sub/x");
    folder_put(folder, ".gitignore", "\xef\xbb\xbfone\r\ntwo\r\nthree\\ four\r\n[\r\n\\\r\n");
    folder_make(folder, "sub/.gitignore"); /* a directory of that name */
    assert_string_equal(shown(folder, "", (struct fs_walk_options){0}), "sub/x\n");
    assert_int_equal(unlink(folder_cpath(folder, ".gitignore")), 0);
    assert_int_equal(mkfifo(folder_cpath(folder, ".gitignore"), 0600), 0); /* must not block */
    assert_string_equal(shown(folder, "sub", (struct fs_walk_options){0}), "one\nx\n");
    assert_int_equal(unlink(folder_cpath(folder, ".gitignore")), 0);
    folder_put(folder, "elsewhere", "one\n");
    assert_int_equal(symlink("elsewhere", folder_cpath(folder, ".gitignore")), 0); /* not followed, as in git */
    assert_string_equal(shown(folder, "sub", (struct fs_walk_options){0}), "one\nx\n");
}

static void the_case_of_names_is_ignored_where_git_does(void **state)
{
    struct folder *folder = *state;
    folder_put(folder, ".git/config", "[core]\n\tignorecase = true\n");
    PUT_FILES(folder, "BUILD/x", "a");
    folder_put(folder, ".gitignore", "build/\n");
    assert_string_equal(shown(folder, "", (struct fs_walk_options){0}), "a\n");
}

/* ---- held against git ------------------------------------------------------------------------------------ */

static uint32_t next_random(uint32_t *random)
{
    *random = *random * 1664525u + 1013904223u;
    return *random >> 12;
}

static const char *pick(uint32_t *random, const char *const *from)
{
    size_t count = 0;
    while (from[count])
        count++;
    return from[next_random(random) % count];
}

static const char *const names[] = {"a", "b", "ab", "a.c", "b.o", "lib", "x y", NULL};
static const char *const pieces[] = {"a",  "b",  "ab",  "*",    "*.c", "*.o", "?",     "[ab]",   "lib",
                                     "**", "a*", "x y", "[!a]", "\\a", "*b",  "x\\ y", "[a-c]*", NULL};

/* A rule of one to three pieces, anchored, negated or for directories now and then. */
static void add_rule(struct hv_buf *rules, uint32_t *random)
{
    if (next_random(random) % 4 == 0)
        hv_buf_add_byte(rules, '!');
    if (next_random(random) % 4 == 0)
        hv_buf_add_byte(rules, '/');
    size_t count = 1 + next_random(random) % 3;
    for (size_t i = 0; i < count; i++)
        hv_buf_addf(rules, "%s%s", i ? "/" : "", pick(random, pieces));
    if (next_random(random) % 5 == 0)
        hv_buf_add_byte(rules, '/');
    hv_buf_add_byte(rules, '\n');
}

static void plant(struct folder *folder, uint32_t *random)
{
    for (int i = 0; i < 40; i++) {
        CLEANUP_BUF struct hv_buf path;
        hv_buf_init(&path, 1000);
        size_t depth = 1 + next_random(random) % 4;
        hv_buf_add_cstr(&path, "w");
        for (size_t d = 0; d + 1 < depth; d++)
            hv_buf_addf(&path, "/%s", pick(random, names));
        const struct hv_host *host = hv_host_local();
        /* Where a file stands in the way of a directory, or the other way round, there is just one file less. */
        if (host->make_directories(host, folder_path(folder, path.data), NULL))
            continue;
        bool has_rules = next_random(random) % 5 == 0;
        hv_buf_addf(&path, "/%s", has_rules ? ".gitignore" : pick(random, names));
        CLEANUP_BUF struct hv_buf text;
        hv_buf_init(&text, 1000);
        for (size_t r = 1 + next_random(random) % 4; has_rules && r > 0; r--)
            add_rule(&text, random);
        struct hv_write_options options = {0};
        (void)!host->write(host, folder_path(folder, path.data), hv_buf_str(&text), &options, NULL, NULL);
    }
}

static bool keep_output(void *user, enum hv_stream stream, struct hv_str bytes)
{
    if (stream == HV_STDOUT)
        hv_buf_add_str(user, bytes);
    return true;
}

/* What git lists in the folder's "w", or what it says to other arguments; absent when there is no git. */
static struct hv_str run_git(struct folder *folder, const char *const *arguments)
{
    static const char *const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/nonexistent",
                                              "GIT_CONFIG_NOSYSTEM=1", NULL};
    CLEANUP_BUF struct hv_buf output;
    hv_buf_init(&output, 1 << 20);
    struct hv_command command = {.argv = arguments,
                                 .environment = environment,
                                 .directory = folder_cpath(folder, "w"),
                                 .on_output = keep_output,
                                 .user = &output};
    struct hv_exit ended;
    const struct hv_host *host = hv_host_local();
    if (host->run(host, &command, &ended, NULL) || ended.code != 0)
        return (struct hv_str){0};
    return hv_arena_str(&folder->arena, hv_buf_str(&output));
}

static int compare_lines(const void *a, const void *b)
{
    return hv_str_compare(*(const struct hv_str *)a, *(const struct hv_str *)b);
}

static const char *sorted(struct folder *folder, struct hv_str text)
{
    struct hv_str lines[2000], line;
    size_t count = 0;
    while (count < 2000 && hv_str_split(&text, '\n', &line))
        if (line.len && !hv_str_ends(line, HV_STR("ignore")))
            lines[count++] = line;
    qsort(lines, count, sizeof *lines, compare_lines);
    CLEANUP_BUF struct hv_buf out;
    hv_buf_init(&out, 1 << 20);
    for (size_t i = 0; i < count; i++)
        hv_buf_addf(&out, "%.*s\n", HV_STR_ARG(lines[i]));
    return hv_arena_cstr(&folder->arena, hv_buf_str(&out));
}

static void random_trees_are_shown_as_git_lists_them(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 25; seed++) {
        struct folder folder;
        uint32_t random = seed * 2654435761u;
        folder_open(&folder);
        folder_make(&folder, "w");
        if (!run_git(&folder, (const char *const[]){"git", "init", "-q", NULL}).ptr) {
            folder_close(&folder);
            print_message("# git is not installed: not held against it\n");
            return;
        }
        plant(&folder, &random);
        static const char *const list[] = {"git", "ls-files", "-o", "--exclude-standard", NULL};
        const char *expected = sorted(&folder, run_git(&folder, list));
        const char *ours = sorted(&folder, hv_str_from(shown(&folder, "w", (struct fs_walk_options){.hidden = true})));
        if (strcmp(expected, ours) != 0)
            print_error("seed %u\n", seed);
        assert_string_equal(ours, expected);
        folder_close(&folder);
    }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_folder, close_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(deeper_files_win_and_negation_takes_back),
        CASE(our_own_file_is_the_strongest),
        CASE(rules_above_the_root_of_the_walk_hold),
        CASE(outside_a_repository_only_what_lies_in_the_walk_counts),
        CASE(excludes_of_the_repository_and_of_the_person_hold),
        CASE(a_repository_inside_has_its_own_rules),
        CASE(a_worktree_finds_the_shared_excludes),
        CASE(odd_rule_files_do_no_harm),
        CASE(the_case_of_names_is_ignored_where_git_does),
        cmocka_unit_test(random_trees_are_shown_as_git_lists_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
