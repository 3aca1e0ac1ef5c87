/* text_room.c: see text_room.h. A block counts its texts, and one more while it may be filled on. */
#include "fs/text_room.h"

#include "base/cleanup.h"
#include "base/poison.h"

#include <assert.h>
#include <sys/mman.h>

struct text_block {
    struct text_room *room;
    struct text_block *next; /* among the open ones */
    size_t end;              /* where the next text comes; of the thread that fills it */
    atomic_uint users;
};

enum { ALIGNMENT = 16, FIRST = (sizeof(struct text_block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT };

static size_t aligned(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void text_room_init(struct text_room *room, size_t bytes_max)
{
    *room = (struct text_room){.bytes_max = bytes_max};
    pthread_mutex_init(&room->lock, NULL);
}

static void unref(struct text_block *block)
{
    struct text_room *room = block->room;
    if (atomic_fetch_sub(&block->users, 1) != 1)
        return;
    ASAN_UNPOISON_MEMORY_REGION(block, TEXT_BLOCK);
    munmap(block, TEXT_BLOCK);
    atomic_fetch_sub(&room->bytes, TEXT_BLOCK);
}

void text_room_release(struct text_room *room)
{
    for (struct text_block *block = room->open, *next; block; block = next) {
        next = block->next;
        unref(block);
    }
    assert(!room->bytes && !room->filled);
    pthread_mutex_destroy(&room->lock);
}

/* All its pages at once: they will be written to soon, and asking for each of them takes several times as long. */
static struct text_block *new_block(struct text_room *room)
{
    if (atomic_fetch_add(&room->bytes, TEXT_BLOCK) + TEXT_BLOCK > room->bytes_max) {
        atomic_fetch_sub(&room->bytes, TEXT_BLOCK);
        return NULL;
    }
    struct text_block *block =
        mmap(NULL, TEXT_BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (block == MAP_FAILED) {
        atomic_fetch_sub(&room->bytes, TEXT_BLOCK);
        return NULL;
    }
    block->room = room;
    block->end = FIRST;
    atomic_init(&block->users, 1);
    ASAN_POISON_MEMORY_REGION((char *)block + FIRST, TEXT_BLOCK - FIRST);
    return block;
}

/* One that is not full yet, or a new one. */
static struct text_block *open_block(struct text_room *room)
{
    {
        LOCK_SCOPE(&room->lock);
        struct text_block *block = room->open;
        if (block) {
            room->open = block->next;
            return block;
        }
    }
    return new_block(room);
}

void *text_room_take(struct text_room *room, struct text_block **own, size_t size, struct text_block **block)
{
    assert(size <= TEXT_ROOM_MAX);
    size_t whole = aligned(size);
    while (!*own || TEXT_BLOCK - (*own)->end < whole) {
        if (*own)
            unref(*own);
        *own = open_block(room);
        if (!*own)
            return NULL;
    }
    struct text_block *at = *own;
    void *bytes = (char *)at + at->end;
    ASAN_UNPOISON_MEMORY_REGION(bytes, size);
    at->end += whole;
    atomic_fetch_add_explicit(&at->users, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&room->filled, whole, memory_order_relaxed);
    *block = at;
    return bytes;
}

void text_room_leave(struct text_room *room, struct text_block *own)
{
    if (!own)
        return;
    LOCK_SCOPE(&room->lock);
    own->next = room->open;
    room->open = own;
}

void text_room_give(struct text_block *block, void *bytes, size_t size)
{
    ASAN_POISON_MEMORY_REGION(bytes, size);
    atomic_fetch_sub_explicit(&block->room->filled, aligned(size), memory_order_relaxed);
    unref(block);
}

bool text_room_is_sparse(const struct text_room *room)
{
    size_t bytes = atomic_load(&room->bytes);
    return bytes + TEXT_BLOCK > room->bytes_max && 2 * atomic_load(&room->filled) < bytes;
}
