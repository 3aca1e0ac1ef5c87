/*
 * guard_protocol.h: what helve and its guard say to each other over one SOCK_SEQPACKET pair; see run.h for why.
 * helve's side sends single bytes (enum guard_order); the guard's side sends struct guard_report. End of file on
 * helve's side means that the guard is gone, on the guard's side that helve is.
 */
#ifndef PROC_GUARD_PROTOCOL_H
#define PROC_GUARD_PROTOCOL_H

#include <stdint.h>

enum {
    GUARD_CONTROL_FD = 3,  /* the guard's end of the socket; 0, 1 and 2 are the command's */
    GUARD_CAGE_FD = 5,     /* with GUARD_CAGE: the folder of the command's control group (cage.h) */
    GUARD_LATE_FD = 4,     /* with GUARD_LATE: a socket for the command, on which the rest of it comes */
    GUARD_ARGUMENTS = 3,   /* argv of the guard: name, limits and ways, directory, then the command's argv */
    GUARD_NATURAL_MS = 50, /* what descendants get to end by themselves after the command has */
    GUARD_TERM_MS = 50,    /* … and between TERM and KILL after that */
    GUARD_KILL_MS = 1000,  /* how long the guard waits for killed processes before it reports all the same */
};

/* Ways of running, added up: the fourth number of argv[1]. */
enum guard_way {
    GUARD_TTY = 1 << 0,    /* stdin is a terminal: it becomes the command's own */
    GUARD_LINGER = 1 << 1, /* what the command leaves behind lives on until it ends or an order comes */
    GUARD_LATE = 1 << 2,   /* it is started ahead: descriptor GUARD_LATE_FD is passed to it */
    GUARD_CAGE = 1 << 3,   /* the command is born in the control group of GUARD_CAGE_FD */
};

/*
 * A command that was started ahead may have been told in its last word that more of it comes: then that is the first
 * message, GUARD_LATE_GO with a file that holds it. It says GUARD_LATE_READY. What comes to it is one message,
 * GUARD_LATE_GO and beside it a file in memory. In that are, each with a NUL after it: the directory, the number of
 * further arguments in decimal, these, and the environment. It answers before it runs anything; all but
 * GUARD_LATE_TAKEN, and the end of the socket, mean that it will not.
 *
 * Later it may say struct guard_late_end: the command has ended and left nothing behind. helve believes it, and need
 * not wait for the guard's word, which comes when all that was around the command is gone, too.
 */
enum guard_late {
    GUARD_LATE_READY = 'r',
    GUARD_LATE_GO = 'g',
    GUARD_LATE_TAKEN = 'y',
    GUARD_LATE_REFUSED = 'n',
    GUARD_LATE_ENDED = 'e',
};

struct guard_late_end {
    int32_t said;   /* GUARD_LATE_ENDED */
    int32_t status; /* of wait */
};

enum guard_order { GUARD_TERM = 'T', GUARD_KILL = 'K', GUARD_INTERRUPT = 'I' };

enum guard_report_kind {
    GUARD_STARTED = 1, /* value: process id of the command, also of its group */
    GUARD_FAILED,      /* value: errno; detail: enum guard_failure */
    GUARD_EXITED,      /* value: wait status; detail: bits of enum guard_exit_detail. The last report but for … */
    GUARD_EMPTY,       /* … this one, after GUARD_LINGERING: nothing is left any more */
};

enum guard_failure {
    GUARD_FAILED_FORK = 1,
    GUARD_FAILED_DIRECTORY,
    GUARD_FAILED_LIMITS,
    GUARD_FAILED_PROGRAM,
    GUARD_FAILED_TERMINAL
};

enum guard_exit_detail {
    GUARD_LEFT_RUNNING = 1 << 0, /* descendants had to be ended */
    GUARD_TREE_ALIVE = 1 << 1,   /* and some could not be: the guard stays with them */
    GUARD_LINGERING = 1 << 2,    /* descendants live on; GUARD_EMPTY follows when they are gone */
};

/* What a guard is called; and one whose helve is gone, as long as it has something to end. */
#define GUARD_NAME "hv-guard"
#define GUARD_NAME_ALONE "hv-guard-alone"

struct guard_report {
    int32_t kind, value, detail;
};

#endif
