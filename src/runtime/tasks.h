/*
 * tasks.h: what goes on in the background of a session: shells, monitors, later agents. Inner to src/runtime; what
 * tools see of it is struct hv_tasks in helve/tool.h, what the agent sees is in runtime.h.
 *
 * Each task has a thread of its own that runs its type's work. What happens to tasks is an event; what the model should
 * know of it is a note, which waits here until somebody takes it (runtime_take_notes).
 */
#ifndef RUNTIME_TASKS_H
#define RUNTIME_TASKS_H

#include "runtime/runtime.h"

struct tasks;

struct tasks *tasks_new(struct runtime *runtime);
/* Tell all to end, and wait until they have (what ignores it is killed after two seconds); later starts are refused.
 * Then free everything. NULL is accepted. Loop thread; no call runs any more. */
void tasks_free(struct tasks *tasks);

/* Something runs in the background right now. Any thread. */
bool tasks_running(struct runtime *runtime);

/* hv_services.tasks */
extern const struct hv_tasks runtime_tasks;

#endif
