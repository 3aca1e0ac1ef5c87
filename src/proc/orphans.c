/*
 * orphans.c: a command may kill its guard (`kill -9 $PPID`). Its own process then dies by the kernel, its group by
 * helve; descendants that had left the group become children of the nearest reaper, which the program helve makes
 * itself for this purpose. Everything that helve starts is a guard, so a child that is none is one of those. Their
 * children come to helve in turn when they are killed, so this is repeated until nothing is found.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "proc/inspect.h"
#include "proc/process.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

enum { ROUNDS_MAX = 700, PAUSE_NS = 2000000, PATH_SIZE = 4096, STARTING_MS = 1000 };

enum child_kind { CHILD_GUARD, CHILD_STARTING, CHILD_ORPHAN };

/* Which program a process runs. False for zombies, for what is gone, and for what is not ours to look at. */
static bool program_of(int64_t pid, char program[PATH_SIZE])
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%lld/exe", (long long)pid);
    ssize_t len = readlink(path, program, PATH_SIZE - 1);
    program[len > 0 ? len : 0] = '\0';
    return len > 0;
}

/* How long it has lived; 0 when that cannot be told. */
static uint64_t age_ms(int64_t pid)
{
    unsigned long long started;
    struct timespec now;
    if (!process_start_ticks(pid, &started) || clock_gettime(CLOCK_BOOTTIME, &now))
        return 0;
    uint64_t now_ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
    uint64_t started_ms = started * 1000 / (uint64_t)sysconf(_SC_CLK_TCK);
    return now_ms > started_ms ? now_ms - started_ms : 0;
}

/* A zombie has no program any more, only its name. That of a guard is waited for by the thread that started it. */
static bool is_dead_guard(int64_t pid)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct process_info info;
    return !inspect_process(&arena, pid, &info) || hv_str_is(info.name, GUARD_NAME) ||
           hv_str_is(info.name, "helve-guard");
}

/* Between vfork and exec a guard still is this very program; nothing else is for long. */
static enum child_kind kind_of(int64_t pid)
{
    char program[PATH_SIZE], own[PATH_SIZE];
    if (!program_of(pid, program))
        return is_dead_guard(pid) ? CHILD_GUARD : CHILD_ORPHAN;
    const char *name = strrchr(program, '/');
    if (name && (strcmp(name, "/helve-guard") == 0 || strcmp(name, "/helve-guard (deleted)") == 0))
        return CHILD_GUARD;
    bool is_own = program_of(getpid(), own) && strcmp(program, own) == 0;
    return is_own && age_ms(pid) < STARTING_MS ? CHILD_STARTING : CHILD_ORPHAN;
}

/* True when it must be looked for again: it was ended (and may leave children), or it may yet become a guard. Another
 * thread may have reaped it meanwhile: then its number is nobody's of ours any more, and the handle stays empty. */
static bool end_child(int64_t pid)
{
    struct process_handle handle;
    process_handle_open(&handle, (pid_t)pid, getpid());
    enum child_kind kind = handle.pid ? kind_of(pid) : CHILD_GUARD;
    if (kind == CHILD_ORPHAN) {
        process_handle_kill(&handle);
        while (waitpid((pid_t)pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    process_handle_close(&handle);
    return kind != CHILD_GUARD;
}

/* End the orphans among the children of one thread; returns how many there were. */
static unsigned end_children(const char *thread)
{
    char path[64], line[64];
    unsigned ended = 0;
    snprintf(path, sizeof path, "/proc/self/task/%.20s/children", thread);
    FILE *list = fopen(path, "re");
    if (!list)
        return 0;
    for (long child; fscanf(list, "%63s", line) == 1 && (child = strtol(line, NULL, 10)) > 0;)
        ended += end_child(child);
    fclose(list);
    return ended;
}

static unsigned end_all(void)
{
    unsigned ended = 0;
    DIR *threads = opendir("/proc/self/task");
    if (!threads)
        return 0;
    for (struct dirent *entry; (entry = readdir(threads));)
        if (isdigit((unsigned char)entry->d_name[0]))
            ended += end_children(entry->d_name);
    closedir(threads);
    return ended;
}

void orphans_end(void)
{
    int reaper = 0;
    if (prctl(PR_GET_CHILD_SUBREAPER, &reaper) || !reaper)
        return;
    for (int round = 0; round < ROUNDS_MAX; round++) {
        if (!end_all())
            return;
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    }
}
