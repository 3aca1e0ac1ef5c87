/* shell_task.c: see shell_task.h. */
#include "tools/shell_task.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "proc/run.h"

#include <string.h>

enum {
    TASK_MEMORY = 16 << 10, /* of a task's output; its file has the rest */
    LOOK_EVERY_MS = 1000,
    FIRST_LOOKS_MS = 20,          /* until its first process is known */
    WAITING_TOLD_AFTER_MS = 5000, /* a task that nobody talks with has waited that long for input: the model is told */
    STOP_GRACE_S = 2,
};

/* ---- settings by environment ------------------------------------------------------------------------------------- */

static struct hv_str variable(const struct hv_context *context, const char *name)
{
    size_t len = strlen(name);
    for (const char *const *entry = context->environment; entry && *entry; entry++)
        if (strncmp(*entry, name, len) == 0 && (*entry)[len] == '=')
            return hv_str_from(*entry + len + 1);
    return (struct hv_str){0};
}

uint64_t shell_number(const struct hv_context *context, const char *name, uint64_t fallback)
{
    int64_t value;
    return hv_str_to_int64(hv_str_trim(variable(context, name)), &value) && value > 0 ? (uint64_t)value : fallback;
}

bool shell_switch(const struct hv_context *context, const char *name)
{
    struct hv_str value = hv_str_trim(variable(context, name));
    return value.len && !hv_str_is(value, "0") && !hv_str_is(value, "false");
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

static bool on_output(void *user, enum hv_stream stream, struct hv_str bytes)
{
    struct shell *shell = user;
    pthread_mutex_lock(&shell->lock);
    bool room = spool_add(shell->spool, stream, bytes);
    shell->quiet_since_ns = clock_monotonic_ns();
    shell->told_waiting = false;
    pthread_mutex_unlock(&shell->lock);
    if (shell->on_output)
        shell->on_output(shell->user, bytes);
    if (shell->task)
        shell->tasks->changed(shell->task);
    return room;
}

static void on_tick(void *user, uint64_t elapsed_ns)
{
    struct shell *shell = user;
    struct hv_str line = hv_str_trim(spool_last_line(shell->spool));
    hv_progress(shell->context, "%llu s, %llu bytes%s%s%.*s", (unsigned long long)(elapsed_ns / CLOCK_SECOND),
                (unsigned long long)spool_size(shell->spool), shell_waits(shell) ? ", waiting for input" : "",
                line.len ? ": " : "", HV_STR_ARG(line));
}

static struct spool *make_spool(const struct hv_context *context, struct hv_str name)
{
    struct spool_options options = {
        .directory = context->results_directory,
        .name = name.len ? name : HV_STR("bash"),
        .inline_max = name.len ? TASK_MEMORY : 0,
        .plain_name = name.len > 0,
        .merged = name.len > 0,
        .file_max = shell_number(context, "HELVE_MAX_OUTPUT_BYTES", 0),
    };
    return spool_new(&options);
}

struct spool *shell_change_spool(struct shell *shell, struct hv_str name)
{
    struct spool *before = shell->spool;
    shell->spool = make_spool(shell->context, name);
    return before;
}

/* ---- its sandbox ------------------------------------------------------------------------------------------------- */

enum hv_code shell_confine(const struct hv_context *context, struct hv_str command, bool asks_to_leave,
                           struct hv_str directory, struct shell_sandbox **out, struct hv_error *err)
{
    struct shell_sandbox *confined = hv_calloc(1, sizeof *confined);
    *out = NULL;
    confined->sandbox = context->sandbox;
    confined->directory = hv_arena_str(&confined->arena, directory);
    enum hv_code code = sandbox_begin(context->sandbox, &confined->arena, hv_arena_str(&confined->arena, command),
                                      asks_to_leave, context->only_reads, &confined->run, err);
    for (size_t i = 0; code == HV_OK && i < context->address_count; i++)
        sandbox_let_reach(context->sandbox, &confined->run, context->addresses[i]);
    if (code == HV_OK && confined->run.level != SANDBOX_LEVEL_NONE) {
        *out = confined;
        return code;
    }
    hv_arena_release(&confined->arena);
    free(confined);
    return code;
}

struct hv_str shell_end_sandbox(struct shell_sandbox *confined, struct hv_arena *arena, struct hv_str output,
                                bool failed)
{
    if (!confined)
        return (struct hv_str){0};
    struct hv_str said =
        sandbox_end(confined->sandbox, &confined->run, &confined->arena, output, confined->directory, failed);
    said = said.len ? hv_arena_str(arena, said) : (struct hv_str){0};
    hv_arena_release(&confined->arena);
    free(confined);
    return said;
}

/* What it wrote at the last: that is where refusals are told. */
static void tell_refusals(struct shell *shell, bool failed, struct hv_task_end *end)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf output = {.max = TASK_MEMORY + 1};
    {
        LOCK_SCOPE(&shell->lock);
        uint64_t size = spool_kept(shell->spool);
        spool_read(shell->spool, size > TASK_MEMORY ? size - TASK_MEMORY : 0, TASK_MEMORY, &output);
    }
    if (shell->confined && shell->task)
        shell->confined->run.cancelled = hv_cancelled(shell->tasks->cancel(shell->task));
    struct hv_str said = shell_end_sandbox(take_ptr(shell->confined), &arena, hv_buf_str(&output), failed);
    snprintf(end->remark, sizeof end->remark, "%.*s", HV_STR_ARG(hv_str_slice(said, 0, HV_TASK_REMARK - 1)));
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

enum hv_code shell_start(struct hv_context *context, const struct shell_options *options, struct shell **out,
                         struct hv_error *err)
{
    struct shell *shell = hv_calloc(1, sizeof *shell);
    shell->processes = context->host->processes;
    shell->context = context;
    shell->tasks = context->services->tasks;
    shell->tty = options->tty;
    shell->takes_input = options->tty || options->open_stdin;
    shell->spool = make_spool(context, options->spool_name);
    shell->quiet_since_ns = clock_monotonic_ns();
    pthread_mutex_init(&shell->process_lock, NULL);
    pthread_mutex_init(&shell->lock, NULL);
    struct hv_command command = {
        .argv = options->argv,
        .environment = options->environment,
        .directory = options->directory,
        .timeout_ns = options->timeout_ns,
        .cancel = context->cancel,
        .on_output = on_output,
        .on_tick = on_tick,
        .user = shell,
        .tty = options->tty,
        .one_output = true,
        .keeps_input = options->open_stdin,
        .lingers = shell->tasks != NULL,
        .prepared = options->prepared,
        .wake = options->wake,
    };
    enum hv_code code = shell->processes->start(context->host, &command, &shell->process, err);
    if (code != HV_OK)
        shell_free(shell);
    else
        *out = shell;
    return code;
}

enum hv_code shell_finish(struct shell *shell, struct shell_sandbox *confined, struct hv_exit *out,
                          struct hv_error *err)
{
    const struct hv_processes *processes = shell->processes;
    pthread_mutex_lock(&shell->process_lock);
    struct hv_process *process = take_ptr(shell->process);
    pthread_mutex_unlock(&shell->process_lock);
    return confined && processes->conclude ? processes->conclude(process, out, &confined->run.prepared, err)
                                           : processes->finish(process, out, err);
}

void shell_free(struct shell *shell)
{
    struct hv_exit ended;
    if (!shell)
        return;
    if (shell->process && shell_finish(shell, shell->confined, &ended, NULL) != HV_OK)
        ended = (struct hv_exit){0}; /* it never started: nobody wants to know any more */
    CLEANUP_ARENA struct hv_arena arena = {0};
    (void)shell_end_sandbox(take_ptr(shell->confined), &arena, (struct hv_str){0}, false);
    spool_free(shell->spool);
    if (shell->free_user)
        shell->free_user(shell->user);
    pthread_mutex_destroy(&shell->process_lock);
    pthread_mutex_destroy(&shell->lock);
    free(shell);
}

bool shell_waits(struct shell *shell)
{
    LOCK_SCOPE(&shell->process_lock);
    return shell->takes_input && shell->process && shell->processes->waits(shell->process);
}

/* ---- as a task: its own thread ----------------------------------------------------------------------------------- */

/* A prompt that nobody answers would be waited at for ever: say it once, when nobody seems to know. */
static void tell_waiting(struct shell *shell)
{
    char line[256];
    pthread_mutex_lock(&shell->lock);
    uint64_t quiet = clock_monotonic_ns() - shell->quiet_since_ns;
    bool told = shell->told_waiting;
    struct hv_str last = hv_str_trim(spool_last_line(shell->spool));
    snprintf(line, sizeof line, "%.*s", HV_STR_ARG(last));
    pthread_mutex_unlock(&shell->lock);
    if (told || quiet < WAITING_TOLD_AFTER_MS * CLOCK_MILLISECOND || !shell_waits(shell))
        return;
    CLEANUP_ARENA struct hv_arena arena = {0};
    pthread_mutex_lock(&shell->lock);
    shell->told_waiting = true;
    pthread_mutex_unlock(&shell->lock);
    shell->tasks->note(shell->task,
                       hv_arena_format(&arena, "it waits for input (TaskInput types to it, TaskStop ends it)%s%s",
                                       line[0] ? ". Its last line: " : "", line));
}

static void tell_left_over(struct shell *shell)
{
    shell->tasks->note(shell->task, HV_STR("the command itself has ended; what it left in the background still runs"));
}

static void attend(struct shell *shell)
{
    enum hv_process_state before = shell->left_over ? HV_PROCESS_LINGERING : HV_PROCESS_RUNNING;
    bool known = false;
    for (;;) {
        uint64_t wait = known ? LOOK_EVERY_MS : FIRST_LOOKS_MS;
        enum hv_process_state state =
            shell->processes->attend(shell->process, clock_monotonic_ns() + wait * CLOCK_MILLISECOND);
        if (state == HV_PROCESS_ENDED)
            return;
        if (!known && (known = shell->processes->id(shell->process) > 0))
            shell->tasks->located(shell->task);
        if (state != before && state == HV_PROCESS_LINGERING)
            tell_left_over(shell);
        before = state;
        if (shell->on_look && !shell->on_look(shell->user))
            shell->processes->stop(shell->process, STOP_GRACE_S * CLOCK_SECOND);
        if (shell->takes_input)
            tell_waiting(shell);
    }
}

static void describe_end(const struct shell *shell, const struct hv_exit *ended, struct hv_task_end *end)
{
    char name[16];
    end->status = ended->code == 0 || shell->left_over ? HV_TASK_COMPLETED : HV_TASK_FAILED;
    if (ended->cancelled) {
        end->status = HV_TASK_STOPPED;
    } else if (ended->stopped) {
        end->status = HV_TASK_FAILED;
        snprintf(end->text, sizeof end->text, "it wrote too much (%llu bytes)",
                 (unsigned long long)spool_size(shell->spool));
    } else if (!shell->left_over && ended->signal) {
        snprintf(end->text, sizeof end->text, "ended by %s", proc_signal_name(ended->signal, name, sizeof name));
    } else if (!shell->left_over) {
        end->has_exit_code = true;
        end->exit_code = ended->code;
        snprintf(end->text, sizeof end->text, "exit code %d", ended->code);
    }
}

static void run(void *self, struct hv_task *task, struct hv_task_end *end)
{
    struct shell *shell = self;
    struct hv_exit ended;
    struct hv_error err;
    shell->task = task;
    shell->processes->adopt(shell->process, shell->tasks->cancel(task), false);
    attend(shell);
    if (shell_finish(shell, shell->confined, &ended, &err) == HV_OK) {
        describe_end(shell, &ended, end);
    } else {
        end->status = HV_TASK_FAILED;
        snprintf(end->text, sizeof end->text, "%.*s", HV_TASK_END_TEXT - 1, err.message);
    }
    tell_refusals(shell, end->status == HV_TASK_FAILED, end);
    if (shell->on_end)
        shell->on_end(shell->user, end);
    LOCK_SCOPE(&shell->lock);
    spool_settle(shell->spool);
}

/* ---- as a task: any thread --------------------------------------------------------------------------------------- */

/* Whoever reads learns that it waits: the model need not be told again. */
static uint64_t read_output(void *self, uint64_t from, size_t limit, struct hv_buf *out, uint64_t *size)
{
    struct shell *shell = self;
    bool waiting = limit && shell_waits(shell);
    LOCK_SCOPE(&shell->lock);
    shell->told_waiting = shell->told_waiting || waiting;
    *size = spool_kept(shell->spool);
    return from < *size && limit ? spool_read(shell->spool, from, limit, out) : from;
}

static enum hv_code write_input(void *self, struct hv_str bytes, struct hv_error *err)
{
    struct shell *shell = self;
    LOCK_SCOPE(&shell->process_lock);
    if (!shell->process)
        return hv_fail(err, HV_EUNSUPPORTED, "it has ended");
    return shell->processes->write(shell->process, bytes, err);
}

static void interrupt(void *self)
{
    struct shell *shell = self;
    LOCK_SCOPE(&shell->process_lock);
    if (shell->process)
        shell->processes->interrupt(shell->process);
}

static void close_input(void *self)
{
    struct shell *shell = self;
    LOCK_SCOPE(&shell->process_lock);
    if (shell->process)
        shell->processes->close_input(shell->process);
}

static bool waits(void *self)
{
    return shell_waits(self);
}

static int64_t process_id(void *self)
{
    struct shell *shell = self;
    LOCK_SCOPE(&shell->process_lock);
    return shell->process ? shell->processes->id(shell->process) : 0;
}

static struct hv_str lost(void *self, struct hv_arena *arena)
{
    struct shell *shell = self;
    LOCK_SCOPE(&shell->lock);
    return spool_lost(shell->spool, arena);
}

static void release(void *self)
{
    shell_free(self);
}

#define SHELL_FUNCTIONS                                                                                                \
    .run = run, .read = read_output, .write = write_input, .interrupt = interrupt, .close_input = close_input,         \
    .waits = waits, .process = process_id, .lost = lost, .release = release

static const struct hv_task_type types[] = {{.name = "bash", SHELL_FUNCTIONS}, {.name = "monitor", SHELL_FUNCTIONS}};

enum hv_code shell_become_task(struct shell *shell, const char *type, struct hv_str id, struct hv_str title,
                               struct hv_task **task, struct hv_error *err)
{
    struct hv_context *context = shell->context;
    struct hv_task_options options = {
        .type = strcmp(type, types[0].name) == 0 ? &types[0] : &types[1],
        .self = shell,
        .id = id,
        .title = title,
        .output_file = spool_to_file(shell->spool),
        .tty = shell->tty,
    };
    shell->context = NULL;
    shell->processes->adopt(shell->process, NULL, false); /* this call's cancellation ends with the call */
    enum hv_code code = shell->tasks->start(context, &options, task, err);
    if (code != HV_OK) {
        shell->processes->adopt(shell->process, context->cancel, false);
        shell->context = context;
    }
    return code;
}
