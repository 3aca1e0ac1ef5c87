/*
 * workers.c: see workers.h. One mutex guards everything; jobs wait in a linked queue.
 *
 * Fifty short jobs are done sooner by two threads than by fifty that are made for them and then wake each other, and a
 * pool cannot know whether a job will work or wait. So the first few threads are made at once, and a further one, the
 * watcher, makes the others when jobs wait, none was taken for a moment and the processor was idle meanwhile: then
 * those at work are waiting for something.
 */
#include "loop/workers.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/thread.h"
#include "base/vec.h"

#include <errno.h>
#include <unistd.h>

enum { STACK_SIZE = 512 * 1024, EAGER_THREADS_MAX = 4 };

/* How long jobs wait without one of them being taken before there are more threads: while the process uses less than
 * half of one processor, and in any case. */
#define PATIENCE_NS (CLOCK_MILLISECOND / 4)
#define PATIENCE_MAX_NS (4 * CLOCK_MILLISECOND)
/* When the system refuses threads: until it is asked again. */
#define REFUSED_PAUSE_NS (100 * CLOCK_MILLISECOND)

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
    unsigned idle, max_threads, eager_threads;
    VEC(pthread_t) threads;
    bool closing;

    pthread_t watcher;
    pthread_cond_t stalled; /* for the watcher: jobs wait, or the end is near */
    uint64_t progress_ns;   /* when a job was last taken, or came to an empty queue */
    bool watched;           /* the watcher runs */
};

/* One for each processor: more only take turns while all have work. */
static unsigned eager_threads(unsigned max_threads)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned eager = processors < 2 ? 2 : processors > EAGER_THREADS_MAX ? EAGER_THREADS_MAX : (unsigned)processors;
    return eager < max_threads ? eager : max_threads;
}

static void condition_init_monotonic(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

struct workers *workers_new(unsigned max_threads)
{
    struct workers *workers = hv_calloc(1, sizeof *workers);
    pthread_mutex_init(&workers->mutex, NULL);
    pthread_cond_init(&workers->work, NULL);
    pthread_cond_init(&workers->quiet, NULL);
    condition_init_monotonic(&workers->stalled);
    workers->last = &workers->first;
    workers->max_threads = max_threads < 1 ? 1 : max_threads > WORKERS_THREADS_MAX ? WORKERS_THREADS_MAX : max_threads;
    workers->eager_threads = eager_threads(workers->max_threads);
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
    if (workers->first)
        workers->progress_ns = clock_monotonic_ns();
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

/* Mutex held. Returns an errno. */
static int add_thread(struct workers *workers)
{
    pthread_t thread;
    int failed = thread_start(&thread, STACK_SIZE, work, workers);
    if (!failed)
        *vec_push(&workers->threads) = thread;
    return failed;
}

/* Twice as many threads, if so many jobs wait: once too often costs little, and a few steps are enough for all. False
 * when the system refuses. Mutex held. */
static bool grow(struct workers *workers)
{
    size_t wanted = workers->waiting > workers->idle ? workers->waiting - workers->idle : 0;
    if (wanted > workers->threads.count)
        wanted = workers->threads.count;
    while (wanted && workers->threads.count < workers->max_threads && !add_thread(workers))
        wanted--;
    workers->progress_ns = clock_monotonic_ns(); /* the new ones take their time */
    return !wanted || workers->threads.count == workers->max_threads;
}

static uint64_t processor_time_ns(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * CLOCK_SECOND + (uint64_t)used.tv_nsec;
}

/* Mutex held, but not meanwhile. */
static void pause_watching(struct workers *workers, uint64_t duration_ns)
{
    uint64_t end = clock_monotonic_ns() + duration_ns;
    struct timespec until = {.tv_sec = (time_t)(end / CLOCK_SECOND), .tv_nsec = (long)(end % CLOCK_SECOND)};
    while (!workers->closing && pthread_cond_timedwait(&workers->stalled, &workers->mutex, &until) != ETIMEDOUT)
        ;
}

/* Look on for a moment; whether no job was taken in it although the process had little to do. Mutex held. */
static bool is_stalled(struct workers *workers)
{
    uint64_t progress = workers->progress_ns, used = processor_time_ns(), start = clock_monotonic_ns();
    pause_watching(workers, PATIENCE_NS);
    if (!workers->first || workers->progress_ns != progress)
        return false;
    uint64_t now = clock_monotonic_ns();
    return 2 * (processor_time_ns() - used) < now - start || now - progress >= PATIENCE_MAX_NS;
}

static void *watch(void *data)
{
    struct workers *workers = data;
    pthread_setname_np(pthread_self(), "hv-watcher");
    LOCK_SCOPE(&workers->mutex);
    while (!workers->closing)
        if (!workers->first || workers->threads.count == workers->max_threads)
            pthread_cond_wait(&workers->stalled, &workers->mutex);
        else if (is_stalled(workers) && !grow(workers))
            pause_watching(workers, REFUSED_PAUSE_NS);
    return NULL;
}

/* See to it that a job that comes now, and may find no thread idle, will not wait for ever. Mutex held. */
static enum hv_code prepare_thread(struct workers *workers, struct hv_error *err)
{
    if (workers->idle > workers->waiting || workers->threads.count == workers->max_threads)
        return HV_OK;
    if (workers->threads.count >= workers->eager_threads) {
        if (!workers->watched)
            workers->watched = !thread_start(&workers->watcher, STACK_SIZE, watch, workers);
        if (workers->watched)
            return HV_OK;
    }
    int failed = add_thread(workers);
    return failed && !workers->threads.count ? hv_fail_errno(err, failed, "cannot start a thread") : HV_OK;
}

/* Mutex held. Whether a thread is to be woken for it. */
static bool add_job(struct workers *workers, void (*function)(void *data), void *data)
{
    struct job *job = hv_malloc(sizeof *job);
    *job = (struct job){function, data, NULL};
    if (!workers->first) {
        workers->progress_ns = clock_monotonic_ns();
        if (workers->watched)
            pthread_cond_signal(&workers->stalled);
    }
    *workers->last = job;
    workers->last = &job->next;
    workers->waiting++;
    return workers->idle > 0;
}

enum hv_code workers_submit(struct workers *workers, void (*function)(void *data), void *data, struct hv_error *err)
{
    bool wake = false;
    pthread_mutex_lock(&workers->mutex);
    enum hv_code code =
        workers->closing ? hv_fail(err, HV_EAGAIN, "the worker pool is shutting down") : prepare_thread(workers, err);
    if (code == HV_OK)
        wake = add_job(workers, function, data);
    pthread_mutex_unlock(&workers->mutex);
    /* Outside of the lock: the woken thread takes it first of all. */
    if (wake)
        pthread_cond_signal(&workers->work);
    return code;
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
    pthread_cond_signal(&workers->stalled);
    pthread_mutex_unlock(&workers->mutex);
    if (workers->watched)
        pthread_join(workers->watcher, NULL);
    for (size_t i = 0; i < workers->threads.count; i++)
        pthread_join(workers->threads.items[i], NULL);
    vec_release(&workers->threads);
    pthread_cond_destroy(&workers->work);
    pthread_cond_destroy(&workers->quiet);
    pthread_cond_destroy(&workers->stalled);
    pthread_mutex_destroy(&workers->mutex);
    free(workers);
}

unsigned workers_thread_count(struct workers *workers)
{
    LOCK_SCOPE(&workers->mutex);
    return (unsigned)workers->threads.count;
}
