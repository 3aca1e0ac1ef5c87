/*
 * trees.h: directories that questions are asked about again and again while one command is judged: each is read once.
 * As old as its readings: what changes meanwhile is not seen. What is read and looked at is counted, and bounded: many
 * questions could else each go through a tree of their own.
 */
#ifndef FS_TREES_H
#define FS_TREES_H

#include "base/map.h"

#include <helve/host.h>

/* Names of a directory beyond which no more are read: who goes through a tree gives up before. */
enum { FS_TREE_ENTRIES_MAX = 20000 };

/* A name in a directory. */
struct fs_tree_entry {
    struct hv_str name; /* with a NUL behind it */
    enum hv_file_kind kind;
    bool is_unwanted; /* for fs_names_find: it was asked about, and is not looked for */
    void *behind;     /* of trees.c: what stands there */
};

/* A directory that was read. */
struct fs_tree {
    struct hv_str path; /* without links; with a NUL behind it */
    bool is_readable;
    struct fs_tree_entry *entries; /* without "." and "..", in the order of the directory */
    size_t count;
    uint64_t first[4], last[4]; /* a bit for each byte that some name begins, or ends, with */
};

/* Where a link leads. */
struct fs_tree_link {
    struct hv_str real;               /* without links; absent: it leads nowhere, or nobody knows where */
    bool is_there;                    /* something stands there */
    bool was_looked_at, is_directory; /* of fs_trees_follow_to_directory */
};

enum fs_tree_kind {
    FS_TREE_HIDDEN = 0, /* it cannot be told what stands there */
    FS_TREE_NONE,       /* nothing does */
    FS_TREE_OTHER,      /* no directory */
    FS_TREE_DIRECTORY,
};

/* What was read so far. Zero: nothing. One thread at a time; its functions block. */
struct fs_trees {
    struct hv_arena arena;
    struct map places;      /* by the names that were asked about: struct place */
    struct map directories; /* by their real paths: struct fs_tree */
    struct map folders;     /* directories in which links end, by those names: where they really are */
    struct map positions;   /* of directories, by their names: struct position */
    struct map answers;     /* what others keep about directories: struct answer */
    size_t read, looked_at;
    bool exhausted; /* more would have been read, or looked at, than is allowed: some answers were the careful ones */
};
void fs_trees_release(struct fs_trees *trees);

/* What stands at directory (absolute; links in it are followed); *tree is set for a directory. */
enum fs_tree_kind fs_trees_find(struct fs_trees *trees, struct hv_str directory, struct fs_tree **tree);

/* The directory (of kind HV_FILE_DIRECTORY) that stands in tree as entry. */
struct fs_tree *fs_trees_below(struct fs_trees *trees, const struct fs_tree *tree, struct fs_tree_entry *entry);

/* Where the link (of kind HV_FILE_SYMLINK) leads that stands in tree as entry. */
const struct fs_tree_link *fs_trees_follow(struct fs_trees *trees, const struct fs_tree *tree,
                                           struct fs_tree_entry *entry);

/* It leads to a directory. */
bool fs_trees_follow_to_directory(struct fs_trees *trees, const struct fs_tree *tree, struct fs_tree_entry *entry);

/*
 * Where directory (absolute) really is: without links, but as it is written where that cannot be told. *there: it, or
 * the directory above it below which nothing of it is there, for certain.
 */
struct hv_str fs_trees_real(struct fs_trees *trees, struct hv_str directory, struct hv_str *there);

/* The place for an answer to the question `about` that directory; *is_new when nobody wrote to it yet. Valid as long as
 * trees. */
bool *fs_trees_answer(struct fs_trees *trees, struct hv_str directory, struct hv_str about, bool *is_new);

/* The path of entry in arena, with a NUL behind it. */
struct hv_str fs_tree_path(struct hv_arena *arena, const struct fs_tree *tree, const struct fs_tree_entry *entry);

/* Count one more name that is looked at. False: too many were. */
bool fs_trees_may_look(struct fs_trees *trees);

#endif
