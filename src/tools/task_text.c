/* task_text.c: see task_text.h. */
#include "tools/task_text.h"

#include "base/cleanup.h"
#include "base/clock.h"

enum { TITLE_SHOWN = 120 };

const char *task_text_status(const struct hv_task_view *view)
{
    switch (view->end.status) {
    case HV_TASK_COMPLETED: return "completed";
    case HV_TASK_FAILED: return "failed";
    case HV_TASK_STOPPED: return "stopped";
    case HV_TASK_RUNNING: break;
    }
    return "running";
}

struct hv_str task_text_state(const struct hv_task_view *view, struct hv_arena *arena)
{
    unsigned long long seconds = view->age_ns / CLOCK_SECOND;
    struct hv_str title = hv_str_slice(view->title, 0, TITLE_SHOWN);
    size_t line = hv_str_find_byte(title, '\n', 0);
    if (line != SIZE_MAX)
        title = hv_str_slice(title, 0, line);
    bool cut = title.len < view->title.len;
    if (view->end.status == HV_TASK_RUNNING)
        return hv_arena_format(arena, "%.*s (%.*s%s) is running, for %llu s so far%s.", HV_STR_ARG(view->id),
                               HV_STR_ARG(title), cut ? "…" : "", seconds, view->waits ? ", and waits for input" : "");
    return hv_arena_format(arena, "%.*s (%.*s%s) %s%s%s%s after %llu s.", HV_STR_ARG(view->id), HV_STR_ARG(title),
                           cut ? "…" : "", view->end.status == HV_TASK_STOPPED ? "was " : "", task_text_status(view),
                           view->end.text[0] ? ": " : "", view->end.text, seconds);
}

struct hv_str task_text_output(const struct hv_tasks *tasks, struct hv_task *task, struct hv_arena *arena,
                               struct hv_result *result)
{
    CLEANUP_BUF struct hv_buf output = {.max = TASK_OUTPUT_MAX + 1};
    struct hv_task_view view;
    uint64_t skipped = tasks->read(task, TASK_OUTPUT_MAX, &output);
    if (skipped) {
        tasks->look(task, arena, &view);
        if (view.output_file.len)
            hv_result_addf(result, arena, "(%llu bytes before this are only in %.*s)\n", (unsigned long long)skipped,
                           HV_STR_ARG(view.output_file));
        else
            hv_result_addf(result, arena, "(%llu bytes before this are lost)\n", (unsigned long long)skipped);
    }
    return output.len ? hv_arena_str(arena, hv_buf_str(&output)) : (struct hv_str){0};
}

struct hv_str task_text_json(const struct hv_task_view *view, struct hv_str output, struct hv_arena *arena)
{
    CLEANUP_BUF struct hv_buf text = {.max = 1 << 20};
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &text);
    hv_json_begin_object(&writer);
    hv_json_member_string(&writer, "task_id", view->id);
    hv_json_member_cstr(&writer, "task_type", view->type);
    hv_json_member_cstr(&writer, "status", task_text_status(view));
    hv_json_member_string(&writer, "description", view->title);
    hv_json_name(&writer, "exit_code");
    if (view->end.has_exit_code)
        hv_json_put_int(&writer, view->end.exit_code);
    else
        hv_json_put_null(&writer);
    hv_json_member_bool(&writer, "waiting_for_input", view->waits);
    if (view->output_file.len)
        hv_json_member_string(&writer, "output_file", view->output_file);
    if (output.ptr)
        hv_json_member_string(&writer, "output", output);
    hv_json_end_object(&writer);
    return hv_arena_str(arena, hv_buf_str(&text));
}

const struct hv_tasks *task_text_service(const struct hv_context *context, struct hv_error *err)
{
    if (!context->services->tasks)
        hv_fail(err, HV_EUNSUPPORTED, "this session runs nothing in the background");
    return context->services->tasks;
}
