/*
 * structured.h: the tool through which a model gives an answer that must fit a JSON Schema (`--json-schema`). Its input
 * is the answer: the runtime validates it like any other input, so what comes out fits. Calling it ends the turn.
 */
#ifndef AGENT_STRUCTURED_H
#define AGENT_STRUCTURED_H

#include <helve/tool.h>

struct structured_tool {
    struct hv_tool tool;
    const struct hv_tool *pointer; /* to tool: what session_options.extra_tools takes */
};

/*
 * Make the tool for this schema (JSON text of an object schema; it stays in arena, which must outlive the tool).
 * HV_EINVAL when the text is no JSON object, not a usable schema, or not one of an object.
 */
enum hv_code structured_tool_init(struct structured_tool *tool, struct hv_arena *arena, struct hv_str schema,
                                  struct hv_error *err) HV_MUST_CHECK;

/* What a model is told that ended its turn without calling the tool. */
struct hv_str structured_reminder(void);

#endif
