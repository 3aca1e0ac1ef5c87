/*
 * monitor.c: Monitor: watch a command or a file, and tell the model when a line matches or the watched thing ends.
 * Lines that match are gathered: at most one note a second, and a watch that has too much to tell ends.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "text/ansi.h"
#include "text/find.h"
#include "tools/bash.h"
#include "tools/task_text.h"

#include <poll.h>
#include <string.h>

enum {
    TIMEOUT_MAX_MS = 3600000,
    NOTE_EVERY_MS = 1000,
    NOTES_MAX = 100,      /* of one monitor */
    LINES_MAX = 20,       /* in one note */
    LINE_BYTES = 500,     /* of one line in a note */
    LINE_HELD = 64 << 10, /* bytes of a line whose end has not come */
    LOOK_MS = 250,
    GONE_MS = 5000, /* a file that was removed for so long has ended */
    READ_MAX = 1 << 20,
};
#define TIMEOUT_DEFAULT_TEXT "300000"

struct monitor_input {
    struct hv_str command, file, pattern, description;
    bool ignore_case, persistent;
    int64_t timeout_ms;
};

static const char *const file_aliases[] = {"file_path", "path", NULL};
static const char *const pattern_aliases[] = {"regex", "filter", NULL};
static const char *const timeout_aliases[] = {"timeout", NULL};

static const struct hv_field monitor_fields[] = {
    {.name = "command",
     .description = "A command to run; its output is watched. Or give `file`",
     .type = HV_FIELD_STRING,
     .offset = offsetof(struct monitor_input, command)},
    {.name = "file",
     .description = "A file whose new lines are watched; it need not exist yet",
     .type = HV_FIELD_STRING,
     .flags = HV_PATH,
     .offset = offsetof(struct monitor_input, file),
     .aliases = file_aliases},
    {.name = "pattern",
     .description = "A regular expression: lines in which it is found are told. Left out: every line is",
     .type = HV_FIELD_STRING,
     .offset = offsetof(struct monitor_input, pattern),
     .aliases = pattern_aliases},
    {.name = "ignore_case",
     .description = "Letters of the pattern match in either case",
     .type = HV_FIELD_BOOLEAN,
     .offset = offsetof(struct monitor_input, ignore_case)},
    {.name = "description",
     .description = "What is waited for, in a few words, for the person who watches",
     .type = HV_FIELD_STRING,
     .offset = offsetof(struct monitor_input, description)},
    {.name = "timeout_ms",
     .description = "Milliseconds after which the watch ends",
     .type = HV_FIELD_INTEGER,
     .offset = offsetof(struct monitor_input, timeout_ms),
     .aliases = timeout_aliases,
     .minimum = 1,
     .maximum = TIMEOUT_MAX_MS,
     .fallback = TIMEOUT_DEFAULT_TEXT},
    {.name = "persistent",
     .description = "Watch until the session ends; no time-out",
     .type = HV_FIELD_BOOLEAN,
     .offset = offsetof(struct monitor_input, persistent)},
    {0}};

/* ---- the watch: used by the task's thread alone ------------------------------------------------------------------ */

/* Where reading goes on in a file. */
struct position {
    uint64_t offset, inode, gone_since_ns;
    bool known;
};

struct watch {
    const struct hv_tasks *tasks;
    struct hv_task *task; /* NULL until it is known */
    struct shell *shell;  /* whose output it is; NULL: a file's */
    struct find *find;    /* NULL: every line */
    struct find_scratch *scratch;
    struct ansi_cleaner cleaner;
    struct hv_buf clean, held; /* held: a line whose end has not come */
    struct hv_buf gathered;    /* lines that wait for their note */
    size_t gathered_lines, left_out;
    uint64_t next_note_ns, end_ns; /* end_ns 0: never */
    unsigned notes;
    bool over_time, too_much;
    /* Of files: */
    const struct hv_host *host;
    char *path;
    struct position at;
    pthread_mutex_t lock;   /* guards shown */
    struct hv_buf shown;    /* the lines that matched, for TaskOutput: the last of them */
    uint64_t shown_dropped; /* bytes of them that were dropped */
};

static bool stop_search(void *user)
{
    const struct watch *watch = user;
    return watch->task && hv_cancelled(watch->tasks->cancel(watch->task));
}

static void flush(struct watch *watch, bool now)
{
    if (!watch->gathered_lines || (!now && clock_monotonic_ns() < watch->next_note_ns))
        return;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str more = {0};
    if (watch->left_out)
        more = hv_arena_format(&arena, "(and %zu lines more)\n", watch->left_out);
    watch->too_much = ++watch->notes >= NOTES_MAX;
    watch->tasks->note(watch->task,
                       hv_arena_format(&arena, "%zu line%s:\n%.*s%.*s%s", watch->gathered_lines + watch->left_out,
                                       watch->gathered_lines + watch->left_out == 1 ? "" : "s",
                                       HV_STR_ARG(hv_buf_str(&watch->gathered)), HV_STR_ARG(more),
                                       watch->too_much ? "This watch has told a hundred times and ends; use a narrower "
                                                         "pattern."
                                                       : ""));
    hv_buf_clear(&watch->gathered);
    watch->gathered_lines = watch->left_out = 0;
    watch->next_note_ns = clock_monotonic_ns() + NOTE_EVERY_MS * CLOCK_MILLISECOND;
}

/* For TaskOutput on a watched file. */
static void show_line(struct watch *watch, struct hv_str line)
{
    LOCK_SCOPE(&watch->lock);
    size_t needed = line.len + 1, room = watch->shown.max - watch->shown.len;
    if (needed > room) {
        size_t drop = needed - room < watch->shown.len ? needed - room : watch->shown.len;
        watch->shown_dropped += drop;
        hv_buf_consume(&watch->shown, drop);
    }
    hv_buf_add_str(&watch->shown, line);
    hv_buf_add_byte(&watch->shown, '\n');
}

static void take_line(struct watch *watch, struct hv_str line)
{
    struct find_match match;
    if (watch->find && find_next(watch->scratch, line, 0, &match) != FIND_FOUND)
        return;
    if (!watch->find && !hv_str_trim(line).len)
        return;
    line = hv_str_slice(line, 0, LINE_BYTES);
    if (!watch->shell)
        show_line(watch, line);
    if (watch->gathered_lines >= LINES_MAX) {
        watch->left_out++;
        return;
    }
    watch->gathered_lines++;
    hv_buf_add_str(&watch->gathered, line);
    hv_buf_add_byte(&watch->gathered, '\n');
}

static void take_lines(struct watch *watch, bool at_end)
{
    struct hv_str held = hv_buf_str(&watch->held);
    size_t start = 0;
    for (size_t end; (end = hv_str_find_byte(held, '\n', start)) != SIZE_MAX; start = end + 1)
        take_line(watch, hv_str_slice(held, start, end));
    if (held.len > start && (at_end || held.len - start >= LINE_HELD)) {
        take_line(watch, hv_str_slice(held, start, held.len));
        start = held.len;
    }
    hv_buf_consume(&watch->held, start);
}

static void take_bytes(void *user, struct hv_str bytes)
{
    struct watch *watch = user;
    while (bytes.len) {
        struct hv_str piece = hv_str_slice(bytes, 0, LINE_HELD / 4);
        hv_buf_clear(&watch->clean);
        ansi_feed(&watch->cleaner, piece, &watch->clean);
        hv_buf_add_str(&watch->held, hv_buf_str(&watch->clean));
        take_lines(watch, false);
        bytes = hv_str_slice(bytes, piece.len, bytes.len);
    }
    if (watch->task || (watch->shell && (watch->task = watch->shell->task)))
        flush(watch, false);
}

/* False when the watch must end. */
static bool look(void *user)
{
    struct watch *watch = user;
    if (watch->shell)
        watch->task = watch->shell->task;
    flush(watch, false);
    watch->over_time = watch->end_ns && clock_monotonic_ns() >= watch->end_ns;
    return !watch->over_time && !watch->too_much;
}

static void conclude(void *user, struct hv_task_end *end)
{
    struct watch *watch = user;
    hv_buf_clear(&watch->clean);
    ansi_finish(&watch->cleaner, &watch->clean);
    hv_buf_add_str(&watch->held, hv_buf_str(&watch->clean));
    take_lines(watch, true);
    if (watch->task && !watch->too_much)
        flush(watch, true);
    if (watch->over_time || watch->too_much) {
        end->status = HV_TASK_STOPPED;
        end->has_exit_code = false;
        snprintf(end->text, sizeof end->text, "%s", watch->over_time ? "its time is over" : "it had too much to tell");
    }
}

static void watch_free(void *user)
{
    struct watch *watch = user;
    find_scratch_free(watch->scratch);
    find_release(watch->find);
    ansi_release(&watch->cleaner);
    hv_buf_release(&watch->clean);
    hv_buf_release(&watch->held);
    hv_buf_release(&watch->gathered);
    hv_buf_release(&watch->shown);
    pthread_mutex_destroy(&watch->lock);
    free(watch->path);
    if (watch->host->release)
        watch->host->release(watch->host);
    free(watch);
}

static enum hv_code watch_new(const struct monitor_input *in, struct hv_context *context, struct watch **out,
                              struct hv_error *err)
{
    struct find_options options = {.ignore_case = in->ignore_case, .plain_advice = true};
    struct find *find = NULL;
    enum hv_code code = in->pattern.len ? find_compile(in->pattern, &options, &find, err) : HV_OK;
    if (code != HV_OK) {
        hv_error_place(err, "pattern");
        return code;
    }
    struct watch *watch = hv_calloc(1, sizeof *watch);
    watch->tasks = context->services->tasks;
    watch->host = context->host;
    if (watch->host->retain)
        watch->host->retain(watch->host);
    watch->find = find;
    watch->scratch = find ? find_scratch_new(find, stop_search, watch) : NULL;
    watch->end_ns = in->persistent ? 0 : clock_monotonic_ns() + (uint64_t)in->timeout_ms * CLOCK_MILLISECOND;
    hv_buf_init(&watch->clean, 4 * LINE_HELD);
    hv_buf_init(&watch->held, 8 * LINE_HELD);
    hv_buf_init(&watch->gathered, LINES_MAX * (LINE_BYTES + 1));
    hv_buf_init(&watch->shown, LINE_HELD);
    pthread_mutex_init(&watch->lock, NULL);
    *out = watch;
    return HV_OK;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* What was appended since the last look; from its beginning when the file is another, or was cut. False: it ended. */
static bool read_on(struct watch *watch, struct position *at)
{
    struct hv_file_stat info;
    struct hv_str path = hv_str_from(watch->path);
    if (watch->host->stat(watch->host, path, true, &info, NULL) != HV_OK) {
        at->gone_since_ns = at->gone_since_ns ? at->gone_since_ns : clock_monotonic_ns();
        return !at->known || clock_monotonic_ns() - at->gone_since_ns < GONE_MS * CLOCK_MILLISECOND;
    }
    if (at->known && (info.inode != at->inode || info.size < at->offset))
        at->offset = 0;
    at->known = true;
    at->inode = info.inode;
    at->gone_since_ns = 0;
    while (info.size > at->offset && !stop_search(watch)) {
        CLEANUP_BUF struct hv_buf bytes = {.max = READ_MAX + 1};
        if (watch->host->read(watch->host, path, at->offset, READ_MAX, &bytes, NULL, NULL) != HV_OK || !bytes.len)
            break;
        at->offset += bytes.len;
        take_bytes(watch, hv_buf_str(&bytes));
    }
    return true;
}

static void run_file(void *self, struct hv_task *task, struct hv_task_end *end)
{
    struct watch *watch = self;
    const struct hv_cancel *cancel = watch->tasks->cancel(task);
    watch->task = task;
    bool goes_on = true;
    while (goes_on && !hv_cancelled(cancel)) {
        struct pollfd stop = {.fd = hv_cancel_fd(cancel), .events = POLLIN};
        (void)poll(&stop, 1, LOOK_MS);
        goes_on = read_on(watch, &watch->at);
        if (!goes_on)
            snprintf(end->text, sizeof end->text, "the file was removed");
        goes_on = look(watch) && goes_on;
    }
    end->status = hv_cancelled(cancel) ? HV_TASK_STOPPED : HV_TASK_COMPLETED;
    conclude(watch, end);
}

static uint64_t read_shown(void *self, uint64_t from, size_t limit, struct hv_buf *out, uint64_t *size)
{
    struct watch *watch = self;
    LOCK_SCOPE(&watch->lock);
    *size = watch->shown_dropped + watch->shown.len;
    if (from >= *size || !limit)
        return from;
    from = from < watch->shown_dropped ? watch->shown_dropped : from;
    size_t start = (size_t)(from - watch->shown_dropped);
    hv_buf_add_str(out, hv_str_slice(hv_buf_str(&watch->shown), start, start + limit));
    return from;
}

static const struct hv_task_type file_type = {
    .name = "monitor", .run = run_file, .read = read_shown, .release = watch_free};

/* ---- the call ---------------------------------------------------------------------------------------------------- */

static enum hv_code watch_file(const struct monitor_input *in, struct hv_context *context, struct watch *watch,
                               struct hv_str id, struct hv_task **task, struct hv_error *err)
{
    struct hv_str title = in->description.len ? in->description : in->file;
    struct hv_file_stat info;
    watch->path = strndup(in->file.ptr, in->file.len);
    if (watch->host->stat(watch->host, in->file, true, &info, NULL) == HV_OK && info.kind != HV_FILE_REGULAR) {
        watch_free(watch);
        return hv_fail(err, HV_EUNSUPPORTED, "%.*s is not a file whose lines could be watched", HV_STR_ARG(in->file));
    }
    /* Now, not on the task's thread: what is appended after this call has returned is new. */
    if (watch->host->stat(watch->host, in->file, true, &info, NULL) == HV_OK)
        watch->at = (struct position){.offset = info.size, .inode = info.inode, .known = true};
    struct hv_task_options options = {.type = &file_type, .self = watch, .id = id, .title = title};
    enum hv_code code = watch->tasks->start(context, &options, task, err);
    if (code != HV_OK)
        watch_free(watch);
    return code;
}

static enum hv_code watch_command(const struct monitor_input *in, struct hv_context *context, struct watch *watch,
                                  struct hv_str id, struct hv_task **task, struct hv_error *err)
{
    struct bash_input input = {.command = in->command, .run_in_background = true};
    struct bash_run run = {.context = context, .input = &input};
    struct bash_command command;
    struct shell *shell;
    enum hv_code code = bash_choose_directory(&run, err);
    if (code == HV_OK)
        code = bash_make_command(&run, &command, err);
    if (code == HV_OK) {
        struct shell_options options = {.argv = command.argv,
                                        .environment = command.environment,
                                        .directory = command.directory,
                                        .prepared = command.prepared,
                                        .spool_name = id};
        code = shell_start(context, &options, &shell, err);
    }
    if (code != HV_OK) {
        bash_end_sandbox(&run);
        watch_free(watch);
        return code;
    }
    watch->shell = run.shell = shell;
    shell->on_output = take_bytes;
    shell->on_look = look;
    shell->on_end = conclude;
    shell->free_user = watch_free;
    shell->user = watch;
    code = bash_become_task(&run, "monitor", id, in->description.len ? in->description : hv_str_trim(in->command), task,
                            err);
    if (code != HV_OK) {
        bash_end_sandbox(&run);
        shell_free(shell);
    }
    return code;
}

static enum hv_code monitor_call(const void *input, struct hv_context *context, void **data, struct hv_result *result,
                                 struct hv_error *err)
{
    (void)data;
    const struct monitor_input *in = input;
    const struct hv_tasks *tasks = task_text_service(context, err);
    struct watch *watch;
    struct hv_task *task;
    struct hv_task_view view;
    if (!tasks || (in->command.len && !context->host->processes))
        return tasks ? hv_fail(err, HV_EUNSUPPORTED, "this session cannot run commands") : HV_EUNSUPPORTED;
    enum hv_code code = watch_new(in, context, &watch, err);
    if (code != HV_OK)
        return code;
    struct hv_str id = tasks->reserve(context, "monitor");
    code = in->command.len ? watch_command(in, context, watch, id, &task, err)
                           : watch_file(in, context, watch, id, &task, err);
    if (code != HV_OK)
        return code;
    tasks->look(task, context->arena, &view);
    hv_result_addf(
        result, context->arena,
        "Watching as %.*s. You are told of %s, and when it ends; TaskStop ends it. There is no need to poll.",
        HV_STR_ARG(id), in->pattern.len ? "lines that match" : "every line");
    context->services->activate_tool(context, HV_STR("TaskStop"));
    result->structured = task_text_json(&view, (struct hv_str){0}, context->arena);
    result->summary = id;
    return HV_OK;
}

/* ---- what else the descriptor says ------------------------------------------------------------------------------- */

static enum hv_code monitor_validate(const void *input, const struct hv_context *context, struct hv_error *err)
{
    const struct monitor_input *in = input;
    (void)context;
    if (!hv_str_trim(in->command).len == !in->file.len) {
        hv_fail(err, HV_EINVAL, "give either a command to run or a file to watch");
        hv_error_place(err, in->file.len ? "file" : "command");
        return HV_EINVAL;
    }
    if (hv_str_find_byte(in->command, '\0', 0) == SIZE_MAX)
        return HV_OK;
    hv_fail(err, HV_EINVAL, "a command cannot hold a NUL byte");
    hv_error_place(err, "command");
    return HV_EINVAL;
}

static bool monitor_starts_nothing(const void *input, const struct hv_context *context)
{
    (void)context;
    return ((const struct monitor_input *)input)->file.len > 0;
}

static void monitor_footprint(const void *input, const struct hv_context *context, struct hv_footprint *out)
{
    const struct monitor_input *in = input;
    if (in->file.len)
        hv_footprint_read(out, context->arena, in->file);
}

static bool monitor_read_only(const void *input, const struct hv_context *context)
{
    (void)context;
    return ((const struct monitor_input *)input)->file.len > 0;
}

/* A file is watched as `tail` would: rules and dangers are judged by that. */
static struct hv_str monitor_subject(const void *input, const struct hv_context *context)
{
    const struct monitor_input *in = input;
    if (in->command.len)
        return in->command;
    CLEANUP_BUF struct hv_buf text = {.max = SIZE_MAX / 4};
    hv_buf_add_cstr(&text, "tail -F ");
    bash_add_quoted(&text, in->file);
    return hv_arena_str(context->arena, hv_buf_str(&text));
}

static void monitor_render(const void *input, const struct hv_context *context, struct hv_buf *out)
{
    const struct monitor_input *in = input;
    (void)context;
    hv_buf_add_str(out, in->command.len ? in->command : in->file);
    if (in->pattern.len)
        hv_buf_addf(out, " /%.*s/", HV_STR_ARG(in->pattern));
}

static const char *const monitor_rule_names[] = {"Bash", NULL};
static const char *const monitor_aliases[] = {"monitor", "watch", NULL};

const struct hv_tool tool_monitor = {
    .name = "Monitor",
    .aliases = monitor_aliases,
    .rule_names = monitor_rule_names,
    .title = "Watch a command or a file",
    .search_hint = "watch a log or a command and be told when a line matches",
    .description =
        "Watches what a command writes, or what is appended to a file, in the background, and tells you of lines that "
        "match and of the end. For conditions: a loop that prints when they hold (`until curl -sf localhost:3000; do "
        "sleep 1; done; echo up`). Ends after five minutes unless `timeout_ms` or `persistent` say otherwise.",
    .deferred = true,
    .fields = monitor_fields,
    .input_size = sizeof(struct monitor_input),
    .subject_kind = HV_SUBJECT_COMMAND,
    .executes = true,
    .is_enabled = bash_is_installed,
    .validate = monitor_validate,
    .footprint = monitor_footprint,
    .read_only = monitor_read_only,
    .concurrency_safe = monitor_read_only,
    .starts_nothing = monitor_starts_nothing,
    .subject = monitor_subject,
    .classifier_input = monitor_subject,
    .call = monitor_call,
    .render_use = monitor_render,
};
