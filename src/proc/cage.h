/*
 * cage.h: a control group (cgroup v2) for the processes of one command, where this process may make one below its own:
 * as root, and in units that systemd delegates. What is born in it cannot leave it without rights on the hierarchy, so
 * it ends all of a command at one blow (cgroup.kill), also when the guard is gone. It bounds nothing; limits are the
 * sandbox's (sandbox/groups.h).
 */
#ifndef PROC_CAGE_H
#define PROC_CAGE_H

#include <helve/str.h>
#include <stdbool.h>

struct cage {
    const char *path; /* NULL: there is none */
    int fd;           /* of its folder */
};

/* Make one: *cage is without any where that cannot be, which is no fault. The path is in arena. Blocks on small files.
 */
void cage_make(struct cage *cage, struct hv_arena *arena);
/* How the paths of this process's cages begin, in arena; NULL: it can make none. Makes none, so that whoever is to
 * clean up can be told before there is anything. Removes those of dead processes. */
const char *cage_prefix(struct hv_arena *arena);
/* Kill all in it. Harmless without one. */
void cage_kill(const struct cage *cage);
/* Remove it, empty as it should be; what still lives in it is killed. */
void cage_remove(struct cage *cage);

#endif
