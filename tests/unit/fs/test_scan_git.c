/*
 * test_scan_git.c: random trees and random ignore files of every kind, held against `git check-ignore`: each entry that
 * git calls ignored, or that lies below one, must be left out, and no other. One process of git for a tree.
 */
#include "scanning.h"

#include "base/cleanup.h"

#include <fcntl.h>
#include <string.h>

enum { TREES = 120, ENTRIES = 60, OUTPUT_MAX = 1 << 22 };

static uint32_t next_random(uint32_t *random)
{
    *random = *random * 1664525u + 1013904223u;
    return *random >> 12;
}

static bool one_in(uint32_t *random, uint32_t count)
{
    return next_random(random) % count == 0;
}

static const char *pick(uint32_t *random, const char *const *from)
{
    size_t count = 0;
    while (from[count])
        count++;
    return from[next_random(random) % count];
}

/* None begins with '-', which is a mark in the notes. */
static const char *const names[] = {"a",    "b",  "ab",   "a.c", "b.o", "lib", "x y",  "A",     "Lib", "a.C",
                                    "a ",   "#a", "!b",   "[a",  "a]",  "a-b", "*",    "a?b",   "^",   "é",
                                    ".hid", "\\", "a\\b", "abc", "bb",  "c",   ".h.o", "a.b.c", NULL};

/* What rules are made of: whole components and parts of them. */
static const char *const pieces[] = {
    "a",      "b",     "ab",  "*",      "*.c",         "*.o",   "?",           "[ab]",
    "lib",    "**",    "a*",  "x y",    "[!a]",        "\\a",   "*b",          "x\\ y",
    "[a-c]*", "A",     "LIB", "*.[co]", "[^b]*",       "***",   "a**",         "**b",
    "[]a]",   "[!]]",  "[a",  "\\*",    "\\?",         "a\\",   "[[:alpha:]]", "[[:upper:]]*",
    "[a-]",   "[--a]", "*.*", "?*",     "a.b.c",       "*a*b*", "[\\]a]*",     "a\\\\b",
    "\\#a",   "\\!b",  "é",   "[é]*",   "[[:punct:]]", "[c-a]", "[A-Z]",       "[a-z]*.C",
    "*[!.]*", "a?b",   ".*",  "??",     "[[:x:]]",     "*\\",   "\\\\",        NULL};

static void add_rule(struct hv_buf *rules, uint32_t *random)
{
    static const char *const ends[] = {"\n",   "\n",    "\n",   "\n",   "\n",   " \n",
                                       "  \n", "\\ \n", "\r\n", "\t\n", "\n\n", NULL};
    if (one_in(random, 12)) {
        hv_buf_add_cstr(rules, one_in(random, 2) ? "# comment\n" : "#a\n");
        return;
    }
    if (one_in(random, 4))
        hv_buf_add_byte(rules, '!');
    if (one_in(random, 4))
        hv_buf_add_byte(rules, '/');
    size_t count = 1 + next_random(random) % 3;
    for (size_t i = 0; i < count; i++) {
        hv_buf_addf(rules, "%s%s", i ? "/" : "", pick(random, pieces));
        if (one_in(random, 5))
            hv_buf_add_cstr(rules, pick(random, pieces));
    }
    if (one_in(random, 5))
        hv_buf_add_byte(rules, '/');
    hv_buf_add_cstr(rules, pick(random, ends));
}

/* Not host->write, which waits for the disk each time. A directory may stand in the way. */
static void put_if_free(struct folder *folder, const char *name, struct hv_str bytes)
{
    CLEANUP_FD int fd = open(folder_cpath(folder, name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd >= 0)
        assert_int_equal(write(fd, bytes.ptr, bytes.len), bytes.len);
}

static void put_rules(struct folder *folder, const char *name, uint32_t *random)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, 10000);
    if (one_in(random, 15))
        hv_buf_add_cstr(&text, "\xef\xbb\xbf");
    for (size_t r = 1 + next_random(random) % 12; r > 0; r--)
        add_rule(&text, random);
    if (one_in(random, 4)) /* the last line without its end */
        text.data[--text.len] = '\0';
    put_if_free(folder, name, hv_buf_str(&text));
}

/* Where a file stands in the way of a directory, or the other way round, there is just one entry less. */
static void plant(struct folder *folder, uint32_t *random)
{
    const struct hv_host *host = hv_host_local();
    for (int i = 0; i < ENTRIES; i++) {
        CLEANUP_BUF struct hv_buf path = {0};
        hv_buf_init(&path, 1000);
        hv_buf_add_cstr(&path, "w");
        for (size_t depth = next_random(random) % 4; depth > 0; depth--)
            hv_buf_addf(&path, "/%s", pick(random, names));
        if (host->make_directories(host, folder_path(folder, path.data), NULL))
            continue;
        if (one_in(random, 6)) {
            hv_buf_add_cstr(&path, "/.gitignore");
            put_rules(folder, path.data, random);
            continue;
        }
        hv_buf_addf(&path, "/%s", pick(random, names));
        put_if_free(folder, path.data, HV_STR("x"));
    }
}

/* A repository without a process: what git wants to see, rules of all kinds, sometimes without regard to case. */
static void make_repository(struct folder *folder, uint32_t *random)
{
    folder_put(folder, "w/.git/HEAD", "ref: refs/heads/main\n");
    folder_make(folder, "w/.git/objects");
    folder_make(folder, "w/.git/refs");
    folder_make(folder, "w/.git/info");
    folder_make(folder, "home/.config/git");
    folder_put(folder, "w/.git/config",
               one_in(random, 3) ? "[core]\n\tbare = false\n\tignorecase = true\n" : "[core]\n\tbare = false\n");
    if (one_in(random, 2))
        put_rules(folder, "w/.git/info/exclude", random);
    if (one_in(random, 2))
        put_rules(folder, one_in(random, 2) ? "home/.config/git/ignore" : "home/mine", random);
    if (one_in(random, 2))
        folder_put(folder, "home/.gitconfig", "[core]\n\texcludesFile = ~/mine\n");
    plant(folder, random);
}

static bool keep_output(void *user, enum hv_stream stream, struct hv_str bytes)
{
    if (stream == HV_STDOUT)
        hv_buf_add_str(user, bytes);
    return true;
}

/* Those of the paths (each with a NUL behind) that git ignores, in its order; absent when there is no git. */
static struct hv_str ask_git(struct folder *folder, struct hv_str paths)
{
    static const char *const arguments[] = {"git", "check-ignore", "--stdin", "-z", NULL};
    const char *home = hv_arena_format(&folder->arena, "HOME=%s", folder_cpath(folder, "home")).ptr;
    const char *const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", home, "GIT_CONFIG_NOSYSTEM=1", NULL};
    CLEANUP_BUF struct hv_buf output = {0};
    hv_buf_init(&output, OUTPUT_MAX);
    struct hv_command command = {.argv = arguments,
                                 .environment = environment,
                                 .directory = folder_cpath(folder, "w"),
                                 .input = paths,
                                 .on_output = keep_output,
                                 .user = &output};
    struct hv_exit ended;
    const struct hv_host *host = hv_host_local();
    if (host->run(host, &command, &ended, NULL) || (ended.code != 0 && ended.code != 1))
        return (struct hv_str){0};
    return hv_arena_str(&folder->arena, hv_buf_str(&output));
}

/* The lines of text as paths for git, without the marks of the notes. */
static struct hv_str as_input(struct folder *folder, const char *text)
{
    CLEANUP_BUF struct hv_buf input = {0};
    hv_buf_init(&input, OUTPUT_MAX);
    struct hv_str rest = hv_str_from(text), line;
    while (hv_str_split(&rest, '\n', &line) && line.len) {
        size_t end = line.len - hv_str_ends(line, HV_STR("/"));
        hv_buf_add_str(&input, hv_str_slice(line, line.ptr[0] == '-', end));
        hv_buf_add_byte(&input, '\0');
    }
    return hv_arena_str(&folder->arena, hv_buf_str(&input));
}

/* Hold each line of the notes against git's answer. Returns how many there were; 0 without git. */
static size_t compare(struct folder *folder, const char *text, uint32_t seed, size_t *ignored_count)
{
    struct hv_str input = as_input(folder, text), git = ask_git(folder, input), rest = hv_str_from(text), line;
    struct hv_str path, ignored;
    size_t checked = 0;
    if (!git.ptr)
        return 0;
    bool more = hv_str_split(&git, '\0', &ignored);
    while (hv_str_split(&rest, '\n', &line) && line.len) {
        (void)hv_str_split(&input, '\0', &path);
        bool by_git = more && hv_str_eq(ignored, path), ours = line.ptr[0] == '-';
        if (by_git != ours)
            fail_msg("seed %u: \"%.*s\" is %signored by git", seed, HV_STR_ARG(line), by_git ? "" : "not ");
        *ignored_count += by_git;
        if (by_git)
            more = hv_str_split(&git, '\0', &ignored);
        checked++;
    }
    return checked;
}

static void random_trees_are_ignored_as_git_ignores_them(void **state)
{
    (void)state;
    size_t checked = 0, ignored = 0;
    for (uint32_t seed = 1; seed <= TREES; seed++) {
        struct folder folder;
        uint32_t random = seed * 2654435761u;
        folder_open(&folder);
        make_repository(&folder, &random);
        struct scanning scanning = {0};
        struct fs_scan_options options = {.root = folder_path(&folder, "w"),
                                          .home = folder_path(&folder, "home"),
                                          .hidden = true,
                                          .directories = true,
                                          .show_ignored = true,
                                          .threads = 1 + seed % 3};
        const char *text = scanning_run(&scanning, &folder, &options);
        size_t count = compare(&folder, text, seed, &ignored);
        folder_close(&folder);
        checked += count;
        if (!count && seed == 1) {
            print_message("# git is not installed: not held against it\n");
            return;
        }
    }
    print_message("# %zu entries, %zu of them ignored\n", checked, ignored);
    assert_true(checked > TREES * 10 && ignored > TREES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_trees_are_ignored_as_git_ignores_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
