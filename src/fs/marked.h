/*
 * marked.h: which paths below some roots a pure judge marks, kept up to date. The first question walks all of them;
 * after that the kernel tells what came and went (inotify), and only that is looked at: a question costs microseconds
 * when nothing changed, whatever the trees hold. Where the kernel can watch no more, each question walks again.
 * No link is followed.
 */
#ifndef FS_MARKED_H
#define FS_MARKED_H

#include <helve/host.h>

/* What a judge says of a path, as bits. */
enum {
    MARK_HIDDEN = 1,    /* nobody looks further below it */
    MARK_KEPT = 2,      /* not to be changed */
    MARK_PINNED = 4,    /* it is marked for where it stands, not for its name */
    MARK_UNTRACKED = 8, /* hidden if git does not track it; of files. What was hidden once stays so */
    MARK_INSIDE = 16,   /* of a directory: the same of all files below it */
    MARK_PLAIN = 32,    /* of a directory: … and of none */
    MARK_STOP = 64,     /* of a directory: nobody looks into it */
};

struct marked_judge {
    /* The marks of path, a view whose last component begins at `name`; *by (text that lives as long as user) may say
     * why. Of any thread, one at a time. */
    unsigned (*marks_of)(void *user, struct hv_str path, size_t name, enum hv_file_kind kind, struct hv_str *by);
    void (*release)(void *user);
    void *user;
};

struct marked_root {
    struct hv_str path; /* absolute, without links */
    bool shallow;       /* only what lies directly in it, directories left out */
    size_t entries_max; /* no more are looked at; 0: some millions */
};

struct marked;

/* Without roots. once: only the first question looks. Does no I/O. */
struct marked *marked_new(bool once);
void marked_free(struct marked *marked); /* NULL is fine */

/* Let another judge judge, which is marked's now, below these roots, which are copied: the next question walks again.
 */
void marked_set(struct marked *marked, const struct marked_judge *judge, const struct marked_root *roots, size_t count);

/* One marked path: hidden, or kept, or both; MARK_PINNED may be added. */
typedef void marked_visit(void *user, struct hv_str path, unsigned marks, struct hv_str by);
/* Bring the list up to date, and show it, in no order. False: there were more entries than may be looked at, so that
 * some may be missing. *changes: a number that differs once anything of the list has come, gone or been moved, also
 * where it came back; 0: nobody is told of that. Blocks: the first time on a walk through all roots. Any thread. */
bool marked_each(struct marked *marked, marked_visit *visit, void *user, uint64_t *changes);

#endif
