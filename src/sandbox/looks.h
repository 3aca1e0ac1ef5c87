/*
 * looks.h: the files of the machine as one plan sees them. Most names that a plan asks for are not there, and many lie
 * in the same folders: each path is looked at once, nothing is looked for in what is not there, and in a folder that
 * was listed only what may be there. The answers hold for the moment in which one plan is made, and for no other.
 */
#ifndef SANDBOX_LOOKS_H
#define SANDBOX_LOOKS_H

#include <helve/host.h>

#include "base/map.h"

struct looks {
    struct hv_host host; /* only stat, resolve and list, as those of machine */
    const struct hv_host *machine;
    struct hv_arena arena;
    struct map seen; /* struct look by path */
};

/* Not to be moved then, nor used by two threads. Release it with looks_release. */
void looks_init(struct looks *looks, const struct hv_host *machine);
void looks_release(struct looks *looks);

#endif
