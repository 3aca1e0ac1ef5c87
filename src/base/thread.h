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

#endif
