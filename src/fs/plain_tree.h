/* plain_tree.h: whether names below a directory are such that a shell and programs take them for nothing else. */
#ifndef FS_PLAIN_TREE_H
#define FS_PLAIN_TREE_H

#include "fs/trees.h"

struct fs_plain {
    bool no_option; /* no name directly in the directory begins with "-", or another of -+@!(= */
    bool words;     /* no name below it has blanks, control bytes, quotes, backslashes or pattern bytes */
    bool names;     /* the same of those directly in it */
    bool links;     /* no link below it leads out of it, but into /usr, /bin, /lib and the like */
    bool lines;     /* no name below it has control bytes, or begins or ends with a blank */
    bool no_dash;   /* no name below it, however deep, begins with "-" or "+" */
};

/* Whether all that is wanted of names holds for this one; level is 1 for one directly in the directory. Pure. */
bool fs_name_is_plain(const char *name, unsigned level, const struct fs_plain *wanted);

/*
 * True when all that is wanted holds for directory (absolute; links in it are followed), and no more than 20,000
 * entries had to be looked at, nor more than trees allows. What cannot be read is not known, so false. Blocks: one pass
 * over the tree, or over the directory alone when only no_option and names are wanted; what trees has is not read
 * again.
 */
bool fs_is_plain(struct fs_trees *trees, struct hv_str directory, const struct fs_plain *wanted);

/* True for a path that is looked for: stops the search. */
typedef bool fs_name_wanted(void *user, struct hv_str path);

/* Names that a pattern of the shell takes. */
struct fs_names {
    struct hv_str prefix, suffix; /* how the first, and the last, component behind the directory begins and ends */
    unsigned depth;               /* how many components they have behind it; 0: any number */
    fs_name_wanted *takes;        /* for fs_names_find: which of the last components are taken; NULL: all */
    void *user;                   /* of takes */
};

/*
 * True when none of these names in directory (absolute; links in it are followed) is a link that leads out of it, but
 * into /usr, /bin, /lib and the like: who opens one of them opens what stands there. Where there is no such
 * directory there are no names. Bounds and blocking as above.
 */
bool fs_names_stay(struct fs_trees *trees, struct hv_str directory, const struct fs_names *names);

/*
 * The first of these names in directory (a real path), or of what a link among them leads to, of which `wanted` says
 * that it is looked for. Absent: there is none among those that could be looked at. Bounds and blocking as above. All
 * searches with the same trees look for the same.
 */
struct hv_str fs_names_find(struct fs_trees *trees, struct hv_arena *arena, struct hv_str directory,
                            const struct fs_names *names, fs_name_wanted *wanted, void *user);

#endif
