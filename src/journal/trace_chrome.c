/*
 * trace_chrome.c: the trace in the trace event format of Chrome, which Perfetto reads. See trace.h.
 *
 * Complete events ("X") on one row must lie within one another or apart. So calls that overlap get rows of their own
 * (the first row that is free), and what happens within a call lies on its row, cut to the call's time.
 */
#include "base/cleanup.h"
#include "journal/trace_inner.h"

#include <inttypes.h>

enum { ROW_TURNS = 1, ROW_MODEL, ROW_MARKS, ROW_CALLS, LANES_MAX = 256 };

struct chrome {
    bool begun; /* an event was written */
    uint64_t busy_until[LANES_MAX];
    size_t lanes; /* rows of calls in use, named */
    uint64_t turns_end, marks_end, model_end;
};

/* ---- one event ----------------------------------------------------------------------------------------------- */

static void put_time(struct hv_json_writer *json, const char *name, uint64_t ns)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64 ".%03u", ns / 1000, (unsigned)(ns % 1000));
    hv_json_member_raw(json, name, hv_str_from(text));
}

static void begin_event(struct trace_writer *writer, struct hv_json_writer *json, const char *phase, unsigned row,
                        struct hv_str name)
{
    struct chrome *chrome = writer->state;
    hv_buf_add_cstr(&writer->buf, chrome->begun ? ",\n" : "");
    chrome->begun = true;
    hv_json_writer_init(json, &writer->buf);
    hv_json_begin_object(json);
    hv_json_member_cstr(json, "ph", phase);
    hv_json_member_int(json, "pid", 1);
    hv_json_member_int(json, "tid", row);
    hv_json_member_string(json, "name", name.len > 0 ? name : HV_STR("?"));
}

static void begin_complete(struct trace_writer *writer, struct hv_json_writer *json, unsigned row, struct hv_str name,
                           const char *category, uint64_t start, uint64_t end)
{
    begin_event(writer, json, "X", row, name);
    hv_json_member_cstr(json, "cat", category);
    put_time(json, "ts", start);
    put_time(json, "dur", end > start ? end - start : 0);
    hv_json_name(json, "args");
    hv_json_begin_object(json);
}

static void put_argument(struct hv_json_writer *json, const char *name, struct hv_str text)
{
    if (text.ptr)
        hv_json_member_string(json, name, text);
}

static void end_event(struct hv_json_writer *json)
{
    hv_json_end_object(json);
    hv_json_end_object(json);
}

static void put_row_name(struct trace_writer *writer, const char *kind, unsigned row, struct hv_str name)
{
    struct hv_json_writer json;
    begin_event(writer, &json, "M", row, hv_str_from(kind));
    hv_json_name(&json, "args");
    hv_json_begin_object(&json);
    hv_json_member_string(&json, "name", name);
    end_event(&json);
    begin_event(writer, &json, "M", row, HV_STR("thread_sort_index"));
    hv_json_name(&json, "args");
    hv_json_begin_object(&json);
    hv_json_member_int(&json, "sort_index", row);
    end_event(&json);
}

/* ---- the form ------------------------------------------------------------------------------------------------ */

static void begin(struct trace_writer *writer)
{
    hv_buf_add_cstr(&writer->buf, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
    put_row_name(writer, "thread_name", ROW_TURNS, HV_STR("turns"));
    put_row_name(writer, "thread_name", ROW_MODEL, HV_STR("model stream"));
    put_row_name(writer, "thread_name", ROW_MARKS, HV_STR("hooks and notices"));
}

static void section_begin(struct trace_writer *writer, const struct trace_section *section)
{
    (void)writer, (void)section; /* drawn when its end is known */
}

/* Events of foreign files may go back in time: a row's events may touch, never overlap. */
static uint64_t after(uint64_t *row_end, uint64_t *start, uint64_t end)
{
    *start = *start > *row_end ? *start : *row_end;
    end = end > *start ? end : *start;
    *row_end = end;
    return end;
}

static void put_response(struct trace_writer *writer, const struct trace_section *section,
                         const struct trace_response *response)
{
    (void)section;
    struct chrome *chrome = writer->state;
    struct hv_json_writer json;
    uint64_t start = response->start, end = after(&chrome->model_end, &start, response->end);
    begin_complete(writer, &json, ROW_MODEL, HV_STR("response"), "model", start, end);
    put_argument(&json, "model", response->model);
    put_argument(&json, "ended", response->ended ? response->stop : HV_STR("no end was recorded"));
    put_argument(&json, "data", response->details);
    end_event(&json);
    if (response->first_byte > start && response->first_byte <= end) {
        begin_complete(writer, &json, ROW_MODEL, HV_STR("until the first byte"), "model", start, response->first_byte);
        end_event(&json);
    }
}

static unsigned row_of_call(struct trace_writer *writer, const struct trace_call *call)
{
    struct chrome *chrome = writer->state;
    size_t lane = 0;
    while (lane < chrome->lanes && chrome->busy_until[lane] > call->start)
        lane++;
    if (lane == LANES_MAX)
        lane = LANES_MAX - 1;
    if (lane == chrome->lanes) {
        char name[32];
        snprintf(name, sizeof name, "tools %zu", lane + 1);
        chrome->lanes++;
        put_row_name(writer, "thread_name", ROW_CALLS + (unsigned)lane, hv_str_from(name));
    }
    return ROW_CALLS + (unsigned)lane;
}

static void put_spans(struct trace_writer *writer, const struct trace_call *call, unsigned row, uint64_t from,
                      uint64_t until)
{
    struct hv_json_writer json;
    for (size_t i = 0; i < call->span_count; i++) {
        const struct trace_span *span = &call->spans[i];
        uint64_t start = span->start < until ? span->start : until,
                 end = after(&from, &start, span->end < until ? span->end : until);
        const char *kind = trace_kind_name(span->kind);
        begin_complete(writer, &json, row, hv_str_from(kind), kind, start, end);
        put_argument(&json, "text", span->text);
        end_event(&json);
    }
}

static void put_call(struct trace_writer *writer, const struct trace_section *section, const struct trace_call *call)
{
    (void)section;
    struct chrome *chrome = writer->state;
    struct hv_json_writer json;
    unsigned row = row_of_call(writer, call);
    uint64_t start = call->start, end = after(&chrome->busy_until[row - ROW_CALLS], &start, call->end);
    begin_complete(writer, &json, row, call->tool, "tool", start, end);
    put_argument(&json, "call_id", call->id);
    put_argument(&json, "input", call->input);
    put_argument(&json, "decision", call->decision);
    put_argument(&json, "asked", call->question);
    put_argument(&json, "summary", call->summary);
    put_argument(&json, "result", call->result);
    hv_json_member_cstr(&json, "outcome", !call->result.ptr ? "no result was recorded" : call->ok ? "fine" : "error");
    end_event(&json);
    put_spans(writer, call, row, start, end);
}

static void put_mark(struct trace_writer *writer, const struct trace_section *section, const struct trace_mark *mark)
{
    (void)section;
    struct chrome *chrome = writer->state;
    struct hv_json_writer json;
    struct hv_str name = mark->name.len > 0 ? mark->name : hv_str_from(mark->kind);
    uint64_t start = mark->start, end = after(&chrome->marks_end, &start, mark->end);
    begin_complete(writer, &json, ROW_MARKS, name, mark->kind, start, end);
    put_argument(&json, "text", mark->text);
    end_event(&json);
}

static void section_end(struct trace_writer *writer, const struct trace_section *section)
{
    struct chrome *chrome = writer->state;
    struct hv_json_writer json;
    char name[40];
    snprintf(name, sizeof name, "turn %" PRIu64, section->number);
    uint64_t start = section->start, end = after(&chrome->turns_end, &start, section->end);
    begin_complete(writer, &json, ROW_TURNS, hv_str_from(name), "turn", start, end);
    hv_json_member_int(&json, "requests", (int64_t)section->sums.requests);
    hv_json_member_int(&json, "calls", (int64_t)section->sums.calls);
    end_event(&json);
}

static void end(struct trace_writer *writer, const struct trace_summary *summary)
{
    CLEANUP_BUF struct hv_buf name = {.max = 1 << 10};
    hv_buf_addf(&name, "helve session %.*s", HV_STR_ARG(summary->id));
    put_row_name(writer, "process_name", 0, hv_buf_str(&name));
    hv_buf_add_cstr(&writer->buf, "\n]}\n");
}

enum hv_code trace_write_chrome(struct journal_reader *reader, const struct trace_output *output, struct hv_error *err)
{
    static const struct trace_form form = {
        .begin = begin,
        .section_begin = section_begin,
        .response = put_response,
        .call = put_call,
        .mark = put_mark,
        .section_end = section_end,
        .end = end,
        .calls_max = UINT64_MAX,
    };
    struct chrome chrome = {0};
    struct trace_writer writer = {.output = output, .state = &chrome};
    return trace_write(reader, &form, &writer, err);
}
