/*
 * prompt.h: the system prompt: who helve is, how it works, the guides of its tools, where it is, and what the project's
 * own instruction files say. Built once per session, so that the model's cache holds it.
 */
#ifndef AGENT_PROMPT_H
#define AGENT_PROMPT_H

#include "agent/instructions.h"
#include "runtime/runtime.h"

struct prompt_options {
    const struct hv_host *host;
    struct runtime *runtime;         /* its pool's guides and deferred names; may be NULL */
    const struct settings *settings; /* may be NULL */
    struct hv_str directory, home, model;
    struct hv_str replacement;   /* --system-prompt: instead of everything else; absent: the built-in prompt */
    struct hv_str addition;      /* --append-system-prompt: at the end */
    struct context_parts *parts; /* counts what is appended; may be NULL */
};

/* Append the prompt to out. Reads a few small files; what cannot be read is left out. */
void prompt_build(const struct prompt_options *options, struct hv_buf *out);

#endif
