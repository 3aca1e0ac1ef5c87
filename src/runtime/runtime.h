/*
 * runtime.h: the life of a tool call, for one session.
 *
 * A runtime holds what calls share: the pool of tools, the policy, the hooks, the working directory, the tools' own
 * state, the workers. A batch is the calls of one model message. Calls are added while the stream still comes and start
 * at once; results come back in the order of the calls.
 *
 * Threads: all functions are for the loop thread, except those marked "any thread". Handlers run on the loop thread.
 */
#ifndef RUNTIME_RUNTIME_H
#define RUNTIME_RUNTIME_H

#include <helve/tool.h>

#include "config/settings.h"
#include "loop/loop.h"
#include "policy/policy.h"

struct runtime;
struct batch;

struct runtime_options {
    struct loop *loop;
    const struct hv_host *host;
    const struct settings *settings;               /* referenced for as long as the runtime lives */
    struct policy *policy;                         /* referenced */
    const struct settings_options *settings_files; /* where rules of answers and hooks are saved; NULL: nowhere */
    struct hv_str session_id, directory, home;
    const struct hv_str *roots;
    size_t root_count;
    struct hv_str session_directory; /* results go to its tool-results/; made when first needed */
    struct hv_str transcript_path;   /* for hooks */
    /* Where files are kept before calls change them, for `helve rewind`; absent: nowhere. Made when first needed. */
    struct hv_str checkpoints_directory;
    /* How many bytes they may take; asked once, on a worker. NULL: as many as the settings say. */
    uint64_t (*checkpoint_room)(void *user);
    void *checkpoint_user;
    /* Keys in use: commands of tools do not inherit variables with these values, unless settings' `env` says so. Hooks,
     * which are the person's own, do. Looked at in runtime_new only. */
    const struct hv_str *secrets;
    size_t secret_count;
    /* The pool. */
    const struct hv_tool *const *built_in_tools; /* hv_builtin_tools() */
    size_t built_in_tool_count;
    const struct hv_tool *const *extra_tools; /* bridged tools: MCP, plugins; must outlive the runtime */
    size_t extra_tool_count;
    size_t extra_tool_chars;         /* over this many characters of description they are deferred; 0: 80,000 */
    const struct hv_str *only_tools; /* NULL: all; else names */
    size_t only_tool_count;
    const struct hv_str *without_tools;
    size_t without_tool_count;
    unsigned max_concurrency; /* 0: HELVE_MAX_TOOL_CONCURRENCY, else 10 */
    /* Sinks in order; the journal first. Called under one lock, on any thread. */
    const struct hv_sink *sinks;
    size_t sink_count;
    struct hv_asker asker; /* who is asked; zeroed: nobody */
    /* hv_services.ask_model, on a worker. NULL: there is no model. */
    enum hv_code (*ask_model)(void *user, struct hv_context *context, const struct hv_side_request *request,
                              struct hv_side_answer *answer, struct hv_error *err);
    void *ask_model_user;
    struct hv_side_models side_models;
    /* There is something to tell the model (runtime_take_notes). Loop thread. NULL: nobody wants to know. */
    void (*on_note)(void *user);
    void *on_note_user;
    const char *door;            /* "-p", "exec", …: for `helve ps`; a literal */
    struct hv_str run_directory; /* where `helve ps` looks for sessions; absent: it shall not see this one */
    struct hv_str one_call; /* the tool of its one call, for which all is begun at once; absent: there may be many */
};

enum hv_code runtime_new(const struct runtime_options *options, struct runtime **out,
                         struct hv_error *err) HV_MUST_CHECK;
/* Ends everything that still runs, destroys the tools' state. */
void runtime_free(struct runtime *runtime);

/* ---- events: any thread ------------------------------------------------------------------------------------ */

/* Give an event to all sinks, in one order for all. Fills time_ns and wall_ms when they are 0. */
void runtime_emit(struct runtime *runtime, const struct hv_event *event);

/* ---- asking: any thread but the loop's ------------------------------------------------------------------------ */

/* Ask whoever can be asked, one question at a time: others wait for their turn. It is told to sinks and to the
 * Notification hooks before. Blocks until it is answered or cancelled. cancel may be NULL. */
void runtime_ask(struct runtime *runtime, const struct hv_question *question, const struct hv_cancel *cancel,
                 struct hv_arena *arena, struct hv_answer *answer);
/* Add what leave for longer means (answer->scope): the rules hold for this session from now on, and are saved where the
 * scope says so, but for those that take any code (policy.h) and were only offered. What could not be saved is told,
 * and holds for the session only. Any thread. */
void runtime_keep_rules(struct runtime *runtime, const struct hv_question *question, const struct hv_answer *answer);
/* The member permission_suggestions, as hooks and SDKs read it: an update that adds the rules, which "always" would add
 * in the folder's own settings, and one for those that it would keep for the session. None: an empty list. Pure. */
void runtime_put_suggestions(struct hv_json_writer *writer, const struct hv_str *rules, size_t count);

/* ---- the pool ----------------------------------------------------------------------------------------------- */

/* One tool as the next request should show it. */
struct runtime_tool {
    const struct hv_tool *tool;
    struct hv_str input_schema; /* JSON text */
    bool deferred;              /* name only: not sent with the request, listed in the system prompt */
};

/* The pool in the order of P3; the first *stable of them are built-in. Valid until the pool changes; *generation
 * tells whether it did. */
const struct runtime_tool *runtime_tools(struct runtime *runtime, size_t *count, size_t *stable, uint64_t *generation);

/* ---- state of the session -------------------------------------------------------------------------------------- */

struct hv_str runtime_directory(struct runtime *runtime); /* valid until the next batch ends */
struct policy *runtime_policy(struct runtime *runtime);   /* a new reference; any thread */
void runtime_set_policy(struct runtime *runtime,
                        struct policy *policy); /* any thread; takes effect for later decisions */

/* A prompt has come: what calls change from here on is rewound together. */
void runtime_begin_turn(struct runtime *runtime);
/* The model has begun to write a call of that tool: what takes time before it can run is begun. Does not block. */
void runtime_expect_call(struct runtime *runtime, struct hv_str name);
/* No call will come but those that have: nothing is begun for others. Does not block. */
void runtime_expect_no_more(struct runtime *runtime);
/* The turn is over: what changes until the next may be a person's work. */
void runtime_end_turn(struct runtime *runtime);

/* ---- tasks in the background: any thread --------------------------------------------------------------------- */

/* Append what the model should know of its tasks, as one JSON text block, and forget it. False when there is nothing.
 */
bool runtime_take_notes(struct runtime *runtime, struct hv_buf *blocks);
size_t runtime_running_tasks(struct runtime *runtime);
/* All tasks of the session in order of their start; *count of them, in arena. */
struct hv_task_view *runtime_list_tasks(struct runtime *runtime, struct hv_arena *arena, size_t *count);
/* A person wants the calls that run to go on in the background: those whose tool can do that end soon with a result
 * that says so. Returns how many there are that were not told before. Loop thread. */
size_t runtime_send_to_background(struct runtime *runtime);
/* That call is one of them. */
bool runtime_can_background(struct runtime *runtime, struct hv_str call_id);
/* A person or a program wants it ended; the model is told. False when there is no such task. */
bool runtime_stop_task(struct runtime *runtime, struct hv_str id);

/* ---- batches ------------------------------------------------------------------------------------------------- */

struct batch_result {
    size_t index; /* of the call, from 0 */
    struct hv_str call_id, tool, input;
    struct hv_str block; /* the whole tool_result block as JSON, Anthropic shape */
    struct hv_str text;  /* its text alone, for providers and screens that take no blocks */
    const struct hv_result *result;
    bool is_error, ends_turn;
    uint64_t duration_ns;
};

struct batch_handlers {
    /* Once per call, in call order, as soon as it and all before it are done. Views are valid during the call. */
    void (*on_result)(void *user, const struct batch_result *result);
    /* After batch_close, when every call has its result and effects are applied: the last handler. messages: texts that
     * tools and hooks want in the conversation, as a JSON array of text blocks, or absent. stop: a hook said
     * `continue:false`, with its reason. The batch frees itself afterwards. */
    void (*on_done)(void *user, struct hv_str messages, bool stop, struct hv_str stop_reason);
    void *user;
};

struct batch *batch_new(struct runtime *runtime, const struct batch_handlers *handlers);
/* Start a call; its views are copied. A duplicate id gets an error result. Never fails: whatever is wrong becomes that
 * call's result. */
void batch_add(struct batch *batch, struct hv_str id, struct hv_str name, struct hv_str raw_input);
/* The same for one whose input the limit of output tokens has cut: it does not run, and its answer says why. */
void batch_add_cut(struct batch *batch, struct hv_str id, struct hv_str name, struct hv_str raw_input);
/* No more calls will come. */
void batch_close(struct batch *batch);
/* Every unfinished call ends now with an error result that gives the reason. batch_close is still needed. Any thread.
 */
void batch_cancel(struct batch *batch, const char *reason);

/* ---- hooks of the session -------------------------------------------------------------------------------------- */

struct runtime_hook_outcome {
    bool block;            /* exit 2 or decision:block */
    bool stop;             /* continue:false */
    struct hv_str reason;  /* why, for the model or the person */
    struct hv_str context; /* additionalContext of all hooks, joined */
};

/* Run the hooks of a session event ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd" …) on a worker, then call
 * done on the loop thread. members: JSON members for the hook's stdin besides the common ones, as an object. matcher is
 * what matchers see (source, reason …). When no hook is configured, done runs from inside, at once. One event at a
 * time. */
void runtime_run_hooks(struct runtime *runtime, const char *event, struct hv_str matcher, struct hv_str members,
                       void (*done)(void *user, const struct runtime_hook_outcome *outcome), void *user);
/* Tell the Notification hooks, on workers: nobody waits for them, and their answers change nothing. type: what matchers
 * see ("idle_prompt" …). Any thread. */
void runtime_notify(struct runtime *runtime, const char *type, struct hv_str message);
/* End the hooks of a session event that run now: they count as failed, and done follows soon. */
void runtime_cancel_hooks(struct runtime *runtime);

#endif
