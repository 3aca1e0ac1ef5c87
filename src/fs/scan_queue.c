/* scan_queue.c: see scan_queue.h. */
#include "fs/scan_queue.h"

#include "base/cleanup.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- descriptors ----------------------------------------------------------------------------------------- */

struct scan_handle *scan_handle_new(int fd)
{
    struct scan_handle *handle = hv_malloc(sizeof *handle);
    atomic_init(&handle->references, 1);
    handle->fd = fd;
    return handle;
}

struct scan_handle *scan_handle_ref(struct scan_handle *handle)
{
    atomic_fetch_add_explicit(&handle->references, 1, memory_order_relaxed);
    return handle;
}

void scan_handle_unref(struct scan_handle *handle)
{
    if (handle && atomic_fetch_sub(&handle->references, 1) == 1) {
        close(handle->fd);
        free(handle);
    }
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

/* ---- the queue ------------------------------------------------------------------------------------------- */

void scan_queue_init(struct scan_queue *queue, bool in_order)
{
    *queue = (struct scan_queue){.kept_max = SCAN_OPEN_MAX, .in_order = in_order};
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->wake, NULL);
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / 4 < SCAN_OPEN_MAX)
        queue->kept_max = (size_t)limit.rlim_cur / 4;
}

void scan_queue_release(struct scan_queue *queue)
{
    assert(!queue->top && !queue->kept);
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
static void find_open_above(struct scan_queue *queue, struct scan_task *task)
{
    struct scan_directory *parent = task->directory->parent;
    if (!parent)
        return;
    struct scan_directory *above = parent;
    while (above && !above->handle)
        above = above->parent;
    task->above = above;
    task->handle = above ? scan_handle_ref(above->handle) : NULL;
    if (--parent->waiting == 0)
        scan_handle_unref(stop_keeping(queue, parent)); /* not the last reference: the task has one */
}

static void pop(struct scan_queue *queue, struct scan_task *task)
{
    struct scan_item *item = queue->top;
    queue->top = item->next;
    queue->count--;
    *task = (struct scan_task){.kind = item->kind, .item = item, .directory = item->directory, .handle = item->handle};
    item->handle = NULL;
    if (item->kind == SCAN_OPEN)
        find_open_above(queue, task);
}

bool scan_queue_take(struct scan_queue *queue, bool again, struct scan_task *task)
{
    LOCK_SCOPE(&queue->lock);
    queue->active -= again;
    for (;;) {
        if (atomic_load(&queue->over))
            return false;
        if (queue->top) {
            pop(queue, task);
            queue->active++;
            return true;
        }
        if (!queue->active) {
            atomic_store(&queue->over, true);
            pthread_cond_broadcast(&queue->wake);
            return false;
        }
        atomic_fetch_add(&queue->idle, 1);
        pthread_cond_wait(&queue->wake, &queue->lock);
        atomic_fetch_sub(&queue->idle, 1);
    }
}

bool scan_queue_drain(struct scan_queue *queue, struct scan_task *task)
{
    LOCK_SCOPE(&queue->lock);
    if (!queue->top)
        return false;
    pop(queue, task);
    return true;
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

/* Put a chain of items where the next one is, or in order, the last one. */
static void insert(struct scan_queue *queue, struct scan_item *first, struct scan_item *last, size_t count)
{
    bool below = queue->in_order && queue->top;
    last->next = below ? NULL : queue->top;
    *(below ? &queue->bottom->next : &queue->top) = first;
    queue->bottom = last;
    queue->count += count;
    wake(queue, count);
}

void scan_queue_push(struct scan_queue *queue, struct scan_item *item)
{
    LOCK_SCOPE(&queue->lock);
    insert(queue, item, item, 1);
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
        insert(queue, first, last, count);
    }
    scan_handle_unref(dropped);
}

void scan_queue_end(struct scan_queue *queue)
{
    LOCK_SCOPE(&queue->lock);
    atomic_store(&queue->over, true);
    pthread_cond_broadcast(&queue->wake);
}
