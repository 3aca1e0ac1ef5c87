/*
 * scan_rules.h: which ignore files speak about a directory of a scan. Three chains, asked in the order of their
 * strength: .helveignore, .ignore, and git's own (.gitignore from the top of the repository down, .git/info/exclude,
 * core.excludesFile). Paths are relative to the top: the repository's root, or the scan's where there is no repository.
 *
 * What a directory adds lives in an arena of its own; a directory whose parent lives as long needs no copy.
 */
#ifndef FS_SCAN_RULES_H
#define FS_SCAN_RULES_H

#include "text/ignore.h"

#include <stdatomic.h>

/* The rules inside a directory. Immutable once built. */
struct scan_rules {
    const struct ignore_chain *helve, *general, *git;
    unsigned flags; /* IGNORE_ICASE where core.ignorecase is set */
    uint64_t id;    /* of these rules: others have, but for a chance of one in 2^64, another one */
};

/* What a scan knows of its surroundings. Immutable but for the counters, which all threads use. */
struct scan_surroundings {
    struct hv_str top;    /* absolute; "" for "/" */
    struct hv_str prefix; /* the root relative to top: "" or "src/lib" */
    struct hv_str home, config_home;
    atomic_size_t bytes;   /* what all rules that are alive take, about */
    atomic_size_t skipped; /* ignore files left out as there were too many bytes */
    size_t unreadable;     /* ignore files above the root, and global ones, that are there, but cannot be read, or are
                            * too long alone */
};

/* How many bytes all rules that are alive may take. */
enum { SCAN_RULES_MAX = 96 << 20 };

/*
 * Look for the repository around root (absolute, resolved, "" for "/") and read the rules of the directories above the
 * root, and the global ones. Files that cannot be read count as empty, and are counted. All in arena; home and
 * config_home are kept.
 */
void scan_rules_start(struct hv_arena *arena, struct hv_str root, struct hv_str home, struct hv_str config_home,
                      struct scan_surroundings *around, struct scan_rules *rules);

/* Which rule files a directory has, as seen in its list of names. */
struct scan_rule_files {
    bool helve, general, git, repository; /* .helveignore, .ignore, .gitignore, .git */
};
void scan_rule_files_note(struct scan_rule_files *files, struct hv_str name);
/* Ask for them by name, where the list is too long to be read first. */
void scan_rule_files_probe(struct scan_rule_files *files, int directory);

/* What the rule files of a directory are like. */
struct scan_rules_entered {
    size_t bytes;      /* that they take, for scan_rules_leave */
    size_t unreadable; /* files that are there, but cannot be read, or are too long alone */
};
/*
 * Put the rule files of a directory, which is open and has the path base relative to the top, in front of *rules, which
 * are those of its parent.
 */
struct scan_rules_entered scan_rules_enter(struct hv_arena *arena, struct scan_surroundings *around, int directory,
                                           struct hv_str base, const struct scan_rule_files *files,
                                           struct scan_rules *rules);
void scan_rules_leave(struct scan_surroundings *around, size_t bytes);

/* path is relative to the top; the directories above it are not ignored. */
bool scan_rules_ignored(const struct scan_rules *rules, struct hv_str path, bool is_directory);

#endif
