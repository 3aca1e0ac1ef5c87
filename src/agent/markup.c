/* markup.c: see markup.h. */
#include "agent/markup.h"

static const struct {
    const char *sign, *what;
    bool first; /* only at the very beginning */
} signs[] = {
    {"<tool_call>", "a tool call (<tool_call>)", false},
    {"<function=", "a tool call (<function=…>)", false},
    {"<function_call>", "a tool call (<function_call>)", false},
    {"<|tool_call", "a tool call (<|tool_call…)", false},
    {"<|channel|>", "a tool call (<|channel|>)", false},
    {"<|python_tag|>", "a tool call (<|python_tag|>)", false},
    {"[TOOL_CALLS]", "a tool call ([TOOL_CALLS])", false},
    {"<think>", "thinking (<think>)", true},
};

const char *markup_find(struct hv_str text)
{
    struct hv_str rest = hv_str_trim(text), line;
    bool fenced = false;
    for (bool first = true; rest.len && hv_str_split(&rest, '\n', &line); first = false) {
        line = hv_str_trim(line);
        fenced ^= hv_str_starts(line, HV_STR("```"));
        for (size_t i = 0; !fenced && i < sizeof signs / sizeof *signs; i++) {
            if ((first || !signs[i].first) && hv_str_starts(line, hv_str_from(signs[i].sign)))
                return signs[i].what;
        }
    }
    return NULL;
}
