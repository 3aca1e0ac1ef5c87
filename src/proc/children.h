/*
 * children.h: which children this process has started itself. Whatever else it finds among its children was left to it
 * by a command (see orphans_end in process.h). Every fork and spawn of the program stands between the first two calls;
 * a child that is not told of here may be ended as left behind. All functions: any thread.
 */
#ifndef PROC_CHILDREN_H
#define PROC_CHILDREN_H

#include <stdbool.h>
#include <sys/types.h>

/* Before a child is made, and after it: then pid is known as ours (0 or below: none was made). Many threads may be
 * between the two at once; children_hold waits for all of them. */
void children_begin_start(void);
void children_end_start(pid_t pid);

/* After it has been waited for. */
void children_forget(pid_t pid);

/* Between the two no child is being made, so that each child which children_started denies is none of ours. Holding
 * does not nest, and whoever holds makes no child. */
void children_hold(void);
bool children_started(pid_t pid);
void children_release(void);

#endif
