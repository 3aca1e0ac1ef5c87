/*
 * task_output.c: TaskOutput: what is new of a task, and how it stands. It waits a little for news when there
 * are none, so that a model need not ask again and again; with `block` it waits for the end.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "text/find.h"
#include "tools/task_text.h"

enum { TIMEOUT_MAX_MS = 600000, TIMEOUT_DEFAULT_MS = 30000, NEWS_MS = 10000, SETTLE_MS = 150 };

struct task_output_input {
    struct hv_str task_id, filter;
    bool block, has_block;
    int64_t timeout;
    bool has_timeout;
};

static const char *const id_aliases[] = {"shell_id", "bash_id", "id", NULL};
static const char *const block_aliases[] = {"wait", "wait_up_to", NULL};
static const char *const timeout_aliases[] = {"timeout_ms", "wait_ms", NULL}; /* the last: as in TaskInput */

static const struct hv_field task_output_fields[] = {
    {.name = "task_id",
     .description = "The task's id",
     .type = HV_FIELD_STRING,
     .flags = HV_REQUIRED | HV_NON_EMPTY,
     .offset = offsetof(struct task_output_input, task_id),
     .aliases = id_aliases},
    {.name = "block",
     .description =
         "true: wait until the task has ended, or `timeout`; false: do not wait at all. Left out: wait up to "
         "10 s for something new",
     .type = HV_FIELD_BOOLEAN,
     .offset = offsetof(struct task_output_input, block),
     .present = 1 + offsetof(struct task_output_input, has_block),
     .aliases = block_aliases},
    {.name = "timeout",
     .description = "Milliseconds to wait at most; 30000 with `block`",
     .type = HV_FIELD_INTEGER,
     .offset = offsetof(struct task_output_input, timeout),
     .present = 1 + offsetof(struct task_output_input, has_timeout),
     .aliases = timeout_aliases,
     .minimum = 0,
     .maximum = TIMEOUT_MAX_MS},
    {.name = "filter",
     .description = "A regular expression: show only lines that match (the others count as read)",
     .type = HV_FIELD_STRING,
     .offset = offsetof(struct task_output_input, filter)},
    {0}};

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

static bool has_news(const struct hv_tasks *tasks, struct hv_task *task, struct hv_arena *arena)
{
    struct hv_task_view view;
    tasks->look(task, arena, &view);
    return view.unread || view.end.status != HV_TASK_RUNNING || view.waits;
}

static void wait_as_asked(const struct task_output_input *in, struct hv_context *context, struct hv_task *task)
{
    const struct hv_tasks *tasks = context->services->tasks;
    uint64_t timeout = (uint64_t)in->timeout * CLOCK_MILLISECOND;
    if (in->has_block && in->block) {
        tasks->wait(context, task, false, in->has_timeout ? timeout : TIMEOUT_DEFAULT_MS * CLOCK_MILLISECOND);
    } else if (!in->has_block) {
        timeout = in->has_timeout ? timeout : NEWS_MS * CLOCK_MILLISECOND;
        bool news = has_news(tasks, task, context->arena) || tasks->wait(context, task, true, timeout);
        if (news && timeout) /* what has begun to speak often has more to say, or ends at once */
            tasks->wait(context, task, false, SETTLE_MS * CLOCK_MILLISECOND);
    }
    tasks->wait(context, task, false, 0); /* if it has ended, this call tells so */
}

/* ---- the output -------------------------------------------------------------------------------------------------- */

static struct hv_str matching_lines(struct find *find, struct hv_str text, struct hv_arena *arena)
{
    CLEANUP_BUF struct hv_buf kept = {.max = TASK_OUTPUT_MAX + 2};
    struct find_scratch *scratch = find_scratch_new(find, NULL, NULL);
    for (size_t start = 0; start < text.len;) {
        size_t end = hv_str_find_byte(text, '\n', start);
        end = end == SIZE_MAX ? text.len : end + 1;
        struct hv_str line = hv_str_slice(text, start, end);
        struct find_match match;
        if (find_next(scratch, line, 0, &match) == FIND_FOUND)
            hv_buf_add_str(&kept, line);
        start = end;
    }
    find_scratch_free(scratch);
    return hv_arena_str(arena, hv_buf_str(&kept));
}

static enum hv_code compile_filter(const struct task_output_input *in, struct find **find, struct hv_error *err)
{
    struct find_options options = {.plain_advice = true};
    *find = NULL;
    if (!in->filter.len)
        return HV_OK;
    enum hv_code code = find_compile(in->filter, &options, find, err);
    if (code != HV_OK)
        hv_error_place(err, "filter");
    return code;
}

static struct hv_str show_output(struct hv_context *context, struct hv_task *task, struct find *find,
                                 struct hv_result *result)
{
    struct hv_arena *arena = context->arena;
    struct hv_str text = task_text_output(context->services->tasks, task, arena, result);
    if (text.len && find)
        text = matching_lines(find, text, arena);
    hv_result_add_text(result, arena, text.len ? text : HV_STR("(no new output)"));
    return text;
}

static enum hv_code task_output_call(const void *input, struct hv_context *context, void **data,
                                     struct hv_result *result, struct hv_error *err)
{
    (void)data;
    const struct task_output_input *in = input;
    const struct hv_tasks *tasks = task_text_service(context, err);
    struct hv_task *task;
    struct hv_task_view view;
    struct find *find;
    if (!tasks)
        return HV_EUNSUPPORTED;
    enum hv_code code = compile_filter(in, &find, err);
    if (code == HV_OK && (code = tasks->find(context, in->task_id, &task, err)) == HV_OK) {
        wait_as_asked(in, context, task);
        tasks->look(task, context->arena, &view);
        hv_result_addf(result, context->arena, "%.*s\n", HV_STR_ARG(task_text_state(&view, context->arena)));
        struct hv_str shown = show_output(context, task, find, result);
        if (view.lost.len)
            hv_result_addf(result, context->arena, "\n%.*s\n", HV_STR_ARG(view.lost));
        if (view.end.remark[0])
            hv_result_addf(result, context->arena, "\n%s\n", view.end.remark);
        result->structured = task_text_json(&view, shown, context->arena);
        result->summary = hv_str_from(task_text_status(&view));
    }
    find_release(find);
    return code;
}

/* ---- what else the descriptor says ------------------------------------------------------------------------------- */

static void task_output_footprint(const void *input, const struct hv_context *context, struct hv_footprint *out)
{
    (void)input, (void)context;
    out->limited = true; /* touches no file but the session's own */
}

static bool always(const void *input, const struct hv_context *context)
{
    (void)input, (void)context;
    return true;
}

static enum hv_verdict task_output_check(const void *input, const struct hv_context *context, struct hv_str *reason)
{
    (void)input, (void)context;
    *reason = HV_STR("it shows what the session itself has started");
    return HV_ALLOW;
}

static void task_output_render(const void *input, const struct hv_context *context, struct hv_buf *out)
{
    (void)context;
    hv_buf_add_str(out, ((const struct task_output_input *)input)->task_id);
}

static const char *const task_output_aliases[] = {"BashOutput",  "AgentOutput", "task_output",
                                                  "bash_output", "job_output",  NULL};

const struct hv_tool tool_task_output = {
    .name = "TaskOutput",
    .aliases = task_output_aliases,
    .title = "Look at a background task",
    .search_hint = "output and state of a background shell, monitor or agent",
    .description =
        "Shows what a task in the background has written since you last looked, whether it still runs or how it ended, "
        "and whether it waits for input. You are told by itself when a task ends: there is no need to poll.",
    .fields = task_output_fields,
    .input_size = sizeof(struct task_output_input),
    .time_limit_ms = UINT64_MAX,
    .footprint = task_output_footprint,
    .read_only = always,
    .concurrency_safe = always,
    .check_permission = task_output_check,
    .call = task_output_call,
    .render_use = task_output_render,
};
