/*
 * call.h: one tool call on its way, and what the stages of the pipeline share. Inner to src/runtime.
 *
 * A call is owned by one thread at a time: the loop makes it, a worker walks it through the stages, the loop delivers
 * its result. What other threads look at meanwhile (`state`, `footprint`, `exclusive`) is guarded by its batch's lock.
 */
#ifndef RUNTIME_CALL_H
#define RUNTIME_CALL_H

#include "base/map.h"
#include "base/vec.h"
#include "runtime/runtime.h"

#include <pthread.h>
#include <stdatomic.h>

/* ---- the pool ---------------------------------------------------------------------------------------------- */

/* The tools of a session at one moment: immutable, shared by reference. */
struct pool {
    atomic_uint references;
    uint64_t generation;
    struct hv_arena arena;
    struct runtime_tool *rows; /* in the order of P3 */
    size_t count, stable;
    struct hv_tool_set set; /* the same tools as tools see them */
};

/* ---- the runtime ------------------------------------------------------------------------------------------- */

struct runtime {
    struct loop *loop;
    struct workers *workers;
    const struct hv_host *host;
    const struct hv_host *files; /* where tools find files: session_files.c */
    struct settings *settings;
    struct hv_arena arena;          /* lives as long as the session: what dies with it */
    struct runtime_options options; /* views copied into the arena */
    unsigned max_concurrency;
    uint64_t started_ns;
    struct masks *masks;                 /* what commands must not read or change; NULL: nobody looks */
    struct hv_sandbox *sandbox;          /* of the commands that tools run; NULL: they run as they are */
    const char *const *environment;      /* of commands that tools run */
    const char *const *hook_environment; /* the same with the project's folder */

    struct map names;           /* every known tool by name and alias; immutable after runtime_new */
    struct registry *registry;  /* pool.c */
    struct hv_arena pool_arena; /* the registry's */

    pthread_mutex_t lock; /* guards what follows */
    struct pool *pool;
    struct policy *policy;
    struct hv_str directory;  /* in `arena` */
    uint64_t directory_epoch; /* counts the changes of directory */
    VEC(struct runtime_state) states;
    struct hv_str results_directory; /* absent: not asked for yet */
    struct hv_str changes_directory; /* of all sessions of the project: what one left, the next looks after */
    bool pool_stale;                 /* tools were activated since the snapshot was made */
    size_t use_count;
    bool *hooks_used;                /* hooks that run once: whether they have */
    struct tasks *tasks;             /* tasks.c */
    struct presence *presence;       /* for `helve ps`, or NULL */
    struct git_probe *git;           /* what is known of repositories */
    struct checkpoints *checkpoints; /* checkpoint.c; NULL: none are made */
    struct hv_cancel *ending;        /* raised when the session ends: for what no call waits for */

    struct session_hooks *session_hooks; /* the event whose hooks run now, or NULL; guarded by `lock` */
    VEC(struct batch *) batches;         /* not finished; loop thread */
    struct http_client *http[3];         /* by enum request_class; made when first needed; loop thread */

    pthread_mutex_t emit_lock; /* one order of events for all sinks */
    pthread_mutex_t ask_lock;  /* one question at a time */
    pthread_mutex_t grow_lock; /* one change of the rules at a time */
};

struct runtime_state {
    const struct hv_state_key *key;
    void *value;
};

/* ---- effects: recorded by the call, applied by the runtime ---------------------------------------------------- */

enum effect_type { EFFECT_DIRECTORY = 1, EFFECT_ACTIVATE, EFFECT_MESSAGE };

/* On the heap: it outlives the call's arena, which goes when the result was handed on. */
struct effect {
    enum effect_type type;
    char *text;
    struct effect *next;
};

/* ---- calls -------------------------------------------------------------------------------------------------- */

enum call_state {
    CALL_PENDING = 0, /* its footprint is not final: counts as everything */
    CALL_JUDGED,      /* hooks can no longer change its input: its footprint counts */
    CALL_WAITING,     /* permitted; wants to be admitted */
    CALL_RUNNING,     /* admitted */
    CALL_DONE,
};

struct call {
    struct runtime *runtime;
    struct batch *batch;
    size_t index;
    struct hv_arena arena;        /* until its result is handed on */
    bool duplicate;               /* another call of the batch has its id */
    bool cut;                     /* its input was cut by the limit of output tokens */
    struct hv_context context;    /* what the tool sees; services find the call through it */
    struct hv_cancel *cancel;     /* made when a worker takes the call */
    struct hv_cancel *background; /* as hv_context.background; guarded by the batch's lock */

    struct hv_str id, name; /* as the model sent them; in the batch's arena */
    struct hv_str raw;

    /* find */
    const struct hv_tool *tool;
    struct pool *pool; /* the snapshot it was found in */

    /* decode & validate */
    void *input;              /* typed struct, or const struct hv_json * for tools with a run-time schema */
    struct hv_str input_json; /* canonical JSON of the input */
    const char *refused;      /* why a path of it is refused outright, or NULL */
    uint64_t directory_epoch; /* of the working directory that paths were expanded with */
    struct hv_footprint footprint;
    struct policy_path *reads, *writes; /* of the footprint, resolved */
    struct hv_str *links;               /* of each of writes: where it is itself, when it is a link; or absent */
    const struct hv_host *held;         /* what reaches them and nothing else: context.host then; or NULL */
    bool judged_again;                  /* since a path led elsewhere than when it was judged */
    bool read_only, destructive;
    bool exclusive;         /* runs alone: footprint unlimited, or not safe beside others */
    bool waits_for_earlier; /* in schedule_wait_earlier */

    /* hooks */
    struct hv_str hooked_json; /* the input that hooks have judged */
    bool rewritten;            /* they replaced it: what came of it is not shown to them again */
    enum hv_verdict hook_verdict;
    struct hv_str hook_reason;
    struct hv_str hook_context; /* additionalContext of hooks, for the model */

    /* permission */
    struct policy_facts judged; /* what its command does: command, linked and read_only are kept; made once */
    struct policy_decision decision;
    const struct policy *decided_by; /* where the sandbox made it another than the session's: in the arena's care */
    bool answered;                   /* a person allowed it with an input of their own */
    bool hook_answered;              /* a hook did in their place */

    /* schedule; guarded by the batch's lock */
    enum call_state state;
    pthread_cond_t admitted;

    /* call */
    void *data;
    struct hv_result result;
    bool executed, timed_out;
    atomic_bool cancelled; /* by the batch */
    atomic_uint_fast64_t deadline_ns;
    struct effect *effects, **effects_end;
    uint64_t duration_ns;

    struct hides *hides;           /* what hides.c knows */
    struct checkpoint *checkpoint; /* what checkpoint.c keeps, or NULL */
    bool watched;                  /* checkpoint_watch.c looks what it changes */

    /* result */
    const struct hv_content *produced; /* what the tool gave, before capping */
    struct hv_str note;                /* what hooks add to it: stays whatever is cut */
    struct hv_str block, text;         /* serialised; plain text */
    struct hv_str stored;              /* file that holds the whole output, or absent */
    struct hv_str shown;               /* the result as blocks for people, or absent */
    size_t chars;                      /* of text content in the block */
    bool delivered;
};

struct batch {
    struct runtime *runtime;
    struct batch_handlers handlers;
    struct hv_arena arena; /* ids and names; loop thread */
    pthread_mutex_t lock;  /* guards what follows */
    VEC(struct call *) calls;
    struct map ids;
    size_t first_unfinished; /* calls before it are done */
    size_t started;          /* calls before it were taken by a worker */
    unsigned running;
    bool closed, cancelled, done_posted;
    const char *cancel_reason;
    size_t delivered;          /* loop thread */
    size_t total_chars;        /* of what was delivered */
    size_t effects_applied;    /* calls before it have had their effects applied */
    struct hv_buf messages;    /* text blocks as JSON, comma-separated, in call order */
    struct hv_buf stop_reason; /* of the first hook that said continue:false */
    bool stop;
    struct loop_timer *watch; /* raises the cancellation of calls that are over their time */
};

/* ---- stages --------------------------------------------------------------------------------------------------- */

enum stage_outcome {
    STAGE_NEXT = 0,
    STAGE_SETTLED, /* call->result is the answer: on to the closing stages */
    STAGE_BACK,    /* the input changed: decode, validate and judge it again */
};

enum stage_outcome stage_find(struct call *call);
enum stage_outcome stage_input(struct call *call);
enum stage_outcome stage_hook(struct call *call);
enum stage_outcome stage_permission(struct call *call);
enum stage_outcome stage_schedule(struct call *call);
enum stage_outcome stage_execute(struct call *call);
enum stage_outcome stage_result(struct call *call);
enum stage_outcome stage_post_hook(struct call *call);
enum stage_outcome stage_serialise(struct call *call);

/* Walk a call through all stages, on the calling thread; afterwards call->block is its answer. */
void pipeline_run(struct call *call);
/* Make the call's result a fresh error with this text. */
enum stage_outcome call_settle_error(struct call *call, const char *format, ...) HV_PRINTF(2, 3);
bool call_is_cancelled(const struct call *call);
/* Emit an event of this call: call_id and tool are filled in. */
void call_emit(struct call *call, struct hv_event event);
static inline struct call *call_of(struct hv_context *context)
{
    return (struct call *)((char *)context - offsetof(struct call, context));
}

/* pool.c */
enum hv_code pool_init(struct runtime *runtime, struct hv_error *err);
void pool_release(struct runtime *runtime);
struct pool *pool_ref(struct runtime *runtime);
void pool_unref(struct pool *pool);
/* Offer this tool with its schema from the next request on. Runtime lock not held. */
void pool_activate(struct runtime *runtime, struct hv_str name);
/* The compiled schema of a tool whose schema arrived at run time; NULL when it has none that can be used (told once).
 */
const struct schema *pool_validator(struct runtime *runtime, const struct hv_tool *tool);
void pool_note_use(struct runtime *runtime, const struct hv_tool *tool);

/* permission.c */
void permission_facts(struct call *call, struct policy_facts *facts);
/* ask.c: as runtime_ask, for who holds ask_lock already. */
void ask_locked(struct runtime *runtime, const struct hv_question *question, const struct hv_cancel *cancel,
                struct hv_arena *arena, struct hv_answer *answer);
/* Add rules of this verdict to the settings of a scope (LOCAL, PROJECT, USER), or, without a verdict, hosts that
 * commands may reach. False, and told: they hold for the session only. */
bool ask_save(struct runtime *runtime, enum hv_ask_scope scope, enum hv_verdict verdict, const struct hv_str *rules,
              size_t count);
/* Rules from now on, saved where the scope is one of settings. */
void ask_keep(struct runtime *runtime, enum hv_ask_scope where, enum hv_verdict verdict, const struct hv_str *rules,
              size_t count);
/* permission_update.c: a rule from now on, for this session. Any thread. */
void permission_add_rule(struct runtime *runtime, enum policy_scope scope, enum hv_verdict verdict, struct hv_str rule);
/* What is asked when somebody answers with a list of changes (`updatedPermissions`). */
struct permission_asked {
    const char *by; /* "hook", "program": who answers */
    bool refused;   /* no leave is given: nothing is changed, and that is told */
    bool by_hook;   /* no hook switches the asking off */
    bool each_time; /* no answer holds for longer */
    bool network;   /* it is about a connection: rules Network(HOST) are hosts that commands may reach */
};
/* Make all changes of the list (NULL: there are none), or none: then err says which cannot be made, a person is told,
 * and the leave that came with them is not to be given. domains, of a connection: the hosts allowed for longer, in
 * arena. Blocks on settings files. */
enum hv_code permission_update(struct runtime *runtime, const struct hv_json *updates,
                               const struct permission_asked *asked, struct hv_arena *arena, struct hv_str **domains,
                               size_t *domain_count, struct hv_error *err);
void permission_prepare(struct call *call);
/* Whether the call's command, looked at once more, would be decided on otherwise than it was: what was found out about
 * it then does not hold any more. False for other tools. Blocks as the decision did. */
bool permission_changed(struct call *call);

/* input.c: let go of what is held of its paths; its tool sees the session's host again. */
void call_drop_held(struct call *call);

/* runtime.c */
struct hv_str runtime_results_directory(struct runtime *runtime);

/* schedule.c */
void schedule_judged(struct call *call);   /* from here on the footprint counts, not "everything" */
void schedule_withdraw(struct call *call); /* the input changed: the footprint is open again */
/* Wait for earlier calls of the batch that run alone and may change the directory or files that this one is judged by
 * (all: for every earlier call, which may read or write what this one builds on). True when there was one: the call
 * must be judged anew. Ends early when the call is cancelled. */
bool schedule_wait_earlier(struct call *call, bool all);
void schedule_done(struct call *call); /* the call has its result: let others go. Batch lock held */

/* batch.c: cancel all batches that are not finished, … */
void batches_cancel(struct runtime *runtime);
/* … and, when no worker runs any more, let go of them: their handlers are not called. */
void batches_drop(struct runtime *runtime);

/* session_files.c: host, with the /tmp of the session where there is one. Lives as long as the runtime, which has its
 * sandbox and host. Looks at /tmp. */
const struct hv_host *session_files_new(struct runtime *runtime);
/* path was resolved by `files`: where it lies in that /tmp, resolved becomes the path as commands see it, and
 * of_session is set. */
void session_files_show(struct runtime *runtime, struct hv_arena *arena, struct policy_path *path);

/* hides.c: see hv_services in tool.h; any thread of the call's tool. */
struct hides;
struct hides *hides_new(void);
void hides_free(struct hides *hides);
bool hides_path(struct hv_context *context, struct hv_str path);
bool hides_entry(struct hv_context *context, struct hv_str path, enum hv_file_kind kind);
bool hides_by_rule(struct hv_context *context);

/* effects.c */
extern const struct hv_services runtime_services;
/* Apply the effects of calls [batch->effects_applied, until), in order. Batch lock held. */
void effects_apply(struct batch *batch, size_t until);
void effects_free(struct call *call);

/* show.c: blocks for people (helve/show.h), in the call's arena; absent where nobody listens. On the call's worker. */
struct hv_str show_use(struct call *call);
struct hv_str show_question(struct call *call, const struct policy_facts *facts, struct hv_str text,
                            struct hv_str diff);
struct hv_str show_result(struct call *call);

/* result.c */
/* Store the result's text in a file and leave a preview; used for single results over their cap and for turns. */
void result_shrink(struct call *call, size_t limit, const char *why);
/* Another text in the place of all content, cleaned and capped like a tool's. */
void result_replace(struct call *call, struct hv_str text);
/* A further text at the end, which is not cut with the rest. */
void result_note(struct call *call, struct hv_str text);
/* Replace the keys that the session knows in a file of ours that a command wrote, as in the journal. Any thread. */
void result_hide_secrets(const struct runtime *runtime, struct hv_str path);

/* hook.c */
struct hook_verdict {
    enum hv_verdict permission;
    bool block, stop, retry;                   /* retry: of PermissionDenied */
    const struct hv_json *updated_permissions; /* of PermissionRequest: a list, or NULL */
    struct hv_str reason, updated_input, context, stop_reason, updated_output;
};
/* The hooks of one session event at work; owned by the loop's mailbox once they have run. */
struct session_hooks {
    struct runtime *runtime; /* NULL: it has ended meanwhile */
    const char *event;
    struct hv_arena arena;
    struct hv_str matcher, members;
    struct hook_verdict verdict;
    struct hv_cancel *cancel;
    void (*done)(void *user, const struct runtime_hook_outcome *outcome);
    void *user;
};
/* Run every configured hook of this event whose matcher takes `matcher`, in parallel, on the calling thread, and merge
 * what they say. members: JSON object of event-specific members. call: NULL for events of the session. cancel: ends
 * them before their time; NULL: what ends the call, or the turn. */
void hook_run(struct runtime *runtime, const char *event, struct hv_str matcher, struct hv_str members,
              struct call *call, const struct hv_cancel *cancel, struct hv_arena *arena, struct hook_verdict *out);
/* The same while `meanwhile` is done for the call on the calling thread (NULL: nothing). */
void hook_run_beside(struct runtime *runtime, const char *event, struct hv_str matcher, struct hv_str members,
                     struct call *call, void (*meanwhile)(struct call *call), struct hv_arena *arena,
                     struct hook_verdict *out);
/* Tell the hooks of an event that happened, on workers: nobody waits for them, and their answers change nothing. From
 * any thread. */
void hook_tell(struct runtime *runtime, const char *event, struct hv_str matcher, struct hv_str members);
/* Have the turn end when the hooks of a call want it. */
void hook_note_stop(struct call *call, const struct hook_verdict *verdict);
/* hook_condition.c: the hook's `if` takes this call; NULL: it is about none, and takes no permission for such. */
bool hook_condition_holds(const struct settings_hook *hook, struct call *call);
/* hook_http.c: POST body to the hook's URL and append the answer to *answer. Blocks; on a worker. */
enum hv_code hook_post(struct runtime *runtime, const struct settings_hook *hook, struct hv_str body,
                       const struct hv_cancel *cancel, struct hv_buf *answer, struct hv_error *err);
bool hook_configured(const struct runtime *runtime, const char *event);

#endif
