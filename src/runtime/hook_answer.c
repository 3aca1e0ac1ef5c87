/* hook_answer.c: see hook_answer.h. */
#include "runtime/hook_answer.h"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* Limits: no honest output has more braces that begin nothing. What is beyond them counts as unreadable. */
enum { TRIES_MAX = 256, SCANNED_MAX = 8 << 20 };

static bool is_answer(const struct hv_json *object)
{
    static const char *const members[] = {"hookSpecificOutput", "decision", "continue", "systemMessage",
                                          "permissionDecision"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (hv_json_get(object, members[i]))
            return true;
    return false;
}

/* Behind the brace that closes the one at `start`, or SIZE_MAX. */
static size_t find_object_end(struct hv_str text, size_t start)
{
    size_t depth = 0;
    bool quoted = false;
    for (size_t i = start; i < text.len; i++) {
        char c = text.ptr[i];
        if (quoted && c == '\\')
            i++;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && c == '{')
            depth++;
        else if (!quoted && c == '}' && --depth == 0)
            return i + 1;
    }
    return SIZE_MAX;
}

static bool mentions_decision(struct hv_str text)
{
    static const char *const words[] = {"permissionDecision", "\"decision\"", "hookSpecificOutput"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (hv_str_find(text, hv_str_from(words[i]), 0) != SIZE_MAX)
            return true;
    return false;
}

/* The answer that begins at this brace, added; returns where to go on. */
static size_t take_answer(struct hv_arena *arena, struct hv_str text, size_t brace, size_t *scanned,
                          struct hook_answers *out)
{
    const struct hv_json *object;
    size_t end = find_object_end(text, brace);
    *scanned += (end == SIZE_MAX ? text.len : end) - brace;
    if (end == SIZE_MAX)
        return brace + 1;
    struct hv_str json = hv_str_slice(text, brace, end);
    if (hv_json_parse(arena, json, HV_JSON_REPAIR_UTF8, &object, NULL) != HV_OK)
        return brace + 1;
    if (!is_answer(object))
        return end;
    if (out->count == HOOK_ANSWERS_MAX) {
        out->unreadable = true;
        return end;
    }
    out->items[out->count].json = json;
    out->items[out->count++].object = object;
    return end;
}

void hook_find_answers(struct hv_arena *arena, struct hv_str output, struct hook_answers *out)
{
    *out = (struct hook_answers){0};
    if (hv_str_starts(output, HV_STR(BYTE_ORDER_MARK)))
        output = hv_str_slice(output, strlen(BYTE_ORDER_MARK), output.len);
    output = hv_str_trim(output);
    const struct hv_json *whole;
    if (output.len && output.ptr[0] == '{' &&
        hv_json_parse(arena, output, HV_JSON_REPAIR_UTF8, &whole, NULL) == HV_OK) {
        out->alone = true;
        out->items[0].json = output;
        out->items[out->count++].object = whole;
        return;
    }
    size_t at = 0, tries = 0, scanned = 0, brace, rest = 0;
    while ((brace = hv_str_find_byte(output, '{', at)) != SIZE_MAX) {
        if (++tries > TRIES_MAX || scanned > SCANNED_MAX)
            break;
        size_t before = out->count;
        at = take_answer(arena, output, brace, &scanned, out);
        if (out->count > before)
            rest = at;
    }
    bool is_broken = out->count == 0 && output.len && output.ptr[0] == '{';
    out->unreadable = out->unreadable || is_broken || mentions_decision(hv_str_slice(output, rest, output.len)) ||
                      (out->count == 0 && mentions_decision(output));
}
