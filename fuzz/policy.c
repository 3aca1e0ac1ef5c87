/*
 * policy.c: rules and calls as a stranger could write them. The input is a line of three letters (mode, tool, flags),
 * then fields that end with a NUL: the subject (command, host, name or path), then rules, each "allow …", "ask …" or
 * "deny …". Checked beside the sanitizers: a denial that is added never loosens, a permission never overrides what is
 * decided before permissions, a proposal does what it promises, an explanation is valid JSON.
 */
#include "policy/policy.h"
#include "base/path.h"
#include "policy/explain.h"
#include "policy/judged.h"

#include <stdint.h>
#include <stdlib.h>

enum { RULES_MAX = 8, INPUT_MAX = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct hv_field bash_fields[] = {{"command", NULL, HV_FIELD_STRING}, {0}};
static const char *const edit_names[] = {"Edit", NULL};
static const struct hv_tool tools[] = {
    {.name = "Bash", .subject_kind = HV_SUBJECT_COMMAND, .fields = bash_fields},
    {.name = "Read", .subject_kind = HV_SUBJECT_PATH},
    {.name = "Write", .rule_names = edit_names, .subject_kind = HV_SUBJECT_PATH, .only_edits_files = true},
    {.name = "WebFetch", .subject_kind = HV_SUBJECT_DOMAIN},
    {.name = "Agent", .subject_kind = HV_SUBJECT_NAME},
    {.name = "mcp__server__tool"},
};
enum { TOOL_COUNT = sizeof tools / sizeof *tools };

static void require(bool holds)
{
    if (!holds)
        abort();
}

static enum hv_verdict cut_verdict(struct hv_str *text)
{
    static const struct hv_str words[] = {{"allow ", 6}, {"ask ", 4}, {"deny ", 5}};
    for (int i = 0; i < 3; i++)
        if (hv_str_starts(*text, words[i])) {
            *text = hv_str_slice(*text, words[i].len, text->len);
            return (enum hv_verdict)(HV_ALLOW + i);
        }
    return HV_DENY;
}

static struct policy_decision decide(const struct policy *policy, const struct policy_facts *facts,
                                     struct hv_arena *arena)
{
    struct policy_decision decision;
    policy_decide(policy, facts, arena, &decision);
    require(decision.verdict >= HV_ALLOW && decision.verdict <= HV_DENY && decision.reason.len);
    return decision;
}

/* HV_ALLOW, HV_ASK, HV_DENY grow in strictness. */
static void check_added_rules(const struct policy *policy, const struct policy_facts *facts,
                              const struct policy_decision *before, struct hv_str rule, struct hv_arena *arena)
{
    struct policy *denying = policy_with_rule(policy, POLICY_SESSION, HV_DENY, rule, NULL);
    struct policy *asking = policy_with_rule(policy, POLICY_SESSION, HV_ASK, rule, NULL);
    struct policy *allowing = policy_with_rule(policy, POLICY_SESSION, HV_ALLOW, rule, NULL);
    if (denying)
        require(decide(denying, facts, arena).verdict >= before->verdict);
    /* Asking comes before the mode: in plan mode a person may be asked about what the mode alone denies. */
    bool plan_denies = policy_mode_of(policy) == POLICY_PLAN && before->stage == POLICY_STAGE_MODE;
    if (asking)
        require(decide(asking, facts, arena).verdict >= (plan_denies ? HV_ASK : before->verdict));
    if (allowing) {
        enum hv_verdict after = decide(allowing, facts, arena).verdict;
        require(after <= before->verdict);
        require(after == before->verdict || (before->stage >= POLICY_STAGE_MODE && facts->own != HV_DENY));
    }
    policy_unref(denying);
    policy_unref(asking);
    policy_unref(allowing);
}

/* All proposals together allow the call. */
static void check_proposals(struct policy *policy, const struct policy_facts *facts,
                            const struct policy_decision *decision, struct hv_arena *arena)
{
    struct policy *grown = policy_ref(policy);
    for (size_t i = 0; i < decision->proposal_count; i++) {
        struct policy *next = policy_with_rule(grown, POLICY_SESSION, HV_ALLOW, decision->proposals[i], NULL);
        require(next != NULL);
        policy_unref(grown);
        grown = next;
    }
    require(!decision->proposal_count || decide(grown, facts, arena).verdict == HV_ALLOW);
    policy_unref(grown);
}

static bool is_whole_tool(struct hv_str rule)
{
    return hv_str_find_byte(rule, '(', 0) == SIZE_MAX || hv_str_ends(rule, HV_STR("(*)")) ||
           hv_str_ends(rule, HV_STR("(:*)"));
}

/* What is never run is denied in every mode; what was not understood is allowed by nothing but the whole tool. */
static void check_command(struct policy *policy, const struct policy_facts *facts,
                          const struct policy_decision *decision, struct hv_arena *arena)
{
    struct hv_str why;
    if (!facts->command)
        return;
    enum policy_command_class class = policy_classify_command(policy, facts, arena, &why);
    require(why.len > 0);
    require(class != POLICY_COMMAND_FORBID || decision->verdict == HV_DENY);
    require(class != POLICY_COMMAND_ALWAYS_CONFIRM || decision->verdict != HV_ALLOW);
    require(class != POLICY_COMMAND_READ_ONLY || facts->read_only);
    bool by_rule = decision->rule.len && is_whole_tool(decision->rule);
    if (!facts->command->accepted && decision->verdict == HV_ALLOW)
        require(policy_mode_of(policy) == POLICY_BYPASS || by_rule || facts->hook == HV_ALLOW ||
                facts->own == HV_ALLOW);
    struct policy *bypass = policy_with_mode(policy, POLICY_BYPASS);
    if (class == POLICY_COMMAND_FORBID)
        require(decide(bypass, facts, arena).verdict == HV_DENY);
    policy_unref(bypass);
}

static void check_explanations(const struct policy *policy, const struct policy_facts *facts,
                               const struct policy_decision *decision, struct hv_str rule, struct hv_arena *arena)
{
    const struct hv_tool *list[TOOL_COUNT];
    const struct hv_json *json;
    struct hv_buf out = {.max = 64 << 20};
    for (int i = 0; i < TOOL_COUNT; i++)
        list[i] = &tools[i];
    policy_explain_write(policy, facts, decision, true, &out);
    require(out.failed || hv_json_parse(arena, hv_buf_str(&out), HV_JSON_STRICT, &json, NULL) == HV_OK);
    hv_buf_clear(&out);
    policy_explain_rule(policy, rule, list, TOOL_COUNT, true, &out);
    require(out.failed || hv_json_parse(arena, hv_buf_str(&out), HV_JSON_STRICT, &json, NULL) == HV_OK);
    hv_buf_clear(&out);
    policy_explain_write(policy, facts, decision, false, &out);
    policy_explain_rule(policy, rule, list, TOOL_COUNT, false, &out);
    hv_buf_release(&out);
}

/* The facts that the first line and the subject stand for. */
static struct policy_facts make_facts(const uint8_t head[3], struct hv_str subject, struct policy_path *path,
                                      struct hv_arena *arena)
{
    struct policy_facts facts = {.tool = &tools[head[1] % TOOL_COUNT],
                                 .subject = subject,
                                 .read_only = head[2] & 1,
                                 .interactive = head[2] & 2,
                                 .hook = (enum hv_verdict)(head[2] >> 2 & 3),
                                 .own = (enum hv_verdict)(head[2] >> 4 & 3)};
    if (facts.tool->subject_kind != HV_SUBJECT_PATH)
        return facts;
    facts.subject = (struct hv_str){0};
    facts.touches_listed_only = true;
    policy_path_resolve(NULL, arena, path_expand(arena, subject, HV_STR("/"), (struct hv_str){0}), path);
    if (facts.tool->only_edits_files)
        facts.writes = path, facts.write_count = 1;
    else
        facts.reads = path, facts.read_count = 1;
    return facts;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hv_arena arena = {0};
    struct settings_flag_rule rules[RULES_MAX];
    struct policy_options options = {.directory = HV_STR("/ws"), .home = HV_STR("/home/me"), .has_mode = true};
    struct hv_str subject = {0}, last = HV_STR("Bash(make)");
    struct policy_path path;
    if (size < 4 || size > INPUT_MAX)
        return 0;
    struct hv_str rest = {(const char *)data + 4, size - 4};
    (void)hv_str_split(&rest, '\0', &subject);
    while (options.rule_count < RULES_MAX && hv_str_split(&rest, '\0', &last)) {
        enum hv_verdict verdict = cut_verdict(&last);
        rules[options.rule_count++] = (struct settings_flag_rule){verdict, last};
    }
    options.rules = rules;
    options.mode = (enum policy_mode)(data[0] % (POLICY_BYPASS + 1));
    struct policy *policy = policy_new(&options);
    struct policy_facts facts = make_facts(data, subject, &path, &arena);
    static const struct policy_surroundings surroundings = {.git_is_tamed = true};
    if (facts.tool->subject_kind == HV_SUBJECT_COMMAND && !(data[2] & 64))
        policy_judge_command(policy, &surroundings, &arena, &facts);
    struct policy_decision decision = decide(policy, &facts, &arena);
    check_added_rules(policy, &facts, &decision, last, &arena);
    check_proposals(policy, &facts, &decision, &arena);
    check_command(policy, &facts, &decision, &arena);
    check_explanations(policy, &facts, &decision, last, &arena);
    policy_unref(policy);
    hv_arena_release(&arena);
    return 0;
}
