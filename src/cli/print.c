/*
 * print.c: `helve -p`: one task (or a stream of them) for a model with tools, without a person at the screen
 * (surfaces S3). Flags and shapes are those of Claude Code where it has them.
 */
#include "cli/chat.h"
#include "cli/demo.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/signals.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/thread.h"
#include "text/ansi.h"

enum {
    STDIN_MAX = 10 * 1000 * 1000,
    PROMPT_FILE_MAX = 8 << 20,
    STDIN_TELL_MS = 3000,   /* then the person is told what is waited for */
    STDIN_WAIT_MS = 600000, /* of a pipe whose writer lives: `make 2>&1 | helve -p "fix it"` */
    STRUCTURED_TRIES = 5,
    TASK_GRACE_MS = 5000,
    TASK_LOOK_MS = 50
};

static const char *const output_names[] = {"text", "json", "stream-json", NULL};
static const char *const input_names[] = {"text", "stream-json", NULL};

#define AT(member) offsetof(struct print_flags, member)
static const struct option print_options[] = {
    {"print", 'p', OPTION_FLAG, AT(print), NULL, "work on the task, print the answer, end"},
    {"plain", 0, OPTION_FLAG, AT(plain), NULL, "a session line by line: for dumb terminals and pipes"},
    {"ax-screen-reader", 0, OPTION_FLAG, AT(reader), NULL, "the same for a screen reader: nothing moves or is painted"},
    {"model", 0, OPTION_TEXT, AT(model), "NAME",
     "provider:name (anthropic, openai-chat, openai-responses), or replay:FILE, replay:demo"},
    {"output-format", 0, OPTION_CHOICE, AT(output), "FORMAT",
     "text, json (one result) or stream-json (a line an event)", .choices = output_names},
    {"input-format", 0, OPTION_CHOICE, AT(input), "FORMAT", "text, or stream-json: user messages as lines on stdin",
     .choices = input_names},
    {"no-stdin", 0, OPTION_FLAG, AT(no_stdin), NULL, "do not read stdin: the task is in the arguments alone"},
    {"verbose", 0, OPTION_FLAG, AT(verbose), NULL, "show tools, results and changes on stderr as they happen"},
    {"max-turns", 0, OPTION_INTEGER, AT(max_turns), "N", "stop after N requests to the model", .minimum = 1},
    {"max-budget-usd", 0, OPTION_NUMBER, AT(max_cost), "USD", "stop when the session has cost this much"},
    {"tools", 0, OPTION_RULES, AT(tools), "NAMES", "offer these tools only; \"default\" for all, \"\" for none"},
    {"continue", 'c', OPTION_FLAG, AT(last), NULL, "go on with the latest session of this directory"},
    {"resume", 'r', OPTION_TEXT, AT(resume), "ID", "go on with this session (an id, its beginning, or a journal)",
     .value_optional = true},
    {"fork-session", 0, OPTION_FLAG, AT(fork), NULL, "with --continue or --resume: in a new session"},
    {"session-id", 0, OPTION_TEXT, AT(session_id), "UUID", "the id of the new session"},
    {"no-session-persistence", 0, OPTION_FLAG, AT(without_journal), NULL, "keep no journal"},
    {"system-prompt", 0, OPTION_TEXT, AT(system_prompt), "TEXT", "instead of the built-in system prompt"},
    {"system-prompt-file", 0, OPTION_TEXT, AT(system_prompt_file), "FILE", "the same from a file"},
    {"append-system-prompt", 0, OPTION_TEXT, AT(append), "TEXT", "add this to the system prompt"},
    {"append-system-prompt-file", 0, OPTION_TEXT, AT(append_file), "FILE", "the same from a file"},
    {"json-schema", 0, OPTION_TEXT, AT(json_schema), "FILE|JSON", "the answer must be JSON that fits this schema"},
    {"permission-prompt-tool", 0, OPTION_TEXT, AT(permission_tool), "stdio",
     "ask the program at the other end of stdin and stdout (needs both formats stream-json)"},
    {"include-partial-messages", 0, OPTION_FLAG, AT(partial), NULL, "stream-json: the model's raw events too"},
    {"include-hook-events", 0, OPTION_FLAG, AT(hook_events), NULL, "stream-json: what hooks did too"},
    {"replay-user-messages", 0, OPTION_FLAG, AT(replay_user), NULL, "stream-json: user messages are echoed"},
    {.type = OPTION_TABLE, .offset = AT(setup), .table = cli_setup_options},
    {0},
};
#undef AT

/* ---- tasks that outlive the last turn ---------------------------------------------------------------------------- */

static void close_session(void *data);

/* What runs in the background gets a little time to end by itself. */
static void wait_for_tasks(void *data)
{
    struct print *print = data;
    bool done = print->signal || print->output_errno || print->waited_ms >= TASK_GRACE_MS ||
                runtime_running_tasks(session_runtime(print->session)) == 0;
    if (done) {
        close_session(print);
        return;
    }
    print->waited_ms += TASK_LOOK_MS;
    loop_timer_start(print->setup.loop, TASK_LOOK_MS * CLOCK_MILLISECOND, wait_for_tasks, print);
}

static void start_notes_turn(void *data)
{
    struct print *print = data;
    struct hv_error err;
    if (print->turn_running || print->closing || print->input.ended || print->input.waiting.count > 0)
        return;
    print->turn_running = true;
    if (session_submit_notes(print->session, &err) != HV_OK)
        print->turn_running = false;
}

/* Between two messages of the program at the other end: the model is told at once. */
static void on_notes(void *user)
{
    struct print *print = user;
    if (print->flags->input == 2)
        start_notes_turn(print);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static void closed(void *user)
{
    struct print *print = user;
    loop_stop(print->setup.loop);
}

static void close_session(void *data)
{
    struct print *print = data;
    session_close(print->session, print->signal ? "interrupted" : "other", closed, print);
}

void print_close(struct print *print)
{
    if (print->closing)
        return;
    print->closing = true;
    print_begin_close(print);
    loop_post(print->setup.loop, wait_for_tasks, print);
}

static void print_text(struct print *print, const struct session_outcome *outcome, struct hv_str structured)
{
    CLEANUP_BUF struct hv_buf clean = {0};
    struct hv_str text = structured.ptr ? structured : outcome->text;
    int failed = 0;
    if (print->progress.streams) {
        failed = progress_finish(&print->progress);
        text = structured; /* the rest was shown as it came */
    }
    if (isatty(STDOUT_FILENO)) {
        hv_buf_init(&clean, SIZE_MAX / 4);
        ansi_clean(text, &clean); /* a model's words do not steer the terminal */
        text = hv_buf_str(&clean);
    }
    if (text.len > 0 && outcome->ending != SESSION_FAILED) {
        failed = cli_write(STDOUT_FILENO, text);
        if (!failed && text.ptr[text.len - 1] != '\n')
            failed = cli_write(STDOUT_FILENO, HV_STR("\n"));
    }
    if (failed)
        print->output_errno = failed;
    if (outcome->error.message[0] && !print->signal)
        cli_fail(&outcome->error);
}

static void try_again(void *data)
{
    struct print *print = data;
    struct hv_error err;
    print->turn_running = true;
    if (session_submit_text(print->session, structured_reminder(), &err) != HV_OK)
        print_close(print);
}

/* The model ended its turn without the structured answer: it is reminded, a few times. */
static bool reminds(struct print *print, const struct session_outcome *outcome)
{
    if (!print->flags->json_schema.ptr || outcome->structured.ptr || outcome->ending != SESSION_DONE ||
        print->structured_tries >= STRUCTURED_TRIES)
        return false;
    print->structured_tries++;
    loop_post(print->setup.loop, try_again, print);
    return true;
}

static void on_turn_end(void *user, const struct session_outcome *outcome)
{
    struct print *print = user;
    print->turn_running = false;
    if (reminds(print, outcome))
        return;
    bool gave_up = print->flags->json_schema.ptr && !outcome->structured.ptr && outcome->ending == SESSION_DONE;
    print->status = outcome->ending == SESSION_DONE && !gave_up ? CLI_OK : CLI_FAILED;
    print->structured_tries = 0;
    if (print->format == PRINT_TEXT)
        print_text(print, outcome, outcome->structured);
    else
        print_result(print, outcome, outcome->structured, gave_up);
    if (gave_up && print->format == PRINT_TEXT)
        cli_note("the model gave no answer that fits the schema");
    if (print->flags->input == 2 && !print->signal && !print->output_errno)
        print_input_next(print);
    else
        print_close(print);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void take_start(struct print *print, const struct hv_event *event)
{
    const struct hv_json *data;
    CLEANUP_ARENA struct hv_arena scratch = {0};
    if (hv_json_parse(&scratch, event->data, HV_JSON_STRICT, &data, NULL) != HV_OK)
        return;
    print->session_id = hv_arena_str(print->arena, hv_json_get_string(data, "id"));
    print->start_model = hv_arena_str(print->arena, hv_json_get_string(data, "model"));
}

static struct hv_str heap_copy(struct hv_str text)
{
    char *copy = hv_malloc(text.len + 1);
    if (text.len > 0)
        memcpy(copy, text.ptr, text.len);
    return hv_str_of(copy, text.len);
}

static void free_call(struct open_call *call)
{
    free((void *)call->id.ptr);
    free((void *)call->tool.ptr);
    free((void *)call->input.ptr);
    free((void *)call->label.ptr);
}

static void open_call(struct print *print, const struct hv_event *event)
{
    *vec_push(&print->calls) = (struct open_call){
        .id = heap_copy(event->call_id),
        .tool = heap_copy(event->tool),
        .input = heap_copy(event->json),
        .label = progress_label(event->json),
    };
}

static void close_call(struct print *print, struct hv_str id)
{
    for (size_t i = 0; i < print->calls.count; i++) {
        if (!hv_str_eq(print->calls.items[i].id, id))
            continue;
        free_call(&print->calls.items[i]);
        print->calls.items[i] = print->calls.items[--print->calls.count];
        return;
    }
}

static void on_event(void *user, const struct hv_event *event)
{
    struct print *print = user;
    if (event->type == HV_EVENT_SESSION_START)
        take_start(print, event);
    if (event->type == HV_EVENT_CALL)
        open_call(print, event);
    if (event->type == HV_EVENT_DECISION && !event->ok)
        print_note_denial(print, event);
    if (print->format == PRINT_STREAM_JSON)
        print_stream_event(print, event);
    else
        progress_event(print, event);
    if (event->type == HV_EVENT_RESULT)
        close_call(print, event->call_id);
}

/* ---- the prompt -------------------------------------------------------------------------------------------------- */

/* A pipe that brings nothing yet may be a slow producer, or one that nobody means: dropping what was to come would be
 * worse than waiting. Other things (sockets of service managers) are waited for a moment only. */
static bool stdin_has_something(bool have_task)
{
    struct pollfd fd = {.fd = STDIN_FILENO, .events = POLLIN};
    struct stat st;
    if (isatty(STDIN_FILENO))
        return false;
    if (!have_task || poll(&fd, 1, STDIN_TELL_MS) != 0)
        return true;
    if (fstat(STDIN_FILENO, &st) == 0 && S_ISFIFO(st.st_mode)) {
        cli_note("waiting for what comes on stdin (--no-stdin goes on without it)");
        if (poll(&fd, 1, STDIN_WAIT_MS) != 0)
            return true;
    }
    cli_note("nothing came on stdin; going on without it (redirect it from /dev/null, or use --no-stdin)");
    return false;
}

static enum hv_code read_prompt(const struct cli_call *call, struct hv_buf *prompt, bool no_stdin, struct hv_error *err)
{
    for (size_t i = 0; i < call->argument_count; i++) {
        hv_buf_add_cstr(prompt, i > 0 ? " " : "");
        hv_buf_add_str(prompt, call->arguments[i]);
    }
    bool have_task = hv_str_trim(hv_buf_str(prompt)).len > 0;
    if (!no_stdin && stdin_has_something(have_task)) {
        CLEANUP_BUF struct hv_buf rest = {0};
        hv_buf_init(&rest, STDIN_MAX + 1);
        enum hv_code code = cli_read_all(STDIN_FILENO, STDIN_MAX, &rest, err);
        if (code != HV_OK)
            return code;
        if (have_task && hv_str_trim(hv_buf_str(&rest)).len > 0)
            hv_buf_add_cstr(prompt, "\n\n");
        hv_buf_add_str(prompt, hv_buf_str(&rest));
    }
    if (hv_str_trim(hv_buf_str(prompt)).len > 0)
        return HV_OK;
    hv_fail(err, HV_EINVAL, "there is no task");
    hv_error_hint(err, "give it as an argument, helve -p \"TASK\", or on stdin");
    return HV_EINVAL;
}

/* ---- making the session ------------------------------------------------------------------------------------------ */

static enum hv_code read_prompt_file(struct print *print, struct hv_str name, struct hv_str *text, struct hv_error *err)
{
    const char *path = hv_arena_cstr(print->arena, name);
    CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    CLEANUP_BUF struct hv_buf bytes = {0};
    hv_buf_init(&bytes, PROMPT_FILE_MAX + 1);
    if (fd < 0)
        return hv_fail_errno(err, errno, "cannot open %s", path);
    enum hv_code code = cli_read_all(fd, PROMPT_FILE_MAX, &bytes, err);
    if (code == HV_OK)
        *text = hv_arena_str(print->arena, hv_buf_str(&bytes));
    else
        hv_error_prefix(err, "%s: ", path);
    return code;
}

static enum hv_code choose_prompts(struct print *print, struct session_options *options, struct hv_error *err)
{
    const struct print_flags *flags = print->flags;
    enum hv_code code = HV_OK;
    options->system_prompt = flags->system_prompt;
    options->append_system_prompt = flags->append;
    if (flags->system_prompt_file.ptr)
        code = read_prompt_file(print, flags->system_prompt_file, &options->system_prompt, err);
    if (code == HV_OK && flags->append_file.ptr)
        code = read_prompt_file(print, flags->append_file, &options->append_system_prompt, err);
    return code;
}

static enum hv_code choose_session(struct print *print, struct session_options *options, struct session_entry *entry,
                                   struct hv_error *err)
{
    const struct print_flags *flags = print->flags;
    options->id = flags->session_id;
    if (!flags->last && !flags->resume.ptr) {
        if (flags->session_id.ptr &&
            sessions_find(print->arena, flags->session_id, print->setup.directory, entry, NULL) == HV_OK &&
            hv_str_eq(entry->id, flags->session_id)) {
            hv_fail(err, HV_EEXIST, "there is a session %.*s already", HV_STR_ARG(flags->session_id));
            hv_error_hint(err, "go on with it: --resume %.*s", HV_STR_ARG(flags->session_id));
            return HV_EEXIST;
        }
        return HV_OK;
    }
    struct hv_str name = flags->resume.len > 0 ? flags->resume : (struct hv_str){0};
    enum hv_code code = sessions_find(print->arena, name, print->setup.directory, entry, err);
    if (code == HV_OK && entry->passed_over)
        cli_note("passed over %zu newer journals that hold no session", entry->passed_over);
    if (code == HV_OK) {
        options->from = entry;
        options->fork = flags->fork;
    }
    return code;
}

static void choose_asking(struct print *print, struct session_options *options)
{
    if (print->flags->permission_tool.ptr) {
        options->asker = (struct hv_asker){print_input_ask, print};
    } else if (print->flags->input != 2 && cli_can_ask()) {
        options->asker.ask = cli_ask;
    }
}

static enum hv_code choose_schema(struct print *print, struct session_options *options, struct hv_error *err)
{
    struct hv_str schema;
    if (!print->flags->json_schema.ptr)
        return HV_OK;
    enum hv_code code = cli_read_json_argument(print->arena, print->flags->json_schema, &schema, err);
    if (code == HV_OK)
        code = structured_tool_init(&print->structured, print->arena, schema, err);
    if (code != HV_OK) {
        hv_error_prefix(err, "--json-schema: ");
        return code;
    }
    options->extra_tools = &print->structured.pointer;
    options->extra_tool_count = 1;
    if (!options->only_tools)
        return HV_OK;
    /* --tools chooses among the others; without this one there could be no answer. */
    struct hv_str *names = hv_arena_array(print->arena, struct hv_str, options->only_tool_count + 1);
    for (size_t i = 0; i < options->only_tool_count; i++)
        names[i] = options->only_tools[i];
    names[options->only_tool_count++] = hv_str_from(print->structured.tool.name);
    options->only_tools = names;
    return HV_OK;
}

void print_session_options(const struct print_flags *flags, struct setup *setup, struct session_options *options)
{
    int64_t max_turns = flags->max_turns ? flags->max_turns : setup->settings->max_turns;
    setup_secrets(setup);
    *options = (struct session_options){
        .loop = setup->loop,
        .host = setup->host,
        .settings = setup->settings,
        .settings_files = &setup->settings_options,
        .model = setup->model,
        .small_model = setup->small_model,
        .small_model_fault = setup->small_model_fault,
        .directory = setup->directory,
        .home = setup->home,
        .roots = setup->roots,
        .root_count = setup->root_count,
        .without_journal = flags->without_journal || setup->settings->cleanup_period_days == 0,
        .secrets = setup->secrets,
        .secret_count = setup->secret_count,
        .max_turns = max_turns > 0 && max_turns < UINT32_MAX ? (unsigned)max_turns : 0,
        .max_cost = flags->max_cost,
        .run_directory = setup_run_directory(setup),
    };
    options->has_mode = cli_mode(&flags->setup, &options->mode);
    options->only_tools = cli_only_tools(&flags->tools, &options->only_tool_count);
}

static enum hv_code make_session(struct print *print, struct hv_error *err)
{
    const struct print_flags *flags = print->flags;
    struct setup *setup = &print->setup;
    struct hv_sink sink = {.event = on_event, .user = print};
    struct session_entry entry;
    struct session_options options;
    print_session_options(flags, setup, &options);
    options.raw_events = flags->partial && print->format == PRINT_STREAM_JSON;
    options.sinks = &sink;
    options.sink_count = 1;
    options.on_turn_end = on_turn_end;
    options.on_notes = on_notes;
    options.door = "-p";
    options.user = print;
    choose_asking(print, &options);
    enum hv_code code = choose_prompts(print, &options, err);
    if (code == HV_OK)
        code = choose_schema(print, &options, err);
    if (code == HV_OK)
        code = choose_session(print, &options, &entry, err);
    return code == HV_OK ? session_new(&options, &print->session, err) : code;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static void on_signal(void *data, int number)
{
    struct print *print = data;
    print->signal = number;
    if (print->own)
        command_run_cancel(print->own);
    else if (print->turn_running)
        session_interrupt(print->session);
    else
        print_close(print);
}

static void run_loop(struct print *print)
{
    struct signals signals;
    signals_start(&signals, print->setup.loop, on_signal, print);
    loop_run(print->setup.loop);
    signals_stop(&signals);
}

static void *preload(void *data)
{
    model_preload(data);
    return NULL;
}

static enum hv_code start_turn(struct print *print, struct hv_str prompt, struct hv_error *err)
{
    if (print->flags->input == 2)
        return print_input_start(print, err);
    enum hv_code code;
    if (print_own_command(print, prompt, &code, err))
        return code;
    print->turn_running = true;
    return session_submit_text(print->session, prompt, err);
}

static int run_session(struct print *print, struct hv_str prompt)
{
    struct hv_error err;
    /* Loading the network part takes some milliseconds; the session is made meanwhile. */
    pthread_t loader;
    bool loading = thread_start(&loader, 0, preload, print->setup.model) == 0;
    enum hv_code code = make_session(print, &err);
    if (code == HV_OK && print->format == PRINT_STREAM_JSON)
        print_init(print);
    if (code == HV_OK)
        code = start_turn(print, prompt, &err);
    if (code == HV_OK) {
        run_loop(print);
        print_last_line(print);
        if (session_journal_path(print->session).ptr)
            cli_clean_sessions(&print->setup, session_id(print->session));
    }
    print_input_stop(print);
    if (loading)
        pthread_join(loader, NULL);
    if (code != HV_OK)
        return cli_fail(&err);
    if (print->signal)
        return CLI_SIGNAL + print->signal;
    if (print->output_errno) {
        cli_note("cannot write to stdout: %s", strerror(print->output_errno));
        return CLI_FAILED;
    }
    return print->bad_input ? CLI_USAGE : print->status;
}

/* What the set-up cannot repair: flags that do not go together. */
static enum hv_code check_flags(const struct print_flags *flags, struct hv_error *err)
{
    if (!flags->print) {
        hv_fail(err, HV_EUNSUPPORTED, "an interactive session needs a terminal for its input and output");
        hv_error_hint(err, "without one write: helve -p \"TASK\"");
        return HV_EUNSUPPORTED;
    }
    if (flags->input == 2 && flags->output != PRINT_STREAM_JSON)
        return hv_fail(err, HV_EINVAL, "--input-format stream-json needs --output-format stream-json");
    if (flags->fork && !flags->last && !flags->resume.ptr)
        return hv_fail(err, HV_EINVAL, "--fork-session needs --continue or --resume ID");
    if (flags->permission_tool.ptr && (!hv_str_is(flags->permission_tool, "stdio") || flags->input != 2))
        return hv_fail(err, HV_EINVAL,
                       "--permission-prompt-tool takes \"stdio\", together with --input-format "
                       "stream-json");
    if (flags->session_id.ptr && !session_id_is_valid(flags->session_id))
        return hv_fail(err, HV_EINVAL, "--session-id: \"%.*s\" cannot be an id (letters, digits, - and _ only)",
                       HV_STR_ARG(hv_str_slice(flags->session_id, 0, 80)));
    return cli_check_tools(&flags->tools, "tools", err);
}

static void print_release(struct print *print)
{
    session_free(print->session);
    setup_release(&print->setup);
    progress_release(&print->progress);
    for (size_t i = 0; i < print->calls.count; i++)
        free_call(&print->calls.items[i]);
    vec_release(&print->calls);
    hv_buf_release(&print->denials);
    hv_buf_release(&print->waiting_lines);
    hv_buf_release(&print->last_line);
    pthread_mutex_destroy(&print->output_lock);
}

/*
 * The built-in recording is of another project: a fresh copy of that is worked on, where nobody sits at a terminal
 * without questions. Only the flag is looked at: who sets HELVE_MODEL knows what it does.
 */
static enum hv_code choose_demo(struct print_flags *flags, struct hv_arena *arena, struct hv_error *err)
{
    struct hv_str here = flags->setup.directory.ptr ? flags->setup.directory : HV_STR(".");
    bool goes_on = flags->last || flags->resume.ptr;
    if (!hv_str_is(flags->model, "replay:demo") || goes_on || demo_is_here(arena, here))
        return HV_OK;
    enum hv_code code = demo_copy(arena, &flags->setup.directory, err);
    if (code != HV_OK)
        return code;
    if (!cli_can_ask() && !flags->setup.mode && !flags->setup.bypass) {
        struct hv_str *rule = hv_arena_array(arena, struct hv_str, 1);
        *rule = HV_STR("Bash(make test)");
        flags->setup.allowed = (struct option_list){.items = rule, .count = 1, .given = true};
        cli_set_mode(&flags->setup, POLICY_ACCEPT_EDITS);
    }
    cli_note("replay:demo is a recording: its words are no answer to your task, its tools are real.\n"
             "  They work on a fresh copy of a small C project whose tests fail: %.*s",
             HV_STR_ARG(flags->setup.directory));
    return HV_OK;
}

static int run(const struct cli_call *call)
{
    struct print_flags chosen = *(const struct print_flags *)call->options, *flags = &chosen;
    struct hv_error err;
    struct hv_str first = call->argument_count > 0 ? hv_arena_str(call->arena, call->arguments[0]) : HV_STR("");
    bool by_lines = flags->plain || flags->reader;
    if (!flags->print && (by_lines || (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))))
        return choose_demo(flags, call->arena, &err) == HV_OK ? chat_run(flags, call->arena, first) : cli_usage(&err);
    CLEANUP_BUF struct hv_buf prompt = {0};
    hv_buf_init(&prompt, STDIN_MAX + (4 << 20));
    if (check_flags(flags, &err) != HV_OK ||
        (flags->input != 2 && read_prompt(call, &prompt, flags->no_stdin, &err) != HV_OK) ||
        choose_demo(flags, call->arena, &err) != HV_OK)
        return cli_usage(&err);
    struct print print = {.flags = flags, .arena = call->arena, .format = flags->output ? flags->output : PRINT_TEXT};
    bool people = print.format != PRINT_STREAM_JSON;
    print.held = !people;
    hv_buf_init(&print.denials, 16 << 20);
    hv_buf_init(&print.waiting_lines, 64 << 20);
    hv_buf_init(&print.last_line, 1 << 30);
    pthread_mutex_init(&print.output_lock, NULL);
    progress_init(&print.progress, people && (flags->verbose || isatty(STDERR_FILENO)), flags->verbose);
    print.progress.streams =
        print.progress.enabled && print.format == PRINT_TEXT && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO);
    int status;
    if (cli_setup_open(&flags->setup, &print.setup, &err) != HV_OK || cli_ask_trust(&print.setup, &err) != HV_OK) {
        status = cli_usage(&err);
    } else {
        cli_tell_problems(&print.setup);
        status = setup_model(&print.setup, flags->model, &err) == HV_OK ? run_session(&print, hv_buf_str(&prompt))
                                                                        : cli_usage(&err);
    }
    print_release(&print);
    return status;
}

const struct cli_command cli_print_command = {
    .name = "",
    .arguments = "-p \"TASK\"",
    .summary = "let a model work on a task with tools, then print its answer",
    .text =
        "What comes on stdin is added to the task. Calls that no rule decides are asked for on a terminal and denied\n"
        "elsewhere, with the rule that would allow them.\n\n"
        "Exit code: 0 done, 1 the task failed or hit a limit, 2 wrong use, 130 and 143 when interrupted.\n\n"
        "Examples:\n"
        "  helve -p --model replay:demo \"go\"\n"
        "  git diff | helve -p \"review this\" --tools Read,Grep\n"
        "  helve -p \"make the tests pass\" --permission-mode acceptEdits --allowed-tools \"Bash(make *)\" --verbose\n"
        "  helve -p --continue \"and now the docs\" --output-format json | jq -r .result",
    .options = print_options,
    .options_size = sizeof(struct print_flags),
    .most = SIZE_MAX,
    .run = run,
};
