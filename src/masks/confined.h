/*
 * confined.h: the decision on a call with what its sandbox makes of it, the same for each door: in a full sandbox
 * nobody is asked about credentials that it hides, or that git tracks, nor about files in the session's own /tmp;
 * outside of one a person is asked before a command opens what nothing hides from it (walked.h).
 */
#ifndef MASKS_CONFINED_H
#define MASKS_CONFINED_H

#include "masks/masks.h"
#include "sandbox/sandbox.h"

/* Where a command would run. */
struct masks_door {
    struct masks *masks;        /* NULL: nobody looks, and the policy decides alone */
    struct hv_sandbox *sandbox; /* NULL: likewise */
    const struct sandbox_options *options;
};

/*
 * policy_decide(), and what the sandbox changes about it. facts were judged under policy with these surroundings; where
 * another judgement counts in the end, it stands in them. Returns the policy by which was decided: policy, or one that
 * lives as long as arena. Blocks, where it matters, on finding out which sandbox there is and what it hides.
 */
const struct policy *masks_decide(const struct masks_door *door, const struct policy *policy,
                                  const struct policy_surroundings *surroundings, struct policy_facts *facts,
                                  struct hv_arena *arena, struct policy_decision *out);

#endif
