/*
 * shell_task.h: one command with its output, which a call runs in the foreground and may hand over to the background.
 * Bash and Monitor use it. A shell is owned by the call until it has become a task, by the session from then on.
 */
#ifndef TOOLS_SHELL_TASK_H
#define TOOLS_SHELL_TASK_H

#include "proc/spool.h"
#include "sandbox/sandbox.h"

#include <helve/tool.h>
#include <pthread.h>

/* How the sandbox runs a command, for as long as that runs: it outlives the call where the command does. */
struct shell_sandbox {
    struct hv_arena arena; /* of what follows */
    struct hv_sandbox *sandbox;
    struct sandbox_run run;
    struct hv_str directory; /* where the command began */
};

struct shell {
    const struct hv_processes *processes;
    struct hv_context *context; /* of the call that runs it; NULL once it is a task */
    struct hv_str command;      /* as the model wrote it; in the call's arena, not used by the task */

    pthread_mutex_t process_lock; /* guards process: others type to it while it may end */
    struct hv_process *process;   /* NULL when it has been finished */
    pthread_mutex_t lock;         /* guards what follows */
    struct spool *spool;
    uint64_t quiet_since_ns; /* when something last came */
    bool told_waiting;       /* the model knows that it waits for input, since then */

    struct shell_sandbox *confined;   /* of a task; NULL: it runs as it is, or was a call's when it ended */
    bool tty, takes_input, left_over; /* left_over: only what a finished command left behind */
    const struct hv_tasks *tasks;
    struct hv_task *task;
    /* Each piece of output, on the task's thread (Monitor); NULL: nobody looks. */
    void (*on_output)(void *user, struct hv_str bytes);
    /* Once a second and before the end, on the task's thread: false ends it (Monitor). */
    bool (*on_look)(void *user);
    /* How it ended, on the task's thread, before that is told. May change what is said. */
    void (*on_end)(void *user, struct hv_task_end *end);
    void (*free_user)(void *user);
    void *user;
};

struct shell_options {
    const char *const *argv, *const *environment;
    const char *directory;
    uint64_t timeout_ns;
    struct hv_process **prepared; /* as in hv_command */
    const struct hv_cancel *wake; /* likewise */
    bool tty, open_stdin;
    struct hv_str spool_name; /* its output file's, as it will be called; absent: in the foreground, memory first */
};

/* Start a command. The host must have processes. Free it with shell_free, unless it becomes a task. */
enum hv_code shell_start(struct hv_context *context, const struct shell_options *options, struct shell **out,
                         struct hv_error *err) HV_MUST_CHECK;
/* End it, if it still runs, and tell how it ended. In the foreground, once. What remains of its sandbox to be waited
 * for is confined's then, if that is there. */
enum hv_code shell_finish(struct shell *shell, struct shell_sandbox *confined, struct hv_exit *out,
                          struct hv_error *err) HV_MUST_CHECK;
void shell_free(struct shell *shell);
/* Decide how a command is confined; errors: those of sandbox_begin. NULL in *out: not at all. */
enum hv_code shell_confine(const struct hv_context *context, struct hv_str command, bool asks_to_leave,
                           struct hv_str directory, struct shell_sandbox **out, struct hv_error *err) HV_MUST_CHECK;
/* The command has ended, or was never started: what the sandbox refused to it, in arena. Frees it; NULL is fine. */
struct hv_str shell_end_sandbox(struct shell_sandbox *confined, struct hv_arena *arena, struct hv_str output,
                                bool failed);
/* Make it a task of the session with this id (from hv_tasks.reserve) and title; it then is the session's. */
enum hv_code shell_become_task(struct shell *shell, const char *type, struct hv_str id, struct hv_str title,
                               struct hv_task **task, struct hv_error *err) HV_MUST_CHECK;
/* Put a fresh spool in the place of the one it has, which is returned: what a finished command left goes on alone. */
struct spool *shell_change_spool(struct shell *shell, struct hv_str name);
bool shell_waits(struct shell *shell);

/* A number of the command's environment ("HELVE_MAX_OUTPUT_BYTES"); fallback when it is not set, or none. */
uint64_t shell_number(const struct hv_context *context, const char *name, uint64_t fallback);
bool shell_switch(const struct hv_context *context, const char *name);

#endif
