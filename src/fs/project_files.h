/* project_files.h: looking for the files by which a project makes a program run code of its own. */
#ifndef FS_PROJECT_FILES_H
#define FS_PROJECT_FILES_H

#include "fs/trees.h"

/*
 * True when neither directory (absolute) nor one above it holds a file of one of the names, which are separated by
 * blanks and may be paths (".cargo/config.toml"); a first part that ends in "*" is any directory that begins so,
 * and a "*" in the last part stands for any letters.
 * A first name "." says that only directory itself is looked at, be it home, and not those above it.
 * "name:text" is only a file with that text in it, in either case, as a word of its own where it begins with a letter,
 * and "name:text=" only where a "=" follows it, perhaps after a quote and blanks;
 * a large file, or one that cannot be read, counts as one that has it. home (absolute or absent) and what is above it
 * are not looked at: what lies there is the person's own. Links on the way to directory are followed. A few
 * microseconds, but for what is read; a directory that trees has the answer of is not looked at again.
 */
bool fs_holds_none(struct fs_trees *trees, struct hv_str directory, struct hv_str home, const char *names);

#endif
