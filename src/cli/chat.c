/*
 * chat.c: `helve` at a terminal: joins the session to the terminal interface (ui/front.h), which is a module that only
 * this door loads.
 */
#include "cli/chat.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/thread.h"
#include "cli/plain.h"
#include "module/module.h"
#include "policy/policy.h"
#include "policy/visible.h"
#include "proc/children.h"

enum { HISTORY_READ = 256 << 10, PROMPT_MAX = 16 << 20, SAID_MAX = 256 << 10, SAID_EACH = 16 << 10, FILES_MAX = 50 };

/* ---- events ------------------------------------------------------------------------------------------------------ */

static int64_t number(const struct hv_json *object, const char *name)
{
    int64_t value = 0;
    (void)hv_json_int64(hv_json_get(object, name), &value);
    return value;
}

static void note_usage(struct chat *chat, const struct hv_event *event)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *data = NULL;
    if (hv_json_parse(&arena, event->data, HV_JSON_STRICT, &data, NULL) != HV_OK)
        return;
    const struct hv_json *usage = hv_json_get(data, "usage");
    long long used = number(usage, "input_tokens") + number(usage, "output_tokens") +
                     number(usage, "cache_read_input_tokens") + number(usage, "cache_creation_input_tokens");
    if (used > 0)
        atomic_store(&chat->context_used, used);
}

/* Any thread, under the runtime's lock. */
static void on_event(void *user, const struct hv_event *event)
{
    struct chat *chat = user;
    struct ui *ui = atomic_load(&chat->listener);
    if (event->type == HV_EVENT_RESPONSE)
        note_usage(chat, event);
    if (ui)
        chat->functions->event(ui, event);
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

/* As hv_asker.ask. */
static void chat_ask(void *user, const struct hv_question *question, const struct hv_cancel *cancel,
                     struct hv_arena *arena, struct hv_answer *answer)
{
    struct chat *chat = user;
    chat->functions->ask(chat->ui, question, cancel, arena, answer);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static void closed(void *user)
{
    struct chat *chat = user;
    loop_stop(chat->setup.loop);
}

static void close_session(void *data)
{
    struct chat *chat = data;
    session_close(chat->session, chat->signal ? "interrupted" : "prompt_input_exit", closed, chat);
}

static void quit(void *user, int signal)
{
    struct chat *chat = user;
    if (chat->closing)
        return;
    chat->closing = true;
    chat->signal = signal;
    if (chat->turn_running)
        session_interrupt(chat->session);
    else if (chat->session)
        loop_post(chat->setup.loop, close_session, chat);
    else
        loop_stop(chat->setup.loop);
}

/* ---- turns ------------------------------------------------------------------------------------------------------- */

static void start_notes_turn(void *data)
{
    struct chat *chat = data;
    struct hv_error err;
    if (!chat->turn_running && !chat->closing && session_submit_notes(chat->session, &err) == HV_OK)
        chat->turn_running = true;
}

static void on_notes(void *user)
{
    struct chat *chat = user;
    loop_post(chat->setup.loop, start_notes_turn, chat);
}

static void on_turn_end(void *user, const struct session_outcome *outcome)
{
    struct chat *chat = user;
    (void)outcome;
    chat->turn_running = false;
    chat->turns++;
    if (chat->closing)
        loop_post(chat->setup.loop, close_session, chat);
}

static enum hv_code submit(void *user, struct hv_str prompt, struct hv_error *err)
{
    struct chat *chat = user;
    if (!chat->session)
        return hv_fail(err, HV_EUNSUPPORTED, "the session has not begun yet");
    enum hv_code code = chat_submit_text(chat, prompt, err);
    chat->turn_running = code == HV_OK;
    return code;
}

static void interrupt(void *user)
{
    struct chat *chat = user;
    session_interrupt(chat->session);
    if (chat->shell)
        batch_cancel(chat->shell, "the person stopped it");
    if (chat->own)
        command_run_cancel(chat->own);
}

static size_t send_to_background(void *user)
{
    struct chat *chat = user;
    return chat->session ? runtime_send_to_background(session_runtime(chat->session)) : 0;
}

static bool can_background(void *user, struct hv_str call_id)
{
    struct chat *chat = user;
    return chat->session && runtime_can_background(session_runtime(chat->session), call_id);
}

/* ---- commands of the person's ------------------------------------------------------------------------------------ */

static void on_shell_result(void *user, const struct batch_result *result)
{
    struct chat *chat = user;
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *input = NULL;
    if (hv_json_parse(&arena, result->input, HV_JSON_STRICT, &input, NULL) != HV_OK)
        input = NULL;
    struct hv_buf *said = &chat->shell_said;
    hv_buf_addf(said, "[The user ran this command in the session: %.*s]\n%.*s\n\n",
                HV_STR_ARG(hv_json_get_string(input, "command")), HV_STR_ARG(hv_str_slice(result->text, 0, SAID_EACH)));
}

static void on_shell_done(void *user, struct hv_str messages, bool stop, struct hv_str stop_reason)
{
    struct chat *chat = user;
    (void)messages, (void)stop, (void)stop_reason;
    chat->shell = NULL;
}

/* Through the pipeline like any call: rules, sandbox and questions hold for it, too. */
static enum hv_code run_shell(void *user, struct hv_str command, struct hv_error *err)
{
    struct chat *chat = user;
    static const struct batch_handlers handlers = {.on_result = on_shell_result, .on_done = on_shell_done};
    struct runtime *runtime = session_runtime(chat->session);
    const struct hv_tool *tool = command_tool(runtime);
    if (!tool)
        return hv_fail(err, HV_EUNSUPPORTED, "this session has no tool that runs commands");
    if (chat->turn_running || chat->shell || chat->own)
        return hv_fail(err, HV_ECONFLICT, "something is still running; wait for it, or interrupt it with Esc");
    struct batch_handlers own = handlers;
    own.user = chat;
    chat->shell = batch_new(runtime, &own);
    command_add_call(chat->shell, tool, command);
    batch_close(chat->shell);
    return HV_OK;
}

/* ---- modes and status -------------------------------------------------------------------------------------------- */

void chat_set_mode(struct chat *chat, enum policy_mode mode)
{
    struct runtime *runtime = session_runtime(chat->session);
    struct policy *old = runtime_policy(runtime), *fresh = policy_with_mode(old, mode);
    policy_unref(old);
    runtime_set_policy(runtime, fresh);
    policy_unref(fresh);
    struct hv_event event = {
        .type = HV_EVENT_STATE, .name = HV_STR("mode"), .text = hv_str_from(policy_mode_name(mode))};
    runtime_emit(runtime, &event);
}

static enum policy_mode present_mode(struct chat *chat)
{
    struct policy *policy = runtime_policy(session_runtime(chat->session));
    enum policy_mode mode = policy_mode_of(policy);
    policy_unref(policy);
    return mode;
}

/* default → acceptEdits → plan → default; what lets everything pass is never reached by a key. */
static void next_mode(void *user)
{
    struct chat *chat = user;
    switch (present_mode(chat)) {
    case POLICY_DEFAULT: chat_set_mode(chat, POLICY_ACCEPT_EDITS); break;
    case POLICY_ACCEPT_EDITS: chat_set_mode(chat, POLICY_PLAN); break;
    default: chat_set_mode(chat, POLICY_DEFAULT);
    }
}

static void status(void *user, struct ui_status *out)
{
    struct chat *chat = user;
    struct model_usage usage = {0};
    snprintf(chat->mode, sizeof chat->mode, "%s", chat->session ? policy_mode_name(present_mode(chat)) : "starting");
    *out = (struct ui_status){
        .model = model_name(chat->setup.model),
        .mode = hv_str_from(chat->mode),
        .directory = chat->setup.directory,
        .context_used = (int64_t)atomic_load(&chat->context_used),
        .context_window = model_context_window(chat->setup.model),
    };
    if (chat->session) {
        session_whole_totals(chat->session, &usage, &out->cost);
        out->cost_known = out->cost > 0;
        chat_fill_status(chat, &usage, out);
    }
}

/* The bell rings in the interface itself. */
static void turn_unseen(void *user)
{
    struct chat *chat = user;
    if (chat->session && !chat->closing)
        runtime_notify(session_runtime(chat->session), "idle_prompt", HV_STR("helve is waiting for your input"));
}

/* ---- history ----------------------------------------------------------------------------------------------------- */

static void remember(void *user, struct hv_str prompt)
{
    struct chat *chat = user;
    CLEANUP_BUF struct hv_buf line = {0};
    struct hv_json_writer writer;
    if (chat->history_fd < 0 || prompt.len > HISTORY_READ / 4)
        return;
    hv_buf_init(&line, HISTORY_READ * 4);
    hv_json_writer_init(&writer, &line);
    hv_json_put_string(&writer, prompt);
    hv_buf_add_byte(&line, '\n');
    /* One write a line, so that sessions beside this one do not mix theirs with it. */
    (void)!write(chat->history_fd, line.data, line.len);
}

static void open_history(struct chat *chat)
{
    CLEANUP_BUF struct hv_buf bytes = {0};
    struct hv_arena *arena = chat->arena;
    struct hv_str folder = sessions_directory(arena), line;
    struct stat stat;
    chat->history_fd = -1;
    if (chat->options.without_journal || chat->setup.host->make_directories(chat->setup.host, folder, NULL) != HV_OK)
        return;
    struct hv_str path = hv_arena_format(arena, "%.*s/prompts.history", HV_STR_ARG(folder));
    chat->history_fd = open(path.ptr, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (chat->history_fd < 0 || fstat(chat->history_fd, &stat) != 0)
        return;
    off_t from = stat.st_size > HISTORY_READ ? stat.st_size - HISTORY_READ : 0;
    hv_buf_init(&bytes, HISTORY_READ + 1);
    char *room = hv_buf_reserve(&bytes, HISTORY_READ);
    ssize_t got = pread(chat->history_fd, room, HISTORY_READ, from);
    hv_buf_commit(&bytes, got > 0 ? (size_t)got : 0);
    struct hv_str rest = hv_buf_str(&bytes);
    if (from > 0)
        hv_str_split(&rest, '\n', &line);
    struct hv_str *prompts = hv_arena_array(arena, struct hv_str, bytes.len / 3 + 1);
    while (hv_str_split(&rest, '\n', &line)) {
        const struct hv_json *value;
        if (hv_json_parse(arena, hv_arena_str(arena, line), HV_JSON_STRICT, &value, NULL) == HV_OK &&
            value->type == HV_JSON_STRING)
            prompts[chat->front.history_count++] = value->text;
    }
    chat->front.history = prompts;
}

/* ---- files and editors ------------------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    const struct hv_directory_entry *first = a, *second = b;
    return hv_str_compare(first->name, second->name);
}

/* Names in the folder that the prefix names, which begin as it ends. What tools may not read is not offered either. */
static void complete_file(void *user, struct hv_str prefix, struct hv_buf *out)
{
    struct chat *chat = user;
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_host *host = chat->setup.host;
    if (!chat->session)
        return;
    size_t slash = hv_str_rfind_byte(prefix, '/'), count, shown = 0;
    struct hv_str folder = slash == SIZE_MAX ? HV_STR("") : hv_str_slice(prefix, 0, slash + 1);
    struct hv_str start = hv_str_slice(prefix, folder.len, prefix.len);
    struct hv_str directory =
        folder.len && folder.ptr[0] == '/'
            ? folder
            : hv_arena_format(&arena, "%.*s/%.*s", HV_STR_ARG(runtime_directory(session_runtime(chat->session))),
                              HV_STR_ARG(folder));
    struct hv_directory_entry *entries = NULL;
    bool more;
    if (host->list(host, &arena, directory, 20000, &entries, &count, &more, NULL) != HV_OK)
        count = 0;
    qsort(entries, count, sizeof *entries, by_name);
    for (size_t i = 0; i < count && shown < FILES_MAX; i++) {
        struct hv_str name = entries[i].name;
        if (!hv_str_starts(name, start) || (name.ptr[0] == '.' && !start.len) || !visible_as_is(name))
            continue;
        hv_buf_addf(out, "%.*s%.*s%s\n", HV_STR_ARG(folder), HV_STR_ARG(name),
                    entries[i].kind == HV_FILE_DIRECTORY ? "/" : "");
        shown++;
    }
    if (!prefix.len || (prefix.ptr[0] != '/' && prefix.ptr[0] != '.'))
        chat_put_files(chat, runtime_directory(session_runtime(chat->session)), prefix, out);
}

static bool run_editor(const char *editor, const char *path, struct hv_error *err)
{
    const char *argv[] = {"/bin/sh", "-c", "exec $0 \"$1\"", editor, path, NULL};
    children_begin_start();
    pid_t child = fork();
    int status = 0;
    if (child == 0) {
        execv(argv[0], (char *const *)argv);
        _exit(127);
    }
    children_end_start(child);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    children_forget(child);
    if (child > 0 && status == 0)
        return true;
    hv_fail(err, HV_EIO, "the editor `%s` ended with an error; the prompt is as it was", editor);
    return false;
}

/* $VISUAL, $EDITOR, else vi, on a file of its own. */
static bool edit(void *user, struct hv_str text, struct hv_buf *out, struct hv_error *err)
{
    (void)user;
    char path[] = "/tmp/helve-prompt-XXXXXX";
    const char *visual = getenv("VISUAL"), *editor = getenv("EDITOR");
    CLEANUP_FD int fd = mkstemp(path);
    if (fd < 0) {
        hv_fail_errno(err, errno, "cannot make a file for the editor");
        return false;
    }
    bool done = cli_write(fd, text) == 0 && run_editor(visual && *visual   ? visual
                                                       : editor && *editor ? editor
                                                                           : "vi",
                                                       path, err);
    CLEANUP_FD int edited = done ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    done = done && edited >= 0 && cli_read_all(edited, PROMPT_MAX, out, err) == HV_OK;
    unlink(path);
    return done;
}

/* ---- sessions ---------------------------------------------------------------------------------------------------- */

enum hv_code chat_open_session(struct chat *chat, const struct session_entry *from, struct hv_error *err)
{
    struct session_options options = chat->options;
    options.from = from;
    options.fork = from && (chat->fork || (chat->flags->fork && !chat->restarting));
    options.id = from || chat->restarting ? (struct hv_str){0} : options.id;
    if (from && !chat->reopening)
        chat_show_earlier(chat, from);
    enum hv_code code = session_new(&options, &chat->session, err);
    if (code == HV_OK && chat->functions->status_changed)
        chat->functions->status_changed(chat->ui);
    return code;
}

static void nothing(void *user)
{
    (void)user;
}

/* What was saved for always holds in this process, too, whose settings are older; what was said for the session, where
 * it is the same one. older: a reference that is taken. */
static void keep_rules(struct chat *chat, struct policy *older, bool session)
{
    if (chat->session) {
        struct runtime *runtime = session_runtime(chat->session);
        struct policy *fresh = runtime_policy(runtime), *kept = policy_with_rules_of(fresh, older, session);
        runtime_set_policy(runtime, kept);
        policy_unref(kept);
        policy_unref(fresh);
    }
    policy_unref(older);
}

/* The other one cannot be opened (another helve has it): on with the one before, else with a fresh one. */
static void go_back(struct chat *chat, const struct session_entry *before)
{
    struct hv_error err;
    bool fork = chat->fork, reopening = chat->reopening;
    chat->fork = false;
    chat->reopening = true; /* what was said stands above */
    if ((!before->path.ptr || chat_open_session(chat, before, &err) != HV_OK) &&
        chat_open_session(chat, NULL, &err) != HV_OK)
        loop_stop(chat->setup.loop); /* there is none that could go on */
    chat->fork = fork;
    chat->reopening = reopening;
}

enum hv_code chat_change_session(struct chat *chat, const struct session_entry *from, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct session *old = chat->session;
    struct session_entry entry,
        before = {.id = hv_arena_str(&arena, session_id(old)), .path = hv_arena_str(&arena, session_journal_path(old))};
    if (from)
        entry = *from;
    if (chat->turn_running || chat->shell || chat->own)
        return hv_fail(err, HV_ECONFLICT, "something is still running; interrupt it with Esc first");
    chat->restarting = true;
    struct policy *policy = runtime_policy(session_runtime(old));
    session_close(old, from ? "resume" : "clear", nothing, chat);
    session_free(old);
    chat->session = NULL;
    atomic_store(&chat->context_used, 0);
    chat->functions->clear(chat->ui);
    enum hv_code code = chat_open_session(chat, from ? &entry : NULL, err);
    if (code != HV_OK)
        go_back(chat, &before);
    keep_rules(chat, policy, code != HV_OK);
    return code;
}

enum hv_code chat_reopen_session(struct chat *chat, void (*between)(struct chat *chat, void *data), void *data,
                                 struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    if (chat->turn_running || chat->shell || chat->own)
        return hv_fail(err, HV_ECONFLICT, "something is still running; interrupt it with Esc first");
    struct session_entry entry = {.id = hv_arena_str(&arena, session_id(chat->session)),
                                  .path = hv_arena_str(&arena, session_journal_path(chat->session))};
    enum policy_mode mode = present_mode(chat);
    struct policy *policy = runtime_policy(session_runtime(chat->session));
    chat->restarting = true;
    session_close(chat->session, "resume", nothing, chat);
    session_free(chat->session);
    chat->session = NULL;
    between(chat, data);
    chat->reopening = true; /* what was said stands above */
    enum hv_code code = chat_open_session(chat, &entry, err);
    chat->reopening = false;
    keep_rules(chat, policy, true);
    if (code == HV_OK)
        chat_set_mode(chat, mode);
    else
        loop_stop(chat->setup.loop); /* there is none that could go on */
    return code;
}

static void fill_options(struct chat *chat)
{
    struct session_options *options = &chat->options;
    chat->sink = (struct hv_sink){.event = on_event, .user = chat};
    print_session_options(chat->flags, &chat->setup, options);
    options->id = chat->flags->session_id;
    options->system_prompt = chat->flags->system_prompt;
    options->append_system_prompt = chat->flags->append;
    options->sinks = &chat->sink;
    options->sink_count = 1;
    options->asker = (struct hv_asker){chat_ask, chat};
    options->on_turn_end = on_turn_end;
    options->on_notes = on_notes;
    options->take_words = chat_take_words;
    options->door = "terminal";
    options->user = chat;
}

static void fill_front(struct chat *chat, struct hv_str prompt)
{
    chat->front = (struct ui_front){
        .user = chat,
        .prompt = prompt,
        .plain = chat->flags->reader,
        .loop = chat->setup.loop,
        .commands = chat_command_list,
        .submit = submit,
        .interrupt = interrupt,
        .send_to_background = send_to_background,
        .can_background = can_background,
        .takes_any_code = policy_rule_takes_any_code,
        .command = chat_command,
        .complete_command = chat_complete_own,
        .shell = run_shell,
        .next_mode = next_mode,
        .remember = remember,
        .status = status,
        .complete_file = complete_file,
        .edit = edit,
        .note = chat_note,
        .draw_picture = chat_draw_picture,
        .turn_unseen = turn_unseen,
        .quit = quit,
    };
}

static void *preload(void *data)
{
    model_preload(data);
    return NULL;
}

/* Loading the network part takes some milliseconds, in which a dynamic linker and an address space are shared: not
 * before the prompt is there. */
static void start_loading(struct chat *chat)
{
    chat->loading = thread_start(&chat->loader, 0, preload, chat->setup.model) == 0;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static void print_welcome(struct chat *chat)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, 4096);
    hv_buf_addf(&text, "**helve** in %.*s. `/help` lists commands and keys.", HV_STR_ARG(chat->setup.directory));
    chat->functions->print(chat->ui, hv_buf_str(&text));
}

/* One that does not keep it from going on. */
static void print_problem(struct chat *chat, const struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf text = {.max = 64 << 10};
    if (!err->message[0])
        return;
    hv_buf_addf(&text, "**%s**. %s", err->message, err->hint);
    chat->functions->print(chat->ui, hv_buf_str(&text));
}

/* A terminal that cannot move its cursor is written to line by line, too. */
static bool is_plain(const struct chat *chat)
{
    const char *term = getenv("TERM");
    return chat->flags->plain || chat->flags->reader || !term || !*term || strcmp(term, "dumb") == 0;
}

static enum hv_code start(struct chat *chat, struct hv_str prompt, struct hv_error *err)
{
    const void *functions = plain_table();
    struct session_entry entry, *from = NULL;
    enum hv_code code = is_plain(chat) ? HV_OK : module_load("ui", "libmd4c0 and libutf8proc2", &functions, err);
    if (code != HV_OK)
        return code;
    chat->functions = functions;
    bool picks = chat->flags->resume.ptr && !chat->flags->resume.len && !chat->flags->last;
    if (chat->flags->last || chat->flags->resume.len) {
        struct hv_str name = chat->flags->resume.len ? chat->flags->resume : (struct hv_str){0};
        code = sessions_find(chat->arena, name, chat->setup.directory, &entry, err);
        from = &entry;
    }
    struct hv_error theme_err = {0};
    if (code == HV_OK) {
        fill_front(chat, prompt);
        (void)!chat_read_theme(chat, chat->arena, chat->setup.settings->theme, &chat->front.theme, &theme_err);
        open_history(chat);
        code = chat->functions->start(&chat->front, &chat->ui, err);
    }
    if (code != HV_OK)
        return code;
    atomic_store(&chat->listener, chat->ui);
    print_welcome(chat);
    print_problem(chat, &theme_err);
    if (chat->functions->show_prompt && !picks)
        chat->functions->show_prompt(chat->ui);
    start_loading(chat);
    if (picks && chat_pick_session(chat))
        return HV_OK;
    if (from && !chat->flags->last) {
        chat_go_on(chat, from);
        return HV_OK;
    }
    return chat_open_session(chat, from, err);
}

static int finish(struct chat *chat, enum hv_code code, const struct hv_error *err)
{
    chat_end_child(chat);
    chat_end_pictures(chat);
    chat_end_status(chat);
    chat_release_list(chat);
    chat_release_files(chat);
    chat_release_own(chat);
    struct hv_str journal = chat->session ? session_journal_path(chat->session) : (struct hv_str){0};
    struct hv_str id = chat->session && journal.ptr ? hv_arena_str(chat->arena, session_id(chat->session)) : journal;
    if (id.ptr)
        cli_clean_sessions(&chat->setup, id);
    session_free(chat->session);
    chat->session = NULL;
    atomic_store(&chat->listener, NULL);
    if (chat->ui)
        chat->functions->stop(chat->ui);
    if (chat->history_fd >= 0)
        close(chat->history_fd);
    if (code != HV_OK)
        return cli_fail(err);
    if (id.ptr && !chat->signal)
        cli_note("to go on with this session: helve -r %.*s", HV_STR_ARG(hv_str_slice(id, 0, 8)));
    return chat->signal ? CLI_SIGNAL + chat->signal : CLI_OK;
}

static int run_chat(struct chat *chat, struct hv_str prompt)
{
    struct hv_error err;
    thread_want_short_waits(); /* keys are served beside commands that keep every core busy */
    fill_options(chat);
    enum hv_code code = start(chat, prompt, &err);
    if (code == HV_OK)
        loop_run(chat->setup.loop);
    if (chat->loading)
        pthread_join(chat->loader, NULL);
    return finish(chat, code, &err);
}

/* Who names no model and has no key is offered what there is. */
static enum hv_code choose_model(struct chat *chat, struct hv_error *err)
{
    struct setup *setup = &chat->setup;
    enum hv_code code = setup_model(setup, chat->flags->model, err);
    const char *variable = getenv("HELVE_MODEL");
    bool named = chat->flags->model.ptr || (variable && *variable) || setup->settings->model.ptr;
    if (code != HV_ENOTFOUND || named)
        return code;
    struct hv_str name = {0};
    return cli_first_start(setup, chat->arena, &name) ? setup_model(setup, name, err) : code;
}

int chat_run(const struct print_flags *flags, struct hv_arena *arena, struct hv_str prompt)
{
    struct chat chat = {.flags = flags, .arena = arena, .history_fd = -1};
    struct hv_error err;
    int status;
    hv_buf_init(&chat.shell_said, SAID_MAX);
    if (cli_setup_open(&flags->setup, &chat.setup, &err) != HV_OK || cli_ask_trust(&chat.setup, &err) != HV_OK) {
        status = cli_usage(&err);
    } else {
        cli_tell_problems(&chat.setup);
        status = choose_model(&chat, &err) == HV_OK ? run_chat(&chat, prompt) : cli_usage(&err);
    }
    hv_buf_release(&chat.shell_said);
    setup_release(&chat.setup);
    return status;
}
