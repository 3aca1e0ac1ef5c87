/*
 * scan_queue.h: what the threads of a scan share: the directories that wait (last in, first out, so that few wait at a
 * time), pieces of long directories, and the descriptors of directories that others will be opened from.
 *
 * A directory that waits knows its name and the directory it lies in; it is opened from that one's descriptor. Only
 * the newest SCAN_OPEN_MAX of those descriptors are kept: a directory further up that has lost its own is found again
 * from the nearest one above that is open. Paths are made when they are needed, so that memory is linear in the number
 * of directories that wait, however deep they lie.
 *
 * A thread may have a table of open files of its own (scan_table.h), where others' descriptors mean nothing. So each
 * descriptor has the number of its table (0: the process's), is used and closed by threads of that table only, and what
 * can only be done with one that is open waits for them.
 */
#ifndef FS_SCAN_QUEUE_H
#define FS_SCAN_QUEUE_H

#include "fs/scan_rules.h"

#include <helve/str.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

/* A descriptor of a directory that several use. */
struct scan_handle {
    atomic_uint references;
    int fd;
    unsigned table;           /* in which fd is one */
    struct scan_handle *next; /* among those that wait to be closed */
};
struct scan_handle *scan_handle_new(int fd, unsigned table); /* takes fd over */
struct scan_handle *scan_handle_ref(struct scan_handle *handle);

enum scan_item_kind {
    SCAN_OPEN, /* a directory to be opened */
    SCAN_MORE, /* an open one to be read on */
    SCAN_FILES /* part of the files of a piece that was read */
};

/* A piece of work. Lies in the directory it is about, or in a share of its files (struct share of scan.c). */
struct scan_item {
    struct scan_item *next;
    struct scan_directory *directory; /* counted */
    struct scan_handle *handle;       /* counted; NULL for SCAN_OPEN */
    enum scan_item_kind kind;
    uint64_t number; /* given by the queue: the greater, the later it was put there */
};

struct scan_directory {
    struct scan_item item;
    struct scan_directory *parent; /* counted; NULL for the root */
    atomic_uint references;        /* items, threads at work on it, directories in it */
    /* Guarded by the queue's lock. */
    struct scan_handle *handle;           /* counted; NULL when others are not (any more) opened from it */
    struct scan_directory *older, *newer; /* among those kept open */
    size_t waiting;                       /* directories in it that wait */
    /* Set by the thread that opens it. */
    struct hv_arena arena; /* of its rules */
    struct scan_rules rules;
    size_t rules_bytes;
    dev_t device;
    ino_t inode;
    size_t depth;
    bool entered;                 /* its rules are read … */
    struct scan_rule_files files; /* … from these */
    bool keeps_times;             /* its file system does, as far as the scan has a use for it */
    bool tells_changes;           /* the same of changes of its files */
    size_t name_len;
    char name[]; /* NUL-terminated; "" for the root */
};

/* A directory that lies in parent (which is counted), not in the queue yet. NULL parent: the root. */
struct scan_directory *scan_directory_new(struct scan_directory *parent, struct hv_str name);
struct scan_directory *scan_directory_ref(struct scan_directory *directory);
void scan_directory_unref(struct scan_surroundings *around, struct scan_directory *directory);

/* Bytes of the path from (not with) above, an ancestor or the directory itself, which gives 0, down to directory. */
size_t scan_directory_path_length(const struct scan_directory *directory, const struct scan_directory *above);
/* Write that path, without slashes around it, to the bytes that end at end. */
void scan_directory_path_write(const struct scan_directory *directory, const struct scan_directory *above, char *end);

/* What waits for the threads of one table. */
struct scan_own {
    struct scan_item *top;                 /* guarded by the queue's lock */
    _Atomic(struct scan_handle *) closing; /* what nobody uses any more */
};

struct scan_queue {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool in_order; /* first in, first out */
    struct scan_item *top, *bottom;
    struct scan_own *own; /* of each table; never in order */
    unsigned tables;
    size_t count;     /* items that wait, all together */
    uint64_t number;  /* of the last item */
    unsigned active;  /* threads at work */
    atomic_uint idle; /* threads that wait; read without the lock */
    atomic_bool over; /* end as soon as possible; read without the lock */
    struct scan_directory *oldest, *newest;
    size_t kept, kept_max;
};

enum {
    SCAN_OPEN_MAX = 128,
    SCAN_DEEP = 64, /* levels below the root; what lies deeper is opened by its own table, as the way is long */
};

/* tables: 1, or as many as there are threads. kept: so many directories stay open, at most SCAN_OPEN_MAX. */
void scan_queue_init(struct scan_queue *queue, bool in_order, unsigned tables, size_t kept);
/* Must be empty. The threads have ended, and with them all tables but the process's. */
void scan_queue_release(struct scan_queue *queue);

/* Give a descriptor back, on a thread of table. The last one closes it, or has it closed. NULL is accepted. */
void scan_queue_unref(struct scan_queue *queue, unsigned table, struct scan_handle *handle);
/* Close what others have given back last. */
void scan_queue_close(struct scan_queue *queue, unsigned table);

/* What a thread got to do. Descriptor and directory counted. */
struct scan_task {
    enum scan_item_kind kind;
    struct scan_item *item; /* the item of a directory may be on the queue again */
    struct scan_directory *directory;
    struct scan_handle *handle;         /* of the directory (for SCAN_FILES maybe another table's), or of above */
    const struct scan_directory *above; /* SCAN_OPEN: the nearest directory above that is open in the table */
};

/*
 * The next piece of work for a thread of table that has done its last one (`again`). Waits while there is none but
 * others are at work. False when there will be none any more: all is done, or over.
 */
bool scan_queue_take(struct scan_queue *queue, unsigned table, bool again, struct scan_task *task);
/* The next piece of work is there already. */
bool scan_queue_is_ready(struct scan_queue *queue, unsigned table);
/* Take what is left, after all threads have ended. */
bool scan_queue_drain(struct scan_queue *queue, struct scan_task *task);

/* Put one item on top; in order: below all others. SCAN_MORE is for the threads of its descriptor's table. */
void scan_queue_push(struct scan_queue *queue, struct scan_item *item);
/* A task of SCAN_FILES can only be done in the table of its descriptor: let it be done there. */
void scan_queue_give_back(struct scan_queue *queue, struct scan_task *task);
/* Bring a chain of count directories (at least one) into the order of their names. Returns the first. */
struct scan_item *scan_items_sort(struct scan_item *first, size_t count);
/* Put the directories of a chain (linked by item.next, count of them), which all lie in parent, open as handle, where
 * scan_queue_push puts one. */
void scan_queue_push_directories(struct scan_queue *queue, struct scan_directory *parent, struct scan_handle *handle,
                                 struct scan_item *first, size_t count);
/* Let all threads end. */
void scan_queue_end(struct scan_queue *queue);

#endif
