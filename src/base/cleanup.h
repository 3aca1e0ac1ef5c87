/*
 * cleanup.h: the cleanup macros of helve; there are no others. A local that is declared with one of them is
 * released when its scope ends, on every path; take_fd and take_ptr hand it on instead.
 */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <dirent.h>
#include <errno.h>
#include <helve/str.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free(void *pointer)
{
    free(*(void **)pointer);
}

static inline void cleanup_fd(const int *fd)
{
    if (*fd >= 0) {
        int saved = errno;
        close(*fd);
        errno = saved;
    }
}

static inline void cleanup_buf(struct hv_buf *buf)
{
    hv_buf_release(buf);
}
static inline void cleanup_arena(struct hv_arena *arena)
{
    hv_arena_release(arena);
}

static inline void cleanup_unlock(pthread_mutex_t **mutex)
{
    if (*mutex)
        pthread_mutex_unlock(*mutex);
}

#define CLEANUP_FREE __attribute__((cleanup(cleanup_free)))
#define CLEANUP_FD __attribute__((cleanup(cleanup_fd)))
#define CLEANUP_BUF __attribute__((cleanup(cleanup_buf)))
#define CLEANUP_ARENA __attribute__((cleanup(cleanup_arena)))
/* Lock a mutex until the end of the scope. */
#define LOCK_SCOPE(mutex)                                                                                              \
    __attribute__((cleanup(cleanup_unlock), unused)) pthread_mutex_t *lock_scope_ = (mutex);                           \
    pthread_mutex_lock(lock_scope_)

static inline int take_fd(int *fd)
{
    int value = *fd;
    *fd = -1;
    return value;
}

static inline void *take_ptr_(void *pointer)
{
    void *value = *(void **)pointer;
    *(void **)pointer = NULL;
    return value;
}
#define take_ptr(variable) ((__typeof__(variable))take_ptr_(&(variable)))

#endif
