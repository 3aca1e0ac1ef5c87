/* task_text.h: how results speak of tasks: one line of state, the output that is new. */
#ifndef TOOLS_TASK_TEXT_H
#define TOOLS_TASK_TEXT_H

#include <helve/tool.h>

enum { TASK_OUTPUT_MAX = 30000 }; /* bytes of output that one result shows; the file has the rest */

/* "bash_1 (npm test) is running for 12 s, waiting for input." In arena. */
struct hv_str task_text_state(const struct hv_task_view *view, struct hv_arena *arena);
/* The output that is new since the last time, in arena; absent when there is none. A sentence about what is too much to
 * show goes to the result. */
struct hv_str task_text_output(const struct hv_tasks *tasks, struct hv_task *task, struct hv_arena *arena,
                               struct hv_result *result);
/* The state as JSON, for hooks and programs; output may be absent. */
struct hv_str task_text_json(const struct hv_task_view *view, struct hv_str output, struct hv_arena *arena);
/* "running", "completed", "failed", "stopped". */
const char *task_text_status(const struct hv_task_view *view);
/* The session's tasks; a fault when it has none. */
const struct hv_tasks *task_text_service(const struct hv_context *context, struct hv_error *err);

#endif
