/*
 * exec_note.h: what the model should know of background tasks, where nobody but the results speaks with it: the next
 * result carries it.
 */
#ifndef AGENT_EXEC_NOTE_H
#define AGENT_EXEC_NOTE_H

#include "runtime/runtime.h"

/* Put a note (a text block as JSON, of runtime_take_notes) behind what the result says, in its block and its text. All
 * new text is in arena. */
void exec_note_join(struct hv_arena *arena, struct hv_str note, struct batch_result *result);

#endif
