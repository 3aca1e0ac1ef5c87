/* thread.c: see thread.h. */
#include "base/thread.h"

#include <signal.h>

static int start(pthread_t *thread, size_t stack, int state, void *(*function)(void *data), void *data)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    int failed = pthread_attr_init(&attributes);
    if (failed)
        return failed;
    if (stack)
        failed = pthread_attr_setstacksize(&attributes, stack);
    if (!failed)
        failed = pthread_attr_setdetachstate(&attributes, state);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (!failed)
        failed = pthread_create(thread, &attributes, function, data);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return failed;
}

int thread_start(pthread_t *thread, size_t stack, void *(*function)(void *data), void *data)
{
    return start(thread, stack, PTHREAD_CREATE_JOINABLE, function, data);
}

int thread_start_detached(size_t stack, void *(*function)(void *data), void *data)
{
    pthread_t thread;
    return start(&thread, stack, PTHREAD_CREATE_DETACHED, function, data);
}
