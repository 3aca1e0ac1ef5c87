/*
 * progress.c: what a person sees on stderr while `helve -p` works: the model's words in between, a line per call, its
 * result in short, changes as a coloured diff. Everything that a model or a file wrote is cleaned of escapes.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "cli/blocks.h"
#include "cli/print.h"
#include "policy/visible.h"
#include "text/ansi.h"

#include <unistd.h>

enum {
    LABEL_MAX = 100,
    LINE_MAX_BYTES = 8 << 20,
    TAIL_LINES = 5,
    TAIL_WIDTH = 110,
    DIFF_LINES = 60,
    DENIAL_MAX = 400,
    TELL_S = 10
};

#define RESET "\033[0m"
#define BOLD "\033[1m"
#define DIM "\033[2m"
#define RED "\033[31m"
#define CYAN "\033[36m"

void progress_init(struct progress *progress, bool enabled, bool details)
{
    progress->enabled = enabled;
    progress->details = details;
    progress->colour = cli_has_colour(STDERR_FILENO);
    hv_buf_init(&progress->text, LINE_MAX_BYTES);
}

void progress_release(struct progress *progress)
{
    hv_buf_release(&progress->text);
    free((void *)progress->last_id.ptr);
}

static const char *colour(const struct progress *progress, const char *code)
{
    return progress->colour ? code : "";
}

static void put_clean(struct hv_buf *out, struct hv_str text)
{
    CLEANUP_BUF struct hv_buf clean = {0};
    hv_buf_init(&clean, LINE_MAX_BYTES);
    ansi_clean(text, &clean);
    /* Nor may a name or an output turn the line around. */
    visible_add_straight(out, hv_buf_str(&clean));
}

/* text within max bytes, cut between characters, on one line; escaped: with what does not show itself written out, for
 * what a model wrote. */
static void put_line(struct hv_buf *out, struct hv_str text, size_t max, bool escaped)
{
    size_t newline = hv_str_find_byte(text, '\n', 0);
    struct hv_str line = hv_str_slice(text, 0, newline);
    bool cut = newline != SIZE_MAX && hv_str_trim(hv_str_slice(text, newline, text.len)).len > 0;
    if (line.len > max) {
        line = hv_str_slice(line, 0, max);
        line.len -= utf8_incomplete_tail(line);
        cut = true;
    }
    if (escaped)
        visible_add(out, line);
    else
        put_clean(out, line);
    hv_buf_add_cstr(out, cut ? " …" : "");
}

static void put_short(struct hv_buf *out, struct hv_str text, size_t max)
{
    put_line(out, text, max, false);
}

/* The first text among the members of an input is what tells one call from another: a path, a pattern, a command. */
struct hv_str progress_label(struct hv_str input)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf label = {0};
    const struct hv_json *value = NULL;
    struct hv_str text = {0};
    size_t len;
    hv_buf_init(&label, 8192);
    if (hv_json_parse(&arena, input, HV_JSON_REPAIR_SURROGATES | HV_JSON_REPAIR_UTF8, &value, NULL) != HV_OK)
        value = NULL;
    hv_json_each(member, value)
    {
        text = hv_json_string(member);
        if (text.len > 0)
            break;
    }
    put_line(&label, text, LABEL_MAX, true);
    char *bytes = hv_buf_take(&label, &len);
    return hv_str_of(bytes ? bytes : hv_strdup(""), len);
}

/* ---- parts of a result ------------------------------------------------------------------------------------------- */

/* The text of a tool_result block, its parts joined. */
static struct hv_str text_of(const struct hv_json *block, struct hv_arena *arena)
{
    const struct hv_json *content = hv_json_get(block, "content");
    struct hv_str all = hv_json_string(content);
    hv_json_each(part, hv_json_type_of(content) == HV_JSON_ARRAY ? content : NULL)
    {
        struct hv_str text = hv_str_trim(hv_json_get_string(part, "text"));
        if (text.len > 0)
            all = all.len > 0 ? hv_arena_format(arena, "%.*s\n%.*s", HV_STR_ARG(all), HV_STR_ARG(text)) : text;
    }
    return all;
}

/* ---- words as they come ------------------------------------------------------------------------------------------ */

/* Whole lines only: what could turn out to be an escape waits for its end. */
static int stream_text(struct progress *progress, bool complete)
{
    CLEANUP_BUF struct hv_buf out = {.max = LINE_MAX_BYTES};
    size_t newline = hv_str_rfind_byte(hv_buf_str(&progress->text), '\n');
    size_t end = complete ? progress->text.len : newline == SIZE_MAX ? 0 : newline + 1;
    if (!end)
        return 0;
    put_clean(&out, hv_str_slice(hv_buf_str(&progress->text), 0, end));
    hv_buf_consume(&progress->text, end);
    if (complete && out.len && out.data[out.len - 1] != '\n')
        hv_buf_add_byte(&out, '\n');
    return cli_write(STDOUT_FILENO, hv_buf_str(&out));
}

int progress_finish(struct progress *progress)
{
    return stream_text(progress, true);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void flush_text(struct progress *progress, struct hv_buf *out)
{
    if (progress->streams) {
        (void)stream_text(progress, true);
        return;
    }
    struct hv_str text = hv_str_trim(hv_buf_str(&progress->text));
    if (text.len > 0) {
        put_clean(out, text);
        hv_buf_add_byte(out, '\n');
    }
    hv_buf_clear(&progress->text);
}

static void remember(struct progress *progress, struct hv_str id)
{
    free((void *)progress->last_id.ptr);
    char *copy = hv_malloc(id.len + 1);
    memcpy(copy, id.ptr ? id.ptr : "", id.len);
    progress->last_id = hv_str_of(copy, id.len);
}

/* "Bash make test: " */
static void put_name(struct hv_buf *out, const struct open_call *call)
{
    put_short(out, call->tool, LABEL_MAX);
    hv_buf_addf(out, " %.*s: ", HV_STR_ARG(call->label));
}

static void put_call(struct print *print, const struct hv_event *event, struct hv_buf *out)
{
    struct progress *progress = &print->progress;
    const struct open_call *call = print_find_call(print, event->call_id);
    struct hv_str label = call ? call->label : HV_STR("");
    hv_buf_addf(out, "%s●%s %s", colour(progress, CYAN), colour(progress, RESET), colour(progress, BOLD));
    put_short(out, event->tool, LABEL_MAX);
    hv_buf_addf(out, "%s %.*s\n", colour(progress, RESET), HV_STR_ARG(label));
    remember(progress, event->call_id);
}

static void put_result(struct print *print, const struct hv_event *event, struct hv_buf *out)
{
    struct progress *progress = &print->progress;
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *block = NULL, *data = NULL;
    if (hv_json_parse(&arena, event->json, HV_JSON_STRICT, &block, NULL) != HV_OK ||
        hv_json_parse(&arena, event->data, HV_JSON_STRICT, &data, NULL) != HV_OK)
        return;
    const struct open_call *call = print_find_call(print, event->call_id);
    struct hv_str summary = hv_json_get_string(data, "summary"), diff = hv_json_get_string(data, "diff");
    hv_buf_addf(out, "  %s⎿%s ", colour(progress, event->ok ? DIM : RED), colour(progress, event->ok ? RESET : ""));
    if (!hv_str_eq(progress->last_id, event->call_id) && call)
        put_name(out, call);
    put_short(out, summary.len > 0 ? summary : text_of(block, &arena), TAIL_WIDTH);
    hv_buf_addf(out, "%s %s(%.1f ms)%s\n", colour(progress, event->ok ? "" : RESET), colour(progress, DIM),
                (double)event->duration_ns / CLOCK_MILLISECOND, colour(progress, RESET));
    const struct hv_json *show = hv_json_get(data, "show");
    const struct blocks_style style = {.colour = progress->colour, .margin = "    ", .lines = TAIL_LINES},
                              diff_style = {.colour = progress->colour, .margin = "    ", .lines = DIFF_LINES};
    bool text = hv_str_is(hv_json_get_string(hv_json_at(show, 0), "type"), "text");
    if (show && !text) /* texts are told by the summary */
        blocks_put(hv_json_source(show, event->data), &style, out);
    if (diff.len)
        blocks_put_diff(diff, &diff_style, out);
    remember(progress, HV_STR(""));
}

static void put_retry(const struct hv_event *event, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *data;
    int64_t delay = 0, attempt = 0;
    if (hv_json_parse(&arena, event->data, HV_JSON_STRICT, &data, NULL) == HV_OK) {
        (void)hv_json_int64(hv_json_get(data, "delay_ms"), &delay);
        (void)hv_json_int64(hv_json_get(data, "attempt"), &attempt);
    }
    hv_buf_addf(out, "helve: try %lld failed, again in %.1f s: ", (long long)attempt, (double)delay / 1000);
    put_clean(out, event->text);
    hv_buf_add_byte(out, '\n');
}

static void put_task_end(struct progress *progress, const struct hv_event *event, struct hv_buf *out)
{
    flush_text(progress, out);
    hv_buf_addf(out, "%s● ", colour(progress, DIM));
    put_short(out, event->text, TAIL_WIDTH);
    hv_buf_addf(out, "%s\n", colour(progress, RESET));
}

/* How far a call is, now and then. */
static void put_progress(struct progress *progress, const struct hv_event *event, struct hv_buf *out)
{
    uint64_t now = clock_monotonic_ns();
    if (!event->name.len || now - progress->told_ns < TELL_S * CLOCK_SECOND)
        return;
    if (progress->told_ns) {
        hv_buf_addf(out, "  %s… ", colour(progress, DIM));
        put_short(out, event->tool, LABEL_MAX);
        hv_buf_add_cstr(out, ": ");
        put_short(out, event->name, TAIL_WIDTH);
        hv_buf_addf(out, "%s\n", colour(progress, RESET));
    }
    progress->told_ns = now;
}

static void put_event(struct print *print, const struct hv_event *event, struct hv_buf *out)
{
    struct progress *progress = &print->progress;
    switch (event->type) {
    case HV_EVENT_TEXT:
        hv_buf_add_str(&progress->text, event->text);
        if (progress->streams)
            (void)stream_text(progress, false);
        break;
    case HV_EVENT_PROGRESS: put_progress(progress, event, out); break;
    case HV_EVENT_REQUEST: flush_text(progress, out); break;
    case HV_EVENT_CALL:
        flush_text(progress, out);
        put_call(print, event, out);
        break;
    case HV_EVENT_RESULT: put_result(print, event, out); break;
    case HV_EVENT_TASK:
        if (hv_str_is(event->name, "ended"))
            put_task_end(progress, event, out);
        break;
    case HV_EVENT_HOOK:
        if (progress->details)
            hv_buf_addf(out, "  %shook %.*s: %.*s%s\n", colour(progress, DIM), HV_STR_ARG(event->name),
                        HV_STR_ARG(event->text), colour(progress, RESET));
        break;
    default: break;
    }
}

/* Nobody watches: what was refused is told all the same, with the rule that would allow it. */
static void put_denial(struct print *print, const struct hv_event *event, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *block;
    const struct open_call *call = print_find_call(print, event->call_id);
    if (!call || !call->denied || hv_json_parse(&arena, event->json, HV_JSON_STRICT, &block, NULL) != HV_OK)
        return;
    hv_buf_add_cstr(out, "helve: ");
    put_name(out, call);
    put_short(out, text_of(block, &arena), DENIAL_MAX);
    hv_buf_add_byte(out, '\n');
}

static void put_notice(const struct hv_event *event, struct hv_buf *out)
{
    hv_buf_add_cstr(out, "helve: ");
    put_clean(out, event->text);
    hv_buf_add_byte(out, '\n');
}

void progress_event(struct print *print, const struct hv_event *event)
{
    CLEANUP_BUF struct hv_buf out = {0};
    hv_buf_init(&out, LINE_MAX_BYTES);
    /* Warnings and waiting are told even when nobody watches: they explain what will be missed later. */
    if (event->type == HV_EVENT_NOTICE && !(hv_str_is(event->name, "info") && !print->progress.enabled))
        put_notice(event, &out);
    else if (event->type == HV_EVENT_RETRY)
        put_retry(event, &out);
    else if (print->progress.enabled)
        put_event(print, event, &out);
    else if (event->type == HV_EVENT_RESULT && print->format == PRINT_TEXT)
        put_denial(print, event, &out);
    if (out.len > 0)
        cli_write(STDERR_FILENO, hv_buf_str(&out));
}
