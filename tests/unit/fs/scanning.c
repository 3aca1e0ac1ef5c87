/* scanning.c: see scanning.h. */
#include "scanning.h"

#include "base/cleanup.h"
#include "fs/open.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

enum { NOTES_MAX = 64 << 20 };

static void check(struct scanning *scanning, const struct fs_scan_entry *entry)
{
    struct stat status;
    bool good = entry->name.ptr[entry->name.len] == '\0' && entry->path.ptr[entry->path.len] == '\0' &&
                hv_str_ends(entry->path, entry->name) && entry->worker < FS_SCAN_THREADS_MAX;
    if (!scanning->no_check)
        good = good && fstatat(entry->directory, entry->name.ptr, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
               fs_kind_of_mode(status.st_mode) == entry->kind;
    atomic_fetch_add(&scanning->faults, !good);
}

static enum fs_scan_action note(void *user, const struct fs_scan_entry *entry)
{
    struct scanning *scanning = user;
    struct hv_buf *notes = &scanning->notes[entry->worker];
    check(scanning, entry);
    hv_buf_addf(notes, "%s", entry->ignored ? "-" : "");
    hv_buf_add_str(notes, entry->path);
    hv_buf_add_cstr(notes, entry->kind == HV_FILE_DIRECTORY ? "/\n" : "\n");
    atomic_fetch_add(&scanning->count, 1);
    atomic_fetch_add(&scanning->other_threads, entry->worker > 0);
    size_t deepest = atomic_load(&scanning->deepest);
    while (entry->depth > deepest && !atomic_compare_exchange_weak(&scanning->deepest, &deepest, entry->depth))
        continue;
    hv_cancel_raise(scanning->cancel_at_first);
    if (scanning->stop && hv_str_is(entry->name, scanning->stop))
        return FS_SCAN_STOP;
    return scanning->skip && hv_str_is(entry->name, scanning->skip) ? FS_SCAN_SKIP : FS_SCAN_ON;
}

static int compare_lines(const void *a, const void *b)
{
    return hv_str_compare(*(const struct hv_str *)a, *(const struct hv_str *)b);
}

/* All notes in one text, by line. Frees them. */
static const char *join_sorted(struct folder *folder, struct scanning *scanning)
{
    size_t count = atomic_load(&scanning->count), at = 0;
    struct hv_str *lines = hv_calloc(count + 1, sizeof *lines);
    for (size_t i = 0; i < FS_SCAN_THREADS_MAX; i++) {
        struct hv_str rest = hv_buf_str(&scanning->notes[i]);
        while (at < count && hv_str_split(&rest, '\n', &lines[at]))
            at += lines[at].len > 0;
    }
    qsort(lines, count, sizeof *lines, compare_lines);
    CLEANUP_BUF struct hv_buf out = {0};
    hv_buf_init(&out, NOTES_MAX);
    for (size_t i = 0; i < count; i++) {
        hv_buf_add_str(&out, lines[i]);
        hv_buf_add_byte(&out, '\n');
    }
    free(lines);
    for (size_t i = 0; i < FS_SCAN_THREADS_MAX; i++)
        hv_buf_release(&scanning->notes[i]);
    return hv_arena_cstr(&folder->arena, hv_buf_str(&out));
}

const char *scanning_run(struct scanning *scanning, struct folder *folder, const struct fs_scan_options *options)
{
    struct hv_error err;
    for (size_t i = 0; i < FS_SCAN_THREADS_MAX; i++)
        hv_buf_init(&scanning->notes[i], NOTES_MAX);
    if (fs_scan(options, note, scanning, &folder->arena, &scanning->outcome, &err))
        fail_msg("%s", err.message);
    assert_int_equal(atomic_load(&scanning->faults), 0);
    return join_sorted(folder, scanning);
}

static const char *without_rule_files(struct folder *folder, const char *text)
{
    struct hv_str rest = hv_str_from(text), line;
    CLEANUP_BUF struct hv_buf out = {0};
    hv_buf_init(&out, NOTES_MAX);
    while (hv_str_split(&rest, '\n', &line))
        if (line.len && !hv_str_ends(line, HV_STR("ignore"))) {
            hv_buf_add_str(&out, line);
            hv_buf_add_byte(&out, '\n');
        }
    return hv_arena_cstr(&folder->arena, hv_buf_str(&out));
}

const char *scanning_shown(struct folder *folder, const char *root, struct fs_scan_options options)
{
    struct scanning one = {0}, four = {0}, parted = {0};
    options.root = folder_path(folder, root);
    options.threads = 1;
    const char *alone = scanning_run(&one, folder, &options);
    options.threads = 4;
    assert_string_equal(scanning_run(&four, folder, &options), alone);
    assert_int_equal(one.outcome.visited, four.outcome.visited);
    assert_int_equal(one.outcome.ignored, four.outcome.ignored);
    options.part_after = 1;
    assert_string_equal(scanning_run(&parted, folder, &options), alone);
    assert_int_equal(one.outcome.visited, parted.outcome.visited);
    assert_int_equal(one.outcome.ignored, parted.outcome.ignored);
    return without_rule_files(folder, alone);
}

void scanning_put(struct folder *folder, const char *const *names)
{
    for (; *names; names++)
        folder_put(folder, *names, "x");
}
