/* report.c: errors of a validation, worded for the model that has to mend its input. See run.h. */
#include "schema/excerpt.h"
#include "schema/run.h"

enum { TEXT_MAX = 64 * 1024, MESSAGE_MAX = 2048 };

static struct hv_str take_text(struct hv_buf *buf, struct hv_arena *arena)
{
    struct hv_str text = hv_arena_str(arena, hv_buf_str(buf));
    hv_buf_release(buf);
    return text;
}

static struct hv_str path_text(struct run *run, const struct hv_json *value, bool readable)
{
    struct hv_buf buf = {.max = TEXT_MAX};
    locate(&buf, run->root, value, readable);
    return take_text(&buf, run->arena);
}

static struct hv_str schema_path(struct run *run, const struct frame *frame, const char *keyword)
{
    struct hv_buf buf = {.max = TEXT_MAX};
    hv_buf_addf(&buf, "%.*s#", HV_STR_ARG(frame->node->resource->uri));
    locate(&buf, frame->node->resource->root, frame->node->json, false);
    if (keyword)
        hv_buf_addf(&buf, "/%s", keyword);
    return take_text(&buf, run->arena);
}

void run_errors_append(struct run_errors *to, const struct run_errors *from)
{
    if (!from->first)
        return;
    if (to->last)
        to->last->next = from->first;
    else
        to->first = from->first;
    to->last = from->last;
    to->count += from->count;
}

void report_misfit(struct run *run, size_t weight)
{
    if (run->errors)
        run->errors->weight += weight;
}

bool report(struct run *run, const struct frame *frame, const char *keyword, const struct hv_json *value, bool got,
            const char *format, ...)
{
    if (!run->errors || run->stopped)
        return false;
    run->errors->weight++;
    if (run->errors->count >= run->errors->max || !run->error_budget)
        return false;
    run->error_budget--;
    struct hv_buf message = {.max = MESSAGE_MAX};
    va_list arguments;
    va_start(arguments, format);
    hv_buf_addv(&message, format, arguments);
    va_end(arguments);
    if (got) {
        hv_buf_add_cstr(&message, ", got ");
        excerpt_describe(&message, value);
    }
    struct schema_error *error = hv_arena_new(run->arena, struct schema_error);
    error->message = take_text(&message, run->arena);
    error->instance_path = path_text(run, value, false);
    error->field = path_text(run, value, true);
    error->schema_path = schema_path(run, frame, keyword);
    error->value = value;
    run_errors_append(run->errors, &(struct run_errors){.first = error, .last = error, .count = 1});
    return false;
}

struct hv_str schema_errors_text(const struct schema_errors *errors, const char *tool, struct hv_arena *arena)
{
    struct hv_buf buf = {.max = 1 << 20};
    bool full = errors->count >= SCHEMA_ERRORS_MAX;
    hv_buf_addf(&buf, "Invalid input for %s: %zu problem%s%s:", tool, errors->count, errors->count == 1 ? "" : "s",
                full ? " or more" : "");
    for (const struct schema_error *error = errors->first; error; error = error->next)
        hv_buf_addf(&buf, "\n- %.*s%s%.*s", HV_STR_ARG(error->field), error->field.len ? ": " : "",
                    HV_STR_ARG(error->message));
    return take_text(&buf, arena);
}
