/* markup.c: see markup.h. */
#include "agent/markup.h"

enum { NAME_WITHIN = 200 }; /* bytes behind a sign */

static const struct {
    const char *sign, *what;
} signs[] = {
    {"<tool_call>", "a tool call (<tool_call>)"},         {"<function=", "a tool call (<function=…>)"},
    {"<function_call>", "a tool call (<function_call>)"}, {"<|tool_call", "a tool call (<|tool_call…)"},
    {"<|channel|>", "a tool call (<|channel|>)"},         {"<|python_tag|>", "a tool call (<|python_tag|>)"},
    {"[TOOL_CALLS]", "a tool call ([TOOL_CALLS])"},
};

static bool is_name_byte(struct hv_str text, size_t at)
{
    char byte = at < text.len ? text.ptr[at] : ' ';
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           byte == '_' || byte == '-';
}

/* As a word of its own. */
static bool has_name(struct hv_str text, struct hv_str name)
{
    for (size_t at = hv_str_find(text, name, 0); name.len && at != SIZE_MAX; at = hv_str_find(text, name, at + 1)) {
        if ((at == 0 || !is_name_byte(text, at - 1)) && !is_name_byte(text, at + name.len))
            return true;
    }
    return false;
}

static bool names_tool(struct hv_str behind, const struct hv_str *tools, size_t count)
{
    behind = hv_str_slice(behind, 0, NAME_WITHIN);
    for (size_t i = 0; i < count; i++) {
        if (has_name(behind, tools[i]))
            return true;
    }
    return false;
}

/* A call in this line, which may go on in `after`. */
static const char *find_call(struct hv_str line, struct hv_str after, const struct hv_str *tools, size_t count)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        struct hv_str sign = hv_str_from(signs[i].sign);
        size_t at = hv_str_find(line, sign, 0);
        if (at == SIZE_MAX || (at > 0 && line.ptr[at - 1] == '`'))
            continue;
        const char *end = after.len ? after.ptr + after.len : line.ptr + line.len, *begin = line.ptr + at + sign.len;
        if (names_tool(hv_str_of(begin, (size_t)(end - begin)), tools, count))
            return signs[i].what;
    }
    return NULL;
}

const char *markup_find(struct hv_str text, const struct hv_str *tools, size_t count)
{
    struct hv_str rest = hv_str_trim(text), line;
    bool fenced = false;
    if (hv_str_starts(rest, HV_STR("<think>")))
        return "thinking (<think>)";
    while (rest.len && hv_str_split(&rest, '\n', &line)) {
        fenced ^= hv_str_starts(hv_str_trim(line), HV_STR("```"));
        const char *found = fenced ? NULL : find_call(line, rest, tools, count);
        if (found)
            return found;
    }
    return NULL;
}
