/*
 * led_out.h: names that a pattern takes may be links, and who opens such a name opens what it leads to. Inner to
 * src/policy.
 */
#ifndef POLICY_LED_OUT_H
#define POLICY_LED_OUT_H

#include "shell/class.h"

/*
 * One of the names that access of act may stand for is, or goes through, a link that leads out of access->path, or act
 * follows such links on its way through a tree; also when that cannot be found out. False for a name that is known:
 * that one is followed itself. Blocks: looks at the directories.
 */
bool access_leads_out(const struct shell_act *act, const struct shell_access *access);

#endif
