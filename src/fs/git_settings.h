/*
 * git_settings.h: the settings of git that hold at a place: of the machine, the person, the repository and its work
 * tree, with the files that they include, also under conditions ([includeIf]). What is read: git_config.h. Blocks; any
 * thread.
 */
#ifndef FS_GIT_SETTINGS_H
#define FS_GIT_SETTINGS_H

#include "fs/git_config.h"

enum { GIT_FILE_MAX = 1 << 20 };

/*
 * A whole small file of git's, in arena; absent, with errno, when it is none that can be read (EINVAL: it is no file)
 * or is longer than GIT_FILE_MAX (EFBIG). name is relative to the open directory (AT_FDCWD); no_follow is O_NOFOLLOW or
 * 0.
 */
struct hv_str git_file_read(struct hv_arena *arena, int directory, const char *name, int no_follow);

/* Where the person's files of git lie. */
struct git_person {
    struct hv_str home;        /* absent: neither the person's settings nor the machine's are read */
    struct hv_str config_home; /* $XDG_CONFIG_HOME; absent: home/.config */
};
struct hv_str git_config_home(struct hv_arena *arena, const struct git_person *person);

/*
 * The directory of the repository whose work tree begins at top: .git, or what the file .git of a worktree or a
 * submodule names; *shared is where the files lie that its worktrees have in common. In arena.
 */
struct hv_str git_directory(struct hv_arena *arena, struct hv_str top, struct hv_str *shared);

/* The settings; shared and worktree are of git_directory, absent outside a repository. In arena. */
struct git_settings git_settings_find(struct hv_arena *arena, const struct git_person *person, struct hv_str shared,
                                      struct hv_str worktree);

#endif
