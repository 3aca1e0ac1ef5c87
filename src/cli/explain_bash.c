/* explain_bash.c: `helve explain bash`: what a command would do, what would be decided about it, and why. */
#include "policy/explain.h"

#include "base/cleanup.h"
#include "cli/explain.h"

#include "fs/git_probe.h"

#include <unistd.h>

static void answer_command(const struct door_line *line, struct hv_json_writer *writer)
{
    bool bad;
    struct explain_question question = {.tool = explain_shell_tool(), .text = door_bytes(line, "command", &bad)};
    struct policy_facts facts;
    struct policy_decision decision;
    explain_place(line, &question);
    if (!question.tool || !question.text.ptr || bad) {
        hv_json_member_cstr(writer, "class", "needs_confirm");
        hv_json_member_cstr(writer, "decision", "deny");
        hv_json_member_cstr(writer, "reason", question.tool ? "there is no command" : "there is no shell tool");
        return;
    }
    question.field = explain_command_field(question.tool);
    struct policy *policy = explain_line_policy(line, &question);
    explain_facts(&question, policy, &facts);
    struct policy_facts judged = facts; /* the class is told without what a sandbox makes of it */
    (void)explain_decide(&question, policy, &judged, &decision);
    policy_explain_command_members(policy, &facts, &decision, writer);
    policy_unref(policy);
}

static int run_batch(const struct setup *setup, const struct explain_flags *flags)
{
    struct explain_batch batch = {.setup = setup, .flags = flags, .git = git_probe_new()};
    int status = door_run(answer_command, &batch);
    explain_batch_release(&batch);
    return status;
}

static void put_json(const struct policy *policy, const struct policy_facts *facts,
                     const struct policy_decision *decision, struct hv_buf *out)
{
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, out);
    hv_json_begin_object(&writer);
    hv_json_member_string(&writer, "command", facts->subject);
    policy_explain_command_members(policy, facts, decision, &writer);
    hv_json_end_object(&writer);
    hv_buf_add_byte(out, '\n');
}

static int explain_command(const struct explain_flags *flags, const struct setup *setup, const struct cli_call *call)
{
    CLEANUP_BUF struct hv_buf out = {0};
    struct explain_question question = {
        .tool = explain_shell_tool(),
        .text = call->arguments[0],
        .directory = setup->directory,
        .home = setup->home,
        .environment = (const char *const *)environ,
        .arena = call->arena,
    };
    struct policy_facts facts;
    struct policy_decision decision;
    struct explain_sandbox sandbox;
    hv_buf_init(&out, EXPLAIN_OUT_MAX);
    if (!question.tool) {
        cli_note("this helve was built without a shell tool");
        return CLI_FAILED;
    }
    question.field = explain_command_field(question.tool);
    struct policy *policy = explain_policy(flags, setup);
    explain_sandbox_open(&sandbox, setup->host, setup->home, setup->roots, setup->root_count, setup->settings, policy,
                         true);
    question.door = &sandbox.door;
    explain_facts(&question, policy, &facts);
    struct policy_facts judged = facts;
    const struct policy *by = explain_decide(&question, policy, &judged, &decision);
    if (flags->json)
        put_json(policy, &facts, &decision, &out);
    else
        policy_explain_write(by, &judged, &decision, false, &out);
    explain_sandbox_release(&sandbox);
    policy_unref(policy);
    return cli_print(&out, CLI_OK);
}

static int run_command(const struct cli_call *call)
{
    const struct explain_flags *flags = call->options;
    struct hv_error err;
    struct setup setup = {0};
    int status;
    if (!flags->batch && call->argument_count == 0) {
        hv_fail(&err, HV_EINVAL, "`helve explain bash` needs a COMMAND, or --batch");
        return cli_usage(&err);
    }
    if (cli_setup_open(&flags->setup, &setup, &err) != HV_OK)
        status = cli_usage(&err);
    else if (flags->batch)
        status = run_batch(&setup, flags);
    else
        status = explain_command(flags, &setup, call);
    if (status == CLI_OK && !flags->batch)
        cli_tell_problems(&setup);
    setup_release(&setup);
    return status;
}

static const struct option command_options[] = {
    {"json", 0, OPTION_FLAG, offsetof(struct explain_flags, json), NULL, "as JSON"},
    {"batch", 0, OPTION_FLAG, offsetof(struct explain_flags, batch), NULL,
     "lines {id, command, cwd?, env?, roots?, mode?, rules?} on stdin, an answer a line"},
    {.type = OPTION_TABLE, .offset = offsetof(struct explain_flags, setup), .table = cli_setup_options},
    {0},
};

const struct cli_command cli_explain_bash_command = {
    .name = "explain bash",
    .arguments = "COMMAND",
    .summary = "tell what a shell command does, what would be decided about it, why, and by which rule",
    .text =
        "Each part of the command stands on a line of its own: ok (needs nobody's leave), ask, confirm (asked each\n"
        "time, whatever the rules say) or never, and the reason.\n\n"
        "Examples:\n  helve explain bash 'git push --force'\n"
        "  helve explain bash 'make test' --allowed-tools 'Bash(make *)' --json",
    .options = command_options,
    .options_size = sizeof(struct explain_flags),
    .most = 1,
    .run = run_command,
};
