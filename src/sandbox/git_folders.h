/*
 * git_folders.h: the repositories inside a workspace: nested ones, submodules and worktrees. What git runs or obeys in
 * them is protected as it is in the workspace's own.
 */
#ifndef SANDBOX_GIT_FOLDERS_H
#define SANDBOX_GIT_FOLDERS_H

#include <helve/host.h>

/* What the configuration of a repository names: a folder of hooks, or a file that it includes. */
struct git_obeyed {
    struct hv_str path;
    bool folder;
};

struct git_folders {
    struct hv_arena arena;
    struct git_obeyed *obeyed;
    size_t obeyed_count;
    struct hv_str *paths; /* folders that git keeps a repository in, and files `.git` that say where one is */
    size_t count;
    struct hv_str *shared; /* folders outside that a root, a linked worktree, has in common with its main one */
    size_t shared_count;
    bool looked;
    bool cut; /* there may be more: not all folders were looked into */
};

/* Look for them below the roots, the roots' own `.git` left out, but what is in it; and for what the configurations of
 * all of them name (core.hooksPath, include.path), the home's (~/…) left out. Bounded in depth, folders and time:
 * what lies deeper than six steps, or behind some thousands of other folders, is not found; the latter sets cut.
 * Blocks for a second at most. *found is zeroed. */
void git_folders_find(struct git_folders *found, const struct hv_host *host, const struct hv_str *roots, size_t count);
void git_folders_release(struct git_folders *found);

#endif
