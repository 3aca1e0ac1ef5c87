/*
 * sweeper.h: a small process beside a session that takes away what the session has put on the disk when helve itself
 * can not, since it was killed. It costs half a millisecond to start, and sleeps.
 */
#ifndef PROC_SWEEPER_H
#define PROC_SWEEPER_H

#include "proc/guard_sweep.h"

#include <helve/str.h>
#include <stdbool.h>
#include <sys/types.h>

struct sweeper {
    pid_t process; /* 0: there is none */
    int fd;
};

/* Start it. Where that fails there is none, and the next session in the same place cleans up. Also says where this
 * process makes the control groups of its commands. */
void sweeper_start(struct sweeper *sweeper);
/* From now on this is on the disk. Harmless without a sweeper. */
void sweeper_tell(const struct sweeper *sweeper, enum sweep_word what, const char *path);
/* All is gone: it may go, too. Waits for it. */
void sweeper_end(struct sweeper *sweeper);

#endif
