/*
 * bash.c: Bash: run a shell command (spec T10, foreground).
 *
 * The command runs in bash, with nothing on stdin, in the session's working directory; how it is kept in hand (groups,
 * time-outs, whatever it leaves behind) is the host's business (src/proc/run.h). Output goes through a spool, so a
 * flood costs no memory. What is special here is the working directory, which lasts from call to call: the command is
 * wrapped in a script that writes the shell's last directory to a file (see wrap_command).
 */
#include "base/path.h"
#include "proc/run.h"
#include "proc/spool.h"
#include "shell/trivial.h"

#include <helve/tool.h>
#include <string.h>

#define DEFAULT_TIMEOUT_TEXT "120000"
enum { TIMEOUT_MAX_MS = 600000, DIRECTORY_FILE_MAX = 16 * 1024 };
#define MILLISECOND 1000000ull

struct bash_input {
    struct hv_str command;
    int64_t timeout;
    struct hv_str description;
};

static const char *const command_aliases[] = {"cmd", NULL};
static const char *const timeout_aliases[] = {"timeout_ms", NULL};

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
     .aliases = timeout_aliases,
     .minimum = 1,
     .maximum = TIMEOUT_MAX_MS,
     .fallback = DEFAULT_TIMEOUT_TEXT},
    {.name = "description",
     .description = "What the command does, in five to ten words, for the person who watches.",
     .type = HV_FIELD_STRING,
     .offset = offsetof(struct bash_input, description)},
    {0},
};

/* One call under way. */
struct bash_run {
    struct hv_context *context;
    const struct bash_input *input;
    struct spool *spool;
    struct hv_str directory;      /* where it runs */
    struct hv_str directory_file; /* where its shell writes its last directory; absent: it cannot change it */
    struct hv_exit ended;
    struct hv_str notes; /* sentences that follow the output */
};

static void add_note(struct bash_run *run, struct hv_str note)
{
    if (note.len)
        run->notes = hv_arena_format(run->context->arena, "%.*s%s%.*s", HV_STR_ARG(run->notes),
                                     run->notes.len ? "\n" : "", HV_STR_ARG(note));
}

/* ---- before the run ------------------------------------------------------------------------------------ */

static enum hv_code bash_validate(const void *input, const struct hv_context *context, struct hv_error *err)
{
    const struct bash_input *in = input;
    (void)context;
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
    return HV_OK;
}

static bool is_directory(const struct hv_context *context, struct hv_str path)
{
    struct hv_file_stat info;
    return path.len && context->host->stat(context->host, path, true, &info, NULL) == HV_OK &&
           info.kind == HV_FILE_DIRECTORY;
}

/* The session's directory, or the first workspace root that still is one. */
static enum hv_code choose_directory(struct bash_run *run, struct hv_error *err)
{
    struct hv_context *context = run->context;
    run->directory = context->directory;
    if (is_directory(context, run->directory))
        return HV_OK;
    for (size_t i = 0; i < context->root_count; i++) {
        if (!is_directory(context, context->roots[i]))
            continue;
        run->directory = context->roots[i];
        context->services->set_directory(context, run->directory);
        add_note(run, hv_arena_format(context->arena,
                                      "The working directory %.*s no longer exists; the command ran in %.*s.",
                                      HV_STR_ARG(context->directory), HV_STR_ARG(run->directory)));
        return HV_OK;
    }
    hv_fail(err, HV_ENOTFOUND, "the working directory %.*s no longer exists", HV_STR_ARG(context->directory));
    hv_error_hint(err, "Start helve again in a directory that exists.");
    return HV_ENOTFOUND;
}

/* text in single quotes for bash. */
static void add_quoted(struct hv_buf *out, struct hv_str text)
{
    hv_buf_add_byte(out, '\'');
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\'')
            hv_buf_add_cstr(out, "'\\''");
        else
            hv_buf_add_byte(out, text.ptr[i]);
    }
    hv_buf_add_byte(out, '\'');
}

/*
 * The script that bash runs: the command under eval, then the shell's directory into run->directory_file. Two nets
 * catch it: an EXIT trap for commands that call `exit` or stop by `set -e`, and a line after the eval for commands that
 * set an EXIT trap of their own. A command that does both keeps the old directory. eval takes the command as one
 * string, so a syntax error in it cannot swallow what follows; the exit code is the command's; `set -x` and `set -u` do
 * not reach our lines. The file is named in the script, not in the environment, and bash opens it by itself, so no
 * descriptor leaks.
 */
static const char *wrap_command(struct bash_run *run)
{
    struct hv_arena *arena = run->context->arena;
    struct hv_str command = run->input->command;
    if (!run->directory_file.len)
        return hv_arena_cstr(arena, command);
    struct hv_buf file, script;
    hv_buf_init(&file, SIZE_MAX / 4);
    hv_buf_init(&script, SIZE_MAX / 4);
    hv_buf_add_cstr(&file, "{ builtin pwd -P >|");
    add_quoted(&file, run->directory_file);
    hv_buf_add_cstr(&file, " || :; } 2>/dev/null");
    hv_buf_add_cstr(&script, "trap ");
    add_quoted(&script, hv_buf_str(&file));
    hv_buf_add_cstr(&script, " EXIT; eval ");
    add_quoted(&script, command);
    hv_buf_add_cstr(&script, "\n{ helve_status=$?; set +exu; } 2>/dev/null\n");
    hv_buf_add_str(&script, hv_buf_str(&file));
    hv_buf_add_cstr(&script, "\nexit $helve_status\n");
    const char *text = hv_arena_cstr(arena, hv_buf_str(&script));
    hv_buf_release(&file);
    hv_buf_release(&script);
    return text;
}

/* A name of its own for each call: the folder is the session's, and addresses and times do not repeat within it. */
static void choose_directory_file(struct bash_run *run)
{
    const struct hv_context *context = run->context;
    if (!context->results_directory.len || shell_trivial(context->arena, run->input->command, NULL))
        return;
    run->directory_file = hv_arena_format(context->arena, "%.*s/.directory-%llx-%llx",
                                          HV_STR_ARG(context->results_directory), (unsigned long long)(uintptr_t)run,
                                          (unsigned long long)context->host->monotonic_ns(context->host));
}

/* ---- the run ------------------------------------------------------------------------------------------- */

static bool on_output(void *user, enum hv_stream stream, struct hv_str bytes)
{
    struct bash_run *run = user;
    return spool_add(run->spool, stream, bytes);
}

static void on_tick(void *user, uint64_t elapsed_ns)
{
    struct bash_run *run = user;
    struct hv_str line = hv_str_trim(spool_last_line(run->spool));
    hv_progress(run->context, "%llu s, %llu bytes%s%.*s", (unsigned long long)(elapsed_ns / (1000 * MILLISECOND)),
                (unsigned long long)spool_size(run->spool), line.len ? ": " : "", HV_STR_ARG(line));
}

static enum hv_code start(struct bash_run *run, struct hv_error *err)
{
    struct hv_context *context = run->context;
    const char *argv[] = {"bash", "-c", wrap_command(run), NULL};
    struct hv_command command = {
        .argv = argv,
        .environment = context->environment,
        .directory = hv_arena_cstr(context->arena, run->directory),
        .timeout_ns = (uint64_t)run->input->timeout * MILLISECOND,
        .cancel = context->cancel,
        .on_output = on_output,
        .on_tick = on_tick,
        .user = run,
    };
    return context->host->run(context->host, &command, &run->ended, err);
}

/* ---- the directory after it ---------------------------------------------------------------------------- */

/* What the shell wrote: an absolute path and a newline. Absent when it wrote nothing. The file is removed. */
static struct hv_str read_directory_file(struct bash_run *run)
{
    const struct hv_host *host = run->context->host;
    struct hv_str path = {0};
    struct hv_buf text;
    if (!run->directory_file.len)
        return path;
    hv_buf_init(&text, DIRECTORY_FILE_MAX);
    if (host->read(host, run->directory_file, 0, DIRECTORY_FILE_MAX, &text, NULL, NULL) == HV_OK && text.len > 1 &&
        text.data[0] == '/' && text.data[text.len - 1] == '\n')
        path = hv_arena_str(run->context->arena, hv_str_of(text.data, text.len - 1));
    hv_buf_release(&text);
    (void)host->remove(host, run->directory_file, NULL); /* it may never have been made */
    return path;
}

static struct hv_str resolved(const struct hv_context *context, struct hv_str path)
{
    struct hv_str real;
    return context->host->resolve(context->host, context->arena, path, &real, NULL) == HV_OK ? real : path;
}

/* path, which is resolved, as it is called below one of the roots; absent when it is outside of all. */
static struct hv_str inside_roots(const struct hv_context *context, struct hv_str path)
{
    for (size_t i = 0; i < context->root_count; i++) {
        struct hv_str root = context->roots[i], real = resolved(context, root);
        if (!path_inside(path, real))
            continue;
        return path_expand(context->arena, path_relative(path, real), root, context->home);
    }
    return (struct hv_str){0};
}

static void follow_directory(struct bash_run *run)
{
    struct hv_context *context = run->context;
    struct hv_str path = read_directory_file(run);
    if (!path.len || hv_str_eq(path, resolved(context, run->directory)))
        return;
    struct hv_str inside = inside_roots(context, path);
    if (inside.len)
        context->services->set_directory(context, inside);
    else
        add_note(run,
                 hv_arena_format(context->arena, "The working directory stays %.*s: %.*s is outside the workspace.",
                                 HV_STR_ARG(run->directory), HV_STR_ARG(path)));
}

/* ---- the result ---------------------------------------------------------------------------------------- */

/* " (SIGSEGV)" for 139: how bash tells of a child that a signal ended. */
static const char *signal_of_code(const struct bash_run *run, int code)
{
    char name[16];
    if (code <= 128 || code > 128 + 31)
        return "";
    return hv_arena_format(run->context->arena, ", %s", proc_signal_name(code - 128, name, sizeof name)).ptr;
}

static bool is_answer(const struct bash_run *run)
{
    bool certain;
    return shell_exit_is_answer(run->input->command, run->ended.code, &certain) &&
           (certain || !spool_stream(run->spool, HV_STDERR, run->context->arena).len);
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
                   "The command timed out after %lld ms and was ended, with all it started. Give it a longer "
                   "`timeout` (at most %d), or make it do less.",
                   (long long)run->input->timeout, TIMEOUT_MAX_MS)
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
    add_note(run, spool_note(run->spool, run->context->arena));
    if (run->ended.left_running)
        add_note(run, HV_STR("Processes that the command left in the background were ended: they live no longer than "
                             "its shell."));
    if (run->ended.code > 0 && is_answer(run))
        add_note(run, hv_arena_format(run->context->arena, "(exit code %d)", run->ended.code));
}

/* For hooks and programs: both streams apart, bounded. */
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
    hv_json_member_string(&writer, "stderr", spool_stream(run->spool, HV_STDERR, arena));
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

static enum hv_code bash_call(const void *input, struct hv_context *context, void **data, struct hv_result *result,
                              struct hv_error *err)
{
    (void)data;
    struct bash_run run = {.context = context, .input = input};
    enum hv_code code = choose_directory(&run, err);
    if (code)
        return code;
    choose_directory_file(&run);
    run.spool = spool_new(&(struct spool_options){.directory = context->results_directory, .name = HV_STR("bash")});
    code = start(&run, err);
    if (!code) {
        follow_directory(&run);
        make_result(&run, result);
    }
    spool_free(run.spool);
    return code;
}

/* ---- what else the descriptor says --------------------------------------------------------------------- */

/* Only commands that provably touch nothing but what they list; the rest is everything. */
static void bash_footprint(const void *input, const struct hv_context *context, struct hv_footprint *out)
{
    struct shell_trivial trivial;
    if (!shell_trivial(context->arena, ((const struct bash_input *)input)->command, &trivial))
        return;
    out->limited = true;
    for (size_t i = 0; i < trivial.path_count; i++)
        hv_footprint_read(out, context->arena, hv_path_expand(context, trivial.paths[i]));
}

static bool bash_is_trivial(const void *input, const struct hv_context *context)
{
    return shell_trivial(context->arena, ((const struct bash_input *)input)->command, NULL);
}

/* As far as permission goes, listing is harmless inside the workspace only. */
static bool bash_read_only(const void *input, const struct hv_context *context)
{
    struct shell_trivial trivial;
    if (!shell_trivial(context->arena, ((const struct bash_input *)input)->command, &trivial))
        return false;
    for (size_t i = 0; i < trivial.path_count; i++)
        if (!inside_roots(context, resolved(context, hv_path_expand(context, trivial.paths[i]))).len)
            return false;
    return true;
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
        "and functions do not. Stdin is empty, so a command that asks questions gets none answered: use its options "
        "for that (-y, --no-edit). The command ends with its shell: what it leaves in the background is ended. After "
        "the "
        "time-out (2 minutes unless `timeout` says otherwise, at most 10) it is ended with all it started. Very "
        "long output is stored in a file, of which the beginning and the end are shown.",
    .guide = "Use Read, Write, Edit, Glob, Grep and LS rather than cat, sed, find, grep and ls: they are faster and "
             "checked. "
             "Quote paths with blanks. Join commands that depend on each other by &&; make separate calls for "
             "independent ones. Prefer absolute paths to cd.",
    .fields = bash_fields,
    .input_size = sizeof(struct bash_input),
    .output_schema =
        "{\"type\":\"object\",\"properties\":{\"stdout\":{\"type\":\"string\"},\"stderr\":{\"type\":\"string\"},"
        "\"exit_code\":{\"type\":\"integer\"},\"signal\":{\"type\":[\"string\",\"null\"]},"
        "\"interrupted\":{\"type\":\"boolean\"}},\"required\":[\"stdout\",\"stderr\",\"exit_code\",\"signal\","
        "\"interrupted\"]}",
    .time_limit_ms = UINT64_MAX,
    .subject_kind = HV_SUBJECT_COMMAND,
    .executes = true,
    .validate = bash_validate,
    .footprint = bash_footprint,
    .read_only = bash_read_only,
    .concurrency_safe = bash_is_trivial,
    .subject = bash_subject,
    .classifier_input = bash_subject,
    .call = bash_call,
    .render_use = bash_render_use,
};
