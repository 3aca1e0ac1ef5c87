/*
 * asked.h: what the judgement of a command asks the world (shell/class.h), answered once each: a long command asks few
 * things often. A value of one judgement, and as old as it: what changes meanwhile is not seen.
 */
#ifndef POLICY_ASKED_H
#define POLICY_ASKED_H

#include "base/map.h"
#include "fs/trees.h"
#include "proc/system_program.h"
#include "shell/class.h"

/* One thread at a time. Filled by who judges; the tables begin empty. */
struct asked {
    struct system_programs programs; /* first: it is the user of system_program_is; its user is a struct git_probe */
    struct hv_str home;              /* or absent */
    struct hv_arena *arena;          /* that the answers live in */
    struct map git, git_below, directories, trees, tops;
    struct fs_trees seen; /* the trees that were looked at */
    /* The last question for files that a directory may hold: lists of them are long, and each one has its place. */
    const char *last_names;
    struct hv_str last_directory;
    bool last_holds_none;
};
void asked_release(struct asked *asked);

/* The world that asked knows about, which must stay where it is. Without tamed, nothing is said about git. Its
 * questions block. */
struct shell_world asked_world(struct asked *asked, bool git_is_tamed);

#endif
