/*
 * tasks.c: see tasks.h. One lock guards the list, what is known of each task, and the notes; a task's `self_lock` keeps
 * the functions of its type apart from one another. Nobody takes the first while holding the second, or emits an event
 * while holding either.
 */
#include "runtime/tasks.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/thread.h"
#include "proc/presence.h"
#include "runtime/call.h"
#include "runtime/checkpoint.h"
#include "runtime/notes.h"

#include <time.h>

enum { RUNNING_MAX = 64, TITLE_MAX = 2000, LISTED_MAX = 20, WAIT_SLICE_MS = 25, STACK_SIZE = 512 << 10 };

struct hv_task {
    struct tasks *tasks;
    struct hv_arena arena; /* its texts */
    struct hv_task_options options;
    struct hv_str call_id;
    pthread_t thread;
    pthread_mutex_t self_lock;     /* functions of its type, one at a time */
    uint64_t started_ns, position; /* position: the model has read up to here; guarded by self_lock */

    /* Guarded by tasks->lock. */
    struct hv_cancel *cancel; /* NULL once it is over: a session may have thousands, each of which has a descriptor */
    bool announced;           /* its start was told: its end may be */
    bool over, joined, silent;
    struct hv_task_end end;
    uint64_t ended_ns, changed_ns, changes;
};

struct tasks {
    struct runtime *runtime;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* something came of some task, or there is a note */
    VEC(struct hv_task *) list;
    size_t running;
    unsigned reserved; /* ids given */
    bool closed;
    struct notes *notes;
    pthread_mutex_t announcing; /* taken before all others: what is told last is what was found last */
};

/* ---- small helpers ----------------------------------------------------------------------------------------------- */

static struct tasks *tasks_of(struct hv_context *context)
{
    return call_of(context)->runtime->tasks;
}

static const char *status_name(enum hv_task_status status)
{
    static const char *const names[] = {"running", "completed", "failed", "stopped"};
    return names[status];
}

static void emit(struct hv_task *task, const char *name, struct hv_str text, const struct hv_task_end *end)
{
    CLEANUP_BUF struct hv_buf data = {.max = 64 << 10};
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &data);
    hv_json_begin_object(&writer);
    hv_json_member_string(&writer, "id", task->options.id);
    hv_json_member_cstr(&writer, "type", task->options.type->name);
    hv_json_member_cstr(&writer, "status", status_name(end->status));
    hv_json_member_string(&writer, "description", task->options.title);
    if (task->options.output_file.len)
        hv_json_member_string(&writer, "output_file", task->options.output_file);
    if (end->has_exit_code)
        hv_json_member_int(&writer, "exit_code", end->exit_code);
    hv_json_end_object(&writer);
    runtime_emit(task->tasks->runtime, &(struct hv_event){.type = HV_EVENT_TASK,
                                                          .call_id = task->call_id,
                                                          .name = hv_str_from(name),
                                                          .text = text,
                                                          .data = hv_buf_str(&data)});
}

/* The hooks of TaskCreated and TaskCompleted are told. */
static void tell_hooks(const struct hv_task *task, const char *event, const struct hv_task_end *end)
{
    CLEANUP_BUF struct hv_buf members = {.max = 64 << 10};
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &members);
    hv_json_begin_object(&writer);
    hv_json_member_string(&writer, "task_id", task->options.id);
    hv_json_member_cstr(&writer, "task_type", task->options.type->name);
    hv_json_member_string(&writer, "task_subject", task->options.title);
    hv_json_member_string(&writer, "tool_use_id", task->call_id);
    hv_json_member_string(&writer, "output_file", task->options.output_file);
    hv_json_member_cstr(&writer, "status", status_name(end->status));
    if (end->has_exit_code)
        hv_json_member_int(&writer, "exit_code", end->exit_code);
    hv_json_end_object(&writer);
    hook_tell(task->tasks->runtime, event, hv_str_from(task->options.type->name), hv_buf_str(&members));
}

static struct hv_task_view *list_tasks(struct tasks *tasks, bool running, struct hv_arena *arena, size_t *count);

/* Keep `helve ps` informed. */
static void announce(struct tasks *tasks)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct presence *presence = tasks->runtime->presence;
    if (!presence)
        return;
    LOCK_SCOPE(&tasks->announcing);
    size_t count;
    struct hv_task_view *views = list_tasks(tasks, true, &arena, &count);
    struct presence_task *list = hv_arena_array(&arena, struct presence_task, count + 1);
    size_t running = 0;
    for (size_t i = 0; i < count; i++)
        if (views[i].end.status == HV_TASK_RUNNING)
            list[running++] = (struct presence_task){
                .id = views[i].id,
                .type = hv_str_from(views[i].type),
                .title = views[i].title,
                .output_file = views[i].output_file,
                .process = views[i].process,
                .waits = views[i].waits,
            };
    presence_tell(presence, list, running);
}

/* ---- the task's own thread --------------------------------------------------------------------------------------- */

static void settle(struct hv_task *task, const struct hv_task_end *end, bool lost)
{
    struct tasks *tasks = task->tasks;
    LOCK_SCOPE(&tasks->lock);
    task->end = *end;
    task->over = true;
    if (lost)
        task->options.output_file = (struct hv_str){0};
    hv_cancel_free(take_ptr(task->cancel));
    task->silent = task->silent || end->silent;
    task->ended_ns = task->changed_ns = clock_monotonic_ns();
    task->changes++;
    tasks->running--;
    pthread_cond_broadcast(&tasks->changed);
}

static struct hv_str lost_output(const struct hv_task *task, struct hv_arena *arena)
{
    const struct hv_task_type *type = task->options.type;
    return type->lost ? type->lost(task->options.self, arena) : (struct hv_str){0};
}

static struct hv_str end_text(struct hv_arena *arena, const struct hv_task *task, const struct hv_task_end *end,
                              struct hv_str lost)
{
    return hv_arena_format(
        arena, "Task %.*s (%.*s) %s%s%s after %llu s.%s%.*s%s%.*s%s%s", HV_STR_ARG(task->options.id),
        HV_STR_ARG(hv_str_slice(task->options.title, 0, 200)),
        end->status == HV_TASK_STOPPED ? "was stopped" : status_name(end->status), end->text[0] ? ": " : "", end->text,
        (unsigned long long)((clock_monotonic_ns() - task->started_ns) / CLOCK_SECOND),
        task->options.output_file.len ? " TaskOutput shows what is new of its output; all of it is in " : "",
        HV_STR_ARG(task->options.output_file), lost.len ? " TaskOutput shows what is new of its output. " : "",
        HV_STR_ARG(lost), end->remark[0] ? "\n" : "", end->remark);
}

static void *run_task(void *data)
{
    struct hv_task *task = data;
    struct tasks *tasks = task->tasks;
    struct hv_task_end end = {0};
    CLEANUP_ARENA struct hv_arena arena = {0};
    pthread_mutex_lock(&tasks->lock);
    while (!task->announced)
        pthread_cond_wait(&tasks->changed, &tasks->lock);
    pthread_mutex_unlock(&tasks->lock);
    task->options.type->run(task->options.self, task, &end);
    if (end.status == HV_TASK_RUNNING)
        end.status = HV_TASK_COMPLETED;
    result_hide_secrets(tasks->runtime, task->options.output_file);
    /* Before anybody hears of its end, and the turn goes on or ends with it. */
    checkpoint_task_ends(tasks->runtime->checkpoints, task->call_id);
    struct hv_str lost = lost_output(task, &arena);
    settle(task, &end, lost.len > 0);
    struct hv_str text = end_text(&arena, task, &end, lost);
    emit(task, "ended", text, &end);
    pthread_mutex_lock(&tasks->lock);
    bool closed = tasks->closed;
    if (!task->silent && !closed)
        notes_add(tasks->notes, task->options.id, text);
    pthread_mutex_unlock(&tasks->lock);
    if (!closed) /* with the session, nobody could run them to their end */
        tell_hooks(task, "TaskCompleted", &end);
    announce(tasks);
    return NULL;
}

static const struct hv_cancel *task_cancel(const struct hv_task *task)
{
    return task->cancel;
}

static void task_changed(struct hv_task *task)
{
    LOCK_SCOPE(&task->tasks->lock);
    task->changed_ns = clock_monotonic_ns();
    task->changes++;
    pthread_cond_broadcast(&task->tasks->changed);
}

static void task_located(struct hv_task *task)
{
    announce(task->tasks);
}

static void task_note(struct hv_task *task, struct hv_str text)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str whole = hv_arena_format(&arena, "Task %.*s: %.*s", HV_STR_ARG(task->options.id), HV_STR_ARG(text));
    emit(task, "note", text, &(struct hv_task_end){0});
    notes_add(task->tasks->notes, task->options.id, whole);
    if (task->options.type->waits && task->options.type->waits(task->options.self))
        runtime_notify(task->tasks->runtime, "task_waiting", whole);
    LOCK_SCOPE(&task->tasks->lock);
    pthread_cond_broadcast(&task->tasks->changed);
}

/* ---- beginning --------------------------------------------------------------------------------------------------- */

static struct hv_str task_reserve(struct hv_context *context, const char *type)
{
    struct tasks *tasks = tasks_of(context);
    LOCK_SCOPE(&tasks->lock);
    return hv_arena_format(context->arena, "%s_%u", type, ++tasks->reserved);
}

static struct hv_task *task_new(struct hv_context *context, const struct hv_task_options *options)
{
    struct hv_task *task = hv_calloc(1, sizeof *task);
    task->tasks = tasks_of(context);
    task->options = *options;
    task->options.id = hv_arena_str(&task->arena, options->id);
    task->options.title = hv_arena_str(&task->arena, hv_str_slice(options->title, 0, TITLE_MAX));
    task->options.output_file = hv_arena_str(&task->arena, options->output_file);
    task->call_id = hv_arena_str(&task->arena, context->call_id);
    task->started_ns = task->changed_ns = clock_monotonic_ns();
    task->cancel = hv_cancel_new();
    pthread_mutex_init(&task->self_lock, NULL);
    return task;
}

static void task_free(struct hv_task *task)
{
    hv_cancel_free(task->cancel);
    pthread_mutex_destroy(&task->self_lock);
    hv_arena_release(&task->arena);
    free(task);
}

static enum hv_code add_task(struct tasks *tasks, struct hv_task *task, struct hv_error *err)
{
    LOCK_SCOPE(&tasks->lock);
    if (tasks->closed)
        return hv_fail(err, HV_ECANCELLED, "the session has ended");
    if (tasks->running >= RUNNING_MAX || !task->cancel) {
        hv_fail(err, HV_EAGAIN, "%zu tasks run in the background already", tasks->running);
        hv_error_hint(err, "Stop one of them with TaskStop, or wait until one has ended.");
        return HV_EAGAIN;
    }
    int failed = thread_start(&task->thread, STACK_SIZE, run_task, task); /* it may end at once */
    if (failed)
        return hv_fail_errno(err, failed, "cannot start a thread for the task");
    tasks->running++;
    *vec_push(&tasks->list) = task;
    return HV_OK;
}

/* Threads that have ended give their memory back. */
static void join_ended(struct tasks *tasks)
{
    LOCK_SCOPE(&tasks->lock);
    for (size_t i = 0; i < tasks->list.count; i++) {
        struct hv_task *task = tasks->list.items[i];
        if (task->over && !task->joined && pthread_tryjoin_np(task->thread, NULL) == 0)
            task->joined = true;
    }
}

/* A person who sent the call to the background sees now why it does not go there, the model with its result. */
static void tell_it_stays(struct hv_context *context, const struct hv_error *err)
{
    if (hv_cancelled(context->background) && err)
        runtime_emit(call_of(context)->runtime,
                     &(struct hv_event){
                         .type = HV_EVENT_NOTICE,
                         .name = HV_STR("warning"),
                         .text = hv_arena_format(context->arena, "It stays in the foreground: %s", err->message)});
}

static enum hv_code task_start(struct hv_context *context, const struct hv_task_options *options, struct hv_task **out,
                               struct hv_error *err)
{
    struct tasks *tasks = tasks_of(context);
    join_ended(tasks);
    struct hv_task *task = task_new(context, options);
    enum hv_code code = add_task(tasks, task, err);
    if (code != HV_OK) {
        task_free(task);
        tell_it_stays(context, err);
        return code;
    }
    checkpoint_task_begins(call_of(context));
    emit(task, "started", task->options.title, &(struct hv_task_end){0});
    tell_hooks(task, "TaskCreated", &(struct hv_task_end){0});
    announce(tasks);
    pthread_mutex_lock(&tasks->lock);
    task->announced = true;
    pthread_cond_broadcast(&tasks->changed);
    pthread_mutex_unlock(&tasks->lock);
    *out = task;
    return HV_OK;
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

static void task_look(struct hv_task *task, struct hv_arena *arena, struct hv_task_view *out)
{
    const struct hv_task_type *type = task->options.type;
    void *self = task->options.self;
    *out = (struct hv_task_view){
        .id = hv_arena_str(arena, task->options.id),
        .title = hv_arena_str(arena, task->options.title),
        .type = type->name,
        .tty = task->options.tty,
    };
    pthread_mutex_lock(&task->tasks->lock);
    uint64_t now = task->over ? task->ended_ns : clock_monotonic_ns();
    out->end = task->end;
    out->output_file = hv_arena_str(arena, task->options.output_file);
    out->age_ns = now - task->started_ns;
    out->quiet_ns = now > task->changed_ns ? now - task->changed_ns : 0;
    bool over = task->over;
    pthread_mutex_unlock(&task->tasks->lock);
    LOCK_SCOPE(&task->self_lock);
    uint64_t size = 0;
    if (type->read)
        type->read(self, UINT64_MAX, 0, NULL, &size);
    out->unread = size > task->position ? size - task->position : 0;
    out->process = type->process ? type->process(self) : 0;
    out->lost = lost_output(task, arena);
    if (out->lost.len)
        out->output_file = (struct hv_str){0};
    out->waits = !over && type->waits && type->waits(self);
}

/* All, or those that run: of a long session that is a small part. */
static struct hv_task_view *list_tasks(struct tasks *tasks, bool running, struct hv_arena *arena, size_t *count)
{
    *count = 0;
    pthread_mutex_lock(&tasks->lock);
    size_t most = running ? tasks->running : tasks->list.count;
    struct hv_task **list = hv_arena_array(arena, struct hv_task *, most + 1);
    for (size_t i = 0; i < tasks->list.count && *count < most; i++)
        if (!running || !tasks->list.items[i]->over)
            list[(*count)++] = tasks->list.items[i];
    pthread_mutex_unlock(&tasks->lock);
    struct hv_task_view *views = hv_arena_array(arena, struct hv_task_view, *count + 1);
    for (size_t i = 0; i < *count; i++)
        task_look(list[i], arena, &views[i]);
    return views;
}

bool tasks_running(struct runtime *runtime)
{
    struct tasks *tasks = runtime->tasks;
    if (!tasks)
        return false;
    LOCK_SCOPE(&tasks->lock);
    return tasks->running > 0;
}

struct hv_task_view *runtime_list_tasks(struct runtime *runtime, struct hv_arena *arena, size_t *count)
{
    return list_tasks(runtime->tasks, false, arena, count);
}

static struct hv_task_view *task_list(struct hv_context *context, size_t *count)
{
    return list_tasks(tasks_of(context), false, context->arena, count);
}

static struct hv_task *find(struct tasks *tasks, struct hv_str id)
{
    LOCK_SCOPE(&tasks->lock);
    for (size_t i = 0; i < tasks->list.count; i++)
        if (hv_str_eq(tasks->list.items[i]->options.id, id))
            return tasks->list.items[i];
    return NULL;
}

static enum hv_code task_find(struct hv_context *context, struct hv_str id, struct hv_task **out, struct hv_error *err)
{
    *out = find(tasks_of(context), hv_str_trim(id));
    if (*out)
        return HV_OK;
    size_t count;
    struct hv_task_view *views = task_list(context, &count);
    struct hv_str names = {0};
    for (size_t i = count > LISTED_MAX ? count - LISTED_MAX : 0; i < count; i++)
        names = hv_arena_format(context->arena, "%.*s%s%.*s (%s)", HV_STR_ARG(names), names.len ? ", " : "",
                                HV_STR_ARG(views[i].id), status_name(views[i].end.status));
    hv_fail(err, HV_ENOTFOUND, "there is no task \"%.*s\" in this session", HV_STR_ARG(hv_str_slice(id, 0, 80)));
    if (names.len)
        hv_error_hint(err, "There are: %.*s.", HV_STR_ARG(names));
    else
        hv_error_hint(err, "None was started. Bash with run_in_background starts one; tasks end with their session.");
    return HV_ENOTFOUND;
}

static uint64_t task_read(struct hv_task *task, size_t limit, struct hv_buf *out)
{
    const struct hv_task_type *type = task->options.type;
    if (!type->read)
        return 0;
    LOCK_SCOPE(&task->self_lock);
    uint64_t size = 0;
    type->read(task->options.self, UINT64_MAX, 0, NULL, &size);
    uint64_t from = task->position;
    if (size > from && size - from > limit)
        from = size - limit;
    size_t before = out->len;
    uint64_t first = type->read(task->options.self, from, limit, out, &size);
    uint64_t skipped = first > task->position ? first - task->position : 0;
    task->position = first + (out->len - before);
    return skipped;
}

/* ---- acting ------------------------------------------------------------------------------------------------------ */

static enum hv_code takes_no_input(const struct hv_task *task, struct hv_error *err)
{
    hv_fail(err, HV_EUNSUPPORTED, "%.*s takes no input", HV_STR_ARG(task->options.id));
    hv_error_hint(err, "Only commands of Bash with `tty: true` or `stdin: \"open\"` do.");
    return HV_EUNSUPPORTED;
}

static bool is_over(struct hv_task *task)
{
    LOCK_SCOPE(&task->tasks->lock);
    return task->over;
}

static enum hv_code has_ended(struct hv_task *task, struct hv_error *err)
{
    hv_fail(err, HV_EUNSUPPORTED, "%.*s has ended", HV_STR_ARG(task->options.id));
    hv_error_hint(err, "TaskOutput tells how.");
    return HV_EUNSUPPORTED;
}

static enum hv_code task_write(struct hv_task *task, struct hv_str bytes, struct hv_error *err)
{
    if (is_over(task))
        return has_ended(task, err);
    if (!task->options.type->write)
        return takes_no_input(task, err);
    LOCK_SCOPE(&task->self_lock);
    return task->options.type->write(task->options.self, bytes, err);
}

static enum hv_code act(struct hv_task *task, void (*function)(void *self), struct hv_error *err)
{
    if (is_over(task))
        return has_ended(task, err);
    if (!function)
        return takes_no_input(task, err);
    LOCK_SCOPE(&task->self_lock);
    function(task->options.self);
    return HV_OK;
}

static enum hv_code task_interrupt(struct hv_task *task, struct hv_error *err)
{
    return act(task, task->options.type->interrupt, err);
}

static enum hv_code task_close_input(struct hv_task *task, struct hv_error *err)
{
    return act(task, task->options.type->close_input, err);
}

static void task_stop(struct hv_task *task)
{
    LOCK_SCOPE(&task->tasks->lock);
    task->silent = true;
    hv_cancel_raise(task->cancel);
}

bool runtime_stop_task(struct runtime *runtime, struct hv_str id)
{
    struct hv_task *task = find(runtime->tasks, id);
    LOCK_SCOPE(&runtime->tasks->lock);
    if (task)
        hv_cancel_raise(task->cancel);
    return task != NULL;
}

size_t runtime_running_tasks(struct runtime *runtime)
{
    LOCK_SCOPE(&runtime->tasks->lock);
    return runtime->tasks->running;
}

bool runtime_take_notes(struct runtime *runtime, struct hv_buf *blocks)
{
    return notes_take(runtime->tasks->notes, blocks);
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

/* A short wait for something to happen, tasks->lock held: cancellation has no condition variable to signal. */
static void wait_slice(struct tasks *tasks)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += WAIT_SLICE_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_cond_clockwait(&tasks->changed, &tasks->lock, CLOCK_MONOTONIC, &until);
}

/* The model is told by this very call that the task has ended. */
static void tell_no_more(struct hv_task *task)
{
    task->silent = true;
    notes_drop(task->tasks->notes, task->options.id);
}

static bool task_wait(struct hv_context *context, struct hv_task *task, bool for_output, uint64_t timeout_ns)
{
    struct tasks *tasks = task->tasks;
    uint64_t end = clock_monotonic_ns() + timeout_ns;
    LOCK_SCOPE(&tasks->lock);
    uint64_t changes = task->changes;
    while (!task->over) {
        if (hv_cancelled(context->cancel) || tasks->closed || clock_monotonic_ns() >= end)
            return false;
        if (for_output && task->changes != changes)
            return true;
        wait_slice(tasks);
    }
    tell_no_more(task);
    return true;
}

static bool task_wait_for_note(struct hv_context *context, uint64_t timeout_ns)
{
    struct tasks *tasks = tasks_of(context);
    uint64_t end = clock_monotonic_ns() + timeout_ns;
    LOCK_SCOPE(&tasks->lock);
    while (!notes_waiting(tasks->notes)) {
        if (hv_cancelled(context->cancel) || tasks->closed || clock_monotonic_ns() >= end)
            return false;
        wait_slice(tasks);
    }
    return true;
}

const struct hv_tasks runtime_tasks = {
    .reserve = task_reserve,
    .start = task_start,
    .find = task_find,
    .list = task_list,
    .look = task_look,
    .read = task_read,
    .write = task_write,
    .interrupt = task_interrupt,
    .close_input = task_close_input,
    .stop = task_stop,
    .wait = task_wait,
    .wait_for_note = task_wait_for_note,
    .cancel = task_cancel,
    .changed = task_changed,
    .located = task_located,
    .note = task_note,
};

/* ---- making and ending all --------------------------------------------------------------------------------------- */

struct tasks *tasks_new(struct runtime *runtime)
{
    struct tasks *tasks = hv_calloc(1, sizeof *tasks);
    tasks->runtime = runtime;
    pthread_mutex_init(&tasks->lock, NULL);
    pthread_mutex_init(&tasks->announcing, NULL);
    pthread_cond_init(&tasks->changed, NULL);
    tasks->notes = notes_new(runtime->loop, runtime->options.on_note, runtime->options.on_note_user);
    return tasks;
}

static void stop_all(struct tasks *tasks)
{
    LOCK_SCOPE(&tasks->lock);
    tasks->closed = true;
    for (size_t i = 0; i < tasks->list.count; i++)
        hv_cancel_raise(tasks->list.items[i]->cancel);
    pthread_cond_broadcast(&tasks->changed);
}

void tasks_free(struct tasks *tasks)
{
    if (!tasks)
        return;
    stop_all(tasks);
    for (size_t i = 0; i < tasks->list.count; i++) {
        struct hv_task *task = tasks->list.items[i];
        if (!task->joined)
            pthread_join(task->thread, NULL);
    }
    for (size_t i = 0; i < tasks->list.count; i++) {
        struct hv_task *task = tasks->list.items[i];
        if (task->options.type->release)
            task->options.type->release(task->options.self);
        task_free(task);
    }
    vec_release(&tasks->list);
    notes_free(tasks->notes);
    pthread_cond_destroy(&tasks->changed);
    pthread_mutex_destroy(&tasks->lock);
    pthread_mutex_destroy(&tasks->announcing);
    free(tasks);
}
