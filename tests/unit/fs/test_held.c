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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
