/*
 * settled.h: what the world says holds until something changes it. A part of the command that brings files along (cp
 * -r, mv, tar, git clone) may bring names like options, links and repositories with programs of their own, and what
 * comes after it in the same command would meet them unseen. Inner to src/shell; pure.
 */
#ifndef SHELL_SETTLED_H
#define SHELL_SETTLED_H

#include "shell/classify.h"

enum { SHELL_TOLD_MAX = 32 };

/* A world that notes whether it was asked for what a part of the command may change. */
struct shell_watched {
    struct shell_world world; /* to judge with */
    const struct shell_world *inner;
    const struct shell_acts *acts; /* those of the first judgement, whose changes are heeded; NULL: of none */
    bool brings;                   /* they may bring files along */
    bool asked;
    /* Lists of names that were asked for, and whether the acts write one of them. */
    struct {
        const char *names;
        bool written;
    } told[SHELL_TOLD_MAX];
    size_t told_count;
};

/* watched must stay where it is. */
void shell_watch(struct shell_watched *watched, const struct shell_world *inner);
/* Answer for a world in which acts happen, too. False: these change nothing of it, and nothing has to be asked again.
 */
bool shell_heed(struct shell_watched *watched, const struct shell_acts *acts);

/* Some of the acts may bring names, links or repositories that nobody has seen. */
bool shell_acts_bring_names(const struct shell_act *acts, size_t count);

#endif
