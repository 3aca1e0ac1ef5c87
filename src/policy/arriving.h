/*
 * arriving.h: names that come with a tree. `cp -r t/. .` writes .git/hooks, .mcp.json and .envrc as surely as a
 * redirection does, if t has them. Inner to src/policy.
 */
#ifndef POLICY_ARRIVING_H
#define POLICY_ARRIVING_H

#include "fs/trees.h"
#include "policy/judged.h"
#include "policy/path_class.h"

/*
 * What cp, mv, ln, install or rsync would bring to a place that is protected, absolute, in arena; absent: nothing, or
 * the act is none of these. *unseen: what comes could not be looked at, and arrives below the path that is given back.
 * before: the acts that run before this one, so many. Blocks: looks at the sources.
 */
struct hv_str act_brings_protected(struct fs_trees *trees, struct hv_arena *arena, const struct path_classes *classes,
                                   struct hv_str home, const struct shell_act *act, size_t before, bool *unseen);

#endif
