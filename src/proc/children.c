/* children.c: see children.h. */
#include "proc/children.h"

#include "base/vec.h"

#include <pthread.h>

/* Starts read, a look at all children writes. The list has a lock of its own, as many may start at once. */
static pthread_rwlock_t starting = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* A number may stand here twice: it is free again as soon as it was waited for, a moment before it is forgotten. */
static VEC(pid_t) started;

void children_begin_start(void)
{
    pthread_rwlock_rdlock(&starting);
}

void children_end_start(pid_t pid)
{
    if (pid > 0) {
        pthread_mutex_lock(&lock);
        *vec_push(&started) = pid;
        pthread_mutex_unlock(&lock);
    }
    pthread_rwlock_unlock(&starting);
}

static size_t find(pid_t pid)
{
    size_t i = 0;
    while (i < started.count && started.items[i] != pid)
        i++;
    return i;
}

void children_forget(pid_t pid)
{
    pthread_mutex_lock(&lock);
    size_t i = find(pid);
    if (i < started.count)
        started.items[i] = started.items[--started.count];
    if (!started.count)
        vec_release(&started);
    pthread_mutex_unlock(&lock);
}

void children_hold(void)
{
    pthread_rwlock_wrlock(&starting);
}

bool children_started(pid_t pid)
{
    pthread_mutex_lock(&lock);
    bool is_ours = find(pid) < started.count;
    pthread_mutex_unlock(&lock);
    return is_ours;
}

void children_release(void)
{
    pthread_rwlock_unlock(&starting);
}
