/* tool.c: the small helpers of tool.h that need nothing but memory. */
#include "base/path.h"

#include <helve/tool.h>
#include <string.h>

static void add_path(struct hv_path_list *list, struct hv_arena *arena, struct hv_str path)
{
    struct hv_str *paths = hv_arena_array(arena, struct hv_str, list->count + 1);
    if (list->count)
        memcpy(paths, list->paths, list->count * sizeof *paths);
    paths[list->count] = hv_arena_str(arena, path);
    *list = (struct hv_path_list){paths, list->count + 1};
}

void hv_footprint_read(struct hv_footprint *footprint, struct hv_arena *arena, struct hv_str path)
{
    footprint->limited = true;
    add_path(&footprint->reads, arena, path);
}

void hv_footprint_write(struct hv_footprint *footprint, struct hv_arena *arena, struct hv_str path)
{
    footprint->limited = true;
    add_path(&footprint->writes, arena, path);
}

struct hv_str hv_path_expand(const struct hv_context *context, struct hv_str path)
{
    return path_expand(context->arena, path, context->directory, context->home);
}

void *hv_state(struct hv_context *context, const struct hv_state_key *key)
{
    return context->services->state(context, key);
}

void hv_progress(struct hv_context *context, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    context->services->progress(context, hv_arena_vformat(context->arena, format, arguments));
    va_end(arguments);
}

bool hv_hides_path(struct hv_context *context, struct hv_str path)
{
    return context->services->hides_path && context->services->hides_path(context, path);
}

bool hv_hides_by_rule(struct hv_context *context)
{
    return context->services->hides_by_rule && context->services->hides_by_rule(context);
}

bool hv_hides_entry(struct hv_context *context, struct hv_str path, enum hv_file_kind kind)
{
    if (context->services->hides_entry)
        return context->services->hides_entry(context, path, kind);
    return hv_hides_path(context, path);
}

bool hv_tool_is_named(const struct hv_tool *tool, struct hv_str name)
{
    if (hv_str_is(name, tool->name))
        return true;
    for (const char *const *alias = tool->aliases; alias && *alias; alias++)
        if (hv_str_is(name, *alias))
            return true;
    return false;
}
