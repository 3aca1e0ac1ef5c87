/*
 * run.h: one command, from start to the death of its last descendant. This is the `run` of struct hv_host.
 *
 * helve does not start a command itself. It starts a guard (src/proc/guard.c), a tiny program of some 200 lines, and
 * the guard starts the command in a session and process group of its own. The guard is a child subreaper: whatever
 * the command leaves behind (setsid, double fork, a cleared environment) becomes the guard's child, never init's, so
 * the guard knows the whole tree without marks or guesses, trees of concurrent commands cannot be mixed up, and it ends
 * only when its tree is empty. A socket joins helve and guard: helve sends orders over it, the guard reports how the
 * command ended, and its end of file tells the guard that helve is gone (kill -9 included): then the tree is killed at
 * once. If the guard itself is killed, the kernel kills the command (PR_SET_PDEATHSIG) and helve its group. The guard
 * also sets the resource limits, between fork and exec, where no race is possible. It costs less than a millisecond.
 *
 * The guard is looked for where the modules are (src/module/module.h).
 */
#ifndef PROC_RUN_H
#define PROC_RUN_H

#include <helve/host.h>

/*
 * Run a command to its end; the contract is that of `run` in helve/host.h. In detail:
 * - Output: stdout and stderr are two pipes, read in the order in which they became readable. on_output and on_tick are
 *   called on this thread. After on_output has returned false it is not called again.
 * - Input lies in memory (a memfd), so a command that never reads it cannot block anybody.
 * - Time-out, cancel and on_output's false send TERM to the group and to descendants that left it, then KILL after
 * grace_ns.
 * - When the command has exited, descendants get 50 ms to end by themselves (a `>(tee log)` finishes its work), then
 *   TERM, then KILL after another 50 ms. out->left_running tells that this was needed. Their output up to then is
 * delivered.
 * - The command starts with default signal handlers, an empty signal mask, only descriptors 0, 1 and 2.
 * Errors (the command did not start; no descriptor, child or file is left behind): HV_ENOTFOUND, HV_EACCES: no such
 * program or directory, or not executable (the message names which); HV_ETOOBIG: arguments too long; HV_ENOSPC: out of
 * descriptors; HV_EAGAIN: out of processes or memory; HV_EINVAL: no argv, NUL-free rules of the contract broken.
 * Blocks. Any thread, many at once. Needs no SIGCHLD handler and does not disturb one.
 */
enum hv_code proc_host_run(const struct hv_host *host, const struct hv_command *command, struct hv_exit *out,
                           struct hv_error *err) HV_MUST_CHECK;

/* "SIGTERM" for 15; "signal 99" is formatted into text for unknown ones. text has at least 16 bytes. */
const char *proc_signal_name(int number, char *text, size_t size);

#endif
