/*
 * walk.h: visiting a tree of files for Glob, Grep and LS.
 *
 * Ignore rules are honoured: .helveignore, .ignore and .gitignore of every directory on the way (from the top of the
 * repository when the root lies in one), .git/info/exclude and git's global excludes, in this order of strength; of
 * one kind, the deeper file is stronger. What is ignored is not entered. Symbolic links are reported but never
 * followed, kernel file systems (/proc and its kin) never entered, `.git` itself neither. Depth costs no stack.
 */
#ifndef FS_WALK_H
#define FS_WALK_H

#include <helve/host.h>

struct fs_walk_options {
    struct hv_str root;             /* an absolute directory; the rules do not apply to the root itself */
    struct hv_str home;             /* where git's global excludes are looked up; absent: none */
    bool hidden;                    /* visit names that begin with a dot, too */
    bool no_ignore;                 /* honour no ignore file */
    bool temporaries;               /* visit the temporary files of fs_write, too */
    bool directories;               /* call visit for directories, too (before what they hold) */
    bool breadth_first;             /* all of one level before the next; else depth first. Names sorted in both */
    size_t depth_max;               /* levels below the root: 1 is the root's own entries; 0: no limit */
    uint64_t deadline_ns;           /* on the monotonic clock; 0: none */
    const struct hv_cancel *cancel; /* may be NULL */
};

/* One file, valid during the visit. */
struct fs_walk_entry {
    struct hv_str path; /* relative to the root, without "./"; its last component is name (NUL-terminated) */
    struct hv_str name;
    enum hv_file_kind kind;
    int directory; /* descriptor of the directory that holds it: openat(directory, name, … | O_NOFOLLOW) */
    size_t depth;  /* 1 in the root */
};

enum fs_walk_action {
    FS_WALK_ON = 0,
    FS_WALK_SKIP, /* do not enter this directory */
    FS_WALK_STOP, /* end the walk; fs_walk returns HV_OK */
};

typedef enum fs_walk_action fs_walk_visit(void *user, const struct fs_walk_entry *entry);

struct fs_walk_outcome {
    bool timed_out, cancelled, stopped; /* why it ended before its time; all false: everything was visited */
    size_t visited;                     /* entries seen, shown or not */
    size_t ignored;                     /* entries left out by ignore rules */
    size_t unreadable;                  /* directories that could not be opened or read */
};

/*
 * Visit the tree. Fails only when the root itself cannot be opened (HV_ENOTFOUND, HV_EACCES, HV_EINVAL for what is
 * no directory); everything else shows in *outcome. Blocks; visit runs on the calling thread.
 */
enum hv_code fs_walk(const struct fs_walk_options *options, fs_walk_visit *visit, void *user,
                     struct fs_walk_outcome *outcome, struct hv_error *err) HV_MUST_CHECK;

#endif
