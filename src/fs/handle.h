/*
 * handle.h: files by a handle: the directory that was held when their path was judged, and the rest of the path, in
 * which nothing is followed. Whatever somebody exchanges for a link meanwhile, what is opened is what was judged.
 */
#ifndef FS_HANDLE_H
#define FS_HANDLE_H

#include <helve/host.h>
#include <limits.h>
#include <sys/types.h>

/* Where a path is opened from. */
struct hv_handle {
    int directory;       /* opened with O_PATH; -1: the root of the file system, each time anew */
    struct hv_str above; /* its path; used with a descriptor only */
};

/* For paths that are resolved and held by nobody: no link is followed on the way from the root. */
extern const struct hv_handle fs_root_handle;

/* open(2) of a resolved path that lies at or below at->above: -1 with errno (ELOOP: something is a link now). */
int fs_open_at(const struct hv_handle *at, struct hv_str path, int flags);

/* The directory that a path lies in, and its last component, for the *at calls. */
struct fs_leaf {
    int directory;
    bool is_own; /* opened for this leaf */
    char name[NAME_MAX + 1];
};
#define CLEANUP_LEAF __attribute__((cleanup(fs_leaf_release)))
/* 0, or -1 with errno. */
int fs_leaf_open(const struct hv_handle *at, struct hv_str path, struct fs_leaf *leaf);
void fs_leaf_release(struct fs_leaf *leaf);

/* As fs_open_regular; nothing is followed. */
enum hv_code fs_open_regular_at(const struct hv_handle *at, struct hv_str path, int *fd, struct hv_file_stat *stat,
                                struct hv_error *err) HV_MUST_CHECK;
/* Metadata, of a link itself where one is. */
enum hv_code fs_stat_at(const struct hv_handle *at, struct hv_str path, struct hv_file_stat *out,
                        struct hv_error *err) HV_MUST_CHECK;
/* mkdir -p; HV_EEXIST where something else is in the way. */
enum hv_code fs_make_directories_at(const struct hv_handle *at, struct hv_str path, struct hv_error *err) HV_MUST_CHECK;
/* unlinkat(2) with flags: 0, or -1 with errno. */
int fs_remove_at(const struct hv_handle *at, struct hv_str path, int flags);

/* HV_ECONFLICT for what became a link; else the fault of errno. doing: "Cannot open". */
enum hv_code fs_fail_at(struct hv_error *err, int reason, const char *doing, struct hv_str path);

#endif
