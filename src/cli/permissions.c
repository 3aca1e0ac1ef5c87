/*
 * permissions.c: `helve permissions test FILE`: whether rules decide as their author thinks. The file names rules and
 * calls with what must come of them; nothing is run.
 */
#include "cli/explain.h"

#include <unistd.h>

#include "base/cleanup.h"
#include "fs/git_probe.h"
#include "policy/explain.h"
#include "policy/visible.h"

enum { FILE_MAX = 16 << 20, SHOWN_MAX = 300 };

/* A run over one file. */
struct check {
    const struct setup *setup;
    const struct hv_json *file;
    struct explain_question question; /* the place of all of them */
    struct policy *policy;            /* of the cases */
    bool quiet;
    size_t passed, failed;
    struct hv_buf out;
};

/* ---- telling ----------------------------------------------------------------------------------------------------- */

static void tell(struct check *check, bool good, const char *what, struct hv_str subject, struct hv_str found)
{
    *(good ? &check->passed : &check->failed) += 1;
    if (good && check->quiet)
        return;
    hv_buf_addf(&check->out, "%s  %s  ", good ? "ok    " : "FAILED", what);
    visible_add(&check->out, hv_str_slice(subject, 0, SHOWN_MAX));
    if (!good) {
        hv_buf_add_cstr(&check->out, "\n        ");
        visible_add(&check->out, found);
    }
    hv_buf_add_byte(&check->out, '\n');
}

/* ---- one call ---------------------------------------------------------------------------------------------------- */

/* The question about a subject of this tool ("Bash": a command, else a path); false when there is no such tool. */
static bool ask(const struct check *check, struct hv_str tool, struct hv_str subject, struct explain_question *out,
                struct hv_error *err)
{
    const struct hv_tool *shell = explain_shell_tool();
    *out = check->question;
    out->text = subject;
    bool is_shell = shell && hv_tool_is_named(shell, tool);
    out->tool = is_shell ? shell : explain_path_tool(tool, err);
    if (out->tool)
        out->field = is_shell ? explain_command_field(shell) : explain_path_field(out->tool);
    return out->tool != NULL;
}

static void judge(const struct explain_question *question, const struct policy *policy, struct policy_facts *facts,
                  struct policy_decision *decision)
{
    explain_facts(question, policy, facts);
    policy_decide(policy, facts, question->arena, decision);
}

/* What came of it in one word: "forbid" and "always_confirm" are told apart from "deny" and "ask". */
static const char *outcome_of(const struct policy *policy, const struct policy_facts *facts,
                              const struct policy_decision *decision)
{
    if (decision->stage == POLICY_STAGE_FORBIDDEN && decision->verdict == HV_DENY)
        return "forbid";
    return policy_explain_outcome(policy, facts, decision);
}

/* "ask" also takes what is confirmed each time, "deny" what is forbidden. */
static bool is_expected(const char *outcome, struct hv_str expected)
{
    return hv_str_is(expected, outcome) ||
           (hv_str_is(expected, "ask") && hv_str_is(HV_STR("always_confirm"), outcome)) ||
           (hv_str_is(expected, "deny") && hv_str_is(HV_STR("forbid"), outcome));
}

static bool is_one_of(struct hv_str text, const char *const *names)
{
    while (*names && !hv_str_is(text, *names))
        names++;
    return *names != NULL;
}

/* {"command": "make", "expect": "allow", "rule": "Bash(make)"} or {"tool": "Read", "path": ".env", "expect": "deny"} */
static enum hv_code check_case(struct check *check, const struct hv_json *value, struct hv_error *err)
{
    struct hv_str command = hv_json_get_string(value, "command"), path = hv_json_get_string(value, "path");
    struct hv_str expected = hv_json_get_string(value, "expect"), rule = hv_json_get_string(value, "rule");
    struct hv_str tool = command.ptr ? HV_STR("Bash") : hv_json_get_string(value, "tool");
    struct hv_str subject = command.ptr ? command : path;
    struct explain_question question;
    struct policy_facts facts;
    struct policy_decision decision;
    static const char *const outcomes[] = {"allow", "ask", "deny", "always_confirm", "forbid", NULL};
    if (!subject.ptr || !expected.ptr || !tool.ptr)
        return hv_fail(err, HV_EINVAL, "a case needs `command`, or `tool` and `path`, and `expect`");
    if (!is_one_of(expected, outcomes))
        return hv_fail(err, HV_EINVAL, "\"%.*s\" is nothing that `expect` may be", HV_STR_ARG(expected));
    if (!ask(check, tool, subject, &question, err))
        return HV_ENOTFOUND;
    judge(&question, check->policy, &facts, &decision);
    const char *outcome = outcome_of(check->policy, &facts, &decision);
    bool good = is_expected(outcome, expected) && (!rule.ptr || hv_str_eq(rule, decision.rule));
    struct hv_str found =
        hv_arena_format(question.arena, "expected %.*s%s%.*s, found %s: %.*s", HV_STR_ARG(expected),
                        rule.ptr ? " by " : "", HV_STR_ARG(rule), outcome, HV_STR_ARG(decision.reason));
    tell(check, good, hv_arena_cstr(question.arena, expected), subject, found);
    return HV_OK;
}

/* ---- one rule ---------------------------------------------------------------------------------------------------- */

/* A rule alone, in its list. */
struct lone_rule {
    enum hv_verdict verdict;
    struct hv_str text, tool;
    struct policy *policy;
};

static bool rule_matches(const struct lone_rule *rule, const struct explain_question *question)
{
    static const enum policy_stage stages[] = {
        [HV_ALLOW] = POLICY_STAGE_ALLOW_RULE, [HV_ASK] = POLICY_STAGE_ASK_RULE, [HV_DENY] = POLICY_STAGE_DENY_RULE};
    struct policy_facts facts;
    struct policy_decision decision;
    judge(question, rule->policy, &facts, &decision);
    if (rule->verdict != HV_ALLOW || decision.verdict != HV_ALLOW)
        return decision.stage == stages[rule->verdict];
    /* What may be done without a rule counts when the rule's words take it. */
    return decision.stage == POLICY_STAGE_ALLOW_RULE || policy_rule_takes(rule->policy, rule->text, &facts);
}

static enum hv_code check_subjects(struct check *check, const struct lone_rule *rule, const struct hv_json *subjects,
                                   bool expected, struct hv_error *err)
{
    hv_json_each(subject, subjects)
    {
        struct explain_question question;
        struct hv_str text = hv_json_string(subject);
        if (!text.ptr)
            return hv_fail(err, HV_EINVAL, "what a rule matches, or not, is a list of texts");
        if (!ask(check, rule->tool, text, &question, err))
            return HV_ENOTFOUND;
        bool matches = rule_matches(rule, &question);
        struct hv_str found = hv_arena_format(question.arena, "the rule %.*s %s it", HV_STR_ARG(rule->text),
                                              matches ? "matches" : "does not match");
        tell(check, matches == expected, expected ? "matches" : "not    ", text, found);
    }
    return HV_OK;
}

static enum hv_verdict verdict_from(struct hv_str list)
{
    return hv_str_is(list, "deny") ? HV_DENY : hv_str_is(list, "ask") ? HV_ASK : HV_ALLOW;
}

/* {"rule": "Bash(git diff:*)", "list": "allow", "matches": ["git diff"], "not": ["git diff-index"]} */
static enum hv_code check_rule(struct check *check, const struct hv_json *value, struct hv_error *err)
{
    const struct explain_question *place = &check->question;
    struct lone_rule rule = {.verdict = verdict_from(hv_json_get_string(value, "list")),
                             .text = hv_json_get_string(value, "rule")};
    struct policy_options options = {.host = check->setup->host,
                                     .directory = place->directory,
                                     .home = place->home,
                                     .has_mode = true,
                                     .ignores_case = policy_probe_case(check->setup->host, place->directory)};
    options.tools = hv_builtin_tools(&options.tool_count);
    static const char *const lists[] = {"allow", "ask", "deny", NULL};
    const struct hv_json *list = hv_json_get(value, "list");
    if (!rule.text.len)
        return hv_fail(err, HV_EINVAL, "an element of `rules` needs `rule`");
    if (list && !is_one_of(hv_json_string(list), lists))
        return hv_fail(err, HV_EINVAL, "`list` is allow, ask or deny");
    rule.tool = hv_str_slice(rule.text, 0, hv_str_find_byte(rule.text, '(', 0));
    struct policy *empty = policy_new(&options);
    rule.policy = policy_with_rule(empty, POLICY_COMMAND_LINE, rule.verdict, rule.text, err);
    policy_unref(empty);
    if (!rule.policy)
        return HV_EINVAL;
    enum hv_code code = check_subjects(check, &rule, hv_json_get(value, "matches"), true, err);
    if (code == HV_OK)
        code = check_subjects(check, &rule, hv_json_get(value, "not"), false, err);
    policy_unref(rule.policy);
    return code;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static enum hv_code check_all(struct check *check, struct hv_error *err)
{
    static const char *const known[] = {"permissions", "mode", "rules", "cases", "description", NULL};
    const struct hv_json *mode = hv_json_get(check->file, "mode");
    enum policy_mode ignored;
    if (mode && !policy_mode_from(hv_json_string(mode), &ignored))
        return hv_fail(err, HV_EINVAL, "`mode` is none that there is");
    hv_json_each(member, check->file)
    {
        if (!is_one_of(member->key, known))
            return hv_fail(err, HV_EINVAL, "\"%.*s\" is nothing that a file of cases has", HV_STR_ARG(member->key));
    }
    enum hv_code code = HV_OK;
    hv_json_each(value, hv_json_get(check->file, "rules")) if (code == HV_OK) code = check_rule(check, value, err);
    hv_json_each(value, hv_json_get(check->file, "cases")) if (code == HV_OK) code = check_case(check, value, err);
    if (code == HV_OK && check->passed + check->failed == 0)
        return hv_fail(err, HV_EINVAL, "the file has no case: \"cases\" and \"rules\" are empty");
    return code;
}

/* The rules of the file alone, or, when it has none, those of this machine. */
static struct policy *policy_of(const struct check *check, const struct explain_flags *flags)
{
    const struct hv_json *permissions = hv_json_get(check->file, "permissions");
    struct hv_str mode = hv_json_get_string(check->file, "mode");
    struct explain_rules rules = {0};
    enum policy_mode wanted;
    if (!permissions) {
        struct policy *own = explain_policy(flags, check->setup), *in_mode = NULL;
        if (!mode.ptr || !policy_mode_from(mode, &wanted))
            return own;
        in_mode = policy_with_mode(own, wanted);
        policy_unref(own);
        return in_mode;
    }
    explain_read_rules(permissions, check->question.arena, &rules);
    struct policy_options options = {
        .host = check->setup->host,
        .directory = check->question.directory,
        .home = check->question.home,
        .rules = rules.rules,
        .rule_count = rules.count,
        .ignores_case = policy_probe_case(check->setup->host, check->question.directory),
    };
    options.tools = hv_builtin_tools(&options.tool_count);
    options.has_mode = mode.ptr && policy_mode_from(mode, &options.mode);
    return policy_new(&options);
}

static int report(struct check *check)
{
    hv_buf_addf(&check->out, "%zu passed, %zu failed\n", check->passed, check->failed);
    return cli_print(&check->out, check->failed ? CLI_FAILED : CLI_OK);
}

static int test_file(const struct explain_flags *flags, const struct setup *setup, const struct cli_call *call)
{
    struct hv_error err;
    struct hv_str text;
    struct check check = {.setup = setup, .quiet = !flags->json, .question = {.arena = call->arena}};
    check.question.directory = setup->directory;
    check.question.home = setup->home;
    check.question.environment = (const char *const *)environ;
    if (cli_read_json_argument(call->arena, call->arguments[0], &text, &err) != HV_OK ||
        hv_json_parse(call->arena, text, HV_JSON_ALLOW_BOM, &check.file, &err) != HV_OK)
        return cli_usage(&err);
    check.question.git = git_probe_new();
    check.policy = policy_of(&check, flags);
    hv_buf_init(&check.out, FILE_MAX);
    enum hv_code code = check_all(&check, &err);
    int status = code == HV_OK ? report(&check) : cli_usage(&err);
    hv_buf_release(&check.out);
    policy_unref(check.policy);
    git_probe_free(check.question.git);
    return status;
}

static int run_test(const struct cli_call *call)
{
    const struct explain_flags *flags = call->options;
    struct hv_error err;
    struct setup setup = {0};
    int status =
        cli_setup_open(&flags->setup, &setup, &err) == HV_OK ? test_file(flags, &setup, call) : cli_usage(&err);
    setup_release(&setup);
    return status;
}

static const struct option test_options[] = {
    {"all", 0, OPTION_FLAG, offsetof(struct explain_flags, json), NULL, "tell the cases that passed, too"},
    {.type = OPTION_TABLE, .offset = offsetof(struct explain_flags, setup), .table = cli_setup_options},
    {0},
};

const struct cli_command cli_permissions_test_command = {
    .name = "permissions test",
    .arguments = "FILE",
    .summary = "check that permission rules decide as they should",
    .text =
        "FILE is JSON (or the JSON itself):\n"
        "  {\"permissions\": {\"allow\": [...], \"ask\": [...], \"deny\": [...]},  what is tested; without it: your "
        "settings\n"
        "   \"mode\": \"default\",\n"
        "   \"cases\": [{\"command\": \"git push\", \"expect\": \"ask\"},\n"
        "             {\"tool\": \"Read\", \"path\": \".env\", \"expect\": \"deny\", \"rule\": \"Read(.env)\"}],\n"
        "   \"rules\": [{\"rule\": \"Bash(git diff:*)\", \"list\": \"allow\",     a rule by itself\n"
        "              \"matches\": [\"git diff --stat\"], \"not\": [\"git diff-index HEAD\", \"git diff | sh\"]}]}\n"
        "expect is allow, ask, deny, always_confirm (an ask that no rule can settle) or forbid (a deny of every "
        "mode).\n"
        "Nothing is run. Exit code: 1 when a case fails, 2 when the file cannot be used.",
    .options = test_options,
    .options_size = sizeof(struct explain_flags),
    .least = 1,
    .most = 1,
    .run = run_test,
};
