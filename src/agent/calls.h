/*
 * calls.h: finding tool calls in what other programs write: JSON blocks in the Anthropic and the OpenAI shapes, one a
 * line, in arrays or inside whole messages, or a model's raw event stream. Pure; fed in pieces of any size.
 */
#ifndef AGENT_CALLS_H
#define AGENT_CALLS_H

#include "model/model.h"

enum calls_kind {
    CALLS_AUTO = 0, /* found out from the first bytes */
    CALLS_JSON,     /* JSON values, one a line or spread over lines */
    CALLS_STREAM,   /* server-sent events, any of the three protocols */
    CALLS_ANTHROPIC,
    CALLS_OPENAI_CHAT,
    CALLS_OPENAI_RESPONSES,
};

/* How the answer to a call is to be written. */
enum calls_shape {
    CALLS_SHAPE_ANTHROPIC = 0, /* {"type":"tool_result","tool_use_id":…} */
    CALLS_SHAPE_CHAT,          /* {"role":"tool","tool_call_id":…} */
    CALLS_SHAPE_RESPONSES,     /* {"type":"function_call_output","call_id":…} */
};

struct calls_handlers {
    void (*on_call)(void *user, struct hv_str id, struct hv_str name, struct hv_str input, enum calls_shape shape);
    /* A new message begins: ids may come again. */
    void (*on_message)(void *user);
    /* Something that cannot be used; reading goes on after it. line: from 1, or 0 in streams. */
    void (*on_fault)(void *user, uint64_t line, const struct hv_error *err);
    void *user;
};

struct calls_reader;

enum { CALLS_VALUE_MAX = 64 << 20 };

struct calls_reader *calls_reader_new(enum calls_kind kind, const struct calls_handlers *handlers);
void calls_reader_free(struct calls_reader *reader);
void calls_reader_feed(struct calls_reader *reader, struct hv_str bytes);
/* The input has ended. */
void calls_reader_finish(struct calls_reader *reader);

#endif
