/* test_presence.c: which sessions are listed as alive: those that live, whatever files lie about. */
#include "base/cleanup.h"
#include "proc/inspect.h"
#include "proc/presence.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

struct fixture {
    char parent[64], directory[80];
    struct hv_arena arena;
};

static int set_up(void **state)
{
    struct fixture *fixture = hv_calloc(1, sizeof *fixture);
    snprintf(fixture->parent, sizeof fixture->parent, "/tmp/helve-presence-XXXXXX");
    assert_non_null(mkdtemp(fixture->parent));
    snprintf(fixture->directory, sizeof fixture->directory, "%s/a/run", fixture->parent);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    char path[80];
    hv_arena_release(&fixture->arena);
    rmdir(fixture->directory); /* fails when a file was left behind, and then the next lines say so */
    snprintf(path, sizeof path, "%s/a", fixture->parent);
    rmdir(path);
    assert_int_equal(rmdir(fixture->parent), 0);
    free(fixture);
    return 0;
}

static struct presence *begin(const struct fixture *fixture, const char *id)
{
    struct presence_options options = {.directory = hv_str_from(fixture->directory),
                                       .session_id = hv_str_from(id),
                                       .door = "exec",
                                       .working_directory = HV_STR("/some/where")};
    return presence_open(&options);
}

static struct presence_session *list(struct fixture *fixture, size_t *count)
{
    return presence_list(&fixture->arena, hv_str_from(fixture->directory), count);
}

static void a_session_is_listed_while_it_lives_with_its_tasks(void **state)
{
    struct fixture *fixture = *state;
    struct presence_task task = {
        .id = HV_STR("bash_1"), .type = HV_STR("bash"), .title = HV_STR("a \"b\"\n"), .process = 77, .waits = true};
    struct stat info;
    size_t count;
    assert_null(list(fixture, &count));
    struct presence *presence = begin(fixture, "one");
    assert_non_null(presence);
    assert_int_equal(stat(fixture->directory, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    presence_tell(presence, &task, 1);
    struct presence_session *found = list(fixture, &count);
    assert_int_equal(count, 1);
    assert_int_equal(found->pid, getpid());
    assert_true(hv_str_is(found->id, "one") && hv_str_is(found->door, "exec"));
    assert_true(hv_str_is(found->working_directory, "/some/where"));
    assert_int_equal(found->task_count, 1);
    assert_true(hv_str_is(found->tasks[0].title, "a \"b\"\n") && found->tasks[0].waits);
    assert_int_equal(found->tasks[0].process, 77);
    presence_close(presence);
    list(fixture, &count);
    assert_int_equal(count, 0);
}

static void what_a_killed_session_left_is_removed(void **state)
{
    struct fixture *fixture = *state;
    size_t count;
    pid_t child = fork();
    if (child == 0) {
        begin(fixture, "killed");
        kill(getpid(), SIGKILL);
    }
    waitpid(child, NULL, 0);
    list(fixture, &count);
    assert_int_equal(count, 0); /* and tear_down finds an empty folder */
}

static void foreign_files_are_no_sessions(void **state)
{
    struct fixture *fixture = *state;
    static const char *const texts[] = {"", "{", "[]", "{\"pid\":1}", "{\"pid\":\"x\",\"ticks\":-1,\"tasks\":7}"};
    size_t count;
    presence_close(begin(fixture, "gone"));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%zu-x.json", fixture->directory, i);
        CLEANUP_FD int fd = open(path, O_WRONLY | O_CREAT, 0600);
        assert_true(fd >= 0 && write(fd, texts[i], strlen(texts[i])) >= 0);
    }
    list(fixture, &count);
    assert_int_equal(count, 0);
}

static void a_process_tells_what_it_is(void **state)
{
    struct fixture *fixture = *state;
    struct process_info info;
    assert_true(inspect_process(&fixture->arena, getpid(), &info));
    assert_int_equal(info.parent, getppid());
    assert_int_equal(info.group, getpgrp());
    assert_true(info.age_ms < 600000);
    assert_true(hv_str_find(info.command, HV_STR("test_presence"), 0) != SIZE_MAX);
    assert_false(inspect_process(&fixture->arena, -1, &info));
    size_t count;
    assert_non_null(inspect_all(&fixture->arena, 3, &count));
    assert_int_equal(count, 3);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_session_is_listed_while_it_lives_with_its_tasks),
        CASE(what_a_killed_session_left_is_removed),
        CASE(foreign_files_are_no_sessions),
        CASE(a_process_tells_what_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
