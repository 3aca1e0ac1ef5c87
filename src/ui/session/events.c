/* events.c: what happens in the session becomes lines on the screen. Reads events alone, live ones and journalled. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "ui/session/view.h"

static const struct hv_json *parse(struct hv_arena *arena, struct hv_str json)
{
    const struct hv_json *value = NULL;
    if (!json.len || hv_json_parse(arena, json, HV_JSON_STRICT, &value, NULL) != HV_OK)
        return NULL;
    return value;
}

static void set_retry(struct ui *ui, struct hv_str why)
{
    free((void *)ui->retry.ptr);
    ui->retry = (struct hv_str){0};
    if (!why.len)
        return;
    char *bytes = hv_malloc(why.len);
    memcpy(bytes, why.ptr, why.len);
    ui->retry = hv_str_of(bytes, why.len);
}

/* ---- folded things ----------------------------------------------------------------------------------------------- */

static void keep_result(struct ui *ui, struct hv_str head, struct hv_str show, struct hv_str diff, bool ok)
{
    if (ui->kept.count == VIEW_KEPT_MAX) {
        hv_arena_release(&ui->kept.items[0]->arena);
        free(ui->kept.items[0]);
        memmove(ui->kept.items, ui->kept.items + 1, --ui->kept.count * sizeof *ui->kept.items);
    }
    struct kept_result *kept = hv_calloc(1, sizeof *kept);
    kept->head = hv_arena_str(&kept->arena, head);
    kept->show = hv_arena_str(&kept->arena, show);
    kept->diff = hv_arena_str(&kept->arena, diff);
    kept->ok = ok;
    *vec_push(&ui->kept) = kept;
    ui->unfold_at = 0;
}

static void take_thinking(struct ui *ui, struct hv_str text)
{
    if (!ui->thinking)
        ui->thought_started_ns = clock_monotonic_ns();
    ui->thinking = true;
    if (ui->thought.len + text.len <= VIEW_THOUGHT_MAX)
        hv_buf_add_str(&ui->thought, text);
}

void events_put_thought(struct ui *ui, struct hv_str text, uint64_t duration_ns)
{
    CLEANUP_BUF struct hv_buf head = {.max = VIEW_FINISHED_MAX}, blocks = {.max = VIEW_FINISHED_MAX};
    struct hv_show show;
    bool gathered = !text.ptr;
    if (gathered) {
        text = hv_buf_str(&ui->thought);
        duration_ns = clock_monotonic_ns() - ui->thought_started_ns;
        ui->thinking = false;
    }
    if (!hv_str_trim(text).len)
        return;
    hv_show_begin(&show, &blocks);
    for (struct hv_str rest = text; rest.len; rest = hv_str_slice(rest, HV_SHOW_TEXT_MAX / 2, rest.len))
        hv_show_text(&show, hv_str_slice(rest, 0, HV_SHOW_TEXT_MAX / 2));
    hv_show_end(&show);
    paint_begin(&ui->theme, PAINT_DIM, &head);
    hv_buf_add_cstr(&head, "✻ Thought");
    if (duration_ns >= CLOCK_SECOND)
        hv_buf_addf(&head, " for %llu s", (unsigned long long)(duration_ns / CLOCK_SECOND));
    hv_buf_add_cstr(&head, " (Ctrl-O shows it)");
    paint_end(&ui->theme, PAINT_DIM, &head);
    hv_buf_add_byte(&head, '\n');
    keep_result(ui, hv_buf_str(&head), hv_buf_str(&blocks), (struct hv_str){0}, true);
    if (gathered)
        hv_buf_clear(&ui->thought);
    view_print(ui, hv_buf_str(&head));
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

void events_end_answer(struct ui *ui)
{
    events_put_thought(ui, (struct hv_str){0}, 0);
    CLEANUP_BUF struct hv_buf done = {.max = VIEW_FINISHED_MAX};
    bool went_on = ui->answer.any;
    markdown_stream_finish(&ui->answer, &ui->theme, ui->columns, &done);
    if (went_on && done.len) {
        hv_buf_add_str(&ui->finished, hv_buf_str(&done));
        ui->blank_due = true;
    } else if (done.len) {
        view_print(ui, hv_buf_str(&done));
    } else if (went_on) {
        ui->blank_due = true;
    }
    if (ui->held.len) {
        struct hv_buf held = ui->held;
        ui->held = (struct hv_buf){.max = VIEW_FINISHED_MAX};
        view_print(ui, hv_buf_str(&held));
        hv_buf_release(&held);
    }
}

static void take_text(struct ui *ui, struct hv_str text)
{
    CLEANUP_BUF struct hv_buf done = {.max = VIEW_FINISHED_MAX};
    bool went_on = ui->answer.any;
    events_put_thought(ui, (struct hv_str){0}, 0);
    if (ui->answer_ended)
        hv_buf_clear(&ui->last_answer);
    ui->answer_ended = false;
    if (ui->last_answer.len + text.len <= ui->last_answer.max)
        hv_buf_add_str(&ui->last_answer, text);
    markdown_stream_feed(&ui->answer, &ui->theme, ui->columns, text, &done);
    if (!done.len)
        return;
    if (went_on)
        hv_buf_add_str(&ui->finished, hv_buf_str(&done));
    else
        view_print(ui, hv_buf_str(&done));
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static void begin_call(struct ui *ui, const struct hv_event *event)
{
    events_end_answer(ui);
    struct call_view *call = hv_calloc(1, sizeof *call);
    call->id = hv_arena_str(&call->arena, event->call_id);
    call->tool = hv_arena_str(&call->arena, event->tool);
    call->title = cards_label(&call->arena, event->json);
    call->started_ns = clock_monotonic_ns();
    *vec_push(&ui->calls) = call;
}

static void admit_call(struct ui *ui, const struct hv_event *event)
{
    struct call_view *call = view_call(ui, event->call_id);
    if (!call)
        return;
    struct hv_str title = cards_title(&call->arena, event->json);
    call->title = title.len ? title : call->title;
    call->started_ns = clock_monotonic_ns();
    call->running = true;
}

static void note_progress(struct ui *ui, const struct hv_event *event)
{
    struct call_view *call = view_call(ui, event->call_id);
    struct hv_str text = hv_str_trim(event->name.ptr ? event->name : event->text);
    if (!call || !text.len)
        return;
    size_t newline = hv_str_rfind_byte(text, '\n');
    text = newline == SIZE_MAX ? text : hv_str_slice(text, newline + 1, text.len);
    struct hv_arena fresh = {0};
    call->id = hv_arena_str(&fresh, call->id);
    call->tool = hv_arena_str(&fresh, call->tool);
    call->title = hv_arena_str(&fresh, call->title);
    call->last = hv_arena_str(&fresh, hv_str_slice(text, 0, 400));
    hv_arena_release(&call->arena);
    call->arena = fresh;
}

static void put_duration(struct hv_buf *out, uint64_t duration_ns)
{
    double seconds = (double)duration_ns / CLOCK_SECOND;
    if (seconds >= 60)
        hv_buf_addf(out, "%llum %02llus", (unsigned long long)seconds / 60, (unsigned long long)seconds % 60);
    else if (seconds >= 0.1)
        hv_buf_addf(out, "%.1fs", seconds);
    else
        hv_buf_addf(out, "%.0fms", seconds * 1000);
}

/* "● Tool what it did" and, in the same form for all, "  summary · time" */
static void put_head(struct ui *ui, const struct call_view *call, const struct hv_event *event, struct hv_str summary,
                     struct hv_buf *out)
{
    enum paint_style style = event->ok ? PAINT_GOOD : PAINT_BAD;
    paint_put(&ui->theme, style, event->ok ? HV_STR("● ") : HV_STR("✗ "), out);
    paint_put(&ui->theme, PAINT_BOLD, event->tool, out);
    hv_buf_add_byte(out, ' ');
    paint_add(out, call ? call->title : HV_STR(""));
    hv_buf_add_byte(out, '\n');
    hv_buf_add_cstr(out, "  ");
    paint_begin(&ui->theme, PAINT_DIM, out);
    paint_add(out, summary.len ? summary : event->ok ? HV_STR("done") : HV_STR("failed"));
    hv_buf_add_cstr(out, " · ");
    put_duration(out, event->duration_ns);
    paint_end(&ui->theme, PAINT_DIM, out);
    hv_buf_add_byte(out, '\n');
}

/* Texts of what succeeded are told by the summary alone; what was read, printed, listed or changed is shown. */
static bool is_quiet(const struct hv_json *show)
{
    const struct hv_json *first = hv_json_at(show, 0);
    struct hv_str type = hv_json_get_string(first, "type");
    return hv_str_is(type, "text");
}

void events_put_card(struct ui *ui, struct hv_str card)
{
    /* What the model is writing at the moment is not torn apart. */
    if (ui->earlier || ui->answer.any || ui->answer.open.len) {
        hv_buf_add_cstr(&ui->held, ui->held.len ? "\n" : "");
        hv_buf_add_str(&ui->held, card);
    } else {
        view_print(ui, card);
    }
}

static void end_call(struct ui *ui, const struct hv_event *event)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf head = {.max = VIEW_FINISHED_MAX}, card = {.max = VIEW_FINISHED_MAX};
    const struct hv_json *data = parse(&arena, event->data), *show = hv_json_get(data, "show");
    struct hv_str blocks = show ? hv_json_source(show, event->data) : (struct hv_str){0};
    struct hv_str diff = hv_json_get_string(data, "diff");
    bool folded = false;
    put_head(ui, view_call(ui, event->call_id), event, hv_json_get_string(data, "summary"), &head);
    hv_buf_add_str(&card, hv_buf_str(&head));
    if (diff.len)
        cards_put_diff(ui, diff, 60, &folded, &card);
    if (event->ok && is_quiet(show) && !diff.len)
        folded = true;
    else if (!diff.len || !is_quiet(show))
        cards_put_blocks(ui, blocks, true, &folded, &card);
    events_put_card(ui, hv_buf_str(&card));
    if (event->ok)
        pictures_ask(ui, show);
    if (folded)
        keep_result(ui, hv_buf_str(&head), blocks, diff, event->ok);
    view_drop_call(ui, event->call_id);
}

/* ---- around the turn --------------------------------------------------------------------------------------------- */

static void take_turn_end(struct ui *ui, const struct hv_event *event)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str error = hv_json_get_string(parse(&arena, event->data), "error");
    events_end_answer(ui);
    set_retry(ui, (struct hv_str){0});
    ui->turn_running = ui->thinking = false;
    if (ui->interrupting || hv_str_is(error, "interrupted"))
        view_note(ui, PAINT_WARN, "■", HV_STR("Interrupted. What should be done instead?"));
    else if (error.len)
        view_note(ui, PAINT_BAD, "✗", error);
    ui->interrupting = false;
    if (!ui->queued.count && !ui->earlier) { /* else it goes on by itself */
        view_call_attention(ui, "helve is done");
        if (!ui->focused && ui->front->turn_unseen)
            ui->front->turn_unseen(ui->front->user);
    }
    actions_submit_next(ui);
}

static void take_notice(struct ui *ui, const struct hv_event *event)
{
    bool info = hv_str_is(event->name, "info");
    view_note(ui,
              info                              ? PAINT_DIM
              : hv_str_is(event->name, "error") ? PAINT_BAD
                                                : PAINT_WARN,
              info ? "·" : "!", event->text);
}

static void take_retry(struct ui *ui, const struct hv_event *event)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *data = parse(&arena, event->data);
    int64_t delay = 0, attempt = 0;
    (void)hv_json_int64(hv_json_get(data, "delay_ms"), &delay);
    (void)hv_json_int64(hv_json_get(data, "attempt"), &attempt);
    set_retry(ui, hv_arena_format(&arena, "try %lld failed, again in %.1f s: %.*s", (long long)attempt,
                                  (double)delay / 1000, HV_STR_ARG(event->text)));
}

static void take_response(struct ui *ui, const struct hv_event *event)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    int64_t tokens = 0;
    if (hv_json_int64(hv_json_get(hv_json_get(parse(&arena, event->data), "usage"), "output_tokens"), &tokens))
        ui->turn_tokens += tokens;
}

static void take_task(struct ui *ui, const struct hv_event *event)
{
    if (hv_str_is(event->name, "started"))
        ui->tasks_running++;
    if (!hv_str_is(event->name, "ended"))
        return;
    ui->tasks_running -= ui->tasks_running > 0;
    view_note(ui, PAINT_DIM, "◇", event->text);
}

void events_take(struct ui *ui, const struct hv_event *event)
{
    switch (event->type) {
    case HV_EVENT_TEXT: take_text(ui, event->text); break;
    case HV_EVENT_THINKING: take_thinking(ui, event->text); break;
    case HV_EVENT_FIRST_BYTE: set_retry(ui, (struct hv_str){0}); break;
    case HV_EVENT_RESPONSE:
        ui->answer_ended = true;
        events_end_answer(ui);
        take_response(ui, event);
        break;
    case HV_EVENT_CALL: begin_call(ui, event); break;
    case HV_EVENT_ADMITTED: admit_call(ui, event); break;
    case HV_EVENT_PROGRESS: note_progress(ui, event); break;
    case HV_EVENT_RESULT: end_call(ui, event); break;
    case HV_EVENT_RETRY: take_retry(ui, event); break;
    case HV_EVENT_NOTICE: take_notice(ui, event); break;
    case HV_EVENT_TASK: take_task(ui, event); break;
    case HV_EVENT_TURN_END: take_turn_end(ui, event); break;
    default: break;
    }
    view_dirty(ui);
}
