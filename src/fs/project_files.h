/* project_files.h: looking for the files by which a project makes a program run code of its own. */
#ifndef FS_PROJECT_FILES_H
#define FS_PROJECT_FILES_H

#include <helve/str.h>

/*
 * True when neither directory (absolute) nor one above it holds a file of one of the names, which are separated by
 * blanks and may be paths (".cargo/config.toml"). home (absolute or absent) and what is above it are not looked at:
 * what lies there is the person's own. Links on the way to directory are followed. A few microseconds; from any thread.
 */
bool fs_holds_none(struct hv_str directory, struct hv_str home, const char *names);

#endif
