/*
 * leave.c: what a sandbox has put on the machine, and takes away: the proxy, control groups, the folder for
 * temporary files, and last the sweeper, which would do it if helve were killed. Where there is one command only,
 * that is done while its result is made and written: each entry that goes from the disk takes a while.
 */
#include "base/cleanup.h"
#include "base/thread.h"
#include "sandbox/sandbox_inner.h"

/* All that waits for processes and threads. */
static void *end_processes(void *data)
{
    struct hv_sandbox *sandbox = data;
    struct hv_exit ignored;
    if (sandbox->last)
        (void)!sandbox->setup.host->processes->finish(take_ptr(sandbox->last), &ignored, NULL);
    groups_release(&sandbox->groups);
    proxy_free(take_ptr(sandbox->proxy));
    return NULL;
}

/* Most of it is waiting: for processes that end, for the disk. The sweeper goes last. */
void leave_now(struct hv_sandbox *sandbox)
{
    pthread_t thread;
    bool beside = sandbox->last && thread_start(&thread, 0, end_processes, sandbox) == 0;
    if (!beside)
        (void)end_processes(sandbox);
    git_views_release(&sandbox->git_views);
    temporary_remove(&sandbox->temporary);
    if (beside)
        pthread_join(thread, NULL);
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
    leave_await(sandbox);
    sandbox->leaves = thread_start(&sandbox->leaver, 0, leave, sandbox) == 0;
}

void leave_await(struct hv_sandbox *sandbox)
{
    if (sandbox->leaves)
        pthread_join(sandbox->leaver, NULL);
    sandbox->leaves = false;
}
