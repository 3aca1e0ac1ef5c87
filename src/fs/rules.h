/*
 * rules.h: which ignore files speak about a directory of a walk. Three chains, asked in the order of their strength:
 * .helveignore, .ignore, and git's own (.gitignore from the top of the repository down, .git/info/exclude, global
 * excludes). Paths are relative to the top: the repository's root, or the walk's where there is no repository.
 */
#ifndef FS_RULES_H
#define FS_RULES_H

#include "text/ignore.h"

#include <helve/host.h>

/* Immutable once built; lives in the walk's arena. */
struct fs_rules {
    const struct ignore_chain *helve, *general, *git;
};

/* What a walk knows of the repository that it starts in. */
struct fs_repository {
    struct hv_str top;                 /* absolute; the walk's root where there is no repository */
    struct hv_str prefix;              /* the root relative to top: "" or "src/lib" */
    const struct ignore_chain *global; /* git's global excludes; also hold in repositories found below */
    unsigned flags;                    /* IGNORE_ICASE when core.ignorecase is set */
};

/*
 * Look for the repository around root (absolute, resolved) and read all rules of the directories above the root, and
 * the global ones. Files that cannot be read count as empty. Results live in arena.
 */
void fs_rules_start(struct hv_arena *arena, struct hv_str root, struct hv_str home, struct fs_repository *repository,
                    struct fs_rules *rules);

/* Which rule files a directory has, as seen in its list of names. */
struct fs_rule_files {
    bool helve, general, git, repository; /* .helveignore, .ignore, .gitignore, .git */
};
void fs_rule_files_note(struct fs_rule_files *files, struct hv_str name);

/*
 * The rules inside a directory, which is open and has the path base relative to the top: those of its parent, with its
 * own in front. Returns parent itself when it has none.
 */
const struct fs_rules *fs_rules_enter(struct hv_arena *arena, const struct fs_repository *repository,
                                      const struct fs_rules *parent, int directory, struct hv_str base,
                                      const struct fs_rule_files *files);

/* path is relative to the top. */
bool fs_rules_ignored(const struct fs_rules *rules, struct hv_str path, bool is_directory);

#endif
