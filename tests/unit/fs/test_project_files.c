/* test_project_files.c: looking upwards for files of a project. */
#include "folder.h"
#include "fs/project_files.h"

#include <unistd.h>

/* One question, asked when nothing was looked at yet. */
static bool holds_none(struct hv_str directory, struct hv_str home, const char *names)
{
    struct fs_trees trees = {0};
    bool none = fs_holds_none(&trees, directory, home, names);
    fs_trees_release(&trees);
    return none;
}

static void files_above_are_found_up_to_the_home(void **state)
{
    struct folder *folder = *state;
    static const char names[] = ".helve-test-rc .helve-test/config";
    struct hv_str none = {0}, home = folder_path(folder, "home"), deep = folder_path(folder, "home/project/src");
    folder_make(folder, "home/project/src");
    assert_true(holds_none(deep, none, names));
    folder_put(folder, "home/.helve-test/config", "");
    assert_false(holds_none(deep, none, names));
    assert_true(holds_none(deep, home, names));
    assert_true(holds_none(home, home, names));
    folder_put(folder, "home/project/.helve-test-rc", "");
    assert_false(holds_none(deep, home, names));
    assert_true(holds_none(folder_path(folder, "not/there"), home, names));
    assert_false(holds_none(HV_STR("relative"), home, names));
    assert_true(holds_none(deep, home, ". .helve-test-rc"));
    assert_false(holds_none(folder_path(folder, "home/project"), home, ". .helve-test-rc"));
    assert_true(holds_none(home, home, ". .helve-test-rc"));
    assert_false(holds_none(home, home, ". .helve-test/config"));
    assert_false(holds_none(folder_path(folder, "home/project"), deep, ". .helve-test-rc"));
}

static void a_text_in_a_file_is_found_as_a_word(void **state)
{
    static const struct {
        const char *content, *names;
        bool none;
    } cases[] = {
        {"{\"packageManager\": \"x\"}", "f.json:packageManager", false},
        {"{\"PACKAGEMANAGER\": \"x\"}", "f.json:packageManager", false},
        {"{\"packageManagers\": \"x\"}", "f.json:packageManager", true},
        {"{\"my_packageManager\": \"x\"}", "f.json:packageManager", true},
        {"edited credits", "f.json:edit", true},
        {"edit", "f.json:edit", false},
        {"", "f.json:edit", true},
        {"{\"\\u0070\": 1}", "f.json:packageManager f.json:\\u", false},
        {"edit", "g.json:edit", true},
        {"extend = 'x'", "f.json:extend=", false},
        {"a.extend='x'", "f.json:extend=", false},
        {"{\"extend\" \t= 1}", "f.json:extend=", false},
        {"'extend'=1", "f.json:extend=", false},
        {"extend-select = []", "f.json:extend=", true},
        {"extended = 1", "f.json:extend=", true},
        {"x = 'extend'", "f.json:extend=", true},
        {"extend", "f.json:extend=", true},
    };
    struct folder *folder = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        folder_put(folder, "f.json", cases[i].content);
        if (holds_none(folder->path, (struct hv_str){0}, cases[i].names) != cases[i].none)
            fail_msg("%s: %s", cases[i].names, cases[i].content);
    }
    /* What cannot be looked into may hold anything. */
    folder_make(folder, "d.json");
    assert_false(holds_none(folder->path, (struct hv_str){0}, "d.json:edit"));
    assert_int_equal(symlink("f.json", folder_cpath(folder, "l.json")), 0);
    assert_false(holds_none(folder->path, (struct hv_str){0}, "l.json:edit"));
}

static void links_are_followed(void **state)
{
    struct folder *folder = *state;
    folder_put(folder, "project/.helve-test-rc", "");
    folder_make(folder, "project/src");
    assert_int_equal(symlink("project/src", folder_cpath(folder, "link")), 0);
    assert_false(holds_none(folder_path(folder, "link"), (struct hv_str){0}, ".helve-test-rc"));
    assert_int_equal(symlink("nowhere", folder_cpath(folder, ".helve-test-link")), 0);
    assert_false(holds_none(folder->path, (struct hv_str){0}, ".helve-test-link"));
}

static void a_file_is_found_in_any_directory_that_begins_so(void **state)
{
    struct folder *folder = *state;
    struct hv_str none = {0};
    static const char names[] = "helve-test*/conf.py";
    folder_make(folder, "helve-test-a");
    folder_put(folder, "other/conf.py", "");
    assert_true(holds_none(folder->path, none, names));
    folder_put(folder, "helve-test-b/conf.py", "");
    assert_false(holds_none(folder->path, none, names));
    assert_false(holds_none(folder_path(folder, "other"), none, names));
    assert_true(holds_none(folder->path, none, "helve-test*/else.py"));
}

static void a_star_in_a_name_stands_for_letters(void **state)
{
    struct folder *folder = *state;
    struct hv_str none = {0};
    folder_put(folder, "helve-test.c", "");
    folder_put(folder, "helve-test/x.so", "");
    assert_true(holds_none(folder->path, none, "helve-test*.so"));
    assert_true(holds_none(folder->path, none, "helve-test.c*c helve-test/x.s*so helve-none/*.so"));
    assert_false(holds_none(folder->path, none, "helve-test/*.so"));
    folder_put(folder, "helve-test.cpython-311.so", "");
    assert_false(holds_none(folder->path, none, "helve-test*.so"));
    assert_false(holds_none(folder_path(folder, "helve-test"), none, "helve-test*.so"));
}

/* Of many names the directory's own list says what is not there. */
static void long_lists_of_names_are_found_as_short_ones(void **state)
{
    static const char *const present[] = {"rc.one", "dir/file", "test-a/conf.py", "Mixed.Rc", "deep/x.so", "text.rc"};
    static const struct {
        const char *name;
        bool none;
    } rows[] = {
        {"rc.one", false},        {"rc.two", true},        {"dir/file", false},    {"dir/other", true},
        {"test*/conf.py", false}, {"tess*/conf.py", true}, {"Mixed.Rc", false},    {"mixed.rc", true},
        {"deep/*.so", false},     {"deep/*.py", true},     {"none/*.so", true},    {"none/x", true},
        {"text.rc:word", false},  {"text.rc:wort", true},  {"./rc.one", false},    {"dir/../rc.one", false},
        {"rc.*", false},          {"rd.*", true},          {"none.rc:word", true}, {".//rc.one", false},
    };
    struct folder *folder = *state;
    for (size_t i = 0; i < sizeof present / sizeof *present; i++)
        folder_put(folder, present[i], "a word\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hv_buf names = {.max = 4096};
        for (int j = 0; j < 20; j++)
            hv_buf_addf(&names, "helve-none-%d ", j);
        hv_buf_add_cstr(&names, rows[i].name);
        bool alone = holds_none(folder->path, (struct hv_str){0}, rows[i].name);
        if (alone != rows[i].none || holds_none(folder->path, (struct hv_str){0}, names.data) != alone)
            fail_msg("%s", rows[i].name);
        hv_buf_release(&names);
    }
}

static void each_directory_is_looked_at_once(void **state)
{
    struct folder *folder = *state;
    struct fs_trees trees = {0};
    struct hv_str none = {0};
    folder_make(folder, "a/b");
    folder_make(folder, "c");
    assert_true(fs_holds_none(&trees, folder_path(folder, "a/b"), none, ".helve-test-rc"));
    assert_true(fs_holds_none(&trees, folder_path(folder, "a/none"), none, ".helve-test-rc"));
    assert_true(fs_holds_none(&trees, folder_path(folder, "a/none/of/it"), none, ".helve-test-rc"));
    folder_put(folder, ".helve-test-rc", "");
    folder_put(folder, "c/.helve-test-rc", "");
    assert_true(fs_holds_none(&trees, folder_path(folder, "a"), none, ".helve-test-rc"));
    assert_false(fs_holds_none(&trees, folder_path(folder, "c"), none, ".helve-test-rc"));
    assert_false(fs_holds_none(&trees, folder_path(folder, "a"), none, ".helve-test-rc x"));
    assert_false(holds_none(folder_path(folder, "a"), none, ".helve-test-rc"));
    /* A home that is missing is a home, and so is one of which a part is there. */
    assert_false(holds_none(folder_path(folder, "no/home/x"), none, ".helve-test-rc"));
    assert_true(holds_none(folder_path(folder, "no/home/x"), folder_path(folder, "no/home"), ".helve-test-rc"));
    assert_true(holds_none(folder_path(folder, "a/home/x/y"), folder_path(folder, "a/home"), ".helve-test-rc"));
    assert_false(holds_none(folder_path(folder, "a/home"), folder_path(folder, "a/home/x"), ".helve-test-rc"));
    fs_trees_release(&trees);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_above_are_found_up_to_the_home, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(a_text_in_a_file_is_found_as_a_word, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(a_file_is_found_in_any_directory_that_begins_so, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(a_star_in_a_name_stands_for_letters, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(links_are_followed, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(long_lists_of_names_are_found_as_short_ones, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(each_directory_is_looked_at_once, folder_setup, folder_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
