/*
 * leave.c: what a sandbox has put on the machine, and takes away: the proxy, control groups, placeholders, the folder
 * for temporary files, and last the sweeper, which would do it if helve were killed. Where there is one command only,
 * that is done while its result is made and written: each entry that goes from the disk takes a while.
 */
#include "base/cleanup.h"
#include "sandbox/sandbox_inner.h"

#include <signal.h>

static void *remove_temporary(void *temporary)
{
    temporary_remove(temporary);
    return NULL;
}

/* Two entries at a time. */
void leave_now(struct hv_sandbox *sandbox)
{
    pthread_t thread;
    bool beside = sandbox->placeholders.list.count > 1 &&
                  pthread_create(&thread, NULL, remove_temporary, &sandbox->temporary) == 0;
    placeholders_release(&sandbox->placeholders);
    groups_release(&sandbox->groups);
    proxy_free(take_ptr(sandbox->proxy));
    if (beside)
        pthread_join(thread, NULL);
    else
        temporary_remove(&sandbox->temporary);
    sweeper_end(&sandbox->sweeper);
}

static void *leave(void *sandbox)
{
    leave_now(sandbox);
    return NULL;
}

/* Where no thread can be had, sandbox_free does it. */
void leave_begin(struct hv_sandbox *sandbox)
{
    sigset_t all, before;
    leave_await(sandbox);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for other threads */
    sandbox->leaves = pthread_create(&sandbox->leaver, NULL, leave, sandbox) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void leave_await(struct hv_sandbox *sandbox)
{
    if (sandbox->leaves)
        pthread_join(sandbox->leaver, NULL);
    sandbox->leaves = false;
}
