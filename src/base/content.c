/* content.c: building results. See helve/content.h. */
#include <helve/content.h>

struct hv_content *hv_result_add(struct hv_result *result, struct hv_arena *arena, enum hv_content_type type)
{
    struct hv_content *block = hv_arena_new(arena, struct hv_content);
    block->type = type;
    if (result->last)
        result->last->next = block;
    else
        result->first = block;
    result->last = block;
    return block;
}

void hv_result_add_text(struct hv_result *result, struct hv_arena *arena, struct hv_str text)
{
    hv_result_add(result, arena, HV_CONTENT_TEXT)->text = text;
}

void hv_result_addf(struct hv_result *result, struct hv_arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    hv_result_add_text(result, arena, hv_arena_vformat(arena, format, arguments));
    va_end(arguments);
}

void hv_result_add_ownf(struct hv_result *result, struct hv_arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    hv_result_add_text(result, arena, hv_arena_vformat(arena, format, arguments));
    va_end(arguments);
    result->last->own = true;
}

void hv_result_error(struct hv_result *result, struct hv_arena *arena, const struct hv_error *err)
{
    bool apart = result->untrusted && err->hint[0];
    result->is_error = true;
    hv_result_addf(result, arena, "%s%s%s%s%s", err->place[0] ? err->place : "", err->place[0] ? ": " : "",
                   err->message, err->hint[0] && !apart ? ". " : "", apart ? "" : err->hint);
    if (apart)
        hv_result_add_ownf(result, arena, "%s", err->hint);
}

void hv_result_errorf(struct hv_result *result, struct hv_arena *arena, const char *format, ...)
{
    va_list arguments;
    result->is_error = true;
    va_start(arguments, format);
    hv_result_add_text(result, arena, hv_arena_vformat(arena, format, arguments));
    va_end(arguments);
}
