/*
 * led_out.h: names that a pattern takes may be links, and who opens such a name opens what it leads to. Inner to
 * src/policy.
 */
#ifndef POLICY_LED_OUT_H
#define POLICY_LED_OUT_H

#include "shell/class.h"

/* What was asked of a command so far: most of its accesses ask the same again. Zeroed at the beginning. */
struct leading {
    const struct shell_act *act;             /* the last one */
    bool follows, opens;                     /* it follows links on its way, or opens all that is below its operands */
    struct hv_str directory, prefix, suffix; /* the last question about names, and its answer */
    unsigned depth;
    bool stay;
    size_t asked; /* questions to the file system: after LEADING_MAX of them nothing is found out any more */
};
enum { LEADING_MAX = 128 };

/*
 * One of the names that access of act may stand for is, or goes through, a link that leads out of access->path, or act
 * follows such links on its way through a tree; also when that cannot be found out. False for a name that is known:
 * that one is followed itself. Blocks: looks at the directories.
 */
bool access_leads_out(struct leading *leading, const struct shell_act *act, const struct shell_access *access);

#endif
