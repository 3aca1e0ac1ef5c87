/* proposal_command.h: the rules offered for a command, part by part; see proposal.c. Pure. */
#ifndef POLICY_PROPOSAL_COMMAND_H
#define POLICY_PROPOSAL_COMMAND_H

#include "policy/parts.h"

enum { PROPOSALS_MAX = 8, PROPOSAL_TEXT_MAX = 2000 }; /* nobody reads more or longer ones */

/* The rules that would together cover every part, in arena, to out; how many. 0: there are none to offer. They are not
 * tried yet. */
size_t propose_for_command(const struct match_call *call, struct hv_arena *arena, struct hv_str out[PROPOSALS_MAX]);

/* path as the pattern of a rule that takes only itself, or all below it; in arena. */
struct hv_str proposal_pattern(struct hv_str path, bool below, struct hv_arena *arena);

#endif
