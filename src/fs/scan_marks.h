/*
 * scan_marks.h: what searches of one session found out about the contents of files, so that a later one need not open
 * them: a mark says of a file that it was ruled out for some pattern (text/find_lack.h), and of small files the text
 * itself is kept, as far as there is room; of all others sketches are made when nobody searches (scan_sketch.h). All
 * lie beside the names of files in what a session remembers of their directory (scan_warm.h), and go with it.
 *
 * They count only while the file has not changed since before the search began that first left them, by the time of
 * change of its inode, which nobody can set. A program that has a file mapped into memory may change it for a while
 * without another time, until the kernel writes the page to the disk; so only files count that had been left alone for
 * twice as long as that takes. They must lie in a file system that does it so, and when somebody sets the clock, all
 * is forgotten. So are marks and texts when something is mounted or taken away: a search opens files by their names,
 * and what it read may have been another file that was mounted over the directory's own. (Sketches are made of no such
 * file.)
 */
#ifndef FS_SCAN_MARKS_H
#define FS_SCAN_MARKS_H

#include "fs/scan.h"
#include "fs/scan_sketch.h"
#include "fs/text_room.h"
#include "text/find_lack.h"

#include <pthread.h>
#include <stdatomic.h>

enum { FS_MARKS = 32, FS_TEXT_MAX = 64 << 10, FS_TEXT_SMALL = 2 << 10 };

/* What a file held, all of it. Immutable but for what says so. */
struct fs_text {
    struct fs_text *next;      /* of those that are not needed any more */
    int64_t since_ns;          /* wall clock: it was read after that */
    atomic_uint_fast64_t used; /* by which search the last time */
    struct text_block *block;  /* that it lies in */
    unsigned epoch;            /* how often the clock had been set, */
    unsigned mountings;        /* and something been mounted */
    uint32_t len;
    bool is_plain; /* ASCII without NUL */
    bool is_small; /* lies in the room for small ones */
    char bytes[];
};

/* What is remembered of one file. */
struct fs_memory {
    atomic_uint marks;                  /* a bit each */
    atomic_bool is_wanted;              /* a sketch is */
    _Atomic(struct fs_text *) text;     /* NULL: none is kept */
    _Atomic(struct fs_sketch *) sketch; /* NULL: none is made */
};

/* What the memories of all files share: a part of struct fs_warm. The lock guards what is not atomic. */
struct fs_marks {
    pthread_mutex_t lock;
    struct fs_mark {
        struct find_lack *lack; /* what files with this mark lack; NULL: it is free */
        int64_t since_ns;       /* wall clock: no file got it before */
        uint64_t used;          /* by which search the last time */
        unsigned users;         /* searches under way that use it */
    } marks[FS_MARKS];
    uint64_t searches;  /* that have begun */
    unsigned under_way; /* of these */
    int clock;          /* tells when somebody has set the wall clock; -1: none yet */
    unsigned epoch;     /* how often that was */
    int mounts;         /* tells when something was mounted or taken away; -1: none yet */
    unsigned mountings; /* how often that was seen */
    int64_t fresh_ns;   /* so long a mark is given to more files: those that have changed since cannot use it */
    int64_t late_ns;    /* a file may change so long after its time did; 0: to be found out; negative: nobody knows */
    size_t texts_max;   /* bytes of texts at most; a quarter of it in the first search, which may be the only one */
    struct text_room room;     /* where they lie */
    struct text_room small;    /* small ones have more of their own: a few bytes of each save opening many files */
    atomic_size_t texts;       /* bytes of all of them now */
    atomic_size_t small_texts; /* of those in the room for small ones */
    atomic_size_t text_count;  /* how many there are */
    bool some_unused;          /* the last search had no use for some */
    atomic_bool is_full;       /* there was no room for some text since others were last thrown away */
    atomic_bool small_is_full; /* nor in the room for small ones */
    struct fs_text *spent;     /* replaced, but perhaps in use as long as a search is under way */
    struct fs_sketches sketches;
};

void marks_init(struct fs_marks *marks);
void marks_release(struct fs_marks *marks);
/* Forget all of a file, which nobody uses. */
void marks_free_memory(struct fs_marks *marks, struct fs_memory *memory);
/* Forget a text, which nobody uses. NULL is accepted. */
void marks_free_text(struct fs_marks *marks, struct fs_text *text);

/* What a thread of a search has for itself. */
struct fs_marks_thread {
    _Alignas(64) struct text_block *block; /* that it fills with texts */
    struct text_block *small;              /* and with small ones */
    size_t texts;                          /* that it had a use for or has kept */
};

/* One search. Between begin and end any number of threads may use it. */
struct fs_marks_use {
    struct fs_marks *marks; /* NULL: it knows nothing and leaves nothing */
    struct fs_warm *warm;
    struct find_ask *ask; /* of sketches; may be NULL */
    uint64_t search;      /* its number */
    unsigned epoch, mountings;
    int64_t since_ns, late_ns;
    size_t texts_max;
    struct fs_marks_thread threads[FS_SCAN_THREADS_MAX];
    uint32_t known, own;          /* the marks that rule a file out, and the one that it sets; a bit each */
    int64_t settled_ns[FS_MARKS]; /* a file that last changed before is as it was when it got the mark */
};

/* Begin to search for a pattern. End it with fs_marks_end, which may let sketches be made. Without warm (NULL) nothing
 * is known or left. */
void fs_marks_begin(struct fs_warm *warm, const struct find *find, struct fs_marks_use *use);
void fs_marks_end(struct fs_marks_use *use);

enum fs_known {
    FS_UNKNOWN,
    FS_RULED_OUT, /* it holds no match */
    FS_READ,      /* its text is known */
};
struct fs_content {
    struct hv_str text; /* valid during the visit; with FS_READ alone, as is_plain */
    bool is_plain;      /* it is ASCII and holds no NUL */
    int64_t mtime_ns;   /* with FS_RULED_OUT, too */
};
/* What is known of a file, and still so. One system call when there is something to ask, else none. */
enum fs_known fs_marks_look(struct fs_marks_use *use, const struct fs_scan_entry *entry, struct fs_content *content);
/* All of the file was read during this search, and find_rules_out(). */
void fs_marks_ruled_out(const struct fs_marks_use *use, const struct fs_scan_entry *entry);
/* All of the file was read during this search, and this is what it holds: kept where there is room. */
void fs_marks_keep_text(struct fs_marks_use *use, const struct fs_scan_entry *entry, struct hv_str text);

#endif
