/* markup.h: tool calls and thinking that a model's server left in the text. Pure. */
#ifndef AGENT_MARKUP_H
#define AGENT_MARKUP_H

#include <helve/str.h>

/* What a text holds of a model's own markup, for people ("a tool call (<tool_call>)"), or NULL. Looked for at the
 * beginnings of lines only, so that an answer that speaks of it is not meant. */
const char *markup_find(struct hv_str text);

#endif
