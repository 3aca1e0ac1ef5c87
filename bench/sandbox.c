/*
 * sandbox.c: what the sandbox adds to a command: `bash -c :` bare and confined, in turns, in one run. Prints one line
 * of JSON: the level that holds, medians of both and of the difference of neighbours, in nanoseconds; "added" with a
 * pause before each, as between the calls of a model, in which the sandbox for the next command is made ready, and
 * "at_once" for commands that follow one another without any; "cold": with none kept ready. sandbox [TIMES]
 */
#include "sandbox/sandbox.h"
#include "base/clock.h"

#include <stdlib.h>
#include <unistd.h>

enum { TIMES_MAX = 1000, PAUSE_US = 40000 };

struct side {
    double bare[TIMES_MAX], confined[TIMES_MAX], difference[TIMES_MAX];
};

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

/* One command as Bash runs it, or -1: it did not end well. */
static double run(struct hv_sandbox *sandbox, bool confined)
{
    const struct hv_processes *processes = hv_host_local()->processes;
    struct hv_arena arena = {0};
    struct sandbox_run run = {0};
    struct hv_exit end = {.code = -1};
    struct hv_process *process;
    const char *const argv[] = {"bash", "-c", ":", NULL};
    uint64_t started = clock_monotonic_ns();
    enum hv_code code = confined ? sandbox_begin(sandbox, &arena, HV_STR(":"), false, false, &run, NULL) : HV_OK;
    struct hv_command command = {.argv = sandbox_argv(&run, &arena, argv),
                                 .directory = "/",
                                 .lingers = true,
                                 .one_output = true,
                                 .prepared = &run.prepared};
    code = code ? code : processes->start(hv_host_local(), &command, &process, NULL);
    if (!code) {
        processes->attend(process, 0);
        code = processes->finish(process, &end, NULL);
    }
    if (confined)
        (void)sandbox_end(sandbox, &run, &arena, HV_STR(""), HV_STR("/"), false);
    uint64_t took = clock_monotonic_ns() - started;
    hv_arena_release(&arena);
    return code || end.code ? -1 : (double)took;
}

/* Pairs of both; false when one did not end well. */
static bool measure(struct hv_sandbox *sandbox, size_t times, unsigned pause_us, struct side *side)
{
    bool ended_well = run(sandbox, true) >= 0; /* the first makes what the others use */
    for (size_t i = 0; i < times; i++) {
        usleep(pause_us);
        side->bare[i] = run(sandbox, false);
        usleep(pause_us);
        side->confined[i] = run(sandbox, true);
        side->difference[i] = side->confined[i] - side->bare[i];
        ended_well = ended_well && side->bare[i] >= 0 && side->confined[i] >= 0;
    }
    return ended_well;
}

int main(int argc, char **argv)
{
    static const char *const levels[] = {"none", "landlock", "full"};
    static struct side cold, at_once, ready;
    size_t times = argc > 1 ? strtoul(argv[1], NULL, 10) : 50;
    struct sandbox_options options = {0};
    struct sandbox_state state;
    char folder[] = "/tmp/helve-bench-XXXXXX";
    if (times < 1 || times > TIMES_MAX || !mkdtemp(folder))
        return 2;
    struct hv_str root = hv_str_from(folder);
    struct hv_sandbox *sandbox = sandbox_new(&(struct sandbox_setup){
        .host = hv_host_local(), .options = &options, .home = HV_STR("/root"), .roots = &root, .root_count = 1});
    uint64_t started = clock_monotonic_ns();
    sandbox_look(sandbox, &state);
    uint64_t looked = clock_monotonic_ns() - started;
    bool ended_well = measure(sandbox, times, 0, &cold);
    sandbox_keep_ready(sandbox, false);
    ended_well = measure(sandbox, times, 0, &at_once) && ended_well;
    ended_well = measure(sandbox, times, PAUSE_US, &ready) && ended_well;
    sandbox_free(sandbox);
    (void)!rmdir(folder);
    printf("{\"level\":\"%s\",\"look_ns\":%llu,\"bare_ns\":%.0f,\"confined_ns\":%.0f,\"added_ns\":%.0f,"
           "\"at_once_ns\":%.0f,\"cold_ns\":%.0f}\n",
           levels[state.level], (unsigned long long)looked, median(ready.bare, times), median(ready.confined, times),
           median(ready.difference, times), median(at_once.difference, times), median(cold.difference, times));
    return ended_well ? 0 : 1;
}
