/*
 * home_links.h: other names of what the home's programs run or obey. A start-up file may be a link to a file that lies
 * in a workspace (`~/.gitconfig` to `dotfiles/gitconfig`), or lie behind a folder that is one, or have a second name:
 * who changes that file changes the start-up file, whatever its path looks like.
 */
#ifndef SANDBOX_HOME_LINKS_H
#define SANDBOX_HOME_LINKS_H

#include <helve/host.h>

struct home_link {
    struct hv_str path;   /* in the home: always confirmed, as secret_rows.h or protected_rows.h says */
    struct hv_str target; /* where it leads, resolved; nothing need be there; path itself: a file with further names */
};

struct home_links {
    struct home_link *items;
    size_t count;
};

/* Look at each of those names, a fixed list; home as it is written, or absent: none. In arena. Blocks for some system
 * calls, more where many of them are there; any thread. */
void home_links_find(const struct hv_host *host, struct hv_arena *arena, struct hv_str home, struct home_links *out);

/* The path in the home by which a program reaches `path` (absolute, resolved): by a link, or as the same file. Absent:
 * none does. In arena. Blocks. */
struct hv_str home_links_name(const struct home_links *links, const struct hv_host *host, struct hv_arena *arena,
                              struct hv_str path);

#endif
