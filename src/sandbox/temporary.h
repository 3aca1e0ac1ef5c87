/*
 * temporary.h: what a sandbox puts on the disk, and takes away again: the session's own folder for temporary files. It
 * is locked while somebody uses it, so that whatever a killed helve left is known as such and removed by the next.
 */
#ifndef SANDBOX_TEMPORARY_H
#define SANDBOX_TEMPORARY_H

#include <helve/str.h>

#include "proc/sweeper.h"

struct temporary {
    char *folder; /* private: locked, 0700; NULL: none was made */
    char *files;  /* in it: what commands have as TMPDIR */
    char *copies; /* in it: what git_views.h shows */
    char *locked; /* in it: a file without rights */
    int lock;
};

/* Make the folder below TMPDIR or /tmp, after removing those of dead sessions. The sweeper is told before it is there.
 * Errors: as mkdir. *temporary is zeroed before the first use. Blocks. */
enum hv_code temporary_make(struct temporary *temporary, const struct sweeper *sweeper,
                            struct hv_error *err) HV_MUST_CHECK;
/* Remove it with all in it. Blocks. Zeroed is accepted. */
void temporary_remove(struct temporary *temporary);

#endif
