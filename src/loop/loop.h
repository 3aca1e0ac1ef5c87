/*
 * loop.h: the loop thread: a thin layer over libuv.
 *
 * One thread runs a loop; it owns sessions, streams, timers and the pipes of long-lived children. Other threads speak
 * to it in one way only: loop_post puts a function into the loop's mailbox, and the loop's thread calls it. Functions
 * posted by one thread run in the order in which they were posted. Anything libuv offers beyond timers, signals and
 * the mailbox is reached through loop_uv(); libuv's process functions are not used (see src/proc/run.h).
 *
 * Thread-safety: loop_post and loop_stop from any thread, at any time between loop_new and loop_free; all else
 * on the loop's thread (the one that calls loop_run), or before it runs.
 */
#ifndef LOOP_LOOP_H
#define LOOP_LOOP_H

#include <helve/str.h>

struct loop;
struct loop_timer;
struct loop_signal;
struct uv_loop_s; /* uv_loop_t */

/* A loop, free it with loop_free. HV_ENOSPC when the system has no descriptor left. Does not block. */
enum hv_code loop_new(struct loop **out, struct hv_error *err) HV_MUST_CHECK;

/*
 * End the loop: functions still in the mailbox are called (also those they post in turn), then timers, signal watches
 * and any libuv handle that somebody left open are closed and their close callbacks called, so that nothing leaks.
 * No other thread may use the loop any more. NULL is accepted. On the loop's thread, not from inside loop_run.
 */
void loop_free(struct loop *loop);

/* libuv's loop, for handles of one's own (pipes, poll handles). Valid until loop_free. Its `data` is the caller's. */
struct uv_loop_s *loop_uv(struct loop *loop);

/* Run callbacks until loop_stop. Blocks. May be called again after it returned. */
void loop_run(struct loop *loop);

/* Run what is ready, and return; waits for at most timeout_ns if nothing is. For tests and for an embedder's own loop.
 */
void loop_run_once(struct loop *loop, uint64_t timeout_ns);

/* Make loop_run return after the callbacks under way; what was posted before is called first. Before loop_run: the next
 * loop_run returns after the mailbox. Any thread. */
void loop_stop(struct loop *loop);

/*
 * Have function(data) called on the loop's thread. Any thread, the loop's own included (it is then called later, never
 * inside loop_post). Does not block beyond a short lock. What was posted is called exactly once, in loop_free at the
 * latest.
 */
void loop_post(struct loop *loop, void (*function)(void *data), void *data);

/* True on the thread that runs (or last ran) the loop. */
bool loop_is_current(const struct loop *loop);

/*
 * Call function(data) once, delay_ns from now (rounded up to whole milliseconds; 0: in the next turn of the loop).
 * The timer is owned by the loop and ends itself when it has fired: the pointer is valid until then or until
 * loop_timer_stop, whichever comes first.
 */
struct loop_timer *loop_timer_start(struct loop *loop, uint64_t delay_ns, void (*function)(void *data), void *data);
/* Stop a timer that has not fired; its function will not be called. NULL is accepted. */
void loop_timer_stop(struct loop_timer *timer);

/* Call function(data, number) for every arrival of a signal (SIGINT, SIGTERM, SIGWINCH, …). NULL when the system
 * refuses (SIGKILL, SIGSTOP). Owned by the loop; end it with loop_signal_stop, or with the loop. */
struct loop_signal *loop_signal_start(struct loop *loop, int number, void (*function)(void *data, int number),
                                      void *data);
void loop_signal_stop(struct loop_signal *watch); /* NULL is accepted */

#endif
