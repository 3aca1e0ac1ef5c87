/* test_held.c: the host of one call: what was judged is reached, whatever becomes a link, and nothing else is. */
#include "folder.h"

#include "base/cleanup.h"
#include "fs/held.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct one {
    const struct hv_host *host;
    struct hv_place place;
};

static struct one hold(struct folder *folder, const char *name)
{
    struct one one = {.place = {.written = folder_path(folder, name)}};
    assert_int_equal(hv_host_local()->hold(hv_host_local(), &one.place, 1, &one.host, NULL), HV_OK);
    return one;
}

/* The text of a file by the host of a call, or NULL; the code in *code. */
static enum hv_code read_by(const struct one *one, struct hv_str path, char text[64])
{
    CLEANUP_BUF struct hv_buf bytes = {.max = 60};
    enum hv_code code = one->host->read(one->host, path, 0, 60, &bytes, NULL, NULL);
    snprintf(text, 64, "%.*s", (int)bytes.len, bytes.len ? bytes.data : "");
    return code;
}

static void exchange(struct folder *folder, const char *name, const char *target)
{
    char old[4096];
    snprintf(old, sizeof old, "%s.was", folder_cpath(folder, name));
    assert_int_equal(rename(folder_cpath(folder, name), old), 0);
    assert_int_equal(symlink(target, folder_cpath(folder, name)), 0);
}

static void a_file_that_becomes_a_link_is_not_followed(void **state)
{
    struct folder *folder = *state;
    char text[64];
    folder_put(folder, "a", "mine");
    folder_put(folder, "secret", "secret");
    struct one one = hold(folder, "a");
    assert_int_equal(one.place.kind, HV_FILE_REGULAR);
    assert_false(one.host->moved(one.host));
    assert_int_equal(read_by(&one, one.place.written, text), HV_OK);
    assert_string_equal(text, "mine");
    exchange(folder, "a", "secret");
    assert_true(one.host->moved(one.host));
    assert_int_equal(read_by(&one, one.place.written, text), HV_ECONFLICT);
    assert_int_equal(one.host->write(one.host, one.place.written, HV_STR("x"), NULL, NULL, NULL), HV_EUNSUPPORTED);
    one.host->release(one.host);
}

static void a_directory_that_becomes_a_link_leads_nowhere_new(void **state)
{
    struct folder *folder = *state;
    char text[64];
    folder_make(folder, "d");
    folder_make(folder, "outside");
    folder_put(folder, "d/f", "mine");
    folder_put(folder, "outside/f", "secret");
    struct one one = hold(folder, "d/f"), fresh = hold(folder, "d/new"), deep = hold(folder, "d/e/new");
    const struct hv_write_options parents = {.make_parents = true};
    assert_int_equal(fresh.place.kind, HV_FILE_UNKNOWN);
    exchange(folder, "d", "outside");
    assert_true(one.host->moved(one.host));
    assert_true(fresh.host->moved(fresh.host));
    assert_int_equal(read_by(&one, one.place.written, text), HV_OK);
    assert_string_equal(text, "mine");
    assert_int_equal(fresh.host->write(fresh.host, fresh.place.written, HV_STR("x"), NULL, NULL, NULL), HV_OK);
    assert_int_equal(deep.host->write(deep.host, deep.place.written, HV_STR("x"), &parents, NULL, NULL), HV_OK);
    assert_int_equal(access(folder_cpath(folder, "outside/new"), F_OK), -1);
    assert_int_equal(access(folder_cpath(folder, "outside/e"), F_OK), -1);
    assert_int_equal(access(folder_cpath(folder, "d.was/new"), F_OK), 0);
    assert_int_equal(access(folder_cpath(folder, "d.was/e/new"), F_OK), 0);
    one.host->release(one.host);
    fresh.host->release(fresh.host);
    deep.host->release(deep.host);
}

static void what_is_below_is_reached_without_links(void **state)
{
    struct folder *folder = *state;
    char text[64];
    folder_make(folder, "tree");
    folder_put(folder, "tree/f", "mine");
    folder_put(folder, "secret", "secret");
    assert_int_equal(symlink("../secret", folder_cpath(folder, "tree/link")), 0);
    struct one one = hold(folder, "tree");
    assert_int_equal(read_by(&one, folder_path(folder, "tree/f"), text), HV_OK);
    assert_int_equal(read_by(&one, folder_path(folder, "tree/link"), text), HV_ECONFLICT);
    assert_int_not_equal(read_by(&one, folder_path(folder, "tree/../secret"), text), HV_OK);
    CLEANUP_FD int fd = -1;
    assert_int_equal(one.host->open(one.host, one.place.written, HV_FILE_DIRECTORY, &fd, NULL, NULL), HV_OK);
    one.host->release(one.host);
}

static void nothing_else_is_reached(void **state)
{
    struct folder *folder = *state;
    char text[64];
    folder_make(folder, "d");
    folder_put(folder, "d/a", "mine");
    folder_make(folder, "other");
    folder_put(folder, "other/f", "secret");
    folder_put(folder, ".editorconfig", "root = true");
    struct one one = hold(folder, "d/a");
    struct hv_str other = folder_path(folder, "other/f");
    assert_int_equal(read_by(&one, other, text), HV_EACCES);
    assert_int_equal(one.host->write(one.host, other, HV_STR("x"), NULL, NULL, NULL), HV_EACCES);
    assert_int_equal(one.host->remove(one.host, other, NULL), HV_EACCES);
    struct hv_file_change change = {.path = other, .bytes = HV_STR("x")};
    assert_int_equal(one.host->change_files(one.host, &change, 1, folder_path(folder, "journal"), NULL), HV_EACCES);
    assert_int_equal(read_by(&one, folder_path(folder, ".editorconfig"), text), HV_OK);
    one.host->release(one.host);
}

static void a_link_that_was_judged_is_its_target(void **state)
{
    struct folder *folder = *state;
    char text[64];
    folder_put(folder, "target", "mine");
    assert_int_equal(symlink("target", folder_cpath(folder, "name")), 0);
    struct one one = hold(folder, "name");
    assert_true(hv_str_eq(one.place.resolved, folder_path(folder, "target")));
    assert_int_equal(one.host->write(one.host, one.place.written, HV_STR("new"), NULL, NULL, NULL), HV_OK);
    assert_int_equal(read_by(&one, folder_path(folder, "target"), text), HV_OK);
    assert_string_equal(text, "new");
    one.host->release(one.host);
}

/* Changes of files in d by a host that held it before; the last one may be bound to fail. */
static enum hv_code change_held(struct folder *folder, const struct hv_host *host, bool fails)
{
    static const struct hv_file_stat no_such_file = {.inode = 1};
    struct hv_file_change changes[] = {
        {.path = folder_path(folder, "d/a"), .bytes = HV_STR("new")},
        {.path = folder_path(folder, "d/made/f"), .bytes = HV_STR("new"), .options = {.make_parents = true}},
        {.path = folder_path(folder, "d/copy"), .link_like = folder_path(folder, "d/link")},
        {.path = folder_path(folder, "d/gone")},
        {.path = folder_path(folder, "d/link")},
        {.path = folder_path(folder, "d/b"), .bytes = HV_STR("new")},
    };
    size_t count = sizeof changes / sizeof *changes;
    if (fails)
        changes[count - 1].options.expected = &no_such_file;
    return host->change_files(host, changes, count, folder_path(folder, "journal"), NULL);
}

/* Three files and a link that say all the same. */
static void fill(struct folder *folder, const char *name, const char *text)
{
    static const char *const files[] = {"a", "b", "gone"};
    char path[64];
    folder_make(folder, name);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", name, files[i]);
        folder_put(folder, path, text);
    }
    snprintf(path, sizeof path, "%s/link", name);
    assert_int_equal(symlink(text, folder_cpath(folder, path)), 0);
}

static bool says(struct folder *folder, const char *name, const char *text)
{
    return folder_has(folder, name) && hv_str_is(folder_get(folder, name), text);
}

/* Another directory bears the name of the held one by then: nothing is read, changed or put back there. */
static void a_change_keeps_and_takes_back_what_is_held(void **state)
{
    static const char *const names[] = {"d/a", "d/b", "d/gone", "d/made/f", "d/copy", "d/link"};
    enum { COUNT = sizeof names / sizeof *names };
    struct folder *folder = *state;
    struct hv_place places[COUNT];
    const struct hv_host *host;
    char said[64] = "";
    fill(folder, "d", "mine");
    fill(folder, "other", "theirs");
    for (size_t i = 0; i < COUNT; i++)
        places[i] = (struct hv_place){.written = folder_path(folder, names[i])};
    assert_int_equal(hv_host_local()->hold(hv_host_local(), places, COUNT, &host, NULL), HV_OK);
    assert_int_equal(rename(folder_cpath(folder, "d"), folder_cpath(folder, "was")), 0);
    assert_int_equal(rename(folder_cpath(folder, "other"), folder_cpath(folder, "d")), 0);
    assert_int_equal(change_held(folder, host, true), HV_ECONFLICT);
    assert_true(says(folder, "was/a", "mine") && says(folder, "was/gone", "mine"));
    assert_int_equal(folder_count(folder, "was"), 4);
    assert_int_equal(folder_count(folder, "journal"), 0);
    assert_int_equal(change_held(folder, host, false), HV_OK);
    assert_true(says(folder, "was/a", "new") && says(folder, "was/b", "new") && says(folder, "was/made/f", "new"));
    assert_int_equal(readlink(folder_cpath(folder, "was/copy"), said, sizeof said - 1), 4);
    assert_string_equal(said, "mine");
    assert_int_equal(folder_count(folder, "was"), 4); /* a, b, made, copy */
    assert_int_equal(folder_count(folder, "d"), 4);
    assert_true(says(folder, "d/a", "theirs") && says(folder, "d/b", "theirs") && says(folder, "d/gone", "theirs"));
    host->release(host);
}

static void a_file_saved_by_rename_is_the_same_place(void **state)
{
    struct folder *folder = *state;
    char text[64];
    folder_put(folder, "a", "old");
    struct one one = hold(folder, "a");
    folder_put(folder, "b", "saved");
    assert_int_equal(rename(folder_cpath(folder, "b"), folder_cpath(folder, "a")), 0);
    assert_false(one.host->moved(one.host));
    assert_int_equal(read_by(&one, one.place.written, text), HV_OK);
    assert_string_equal(text, "saved");
    one.host->release(one.host);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_file_that_becomes_a_link_is_not_followed), CASE(a_directory_that_becomes_a_link_leads_nowhere_new),
        CASE(what_is_below_is_reached_without_links),     CASE(nothing_else_is_reached),
        CASE(a_link_that_was_judged_is_its_target),       CASE(a_file_saved_by_rename_is_the_same_place),
        CASE(a_change_keeps_and_takes_back_what_is_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
