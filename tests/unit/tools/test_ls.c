/* test_ls.c: the tool LS: the tree, its sizes, its caps, and what it leaves out. */
#include "harness.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

extern const struct hv_tool tool_ls;

static int open_files(void **state)
{
    static struct session session;
    session_open(&session);
    file_put(&session, "b.txt", "12345");
    file_put(&session, "a/deep/er/x.c", "1");
    file_put(&session, "a/one.c", "");
    file_put(&session, ".config", "abc");
    file_put(&session, "c/big", "");
    assert_int_equal(truncate(file_path(&session, "c/big"), 1234567), 0);
    *state = &session;
    return 0;
}

static int close_files(void **state)
{
    session_close(*state);
    return 0;
}

static void the_tree_has_sizes_and_hidden_files(void **state)
{
    struct session *session = *state;
    call(session, &tool_ls, "{}");
    expect_text(session, hv_arena_format(&session->own,
                                         "%s/\n"
                                         "  .config  3 bytes\n"
                                         "  a/\n"
                                         "    deep/\n"
                                         "      er/\n"
                                         "        x.c  1 byte\n"
                                         "    one.c  0 bytes\n"
                                         "  b.txt  5 bytes\n"
                                         "  c/\n"
                                         "    big  1.2 MB\n",
                                         session->root.ptr)
                             .ptr);
    assert_true(hv_str_is(session->result.summary, "9 entries"));
}

static void depth_bounds_the_levels(void **state)
{
    struct session *session = *state;
    call(session, &tool_ls, "{'path':'a','depth':1}");
    expect_text(session, hv_arena_format(&session->own, "%s/a/\n  deep/ …\n  one.c  0 bytes\n", session->root.ptr).ptr);
    call(session, &tool_ls, "{'path':'a','depth':2}");
    expect_has(session, "  deep/\n    er/ …\n");
}

static void what_lies_deep_is_left_out_first(void **state)
{
    struct session *session = *state;
    char name[64];
    for (int i = 0; i < 700; i++) {
        snprintf(name, sizeof name, "a/f%03d", i);
        file_put(session, name, "");
    }
    call(session, &tool_ls, "{}");
    expect_has(session, "  c/");
    expect_has(session, "  b.txt  5 bytes\n");
    expect_has(session, "    f000");
    expect_has(session, "    …\n");
    expect_has(session, "[The first 500 entries are shown, level by level;");
    expect_lacks(session, "f600");
    expect_lacks(session, "big");
    expect_has(session, "  c/ …\n");
    file_put(session, ".gitignore", "f??1\n");
    call(session, &tool_ls, "{'ignore':['f*3','b.txt']}");
    expect_has(session, "entries were left out by the ignore patterns]\n[At least ");
    expect_has(session, "\n[At least ");
    expect_lacks(session, "\n[51 entries");
}

static void ignored_entries_are_left_out_and_counted(void **state)
{
    struct session *session = *state;
    file_put(session, ".gitignore", "*.txt\n");
    directory_make(session, ".git/objects");
    call(session, &tool_ls, "{}");
    expect_lacks(session, "b.txt");
    expect_lacks(session, "objects");
    expect_has(session, "[1 entry was left out by ignore files");
}

static void ignore_patterns_are_honoured(void **state)
{
    struct session *session = *state;
    call(session, &tool_ls, "{'ignore':['*.c','c/','deep/er']}");
    expect_lacks(session, "one.c");
    expect_lacks(session, "big");
    expect_has(session, "deep/");
    expect_has(session, "[3 entries were left out by the ignore patterns]");
    call(session, &tool_ls, "{'ignore':'a'}");
    expect_lacks(session, "one.c");
    call(session, &tool_ls, "{'ignore':['ok','[a']}");
    expect_failure(session, "");
    assert_string_equal(session->err.place, "ignore[1]");
}

static void links_are_shown_and_not_followed(void **state)
{
    struct session *session = *state;
    assert_int_equal(symlink("..", file_path(session, "c/up")), 0);
    assert_int_equal(mkfifo(file_path(session, "c/pipe"), 0600), 0);
    call(session, &tool_ls, "{'path':'c'}");
    expect_has(session, "  up -> ..\n");
    expect_has(session, "  pipe  (pipe)\n");
    expect_lacks(session, "b.txt");
}

static void what_is_mounted_over_a_file_is_shown_as_what_it_is(void **state)
{
    struct session *session = *state;
    const char *place = file_path(session, "b.txt");
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("/dev/null", place, NULL, MS_BIND, NULL)) {
        print_message("nothing can be mounted here: not tried\n");
        return;
    }
    call(session, &tool_ls, "{}");
    assert_int_equal(umount(place), 0);
    expect_has(session, "  b.txt  (device)\n");
}

static void an_empty_directory_says_so(void **state)
{
    struct session *session = *state;
    directory_make(session, "empty");
    call(session, &tool_ls, "{'path':'empty'}");
    expect_fine(session);
    expect_has(session, "(empty)");
}

static void files_and_missing_paths_are_refused_with_advice(void **state)
{
    struct session *session = *state;
    call(session, &tool_ls, "{'path':'b.txt'}");
    expect_failure(session, "is a file, not a directory\nUse Read");
    call(session, &tool_ls, "{'path':'b.tx'}");
    expect_failure(session, "Did you mean");
    assert_int_equal(session->code, HV_ENOTFOUND);
}

static void what_may_not_be_read_is_not_shown(void **state)
{
    struct session *session = *state;
    session->hidden = "/deep";
    call(session, &tool_ls, "{}");
    expect_lacks(session, "deep");
    expect_lacks(session, "x.c");
    expect_has(session, "one.c");
}

static void directories_that_cannot_be_read_are_named(void **state)
{
    struct session *session = *state;
    bool is_root = geteuid() == 0; /* who could read it all the same */
    assert_int_equal(chmod(file_path(session, ""), 0755), 0);
    assert_int_equal(chmod(file_path(session, "a/deep"), 0), 0);
    assert_true(!is_root || seteuid(65534) == 0);
    call(session, &tool_ls, "{}");
    assert_true(!is_root || seteuid(0) == 0);
    expect_fine(session);
    expect_has(session, "[1 directory could not be read: a/deep]");
    /* One that may be listed but not entered tells names and nothing more. */
    assert_int_equal(chmod(file_path(session, "a/deep"), 0755), 0);
    assert_int_equal(chmod(file_path(session, "a/deep/er"), 0444), 0);
    assert_true(!is_root || seteuid(65534) == 0);
    call(session, &tool_ls, "{'path':'a/deep/er'}");
    assert_true(!is_root || seteuid(0) == 0);
    expect_has(session, "  x.c\n");
}

static void a_cancelled_listing_ends(void **state)
{
    struct session *session = *state;
    hv_cancel_raise(session->cancel);
    call(session, &tool_ls, "{}");
    assert_int_equal(session->code, HV_ECANCELLED);
}

static void a_listing_out_of_time_says_so(void **state)
{
    struct session *session = *state;
    session->context.deadline_ns = 1;
    call(session, &tool_ls, "{}");
    expect_fine(session);
    expect_lacks(session, "(empty)");
    expect_has(session, "[The time for a search (20 s) is over: this is not everything.");
    expect_has(session, "\n[Not, or not wholly, searched: .]\n");
}

static void peers_names_are_understood(void **state)
{
    (void)state;
    assert_true(hv_tool_is_named(&tool_ls, HV_STR("list_dir")));
    assert_true(hv_tool_is_named(&tool_ls, HV_STR("list_directory")));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_files, close_files)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_tree_has_sizes_and_hidden_files),
        CASE(depth_bounds_the_levels),
        CASE(what_lies_deep_is_left_out_first),
        CASE(ignored_entries_are_left_out_and_counted),
        CASE(ignore_patterns_are_honoured),
        CASE(links_are_shown_and_not_followed),
        CASE(what_is_mounted_over_a_file_is_shown_as_what_it_is),
        CASE(an_empty_directory_says_so),
        CASE(files_and_missing_paths_are_refused_with_advice),
        CASE(what_may_not_be_read_is_not_shown),
        CASE(directories_that_cannot_be_read_are_named),
        CASE(a_cancelled_listing_ends),
        CASE(a_listing_out_of_time_says_so),
        CASE(peers_names_are_understood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
