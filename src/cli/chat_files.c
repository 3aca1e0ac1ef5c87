/* chat_files.c: names of files for `@`: what the search engine finds below the working directory, ignore rules
 * honoured. They are read on a thread: no key waits for a disk. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/thread.h"
#include "cli/chat.h"
#include "fs/scan.h"
#include "policy/visible.h"
#include "text/path_list.h"

enum { SCAN_S = 10, FRESH_S = 30, SHOWN = 20 };

struct chat_files {
    struct chat *chat;       /* NULL: it has ended */
    struct path_list names;  /* in order */
    struct hv_str directory; /* of these; heap */
    uint64_t read_ns;

    bool reading;
    pthread_t thread;
    struct hv_cancel *cancel;
    pthread_mutex_t lock;   /* of found, between the threads that look */
    struct path_list found; /* while it is read: the reading thread's */
    struct hv_str found_in; /* heap */
    struct hv_str home;
};

static enum fs_scan_action add_name(void *user, const struct fs_scan_entry *entry)
{
    struct chat_files *files = user;
    if (entry->kind != HV_FILE_REGULAR || hv_str_find_byte(entry->path, '\n', 0) != SIZE_MAX)
        return FS_SCAN_ON;
    LOCK_SCOPE(&files->lock);
    return path_list_add(&files->found, entry->path) ? FS_SCAN_ON : FS_SCAN_STOP;
}

static void free_files(struct chat_files *files)
{
    path_list_release(&files->names);
    path_list_release(&files->found);
    free((void *)files->directory.ptr);
    free((void *)files->found_in.ptr);
    hv_cancel_free(files->cancel);
    pthread_mutex_destroy(&files->lock);
    free(files);
}

/* Loop thread: what was read is what is offered from now on. */
static void take_names(void *data)
{
    struct chat_files *files = data;
    if (!files->chat) {
        free_files(files);
        return;
    }
    pthread_join(files->thread, NULL);
    files->reading = false;
    path_list_release(&files->names);
    free((void *)files->directory.ptr);
    files->names = files->found;
    files->directory = files->found_in;
    files->found = (struct path_list){0};
    files->found_in = (struct hv_str){0};
    files->read_ns = clock_monotonic_ns();
    if (files->chat->functions->files_changed)
        files->chat->functions->files_changed(files->chat->ui);
}

static void *read_names(void *data)
{
    struct chat_files *files = data;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct fs_scan_outcome outcome;
    struct fs_scan_options options = {.root = files->found_in,
                                      .home = files->home,
                                      .threads = fs_scan_threads(),
                                      .cancel = files->cancel,
                                      .deadline_ns = clock_monotonic_ns() + SCAN_S * CLOCK_SECOND};
    /* Of a directory that cannot be read nothing is offered. */
    (void)!fs_scan(&options, add_name, files, &arena, &outcome, NULL);
    path_list_sort(&files->found);
    loop_post(files->chat->setup.loop, take_names, files);
    return NULL;
}

/* The names that are known; older ones are offered until there are new ones. */
static const struct path_list *current_names(struct chat *chat, struct hv_str directory)
{
    uint64_t now = clock_monotonic_ns();
    if (!chat->files) {
        chat->files = hv_calloc(1, sizeof *chat->files);
        chat->files->chat = chat;
        chat->files->cancel = hv_cancel_new();
        chat->files->home = chat->setup.home;
        pthread_mutex_init(&chat->files->lock, NULL);
    }
    struct chat_files *files = chat->files;
    bool here = hv_str_eq(files->directory, directory);
    bool fresh = here && files->read_ns && now - files->read_ns < FRESH_S * CLOCK_SECOND;
    if (!fresh && !files->reading) {
        files->found_in = hv_str_of(hv_strdup(directory.ptr), directory.len);
        files->reading = thread_start(&files->thread, 0, read_names, files) == 0;
        if (!files->reading)
            free((void *)files->found_in.ptr), files->found_in = (struct hv_str){0};
    }
    return here ? &files->names : NULL;
}

void chat_put_files(struct chat *chat, struct hv_str directory, struct hv_str words, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct path_list *names = current_names(chat, hv_arena_str(&arena, directory));
    struct hv_str best[SHOWN];
    size_t count = names && words.len ? path_list_find(names, words, best, SHOWN) : 0;
    for (size_t i = 0; i < count; i++)
        if (visible_as_is(best[i]))
            hv_buf_addf(out, "%.*s\n", HV_STR_ARG(best[i]));
}

void chat_release_files(struct chat *chat)
{
    struct chat_files *files = chat->files;
    chat->files = NULL;
    if (!files)
        return;
    if (!files->reading) {
        free_files(files);
        return;
    }
    hv_cancel_raise(files->cancel);
    pthread_join(files->thread, NULL);
    files->chat = NULL; /* take_names is on its way, and frees it */
}
