/*
 * workers.h: a pool of threads for blocking work (the calls of tools).
 *
 * Jobs start in the order in which they were submitted. A thread is created only when a job waits and no thread is
 * idle, so an unused pool costs nothing: the first few at once, further ones, up to the maximum, when jobs have waited
 * for part of a millisecond without one being taken. Threads then stay until the pool is freed. libuv's own pool
 * is not used: it is one per process, has four threads, and cannot be waited for.
 *
 * Thread-safety: workers_submit from any thread, jobs included; workers_free once, from outside the pool.
 */
#ifndef LOOP_WORKERS_H
#define LOOP_WORKERS_H

#include <helve/str.h>

struct workers;

enum { WORKERS_THREADS_MAX = 1024 };

/* A pool of at most max_threads (1 to WORKERS_THREADS_MAX, clamped). Creates no thread and cannot fail. */
struct workers *workers_new(unsigned max_threads);

/*
 * Run function(data) on a thread of the pool. HV_OK: it will be called exactly once. HV_EAGAIN: the system allows no
 * thread at all (and the pool has none yet), or the pool is being freed; then it is never called. When the system
 * refuses a further thread but the pool has some, the job waits for one of these. Does not block.
 * Threads have 512 KiB of stack, all signals blocked, and the name "hv-worker".
 */
enum hv_code workers_submit(struct workers *workers, void (*function)(void *data), void *data,
                            struct hv_error *err) HV_MUST_CHECK;

/* Wait until every job submitted so far, and those they submit, has ended. Blocks. Not from inside a job. */
void workers_wait(struct workers *workers);

/* Run what is still queued, wait for all threads to end, free the pool. Blocks: raise the jobs' cancel flags first.
 * NULL is accepted. */
void workers_free(struct workers *workers);

/* For tests and diagnostics. */
unsigned workers_thread_count(struct workers *workers);

#endif
