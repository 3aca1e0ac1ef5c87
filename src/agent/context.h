/*
 * context.h: what a session's next request holds, part by part, for people: how many bytes each part has. Tokens are
 * the model's own to count; context_tokens is a guess.
 */
#ifndef AGENT_CONTEXT_H
#define AGENT_CONTEXT_H

#include "base/vec.h"

struct session;

struct context_part {
    const char *what;   /* "system prompt", "results of" …: a literal */
    struct hv_str name; /* of the file or tool; may be absent */
    size_t bytes;
};

struct context_parts {
    struct hv_arena *arena; /* of the names */
    VEC(struct context_part) list;
};

/* Count bytes for a part; those of one name are one part. Nothing happens when parts is NULL or bytes is 0. */
void context_add(struct context_parts *parts, const char *what, struct hv_str name, size_t bytes);
void context_release(struct context_parts *parts);
int64_t context_tokens(size_t bytes);

/* Everything the next request holds, in its order. Messages are read from the journal; without one they are a single
 * part. parts->arena is set. Loop thread; reads the journal. */
void session_context(struct session *session, struct context_parts *parts);

#endif
