/* test_resolve.c: paths with their links resolved: where the kernel would go, and what is refused. */
#include "folder.h"

#include "fs/host_files.h"
#include "fs/resolve.h"

#include <string.h>
#include <unistd.h>

static int open_folder(void **state)
{
    static struct folder folder;
    folder_open(&folder);
    folder_put(&folder, "dir/file", "x");
    folder_make(&folder, "dir/sub");
    static const char *const links[][2] = {
        {"dir", "to_dir"},           {"to_dir", "to_to_dir"}, {"dir/file", "to_file"}, {"../dir/sub", "dir/back"},
        {"..", "dir/sub/up"},        {"loop", "loop"},        {"two", "one"},          {"one", "two"},
        {"nothing/there", "dangle"}, {"/", "to_root"},        {"dir//./sub/", "odd"},
    };
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        assert_int_equal(symlink(links[i][0], folder_cpath(&folder, links[i][1])), 0);
    *state = &folder;
    return 0;
}

static int close_folder(void **state)
{
    folder_close(*state);
    return 0;
}

struct resolve_case {
    const char *path, *expected; /* both below the folder; expected absolute when it begins with '/' */
};

static void paths_lead_where_the_kernel_would_go(void **state)
{
    static const struct resolve_case cases[] = {
        {"dir/file", "dir/file"},
        {"to_dir/file", "dir/file"},
        {"to_to_dir/sub", "dir/sub"},
        {"to_file", "dir/file"},
        {"dir/back", "dir/sub"},
        {"dir/sub/up/file", "dir/file"},
        {"to_dir/..", ""}, /* after the link, not before it */
        {"dir/sub/up/../dir/sub/up/file", "dir/file"},
        {"to_dir/sub/../../to_file", "dir/file"},
        {"odd", "dir/sub"},
        {"odd/../file", "dir/file"},
        {"to_root/usr/..", "/"},
        {"./dir//.//file", "dir/file"},
        {"dangle", "nothing/there"},
        {"dangle/more", "nothing/there/more"},
        {"to_dir/new/file", "dir/new/file"},
        {"new/../dir/file", "dir/file"},
        {"new/deep/../../to_dir/x", "dir/x"},
        {"dir/file/below", "dir/file/below"},
        {"../../../../../../..", "/"},
    };
    struct folder *folder = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hv_str out;
        struct hv_error err;
        if (fs_host_resolve(NULL, &folder->arena, folder_path(folder, cases[i].path), &out, &err))
            fail_msg("%s: %s", cases[i].path, err.message);
        const char *expected = cases[i].expected;
        assert_string_equal(out.ptr, expected[0] == '/' ? expected : folder_cpath(folder, expected));
        char real[4096];
        if (realpath(folder_cpath(folder, cases[i].path), real))
            assert_string_equal(out.ptr, real);
    }
}

static void loops_are_told(void **state)
{
    struct folder *folder = *state;
    static const char *const names[] = {"loop", "one", "two", "loop/x", "to_dir/../loop"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct hv_str out = HV_STR("untouched");
        struct hv_error err;
        assert_int_equal(fs_host_resolve(NULL, &folder->arena, folder_path(folder, names[i]), &out, &err), HV_EINVAL);
        assert_non_null(strstr(err.message, "loop"));
        assert_true(hv_str_is(out, "untouched"));
    }
}

static void a_long_chain_of_links_is_a_loop_to_us_as_to_the_kernel(void **state)
{
    struct folder *folder = *state;
    char target[32] = "dir/file", name[32];
    for (int i = 0; i < 41; i++) {
        snprintf(name, sizeof name, "chain%d", i);
        assert_int_equal(symlink(target, folder_cpath(folder, name)), 0);
        memcpy(target, name, sizeof target);
    }
    struct hv_str out;
    assert_int_equal(fs_host_resolve(NULL, &folder->arena, folder_path(folder, "chain39"), &out, NULL), HV_OK);
    assert_int_equal(fs_host_resolve(NULL, &folder->arena, folder_path(folder, "chain40"), &out, NULL), HV_EINVAL);
}

static void what_is_no_path_is_refused(void **state)
{
    struct folder *folder = *state;
    struct hv_str out;
    char text[5000];
    memset(text, 'x', sizeof text);
    text[0] = '/';
    assert_int_equal(fs_host_resolve(NULL, &folder->arena, HV_STR(""), &out, NULL), HV_EINVAL);
    assert_int_equal(fs_host_resolve(NULL, &folder->arena, HV_STR("dir"), &out, NULL), HV_EINVAL);
    assert_int_equal(fs_host_resolve(NULL, &folder->arena, HV_STR("/a\0b"), &out, NULL), HV_EINVAL);
    assert_int_equal(fs_host_resolve(NULL, &folder->arena, hv_str_of(text, sizeof text), &out, NULL), HV_EINVAL);
    assert_int_equal(fs_host_resolve(NULL, &folder->arena, hv_str_of(text, 300), &out, NULL), HV_EINVAL);
}

/* All but what is called kept comes from the folder. */
static bool takes_all_but_kept(void *user, struct hv_str name, struct hv_str *folder)
{
    *folder = *(struct hv_str *)user;
    return !hv_str_is(name, "kept");
}

static void what_stands_in_for_a_folder_is_seen_as_by_a_mount(void **state)
{
    struct folder *folder = *state;
    static const struct {
        const char *path, *expected;
        bool keeps_last;
    } cases[] = {
        {"seen", "own", false},
        {"seen/new", "own/new", false},
        {"seen/new/deep", "own/new/deep", false},
        {"seen/kept", "seen/kept", false},
        {"seen/kept/../file", "own/file", false},
        {"seen/sub/../..", "", false}, /* of the one, not of the other */
        {"seen/sub/../../dir/file", "dir/file", false},
        {"seen/beside", "own/file", false}, /* links, of what stands in, lead where a mount has them lead */
        {"seen/absolute", "own/file", false},
        {"seen/up", "dir/file", false},
        {"seen/out", "dir/file", false},
        {"seen/out", "own/out", true},
        {"to_seen/file", "own/file", false},
        {"own/file", "own/file", false},
    };
    struct hv_str own = folder_path(folder, "own");
    const struct fs_stand_in stand_in = {folder_path(folder, "seen"), takes_all_but_kept, &own};
    folder_make(folder, "seen/kept");
    folder_make(folder, "own/sub");
    folder_put(folder, "own/file", "x");
    assert_int_equal(symlink("file", folder_cpath(folder, "own/beside")), 0);
    assert_int_equal(symlink(folder_cpath(folder, "seen/file"), folder_cpath(folder, "own/absolute")), 0);
    assert_int_equal(symlink("../dir/file", folder_cpath(folder, "own/up")), 0);
    assert_int_equal(symlink(folder_cpath(folder, "dir/file"), folder_cpath(folder, "own/out")), 0);
    assert_int_equal(symlink("seen", folder_cpath(folder, "to_seen")), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hv_str out, expected = folder_path(folder, cases[i].expected);
        assert_int_equal(
            fs_resolve(&stand_in, &folder->arena, folder_path(folder, cases[i].path), cases[i].keeps_last, &out, NULL),
            HV_OK);
        if (!hv_str_eq(out, expected))
            fail_msg("%s: %.*s", cases[i].path, HV_STR_ARG(out));
    }
}

static void links_to_open_files_of_processes_are_refused(void **state)
{
    struct folder *folder = *state;
    struct hv_str out;
    assert_int_equal(fs_host_resolve(NULL, &folder->arena, HV_STR("/proc/self/fd/0"), &out, NULL), HV_EUNSUPPORTED);
    assert_int_equal(fs_host_resolve(NULL, &folder->arena, HV_STR("/proc/self/root/etc"), &out, NULL), HV_EUNSUPPORTED);
    assert_int_equal(fs_host_resolve(NULL, &folder->arena, HV_STR("/proc/self/status"), &out, NULL), HV_OK);
    assert_int_equal(fs_host_resolve(NULL, &folder->arena, HV_STR("/proc/mounts"), &out, NULL), HV_OK);
    assert_int_equal(fs_host_resolve(NULL, &folder->arena, HV_STR("/proc/self/exe"), &out, NULL), HV_EUNSUPPORTED);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_folder, close_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(paths_lead_where_the_kernel_would_go),
        CASE(loops_are_told),
        CASE(a_long_chain_of_links_is_a_loop_to_us_as_to_the_kernel),
        CASE(what_is_no_path_is_refused),
        CASE(what_stands_in_for_a_folder_is_seen_as_by_a_mount),
        CASE(links_to_open_files_of_processes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
