/*
 * sandbox.c: what the sandbox adds to a command: `bash -c :` bare and confined, in turns, in one run. Prints one line
 * of JSON: the level that holds, medians of both and of the difference of neighbours, in nanoseconds. sandbox [TIMES]
 */
#include "sandbox/sandbox.h"
#include "base/clock.h"

#include <stdlib.h>
#include <unistd.h>

enum { TIMES_MAX = 1000 };

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

/* One command, or -1: it did not end well. */
static double run(struct hv_sandbox *sandbox, bool confined)
{
    struct hv_arena arena = {0};
    struct sandbox_run run = {0};
    struct hv_exit end = {.code = -1};
    const char *const argv[] = {"bash", "-c", ":", NULL};
    uint64_t started = clock_monotonic_ns();
    enum hv_code code = confined ? sandbox_begin(sandbox, &arena, HV_STR(":"), false, &run, NULL) : HV_OK;
    struct hv_command command = {.argv = sandbox_argv(&run, &arena, argv)};
    code = code ? code : hv_host_local()->run(hv_host_local(), &command, &end, NULL);
    if (confined)
        (void)sandbox_end(sandbox, &run, &arena, HV_STR(""), HV_STR("/"), false);
    uint64_t took = clock_monotonic_ns() - started;
    hv_arena_release(&arena);
    return code || end.code ? -1 : (double)took;
}

int main(int argc, char **argv)
{
    static const char *const levels[] = {"none", "landlock", "full"};
    size_t times = argc > 1 ? strtoul(argv[1], NULL, 10) : 50;
    struct side side;
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
    bool ended_well = run(sandbox, true) >= 0; /* the first makes what the others use */
    for (size_t i = 0; i < times; i++) {
        side.bare[i] = run(sandbox, false);
        side.confined[i] = run(sandbox, true);
        side.difference[i] = side.confined[i] - side.bare[i];
        ended_well = ended_well && side.bare[i] >= 0 && side.confined[i] >= 0;
    }
    sandbox_free(sandbox);
    (void)!rmdir(folder);
    printf("{\"level\":\"%s\",\"look_ns\":%llu,\"bare_ns\":%.0f,\"confined_ns\":%.0f,\"added_ns\":%.0f}\n",
           levels[state.level], (unsigned long long)looked, median(side.bare, times), median(side.confined, times),
           median(side.difference, times));
    return ended_well ? 0 : 1;
}
