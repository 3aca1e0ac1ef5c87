/*
 * exec.c: see exec.h. A thread reads the input in large blocks, so that a slow pipe never stops the loop; the loop
 * feeds the blocks to a reader of calls and these to batches. A batch ends when all its calls have their results and no
 * more are at hand: so memory does not grow with the length of the input.
 */
#include "agent/exec.h"

#include "agent/exec_note.h"
#include "agent/side.h"
#include "agent/signals.h"
#include "base/base64.h"
#include "base/cleanup.h"
#include "base/map.h"
#include "base/thread.h"
#include "base/vec.h"
#include "journal/sessions.h"
#include "journal/writer.h"
#include "runtime/untrusted.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/eventfd.h>

enum { BLOCK_SIZE = 256 << 10, QUEUE_LIMIT = 1024, BATCH_CALLS_MAX = 4096, IDS_MAX = 65536, LINE_MAX_BYTES = 1 << 30 };

/* A call that waits to be handed to the runtime. */
struct queued_call {
    struct hv_str id, name, input; /* one allocation, at id.ptr */
    enum calls_shape shape;
    bool new_message; /* no call: a boundary between messages */
};

struct exec {
    const struct exec_options *options;
    struct exec_outcome *outcome;
    struct loop *loop;
    struct runtime *runtime;
    struct calls_reader *reader;
    struct hv_arena arena;
    struct hv_str session_id;

    /* The reading thread: one block at a time is the loop's. */
    pthread_t thread;
    bool thread_running;
    int stop_fd;
    int input_errno; /* set by the thread before its end is told */
    char *block;
    size_t block_len;
    pthread_mutex_t lock;
    pthread_cond_t taken;
    bool block_full, stopping;
    bool block_late;      /* the input had paused, or all was answered, before the block was read */
    atomic_bool answered; /* every call so far has its answer, or is about to get it */

    VEC(struct queued_call) queue;
    size_t queue_head;
    struct batch *batch;
    VEC(enum calls_shape) shapes; /* of the batch's calls, by index */
    size_t outstanding;
    struct map ids;       /* of the message at hand */
    struct map batch_ids; /* of the batch, which may span messages */
    struct hv_arena ids_arena, batch_ids_arena;
    uint64_t made_ids; /* for calls whose id the message had used */
    bool closing, block_read, input_ended, interrupted, stopped;

    pthread_mutex_t output_lock;
    struct hv_buf line;
};

static void pump(struct exec *exec);

/* ---- output ---------------------------------------------------------------------------------------------------- */

/* A whole line from any thread; what follows a failure is dropped. */
static void write_line(struct exec *exec, struct hv_str line)
{
    if (!exec->outcome->output_errno)
        exec->outcome->output_errno = signals_write(exec->options->output, line);
}

/* These shapes have no mark for a failure: the text must say it, as it does to a model. Text from outside is marked. */
static struct hv_str plain_text(const struct batch_result *result, struct hv_buf *text)
{
    bool untrusted = result->result && result->result->untrusted;
    bool fails = result->is_error && !hv_str_starts(hv_str_trim(result->text), HV_STR("Error"));
    if (!untrusted && !fails)
        return result->text;
    if (fails)
        hv_buf_add_cstr(text, "Error: ");
    if (untrusted)
        untrusted_put_result(text, result->result);
    else
        hv_buf_add_str(text, result->text);
    return hv_buf_str(text);
}

static size_t count_images(const struct hv_result *result)
{
    size_t count = 0;
    for (const struct hv_content *block = result ? result->first : NULL; block; block = block->next)
        count += block->type == HV_CONTENT_IMAGE;
    return count;
}

static void put_part(struct hv_json_writer *writer, const struct hv_content *block, bool untrusted)
{
    CLEANUP_BUF struct hv_buf url = {.max = SIZE_MAX / 4};
    struct hv_str text = block->text;
    bool image = block->type == HV_CONTENT_IMAGE;
    if (!image && block->type != HV_CONTENT_TEXT)
        return;
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "type", image ? "input_image" : "input_text");
    if (image) {
        hv_buf_addf(&url, "data:%.*s;base64,", HV_STR_ARG(block->media_type));
        base64_encode(&url, block->data, BASE64_STANDARD);
        text = hv_buf_str(&url);
    } else if (untrusted && !block->own) {
        untrusted_put(&url, block->text);
        text = hv_buf_str(&url);
    }
    hv_json_member_string(writer, image ? "image_url" : "text", text);
    hv_json_end_object(writer);
}

/* An output of the Responses shape can hold pictures: then it is a list of parts. */
static void put_parts(struct hv_json_writer *writer, const struct hv_result *result)
{
    hv_json_name(writer, "output");
    hv_json_begin_array(writer);
    for (const struct hv_content *block = result->first; block; block = block->next)
        put_part(writer, block, result->untrusted);
    hv_json_end_array(writer);
}

/* A tool's message of the Chat Completions shape holds text only. */
static struct hv_str text_without_images(const struct batch_result *result, size_t images, struct hv_buf *text)
{
    struct hv_str plain = plain_text(result, text);
    if (!images)
        return plain;
    if (!text->len)
        hv_buf_add_str(text, plain);
    hv_buf_addf(text,
                "\n[%zu image%s cannot be carried in this shape; calls of the Anthropic or Responses shape get them]",
                images, images == 1 ? "" : "s");
    return hv_buf_str(text);
}

static void put_result(struct hv_buf *line, const struct batch_result *result, enum calls_shape shape)
{
    struct hv_json_writer writer;
    if (shape == CALLS_SHAPE_ANTHROPIC) {
        hv_buf_add_str(line, result->block);
        return;
    }
    bool chat = shape == CALLS_SHAPE_CHAT;
    size_t images = count_images(result->result);
    CLEANUP_BUF struct hv_buf text = {.max = SIZE_MAX / 4};
    hv_json_writer_init(&writer, line);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, chat ? "role" : "type", chat ? "tool" : "function_call_output");
    hv_json_member_string(&writer, chat ? "tool_call_id" : "call_id", result->call_id);
    if (images && !chat && !result->is_error)
        put_parts(&writer, result->result);
    else
        hv_json_member_string(&writer, chat ? "content" : "output", text_without_images(result, images, &text));
    hv_json_end_object(&writer);
}

static void give_result(struct exec *exec, const struct batch_result *result, enum calls_shape shape)
{
    exec->outcome->results++;
    if (exec->options->on_result) {
        exec->options->on_result(exec->options->user, result);
        return;
    }
    LOCK_SCOPE(&exec->output_lock);
    hv_buf_clear(&exec->line);
    put_result(&exec->line, result, shape);
    hv_buf_add_byte(&exec->line, '\n');
    write_line(exec, hv_buf_str(&exec->line));
}

static void on_event(void *user, const struct hv_event *event)
{
    struct exec *exec = user;
    if (event->type == HV_EVENT_NOTICE && exec->options->on_notice)
        exec->options->on_notice(exec->options->user, event->text);
    if (event->type == HV_EVENT_RESULT || !exec->options->events)
        return; /* the result's own line says it; its duration follows in a stage event */
    LOCK_SCOPE(&exec->output_lock);
    hv_buf_clear(&exec->line);
    hv_event_write(&exec->line, event);
    write_line(exec, hv_buf_str(&exec->line));
}

/* ---- results --------------------------------------------------------------------------------------------------- */

static void finish_if_done(struct exec *exec)
{
    if (exec->stopped || !exec->input_ended || exec->batch || exec->queue_head < exec->queue.count)
        return;
    exec->stopped = true;
    loop_stop(exec->loop);
}

static void forget_ids(struct map *ids, struct hv_arena *arena)
{
    map_release(ids);
    *ids = (struct map){0};
    hv_arena_reset(arena);
}

static void on_done(void *user, struct hv_str messages, bool stop, struct hv_str stop_reason)
{
    (void)messages, (void)stop, (void)stop_reason;
    struct exec *exec = user;
    exec->batch = NULL;
    exec->closing = false;
    exec->shapes.count = 0;
    forget_ids(&exec->batch_ids, &exec->batch_ids_arena);
    if (exec->ids.count >= IDS_MAX)
        forget_ids(&exec->ids, &exec->ids_arena);
    pump(exec);
}

/* The next in the queue must wait for the end of the batch: the batch is large (memory must not grow with the input),
 * an earlier message of it used the id, or, turn by turn, a message begins. */
static bool at_barrier(const struct exec *exec)
{
    if (!exec->batch || exec->queue_head >= exec->queue.count)
        return false;
    const struct queued_call *next = &exec->queue.items[exec->queue_head];
    if (next->new_message)
        return exec->options->turn_by_turn;
    return exec->shapes.count >= BATCH_CALLS_MAX ||
           (map_get(&exec->batch_ids, next->id) && !map_get(&exec->ids, next->id));
}

static void close_when_idle(struct exec *exec)
{
    bool waits = exec->queue_head < exec->queue.count && !at_barrier(exec);
    if (!exec->batch || exec->closing || exec->outstanding > 0 || waits)
        return;
    exec->closing = true;
    batch_close(exec->batch);
}

/* A result of parts, in a shape that has its own, keeps them; then the note waits for another. */
static bool can_carry_note(const struct exec *exec, const struct batch_result *result)
{
    return !exec->options->on_result &&
           (exec->shapes.items[result->index] == CALLS_SHAPE_ANTHROPIC || !count_images(result->result));
}

/* With the last call no other has to be prepared for. */
static void tell_last(const struct exec *exec)
{
    if (exec->input_ended && exec->queue_head == exec->queue.count && exec->outstanding <= 1)
        runtime_expect_no_more(exec->runtime);
}

static void on_result(void *user, const struct batch_result *result)
{
    struct exec *exec = user;
    struct batch_result joined = *result;
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf note = {0};
    hv_buf_init(&note, LINE_MAX_BYTES);
    if (can_carry_note(exec, result) && runtime_take_notes(exec->runtime, &note))
        exec_note_join(&arena, hv_buf_str(&note), &joined);
    /* Before the answer is out: who reads it may at once write the next call. */
    if (exec->outstanding == 1 && exec->queue_head == exec->queue.count)
        atomic_store(&exec->answered, true);
    give_result(exec, &joined, exec->shapes.items[result->index]);
    exec->outstanding--;
    tell_last(exec);
    pump(exec);
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* An id that a message uses again, for a further call: results are told apart by their ids. */
static struct hv_str unique_id(struct exec *exec, struct hv_arena *arena, struct hv_str id)
{
    struct hv_str own;
    do
        own = hv_arena_format(arena, "%.*s_%" PRIu64, HV_STR_ARG(id), ++exec->made_ids);
    while (map_get(&exec->ids, own) || map_get(&exec->batch_ids, own));
    return own;
}

static void start_call(struct exec *exec, const struct queued_call *call)
{
    if (!exec->batch) {
        struct batch_handlers handlers = {.on_result = on_result, .on_done = on_done, .user = exec};
        exec->batch = batch_new(exec->runtime, &handlers);
        if (exec->interrupted)
            batch_cancel(exec->batch, "helve exec was interrupted");
    }
    map_set(&exec->ids, hv_arena_str(&exec->ids_arena, call->id), exec);
    map_set(&exec->batch_ids, hv_arena_str(&exec->batch_ids_arena, call->id), exec);
    *vec_push(&exec->shapes) = call->shape;
    exec->outstanding++;
    batch_add(exec->batch, call->id, call->name, call->input);
}

/* Let the reading thread go on when there is room. */
static void release_block(struct exec *exec)
{
    if (!exec->block_read || exec->queue.count - exec->queue_head >= QUEUE_LIMIT)
        return;
    LOCK_SCOPE(&exec->lock);
    exec->block_read = exec->block_full = false;
    pthread_cond_signal(&exec->taken);
}

/* Hand queued calls to the runtime, as far as order allows. */
static void pump(struct exec *exec)
{
    while (!exec->closing && exec->queue_head < exec->queue.count && !at_barrier(exec)) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct queued_call call = exec->queue.items[exec->queue_head];
        char *allocation = (char *)call.id.ptr;
        if (exec->outstanding >= QUEUE_LIMIT)
            break;
        exec->queue_head++;
        if (!call.new_message && map_get(&exec->ids, call.id))
            call.id = unique_id(exec, &arena, call.id);
        if (call.new_message)
            forget_ids(&exec->ids, &exec->ids_arena);
        else
            start_call(exec, &call);
        free(allocation);
    }
    if (exec->queue_head == exec->queue.count)
        exec->queue.count = exec->queue_head = 0;
    close_when_idle(exec);
    release_block(exec);
    finish_if_done(exec);
}

static void on_call(void *user, struct hv_str id, struct hv_str name, struct hv_str input, enum calls_shape shape)
{
    struct exec *exec = user;
    char *copy = hv_malloc(id.len + name.len + input.len + 1);
    struct queued_call call = {
        .id = hv_str_of(copy, id.len),
        .name = hv_str_of(copy + id.len, name.len),
        .input = hv_str_of(copy + id.len + name.len, input.len),
        .shape = shape,
    };
    memcpy(copy, id.ptr, id.len);
    if (name.len > 0)
        memcpy(copy + id.len, name.ptr, name.len);
    if (input.len > 0)
        memcpy(copy + id.len + name.len, input.ptr, input.len);
    atomic_store(&exec->answered, false);
    *vec_push(&exec->queue) = call;
    exec->outcome->calls++;
    runtime_expect_call(exec->runtime, name);
    pump(exec);
}

static void on_message(void *user)
{
    struct exec *exec = user;
    *vec_push(&exec->queue) = (struct queued_call){.new_message = true};
    pump(exec);
}

static void on_fault(void *user, uint64_t line, const struct hv_error *err)
{
    struct exec *exec = user;
    exec->outcome->faults++;
    exec->options->on_fault(exec->options->user, line, err);
}

/* ---- input ------------------------------------------------------------------------------------------------------- */

static void input_done(void *data)
{
    struct exec *exec = data;
    if (exec->input_ended)
        return;
    calls_reader_finish(exec->reader);
    if (exec->input_errno && !exec->interrupted) {
        struct hv_error err;
        (void)hv_fail_errno(&err, exec->input_errno, "cannot read the calls");
        on_fault(exec, 0, &err);
    }
    exec->input_ended = true;
    pump(exec);
    tell_last(exec);
}

static void take_block(void *data)
{
    struct exec *exec = data;
    /* Everything was answered, then came this: whoever writes has gone on, and may use its ids again. */
    if (exec->block_late && !exec->outstanding && exec->queue_head == exec->queue.count)
        forget_ids(&exec->ids, &exec->ids_arena);
    if (!exec->interrupted && !exec->outcome->output_errno)
        calls_reader_feed(exec->reader, hv_str_of(exec->block, exec->block_len));
    exec->block_read = true; /* from here on the thread may have it back; not before */
    release_block(exec);
}

/* Wait for input or for being stopped. */
static ssize_t read_block(struct exec *exec, bool *late)
{
    *late = false;
    for (;;) {
        struct pollfd fds[] = {{.fd = exec->options->input, .events = POLLIN}, {.fd = exec->stop_fd, .events = POLLIN}};
        if (poll(fds, 2, *late ? -1 : 0) < 0 && errno != EINTR)
            return -1;
        if (fds[1].revents)
            return 0;
        if (!fds[0].revents) {
            *late = true;
            continue;
        }
        *late |= atomic_load(&exec->answered);
        ssize_t got = read(exec->options->input, exec->block, BLOCK_SIZE);
        if (got >= 0 || (errno != EINTR && errno != EAGAIN))
            return got;
    }
}

static void *read_input(void *data)
{
    struct exec *exec = data;
    for (;;) {
        bool late;
        ssize_t got = read_block(exec, &late);
        if (got < 0)
            exec->input_errno = errno; /* the loop looks at it in input_done */
        if (got <= 0)
            break;
        pthread_mutex_lock(&exec->lock);
        exec->block_len = (size_t)got;
        exec->block_full = true;
        exec->block_late = late;
        loop_post(exec->loop, take_block, exec);
        while (exec->block_full && !exec->stopping)
            pthread_cond_wait(&exec->taken, &exec->lock);
        bool stop = exec->stopping;
        pthread_mutex_unlock(&exec->lock);
        if (stop)
            break;
    }
    loop_post(exec->loop, input_done, exec);
    return NULL;
}

static enum hv_code start_reading(struct exec *exec, struct hv_error *err)
{
    if (exec->options->input < 0) {
        calls_reader_feed(exec->reader, exec->options->calls);
        loop_post(exec->loop, input_done, exec);
        return HV_OK;
    }
    exec->block = hv_malloc(BLOCK_SIZE);
    exec->stop_fd = eventfd(0, EFD_CLOEXEC);
    if (exec->stop_fd < 0)
        return hv_fail_errno(err, errno, "cannot make an event descriptor");
    int failed = thread_start(&exec->thread, 0, read_input, exec);
    if (failed)
        return hv_fail_errno(err, failed, "cannot start a thread");
    exec->thread_running = true;
    return HV_OK;
}

static void stop_reading(struct exec *exec)
{
    if (!exec->thread_running)
        return;
    pthread_mutex_lock(&exec->lock);
    exec->stopping = true;
    pthread_cond_signal(&exec->taken);
    pthread_mutex_unlock(&exec->lock);
    uint64_t one = 1;
    if (write(exec->stop_fd, &one, sizeof one) < 0)
        return; /* an eventfd takes a 1 always */
    pthread_join(exec->thread, NULL);
    exec->thread_running = false;
}

/* ---- signals ----------------------------------------------------------------------------------------------------- */

static void on_signal(void *data, int number)
{
    struct exec *exec = data;
    exec->interrupted = true;
    exec->outcome->signal = number;
    if (exec->batch)
        batch_cancel(exec->batch, "helve exec was interrupted");
    stop_reading(exec);
    input_done(exec);
}

/* ---- making, running, ending ------------------------------------------------------------------------------------- */

/* Rules that could not be used are told, not passed over. */
static void tell_policy_problems(struct exec *exec, const struct policy *policy)
{
    size_t count;
    const struct settings_problem *problems = policy_problems(policy, &count);
    for (size_t i = 0; i < count && exec->options->on_notice; i++) {
        CLEANUP_BUF struct hv_buf text = {0};
        hv_buf_init(&text, 64 << 10);
        settings_problem_write(&problems[i], &text);
        exec->options->on_notice(exec->options->user, hv_str_trim(hv_buf_str(&text)));
    }
}

/* Its id; returns its folder. */
static struct hv_str begin_session(struct exec *exec)
{
    char id[SESSION_ID_SIZE];
    session_id_new(id);
    exec->session_id = hv_arena_str(&exec->arena, hv_str_from(id));
    struct hv_str project = sessions_project_directory(&exec->arena, exec->options->setup->directory);
    struct hv_str folder = hv_arena_format(&exec->arena, "%.*s/%s", HV_STR_ARG(project), id);
    if (exec->options->on_begin)
        exec->options->on_begin(exec->options->user, folder);
    return folder;
}

static enum hv_code make_runtime(struct exec *exec, struct hv_error *err)
{
    const struct setup *setup = exec->options->setup;
    struct hv_str folder = begin_session(exec);
    struct policy_options policy_options = {
        .host = setup->host,
        .settings = setup->settings,
        .directory = setup->directory,
        .home = setup->home,
        .roots = setup->roots,
        .root_count = setup->root_count,
        .results_directory = hv_arena_format(&exec->arena, "%.*s/tool-results", HV_STR_ARG(folder)),
        .has_mode = exec->options->has_mode,
        .mode = exec->options->mode,
        .ignores_case = policy_probe_case(setup->host, setup->directory),
    };
    size_t tool_count;
    const struct hv_tool *const *tools = hv_builtin_tools(&tool_count);
    policy_options.tools = tools;
    policy_options.tool_count = tool_count;
    struct policy *policy = policy_new(&policy_options);
    tell_policy_problems(exec, policy);
    struct hv_sink sink = {.event = on_event, .user = exec};
    struct runtime_options options = {
        .loop = setup->loop,
        .host = setup->host,
        .settings = setup->settings,
        .settings_files = &setup->settings_options,
        .policy = policy,
        .session_id = exec->session_id,
        .directory = setup->directory,
        .home = setup->home,
        .roots = setup->roots,
        .root_count = setup->root_count,
        .session_directory = folder,
        .built_in_tools = tools,
        .built_in_tool_count = tool_count,
        .only_tools = exec->options->only_tools,
        .only_tool_count = exec->options->only_tool_count,
        .sinks = &sink,
        .sink_count = 1,
        .asker = exec->options->asker,
        .secrets = setup->secrets,
        .secret_count = setup->secret_count,
        .door = exec->options->door,
        .run_directory = exec->options->run_directory,
        .one_call = exec->options->one_call,
        .ask_model = exec->options->side_answers ? side_ask_tape : NULL,
        .ask_model_user = exec->options->side_answers,
        .side_models = {exec->options->side_answers, exec->options->side_answers},
    };
    enum hv_code code = runtime_new(&options, &exec->runtime, err);
    policy_unref(policy);
    return code;
}

static void run_loop(struct exec *exec)
{
    struct signals signals;
    signals_start(&signals, exec->loop, on_signal, exec);
    loop_run(exec->loop);
    signals_stop(&signals);
}

static void exec_release(struct exec *exec)
{
    stop_reading(exec);
    if (exec->stop_fd >= 0)
        close(exec->stop_fd);
    runtime_free(exec->runtime);
    calls_reader_free(exec->reader);
    for (size_t i = exec->queue_head; i < exec->queue.count; i++)
        free((void *)exec->queue.items[i].id.ptr);
    vec_release(&exec->queue);
    vec_release(&exec->shapes);
    map_release(&exec->ids);
    map_release(&exec->batch_ids);
    hv_arena_release(&exec->ids_arena);
    hv_arena_release(&exec->batch_ids_arena);
    hv_arena_release(&exec->arena);
    hv_buf_release(&exec->line);
    pthread_mutex_destroy(&exec->lock);
    pthread_mutex_destroy(&exec->output_lock);
    pthread_cond_destroy(&exec->taken);
    free(exec->block);
}

enum hv_code exec_run(const struct exec_options *options, struct exec_outcome *outcome, struct hv_error *err)
{
    *outcome = (struct exec_outcome){0};
    struct exec exec = {.options = options, .outcome = outcome, .loop = options->setup->loop, .stop_fd = -1};
    struct calls_handlers handlers = {
        .on_call = on_call, .on_message = on_message, .on_fault = on_fault, .user = &exec};
    pthread_mutex_init(&exec.lock, NULL);
    pthread_mutex_init(&exec.output_lock, NULL);
    pthread_cond_init(&exec.taken, NULL);
    hv_buf_init(&exec.line, LINE_MAX_BYTES);
    exec.reader = calls_reader_new(options->kind, &handlers);
    enum hv_code code = make_runtime(&exec, err);
    if (code == HV_OK)
        code = start_reading(&exec, err);
    if (code == HV_OK)
        run_loop(&exec);
    exec_release(&exec);
    return code;
}
