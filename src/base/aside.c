/* aside.c: see aside.h. */
#include "base/aside.h"

#include <stdint.h>
#include <unistd.h>

enum { STACK = 1 << 20 }; /* sinks of events may be called on it */

static bool start(pthread_t *thread, int state, void *(*function)(void *), void *data)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes))
        return false;
    bool started = pthread_attr_setstacksize(&attributes, STACK) == 0 &&
                   pthread_attr_setdetachstate(&attributes, state) == 0 &&
                   pthread_create(thread, &attributes, function, data) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

static void *run(void *pointer)
{
    struct aside *aside = pointer;
    aside->work(aside->data);
    return NULL;
}

void aside_begin(struct aside *aside, void (*work)(void *data), void *data)
{
    pthread_t thread;
    *aside = (struct aside){.work = work, .data = data};
    if (!start(&thread, PTHREAD_CREATE_JOINABLE, run, aside)) {
        work(data);
        return;
    }
    aside->thread = thread;
    aside->is_running = true;
}

void aside_end(struct aside *aside)
{
    if (aside->is_running)
        pthread_join(aside->thread, NULL);
    aside->is_running = false;
}

static void *close_one(void *pointer)
{
    close((int)(intptr_t)pointer);
    return NULL;
}

void aside_close(int fd)
{
    pthread_t thread;
    if (!start(&thread, PTHREAD_CREATE_DETACHED, close_one, (void *)(intptr_t)fd))
        close(fd);
}
