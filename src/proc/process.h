/*
 * process.h: one command under way: what run.c (to its end, in one go) and the handles of hv_processes share.
 *
 * process_start.c makes descriptors and starts the guard; process_late.c does so ahead of the command; process.c
 * attends to it; process_input.c types to it; input_wait.c finds out whether it waits for that; orphans.c ends what a
 * killed guard leaves behind.
 */
#ifndef PROC_PROCESS_H
#define PROC_PROCESS_H

#include "proc/cage.h"
#include "proc/guard_protocol.h"

#include <helve/host.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

/* A process that can be signalled without hitting another that has got its number. Zero pid: none. */
struct process_handle {
    pid_t pid;
    int fd; /* pidfd; -1: this kernel has none */
    unsigned long long ticks;
};

/* What epoll reports; also an index into fds. */
enum process_watched { WATCH_STDOUT, WATCH_STDERR, WATCH_CONTROL, WATCH_LATE, WATCH_CANCEL, WATCH_WAKE, WATCH_COUNT };

enum process_phase { RUNNING, LINGERING, TERMINATING, KILLING, ENDED };

struct hv_process {
    struct hv_command command; /* its texts are not used after the start */
    struct hv_arena arena;     /* what is said when it could not be started */
    const char *program, *directory;
    struct hv_exit exit;
    enum process_phase phase;
    int fds[WATCH_CANCEL], epoll; /* our ends of the pipes and the socket */
    pid_t guard;
    struct process_handle guard_handle, command_handle; /* in case that the guard is lost */
    struct cage cage;
    atomic_int group;                                 /* the command's process and group; 0 until known */
    uint64_t started, deadline, next_tick, phase_end; /* deadline 0: none */
    bool woken;                                       /* attend returns early */
    bool reported, settled, tree_alive;               /* settled: the guard has said its last word */
    struct guard_report failure;                      /* kind 0: the command could be started */
    int status;

    int late;          /* started ahead: the socket on which it waits for the rest of its command (then fds); else -1 */
    bool late_ready;   /* … and it has said that it does */
    bool late_ended;   /* it has said itself how it ended: what is around it, and the guard, may be there yet */
    char **late_words; /* the beginning of its arguments; in arena */

    pthread_mutex_t input_lock; /* guards input_fd */
    int input_fd;               /* the writing end of stdin, or the terminal; -1: none */
    atomic_char last_byte;      /* of its output */
    bool takes_input;           /* there was one from the start: … */
    dev_t input_device;         /* … the terminal's number, or 0 for a pipe: … */
    ino_t input_inode;          /* … its inode */
};

/* Zeroed memory becomes a running command. On an error it may be released all the same. */
enum hv_code process_start(struct hv_process *process, const struct hv_command *command,
                           struct hv_error *err) HV_MUST_CHECK;
/* The same ahead of a command, and taking such a one for a command: false when it does not serve; then it is to be
 * finished. Blocks until it is ready: some 10 ms after it was started, at most five seconds. */
enum hv_code process_prepare(struct hv_process *process, const struct hv_command *command,
                             struct hv_error *err) HV_MUST_CHECK;
bool process_claim(struct hv_process *process, const struct hv_command *command);
/* Wait until a prepared one waits for that. */
bool process_complete(struct hv_process *process, struct hv_str rest);
bool process_ready(struct hv_process *process);
/* Parts of process_start. */
enum hv_code process_start_guard(struct hv_process *process, struct hv_error *err) HV_MUST_CHECK;
void process_init(struct hv_process *process, const struct hv_command *command);
void process_begin_clock(struct hv_process *process);
bool process_watch(struct hv_process *process, int fd, enum process_watched what);
/* Watch the command's cancellation and its `wake`. False with errno when it could not be cancelled. */
bool process_watch_flags(struct hv_process *process, const struct hv_command *command);
/* Close all descriptors and free what it owns. */
void process_release(struct hv_process *process);
/* Attend until the phase is ENDED, or the state changes, or the moment has come. */
enum hv_process_state process_attend(struct hv_process *process, uint64_t until_ns);
/* It has ended: reap, deliver what is left in the pipes, tell how. */
enum hv_code process_conclude(struct hv_process *process, struct hv_exit *out, struct hv_error *err) HV_MUST_CHECK;
/* process_late.c: read what it says itself of its end. */
void process_read_late_end(struct hv_process *process);
/* process_late.c: it has said it. Without its last word it is one again that runs, silently: to be finished. */
void process_forget_late_end(struct hv_process *process);
enum hv_code process_fail_start(int reason, const char *program, struct hv_error *err);

/* process_input.c */
enum hv_code process_write(struct hv_process *process, struct hv_str bytes, struct hv_error *err);
void process_close_input(struct hv_process *process);

/* process_handle.c: of a process that is a child of parent right now; else it stays without one. Parent 0: it is a
 * child of this process that nobody has waited for, so that its number is its own. */
void process_handle_open(struct process_handle *handle, pid_t pid, pid_t parent);
void process_handle_close(struct process_handle *handle);
void process_handle_kill(const struct process_handle *handle);
/* All of the group that it leads. */
void process_handle_kill_group(const struct process_handle *handle);

/* inspect.c: what /proc says of a process. False when it says nothing (it is gone). */
bool process_start_ticks(int64_t pid, unsigned long long *ticks);
bool process_look(int64_t pid, int64_t *parent, unsigned long long *ticks);

/* input_wait.c: whether `root` or a descendant of it waits, right now, for the terminal of that number, or (device 0)
 * for the pipe of that inode. Looks at /proc; bounded to some hundred threads. */
enum input_wait {
    INPUT_NOT_AWAITED = 0,
    INPUT_POLLED, /* among other things: a prompt, or a server that also listens to keys */
    INPUT_READ,   /* blocked in reading it, or in polling it alone and without an end */
};
enum input_wait input_wait_of(pid_t root, dev_t device, ino_t inode);

/* orphans.c: end what a killed guard has left to this process. Only where this process has made itself the reaper of
 * its descendants (PR_SET_CHILD_SUBREAPER, as the program helve does): then every child of it that it has not started
 * itself (children.h) is such a left one. Elsewhere it does nothing. */
void orphans_end(void);

extern const struct hv_processes proc_processes;

#endif
