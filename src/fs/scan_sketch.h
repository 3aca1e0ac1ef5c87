/*
 * scan_sketch.h: sketches of files (text/find_sketch.h), made while nobody waits: when a search over many files is
 * over, and no other one has begun for a moment, a thread reads once more what was searched, so that later searches,
 * for whatever words, need not open most of it. It reads only what is in memory (the page cache), pauses while others
 * want the processors, and ends at once when the next search begins or the session ends; what is not done then waits
 * for the next search's end.
 *
 * A sketch lies beside the name of its file and counts as long as a text that is kept does (scan_marks.h): the file has
 * not changed since long enough before it was read. No sketch has what is over 4 MB, or not UTF-8 all through
 * its beginning, nor what holds a NUL. They are bounded: 24 MB for a session, a kernel tree takes 18.
 */
#ifndef FS_SCAN_SKETCH_H
#define FS_SCAN_SKETCH_H

#include "base/vec.h"

#include <pthread.h>
#include <stdatomic.h>

struct fs_memory;
struct fs_warm;

/* Of one file. Immutable. */
struct fs_sketch {
    int64_t since_ns; /* wall clock: it was read after that */
    unsigned epoch;   /* how often the clock had been set */
    bool is_ascii;
    unsigned char size; /* 0: there is nothing else, as this file gets no sketch */
    unsigned char bits[];
};

/* What the sketches of all files share: a part of struct fs_warm. */
struct fs_sketches {
    pthread_mutex_t lock; /* of what is not atomic */
    pthread_cond_t wake;
    pthread_t thread;
    enum { SKETCH_NO_THREAD, SKETCH_RUNS, SKETCH_ENDED } state;
    struct sketch_job *job;        /* not begun yet; or NULL */
    bool closing;                  /* the session ends */
    atomic_uint_fast64_t turn;     /* counts searches that begin: work of another turn is not wanted any more */
    atomic_size_t wanted;          /* files that were opened without a sketch, since the last job was made */
    atomic_size_t made;            /* sketches, ever */
    atomic_size_t bytes;           /* of all sketches */
    size_t bytes_max;              /* at most; 0: none are made */
    size_t wanted_min;             /* so many files are worth a job */
    uint64_t quiet_ns;             /* how long nothing must begin before work does */
    VEC(struct fs_sketch *) spent; /* replaced, but perhaps in use as long as a search is under way */
};

void sketches_init(struct fs_sketches *sketches);
/* End the thread; blocks for what it takes to read 64 kB at most. Called before the files are forgotten. */
void sketches_end(struct fs_sketches *sketches);
void sketches_release(struct fs_sketches *sketches);

/* A search begins: whatever goes on ends soon. Does not block. */
void sketches_interrupt(struct fs_sketches *sketches);
/* No search is under way: free what was replaced. */
void sketches_tidy(struct fs_sketches *sketches);
/*
 * A search has ended, and none was under way at that turn: if it opened many files, begin to make their sketches soon.
 * late_ns and epoch are those of struct fs_marks. Takes as long as it takes to count references to all directories.
 */
void sketches_begin(struct fs_warm *warm, uint64_t turn, int64_t late_ns, unsigned epoch);

/* The file was opened by a search, and none of its sketches counts. Any thread. */
void sketches_want(struct fs_sketches *sketches, struct fs_memory *memory);
/* Forget a sketch, which nobody uses. NULL is accepted. */
void sketches_free(struct fs_sketches *sketches, struct fs_sketch *sketch);

#endif
