/*
 * spawn.c: what helve's way of running a command costs over posix_spawn of the same: pairs of both, one after another,
 * so that the machine's other work hits them alike; then again with a large resident set, which must not matter.
 *   spawn [-n PAIRS] [-m MEGABYTES]       one line of JSON a size: medians in microseconds
 */
#include "base/clock.h"

#include <helve/host.h>

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PAIRS_MAX = 10000 };

static const char *const command[] = {"/bin/true", NULL};

static double plain(void)
{
    pid_t child;
    uint64_t started = clock_monotonic_ns();
    if (posix_spawn(&child, command[0], NULL, NULL, (char *const *)command, environ) != 0)
        exit(1);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    return (double)(clock_monotonic_ns() - started) / 1000;
}

static double guarded(const struct hv_host *host)
{
    struct hv_exit ended;
    struct hv_error err;
    uint64_t started = clock_monotonic_ns();
    if (host->run(host, &(struct hv_command){.argv = command}, &ended, &err) != HV_OK) {
        fprintf(stderr, "%s\n", err.message);
        exit(1);
    }
    return (double)(clock_monotonic_ns() - started) / 1000;
}

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, ascending);
    return values[count / 2];
}

static void measure(size_t pairs, size_t megabytes)
{
    static double of_plain[PAIRS_MAX], of_guarded[PAIRS_MAX], over[PAIRS_MAX];
    const struct hv_host *host = hv_host_local();
    char *ballast = megabytes ? malloc(megabytes << 20) : NULL;
    if (ballast)
        memset(ballast, 1, megabytes << 20);
    for (size_t i = 0; i < pairs; i++) {
        of_plain[i] = plain();
        of_guarded[i] = guarded(host);
        over[i] = of_guarded[i] - of_plain[i];
    }
    printf("{\"resident_mb\":%zu,\"pairs\":%zu,\"posix_spawn_us\":%.0f,\"helve_us\":%.0f,\"over_us\":%.0f}\n",
           megabytes, pairs, median(of_plain, pairs), median(of_guarded, pairs), median(over, pairs));
    free(ballast);
}

int main(int argc, char **argv)
{
    size_t pairs = 300, megabytes = 400;
    for (int option; (option = getopt(argc, argv, "n:m:")) != -1;) {
        if (option != 'n' && option != 'm')
            return 2;
        *(option == 'n' ? &pairs : &megabytes) = strtoul(optarg, NULL, 10);
    }
    pairs = pairs < 1 ? 1 : pairs > PAIRS_MAX ? PAIRS_MAX : pairs;
    measure(pairs, 0);
    measure(pairs, megabytes);
    return 0;
}
