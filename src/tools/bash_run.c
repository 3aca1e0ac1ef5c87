/*
 * bash_run.c: the run of a command and its result. It begins in the foreground or in the background; in the foreground
 * it may be handed over: when its time is over and that is wanted, when it waits for somebody to type, or when only
 * what it left behind still runs. See bash.h.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "proc/run.h"
#include "tools/bash.h"
#include "tools/task_text.h"

#include <signal.h>
#include <string.h>

enum {
    TERMINAL_SLICE_MS = 50,  /* how often a command with a terminal is looked at … */
    TERMINAL_QUIET_MS = 250, /* … and how long it must have been quiet to be waiting */
    STOP_GRACE_S = 2,
};

/* Why a command goes on in the background. */
enum hand_over { STAYS = 0, OVER_TIME, WAITS_FOR_INPUT, LEFT_SOMETHING, SENT_AWAY };

void bash_add_note(struct bash_run *run, struct hv_str note)
{
    if (note.len)
        run->notes = hv_arena_format(run->context->arena, "%.*s%s%.*s", HV_STR_ARG(run->notes),
                                     run->notes.len ? "\n" : "", HV_STR_ARG(note));
}

/* ---- results of what ended in the foreground --------------------------------------------------------------------- */

/* " (SIGSEGV)" for 139: how bash tells of a child that a signal ended. */
static const char *signal_of_code(const struct bash_run *run, int code)
{
    char name[16];
    if (code <= 128 || code > 128 + 31)
        return "";
    return hv_arena_format(run->context->arena, ", %s", proc_signal_name(code - 128, name, sizeof name)).ptr;
}

/* The shell itself said in the output that something failed. */
static bool bash_complains(const struct bash_run *run)
{
    struct hv_str rest = spool_stream(run->spool, HV_STDOUT, run->context->arena), line;
    while (hv_str_split(&rest, '\n', &line))
        if (hv_str_starts(line, HV_STR("bash: ")))
            return true;
    return false;
}

static bool is_answer(const struct bash_run *run)
{
    bool certain;
    return shell_code_is_answer(bash_judge(run->input, run->context), run->ended.code, &certain) &&
           (certain || !spool_size(run->spool) ||
            (bash_others_are_told(bash_judge(run->input, run->context)) && !bash_complains(run)));
}

/* One line that says why this is a failure; NULL when it is none. */
static const char *failure(const struct bash_run *run)
{
    struct hv_arena *arena = run->context->arena;
    const struct hv_exit *ended = &run->ended;
    char name[16];
    if (ended->cancelled)
        return "The command was cancelled and ended.";
    if (ended->timed_out)
        return hv_arena_format(
                   arena,
                   "The command timed out after %llu ms and was ended%s, with all it started. Give it a longer "
                   "`timeout` (at most %d), or make it do less.",
                   (unsigned long long)run->timeout_ms,
                   ended->signal == SIGKILL ? " (by SIGKILL, since it did not heed SIGTERM)" : "", BASH_TIMEOUT_MAX_MS)
            .ptr;
    if (ended->stopped)
        return "The command was ended because it wrote too much.";
    if (ended->signal)
        return hv_arena_format(arena, "Command failed (ended by %s)",
                               proc_signal_name(ended->signal, name, sizeof name))
            .ptr;
    if (ended->code && !is_answer(run))
        return hv_arena_format(arena, "Command failed (exit code %d%s)", ended->code, signal_of_code(run, ended->code))
            .ptr;
    return NULL;
}

static void add_exit_notes(struct bash_run *run)
{
    bash_add_note(run, spool_note(run->spool, run->context->arena));
    if (run->ended.left_running && run->shell)
        bash_add_note(run,
                      HV_STR("Processes that the command left in the background were ended: they live no longer than "
                             "its shell."));
    if (run->ended.code > 0 && is_answer(run))
        bash_add_note(run, hv_arena_format(run->context->arena, "(exit code %d)", run->ended.code));
}

/* For hooks and programs, bounded. Both streams are one, in the order they came. */
static struct hv_str structured(const struct bash_run *run)
{
    struct hv_arena *arena = run->context->arena;
    struct hv_json_writer writer;
    struct hv_buf text;
    char name[16];
    hv_buf_init(&text, 1 << 20);
    hv_json_writer_init(&writer, &text);
    hv_json_begin_object(&writer);
    hv_json_member_string(&writer, "stdout", spool_stream(run->spool, HV_STDOUT, arena));
    hv_json_member_cstr(&writer, "stderr", "");
    hv_json_member_int(&writer, "exit_code", run->ended.code);
    hv_json_member_cstr(&writer, "signal",
                        run->ended.signal ? proc_signal_name(run->ended.signal, name, sizeof name) : NULL);
    hv_json_member_bool(&writer, "interrupted", run->ended.cancelled || run->ended.timed_out || run->ended.stopped);
    hv_json_end_object(&writer);
    struct hv_str json = hv_arena_str(arena, hv_buf_str(&text));
    hv_buf_release(&text);
    return json;
}

static struct hv_str summary(const struct bash_run *run)
{
    struct hv_arena *arena = run->context->arena;
    const struct hv_exit *ended = &run->ended;
    char name[16];
    if (ended->cancelled || ended->timed_out || ended->stopped)
        return hv_str_from(ended->cancelled ? "cancelled" : ended->timed_out ? "timed out" : "stopped");
    if (ended->signal)
        return hv_arena_format(arena, "%s", proc_signal_name(ended->signal, name, sizeof name));
    if (ended->code)
        return hv_arena_format(arena, "exit %d", ended->code);
    unsigned long long lines = spool_lines(run->spool);
    return hv_arena_format(arena, "%llu %s", lines, lines == 1 ? "line" : "lines");
}

static void make_result(struct bash_run *run, struct hv_result *result)
{
    struct hv_arena *arena = run->context->arena;
    const char *failed = failure(run);
    bash_end_sandbox(run);
    add_exit_notes(run);
    if (failed) {
        result->is_error = true;
        hv_result_addf(result, arena, "%s\n", failed);
    }
    spool_finish(run->spool, arena, result);
    if (run->notes.len)
        hv_result_addf(result, arena, "%s%.*s\n", spool_size(run->spool) ? "\n" : "", HV_STR_ARG(run->notes));
    result->structured = structured(run);
    result->summary = summary(run);
}

/* ---- in the background ------------------------------------------------------------------------------------------- */

/* For hooks and programs. */
static struct hv_str structured_task(struct bash_run *run, const struct hv_task_view *view)
{
    struct hv_arena *arena = run->context->arena;
    struct hv_json_writer writer;
    CLEANUP_BUF struct hv_buf text = {.max = 1 << 20};
    hv_json_writer_init(&writer, &text);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "stdout", "");
    hv_json_member_cstr(&writer, "stderr", "");
    hv_json_member_cstr(&writer, "exit_code", NULL);
    hv_json_member_cstr(&writer, "signal", NULL);
    hv_json_member_bool(&writer, "interrupted", false);
    hv_json_member_string(&writer, "task_id", view->id);
    hv_json_member_string(&writer, "output_file", view->output_file);
    hv_json_end_object(&writer);
    return hv_arena_str(arena, hv_buf_str(&text));
}

/* The tools that one needs for a task are offered from now on. */
static void offer_tools(struct hv_context *context, bool takes_input)
{
    context->services->activate_tool(context, HV_STR("TaskOutput"));
    context->services->activate_tool(context, HV_STR("TaskStop"));
    if (takes_input)
        context->services->activate_tool(context, HV_STR("TaskInput"));
}

static void task_result(struct bash_run *run, struct hv_task *task, enum hand_over why, struct hv_result *result)
{
    struct hv_context *context = run->context;
    const struct hv_tasks *tasks = context->services->tasks;
    struct hv_task_view view;
    struct hv_str output = why == STAYS ? (struct hv_str){0} : task_text_output(tasks, task, context->arena, result);
    if (output.len)
        hv_result_add_text(result, context->arena, output);
    tasks->look(task, context->arena, &view);
    const char *id = hv_arena_cstr(context->arena, view.id);
    if (why == OVER_TIME)
        hv_result_addf(result, context->arena,
                       "\nThe command still runs after %llu ms and goes on in the background as %s.\n",
                       (unsigned long long)run->timeout_ms, id);
    else if (why == WAITS_FOR_INPUT)
        hv_result_addf(result, context->arena,
                       "\nThe command waits for input and goes on in the background as %s. TaskInput types to it.\n",
                       id);
    else if (why == SENT_AWAY)
        hv_result_addf(result, context->arena,
                       "\nThe user sent the command to the background, where it goes on as %s.\n", id);
    else
        hv_result_addf(result, context->arena, "Started in the background as %s.\n", id);
    hv_result_addf(result, context->arena,
                   "TaskOutput shows its further output, TaskStop ends it; you are told when it ends. It lives no "
                   "longer than this session. %s%.*s\n",
                   view.output_file.len ? "All of its output is in " : "",
                   HV_STR_ARG(view.output_file.len ? view.output_file : view.lost));
    offer_tools(context, run->shell->takes_input);
    result->structured = structured_task(run, &view);
    result->summary = hv_arena_format(context->arena, "%s", id);
}

static struct hv_str title_of(const struct bash_run *run)
{
    return hv_str_trim(run->input->command);
}

/* Give the running command to the session. On a fault it is still ours. */
static enum hv_code hand_over(struct bash_run *run, enum hand_over why, struct hv_result *result, struct hv_error *err)
{
    struct hv_context *context = run->context;
    struct hv_task *task;
    struct hv_str id = context->services->tasks->reserve(context, "bash");
    enum hv_code code = bash_become_task(run, "bash", id, title_of(run), &task, err);
    if (code == HV_OK)
        task_result(run, task, why, result);
    return code;
}

/* The command has ended, but left something that lives: this becomes a task with an output of its own. */
static void hand_over_rest(struct bash_run *run)
{
    struct hv_context *context = run->context;
    struct hv_task *task;
    struct hv_str id = context->services->tasks->reserve(context, "bash");
    struct hv_str title = hv_arena_format(context->arena, "left by: %.*s", HV_STR_ARG(title_of(run)));
    run->spool = shell_change_spool(run->shell, id);
    run->shell->left_over = true;
    if (shell_become_task(run->shell, "bash", id, title, &task, NULL) != HV_OK) {
        run->ended.left_running = true; /* then it ends here */
        shell_free(run->shell);
        bash_add_note(run, HV_STR("Processes that the command left in the background were ended."));
    } else {
        bash_add_note(run,
                      hv_arena_format(context->arena,
                                      "What the command left in the background goes on as %.*s: TaskOutput shows "
                                      "its further output, TaskStop ends it. It lives no longer than this session.",
                                      HV_STR_ARG(id)));
        offer_tools(context, false);
    }
    run->shell = NULL;
}

/* timeout_ns, spool_name and wake: as in shell_options. */
static enum hv_code start(struct bash_run *run, uint64_t timeout_ns, struct hv_str spool_name,
                          const struct hv_cancel *wake, struct hv_error *err)
{
    struct bash_command command;
    enum hv_code code = bash_make_command(run, &command, err);
    if (code != HV_OK)
        return code;
    struct shell_options options = {
        .argv = command.argv,
        .environment = command.environment,
        .directory = command.directory,
        .timeout_ns = timeout_ns,
        .prepared = command.prepared,
        .wake = wake,
        .tty = run->input->tty,
        .open_stdin = run->input->stdin_kind == BASH_STDIN_OPEN,
        .spool_name = spool_name,
    };
    return shell_start(run->context, &options, &run->shell, err);
}

static enum hv_code run_in_background(struct bash_run *run, struct hv_result *result, struct hv_error *err)
{
    struct hv_context *context = run->context;
    struct hv_task *task;
    struct hv_str id = context->services->tasks->reserve(context, "bash");
    enum hv_code code = start(run, 0, id, NULL, err);
    if (code != HV_OK)
        return code;
    code = bash_become_task(run, "bash", id, title_of(run), &task, err);
    if (code == HV_OK)
        task_result(run, task, STAYS, result);
    else
        shell_free(run->shell);
    return code;
}

/* ---- in the foreground ------------------------------------------------------------------------------------------- */

static bool waits_quietly(struct shell *shell)
{
    return clock_monotonic_ns() - shell->quiet_since_ns >= TERMINAL_QUIET_MS * CLOCK_MILLISECOND && shell_waits(shell);
}

/* Look after the command until it has ended, or should go on in the background. */
static enum hand_over attend(struct bash_run *run)
{
    struct shell *shell = run->shell;
    const struct hv_processes *processes = shell->processes;
    bool may_hand_over = shell->tasks != NULL;
    bool waited = false; /* when it was looked at last: what it wrote before it waited may not have been read then */
    for (;;) {
        bool over_time = may_hand_over && (run->input->background_on_timeout || run->kept);
        bool watches = may_hand_over && shell->takes_input;
        uint64_t slice = clock_monotonic_ns() + TERMINAL_SLICE_MS * CLOCK_MILLISECOND;
        uint64_t until = over_time ? run->deadline_ns : 0;
        until = watches && (!until || slice < until) ? slice : until;
        switch (processes->attend(shell->process, until)) {
        case HV_PROCESS_ENDED: return STAYS;
        case HV_PROCESS_LINGERING: return LEFT_SOMETHING;
        default: break;
        }
        if (hv_cancelled(run->context->cancel))
            may_hand_over = false; /* it is being ended */
        else if (may_hand_over && !run->kept && hv_cancelled(run->context->background))
            return SENT_AWAY;
        else if (over_time && clock_monotonic_ns() >= run->deadline_ns)
            return OVER_TIME;
        bool waits = watches && may_hand_over && waits_quietly(shell);
        if (waits && waited)
            return WAITS_FOR_INPUT;
        waited = waits;
    }
}

/* It has ended, or ends now: how it was. */
static enum hv_code conclude(struct bash_run *run, struct hv_error *err)
{
    enum hv_code code = shell_finish(run->shell, run->confined, &run->ended, err);
    if (code == HV_OK) {
        run->spool = run->shell->spool;
        run->shell->spool = NULL;
    }
    return code;
}

/* The end of a command of which only descendants live: known without waiting for them. */
static enum hv_code leave_rest(struct bash_run *run, struct hv_result *result)
{
    run->shell->processes->exit_of(run->shell->process, &run->ended);
    run->ended.left_running = false;
    hand_over_rest(run);
    bash_follow_directory(run);
    make_result(run, result);
    return HV_OK;
}

/* A person wants it in the background. False: it stays, and its time is kept by attend. */
static bool send_away(struct bash_run *run, struct hv_result *result)
{
    struct hv_error err;
    if (hand_over(run, SENT_AWAY, result, &err) == HV_OK)
        return true;
    run->kept = true;
    bash_add_note(run, hv_arena_format(run->context->arena, "The user wanted it to go on in the background, but: %s",
                                       err.message));
    return false;
}

static enum hv_code run_in_foreground(struct bash_run *run, struct hv_result *result, struct hv_error *err)
{
    uint64_t timeout_ns = run->input->background_on_timeout ? 0 : run->timeout_ms * CLOCK_MILLISECOND;
    run->deadline_ns = clock_monotonic_ns() + run->timeout_ms * CLOCK_MILLISECOND;
    enum hv_code code = start(run, timeout_ns, (struct hv_str){0}, run->context->background, err);
    if (code != HV_OK)
        return code;
    enum hand_over why = attend(run);
    if (why == SENT_AWAY && send_away(run, result))
        return HV_OK;
    if (why == SENT_AWAY)
        why = attend(run);
    if (why == LEFT_SOMETHING)
        return leave_rest(run, result);
    if (why != STAYS && hand_over(run, why, result, NULL) == HV_OK)
        return HV_OK;
    if (why != STAYS) /* no task could be made of it: its time is over */
        run->shell->processes->stop(run->shell->process, STOP_GRACE_S * CLOCK_SECOND);
    while (run->shell->processes->attend(run->shell->process, 0) != HV_PROCESS_ENDED)
        ;
    code = conclude(run, err);
    if (code == HV_OK) {
        run->ended.timed_out = run->ended.timed_out || why != STAYS;
        bash_follow_directory(run);
        make_result(run, result);
    }
    shell_free(run->shell);
    return code;
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

static enum hv_code check_abilities(const struct bash_run *run, struct hv_error *err)
{
    const struct bash_input *in = run->input;
    if (!run->context->host->processes)
        return hv_fail(err, HV_EUNSUPPORTED, "this session cannot run commands");
    if (!run->context->services->tasks && (in->run_in_background || in->stdin_kind == BASH_STDIN_OPEN)) {
        hv_fail(err, HV_EUNSUPPORTED, "this session runs nothing in the background");
        hv_error_hint(err, "Run it in the foreground.");
        return HV_EUNSUPPORTED;
    }
    return HV_OK;
}

enum hv_code bash_call(const void *input, struct hv_context *context, void **data, struct hv_result *result,
                       struct hv_error *err)
{
    (void)data;
    struct bash_input in = *(const struct bash_input *)input;
    struct bash_run run = {.context = context, .input = &in};
    in.background_on_timeout = in.background_on_timeout || shell_switch(context, "HELVE_BACKGROUND_ON_TIMEOUT");
    run.timeout_ms = (uint64_t)in.timeout;
    if (!in.has_timeout) {
        uint64_t wanted = shell_number(context, "BASH_DEFAULT_TIMEOUT_MS", BASH_TIMEOUT_DEFAULT_MS);
        run.timeout_ms = wanted < BASH_TIMEOUT_MAX_MS ? wanted : BASH_TIMEOUT_MAX_MS;
    }
    enum hv_code code = check_abilities(&run, err);
    if (code == HV_OK)
        code = bash_choose_directory(&run, err);
    if (code == HV_OK)
        code = in.run_in_background ? run_in_background(&run, result, err) : run_in_foreground(&run, result, err);
    bash_end_sandbox(&run);
    spool_free(run.spool);
    return code;
}
