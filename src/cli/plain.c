/*
 * plain.c: see plain.h. A thread reads lines, one at a time and only while it is the person's turn: while the model
 * works, what is typed waits in the terminal, or answers a question (ask.c).
 */
#include "cli/plain.h"

#include <semaphore.h>
#include <unistd.h>

#include "agent/signals.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/thread.h"
#include "cli/blocks.h"
#include "cli/cli.h"
#include "policy/visible.h"
#include "text/ansi.h"

enum { LINE_MAX_BYTES = 16 << 20, OUT_MAX = 64 << 20, RESULT_LINES = 8, LABEL_MAX = 200, TELL_S = 10 };

struct ui {
    const struct ui_front *front;
    struct signals signals;
    pthread_t thread;
    bool started, told_quit, turn_running, waits_for_shell;
    bool reading; /* the thread has been told to read a line */
    sem_t turn;
    struct hv_cancel *stop;
    pthread_mutex_t lock; /* what is written, and what follows */
    struct hv_buf text;   /* of the answer: its last line, which is not complete */
    uint64_t told_ns;     /* when it was last told how far a call is */
    bool colour;
};

/* A line of the person's on its way to the loop; absent text: there is no more. */
struct typed_line {
    struct ui *ui;
    struct hv_buf text;
    bool ended;
};

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void put_clean(struct hv_str text, struct hv_buf *out)
{
    CLEANUP_BUF struct hv_buf clean = {.max = OUT_MAX};
    ansi_clean(text, &clean);
    visible_add_straight(out, hv_buf_str(&clean));
}

/* The answer so far, as whole lines; the rest, too, when it is complete. lock held. */
static void put_answer(struct ui *ui, bool complete, struct hv_buf *out)
{
    size_t newline = hv_str_rfind_byte(hv_buf_str(&ui->text), '\n');
    size_t end = complete ? ui->text.len : newline == SIZE_MAX ? 0 : newline + 1;
    if (!end)
        return;
    put_clean(hv_str_slice(hv_buf_str(&ui->text), 0, end), out);
    hv_buf_consume(&ui->text, end);
    if (complete && out->data[out->len - 1] != '\n')
        hv_buf_add_byte(out, '\n');
}

static void put_first_line(struct hv_str text, struct hv_buf *out)
{
    text = hv_str_trim(text);
    put_clean(hv_str_slice(hv_str_slice(text, 0, hv_str_find_byte(text, '\n', 0)), 0, LABEL_MAX), out);
}

/* What tells a call from others: the first text of what is shown of it. */
static void put_title(const struct hv_event *event, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *blocks = NULL;
    if (event->json.len && hv_json_parse(&arena, event->json, HV_JSON_STRICT, &blocks, NULL) == HV_OK)
        hv_json_each(block, blocks)
        {
            put_first_line(hv_json_get_string(block, "text"), out);
            return;
        }
}

static void put_result(const struct ui *ui, const struct hv_event *event, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct blocks_style style = {.colour = ui->colour, .margin = "  ", .lines = RESULT_LINES};
    const struct hv_json *data = NULL;
    if (hv_json_parse(&arena, event->data, HV_JSON_STRICT, &data, NULL) != HV_OK)
        data = NULL;
    const struct hv_json *show = hv_json_get(data, "show");
    struct hv_str summary = hv_json_get_string(data, "summary"), diff = hv_json_get_string(data, "diff");
    hv_buf_addf(out, "%s ", event->ok ? "done:" : "failed:");
    put_clean(event->tool, out);
    hv_buf_add_cstr(out, summary.len ? ", " : "");
    put_first_line(summary, out);
    hv_buf_add_byte(out, '\n');
    if (show)
        blocks_put(hv_json_source(show, event->data), &style, out);
    if (diff.len)
        blocks_put_diff(diff, &style, out);
}

/* How far a call is, now and then: repeated, it would bury the rest. */
static void put_progress(struct ui *ui, const struct hv_event *event, struct hv_buf *out)
{
    uint64_t now = clock_monotonic_ns();
    if (now - ui->told_ns < TELL_S * CLOCK_SECOND || !event->name.len)
        return;
    ui->told_ns = now;
    hv_buf_add_cstr(out, "running: ");
    put_clean(event->tool, out);
    hv_buf_add_cstr(out, ", ");
    put_first_line(event->name, out);
    hv_buf_add_byte(out, '\n');
}

static void put_turn_end(const struct hv_event *event, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *data = NULL;
    if (hv_json_parse(&arena, event->data, HV_JSON_STRICT, &data, NULL) != HV_OK)
        return;
    struct hv_str error = hv_json_get_string(data, "error");
    if (!error.len)
        return;
    hv_buf_add_cstr(out, "helve: ");
    put_first_line(error, out);
    hv_buf_add_byte(out, '\n');
}

static void put_event(struct ui *ui, const struct hv_event *event, struct hv_buf *out)
{
    if (event->type != HV_EVENT_TEXT && event->type != HV_EVENT_PROGRESS)
        put_answer(ui,
                   event->type == HV_EVENT_CALL || event->type == HV_EVENT_RESPONSE || event->type == HV_EVENT_TURN_END,
                   out);
    switch (event->type) {
    case HV_EVENT_TEXT:
        hv_buf_add_str(&ui->text, event->text);
        put_answer(ui, false, out);
        break;
    case HV_EVENT_ADMITTED:
        hv_buf_add_cstr(out, "call: ");
        put_clean(event->tool, out);
        hv_buf_add_byte(out, ' ');
        put_title(event, out);
        hv_buf_add_byte(out, '\n');
        ui->told_ns = clock_monotonic_ns();
        break;
    case HV_EVENT_RESULT: put_result(ui, event, out); break;
    case HV_EVENT_PROGRESS: put_progress(ui, event, out); break;
    case HV_EVENT_NOTICE:
    case HV_EVENT_RETRY:
        hv_buf_add_cstr(out, "helve: ");
        put_clean(event->text, out);
        hv_buf_add_byte(out, '\n');
        break;
    case HV_EVENT_TASK:
        if (hv_str_is(event->name, "ended")) {
            put_first_line(event->text, out);
            hv_buf_add_byte(out, '\n');
        }
        break;
    case HV_EVENT_TURN_END: put_turn_end(event, out); break;
    default: break;
    }
}

static void write_line(struct ui *ui, struct hv_str text)
{
    CLEANUP_BUF struct hv_buf out = {.max = OUT_MAX};
    LOCK_SCOPE(&ui->lock);
    put_clean(text, &out);
    if (out.len && out.data[out.len - 1] != '\n')
        hv_buf_add_byte(&out, '\n');
    cli_write(STDOUT_FILENO, hv_buf_str(&out));
}

/* ---- the person's turn: loop thread ------------------------------------------------------------------------------ */

/* Let the thread read the next line, where it does not already. */
static void next_line(struct ui *ui)
{
    if (ui->reading || ui->told_quit || ui->turn_running || ui->waits_for_shell)
        return;
    ui->reading = true;
    cli_write(STDOUT_FILENO, HV_STR("> "));
    sem_post(&ui->turn);
}

static void quit(struct ui *ui, int signal)
{
    if (ui->told_quit)
        return;
    ui->told_quit = true;
    ui->front->quit(ui->front->user, signal);
}

static void submit(struct ui *ui, struct hv_str prompt)
{
    struct hv_error err = {0};
    ui->turn_running = true;
    if (ui->front->submit(ui->front->user, prompt, &err) == HV_OK)
        return;
    ui->turn_running = false;
    cli_fail(&err);
}

static void run_command(struct ui *ui, struct hv_str line)
{
    CLEANUP_BUF struct hv_buf out = {.max = OUT_MAX}, prompt = {.max = LINE_MAX_BYTES};
    size_t blank = hv_str_find_byte(line, ' ', 0);
    struct hv_str name = hv_str_slice(line, 1, blank);
    struct hv_str arguments = blank == SIZE_MAX ? HV_STR("") : hv_str_trim(hv_str_slice(line, blank, line.len));
    if (hv_str_is(name, "quit") || hv_str_is(name, "exit")) {
        quit(ui, 0);
        return;
    }
    ui->front->command(ui->front->user, name, arguments, &out, &prompt);
    write_line(ui, hv_buf_str(&out));
    if (prompt.len)
        submit(ui, hv_buf_str(&prompt));
}

static void run_shell(struct ui *ui, struct hv_str command)
{
    struct hv_error err = {0};
    ui->waits_for_shell = true;
    if (ui->front->shell(ui->front->user, command, &err) == HV_OK)
        return;
    ui->waits_for_shell = false;
    cli_fail(&err);
}

static void take_line(void *data)
{
    struct typed_line *line = data;
    struct ui *ui = line->ui;
    struct hv_str text = hv_str_trim(hv_buf_str(&line->text));
    ui->reading = false;
    if (text.len && text.ptr[0] == '/')
        run_command(ui, text);
    else if (text.len > 1 && text.ptr[0] == '!')
        run_shell(ui, hv_str_trim(hv_str_slice(text, 1, text.len)));
    else if (text.len) {
        ui->front->remember(ui->front->user, text);
        submit(ui, text);
    }
    if (line->ended && !ui->turn_running)
        quit(ui, 0);
    else
        next_line(ui);
    hv_buf_release(&line->text);
    free(line);
}

static void *read_lines(void *data)
{
    struct ui *ui = data;
    for (;;) {
        while (sem_wait(&ui->turn) != 0)
            ;
        if (hv_cancelled(ui->stop))
            return NULL;
        struct typed_line *line = hv_calloc(1, sizeof *line);
        line->ui = ui;
        hv_buf_init(&line->text, LINE_MAX_BYTES);
        line->ended = !cli_read_line(ui->stop, &line->text);
        if (hv_cancelled(ui->stop)) {
            hv_buf_release(&line->text);
            free(line);
            return NULL;
        }
        loop_post(ui->front->loop, take_line, line);
    }
}

static void turn_over(void *data)
{
    struct ui *ui = data;
    ui->turn_running = false;
    next_line(ui);
}

static void turn_began(void *data)
{
    struct ui *ui = data;
    ui->turn_running = true;
}

static void shell_over(void *data)
{
    struct ui *ui = data;
    if (!ui->waits_for_shell)
        return;
    ui->waits_for_shell = false;
    next_line(ui);
}

static void begin(void *data)
{
    struct ui *ui = data;
    if (ui->front->prompt.len)
        submit(ui, ui->front->prompt);
    next_line(ui);
}

static void on_signal(void *data, int number)
{
    struct ui *ui = data;
    quit(ui, number);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static void plain_event(struct ui *ui, const struct hv_event *event)
{
    CLEANUP_BUF struct hv_buf out = {.max = OUT_MAX};
    {
        LOCK_SCOPE(&ui->lock);
        put_event(ui, event, &out);
        if (out.len)
            cli_write(STDOUT_FILENO, hv_buf_str(&out));
    }
    if (event->type == HV_EVENT_TURN_END)
        loop_post(ui->front->loop, turn_over, ui);
    else if (event->type == HV_EVENT_REQUEST)
        loop_post(ui->front->loop, turn_began, ui); /* one that nobody typed: a task has ended */
    else if (event->type == HV_EVENT_RESULT)
        loop_post(ui->front->loop, shell_over, ui);
}

static void plain_ask(struct ui *ui, const struct hv_question *question, const struct hv_cancel *cancel,
                      struct hv_arena *arena, struct hv_answer *answer)
{
    cli_ask(ui, question, cancel, arena, answer);
}

static void plain_print(struct ui *ui, struct hv_str markdown)
{
    write_line(ui, markdown);
}

static void plain_submit(struct ui *ui, struct hv_str prompt)
{
    submit(ui, prompt);
}

static bool plain_take_queued(struct ui *ui, struct hv_buf *text)
{
    (void)ui, (void)text;
    return false;
}

static void put_said(struct ui *ui, const struct hv_event *event)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *blocks = NULL;
    if (hv_json_parse(&arena, event->json, HV_JSON_STRICT, &blocks, NULL) != HV_OK)
        return;
    hv_json_each(block, blocks)
    {
        CLEANUP_BUF struct hv_buf line = {.max = OUT_MAX};
        if (!hv_str_is(hv_json_get_string(block, "type"), "text"))
            continue;
        hv_buf_add_cstr(&line, hv_str_is(event->name, "assistant") ? "" : "> ");
        hv_buf_add_str(&line, hv_json_get_string(block, "text"));
        write_line(ui, hv_buf_str(&line));
    }
}

static void plain_earlier(struct ui *ui, const struct hv_event *event)
{
    CLEANUP_BUF struct hv_buf out = {.max = OUT_MAX};
    if (!event)
        write_line(ui, HV_STR("so far"));
    else if (event->type == HV_EVENT_MESSAGE)
        put_said(ui, event);
    else if (event->type == HV_EVENT_ADMITTED || event->type == HV_EVENT_RESULT) {
        put_event(ui, event, &out);
        cli_write(STDOUT_FILENO, hv_buf_str(&out));
    }
}

static void plain_clear(struct ui *ui)
{
    ui->turn_running = ui->waits_for_shell = false;
}

static void release(struct ui *ui)
{
    hv_cancel_free(ui->stop);
    sem_destroy(&ui->turn);
    pthread_mutex_destroy(&ui->lock);
    hv_buf_release(&ui->text);
    free(ui);
}

static enum hv_code plain_start(const struct ui_front *front, struct ui **out, struct hv_error *err)
{
    struct ui *ui = hv_calloc(1, sizeof *ui);
    ui->front = front;
    ui->colour = !front->plain && cli_has_colour(STDOUT_FILENO);
    ui->stop = hv_cancel_new();
    sem_init(&ui->turn, 0, 0);
    pthread_mutex_init(&ui->lock, NULL);
    hv_buf_init(&ui->text, LINE_MAX_BYTES);
    int failed = thread_start(&ui->thread, 0, read_lines, ui);
    if (failed) {
        release(ui);
        return hv_fail_errno(err, failed, "cannot start a thread");
    }
    signals_start(&ui->signals, front->loop, on_signal, ui);
    loop_post(front->loop, begin, ui); /* when the session is made */
    *out = ui;
    return HV_OK;
}

static void plain_stop(struct ui *ui)
{
    if (!ui)
        return;
    hv_cancel_raise(ui->stop);
    sem_post(&ui->turn);
    pthread_join(ui->thread, NULL);
    loop_run_once(ui->front->loop, 0); /* what was posted to it */
    signals_stop(&ui->signals);
    release(ui);
}

const struct ui_functions *plain_table(void)
{
    static const struct ui_functions table = {
        .start = plain_start,
        .event = plain_event,
        .ask = plain_ask,
        .print = plain_print,
        .submit = plain_submit,
        .take_queued = plain_take_queued,
        .earlier = plain_earlier,
        .clear = plain_clear,
        .stop = plain_stop,
    };
    return &table;
}
