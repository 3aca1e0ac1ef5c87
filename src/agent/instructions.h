/*
 * instructions.h: what people wrote down for agents: AGENTS.md and CLAUDE.md, from the repository's top folder down to
 * the working directory, and the person's own in the configuration directory.
 */
#ifndef AGENT_INSTRUCTIONS_H
#define AGENT_INSTRUCTIONS_H

#include "agent/context.h"
#include "policy/policy.h"

enum { INSTRUCTIONS_FILE_MAX = 64 << 10, INSTRUCTIONS_TOTAL_MAX = 256 << 10, INSTRUCTIONS_IMPORT_DEPTH = 4 };

/* The nearest directory at or above `directory` that holds .git; absent when there is none. In arena. */
struct hv_str instructions_repository(const struct hv_host *host, struct hv_arena *arena, struct hv_str directory);

/*
 * Append all instruction files, the most general first, each under its path. A file is taken once, however many names
 * lead to it (same inode, or same text). A line that is nothing but "@path" is replaced by that file (up to four deep,
 * not inside code fences). Links resolved, a project's files must lie inside the project, the person's own inside the
 * home directory, and what "@path" or a link names must be nothing that policy keeps back: so a cloned project cannot
 * pull a private file into the prompt. HTML comments are left out. What is over the limits is cut, and the text says
 * so. parts counts each file with what it imports. settings, policy and parts may be NULL. Reads files.
 */
void instructions_put(const struct hv_host *host, const struct settings *settings, const struct policy *policy,
                      struct hv_str directory, struct hv_str home, struct hv_buf *out, struct context_parts *parts);

#endif
