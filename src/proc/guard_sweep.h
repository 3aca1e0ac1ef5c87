/* guard_sweep.h: what helve says to its sweeper (guard_sweep.c, sweeper.h): texts, each with a NUL, that begin with one
 * of these letters. */
#ifndef PROC_GUARD_SWEEP_H
#define PROC_GUARD_SWEEP_H

#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

enum {
    SWEEP_FD = 3,
    SWEEP_PLACEHOLDER_TIME_S = 1, /* the modification time by which a placeholder is known (sandbox/plan.h) */
};

enum sweep_word {
    SWEEP_PLACEHOLDER = 'p', /* an empty folder with that time, which nobody holds a lock on */
    SWEEP_EMPTY = 'e',       /* an empty folder of a name that nobody but helve gives */
    SWEEP_FOLDER = 'f',      /* a folder with all in it, which nobody holds a lock on */
    SWEEP_GROUPS = 'g',      /* control groups whose path begins like this */
    SWEEP_DONE = 'q',        /* the last one, without a NUL: helve has ended in order */
};

/* The program, once it is asked to sweep: to its end. Uses nothing but libc. */
int sweep_main(void);

/* A placeholder is held by a lock of records for reading (of the open file): whoever writes into a folder locks it with
 * flock, and must not have to wait for those who keep its place. True when that can be had. */
static inline bool placeholder_lock(int fd)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

/* By somebody else than this open file. */
static inline bool placeholder_is_held(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

#endif
