/*
 * task_input.c: TaskInput: type to a task, as a person at its terminal would: text, then keys. Then it waits until the
 * task has answered, so that one call is one exchange with an interpreter or a prompt.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "tools/task_text.h"

#include <string.h>

enum { WAIT_MAX_MS = 120000, SLICE_MS = 50, QUIET_MS = 200, KEYS_MAX = 100 };
#define WAIT_DEFAULT_TEXT "2000"

struct task_input_input {
    struct hv_str task_id, text;
    struct hv_array keys; /* struct hv_str */
    int64_t wait_ms;
};

static const char *const id_aliases[] = {"shell_id", "bash_id", "session_id", "id", NULL};
static const char *const text_aliases[] = {"input", "chars", NULL};
static const char *const wait_aliases[] = {"timeout", "yield_time_ms", "wait", NULL};

static const struct hv_field task_input_fields[] = {
    {.name = "task_id",
     .description = "The task's id",
     .type = HV_FIELD_STRING,
     .flags = HV_REQUIRED | HV_NON_EMPTY,
     .offset = offsetof(struct task_input_input, task_id),
     .aliases = id_aliases},
    {.name = "text",
     .description = "Typed exactly as it is: end it with a newline, or press enter with `keys`",
     .type = HV_FIELD_STRING,
     .offset = offsetof(struct task_input_input, text),
     .aliases = text_aliases},
    {.name = "keys",
     .description = "Keys pressed after the text: enter, tab, escape, backspace, delete, up, down, left, right, home, "
                    "end, page-up, page-down, space, ctrl-c, ctrl-d, ctrl-z and so on to ctrl-a … ctrl-z",
     .type = HV_FIELD_ARRAY,
     .flags = HV_ONE_OR_MANY,
     .offset = offsetof(struct task_input_input, keys),
     .items = HV_FIELD_STRING,
     .minimum = 0,
     .maximum = KEYS_MAX},
    {.name = "wait_ms",
     .description = "Milliseconds to wait at most for the answer",
     .type = HV_FIELD_INTEGER,
     .offset = offsetof(struct task_input_input, wait_ms),
     .aliases = wait_aliases,
     .minimum = 0,
     .maximum = WAIT_MAX_MS,
     .fallback = WAIT_DEFAULT_TEXT},
    {0}};

/* ---- keys -------------------------------------------------------------------------------------------------------- */

/* Sequences are those of xterm, which whatever cares for TERM understands or ignores. */
static const struct {
    const char *name, *bytes;
} keys[] = {
    {"enter", "\r"},          {"return", "\r"},      {"tab", "\t"},         {"escape", "\x1b"}, {"esc", "\x1b"},
    {"space", " "},           {"backspace", "\x7f"}, {"delete", "\x1b[3~"}, {"up", "\x1b[A"},   {"down", "\x1b[B"},
    {"right", "\x1b[C"},      {"left", "\x1b[D"},    {"home", "\x1b[H"},    {"end", "\x1b[F"},  {"page-up", "\x1b[5~"},
    {"page-down", "\x1b[6~"}, {"ctrl-\\", "\x1c"},
};

/* The name as it is listed: "Ctrl+C", "^C" and "C-c" are ctrl-c. */
static struct hv_str canonical(struct hv_str name, struct hv_arena *arena)
{
    char *copy = hv_arena_cstr(arena, hv_str_trim(name));
    for (char *at = copy; *at; at++) {
        *at = *at >= 'A' && *at <= 'Z' ? (char)(*at + 32) : *at;
        if (at > copy && at[1] && (*at == '+' || *at == '_' || *at == ' '))
            *at = '-';
    }
    struct hv_str text = hv_str_from(copy);
    if (text.len == 2 && text.ptr[0] == '^')
        return hv_arena_format(arena, "ctrl-%c", text.ptr[1]);
    if (text.len == 3 && hv_str_starts(text, HV_STR("c-")))
        return hv_arena_format(arena, "ctrl-%c", text.ptr[2]);
    return text;
}

/* The bytes that a terminal sends for a key; absent when there is no such key. */
static struct hv_str bytes_of(struct hv_str name, struct hv_arena *arena)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (hv_str_is(name, keys[i].name))
            return hv_str_from(keys[i].bytes);
    if (name.len == 6 && hv_str_starts(name, HV_STR("ctrl-")) && name.ptr[5] >= 'a' && name.ptr[5] <= 'z')
        return hv_arena_format(arena, "%c", name.ptr[5] - 'a' + 1);
    return (struct hv_str){0};
}

static enum hv_code task_input_validate(const void *input, const struct hv_context *context, struct hv_error *err)
{
    const struct task_input_input *in = input;
    const struct hv_str *names = in->keys.items;
    for (size_t i = 0; i < in->keys.count; i++) {
        if (bytes_of(canonical(names[i], context->arena), context->arena).len)
            continue;
        hv_fail(err, HV_EINVAL, "there is no key \"%.*s\"", HV_STR_ARG(hv_str_slice(names[i], 0, 40)));
        hv_error_hint(
            err, "Keys are enter, tab, escape, space, backspace, delete, up, down, left, right, home, end, page-up, "
                 "page-down, ctrl-a to ctrl-z; everything else is `text`.");
        hv_error_place(err, "keys");
        return HV_EINVAL;
    }
    return HV_OK;
}

/* ---- typing ------------------------------------------------------------------------------------------------------ */

/* Without a terminal Ctrl-C is a signal, Ctrl-D the end of stdin, and Enter a newline. */
static enum hv_code press(const struct hv_tasks *tasks, struct hv_task *task, bool tty, struct hv_str name,
                          struct hv_arena *arena, struct hv_error *err)
{
    if (!tty && hv_str_is(name, "ctrl-c"))
        return tasks->interrupt(task, err);
    if (!tty && hv_str_is(name, "ctrl-d"))
        return tasks->close_input(task, err);
    struct hv_str bytes = bytes_of(name, arena);
    return tasks->write(task, !tty && hv_str_is(bytes, "\r") ? HV_STR("\n") : bytes, err);
}

static enum hv_code type_all(const struct task_input_input *in, struct hv_context *context, struct hv_task *task,
                             struct hv_error *err)
{
    const struct hv_tasks *tasks = context->services->tasks;
    const struct hv_str *names = in->keys.items;
    struct hv_task_view view;
    tasks->look(task, context->arena, &view);
    enum hv_code code = in->text.len ? tasks->write(task, in->text, err) : HV_OK;
    for (size_t i = 0; code == HV_OK && i < in->keys.count; i++)
        code = press(tasks, task, view.tty, canonical(names[i], context->arena), context->arena, err);
    return code;
}

/* Until it has said something and is quiet again (waiting, or just quiet), has ended, or the time is over. */
static void wait_for_answer(const struct task_input_input *in, struct hv_context *context, struct hv_task *task)
{
    const struct hv_tasks *tasks = context->services->tasks;
    uint64_t end = clock_monotonic_ns() + (uint64_t)in->wait_ms * CLOCK_MILLISECOND;
    struct hv_task_view view;
    do {
        if (tasks->wait(context, task, false, SLICE_MS * CLOCK_MILLISECOND))
            return;
        CLEANUP_ARENA struct hv_arena arena = {0};
        tasks->look(task, &arena, &view);
        if (view.unread && view.waits && view.quiet_ns >= QUIET_MS * CLOCK_MILLISECOND)
            return;
    } while (clock_monotonic_ns() < end && !hv_cancelled(context->cancel));
}

static enum hv_code task_input_call(const void *input, struct hv_context *context, void **data,
                                    struct hv_result *result, struct hv_error *err)
{
    (void)data;
    const struct task_input_input *in = input;
    struct hv_arena *arena = context->arena;
    const struct hv_tasks *tasks = task_text_service(context, err);
    struct hv_task *task;
    struct hv_task_view view;
    if (!tasks)
        return HV_EUNSUPPORTED;
    enum hv_code code = tasks->find(context, in->task_id, &task, err);
    if (code == HV_OK)
        code = type_all(in, context, task, err);
    if (code != HV_OK)
        return code;
    wait_for_answer(in, context, task);
    struct hv_str answer = task_text_output(tasks, task, arena, result);
    hv_result_add_text(result, arena, answer.len ? answer : HV_STR("(nothing came in answer yet)"));
    tasks->look(task, arena, &view);
    hv_result_addf(result, arena, "\n%.*s", HV_STR_ARG(task_text_state(&view, arena)));
    result->structured = task_text_json(&view, (struct hv_str){0}, arena);
    result->summary = hv_str_from(view.waits ? "waits for input" : task_text_status(&view));
    return HV_OK;
}

/* ---- what else the descriptor says ------------------------------------------------------------------------------- */

static void task_input_footprint(const void *input, const struct hv_context *context, struct hv_footprint *out)
{
    (void)input, (void)context, (void)out; /* what is typed may do anything */
}

/* What is typed may be a command for a shell, so it is judged like one; keys alone stand for themselves. */
static struct hv_str task_input_subject(const void *input, const struct hv_context *context)
{
    const struct task_input_input *in = input;
    const struct hv_str *names = in->keys.items;
    if (hv_str_trim(in->text).len)
        return hv_str_trim(in->text);
    struct hv_str text = HV_STR("keys:");
    for (size_t i = 0; i < in->keys.count; i++)
        text = hv_arena_format(context->arena, "%.*s %.*s", HV_STR_ARG(text), HV_STR_ARG(names[i]));
    return text;
}

/* What a program makes of it is not known, however harmless it were as a command. */
static enum hv_verdict task_input_check(const void *input, const struct hv_context *context, struct hv_str *reason)
{
    (void)input, (void)context;
    *reason = HV_STR("what is typed may do anything that the program can do");
    return HV_ASK;
}

static void task_input_render(const void *input, const struct hv_context *context, struct hv_buf *out)
{
    const struct task_input_input *in = input;
    hv_buf_addf(out, "%.*s: ", HV_STR_ARG(in->task_id));
    hv_buf_add_str(out, task_input_subject(input, context));
}

static const char *const task_input_aliases[] = {"write_stdin", "BashInput", "task_input", "send_input", NULL};

const struct hv_tool tool_task_input = {
    .name = "TaskInput",
    .aliases = task_input_aliases,
    .title = "Type to a background task",
    .search_hint = "write to stdin or terminal of a running process, press keys, answer a prompt",
    .description =
        "Types to a task whose command was started with `tty: true` or `stdin: \"open\"`: first `text`, then `keys`. "
        "Gives back what the task writes in answer. Use it for prompts, interpreters (python3, psql, node) and "
        "debuggers.",
    .deferred = true,
    .fields = task_input_fields,
    .input_size = sizeof(struct task_input_input),
    .time_limit_ms = UINT64_MAX,
    .subject_kind = HV_SUBJECT_COMMAND,
    .executes = true,
    .validate = task_input_validate,
    .footprint = task_input_footprint,
    .subject = task_input_subject,
    .classifier_input = task_input_subject,
    .check_permission = task_input_check,
    .call = task_input_call,
    .render_use = task_input_render,
};
