/*
 * groups.h: control groups that bound what a command and all it starts may take: processes and memory. Where the system
 * lets us make none (most often when not root, outside of a delegated unit), there are none, and resource limits must
 * do.
 *
 * A group is used by one command at a time and again by the next: making one takes longer than running `true`.
 */
#ifndef SANDBOX_GROUPS_H
#define SANDBOX_GROUPS_H

#include <helve/str.h>

#include "base/vec.h"
#include "proc/sweeper.h"

enum { GROUP_DIRECTORIES_MAX = 2 };

struct group {
    char *directories[GROUP_DIRECTORIES_MAX]; /* of cgroup v1 one for each controller; NULL ends */
    /* The file that a process writes "0" to, to get in. Of version 1 that for single threads: for the other one the
     * kernel stops all forks of the machine, which takes it some 5 ms. */
    const char *door;
    bool in_use;
};

struct groups {
    const char *own, *root;             /* instead of /proc/self/cgroup and /sys/fs/cgroup; NULL: these */
    char *bases[GROUP_DIRECTORIES_MAX]; /* where groups are made; all NULL: nowhere */
    bool looked;
    unsigned made;
    VEC(struct group *) list;
};

struct group_limits {
    uint64_t memory, processes;
};

/* A free group with these limits, or NULL. The caller holds the lock of groups. Blocks on small files. */
struct group *groups_take(struct groups *groups, const struct group_limits *limits);
/* Its command has ended: with version 2 what still lives in it is killed; then it may be used again. NULL is fine. */
void groups_give_back(struct group *group);
/* Remove all. Groups in which something still lives stay, and are removed by a later session. */
void groups_release(struct groups *groups);
/* True when groups can be made. */
bool groups_available(struct groups *groups);
/* Have the sweeper end all of this process, when helve is killed. */
void groups_tell(const struct groups *groups, const struct sweeper *sweeper);

#endif
