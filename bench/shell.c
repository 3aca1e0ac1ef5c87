/*
 * shell.c: what reading a shell script costs, in microseconds of the processor, the best of many rounds.
 *   ninja -C build bench/bench_shell && build/bench/bench_shell FILE…   (no file: a usual command, and 10,000 bytes of
 * them)
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "shell/script.h"

#include <stdio.h>

enum { ROUNDS = 300, LONG = 10000 };

static const char usual[] =
    "cd src && git log --oneline -n 20 -- \"$file\" | head -5 && echo \"done: $x\" > /dev/null\n";

static uint64_t processor_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * CLOCK_SECOND + (uint64_t)now.tv_nsec;
}

static void measure(const char *name, struct hv_str text)
{
    uint64_t least = UINT64_MAX;
    struct shell_script script = {0};
    for (int i = 0; i < ROUNDS; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        uint64_t start = processor_ns();
        shell_read(&arena, text, NULL, &script);
        uint64_t taken = processor_ns() - start;
        least = taken < least ? taken : least;
    }
    printf("%-40s %8zu bytes %6zu commands %10.1f us%s%s\n", name, text.len, script.count, (double)least / 1e3,
           script.accepted ? "" : "  not accepted: ", script.accepted ? "" : script.reason);
}

static void measure_file(const char *name)
{
    CLEANUP_BUF struct hv_buf text = {.max = SHELL_SCRIPT_MAX + 1};
    FILE *file = fopen(name, "rb");
    char chunk[4096];
    for (size_t got; file && (got = fread(chunk, 1, sizeof chunk, file)) > 0;)
        hv_buf_add(&text, chunk, got);
    if (file)
        fclose(file);
    measure(name, hv_buf_str(&text));
}

int main(int count, char **names)
{
    CLEANUP_BUF struct hv_buf text = {.max = 2 * LONG};
    for (int i = 1; i < count; i++)
        measure_file(names[i]);
    if (count > 1)
        return 0;
    while (text.len < LONG)
        hv_buf_add_cstr(&text, usual);
    measure("a usual command", hv_str_of(usual, sizeof usual - 2));
    measure("many of them", hv_buf_str(&text));
    return 0;
}
