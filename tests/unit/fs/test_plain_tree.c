/* test_plain_tree.c: names that a shell and programs take for nothing else, and links that stay. */
#include "base/cleanup.h"
#include "fs/plain_tree.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/helve-plain-XXXXXX";

static void at(char *out, size_t size, const char *name)
{
    (void)snprintf(out, size, "%s/%s", root, name);
}

static void make_file(const char *name)
{
    char path[256];
    at(path, sizeof path, name);
    int file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    close(file);
}

static void remove_name(const char *name)
{
    char path[256];
    at(path, sizeof path, name);
    assert_int_equal(unlink(path), 0);
}

static int make_tree(void **state)
{
    char path[256];
    (void)state;
    assert_non_null(mkdtemp(root));
    at(path, sizeof path, "sub");
    assert_int_equal(mkdir(path, 0700), 0);
    make_file("a.c");
    make_file("sub/b-c_d.txt");
    return 0;
}

static int remove_tree(void **state)
{
    char path[256];
    (void)state;
    remove_name("a.c");
    remove_name("sub/b-c_d.txt");
    at(path, sizeof path, "sub");
    return rmdir(path) || rmdir(root);
}

/* One question, asked of trees that nobody looked at. */
static bool is_plain_tree(struct hv_str directory, const struct fs_plain *wanted)
{
    struct fs_trees trees = {0};
    bool plain = fs_is_plain(&trees, directory, wanted);
    fs_trees_release(&trees);
    return plain;
}

static bool names_stay(struct hv_str directory, const struct fs_names *names)
{
    struct fs_trees trees = {0};
    bool stay = fs_names_stay(&trees, directory, names);
    fs_trees_release(&trees);
    return stay;
}

static bool is_plain(bool no_option, bool words, bool links)
{
    const struct fs_plain wanted = {.no_option = no_option, .words = words, .links = links};
    return is_plain_tree(hv_str_from(root), &wanted);
}

static bool is_whole(bool lines, bool no_dash)
{
    const struct fs_plain wanted = {.lines = lines, .no_dash = no_dash};
    return is_plain_tree(hv_str_from(root), &wanted);
}

static void a_name_is_one_line_when_nothing_ends_or_trims_it(void **state)
{
    static const char *const broken[] = {"sub/a\nb", "sub/a\tb", " a", "sub/ a", "sub/a ", "sub/a\177"};
    (void)state;
    make_file("sub/a 'b' \\c[d]");
    assert_true(is_whole(true, false));
    remove_name("sub/a 'b' \\c[d]");
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        make_file(broken[i]);
        assert_false(is_whole(true, false));
        assert_true(is_whole(false, true));
        remove_name(broken[i]);
    }
}

static void a_dash_counts_at_any_depth_where_it_is_asked_for(void **state)
{
    static const char *const options[] = {"sub/-o", "sub/+o", "-o"};
    (void)state;
    assert_true(is_whole(true, true));
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        make_file(options[i]);
        assert_false(is_whole(false, true));
        assert_true(is_whole(true, false));
        remove_name(options[i]);
    }
}

static void a_plain_tree_is_plain(void **state)
{
    (void)state;
    assert_true(is_plain(true, true, true));
}

static void what_is_not_there_is_not_plain(void **state)
{
    const struct fs_plain wanted = {.no_option = true};
    (void)state;
    assert_false(is_plain_tree(HV_STR("/does/not/exist"), &wanted));
}

static void a_name_like_an_option_counts_at_the_top_only(void **state)
{
    (void)state;
    make_file("sub/-o");
    assert_true(is_plain(true, true, true));
    remove_name("sub/-o");
    make_file("-o");
    assert_false(is_plain(true, false, false));
    assert_true(is_plain(false, true, true));
    remove_name("-o");
}

static void a_name_that_would_be_cut_counts_at_any_depth(void **state)
{
    static const char *const names[] = {"sub/x y", "sub/x\ny", "sub/x'y", "sub/*", "sub/x\\y", "a\tb"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        make_file(names[i]);
        assert_false(is_plain(false, true, false));
        assert_true(is_plain(true, false, true));
        remove_name(names[i]);
    }
}

static void a_link_may_stay_inside_or_lead_to_the_system(void **state)
{
    static const struct {
        const char *target;
        bool plain;
    } rows[] = {{"../a.c", true},       {"b-c_d.txt", true}, {"/usr/bin/env", true},       {"/nowhere/at/all", true},
                {"/etc/passwd", false}, {"../..", false},    {"/proc/self/environ", false}};
    char path[256];
    (void)state;
    at(path, sizeof path, "sub/link");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(symlink(rows[i].target, path), 0);
        assert_int_equal(is_plain(false, false, true), rows[i].plain);
        assert_true(is_plain(true, true, false));
        assert_int_equal(unlink(path), 0);
    }
}

static bool stays(const char *prefix, const char *suffix, unsigned depth)
{
    struct fs_names names = {hv_str_from(prefix), hv_str_from(suffix), depth};
    return names_stay(hv_str_from(root), &names);
}

static void names_of_a_pattern_stay_unless_one_of_them_is_a_link_out(void **state)
{
    char top[256], deep[256];
    (void)state;
    at(top, sizeof top, "link.c");
    at(deep, sizeof deep, "sub/link.c");
    assert_true(stays("", "", 0));
    assert_int_equal(symlink("/etc/passwd", top), 0);
    assert_false(stays("", "", 0));
    assert_false(stays("", "", 1));
    assert_false(stays("li", ".c", 1));
    assert_true(stays("", ".h", 1));
    assert_true(stays("a", "", 1));
    assert_false(stays("", ".h", 2)); /* what lies behind it is not looked at */
    assert_int_equal(unlink(top), 0);
    assert_int_equal(symlink("/etc/passwd", deep), 0);
    assert_true(stays("", "", 1));
    assert_false(stays("", "", 2));
    assert_true(stays("a", "", 2));
    assert_true(stays("", ".txt", 2));
    assert_false(stays("", "", 0));
    assert_int_equal(unlink(deep), 0);
    assert_int_equal(symlink("sub", top), 0);
    assert_true(stays("", "", 1));
    assert_false(stays("", "", 2));
    assert_int_equal(unlink(top), 0);
}

static bool is_called_c(void *user, struct hv_str path)
{
    (void)user;
    return hv_str_ends(path, HV_STR("/c.key"));
}

static bool finds(const char *prefix, const char *suffix, unsigned depth, const char *expected)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct fs_names names = {hv_str_from(prefix), hv_str_from(suffix), depth};
    struct fs_trees trees = {0};
    struct hv_str found = fs_names_find(&trees, &arena, hv_str_from(root), &names, is_called_c, NULL);
    fs_trees_release(&trees);
    return expected ? hv_str_ends(found, hv_str_from(expected)) && found.len : !found.len;
}

static bool begins_with_o(void *user, struct hv_str name)
{
    (void)user;
    return hv_str_starts(name, HV_STR("o"));
}

static bool begins_with_c(void *user, struct hv_str name)
{
    (void)user;
    return hv_str_starts(name, HV_STR("c"));
}

/* What was not taken once is looked at when it is taken. */
static void only_names_that_are_taken_are_searched(void **state)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct fs_trees trees = {0};
    char key[256];
    (void)state;
    at(key, sizeof key, "sub/c.key");
    assert_int_equal(symlink("nowhere", key), 0);
    struct fs_names names = {.takes = begins_with_o};
    assert_int_equal(fs_names_find(&trees, &arena, hv_str_from(root), &names, is_called_c, NULL).len, 0);
    names.takes = begins_with_c;
    assert_true(fs_names_find(&trees, &arena, hv_str_from(root), &names, is_called_c, NULL).len);
    fs_trees_release(&trees);
    assert_int_equal(unlink(key), 0);
}

static void names_of_a_pattern_are_searched(void **state)
{
    char key[256], link[256];
    (void)state;
    at(key, sizeof key, "sub/c.key");
    at(link, sizeof link, "other");
    assert_true(finds("", "", 0, NULL));
    assert_int_equal(symlink("nowhere", key), 0);
    assert_true(finds("", "", 0, "/sub/c.key"));
    assert_true(finds("", "", 1, NULL));
    assert_true(finds("", "", 2, "/sub/c.key"));
    assert_true(finds("s", ".key", 2, "/sub/c.key"));
    assert_true(finds("a", "", 2, NULL));
    assert_true(finds("s", ".c", 2, NULL));
    assert_int_equal(unlink(key), 0);
    int file = open(key, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    assert_int_equal(close(file), 0);
    assert_int_equal(symlink("sub/c.key", link), 0);
    assert_true(finds("oth", "", 1, "/sub/c.key"));
    assert_int_equal(unlink(link), 0);
    assert_int_equal(unlink(key), 0);
}

static void where_there_is_no_directory_there_are_no_names(void **state)
{
    char path[256];
    (void)state;
    at(path, sizeof path, "missing");
    assert_true(names_stay(hv_str_from(path), &(struct fs_names){.depth = 1}));
    at(path, sizeof path, "a.c");
    assert_true(names_stay(hv_str_from(path), &(struct fs_names){.depth = 1}));
    assert_false(names_stay(hv_str_of("/tmp\0x", 6), &(struct fs_names){.depth = 1}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_tree_is_plain),
        cmocka_unit_test(a_name_is_one_line_when_nothing_ends_or_trims_it),
        cmocka_unit_test(a_dash_counts_at_any_depth_where_it_is_asked_for),
        cmocka_unit_test(what_is_not_there_is_not_plain),
        cmocka_unit_test(a_name_like_an_option_counts_at_the_top_only),
        cmocka_unit_test(a_name_that_would_be_cut_counts_at_any_depth),
        cmocka_unit_test(names_of_a_pattern_stay_unless_one_of_them_is_a_link_out),
        cmocka_unit_test(only_names_that_are_taken_are_searched),
        cmocka_unit_test(names_of_a_pattern_are_searched),
        cmocka_unit_test(where_there_is_no_directory_there_are_no_names),
        cmocka_unit_test(a_link_may_stay_inside_or_lead_to_the_system),
    };
    return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
