/*
 * ps.c: `helve ps`: the sessions of this user that are alive, what runs in their background, and every process they
 * have. Sessions tell of themselves in small files (proc/presence.h); processes are looked up in /proc, so that the
 * list is that of the kernel, whatever a session believes.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "cli/cli.h"
#include "proc/guard_protocol.h"
#include "proc/inspect.h"
#include "proc/presence.h"
#include "text/controls.h"

#include <unistd.h>

enum { OUTPUT_MAX = 16 << 20, PROCESSES_MAX = 100000, DEPTH_MAX = 40, COMMAND_WIDTH = 200 };

struct ps_flags {
    struct cli_setup_flags setup;
    bool json;
};

#define AT(member) offsetof(struct ps_flags, member)
static const struct option ps_options[] = {
    {"json", 0, OPTION_FLAG, AT(json), NULL, "one object for programs"},
    {.type = OPTION_TABLE, .offset = AT(setup), .table = cli_setup_options},
    {0},
};
#undef AT

/* All that is known. */
struct view {
    struct hv_arena *arena;
    struct presence_session *sessions;
    size_t session_count;
    struct process_info *processes;
    size_t process_count;
};

static bool is_guard(const struct process_info *process)
{
    return hv_str_is(process->name, GUARD_NAME) || hv_str_is(process->name, GUARD_NAME_ALONE) ||
           hv_str_is(process->name, "helve-guard");
}

static const struct process_info *find_process(const struct view *view, int64_t pid)
{
    for (size_t i = 0; i < view->process_count; i++)
        if (view->processes[i].pid == pid)
            return &view->processes[i];
    return NULL;
}

/* What stands between helve and a command: guards, and the sandbox with its helper; one of them may wait for the next
 * command, with none in it. */
static bool is_own(const struct view *view, const struct process_info *process)
{
    if (is_guard(process) || hv_str_is(process->name, "hv-sandbox") || hv_str_is(process->name, "helve-sandbox"))
        return true;
    const struct process_info *parent = hv_str_is(process->name, "bwrap") ? find_process(view, process->parent) : NULL;
    return parent && (is_guard(parent) || hv_str_is(parent->name, "bwrap"));
}

/* These are helve's own affair, and zombies are not alive. */
static bool is_shown(const struct view *view, const struct process_info *process)
{
    return !is_own(view, process) && process->state != 'Z';
}

/* How far below `ancestor` the process is, helve's own not counted; 0: it is no descendant. */
static unsigned depth_below(const struct view *view, const struct process_info *process, int64_t ancestor)
{
    unsigned depth = 1;
    for (unsigned steps = 0; process && steps < 4 * DEPTH_MAX; steps++) {
        if (process->parent == ancestor)
            return depth;
        process = find_process(view, process->parent);
        depth += process && !is_own(view, process);
    }
    return 0;
}

/* The background task that the process belongs to, or NULL: what its first process has started, and what was left to
 * the guard of that one. */
static const struct presence_task *task_of(const struct view *view, const struct presence_session *session,
                                           const struct process_info *process)
{
    for (size_t i = 0; i < session->task_count; i++) {
        const struct presence_task *task = &session->tasks[i];
        const struct process_info *first = task->process ? find_process(view, task->process) : NULL;
        if (!task->process)
            continue;
        if (process->pid == task->process || depth_below(view, process, task->process) ||
            (first && first->parent != session->pid && depth_below(view, process, first->parent)))
            return task;
    }
    return NULL;
}

/* A guard whose helve is gone stays with what could not be killed, and says so by its name: who its parent is now tells
 * nothing, and other programs than helve have guards, too. */
static bool is_left_over(const struct process_info *process)
{
    return process->user == geteuid() && hv_str_is(process->name, GUARD_NAME_ALONE);
}

/* ---- for people -------------------------------------------------------------------------------------------------- */

static void put_age(struct hv_buf *out, uint64_t age_ms)
{
    unsigned long long seconds = age_ms / 1000;
    if (seconds < 120)
        hv_buf_addf(out, "%llu s", seconds);
    else if (seconds < 7200)
        hv_buf_addf(out, "%llu min", seconds / 60);
    else
        hv_buf_addf(out, "%llu h", seconds / 3600);
}

static void put_clean(struct hv_buf *out, struct hv_str text)
{
    controls_show(hv_str_slice(text, 0, COMMAND_WIDTH), out);
}

static void put_process(struct hv_buf *out, const struct process_info *process, unsigned depth)
{
    hv_buf_addf(out, "    %7lld %c  ", (long long)process->pid, process->state);
    size_t start = out->len;
    put_age(out, process->age_ms);
    hv_buf_addf(out, "%*s", (int)(8 - (out->len - start < 7 ? out->len - start : 7)) + (int)(2 * depth), "");
    put_clean(out, process->command);
    hv_buf_add_byte(out, '\n');
}

static size_t put_processes(struct hv_buf *out, const struct view *view, const struct presence_session *session,
                            const struct presence_task *task)
{
    size_t count = 0;
    for (size_t i = 0; i < view->process_count; i++) {
        const struct process_info *process = &view->processes[i];
        unsigned depth = is_shown(view, process) ? depth_below(view, process, session->pid) : 0;
        if (!depth || task_of(view, session, process) != task)
            continue;
        put_process(out, process, depth > DEPTH_MAX ? DEPTH_MAX : depth - 1);
        count++;
    }
    return count;
}

static void put_session(struct hv_buf *out, const struct view *view, const struct presence_session *session)
{
    int64_t age = clock_wall_ns() / (int64_t)CLOCK_MILLISECOND - session->started_ms;
    hv_buf_addf(out, "%s%.*s  helve %.*s, process %lld, for ", out->len ? "\n" : "",
                HV_STR_ARG(hv_str_slice(session->id, 0, 40)), HV_STR_ARG(session->door), (long long)session->pid);
    put_age(out, age > 0 ? (uint64_t)age : 0);
    hv_buf_add_cstr(out, ", in ");
    put_clean(out, session->working_directory);
    hv_buf_add_byte(out, '\n');
    size_t shown = 0;
    for (size_t i = 0; i < session->task_count; i++) {
        const struct presence_task *task = &session->tasks[i];
        hv_buf_addf(out, "  %.*s: ", HV_STR_ARG(task->id));
        put_clean(out, task->title);
        hv_buf_addf(out, "%s\n", task->waits ? " (waits for input)" : "");
        shown += 1 + put_processes(out, view, session, task);
    }
    size_t before = out->len;
    if (put_processes(out, view, session, NULL) == 0 && shown == 0) {
        out->len = before;
        hv_buf_add_cstr(out, "  nothing runs\n");
    }
}

static void put_left_over(struct hv_buf *out, const struct view *view)
{
    bool any = false;
    for (size_t i = 0; i < view->process_count; i++) {
        const struct process_info *guard = find_process(view, view->processes[i].parent);
        if (!guard || !is_left_over(guard))
            continue;
        if (!any)
            hv_buf_addf(out, "%sEnding, their helve is gone:\n", out->len ? "\n" : "");
        any = true;
        put_process(out, &view->processes[i], 0);
    }
}

static void put_text(struct hv_buf *out, const struct view *view)
{
    for (size_t i = 0; i < view->session_count; i++)
        put_session(out, view, &view->sessions[i]);
    put_left_over(out, view);
    if (!out->len)
        hv_buf_add_cstr(out, "No session of helve is running.\n");
}

/* ---- for programs ------------------------------------------------------------------------------------------------ */

static void put_json_process(struct hv_json_writer *writer, const struct process_info *process, struct hv_str task)
{
    char state[2] = {process->state, '\0'};
    hv_json_begin_object(writer);
    hv_json_member_int(writer, "pid", process->pid);
    hv_json_member_int(writer, "parent", process->parent);
    hv_json_member_cstr(writer, "state", state);
    hv_json_member_int(writer, "age_ms", (int64_t)process->age_ms);
    hv_json_member_string(writer, "command", process->command);
    if (task.ptr)
        hv_json_member_string(writer, "task_id", task);
    hv_json_end_object(writer);
}

static void put_json_tasks(struct hv_json_writer *writer, const struct presence_session *session)
{
    hv_json_name(writer, "tasks");
    hv_json_begin_array(writer);
    for (size_t i = 0; i < session->task_count; i++) {
        const struct presence_task *task = &session->tasks[i];
        hv_json_begin_object(writer);
        hv_json_member_string(writer, "task_id", task->id);
        hv_json_member_string(writer, "task_type", task->type);
        hv_json_member_string(writer, "description", task->title);
        if (task->output_file.len)
            hv_json_member_string(writer, "output_file", task->output_file);
        hv_json_member_bool(writer, "waiting_for_input", task->waits);
        hv_json_end_object(writer);
    }
    hv_json_end_array(writer);
}

static void put_json_session(struct hv_json_writer *writer, const struct view *view,
                             const struct presence_session *session)
{
    hv_json_begin_object(writer);
    hv_json_member_string(writer, "session_id", session->id);
    hv_json_member_int(writer, "pid", session->pid);
    hv_json_member_string(writer, "door", session->door);
    hv_json_member_string(writer, "cwd", session->working_directory);
    hv_json_member_int(writer, "started_ms", session->started_ms);
    put_json_tasks(writer, session);
    hv_json_name(writer, "processes");
    hv_json_begin_array(writer);
    for (size_t i = 0; i < view->process_count; i++) {
        const struct process_info *process = &view->processes[i];
        if (!is_shown(view, process) || !depth_below(view, process, session->pid))
            continue;
        const struct presence_task *task = task_of(view, session, process);
        put_json_process(writer, process, task ? task->id : (struct hv_str){0});
    }
    hv_json_end_array(writer);
    hv_json_end_object(writer);
}

static void put_json(struct hv_buf *out, const struct view *view)
{
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, out);
    hv_json_begin_object(&writer);
    hv_json_name(&writer, "sessions");
    hv_json_begin_array(&writer);
    for (size_t i = 0; i < view->session_count; i++)
        put_json_session(&writer, view, &view->sessions[i]);
    hv_json_end_array(&writer);
    hv_json_name(&writer, "left_over");
    hv_json_begin_array(&writer);
    for (size_t i = 0; i < view->process_count; i++) {
        const struct process_info *parent = find_process(view, view->processes[i].parent);
        if (parent && is_left_over(parent))
            put_json_process(&writer, &view->processes[i], (struct hv_str){0});
    }
    hv_json_end_array(&writer);
    hv_json_end_object(&writer);
    hv_buf_add_byte(out, '\n');
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static void find_sessions(struct setup *setup, struct view *view)
{
    struct hv_str directories[SETUP_RUN_DIRECTORIES];
    struct presence_session *found[SETUP_RUN_DIRECTORIES];
    size_t counts[SETUP_RUN_DIRECTORIES], total = 0, count = setup_run_directories(setup, directories);
    for (size_t i = 0; i < count; i++) {
        bool again = i > 0 && hv_str_eq(directories[i], directories[i - 1]);
        counts[i] = 0;
        found[i] = again ? NULL : presence_list(view->arena, directories[i], &counts[i]);
        total += counts[i];
    }
    view->sessions = hv_arena_array(view->arena, struct presence_session, total + 1);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < counts[i]; j++)
            view->sessions[view->session_count++] = found[i][j];
}

static int run(const struct cli_call *call)
{
    const struct ps_flags *flags = call->options;
    CLEANUP_BUF struct hv_buf out = {0};
    struct setup setup = {0};
    struct hv_error err;
    int status;
    hv_buf_init(&out, OUTPUT_MAX);
    if (cli_setup_open(&flags->setup, &setup, &err) != HV_OK) {
        status = cli_usage(&err);
    } else {
        struct view view = {.arena = call->arena};
        find_sessions(&setup, &view);
        view.processes = inspect_all(call->arena, PROCESSES_MAX, &view.process_count);
        if (flags->json)
            put_json(&out, &view);
        else
            put_text(&out, &view);
        status = cli_print(&out, CLI_OK);
    }
    setup_release(&setup);
    return status;
}

const struct cli_command cli_ps_command = {
    .name = "ps",
    .arguments = "",
    .summary = "show the sessions that are alive and the processes they run",
    .text =
        "Sessions of this user, with what runs in their background (as TaskOutput knows it) and all their processes.\n"
        "Nothing of a session outlives it; what a killed session left and cannot be ended is listed last.\n\n"
        "Examples:\n"
        "  helve ps\n"
        "  helve ps --json | jq '.sessions[].processes[].command'",
    .options = ps_options,
    .options_size = sizeof(struct ps_flags),
    .run = run,
};
