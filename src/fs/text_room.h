/*
 * text_room.h: memory for texts that many threads put down and that go one by one. It comes in blocks of TEXT_BLOCK
 * bytes, which a thread fills from the front without a lock and which go when the last text in them has: asked for one
 * by one, tens of thousands of texts would make malloc ask the system for each page that they take, and threads that
 * share a heap wait for one another meanwhile.
 *
 * What counts against the bound are whole blocks, however little is left in them: when it is full, text_room_is_sparse
 * says whether forgetting all that is in them would help.
 */
#ifndef FS_TEXT_ROOM_H
#define FS_TEXT_ROOM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { TEXT_BLOCK = 128 << 10, TEXT_ROOM_MAX = TEXT_BLOCK * 3 / 4 };

struct text_block;

/* To be initialised and released by its owner. */
struct text_room {
    pthread_mutex_t lock;
    struct text_block *open; /* not full, and at the moment nobody's */
    size_t bytes_max;        /* of all blocks */
    atomic_size_t bytes;     /* of the blocks there are */
    atomic_size_t filled;    /* of these, what is used still */
};

void text_room_init(struct text_room *room, size_t bytes_max);
/* Everything must have been given back. */
void text_room_release(struct text_room *room);

/*
 * Room for size bytes (at most TEXT_ROOM_MAX), aligned as malloc does it. *own is the block that the caller fills:
 * NULL at first, one thread's at a time, and to be left at the end. *block is the one that the bytes lie in. NULL when
 * there is no room.
 */
void *text_room_take(struct text_room *room, struct text_block **own, size_t size, struct text_block **block);
/* The caller fills its block no longer: others may. NULL is accepted. */
void text_room_leave(struct text_room *room, struct text_block *own);
/* Give bytes in a block back. Any thread. */
void text_room_give(struct text_block *block, void *bytes, size_t size);

/* No other block fits, and most of what there is in those there are is not used any more. */
bool text_room_is_sparse(const struct text_room *room);

#endif
