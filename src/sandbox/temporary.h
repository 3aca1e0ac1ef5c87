/*
 * temporary.h: what a sandbox puts on the disk, and takes away again: the session's own folder for temporary files, and
 * the placeholders of protected paths that do not exist yet. Each is locked while somebody uses it, so that whatever a
 * killed helve left is known as such and removed by the next.
 */
#ifndef SANDBOX_TEMPORARY_H
#define SANDBOX_TEMPORARY_H

#include <helve/str.h>

#include "base/vec.h"
#include "proc/sweeper.h"

struct temporary {
    char *folder; /* private: locked, 0700; NULL: none was made */
    char *files;  /* in it: TMPDIR of commands */
    char *locked; /* in it: a file without rights */
    int lock;
};

/* Make the folder below TMPDIR or /tmp, after removing those of dead sessions. The sweeper is told before it is there.
 * Errors: as mkdir. *temporary is zeroed before the first use. Blocks. */
enum hv_code temporary_make(struct temporary *temporary, const struct sweeper *sweeper,
                            struct hv_error *err) HV_MUST_CHECK;
/* Remove it with all in it. Blocks. Zeroed is accepted. */
void temporary_remove(struct temporary *temporary);

struct placeholder {
    char *path;
    int lock;
};

struct placeholders {
    VEC(struct placeholder) list;
};

/* One is held at path by this session. */
bool placeholders_held(const struct placeholders *placeholders, struct hv_str path);
/* Hold a placeholder at path: make it, or take over one that is there. False when that has been done already, or path
 * is something else by now, or cannot be made. */
bool placeholders_hold(struct placeholders *placeholders, struct hv_str path);
/* The name under which placeholders_hold makes the folder that it then moves to path: there it is never without its
 * time, by which it is known when helve is killed. */
const char *placeholder_maker_name(struct hv_arena *arena, struct hv_str path);
/* The folder of that name (NUL-terminated) in directory is one that some helve is about to move to its place, or has
 * just moved: it is called so, and holds nothing. */
bool placeholder_is_being_made(int directory, struct hv_str name);
/* Give all back: those that no other session holds, too, are removed, unless something was put into them. */
void placeholders_release(struct placeholders *placeholders);

#endif
