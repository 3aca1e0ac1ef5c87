/* view.c: the interface as a whole: events come in from any thread, frames go out at most 30 times a second, none when
 * nothing has changed. Implements front.h. */
#include "ui/session/view.h"

#include <signal.h>

#include "base/cleanup.h"
#include "base/clock.h"

enum { FRAME_MS = 33, TICK_MS = 250, CANCEL_LOOK_MS = 50, ANSWER_MS = 200, LAST_ANSWERS = 10, LAST_ANSWER_MS = 20 };

/* ---- calls ------------------------------------------------------------------------------------------------------- */

struct call_view *view_call(struct ui *ui, struct hv_str id)
{
    for (size_t i = 0; i < ui->calls.count; i++)
        if (hv_str_eq(ui->calls.items[i]->id, id))
            return ui->calls.items[i];
    return NULL;
}

static void free_call(struct call_view *call)
{
    hv_arena_release(&call->arena);
    free(call);
}

void view_drop_call(struct ui *ui, struct hv_str id)
{
    for (size_t i = 0; i < ui->calls.count; i++) {
        if (!hv_str_eq(ui->calls.items[i]->id, id))
            continue;
        free_call(ui->calls.items[i]);
        ui->calls.count--;
        memmove(ui->calls.items + i, ui->calls.items + i + 1, (ui->calls.count - i) * sizeof *ui->calls.items);
        return;
    }
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

void view_print(struct ui *ui, struct hv_str lines)
{
    if (!lines.len)
        return;
    if (ui->blank_due)
        hv_buf_add_byte(&ui->finished, '\n');
    hv_buf_add_str(&ui->finished, lines);
    if (lines.ptr[lines.len - 1] != '\n')
        hv_buf_add_byte(&ui->finished, '\n');
    ui->blank_due = true;
    view_dirty(ui);
}

void view_print_markdown(struct ui *ui, struct hv_str markdown)
{
    CLEANUP_BUF struct hv_buf lines = {.max = VIEW_FINISHED_MAX};
    markdown_render(&ui->theme, markdown, ui->columns, &lines);
    view_print(ui, hv_buf_str(&lines));
}

void view_note(struct ui *ui, enum paint_style style, const char *mark, struct hv_str text)
{
    CLEANUP_BUF struct hv_buf line = {.max = VIEW_FINISHED_MAX};
    paint_begin(&ui->theme, style, &line);
    hv_buf_addf(&line, "%s ", mark);
    paint_add(&line, text);
    paint_end(&ui->theme, style, &line);
    view_print(ui, hv_buf_str(&line));
}

void view_call_attention(struct ui *ui, const char *why)
{
    CLEANUP_BUF struct hv_buf bytes = {.max = 1000};
    if (ui->focused)
        return;
    hv_buf_add_cstr(&bytes, "\a");
    if (ui->theme.links) /* it takes sequences of this kind: those of iTerm2 and kitty, and of urxvt and its kin */
        hv_buf_addf(&bytes, "\033]9;%s\033\\\033]777;notify;helve;%s\033\\", why, why);
    terminal_write(ui->terminal, hv_buf_str(&bytes));
}

/* "helve · folder", until it ends. */
static void set_title(struct ui *ui)
{
    CLEANUP_BUF struct hv_buf bytes = {.max = 64 << 10};
    struct ui_status status = {0};
    if (!ui->theme.links)
        return;
    ui->front->status(ui->front->user, &status);
    size_t slash = hv_str_rfind_byte(status.directory, '/');
    hv_buf_add_cstr(&bytes, "\033[22;0t\033]0;helve · ");
    paint_add(&bytes, hv_str_slice(status.directory, slash == SIZE_MAX ? 0 : slash + 1, SIZE_MAX));
    hv_buf_add_cstr(&bytes, "\033\\");
    terminal_write(ui->terminal, hv_buf_str(&bytes));
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

static void on_no_answer(void *data)
{
    struct ui *ui = data;
    ui->answer_timer = NULL;
    ui->gave_up = true;
    view_draw(ui);
}

/* Where the width has changed, what the terminal has made of the region is only known when it has seen all of it. */
static bool waits_for_answer(struct ui *ui)
{
    struct screen *screen = &ui->screen;
    bool must = screen->columns && screen->columns != ui->columns && screen->answers && !screen->acknowledged;
    if (!must || ui->gave_up)
        return false;
    ui->dirty = true;
    if (ui->answer_timer)
        return true;
    screen->asked++;
    terminal_write(ui->terminal, HV_STR("\033[6n"));
    ui->answer_timer = loop_timer_start(ui->front->loop, ANSWER_MS * CLOCK_MILLISECOND, on_no_answer, ui);
    return true;
}

void view_answered(struct ui *ui, size_t column)
{
    ui->screen.answers = true;
    screen_answered(&ui->screen, column);
    if (!ui->screen.acknowledged || !ui->answer_timer)
        return;
    loop_timer_stop(ui->answer_timer);
    ui->answer_timer = NULL;
    view_draw(ui);
}

void view_draw(struct ui *ui)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf bytes = {.max = 2 * (size_t)VIEW_FINISHED_MAX};
    struct screen_frame frame;
    loop_timer_stop(ui->frame_timer);
    ui->frame_timer = NULL;
    if (terminal_busy(ui->terminal) || terminal_is_resizing(ui->terminal)) {
        ui->dirty = true; /* drawn as soon as that is over */
        return;
    }
    terminal_size(ui->terminal, &ui->columns, &ui->rows);
    if (waits_for_answer(ui))
        return;
    ui->dirty = ui->gave_up = false;
    frame_make(ui, &arena, &frame);
    screen_draw(&ui->screen, ui->columns, hv_buf_str(&ui->finished), &frame, &bytes);
    hv_buf_clear(&ui->finished);
    terminal_write(ui->terminal, hv_buf_str(&bytes));
    ui->last_frame_ns = clock_monotonic_ns();
}

static void drain(void *data);

static void on_frame(void *data)
{
    struct ui *ui = data;
    ui->frame_timer = NULL;
    drain(ui);
    view_draw(ui);
}

void view_dirty(struct ui *ui)
{
    ui->dirty = true;
    if (ui->frame_timer)
        return;
    uint64_t now = clock_monotonic_ns(), due = ui->last_frame_ns + FRAME_MS * CLOCK_MILLISECOND;
    ui->frame_timer = loop_timer_start(ui->front->loop, due > now ? due - now : 0, on_frame, ui);
}

/* While something runs its time is shown; else nothing wakes up. */
static void on_tick(void *data)
{
    struct ui *ui = data;
    ui->tick_timer = NULL;
    bool waits = ui->question.question && ui->question.shown;
    if (!ui->turn_running && !ui->calls.count)
        return;
    if (!waits) {
        ui->tick++;
        view_dirty(ui);
    }
    view_start_tick(ui);
}

void view_start_tick(struct ui *ui)
{
    if (!ui->tick_timer)
        ui->tick_timer = loop_timer_start(ui->front->loop, TICK_MS * CLOCK_MILLISECOND, on_tick, ui);
}

/* ---- the terminal's side ----------------------------------------------------------------------------------------- */

static void on_key(void *user, const struct key *key)
{
    struct ui *ui = user;
    drain(ui); /* what the key does comes behind what was said before it */
    actions_key(ui, key);
    /* What was typed is seen at once, whatever else streams in. */
    if (ui->dirty && !ui->told_quit && key->type <= KEY_PASTE)
        loop_timer_stop(ui->frame_timer), ui->frame_timer = loop_timer_start(ui->front->loop, 0, on_frame, ui);
}

static void on_size(void *user)
{
    struct ui *ui = user;
    /* What it has answered so far may be of another size. */
    ui->screen.acknowledged = ui->gave_up = false;
    loop_timer_stop(ui->answer_timer);
    ui->answer_timer = NULL;
    view_draw(ui);
}

static void on_resume(void *user)
{
    struct ui *ui = user;
    ui->screen.columns = 0; /* what stands on the screen now is somebody else's */
    ui->screen.caret_hidden = false;
    ui->screen.asked = 0;
    view_draw(ui);
}

static void before_stop(void *user)
{
    struct ui *ui = user;
    CLEANUP_BUF struct hv_buf bytes = {.max = VIEW_FRAME_MAX};
    screen_erase(&ui->screen, ui->columns, &bytes);
    terminal_write(ui->terminal, hv_buf_str(&bytes));
}

static void on_drained(void *user)
{
    struct ui *ui = user;
    if (ui->dirty)
        view_draw(ui);
}

static void on_signal(void *user, int number)
{
    struct ui *ui = user;
    if (ui->told_quit)
        return;
    if (ui->editor.text.len) { /* `Up` brings it back in the next session */
        CLEANUP_BUF struct hv_buf text = {.max = EDITOR_TEXT_MAX};
        editor_text(&ui->editor, &text);
        ui->front->remember(ui->front->user, hv_buf_str(&text));
    }
    ui->told_quit = true;
    ui->front->quit(ui->front->user, number);
}

/* ---- the session's side ------------------------------------------------------------------------------------------ */

static void free_event(struct queued_event *queued)
{
    struct hv_arena arena = queued->arena;
    hv_arena_release(&arena);
    free(queued);
}

static void drain(void *data)
{
    struct ui *ui = data;
    for (;;) {
        pthread_mutex_lock(&ui->queue_lock);
        struct queued_event **items = ui->events.items;
        size_t count = ui->events.count;
        ui->events.items = NULL;
        ui->events.count = ui->events.capacity = 0;
        if (!count)
            ui->draining = false;
        pthread_mutex_unlock(&ui->queue_lock);
        for (size_t i = 0; i < count; i++) {
            events_take(ui, &items[i]->event);
            free_event(items[i]);
        }
        free(items);
        if (!count)
            return;
    }
}

static bool is_shown(enum hv_event_type type)
{
    switch (type) {
    case HV_EVENT_TEXT:
    case HV_EVENT_THINKING:
    case HV_EVENT_FIRST_BYTE:
    case HV_EVENT_RESPONSE:
    case HV_EVENT_CALL:
    case HV_EVENT_ADMITTED:
    case HV_EVENT_PROGRESS:
    case HV_EVENT_RESULT:
    case HV_EVENT_RETRY:
    case HV_EVENT_NOTICE:
    case HV_EVENT_TASK:
    case HV_EVENT_STATE:
    case HV_EVENT_TURN_END: return true;
    default: return false;
    }
}

static void ui_event(struct ui *ui, const struct hv_event *event)
{
    if (!is_shown(event->type))
        return;
    struct queued_event *queued = hv_calloc(1, sizeof *queued);
    struct hv_arena *arena = &queued->arena;
    queued->event = *event;
    queued->event.call_id = hv_arena_str(arena, event->call_id);
    queued->event.tool = hv_arena_str(arena, event->tool);
    queued->event.name = hv_arena_str(arena, event->name);
    queued->event.text = hv_arena_str(arena, event->text);
    /* The whole of a result is the model's; what is shown of it is in data. */
    queued->event.json = event->type == HV_EVENT_RESULT ? (struct hv_str){0} : hv_arena_str(arena, event->json);
    queued->event.data = hv_arena_str(arena, event->data);
    /* Streamed text comes in hundreds of pieces a second: the next frame takes those of its time, nothing else wakes up
     * for them. */
    bool streams = event->type == HV_EVENT_TEXT || event->type == HV_EVENT_THINKING;
    bool waits = streams && loop_is_current(ui->front->loop);
    pthread_mutex_lock(&ui->queue_lock);
    *vec_push(&ui->events) = queued;
    bool post = !waits && !ui->draining;
    ui->draining |= post;
    pthread_mutex_unlock(&ui->queue_lock);
    if (waits)
        view_dirty(ui);
    if (post)
        loop_post(ui->front->loop, drain, ui);
}

static void show_question(void *data)
{
    struct asked *asked = data;
    struct ui *ui = asked->ui;
    drain(ui);                      /* what happened before it is shown above it */
    terminal_read(ui->terminal, 0); /* what was typed before it goes where it was meant to */
    ui->question.asked = asked;
    ui->question.question = &asked->question;
    question_show(ui);
}

/* The asker has gone on. */
static void forget_question(void *data)
{
    struct asked *asked = data;
    struct ui *ui = asked->ui;
    if (ui->question.asked == asked) {
        ui->question.asked = NULL;
        ui->question.question = NULL;
        ui->question.shown = false;
        editor_clear(&ui->question.words);
        view_dirty(ui);
    }
    hv_arena_release(&asked->arena);
    free(asked);
}

/* Wait for the answer. A cancellation has a descriptor and the condition has none: so it is looked at now and then. */
static bool await(struct ui *ui, struct asked *asked, const struct hv_cancel *cancel)
{
    LOCK_SCOPE(&ui->ask_lock);
    while (!asked->answered && !hv_cancelled(cancel)) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += CANCEL_LOOK_MS * CLOCK_MILLISECOND;
        if (until.tv_nsec >= (long)CLOCK_SECOND)
            until.tv_sec++, until.tv_nsec -= (long)CLOCK_SECOND;
        pthread_cond_timedwait(&ui->ask_changed, &ui->ask_lock, &until);
    }
    return asked->answered;
}

static struct hv_ask_option *copy_options(struct hv_arena *arena, const struct hv_ask_field *field)
{
    struct hv_ask_option *options = hv_arena_array(arena, struct hv_ask_option, field->option_count + 1);
    for (size_t i = 0; i < field->option_count; i++)
        options[i] = (struct hv_ask_option){
            .name = hv_arena_str(arena, field->options[i].name),
            .label = hv_arena_str(arena, field->options[i].label),
            .description = hv_arena_str(arena, field->options[i].description),
        };
    return options;
}

static struct hv_ask_field *copy_fields(struct hv_arena *arena, const struct hv_question *question)
{
    struct hv_ask_field *fields = hv_arena_array(arena, struct hv_ask_field, question->field_count + 1);
    for (size_t i = 0; i < question->field_count; i++) {
        fields[i] = question->fields[i];
        fields[i].name = hv_arena_str(arena, fields[i].name);
        fields[i].label = hv_arena_str(arena, fields[i].label);
        fields[i].description = hv_arena_str(arena, fields[i].description);
        fields[i].initial = hv_arena_str(arena, fields[i].initial);
        fields[i].options = copy_options(arena, &fields[i]);
    }
    return fields;
}

static struct hv_str *copy_texts(struct hv_arena *arena, const struct hv_str *texts, size_t count)
{
    struct hv_str *copies = hv_arena_array(arena, struct hv_str, count + 1);
    for (size_t i = 0; i < count; i++)
        copies[i] = hv_arena_str(arena, texts[i]);
    return copies;
}

static struct asked *copy_question(struct ui *ui, const struct hv_question *question)
{
    struct asked *asked = hv_calloc(1, sizeof *asked);
    struct hv_arena *arena = &asked->arena;
    struct hv_question *own = &asked->question;
    asked->ui = ui;
    *own = *question;
    own->call_id = hv_arena_str(arena, question->call_id);
    own->subject = hv_arena_str(arena, question->subject);
    own->text = hv_arena_str(arena, question->text);
    own->shown = hv_arena_str(arena, question->shown);
    own->reason = hv_arena_str(arena, question->reason);
    own->explanation = hv_arena_str(arena, question->explanation);
    own->input = hv_arena_str(arena, question->input);
    own->details = hv_arena_str(arena, question->details);
    own->rules = copy_texts(arena, question->rules, question->rule_count);
    own->fields = copy_fields(arena, question);
    return asked;
}

static void ui_ask(struct ui *ui, const struct hv_question *question, const struct hv_cancel *cancel,
                   struct hv_arena *arena, struct hv_answer *answer)
{
    struct asked *asked = copy_question(ui, question);
    loop_post(ui->front->loop, show_question, asked);
    bool answered = await(ui, asked, cancel);
    *answer = (struct hv_answer){0};
    if (answered) {
        *answer = asked->answer;
        answer->words = hv_arena_str(arena, asked->answer.words);
        answer->input = hv_arena_str(arena, asked->answer.input);
        answer->values = hv_arena_str(arena, asked->answer.values);
        answer->rules = copy_texts(arena, asked->answer.rules, asked->answer.rule_count);
    }
    loop_post(ui->front->loop, forget_question, asked);
}

static void ui_show_prompt(struct ui *ui)
{
    terminal_read_typed(ui->terminal);
    view_draw(ui);
    terminal_watch(ui->terminal);
}

static void ui_print(struct ui *ui, struct hv_str markdown)
{
    drain(ui);
    view_print_markdown(ui, markdown);
}

static void ui_submit(struct ui *ui, struct hv_str prompt)
{
    actions_submit_made(ui, prompt);
    view_dirty(ui);
}

static void ui_pick(struct ui *ui, const struct ui_picker *picker)
{
    picker_open(ui, picker);
}

static bool ui_take_queued(struct ui *ui, struct hv_buf *text)
{
    return actions_take_queued(ui, text);
}

static void ui_earlier(struct ui *ui, const struct hv_event *event)
{
    if (event) {
        earlier_take(ui, event);
        return;
    }
    struct hv_event end = {.type = HV_EVENT_TURN_END};
    earlier_take(ui, &end);
    while (ui->calls.count) /* those have no result: they were cut off */
        view_drop_call(ui, ui->calls.items[0]->id);
    view_note(ui, PAINT_DIM, "─", HV_STR("so far"));
}

static void ui_clear(struct ui *ui)
{
    while (ui->calls.count)
        view_drop_call(ui, ui->calls.items[0]->id);
    ui->turn_running = ui->thinking = ui->interrupting = false;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static void init(struct ui *ui, const struct ui_front *front)
{
    ui->front = front;
    ui->focused = true;
    hv_buf_init(&ui->finished, VIEW_FINISHED_MAX);
    hv_buf_init(&ui->held, VIEW_FINISHED_MAX);
    hv_buf_init(&ui->thought, VIEW_THOUGHT_MAX);
    hv_buf_init(&ui->needle, 1000);
    hv_buf_init(&ui->last_answer, 4 << 20);
    hv_buf_init(&ui->completions, 1 << 20);
    hv_buf_init(&ui->question.rows, VIEW_FRAME_MAX);
    hv_buf_init(&ui->question.values, VIEW_FRAME_MAX);
    editor_init(&ui->editor);
    editor_init(&ui->question.words);
    markdown_stream_init(&ui->answer);
    pthread_mutex_init(&ui->queue_lock, NULL);
    pthread_mutex_init(&ui->ask_lock, NULL);
    pthread_cond_init(&ui->ask_changed, NULL);
    for (size_t i = 0; i < front->history_count; i++)
        editor_remember(&ui->editor, front->history[i]);
    appearance_begin(ui);
}

static void release(struct ui *ui)
{
    ui_clear(ui);
    for (size_t i = 0; i < ui->kept.count; i++) {
        hv_arena_release(&ui->kept.items[i]->arena);
        free(ui->kept.items[i]);
    }
    for (size_t i = 0; i < ui->queued.count; i++)
        free((void *)ui->queued.items[i].ptr);
    for (size_t i = 0; i < ui->events.count; i++)
        free_event(ui->events.items[i]);
    vec_release(&ui->calls);
    vec_release(&ui->kept);
    vec_release(&ui->queued);
    vec_release(&ui->events);
    free((void *)ui->retry.ptr);
    hv_buf_release(&ui->finished);
    hv_buf_release(&ui->held);
    hv_buf_release(&ui->thought);
    picker_close(ui);
    hv_buf_release(&ui->needle);
    hv_buf_release(&ui->last_answer);
    hv_buf_release(&ui->completions);
    hv_buf_release(&ui->question.rows);
    hv_buf_release(&ui->question.values);
    editor_release(&ui->editor);
    editor_release(&ui->question.words);
    markdown_stream_release(&ui->answer);
    screen_release(&ui->screen);
    pthread_cond_destroy(&ui->ask_changed);
    pthread_mutex_destroy(&ui->ask_lock);
    pthread_mutex_destroy(&ui->queue_lock);
    free(ui);
}

static void submit_first(void *data)
{
    actions_submit_next(data);
}

static enum hv_code ui_start(const struct ui_front *front, struct ui **out, struct hv_error *err)
{
    struct ui *ui = hv_calloc(1, sizeof *ui);
    struct terminal_handlers handlers = {.on_key = on_key,
                                         .on_size = on_size,
                                         .on_resume = on_resume,
                                         .on_signal = on_signal,
                                         .before_stop = before_stop,
                                         .on_drained = on_drained,
                                         .user = ui};
    init(ui, front);
    handlers.asks_background = ui->theme.colour && ui->theme.links;
    enum hv_code code = terminal_open(front->loop, &handlers, &ui->terminal, err);
    if (code != HV_OK) {
        release(ui);
        return code;
    }
    set_title(ui);
    appearance_set(ui, &front->theme);
    if (front->prompt.len) {
        *vec_push(&ui->queued) = hv_str_of(hv_strdup(front->prompt.ptr), front->prompt.len);
        loop_post(front->loop, submit_first, ui); /* when the session is made */
    }
    view_dirty(ui);
    *out = ui;
    return HV_OK;
}

static void ui_stop(struct ui *ui)
{
    CLEANUP_BUF struct hv_buf bytes = {.max = 2 * (size_t)VIEW_FINISHED_MAX};
    struct hv_str line, rest;
    if (!ui)
        return;
    loop_run_once(ui->front->loop, 0); /* what was posted to it */
    drain(ui);
    loop_timer_stop(ui->frame_timer);
    loop_timer_stop(ui->tick_timer);
    loop_timer_stop(ui->guard_timer);
    loop_timer_stop(ui->answer_timer);
    ui->answer_timer = NULL;
    /* Its answers must not become input of the shell. */
    for (int i = 0; i < LAST_ANSWERS && ui->screen.asked; i++)
        terminal_read(ui->terminal, LAST_ANSWER_MS);
    screen_erase(&ui->screen, ui->columns ? ui->columns : 80, &bytes);
    for (rest = hv_buf_str(&ui->finished); paint_next_line(&rest, &line);)
        hv_buf_addf(&bytes, "%.*s\r\n", HV_STR_ARG(line));
    hv_buf_add_cstr(&bytes, ui->theme.links ? "\033[23;0t" : "");
    terminal_write(ui->terminal, hv_buf_str(&bytes));
    terminal_close(ui->terminal);
    release(ui);
}

const struct ui_functions *ui_table(void)
{
    static const struct ui_functions table = {
        .start = ui_start,
        .show_prompt = ui_show_prompt,
        .event = ui_event,
        .ask = ui_ask,
        .print = ui_print,
        .submit = ui_submit,
        .take_queued = ui_take_queued,
        .earlier = ui_earlier,
        .pick = ui_pick,
        .show_drawing = pictures_show,
        .set_theme = appearance_set,
        .status_changed = view_dirty,
        .files_changed = actions_files_changed,
        .clear = ui_clear,
        .stop = ui_stop,
    };
    return &table;
}
