/* hook_condition.c: a hook's `if`: which calls it is for. */
#include "base/wildcard.h"
#include "runtime/call.h"

/* `Tool(text *)` of a tool to whose input no rule has access: the tool itself says which text stands for it. */
static bool takes_classified(struct hv_str condition, struct call *call, bool *holds)
{
    const struct hv_tool *tool = call->tool;
    size_t open = hv_str_find_byte(condition, '(', 0);
    if (!tool->classifier_input || tool->subject || tool->subject_kind != HV_SUBJECT_NONE || open == SIZE_MAX ||
        !hv_str_ends(condition, HV_STR(")")) || !hv_tool_is_named(tool, hv_str_slice(condition, 0, open)))
        return false;
    *holds = wildcard_matches(hv_str_slice(condition, open + 1, condition.len - 1),
                              tool->classifier_input(call->input, &call->context), false);
    return true;
}

/* A hook's `if` is a rule: it holds when a deny rule of these words would take the call, or may take it; words that are
 * no rule hold, so that the hook runs. */
bool hook_condition_holds(const struct settings_hook *hook, struct call *call)
{
    if (!hook->condition.len)
        return true;
    if (!call) /* of the session, or a question about a connection, which is no call that a rule could take */
        return !hv_str_is(hook->event, "PermissionRequest");
    struct policy_facts facts;
    permission_facts(call, &facts);
    bool holds;
    if (takes_classified(hook->condition, call, &holds))
        return holds;
    struct policy *policy = runtime_policy(call->runtime);
    holds = policy_rule_takes(policy, hook->condition, &facts);
    policy_unref(policy);
    return holds;
}
