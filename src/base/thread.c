/* thread.c: see thread.h. */
#include "base/thread.h"

#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    SHORT_SLICE_NS = 100 * 1000, /* the shortest that is taken */
    RESET_ON_FORK = 1
};

/* The kernel's struct sched_attr, which not every libc declares. */
struct scheduling {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t slice_ns, deadline, period;
};

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

void thread_want_short_waits(void)
{
    struct scheduling now;
    /* Who has given this process another policy or a higher priority meant its children, too: they would lose it. */
    if (syscall(SYS_sched_getattr, 0, &now, sizeof now, 0) != 0 || now.policy != SCHED_OTHER || now.nice < 0)
        return;
    now.flags |= RESET_ON_FORK;
    now.slice_ns = SHORT_SLICE_NS;
    (void)syscall(SYS_sched_setattr, 0, &now, 0);
}
