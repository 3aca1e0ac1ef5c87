/*
 * led_out.h: names that a pattern takes may be links, and who opens such a name opens what it leads to; and they may be
 * those of credentials. Inner to src/policy.
 */
#ifndef POLICY_LED_OUT_H
#define POLICY_LED_OUT_H

#include "fs/plain_tree.h"
#include "fs/trees.h"
#include "policy/path_class.h"
#include "shell/class.h"

/* A question to the file system: whether a tree has no links that lead out of it, or names in a directory are none. */
struct leading_question {
    struct hv_str directory, prefix, suffix;
    unsigned depth;
    bool is_tree;
};

enum { LEADING_MAX = 128, LEADING_KEPT = 16 };

/* What was asked of a command so far: most of its accesses ask the same again. Zeroed at the beginning, but for trees.
 */
struct leading {
    struct fs_trees *trees;
    const struct shell_act *act; /* the last one */
    bool follows, opens;         /* it follows links on its way, or opens all that is below its operands */
    struct {
        struct leading_question question;
        bool stay;
    } kept[LEADING_KEPT];                                     /* the last answers */
    struct hv_str searched, searched_prefix, searched_suffix; /* the last search for credentials */
    unsigned searched_depth;
    struct hv_str credential; /* what it found */
    bool searched_in_vain;    /* it did not take place, or not to its end */
    size_t searches;          /* after LEADING_MAX of them nothing is searched any more */
    size_t asked;  /* questions to the file system: after LEADING_MAX of them nothing is found out any more */
    bool too_many; /* some answer since the caller took this back was not found out for that, or by the trees' bounds */
};

/*
 * One of the names that access of act may stand for is, or goes through, a link that leads out of access->path, or act
 * follows such links on its way through a tree; also when that cannot be found out. False for a name that is known:
 * that one is followed itself. Blocks: looks at the directories.
 */
bool access_leads_out(struct leading *leading, const struct shell_act *act, const struct shell_access *access);

/*
 * A credential among the names that access of act may stand for, in arena: `cat id_*` shows a key as `cat id_rsa` does.
 * Absent: there is none, or nothing that stands in it is shown, or that could not be found out. For a name that is
 * known it is absent, too. Where too much was asked for to search, leading->too_many is set. Blocks as above.
 */
struct hv_str access_finds_credential(struct leading *leading, struct hv_arena *arena,
                                      const struct path_classes *classes, const struct shell_act *act,
                                      const struct shell_access *access);

/* A credential among names in directory, or what a link among them leads to, absolute, in arena; absent: none that
 * could be found. Blocks as above. */
struct hv_str names_find_credential(struct leading *leading, struct hv_arena *arena, const struct path_classes *classes,
                                    struct hv_str directory, const struct fs_names *names);

/* act opens files whose names another command may print, and shows or takes what stands in them. */
bool act_opens_listed(const struct shell_act *act);

/* act shows what stands in files whose names another command may give it: find . | xargs cat, find . -exec cat {} +,
 * cat $(echo a). Whether those names can be told (in a tree whose names are plain) does not matter. */
bool act_shows_listed(const struct shell_act *act);

#endif
