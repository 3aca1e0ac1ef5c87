/*
 * aside.h: work beside other work, for what takes milliseconds: on a thread of its own, or at once where there is none
 * to be had. The work must not touch what its beginner touches meanwhile.
 */
#ifndef BASE_ASIDE_H
#define BASE_ASIDE_H

#include <pthread.h>
#include <stdbool.h>

/* Under way from aside_begin to aside_end. */
struct aside {
    pthread_t thread;
    void (*work)(void *data);
    void *data;
    bool is_running;
};

/* Begin work(data); to be ended in every case. Any thread. */
void aside_begin(struct aside *aside, void (*work)(void *data), void *data);
/* Wait until it is done. A zeroed one is. */
void aside_end(struct aside *aside);

/* Close a descriptor, and wait for nothing: where it is the last one of a large file that has no name any more, closing
 * it takes as long as giving back all its pages. */
void aside_close(int fd);

#endif
