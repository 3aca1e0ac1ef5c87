/*
 * launch.c: runs a command and tells on descriptor 3, in one line of JSON, when it was started (CLOCK_MONOTONIC, ns),
 * how long it took, its CPU time, and the most memory it used at a time. A small program of its own, since the peak of
 * a child counts from the memory of the process that forks it.
 *   launch [-n TIMES] COMMAND [ARGUMENT…]       with -n: that often, one after another, a line each
 */
#include "base/clock.h"

#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static unsigned long long microseconds(struct timeval time)
{
    return (unsigned long long)time.tv_sec * 1000000 + (unsigned long long)time.tv_usec;
}

static int run(char **command)
{
    pid_t child;
    int status;
    struct rusage usage;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addclose(&actions, 3);
    uint64_t started = clock_monotonic_ns();
    errno = posix_spawnp(&child, command[0], &actions, NULL, command, environ);
    if (errno != 0) {
        perror(command[0]);
        return 127;
    }
    while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR)
        ;
    uint64_t ended = clock_monotonic_ns();
    posix_spawn_file_actions_destroy(&actions);
    dprintf(3, "{\"start\":%llu,\"wall_ns\":%llu,\"user_us\":%llu,\"system_us\":%llu,\"rss_kb\":%ld,\"status\":%d}\n",
            (unsigned long long)started, (unsigned long long)(ended - started), microseconds(usage.ru_utime),
            microseconds(usage.ru_stime), usage.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    return 0;
}

int main(int argc, char **argv)
{
    bool often = argc > 3 && strcmp(argv[1], "-n") == 0;
    unsigned long times = often ? strtoul(argv[2], NULL, 10) : 1;
    if (argc < 2)
        return 2;
    for (unsigned long i = 0; i < times; i++) {
        int status = run(argv + (often ? 3 : 1));
        if (status != 0)
            return status;
    }
    return 0;
}
