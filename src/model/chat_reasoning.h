/*
 * chat_reasoning.h: the shapes in which servers of Chat Completions give their reasoning. Inner to src/model.
 *
 * Reasoning belongs to the server that made it: some want it back with the calls it led to, in the very shape in which
 * it came. The block that gathers it keeps that shape: name is the member that held it; pieced, that it came as parts
 * of the content (Mistral); citations and start, the pieces of "reasoning_details" (OpenRouter) and "thinking_blocks"
 * (LiteLLM).
 */
#ifndef MODEL_CHAT_REASONING_H
#define MODEL_CHAT_REASONING_H

#include "model/decoder.h"

/* What a delta held: the string that is new, if any, and how many members and pieces of lists there were. */
struct chat_reasoning {
    const struct hv_json *text;
    unsigned members;
};

/*
 * Take what a delta holds of reasoning but the text, which is returned (vLLM from 0.11 on says "reasoning", the others
 * "reasoning_content"; some send both with the same text). data: the event that delta was parsed from.
 */
struct hv_str chat_reasoning_take(struct model_decoder *decoder, struct decode_block *block,
                                  const struct hv_json *delta, struct hv_str data, struct chat_reasoning *out);

/* Add the line that holds what was gathered, for the history; nothing when there is none. Where a server gives its
 * reasoning in a member, a message with calls has a line even where that is empty: such servers want it back. */
void chat_reasoning_put(struct model_decoder *decoder, struct decode_block *block, struct hv_buf *lines);

#endif
