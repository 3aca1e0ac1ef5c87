/*
 * test_checkpoint_threads.c: what calls change is told of, each change once, when several workers, tasks in the
 * background and the turns of the session come together. Runs under ThreadSanitizer, too.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct harness h;
static char directory[120];

extern const struct hv_tool tool_bash, tool_task_output;

static const struct hv_tool *const tools[] = {&tool_bash, &tool_task_output, NULL};

static const char settings[] = "{\"permissions\":{\"defaultMode\":\"bypassPermissions\"},"
                               "\"sandbox\":{\"enabled\":false}}";

enum { ROUNDS = 4, AT_ONCE = 6, TOLD_MAX = 8 << 20 };

/* What checkpoint events had to say, a line each: of the whole session, as the harness keeps those of one batch. */
static struct hv_buf told_lines;
static pthread_mutex_t told_lock = PTHREAD_MUTEX_INITIALIZER;
static struct hv_sink sinks[2];

static void collect(void *user, const struct hv_event *event)
{
    (void)user;
    if (event->type != HV_EVENT_CHECKPOINT)
        return;
    LOCK_SCOPE(&told_lock);
    hv_buf_add(&told_lines, event->data.ptr, event->data.len);
    hv_buf_add_byte(&told_lines, '\n');
}

static int open_session(void **state)
{
    (void)state;
    harness_open(&h, settings);
    snprintf(directory, sizeof directory, "%s/sessions/p/s/checkpoints", h.directory);
    h.options.checkpoints_directory = hv_str_from(directory);
    hv_buf_init(&told_lines, TOLD_MAX);
    sinks[0] = h.sink;
    sinks[1] = (struct hv_sink){collect, NULL};
    h.options.sinks = sinks;
    h.options.sink_count = 2;
    harness_start(&h, tools);
    return 0;
}

static int close_session(void **state)
{
    (void)state;
    harness_close(&h);
    hv_buf_release(&told_lines);
    return 0;
}

/* How many checkpoint events say in the list `name` that the file of that name in the workspace is of this kind. */
static size_t told(const char *list, const char *file, const char *kind)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    size_t count = 0;
    struct hv_str path = hv_arena_format(&arena, "%s/%s", h.work, file);
    LOCK_SCOPE(&told_lock);
    struct hv_str rest = hv_buf_str(&told_lines), line;
    while (hv_str_split(&rest, '\n', &line)) {
        const struct hv_json *data;
        if (hv_json_parse(&arena, line, HV_JSON_STRICT, &data, NULL) != HV_OK)
            continue; /* the end */
        hv_json_each(image, hv_json_get(data, list))
        {
            count += hv_str_eq(hv_json_get_string(image, "path"), path) &&
                     hv_str_is(hv_json_get_string(image, "kind"), kind);
        }
    }
    return count;
}

static void assert_told_once(const char *list, const char *file, const char *kind)
{
    size_t count = told(list, file, kind);
    if (count != 1)
        fail_msg("%s is told %zu times as %s in \"%s\"", file, count, kind, list);
}

static char *bash(struct hv_arena *arena, const char *command, int round, int number, bool in_background)
{
    struct hv_str text = hv_arena_format(arena, command, round, number);
    return (char *)hv_arena_format(arena, "{\"command\":\"%.*s\"%s}", HV_STR_ARG(text),
                                   in_background ? ",\"run_in_background\":true" : "")
        .ptr;
}

/* Three workers keep files of their own while a task of the round before changes its own, and ends; the turns go on. */
static void changes_of_many_threads_are_told_once(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        char id[20];
        runtime_begin_turn(h.runtime);
        snprintf(id, sizeof id, "task%d", round);
        harness_run(&h, id, "Bash", bash(&arena, "sleep 0.2; echo late > task-%d", round, 0, true), NULL);
        harness_run(&h, "a", "Bash", bash(&arena, "echo x > file-%d-%d", round, 0, false), "b", "Bash",
                    bash(&arena, "echo x > file-%d-%d", round, 1, false), "c", "Bash",
                    bash(&arena, "sleep 0.3; echo x > file-%d-%d", round, 2, false), "d", "Bash",
                    bash(&arena, "mkdir dir-%d-%d", round, 3, false), "e", "Bash",
                    bash(&arena, "echo x > file-%d-%d", round, 4, false), "f", "Bash",
                    bash(&arena, "sh -c 'eval \\\"echo x > open-%d-%d\\\"'", round, 5, false), NULL);
        runtime_end_turn(h.runtime);
    }
    for (int round = 0; round < ROUNDS; round++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        harness_run(&h, "w", "TaskOutput",
                    hv_arena_format(&arena, "{\"task_id\":\"bash_%d\",\"block\":true}", round + 1).ptr, NULL);
    }
    for (int round = 0; round < ROUNDS; round++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        for (int number = 0; number < AT_ONCE - 1; number++) {
            const char *kind = number == 3 ? "directory" : "file";
            const char *file = hv_arena_format(&arena, "%s-%d-%d", number == 3 ? "dir" : "file", round, number).ptr;
            assert_told_once("before", file, "nothing");
            assert_told_once("after", file, kind);
        }
        assert_told_once("after", hv_arena_format(&arena, "open-%d-5", round).ptr, "file");
        assert_told_once("after", hv_arena_format(&arena, "task-%d", round).ptr, "file");
    }
}

/* What a task does until the session ends is told before it has ended. */
static void a_task_that_the_session_ends_is_told_of(void **state)
{
    (void)state;
    runtime_begin_turn(h.runtime);
    harness_run(&h, "t", "Bash",
                "{\"command\":\"sh -c 'eval \\\"echo x > made\\\"; : > ready; sleep 100'\",\"run_in_background\":true}",
                NULL);
    char ready[160];
    struct stat status;
    snprintf(ready, sizeof ready, "%s/ready", h.work);
    for (int i = 0; i < 1000 && stat(ready, &status); i++)
        loop_run_once(h.loop, 10 * CLOCK_MILLISECOND);
    runtime_free(h.runtime);
    h.runtime = NULL;
    assert_told_once("after", "made", "file");
    assert_told_once("after", "ready", "file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(changes_of_many_threads_are_told_once, open_session, close_session),
        cmocka_unit_test_setup_teardown(a_task_that_the_session_ends_is_told_of, open_session, close_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
