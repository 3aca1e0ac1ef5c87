/*
 * exec.h: the tool runtime without a model (`helve exec`, `helve tool call`): calls in, results out, one line each, in
 * the order of the calls. No key, no network, no conversation. Calls start while the input still comes.
 */
#ifndef AGENT_EXEC_H
#define AGENT_EXEC_H

#include "agent/calls.h"
#include "agent/setup.h"
#include "journal/side_tape.h"

struct exec_options {
    struct setup *setup; /* open, with a loop */
    enum calls_kind kind;
    int input, output; /* descriptors; input -1: `calls` alone is the input */
    struct hv_str calls;
    const char *door;            /* as in runtime_options */
    struct hv_str run_directory; /* likewise */
    struct hv_str one_call;      /* `calls` holds one, of this tool; absent: many */
    bool turn_by_turn;           /* the calls of a message start when those of the message before have their results */
    bool events;                 /* decisions, progress and times as lines between the results */
    bool has_mode;
    enum policy_mode mode;
    const struct hv_str *only_tools;
    size_t only_tool_count;
    struct hv_asker asker;          /* as in runtime_options */
    struct side_tape *side_answers; /* what side requests are answered with; NULL: there is no model */
    /* Where stored results go, before anything runs; the view lives as long as exec_run. May be NULL. */
    void (*on_begin)(void *user, struct hv_str session_directory);
    /* Instead of lines on output: each result as it comes. May be NULL. */
    void (*on_result)(void *user, const struct batch_result *result);
    /* What the person should know: rules that cannot be used, hooks that failed. Any thread. May be NULL. */
    void (*on_notice)(void *user, struct hv_str text);
    void (*on_fault)(void *user, uint64_t line, const struct hv_error *err); /* unusable input; goes on after it */
    void *user;
};

struct exec_outcome {
    uint64_t calls, results, faults;
    int signal;       /* SIGINT, SIGTERM or SIGHUP ended it, or 0 */
    int output_errno; /* writing the results failed with this, or 0 */
};

/* Run to the end of the input and of all calls. Blocks; runs the loop. Errors: the runtime could not be made. */
enum hv_code exec_run(const struct exec_options *options, struct exec_outcome *outcome,
                      struct hv_error *err) HV_MUST_CHECK;

#endif
