/* confined.c: see confined.h. */
#include "masks/confined.h"

#include "masks/walked.h"

static void release_policy(void *policy)
{
    policy_unref(policy);
}

/* What a full sandbox hides, and what git tracks, needs nobody's leave. */
static const struct policy *decide_masked(const struct masks_door *door, const struct policy *policy,
                                          const struct policy_surroundings *surroundings, struct policy_facts *facts,
                                          struct hv_arena *arena, struct policy_decision *out)
{
    size_t count;
    const struct hv_str *places = masks_places(door->masks, policy, arena, &count);
    if (!count)
        return policy;
    struct policy *masked = policy_with_masked(policy, places, count);
    hv_arena_on_release(arena, release_policy, masked);
    policy_judge_command(masked, surroundings, arena, facts);
    policy_decide(masked, facts, arena, out);
    return masked;
}

const struct policy *masks_decide(const struct masks_door *door, const struct policy *policy,
                                  const struct policy_surroundings *surroundings, struct policy_facts *facts,
                                  struct hv_arena *arena, struct policy_decision *out)
{
    struct sandbox_state state;
    policy_decide(policy, facts, arena, out);
    bool walks = out->verdict == HV_ALLOW && masks_could_be_walked(facts);
    bool confirms = facts->command && out->stage == POLICY_STAGE_ALWAYS_CONFIRM;
    if (!door->masks || !door->sandbox || !(walks || confirms))
        return policy;
    sandbox_look(door->sandbox, &state);
    bool leaves = facts->input && !hv_json_bool(hv_json_get(facts->input, "sandbox"), true);
    bool confined = sandbox_would_confine(door->options, &state, facts->subject, leaves);
    if (confirms && confined)
        return decide_masked(door, policy, surroundings, facts, arena, out);
    if (walks && !confined) {
        struct sandbox_masks masks;
        masks_find(door->masks, policy, arena, &masks);
        masks_restrict(policy, masks_walked(&masks, facts, arena), out, arena);
    }
    return policy;
}
