/*
 * arriving.h: names that come with a tree. `cp -r t/. .` writes .git/hooks, .mcp.json and .envrc as surely as a
 * redirection does, if t has them, and cp writes through what stands there as a link. Inner to src/policy.
 */
#ifndef POLICY_ARRIVING_H
#define POLICY_ARRIVING_H

#include "fs/trees.h"
#include "policy/judged.h"
#include "policy/snapshot.h"
#include "sandbox/home_links.h"

/* What names that arrive are held against. */
struct arriving {
    struct fs_trees *trees;
    const struct hv_host *host;
    const struct policy *policy;
    const struct home_links *links; /* files that the home's names lead to are protected, too */
};

/*
 * What cp, mv, ln, install or rsync would bring to a place that is protected, absolute, in arena; absent: nothing, or
 * the act is none of these. *unseen: what comes could not be looked at, and arrives below the path that is given back.
 * before: the acts that run before this one, so many. Blocks: looks at the sources.
 */
struct hv_str act_brings_protected(const struct arriving *arriving, struct hv_arena *arena, const struct shell_act *act,
                                   size_t before, bool *unseen);

/*
 * The path in the home that leads to something below what the access writes (path: where that is), when the act
 * exchanges all that is there (`mv zsh old`), or a pattern may take it (`sed -i … zsh/z*`). Absent: none.
 */
struct hv_str act_replaces_linked(const struct home_links *links, const struct shell_act *act,
                                  const struct shell_access *access, const struct policy_path *path);

#endif
