/*
 * walked.h: whether a command that no full sandbox confines would open something of the one list (masks.h) on its way
 * through a tree: then a person is asked, whatever allows the command. Looks at nothing but, for rg, ignore files.
 */
#ifndef MASKS_WALKED_H
#define MASKS_WALKED_H

#include "policy/policy.h"
#include "sandbox/plan.h"

/* The command goes through trees, or runs code, at all: only then masks need be found. */
bool masks_could_be_walked(const struct policy_facts *facts);
/* Why it is to be asked, a clause for people in arena; absent: it need not be. */
struct hv_str masks_walked(const struct sandbox_masks *masks, const struct policy_facts *facts, struct hv_arena *arena);
/* Make an allowance a question for that reason, or a denial where the policy never asks. */
void masks_restrict(const struct policy *policy, struct hv_str reason, struct policy_decision *decision,
                    struct hv_arena *arena);

#endif
