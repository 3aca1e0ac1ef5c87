/*
 * bash.c: Bash: run a shell command.
 *
 * The command runs in bash, with nothing on stdin, in the session's working directory; how it is kept in hand (groups,
 * time-outs, whatever it leaves behind) is the host's business (src/proc/run.h). This file says what it takes and what
 * it is; bash_command.c makes the command, bash_run.c runs it.
 */
#include "tools/bash.h"

#include <string.h>

enum { BASH_LINES_SHOWN = 100 };

#define DEFAULT_TIMEOUT_TEXT "120000"

static const char *const command_aliases[] = {"cmd", NULL};
static const char *const timeout_aliases[] = {"timeout_ms", NULL};
static const char *const background_aliases[] = {"background", "is_background", NULL};
static const char *const on_timeout_aliases[] = {"auto_background", NULL};
static const char *const stdin_values[] = {"empty", "open", NULL};

static const struct hv_field bash_fields[] = {
    {.name = "command",
     .description = "The command, as one would type it in bash.",
     .type = HV_FIELD_STRING,
     .flags = HV_REQUIRED | HV_NON_EMPTY,
     .offset = offsetof(struct bash_input, command),
     .aliases = command_aliases},
    {.name = "timeout",
     .description = "Milliseconds after which the command and all it started is ended; at most 600000.",
     .type = HV_FIELD_INTEGER,
     .offset = offsetof(struct bash_input, timeout),
     .present = 1 + offsetof(struct bash_input, has_timeout),
     .aliases = timeout_aliases,
     .minimum = 1,
     .maximum = BASH_TIMEOUT_MAX_MS,
     .fallback = DEFAULT_TIMEOUT_TEXT},
    {.name = "description",
     .description = "What the command does, in five to ten words, for the person who watches.",
     .type = HV_FIELD_STRING,
     .offset = offsetof(struct bash_input, description)},
    {.name = "run_in_background",
     .description =
         "Give back a task id at once and let the command run on (servers, watchers, long builds); `timeout` "
         "does not apply.",
     .type = HV_FIELD_BOOLEAN,
     .offset = offsetof(struct bash_input, run_in_background),
     .aliases = background_aliases},
    {.name = "background_on_timeout",
     .description = "When the time-out is reached, let the command go on in the background instead of ending it.",
     .type = HV_FIELD_BOOLEAN,
     .offset = offsetof(struct bash_input, background_on_timeout),
     .aliases = on_timeout_aliases},
    {.name = "tty",
     .description = "Give the command a terminal, for programs that prompt or are talked to (interpreters, debuggers). "
                    "When it waits for input it goes on in the background, and TaskInput types to it.",
     .type = HV_FIELD_BOOLEAN,
     .offset = offsetof(struct bash_input, tty)},
    {.name = "stdin",
     .description = "\"open\": keep stdin open, without a terminal, for TaskInput. It is empty otherwise.",
     .type = HV_FIELD_ENUM,
     .offset = offsetof(struct bash_input, stdin_kind),
     .values = stdin_values},
    {.name = "sandbox",
     .description = "false: ask to run it outside the sandbox, when that is what keeps it from working.",
     .type = HV_FIELD_BOOLEAN,
     .offset = offsetof(struct bash_input, sandbox),
     .present = 1 + offsetof(struct bash_input, has_sandbox)},
    {0},
};

/* ---- what it takes ------------------------------------------------------------------------------------- */

static bool asks_to_leave(const struct bash_input *in)
{
    return in->has_sandbox && !in->sandbox;
}

static enum hv_code bash_validate(const void *input, const struct hv_context *context, struct hv_error *err)
{
    const struct bash_input *in = input;
    if (asks_to_leave(in) && !sandbox_may_be_left(context->sandbox)) {
        hv_fail(err, HV_EDENIED, "the settings let no command leave the sandbox (sandbox.allowUnsandboxedCommands)");
        hv_error_hint(err, "Call it again without `sandbox`.");
        hv_error_place(err, "sandbox");
        return HV_EDENIED;
    }
    if (hv_str_find_byte(in->command, '\0', 0) != SIZE_MAX) {
        hv_fail(err, HV_EINVAL, "a command cannot hold a NUL byte");
        hv_error_place(err, "command");
        return HV_EINVAL;
    }
    if (!hv_str_trim(in->command).len) {
        hv_fail(err, HV_EINVAL, "the command is empty");
        hv_error_place(err, "command");
        return HV_EINVAL;
    }
    if (in->tty && in->stdin_kind == BASH_STDIN_OPEN) {
        hv_fail(err, HV_EINVAL, "a terminal is stdin already");
        hv_error_hint(err, "Leave `stdin` out.");
        hv_error_place(err, "stdin");
        return HV_EINVAL;
    }
    return HV_OK;
}

/* ---- what else the descriptor says --------------------------------------------------------------------- */

/* Only commands that provably touch nothing but what they list; the rest is everything. */
static void bash_footprint(const void *input, const struct hv_context *context, struct hv_footprint *out)
{
    const struct shell_judgement *judgement = bash_judge(input, context);
    if (!bash_touches_listed(judgement))
        return;
    out->limited = true;
    for (size_t i = 0; i < judgement->count; i++) {
        const struct shell_act *act = &judgement->acts[i];
        for (size_t j = 0; j < act->read_count; j++)
            hv_footprint_read(out, context->arena, act->reads[j].path);
        for (size_t j = 0; j < act->write_count; j++)
            hv_footprint_write(out, context->arena, act->writes[j].path);
    }
}

static bool bash_concurrency_safe(const void *input, const struct hv_context *context)
{
    const struct bash_input *in = input;
    if (in->run_in_background || in->tty) /* it may outlive the call: what follows it shall find its task */
        return false;
    return bash_touches_listed(bash_judge(in, context));
}

static bool bash_read_only(const void *input, const struct hv_context *context)
{
    const struct shell_judgement *judgement = bash_judge(input, context);
    return judgement->script.accepted && judgement->class == SHELL_READ_ONLY;
}

static bool bash_contained(const void *input, const struct hv_context *context)
{
    const struct bash_input *in = input;
    return sandbox_allows_unasked(context->sandbox, in->command, asks_to_leave(in));
}

static struct hv_str bash_subject(const void *input, const struct hv_context *context)
{
    (void)context;
    return ((const struct bash_input *)input)->command;
}

static void bash_render_use(const void *input, const struct hv_context *context, struct hv_buf *out)
{
    const struct bash_input *in = input;
    (void)context;
    hv_buf_add_cstr(out, "$ ");
    hv_buf_add_str(out, in->command);
}

/* What it prints is shown as it ends: its exit code is in the summary. */
static void bash_render_output(const void *input, const struct hv_context *context, const struct hv_result *result,
                               struct hv_show *out)
{
    (void)input, (void)context;
    for (const struct hv_content *block = result->first; block; block = block->next) {
        struct hv_str text = block->tail.len ? block->tail : block->text;
        /* Of a failed command the first block says how it failed, which the summary tells. */
        if (text.len && !(result->is_error && block == result->first && block->next))
            hv_show_output(out, text, BASH_LINES_SHOWN);
    }
}

/* "3 s, 120 bytes: the last line" (see shell_task.c): how long it takes stands beside it already. */
static void bash_render_progress(const void *input, const struct hv_context *context, struct hv_str text,
                                 struct hv_buf *out)
{
    (void)input, (void)context;
    size_t colon = hv_str_find(text, HV_STR(": "), 0), waits = hv_str_find(text, HV_STR(", waiting for input"), 0);
    if (waits < colon)
        hv_buf_add_cstr(out, "waiting for input: ");
    if (colon != SIZE_MAX)
        hv_buf_add_str(out, hv_str_slice(text, colon + 2, text.len));
}

static const char *const bash_aliases[] = {"run_shell", "bash", "shell", "run_shell_command", "exec_command", NULL};

const struct hv_tool tool_bash = {
    .name = "Bash",
    .aliases = bash_aliases,
    .title = "Run a shell command",
    .search_hint = "run a shell command: build, test, git, any program",
    .description =
        "Runs a command in bash and returns its output, stdout and stderr together as they came, and its exit code "
        "when "
        "that is not 0. The working directory lasts from call to call while it stays inside the workspace; variables "
        "and functions do not. Where there is a sandbox it writes in the workspace and in a /tmp of the session only "
        "(the other tools find the same files there; all of it goes with the session), and reaches only hosts that the "
        "settings allow. Stdin is empty, so a "
        "command that asks questions gets "
        "none answered: use its options "
        "for that (-y, --no-edit), or `tty` for programs that must be talked to. After the time-out (2 minutes unless "
        "`timeout` says otherwise, at most 10) it is ended with all it started. With run_in_background it goes on as a "
        "task, which you are told the end of; so does what a command leaves running (`server &`). All of it ends with "
        "the session. Very long output is stored in a file, of which the beginning and the end are shown.",
    .guide =
        "Use Read, Write, Edit, Glob, Grep and LS rather than cat, sed, find, grep and ls: they are faster and "
        "checked. "
        "Quote paths with blanks. Join commands that depend on each other by &&; make separate calls for "
        "independent ones. Prefer absolute paths to cd. Run servers and watchers with run_in_background, never with "
        "&, nohup or setsid; do not poll a task by sleeping, you are told when it ends.",
    .fields = bash_fields,
    .input_size = sizeof(struct bash_input),
    .output_schema =
        "{\"type\":\"object\",\"properties\":{\"stdout\":{\"type\":\"string\"},\"stderr\":{\"type\":\"string\"},"
        "\"exit_code\":{\"type\":[\"integer\",\"null\"]},\"signal\":{\"type\":[\"string\",\"null\"]},"
        "\"interrupted\":{\"type\":\"boolean\"},\"task_id\":{\"type\":\"string\"},\"output_file\":{\"type\":\"string\"}"
        "},\"required\":[\"stdout\",\"stderr\",\"exit_code\",\"signal\","
        "\"interrupted\"]}",
    .time_limit_ms = UINT64_MAX,
    .subject_kind = HV_SUBJECT_COMMAND,
    .executes = true,
    .goes_to_background = true,
    .is_enabled = bash_is_installed,
    .validate = bash_validate,
    .footprint = bash_footprint,
    .read_only = bash_read_only,
    .concurrency_safe = bash_concurrency_safe,
    .contained = bash_contained,
    .subject = bash_subject,
    .classifier_input = bash_subject,
    .call = bash_call,
    .render_use = bash_render_use,
    .render_result = bash_render_output,
    .render_error = bash_render_output,
    .render_progress = bash_render_progress,
};
