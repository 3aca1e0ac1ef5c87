/*
 * settings_alias.h: other names of settings files. A settings file may be a link to a file that lies elsewhere, or have
 * a second name (a hard link): who changes that file changes the settings, whatever its path looks like.
 */
#ifndef FS_SETTINGS_ALIAS_H
#define FS_SETTINGS_ALIAS_H

#include <helve/host.h>

/* The settings files of a project, as paths below its folder; NULL at the end. */
extern const char *const settings_files_in_projects[];

/* Where settings count: in a directory and above it, in the person's own places, on the machine. */
struct settings_places {
    struct hv_str directory, home;
    const char *const *environment; /* "NAME=value", NULL at the end; may be NULL */
};

/*
 * The path of the settings file that `path`, absolute, is the same file as: device and inode tell. Absent when it is
 * none, and when nothing is at path. The text is in arena. Blocks, for some microseconds; any thread.
 */
struct hv_str fs_settings_alias(const struct hv_host *host, struct hv_arena *arena,
                                const struct settings_places *places, struct hv_str path);

#endif
