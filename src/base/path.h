/* path.h: paths as text, without looking at a file system. Pure. */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include "base/str_inline.h"

/*
 * path made absolute and tidy: "~" and "~/…" start at home, relative paths at directory (absolute); "." , ".." and
 * repeated or trailing slashes are removed lexically, ".." never above "/". The result is in arena, never empty.
 */
struct hv_str path_expand(struct hv_arena *arena, struct hv_str path, struct hv_str directory, struct hv_str home);

/* directory, a slash, and name, whatever they are. In arena, ended by a NUL. */
struct hv_str path_join(struct hv_arena *arena, struct hv_str directory, struct hv_str name);

/* As somebody wrote it, before it was made tidy: it ends as only the path of a directory does ("a/", "a/."). */
bool path_names_directory(struct hv_str path);

/* path is directory or lies inside it, by whole components. Both absolute and tidy. */
static inline bool path_inside(struct hv_str path, struct hv_str directory)
{
    if (directory.len == 1 && directory.ptr[0] == '/')
        return path.len && path.ptr[0] == '/';
    return directory.len && hv_str_starts(path, directory) &&
           (path.len == directory.len || path.ptr[directory.len] == '/');
}

/* The last component ("" for "/"), and what stands before it ("/" for "/a"). Both absolute and tidy. */
struct hv_str path_name(struct hv_str path);
struct hv_str path_parent(struct hv_str path);

/* path as seen from directory when it lies inside ("src/a.c", "." for itself); else path unchanged. A view. */
struct hv_str path_relative(struct hv_str path, struct hv_str directory);

#endif
