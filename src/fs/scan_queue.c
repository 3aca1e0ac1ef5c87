/* scan_queue.c: see scan_queue.h. */
#include "fs/scan_queue.h"

#include "base/cleanup.h"
#include "fs/scan_table.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* ---- descriptors ----------------------------------------------------------------------------------------- */

struct scan_handle *scan_handle_new(int fd, unsigned table)
{
    struct scan_handle *handle = hv_malloc(sizeof *handle);
    atomic_init(&handle->references, 1);
    handle->fd = fd;
    handle->table = table;
    return handle;
}

struct scan_handle *scan_handle_ref(struct scan_handle *handle)
{
    atomic_fetch_add_explicit(&handle->references, 1, memory_order_relaxed);
    return handle;
}

void scan_queue_unref(struct scan_queue *queue, unsigned table, struct scan_handle *handle)
{
    if (!handle || atomic_fetch_sub(&handle->references, 1) != 1)
        return;
    if (handle->table == table) {
        close(handle->fd);
        free(handle);
        return;
    }
    _Atomic(struct scan_handle *) *closing = &queue->own[handle->table].closing;
    struct scan_handle *last = atomic_load(closing);
    do
        handle->next = last;
    while (!atomic_compare_exchange_weak(closing, &last, handle));
}

static void free_closing(struct scan_queue *queue, unsigned table, bool is_open)
{
    struct scan_handle *handle = atomic_exchange(&queue->own[table].closing, NULL), *next;
    for (; handle; handle = next) {
        next = handle->next;
        if (is_open)
            close(handle->fd);
        free(handle);
    }
}

void scan_queue_close(struct scan_queue *queue, unsigned table)
{
    if (atomic_load_explicit(&queue->own[table].closing, memory_order_relaxed))
        free_closing(queue, table, true);
}

/* ---- directories ----------------------------------------------------------------------------------------- */

struct scan_directory *scan_directory_new(struct scan_directory *parent, struct hv_str name)
{
    struct scan_directory *directory = hv_malloc(sizeof *directory + name.len + 1);
    memset(directory, 0, sizeof *directory);
    directory->item = (struct scan_item){.directory = directory, .kind = SCAN_OPEN};
    atomic_init(&directory->references, 1);
    directory->parent = parent ? scan_directory_ref(parent) : NULL;
    directory->depth = parent ? parent->depth + 1 : 0;
    directory->name_len = name.len;
    memcpy(directory->name, name.ptr, name.len);
    directory->name[name.len] = '\0';
    return directory;
}

struct scan_directory *scan_directory_ref(struct scan_directory *directory)
{
    atomic_fetch_add_explicit(&directory->references, 1, memory_order_relaxed);
    return directory;
}

/* The last of a long chain takes those above with it, one after another. */
void scan_directory_unref(struct scan_surroundings *around, struct scan_directory *directory)
{
    while (directory && atomic_fetch_sub(&directory->references, 1) == 1) {
        struct scan_directory *parent = directory->parent;
        assert(!directory->waiting && !directory->handle);
        scan_rules_leave(around, directory->rules_bytes);
        hv_arena_release(&directory->arena);
        free(directory);
        directory = parent;
    }
}

size_t scan_directory_path_length(const struct scan_directory *directory, const struct scan_directory *above)
{
    size_t length = 0;
    for (; directory != above && directory->parent; directory = directory->parent)
        length += directory->name_len + 1;
    return length ? length - 1 : 0;
}

void scan_directory_path_write(const struct scan_directory *directory, const struct scan_directory *above, char *end)
{
    while (directory != above && directory->parent) {
        end -= directory->name_len;
        memcpy(end, directory->name, directory->name_len);
        directory = directory->parent;
        if (directory != above && directory->parent)
            *--end = '/';
    }
}

static int compare_items(const void *a, const void *b)
{
    const struct scan_item *left = *(const struct scan_item *const *)a, *right = *(const struct scan_item *const *)b;
    return strcmp(left->directory->name, right->directory->name);
}

struct scan_item *scan_items_sort(struct scan_item *first, size_t count)
{
    CLEANUP_FREE struct scan_item **items = hv_malloc(count * sizeof *items);
    for (size_t i = 0; i < count; i++, first = first->next)
        items[i] = first;
    qsort(items, count, sizeof *items, compare_items);
    for (size_t i = 0; i < count; i++)
        items[i]->next = i + 1 < count ? items[i + 1] : NULL;
    return items[0];
}

/* ---- the queue ------------------------------------------------------------------------------------------- */

void scan_queue_init(struct scan_queue *queue, bool in_order, unsigned tables, size_t kept)
{
    *queue = (struct scan_queue){.kept_max = kept, .in_order = in_order, .tables = tables};
    queue->own = hv_calloc(tables, sizeof *queue->own);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->wake, NULL);
}

void scan_queue_release(struct scan_queue *queue)
{
    assert(!queue->count && !queue->kept);
    for (unsigned i = 0; i < queue->tables; i++)
        free_closing(queue, i, i == 0 || !SCAN_TABLES_REAL);
    free(queue->own);
    pthread_cond_destroy(&queue->wake);
    pthread_mutex_destroy(&queue->lock);
}

/* Keep a directory open no longer. Returns its descriptor, to be given back after the lock. */
static struct scan_handle *stop_keeping(struct scan_queue *queue, struct scan_directory *directory)
{
    struct scan_handle *handle = directory->handle;
    if (!handle)
        return NULL;
    *(directory->older ? &directory->older->newer : &queue->oldest) = directory->newer;
    *(directory->newer ? &directory->newer->older : &queue->newest) = directory->older;
    directory->older = directory->newer = NULL;
    directory->handle = NULL;
    queue->kept--;
    return handle;
}

static void keep(struct scan_queue *queue, struct scan_directory *directory, struct scan_handle *handle)
{
    directory->handle = scan_handle_ref(handle);
    directory->older = queue->newest;
    *(queue->newest ? &queue->newest->newer : &queue->oldest) = directory;
    queue->newest = directory;
    queue->kept++;
}

/* A directory leaves the queue to be opened: from where? */
static void find_open_above(struct scan_queue *queue, unsigned table, struct scan_task *task)
{
    struct scan_directory *parent = task->directory->parent;
    if (!parent)
        return;
    struct scan_directory *above = parent;
    while (above && !(above->handle && above->handle->table == table))
        above = above->parent;
    task->above = above;
    task->handle = above ? scan_handle_ref(above->handle) : NULL;
    if (--parent->waiting == 0) /* not the last reference, where that would close it: the task has one */
        scan_queue_unref(queue, table, stop_keeping(queue, parent));
}

static void pop(struct scan_queue *queue, struct scan_item **top, unsigned table, struct scan_task *task)
{
    struct scan_item *item = *top;
    *top = item->next;
    queue->count--;
    *task = (struct scan_task){.kind = item->kind, .item = item, .directory = item->directory, .handle = item->handle};
    item->handle = NULL;
    if (item->kind == SCAN_OPEN)
        find_open_above(queue, table, task);
}

/* Where the next item for a thread lies: the last one that was put there of all that are not for others. */
static struct scan_item **find_next(struct scan_queue *queue, unsigned table)
{
    struct scan_item **own = &queue->own[table].top;
    if (*own && (!queue->top || (*own)->number > queue->top->number))
        return own;
    return queue->top ? &queue->top : NULL;
}

bool scan_queue_take(struct scan_queue *queue, unsigned table, bool again, struct scan_task *task)
{
    scan_queue_close(queue, table);
    LOCK_SCOPE(&queue->lock);
    queue->active -= again;
    for (;;) {
        if (atomic_load(&queue->over))
            return false;
        struct scan_item **next = find_next(queue, table);
        if (next) {
            pop(queue, next, table, task);
            queue->active++;
            return true;
        }
        if (!queue->active && !queue->count) {
            atomic_store(&queue->over, true);
            pthread_cond_broadcast(&queue->wake);
            return false;
        }
        atomic_fetch_add(&queue->idle, 1);
        pthread_cond_wait(&queue->wake, &queue->lock);
        atomic_fetch_sub(&queue->idle, 1);
    }
}

bool scan_queue_is_ready(struct scan_queue *queue, unsigned table)
{
    LOCK_SCOPE(&queue->lock);
    return find_next(queue, table);
}

bool scan_queue_drain(struct scan_queue *queue, struct scan_task *task)
{
    LOCK_SCOPE(&queue->lock);
    for (unsigned i = 0; i < queue->tables; i++)
        if (find_next(queue, i)) {
            pop(queue, find_next(queue, i), 0, task);
            return true;
        }
    return false;
}

static void wake(struct scan_queue *queue, size_t items)
{
    if (!atomic_load(&queue->idle))
        return;
    if (items > 1)
        pthread_cond_broadcast(&queue->wake);
    else
        pthread_cond_signal(&queue->wake);
}

static void give_number(struct scan_queue *queue, struct scan_item *first, struct scan_item *last)
{
    uint64_t number = ++queue->number;
    for (struct scan_item *item = first; item != last; item = item->next)
        item->number = number;
    last->number = number;
}

/* Put a chain of items where the next one is, or in order, the last one. */
static void insert(struct scan_queue *queue, struct scan_item *first, struct scan_item *last, size_t count)
{
    give_number(queue, first, last);
    bool below = queue->in_order && queue->top;
    last->next = below ? NULL : queue->top;
    *(below ? &queue->bottom->next : &queue->top) = first;
    queue->bottom = last;
    queue->count += count;
    wake(queue, count);
}

/* For the threads of one table: all that wait look whether they are meant. */
static void insert_own(struct scan_queue *queue, unsigned table, struct scan_item *first, struct scan_item *last,
                       size_t count)
{
    struct scan_own *own = &queue->own[table];
    give_number(queue, first, last);
    last->next = own->top;
    own->top = first;
    queue->count += count;
    if (atomic_load(&queue->idle))
        pthread_cond_broadcast(&queue->wake);
}

void scan_queue_push(struct scan_queue *queue, struct scan_item *item)
{
    LOCK_SCOPE(&queue->lock);
    if (item->kind == SCAN_MORE)
        insert_own(queue, item->handle->table, item, item, 1);
    else
        insert(queue, item, item, 1);
}

void scan_queue_give_back(struct scan_queue *queue, struct scan_task *task)
{
    LOCK_SCOPE(&queue->lock);
    task->item->handle = task->handle;
    insert_own(queue, task->handle->table, task->item, task->item, 1);
}

/*
 * Let the children of parent be opened from there. Where that takes too many descriptors, the ones that come last do
 * without.
 */
static struct scan_handle *keep_open(struct scan_queue *queue, struct scan_directory *parent,
                                     struct scan_handle *handle)
{
    bool full = queue->kept >= queue->kept_max;
    if (!parent->handle && !(full && queue->in_order))
        keep(queue, parent, handle);
    bool over = queue->kept > queue->kept_max && queue->oldest != parent;
    return over ? stop_keeping(queue, queue->oldest) : NULL;
}

void scan_queue_push_directories(struct scan_queue *queue, struct scan_directory *parent, struct scan_handle *handle,
                                 struct scan_item *first, size_t count)
{
    struct scan_handle *dropped = NULL;
    struct scan_item *last = first;
    while (last->next)
        last = last->next;
    {
        LOCK_SCOPE(&queue->lock);
        parent->waiting += count;
        dropped = keep_open(queue, parent, handle);
        if (parent->depth >= SCAN_DEEP && !queue->in_order)
            insert_own(queue, handle->table, first, last, count);
        else
            insert(queue, first, last, count);
    }
    scan_queue_unref(queue, handle->table, dropped);
}

void scan_queue_end(struct scan_queue *queue)
{
    LOCK_SCOPE(&queue->lock);
    atomic_store(&queue->over, true);
    pthread_cond_broadcast(&queue->wake);
}
