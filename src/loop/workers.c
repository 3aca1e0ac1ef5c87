/* workers.c: see workers.h. One mutex guards everything; jobs wait in a linked queue. */
#include "loop/workers.h"

#include "base/cleanup.h"
#include "base/vec.h"

#include <errno.h>
#include <signal.h>

enum { STACK_SIZE = 512 * 1024 };

struct job {
    void (*function)(void *data);
    void *data;
    struct job *next;
};

struct workers {
    pthread_mutex_t mutex;
    pthread_cond_t work, quiet; /* a job came or the end is near; no job is left */
    struct job *first, **last;
    size_t waiting, running; /* jobs */
    unsigned idle, max_threads;
    VEC(pthread_t) threads;
    bool closing;
};

struct workers *workers_new(unsigned max_threads)
{
    struct workers *workers = hv_calloc(1, sizeof *workers);
    pthread_mutex_init(&workers->mutex, NULL);
    pthread_cond_init(&workers->work, NULL);
    pthread_cond_init(&workers->quiet, NULL);
    workers->last = &workers->first;
    workers->max_threads = max_threads < 1 ? 1 : max_threads > WORKERS_THREADS_MAX ? WORKERS_THREADS_MAX : max_threads;
    return workers;
}

/* The next job, or NULL when the pool is closing and none is left. Called and returns with the mutex held. */
static struct job *next_job(struct workers *workers)
{
    while (!workers->first) {
        if (workers->closing)
            return NULL;
        workers->idle++;
        pthread_cond_wait(&workers->work, &workers->mutex);
        workers->idle--;
    }
    struct job *job = workers->first;
    workers->first = job->next;
    if (!workers->first)
        workers->last = &workers->first;
    workers->waiting--;
    workers->running++;
    return job;
}

static void *work(void *data)
{
    struct workers *workers = data;
    pthread_setname_np(pthread_self(), "hv-worker");
    pthread_mutex_lock(&workers->mutex);
    for (struct job *job; (job = next_job(workers));) {
        pthread_mutex_unlock(&workers->mutex);
        job->function(job->data);
        free(job);
        pthread_mutex_lock(&workers->mutex);
        workers->running--;
        if (!workers->running && !workers->waiting)
            pthread_cond_broadcast(&workers->quiet);
    }
    pthread_mutex_unlock(&workers->mutex);
    return NULL;
}

/* Start a thread with all signals blocked: they belong to the loop's thread. Mutex held. Returns an errno. */
static int add_thread(struct workers *workers)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    int failed = pthread_attr_init(&attributes);
    if (failed)
        return failed;
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    failed = pthread_create(&thread, &attributes, work, workers);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (!failed)
        *vec_push(&workers->threads) = thread;
    return failed;
}

enum hv_code workers_submit(struct workers *workers, void (*function)(void *data), void *data, struct hv_error *err)
{
    LOCK_SCOPE(&workers->mutex);
    if (workers->closing)
        return hv_fail(err, HV_EAGAIN, "the worker pool is shutting down");
    if (workers->idle <= workers->waiting && workers->threads.count < workers->max_threads) {
        int failed = add_thread(workers);
        if (failed && !workers->threads.count)
            return hv_fail_errno(err, failed, "cannot start a thread");
    }
    struct job *job = hv_malloc(sizeof *job);
    *job = (struct job){function, data, NULL};
    *workers->last = job;
    workers->last = &job->next;
    workers->waiting++;
    pthread_cond_signal(&workers->work);
    return HV_OK;
}

static void wait_until_quiet(struct workers *workers)
{
    while (workers->waiting || workers->running)
        pthread_cond_wait(&workers->quiet, &workers->mutex);
}

void workers_wait(struct workers *workers)
{
    LOCK_SCOPE(&workers->mutex);
    wait_until_quiet(workers);
}

void workers_free(struct workers *workers)
{
    if (!workers)
        return;
    pthread_mutex_lock(&workers->mutex);
    wait_until_quiet(workers);
    workers->closing = true;
    pthread_cond_broadcast(&workers->work);
    pthread_mutex_unlock(&workers->mutex);
    for (size_t i = 0; i < workers->threads.count; i++)
        pthread_join(workers->threads.items[i], NULL);
    vec_release(&workers->threads);
    pthread_cond_destroy(&workers->work);
    pthread_cond_destroy(&workers->quiet);
    pthread_mutex_destroy(&workers->mutex);
    free(workers);
}

unsigned workers_thread_count(struct workers *workers)
{
    LOCK_SCOPE(&workers->mutex);
    return (unsigned)workers->threads.count;
}
