/*
 * test_suite.c: the JSON reader against the files of JSONTestSuite, where they are at hand: usage
 *   json_test_suite DIRECTORY    (its folder test_parsing)
 * Files y_* must be read, files n_* refused, files i_* may go either way but must not do harm. Without the directory
 * it exits with 77, which the test runner counts as skipped. Writes one line per file that fails.
 */
#include "base/cleanup.h"

#include <helve/json.h>
#include <stdio.h>
#include <string.h>

enum { FILE_MAX = 16 << 20, SKIPPED = 77 };

static bool read_whole(const char *directory, const char *name, struct hv_buf *out)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    for (size_t got = 1; got && !out->failed;) {
        char *room = hv_buf_reserve(out, 65536);
        got = room ? fread(room, 1, 65536, file) : 0;
        if (room)
            hv_buf_commit(out, got);
    }
    bool good = !ferror(file) && !out->failed;
    fclose(file);
    return good;
}

/* Whether the file does what its name says. */
static bool check(const char *directory, const char *name)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf text = {.max = FILE_MAX};
    const struct hv_json *value;
    struct hv_error err = {0};
    if (!read_whole(directory, name, &text))
        return false;
    bool taken = hv_json_parse(&arena, hv_buf_str(&text), HV_JSON_STRICT, &value, &err) == HV_OK;
    if (name[0] == 'i' || taken == (name[0] == 'y'))
        return true;
    fprintf(stderr, "%s: %s\n", name, taken ? "was accepted" : err.message);
    return false;
}

int main(int argc, char **argv)
{
    DIR *directory = argc == 2 && argv[1][0] ? opendir(argv[1]) : NULL;
    if (!directory)
        return SKIPPED;
    size_t files = 0, failed = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        const char *name = entry->d_name;
        if (!strchr("yni", name[0]) || name[1] != '_')
            continue;
        files++;
        failed += !check(argv[1], name);
    }
    closedir(directory);
    printf("%zu files, %zu failed\n", files, failed);
    return files && !failed ? 0 : 1;
}
