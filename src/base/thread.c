/* thread.c: see thread.h. */
#include "base/thread.h"

#include <signal.h>

int thread_start(pthread_t *thread, size_t stack, void *(*function)(void *data), void *data)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    int failed = pthread_attr_init(&attributes);
    if (failed)
        return failed;
    if (stack)
        failed = pthread_attr_setstacksize(&attributes, stack);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (!failed)
        failed = pthread_create(thread, &attributes, function, data);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return failed;
}
