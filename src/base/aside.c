/* aside.c: see aside.h. */
#include "base/aside.h"

#include "base/thread.h"

#include <stdint.h>
#include <unistd.h>

enum { STACK = 1 << 20 }; /* sinks of events may be called on it */

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
    if (thread_start(&thread, STACK, run, aside)) {
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
    if (thread_start_detached(STACK, close_one, (void *)(intptr_t)fd))
        close(fd);
}
