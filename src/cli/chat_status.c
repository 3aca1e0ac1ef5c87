/* chat_status.c: the status line by a command of the person's (settings, `statusLine`). At most one runs at a time; it
 * is told about the session on its standard input, and again when that has changed. One that hangs or floods is told of
 * once and not run again. */
#include <helve/helve.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/thread.h"
#include "cli/chat.h"
#include "text/ansi.h"

enum { SAID_MAX = 64 << 10, TOLD_MAX = 64 << 10, TIMEOUT_S = 5 };

struct chat_status {
    struct chat *chat;
    struct hv_buf told; /* the input of the latest run */
    struct hv_buf line; /* what stands there */
    bool running, off, complained;
    /* Of the run. */
    struct hv_buf said;
    struct hv_cancel *cancel;
    struct hv_exit end;
    struct hv_error err;
    enum hv_code code;
    pthread_t thread;
};

/* ---- what it is told --------------------------------------------------------------------------------------------- */

static void begin_part(struct hv_json_writer *writer, const char *name)
{
    hv_json_name(writer, name);
    hv_json_begin_object(writer);
}

/* The members that Claude Code gives, as far as they mean something here. */
static void put_input(struct chat *chat, const struct model_usage *usage, const struct ui_status *status,
                      struct hv_buf *out)
{
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, out);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "hook_event_name", "Status");
    hv_json_member_string(&writer, "session_id", session_id(chat->session));
    hv_json_member_string(&writer, "transcript_path", session_journal_path(chat->session));
    hv_json_member_string(&writer, "cwd", runtime_directory(session_runtime(chat->session)));
    begin_part(&writer, "model");
    hv_json_member_string(&writer, "id", status->model);
    hv_json_member_string(&writer, "display_name", status->model);
    hv_json_end_object(&writer);
    begin_part(&writer, "workspace");
    hv_json_member_string(&writer, "current_dir", runtime_directory(session_runtime(chat->session)));
    hv_json_member_string(&writer, "project_dir", chat->setup.settings->project);
    hv_json_end_object(&writer);
    hv_json_member_cstr(&writer, "version", HELVE_VERSION);
    hv_json_member_string(&writer, "permission_mode", status->mode);
    hv_json_member_int(&writer, "turns", chat->turns);
    begin_part(&writer, "output_style");
    hv_json_member_cstr(&writer, "name", "default");
    hv_json_end_object(&writer);
    begin_part(&writer, "cost");
    hv_json_member_double(&writer, "total_cost_usd", status->cost);
    hv_json_end_object(&writer);
    begin_part(&writer, "context_window");
    hv_json_member_int(&writer, "total_input_tokens", usage->input_tokens);
    hv_json_member_int(&writer, "total_output_tokens", usage->output_tokens);
    hv_json_member_int(&writer, "context_window_size", status->context_window);
    if (status->context_window > 0)
        hv_json_member_int(&writer, "used_percentage", status->context_used * 100 / status->context_window);
    hv_json_end_object(&writer);
    hv_json_end_object(&writer);
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static bool keep_output(void *user, enum hv_stream stream, struct hv_str bytes)
{
    struct chat_status *status = user;
    if (stream != HV_STDOUT)
        return true;
    if (status->said.len + bytes.len > status->said.max)
        return false;
    hv_buf_add_str(&status->said, bytes);
    return true;
}

static void complain(struct chat_status *status, const char *what)
{
    CLEANUP_BUF struct hv_buf text = {.max = 4096};
    if (status->complained)
        return;
    status->complained = true;
    hv_buf_addf(&text, "The command of `statusLine` %s%s.", what,
                status->off ? "; it is not run again in this session" : "");
    status->chat->functions->print(status->chat->ui, hv_buf_str(&text));
}

/* Its first line; where there is none the default stays. */
static void take_line(struct chat_status *status)
{
    CLEANUP_BUF struct hv_buf clean = {.max = 2 * SAID_MAX};
    ansi_clean(hv_str_trim(hv_buf_str(&status->said)), &clean);
    struct hv_str rest = hv_buf_str(&clean), line = {0};
    hv_buf_clear(&status->line);
    if (rest.len)
        hv_str_split(&rest, '\n', &line);
    hv_buf_add_str(&status->line, line);
}

static void judge(struct chat_status *status)
{
    hv_buf_clear(&status->line);
    status->off = status->code != HV_OK || status->end.timed_out || status->end.stopped;
    if (status->code != HV_OK)
        complain(status, "cannot be started");
    else if (status->end.timed_out)
        complain(status, "did not end within five seconds");
    else if (status->end.stopped)
        complain(status, "printed more than 64 kB");
    else if (status->end.code != 0)
        complain(status, "failed");
    else
        take_line(status);
}

static void status_free(struct chat_status *status)
{
    hv_cancel_free(status->cancel);
    hv_buf_release(&status->told);
    hv_buf_release(&status->line);
    hv_buf_release(&status->said);
    free(status);
}

static void status_ended(void *data)
{
    struct chat_status *status = data;
    struct chat *chat = status->chat;
    if (!chat) {
        status_free(status);
        return;
    }
    pthread_join(status->thread, NULL);
    status->running = false;
    judge(status);
    hv_buf_clear(&status->said);
    if (!chat->closing)
        chat->functions->status_changed(chat->ui);
}

static void *run_command(void *data)
{
    struct chat_status *status = data;
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct setup *setup = &status->chat->setup;
    const char *argv[] = {"/bin/sh", "-c", hv_arena_cstr(&arena, setup->settings->status_line), NULL};
    struct hv_command command = {.argv = argv,
                                 .directory = hv_arena_cstr(&arena, setup->directory),
                                 .input = hv_buf_str(&status->told),
                                 .timeout_ns = TIMEOUT_S * CLOCK_SECOND,
                                 .cancel = status->cancel,
                                 .on_output = keep_output,
                                 .user = status};
    status->code = setup->host->run(setup->host, &command, &status->end, &status->err);
    loop_post(setup->loop, status_ended, status);
    return NULL;
}

static struct chat_status *status_new(struct chat *chat)
{
    struct chat_status *status = hv_calloc(1, sizeof *status);
    status->chat = chat;
    status->cancel = hv_cancel_new();
    hv_buf_init(&status->told, TOLD_MAX);
    hv_buf_init(&status->line, SAID_MAX * 2);
    hv_buf_init(&status->said, SAID_MAX);
    return status;
}

void chat_fill_status(struct chat *chat, const struct model_usage *usage, struct ui_status *out)
{
    CLEANUP_BUF struct hv_buf input = {.max = TOLD_MAX};
    const struct settings *settings = chat->setup.settings;
    if (!settings->status_line.len || settings->hooks_disabled || !chat->functions->status_changed || chat->closing)
        return;
    if (!chat->status)
        chat->status = status_new(chat);
    struct chat_status *status = chat->status;
    out->line = hv_buf_str(&status->line);
    if (status->running || status->off)
        return;
    put_input(chat, usage, out, &input);
    if (hv_str_eq(hv_buf_str(&input), hv_buf_str(&status->told)))
        return;
    hv_buf_clear(&status->told);
    hv_buf_add_str(&status->told, hv_buf_str(&input));
    status->running = thread_start(&status->thread, 0, run_command, status) == 0;
}

void chat_end_status(struct chat *chat)
{
    struct chat_status *status = chat->status;
    chat->status = NULL;
    if (!status)
        return;
    hv_cancel_raise(status->cancel);
    if (!status->running) {
        status_free(status);
        return;
    }
    pthread_join(status->thread, NULL);
    status->chat = NULL; /* what the thread has posted is called yet, and frees it */
}
