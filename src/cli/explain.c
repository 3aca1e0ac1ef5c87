/*
 * explain.c: `helve explain path` and `rule`: what would be decided, and why, without running anything.
 */
#include "policy/explain.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "cli/explain.h"

/* ---- one path ---------------------------------------------------------------------------------------------------- */

#define AT(member) offsetof(struct explain_flags, member)
static const struct option path_options[] = {
    {"tool", 0, OPTION_TEXT, AT(tool), "NAME", "for this tool; without it for each that takes a path"},
    {"json", 0, OPTION_FLAG, AT(json), NULL, "one JSON object a decision"},
    {"batch", 0, OPTION_FLAG, AT(batch), NULL,
     "lines {id, tool, path, cwd?, roots?, mode?, rules?} on stdin, an answer a line"},
    {.type = OPTION_TABLE, .offset = AT(setup), .table = cli_setup_options},
    {0},
};
#undef AT

static void put_refused(struct hv_str path, const struct hv_tool *tool, const char *why, bool json, struct hv_buf *out)
{
    struct hv_json_writer writer;
    if (!json) {
        hv_buf_addf(out, "%s: refuse: %s\n", tool->name, why);
        return;
    }
    hv_json_writer_init(&writer, out);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "decision", "refuse");
    hv_json_member_cstr(&writer, "tool", tool->name);
    hv_json_member_string(&writer, "path", path);
    hv_json_member_cstr(&writer, "reason", why);
    hv_json_end_object(&writer);
    hv_buf_add_byte(out, '\n');
}

static void put_path(const struct policy *policy, const struct explain_question *question, bool json, bool brief,
                     struct hv_buf *out)
{
    struct policy_facts facts;
    struct policy_decision decision;
    const char *refused = policy_path_refused(question->text);
    if (refused) {
        put_refused(question->text, question->tool, refused, json, out);
        return;
    }
    explain_facts(question, policy, &facts);
    policy_decide(policy, &facts, question->arena, &decision);
    if (json || !brief) {
        policy_explain_write(policy, &facts, &decision, json, out);
        return;
    }
    hv_buf_addf(out, "%-12s %-15s %.*s", question->tool->name, policy_explain_outcome(policy, &facts, &decision),
                HV_STR_ARG(decision.reason));
    if (decision.rule.len > 0)
        hv_buf_addf(out, "  [%.*s, %.*s]", HV_STR_ARG(decision.rule), HV_STR_ARG(decision.scope));
    hv_buf_add_byte(out, '\n');
}

/* What a command writes below /tmp in the full sandbox is not what the answer is about. */
static void put_which_tmp(const struct explain_question *question, struct hv_buf *out)
{
    struct hv_str path = path_expand(question->arena, question->text, question->directory, question->home);
    if (path_inside(path, HV_STR("/tmp")) && !path_inside(path, question->directory))
        hv_buf_add_cstr(out,
                        "This is about the machine's /tmp. In the full sandbox a session has a /tmp of its own, for "
                        "commands and tools alike: what is new there is the session's.\n");
}

static int explain_path(const struct explain_flags *flags, const struct setup *setup, const struct cli_call *call)
{
    CLEANUP_BUF struct hv_buf out = {0};
    struct hv_error err;
    struct explain_question question = {
        .text = call->arguments[0], .directory = setup->directory, .home = setup->home, .arena = call->arena};
    size_t count;
    const struct hv_tool *const *tools = hv_builtin_tools(&count), *wanted = NULL;
    hv_buf_init(&out, EXPLAIN_OUT_MAX);
    if (flags->tool.ptr && !(wanted = explain_path_tool(flags->tool, &err)))
        return cli_usage(&err);
    struct policy *policy = explain_policy(flags, setup);
    for (size_t i = 0; i < count; i++) {
        question.tool = tools[i];
        question.field = explain_path_field(tools[i]);
        if (wanted ? tools[i] == wanted : question.field && tools[i]->subject_kind != HV_SUBJECT_COMMAND)
            put_path(policy, &question, flags->json, !wanted, &out);
    }
    if (!wanted && !flags->json)
        hv_buf_add_cstr(&out, "Commands are judged by their words: helve explain bash COMMAND\n");
    if (!flags->json && !policy_path_refused(question.text))
        put_which_tmp(&question, &out);
    policy_unref(policy);
    return cli_print(&out, CLI_OK);
}

/* ---- batch ------------------------------------------------------------------------------------------------------- */

static void answer_path(const struct door_line *line, struct hv_json_writer *writer)
{
    struct hv_error err;
    bool bad;
    struct explain_question question = {.text = door_bytes(line, "path", &bad)};
    explain_place(line, &question);
    question.tool = explain_path_tool(hv_json_get_string(line->value, "tool"), &err);
    const char *refused = question.text.ptr && !bad ? policy_path_refused(question.text) : "there is no path";
    if (!question.tool || refused) {
        hv_json_member_cstr(writer, "decision", question.tool ? "refuse" : "deny");
        hv_json_member_cstr(writer, "reason", question.tool ? refused : err.message);
        return;
    }
    question.field = explain_path_field(question.tool);
    struct policy_facts facts;
    struct policy_decision decision;
    struct policy *policy = explain_line_policy(line, &question);
    explain_facts(&question, policy, &facts);
    policy_decide(policy, &facts, line->arena, &decision);
    policy_explain_members(policy, &facts, &decision, writer);
    policy_unref(policy);
}

static int run_path_batch(const struct setup *setup, const struct explain_flags *flags)
{
    struct explain_batch batch = {.setup = setup, .flags = flags};
    int status = door_run(answer_path, &batch);
    explain_batch_release(&batch);
    return status;
}

static int run_path(const struct cli_call *call)
{
    const struct explain_flags *flags = call->options;
    struct hv_error err;
    struct setup setup = {0};
    int status;
    if (!flags->batch && call->argument_count == 0) {
        hv_fail(&err, HV_EINVAL, "`helve explain path` needs a FILE, or --batch");
        return cli_usage(&err);
    }
    if (cli_setup_open(&flags->setup, &setup, &err) != HV_OK)
        status = cli_usage(&err);
    else if (flags->batch)
        status = run_path_batch(&setup, flags);
    else
        status = explain_path(flags, &setup, call);
    if (status == CLI_OK && !flags->batch)
        cli_tell_problems(&setup);
    setup_release(&setup);
    return status;
}

const struct cli_command cli_explain_path_command = {
    .name = "explain path",
    .arguments = "FILE",
    .summary = "tell what would be decided about a file, why, and by which rule",
    .text = "Examples:\n  helve explain path .env\n  helve explain path src/main.c --tool Edit --permission-mode plan\n"
            "  helve explain path ~/.ssh/id_rsa --json",
    .options = path_options,
    .options_size = sizeof(struct explain_flags),
    .most = 1,
    .run = run_path,
};

/* ---- rules ------------------------------------------------------------------------------------------------------- */

static int run_rule(const struct cli_call *call)
{
    const struct explain_flags *flags = call->options;
    CLEANUP_BUF struct hv_buf out = {0};
    struct hv_error err;
    struct setup setup = {0};
    size_t count;
    int status;
    const struct hv_tool *const *tools = hv_builtin_tools(&count);
    hv_buf_init(&out, EXPLAIN_OUT_MAX);
    if (cli_setup_open(&flags->setup, &setup, &err) != HV_OK) {
        status = cli_usage(&err);
    } else {
        struct policy *policy = explain_policy(flags, &setup);
        bool usable = policy_explain_rule(policy, call->arguments[0], tools, count, flags->json, &out);
        policy_unref(policy);
        status = cli_print(&out, usable ? CLI_OK : CLI_FAILED);
    }
    setup_release(&setup);
    return status;
}

static const struct option rule_options[] = {
    {"json", 0, OPTION_FLAG, offsetof(struct explain_flags, json), NULL, "as JSON"},
    {.type = OPTION_TABLE, .offset = offsetof(struct explain_flags, setup), .table = cli_setup_options},
    {0},
};

const struct cli_command cli_explain_rule_command = {
    .name = "explain rule",
    .arguments = "RULE",
    .summary = "tell what a permission rule means, and which rules beat it",
    .text = "Exit code: 1 when no list could use the rule.\n\n"
            "Examples:\n  helve explain rule 'Bash(git diff:*)'\n  helve explain rule 'Edit(src/**)' --json",
    .options = rule_options,
    .options_size = sizeof(struct explain_flags),
    .least = 1,
    .most = 1,
    .run = run_rule,
};
