/*
 * checkpoint.h: what calls change is kept before they change it, so that `helve rewind` can bring it back. Inner to
 * src/runtime.
 *
 * Before a call runs, the files that it says it writes are looked at and their bytes kept (fs/image_store.h); an event
 * "checkpoint", synced to the disk before any of them changes, says what they were. Afterwards another one says what
 * became of them. Within one turn a file is kept once: the turn is what one rewinds to.
 *
 * What a call leaves running in the background changes things later: it is looked at again when it ends, before the
 * next call that does not say what it writes, and when the session ends.
 */
#ifndef RUNTIME_CHECKPOINT_H
#define RUNTIME_CHECKPOINT_H

#include "runtime/call.h"

struct checkpoints;

/* directory: where the session's copies are kept; absent: the session keeps none, and all that follows does nothing. */
struct checkpoints *checkpoints_new(struct runtime *runtime, struct hv_str directory);
void checkpoints_free(struct checkpoints *checkpoints);
/* A new turn begins: files are kept anew. NULL is fine, here and below. */
void checkpoints_begin_turn(struct checkpoints *checkpoints);
/* It ended: what changes from here on may be anybody's work. */
void checkpoints_end_turn(struct checkpoints *checkpoints);

/* Around the run of a tool, on its worker. Never fails: what could not be kept is told, and the call goes on. Where
 * files are large and the tool announces its changes, they are still being kept when checkpoint_before returns. */
void checkpoint_before(struct call *call);
/* All is kept that is to be, and its event stands on the disk. Any thread of the call; again: nothing. */
void checkpoint_wait(struct call *call);
void checkpoint_after(struct call *call);

/* The call left something running, or that has ended. On the thread of the call; any thread. */
void checkpoint_task_begins(struct call *call);
void checkpoint_task_ends(struct checkpoints *checkpoints, struct hv_str call_id);

#endif
