/*
 * command_run.h: the prompt that a command file becomes: its files are read, its commands run as calls through the
 * pipeline, with rules, sandbox and questions like any others.
 */
#ifndef AGENT_COMMAND_RUN_H
#define AGENT_COMMAND_RUN_H

#include "agent/command_file.h"
#include "agent/session.h"

struct command_run;

struct command_run_options {
    struct session *session;
    struct loop *loop;
    const struct hv_host *host;
    struct hv_str home;
    const struct command_file *file; /* copied */
    struct hv_str arguments;
    bool is_trusted; /* its allowed-tools count: it is the person's own, or the folder is trusted */
    /* Once, on the loop thread, never from inside: the prompt, valid during the call. */
    void (*on_done)(void *user, struct hv_str prompt);
    void *user;
};

/* The first tool of the pool that runs commands and is judged by them; NULL: there is none. */
const struct hv_tool *command_tool(struct runtime *runtime);
/* Add a call of it. The batch is the caller's. */
void command_add_call(struct batch *batch, const struct hv_tool *tool, struct hv_str command);

/* Begin. The run frees itself after on_done; until then the session must not be freed. Loop thread. */
struct command_run *command_run_start(const struct command_run_options *options);
/* Its calls end now; what they said so far stands in the prompt. */
void command_run_cancel(struct command_run *run);

#endif
