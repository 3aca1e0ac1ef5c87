/*
 * scan_marks.h: what searches of one session found out about the contents of files, so that a later one need not open
 * them: a mark says of a file that it was ruled out for some pattern (text/find_lack.h). Marks lie beside the names of
 * files in what a session remembers of their directory (scan_warm.h), and go with it.
 *
 * A mark counts only while the file has not changed since before the search that first used it began, by the time of
 * change of its inode, which nobody can set. A program that has a file mapped into memory may change it for a while
 * without another time, until the kernel writes the page to the disk; so only files count that had been left alone for
 * twice as long as that takes. They must lie in a file system that does it so, and when somebody sets the clock, all
 * marks go.
 */
#ifndef FS_SCAN_MARKS_H
#define FS_SCAN_MARKS_H

#include "text/find_lack.h"

#include <pthread.h>
#include <stdatomic.h>

struct fs_warm;
struct fs_scan_entry;

enum { FS_MARKS = 32 };

/* The marks of a session: a part of struct fs_warm. */
struct fs_marks {
    pthread_mutex_t lock;
    struct fs_mark {
        struct find_lack *lack; /* what files with this mark lack; NULL: it is free */
        int64_t since_ns;       /* wall clock: no file got it before */
        uint64_t used;          /* by which search the last time */
        unsigned users;         /* searches under way that use it */
    } marks[FS_MARKS];
    uint64_t searches;
    int clock;        /* tells when somebody has set the wall clock; -1: none yet */
    int64_t fresh_ns; /* so long a mark is given to more files: those that have changed since cannot use it */
    int64_t late_ns;  /* a file may change so long after its time did; 0: to be found out; negative: nobody knows */
};

void marks_init(struct fs_marks *marks);
void marks_release(struct fs_marks *marks);

/* One search. Between begin and end any number of threads may use it. */
struct fs_marks_use {
    struct fs_marks *marks;       /* NULL: it knows nothing and leaves nothing */
    uint32_t known, own;          /* the marks that rule a file out, and the one that it sets; a bit each */
    int64_t settled_ns[FS_MARKS]; /* a file that last changed before is as it was when it got the mark */
};

/* Begin to search for a pattern. End it with fs_marks_end. */
void fs_marks_begin(struct fs_warm *warm, const struct find *find, struct fs_marks_use *use);
void fs_marks_end(struct fs_marks_use *use);

/* Is the file still known to hold no match? One system call when there is something to ask, else none. */
bool fs_marks_rule_out(const struct fs_marks_use *use, const struct fs_scan_entry *entry);
/* All of the file was read during this search, and find_rules_out(). */
void fs_marks_ruled_out(const struct fs_marks_use *use, const struct fs_scan_entry *entry);

#endif
