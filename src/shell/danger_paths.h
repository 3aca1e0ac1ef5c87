/* danger_paths.h: the places that a command must not destroy; see danger.h. Inner to src/shell. */
#ifndef SHELL_DANGER_PATHS_H
#define SHELL_DANGER_PATHS_H

#include "shell/danger.h"

/* What a word names, from the worst. */
enum danger_place {
    DANGER_PLACE_NONE = 0,
    DANGER_PLACE_WORKSPACE, /* the workspace as a whole */
    DANGER_PLACE_SHARED,    /* /tmp, /opt, /var/log …: many use it */
    DANGER_PLACE_PARENT,    /* a directory that the workspace is in */
    DANGER_PLACE_SYSTEM,    /* the root, a tree of the system */
    DANGER_PLACE_HOME,
};

/* Removing word, given to a command in directory, with all below it: what would be gone. *contents: only what is in it
 * (a glob behind a slash). Both as written and as resolved. */
enum danger_place danger_place_of(struct hv_arena *arena, const struct shell_danger_world *world,
                                  struct hv_str directory, const struct shell_word *word, bool *contents);

/* What lies directly in path, absolute and tidy, may be such a place, a device or an account file. */
bool danger_place_is_guarded(const struct shell_danger_world *world, struct hv_str path);

/* The place where word surely begins: absolute and tidy, as written and as resolved. False when it cannot be told. */
bool danger_path_of(struct hv_arena *arena, const struct shell_danger_world *world, struct hv_str directory,
                    struct hv_str value, struct hv_str *written, struct hv_str *resolved);

/* The word, or what it leads to, is a block device; *unsure: it begins with /dev/ and the rest is not known. */
bool danger_is_device_at(const struct shell_word *word, struct hv_str written, struct hv_str resolved, bool *unsure);
/* The same, from a directory. */
bool danger_is_device(struct hv_arena *arena, const struct shell_danger_world *world, struct hv_str directory,
                      const struct shell_word *word, bool *unsure);

/* The file says who may log in: without it nobody can. */
bool danger_is_account_file(struct hv_str path);

#endif
