/* task_stop.c: TaskStop: end a task: TERM to all of it, KILL two seconds later. */
#include "base/clock.h"
#include "tools/task_text.h"

enum { PATIENCE_MS = 8000 }; /* TERM, two seconds, KILL, three more for what cannot be killed */

struct task_stop_input {
    struct hv_str task_id;
};

static const char *const id_aliases[] = {"shell_id", "bash_id", "id", NULL};

static const struct hv_field task_stop_fields[] = {{.name = "task_id",
                                                    .description = "The task's id",
                                                    .type = HV_FIELD_STRING,
                                                    .flags = HV_REQUIRED | HV_NON_EMPTY,
                                                    .offset = offsetof(struct task_stop_input, task_id),
                                                    .aliases = id_aliases},
                                                   {0}};

static enum hv_code task_stop_call(const void *input, struct hv_context *context, void **data, struct hv_result *result,
                                   struct hv_error *err)
{
    (void)data;
    const struct task_stop_input *in = input;
    struct hv_arena *arena = context->arena;
    const struct hv_tasks *tasks = task_text_service(context, err);
    struct hv_task *task;
    struct hv_task_view view;
    if (!tasks)
        return HV_EUNSUPPORTED;
    enum hv_code code = tasks->find(context, in->task_id, &task, err);
    if (code != HV_OK)
        return code;
    tasks->look(task, arena, &view);
    bool ran = view.end.status == HV_TASK_RUNNING;
    tasks->stop(task);
    bool over = tasks->wait(context, task, false, PATIENCE_MS * CLOCK_MILLISECOND);
    tasks->look(task, arena, &view);
    if (!over)
        hv_result_errorf(result, arena, "%.*s has been told to end, but something of it still lives.",
                         HV_STR_ARG(view.id));
    else if (!ran)
        hv_result_addf(result, arena, "There was nothing to stop: %.*s", HV_STR_ARG(task_text_state(&view, arena)));
    else
        hv_result_addf(result, arena, "%.*s", HV_STR_ARG(task_text_state(&view, arena)));
    result->structured = task_text_json(&view, (struct hv_str){0}, arena);
    result->summary = hv_str_from(task_text_status(&view));
    return HV_OK;
}

static void task_stop_footprint(const void *input, const struct hv_context *context, struct hv_footprint *out)
{
    (void)input, (void)context;
    out->limited = true;
}

static bool task_stop_safe(const void *input, const struct hv_context *context)
{
    (void)input, (void)context;
    return true;
}

static enum hv_verdict task_stop_check(const void *input, const struct hv_context *context, struct hv_str *reason)
{
    (void)input, (void)context;
    *reason = HV_STR("it ends only what the session itself has started");
    return HV_ALLOW;
}

static void task_stop_render(const void *input, const struct hv_context *context, struct hv_buf *out)
{
    (void)context;
    hv_buf_add_str(out, ((const struct task_stop_input *)input)->task_id);
}

static const char *const task_stop_aliases[] = {"KillShell", "KillBash", "task_stop", "kill_shell", "job_kill", NULL};

const struct hv_tool tool_task_stop = {
    .name = "TaskStop",
    .aliases = task_stop_aliases,
    .title = "End a background task",
    .search_hint = "stop or kill a background shell, monitor or agent",
    .description = "Ends a task that runs in the background, with all it has started.",
    .fields = task_stop_fields,
    .input_size = sizeof(struct task_stop_input),
    .time_limit_ms = UINT64_MAX,
    .footprint = task_stop_footprint,
    .concurrency_safe = task_stop_safe,
    .check_permission = task_stop_check,
    .call = task_stop_call,
    .render_use = task_stop_render,
};
