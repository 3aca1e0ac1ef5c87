/* guard_family.h: all that descends from the guard, whatever groups and sessions it has made. Uses nothing but libc. */
#ifndef PROC_GUARD_FAMILY_H
#define PROC_GUARD_FAMILY_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Ask to end (TERM, and CONT for who is stopped) a group, where there is one (0: none), and whatever descends from the
 * caller and is not in it. Who is born meanwhile is missed: what must end is killed until nothing is left. False where
 * the kernel does not tell whose children are whose: nobody was asked.
 */
bool family_ask_to_end(pid_t group);

/* The parent of a process, as /proc has it by this name; -1 when it is gone. */
pid_t family_parent(const char *name);

#endif
