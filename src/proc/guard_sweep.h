/* guard_sweep.h: what helve says to its sweeper (guard_sweep.c, sweeper.h): texts, each with a NUL, that begin with one
 * of these letters. */
#ifndef PROC_GUARD_SWEEP_H
#define PROC_GUARD_SWEEP_H

enum { SWEEP_FD = 3 };

enum sweep_word {
    SWEEP_FOLDER = 'f', /* a folder with all in it, which nobody holds a lock on */
    SWEEP_GROUPS = 'g', /* control groups whose path begins like this */
    SWEEP_DONE = 'q',   /* the last one, without a NUL: helve has ended in order */
};

/* The program, once it is asked to sweep: to its end. Uses nothing but libc. */
int sweep_main(void);

#endif
