/* print_tasks.c: what goes on in the background, as lines of stream-json in the shapes of Claude Code. See print.h. */
#include "base/cleanup.h"
#include "cli/print.h"

/* All that run now: a program at the other end need not count starts and ends. */
static void changed_line(struct print *print)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf line = {0};
    struct hv_json_writer writer;
    size_t count;
    struct hv_task_view *tasks = runtime_list_tasks(session_runtime(print->session), &arena, &count);
    print_begin(&writer, &line, "system", "background_tasks_changed");
    hv_json_name(&writer, "tasks");
    hv_json_begin_array(&writer);
    for (size_t i = 0; i < count; i++) {
        if (tasks[i].end.status != HV_TASK_RUNNING)
            continue;
        hv_json_begin_object(&writer);
        hv_json_member_string(&writer, "task_id", tasks[i].id);
        hv_json_member_cstr(&writer, "task_type", tasks[i].type);
        hv_json_member_string(&writer, "description", tasks[i].title);
        hv_json_end_object(&writer);
    }
    hv_json_end_array(&writer);
    print_end(print, &writer);
}

static void put_task(struct hv_json_writer *writer, const struct hv_event *event, const struct hv_json *data)
{
    hv_json_member_string(writer, "task_id", hv_json_get_string(data, "id"));
    hv_json_member_string(writer, "tool_use_id", event->call_id);
    hv_json_member_string(writer, "task_type", hv_json_get_string(data, "type"));
    hv_json_member_string(writer, "description", hv_json_get_string(data, "description"));
}

void print_task_event(struct print *print, const struct hv_event *event, const struct hv_json *data)
{
    CLEANUP_BUF struct hv_buf line = {0};
    struct hv_json_writer writer;
    bool starts = hv_str_is(event->name, "started"), ends = hv_str_is(event->name, "ended");
    print_begin(&writer, &line, "system", starts ? "task_started" : ends ? "task_notification" : "task_progress");
    put_task(&writer, event, data);
    if (!starts) {
        int64_t code;
        hv_json_member_string(&writer, "status", hv_json_get_string(data, "status"));
        hv_json_member_string(&writer, "summary", event->text);
        if (hv_json_int64(hv_json_get(data, "exit_code"), &code))
            hv_json_member_int(&writer, "exit_code", code);
    }
    struct hv_str file = hv_json_get_string(data, "output_file");
    hv_json_member_string(&writer, "output_file", file.ptr ? file : HV_STR(""));
    print_end(print, &writer);
    if (starts || ends)
        changed_line(print);
}
