/*
 * inspect.h: what /proc says of other processes, for `helve ps` and for whoever watches over a command. Everything is a
 * snapshot: a process may be gone a moment later. Only processes that this user may look at tell more than their name.
 */
#ifndef PROC_INSPECT_H
#define PROC_INSPECT_H

#include <helve/str.h>

/* One process. Texts are in the arena given. */
struct process_info {
    int64_t pid, parent, group;
    uint32_t user;            /* whose it is; root's, too, where the process hides itself */
    char state;               /* as ps shows it: R, S, D, Z, T … */
    unsigned long long ticks; /* when it started, in clock ticks since boot: with pid it names the process for ever */
    uint64_t age_ms;
    struct hv_str name;    /* at most 15 bytes */
    struct hv_str command; /* its arguments, joined by blanks; the name in brackets when there are none */
};

/* False when there is no such process, or it has just ended. */
bool inspect_process(struct hv_arena *arena, int64_t pid, struct process_info *out);
/* All processes of the machine that can be seen, by pid, at most `most`; *count of them. In arena. */
struct process_info *inspect_all(struct hv_arena *arena, size_t most, size_t *count);

#endif
