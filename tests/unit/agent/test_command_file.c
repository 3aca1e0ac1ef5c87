/* test_command_file.c: command files are read once, and again when something of them has changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/command_file.h"
#include "base/cleanup.h"

static char folder[] = "/tmp/helve-command-XXXXXX";

static const char *path_of(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* What was written a moment ago is read anew each time: wait until it is not that young. */
static void find_settled(const struct command_places *places, struct hv_arena *arena, struct command_files *files)
{
    command_files_find(places, arena, files);
    for (int i = 0; i < 12000 && command_files_changed(places->host, files); i++) {
        usleep(5000);
        command_files_find(places, arena, files);
    }
    assert_false(command_files_changed(places->host, files));
}

static void test_what_changes_is_seen_without_reading(void **state)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_host *host = hv_host_local();
    struct command_files files;
    (void)state;
    assert_non_null(mkdtemp(folder));
    struct command_places places = {.host = host, .directory = hv_str_from(folder)};
    find_settled(&places, &arena, &files);
    assert_int_equal(files.count, 0);
    assert_int_equal(mkdir(path_of(".helve"), 0700), 0);
    assert_int_equal(mkdir(path_of(".helve/commands"), 0700), 0);
    assert_true(command_files_changed(host, &files)); /* the folder is there now */
    write_file(".helve/commands/one.md", "---\ndescription: first\n---\nx\n");
    find_settled(&places, &arena, &files);
    assert_int_equal(files.count, 1);
    write_file(".helve/commands/one.md", "---\ndescription: second\n---\nx\n");
    assert_true(command_files_changed(host, &files));
    find_settled(&places, &arena, &files);
    assert_true(hv_str_is(files.items[0].description, "second"));
    write_file(".helve/commands/two.md", "more\n"); /* another one */
    assert_true(command_files_changed(host, &files));
    find_settled(&places, &arena, &files);
    assert_int_equal(files.count, 2);
    unlink(path_of(".helve/commands/two.md"));
    assert_true(command_files_changed(host, &files));
    unlink(path_of(".helve/commands/one.md"));
    rmdir(path_of(".helve/commands"));
    assert_true(command_files_changed(host, &files));
    rmdir(path_of(".helve"));
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_changes_is_seen_without_reading)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
