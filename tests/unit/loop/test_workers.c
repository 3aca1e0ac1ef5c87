/* test_workers.c: the worker pool: order, side by side, threads on demand, the end. */
#include "loop/workers.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

enum { JOBS = 5000 };

struct shared {
    struct workers *workers;
    atomic_uint count;
    unsigned order[JOBS], ordered; /* written by one thread at a time in the tests that use it */
    pthread_barrier_t barrier;
    atomic_bool signal_open;
};

struct job {
    struct shared *shared;
    unsigned number;
};

static void submit(struct shared *shared, void (*function)(void *data), void *data)
{
    assert_int_equal(workers_submit(shared->workers, function, data, NULL), HV_OK);
}

static void count(void *data)
{
    atomic_fetch_add(&((struct shared *)data)->count, 1);
}

static void record(void *data)
{
    struct job *job = data;
    job->shared->order[job->shared->ordered++] = job->number;
    free(job);
}

static void meet(void *data)
{
    struct shared *shared = data;
    pthread_barrier_wait(&shared->barrier);
    count(shared);
}

static void an_unused_pool_has_no_threads(void **state)
{
    struct workers *workers = workers_new(8);
    (void)state;
    assert_int_equal(workers_thread_count(workers), 0);
    workers_wait(workers);
    workers_free(workers);
    workers_free(NULL);
}

static void one_thread_runs_jobs_in_the_order_of_submission(void **state)
{
    struct shared *shared = hv_calloc(1, sizeof *shared);
    (void)state;
    shared->workers = workers_new(1);
    for (unsigned i = 0; i < JOBS; i++) {
        struct job *job = hv_malloc(sizeof *job);
        *job = (struct job){shared, i};
        submit(shared, record, job);
    }
    workers_wait(shared->workers);
    assert_int_equal(workers_thread_count(shared->workers), 1);
    assert_int_equal(shared->ordered, JOBS);
    for (unsigned i = 0; i < JOBS; i++)
        assert_int_equal(shared->order[i], i);
    workers_free(shared->workers);
    free(shared);
}

/* Ten jobs that wait for one another end only when all ten run at once. */
static void as_many_jobs_as_threads_run_at_once(void **state)
{
    struct shared shared = {.workers = workers_new(10)};
    (void)state;
    pthread_barrier_init(&shared.barrier, NULL, 10);
    for (int round = 0; round < 20; round++)
        for (int i = 0; i < 10; i++)
            submit(&shared, meet, &shared);
    workers_wait(shared.workers);
    assert_int_equal(shared.count, 200);
    assert_int_equal(workers_thread_count(shared.workers), 10);
    workers_free(shared.workers);
    pthread_barrier_destroy(&shared.barrier);
}

static void idle_threads_are_used_again(void **state)
{
    struct shared shared = {.workers = workers_new(10)};
    (void)state;
    for (int i = 0; i < 50; i++) {
        submit(&shared, count, &shared);
        workers_wait(shared.workers);
        usleep(1000);
    }
    assert_int_equal(shared.count, 50);
    assert_in_range(workers_thread_count(shared.workers), 1, 3);
    workers_free(shared.workers);
}

static void submit_more(void *data)
{
    struct shared *shared = data;
    if (atomic_fetch_add(&shared->count, 1) < 500 &&
        workers_submit(shared->workers, submit_more, shared, NULL) != HV_OK)
        abort();
}

static void jobs_may_submit_jobs_and_the_end_waits_for_them(void **state)
{
    struct shared shared = {.workers = workers_new(3)};
    (void)state;
    submit(&shared, submit_more, &shared);
    workers_free(shared.workers);
    assert_int_equal(shared.count, 501);
}

static void look_at_mask(void *data)
{
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    atomic_store(&((struct shared *)data)->signal_open,
                 !sigismember(&blocked, SIGINT) || !sigismember(&blocked, SIGTERM));
}

static void signals_are_left_to_the_other_threads(void **state)
{
    struct shared shared = {.workers = workers_new(1), .signal_open = true};
    sigset_t blocked;
    (void)state;
    submit(&shared, look_at_mask, &shared);
    workers_free(shared.workers);
    assert_false(shared.signal_open);
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    assert_false(sigismember(&blocked, SIGINT));
}

static void *submit_many(void *data)
{
    struct shared *shared = data;
    for (int i = 0; i < JOBS; i++)
        if (workers_submit(shared->workers, count, shared, NULL) != HV_OK)
            abort();
    return NULL;
}

static void many_threads_may_submit(void **state)
{
    struct shared shared = {.workers = workers_new(4)};
    pthread_t threads[4];
    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, submit_many, &shared), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    workers_free(shared.workers);
    assert_int_equal(shared.count, 4 * JOBS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unused_pool_has_no_threads),
        cmocka_unit_test(one_thread_runs_jobs_in_the_order_of_submission),
        cmocka_unit_test(as_many_jobs_as_threads_run_at_once),
        cmocka_unit_test(idle_threads_are_used_again),
        cmocka_unit_test(jobs_may_submit_jobs_and_the_end_waits_for_them),
        cmocka_unit_test(signals_are_left_to_the_other_threads),
        cmocka_unit_test(many_threads_may_submit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
