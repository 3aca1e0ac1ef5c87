/*
 * scan.h: visiting a tree of files with several threads, for Glob, Grep and LS.
 *
 * Ignore rules are honoured: .helveignore, .ignore and .gitignore of every directory on the way (from the top of the
 * repository when the root lies in one), .git/info/exclude and core.excludesFile, in this order of strength; of one
 * kind, the deeper file is stronger. What is ignored is not entered; a repository inside has git rules of its own.
 * Symbolic links are reported but never followed, kernel file systems (/proc and its kin) never entered from outside,
 * `.git` itself neither. Neither depth nor breadth of the tree costs stack, descriptors or quadratic memory.
 *
 * Files come in no order (but for options.ordered), each on the thread that found it, with the descriptor of its
 * directory, so that a consumer can open it with openat(directory, name) and search it right there. No file is looked
 * at with stat.
 */
#ifndef FS_SCAN_H
#define FS_SCAN_H

#include <helve/host.h>

struct fs_warm;    /* scan_warm.h */
struct fs_memory;  /* scan_marks.h */
struct scan_files; /* scan_file.h */

enum { FS_SCAN_THREADS_MAX = 64, FS_SCAN_THREADS_WORTH = 8, FS_SCAN_NAMES_MAX = 20 };

struct fs_scan_options {
    struct hv_str root;        /* an absolute directory; the rules do not apply to the root itself */
    struct hv_str home;        /* where git's configuration of the person is looked up; absent: none is */
    struct hv_str config_home; /* $XDG_CONFIG_HOME; absent: home/.config */
    unsigned threads;          /* at most FS_SCAN_THREADS_MAX, the calling one among them; 0 means 1 */
    int descriptor;            /* of the root, open for reading; stays the caller's. root is resolved then, and is not
                                * looked up again. 0: root is opened, links on the way are followed */
    size_t part_after;         /* entries after which a thread (not the calling one) gets a table of open files of its
                                * own; visits may then use no descriptors but the entry's and what they open and close
                                * themselves. 0: never */
    bool ordered;              /* on the calling thread alone, all of one level before the next, names sorted */
    bool by_name;              /* enter the directories in a directory by name, as far as threads do not come between,
                                * and visit the first files by name, too; visit is called for a directory
                                * (`directories`) once more, without descriptor (-1), when its turn comes */
    bool hidden;               /* visit names that begin with a dot, too */
    bool no_ignore;            /* honour no ignore file */
    bool directories;          /* call visit for directories, too, before it is called for anything in them */
    bool show_ignored;         /* call visit for what is ignored, too, and say so; it is not entered all the same */
    struct fs_warm *warm;      /* what earlier scans have learnt, for this one and later ones; may be NULL */
    size_t depth_max;          /* levels below the root: 1 is the root's own entries; 0: no limit */
    uint64_t deadline_ns;      /* on the monotonic clock; 0: none */
    const struct hv_cancel *cancel; /* may be NULL */
};

/* One entry, valid during the visit. */
struct fs_scan_entry {
    struct hv_str path; /* relative to the root, without "./"; NUL-terminated; any bytes but NUL */
    struct hv_str name; /* its last component, NUL-terminated */
    enum hv_file_kind kind;
    bool ignored;             /* by the rules; only with show_ignored */
    int directory;            /* descriptor of the directory that holds it: openat(directory, name, … | O_NOFOLLOW) */
    size_t depth;             /* 1 in the root */
    struct scan_files *files; /* of the thread, for fs_scan_open and fs_scan_close */
    struct fs_memory *memory; /* of what the file holds; NULL: nothing can be remembered */
    unsigned worker; /* which thread this is: 0 (the caller's) up to threads - 1; index of what each has for itself */
};

enum fs_scan_action {
    FS_SCAN_ON = 0,
    FS_SCAN_SKIP, /* do not enter this directory */
    FS_SCAN_STOP, /* end the scan, on all threads, as soon as their visits return */
};

/* As many threads as are worth it here: one for each processor that may be used, at most FS_SCAN_THREADS_WORTH. */
unsigned fs_scan_threads(void);

/* Called by all threads at the same time. */
typedef enum fs_scan_action fs_scan_visit(void *user, const struct fs_scan_entry *entry);

/* A directory that was not (wholly) visited. */
struct fs_scan_place {
    struct hv_str path; /* relative to the root, "." for itself; in the arena that fs_scan was given */
    int sys_errno;      /* why; 0: the scan ended before */
};

struct fs_scan_outcome {
    bool timed_out, cancelled, stopped; /* why it ended before its time; all false: everything was visited */
    size_t visited;                     /* entries seen, shown or not */
    size_t ignored;                     /* entries left out by ignore rules */
    size_t remembered;                  /* directories that were not read, as an earlier scan had learnt them */
    size_t unreadable;                  /* directories that could not be opened or read; each counts once */
    size_t unreached;                   /* directories known but not visited when the scan ended before its time */
    size_t dropped;          /* ordered: names that did not fit beside those that come before them in their directory */
    size_t rules_unreadable; /* ignore files that are links, cannot be read, or are longer than GIT_FILE_MAX */
    bool rules_more;         /* for who tells of it: there may be more of these */
    size_t rules_above;      /* of these, those that lie above the root, and global ones */
    size_t rules_skipped;    /* ignore files not honoured, as all of them together would take too much */
    /*
     * The unreadable and the unreached ones by name, sorted, and the directories of unreadable ignore files, once for
     * each; at most FS_SCAN_NAMES_MAX of each: those that come first when a tree is walked in order.
     */
    struct fs_scan_place *unreadable_names, *unreached_names, *rules_names;
    size_t unreadable_named, unreached_named, rules_named;
};

/*
 * Visit the tree. Fails only when the root itself cannot be opened (HV_ENOTFOUND, HV_EACCES, HV_EINVAL for what is no
 * directory); everything else shows in *outcome, whose names live in arena. Blocks until all its threads have ended;
 * where threads cannot be started, those there are do the work. Extra threads start only when there is work for them.
 */
enum hv_code fs_scan(const struct fs_scan_options *options, fs_scan_visit *visit, void *user, struct hv_arena *arena,
                     struct fs_scan_outcome *outcome, struct hv_error *err) HV_MUST_CHECK;

/*
 * Open the entry's file for reading, in its visit; links are not followed. The time of the last access stays as it is
 * where the system lets the person ask for that. -1 with errno.
 */
int fs_scan_open(const struct fs_scan_entry *entry);
/* Close it, in the same visit: at once, or with a few others, before the thread has nothing to do. */
void fs_scan_close(const struct fs_scan_entry *entry, int fd);

/* When the entry's file was changed; links are not followed. False when it is gone. One system call. */
bool fs_scan_mtime(const struct fs_scan_entry *entry, int64_t *mtime_ns);

#endif
