/* chat_files.c: names of files for `@`: what the search engine finds below the working directory, ignore rules
 * honoured, in the order of how well they fit what was typed. */
#include <strings.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/thread.h"
#include "cli/chat.h"
#include "fs/scan.h"
#include "policy/visible.h"

enum { SCAN_MS = 300, FRESH_S = 30, NAMES_MAX = 32 << 20, SHOWN = 20 };

struct chat_files {
    pthread_mutex_t lock; /* guards names while they are gathered */
    struct hv_buf names;  /* one a line */
    uint64_t read_ns;
    struct hv_str directory; /* heap */
};

static enum fs_scan_action add_name(void *user, const struct fs_scan_entry *entry)
{
    struct chat_files *files = user;
    if (entry->kind != HV_FILE_REGULAR || hv_str_find_byte(entry->path, '\n', 0) != SIZE_MAX)
        return FS_SCAN_ON;
    LOCK_SCOPE(&files->lock);
    if (files->names.len + entry->path.len + 1 > files->names.max)
        return FS_SCAN_STOP;
    hv_buf_add_str(&files->names, entry->path);
    hv_buf_add_byte(&files->names, '\n');
    return FS_SCAN_ON;
}

static struct chat_files *fresh_files(struct chat *chat, struct hv_str directory)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct fs_scan_outcome outcome;
    uint64_t now = clock_monotonic_ns();
    if (!chat->files) {
        chat->files = hv_calloc(1, sizeof *chat->files);
        pthread_mutex_init(&chat->files->lock, NULL);
        hv_buf_init(&chat->files->names, NAMES_MAX);
    }
    struct chat_files *files = chat->files;
    if (files->read_ns && now - files->read_ns < FRESH_S * CLOCK_SECOND && hv_str_eq(files->directory, directory))
        return files;
    free((void *)files->directory.ptr);
    files->directory = hv_str_of(hv_strdup(directory.ptr), directory.len);
    hv_buf_clear(&files->names);
    struct fs_scan_options options = {.root = directory,
                                      .home = chat->setup.home,
                                      .threads = fs_scan_threads(),
                                      .deadline_ns = now + SCAN_MS * CLOCK_MILLISECOND};
    (void)!fs_scan(&options, add_name, files, &arena, &outcome, NULL);
    files->read_ns = clock_monotonic_ns();
    return files;
}

static size_t find_folded(struct hv_str text, struct hv_str words)
{
    for (size_t at = 0; at + words.len <= text.len; at++)
        if (strncasecmp(text.ptr + at, words.ptr, words.len) == 0)
            return at;
    return SIZE_MAX;
}

/* Smaller is better; SIZE_MAX: it does not fit. In the name, in the path, its letters in this order. */
static size_t rate(struct hv_str path, struct hv_str words)
{
    size_t slash = hv_str_rfind_byte(path, '/'), at = 0;
    struct hv_str name = slash == SIZE_MAX ? path : hv_str_slice(path, slash + 1, path.len);
    size_t found = find_folded(name, words);
    if (found != SIZE_MAX)
        return path.len + 4 * found;
    if (find_folded(path, words) != SIZE_MAX)
        return 10000 + path.len;
    for (size_t i = 0; i < path.len && at < words.len; i++)
        at += (path.ptr[i] | 0x20) == (words.ptr[at] | 0x20);
    return at == words.len ? 20000 + path.len : SIZE_MAX;
}

void chat_put_files(struct chat *chat, struct hv_str directory, struct hv_str words, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct {
        struct hv_str path;
        size_t rank;
    } best[SHOWN];
    size_t count = 0;
    const struct chat_files *files = fresh_files(chat, hv_arena_str(&arena, directory));
    struct hv_str rest = hv_buf_str(&files->names), path;
    while (hv_str_split(&rest, '\n', &path)) {
        size_t rank = path.len ? rate(path, words) : SIZE_MAX, at = count;
        bool listed = hv_str_starts(path, words) && hv_str_find_byte(path, '/', words.len) == SIZE_MAX;
        if (rank == SIZE_MAX || listed || (count == SHOWN && rank >= best[SHOWN - 1].rank))
            continue;
        at = count < SHOWN ? count++ : SHOWN - 1;
        for (; at > 0 && best[at - 1].rank > rank; at--)
            best[at] = best[at - 1];
        best[at].path = path;
        best[at].rank = rank;
    }
    for (size_t i = 0; i < count; i++)
        if (visible_as_is(best[i].path))
            hv_buf_addf(out, "%.*s\n", HV_STR_ARG(best[i].path));
}

void chat_release_files(struct chat *chat)
{
    if (!chat->files)
        return;
    pthread_mutex_destroy(&chat->files->lock);
    hv_buf_release(&chat->files->names);
    free((void *)chat->files->directory.ptr);
    free(chat->files);
    chat->files = NULL;
}
