/*
 * warm.c: a sandbox that is set up ahead of its command. While the model thinks, bubblewrap is started with the plan
 * that the next command will most likely have, and waits (helper_late.c). The next command makes its plan as if there
 * were none; only when both texts are the same, byte for byte, it goes to the one that waits. So nothing is decided by
 * what was true earlier: other settings, another folder, a file that came or went make another text. One serves one
 * command at most; one that nobody takes is ended after some minutes.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/thread.h"
#include "sandbox/sandbox_inner.h"

enum { IDLE_S = 300, GIVEN_UP_MAX = 8, STACK_SIZE = 256 * 1024 };

/* All under the lock of the sandbox. */
struct warm {
    struct hv_sandbox *sandbox;
    pthread_t thread;
    pthread_cond_t changed;
    bool for_one;                              /* the session ends with its next command: none is wanted after it */
    bool started, running, wanted, stopping;   /* started: it is to be waited for */
    uint64_t not_before;                       /* … is what is wanted made; on the monotonic clock, as until */
    struct hv_process *process;                /* that waits; NULL: none */
    struct hv_arena arena;                     /* of its plan */
    struct sandbox_run run;                    /* its number, group and plan */
    uint64_t until;                            /* … and until when it does */
    struct hv_process *given_up[GIVEN_UP_MAX]; /* to be ended by the thread */
    size_t given_up_count;
};

static const struct hv_processes *processes_of(const struct warm *warm)
{
    return warm->sandbox->setup.host->processes;
}

static void end(const struct warm *warm, struct hv_process *process)
{
    struct hv_exit ignored;
    (void)!processes_of(warm)->finish(process, &ignored, NULL); /* it has run nothing: there is nothing to tell */
}

/* ---- the thread ---------------------------------------------------------------------------------------- */

static bool start(struct warm *warm, struct hv_str plan_text)
{
    static const char *const no_environment[] = {"PATH=/usr/bin:/bin", NULL};
    static const char *const no_words[] = {NULL};
    struct sandbox_run run = {.level = SANDBOX_LEVEL_FULL, .helper = warm->run.helper, .plan_text = plan_text};
    struct hv_command command = {.argv = sandbox_argv(&run, &warm->arena, no_words),
                                 .environment = no_environment,
                                 .one_output = true,
                                 .lingers = true};
    const struct hv_host *host = warm->sandbox->setup.host;
    return processes_of(warm)->prepare(host, &command, &warm->process, NULL) == HV_OK;
}

/* Where the helper mounts, bubblewrap makes the namespaces while the plan is made. */
static bool make_both(struct warm *warm)
{
    struct hv_sandbox *sandbox = warm->sandbox;
    const struct hv_processes *processes = processes_of(warm);
    sandbox_prepare_beginning(sandbox, &warm->arena, &warm->run);
    struct hv_str beginning = warm->run.beginning;
    bool early = sandbox->state.own_mounts && processes->complete;
    if (early && !start(warm, beginning))
        return false;
    if (!probe_settle(sandbox) || sandbox_prepare(sandbox, &warm->arena, &warm->run, NULL))
        return false;
    struct hv_str text = warm->run.plan_text;
    return early ? processes->complete(warm->process, hv_str_slice(text, beginning.len, text.len)) : start(warm, text);
}

static void make(struct warm *warm)
{
    hv_arena_reset(&warm->arena);
    warm->run = (struct sandbox_run){.level = SANDBOX_LEVEL_FULL};
    if (!make_both(warm)) {
        if (warm->process)
            end(warm, take_ptr(warm->process));
        groups_give_back(warm->run.group);
    }
    warm->until = clock_monotonic_ns() + IDLE_S * CLOCK_SECOND;
}

/* What holds on this machine may not be known yet. Whoever finds out that it is the full level has one made. */
static void look_and_make(struct warm *warm)
{
    struct hv_sandbox *sandbox = warm->sandbox;
    struct sandbox_state state;
    if (!sandbox->looked) {
        pthread_mutex_unlock(&sandbox->lock);
        sandbox_look(sandbox, &state);
        pthread_mutex_lock(&sandbox->lock);
    }
    warm->wanted = false;
    if (!warm->process && !warm->for_one && sandbox->state.level == SANDBOX_LEVEL_FULL)
        make(warm);
}

/* Give up the one that waits. Its group is free when it has died. */
static void give_up_own(struct warm *warm)
{
    groups_give_back(warm->run.group);
    warm_give_up(warm, take_ptr(warm->process));
}

static void end_given_up(struct warm *warm)
{
    while (warm->given_up_count) {
        struct hv_process *process = warm->given_up[--warm->given_up_count];
        pthread_mutex_unlock(&warm->sandbox->lock);
        end(warm, process);
        pthread_mutex_lock(&warm->sandbox->lock);
    }
}

/* Or until something changed. */
static void wait_until(struct warm *warm, uint64_t time)
{
    const struct timespec limit = {.tv_sec = (time_t)(time / CLOCK_SECOND), .tv_nsec = (long)(time % CLOCK_SECOND)};
    (void)pthread_cond_timedwait(&warm->changed, &warm->sandbox->lock, &limit);
}

static void *keep(void *data)
{
    struct warm *warm = data;
    LOCK_SCOPE(&warm->sandbox->lock);
    while (!warm->stopping) {
        end_given_up(warm);
        uint64_t now = clock_monotonic_ns();
        bool missing = warm->wanted && !warm->process;
        if (warm->stopping || warm->given_up_count)
            continue;
        if (missing && now >= warm->not_before)
            look_and_make(warm);
        else if (missing)
            wait_until(warm, warm->not_before);
        else if (warm->for_one)
            break; /* it has done what it was for */
        else if (!warm->process)
            pthread_cond_wait(&warm->changed, &warm->sandbox->lock);
        else if (now >= warm->until)
            give_up_own(warm);
        else
            wait_until(warm, warm->until);
    }
    warm->running = false;
    end_given_up(warm);
    return NULL;
}

static void start_thread(struct warm *warm)
{
    warm->running = warm->started = thread_start(&warm->thread, STACK_SIZE, keep, warm) == 0;
}

/* ---- what commands want -------------------------------------------------------------------------------- */

struct warm *warm_new(struct hv_sandbox *sandbox, bool for_one)
{
    struct warm *warm = hv_calloc(1, sizeof *warm);
    pthread_condattr_t attributes;
    warm->sandbox = sandbox;
    warm->for_one = for_one;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&warm->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    return warm;
}

void warm_free(struct warm *warm)
{
    if (!warm)
        return;
    if (warm->started) {
        pthread_mutex_lock(&warm->sandbox->lock);
        warm->stopping = true;
        pthread_cond_signal(&warm->changed);
        pthread_mutex_unlock(&warm->sandbox->lock);
        pthread_join(warm->thread, NULL);
    }
    if (warm->process)
        end(warm, warm->process);
    pthread_cond_destroy(&warm->changed);
    hv_arena_release(&warm->arena);
    free(warm);
}

/* Others may plan meanwhile; whoever wants to know what holds waits for it. */
static bool is_ready(struct warm *warm)
{
    struct hv_sandbox *sandbox = warm->sandbox;
    sandbox->settled = true;
    pthread_mutex_unlock(&sandbox->lock);
    bool ready = processes_of(warm)->ready(warm->process);
    pthread_mutex_lock(&sandbox->lock);
    sandbox->settled = false;
    return ready;
}

bool warm_try(struct warm *warm)
{
    const struct hv_processes *processes = processes_of(warm);
    if (!processes->ready || warm->process)
        return false;
    make(warm);
    if (warm->process && is_ready(warm)) {
        if (!warm->running && !warm->for_one)
            start_thread(warm); /* which ends it when nobody takes it */
        return true;
    }
    if (warm->process) {
        groups_give_back(warm->run.group);
        end(warm, take_ptr(warm->process));
    }
    return false;
}

bool warm_offer(struct warm *warm, struct sandbox_run *run)
{
    if (!warm->process)
        return false;
    run->number = warm->run.number;
    run->group = warm->run.group;
    return true;
}

bool warm_take(struct warm *warm, struct sandbox_run *run)
{
    if (!warm->process)
        return false;
    if (!hv_str_eq(warm->run.plan_text, run->plan_text)) {
        give_up_own(warm);
        return false;
    }
    run->prepared = take_ptr(warm->process);
    return true;
}

void warm_want(struct warm *warm, unsigned in_ms)
{
    if ((warm->for_one && warm->sandbox->looked) || atomic_load(&warm->sandbox->no_more))
        return;
    warm->wanted = true;
    warm->not_before = clock_monotonic_ns() + in_ms * CLOCK_MILLISECOND;
    if (!warm->started)
        start_thread(warm);
    pthread_cond_signal(&warm->changed);
}

void warm_give_up(struct warm *warm, struct hv_process *process)
{
    if (warm->running && warm->given_up_count < GIVEN_UP_MAX) {
        warm->given_up[warm->given_up_count++] = process;
        pthread_cond_signal(&warm->changed);
    } else {
        end(warm, process);
    }
}
