/*
 * trace.c: from the events of a journal to sections, responses and calls with their stretches of time. See trace.h.
 *
 * Kept in memory is one group: a response and the calls it asked for. The group is drawn when the next request begins
 * or the turn ends, so that the stream's row stands above those of its calls. Whatever a journal holds, a group has
 * bounds: calls that are done leave it early when there are many.
 */
#include "journal/trace_inner.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/vec.h"
#include "text/truncate.h"

enum {
    INPUT_MAX = 4 << 10,
    RESULT_MAX = 16 << 10,
    TEXT_MAX = 2 << 10,
    KEY_MAX = 100,
    GROUP_CALLS = 512,       /* over this many, those that are done are drawn */
    GROUP_OPEN_CALLS = 1024, /* over this many that are not, all are */
    FLUSH_BYTES = 64 << 10,
    BUF_MAX = 16 << 20,
};

#define TIME_MAX ((uint64_t)1 << 60) /* some 36 years: what foreign files say beyond is cut */

struct tracer {
    const struct trace_form *form;
    struct trace_writer *writer;
    struct hv_arena arena;   /* of the summary's texts */
    struct hv_arena scratch; /* of the event at hand */
    uint64_t base, last;     /* where the present session begins on the common line; the latest time seen */
    int64_t last_wall_ms;
    bool in_section;
    struct trace_section section;
    struct trace_response response;
    VEC(struct trace_call *) calls;
    struct trace_summary summary;
};

/* ---- output -------------------------------------------------------------------------------------------------- */

/* Hand on what was gathered, when it is enough or when all must go. */
static void trace_flush(struct trace_writer *writer, bool all)
{
    if (writer->buf.len < FLUSH_BYTES && !all)
        return;
    if (writer->buf.failed || (writer->buf.len > 0 && !writer->stopped &&
                               !writer->output->write(writer->output->user, hv_buf_str(&writer->buf))))
        writer->stopped = true;
    hv_buf_clear(&writer->buf);
}

const char *trace_kind_name(enum trace_kind kind)
{
    static const char *const names[] = {"hook", "permission", "waits", "runs"};
    return names[kind];
}

/* ---- texts --------------------------------------------------------------------------------------------------- */

static struct hv_str excerpt(struct hv_arena *arena, struct hv_str text, size_t max)
{
    if (!text.ptr || text.len <= max)
        return hv_arena_str(arena, text);
    CLEANUP_BUF struct hv_buf out = {0};
    hv_buf_init(&out, max + 1024);
    truncate_preview(text, max, &out);
    return hv_arena_str(arena, hv_buf_str(&out));
}

static const struct hv_json *parse(struct tracer *tracer, struct hv_str json)
{
    const struct hv_json *value = NULL;
    if (!json.ptr || hv_json_parse(&tracer->scratch, json, HV_JSON_STRICT, &value, NULL) != HV_OK)
        return NULL;
    return value;
}

/* A line per member, strings as they are meant: easier to read than JSON. */
static struct hv_str describe_input(struct tracer *tracer, struct trace_call *call, struct hv_str raw)
{
    const struct hv_json *input = parse(tracer, raw);
    if (hv_json_type_of(input) != HV_JSON_OBJECT)
        return excerpt(&call->arena, raw, INPUT_MAX);
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, 3 * INPUT_MAX);
    hv_json_each(member, input)
    {
        bool string = member->type == HV_JSON_STRING;
        struct hv_str value = string ? member->text : hv_json_source(member, raw);
        hv_buf_add_str(&text, excerpt(&tracer->scratch, member->key, KEY_MAX));
        hv_buf_add_cstr(&text, string && hv_str_find_byte(value, '\n', 0) != SIZE_MAX ? ":\n" : ": ");
        hv_buf_add_str(&text, excerpt(&tracer->scratch, value, INPUT_MAX));
        hv_buf_add_byte(&text, '\n');
        if (text.len > INPUT_MAX || text.failed)
            break;
    }
    return excerpt(&call->arena, hv_buf_str(&text), INPUT_MAX);
}

static struct hv_str first_string(struct tracer *tracer, struct hv_arena *arena, struct hv_str raw)
{
    hv_json_each(member, parse(tracer, raw))
    {
        if (member->type != HV_JSON_STRING)
            continue;
        struct hv_str line = hv_str_trim(member->text);
        line = hv_str_slice(line, 0, hv_str_find_byte(line, '\n', 0));
        return hv_arena_str(arena, truncate_characters(hv_str_slice(line, 0, (size_t)KEY_MAX * 4), KEY_MAX));
    }
    return (struct hv_str){0};
}

/* The text of a tool_result block; of what is no text, the kind. */
static struct hv_str describe_result(struct tracer *tracer, struct trace_call *call, struct hv_str block)
{
    const struct hv_json *content = hv_json_get(parse(tracer, block), "content");
    if (hv_json_type_of(content) != HV_JSON_ARRAY)
        return excerpt(&call->arena, content ? hv_json_string(content) : HV_STR(""), RESULT_MAX);
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, 3 * RESULT_MAX);
    hv_json_each(part, content)
    {
        struct hv_str value = hv_json_get_string(part, "text");
        if (value.ptr)
            hv_buf_add_str(&text, excerpt(&tracer->scratch, value, RESULT_MAX));
        else
            hv_buf_addf(&text, "[%.*s]",
                        HV_STR_ARG(excerpt(&tracer->scratch, hv_json_get_string(part, "type"), KEY_MAX)));
        hv_buf_add_byte(&text, '\n');
        if (text.len > RESULT_MAX || text.failed)
            break;
    }
    return excerpt(&call->arena, hv_buf_str(&text), RESULT_MAX);
}

static struct hv_str describe_decision(struct tracer *tracer, struct trace_call *call, const struct hv_event *event)
{
    const struct hv_json *data = parse(tracer, event->data);
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, 8 * TEXT_MAX);
    hv_buf_add_str(&text, excerpt(&tracer->scratch, event->name, KEY_MAX));
    if (event->text.len > 0)
        hv_buf_addf(&text, ": %.*s", HV_STR_ARG(excerpt(&tracer->scratch, event->text, TEXT_MAX)));
    static const char *const members[] = {"stage", "rule", "scope", "by"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        struct hv_str value = hv_json_get_string(data, members[i]);
        if (value.len > 0)
            hv_buf_addf(&text, " · %s %.*s", members[i], HV_STR_ARG(excerpt(&tracer->scratch, value, KEY_MAX)));
    }
    return hv_arena_str(&call->arena, hv_buf_str(&text));
}

/* ---- times --------------------------------------------------------------------------------------------------- */

static uint64_t bounded(uint64_t time)
{
    return time < TIME_MAX ? time : TIME_MAX;
}

static uint64_t before(uint64_t end, uint64_t duration)
{
    return duration < end ? end - duration : 0;
}

/* A resumed session begins anew at 0: put it behind what was, with at most a second between. */
static void shift_clock(struct tracer *tracer, int64_t wall_ms)
{
    uint64_t gap = CLOCK_SECOND;
    if (wall_ms > tracer->last_wall_ms && wall_ms - tracer->last_wall_ms < 1000)
        gap = (uint64_t)(wall_ms - tracer->last_wall_ms) * CLOCK_MILLISECOND;
    tracer->base = tracer->summary.events > 0 ? bounded(tracer->last + gap) : 0;
}

static uint64_t time_of(struct tracer *tracer, const struct hv_event *event)
{
    uint64_t time = bounded(tracer->base + bounded(event->time_ns));
    if (time > tracer->last)
        tracer->last = time;
    if (event->wall_ms > 0)
        tracer->last_wall_ms = event->wall_ms;
    return time;
}

static void add_span(struct trace_call *call, enum trace_kind kind, uint64_t end, uint64_t duration, struct hv_str text)
{
    if (call->span_count == TRACE_SPANS_MAX || duration == 0)
        return;
    uint64_t start = before(end, bounded(duration));
    start = start > call->start ? start : call->start;
    call->spans[call->span_count++] = (struct trace_span){
        .kind = kind,
        .start = start < end ? start : end,
        .end = end,
        .text = excerpt(&call->arena, text, TEXT_MAX),
    };
}

static bool has_span(const struct trace_call *call, enum trace_kind kind)
{
    for (size_t i = 0; i < call->span_count; i++)
        if (call->spans[i].kind == kind)
            return true;
    return false;
}

/* ---- drawing ------------------------------------------------------------------------------------------------- */

static void open_section(struct tracer *tracer, uint64_t start)
{
    if (tracer->in_section)
        return;
    tracer->in_section = true;
    tracer->section = (struct trace_section){.number = ++tracer->summary.sections, .start = start, .end = start};
    tracer->form->section_begin(tracer->writer, &tracer->section);
}

static void reach(struct tracer *tracer, uint64_t time)
{
    if (time > tracer->section.end)
        tracer->section.end = time;
}

/* How much of a stretch lay within the stream; one that still goes on reaches to the latest event. */
static uint64_t overlap(const struct tracer *tracer, const struct trace_span *span)
{
    const struct trace_response *response = &tracer->response;
    uint64_t stream_end = response->ended ? response->end : tracer->last;
    uint64_t start = span->start > response->start ? span->start : response->start;
    uint64_t end = span->end < stream_end ? span->end : stream_end;
    return response->present && start < end ? end - start : 0;
}

static void count_call(struct tracer *tracer, const struct trace_call *call)
{
    struct trace_sums *sums = &tracer->section.sums;
    sums->calls++;
    sums->failed += call->result.ptr && !call->ok;
    for (size_t i = 0; i < call->span_count; i++) {
        const struct trace_span *span = &call->spans[i];
        uint64_t duration = before(span->end, span->start);
        if (span->kind == TRACE_RUN) {
            sums->tool_ns += duration;
            sums->hidden_ns += overlap(tracer, span);
        } else if (span->kind == TRACE_PERMISSION) {
            sums->person_ns += duration;
        } else if (span->kind == TRACE_HOOK) {
            sums->hook_ns += duration;
        }
    }
}

static void draw_call(struct tracer *tracer, struct trace_call *call)
{
    count_call(tracer, call);
    reach(tracer, call->end);
    if (tracer->summary.sums.calls + tracer->section.sums.calls > tracer->form->calls_max)
        tracer->section.sums.omitted++;
    else
        tracer->form->call(tracer->writer, &tracer->section, call);
    hv_arena_release(&call->arena);
    free(call);
    trace_flush(tracer->writer, false);
}

/* Draw the group's calls: all, or only those that have their result. */
static void draw_calls(struct tracer *tracer, bool all)
{
    size_t kept = 0;
    for (size_t i = 0; i < tracer->calls.count; i++) {
        struct trace_call *call = tracer->calls.items[i];
        if (all || call->result.ptr)
            draw_call(tracer, call);
        else
            tracer->calls.items[kept++] = call;
    }
    tracer->calls.count = kept;
}

static void close_group(struct tracer *tracer)
{
    struct trace_response *response = &tracer->response;
    if (response->present) {
        tracer->form->response(tracer->writer, &tracer->section, response);
        tracer->section.sums.requests++;
        tracer->section.sums.model_ns += before(response->end, response->start);
        reach(tracer, response->end);
    }
    draw_calls(tracer, true);
    hv_arena_release(&response->arena);
    *response = (struct trace_response){0};
    trace_flush(tracer->writer, false);
}

static void add_sums(struct trace_sums *to, const struct trace_sums *sums)
{
    to->requests += sums->requests;
    to->calls += sums->calls;
    to->failed += sums->failed;
    to->omitted += sums->omitted;
    to->model_ns += sums->model_ns;
    to->tool_ns += sums->tool_ns;
    to->person_ns += sums->person_ns;
    to->hook_ns += sums->hook_ns;
    to->hidden_ns += sums->hidden_ns;
}

static void close_section(struct tracer *tracer)
{
    if (!tracer->in_section)
        return;
    close_group(tracer);
    tracer->form->section_end(tracer->writer, &tracer->section);
    add_sums(&tracer->summary.sums, &tracer->section.sums);
    tracer->in_section = false;
    trace_flush(tracer->writer, false);
}

/* ---- events -------------------------------------------------------------------------------------------------- */

static void put_mark(struct tracer *tracer, const char *kind, uint64_t end, const struct hv_event *event)
{
    struct trace_mark mark = {
        .kind = kind,
        .start = before(end, bounded(event->duration_ns)),
        .end = end,
        .name = excerpt(&tracer->scratch, event->name, KEY_MAX),
        .text = excerpt(&tracer->scratch, event->text, TEXT_MAX),
    };
    open_section(tracer, mark.start);
    reach(tracer, end);
    tracer->form->mark(tracer->writer, &tracer->section, &mark);
    trace_flush(tracer->writer, false);
}

static void on_start(struct tracer *tracer, const struct hv_event *event)
{
    close_section(tracer);
    const struct hv_json *data = parse(tracer, event->data);
    hv_arena_reset(&tracer->arena);
    tracer->summary.id = excerpt(&tracer->arena, hv_json_get_string(data, "id"), KEY_MAX);
    tracer->summary.directory = excerpt(&tracer->arena, hv_json_get_string(data, "cwd"), TEXT_MAX);
    tracer->summary.model = excerpt(&tracer->arena, hv_json_get_string(data, "model"), KEY_MAX);
    tracer->summary.version = excerpt(&tracer->arena, hv_json_get_string(data, "version"), KEY_MAX);
}

/* Of messages only prompts are drawn: what the model said and what tools answered is in the other rows. */
static void on_message(struct tracer *tracer, uint64_t time, const struct hv_event *event)
{
    if (!hv_json_bool(hv_json_get(parse(tracer, event->data), "prompt"), false))
        return;
    struct hv_event prompt = {0};
    hv_json_each(block, parse(tracer, event->json))
    {
        struct hv_str text = hv_json_get_string(block, "text");
        if (text.len > 0 && !hv_str_starts(text, HV_STR("<hook_context>")))
            prompt.text = text;
    }
    put_mark(tracer, "prompt", time, &prompt);
}

static void on_request(struct tracer *tracer, uint64_t time, const struct hv_event *event)
{
    open_section(tracer, time);
    close_group(tracer);
    struct trace_response *response = &tracer->response;
    response->present = true;
    response->start = response->end = time;
    response->model = excerpt(&response->arena, hv_json_get_string(parse(tracer, event->data), "model"), KEY_MAX);
    response->details = excerpt(&response->arena, event->data, TEXT_MAX);
}

static void on_first_byte(struct tracer *tracer, uint64_t time)
{
    if (tracer->response.present && !tracer->response.first_byte && time >= tracer->response.start)
        tracer->response.first_byte = tracer->response.end = time;
}

static void on_response(struct tracer *tracer, uint64_t time, const struct hv_event *event)
{
    struct trace_response *response = &tracer->response;
    if (!response->present) {
        open_section(tracer, before(time, bounded(event->duration_ns)));
        response->present = true;
        response->start = before(time, bounded(event->duration_ns));
    }
    response->ended = true;
    response->end = time > response->start ? time : response->start;
    response->stop = excerpt(&response->arena, event->text, KEY_MAX);
    if (event->data.ptr)
        response->details = excerpt(&response->arena, event->data, TEXT_MAX);
}

static struct trace_call *add_call(struct tracer *tracer, uint64_t time, const struct hv_event *event)
{
    open_section(tracer, time);
    if (tracer->calls.count >= GROUP_CALLS)
        draw_calls(tracer, tracer->calls.count >= GROUP_OPEN_CALLS);
    struct trace_call *call = hv_calloc(1, sizeof *call);
    call->id = hv_arena_str(&call->arena, hv_str_slice(event->call_id, 0, TEXT_MAX));
    call->tool = excerpt(&call->arena, event->tool, KEY_MAX);
    call->start = call->end = time;
    *vec_push(&tracer->calls) = call;
    return call;
}

/* The first call of the group with this id that has no result yet. */
static struct trace_call *find_call(struct tracer *tracer, struct hv_str id)
{
    for (size_t i = 0; i < tracer->calls.count; i++) {
        struct trace_call *call = tracer->calls.items[i];
        if (!call->result.ptr && hv_str_eq(call->id, hv_str_slice(id, 0, TEXT_MAX)))
            return call;
    }
    return NULL;
}

static void on_call(struct tracer *tracer, uint64_t time, const struct hv_event *event)
{
    struct trace_call *call = add_call(tracer, time, event);
    call->key = first_string(tracer, &call->arena, event->json);
    call->input = describe_input(tracer, call, event->json);
}

static void on_result(struct tracer *tracer, struct trace_call *call, uint64_t time, const struct hv_event *event)
{
    call->result = describe_result(tracer, call, event->json);
    call->ok = event->ok;
    call->summary = excerpt(&call->arena, hv_json_get_string(parse(tracer, event->data), "summary"), TEXT_MAX);
    if (!call->result.ptr)
        call->result = HV_STR("");
    if (!has_span(call, TRACE_RUN))
        add_span(call, TRACE_RUN, time, event->duration_ns, (struct hv_str){0});
}

static void on_call_event(struct tracer *tracer, uint64_t time, const struct hv_event *event)
{
    struct trace_call *call = find_call(tracer, event->call_id);
    if (!call && event->type == HV_EVENT_RESULT)
        call = add_call(tracer, before(time, bounded(event->duration_ns)), event);
    if (!call)
        return;
    /* Results are handed on in the order of the calls: this one may have waited for another since it was done. */
    if (time > call->end && (event->type != HV_EVENT_RESULT || !has_span(call, TRACE_RUN)))
        call->end = time;
    switch (event->type) {
    case HV_EVENT_HOOK: add_span(call, TRACE_HOOK, time, event->duration_ns, event->text); break;
    case HV_EVENT_ASK: call->question = excerpt(&call->arena, event->text, TEXT_MAX); break;
    case HV_EVENT_DECISION:
        call->decision = describe_decision(tracer, call, event);
        add_span(call, TRACE_PERMISSION, time, event->duration_ns, (struct hv_str){0});
        break;
    case HV_EVENT_ADMITTED: add_span(call, TRACE_WAIT, time, event->duration_ns, (struct hv_str){0}); break;
    case HV_EVENT_STAGE:
        if (hv_str_is(event->name, "execute"))
            add_span(call, TRACE_RUN, time, event->duration_ns, (struct hv_str){0});
        break;
    case HV_EVENT_RESULT: on_result(tracer, call, time, event); break;
    default: break;
    }
}

static void on_event(struct tracer *tracer, const struct hv_event *event)
{
    if (event->type == HV_EVENT_SESSION_START)
        shift_clock(tracer, event->wall_ms);
    uint64_t time = time_of(tracer, event);
    switch (event->type) {
    case HV_EVENT_SESSION_START: on_start(tracer, event); break;
    case HV_EVENT_MESSAGE: on_message(tracer, time, event); break;
    case HV_EVENT_REQUEST: on_request(tracer, time, event); break;
    case HV_EVENT_FIRST_BYTE: on_first_byte(tracer, time); break;
    case HV_EVENT_RESPONSE: on_response(tracer, time, event); break;
    case HV_EVENT_RETRY: put_mark(tracer, "retry", time, event); break;
    case HV_EVENT_NOTICE: put_mark(tracer, "notice", time, event); break;
    case HV_EVENT_TASK: put_mark(tracer, "task", time, event); break;
    case HV_EVENT_STATE: put_mark(tracer, "state", time, event); break;
    case HV_EVENT_CALL: on_call(tracer, time, event); break;
    case HV_EVENT_HOOK:
        if (event->call_id.ptr)
            on_call_event(tracer, time, event);
        else
            put_mark(tracer, "hook", time, event);
        break;
    case HV_EVENT_TURN_END:
    case HV_EVENT_SESSION_END:
        if (tracer->in_section) {
            close_group(tracer);
            put_mark(tracer, "end", time, &(struct hv_event){.text = event->text});
        }
        close_section(tracer);
        break;
    default: on_call_event(tracer, time, event); break;
    }
}

static void tracer_release(struct tracer *tracer)
{
    for (size_t i = 0; i < tracer->calls.count; i++) {
        hv_arena_release(&tracer->calls.items[i]->arena);
        free(tracer->calls.items[i]);
    }
    vec_release(&tracer->calls);
    hv_arena_release(&tracer->response.arena);
    hv_arena_release(&tracer->arena);
    hv_arena_release(&tracer->scratch);
}

static void finish(struct tracer *tracer, struct journal_reader *reader)
{
    close_section(tracer);
    tracer->summary.end = tracer->last;
    tracer->summary.faults = journal_reader_faults(reader);
    tracer->form->end(tracer->writer, &tracer->summary);
    trace_flush(tracer->writer, true);
}

enum hv_code trace_write(struct journal_reader *reader, const struct trace_form *form, struct trace_writer *writer,
                         struct hv_error *err)
{
    struct tracer tracer = {.form = form, .writer = writer};
    struct hv_event event;
    hv_buf_init(&writer->buf, BUF_MAX);
    while (!writer->stopped && journal_reader_next(reader, &event)) {
        if (tracer.summary.events == 0)
            form->begin(writer);
        hv_arena_reset(&tracer.scratch);
        on_event(&tracer, &event);
        tracer.summary.events++;
    }
    if (tracer.summary.events > 0 && !writer->stopped)
        finish(&tracer, reader);
    tracer_release(&tracer);
    hv_buf_release(&writer->buf);
    if (tracer.summary.events == 0) {
        hv_fail(err, HV_EINVAL, "the journal holds no event");
        hv_error_hint(err, "`helve sessions --all` lists the sessions there are");
        return HV_EINVAL;
    }
    return writer->stopped ? hv_fail(err, HV_EIO, "the trace could not be written to its end") : HV_OK;
}
