/*
 * html.c: how fast pages become Markdown, in MB/s of HTML on one core, and what memory that takes above the page.
 *   ninja -C build bench/bench_html && build/bench/bench_html FILE…
 * The time of the processor counts, in the best of several rounds; memory is the peak of the resident set in the first
 * round, less what it was with the page read.
 */
#include "html/convert.h"

#include "base/cleanup.h"
#include "base/clock.h"

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 9, PAGE_MAX = 256 << 20 };

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double resident_mb(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long whole = 0, resident = 0;
    if (!file || fscanf(file, "%ld %ld", &whole, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

static double peak_mb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss * 1024 / 1e6;
}

static bool read_page(const char *name, struct hv_buf *page)
{
    FILE *file = fopen(name, "r");
    char piece[1 << 16];
    size_t got;
    while (file && (got = fread(piece, 1, sizeof piece, file)) > 0)
        hv_buf_add(page, piece, got);
    if (file)
        fclose(file);
    return file && !page->failed;
}

/* Returns the seconds of the best round; *above: megabytes. */
static double measure(struct hv_str html, double *above, size_t *shown)
{
    const struct html_options options = {.base_url = HV_STR("https://example.org/")};
    double best = 1e9, before = resident_mb();
    for (int round = 0; round < ROUNDS; round++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        CLEANUP_BUF struct hv_buf out = {.max = HTML_OUTPUT_MAX};
        struct html_page page = {0};
        struct hv_error err;
        double start = processor_seconds();
        if (html_to_markdown(html, &options, &arena, &out, &page, &err) != HV_OK) {
            fprintf(stderr, "%s\n", err.message);
            return 0;
        }
        double seconds = processor_seconds() - start;
        best = seconds < best ? seconds : best;
        *shown = out.len;
        if (round == 0)
            *above = peak_mb() - before;
    }
    return best;
}

int main(int count, char **names)
{
    double seconds = 0, bytes = 0;
    for (int i = 1; i < count; i++) {
        CLEANUP_BUF struct hv_buf page = {.max = PAGE_MAX};
        double above = 0;
        size_t shown = 0;
        if (!read_page(names[i], &page)) {
            fprintf(stderr, "cannot read %s\n", names[i]);
            return 1;
        }
        double taken = measure(hv_buf_str(&page), &above, &shown);
        seconds += taken;
        bytes += (double)page.len;
        if (count < 12)
            printf("%s: %.1f MB/s, %.1f MB above a page of %.1f MB, Markdown %.1f MB\n", names[i],
                   (double)page.len / taken / 1e6, above, (double)page.len / 1e6, (double)shown / 1e6);
    }
    if (count > 1)
        printf("{\"pages\":%d,\"megabytes\":%.3f,\"seconds\":%.6f,\"mb_per_second\":%.1f}\n", count - 1, bytes / 1e6,
               seconds, bytes / seconds / 1e6);
    return 0;
}
