/* markup.h: tool calls and thinking that a model's server left in the text. Pure. */
#ifndef AGENT_MARKUP_H
#define AGENT_MARKUP_H

#include <helve/str.h>

/* What a text holds of a model's own markup, for people ("a tool call (<tool_call>)"), or NULL. A call is meant only
 * where one of `tools`, the names of the offered tools, follows closely, and neither in a fence nor behind a backtick,
 * so that an answer that speaks of markup is not. */
const char *markup_find(struct hv_str text, const struct hv_str *tools, size_t count);

#endif
