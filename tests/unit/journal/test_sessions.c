/* test_sessions.c: listing, finding, cleaning and removing sessions. */
#include "journal/sessions.h"

#include "journal_test.h"

#include <sys/time.h>

static const struct hv_str home = HV_STR("/home/someone/project");

static int prepare(void **state)
{
    if (scratch_make(state) != 0)
        return -1;
    return setenv("HELVE_HOME", scratch_folder, 1);
}

/* Each test begins without sessions. */
static int empty(void **state)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    (void)state;
    nftw(scratch_path(&arena, "sessions").ptr, scratch_remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return 0;
}

static struct hv_str path_of(struct hv_arena *arena, struct hv_str directory, const char *id)
{
    return hv_arena_format(arena, "%.*s/%s.jsonl", HV_STR_ARG(sessions_project_directory(arena, directory)), id);
}

/* A session that was last written `age` seconds ago. */
static struct hv_str make_session(struct hv_arena *arena, struct hv_str directory, const char *id, int age)
{
    struct hv_str path = path_of(arena, directory, id);
    struct journal_writer *writer = open_writer(path);
    struct hv_str data =
        hv_arena_format(arena, "{\"id\":\"%s\",\"cwd\":\"%.*s\",\"model\":\"m-1\"}", id, HV_STR_ARG(directory));
    journal_write(writer, &(struct hv_event){.type = HV_EVENT_SESSION_START, .data = data});
    journal_write(writer, &(struct hv_event){
                              .type = HV_EVENT_MESSAGE,
                              .name = HV_STR("user"),
                              .json = HV_STR("[{\"type\":\"text\",\"text\":\"<context>x</context>\"},"
                                             "{\"type\":\"text\",\"text\":\"  mend the\\u00e4 build\\nplease\"}]")});
    journal_write(writer, &(struct hv_event){.type = HV_EVENT_TURN_END});
    journal_writer_close(writer);
    struct timeval times[2] = {{.tv_sec = time(NULL) - age}, {.tv_sec = time(NULL) - age}};
    assert_int_equal(utimes(path.ptr, times), 0);
    return path;
}

static bool exists(struct hv_str path)
{
    struct stat st;
    return stat(path.ptr, &st) == 0;
}

static void ids_are_random_and_valid(void **state)
{
    (void)state;
    char a[SESSION_ID_SIZE], b[SESSION_ID_SIZE];
    session_id_new(a);
    session_id_new(b);
    assert_int_equal(strlen(a), SESSION_ID_SIZE - 1);
    assert_string_not_equal(a, b);
    assert_int_equal(a[14], '4');
    assert_true(session_id_is_valid(hv_str_from(a)));
    static const char *const bad[] = {
        "",    "a/b", "..",       "a.b",
        "a b", "a\n", "\xc3\xa4", "0123456789012345678901234567890123456789012345678901234567890123x"};
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_false(session_id_is_valid(hv_str_from(bad[i])));
}

static void directories_that_look_alike_do_not_share_a_folder(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    static const char *const directories[] = {"/a/b", "/a-b", "/a_b", "/A/b", "/", "//"};
    for (size_t i = 0; i < COUNT_OF(directories); i++)
        for (size_t j = 0; j < i; j++)
            assert_false(hv_str_eq(sessions_project_directory(&arena, hv_str_from(directories[i])),
                                   sessions_project_directory(&arena, hv_str_from(directories[j]))));
}

static void the_state_directory_follows_the_environment(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    assert_int_equal(unsetenv("HELVE_HOME"), 0);
    assert_int_equal(setenv("XDG_STATE_HOME", "/state", 1), 0);
    assert_true(hv_str_is(sessions_directory(&arena), "/state/helve/sessions"));
    assert_int_equal(setenv("XDG_STATE_HOME", "relative", 1), 0);
    assert_int_equal(setenv("HOME", "/h", 1), 0);
    assert_true(hv_str_is(sessions_directory(&arena), "/h/.local/state/helve/sessions"));
    assert_int_equal(setenv("HELVE_HOME", scratch_folder, 1), 0);
    assert_true(hv_str_starts(sessions_directory(&arena), hv_str_from(scratch_folder)));
}

static void lists_are_newest_first_and_of_one_project_or_all(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct session_entry *entries;
    size_t count;
    assert_int_equal(sessions_list(&arena, (struct hv_str){0}, &entries, &count, NULL), HV_OK);
    assert_int_equal(count, 0);
    make_session(&arena, home, "older", 100);
    make_session(&arena, home, "newest", 10);
    make_session(&arena, HV_STR("/other"), "middle", 50);
    write_whole(hv_arena_join(&arena, sessions_project_directory(&arena, home), HV_STR("/notes.txt")), HV_STR("x"));
    assert_int_equal(sessions_list(&arena, home, &entries, &count, NULL), HV_OK);
    assert_int_equal(count, 2);
    assert_true(hv_str_is(entries[0].id, "newest"));
    assert_true(hv_str_is(entries[1].id, "older"));
    assert_int_equal(sessions_list(&arena, (struct hv_str){0}, &entries, &count, NULL), HV_OK);
    assert_int_equal(count, 3);
    assert_true(hv_str_is(entries[1].id, "middle"));
}

static void a_description_comes_from_the_journal(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct session_entry entry = {.path = make_session(&arena, home, "described", 1)};
    sessions_describe(&arena, &entry);
    assert_true(hv_str_is(entry.model, "m-1"));
    assert_true(hv_str_eq(entry.directory, home));
    assert_true(hv_str_is(entry.title, "mend the\xc3\xa4 build"));
    assert_int_equal(entry.turns, 1);
}

static void sessions_are_found_by_what_names_them(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str path = make_session(&arena, home, "abcd1111", 30);
    make_session(&arena, home, "abcd2222", 20);
    make_session(&arena, HV_STR("/other"), "abcd1111-more", 10);
    static const struct {
        const char *name, *id; /* NULL name: absent */
        enum hv_code code;
    } rows[] = {
        {"abcd2222", "abcd2222", HV_OK},
        {"abcd2", "abcd2222", HV_OK},
        {"abcd1111", "abcd1111", HV_OK}, /* exact, though it also begins another */
        {"abcd1111-", "abcd1111-more", HV_OK},
        {NULL, "abcd2222", HV_OK}, /* the latest here */
        {"abcd", NULL, HV_ECONFLICT},
        {"abc", NULL, HV_ENOTFOUND}, /* too short to be sure */
        {"zzzz", NULL, HV_ENOTFOUND},
        {"", NULL, HV_ENOTFOUND},
        {"../../etc/passwd.jsonl", NULL, HV_ENOTFOUND},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct session_entry found = {0};
        struct hv_error err;
        enum hv_code code = sessions_find(&arena, hv_str_from(rows[i].name), home, &found, &err);
        if (code != rows[i].code || (rows[i].id && !hv_str_is(found.id, rows[i].id)))
            fail_msg("%s: %s, \"%.*s\"", rows[i].name ? rows[i].name : "(absent)", hv_code_name(code),
                     HV_STR_ARG(found.id));
        if (code != HV_OK)
            assert_true(err.hint[0] != '\0');
    }
    struct session_entry found = {0};
    assert_int_equal(sessions_find(&arena, path, home, &found, NULL), HV_OK);
    assert_true(hv_str_is(found.id, "abcd1111"));
    assert_int_equal(sessions_find(&arena, (struct hv_str){0}, HV_STR("/nowhere"), &found, NULL), HV_ENOTFOUND);
}

static void removing_takes_what_belongs_to_the_session_along(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct session_entry entry = {.id = HV_STR("gone"), .path = make_session(&arena, home, "gone", 1)};
    struct hv_str results = hv_str_slice(entry.path, 0, entry.path.len - 6);
    struct hv_str inner = hv_arena_join(&arena, results, HV_STR("/tool-results"));
    struct hv_str elsewhere = scratch_path(&arena, "elsewhere"), outside = scratch_path(&arena, "elsewhere/precious");
    assert_int_equal(journal_make_directories(elsewhere, 0700, NULL), HV_OK);
    write_whole(outside, HV_STR("x"));
    assert_int_equal(journal_make_directories(inner, 0700, NULL), HV_OK);
    assert_int_equal(symlink(elsewhere.ptr, hv_arena_join(&arena, inner, HV_STR("/link")).ptr), 0);
    assert_int_equal(sessions_remove(&entry, NULL), HV_OK);
    assert_false(exists(entry.path));
    assert_false(exists(results));
    assert_true(exists(outside));
    assert_int_equal(sessions_remove(&entry, NULL), HV_ENOTFOUND);
}

static void a_session_that_is_being_written_is_not_removed(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct session_entry entry = {.id = HV_STR("busy"), .path = make_session(&arena, home, "busy", 1)};
    struct journal_writer *writer = open_writer(entry.path);
    assert_int_equal(sessions_remove(&entry, NULL), HV_ECONFLICT);
    journal_writer_close(writer);
    assert_int_equal(sessions_remove(&entry, NULL), HV_OK);
}

static void what_is_no_kept_session_is_never_removed(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct session_entry found;
    struct hv_error err;
    struct hv_str path = scratch_path(&arena, "data.jsonl"), folder = scratch_path(&arena, "data");
    write_whole(path, HV_STR("{}"));
    assert_int_equal(journal_make_directories(folder, 0700, NULL), HV_OK);
    assert_int_equal(sessions_find(&arena, path, home, &found, NULL), HV_OK);
    assert_int_equal(sessions_remove(&found, &err), HV_EINVAL);
    assert_true(exists(path) && exists(folder));
}

/* A folder of stored results beside `journal`, without a journal of its own. */
static struct hv_str make_results(struct hv_arena *arena, struct hv_str journal, const char *id, int age)
{
    struct hv_str project = hv_str_slice(journal, 0, hv_str_rfind_byte(journal, '/'));
    struct hv_str folder = hv_arena_format(arena, "%.*s/%s", HV_STR_ARG(project), id);
    struct hv_str results = hv_arena_format(arena, "%.*s/tool-results", HV_STR_ARG(folder));
    const struct timespec times[] = {{.tv_sec = time(NULL) - age}, {.tv_sec = time(NULL) - age}};
    assert_int_equal(mkdir(folder.ptr, 0700), 0);
    assert_int_equal(mkdir(results.ptr, 0700), 0);
    FILE *file = fopen(hv_arena_format(arena, "%.*s/a.txt", HV_STR_ARG(results)).ptr, "w");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(utimensat(AT_FDCWD, results.ptr, times, 0), 0);
    return folder;
}

static void cleaning_removes_old_sessions_once_a_day(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    enum { DAY = 86400 };
    struct hv_str old = make_session(&arena, home, "old", 31 * DAY),
                  kept = make_session(&arena, home, "kept", 29 * DAY);
    struct hv_str mine = make_session(&arena, HV_STR("/other"), "mine", 40 * DAY);
    struct hv_str busy = make_session(&arena, home, "busy", 50 * DAY);
    struct journal_writer *writer = open_writer(busy);
    /* What runs without a journal have stored goes by its own age. */
    struct hv_str results_old = make_results(&arena, kept, "old-exec", 31 * DAY),
                  results_new = make_results(&arena, kept, "new-exec", 29 * DAY);
    /* What a cut-off change of files has left waits for a person, however long. */
    struct hv_str changes = make_results(&arena, kept, CHANGES_FOLDER, 100 * DAY);
    assert_int_equal(sessions_clean(30, HV_STR("mine")), 2);
    assert_true(exists(changes));
    assert_false(exists(results_old));
    assert_true(exists(results_new));
    assert_false(exists(old));
    assert_true(exists(kept) && exists(mine) && exists(busy));
    journal_writer_close(writer);
    assert_int_equal(sessions_clean(30, HV_STR("mine")), 0); /* not twice a day */
    assert_true(exists(busy));
    assert_int_equal(sessions_clean(-1, HV_STR("")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(ids_are_random_and_valid, empty),
        cmocka_unit_test_setup(directories_that_look_alike_do_not_share_a_folder, empty),
        cmocka_unit_test_setup(the_state_directory_follows_the_environment, empty),
        cmocka_unit_test_setup(lists_are_newest_first_and_of_one_project_or_all, empty),
        cmocka_unit_test_setup(a_description_comes_from_the_journal, empty),
        cmocka_unit_test_setup(sessions_are_found_by_what_names_them, empty),
        cmocka_unit_test_setup(removing_takes_what_belongs_to_the_session_along, empty),
        cmocka_unit_test_setup(a_session_that_is_being_written_is_not_removed, empty),
        cmocka_unit_test_setup(what_is_no_kept_session_is_never_removed, empty),
        cmocka_unit_test_setup(cleaning_removes_old_sessions_once_a_day, empty),
    };
    return cmocka_run_group_tests(tests, prepare, scratch_remove);
}
