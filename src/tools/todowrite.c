/*
 * todowrite.c: the tool TodoWrite: the visible check list of a session. Each call gives the whole list anew; the tool
 * keeps the last one so that it can say what changed.
 */
#include "base/cleanup.h"

#include <helve/tool.h>

enum todo_status { TODO_NONE, TODO_PENDING, TODO_IN_PROGRESS, TODO_COMPLETED, TODO_CANCELLED };

struct todo {
    struct hv_str content, active_form;
    int status; /* enum todo_status */
};

struct todo_input {
    struct hv_array todos;
};

enum { TODOS_MAX = 500, LIST_BYTES_MAX = 1 << 20 };

static const char *const content_aliases[] = {"description", "step", "text", NULL};
static const char *const active_aliases[] = {"active_form", NULL};
static const char *const todos_aliases[] = {"plan", "items", NULL};
static const char *const status_values[] = {"pending", "in_progress", "completed", "cancelled", NULL};

static const struct hv_field todo_fields[] = {
    {.name = "content",
     .description = "What is to be done, in the imperative",
     .type = HV_FIELD_STRING,
     .flags = HV_REQUIRED | HV_NON_EMPTY,
     .offset = offsetof(struct todo, content),
     .aliases = content_aliases},
    {.name = "status",
     .description = "How far it is",
     .type = HV_FIELD_ENUM,
     .flags = HV_REQUIRED,
     .offset = offsetof(struct todo, status),
     .values = status_values},
    {.name = "activeForm",
     .description = "What is shown while it is in progress (\"Running the tests\")",
     .type = HV_FIELD_STRING,
     .offset = offsetof(struct todo, active_form),
     .aliases = active_aliases},
    {0}};

static const struct hv_field todo_input_fields[] = {{.name = "todos",
                                                     .description = "The whole list, replacing the one before",
                                                     .type = HV_FIELD_ARRAY,
                                                     .flags = HV_REQUIRED,
                                                     .offset = offsetof(struct todo_input, todos),
                                                     .aliases = todos_aliases,
                                                     .items = HV_FIELD_OBJECT,
                                                     .fields = todo_fields,
                                                     .size = sizeof(struct todo),
                                                     .minimum = 0,
                                                     .maximum = TODOS_MAX},
                                                    {0}};

static const char *mark(int status)
{
    switch (status) {
    case TODO_COMPLETED: return "[x]";
    case TODO_IN_PROGRESS: return "[>]";
    case TODO_CANCELLED: return "[-]";
    default: return "[ ]";
    }
}

static void print_list(const struct todo_input *in, struct hv_buf *out)
{
    const struct todo *todos = in->todos.items;
    for (size_t i = 0; i < in->todos.count; i++) {
        bool running = todos[i].status == TODO_IN_PROGRESS && todos[i].active_form.len;
        struct hv_str text = running ? todos[i].active_form : todos[i].content;
        hv_buf_addf(out, "%s%s %.*s", i ? "\n" : "", mark(todos[i].status), HV_STR_ARG(text));
    }
}

static enum hv_code todo_call(const void *input, struct hv_context *context, void **data, struct hv_result *result,
                              struct hv_error *err)
{
    (void)data;
    const struct todo_input *in = input;
    const struct todo *todos = in->todos.items;
    size_t completed = 0, running = 0;
    for (size_t i = 0; i < in->todos.count; i++) {
        completed += todos[i].status == TODO_COMPLETED;
        running += todos[i].status == TODO_IN_PROGRESS;
    }
    CLEANUP_BUF struct hv_buf list = {0};
    hv_buf_init(&list, LIST_BYTES_MAX);
    print_list(in, &list);
    if (list.failed)
        return hv_fail(err, HV_ETOOBIG, "The list is too long; keep each entry to one line");
    hv_result_addf(result, context->arena, "The list has %zu entr%s, %zu completed.", in->todos.count,
                   in->todos.count == 1 ? "y" : "ies", completed);
    if (list.len)
        hv_result_add_text(result, context->arena, hv_arena_str(context->arena, hv_buf_str(&list)));
    if (running > 1)
        hv_result_addf(result, context->arena, "Note: %zu entries are in progress; keep it to one at a time.", running);
    result->summary = hv_arena_format(context->arena, "%zu/%zu done", completed, in->todos.count);
    return HV_OK;
}

static void todo_footprint(const void *input, const struct hv_context *context, struct hv_footprint *out)
{
    (void)input, (void)context;
    out->limited = true; /* touches no file */
}

static bool always(const void *input, const struct hv_context *context)
{
    (void)input, (void)context;
    return true;
}

static enum hv_verdict todo_check_permission(const void *input, const struct hv_context *context, struct hv_str *reason)
{
    (void)input, (void)context;
    *reason = HV_STR("the list concerns the session only");
    return HV_ALLOW;
}

static void todo_render_use(const void *input, const struct hv_context *context, struct hv_buf *out)
{
    (void)context;
    print_list(input, out);
}

static void todo_render_result(const void *input, const struct hv_context *context, const struct hv_result *result,
                               struct hv_show *out)
{
    (void)result;
    const struct todo_input *in = input;
    const struct todo *todos = in->todos.items;
    struct hv_show_item *items = hv_arena_array(context->arena, struct hv_show_item, in->todos.count);
    for (size_t i = 0; i < in->todos.count; i++) {
        bool running = todos[i].status == TODO_IN_PROGRESS;
        bool over = todos[i].status == TODO_COMPLETED || todos[i].status == TODO_CANCELLED;
        items[i].text = running && todos[i].active_form.len ? todos[i].active_form : todos[i].content;
        items[i].state = running ? HV_SHOW_ACTIVE : over ? HV_SHOW_DONE : HV_SHOW_OPEN;
    }
    hv_show_list(out, items, in->todos.count);
}

static const char *const todo_aliases[] = {"todowrite", "todo_write", "write_todos", "todos", "update_plan", NULL};

const struct hv_tool tool_todowrite = {
    .name = "TodoWrite",
    .aliases = todo_aliases,
    .title = "Update the check list",
    .search_hint = "plan steps and track progress in a check list",
    .description =
        "Keeps the check list that the person sees. Give the whole list each time. Use it for work of three steps or "
        "more; mark an entry in_progress before starting it and completed as soon as it is done.",
    .fields = todo_input_fields,
    .input_size = sizeof(struct todo_input),
    .footprint = todo_footprint,
    .read_only = always,
    .concurrency_safe = always,
    .check_permission = todo_check_permission,
    .call = todo_call,
    .render_use = todo_render_use,
    .render_result = todo_render_result,
};
