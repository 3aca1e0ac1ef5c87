/*
 * signals.h: SIGINT, SIGTERM and SIGHUP for a program that waits on its loop.
 *
 * The first one is told on the loop thread. The second ends the process at once, from inside the handler: also when the
 * loop is stuck in writing to somebody who does not read. Journals are whole at every moment, and children die with us.
 */
#ifndef AGENT_SIGNALS_H
#define AGENT_SIGNALS_H

#include "loop/loop.h"

enum { SIGNALS_COUNT = 3 };

struct signals {
    struct loop_signal *watches[SIGNALS_COUNT];
};

/* Loop thread, once at a time in a process. function is called for the first signal only. */
void signals_start(struct signals *signals, struct loop *loop, void (*function)(void *data, int number), void *data);
void signals_stop(struct signals *signals);

/*
 * Write all bytes, blocking as long as it takes; a descriptor that does not block is waited for. When a signal has
 * arrived and the reader takes nothing for a second, gives up. 0, or errno (EINTR then). Any thread.
 */
int signals_write(int fd, struct hv_str bytes);

#endif
