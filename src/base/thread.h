/* thread.h: threads that are helve's own business. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stddef.h>

/*
 * Start function(data) on a thread with all signals blocked: they are for the threads of the host program. stack: bytes
 * of it, or 0 for what the system gives. Returns 0 or an errno. Any thread.
 */
int thread_start(pthread_t *thread, size_t stack, void *(*function)(void *data), void *data);
/* The same for one that nobody waits for. */
int thread_start_detached(size_t stack, void *(*function)(void *data), void *data);
/*
 * Let this thread run soon after it is woken, before threads that use their whole share: a shorter slice, where the
 * kernel has them (Linux 6.12). Its share stays as it was; threads and processes that it starts are ordinary ones.
 */
void thread_want_short_waits(void);

#endif
