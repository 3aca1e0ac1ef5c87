/* test_parallel.c: tools at work on several threads of one session, as the workers run them. For ThreadSanitizer. */
#include "harness.h"

#include <pthread.h>
#include <unistd.h>

extern const struct hv_tool tool_read, tool_write, tool_edit, tool_glob, tool_grep, tool_ls, tool_bash;

enum { THREADS = 4, ROUNDS = 10 };

/* One worker's view of the session: arenas of its own, the session's states. */
struct worker {
    struct session session;
    int number;
    bool fine;
};

static bool step(struct worker *worker, const struct hv_tool *tool, const char *format, int number)
{
    struct session *session = &worker->session;
    char input[256];
    int len = snprintf(input, sizeof input, format, number);
    call_raw(session, tool, hv_str_of(input, (size_t)len));
    return !session->failed;
}

/* cmocka's checks belong to its own thread: here failures are only noted. */
static void *work(void *data)
{
    struct worker *worker = data;
    int number = worker->number;
    worker->fine = step(worker, &tool_write, "{\"file_path\":\"own%d\",\"content\":\"round 0\\n\"}", number);
    for (int round = 0; round < ROUNDS && worker->fine; round++) {
        char edit[256];
        snprintf(edit, sizeof edit,
                 "{\"file_path\":\"own%%d\",\"old_string\":\"round %d\\n\",\"new_string\":\"round %d\\n\"}", round,
                 round + 1);
        worker->fine =
            step(worker, &tool_edit, edit, number) &&
            step(worker, &tool_read, "{\"file_path\":\"shared\",\"offset\":%d,\"limit\":2}", round % 3 + 1) &&
            step(worker, &tool_read, "{\"file_path\":\"large\",\"offset\":%d,\"limit\":3}",
                 1 + round * 15000 + number) &&
            step(worker, &tool_grep, "{\"pattern\":\"round|line %d\",\"output_mode\":\"content\"}", number) &&
            step(worker, &tool_glob, "{\"pattern\":\"{shared,own%d}\"}", number) &&
            step(worker, &tool_ls, "{\"depth\":%d}", 1);
    }
    worker->fine = worker->fine && step(worker, &tool_bash, "{\"command\":\"cat own%d\"}", number);
    return NULL;
}

/* A file that is read by ranges, long enough ago for what is found out about it to be kept. */
static void put_many(struct session *session, const char *name)
{
    struct hv_buf text;
    hv_buf_init(&text, 8 << 20);
    for (int i = 1; i <= 200000; i++)
        hv_buf_addf(&text, "number %d\n", i);
    file_put_bytes(session, name, hv_buf_str(&text));
    hv_buf_release(&text);
    usleep(50000);
}

static void one_session_serves_many_workers(void **unused)
{
    (void)unused;
    struct session session;
    session_open(&session);
    file_put(&session, "shared", "line 1\nline 2\nline 3\nline 4\n");
    put_many(&session, "large");
    call(&session, &tool_read, "{'file_path':'shared'}"); /* makes the states that the workers share */
    call(&session, &tool_read, "{'file_path':'large','offset':9000}");
    static struct worker workers[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.session = session, .number = i};
        workers[i].session.own = workers[i].session.call = (struct hv_arena){0};
        workers[i].session.context.arena = &workers[i].session.call;
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        if (!workers[i].fine)
            fail_msg("worker %d: %.*s", i, HV_STR_ARG(workers[i].session.text));
        char name[16];
        snprintf(name, sizeof name, "own%d", i);
        expect_file(&session, name, "round 10\n");
        hv_arena_release(&workers[i].session.call);
        hv_arena_release(&workers[i].session.own);
    }
    session_close(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_session_serves_many_workers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
