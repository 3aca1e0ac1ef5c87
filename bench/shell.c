/*
 * shell.c: what reading and judging a shell script costs, in microseconds of the processor, the best of many rounds.
 *   ninja -C build bench/bench_shell && build/bench/bench_shell FILE…   (no file: a usual command, and 10,000 bytes of
 * them)
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "shell/class.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 300, LONG = 10000 };

/* Each repeated to LONG bytes. */
static const char *const shapes[] = {
    "echo $(cat a) $(ls b)\n",
    "for f in *.c; do wc -l \"$f\"; done\n",
    "case $x in a) ls;; b) pwd;; esac\n",
    "cat <<E\nabc $x\nE\n",
    "n=$((n+1))\n",
    "if [ -f a ]; then cat a; else echo b; fi\n",
    "ls {a,b}{c,d}\n",
    "git status; git diff --stat; git log -3\n",
    "sed -n '1,5p;s/a/b/g' f\n",
    "awk '{print $1, $2}' f\n",
    "find . -type f -name '*.c' -not -path './x/*'\n",
    "bash -c 'ls | head'\n",
    "env A=b timeout 5 nice ls\n",
    "while read -r l; do echo \"$l\"; done < f\n",
    "ls\n",
    "f() { ls \"$1\"; }; f a\n",
};

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
    static const struct shell_start start_of = {.directory = {"/work", 5}, .home = {"/home/me", 8}};
    uint64_t least = UINT64_MAX, least_judged = UINT64_MAX;
    struct shell_script script = {0};
    struct shell_judgement judgement;
    for (int i = 0; i < ROUNDS; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        uint64_t start = processor_ns();
        shell_read(&arena, text, NULL, &script);
        uint64_t taken = processor_ns() - start;
        least = taken < least ? taken : least;
        start = processor_ns();
        shell_judge(&arena, text, &start_of, NULL, &judgement);
        taken = processor_ns() - start;
        least_judged = taken < least_judged ? taken : least_judged;
    }
    printf("%-48.48s %8zu bytes %6zu commands %10.1f us read %10.1f us judged%s%s\n", name, text.len, script.count,
           (double)least / 1e3, (double)least_judged / 1e3,
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
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        hv_buf_clear(&text);
        while (text.len < LONG)
            hv_buf_add_cstr(&text, shapes[i]);
        char name[64];
        (void)snprintf(name, sizeof name, "%s", shapes[i]);
        name[strcspn(name, "\n")] = 0;
        measure(name, hv_buf_str(&text));
    }
    return 0;
}
