/* exec_note.c: see exec_note.h. */
#include "agent/exec_note.h"

#include <helve/json.h>

/* The block with one more in its content; a plain text there becomes a block of its own. Absent: it is no result. */
static struct hv_str join_block(struct hv_arena *arena, struct hv_str block, struct hv_str note)
{
    const struct hv_json *whole;
    if (hv_json_parse(arena, block, HV_JSON_STRICT, &whole, NULL) != HV_OK)
        return (struct hv_str){0};
    const struct hv_json *content = hv_json_get(whole, "content");
    bool list = hv_json_type_of(content) == HV_JSON_ARRAY;
    if (!list && hv_json_type_of(content) != HV_JSON_STRING)
        return (struct hv_str){0};
    struct hv_str before = hv_str_slice(block, 0, content->start), after = hv_str_slice(block, content->end, block.len);
    struct hv_str inside = list ? hv_str_slice(block, content->start + 1, content->end - 1)
                                : hv_arena_format(arena, "{\"type\":\"text\",\"text\":%.*s}",
                                                  HV_STR_ARG(hv_str_slice(block, content->start, content->end)));
    return hv_arena_format(arena, "%.*s[%.*s%s%.*s]%.*s", HV_STR_ARG(before), HV_STR_ARG(inside),
                           hv_str_trim(inside).len ? "," : "", HV_STR_ARG(note), HV_STR_ARG(after));
}

void exec_note_join(struct hv_arena *arena, struct hv_str note, struct batch_result *result)
{
    const struct hv_json *parsed;
    struct hv_str block = join_block(arena, result->block, note);
    if (!block.len || hv_json_parse(arena, note, HV_JSON_STRICT, &parsed, NULL) != HV_OK)
        return;
    struct hv_str text = hv_json_get_string(parsed, "text");
    result->block = block;
    result->text = hv_arena_format(arena, "%.*s%s%.*s", HV_STR_ARG(result->text), result->text.len ? "\n\n" : "",
                                   HV_STR_ARG(text));
}
