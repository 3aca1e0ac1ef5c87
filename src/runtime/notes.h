/*
 * notes.h: words for the model that come between its messages: a task has ended, a watched line has come. They wait
 * here until the agent takes them into the conversation. Any thread; one lock of their own.
 */
#ifndef RUNTIME_NOTES_H
#define RUNTIME_NOTES_H

#include "loop/loop.h"

struct notes;

/* wake is called on the loop thread when notes have come (once for several); NULL: nobody is told. */
struct notes *notes_new(struct loop *loop, void (*wake)(void *user), void *user);
/* A call of wake that is on its way will not be made. Loop thread. */
void notes_free(struct notes *notes);
/* Texts are copied. Of too many, the oldest are dropped and counted. */
void notes_add(struct notes *notes, struct hv_str task, struct hv_str text);
/* Forget the notes of a task: the model knows. */
void notes_drop(struct notes *notes, struct hv_str task);
bool notes_waiting(struct notes *notes);
/* Append all as one JSON text block, and forget them. False when there are none. */
bool notes_take(struct notes *notes, struct hv_buf *block);

#endif
