/*
 * scan.c: see scan.h. Each thread takes what lies on top of the queue: it opens a directory, reads its names in large
 * pieces, takes up its ignore files, decides each name once, puts the directories on the queue and visits the files.
 * A directory that does not fit into one piece goes back on the queue between two pieces; while a thread has nothing to
 * do, another one gives it half of the files that it has left.
 */
#include "fs/scan.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/thread.h"
#include "fs/directory.h"
#include "fs/open.h"
#include "fs/scan_file.h"
#include "fs/scan_names.h"
#include "fs/scan_piece.h"
#include "fs/scan_places.h"
#include "fs/scan_queue.h"
#include "fs/scan_table.h"
#include "fs/write.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>

enum {
    SHARE_MIN = 16,      /* files that are worth giving half of them away */
    SORT_UNTIL = 4096,   /* entries that a thread has seen; after that nobody waits for the first of the order */
    CHECK_EVERY = 16,    /* files between two looks at the clock */
    CHECK_ENTRIES = 256, /* names between two looks at the clock */
    SCAN_PATH_MAX = 1 << 24,
    KEY_MAX = 1 << 16,            /* of a directory that is remembered */
    ORDERED_BYTES_MAX = 32 << 20, /* names of one directory that are brought into order */
};

/* Files [from, to) of a piece, given to another thread. */
struct share {
    struct scan_item item;
    struct piece *piece;
    size_t from, to;
};

struct scan {
    const struct fs_scan_options *options;
    fs_scan_visit *visit;
    void *user;
    int root;
    struct hv_str base; /* absolute path of the root; "" for "/" */
    struct scan_surroundings around;
    struct scan_rules start;
    struct scan_queue queue;
    struct scan_room room;
    unsigned started; /* written by thread 0 only */
    pthread_t ids[FS_SCAN_THREADS_MAX];
    struct worker *workers;
    uint64_t number;  /* among the scans with the same list of what was learnt */
    int64_t begun_ns; /* on the wall clock */
    atomic_bool timed_out, cancelled, stopped;
    struct scan_places unreadable, unreached, bad_rules;
};

/* One thread. */
struct worker {
    struct scan *scan;
    unsigned index;
    unsigned table;       /* of open files: 0, the process's, or index, its own */
    bool asked_to_part;   /* and did, or cannot */
    struct hv_buf path;   /* absolute; of the entry at hand */
    size_t directory_end; /* where its last component begins */
    struct scan_files files;
    struct piece *spare;
    struct scan_names names;   /* in order only: of the directory at hand */
    struct hv_buf key, learnt; /* of the directory at hand, to be remembered: its entries, type, name and NUL each */
    bool learns;
    size_t visited, ignored, remembered, unreadable, unreached, dropped, bad_rules;
};

/* ---- ends, troubles -------------------------------------------------------------------------------------- */

static bool end_because(struct scan *scan, atomic_bool *reason)
{
    atomic_store(reason, true);
    scan_queue_end(&scan->queue);
    return true;
}

static bool is_over(struct scan *scan)
{
    return atomic_load_explicit(&scan->queue.over, memory_order_relaxed);
}

static bool time_to_end(struct scan *scan)
{
    if (is_over(scan))
        return true;
    if (hv_cancelled(scan->options->cancel))
        return end_because(scan, &scan->cancelled);
    if (scan->options->deadline_ns && clock_monotonic_ns() >= scan->options->deadline_ns)
        return end_because(scan, &scan->timed_out);
    return false;
}

/* A directory that is gone, or has become something else, since its name was read is no trouble. */
static void note_unreadable(struct worker *worker, const struct scan_directory *directory, int sys_errno)
{
    if (sys_errno == ENOENT || sys_errno == ELOOP || sys_errno == ENOTDIR)
        return;
    worker->unreadable++;
    scan_places_add(&worker->scan->unreadable, directory, sys_errno);
}

static void note_unreached(struct worker *worker, const struct scan_directory *directory)
{
    worker->unreached++;
    scan_places_add(&worker->scan->unreached, directory, 0);
}

/* ---- paths ----------------------------------------------------------------------------------------------- */

/* Make the path of a directory the one that names are put behind. False when it is too long. */
static bool set_directory(struct worker *worker, const struct scan_directory *directory)
{
    struct hv_str base = worker->scan->base;
    size_t length = scan_directory_path_length(directory, NULL);
    hv_buf_clear(&worker->path);
    hv_buf_add_str(&worker->path, base);
    hv_buf_add_byte(&worker->path, '/');
    char *room = length ? hv_buf_reserve(&worker->path, length + 1) : NULL;
    if (room) {
        scan_directory_path_write(directory, NULL, room + length);
        room[length] = '/';
        hv_buf_commit(&worker->path, length + 1);
    }
    worker->directory_end = worker->path.len;
    return !worker->path.failed;
}

static bool set_name(struct worker *worker, struct hv_str name)
{
    worker->path.len = worker->directory_end;
    hv_buf_add_str(&worker->path, name);
    return !worker->path.failed;
}

/* The path at hand as seen from an absolute directory. */
static struct hv_str path_below(const struct worker *worker, struct hv_str above)
{
    return hv_str_slice(hv_buf_str(&worker->path), above.len + 1, worker->path.len);
}

/* ---- visiting -------------------------------------------------------------------------------------------- */

static enum fs_scan_action visit(struct worker *worker, const struct scan_directory *directory, int fd,
                                 struct hv_str name, enum hv_file_kind kind, bool ignored, struct fs_memory *memory)
{
    struct scan *scan = worker->scan;
    struct fs_scan_entry entry = {.path = path_below(worker, scan->base),
                                  .name = name,
                                  .kind = kind,
                                  .ignored = ignored,
                                  .directory = fd,
                                  .depth = directory->depth + 1,
                                  .files = &worker->files,
                                  .memory = memory,
                                  .worker = worker->index};
    enum fs_scan_action action = scan->visit(scan->user, &entry);
    if (action == FS_SCAN_STOP)
        (void)end_because(scan, &scan->stopped);
    return action;
}

static void *run_thread(void *data);

static void start_threads(struct scan *scan)
{
    for (scan->started = 1; scan->started < scan->room.threads; scan->started++)
        if (thread_start(&scan->ids[scan->started], 0, run_thread, &scan->workers[scan->started]))
            break;
}

/* There is more to do than one thread can. */
static void call_help(struct worker *worker)
{
    if (worker->index == 0 && !worker->scan->started)
        start_threads(worker->scan);
}

static void share_files(struct worker *worker, struct scan_directory *directory, struct scan_handle *handle,
                        struct piece *piece, size_t from, size_t to)
{
    struct share *share = hv_malloc(sizeof *share);
    atomic_fetch_add(&piece->references, 1);
    *share = (struct share){.piece = piece, .from = from, .to = to};
    share->item = (struct scan_item){
        .directory = scan_directory_ref(directory), .handle = scan_handle_ref(handle), .kind = SCAN_FILES};
    scan_queue_push(&worker->scan->queue, &share->item);
    call_help(worker);
}

/* Another thread waits for work, or has not been started as there was none. */
static bool wants_help(const struct worker *worker)
{
    const struct scan *scan = worker->scan;
    return atomic_load_explicit(&scan->queue.idle, memory_order_relaxed) ||
           (worker->index == 0 && !scan->started && scan->room.threads > 1);
}

/* The first of the order may soon be all that is wanted. */
static void put_in_order(const struct worker *worker, struct piece *piece)
{
    if (worker->scan->options->by_name && worker->visited < SORT_UNTIL)
        piece_sort(piece);
}

static void visit_files(struct worker *worker, struct scan_directory *directory, struct scan_handle *handle,
                        struct piece *piece, size_t from, size_t to)
{
    struct warm_record *record = piece->record;
    bool remembers = record && record->file_count;
    for (size_t i = from; i < to; i++) {
        if (is_over(worker->scan) || ((i - from) % CHECK_EVERY == 0 && time_to_end(worker->scan))) {
            note_unreached(worker, directory);
            return;
        }
        if (to - i >= SHARE_MIN && (piece->order ? worker->scan->room.threads > 1 : wants_help(worker))) {
            /* In order, a few at a time: so that all threads are at the first ones. */
            size_t until = i + (piece->order ? SHARE_MIN / 2 : (to - i) / 2);
            share_files(worker, directory, handle, piece, until, to);
            to = until;
        }
        size_t number = piece->order ? piece->order[i] : i;
        uint32_t file = piece->files[number];
        const char *type = piece->names + (file & ~FILE_IGNORED);
        struct hv_str name = hv_str_from(type + 1);
        if (set_name(worker, name))
            (void)visit(worker, directory, handle->fd, name, fs_kind_of_dirent((unsigned char)*type),
                        file & FILE_IGNORED, remembers ? &record->memories[number] : NULL);
    }
}

/* ---- deciding about names -------------------------------------------------------------------------------- */

/* What is done with the names of a piece. */
struct sorting {
    struct scan_directory *directory;
    struct scan_handle *handle;
    struct piece *piece;
    struct scan_item *first, **last; /* directories to be put on the queue, in order */
    size_t count;
};

static bool is_left_out(const struct fs_scan_options *options, struct hv_str name)
{
    if (name.ptr[0] != '.')
        return false;
    return !options->hidden || hv_str_is(name, ".git") || fs_is_temporary(name);
}

static void sort_directory(struct worker *worker, struct sorting *sorting, struct hv_str name, bool ignored)
{
    const struct fs_scan_options *options = worker->scan->options;
    struct scan_directory *parent = sorting->directory;
    enum fs_scan_action action = FS_SCAN_ON;
    if (options->directories)
        action = visit(worker, parent, sorting->handle->fd, name, HV_FILE_DIRECTORY, ignored, NULL);
    if (ignored || action != FS_SCAN_ON || (options->depth_max && parent->depth + 1 >= options->depth_max))
        return;
    struct scan_directory *directory = scan_directory_new(parent, name);
    *sorting->last = &directory->item;
    sorting->last = &directory->item.next;
    sorting->count++;
}

static void sort_entry(struct worker *worker, struct sorting *sorting, struct dirent64 *found)
{
    const struct scan *scan = worker->scan;
    struct hv_str name = hv_str_from(found->d_name);
    if (name.ptr[0] == '.' && (name.len == 1 || (name.len == 2 && name.ptr[1] == '.')))
        return;
    worker->visited++;
    if (is_left_out(scan->options, name) || !set_name(worker, name))
        return;
    bool is_directory = piece_kind(sorting->handle->fd, found) == HV_FILE_DIRECTORY;
    bool ignored = !scan->options->no_ignore &&
                   scan_rules_ignored(&sorting->directory->rules, path_below(worker, scan->around.top), is_directory);
    worker->ignored += ignored;
    if (ignored && !scan->options->show_ignored)
        return;
    if (worker->learns)
        hv_buf_add(&worker->learnt, &found->d_type, 1 + name.len + 1);
    if (scan->options->ordered)
        scan_names_add(&worker->names, name, fs_kind_of_dirent(found->d_type), ignored);
    else if (is_directory)
        sort_directory(worker, sorting, name, ignored);
    else
        sorting->piece->files[sorting->piece->file_count++] =
            (uint32_t)((const char *)&found->d_type - sorting->piece->bytes) | (ignored ? FILE_IGNORED : 0);
}

static void push_directories(struct worker *worker, struct sorting *sorting)
{
    if (!sorting->count)
        return;
    if (worker->scan->options->by_name)
        sorting->first = scan_items_sort(sorting->first, sorting->count);
    scan_queue_push_directories(&worker->scan->queue, sorting->directory, sorting->handle, sorting->first,
                                sorting->count);
    call_help(worker);
}

/* Decide about all names; the directories go on the queue. False when it is time to end. */
static bool sort_entries(struct worker *worker, struct sorting *sorting)
{
    size_t seen = 0;
    struct dirent64 *found;
    bool on = true;
    sorting->last = &sorting->first;
    for (size_t at = 0; at < sorting->piece->filled && on; at += found->d_reclen) {
        found = (void *)(sorting->piece->bytes + at);
        if (seen++ % CHECK_ENTRIES == 0)
            on = !time_to_end(worker->scan);
        if (on)
            sort_entry(worker, sorting, found);
        on = on && !is_over(worker->scan);
    }
    push_directories(worker, sorting);
    return on;
}

/* ---- reading directories --------------------------------------------------------------------------------- */

/* Take up the ignore files of a directory, before anything in it is decided. */
static void enter(struct worker *worker, struct scan_directory *directory, int fd, const struct scan_rule_files *files)
{
    struct scan *scan = worker->scan;
    directory->entered = true;
    directory->files = *files;
    struct hv_str path = hv_str_slice(hv_buf_str(&worker->path), 0, worker->directory_end - 1);
    struct hv_str base = hv_str_slice(path, scan->around.top.len + 1, path.len);
    struct scan_rules_entered entered =
        scan_rules_enter(&directory->arena, &scan->around, fd, base, files, &directory->rules);
    directory->rules_bytes = entered.bytes;
    worker->bad_rules += entered.unreadable;
    for (size_t i = 0; i < entered.unreadable; i++)
        scan_places_add(&scan->bad_rules, directory, 0);
}

/* The same, with the files as they stand in its first piece. */
static void enter_by_piece(struct worker *worker, struct scan_directory *directory, int fd, const struct piece *piece,
                           bool more)
{
    if (directory->entered || worker->scan->options->no_ignore)
        return;
    struct scan_rule_files files = {0};
    if (more)
        scan_rule_files_probe(&files, fd);
    else
        piece_rule_files(piece, &files);
    enter(worker, directory, fd, &files);
}

/* ---- what earlier scans have learnt ---------------------------------------------------------------------- */

/* The name under which the directory at hand is remembered: what decides which entries are visited, and its path. */
static struct hv_str warm_key(struct worker *worker)
{
    const struct fs_scan_options *options = worker->scan->options;
    hv_buf_clear(&worker->key);
    hv_buf_add_byte(&worker->key, (char)('0' + options->hidden + 2 * options->no_ignore));
    hv_buf_add(&worker->key, worker->path.data, worker->directory_end);
    return hv_buf_str(&worker->key);
}

/* Go through a directory as an earlier scan has seen it. False when it is to be read. */
static bool read_warm(struct worker *worker, struct scan_directory *directory, struct scan_handle *handle,
                      const struct stat *status)
{
    const struct fs_scan_options *options = worker->scan->options;
    struct warm_record *record = NULL;
    if (directory->keeps_times && worker->directory_end < KEY_MAX)
        record = warm_find(options->warm, worker->scan->number, warm_key(worker), status);
    if (!record)
        return false;
    if (!options->no_ignore)
        enter(worker, directory, handle->fd, &record->files);
    if (directory->rules.id != record->rules_id) {
        warm_unref(record);
        return false;
    }
    struct piece *piece = piece_take(&worker->spare);
    struct sorting sorting = {.directory = directory, .handle = handle, .piece = piece};
    struct hv_str bytes = warm_bytes(record), name;
    sorting.last = &sorting.first;
    piece->record = record;
    piece->names = bytes.ptr;
    worker->remembered++;
    worker->visited += record->visited;
    worker->ignored += record->ignored;
    for (size_t at = 0; at < bytes.len && !is_over(worker->scan); at += 1 + name.len + 1) {
        name = hv_str_from(bytes.ptr + at + 1);
        if (fs_kind_of_dirent((unsigned char)bytes.ptr[at]) != HV_FILE_DIRECTORY)
            piece->files[piece->file_count++] = (uint32_t)at;
        else if (set_name(worker, name))
            sort_directory(worker, &sorting, name, false);
    }
    push_directories(worker, &sorting);
    put_in_order(worker, piece);
    if (is_over(worker->scan))
        note_unreached(worker, directory);
    else
        visit_files(worker, directory, handle, piece, 0, piece->file_count);
    return true;
}

/* Remember a directory that was read into piece after it had the status given. */
static void learn(struct worker *worker, const struct scan_directory *directory, const struct stat *status,
                  struct piece *piece, size_t visited, size_t ignored)
{
    struct warm_record learnt = {
        .rules_id = directory->rules.id, .files = directory->files, .visited = visited, .ignored = ignored};
    if (directory->tells_changes)
        learnt.file_count = piece->file_count;
    if (!worker->learnt.failed)
        piece->record = warm_store(worker->scan->options->warm, worker->scan->number, warm_key(worker), status, &learnt,
                                   hv_buf_str(&worker->learnt));
}

/* ---- reading ---------------------------------------------------------------------------------------------- */

/*
 * Read a piece of a directory and do all there is to do with it. status is what the directory had when it was opened,
 * NULL for a later piece.
 */
static void read_directory(struct worker *worker, struct scan_directory *directory, struct scan_handle *handle,
                           const struct stat *status)
{
    struct piece *piece = piece_take(&worker->spare);
    size_t visited = worker->visited, ignored = worker->ignored;
    int more = piece_read(piece, handle->fd);
    if (more < 0)
        note_unreadable(worker, directory, errno);
    enter_by_piece(worker, directory, handle->fd, piece, more > 0);
    if (more > 0) {
        directory->item = (struct scan_item){
            .directory = scan_directory_ref(directory), .handle = scan_handle_ref(handle), .kind = SCAN_MORE};
        scan_queue_push(&worker->scan->queue, &directory->item);
        call_help(worker);
    }
    worker->learns = status && more == 0 && directory->keeps_times && worker->directory_end < KEY_MAX &&
                     warm_is_steady(worker->scan->options->warm, status, worker->scan->begun_ns);
    hv_buf_clear(&worker->learnt);
    struct sorting sorting = {.directory = directory, .handle = handle, .piece = piece};
    bool on = sort_entries(worker, &sorting);
    if (on && worker->learns)
        learn(worker, directory, status, piece, worker->visited - visited, worker->ignored - ignored);
    worker->learns = false;
    put_in_order(worker, piece);
    if (on)
        visit_files(worker, directory, handle, piece, 0, piece->file_count);
    else
        note_unreached(worker, directory);
}

/* Visit what was collected, sorted. */
static void visit_names(struct worker *worker, struct scan_directory *directory, struct scan_handle *handle)
{
    struct scan_names *names = &worker->names;
    struct sorting sorting = {.directory = directory, .handle = handle};
    sorting.last = &sorting.first;
    scan_names_sort(names);
    worker->dropped += names->dropped;
    for (size_t i = 0; i < names->count; i++) {
        const struct scan_name *name = &names->items[i];
        struct hv_str text = scan_names_text(names, name);
        if (is_over(worker->scan) || (i % CHECK_EVERY == 0 && time_to_end(worker->scan))) {
            note_unreached(worker, directory);
            break;
        }
        if (!set_name(worker, text))
            continue;
        if (name->kind == HV_FILE_DIRECTORY)
            sort_directory(worker, &sorting, text, name->ignored);
        else
            (void)visit(worker, directory, handle->fd, text, name->kind, name->ignored, NULL);
    }
    push_directories(worker, &sorting);
}

/* All of a directory in order. */
static void read_in_order(struct worker *worker, struct scan_directory *directory, struct scan_handle *handle)
{
    bool on = true;
    scan_names_clear(&worker->names);
    for (int more = 1; more > 0 && on;) {
        struct piece *piece = piece_take(&worker->spare);
        more = piece_read(piece, handle->fd);
        if (more < 0)
            note_unreadable(worker, directory, errno);
        enter_by_piece(worker, directory, handle->fd, piece, more > 0);
        on = sort_entries(worker, &(struct sorting){.directory = directory, .handle = handle, .piece = piece});
    }
    if (on)
        visit_names(worker, directory, handle);
    else
        note_unreached(worker, directory);
}

/* Open a directory from the nearest one above that is open. -1 with errno. */
static int open_directory(struct worker *worker, const struct scan_task *task)
{
    const struct scan_directory *directory = task->directory;
    enum { FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
    if (!directory->parent)
        return fcntl(worker->scan->root, F_DUPFD_CLOEXEC, 0);
    if (task->above == directory->parent)
        return openat(task->handle->fd, directory->name, FLAGS);
    size_t length = scan_directory_path_length(directory, task->above);
    struct hv_str path = hv_str_slice(hv_buf_str(&worker->path), 0, worker->directory_end - 1);
    return fs_open_no_links(task->handle ? task->handle->fd : worker->scan->root,
                            hv_str_slice(path, path.len - length, path.len), FLAGS);
}

static void open_and_read(struct worker *worker, const struct scan_task *task)
{
    struct scan_directory *directory = task->directory;
    struct stat status;
    CLEANUP_FD int fd = open_directory(worker, task);
    if (fd < 0 || fstat(fd, &status)) {
        note_unreadable(worker, directory, errno);
        return;
    }
    bool other_system = !directory->parent || status.st_dev != directory->parent->device;
    directory->device = status.st_dev;
    directory->inode = status.st_ino;
    if (directory->parent && other_system && fs_is_kernel_system(fd))
        return;
    directory->keeps_times = other_system ? worker->scan->number && fs_keeps_times(fd) : directory->parent->keeps_times;
    directory->tells_changes =
        other_system ? directory->keeps_times && fs_tells_changes(fd) : directory->parent->tells_changes;
    directory->rules = directory->parent ? directory->parent->rules : worker->scan->start;
    struct scan_handle *handle = scan_handle_new(take_fd(&fd), worker->table);
    if (worker->scan->options->ordered)
        read_in_order(worker, directory, handle);
    else if (!read_warm(worker, directory, handle, &status))
        read_directory(worker, directory, handle, &status);
    scan_queue_unref(&worker->scan->queue, worker->table, handle);
}

/* ---- threads --------------------------------------------------------------------------------------------- */

static void release_task(struct scan *scan, unsigned table, struct scan_task *task)
{
    if (task->kind == SCAN_FILES) {
        struct share *share = (struct share *)(void *)task->item;
        piece_unref(share->piece);
        free(share);
    }
    scan_queue_unref(&scan->queue, table, task->handle);
    scan_directory_unref(&scan->around, task->directory);
}

/*
 * Files whose directory another table has open: open it here, too, by its path. NULL when it is not there (any more) or
 * another one is.
 */
static struct scan_handle *open_again(struct worker *worker, const struct scan_directory *directory)
{
    struct hv_str path = path_below(worker, worker->scan->base);
    struct stat status;
    CLEANUP_FD int fd = fs_open_no_links(worker->scan->root, hv_str_slice(path, 0, path.len ? path.len - 1 : 0),
                                         O_PATH | O_DIRECTORY | O_NOFOLLOW);
    if (fd < 0 || fstat(fd, &status) || status.st_dev != directory->device || status.st_ino != directory->inode)
        return NULL;
    return scan_handle_new(take_fd(&fd), worker->table);
}

/* False when these files are to be visited with the descriptor that there is. */
static bool visit_share(struct worker *worker, const struct scan_task *task)
{
    const struct share *share = (const struct share *)(const void *)task->item;
    bool is_own = task->handle->table == worker->table;
    struct scan_handle *handle = is_own ? scan_handle_ref(task->handle) : open_again(worker, task->directory);
    if (!handle)
        return false;
    visit_files(worker, task->directory, handle, share->piece, share->from, share->to);
    scan_queue_unref(&worker->scan->queue, worker->table, handle);
    return true;
}

/* What was to be entered when its name was read may not be wanted any more. */
static bool is_wanted_still(struct worker *worker, const struct scan_directory *directory)
{
    const struct fs_scan_options *options = worker->scan->options;
    if (!options->by_name || !options->directories || !directory->parent)
        return true;
    worker->path.len = worker->directory_end - 1;
    struct hv_str name = hv_str_of(directory->name, directory->name_len);
    enum fs_scan_action action = visit(worker, directory->parent, -1, name, HV_FILE_DIRECTORY, false, NULL);
    worker->path.len = worker->directory_end;
    return action == FS_SCAN_ON;
}

/* False: others have to do it. */
static bool do_task(struct worker *worker, const struct scan_task *task)
{
    if (!set_directory(worker, task->directory))
        note_unreadable(worker, task->directory, ENAMETOOLONG);
    else if (task->kind == SCAN_OPEN && is_wanted_still(worker, task->directory))
        open_and_read(worker, task);
    else if (task->kind == SCAN_OPEN)
        return true;
    else if (task->kind == SCAN_MORE)
        read_directory(worker, task->directory, task->handle, NULL);
    else
        return visit_share(worker, task);
    return true;
}

/* Once a tree turns out to be large: a table of open files of the thread's own, if the system lets it have one. */
static void part(struct worker *worker)
{
    size_t after = worker->scan->options->part_after;
    if (worker->asked_to_part || !worker->index || !after || worker->visited < after)
        return;
    worker->asked_to_part = true;
    scan_files_flush(&worker->files); /* these are open in the table of all */
    if (scan_table_part(worker->scan->root))
        worker->table = worker->index;
}

static void run_worker(struct worker *worker)
{
    struct scan *scan = worker->scan;
    struct scan_task task;
    for (bool again = false; scan_queue_take(&scan->queue, worker->table, again, &task); again = true) {
        if (do_task(worker, &task))
            release_task(scan, worker->table, &task);
        else
            scan_queue_give_back(&scan->queue, &task);
        if (worker->files.count && !scan_queue_is_ready(&scan->queue, worker->table))
            scan_files_flush(&worker->files);
        part(worker);
    }
    scan_files_flush(&worker->files);
    scan_queue_close(&scan->queue, worker->table);
}

static void *run_thread(void *data)
{
    struct worker *worker = data;
    run_worker(worker);
    if (worker->table)
        scan_table_close();
    return NULL;
}

static void finish(struct scan *scan, struct hv_arena *arena, struct fs_scan_outcome *outcome)
{
    struct scan_task task;
    while (scan_queue_drain(&scan->queue, &task)) {
        if (task.kind != SCAN_FILES)
            note_unreached(&scan->workers[0], task.directory);
        release_task(scan, 0, &task);
    }
    *outcome = (struct fs_scan_outcome){.timed_out = atomic_load(&scan->timed_out),
                                        .cancelled = atomic_load(&scan->cancelled),
                                        .stopped = atomic_load(&scan->stopped),
                                        .rules_skipped = atomic_load(&scan->around.skipped),
                                        .rules_unreadable = scan->around.unreadable,
                                        .rules_above = scan->around.unreadable};
    for (unsigned i = 0; i < scan->room.threads; i++) {
        const struct worker *worker = &scan->workers[i];
        outcome->visited += worker->visited;
        outcome->ignored += worker->ignored;
        outcome->dropped += worker->dropped;
        outcome->remembered += worker->remembered;
        outcome->unreadable += worker->unreadable;
        outcome->unreached += worker->unreached;
        outcome->rules_unreadable += worker->bad_rules;
    }
    outcome->unreadable_names = scan_places_take(&scan->unreadable, arena, &outcome->unreadable_named);
    outcome->unreached_names = scan_places_take(&scan->unreached, arena, &outcome->unreached_named);
    outcome->rules_names = scan_places_take(&scan->bad_rules, arena, &outcome->rules_named);
}

/* Run all threads until nothing is left to do. */
static void run(struct scan *scan)
{
    scan->workers = hv_calloc(scan->room.threads, sizeof *scan->workers);
    for (unsigned i = 0; i < scan->room.threads; i++) {
        scan->workers[i] = (struct worker){.scan = scan, .index = i};
        scan_files_init(&scan->workers[i].files, scan->room.closing);
        hv_buf_init(&scan->workers[i].path, SCAN_PATH_MAX);
        scan->workers[i].names.bytes_max = ORDERED_BYTES_MAX;
        hv_buf_init(&scan->workers[i].key, KEY_MAX + 1);
        hv_buf_init(&scan->workers[i].learnt, PIECE_SIZE);
    }
    scan_queue_push(&scan->queue, &scan_directory_new(NULL, HV_STR(""))->item);
    if (!time_to_end(scan))
        run_worker(&scan->workers[0]);
    for (unsigned i = 1; i < scan->started; i++)
        pthread_join(scan->ids[i], NULL);
}

static void release(struct scan *scan)
{
    for (unsigned i = 0; i < scan->room.threads; i++) {
        hv_buf_release(&scan->workers[i].path);
        scan_names_release(&scan->workers[i].names);
        hv_buf_release(&scan->workers[i].key);
        hv_buf_release(&scan->workers[i].learnt);
        piece_unref(scan->workers[i].spare);
    }
    free(scan->workers);
    scan_queue_release(&scan->queue);
    scan_room_give(&scan->room);
}

enum hv_code fs_scan(const struct fs_scan_options *options, fs_scan_visit *visit_entry, void *user,
                     struct hv_arena *arena, struct fs_scan_outcome *outcome, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena own = {0};
    CLEANUP_FD int fd = -1;
    struct hv_str root;
    enum hv_code code = scan_open_root(options, &own, &root, &fd, err);
    if (code)
        return code;
    struct scan scan = {.options = options, .visit = visit_entry, .user = user, .root = fd};
    scan.base = hv_str_is(root, "/") ? HV_STR("") : root;
    scan_room_take(&scan.room, options);
    if (options->no_ignore)
        scan.around.top = scan.base;
    else
        scan_rules_start(&own, scan.base, options->home, options->config_home, &scan.around, &scan.start);
    if (options->warm && !options->ordered && !options->show_ignored) {
        scan.number = warm_begin(options->warm);
        scan.begun_ns = clock_wall_ns();
    }
    scan_places_init(&scan.unreadable);
    scan_places_init(&scan.unreached);
    scan_places_init(&scan.bad_rules);
    scan_queue_init(&scan.queue, options->ordered, scan.room.threads, scan.room.kept);
    run(&scan);
    finish(&scan, arena, outcome);
    release(&scan);
    return HV_OK;
}
