/* test_trees.c: directories that are read once, where links in them lead, and when it is too much. */
#include "base/cleanup.h"
#include "fs/plain_tree.h"

#include "folder.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct folder folder;

static void make_link(const char *target, const char *name)
{
    assert_int_equal(symlink(target, folder_cpath(&folder, name)), 0);
}

static void remove_name(const char *name)
{
    assert_int_equal(unlink(folder_cpath(&folder, name)), 0);
}

static int make_tree(void **state)
{
    (void)state;
    folder_open(&folder);
    folder_make(&folder, "sub");
    return 0;
}

static int remove_tree(void **state)
{
    (void)state;
    folder_close(&folder);
    return 0;
}

static bool stays(struct fs_trees *trees)
{
    return fs_names_stay(trees, folder.path, &(struct fs_names){.depth = 1});
}

static void a_directory_is_read_once(void **state)
{
    struct fs_trees trees = {0}, others = {0};
    (void)state;
    assert_true(stays(&trees));
    make_link("/etc/passwd", "out");
    assert_true(stays(&trees));
    assert_false(stays(&others));
    remove_name("out");
    assert_false(stays(&others));
    assert_int_equal(others.read, trees.read + 1);
    fs_trees_release(&trees);
    fs_trees_release(&others);
}

static struct fs_tree_entry *entry_of(const struct fs_tree *tree, const char *name)
{
    for (size_t i = 0; i < tree->count; i++)
        if (hv_str_is(tree->entries[i].name, name))
            return &tree->entries[i];
    fail();
    return NULL;
}

/* Each as realpath has it. */
static void links_lead_where_they_really_do(void **state)
{
    static const char *const targets[] = {
        "sub",      "sub/",     "./sub",      "sub/..",        "..",      ".",      "/",
        "/etc",     "/bin/sh",  "/etc/mtab",  "nope",          "nope/it", "self",   "sub/up",
        "sub/loop", "/nope/it", "/proc/self", "sub/up/sub/up", "../tmp",  "/tmp//",
    };
    (void)state;
    make_link("../sub", "sub/up");
    make_link("loop", "sub/loop");
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        struct fs_trees trees = {0};
        struct fs_tree *tree;
        struct stat status;
        char real[PATH_MAX];
        make_link(targets[i], "self");
        const char *path = folder_cpath(&folder, "self");
        assert_int_equal(fs_trees_find(&trees, folder.path, &tree), FS_TREE_DIRECTORY);
        struct fs_tree_entry *entry = entry_of(tree, "self");
        const struct fs_tree_link *link = fs_trees_follow(&trees, tree, entry);
        assert_string_equal(realpath(path, real) ? real : "", link->real.len ? link->real.ptr : "");
        bool is_there = stat(path, &status) == 0;
        assert_int_equal(link->is_there, is_there);
        assert_int_equal(fs_trees_follow_to_directory(&trees, tree, entry), is_there && S_ISDIR(status.st_mode));
        fs_trees_release(&trees);
        remove_name("self");
    }
    remove_name("sub/up");
    remove_name("sub/loop");
}

static void what_stands_at_a_place_is_told(void **state)
{
    struct fs_trees trees = {0};
    struct fs_tree *tree;
    (void)state;
    assert_int_equal(fs_trees_find(&trees, folder.path, &tree), FS_TREE_DIRECTORY);
    assert_int_equal(tree->count, 1);
    assert_int_equal(tree->entries[0].kind, HV_FILE_DIRECTORY);
    struct fs_tree *below = fs_trees_below(&trees, tree, &tree->entries[0]), *same;
    assert_true(below->is_readable);
    assert_int_equal(fs_trees_find(&trees, below->path, &same), FS_TREE_DIRECTORY);
    assert_ptr_equal(below, same);
    assert_int_equal(fs_trees_find(&trees, HV_STR("/etc/passwd"), &tree), FS_TREE_OTHER);
    assert_int_equal(fs_trees_find(&trees, HV_STR("/no/such"), &tree), FS_TREE_NONE);
    assert_int_equal(fs_trees_find(&trees, HV_STR("/etc/passwd/x"), &tree), FS_TREE_NONE);
    assert_int_equal(fs_trees_find(&trees, hv_str_of("/tmp\0x", 6), &tree), FS_TREE_HIDDEN);
    fs_trees_release(&trees);
}

static bool is_etc(void *user, struct hv_str path)
{
    (void)user;
    return hv_str_is(path, "/etc");
}

static void names_in_the_root_have_one_slash(void **state)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct fs_trees trees = {0};
    const struct fs_names names = {.prefix = HV_STR("e"), .depth = 1};
    (void)state;
    assert_true(hv_str_is(fs_names_find(&trees, &arena, HV_STR("/"), &names, is_etc, NULL), "/etc"));
    fs_trees_release(&trees);
}

static bool is_nothing(void *user, struct hv_str path)
{
    (void)user, (void)path;
    return false;
}

/* What is beyond the bounds is not told: nothing is plain, and a search says that it was none. */
static void too_many_questions_are_not_answered(void **state)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct fs_trees trees = {0};
    const struct fs_names names = {.depth = 1};
    size_t questions = 0;
    (void)state;
    while (questions < 1 << 20 && stays(&trees))
        questions++;
    assert_in_range(questions, 100000, 500000);
    assert_true(trees.exhausted);
    assert_false(fs_is_plain(&trees, folder.path, &(struct fs_plain){.links = true}));
    assert_true(fs_names_stay(&trees, HV_STR("/no/such"), &names));
    fs_trees_release(&trees);
    assert_true(stays(&trees));
    assert_false(trees.exhausted);
    trees.looked_at = SIZE_MAX / 2;
    assert_false(fs_names_find(&trees, &arena, folder.path, &names, is_nothing, NULL).len);
    assert_true(trees.exhausted);
    fs_trees_release(&trees);
    trees.read = SIZE_MAX / 2;
    assert_false(stays(&trees));
    assert_true(trees.exhausted);
    fs_trees_release(&trees);
}

static void assert_really(const char *name, const char *real_name, const char *there_name)
{
    struct fs_trees trees = {0};
    struct hv_str there;
    struct hv_str real = fs_trees_real(&trees, folder_path(&folder, name), &there);
    assert_true(hv_str_eq(real, folder_path(&folder, real_name)));
    assert_true(hv_str_eq(there, folder_path(&folder, there_name)));
    fs_trees_release(&trees);
}

/* Where it really is, and how much of it is there. */
static void what_is_missing_is_as_it_is_written(void **state)
{
    struct fs_trees trees = {0};
    struct hv_str there;
    (void)state;
    make_link("sub", "link");
    assert_really("sub", "sub", "sub");
    assert_really("link", "sub", "sub");
    assert_really("sub/none", "sub/none", "sub");
    assert_really("link/none", "link/none", "link");
    assert_really("link/none/more/of/it", "link/none/more/of/it", "link");
    assert_really("none/../sub", "none/../sub", "none/../sub");
    assert_true(hv_str_is(fs_trees_real(&trees, HV_STR("/"), &there), "/"));
    assert_true(hv_str_is(fs_trees_real(&trees, HV_STR("/no-such/a"), &there), "/no-such/a"));
    assert_true(hv_str_is(there, "/"));
    assert_true(hv_str_is(fs_trees_real(&trees, HV_STR("/no-such"), &there), "/no-such"));
    assert_true(hv_str_is(fs_trees_real(&trees, HV_STR("/etc/passwd/x/y"), &there), "/etc/passwd/x/y"));
    assert_true(
        hv_str_eq(fs_trees_real(&trees, folder_path(&folder, "link/none"), &there), folder_path(&folder, "link/none")));
    assert_true(hv_str_eq(fs_trees_real(&trees, folder_path(&folder, "link"), &there), folder_path(&folder, "sub")));
    assert_true(hv_str_eq(there, folder_path(&folder, "sub")));
    fs_trees_release(&trees);
    remove_name("link");
}

/* Also where the place is another by then. */
static void where_a_directory_is_is_found_out_once(void **state)
{
    struct fs_trees trees = {0};
    struct hv_str there, above;
    (void)state;
    make_link("sub", "link");
    struct hv_str first = fs_trees_real(&trees, folder_path(&folder, "link"), &there);
    struct hv_str missing = fs_trees_real(&trees, folder_path(&folder, "none"), &above);
    remove_name("link");
    make_link("sub", "none");
    assert_true(hv_str_eq(fs_trees_real(&trees, folder_path(&folder, "link"), &there), first));
    assert_true(hv_str_eq(there, folder_path(&folder, "sub")));
    assert_true(hv_str_eq(fs_trees_real(&trees, folder_path(&folder, "none"), &above), missing));
    assert_true(hv_str_eq(above, folder.path));
    fs_trees_release(&trees);
    remove_name("none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_directory_is_read_once),
        cmocka_unit_test(links_lead_where_they_really_do),
        cmocka_unit_test(what_stands_at_a_place_is_told),
        cmocka_unit_test(names_in_the_root_have_one_slash),
        cmocka_unit_test(what_is_missing_is_as_it_is_written),
        cmocka_unit_test(where_a_directory_is_is_found_out_once),
        cmocka_unit_test(too_many_questions_are_not_answered),
    };
    return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
