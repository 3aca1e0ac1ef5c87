/*
 * test_ignore.c: gitignore rules, by a table whose verdicts `git check-ignore` confirms where git is installed.
 */
#include "base/cleanup.h"
#include "text/ignore.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
// clang-format on

/* path ends in '/': a directory. */
static const struct {
    const char *rules, *path;
    bool ignored;
} cases[] = {
    /* names */
    {"a", "a", true},
    {"a", "a/", true},
    {"a", "d/a", true},
    {"a", "d/e/a", true},
    {"a", "ab", false},
    {"a", "A", false},
    {"a.txt", "d/a.txt", true},
    {"a", "a/below", true},
    {"a", "d/a/below/deep", true},
    /* comments and blanks */
    {"# a\n", "# a", false},
    {"#a\n", "a", false},
    {"\\#a", "#a", true},
    {"\n\n\na\n", "a", true},
    {"a ", "a", true},
    {"a   \n", "a", true},
    {"a\\ ", "a ", true},
    {"a\\ ", "a", false},
    {"a b", "a b", true},
    {" a", " a", true},
    {" a", "a", false},
    {"a\t", "a", false},
    {"a\r\n", "a", true},
    {"a\r", "a", true},
    {"[[:alpha", "a", false},
    {"[[:]", ":", true},
    {"a/**\\/b", "a/b", false},
    {"a/**\\/b", "a/x/b", true},
    {"\xef\xbb\xbf"
     "a",
     "a", true},
    {"", "a", false},
    {"/", "a", false},
    {"!", "a", false},
    /* anchored */
    {"/a", "a", true},
    {"/a", "d/a", false},
    {"d/a", "d/a", true},
    {"d/a", "e/d/a", false},
    {"/d/a", "d/a", true},
    {"d/a/", "d/a/", true},
    {"d/*", "d/a", true},
    {"d/*", "d/a/b", true},
    {"d/*", "e/d/a", false},
    {"*/a", "d/a", true},
    {"*/a", "d/e/a", false},
    {"*/a", "a", false},
    /* directories only */
    {"a/", "a/", true},
    {"a/", "a", false},
    {"a/", "a/b", true},
    {"a/", "d/a/b", true},
    {"/a/", "d/a/b", false},
    {"a//", "a/", false},
    /* wildcards */
    {"*.o", "x.o", true},
    {"*.o", "d/x.o", true},
    {"*.o", ".o", true},
    {"*.o", "x.ob", false},
    {"*", "anything", true},
    {"*", ".hidden", true},
    {"a*c", "abc", true},
    {"a*c", "ac", true},
    {"a*c", "ab/c", false},
    {"a?c", "abc", true},
    {"a?c", "ac", false},
    {"d?a", "d/a", false},
    {"[ab]x", "ax", true},
    {"[ab]x", "cx", false},
    {"[!ab]x", "cx", true},
    {"[^ab]x", "ax", false},
    {"[a-c]x", "bx", true},
    {"[[:digit:]]x", "1x", true},
    {"[[:digit:]]x", "ax", false},
    {"[]x]y", "]y", true},
    {"[a", "[a", false},
    {"d[/]a", "d/a", false},
    {"\\*", "*", true},
    {"\\*", "x", false},
    {"\\a", "a", true},
    {"a\\", "a", false},
    {"a\\", "a\\", false},
    {"foo*bar/baz", "fooxbar/baz", true},
    {"foo*bar/baz", "d/fooxbar/baz", false},
    /* double stars */
    {"**/a", "a", true},
    {"**/a", "d/e/a", true},
    {"**/d/a", "x/y/d/a", true},
    {"**/d/a", "d/a", true},
    {"d/**", "d/a", true},
    {"d/**", "d/e/f", true},
    {"d/**", "d/", false},
    {"d/**/a", "d/a", true},
    {"d/**/a", "d/x/y/a", true},
    {"d/**/a", "x/d/a", false},
    {"**", "a", true},
    {"**", "d/a", true},
    {"/**", "d/a", true},
    {"d/**/", "d/a", false},
    {"d/**/", "d/e/", true},
    {"d/**/", "d/e/f", true},
    {"a**b", "axxb", true},
    {"a**b", "a/b", false},
    {"d/a**b", "d/axb", true},
    {"d/a**b", "d/a/b", false},
    {"**a", "xa", true},
    {"**a/b", "xa/b", true},
    {"**a/b", "d/xa/b", false},
    {"***/a", "d/e/a", true},
    {"d/***/a", "d/x/y/a", true},
    {"**/*.o", "d/x.o", true},
    {"**/d/**/a", "x/d/y/a", true},
    {"d/**/e/**/a", "d/1/e/2/3/a", true},
    /* taken back */
    {"*.o\n!x.o", "x.o", false},
    {"*.o\n!x.o", "y.o", true},
    {"!x.o\n*.o", "x.o", true},
    {"*.o\n!x.o\nx.o", "x.o", true},
    {"d/\n!d/a", "d/a", true},
    {"d/*\n!d/a", "d/a", false},
    {"d/*\n!d/a", "d/b", true},
    {"/*\n!/d", "d/a", false},
    {"/*\n!/d\n/d/*\n!/d/e", "d/e/a", false},
    {"/*\n!/d\n/d/*\n!/d/e", "d/f/a", true},
    {"\\!a", "!a", true},
    {"!!a\n", "!a", false},
    {"*\n!*/\n!*.c", "d/e/x.c", false},
    {"*\n!*/\n!*.c", "d/e/x.o", true},
    {"a\n!a/", "a", true},
    {"a\n!a/", "a/", false},
    /* bytes that are no ASCII */
    {"\xc3\xbc", "\xc3\xbc", true},
    {"?", "\xc3\xbc", false},
    {"??", "\xc3\xbc", true},
};

enum { CASES = sizeof cases / sizeof *cases };

static struct hv_str path_of(const char *path, bool *is_directory)
{
    struct hv_str s = hv_str_from(path);
    *is_directory = hv_str_ends(s, HV_STR("/"));
    return hv_str_slice(s, 0, s.len - *is_directory);
}

/* Path, or some directory above it, is ignored: what a walk over it would come to. */
static bool is_ignored(const struct ignore_chain *chain, struct hv_str path, bool is_directory)
{
    for (size_t slash = 0; (slash = hv_str_find_byte(path, '/', slash)) != SIZE_MAX; slash++)
        if (ignore_chain_match(chain, hv_str_slice(path, 0, slash), true) == IGNORE_IGNORED)
            return true;
    return ignore_chain_match(chain, path, is_directory) == IGNORE_IGNORED;
}

static void rules_decide_as_in_git(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        bool is_directory;
        struct hv_str path = path_of(cases[i].path, &is_directory);
        const struct ignore_list *list = ignore_parse(&arena, hv_str_from(cases[i].rules), 0);
        bool ignored = ignore_match_below(list, path, is_directory) == IGNORE_IGNORED;
        if (ignored != cases[i].ignored)
            fail_msg("\"%s\" on %s: %s", cases[i].rules, cases[i].path, ignored ? "ignored" : "not ignored");
        struct ignore_chain chain = {.list = list};
        if (is_ignored(&chain, path, is_directory) != cases[i].ignored)
            fail_msg("\"%s\" on %s: the chain says otherwise", cases[i].rules, cases[i].path);
    }
}

/* ---- git as the oracle ---- */

static void make_parents(char *path)
{
    for (char *slash = path; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int run(const char *const argv[])
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
            _exit(126);
        setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
        setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1);
        execvp(argv[0], (char *const *)argv);
        _exit(127);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* Make the file or directory that a case is about, in an otherwise empty repository, and ask git. */
static void ask_git(size_t i)
{
    char path[128];
    snprintf(path, sizeof path, "./%s", cases[i].path);
    make_parents(path);
    size_t len = strlen(path);
    if (path[len - 1] == '/')
        path[len - 1] = '\0';
    else
        write_file(path, "");
    write_file(".gitignore", cases[i].rules);
    const char *const argv[] = {"git", "check-ignore", "-q", "--no-index", path, NULL};
    int exit_code = run(argv);
    if (exit_code > 1 || (exit_code == 0) != cases[i].ignored)
        fail_msg("\"%s\" on %s: git exits with %d", cases[i].rules, cases[i].path, exit_code);
    const char *const clean[] = {"git", "clean", "-q", "-f", "-f", "-d", "-x", NULL};
    assert_int_equal(run(clean), 0);
}

static void git_says_the_same(void **state)
{
    (void)state;
    char directory[] = "/tmp/helve-ignore-XXXXXX";
    const char *const init[] = {"git", "init", "-q", ".", NULL};
    const char *const version[] = {"git", "--version", NULL};
    if (run(version))
        skip();
    assert_non_null(mkdtemp(directory));
    assert_int_equal(chdir(directory), 0);
    assert_int_equal(run(init), 0);
    for (size_t i = 0; i < CASES; i++)
        ask_git(i);
    assert_int_equal(chdir("/"), 0);
    const char *const remove[] = {"rm", "-rf", directory, NULL};
    assert_int_equal(run(remove), 0);
}

/* ---- lists by directory ---- */

static void the_nearest_list_that_says_something_decides(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct ignore_chain global = {.list = ignore_parse(&arena, HV_STR("*.log\n*.tmp"), 0)};
    struct ignore_chain root = {.parent = &global, .list = ignore_parse(&arena, HV_STR("!keep.log\n/build\nsub/x"), 0)};
    struct ignore_chain sub = {
        .parent = &root, .list = ignore_parse(&arena, HV_STR("/y\n!*.tmp\n"), 0), .base = HV_STR("sub")};
    assert_true(is_ignored(&sub, HV_STR("a.log"), false));
    assert_false(is_ignored(&sub, HV_STR("keep.log"), false));
    assert_true(is_ignored(&sub, HV_STR("a.tmp"), false));
    assert_false(is_ignored(&sub, HV_STR("sub/a.tmp"), false));
    assert_true(is_ignored(&sub, HV_STR("sub/y"), false));
    assert_false(is_ignored(&sub, HV_STR("y"), false));
    assert_false(is_ignored(&sub, HV_STR("subway/y"), false));
    assert_true(is_ignored(&sub, HV_STR("sub/x"), false));
    assert_true(is_ignored(&sub, HV_STR("build/deep/file"), false));
    assert_false(is_ignored(&sub, HV_STR("sub/build"), false));
    assert_int_equal(ignore_chain_match(&sub, HV_STR("sub/z"), false), IGNORE_NONE);
}

static void rules_from_above_the_root_of_a_walk_see_the_way_down(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct ignore_chain above = {.list = ignore_parse(&arena, HV_STR("/src/lib/a\n/b"), 0), .above = HV_STR("src/lib")};
    assert_true(is_ignored(&above, HV_STR("a"), false));
    assert_false(is_ignored(&above, HV_STR("b"), false));
    assert_false(is_ignored(&above, HV_STR("c/a"), false));
}

static void the_rule_that_decided_can_be_told(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct ignore_list *list = ignore_parse(&arena, HV_STR("# first\n*.o\n\n!x.o\n"), 0);
    struct ignore_rule_text rule;
    assert_int_equal(ignore_match_rule(list, HV_STR("d/y.o"), false, &rule), IGNORE_IGNORED);
    assert_int_equal(rule.line, 2);
    assert_true(hv_str_is(rule.pattern, "*.o"));
    assert_int_equal(ignore_match_rule(list, HV_STR("x.o"), false, &rule), IGNORE_INCLUDED);
    assert_int_equal(rule.line, 4);
    assert_true(hv_str_is(rule.pattern, "!x.o"));
    assert_int_equal(ignore_match_rule(list, HV_STR("x.c"), false, &rule), IGNORE_NONE);
    assert_int_equal(rule.line, 0);
}

static void case_counts_unless_told_otherwise(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    static const char *const rules[] = {"Name", "*.Txt", "/Dir/x", "d*r/[a-c]", "**/Deep/x"};
    static const char *const paths[] = {"nAME", "a.tXT", "dIR/X", "DiR/B", "q/dEEP/X"};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const struct ignore_list *exact = ignore_parse(&arena, hv_str_from(rules[i]), 0);
        const struct ignore_list *any_case = ignore_parse(&arena, hv_str_from(rules[i]), IGNORE_ICASE);
        assert_int_equal(ignore_match(exact, hv_str_from(paths[i]), false), IGNORE_NONE);
        assert_int_equal(ignore_match(any_case, hv_str_from(paths[i]), false), IGNORE_IGNORED);
    }
}

/* ---- many rules in one list ---- */

static uint32_t next_random(uint32_t *random)
{
    *random = *random * 1664525u + 1013904223u;
    return *random >> 12;
}

/* A few letters, so that some names match some rules; now and then much longer than any rule. */
static size_t add_letters(char *to, uint32_t *random, size_t most)
{
    size_t len = 1 + next_random(random) % most;
    for (size_t i = 0; i < len; i++)
        to[i] = "ab.A"[next_random(random) % 4];
    return len;
}

static size_t add_text(char *to, const char *text)
{
    size_t len = strlen(text);
    memcpy(to, text, len);
    return len;
}

static size_t make_rule(char *to, uint32_t *random)
{
    static const char *const begins[] = {"", "", "*", "*", "/", "d/", "!", "!*", "*/"};
    static const char *const ends[] = {"", "", "", "/", "*", "?", "[ab]", "*.b"};
    size_t len = 0;
    const char *begin = begins[next_random(random) % 9], *end = ends[next_random(random) % 8];
    len += add_text(to, begin);
    len += add_letters(to + len, random, next_random(random) % 8 ? 3 : 60);
    return len + add_text(to + len, end);
}

/* The verdict of the last of the rules, each taken alone, that says something. */
static enum ignore_verdict one_by_one(struct hv_str rules, struct hv_str path, bool is_directory, unsigned flags)
{
    enum ignore_verdict verdict = IGNORE_NONE;
    struct hv_str rule;
    while (hv_str_split(&rules, '\n', &rule)) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        enum ignore_verdict own = ignore_match(ignore_parse(&arena, rule, flags), path, is_directory);
        verdict = own == IGNORE_NONE ? verdict : own;
    }
    return verdict;
}

static void many_rules_decide_as_one_after_the_other_would(void **state)
{
    (void)state;
    enum { LISTS = 60, RULES = 60, NAMES = 150, LONGEST = 80 };
    size_t decided = 0;
    for (uint32_t round = 0, random = 7; round < LISTS; round++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        char rules[RULES * LONGEST], path[LONGEST];
        size_t len = 0;
        for (size_t i = 0; i < RULES; i++) {
            len += make_rule(rules + len, &random);
            rules[len++] = '\n';
        }
        const struct ignore_list *list = ignore_parse(&arena, hv_str_of(rules, len), round % 2 ? IGNORE_ICASE : 0);
        for (size_t i = 0; i < NAMES; i++) {
            size_t at = next_random(&random) % 2 ? add_text(path, "d/") : 0;
            at += add_letters(path + at, &random, next_random(&random) % 8 ? 4 : 70);
            bool is_directory = next_random(&random) % 3 == 0;
            struct hv_str whole = hv_str_of(path, at);
            enum ignore_verdict expected = one_by_one(hv_str_of(rules, len), whole, is_directory, round % 2);
            if (ignore_match(list, whole, is_directory) != expected)
                fail_msg("%.*s, list %u: not as its rules one by one", (int)at, path, (unsigned)round);
            decided += expected != IGNORE_NONE;
        }
    }
    assert_true(decided > LISTS * NAMES / 8 && decided < LISTS * NAMES);
}

/* ---- patterns of permission rules ---- */

static const struct {
    const char *pattern, *path;
    bool matches;
} patterns[] = {
    {"*.c", "src/a.c", true},  {"./*.c", "src/a.c", false}, {"./*.c", "a.c", true},
    {"/src", "src/a.c", true}, {"src/**", "src/a.c", true}, {"src", "d/src/a.c", true},
    {"#a", "#a", true},        {"!a", "!a", true},          {"a ", "a ", true},
    {"a ", "a", false},        {".", "a/b", true},          {"./", "a", true},
    {"/", "a/b", true},        {"**", "a/b", true},         {"secrets/", "secrets/key", true},
};

static void a_permission_pattern_has_no_comments_and_no_negation(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        const struct ignore_list *list = ignore_parse_pattern(&arena, hv_str_from(patterns[i].pattern), 0);
        bool matches = ignore_match_below(list, hv_str_from(patterns[i].path), false) == IGNORE_IGNORED;
        if (matches != patterns[i].matches)
            fail_msg("\"%s\" on %s", patterns[i].pattern, patterns[i].path);
    }
    assert_null(ignore_parse_pattern(&arena, HV_STR(""), 0));
    assert_null(ignore_parse(&arena, HV_STR("\n# only a comment\n\n"), 0));
    assert_int_equal(ignore_match(NULL, HV_STR("a"), false), IGNORE_NONE);
}

static void many_rules_are_found_as_one_by_one(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf rules = {.max = 1 << 20};
    for (int i = 0; i < 3000; i++)
        hv_buf_addf(&rules, i % 3 == 0 ? "name%d\n" : i % 3 == 1 ? "*.end%d\n" : "/way/to%d\n", i);
    const struct ignore_list *list = ignore_parse(&arena, hv_buf_str(&rules), 0);
    for (int i = 0; i < 3000; i++) {
        struct hv_str hit = hv_arena_format(&arena, i % 3 == 0 ? "d/name%d" : i % 3 == 1 ? "d/x.end%d" : "way/to%d", i);
        struct hv_str miss = hv_arena_format(&arena, "d/nothing%d", i);
        struct ignore_rule_text rule;
        assert_int_equal(ignore_match_rule(list, hit, false, &rule), IGNORE_IGNORED);
        assert_int_equal(rule.line, i + 1);
        assert_int_equal(ignore_match(list, miss, false), IGNORE_NONE);
    }
}

static void suffixes_of_any_length_are_found(void **state)
{
    (void)state;
    enum { SUFFIXES = 60 };
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf rules = {.max = 1 << 20};
    for (int i = 0; i < SUFFIXES; i++)
        hv_buf_addf(&rules, "*.%0*d%c\n", i + 1, 0, 'a' + i % 26);
    const struct ignore_list *list = ignore_parse(&arena, hv_buf_str(&rules), 0);
    for (int i = 0; i < SUFFIXES; i++) {
        struct ignore_rule_text rule;
        struct hv_str hit = hv_arena_format(&arena, "d/x.%0*d%c", i + 1, 0, 'a' + i % 26);
        struct hv_str miss = hv_arena_format(&arena, "d/x.%0*d%c", i + 1, 0, 'A' + i % 26);
        assert_int_equal(ignore_match_rule(list, hit, false, &rule), IGNORE_IGNORED);
        assert_int_equal(rule.line, i + 1);
        assert_int_equal(ignore_match(list, miss, false), IGNORE_NONE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_decide_as_in_git),
        cmocka_unit_test(git_says_the_same),
        cmocka_unit_test(the_nearest_list_that_says_something_decides),
        cmocka_unit_test(rules_from_above_the_root_of_a_walk_see_the_way_down),
        cmocka_unit_test(the_rule_that_decided_can_be_told),
        cmocka_unit_test(many_rules_decide_as_one_after_the_other_would),
        cmocka_unit_test(case_counts_unless_told_otherwise),
        cmocka_unit_test(a_permission_pattern_has_no_comments_and_no_negation),
        cmocka_unit_test(many_rules_are_found_as_one_by_one),
        cmocka_unit_test(suffixes_of_any_length_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
