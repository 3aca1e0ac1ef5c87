/*
 * orphans.c: a command may kill its guard (`kill -9 $PPID`). Its own process then dies by the kernel, its group by
 * helve; descendants that had left the group become children of the nearest reaper, which the program helve makes
 * itself for this purpose. What helve has started is known (children.h), so any other child is one of those. Their
 * children come to helve in turn when they are killed, so this is repeated until nothing is found.
 */
#include "base/cleanup.h"
#include "proc/children.h"
#include "proc/process.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

enum { ROUNDS_MAX = 700, PAUSE_NS = 2000000, BATCH = 64 };

struct batch {
    pid_t pids[BATCH];
    size_t count;
};

/* Its number may be another's by the time it is killed if another thread has waited for it, but then by the handle
 * nothing is. */
static void kill_child(struct batch *batch, pid_t pid)
{
    struct process_handle handle;
    if (batch->count == BATCH || children_started(pid))
        return;
    process_handle_open(&handle, pid, getpid());
    if (handle.pid) {
        process_handle_kill(&handle);
        batch->pids[batch->count++] = pid;
    }
    process_handle_close(&handle);
}

static void kill_children(struct batch *batch, const char *thread)
{
    char path[64], line[64];
    snprintf(path, sizeof path, "/proc/self/task/%.20s/children", thread);
    FILE *list = fopen(path, "re");
    if (!list)
        return;
    for (long child; fscanf(list, "%63s", line) == 1 && (child = strtol(line, NULL, 10)) > 0;)
        kill_child(batch, (pid_t)child);
    fclose(list);
}

/* Kill what is there, as far as a batch holds it. */
static void kill_all(struct batch *batch)
{
    DIR *threads = opendir("/proc/self/task");
    if (!threads)
        return;
    children_hold();
    for (struct dirent *entry; (entry = readdir(threads));)
        if (isdigit((unsigned char)entry->d_name[0]))
            kill_children(batch, entry->d_name);
    children_release();
    closedir(threads);
}

void orphans_end(void)
{
    int reaper = 0;
    if (prctl(PR_GET_CHILD_SUBREAPER, &reaper) || !reaper)
        return;
    for (int round = 0; round < ROUNDS_MAX; round++) {
        struct batch batch = {.count = 0};
        kill_all(&batch);
        if (!batch.count)
            return;
        for (size_t i = 0; i < batch.count; i++)
            while (waitpid(batch.pids[i], NULL, 0) < 0 && errno == EINTR)
                ;
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    }
}
