/* sandbox_inner.h: the state of a sandbox; inner to src/sandbox. */
#ifndef SANDBOX_SANDBOX_INNER_H
#define SANDBOX_SANDBOX_INNER_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/vec.h"
#include "proc/sweeper.h"
#include "sandbox/git_folders.h"
#include "sandbox/git_views.h"
#include "sandbox/groups.h"
#include "sandbox/proxy.h"
#include "sandbox/sandbox.h"
#include "sandbox/temporary.h"

struct hv_sandbox {
    struct sandbox_setup setup;
    atomic_bool no_more; /* commands will come. Under no lock: whoever says so does not wait */
    struct hv_arena arena;
    pthread_mutex_t lock; /* guards all below */
    bool looked;
    bool looking;              /* a thread finds out; state is not what holds until it has looked … */
    pthread_cond_t look_ended; /* … which is said here */
    bool settled;              /* meanwhile all is known that plans are made from */
    struct sandbox_state state;
    struct hv_str bubblewrap;    /* its path */
    char *helper;                /* path of helve-sandbox */
    bool own_sockets;            /* commands may make sockets, since those of the machine are covered */
    struct hv_str filters[2][2]; /* by unix_sockets and no_internet; made when first needed */
    struct temporary temporary;
    pthread_mutex_t own_lock;        /* guards what follows, which is told of without waiting … */
    VEC(struct hv_str) own_files;    /* … what other than commands has written where protected names may be; in … */
    struct hv_arena own_arena;       /* … this arena */
    struct sweeper sweeper;          /* told of what is put on the disk */
    struct git_folders repositories; /* those before the first command: what commands clone is theirs */
    bool told_cut;                   /* the person knows that those are not all */
    struct git_views git_views;
    struct groups groups;
    struct proxy *proxy;
    unsigned missed[SANDBOX_NAMED_MAX]; /* ports of the machine that commands did not reach */
    size_t missed_count;
    uint64_t runs;
    struct warm *warm;       /* NULL: none is kept ready */
    bool for_one;            /* with the end of its one command all may go */
    size_t at_work;          /* commands between their beginning and their end */
    struct hv_process *last; /* what that has left to be waited for */
    pthread_t leaver;        /* takes all away … */
    bool leaves;             /* … until it is waited for */
};

/* ---- leave.c: what a sandbox has put on the machine, and takes away */

/* The last command has ended: begin, on a thread, while its result is made. Under the lock. */
void leave_begin(struct hv_sandbox *sandbox);
/* Wait until that is done: then another command may begin, which finds nothing there. Under the lock; cheap when
 * nothing was begun. */
void leave_await(struct hv_sandbox *sandbox);
/* Take all away now. No command runs, no other thread is here. */
void leave_now(struct hv_sandbox *sandbox);

/* ---- warm.c, under the lock but for warm_free: a sandbox ahead of its command */

/* Nothing is begun yet. for_one: the session ends with its next command, and none is wanted after it. Free it with
 * warm_free. */
struct warm *warm_new(struct hv_sandbox *sandbox, bool for_one);
/* Have the first one made now, with what state says, and wait until it is ready: false when it does not get so. The
 * lock is not held while it waits; sandbox->settled says so. */
bool warm_try(struct warm *warm);
/* Ends what waits. NULL is fine. */
void warm_free(struct warm *warm);
/* When one waits: give run its number and group, so that the plan can be the same, and true. */
bool warm_offer(struct warm *warm, struct sandbox_run *run);
/* run has its plan: take the one that waits if it has the same. False when there is none, or another's: then it is
 * given up, and the plan must be written again with a number and group of its own. */
bool warm_take(struct warm *warm, struct sandbox_run *run);
/* Have one made in so many milliseconds, by a thread of its own. What was wanted before is wanted then. */
void warm_want(struct warm *warm, unsigned in_ms);
/* Give up what somebody took and did not use. */
void warm_give_up(struct warm *warm, struct hv_process *process);

/* ---- probe.c, under the lock: find out what holds, and fill state, bubblewrap, helper, temporary. */
void probe_run(struct hv_sandbox *sandbox);
/* Once: the folder for temporary files, and the sweeper for what is put on the disk; false: state.reason says why. */
bool probe_settle(struct hv_sandbox *sandbox);
/* The path of bwrap on PATH, not below any of roots nor open to everybody; absent: none. Takes no lock. */
struct hv_str probe_find_bubblewrap(struct hv_arena *arena, const struct hv_str *roots, size_t root_count);

/* ---- sandbox.c, under the lock */
struct sandbox_place sandbox_place_of(const struct hv_sandbox *sandbox);
/* Fill run->plan. */
void sandbox_plan_files(struct hv_sandbox *sandbox, struct hv_arena *arena, struct sandbox_run *run);
/* What a run needs before there is a plan: a number, the way out, a group; and run->beginning. */
void sandbox_prepare_beginning(struct hv_sandbox *sandbox, struct hv_arena *arena, struct sandbox_run *run);
/* After that, plan and text. On failure run is given up. */
enum hv_code sandbox_prepare(struct hv_sandbox *sandbox, struct hv_arena *arena, struct sandbox_run *run,
                             struct hv_error *err) HV_MUST_CHECK;
/* Fill run->plan_text from run->level, run->plan and run->beginning. */
enum hv_code sandbox_plan_write(struct hv_sandbox *sandbox, struct hv_arena *arena, struct sandbox_run *run,
                                struct hv_error *err) HV_MUST_CHECK;

/* ---- session_tmp.c */

/* Under the lock: what of /tmp the command names goes to run, and which of it the private one does not have: what the
 * model, or the person, has put into /tmp outside is there for a command that names it. */
void session_tmp_note_names(const struct hv_sandbox *sandbox, struct hv_arena *arena, struct hv_str command,
                            struct sandbox_run *run);

/* ---- machine_ports.c */

/* What command names of ports of the loopback at which the machine has a server goes to run. Blocks on reading /proc.
 */
void machine_ports_note(struct hv_str command, struct sandbox_run *run);
/* Have the helper listen for those, for what rules name as localhost:PORT, what the environment names and what was
 * missed before. Under the lock. Blocks on reading /proc. */
void machine_ports_put(const struct hv_sandbox *sandbox, const struct sandbox_run *run, struct hv_arena *arena,
                       struct hv_buf *out);
/* After a command: a port of the machine that no rule speaks of and that the command, by its output or text, did not
 * reach; the next command finds it. 0: none is known. Under the lock. Blocks on reading /proc. */
unsigned machine_ports_missed(struct hv_sandbox *sandbox, const struct sandbox_run *run, struct hv_str output,
                              bool failed);

/* ---- aside.c */

/* After a command: what it made where something protected did not exist is moved beside that, with another name, so
 * that no program obeys it. One sentence of what was, for the model; absent: nothing. Blocks. In arena. */
struct hv_str aside_move(struct hv_sandbox *sandbox, const struct sandbox_plan *plan, struct hv_arena *arena);
/* The same for what is at path, by whomever: its new path, absent when there is nothing. *failed: it stays. */
struct hv_str aside_take(struct hv_str path, struct hv_arena *arena, bool *failed);

/* ---- git_links.c */

/* Fill the links of a plan that has its mounts. Blocks on looking at files. */
void git_links_find(const struct sandbox_place *place, struct hv_arena *arena, struct sandbox_plan *plan);
/* After a command: each of them is as it was again; sentences for the model of what was not, or absent. Blocks. */
struct hv_str git_links_put_back(const struct sandbox_plan *plan, struct hv_arena *arena);

#endif
