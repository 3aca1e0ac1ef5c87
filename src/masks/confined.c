/* confined.c: see confined.h. */
#include "masks/confined.h"

#include "masks/walked.h"

static void release_policy(void *policy)
{
    policy_unref(policy);
}

/* user: the struct sandbox_files. */
static void show(void *user, struct hv_arena *arena, struct policy_path *path)
{
    struct hv_str shown = sandbox_files_shown(user, arena, path->resolved);
    path->of_session = shown.len > 0;
    path->resolved = shown.len ? shown : path->resolved;
}

/* What a full sandbox hides, and what git tracks, needs nobody's leave; nor do files in the session's own /tmp. */
static const struct policy *decide_confined(const struct masks_door *door, const struct policy *policy,
                                            const struct policy_surroundings *surroundings, struct policy_facts *facts,
                                            struct hv_arena *arena, struct policy_decision *out)
{
    size_t count = 0;
    struct sandbox_files *files = hv_arena_new(arena, struct sandbox_files);
    struct policy_surroundings inside = *surroundings;
    if (out->stage == POLICY_STAGE_ALWAYS_CONFIRM) {
        const struct hv_str *places = masks_places(door->masks, policy, arena, &count);
        if (!count)
            return policy;
        struct policy *masked = policy_with_masked(policy, places, count);
        hv_arena_on_release(arena, release_policy, masked);
        policy = masked;
    }
    sandbox_files_init(files, door->sandbox, surroundings->host, arena);
    inside.host = &files->host;
    inside.show = show, inside.show_user = files;
    facts->confined = true;
    policy_judge_command(policy, &inside, arena, facts);
    policy_decide(policy, facts, arena, out);
    return policy;
}

/* A person would be asked, or nobody may be, for no other reason than that nothing allows it. */
static bool lacks_leave(const struct policy *policy, const struct policy_decision *decision)
{
    bool refused = decision->stage == POLICY_STAGE_MODE && decision->verdict == HV_DENY;
    return decision->stage == POLICY_STAGE_ASK || (refused && policy_mode_of(policy) == POLICY_DONT_ASK);
}

const struct policy *masks_decide(const struct masks_door *door, const struct policy *policy,
                                  const struct policy_surroundings *surroundings, struct policy_facts *facts,
                                  struct hv_arena *arena, struct policy_decision *out)
{
    struct sandbox_state state;
    facts->confined = false;
    policy_decide(policy, facts, arena, out);
    bool walks = out->verdict == HV_ALLOW && masks_could_be_walked(facts);
    bool asks = facts->command && (out->stage == POLICY_STAGE_ALWAYS_CONFIRM || lacks_leave(policy, out));
    if (!door->masks || !door->sandbox || !(walks || asks))
        return policy;
    sandbox_look(door->sandbox, &state);
    bool leaves = facts->input && !hv_json_bool(hv_json_get(facts->input, "sandbox"), true);
    bool confined = sandbox_would_confine(door->options, &state, facts->subject, leaves);
    if (asks && confined)
        return decide_confined(door, policy, surroundings, facts, arena, out);
    if (walks && !confined) {
        struct sandbox_masks masks;
        masks_find(door->masks, policy, arena, &masks);
        masks_restrict(policy, masks_walked(&masks, facts, arena), out, arena);
    }
    return policy;
}
