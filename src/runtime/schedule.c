/*
 * schedule.c: which calls of a batch may run at the same time.
 *
 * A call waits for every earlier call of its batch whose footprint conflicts with its own. Until a call has been judged
 * (a hook may still change its input) its footprint counts as everything. At most max_concurrency calls run at once;
 * among the ready the earlier goes first. All state is guarded by the batch's lock; a waiting call sleeps on its own
 * condition variable, so that a change wakes only those that may go.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/path.h"
#include "runtime/call.h"
#include "runtime/tasks.h"

static struct hv_str place_of(const struct policy_path *path)
{
    return path->resolved.ptr ? path->resolved : path->written;
}

static bool paths_meet(const struct policy_path *a, size_t a_count, const struct policy_path *b, size_t b_count)
{
    for (size_t i = 0; i < a_count; i++)
        for (size_t j = 0; j < b_count; j++)
            if (path_inside(place_of(&a[i]), place_of(&b[j])) || path_inside(place_of(&b[j]), place_of(&a[i])))
                return true;
    return false;
}

static bool conflict(const struct call *earlier, const struct call *call)
{
    if (earlier->state == CALL_DONE)
        return false;
    if (earlier->state == CALL_PENDING || earlier->exclusive || call->exclusive)
        return true;
    const struct hv_footprint *a = &earlier->footprint, *b = &call->footprint;
    return paths_meet(earlier->writes, a->writes.count, call->writes, b->writes.count) ||
           paths_meet(earlier->writes, a->writes.count, call->reads, b->reads.count) ||
           paths_meet(earlier->reads, a->reads.count, call->writes, b->writes.count);
}

/* Earlier calls come first; with one at a time, all of them. A later one may be running already when a person changed
 * this call's input after its footprint was settled: then they must not overlap either. */
static bool may_run(const struct batch *batch, const struct call *call)
{
    bool serial = batch->runtime->max_concurrency == 1;
    for (size_t i = batch->first_unfinished; i < batch->started; i++) {
        const struct call *other = batch->calls.items[i];
        if (serial && i < call->index && other->state != CALL_DONE)
            return false;
        if ((i < call->index || (i > call->index && other->state == CALL_RUNNING)) && conflict(other, call))
            return false;
    }
    return true;
}

/* Admit whoever may go now. Batch lock held. */
static void admit_ready(struct batch *batch)
{
    for (size_t i = batch->first_unfinished; i < batch->started && batch->running < batch->runtime->max_concurrency;
         i++) {
        struct call *call = batch->calls.items[i];
        if (call->state != CALL_WAITING || !may_run(batch, call))
            continue;
        /* An exclusive call ends the concurrent group before it: that group's effects hold from here on. */
        if (call->exclusive)
            effects_apply(batch, call->index);
        call->state = CALL_RUNNING;
        batch->running++;
        pthread_cond_signal(&call->admitted);
    }
}

/* Batch lock held. */
static void set_state(struct call *call, enum call_state state)
{
    if (call->state == CALL_RUNNING)
        call->batch->running--;
    call->state = state;
    admit_ready(call->batch);
}

void schedule_judged(struct call *call)
{
    LOCK_SCOPE(&call->batch->lock);
    set_state(call, CALL_JUDGED);
}

void schedule_withdraw(struct call *call)
{
    LOCK_SCOPE(&call->batch->lock);
    set_state(call, CALL_PENDING);
}

/* Whether all that has run of the batch so far is known to change nothing: no hook, no call that writes. */
static bool others_only_read(const struct call *call)
{
    struct batch *batch = call->batch;
    if (call->runtime->settings->hook_count)
        return false;
    LOCK_SCOPE(&batch->lock);
    for (size_t i = 0; i < batch->started; i++) {
        const struct call *other = batch->calls.items[i];
        bool has_run = other != call && (other->state == CALL_RUNNING || other->state == CALL_DONE);
        if (has_run && (other->exclusive || !other->read_only))
            return false;
    }
    return true;
}

/* A call that has run of the batch so far may have written. */
static bool others_wrote(const struct call *call)
{
    struct batch *batch = call->batch;
    LOCK_SCOPE(&batch->lock);
    for (size_t i = 0; i < batch->started; i++) {
        const struct call *other = batch->calls.items[i];
        if (other != call && (other->state == CALL_RUNNING || other->state == CALL_DONE) && !other->read_only)
            return true;
    }
    return false;
}

/* Since a command was judged somebody else had time: a hook, a person who was asked, what runs in the background. */
static bool others_had_time(struct call *call)
{
    return hook_configured(call->runtime, "PreToolUse") || call->decision.verdict == HV_ASK ||
           tasks_running(call->runtime);
}

/* What an earlier call did may have moved the ground under a judged input: the working directory, what a link in its
 * paths points to, or what is in the places that a command names. */
static bool ground_moved(struct call *call)
{
    struct runtime *runtime = call->runtime;
    pthread_mutex_lock(&runtime->lock);
    bool moved = call->directory_epoch != runtime->directory_epoch;
    pthread_mutex_unlock(&runtime->lock);
    if (!moved && !others_had_time(call) && (!call->index || others_only_read(call)))
        return false;
    const struct policy_path *lists[] = {call->reads, call->writes};
    const size_t counts[] = {call->footprint.reads.count, call->footprint.writes.count};
    for (size_t list = 0; list < 2 && !moved && !call->held; list++)
        for (size_t i = 0; i < counts[list] && !moved; i++) {
            struct policy_path now;
            policy_path_resolve(runtime->host, &call->arena, lists[list][i].written, &now);
            moved = !hv_str_eq(now.resolved, lists[list][i].resolved) || now.kind != lists[list][i].kind;
        }
    return moved || ((others_wrote(call) || others_had_time(call)) && permission_changed(call));
}

/* Sleep until the call is admitted or cancelled; whether it is admitted. */
static bool wait_for_admission(struct call *call)
{
    LOCK_SCOPE(&call->batch->lock);
    set_state(call, CALL_WAITING);
    while (call->state == CALL_WAITING && !call_is_cancelled(call))
        pthread_cond_wait(&call->admitted, &call->batch->lock);
    if (call->state != CALL_RUNNING)
        set_state(call, CALL_PENDING);
    return call->state == CALL_RUNNING;
}

enum stage_outcome stage_schedule(struct call *call)
{
    uint64_t started = clock_monotonic_ns();
    if (!wait_for_admission(call))
        return call_settle_error(call, "Cancelled while it waited for earlier calls: %s", call->batch->cancel_reason);
    /* Also when it need not wait: an earlier call may have ended since this one was judged, and other processes may
     * have exchanged a directory or a file for a link. */
    bool exchanged = call->held && call->held->moved(call->held);
    if (exchanged && call->judged_again)
        return call_settle_error(call,
                                 "A path of this call leads elsewhere than when it was judged, for the second time; "
                                 "nothing was done. Find out what changes it, then try again.");
    if (exchanged || ground_moved(call)) {
        call->judged_again |= exchanged;
        schedule_withdraw(call);
        call->answered = false; /* a person allowed what this was before */
        call->judged.command = NULL;
        return STAGE_BACK;
    }
    uint64_t waited = clock_monotonic_ns() - started;
    call_emit(call, (struct hv_event){.type = HV_EVENT_ADMITTED, .json = show_use(call), .duration_ns = waited});
    return STAGE_NEXT;
}

/* An earlier call that may leave another directory, or other files (all: any), and has not ended. Batch lock held. */
static bool earlier_moves_ground(const struct call *call, bool all)
{
    const struct batch *batch = call->batch;
    for (size_t i = batch->first_unfinished; i < call->index; i++)
        if ((all || batch->calls.items[i]->exclusive) && batch->calls.items[i]->state != CALL_DONE)
            return true;
    return false;
}

bool schedule_wait_earlier(struct call *call, bool all)
{
    LOCK_SCOPE(&call->batch->lock);
    bool waited = false;
    call->waits_for_earlier = true;
    while (earlier_moves_ground(call, all) && !call_is_cancelled(call)) {
        waited = true;
        pthread_cond_wait(&call->admitted, &call->batch->lock);
    }
    call->waits_for_earlier = false;
    return waited;
}

void schedule_done(struct call *call)
{
    struct batch *batch = call->batch;
    if (call->state == CALL_RUNNING)
        batch->running--;
    call->state = CALL_DONE;
    while (batch->first_unfinished < batch->calls.count &&
           batch->calls.items[batch->first_unfinished]->state == CALL_DONE)
        batch->first_unfinished++;
    /* An exclusive call ran alone: everything before it is done, and its effects hold at once. */
    if (call->exclusive && batch->first_unfinished > call->index)
        effects_apply(batch, call->index + 1);
    for (size_t i = batch->first_unfinished; i < batch->started; i++)
        if (batch->calls.items[i]->waits_for_earlier)
            pthread_cond_signal(&batch->calls.items[i]->admitted);
    admit_ready(batch);
}
